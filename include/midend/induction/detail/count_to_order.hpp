/// `count_to_order`: the first iteration in which one side has passed the other: distance divided by step.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/count_to_equality.hpp"
#include "midend/induction/detail/entry_ranges.hpp"
#include "midend/induction/detail/exit_claims.hpp"
#include "midend/induction/detail/exit_operands.hpp"
#include "midend/induction/detail/integer_ends.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/support/optional.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The compared sides: `a` and `b` as bits, `x` and `y` as numbers, as far as these do not wrap.
struct order_sides {
  evolution a;
  evolution b;
  evolution x;
  evolution y;
};

/// Facts about a counted distance.
struct counted_distance {
  bool is_right = false;      ///< whether the exit is taken exactly when the difference has passed 0
  bool is_never_past = false; ///< whether the start is never past the bound
};

/// Notes the test of a counter whose step is a value.
inline void note_step(const order_sides& s, operation ends, bool is_direct, loop_trips& out) {
  if (is_direct && !out.test.is_known() && is_first_degree(s.a) && s.a.degree == 1 && s.b.is_invariant()) {
    out.test = {ends, s.a.start(), 0, s.b.start(), s.a.step(), true};
  }
}

/// The quotient rounded up; 0 if the first test ends the loop.
inline std::uint64_t quotient_of_distance(std::int64_t distance, std::uint64_t step) {
  return distance <= 0 ? 0 : (static_cast<std::uint64_t>(distance) - 1) / step + 1;
}

/// Divides an exact form by a positive number, rounding up. False if its coefficients are no multiples of the number.
inline bool divide_distance(const linear_form& distance, std::uint64_t step, linear_form& out) {
  const auto by = static_cast<std::int64_t>(step);
  const auto constant = static_cast<std::int64_t>(distance.constant);
  out = linear_form::exact_zero();
  bool fits = out.add(static_cast<std::uint64_t>(constant / by + (constant % by > 0 ? 1 : 0)));
  for (std::uint32_t i = 0; i != distance.num_terms && fits; ++i) {
    const linear_form::term& t = distance.terms[i];
    const auto coefficient = static_cast<std::int64_t>(t.coefficient);
    fits = coefficient % by == 0 && out.add(t.value, static_cast<std::uint64_t>(coefficient / by), t.reading);
  }
  return fits;
}

/// A number that divides the form plus 1 for all values.
inline std::uint64_t multiple_of(const linear_form& backedges) {
  const auto absolute = [](std::uint64_t n) { return as_signed(n, 64) < 0 ? 0 - n : n; };
  std::uint64_t out = absolute(backedges.constant + 1);
  for (std::uint32_t i = 0; i != backedges.num_terms; ++i) {
    std::uint64_t rest = absolute(backedges.terms[i].coefficient);
    while (rest != 0) { // the greatest common divisor
      const std::uint64_t next = out % rest;
      out = rest;
      rest = next;
    }
  }
  return out == 0 ? 1 : out;
}

/// Whether a distance is not the longest one, from the least to the greatest number. The longest one plus 1 is 2^width:
/// the counter wraps before it passes the greatest number, and another exit may be taken before.
inline bool is_short(const exit_place& x, const value_comparison& c, const order_sides& s, bool is_up) {
  if (!is_first_degree(s.a) || !s.b.is_invariant()) {
    return false;
  }
  const bool is_signed = is_signed_order(c.code);
  const value_bounds all = value_bounds::all(c.width);
  const value_bounds start = bounds_of_start(x, c, s.a);
  const value_bounds bound = bounds_of_bound(x, c, s.b);
  const value_bounds& low = is_up ? start : bound;
  const value_bounds& high = is_up ? bound : start;
  return is_signed ? low.signed_low != all.signed_low || high.signed_high != all.signed_high
                   : low.low != all.low || high.high != all.high;
}

inline integer_ends ends_at_entry(const exit_place& x, const linear_form& form, const value_bounds& itself,
                                  number_reading r) {
  integer_ends out = x.ranges.of(form, x.loop);
  const integer_ends more = ends_of(itself, r);
  out.raise(more.least);
  out.lower(more.most);
  return out;
}

/// The ends of a distance plus `adjustment`, from its sum and from facts about the bound itself.
inline integer_ends ends_of_distance(const exit_place& x, const value_comparison& c, const order_sides& s, bool is_up,
                                     const linear_form& distance, std::uint64_t adjustment) {
  integer_ends out = x.ranges.of(distance, x.loop);
  if (!s.y.is_invariant() || !is_first_degree(s.x) || !is_first_degree(s.a) || !s.b.is_invariant()) {
    return out;
  }
  const integer_ends bound = ends_at_entry(x, s.y.start(), bounds_of_bound(x, c, s.b), reading_for(c.code));
  const integer_ends start = ends_at_entry(x, s.x.start(), bounds_of_start(x, c, s.a), reading_for(c.code));
  const integer_ends& far = is_up ? bound : start;
  const integer_ends& near = is_up ? start : bound;
  const optional by(static_cast<std::int64_t>(adjustment));
  out.raise(checked_sum(checked_difference(far.least, near.most), by));
  out.lower(checked_sum(checked_difference(far.most, near.least), by));
  return out;
}

/// Counts by the difference of both sides, `apart`, which moves by a step. Neither side wraps.
inline counted_distance count_distance(const exit_place& x, const value_comparison& c, const order_sides& s,
                                       const evolution& apart, loop_trips& out) {
  const operation code = signed_comparison(c.code);
  const bool is_up = ends_above(code);
  linear_form distance = apart.start();
  linear_form step = apart.degree == 0 ? apart.start().none_of() : apart.step();
  const std::uint64_t adjustment = code == operation::less || code == operation::greater ? 1 : 0;
  counted_distance counted;
  if (!(is_up ? distance.negate() : step.negate()) || !distance.add(adjustment)) {
    return counted;
  }
  const integer_ends steps = x.ranges.of(step, x.loop);
  const bool leads = steps.is_at_least(1); // or the first test ends a loop that must end
  if (!leads && (step.is_number() || !x.must_leave)) {
    return counted;
  }
  const std::uint64_t least_step = leads ? static_cast<std::uint64_t>(*steps.least) : 1;
  const integer_ends ends = ends_of_distance(x, c, s, is_up, distance, adjustment);
  counted.is_never_past = ends.is_at_least(static_cast<std::int64_t>(adjustment));
  if (ends.most) {
    const std::uint64_t most = quotient_of_distance(*ends.most, least_step);
    const bool is_exact = step.is_number() && ends.least && quotient_of_distance(*ends.least, least_step) == most;
    note_most(out, most);
    if (is_exact && out.count.kind == trip_count_kind::at_most && out.count.backedges == most) {
      out.count = {trip_count_kind::exact, most, most + 1 == 0 ? std::uint64_t{1} << 63 : most + 1};
    }
  }
  counted.is_right = adjustment == 0 || x.is_only_end || is_short(x, c, s, is_up);
  const bool fits = counted.is_right || c.width < 64; // not 2^64, which would become 0
  out.has_bound = fits && step.is_number() && divide_distance(distance, least_step, out.bound);
  if (out.has_bound && ends.is_at_least(0)) {
    out.has_formula = true;
    out.backedges = out.bound;
    note_multiple(out, multiple_of(out.backedges));
  }
  return counted;
}

/// Reads an invariant bound as a number.
inline bool read_bound(const exit_place& x, const value_comparison& c, const order_sides& s, linear_form& out) {
  if (s.y.is_invariant()) {
    out = s.y.start();
    return true;
  }
  return lift_number(x, s.b.start(), reading_for(c.code), out);
}

/// Reads the counter in the first test as a number: from the start of its phi plus a number, or from its bits.
inline bool read_start(const exit_place& x, const value_comparison& c, const order_sides& s, linear_form& out) {
  const number_reading r = reading_for(c.code);
  if (lift_number(x, s.a.start(), r, out)) {
    return true;
  }
  std::uint64_t addend = 0;
  const value_id phi = tested_phi(x, c, addend);
  bool is_first = true;
  bool fits = phi != no_value;
  for (const loop_edge& e : x.loops.entering_edges(x.loop)) {
    linear_form one;
    if (fits && x.reader.is_reachable(e.source)) {
      fits = x.reader.read_operand(x.program.phi_input(phi, e.id), c.width, r, one) && (is_first || same_sum(one, out));
      out = one;
      is_first = false;
    }
  }
  const auto by = static_cast<std::uint64_t>(as_signed(addend, c.width));
  if (!fits || is_first || !out.add(by)) {
    return false;
  }
  const integer_ends ends = by == 0 ? integer_ends() : x.ranges.of(out, x.loop);
  return by == 0 || (ends.is_at_least(least_number(c.width, r)) && ends.is_at_most(greatest_number(c.width, r)));
}

/// Counts a counter that starts at an integer and moves towards another one, which it meets before it wraps.
inline counted_distance count_lifted(const exit_place& x, const value_comparison& c, order_sides s, loop_trips& out) {
  const number_reading r = reading_for(c.code);
  linear_form start;
  linear_form bound;
  if (!read_start(x, c, s, start) || !read_bound(x, c, s, bound)) {
    return {};
  }
  s.x = evolution::constant(x.loop, start);
  s.y = evolution::constant(x.loop, bound);
  s.x.degree = 1;
  if (!lift_to_integer(x, s.a.step(), r, s.x.coefficients[1])) {
    return {};
  }
  evolution apart = s.x;
  apart.add(s.y, ~std::uint64_t{0});
  return apart.is_known() ? count_distance(x, c, s, apart, out) : counted_distance();
}

/// Counts a counter whose step is a value: if the bound is far enough from the last number, no step leads past that
/// number.
inline void count_value_step(const exit_place& x, const value_comparison& c, const order_sides& s, loop_trips& out) {
  const number_reading r = reading_for(c.code);
  const operation code = signed_comparison(c.code);
  linear_form bound;
  linear_form step;
  if (!is_first_degree(s.a) || s.a.degree != 1 || !s.b.is_invariant() || !lift_to_integer(x, s.a.step(), r, step) ||
      !read_bound(x, c, s, bound)) {
    return;
  }
  const integer_ends bounds = ends_at_entry(x, bound, bounds_of_bound(x, c, s.b), r);
  const integer_ends steps = x.ranges.of(step, x.loop);
  if (!(ends_above(code) ? steps.is_at_least(0) : steps.is_at_most(0))) {
    return; // it may wrap at the other end
  }
  const optional<std::int64_t> on(code == operation::less || code == operation::greater ? std::int64_t{0}
                                                                                        : std::int64_t{1});
  const optional<std::int64_t> last = ends_above(code) ? checked_sum(checked_difference(bounds.most, on), steps.most)
                                                       : checked_sum(checked_sum(bounds.least, on), steps.least);
  if (last && *last >= least_number(c.width, r) && *last <= greatest_number(c.width, r) &&
      count_lifted(x, c, s, out).is_right) {
    note_step(s, c.code, true, out);
  }
}

/// Counts by the bits of a counter. If `is_exact`, it does not wrap before the exit is taken.
inline void count_bits(const exit_place& x, const value_comparison& c, const order_sides& s,
                       const trip_formula& formula, bool is_exact, bool is_never_past, loop_trips& out) {
  const counted_exit e = counted_exit_of(c, c.width, s.a, 0);
  const value_bounds bounds = bounds_of_bound(x, c, s.b);
  if (!is_exact && formula.requires_no_wrap && !meets_bound(formula, e, bounds)) {
    const bool must = s.b.is_invariant() && std::has_single_bit(formula.divisor) && x.must_leave;
    note_most(out, must ? if_small(low_ones(c.width) / formula.divisor) : std::nullopt);
    // With steps of 1, the counter reaches each number that ends the loop. Two counters may be known to meet.
    out.test.is_direct = out.test.is_direct || (must && formula.divisor == 1);
    return;
  }
  note_most(out, backedges_of_distance(formula, longest_distance(formula, bounds_of_start(x, c, s.a), bounds)));
  if (!s.b.is_invariant()) {
    return;
  }
  out.test.is_direct =
      !formula.requires_no_wrap || formula.adjustment == 0 || x.is_only_end || is_short(x, c, s, !formula.is_down);
  linear_form way;
  const bool has_way = linear_difference(s.b.start(), s.a.start(), way);
  const form_range ways = has_way ? x.ranges.range_at(way, x.loop) : form_range();
  note_most(out, has_way ? most_backedges_of_ways(formula, e, ways) : std::nullopt);
  if (!is_exact) {
    is_never_past = count_lifted(x, c, s, out).is_never_past || is_never_past;
  }
  if (is_never_past && has_way) {
    note_multiple(out, multiple_by_low_bits(formula, ways.first, ways.zeros));
  }
}

/// The first iteration in which the order holds. `trip_count_of` counts numbers. Otherwise the difference of both sides
/// moves by a step, and the exit is taken when it has passed 0. This requires that neither side wraps before: by
/// promise, by ranges, or because the step cannot lead past all numbers that end the loop.
inline compared_count count_to_order(const exit_place& x, value_comparison c) {
  const number_reading r = reading_for(c.code);
  order_sides s{resolve_operand(x, c.a, c.width, number_reading::low_bits),
                resolve_second(x, c, number_reading::low_bits), resolve_operand(x, c.a, c.width, r),
                resolve_second(x, c, r)};
  if (c.b != no_value && (s.a.is_invariant() || (s.x.is_invariant() && s.y.is_counter()))) {
    s = {s.b, s.a, s.y, s.x}; // the counter comes first
    c = {mirrored(c.code), c.width, c.b, c.a, 0};
  }
  compared_count found;
  loop_trips& out = found.trips;
  out.test = counter_test_of(c.code, s.a, s.b);
  out.ends = is_met(out.test);
  if (counts_numbers(s.a) && s.b.is_invariant() && s.b.start().is_number()) {
    found.has_numbers = true;
    found.numbers = counted_exit_of(c, c.width, s.a, s.b.start().constant);
    out.count = trip_count_of(found.numbers);
    return found;
  }
  evolution apart = s.x;
  apart.add(s.y, ~std::uint64_t{0});
  drop_counters_around(x, apart);
  if (counts_numbers(apart)) { // they are compared as integers
    counted_exit e = counted_exit_of(c, 64, apart, 0);
    e.comparison = signed_comparison(c.code);
    e.flags = {true, false};
    out.count = trip_count_of(e);
    return found;
  }
  counted_distance counted;
  if (is_first_degree(apart)) {
    counted = count_distance(x, c, s, apart, out);
    out.test.is_direct = counted.is_right;
    note_step(s, c.code, counted.is_right, out);
  }
  const auto formula = s.a.is_counter() ? trip_formula_of(counted_exit_of(c, c.width, s.a, 0)) : std::nullopt;
  if (formula) {
    count_bits(x, c, s, *formula, is_first_degree(apart) && s.y.is_invariant(), counted.is_never_past, out);
  } else if (!is_first_degree(apart)) {
    count_value_step(x, c, s, out);
  }
  if (!says_all(out) && holds_for_equal(c.code)) { // at the latest when both sides are equal
    value_comparison same = c;
    same.code = operation::equal;
    const loop_trips equal = count_to_equality({x, x.loop}, same).trips; // both sides may never be equal
    const bool is_bounded = equal.count.kind == trip_count_kind::exact || equal.count.kind == trip_count_kind::at_most;
    note_most(out, is_bounded ? if_small(equal.count.backedges) : std::nullopt);
    out.ends = out.ends || equal.ends;
  }
  return found;
}

} // namespace detail

MIDEND_END_NAMESPACE
