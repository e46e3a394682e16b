/// What an order of a package computes, for tests of rules that are functions.
#pragma once

#include <midend/ir/evaluate.hpp>
#include <midend/package/package_order.hpp>
#include <midend/support/span.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace midend_tests {

/// The result for values of the program by number; nothing if an operation has none.
inline std::optional<std::uint64_t> evaluate_order(const midend::package_order& order,
                                                   midend::span<const std::uint64_t> values) {
  if (order.kind == midend::order_kind::constant) {
    return order.constant;
  }
  if (order.kind == midend::order_kind::existing) {
    return values[order.by];
  }
  std::uint64_t made[midend::package_order::max_operations] = {};
  for (std::size_t i = 0; i != order.num_operations; ++i) {
    const midend::ordered_operation& o = order.operations[i];
    std::uint64_t operands[3] = {};
    for (std::size_t k = 0; k != o.num_operands; ++k) {
      const midend::order_operand& x = o.operands[k];
      operands[k] = x.what == midend::order_operand::kind::value  ? values[x.index]
                    : x.what == midend::order_operand::kind::made ? made[x.index]
                                                                  : x.literal;
    }
    const midend::evaluation e = midend::evaluate(o.info, midend::span<const std::uint64_t>(operands, o.num_operands));
    if (!e) {
      return std::nullopt;
    }
    made[i] = e.bits;
  }
  return made[order.num_operations - 1];
}

} // namespace midend_tests
