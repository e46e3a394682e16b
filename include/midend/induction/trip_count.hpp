/// Trip counts: how often a loop runs whose exit compares a counter.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/detail/first_hit.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// An exit that compares a counter: it tests `start`, `start + step`, `start + 2 · step`, … against `bound`, once in
/// each iteration, and leaves the loop at the first test that comes out as `exits_when`. If the counter is tested after
/// its increment, `start` is what is tested first: the initial value plus the step.
struct counted_exit {
  std::uint8_t width = 64; ///< of the counter, 1 … 64; bits above it do not count
  std::uint64_t start = 0;
  std::uint64_t step = 1; ///< modulo 2^width: 2^width - 1 counts down
  std::uint64_t bound = 0;
  operation comparison = operation::not_equal; ///< of counter and bound, in this order; a comparison
  bool exits_when = false;
  operation_flags flags = {}; ///< of the increment, as an addition of `step`
};

enum class trip_count_kind : std::uint8_t {
  unknown,    ///< nothing is known but `multiple`
  exact,      ///< `backedges` are taken
  at_most,    ///< not more than `backedges`
  endless,    ///< this exit is never taken
  wraps_first ///< the increment breaks its promise not to wrap before this exit is taken, and the program says nothing
};

/// Backedges that are taken, and header executions, which are one more.
struct trip_count {
  trip_count_kind kind = trip_count_kind::unknown;
  std::uint64_t backedges = 0;
  std::uint64_t multiple = 1; ///< the header executions are a multiple of it

  /// Nothing if the kind has none, or if there are 2^64 of them.
  constexpr std::optional<std::uint64_t> header_executions() const {
    const bool is_known = kind == trip_count_kind::exact || kind == trip_count_kind::at_most;
    return is_known && backedges + 1 != 0 ? std::optional(backedges + 1) : std::nullopt;
  }

  friend constexpr bool operator==(const trip_count&, const trip_count&) = default;
};

namespace detail {

struct trip_count_solver {
  static constexpr std::uint64_t sign(unsigned width) { return std::uint64_t{1} << (width - 1); }

  static constexpr bool is_signed(operation c) { return c >= operation::less && c <= operation::greater_equal; }

  /// The values for which the loop ends: `size` of them from `first` on, around the circle of all.
  struct arc {
    std::uint64_t first;
    wide_number size;
  };

  /// For comparisons with order, of values whose order is that of unsigned numbers.
  static constexpr arc ending_values(operation c, std::uint64_t bound, std::uint64_t most) {
    switch (c) {
    case operation::equal:
      return {bound, 1};
    case operation::not_equal:
      return {bound + 1, most};
    case operation::less:
    case operation::uless:
      return {0, bound};
    case operation::less_equal:
    case operation::uless_equal:
      return {0, wide_number{bound} + 1};
    case operation::greater:
    case operation::ugreater:
      return {bound + 1, most - bound};
    default:
      return {bound, wide_number{most - bound} + 1};
    }
  }

  /// The first of the tests 0, 1, … whose value ends the loop.
  static constexpr std::optional<std::uint64_t> first_ending(const counted_exit& e) {
    const std::uint64_t most = low_ones(e.width);
    const operation ends = e.exits_when ? e.comparison : negated(e.comparison);
    const std::uint64_t offset = is_signed(ends) ? sign(e.width) : 0; // makes signed order unsigned
    const arc ending = ending_values(ends, (e.bound + offset) & most, most);
    if (ending.size == 0) {
      return std::nullopt;
    }
    const wide_number modulus = wide_number{most} + 1;
    const std::uint64_t from = (e.start + offset - ending.first) & most; // relative to the arc
    if (from < ending.size) {
      return 0;
    }
    // from + k · step lies in [0, size): so k · step lies in [modulus - from, modulus - from + size).
    const wide_number low = modulus - from;
    return first_hit(e.step & most, modulus, low, low + ending.size - 1);
  }

  /// How many increments keep what the flags promise; nothing if all do.
  static constexpr std::optional<std::uint64_t> increments_without_wrap(const counted_exit& e) {
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
      const bool down = (step & sign(e.width)) != 0;
      const std::uint64_t place = (start + sign(e.width)) & most; // above the smallest number
      const std::uint64_t size = down ? (0 - step) & most : step;
      const std::uint64_t within = (down ? place : most - place) / size;
      kept = !kept || within < *kept ? within : *kept;
    }
    return kept;
  }
};

} // namespace detail

/// How often the loop runs if this is its only exit and all numbers are known. Exact for every width, step, comparison
/// and direction, wrap-around included: the values that end the loop are an arc of the circle of numbers, and when an
/// arithmetic progression first meets an arc is found as Euclid would (`detail::first_hit`). At most 64 steps.
///
/// The flags are promises of the increments that lead from test to test. If one of them would be broken before the
/// first test that leaves, the answer is `wraps_first`, whatever a wrapped counter would do.
constexpr trip_count trip_count_of(const counted_exit& e) {
  MIDEND_ASSERT(e.width >= 1 && e.width <= 64, "a width of 1 to 64 bits", e.width);
  MIDEND_ASSERT(is_comparison(e.comparison), "a comparison");
  const auto ends = detail::trip_count_solver::first_ending(e);
  const auto kept = detail::trip_count_solver::increments_without_wrap(e);
  if (kept && (!ends || *ends > *kept)) {
    return {trip_count_kind::wraps_first, 0, 1};
  }
  if (!ends) {
    return {trip_count_kind::endless, 0, 1};
  }
  return {trip_count_kind::exact, *ends, *ends + 1 == 0 ? std::uint64_t{1} << 63 : *ends + 1};
}

/// How often a loop runs that has both of these exits, each tested in every iteration that comes so far. Associative
/// and commutative; `endless`, "this exit is never taken", is neutral.
///
/// Of two exact counts the smaller. Of one that is known and one that is not, the known one as `at_most`. A count with
/// `wraps_first` says that the other exit was taken before, or the program is without a meaning: it changes nothing.
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
  if (a.kind == unknown && b.kind == unknown) {
    return {};
  }
  const trip_count& least = a.kind == unknown || (b.kind != unknown && b.backedges < a.backedges) ? b : a;
  return {at_most, least.backedges, 1};
}

MIDEND_END_NAMESPACE
