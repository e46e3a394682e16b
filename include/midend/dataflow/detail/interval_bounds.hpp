/// The bounds of a number, signed and unsigned.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/range_arithmetic.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What a number of some width can be, if it is signed and if it is not.
struct interval_bounds {
  signed_interval::element as_signed;
  unsigned_interval::element as_unsigned;

  constexpr bool is_bottom() const { return as_unsigned.is_bottom(); }

  friend constexpr bool operator==(const interval_bounds&, const interval_bounds&) = default;

  static constexpr interval_bounds none() { return {signed_ranges::none(), unsigned_ranges::none()}; }

  static constexpr interval_bounds all(unsigned width) {
    return {signed_interval::full(width), unsigned_interval::full(width)};
  }

  static constexpr interval_bounds exactly(unsigned width, std::uint64_t c) {
    const std::int64_t s = midend::as_signed(c, width);
    return {{s, s}, {c, c}};
  }

  static constexpr interval_bounds hull(const interval_bounds& a, const interval_bounds& b) {
    return {signed_ranges::hull(a.as_signed, b.as_signed), unsigned_ranges::hull(a.as_unsigned, b.as_unsigned)};
  }

  /// Makes both intervals the least ones around the numbers that both allow.
  static constexpr void reduce(unsigned width, interval_bounds& a) {
    const unsigned_ranges::range positive = not_negative(width, a);
    const unsigned_ranges::range negative = interval_bounds::negative(width, a);
    a.as_unsigned = unsigned_ranges::hull(positive, negative);
    a.as_signed = signed_ranges::hull(meaning(width, positive), meaning(width, negative));
  }

  /// The numbers without the highest bit that both intervals allow.
  static constexpr unsigned_ranges::range not_negative(unsigned width, const interval_bounds& a) {
    const std::int64_t highest = signed_interval::full(width).high;
    return unsigned_ranges::common(a.as_unsigned, pattern(width, signed_ranges::common(a.as_signed, {0, highest})));
  }

  /// Those with it.
  static constexpr unsigned_ranges::range negative(unsigned width, const interval_bounds& a) {
    const std::int64_t lowest = signed_interval::full(width).low;
    return unsigned_ranges::common(a.as_unsigned, pattern(width, signed_ranges::common(a.as_signed, {lowest, -1})));
  }

  /// Bits of numbers that all have the highest bit, or all have not, as numbers with a sign.
  static constexpr signed_ranges::range meaning(unsigned width, const unsigned_ranges::range& a) {
    return a.is_bottom() ? signed_ranges::none()
                         : signed_ranges::range{midend::as_signed(a.low, width), midend::as_signed(a.high, width)};
  }

  /// Leaves in `a` and `b` what can be if the comparison holds.
  static constexpr void assume(operation code, unsigned width, interval_bounds& a, interval_bounds& b) {
    switch (code) {
    case operation::equal:
      a.as_signed = b.as_signed = signed_ranges::common(a.as_signed, b.as_signed);
      a.as_unsigned = b.as_unsigned = unsigned_ranges::common(a.as_unsigned, b.as_unsigned);
      break;
    case operation::not_equal: {
      const interval_bounds old_a = a;
      if (b.as_unsigned.is_constant()) {
        unsigned_ranges::assume_not(a.as_unsigned, b.as_unsigned.low);
        signed_ranges::assume_not(a.as_signed, b.as_signed.low);
      }
      if (old_a.as_unsigned.is_constant()) {
        unsigned_ranges::assume_not(b.as_unsigned, old_a.as_unsigned.low);
        signed_ranges::assume_not(b.as_signed, old_a.as_signed.low);
      }
      break;
    }
    case operation::less:
      signed_ranges::assume_less(a.as_signed, b.as_signed);
      break;
    case operation::less_equal:
      signed_ranges::assume_less_equal(a.as_signed, b.as_signed);
      break;
    case operation::uless:
      unsigned_ranges::assume_less(a.as_unsigned, b.as_unsigned);
      break;
    case operation::uless_equal:
      unsigned_ranges::assume_less_equal(a.as_unsigned, b.as_unsigned);
      break;
    case operation::greater:
    case operation::greater_equal:
    case operation::ugreater:
    case operation::ugreater_equal:
      return assume(mirrored(code), width, b, a);
    default:
      return;
    }
    reduce(width, a);
    reduce(width, b);
    if (a.is_bottom() || b.is_bottom()) {
      a = b = none();
    }
  }

private:
  /// Numbers of one sign, by their bits.
  static constexpr unsigned_ranges::range pattern(unsigned width, const signed_ranges::range& a) {
    return a.is_bottom() ? unsigned_ranges::none()
                         : unsigned_ranges::range{static_cast<std::uint64_t>(a.low) & low_ones(width),
                                                  static_cast<std::uint64_t>(a.high) & low_ones(width)};
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
