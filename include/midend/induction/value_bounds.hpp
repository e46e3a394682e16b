/// `value_bounds`: the least and the greatest number that a value is, also truncated, extended, or moved by a number.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/operation.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The least and the greatest number that a value of a loop body is, in all iterations of all runs of the loop.
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

  constexpr std::optional<std::uint64_t> number() const { return low == high ? std::optional(low) : std::nullopt; }

  friend constexpr bool operator==(const value_bounds&, const value_bounds&) = default;
};

namespace detail {

/// The low bits of a value.
constexpr value_bounds truncated(const value_bounds& a, unsigned width) {
  value_bounds out = value_bounds::all(width);
  if (a.high <= out.high) {
    out.low = a.low;
    out.high = a.high;
  }
  if (out.signed_low <= a.signed_low && a.signed_high <= out.signed_high) {
    out.signed_low = a.signed_low;
    out.signed_high = a.signed_high;
  }
  return out;
}

/// What holds of the numbers of both. Bounds that exclude each other are about what never runs: then `a`.
constexpr value_bounds narrower(const value_bounds& a, const value_bounds& b) {
  const value_bounds out{a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high,
                         a.signed_low > b.signed_low ? a.signed_low : b.signed_low,
                         a.signed_high < b.signed_high ? a.signed_high : b.signed_high};
  return out.low > out.high || out.signed_low > out.signed_high ? a : out;
}

/// The bounds of an arc of numbers. Those that the arc crosses are lost.
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

/// The sum of two values, or their difference. Bounds that it may take across the end of the numbers are lost.
constexpr value_bounds sum_of_bounds(const value_bounds& a, const value_bounds& b, bool subtracts, unsigned width) {
  value_bounds out = value_bounds::all(width);
  const auto bits = [](auto x) { return static_cast<std::uint64_t>(x); };
  const std::uint64_t low = bits(subtracts ? a.low - b.high : a.low + b.low) & low_ones(width);
  const std::uint64_t more = a.high - a.low;
  if (const std::uint64_t other = b.high - b.low; more <= out.high - low && other <= out.high - low - more) {
    out.low = low;
    out.high = low + more + other;
  }
  const std::uint64_t other = bits(b.signed_high) - bits(b.signed_low);
  const std::int64_t least =
      as_signed(bits(a.signed_low) + (subtracts ? 0 - bits(b.signed_high) : bits(b.signed_low)), width);
  const std::uint64_t signed_more = bits(a.signed_high) - bits(a.signed_low);
  const std::uint64_t room = bits(out.signed_high) - bits(least);
  if (signed_more <= room && other <= room - signed_more) {
    out.signed_low = least;
    out.signed_high = static_cast<std::int64_t>(bits(least) + signed_more + other);
  }
  return out;
}

/// The sum with a number.
constexpr value_bounds shifted(const value_bounds& a, std::uint64_t number, unsigned width) {
  return sum_of_bounds(a, value_bounds::exactly(number, width), false, width);
}

/// A value of fewer bits, extended.
constexpr value_bounds extended(const value_bounds& a, operation extension, unsigned width) {
  value_bounds out = value_bounds::all(width);
  if (extension == operation::sign_extend) {
    out.signed_low = a.signed_low;
    out.signed_high = a.signed_high;
    if (a.signed_low >= 0) {
      out.low = static_cast<std::uint64_t>(a.signed_low);
      out.high = static_cast<std::uint64_t>(a.signed_high);
    }
  } else {
    out.low = a.low;
    out.high = a.high;
    out.signed_low = static_cast<std::int64_t>(a.low);
    out.signed_high = static_cast<std::int64_t>(a.high);
  }
  return out;
}

} // namespace detail

MIDEND_END_NAMESPACE
