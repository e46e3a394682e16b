/// `midend cfg`.
#pragma once

#include "exit_status.hpp"

#include <string>
#include <vector>

namespace midend_tool {

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
