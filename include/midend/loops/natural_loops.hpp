/// Natural loops of a control-flow graph.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/detail/loop_boundaries.hpp"
#include "midend/loops/detail/loop_builder.hpp"
#include "midend/loops/loop_forest.hpp"

MIDEND_BEGIN_NAMESPACE

/// Memory for loop computations that are done again and again.
class loops_workspace {
public:
  /// For the algorithms; not part of the interface.
  detail::loop_arrays arrays_;
};

/// The natural loops of `g`, refilling `out`; allocates nothing once workspace and result have seen a graph as large.
///
/// Requires that `tree` is a dominator tree of `g`, by whatever algorithm. Parallel backedges are listed each; a
/// self loop makes a loop of one block; edges out of unreachable blocks count only as entering edges. Without in-edges
/// that have ids (see `csr_graph`) a graph that has loops is copied into the workspace. Near-linear: O((n + m) α(n))
/// plus O(log depth) for each exiting edge; one pass over the edges if there is no loop.
template <flow_graph G>
constexpr void natural_loops(const G& g, const dominator_tree& tree, loops_workspace& workspace, loop_forest& out) {
  MIDEND_ASSERT(tree.num_nodes() == g.num_nodes(), "a dominator tree of this graph", tree.num_nodes(), g.num_nodes());
  MIDEND_ASSERT(tree.epoch() == graph_epoch(g), "a dominator tree that is up to date", tree.epoch(), graph_epoch(g));
  detail::loop_arrays& a = workspace.arrays_;
  detail::loop_forest_builder::clear(tree.num_nodes(), tree.epoch(), out);
  detail::loop_forest_builder::find_backedges(g, tree, a);
  if (a.backedges.empty()) {
    return;
  }
  if constexpr (detail::in_edge_indexed<G>) {
    detail::loop_forest_builder::build(g, tree, a, out);
    detail::loop_boundary_builder::build(g, tree, a, out);
  } else {
    a.copy.assign(g);
    detail::loop_forest_builder::build(a.copy, tree, a, out);
    detail::loop_boundary_builder::build(a.copy, tree, a, out);
  }
}

/// The natural loops of `g`.
template <flow_graph G> constexpr loop_forest natural_loops(const G& g, const dominator_tree& tree) {
  loop_forest out;
  loops_workspace workspace;
  natural_loops(g, tree, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
