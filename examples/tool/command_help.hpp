/// What the tool says about its command line: help, the manual page, completion of shells. All three are made from the
/// same descriptions, so that none lacks an option.
#pragma once

#include "commands.hpp"

#include <span>
#include <string>
#include <string_view>

namespace midend_tool {

/// `midend --help`.
std::string help_text(const CLI::App& tool, std::span<const command> commands);

/// `midend COMMAND --help`.
std::string help_text(const command& c);

/// The manual page, for man(1).
std::string manual_page(const CLI::App& tool, std::span<const command> commands, std::string_view version);

/// Appends a term, and its explanation in lines beside it, or below it if the term is long.
void append_help_row(std::string& out, std::string_view term, std::string_view words);

/// The shells that `completion_script` knows.
const std::vector<std::string>& completion_shells();

/// What completes a command line of `midend` in a shell. Requires one of `completion_shells()`.
std::string completion_script(std::string_view shell, const CLI::App& tool, std::span<const command> commands);

/// The names of an option: `-o`, `--output`.
std::vector<std::string> names_of_option(const CLI::Option& option);

} // namespace midend_tool
