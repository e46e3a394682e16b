/// `loop_trip_finder`: how often loops run, from evolutions of what their exits compare.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/detail/evolution_solver.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Counts loops, inner ones first. An exit that each iteration tests compares a counter with what does not change, or
/// two counters; the rest is `trip_count_of` and `trip_formula_of`.
class loop_trip_finder {
public:
  loop_trip_finder(const flat_program& program, const loop_forest& loops, const value_form_reader& reader,
                   evolution_solver& solver, value_evolutions& out)
      : p_(program), loops_(loops), reader_(reader), solver_(solver), out_(out) {}

  /// Fills the trips of loop `l`.
  void count(loop_id l) {
    loop_trips& trips = out_.loops_[l].trips;
    trips.count = {trip_count_kind::endless, 0, 1};
    loop_trips total = trips;
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      loop_trips one;
      if (is_always_tested(l, e)) {
        one = count_exit(l, e);
      }
      one.last_node = e.source;
      if (one.count.kind != trip_count_kind::endless) {
        total = total.count.kind == trip_count_kind::endless ? one : earlier_of(total, one);
      }
    }
    if (total.count.kind != trip_count_kind::exact && !total.has_formula) {
      total.last_node = no_node;
    }
    trips = total;
  }

private:
  static constexpr number_reading low_bits = number_reading::low_bits;
  static constexpr number_reading as_signed_number = number_reading::as_signed;
  static constexpr number_reading as_unsigned_number = number_reading::as_unsigned;
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};

  loop_trips earlier_of(const loop_trips& a, const loop_trips& b) const {
    const bool b_is_exact = b.count.kind == trip_count_kind::exact;
    const bool is_sooner =
        b_is_exact &&
        (a.count.kind != trip_count_kind::exact || b.count.backedges < a.count.backedges ||
         (b.count.backedges == a.count.backedges && out_.dominators_.dominates(b.last_node, a.last_node)));
    loop_trips out;
    out.count = combined(a.count, b.count);
    out.last_node = is_sooner ? b.last_node : a.last_node;
    return out;
  }

  /// Whether each iteration that no earlier exit ends tests this one.
  bool is_always_tested(loop_id l, const loop_edge& exit) const {
    bool is_tested = loops_.innermost_loop(exit.source) == l;
    for (const loop_edge& back : loops_.backedges(l)) {
      is_tested = is_tested && out_.dominators_.dominates(exit.source, back.source);
    }
    return is_tested;
  }

  /// A comparison of two sums that decides a branch.
  struct comparison {
    operation code = operation::other;
    unsigned width = 0;
    value_id a = no_value;
    value_id b = no_value;
  };

  /// The comparison that holds if the branch of `n` takes edge `e`, and only then. False if there is none.
  bool read_comparison(node_id n, edge_id e, comparison& out) const {
    value_id test = p_.condition(n);
    if (test == no_value) {
      return false;
    }
    const bool when_set = edge_of_case(p_, n, std::uint64_t{1}) == e;
    if (when_set == (edge_of_case(p_, n, std::uint64_t{0}) == e)) {
      return false;
    }
    bool holds = when_set;
    for (unsigned steps = 0; steps != 4; ++steps) { // through negations
      const operation_info info = p_.operation(test);
      const span<const value_id> operands = p_.operands(test);
      if (p_.is_phi(test) || info.width != 1) {
        return false;
      }
      if (is_comparison(info.code) && operands.size() >= 2) {
        out = {holds ? info.code : negated(info.code), info.operand_width, operands[0], operands[1]};
        return true;
      }
      const bool is_not = info.code == operation::bit_not;
      const bool flips = info.code == operation::bit_xor && p_.constant(operands[1]);
      if (!is_not && !flips) {
        return false;
      }
      holds = holds != (is_not || (*p_.constant(operands[1]) & 1) != 0);
      test = operands[0];
    }
    return false;
  }

  static number_reading reading_for(operation code) {
    return is_signed_order(code) ? as_signed_number : as_unsigned_number;
  }

  /// The evolution of an operand of a comparison; unknown if it has no form.
  evolution resolve_operand(value_id v, unsigned width, number_reading r, loop_id l) {
    linear_form form;
    return reader_.read_operand(v, width, r, form) ? solver_.resolve(form, l)
                                                   : evolution::unknown(l, evolution_obstacle::unknown_value);
  }

  loop_trips count_exit(loop_id l, const loop_edge& exit) {
    loop_trips out;
    comparison c;
    if (!read_comparison(exit.source, exit.id, c)) {
      return out;
    }
    evolution a = resolve_operand(c.a, c.width, low_bits, l);
    evolution b = resolve_operand(c.b, c.width, low_bits, l);
    if (!is_order(c.code)) {
      out = count_to_equality(c, a, b);
      evolution apart = a;
      apart.add(b, minus_one);
      out.test = test_of(c.code, apart, evolution::constant(l, apart.start().none_of()));
      return out;
    }
    const number_reading r = reading_for(c.code);
    evolution x = resolve_operand(c.a, c.width, r, l);
    evolution y = resolve_operand(c.b, c.width, r, l);
    if (a.is_invariant() || (x.is_invariant() && y.is_counter())) { // the counter comes first
      c = {mirrored(c.code), c.width, c.b, c.a};
      const evolution kept[] = {a, x};
      a = b;
      x = y;
      b = kept[0];
      y = kept[1];
    }
    out = count_to_order(c, l, a, b, x, y);
    out.test = test_of(c.code, a, b);
    return out;
  }

  static counter_test test_of(operation ends, const evolution& counter, const evolution& bound) {
    return counter.is_counter() && bound.is_invariant()
               ? counter_test{ends, counter.start(), counter.step().constant, bound.start()}
               : counter_test();
  }

  static bool is_of_numbers(const evolution& e) {
    return (e.is_counter() || e.is_invariant()) && e.start().is_number();
  }

  static counted_exit exit_of(const comparison& c, unsigned width, const evolution& counter, std::uint64_t bound) {
    return {
        static_cast<std::uint8_t>(width), counter.start().constant, counter.step().constant, bound, c.code, true, {}};
  }

  /// The first iteration in which the difference is 0, or is not.
  loop_trips count_to_equality(const comparison& c, const evolution& a, const evolution& b) const {
    loop_trips out;
    evolution apart = a;
    apart.add(b, minus_one);
    if (is_of_numbers(apart)) {
      out.count = trip_count_of(exit_of(c, c.width, apart, 0));
    } else if (apart.is_counter() && c.code == operation::equal) {
      const auto formula = trip_formula_of(exit_of(c, c.width, apart, 0));
      if (formula && formula->shift == 0) { // the number of steps to 0, modulo 2^width
        out.backedges = apart.start();
        out.has_formula = out.backedges.multiply(0 - formula->inverse);
      }
    }
    return out;
  }

  /// `a` and `b` are bits, `x` and `y` what is compared, as far as it does not wrap.
  loop_trips count_to_order(const comparison& c, loop_id l, const evolution& a, const evolution& b, const evolution& x,
                            const evolution& y) const {
    loop_trips out;
    if (is_of_numbers(a) && b.is_invariant() && b.start().is_number()) {
      out.count = trip_count_of(exit_of(c, c.width, a, b.start().constant));
      return out;
    }
    evolution apart = x;
    apart.add(y, minus_one);
    if (is_of_numbers(apart)) { // they are compared as integers
      counted_exit e = exit_of(c, 64, apart, 0);
      e.comparison = signed_comparison(c.code);
      e.flags = {true, false};
      out.count = trip_count_of(e);
      return out;
    }
    if (!a.is_counter() || !b.is_invariant()) {
      return out;
    }
    const auto formula = trip_formula_of(exit_of(c, c.width, a, 0));
    linear_form start;
    linear_form bound;
    const number_reading r = reading_for(c.code);
    if (!formula || (formula->requires_no_wrap && !x.is_counter()) || !read_exact(a, x, r, start) ||
        !read_exact(b, y, r, bound)) {
      return out;
    }
    linear_form way; // to the bound; not positive if the first test ends the loop
    if (!(formula->is_down ? linear_difference(start, bound, way) : linear_difference(bound, start, way)) ||
        !way.add(formula->adjustment)) {
      return out;
    }
    const optional<std::int64_t> most = end_of(way, true);
    if (most) {
      const auto far = static_cast<std::uint64_t>(*most < 0 ? 0 : *most);
      const std::uint64_t steps = far == 0 ? 0 : (far - 1) / formula->divisor + 1;
      out.count = {steps == 0 ? trip_count_kind::exact : trip_count_kind::at_most, steps, 1};
    }
    const optional<std::int64_t> least = end_of(way, false);
    out.has_formula = formula->divisor == 1 && ((least && *least >= 0) || is_guarded(l, way));
    out.backedges = way;
    return out;
  }

  static operation signed_comparison(operation code) {
    switch (code) {
    case operation::uless:
      return operation::less;
    case operation::uless_equal:
      return operation::less_equal;
    case operation::ugreater:
      return operation::greater;
    case operation::ugreater_equal:
      return operation::greater_equal;
    default:
      return code;
    }
  }

  /// What the first test compares, as a number: from the evolution that does not wrap, or from a form that is a number
  /// or one value.
  bool read_exact(const evolution& bits, const evolution& exact, number_reading r, linear_form& out) const {
    if (exact.is_known() && exact.degree <= 1 && !exact.has_power()) {
      out = exact.start();
      return true;
    }
    const linear_form& form = bits.start();
    out = linear_form::exact_zero();
    if (form.is_number()) {
      return reader_.read_number(form.constant, form.width, r, out);
    }
    return form.num_terms == 1 && form.terms[0].coefficient == 1 && form.constant == 0 &&
           form.terms[0].reading == low_bits && out_.values_[form.terms[0].value].width == form.width &&
           out.add(form.terms[0].value, 1, out_.canonical(form.terms[0].value, r));
  }

  /// The greatest or the least number that an exact form can be.
  optional<std::int64_t> end_of(const linear_form& form, bool greatest) const {
    std::uint64_t sum = form.constant;
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const linear_form::term& t = form.terms[i];
      const number_facts f = reader_.facts_of(t.value);
      const bool takes_high = (as_signed(t.coefficient, 64) > 0) == greatest;
      if (t.reading == as_unsigned_number && f.most >> 63 != 0) {
        return std::nullopt;
      }
      const std::uint64_t end = t.reading == as_signed_number ? static_cast<std::uint64_t>(takes_high ? f.high : f.low)
                                                              : (takes_high ? f.most : f.least);
      const wrapping_result product = wrapping_mul(t.coefficient, end, 64);
      const wrapping_result total = wrapping_add(sum, product.bits, 64);
      if (product.signed_wrap || total.signed_wrap) {
        return std::nullopt;
      }
      sum = total.bits;
    }
    return static_cast<std::int64_t>(sum);
  }

  /// Whether branches that lead to the loop imply that an exact form is not negative.
  bool is_guarded(loop_id l, const linear_form& form) const {
    node_id n = loops_.header(l);
    for (unsigned steps = 0; steps != 16; ++steps) {
      const node_id above = out_.dominators_.immediate_dominator(n);
      if (above == no_node) {
        return false;
      }
      if (const edge_id e = only_edge(above, n); e != no_edge && implies_not_negative(above, e, form)) {
        return true;
      }
      n = above;
    }
    return false;
  }

  /// The edge by which alone control comes from `source` to `target`, but for edges from what `target` dominates.
  edge_id only_edge(node_id source, node_id target) const {
    edge_id found_edge = no_edge;
    for (const edge_id e : p_.graph().in_edges(target)) {
      const node_id from = p_.graph().edge_source(e);
      if (!reader_.is_reachable(from) || out_.dominators_.dominates(target, from)) {
        continue;
      }
      if (from != source || found_edge != no_edge) {
        return no_edge;
      }
      found_edge = e;
    }
    return found_edge;
  }

  bool implies_not_negative(node_id n, edge_id e, const linear_form& form) const {
    comparison c;
    linear_form a;
    linear_form b;
    if (!read_comparison(n, e, c) || !is_order(c.code)) {
      return false;
    }
    const number_reading r = reading_for(c.code);
    const operation code = signed_comparison(c.code);
    const bool is_above = ends_above(code); // a > b
    linear_form way;
    linear_form rest;
    if (!reader_.read_operand(c.a, c.width, r, a) || !reader_.read_operand(c.b, c.width, r, b) ||
        !(is_above ? linear_difference(a, b, way) : linear_difference(b, a, way)) ||
        !linear_difference(form, way, rest)) {
      return false;
    }
    const std::int64_t least = code == operation::less || code == operation::greater ? 1 : 0; // of the way
    return rest.is_number() && as_signed(rest.constant, 64) >= -least;
  }

  const flat_program& p_;
  const loop_forest& loops_;
  const value_form_reader& reader_;
  evolution_solver& solver_;
  value_evolutions& out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
