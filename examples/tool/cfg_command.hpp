/// `midend cfg`.
#pragma once

#include <string>
#include <vector>

namespace midend_tool {

/// The exit statuses of the tool.
enum exit_status : int {
  exit_done = 0,
  exit_bad_input = 1, ///< the input is bad, or the output cannot be written
  exit_bad_usage = 2,
};

/// The options as they were given.
struct cfg_options {
  std::string file;
  std::string only; ///< empty: all that are built
  std::string dominators;
  std::vector<std::string> functions; ///< empty: all
  std::string dot_directory;          ///< empty: no pictures
  std::string roots;
  std::string roots_from;
  bool only_given = false;
  bool statistics = false;
};

exit_status run_cfg(const cfg_options& options);

} // namespace midend_tool
