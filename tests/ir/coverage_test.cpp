// coverage.hpp: each value counted once, by what is known about it; before and after constant propagation; in words.
#include "kit/random_programs.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/effect_view.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ir/coverage.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/viz/coverage.hpp>

#include <cstdint>

using namespace midend_tests;
using midend::coverage;
using midend::ir_coverage;
namespace elbrus = midend::elbrus;

namespace {

constexpr const char* source = R"(
proc @f(%n: i32, %p: i64) -> i32 {
  node entry:
    %a = add.i32 2, 3
    %x = itof.i32.f64 %a
    %y = fadd.f64 %x, %x
    %z = fadd.f64 2.0, 1.0
    %l = ld.i32 [%p]
    %w = itof.i32.f64 %l
    %g = add.i32 %n, 1 ? %c : %n
    br next
  node next:
    st.i32 %l, [%p]
    %d = cmp.eq.i32 %a, 5
    br %d ? yes : no
  node yes:
    ret %g
  node no:
    %u = itof.i32.f64 %n
    ret %n
}
)";

} // namespace

TEST_CASE("coverage: by what the rungs say, before and after constant propagation") {
  std::string with_predicate = source;
  with_predicate.replace(with_predicate.find("    %a ="), 0, "    %c = cmp.lt.i32 %n, 0\n");
  const elbrus::parse_result parsed = elbrus::parse(with_predicate);
  for (const auto& d : parsed.diagnostics) {
    FAIL(d.message);
  }
  const elbrus::procedure& p = parsed.program.procedures[0];

  // Vocabulary: %c, %a, %d. Branches: br, br, ret, ret.
  const ir_coverage all = coverage(elbrus::cost_view(p));
  CHECK(all == ir_coverage{.vocabulary = 3,
                           .branches = 4,
                           .guarded = 1,
                           .memory = 2,
                           .of_constants = 1,   // %z
                           .of_variables = 4}); // %x, %y, %w, %u
  CHECK(all.understood() == 7);
  CHECK(all.not_understood() == 8);
  CHECK(all.operations() == 15);
  CHECK(midend::to_text(all) ==
        "7 of 15 operations understood; unknown: 2 of memory, 1 guarded, 1 of constants, 4 others");

  // Afterwards %x and %y are computed from constants, and node `no` is never executed.
  const auto found = midend::sccp(elbrus::semantic_view(p));
  CHECK(coverage(elbrus::cost_view(p), found) ==
        ir_coverage{.vocabulary = 3, .branches = 3, .guarded = 1, .memory = 2, .of_constants = 3, .of_variables = 1});

  // One node alone.
  const midend::node_id entry = p.entry();
  CHECK(coverage(elbrus::cost_view(p), midend::span<const midend::node_id>(&entry, 1)) ==
        ir_coverage{.vocabulary = 2, .branches = 1, .guarded = 1, .memory = 1, .of_constants = 1, .of_variables = 3});

  // Without the cost rung, nobody says what terminators and memory operations are.
  const ir_coverage less = coverage(elbrus::semantic_view(p));
  CHECK(less.vocabulary == 3);
  CHECK(less.operations() == 15);
  CHECK(less.memory + less.calls + less.branches + less.guarded == 0);
  CHECK(coverage(elbrus::effect_view(p)).branches == 4);
  CHECK(coverage(elbrus::effect_view(p)).memory == 2);
}

TEST_CASE("coverage: phis, literals in nodes, opaque values; an empty function") {
  CHECK(midend::to_text(ir_coverage()) == "0 of 0 operations understood");
  CHECK(midend::to_text(ir_coverage{.literals = 1, .calls = 1, .opaque = 2}) ==
        "1 of 4 operations understood; unknown: 1 call, 2 opaque");
  semantic_program p(2, {{0, 1}, {1, 1}});
  const value_id one = p.literal(1);
  const value_id sum = p.op(0, operation::add, {one, one});
  p.merge(1, {sum, sum});
  p.call(1, {sum});
  p.strange(1, one, one);
  CHECK(coverage(p) == ir_coverage{.phis = 1, .vocabulary = 1, .of_constants = 1, .of_variables = 1});
}

TEST_CASE("coverage: every value in a node is counted once") {
  for_each_random_program(100, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    CAPTURE(seed);
    for (const elbrus::procedure& p : g.program.procedures) {
      std::uint64_t values = 0;
      for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
        for ([[maybe_unused]] const value_id v : p.values(n)) {
          ++values;
        }
      }
      const ir_coverage c = coverage(elbrus::cost_view(p));
      CHECK(c.phis + c.operations() == values);
    }
  });
}
