/// `count_to_equality`: the first iteration in which two sides are equal, or differ.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/entry_ranges.hpp"
#include "midend/induction/detail/evolution_solver.hpp"
#include "midend/induction/detail/exit_claims.hpp"
#include "midend/induction/detail/exit_operands.hpp"
#include "midend/induction/detail/integer_ends.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether neither side wraps until they meet.
inline bool keeps_promise(const exit_place& x, const value_comparison& c, number_reading r) {
  evolution apart = resolve_operand(x, c.a, c.width, r);
  apart.add(resolve_second(x, c, r), ~std::uint64_t{0});
  return is_first_degree(apart);
}

/// The low bits of a sum of counters of other loops: those of their starts, if the steps do not change them.
inline bool read_starts(const exit_place& x, const linear_form& form, unsigned bits, linear_form& out) {
  if (bits == 0) {
    return false;
  }
  out = linear_form::zero(bits);
  bool fits = out.add(form.constant);
  for (std::uint32_t i = 0; i != form.num_terms && fits; ++i) {
    const linear_form::term& t = form.terms[i];
    linear_form low;
    fits = x.reader.read_low_bits_of_term(t, bits, low);
    if (fits && x.reader.is_header_phi(t.value) && x.reader.width_of(t.value) >= bits) {
      const evolution e = x.solver.resolve(x.reader.form_of(t.value), x.reader.home(t.value));
      if (e.is_counter() && (e.step().constant & ones_below(bits)) == 0) {
        low = e.start();
        fits = x.reader.reduce(low, bits);
      }
    }
    fits = fits && out.add(low, t.coefficient);
  }
  return fits;
}

/// An upper bound for the steps to the bound, if they lead there: where the distance, as an integer, is not negative.
inline std::optional<std::uint64_t> most_steps(const exit_place& x, const value_comparison& c, const evolution& a,
                                               const evolution& b, const linear_form& way, const linear_form& step) {
  const bool is_down = as_signed(step.constant, step.width) < 0;
  const std::uint64_t size = (is_down ? 0 - step.constant : step.constant) & low_ones(step.width);
  linear_form distance = way;
  std::optional<std::uint64_t> least;
  if ((size != 1 && !std::has_single_bit(size)) || (is_down && !distance.negate())) {
    return least;
  }
  for (const number_reading r : {number_reading::as_signed, number_reading::as_unsigned}) {
    linear_form lifted;
    integer_ends ends = lift_to_integer(x, distance, r, lifted) ? x.ranges.of(lifted, x.loop) : integer_ends();
    if (a.is_counter() && b.is_invariant()) {
      const integer_ends start = ends_of(bounds_of_start(x, c, a), r);
      const integer_ends bound = ends_of(bounds_of_bound(x, c, b), r);
      const integer_ends& far = is_down ? start : bound;
      const integer_ends& near = is_down ? bound : start;
      const integer_ends other{checked_difference(far.least, near.most), checked_difference(far.most, near.least)};
      if (other.is_at_least(0) && (!ends.is_at_least(0) || (other.most && !ends.is_at_most(*other.most)))) {
        ends = other;
      }
    }
    if (ends.is_at_least(0) && ends.most && static_cast<std::uint64_t>(*ends.most) <= low_ones(step.width)) {
      const std::uint64_t most = static_cast<std::uint64_t>(*ends.most) / size;
      least = !least || most < *least ? most : *least;
    }
  }
  return least;
}

/// Divides a distance by a step, modulo 2^width; modulo fewer bits if the step is even.
inline bool divide_way(const exit_place& x, const linear_form& way, std::uint64_t step, const trip_formula& formula,
                       linear_form& out) {
  const unsigned width = way.width;
  linear_form quotient = way.none_of();
  const std::int64_t by = as_signed(step, width);
  const auto is_multiple = [&](std::uint64_t n) { return by == -1 || as_signed(n, width) % by == 0; };
  bool divides = is_multiple(way.constant);
  bool halves = (way.constant & ones_below(formula.shift)) == 0;
  for (std::uint32_t i = 0; i != way.num_terms; ++i) {
    divides = divides && is_multiple(way.terms[i].coefficient);
    halves = halves && (way.terms[i].coefficient & ones_below(formula.shift)) == 0;
  }
  const auto quotient_of = [&](std::uint64_t n) { // the least number divided by -1 is itself
    return !divides   ? (n & low_ones(width)) >> formula.shift
           : by == -1 ? 0 - n
                      : static_cast<std::uint64_t>(as_signed(n, width) / by);
  };
  bool fits = (divides || halves) && quotient.add(quotient_of(way.constant));
  for (std::uint32_t i = 0; i != way.num_terms && fits; ++i) {
    fits = quotient.add(way.terms[i].value, quotient_of(way.terms[i].coefficient), way.terms[i].reading);
  }
  if (!fits) {
    return false;
  }
  out = quotient;
  const form_range range = x.ranges.range_at(quotient, x.loop);
  const std::uint64_t most = low_ones(width) >> formula.shift;
  if (divides && range.first <= most && range.more <= most - range.first) {
    return true;
  }
  return (divides || out.multiply(formula.inverse)) &&
         (formula.shift == 0 || x.reader.reduce(out, width - formula.shift));
}

/// Whether a difference is not 0 in the first iteration.
inline bool differ_at_first(const exit_place& x, const evolution& apart) {
  linear_form first;
  if (!apart.is_known() || !apart.value_at(0, first)) {
    return false;
  }
  const form_range range = x.ranges.range_at(first, x.loop);
  bool differ = range.first != 0 && range.more < low_ones(first.width) - range.first + 1;
  for (const number_reading r : {number_reading::as_signed, number_reading::as_unsigned}) {
    linear_form lifted;
    const integer_ends ends = lift_to_integer(x, first, r, lifted) ? x.ranges.of(lifted, x.loop) : integer_ends();
    const auto most = static_cast<std::int64_t>(low_ones(first.width) >> 1); // the difference is no multiple of 2^width
    differ =
        differ || (ends.is_at_least(1) && ends.is_at_most(most)) || (ends.is_at_least(-most) && ends.is_at_most(-1));
  }
  return differ;
}

/// Counts a difference that moves by a step: it is 0 after distance / step iterations, if that is a whole number.
inline void count_steps_to_zero(const exit_place& x, const value_comparison& c, const evolution& a, const evolution& b,
                                const evolution& apart, loop_trips& out) {
  const counted_exit e = counted_exit_of(c, c.width, apart, 0);
  const optional<trip_formula> formula = trip_formula_of(e);
  linear_form way = apart.start();
  if (!formula || !way.negate()) {
    return;
  }
  form_range ways = x.ranges.range_at(way, x.loop);
  if (linear_form low; read_starts(x, way, formula->shift, low) && low.is_number()) {
    ways = with_low_bits(ways, low.constant, formula->shift, c.width);
  }
  const bool is_multiple = ways.zeros >= formula->shift && (ways.first & ones_below(formula->shift)) == 0;
  const bool is_whole = is_multiple || x.must_leave;
  note_most(out, most_backedges_of_ways(*formula, e, ways));
  if (a.is_counter() && b.is_invariant()) {
    note_most(out, most_backedges(e, bounds_of_start(x, c, a), bounds_of_bound(x, c, b), is_multiple));
  }
  note_most(out, is_whole ? most_steps(x, c, a, b, way, apart.step()) : std::nullopt);
  const bool is_promised =
      !is_whole && x.is_only_end &&
      (keeps_promise(x, c, number_reading::as_signed) || keeps_promise(x, c, number_reading::as_unsigned));
  out.test.is_direct = is_whole || is_promised;
  note_most(out, out.test.is_direct ? if_small(low_ones(c.width) >> formula->shift) : std::nullopt);
  if (out.test.is_direct) {
    note_multiple(out, multiple_by_low_bits(*formula, ways.first, ways.zeros));
    out.has_formula = divide_way(x, way, apart.step().constant, *formula, out.backedges);
    out.has_bound = out.has_formula && formula->shift == 0 && read_as_integer(x, out.backedges, out.bound);
    const form_range steps = out.has_formula ? x.ranges.range_at(out.backedges, x.loop) : form_range();
    const bool is_known = out.has_formula && steps.more <= low_ones(out.backedges.width) - steps.first;
    note_most(out, is_known ? if_small(steps.first + steps.more) : std::nullopt);
  }
}

/// The first iteration in which the difference of both sides is 0, or is not. For numbers, the first meeting of an
/// arithmetic progression and an arc.
inline compared_count count_to_equality(const exit_place& x, const value_comparison& c) {
  const evolution a = resolve_operand(x, c.a, c.width, number_reading::low_bits);
  const evolution b = resolve_second(x, c, number_reading::low_bits);
  evolution apart = a;
  apart.add(b, ~std::uint64_t{0});
  drop_counters_around(x, apart);
  compared_count found;
  loop_trips& out = found.trips;
  out.test = counter_test_of(c.code, apart, evolution::constant(x.loop, apart.start().none_of()));
  out.ends = is_met(out.test);
  if (counts_numbers(apart)) {
    found.has_numbers = true;
    found.numbers = counted_exit_of(c, c.width, apart, 0);
    out.count = trip_count_of(found.numbers);
  } else if (c.code == operation::not_equal && differ_at_first(x, apart)) {
    out.count = {trip_count_kind::exact, 0, 1};
  } else if (apart.is_counter() && c.code == operation::not_equal) {
    note_most(out, std::uint64_t{1}); // a step leads away from 0
  } else if (apart.is_counter()) {
    count_steps_to_zero(x, c, a, b, apart, out);
  }
  return found;
}

} // namespace detail

MIDEND_END_NAMESPACE
