// What has to be right in sparse conditional constant propagation, item by item: each has bitten a compiler.
#include "kit/powerset_domain.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/ssa/sccp.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::flat_domain;
using midend::interval_domain;
using midend::known_bits_domain;
using midend::number_domain;
using midend::sccp;
using midend::sccp_options;
using midend::undef_branch;
using midend::undef_policy;

namespace {

using optional_bits = std::optional<std::uint64_t>;

/// A block that jumps on, a loop of `body` blocks around, and an exit: 0 → 1, 1 → 2 (in), 1 → 3 (out), 2 → 1.
semantic_program loop() {
  return semantic_program(4, {{0, 1}, {1, 2}, {1, 3}, {2, 1}});
}

/// 0 → 1, 2; 1, 2 → 3.
semantic_program diamond() {
  return semantic_program(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
}

/// i = 0; while (i < limit) i = min(i + step, …).
struct counted_loop {
  semantic_program program = loop();
  value_id i = no_value;
  value_id next = no_value;
  value_id after = no_value; ///< i, read after the loop

  counted_loop(std::uint64_t limit, std::uint64_t step, unsigned width) {
    const value_id zero = program.literal(0, width);
    const value_id bound = program.literal(limit, width);
    const value_id by = program.literal(step, width);
    i = program.phi(1, width);
    program.branch(1, program.op(1, operation::uless, {i, bound}, width));
    next = program.op(2, operation::add, {i, by}, width);
    program.set_input(i, program.edge_of(0), zero);
    program.set_input(i, program.edge_of(2), next);
    after = program.op(3, operation::copy, {i}, width);
  }
};

} // namespace

// Start.

TEST_CASE("sccp-checklist 1: parameters are top") {
  semantic_program p(1, {});
  const value_id a = p.parameter(8);
  const value_id b = p.op(0, operation::add, {a, p.literal(0, 8)}, 8);
  const auto found = sccp(p);
  CHECK(found.fact(a).is_top());
  CHECK(found.fact(b).is_top());
  CHECK(sccp(p, interval_domain()).fact(a) == interval_domain().top(8));
}

TEST_CASE("sccp-checklist 2: a literal decides a branch") {
  semantic_program p = diamond();
  p.branch(0, p.literal(0, 1));
  const auto found = sccp(p);
  CHECK_FALSE(found.is_executable(1));
  CHECK(found.is_executable(2));
  CHECK(found.is_executable(3));
}

TEST_CASE("sccp-checklist 3: the entry is a loop header") {
  semantic_program p(2, {{0, 1}, {1, 0}, {1, 1}});
  const value_id a = p.op(0, operation::add, {p.literal(2), p.literal(3)});
  p.branch(1, p.op(1, operation::equal, {a, p.literal(5)}));
  const auto found = sccp(p);
  CHECK(found.constant(a) == 5);
  CHECK(found.is_executable_edge(p.edge_of(1, 0)));
  CHECK_FALSE(found.is_executable_edge(p.edge_of(1, 1)));
}

TEST_CASE("sccp-checklist 4: an empty function, a single block, an endless loop") {
  const semantic_program none(0, {});
  CHECK(sccp(none).num_values() == 0);
  semantic_program one(1, {});
  const value_id v = one.op(0, operation::mul, {one.literal(6), one.literal(7)});
  CHECK(sccp(one).constant(v) == 42);
  semantic_program endless(1, {{0, 0}});
  const value_id w = endless.op(0, operation::sub, {endless.literal(6), endless.literal(7)}, 8);
  CHECK(sccp(endless).constant(w) == 255);
  CHECK(sccp(endless).is_executable_edge(0));
}

// Phis.

TEST_CASE("sccp-checklist 5: a phi without executable edge stays bottom") {
  semantic_program p = diamond();
  p.branch(0, p.literal(1, 1));
  const value_id dead = p.merge(2, {p.literal(4)});
  const value_id read = p.op(2, operation::add, {dead, dead});
  const auto found = sccp(p);
  CHECK(found.fact(dead).is_bottom());
  CHECK(found.fact(read).is_bottom());
  CHECK(found.visits(dead) == 0);
}

TEST_CASE("sccp-checklist 6: phis of themselves and cycles of phis") {
  semantic_program p = loop();
  const value_id c = p.literal(3);
  const value_id self = p.phi(1);
  const value_id a = p.phi(1);
  const value_id b = p.phi(1);
  p.set_input(self, p.edge_of(0), c);
  p.set_input(self, p.edge_of(2), self);
  p.set_input(a, p.edge_of(0), c);
  p.set_input(a, p.edge_of(2), b);
  p.set_input(b, p.edge_of(0), c);
  p.set_input(b, p.edge_of(2), a);
  p.branch(1, p.op(1, operation::uless, {p.parameter(), c}));
  const auto found = sccp(p);
  CHECK(found.constant(self) == 3);
  CHECK(found.constant(a) == 3);
  CHECK(found.constant(b) == 3);
}

TEST_CASE("sccp-checklist 7: a new edge into a visited block reaches all its phis") {
  semantic_program p = diamond();
  p.branch(0, p.op(0, operation::uless, {p.parameter(), p.literal(9)}));
  const value_id a = p.merge(3, {p.literal(1), p.literal(2)});
  const value_id b = p.merge(3, {p.literal(7), p.literal(7)});
  const value_id c = p.merge(3, {p.literal(1), p.parameter()});
  const auto found = sccp(p);
  CHECK(found.fact(a).is_top());
  CHECK(found.constant(b) == 7);
  CHECK(found.fact(c).is_top());
  CHECK(sccp(p, interval_domain()).fact(a) == interval_domain::element{{1, 2}, {1, 2}});
}

TEST_CASE("sccp-checklist 8: a phi that rises late raises later phis of the block") {
  semantic_program p = loop();
  const value_id zero = p.literal(0);
  const value_id a = p.phi(1);
  const value_id b = p.phi(1);
  const value_id next = p.op(2, operation::add, {a, p.literal(1)});
  p.set_input(a, p.edge_of(0), zero);
  p.set_input(a, p.edge_of(2), next);
  p.set_input(b, p.edge_of(0), zero);
  p.set_input(b, p.edge_of(2), a);
  p.branch(1, p.op(1, operation::uless, {p.parameter(), zero}));
  const value_id unknown = p.parameter();
  p.branch(1, p.op(1, operation::uless, {unknown, p.literal(9)}));
  const auto found = sccp(p);
  CHECK(found.fact(a).is_top());
  CHECK(found.fact(b).is_top());
}

TEST_CASE("sccp-checklist 9: i = i + 1 is top") {
  const counted_loop l(10, 1, 32);
  const auto found = sccp(l.program);
  CHECK(found.fact(l.i).is_top());
  CHECK(found.fact(l.next).is_top());
  CHECK(found.visits(l.next) <= 3);
}

TEST_CASE("sccp-checklist 10: phis are simultaneous") {
  semantic_program p = loop();
  const value_id a = p.phi(1);
  const value_id b = p.phi(1);
  p.set_input(a, p.edge_of(0), p.literal(1));
  p.set_input(b, p.edge_of(0), p.literal(2));
  p.set_input(a, p.edge_of(2), b);
  p.set_input(b, p.edge_of(2), a);
  const value_id sum = p.op(1, operation::add, {a, b});
  p.branch(1, p.op(1, operation::uless, {p.parameter(), sum}));
  const auto found = sccp(p);
  CHECK(found.fact(a).is_top());
  CHECK(found.fact(b).is_top());
  const auto ranges = sccp(p, interval_domain());
  CHECK(ranges.fact(a) == interval_domain::element{{1, 2}, {1, 2}});
  CHECK(ranges.fact(sum) == interval_domain::element{{2, 4}, {2, 4}});
}

TEST_CASE("sccp-checklist 11: a phi with thousands of inputs") {
  constexpr node_id arms = 20000;
  std::vector<midend::edge> edges;
  for (node_id arm = 1; arm <= arms; ++arm) {
    edges.push_back({0, arm});
    edges.push_back({arm, arms + 1});
  }
  semantic_program p(arms + 2, edges);
  const value_id same = p.phi(arms + 1);
  const value_id different = p.phi(arms + 1);
  const value_id seven = p.literal(7);
  for (node_id arm = 1; arm <= arms; ++arm) {
    p.set_input(same, p.edge_of(arm), p.op(arm, operation::copy, {seven}));
    p.set_input(different, p.edge_of(arm), p.literal(arm));
  }
  const auto found = sccp(p);
  CHECK(found.constant(same) == 7);
  CHECK(found.fact(different).is_top());
  CHECK(found.visits(same) <= 2);
  CHECK(found.counters().use_visits <= 2 * arms);
  CHECK(sccp(p, interval_domain()).fact(different) == interval_domain::element{{1, arms}, {1, arms}});
}

// Edges.

TEST_CASE("sccp-checklist 12: the edge is executable, not only the block") {
  semantic_program p(4, {{0, 1}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});
  p.branch(0, p.op(0, operation::uless, {p.parameter(), p.literal(3)}));
  p.branch(1, p.literal(1, 1)); // 1 → 3 is dead although both ends are alive
  const value_id phi = p.merge(3, {p.literal(5), p.literal(6), p.literal(5)});
  const auto found = sccp(p);
  CHECK(found.is_executable(1));
  CHECK(found.is_executable(3));
  CHECK_FALSE(found.is_executable_edge(p.edge_of(1, 1)));
  CHECK(found.constant(phi) == 5);
}

TEST_CASE("sccp-checklist 13: both ways of a branch lead to one block") {
  semantic_program p(2, {{0, 1}, {0, 1}});
  const value_id phi = p.merge(1, {p.literal(1), p.literal(2)});
  p.branch(0, p.literal(1, 1));
  CHECK(sccp(p).constant(phi) == 1);
  p.branch(0, p.literal(0, 1));
  CHECK(sccp(p).constant(phi) == 2);
  p.branch(0, p.parameter(1));
  CHECK(sccp(p).fact(phi).is_top());
}

TEST_CASE("sccp-checklist 14: switches") {
  // 0 → 1 [3], 1 [4], 2 [5], 1 (default): two cases and the default lead to one block.
  semantic_program p(3, {{0, 1}, {0, 1}, {0, 2}, {0, 1}});
  const value_id which = p.merge(1, {p.literal(10), p.literal(20), p.literal(30)});
  const auto selected = [&](value_id selector) {
    p.switch_on(0, selector, {3, 4, 5, std::nullopt});
    return sccp(p);
  };
  CHECK(selected(p.literal(3)).constant(which) == 10);
  CHECK(selected(p.literal(4)).constant(which) == 20);
  CHECK(selected(p.literal(99)).constant(which) == 30); // no case is hit
  CHECK_FALSE(selected(p.literal(99)).is_executable(2));
  CHECK(selected(p.literal(5)).fact(which).is_bottom());
  CHECK(selected(p.parameter()).fact(which).is_top());
  // Wider than 32 bits.
  CHECK(selected(p.literal((std::uint64_t{1} << 32) + 3)).constant(which) == 30);

  SUBCASE("a switch without cases") {
    semantic_program only_default(2, {{0, 1}});
    only_default.switch_on(0, only_default.parameter(), {std::nullopt});
    CHECK(sccp(only_default).is_executable(1));
  }
  SUBCASE("a range that covers all cases") {
    semantic_program q(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}});
    const value_id masked = q.op(0, operation::umin, {q.parameter(8), q.literal(2, 8)}, 8);
    q.switch_on(0, masked, {0, 1, 2, std::nullopt});
    CHECK(sccp(q).is_executable(4));
    const auto found = sccp(q, interval_domain());
    CHECK(found.is_executable(1));
    CHECK(found.is_executable(2));
    CHECK(found.is_executable(3));
    CHECK_FALSE(found.is_executable(4));
    const value_id bits = q.op(0, operation::bit_and, {q.parameter(8), q.literal(6, 8)}, 8);
    q.switch_on(0, bits, {0, 2, 4, std::nullopt});
    CHECK(sccp(q, known_bits_domain()).is_executable(4)); // 6
    q.switch_on(0, bits, {1, 3, 5, std::nullopt});
    CHECK_FALSE(sccp(q, known_bits_domain()).is_executable(1));
  }
  SUBCASE("all values of a narrow selector are cases") {
    semantic_program q(4, {{0, 1}, {0, 2}, {0, 3}});
    q.switch_on(0, q.parameter(1), {0, 1, std::nullopt});
    CHECK_FALSE(sccp(q).is_executable(3));
  }
}

TEST_CASE("sccp-checklist 15: a condition that is neither 0 nor 1") {
  semantic_program p = diamond(); // any number but 0 is true
  p.switch_on(0, p.literal(7, 32), {std::nullopt, 0});
  CHECK(sccp(p).is_executable(1));
  CHECK_FALSE(sccp(p).is_executable(2));
  p.switch_on(0, p.op(0, operation::bit_or, {p.parameter(32), p.literal(8, 32)}, 32), {std::nullopt, 0});
  CHECK(sccp(p).is_executable(2));
  CHECK_FALSE(sccp(p, known_bits_domain()).is_executable(2));
}

TEST_CASE("sccp-checklist 16: no edge as long as the condition is bottom") {
  // The condition of 1 is a phi that has no value yet when 1 is entered: both its inputs wait.
  semantic_program p(4, {{0, 1}, {1, 2}, {1, 3}});
  const value_id never = p.op(0, operation::div, {p.literal(1), p.literal(0)});
  p.branch(1, p.op(1, operation::equal, {never, p.literal(0)}));
  const auto found = sccp(p);
  CHECK(found.is_executable(1));
  CHECK_FALSE(found.is_executable(2));
  CHECK_FALSE(found.is_executable(3));
}

TEST_CASE("sccp-checklist 17: exceptional edges live with the block") {
  semantic_program p(3, {{0, 1}, {0, 2}}); // 0 ends in a call: 1 if it returns, 2 if it throws
  const value_id before = p.op(0, operation::add, {p.literal(1), p.literal(1)});
  const value_id call = p.call(0);
  const value_id here = p.merge(1, {call});
  const value_id there = p.merge(2, {before});
  const auto found = sccp(p);
  CHECK(found.is_executable(1));
  CHECK(found.is_executable(2));
  CHECK(found.fact(here).is_top());
  CHECK(found.constant(there) == 2);
}

TEST_CASE("sccp-checklist 18: code after a call that never returns") {
  semantic_program p(3, {{0, 1}, {0, 2}});
  const value_id call = p.call(0);
  const value_id after = p.op(0, operation::add, {p.literal(1), p.literal(1)});
  p.branch(0, p.parameter(1));
  CHECK(sccp(p).is_executable(1));
  p.stop_at(call);
  const auto found = sccp(p);
  CHECK_FALSE(found.is_executable(1));
  CHECK_FALSE(found.is_executable(2));
  CHECK_FALSE(found.constant(after));
  CHECK(found.visits(after) == 0);
}

// Undef.

TEST_CASE("sccp-checklist 19: undef is not unvisited; a branch on it follows the policy") {
  semantic_program p = diamond();
  const value_id undef = p.undefined(1);
  const value_id phi = p.merge(3, {p.literal(1), p.literal(2)});
  p.branch(0, undef);
  CHECK(sccp(p).fact(phi).is_top()); // the default: undef is top
  const auto with = [&](undef_branch branch) {
    return sccp(p, flat_domain<>(), {.undefined = undef_policy::any_value, .branch_on_undefined = branch});
  };
  CHECK(with(undef_branch::all).fact(phi).is_top());
  CHECK(with(undef_branch::any).constant(phi) == 1);
  CHECK_FALSE(with(undef_branch::none).is_executable(3));
  CHECK(with(undef_branch::all).is_undefined(undef));
  CHECK(sccp_options{}.branch_on_undefined == undef_branch::all);
}

TEST_CASE("sccp-checklist 20: phi(undef, c) is c only if one asks for it") {
  semantic_program p = diamond();
  p.branch(0, p.parameter(1));
  const value_id undef = p.undefined();
  const value_id copy = p.op(1, operation::copy, {undef});
  const value_id one = p.merge(3, {undef, p.literal(4)});
  const value_id two = p.merge(3, {copy, p.literal(4)});
  const value_id none = p.merge(3, {copy, undef});
  CHECK(sccp(p).fact(one).is_top());
  CHECK(sccp(p).fact(two).is_top());
  CHECK(sccp(p).fact(copy).is_top());
  const auto found = sccp(p, flat_domain<>(), {.undefined = undef_policy::any_value});
  CHECK(found.constant(one) == 4);
  CHECK(found.constant(two) == 4);
  CHECK(found.is_undefined(copy));
  CHECK(found.is_undefined(none));
  CHECK_FALSE(found.is_undefined(one));
  CHECK(found.fact(none).is_top());
}

TEST_CASE("sccp-checklist 21: what was never evaluated in an executable block reads as top") {
  semantic_program p(2, {{0, 1}});
  const value_id undef = p.undefined();
  const value_id sum = p.op(0, operation::add, {undef, p.literal(1)});
  const value_id twice = p.op(1, operation::add, {sum, sum});
  const value_id trap = p.op(1, operation::udiv, {p.literal(1), p.literal(0)});
  const value_id after = p.op(1, operation::add, {trap, sum});
  for (const undef_policy policy : {undef_policy::top, undef_policy::any_value}) {
    const auto found = sccp(p, flat_domain<>(), {.undefined = policy});
    for (const value_id v : {sum, twice, trap, after}) {
      CHECK(found.fact(v).is_top());
    }
  }
}

TEST_CASE("sccp-checklist 22: select waits for its condition, and ignores the other arm") {
  semantic_program p(1, {});
  const value_id unknown = p.parameter();
  const value_id trap = p.op(0, operation::udiv, {p.literal(1), p.literal(0)});
  const value_id condition = p.op(0, operation::equal, {trap, trap});
  const value_id waits = p.op(0, operation::select, {condition, p.literal(3), p.literal(3)});
  const value_id known = p.op(0, operation::select, {p.literal(1, 1), p.literal(5), unknown});
  const value_id ignores = p.op(0, operation::select, {p.literal(0, 1), trap, p.literal(6)});
  const value_id same = p.op(0, operation::select, {p.parameter(1), p.literal(8), p.literal(8)});
  const auto found = sccp(p);
  CHECK_FALSE(found.constant(waits));
  CHECK(found.constant(known) == 5);
  CHECK(found.constant(ignores) == 6);
  CHECK(found.constant(same) == 8);
}

// Folding.

TEST_CASE("sccp-checklist 23: absorbing results stay") {
  semantic_program p = loop();
  const value_id i = p.phi(1);
  const value_id product = p.op(1, operation::mul, {i, p.literal(0)});
  const value_id masked = p.op(1, operation::bit_and, {p.literal(0), i});
  const value_id ones = p.op(1, operation::bit_or, {i, p.literal(~std::uint64_t{0})});
  const value_id next = p.op(2, operation::add, {i, p.literal(1)});
  p.set_input(i, p.edge_of(0), p.literal(0));
  p.set_input(i, p.edge_of(2), next);
  p.branch(1, p.parameter(1));
  const auto found = sccp(p, flat_domain<>(), {.checked = true});
  CHECK(found.broken_value() == no_value);
  CHECK(found.fact(i).is_top());
  CHECK(found.constant(product) == 0);
  CHECK(found.constant(masked) == 0);
  CHECK(found.constant(ones) == ~std::uint64_t{0});
}

namespace {

/// Says 77 of whatever rises above constants: not monotone.
struct forgetful_domain : flat_domain<> {
  element transfer(const midend::operation_info& info, std::span<const element> args) const {
    const bool knows_all = std::none_of(args.begin(), args.end(), [](const element& a) { return a.is_top(); });
    return knows_all ? flat_domain<>::transfer(info, args) : constant(64, 77);
  }
};

} // namespace

TEST_CASE("sccp-checklist 24: a new result is joined with the old") {
  const counted_loop l(10, 1, 32);
  const auto found = sccp(l.program, forgetful_domain());
  CHECK(found.fact(l.next).is_top()); // 1, of 0, then 77, of top
  CHECK(found.broken_value() == no_value);
}

TEST_CASE("sccp-checklist 25: checked mode finds what is not monotone") {
  semantic_program p = loop();
  const value_id i = p.phi(1);
  const value_id twice = p.op(1, operation::add, {i, i});
  p.set_input(i, p.edge_of(0), p.literal(2));
  p.set_input(i, p.edge_of(2), p.literal(3));
  p.branch(1, p.parameter(1));
  CHECK(sccp(p, forgetful_domain(), {.checked = true}).broken_value() == twice); // 4, then 77
  CHECK(sccp(p, forgetful_domain()).fact(twice).is_top());
  CHECK(sccp(p, flat_domain<>(), {.checked = true}).broken_value() == no_value);
}

TEST_CASE("sccp-checklist 26: what has no result is not folded") {
  semantic_program p(1, {});
  const value_id zero = p.literal(0, 32);
  const value_id one = p.literal(1, 32);
  const value_id least = p.literal(0x8000'0000, 32);
  const value_id minus_one = p.literal(0xffff'ffff, 32);
  const value_id width = p.literal(32, 32);
  std::vector<value_id> faults;
  for (const operation code : {operation::div, operation::udiv, operation::rem, operation::urem}) {
    faults.push_back(p.op(0, code, {one, zero}, 32));
  }
  faults.push_back(p.op(0, operation::div, {least, minus_one}, 32));
  faults.push_back(p.op(0, operation::rem, {least, minus_one}, 32));
  for (const operation code : {operation::shl, operation::shr, operation::sar}) {
    faults.push_back(p.op(0, code, {one, width}, 32));
  }
  faults.push_back(p.strange(0, one, zero, 32)); // the IR does not fold it
  for (const value_id v : faults) {
    CHECK_FALSE(sccp(p).constant(v));
    CHECK_FALSE(sccp(p, interval_domain()).constant(v));
    CHECK_FALSE(sccp(p, known_bits_domain()).constant(v));
    CHECK_FALSE(sccp(p, number_domain()).constant(v));
  }
}

TEST_CASE("sccp-checklist 27: width and sign are part of the value") {
  semantic_program p(1, {});
  const auto folds = [&](value_id v) {
    const optional_bits flat = sccp(p).constant(v);
    CHECK(sccp(p, interval_domain()).constant(v) == flat);
    CHECK(sccp(p, known_bits_domain()).constant(v) == flat);
    CHECK(sccp(p, number_domain()).constant(v) == flat);
    return flat;
  };
  CHECK(folds(p.op(0, operation::add, {p.literal(1, 1), p.literal(1, 1)}, 1)) == 0);
  CHECK(folds(p.op(0, operation::add, {p.literal(200, 8), p.literal(100, 8)}, 8)) == 44);
  CHECK(folds(p.op(0, operation::truncate, {p.literal(0x1ff, 32)}, 8, 32)) == 0xff);
  CHECK(folds(p.op(0, operation::zero_extend, {p.literal(0xff, 8)}, 32, 8)) == 0xff);
  CHECK(folds(p.op(0, operation::sign_extend, {p.literal(0xff, 8)}, 32, 8)) == 0xffff'ffff);
  CHECK(folds(p.op(0, operation::sign_extend, {p.literal(1, 1)}, 8, 1)) == 0xff);
  CHECK(folds(p.op(0, operation::add, {p.literal(~std::uint64_t{0}), p.literal(1)})) == 0);
  CHECK(folds(p.op(0, operation::less, {p.literal(0x80, 8), p.literal(0, 8)}, 8)) == 1);
  CHECK(folds(p.op(0, operation::uless, {p.literal(0x80, 8), p.literal(0, 8)}, 8)) == 0);
  const value_id broken = p.op(0, operation::add, {p.literal(127, 8), p.literal(1, 8)}, 8, 0, {.no_signed_wrap = true});
  CHECK_FALSE(folds(broken));
}

TEST_CASE("sccp-checklist 28: constants compare bit for bit") {
  constexpr auto zero = std::bit_cast<std::uint64_t>(0.0);
  constexpr auto minus_zero = std::bit_cast<std::uint64_t>(-0.0);
  constexpr std::uint64_t nan = 0x7ff8'0000'0000'0001;
  semantic_program p = diamond();
  p.branch(0, p.parameter(1));
  const value_id zeros = p.merge(3, {p.literal(zero), p.literal(minus_zero)});
  const value_id nans = p.merge(3, {p.literal(nan), p.literal(nan)});
  const auto found = sccp(p);
  CHECK(found.fact(zeros).is_top());
  CHECK(found.constant(nans) == nan);
}

TEST_CASE("sccp-checklist 29: no result relies on operands being the same") {
  semantic_program p(1, {});
  const value_id x = p.parameter();
  const value_id undef = p.undefined();
  const value_id difference = p.op(0, operation::sub, {x, x});
  const value_id of_undef = p.op(0, operation::bit_xor, {undef, undef}); // may differ from use to use
  CHECK(sccp(p).fact(difference).is_top());
  CHECK_FALSE(sccp(p).constant(of_undef));
  CHECK_FALSE(sccp(p, flat_domain<>(), {.undefined = undef_policy::any_value}).constant(of_undef));
}

// Item 30, that the replacement of a copy dominates its uses, is with the plans, in sccp_plan_test.cpp.

// Ranges.

TEST_CASE("sccp-checklist 31: joining many constants keeps precision") {
  constexpr node_id arms = 100;
  std::vector<midend::edge> edges;
  for (node_id arm = 1; arm <= arms; ++arm) {
    edges.push_back({0, arm});
    edges.push_back({arm, arms + 1});
  }
  edges.push_back({arms + 1, 0}); // all of it in a loop
  semantic_program p(arms + 2, edges);
  const value_id phi = p.phi(arms + 1);
  const value_id later = p.phi(0);
  p.set_input(later, p.edge_of(arms + 1), phi);
  for (node_id arm = 1; arm <= arms; ++arm) {
    p.set_input(phi, p.edge_of(arm), p.literal(1000 - 3 * arm));
  }
  const auto found = sccp(p, interval_domain());
  CHECK(found.fact(phi) == interval_domain::element{{700, 997}, {700, 997}});
  CHECK(found.counters().widenings == 0);
  CHECK(sccp(p, number_domain()).fact(phi).range.as_signed == midend::signed_interval::element{700, 997});
}

TEST_CASE("sccp-checklist 32: a slow climb stops, a clamped sum keeps its bound") {
  SUBCASE("a climb without bound") {
    const counted_loop l(0xffff'ffff'ffff'ffff, 1, 64);
    const auto found = sccp(l.program, interval_domain());
    CHECK(found.visits(l.i) < 20);
    CHECK(found.fact(l.i).as_unsigned.low == 0);
  }
  SUBCASE("a clamp") {
    semantic_program p = loop();
    const value_id sum = p.phi(1, 32);
    const value_id more = p.op(2, operation::add, {sum, p.literal(3, 32)}, 32);
    const value_id clamped = p.op(2, operation::umin, {more, p.literal(1000, 32)}, 32);
    p.set_input(sum, p.edge_of(0), p.literal(0, 32));
    p.set_input(sum, p.edge_of(2), clamped);
    p.branch(1, p.parameter(1));
    const auto found = sccp(p, interval_domain());
    CHECK(found.fact(sum) == interval_domain::element{{0, 1000}, {0, 1000}});
    CHECK(found.visits(sum) < 20);
    CHECK(sccp(p, number_domain()).fact(sum).range == found.fact(sum));
  }
  SUBCASE("a bound that no constant of the program names is won back") { // i < n, n is a byte
    semantic_program p = loop();
    const value_id i = p.phi(1, 32);
    const value_id n = p.op(0, operation::zero_extend, {p.parameter(8)}, 32, 8);
    p.branch(1, p.op(1, operation::uless, {i, n}, 32));
    const value_id next = p.op(2, operation::add, {i, p.literal(1, 32)}, 32);
    p.set_input(i, p.edge_of(0), p.literal(0, 32));
    p.set_input(i, p.edge_of(2), next);
    const auto found = sccp_with_branch_facts(p, interval_domain());
    CHECK(found.fact(i) == interval_domain::element{{0, 255}, {0, 255}});
    CHECK(found.counters().widenings > 0);
    const auto wide = sccp_with_branch_facts(p, interval_domain(), {.narrowing_steps = 0});
    CHECK(interval_domain().leq(found.fact(i), wide.fact(i)));
    CHECK_FALSE(wide.fact(i) == found.fact(i));
  }
  SUBCASE("a counter that nothing bounds but the type") { // i < n, n is anything
    semantic_program p = loop();
    const value_id i = p.phi(1, 32);
    p.branch(1, p.op(1, operation::less, {i, p.parameter(32)}, 32));
    const value_id next = p.op(2, operation::add, {i, p.literal(1, 32)}, 32);
    p.set_input(i, p.edge_of(0), p.literal(0, 32));
    p.set_input(i, p.edge_of(2), next);
    const auto found = sccp_with_branch_facts(p, interval_domain());
    CHECK(found.fact(i).as_signed == midend::signed_interval::element{0, 0x7fff'ffff});
    CHECK(found.fact(next).as_signed == midend::signed_interval::element{1, 0x7fff'ffff});
  }
  SUBCASE("the bound of a loop, which the branch knows") {
    const counted_loop l(1000, 1, 32);
    const auto found = sccp_with_branch_facts(l.program, interval_domain());
    CHECK(found.fact(l.i) == interval_domain::element{{0, 1000}, {0, 1000}});
    CHECK(found.fact(l.next) == interval_domain::element{{1, 1000}, {1, 1000}});
    CHECK(found.fact(l.after) == interval_domain::element{{1000, 1000}, {1000, 1000}});
    CHECK(found.visits(l.i) < 20);
  }
}

TEST_CASE("sccp-checklist 33: nested, irreducible and goto loops") {
  SUBCASE("a nest") {
    constexpr node_id depth = 30;
    std::vector<midend::edge> edges; // headers 0 … depth - 1, then latches from the inside
    for (node_id n = 0; n != 2 * depth; ++n) {
      edges.push_back({n, n + 1});
      if (n >= depth) {
        edges.push_back({n, 2 * depth - 1 - n});
      }
    }
    semantic_program p(2 * depth + 1, edges);
    std::vector<value_id> phis;
    value_id outer = p.literal(0, 32);
    for (node_id n = 1; n != depth; ++n) {
      phis.push_back(p.phi(n, 32));
      p.set_input(phis.back(), p.edge_of(n - 1), outer);
      outer = phis.back();
    }
    for (node_id n = depth; n != 2 * depth; ++n) {
      const node_id header = 2 * depth - 1 - n;
      if (header != 0) {
        p.set_input(phis[header - 1], p.edge_of(n, 1),
                    p.op(n, operation::add, {phis[header - 1], p.literal(1, 32)}, 32));
      }
    }
    const auto found = sccp(p, interval_domain());
    CHECK(found.counters().value_visits < 200 * p.num_values());
    CHECK(found.fact(phis.back()).as_unsigned.low == 0);
  }
  SUBCASE("a block that is a loop") {
    semantic_program p(2, {{0, 1}, {1, 1}});
    const value_id i = p.phi(1, 16);
    p.set_input(i, p.edge_of(0), p.literal(0, 16));
    p.set_input(i, p.edge_of(1), p.op(1, operation::add, {i, p.literal(1, 16)}, 16));
    const auto found = sccp(p, interval_domain());
    CHECK(found.visits(i) < 30);
    CHECK(found.fact(i) == interval_domain().top(16));
  }
  SUBCASE("an irreducible cycle that counts") {
    semantic_program p(3, {{0, 1}, {0, 2}, {1, 2}, {2, 1}});
    p.branch(0, p.parameter(1));
    const value_id a = p.phi(1, 32);
    const value_id b = p.phi(2, 32);
    const value_id one = p.literal(1, 32);
    const value_id from_a = p.op(1, operation::add, {a, one}, 32);
    const value_id from_b = p.op(2, operation::add, {b, one}, 32);
    p.set_input(a, p.edge_of(0, 0), p.literal(10, 32));
    p.set_input(a, p.edge_of(2), from_b);
    p.set_input(b, p.edge_of(0, 1), p.literal(20, 32));
    p.set_input(b, p.edge_of(1), from_a);
    const auto found = sccp(p, interval_domain());
    CHECK(found.visits(a) < 30);
    CHECK(found.fact(a) == interval_domain().top(32));
  }
}

TEST_CASE("sccp-checklist 34: the widening budget lives in the solver") {
  const counted_loop l(100, 1, 32);
  for (const std::uint32_t after : {0u, 5u, 50u}) {
    const auto found = sccp(l.program, interval_domain(), {.widen_after = after, .threshold_steps = 0});
    CHECK(found.visits(l.i) > after);
    CHECK(found.visits(l.i) < after + 5);
    CHECK(found.widenings(l.i) > 0);
  }
  const auto exact = sccp_with_branch_facts(l.program, interval_domain(), {.widen_after = 1000});
  CHECK(exact.counters().widenings == 0);
  CHECK(exact.fact(l.i).as_unsigned == midend::unsigned_interval::element{0, 100});
}

TEST_CASE("sccp-checklist 35: ranges do not wrap") {
  semantic_program p(1, {});
  const value_id near_end = p.op(0, operation::umax, {p.parameter(8), p.literal(250, 8)}, 8);
  const value_id wrapped = p.op(0, operation::add, {near_end, p.literal(3, 8)}, 8);
  const auto found = sccp(p, interval_domain());
  CHECK(found.fact(near_end) == interval_domain::element{{-6, -1}, {250, 255}});
  CHECK(found.fact(wrapped) == interval_domain::element{{-3, 2}, {0, 255}}); // signed, it does not wrap
}

TEST_CASE("sccp-checklist 36: a refinement depends on both operands; a contradiction means nothing flows") {
  SUBCASE("the other operand moves") {
    semantic_program p = loop(); // n = 4; while (…) { if (x < n) use x; n = n + 4 }
    const value_id n = p.phi(1, 8);
    const value_id x = p.parameter(8);
    p.branch(1, p.op(1, operation::uless, {x, n}, 8));
    const value_id below = p.op(2, operation::copy, {x}, 8);
    const value_id more =
        p.op(2, operation::umin, {p.op(2, operation::add, {n, p.literal(4, 8)}, 8), p.literal(40, 8)}, 8);
    p.set_input(n, p.edge_of(0), p.literal(4, 8));
    p.set_input(n, p.edge_of(2), more);
    const auto found = sccp_with_branch_facts(p, interval_domain());
    CHECK(found.fact(n).as_unsigned == midend::unsigned_interval::element{4, 40});
    CHECK(found.fact(below).as_unsigned == midend::unsigned_interval::element{0, 39});
  }
  SUBCASE("a contradiction") { // if (x < 5) if (x > 9) …, with a condition of which the domain knows nothing
    semantic_program p(5, {{0, 1}, {0, 4}, {1, 2}, {1, 3}});
    const value_id x = p.parameter(8);
    p.branch(0, p.op(0, operation::uless, {x, p.literal(5, 8)}, 8));
    const value_id again = p.op(1, operation::ugreater, {x, p.literal(9, 8)}, 8);
    p.branch(1, again);
    CHECK(sccp(p, interval_domain()).is_executable(2));
    const auto found = sccp_with_branch_facts(p, interval_domain());
    CHECK(found.constant(again) == 0);
    CHECK_FALSE(found.is_executable(2));
  }
  SUBCASE("the edge for all other values") {
    semantic_program p = diamond();
    const value_id x = p.parameter(8);
    p.switch_on(0, p.op(0, operation::uless, {x, p.literal(5, 8)}, 8), {std::nullopt, 0});
    const value_id then = p.op(1, operation::copy, {x}, 8);
    const value_id otherwise = p.op(2, operation::copy, {x}, 8);
    const auto found = sccp_with_branch_facts(p, interval_domain());
    CHECK(found.fact(then).as_unsigned == midend::unsigned_interval::element{0, 4});
    CHECK(found.fact(otherwise).as_unsigned == midend::unsigned_interval::element{5, 255});
    p.switch_on(0, x, {std::nullopt, 0}); // not 0
    CHECK(sccp_with_branch_facts(p, interval_domain()).fact(then).as_unsigned ==
          midend::unsigned_interval::element{1, 255});
  }
  SUBCASE("conditions made of conditions") { // x > 3 and not (x > 7 or y == 1)
    semantic_program p = diamond();
    const value_id x = p.parameter(8);
    const value_id y = p.parameter(8);
    const value_id low = p.op(0, operation::ugreater, {x, p.literal(3, 8)}, 8);
    const value_id high = p.op(0, operation::ugreater, {x, p.literal(7, 8)}, 8);
    const value_id one = p.op(0, operation::equal, {y, p.literal(1, 8)}, 8);
    const value_id either = p.op(0, operation::bit_or, {high, one}, 1);
    const value_id neither = p.op(0, operation::bit_not, {either}, 1);
    p.branch(0, p.op(0, operation::bit_and, {low, neither}, 1));
    const value_id then = p.op(1, operation::copy, {x}, 8);
    const value_id otherwise = p.op(2, operation::copy, {x}, 8);
    const value_id known = p.op(1, operation::copy, {one}, 1);
    const auto found = sccp_with_branch_facts(p, interval_domain());
    CHECK(found.fact(then).as_unsigned == midend::unsigned_interval::element{4, 7});
    CHECK(found.fact(otherwise) == interval_domain().top(8));
    CHECK(found.constant(known) == 0);
  }
  SUBCASE("equality makes constants") {
    semantic_program p = diamond();
    const value_id x = p.parameter(8);
    p.branch(0, p.op(0, operation::equal, {x, p.literal(3, 8)}, 8));
    const value_id then = p.op(1, operation::add, {x, x}, 8);
    const value_id either = p.merge(3, {x, p.literal(3, 8)}, 8);
    CHECK(sccp(p).fact(then).is_top());
    const auto found = sccp_with_branch_facts(p, flat_domain<>());
    CHECK(found.constant(then) == 6);
    CHECK(found.constant(either) == 3); // on arrival from node 1, x is 3
    CHECK(found.fact(x).is_top());
  }
}

TEST_CASE("sccp-checklist 37: a range that still moves kills no edge") {
  semantic_program p(5, {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 4}}); // 2 → 4 once i is 5
  const value_id i = p.phi(1, 8);
  p.branch(1, p.op(1, operation::uless, {i, p.literal(10, 8)}, 8));
  const value_id next = p.op(2, operation::add, {i, p.literal(1, 8)}, 8);
  p.branch(2, p.op(2, operation::not_equal, {i, p.literal(5, 8)}, 8));
  p.set_input(i, p.edge_of(0), p.literal(0, 8));
  p.set_input(i, p.edge_of(2, 0), next);
  for (const bool facts : {false, true}) {
    const auto found = facts ? sccp_with_branch_facts(p, interval_domain()) : sccp(p, interval_domain());
    CHECK(found.is_executable(3));
    CHECK(found.is_executable(4));
    CHECK(found.is_executable_edge(p.edge_of(2, 0)));
  }
}

TEST_CASE("sccp-checklist 38: there is one way to write the empty and the full range") {
  const interval_domain ranges;
  for (const unsigned width : {1u, 8u, 32u, 64u}) {
    interval_domain::element a = ranges.constant(width, 0);
    interval_domain::element b = ranges.constant(width, 1);
    ranges.assume(operation::equal, width, a, b);
    CHECK(a == ranges.bottom());
    CHECK(b == ranges.bottom());
    const std::vector<interval_domain::element> args{ranges.top(width), ranges.top(width)};
    const midend::operation_info add{
        operation::add, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(width), {}};
    CHECK(ranges.transfer(add, args) == ranges.top(width));
    interval_domain::element joined = ranges.bottom();
    ranges.join(joined, ranges.bottom());
    CHECK(joined == ranges.bottom());
  }
}

// Known bits.

TEST_CASE("sccp-checklist 39: bits that conflict mean that nothing flows") {
  known_bits_domain::element a{~std::uint64_t{1}, 1};
  known_bits_domain::element b{~std::uint64_t{0}, 0};
  known_bits_domain().assume(operation::equal, 8, a, b);
  CHECK(a == known_bits_domain().bottom());
  CHECK(b == known_bits_domain().bottom());
}

TEST_CASE("sccp-checklist 40: knowledge of bits only shrinks") {
  const counted_loop l(100, 4, 32); // i = 0, 4, 8, …
  const auto found = sccp(l.program, known_bits_domain(), {.checked = true});
  CHECK(found.broken_value() == no_value);
  CHECK((found.fact(l.i).zeros & 3) == 3);
  CHECK(found.visits(l.i) <= 35);
}

TEST_CASE("sccp-checklist 41: a product is not reduced when it is joined or widened") {
  const number_domain numbers;
  number_domain::element a = numbers.constant(8, 4);
  const number_domain::element b = numbers.constant(8, 8);
  REQUIRE(numbers.join(a, b));
  CHECK(a.range.as_unsigned == midend::unsigned_interval::element{4, 8});
  CHECK((a.bits.zeros & 3) == 3);
  number_domain::element reduced = a;
  numbers.reduce(8, reduced);
  CHECK(reduced == a); // a join of reduced elements is reduced
  const counted_loop l(100, 4, 32);
  const auto found = sccp_with_branch_facts(l.program, numbers);
  CHECK(found.fact(l.i).range.as_unsigned.high <= 103); // ends although bits and bounds would go on teaching each other
  CHECK(found.constant(l.after) == 100);
  CHECK(found.visits(l.i) < 50);
}

// Unreachable and endless.

TEST_CASE("sccp-checklist 42: unreachable predecessors are ignored") {
  semantic_program p(3, {{0, 2}, {1, 2}});
  const value_id odd = p.op(1, operation::add, {p.parameter(), p.literal(1)});
  const value_id phi = p.merge(2, {p.literal(4), odd});
  const auto found = sccp(p);
  CHECK(found.constant(phi) == 4);
  CHECK_FALSE(found.is_executable(1));
  CHECK_FALSE(found.is_executable_edge(p.edge_of(1)));
}

TEST_CASE("sccp-checklist 43: endless loops, and an exit that is proven dead") {
  semantic_program p = loop();
  p.branch(1, p.literal(1, 1));
  const value_id inside = p.op(2, operation::add, {p.literal(1), p.literal(1)});
  const auto found = sccp(p);
  CHECK_FALSE(found.is_executable(3));
  CHECK(found.constant(inside) == 2);
}

TEST_CASE("sccp-checklist 44: nodes after what never returns") {
  semantic_program p(3, {{0, 1}, {1, 2}});
  p.stop_at(p.call(0));
  const value_id later = p.op(2, operation::add, {p.literal(1), p.literal(1)});
  const auto found = sccp(p);
  CHECK_FALSE(found.is_executable(1));
  CHECK_FALSE(found.is_executable(2));
  CHECK(found.fact(later).is_bottom());
}

TEST_CASE("sccp-checklist 45: unreachable blocks have an answer of their own") {
  semantic_program p(2, {});
  const value_id there = p.op(1, operation::add, {p.literal(1), p.literal(1)});
  const auto found = sccp(p);
  CHECK(found.fact(there).is_bottom());
  CHECK_FALSE(found.constant(there));
  CHECK_FALSE(found.is_executable(1));
  CHECK(found.visits(there) == 0);
}

// Engine. Item 46, the order of visits, and 49, growing containers (under sanitizers), are in sccp_test.cpp as well.

TEST_CASE("sccp-checklist 47: counts repeat exactly") {
  const counted_loop l(100, 3, 32);
  const auto first = sccp_with_branch_facts(l.program, number_domain());
  const auto second = sccp_with_branch_facts(l.program, number_domain());
  CHECK(first.counters() == second.counters());
  CHECK(first.counters().value_visits > 0);
  midend::sccp_workspace<number_domain> workspace;
  midend::sccp_result<number_domain> out;
  for (int i = 0; i != 3; ++i) {
    sccp_with_branch_facts(l.program, number_domain(), {}, workspace, out);
    CHECK(out.counters() == first.counters());
  }
}

TEST_CASE("sccp-checklist 48: a chain of 100,000 blocks and a web of 8,000 phis") {
  const std::string of_chain = on_a_small_stack([]() -> std::string {
    constexpr node_id length = 100000;
    std::vector<midend::edge> edges;
    for (node_id n = 0; n + 1 != length; ++n) {
      edges.push_back({n, n + 1});
    }
    semantic_program chain(length, edges);
    value_id last = chain.literal(0);
    for (node_id n = 0; n != length; ++n) {
      last = chain.op(n, operation::add, {last, chain.literal(1)});
    }
    const auto found = sccp(chain);
    const bool once = found.counters().value_visits == length && found.counters().use_visits <= length;
    return once && found.constant(last) == length ? "" : join("visits: ", found.counters().value_visits);
  });
  CHECK(of_chain == "");
  const std::string of_web = on_a_small_stack([]() -> std::string {
    // 8,000 phis at a loop header, each of which takes over the one before: 0, 1 and top climb one by one.
    constexpr std::size_t web = 8000;
    semantic_program p = loop();
    std::vector<value_id> phis;
    for (std::size_t i = 0; i != web; ++i) {
      phis.push_back(p.phi(1));
    }
    const value_id zero = p.literal(0);
    for (std::size_t i = 0; i != web; ++i) {
      p.set_input(phis[i], p.edge_of(0), zero);
      p.set_input(phis[i], p.edge_of(2), i == 0 ? p.literal(1) : phis[i - 1]);
    }
    p.branch(1, p.parameter(1));
    const auto found = sccp(p);
    const bool few = found.counters().value_visits <= 4 * web && found.counters().use_visits <= 4 * web;
    return few && found.fact(phis.back()).is_top() ? "" : join("visits: ", found.counters().value_visits);
  });
  CHECK(of_web == "");
}

// Items 49 and 50 are with the editor, in sccp_plan_test.cpp.
