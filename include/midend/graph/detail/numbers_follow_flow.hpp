/// Whether the numbers of the nodes are a good order to visit them in.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether the numbers of the nodes are as good an order for a forward pass as a reverse postorder: few edges lead to a
/// node that is not later. Blocks usually have such numbers. A search for a better order costs a third as much as a
/// dataflow analysis whose facts are sets of one word.
constexpr bool numbers_follow_flow(std::size_t edges_against, std::size_t num_nodes) {
  return edges_against <= num_nodes / 8 + 4;
}

/// Counts the edges of `g` that lead to a smaller number. O(n + m).
template <class G> constexpr bool numbers_follow_flow(const G& g) {
  std::size_t against = 0;
  for_each_edge(g, [&](edge_id, node_id source, node_id target) { against += target < source; });
  return numbers_follow_flow(against, static_cast<std::size_t>(g.num_nodes()));
}

} // namespace detail

MIDEND_END_NAMESPACE
