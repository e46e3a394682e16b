/// The operands of an exit's comparison: their evolutions, as bits and as numbers, and their ranges.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/entry_ranges.hpp"
#include "midend/induction/detail/evolution_solver.hpp"
#include "midend/induction/detail/integer_ends.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The inputs of counting: the program, its values as sums, their evolutions, and the facts when a loop is entered.
struct trip_inputs {
  const flat_program& program;
  const loop_forest& loops;
  const value_form_reader& reader;
  evolution_solver& solver;
  const entry_ranges& ranges;
  const condition_reader& conditions;
};

/// A comparison that leaves a loop, seen from that loop.
struct exit_place : trip_inputs {
  loop_id loop = no_loop;
  bool is_only_end = false; ///< whether only this comparison can end the loop
  bool must_leave = false;  ///< whether, besides, the program promises that the loop ends
};

inline number_reading reading_for(operation code) {
  return is_signed_order(code) ? number_reading::as_signed : number_reading::as_unsigned;
}

/// The evolution of an operand of a comparison; unknown if it has no form.
inline evolution resolve_operand(const exit_place& x, value_id v, unsigned width, number_reading r) {
  linear_form form;
  const bool is_read =
      r == number_reading::low_bits ? x.reader.read_low_bits(v, width, form) : x.reader.read_operand(v, width, r, form);
  return is_read ? x.solver.resolve(form, x.loop) : evolution::unknown(x.loop, evolution_obstacle::unknown_value);
}

/// The evolution of the second operand, which may be a number.
inline evolution resolve_second(const exit_place& x, const value_comparison& c, number_reading r) {
  if (c.b != no_value) {
    return resolve_operand(x, c.b, c.width, r);
  }
  linear_form number = r == number_reading::low_bits ? linear_form::zero(c.width) : linear_form::exact_zero();
  return x.reader.read_number(c.number, c.width, r, number) ? evolution::constant(x.loop, number)
                                                            : evolution::unknown(x.loop, evolution_obstacle::may_wrap);
}

/// Replaces the difference of two counters of a loop around by a number, if it is always that.
inline void drop_counters_around(const exit_place& x, evolution& apart) {
  for (loop_id around = x.loops.parent(x.loop); around != no_loop; around = x.loops.parent(around)) {
    if (!apart.is_known() || apart.start().num_terms < 2) {
      return;
    }
    const evolution e = x.solver.resolve(apart.start(), around);
    if (e.is_invariant() && e.start().num_terms < apart.start().num_terms) {
      apart.coefficients[0] = e.start();
    }
  }
}

inline number_facts facts_of_operand(const exit_place& x, value_id v, unsigned width) {
  return x.reader.width_of(v) == width ? x.reader.facts_of(v) : number_facts::any(width);
}

/// The bounds of an operand, in any iteration.
inline value_bounds bounds_of_operand(const exit_place& x, value_id v, unsigned width) {
  const number_facts f = x.reader.facts_of(v);
  return x.reader.width_of(v) == width ? value_bounds{f.least, f.most, f.low, f.high} : value_bounds::all(width);
}

/// The bounds of a modular form when the loop is entered.
inline value_bounds bounds_of_form(const exit_place& x, const linear_form& form) {
  const value_bounds bounds = bounds_of_range(x.ranges.range_at(form, x.loop), form.width);
  if (form.num_terms == 1 && form.terms[0].coefficient == 1 && form.constant == 0 &&
      x.reader.width_of(form.terms[0].value) == form.width) {
    const number_facts f = x.reader.facts_of(form.terms[0].value);
    return narrower({f.least, f.most, f.low, f.high}, bounds);
  }
  return bounds;
}

/// The bounds of a bound, from its sum and from facts about the value itself.
inline value_bounds bounds_of_bound(const exit_place& x, const value_comparison& c, const evolution& b) {
  const value_bounds itself =
      c.b == no_value ? value_bounds::exactly(c.number, c.width) : bounds_of_operand(x, c.b, c.width);
  return b.is_invariant() ? narrower(bounds_of_form(x, b.start()), itself) : itself;
}

inline value_bounds bounds_of_either(const value_bounds& a, const value_bounds& b) {
  return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
          a.signed_low < b.signed_low ? a.signed_low : b.signed_low,
          a.signed_high > b.signed_high ? a.signed_high : b.signed_high};
}

/// The header phi that the first operand is, plus a number; or `no_value`.
inline value_id tested_phi(const exit_place& x, const value_comparison& c, std::uint64_t& addend) {
  linear_form form;
  if (c.a == no_value || !x.reader.read_operand(c.a, c.width, number_reading::low_bits, form) || form.num_terms != 1) {
    return no_value;
  }
  const linear_form::term& t = form.terms[0];
  addend = form.constant;
  const bool is_phi = t.coefficient == 1 && t.reading == number_reading::low_bits && x.reader.is_header_phi(t.value) &&
                      x.reader.home(t.value) == x.loop && x.reader.width_of(t.value) == c.width;
  return is_phi ? t.value : no_value;
}

/// The bounds of a counter in the first iteration, from its sum and from facts about the start of its phi.
inline value_bounds bounds_of_start(const exit_place& x, const value_comparison& c, const evolution& a) {
  const value_bounds sum = bounds_of_form(x, a.start());
  std::uint64_t addend = 0;
  const value_id phi = tested_phi(x, c, addend);
  if (phi == no_value) {
    return sum;
  }
  bool is_first = true;
  value_bounds joined = value_bounds::all(c.width);
  for (const loop_edge& e : x.loops.entering_edges(x.loop)) {
    if (x.reader.is_reachable(e.source)) {
      const value_bounds one = bounds_of_operand(x, x.program.phi_input(phi, e.id), c.width);
      joined = is_first ? one : bounds_of_either(joined, one);
      is_first = false;
    }
  }
  return narrower(sum, shifted(joined, addend, c.width));
}

/// An integer form that equals the form modulo 2^width, with each value as a number in reading `r`. Not for one bit,
/// where 1 and -1 are equal.
inline bool lift_to_integer(const exit_place& x, const linear_form& bits, number_reading r, linear_form& out) {
  out = linear_form::exact_zero();
  bool fits = bits.width != 1 && out.add(static_cast<std::uint64_t>(as_signed(bits.constant, bits.width)));
  for (std::uint32_t i = 0; i != bits.num_terms && fits; ++i) {
    const linear_form::term& t = bits.terms[i];
    fits = out.add(t.value, static_cast<std::uint64_t>(as_signed(t.coefficient, bits.width)),
                   x.reader.canonical(t.value, t.reading == number_reading::low_bits ? r : t.reading));
  }
  return fits;
}

inline std::int64_t least_number(unsigned width, number_reading r) {
  return r == number_reading::as_signed ? as_signed(sign_bit(width), width) : 0;
}

/// The greatest number; for 64 bits without sign, the greatest signed number.
inline std::int64_t greatest_number(unsigned width, number_reading r) {
  return static_cast<std::int64_t>(ones_below(width < 64 && r != number_reading::as_signed ? width : width - 1));
}

/// The number of a form, with or without sign, when the loop is entered: an equal integer in the range of such numbers.
inline bool lift_number(const exit_place& x, const linear_form& bits, number_reading r, linear_form& out) {
  if (bits.is_number()) {
    out = linear_form::exact_zero();
    return value_form_reader::read_number(bits.constant, bits.width, r, out);
  }
  const bool is_value = bits.num_terms == 1 && bits.terms[0].coefficient == 1 && bits.constant == 0 &&
                        bits.terms[0].reading == number_reading::low_bits &&
                        x.reader.width_of(bits.terms[0].value) == bits.width;
  if (!lift_to_integer(x, bits, r, out)) {
    return false;
  }
  const integer_ends ends = is_value ? integer_ends() : x.ranges.of(out, x.loop);
  return is_value || (ends.is_at_least(least_number(bits.width, r)) && ends.is_at_most(greatest_number(bits.width, r)));
}

/// A form modulo 2^width as an integer: the number itself if that is not negative. False if the integer may be 2^width
/// or more, which for 64 bits means that it does not fit.
inline bool read_as_integer(const exit_place& x, const linear_form& form, linear_form& out) {
  return lift_to_integer(x, form, number_reading::as_signed, out) &&
         (form.width == 64 || x.ranges.of(out).is_at_most(static_cast<std::int64_t>(low_ones(form.width))));
}

} // namespace detail

MIDEND_END_NAMESPACE
