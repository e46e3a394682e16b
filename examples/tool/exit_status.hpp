/// How the commands of the tool end.
#pragma once

namespace midend_tool {

/// The exit statuses of the tool.
enum exit_status : int {
  exit_done = 0,
  exit_bad_input = 1, ///< the input is bad, or the output cannot be written
  exit_bad_usage = 2,
};

} // namespace midend_tool
