/// `check_ir`: finds the place where a user's view of an IR is wrong.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/check_graph.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/expressions.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ir/statements.hpp"
#include "midend/ssa/detail/check_cases.hpp"
#include "midend/ssa/detail/check_effects_and_costs.hpp"
#include "midend/ssa/detail/check_operations.hpp"
#include "midend/ssa/detail/check_phis.hpp"
#include "midend/ssa/detail/check_places.hpp"
#include "midend/ssa/detail/check_statements.hpp"
#include "midend/ssa/detail/check_uses.hpp"
#include "midend/ssa/detail/check_values.hpp"
#include "midend/ssa/detail/checked_ir.hpp"
#include "midend/support/optional.hpp"

#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The members without which values have no meaning.
template <class IR>
concept has_semantics =
    has_constant_type<IR> && (has_edge_cases<IR> || requires(const IR& ir, edge_id e) { ir.edge_case(e); });

template <class IR> constexpr optional<ir_error> check_the_graph(const IR& ir, checked_ir& known) {
  if (const optional<graph_error> error = check_graph(ir.graph())) {
    return ir_error{.why = ir_reason::wrong_graph, .node = error->node, .graph = *error};
  }
  known.nodes = node_count(ir.graph());
  return std::nullopt;
}

/// Stores the result of `check(ir)` if the IR models the rung and no check before has found an error. An IR that does
/// not model the rung lacks members that the check calls, so the check is not even compiled for it.
template <bool models_rung, class IR, class Check>
constexpr void check_rung(optional<ir_error>& error, const IR& ir, const Check& check) {
  if constexpr (models_rung) {
    if (!error) {
      error = check(ir);
    }
  }
}

/// All checks in their order, each with its rung. Checks that numbers are in range come before checks of what the
/// numbers mean. So a check asks the IR only about things that exist, and `known` holds what the checks before it
/// found.
template <class IR> constexpr optional<ir_error> first_error(const IR& ir) {
  checked_ir known;
  optional<ir_error> error;

  check_rung<has_graph<IR>>(error, ir, [&](auto& view) { return check_the_graph(view, known); });

  check_rung<ssa_values<IR>>(error, ir, [&](auto& view) { return check_operands(view, known); });
  check_rung<ssa_ir<IR>>(error, ir, [&](auto& view) { return check_places(view, known); });
  check_rung<ssa_ir<IR> && has_parameters<IR>>(error, ir, [&](auto& view) { return check_parameters(view, known); });
  check_rung<ssa_ir<IR>>(error, ir, [&](auto& view) { return check_unplaced_operands(view, known); });
  check_rung<ssa_values<IR> && has_users<IR>>(error, ir, [&](auto& view) { return check_users(view, known); });
  check_rung<ssa_ir<IR>>(error, ir, [&](auto& view) { return check_phis(view, known); });
  check_rung<ssa_ir<IR>>(error, ir, [&](auto& view) { return check_uses(view, known); });
  check_rung<ssa_ir<IR>>(error, ir, [&](auto& view) { return check_conditions(view, known); });

  check_rung<semantic_ir<IR>>(error, ir, [&](auto& view) { return check_operations(view, known); });
  check_rung<semantic_ir<IR>>(error, ir, [&](auto& view) { return check_widths_of_phis(view, known); });
  check_rung<semantic_ir<IR>>(error, ir, [&](auto& view) { return check_edge_cases(view, known); });

  check_rung<effect_ir<IR>>(error, ir, [&](auto& view) { return check_effects(view, known); });
  check_rung<cost_ir<IR>>(error, ir, [&](auto& view) { return check_costs(view, known); });
  check_rung<ssa_ir<IR> && has_probability<IR>>(error, ir,
                                                [&](auto& view) { return check_probabilities(view, known); });

  check_rung<has_statements_in_nodes<IR>>(error, ir, [&](auto& view) { return check_statements(view, known); });
  check_rung<expression_ir<IR>>(error, ir, [&](auto& view) { return check_expressions(view); });
  return error;
}

} // namespace detail

/// Checks that a view keeps the contract of each rung that it models: statements, expressions, values, SSA, semantics,
/// effects and cost, after its graph (`check_graph`). `ir_error::reason` lists all checks. Values that a node lists are
/// computed there and nowhere else, phis before all others; definitions dominate their uses; phis have an input for
/// each edge; `users` agree with `operands`; conditions have cases that tell their values apart; widths, numbers and
/// enumerators are in range.
///
/// A phi lists each of its inputs at least once and at most once for each edge along which it arrives. So it may have
/// an operand for each edge, for each predecessor, or for each different input.
///
/// Requires nothing: checks a number before it asks the view about it. Asks the members of a rung only where the rung
/// defines them: `phi_input(v, e)` for phis and edges into their node, `edge_case(e)` where there is a condition,
/// members of the effects and cost rungs for values in nodes that are not phis, `memory(v)` if `v` reads or writes.
/// Checks unreachable nodes, too, but counts every value as computed there.
///
/// Returns the first error with its place, or nothing; in the order in which `reason` groups them. Call it in tests of
/// a view, and on data that you do not trust. O(n + m + u) time for u operands, expected if cases are numbers, and k
/// log k for k cases in `edge_cases`; a branch with k cases of another type takes O(k²). 24 bytes a value, 50 a node,
/// 25 an edge, 4 an operand if there are users.
template <class IR> [[nodiscard]] constexpr optional<ir_error> check_ir(const IR& ir) {
  static_assert(has_num_values<IR> || has_num_statements<IR>,
                "midend: check_ir needs values (ir/ssa_values.hpp) or statements (ir/statements.hpp)");
  // A view with one member of a rung is meant to have all, and its optional members are meant to be called.
  if constexpr (has_cost<IR>) {
    static_assert(cost_ir_argument<IR>);
  } else if constexpr (detail::has_semantics<IR>) {
    static_assert(semantic_ir_argument<IR>);
  } else if constexpr (has_values<IR>) {
    static_assert(ssa_ir_argument<IR>);
  } else if constexpr (has_num_values<IR>) {
    static_assert(ssa_values_argument<IR>);
  }
  if constexpr (has_expression<IR>) {
    static_assert(expression_ir_argument<IR>);
  } else if constexpr (has_definitions<IR>) {
    static_assert(statement_ir_argument<IR>);
  } else if constexpr (!has_num_values<IR>) {
    static_assert(has_statements_in_nodes<IR>, "midend: statements need graph(), num_statements() and statements(n)");
  }
  if constexpr (has_may_trap<IR>) {
    static_assert(effect_ir_argument<IR>);
  }
  return detail::first_error(ir);
}

MIDEND_END_NAMESPACE
