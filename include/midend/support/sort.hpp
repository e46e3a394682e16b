/// Sorting of ids and numbers without `<algorithm>`, which would double the size of the headers.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Moves the element at `root` of a max-heap of `count` elements down to its place.
template <class T> constexpr void sift_down(T* heap, std::size_t root, std::size_t count) {
  for (std::size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && heap[child] < heap[child + 1]) {
      ++child;
    }
    if (heap[child] <= heap[root]) {
      return;
    }
    swap_values(heap[root], heap[child]);
    root = child;
  }
}

/// Heap sort: in place, O(n log n) always, no recursion.
template <class T> constexpr void heap_sort(T* data, std::size_t count) {
  for (std::size_t root = count / 2; root-- != 0;) {
    sift_down(data, root, count);
  }
  for (std::size_t last = count; last-- > 1;) {
    swap_values(data[0], data[last]);
    sift_down(data, 0, last);
  }
}

constexpr void sort(span<std::uint32_t> ids) {
  heap_sort(ids.data(), ids.size());
}

/// Returns how many are left.
template <class T> constexpr std::size_t sort_and_deduplicate(T* ids, std::size_t count) {
  heap_sort(ids, count);
  std::size_t kept = 0;
  for (std::size_t i = 0; i != count; ++i) {
    if (kept == 0 || ids[kept - 1] != ids[i]) {
      ids[kept++] = ids[i];
    }
  }
  return kept;
}

template <class T> constexpr void sort_and_deduplicate(flat_array<T>& ids) {
  ids.shrink(sort_and_deduplicate(ids.data(), ids.size()));
}

} // namespace detail

MIDEND_END_NAMESPACE
