/// Messages on standard error.
#pragma once

#include "exit_status.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace midend_tool {

/// A text in which nothing changes what a terminal shows around it: bytes of other characters than newlines that may
/// not be displayed are written as `\xHH`.
std::string printable(std::string_view text);

/// Prints a message and a newline on standard error. It may quote what the user has written. On a terminal the words
/// `error:` and `warning:` have colours, unless the environment has NO_COLOR.
void print_message(std::string_view message);

/// Prints the reason.
exit_status complain(exit_status status, std::string_view message);

/// The line of a text with a mark below the column, to stand after a message; lines and columns count from 1, columns
/// in bytes. Empty if the text has no such line, or nothing is in it.
std::string source_excerpt(std::string_view text, std::size_t line, std::size_t column);

} // namespace midend_tool
