/// The enumerators and numbers of unrolling advice in words.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_counts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/support/fraction.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_savings.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace detail {

// These are hardly inlined: text of many pieces would be most of the code of a program that prints advice.

/// The pieces, one after the other.
MIDEND_COLD MIDEND_FUNCTION std::string joined(std::initializer_list<std::string_view> pieces);

MIDEND_COLD MIDEND_FUNCTION std::string number_text(std::uint64_t number);

/// `1 cycle`, `2 cycles`.
MIDEND_COLD MIDEND_FUNCTION std::string counted_text(std::uint64_t count, std::string_view what);

} // namespace detail

/// A fraction in lowest terms: `9/4`, and `3` for a whole number.
MIDEND_COLD MIDEND_FUNCTION std::string exact_text(const fraction& f);

/// A fraction as a decimal number, rounded to the nearest thousandth: `2.25`, `1.333`, `3.00`.
MIDEND_COLD MIDEND_FUNCTION std::string decimal_text(const fraction& f);

// Each enumerator as a phrase without full stop.

constexpr std::string_view to_text(unrolling_obstacle o) {
  switch (o) {
  case unrolling_obstacle::none:
    return "nothing";
  case unrolling_obstacle::contains_loop:
    return "it contains a loop, and only innermost loops are unrolled";
  case unrolling_obstacle::irreducible:
    return "it contains a cycle that is not a natural loop";
  case unrolling_obstacle::unusual_control:
    return "it contains a branch without a condition";
  case unrolling_obstacle::too_large:
    return "one iteration has more operations than the limit";
  case unrolling_obstacle::impossible_machine:
    return "an operation needs a channel or resource that the machine does not have";
  case unrolling_obstacle::too_many_exits:
    return "it has too many exits for the values that are used after it";
  default:
    return "the dependences of one iteration form a cycle";
  }
}

constexpr std::string_view to_text(rejection r) {
  switch (r) {
  case rejection::none:
    return "chosen";
  case rejection::not_allowed:
    return "not allowed by the options";
  case rejection::outdone:
    return "a later candidate is better";
  case rejection::not_faster:
    return "not faster";
  case rejection::tie:
    return "equally fast, but larger";
  case rejection::gain_too_small:
    return "gains too little for its size";
  case rejection::slower_in_total:
    return "slower over all iterations";
  case rejection::trip_too_short:
    return "the loop has fewer iterations";
  case rejection::below_break_even:
    return "too few iterations to pay off";
  case rejection::too_many_operations:
    return "too many operations";
  case rejection::too_many_bytes:
    return "too many bytes";
  case rejection::too_many_registers:
    return "too many registers";
  case rejection::leaves_loop_buffer:
    return "does not fit in the loop buffer, but the rolled loop does";
  case rejection::too_many_copies:
    return "not tried, too many copies in all";
  case rejection::refused:
    return "the transformation refuses the loop";
  default:
    return "another factor is forced";
  }
}

constexpr std::string_view to_text(assumption a) {
  switch (a) {
  case assumption::lower_bound:
    return "cycles are lower bounds, which a schedule may not reach";
  case assumption::branch_is_free_of_recurrence:
    return "no operation waits for the branch back";
  case assumption::no_signed_wrap:
    return "counters do not wrap, as the program promises";
  case assumption::alias_classes:
    return "accesses to different alias classes do not overlap";
  case assumption::reassociation:
    return "operations are regrouped where the program allows it";
  case assumption::if_conversion:
    return "branches inside the body become predicates";
  case assumption::speculated_loads:
    return "loads run before the exits of earlier copies are decided";
  case assumption::profile:
    return "the loop runs as often as in the profile";
  case assumption::assumed_trip:
    return "nothing is known about the trip count, it is assumed";
  case assumption::trip_hint:
    return "the program's hint about the trip count is correct";
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
  case pipelining_obstacle::no_schedule:
    return "not pipelined, no schedule was found";
  default:
    return "not pipelined, too few passes";
  }
}

/// The trip count of a loop, in both conventions: `5 header executions, 4 backedges taken`.
MIDEND_COLD MIDEND_FUNCTION std::string trip_text(const loop_counts& counts);

/// The reason why the chosen form computes the same as the loop.
MIDEND_COLD MIDEND_FUNCTION std::string legality_text(const unrolling_advice& advice);

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_BEGIN_NAMESPACE

namespace detail {

std::string joined(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) {
    text += piece;
  }
  return text;
}

std::string number_text(std::uint64_t number) {
  return std::to_string(number);
}

std::string counted_text(std::uint64_t count, std::string_view what) {
  return joined({number_text(count), " ", what, count == 1 ? "" : "s"});
}

} // namespace detail

std::string exact_text(const fraction& f) {
  const std::string numerator = detail::number_text(f.numerator());
  return f.denominator() == 1 ? numerator : detail::joined({numerator, "/", detail::number_text(f.denominator())});
}

std::string decimal_text(const fraction& f) {
  std::uint64_t whole = f.numerator() / f.denominator();
  std::uint64_t thousandths = ((f.numerator() % f.denominator()) * 1000 + f.denominator() / 2) / f.denominator();
  whole += thousandths / 1000;
  thousandths %= 1000;
  std::string digits = detail::number_text(1000 + thousandths);
  if (digits.back() == '0') {
    digits.pop_back();
  }
  return detail::joined({detail::number_text(whole), ".", std::string_view(digits).substr(1)});
}

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
