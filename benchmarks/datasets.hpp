/// What is analysed: sets of functions in flat form, read or generated when a benchmark first asks for them.
#pragma once

#include "memory.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace midend_benchmarks {

/// What blocks do to variables, block by block in flat arrays; empty if there are none.
struct flat_variables {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> definition_offsets, definitions; ///< the variables that a block writes
  std::vector<std::uint32_t> use_offsets, uses;               ///< those that it reads before it writes them

  std::size_t num_variables() const { return count; }

  std::span<const std::uint32_t> defined_in(std::uint32_t b) const { return list(definition_offsets, definitions, b); }

  std::span<const std::uint32_t> used_in(std::uint32_t b) const { return list(use_offsets, uses, b); }

private:
  static std::span<const std::uint32_t> list(const std::vector<std::uint32_t>& offsets,
                                             const std::vector<std::uint32_t>& variables, std::uint32_t b) {
    return offsets.empty() ? std::span<const std::uint32_t>()
                           : std::span(variables.data() + offsets[b], variables.data() + offsets[b + 1]);
  }
};

/// Successors in two arrays; block 0 is the entry. Also a graph in midend's sense.
struct flat_function {
  std::vector<std::uint32_t> offsets{0}; ///< one more than blocks
  std::vector<std::uint32_t> targets;
  flat_variables variables;

  std::size_t num_nodes() const { return offsets.size() - 1; }

  std::uint32_t entry() const { return 0; }

  std::span<const std::uint32_t> successors(std::uint32_t b) const {
    return {targets.data() + offsets[b], targets.data() + offsets[b + 1]};
  }
};

/// The functions of a set and, after `shared`, whatever the contestants derive from them once and keep.
class dataset {
public:
  dataset(std::string name, std::vector<flat_function> functions);
  dataset(const dataset&) = delete;
  dataset& operator=(const dataset&) = delete;

  const std::string& name() const { return name_; }

  std::span<const flat_function> functions() const { return functions_; }

  std::size_t num_blocks() const { return num_blocks_; }

  std::size_t num_edges() const { return num_edges_; }

  std::size_t largest_function() const { return largest_; } ///< in blocks

  /// The set without the blocks that entries do not reach, order kept; the set itself if all are reached. For
  /// contestants that give wrong answers otherwise.
  const dataset& reachable_part() const;

  /// The `T` that was made of this set, which is made on the first call and lives as long as the set.
  template <class T> const T& shared() const {
    static const char key = 0; // its address stands for T
    std::shared_ptr<const void>& place = shared_[&key];
    if (place == nullptr) {
      join_free_memory();
      place = std::make_shared<const T>(*this);
    }
    return *static_cast<const T*>(place.get());
  }

private:
  std::string name_;
  std::vector<flat_function> functions_;
  std::size_t num_blocks_ = 0;
  std::size_t num_edges_ = 0;
  std::size_t largest_ = 0;
  mutable std::map<const void*, std::shared_ptr<const void>> shared_;
};

struct dataset_name {
  std::string name;   ///< `sqlite3-O0`, `structured-10000`
  std::string shape;  ///< of a generated set, else empty
  std::uint32_t size; ///< of a generated set, in blocks

  bool generated() const { return !shape.empty(); }
};

/// All sets there are, in the order of measurement.
const std::vector<dataset_name>& dataset_names();

/// Reads or generates the set. A file that cannot be read ends the program with a message.
std::unique_ptr<const dataset> make_dataset(const dataset_name& which);

} // namespace midend_benchmarks
