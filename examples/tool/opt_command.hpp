/// `midend opt`.
#pragma once

#include "exit_status.hpp"

#include <string>
#include <vector>

namespace midend_tool {

/// The options as they were given.
struct opt_options {
  std::string file;
  std::string passes;                  ///< separated by commas
  std::string prints;                  ///< separated by commas
  std::string output;                  ///< empty: standard output, if nothing else is asked for
  std::vector<std::string> procedures; ///< empty: all
  std::vector<std::string> explained;  ///< values: why so much is known of them
  std::string dot_directory;           ///< empty: no pictures
  bool statistics = false;
  bool verify_each = false;
};

exit_status run_opt(const opt_options& options);

} // namespace midend_tool
