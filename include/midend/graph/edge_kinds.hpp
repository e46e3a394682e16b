/// The kinds of edges in a depth-first search.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The kind of an edge `u → v` in a depth-first search.
enum class edge_kind : std::uint8_t {
  unreachable, ///< the search did not reach u
  tree,        ///< the edge by which v was met
  forward,     ///< any other edge to a proper descendant of u
  back,        ///< v is u or an ancestor of u; also called a retreating edge
  cross,       ///< neither is an ancestor of the other: v was left before u was met
};

namespace detail {

/// The tree that a numbering describes: the parent of each reachable node, `no_node` for the others and the entry.
constexpr flat_array<node_id> depth_first_parents(const depth_first_numbering& order) {
  flat_array<node_id> parents(order.num_nodes(), no_node);
  flat_array<node_id> path; // from the entry down to the predecessor in preorder
  for (const node_id n : order.preorder()) {
    while (!path.empty() && order.postorder_number(path.back()) < order.postorder_number(n)) {
      path.pop_back();
    }
    if (!path.empty()) {
      parents[n] = path.back();
    }
    path.push_back(n);
  }
  return parents;
}

} // namespace detail

/// The kind of each edge by edge id; a graph without ids is numbered as `csr_graph` would.
///
/// Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", section "Depth-first search". Requires that `order`
/// is `depth_first_order(g)`. The first of parallel edges to a child is the tree edge, the others are forward edges;
/// self loops are back edges. O(n + m) time, 8 bytes a node in addition to the result.
template <flow_graph_argument G>
constexpr flat_array<edge_kind> edge_kinds(const G& g, const depth_first_numbering& order) {
  MIDEND_ASSERT(order.num_nodes() == detail::node_count(g), "an order of this graph", order.num_nodes(), g.num_nodes());
  flat_array<node_id> parents = detail::depth_first_parents(order);
  flat_array<edge_kind> kinds(detail::count_edges(g), edge_kind::unreachable);
  const node_id count = detail::node_count(g);
  edge_id next = 0;
  for (node_id u = 0; u != count; ++u) {
    next = detail::for_each_out_edge(g, u, next, [&](edge_id e, node_id v) {
      if (!order.is_reachable(u)) {
        return;
      }
      if (parents[v] == u) {
        kinds[e] = edge_kind::tree;
        parents[v] = no_node; // the next edge from u to v is a forward edge
      } else if (order.is_ancestor(v, u)) {
        kinds[e] = edge_kind::back;
      } else {
        kinds[e] = order.is_ancestor(u, v) ? edge_kind::forward : edge_kind::cross;
      }
    });
  }
  return kinds;
}

MIDEND_END_NAMESPACE
