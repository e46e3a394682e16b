/// `value_bounds`: the least and the greatest number that a value can be, with shifts and intersections.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/form_range.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The least and the greatest number that a value of a loop can be, in all iterations of all runs of the loop.
struct value_bounds {
  std::uint64_t low; ///< read as unsigned numbers
  std::uint64_t high;
  std::int64_t signed_low; ///< read as signed numbers
  std::int64_t signed_high;

  /// All numbers of `width` bits.
  static constexpr value_bounds all(unsigned width) {
    const std::uint64_t most = low_ones(width);
    return {0, most, as_signed(most ^ (most >> 1), width), static_cast<std::int64_t>(most >> 1)};
  }

  /// One number.
  static constexpr value_bounds exactly(std::uint64_t n, unsigned width) {
    const std::uint64_t bits = n & low_ones(width);
    return {bits, bits, as_signed(bits, width), as_signed(bits, width)};
  }

  friend constexpr bool operator==(const value_bounds&, const value_bounds&) = default;
};

namespace detail {

/// Bounds that satisfy both. If they exclude each other, the code never runs: then `a`.
constexpr value_bounds narrower(const value_bounds& a, const value_bounds& b) {
  const value_bounds out{a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high,
                         a.signed_low > b.signed_low ? a.signed_low : b.signed_low,
                         a.signed_high < b.signed_high ? a.signed_high : b.signed_high};
  return out.low > out.high || out.signed_low > out.signed_high ? a : out;
}

/// The bounds of an arc of numbers. Bounds across which the arc wraps become the widest ones.
constexpr value_bounds bounds_of_range(const form_range& r, unsigned width) {
  value_bounds out = value_bounds::all(width);
  if (r.more <= out.high - r.first) {
    out.low = r.first;
    out.high = r.first + r.more;
  }
  const std::int64_t first = as_signed(r.first, width);
  if (r.more <= static_cast<std::uint64_t>(out.signed_high) - static_cast<std::uint64_t>(first)) {
    out.signed_low = first;
    out.signed_high = static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + r.more);
  }
  return out;
}

/// The bounds of the sum with a number. Bounds that may wrap become the widest ones.
constexpr value_bounds shifted(const value_bounds& a, std::uint64_t number, unsigned width) {
  value_bounds out = value_bounds::all(width);
  const std::uint64_t low = (a.low + number) & low_ones(width);
  if (const std::uint64_t more = a.high - a.low; more <= out.high - low) {
    out.low = low;
    out.high = low + more;
  }
  const std::int64_t least = as_signed(static_cast<std::uint64_t>(a.signed_low) + number, width);
  const std::uint64_t more = static_cast<std::uint64_t>(a.signed_high) - static_cast<std::uint64_t>(a.signed_low);
  if (more <= static_cast<std::uint64_t>(out.signed_high) - static_cast<std::uint64_t>(least)) {
    out.signed_low = least;
    out.signed_high = static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + more);
  }
  return out;
}

} // namespace detail

MIDEND_END_NAMESPACE
