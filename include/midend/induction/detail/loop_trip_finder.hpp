/// `loop_trip_finder`: how often loops run, from evolutions of what their exits compare.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/detail/evolution_solver.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Counts loops, inner ones first. An exit that each iteration tests compares a counter with what does not change, or
/// two counters; or it is taken if one of several comparisons holds, or all do. The rest is `trip_count_of`,
/// `trip_formula_of`, and where the difference of the forms lies.
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
    bool ends = false;
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      loop_trips one;
      if (is_always_tested(l, e)) {
        one = count_exit(l, e);
      }
      one.last_node = e.source;
      ends = ends || one.ends;
      if (one.count.kind != trip_count_kind::endless) {
        total = total.count.kind == trip_count_kind::endless ? one : earlier_of(total, one);
      }
    }
    if (total.count.kind != trip_count_kind::exact && !total.has_formula) {
      total.last_node = no_node;
    }
    total.ends = ends;
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
    out.has_bound = a.has_bound || b.has_bound;
    out.bound = a.has_bound ? a.bound : b.bound;
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

  /// A comparison of two values, or of a value with a number.
  struct comparison {
    operation code = operation::other;
    unsigned width = 0;
    value_id a = no_value;
    value_id b = no_value; ///< `no_value`: `number`
    std::uint64_t number = 0;
  };

  /// A value that is 0 or 1, and which of them it is.
  struct bit_fact {
    value_id bit = no_value;
    bool is_set = false;
  };

  /// Bits of which one has to be, or all.
  struct bit_facts {
    static constexpr std::size_t most = 8;

    std::size_t size = 0;
    bit_fact bits[most] = {};
  };

  // Conditions.

  std::optional<std::uint64_t> literal(value_id v) const { return v == no_value ? std::nullopt : p_.constant(v); }

  bool is_bit(value_id v) const {
    const operation_info info = p_.operation(v);
    const bool is_operation = !p_.is_phi(v) && !p_.constant(v);
    return info.width == 1 || (is_operation && is_comparison(info.code)) ||
           (is_operation && info.code == operation::zero_extend && info.operand_width == 1);
  }

  /// The same without copies, extensions and negations.
  bit_fact simplified(bit_fact c) const {
    for (unsigned steps = 0; steps != 8 && !p_.is_phi(c.bit) && !p_.constant(c.bit); ++steps) {
      const operation_info info = p_.operation(c.bit);
      const span<const value_id> operands = p_.operands(c.bit);
      const bool has_number = operands.size() == 2 && literal(operands[1]).has_value();
      const std::uint64_t number = has_number ? literal(operands[1]).value_or(0) : 0;
      bool flips = false;
      switch (info.code) {
      case operation::copy:
      case operation::zero_extend:
        break;
      case operation::bit_not:
        flips = true;
        break;
      case operation::bit_xor:
        if (!has_number) {
          return c;
        }
        flips = (number & 1) != 0;
        break;
      case operation::equal:
      case operation::not_equal:
        if (!has_number || number > 1) {
          return c;
        }
        flips = (info.code == operation::equal) == (number == 0);
        break;
      default:
        return c;
      }
      if (operands[0] == no_value || !is_bit(operands[0])) {
        return c;
      }
      c = {operands[0], c.is_set != flips};
    }
    return c;
  }

  /// Two bits: `c` holds if both are so (`is_all`), or if one of them is. False if `c` is of no such kind.
  bool split(const bit_fact& c, bool& is_all, bit_fact (&out)[2]) const {
    const operation_info info = p_.operation(c.bit);
    if (p_.is_phi(c.bit) || p_.constant(c.bit) || info.width != 1) {
      return false;
    }
    const span<const value_id> operands = p_.operands(c.bit);
    bool is_and = info.code == operation::bit_and;
    if (is_and || info.code == operation::bit_or) {
      out[0] = {operands[0], c.is_set};
      out[1] = {operands[1], c.is_set};
    } else if (info.code == operation::select && operands[0] != no_value &&
               is_bit(operands[0])) { // one of its values is a number
      const bool is_first = literal(operands[1]).has_value();
      const auto number = literal(operands[is_first ? 1 : 2]);
      if (!number) {
        return false;
      }
      is_and = (*number & 1) == 0; // without it, the bit is what the other value is
      out[0] = {operands[0], (is_first == is_and) != c.is_set};
      out[1] = {operands[is_first ? 2 : 1], c.is_set};
    } else {
      return false;
    }
    is_all = is_and == c.is_set;
    return out[0].bit != no_value && out[1].bit != no_value;
  }

  /// Takes a bit apart into those of which all have to be so, or one. False if there are too many.
  bool split_into(const bit_fact& c, bool into_all, bit_facts& out) const {
    out.bits[0] = simplified(c);
    out.size = 1;
    for (std::size_t i = 0; i != out.size;) {
      bool is_all = false;
      bit_fact parts[2];
      if (!split(out.bits[i], is_all, parts) || is_all != into_all) {
        ++i;
        continue;
      }
      if (out.size == bit_facts::most) {
        return false;
      }
      out.bits[i] = simplified(parts[0]);
      out.bits[out.size++] = simplified(parts[1]);
    }
    return true;
  }

  /// The comparison that holds if a bit is so, and only then.
  comparison comparison_of(const bit_fact& c) const {
    const operation_info info = p_.operation(c.bit);
    const span<const value_id> operands = p_.operands(c.bit);
    if (!p_.is_phi(c.bit) && !p_.constant(c.bit) && is_comparison(info.code) && operands.size() >= 2 &&
        operands[1] != no_value) {
      return {c.is_set ? info.code : negated(info.code), info.operand_width, operands[0], operands[1]};
    }
    return {c.is_set ? operation::not_equal : operation::equal, info.width, c.bit};
  }

  /// The bit that the branch of `n` reads, if it takes edge `e`, and only then. False if it reads no bit.
  bool read_branch(node_id n, edge_id e, bit_fact& out) const {
    out.bit = p_.condition(n);
    if (out.bit == no_value || !is_bit(out.bit)) {
      return false;
    }
    out.is_set = edge_of_case(p_, n, std::uint64_t{1}) == e;
    return out.is_set != (edge_of_case(p_, n, std::uint64_t{0}) == e);
  }

  // Exits.

  static number_reading reading_for(operation code) {
    return is_signed_order(code) ? as_signed_number : as_unsigned_number;
  }

  /// The evolution of an operand of a comparison; unknown if it has no form.
  evolution resolve_operand(value_id v, unsigned width, number_reading r, loop_id l) {
    linear_form form;
    return reader_.read_operand(v, width, r, form) ? solver_.resolve(form, l)
                                                   : evolution::unknown(l, evolution_obstacle::unknown_value);
  }

  evolution resolve_second(const comparison& c, number_reading r, loop_id l) {
    if (c.b != no_value) {
      return resolve_operand(c.b, c.width, r, l);
    }
    linear_form number = r == low_bits ? linear_form::zero(c.width) : linear_form::exact_zero();
    return reader_.read_number(c.number, c.width, r, number) ? evolution::constant(l, number)
                                                             : evolution::unknown(l, evolution_obstacle::may_wrap);
  }

  /// How often the loop runs until one of two things happens.
  static loop_trips until_either(const loop_trips& a, const loop_trips& b) {
    if (b.count.kind == trip_count_kind::endless || a.count.kind == trip_count_kind::endless) {
      return a.count.kind == trip_count_kind::endless ? b : a;
    }
    loop_trips out;
    out.count = combined(a.count, b.count);
    out.ends = a.ends || b.ends;
    return out;
  }

  loop_trips count_exit(loop_id l, const loop_edge& exit) {
    bit_fact bit;
    bit_facts parts;
    if (!read_branch(exit.source, exit.id, bit)) {
      return count_cases(l, exit);
    }
    loop_trips out;
    if (split_into(bit, false, parts)) {
      out.count.kind = trip_count_kind::endless;
      for (std::size_t i = 0; i != parts.size; ++i) {
        out = until_either(out, count_bit(l, parts.bits[i]));
      }
      out.test = parts.size == 1 ? out.test : counter_test();
    }
    return out;
  }

  /// An exit that is taken if the condition is one of some numbers, or is not one number.
  loop_trips count_cases(loop_id l, const loop_edge& exit) {
    const value_id condition = p_.condition(exit.source);
    loop_trips out;
    if (condition == no_value || p_.operation(condition).width < 1 || p_.operation(condition).width > 64) {
      return out;
    }
    comparison c{operation::equal, p_.operation(condition).width, condition};
    std::size_t numbers = 0;
    bool has_range = false;
    bool is_default = p_.edge_cases(exit.id).empty();
    loop_trips total;
    total.count.kind = trip_count_kind::endless;
    c.code = is_default ? operation::not_equal : operation::equal;
    for (const edge_id e : p_.graph().out_edges(exit.source)) {
      if (!is_default && e != exit.id) {
        continue;
      }
      for (const number_range& r : p_.edge_cases(e)) {
        has_range = has_range || r.low != r.high;
        c.number = r.low;
        if (++numbers <= bit_facts::most && !has_range) {
          total = until_either(total, count_comparison(l, c));
        }
      }
    }
    const bool is_counted = !has_range && (is_default ? numbers == 1 : numbers <= bit_facts::most);
    out = is_counted ? total : out;
    out.ends = false; // nobody proves it
    out.test = numbers == 1 ? out.test : counter_test();
    return out;
  }

  loop_trips count_bit(loop_id l, const bit_fact& bit) {
    bit_facts parts;
    if (!split_into(bit, true, parts)) {
      return {};
    }
    if (parts.size == 1) {
      return count_comparison(l, comparison_of(parts.bits[0]));
    }
    // All hold for the first time when the last one does for its first time, if the others hold then.
    loop_trips out;
    counted_exit exits[bit_facts::most];
    std::uint64_t last = 0;
    bool are_numbers = true;
    for (std::size_t i = 0; i != parts.size; ++i) {
      const trip_count count = count_comparison(l, comparison_of(parts.bits[i])).count;
      if (count.kind == trip_count_kind::endless) {
        out.count.kind = trip_count_kind::endless;
        return out;
      }
      are_numbers = are_numbers && has_numbers_ && count.kind == trip_count_kind::exact;
      last = count.backedges > last ? count.backedges : last;
      exits[i] = numbers_;
    }
    for (std::size_t i = 0; i != parts.size && are_numbers; ++i) {
      exits[i].start += last * exits[i].step;
      are_numbers = first_leaving_test(exits[i]) == std::optional(std::uint64_t{0});
    }
    if (are_numbers) {
      out.count = {trip_count_kind::exact, last, last + 1 == 0 ? std::uint64_t{1} << 63 : last + 1};
    }
    return out;
  }

  loop_trips count_comparison(loop_id l, comparison c) {
    has_numbers_ = false;
    evolution a = resolve_operand(c.a, c.width, low_bits, l);
    evolution b = resolve_second(c, low_bits, l);
    loop_trips out;
    if (!is_order(c.code)) {
      out = count_to_equality(c, l, a, b);
      evolution apart = a;
      apart.add(b, minus_one);
      out.test = test_of(c.code, apart, evolution::constant(l, apart.start().none_of()));
      out.ends = is_met(out.test);
      return out;
    }
    const number_reading r = reading_for(c.code);
    evolution x = resolve_operand(c.a, c.width, r, l);
    evolution y = resolve_second(c, r, l);
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
    out.ends = is_met(out.test);
    return out;
  }

  /// Whether a counter with step s, which runs through all numbers that differ from its first one by multiples of the
  /// largest power of 2 that divides s, is at a number some time that ends the loop.
  static bool is_met(const counter_test& t) {
    if (!t.is_known()) {
      return false;
    }
    const auto width = static_cast<std::uint8_t>(t.first.width);
    if (t.first.is_number() && t.bound.is_number()) {
      return first_leaving_test({width, t.first.constant, t.step, t.bound.constant, t.ends, true, {}}).has_value();
    }
    const bool takes_all = t.step % 2 == 1;
    if (takes_all && holds_for_equal(t.ends)) {
      return true; // the bound itself
    }
    const std::uint64_t most = low_ones(width);
    const std::uint64_t offset = is_signed_order(t.ends) ? sign_bit(width) : 0;
    const auto ending = t.bound.is_number() && is_order(t.ends)
                            ? values_for_which(t.ends, (t.bound.constant + offset) & most, most)
                            : std::nullopt;
    return ending && ending->more >= ones_below(static_cast<unsigned>(std::countr_zero(t.step)));
  }

  static bool holds_for_equal(operation order) {
    return order == operation::equal || order == operation::less_equal || order == operation::greater_equal ||
           order == operation::uless_equal || order == operation::ugreater_equal;
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

  /// Notes that at most so many backedges are taken.
  static void note_most(loop_trips& out, const std::optional<std::uint64_t>& most) {
    const bool is_better = most && (out.count.kind == trip_count_kind::unknown ||
                                    (out.count.kind == trip_count_kind::at_most && *most < out.count.backedges));
    if (is_better) {
      out.count = {*most == 0 ? trip_count_kind::exact : trip_count_kind::at_most, *most, 1};
    }
  }

  form_range range_of_form(const linear_form& form) const {
    return range_of(form, [this](value_id v) { return reader_.facts_of(v); });
  }

  /// Of a modular form.
  value_bounds bounds_of_form(const linear_form& form) const {
    if (form.num_terms == 1 && form.terms[0].coefficient == 1 && form.constant == 0 &&
        out_.values_[form.terms[0].value].width == form.width) {
      const number_facts f = reader_.facts_of(form.terms[0].value);
      return {f.least, f.most, f.low, f.high};
    }
    return bounds_of_range(range_of_form(form), form.width);
  }

  /// Of what a comparison reads, in whatever iteration.
  value_bounds bounds_of_operand(value_id v, unsigned width) const {
    const number_facts f = reader_.facts_of(v);
    return out_.values_[v].width == width ? value_bounds{f.least, f.most, f.low, f.high} : value_bounds::all(width);
  }

  /// The first iteration in which the difference is 0, or is not.
  loop_trips count_to_equality(const comparison& c, loop_id l, const evolution& a, const evolution& b) {
    loop_trips out;
    evolution apart = a;
    apart.add(b, minus_one);
    if (is_of_numbers(apart)) {
      note_numbers(exit_of(c, c.width, apart, 0));
      out.count = trip_count_of(numbers_);
    } else if (apart.is_counter() && c.code == operation::equal) {
      const counted_exit e = exit_of(c, c.width, apart, 0);
      const auto formula = trip_formula_of(e);
      if (formula && formula->shift == 0) { // the number of steps to 0, modulo 2^width
        out.backedges = apart.start();
        out.has_formula = out.backedges.multiply(0 - formula->inverse);
        out.has_bound = out.has_formula && read_as_integer(out.backedges, out.bound);
      }
      linear_form way = apart.start();
      if (formula && way.negate()) {
        const form_range ways = range_of_form(way);
        note_most(out, most_backedges_of_ways(*formula, e, ways));
        const bool is_multiple = ways.zeros >= formula->shift && (ways.first & ones_below(formula->shift)) == 0;
        if (a.is_counter() && b.is_invariant()) {
          const value_bounds starts = bounds_of_form(a.start());
          note_most(out, most_backedges(e, starts, bounds_of_form(b.start()), false, is_multiple));
        }
        note_most(out, is_multiple || must_leave(l) ? if_small(low_ones(c.width) >> formula->shift) : std::nullopt);
      }
    }
    return out;
  }

  void note_numbers(const counted_exit& e) {
    has_numbers_ = true;
    numbers_ = e;
  }

  /// `a` and `b` are bits, `x` and `y` what is compared, as far as it does not wrap.
  loop_trips count_to_order(const comparison& c, loop_id l, const evolution& a, const evolution& b, const evolution& x,
                            const evolution& y) {
    loop_trips out;
    if (is_of_numbers(a) && b.is_invariant() && b.start().is_number()) {
      note_numbers(exit_of(c, c.width, a, b.start().constant));
      out.count = trip_count_of(numbers_);
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
    const auto formula = a.is_counter() ? trip_formula_of(exit_of(c, c.width, a, 0)) : std::nullopt;
    if (!formula) {
      return out;
    }
    const number_reading r = reading_for(c.code);
    const value_bounds bounds = b.is_invariant() ? bounds_of_form(b.start()) : bounds_of_operand(c.b, c.width);
    const bool stays = !formula->requires_no_wrap || x.is_counter();
    const bool must = b.is_invariant() && !stays && std::has_single_bit(formula->divisor) && must_leave(l);
    const bool meets = meets_bound(*formula, exit_of(c, c.width, a, 0), bounds);
    if (stays || meets) {
      note_most(out, backedges_of_distance(*formula, longest_distance(*formula, bounds_of_form(a.start()), bounds)));
    } else if (must) {
      note_most(out, if_small(low_ones(c.width) / formula->divisor));
    } else {
      return out;
    }
    linear_form start;
    linear_form bound;
    linear_form way; // to the bound; not positive if the first test ends the loop
    if (!b.is_invariant() || !read_exact(a, x, r, start) || !read_exact(b, y, r, bound) ||
        !(formula->is_down ? linear_difference(start, bound, way) : linear_difference(bound, start, way)) ||
        !way.add(formula->adjustment)) {
      return out;
    }
    if (const optional<std::int64_t> most = end_of(way, true); most && !must) {
      const auto far = static_cast<std::uint64_t>(*most < 0 ? 0 : *most);
      note_most(out, far == 0 ? std::uint64_t{0} : (far - 1) / formula->divisor + 1);
    }
    const optional<std::int64_t> least = end_of(way, false);
    out.has_formula = formula->divisor == 1 && ((least && *least >= 0) || is_guarded(l, way));
    out.backedges = way;
    out.has_bound = formula->divisor == 1;
    out.bound = way;
    return out;
  }

  /// Whether the program promises that loop `l` ends, and it has one exit and no other way to end.
  bool must_leave(loop_id l) const {
    std::size_t exits = 0;
    for ([[maybe_unused]] const loop_edge& e : loops_.exiting_edges(l)) {
      ++exits;
    }
    bool must = exits == 1 && loops_.subloops(l).size() == 1;
    for (const loop_edge& e : loops_.backedges(l)) {
      must = must && p_.must_end(e.id);
    }
    for (const node_id n : must ? loops_.own_blocks(l) : span<const node_id>()) {
      for (const value_id v : p_.values(n)) {
        const effect_kind effect = p_.effect(v);
        const bool is_access =
            effect == effect_kind::none || effect == effect_kind::reads || effect == effect_kind::writes;
        must = must && !p_.may_not_return(v) && !p_.is_volatile(v) && (is_access || !p_.may_write(v, any_memory));
      }
    }
    return must;
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

  /// A form modulo 2^width as an integer, with signed coefficients: the number itself if that is not negative. False if
  /// the integer may be 2^width or more; of 64 bits, it does not fit then.
  bool read_as_integer(const linear_form& form, linear_form& out) const {
    out = linear_form::exact_zero();
    bool is = out.add(static_cast<std::uint64_t>(as_signed(form.constant, form.width)));
    for (std::uint32_t i = 0; is && i != form.num_terms; ++i) {
      const linear_form::term& t = form.terms[i];
      is = out_.values_[t.value].width != 0 && out_.values_[t.value].width <= 64 &&
           out.add(t.value, static_cast<std::uint64_t>(as_signed(t.coefficient, form.width)),
                   t.reading == low_bits ? out_.canonical(t.value, as_signed_number) : t.reading);
    }
    if (is && form.width < 64) {
      const optional<std::int64_t> most = end_of(out, true);
      is = most && *most < std::int64_t{1} << form.width;
    }
    return is;
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
    bit_fact bit;
    bit_facts parts;
    bool implies = false;
    if (read_branch(n, e, bit) && split_into(bit, true, parts)) { // all of them hold
      for (std::size_t i = 0; i != parts.size; ++i) {
        implies = implies || implies_not_negative(comparison_of(parts.bits[i]), form);
      }
    }
    return implies;
  }

  bool implies_not_negative(const comparison& c, const linear_form& form) const {
    linear_form a;
    linear_form b;
    if (!is_order(c.code)) {
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
  bool has_numbers_ = false; ///< the comparison that was counted last is of numbers: `numbers_`
  counted_exit numbers_;
};

} // namespace detail

MIDEND_END_NAMESPACE
