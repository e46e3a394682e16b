/// `to_text` for machine models, as machine files, and for errors in machine files.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/machine_file.hpp"

#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

/// A message without position and full stop.
constexpr std::string_view to_text(machine_file_fault f) {
  switch (f) {
  case machine_file_fault::unknown_key:
    return "unknown keyword or machine field";
  case machine_file_fault::unknown_class:
    return "unknown operation class";
  case machine_file_fault::unknown_field:
    return "unknown field of an operation class";
  case machine_file_fault::unknown_channel:
    return "unknown channel: 'channels' does not list it";
  case machine_file_fault::unknown_resource:
    return "unknown resource: it must be defined above";
  case machine_file_fault::unknown_source:
    return "expected a source defined above, or 'assumed', 'low', 'medium' or 'high'";
  case machine_file_fault::unknown_dependence:
    return "expected 'value', 'guard', 'memory' or 'order'";
  case machine_file_fault::missing_value:
    return "unexpected end of line";
  case machine_file_fault::expected_symbol:
    return "expected '=' or '->'";
  case machine_file_fault::bad_number:
    return "expected a decimal number below 4294967296";
  case machine_file_fault::text_after_value:
    return "unexpected text after the value; a comment begins with '#'";
  case machine_file_fault::text_too_long:
    return "text too long";
  case machine_file_fault::control_character:
    return "a control character, a mark of the direction of writing, or no UTF-8";
  case machine_file_fault::too_many:
    return "too many definitions of this kind";
  case machine_file_fault::defined_twice:
    return "already defined above";
  case machine_file_fault::missing_confidence:
    return "sources need a confidence: 'low', 'medium' or 'high'";
  default:
    return "this name is reserved for a confidence";
  }
}

/// `FILE:LINE:COLUMN: error: …`
MIDEND_FUNCTION std::string to_text(const machine_file_error& e, std::string_view file);

/// The text of a machine file.
MIDEND_FUNCTION std::string to_text(const machine_model& m);

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_BEGIN_NAMESPACE

MIDEND_FUNCTION std::string to_text(const machine_file_error& e, std::string_view file) {
  std::string text(file);
  text += ':' + std::to_string(e.line) + ':' + std::to_string(e.column) + ": error: ";
  return text += to_text(e.fault);
}

MIDEND_FUNCTION std::string to_text(const machine_model& m) {
  flat_array<char> text;
  write_machine(m, text);
  return std::string(text.begin(), text.end());
}

MIDEND_END_NAMESPACE

#endif
