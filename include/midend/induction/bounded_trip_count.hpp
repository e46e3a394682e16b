/// `most_backedges`, `most_backedges_of_ways`: how often a loop runs at most, if start and bound of its
/// counter are known to lie between numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/form_range.hpp"
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

/// A number if it is not too large.
constexpr std::optional<std::uint64_t> if_small(std::uint64_t n) {
  return n <= largest_upper_bound ? std::optional(n) : std::nullopt;
}

/// The backedges of a counter that goes a distance to its bound, at an order; 0 if the distance is 0 and the bound ends
/// the loop.
constexpr std::optional<std::uint64_t> backedges_of_distance(const trip_formula& f, std::uint64_t distance) {
  const std::uint64_t whole = distance / f.divisor;
  if (whole > largest_upper_bound) {
    return std::nullopt; // so that the sum fits
  }
  return if_small(whole + (distance % f.divisor + f.adjustment + f.divisor - 1) / f.divisor);
}

/// From the start that is furthest away to the bound that is, in the direction of the counter; 0 if that is passed.
constexpr std::uint64_t longest_distance(const trip_formula& f, const value_bounds& start, const value_bounds& bound) {
  const bool is_signed = is_signed_order(f.ends);
  const std::uint64_t offset = is_signed ? sign_bit(f.width) : 0; // makes signed order unsigned
  const std::uint64_t low = is_signed ? static_cast<std::uint64_t>(start.signed_low) : start.low;
  const std::uint64_t high = is_signed ? static_cast<std::uint64_t>(start.signed_high) : start.high;
  const std::uint64_t from = ((f.is_down ? high : low) + offset) & low_ones(f.width);
  const std::uint64_t to = (furthest_bound(f, bound) + offset) & low_ones(f.width);
  return f.is_down ? (from < to ? 0 : from - to) : (to < from ? 0 : to - from);
}

/// At equality: steps of 1 go the longest way between start and bound, other ones all the way
/// around at most. Of steps of 2^k, so do those that are known to divide the way.
constexpr std::optional<std::uint64_t> most_to_equality(const trip_formula& f, const counted_exit& e,
                                                        const value_bounds& start, const value_bounds& bound,
                                                        bool is_multiple) {
  const std::uint64_t most = low_ones(f.width);
  const bool is_down = (e.step & sign_bit(f.width)) != 0;
  const std::uint64_t size = (is_down ? 0 - e.step : e.step) & most;
  if (size != 1 && !(is_multiple && std::has_single_bit(size))) {
    return if_small(most >> f.shift);
  }
  return if_small((is_down ? longest_way(bound, start, most) : longest_way(start, bound, most)) / size);
}

} // namespace detail

/// The number of backedges that a loop takes at most until this exit is taken, if it is tested in every iteration:
/// whatever `start` and `bound` of the exit are between the given bounds. The members `start` and `bound` of `e` are
/// ignored. `is_multiple`: if the exit is taken at equality, the way from the start to the bound is a multiple of the
/// greatest power of 2 that divides the step. Nothing if that is unknown or above 65,535.
///
/// At an order, the exit is taken at the latest when the counter has met the bound that is furthest away, provided that
/// it cannot wrap before. At equality, steps of 1 lead to the bound in any case, and of 2^k if that divides the way.
constexpr std::optional<std::uint64_t> most_backedges(const counted_exit& e, const value_bounds& start,
                                                      const value_bounds& bound, bool is_multiple = false) {
  const optional<trip_formula> f = trip_formula_of(e);
  if (!f || !(detail::meets_bound(*f, e, bound) || (is_multiple && f->ends == operation::equal))) {
    return std::nullopt;
  }
  if (detail::is_order(f->ends)) {
    return detail::backedges_of_distance(*f, detail::longest_distance(*f, start, bound));
  }
  return detail::most_to_equality(*f, e, start, bound, is_multiple);
}

/// The same if the bound is one of these ways above the start. At an order, the loop ends at once, or the counter goes
/// all this way towards the bound without a wrap. At equality, a step of 2^k leads to the bound if all ways are
/// multiples of it. `f` is the formula of `e`, of which only the step is read; at an order, of an exit whose counter
/// cannot wrap before it meets the bound.
constexpr std::optional<std::uint64_t> most_backedges_of_ways(const trip_formula& f, const counted_exit& e,
                                                              const form_range& ways) {
  const std::uint64_t most = low_ones(f.width);
  const bool is_order = detail::is_order(f.ends);
  const bool is_down = is_order ? f.is_down : (e.step & detail::sign_bit(f.width)) != 0;
  const std::uint64_t first = (is_down ? 0 - ways.first - ways.more : ways.first) & most;
  const std::uint64_t longest = ways.more <= most - first ? first + ways.more : most;
  if (is_order) {
    return detail::backedges_of_distance(f, longest);
  }
  const std::uint64_t size = (is_down ? 0 - e.step : e.step) & most;
  const bool divides = std::has_single_bit(size) && f.shift <= ways.zeros && (first & (size - 1)) == 0;
  return divides ? detail::if_small(longest / size) : std::nullopt;
}

/// A power of 2 that divides the header executions of a loop with this formula, if the bound is `way` above the start
/// in the low `bits` bits, and if at an order, the start is not past the bound.
constexpr std::uint64_t multiple_by_low_bits(const trip_formula& f, std::uint64_t way, unsigned bits) {
  const bool is_order = detail::is_order(f.ends);
  const auto shift = static_cast<unsigned>(is_order ? std::countr_zero(f.divisor) : f.shift);
  const std::uint64_t below = (std::uint64_t{1} << shift) - 1; // what one step passes
  const bool has_known = is_order ? std::has_single_bit(f.divisor) : (way & below) == 0;
  if (bits <= shift || !has_known) {
    return 1;
  }
  const std::uint64_t distance = is_order ? (f.is_down ? 0 - way : way) + f.adjustment + below : way;
  const std::uint64_t executions = (distance >> shift) * f.inverse + 1;
  const unsigned known = (bits < f.width ? bits : f.width) - shift;
  const auto zeros = static_cast<unsigned>(std::countr_zero(executions));
  const unsigned divides = zeros < known ? zeros : known;
  return std::uint64_t{1} << (divides < 63 ? divides : 63);
}

MIDEND_END_NAMESPACE
