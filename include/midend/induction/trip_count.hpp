/// `trip_count`: how often a loop runs until an exit that compares a counter is taken.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// An exit that compares a counter: once in each iteration it tests `start`, `start + step`, `start + 2 · step`, …
/// against `bound`, and it leaves the loop at the first test whose result is `exits_when`. If the counter is tested
/// after its increment, `start` is the value of the first test: the initial value plus the step.
struct counted_exit {
  std::uint8_t width = 64; ///< of the counter, 1 … 64; higher bits of the numbers are ignored
  std::uint64_t start = 0;
  std::uint64_t step = 1; ///< modulo 2^width: 2^width - 1 counts down by 1
  std::uint64_t bound = 0;
  operation comparison = operation::not_equal; ///< a comparison, of counter and bound in this order
  bool exits_when = false;
  operation_flags flags = {}; ///< promises of the increment, as an addition of `step`
};

enum class trip_count_kind : std::uint8_t {
  unknown,    ///< only `multiple` is known
  exact,      ///< exactly `backedges`
  at_most,    ///< at most `backedges`
  endless,    ///< this exit is never taken
  wraps_first ///< the increment breaks a promise of its flags before this exit is taken: such a run has undefined
              ///< behaviour
};

/// The number of backedges taken; header executions are one more.
struct trip_count {
  trip_count_kind kind = trip_count_kind::unknown;
  std::uint64_t backedges = 0;
  std::uint64_t multiple = 1; ///< the number of header executions is a multiple of this; valid for each kind

  /// Nothing if the kind is neither `exact` nor `at_most`, or if the number is 2^64.
  constexpr std::optional<std::uint64_t> header_executions() const {
    const bool is_known = kind == trip_count_kind::exact || kind == trip_count_kind::at_most;
    return is_known && backedges + 1 != 0 ? std::optional(backedges + 1) : std::nullopt;
  }

  friend constexpr bool operator==(const trip_count&, const trip_count&) = default;
};

namespace detail {

/// The least k with low ≤ k · step mod modulus ≤ high, or nothing. The modulus is `most` + 1, so that 2^64 fits.
/// Requires low ≤ high ≤ most and step ≤ most.
///
/// If no multiple of the step lies in the interval itself, the progression must wrap around y times first, and y is the
/// answer to this question modulo the step, as in Euclid's algorithm. A step of more than half the modulus goes
/// backwards and is mirrored, so that the modulus at least halves: there are at most 64 rounds. Constant memory.
///
/// The k and y of a round are a linear function of those of the next one, and the answer is below 2^64, so it is found
/// by arithmetic modulo 2^64.
constexpr std::optional<std::uint64_t> first_hit(std::uint64_t step, std::uint64_t most, std::uint64_t low,
                                                 std::uint64_t high) {
  // The answer is of_hit · k + of_wraps · y + constant, with the k and y of this round.
  std::uint64_t of_hit = 1;
  std::uint64_t of_wraps = 0;
  std::uint64_t constant = 0;
  for (;;) {
    if (low == 0) {
      return constant; // k = 0, y = 0
    }
    if (step == 0) {
      return std::nullopt;
    }
    if (step > most - step + 1) { // with the opposite numbers: y = k - (their y) - 1
      const std::uint64_t mirrored_low = most - high + 1;
      high = most - low + 1;
      low = mirrored_low;
      step = most - step + 1;
      of_hit += of_wraps;
      constant -= of_wraps;
      of_wraps = 0 - of_wraps;
    }
    const std::uint64_t rest = low % step;
    if (rest == 0 || step - rest <= high - low) { // y = 0
      return of_hit * (low / step + (rest != 0 ? 1 : 0)) + constant;
    }
    // With r = ⌈modulus / step⌉ · step - modulus: low mod step ≤ y · r mod step ≤ high mod step. That progression wraps
    // z times, and k = ⌈modulus / step⌉ · y - z + ⌊low / step⌋.
    constant += of_hit * (low / step);
    const std::uint64_t of_next_hit = of_hit * (most / step + 1) + of_wraps;
    of_wraps = 0 - of_hit;
    of_hit = of_next_hit;
    low = rest;
    high %= step;
    const std::uint64_t next_step = step - 1 - most % step;
    most = step - 1;
    step = next_step;
  }
}

constexpr std::uint64_t sign_bit(unsigned width) {
  return std::uint64_t{1} << (width - 1);
}

constexpr bool is_signed_order(operation comparison) {
  return comparison >= operation::less && comparison <= operation::greater_equal;
}

/// Numbers of some width on the circle of all numbers: `first` and the `more` numbers after it. So an arc can have all
/// 2^64 numbers.
struct number_arc {
  std::uint64_t first;
  std::uint64_t more;
};

/// The arc of values for which `comparison` with `bound` holds; nothing if there are none. For signed orders, the order
/// of the values must have been made unsigned. `most` is the largest number of the width.
constexpr optional<number_arc> values_for_which(operation comparison, std::uint64_t bound, std::uint64_t most) {
  switch (comparison) {
  case operation::equal:
    return number_arc{bound, 0};
  case operation::not_equal:
    return number_arc{(bound + 1) & most, most - 1};
  case operation::less:
  case operation::uless:
    return bound == 0 ? std::nullopt : optional(number_arc{0, bound - 1});
  case operation::less_equal:
  case operation::uless_equal:
    return number_arc{0, bound};
  case operation::greater:
  case operation::ugreater:
    return bound == most ? std::nullopt : optional(number_arc{bound + 1, most - bound - 1});
  default:
    return number_arc{bound, most - bound};
  }
}

/// The comparison that ends the loop.
constexpr operation ending_comparison(const counted_exit& e) {
  return e.exits_when ? e.comparison : negated(e.comparison);
}

/// The number of the first test, counted from 0, that leaves the loop; nothing if none does.
constexpr std::optional<std::uint64_t> first_leaving_test(const counted_exit& e) {
  const std::uint64_t most = low_ones(e.width);
  const operation ends = ending_comparison(e);
  const std::uint64_t offset = is_signed_order(ends) ? sign_bit(e.width) : 0; // makes signed order unsigned
  const auto ending = values_for_which(ends, (e.bound + offset) & most, most);
  if (!ending) {
    return std::nullopt;
  }
  const std::uint64_t from = (e.start + offset - ending->first) & most; // relative to the arc
  if (from <= ending->more) {
    return std::uint64_t{0};
  }
  // from + k · step lies on the arc: so k · step lies in [modulus - from, modulus - from + more].
  const std::uint64_t low = (0 - from) & most;
  return first_hit(e.step & most, most, low, low + ending->more);
}

/// The number of increments before one breaks the promise of the flags; nothing if none ever does.
constexpr std::optional<std::uint64_t> increments_without_wrap(const counted_exit& e) {
  const std::uint64_t most = low_ones(e.width);
  const std::uint64_t start = e.start & most;
  const std::uint64_t step = e.step & most;
  if (step == 0) {
    return std::nullopt;
  }
  std::optional<std::uint64_t> kept;
  if (e.flags.no_unsigned_wrap) {
    kept = (most - start) / step;
  }
  if (e.flags.no_signed_wrap) {
    const bool down = (step & sign_bit(e.width)) != 0;
    const std::uint64_t place = (start + sign_bit(e.width)) & most; // above the smallest number
    const std::uint64_t size = down ? (0 - step) & most : step;
    const std::uint64_t within = (down ? place : most - place) / size;
    kept = !kept || within < *kept ? within : *kept;
  }
  return kept;
}

} // namespace detail

/// How often the loop runs if this is its only exit and all numbers are known. Exact for every width, step, comparison
/// and direction, wrap-around included: the values that end the loop are an arc on the circle of all numbers of the
/// width, and a variant of Euclid's algorithm (`detail::first_hit`) finds where an arithmetic progression first meets
/// an arc. At most 64 steps.
///
/// The flags are promises of the increments between the tests. If an increment breaks one before the first test that
/// leaves the loop, the result is `wraps_first`, even if the wrapped counter would leave later.
constexpr trip_count trip_count_of(const counted_exit& e) {
  MIDEND_ASSERT(e.width >= 1 && e.width <= 64, "a width of 1 to 64 bits", e.width);
  MIDEND_ASSERT(is_comparison(e.comparison), "a comparison");
  const auto leaves = detail::first_leaving_test(e);
  const auto kept = detail::increments_without_wrap(e);
  if (kept && (!leaves || *leaves > *kept)) {
    return {trip_count_kind::wraps_first, 0, 1};
  }
  if (!leaves) {
    return {trip_count_kind::endless, 0, 1};
  }
  return {trip_count_kind::exact, *leaves, *leaves + 1 == 0 ? std::uint64_t{1} << 63 : *leaves + 1};
}

/// How often a loop with both of these exits runs, if every iteration that reaches an exit tests it. Associative and
/// commutative; `endless` ("this exit is never taken") is neutral.
///
/// Of two exact counts, the smaller one. If only one count is known, this count, as `at_most`. A count `wraps_first`
/// has no effect: either the other exit is taken before, or the run has undefined behaviour. A power of 2 that divides
/// both multiples divides the combined count.
constexpr trip_count combined(const trip_count& a, const trip_count& b) {
  using enum trip_count_kind;
  if (a.kind == endless || (a.kind == wraps_first && b.kind != endless)) {
    return b;
  }
  if (b.kind == endless || b.kind == wraps_first) {
    return a;
  }
  if (a.kind == exact && b.kind == exact) {
    return a.backedges <= b.backedges ? a : b;
  }
  const std::uint64_t multiple = std::uint64_t{1} << std::countr_zero(a.multiple | b.multiple);
  if (a.kind == unknown && b.kind == unknown) {
    return {unknown, 0, multiple};
  }
  const trip_count& least = a.kind == unknown || (b.kind != unknown && b.backedges < a.backedges) ? b : a;
  return {at_most, least.backedges, multiple};
}

MIDEND_END_NAMESPACE
