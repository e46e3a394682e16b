/// `operation_mix`: how many operations of each class a loop body has.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/machine.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Operations by class, and what of scalar resources they need beside what their classes say (words of literals, above
/// all).
struct operation_mix {
  std::array<std::uint32_t, num_operation_classes> counts{};
  std::array<std::uint32_t, max_resources> extra_uses{}; ///< by resource
  std::uint32_t literals = 0;                            ///< words of 32 bits, for the size of the code

  constexpr std::uint32_t& operator[](operation_class c) { return counts[static_cast<std::size_t>(c)]; }

  constexpr std::uint32_t operator[](operation_class c) const { return counts[static_cast<std::size_t>(c)]; }

  /// The number of operations.
  constexpr std::uint64_t size() const {
    std::uint64_t total = 0;
    for (const std::uint32_t count : counts) {
      total += count;
    }
    return total;
  }

  friend constexpr bool operator==(const operation_mix&, const operation_mix&) = default;
};

MIDEND_END_NAMESPACE
