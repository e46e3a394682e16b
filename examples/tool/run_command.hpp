/// `midend run`.
#pragma once

#include "exit_status.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace midend_tool {

/// The options as they were given.
struct run_command_options {
  std::string file;
  std::string procedure;
  std::vector<std::string> arguments;
  std::vector<std::string> memories; ///< NAME:TYPE:v,v,…
  std::string profile_file;          ///< empty: none is written
  std::uint64_t step_limit = 1'000'000'000;
  std::size_t call_depth = 1'000'000;
  bool statistics = false;
};

exit_status run_run(const run_command_options& options);

} // namespace midend_tool
