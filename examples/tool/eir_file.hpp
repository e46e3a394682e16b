/// Files of the Elbrus-like IR, read and written by the commands.
#pragma once

#include <midend/elbrus/diagnostic.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/program.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {

/// The contents of a file, unpacked if it is packed; `-` is standard input. Returns an error message, if any.
std::optional<std::string> read_text(const std::string& file, std::string& text);

/// Writes a file, packed if its name ends with `.gz`; `-` is standard output. Returns an error message, if any.
std::optional<std::string> write_text(const std::string& file, std::string_view text);

/// Prints errors to standard error, `FILE:LINE:COLUMN: error: MESSAGE`; each with its line if the text of the file is
/// given.
void complain_about(const std::string& file, const std::vector<midend::elbrus::diagnostic>& errors,
                    std::string_view text = {});

/// The same messages one by one; `kind` is `error` or `warning`.
std::vector<std::string> messages_of(const std::string& file, const char* kind,
                                     const std::vector<midend::elbrus::diagnostic>& all);

/// Prints warnings: variables that may be read before they are written.
void warn_about(const std::string& file, const midend::elbrus::program& all);

/// What is wrong with a procedure as the analyses see it, if anything is: `check_ir` of its views.
std::optional<std::string> check_views(const midend::elbrus::procedure& p);

/// Every loop of the program may be assumed to end, if it has no effects: all procedures become `mustprogress`.
void assume_loops_end(midend::elbrus::program& all);

/// Reads, parses, verifies and checks the views. On failure, prints all errors of the file and returns nothing.
std::optional<midend::elbrus::program> read_program(const std::string& file);

/// The same of the text of a file.
std::optional<midend::elbrus::program> parse_program(const std::string& file, std::string_view text);

} // namespace midend_tool
