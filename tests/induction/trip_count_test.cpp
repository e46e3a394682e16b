// Trip counts against running the loop; phi cycles against iterating.
#include "kit/affordable.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/induction/phi_permutation.hpp>
#include <midend/induction/trip_count.hpp>
#include <midend/induction/trip_formula.hpp>
#include <midend/ir/evaluate.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

using namespace midend_tests;
using midend::combined;
using midend::counted_exit;
using midend::operation;
using midend::trip_count;
using midend::trip_count_kind;
using midend::trip_count_of;

namespace {

constexpr operation comparisons[] = {operation::equal,         operation::not_equal,   operation::less,
                                     operation::less_equal,    operation::greater,     operation::greater_equal,
                                     operation::uless,         operation::uless_equal, operation::ugreater,
                                     operation::ugreater_equal};

std::int64_t as_signed(std::uint64_t v, unsigned width) {
  return static_cast<std::int64_t>(v << (64 - width)) >> (64 - width);
}

bool compare(operation c, std::uint64_t a, std::uint64_t b, unsigned width) {
  const std::int64_t x = as_signed(a, width);
  const std::int64_t y = as_signed(b, width);
  switch (c) {
  case operation::equal:
    return a == b;
  case operation::not_equal:
    return a != b;
  case operation::less:
    return x < y;
  case operation::less_equal:
    return x <= y;
  case operation::greater:
    return x > y;
  case operation::greater_equal:
    return x >= y;
  case operation::uless:
    return a < b;
  case operation::uless_equal:
    return a <= b;
  case operation::ugreater:
    return a > b;
  default:
    return a >= b;
  }
}

/// Runs the loop, for at most 2^width tests: then all values have been there.
trip_count run(const counted_exit& e) {
  const std::uint64_t most = (std::uint64_t{1} << e.width) - 1;
  std::uint64_t i = e.start;
  for (std::uint64_t tests = 0; tests <= most; ++tests) {
    if (compare(e.comparison, i, e.bound, e.width) == e.exits_when) {
      return {trip_count_kind::exact, tests, tests + 1};
    }
    const std::int64_t sum = as_signed(i, e.width) + as_signed(e.step, e.width);
    const std::uint64_t next = (i + e.step) & most;
    if ((e.flags.no_unsigned_wrap && i + e.step > most) ||
        (e.flags.no_signed_wrap && sum != as_signed(next, e.width))) {
      return {trip_count_kind::wraps_first, 0, 1};
    }
    i = next;
  }
  return {trip_count_kind::endless, 0, 1};
}

template <class Visit> void for_each_exit(unsigned width, Visit visit) {
  for (const operation c : comparisons) {
    for (unsigned bits = 0; bits != 8; ++bits) {
      counted_exit e;
      e.width = static_cast<std::uint8_t>(width);
      e.comparison = c;
      e.exits_when = (bits & 1) != 0;
      e.flags = {(bits & 2) != 0, (bits & 4) != 0};
      visit(e);
    }
  }
}

static_assert(midend::trip_count_of({64, 0, 3, 1027, operation::less, false, {}}).backedges == 343);

} // namespace

TEST_CASE("trip_count: all loops of up to 4 bits") {
  for (unsigned width = 1; width <= 4; ++width) {
    const std::uint64_t values = std::uint64_t{1} << width;
    for_each_exit(width, [&](counted_exit e) {
      for (e.start = 0; e.start != values; ++e.start) {
        for (e.step = 0; e.step != values; ++e.step) {
          for (e.bound = 0; e.bound != values; ++e.bound) {
            REQUIRE(trip_count_of(e) == run(e));
          }
        }
      }
    });
  }
}

TEST_CASE("trip_count: loops of 8 bits with a grid of steps, starts and bounds") {
  std::uint64_t wrong = 0;
  std::uint64_t counted = 0;
  for_each_exit(8, [&](counted_exit e) {
    for (const unsigned step : {1U, 2U, 3U, 4U, 7U, 16U, 96U, 127U, 128U, 129U, 253U, 254U, 255U}) {
      e.step = step;
      for (e.start = 0; e.start < 256; e.start += 5) {
        for (e.bound = 0; e.bound < 256; e.bound += tests_are_shortened ? 17 : 3) {
          ++counted;
          wrong += trip_count_of(e) == run(e) ? 0 : 1;
        }
      }
    }
  });
  CHECK(wrong == 0);
  CHECK(counted > affordable(4'000'000));
}

TEST_CASE("trip_count: wide counters") {
  const std::uint64_t top = ~std::uint64_t{0};
  const auto backedges = [](const counted_exit& e) {
    const trip_count t = trip_count_of(e);
    REQUIRE(t.kind == trip_count_kind::exact);
    return t.backedges;
  };
  CHECK(backedges({64, 0, 1, 1024, operation::less, false, {true, false}}) == 1024);
  CHECK(backedges({64, 1, 1, 1024, operation::less, false, {true, false}}) == 1023); // tested after the increment
  CHECK(backedges({64, 0, 1, top, operation::not_equal, false, {}}) == top);
  CHECK_FALSE(trip_count_of({64, 0, 1, top, operation::not_equal, false, {}}).header_executions().has_value());
  CHECK(backedges({64, 0, 3, 1, operation::not_equal, false, {}}) == 0xaaaa'aaaa'aaaa'aaabULL); // wraps to it
  CHECK(backedges({64, 1, top, 0, operation::not_equal, false, {}}) == 1);
  CHECK(backedges({32, 0x7fff'fff0, 7, 0x7fff'ffff, operation::uless, false, {}}) == 3);
  CHECK(trip_count_of({32, 0x7fff'fff0, 7, 0x7fff'ffff, operation::less, false, {true, false}}).kind ==
        trip_count_kind::wraps_first);
  CHECK(trip_count_of({64, 0, 2, 1, operation::not_equal, false, {}}).kind == trip_count_kind::endless);
  CHECK(trip_count_of({64, 0, 1, top, operation::uless_equal, false, {}}).kind == trip_count_kind::endless);
  CHECK(trip_count_of({64, 0, 1, top >> 1, operation::less_equal, false, {true, false}}).kind ==
        trip_count_kind::wraps_first);
  const trip_count thirteen = trip_count_of({32, 1, 1, 1027, operation::less, false, {}});
  CHECK(thirteen.header_executions() == 1027);
  CHECK(thirteen.multiple % 13 == 0);
}

TEST_CASE(
    "trip_count: the first number of a progression in an interval, against trying them, for all moduli up to 24") {
  for (std::uint64_t most = 0; most != 24; ++most) {
    for (std::uint64_t step = 0; step <= most; ++step) {
      for (std::uint64_t low = 0; low <= most; ++low) {
        for (std::uint64_t high = low; high <= most; ++high) {
          std::optional<std::uint64_t> expected;
          for (std::uint64_t k = 0; k <= most && !expected; ++k) {
            const std::uint64_t value = k * step % (most + 1);
            expected = low <= value && value <= high ? std::optional(k) : std::nullopt;
          }
          REQUIRE(midend::detail::first_hit(step, most, low, high) == expected);
          // The same with all numbers 2^60 times as large, in a modulus of up to 2^64.
          if (most == 15) {
            constexpr std::uint64_t times = std::uint64_t{1} << 60;
            const std::uint64_t below = times - 1; // no multiple of the step lies between
            CHECK(midend::detail::first_hit(step * times, ~std::uint64_t{0}, low * times, high * times + below) ==
                  expected);
          }
        }
      }
    }
  }
}

TEST_CASE("trip_count: the first number of a progression in a small interval of a wide circle") {
  random_source random(7);
  for (int i = 0; i != 20000; ++i) {
    const std::uint64_t step = random.next() | 1; // odd: every number is a multiple
    const std::uint64_t k = random.next() >> i % 64;
    const std::uint64_t at = k * step;
    CHECK(midend::detail::first_hit(step, ~std::uint64_t{0}, at, at) == k);
    const std::uint64_t more = random.next() >> 40;
    const std::uint64_t high = at + more < at ? at : at + more;
    const auto first = midend::detail::first_hit(step, ~std::uint64_t{0}, at, high);
    REQUIRE(first.has_value());
    CHECK(*first <= k);
    CHECK(*first * step - at <= high - at);
  }
}

TEST_CASE("trip_count: several exits, against running with all of them") {
  using enum trip_count_kind;
  random_source random(7);
  for (int i = 0; i != 20000; ++i) {
    counted_exit e[2];
    for (counted_exit& x : e) {
      x = {4,
           random.below(16),
           random.below(16),
           random.below(16),
           comparisons[random.below(10)],
           random.one_in(2),
           {random.one_in(4), false}};
    }
    const trip_count a = run(e[0]);
    const trip_count b = run(e[1]);
    const trip_count both = combined(trip_count_of(e[0]), trip_count_of(e[1]));
    REQUIRE(combined(b, a) == both);
    if (a.kind == exact && b.kind == exact) {
      REQUIRE(both.kind == exact);
      REQUIRE(both.backedges == std::min(a.backedges, b.backedges));
    } else if (a.kind == exact || b.kind == exact) {
      REQUIRE(both == (a.kind == exact ? a : b));
    } else {
      REQUIRE(both.kind != exact);
    }
  }
  const trip_count ten{exact, 10, 11};
  CHECK(combined(ten, {}) == trip_count{at_most, 10, 1});
  CHECK(combined({}, ten) == trip_count{at_most, 10, 1});
  CHECK(combined({at_most, 7, 1}, ten) == trip_count{at_most, 7, 1});
  CHECK(combined({at_most, 17, 1}, ten) == trip_count{at_most, 10, 1});
  CHECK(combined({}, {}) == trip_count{});
  CHECK(combined({endless, 0, 1}, ten) == ten);
}

TEST_CASE("trip_formula: right wherever it promises to be, for all starts and bounds") {
  std::size_t formulas = 0;
  for_each_exit(6, [&](counted_exit e) {
    for (e.step = 0; e.step < 64; e.step += tests_are_shortened ? 5U : 1U) {
      const auto f = trip_formula_of(e);
      if (!f) {
        continue;
      }
      ++formulas;
      for (e.start = 0; e.start != 64; ++e.start) {
        for (e.bound = 0; e.bound != 64; ++e.bound) {
          counted_exit promised = e; // in the order in which the comparison counts
          const bool is_signed = f->ends >= operation::less && f->ends <= operation::greater_equal;
          promised.flags = f->requires_no_wrap && is_signed ? midend::operation_flags{true, false} : e.flags;
          const trip_count ran = run(promised);
          const std::uint64_t way = f->backedges(e.start, e.bound) * f->divisor;
          const bool passes = f->requires_no_wrap && !is_signed && (f->is_down ? e.start < way : e.start + way > 63);
          if (ran.kind == trip_count_kind::exact && !passes) {
            REQUIRE(f->backedges(e.start, e.bound) == ran.backedges);
          } else if (!f->requires_no_wrap) {
            REQUIRE(ran.kind == trip_count_kind::wraps_first);
          }
        }
      }
    }
  });
  CHECK(formulas > affordable(1000));
}

TEST_CASE("trip_formula: unknown length, all pairs of 8 bits") {
  const auto f = midend::trip_formula_of({8, 0, 1, 0, operation::less, false, {}});
  REQUIRE(f.has_value());
  CHECK_FALSE(f->requires_no_wrap);
  for (std::uint64_t start = 0; start != 256; ++start) {
    for (std::uint64_t bound = 0; bound != 256; ++bound) {
      const int length = static_cast<int>(as_signed(bound, 8) - as_signed(start, 8));
      REQUIRE(f->backedges(start, bound) == static_cast<std::uint64_t>(std::max(length, 0)));
    }
  }
}

TEST_CASE("phi_permutation: against iterating, for all maps of up to 5 phis") {
  for (std::uint32_t count = 0; count <= 5; ++count) {
    std::vector<std::uint32_t> next(count, 0);
    for (;;) {
      std::vector<std::uint32_t> map(next);
      std::replace(map.begin(), map.end(), count, midend::no_phi);
      midend::phi_permutation cycles;
      cycles.assign(map);
      std::vector<std::uint32_t> length(count, 0); // iterations until a phi has its own value again
      std::uint64_t period = 1;
      for (std::uint32_t p = 0; p != count; ++p) {
        std::uint32_t at = map[p];
        std::uint32_t steps = 1;
        while (at != p && at != midend::no_phi && steps <= count) {
          at = map[at];
          ++steps;
        }
        length[p] = at == p ? steps : 0;
        period = length[p] == 0 ? period : std::lcm(period, std::uint64_t{length[p]});
      }
      REQUIRE(cycles.period() == period);
      std::uint32_t least = 0;
      std::size_t members = 0;
      for (std::size_t i = 0; i != cycles.num_cycles(); ++i) {
        const auto cycle = cycles.cycle(i);
        REQUIRE((i == 0 || cycle[0] > least));
        least = cycle[0];
        members += cycle.size();
        for (std::size_t k = 0; k != cycle.size(); ++k) {
          REQUIRE(cycle[k] >= least);
          REQUIRE(length[cycle[k]] == cycle.size());
          REQUIRE(map[cycle[k]] == cycle[(k + 1) % cycle.size()]);
        }
      }
      REQUIRE(members == static_cast<std::size_t>(
                             std::count_if(length.begin(), length.end(), [](std::uint32_t n) { return n != 0; })));
      std::uint32_t digit = 0;
      while (digit != count && next[digit] == count) {
        next[digit++] = 0;
      }
      if (digit == count) {
        break;
      }
      ++next[digit];
    }
  }
}

TEST_CASE("phi_permutation: the rotation of three") {
  const std::uint32_t next[] = {midend::no_phi, midend::no_phi, 3, 4, 2}; // i, sum, a <- b, b <- c, c <- a
  midend::phi_permutation cycles;
  cycles.assign(next);
  REQUIRE(cycles.num_cycles() == 1);
  CHECK(cycles.period() == 3);
  CHECK(cycles.cycle(0)[1] == 3);
}
