/// The commands by which the tool describes itself to other programs.
#pragma once

#include "commands.hpp"

#include <string_view>
#include <vector>

namespace midend_tool {

/// `midend completion SHELL`. `all` is read when it runs, so it may hold this command, too.
command add_completion_command(CLI::App& app, const std::vector<command>& all);

/// `midend man`.
command add_man_command(CLI::App& app, const std::vector<command>& all, std::string_view version);

} // namespace midend_tool
