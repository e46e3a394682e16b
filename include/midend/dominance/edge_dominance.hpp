/// Dominance of edges over nodes.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether control can reach `target` for the first time by an edge from `source`: not from unreachable nodes, and not
/// from nodes that `target` dominates.
constexpr bool may_arrive_first(const dominator_tree& tree, node_id source, node_id target) {
  return tree.is_reachable(source) && !tree.dominates(target, source);
}

} // namespace detail

/// Whether every path from the entry to `n` takes the edge `source` → `target`: it does if `target` dominates `n` and
/// control can reach `target` for the first time only by this edge. The branch condition of the edge then holds at `n`.
///
/// False if there is no such edge, if there are parallel edges (a path may take either), if `source` or `n` is
/// unreachable, and if `target` is the entry, where control starts. Edges from unreachable nodes are ignored. O(number
/// of predecessors of `target`).
template <bidirectional_flow_graph_argument G>
constexpr bool edge_dominates(const G& g, const dominator_tree& tree, node_id source, node_id target, node_id n) {
  detail::require_tree_of(g, tree);
  if (!tree.dominates(target, n) || target == tree.root()) {
    return false;
  }
  std::size_t edges = 0;
  for (const auto p : g.predecessors(target)) {
    const node_id predecessor = detail::node_in(g, p);
    if (detail::may_arrive_first(tree, predecessor, target)) {
      if (predecessor != source) {
        return false;
      }
      ++edges;
    }
  }
  return edges == 1;
}

/// For each node the only edge by which control can reach it for the first time: this edge dominates the node and all
/// nodes that the node dominates. `no_edge` if there are several such edges (also parallel ones), for the entry, and
/// for unreachable nodes.
///
/// So edge `e` dominates node `n` exactly if `e` is the edge of its own target and that target dominates `n`. Ids are
/// those of the graph, or, if it has none, those that `csr_graph` would give. Refills `out`. O(n + m) for all edges.
template <flow_graph_argument G>
constexpr void dominating_edges(const G& g, const dominator_tree& tree, flat_array<edge_id>& out) {
  detail::require_tree_of(g, tree);
  constexpr edge_id several = no_edge - 1; // max_edges keeps ids below
  out.assign(tree.num_nodes(), no_edge);
  detail::for_each_edge(g, [&](edge_id e, node_id source, node_id target) {
    if (target != tree.root() && detail::may_arrive_first(tree, source, target)) {
      out[target] = out[target] == no_edge ? e : several;
    }
  });
  for (edge_id& e : out) {
    e = e == several ? no_edge : e;
  }
}

/// The result as a value.
template <flow_graph_argument G>
constexpr flat_array<edge_id> dominating_edges(const G& g, const dominator_tree& tree) {
  flat_array<edge_id> out;
  dominating_edges(g, tree, out);
  return out;
}

MIDEND_END_NAMESPACE
