/// `to_text` for machine models, as machine files, and for errors in machine files.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/machine_file.hpp"
#include "midend/viz/words.hpp"

#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

/// A message without position and full stop.
template <>
inline constexpr auto words_of<machine_file_fault> = word_table<machine_file_fault>({
    {machine_file_fault::unknown_key, "unknown keyword or machine field"},
    {machine_file_fault::unknown_class, "unknown operation class"},
    {machine_file_fault::unknown_field, "unknown field of an operation class"},
    {machine_file_fault::unknown_channel, "unknown channel: 'channels' does not list it"},
    {machine_file_fault::unknown_resource, "unknown resource: it must be defined above"},
    {machine_file_fault::unknown_source, "expected a source defined above, or 'assumed', 'low', 'medium' or 'high'"},
    {machine_file_fault::unknown_dependence, "expected 'value', 'guard', 'memory' or 'order'"},
    {machine_file_fault::missing_value, "unexpected end of line"},
    {machine_file_fault::expected_symbol, "expected '=' or '->'"},
    {machine_file_fault::bad_number, "expected a decimal number below 4294967296"},
    {machine_file_fault::text_after_value, "unexpected text after the value; a comment begins with '#'"},
    {machine_file_fault::text_too_long, "text too long"},
    {machine_file_fault::control_character, "a control character, a mark of the direction of writing, or no UTF-8"},
    {machine_file_fault::too_many, "too many definitions of this kind"},
    {machine_file_fault::defined_twice, "already defined above"},
    {machine_file_fault::missing_confidence, "sources need a confidence: 'low', 'medium' or 'high'"},
    {machine_file_fault::reserved_name, "this name is reserved for a confidence"},
});

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
