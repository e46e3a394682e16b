/// `verify_sccp_plan`: proves that a plan changes only what the facts of a result allow.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/sccp_plan.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/ssa/verify_sccp.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// The first entry of `plan` that does not follow from `found`, or none. The plan may come from anywhere.
///
/// - A replaced value is the constant of its fact. Otherwise the fault is `fact`, with the value.
/// - Where an edge is kept, the result says that no run takes another edge of the same node. Otherwise the fault is
///   `edge`, with the edge that would be lost and its source.
///
/// What is erased or forwarded is seen when the programs are compared (`verify_unfolding`), and that `found` holds is
/// for `verify_sccp`. Requires a result of this program: of `sccp`, or the facts that are part of one of
/// `value_numbering`.
///
/// O(plan), and the edges of the nodes whose edges are dropped.
template <semantic_ir_argument IR, domain_of_ir<IR> D>
constexpr sccp_error verify_sccp_plan(const IR& ir, const sccp_result<D>& found,
                                      const sccp_plan<domain_constant<D>>& plan) {
  const auto& g = ir.graph();
  if (found.num_nodes() != static_cast<std::size_t>(g.num_nodes()) ||
      found.num_edges() != static_cast<std::size_t>(g.num_edges()) ||
      found.num_values() > static_cast<std::size_t>(ir.num_values())) {
    return {sccp_fault::other_program};
  }
  for (const auto& change : plan.replacements) {
    const bool is_value = change.value < found.num_values();
    const auto c = is_value ? found.constant(change.value) : decltype(found.constant(change.value))();
    if (!c || !(*c == change.constant)) {
      return {sccp_fault::fact, no_node, change.value};
    }
  }
  for (const edge_id kept : plan.kept_edges) {
    const node_id n = kept < found.num_edges() ? static_cast<node_id>(g.edge_source(kept)) : no_node;
    if (n == no_node) {
      return {sccp_fault::edge, no_node, no_value, kept};
    }
    edge_id lost = no_edge;
    detail::for_each_id(g.out_edges(n), [&](edge_id e) { lost = e != kept && found.is_executable_edge(e) ? e : lost; });
    if (lost != no_edge) {
      return {sccp_fault::edge, n, no_value, lost};
    }
  }
  return {};
}

MIDEND_END_NAMESPACE
