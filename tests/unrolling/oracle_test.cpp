// The oracle of trials: what would be there if one tried on the user's own program, and took everything back.
#include "kit/affordable.hpp"
#include "kit/random_programs.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/cost/count_loop_trips.hpp>
#include <midend/machine/cost/estimate.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/transform/recording_editor.hpp>
#include <midend/unrolling/apply_unrolling.hpp>
#include <midend/unrolling/try_unrolling.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

struct oracle_figures {
  bool is_unrolled = false;
  double cycles = 0;
  std::vector<std::uint64_t> operations; ///< by loop

  friend bool operator==(const oracle_figures&, const oracle_figures&) = default;
};

/// Unrolls a loop by `editor`, cleans up, and measures the whole program.
template <class E>
oracle_figures unroll_and_measure(E& editor, const midend::loop_forest& loops, const midend::unrolling_order& order) {
  const auto machine = midend::e2k_reference_v6();
  midend::unobserved nobody;
  oracle_figures out;
  out.is_unrolled = midend::apply_unrolling(
                        editor, loops, midend::span<const midend::unrolling_order>(&order, 1),
                        [](const E& e) -> const E& { return e; }, midend::unrolling_limits(), nobody,
                        [](const E& e, const midend::dominator_tree&, const midend::loop_forest& forest) {
                          return midend::loop_trip_counter(e, forest);
                        })
                        .loops[0]
                        .is_unrolled;
  midend::clean_up(editor, midend::clean_up_options_for(machine));
  const auto found = midend::dominators_and_loops(editor.graph());
  midend::estimate_knowledge knowledge;
  midend::count_loop_trips(editor, found.loops, knowledge);
  midend::estimate_options options;
  options.facts.not_negative = midend::span<const bool>(knowledge.not_negative.data(), knowledge.not_negative.size());
  const auto cost = midend::estimate(editor, found.loops, machine, options);
  out.cycles = cost.cycles;
  for (const midend::loop_id l : found.loops.loops()) {
    out.operations.push_back(cost.loops[l].cost.operations);
  }
  return out;
}

} // namespace

TEST_CASE("the oracle: to unroll, clean up, measure and undo on the program gives the figures of the deed") {
  std::size_t unrolled = 0;
  for_each_random_program(150, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    const elbrus::program p = in_ssa_form(g);
    const elbrus::procedure& original = p.procedures[0];
    const auto loops = midend::dominators_and_loops(original).loops;
    for (const midend::loop_id l : loops.loops()) {
      if (loops.children(l).begin() != loops.children(l).end()) {
        continue;
      }
      const midend::unrolling_order order{l,
                                          {midend::unrolling_kind::partial, 2 + static_cast<std::uint32_t>(seed % 3)}};
      elbrus::procedure tried = original;
      midend::recording_editor<elbrus::cost_editor> recorder(tried);
      const oracle_figures expected = unroll_and_measure(recorder, loops, order);
      recorder.undo();
      const std::string difference = elbrus::difference(original, tried);
      CHECK_MESSAGE(difference.empty(), "seed ", seed, ", loop ", l, ": ", difference);
      elbrus::procedure deed = original;
      elbrus::cost_editor editor(deed);
      const oracle_figures there = unroll_and_measure(editor, loops, order);
      CHECK_MESSAGE(there == expected, "seed ", seed, ", loop ", l, "\n", elbrus::to_text(deed));
      unrolled += there.is_unrolled ? 1u : 0u;
    }
  });
  MESSAGE(unrolled, " loops");
  CHECK(unrolled > affordable(150) / 8);
}
