/// The expressions that the operations of a procedure compute, numbered.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/expression_numbering.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Numbers expressions: operations with equal opcode, types, flags, guard and operands get one number. Operands of
/// commutative operations are sorted.
class statement_expressions {
public:
  /// `counts(v)` says whether an operand may be part of an expression.
  template <class Counts> statement_expressions(const procedure& p, Counts counts) {
    expression_.assign(p.num_values(), no_expression);
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const value_id v : p.values(n)) {
        if (is_expression(p.core(v)) && all_count(p.operands(v), counts)) {
          expression_[v] = numbers_.number(key_of(p.core(v)), sorted_operands(p, v));
        }
      }
    }
  }

  std::size_t size() const { return numbers_.num_expressions(); }

  /// The expression of an operation.
  expression_id operator[](value_id v) const { return v < expression_.size() ? expression_[v] : no_expression; }

  /// Values: variables, literals and so on.
  span<const value_id> operands(expression_id e) const { return numbers_.operands(e); }

private:
  /// Excludes copies, which are cheaper to repeat than to find, and operations whose result depends on more than
  /// operands.
  static bool is_expression(const value_core& record) {
    const opcode_form form = info_of(record.code).form;
    return record.code != opcode::mov && form != opcode_form::memory && form != opcode_form::call &&
           form != opcode_form::phi && form != opcode_form::terminator;
  }

  template <class Counts> static bool all_count(span<const value_id> operands, Counts counts) {
    for (const value_id operand : operands) {
      if (!counts(operand)) {
        return false;
      }
    }
    return true;
  }

  /// A key for everything but the operands that distinguishes operations.
  static std::uint32_t key_of(const value_core& record) {
    static_assert(opcode_table.size() <= 256 && type_names.size() <= 16);
    std::uint32_t key = static_cast<std::uint32_t>(record.code);
    key = key << 4 | static_cast<std::uint32_t>(record.type);
    key = key << 4 | static_cast<std::uint32_t>(record.operand_type);
    for (const bool flag : {record.flags.nsw, record.flags.assoc, record.flags.spec, record.guarded,
                            record.guard_negated, record.has_otherwise}) {
      key = key << 1 | static_cast<std::uint32_t>(flag);
    }
    return key;
  }

  span<const value_id> sorted_operands(const procedure& p, value_id v) {
    operands_.assign(p.operands(v));
    if (is_commutative(info_of(p.core(v).code).meaning) && operands_[0] > operands_[1]) {
      std::swap(operands_[0], operands_[1]);
    }
    return operands_;
  }

  expression_numbering numbers_;
  flat_array<expression_id> expression_; ///< by value
  flat_array<value_id> operands_;        ///< of one operation
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
