/// Sorting of ids without `<algorithm>`, which would double what the headers include.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Moves the element at `root` of a max-heap of `count` elements down to its place.
constexpr void sift_down(std::uint32_t* heap, std::size_t root, std::size_t count) {
  for (std::size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && heap[child] < heap[child + 1]) {
      ++child;
    }
    if (heap[child] <= heap[root]) {
      return;
    }
    std::swap(heap[root], heap[child]);
    root = child;
  }
}

/// Heap sort: in place, O(n log n) always, no recursion.
constexpr void sort(std::span<std::uint32_t> ids) {
  std::uint32_t* const data = ids.data();
  for (std::size_t root = ids.size() / 2; root-- != 0;) {
    sift_down(data, root, ids.size());
  }
  for (std::size_t last = ids.size(); last-- > 1;) {
    std::swap(data[0], data[last]);
    sift_down(data, 0, last);
  }
}

constexpr void sort_and_deduplicate(flat_array<std::uint32_t>& ids) {
  sort(ids);
  std::size_t kept = 0;
  for (std::size_t i = 0; i != ids.size(); ++i) {
    if (kept == 0 || ids[kept - 1] != ids[i]) {
      ids[kept++] = ids[i];
    }
  }
  ids.shrink(kept);
}

} // namespace detail

MIDEND_END_NAMESPACE
