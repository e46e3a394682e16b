/// `most_backedges`, `most_backedges_of_way`: how often a loop runs at most, if start and bound of its counter are
/// known to lie between numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_facts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether the counter of an exit with a formula meets its bound before it wraps. With a known bound, more values than
/// a step may end the loop, so that the counter cannot step over them.
constexpr bool cannot_wrap(const trip_formula& f, const counted_exit& e, bool bound_is_known) {
  if (!f.requires_no_wrap) {
    return true;
  }
  if (f.ends == operation::equal) {
    return e.flags.no_signed_wrap || e.flags.no_unsigned_wrap;
  }
  const bool is_signed = is_signed_order(f.ends);
  if (is_signed ? e.flags.no_signed_wrap : e.flags.no_unsigned_wrap && !f.is_down) {
    return true;
  }
  const std::uint64_t most = low_ones(e.width);
  const std::uint64_t offset = is_signed ? sign_bit(e.width) : 0;
  const auto ending = values_for_which(f.ends, (e.bound + offset) & most, most);
  return bound_is_known && ending && ending->more >= f.divisor - 1;
}

/// The bound, as the exit compares it, that the counter meets last.
constexpr std::uint64_t furthest_bound(const trip_formula& f, const value_bounds& bound) {
  const bool is_signed = is_signed_order(f.ends);
  const std::uint64_t low = is_signed ? static_cast<std::uint64_t>(bound.signed_low) : bound.low;
  const std::uint64_t high = is_signed ? static_cast<std::uint64_t>(bound.signed_high) : bound.high;
  return (f.is_down ? low : high) & low_ones(f.width);
}

/// Whether the counter of an exit with a formula meets its bound before it wraps, whatever it is between numbers. At an
/// order, a bound that is less far away is met before.
constexpr bool meets_bound(const trip_formula& f, counted_exit e, const value_bounds& bound) {
  e.bound = furthest_bound(f, bound);
  return cannot_wrap(f, e, f.ends != operation::equal);
}

// Arithmetic of bounds.

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

/// The sum with a number. Bounds that it takes across the end of the numbers are lost.
constexpr value_bounds shifted(const value_bounds& a, std::uint64_t number, unsigned width) {
  value_bounds out = value_bounds::all(width);
  const std::uint64_t low = (a.low + number) & low_ones(width);
  const std::uint64_t high = (a.high + number) & low_ones(width);
  if (low <= high) {
    out.low = low;
    out.high = high;
  }
  const std::int64_t least = as_signed(static_cast<std::uint64_t>(a.signed_low) + number, width);
  const std::int64_t greatest = as_signed(static_cast<std::uint64_t>(a.signed_high) + number, width);
  if (least <= greatest) {
    out.signed_low = least;
    out.signed_high = greatest;
  }
  return out;
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

/// Larger upper bounds help nobody.
inline constexpr std::uint64_t largest_upper_bound = 0xffff;

/// The largest distance from a start up to a bound by steps of 1, if no start is above a bound; else `most`.
constexpr std::uint64_t longest_way(const value_bounds& start, const value_bounds& bound, std::uint64_t most) {
  if (start.high <= bound.low) {
    most = bound.high - start.low;
  }
  if (start.signed_high <= bound.signed_low) {
    const auto way = static_cast<std::uint64_t>(bound.signed_high) - static_cast<std::uint64_t>(start.signed_low);
    most = way < most ? way : most;
  }
  return most;
}

} // namespace detail

/// The number of backedges that a loop takes at most until this exit is taken, if it is tested in every iteration:
/// whatever `start` and `bound` of the exit are between the given bounds. The members `start` and `bound` of `e` are
/// ignored. If `bound_varies`, the bound may be another number at each test. Nothing if that is unknown or above
/// 65,535.
///
/// At an order, the exit is taken at the latest when the counter has met the bound that is furthest away, provided that
/// it cannot wrap before. At equality, steps of 1 lead to the bound in any case.
constexpr std::optional<std::uint64_t> most_backedges(counted_exit e, const value_bounds& start,
                                                      const value_bounds& bound, bool bound_varies) {
  const optional<trip_formula> formula = trip_formula_of(e);
  if (!formula) {
    return std::nullopt;
  }
  const trip_formula& f = *formula;
  const std::uint64_t most = low_ones(f.width);
  std::uint64_t found = 0;
  if (f.ends == operation::equal) {
    if (bound_varies || !detail::cannot_wrap(f, e, false)) {
      return std::nullopt;
    }
    found = most >> f.shift;
    if ((e.step & most) == 1) {
      found = detail::longest_way(start, bound, found);
    } else if ((e.step & most) == most) {
      found = detail::longest_way(bound, start, found);
    }
  } else {
    const bool is_signed = detail::is_signed_order(f.ends);
    const std::uint64_t offset = is_signed ? detail::sign_bit(f.width) : 0; // makes signed order unsigned
    e.bound = detail::furthest_bound(f, bound);
    if (!detail::cannot_wrap(f, e, true)) {
      return std::nullopt;
    }
    const std::uint64_t nearest = is_signed
                                      ? static_cast<std::uint64_t>(f.is_down ? start.signed_high : start.signed_low)
                                      : (f.is_down ? start.high : start.low);
    const std::uint64_t from = (nearest + offset) & most;
    const std::uint64_t to = (e.bound + offset) & most;
    const std::uint64_t way = f.is_down ? (from < to ? 0 : from - to) : (to < from ? 0 : to - from);
    const std::uint64_t whole = way / f.divisor;
    if (whole > detail::largest_upper_bound) {
      return std::nullopt; // so that the sum fits
    }
    found = whole + (way % f.divisor + f.adjustment + f.divisor - 1) / f.divisor;
  }
  return found <= detail::largest_upper_bound ? std::optional(found) : std::nullopt;
}

/// The same if the bound is `way` above the start, modulo 2^width, and the loop ends at an order: it ends at once, or
/// the counter goes all this way towards the bound without a wrap. `f` is the formula of an exit whose counter cannot
/// wrap before it meets the bound.
constexpr std::optional<std::uint64_t> most_backedges_of_way(const trip_formula& f, std::uint64_t way) {
  const std::uint64_t size = (f.is_down ? 0 - way : way) & low_ones(f.width);
  if (f.ends == operation::equal || size / f.divisor > detail::largest_upper_bound) {
    return std::nullopt;
  }
  const std::uint64_t found = size / f.divisor + (size % f.divisor + f.adjustment + f.divisor - 1) / f.divisor;
  return found <= detail::largest_upper_bound ? std::optional(found) : std::nullopt;
}

MIDEND_END_NAMESPACE
