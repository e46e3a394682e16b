/// The least label on a path of the search tree: the data structure of the semidominator algorithms.
#pragma once

#include "midend/config.hpp"
#include "midend/support/order.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The least label on the tree path from v up to the last node above w; just that of v if its ancestor is not above w.
///
/// In preorder numbers the forest of evaluated nodes needs no links: at the time of w it is exactly the nodes above w.
/// Paths are halved during the walk (Tarjan and van Leeuwen, "Worst-case analysis of set union algorithms", J. ACM
/// 31(2), 1984): `ancestor[v]` is some ancestor, and `label[v]` the least label from v up to that ancestor, which does
/// not count. O(log n) amortised.
template <class Label>
constexpr Label least_label_on_path(std::uint32_t v, std::uint32_t w, Label* label, std::uint32_t* ancestor) {
  // Most paths have one to three nodes, unpredictably, so these cases have no branch.
  const std::uint32_t second = ancestor[v];
  const std::uint32_t third = ancestor[second];
  std::uint32_t up = ancestor[third];
  const Label least_of_one = label[v];
  const Label least_of_two = min(least_of_one, second > w ? label[second] : least_of_one);
  Label found = min(least_of_two, third > w ? label[third] : least_of_two);
  if (up <= w) [[likely]] {
    return found;
  }
  label[v] = least_of_two;
  ancestor[v] = third;
  v = third;
  for (;;) { // v and the nodes below are done; up, the ancestor of v, is not
    found = min(found, label[up]);
    const std::uint32_t next = ancestor[up];
    if (next <= w) {
      return found;
    }
    label[v] = min(label[v], label[up]);
    ancestor[v] = next;
    v = next;
    found = min(found, label[v]);
    up = ancestor[v];
    if (up <= w) {
      return found;
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
