/// `final_value_planner`: which values after loops are replaced, and by what.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/promised_to_end.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/counted_loops.hpp"
#include "midend/transform/final_value_plan.hpp"
#include "midend/transform/final_value_witness.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Builds the operations of one final value. Sums are linear forms; what an operation of the plan computes has a number
/// from `first_made` on in them.
class final_value_builder {
public:
  final_value_builder(const value_evolutions& found, value_id first_made, flat_array<final_step>& steps)
      : found_(found), first_made_(first_made), steps_(steps) {}

  unsigned width_of(value_id v) const {
    return v < first_made_ ? found_.width(v) : unsigned{steps_[v - first_made_].info.width};
  }

  /// A form modulo fewer bits. False if it has too many terms.
  bool reduce(linear_form& form, unsigned width) const {
    return form.reduce(width, [this](value_id v) { return width_of(v); });
  }

  static final_operand number(std::uint64_t bits, unsigned width) {
    return {final_operand::kind::number, static_cast<std::uint8_t>(width), no_value, 0, bits & low_ones(width)};
  }

  final_operand operand(value_id v) const {
    final_operand out;
    out.width = static_cast<std::uint8_t>(width_of(v));
    if (v < first_made_) {
      out.what = final_operand::kind::value;
      out.value = v;
    } else {
      out.what = final_operand::kind::step;
      out.step = v - first_made_;
    }
    return out;
  }

  final_operand make(operation code, unsigned width, unsigned operand_width, const final_operand& a,
                     const final_operand& b = {}) {
    steps_.push_back({{code, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(operand_width), {}}, {a, b}});
    return operand(first_made_ + static_cast<value_id>(steps_.size() - 1));
  }

  final_operand make(operation code, const final_operand& a, const final_operand& b) {
    return make(code, a.width, a.width, a, b);
  }

  /// The value that a made operation is in forms.
  value_id made(const final_operand& o) const {
    return o.what == final_operand::kind::step ? first_made_ + o.step : o.value;
  }

  /// What `o` is, as a form of its width.
  linear_form form_of(const final_operand& o) const {
    linear_form out = linear_form::zero(o.width);
    if (o.what == final_operand::kind::number) {
      out.constant = o.bits;
    } else {
      static_cast<void>(out.add(made(o), 1));
    }
    return out;
  }

  final_operand converted(const final_operand& o, unsigned width, number_reading r) {
    if (o.width == width) {
      return o;
    }
    if (o.what == final_operand::kind::number) { // without a sign
      return number(o.bits, width);
    }
    const operation code = o.width > width                  ? operation::truncate
                           : r == number_reading::as_signed ? operation::sign_extend
                                                            : operation::zero_extend;
    return make(code, width, o.width, o);
  }

  /// The sum of a modular form. Values with the same coefficient are added first.
  final_operand sum(const linear_form& form) {
    const unsigned width = form.width;
    final_operand total;
    bool done[linear_form::max_terms] = {};
    for (bool negative : {false, true}) {
      for (std::uint32_t i = 0; i != form.num_terms; ++i) {
        const std::int64_t by = as_signed(form.terms[i].coefficient, width);
        if (done[i] || (by < 0) != negative) {
          continue;
        }
        final_operand group;
        for (std::uint32_t k = i; k != form.num_terms; ++k) {
          if (form.terms[k].coefficient == form.terms[i].coefficient) {
            done[k] = true;
            const final_operand one = converted(operand(form.terms[k].value), width, form.terms[k].reading);
            group = group.what == final_operand::kind::none ? one : make(operation::add, group, one);
          }
        }
        const std::uint64_t size =
            (negative ? 0 - static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by)) & low_ones(width);
        group = multiple(group, size);
        if (negative && total.what == final_operand::kind::none) {
          total = number(form.constant, width); // the number minus the group
        }
        total = total.what == final_operand::kind::none
                    ? group
                    : make(negative ? operation::sub : operation::add, total, group);
      }
    }
    const bool has_positive = starts_with_group(form);
    if (form.num_terms == 0) {
      return number(form.constant, width);
    }
    return has_positive && form.constant != 0 ? make(operation::add, total, number(form.constant, width)) : total;
  }

  /// (t >> 1) · ((t - 1) | 1): of t and t - 1, the even one is halved, and the other one is odd already.
  final_operand pairs(const final_operand& t) {
    const final_operand one = number(1, t.width);
    const final_operand half = make(operation::shr, t, one);
    const final_operand odd = make(operation::bit_or, make(operation::sub, t, one), one);
    return make(operation::mul, half, odd);
  }

  /// A quotient by a number, rounded down.
  final_operand quotient(const final_operand& of, std::uint64_t by) {
    return std::has_single_bit(by)
               ? make(operation::shr, of, number(static_cast<unsigned>(std::countr_zero(by)), of.width))
               : make(operation::udiv, of, number(by, of.width));
  }

  /// The product of two forms of the same width. False if it has too many terms.
  bool product(linear_form a, const linear_form& b, linear_form& out) {
    if (b.is_number()) {
      out = a;
      return out.multiply(b.constant);
    }
    if (a.is_number()) {
      out = b;
      return out.multiply(a.constant);
    }
    const final_operand x = sum(a);
    const final_operand y = sum(b);
    out = form_of(make(operation::mul, x, y));
    return true;
  }

private:
  static bool starts_with_group(const linear_form& form) {
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      if (as_signed(form.terms[i].coefficient, form.width) >= 0) {
        return true;
      }
    }
    return false;
  }

  final_operand multiple(const final_operand& group, std::uint64_t by) {
    const unsigned width = group.width;
    return by == 1 ? group
           : std::has_single_bit(by)
               ? make(operation::shl, group, number(static_cast<unsigned>(std::countr_zero(by)), width))
               : make(operation::mul, group, number(by, width));
  }

  const value_evolutions& found_;
  value_id first_made_;
  flat_array<final_step>& steps_;
};

/// A read of a value after loops of it.
struct outside_read {
  final_read read;
  loop_id outermost = no_loop; ///< that control has left
  loop_id chosen = no_loop;
  std::uint32_t next = 0xffff'ffff; ///< of the same value
};

/// A value that may be replaced.
struct final_value_candidate {
  final_value value; ///< its steps are in `steps_`
  bool is_accepted = false;
  std::uint32_t before = 0xffff'ffff; ///< the one before it of the same loop
};

class final_value_planner {
public:
  final_value_planner(const flat_program& program, const dominator_tree& tree, const loop_forest& loops,
                      const value_evolutions& found, const final_value_options& options, final_value_plan& out)
      : p_(program), tree_(tree), loops_(loops), found_(found), options_(options), out_(out),
        counted_(program, tree, loops, found) {}

  /// Plans all replacements that have a closed form, whatever they cost. Returns whether there are any.
  bool propose() {
    if (refused_.empty()) {
      refused_.assign(p_.num_values(), 0);
      list_reads();
    }
    if (reads_.empty()) {
      return false;
    }
    for (outside_read& r : reads_) {
      r.chosen = no_loop;
    }
    candidates_.clear();
    steps_.clear();
    phis_.clear();
    out_.refused.clear();
    seen_.assign(p_.num_values(), 0);
    last_of_loop_.assign(loops_.num_loops(), none);
    for (const node_id n : tree_.preorder()) {
      for (const value_id v : p_.values(n)) {
        if (first_read_[v] != none) {
          choose_loops(v);
        }
      }
    }
    for (final_value_candidate& c : candidates_) {
      c.is_accepted = true;
    }
    write_plan();
    return !out_.values.empty();
  }

  /// Proposes a replacement no more.
  void refuse(value_id v, loop_id l) { refused_[v] = static_cast<std::uint8_t>(refused_[v] | bit_of(v, l)); }

  /// Keeps what pays of the proposal.
  void decide() {
    if (candidates_.empty()) {
      return;
    }
    needed_.assign(p_.num_values(), 0);
    for (const loop_id l : loops_.loops()) {
      decide(l);
    }
    write_plan();
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr std::uint32_t most_visits = 256;
  static constexpr std::size_t max_depth = 8;

  void write_plan() {
    out_.values.clear();
    out_.steps.clear();
    out_.reads.clear();
    out_.witness.evolutions.clear();
    out_.witness.counts.clear();
    seen_.assign(p_.num_values(), 0);
    for (final_value_candidate& c : candidates_) {
      accept(c);
    }
    list_claims();
  }

  /// The bit of a loop, one of the `max_depth` next ones around a value.
  unsigned bit_of(value_id v, loop_id l) const { return 1U << (loops_.depth(found_.home_loop(v)) - loops_.depth(l)); }

  // ---- What is read after loops.

  void list_reads() {
    first_read_.assign(p_.num_values(), none);
    for (std::size_t i = tree_.preorder().size(); i-- != 0;) { // the last one comes first in its list
      const node_id n = tree_.preorder()[i];
      for (const value_id user : p_.values(n)) {
        std::uint32_t k = 0;
        if (p_.is_phi(user)) {
          for (const edge_id e : p_.graph().in_edges(n)) {
            add_read(p_.phi_input(user, e), p_.graph().edge_source(e), n, {user, e, 0});
          }
          continue;
        }
        for (const value_id x : p_.operands(user)) {
          if (p_.may_replace_operand(user, k)) {
            add_read(x, n, n, {user, no_edge, k});
          }
          ++k;
        }
      }
    }
  }

  void add_read(value_id x, node_id from, node_id to, const final_read& read) {
    if (x == no_value || found_.home_loop(x) == no_loop || !tree_.is_reachable(from) || found_.width(x) < 2) {
      return;
    }
    outside_read out{read};
    for (loop_id l = found_.home_loop(x); l != no_loop && !(loops_.contains(l, from) && loops_.contains(l, to));
         l = loops_.parent(l)) {
      out.outermost = l;
    }
    if (out.outermost != no_loop) {
      out.next = first_read_[x];
      first_read_[x] = static_cast<std::uint32_t>(reads_.size());
      reads_.push_back(out);
    }
  }

  // ---- Closed forms.

  /// For each read the outermost loop for which there is a closed form, of the `max_depth` next ones.
  void choose_loops(value_id v) {
    std::uint32_t tried[max_depth];
    final_value_obstacle why[max_depth];
    for (std::uint32_t& t : tried) {
      t = none;
    }
    const loop_id home = found_.home_loop(v);
    loop_id first_refused = no_loop;
    final_value_obstacle first_why = final_value_obstacle::none;
    loop_id around[max_depth]; // `home` and the next loops around it
    std::size_t num_around = 0;
    for (loop_id l = home; num_around != max_depth && l != no_loop; l = loops_.parent(l)) {
      around[num_around++] = l;
    }
    for (std::uint32_t i = first_read_[v]; i != none; i = reads_[i].next) {
      const std::size_t outermost = loops_.depth(home) - loops_.depth(reads_[i].outermost);
      for (std::size_t k = min(outermost + 1, num_around); k-- != 0 && reads_[i].chosen == no_loop;) {
        if (tried[k] == none) {
          tried[k] = static_cast<std::uint32_t>(candidates_.size());
          why[k] = try_value(v, around[k]);
        }
        if (why[k] == final_value_obstacle::none) {
          reads_[i].chosen = around[k];
        } else if (first_refused == no_loop) {
          first_refused = around[k];
          first_why = why[k];
        }
      }
    }
    if (first_refused != no_loop && first_why != final_value_obstacle::none) {
      out_.refused.push_back({v, first_refused, first_why});
    }
  }

  final_value_obstacle try_value(value_id v, loop_id l) {
    const std::size_t before = steps_.size();
    final_value_candidate c;
    c.value.value = v;
    c.value.loop = l;
    c.value.place = tree_.immediate_dominator(loops_.header(l));
    const final_value_obstacle why = build(c.value);
    if (why != final_value_obstacle::none) {
      steps_.shrink(before);
      return why;
    }
    c.value.first_step = static_cast<std::uint32_t>(before);
    c.value.last_step = static_cast<std::uint32_t>(steps_.size());
    c.before = last_of_loop_[l];
    last_of_loop_[l] = static_cast<std::uint32_t>(candidates_.size());
    candidates_.push_back(c);
    return why;
  }

  final_value_obstacle build(final_value& f) {
    using enum final_value_obstacle;
    const loop_counting& count = counted_.count(f.loop);
    if (count.kind == counting_kind::several_exits) {
      return several_exits;
    }
    if (count.kind == counting_kind::unknown) {
      return not_counted;
    }
    if (f.place == no_node || loops_.innermost_loop(f.place) != loops_.parent(f.loop) ||
        !p_.accepts_operations(f.place)) {
      return no_place;
    }
    const evolution e = found_.evolution_of(f.value, f.loop);
    if (!e.is_known() || e.is_exact() || e.start().width != p_.operation(f.value).width) {
      return no_closed_form;
    }
    if (!forms_are_outside(e, f)) {
      return changes_inside;
    }
    if (const final_value_obstacle why = follow(f.value, f.loop); why != none_of_them) {
      return why;
    }
    if ((refused_[f.value] & bit_of(f.value, f.loop)) != 0) {
      return not_proven;
    }
    final_value_builder builder(found_, static_cast<value_id>(p_.num_values()), steps_);
    linear_form after;
    if (count.kind == counting_kind::number || e.is_invariant()) {
      if (!e.value_at(count.backedges, after)) {
        return not_expressible;
      }
    } else if (const final_value_obstacle why = build_formula(builder, e, count, f, after); why != none_of_them) {
      return why;
    }
    f.result = builder.sum(after);
    return none_of_them;
  }

  static constexpr final_value_obstacle none_of_them = final_value_obstacle::none;

  bool is_outside(const linear_form& form, const final_value& f) const {
    bool outside = true;
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const value_id v = form.terms[i].value;
      const node_id n = p_.node_of(v);
      outside = outside && !p_.may_be_undefined(v) &&
                (n == no_node || (tree_.dominates(n, f.place) && !(n == f.place && p_.is_terminator(v))));
    }
    return outside;
  }

  bool forms_are_outside(const evolution& e, const final_value& f) const {
    bool outside = is_outside(e.scale, f);
    for (unsigned d = 0; d <= e.degree; ++d) {
      outside = outside && is_outside(e.coefficients[d], f);
    }
    return outside;
  }

  /// The value after the last iteration t: c₀ + c₁ · t + c₂ · (t over 2).
  final_value_obstacle build_formula(final_value_builder& builder, const evolution& e, const loop_counting& count,
                                     const final_value& f, linear_form& after) {
    using enum final_value_obstacle;
    const unsigned width = e.start().width;
    if (e.degree > 2 || e.has_power()) {
      return not_expressible;
    }
    if (!is_outside(count.test.first, f) || !is_outside(count.test.bound, f)) {
      return changes_inside;
    }
    linear_form trips;
    if (!build_trips(builder, count, trips)) {
      return not_expressible;
    }
    linear_form narrow = trips;
    linear_form part;
    if (trips.width < width) { // the number, not its low bits, which may go on
      const final_operand t = builder.converted(builder.sum(trips), width, number_reading::as_unsigned);
      trips = builder.form_of(t);
      narrow = trips;
    } else if (!builder.reduce(narrow, width)) {
      return not_expressible;
    }
    after = e.start();
    if (!builder.product(e.step(), narrow, part) || !after.add(part)) {
      return not_expressible;
    }
    if (e.degree == 2) {
      linear_form pairs = builder.form_of(builder.pairs(builder.sum(trips)));
      if (!builder.reduce(pairs, width) || !builder.product(e.coefficients[2], pairs, part) || !after.add(part)) {
        return not_expressible;
      }
    }
    return none_of_them;
  }

  /// The number of backedges, as an unsigned number of the width of the test.
  static bool build_trips(final_value_builder& builder, const loop_counting& count, linear_form& trips) {
    const counter_test& test = count.test;
    if (count.kind == counting_kind::solution) {
      return linear_difference(test.bound, test.first, trips) && trips.multiply(count.inverse);
    }
    if (count.kind == counting_kind::exact_quotient) {
      if (!(count.is_up ? linear_difference(test.bound, test.first, trips)
                        : linear_difference(test.first, test.bound, trips))) {
        return false;
      }
      trips = builder.form_of(builder.quotient(builder.sum(trips), count.divisor));
      return true;
    }
    linear_form bound = test.bound;
    if (count.is_strict && !bound.add(count.is_up ? 1 : ~std::uint64_t{0})) {
      return false;
    }
    const final_operand a = builder.sum(test.first);
    const final_operand b = builder.sum(bound);
    const linear_form limit = builder.form_of(builder.make(count.limit, b, a));
    if (!(count.is_up ? linear_difference(limit, test.first, trips) : linear_difference(test.first, limit, trips))) {
      return false;
    }
    if (count.kind == counting_kind::distance) {
      return true;
    }
    // Rounded up without an overflow: (distance - 1) / step + 1, unless the distance is 0.
    const final_operand distance = builder.sum(trips);
    const linear_form entered =
        builder.form_of(builder.make(operation::umin, distance, final_value_builder::number(1, distance.width)));
    linear_form less;
    if (!linear_difference(builder.form_of(distance), entered, less)) {
      return false;
    }
    trips = builder.form_of(builder.quotient(builder.sum(less), count.divisor));
    if (!trips.add(entered)) {
      return false;
    }
    trips = builder.form_of(builder.sum(trips));
    return true;
  }

  // ---- What a value depends on in its loop.

  /// Looks at all that `v` is computed of in loop `l`: phis that evolve, and loops inside with a number of iterations.
  /// Notes the phis.
  final_value_obstacle follow(value_id v, loop_id l) {
    using enum final_value_obstacle;
    pending_.clear();
    visited_.clear();
    visit(v, l);
    const loop_counting& count = counted_.count(l);
    final_value_obstacle why = none_of_them;
    visit_compared(count, l);
    while (!pending_.empty() && why == none_of_them) {
      const value_id x = pending_.back();
      pending_.pop_back();
      why = follow_one(x, l);
    }
    why = why == none_of_them && visited_.size() > most_visits ? not_proven : why;
    for (const value_id x : visited_) {
      seen_[x] = 0;
      if (why == none_of_them && p_.is_phi(x) && loops_.is_header(p_.node_of(x))) {
        phis_.push_back(x);
      }
    }
    return why;
  }

  void visit_compared(const loop_counting& count, loop_id l) {
    for (const value_id v : count.compared) {
      visit(v, l);
    }
  }

  void visit(value_id v, loop_id l) {
    if (v != no_value && is_within(v, l) && seen_[v] == 0 && visited_.size() <= most_visits) {
      seen_[v] = 1;
      visited_.push_back(v);
      pending_.push_back(v);
    }
  }

  final_value_obstacle follow_one(value_id x, loop_id l) {
    using enum final_value_obstacle;
    const loop_id home = found_.home_loop(x);
    for (loop_id inner = home; inner != l; inner = loops_.parent(inner)) {
      const evolution e = found_.evolution_of(x, inner);
      if (!e.is_invariant()) {
        const loop_counting& count = counted_.count(inner);
        if (count.kind != counting_kind::number || !e.is_known()) {
          return inner_loop;
        }
        visit_compared(count, l);
      }
    }
    if (p_.is_phi(x)) {
      const evolution e = found_.evolution_of(x, home);
      if (loops_.is_header(p_.node_of(x)) && (!e.is_known() || changes_within(e))) {
        return e.is_known() ? changes_inside : no_closed_form;
      }
    }
    for (const value_id operand : p_.operands(x)) {
      visit(operand, l);
    }
    return none_of_them;
  }

  /// Whether a form has values that are computed in its loop.
  bool changes_within(const evolution& e) const {
    const auto is_inside = [&](const linear_form& form) {
      bool inside = false;
      for (std::uint32_t i = 0; i != form.num_terms; ++i) {
        const loop_id home = found_.home_loop(form.terms[i].value);
        inside = inside || (home != no_loop && loops_.contains_loop(e.loop, home));
      }
      return inside;
    };
    bool inside = e.has_power() && is_inside(e.scale);
    for (unsigned d = 0; d <= e.degree; ++d) {
      inside = inside || is_inside(e.coefficients[d]);
    }
    return inside;
  }

  bool is_within(value_id v, loop_id l) const {
    return found_.home_loop(v) != no_loop && loops_.contains_loop(l, found_.home_loop(v));
  }

  // ---- What pays.

  std::uint64_t runs_of(loop_id l) const {
    const trip_count& count = found_.trips(l).count;
    return count.kind != trip_count_kind::exact ? options_.assumed_iterations
           : count.backedges >= most_runs       ? most_runs
                                                : count.backedges + 1;
  }

  static constexpr std::uint64_t most_runs = std::uint64_t{1} << 31;

  static std::uint64_t product(std::uint64_t a, std::uint64_t b) { return a > most_runs / b ? most_runs : a * b; }

  /// How often a node of loop `l` runs when the loop is entered, estimated.
  std::uint64_t runs_of(node_id n, loop_id l) const {
    std::uint64_t out = 1;
    for (loop_id at = loops_.innermost_loop(n);; at = loops_.parent(at)) {
      out = product(out, runs_of(at));
      if (at == l) {
        return out;
      }
    }
  }

  bool has_effect(value_id v) const {
    return !p_.is_phi(v) &&
           (p_.is_terminator(v) ? p_.effect(v) != effect_kind::none || p_.may_not_return(v) : !p_.is_removable(v));
  }

  void decide(loop_id l) {
    std::uint64_t cost = 0;
    for (std::uint32_t i = last_of_loop_[l]; i != none; i = candidates_[i].before) {
      cost += candidates_[i].value.last_step - candidates_[i].value.first_step;
    }
    const bool pays = cost == 0 || cost <= saved_by(l);
    for (std::uint32_t i = last_of_loop_[l]; i != none; i = candidates_[i].before) {
      final_value_candidate& c = candidates_[i];
      c.is_accepted = pays || c.value.first_step == c.value.last_step;
      if (!c.is_accepted) {
        out_.refused.push_back({c.value.value, l, final_value_obstacle::costs_more});
      }
    }
  }

  /// The operations that need not run any more.
  std::uint64_t saved_by(loop_id l) {
    bool goes = true;
    for (loop_id inner : loops_.subloops(l)) {
      goes = goes && (found_.trips(inner).ends || is_promised_to_end(p_, loops_, inner));
    }
    pending_.clear();
    visited_.clear();
    const auto need = [&](value_id v) {
      const loop_id home = v == no_value ? no_loop : found_.home_loop(v);
      if (home != no_loop && loops_.contains_loop(l, home) && needed_[v] == 0) {
        needed_[v] = 1;
        visited_.push_back(v);
        pending_.push_back(v);
      }
    };
    for (const node_id n : loops_.blocks(l)) {
      for (const value_id v : p_.values(n)) {
        bool is_needed = has_effect(v);
        for (std::uint32_t i = first_read_[v]; i != none; i = reads_[i].next) {
          const loop_id chosen = reads_[i].chosen;
          const bool is_replaced = chosen != no_loop && loops_.contains_loop(chosen, l);
          is_needed = is_needed || (loops_.contains_loop(reads_[i].outermost, l) && !is_replaced);
        }
        if (is_needed) {
          goes = false;
          need(v);
        }
      }
    }
    if (!goes) {
      for (const node_id n : loops_.blocks(l)) {
        need(p_.condition(n));
      }
    }
    while (!pending_.empty()) {
      const value_id v = pending_.back();
      pending_.pop_back();
      for (const value_id x : p_.operands(v)) {
        need(x);
      }
    }
    std::uint64_t saved = 0;
    for (const node_id n : loops_.blocks(l)) {
      std::uint64_t here = 0;
      for (const value_id v : p_.values(n)) {
        here += !p_.is_phi(v) && !p_.is_terminator(v) && needed_[v] == 0 ? 1U : 0U;
      }
      saved += here == 0 ? 0 : product(runs_of(n, l), here);
    }
    for (const value_id v : visited_) {
      needed_[v] = 0;
    }
    return saved;
  }

  // ---- The plan.

  void accept(final_value_candidate& c) {
    if (!c.is_accepted) {
      return;
    }
    final_value f = c.value;
    const auto offset = static_cast<std::uint32_t>(out_.steps.size()) - f.first_step;
    for (std::uint32_t i = f.first_step; i != f.last_step; ++i) {
      final_step s = steps_[i];
      for (final_operand& o : s.operands) {
        o.step += o.what == final_operand::kind::step ? offset : 0;
      }
      out_.steps.push_back(s);
    }
    f.result.step += f.result.what == final_operand::kind::step ? offset : 0;
    f.first_step += offset;
    f.last_step += offset;
    f.first_read = static_cast<std::uint32_t>(out_.reads.size());
    for (std::uint32_t i = first_read_[f.value]; i != none; i = reads_[i].next) {
      if (reads_[i].chosen == f.loop) {
        out_.reads.push_back(reads_[i].read);
      }
    }
    f.last_read = static_cast<std::uint32_t>(out_.reads.size());
    out_.values.push_back(f);
  }

  /// Claims about all phis that something depends on, each once.
  void list_claims() {
    if (out_.values.empty()) {
      return;
    }
    for (const value_id phi : phis_) {
      const loop_id l = found_.home_loop(phi);
      if (seen_[phi] != 0) {
        continue;
      }
      seen_[phi] = 1;
      for (const number_reading r : number_readings) {
        const evolution e = found_.evolution_of(phi, l, r);
        if (e.is_known() && e.is_exact() == (r != number_reading::low_bits) && !changes_within(e)) {
          claimed_evolution c;
          c.phi = phi;
          c.reading = r;
          for (unsigned d = 0; d <= evolution::max_degree; ++d) {
            c.coefficients[d] = e.coefficients[d];
          }
          c.ratio = e.ratio;
          c.scale = e.scale;
          out_.witness.evolutions.push_back(c);
        }
      }
    }
    for (const loop_id l : loops_.loops()) {
      if (counted_.count(l).kind == counting_kind::number) {
        out_.witness.counts.push_back({loops_.header(l), counted_.count(l).backedges});
      }
    }
  }

  const flat_program& p_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  const final_value_options& options_;
  final_value_plan& out_;
  counted_loops counted_;
  flat_array<outside_read> reads_;
  flat_array<std::uint32_t> first_read_; ///< by value
  flat_array<final_value_candidate> candidates_;
  flat_array<std::uint32_t> last_of_loop_; ///< in `candidates_`
  flat_array<final_step> steps_;
  flat_array<value_id> pending_;
  flat_array<value_id> visited_;
  flat_array<std::uint8_t> refused_; ///< by value: the loops for which a replacement is not proven, see `bit_of`
  flat_array<unsigned char> seen_;   ///< by value
  flat_array<unsigned char> needed_; ///< by value
  flat_array<value_id> phis_;        ///< of loop headers, on which values depend
};

} // namespace detail

MIDEND_END_NAMESPACE
