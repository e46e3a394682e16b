/// `interval`: the least and the greatest value that a number may have.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The intervals [low, high] of the signed (`T` is `std::int64_t`) or unsigned (`std::uint64_t`) numbers of a width of
/// 1 to 64 bits, by inclusion; they do not wrap around. Cousot, Cousot, "Static determination of dynamic properties of
/// programs", 2nd Int. Symposium on Programming, 1976.
///
/// `join` is the hull, so the lattice is not distributive. Ascending chains can be as long as the range of numbers, so
/// loops need `widen`: a bound that moves goes to the next *threshold*, or to the end of the range of the width. The
/// constants that a loop compares with are good thresholds. Thresholds must ascend, be in range, and outlive the
/// lattice. With k of them, a chain of widenings changes at most k + 3 times: once from bottom, once for each
/// threshold, and once for each end.
///
/// Only `top`, `widen` and `narrow` depend on the width; elements may be intervals of narrower numbers.
template <class T>
  requires(std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>)
class interval {
public:
  static constexpr T greatest = static_cast<T>(~std::uint64_t{0} >> (std::same_as<T, std::int64_t> ? 1 : 0));
  static constexpr T least = static_cast<T>(-greatest - 1);

  /// The empty interval has one representation, with the greatest `T` as low and the least as high bound, so `join` and
  /// `leq` need no special case.
  struct element {
    T low;
    T high;

    constexpr bool is_bottom() const { return low > high; }

    constexpr bool is_constant() const { return low == high; }

    constexpr bool contains(T value) const { return low <= value && value <= high; }

    friend constexpr bool operator==(const element&, const element&) = default;
  };

  constexpr explicit interval(unsigned width = 64, span<const T> thresholds = {})
      : range_(full(width)), thresholds_(thresholds) {
    for (std::size_t i = 0; i != thresholds.size(); ++i) {
      MIDEND_ASSERT(i == 0 || thresholds[i - 1] < thresholds[i], "thresholds that ascend", i);
      MIDEND_ASSERT(range_.contains(thresholds[i]), "thresholds within the range", i, thresholds[i]);
    }
  }

  /// All numbers of `width` bits.
  static constexpr element full(unsigned width) {
    MIDEND_ASSERT(1 <= width && width <= 64, "a width of 1 to 64 bits", width);
    constexpr element all{least, greatest};
    return {static_cast<T>(all.low >> (64 - width)), static_cast<T>(all.high >> (64 - width))};
  }

  constexpr element bottom() const { return {greatest, least}; }

  constexpr element top() const { return range_; }

  constexpr element constant(T value) const {
    MIDEND_ASSERT(range_.contains(value), "a number of the width of the interval", value, range_.low, range_.high);
    return {value, value};
  }

  /// [low, high], or bottom if that is empty.
  constexpr element between(T low, T high) const { return low <= high ? element{low, high} : bottom(); }

  constexpr bool join(element& a, const element& b) const {
    const element old = a;
    a.low = b.low < a.low ? b.low : a.low;
    a.high = b.high > a.high ? b.high : a.high;
    return !(a == old);
  }

  constexpr bool meet(element& a, const element& b) const {
    const element old = a;
    a = between(b.low > a.low ? b.low : a.low, b.high < a.high ? b.high : a.high);
    return !(a == old);
  }

  constexpr bool leq(const element& a, const element& b) const { return b.low <= a.low && a.high <= b.high; }

  constexpr bool widen(element& a, const element& b) const {
    if (leq(b, a)) {
      return false;
    }
    if (a.is_bottom()) {
      a = b;
    } else {
      a.low = b.low < a.low ? threshold_below(b.low) : a.low;
      a.high = b.high > a.high ? threshold_above(b.high) : a.high;
    }
    return true;
  }

  /// Replaces bounds that `widen` chose (thresholds and ends of the range) by those of `b`. Requires that `b` is below
  /// `a`. With k thresholds, `a` changes at most k + 3 times.
  constexpr bool narrow(element& a, const element& b) const {
    MIDEND_ASSERT(leq(b, a), "an interval inside the one to be narrowed");
    const element old = a;
    if (b.is_bottom()) {
      a = b;
    } else {
      a.low = threshold_below(a.low) == a.low ? b.low : a.low;
      a.high = threshold_above(a.high) == a.high ? b.high : a.high;
    }
    return !(a == old);
  }

  /// `[3, 7]`
  constexpr void print(text_buffer& out, const element& a) const {
    if (a.is_bottom()) {
      return append_text(out, "bottom");
    }
    append_text(out, "[");
    append_integer(out, a.low);
    append_text(out, ", ");
    append_integer(out, a.high);
    append_text(out, "]");
  }

private:
  /// The greatest threshold that is not above `bound`, or the end of the range.
  constexpr T threshold_below(T bound) const {
    const std::size_t i = first_threshold_from(bound);
    if (i != thresholds_.size() && thresholds_[i] == bound) {
      return bound;
    }
    return i != 0 ? thresholds_[i - 1] : range_.low;
  }

  /// The least threshold that is not below `bound`, or the end of the range.
  constexpr T threshold_above(T bound) const {
    const std::size_t i = first_threshold_from(bound);
    return i != thresholds_.size() ? thresholds_[i] : range_.high;
  }

  constexpr std::size_t first_threshold_from(T bound) const {
    std::size_t first = 0;
    std::size_t last = thresholds_.size();
    while (first != last) {
      const std::size_t middle = first + (last - first) / 2;
      if (thresholds_[middle] < bound) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

  element range_;
  span<const T> thresholds_;
};

using signed_interval = interval<std::int64_t>;
using unsigned_interval = interval<std::uint64_t>;

MIDEND_END_NAMESPACE
