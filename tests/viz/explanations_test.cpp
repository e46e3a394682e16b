#include <midend/viz/explanations.hpp>

#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/loops/natural_loops.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace {

using midend::csr_graph;
using midend::dominance_error;
using midend::edge;
using midend::no_node;
using midend::node_id;

csr_graph graph_of(std::size_t nodes, const std::vector<edge>& edges) {
  return csr_graph::from_edges(nodes, 0, edges).value();
}

/// The words for each loop, outer before inner.
std::string forms(std::size_t nodes, const std::vector<edge>& edges) {
  const csr_graph g = graph_of(nodes, edges);
  const auto tree = midend::dominators(g);
  const auto loops = midend::natural_loops(g, tree);
  std::string out;
  for (const midend::loop_id l : loops.loops()) {
    out += midend::to_text(midend::explain_loop_form(g, tree, loops, l));
  }
  return out;
}

} // namespace

TEST_CASE("to_text: each thing that a loop can lack") {
  CHECK(forms(3, {{0, 1}, {1, 1}, {1, 2}}) == "loop of 1: in loop-simplify form, rotated, LCSSA-ready\n");
  // Two entering blocks, a dead one, two latches, an exit that is shared.
  CHECK(forms(7, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {5, 3}, {3, 4}, {4, 3}, {3, 3}, {4, 6}, {1, 6}}) ==
        "loop of 3: not in loop-simplify form, not rotated, not LCSSA-ready\n"
        "  no preheader: 1 is one of several blocks that enter\n"
        "  no preheader: 2 is one of several blocks that enter\n"
        "  no preheader: 5 enters too, although the entry does not reach it\n"
        "  no single latch: 3 is one of several\n"
        "  no single latch: 4 is one of several\n"
        "  no dedicated exits: exit block 6 has a predecessor outside, 1\n"
        "  no exiting latch: 3 does not leave the loop\n");
  CHECK(forms(3, {{0, 1}, {0, 2}, {1, 1}, {1, 1}}) == "loop of 1: not in loop-simplify form, not rotated, LCSSA-ready\n"
                                                      "  no preheader: 0, which alone enters, has another edge, to 2\n"
                                                      "  no single latch: 1 leads back by several edges\n"
                                                      "  no exiting latch: nothing leaves the loop\n");
  CHECK(forms(2, {{0, 1}, {1, 1}, {1, 0}}) == "loop of 0: not in loop-simplify form, not rotated, LCSSA-ready\n"
                                              "  no preheader: the graph starts at the header, 0\n"
                                              "  no exiting latch: nothing leaves the loop\n"
                                              "loop of 1: not in loop-simplify form, rotated, not LCSSA-ready\n"
                                              "  no dedicated exits: the graph starts at the exit block 0\n");
}

TEST_CASE("to_text: ways into a cycle") {
  const csr_graph g = graph_of(5, {{0, 1}, {0, 2}, {2, 3}, {1, 4}, {4, 3}, {3, 4}});
  const auto cycles = midend::cycles(g);
  CHECK(midend::to_text(midend::explain_irreducible(g, cycles, 0)) == "cycle of 3: irreducible, entered at 3 and 4\n"
                                                                      "  to 3 without 4: 0 -> 2 -> 3\n"
                                                                      "  to 4 without 3: 0 -> 1 -> 4\n");
  const csr_graph loop = graph_of(2, {{0, 1}, {1, 1}});
  CHECK(midend::to_text(midend::explain_irreducible(loop, midend::cycles(loop), 0)) ==
        "cycle of 1: entered at 1 alone\n"
        "  to 1: 0 -> 1\n");
}

TEST_CASE("to_text: what is wrong with a claim about dominators") {
  using enum dominance_error::reason;
  const auto words = [](dominance_error::reason why) { return midend::to_text(dominance_error{why, 4, 3}); };
  CHECK(words(wrong_size) == "claims or order do not fit the number of blocks\n");
  CHECK(words(not_a_tree) == "by the claims, the way up from 4 does not end at the entry\n");
  CHECK(words(not_a_preorder) == "in the order, 4 is not where a preorder of the tree has it\n");
  CHECK(words(edge_leaves_tree) == "the edge 3 -> 4 leads to a block that is claimed to be unreachable\n");
  CHECK(words(edge_avoids_claim) == "the edge 3 -> 4 leads past the claimed dominator of 4\n");
  CHECK(words(not_closest) == "4 has a closer dominator than the one claimed, or is unreachable\n");
  CHECK(words(wrong_numbers) == "number, depth or subtree of 4 is not that of the tree\n");
}

TEST_CASE("to_text: why a block dominates another, or not") {
  const csr_graph g = graph_of(7, {{0, 1}, {0, 2}, {2, 4}, {4, 6}, {1, 5}, {2, 5}});
  const auto tree = midend::dominators(g);
  const auto words = [&](node_id a, node_id b) {
    return midend::to_text(midend::explain_dominance(g, tree, a, b), a, b);
  };
  CHECK(words(2, 6) == "2 dominates 6\n  6 below 4 below 2\n");
  CHECK(words(2, 2) == "2 dominates itself\n");
  CHECK(words(2, 5) == "2 does not dominate 5\n  around it: 0 -> 1 -> 5\n");
  CHECK(words(2, 3) == "nothing dominates 3: the entry does not reach it\n");
  CHECK(words(3, 3) == "nothing dominates 3: the entry does not reach it\n");
}

TEST_CASE("to_text: names by a function, by an array, and of no block") {
  const csr_graph g = graph_of(3, {{0, 1}, {1, 1}, {1, 2}});
  const auto cycles = midend::cycles(g);
  const auto explanation = midend::explain_irreducible(g, cycles, 0);
  const std::string expected = "cycle of for.body: entered at for.body alone\n  to for.body: entry -> for.body\n";
  const std::array<std::string_view, 3> array{"entry", "for.body", "exit"};
  const std::vector<std::string> strings{"entry", "for.body", "exit"};
  const char* const literals[] = {"entry", "for.body", "exit"};
  CHECK(midend::to_text(explanation, array) == expected);
  CHECK(midend::to_text(explanation, strings) == expected);
  CHECK(midend::to_text(explanation, literals) == expected);
  CHECK(midend::to_text(explanation, [&](node_id n) { return array[n]; }) == expected);
  CHECK(midend::to_text(explanation, [&](node_id n) { return std::string(array[n]); }) == expected);
  CHECK(midend::to_text(dominance_error{dominance_error::reason::not_closest, no_node, no_node}, array) ==
        "no block has a closer dominator than the one claimed, or is unreachable\n");
}
