// constexpr_dominators: a dominator tree that the compiler computes. Results own heap memory, which must not outlive
// the evaluation, so the part that is needed is copied into an array.
#include <midend/midend.hpp>

#include <array>
#include <cstdio>

// [constexpr]
constexpr std::array<midend::edge, 8> edges{{{0, 1}, {1, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 2}}};

constexpr std::array<midend::node_id, 6> immediate_dominators = [] {
  const midend::csr_graph g = midend::csr_graph::from_edges(6, 0, edges).value();
  const auto tree = midend::dominators(g);
  std::array<midend::node_id, 6> copy{};
  for (midend::node_id n = 0; n != copy.size(); ++n) {
    copy[n] = tree.immediate_dominator(n);
  }
  return copy;
}();

static_assert(immediate_dominators == std::array<midend::node_id, 6>{midend::no_node, 0, 1, 2, 2, 1});

// [end]

int main() {
  for (midend::node_id n = 1; n != immediate_dominators.size(); ++n) {
    std::printf("%u is dominated by %u\n", n, immediate_dominators[n]);
  }
}
