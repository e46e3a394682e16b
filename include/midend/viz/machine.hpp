/// Words for errors in machine files, and machine files as strings.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/machine_file.hpp"

#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

/// A phrase without place and full stop.
constexpr std::string_view to_text(machine_file_fault f) {
  switch (f) {
  case machine_file_fault::unknown_key:
    return "no field of a machine has this name";
  case machine_file_fault::unknown_class:
    return "no class of operations has this name";
  case machine_file_fault::unknown_field:
    return "no field of a class has this name";
  case machine_file_fault::unknown_channel:
    return "the machine has no such channel";
  case machine_file_fault::unknown_resource:
    return "no such resource is defined above";
  case machine_file_fault::unknown_source:
    return "neither a source defined above nor 'assumed', 'low', 'medium' or 'high'";
  case machine_file_fault::unknown_dependence:
    return "a dependence is one of 'value', 'guard', 'memory', 'order'";
  case machine_file_fault::missing_value:
    return "the line ends too early";
  case machine_file_fault::expected_symbol:
    return "'=' or '->' is missing here";
  case machine_file_fault::bad_number:
    return "not a decimal number below 4294967296";
  case machine_file_fault::text_after_value:
    return "only a comment may follow the value";
  case machine_file_fault::text_too_long:
    return "this text is too long";
  case machine_file_fault::too_many:
    return "there is no room for another one";
  case machine_file_fault::defined_twice:
    return "this was defined above";
  case machine_file_fault::missing_confidence:
    return "how far the sources can be trusted is missing: 'low', 'medium' or 'high'";
  default:
    return "this name means a confidence";
  }
}

/// `FILE:LINE:COLUMN: error: …`
inline std::string to_text(const machine_file_error& e, std::string_view file) {
  std::string text(file);
  text += ':' + std::to_string(e.line) + ':' + std::to_string(e.column) + ": error: ";
  return text += to_text(e.fault);
}

/// The text of a machine file.
inline std::string to_text(const machine_model& m) {
  flat_array<char> text;
  write_machine(m, text);
  return std::string(text.begin(), text.end());
}

MIDEND_END_NAMESPACE
