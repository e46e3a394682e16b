/// `--passes=a,b,…`.
#pragma once

#include "passes.hpp"

#include <optional>
#include <string>
#include <vector>

namespace midend_tool {

/// Passes in the order in which they run.
struct pass_list {
  std::vector<chosen_pass> passes;
  std::vector<std::string> names; ///< as on the command line
};

/// Reads the list. Returns an error message, if any.
std::optional<std::string> read_passes(const std::string& list, pass_list& out);

/// All passes, one a line, for `--help`.
std::string listed_passes(const char* title);

} // namespace midend_tool
