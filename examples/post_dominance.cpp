// post_dominance: the queries of a post-dominator tree, and how the policies treat an endless loop.
#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/csr_graph.hpp>

#include <array>
#include <cstdio>

using midend::node_id;

static void print(const char* what, const auto& nodes) {
  std::printf("%s", what);
  for (const node_id n : nodes) {
    std::printf(" %u", n);
  }
  std::printf("\n");
}

int main() {
  // 0: if (...) { 1; 2 } else 3; 4: if (...) 5: return; else for (;;) { 6; 7 }; nothing leads to 8, which goes to 5
  const std::array<midend::edge, 10> list{
      {{0, 1}, {0, 3}, {1, 2}, {2, 4}, {3, 4}, {4, 5}, {4, 6}, {6, 7}, {7, 6}, {8, 5}}};
  const midend::csr_graph g = midend::csr_graph::from_edges(9, 0, list).value();

  // [queries]
  const midend::post_dominator_tree post = midend::post_dominators(g);
  print("roots:", post.roots());
  std::printf("ipdom of 0: %u, depth %u\n", post.immediate_post_dominator(0), post.depth(0));
  std::printf("4 post-dominates 1: %d, 2 post-dominates 0: %d\n", post.post_dominates(4, 1), post.post_dominates(2, 0));
  std::printf("nearest common post-dominator of 1 and 3: %u\n", post.nearest_common_post_dominator(1, 3));
  std::printf("of 5 and 6 there is none: %d\n", post.nearest_common_post_dominator(5, 6) == midend::no_node);
  std::printf("the unreachable 8 has one, too: %u\n", post.immediate_post_dominator(8));
  // [end]

  // [policies]
  const auto exits = midend::post_dominators(g, midend::exits_only);
  std::printf("exits only: 6 is diverging: %d, ipdom of 4: %u\n", exits.is_diverging(6),
              exits.immediate_post_dominator(4));
  const std::array<node_id, 2> mine{5, 6};
  const auto given = midend::post_dominators(g, midend::given_roots{mine});
  std::printf("root 6 instead of 7: ipdom of 7: %u\n", given.immediate_post_dominator(7));
  // [end]

  // [roots]
  print("exits:", midend::post_dominance_roots(g, midend::exits_only));
  print("exits and endless regions:", midend::post_dominance_roots(g));
  // [end]

  // [algorithms]
  const bool same = midend::post_dominators(g, midend::exits_only, midend::lengauer_tarjan).tree() == exits.tree();
  // [end]
  std::printf("the same by another algorithm: %d\n", same);
}
