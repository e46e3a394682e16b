/// Available expressions: the expressions that every path has already computed.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/expression_problem.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/dataflow/gen_kill.hpp"
#include "midend/ir/expressions.hpp"

MIDEND_BEGIN_NAMESPACE

/// Memory of `available_expressions`, reusable for program after program.
template <fact_rows Rows = bit_matrix> class available_expressions_workspace {
  friend detail::expression_solver;

  gen_kill_workspace<Rows> gen_kill_;
  detail::operand_index index_;
};

/// The expressions that are available at the start and at the end of each node: those that every path from the
/// entry to there computes, with no write and no possible write to an operand after the last computation. The facts of
/// the result are expressions.
///
/// Cocke, "Global common subexpression elimination", SIGPLAN Notices 5(7), 1970, for the equations; see `gen_kill` for
/// how they are solved.
///
/// Nothing is available at the start of the entry, even if loops lead there. Everything is available in unreachable
/// nodes, since no path leads there, and they do not affect other nodes. Duplicate edges change nothing. Time as for
/// `gen_kill`, plus the operands of all expressions.
template <expression_ir_argument IR, fact_rows Rows>
constexpr void available_expressions(const IR& ir, available_expressions_workspace<Rows>& workspace,
                                     flow_facts<Rows>& out) {
  using problem = detail::expression_problem<flow_direction::forward, IR>;
  detail::expression_solver::run(
      ir, [&](const detail::operand_index& index) { return problem{ir, index}; }, workspace, out);
}

/// The result as a value.
template <fact_rows Rows = bit_matrix, expression_ir_argument IR>
constexpr flow_facts<Rows> available_expressions(const IR& ir) {
  flow_facts<Rows> out;
  available_expressions_workspace<Rows> workspace;
  available_expressions(ir, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
