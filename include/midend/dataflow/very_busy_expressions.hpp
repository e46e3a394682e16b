/// Very busy ("anticipated") expressions: which values will be computed, whatever way control goes.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/expression_problem.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/dataflow/gen_kill.hpp"
#include "midend/dominance/post_dominance_roots.hpp"
#include "midend/ir/expressions.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class IR, class Policy> struct very_busy_problem : expression_problem<flow_direction::backward, IR> {
  Policy policy;

  constexpr very_busy_problem(const IR& ir, const operand_index& index, Policy p)
      : expression_problem<flow_direction::backward, IR>{ir, index}, policy(p) {}

  constexpr Policy roots() const { return policy; }
};

} // namespace detail

/// The expressions that are very busy at the start and at the end of each node: those that every path from there to the
/// end computes before it writes to an operand, certainly or perhaps. The facts of the result are expressions.
///
/// Hecht, "Flow analysis of computer programs", 1977, for the equations; see `gen_kill` for how they are solved.
///
/// Where paths end is for `policy` to say, as for post-dominators. By default they end at the exits and in each endless
/// region at one node, so that an expression is very busy before a loop that is never left if each round computes it,
/// and not if none does. With `exits_only` every expression is very busy where no exit is reached, unless something
/// writes to an operand first: no path to an exit says otherwise. Such an answer must not be used to move what may
/// trap.
///
/// Every node is analysed, unreachable ones too. Duplicate edges change nothing. Time as for `gen_kill`, and the
/// operands of all expressions.
template <expression_ir IR, post_dominance_policy Policy, fact_rows Rows>
constexpr void very_busy_expressions(const IR& ir, Policy policy, expressions_workspace<Rows>& workspace,
                                     flow_facts<Rows>& out) {
  workspace.index_.assign(ir);
  const detail::very_busy_problem<IR, Policy> problem(ir, workspace.index_, policy);
  gen_kill(ir.graph(), problem, workspace.gen_kill_, out);
}

template <fact_rows Rows = bit_matrix, expression_ir IR,
          post_dominance_policy Policy = virtual_edge_per_endless_region_t>
constexpr flow_facts<Rows> very_busy_expressions(const IR& ir, Policy policy = {}) {
  flow_facts<Rows> out;
  expressions_workspace<Rows> workspace;
  very_busy_expressions(ir, policy, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
