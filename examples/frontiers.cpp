// frontiers: where phis go, which branch decides about a block, and what an edge implies.
#include <midend/dominance/control_dependence.hpp>
#include <midend/dominance/dominance_frontier.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/edge_dominance.hpp>
#include <midend/dominance/iterated_dominance_frontier.hpp>
#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/csr_graph.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using midend::node_id;

static void print(const char* what, const auto& nodes) {
  std::printf("%s", what);
  for (const node_id n : nodes) {
    std::printf(" %u", n);
  }
  std::printf("\n");
}

int main() {
  // 0: i = 0; 1: while (...) { 2: if (x == 3) 3: i = 1; else 4; 5 } 6: return i
  const std::vector<midend::edge> list{{0, 1}, {1, 2}, {1, 6}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 1}};
  const midend::csr_graph g = midend::csr_graph::from_edges(7, 0, list).value();
  const midend::dominator_tree tree = midend::dominators(g);

  // [frontiers]
  const midend::frontier_sets frontiers = midend::dominance_frontier(g, tree);
  print("frontier of 3:", frontiers[3]);
  print("frontier of 5:", frontiers[5]);
  print("frontier of the loop header:", frontiers[1]);
  // [end]

  // [phis]
  const std::vector<node_id> writes_i{0, 3};
  print("i needs phis at:", midend::iterated_dominance_frontier(g, tree, writes_i));
  const auto live_in = [](node_id n) { return n != 5 && n != 1; }; // were i dead at the end of the loop's body
  print("pruned:", midend::iterated_dominance_frontier(g, tree, writes_i, live_in));
  // [end]

  // [variables]
  // Variable 0 is i; variable 1 is written in 4 only.
  const std::vector<midend::definition_site> writes{{0, 0}, {1, 4}, {0, 3}};
  const midend::iterated_frontiers phis = midend::iterated_dominance_frontiers(g, tree, 2, writes);
  print("phis of variable 0:", phis[0]);
  print("phis of variable 1:", phis[1]);
  // [end]

  // [control]
  const midend::control_dependence_graph dependences = midend::control_dependence(g, midend::post_dominators(g));
  for (const std::uint32_t i : dependences.dependences(3)) {
    const midend::control_edge& e = dependences.edges()[i];
    std::printf("3 runs if control goes from %u to %u\n", e.source, e.target);
  }
  std::printf("5 depends on the branch in 2: %d, on the one in 1: %d\n", dependences.is_dependent(5, 2),
              dependences.is_dependent(5, 1));
  // [end]

  // [edges]
  std::printf("x == 3 holds in 3: %d, in 5: %d\n", midend::edge_dominates(g, tree, 2, 3, 3),
              midend::edge_dominates(g, tree, 2, 3, 5));
  const auto first_edge = midend::dominating_edges(g, tree);
  std::printf("control comes to the body by edge %u, to 5 by more than one: %d\n", first_edge[2],
              first_edge[5] == midend::no_edge);
  // [end]
}
