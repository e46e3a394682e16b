/// What division makes of intervals.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/range_arithmetic.hpp"

#include <cstdint>
#include <initializer_list>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Quotients of unsigned numbers. Divisors that are 0 have no result.
constexpr unsigned_ranges::range unsigned_quotient(const unsigned_ranges::range& a, const unsigned_ranges::range& b) {
  if (b.high == 0) {
    return unsigned_ranges::none();
  }
  return {a.low / b.high, a.high / (b.low == 0 ? 1 : b.low)};
}

/// Remainders of unsigned numbers: less than the divisor, not more than the dividend.
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

/// Quotients of signed numbers of a width. Divisors that are 0 have no result, nor has the least number divided by -1.
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

  /// Has the sign of the dividend; is nearer to 0 than the divisor, and not farther than the dividend.
  constexpr range remainder(const range& a, const range& b) const {
    if (b.low == 0 && b.high == 0) {
      return signed_ranges::none();
    }
    const std::uint64_t most = farther(magnitude(b.low), magnitude(b.high)) - 1;
    const std::uint64_t least = b.low > 0 ? magnitude(b.low) : b.high < 0 ? magnitude(b.high) : 1;
    const bool is_smaller = magnitude(a.low) < least && magnitude(a.high) < least;
    if (is_smaller) {
      return a;
    }
    if (b.low == b.high && b.low != -1 && (a.low < 0) == (a.high < 0) && a.low / b.low == a.high / b.low) {
      return {a.low % b.low, a.high % b.low};
    }
    const std::uint64_t down = a.low < 0 ? nearer(magnitude(a.low), most) : 0;
    const std::uint64_t up = a.high > 0 ? nearer(magnitude(a.high), most) : 0;
    return {-static_cast<std::int64_t>(down), static_cast<std::int64_t>(up)};
  }

private:
  static constexpr std::uint64_t magnitude(std::int64_t x) {
    const auto bits = static_cast<std::uint64_t>(x);
    return x < 0 ? 0 - bits : bits;
  }

  static constexpr std::uint64_t farther(std::uint64_t x, std::uint64_t y) { return x > y ? x : y; }

  static constexpr std::uint64_t nearer(std::uint64_t x, std::uint64_t y) { return x < y ? x : y; }

  /// For divisors of one sign, quotients are least and greatest at corners.
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
