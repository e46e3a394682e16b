// check_ir.hpp: nothing is found in the views that ship, over random programs.
#include "kit/random_programs.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/ssa_ir.hpp"
#include "kit/statement_ir.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/effect_view.hpp>
#include <midend/elbrus/views/statement_view.hpp>
#include <midend/elbrus/views/variable_view.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/viz/ir_errors.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace midend_tests;

namespace {

/// What `check_ir` says, in words; empty if it finds nothing.
template <class IR> std::string finding(const IR& ir) {
  const auto error = midend::check_ir(ir);
  return error ? midend::to_text(*error) : std::string();
}

} // namespace

TEST_CASE(
    "check_ir finds nothing in the views of the Elbrus-like IR, over random programs, before and after construction") {
  std::size_t procedures = 0;
  for_each_random_program(400, everything(), [&](const generated_program& g, std::uint64_t seed) {
    CAPTURE(seed);
    midend::elbrus::program all = g.program;
    for (midend::elbrus::procedure& p : all.procedures) {
      CHECK(finding(midend::elbrus::variable_view(p)) == "");
      CHECK(finding(midend::elbrus::expression_view(p)) == "");
      CHECK(finding(midend::elbrus::statement_view(p)) == "");
      CHECK(finding(midend::elbrus::value_view(p)) == "");
      CHECK(finding(midend::elbrus::semantic_view(p)) == "");
      CHECK(finding(midend::elbrus::cost_view(p)) == "");
      CHECK(finding(midend::elbrus::effect_view(p)) == "");
      midend::elbrus::construct_ssa(p, seed % 2 == 0 ? midend::elbrus::ssa_algorithm::dominance_frontiers
                                                     : midend::elbrus::ssa_algorithm::on_the_fly);
      CHECK(finding(midend::elbrus::statement_view(p)) == "");
      CHECK(finding(midend::elbrus::cost_view(p)) == "");
      CHECK(finding(midend::elbrus::editor(p)) == "");
      ++procedures;
    }
  });
  CHECK(procedures >= affordable(400));
}

TEST_CASE("check_ir finds nothing in operations that a literal keeps from running") {
  for (const char* const operation :
       {"st.i32 1, [%a] ? 0", "st.i32 1, [%a] ? ~1", "%x = ld.i32 [%a] ? 0 : 3", "%x = call.i32 @g(%a) ? 0 : 3",
        "st.i32 1, [%a] ? 0 volatile", "st.i32 1, [%a] ? 1"}) {
    CAPTURE(operation);
    const auto parsed =
        midend::elbrus::parse(std::string("proc @f(%a: ptr) {\n  node entry:\n    ") + operation + "\n    ret\n}\n");
    REQUIRE_MESSAGE(parsed.diagnostics.empty(), parsed.diagnostics[0].message);
    REQUIRE(midend::elbrus::verify(parsed.program).empty());
    const midend::elbrus::procedure& p = parsed.program.procedures[0];
    CHECK(finding(midend::elbrus::cost_view(p)) == "");
    CHECK(finding(midend::elbrus::statement_view(p)) == "");
  }
}

TEST_CASE("check_ir finds nothing in the IRs of the tests") {
  random_source random(7);
  for (std::size_t i = 0; i != affordable(300); ++i) {
    CAPTURE(i);
    const test_graph g = random_digraph(random, 1 + random.below(12), 24);
    CHECK(finding(random_semantic_program(random, g, {})) == "");
    CHECK(finding(random_program(random, g, 5, 4)) == "");
  }
}
