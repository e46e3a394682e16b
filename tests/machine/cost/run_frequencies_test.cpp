// How often nodes and loops run, by profiles that contradict themselves.
#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/cost/run_frequencies.hpp>

#include <cstddef>
#include <string>

using namespace midend_tests;

namespace {

/// Each edge has the same probability, whatever the others of its source have.
struct alike_view : midend::elbrus::cost_view {
  using cost_view::cost_view;

  double probability(midend::edge_id) const { return each; }

  double each = 1;
};

/// Two loops around a row of branches that join again.
std::string branches(std::size_t size) {
  std::string text = "proc @f(%a: i32) {\n  node entry:\n    br outer\n  node outer:\n    br inner\n  node inner:\n"
                     "    br d0\n";
  for (std::size_t i = 0; i != size; ++i) {
    const std::string n = std::to_string(i);
    text += "  node d" + n + ":\n    %c" + n + " = cmp.eq.i32 %a, " + n + "\n    br %c" + n + " ? l" + n + " : r" + n +
            "\n  node l" + n + ":\n    br d" + std::to_string(i + 1) + "\n  node r" + n + ":\n    br d" +
            std::to_string(i + 1) + "\n";
  }
  return text + "  node d" + std::to_string(size) +
         ":\n    %q = cmp.eq.i32 %a, -1\n    br %q ? latch : inner\n  node latch:\n    %w = cmp.eq.i32 %a, -2\n"
         "    br %w ? exit : outer\n  node exit:\n    ret\n}\n";
}

} // namespace

TEST_CASE("run frequencies: edges that are all certain divide what arrives, and nothing grows without end") {
  const parsed_procedure parsed(branches(1'200).c_str());
  const midend::elbrus::procedure& p = parsed.procedure();
  alike_view ir(p);
  const auto found = midend::dominators_and_loops(p);
  REQUIRE(found.loops.num_loops() == 2);
  midend::run_frequencies_workspace workspace;
  midend::run_frequencies out;
  for (const double each : {1.0, 0.75, 0.0}) {
    ir.each = each;
    midend::compute_frequencies(ir, midend::depth_first_order(ir.graph()), found.loops, midend::trip_knowledge{},
                                workspace, out);
    bool are_right = true;
    for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
      are_right = are_right && out.of_node(n) >= 0 && out.of_node(n) <= 1e15;
    }
    CHECK(are_right);
    const double expected = each > 0 ? 2 : 100; // one half leaves, or nothing is known
    CHECK(out.of_loop(0).executions == doctest::Approx(expected));
    CHECK(out.of_loop(1).executions == doctest::Approx(expected));
  }
}
