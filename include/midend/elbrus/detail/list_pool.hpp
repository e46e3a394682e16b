/// Lists of numbers that grow, in one array.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The place of a list in a pool.
struct pooled_list {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;
};

/// The elements of many lists. A full list moves to the end of the array and doubles its capacity: appending is O(1)
/// amortised, and at most half of the array is unused.
class list_pool {
public:
  span<const std::uint32_t> elements(const pooled_list& list) const {
    return {elements_.data() + list.first, list.count};
  }

  span<std::uint32_t> elements(const pooled_list& list) { return {elements_.data() + list.first, list.count}; }

  void push_back(pooled_list& list, std::uint32_t element) {
    if (list.count == list.capacity) {
      move_to_end(list);
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
  void move_to_end(pooled_list& list) {
    const auto first = static_cast<std::uint32_t>(elements_.size());
    const std::uint32_t capacity = list.capacity == 0 ? 2 : 2 * list.capacity;
    elements_.reserve(first + std::size_t{capacity});
    for (std::uint32_t i = 0; i != capacity; ++i) {
      elements_.push_back(i < list.count ? elements_[list.first + i] : 0);
    }
    list.first = first;
    list.capacity = capacity;
  }

  flat_array<std::uint32_t> elements_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
