/// `fold`: the result of an operation of the Elbrus-like IR whose operands are known.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/extended.hpp"
#include "midend/elbrus/float_operations.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// The meaning of an operation that runs, in the vocabulary of the library.
inline operation_info meaning_if_it_runs(const value_core& record) {
  const auto width = static_cast<std::uint8_t>(literal_width_of(record.type));
  const auto operand_width = static_cast<std::uint8_t>(literal_width_of(record.operand_type));
  return {.code = info_of(record.code).meaning,
          .width = width,
          .operand_width = operand_width == 0 ? width : operand_width,
          .flags = {.no_signed_wrap = record.flags.nsw}};
}

/// The result of an operation that runs, from its arguments.
inline std::optional<std::uint64_t> fold_arguments(const value_core& record, span<const std::uint64_t> args) {
  if (info_of(record.code).meaning != operation::other) {
    const evaluation result = evaluate(meaning_if_it_runs(record), args);
    return result ? std::optional(result.bits) : std::nullopt;
  }
  const opcode_form form = info_of(record.code).form;
  const bool is_extended = record.type == type::f80 || record.operand_type == type::f80;
  if (is_extended &&
      (form == opcode_form::conversion || form == opcode_form::comparison || form == opcode_form::floating)) {
    return fold_extended(record.code, record.operand_type, record.type, args[0], args.size() < 2 ? 0 : args[1]);
  }
  if (form == opcode_form::conversion) {
    return convert_number(record.code, record.operand_type, record.type, args[0]);
  }
  const bool compares = is_float_comparison(record.code);
  if (compares || form == opcode_form::floating) {
    return evaluate_float(record.code, compares ? record.operand_type : record.type, args[0],
                          args.size() < 2 ? 0 : args[1], args.size() < 3 ? 0 : args[2]);
  }
  return std::nullopt;
}

} // namespace detail

/// The meaning of a value in the vocabulary of the library; `other`, with the width of the value, if it is not an
/// operation, is guarded, or writes a variable.
inline operation_info meaning_of(const procedure& p, value_id v) {
  const value_core& record = p.core(v);
  if (record.kind != value_kind::operation || record.guarded || record.variable != no_value ||
      info_of(record.code).meaning == operation::other) {
    const auto width = static_cast<std::uint8_t>(record.type == type::none ? 64 : literal_width_of(record.type));
    return {operation::other, width, width};
  }
  return detail::meaning_if_it_runs(record);
}

/// The result of an operation for constants in place of `p.operands(v)`, guard and otherwise included, with zeros above
/// their widths. Nothing for loads, calls, phis and operations without a result, and where a run would trap or a
/// speculative operation would give a diagnostic value.
inline std::optional<std::uint64_t> fold(const procedure& p, value_id v, span<const std::uint64_t> args) {
  const value_core& record = p.core(v);
  MIDEND_ASSERT(args.size() == p.operands(v).size(), "a constant for each operand", v, args.size());
  if (record.kind != value_kind::operation) {
    return std::nullopt;
  }
  const std::size_t arguments = p.arguments(v).size();
  if (record.guarded && (args[arguments] != 0) == record.guard_negated) {
    return record.has_otherwise ? std::optional(args.back()) : std::nullopt;
  }
  return detail::fold_arguments(record, args.first(arguments));
}

} // namespace elbrus

MIDEND_END_NAMESPACE
