/// `integer_ends`: the range of an integer, as far as it is known.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/support/optional.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Bounds of an integer, as far as they are known.
struct integer_ends {
  optional<std::int64_t> least;
  optional<std::int64_t> most;

  constexpr bool is_at_least(std::int64_t n) const { return least && *least >= n; }

  constexpr bool is_at_most(std::int64_t n) const { return most && *most <= n; }

  constexpr void raise(const optional<std::int64_t>& to) {
    if (to && (!least || *least < *to)) {
      least = to;
    }
  }

  constexpr void lower(const optional<std::int64_t>& to) {
    if (to && (!most || *most > *to)) {
      most = to;
    }
  }
};

/// a + b, if it fits.
constexpr optional<std::int64_t> checked_sum(const optional<std::int64_t>& a, const optional<std::int64_t>& b) {
  if (!a || !b) {
    return std::nullopt;
  }
  const wrapping_result sum = wrapping_add(static_cast<std::uint64_t>(*a), static_cast<std::uint64_t>(*b), 64);
  return sum.signed_wrap ? std::nullopt : optional(static_cast<std::int64_t>(sum.bits));
}

/// a - b, if it fits.
constexpr optional<std::int64_t> checked_difference(const optional<std::int64_t>& a, const optional<std::int64_t>& b) {
  if (!a || !b) {
    return std::nullopt;
  }
  const wrapping_result rest = wrapping_sub(static_cast<std::uint64_t>(*a), static_cast<std::uint64_t>(*b), 64);
  return rest.signed_wrap ? std::nullopt : optional(static_cast<std::int64_t>(rest.bits));
}

/// The range that contains both ranges.
constexpr integer_ends either_of(const integer_ends& a, const integer_ends& b) {
  integer_ends out;
  if (a.least && b.least) {
    out.least = *a.least < *b.least ? a.least : b.least;
  }
  if (a.most && b.most) {
    out.most = *a.most > *b.most ? a.most : b.most;
  }
  return out;
}

/// Moves both bounds to the nearest number that equals `number` modulo 2^bits.
constexpr void round_ends(std::uint64_t number, unsigned bits, integer_ends& ends) {
  const std::uint64_t mask = ones_below(bits < 63 ? bits : 63);
  if (ends.least) {
    const auto up = static_cast<std::int64_t>((number - static_cast<std::uint64_t>(*ends.least)) & mask);
    ends.raise(checked_sum(ends.least, up));
  }
  if (ends.most) {
    const auto down = static_cast<std::int64_t>((static_cast<std::uint64_t>(*ends.most) - number) & mask);
    ends.lower(checked_difference(ends.most, down));
  }
}

/// Narrows the ends of an integer that is on an arc modulo 2^width. The ends must be less than 2^width apart.
constexpr void narrow_to_arc(const number_arc& arc, unsigned width, integer_ends& ends) {
  if (!ends.least || !ends.most || *ends.least > *ends.most) {
    return;
  }
  const std::uint64_t apart = static_cast<std::uint64_t>(*ends.most) - static_cast<std::uint64_t>(*ends.least);
  const std::uint64_t place = (static_cast<std::uint64_t>(*ends.least) - arc.first) & low_ones(width);
  const std::uint64_t to_first = (0 - place) & low_ones(width); // the distance up to the start of the arc
  if (apart > low_ones(width)) {
    return;
  }
  std::uint64_t from = 0; // the rest of the range, relative to its least number
  std::uint64_t rest = arc.more;
  if (place <= arc.more) {
    if (place != 0 && to_first <= apart) {
      return; // the range has the end of the arc, and its start again
    }
    rest = arc.more - place;
  } else {
    from = to_first;
  }
  if (from > apart) {
    return; // the range is empty: this code never runs
  }
  const std::int64_t least = static_cast<std::int64_t>(static_cast<std::uint64_t>(*ends.least) + from);
  if (rest < apart - from) {
    ends.most = static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + rest);
  }
  ends.least = least;
}

/// The bounds of a value in reading `r`, as integers.
constexpr integer_ends ends_of(const value_bounds& b, number_reading r) {
  return r == number_reading::as_signed ? integer_ends{b.signed_low, b.signed_high}
         : b.high >> 63 != 0            ? integer_ends{}
                             : integer_ends{static_cast<std::int64_t>(b.low), static_cast<std::int64_t>(b.high)};
}

} // namespace detail

MIDEND_END_NAMESPACE
