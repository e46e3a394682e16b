/// The checks of the SSA rung that need no paths: which node lists which value.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ssa/detail/checked_ir.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A value is in one node, once; phis are first there, and the entry has none.
template <class IR> constexpr optional<ir_error> check_places(const IR& ir, checked_ir& known) {
  known.node_of.assign(known.values, no_node);
  known.place_of.assign(known.values, 0);
  for (node_id n = 0; n != known.nodes; ++n) {
    std::uint32_t place = 0;
    bool phis_are_over = false;
    for (const auto& id : ir.values(n)) {
      const auto v = static_cast<value_id>(id);
      if (v >= known.values) {
        return ir_error{.why = ir_reason::value_out_of_range, .node = n, .position = place, .number = v};
      }
      const node_id home = known.node_of[v];
      if (home == n) {
        return ir_error{.why = ir_reason::value_twice_in_node,
                        .node = n,
                        .value = v,
                        .position = place,
                        .number = known.place_of[v]};
      }
      if (home != no_node) {
        return ir_error{.why = ir_reason::value_in_two_nodes, .node = n, .value = v, .position = place, .number = home};
      }
      if (!ir.is_phi(v)) {
        phis_are_over = true;
      } else if (phis_are_over) {
        return ir_error{.why = ir_reason::phi_after_other_value, .node = n, .value = v, .position = place};
      } else if (n == static_cast<node_id>(ir.graph().entry())) {
        return ir_error{.why = ir_reason::phi_in_entry, .node = n, .value = v, .position = place};
      }
      known.node_of[v] = n;
      known.place_of[v] = place++;
    }
  }
  return std::nullopt;
}

/// A parameter is a value that no node lists, and is listed once.
template <class IR> constexpr optional<ir_error> check_parameters(const IR& ir, const checked_ir& known) {
  flat_array<bool> listed(known.values, false);
  std::size_t position = 0;
  for (const auto& id : ir.parameters()) {
    const auto v = static_cast<value_id>(id);
    if (v >= known.values) {
      return ir_error{.why = ir_reason::parameter_out_of_range, .position = position, .number = v};
    }
    if (listed[v]) {
      return ir_error{.why = ir_reason::parameter_twice, .value = v, .position = position};
    }
    if (known.node_of[v] != no_node) {
      return ir_error{.why = ir_reason::parameter_in_node, .node = known.node_of[v], .value = v, .position = position};
    }
    listed[v] = true;
    ++position;
  }
  return std::nullopt;
}

/// Whether a value must be in a node to exist: a phi, or an operation of the vocabulary.
template <class IR> constexpr bool is_computed(const IR& ir, value_id v) {
  if constexpr (semantic_ir<IR>) {
    if (operation_info(ir.operation(v)).code != operation::other) {
      return true;
    }
  }
  return ir.is_phi(v);
}

/// An operation in a node reads values that are in nodes, or values that need no computation.
template <class IR> constexpr optional<ir_error> check_unplaced_operands(const IR& ir, const checked_ir& known) {
  for (value_id v = 0; v != known.values; ++v) {
    if (known.node_of[v] == no_node) {
      continue;
    }
    std::size_t position = 0;
    for (const auto& id : ir.operands(v)) {
      const auto operand = static_cast<value_id>(id);
      if (operand != no_value && known.node_of[operand] == no_node && is_computed(ir, operand)) {
        return ir_error{.why = ir_reason::operation_in_no_node,
                        .node = known.node_of[v],
                        .value = v,
                        .position = position,
                        .number = operand};
      }
      ++position;
    }
  }
  return std::nullopt;
}

} // namespace detail

MIDEND_END_NAMESPACE
