/// Reader of the control-flow-graph corpus (`.cfg`, `.cfg.gz`, `.expect`, `.expect.gz`), shared by the tool,
/// the tests and the benchmarks. The format is described in tests/data/corpus/FORMAT.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace midend_examples {

/// One `function … end` record of a `.cfg` file, in flat arrays.
struct cfg_function {
  std::string name;
  std::size_t line = 0;                      ///< of the `function` line, from 1
  std::vector<std::uint32_t> offsets{0};     ///< num_blocks + 1; the successors of b are [offsets[b], offsets[b+1])
  std::vector<std::uint32_t> successor_list; ///< in terminator order, parallel edges kept

  // Optional variables: facts[offsets[b] .. offsets[b+1]) for block b; the offsets are empty when there are no
  // variables.
  std::uint32_t num_variables = 0;
  std::vector<std::uint32_t> definition_offsets, definitions;
  std::vector<std::uint32_t> use_offsets, uses;

  std::size_t num_nodes() const { return offsets.size() - 1; }

  std::uint32_t entry() const { return 0; }

  std::span<const std::uint32_t> successors(std::uint32_t b) const {
    return std::span(successor_list).subspan(offsets[b], offsets[b + 1] - offsets[b]);
  }
};

/// Where and why a file could not be read; line and column count from 1, 0 means the file as a whole.
struct file_error {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
  std::string message;

  std::string to_string() const; ///< `FILE:LINE:COLUMN: error: MESSAGE`
};

/// The text of a plain or gzip-compressed file, or the error.
std::optional<file_error> read_text(const std::string& path, std::string& text);

/// All functions of the text of a `.cfg` file (`file` only names it in errors). Stops at the first error.
std::optional<file_error> parse_cfg(std::string_view text, const std::string& file, std::vector<cfg_function>& out);

/// read_text, then parse_cfg.
std::optional<file_error> read_cfg(const std::string& path, std::vector<cfg_function>& out);

} // namespace midend_examples
