/// `midend unroll`.
#pragma once

#include "exit_status.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace midend_tool {

/// The options as they were given.
struct unroll_options {
  std::string file;
  std::string machine = "e2k_reference_v6"; ///< a name or a file
  std::vector<std::string> procedures;      ///< empty: all
  std::string loop;                         ///< the name of a header; empty: all
  std::string chart;                        ///< a file for the picture; empty: none
  std::string kinds;                        ///< the allowed ones, separated by commas; empty: all
  std::string remainder = "epilogue";
  std::uint32_t factor = 0; ///< 0: choose
  std::uint32_t max_factor = 64;
  std::uint64_t max_operations = 300;
  std::uint64_t max_bytes = 4096;
  std::uint64_t assumed_trip = 100;
  double least_gain = 0.1;
  bool no_reassociation = false;
  bool hardware_counter = false;
  bool divide_by_multiplying = false;
  bool json = false;
};

exit_status run_unroll(const unroll_options& options);

} // namespace midend_tool
