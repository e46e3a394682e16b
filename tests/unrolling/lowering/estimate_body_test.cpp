// estimate_body: the worked examples with their numbers, and each rule of instruction selection.
#include "kit/test_graph.hpp"
#include "kit/unrolled_writer.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/lowering/estimate_body.hpp>

#include <numeric>
#include <vector>

using namespace midend_tests;
using enum midend::operation_class;
using midend::body_cost;
using midend::dependence;
using midend::dependence_kind;
using midend::fraction;
using midend::lowered_copies;
using midend::lowering_options;
using midend::pipelining_obstacle;
using midend::resource_limit;

namespace {

const midend::machine_model& e2k() {
  static const midend::machine_model machine = midend::e2k_reference_v6();
  return machine;
}

lowering_options without_regrouping() {
  lowering_options options;
  options.reassociates = false;
  return options;
}

/// Cost and operations together.
struct estimated : lowered_copies {
  body_cost cost;

  estimated(const unrolled_writer& w, const lowering_options& options = {}, const midend::machine_model& m = e2k()) {
    midend::estimate_body_workspace workspace;
    cost = estimate_body(w.body, m, options, workspace, *this);
  }

  std::uint32_t count(operation_class c) const { return cost.mix[c]; }

  /// Whether some operation of one class waits for one of the other, with this kind and distance.
  bool has(operation_class producer, operation_class consumer, dependence_kind kind, std::uint32_t distance) const {
    for (const dependence& d : graph.dependences()) {
      if (graph.operation(d.producer).kind == producer && graph.operation(d.consumer).kind == consumer &&
          d.kind == kind && d.distance == distance) {
        return true;
      }
    }
    return false;
  }

  std::size_t num_savings(midend::saving_kind kind) const {
    std::size_t found = 0;
    for (const midend::unrolling_saving& s : savings) {
      found += s.kind == kind;
    }
    return found;
  }
};

fraction per_iteration(const unrolled_writer& w, const lowering_options& options) {
  return {estimated(w, options).cost.interval, w.body.copies};
}

/// for i in 0..5 { sum += a[i]; sum += 2*x; if (i == 3) sum *= 2; }, one iteration.
unrolled_writer example_1() {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id s = w.phi();
  const unrolled_id a = w.invariant(64);
  const unrolled_id twice = w.pure(operation::shl, w.invariant(), w.constant(1));
  const unrolled_id v = w.load({.base = a, .index = i});
  const unrolled_id s2 = w.associative(operation::add, w.associative(operation::add, s, v), twice);
  const unrolled_id p = w.pure(operation::equal, i, w.constant(3));
  const unrolled_id s3 = w.select(p, w.pure(operation::shl, s2, w.constant(1)), s2);
  w.exit(w.pure(operation::less, i, w.constant(4)), true, true);
  w.set_next(i, plus(i, 1));
  w.set_next(s, s3);
  w.body.live_out.push_back(plus(s3, 0));
  return w;
}

/// All five, in a straight line: only in copy 3 is the sum doubled.
unrolled_writer example_1_unrolled(bool sum_is_known) {
  unrolled_writer w(5, true);
  const unrolled_id a = w.invariant(64);
  const unrolled_id twice = w.pure(operation::shl, w.invariant(), w.constant(1));
  unrolled_id s = sum_is_known ? midend::no_unrolled : w.invariant();
  for (std::uint32_t copy = 0; copy != 5; ++copy) {
    const unrolled_id v = w.load({.base = a, .offset = 4 * copy});
    s = s == midend::no_unrolled ? v : w.associative(operation::add, s, v);
    s = w.associative(operation::add, s, twice);
    s = copy == 3 ? w.pure(operation::shl, s, w.constant(1)) : s;
  }
  w.body.live_out.push_back(plus(s, 0));
  return w;
}

/// for i in 0..1024 { sum += a[i]; sum += i/4; if (i % 16 == 0) sum *= 2; }: what i ≡ 0 (mod copies) leaves of it.
unrolled_writer example_2(std::uint32_t copies) {
  unrolled_writer w(copies);
  const unrolled_id i = w.phi();
  unrolled_id s = w.phi();
  const unrolled_id sum = s;
  const unrolled_id a = w.invariant(64);
  const std::uint32_t quarters = std::gcd(copies, 4u);
  const std::uint32_t sixteenths = std::gcd(copies, 16u);
  std::vector<unrolled_operand> quarter_of(copies);
  for (std::uint32_t k = 0; k < copies; k += quarters == 4 ? copies : quarters) {
    quarter_of[k] = plus(w.pure(operation::shr, {plus(i, k), plus(w.constant(2), 0)}), 0);
  }
  for (std::uint32_t k = 0; k != copies; ++k) {
    quarter_of[k] = quarters == 4 ? plus(quarter_of[0].node, k / 4) : quarter_of[k - k % quarters];
    s = w.associative(operation::add, s, w.load({.base = a, .index = i, .offset = 4 * k}));
    s = w.pure(operation::add, {plus(s, 0), quarter_of[k]});
    w[s].reassociates = true;
    if (k % sixteenths == 0) {
      const unrolled_id doubled = w.pure(operation::shl, s, w.constant(1));
      if (sixteenths == 16) {
        s = k % 16 == 0 ? doubled : s;
      } else {
        const unrolled_id rest = w.pure(operation::bit_and, {plus(i, k), plus(w.constant(15), 0)});
        s = w.select(w.pure(operation::equal, rest, w.constant(0)), doubled, s);
      }
    }
  }
  w.exit(w.pure(operation::less, i, w.constant(1024 - copies)), true, true);
  w.set_next(i, plus(i, copies));
  w.set_next(sum, s);
  w.body.live_out.push_back(plus(s, 0));
  return w;
}

/// 3000 times { sum += a; (a, b, c) = (b, c, a); }.
unrolled_writer example_3(std::uint32_t copies) {
  unrolled_writer w(copies);
  const unrolled_id i = w.phi();
  const unrolled_id sum = w.phi();
  const unrolled_id rotating[] = {w.phi(), w.phi(), w.phi()};
  unrolled_id s = sum;
  for (std::uint32_t k = 0; k != copies; ++k) {
    s = w.associative(operation::add, s, rotating[k % 3]);
  }
  w.exit(w.pure(operation::less, i, w.constant(3000 - copies)), true, true);
  w.set_next(i, plus(i, copies));
  w.set_next(sum, s);
  w.body.live_out.push_back(plus(s, 0));
  for (std::uint32_t r = 0; r != 3; ++r) {
    w.set_next(rotating[r], rotating[(r + copies) % 3]);
  }
  return w;
}

/// x ^= a[i].
unrolled_writer example_4(std::uint32_t copies) {
  unrolled_writer w(copies);
  const unrolled_id i = w.phi();
  const unrolled_id first = w.phi();
  const unrolled_id a = w.invariant(64);
  unrolled_id x = first;
  for (std::uint32_t k = 0; k != copies; ++k) {
    x = w.associative(operation::bit_xor, x, w.load({.base = a, .index = i, .offset = 4 * k}));
  }
  w.exit(w.pure(operation::less, i, w.constant(1027 - copies)), true, true);
  w.set_next(i, plus(i, copies));
  w.set_next(first, x);
  w.body.live_out.push_back(plus(x, 0));
  return w;
}

/// while (a[idx / 7] != x) { x++; idx++; }: of seven copies one division and one load are left.
unrolled_writer example_6(std::uint32_t copies) {
  unrolled_writer w(copies);
  const unrolled_id idx = w.phi();
  const unrolled_id x = w.phi();
  const unrolled_id a = w.invariant(64);
  unrolled_id v = midend::no_unrolled;
  for (std::uint32_t k = 0; k != copies; ++k) {
    if (k == 0 || copies % 7 != 0) {
      const unrolled_id part = w.pure(operation::udiv, {plus(idx, k), plus(w.constant(7), 0)});
      v = w.load({.base = a, .index = part});
    }
    const unrolled_operand sides[] = {plus(v, 0), plus(x, k)};
    w.exit(w.pure(operation::not_equal, {sides[copies % 2], sides[1 - copies % 2]}), false, true);
  }
  w.set_next(idx, plus(idx, copies));
  w.set_next(x, plus(x, copies));
  w.body.live_out.push_back(plus(idx, copies));
  return w;
}

/// Seven independent operations of one cycle, counted by i.
unrolled_writer example_7(std::uint32_t copies) {
  unrolled_writer w(copies);
  const unrolled_id i = w.phi();
  std::vector<unrolled_id> phis;
  for (int k = 0; k != 7; ++k) {
    phis.push_back(w.phi());
  }
  const unrolled_id x = w.invariant();
  std::vector<unrolled_id> values = phis;
  for (std::uint32_t copy = 0; copy != copies; ++copy) {
    for (unrolled_id& v : values) {
      v = w.pure(operation::add, v, x);
    }
  }
  w.exit(w.pure(operation::less, {plus(i, copies), plus(w.invariant(), 0)}), true, true);
  w.set_next(i, plus(i, copies));
  for (std::size_t k = 0; k != 7; ++k) {
    w.set_next(phis[k], values[k]);
    w.body.live_out.push_back(plus(values[k], 0));
  }
  return w;
}

} // namespace

TEST_CASE("estimate_body: example 1, rolled") {
  const estimated w(example_1(), without_regrouping());
  CHECK(w.cost.operations == 7);
  CHECK(w.cost.branches == 1);
  CHECK(w.cost.invariant_operations == 1);
  CHECK(w.cost.resources.cycles == 2);
  CHECK(w.cost.recurrence_exact == fraction(3));
  CHECK(w.cost.interval == 3);
  CHECK(w.cost.length == 8);
  CHECK(w.cost.stages == 3);
  CHECK(w.cost.limit() == midend::body_limit::recurrence);
  CHECK(w.recurrence.cycle.size() == 3);
  CHECK(w.count(shift) == 1); // under its predicate, and no merge
  CHECK(w.count(merge) == 0);
  CHECK(w.has(compare, shift, dependence_kind::guard, 0));
  CHECK(estimated(example_1()).cost.interval == 2); // s + (v + 2x), shifted
}

TEST_CASE("estimate_body: example 1, unrolled completely") {
  const estimated w(example_1_unrolled(false), without_regrouping());
  CHECK(w.cost.operations == 17);
  CHECK(w.cost.branches == 0);
  CHECK(w.cost.critical_path == 16);
  CHECK(w.cost.cycles() == 16);
  CHECK(w.cost.obstacle == pipelining_obstacle::straight_line);
  CHECK(estimated(example_1_unrolled(true), without_regrouping()).cost.cycles() == 15);
  const estimated regrouped(example_1_unrolled(false));
  CHECK(regrouped.cost.operations == 17);
  CHECK(regrouped.cost.cycles() == 10);
}

TEST_CASE("estimate_body: example 2, without regrouping") {
  const fraction expected[] = {{3}, {5, 2}, {3}, {9, 4}, {3}, {17, 8}, {33, 16}};
  const std::uint32_t factors[] = {1, 2, 3, 4, 5, 8, 16};
  for (std::size_t k = 0; k != 7; ++k) {
    CAPTURE(factors[k]);
    CHECK(per_iteration(example_2(factors[k]), without_regrouping()) == expected[k]);
  }
  CHECK(estimated(example_2(4)).cost.operations == 17);
  CHECK(estimated(example_2(16)).cost.operations == 55);
}

TEST_CASE("estimate_body: example 2, regrouped") {
  const fraction expected[] = {{2}, {3, 2}, {3, 4}, {5, 8}, {5, 8}, {18, 32}};
  const std::uint32_t factors[] = {1, 2, 4, 8, 16, 32};
  for (std::size_t k = 0; k != 6; ++k) {
    CAPTURE(factors[k]);
    const estimated plain(example_2(factors[k]), without_regrouping());
    CHECK(per_iteration(example_2(factors[k]), {}) == expected[k]);
    CHECK(estimated(example_2(factors[k])).cost.operations == plain.cost.operations);
  }
}

TEST_CASE("estimate_body: example 3") {
  const estimated rolled(example_3(1));
  CHECK(rolled.cost.operations == 6);
  CHECK(rolled.count(midend::operation_class::move) == 3);
  CHECK(rolled.cost.interval == 1);
  const estimated three(example_3(3), without_regrouping());
  CHECK(three.cost.operations == 5);
  CHECK(three.count(midend::operation_class::move) == 0);
  CHECK(three.cost.interval == 3);
  CHECK(three.num_savings(midend::saving_kind::vanished_phi) == 3);
  CHECK(estimated(example_3(3)).cost.interval == 1);
  for (const std::uint32_t factor : {4u, 8u, 20u}) {
    CHECK(estimated(example_3(factor)).count(midend::operation_class::move) == 3);
  }
}

TEST_CASE("estimate_body: example 4") {
  for (const std::uint32_t factor : {1u, 2u, 4u, 8u}) {
    CHECK(per_iteration(example_4(factor), without_regrouping()) == fraction(1));
  }
  CHECK(per_iteration(example_4(1), {}) == fraction(1));
  CHECK(per_iteration(example_4(2), {}) == fraction(1, 2));
  CHECK(per_iteration(example_4(4), {}) == fraction(1, 2));
  CHECK(per_iteration(example_4(8), {}) == fraction(3, 8));
}

TEST_CASE("estimate_body: example 6, one test in each copy") {
  for (const std::uint32_t factor : {1u, 2u, 4u, 8u}) {
    CAPTURE(factor);
    const estimated w(example_6(factor));
    CHECK(fraction(w.cost.interval, factor) == fraction(2));
    CHECK(w.cost.resources.limit == resource_limit::channels);
    CHECK(w.cost.resources.channels == 0b100000u); // the divider
  }
  const estimated seven(example_6(7));
  CHECK(fraction(seven.cost.interval, 7) == fraction(1));
  CHECK(seven.count(integer_divide) == 1);
  CHECK(seven.count(load) == 1);
  CHECK(seven.cost.branches == 7);
  CHECK(seven.cost.resources.limit == resource_limit::scalar_resource);
  CHECK(seven.cost.resources.resource == 5); // CT
}

TEST_CASE("estimate_body: example 6, division by multiplying") {
  lowering_options options;
  options.divides_by_multiplying = true;
  const estimated w(example_6(1), options);
  CHECK(w.cost.interval == 1);
  CHECK(w.cost.operations == 6);
  CHECK(w.count(integer_divide) == 0);
  CHECK(per_iteration(example_6(7), options) == fraction(1));
}

TEST_CASE("estimate_body: example 7") {
  lowering_options hardware;
  hardware.counts_in_hardware = true;
  const fraction uncounted[] = {{2}, {3, 2}, {4, 3}, {5, 4}, {6, 5}, {7, 6}};
  for (std::uint32_t u = 1; u <= 6; ++u) {
    CAPTURE(u);
    CHECK(per_iteration(example_7(u), hardware) == uncounted[u - 1]);
  }
  CHECK(per_iteration(example_7(5), {}) == fraction(7, 5));
  CHECK(per_iteration(example_7(6), {}) == fraction(8, 6));
  CHECK(estimated(example_7(2), hardware).cost.operations == 14);
  CHECK(estimated(example_7(2)).cost.operations == 16);
  CHECK(estimated(example_7(2), hardware).cost.branches == 1);
}

TEST_CASE("estimate_body: nothing, and a branch alone") {
  const estimated w(unrolled_writer{});
  CHECK(w.cost.operations == 0);
  CHECK(w.cost.branches == 1);
  CHECK(w.cost.interval == 1);
  CHECK(w.cost.alone == 1);
  CHECK(estimated(unrolled_writer(1, true)).cost.branches == 0);
}

TEST_CASE("estimate_body: values that are not needed take no operation, and are listed as savings") {
  unrolled_writer w(2);
  const unrolled_id i = w.phi();
  const unrolled_id x = w.invariant();
  const unrolled_id dead = w.pure(operation::bit_xor, i, x);
  const unrolled_id also_dead = w.pure(operation::sub, dead, x);
  w[also_dead].copy = 1;
  w.set_next(i, plus(i, 2));
  w.body.sums.push_back({0, 40, plus(i, 1)});
  w.body.sums.push_back({1, 40, plus(i, 2)});
  const estimated without_counter(w);
  CHECK(without_counter.cost.operations == 0);
  CHECK(without_counter.num_savings(midend::saving_kind::dead_operation) == 4);
  w.body.live_out.push_back(plus(i, 2));
  const estimated with_counter(w);
  CHECK(with_counter.cost.operations == 1);
  REQUIRE(with_counter.savings.size() == 3); // the sum of copy 1 is computed
  CHECK(with_counter.savings[0] == midend::unrolling_saving{midend::saving_kind::dead_operation, 0, dead, 0});
  CHECK(with_counter.savings[1] == midend::unrolling_saving{midend::saving_kind::dead_operation, 0, 40, 0});
  CHECK(with_counter.savings[2] == midend::unrolling_saving{midend::saving_kind::dead_operation, 1, also_dead, 0});
}

TEST_CASE("estimate_body: a sum with a constant is computed once, however often it is used") {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id a = w.invariant(64);
  w.store({.base = a, .index = i, .offset = 8, .memory = 1}, plus(i, 2));
  w.store({.base = a, .index = i, .offset = 12, .memory = 1}, plus(i, 2));
  w.store({.base = a, .index = i, .offset = 4, .memory = 1}, plus(i, 7));
  w.set_next(i, plus(i, 2));
  const estimated out(w);
  CHECK(out.count(alu) == 2);
  CHECK(out.count(midend::operation_class::move) == 0);
  CHECK(out.has(alu, store, dependence_kind::value, 0));
  CHECK(out.has(alu, alu, dependence_kind::value, 1));
}

TEST_CASE("estimate_body: literals") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id large = w.constant(1000);
  const unrolled_id sum = w.pure(operation::mul, {plus(x, 0), plus(large, 0)});                         // 1
  const unrolled_id shifted = w.pure(operation::shl, sum, w.constant(15));                              // 0: small
  const unrolled_id wide = w.pure(operation::bit_xor, shifted, w.constant(1ull << 40, 64));             // 2
  const unrolled_id twice = w.pure(operation::shladd, {plus(wide, 0), plus(large, 0), plus(large, 0)}); // 1, once
  const unrolled_id negative = w.pure(operation::bit_or, twice, w.constant(~std::uint64_t{0}, 64));     // 1
  const unrolled_id loaded = w.load({.base = w.invariant(64), .index = negative, .offset = 4096});      // 1
  w.set_next(x, plus(loaded, 0xffffffff));                                                              // 0: minus 1
  w.body.live_out.push_back(plus(loaded, 0));
  w.body.live_out.push_back(plus(x, 0));
  const estimated out(w);
  CHECK(out.cost.mix.literals == 6);
  CHECK(out.cost.mix.extra_uses[2] == 6); // LIT32
  CHECK(std::accumulate(out.literals.begin(), out.literals.end(), 0) == 6);
  lowering_options options;
  options.largest_small_constant = 14;
  CHECK(estimated(w, options).cost.mix.literals == 7);
  CHECK(estimated(w, {}, midend::scalar_core()).cost.mix.extra_uses[0] == 0);
}

TEST_CASE("estimate_body: divisions by constants") {
  const auto operations = [](operation code, std::uint64_t divisor, bool multiplies = false) {
    unrolled_writer w;
    const unrolled_id x = w.phi();
    w.set_next(x, w.pure(code, x, w.constant(divisor)));
    w.body.live_out.push_back(plus(x, 0));
    lowering_options options;
    options.divides_by_multiplying = multiplies;
    const estimated out(w, options);
    CHECK(out.has(out.graph.operations().back().kind == branch ? branch : alu, branch, dependence_kind::value, 0) ==
          false);
    return out.cost.operations;
  };
  CHECK(operations(operation::udiv, 8) == 1);
  CHECK(operations(operation::urem, 8) == 1);
  CHECK(operations(operation::div, 8) == 4);
  CHECK(operations(operation::div, 2) == 3);
  CHECK(operations(operation::div, 0xfffffff8) == 5); // by -8
  CHECK(operations(operation::rem, 8) == 5);
  CHECK(operations(operation::rem, 2) == 4);
  CHECK(operations(operation::div, 7) == 1);
  CHECK(operations(operation::udiv, 7, true) == 2);
  CHECK(operations(operation::div, 7, true) == 3);
  CHECK(operations(operation::urem, 7, true) == 4);
  CHECK(operations(operation::rem, 7, true) == 5);
  CHECK(operations(operation::div, 0, true) == 1);
  CHECK(operations(operation::mul, 8) == 1);
}

TEST_CASE("estimate_body: the chain of a division") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  w.set_next(x, w.pure(operation::div, x, w.constant(8)));
  w.body.live_out.push_back(plus(x, 0));
  CHECK(estimated(w).cost.recurrence_exact == fraction(4));
  CHECK(estimated(w).graph.dependences().size() == 3 + 2); // x is read twice
  unrolled_writer by_seven;
  const unrolled_id y = by_seven.phi();
  by_seven.set_next(y, by_seven.pure(operation::div, y, by_seven.constant(7)));
  by_seven.body.live_out.push_back(plus(y, 0));
  CHECK(estimated(by_seven).cost.recurrence_exact == fraction(11));
  lowering_options options;
  options.divides_by_multiplying = true;
  CHECK(estimated(by_seven, options).cost.recurrence_exact == fraction(4 + 1 + 1));
}

TEST_CASE("estimate_body: masked bits are compared with 0 by one operation, unless they have other uses") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id rest = w.pure(operation::rem, x, w.constant(16));
  const unrolled_id zero = w.constant(0);
  w.exit(w.pure(operation::equal, rest, zero), false);
  w.exit(w.pure(operation::not_equal, rest, zero), false);
  w.set_next(x, plus(x, 3));
  const estimated out(w);
  CHECK(out.cost.operations == 3);
  CHECK(out.cost.branches == 2);
  CHECK(out.cost.mix.literals == 2); // 16, of each comparison
  w.body.live_out.push_back(plus(rest, 0));
  CHECK(estimated(w).cost.operations == 3 + 5);
}

TEST_CASE("estimate_body: a select and an operand that only it reads are one operation") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id p = w.pure(operation::less, x, w.invariant());
  const unrolled_id a = w.invariant(64);
  SUBCASE("a load") {
    w.set_next(x, w.select(p, w.load({.base = a, .index = x}), x));
    w.body.live_out.push_back(plus(x, 0));
    const estimated out(w);
    CHECK(out.cost.operations == 2);
    CHECK(out.has(compare, load, dependence_kind::guard, 0));
    CHECK(out.cost.recurrence_exact == fraction(2 + 5));
    CHECK(estimated(w, {}, midend::scalar_core()).count(merge) == 1);
  }
  SUBCASE("the other operand") {
    w.set_next(x, w.select(p, x, w.pure(operation::mul, x, x)));
    w.body.live_out.push_back(plus(x, 0));
    CHECK(estimated(w).cost.operations == 2);
  }
  SUBCASE("a sum with a number") {
    w.set_next(x, w.select(p, plus(x, 1), plus(x, 0)));
    w.body.live_out.push_back(plus(x, 0));
    const estimated out(w);
    CHECK(out.cost.operations == 2);
    CHECK(out.count(alu) == 1);
  }
  SUBCASE("not what others read") {
    const unrolled_id y = w.pure(operation::mul, x, x);
    w.set_next(x, w.select(p, y, x));
    w.body.live_out.push_back(plus(y, 0));
    const estimated out(w);
    CHECK(out.cost.operations == 3);
    CHECK(out.count(merge) == 1);
  }
  SUBCASE("nor a division that takes several operations") {
    w.set_next(x, w.select(p, w.pure(operation::div, x, w.constant(4)), x));
    w.body.live_out.push_back(plus(x, 0));
    CHECK(estimated(w).count(merge) == 1);
  }
  SUBCASE("the last operation of a tree") {
    const unrolled_id sum = w.associative(operation::add, w.associative(operation::add, x, w.load({.base = a})),
                                          w.load({.base = a, .offset = 4}));
    w.set_next(x, w.select(p, sum, x));
    w.body.live_out.push_back(plus(x, 0));
    const estimated out(w);
    CHECK(out.count(merge) == 0);
    CHECK(out.cost.recurrence_exact == fraction(3)); // compare, then the addition
    CHECK(estimated(w, without_regrouping()).cost.recurrence_exact == fraction(3));
  }
}

TEST_CASE("estimate_body: predicates") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id y = w.invariant();
  const unrolled_id p = w.pure(operation::less, x, y);
  const unrolled_id q = w.pure(operation::uless, x, y);
  const unrolled_id neither = w.pure(operation::bit_xor, q, w.constant(1, 1), 1);
  const unrolled_id both = w.pure(operation::bit_and, p, neither, 1);
  w.exit(w.select(both, plus(p, 0), plus(neither, 0), 1), false);
  w.set_next(x, plus(x, 1));
  const estimated out(w);
  CHECK(out.count(predicate_logic) == 2);
  CHECK(out.count(merge) == 0);
  CHECK(out.count(alu) == 1);
  CHECK(out.has(compare, predicate_logic, dependence_kind::value, 0));
  CHECK(out.has(predicate_logic, branch, dependence_kind::guard, 0));
}

TEST_CASE("estimate_body: the readers of a free value read its operands") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id y = w.phi();
  const unrolled_id narrow = w.pure(operation::truncate, {plus(x, 0)}, 16);
  const unrolled_id product = w.pure(operation::mul, narrow, narrow);
  const unrolled_id pair = w.pure(operation::sub, product, y);
  w[pair].is_free = true;
  const unrolled_id end = w.pure(operation::bit_xor, pair, pair);
  w.set_next(x, w.pure(operation::sign_extend, {plus(end, 0)}));
  w.set_next(y, narrow);
  w.body.live_out.push_back(plus(end, 0));
  const estimated out(w);
  CHECK(out.cost.operations == 3); // y gets x by a move
  CHECK(out.has(integer_multiply, alu, dependence_kind::value, 0));
  CHECK(out.has(midend::operation_class::move, alu, dependence_kind::value, 1));
  CHECK(out.has(alu, integer_multiply, dependence_kind::value, 1));
  CHECK(out.has(alu, midend::operation_class::move, dependence_kind::value, 1));
  CHECK(out.cost.recurrence_exact == fraction(5));
}

TEST_CASE("estimate_body: a free value is carried to the next pass without an operation") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id pair = w.pure(operation::sub, x, w.load({.base = w.invariant(64), .index = x}));
  w[pair].is_free = true;
  w.set_next(x, pair);
  w.body.live_out.push_back(plus(x, 0));
  const estimated out(w);
  CHECK(out.cost.operations == 1);
  CHECK(out.cost.recurrence_exact == fraction(5));
}

TEST_CASE("estimate_body: moves of header phis") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id y = w.phi();
  const unrolled_id z = w.phi();
  const unrolled_id flag = w.phi();
  const unrolled_id same = w.phi();
  const unrolled_id sum = w.pure(operation::bit_xor, {plus(x, 0), plus(y, 0)});
  const unrolled_id all =
      w.pure(operation::bit_or, w.pure(operation::bit_or, sum, z), w.pure(operation::bit_or, flag, same));
  w.set_next(x, sum);
  w.set_next(y, sum);               // has a name already
  w.set_next(z, plus(sum, 5));      // an addition, and no move
  w.set_next(flag, w.constant(77)); // from outside
  w.set_next(same, same);           // stays
  w.body.live_out.push_back(plus(all, 0));
  const estimated out(w);
  CHECK(out.count(midend::operation_class::move) == 2);
  CHECK(out.count(alu) == 4 + 1);
  CHECK(out.cost.mix.literals == 1);
  CHECK(out.num_savings(midend::saving_kind::vanished_phi) == 0); // it never moved
}

TEST_CASE("estimate_body: invariant values are computed before the loop") {
  unrolled_writer w(3);
  const unrolled_id x = w.phi();
  const unrolled_id same = w.phi();
  const unrolled_id square = w.pure(operation::mul, same, same);
  w.set_next(x, w.pure(operation::add, {plus(x, 0), plus(square, 4)}));
  w.set_next(same, same);
  w.body.live_out.push_back(plus(x, 0));
  const estimated out(w);
  CHECK(out.cost.operations == 1);
  CHECK(out.cost.invariant_operations == 2);
  CHECK(out.cost.general_registers == 2); // x, and the sum
  unrolled_writer once(1, true);
  const unrolled_id y = once.invariant();
  const unrolled_id product = once.pure(operation::mul, y, y);
  once.body.live_out.push_back(plus(once.pure(operation::add, {plus(y, 0), plus(product, 4)}), 0));
  CHECK(estimated(once).cost.operations == 3);
  CHECK(estimated(once).cost.invariant_operations == 0);
}

TEST_CASE("estimate_body: recurrences through memory") {
  const auto recurrence = [](std::int64_t read_behind, std::uint64_t step, std::uint32_t of_load,
                             std::uint32_t of_store) {
    unrolled_writer w;
    const unrolled_id i = w.phi();
    const unrolled_id a = w.invariant(64);
    const unrolled_id v = w.load({.base = a, .index = i, .offset = -4 * read_behind, .memory = of_load});
    w.store({.base = a, .index = i, .memory = of_store}, plus(w.pure(operation::mul, v, v), 0));
    w.set_next(i, plus(i, step));
    return estimated(w).cost.recurrence_exact;
  };
  const std::uint32_t any = midend::any_memory;
  CHECK(recurrence(1, 1, any, any) == fraction(5 + 4 + 2)); // a[i] = f(a[i - 1])
  CHECK(recurrence(2, 1, any, any) == fraction(5 + 4 + 2, 2));
  CHECK(recurrence(4, 2, 7, 7) == fraction(5 + 4 + 2, 2));
  CHECK(recurrence(3, 2, any, any) == fraction(1)); // an odd cell and an even one; the counter
  CHECK(recurrence(0, 1, any, any) == fraction(1));
  CHECK(recurrence(-1, 1, any, any) == fraction(1));                  // a[i] = f(a[i + 1]): the cell is written later
  CHECK(recurrence(-1, 0xffffffff, any, any) == fraction(5 + 4 + 2)); // downwards it was written before
  CHECK(recurrence(1, 1, 1, 2) == fraction(1));
  CHECK(recurrence(1, 1, 1, any) == fraction(5 + 4 + 2));
}

TEST_CASE("estimate_body: accesses at other addresses may overlap, in this pass and the next") {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id v = w.load({.base = w.invariant(64), .index = i});
  w.store({.base = w.invariant(64), .index = i}, plus(v, 0));
  w.set_next(i, plus(i, 1));
  const estimated out(w);
  CHECK(out.has(load, store, dependence_kind::order, 0));
  CHECK(out.has(store, load, dependence_kind::memory, 1));
  CHECK(out.has(store, store, dependence_kind::memory, 0) == false);
  CHECK(out.cost.recurrence_exact == fraction(5 + 2));
}

TEST_CASE("estimate_body: an address computed from a load is unknown in the next pass") {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id a = w.invariant(64);
  const unrolled_id j = w.load({.base = w.invariant(64), .index = i, .memory = 1});
  const unrolled_id v = w.load({.base = a, .index = j, .memory = 2});
  w.store({.base = a, .index = j, .memory = 2}, plus(w.pure(operation::mul, v, v), 0)); // a histogram
  w.set_next(i, plus(i, 1));
  CHECK(estimated(w).cost.recurrence_exact == fraction(5 + 4 + 2));
}

TEST_CASE("estimate_body: calls are barriers, and are not pipelined") {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id a = w.invariant(64);
  w.store({.base = a, .index = i}, plus(i, 0));
  const unrolled_id result = w.call({plus(i, 0)});
  const unrolled_id v = w.load({.base = a});
  w.store({.base = a, .offset = 4}, plus(w.pure(operation::add, result, v), 0));
  w.set_next(i, plus(i, 1));
  const estimated out(w);
  CHECK(out.cost.obstacle == pipelining_obstacle::call);
  CHECK(out.cost.critical_path == 1 + 5 + 5 + 1 + 2); // store, call, load, add, store
  CHECK(out.cost.cycles() == out.cost.alone);
  CHECK(out.cost.stages == 1);
  CHECK(out.cost.operations == 6);
  CHECK(out.has(midend::operation_class::call, load, dependence_kind::memory, 0));
  CHECK(out.has(store, midend::operation_class::call, dependence_kind::memory, 1));
}

TEST_CASE("estimate_body: effects wait for the exits before them that depend on data") {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id a = w.invariant(64);
  const unrolled_id v = w.load({.base = a, .index = i, .memory = 1});
  const unrolled_id p = w.pure(operation::equal, v, w.constant(0));
  w.set_next(i, plus(i, 1));
  SUBCASE("after the exit") {
    w.exit(p, false);
    w.store({.base = a, .index = i, .memory = 2}, plus(v, 0));
    const estimated out(w);
    CHECK(out.has(compare, store, dependence_kind::guard, 0));
    CHECK(out.cost.critical_path >= 5 + 2 + 2);
  }
  SUBCASE("before it, in the next pass") {
    w.store({.base = a, .index = i, .memory = 2}, plus(v, 0));
    w.exit(p, false);
    const estimated out(w);
    CHECK(out.has(compare, store, dependence_kind::guard, 1));
    CHECK_FALSE(out.has(compare, store, dependence_kind::guard, 0));
  }
  SUBCASE("not for what is counted") {
    w.exit(p, true);
    w.store({.base = a, .index = i, .memory = 2}, plus(v, 0));
    CHECK_FALSE(estimated(w).has(compare, store, dependence_kind::guard, 0));
  }
}

TEST_CASE("estimate_body: a guard holds back a store, but no load") {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id p = w.pure(operation::less, i, w.invariant());
  const unrolled_id v = w.load({.base = w.invariant(64), .index = i, .memory = 1});
  w[v].guard = p;
  const unrolled_id s = w.store({.base = w.invariant(64), .index = i, .memory = 2}, plus(v, 0));
  w[s].guard = p;
  w.set_next(i, plus(i, 1));
  const estimated out(w);
  CHECK(out.has(compare, store, dependence_kind::guard, 0));
  CHECK_FALSE(out.has(compare, load, dependence_kind::guard, 0));
}

TEST_CASE("estimate_body: why a body is not pipelined") {
  CHECK(estimated(example_1(), {}, midend::scalar_core()).cost.obstacle == pipelining_obstacle::no_pipelining);
  midend::machine_model small = e2k();
  small[midend::machine_field::longest_pipelined_body].value = 7;
  CHECK(estimated(example_1(), {}, small).cost.obstacle == pipelining_obstacle::too_many_operations);
  small[midend::machine_field::longest_pipelined_body].value = 8;
  CHECK(estimated(example_1(), {}, small).cost.obstacle == pipelining_obstacle::none);
  small[midend::machine_field::pipeline_stages].value = 2;
  const estimated deep(example_1(), without_regrouping(), small);
  CHECK(deep.cost.obstacle == pipelining_obstacle::too_many_stages);
  CHECK(deep.cost.cycles() == 8);
  CHECK(deep.cost.limit() == midend::body_limit::critical_path);
}

TEST_CASE("estimate_body: a machine without predicates branches inside the body") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id p = w.pure(operation::less, x, w.invariant());
  const unrolled_id s = w.select(p, w.pure(operation::mul, x, x), x);
  w[s].is_join = true;
  w.body.inner_branches = 1;
  w.set_next(x, s);
  w.body.live_out.push_back(plus(x, 0));
  const estimated narrow(w, {}, midend::scalar_core());
  CHECK(narrow.cost.branches == 2);
  CHECK(narrow.cost.operations == 2);
  CHECK(narrow.count(merge) == 0);
  const estimated wide(w);
  CHECK(wide.cost.branches == 1);
  CHECK(wide.cost.operations == 2);
}

TEST_CASE("estimate_body: phis that choose among each other are followed back once each, not on all ways") {
  constexpr std::uint32_t count = 40;
  unrolled_writer w;
  std::vector<unrolled_id> phis;
  for (std::uint32_t i = 0; i != count; ++i) {
    phis.push_back(w.phi());
  }
  const unrolled_id test = w.pure(operation::less, phis[0], w.invariant());
  for (std::uint32_t i = 0; i != count; ++i) {
    const unrolled_id other = i == 0 ? w.pure(operation::mul, phis[0], phis[0]) : phis[(i + 1) % count];
    const unrolled_id next = w.select(test, other, phis[(i + 2) % count]);
    w[next].is_join = true;
    w.set_next(phis[i], next);
  }
  w.body.inner_branches = 1;
  w.body.live_out.push_back(plus(phis[0], 0));
  const estimated e(w, {}, midend::scalar_core());
  CHECK(e.cost.operations == 2);
  CHECK(!e.graph.dependences().empty());
  CHECK(e.graph.dependences().size() <= 4 * count);
}

TEST_CASE("estimate_body: no tree is faster, whenever its terms are ready") {
  // Of two binary operations of one cycle each, the last result of the best tree, by trying all.
  const auto best = [](const auto& self, std::vector<std::uint64_t> ready) -> std::uint64_t {
    if (ready.size() == 1) {
      return ready[0];
    }
    std::uint64_t least = ~std::uint64_t{0};
    for (std::size_t a = 0; a != ready.size(); ++a) {
      for (std::size_t b = 0; b != a; ++b) {
        std::vector<std::uint64_t> rest = ready;
        rest[b] = std::max(rest[a], rest[b]) + 1;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(a));
        least = std::min(least, self(self, rest));
      }
    }
    return least;
  };
  random_source random(8);
  for (int round = 0; round != 300; ++round) {
    unrolled_writer w(1, true);
    std::vector<std::uint64_t> ready;
    unrolled_id sum = midend::no_unrolled;
    for (std::uint32_t terms = 2 + random.below(5); terms != 0; --terms) {
      unrolled_id term = w.invariant();
      const std::uint32_t delay = random.below(4);
      for (std::uint32_t k = 0; k != delay; ++k) {
        term = w.pure(operation::bit_xor, term, w.invariant());
      }
      ready.push_back(delay);
      sum = sum == midend::no_unrolled ? term
            : random.one_in(2)         ? w.associative(operation::add, sum, term)
                                       : w.associative(operation::add, term, sum);
    }
    w.body.live_out.push_back(plus(sum, 0));
    CHECK(estimated(w).cost.critical_path == best(best, ready));
  }
}

TEST_CASE("estimate_body: a value carried around the loop enters a tree last, on every path") {
  unrolled_writer w(2);
  const unrolled_id x = w.phi();
  const unrolled_id y = w.phi(); // x of the pass before, by a multiplication
  const unrolled_id late = w.load({.base = w.invariant(64)});
  w[late].is_volatile = true;
  const unrolled_id sum = w.associative(operation::add, w.associative(operation::add, y, late), late);
  w.set_next(x, sum);
  w.set_next(y, w.pure(operation::mul, x, x));
  w.body.live_out.push_back(plus(x, 0));
  CHECK(estimated(w).cost.recurrence_exact == fraction(4 + 1, 2));
  CHECK(estimated(w, without_regrouping()).cost.recurrence_exact == fraction(4 + 2, 2));
}

/// s = fma(a[i], b[i], s), unrolled; `kept` copies must not be regrouped.
unrolled_writer fused_products(std::uint32_t copies, bool is_straight_line = false, std::uint32_t kept = 0) {
  unrolled_writer w(copies, is_straight_line);
  const unrolled_id i = is_straight_line ? w.invariant() : w.phi();
  const unrolled_id first = is_straight_line ? w.invariant(64) : w.phi();
  const unrolled_id a = w.invariant(64);
  const unrolled_id b = w.invariant(64);
  unrolled_id s = first;
  for (std::uint32_t k = 0; k != copies; ++k) {
    const unrolled_id x = w.load({.base = a, .index = i, .offset = 4 * k});
    const unrolled_id y = w.load({.base = b, .index = i, .offset = 4 * k});
    s = w.pure(operation::other, {plus(x, 0), plus(y, 0), plus(s, 0)});
    w[s].cost = operation_class::fused_multiply_add;
    w[s].is_free = false;
    w[s].reassociates = k >= kept;
  }
  if (!is_straight_line) {
    w.set_next(i, plus(i, copies));
    w.set_next(first, s);
  }
  w.body.live_out.push_back(plus(s, 0));
  return w;
}

TEST_CASE("estimate_body: sums of fused products pass through one addition") {
  // Fused, 8 cycles; an addition takes 4.
  CHECK(per_iteration(fused_products(1), {}) == fraction(8));
  CHECK(per_iteration(fused_products(4), without_regrouping()) == fraction(8));
  CHECK(per_iteration(fused_products(2), {}) == fraction(2));
  CHECK(per_iteration(fused_products(4), {}) == fraction(1));
  const estimated plain(fused_products(4), without_regrouping());
  const estimated grouped(fused_products(4));
  CHECK(plain.count(operation_class::fused_multiply_add) == 4);
  CHECK(grouped.count(operation_class::fused_multiply_add) == 3);
  CHECK(grouped.count(operation_class::fp_multiply) == 1);
  CHECK(grouped.count(operation_class::fp_add) == 1);
  CHECK(grouped.cost.operations == plain.cost.operations + 1);
  CHECK(grouped.cost.critical_path <= plain.cost.critical_path);
  // The first two of four as they are written: each is 8 cycles, then one addition.
  CHECK(estimated(fused_products(4, false, 2)).cost.interval == 2 * 8 + 4);
}

TEST_CASE("estimate_body: sums of fused products in a straight line, and without fused operations") {
  // Loads 5, then four products at once (one of them with the sum before) and two rows of additions.
  const estimated line(fused_products(4, true));
  CHECK(estimated(fused_products(4, true), without_regrouping()).cost.critical_path == 5 + 4 * 8);
  CHECK(line.cost.critical_path == 5 + 8 + 2 * 4);
  CHECK(line.count(operation_class::fp_add) == 3);
  CHECK(line.count(operation_class::fused_multiply_add) == 1);
  CHECK(line.count(operation_class::fp_multiply) == 3);
  const estimated narrow(fused_products(4), {}, midend::scalar_core());
  CHECK(narrow.count(operation_class::fused_multiply_add) == 0);
  CHECK(narrow.count(operation_class::fp_multiply) == 4);
  CHECK(narrow.count(operation_class::fp_add) == 4);
  CHECK(narrow.cost.recurrence_exact == fraction(4));
}

TEST_CASE("estimate_body: a product that depends on the sum of the pass before is added last") {
  unrolled_writer w = fused_products(3);
  const unrolled_id first = w.body.phis[1];
  unrolled_id root = w.body.next[1].node;
  w.body.operands[w[root].first_operand] = plus(first, 0);
  CHECK(estimated(w).cost.interval == 4 + 8);
  CHECK(estimated(w).count(operation_class::fused_multiply_add) == 2);
  CHECK(estimated(w, without_regrouping()).cost.interval == 3 * 8);
}

TEST_CASE("estimate_body: trees contain no operation that must not be regrouped") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id i = w.phi();
  w.set_next(i, plus(i, 1));
  const unrolled_id v = w.load({.base = w.invariant(64), .index = i});
  const auto recurrence = [&](unrolled_id inner, const lowering_options& options = {}) {
    w.set_next(x, w.associative(operation::add, inner, v));
    w.body.live_out.push_back(plus(x, 0));
    return estimated(w, options).cost.recurrence_exact;
  };
  const unrolled_id sum = w.associative(operation::add, x, v);
  SUBCASE("grouped") {
    CHECK(recurrence(sum) == fraction(1));
  }
  SUBCASE("not on demand") {
    CHECK(recurrence(sum, without_regrouping()) == fraction(2));
  }
  SUBCASE("another operation") {
    CHECK(recurrence(w.associative(operation::bit_xor, x, v)) == fraction(2));
  }
  SUBCASE("not flagged") {
    CHECK(recurrence(w.pure(operation::add, x, v)) == fraction(2));
  }
  SUBCASE("another width") {
    w[sum].info.width = 16;
    CHECK(recurrence(sum) == fraction(2));
  }
  SUBCASE("used elsewhere") {
    w.body.live_out.push_back(plus(sum, 0));
    CHECK(recurrence(sum) == fraction(2));
  }
}

TEST_CASE("estimate_body: in a constant expression") {
  constexpr auto interval = [] {
    midend::unrolled_body body;
    body.copies = 1;
    return midend::estimate_body(body, midend::e2k_reference_v6()).interval;
  }();
  static_assert(interval == 1);
}

TEST_CASE("estimate_body: a predicate plus 1 is its negation, which takes no operation") {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id flag = w.phi(1);
  const unrolled_id p = w.pure(operation::less, i, w.invariant());
  const unrolled_id both = w.pure(operation::bit_and, {plus(p, 1), plus(flag, 1)}, 1);
  w.exit(both, false);
  w.set_next(i, plus(i, 1));
  SUBCASE("in an operation, and for the next pass") {
    w.set_next(flag, plus(p, 1));
    const estimated out(w);
    CHECK(out.cost.operations == 3);
    CHECK(out.has(compare, predicate_logic, dependence_kind::value, 1));
  }
  SUBCASE("but a flag that is turned over each time takes an operation") {
    w.set_next(flag, plus(flag, 1));
    const estimated out(w);
    CHECK(out.cost.operations == 4);
    CHECK(out.count(predicate_logic) == 2);
    CHECK(out.count(alu) == 1);
  }
}

TEST_CASE("estimate_body: the bound of the counted exit includes the addend of the counter; other tests do not") {
  unrolled_writer w(4);
  const unrolled_id i = w.phi();
  const unrolled_id n = w.invariant();
  const unrolled_id test = w.pure(operation::less, {plus(i, 3), plus(n, 0)});
  w.set_next(i, plus(i, 4));
  SUBCASE("counted") {
    w.exit(test, true);
    CHECK(estimated(w).cost.operations == 2);
  }
  SUBCASE("not counted") {
    w.exit(test, false);
    CHECK(estimated(w).cost.operations == 3);
  }
}

TEST_CASE("estimate_body: each exit has its own values that are used after the loop") {
  unrolled_writer w(2);
  const unrolled_id i = w.phi();
  const unrolled_id a = w.invariant(64);
  const unrolled_id first = w.load({.base = a, .index = i});
  w.exit(w.pure(operation::equal, i, w.invariant()), false);
  const unrolled_id second = w.load({.base = a, .index = i, .offset = 4});
  w.exit(w.pure(operation::equal, {plus(i, 1), plus(w.invariant(), 0)}), false);
  w.set_next(i, plus(i, 2));
  w.body.live_out.push_back(plus(second, 0));
  w.body.exit_values.push_back(plus(first, 0));
  w.body.exit_values.push_back(plus(midend::no_unrolled, 0));
  CHECK(estimated(w).count(load) == 2);
}

TEST_CASE("estimate_body: a load before a call is not fused with a select that waits for the call") {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id p = w.pure(operation::less, i, w.invariant());
  const unrolled_id loaded = w.load({.base = w.invariant(64), .index = i});
  const unrolled_id called = w.call({plus(i, 0)});
  SUBCASE("of what the call gives") {
    w.set_next(i, w.select(p, loaded, w.select(p, called, i)));
    const estimated out(w);
    CHECK(out.count(merge) == 2);
    CHECK(out.cost.recurrence == midend::recurrence_status::bound);
  }
  SUBCASE("but for one of what was there before") {
    w.set_next(i, w.select(p, loaded, i));
    w.body.live_out.push_back(plus(called, 0));
    w.body.live_out.push_back(plus(i, 0));
    const estimated out(w);
    CHECK(out.count(merge) == 0);
    CHECK(out.cost.recurrence == midend::recurrence_status::bound);
  }
}

TEST_CASE("estimate_body: a predicated operation writes after the value that it may keep is written") {
  unrolled_writer w;
  const unrolled_id i = w.phi();
  const unrolled_id x = w.phi();
  const unrolled_id p = w.pure(operation::less, i, w.invariant());
  w.set_next(i, plus(i, 1));
  w.body.live_out.push_back(plus(x, 0));
  SUBCASE("of the pass before") {
    w.set_next(x, w.select(p, w.load({.base = w.invariant(64), .index = i}), x));
    const estimated out(w);
    CHECK(out.has(load, load, dependence_kind::value, 1));
    CHECK(out.cost.recurrence_exact == fraction(1)); // not 5: nobody waits for the value
  }
  SUBCASE("of a longer operation") {
    const unrolled_id v = w.load({.base = w.invariant(64), .index = i});
    w.set_next(x, w.select(p, w.pure(operation::add, i, w.invariant()), v));
    const estimated out(w);
    CHECK(out.has(load, alu, dependence_kind::value, 0));
    CHECK(out.cost.critical_path == 5 + 1);
  }
  SUBCASE("of a shorter one") {
    const unrolled_id v = w.pure(operation::bit_xor, w.pure(operation::bit_or, i, w.invariant()), w.invariant());
    w.set_next(x, w.select(p, w.pure(operation::mul, i, w.invariant()), v));
    CHECK(estimated(w).cost.critical_path == 2 + 4); // the predicate, and the product
  }
}

TEST_CASE("estimate_body: a sum with other uses is not fused with a select") {
  unrolled_writer w;
  const unrolled_id x = w.phi();
  const unrolled_id p = w.pure(operation::less, x, w.invariant());
  w.store({.base = w.invariant(64), .memory = 1}, plus(x, 1));
  w.set_next(x, w.select(p, plus(x, 1), plus(x, 0)));
  const estimated out(w);
  CHECK(out.count(alu) == 1);
  CHECK(out.count(merge) == 1);
  CHECK_FALSE(out.has(compare, alu, dependence_kind::guard, 0));
}

TEST_CASE("estimate_body: volatile accesses keep their order, at any addresses") {
  unrolled_writer w;
  const unrolled_id a = w.invariant(64);
  for (std::int64_t offset : {0, 8}) {
    w[w.load({.base = a, .offset = offset})].is_volatile = true;
  }
  const estimated out(w);
  CHECK(out.count(load) == 2);
  CHECK(out.has(load, load, dependence_kind::order, 0));
  CHECK(out.has(load, load, dependence_kind::order, 1));
}
