/// `split_critical_edges`: a node on each edge from a branch to a join.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What `split_critical_edges` will do. To veto a change, remove it from its list.
struct critical_edges_plan {
  std::uint64_t epoch = 0;
  flat_array<edge_id> edges;   ///< to be split, by source
  flat_array<edge_id> refused; ///< critical, but the IR does not allow a node on them

  bool empty() const { return edges.empty(); }
};

/// The critical edges of a graph: those whose source has several edges and whose target is entered by several. Each of
/// several parallel edges is critical. Edges from unreachable nodes count, and are split too. O(n + m).
///
///     a → b (a branches, b is a join)   →   a → new → b
template <graph_of_ir_argument IR> critical_edges_plan plan_split_critical_edges(const IR& ir) {
  const auto& g = ir.graph();
  critical_edges_plan plan;
  plan.epoch = graph_epoch(g);
  const node_id count = detail::node_count(g);
  flat_array<std::uint32_t> entered(count, 0);
  const auto for_each_edge = [&](auto visit) {
    for (node_id n = 0; n != count; ++n) {
      std::uint32_t edges = 0;
      detail::for_each_id(g.out_edges(n), [&](edge_id) { ++edges; });
      detail::for_each_id(g.out_edges(n), [&](edge_id e) { visit(e, edges); });
    }
  };
  for_each_edge([&](edge_id e, std::uint32_t) { ++entered[static_cast<node_id>(g.edge_target(e))]; });
  for_each_edge([&](edge_id e, std::uint32_t left) {
    if (left > 1 && entered[static_cast<node_id>(g.edge_target(e))] > 1) {
      (may_split(ir, e) ? plan.edges : plan.refused).push_back(e);
    }
  });
  return plan;
}

/// Applies a plan for the graph as it is. O(edges, and phis in their targets).
template <class E> void apply_split_critical_edges(unfolding<E>& u, const critical_edges_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  for (const edge_id e : plan.edges) {
    u.route_edges(span<const edge_id>(&e, 1));
  }
}

/// Returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_split_critical_edges(E& editor, const critical_edges_plan& plan) {
  unfolding<E> u(editor);
  apply_split_critical_edges(u, plan);
  return u.take_witness();
}

/// Plans and applies. Afterwards only refused edges are critical. Returns the witness.
template <unfolding_editor_argument E> unfolding_witness split_critical_edges(E& editor) {
  return apply_split_critical_edges(editor, plan_split_critical_edges(editor));
}

MIDEND_END_NAMESPACE
