/// Very busy ("anticipated") expressions: the expressions that every path will compute.
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

  constexpr very_busy_problem(const IR& program, const operand_index& operands, Policy p)
      : expression_problem<flow_direction::backward, IR>{program, operands}, policy(p) {}

  constexpr Policy roots() const { return policy; }
};

} // namespace detail

/// Memory of `very_busy_expressions`, reusable for program after program.
template <fact_rows Rows = bit_matrix> class very_busy_expressions_workspace {
  friend detail::expression_solver;

  gen_kill_workspace<Rows> gen_kill_;
  detail::operand_index index_;
};

/// The expressions that are very busy at the start and at the end of each node: those that every path from there to the
/// end computes before it writes or may write an operand. The facts of the result are expressions.
///
/// Hecht, "Flow analysis of computer programs", 1977, for the equations; see `gen_kill` for how they are solved.
///
/// `policy` says where paths end, as for post-dominators. By default they end at the exits and at one node of each
/// endless region, so an expression is very busy before an endless loop if every iteration computes it, and not if none
/// does. With `exits_only`, every expression is very busy where no exit is reachable, until a write to an operand,
/// because no path to an exit contradicts it. Do not use that result to move operations that may trap.
///
/// All nodes are analysed, unreachable ones too. Duplicate edges change nothing. Time as for `gen_kill`, plus the
/// operands of all expressions.
template <expression_ir_argument IR, post_dominance_policy_argument Policy, fact_rows Rows>
constexpr void very_busy_expressions(const IR& ir, Policy policy, very_busy_expressions_workspace<Rows>& workspace,
                                     flow_facts<Rows>& out) {
  using problem = detail::very_busy_problem<IR, Policy>;
  detail::expression_solver::run(
      ir, [&](const detail::operand_index& index) { return problem(ir, index, policy); }, workspace, out);
}

/// The result as a value.
template <fact_rows Rows = bit_matrix, expression_ir_argument IR,
          post_dominance_policy_argument Policy = virtual_edge_per_endless_region_t>
constexpr flow_facts<Rows> very_busy_expressions(const IR& ir, Policy policy = {}) {
  flow_facts<Rows> out;
  very_busy_expressions_workspace<Rows> workspace;
  very_busy_expressions(ir, policy, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
