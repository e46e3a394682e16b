/// The exit statuses of the tool.
#pragma once

namespace midend_tool {

/// The exit statuses of the tool.
enum exit_status : int {
  exit_done = 0,
  exit_bad_input = 1, ///< the input is bad, or the output cannot be written
  exit_bad_usage = 2,
  exit_difference = 3, ///< `midend unroll --verify`: the program is worse than the trial of a loop
};

} // namespace midend_tool
