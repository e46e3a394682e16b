/// `emit_unrolled_limit`: the counter up to which a loop may run several iterations without testing each.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/wide_number.hpp"
#include "midend/transform/unrolling_form.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The formula of a trip count: `trip_formula` for any width.
struct limit_formula {
  std::uint8_t width = 64;
  operation ends = operation::equal; ///< the comparison that ends the loop
  bool is_down = false;              ///< whether the counter goes down
  std::uint8_t adjustment = 0;       ///< 1 if the bound itself does not end the loop
  std::uint8_t shift = 0;            ///< valid for equality: how often 2 divides the step
  wide_number divisor = 1;           ///< valid for an order: the absolute value of the step
  wide_number inverse = 1;           ///< valid for equality: the inverse of the odd part of the step, modulo 2^(width -
                                     ///< shift)

  constexpr limit_formula() = default;

  constexpr limit_formula(const trip_formula& f)
      : width(f.width), ends(f.ends), is_down(f.is_down), adjustment(static_cast<std::uint8_t>(f.adjustment)),
        shift(f.shift), divisor(f.divisor), inverse(f.inverse) {}

  friend constexpr bool operator==(const limit_formula&, const limit_formula&) = default;
};

/// The formula for a step of 1 to 255 bits; empty if there is none. For up to 64 bits it equals `trip_formula_of`.
constexpr optional<limit_formula> limit_formula_of(std::uint8_t width, const wide_number& any_step,
                                                   operation comparison, bool exits_when) {
  const wide_number most = low_ones_of_width(width);
  const wide_number step = any_step & most;
  limit_formula f;
  f.width = width;
  f.ends = exits_when ? comparison : negated(comparison);
  if (step == wide_number()) {
    return std::nullopt;
  }
  if (f.ends == operation::equal) {
    f.shift = static_cast<std::uint8_t>(step.num_low_zeros());
    const wide_number odd = step >> f.shift;
    for (int i = 0; i != 8; ++i) { // each step of Newton's iteration doubles the number of correct bits
      f.inverse = f.inverse * (wide_number(2) - odd * f.inverse);
    }
    f.inverse = f.inverse & (most >> f.shift);
    return f;
  }
  f.is_down = step.bit(width - 1u);
  f.divisor = f.is_down ? (wide_number() - step) & most : step;
  if (!detail::is_order(f.ends) || f.is_down == detail::ends_above(f.ends)) {
    return std::nullopt;
  }
  const bool strict = f.ends == operation::greater || f.ends == operation::ugreater || f.ends == operation::less ||
                      f.ends == operation::uless;
  f.adjustment = strict ? 1 : 0;
  return f;
}

/// An exit that compares a counter of any width with a value from outside the loop.
struct counted_test {
  value_id phi = no_value;
  value_id bound = no_value;
  value_id comparison = no_value;    ///< the comparison that decides the condition
  bool swapped = false;              ///< whether the bound is the first operand
  bool exits_when = false;           ///< the result of the comparison for which the loop is left
  operation code = operation::other; ///< of counter and bound, in this order
  std::uint8_t counter_width = 0;    ///< the width of the phi
  std::uint8_t width = 0;            ///< the width of the comparison's operands, before extension
  std::uint8_t bound_width = 0;
  operation extension = operation::copy; ///< extends the counter to the width of the bound
  wide_number step;
  wide_number addend;
};

/// A test of a counter in a loop whose copies run up to a limit: in iteration k = 0, 1, … it compares start + addend +
/// k · step with a bound, modulo 2^width. A wider counter is truncated before the comparison, and then extended to the
/// bound's width if that is larger.
struct passed_test {
  limit_formula formula; ///< of the step in `formula.width` bits; whether the counter wraps does not matter
  wide_number step;
  wide_number addend;
  unrolling_form form; ///< has a limit; the factor of a partial one is at least 2, and a number of the width
  std::uint8_t counter_width = formula.width; ///< at least `formula.width`
  std::uint8_t bound_width = formula.width;   ///< at least `formula.width`
  operation extension = operation::copy;      ///< valid if the bound is wider: `zero_extend` or `sign_extend`

  friend constexpr bool operator==(const passed_test&, const passed_test&) = default;
};

/// The test of an exit, with the step of one iteration. That may differ from the step of the loop, whose round may have
/// several iterations. The caller sets `form`. Empty if the exit has no formula.
constexpr optional<passed_test> passed_test_of(const counted_test& t, const wide_number& step) {
  // Extension keeps the order of numbers. Zero extension makes the order unsigned.
  const operation comparison = t.extension == operation::zero_extend ? unsigned_comparison(t.code) : t.code;
  optional<limit_formula> formula;
  if (t.width > 64) {
    formula = limit_formula_of(t.width, step, comparison, t.exits_when);
  } else if (const auto narrow = trip_formula_of({t.width, 0, step.low(), 0, comparison, t.exits_when, {}})) {
    formula = limit_formula(*narrow);
  }
  const bool fits = t.extension == operation::copy ? t.width == t.bound_width : t.width < t.bound_width;
  if (!formula || !fits || t.width > t.counter_width) {
    return std::nullopt;
  }
  return passed_test{*formula, step, t.addend, {}, t.counter_width, t.bound_width, t.extension};
}

namespace detail {

/// A number as a literal, or computed from literals of 64 bits: 0 - n for a number near the end of the width, else word
/// by word.
template <class Value, class Sink> constexpr Value emit_number(Sink& sink, const wide_number& number, std::uint8_t w) {
  const auto both = [&](operation code, Value a, Value b) { return sink.operation({code, w, w, {}}, a, b); };
  if (number.fits_in_64_bits()) {
    return sink.number(number.low(), w);
  }
  const wide_number negated = (wide_number() - number) & low_ones_of_width(w);
  if (negated.fits_in_64_bits()) {
    const Value zero = sink.number(0, w);
    return both(operation::sub, zero, sink.number(negated.low(), w));
  }
  std::size_t i = wide_number::num_words - 1;
  while (number.word(i) == 0) {
    --i;
  }
  Value out = sink.number(number.word(i), w);
  while (i-- != 0) {
    out = both(operation::shl, out, sink.number(64, w));
    out = number.word(i) == 0 ? out : both(operation::bit_or, out, sink.number(number.word(i), w));
  }
  return out;
}

/// The number with which the guard of a form with a limit compares, or by which it divides; it fits in the counter's
/// width.
constexpr std::uint64_t number_of_guard(const unrolling_form& form) {
  return form.kind == unrolling_kind::peel_last ? 2 : form.factor;
}

} // namespace detail

/// Computes the *limit* from a start and a bound: the value of the counter after the m iterations that the copies run.
/// The first T tests do not leave the loop:
///
///     T = 0 if the first test leaves, else the formula
///     limit = start + m · step
///
/// The form decides which iterations these are. The old loop runs the others after them:
///
///          form m enough, unsigned in a round
///     partial, epilogue        T - T mod factor  T ≥ factor          factor
///     partial, prologue        T mod factor      m ≠ 0               1           a multiple of the factor is left
///     peel_last                T - 1             T ≥ 2               1
///
/// A bound that is wider than the compared number is truncated. T is 0 if that changes the bound: then all numbers
/// compare alike, or the counter has to wrap before it leaves. A wider start is truncated for T, not for the limit.
///
/// The only division is by the step and the factor, which are literals: so `formula.divisor` must fit in 64 bits.
/// `sink.number(bits, width)` makes a literal, with zeros above the 64 bits, `sink.operation(info, a)` and
/// `sink.operation(info, a, b)` an operation; nothing in it traps. Builder and checker share this function.
///
/// T is right for every start, bound, step and width, although the formula of a trip count is right only for counters
/// that do not wrap. If an order ends the loop, T counts the values from the start up to the bound, before any wrap:
/// these tests do not leave. (All 2^width of them give T = 0.) If equality ends it, either the formula gives the first
/// test that leaves, or the counter steps over the bound and no test leaves.
///
/// The counter is at the limit after m iterations, and a loop that is left at the limit is left then at the latest.
template <class Sink, class Value>
constexpr void emit_unrolled_limit(Sink& sink, const passed_test& t, Value start, Value bound, Value& limit,
                                   Value& enough) {
  const limit_formula& f = t.formula;
  const std::uint8_t w = f.width;
  const wide_number most = low_ones_of_width(w);
  const auto with_number = [&](operation code, Value a, const wide_number& number) {
    return sink.operation({code, w, w, {}}, a, detail::emit_number<Value>(sink, number & most, w));
  };
  const auto both = [&](operation code, Value a, Value b) { return sink.operation({code, w, w, {}}, a, b); };
  const auto converted = [&](operation code, Value a, std::uint8_t from, std::uint8_t to) {
    return sink.operation({code, to, from, {}}, a);
  };
  const bool is_cut = t.counter_width > w;
  const bool is_extended = t.bound_width > w;
  const Value tested = is_cut ? converted(operation::truncate, start, t.counter_width, w) : start;
  const Value end = is_extended ? converted(operation::truncate, bound, t.bound_width, w) : bound;
  const Value first = (t.addend & most) == wide_number() ? tested : with_number(operation::add, tested, t.addend);
  const Value distance = f.is_down ? both(operation::sub, first, end) : both(operation::sub, end, first);
  Value trips = distance;
  const auto none_unless = [&](Value condition) {
    trips = both(operation::bit_and, trips, converted(operation::sign_extend, condition, 1, w));
  };
  if (f.ends == operation::equal) {
    if (f.shift != 0) {
      trips = with_number(operation::shr, trips, f.shift);
    }
    if (f.inverse != wide_number(1)) {
      trips = with_number(operation::mul, trips, f.inverse);
    }
    if (f.shift != 0) {
      trips = with_number(operation::bit_and, trips, most >> f.shift);
    }
  } else {
    if (f.divisor != wide_number(1)) { // (distance + adjustment - 1) / divisor + 1
      trips = f.adjustment == 0 ? with_number(operation::sub, trips, 1) : trips;
      trips = with_number(operation::udiv, trips, f.divisor);
    }
    if (f.divisor != wide_number(1) || f.adjustment != 0) {
      trips = with_number(operation::add, trips, 1);
    }
    none_unless(sink.operation({negated(f.ends), 1, w, {}}, first, end));
  }
  if (is_extended) {
    const Value again = converted(t.extension, end, w, t.bound_width);
    none_unless(sink.operation({operation::equal, 1, t.bound_width, {}}, again, bound));
  }
  const bool is_last = t.form.kind == unrolling_kind::peel_last;
  const bool is_rest = t.form.is_prologue();
  const std::uint64_t number = detail::number_of_guard(t.form);
  Value rest = trips;
  if (!is_last) {
    rest = std::has_single_bit(number) ? with_number(operation::bit_and, trips, number - 1)
                                       : with_number(operation::urem, trips, number);
  }
  Value passed = is_last ? with_number(operation::sub, trips, 1) : is_rest ? rest : both(operation::sub, trips, rest);
  if (is_cut) {
    passed = converted(operation::zero_extend, passed, w, t.counter_width);
  }
  const std::uint8_t n = t.counter_width;
  if (const wide_number step = t.step & low_ones_of_width(n); step != wide_number(1)) {
    passed = sink.operation({operation::mul, n, n, {}}, passed, detail::emit_number<Value>(sink, step, n));
  }
  limit = sink.operation({operation::add, n, n, {}}, start, passed);
  enough = is_rest ? sink.operation({operation::not_equal, 1, w, {}}, rest, sink.number(0, w))
                   : sink.operation({operation::ugreater_equal, 1, w, {}}, trips, sink.number(number, w));
}

MIDEND_END_NAMESPACE
