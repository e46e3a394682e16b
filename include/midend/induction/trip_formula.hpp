/// Trip counts of counters whose start and bound are not known: as expressions to evaluate when they are.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The backedges taken, in arithmetic modulo 2^width:
///
///     0                                                    if the test holds that ends the loop: start `ends` bound
///     ((bound - start) / 2^shift) · inverse                of counts up to equality, modulo 2^(width - shift)
///     (far - near + adjustment - 1) / divisor + 1, unsigned, where near and far are start and bound, or for counters
///                                                          that go down, bound and start
///
/// It is what a compiler puts before a loop to find out how often it will run.
struct trip_formula {
  std::uint8_t width = 64;
  operation ends = operation::equal; ///< the comparison that ends the loop
  bool is_down = false;
  std::uint64_t adjustment = 0;  ///< 1 if the bound itself does not end the loop
  std::uint64_t divisor = 1;     ///< of counts by order
  std::uint8_t shift = 0;        ///< of counts up to equality: how often 2 divides the step
  std::uint64_t inverse = 1;     ///< of counts up to equality: that of the rest of the step, which is odd
  bool requires_no_wrap = false; ///< right only if the counter does not pass the end of the numbers first

  friend constexpr bool operator==(const trip_formula&, const trip_formula&) = default;

  /// The backedges taken. 2^width of them, which is endless, come out as 0; that can only be if `requires_no_wrap`.
  constexpr std::uint64_t backedges(std::uint64_t start, std::uint64_t bound) const {
    const std::uint64_t most = low_ones(width);
    counted_exit at_once{width, start, 0, bound, ends, true, {}};
    if (trip_count_of(at_once).kind == trip_count_kind::exact) {
      return 0;
    }
    if (ends == operation::equal) {
      return (((bound - start) & most) >> shift) * inverse & (most >> shift);
    }
    const std::uint64_t distance = ((is_down ? start - bound : bound - start) + adjustment) & most;
    return (distance - 1) / divisor + 1;
  }
};

/// The formula of an exit, of which start and bound are not looked at; nothing for one that it does not cover: steps of
/// 0, comparisons that end the loop in the direction where it comes from, tests that fail only once. An even step up to
/// equality may miss the bound, and goes round for ever then; a counter that does not wrap does not.
constexpr std::optional<trip_formula> trip_formula_of(const counted_exit& e) {
  using solver = detail::trip_count_solver;
  MIDEND_ASSERT(e.width >= 1 && e.width <= 64, "a width of 1 to 64 bits", e.width);
  const std::uint64_t most = low_ones(e.width);
  const std::uint64_t step = e.step & most;
  trip_formula f;
  f.width = e.width;
  f.ends = e.exits_when ? e.comparison : negated(e.comparison);
  if (f.ends == operation::equal && step != 0) {
    f.shift = static_cast<std::uint8_t>(std::countr_zero(step));
    f.requires_no_wrap = f.shift != 0;
    const std::uint64_t odd = step >> f.shift;
    for (int i = 0; i != 6; ++i) { // Newton: the number of right bits doubles
      f.inverse *= 2 - odd * f.inverse;
    }
    f.inverse &= most >> f.shift;
    return f;
  }
  f.is_down = (step & solver::sign(e.width)) != 0;
  f.divisor = f.is_down ? (0 - step) & most : step;
  const bool ends_above = f.ends == operation::greater || f.ends == operation::greater_equal ||
                          f.ends == operation::ugreater || f.ends == operation::ugreater_equal;
  const bool ends_below = f.ends == operation::less || f.ends == operation::less_equal || f.ends == operation::uless ||
                          f.ends == operation::uless_equal;
  if (step == 0 || (f.is_down ? !ends_below : !ends_above)) {
    return std::nullopt;
  }
  const bool strict = f.ends == operation::greater || f.ends == operation::ugreater || f.ends == operation::less ||
                      f.ends == operation::uless;
  f.adjustment = strict ? 1 : 0;
  f.requires_no_wrap = strict || f.divisor != 1;
  return f;
}

MIDEND_END_NAMESPACE
