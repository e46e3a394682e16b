// Peeling by profile: as many iterations as it takes until entering the loop afterwards is improbable.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/profile_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/peel_by_profile.hpp>
#include <midend/transform/unroll_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::peeling_obstacle;

namespace {

midend::peeling_plan plan_of(const elbrus::procedure& p, const midend::peeling_options& options = {}) {
  return midend::plan_peel_by_profile(elbrus::cost_view(p), midend::dominators_and_loops(p).loops, options);
}

/// Peels, and checks certificate and form.
std::size_t peel(elbrus::procedure& p, const midend::peeling_options& options = {}) {
  const elbrus::procedure before = p;
  const midend::peeling_plan plan = plan_of(p, options);
  elbrus::editor e(p);
  const auto done = midend::unroll_loops(e, midend::dominators_and_loops(p).loops, plan.requests);
  const auto verdict = certificate(before, p, done.witness);
  CHECK_MESSAGE((verdict && verdict.assumed == 0), to_text(verdict), "\n", elbrus::to_text(p));
  CHECK(why_ill_formed(p).empty());
  return done.plan.unrollings.size();
}

/// A loop with two exits that runs its header `headers` times for 100 entries.
std::string counted(std::uint64_t headers) {
  const std::string n = std::to_string(headers);
  const std::string back = std::to_string(headers - 100);
  return "proc @f(%n: i32, %m: i32) -> i32 count=100 {\n  node entry count=100:\n    br head\n  node head count=" + n +
         ":\n    %i = phi.i32 [entry: 0], [body: %i1]\n    %q = cmp.lt.i32 %i, %n\n    br %q ? body(" +
         std::to_string(static_cast<double>(headers - 100) / static_cast<double>(headers)) + ") : exit(" +
         std::to_string(100.0 / static_cast<double>(headers)) + ")\n  node body count=" + back +
         ":\n    %i1 = add.i32 %i, 1\n    %p = cmp.eq.i32 %i1, %m\n    br %p ? exit(0) : head(1)\n"
         "  node exit count=100:\n    ret %i\n}\n";
}

} // namespace

TEST_CASE("peel by profile: until entering the loop is improbable, or not at all") {
  struct known {
    std::uint64_t headers; ///< for 100 entries
    peeling_obstacle obstacle;
    std::uint32_t peeled;
  };

  const known samples[] = {{105, peeling_obstacle::none, 1},
                           {125, peeling_obstacle::none, 2},
                           {200, peeling_obstacle::none, 3},
                           {1000, peeling_obstacle::runs_too_long, 0}};
  for (const known& k : samples) {
    elbrus::program p = program_of(counted(k.headers));
    const elbrus::procedure before = p.procedures[0];
    const midend::peeling_plan plan = plan_of(before);
    REQUIRE(plan.candidates.size() == 1);
    CHECK(plan.candidates[0].obstacle == k.obstacle);
    CHECK(plan.candidates[0].peeled == k.peeled);
    CHECK(plan.empty() == (k.peeled == 0));
    CHECK(peel(p.procedures[0]) == (k.peeled == 0 ? 0u : 1u));
    CHECK_MESSAGE(why_inconsistent(p.procedures[0]).empty(), why_inconsistent(p.procedures[0]),
                  elbrus::to_text(p.procedures[0]));
    if (k.peeled != 0) { // the loop is entered as seldom as the plan says
      const auto found = midend::dominators_and_loops(p.procedures[0]);
      REQUIRE(found.loops.num_loops() == 1);
      double entered = 0;
      for (const midend::loop_edge& e : found.loops.entering_edges(0)) {
        entered += static_cast<double>(
            midend::edge_count(elbrus::cost_view(p.procedures[0]), p.procedures[0], e.id).value_or(1000));
      }
      CHECK(entered <= 100 * plan.candidates[0].enters + 1);
      CHECK(plan.candidates[0].enters <= midend::peeling_options().improbable);
    }
  }
  // A limit of iterations, and one of operations.
  CHECK(plan_of(program_of(counted(200)).procedures[0], {0.125, 2}).empty());
  CHECK(plan_of(program_of(counted(200)).procedures[0], {0.3, 2}).requests.size() == 1);
}

TEST_CASE("peel by profile: hints, probabilities, a loop that never runs, and no profile") {
  const auto loop = [](const char* count, const char* hint, const char* to_body, const char* to_exit) {
    return std::string("proc @f(%n: i32) -> i32 {\n  node entry") + count + ":\n    br head\n  node head" + count +
           hint + ":\n    %i = phi.i32 [entry: 0], [body: %i1]\n    %q = cmp.lt.i32 %i, %n\n    br %q ? body" +
           to_body + " : exit" + to_exit + "\n  node body" + count +
           ":\n    %i1 = add.i32 %i, 1\n    br head\n  node exit:\n    ret %i\n}\n";
  };
  const auto candidate = [](const std::string& text) { return plan_of(program_of(text).procedures[0]).candidates[0]; };
  CHECK(candidate(loop("", "", "", "")).obstacle == peeling_obstacle::no_profile);
  CHECK(candidate(loop(" count=0", "", "", "")).obstacle == peeling_obstacle::never_runs);
  CHECK(candidate(loop("", " hint trip=max:3", "", "")).peeled == 3);
  CHECK(candidate(loop("", " hint trip=max:3", "", "")).enters == 0);
  CHECK(candidate(loop("", " hint trip=max:9", "", "")).obstacle == peeling_obstacle::runs_too_long);
  CHECK(candidate(loop("", " hint trip=avg:1", "", "")).peeled == 1);
  CHECK(candidate(loop("", " hint trip=avg:2", "", "")).peeled == 3);
  CHECK(candidate(loop("", "", "(0.1)", "(0.9)")).peeled == 1);
  CHECK(candidate(loop("", "", "(0.9)", "(0.1)")).obstacle == peeling_obstacle::runs_too_long);
}

TEST_CASE("peel by profile: random programs, with loops inside loops, run as before and count alike") {
  std::size_t peeled = 0;
  comparison_counts runs;
  random_program_options options = all_flow();
  for_each_random_program(1500, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    elbrus::run_profile counts;
    for (std::size_t i = 0; i != g.inputs.size(); ++i) {
      const elbrus::run_result result = run_on(all, g, i);
      if (result.trap) {
        return;
      }
      elbrus::add_profile(counts, result.profile);
    }
    elbrus::write_profile(all, counts);
    for (elbrus::procedure& p : all.procedures) {
      const bool was_consistent = why_inconsistent(p).empty();
      peeled += peel(p, {0.3, 6});
      CHECK_MESSAGE((!was_consistent || why_inconsistent(p).empty()), "seed ", seed, ": ", why_inconsistent(p));
    }
    const std::string wrong = why_wrong(g, all, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(peeled, " loops peeled; ", runs.same, " runs the same");
  CHECK(peeled > affordable(1500) / 20);
}
