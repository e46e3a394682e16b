// What several branches of a loop compute moves to where all of them come from.
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/transform/hoist_common.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/transform/verify_motion.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

auto numbers_of(const elbrus::procedure& p) {
  return midend::value_numbering(elbrus::cost_view(p), midend::strided_interval_domain());
}

midend::common_value_plan hoist(elbrus::editor& e) {
  const auto found = midend::dominators_and_loops(e.graph());
  const auto plan = midend::plan_hoist_common(e, numbers_of(e.graph()), found.dominators, found.loops);
  midend::apply_hoist_common(e, plan);
  return plan;
}

/// A loop with two branches and what follows them; %i is a counter, %x what they are given.
std::string branches(std::string_view left, std::string_view right, std::string_view after) {
  return "proc @f(%a: ptr, %x: i32, %n: i32) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
         "    %i = phi.i32 [entry: 0], [latch: %next]\n    %c = cmp.lt.i32 %i, %x\n    br %c ? left : right\n"
         "  node left:\n" +
         std::string(left) + "    br latch\n  node right:\n" + std::string(right) +
         "    br latch\n  node latch:\n    %m = phi.i32 [left: %l], [right: %r]\n    call @note(%m)\n" +
         std::string(after) +
         "    %next = add.i32 %i, 1\n    %q = cmp.ne.i32 %next, %n\n    br %q ? loop : done\n"
         "  node done:\n    ret %n\n}\n";
}

} // namespace

TEST_CASE("hoist_common: both branches of a loop, operands first; value numbering keeps one") {
  elbrus::program all =
      program_of(branches("    %l1 = mul.i32 %i, 3\n    %l = xor.i32 %l1, %x\n",
                          "    %r1 = mul.i32 %i, 3 nsw\n    %r2 = xor.i32 %r1, %x\n    %r = add.i32 %r2, 1\n", ""));
  elbrus::procedure& p = all.procedures[0];
  const elbrus::procedure before = p;
  elbrus::editor e(p);
  const auto equal = numbers_of(p);
  const auto found = midend::dominators_and_loops(p);
  const auto plan = midend::plan_hoist_common(e, equal, found.dominators, found.loops);
  midend::apply_hoist_common(e, plan);
  CHECK(plan.moves.size() == 4);
  CHECK(midend::verify_motion(elbrus::effect_view(before), elbrus::effect_view(p)));
  const elbrus::cost_view view(p);
  midend::apply_value_numbering(e, midend::plan_value_numbering(view, equal)); // numbers are still right
  CHECK(elbrus::to_text(p).find("    %c = cmp.lt.i32 %i, %x\n    %l1 = mul.i32 %i, 3\n    %l = xor.i32 %l1, %x\n"
                                "    br %c ? left : right\n  node left:\n    br latch\n  node right:\n"
                                "    %r = add.i32 %l, 1\n    br latch\n") != std::string::npos);
}

TEST_CASE("hoist_common: what stays") {
  struct sample {
    const char* left;
    const char* right;
    const char* after;
    std::size_t moved;
  };

  for (const sample x : {
           sample{"    %l = mul.i32 %i, 3\n", "    %r = mul.i32 %i, 5\n", "", 0},   // another operation
           sample{"    %l = div.i32 %x, %i\n", "    %r = div.i32 %x, %i\n", "", 0}, // may trap
           sample{"    %l = ld.i32 [%a]\n", "    %r = ld.i32 [%a]\n", "", 0},       // memory
           sample{"    %l = add.i32 2, 3\n", "    %r = add.i32 2, 3\n", "", 0},     // a constant
           sample{"    %l0 = ld.i32 [%a]\n    %l = mul.i32 %l0, 3\n",               // other operands
                  "    %r0 = ld.i32 [%a]\n    %r = mul.i32 %r0, 3\n", "", 0},
           sample{"    %l = mul.i32 %i, 3\n", "    %r = mul.i32 %i, 5\n", // one branch, and after it
                  "    %s = mul.i32 %i, 3\n    call @note(%s)\n", 2},
       }) {
    elbrus::program all = program_of(branches(x.left, x.right, x.after));
    elbrus::editor e(all.procedures[0]);
    const elbrus::procedure before = all.procedures[0];
    CHECK_MESSAGE(hoist(e).moves.size() == x.moved, x.left, x.right, x.after);
    CHECK(midend::verify_motion(elbrus::effect_view(before), elbrus::effect_view(all.procedures[0])));
  }
}

TEST_CASE("hoist_common: nothing moves out of a loop, nor outside of one") {
  elbrus::program all =
      program_of("proc @f(%x: i32, %n: i32) -> i32 {\n  node entry:\n    %c = cmp.lt.i32 %x, %n\n"
                 "    br %c ? left : right\n  node left:\n    %l = mul.i32 %x, 3\n"
                 "    %q = cmp.lt.i32 %l, 7\n    br %q ? left : done\n  node right:\n    %r = mul.i32 %x, 3\n"
                 "    br done\n  node done:\n    %m = phi.i32 [left: %l], [right: %r]\n"
                 "    ret %m\n}\n");
  elbrus::editor e(all.procedures[0]);
  CHECK(hoist(e).empty());
}

TEST_CASE("hoist_common on random unrolled programs is certified, and the results are the same") {
  std::size_t moved = 0;
  std::size_t dropped = 0;
  const auto prepare = [](elbrus::editor& e, const elbrus::procedure& p, std::uint64_t seed) {
    const auto loops = midend::dominators_and_loops(p).loops;
    std::vector<midend::unrolling_request> requests;
    for (const midend::loop_id l : loops.loops()) {
      requests.push_back({l, {midend::unrolling_kind::partial, 2 + static_cast<std::uint32_t>(seed % 3)}});
    }
    midend::unroll_loops(e, loops, requests);
  };
  const cleaning_counts counts = clean_random_programs(
      600, all_flow(), prepare,
      [&](elbrus::editor& e) {
        const midend::common_value_plan plan = hoist(e);
        moved += plan.moves.size();
        for (const midend::common_value& c : plan.moves) {
          dropped += c.drops_promises ? 1U : 0U;
        }
        return plan;
      },
      [](const auto& before, const auto& after, const auto&) { return midend::verify_motion(before, after); });
  MESSAGE(moved, " operations moved, ", dropped, " lost promises");
  CHECK(counts.changed > affordable(30));
  CHECK(counts.runs.same > affordable(300));
}
