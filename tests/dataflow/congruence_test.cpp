// Congruences: the laws, and each result compared with sets of numbers. By exhaustion at 1 to 5 bits.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/check_lattice.hpp>
#include <midend/dataflow/lattice_elements.hpp>
#include <midend/dataflow/lattices/congruence.hpp>
#include <midend/dataflow/lattices/interval_congruence.hpp>
#include <midend/ir/evaluate.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using midend::congruence;
using midend::interval;
using midend::lattice_level;
using midend::signed_congruence;
using midend::unsigned_congruence;

namespace {

static_assert(midend::bounded_lattice<unsigned_congruence> && midend::has_leq<unsigned_congruence>);
static_assert(midend::bounded_lattice<midend::interval_and_congruence<std::int64_t>>);
static_assert(midend::has_widen<midend::interval_and_congruence<std::uint64_t>>);
static_assert(std::is_trivially_copyable_v<signed_congruence::element> && sizeof(signed_congruence::element) == 16);

/// A set of numbers of up to 5 bits: bit i for the number i above the least one of the width.
using members = std::uint32_t;

template <class T> T number(unsigned width, unsigned i) {
  return static_cast<T>(interval<T>::full(width).low + static_cast<T>(i));
}

template <class Element, class T> members members_of(unsigned width, const Element& a) {
  members out = 0;
  for (unsigned i = 0; i != 1U << width; ++i) {
    out |= members{!a.is_bottom() && a.contains(number<T>(width, i))} << i;
  }
  return out;
}

template <class L> std::string text(const L& l, const midend::element_of<L>& a) {
  midend::text_buffer out;
  l.print(out, a);
  return {out.data(), out.size()};
}

/// The number of bits that are set.
unsigned size_of(members set) {
  unsigned count = 0;
  for (; set != 0; set &= set - 1) {
    ++count;
  }
  return count;
}

/// The least of all elements whose members include a set.
template <class T>
typename congruence<T>::element least_around(const std::vector<typename congruence<T>::element>& all,
                                             const std::vector<members>& sets, members wanted) {
  std::size_t best = all.size();
  for (std::size_t i = 0; i != all.size(); ++i) {
    if ((wanted & ~sets[i]) == 0 && (best == all.size() || size_of(sets[i]) < size_of(sets[best]))) {
      best = i;
    }
  }
  REQUIRE(best != all.size());
  return all[best];
}

template <class List> auto materialized(const List& list) {
  std::vector<std::decay_t<decltype(list[0])>> out;
  for (std::size_t i = 0; i != list.size(); ++i) {
    out.push_back(list[i]);
  }
  return out;
}

} // namespace

TEST_CASE_TEMPLATE("congruence: all laws, proven for 1 to 4 bits and tried at 33 and 64", T, std::int64_t,
                   std::uint64_t) {
  for (const unsigned width : {1u, 2u, 3u, 4u}) {
    const congruence<T> l(width);
    const auto report = midend::check_lattice(l, midend::all_congruences(l), {.cases = std::size_t{1} << 20});
    CHECK(report.ok());
    CHECK(report.exhaustive);
    CHECK(report.height == width + 1);
    CHECK(report.holds(lattice_level::meet));
  }
  for (const unsigned width : {33u, 64u}) {
    const congruence<T> l(width);
    CHECK(midend::check_lattice(l, midend::some_congruences(l, 120), {.cases = 100'000}).ok());
  }
}

TEST_CASE_TEMPLATE("congruence: elements are different sets, and join and meet are the best there are", T, std::int64_t,
                   std::uint64_t) {
  for (const unsigned width : {1u, 2u, 3u, 4u, 5u}) {
    using element = typename congruence<T>::element;
    const congruence<T> l(width);
    const std::vector<element> all = materialized(midend::all_congruences(l));
    std::vector<members> sets;
    for (const element& a : all) {
      sets.push_back(members_of<element, T>(width, a));
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != all.size(); ++i) {
      wrong += all[i].is_bottom() != (sets[i] == 0);
      wrong += all[i].is_constant() != (size_of(sets[i]) == 1);
      for (std::size_t k = 0; k != all.size(); ++k) {
        wrong += (sets[i] == sets[k]) != (i == k);
        wrong += l.leq(all[i], all[k]) != ((sets[i] & ~sets[k]) == 0);
        element joined = all[i];
        l.join(joined, all[k]);
        const members of_join = members_of<element, T>(width, joined);
        wrong += ((sets[i] | sets[k]) & ~of_join) != 0;
        if (width < 5 || (i + k) % 7 == 0) {
          wrong += !(joined == least_around<T>(all, sets, sets[i] | sets[k]));
        }
        element met = all[i];
        l.meet(met, all[k]);
        wrong += members_of<element, T>(width, met) != (sets[i] & sets[k]);
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE_TEMPLATE("congruence: what is left modulo 2^width", T, std::int64_t, std::uint64_t) {
  constexpr unsigned wide = 5;
  const congruence<T> from(wide);
  for (const unsigned width : {1u, 2u, 3u, 4u, 5u}) {
    const congruence<T> to(width);
    const auto all = midend::all_congruences(from);
    std::size_t wrong = 0;
    for (std::size_t i = 1; i != all.size(); ++i) { // bottom stays out
      const auto narrow = to.wrapped(all[i]);
      for (unsigned x = 0; x != 1U << wide; ++x) {
        const T wide_number = number<T>(wide, x);
        const auto low_bits = static_cast<std::uint64_t>(wide_number) & ((std::uint64_t{1} << width) - 1);
        const T narrow_number =
            std::is_signed_v<T> ? static_cast<T>(midend::as_signed(low_bits, width)) : static_cast<T>(low_bits);
        wrong += all[i].contains(wide_number) && !narrow.contains(narrow_number);
      }
      wrong += all[i].is_constant() && !narrow.is_constant();
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("congruence: at the ends of 64 bits") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  const signed_congruence s;
  auto a = s.constant(least);
  CHECK(s.join(a, s.constant(greatest)));
  CHECK(a.modulus == ~std::uint64_t{0});
  CHECK(a.contains(least));
  CHECK(a.contains(greatest));
  CHECK_FALSE(a.contains(0));
  CHECK_FALSE(s.meet(a, s.of(3, midend::detail::remainder_of(least, 3)))); // 2^64 - 1 is a multiple of 3
  CHECK(a.modulus == ~std::uint64_t{0});
  CHECK(s.meet(a, s.of(5, midend::detail::remainder_of(std::int64_t{0}, 5)))); // of 5 too, but 0 is not among them
  CHECK(a.is_bottom());
  const unsigned_congruence u;
  auto two = u.of(std::uint64_t{1} << 63, 5);
  CHECK(u.meet(two, u.of(3, 1)));
  CHECK(two == u.constant((std::uint64_t{1} << 63) + 5)); // 5 leaves 2, the other one 1
  CHECK(u.wrapped(u.of(12, 7)) == u.of(4, 3));
  CHECK(text(u, u.of(12, 7)) == "7 mod 12");
  CHECK(text(u, u.top()) == "any");
  CHECK(text(u, u.bottom()) == "bottom");
  CHECK(text(s, s.constant(-7)) == "-7");
}

TEST_CASE_TEMPLATE("interval_and_congruence: all laws, and the reduction is the best there is", T, std::int64_t,
                   std::uint64_t) {
  for (const unsigned width : {1u, 2u, 3u}) {
    const auto l = midend::make_interval_and_congruence<T>(width);
    const midend::pair_elements all(l, midend::all_intervals(l.first()), midend::all_congruences(l.second()));
    const auto report = midend::check_lattice(l, all, {.cases = width == 3 ? 100'000U : 2'000'000U});
    CHECK(report.ok());
    CHECK(report.exhaustive == (width != 3));
    CHECK(report.holds(lattice_level::meet));
    CHECK(report.holds(lattice_level::widening));
  }
  for (const unsigned width : {3u, 4u, 5u}) {
    using range_element = typename interval<T>::element;
    using stride_element = typename congruence<T>::element;
    const auto l = midend::make_interval_and_congruence<T>(width);
    const auto ranges = materialized(midend::all_intervals(l.first()));
    const auto strides = materialized(midend::all_congruences(l.second()));
    std::size_t wrong = 0;
    std::size_t sharpened = 0;
    for (const range_element& range : ranges) {
      const members in_range = members_of<range_element, T>(width, range);
      for (const stride_element& stride : strides) {
        const members wanted = in_range & members_of<stride_element, T>(width, stride);
        auto pair = l.pair(range, stride);
        wrong += (members_of<range_element, T>(width, pair.first) &
                  members_of<stride_element, T>(width, pair.second)) != wanted;
        wrong += l.reduce(pair);
        auto best = l.bottom(); // the join of the members
        for (unsigned i = 0; i != 1U << width; ++i) {
          if ((wanted >> i & 1) != 0) {
            const T n = number<T>(width, i);
            l.join(best, l.pair(l.first().constant(n), l.second().constant(n)));
          }
        }
        wrong += !(pair == best);
        sharpened += !(pair.first == range && pair.second == stride);
      }
    }
    CHECK(wrong == 0);
    CHECK(sharpened > 100);
  }
}
