/// The checks of the statements and expressions rungs.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/expressions.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/statements.hpp"
#include "midend/ssa/detail/checked_ir.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Returns `error` with the position and number of the first variable that is out of range.
template <class Range>
constexpr optional<ir_error> check_variables(Range&& range, std::size_t variables, ir_error error) {
  for (const auto& id : range) {
    if (static_cast<variable_id>(id) >= variables) {
      error.number = static_cast<variable_id>(id);
      return error;
    }
    ++error.position;
  }
  return std::nullopt;
}

/// A statement is in one node, once. Fills the node of each in `node_of`; those in no node are not asked about later.
template <class IR>
constexpr optional<ir_error> check_places_of_statements(const IR& ir, node_id nodes, flat_array<node_id>& node_of) {
  const auto count = static_cast<std::size_t>(ir.num_statements());
  if (count > no_statement) {
    return ir_error{.why = ir_reason::too_many_statements, .number = count};
  }
  node_of.assign(count, no_node);
  flat_array<std::uint32_t> place_of(count, 0);
  for (node_id n = 0; n != nodes; ++n) {
    std::uint32_t place = 0;
    for (const auto& id : ir.statements(n)) {
      const auto s = static_cast<statement_id>(id);
      if (s >= count) {
        return ir_error{.why = ir_reason::statement_out_of_range, .node = n, .position = place, .number = s};
      }
      if (node_of[s] != no_node) {
        const bool same = node_of[s] == n;
        return ir_error{.why = same ? ir_reason::statement_twice_in_node : ir_reason::statement_in_two_nodes,
                        .node = n,
                        .statement = s,
                        .position = place,
                        .number = same ? place_of[s] : node_of[s]};
      }
      node_of[s] = n;
      place_of[s] = place++;
    }
  }
  return std::nullopt;
}

template <class IR>
MIDEND_ALWAYS_INLINED constexpr optional<ir_error> check_variables_of(const IR& ir, statement_id s,
                                                                      std::size_t variables) {
  if (const optional<ir_error> error =
          check_variables(ir.definitions(s), variables, {.why = ir_reason::definition_out_of_range, .statement = s})) {
    return error;
  }
  if (const optional<ir_error> error =
          check_variables(ir.uses(s), variables, {.why = ir_reason::use_out_of_range, .statement = s})) {
    return error;
  }
  if constexpr (has_may_definitions<IR>) {
    return check_variables(ir.may_definitions(s), variables,
                           {.why = ir_reason::may_definition_out_of_range, .statement = s});
  }
  return std::nullopt;
}

/// A statement computes an expression or none.
template <class IR>
constexpr optional<ir_error> check_expressions_of(const IR& ir, const flat_array<node_id>& node_of) {
  const auto expressions = static_cast<std::size_t>(ir.num_expressions());
  if (expressions > no_expression) {
    return ir_error{.why = ir_reason::too_many_expressions, .number = expressions};
  }
  for (statement_id s = 0; s != node_of.size(); ++s) {
    if (node_of[s] == no_node) {
      continue;
    }
    const auto e = static_cast<expression_id>(ir.expression(s));
    if (e != no_expression && e >= expressions) {
      return ir_error{.why = ir_reason::expression_out_of_range, .statement = s, .number = e};
    }
  }
  return std::nullopt;
}

/// Statements are in one node each, and name variables and expressions that exist.
template <class IR> constexpr optional<ir_error> check_statements(const IR& ir, const checked_ir& known) {
  flat_array<node_id> node_of; // by statement
  if (const optional<ir_error> error = check_places_of_statements(ir, known.nodes, node_of)) {
    return error;
  }
  if constexpr (statement_ir<IR>) {
    const auto variables = static_cast<std::size_t>(ir.num_variables());
    if (variables > no_variable) {
      return ir_error{.why = ir_reason::too_many_variables, .number = variables};
    }
    for (statement_id s = 0; s != node_of.size(); ++s) {
      if (node_of[s] == no_node) {
        continue;
      }
      if (const optional<ir_error> error = check_variables_of(ir, s, variables)) {
        return error;
      }
    }
    if constexpr (expression_ir<IR>) {
      return check_expressions_of(ir, node_of);
    }
  }
  return std::nullopt;
}

/// Expressions read variables that exist.
template <class IR> constexpr optional<ir_error> check_expressions(const IR& ir) {
  const auto count = static_cast<expression_id>(ir.num_expressions());
  const auto variables = static_cast<std::size_t>(ir.num_variables());
  for (expression_id e = 0; e != count; ++e) {
    if (const optional<ir_error> error =
            check_variables(ir.expression_operands(e), variables,
                            {.why = ir_reason::expression_operand_out_of_range, .expression = e})) {
      return error;
    }
  }
  return std::nullopt;
}

} // namespace detail

MIDEND_END_NAMESPACE
