/// Reader of the `.expect.gz` files of the corpus: what LLVM says of each function. See data/corpus/FORMAT.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace midend_tests {

/// A `loop` line, with the numbers as they stand there: -1 for none.
struct expected_loop {
  std::int64_t header = 0;
  std::int64_t parent_header = 0;
  std::int64_t depth = 0;
  std::vector<std::int64_t> blocks;
  std::vector<std::int64_t> latches;
  std::int64_t preheader = 0;
  std::vector<std::int64_t> exiting;
  std::vector<std::int64_t> exits;

  friend bool operator==(const expected_loop&, const expected_loop&) = default;
};

/// A `cycle` line; `parent` is the number of another one.
struct expected_cycle {
  std::int64_t depth = 0;
  std::int64_t parent = 0;
  std::vector<std::int64_t> entries;
  std::vector<std::int64_t> blocks;

  friend bool operator==(const expected_cycle&, const expected_cycle&) = default;
};

/// Lists by block or variable; those that are empty are left out.
using expected_lists = std::map<std::int64_t, std::vector<std::int64_t>>;

/// The lines of one function.
struct expected_function {
  std::string name;
  std::vector<std::int64_t> immediate_dominators;
  std::vector<std::int64_t> post_dominator_roots;
  std::vector<std::int64_t> immediate_post_dominators;
  std::vector<std::int64_t> components;
  std::vector<expected_loop> loops;
  std::vector<expected_cycle> cycles;
  expected_lists frontiers; ///< by block
  expected_lists phis;      ///< by variable
  expected_lists live_in;   ///< by block
};

/// All functions of a file. A malformed file fails the test that reads it.
std::vector<expected_function> read_expectations(const std::string& path);

} // namespace midend_tests
