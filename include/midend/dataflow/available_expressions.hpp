/// Available expressions: which values have been computed already, whatever way control came.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/expression_problem.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/dataflow/gen_kill.hpp"
#include "midend/ir/expressions.hpp"

MIDEND_BEGIN_NAMESPACE

/// The expressions that are available at the start and at the end of each node: those that are computed on every path
/// from the entry to there, with no write to an operand, certain or not, since they were computed last. The facts of
/// the result are expressions.
///
/// Cocke, "Global common subexpression elimination", SIGPLAN Notices 5(7), 1970, for the equations; see `gen_kill` for
/// how they are solved.
///
/// At the entry nothing is available, loops that lead there or not. No path leads to a node that the entry does not
/// reach: everything is available there, and what it does counts for nothing elsewhere. Duplicate edges change nothing.
/// Time as for `gen_kill`, and the operands of all expressions.
template <expression_ir IR, fact_rows Rows>
constexpr void available_expressions(const IR& ir, expressions_workspace<Rows>& workspace, flow_facts<Rows>& out) {
  workspace.index_.assign(ir);
  const detail::expression_problem<flow_direction::forward, IR> problem{ir, workspace.index_};
  gen_kill(ir.graph(), problem, workspace.gen_kill_, out);
}

template <fact_rows Rows = bit_matrix, expression_ir IR>
constexpr flow_facts<Rows> available_expressions(const IR& ir) {
  flow_facts<Rows> out;
  expressions_workspace<Rows> workspace;
  available_expressions(ir, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
