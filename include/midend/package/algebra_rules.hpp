/// `algebra_rules`: equalities of operations as a table, which everybody can extend and test.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is at a place of a pattern or result.
enum class term_kind : std::uint8_t {
  leaf,      ///< any value; the same number is the same value
  number,    ///< any literal, by number
  fixed,     ///< a literal with this value, modulo 2^width
  computed,  ///< in results: a literal that a function of the rule computes
  operation, ///< of the terms before it
};

/// One term of a tree in postfix form: an operation comes after its operands.
struct algebra_term {
  term_kind kind = term_kind::leaf;
  operation code = operation::other;
  std::uint8_t index = 0; ///< of a leaf, number or function
  std::int8_t value = 0;  ///< of a fixed literal

  friend constexpr bool operator==(const algebra_term&, const algebra_term&) = default;
};

/// A small tree of operations. Make one with the functions of `algebra_terms`.
struct algebra_tree {
  static constexpr std::size_t max_terms = 12;

  algebra_term terms[max_terms] = {};
  std::uint8_t size = 0;

  constexpr const algebra_term& root() const { return terms[size - 1]; }
};

/// What a pattern has matched.
struct algebra_match {
  unsigned width = 0;            ///< of the operands of the root
  std::uint64_t numbers[2] = {}; ///< literals by number
};

/// An equality: where the pattern has a result, the result of the rule is the same and does not trap. Both are computed
/// modulo 2^width for the one width of all operands; only the result of a comparison has width 1, and a comparison can
/// only be the root. `rule_error` finds counterexamples.
///
/// The pattern may be of operations with promises; what is made has none, so a rule never needs them and never keeps
/// them. Where the pattern traps, the rule may do anything: x / 1 → x removes no trap that matters.
struct algebra_rule {
  const char* name = "";
  algebra_tree pattern;
  algebra_tree result;
  bool (*applies)(const algebra_match&) = nullptr;                                  ///< null: always
  std::uint64_t (*computed[3])(const algebra_match&) = {nullptr, nullptr, nullptr}; ///< the literals of the result
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

/// Whether two shifts, each by less than the width, leave nothing together.
constexpr bool shifts_all_out(const algebra_match& m) {
  return m.numbers[0] < m.width && m.numbers[1] < m.width && m.numbers[0] + m.numbers[1] >= m.width;
}

/// Whether the lowest bit of the first number is above all bits of the second.
constexpr bool adds_above_mask(const algebra_match& m) {
  return m.numbers[0] != 0 && m.numbers[1] < (m.numbers[0] & (0 - m.numbers[0]));
}

} // namespace algebra_terms

namespace detail {

/// The table, in the order in which rules are tried.
constexpr auto make_algebra_rules() {
  using namespace algebra_terms;
  using enum operation;
  constexpr algebra_tree zero = fixed(0);
  constexpr algebra_tree one = fixed(1);
  constexpr algebra_tree ones = fixed(-1);

  struct table {
    algebra_rule rules[96];
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
         {[](const match& m) { return m.numbers[0] + m.numbers[1]; }}});
  t.add({"(x - a) + b = x + (b - a)",
         binary(add, binary(sub, x, a), b),
         binary(add, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[1] - m.numbers[0]; }}});
  t.add({"(x + a) - b = x + (a - b)",
         binary(sub, binary(add, x, a), b),
         binary(add, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[0] - m.numbers[1]; }}});
  t.add({"(x - a) - b = x - (a + b)",
         binary(sub, binary(sub, x, a), b),
         binary(sub, x, first),
         nullptr,
         {[](const match& m) { return m.numbers[0] + m.numbers[1]; }}});
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

/// The literal that a term of a result is.
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

/// The rules that ship, in the order in which they are tried. They say:
/// - what is neutral, absorbing or cancels out;
/// - that two numbers in a chain are one: (x + 1) + 2 = x + 3;
/// - which multiplications and divisions by literals are shifts, additions and masks. `divide_by_literal` has the
///   divisions by other literals, which need a wider word, `width_changes.hpp` the rules of more than one width.
///
/// No rule reads a value in the result that the pattern reads only sometimes, so none has `select`: the arm that is not
/// chosen may be undefined.
constexpr span<const algebra_rule> algebra_rules() {
  return {detail::algebra_rule_table.rules, detail::algebra_rule_table.size};
}

/// What a tree of a rule computes for values of its leaves, which have `m.width` bits. No result: it traps.
constexpr evaluation evaluate_tree(const algebra_rule& rule, const algebra_tree& tree, const algebra_match& m,
                                   span<const std::uint64_t> leaves) {
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
      const evaluation e =
          evaluate(detail::info_of_term(t, m.width), span<const std::uint64_t>(stack + height, arity(t.code)));
      if (!e) {
        return e;
      }
      stack[height++] = e.bits;
    }
  }
  return {stack[0]};
}

/// Whether the rule holds for these values and literals. To check a rule of your own, call it for all values of 8 bits
/// and for random ones of 16, 32 and 64.
constexpr bool rule_holds(const algebra_rule& rule, const algebra_match& m, span<const std::uint64_t> leaves) {
  if (rule.applies != nullptr && !rule.applies(m)) {
    return true;
  }
  const evaluation wanted = evaluate_tree(rule, rule.pattern, m, leaves);
  return !wanted || evaluate_tree(rule, rule.result, m, leaves) == wanted;
}

MIDEND_END_NAMESPACE
