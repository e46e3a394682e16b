#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/verify_motion.hpp>

using namespace midend_tests;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

const auto certify_motion = [](const elbrus::effect_view& before, const elbrus::effect_view& after,
                               const midend::hoisting_plan&) { return midend::verify_motion(before, after); };

} // namespace

TEST_CASE("hoist_invariants on random programs") {
  std::size_t moved = 0;
  std::size_t traps = 0;
  std::size_t dropped = 0;
  std::size_t loads = 0;
  std::size_t refused[3] = {};
  const auto counts = clean_random_programs(
      800, endless_flow(),
      [](elbrus::editor& e, elbrus::procedure& p, std::uint64_t seed) {
        worsen(e, p, seed);
        if (seed % 3 == 1) {
          midend::rotate_loops(e);
        } else if (seed % 3 == 2) {
          midend::close_loops(e);
        }
      },
      [&](elbrus::editor& e) {
        midend::hoisting_plan plan = midend::hoist_invariants(e);
        for (const midend::hoisted_value& h : plan.moves) {
          traps += e.may_trap(h.value) ? 1u : 0u;
          dropped += h.drops_promises ? 1u : 0u;
          loads += e.effect(h.value) == midend::effect_kind::reads ? 1u : 0u;
        }
        for (const midend::hoisting_refusal& r : plan.refused) {
          ++refused[static_cast<std::size_t>(r.reason)];
        }
        moved += plan.moves.size();
        return plan;
      },
      certify_motion);
  MESSAGE(moved, " operations moved, ", traps, " that may trap, ", dropped, " lost promises, ", loads,
          " loads; refused ", refused[0], " without preheader, ", refused[1], " traps, ", refused[2], " loads");
  CHECK(counts.changed > affordable(300));
  CHECK(counts.runs.same > affordable(300));
  CHECK(moved > affordable(500));
}
