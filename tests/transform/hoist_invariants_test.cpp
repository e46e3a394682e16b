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
  std::size_t refused[6] = {};
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

TEST_CASE("a load that may trap moves across a branch of which all edges lead to one node, and across no other") {
  for (const bool leads_to_one : {true, false}) {
    const elbrus::program before =
        program_of(std::string("proc @f(%c: i1, %a: ptr) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
                               "    br %c ? next : ") +
                   (leads_to_one ? "next" : "other") +
                   "\n  node next:\n    %v = ld.i32 [%a]\n    %p = cmp.gt.i32 %v, 1\n    br %p ? loop : done\n"
                   "  node other:\n    br done\n  node done:\n    ret 1\n}\n");
    elbrus::program after = before;
    elbrus::procedure& p = after.procedures[0];
    elbrus::editor e(p);
    const midend::hoisting_plan plan = midend::hoist_invariants(e);
    CHECK(plan.moves.size() == (leads_to_one ? 2 : 0));
    if (!leads_to_one) { // by hand
      midend::node_id entry = midend::no_node;
      value_id load = midend::no_value;
      for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
        entry = p.node_name(n) == "entry" ? n : entry;
      }
      for (value_id v = 0; v != p.num_values(); ++v) {
        load = p.value_name(v) == "v" ? v : load;
      }
      e.move_value(load, midend::place_at_end(entry));
    }
    const midend::motion_verdict verdict =
        midend::verify_motion(elbrus::effect_view(before.procedures[0]), elbrus::effect_view(p));
    CHECK(verdict.fault == (leads_to_one ? midend::motion_fault::none : midend::motion_fault::early_trap));
  }
}
