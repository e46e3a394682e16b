/// The answers that every contestant in cycles must give before it is timed.
#pragma once

#include "reference.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace midend_benchmarks {

struct cycle_summary {
  std::uint32_t header;
  std::uint32_t depth;
  std::uint32_t num_blocks; ///< including those of inner cycles

  friend auto operator<=>(const cycle_summary&, const cycle_summary&) = default;
};

/// By definition for functions of up to 5,000 blocks, which is quadratic, and by midend above; in the tests midend
/// agrees with the definition and with LLVM.
class cycle_reference {
public:
  explicit cycle_reference(const dataset& d);

  /// The cycles of each function, ascending.
  std::span<const std::vector<cycle_summary>> functions() const { return functions_; }

private:
  std::vector<std::vector<cycle_summary>> functions_;
};

/// `found` in any order. A description of the first difference, if there is one.
std::optional<std::string> compare_cycles(const dataset& d, std::size_t function, std::vector<cycle_summary> found);

} // namespace midend_benchmarks
