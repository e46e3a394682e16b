/// Whether a control-flow graph is reducible.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/tree_of_edges.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/detail/cycle_search.hpp"
#include "midend/loops/search_order.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct reducibility_test;
}

/// Memory for `is_reducible` that is called again and again.
class is_reducible_workspace {
  friend detail::reducibility_test;

  detail::cycle_memory cycles_;
  depth_first_order_workspace search_;
  depth_first_numbering order_;
};

namespace detail {

struct reducibility_test {
  template <class G> static constexpr bool run(const G& g, is_reducible_workspace& workspace) {
    cycle_memory& m = workspace.cycles_;
    m.number.assign(node_count(g), no_node);
    search_cycles(g, last_to_first, false, m.number.data(), m);
    return m.entered.empty();
  }

  /// With the dominator tree.
  template <class G>
  static constexpr bool run(const G& g, const dominator_tree& tree, is_reducible_workspace& workspace) {
    require_tree_of_edges(g, tree);
    depth_first_numbering& order = workspace.order_;
    depth_first_order(g, workspace.search_, order);
    bool reducible = true;
    for_each_edge(g, [&](edge_id, node_id source, node_id target) {
      if (order.is_reachable(source) && order.postorder_number(source) <= order.postorder_number(target)) {
        reducible = reducible && tree.dominates(target, source);
      }
    });
    return reducible;
  }
};

} // namespace detail

/// Whether each reachable cycle of `g` has one entry, so that the cycles are the natural loops. Allocates nothing once
/// the workspace has seen a graph as large.
///
/// Runs the search of `cycles(g)` up to the first irreducible cycle. Duplicate edges, self loops and unreachable nodes
/// change nothing. Cost: that of `cycles(g)`.
template <flow_graph_argument G> constexpr bool is_reducible(const G& g, is_reducible_workspace& workspace) {
  return detail::reducibility_test::run(g, workspace);
}

/// Whether `g` is reducible.
template <flow_graph_argument G> constexpr bool is_reducible(const G& g) {
  is_reducible_workspace workspace;
  return is_reducible(g, workspace);
}

/// Uses the dominator tree: `g` is reducible if it is acyclic without the edges whose target dominates the source, that
/// is, if these are all the retreating edges of a depth-first search.
///
/// Hecht, Ullman, "Characterizations of reducible flow graphs", J. ACM 21(3), 1974. Requires that `tree` is a dominator
/// tree of `g`. Agrees with `is_reducible(g)` on every graph. O(n + m).
template <flow_graph_argument G>
constexpr bool is_reducible(const G& g, const dominator_tree& tree, is_reducible_workspace& workspace) {
  return detail::reducibility_test::run(g, tree, workspace);
}

/// Whether `g`, whose dominator tree is `tree`, is reducible.
template <flow_graph_argument G> constexpr bool is_reducible(const G& g, const dominator_tree& tree) {
  is_reducible_workspace workspace;
  return is_reducible(g, tree, workspace);
}

MIDEND_END_NAMESPACE
