/// `fold`: the value of an operation in a copy, from what is known about its operands.
///
/// Operations on numbers are evaluated. Sums with a number become node + addend, and addends move through operations
/// where that saves an operation in some copy: sums with a number, multiples by a number, addresses of one base, and
/// quotients, remainders and comparisons of counters. Nothing else is regrouped.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattices/congruence.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"
#include "midend/unrolling/copies/detail/copy_numbering.hpp"
#include "midend/unrolling/copies/detail/known_value.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

// Operations of operations.

/// The operands of the operation `code` that is `x`; empty if it is none, or has a number added to it.
constexpr span<const unrolled_operand> operands_within(const copy_numbering& numbering, const known_value& x,
                                                       operation code) {
  if (x.is_literal() || x.is_none() || x.addend != 0) {
    return {};
  }
  const unrolled_node& n = numbering.body().values[x.node];
  const bool is_one = n.kind == body_kind::pure && n.info.code == code && n.info.width == x.width;
  return is_one ? numbering.body().operands_of(x.node) : span<const unrolled_operand>();
}

/// An operand of a node, which has `width` bits, as a value.
constexpr known_value value_of_operand(const copy_numbering& numbering, const unrolled_operand& o, unsigned width) {
  const unrolled_node& n = numbering.body().values[o.node];
  if (n.kind == body_kind::constant) {
    return literal(n.bits, width);
  }
  const known_value out = value_of_node(o.node, width);
  return o.addend == 0 ? out : sum_with(out, o.addend);
}

/// `code` of a value and a number.
struct operation_with_number {
  known_value of;
  std::uint64_t number;
};

/// What `x` computes by `code` from a value and a number, which is the second operand; of a commutative operation, it
/// always is.
constexpr optional<operation_with_number> with_number(const copy_numbering& numbering, const known_value& x,
                                                      operation code) {
  const auto operands = operands_within(numbering, x, code);
  if (operands.size() != 2) {
    return std::nullopt;
  }
  for (const std::size_t i : {std::size_t{1}, std::size_t{0}}) {
    const unrolled_node& number = numbering.body().values[operands[i].node];
    if (number.kind == body_kind::constant && (i == 1 || is_commutative(code))) {
      return operation_with_number{value_of_operand(numbering, operands[1 - i], x.width), number.bits};
    }
  }
  return std::nullopt;
}

/// The other operand of `x`, a `code` of `y` and something; a value that is none if it is not that. If only one place
/// of `y` will do, it is `place`.
constexpr known_value other_operand(const copy_numbering& numbering, const known_value& x, operation code,
                                    const known_value& y, std::size_t place = 2) {
  const auto operands = operands_within(numbering, x, code);
  for (std::size_t i = 0; i != 2 && operands.size() == 2; ++i) {
    if ((place == 2 || place == i) && value_of_operand(numbering, operands[i], x.width).is_same(y)) {
      return value_of_operand(numbering, operands[1 - i], x.width);
    }
  }
  return {};
}

/// The operand of `x`, a `code` of one value; a value that is none if it is not that.
constexpr known_value only_operand(const copy_numbering& numbering, const known_value& x, operation code) {
  const auto operands = operands_within(numbering, x, code);
  return operands.size() == 1 ? value_of_operand(numbering, operands[0], x.width) : known_value();
}

// Sums and multiples.

/// Takes the addend away from the operand that changes in the loop if the other operand does not change, and returns
/// it; 0 if there is nothing to take. So the sum of an invariant base and an index keeps one node for all copies.
constexpr std::uint64_t take_addend(const copy_numbering& numbering, known_value& a, known_value& b) {
  known_value& from = a.addend != 0 && numbering.is_invariant(b) ? a : b;
  const known_value& other = &from == &a ? b : a;
  if (from.addend == 0 || !numbering.is_invariant(other) || numbering.is_invariant(from)) {
    return 0;
  }
  const std::uint64_t by = from.addend;
  from = value_of_node(from.node, from.width);
  return by;
}

/// What holds for node + addend.
constexpr value_facts facts_of_sum(const copy_numbering& numbering, const known_value& x) {
  value_facts f = numbering.facts_of(x);
  if (!x.is_literal() && x.addend != 0) {
    f.stride.residue += x.addend;
    return value_facts::reduced(numbering.range_of(x), signed_congruence(x.width).wrapped(f.stride));
  }
  return f;
}

/// What holds for a + b: its low bits that are known, and in straight code its range if it does not wrap. In a loop the
/// clean-up, which widens ranges, would not find that again.
constexpr value_facts facts_of_sum(const copy_numbering& numbering, const known_value& a, const known_value& b) {
  const signed_congruence strides(a.width);
  const value_facts of_a = facts_of_sum(numbering, a);
  const value_facts of_b = facts_of_sum(numbering, b);
  const signed_congruence::element x = strides.wrapped(of_a.stride);
  const signed_congruence::element y = strides.wrapped(of_b.stride);
  value_facts out = value_facts::none(a.width);
  signed_interval::element range{};
  if (numbering.body().is_straight_line && add_exactly(of_a.range.low, of_b.range.low, a.width, range.low) &&
      add_exactly(of_a.range.high, of_b.range.high, a.width, range.high)) {
    out.range = range;
  }
  return value_facts::reduced(out.range,
                              strides.wrapped({greatest_common_divisor(x.modulus, y.modulus), x.residue + y.residue}));
}

constexpr known_value fold_sum(copy_numbering& numbering, const body_value& v, known_value a, known_value b) {
  if (a.is_literal()) {
    swap_values(a, b);
  }
  const operation_flags flags = v.info.flags;
  if (b.is_literal()) {
    return sum_with(a, b.signed_addend(), {flags.no_signed_wrap, flags.no_unsigned_wrap && b.signed_addend() >= 0});
  }
  for (const bool swaps : {false, true}) { // (x - y) + y
    const known_value out = other_operand(numbering, swaps ? b : a, operation::sub, swaps ? a : b, 1);
    if (!out.is_none()) {
      return out;
    }
  }
  const std::uint64_t by = take_addend(numbering, a, b);
  const known_value sum = numbering.compute(v, a, b);
  if (numbering.is_fresh()) {
    numbering.facts(sum.node) = facts_of_sum(numbering, a, b);
  }
  return by != 0 ? sum_with(sum, by) : sum;
}

/// What is known about a number minus a node with the facts `f`, modulo 2^width.
constexpr value_facts facts_of_negative(const value_facts& f, const known_value& from) {
  const signed_congruence strides(from.width);
  return value_facts::reduced(signed_interval::full(from.width),
                              strides.wrapped({f.stride.modulus, from.addend - f.stride.residue}));
}

constexpr known_value fold_difference(copy_numbering& numbering, const body_value& v, known_value a, known_value b) {
  const operation_flags flags = v.info.flags;
  if (b.is_literal()) {
    const std::int64_t by = b.signed_addend();
    const bool fits = by != signed_interval::full(v.info.width).low;
    return sum_with(a, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(by)),
                    {flags.no_signed_wrap && fits, flags.no_unsigned_wrap && by >= 0});
  }
  if (a.node == b.node) {
    return literal(a.addend - b.addend, v.info.width);
  }
  if (a.is_literal()) {
    const known_value difference = numbering.compute(v, a, value_of_node(b.node, b.width));
    if (numbering.is_fresh()) {
      numbering.facts(difference.node) = facts_of_negative(numbering.facts(b.node), a);
    }
    return sum_with(difference, 0 - b.addend);
  }
  if (const known_value out = other_operand(numbering, a, operation::add, b); !out.is_none()) { // (x + y) - x
    return out;
  }
  if (const known_value out = other_operand(numbering, b, operation::sub, a, 0); !out.is_none()) { // x - (x - y)
    return out;
  }
  const bool of_first = b.addend == 0 || numbering.is_invariant(b);
  const std::uint64_t by = take_addend(numbering, a, b);
  const known_value difference = numbering.compute(v, a, b);
  return by != 0 ? sum_with(difference, of_first ? by : 0 - by) : difference;
}

/// The facts of a node with the facts `f` times `factor`, modulo 2^width.
constexpr value_facts facts_of_product(const value_facts& f, const known_value& factor) {
  const unsigned width = factor.width;
  const signed_congruence strides(width);
  const std::int64_t by = factor.signed_addend();
  const auto size = static_cast<std::uint64_t>(by);
  signed_interval::element range{};
  const bool fits = by > 0 && multiply_exactly(f.range.low, by, width, range.low) &&
                    multiply_exactly(f.range.high, by, width, range.high);
  if (!fits) {
    return value_facts::reduced(signed_interval::full(width),
                                strides.wrapped({f.stride.modulus * size, f.stride.residue * size}));
  }
  const bool has_stride = f.stride.modulus <= low_ones(width) / size;
  return value_facts::reduced(range, has_stride ? strides.of(f.stride.modulus * size, f.stride.residue * size)
                                                : signed_congruence::full());
}

constexpr known_value fold_product(copy_numbering& numbering, const body_value& v, known_value a, known_value b) {
  if (a.is_literal()) {
    swap_values(a, b);
  }
  if (!b.is_literal()) {
    const known_value product = numbering.compute(v, a, b);
    const auto low_bits = [&](const known_value& x) {
      return signed_congruence(x.width).wrapped(facts_of_sum(numbering, x).stride);
    };
    if (const auto x = low_bits(a), y = low_bits(b); numbering.is_fresh() && x.modulus > 1 && y.modulus > 1) {
      const std::uint64_t low = (x.modulus < y.modulus ? x.modulus : y.modulus) - 1; // powers of 2
      numbering.facts(product.node).stride = {low + 1, x.residue * y.residue & low};
    }
    return product;
  }
  if (b.addend <= 1) {
    return b.addend == 0 ? b : a;
  }
  const unsigned width = v.info.width;
  if (const auto inner = with_number(numbering, a, operation::mul)) {
    return fold_product(numbering, v, inner->of, literal(inner->number * b.addend, width));
  }
  const known_value base = value_of_node(a.node, width);
  const auto amount = static_cast<std::uint64_t>(std::countr_zero(b.addend));
  const known_value product = std::has_single_bit(b.addend)
                                  ? numbering.apply(operation::shl, width, {base, literal(amount, width)})
                                  : numbering.compute(v, base, b);
  if (numbering.is_fresh()) {
    numbering.facts(product.node) = facts_of_product(numbering.facts(a.node), b);
  }
  return sum_with(product, a.addend * b.addend);
}

constexpr known_value fold_shift_left(copy_numbering& numbering, const body_value& v, const known_value& a,
                                      const known_value& b) {
  const unsigned width = v.info.width;
  if (!b.is_literal() || b.addend >= width || a.is_literal()) {
    return numbering.compute(v, a, b);
  }
  if (b.addend == 0) {
    return a;
  }
  if (const auto inner = with_number(numbering, a, operation::shl); inner && inner->number < width) {
    const std::uint64_t places = inner->number + b.addend;
    return places < width ? fold_shift_left(numbering, v, inner->of, literal(places, b.width)) : literal(0, width);
  }
  const known_value product = numbering.compute(v, value_of_node(a.node, width), b);
  if (numbering.is_fresh()) {
    const known_value factor = literal(std::uint64_t{1} << b.addend, width);
    numbering.facts(product.node) = facts_of_product(numbering.facts(a.node), factor);
  }
  return sum_with(product, a.addend << b.addend);
}

/// (a << b) + c.
constexpr known_value fold_shift_and_add(copy_numbering& numbering, const body_value& v, span<const known_value> args) {
  const known_value& a = args[0];
  const known_value& b = args[1];
  const known_value& c = args[2];
  if (!b.is_literal() || b.addend >= v.info.width) {
    return numbering.compute(kind_of(v), args);
  }
  if (a.is_literal()) {
    return sum_with(c, a.addend << b.addend);
  }
  if (b.addend == 0 && c.is_literal()) {
    return sum_with(a, c.addend);
  }
  return numbering.compute(kind_of(v), args);
}

// Operations on bits.

/// If `x` differs from its node only in low bits, and all of these are known, the operation of the node and the number
/// `b`, plus a number: for `bit_and`, `bit_or`, `bit_xor` and shifts right by less than the width.
constexpr optional<known_value> fold_known_bits(copy_numbering& numbering, const body_value& v, const known_value& x,
                                                const known_value& b) {
  const value_facts f = numbering.facts(x.node);
  const std::uint64_t power = power_of_2_in(f.stride.modulus);
  const std::uint64_t before = f.stride.residue & (power - 1);
  const std::uint64_t after = (before + x.addend) & low_ones(x.width);
  if (x.addend == 0 || power == 0 || after >= power) {
    return std::nullopt;
  }
  const auto low = [&](std::uint64_t bits) {
    const std::uint64_t changed = v.info.code == operation::bit_xor ? bits & b.addend : 0;
    return v.info.code == operation::bit_and                                ? bits & b.addend
           : v.info.code == operation::shr || v.info.code == operation::sar ? bits >> b.addend
                                                                            : (bits & ~b.addend) - changed;
  };
  const known_value out = numbering.compute(v, value_of_node(x.node, x.width), b);
  return sum_with(out, low(after) - low(before));
}

// Quotients and remainders by a number, which copies share as far as the congruence of the dividend allows.

/// n + c divided by m, where n ≡ r modulo d, and d divides m. Let r + c = k · d + e with 0 ≤ e < d and k = q · (m/d) +
/// p with 0 ≤ p < m/d. Then n - r + p · d is a multiple of d, and both e and r are less than d, too small to reach the
/// next multiple of m:
///
///     ⌊(n + c) / m⌋ = ⌊(n + p · d) / m⌋ + q          (n + c) mod m = (n + p · d) mod m + e - r
///
/// So sums whose c differ by multiples of m, or by what cannot carry into the next multiple of d, share one division.
struct split_sum {
  std::uint64_t shift;    ///< p · d, less than m
  std::int64_t quotient;  ///< q
  std::uint64_t residue;  ///< r
  std::uint64_t step;     ///< d
  std::int64_t remaining; ///< e - r

  /// Nothing if r + c does not fit, or if m is too large.
  static constexpr optional<split_sum> of(const value_facts& n, std::int64_t c, std::uint64_t m) {
    split_sum s{};
    s.step = greatest_common_divisor(n.stride.modulus, m);
    s.residue = signed_congruence::residue_of(n.stride, s.step);
    std::int64_t sum = 0;
    if (m > std::uint64_t{1} << 62 || !add_exactly(static_cast<std::int64_t>(s.residue), c, 64, sum)) {
      return std::nullopt;
    }
    const auto d = static_cast<std::int64_t>(s.step);
    const auto parts = static_cast<std::int64_t>(m / s.step);
    const std::int64_t k = floor_quotient(sum, d);
    s.quotient = floor_quotient(k, parts);
    s.shift = static_cast<std::uint64_t>((k - s.quotient * parts) * d);
    s.remaining = (sum - k * d) - static_cast<std::int64_t>(s.residue);
    return s;
  }

  /// n + p · d, for `x` = n + c: exact if that is and 0 ≤ p · d ≤ c.
  constexpr known_value shifted(known_value x) const {
    const bool is_between = static_cast<std::int64_t>(shift) <= x.signed_addend();
    x.exact_signed = shift == 0 || (x.exact_signed && is_between);
    x.exact_unsigned = shift == 0 || (x.exact_unsigned && is_between);
    x.addend = shift;
    return x;
  }
};

constexpr value_facts facts_of_quotient(const value_facts& n, std::uint64_t shift, const signed_interval::element& sum,
                                        std::uint64_t m) {
  const auto divisor = static_cast<std::int64_t>(m);
  signed_congruence::element stride = signed_congruence::full();
  if (!n.stride.is_constant() && n.stride.modulus % m == 0) {
    const std::uint64_t r = n.stride.residue;
    stride.modulus = n.stride.modulus / m;
    stride.residue = (r / m + (r % m + shift) / m) % stride.modulus;
  }
  return value_facts::reduced({floor_quotient(sum.low, divisor), floor_quotient(sum.high, divisor)}, stride);
}

/// ⌊x / m⌋ for 0 < m ≤ 2^62, if the sum `x` is exact and, unless `may_be_negative`, at least 0.
constexpr optional<known_value> fold_quotient(copy_numbering& numbering, const known_value& x, std::uint64_t m,
                                              bool may_be_negative) {
  const signed_interval::element range = numbering.range_of(x);
  if (!numbering.is_exact(x) || (!may_be_negative && range.low < 0)) {
    return std::nullopt;
  }
  const auto divisor = static_cast<std::int64_t>(m);
  const std::int64_t least = floor_quotient(range.low, divisor);
  if (least == floor_quotient(range.high, divisor)) {
    return literal(static_cast<std::uint64_t>(least), x.width);
  }
  const value_facts n = numbering.facts(x.node);
  const auto s = split_sum::of(n, x.signed_addend(), m);
  if (!s) {
    return std::nullopt;
  }
  const known_value dividend = s->shifted(x);
  const signed_interval::element dividend_range = numbering.range_of(dividend);
  if (!numbering.is_exact(dividend) || (!may_be_negative && dividend_range.low < 0)) {
    return std::nullopt;
  }
  const bool is_power = std::has_single_bit(m);
  const operation code = !is_power ? operation::udiv : dividend_range.low < 0 ? operation::sar : operation::shr;
  const std::uint64_t by = is_power ? static_cast<std::uint64_t>(std::countr_zero(m)) : m;
  known_value out = numbering.apply(code, x.width, {dividend, literal(by, x.width)});
  if (numbering.is_fresh()) {
    numbering.facts(out.node) = facts_of_quotient(n, s->shift, dividend_range, m);
  }
  out.addend = static_cast<std::uint64_t>(s->quotient) & low_ones(x.width);
  out.exact_unsigned = dividend_range.low >= 0 && range.low >= 0;
  return out;
}

/// (n + p · d) mod m + e - r.
constexpr known_value remainder_of_split(copy_numbering& numbering, const known_value& dividend, const split_sum& s,
                                         std::uint64_t m) {
  const unsigned width = dividend.width;
  if (s.step == m) {
    return literal(static_cast<std::uint64_t>(s.remaining) + s.residue, width);
  }
  known_value out = std::has_single_bit(m)
                        ? numbering.apply(operation::bit_and, width, {dividend, literal(m - 1, width)})
                        : numbering.apply(operation::urem, width, {dividend, literal(m, width)});
  if (numbering.is_fresh()) {
    numbering.facts(out.node) = value_facts::reduced({0, static_cast<std::int64_t>(m - 1)}, {s.step, s.residue});
  }
  out.addend = static_cast<std::uint64_t>(s.remaining) & low_ones(width);
  return out;
}

/// x mod m for 0 < m ≤ 2^62, if the sum `x` is exact and at least 0.
constexpr optional<known_value> fold_remainder(copy_numbering& numbering, const known_value& x, std::uint64_t m) {
  const signed_interval::element range = numbering.range_of(x);
  if (!numbering.is_exact(x) || range.low < 0) {
    return std::nullopt;
  }
  if (range.high < static_cast<std::int64_t>(m)) {
    return x;
  }
  const auto s = split_sum::of(numbering.facts(x.node), x.signed_addend(), m);
  if (!s) {
    return std::nullopt;
  }
  const known_value dividend = s->shifted(x);
  if (s->step != m && (!numbering.is_exact(dividend) || numbering.range_of(dividend).low < 0)) {
    return std::nullopt;
  }
  return remainder_of_split(numbering, dividend, *s, m);
}

/// x & (m - 1), the remainder of any number modulo a power of 2, if it is that of the node plus a number. Masks of
/// other sums are left as they are: no pass makes n + 7 of n - 1 before a mask.
constexpr optional<known_value> fold_low_bits(copy_numbering& numbering, const known_value& x, std::uint64_t m) {
  const signed_interval::element range = numbering.range_of(x);
  const bool is_counter = numbering.body().values[x.node].kind == body_kind::phi; // no clean-up drops the mask of one
  if (!is_counter && range.low >= 0 && range.high < static_cast<std::int64_t>(m) && numbering.is_exact(x)) {
    return x;
  }
  const auto s = split_sum::of(numbering.facts(x.node), x.signed_addend(), m);
  const bool is_shared = s && (s->shift == 0 || s->step == m);
  return is_shared ? optional(remainder_of_split(numbering, s->shifted(x), *s, m)) : std::nullopt;
}

/// x & b for a number b, if the remainder of x modulo a power of 2 has all bits of b.
constexpr optional<known_value> fold_known_mask(const copy_numbering& numbering, const known_value& a,
                                                const known_value& b) {
  const value_facts f = numbering.facts(a.node);
  const std::uint64_t power = power_of_2_in(f.stride.modulus);
  const signed_interval::element range = numbering.range_of(a);
  if (range.low >= 0 && static_cast<std::uint64_t>(range.high) < power_of_2_in(b.addend)) {
    return literal(0, a.width);
  }
  if (power == 0 || b.addend >= power) {
    return std::nullopt;
  }
  return literal((f.stride.residue + a.addend) & b.addend, a.width);
}

/// x & b for a number b.
constexpr known_value fold_mask(copy_numbering& numbering, const body_value& v, const known_value& a,
                                const known_value& b) {
  if (const auto known = fold_known_mask(numbering, a, b)) {
    return *known;
  }
  const std::uint64_t m = b.addend + 1;
  if (std::has_single_bit(m) && m <= std::uint64_t{1} << 62) {
    if (const auto low = fold_low_bits(numbering, a, m)) {
      return *low;
    }
  }
  if (v.info.code == operation::bit_and) {
    if (const auto known = fold_known_bits(numbering, v, a, b)) {
      return *known;
    }
  }
  const known_value out = v.info.code == operation::bit_and ? numbering.compute(v, a, b)
                                                            : numbering.apply(operation::bit_and, v.info.width, {a, b});
  if (numbering.is_fresh() && b.signed_addend() >= 0) {
    numbering.facts(out.node).range = {0, b.signed_addend()};
  }
  return out;
}

/// Divisions, remainders and shifts right.
constexpr known_value fold_division(copy_numbering& numbering, const body_value& v, const known_value& a,
                                    const known_value& b) {
  const operation code = v.info.code;
  const unsigned width = v.info.width;
  const bool is_shift = code == operation::shr || code == operation::sar;
  const bool is_remainder = code == operation::rem || code == operation::urem;
  if (!b.is_literal() || a.is_literal() || (is_shift ? b.addend >= width || b.addend > 62 : b.addend == 0)) {
    const known_value out = numbering.compute(v, a, b);
    if (numbering.is_fresh() && code == operation::shr && b.is_literal() && b.addend < width) {
      numbering.facts(out.node).range = {0, static_cast<std::int64_t>(low_ones(width) >> b.addend)};
    }
    return out;
  }
  const std::uint64_t m = is_shift ? std::uint64_t{1} << b.addend : b.addend;
  if (m == 1) {
    return is_remainder ? literal(0, width) : a;
  }
  const auto inner = is_shift ? with_number(numbering, a, code) : std::nullopt;
  if (inner && inner->number < width) {
    const std::uint64_t places = inner->number + b.addend;
    if (code == operation::shr && places >= width) {
      return literal(0, width);
    }
    return fold_division(numbering, v, inner->of, literal(places < width ? places : width - 1, b.width));
  }
  const bool is_signed = code == operation::div || code == operation::rem;
  if (m > std::uint64_t{1} << 62 || (is_signed && b.signed_addend() < 0)) {
    return numbering.compute(v, a, b);
  }
  const auto out =
      is_remainder ? fold_remainder(numbering, a, m) : fold_quotient(numbering, a, m, code == operation::sar);
  if (out) {
    return *out;
  }
  if (is_shift) {
    if (const auto known = fold_known_bits(numbering, v, a, b)) {
      return *known;
    }
    const known_value shifted = numbering.compute(v, a, b);
    if (numbering.is_fresh() && code == operation::shr) {
      numbering.facts(shifted.node).range = {0, static_cast<std::int64_t>(low_ones(width) >> b.addend)};
    }
    return shifted;
  }
  if (code == operation::urem && std::has_single_bit(m)) {
    return fold_mask(numbering, v, a, literal(m - 1, width));
  }
  if (code == operation::udiv && std::has_single_bit(m)) {
    return numbering.apply(operation::shr, width, {a, literal(static_cast<std::uint64_t>(std::countr_zero(m)), width)});
  }
  return numbering.compute(v, a, b);
}

// Bits.

/// `code` of two values, one of which is an operation of bits of the other one; or a value that is none.
constexpr known_value fold_repeated_bits(const copy_numbering& numbering, operation code, const known_value& a,
                                         const known_value& b) {
  for (const bool swaps : {false, true}) {
    const known_value& x = swaps ? b : a;
    const known_value& y = swaps ? a : b;
    if (const known_value rest = other_operand(numbering, x, code, y); !rest.is_none()) {
      return code == operation::bit_xor ? rest : x; // (x ^ y) ^ y, (x & y) & y
    }
    const operation dual = code == operation::bit_and ? operation::bit_or : operation::bit_and;
    if (code != operation::bit_xor && !other_operand(numbering, x, dual, y).is_none()) {
      return y; // (x | y) & y
    }
  }
  return {};
}

/// Notes the low bits of `out`, which is `a` or, xor or and a number, that are known.
constexpr void note_low_bits(copy_numbering& numbering, const known_value& out, operation code, const known_value& a,
                             std::uint64_t number) {
  const std::uint64_t step = power_of_2_in(numbering.facts_of(a).stride.modulus);
  const std::uint64_t below = step == 0 || a.addend != 0 ? 0 : step - 1; // bits of `a` that are known
  const std::uint64_t decided = code == operation::bit_or ? number : code == operation::bit_and ? ~number : 0;
  const auto count = static_cast<unsigned>(std::countr_one(below | decided));
  if (count == 0 || count >= out.width || count > 62) {
    return;
  }
  const std::uint64_t bits = numbering.facts_of(a).stride.residue & below;
  const std::uint64_t known = code == operation::bit_or    ? bits | number
                              : code == operation::bit_and ? bits & number
                                                           : bits ^ number;
  const std::uint64_t power = std::uint64_t{1} << count;
  value_facts& facts = numbering.facts(out.node);
  facts = value_facts::reduced(facts.range, {power, known & (power - 1)});
}

/// Notes that `out`, an operation on bits, has no more bits than its operands, if these are not negative: one of them
/// is enough for `bit_and`.
constexpr void note_high_bits(copy_numbering& numbering, const known_value& out, operation code, const known_value& a,
                              const known_value& b) {
  const signed_interval::element of_a = numbering.range_of(a);
  const signed_interval::element of_b = numbering.range_of(b);
  const auto bits_of = [](const signed_interval::element& range) {
    return range.low < 0 ? 64U : static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(range.high)));
  };
  const bool takes_less = (bits_of(of_a) < bits_of(of_b)) == (code == operation::bit_and);
  if (const unsigned bits = bits_of(takes_less ? of_a : of_b); bits < out.width) {
    numbering.facts(out.node).range = {0, static_cast<std::int64_t>(low_ones(bits))};
  }
}

/// `bit_and`, `bit_or`, `bit_xor`.
constexpr known_value fold_bits(copy_numbering& numbering, const body_value& v, known_value a, known_value b) {
  const operation code = v.info.code;
  const unsigned width = v.info.width;
  if (a.is_literal()) {
    swap_values(a, b);
  }
  if (code == operation::bit_xor && width == 1 && (b.is_literal() || a.node == b.node)) {
    a = flipped(a, b.addend);
    return b.is_literal() ? a : literal(a.addend, 1);
  }
  if (a.is_same(b)) {
    return code == operation::bit_xor ? literal(0, width) : a;
  }
  if (!b.is_literal()) {
    const known_value known = fold_repeated_bits(numbering, code, a, b);
    return known.is_none() ? numbering.compute(v, a, b) : known;
  }
  if (const auto inner = with_number(numbering, a, code)) {
    const std::uint64_t both = code == operation::bit_and  ? inner->number & b.addend
                               : code == operation::bit_or ? inner->number | b.addend
                                                           : inner->number ^ b.addend;
    return fold_bits(numbering, v, inner->of, literal(both, width));
  }
  const std::uint64_t neutral = code == operation::bit_and ? low_ones(width) : 0;
  if (b.addend == neutral) {
    return a;
  }
  const bool absorbs =
      code == operation::bit_and ? b.addend == 0 : code == operation::bit_or && b.addend == low_ones(width);
  if (absorbs) {
    return b;
  }
  if (code == operation::bit_and) {
    return fold_mask(numbering, v, a, b);
  }
  if (const auto known = fold_known_bits(numbering, v, a, b)) {
    return *known;
  }
  const known_value out = numbering.compute(v, a, b);
  if (numbering.is_fresh()) {
    note_high_bits(numbering, out, code, a, b);
    note_low_bits(numbering, out, code, a, b.addend);
  }
  return out;
}

/// The conjunction of two values of one bit.
constexpr known_value fold_conjunction(copy_numbering& numbering, const known_value& a, const known_value& b) {
  if (a.is_literal() || b.is_literal()) {
    return a.is_literal() ? (a.addend != 0 ? b : a) : (b.addend != 0 ? a : b);
  }
  if (a.node == b.node) {
    return a.addend == b.addend ? a : literal(0, 1);
  }
  return b.node < a.node ? numbering.apply(operation::bit_and, 1, {b, a})
                         : numbering.apply(operation::bit_and, 1, {a, b});
}

// Conversions.

constexpr known_value fold_truncation(copy_numbering& numbering, const body_value& v, const known_value& a) {
  const unsigned width = v.info.width;
  const unrolled_node& n = numbering.body().values[a.node];
  const bool is_extended =
      n.kind == body_kind::pure && (n.info.code == operation::zero_extend || n.info.code == operation::sign_extend);
  if (is_extended && n.info.operand_width == width) {
    const unrolled_operand of = numbering.body().operands_of(a.node)[0];
    known_value narrow = value_of_node(of.node, width);
    narrow.addend = of.addend;
    narrow.exact_signed = narrow.exact_unsigned = of.addend == 0;
    return sum_with(narrow, a.addend & low_ones(width));
  }
  const known_value wide = value_of_node(a.node, a.width);
  const known_value out = numbering.compute(kind_of(v), span(&wide, 1));
  if (numbering.is_fresh()) {
    const value_facts f = numbering.facts(a.node);
    value_facts& narrow = numbering.facts(out.node);
    const bool fits = fits_signed(f.range.low, width) && fits_signed(f.range.high, width);
    narrow = fits ? f : value_facts::reduced(narrow.range, signed_congruence(width).wrapped(f.stride));
  }
  return sum_with(out, a.addend & low_ones(width));
}

/// The facts of the extension of `a`.
constexpr value_facts facts_of_extension(const copy_numbering& numbering, operation code, const known_value& a) {
  const signed_interval::element range = numbering.range_of(a);
  const signed_congruence::element stride = a.addend == 0 ? numbering.facts(a.node).stride : signed_congruence::full();
  if (code == operation::sign_extend || range.low >= 0) {
    return value_facts::reduced(range, stride);
  }
  if (stride.is_constant()) {
    return value_facts::number(static_cast<std::int64_t>(stride.residue & low_ones(a.width)));
  }
  const std::uint64_t power = power_of_2_in(stride.modulus); // which divides 2^width: the same with another sign
  return value_facts::reduced({0, static_cast<std::int64_t>(low_ones(a.width))}, {power, stride.residue & (power - 1)});
}

/// The extension of `a` as one operation.
constexpr known_value extend(copy_numbering& numbering, const body_value& v, const known_value& a) {
  const known_value out = numbering.compute(kind_of(v), span(&a, 1));
  if (numbering.is_fresh() && !a.is_literal()) {
    numbering.facts(out.node) = facts_of_extension(numbering, v.info.code, a);
  }
  return out;
}

/// Whether adding a number from 0 on to the node does not wrap if both are read as unsigned numbers, because the node
/// is a multiple of a power of 2 plus less than is left.
constexpr bool stays_below_stride(const copy_numbering& numbering, const known_value& a) {
  const signed_congruence::element stride = numbering.facts_of(a).stride;
  const std::uint64_t step = power_of_2_in(stride.modulus);
  return step != 0 && a.signed_addend() >= 0 && a.addend < step && (stride.residue & (step - 1)) < step - a.addend;
}

/// Extends only the node if the extension of the sum is the sum of the extensions.
constexpr known_value fold_extension(copy_numbering& numbering, const body_value& v, const known_value& a) {
  if (a.width >= v.info.width) {
    return a;
  }
  const bool is_signed = v.info.code == operation::sign_extend;
  const bool both_natural = numbering.facts(a.node).range.low >= 0 && numbering.range_of(a).low >= 0;
  const bool is_unsigned = a.exact_unsigned || (!is_signed && stays_below_stride(numbering, a));
  if (is_signed ? numbering.is_exact(a) : is_unsigned || (both_natural && numbering.is_exact(a))) {
    known_value out = extend(numbering, v, value_of_node(a.node, a.width));
    out.addend = static_cast<std::uint64_t>(a.signed_addend()) & low_ones(v.info.width);
    out.exact_unsigned = out.addend == 0 || !is_signed || both_natural;
    return out;
  }
  return extend(numbering, v, a);
}

// Comparisons: decided by ranges and congruences. Those that stay open get a common form: numbers second, older nodes
// first, addends moved to the number.

/// x + addend modulo m, a divisor of the modulus of x.
constexpr std::uint64_t residue_of_sum(const value_facts& f, const known_value& x, std::uint64_t m) {
  const std::uint64_t by = remainder_of(x.signed_addend(), m);
  return x.is_literal() ? by : add_modulo(signed_congruence::residue_of(f.stride, m), by, m);
}

/// Whether the ranges of two values, or their remainders modulo a common modulus, show that they differ.
constexpr bool are_different(const value_facts& fa, const known_value& a, const value_facts& fb, const known_value& b) {
  const signed_interval::element ra = range_of_sum(fa, a);
  const signed_interval::element rb = range_of_sum(fb, b);
  if (ra.high < rb.low || rb.high < ra.low) {
    return true;
  }
  const std::uint64_t modulus =
      b.is_literal() ? fa.stride.modulus : greatest_common_divisor(fa.stride.modulus, fb.stride.modulus);
  const bool is_exact = is_exact_sum(fa, a) && (b.is_literal() || is_exact_sum(fb, b));
  const std::uint64_t m = is_exact ? modulus : power_of_2_in(modulus);
  return m > 1 && residue_of_sum(fa, a, m) != residue_of_sum(fb, b, m);
}

constexpr known_value compute_comparison(copy_numbering& numbering, const expression_kind& kind, const known_value& a,
                                         const known_value& b) {
  const known_value operands[] = {a, b};
  return numbering.compute(kind, operands);
}

/// Two bits a and b are equal if a + b + 1 is 1.
constexpr known_value fold_equality_of_bits(copy_numbering& numbering, const expression_kind& kind,
                                            const known_value& a, const known_value& b) {
  const std::uint64_t flip = kind.info.code == operation::equal ? 1 : 0;
  if (b.is_literal() || a.node == b.node) {
    const known_value sum = flipped(a, b.addend + flip);
    return b.is_literal() ? sum : literal(sum.addend, 1);
  }
  const bool swap = b.node < a.node;
  return compute_comparison(numbering, kind, swap ? b : a, swap ? a : b);
}

/// The bit that is `x`, with zeros above it; if it is one.
constexpr optional<known_value> extended_bit(const copy_numbering& numbering, const known_value& x) {
  if (x.is_literal() || x.addend != 0) {
    return std::nullopt;
  }
  const unrolled_node& n = numbering.body().values[x.node];
  if (n.kind != body_kind::pure || n.info.code != operation::zero_extend || n.info.operand_width != 1) {
    return std::nullopt;
  }
  const unrolled_operand of = numbering.body().operands_of(x.node)[0];
  return flipped(value_of_node(of.node, 1), of.addend);
}

constexpr known_value fold_equality(copy_numbering& numbering, const expression_kind& kind, known_value a,
                                    known_value b) {
  const bool is_equal = kind.info.code == operation::equal;
  if (a.width == 1) {
    return fold_equality_of_bits(numbering, kind, a, b);
  }
  if (a.node == b.node) {
    return literal((a.addend == b.addend) == is_equal ? 1 : 0, 1);
  }
  if (const auto bit = extended_bit(numbering, a); bit && b.is_literal() && b.addend <= 1) {
    return flipped(*bit, is_equal == (b.addend == 1) ? 0 : 1);
  }
  if (b.is_literal()) {
    b.addend = (b.addend - a.addend) & low_ones(b.width);
    a = value_of_node(a.node, a.width);
  } else if (b.node < a.node) {
    swap_values(a, b);
  }
  if (are_different(numbering.facts_of(a), a, numbering.facts_of(b), b)) {
    return literal(is_equal ? 0 : 1, 1);
  }
  return compute_comparison(numbering, kind, a, b);
}

/// Whether x `code` y for an order `code`, signed or not, of numbers that mean what they are.
constexpr bool is_ordered(operation code, std::int64_t x, std::int64_t y) {
  switch (code) {
  case operation::less:
  case operation::uless:
    return x < y;
  case operation::less_equal:
  case operation::uless_equal:
    return x <= y;
  case operation::greater:
  case operation::ugreater:
    return x > y;
  default:
    return x >= y;
  }
}

/// The range of `x`, read as an unsigned number, minus 2^63: so numbers that are less stay less. What is known of its
/// low bits counts, too: a multiple of 8 plus 3 is at least 3.
constexpr signed_interval::element unsigned_range_of(const copy_numbering& numbering, const known_value& x) {
  signed_interval::element range = numbering.range_of(x);
  if (range.low < 0) {
    const signed_congruence::element stride = numbering.facts_of(x).stride;
    const std::uint64_t all = low_ones(x.width);
    const std::uint64_t known = stride.is_constant() ? all : power_of_2_in(stride.modulus) - 1;
    const std::uint64_t least = (stride.residue + (x.is_literal() ? 0 : x.addend)) & known & all;
    range = {static_cast<std::int64_t>(least), static_cast<std::int64_t>((all & ~known) | least)};
  }
  constexpr std::uint64_t shift = std::uint64_t{1} << 63;
  return {static_cast<std::int64_t>(static_cast<std::uint64_t>(range.low) ^ shift),
          static_cast<std::int64_t>(static_cast<std::uint64_t>(range.high) ^ shift)};
}

constexpr optional<bool> decide_order(const copy_numbering& numbering, operation code, const known_value& a,
                                      const known_value& b) {
  const bool is_signed = code < operation::uless;
  if (a.node == b.node &&
      (is_signed ? numbering.is_exact(a) && numbering.is_exact(b) : a.exact_unsigned && b.exact_unsigned)) {
    return is_ordered(code, a.signed_addend(), b.signed_addend());
  }
  if (!is_signed && a.is_same(b)) {
    return is_ordered(code, 0, 0);
  }
  const signed_interval::element ra = is_signed ? numbering.range_of(a) : unsigned_range_of(numbering, a);
  const signed_interval::element rb = is_signed ? numbering.range_of(b) : unsigned_range_of(numbering, b);
  const bool least = is_ordered(code, ra.low, rb.high);
  const bool most = is_ordered(code, ra.high, rb.low);
  return least == most ? optional(least) : std::nullopt;
}

/// Makes n + c < b into n < b - c if neither side wraps.
constexpr void move_addend_to_number(const copy_numbering& numbering, operation code, known_value& a, known_value& b) {
  const std::int64_t c = a.signed_addend();
  std::int64_t bound = 0;
  if (code < operation::uless) {
    const bool has_negative = c != signed_interval::full(a.width).low;
    if (!numbering.is_exact(a) || !has_negative || !add_exactly(b.signed_addend(), -c, b.width, bound)) {
      return;
    }
  } else {
    const std::uint64_t size = c < 0 ? 0 - static_cast<std::uint64_t>(c) : static_cast<std::uint64_t>(c);
    if (!(a.exact_unsigned || stays_below_stride(numbering, a)) ||
        (c < 0 ? low_ones(b.width) - b.addend < size : b.addend < size)) {
      return;
    }
    bound = static_cast<std::int64_t>(c < 0 ? b.addend + size : b.addend - size);
  }
  b.addend = static_cast<std::uint64_t>(bound) & low_ones(b.width);
  a = value_of_node(a.node, a.width);
}

/// A comparison of two values that are not both numbers, as a bit.
constexpr known_value fold_comparison(copy_numbering& numbering, expression_kind kind, known_value a, known_value b) {
  operation& code = kind.info.code;
  if (a.is_literal()) {
    swap_values(a, b);
    code = mirrored(code);
  }
  if (code == operation::equal || code == operation::not_equal) {
    return fold_equality(numbering, kind, a, b);
  }
  // For numbers that are not negative, both orders agree, and more is known about the signed one.
  if (code >= operation::uless && numbering.range_of(a).low >= 0 && numbering.range_of(b).low >= 0) {
    constexpr int distance = static_cast<int>(operation::uless) - static_cast<int>(operation::less);
    code = static_cast<operation>(static_cast<int>(code) - distance);
  }
  if (const auto decided = decide_order(numbering, code, a, b)) {
    return literal(*decided ? 1 : 0, 1);
  }
  if (b.is_literal()) {
    move_addend_to_number(numbering, code, a, b);
  }
  return compute_comparison(numbering, kind, a, b);
}

/// The operation of a comparison `v` whose result is a bit.
constexpr body_value comparison_to_bit(body_value v) {
  v.info.width = 1;
  return v;
}

/// The bit that a comparison `v` makes, with zeros above it if its result is wider. That costs nothing: what branches,
/// selects and compares by the result reads the bit, and machines that write a whole register do so at once.
constexpr known_value with_zeros(copy_numbering& numbering, body_value v, const known_value& bit) {
  if (v.info.width == 1 || bit.is_literal()) {
    return v.info.width == 1 ? bit : literal(bit.addend, v.info.width);
  }
  v.info.code = operation::zero_extend;
  v.info.operand_width = 1;
  v.cost = operation_class::alu;
  v.is_free = true;
  v.reassociates = false;
  return fold_extension(numbering, v, bit);
}

/// Whether `x`, of any width, is not 0, as a bit.
constexpr known_value is_not_zero(copy_numbering& numbering, const known_value& x) {
  if (x.width == 1) {
    return x;
  }
  if (x.is_literal()) {
    return literal(x.addend != 0 ? 1 : 0, 1);
  }
  expression_kind test;
  test.info.code = operation::not_equal;
  test.info.width = 1;
  test.info.operand_width = static_cast<std::uint8_t>(x.width);
  test.cost = operation_class::compare;
  return fold_equality(numbering, test, x, literal(0, x.width));
}

/// What `x` is where `condition` holds, or where it does not: one side of it, if it is a choice of this kind by the
/// same condition.
constexpr known_value side_of_select(const copy_numbering& numbering, const expression_kind& kind,
                                     const known_value& condition, const known_value& x, bool holds) {
  if (x.is_literal() || x.addend != 0) {
    return x;
  }
  const unrolled_node& n = numbering.body().values[x.node];
  if (n.kind != body_kind::pure || n.info.code != operation::select || n.info.width != x.width ||
      n.identity != kind.identity) {
    return x;
  }
  const auto operands = numbering.body().operands_of(x.node);
  if (operands[0] != unrolled_operand{condition.node, condition.addend}) {
    return x;
  }
  const unrolled_operand& side = operands[holds ? 1 : 2];
  known_value out = value_of_node(side.node, x.width);
  return side.addend == 0 ? out : sum_with(out, side.addend);
}

/// `yes` if `condition`, a bit, holds, else `no`.
constexpr known_value fold_select(copy_numbering& numbering, const expression_kind& kind, known_value condition,
                                  known_value yes, known_value no) {
  if (condition.is_literal()) {
    return condition.addend != 0 ? yes : no;
  }
  if (yes.is_same(no)) {
    return yes;
  }
  if (condition.addend != 0) {
    swap_values(yes, no);
    condition.addend = 0;
  }
  if (kind.info.width == 1 && yes.is_literal() && no.is_literal()) {
    return yes.addend != 0 ? condition : inverted(condition);
  }
  if (kind.info.width != 1) {
    yes = side_of_select(numbering, kind, condition, yes, true);
    no = side_of_select(numbering, kind, condition, no, false);
    if (yes.is_same(no)) {
      return yes;
    }
  }
  const known_value operands[] = {condition, yes, no};
  const known_value out = numbering.compute(kind, operands);
  if (numbering.is_fresh()) {
    signed_interval::element range = numbering.range_of(yes);
    signed_interval().join(range, numbering.range_of(no));
    signed_congruence::element stride = facts_of_sum(numbering, yes).stride;
    signed_congruence(kind.info.width).join(stride, facts_of_sum(numbering, no).stride);
    numbering.facts(out.node) = value_facts::reduced(range, stride);
  }
  return out;
}

/// The result if all operands are numbers. Promises are ignored: a program that breaks one may have any result.
constexpr optional<known_value> evaluate_numbers(operation_info info, span<const known_value> args) {
  std::array<std::uint64_t, 3> bits{};
  for (std::size_t i = 0; i != args.size(); ++i) {
    if (!args[i].is_literal()) {
      return std::nullopt;
    }
    bits[i] = args[i].addend;
  }
  info.flags = {};
  const evaluation result = evaluate(info, span(bits).first(args.size()));
  return result ? optional(literal(result.bits, info.width)) : std::nullopt;
}

/// `min`, `max` and the unsigned ones.
constexpr known_value fold_extremum(copy_numbering& numbering, const body_value& v, const known_value& a,
                                    const known_value& b) {
  const operation code = v.info.code;
  const bool is_signed = code == operation::min || code == operation::max;
  const std::uint64_t least = is_signed ? std::uint64_t{1} << (v.info.width - 1) : 0;
  const bool gives_less = code == operation::min || code == operation::umin;
  for (const known_value* x : {&a, &b}) {
    if (x->is_literal(least) || x->is_literal(low_ones(v.info.width) ^ least)) {
      return gives_less == x->is_literal(least) ? *x : x == &a ? b : a;
    }
  }
  if (a.is_same(b) || !other_operand(numbering, a, v.info.code, b).is_none()) { // min(min(x, y), y)
    return a;
  }
  const signed_interval::element of_a = numbering.range_of(a);
  const signed_interval::element of_b = numbering.range_of(b);
  if (is_signed || (of_a.low >= 0 && of_b.low >= 0)) {
    const bool is_less = of_a.high <= of_b.low;
    if (is_less || of_b.high <= of_a.low) {
      return is_less == gives_less ? a : b;
    }
  }
  return other_operand(numbering, b, v.info.code, a).is_none() ? numbering.compute(v, a, b) : b;
}

/// An operation that done twice does nothing: `neg`, `bit_not`.
constexpr known_value fold_involution(copy_numbering& numbering, const body_value& v, span<const known_value> args) {
  const known_value before = only_operand(numbering, args[0], v.info.code);
  return before.is_none() ? numbering.compute(kind_of(v), args) : before;
}

/// The value of an operation of the vocabulary. Requires as many operands as it has.
constexpr known_value fold(copy_numbering& numbering, const body_value& v, span<const known_value> args) {
  const operation_info& info = v.info;
  if (const auto number = evaluate_numbers(info, args)) {
    return *number;
  }
  switch (info.code) {
  case operation::copy:
    return args[0];
  case operation::add:
    return fold_sum(numbering, v, args[0], args[1]);
  case operation::sub:
    return fold_difference(numbering, v, args[0], args[1]);
  case operation::mul:
    return fold_product(numbering, v, args[0], args[1]);
  case operation::shl:
    return fold_shift_left(numbering, v, args[0], args[1]);
  case operation::shladd:
    return fold_shift_and_add(numbering, v, args);
  case operation::div:
  case operation::udiv:
  case operation::rem:
  case operation::urem:
  case operation::shr:
  case operation::sar:
    return fold_division(numbering, v, args[0], args[1]);
  case operation::bit_and:
  case operation::bit_or:
  case operation::bit_xor:
    return fold_bits(numbering, v, args[0], args[1]);
  case operation::bit_not:
    return info.width == 1 ? inverted(args[0]) : fold_involution(numbering, v, args);
  case operation::neg: {
    const known_value out = fold_involution(numbering, v, args);
    if (numbering.is_fresh() && out.node + 1 == numbering.body().values.size()) {
      numbering.facts(out.node) = facts_of_negative(facts_of_sum(numbering, args[0]), literal(0, info.width));
    }
    return out;
  }
  case operation::truncate:
    return fold_truncation(numbering, v, args[0]);
  case operation::zero_extend:
  case operation::sign_extend:
    return fold_extension(numbering, v, args[0]);
  case operation::min:
  case operation::max:
  case operation::umin:
  case operation::umax:
    return fold_extremum(numbering, v, args[0], args[1]);
  case operation::select:
    return fold_select(numbering, kind_of(v), is_not_zero(numbering, args[0]), args[1], args[2]);
  default:
    return is_comparison(info.code)
               ? with_zeros(numbering, v, fold_comparison(numbering, kind_of(comparison_to_bit(v)), args[0], args[1]))
           : is_commutative(info.code) ? numbering.compute(v, args[0], args[1])
                                       : numbering.compute(kind_of(v), args);
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
