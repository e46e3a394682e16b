/// `algebra_rules`: equalities of operations as a table, which can be extended and tested.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// A term of a pattern or result.
enum class term_kind : std::uint8_t {
  leaf,      ///< any value; equal numbers are one value
  number,    ///< any literal, by number
  fixed,     ///< a literal with this value, modulo 2^width
  computed,  ///< valid in results: a literal that a function of the rule computes
  operation, ///< an operation of the terms before it
};

/// One term of a tree in postfix form: an operation comes after its operands.
struct algebra_term {
  term_kind kind = term_kind::leaf;
  operation code = operation::other;
  std::uint8_t index = 0; ///< valid for a leaf, number or function
  std::int8_t value = 0;  ///< valid for a fixed literal

  friend constexpr bool operator==(const algebra_term&, const algebra_term&) = default;
};

/// A small tree of operations. Make one with the functions of `algebra_terms`.
struct algebra_tree {
  static constexpr std::size_t max_terms = 12;

  algebra_term terms[max_terms] = {};
  std::uint8_t size = 0;

  constexpr const algebra_term& root() const { return terms[size - 1]; }
};

/// The match of a pattern.
struct algebra_match {
  unsigned width = 0;            ///< the width of the root's operands
  std::uint64_t numbers[2] = {}; ///< the literals by number
  operation_flags promises = {}; ///< promises that all operations of the pattern make, of those that can make them
  number_facts facts[3] = {};    ///< facts about leaves, by number; valid only for rules that read them
};

/// An equality: where the pattern has a result, the rule's result equals it and does not trap. Both are computed modulo
/// 2^width for the one width of all operands; only the result of a comparison has width 1, and a comparison can only be
/// the root. `rule_error` finds counterexamples.
///
/// Operations of the pattern may have promises. Operations of the result have only those that the rule keeps. Where the
/// pattern traps, the rule may do anything: x / 1 → x removes no trap that matters.
///
/// A rule that reads facts holds for all values with these facts. It must not apply less often where more is known: if
/// it applies to facts, it applies to the facts of each single number that they allow.
struct algebra_rule {
  const char* name = "";
  algebra_tree pattern;
  algebra_tree result;
  bool (*applies)(const algebra_match&) = nullptr;                                  ///< null: the rule always applies
  std::uint64_t (*computed[3])(const algebra_match&) = {nullptr, nullptr, nullptr}; ///< the literals of the result
  operation_flags (*keeps)(const algebra_match&) = nullptr; ///< the promises of the result's root; null: none
  bool reads_facts = false;                                 ///< whether `applies` or `computed` reads
                                                            ///< `algebra_match::facts`
};

/// By how much the result of an operation changes, modulo 2^width, if a number is added to an operand.
struct change_of_result {
  bool is_known = false;
  std::uint64_t by = 0;
};

/// The words in which rules are written: `x + a` is `binary(operation::add, x, a)`.
namespace algebra_terms {

constexpr algebra_tree single(algebra_term t) {
  algebra_tree tree;
  tree.terms[0] = t;
  tree.size = 1;
  return tree;
}

inline constexpr algebra_tree x = single({term_kind::leaf, operation::other, 0, 0});
inline constexpr algebra_tree y = single({term_kind::leaf, operation::other, 1, 0});
inline constexpr algebra_tree z = single({term_kind::leaf, operation::other, 2, 0});
inline constexpr algebra_tree a = single({term_kind::number, operation::other, 0, 0});
inline constexpr algebra_tree b = single({term_kind::number, operation::other, 1, 0});
inline constexpr algebra_tree first = single({term_kind::computed, operation::other, 0, 0});
inline constexpr algebra_tree second = single({term_kind::computed, operation::other, 1, 0});
inline constexpr algebra_tree third = single({term_kind::computed, operation::other, 2, 0});

/// The literal `value`, modulo 2^width.
constexpr algebra_tree fixed(std::int8_t value) {
  return single({term_kind::fixed, operation::other, 0, value});
}

constexpr void append(algebra_tree& to, const algebra_tree& from) {
  for (std::size_t i = 0; i != from.size; ++i) {
    to.terms[to.size++] = from.terms[i];
  }
}

constexpr algebra_tree unary(operation code, const algebra_tree& of) {
  algebra_tree tree = of;
  tree.terms[tree.size++] = {term_kind::operation, code, 0, 0};
  return tree;
}

constexpr algebra_tree binary(operation code, const algebra_tree& left, const algebra_tree& right) {
  algebra_tree tree = left;
  append(tree, right);
  tree.terms[tree.size++] = {term_kind::operation, code, 0, 0};
  return tree;
}

constexpr algebra_tree ternary(operation code, const algebra_tree& left, const algebra_tree& middle,
                               const algebra_tree& right) {
  algebra_tree tree = left;
  append(tree, middle);
  append(tree, right);
  tree.terms[tree.size++] = {term_kind::operation, code, 0, 0};
  return tree;
}

constexpr bool is_power_of_two(const algebra_match& m) {
  return m.numbers[0] != 0 && (m.numbers[0] & (m.numbers[0] - 1)) == 0;
}

constexpr std::uint64_t logarithm(const algebra_match& m) {
  return static_cast<std::uint64_t>(std::countr_zero(m.numbers[0]));
}

/// Whether two shifts, each by less than the width, together shift out all bits.
constexpr bool shifts_all_out(const algebra_match& m) {
  return m.numbers[0] < m.width && m.numbers[1] < m.width && m.numbers[0] + m.numbers[1] >= m.width;
}

/// The promises of a sum that adds one number instead of adding two, or instead of subtracting it: those of both old
/// sums, if the sum of the numbers does not wrap.
constexpr operation_flags kept_by_sum(const algebra_match& m) {
  const detail::wrapping_result sum = detail::wrapping_add(m.numbers[0], m.numbers[1], m.width);
  return {m.promises.no_signed_wrap && !sum.signed_wrap, m.promises.no_unsigned_wrap && !sum.unsigned_wrap};
}

/// The promises of a sum if number i is added and number k subtracted.
template <std::size_t i, std::size_t k> constexpr operation_flags kept_by_difference(const algebra_match& m) {
  const detail::wrapping_result d = detail::wrapping_sub(m.numbers[i], m.numbers[k], m.width);
  return {m.promises.no_signed_wrap && !d.signed_wrap, false};
}

/// Whether x + a, compared as signed numbers with b, compares like x with b - a: neither sum wraps.
constexpr bool compares_signed(const algebra_match& m) {
  return (m.promises.no_signed_wrap || m.facts[0].signed_sum_fits(m.numbers[0], m.width)) &&
         !detail::wrapping_sub(m.numbers[1], m.numbers[0], m.width).signed_wrap;
}

/// Whether this holds for unsigned numbers; a has a sign.
constexpr bool compares_unsigned(const algebra_match& m) {
  const std::uint64_t added = m.numbers[0];
  const std::uint64_t bound = m.numbers[1];
  const std::uint64_t less = (0 - added) & low_ones(m.width);
  return (m.promises.no_unsigned_wrap && added <= bound) ||
         (m.facts[0].unsigned_sum_fits(added, m.width) &&
          (as_signed(added, m.width) < 0 ? bound <= low_ones(m.width) - less : added <= bound));
}

/// Whether none of the rule's leaves is negative.
constexpr bool are_natural(const algebra_match& m) {
  return m.facts[0].is_natural() && m.facts[1].is_natural();
}

/// For unsigned numbers: by how much x / divisor grows if the first number is added to x. Requires that the sum does
/// not wrap, and that the remainder of x is known or does not matter.
constexpr change_of_result change_of_quotient_by(const algebra_match& m, std::uint64_t divisor) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  const std::int64_t by = as_signed(m.numbers[0], m.width);
  if (divisor == 0 || divisor >= static_cast<std::uint64_t>(most) || by >= most || by <= -most ||
      !m.facts[0].unsigned_sum_fits(m.numbers[0], m.width)) {
    return {};
  }
  const auto d = static_cast<std::int64_t>(divisor);
  const auto residue = by % d == 0 ? std::optional<std::uint64_t>(0) : m.facts[0].remainder(divisor);
  if (!residue) {
    return {};
  }
  const std::int64_t sum = static_cast<std::int64_t>(*residue) + by;
  return {true, static_cast<std::uint64_t>(sum / d - (sum % d < 0 ? 1 : 0)) & low_ones(m.width)};
}

/// Whether an addition of the first number changes only low bits of x, which are all known: no carry leaves them.
/// Stores these bits before and after the addition.
constexpr bool changes_known_bits(const algebra_match& m, std::uint64_t& before, std::uint64_t& after) {
  const unsigned known = m.facts[0].known_low_bits();
  if (known == 0) {
    return false;
  }
  const std::uint64_t low = low_ones(known < m.width ? known : m.width);
  before = m.facts[0].residue & low;
  after = (before + m.numbers[0]) & low_ones(m.width);
  return after <= low;
}

/// Whether the lowest bit of the first number is above all bits of the second.
constexpr bool adds_above_mask(const algebra_match& m) {
  return m.numbers[0] != 0 && m.numbers[1] < (m.numbers[0] & (0 - m.numbers[0]));
}

} // namespace algebra_terms

namespace detail {

/// By how much the result of an operation of x and the second number changes if x + a takes the place of x.
constexpr change_of_result change_of_quotient(const algebra_match& m) {
  return algebra_terms::change_of_quotient_by(m, m.numbers[1]);
}

template <class Operation> constexpr change_of_result change_of_bits(const algebra_match& m, Operation of) {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  if (!algebra_terms::changes_known_bits(m, before, after)) {
    return {};
  }
  return {true, (of(after) - of(before)) & low_ones(m.width)};
}

constexpr change_of_result change_of_bits_down(const algebra_match& m, bool has_sign) {
  const bool is_sign_known = has_sign && m.facts[0].known_low_bits() >= m.width; // otherwise the quotient does not
                                                                                 // change
  return m.numbers[1] >= m.width ? change_of_result() : change_of_bits(m, [&](std::uint64_t bits) {
    return is_sign_known ? static_cast<std::uint64_t>(as_signed(bits, m.width) >> m.numbers[1]) : bits >> m.numbers[1];
  });
}

constexpr change_of_result change_of_signed_shift(const algebra_match& m) {
  return change_of_bits_down(m, true);
}

constexpr change_of_result change_of_shift(const algebra_match& m) {
  const change_of_result c = change_of_bits_down(m, false);
  return c.is_known || m.numbers[1] >= 62 || m.numbers[1] >= m.width
             ? c
             : algebra_terms::change_of_quotient_by(m, std::uint64_t{1} << m.numbers[1]);
}

constexpr change_of_result change_of_mask(const algebra_match& m) {
  return change_of_bits(m, [&](std::uint64_t bits) { return bits & m.numbers[1]; });
}

constexpr change_of_result change_of_or(const algebra_match& m) {
  return change_of_bits(m, [&](std::uint64_t bits) { return bits & ~m.numbers[1]; }); // the other bits are set before
                                                                                      // and after
}

constexpr change_of_result change_of_xor(const algebra_match& m) {
  return change_of_bits(m, [&](std::uint64_t bits) { return (bits & ~m.numbers[1]) - (bits & m.numbers[1]); });
}

/// The functions of the rows for one operation.
template <change_of_result (*change)(const algebra_match&)> struct moved_number {
  static constexpr bool vanishes(const algebra_match& m) {
    const change_of_result c = change(m);
    return c.is_known && c.by == 0;
  }

  static constexpr bool is_known(const algebra_match& m) { return change(m).is_known; }

  static constexpr std::uint64_t amount(const algebra_match& m) { return change(m).by; }

  static constexpr std::uint64_t second_number(const algebra_match& m) { return m.numbers[1]; }
};

/// The table, in the order in which rules are tried.
constexpr auto make_algebra_rules() {
  using namespace algebra_terms;
  using enum operation;
  constexpr algebra_tree zero = fixed(0);
  constexpr algebra_tree one = fixed(1);
  constexpr algebra_tree ones = fixed(-1);

  struct table {
    algebra_rule rules[160];
    std::size_t size = 0;

    constexpr void add(const algebra_rule& r) { rules[size++] = r; }
  } t;

  using match = algebra_match;

  // Neutral and absorbing numbers.
  t.add({"x + 0 = x", binary(add, x, zero), x});
  t.add({"x - 0 = x", binary(sub, x, zero), x});
  t.add({"0 - x = -x", binary(sub, zero, x), unary(neg, x)});
  t.add({"x * 0 = 0", binary(mul, x, zero), zero});
  t.add({"x * 1 = x", binary(mul, x, one), x});
  t.add({"x / 1 = x", binary(div, x, one), x});
  t.add({"x /u 1 = x", binary(udiv, x, one), x});
  t.add({"x % 1 = 0", binary(rem, x, one), zero});
  t.add({"x %u 1 = 0", binary(urem, x, one), zero});
  t.add({"(0 << a) + x = x", ternary(shladd, zero, a, x), x});
  t.add({"x & 0 = 0", binary(bit_and, x, zero), zero});
  t.add({"x & -1 = x", binary(bit_and, x, ones), x});
  t.add({"x | 0 = x", binary(bit_or, x, zero), x});
  t.add({"x | -1 = -1", binary(bit_or, x, ones), ones});
  t.add({"x ^ 0 = x", binary(bit_xor, x, zero), x});
  t.add({"x << 0 = x", binary(shl, x, zero), x});
  t.add({"x >> 0 = x", binary(shr, x, zero), x});
  t.add({"x >>s 0 = x", binary(sar, x, zero), x});
  t.add({"0 << x = 0", binary(shl, zero, x), zero});
  t.add({"0 >> x = 0", binary(shr, zero, x), zero});
  t.add({"0 >>s x = 0", binary(sar, zero, x), zero});

  // One value twice.
  t.add({"x - x = 0", binary(sub, x, x), zero});
  t.add({"x ^ x = 0", binary(bit_xor, x, x), zero});
  t.add({"x & x = x", binary(bit_and, x, x), x});
  t.add({"x | x = x", binary(bit_or, x, x), x});
  t.add({"x / x = 1", binary(div, x, x), one});
  t.add({"x /u x = 1", binary(udiv, x, x), one});
  t.add({"x % x = 0", binary(rem, x, x), zero});
  t.add({"x %u x = 0", binary(urem, x, x), zero});
  t.add({"min(x, x) = x", binary(min, x, x), x});
  t.add({"max(x, x) = x", binary(max, x, x), x});
  t.add({"minu(x, x) = x", binary(umin, x, x), x});
  t.add({"maxu(x, x) = x", binary(umax, x, x), x});
  t.add({"(x == x) = 1", binary(equal, x, x), one});
  t.add({"(x != x) = 0", binary(not_equal, x, x), zero});
  t.add({"(x < x) = 0", binary(less, x, x), zero});
  t.add({"(x <= x) = 1", binary(less_equal, x, x), one});
  t.add({"(x > x) = 0", binary(greater, x, x), zero});
  t.add({"(x >= x) = 1", binary(greater_equal, x, x), one});
  t.add({"(x <u x) = 0", binary(uless, x, x), zero});
  t.add({"(x <=u x) = 1", binary(uless_equal, x, x), one});
  t.add({"(x >u x) = 0", binary(ugreater, x, x), zero});
  t.add({"(x >=u x) = 1", binary(ugreater_equal, x, x), one});
  const auto add_mirrored = [&](const char* name, operation code) { // the number comes second, as other rules want it
    t.add({name, binary(code, a, x), binary(mirrored(code), x, first), nullptr, {[](const match& m) {
             return m.numbers[0];
           }}});
  };
  add_mirrored("(a < x) = (x > a)", less);
  add_mirrored("(a <= x) = (x >= a)", less_equal);
  add_mirrored("(a > x) = (x < a)", greater);
  add_mirrored("(a >= x) = (x <= a)", greater_equal);
  add_mirrored("(a <u x) = (x >u a)", uless);
  add_mirrored("(a <=u x) = (x >=u a)", uless_equal);
  add_mirrored("(a >u x) = (x <u a)", ugreater);
  add_mirrored("(a >=u x) = (x <=u a)", ugreater_equal);
  t.add({"(x <u 0) = 0", binary(uless, x, zero), zero});
  t.add({"(x >=u 0) = 1", binary(ugreater_equal, x, zero), one});

  // Two operations that undo or absorb each other.
  t.add({"-(-x) = x", unary(neg, unary(neg, x)), x});
  t.add({"~(~x) = x", unary(bit_not, unary(bit_not, x)), x});
  t.add({"(x + y) - x = y", binary(sub, binary(add, x, y), x), y});
  t.add({"(x - y) + y = x", binary(add, binary(sub, x, y), y), x});
  t.add({"x - (x - y) = y", binary(sub, x, binary(sub, x, y)), y});
  t.add({"x + (-y) = x - y", binary(add, x, unary(neg, y)), binary(sub, x, y)});
  t.add({"x - (-y) = x + y", binary(sub, x, unary(neg, y)), binary(add, x, y)});
  t.add({"(x ^ y) ^ y = x", binary(bit_xor, binary(bit_xor, x, y), y), x});
  t.add({"(x & y) & y = x & y", binary(bit_and, binary(bit_and, x, y), y), binary(bit_and, x, y)});
  t.add({"(x | y) | y = x | y", binary(bit_or, binary(bit_or, x, y), y), binary(bit_or, x, y)});
  t.add({"(x | y) & x = x", binary(bit_and, binary(bit_or, x, y), x), x});
  t.add({"(x & y) | x = x", binary(bit_or, binary(bit_and, x, y), x), x});
  t.add({"min(min(x, y), y) = min(x, y)", binary(min, binary(min, x, y), y), binary(min, x, y)});
  t.add({"max(max(x, y), y) = max(x, y)", binary(max, binary(max, x, y), y), binary(max, x, y)});
  t.add({"minu(minu(x, y), y) = minu(x, y)", binary(umin, binary(umin, x, y), y), binary(umin, x, y)});
  t.add({"maxu(maxu(x, y), y) = maxu(x, y)", binary(umax, binary(umax, x, y), y), binary(umax, x, y)});
  t.add({"x & ~x = 0", binary(bit_and, x, unary(bit_not, x)), zero});
  t.add({"x | ~x = -1", binary(bit_or, x, unary(bit_not, x)), ones});
  t.add({"x ^ ~x = -1", binary(bit_xor, x, unary(bit_not, x)), ones});
  t.add({"x ^ -1 = ~x", binary(bit_xor, x, ones), unary(bit_not, x)});

  // Two numbers become one.
  t.add({"(x + a) + b = x + (a + b)",
         binary(add, binary(add, x, a), b),
         binary(add, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[0] + m.numbers[1]; }},
         kept_by_sum});
  t.add({"(x - a) + b = x + (b - a)",
         binary(add, binary(sub, x, a), b),
         binary(add, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[1] - m.numbers[0]; }},
         kept_by_difference<1, 0>});
  t.add({"(x + a) - b = x + (a - b)",
         binary(sub, binary(add, x, a), b),
         binary(add, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[0] - m.numbers[1]; }},
         kept_by_difference<0, 1>});
  t.add({"(x - a) - b = x - (a + b)",
         binary(sub, binary(sub, x, a), b),
         binary(sub, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[0] + m.numbers[1]; }},
         kept_by_sum});
  t.add({"(a - x) + b = (a + b) - x",
         binary(add, binary(sub, a, x), b),
         binary(sub, first, x),
         nullptr,
         {[](const match& m) { return m.numbers[0] + m.numbers[1]; }}});
  t.add({"(x * a) * b = x * (a * b)",
         binary(mul, binary(mul, x, a), b),
         binary(mul, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[0] * m.numbers[1]; }}});
  t.add({"(a << b) + x = x + (a << b)",
         ternary(shladd, a, b, x),
         binary(add, x, first),
         [](const match& m) { return m.numbers[1] < m.width; },
         {[](const match& m) { return m.numbers[0] << m.numbers[1]; }}});
  t.add({"(x & a) & b = x & (a & b)",
         binary(bit_and, binary(bit_and, x, a), b),
         binary(bit_and, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[0] & m.numbers[1]; }}});
  t.add({"(x >> a) & b = x >> a",
         binary(bit_and, binary(shr, x, a), b),
         binary(shr, x, first),
         [](const match& m) {
           return m.numbers[0] < m.width &&
                  (~m.numbers[1] & low_ones(m.width - static_cast<unsigned>(m.numbers[0]))) == 0;
         },
         {[](const match& m) { return m.numbers[0]; }}});
  t.add({"(x + a) & b = x & b",
         binary(bit_and, binary(add, x, a), b),
         binary(bit_and, x, first),
         adds_above_mask,
         {[](const match& m) { return m.numbers[1]; }}});
  t.add({"(x - a) & b = x & b",
         binary(bit_and, binary(sub, x, a), b),
         binary(bit_and, x, first),
         adds_above_mask,
         {[](const match& m) { return m.numbers[1]; }}});
  t.add({"(x | a) | b = x | (a | b)",
         binary(bit_or, binary(bit_or, x, a), b),
         binary(bit_or, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[0] | m.numbers[1]; }}});
  t.add({"(x ^ a) ^ b = x ^ (a ^ b)",
         binary(bit_xor, binary(bit_xor, x, a), b),
         binary(bit_xor, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[0] ^ m.numbers[1]; }}});
  t.add({"(x << a) << b = x << (a + b)",
         binary(shl, binary(shl, x, a), b),
         binary(shl, x, first),
         [](const match& m) {
           return m.numbers[0] < m.width && m.numbers[1] < m.width && m.numbers[0] + m.numbers[1] < m.width;
         },
         {[](const match& m) { return m.numbers[0] + m.numbers[1]; }}});
  t.add({"(x >> a) >> b = x >> (a + b)",
         binary(shr, binary(shr, x, a), b),
         binary(shr, x, first),
         [](const match& m) {
           return m.numbers[0] < m.width && m.numbers[1] < m.width && m.numbers[0] + m.numbers[1] < m.width;
         },
         {[](const match& m) { return m.numbers[0] + m.numbers[1]; }}});
  t.add({"(x << a) << b = 0", binary(shl, binary(shl, x, a), b), zero, shifts_all_out});
  t.add({"(x >> a) >> b = 0", binary(shr, binary(shr, x, a), b), zero, shifts_all_out});
  t.add({"(x >>s a) >>s b = x >>s min(a + b, w-1)",
         binary(sar, binary(sar, x, a), b),
         binary(sar, x, first),
         [](const match& m) { return m.numbers[0] < m.width && m.numbers[1] < m.width; },
         {[](const match& m) {
           const std::uint64_t places = m.numbers[0] + m.numbers[1];
           return places < m.width ? places : m.width - 1;
         }}});
  t.add({"(x + a) == b = x == b - a",
         binary(equal, binary(add, x, a), b),
         binary(equal, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[1] - m.numbers[0]; }}});
  t.add({"(x + a) != b = x != b - a",
         binary(not_equal, binary(add, x, a), b),
         binary(not_equal, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[1] - m.numbers[0]; }}});

  // Facts about values decide.
  const auto add_known = [&](algebra_rule r) {
    r.reads_facts = true;
    t.add(r);
  };
  add_known({"x / y = x /u y, neither negative", binary(div, x, y), binary(udiv, x, y), are_natural});
  add_known({"x % y = x %u y, neither negative", binary(rem, x, y), binary(urem, x, y), are_natural});
  add_known({"x >>s y = x >> y, not negative", binary(sar, x, y), binary(shr, x, y),
             [](const match& m) { return m.facts[0].is_natural(); }});
  add_known({"x %u y = x, less than y", binary(urem, x, y), x,
             [](const match& m) { return m.facts[0].most < m.facts[1].least; }});
  add_known({"min(x, y) = x, not greater", binary(min, x, y), x,
             [](const match& m) { return m.facts[0].high <= m.facts[1].low; }});
  add_known({"max(x, y) = x, not less", binary(max, x, y), x,
             [](const match& m) { return m.facts[0].low >= m.facts[1].high; }});
  add_known({"minu(x, y) = x, not greater", binary(umin, x, y), x,
             [](const match& m) { return m.facts[0].most <= m.facts[1].least; }});
  add_known({"maxu(x, y) = x, not less", binary(umax, x, y), x,
             [](const match& m) { return m.facts[0].least >= m.facts[1].most; }});
  add_known({"x & a = x, which has no other bits", binary(bit_and, x, a), x,
             [](const match& m) { return (m.facts[0].possible_bits() & low_ones(m.width) & ~m.numbers[0]) == 0; }});
  add_known({"x & a = 0, of which x has no bit", binary(bit_and, x, a), zero,
             [](const match& m) { return (m.facts[0].possible_bits() & low_ones(m.width) & m.numbers[0]) == 0; }});
  add_known({"x | a = x, which has these bits", binary(bit_or, x, a), x,
             [](const match& m) { return (m.numbers[0] & ~m.facts[0].certain_bits()) == 0; }});

  // An added number moves out, so that the rest is shared. The number changes a quotient if the sum does not wrap and
  // the remainder is known; it changes bits if no carry leaves the known ones.
  const auto add_moved = [&]<class Moved>(Moved, const char* same, const char* moved, operation code) {
    add_known(
        {same, binary(code, binary(add, x, a), b), binary(code, x, first), Moved::vanishes, {Moved::second_number}});
    add_known({moved,
               binary(code, binary(add, x, a), b),
               binary(add, binary(code, x, first), second),
               Moved::is_known,
               {Moved::second_number, Moved::amount}});
  };
  add_moved(moved_number<change_of_quotient>(), "(x + a) /u b = x /u b", "(x + a) /u b = x /u b + c", udiv);
  add_moved(moved_number<change_of_shift>(), "(x + a) >> b = x >> b", "(x + a) >> b = (x >> b) + c", shr);
  add_moved(moved_number<change_of_signed_shift>(), "(x + a) >>s b = x >>s b", "(x + a) >>s b = (x >>s b) + c", sar);
  add_moved(moved_number<change_of_mask>(), "(x + a) & b = x & b, known bits", "(x + a) & b = (x & b) + c", bit_and);
  add_moved(moved_number<change_of_or>(), "(x + a) | b = x | b", "(x + a) | b = (x | b) + c", bit_or);
  add_moved(moved_number<change_of_xor>(), "(x + a) ^ b = x ^ b", "(x + a) ^ b = (x ^ b) + c", bit_xor);
  const auto add_comparison = [&](const char* name, operation code, bool (*applies)(const match&)) {
    add_known({name, binary(code, binary(add, x, a), b), binary(code, x, first), applies, {[](const match& m) {
                 return m.numbers[1] - m.numbers[0];
               }}});
  };
  add_comparison("(x + a) < b = x < b - a", less, compares_signed);
  add_comparison("(x + a) <= b = x <= b - a", less_equal, compares_signed);
  add_comparison("(x + a) > b = x > b - a", greater, compares_signed);
  add_comparison("(x + a) >= b = x >= b - a", greater_equal, compares_signed);
  add_comparison("(x + a) <u b = x <u b - a", uless, compares_unsigned);
  add_comparison("(x + a) <=u b = x <=u b - a", uless_equal, compares_unsigned);
  add_comparison("(x + a) >u b = x >u b - a", ugreater, compares_unsigned);
  add_comparison("(x + a) >=u b = x >=u b - a", ugreater_equal, compares_unsigned);
  add_known({"(x + a) %u b = x %u b",
             binary(urem, binary(add, x, a), b),
             binary(urem, x, first),
             [](const match& m) {
               const std::int64_t by = as_signed(m.numbers[0], m.width);
               return m.numbers[1] != 0 && m.numbers[1] <= low_ones(m.width) / 2 &&
                      by % static_cast<std::int64_t>(m.numbers[1]) == 0 &&
                      m.facts[0].unsigned_sum_fits(m.numbers[0], m.width);
             },
             {[](const match& m) { return m.numbers[1]; }}});
  t.add({"(x + a) * b = x * b + a * b",
         binary(mul, binary(add, x, a), b),
         binary(add, binary(mul, x, first), second),
         nullptr,
         {[](const match& m) { return m.numbers[1]; }, [](const match& m) { return m.numbers[0] * m.numbers[1]; }}});
  t.add({"(x + a) << b = (x << b) + (a << b)",
         binary(shl, binary(add, x, a), b),
         binary(add, binary(shl, x, first), second),
         [](const match& m) { return m.numbers[1] < m.width; },
         {[](const match& m) { return m.numbers[1]; }, [](const match& m) { return m.numbers[0] << m.numbers[1]; }}});
  t.add({"(x + a) + y = (x + y) + a",
         binary(add, binary(add, x, a), y),
         binary(add, binary(add, x, y), first),
         nullptr,
         {[](const match& m) { return m.numbers[0]; }}});
  t.add({"(x + a) - y = (x - y) + a",
         binary(sub, binary(add, x, a), y),
         binary(add, binary(sub, x, y), first),
         nullptr,
         {[](const match& m) { return m.numbers[0]; }}});
  t.add({"y - (x + a) = (y - x) - a",
         binary(sub, y, binary(add, x, a)),
         binary(sub, binary(sub, y, x), first),
         nullptr,
         {[](const match& m) { return m.numbers[0]; }}});

  // Strength reduction: the cost of a machine decides.
  t.add({"x * -1 = -x", binary(mul, x, ones), unary(neg, x)});
  t.add({"x * 2^k = x << k", binary(mul, x, a), binary(shl, x, first), is_power_of_two, {logarithm}});
  t.add({"x * (2^k + 1) = (x << k) + x",
         binary(mul, x, a),
         binary(add, binary(shl, x, first), x),
         [](const match& m) { return m.numbers[0] > 2 && ((m.numbers[0] - 1) & (m.numbers[0] - 2)) == 0; },
         {[](const match& m) { return static_cast<std::uint64_t>(std::countr_zero(m.numbers[0] - 1)); }}});
  t.add({"x * (2^k - 1) = (x << k) - x",
         binary(mul, x, a),
         binary(sub, binary(shl, x, first), x),
         [](const match& m) {
           return m.numbers[0] > 2 && m.numbers[0] != low_ones(m.width) && (m.numbers[0] & (m.numbers[0] + 1)) == 0;
         },
         {[](const match& m) { return static_cast<std::uint64_t>(std::countr_one(m.numbers[0])); }}});
  t.add({"x /u 2^k = x >> k", binary(udiv, x, a), binary(shr, x, first), is_power_of_two, {logarithm}});
  t.add(
      {"x %u 2^k = x & (2^k - 1)", binary(urem, x, a), binary(bit_and, x, first), is_power_of_two, {[](const match& m) {
         return m.numbers[0] - 1;
       }}});
  // Rounded towards 0: 2^k - 1 is added to negative numbers, which is their sign shifted down.
  const auto rounds = [](const match& m) { // 2^k with 0 < k < width - 1
    return is_power_of_two(m) && m.numbers[0] != 1 && m.numbers[0] < low_ones(m.width) / 2;
  };
  const auto sign_shift = [](const match& m) { return std::uint64_t{m.width} - 1; };
  const auto bias_shift = [](const match& m) { return m.width - logarithm(m); };
  t.add({"x / 2^k = (x + ((x >>s w-1) >> w-k)) >>s k",
         binary(div, x, a),
         binary(sar, binary(add, x, binary(shr, binary(sar, x, first), second)), third),
         rounds,
         {sign_shift, bias_shift, logarithm}});
  t.add({"x % 2^k = x - ((x + ((x >>s w-1) >> w-k)) & -2^k)",
         binary(rem, x, a),
         binary(sub, x, binary(bit_and, binary(add, x, binary(shr, binary(sar, x, first), second)), third)),
         rounds,
         {sign_shift, bias_shift, [](const match& m) { return 0 - m.numbers[0]; }}});
  return t;
}

inline constexpr auto algebra_rule_table = make_algebra_rules();

/// Where the subtree with this root begins.
constexpr std::size_t first_term(const algebra_tree& tree, std::size_t root) {
  std::size_t missing = 1;
  std::size_t i = root + 1;
  while (missing != 0) {
    --i;
    missing += tree.terms[i].kind == term_kind::operation ? arity(tree.terms[i].code) : 0;
    --missing;
  }
  return i;
}

/// The literal of a term of a result.
constexpr std::uint64_t literal_of(const algebra_rule& rule, const algebra_term& t, const algebra_match& m,
                                   unsigned width) {
  const std::uint64_t bits = t.kind == term_kind::computed ? rule.computed[t.index](m)
                             : t.kind == term_kind::number ? m.numbers[t.index]
                                                           : static_cast<std::uint64_t>(std::int64_t{t.value});
  return bits & low_ones(width);
}

constexpr operation_info info_of_term(const algebra_term& t, unsigned width) {
  const auto w = static_cast<std::uint8_t>(width);
  return {t.code, is_comparison(t.code) ? std::uint8_t{1} : w, w, {}};
}

} // namespace detail

/// The rules that ship, in the order in which they are tried. They cover:
/// - neutral and absorbing numbers, and operations that cancel out;
/// - two numbers in a chain, which become one: (x + 1) + 2 = x + 3;
/// - multiplications and divisions by literals that are shifts, additions and masks. `divide_by_literal` has the
///   divisions by other literals, which need a wider word, `width_changes.hpp` the rules of more than one width.
///
/// No result reads a value that the pattern reads only sometimes. So no rule has `select`: the arm that is not chosen
/// may be undefined.
constexpr span<const algebra_rule> algebra_rules() {
  return {detail::algebra_rule_table.rules, detail::algebra_rule_table.size};
}

/// Evaluates a tree of a rule for values of its leaves, which have `m.width` bits. Either all its operations, or the
/// root alone, make promises. No result if it traps or a promise is broken.
constexpr evaluation evaluate_tree(const algebra_rule& rule, const algebra_tree& tree, const algebra_match& m,
                                   span<const std::uint64_t> leaves, operation_flags of_all = {},
                                   operation_flags of_root = {}) {
  std::uint64_t stack[algebra_tree::max_terms] = {};
  std::size_t height = 0;
  const bool compares = is_comparison(rule.pattern.root().code);
  for (std::size_t i = 0; i != tree.size; ++i) {
    const algebra_term& t = tree.terms[i];
    if (t.kind == term_kind::leaf) {
      stack[height++] = leaves[t.index];
    } else if (t.kind != term_kind::operation) {
      stack[height++] = detail::literal_of(rule, t, m, compares && tree.size == 1 ? 1 : m.width);
    } else {
      height -= arity(t.code);
      operation_info info = detail::info_of_term(t, m.width);
      info.flags = i + 1U == tree.size && of_root != operation_flags() ? of_root : of_all;
      const evaluation e = evaluate(info, span<const std::uint64_t>(stack + height, arity(t.code)));
      if (!e) {
        return e;
      }
      stack[height++] = e.bits;
    }
  }
  return {stack[0]};
}

/// Whether the rule holds for these values and literals, under the promises and facts of the match, which must be true
/// of the values. To check a rule of your own, call it for all values of 8 bits, and for random ones of 16, 32 and 64;
/// if it reads facts, for those of each single number (`number_facts::exactly`), and random ones that hold.
constexpr bool rule_holds(const algebra_rule& rule, const algebra_match& m, span<const std::uint64_t> leaves) {
  if (rule.applies != nullptr && !rule.applies(m)) {
    return true;
  }
  const evaluation wanted = evaluate_tree(rule, rule.pattern, m, leaves, m.promises);
  const operation_flags kept = rule.keeps != nullptr ? rule.keeps(m) : operation_flags();
  return !wanted || evaluate_tree(rule, rule.result, m, leaves, {}, kept) == wanted;
}

MIDEND_END_NAMESPACE
