/// The checks of the SSA rung that need dominators: what an operation or a branch reads is computed before it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/checked_ir.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Definitions dominate their uses in operations. `check_phis` has checked those in phis.
template <class IR> constexpr optional<ir_error> check_uses(const IR& ir, const checked_ir& known) {
  for (value_id v = 0; v != known.values; ++v) {
    const node_id n = known.node_of[v];
    if (n == no_node || ir.is_phi(v)) {
      continue;
    }
    std::size_t position = 0;
    for (const auto& id : ir.operands(v)) {
      const auto operand = static_cast<value_id>(id);
      if (!known.is_available(operand, n, known.place_of[v])) {
        return ir_error{
            .why = ir_reason::use_not_dominated, .node = n, .value = v, .position = position, .number = operand};
      }
      ++position;
    }
  }
  return std::nullopt;
}

/// Definitions dominate the ends of the nodes that branch on them.
template <class IR> constexpr optional<ir_error> check_conditions(const IR& ir, const checked_ir& known) {
  for (node_id n = 0; n != known.nodes; ++n) {
    const auto condition = static_cast<value_id>(ir.condition(n));
    if (condition == no_value) {
      continue;
    }
    if (condition >= known.values) {
      return ir_error{.why = ir_reason::condition_out_of_range, .node = n, .number = condition};
    }
    if (!known.is_available(condition, n, checked_ir::at_end)) {
      return ir_error{.why = ir_reason::condition_not_available, .node = n, .value = condition};
    }
  }
  return std::nullopt;
}

} // namespace detail

MIDEND_END_NAMESPACE
