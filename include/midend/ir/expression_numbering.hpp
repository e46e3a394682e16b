/// `expression_numbering`: assigns equal numbers to equal expressions, for IRs without expression numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Numbers expressions from 0 in the order in which they are first seen. An expression consists of 32-bit numbers: the
/// operation (an opcode, combined with width or flags if these distinguish computations), and the operands in order. To
/// identify `b + a` with `a + b`, sort the operands of commutative operations first.
///
///     midend::expression_numbering numbers;
///     const midend::expression_id e = numbers.number(opcode, operands);      // statement by statement
///
/// Equal calls in equal order give equal numbers, on every platform. O(k) expected time for k operands. Memory: about
/// 30 bytes for each distinct prefix of an expression.
class expression_numbering {
public:
  /// The number of an expression with this operation and these operands. A new expression gets the next number.
  expression_id number(std::uint32_t operation, span<const variable_id> operands) {
    std::uint32_t at = step(start, operation);
    for (const variable_id operand : operands) {
      at = step(at, operand);
    }
    if (expression_at_[at] == no_expression) {
      expression_at_[at] = static_cast<expression_id>(num_expressions());
      operations_.push_back(operation);
      for (const variable_id operand : operands) {
        operands_.push_back(operand);
      }
      operand_end_.push_back(operands_.size());
    }
    return expression_at_[at];
  }

  std::size_t num_expressions() const { return operations_.size(); }

  std::uint32_t operation(expression_id e) const { return operations_[e]; }

  /// The operands, as they were given.
  span<const variable_id> operands(expression_id e) const {
    MIDEND_ASSERT(e < num_expressions(), "the number of an expression", e, num_expressions());
    const std::size_t first = e == 0 ? 0 : operand_end_[e - 1];
    return {operands_.data() + first, operands_.data() + operand_end_[e]};
  }

private:
  static constexpr std::uint32_t start = 0xffff'ffff;

  /// Prefixes of expressions have numbers, so that looking up an expression of any length is a walk through one map.
  std::uint32_t step(std::uint32_t beginning, std::uint32_t next) {
    const auto fresh = static_cast<std::uint32_t>(expression_at_.size());
    const std::uint32_t longer = longer_.find_or_insert(std::uint64_t{beginning} << 32 | next, fresh);
    if (longer == fresh) {
      expression_at_.push_back(no_expression);
    }
    return longer;
  }

  detail::hash_map<std::uint64_t> longer_;
  flat_array<expression_id> expression_at_; ///< by prefix: the expression that ends there
  flat_array<std::uint32_t> operations_;
  flat_array<std::size_t> operand_end_;
  flat_array<variable_id> operands_;
};

MIDEND_END_NAMESPACE
