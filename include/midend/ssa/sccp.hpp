/// `sccp`: sparse conditional constant propagation, over any domain and any IR in SSA form.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/flat_domain.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_facts.hpp"
#include "midend/ssa/detail/sccp_solver.hpp"
#include "midend/ssa/sccp_options.hpp"
#include "midend/ssa/sccp_result.hpp"

#include <concepts>
#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// The literals of an IR are what a domain knows.
template <class D, class IR>
concept domain_of_ir = value_domain<D> && std::same_as<domain_constant<D>, constant_of<IR>>;

/// Memory for programs that are analysed one after the other.
template <value_domain D> class sccp_workspace {
public:
  /// For the algorithm; not part of the interface.
  detail::sccp_memory<D> memory_;
};

namespace detail {

/// Not for constant expressions, and a function of its own so that the others are.
template <class IR, class D>
void sccp_with_branch_facts(const IR& ir, const D& domain, const sccp_options& options, sccp_memory<D>& memory,
                            sccp_columns<D>& out) {
  const branch_facts_view<IR> view(ir);
  sccp_solver<branch_facts_view<IR>, D>(view, domain, options, memory, out)
      .run(static_cast<std::size_t>(ir.num_values()));
}

} // namespace detail

/// What is known of the values of `ir` if what is never executed is left out, refilling `out`. Allocates nothing once
/// workspace and result have seen a program as large, branch facts apart.
///
/// Wegman, Zadeck, "Constant propagation with conditional branches", TOPLAS 13(2), 1991. Optimistic: starts from
/// "nothing is executed", follows an edge when the condition at its source may have its case, and evaluates values when
/// an operand or an edge into their phi has changed, so that `x = 1; do { if (x != 1) x = 2; } while (…)` leaves x
/// constant, which no sequence of constant propagation and removal of dead code does. Departures: joins upward, from
/// bottom; any domain in place of constants, with widening where values come around loops; items wait in reverse
/// postorder in place of two lists; an operation is visited once for all operands that have changed before its turn.
///
/// What stands in no node (literals apart) is top. `undef` is as `sccp_options` says. Unreachable nodes are not
/// executable, nor are their edges. Parallel edges are edges each, of which a constant decides for one. A branch whose
/// condition has no value (it always traps) takes no edge. Requires the domain to be monotone; `checked` tests that.
///
/// Without widening the result is the least solution and independent of any order. O(h (m + u)) for m edges, u operands
/// and a domain of height h, of which `widen_after` and the thresholds are the bound if it widens; phis of many inputs
/// included. Of workspace 20 bytes a value, 32 a node and 20 an operand, and a fact for each value if something was
/// widened. With `branch_facts` a copy of the operand lists comes on top, and is made anew each time.
template <semantic_ir IR, domain_of_ir<IR> D>
constexpr void sccp(const IR& ir, const D& domain, const sccp_options& options, sccp_workspace<D>& workspace,
                    sccp_result<D>& out) {
  const auto count = static_cast<std::size_t>(ir.num_values());
  detail::sccp_columns<D>& columns = detail::sccp_access::columns(out);
  if constexpr (has_assume<D>) {
    if (options.branch_facts) {
      detail::sccp_with_branch_facts(ir, domain, options, workspace.memory_, columns);
      return;
    }
  }
  detail::sccp_solver<IR, D>(ir, domain, options, workspace.memory_, columns).run(count);
}

/// What is known of the values of `ir` by `domain`.
template <semantic_ir IR, domain_of_ir<IR> D>
constexpr sccp_result<D> sccp(const IR& ir, const D& domain, const sccp_options& options = {}) {
  sccp_result<D> out;
  sccp_workspace<D> workspace;
  sccp(ir, domain, options, workspace, out);
  return out;
}

/// The constants of `ir`.
template <semantic_ir IR> constexpr sccp_result<flat_domain<constant_of<IR>>> sccp(const IR& ir) {
  return sccp(ir, flat_domain<constant_of<IR>>());
}

MIDEND_END_NAMESPACE
