/// A check of dominator trees that come together with a graph.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Required by analyses that take a graph and its dominator tree and read all edges. When checks are on, finds most
/// trees of other graphs with as many nodes: where an edge leads to n, the immediate dominator of n dominates its
/// source, and is the source if there is only one (if the graph has predecessors). O(n + m) then.
template <class G> constexpr void require_tree_of_edges(const G& g, const dominator_tree& tree) {
  require_tree_of(g, tree);
#if MIDEND_CHECKS
  const node_id count = node_count(g);
  MIDEND_ASSERT(count == 0 || tree.root() == node_in(g, g.entry()), "a dominator tree of this graph", tree.root());
  for (node_id n = 0; n != count; ++n) {
    if (!tree.is_reachable(n)) {
      continue;
    }
    for (const auto successor : g.successors(n)) {
      const node_id target = node_in(g, successor);
      const bool fits =
          target == tree.root() || (tree.is_reachable(target) && tree.dominates(tree.immediate_dominator(target), n));
      MIDEND_ASSERT(fits, "a dominator tree of this graph", n, target);
    }
    if constexpr (bidirectional_flow_graph<G>) {
      auto&& predecessors = g.predecessors(n);
      auto it = std::begin(predecessors);
      if (n != tree.root() && it != std::end(predecessors)) {
        const node_id first = node_in(g, *it);
        const bool is_only = ++it == std::end(predecessors);
        MIDEND_ASSERT(!is_only || tree.immediate_dominator(n) == first, "a dominator tree of this graph", first, n);
      }
    }
  }
#endif
}

} // namespace detail

MIDEND_END_NAMESPACE
