/// `loop_trip_finder`: how often loops run, from evolutions of what their exits compare.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/entry_ranges.hpp"
#include "midend/induction/detail/evolution_solver.hpp"
#include "midend/induction/detail/integer_ends.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/induction/value_evolutions.hpp"
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

/// Counts loops. An exit that each iteration tests compares a counter with what does not change, or two counters; or it
/// is taken if one of several comparisons holds, or all do. Numbers are counted by `trip_count_of`. Otherwise the
/// difference of both sides is a sum that moves by a step, and the exit is taken when it has passed 0: after the
/// distance to 0 divided by the step. That is right if neither side wraps before, by promise, by the number of
/// iterations, or because the step cannot lead past all numbers that end the loop.
class loop_trip_finder {
public:
  loop_trip_finder(const flat_program& program, const loop_forest& loops, const value_form_reader& reader,
                   evolution_solver& solver, value_evolutions& out)
      : p_(program), loops_(loops), reader_(reader), solver_(solver), out_(out), conditions_(program),
        ranges_(program, loops, out.dominators_, reader) {}

  /// Fills the trips of loop `l`, and appends those of its exits. Requires those of the loops inside.
  void count(loop_id l) {
    loop_trips& trips = out_.loops_[l].trips;
    trips = {};
    trips.count = {trip_count_kind::endless, 0, 1};
    loop_trips total = trips;
    bool ends = false;
    knows_ends_ = false;
    out_.loops_[l].first_exit = static_cast<std::uint32_t>(out_.exits_.size());
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      loop_trips one;
      const bool is_tested = is_always_tested(l, e);
      if (is_tested) {
        one = count_exit(l, e);
      }
      one.last_node = e.source;
      out_.exits_.push_back(out_.packed(e.id, is_tested, one));
      ends = ends || one.ends;
      if (one.count.kind != trip_count_kind::endless) {
        total = total.count.kind == trip_count_kind::endless ? one : earlier_of(total, one);
      }
    }
    out_.loops_[l].last_exit = static_cast<std::uint32_t>(out_.exits_.size());
    if (total.count.kind != trip_count_kind::exact && !total.has_formula) {
      total.last_node = no_node;
    }
    total.ends = ends;
    trips = total;
  }

  /// Runs loop `l`, which is counted, if an exit says nothing and the number is not known.
  void run(loop_id l, loop_runner& runner) {
    bool may_gain = false;
    for (std::size_t i = 0; i != out_.num_exits(l); ++i) {
      const packed_exit& x = out_.exits_[out_.loops_[l].first_exit + i];
      may_gain = may_gain ||
                 (x.count.kind == trip_count_kind::unknown && !x.is_direct && x.backedges.count == packed_form::itself);
    }
    if (is_open(l) && may_gain && loops_.subloops(l).size() == 1) {
      out_.loops_[l].run = runner.run(l, out_);
    }
  }

  /// What the run of loop `l`, if there was one, says about its number.
  void note_run(loop_id l) {
    loop_trips& trips = out_.loops_[l].trips;
    const trip_count& found = out_.loops_[l].run;
    if (is_open(l) && found.kind == trip_count_kind::exact) {
      trips.count = found;
      trips.has_formula = false;
      trips.last_node = out_.num_exits(l) == 1 ? out_.exit(l, 0).trips.last_node : no_node;
    } else if (is_open(l) && found.kind == trip_count_kind::at_most &&
               (trips.count.kind == trip_count_kind::unknown || found.backedges < trips.count.backedges)) {
      trips.count = {found.kind, found.backedges, trips.count.multiple};
    }
  }

  /// What the phis of its header are at most and at least, by how often loop `l` runs. Requires its trips.
  void narrow_counters(loop_id l, value_form_reader& reader) {
    const trip_count& count = out_.loops_[l].trips.count;
    const bool is_bounded = count.kind == trip_count_kind::exact || count.kind == trip_count_kind::at_most;
    if (!is_bounded || count.backedges > largest_upper_bound) {
      return;
    }
    for (const value_id v : p_.values(loops_.header(l))) {
      if (p_.is_phi(v) && !p_.constant(v) && out_.values_[v].width == p_.operation(v).width) {
        narrow_counter(l, v, count.backedges, reader);
      }
    }
  }

  /// What phis and selects are at most and at least, by the branches that lead to them, and by their conditions: of
  /// each of their inputs.
  void narrow_choices(span<const node_id> order, value_form_reader& reader) {
    for (const node_id n : order) {
      bool has_phis = false;
      for (const value_id v : p_.values(n)) {
        has_phis = has_phis || p_.is_phi(v);
      }
      std::size_t edges = 0;
      std::size_t comparisons = 0;
      for (const edge_id e : has_phis ? p_.graph().in_edges(n) : span<const edge_id>()) {
        if (reader.is_reachable(p_.graph().edge_source(e)) && ++edges <= max_inputs) {
          ranges_.passing(e, held_[edges - 1]);
          comparisons += held_[edges - 1].size;
        }
      }
      const bool knows_more = comparisons != 0 && edges <= max_inputs; // than the facts
      for (const value_id v : p_.values(n)) {
        if (p_.constant(v) || out_.values_[v].width != p_.operation(v).width) {
          continue;
        }
        value_id inputs[max_inputs] = {};
        if (p_.is_phi(v) && knows_more) {
          edges = 0;
          for (const edge_id e : p_.graph().in_edges(n)) {
            if (reader.is_reachable(p_.graph().edge_source(e))) {
              inputs[edges++] = p_.phi_input(v, e);
            }
          }
          narrow_choice(v, {inputs, edges}, held_, reader);
        } else if (!p_.is_phi(v) && p_.operation(v).code == operation::select) {
          narrow_select(v, reader);
        }
      }
    }
  }

private:
  static constexpr std::size_t max_inputs = 4; ///< of a phi that is narrowed
  static constexpr number_reading low_bits = number_reading::low_bits;
  static constexpr number_reading as_signed_number = number_reading::as_signed;
  static constexpr number_reading as_unsigned_number = number_reading::as_unsigned;
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};
  static constexpr std::uint64_t max_listed = 100; ///< of a loop that runs longer, not each iteration is looked at

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

  bool is_open(loop_id l) const {
    const trip_count_kind kind = out_.loops_[l].trips.count.kind;
    return kind == trip_count_kind::unknown || kind == trip_count_kind::at_most;
  }

  /// Whether each iteration that no earlier exit ends tests this one.
  bool is_always_tested(loop_id l, const loop_edge& exit) const {
    bool is_tested = loops_.innermost_loop(exit.source) == l;
    for (const loop_edge& back : loops_.backedges(l)) {
      is_tested = is_tested && out_.dominators_.dominates(exit.source, back.source);
    }
    return is_tested;
  }

  // Exits.

  static number_reading reading_for(operation code) {
    return is_signed_order(code) ? as_signed_number : as_unsigned_number;
  }

  /// The evolution of an operand of a comparison; unknown if it has no form.
  evolution resolve_operand(value_id v, unsigned width, number_reading r, loop_id l) {
    linear_form form;
    const bool is_read =
        r == low_bits ? reader_.read_low_bits(v, width, form) : reader_.read_operand(v, width, r, form);
    return is_read ? solver_.resolve(form, l) : evolution::unknown(l, evolution_obstacle::unknown_value);
  }

  evolution resolve_second(const value_comparison& c, number_reading r, loop_id l) {
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
    is_only_condition_ = false;
    if (!conditions_.read_branch(exit.source, exit.id, bit)) {
      return count_cases(l, exit);
    }
    loop_trips out;
    if (conditions_.split_into(bit, false, parts)) {
      out.count.kind = trip_count_kind::endless;
      is_only_condition_ = parts.size == 1;
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
    value_comparison c{operation::equal, p_.operation(condition).width, condition};
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
    if (!conditions_.split_into(bit, true, parts)) {
      return {};
    }
    if (parts.size == 1) {
      return count_comparison(l, conditions_.comparison_of(parts.bits[0]));
    }
    is_only_condition_ = false;
    // All hold for the first time when the last one does for its first time, if the others hold then.
    loop_trips out;
    counted_exit exits[bit_facts::most];
    std::uint64_t last = 0;
    bool are_numbers = true;
    for (std::size_t i = 0; i != parts.size; ++i) {
      const trip_count count = count_comparison(l, conditions_.comparison_of(parts.bits[i])).count;
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

  loop_trips count_comparison(loop_id l, const value_comparison& c) {
    loop_trips out = count_in_width(l, with_number(l, c));
    value_comparison few = c;
    if (!says_all(out) && in_fewer_bits(few)) {
      const bool had_numbers = has_numbers_;
      const loop_trips other = count_in_width(l, few);
      if (says_all(other)) {
        note_most(out, other.count.kind == trip_count_kind::at_most ? if_small(other.count.backedges) : std::nullopt);
        const trip_count most = out.count;
        out = other;
        note_most(out, most.kind == trip_count_kind::at_most ? if_small(most.backedges) : std::nullopt);
        return out;
      }
      has_numbers_ = had_numbers;
      note_most(out, other.count.kind == trip_count_kind::at_most ? if_small(other.count.backedges) : std::nullopt);
      note_multiple(out, other.count.multiple);
      out.ends = out.ends || other.ends;
    }
    return out;
  }

  loop_trips count_in_width(loop_id l, const value_comparison& c) {
    has_numbers_ = false;
    return is_order(c.code) ? count_to_order(l, c) : count_to_equality(l, c);
  }

  /// Whether a count is a number, or can be computed before the loop.
  static bool says_all(const loop_trips& t) {
    return (t.count.kind != trip_count_kind::unknown && t.count.kind != trip_count_kind::at_most) || t.has_formula ||
           t.test.is_direct;
  }

  /// An order of x and x plus a number d, modulo 2^width, tells whether that sum wraps: so it is one of x and a number.
  value_comparison with_number(loop_id l, const value_comparison& c) {
    linear_form a;
    linear_form b;
    linear_form apart;
    if (!is_order(c.code) || c.b == no_value || !reader_.read_low_bits(c.a, c.width, a) ||
        !reader_.read_low_bits(c.b, c.width, b) || !linear_difference(b, a, apart) || !apart.is_number() ||
        apart.is_zero() || resolve_operand(c.a, c.width, reading_for(c.code), l).is_known()) {
      return c;
    }
    const bool is_signed = is_signed_order(c.code);
    const std::uint64_t offset = is_signed ? sign_bit(c.width) : 0;
    const std::uint64_t last = (low_ones(c.width) - apart.constant - offset) & low_ones(c.width); // x + d does not wrap
    const operation code = signed_comparison(c.code);
    const bool is_less = code == operation::less || code == operation::less_equal;
    value_comparison out{is_signed ? operation::less_equal : operation::uless_equal, c.width, c.a, no_value, last};
    out.code = is_less ? out.code : negated(out.code);
    return out;
  }

  /// A comparison of numbers that fit in fewer bits is one of so many bits.
  bool in_fewer_bits(value_comparison& c) const {
    const auto literal = c.b == no_value ? std::optional(c.number) : p_.constant(c.b);
    const number_facts a = facts_of_operand(c.a, c.width);
    const number_facts b =
        literal.has_value() ? number_facts::exactly(c.width, literal.value_or(0)) : facts_of_operand(c.b, c.width);
    const std::uint64_t possible =
        reader_.possible_bits(c.a, c.width) |
        (literal.has_value() ? literal.value_or(0) & low_ones(c.width) : reader_.possible_bits(c.b, c.width));
    const auto bits = static_cast<unsigned>(std::bit_width(possible));
    const auto places = [](std::int64_t n) { return 1 + std::bit_width(static_cast<std::uint64_t>(n < 0 ? ~n : n)); };
    unsigned signed_bits = 1;
    for (const std::int64_t n : {a.low, a.high, b.low, b.high}) {
      signed_bits = static_cast<unsigned>(places(n)) > signed_bits ? static_cast<unsigned>(places(n)) : signed_bits;
    }
    if (bits != 0 && bits < c.width && bits <= signed_bits) {
      c.code = unsigned_comparison(c.code); // neither is negative
      c.width = bits;
    } else if (signed_bits < c.width) {
      c.width = signed_bits; // the order of unsigned numbers is the same, too
    } else {
      return false;
    }
    return true;
  }

  number_facts facts_of_operand(value_id v, unsigned width) const {
    return out_.values_[v].width == width ? reader_.facts_of(v) : number_facts::any(width);
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

  /// Start plus k times a step.
  static bool is_linear(const evolution& e) { return e.is_known() && e.degree <= 1 && !e.has_power(); }

  static counted_exit exit_of(const value_comparison& c, unsigned width, const evolution& counter,
                              std::uint64_t bound) {
    return {
        static_cast<std::uint8_t>(width), counter.start().constant, counter.step().constant, bound, c.code, true, {}};
  }

  void note_numbers(const counted_exit& e) {
    has_numbers_ = true;
    numbers_ = e;
  }

  /// Notes that at most so many backedges are taken.
  static void note_most(loop_trips& out, const std::optional<std::uint64_t>& most) {
    const bool is_better = most && (out.count.kind == trip_count_kind::unknown ||
                                    (out.count.kind == trip_count_kind::at_most && *most < out.count.backedges));
    if (is_better) {
      out.count = {*most == 0 ? trip_count_kind::exact : trip_count_kind::at_most, *most, 1};
    }
  }

  /// Notes that the header is executed a multiple of so many times.
  static void note_multiple(loop_trips& out, std::uint64_t multiple) {
    if (out.count.kind != trip_count_kind::exact && multiple > out.count.multiple) {
      out.count.multiple = multiple;
    }
  }

  /// Of a modular form, when loop `l` is entered.
  value_bounds bounds_of_form(loop_id l, const linear_form& form) const {
    const value_bounds bounds = bounds_of_range(ranges_.range_at(form, l), form.width);
    if (form.num_terms == 1 && form.terms[0].coefficient == 1 && form.constant == 0 &&
        out_.values_[form.terms[0].value].width == form.width) {
      const number_facts f = reader_.facts_of(form.terms[0].value);
      return narrower({f.least, f.most, f.low, f.high}, bounds);
    }
    return bounds;
  }

  /// Of what a comparison reads, in whatever iteration.
  value_bounds bounds_of_operand(value_id v, unsigned width) const {
    const number_facts f = reader_.facts_of(v);
    return out_.values_[v].width == width ? value_bounds{f.least, f.most, f.low, f.high} : value_bounds::all(width);
  }

  // Sums of bits as integers.

  /// An integer that is the form modulo 2^width, with a number in reading `r` for each of its values. Not for one bit,
  /// of which 1 and -1 are the same.
  bool lift(const linear_form& bits, number_reading r, linear_form& out) const {
    out = linear_form::exact_zero();
    bool fits = bits.width != 1 && out.add(static_cast<std::uint64_t>(as_signed(bits.constant, bits.width)));
    for (std::uint32_t i = 0; i != bits.num_terms && fits; ++i) {
      const linear_form::term& t = bits.terms[i];
      fits = out.add(t.value, static_cast<std::uint64_t>(as_signed(t.coefficient, bits.width)),
                     out_.canonical(t.value, t.reading == low_bits ? r : t.reading));
    }
    return fits;
  }

  /// What a form is as a number with a sign or without, when the loop is entered: an integer in the range of such
  /// numbers is that number.
  bool lift_number(loop_id l, const linear_form& bits, number_reading r, linear_form& out) const {
    if (bits.is_number()) {
      out = linear_form::exact_zero();
      return value_form_reader::read_number(bits.constant, bits.width, r, out);
    }
    const bool is_value = bits.num_terms == 1 && bits.terms[0].coefficient == 1 && bits.constant == 0 &&
                          bits.terms[0].reading == low_bits && out_.values_[bits.terms[0].value].width == bits.width;
    if (!lift(bits, r, out)) {
      return false;
    }
    const integer_ends ends = is_value ? integer_ends() : ranges_.of(out, l);
    return is_value || (ends.is_at_least(lowest(bits.width, r)) && ends.is_at_most(highest(bits.width, r)));
  }

  /// A form modulo 2^width as an integer: the number itself if that is not negative. False if the integer may be
  /// 2^width or more; of 64 bits, it does not fit then.
  bool read_as_integer(const linear_form& form, linear_form& out) const {
    return lift(form, as_signed_number, out) &&
           (form.width == 64 || ranges_.of(out).is_at_most(static_cast<std::int64_t>(low_ones(form.width))));
  }

  static std::int64_t lowest(unsigned width, number_reading r) {
    return r == as_signed_number ? as_signed(sign_bit(width), width) : 0;
  }

  /// Of 64 bits without a sign, the largest number that has one.
  static std::int64_t highest(unsigned width, number_reading r) {
    return static_cast<std::int64_t>(ones_below(width < 64 && r != as_signed_number ? width : width - 1));
  }

  // Equality.

  /// Two counters of a loop around that stay a number apart: their difference is that number.
  void drop_counters_around(loop_id l, evolution& apart) {
    for (loop_id around = loops_.parent(l); around != no_loop; around = loops_.parent(around)) {
      if (!apart.is_known() || apart.start().num_terms < 2) {
        return;
      }
      const evolution e = solver_.resolve(apart.start(), around);
      if (e.is_invariant() && e.start().num_terms < apart.start().num_terms) {
        apart.coefficients[0] = e.start();
      }
    }
  }

  /// The first iteration in which the difference is 0, or is not.
  loop_trips count_to_equality(loop_id l, const value_comparison& c) {
    const evolution a = resolve_operand(c.a, c.width, low_bits, l);
    const evolution b = resolve_second(c, low_bits, l);
    evolution apart = a;
    apart.add(b, minus_one);
    drop_counters_around(l, apart);
    loop_trips out;
    out.test = test_of(c.code, apart, evolution::constant(l, apart.start().none_of()));
    out.ends = is_met(out.test);
    if (is_of_numbers(apart)) {
      note_numbers(exit_of(c, c.width, apart, 0));
      out.count = trip_count_of(numbers_);
    } else if (c.code == operation::not_equal && differ_at_first(l, apart)) {
      out.count = {trip_count_kind::exact, 0, 1};
    } else if (apart.is_counter() && c.code == operation::not_equal) {
      note_most(out, std::uint64_t{1}); // a step leads away from 0
    } else if (apart.is_counter()) {
      count_steps_to_zero(l, c, a, b, apart, out);
    }
    return out;
  }

  /// Whether a difference is not 0 in the first iteration.
  bool differ_at_first(loop_id l, const evolution& apart) const {
    linear_form first;
    if (!apart.is_known() || !apart.value_at(0, first)) {
      return false;
    }
    const form_range range = ranges_.range_at(first, l);
    bool differ = range.first != 0 && range.more < low_ones(first.width) - range.first + 1;
    for (const number_reading r : {as_signed_number, as_unsigned_number}) {
      linear_form lifted;
      const integer_ends ends = lift(first, r, lifted) ? ranges_.of(lifted, l) : integer_ends();
      const auto most = static_cast<std::int64_t>(low_ones(first.width) >> 1); // so that it is no multiple of 2^width
      differ =
          differ || (ends.is_at_least(1) && ends.is_at_most(most)) || (ends.is_at_least(-most) && ends.is_at_most(-1));
    }
    return differ;
  }

  void count_steps_to_zero(loop_id l, const value_comparison& c, const evolution& a, const evolution& b,
                           const evolution& apart, loop_trips& out) {
    const counted_exit e = exit_of(c, c.width, apart, 0);
    const optional<trip_formula> formula = trip_formula_of(e);
    linear_form way = apart.start();
    if (!formula || !way.negate()) {
      return;
    }
    form_range ways = ranges_.range_at(way, l);
    if (linear_form low; read_starts(way, formula->shift, low) && low.is_number()) {
      ways = with_low_bits(ways, low.constant, formula->shift, c.width);
    }
    const bool is_multiple = ways.zeros >= formula->shift && (ways.first & ones_below(formula->shift)) == 0;
    const bool is_whole = is_multiple || must_leave(l);
    note_most(out, most_backedges_of_ways(*formula, e, ways));
    if (a.is_counter() && b.is_invariant()) {
      note_most(out, most_backedges(e, bounds_of_start(l, c, a), bounds_of_bound(l, c, b), false, is_multiple));
    }
    note_most(out, is_whole ? most_steps(l, c, a, b, way, apart.step()) : std::nullopt);
    const bool is_promised = !is_whole && has_one_end(l) &&
                             (keeps_promise(l, c, as_signed_number) || keeps_promise(l, c, as_unsigned_number));
    out.test.is_direct = is_whole || is_promised;
    note_most(out, out.test.is_direct ? if_small(low_ones(c.width) >> formula->shift) : std::nullopt);
    if (out.test.is_direct) {
      note_multiple(out, multiple_by_low_bits(*formula, ways.first, ways.zeros));
      out.has_formula = divide_way(l, way, apart.step().constant, *formula, out.backedges);
      out.has_bound = out.has_formula && formula->shift == 0 && read_as_integer(out.backedges, out.bound);
      const form_range steps = out.has_formula ? ranges_.range_at(out.backedges, l) : form_range();
      const bool is_known = out.has_formula && steps.more <= low_ones(out.backedges.width) - steps.first;
      note_most(out, is_known ? if_small(steps.first + steps.more) : std::nullopt);
    }
  }

  /// The low bits of a sum of counters of other loops whose steps do not change them: those that the counters start
  /// with.
  bool read_starts(const linear_form& form, unsigned bits, linear_form& out) {
    if (bits == 0) {
      return false;
    }
    out = linear_form::zero(bits);
    bool fits = out.add(form.constant);
    for (std::uint32_t i = 0; i != form.num_terms && fits; ++i) {
      const linear_form::term& t = form.terms[i];
      linear_form low;
      fits = reader_.read_low_bits_of_term(t, bits, low);
      if (fits && reader_.is_header_phi(t.value) && reader_.width_of(t.value) >= bits) {
        const evolution e = solver_.resolve(out_.form_of(t.value), reader_.home(t.value));
        if (e.is_counter() && (e.step().constant & ones_below(bits)) == 0) {
          low = e.start();
          fits = reader_.reduce(low, bits);
        }
      }
      fits = fits && out.add(low, t.coefficient);
    }
    return fits;
  }

  /// By the sum, and by what is known about the value itself.
  value_bounds bounds_of_bound(loop_id l, const value_comparison& c, const evolution& b) const {
    const value_bounds itself =
        c.b == no_value ? value_bounds::exactly(c.number, c.width) : bounds_of_operand(c.b, c.width);
    return b.is_invariant() ? narrower(bounds_of_form(l, b.start()), itself) : itself;
  }

  /// Of a counter in the first iteration: by its sum, and by what is known about what its phi starts with.
  value_bounds bounds_of_start(loop_id l, const value_comparison& c, const evolution& a) const {
    const value_bounds sum = bounds_of_form(l, a.start());
    std::uint64_t addend = 0;
    const value_id phi = phi_of(l, c, addend);
    if (phi == no_value) {
      return sum;
    }
    bool is_first = true;
    value_bounds joined = value_bounds::all(c.width);
    for (const loop_edge& e : loops_.entering_edges(l)) {
      if (reader_.is_reachable(e.source)) {
        const value_bounds one = bounds_of_operand(p_.phi_input(phi, e.id), c.width);
        joined = is_first ? one : both(joined, one);
        is_first = false;
      }
    }
    return narrower(sum, shifted(joined, addend, c.width));
  }

  static value_bounds both(const value_bounds& a, const value_bounds& b) {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
            a.signed_low < b.signed_low ? a.signed_low : b.signed_low,
            a.signed_high > b.signed_high ? a.signed_high : b.signed_high};
  }

  /// The phi of the header that the first operand is, plus a number; or `no_value`.
  value_id phi_of(loop_id l, const value_comparison& c, std::uint64_t& addend) const {
    linear_form form;
    if (c.a == no_value || !reader_.read_operand(c.a, c.width, low_bits, form) || form.num_terms != 1) {
      return no_value;
    }
    const linear_form::term& t = form.terms[0];
    addend = form.constant;
    const bool is_phi = t.coefficient == 1 && t.reading == low_bits && reader_.is_header_phi(t.value) &&
                        reader_.home(t.value) == l && out_.values_[t.value].width == c.width;
    return is_phi ? t.value : no_value;
  }

  /// At most how many steps lead to the bound, if they do: where the distance, as an integer, is not negative.
  std::optional<std::uint64_t> most_steps(loop_id l, const value_comparison& c, const evolution& a, const evolution& b,
                                          const linear_form& way, const linear_form& step) const {
    const bool is_down = as_signed(step.constant, step.width) < 0;
    const std::uint64_t size = (is_down ? 0 - step.constant : step.constant) & low_ones(step.width);
    linear_form distance = way;
    std::optional<std::uint64_t> least;
    if ((size != 1 && !std::has_single_bit(size)) || (is_down && !distance.negate())) {
      return least;
    }
    for (const number_reading r : {as_signed_number, as_unsigned_number}) {
      linear_form lifted;
      integer_ends ends = lift(distance, r, lifted) ? ranges_.of(lifted, l) : integer_ends();
      if (a.is_counter() && b.is_invariant()) {
        const integer_ends start = ends_of(bounds_of_start(l, c, a), r);
        const integer_ends bound = ends_of(bounds_of_bound(l, c, b), r);
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

  /// Whether both sides do not wrap until they meet.
  bool keeps_promise(loop_id l, const value_comparison& c, number_reading r) {
    evolution apart = resolve_operand(c.a, c.width, r, l);
    apart.add(resolve_second(c, r, l), minus_one);
    return is_linear(apart);
  }

  /// How many steps make up this distance, modulo 2^width; modulo fewer bits if the step is even.
  bool divide_way(loop_id l, const linear_form& way, std::uint64_t step, const trip_formula& formula,
                  linear_form& out) const {
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
    const auto quotient_of = [&](std::uint64_t n) { // the least number over -1 is itself
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
    const form_range range = ranges_.range_at(quotient, l);
    const std::uint64_t most = low_ones(width) >> formula.shift;
    if (divides && range.first <= most && range.more <= most - range.first) {
      return true;
    }
    const auto width_of = [this](value_id v) { return unsigned{out_.values_[v].width}; };
    return (divides || out.multiply(formula.inverse)) &&
           (formula.shift == 0 || out.reduce(width - formula.shift, width_of));
  }

  // Orders.

  /// What is compared: `a` and `b` as bits, `x` and `y` as numbers, as far as these do not wrap.
  struct sides {
    evolution a;
    evolution b;
    evolution x;
    evolution y;
  };

  loop_trips count_to_order(loop_id l, value_comparison c) {
    const number_reading r = reading_for(c.code);
    sides s{resolve_operand(c.a, c.width, low_bits, l), resolve_second(c, low_bits, l),
            resolve_operand(c.a, c.width, r, l), resolve_second(c, r, l)};
    if (c.b != no_value && (s.a.is_invariant() || (s.x.is_invariant() && s.y.is_counter()))) {
      s = {s.b, s.a, s.y, s.x}; // the counter comes first
      c = {mirrored(c.code), c.width, c.b, c.a, 0};
    }
    is_never_past_ = false;
    loop_trips out;
    out.test = test_of(c.code, s.a, s.b);
    out.ends = is_met(out.test);
    if (is_of_numbers(s.a) && s.b.is_invariant() && s.b.start().is_number()) {
      note_numbers(exit_of(c, c.width, s.a, s.b.start().constant));
      out.count = trip_count_of(numbers_);
      return out;
    }
    evolution apart = s.x;
    apart.add(s.y, minus_one);
    drop_counters_around(l, apart);
    if (is_of_numbers(apart)) { // they are compared as integers
      counted_exit e = exit_of(c, 64, apart, 0);
      e.comparison = signed_comparison(c.code);
      e.flags = {true, false};
      out.count = trip_count_of(e);
      return out;
    }
    if (is_linear(apart)) {
      const bool is_right = count_distance(l, c, s, apart, out);
      out.test.is_direct = is_right;
      note_step(s, c.code, is_right, out);
    }
    const auto formula = s.a.is_counter() ? trip_formula_of(exit_of(c, c.width, s.a, 0)) : std::nullopt;
    if (formula) {
      count_bits(l, c, s, *formula, is_linear(apart) && s.y.is_invariant(), out);
    } else if (!is_linear(apart)) {
      count_value_step(l, c, s, out);
    }
    if (!says_all(out) && holds_for_equal(c.code)) { // at the latest when they are equal
      value_comparison same = c;
      same.code = operation::equal;
      const loop_trips equal = count_to_equality(l, same);
      const bool is_bounded =
          equal.count.kind == trip_count_kind::exact || equal.count.kind == trip_count_kind::at_most;
      note_most(out, is_bounded ? if_small(equal.count.backedges) : std::nullopt);
      out.ends = out.ends || equal.ends;
      has_numbers_ = false;
    }
    return out;
  }

  /// Of a counter whose step is a value.
  static void note_step(const sides& s, operation ends, bool is_direct, loop_trips& out) {
    if (is_direct && !out.test.is_known() && is_linear(s.a) && s.a.degree == 1 && s.b.is_invariant()) {
      out.test = {ends, s.a.start(), 0, s.b.start(), s.a.step(), true};
    }
  }

  /// Two sides that do not wrap, of which the difference, `apart`, moves by a step. Returns whether the exit is taken
  /// when it has passed 0.
  bool count_distance(loop_id l, const value_comparison& c, const sides& s, const evolution& apart, loop_trips& out) {
    const operation code = signed_comparison(c.code);
    const bool is_up = ends_above(code);
    linear_form distance = apart.start();
    linear_form step = apart.degree == 0 ? apart.start().none_of() : apart.step();
    const std::uint64_t adjustment = code == operation::less || code == operation::greater ? 1 : 0;
    if (!(is_up ? distance.negate() : step.negate()) || !distance.add(adjustment)) {
      return false;
    }
    const integer_ends steps = ranges_.of(step, l);
    const bool leads = steps.is_at_least(1); // or the first test ends a loop that must end
    if (!leads && (step.is_number() || !must_leave(l))) {
      return false;
    }
    const std::uint64_t least_step = leads ? static_cast<std::uint64_t>(*steps.least) : 1;
    const integer_ends ends = ends_of_distance(l, c, s, is_up, distance, adjustment);
    is_never_past_ = ends.is_at_least(static_cast<std::int64_t>(adjustment));
    if (ends.most) {
      const std::uint64_t most = quotient_of_distance(*ends.most, least_step);
      const bool is_exact = step.is_number() && ends.least && quotient_of_distance(*ends.least, least_step) == most;
      note_most(out, most);
      if (is_exact && out.count.kind == trip_count_kind::at_most && out.count.backedges == most) {
        out.count = {trip_count_kind::exact, most, most + 1 == 0 ? std::uint64_t{1} << 63 : most + 1};
      }
    }
    out.has_bound = step.is_number() && divide_distance(distance, least_step, out.bound);
    if (out.has_bound && ends.is_at_least(0)) {
      out.has_formula = true;
      out.backedges = out.bound;
      note_multiple(out, multiple_of(out.backedges));
    }
    return adjustment == 0 || has_one_end(l) || is_short(l, c, s, is_up);
  }

  /// Whether a distance is not that from the least number to the greatest, which plus 1 is 2^width: the counter wraps
  /// before it has passed the greatest number, and another exit may be taken before.
  bool is_short(loop_id l, const value_comparison& c, const sides& s, bool is_up) const {
    if (!is_linear(s.a) || !s.b.is_invariant()) {
      return false;
    }
    const bool is_signed = is_signed_order(c.code);
    const value_bounds all = value_bounds::all(c.width);
    const value_bounds start = bounds_of_start(l, c, s.a);
    const value_bounds bound = bounds_of_bound(l, c, s.b);
    const value_bounds& low = is_up ? start : bound;
    const value_bounds& high = is_up ? bound : start;
    return is_signed ? low.signed_low != all.signed_low || high.signed_high != all.signed_high
                     : low.low != all.low || high.high != all.high;
  }

  /// Rounded up; 0 if the first test ends the loop.
  static std::uint64_t quotient_of_distance(std::int64_t distance, std::uint64_t step) {
    return distance <= 0 ? 0 : (static_cast<std::uint64_t>(distance) - 1) / step + 1;
  }

  /// An exact form divided by a positive number, rounded up: if its coefficients are multiples of it.
  static bool divide_distance(const linear_form& distance, std::uint64_t step, linear_form& out) {
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

  /// A number that divides the sum plus 1 for all values.
  static std::uint64_t multiple_of(const linear_form& backedges) {
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

  integer_ends ends_at(loop_id l, const linear_form& form, const value_bounds& itself, number_reading r) const {
    integer_ends out = ranges_.of(form, l);
    const integer_ends more = ends_of(itself, r);
    out.raise(more.least);
    out.lower(more.most);
    return out;
  }

  /// Of a distance plus `adjustment`: by its sum, and by what is known about the bound itself.
  integer_ends ends_of_distance(loop_id l, const value_comparison& c, const sides& s, bool is_up,
                                const linear_form& distance, std::uint64_t adjustment) const {
    integer_ends out = ranges_.of(distance, l);
    if (!s.y.is_invariant() || !is_linear(s.x) || !is_linear(s.a) || !s.b.is_invariant()) {
      return out;
    }
    const integer_ends bound = ends_at(l, s.y.start(), bounds_of_bound(l, c, s.b), reading_for(c.code));
    const integer_ends start = ends_at(l, s.x.start(), bounds_of_start(l, c, s.a), reading_for(c.code));
    const integer_ends& far = is_up ? bound : start;
    const integer_ends& near = is_up ? start : bound;
    const optional by(static_cast<std::int64_t>(adjustment));
    out.raise(checked_sum(checked_difference(far.least, near.most), by));
    out.lower(checked_sum(checked_difference(far.most, near.least), by));
    return out;
  }

  /// A counter of which the bits are known. If `is_exact`, it does not wrap before the exit is taken.
  void count_bits(loop_id l, const value_comparison& c, const sides& s, const trip_formula& formula, bool is_exact,
                  loop_trips& out) {
    const counted_exit e = exit_of(c, c.width, s.a, 0);
    const value_bounds bounds = bounds_of_bound(l, c, s.b);
    if (!is_exact && formula.requires_no_wrap && !meets_bound(formula, e, bounds)) {
      const bool must = s.b.is_invariant() && std::has_single_bit(formula.divisor) && must_leave(l);
      note_most(out, must ? if_small(low_ones(c.width) / formula.divisor) : std::nullopt);
      out.test.is_direct = must && formula.divisor == 1; // by steps of 1, it is at each number that ends the loop
      return;
    }
    note_most(out, backedges_of_distance(formula, longest_distance(formula, bounds_of_start(l, c, s.a), bounds)));
    if (!s.b.is_invariant()) {
      return;
    }
    out.test.is_direct =
        !formula.requires_no_wrap || formula.adjustment == 0 || has_one_end(l) || is_short(l, c, s, !formula.is_down);
    linear_form way;
    const bool has_way = linear_difference(s.b.start(), s.a.start(), way);
    const form_range ways = has_way ? ranges_.range_at(way, l) : form_range();
    note_most(out, has_way ? most_backedges_of_ways(formula, e, ways) : std::nullopt);
    if (!is_exact) {
      static_cast<void>(count_lifted(l, c, s, out));
    }
    if (is_never_past_ && has_way) {
      note_multiple(out, multiple_by_low_bits(formula, ways.first, ways.zeros));
    }
  }

  /// A bound that does not change, as a number.
  bool read_bound(loop_id l, const value_comparison& c, const sides& s, linear_form& out) const {
    if (s.y.is_invariant()) {
      out = s.y.start();
      return true;
    }
    return lift_number(l, s.b.start(), reading_for(c.code), out);
  }

  /// What a counter is in the first test, as a number: what its phi starts with, plus a number, or by its bits.
  bool read_start(loop_id l, const value_comparison& c, const sides& s, linear_form& out) const {
    const number_reading r = reading_for(c.code);
    if (lift_number(l, s.a.start(), r, out)) {
      return true;
    }
    std::uint64_t addend = 0;
    const value_id phi = phi_of(l, c, addend);
    bool is_first = true;
    bool fits = phi != no_value;
    for (const loop_edge& e : loops_.entering_edges(l)) {
      linear_form one;
      if (fits && reader_.is_reachable(e.source)) {
        fits = reader_.read_operand(p_.phi_input(phi, e.id), c.width, r, one) && (is_first || same_sum(one, out));
        out = one;
        is_first = false;
      }
    }
    const auto by = static_cast<std::uint64_t>(as_signed(addend, c.width));
    if (!fits || is_first || !out.add(by)) {
      return false;
    }
    const integer_ends ends = by == 0 ? integer_ends() : ranges_.of(out, l);
    return by == 0 || (ends.is_at_least(lowest(c.width, r)) && ends.is_at_most(highest(c.width, r)));
  }

  /// A counter that starts at an integer and moves towards another one, which it meets before it wraps.
  bool count_lifted(loop_id l, const value_comparison& c, sides s, loop_trips& out) {
    const number_reading r = reading_for(c.code);
    linear_form start;
    linear_form bound;
    if (!read_start(l, c, s, start) || !read_bound(l, c, s, bound)) {
      return false;
    }
    s.x = evolution::constant(l, start);
    s.y = evolution::constant(l, bound);
    s.x.degree = 1;
    if (!lift(s.a.step(), r, s.x.coefficients[1])) {
      return false;
    }
    evolution apart = s.x;
    apart.add(s.y, minus_one);
    return apart.is_known() && count_distance(l, c, s, apart, out);
  }

  /// A counter whose step is a value: from a bound that is far enough from the last number, no step leads past that.
  void count_value_step(loop_id l, const value_comparison& c, const sides& s, loop_trips& out) {
    const number_reading r = reading_for(c.code);
    const operation code = signed_comparison(c.code);
    linear_form bound;
    linear_form step;
    if (!is_linear(s.a) || s.a.degree != 1 || !s.b.is_invariant() || !lift(s.a.step(), r, step) ||
        !read_bound(l, c, s, bound)) {
      return;
    }
    const integer_ends bounds = ends_at(l, bound, bounds_of_bound(l, c, s.b), r);
    const integer_ends steps = ranges_.of(step, l);
    if (!(ends_above(code) ? steps.is_at_least(0) : steps.is_at_most(0))) {
      return; // it may wrap at the other end
    }
    const optional<std::int64_t> on(code == operation::less || code == operation::greater ? std::int64_t{0}
                                                                                          : std::int64_t{1});
    const optional<std::int64_t> last = ends_above(code) ? checked_sum(checked_difference(bounds.most, on), steps.most)
                                                         : checked_sum(checked_sum(bounds.least, on), steps.least);
    if (last && *last >= lowest(c.width, r) && *last <= highest(c.width, r) && count_lifted(l, c, s, out)) {
      note_step(s, c.code, true, out);
    }
  }

  /// Whether loop `l` can only end by the condition that is looked at, and the program promises that it ends.
  bool must_leave(loop_id l) {
    bool must = has_one_end(l);
    for (const loop_edge& e : must ? loops_.backedges(l) : span<const loop_edge>()) {
      must = must && p_.must_end(e.id);
    }
    return must;
  }

  /// Whether loop `l` can only end by the condition that is looked at: it has one exit, which tests nothing else, and
  /// no other way to end.
  bool has_one_end(loop_id l) {
    if (is_only_condition_ && !knows_ends_) {
      has_one_end_ = finds_one_end(l);
      knows_ends_ = true;
    }
    return is_only_condition_ && has_one_end_;
  }

  bool finds_one_end(loop_id l) const {
    std::size_t exits = 0;
    for ([[maybe_unused]] const loop_edge& e : loops_.exiting_edges(l)) {
      ++exits;
    }
    bool is_one = exits == 1 && loops_.subloops(l).size() == 1;
    for (const node_id n : is_one ? loops_.own_blocks(l) : span<const node_id>()) {
      for (const value_id v : p_.values(n)) {
        const effect_kind effect = p_.effect(v);
        const bool is_access =
            effect == effect_kind::none || effect == effect_kind::reads || effect == effect_kind::writes;
        is_one = is_one && !p_.may_not_return(v) && !p_.is_volatile(v) && (is_access || !p_.may_write(v, any_memory));
      }
    }
    return is_one;
  }

  void narrow_select(value_id v, value_form_reader& reader) {
    const span<const value_id> operands = p_.operands(v);
    if (operands.size() != 3 || operands[0] == no_value || p_.constant(operands[0])) {
      return;
    }
    ranges_.choosing({operands[0], true}, chosen_[0]);
    ranges_.choosing({operands[0], false}, chosen_[1]);
    narrow_choice(v, {operands.data() + 1, 2}, chosen_, reader);
  }

  /// A value that is one of others, where for each of these comparisons held.
  void narrow_choice(value_id v, span<const value_id> inputs, const held_comparisons* held, value_form_reader& reader) {
    number_facts f = reader_.facts_of(v);
    for (const number_reading r : {as_signed_number, as_unsigned_number}) {
      integer_ends joined;
      for (std::size_t i = 0; i != inputs.size(); ++i) {
        linear_form form;
        const bool is_read = reader_.read_operand(inputs[i], out_.values_[v].width, r, form);
        const integer_ends one = is_read ? ranges_.at(form, held[i]) : integer_ends();
        joined = i == 0 ? one : either_of(joined, one);
      }
      meet(f, joined, r);
    }
    reader.narrow(v, f);
  }

  // What counters are, by the number of iterations.

  void narrow_counter(loop_id l, value_id v, std::uint64_t backedges, value_form_reader& reader) {
    number_facts f = reader_.facts_of(v);
    const evolution bits = resolve_operand(v, out_.values_[v].width, low_bits, l);
    if (bits.is_counter()) {
      form_range range = ranges_.range_at(bits.start(), l);
      range = sum_of_ranges(range, multiple_of_range({0, backedges, 0}, bits.step().constant, bits.start().width),
                            bits.start().width);
      meet(f, bounds_of_range(range, bits.start().width));
    } else if (bits.is_known() && backedges <= max_listed) {
      meet_all_values(bits, backedges, f);
    }
    for (const number_reading r : {as_signed_number, as_unsigned_number}) {
      const evolution e = resolve_operand(v, out_.values_[v].width, r, l);
      if (is_linear(e) && (e.degree == 0 || e.step().is_number())) {
        integer_ends ends = ranges_.of(e.start(), l);
        const wrapping_result moved = wrapping_mul(e.degree == 0 ? 0 : e.step().constant, backedges, 64);
        const auto by = static_cast<std::int64_t>(moved.bits);
        ends.least = moved.signed_wrap ? std::nullopt : by < 0 ? checked_sum(ends.least, by) : ends.least;
        ends.most = moved.signed_wrap ? std::nullopt : by > 0 ? checked_sum(ends.most, by) : ends.most;
        meet(f, ends, r);
      }
    }
    reader.narrow(v, f);
  }

  /// Of numbers that do not change by a number, all of them.
  static void meet_all_values(const evolution& bits, std::uint64_t backedges, number_facts& f) {
    value_bounds all{};
    for (std::uint64_t k = 0; k <= backedges; ++k) {
      linear_form now;
      if (!bits.value_at(k, now) || !now.is_number()) {
        return;
      }
      const value_bounds one = value_bounds::exactly(now.constant, now.width);
      all = k == 0 ? one : both(all, one);
    }
    meet(f, all);
  }

  static void meet(number_facts& f, const value_bounds& b) {
    const value_bounds narrow = narrower({f.least, f.most, f.low, f.high}, b);
    f.least = narrow.low;
    f.most = narrow.high;
    f.low = narrow.signed_low;
    f.high = narrow.signed_high;
  }

  static void meet(number_facts& f, const integer_ends& ends, number_reading r) {
    value_bounds b{f.least, f.most, f.low, f.high};
    if (r == as_signed_number) {
      b.signed_low = ends.least && *ends.least > b.signed_low ? *ends.least : b.signed_low;
      b.signed_high = ends.most && *ends.most < b.signed_high ? *ends.most : b.signed_high;
    } else {
      const auto bits = [](std::int64_t n) { return n < 0 ? 0 : static_cast<std::uint64_t>(n); };
      b.low = ends.least && bits(*ends.least) > b.low ? bits(*ends.least) : b.low;
      b.high = ends.most && bits(*ends.most) < b.high ? bits(*ends.most) : b.high;
    }
    meet(f, b);
  }

  const flat_program& p_;
  const loop_forest& loops_;
  const value_form_reader& reader_;
  evolution_solver& solver_;
  value_evolutions& out_;
  condition_reader conditions_;
  entry_ranges ranges_;
  held_comparisons held_[max_inputs]; ///< along each edge that leads to a phi
  held_comparisons chosen_[2];
  bool is_only_condition_ = false; ///< no other one leaves by the exit that is counted
  bool knows_ends_ = false;        ///< `has_one_end_` is valid
  bool has_one_end_ = false;
  bool is_never_past_ = false; ///< the start of the order that was counted last is not past its bound
  bool has_numbers_ = false;   ///< the comparison that was counted last is of numbers: `numbers_`
  counted_exit numbers_;
};

} // namespace detail

MIDEND_END_NAMESPACE
