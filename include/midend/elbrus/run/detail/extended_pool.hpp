/// `extended_pool`: the numbers of 80 bits of a run, whose slots have 64.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/extended.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// If a number has a literal, its slot holds the literal, and the pool is not needed. Otherwise the slot holds a NaN
/// that is no literal; its low bits are the place of the number in the pool.
class extended_pool {
public:
  extended_number number(std::uint64_t bits) const {
    return bits > first ? numbers_[static_cast<std::size_t>(bits - first - 1)] : extended_of_double(bits);
  }

  /// The bits of a slot with the number. When the pool is full, numbers that none of the bits in `used` count make
  /// room.
  std::uint64_t slot_bits(const extended_number& number, span<const std::uint64_t> used) {
    if (const std::optional<std::uint64_t> bits = literal_of_extended(number)) {
      return *bits;
    }
    if (free_.empty() && numbers_.size() >= limit_) {
      collect(used);
    }
    if (free_.empty()) {
      numbers_.push_back(number);
      return first + numbers_.size();
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    numbers_[at] = number;
    return first + 1 + at;
  }

private:
  static constexpr std::uint64_t first = 0xfff8'0000'0000'0000; ///< -NaN, a literal

  /// An integer may look like a number of the pool and keep it there, no more.
  void collect(span<const std::uint64_t> used) {
    flat_array<unsigned char> is_used;
    is_used.assign(numbers_.size(), 0);
    for (const std::uint64_t bits : used) {
      if (bits > first && bits - first <= numbers_.size()) {
        is_used[static_cast<std::size_t>(bits - first - 1)] = 1;
      }
    }
    for (std::uint32_t i = 0; i != numbers_.size(); ++i) {
      if (is_used[i] == 0) {
        free_.push_back(i);
      }
    }
    limit_ = 2 * (numbers_.size() - free_.size()) + least_limit;
  }

  static constexpr std::size_t least_limit = 4096;

  flat_array<extended_number> numbers_;
  flat_array<std::uint32_t> free_;
  std::size_t limit_ = least_limit;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
