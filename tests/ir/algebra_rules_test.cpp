#include "kit/affordable.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/ir/algebra_rules.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

using namespace midend_tests;
using midend::algebra_match;
using midend::algebra_rule;
using midend::algebra_tree;

namespace {

/// How many leaves and literals a pattern has.
struct unknowns {
  unsigned leaves = 0;
  unsigned numbers = 0;

  explicit unknowns(const algebra_tree& tree) {
    for (std::size_t i = 0; i != tree.size; ++i) {
      const midend::algebra_term& t = tree.terms[i];
      if (t.kind == midend::term_kind::leaf) {
        leaves = std::max(leaves, t.index + 1u);
      } else if (t.kind == midend::term_kind::number) {
        numbers = std::max(numbers, t.index + 1u);
      }
    }
  }
};

using midend::number_facts;

/// Whether a rule that reads facts applies where less is known only if it applies to the numbers themselves. So it is
/// enough to check it for facts of single numbers, which are most precise.
bool asks_monotonically(const algebra_rule& rule, const algebra_match& m, const std::uint64_t (&leaves)[3]) {
  algebra_match exact = m;
  for (std::size_t i = 0; i != 3; ++i) {
    exact.facts[i] = number_facts::exactly(m.width, leaves[i]);
  }
  return !rule.applies(m) || rule.applies(exact);
}

/// Facts that are true of a number.
number_facts telling_facts(random_source& random, unsigned width, std::uint64_t bits) {
  const std::uint64_t all = midend::low_ones(width);
  number_facts f = number_facts::any(width);
  const std::uint64_t reach = std::uint64_t{1} << random.below(width);
  if (random.below(2) == 0) {
    f.least = bits > reach ? bits - random.below(static_cast<std::uint32_t>(std::min<std::uint64_t>(reach, 1000))) : 0;
    f.most = all - bits > reach ? bits + reach : all;
  }
  if (random.below(2) == 0) {
    const std::int64_t s = midend::as_signed(bits, width);
    f.low = random.below(3) == 0 ? s : s >= 0 ? 0 : f.low;
    f.high = random.below(3) == 0 ? s : s < 0 ? -1 : f.high;
  }
  if (random.below(4) != 0) {
    f.modulus = random.below(2) == 0 ? std::uint64_t{1} << random.below(width) : 1 + random.below(100);
    f.residue = bits % f.modulus;
  }
  REQUIRE(f.contains(width, bits));
  return f;
}

/// With all promises. Facts are those of the numbers themselves, or random ones that hold.
bool holds(const algebra_rule& rule, const unknowns& u, unsigned width, const std::uint64_t (&values)[4],
           random_source* random = nullptr) {
  algebra_match m;
  m.width = width;
  std::uint64_t leaves[3] = {};
  unsigned at = 0;
  for (unsigned i = 0; i != u.leaves; ++i) {
    leaves[i] = values[at++];
  }
  for (unsigned i = 0; i != u.numbers; ++i) {
    m.numbers[i] = values[at++];
  }
  if (rule.reads_facts) {
    for (unsigned i = 0; i != 3; ++i) {
      m.facts[i] = random != nullptr && i < u.leaves ? telling_facts(*random, width, leaves[i])
                                                     : number_facts::exactly(width, leaves[i]);
    }
    if (random != nullptr && !asks_monotonically(rule, m, leaves)) {
      return false;
    }
  }
  for (const bool is_signed : {false, true}) {
    for (const bool is_unsigned : {false, true}) {
      m.promises = {is_signed, is_unsigned};
      if (!midend::rule_holds(rule, m, leaves)) {
        return false;
      }
    }
  }
  return true;
}

/// A counterexample of this width, or nothing.
std::string exhaustive_error(const algebra_rule& rule, unsigned width) {
  const unknowns u(rule.pattern);
  const unsigned count = u.leaves + u.numbers;
  const std::uint64_t cases = std::uint64_t{1} << (count * width);
  for (std::uint64_t c = 0; c != cases; ++c) {
    std::uint64_t values[4] = {};
    for (unsigned i = 0; i != count; ++i) {
      values[i] = c >> (i * width) & midend::low_ones(width);
    }
    if (!holds(rule, u, width, values)) {
      return std::to_string(width) + " bits, values " + std::to_string(values[0]) + ", " + std::to_string(values[1]) +
             ", " + std::to_string(values[2]);
    }
  }
  return "";
}

/// Values that are often close to 0, to a power of two, or to each other.
std::uint64_t telling_value(random_source& random, unsigned width) {
  const std::uint64_t wide = std::uint64_t{random.below(0xffff'ffff)} << 32 | random.below(0xffff'ffff);
  const std::uint64_t power = std::uint64_t{1} << random.below(width);
  switch (random.below(5)) {
  case 0:
    return wide & midend::low_ones(width);
  case 1:
    return power;
  case 2:
    return (power + random.below(5) - 2) & midend::low_ones(width);
  case 3:
    return (0 - power + random.below(3) - 1) & midend::low_ones(width);
  default:
    return random.below(width + 1);
  }
}

std::string random_error(const algebra_rule& rule, unsigned width, std::size_t count, std::uint64_t seed) {
  const unknowns u(rule.pattern);
  random_source random(seed);
  for (std::size_t i = 0; i != count; ++i) {
    std::uint64_t values[4] = {};
    for (std::uint64_t& v : values) {
      v = telling_value(random, width) & midend::low_ones(width);
    }
    if (!holds(rule, u, width, values, &random)) {
      return std::to_string(width) + " bits, values " + std::to_string(values[0]) + ", " + std::to_string(values[1]) +
             ", " + std::to_string(values[2]);
    }
  }
  return "";
}

std::string rule_error(const algebra_rule& rule) {
  const unknowns u(rule.pattern);
  std::string error = exhaustive_error(rule, 1);
  if (error.empty()) { // three unknowns of 8 bits are for the long run
    error = exhaustive_error(rule, u.leaves + u.numbers > 2 ? 5 : 8);
  }
  for (const unsigned width : {8u, 16u, 32u, 64u}) {
    error = error.empty() ? random_error(rule, width, affordable(20'000), width) : error;
  }
  return error;
}

} // namespace

TEST_CASE("algebra_rules hold") {
  std::size_t conditional = 0;
  for (const algebra_rule& rule : midend::algebra_rules()) {
    const std::string error = rule_error(rule);
    CHECK_MESSAGE(error.empty(), std::string(rule.name), ": ", error);
    conditional += rule.applies != nullptr ? 1u : 0u;
    // The result has no leaf, and no literal, that the pattern does not have.
    const unknowns pattern(rule.pattern);
    const unknowns result(rule.result);
    CHECK_MESSAGE((result.leaves <= pattern.leaves && result.numbers <= pattern.numbers), rule.name);
  }
  CHECK(midend::algebra_rules().size() > 70);
  CHECK(conditional > 5);
}

TEST_CASE("algebra_rules hold for all values of 8 bits, long" * doctest::skip()) {
  for (const algebra_rule& rule : midend::algebra_rules()) {
    const std::string error = exhaustive_error(rule, 8);
    CHECK_MESSAGE(error.empty(), std::string(rule.name), ": ", error);
  }
}

TEST_CASE("algebra_rules: wrong rules are found") {
  using namespace midend::algebra_terms;
  using midend::operation;
  const algebra_rule wrong[] = {
      {"x - a = x + a", binary(operation::sub, x, a), binary(operation::add, x, a)},
      {"x / 2^k = x >>s k",
       binary(operation::div, x, a),
       binary(operation::sar, x, first),
       is_power_of_two,
       {logarithm}},
      {"x /s 2^k = x >> k",
       binary(operation::div, x, a),
       binary(operation::shr, x, first),
       is_power_of_two,
       {logarithm}},
      {"(x << a) << b without a limit",
       binary(operation::shl, binary(operation::shl, x, a), b),
       binary(operation::shl, x, first),
       nullptr,
       {[](const algebra_match& m) { return m.numbers[0] + m.numbers[1]; }}},
      {"(x << a) >> a = x", binary(operation::shr, binary(operation::shl, x, a), a), x},
      {"x * a / a = x, without promises", binary(operation::div, binary(operation::mul, x, a), a), x},
      {"x < x + 1", binary(operation::less, x, binary(operation::add, x, fixed(1))), fixed(1)},
      {"(x + a) < b = x < b - a",
       binary(operation::less, binary(operation::add, x, a), b),
       binary(operation::less, x, first),
       nullptr,
       {[](const algebra_match& m) { return m.numbers[1] - m.numbers[0]; }}},
      {"x & y = x", binary(operation::bit_and, x, y), x},
      {"x + 0 = x / x, which may trap", binary(operation::add, x, fixed(0)),
       binary(operation::mul, x, binary(operation::udiv, x, x))},
      {"x / y = x /u y, if x is not negative",
       binary(operation::div, x, y),
       binary(operation::udiv, x, y),
       [](const algebra_match& m) { return m.facts[0].is_natural(); },
       {},
       nullptr,
       true},
      {"(x + a) /u b = x /u b, if the remainder is known",
       binary(operation::udiv, binary(operation::add, x, a), b),
       binary(operation::udiv, x, first),
       [](const algebra_match& m) {
         return m.numbers[1] != 0 && m.facts[0].remainder(m.numbers[1]) &&
                *m.facts[0].remainder(m.numbers[1]) + m.numbers[0] < m.numbers[1]; // it may wrap
       },
       {[](const algebra_match& m) { return m.numbers[1]; }},
       nullptr,
       true},
      {"(x + a) + b = x + (a + b), with all promises",
       binary(operation::add, binary(operation::add, x, a), b),
       binary(operation::add, x, first),
       nullptr,
       {[](const algebra_match& m) { return m.numbers[0] + m.numbers[1]; }},
       [](const algebra_match& m) { return m.promises; }},
      {"x = 0, if more is possible",
       binary(operation::add, x, fixed(0)),
       x,
       [](const algebra_match& m) { return !m.facts[0].constant(); },
       {},
       nullptr,
       true},
  };
  for (const algebra_rule& rule : wrong) {
    CHECK_MESSAGE(rule_error(rule) != "", rule.name);
  }
}
