// What sccp makes of comparisons wider than a bit, of operands of other widths, of conditions that are computed in
// several steps, of edges that serve several cases, and of IRs that fold with some operands unknown.
#include "kit/semantic_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/congruence_domain.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::flat_domain;
using midend::number_domain;
using midend::number_range;
using midend::sccp;
using midend::sccp_with_branch_facts;

namespace {

/// 0 → 1, 2; 1 → 3; 2 → 3.
semantic_program diamond() {
  return semantic_program(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
}

} // namespace

TEST_CASE_TEMPLATE("if (x == 5), where == gives 32 bits", D, flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, number_domain, midend::congruence_domain,
                   midend::strided_interval_domain) {
  const auto reached = [](value_id (semantic_program::*x_of)(unsigned), bool zero_is_default) {
    semantic_program p = diamond();
    const value_id x = x_of == nullptr ? p.literal(5, 32) : (p.*x_of)(32);
    p.branch(0, p.compare(0, operation::equal, x, p.literal(5, 32), 32, 32));
    if (zero_is_default) {
      p.switch_on(0, p.condition(0), {std::nullopt, 0});
    }
    const auto found = sccp(p, D());
    const auto with_facts = sccp_with_branch_facts(p, D());
    CHECK(found.is_executable(1) == with_facts.is_executable(1));
    CHECK(found.is_executable(2) == with_facts.is_executable(2));
    return std::pair(found.is_executable(1), found.is_executable(2));
  };
  for (const bool zero_is_default : {false, true}) {
    CHECK(reached(&semantic_program::parameter, zero_is_default) == std::pair(true, true));
    CHECK(reached(nullptr, zero_is_default) == std::pair(true, false));
  }
}

TEST_CASE_TEMPLATE("the low half of a 64-bit number is compared", D, flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, number_domain, midend::congruence_domain,
                   midend::strided_interval_domain) {
  semantic_program p = diamond();
  const value_id x = p.parameter(64);
  const value_id same = p.compare(0, operation::equal, p.literal(0x7'0000'0005, 64), p.literal(5, 64), 32, 32);
  p.branch(0, p.compare(0, operation::equal, x, p.literal(5, 64), 32, 32));
  const value_id in_then = p.op(1, operation::add, {x, p.literal(1)}, 64);
  const value_id low_in_then = p.op(1, operation::add, {x, p.literal(1)}, 32);
  const auto found = sccp_with_branch_facts(p, D());
  CHECK(found.constant(same) == 1);
  CHECK(found.constant(in_then) == std::nullopt); // the high half is not compared
  CHECK(found.constant(low_in_then) == std::nullopt);
}

namespace {

/// Makes a condition from the flag x == 5; the second member is whether it means the opposite.
using disguise = std::function<value_id(semantic_program&, value_id)>;

struct named_disguise {
  std::string name;
  bool opposite;
  disguise make;
};

std::vector<named_disguise> disguises() {
  const auto not_zero = [](semantic_program& p, value_id flag) {
    const unsigned width = p.operation(flag).width;
    return p.compare(0, operation::not_equal, flag, p.literal(0, width), 1, width);
  };
  const auto is_zero = [](semantic_program& p, value_id flag) {
    const unsigned width = p.operation(flag).width;
    return p.compare(0, operation::equal, p.literal(0, width), flag, 1, width);
  };
  const auto inverted = [](semantic_program& p, value_id flag) {
    const unsigned width = p.operation(flag).width;
    return p.op(0, operation::bit_xor, {flag, p.literal(1, width)}, width);
  };
  const auto extended = [](semantic_program& p, value_id flag) {
    return p.op(0, operation::zero_extend, {flag}, 32, p.operation(flag).width);
  };
  const auto chosen = [](semantic_program& p, value_id flag) {
    return p.op(0, operation::select, {flag, p.literal(7, 32), p.literal(9, 32)}, 32);
  };
  return {
      {"itself", false, [](semantic_program&, value_id flag) { return flag; }},
      {"flag != 0", false, not_zero},
      {"flag == 0", true, is_zero},
      {"flag xor 1", true, inverted},
      {"not flag", true,
       [](semantic_program& p, value_id flag) {
         return p.op(0, operation::truncate, {p.op(0, operation::bit_xor, {p.literal(1, 8), flag}, 8)}, 1, 8);
       }},
      {"zero_extend", false, extended},
      {"zero_extend != 0", false, [=](semantic_program& p, value_id flag) { return not_zero(p, extended(p, flag)); }},
      {"(zero_extend xor 1) == 0", false,
       [=](semantic_program& p, value_id flag) { return is_zero(p, inverted(p, extended(p, flag))); }},
      {"select(flag, 7, 9) == 7", false,
       [=](semantic_program& p, value_id flag) {
         return p.compare(0, operation::equal, chosen(p, flag), p.literal(7, 32), 32, 32);
       }},
      {"select(flag, 7, 9) != 7", true,
       [=](semantic_program& p, value_id flag) {
         return p.compare(0, operation::not_equal, p.literal(7, 32), chosen(p, flag), 1, 32);
       }},
      {"sign_extend of a bit", false,
       [=](semantic_program& p, value_id flag) {
         const value_id bit = p.op(0, operation::truncate, {flag}, 1, p.operation(flag).width);
         return not_zero(p, p.op(0, operation::sign_extend, {bit}, 32, 1));
       }},
      {"flag & (y < 3), widened", false,
       [=](semantic_program& p, value_id flag) {
         const value_id y = p.parameter(32);
         const value_id both =
             p.op(0, operation::bit_and,
                  {extended(p, flag), extended(p, p.op(0, operation::uless, {y, p.literal(3, 32)}, 32))}, 32);
         return not_zero(p, both);
       }},
      {"a chain of ten", false,
       [=](semantic_program& p, value_id flag) {
         for (int i = 0; i != 5; ++i) {
           flag = is_zero(p, is_zero(p, flag));
         }
         return flag;
       }},
  };
}

} // namespace

TEST_CASE("branch facts look through what is made of a flag") {
  for (const auto& [name, opposite, make] : disguises()) {
    for (const unsigned flag_width : {1u, 32u}) {
      for (const bool zero_is_default : {false, true}) {
        semantic_program p = diamond();
        const value_id x = p.parameter(32);
        const value_id flag = p.compare(0, operation::equal, x, p.literal(5, 32), flag_width, 32);
        p.branch(0, make(p, flag));
        if (zero_is_default) { // any number except 0 is true
          p.switch_on(0, p.condition(0), {std::nullopt, 0});
        }
        const node_id equal = opposite ? 2 : 1;
        const value_id next = p.op(equal, operation::add, {x, p.literal(1, 32)}, 32);
        const value_id flag_there = p.op(equal, operation::bit_or, {flag, p.literal(0, flag_width)}, flag_width);
        const auto found = sccp_with_branch_facts(p, flat_domain<>());
        INFO(name, ", flag of ", flag_width, " bits");
        CHECK(found.constant(next) == 6);
        CHECK(found.constant(flag_there) == 1);
        CHECK_FALSE(sccp(p).constant(next));
      }
    }
  }
}

TEST_CASE("branch facts do not look through what loses information") {
  semantic_program p = diamond();
  const value_id x = p.parameter(32);
  const value_id even = p.op(0, operation::truncate, {x}, 1, 32); // 1 if x is odd
  p.branch(0, p.op(0, operation::bit_xor, {even, p.literal(1, 1)}, 1));
  const value_id copy = p.op(1, operation::add, {x, p.literal(0, 32)}, 32);
  const value_id both_arms = p.op(0, operation::select, {even, p.literal(3, 8), p.literal(3, 8)}, 8);
  const value_id again = p.op(2, operation::add, {both_arms, p.literal(0, 8)}, 8);
  const auto found = sccp_with_branch_facts(p, number_domain());
  CHECK_FALSE(found.constant(copy));
  CHECK(found.constant(again) == 3);
  CHECK(found.is_executable(2));
}

// ---- Folding with unknown operands.

namespace {

/// x - x is 0 and a clamp is known by its bounds; an `other` operation `extract` takes a field of a record, of which
/// the first operand is known or somebody may change it. Counts what it is asked.
struct partial_ir : semantic_program {
  using semantic_program::semantic_program;
  using partial = std::span<const std::optional<std::uint64_t>>;

  enum class meaning : std::uint8_t { of_vocabulary, null_vector, clamp, extract };

  std::vector<std::pair<value_id, meaning>> meanings = {};
  mutable std::vector<value_id> asked = {};

  meaning meaning_of(value_id v) const {
    for (const auto& [value, what] : meanings) {
      if (value == v) {
        return what;
      }
    }
    return meaning::of_vocabulary;
  }

  std::optional<std::uint64_t> fold(value_id v, partial args) const {
    asked.push_back(v);
    switch (meaning_of(v)) {
    case meaning::null_vector: // a record of one field, made of whatever is in it times 0
      return 0;
    case meaning::clamp: // between two constants that are the same
      return args[1] && args[1] == args[2] ? args[1] : std::nullopt;
    case meaning::extract:
      return args[0];
    case meaning::of_vocabulary:
      break;
    }
    if (operation(v).code == midend::operation::sub && operands(v)[0] == operands(v)[1]) {
      return 0;
    }
    return std::nullopt;
  }
};

static_assert(midend::semantic_ir<partial_ir> && midend::has_partial_fold<partial_ir> && !midend::has_fold<partial_ir>);

} // namespace

TEST_CASE("an IR may fold with unknown operands, also operations of the vocabulary") {
  partial_ir p(1, {});
  const value_id x = p.parameter(32);
  const value_id specialized = p.parameter(32); // a specialization constant: it has a value, but not a final one
  const value_id zero = p.op(0, operation::sub, {x, x}, 32);
  const value_id not_zero = p.op(0, operation::sub, {x, specialized}, 32);
  const value_id sum = p.op(0, operation::add, {p.literal(2, 32), p.literal(3, 32)}, 32);
  const value_id null = p.call(0, {x}, 32);
  const value_id clamped = p.call(0, {x, p.literal(4, 32), p.literal(4, 32)}, 32);
  const value_id open = p.call(0, {x, p.literal(4, 32), p.literal(5, 32)}, 32);
  const value_id field = p.call(0, {null}, 32);
  const value_id special_field = p.call(0, {specialized}, 32);
  const value_id far_field = p.call(0, {special_field}, 32);
  using meaning = partial_ir::meaning;
  p.meanings = {{null, meaning::null_vector},      {clamped, meaning::clamp}, {open, meaning::clamp},
                {special_field, meaning::extract}, {field, meaning::extract}, {far_field, meaning::extract}};
  const auto check = [&](const auto& found) {
    CHECK(found.broken_value() == no_value);
    CHECK(found.constant(zero) == 0);
    CHECK_FALSE(found.constant(not_zero));
    CHECK(found.constant(sum) == 5);
    CHECK(found.constant(null) == 0);
    CHECK(found.constant(clamped) == 4);
    CHECK_FALSE(found.constant(open));
    CHECK(found.constant(field) == 0);
    CHECK_FALSE(found.constant(special_field));
    CHECK_FALSE(found.constant(far_field));
  };
  check(sccp(p));
  // What the vocabulary has found is not asked; everything else is.
  const auto was_asked = [&](value_id v) { return std::find(p.asked.begin(), p.asked.end(), v) != p.asked.end(); };
  CHECK_FALSE(was_asked(sum));
  for (const value_id v : {zero, not_zero, null, clamped, open, field, special_field, far_field}) {
    CHECK(was_asked(v));
  }
  check(sccp(p, number_domain(), {.checked = true}));
  check(sccp_with_branch_facts(p, number_domain()));
}

TEST_CASE("the first form of fold is asked for `other` only, and with all operands constant") {
  struct counting_ir : semantic_program {
    using semantic_program::semantic_program;
    mutable std::vector<value_id> asked = {};

    std::optional<std::uint64_t> fold(value_id v, std::span<const std::uint64_t> args) const {
      asked.push_back(v);
      return semantic_program::fold(v, args);
    }
  };

  counting_ir p(1, {});
  const value_id x = p.parameter(8);
  p.op(0, operation::add, {p.literal(2, 8), p.literal(3, 8)}, 8);
  p.op(0, operation::sub, {x, x}, 8);
  p.strange(0, x, p.literal(1, 8), 8);
  const value_id known = p.strange(0, p.literal(3, 8), p.literal(1, 8), 8);
  const auto found = sccp(p);
  CHECK(found.constant(known) == 7);
  CHECK(p.asked == std::vector<value_id>{known});
}

TEST_CASE("a fold that changes its mind is found by a checked run") {
  struct fickle_ir : semantic_program {
    using semantic_program::semantic_program;

    std::optional<std::uint64_t> fold(value_id, std::span<const std::optional<std::uint64_t>> args) const {
      return args[0] ? 1 : 2; // knows more, says something else
    }
  };

  // x = 1; do { y = f(x); x = x + 1 } while (…): x is constant at first
  fickle_ir p(3, {{0, 1}, {1, 1}, {1, 2}});
  const value_id x = p.phi(1, 8);
  const value_id y = p.call(1, {x}, 8);
  const value_id next = p.op(1, operation::add, {x, p.literal(1, 8)}, 8);
  p.set_input(x, p.edge_of(0), p.literal(1, 8));
  p.set_input(x, p.edge_of(1, 0), next);
  p.branch(1, p.parameter(1));
  CHECK(sccp(p, flat_domain<>(), {.checked = true}).broken_value() != no_value);
  CHECK_FALSE(sccp(p).constant(y)); // and without the check, it is no constant
}

// ---- Edges that serve several cases.

namespace {

/// A program whose edges may serve several cases.
template <class Case> struct many_cases : semantic_program {
  using semantic_program::semantic_program;

  std::vector<std::vector<Case>> cases = {};

  std::vector<Case> edge_cases(edge_id e) const { return cases[e]; }
};

using many_constants = many_cases<std::uint64_t>;
using many_ranges = many_cases<number_range>;

static_assert(midend::semantic_ir<many_constants> && midend::has_edge_cases<many_constants>);
static_assert(midend::semantic_ir<many_ranges> && midend::has_edge_cases<many_ranges>);

/// 0 is a switch with the edges 0 (to 1), 1 (to 2) and 2 (to 3); all go to 4.
const std::vector<midend::edge> three_ways = {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}};

} // namespace

TEST_CASE("a switch whose edges serve several cases") {
  const auto reached = [](std::uint64_t low, std::uint64_t high) {
    many_constants p(5, three_ways);
    p.cases = {{1, 5}, {}, {2, 3, 4}, {}, {}, {}};
    const value_id at_most = p.op(0, operation::umin, {p.parameter(8), p.literal(high - low, 8)}, 8);
    const value_id x = p.op(0, operation::add, {at_most, p.literal(low, 8)}, 8);
    p.switch_on(0, x, {});
    const auto found = sccp_with_branch_facts(p, number_domain());
    std::string out;
    for (const node_id n : {1u, 2u, 3u}) {
      out += found.is_executable(n) ? static_cast<char>('0' + n) : '-';
    }
    return out;
  };
  CHECK(reached(0, 200) == "123");
  CHECK(reached(1, 5) == "1-3");
  CHECK(reached(2, 3) == "--3");
  CHECK(reached(5, 5) == "1--");
  CHECK(reached(5, 6) == "12-");
  CHECK(reached(7, 9) == "-2-");
}

TEST_CASE("check_ir: cases of an edge that are too wide, or overlap") {
  const auto check = [](const std::vector<std::vector<number_range>>& cases) {
    many_ranges p(5, three_ways);
    p.cases = cases;
    p.switch_on(0, p.parameter(8), {});
    const auto found = midend::check_ir(p);
    return found ? std::optional(found->why) : std::nullopt;
  };
  using reason = midend::ir_error::reason;
  CHECK(check({{{1, 5, false}}, {}, {{6, 9, false}, {200, 255, false}}, {}, {}, {}}) == std::nullopt);
  CHECK(check({{{0xfe, 1, true}}, {}, {{2, 9, false}, {200, 0xfd, false}}, {}, {}, {}}) == std::nullopt);
  CHECK(check({{{0xfe, 1, true}}, {}, {{200, 0xfe, false}}, {}, {}, {}}) == reason::edge_case_twice);
  CHECK(check({{{1, 5, false}}, {}, {{5, 5, false}}, {}, {}, {}}) == reason::edge_case_twice);
  CHECK(check({{{1, 5, false}, {3, 3, false}}, {}, {{6, 6, false}}, {}, {}, {}}) == reason::edge_case_twice);
  CHECK(check({{{1, 256, false}}, {}, {{0, 0, false}}, {}, {}, {}}) == reason::edge_case_too_wide);
  CHECK(check({{{1, 5, false}}, {}, {}, {}, {}, {}}) == reason::second_default_edge);
}

TEST_CASE("a switch over ranges, signed and unsigned") {
  const auto reached = [](std::uint64_t low, std::uint64_t high, const std::vector<std::vector<number_range>>& cases,
                          auto domain) {
    many_ranges p(5, three_ways);
    p.cases = cases;
    const value_id at_most = p.op(0, operation::umin, {p.parameter(8), p.literal(high - low, 8)}, 8);
    const value_id x = p.op(0, operation::add, {at_most, p.literal(low, 8)}, 8);
    p.switch_on(0, x, {});
    const auto found = sccp(p, domain);
    std::string out;
    for (const node_id n : {1u, 2u, 3u}) {
      out += found.is_executable(n) ? static_cast<char>('0' + n) : '-';
    }
    return out;
  };
  const std::vector<std::vector<number_range>> from_zero = {
      {{10, 19, false}, {40, 49, false}}, {}, {{20, 39, false}, {7, 7, false}}, {}, {}, {}};
  const std::vector<std::vector<number_range>> around_zero = {
      {{0xf0, 0xff, true}, {0, 5, true}}, {}, {{6, 20, true}}, {}, {}, {}};
  CHECK(reached(0, 100, from_zero, number_domain()) == "123");
  CHECK(reached(10, 49, from_zero, number_domain()) == "1-3"); // covered by three ranges, in another order
  CHECK(reached(12, 18, from_zero, number_domain()) == "1--");
  CHECK(reached(50, 60, from_zero, number_domain()) == "-2-");
  CHECK(reached(0, 7, from_zero, number_domain()) == "-23");
  CHECK(reached(45, 45, from_zero, flat_domain<>()) == "1--");
  CHECK(reached(9, 9, from_zero, flat_domain<>()) == "-2-");
  CHECK(reached(0, 100, from_zero, flat_domain<>()) == "123");
  CHECK(reached(0xf0, 0xff, around_zero, midend::interval_domain()) == "1--");
  CHECK(reached(0, 20, around_zero, midend::interval_domain()) == "1-3");
  CHECK(reached(0, 21, around_zero, midend::interval_domain()) == "123");
}

TEST_CASE("after an edge that serves several cases, the condition is in their range") {
  many_ranges p(5, three_ways);
  p.cases = {{{10, 19, false}, {40, 49, false}}, {}, {{0, 4, false}}, {}, {}, {}};
  const value_id x = p.parameter(8);
  p.switch_on(0, x, {});
  const value_id in_1 = p.op(1, operation::ugreater, {x, p.literal(49, 8)}, 8);
  const value_id below_1 = p.op(1, operation::uless, {x, p.literal(10, 8)}, 8);
  const value_id in_2 = p.op(2, operation::uless, {x, p.literal(5, 8)}, 8); // the range at the end is excluded
  const value_id open_2 = p.op(2, operation::uless, {x, p.literal(10, 8)}, 8);
  const value_id in_3 = p.op(3, operation::uless, {x, p.literal(5, 8)}, 8);
  const auto found = sccp_with_branch_facts(p, number_domain());
  CHECK(found.constant(in_1) == 0);
  CHECK(found.constant(below_1) == 0);
  CHECK(found.constant(in_2) == 0);
  CHECK_FALSE(found.constant(open_2));
  CHECK(found.constant(in_3) == 1);
}

TEST_CASE("switches over several cases hold on every run") {
  // Each partition of the numbers of 3 bits to two edges with cases and one for all other values, over facts of all
  // kinds: an edge that some number takes is executable.
  random_source random(7);
  const auto check = [&](auto domain) {
    for (int round = 0; round != 300; ++round) {
      many_ranges p(5, three_ways);
      p.cases.resize(6);
      std::vector<edge_id> edge_of_number(8, 1); // the edge for all other values
      for (std::uint64_t low = 0; low < 8;) {
        const std::uint64_t high = low + random.below(8 - low);
        const std::size_t to = random.below(3);
        if (to != 1) {
          const bool is_signed = high < 4 || low >= 4 ? random.one_in(2) : false;
          p.cases[to].push_back({low, high, is_signed});
          for (std::uint64_t x = low; x <= high; ++x) {
            edge_of_number[x] = static_cast<edge_id>(to);
          }
        }
        low = high + 1;
      }
      if (p.cases[0].empty() || p.cases[2].empty()) {
        continue; // that would be an edge for all other values
      }
      std::swap(p.cases[2].front(), p.cases[2].back());
      const value_id x = p.parameter(3);
      const value_id y = p.op(0, operation::bit_and, {x, p.literal(random.next(), 3)}, 3);
      const value_id z = p.op(0, operation::add, {y, p.literal(random.next(), 3)}, 3);
      p.switch_on(0, z, {});
      std::vector<value_id> copies;
      for (const node_id n : {1u, 2u, 3u}) {
        copies.push_back(p.op(n, operation::bit_or, {z, p.literal(0, 3)}, 3));
      }
      const auto found = sccp_with_branch_facts(p, domain, {.checked = true});
      bool is_right = found.broken_value() == no_value;
      for (std::uint64_t input = 0; input != 8; ++input) {
        const std::uint64_t masked = input & *p.constant(p.operands(y)[1]);
        const std::uint64_t at = (masked + *p.constant(p.operands(z)[1])) & 7;
        const edge_id e = edge_of_number[at];
        is_right = is_right && found.is_executable_edge(e) && midend::may_be(domain, 3, found.fact(copies[e]), at);
      }
      CHECK(is_right);
    }
  };
  check(flat_domain<>());
  check(midend::interval_domain());
  check(midend::known_bits_domain());
  check(number_domain());
  check(midend::strided_interval_domain());
}
