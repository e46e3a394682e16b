// The clean-up: examples of unrolling, random programs, and random unrolled loops beside `realise_unrolling`.
#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"
#include "kit/run_clean_up.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/realise_unrolling.hpp>
#include <midend/transform/unroll_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::operation_class;
using midend::value_id;

namespace {

std::size_t values_of(const elbrus::procedure& p) {
  std::size_t count = 0;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      count += v == midend::no_value ? 0U : 1U;
    }
  }
  return count;
}

/// How many operations of a class the innermost loops of a procedure have.
std::size_t in_loops(const elbrus::procedure& p, operation_class wanted) {
  const elbrus::cost_view view(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  std::size_t count = 0;
  for (const midend::loop_id l : loops.loops()) {
    for (const midend::node_id n : loops.blocks(l)) {
      for (const value_id v : p.values(n)) {
        count += loops.subloops(l).size() == 1 && view.cost(v) == wanted ? 1U : 0U;
      }
    }
  }
  return count;
}

/// Unrolls all innermost loops by `factor`, as cycles.
void unroll_all(elbrus::procedure& p, std::uint32_t factor) {
  const auto loops = midend::dominators_and_loops(p).loops;
  std::vector<midend::unrolling_request> requests;
  for (const midend::loop_id l : loops.loops()) {
    if (loops.subloops(l).size() == 1) {
      requests.push_back({l, midend::unrolling_shape::cycle, factor});
    }
  }
  elbrus::editor e(p);
  midend::unroll_loops(e, loops, requests);
}

void realise(elbrus::procedure& p) {
  elbrus::editor e(p);
  midend::realise_unrolling(e, [](const elbrus::editor& of) { return elbrus::cost_view(of.graph()); });
}

std::string how_many(const char* variable, const char* otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : value;
}

} // namespace

TEST_CASE("clean_up on random programs, some of them unrolled: runs are the same, and a second time changes nothing") {
  const auto programs = static_cast<std::size_t>(std::stoul(how_many("MIDEND_CLEAN_UP_PROGRAMS", "400")));
  comparison_counts runs;
  std::size_t changed = 0;
  std::size_t again = 0;
  std::size_t incomplete = 0;
  std::size_t rounds[9] = {};
  std::size_t changes[7] = {};
  std::size_t values = 0;
  std::size_t beside = 0;
  std::size_t fewer = 0;
  std::size_t equal = 0;
  std::size_t more = 0;
  for_each_random_program(programs, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    generated_program original = g;
    original.program = in_ssa_form(g);
    elbrus::program after = original.program;
    for (elbrus::procedure& p : after.procedures) {
      if (seed % 2 == 1) {
        unroll_all(p, seed % 3 == 0 ? 2 : seed % 3 == 1 ? 3 : 4);
      }
      const elbrus::procedure before = p;
      const clean_up_counts counts = run_clean_up(p);
      const std::string ill = why_ill_formed(p);
      CHECK_MESSAGE(ill.empty(), "seed ", seed, ": ", ill, "\n", elbrus::to_text(before), elbrus::to_text(p));
      ++rounds[counts.rounds];
      incomplete += counts.is_complete ? 0U : 1U;
      if (!counts.is_complete && std::getenv("MIDEND_CLEAN_UP_SHOW") != nullptr) {
        MESSAGE("limit: seed ", seed, " ", p.name(), ": ", counts.changes[0], " ", counts.changes[1], " ",
                counts.changes[2], " ", counts.changes[3], " ", counts.changes[4], " ", counts.changes[5], " ",
                counts.changes[6], "\n", elbrus::to_text(before), "\n", elbrus::to_text(p));
      }
      changed += counts.has_changed ? 1U : 0U;
      for (std::size_t i = 0; i != 7; ++i) {
        changes[i] += counts.changes[i];
      }
      elbrus::procedure once = p;
      again += run_clean_up(once).has_changed ? 1U : 0U;
      elbrus::procedure other = before;
      realise(other);
      elbrus::procedure counted = before; // by numbers of operations: no quotient becomes a product
      static_cast<void>(run_clean_up(counted, clean_up_costs::one_each));
      const std::size_t here = values_of(counted);
      const std::size_t there = values_of(other);
      values += here;
      beside += there;
      fewer += here < there ? 1U : 0U;
      equal += here == there ? 1U : 0U;
      more += here > there ? 1U : 0U;
      if (here > there && std::getenv("MIDEND_CLEAN_UP_SHOW") != nullptr) {
        MESSAGE("seed ", seed, ", ", here, " and ", there, "\n", elbrus::to_text(before), elbrus::to_text(counted),
                elbrus::to_text(other));
      }
    }
    const std::string wrong = why_wrong(original, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(changed, " procedures changed, ", again, " a second time, ", incomplete, " stopped at the limit; rounds ",
          rounds[1], ", ", rounds[2], ", ", rounds[3], ", ", rounds[4], ", ", rounds[5], ", ", rounds[6], ", ",
          rounds[7], ", ", rounds[8], "; changes ", changes[0], ", ", changes[1], ", ", changes[2], ", ", changes[3],
          ", ", changes[4], ", ", changes[5], ", ", changes[6], "; ", runs.same, " runs the same, ", runs.no_verdict,
          " without verdict; values ", values, ", by realise_unrolling ", beside, ": fewer ", fewer, ", equal ", equal,
          ", more ", more);
  CHECK(runs.same > affordable(2 * programs));
  CHECK(again * 50 <= changed);
  CHECK(incomplete * 100 <= changed);
  CHECK(more * 10 < fewer);
}
