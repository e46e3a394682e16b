/// `chained_sums`: the sums of a value and a number to which another operation adds one more number.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/machine/lowering/detail/program_questions.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Takes the nodes of a region, and tells which of their sums are the first of two in a chain. The second operation
/// reads the first sum from a register, so the first sum is an operation, and its number is not folded into its
/// readers.
class chained_sums {
public:
  /// Linear in the values of the nodes, and once in those of the program. Afterwards the values of `nodes` are known.
  template <class IR> constexpr void find(const IR& ir, span<const node_id> nodes) {
    const auto count = static_cast<std::size_t>(ir.num_values());
    if (is_first_.size() < count) {
      is_first_.assign(count, 0);
    }
    for (const node_id n : nodes) {
      for (const value_id v : ir.values(n)) {
        is_first_[v] = 0;
      }
    }
    for (const node_id n : nodes) {
      for (const value_id v : ir.values(n)) {
        if (adds_number(ir, v)) {
          for (const auto& operand : ir.operands(v)) {
            const auto o = static_cast<value_id>(operand);
            is_first_[o] = adds_number(ir, o) ? 1 : 0;
          }
        }
      }
    }
  }

  /// Whether the value is the first sum of a chain. Requires a value of the nodes of the last call of `find`.
  constexpr bool is_first(value_id v) const { return is_first_[v] != 0; }

private:
  flat_array<std::uint8_t> is_first_; ///< by value
};

} // namespace detail

MIDEND_END_NAMESPACE
