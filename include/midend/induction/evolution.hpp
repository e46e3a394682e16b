/// `evolution`: the value in iteration k of a loop, as a chain of recurrences.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/loops/loop_edges.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why nothing is known about how a value changes.
enum class evolution_obstacle : std::uint8_t {
  none,              ///< it is known
  unknown_value,     ///< it is the result of an operation that is not looked through: a load, a call, a division of
                     ///< what changes …
  joined_paths,      ///< paths of one iteration bring different sums
  several_starts,    ///< edges into the loop bring different sums
  recurrence,        ///< the next value is neither the value plus a known evolution, nor a multiple
  first_iteration,   ///< the first iteration does not continue the others: the value is one of the previous iteration
  inner_loop,        ///< it is the value after an inner loop whose number of iterations is not known
  irreducible_cycle, ///< it is changed in a cycle with several entries
  may_wrap,          ///< it is extended, and may wrap
  not_linear,        ///< it is the product of two sums with values
  too_large,         ///< more terms, a higher degree or a deeper nest than a result holds
  undefined,         ///< it is no value, or in a block that never runs
  not_last,          ///< the last iteration may end before it is computed
};

namespace detail {

/// k over `degree`, modulo 2^64: exact division of k · (k - 1) ….
constexpr std::uint64_t binomial(std::uint64_t k, unsigned degree) {
  std::uint64_t a = k;
  std::uint64_t b = k - 1;
  std::uint64_t c = k - 2;
  if (degree < 2) {
    return degree == 0 ? 1 : k;
  }
  (a % 2 == 0 ? a : b) /= 2;
  if (degree == 2) {
    return a * b;
  }
  (a % 3 == 0 ? a : b % 3 == 0 ? b : c) /= 3;
  return a * b * c;
}

/// For a signed number of less than 62 bits: -n over d is n + d - 1 over d, with the sign of (-1)^d.
constexpr std::uint64_t signed_binomial(std::int64_t k, unsigned degree) {
  if (k >= 0) {
    return binomial(static_cast<std::uint64_t>(k), degree);
  }
  const std::uint64_t mirrored = binomial(static_cast<std::uint64_t>(-k) + degree - 1, degree);
  return degree == 0 ? 1 : degree % 2 == 0 ? mirrored : 0 - mirrored;
}

/// Whether `k` over `degree` is a signed 64-bit number.
constexpr bool binomial_fits(std::uint64_t k, unsigned degree) {
  constexpr unsigned bits[] = {64, 63, 32, 22};
  return static_cast<unsigned>(std::bit_width(k)) <= bits[degree];
}

/// `base` to the power `k`, modulo 2^64.
constexpr std::uint64_t power(std::uint64_t base, std::uint64_t k) {
  std::uint64_t out = 1;
  for (; k != 0; k >>= 1) {
    out *= (k & 1) != 0 ? base : 1;
    base *= base;
  }
  return out;
}

} // namespace detail

/// A value in iteration k = 0, 1, … of a loop, counted from each entry of the loop:
///
///     c₀ + c₁ · k + c₂ · (k over 2) + c₃ · (k over 3) + scale · ratio^k
///
/// This is the chain of recurrences {c₀, +, c₁, +, c₂, +, c₃}: the value starts with c₀, and each iteration adds the
/// present value of {c₁, +, c₂, +, c₃}. O. Bachmann, P. Wang, E. Zima, "Chains of recurrences: a method to expedite the
/// evaluation of closed-form functions", ISSAC 1994; R. van Engelen, "Efficient symbolic analysis for optimizing
/// compilers", CC 2001; S. Pop, A. Cohen, G. Silber, "Induction variable analysis with delayed abstractions", HiPEAC
/// 2005. Departures: one closed form in binomial coefficients, so that sums are sums of coefficients and no division is
///       needed modulo 2^width; the degree is at most 3.
///
/// The coefficients are linear forms of invariants: values from before the loop, and operations inside whose result is
/// equal in each iteration. Modular forms hold modulo 2^width, whatever wraps. If the forms are exact (`is_exact`), the
/// value, read as a signed or unsigned number, *is* that integer in each iteration that computes it: no step from one
/// to the next wraps. This relies only on ranges and on promises of operations that compute the value: an operation
/// that some iterations skip promises nothing.
///
/// A statement about a run whose promises hold. If `obstacle` is not `none`, nothing else is valid.
struct evolution {
  static constexpr unsigned max_degree = 3;

  evolution_obstacle obstacle = evolution_obstacle::none;
  loop_id loop = no_loop;
  unsigned degree = 0; ///< the index of the highest coefficient that is not 0
  linear_form coefficients[max_degree + 1];
  std::uint64_t ratio = 1; ///< 1: there is no power
  linear_form scale;

  /// An unknown evolution.
  static constexpr evolution unknown(loop_id l, evolution_obstacle why) {
    evolution out;
    out.obstacle = why;
    out.loop = l;
    return out;
  }

  /// The evolution of an invariant.
  static constexpr evolution constant(loop_id l, const linear_form& value) {
    evolution out;
    out.loop = l;
    out.coefficients[0] = value;
    for (unsigned d = 1; d <= max_degree; ++d) {
      out.coefficients[d].width = value.width;
      out.coefficients[d].is_exact = value.is_exact;
    }
    out.scale.width = value.width;
    out.scale.is_exact = value.is_exact;
    return out;
  }

  constexpr bool is_known() const { return obstacle == evolution_obstacle::none; }

  constexpr bool is_exact() const { return coefficients[0].is_exact; }

  constexpr bool has_power() const { return ratio != 1; }

  constexpr bool is_invariant() const { return is_known() && degree == 0 && !has_power(); }

  /// Whether it is a start plus k times a step that is a number.
  constexpr bool is_counter() const { return is_known() && degree == 1 && !has_power() && coefficients[1].is_number(); }

  /// c₀ and c₁. With a power, the value of iteration 0 is `value_at(0)`.
  constexpr const linear_form& start() const { return coefficients[0]; }

  constexpr const linear_form& step() const { return coefficients[1]; }

  /// The value in iteration k. False if it has too many terms or a number does not fit.
  constexpr bool value_at(std::uint64_t k, linear_form& out) const {
    linear_form sum = coefficients[0];
    for (unsigned d = 1; d <= degree; ++d) {
      if ((is_exact() && !detail::binomial_fits(k, d)) || !sum.add(coefficients[d], detail::binomial(k, d))) {
        return false;
      }
    }
    if (has_power() && (is_exact() || !sum.add(scale, detail::power(ratio, k)))) {
      return false;
    }
    out = sum;
    return true;
  }

  /// Adds `by` times another evolution over this loop, with forms of one kind. Becomes unknown if that is not possible.
  constexpr void add(const evolution& other, std::uint64_t by = 1) {
    if (!is_known() || !other.is_known()) {
      obstacle = is_known() ? other.obstacle : obstacle;
      return;
    }
    bool fits = true;
    for (unsigned d = 0; d <= other.degree; ++d) {
      fits = fits && coefficients[d].add(other.coefficients[d], by);
    }
    degree = degree > other.degree ? degree : other.degree;
    if (other.has_power()) {
      fits = fits && (!has_power() || ratio == other.ratio) && scale.add(other.scale, by);
      ratio = other.ratio;
    }
    obstacle = fits ? obstacle : evolution_obstacle::too_large;
    normalise();
  }

  /// Makes the highest coefficient different from 0, and removes a power without scale.
  constexpr void normalise() {
    while (degree != 0 && coefficients[degree].is_zero()) {
      --degree;
    }
    if (scale.is_zero()) {
      ratio = 1;
    }
  }
};

namespace detail {

/// Finds x such that `number` · x is `bits`, modulo 2^width. False if there is none.
constexpr bool divide_bits(std::uint64_t bits, std::uint64_t number, unsigned width, std::uint64_t& out) {
  number &= low_ones(width);
  if (number == 0) {
    out = 0;
    return bits == 0;
  }
  const auto shift = static_cast<unsigned>(std::countr_zero(number));
  if (bits != 0 && static_cast<unsigned>(std::countr_zero(bits)) < shift) {
    return false;
  }
  const std::uint64_t odd = number >> shift;
  std::uint64_t inverse = 1;
  for (int i = 0; i != 6; ++i) { // each step of Newton's iteration doubles the number of correct bits
    inverse *= 2 - odd * inverse;
  }
  out = (bits >> shift) * inverse & low_ones(width);
  return true;
}

/// Divides a modular form by a number. False if that is not possible.
constexpr bool divide_form(linear_form& form, std::uint64_t number) {
  linear_form out = form.none_of();
  bool divides = !form.is_exact && divide_bits(form.constant, number, form.width, out.constant);
  for (std::uint32_t i = 0; divides && i != form.num_terms; ++i) {
    std::uint64_t quotient = 0;
    divides = divide_bits(form.terms[i].coefficient, number, form.width, quotient) &&
              out.add(form.terms[i].value, quotient, form.terms[i].reading);
  }
  if (divides) {
    form = out;
  }
  return divides;
}

/// The sum of `e` over iterations 0 … k - 1: the coefficients move up by one.
constexpr evolution prefix_sum(const evolution& e) {
  evolution out = e;
  if (!e.is_known()) {
    return out;
  }
  if (e.degree == evolution::max_degree) {
    return evolution::unknown(e.loop, evolution_obstacle::too_large);
  }
  for (unsigned d = 0; d <= e.degree; ++d) {
    out.coefficients[d + 1] = e.coefficients[d];
  }
  out.degree = e.degree + 1;
  out.coefficients[0] = e.coefficients[0].none_of();
  if (e.has_power()) { // scale · ratio^i, where scale is (ratio - 1) · h, sums up to h · ratio^k - h
    if (!divide_form(out.scale, e.ratio - 1) || !out.coefficients[0].add(out.scale, ~std::uint64_t{0})) {
      return evolution::unknown(e.loop, evolution_obstacle::recurrence);
    }
  }
  out.normalise();
  return out;
}

/// The value of `e` one iteration earlier, also for iteration -1. A power must be divisible.
constexpr evolution one_before(const evolution& e) {
  evolution out = e;
  for (unsigned d = e.degree; d-- != 0;) { // (k - 1 over d) is (k over d) - (k - 1 over d - 1)
    if (!out.coefficients[d].add(out.coefficients[d + 1], ~std::uint64_t{0})) {
      return evolution::unknown(e.loop, evolution_obstacle::too_large);
    }
  }
  if (e.has_power() && !divide_form(out.scale, e.ratio)) {
    return evolution::unknown(e.loop, evolution_obstacle::first_iteration);
  }
  return out;
}

/// The value that begins with `start`; each iteration multiplies it by `factor` and adds `rest`.
constexpr evolution recurrence(const linear_form& start, std::uint64_t factor, const evolution& rest) {
  if (!rest.is_known()) {
    return rest;
  }
  if (factor == 1) {
    evolution out = prefix_sum(rest);
    out.add(evolution::constant(rest.loop, start));
    return out;
  }
  if (factor == 0) { // the value is one of the previous iteration; the first iteration may continue it
    evolution out = one_before(rest);
    linear_form first;
    const bool continues = out.is_known() && out.value_at(0, first) && same_sum(first, start);
    return continues ? out : evolution::unknown(rest.loop, evolution_obstacle::first_iteration);
  }
  if (!rest.is_invariant() || start.is_exact) {
    return evolution::unknown(rest.loop, evolution_obstacle::recurrence);
  }
  linear_form fixed = rest.start(); // fixed = factor · fixed + rest
  evolution out = evolution::constant(rest.loop, start);
  if (!divide_form(fixed, 1 - factor)) {
    return evolution::unknown(rest.loop, evolution_obstacle::recurrence);
  }
  out.coefficients[0] = fixed;
  out.ratio = factor;
  if (!linear_difference(start, fixed, out.scale)) {
    return evolution::unknown(rest.loop, evolution_obstacle::too_large);
  }
  out.normalise();
  return out;
}

/// The product of two forms. One must be a number.
constexpr evolution_obstacle multiply_forms(const linear_form& a, const linear_form& b, linear_form& out) {
  if (!a.is_number() && !b.is_number()) {
    return evolution_obstacle::not_linear;
  }
  out = a.is_number() ? b : a;
  return out.multiply(a.is_number() ? a.constant : b.constant) ? evolution_obstacle::none
                                                               : evolution_obstacle::too_large;
}

/// The product of two evolutions over one loop, of forms of one kind.
constexpr evolution product_of(const evolution& a, const evolution& b) {
  if (!a.is_known() || !b.is_known()) {
    return a.is_known() ? b : a;
  }
  if (a.has_power() || b.has_power()) { // a power only times a number
    const evolution& power = a.has_power() ? a : b;
    const evolution& other = a.has_power() ? b : a;
    if (!other.is_invariant() || !other.start().is_number()) {
      return evolution::unknown(a.loop, evolution_obstacle::not_linear);
    }
    evolution out = evolution::constant(a.loop, a.start().none_of());
    out.add(power, other.start().constant);
    return out;
  }
  if (a.degree + b.degree > evolution::max_degree) {
    return evolution::unknown(a.loop, evolution_obstacle::too_large);
  }
  evolution out = evolution::constant(a.loop, a.start().none_of());
  for (unsigned i = 0; i <= a.degree; ++i) {
    for (unsigned j = 0; j <= b.degree; ++j) {
      linear_form both;
      if (const evolution_obstacle why = multiply_forms(a.coefficients[i], b.coefficients[j], both);
          why != evolution_obstacle::none) {
        return evolution::unknown(a.loop, why);
      }
      // (k over i) · (k over j): for i = 1, j · (k over j) + (j + 1) · (k over j + 1).
      const unsigned less = i < j ? i : j;
      const unsigned more = i < j ? j : i;
      const bool fits = less == 0 ? out.coefficients[more].add(both)
                                  : out.coefficients[more].add(both, more) &&
                                        out.coefficients[more + 1].add(both, more + std::uint64_t{1});
      if (!fits) {
        return evolution::unknown(a.loop, evolution_obstacle::too_large);
      }
    }
  }
  out.degree = a.degree + b.degree;
  out.normalise();
  return out;
}

/// `t` over `degree`. `t` must be exact and, if `degree` is more than 1, a counter of numbers: the differences of its
/// first values are the coefficients. Returns a form of `width` bits, or exact.
constexpr evolution binomial_of(const evolution& t, unsigned degree, const linear_form& kind) {
  constexpr std::int64_t most = std::int64_t{1} << 58;
  constexpr std::int64_t most_exact = std::int64_t{1} << 18;
  evolution out = evolution::constant(t.loop, kind.none_of());
  const bool is_number = t.is_known() && t.degree <= 1 && !t.has_power() && t.is_exact() && t.start().is_number() &&
                         (t.degree == 0 || t.step().is_number());
  const auto start = static_cast<std::int64_t>(t.start().constant);
  const std::int64_t step = t.degree == 0 ? 0 : static_cast<std::int64_t>(t.step().constant);
  const std::int64_t limit = kind.is_exact ? most_exact : most;
  if (!is_number || start >= limit || start <= -limit || step >= limit || step <= -limit) {
    return evolution::unknown(t.loop, evolution_obstacle::not_linear);
  }
  std::uint64_t values[evolution::max_degree + 1] = {};
  for (unsigned j = 0; j <= degree; ++j) {
    values[j] = signed_binomial(start + step * static_cast<std::int64_t>(j), degree);
  }
  for (unsigned d = 0; d <= degree; ++d) {
    static_cast<void>(out.coefficients[d].add(values[0]));
    for (unsigned j = 0; j + 1 <= degree - d; ++j) {
      values[j] = values[j + 1] - values[j];
    }
  }
  out.degree = degree;
  out.normalise();
  return out;
}

} // namespace detail

MIDEND_END_NAMESPACE
