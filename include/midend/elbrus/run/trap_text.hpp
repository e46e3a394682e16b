/// Traps of the interpreter in words.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/run/trap.hpp"
#include "midend/elbrus/text/printer.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The place of the operation in the file, or 0:0.
inline source_location location_of(span<const procedure> procedures, const trap& t) {
  return t.value == no_value ? source_location{} : procedures[t.procedure].value_location(t.value);
}

/// The trap in words, with procedure, node and operation. Takes the procedures that were run. O(n).
///
///     division by zero in @f, node loop, operation '%x = div.i32 %a, %b'
MIDEND_FUNCTION std::string text_without_location(span<const procedure> procedures, const trap& t);

/// The trap in words, followed by the place in the file if there is one: `… (7:5)`.
MIDEND_FUNCTION std::string to_text(span<const procedure> procedures, const trap& t);

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

inline std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

/// A phi or a switch may be very long.
inline std::string shortened(std::string text) {
  constexpr std::size_t longest = 120;
  if (text.size() > longest) {
    text.resize(longest);
    text += " ...";
  }
  return text;
}

/// The reason: `division by zero`, `access outside memory: 0x8`, `use of a diagnostic value: %v`.
inline std::string reason(const procedure& p, procedure_text& words, const trap& t) {
  std::string text(name_of(t.kind));
  switch (t.kind) {
  case trap_kind::bad_access:
  case trap_kind::unwritten_memory:
    return text + ": " + hexadecimal(t.detail);
  case trap_kind::unwritten_variable:
  case trap_kind::diagnostic_value:
  case trap_kind::undefined_value:
    return text + ": " + words.value(t.operand);
  case trap_kind::classes_meet:
    text += ": " + hexadecimal(t.detail) + " of class ";
    text.append(p.alias_name(t.other_class)).append(" is accessed by class ");
    return text.append(p.alias_name(t.is_local ? p.access(t.value).local : p.access(t.value).alias));
  case trap_kind::unknown_callee:
    return text.append(" @").append(p.text(p.call(t.value).callee));
  default:
    return text;
  }
}

} // namespace detail

MIDEND_FUNCTION std::string text_without_location(span<const procedure> procedures, const trap& t) {
  const procedure& p = procedures[t.procedure];
  procedure_text words(p);
  std::string text = detail::reason(p, words, t).append(" in @").append(p.name());
  if (t.node != no_node) {
    text += ", node " + words.node(t.node);
  }
  if (t.value != no_value) {
    text += ", operation '" + detail::shortened(words.operation(t.value)) + "'";
  }
  return text;
}

MIDEND_FUNCTION std::string to_text(span<const procedure> procedures, const trap& t) {
  const source_location at = location_of(procedures, t);
  const std::string text = text_without_location(procedures, t);
  return at.line == 0 ? text : text + " (" + std::to_string(at.line) + ":" + std::to_string(at.column) + ")";
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
