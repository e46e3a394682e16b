/// Lists of numbers that grow, in one array.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The place of a list in a pool. Capacities are powers of two, at most 2^26.
struct pooled_list {
  std::uint32_t first = 0;
  std::uint32_t count : 27 = 0;
  std::uint32_t width_of_capacity : 5 = 0; ///< 0 for none

  std::uint32_t capacity() const { return std::uint32_t{1} << width_of_capacity >> 1; }

  /// The list after its elements moved to position `to`, with a capacity of at least `least` elements.
  pooled_list moved(std::size_t to, std::size_t least) const {
    const auto width = static_cast<std::uint32_t>(std::bit_width(least - 1)) + 1;
    MIDEND_ASSERT(width < 28, "at most 2^26 elements in a list", least);
    return {static_cast<std::uint32_t>(to), count, width & 31u};
  }

  /// Twice the capacity; two to begin with.
  std::size_t more() const { return width_of_capacity == 0 ? 2 : std::size_t{2} * capacity(); }
};

/// The elements of many lists. A full list moves to the end of the array and doubles its capacity: appending is O(1)
/// amortised, and at most half of the array is unused.
class list_pool {
public:
  span<const std::uint32_t> elements(const pooled_list& list) const {
    return {elements_.data() + list.first, list.count};
  }

  span<std::uint32_t> elements(const pooled_list& list) { return {elements_.data() + list.first, list.count}; }

  /// No lists, and memory for so many elements.
  void reset(std::size_t elements) {
    elements_.clear();
    elements_.reserve(elements);
  }

  /// Memory for so many elements of a list that has none.
  void reserve(pooled_list& list, std::size_t count) {
    if (count > list.capacity()) {
      move_to_end(list, count);
    }
  }

  void push_back(pooled_list& list, std::uint32_t element) {
    if (list.count == list.capacity()) {
      move_to_end(list, list.more());
    }
    elements_[list.first + list.count++] = element;
  }

  /// Keeps the order.
  void erase(pooled_list& list, std::size_t position) {
    const span<std::uint32_t> all = elements(list);
    for (std::size_t i = position + 1; i < all.size(); ++i) {
      all[i - 1] = all[i];
    }
    --list.count;
  }

private:
  void move_to_end(pooled_list& list, std::size_t least) {
    const pooled_list moved = list.moved(elements_.size(), least);
    elements_.reserve(elements_.size() + moved.capacity());
    for (std::uint32_t i = 0; i != moved.capacity(); ++i) {
      elements_.push_back(i < list.count ? elements_[list.first + i] : 0);
    }
    list = moved;
  }

  flat_array<std::uint32_t> elements_;
};

} // namespace detail

MIDEND_END_NAMESPACE
