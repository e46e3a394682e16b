/// Arithmetic of intervals of signed or unsigned numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Intervals of the numbers of one width, signed or unsigned like `T`. Requires arguments that are not empty.
template <class T> class range_arithmetic {
public:
  using range = typename interval<T>::element;

  constexpr explicit range_arithmetic(unsigned width) : width_(width), all_(interval<T>::full(width)) {}

  constexpr range all() const { return all_; }

  static constexpr range none() { return {interval<T>::greatest, interval<T>::least}; }

  static constexpr range between(T low, T high) { return low <= high ? range{low, high} : none(); }

  static constexpr range hull(const range& a, const range& b) { return {min(a.low, b.low), max(a.high, b.high)}; }

  static constexpr range common(const range& a, const range& b) {
    return between(max(a.low, b.low), min(a.high, b.high));
  }

  constexpr range add(const range& a, const range& b, bool no_wrap) const {
    return sum_or_difference(sum(a.low, b.low), sum(a.high, b.high), no_wrap);
  }

  constexpr range sub(const range& a, const range& b, bool no_wrap) const {
    return sum_or_difference(difference(a.low, b.high), difference(a.high, b.low), no_wrap);
  }

  /// Products are least and greatest at the ends of the operands' intervals.
  constexpr range mul(const range& a, const range& b, bool no_wrap) const {
    bound low = product(a.low, b.low);
    bound high = low;
    bool wraps = low.wraps != 0;
    for (const bound& corner : {product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)}) {
      wraps = wraps || corner.wraps != 0;
      low = corner < low ? corner : low;
      high = high < corner ? corner : high;
    }
    return !wraps || no_wrap ? clamped(low, high) : all_;
  }

  /// Shifts by one amount, less than the width.
  constexpr range shl(range a, unsigned amount, bool no_wrap) const {
    if (no_wrap) {
      a = common(a, {static_cast<T>(all_.low >> amount), static_cast<T>(all_.high >> amount)});
      if (a.is_bottom()) {
        return a;
      }
    }
    const T low = wrapped(bits(a.low) << amount);
    const T high = wrapped(bits(a.high) << amount);
    const bool keeps_order = bits(a.high) - bits(a.low) <= low_ones(width_ - amount);
    return keeps_order && low <= high ? range{low, high} : multiples(amount);
  }

  /// The interval around the multiples of 2^amount.
  constexpr range multiples(unsigned amount) const {
    return {all_.low, static_cast<T>(bits(all_.high) >> amount << amount)};
  }

  /// Shifts by amounts from `least` to `most`, all less than the width; rounds down.
  constexpr range shr(const range& a, unsigned least, unsigned most) const {
    return {static_cast<T>(a.low >> (a.low < T{0} ? least : most)),
            static_cast<T>(a.high >> (a.high < T{0} ? most : least))};
  }

  /// The low `width` bits of wider numbers.
  constexpr range truncate(const range& a) const {
    const T low = wrapped(bits(a.low));
    const T high = wrapped(bits(a.high));
    return bits(a.high) - bits(a.low) <= low_ones(width_) && low <= high ? range{low, high} : all_;
  }

  /// Removes from `a` and `b` what contradicts a < b.
  static constexpr void assume_less(range& a, range& b) {
    if (b.high == interval<T>::least || a.low == interval<T>::greatest) {
      a = b = none();
      return;
    }
    const range less = common(a, {interval<T>::least, static_cast<T>(b.high - 1)});
    b = common(b, {static_cast<T>(a.low + 1), interval<T>::greatest});
    a = less;
  }

  static constexpr void assume_less_equal(range& a, range& b) {
    const range less = common(a, {interval<T>::least, b.high});
    b = common(b, {a.low, interval<T>::greatest});
    a = less;
  }

  /// Removes `c` from `a`, as far as an interval can express that.
  static constexpr void assume_not(range& a, T c) {
    if (a.low == c && a.high == c) {
      a = none();
    } else if (a.low == c) {
      ++a.low;
    } else if (a.high == c) {
      --a.high;
    }
  }

  /// Moves the bounds of `a` that do not hold for `b` to the next threshold, else to the last number but one, else to
  /// the end. The last but one, because x < y implies it for x if nothing is known about y; then x + 1 does not wrap.
  constexpr bool widen(range& a, const range& b, span<const T> thresholds) const {
    if (b.low >= a.low && b.high <= a.high) {
      return false;
    }
    if (a.is_bottom()) {
      a = b;
      return true;
    }
    a.low = b.low < a.low ? stop_below(b.low, thresholds) : a.low;
    a.high = b.high > a.high ? stop_above(b.high, thresholds) : a.high;
    return true;
  }

private:
  static constexpr bool is_signed = std::is_signed_v<T>;

  /// A result, and its distance from the range in multiples of 2^width; for products, only the sign of that is right.
  struct bound {
    T value;
    int wraps;

    friend constexpr bool operator<(const bound& a, const bound& b) {
      return a.wraps != b.wraps ? a.wraps < b.wraps : a.value < b.value;
    }
  };

  static constexpr std::uint64_t bits(T value) { return static_cast<std::uint64_t>(value); }

  constexpr T wrapped(std::uint64_t value) const {
    return is_signed ? static_cast<T>(as_signed(value, width_)) : static_cast<T>(value & low_ones(width_));
  }

  /// The bits of the number, with zeros above the width.
  constexpr std::uint64_t pattern(T value) const { return bits(value) & low_ones(width_); }

  constexpr bound sum(T a, T b) const {
    const wrapping_result exact = wrapping_add(pattern(a), pattern(b), width_);
    const bool wraps = is_signed ? exact.signed_wrap : exact.unsigned_wrap;
    return {wrapped(exact.bits), !wraps ? 0 : a < T{0} ? -1 : 1};
  }

  constexpr bound difference(T a, T b) const {
    const wrapping_result exact = wrapping_sub(pattern(a), pattern(b), width_);
    const bool wraps = is_signed ? exact.signed_wrap : exact.unsigned_wrap;
    return {wrapped(exact.bits), !wraps ? 0 : is_signed && a >= T{0} ? 1 : -1};
  }

  constexpr bound product(T a, T b) const {
    const wrapping_result exact = wrapping_mul(pattern(a), pattern(b), width_);
    const bool wraps = is_signed ? exact.signed_wrap : exact.unsigned_wrap;
    return {wrapped(exact.bits), !wraps ? 0 : (a < T{0}) != (b < T{0}) ? -1 : 1};
  }

  constexpr range sum_or_difference(const bound& low, const bound& high, bool no_wrap) const {
    if (no_wrap) {
      return clamped(low, high);
    }
    return low.wraps == high.wraps ? range{low.value, high.value} : all_;
  }

  /// The part of a range that does not wrap.
  constexpr range clamped(const bound& low, const bound& high) const {
    if (low.wraps > 0 || high.wraps < 0) {
      return none();
    }
    return {low.wraps < 0 ? all_.low : low.value, high.wraps > 0 ? all_.high : high.value};
  }

  constexpr T stop_below(T low, span<const T> thresholds) const {
    const std::size_t above = first_above(thresholds, low);
    if (above != 0 && thresholds[above - 1] >= all_.low) {
      return thresholds[above - 1];
    }
    return low > all_.low ? static_cast<T>(all_.low + 1) : all_.low;
  }

  constexpr T stop_above(T high, span<const T> thresholds) const {
    const std::size_t at = first_not_below(thresholds, high);
    if (at != thresholds.size() && thresholds[at] <= all_.high) {
      return thresholds[at];
    }
    return high < all_.high ? static_cast<T>(all_.high - 1) : all_.high;
  }

  static constexpr std::size_t first_not_below(span<const T> values, T limit) {
    std::size_t first = 0;
    for (std::size_t last = values.size(); first != last;) {
      const std::size_t middle = first + (last - first) / 2;
      if (values[middle] < limit) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

  static constexpr std::size_t first_above(span<const T> values, T limit) {
    const std::size_t at = first_not_below(values, limit);
    return at != values.size() && values[at] == limit ? at + 1 : at;
  }

  unsigned width_;
  range all_;
};

using signed_ranges = range_arithmetic<std::int64_t>;
using unsigned_ranges = range_arithmetic<std::uint64_t>;

/// Quotients of unsigned numbers. A division by 0 has no result.
constexpr unsigned_ranges::range unsigned_quotient(const unsigned_ranges::range& a, const unsigned_ranges::range& b) {
  if (b.high == 0) {
    return unsigned_ranges::none();
  }
  return {a.low / b.high, a.high / (b.low == 0 ? 1 : b.low)};
}

/// Remainders of unsigned numbers: less than the divisor, at most the dividend.
constexpr unsigned_ranges::range unsigned_remainder(const unsigned_ranges::range& a, const unsigned_ranges::range& b) {
  if (b.high == 0) {
    return unsigned_ranges::none();
  }
  if (a.high < b.low) {
    return a;
  }
  if (b.low == b.high && a.low / b.low == a.high / b.low) {
    return {a.low % b.low, a.high % b.low};
  }
  return {0, a.high < b.high - 1 ? a.high : b.high - 1};
}

/// Division of signed numbers of a width. A division by 0 has no result, and neither has the least number divided by
/// -1.
class signed_division {
public:
  using range = signed_ranges::range;

  constexpr explicit signed_division(unsigned width) : all_(signed_interval::full(width)) {}

  constexpr range quotient(const range& a, const range& b) const {
    range out = part(a, signed_ranges::common(b, {1, all_.high}));
    out = signed_ranges::hull(out, part(a, signed_ranges::common(b, {all_.low, -2})));
    const range minus_one = signed_ranges::common(b, {-1, -1});
    return signed_ranges::hull(out, part(signed_ranges::common(a, {all_.low + 1, all_.high}), minus_one));
  }

  /// Remainders have the sign of the dividend, are nearer to 0 than the divisor and at most as far as the dividend.
  constexpr range remainder(const range& a, const range& b) const {
    if (b.low == 0 && b.high == 0) {
      return signed_ranges::none();
    }
    const std::uint64_t most = max(magnitude(b.low), magnitude(b.high)) - 1;
    const std::uint64_t least = b.low > 0 ? magnitude(b.low) : b.high < 0 ? magnitude(b.high) : 1;
    const bool is_smaller = magnitude(a.low) < least && magnitude(a.high) < least;
    if (is_smaller) {
      return a;
    }
    if (b.low == b.high && b.low != -1 && (a.low < 0) == (a.high < 0) && a.low / b.low == a.high / b.low) {
      return {a.low % b.low, a.high % b.low};
    }
    const std::uint64_t down = a.low < 0 ? min(magnitude(a.low), most) : 0;
    const std::uint64_t up = a.high > 0 ? min(magnitude(a.high), most) : 0;
    return {-static_cast<std::int64_t>(down), static_cast<std::int64_t>(up)};
  }

private:
  static constexpr std::uint64_t magnitude(std::int64_t x) {
    const auto bits = static_cast<std::uint64_t>(x);
    return x < 0 ? 0 - bits : bits;
  }

  /// Quotients by divisors of one sign, which are least and greatest at the ends of the operands' intervals.
  static constexpr range part(const range& a, const range& b) {
    if (a.is_bottom() || b.is_bottom()) {
      return signed_ranges::none();
    }
    range out = signed_ranges::none();
    for (const std::int64_t q : {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high}) {
      out = signed_ranges::hull(out, {q, q});
    }
    return out;
  }

  range all_;
};

} // namespace detail

MIDEND_END_NAMESPACE
