/// The enumerators and numbers of unrolling in words.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/support/fraction.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/unrolling_advice.hpp"

#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

/// A fraction as it is: `9/4`, and `3` for a whole number.
inline std::string exact_text(const fraction& f) {
  std::string text = std::to_string(f.numerator());
  return f.denominator() == 1 ? text : text + "/" + std::to_string(f.denominator());
}

/// A fraction as a decimal number, rounded to the nearest thousandth: `2.25`, `1.333`, `3.00`.
inline std::string decimal_text(const fraction& f) {
  std::uint64_t whole = f.numerator() / f.denominator();
  std::uint64_t thousandths = ((f.numerator() % f.denominator()) * 1000 + f.denominator() / 2) / f.denominator();
  whole += thousandths / 1000;
  thousandths %= 1000;
  std::string digits = std::to_string(1000 + thousandths).substr(1);
  if (digits.back() == '0') {
    digits.pop_back();
  }
  return std::to_string(whole) + "." + digits;
}

/// What may be done for which reason: a phrase without full stop.
constexpr std::string_view to_text(unrolling_obstacle o) {
  switch (o) {
  case unrolling_obstacle::none:
    return "nothing";
  case unrolling_obstacle::contains_loop:
    return "there is a loop inside, only innermost ones are unrolled";
  case unrolling_obstacle::irreducible:
    return "there is a cycle inside that is no natural loop";
  case unrolling_obstacle::unusual_control:
    return "a branch inside is decided by no condition";
  case unrolling_obstacle::too_large:
    return "one iteration has more operations than the limit";
  case unrolling_obstacle::impossible_machine:
    return "an operation needs what the machine does not have";
  default:
    return "the operations of one iteration wait for each other";
  }
}

constexpr std::string_view to_text(rejection r) {
  switch (r) {
  case rejection::none:
    return "chosen";
  case rejection::not_allowed:
    return "not allowed by the options";
  case rejection::outdone:
    return "outdone by a larger one";
  case rejection::not_faster:
    return "not faster";
  case rejection::tie:
    return "as fast, and larger";
  case rejection::gain_too_small:
    return "gains too little for its size";
  case rejection::slower_in_total:
    return "slower over all iterations";
  case rejection::trip_too_short:
    return "the loop runs less often";
  case rejection::below_break_even:
    return "the loop runs too seldom for it to pay";
  case rejection::too_many_operations:
    return "too many operations";
  case rejection::too_many_bytes:
    return "too many bytes";
  case rejection::too_many_registers:
    return "too many registers";
  case rejection::leaves_loop_buffer:
    return "too large for the loop buffer, which the loop fits in";
  case rejection::too_many_copies:
    return "not looked at, enough others were";
  default:
    return "another factor is asked for";
  }
}

constexpr std::string_view to_text(assumption a) {
  switch (a) {
  case assumption::lower_bound:
    return "cycles are lower bounds, which a schedule may not reach";
  case assumption::branch_is_free_of_recurrence:
    return "nothing waits for the branch back";
  case assumption::no_signed_wrap:
    return "counters keep their promise not to wrap";
  case assumption::alias_classes:
    return "accesses of different alias classes do not overlap";
  case assumption::reassociation:
    return "operations may be grouped anew where the program says so";
  case assumption::if_conversion:
    return "branches inside the body become predicates";
  case assumption::speculated_loads:
    return "loads run before the exits of earlier copies are decided";
  case assumption::profile:
    return "the loop runs as often as the profile says";
  case assumption::assumed_trip:
    return "the trip count is made up, nothing is known of it";
  case assumption::trip_hint:
    return "the program's hint of the trip count is right";
  case assumption::hardware_counter:
    return "the hardware counts the iterations";
  default:
    return "loads hit the first level of the cache";
  }
}

constexpr std::string_view to_text(pipelining_obstacle o) {
  switch (o) {
  case pipelining_obstacle::none:
    return "pipelined";
  case pipelining_obstacle::straight_line:
    return "straight line";
  case pipelining_obstacle::no_pipelining:
    return "the machine does not pipeline loops";
  case pipelining_obstacle::call:
    return "not pipelined, it has a call";
  case pipelining_obstacle::too_many_operations:
    return "not pipelined, too many operations";
  case pipelining_obstacle::too_many_stages:
    return "not pipelined, too many stages";
  default:
    return "not pipelined, too few passes";
  }
}

/// How often a loop runs, in both conventions: `5 header executions, 4 backedges taken`.
inline std::string trip_text(const loop_counters& counters, const loop_hints& hints = {}) {
  const trip_count& trip = counters.trip;
  std::string text;
  const auto counted = [&] {
    const auto executions = trip.header_executions();
    return (executions ? std::to_string(*executions) : std::string("2^64")) + " header executions, " +
           std::to_string(trip.backedges) + " backedges taken";
  };
  switch (trip.kind) {
  case trip_count_kind::exact:
    return counted();
  case trip_count_kind::at_most:
    text = "at most " + counted();
    break;
  case trip_count_kind::endless:
    return "endless: no exit is ever taken";
  default:
    text = "number of header executions unknown";
  }
  if (counters.trip_multiple > 1) {
    text += ", a multiple of " + std::to_string(counters.trip_multiple);
  }
  if (counters.counted_exit != no_body_value && counters.exits[counters.counted_exit].has_formula) {
    text += ", computable before the loop";
  }
  if (hints.average > 0) {
    constexpr double most = 1e15; // of more, hundredths do not fit
    const auto hundredths = static_cast<std::uint64_t>((hints.average < most ? hints.average : most) * 100 + 0.5);
    text += (hints.average < most ? ", " : ", more than ") +
            (hundredths % 100 == 0 ? std::to_string(hundredths / 100) : decimal_text({hundredths, 100})) +
            " on average";
  }
  return text;
}

/// Why the chosen way to run the loop does what the loop does.
inline std::string legality_text(const unrolling_advice& advice) {
  const unrolling_candidate& c = advice.decision();
  const std::string factor = std::to_string(c.factor);
  const bool is_left_elsewhere = advice.counters.exits.size() > 1;
  const std::string runs = is_left_elsewhere ? "the counted exit lets " : "the loop runs ";
  const std::string others = is_left_elsewhere ? " through; each copy keeps its other exit tests" : "";
  switch (c.kind) {
  case unrolling_kind::none:
    return "nothing is changed";
  case unrolling_kind::full:
    return advice.counters.is_exact()
               ? runs + "exactly " + factor + " iterations" + others
               : "the loop runs at most " + factor + " iterations; each copy keeps its exit tests";
  case unrolling_kind::partial:
    return runs + "a multiple of " + factor + " iterations" + others;
  case unrolling_kind::partial_with_remainder:
    return runs + "exactly " + std::to_string(advice.counters.counted_iterations().value_or(advice.iterations)) +
           " iterations" + others + "; " + std::to_string(c.remainder_iterations) + " of them stand apart";
  case unrolling_kind::runtime:
    return "how many iterations it runs is computed before; fewer than " + factor + " have a loop of their own" +
           (is_left_elsewhere ? "; each copy keeps its other exit tests" : "");
  case unrolling_kind::uncounted:
    return "each copy keeps its exit tests";
  default:
    return "each peeled iteration keeps its exit tests";
  }
}

MIDEND_END_NAMESPACE
