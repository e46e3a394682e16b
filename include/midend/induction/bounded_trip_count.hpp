/// `most_backedges`, `most_backedges_of_ways`: the greatest number of iterations of a loop, if start and bound of its
/// counter lie in known ranges.
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

/// Whether the counter of an exit with a formula meets its bound before it wraps, for all numbers between the given
/// ones. At an order, a nearer bound is met earlier.
constexpr bool meets_bound(const trip_formula& f, counted_exit e, const value_bounds& bound) {
  e.bound = furthest_bound(f, bound);
  return cannot_wrap(f, e, f.ends != operation::equal);
}

/// Larger upper bounds are of no use.
inline constexpr std::uint64_t largest_upper_bound = 0xffff;

/// The longest distance from a start up to a bound by steps of 1, if no start is above a bound; else `most`.
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

/// The number, if it is not too large.
constexpr std::optional<std::uint64_t> if_small(std::uint64_t n) {
  return n <= largest_upper_bound ? std::optional(n) : std::nullopt;
}

/// The backedges of a counter that is a distance away from its bound, at an order; 0 if the distance is 0 and the bound
/// ends the loop.
constexpr std::optional<std::uint64_t> backedges_of_distance(const trip_formula& f, std::uint64_t distance) {
  const std::uint64_t whole = distance / f.divisor;
  if (whole > largest_upper_bound) {
    return std::nullopt; // so that the sum fits
  }
  return if_small(whole + (distance % f.divisor + f.adjustment + f.divisor - 1) / f.divisor);
}

/// The distance from the furthest start to the furthest bound, in the direction of the counter; 0 if the bound is
/// passed.
constexpr std::uint64_t longest_distance(const trip_formula& f, const value_bounds& start, const value_bounds& bound) {
  const bool is_signed = is_signed_order(f.ends);
  const std::uint64_t offset = is_signed ? sign_bit(f.width) : 0; // makes signed order unsigned
  const std::uint64_t low = is_signed ? static_cast<std::uint64_t>(start.signed_low) : start.low;
  const std::uint64_t high = is_signed ? static_cast<std::uint64_t>(start.signed_high) : start.high;
  const std::uint64_t from = ((f.is_down ? high : low) + offset) & low_ones(f.width);
  const std::uint64_t to = (furthest_bound(f, bound) + offset) & low_ones(f.width);
  return f.is_down ? (from < to ? 0 : from - to) : (to < from ? 0 : to - from);
}

/// At equality: steps of 1 cover at most the longest distance between start and bound, other steps at most the whole
/// circle. Steps of 2^k also cover the longest distance if they are known to divide it.
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

/// The greatest number of backedges of a loop until this exit is taken, for all `start` and `bound` between the given
/// bounds. Requires that every iteration tests the exit. The members `start` and `bound` of `e` are ignored.
/// `is_multiple`: if the exit is taken at equality, the distance from start to bound is a multiple of the greatest
/// power of 2 that divides the step. Nothing if the number is unknown or above 65,535.
///
/// At an order, the exit is taken at the latest when the counter meets the furthest bound, provided that it cannot wrap
/// before. At equality, steps of 1 lead to the bound in any case, and so do steps of 2^k if these divide the distance.
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

/// The greatest number of backedges if the bound is one of these distances above the start. At an order, the loop ends
/// at once, or the counter covers the distance to the bound without a wrap. At equality, a step of 2^k leads to the
/// bound if all distances are multiples of it. `f` is the formula of `e`; only the step of `e` is read. At an order,
/// the counter must not wrap before it meets the bound.
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

/// A power of 2 that divides the header executions of a loop with this formula, if the low `bits` bits of the distance
/// from start to bound are those of `way`, and if at an order, the start is not past the bound.
constexpr std::uint64_t multiple_by_low_bits(const trip_formula& f, std::uint64_t way, unsigned bits) {
  const bool is_order = detail::is_order(f.ends);
  const auto shift = static_cast<unsigned>(is_order ? std::countr_zero(f.divisor) : f.shift);
  const std::uint64_t below = (std::uint64_t{1} << shift) - 1; // the largest distance that adds no step
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
