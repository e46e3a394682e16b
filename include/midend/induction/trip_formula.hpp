/// `trip_formula`: a trip count to be computed before the loop, where the start or the bound is not a known number.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The number of backedges taken, in arithmetic modulo 2^width:
///
///     0                                         if the first test ends the loop: start `ends` bound
///     ((bound - start) / 2^shift) · inverse     modulo 2^(width - shift), if the loop ends at equality
///     (distance + adjustment - 1) / divisor + 1 unsigned, if it ends at an order; the distance is bound - start, or
///                                               start - bound for counters that go down
///
/// A compiler puts this computation before a loop to know how often the loop will run. If the step is a value from
/// before the loop and no number, the divisor is that value: `with_step` makes a formula of numbers.
struct trip_formula {
  std::uint8_t width = 64;
  operation ends = operation::equal; ///< the comparison that ends the loop
  bool is_down = false;              ///< whether the counter goes down
  std::uint64_t adjustment = 0;      ///< 1 if the bound itself does not end the loop
  std::uint64_t divisor = 1;         ///< valid for an order: the absolute value of the step; 0 if the step is a value
  std::uint8_t shift = 0;            ///< valid for equality: how often 2 divides the step
  std::uint64_t inverse = 1;         ///< valid for equality: the inverse of the odd part of the step, modulo 2^(width -
                                     ///< shift)
  bool requires_no_wrap = false;     ///< whether it is correct only if the counter does not wrap before it meets the
                                     ///< bound
  bool negates_step = false;         ///< valid if the step is a value: whether the divisor is its negative

  friend constexpr bool operator==(const trip_formula&, const trip_formula&) = default;

  /// The formula with this number in place of a step that is a value. The divisor is 1 for a step of 0, which never
  /// leads to the bound.
  constexpr trip_formula with_step(std::uint64_t step) const {
    trip_formula out = *this;
    out.divisor = (negates_step ? 0 - step : step) & low_ones(width);
    out.divisor += out.divisor == 0 ? 1 : 0;
    return out;
  }

  /// The number of backedges. Requires that the step is a number. The result is 0 for a loop that would take 2^width
  /// backedges and is endless, which can happen only if `requires_no_wrap`.
  constexpr std::uint64_t backedges(std::uint64_t start, std::uint64_t bound) const {
    MIDEND_ASSERT(divisor != 0, "a step that is a number: `with_step`");
    const std::uint64_t most = low_ones(width);
    const counted_exit first_test{width, start, 0, bound, ends, true, {}};
    if (trip_count_of(first_test).kind == trip_count_kind::exact) {
      return 0;
    }
    if (ends == operation::equal) {
      return (((bound - start) & most) >> shift) * inverse & (most >> shift);
    }
    const std::uint64_t distance = ((is_down ? start - bound : bound - start) + adjustment) & most;
    return (distance - 1) / divisor + 1;
  }
};

namespace detail {

constexpr bool is_order(operation comparison) {
  return comparison != operation::equal && comparison != operation::not_equal;
}

constexpr bool ends_above(operation ends) {
  return ends == operation::greater || ends == operation::greater_equal || ends == operation::ugreater ||
         ends == operation::ugreater_equal;
}

} // namespace detail

/// The formula of an exit, whose `start` and `bound` are ignored. Empty if the exit has no formula: for a step of 0, an
/// order that the counter moves away from, or a loop that ends at inequality. With an even step and equality, the
/// counter may step over the bound and run for ever, unless it does not wrap.
constexpr optional<trip_formula> trip_formula_of(const counted_exit& e) {
  MIDEND_ASSERT(e.width >= 1 && e.width <= 64, "a width of 1 to 64 bits", e.width);
  const std::uint64_t most = low_ones(e.width);
  const std::uint64_t step = e.step & most;
  trip_formula f;
  f.width = e.width;
  f.ends = detail::ending_comparison(e);
  if (f.ends == operation::equal && step != 0) {
    f.shift = static_cast<std::uint8_t>(std::countr_zero(step));
    f.requires_no_wrap = f.shift != 0;
    const std::uint64_t odd = step >> f.shift;
    for (int i = 0; i != 6; ++i) { // each step of Newton's iteration doubles the number of correct bits
      f.inverse *= 2 - odd * f.inverse;
    }
    f.inverse &= most >> f.shift;
    return f;
  }
  f.is_down = (step & detail::sign_bit(e.width)) != 0;
  f.divisor = f.is_down ? (0 - step) & most : step;
  if (step == 0 || !detail::is_order(f.ends) || f.is_down == detail::ends_above(f.ends)) {
    return std::nullopt;
  }
  const bool strict = f.ends == operation::greater || f.ends == operation::ugreater || f.ends == operation::less ||
                      f.ends == operation::uless;
  f.adjustment = strict ? 1 : 0;
  f.requires_no_wrap = strict || f.divisor != 1;
  return f;
}

/// The formula of a counter that does not wrap before it meets its bound, with this number as its step. At an order,
/// the counter moves towards the bound, or the first test ends the loop. Requires that the loop ends at equality, by a
/// step other than 0, or at an order.
constexpr trip_formula direct_trip_formula(operation ends, unsigned width, std::uint64_t step) {
  MIDEND_ASSERT(ends != operation::not_equal, "equality or an order");
  const auto bits = static_cast<std::uint8_t>(width);
  if (ends == operation::equal) {
    return *trip_formula_of({bits, 0, step, 0, ends, true, {}});
  }
  const bool is_up = detail::ends_above(ends);
  trip_formula f;
  f.width = bits;
  f.ends = ends;
  f.is_down = !is_up;
  const bool strict =
      ends == operation::greater || ends == operation::ugreater || ends == operation::less || ends == operation::uless;
  f.adjustment = strict ? 1 : 0;
  f.divisor = (is_up ? step : 0 - step) & low_ones(width);
  f.divisor += f.divisor == 0 ? 1 : 0;
  f.requires_no_wrap = true;
  return f;
}

MIDEND_END_NAMESPACE
