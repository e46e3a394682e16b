/// `emit_unrolled_limit`: how far a loop may run in passes of several iterations without testing each.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Which of the T iterations that surely do not leave a loop are run in passes. The old loop runs the others after
/// them.
enum class passed_iterations : std::uint8_t {
  whole_passes, ///< T - T mod factor, of which `factor` are a pass
  all_but_last, ///< T - 1, each a pass
  rest          ///< T mod factor, each a pass: a multiple of the factor is left, so this is a remainder before the loop
};

/// A test of a counter in a loop that is run in passes of `factor` iterations: in iteration k = 0, 1, … it compares
/// start + addend + k · step with a bound, modulo 2^width.
struct passed_test {
  trip_formula formula; ///< of the step; whether the counter wraps does not matter
  std::uint64_t step;
  std::uint64_t addend;
  std::uint64_t factor; ///< at least 2, and a number of the width
  passed_iterations passed = passed_iterations::whole_passes;
};

/// Builds the computation of the *limit* from a start and a bound: what the counter is after m iterations, where m is
/// the greatest multiple of the factor that is at most T, and T says that the first T tests do not leave the loop:
///
///     T = 0 if the first test leaves, else the formula
///     limit = start + (T - T mod factor) · step
///     enough: T ≥ factor, unsigned
///
/// For the other `passed_iterations`, m is T - 1 and enough is T ≥ 2, or m is T mod factor and enough is m ≠ 0.
///
/// `sink.number(bits)` makes a literal, `sink.operation(info, a)` and `sink.operation(info, a, b)` an operation;
/// nothing in it traps. Both who builds such code and who checks it call this function, so there is one definition.
///
/// T is right for every start, bound, step and width, although the formula of a trip count is right only for counters
/// that do not wrap. If the loop ends at an order, T counts the values from the start on that do not pass the bound,
/// before any wrap: these tests do not leave. (All 2^width of them give T = 0.) If it ends at equality, either the
/// formula gives the first test that leaves, or the counter steps over the bound, and none does.
///
/// The counter is at the limit after m iterations, and a loop that is left when it is there is left then at the latest.
template <class Sink, class Value>
constexpr void emit_unrolled_limit(Sink& sink, const passed_test& t, Value start, Value bound, Value& limit,
                                   Value& enough) {
  const trip_formula& f = t.formula;
  const std::uint8_t w = f.width;
  const std::uint64_t most = low_ones(w);
  const auto with_number = [&](operation code, Value a, std::uint64_t number) {
    return sink.operation({code, w, w, {}}, a, sink.number(number & most));
  };
  const auto both = [&](operation code, Value a, Value b) { return sink.operation({code, w, w, {}}, a, b); };
  const Value first = (t.addend & most) == 0 ? start : with_number(operation::add, start, t.addend);
  const Value distance = f.is_down ? both(operation::sub, first, bound) : both(operation::sub, bound, first);
  Value trips = distance;
  if (f.ends == operation::equal) {
    if (f.shift != 0) {
      trips = with_number(operation::shr, trips, f.shift);
    }
    if (f.inverse != 1) {
      trips = with_number(operation::mul, trips, f.inverse);
    }
    if (f.shift != 0) {
      trips = with_number(operation::bit_and, trips, most >> f.shift);
    }
  } else {
    if (f.divisor != 1) { // (distance + adjustment - 1) / divisor + 1
      trips = f.adjustment == 0 ? with_number(operation::sub, trips, 1) : trips;
      trips = with_number(operation::udiv, trips, f.divisor);
    }
    if (f.divisor != 1 || f.adjustment != 0) {
      trips = with_number(operation::add, trips, 1);
    }
    const Value runs = sink.operation({negated(f.ends), 1, w, {}}, first, bound);
    trips = both(operation::bit_and, trips, sink.operation({operation::sign_extend, w, 1, {}}, runs));
  }
  const bool is_rest = t.passed == passed_iterations::rest;
  Value rest = trips;
  if (t.passed != passed_iterations::all_but_last) {
    rest = std::has_single_bit(t.factor) ? with_number(operation::bit_and, trips, t.factor - 1)
                                         : with_number(operation::urem, trips, t.factor);
  }
  Value passed = t.passed == passed_iterations::all_but_last ? with_number(operation::sub, trips, 1)
                 : is_rest                                   ? rest
                                                             : both(operation::sub, trips, rest);
  if ((t.step & most) != 1) {
    passed = with_number(operation::mul, passed, t.step);
  }
  limit = both(operation::add, start, passed);
  const std::uint64_t least = t.passed == passed_iterations::all_but_last ? 2 : t.factor;
  enough = is_rest ? sink.operation({operation::not_equal, 1, w, {}}, rest, sink.number(0))
                   : sink.operation({operation::ugreater_equal, 1, w, {}}, trips, sink.number(least));
}

MIDEND_END_NAMESPACE
