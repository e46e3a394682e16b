/// `sibling_range`: the children of one node of a forest whose nodes are numbered in preorder.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/range.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Steps from a loop, a cycle or a component to the next one with the same parent: skips the numbers of the
/// subtree.
class sibling_iterator : public detail::iterator_base<sibling_iterator, std::uint32_t> {
public:
  constexpr sibling_iterator() = default;

  /// `sizes[i]` is the size of the subtree of `i`.
  constexpr sibling_iterator(const std::uint32_t* sizes, std::uint32_t at) : sizes_(sizes), at_(at) {}

  constexpr std::uint32_t operator*() const { return at_; }

  constexpr void advance() { at_ += sizes_[at_]; }

  friend constexpr bool operator==(sibling_iterator a, sibling_iterator b) { return a.at_ == b.at_; }

private:
  const std::uint32_t* sizes_ = nullptr;
  std::uint32_t at_ = 0;
};

/// Valid as long as the forest that gave it.
using sibling_range = iterator_range<sibling_iterator>;

namespace detail {

/// The siblings with the numbers from `first` on and below `last`.
constexpr sibling_range siblings(const std::uint32_t* sizes, std::uint32_t first, std::uint32_t last) {
  return {sibling_iterator(sizes, first), sibling_iterator(sizes, last)};
}

} // namespace detail

MIDEND_END_NAMESPACE
