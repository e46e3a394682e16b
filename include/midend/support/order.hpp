/// The few functions of `<algorithm>` that headers need. `<algorithm>` itself is half the size of all headers that they
/// include.
#pragma once

#include "midend/config.hpp"
#include "midend/support/span.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The larger value; the first, if they are equal.
template <class T> constexpr T max(const T& a, const T& b) {
  return a < b ? b : a;
}

/// The smaller value; the first, if they are equal.
template <class T> constexpr T min(const T& a, const T& b) {
  return b < a ? b : a;
}

/// Whether an ascending sequence has the value. O(log n).
template <class T> constexpr bool is_among(span<const T> ascending, const T& value) {
  std::size_t low = 0;
  std::size_t high = ascending.size();
  while (low != high) {
    const std::size_t middle = low + (high - low) / 2;
    if (ascending[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low != ascending.size() && !(value < ascending[low]);
}

} // namespace detail

MIDEND_END_NAMESPACE
