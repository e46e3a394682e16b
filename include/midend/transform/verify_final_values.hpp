/// `verify_final_values`: checks the certificate of values that are computed without their loop.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/compared_programs.hpp"
#include "midend/transform/detail/value_polynomials.hpp"
#include "midend/transform/final_value_witness.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_final_values`: the first fault and its place in the new program, or none.
struct final_value_verdict : change_verdict {
  std::size_t proven = 0; ///< operands and inputs that were replaced
};

namespace detail {

/// The terms of a polynomial, in an array of all.
struct stored_polynomial {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// How often a loop runs, as far as that is proven.
struct proven_count {
  bool is_number = false;
  bool is_formula = false;
  std::uint64_t backedges = 0;        ///< at most so many, if it is no number
  bool is_bounded = false;            ///< `backedges` is valid
  unsigned width = 64;                ///< of the formula: it is the unsigned number of so many bits
  stored_polynomial formula;          ///< `limit` is an atom
  operation limit = operation::other; ///< which of two numbers the limit is
  stored_polynomial first;            ///< where the counter starts
  stored_polynomial bound;
  std::uint64_t divisor = 1;  ///< of a quotient: the step without its sign
  stored_polynomial distance; ///< of a quotient: what is divided, without its sign; `limit` is an atom
};

/// A read of the program before whose new value is not proven.
struct unproven_read {
  value_id user = no_value;
  value_id read = no_value; ///< before
};

/// There may be new operations that only compute. After a loop, another value may be read if it is the final one.
template <class Before, class After> class final_value_checker : public allowed_changes {
  using kind = polynomial_atom::kind;

public:
  final_value_checker(const Before& before, const After& after, const final_value_witness& w)
      : pair_(before, after), before_(before), after_(after), w_(w) {}

  final_value_verdict run() {
    if (!pair_.read()) {
      fail(change_fault::wrong_size, no_node);
      return {verdict_};
    }
    pair_.compare_flow(*this);
    if (ok()) {
      flow_ = dominators_and_loops(before_.graph());
      values_.run(before_);
    }
    pair_.compare_operations(*this);
    if (ok()) {
      read_witness();
    }
    if (ok()) {
      prove_claims();
    }
    pair_.compare_reads(*this);
    return {verdict_, proven_};
  }

  change_fault added(node_id, value_id v) {
    if (v < pair_.num_old_values() || !computes_without_promises(after_, v) || !reads_what_was(v)) {
      return change_fault::extra_operation;
    }
    values_.define_new(after_, v);
    return change_fault::none;
  }

  change_fault read(const changed_read& r) {
    if (r.x == no_value || pair_.old_home[r.x] == no_node || outermost_left(r.x, r.from, r.to) == no_loop) {
      return change_fault::wrong_operand;
    }
    if (!is_proven(r.x, r.u, r.from, r.to)) {
      return unproven(r);
    }
    proven_ += r.user != no_value ? 1u : 0u;
    return change_fault::none;
  }

  /// Lists all reads that are not proven, for a plan that is tried. The verdict is on everything else.
  final_value_verdict list_unproven(flat_array<unproven_read>& out) {
    unproven_ = &out;
    return run();
  }

private:
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr number_reading low_bits = number_reading::low_bits;
  static constexpr unsigned most_steps = 12; ///< of what is resolved in what is resolved

  const loop_forest& loops() const { return flow_.loops; }

  change_fault unproven(const changed_read& r) {
    if (unproven_ == nullptr) {
      return change_fault::different_value;
    }
    if (r.user != no_value) { // a condition is an operand of the end, too
      unproven_->push_back({r.user, r.x});
    }
    return change_fault::none;
  }

  // ---- Structure.

  /// Literals, new operations, and values that are the same in both programs.
  bool reads_what_was(value_id v) const {
    bool good = true;
    for_each_id(after_.operands(v), [&](value_id o) { good = good && is_same_or_new(o); });
    return good;
  }

  bool is_same_or_new(value_id v) const {
    if (v == no_value || v >= pair_.new_home.size()) {
      return false;
    }
    const bool is_in_node = pair_.new_home[v] != no_node;
    return is_in_node ? v >= pair_.num_old_values() || pair_.old_home[v] != no_node
                      : static_cast<bool>(after_.constant(v)) || pair_.same_value(v, v);
  }

  /// Whether a loop contains an edge, or a node if both are that.
  bool contains(loop_id l, node_id from, node_id to) const {
    return loops().contains(l, from) && loops().contains(l, to);
  }

  /// The largest loop of `x` that control has left when it is read.
  loop_id outermost_left(value_id x, node_id from, node_id to) const {
    loop_id out = no_loop;
    for (loop_id l = loops().innermost_loop(pair_.old_home[x]); l != no_loop && !contains(l, from, to);
         l = loops().parent(l)) {
      out = l;
    }
    return out;
  }

  // ---- The witness.

  void read_witness() {
    counts_.assign(loops().num_loops(), proven_count());
    claimed_.assign(loops().num_loops(), none);
    for (std::uint32_t i = 0; i != w_.counts.size(); ++i) {
      const node_id h = w_.counts[i].header;
      if (h >= loops().num_nodes() || !loops().is_header(h)) {
        fail(change_fault::wrong_witness, h);
        return;
      }
      claimed_[loops().innermost_loop(h)] = i;
    }
    believed_.assign(w_.evolutions.size(), 1);
    claims_.assign(3 * pair_.num_old_values(), none);
    for (std::uint32_t i = 0; i != w_.evolutions.size(); ++i) {
      const claimed_evolution& c = w_.evolutions[i];
      const node_id h = c.phi < pair_.num_old_values() ? pair_.old_home[c.phi] : no_node;
      if (h == no_node || !before_.is_phi(c.phi) || !loops().is_header(h) || !names_values_from_outside(c)) {
        fail(change_fault::wrong_witness, h, c.phi);
        return;
      }
      claims_[claim_place(c.phi, c.reading)] = i;
    }
  }

  static std::size_t claim_place(value_id phi, number_reading r) {
    return 3 * std::size_t{phi} + static_cast<std::size_t>(r);
  }

  loop_id loop_of(const claimed_evolution& c) const { return loops().innermost_loop(pair_.old_home[c.phi]); }

  unsigned width_of(const claimed_evolution& c) const { return c.reading == low_bits ? values_.width(c.phi) : 64; }

  bool names_values_from_outside(const claimed_evolution& c) const {
    bool good = true;
    const auto check = [&](const linear_form& f) {
      good = good && f.num_terms <= linear_form::max_terms;
      for (std::uint32_t i = 0; good && i != f.num_terms; ++i) {
        const value_id v = f.terms[i].value;
        good = v < pair_.num_old_values() &&
               (pair_.old_home[v] == no_node || !loops().contains(loop_of(c), pair_.old_home[v]));
      }
    };
    for (const linear_form& f : c.coefficients) {
      check(f);
    }
    check(c.scale);
    return good;
  }

  /// The sum of a form, modulo 2^width.
  polynomial sum_of(const linear_form& f, unsigned width) const {
    polynomial out = polynomial::number(f.constant);
    for (std::uint32_t i = 0; i != f.num_terms; ++i) {
      const linear_form::term& t = f.terms[i];
      const unsigned wide = values_.width(t.value);
      polynomial one = polynomial::unknown();
      if (t.reading != low_bits) {
        one = values_.read(before_, t.value, wide, t.reading);
      } else if (wide >= width) {
        one = values_.read(before_, t.value, width, low_bits);
      }
      out.add(one, t.coefficient);
    }
    values_.reduce(out, width);
    return out;
  }

  /// What a claim says of iteration k + `later`, which is 0 or 1.
  polynomial claimed_in(const claimed_evolution& c, std::uint64_t later) const {
    const loop_id l = loop_of(c);
    const unsigned width = width_of(c);
    polynomial out = sum_of(c.coefficients[0], width);
    for (std::uint64_t d = 1; d <= claimed_evolution::max_degree; ++d) {
      const polynomial step = sum_of(c.coefficients[d], width);
      out.add(product_of(step, polynomial::of({kind::iteration, l, d})));
      if (later != 0) { // (k + 1 over d) is (k over d) + (k over d - 1)
        out.add(d == 1 ? step : product_of(step, polynomial::of({kind::iteration, l, d - 1})));
      }
    }
    if (c.ratio != 1) {
      out.add(product_of(sum_of(c.scale, width), polynomial::of({kind::power, l, c.ratio})), later != 0 ? c.ratio : 1);
    }
    values_.reduce(out, width);
    return out;
  }

  /// The claims that prove each other: all of which a first iteration or a next one does not follow are dropped, until
  /// the rest follow from each other.
  void prove_claims() {
    for (bool changed = true; changed;) {
      changed = false;
      terms_.clear();
      for (auto l = static_cast<loop_id>(loops().num_loops()); l-- != 0;) { // from inside out
        counts_[l] = proven_count();
        prove_count(l);
      }
      for (std::uint32_t i = 0; i != w_.evolutions.size(); ++i) {
        if (believed_[i] != 0 && !follows(w_.evolutions[i])) {
          believed_[i] = 0;
          changed = true;
        }
      }
    }
  }

  bool follows(const claimed_evolution& c) const {
    const loop_id l = loop_of(c);
    const unsigned width = width_of(c);
    const unsigned wide = values_.width(c.phi);
    polynomial first = claimed_in(c, 0);
    set_iteration(first, l, 0);
    values_.reduce(first, width);
    bool good = first.is_known;
    for (const loop_edge& e : loops().entering_edges(l)) {
      if (good && flow_.dominators.is_reachable(e.source)) {
        polynomial start =
            values_.read(before_, static_cast<value_id>(before_.phi_input(c.phi, e.id)), wide, c.reading);
        good = same_polynomial(start, first);
      }
    }
    const polynomial next = claimed_in(c, 1);
    for (const loop_edge& e : loops().backedges(l)) {
      if (good) {
        const polynomial input =
            values_.read(before_, static_cast<value_id>(before_.phi_input(c.phi, e.id)), wide, c.reading);
        polynomial there = resolved(input, l, width, most_steps);
        values_.reduce(there, width);
        good = same_polynomial(there, next);
      }
    }
    return good;
  }

  // ---- Values in iterations.

  /// A polynomial, with what its values are in iteration k of `l`. Modulo 2^width.
  polynomial resolved(const polynomial& p, loop_id l, unsigned width, unsigned steps) const {
    polynomial out;
    out.is_known = p.is_known && steps != 0;
    for (const polynomial_term& t : p.terms) {
      polynomial product = polynomial::number(t.coefficient);
      for (std::uint32_t k = 0; out.is_known && product.is_known && k != t.size; ++k) {
        product = product_of(product, resolved(t.atoms[k], l, width, steps - 1));
      }
      out.add(product);
    }
    values_.reduce(out, width);
    return out;
  }

  polynomial resolved(const polynomial_atom& a, loop_id l, unsigned width, unsigned steps) const {
    const bool is_of_value = a.is_number_of_value() || a.what == kind::pairs;
    const node_id n = is_of_value && a.id < pair_.num_old_values() ? pair_.old_home[a.id] : no_node;
    if (n == no_node || !loops().contains(l, n)) {
      return polynomial::of(a);
    }
    if (!a.is_number_of_value()) {
      return polynomial::unknown();
    }
    loop_id at = loops().innermost_loop(n);
    polynomial p = claimed_number(a, at, width);
    if (!p.is_known) {
      p = counter_in_range(a, l, steps, at);
    }
    while (at != l && p.is_known) { // what it is when the loops inside have ended
      if (!counts_[at].is_number && has_iteration(p, at)) {
        return polynomial::unknown();
      }
      set_iteration(p, at, counts_[at].backedges);
      at = loops().parent(at);
      p = steps == 0 ? polynomial::unknown() : resolved(p, at, width, steps - 1);
    }
    return p;
  }

  static bool has_iteration(const polynomial& p, loop_id l) {
    bool has = false;
    for (const polynomial_term& t : p.terms) {
      for (std::uint32_t k = 0; k != t.size; ++k) {
        has = has || t.atoms[k].is_of_iteration(l);
      }
    }
    return has;
  }

  /// What a phi of the header of `l` is by its claim.
  polynomial claimed_number(const polynomial_atom& a, loop_id l, unsigned width) const {
    const unsigned wide = values_.width(a.id);
    if (before_.is_phi(a.id) && loops().header(l) == pair_.old_home[a.id]) {
      const number_reading r = a.what == kind::signed_number ? number_reading::as_signed
                               : width <= wide               ? low_bits
                                                             : number_reading::as_unsigned;
      const std::uint32_t i = claims_[claim_place(a.id, r)];
      if (i != none && believed_[i] != 0) {
        return claimed_in(w_.evolutions[i], 0);
      }
    }
    return polynomial::unknown();
  }

  /// A value whose bits are a counter of numbers that does not leave the range of its width as long as the loop runs:
  /// the innermost one in which they change, from `at` to `l`, which then is `at`.
  polynomial counter_in_range(const polynomial_atom& a, loop_id l, unsigned steps, loop_id& at) const {
    const unsigned wide = values_.width(a.id);
    polynomial bits = values_.number_of(a.id, low_bits);
    polynomial_atom itself;
    if (steps == 0 || (bits.is_atom(itself) && itself.id == a.id && !is_claimed(a.id))) {
      return polynomial::unknown();
    }
    bits = resolved(bits, at, wide, steps - 1);
    while (at != l && bits.is_known && !has_iteration(bits, at)) {
      at = loops().parent(at);
      bits = resolved(bits, at, wide, steps - 1);
    }
    polynomial rest;
    std::uint64_t step = 0;
    if (!split_counter(bits, at, rest, step) || !rest.is_number()) {
      return polynomial::unknown();
    }
    const bool is_signed = a.what == kind::signed_number;
    const std::uint64_t start = rest.constant();
    if (step != 0 &&
        (!counts_[at].is_bounded || !stays_in_range(start, step, counts_[at].backedges, wide, is_signed))) {
      return polynomial::unknown();
    }
    polynomial out = polynomial::number(is_signed ? static_cast<std::uint64_t>(as_signed(start, wide)) : start);
    const polynomial_atom iteration{kind::iteration, at, 1};
    out.add(polynomial::of(iteration), static_cast<std::uint64_t>(as_signed(step, wide)));
    return out;
  }

  bool is_claimed(value_id v) const {
    const std::uint32_t i = claims_[claim_place(v, low_bits)];
    return i != none && believed_[i] != 0;
  }

  /// Whether start, start + step, … start + count · step are all numbers of the width.
  static bool stays_in_range(std::uint64_t start, std::uint64_t step, std::uint64_t count, unsigned width,
                             bool is_signed) {
    const std::int64_t by = as_signed(step, width);
    const std::uint64_t size = by < 0 ? 0 - static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by);
    // With the sign bit inverted, the order of signed numbers is that of unsigned ones.
    const std::uint64_t place = is_signed ? start ^ (std::uint64_t{1} << (width - 1)) : start;
    const std::uint64_t room = by < 0 ? place : low_ones(width) - place;
    return count == 0 || size <= room / count;
  }

  /// Puts a number in the place of the iteration of a loop.
  void set_iteration(polynomial& p, loop_id l, std::uint64_t k) const {
    replace_atoms(p, [&](const polynomial_atom& a) {
      return !a.is_of_iteration(l)       ? polynomial::of(a)
             : a.what == kind::iteration ? polynomial::number(choose(k, a.extra))
                                         : polynomial::number(power_of(a.extra, k));
    });
  }

  template <class Image> static void replace_atoms(polynomial& p, Image image) {
    polynomial out;
    out.is_known = p.is_known;
    for (const polynomial_term& t : p.terms) {
      polynomial product = polynomial::number(t.coefficient);
      for (std::uint32_t k = 0; k != t.size; ++k) {
        product = product_of(product, image(t.atoms[k]));
      }
      out.add(product);
    }
    p = out;
  }

  /// k over d, modulo 2^64: the factors k, k - 1, … are divided where that leaves no rest.
  static std::uint64_t choose(std::uint64_t k, std::uint64_t d) {
    if (k < d) {
      return 0;
    }
    std::uint64_t factors[claimed_evolution::max_degree] = {};
    for (std::uint64_t i = 0; i != d; ++i) {
      factors[i] = k - i;
    }
    for (const std::uint64_t divisor : {std::uint64_t{2}, std::uint64_t{3}}) {
      bool done = divisor > d;
      for (std::uint64_t i = 0; i != d && !done; ++i) {
        done = factors[i] % divisor == 0;
        factors[i] /= done ? divisor : 1;
      }
    }
    std::uint64_t out = 1;
    for (std::uint64_t i = 0; i != d; ++i) {
      out *= factors[i];
    }
    return out;
  }

  static std::uint64_t power_of(std::uint64_t base, std::uint64_t k) {
    std::uint64_t out = 1;
    for (unsigned bit = 64; bit-- != 0;) {
      out *= out;
      out *= (k >> bit & 1) != 0 ? base : 1;
    }
    return out;
  }

  // ---- How often loops run.

  void prove_count(loop_id l) {
    const node_id exit = only_exit_of(flow_.dominators, loops(), l);
    if (exit == no_node) {
      return;
    }
    leaving_test t = leaving_test_of(before_, loops(), l, exit);
    if (t.code == operation::other) {
      return;
    }
    polynomial a = resolved(values_.read(before_, t.a, t.width, low_bits), l, t.width, most_steps);
    polynomial b = resolved(values_.read(before_, t.b, t.width, low_bits), l, t.width, most_steps);
    polynomial first;
    std::uint64_t step = 0;
    if (t.code == operation::equal || t.code == operation::not_equal) {
      a.add(b, minus_one);
      values_.reduce(a, t.width);
      if (split_counter(a, l, first, step)) {
        count_to_equality(l, t, first, step);
      }
      return;
    }
    polynomial rest;
    std::uint64_t other_step = 0;
    if (!split_counter(a, l, first, step) || !split_counter(b, l, rest, other_step)) {
      return;
    }
    if (step == 0) {
      t.code = mirrored(t.code);
      detail::swap_values(first, rest);
      detail::swap_values(step, other_step);
    }
    if (other_step == 0) {
      count_to_order(l, t, first, step, rest);
    }
  }

  stored_polynomial stored(const polynomial& p) {
    const stored_polynomial out{static_cast<std::uint32_t>(terms_.size()), static_cast<std::uint32_t>(p.terms.size())};
    for (const polynomial_term& t : p.terms) {
      terms_.push_back(t);
    }
    return out;
  }

  polynomial loaded(const stored_polynomial& p) const {
    polynomial out;
    for (std::uint32_t i = 0; i != p.count; ++i) {
      out.terms.push_back(terms_[p.first + i]);
    }
    return out;
  }

  void set_number(loop_id l, std::uint64_t backedges) {
    counts_[l].is_number = true;
    counts_[l].is_bounded = true;
    counts_[l].backedges = backedges;
  }

  /// The loop ends when first + k · step is 0, or is not.
  void count_to_equality(loop_id l, const leaving_test& t, const polynomial& first, std::uint64_t step) {
    const std::uint64_t ones = low_ones(t.width);
    if (first.is_number() && claimed_[l] != none) {
      const std::uint64_t k = w_.counts[claimed_[l]].backedges;
      const std::uint64_t start = first.constant();
      const bool is_there = ((start + k * step) & ones) == 0;
      if (t.code == operation::equal) { // after 2^(width - trailing zeros) steps, all repeats
        const unsigned bits = t.width - (step == 0 ? t.width : static_cast<unsigned>(std::countr_zero(step)));
        if (is_there && (k == 0 || (step != 0 && (bits >= 64 || k >> bits == 0)))) {
          set_number(l, k);
        }
      } else if (!is_there && (k == 0 || (k == 1 && start == 0))) {
        set_number(l, k);
      }
      return;
    }
    proven_count& c = counts_[l];
    if (t.code == operation::equal && step % 2 == 1) {
      std::uint64_t inverse = step;
      for (int i = 0; i != 6; ++i) {
        inverse *= 2 - step * inverse;
      }
      polynomial formula;
      formula.add(first, 0 - inverse);
      values_.reduce(formula, t.width);
      c.is_formula = true;
      c.width = t.width;
      c.formula = stored(formula);
      return;
    }
    // On the right, what is added to the counter is subtracted from the difference.
    const std::uint64_t by = is_inside(t.a, l) ? step : 0 - step;
    if (t.code == operation::equal && step != 0 &&
        (steps_by_promise(t, l, by, true) || steps_by_promise(t, l, by, false))) {
      // The numbers are the number of steps times the step apart, not only modulo 2^width.
      const bool is_up = as_signed(step, t.width) > 0;
      polynomial distance;
      distance.add(first, is_up ? minus_one : 1);
      distance.cut(t.width);
      set_quotient(c, t.width, l, is_up ? step : 0 - step, distance);
    }
  }

  void set_quotient(proven_count& c, unsigned width, loop_id l, std::uint64_t divisor, const polynomial& distance) {
    c.is_formula = true;
    c.width = width;
    c.divisor = divisor & low_ones(width);
    c.distance = stored(distance);
    c.formula = stored(polynomial::of({kind::count, l, 0}));
  }

  /// Whether what is compared is, as a number with or without a sign, larger by `step` in each iteration than in the
  /// one before: one side is the phi of a counter to which operations add numbers that promise not to wrap, or such a
  /// sum, and the other one does not change. If it wraps, the run breaks a promise before the test.
  bool steps_by_promise(const leaving_test& t, loop_id l, std::uint64_t step, bool is_signed) const {
    const bool is_first = is_inside(t.a, l);
    if (is_first == is_inside(t.b, l)) {
      return false;
    }
    std::int64_t added = 0;
    const value_id phi = promised_sum_of(is_first ? t.a : t.b, l, is_signed, added);
    bool good = phi != no_value;
    for (const loop_edge& e : loops().backedges(l)) {
      added = 0;
      good = good && promised_sum_of(static_cast<value_id>(before_.phi_input(phi, e.id)), l, is_signed, added) == phi &&
             added == as_signed(step, t.width);
    }
    return good;
  }

  bool is_inside(value_id v, loop_id l) const {
    return v < pair_.num_old_values() && pair_.old_home[v] != no_node && loops().contains(l, pair_.old_home[v]);
  }

  /// The phi of the header of which a value is the sum with `added`, or `no_value`.
  value_id promised_sum_of(value_id v, loop_id l, bool is_signed, std::int64_t& added) const {
    for (unsigned steps = 0; steps != 4 && is_inside(v, l); ++steps) {
      if (before_.is_phi(v)) {
        return pair_.old_home[v] == loops().header(l) ? v : no_value;
      }
      const operation_info info = before_.operation(v);
      value_id x[2] = {no_value, no_value};
      std::size_t count = 0;
      for_each_id(before_.operands(v), [&](value_id o) {
        if (count < 2) {
          x[count] = o;
        }
        ++count;
      });
      const bool is_sum = info.code == operation::add || info.code == operation::sub;
      if (!is_sum || count != 2 || x[1] == no_value || !before_.constant(x[1]) ||
          !(is_signed ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap)) {
        return no_value;
      }
      const std::uint64_t bits = static_cast<std::uint64_t>(*before_.constant(x[1])) & low_ones(info.width);
      const std::int64_t by = is_signed ? as_signed(bits, info.width) : static_cast<std::int64_t>(bits);
      if (by <= -most_added || by >= most_added) {
        return no_value;
      }
      added += info.code == operation::add ? by : -by;
      v = x[0];
    }
    return no_value;
  }

  static constexpr std::int64_t most_added = std::int64_t{1} << 40; ///< so that sums do not wrap

  static bool holds(operation code, std::uint64_t a, std::uint64_t b, unsigned width) {
    const bool is_signed = code >= operation::less && code <= operation::greater_equal;
    const std::uint64_t sign = is_signed ? std::uint64_t{1} << (width - 1) : 0;
    a = (a & low_ones(width)) ^ sign;
    b = (b & low_ones(width)) ^ sign;
    switch (code) {
    case operation::less:
    case operation::uless:
      return a < b;
    case operation::less_equal:
    case operation::uless_equal:
      return a <= b;
    case operation::greater:
    case operation::ugreater:
      return a > b;
    default:
      return a >= b;
    }
  }

  /// The loop ends when first + k · step is above, or below, what does not change.
  void count_to_order(loop_id l, const leaving_test& t, const polynomial& first, std::uint64_t step,
                      const polynomial& bound) {
    const bool is_signed = t.code >= operation::less && t.code <= operation::greater_equal;
    if (first.is_number() && bound.is_number() && claimed_[l] != none) {
      const std::uint64_t k = w_.counts[claimed_[l]].backedges;
      const std::uint64_t start = first.constant();
      const auto ends_in = [&](std::uint64_t i) { return holds(t.code, start + i * step, bound.constant(), t.width); };
      if (ends_in(k) &&
          (k == 0 || (!ends_in(0) && !ends_in(k - 1) && stays_in_range(start, step, k - 1, t.width, is_signed)))) {
        set_number(l, k);
      }
      return;
    }
    const bool is_up = as_signed(step, t.width) > 0;
    const bool ends_above = t.code == operation::greater || t.code == operation::greater_equal ||
                            t.code == operation::ugreater || t.code == operation::ugreater_equal;
    const bool is_strict = t.code == operation::greater || t.code == operation::ugreater || t.code == operation::less ||
                           t.code == operation::uless;
    const std::uint64_t size = (is_up ? step : 0 - step) & low_ones(t.width);
    if (step == 0 || is_up != ends_above || t.width == 1 || (size != 1 && !steps_by_promise(t, l, step, is_signed))) {
      return;
    }
    proven_count& c = counts_[l];
    c.limit = is_up ? (is_signed ? operation::max : operation::umax) : (is_signed ? operation::min : operation::umin);
    polynomial end = bound;
    if (is_strict) { // the first number beyond; if there is none, the loop does not end
      end.add(polynomial::number(is_up ? 1 : minus_one));
      values_.reduce(end, t.width);
    }
    polynomial distance = polynomial::number(0);
    distance.add(polynomial::of({kind::limit, l, 0}), is_up ? 1 : minus_one);
    distance.add(first, is_up ? minus_one : 1);
    distance.cut(t.width);
    c.first = stored(first);
    c.bound = stored(end);
    if (size != 1) {
      set_quotient(c, t.width, l, size, distance);
    } else {
      c.is_formula = true;
      c.width = t.width;
      c.formula = stored(distance);
    }
    if (first.is_number()) { // the counter does not wrap before it is at the limit
      const std::uint64_t sign = is_signed ? std::uint64_t{1} << (t.width - 1) : 0;
      const std::uint64_t place = first.constant() ^ sign;
      c.is_bounded = true;
      c.backedges = is_up ? low_ones(t.width) - place : place;
    }
  }

  // ---- Values after loops.

  /// Whether `u` is what `x` is when control has left one of its loops.
  bool is_proven(value_id x, value_id u, node_id from, node_id to) const {
    if (x == no_value || u == no_value || x >= pair_.num_old_values() || pair_.old_home[x] == no_node ||
        u >= pair_.new_home.size()) {
      return false;
    }
    for (loop_id l = loops().innermost_loop(pair_.old_home[x]); l != no_loop && !contains(l, from, to);
         l = loops().parent(l)) {
      if (is_final_value(x, u, l)) {
        return true;
      }
    }
    return false;
  }

  bool is_final_value(value_id x, value_id u, loop_id l) const {
    const proven_count& c = counts_[l];
    const unsigned width = values_.width(x);
    const node_id place = pair_.new_home[u];
    const bool is_before = place == no_node || flow_.dominators.strictly_dominates(place, loops().header(l));
    if ((!c.is_number && !c.is_formula) || !is_before || !is_same_or_new(u) || after_.operation(u).width != width) {
      return false;
    }
    polynomial old = resolved(values_.number_of(x, low_bits), l, width, most_steps);
    if (c.is_number) {
      set_iteration(old, l, c.backedges);
    } else {
      replace_atoms(old, [&](const polynomial_atom& a) { return after_last_iteration(a, l, width); });
    }
    polynomial now = values_.read(after_, u, width, low_bits);
    if (c.is_formula) {
      name_counts(old, l, width);
      name_counts(now, l, width);
    }
    values_.reduce(old, width);
    values_.reduce(now, width);
    return same_polynomial(old, now);
  }

  /// The number of the last iteration, for an atom.
  polynomial after_last_iteration(const polynomial_atom& a, loop_id l, unsigned width) const {
    if (!a.is_of_iteration(l)) {
      return polynomial::of(a);
    }
    if (a.what == kind::iteration && a.extra == 1) {
      const polynomial count = loaded(counts_[l].formula);
      return width <= counts_[l].width || count.is_number() ? count : polynomial::of({kind::count, l, 0});
    }
    return a.what == kind::iteration && a.extra == 2 ? polynomial::of({kind::count_pairs, l, 0})
                                                     : polynomial::unknown();
  }

  /// Names values that are the limit of a loop by that, and, in more bits than the count has, those that are the count.
  void name_counts(polynomial& p, loop_id l, unsigned width) const {
    const proven_count& c = counts_[l];
    replace_atoms(p, [&](polynomial_atom a) {
      if (a.what == kind::pairs && is_count(a.id, l)) {
        return polynomial::of({kind::count_pairs, l, 0});
      }
      polynomial_atom count;
      const bool is_unsigned = a.what == kind::unsigned_number;
      bool is_the_count = is_unsigned && width > c.width && is_count(a.id, l);
      if (is_unsigned && width > c.width && loaded(c.formula).is_atom(count)) { // the number itself, not only its bits
        is_the_count = is_the_count ||
                       (count.what == kind::limit ? is_limit(a.id, l) : a == count && values_.width(a.id) <= c.width);
      }
      return is_the_count ? polynomial::of({kind::count, l, 0}) : named(a, l);
    });
  }

  /// The limit of a loop, and parts of the number of its backedges, by these names.
  polynomial named(const polynomial_atom& a, loop_id l) const {
    const bool is_unsigned = a.what == kind::unsigned_number;
    if (is_unsigned && is_limit(a.id, l)) {
      return polynomial::of({kind::limit, l, 0});
    }
    if (is_unsigned && counts_[l].divisor != 1) {
      if (is_entered(a.id, l)) {
        return polynomial::of({kind::limit, l, 1});
      }
      if (is_quotient(a.id, l)) { // the number of backedges, or one less if there are some
        polynomial out = polynomial::of({kind::count, l, 0});
        if (counts_[l].limit != operation::other) {
          out.add(polynomial::of({kind::limit, l, 1}), minus_one);
        }
        return out;
      }
    }
    return polynomial::of(a);
  }

  /// The polynomial of one of two operands of a new operation, where the limit of the loop has its name; and with
  /// `names_entered`, also what `is_entered`.
  polynomial named_operand(value_id v, std::size_t place, loop_id l, bool names_entered) const {
    polynomial out = polynomial::unknown();
    std::size_t i = 0;
    for_each_id(after_.operands(v), [&](value_id o) {
      if (i++ == place) {
        out = values_.read(after_, o, counts_[l].width, low_bits);
      }
    });
    replace_atoms(out, [&](const polynomial_atom& a) {
      const bool is_unsigned = a.what == kind::unsigned_number;
      return is_unsigned && is_limit(a.id, l)                      ? polynomial::of({kind::limit, l, 0})
             : is_unsigned && names_entered && is_entered(a.id, l) ? polynomial::of({kind::limit, l, 1})
                                                                   : polynomial::of(a);
    });
    out.cut(counts_[l].width);
    return i == 2 ? out : polynomial::unknown();
  }

  bool is_new_operation(value_id v, operation code, unsigned width) const {
    return v < pair_.new_home.size() && pair_.new_home[v] != no_node && !after_.is_phi(v) && !after_.constant(v) &&
           after_.operation(v).code == code && after_.operation(v).width == width;
  }

  /// Whether a value is 0 if the distance of a quotient is 0, else 1: the smaller one of 1 and the distance.
  bool is_entered(value_id v, loop_id l) const {
    const proven_count& c = counts_[l];
    if (c.divisor == 1 || c.limit == operation::other || !is_new_operation(v, operation::umin, c.width)) {
      return false;
    }
    const polynomial x[2] = {named_operand(v, 0, l, false), named_operand(v, 1, l, false)};
    const polynomial one = polynomial::number(1);
    const polynomial distance = loaded(c.distance);
    return (same_polynomial(x[0], one) && same_polynomial(x[1], distance)) ||
           (same_polynomial(x[1], one) && same_polynomial(x[0], distance));
  }

  /// Whether a value is the distance over the step, rounded down; up to an order, the distance less 1, unless it is 0.
  bool is_quotient(value_id v, loop_id l) const {
    const proven_count& c = counts_[l];
    const bool is_shift = is_new_operation(v, operation::shr, c.width);
    if (c.divisor == 1 || (!is_shift && !is_new_operation(v, operation::udiv, c.width))) {
      return false;
    }
    polynomial divided = loaded(c.distance);
    if (c.limit != operation::other) {
      divided.add(polynomial::of({kind::limit, l, 1}), minus_one);
      divided.cut(c.width);
    }
    const polynomial by = named_operand(v, 1, l, false);
    const bool is_divisor =
        by.is_number() && (is_shift ? by.constant() < c.width && std::uint64_t{1} << by.constant() == c.divisor
                                    : by.constant() == c.divisor);
    return is_divisor && same_polynomial(named_operand(v, 0, l, true), divided);
  }

  /// Whether a value is the smaller, or the larger one, of bound and start, as the order of the loop says.
  bool is_limit(value_id v, loop_id l) const {
    const proven_count& c = counts_[l];
    if (c.limit == operation::other || v >= pair_.new_home.size() || pair_.new_home[v] == no_node || after_.is_phi(v) ||
        after_.operation(v).code != c.limit || after_.operation(v).width != c.width) {
      return false;
    }
    const polynomial first = loaded(c.first);
    const polynomial bound = loaded(c.bound);
    polynomial x[2] = {polynomial::unknown(), polynomial::unknown()};
    std::size_t count = 0;
    for_each_id(after_.operands(v), [&](value_id o) {
      if (count < 2) {
        x[count] = values_.read(after_, o, c.width, low_bits);
      }
      ++count;
    });
    return count >= 2 && ((same_polynomial(x[0], first) && same_polynomial(x[1], bound)) ||
                          (same_polynomial(x[1], first) && same_polynomial(x[0], bound)));
  }

  /// Whether a value is, as an unsigned number, the number of backedges.
  bool is_count(value_id v, loop_id l) const {
    while (v < pair_.new_home.size() && pair_.new_home[v] != no_node && !after_.is_phi(v) &&
           after_.operation(v).code == operation::zero_extend && after_.operation(v).width > counts_[l].width) {
      for_each_id(after_.operands(v), [&](value_id o) { v = o; });
    }
    if (v >= pair_.new_home.size() || after_.constant(v) || after_.operation(v).width != counts_[l].width) {
      return false;
    }
    polynomial p = values_.number_of(v, low_bits);
    replace_atoms(p, [&](const polynomial_atom& a) { return named(a, l); });
    p.cut(counts_[l].width);
    return same_polynomial(p, loaded(counts_[l].formula));
  }

  compared_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  const final_value_witness& w_;
  flat_array<unproven_read>* unproven_ = nullptr; ///< null: the first unproven read is a fault
  std::size_t proven_ = 0;
  dominators_and_loops_result flow_;
  value_polynomials values_;
  flat_array<proven_count> counts_;    ///< by loop
  flat_array<polynomial_term> terms_;  ///< of polynomials in `counts_`
  flat_array<std::uint32_t> claimed_;  ///< by loop: its claim in `counts` of the witness
  flat_array<std::uint32_t> claims_;   ///< by value and reading: its claim in `evolutions` of the witness
  flat_array<unsigned char> believed_; ///< by claim
};

} // namespace detail

/// Checks that `after` is `before`, where operations after loops read other values, which are computed before the loop
/// and are what the old ones are when it has ended. It shares no code with the transformation; what remains to be
/// trusted is this function, `dominators_and_loops`, and the semantics, effects and `same_operation` of the IRs.
/// Requires IRs that `check_ir` accepts; the witness may be anything.
///
/// **What is checked** of the reachable part of the new program. All is as it was (`compared_programs`), but:
/// 1. There may be new operations that neither trap nor promise anything nor have effects.
/// 2. Where control has left a loop of x, a value may be read in place of x if it is computed in a node that strictly
///    dominates the header, and *is the final value* of x.
///
/// **Final values.** Each value is a polynomial of values that are phis or no sums (`value_polynomials`). The witness
/// claims what phis of headers are in iteration k. A claim is proven by induction over the iterations: for k = 0 it is
/// what the edges into the loop bring, and if all claims hold in iteration k, what the backedges bring is what it says
/// of k + 1; both are identities of polynomials modulo 2^width. Claims that do not follow are dropped until all the
/// others follow from each other. Numbers with and without sign (for extensions) have claims of their own, which hold
/// by promises of the operations; or they are counters that stay in range as long as the loop runs. Loops inside have
/// to end after a number of iterations that is proven, too.
///
/// **Numbers of iterations.** The loop has one exit, each iteration comes there, and it compares a counter with what
/// does not change. A claimed number is right if the test ends the loop then and not before: at equality, since the
/// counter repeats nothing before; at an order, since the counter does not wrap before. Otherwise the number T is a
/// formula: the only solution of first + T · step = bound for an odd step; or, for steps of one up to an order,
/// max(first, bound) - first, which is right for all numbers for which the loop ends. (t >> 1) · ((t - 1) | 1) is t
/// over 2.
///
/// For a larger step, T is a quotient. Each operation of the sums that lead from the phi of the counter to what is
/// compared, and to the phi of the next iteration, promises not to wrap; so the counter is first + k · step as an
/// integer, at any width, or the run breaks a promise that its test reads. At equality, the distance to the bound is
/// T · step then. At an order, the test ends the loop at the first k for which k · step is at least the distance d of
/// max(first, bound) and first: T = (d - e) / step + e with e = min(d, 1), unsigned, which nothing overflows. In
/// polynomials, such a quotient is T - e, and T is an atom.
///
/// **Why this is enough.** Each value that a final value is computed of is computed again before its node is, and this
/// before the loop is entered; so when the loop has ended, it is what it would be of the present values. When x is
/// read, its loop has been left since. So both programs read the same, step by step.
///
/// O(n + m + values + operands), and rounds over the claims: at most one more than claims that do not hold.
template <certifiable_ir_argument Before, certifiable_ir_argument After>
  requires has_operation<Before> && has_operation<After>
final_value_verdict verify_final_values(const Before& before, const After& after, const final_value_witness& witness) {
  return detail::final_value_checker<Before, After>(before, after, witness).run();
}

MIDEND_END_NAMESPACE
