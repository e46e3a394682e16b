/// Dominators and natural loops in one call.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/natural_loops.hpp"

MIDEND_BEGIN_NAMESPACE

/// Memory for `dominators_and_loops`.
struct dominators_and_loops_workspace {
  dominators_workspace dominators;
  loops_workspace loops;
};

/// The dominator tree of a graph and its natural loops.
struct dominators_and_loops_result {
  dominator_tree dominators;
  loop_forest loops;
};

/// `dominators(g, semi_nca)` and `natural_loops`, refilling `out`; allocates nothing once workspace and result have
/// seen a graph as large.
template <flow_graph G>
constexpr void dominators_and_loops(const G& g, dominators_and_loops_workspace& workspace,
                                    dominators_and_loops_result& out) {
  dominators(g, semi_nca, workspace.dominators, out.dominators);
  natural_loops(g, out.dominators, workspace.loops, out.loops);
}

/// The dominator tree and the natural loops of `g`.
template <flow_graph G> constexpr dominators_and_loops_result dominators_and_loops(const G& g) {
  dominators_and_loops_result out;
  dominators_and_loops_workspace workspace;
  dominators_and_loops(g, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
