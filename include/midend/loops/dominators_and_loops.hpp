/// Dominators and natural loops in one call.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/detail/loop_boundaries.hpp"
#include "midend/loops/detail/loop_drafts.hpp"
#include "midend/loops/detail/semi_nca_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/natural_loops.hpp"
#include "midend/support/flat_array.hpp"

MIDEND_BEGIN_NAMESPACE

/// Memory for `dominators_and_loops`.
struct dominators_and_loops_workspace {
  dominators_workspace dominators;
  natural_loops_workspace loops;
  flat_array<detail::chained_edge> backedges_; ///< for the algorithm; not part of the interface
};

/// The dominator tree of a graph and its natural loops.
struct dominators_and_loops_result {
  dominator_tree dominators;
  loop_forest loops;
};

namespace detail {

template <class G>
constexpr void find_dominators_and_loops(const G& g, bool boundaries, dominators_and_loops_workspace& workspace,
                                         dominators_and_loops_result& out) {
  loop_arrays& a = workspace.loops.arrays_;
  const semi_nca_loop_search search{workspace.backedges_, a.draft_of, a.pending, a.drafts};
  dominator_tree_builder::build(g, search, workspace.dominators, out.dominators);
  loop_forest_builder::clear(out.dominators.num_nodes(), out.dominators.epoch(), boundaries, out.loops);
  if (!a.drafts.header.empty()) {
    loop_forest_builder::build(a.drafts, out.loops);
    if (boundaries) {
      loop_search::list_boundaries(g, out.dominators, false, a, out.loops);
    }
  }
}

} // namespace detail

/// What `dominators(g, semi_nca)` and `natural_loops` give, for less than both, refilling `out`: the search that finds
/// the dominators recognises backedges and knows what loops are made of. Allocates nothing once workspace and result
/// have seen a graph as large.
///
/// Requires and says of ugly graphs what the two functions do. The loops are the same as those of `natural_loops`;
/// siblings may be numbered, and the blocks of one loop listed, in a different order.
template <flow_graph G>
constexpr void dominators_and_loops(const G& g, dominators_and_loops_workspace& workspace,
                                    dominators_and_loops_result& out) {
  detail::find_dominators_and_loops(g, true, workspace, out);
}

/// The same without the boundaries of loops. Reads successors only, once, and never copies the graph.
template <flow_graph G>
constexpr void dominators_and_loops(const G& g, nesting_only_t, dominators_and_loops_workspace& workspace,
                                    dominators_and_loops_result& out) {
  detail::find_dominators_and_loops(g, false, workspace, out);
}

/// The dominator tree and the natural loops of `g`.
template <flow_graph G> constexpr dominators_and_loops_result dominators_and_loops(const G& g) {
  dominators_and_loops_result out;
  dominators_and_loops_workspace workspace;
  dominators_and_loops(g, workspace, out);
  return out;
}

/// The same without the boundaries of loops.
template <flow_graph G> constexpr dominators_and_loops_result dominators_and_loops(const G& g, nesting_only_t) {
  dominators_and_loops_result out;
  dominators_and_loops_workspace workspace;
  dominators_and_loops(g, nesting_only, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
