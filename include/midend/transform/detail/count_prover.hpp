/// `count_prover`: proves how often loops run.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/swap.hpp"
#include "midend/transform/detail/counter_steps.hpp"
#include "midend/transform/detail/evolution_claims.hpp"
#include "midend/transform/detail/iteration_values.hpp"
#include "midend/transform/detail/proof_program.hpp"
#include "midend/transform/detail/proven_counts.hpp"
#include "midend/transform/detail/value_polynomials.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Takes the program before with its loops, the claims, and the counts of the loops inside a loop; enters the count of
/// this loop. The proof of numbers of iterations: `verify_final_values` says why each case is right.
template <class IR> class count_prover {
  using kind = polynomial_atom::kind;

public:
  count_prover(const proof_program<IR>& program, const evolution_claims<IR>& claims, const iteration_values<IR>& values,
               proven_counts& counts)
      : program_(program), claims_(claims), values_(values), counts_(counts) {}

  /// Enters the count of `l`, or nothing. Requires that the counts have nothing about `l` so far, and that the loops
  /// inside `l` were tried before.
  void prove(loop_id l) {
    const node_id exit = only_exit_of(program_.dominators(), program_.loops(), l);
    if (exit == no_node) {
      return;
    }
    leaving_test t = leaving_test_of(program_.ir, program_.loops(), l, exit);
    if (t.code == operation::other) {
      return;
    }
    polynomial a =
        values_.in_iteration(program_.values.read(program_.ir, t.a, t.width, number_reading::low_bits), l, t.width);
    polynomial b =
        values_.in_iteration(program_.values.read(program_.ir, t.b, t.width, number_reading::low_bits), l, t.width);
    polynomial first;
    std::uint64_t step = 0;
    if (t.code == operation::equal || t.code == operation::not_equal) {
      a.add(b, minus_one);
      program_.values.reduce(a, t.width);
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
      swap_values(first, rest);
      swap_values(step, other_step);
    }
    if (other_step == 0) {
      count_to_order(l, t, first, step, rest);
    }
  }

private:
  static constexpr std::uint64_t minus_one = ~std::uint64_t{0};

  void set_number(loop_id l, std::uint64_t backedges) {
    counts_[l].is_number = true;
    counts_[l].is_bounded = true;
    counts_[l].backedges = backedges;
  }

  /// The loop ends when first + k · step is 0, or is not.
  void count_to_equality(loop_id l, const leaving_test& t, const polynomial& first, std::uint64_t step) {
    const std::uint64_t ones = low_ones(t.width);
    if (first.is_number() && claims_.has_count(l)) {
      const std::uint64_t k = claims_.count(l);
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
      program_.values.reduce(formula, t.width);
      c.is_formula = true;
      c.width = t.width;
      c.formula = counts_.stored(formula);
      return;
    }
    // On the right, what is added to the counter is subtracted from the difference.
    const std::uint64_t by = program_.is_inside(t.a, l) ? step : 0 - step;
    if (t.code == operation::equal && step != 0 &&
        (steps_by_promise(program_, t, l, by, true) || steps_by_promise(program_, t, l, by, false))) {
      // The numbers are the number of steps times the step apart, not only modulo 2^width.
      const bool is_up = as_signed(step, t.width) > 0;
      polynomial distance;
      distance.add(first, is_up ? minus_one : 1);
      distance.cut(t.width);
      set_quotient(c, t.width, l, is_up ? step : 0 - step, distance);
    }
  }

  /// The number of backedges is the distance over the step.
  void set_quotient(proven_count& c, unsigned width, loop_id l, std::uint64_t divisor, const polynomial& distance) {
    c.is_formula = true;
    c.width = width;
    c.divisor = divisor & low_ones(width);
    c.distance = counts_.stored(distance);
    c.formula = counts_.stored(polynomial::of({kind::count, l, 0}));
  }

  /// Whether `a` and `b` compare as `code` says, an order.
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
    if (first.is_number() && bound.is_number() && claims_.has_count(l)) {
      const std::uint64_t k = claims_.count(l);
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
    if (step == 0 || is_up != ends_above || t.width == 1 ||
        (size != 1 && !steps_by_promise(program_, t, l, step, is_signed))) {
      return;
    }
    proven_count& c = counts_[l];
    c.limit = is_up ? (is_signed ? operation::max : operation::umax) : (is_signed ? operation::min : operation::umin);
    polynomial end = bound;
    if (is_strict) { // the first number beyond the bound; without one, the loop does not end
      end.add(polynomial::number(is_up ? 1 : minus_one));
      program_.values.reduce(end, t.width);
    }
    polynomial distance = polynomial::number(0);
    distance.add(polynomial::of({kind::limit, l, 0}), is_up ? 1 : minus_one);
    distance.add(first, is_up ? minus_one : 1);
    distance.cut(t.width);
    c.first = counts_.stored(first);
    c.bound = counts_.stored(end);
    if (size != 1) {
      set_quotient(c, t.width, l, size, distance);
    } else {
      c.is_formula = true;
      c.width = t.width;
      c.formula = counts_.stored(distance);
    }
    if (first.is_number()) { // the counter does not wrap before it is at the limit
      const std::uint64_t sign = is_signed ? std::uint64_t{1} << (t.width - 1) : 0;
      const std::uint64_t place = first.constant() ^ sign;
      c.is_bounded = true;
      c.backedges = is_up ? low_ones(t.width) - place : place;
    }
  }

  proof_program<IR> program_;
  const evolution_claims<IR>& claims_;
  const iteration_values<IR>& values_;
  proven_counts& counts_;
};

} // namespace detail

MIDEND_END_NAMESPACE
