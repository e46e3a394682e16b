// certificates: dominator trees that prove themselves, and why a node does or does not dominate another.
#include <midend/midend.hpp>

#include <cstdio>
#include <vector>

using midend::no_node;
using midend::node_id;

static void print(const char* what, const auto& nodes) {
  std::printf("%s", what);
  for (const node_id n : nodes) {
    std::printf(" %u", n);
  }
  std::printf("\n");
}

int main() {
  // A goto into a loop: 0: if (...) goto 3; 1: 2: loop { 3: 4: } 5: return; nothing leads to 6
  const std::vector<midend::edge> list{{0, 1}, {0, 3}, {1, 2}, {2, 3}, {3, 4}, {4, 2}, {4, 5}, {6, 5}};
  const midend::csr_graph g = midend::csr_graph::from_edges(7, 0, list).value();

  // [certify]
  const midend::dominator_tree tree = midend::dominators(g);
  if (!midend::certify(g, tree)) {
    std::printf("the tree is right\n");
  }
  // [end]

  // [claims]
  // From another compiler: by node, no_node for the entry and for unreachable nodes.
  std::vector<node_id> claims{no_node, 0, 1, 0, 3, 4, no_node};
  if (const auto error = midend::certify(g, claims)) {
    using enum midend::dominance_error::reason;
    switch (error->why) {
    case edge_avoids_claim:
      std::printf("%u does not dominate %u: see the edge from %u\n", claims[error->node], error->node, error->source);
      break;
    case not_closest:
      std::printf("%u is not the closest dominator of %u\n", claims[error->node], error->node);
      break;
    default:
      std::printf("something else is wrong with %u\n", error->node);
    }
  }
  // [end]

  // [by hand]
  claims[2] = 0;
  const auto order = midend::low_high_order(g, claims);
  if (order) {
    print("the order:", *order);
    std::printf("it proves the claims: %d\n", !midend::verify_low_high(g, claims, *order));
  }
  // [end]

  // [explain]
  for (const node_id a : {1u, 3u}) {
    const auto explanation = midend::explain_dominance(g, tree, a, 5);
    if (explanation.why == midend::dominance_explanation::reason::chain) {
      std::printf("%u dominates 5:", a);
    } else {
      std::printf("%u does not dominate 5:", a);
    }
    print("", explanation.nodes);
  }
  // [end]
}
