/// `trap`: why a run came to no good end, and where.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

enum class trap_kind : std::uint8_t {
  division_by_zero,
  division_overflow, ///< the least number divided by -1, or its remainder
  shift_too_far,     ///< by the width or more
  broken_nsw,        ///< signed overflow against the promise
  bad_conversion,    ///< `ftoi` of NaN or of what does not fit
  bad_access,        ///< outside memory; `detail` is the address
  unwritten_variable,
  diagnostic_value, ///< used by an operation that is not speculative
  undefined_value,  ///< the same of `undef`
  unreachable,      ///< reached
  unknown_callee,   ///< neither in the program nor a host function
  bad_call,         ///< other arguments than the callee has, or a result that it does not give
  returned,         ///< from a call that does not come back
  host_stop,        ///< a host function ended the run
  step_limit,       ///< as many operations as allowed were executed
  call_depth,       ///< calls are nested deeper than allowed
};

/// The limits are those of a run, not of the program: without a limit the run would have gone on.
constexpr bool is_limit(trap_kind kind) {
  return kind == trap_kind::step_limit || kind == trap_kind::call_depth;
}

/// Where and why a run ended. The operation did not take place.
struct trap {
  trap_kind kind = trap_kind::unreachable;
  std::size_t procedure = 0; ///< number in the program
  node_id node = no_node;
  value_id value = no_value;   ///< the operation
  value_id operand = no_value; ///< that it must not use: of `unwritten_variable`, `diagnostic_value`, `undefined_value`
  std::uint64_t detail = 0;

  friend bool operator==(const trap&, const trap&) = default;
};

/// The kind in words.
constexpr std::string_view name_of(trap_kind kind) {
  constexpr std::array<std::string_view, 16> words = {
      "division by zero",
      "division of the least number by -1",
      "shift by the width or more",
      "signed overflow against nsw",
      "conversion of NaN or of a number out of range",
      "access outside memory",
      "read of a variable that was not written",
      "use of a diagnostic value",
      "use of an undefined value",
      "'unreachable' is reached",
      "unknown procedure",
      "call does not agree with the callee",
      "return from a call that is 'noreturn'",
      "a host function ended the run",
      "step limit",
      "calls are nested too deep",
  };
  return words[static_cast<std::size_t>(kind)];
}

namespace detail {

/// `%name`, `$name`, or `%#5` for a value without a name.
inline std::string text_of_value(const procedure& p, value_id v) {
  const value_record& record = p.value(v);
  std::string text(1, record.kind == value_kind::variable ? '$' : '%');
  if (p.value_name(v).empty()) {
    text += '#' + std::to_string(v);
  }
  return text.append(p.value_name(v));
}

/// What an operation is and where its result goes: `%x = div.i32`.
inline std::string text_of_operation(const procedure& p, value_id v) {
  const value_record& record = p.value(v);
  std::string text;
  if (record.variable != no_value) {
    text = text_of_value(p, record.variable) + " = ";
  } else if (record.type != type::none) {
    text = text_of_value(p, v) + " = ";
  }
  text += name_of(record.code);
  if (info_of(record.code).form == opcode_form::conversion || record.code == opcode::st ||
      record.code == opcode::switch_ || info_of(record.code).form == opcode_form::comparison) {
    text.append(".").append(name_of(record.operand_type));
  }
  if (record.type != type::none && info_of(record.code).form != opcode_form::comparison) {
    text.append(".").append(name_of(record.type));
  }
  if (record.code == opcode::call) {
    text.append(" @").append(p.text(p.call(v).callee));
  }
  return text;
}

inline std::string text_of_name(const procedure& p, node_id n) {
  const std::string_view name = p.node_name(n);
  return name.empty() ? "#" + std::to_string(n) : std::string(name);
}

inline std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

} // namespace detail

/// What happened: `division by zero`, `access outside memory: 0x8`, `use of a diagnostic value: %v`.
inline std::string reason_text(std::span<const procedure> procedures, const trap& t) {
  std::string text(name_of(t.kind));
  if (t.kind == trap_kind::bad_access) {
    text += ": " + detail::hexadecimal(t.detail);
  } else if (t.operand != no_value && t.kind != trap_kind::undefined_value) {
    text += ": " + detail::text_of_value(procedures[t.procedure], t.operand);
  } else if (t.kind == trap_kind::unknown_callee) {
    const procedure& p = procedures[t.procedure];
    text.append(" @").append(p.text(p.call(t.value).callee));
  }
  return text;
}

/// The place of the operation in the file, or 0:0.
inline source_location location_of(std::span<const procedure> procedures, const trap& t) {
  return t.value == no_value ? source_location{} : procedures[t.procedure].value(t.value).location;
}

/// The trap in words, with procedure, node and operation:
/// `division by zero in @f, node loop, operation '%x = div.i32'`. Takes the procedures that were run.
inline std::string text_without_location(std::span<const procedure> procedures, const trap& t) {
  const procedure& p = procedures[t.procedure];
  std::string text = reason_text(procedures, t) + " in @" + std::string(p.name());
  if (t.node != no_node) {
    text += ", node " + detail::text_of_name(p, t.node);
  }
  if (t.value != no_value) {
    text += ", operation '" + detail::text_of_operation(p, t.value) + "'";
  }
  return text;
}

/// The same with the place in the file behind it, if there is one: `… (7:5)`.
inline std::string to_text(std::span<const procedure> procedures, const trap& t) {
  const source_location at = location_of(procedures, t);
  const std::string text = text_without_location(procedures, t);
  return at.line == 0 ? text : text + " (" + std::to_string(at.line) + ":" + std::to_string(at.column) + ")";
}

} // namespace elbrus

MIDEND_END_NAMESPACE
