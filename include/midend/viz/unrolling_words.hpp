/// The enumerators and numbers of unrolling advice in words.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_counts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_savings.hpp"
#include "midend/viz/words.hpp"

#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

// Each enumerator as a phrase without full stop.

template <>
inline constexpr auto words_of<unrolling_obstacle> = word_table<unrolling_obstacle>({
    {unrolling_obstacle::none, "nothing"},
    {unrolling_obstacle::contains_loop, "it contains a loop, and only innermost loops are unrolled"},
    {unrolling_obstacle::irreducible, "it contains a cycle that is not a natural loop"},
    {unrolling_obstacle::unusual_control, "it contains a branch without a condition"},
    {unrolling_obstacle::too_large, "one iteration has more operations than the limit"},
    {unrolling_obstacle::impossible_machine, "an operation needs a channel or resource that the machine does not have"},
    {unrolling_obstacle::cyclic_body, "the dependences of one iteration form a cycle"},
    {unrolling_obstacle::too_many_exits, "it has too many exits for the values that are used after it"},
});

template <>
inline constexpr auto words_of<rejection> = word_table<rejection>({
    {rejection::none, "chosen"},
    {rejection::not_allowed, "not allowed by the options"},
    {rejection::outdone, "a later candidate is better"},
    {rejection::not_faster, "not faster"},
    {rejection::tie, "equally fast, but larger"},
    {rejection::gain_too_small, "gains too little for its size"},
    {rejection::slower_in_total, "slower over all iterations"},
    {rejection::trip_too_short, "the loop has fewer iterations"},
    {rejection::below_break_even, "too few iterations to pay off"},
    {rejection::too_many_operations, "too many operations"},
    {rejection::too_many_bytes, "too many bytes"},
    {rejection::too_many_registers, "too many registers"},
    {rejection::leaves_loop_buffer, "does not fit in the loop buffer, but the rolled loop does"},
    {rejection::too_many_copies, "not tried, too many copies in all"},
    {rejection::not_asked_for, "another factor is forced"},
    {rejection::refused, "the transformation refuses the loop"},
});

template <>
inline constexpr auto words_of<assumption> = word_table<assumption>({
    {assumption::lower_bound, "cycles are lower bounds, which a schedule may not reach"},
    {assumption::branch_is_free_of_recurrence, "no operation waits for the branch back"},
    {assumption::no_signed_wrap, "counters do not wrap, as the program promises"},
    {assumption::alias_classes, "accesses to different alias classes do not overlap"},
    {assumption::reassociation, "operations are regrouped where the program allows it"},
    {assumption::if_conversion, "branches inside the body become predicates"},
    {assumption::speculated_loads, "loads run before the exits of earlier copies are decided"},
    {assumption::profile, "the loop runs as often as in the profile"},
    {assumption::assumed_trip, "nothing is known about the trip count, it is assumed"},
    {assumption::trip_hint, "the program's hint about the trip count is correct"},
    {assumption::hardware_counter, "the hardware counts the iterations"},
    {assumption::first_level_loads, "loads hit the first level of the cache"},
});

template <>
inline constexpr auto words_of<pipelining_obstacle> = word_table<pipelining_obstacle>({
    {pipelining_obstacle::none, "pipelined"},
    {pipelining_obstacle::straight_line, "straight line"},
    {pipelining_obstacle::no_pipelining, "the machine does not pipeline loops"},
    {pipelining_obstacle::call, "not pipelined, it has a call"},
    {pipelining_obstacle::too_many_operations, "not pipelined, too many operations"},
    {pipelining_obstacle::too_many_stages, "not pipelined, too many stages"},
    {pipelining_obstacle::no_schedule, "not pipelined, no schedule was found"},
    {pipelining_obstacle::too_few_passes, "not pipelined, too few passes"},
});

/// The trip count of a loop, in both conventions: `5 header executions, 4 backedges taken`.
MIDEND_COLD MIDEND_FUNCTION std::string trip_text(const loop_counts& counts);

/// The reason why the chosen form computes the same as the loop.
MIDEND_COLD MIDEND_FUNCTION std::string legality_text(const unrolling_advice& advice);

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_BEGIN_NAMESPACE

std::string trip_text(const loop_counts& counts) {
  const trip_count& trip = counts.trip;
  const loop_hints& hints = counts.hints;
  if (trip.kind == trip_count_kind::endless) {
    return "endless: no exit is ever taken";
  }
  const auto executions = trip.header_executions();
  const std::string counted =
      detail::joined({executions ? detail::number_text(*executions) : "2^64", " header executions, ",
                      detail::number_text(trip.backedges), " backedges taken"});
  if (trip.kind == trip_count_kind::exact) {
    return counted;
  }
  std::string text = trip.kind == trip_count_kind::at_most ? detail::joined({"at most ", counted})
                                                           : "number of header executions unknown";
  if (trip.multiple > 1) {
    text += detail::joined({", a multiple of ", detail::number_text(trip.multiple)});
  }
  if (counts.has_formula) {
    text += ", computable before the loop";
  }
  if (hints.average > 0) {
    constexpr double most = 1e15; // the hundredths of a larger number do not fit
    const auto hundredths = static_cast<std::uint64_t>((hints.average < most ? hints.average : most) * 100 + 0.5);
    text +=
        detail::joined({hints.average < most ? ", " : ", more than ",
                        hundredths % 100 == 0 ? detail::number_text(hundredths / 100) : decimal_text({hundredths, 100}),
                        " on average"});
  }
  return text;
}

std::string legality_text(const unrolling_advice& advice) {
  const unrolling_candidate& c = advice.decision();
  const std::string factor = detail::number_text(c.factor);
  const bool has_other_exits = advice.counts.num_exits > 1;
  const std::string_view runs = has_other_exits ? "the counted exit lets " : "the loop runs ";
  const std::string_view through = has_other_exits ? " through" : "";
  const std::string_view others = has_other_exits ? "; each copy keeps its other exit tests" : "";
  switch (c.kind) {
  case unrolling_kind::none:
    return "nothing is changed";
  case unrolling_kind::full:
    return advice.counts.is_exact()
               ? detail::joined({runs, "exactly ", factor, " iterations", through, others})
               : detail::joined({"the loop runs at most ", factor, " iterations; each copy keeps its exit tests"});
  case unrolling_kind::partial:
    break;
  default:
    return "each peeled iteration keeps its exit tests";
  }
  if (c.has_exact_count && c.remainder == remainder_placement::none) {
    return detail::joined({runs, "a multiple of ", factor, " iterations", through, others});
  }
  if (c.has_exact_count) {
    return detail::joined({runs, "exactly ",
                           detail::number_text(advice.counts.counted_iterations().value_or(advice.iterations)),
                           " iterations", through, others, "; ", detail::number_text(c.remainder_iterations),
                           " of them are the remainder"});
  }
  return c.has_limit() ? detail::joined({"the number of iterations is computed before the loop; fewer than ", factor,
                                         " of them run in the rolled loop", others})
                       : "each copy keeps its exit tests";
}

MIDEND_END_NAMESPACE

#endif
