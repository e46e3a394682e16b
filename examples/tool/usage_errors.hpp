/// What is wrong with a command line.
#pragma once

#include "commands.hpp"

#include <span>
#include <string>

namespace CLI {
class ParseError;
} // namespace CLI

namespace midend_tool {

/// The error in the tool's words: `midend opt: unknown option '--pases': did you mean --passes?`.
std::string usage_error(const CLI::ParseError& error, const CLI::App& tool, std::span<const command> commands);

} // namespace midend_tool
