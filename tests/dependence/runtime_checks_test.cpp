// runtime_checks: the bytes that random nests touch, and traps of public reports.
#include "dependence/nest_kit.hpp"

#include <doctest/doctest.h>
#include <midend/dependence/nest_accesses.hpp>
#include <midend/dependence/runtime_checks.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using namespace midend_tests;
using midend::check_obstacle;
using midend::runtime_check_plan;
using midend::symbol_id;
using midend::trip_bound;
using midend::value_id;

namespace {

runtime_check_plan plan_of(const nest_accesses& nest, std::vector<midend::access_pair> pairs = {{0, 1}}) {
  return midend::runtime_checks(nest, pairs);
}

/// Whether the checks hold if base 1 is at 1000 and base 2 at `second`, and each symbol is `n`.
bool hold(const runtime_check_plan& plan, std::uint64_t second, std::int64_t n = 0) {
  return midend::runtime_checks_hold(
      plan, [&](value_id v) { return v == 1 ? std::uint64_t{1000} : second; }, [&](symbol_id) { return n; });
}

/// Two accesses of 4 bytes in a loop, at base 1 + `first` · k and base 2 + `second` · k.
nest_accesses two_bases(trip_bound bound, std::uint64_t trips, std::int64_t first, std::int64_t second) {
  nest_accesses nest;
  nest.clear();
  const counter_id loop = nest.add_counter(midend::no_counter, bound, trips);
  for (const value_id base : {1U, 2U}) {
    nest_access a;
    a.loop = loop;
    a.bytes = 4;
    a.base = base;
    a.writes = base == 1;
    const nest_term term{loop, false, base == 1 ? first : second};
    nest.add_access(a, 0, {&term, 1});
  }
  return nest;
}

} // namespace

TEST_CASE("runtime_checks: intervals touch, and do not overlap") {
  const runtime_check_plan up = plan_of(two_bases(trip_bound::exact, 10, 4, 4));
  REQUIRE(up.intervals.size() == 2);
  CHECK(up.intervals[0].begin.constant == 0);
  CHECK(up.intervals[0].end.constant == 40);
  CHECK(hold(up, 1040));
  CHECK(!hold(up, 1039));
  CHECK(hold(up, 960));
  CHECK(!hold(up, 961));
  CHECK(!up.needs_wide_forms);
}

TEST_CASE("runtime_checks: negative steps are not off by an element") {
  const runtime_check_plan down = plan_of(two_bases(trip_bound::exact, 10, -4, 4));
  CHECK(down.intervals[0].begin.constant == -36);
  CHECK(down.intervals[0].end.constant == 4);
  CHECK(hold(down, 1004));
  CHECK(!hold(down, 1003));
  CHECK(hold(down, 924));
  CHECK(!hold(down, 925));
}

TEST_CASE("runtime_checks: a loop that is left early is covered by a bound, one without a bound by nothing") {
  CHECK(plan_of(two_bases(trip_bound::at_most, 10, 4, 4)).intervals[1].end.constant == 40);
  const runtime_check_plan none = plan_of(two_bases(trip_bound::unknown, 0, 4, 4));
  REQUIRE(none.unchecked.size() == 1);
  CHECK(none.unchecked[0].why == check_obstacle::unknown_trips);
  CHECK(none.comparisons.empty());
  CHECK(plan_of(two_bases(trip_bound::unknown, 0, 0, 0)).comparisons.size() == 1); // it does not move
}

TEST_CASE("runtime_checks: what wraps makes a check fail") {
  nest_accesses nest = two_bases(trip_bound::exact, std::uint64_t{1} << 62, 4, 4);
  CHECK(plan_of(nest).unchecked[0].why == check_obstacle::too_large); // the end is 2^64
  const runtime_check_plan large = plan_of(two_bases(trip_bound::exact, std::uint64_t{1} << 60, 4, 4));
  CHECK(!hold(large, ~std::uint64_t{0} - 100));                             // the end would be before the start
  CHECK(!hold(plan_of(two_bases(trip_bound::exact, 300, -4, 4)), 1000000)); // begins below address 0
  nest.clear();
  midend::nest_symbol n;
  n.is_bounded = true;
  n.low = 0;
  n.high = 0x7fff'ffff'ffff'ffff;
  nest.add_symbol(n);
  const counter_id loop = nest.add_counter();
  const nest_term trips{0, true, 1};
  nest.set_limit(loop, 0, {&trips, 1});
  for (const value_id base : {1U, 2U}) {
    nest_access a;
    a.loop = loop;
    a.bytes = 8;
    a.base = base;
    const nest_term term{loop, false, 8};
    nest.add_access(a, 0, {&term, 1});
  }
  const runtime_check_plan symbolic = plan_of(nest);
  CHECK(symbolic.needs_wide_forms); // 8 · n
  CHECK(hold(symbolic, 1080, 10));
  CHECK(!hold(symbolic, 1079, 10));
  CHECK(!hold(symbolic, 500, std::int64_t{1} << 61));
}

TEST_CASE("runtime_checks: a check of a nest covers what outer loops do, and limits that move") {
  nest_accesses nest;
  nest.clear();
  const counter_id rows = nest.add_counter(midend::no_counter, trip_bound::exact, 10);
  const counter_id columns = nest.add_counter(rows);
  const nest_term up_to{rows, false, 1};
  nest.set_limit(columns, 1, {&up_to, 1}); // j <= i
  for (const value_id base : {1U, 2U, 2U}) {
    nest_access a;
    a.loop = columns;
    a.bytes = 4;
    a.base = base;
    const nest_term terms[] = {{rows, false, 400}, {columns, false, 4}};
    nest.add_access(a, nest.num_accesses() == 2 ? 8 : 0, terms);
  }
  const runtime_check_plan plan = plan_of(nest, {{0, 1}, {0, 2}, {1, 2}});
  REQUIRE(plan.intervals.size() == 2); // two share one
  CHECK(plan.intervals[0].end.constant == 9 * 400 + 9 * 4 + 4);
  CHECK(plan.intervals[1].end.constant == 9 * 400 + 9 * 4 + 4 + 8);
  CHECK(plan.comparisons.size() == 1);
  REQUIRE(plan.unchecked.size() == 1);
  CHECK(plan.unchecked[0].why == check_obstacle::never_holds);
}

TEST_CASE("runtime_checks: random nests, all bytes") {
  std::mt19937_64 random(3);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  std::size_t held = 0;
  std::size_t apart = 0;
  std::size_t pairs = 0;
  for (int i = 0; i != 4000; ++i) {
    nest_accesses nest;
    nest.clear();
    const counter_id outer = nest.add_counter(midend::no_counter, trip_bound::exact, random() % 5);
    const bool limited = random() % 2 == 0;
    const counter_id inner =
        nest.add_counter(outer, limited ? trip_bound::at_most : trip_bound::exact, limited ? 100 : random() % 5);
    if (limited) {
      const nest_term t{outer, false, below(5) - 2};
      nest.set_limit(inner, below(5), {&t, 1});
    }
    for (const value_id base : {1U, 2U}) {
      nest_access a;
      a.loop = random() % 4 == 0 ? outer : inner;
      a.bytes = 1U << random() % 3;
      a.base = base;
      a.skipped = random() % 4;
      a.skipped &= a.loop == outer ? 1 : 3;
      std::vector<nest_term> terms = {{outer, false, below(17) - 8}};
      if (a.loop == inner) {
        terms.push_back({inner, false, below(17) - 8});
      }
      nest.add_access(a, below(9) - 4, terms);
    }
    const runtime_check_plan plan = plan_of(nest);
    REQUIRE(plan.comparisons.size() == 1);
    const auto second = static_cast<std::uint64_t>(1000 + below(161) - 80);
    bool meets = false;
    for (const access_run& x : runs_of(nest, 0)) {
      for (const access_run& y : runs_of(nest, 1)) {
        meets = meets || meet(nest, nest.access(0), x.address + 1000, nest.access(1), y.address + second);
      }
    }
    const bool holds = hold(plan, second);
    ++pairs;
    held += holds ? 1 : 0;
    apart += meets ? 0 : 1;
    REQUIRE((!holds || !meets));
  }
  MESSAGE(pairs << " pairs, " << apart << " do not meet, the check holds for " << held);
  CHECK(2 * held > apart);
}
