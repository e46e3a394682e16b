// Upper bounds of trip counts for starts and bounds between numbers, against running all loops of three bits.
#include <doctest/doctest.h>
#include <midend/induction/bounded_trip_count.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

using midend::counted_exit;
using midend::operation;
using midend::value_bounds;

namespace {

constexpr unsigned width = 3;
constexpr std::uint64_t most = 7;
constexpr std::uint64_t endless = 1000;

constexpr operation comparisons[] = {operation::equal,         operation::not_equal,   operation::less,
                                     operation::less_equal,    operation::greater,     operation::greater_equal,
                                     operation::uless,         operation::uless_equal, operation::ugreater,
                                     operation::ugreater_equal};

/// The numbers from `first`, and `more` after it, around the end of the numbers; with the bounds of the set.
struct numbers {
  std::vector<std::uint64_t> all;
  value_bounds bounds;

  numbers(std::uint64_t first, std::uint64_t more) : bounds{~std::uint64_t{0}, 0, 100, -100} {
    for (std::uint64_t i = 0; i <= more; ++i) {
      const std::uint64_t n = (first + i) & most;
      all.push_back(n);
      bounds.low = std::min(bounds.low, n);
      bounds.high = std::max(bounds.high, n);
      const std::int64_t s = midend::as_signed(n, width);
      bounds.signed_low = std::min(bounds.signed_low, s);
      bounds.signed_high = std::max(bounds.signed_high, s);
    }
  }
};

/// How many backedges a loop takes at most, until the exit is taken or an increment breaks a promise.
std::uint64_t longest_run(const counted_exit& e, std::uint64_t start, const std::vector<std::uint64_t>& bounds) {
  std::uint64_t counter = start;
  for (std::uint64_t k = 0; k <= most + 1; ++k) {
    const bool is_taken = std::ranges::all_of(bounds, [&](std::uint64_t b) {
      return midend::detail::comparison_holds(e.comparison, counter, b, width) == e.exits_when;
    });
    const auto next = midend::detail::wrapping_add(counter, e.step, width);
    const bool breaks =
        (e.flags.no_signed_wrap && next.signed_wrap) || (e.flags.no_unsigned_wrap && next.unsigned_wrap);
    if (is_taken || breaks) {
      return k;
    }
    counter = next.bits & most;
  }
  return endless;
}

template <class Visit> void for_each_exit(Visit visit) {
  for (const operation c : comparisons) {
    for (std::uint64_t step = 0; step <= most; ++step) {
      for (unsigned flags = 0; flags != 8; ++flags) {
        visit(counted_exit{width, 0, step, 0, c, (flags & 4) != 0, {(flags & 1) != 0, (flags & 2) != 0}});
      }
    }
  }
}

/// Whether no start is past a bound, in the direction of a counter with this formula of an order.
bool is_never_past(const midend::trip_formula& f, const value_bounds& start, const value_bounds& bound) {
  const bool is_signed = midend::detail::is_signed_order(f.ends);
  return f.is_down ? (is_signed ? start.signed_low >= bound.signed_high : start.low >= bound.high)
                   : (is_signed ? start.signed_high <= bound.signed_low : start.high <= bound.low);
}

} // namespace

TEST_CASE("most_backedges: all loops of three bits, with starts and bounds in all arcs") {
  std::vector<numbers> arcs;
  for (std::uint64_t first = 0; first <= most; ++first) {
    for (std::uint64_t more = 0; more <= most; ++more) {
      arcs.emplace_back(first, more);
    }
  }
  std::size_t wrong = 0;
  std::array<std::size_t, 2> claims{}; // any bound; one that is whole steps away
  std::array<std::size_t, 2> sharp{};
  for_each_exit([&](const counted_exit& e) {
    std::array<std::array<std::uint64_t, 8>, 8> runs{}; // by start and bound
    for (std::uint64_t start = 0; start <= most; ++start) {
      for (std::uint64_t bound = 0; bound <= most; ++bound) {
        runs[start][bound] = longest_run(e, start, {bound});
      }
    }
    for (const numbers& bounds : arcs) {
      for (const numbers& starts : arcs) {
        std::array<std::uint64_t, 2> longest{};
        for (const std::uint64_t start : starts.all) {
          for (const std::uint64_t bound : bounds.all) {
            const bool is_whole = e.step != 0 && (bound - start) % (e.step & (0 - e.step)) == 0;
            longest[0] = std::max(longest[0], runs[start][bound]);
            longest[1] = std::max(longest[1], is_whole ? runs[start][bound] : 0);
          }
        }
        for (const unsigned kind : {0U, 1U}) {
          const auto formula = midend::trip_formula_of(e);
          const bool is_whole = kind == 1 && formula && formula->ends == operation::equal;
          const auto found = midend::most_backedges(e, starts.bounds, bounds.bounds, is_whole);
          wrong += found && *found < longest[kind] ? 1 : 0;
          claims[kind] += found && (kind != 1 || is_whole) ? 1 : 0;
          sharp[kind] += found && (kind != 1 || is_whole) && *found == longest[kind] ? 1 : 0;
        }
      }
    }
  });
  CHECK(wrong == 0);
  CHECK(claims[0] > 500'000);
  CHECK(sharp[0] * 3 > claims[0]);
  CHECK(claims[1] > 100'000);
  CHECK(sharp[1] * 3 > claims[1]);
}

TEST_CASE("most_backedges_of_ways, multiple_by_low_bits: all starts of three bits, and bounds by all ways from them") {
  std::size_t wrong = 0;
  std::array<std::size_t, 2> claims{}; // to equality, at an order
  std::array<std::size_t, 2> multiples{};
  for_each_exit([&](const counted_exit& e) {
    const auto formula = midend::trip_formula_of(e);
    if (!formula) {
      return;
    }
    const std::size_t kind = midend::detail::is_order(formula->ends) ? 1 : 0;
    const bool is_right = midend::detail::cannot_wrap(*formula, e, false); // whatever start and bound are
    for (std::uint64_t first = 0; first <= most; ++first) {
      for (std::uint8_t zeros = 0; zeros != 3; ++zeros) {
        const std::uint64_t multiple = std::uint64_t{1} << zeros;
        std::uint64_t longest = 0;
        for (std::uint64_t more = 0; more <= most; more += multiple) {
          for (std::uint64_t start = 0; start <= most; ++start) {
            longest = std::max(longest, longest_run(e, start, {(start + first + more) & most}));
          }
          const bool leads_there = kind == 0 && zeros >= formula->shift && first % (1U << formula->shift) == 0;
          const auto found = is_right || leads_there ? midend::most_backedges_of_ways(*formula, e, {first, more, zeros})
                                                     : std::nullopt;
          wrong += found && *found < longest ? 1 : 0;
          claims[kind] += found ? 1 : 0;
        }
        // All bounds that have these low bits of the way.
        const std::uint64_t divides = midend::multiple_by_low_bits(*formula, first, zeros);
        for (std::uint64_t more = 0; more <= most && divides > 1 && is_right; more += multiple) {
          for (std::uint64_t start = 0; start <= most; ++start) {
            const std::uint64_t bound = (start + first + more) & most;
            const value_bounds from = value_bounds::exactly(start, width);
            const value_bounds to = value_bounds::exactly(bound, width);
            const bool is_claim = kind == 0 || is_never_past(*formula, from, to);
            counted_exit run = e;
            run.start = start;
            run.bound = bound;
            const midend::trip_count ran = midend::trip_count_of(run);
            multiples[kind] += is_claim ? 1 : 0;
            wrong +=
                is_claim && ran.kind == midend::trip_count_kind::exact && (ran.backedges + 1) % divides != 0 ? 1 : 0;
          }
        }
      }
    }
  });
  CHECK(wrong == 0);
  CHECK(claims[0] > 100);
  CHECK(claims[1] > 100);
  CHECK(multiples[0] > 100);
  CHECK(multiples[1] > 100);
}

TEST_CASE("most_backedges: numbers of 64 bits, and what is too large") {
  counted_exit e;
  e.comparison = operation::uless;
  const value_bounds any = value_bounds::all(64);
  const value_bounds zero{0, 0, 0, 0};
  const value_bounds bytes{0, 255, 0, 255};
  CHECK(midend::most_backedges(e, zero, bytes) == std::optional<std::uint64_t>(255));
  CHECK(!midend::most_backedges(e, zero, any));
  CHECK(midend::most_backedges(e, bytes, zero) == std::optional<std::uint64_t>(0));
  e.comparison = operation::not_equal;
  e.step = ~std::uint64_t{0};
  CHECK(midend::most_backedges(e, bytes, zero) == std::optional<std::uint64_t>(255));
  CHECK(!midend::most_backedges(e, any, zero));
}
