/// Successors together with their edge ids, for graphs with and without ids of their own.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"

#include <cstddef>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

class csr_graph;

namespace detail {

/// Calls `visit(edge, target)` for each edge out of `n` in the order of successors. If the graph has no edge ids, edges
/// are numbered from `next` on, and the next free number is returned: going over nodes 0, 1, … numbers edges as
/// `csr_graph` does.
template <class G, class Visit> constexpr edge_id for_each_out_edge(const G& g, node_id n, edge_id next, Visit visit) {
  auto&& successors = g.successors(n);
  auto it = std::begin(successors);
  const auto last = std::end(successors);
  if constexpr (edge_indexed_flow_graph<G>) {
    auto&& edges = g.out_edges(n);
    for (auto edge = std::begin(edges); it != last; ++it, ++edge) {
      visit(static_cast<edge_id>(*edge), node_in(g, *it));
    }
  } else {
    for (; it != last; ++it, ++next) {
      visit(next, node_in(g, *it));
    }
  }
  return next;
}

/// Calls `visit(edge, source, target)` for each edge, node by node. For a `csr_graph` this is one
/// flat loop over two arrays.
template <class G, class Visit> constexpr void for_each_edge(const G& g, Visit visit) {
  if constexpr (std::is_same_v<G, csr_graph>) {
    const node_id* const sources = g.sources().data();
    const node_id* const targets = g.targets().data();
    const auto edges = static_cast<edge_id>(g.num_edges());
    for (edge_id e = 0; e != edges; ++e) {
      visit(e, sources[e], targets[e]);
    }
  } else {
    const node_id count = node_count(g);
    edge_id next = 0;
    for (node_id n = 0; n != count; ++n) {
      next = for_each_out_edge(g, n, next, [&](edge_id e, node_id target) { visit(e, n, target); });
    }
  }
}

template <class G> constexpr std::size_t count_edges(const G& g) {
  if constexpr (edge_indexed_flow_graph<G>) {
    return static_cast<std::size_t>(g.num_edges());
  } else {
    std::size_t edges = 0;
    const node_id count = node_count(g);
    for (node_id n = 0; n != count; ++n) {
      for ([[maybe_unused]] const auto successor : g.successors(n)) {
        ++edges;
      }
    }
    return edges;
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
