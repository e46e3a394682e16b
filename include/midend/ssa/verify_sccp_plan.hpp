/// `verify_sccp_plan`: proves that a plan changes only what the facts of a result allow.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_facts.hpp"
#include "midend/ssa/sccp_plan.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/ssa/verify_sccp.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Checks all entries but the uses that branches decide.
template <class IR, class D>
constexpr sccp_error error_of_plan(const IR& ir, const sccp_result<D>& found,
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
    for_each_id(g.out_edges(n), [&](edge_id e) { lost = e != kept && found.is_executable_edge(e) ? e : lost; });
    if (lost != no_edge) {
      return {sccp_fault::edge, n, no_value, lost};
    }
  }
  return {};
}

/// Checks the uses that branches decide: each reads a copy in the view of the result, and the copy's fact is the
/// constant.
template <class IR, class D> class decided_use_checker {
public:
  decided_use_checker(const IR& ir, const sccp_result<D>& found) : ir_(ir), found_(found), view_(ir, workspace_) {}

  sccp_error run(const sccp_plan<domain_constant<D>>& plan) {
    if (!plan.uses.empty() && found_.facts_.size() < view_.num_values()) {
      return {sccp_fault::other_program};
    }
    for (const auto& use : plan.uses) {
      const value_id read = name_of(use);
      const bool is_known = read != no_value && found_.is_computed(read) && !found_.is_undefined(read);
      const auto c = is_known ? found_.constant(read) : std::nullopt;
      if (!c || !(*c == use.constant)) {
        return {sccp_fault::fact, no_node, use.user, use.edge};
      }
    }
    return {};
  }

private:
  /// The value that the use reads in the view; `no_value` if there is no such use.
  value_id name_of(const decided_use<domain_constant<D>>& use) const {
    value_id read = no_value;
    if (use.edge != no_edge) {
      if (use.edge < static_cast<std::size_t>(ir_.graph().num_edges())) {
        for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(use.edge)), [&](value_id phi) {
          read = phi == use.user ? static_cast<value_id>(view_.phi_input(phi, use.edge)) : read;
        });
      }
    } else if (use.user < static_cast<std::size_t>(ir_.num_values()) && !ir_.is_phi(use.user)) {
      const span<const value_id> operands = view_.operands(use.user);
      read = use.operand < operands.size() ? operands[use.operand] : no_value;
    }
    return read;
  }

  const IR& ir_;
  const sccp_result<D>& found_;
  branch_facts_workspace<constant_of<IR>> workspace_;
  branch_facts_view<IR> view_;
};

} // namespace detail

/// The first entry of `plan` that does not follow from `found`, or none. The plan may come from anywhere.
///
/// - A replaced value is the constant of its fact. Otherwise the fault is `fact`, with the value.
/// - A use that branches decide is a `fact`, with its user: this function knows nothing of branches.
/// - If an edge is kept, the result says that no run takes another edge of that node. Otherwise the fault is `edge`,
///   with the edge that would be lost and its source.
///
/// `verify_unfolding` compares the programs and so checks erased and forwarded parts. `verify_sccp` proves `found`.
/// Requires a result of this program: of `sccp`, or the facts that are part of one of `value_numbering`.
///
/// O(plan), and the edges of the nodes whose edges are dropped.
template <semantic_ir_argument IR, domain_of_ir<IR> D>
constexpr sccp_error verify_sccp_plan(const IR& ir, const sccp_result<D>& found,
                                      const sccp_plan<domain_constant<D>>& plan) {
  const sccp_error error = detail::error_of_plan(ir, found, plan);
  return error || plan.uses.empty()
             ? error
             : sccp_error{sccp_fault::fact, no_node, plan.uses.front().user, plan.uses.front().edge};
}

/// For a result of `sccp_with_branch_facts`: a use that branches decide reads the constant that its copy has as a fact.
/// If not, the fault is `fact`, with the user and the edge of a phi's input. Trusts what
/// `verify_sccp_with_branch_facts` trusts, and that `found` holds.
template <semantic_ir_argument IR, domain_of_ir<IR> D>
  requires has_assume<D>
sccp_error verify_sccp_plan_with_branch_facts(const IR& ir, const sccp_result<D>& found,
                                              const sccp_plan<domain_constant<D>>& plan) {
  const sccp_error error = detail::error_of_plan(ir, found, plan);
  return error ? error : detail::decided_use_checker<IR, D>(ir, found).run(plan);
}

MIDEND_END_NAMESPACE
