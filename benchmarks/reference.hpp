/// The answers that every contestant must give before it is timed.
#pragma once

#include "datasets.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace midend_benchmarks {

inline constexpr std::uint32_t none = 0xffff'ffff;

struct loop_summary {
  std::uint32_t header;
  std::uint32_t num_blocks; ///< including those of inner loops

  friend auto operator<=>(const loop_summary&, const loop_summary&) = default;
};

struct answers {
  std::vector<bool> reached;
  std::vector<std::uint32_t> immediate_dominators; ///< `none` for the entry and for what is not reached
  std::vector<std::uint32_t> components;           ///< strongly connected; only equality of the numbers counts
  std::vector<loop_summary> loops;                 ///< natural loops, ascending
};

/// Immediate dominators by the oracle on the corpus (it is quadratic) and by semi-NCA on generated sets; semi-NCA
/// agrees with the oracle and with LLVM in the tests.
class reference {
public:
  explicit reference(const dataset& d);

  std::span<const answers> functions() const { return functions_; }

private:
  std::vector<answers> functions_;
};

/// Compare one function with the reference; a description of the first difference, if there is one.
std::optional<std::string> compare_dominators(const dataset& d, std::size_t function,
                                              std::span<const std::uint32_t> immediate_dominators);

/// Equal as partitions of the blocks that are reached.
std::optional<std::string> compare_components(const dataset& d, std::size_t function,
                                              std::span<const std::uint32_t> components);

/// `loops` in any order.
std::optional<std::string> compare_loops(const dataset& d, std::size_t function, std::vector<loop_summary> loops);

/// The numbers, from 0 and `none` where not reached, must belong to a depth-first search of the function: each is given
/// once, and no edge leads from a finished block to one that was discovered later.
std::optional<std::string> compare_depth_first(const dataset& d, std::size_t function,
                                               std::span<const std::uint32_t> preorder,
                                               std::span<const std::uint32_t> postorder);

} // namespace midend_benchmarks
