// Split by a condition of random programs of any flow: certified, and run.
#include "kit/affordable.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/nest_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/transform/condition_split.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/unify_loop_exits.hpp>
#include <midend/transform/verify_condition_split.hpp>
#include <midend/viz/condition_splits.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::cost_view;
using elbrus::procedure;

TEST_CASE("condition split: random programs run the same, and all certificates are accepted") {
  std::size_t done = 0;
  std::size_t refused[32] = {};
  comparison_counts runs;
  for_each_random_program(3000, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    for (procedure& p : all.procedures) {
      elbrus::cost_editor e(p);
      midend::simplify_loops(e);
      if (seed % 2 == 0) {
        midend::unify_loop_exits(e);
      }
      const procedure before = p;
      const cost_view view(before);
      const auto flow = midend::dominators_and_loops(before);
      const auto facts = midend::facts_of_numbers(view);
      const midend::span<const midend::number_facts> known(facts.data(), facts.size());
      midend::condition_split_options options;
      options.chunk = static_cast<std::uint32_t>(seed % 5 + 1);
      options.least_work = 1;
      midend::condition_split_plan plan =
          midend::plan_condition_split(view, flow, midend::evolutions(view, flow.loops, known), known, options);
      for (const midend::condition_split_refusal& r : plan.refused) {
        ++refused[static_cast<std::size_t>(r.why)];
      }
      const auto nothing = midend::verify_condition_split(view, cost_view(p), {}, known);
      CHECK(nothing); // nothing has changed
      const auto witness = midend::apply_condition_split(e, plan);
      const auto verdict = midend::verify_condition_split(view, cost_view(p), witness, known);
      CHECK_MESSAGE(verdict, "seed ", seed, ": ", midend::to_text(verdict), "\n", midend::to_text(plan),
                    elbrus::to_text(before), elbrus::to_text(p));
      CHECK(why_ill_formed(p) == "");
      done += plan.loops.size();
    }
    const std::string wrong = why_wrong(g, all, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  std::string reasons;
  for (std::size_t i = 0; i != 32; ++i) {
    if (refused[i] != 0) {
      reasons += std::to_string(refused[i]) + " " +
                 std::string(midend::to_text(static_cast<midend::condition_split_obstacle>(i))) + "; ";
    }
  }
  MESSAGE(done, " split; ", reasons, runs.same, " runs the same");
  CHECK(done != 0);
}
