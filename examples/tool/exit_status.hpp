/// The exit statuses of the tool.
#pragma once

#include <cstdio>
#include <string>

namespace midend_tool {

/// The exit statuses of the tool.
enum exit_status : int {
  exit_done = 0,
  exit_bad_input = 1, ///< the input is bad, or the output cannot be written
  exit_bad_usage = 2,
  exit_difference = 3, ///< `midend unroll --verify`: a loop is not as predicted
};

/// Prints the reason on standard error.
inline exit_status complain(exit_status status, const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return status;
}

} // namespace midend_tool
