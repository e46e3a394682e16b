/// Grouping the terms of a sum, or of anything that may be regrouped, so that the last result is there early.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A term: a value of the body, or what an operation of the tree computed from others.
struct regrouped_leaf {
  static constexpr operation_id no_operation = static_cast<operation_id>(-1);

  std::uint64_t ready = 0;
  std::uint32_t position = 0; ///< among the terms
  bool comes_last = false;
  operation_id operation = no_operation;
  unrolled_operand value;

  friend constexpr bool operator<(const regrouped_leaf& a, const regrouped_leaf& b) {
    if (a.comes_last != b.comes_last) {
      return b.comes_last;
    }
    return a.ready != b.ready ? a.ready < b.ready : a.position < b.position;
  }

  friend constexpr bool operator<=(const regrouped_leaf& a, const regrouped_leaf& b) { return !(b < a); }
};

/// Combines the terms two by two; `combine(a, b)` gives the result of two of them, which is ready later than both.
/// Always the two that are ready first: for operations that all take the same time no other tree is done earlier
/// (M. C. Golumbic, "Combinatorial merging", IEEE Trans. Computers C-25(11), 1976: Huffman's algorithm with maximum
/// plus one instead of the sum). Results come in the order in which they are ready, so that two queues do. Then the
/// terms that come last, one after the other: what goes round a loop shall pass through as few operations as possible.
///
/// Sorts `leaves`. Requires one at least. O(n log n).
template <class Combine>
constexpr regrouped_leaf regroup(flat_array<regrouped_leaf>& leaves, flat_array<regrouped_leaf>& results,
                                 const Combine& combine) {
  heap_sort(leaves.data(), leaves.size());
  std::size_t early = 0;
  while (early != leaves.size() && !leaves[early].comes_last) {
    ++early;
  }
  results.clear();
  std::size_t leaf = 0;
  std::size_t result = 0;
  const auto take = [&] {
    const bool takes_leaf = leaf != early && (result == results.size() || leaves[leaf].ready <= results[result].ready);
    return takes_leaf ? leaves[leaf++] : results[result++];
  };
  while (early - leaf + results.size() - result > 1) {
    const regrouped_leaf first = take();
    const regrouped_leaf second = take();
    results.push_back(combine(first, second));
  }
  regrouped_leaf all = early == 0 ? leaves[early++] : take();
  for (; early != leaves.size(); ++early) {
    all = combine(all, leaves[early]);
  }
  return all;
}

} // namespace detail

MIDEND_END_NAMESPACE
