// dominance: what a dominator tree answers.
#include <midend/midend.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

using midend::node_id;

static void print(const char* what, const auto& nodes) {
  std::vector<node_id> sorted(nodes.begin(), nodes.end());
  std::sort(sorted.begin(), sorted.end());
  std::printf("%s", what);
  for (const node_id n : sorted) {
    std::printf(" %u", n);
  }
  std::printf("\n");
}

int main() {
  // 0: entry; 1: while (...) { 2: if (...) 3; else 4; 5 } 6: return; nothing leads to 7
  const std::vector<midend::edge> list{{0, 1}, {1, 2}, {1, 6}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 1}, {7, 6}};
  const midend::csr_graph g = midend::csr_graph::from_edges(8, 0, list).value();

  // [queries]
  const midend::dominator_tree tree = midend::dominators(g);
  std::printf("idom of 5: %u, depth %u\n", tree.immediate_dominator(5), tree.depth(5));
  std::printf("2 dominates 5: %d, 3 dominates 5: %d\n", tree.dominates(2, 5), tree.dominates(3, 5));
  std::printf("nearest common dominator of 3 and 6: %u\n", tree.nearest_common_dominator(3, 6));
  print("children of 2:", tree.children(2));
  print("all that 2 dominates:", tree.subtree(2));
  std::printf("7 is reachable: %d, dominates itself: %d\n", tree.is_reachable(7), tree.dominates(7, 7));
  // [end]

  // [algorithms]
  const auto idoms = midend::immediate_dominators(g, midend::naive_dominators);
  const bool same = idoms == midend::immediate_dominators(g, midend::semi_nca) &&
                    idoms == midend::immediate_dominators(g, midend::lengauer_tarjan) &&
                    idoms == midend::immediate_dominators(g, midend::lengauer_tarjan_simple) &&
                    idoms == midend::immediate_dominators(g, midend::cooper_harvey_kennedy);
  // [end]
  std::printf("the algorithms agree: %d, idom of 6: %u\n", same, idoms[6]);

  // [fused]
  const auto [same_tree, loops] = midend::dominators_and_loops(g);
  std::printf("the loop of block %u has %zu blocks\n", loops.header(0), loops.blocks(0).size());
  // [end]
  std::printf("the same tree: %d\n", same_tree == tree);
}
