// dependence: against all iterations of small nests, and by hand.
#include "dependence/nest_kit.hpp"
#include "kit/affordable.hpp"
#include "kit/allocations.hpp"

#include <doctest/doctest.h>
#include <midend/dependence/dependence.hpp>
#include <midend/dependence/explain_dependence.hpp>
#include <midend/dependence/verify_dependences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::class_scope;
using midend::dependence_answer;
using midend::dependence_case;
using midend::dependence_case_kind;
using midend::dependence_obstacle;
using midend::dependence_result;
using midend::dependence_test;
using midend::iteration_order;
using midend::only;
using midend::trip_bound;

namespace {

/// Compares answers with runs, and counts.
class comparison {
public:
  void compare(const nest_accesses& nest, access_id a, access_id b) {
    midend::dependence(nest, a, b, {}, workspace_, result_);
    results_of_pair_ = {&result_, 1};
    const auto fault = midend::verify_dependences(nest, results_of_pair_, checking_);
    if (fault) {
      CAPTURE(static_cast<int>(fault->kind));
      CAPTURE(fault->of_case);
      CAPTURE(fault->step);
      FAIL("a result that its checker refuses");
    }
    const meetings found = all_meetings(nest, a, b);
    ++pairs;
    independent += found.vectors.empty() ? 1 : 0;
    found_independent += result_.is_independent() ? 1 : 0;
    unknown += result_.answer == dependence_answer::unknown ? 1 : 0;
    exact += result_.is_exact ? 1 : 0;
    if (result_.is_independent() && !found.vectors.empty()) {
      FAIL("a wrong \"independent\"");
    }
    if (result_.answer == dependence_answer::dependent && found.vectors.empty()) {
      FAIL("a wrong \"dependent\"");
    }
    for (const std::vector<int>& v : found.vectors) {
      if (!is_possible(v)) {
        FAIL("an order of iterations is missing");
      }
    }
    for (const dependence_case& c : result_.cases) {
      if (c.has_witness && c.num_orders == result_.levels && found.vectors.count(orders_of(c)) == 0) {
        FAIL("an order of iterations that does not occur");
      }
    }
    for (std::uint32_t i = 0; i != result_.levels && !found.vectors.empty(); ++i) {
      const auto d = result_.distance(i);
      constant_distances += found.distances[i].size() == 1 ? 1 : 0;
      found_distances += d ? 1 : 0;
      if (d && (found.distances[i].size() != 1 || *found.distances[i].begin() != *d)) {
        FAIL("a wrong distance");
      }
    }
  }

  std::size_t pairs = 0;
  std::size_t independent = 0;
  std::size_t found_independent = 0;
  std::size_t unknown = 0;
  std::size_t exact = 0;
  std::size_t constant_distances = 0;
  std::size_t found_distances = 0;

  void report(const std::string& what) const {
    MESSAGE(what << ": " << pairs << " pairs, " << independent << " independent, found " << found_independent
                 << ", unknown " << unknown << ", all cases exact " << exact << "; " << constant_distances
                 << " constant distances, found " << found_distances);
  }

  const dependence_result& result() const { return result_; }

private:
  std::vector<int> orders_of(const dependence_case& c) const {
    std::vector<int> out;
    for (const iteration_order o : result_.orders_of(c)) {
      out.push_back(static_cast<int>(o));
    }
    return out;
  }

  bool is_possible(const std::vector<int>& v) const {
    for (const dependence_case& c : result_.cases) {
      const std::vector<int> begin = orders_of(c);
      if (c.kind == dependence_case_kind::possible && std::equal(begin.begin(), begin.end(), v.begin())) {
        return true;
      }
    }
    return false;
  }

  dependence_result result_;
  midend::span<const dependence_result> results_of_pair_;
  midend::dependence_workspace workspace_;
  midend::verify_dependences_workspace checking_;
};

/// Each `stride`-th of all nests of two loops with 0 to 5 iterations, factors from -3 to 3, distances from -4 to 4, and
/// sizes 1 and 2.
void compare_two_levels(std::size_t stride, comparison& all) {
  std::size_t number = 0;
  nest_accesses nest;
  for (std::uint64_t rows = 0; rows <= 5; ++rows) {
    for (std::uint64_t columns = 0; columns <= 5; ++columns) {
      for (std::size_t code = 0; code != 7 * 7 * 7 * 7 * 9 * 4; ++code) {
        if (number++ % stride != 0) {
          continue;
        }
        std::size_t rest = code;
        const auto digit = [&](std::size_t base) {
          const std::size_t d = rest % base;
          rest /= base;
          return static_cast<std::int64_t>(d);
        };
        nest.clear(0);
        const counter_id inner = add_loops(nest, {rows, columns});
        const std::int64_t f[] = {digit(7) - 3, digit(7) - 3, digit(7) - 3, digit(7) - 3};
        const std::int64_t offset = digit(9) - 4;
        const auto first_bytes = static_cast<std::uint32_t>(digit(2) + 1);
        const auto second_bytes = static_cast<std::uint32_t>(digit(2) + 1);
        add_access(nest, inner, {f[0], f[1]}, 0, first_bytes, true);
        add_access(nest, inner, {f[2], f[3]}, offset, second_bytes);
        all.compare(nest, 0, 1);
        if (f[2] == 0 && f[3] == 0 && offset == 0) {
          all.compare(nest, 0, 0);
        }
      }
    }
  }
}

/// A random nest: loops in a tree of up to three levels, limits by outer counters, accesses at any depth.
void make_random_nest(std::mt19937_64& random, nest_accesses& nest, unsigned address_bits) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  nest.clear(address_bits);
  const counter_id outer = nest.add_counter(midend::no_counter, trip_bound::exact, random() % 5);
  std::vector<counter_id> loops = {outer};
  for (int i = 0; i != 3; ++i) {
    const counter_id parent = loops[random() % loops.size()];
    if (nest.depth_below(parent) == 3) {
      continue;
    }
    const counter_id c = nest.add_counter(parent, trip_bound::exact, random() % 5);
    if (random() % 3 == 0) {
      const nest_term term{nest.loop_at(parent, 0), false, below(5) - 2};
      nest.set_limit(c, below(5), {&term, 1});
    }
    loops.push_back(c);
  }
  for (int i = 0; i != 3; ++i) {
    const counter_id loop = loops[loops.size() - 1 - random() % (i == 0 ? 1 : loops.size())];
    std::vector<std::int64_t> factors;
    for (std::uint32_t d = 0; d != nest.depth_below(loop); ++d) {
      factors.push_back(random() % 4 == 0 ? 0 : (below(15) - 7) * (random() % 4 == 0 ? 3 : 1));
    }
    static_cast<void>(add_access(nest, loop, factors, below(41) - 20, 1U << random() % 4, i == 0));
  }
}

} // namespace

TEST_CASE("dependence: nests of two loops against all iterations") {
  comparison all;
  compare_two_levels(affordable(1) * 331, all);
  all.report("two loops");
  CHECK(all.found_independent == all.independent);
  CHECK(all.exact == all.pairs);
}

TEST_CASE("dependence: all nests of two loops against all iterations, long" * doctest::skip()) {
  comparison all;
  compare_two_levels(1, all);
  all.report("all nests of two loops");
  CHECK(all.pairs == 36 * (7 * 7 * 7 * 7 * 9 * 4 + 49 * 4));
  CHECK(100 * all.found_independent >= 99 * all.independent);
}

TEST_CASE("dependence: random trees of loops, against all iterations") {
  std::mt19937_64 random(11);
  comparison all;
  nest_accesses nest;
  for (std::size_t i = 0; i != affordable(700); ++i) {
    make_random_nest(random, nest, random() % 2 == 0 ? 0 : static_cast<unsigned>(4 + random() % 5));
    for (access_id a = 0; a != nest.num_accesses(); ++a) {
      for (access_id b = 0; b != nest.num_accesses(); ++b) {
        all.compare(nest, a, b);
      }
    }
  }
  all.report("random trees of loops");
  CHECK(100 * all.found_independent >= 99 * all.independent);
}

namespace {

/// A loop whose counter is k, with two accesses: the first one writes.
dependence_result in_one_loop(std::uint64_t trips, std::int64_t first, std::int64_t second, std::int64_t apart,
                              std::uint32_t bytes, unsigned address_bits = 64) {
  nest_accesses nest;
  nest.clear(address_bits);
  const counter_id loop = add_loops(nest, {trips});
  add_access(nest, loop, {first}, 0, bytes, true);
  add_access(nest, loop, {second}, apart, bytes);
  dependence_result out = midend::dependence(nest, 0, 1);
  CHECK(!midend::verify_dependences(nest, {&out, 1}));
  return out;
}

/// The loop of a test of alias classes: two loops, and accesses at the same place by two bases.
nest_accesses of_classes(class_scope scope, counter_id loop, midend::value_id other_base) {
  nest_accesses nest;
  nest.clear();
  const counter_id inner = add_loops(nest, {10, 10});
  for (const std::uint32_t memory : {1U, 2U}) {
    nest_access a;
    a.loop = inner;
    a.bytes = 4;
    a.base = memory == 1 ? 1 : other_base;
    a.memory = memory;
    a.scope = scope;
    a.scope_loop = loop;
    a.writes = true;
    const nest_term term{inner, false, 4};
    nest.add_access(a, 0, {&term, 1});
  }
  return nest;
}

} // namespace

TEST_CASE("dependence: the tests by name") {
  CHECK(in_one_loop(100, 0, 0, 8, 4).by == dependence_test::ziv);
  CHECK(in_one_loop(100, 4, 4, 400, 4).by == dependence_test::strong_siv);
  CHECK(in_one_loop(100, 8, 8, 4, 4).by == dependence_test::strong_siv);
  CHECK(in_one_loop(100, 4, 0, 404, 4).by == dependence_test::weak_zero_siv);
  CHECK(in_one_loop(100, 4, -4, 1000, 4).by == dependence_test::weak_crossing_siv);
  CHECK(in_one_loop(4, 12, 20, 40, 4).by == dependence_test::exact_siv);
  CHECK(in_one_loop(100, 4, 4, 396, 4).answer == dependence_answer::dependent);
  const dependence_result near = in_one_loop(100, 4, 4, -4, 4);
  CHECK(near.answer == dependence_answer::dependent);
  CHECK((near.forward && !near.backward && !near.loop_independent));
  CHECK(near.orders[0] == only(iteration_order::before));
  CHECK(near.distance(0) == 1);
  CHECK(midend::dependence_kind_of(true, false) == midend::memory_dependence_kind::flow);
}

TEST_CASE("dependence: parts of one nest, and the mirror of a triangle") {
  nest_accesses nest;
  nest.clear();
  const counter_id rows = nest.add_counter(midend::no_counter, trip_bound::exact, 100);
  const counter_id columns = nest.add_counter(rows);
  const nest_term up_to{rows, false, 1};
  nest.set_limit(columns, 0, {&up_to, 1}); // j < i
  add_access(nest, columns, {400, 4}, 0, 4, true);
  add_access(nest, columns, {4, 400}, 0, 4);
  dependence_result r = midend::dependence(nest, 0, 1);
  CHECK(r.is_independent());
  CHECK(r.by == dependence_test::elimination);
  CHECK(!midend::verify_dependences(nest, {&r, 1}));
  const counter_id after = nest.add_counter(rows, trip_bound::exact, 10);
  add_access(nest, after, {0, 800}, 4, 4); // rdiv, in a loop that is not around both
  CHECK(nest.common_levels(0, 2) == 1);
  r = midend::dependence(nest, 0, 2);
  CHECK(r.answer == dependence_answer::dependent);
  CHECK(!midend::verify_dependences(nest, {&r, 1}));
}

TEST_CASE("dependence: what is not known is no \"independent\"") {
  nest_accesses nest;
  nest.clear();
  const counter_id loop = add_loops(nest, {8});
  add_access(nest, loop, {4}, 0, 4, true);
  nest_access unknown;
  unknown.loop = loop;
  unknown.bytes = 4;
  unknown.base = 2;
  nest.add_access(unknown); // 1: another base
  unknown.base = 1;
  unknown.bytes = 0;
  nest.add_access(unknown); // 2: any size
  unknown.bytes = 4;
  unknown.obstacle = midend::place_obstacle::not_affine;
  nest.add_access(unknown); // 3
  const dependence_obstacle expected[] = {dependence_obstacle::different_bases, dependence_obstacle::unknown_size,
                                          dependence_obstacle::unknown_place};
  for (access_id b = 1; b != 4; ++b) {
    dependence_result r = midend::dependence(nest, 0, b);
    CHECK(r.answer == dependence_answer::unknown);
    CHECK(r.obstacle == expected[b - 1]);
    CHECK(r.orders[0] == midend::all_iteration_orders);
    CHECK((r.forward && r.backward && r.loop_independent));
    CHECK(!midend::verify_dependences(nest, {&r, 1}));
    r.answer = dependence_answer::independent;
    CHECK(midend::verify_dependences(nest, {&r, 1}));
  }
  dependence_result none; // as it is made
  CHECK(!none.is_independent());
  dependence_result itself = midend::dependence(nest, 3, 3);
  CHECK(itself.answer == dependence_answer::unknown);
  CHECK(itself.orders[0] == (only(iteration_order::before) | only(iteration_order::after)));
  CHECK(!midend::verify_dependences(nest, {&itself, 1}));
}

// Named after mechanisms of public reports about other analyses.

TEST_CASE("dependence: <= is not taken for <") {
  // a[i] and a[min distance 0 or 1]: two bytes overlap the element before and the same one.
  const dependence_result r = in_one_loop(10, 1, 1, 0, 2);
  CHECK(r.orders[0] == midend::all_iteration_orders);
  const dependence_result to_the_left = in_one_loop(10, 2, 2, -1, 2); // bytes of this and of the element before
  CHECK(to_the_left.orders[0] == (only(iteration_order::before) | only(iteration_order::same)));
}

TEST_CASE("dependence: one operation in two iterations is a pair") {
  nest_accesses nest;
  nest.clear();
  const counter_id inner = add_loops(nest, {10, 10});
  add_access(nest, inner, {4, 0}, 0, 4, true);  // in each iteration of the inner loop
  add_access(nest, inner, {40, 4}, 0, 4, true); // never twice
  add_access(nest, inner, {36, 4}, 0, 4, true); // the end of a row is the start of the next one
  const dependence_result same = midend::dependence(nest, 0, 0);
  CHECK(same.answer == dependence_answer::dependent);
  CHECK(same.orders[0] == only(iteration_order::same));
  CHECK(same.orders[1] == (only(iteration_order::before) | only(iteration_order::after)));
  CHECK(midend::dependence(nest, 1, 1).is_independent());
  const dependence_result wraps = midend::dependence(nest, 2, 2);
  CHECK(wraps.answer == dependence_answer::dependent);
  CHECK((wraps.distance(0) == std::nullopt)); // 1 and -1
}

TEST_CASE("dependence: products and differences at the ends of 64 bits") {
  const std::int64_t least = -0x7fff'ffff'ffff'ffff - 1;
  const std::int64_t most = 0x7fff'ffff'ffff'ffff;
  std::size_t decided = 0;
  for (const std::int64_t first : {least, least + 1, most, most - 1, std::int64_t{1} << 62}) {
    for (const std::int64_t second : {least, most, std::int64_t{1}, std::int64_t{-1}}) {
      for (const std::int64_t apart : {least, most, std::int64_t{0}, std::int64_t{4}}) {
        for (const std::uint64_t trips : {std::uint64_t{2}, ~std::uint64_t{0}}) {
          const dependence_result r = in_one_loop(trips, first, second, apart, 1);
          // Iterations 0 and 1, modulo 2^64.
          bool meets = apart == 0;
          meets = meets || static_cast<std::uint64_t>(first) == static_cast<std::uint64_t>(apart);
          meets = meets || static_cast<std::uint64_t>(apart) + static_cast<std::uint64_t>(second) == 0;
          meets = meets || static_cast<std::uint64_t>(first) ==
                               static_cast<std::uint64_t>(apart) + static_cast<std::uint64_t>(second);
          CHECK((!meets || !r.is_independent()));
          CHECK((trips != 2 || meets || r.answer != dependence_answer::dependent));
          decided += r.answer != dependence_answer::unknown ? 1 : 0;
        }
      }
    }
  }
  CHECK(decided > 100);
}

TEST_CASE("dependence: distances where the step is negative") {
  const dependence_result r = in_one_loop(100, -4, -4, 4, 4); // what is written is read in the next iteration
  CHECK(r.distance(0) == 1);
  CHECK((r.forward && !r.backward));
  CHECK(in_one_loop(100, -4, -4, -4, 4).distance(0) == -1);
  CHECK(in_one_loop(100, -4, -4, 1200, 4).is_independent());
  CHECK(in_one_loop(100, -8, -8, 4, 4).is_independent());
}

TEST_CASE("explain_dependence: the test, the iterations that meet, or what is not known") {
  nest_accesses nest;
  nest.clear();
  const counter_id loop = add_loops(nest, {100});
  add_access(nest, loop, {4}, 0, 4, true);
  add_access(nest, loop, {4}, -12, 4);
  add_access(nest, loop, {4}, 2, 2);
  nest_access unknown;
  unknown.loop = loop;
  unknown.bytes = 4;
  unknown.base = 1;
  unknown.obstacle = midend::place_obstacle::not_affine;
  unknown.why = midend::evolution_obstacle::may_wrap;
  nest.add_access(unknown);
  dependence_result r = midend::dependence(nest, 0, 1);
  midend::dependence_explanation e = midend::explain_dependence(nest, r);
  REQUIRE(e.has_witness);
  REQUIRE((e.first_iteration.size() == 1 && e.second_iteration.size() == 1 && e.symbols.empty()));
  CHECK(e.second_iteration[0] - e.first_iteration[0] == midend::checked_integer(3));
  r = midend::dependence(nest, 1, 1);
  e = midend::explain_dependence(nest, r);
  CHECK((e.answer == dependence_answer::independent && e.by == dependence_test::strong_siv && e.proof_steps != 0));
  r = midend::dependence(nest, 0, 3);
  e = midend::explain_dependence(nest, r);
  CHECK((!e.has_witness && !e.is_first_place && e.obstacle == dependence_obstacle::unknown_place));
  CHECK((e.place == midend::place_obstacle::not_affine && e.why == midend::evolution_obstacle::may_wrap));
}

TEST_CASE("dependence: addresses that wrap around the address space") {
  CHECK(in_one_loop(10, 32, 32, 16, 8, 8).is_independent());
  CHECK(in_one_loop(10, 32, 32, 0, 8, 8).orders[0] == midend::all_iteration_orders); // 8 iterations later
  CHECK(in_one_loop(8, 32, 32, 0, 8, 8).orders[0] == only(iteration_order::same));
  // An array of more than 2^64 bytes is none: 4 * k meets after 2^62 iterations.
  CHECK(in_one_loop(std::uint64_t{1} << 62, 4, 4, 0, 4).orders[0] == only(iteration_order::same));
  CHECK(in_one_loop((std::uint64_t{1} << 62) + 1, 4, 4, 0, 4).orders[0] == midend::all_iteration_orders);
}

TEST_CASE("dependence: classes of memory have a scope") {
  for (const midend::value_id base : {1U, 2U}) {
    nest_accesses nest = of_classes(class_scope::procedure, midend::no_counter, base);
    dependence_result r = midend::dependence(nest, 0, 1);
    CHECK((r.is_independent() && r.by == dependence_test::classes));
    nest = of_classes(class_scope::loop, 0, base); // of the outer loop: the same
    CHECK(midend::dependence(nest, 0, 1).is_independent());
    nest = of_classes(class_scope::iteration, 0, base); // not in two iterations of the outer loop
    r = midend::dependence(nest, 0, 1);
    CHECK(r.answer == (base == 1 ? dependence_answer::dependent : dependence_answer::unknown));
    CHECK(r.orders[0] == (only(iteration_order::before) | only(iteration_order::after)));
    CHECK(!midend::verify_dependences(nest, {&r, 1}));
    for (dependence_case& c : r.cases) { // as if the promise held for the whole loop
      c.kind = dependence_case_kind::other_class;
    }
    CHECK(midend::verify_dependences(nest, {&r, 1})->kind == midend::dependence_fault_kind::classes);
    nest = of_classes(class_scope::loop, 1, base); // within a run of the inner loop
    CHECK(midend::dependence(nest, 0, 1).orders[0] == (only(iteration_order::before) | only(iteration_order::after)));
    nest = of_classes(class_scope::iteration, 1, base); // within one iteration of both
    r = midend::dependence(nest, 0, 1);
    CHECK(!r.loop_independent);
    CHECK(r.orders[0] == midend::all_iteration_orders - (base == 1 ? 2 : 0));
    CHECK(!midend::verify_dependences(nest, {&r, 1}));
  }
}

namespace {

/// The same with local classes, of loops `a` and `b`.
nest_accesses of_local_classes(counter_id a, counter_id b, std::uint32_t second, midend::value_id other_base) {
  nest_accesses nest;
  nest.clear();
  const counter_id inner = add_loops(nest, {10, 10});
  for (const bool is_second : {false, true}) {
    nest_access x;
    x.loop = inner;
    x.bytes = 4;
    x.base = is_second ? other_base : 1;
    x.local = is_second ? second : 1;
    x.local_loop = is_second ? b : a;
    x.writes = true;
    const nest_term term{inner, false, 4};
    nest.add_access(x, 0, {&term, 1});
  }
  return nest;
}

} // namespace

TEST_CASE("dependence: local classes hold in a run of their loop, or of the nest") {
  for (const midend::value_id base : {1U, 2U}) {
    const auto is_independent = [&](counter_id a, counter_id b, std::uint32_t second) {
      const nest_accesses nest = of_local_classes(a, b, second, base);
      const dependence_result r = midend::dependence(nest, 0, 1);
      CHECK(!midend::verify_dependences(nest, {&r, 1}));
      return r.is_independent();
    };
    CHECK(is_independent(midend::no_counter, midend::no_counter, 2));
    CHECK(is_independent(0, 0, 2));
    CHECK(!is_independent(0, 0, 1));
    CHECK(!is_independent(0, midend::no_counter, 2));
    CHECK(!is_independent(0, 1, 2));
    CHECK(!is_independent(0, 0, midend::any_memory));
    const nest_accesses nest = of_local_classes(1, 1, 2, base); // not in two runs of the inner loop
    dependence_result r = midend::dependence(nest, 0, 1);
    CHECK(r.orders[0] == (only(iteration_order::before) | only(iteration_order::after)));
    for (dependence_case& c : r.cases) {
      c.kind = dependence_case_kind::other_class;
    }
    CHECK(midend::verify_dependences(nest, {&r, 1})->kind == midend::dependence_fault_kind::classes);
  }
}

TEST_CASE("dependence: accesses of different sizes, not aligned") {
  nest_accesses nest;
  nest.clear();
  const counter_id loop = add_loops(nest, {100});
  add_access(nest, loop, {16}, 0, 8, true);
  add_access(nest, loop, {16}, 8, 8);
  add_access(nest, loop, {16}, 7, 1);
  add_access(nest, loop, {16}, 14, 4); // 2 bytes of the next one
  CHECK(midend::dependence(nest, 0, 1).is_independent());
  CHECK(midend::dependence(nest, 0, 2).orders[0] == only(iteration_order::same));
  CHECK(midend::dependence(nest, 0, 3).orders[0] == only(iteration_order::after));
  CHECK(midend::dependence(nest, 0, 3).distance(0) == -1);
}

TEST_CASE("dependence: symbols that cancel, symbols that do not, and symbols with bounds") {
  nest_accesses nest;
  nest.clear();
  const counter_id loop = add_loops(nest, {16});
  midend::nest_symbol n;
  n.value = 7;
  n.is_bounded = true;
  n.low = 16;
  n.high = 1000;
  const midend::symbol_id s = nest.add_symbol(n);
  nest_access a;
  a.loop = loop;
  a.bytes = 4;
  a.base = 1;
  a.writes = true;
  const nest_term counter{loop, false, 4};
  const nest_term both[] = {{loop, false, 4}, {s, true, 4}};
  nest.add_access(a, 0, {&counter, 1});
  nest.add_access(a, 0, both);  // at least 16 elements later
  nest.add_access(a, -4, both); // at least 15: the last iteration meets the first one
  nest.add_access(a, 64, both);
  CHECK(midend::dependence(nest, 0, 1).is_independent());
  const dependence_result r = midend::dependence(nest, 0, 2);
  CHECK(r.answer == dependence_answer::dependent);
  CHECK(r.orders[0] == only(iteration_order::after));
  CHECK(midend::dependence(nest, 1, 3).is_independent());
}

namespace {

/// Rows of an array of 245 columns that nearly meet, and the number of columns of the rows in between is a symbol:
/// without a limit, the pair takes more than three million numbers, for cases that elimination does not decide.
void make_hard_nest(nest_accesses& nest) {
  nest.clear(64);
  midend::nest_symbol n;
  n.value = 7;
  n.is_bounded = true;
  n.low = -10;
  n.high = 2'147'483'637;
  const midend::symbol_id s = nest.add_symbol(n);
  const nest_term symbol{s, true, 1};
  const counter_id outer = nest.add_counter(midend::no_counter, midend::trip_bound::exact, 118'364'588'800'116);
  const counter_id middle = nest.add_counter(outer, midend::trip_bound::unknown, 0);
  nest.set_limit(middle, 0, {&symbol, 1});
  const counter_id inner = nest.add_counter(middle, midend::trip_bound::exact, 245);
  for (const std::int64_t column : {246, 245}) {
    nest_access a;
    a.loop = inner;
    a.bytes = 1;
    a.base = 1;
    a.writes = true;
    const nest_term terms[] = {{inner, false, -column}, {middle, false, -1'380'937'216'468'260}, {outer, false, -246}};
    nest.add_access(a, -2, terms);
  }
}

} // namespace

TEST_CASE("dependence: the work is counted, and ends at the limit") {
  nest_accesses nest;
  make_hard_nest(nest);
  midend::dependence_options options;
  options.max_work = options.max_work_of_case = ~std::uint64_t{0};
  const dependence_result all = midend::dependence(nest, 0, 1, options);
  CHECK(all.work > 1'000'000);
  for (const std::uint32_t limit : {0u, 100u, 10'000u, 100'000u, 1'000'000u}) {
    CAPTURE(limit);
    options.max_work = limit;
    options.max_work_of_case = limit / 4;
    const dependence_result r = midend::dependence(nest, 0, 1, options);
    CHECK(r.work <= limit + 20'000); // the last numbers of a run are chosen without a look at the limit
    CHECK(!midend::verify_dependences(nest, {&r, 1}));
    CHECK(!r.is_independent());
    for (std::uint32_t i = 0; i != r.levels; ++i) { // what is not excluded may be
      CHECK((r.orders[i] & all.orders[i]) == all.orders[i]);
    }
    CHECK(r.forward >= all.forward);
    CHECK(r.backward >= all.backward);
  }
  const dependence_result usual = midend::dependence(nest, 0, 1);
  CHECK(usual.work <= midend::dependence_options().max_work + 20'000);
  CHECK(usual.work < all.work);
}

TEST_CASE("dependence: nothing is allocated for a pair as large as one before") {
  std::mt19937_64 random(23);
  nest_accesses nest;
  make_random_nest(random, nest, 8);
  midend::dependence_workspace workspace;
  midend::verify_dependences_workspace checking;
  dependence_result r;
  const auto work = [&] {
    for (access_id b = 0; b != nest.num_accesses(); ++b) {
      midend::dependence(nest, 0, b, {}, workspace, r);
      CHECK(!midend::verify_dependences(nest, {&r, 1}, checking));
    }
  };
  CHECK(allocations_of(work) != 0);
  CHECK(allocations_of(work) == 0);
}

TEST_CASE("dependence: a checker refuses what has mistakes, each number changed in turn") {
  std::mt19937_64 random(5);
  nest_accesses nest;
  std::size_t mistakes = 0;
  std::size_t found = 0;
  std::size_t harmless = 0;
  for (int i = 0; i != 40; ++i) {
    make_random_nest(random, nest, i % 2 == 0 ? 0 : 8);
    for (access_id b = 0; b != nest.num_accesses(); ++b) {
      const dependence_result right = midend::dependence(nest, 0, b);
      const meetings really = all_meetings(nest, 0, b);
      const auto check = [&](const dependence_result& wrong) {
        ++mistakes;
        if (midend::verify_dependences(nest, {&wrong, 1})) {
          ++found;
          return;
        }
        ++harmless; // a proof may have steps that nothing needs; what is said must still be true
        CHECK((!wrong.is_independent() || really.vectors.empty()));
        for (const std::vector<int>& v : really.vectors) {
          for (std::uint32_t level = 0; level != wrong.levels; ++level) {
            CHECK((wrong.orders[level] >> v[level] & 1) != 0);
          }
        }
      };
      dependence_result wrong = right;
      wrong.answer = right.is_independent() ? dependence_answer::unknown : dependence_answer::independent;
      check(wrong);
      for (std::size_t t = 0; t < right.terms.size(); t += 1 + random() % 5) {
        wrong = right;
        wrong.terms[t].factor = random() % 2 == 0 ? -right.terms[t].factor : right.terms[t].factor + 1;
        check(wrong);
        wrong.terms[t].factor = right.terms[t].factor;
        wrong.terms[t].index += 1 + static_cast<std::uint32_t>(random() % 3);
        check(wrong);
      }
      for (std::size_t s = 0; s < right.steps.size(); s += 1 + random() % 5) {
        wrong = right;
        wrong.steps[s].index += 1;
        check(wrong);
        wrong = right;
        wrong.steps[s].kind = static_cast<midend::proof_step_kind>(random() % 5);
        check(wrong);
        wrong = right;
        wrong.steps[s].fact = static_cast<midend::nest_fact>(random() % 11);
        check(wrong);
        wrong = right;
        wrong.steps[s].count = static_cast<std::uint32_t>(random());
        check(wrong);
      }
      for (std::size_t c = 0; c != right.cases.size(); ++c) {
        wrong = right;
        wrong.cases[c].kind = static_cast<dependence_case_kind>(random() % 4);
        check(wrong);
        wrong = right;
        wrong.cases[c].num_orders += random() % 2 == 0 ? 1 : ~std::uint32_t{0};
        check(wrong);
        wrong = right;
        wrong.cases[c].proof.count -= 1;
        check(wrong);
      }
      for (std::size_t w = 0; w != right.witnesses.size(); ++w) {
        wrong = right;
        wrong.witnesses[w] = wrong.witnesses[w] + 1;
        check(wrong);
      }
      for (std::size_t d = 0; d != right.distances.size(); ++d) {
        wrong = right;
        wrong.distances[d].distance += 1;
        CHECK(midend::verify_dependences(nest, {&wrong, 1}));
      }
      wrong = right;
      wrong.forward = !wrong.forward;
      CHECK(midend::verify_dependences(nest, {&wrong, 1}));
    }
  }
  MESSAGE(mistakes << " mistakes, " << found << " refused, " << harmless << " harmless");
  CHECK(found * 2 > mistakes);
}

TEST_CASE("dependence: numbers that are no enumerators prove nothing") {
  std::mt19937_64 random(6);
  nest_accesses nest;
  std::size_t cases = 0;
  std::size_t claims = 0;
  for (int i = 0; i != 40; ++i) {
    make_random_nest(random, nest, 0);
    for (access_id b = 0; b != nest.num_accesses(); ++b) {
      const dependence_result right = midend::dependence(nest, 0, b);
      for (std::size_t c = 0; c != right.cases.size(); ++c) {
        dependence_result wrong = right;
        wrong.cases[c].kind = static_cast<dependence_case_kind>(4);
        wrong.cases[c].has_witness = false;
        ++cases;
        CHECK(midend::verify_dependences(nest, {&wrong, 1})->kind == midend::dependence_fault_kind::cases);
      }
      for (std::size_t d = 0; d != right.distances.size(); ++d) {
        // Both inequalities of the claim together contradict each other, whatever it says.
        dependence_result wrong = right;
        wrong.distances[d].distance += 1;
        for (const bool below : {true, false}) {
          const auto fact = below ? midend::nest_fact::distance_below : static_cast<midend::nest_fact>(11);
          const auto other = below ? static_cast<midend::nest_fact>(11) : midend::nest_fact::distance_above;
          midend::proof_range& proof = below ? wrong.distances[d].below : wrong.distances[d].above;
          proof = {static_cast<std::uint32_t>(wrong.steps.size()), 4};
          const auto first = static_cast<std::uint32_t>(wrong.terms.size());
          wrong.terms.push_back({0, 1});
          wrong.terms.push_back({1, 1});
          const std::uint32_t level = wrong.distances[d].level;
          wrong.steps.push_back({midend::proof_step_kind::fact, fact, level, 0, 0});
          wrong.steps.push_back({midend::proof_step_kind::fact, other, level, 0, 0});
          wrong.steps.push_back({midend::proof_step_kind::combination, {}, 0, first, 2});
          wrong.steps.push_back({midend::proof_step_kind::contradiction, {}, 2, 0, 0});
        }
        ++claims;
        CHECK(midend::verify_dependences(nest, {&wrong, 1})->kind == midend::dependence_fault_kind::step);
      }
    }
  }
  CHECK(cases > 40);
  CHECK(claims > 4);
}
