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

namespace midend_corpus {

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

  /// The variables that `b` writes, ascending.
  std::span<const std::uint32_t> defined_in(std::uint32_t b) const {
    return of_block(definition_offsets, definitions, b);
  }

  /// The variables that `b` reads before it writes them, ascending.
  std::span<const std::uint32_t> used_in(std::uint32_t b) const { return of_block(use_offsets, uses, b); }

private:
  static std::span<const std::uint32_t> of_block(const std::vector<std::uint32_t>& offsets,
                                                 const std::vector<std::uint32_t>& variables, std::uint32_t b) {
    return offsets.empty() ? std::span<const std::uint32_t>()
                           : std::span(variables).subspan(offsets[b], offsets[b + 1] - offsets[b]);
  }
};

/// The variables of a function block by block, as `midend::live_variables` takes them.
struct cfg_variables {
  const cfg_function& function;

  std::size_t num_variables() const { return function.num_variables; }

  std::span<const std::uint32_t> used_in(std::uint32_t b) const { return function.used_in(b); }

  std::span<const std::uint32_t> defined_in(std::uint32_t b) const { return function.defined_in(b); }
};

/// The `proots` line of one function of an `.expect` file: roots of its post-dominator tree.
struct function_roots {
  std::string name;
  std::size_t line = 0; ///< of the `proots` line, from 1
  std::vector<std::uint32_t> roots;
};

/// Where and why a file could not be read; line and column count from 1, 0 means the file as a whole.
struct file_error {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
  std::string message;

  std::string to_string() const; ///< `FILE:LINE:COLUMN: error: MESSAGE`
};

/// The name of a file in messages: `-` is `<stdin>`.
std::string name_in_messages(const std::string& path);

/// The text of a plain or gzip-compressed file, or the error. `-` is standard input, which may be compressed, too.
std::optional<file_error> read_text(const std::string& path, std::string& text);

/// Writes a file: compressed if its name ends with `.gz`. `-` is standard output.
std::optional<file_error> write_text(const std::string& path, std::string_view text);

/// All functions of the text of a `.cfg` file (`file` only names it in errors). Stops at the first error.
std::optional<file_error> parse_cfg(std::string_view text, const std::string& file, std::vector<cfg_function>& out);

/// read_text, then parse_cfg.
std::optional<file_error> read_cfg(const std::string& path, std::vector<cfg_function>& out);

/// The roots of all functions of the text of an `.expect` file; of the other lines only `function` and `end` are looked
/// at. Stops at the first error. Whether the functions have such blocks is for the caller to find out.
std::optional<file_error> parse_roots(std::string_view text, const std::string& file, std::vector<function_roots>& out);

/// read_text, then parse_roots.
std::optional<file_error> read_roots(const std::string& path, std::vector<function_roots>& out);

} // namespace midend_corpus
