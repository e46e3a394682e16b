// The ready lattices: all keep the laws, and what they compute is compared with the sets that their elements stand for.
#include "kit/affordable.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/check_lattice.hpp>
#include <midend/dataflow/lattice_elements.hpp>
#include <midend/dataflow/lattices/boolean.hpp>
#include <midend/dataflow/lattices/dual.hpp>
#include <midend/dataflow/lattices/flat.hpp>
#include <midend/dataflow/lattices/interval.hpp>
#include <midend/dataflow/lattices/interval_known_bits.hpp>
#include <midend/dataflow/lattices/known_bits.hpp>
#include <midend/dataflow/lattices/lifted.hpp>
#include <midend/dataflow/lattices/map.hpp>
#include <midend/dataflow/lattices/powerset.hpp>
#include <midend/dataflow/lattices/product.hpp>
#include <midend/dataflow/lattices/reduced_product.hpp>
#include <midend/dataflow/lattices/sign.hpp>

#if __has_include(<boost/dynamic_bitset.hpp>)
#include <boost/dynamic_bitset.hpp>
#endif

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using midend::boolean;
using midend::dual;
using midend::element_of;
using midend::flat;
using midend::known_bits;
using midend::lattice_level;
using midend::lifted;
using midend::map;
using midend::order_relation;
using midend::powerset;
using midend::product;
using midend::sign;
using midend::signed_interval;
using midend::topped;
using midend::unsigned_interval;

namespace {

constexpr std::array<int, 3> three_numbers{1, 2, 3};

// Elements that a solver may move like memory.
static_assert(std::is_trivially_copyable_v<flat<int>::element> && std::is_trivially_copyable_v<known_bits::element>);
static_assert(std::is_trivially_copyable_v<signed_interval::element>);
static_assert(std::is_trivially_copyable_v<product<flat<int>, lifted<sign>>::element>);
static_assert(std::is_same_v<map<signed_interval>::element, midend::flat_array<signed_interval::element>>);
static_assert(std::is_same_v<map<flat<int>>::element, midend::flat_array<flat<int>::element>>);
static_assert(!std::is_same_v<map<powerset<>>::element, midend::flat_array<midend::bit_row>>);
static_assert(std::is_convertible_v<map<powerset<>>::element, std::vector<midend::bit_row>>);

// What composed lattices have if their parts do.
struct semilattice { // the least that there may be
  using element = int;

  constexpr int bottom() const { return 0; }

  constexpr bool join(int& a, int b) const {
    const bool changed = b > a;
    a = changed ? b : a;
    return changed;
  }
};

static_assert(midend::lattice<semilattice> && !midend::has_leq<semilattice> && !midend::has_top<semilattice>);
static_assert(midend::lattice<map<semilattice>> && !midend::has_top<map<semilattice>>);
static_assert(!midend::has_meet<map<semilattice>> && !midend::has_widen<map<semilattice>>);
static_assert(midend::has_widen<map<signed_interval>> && midend::has_narrow<map<signed_interval>>);
static_assert(midend::has_widen<product<sign, signed_interval>> && !midend::has_widen<product<sign, sign>>);
static_assert(midend::has_widen<lifted<signed_interval>> && !midend::has_widen<dual<signed_interval>>);
static_assert(!midend::has_top<lifted<semilattice>> && midend::has_top<topped<semilattice>>);
static_assert(!midend::has_meet<topped<semilattice>> && midend::bounded_lattice<topped<sign>>);
static_assert(!midend::has_print<map<semilattice>> && midend::has_print<map<sign>>);
static_assert(!midend::lattice<int> && !midend::lattice<std::vector<int>>);

// At compile time.
static_assert(midend::check_lattice(boolean(), midend::all_booleans()).ok());
static_assert(midend::check_lattice(sign(), midend::all_signs()).height == 3);
static_assert([] {
  const map<unsigned_interval> l(unsigned_interval(8), 3);
  auto a = l.bottom();
  auto b = l.bottom();
  a[1] = l.values().constant(4);
  b[1] = l.values().constant(7);
  return l.join(a, b) && a[1].low == 4 && a[1].high == 7 && a[0].is_bottom() && !l.join(a, b) && l.widen(a, l.top()) &&
         a == l.top();
}());
static_assert([] {
  const powerset l(70);
  auto a = l.bottom();
  auto b = l.bottom();
  b.set(69);
  return l.join(a, b) && a == b && l.leq(b, l.top()) && l.meet(b, l.bottom());
}());

template <class L> std::string text(const L& l, const midend::element_of<L>& a) {
  midend::text_buffer out;
  l.print(out, a);
  return {out.data(), out.size()};
}

/// All levels hold but, perhaps, distributivity.
template <class L, class List> auto check_laws(const L& l, const List& elements, std::size_t cases = 1 << 20) {
  const auto report = midend::check_lattice(l, elements, {.cases = cases});
  for (std::size_t i = 0; i != midend::num_lattice_levels; ++i) {
    const auto* broken = report.violation(static_cast<lattice_level>(i));
    if (broken != nullptr && static_cast<lattice_level>(i) != lattice_level::distributive) {
      std::string elements_text;
      if constexpr (midend::has_print<L>) {
        for (std::size_t k = 0; k != midend::arity_of(broken->law); ++k) {
          elements_text += " " + text(l, broken->elements[k]);
        }
        elements_text += ": " + text(l, broken->left) + " and " + text(l, broken->right);
      }
      FAIL_CHECK(midend::name_of(broken->law) << " is broken by" << elements_text);
    }
  }
  CHECK(report.ok());
  CHECK(report.holds(lattice_level::order));
  CHECK(report.holds(lattice_level::join));
  return report;
}

/// The numbers that an element stands for, of those of up to 6 bits: one bit each.
template <class Element> std::uint64_t numbers_of(const Element& a, unsigned width) {
  std::uint64_t out = 0;
  for (std::uint64_t n = 0; n != std::uint64_t{1} << width; ++n) {
    out |= std::uint64_t{a.contains(n)} << n;
  }
  return out;
}

/// The least interval and the least known bits that a set of numbers below 8 has.
midend::interval_and_known_bits::element best_of(const midend::interval_and_known_bits& l, std::uint64_t numbers) {
  auto out = l.bottom();
  for (std::uint64_t n = 0; n != 8; ++n) {
    if ((numbers >> n & 1) != 0) {
      l.join(out, l.pair(l.first().constant(n), l.second().constant(n)));
    }
  }
  return out;
}

/// The same of signed numbers, from the least one on.
std::uint64_t signed_numbers_of(const signed_interval::element& a, unsigned width) {
  std::uint64_t out = 0;
  const std::int64_t least = -(std::int64_t{1} << (width - 1));
  for (std::int64_t n = 0; n != std::int64_t{1} << width; ++n) {
    out |= std::uint64_t{a.contains(least + n)} << n;
  }
  return out;
}

/// Exact where it can be, and the least possible where not: elements stand for sets, `join` for the least element that
/// has the union in it, `meet` for the intersection.
template <class L, class List, class Numbers> void check_meaning(const L& l, const List& elements, Numbers numbers) {
  CHECK(numbers(l.bottom()) == 0);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != elements.size(); ++i) {
    for (std::size_t k = 0; k != elements.size(); ++k) {
      const auto a = elements[i];
      const auto b = elements[k];
      auto joined = a;
      l.join(joined, b);
      auto met = a;
      l.meet(met, b);
      wrong += l.leq(a, b) != ((numbers(a) & ~numbers(b)) == 0);
      wrong += (numbers(met) != (numbers(a) & numbers(b)));
      wrong += numbers(met) == 0 && !(met == l.bottom()); // one way to write it
      const std::uint64_t both = numbers(a) | numbers(b);
      wrong += (both & ~numbers(joined)) != 0;
      for (std::size_t other = 0; other != elements.size(); ++other) {
        const std::uint64_t candidate = numbers(elements[other]);
        wrong += (both & ~candidate) == 0 && (numbers(joined) & ~candidate) != 0;
      }
    }
  }
  CHECK(wrong == 0);
}

/// `L` with a meet that goes the wrong way.
template <class L> struct with_wrong_meet : L {
  explicit with_wrong_meet(const L& l) : L(l) {}

  bool meet(element_of<L>& a, const element_of<L>& b) const { return L::join(a, b); }
};

/// `L` with a join that is an upper bound, but not the least one, of all elements that are not comparable.
template <class L> struct with_high_join : L {
  explicit with_high_join(const L& l) : L(l) {}

  bool join(element_of<L>& a, const element_of<L>& b) const {
    if (midend::compare(static_cast<const L&>(*this), a, b) != order_relation::incomparable) {
      return L::join(a, b);
    }
    a = L::top();
    return true;
  }
};

/// `L` with a join that is right but for what one pair of elements gives, either way round.
template <class L> struct with_odd_pair : L {
  element_of<L> first;
  element_of<L> second;

  with_odd_pair(const L& l, element_of<L> a, element_of<L> b) : L(l), first(std::move(a)), second(std::move(b)) {}

  bool join(element_of<L>& a, const element_of<L>& b) const {
    if (!(a == first && b == second) && !(a == second && b == first)) {
      return L::join(a, b);
    }
    a = L::top();
    return true;
  }
};

/// Whether every grouping of three elements gives the same join.
template <class L, class List> bool is_associative(const L& l, const List& elements) {
  for (std::size_t i = 0; i != elements.size(); ++i) {
    for (std::size_t j = 0; j != elements.size(); ++j) {
      for (std::size_t k = 0; k != elements.size(); ++k) {
        auto left = element_of<L>(elements[i]);
        auto right = element_of<L>(elements[j]);
        const auto last = element_of<L>(elements[k]);
        l.join(left, right);
        l.join(left, last);
        l.join(right, last);
        auto all = element_of<L>(elements[i]);
        l.join(all, right);
        if (!(left == all)) {
          return false;
        }
      }
    }
  }
  return true;
}

/// `first` and `second` have an upper bound below the top, that is, there is something to get wrong.
template <class L, class List>
void check_mutants(const L& l, const List& elements, element_of<L> first, element_of<L> second) {
  CHECK(is_associative(l, elements));
  CHECK(midend::check_lattice(l, elements).ok());

  const auto meet = midend::check_lattice(with_wrong_meet<L>(l), elements);
  REQUIRE(meet.violation(lattice_level::meet) != nullptr);
  CHECK(meet.violation(lattice_level::meet)->law == midend::lattice_law::meet_lower_bound);

  const auto high = midend::check_lattice(with_high_join<L>(l), elements);
  REQUIRE(high.violation(lattice_level::join) != nullptr);
  CHECK(high.violation(lattice_level::join)->law == midend::lattice_law::join_least);

  const with_odd_pair<L> odd(l, std::move(first), std::move(second));
  CHECK_FALSE(is_associative(odd, elements));
  CHECK(midend::check_lattice(odd, elements).violation(lattice_level::join) != nullptr);
}

} // namespace

TEST_CASE("boolean and sign: all laws, all elements") {
  CHECK(check_laws(boolean(), midend::all_booleans()).height == 1);
  const auto report = check_laws(sign(), midend::all_signs());
  CHECK(report.exhaustive);
  CHECK(report.height == 3);
  CHECK(report.holds(lattice_level::distributive));
  CHECK_FALSE(report.holds(lattice_level::widening)); // has none
  CHECK(sign().constant(-7) == midend::signs::negative);
  CHECK(sign().constant(0) == midend::signs::zero);
  CHECK(sign().constant(1) == midend::signs::positive);
  CHECK(text(sign(), midend::signs::not_negative) == ">= 0");
  CHECK(text(boolean(), true) == "true");
}

TEST_CASE("flat: all laws; distributive up to two values") {
  const flat<int> l;
  const auto elements = midend::flat_elements(l, std::span<const int>(three_numbers));
  const auto report = check_laws(l, elements);
  CHECK(report.height == 2);
  CHECK(report.holds(lattice_level::meet));
  CHECK(report.violation(lattice_level::distributive) != nullptr);
  const auto two = midend::flat_elements(l, std::span<const int>(three_numbers).first(2));
  CHECK(check_laws(l, two).holds(lattice_level::distributive));

  auto a = l.bottom();
  CHECK(l.join(a, l.constant(4)));
  CHECK(a == l.constant(4));
  CHECK_FALSE(l.join(a, l.constant(4)));
  CHECK(l.join(a, l.constant(5)));
  CHECK(a == l.top());
  CHECK(text(l, l.constant(-2'147'483'647)) == "-2147483647");
  CHECK(text(l, l.bottom()) + text(l, l.top()) == "bottomtop");

  const flat<std::string> of_texts; // elements that own memory
  const std::array<std::string, 2> texts{"a", "a long text, longer than what fits into the object itself"};
  check_laws(of_texts, midend::flat_elements(of_texts, std::span<const std::string>(texts)));
}

TEST_CASE("powerset: all laws, height, difference") {
  for (const std::size_t universe : {0u, 1u, 4u}) {
    const powerset l(universe);
    const auto report = check_laws(l, midend::all_subsets(l));
    CHECK(report.exhaustive);
    CHECK(report.height == universe);
    CHECK(report.holds(lattice_level::distributive));
  }
  const powerset large(130);
  const auto report = check_laws(large, midend::some_subsets(large, 25));
  CHECK(report.holds(lattice_level::distributive));

  auto a = large.bottom();
  auto b = large.bottom();
  a.set(3).set(129);
  b.set(3).set(64);
  CHECK(text(large, a) == "{3, 129}");
  CHECK(text(large, large.bottom()) == "{}");
#if __has_include(<boost/dynamic_bitset.hpp>)
  const powerset<boost::dynamic_bitset<>> of_boost(4);
  const auto boost_report = check_laws(of_boost, midend::all_subsets(of_boost));
  CHECK(boost_report.height == 4);
  CHECK(boost_report.holds(lattice_level::distributive));
  const powerset<boost::dynamic_bitset<>> large_of_boost(130);
  check_laws(large_of_boost, midend::some_subsets(large_of_boost, 25));
#endif

  std::vector<std::pair<std::uint32_t, order_relation>> parts;
  large.explain_difference(a, b, [&](std::uint32_t part, order_relation how) { parts.emplace_back(part, how); });
  CHECK(parts == decltype(parts){{64, order_relation::less}, {129, order_relation::greater}});
}

TEST_CASE("interval: all laws of all small widths, signed and unsigned") {
  constexpr std::array<std::int64_t, 3> thresholds{-3, 0, 2};
  constexpr std::array<std::uint64_t, 2> unsigned_thresholds{1, 5};
  for (const unsigned width : {1u, 2u, 3u}) {
    const signed_interval l(width);
    const auto report = check_laws(l, midend::all_intervals(l));
    CHECK(report.exhaustive);
    CHECK(report.height == std::size_t{1} << width);
    CHECK(report.holds(lattice_level::meet));
    CHECK(report.holds(lattice_level::widening));
    CHECK(report.holds(lattice_level::narrowing));
    CHECK(report.widenings == (width == 1 ? 2 : 3));
    CHECK(report.narrowings <= 3);
    CHECK(report.holds(lattice_level::distributive) == (width == 1));
    const unsigned_interval u(width);
    CHECK(check_laws(u, midend::all_intervals(u)).height == std::size_t{1} << width);
  }
  const signed_interval l(4, thresholds);
  const auto report = check_laws(l, midend::all_intervals(l), 3'000'000); // all triples of 137
  CHECK(report.exhaustive);
  CHECK(report.widenings == thresholds.size() + 3);
  CHECK(report.narrowings > 1);
  CHECK(report.narrowings <= thresholds.size() + 3);
  const unsigned_interval u(3, unsigned_thresholds);
  CHECK(check_laws(u, midend::all_intervals(u)).widenings <= unsigned_thresholds.size() + 3);
}

TEST_CASE("interval: stands for sets of numbers") {
  const unsigned_interval u(3);
  check_meaning(u, midend::all_intervals(u), [](const auto& a) { return numbers_of(a, 3); });
  const signed_interval s(3);
  check_meaning(s, midend::all_intervals(s), [](const auto& a) { return signed_numbers_of(a, 3); });
  CHECK(numbers_of(u.top(), 3) == 0xff);
  CHECK(signed_numbers_of(s.top(), 3) == 0xff);
}

TEST_CASE("interval: 64 bits wide, and one") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  constexpr std::array<std::int64_t, 3> thresholds{least, 0, 1000};
  for (const signed_interval& l : {signed_interval(), signed_interval(64, thresholds), signed_interval(63)}) {
    const auto report = check_laws(l, midend::some_intervals(l, 60));
    CHECK(report.exhaustive);
    CHECK(report.holds(lattice_level::widening));
    CHECK(report.widenings <= 6);
  }
  const unsigned_interval u;
  check_laws(u, midend::some_intervals(u, 60));
  CHECK(signed_interval().top() == signed_interval::element{least, greatest});
  CHECK(signed_interval(1).top() == signed_interval::element{-1, 0});
  CHECK(unsigned_interval(1).top() == unsigned_interval::element{0, 1});
  CHECK(unsigned_interval().top().high == ~std::uint64_t{0});
  CHECK(text(signed_interval(), signed_interval().top()) == "[-9223372036854775808, 9223372036854775807]");
  CHECK(text(u, u.between(3, 7)) == "[3, 7]");
  CHECK(text(u, u.between(7, 3)) == "bottom");
}

TEST_CASE("interval: widening goes to thresholds, narrowing comes back") {
  constexpr std::array<std::int64_t, 2> thresholds{0, 100};
  const signed_interval l(16, thresholds);
  auto a = l.bottom();
  CHECK(l.widen(a, l.constant(5)));
  CHECK(a == l.constant(5)); // what is new is taken as it is
  CHECK_FALSE(l.widen(a, l.constant(5)));
  CHECK(l.widen(a, l.constant(6)));
  CHECK(a == l.between(5, 100));
  CHECK(l.widen(a, l.between(2, 100)));
  CHECK(a == l.between(0, 100));
  CHECK_FALSE(l.widen(a, l.between(1, 99)));
  CHECK(l.widen(a, l.constant(101)));
  CHECK(a == l.between(0, 32'767));
  CHECK(l.widen(a, l.constant(-1)));
  CHECK(a == l.top());
  CHECK(l.narrow(a, l.between(-4, 100)));
  CHECK(a == l.between(-4, 100));
  CHECK(l.narrow(a, l.between(-2, 60))); // 100 may have come from widening, -4 not
  CHECK(a == l.between(-4, 60));
  CHECK_FALSE(l.narrow(a, l.between(-2, 50)));
  CHECK(l.narrow(a, l.bottom()));
  CHECK(a == l.bottom());
}

TEST_CASE("known_bits: all laws, and stands for sets of numbers") {
  for (const unsigned width : {1u, 2u, 3u, 4u}) {
    const known_bits l(width);
    const auto report = check_laws(l, midend::all_known_bits(l));
    CHECK(report.exhaustive);
    CHECK(report.height == width + 1);
    CHECK(report.holds(lattice_level::meet));
  }
  const known_bits three(3);
  check_meaning(three, midend::all_known_bits(three), [](const auto& a) { return numbers_of(a, 6); });
  CHECK(numbers_of(three.top(), 6) == 0xff);
  for (const unsigned width : {33u, 64u}) {
    const known_bits l(width);
    check_laws(l, midend::some_known_bits(l, 60));
  }
  auto a = three.constant(4);
  CHECK(a.is_constant());
  CHECK(three.join(a, three.constant(6)));
  CHECK(text(three, a) == "1?0");
  CHECK_FALSE(a.is_constant());
  CHECK(text(three, three.bottom()) == "bottom");
  CHECK(known_bits().top() == known_bits::element{0, 0});
}

TEST_CASE("product: all laws, heights add up, each part widens in its way") {
  const product<sign, boolean> small;
  const auto report = check_laws(small, midend::pair_elements(small, midend::all_signs(), midend::all_booleans()));
  CHECK(report.height == 4);
  CHECK(report.holds(lattice_level::distributive));

  using pair = product<unsigned_interval, flat<int>>;
  const pair l(unsigned_interval(2), flat<int>());
  const auto numbers = midend::flat_elements(l.second(), std::span<const int>(three_numbers));
  const auto widened = check_laws(l, midend::pair_elements(l, midend::all_intervals(l.first()), numbers));
  CHECK(widened.height == 6);
  CHECK(widened.holds(lattice_level::widening));
  CHECK(widened.widenings <= 5);
  CHECK(widened.holds(lattice_level::narrowing));
  CHECK(text(l, l.pair(l.first().between(1, 2), l.second().constant(7))) == "([1, 2], 7)");
  std::vector<std::uint32_t> parts;
  l.explain_difference(l.bottom(), l.pair(l.first().bottom(), l.second().top()),
                       [&](std::uint32_t part, order_relation how) {
                         CHECK(how == order_relation::less);
                         parts.push_back(part);
                       });
  CHECK(parts == std::vector<std::uint32_t>{1});
}

TEST_CASE("reduced_product: intervals and known bits; all laws, and no number is lost") {
  const auto narrow = midend::make_interval_and_known_bits(2);
  const midend::pair_elements all(narrow, midend::all_intervals(narrow.first()),
                                  midend::all_known_bits(narrow.second()));
  const auto proven = check_laws(narrow, all, midend_tests::affordable(2'000'000));
  CHECK(proven.exhaustive != midend_tests::tests_are_shortened);
  CHECK(proven.holds(lattice_level::meet));

  std::size_t not_reduced = 0;
  for (std::size_t i = 0; i != all.size(); ++i) {
    for (std::size_t k = 0; k != all.size(); ++k) {
      auto joined = all[i];
      narrow.join(joined, all[k]);
      not_reduced += narrow.reduce(joined);
      auto met = all[i];
      narrow.meet(met, all[k]);
      not_reduced += narrow.reduce(met);
    }
  }
  CHECK(not_reduced == 0);

  const auto l = midend::make_interval_and_known_bits(3);
  const auto intervals = midend::all_intervals(l.first());
  const auto bits = midend::all_known_bits(l.second());
  const midend::pair_elements elements(l, intervals, bits);
  const auto report = check_laws(l, elements, midend_tests::affordable(100'000));
  CHECK(report.holds(lattice_level::meet));
  CHECK(report.holds(lattice_level::widening));
  std::size_t sharpened = 0;
  for (std::size_t i = 0; i != intervals.size(); ++i) {
    for (std::size_t k = 0; k != bits.size(); ++k) {
      auto pair = l.pair(intervals[i], bits[k]);
      const std::uint64_t wanted = numbers_of(intervals[i], 6) & numbers_of(bits[k], 6);
      CHECK((numbers_of(pair.first, 6) & numbers_of(pair.second, 6)) == wanted);
      CHECK(l.first().leq(pair.first, intervals[i]));
      CHECK(l.second().leq(pair.second, bits[k]));
      CHECK_FALSE(l.reduce(pair));
      CHECK(pair == best_of(l, wanted));
      auto once = midend::interval_and_known_bits::element{intervals[i], bits[k]};
      const auto before = once;
      const bool said = midend::reduce_interval_and_bits()(once.first, once.second);
      CHECK(said == !(once == before));
      CHECK(once == pair);
      sharpened += pair.first == intervals[i] && pair.second == bits[k] ? 0 : 1;
    }
  }
  CHECK(sharpened > 500);

  const auto wide = midend::make_interval_and_known_bits(64);
  const midend::pair_elements some(wide, midend::some_intervals(wide.first(), 60),
                                   midend::some_known_bits(wide.second(), 60));
  const auto random = midend::check_lattice(wide, some, {.cases = 100'000});
  CHECK(random.ok());
  CHECK_FALSE(random.exhaustive);

  auto aligned = wide.pair(wide.first().between(5, 30), {7, 0}); // a multiple of 8, at most 30
  CHECK(text(wide.first(), aligned.first) == "[8, 24]");
  CHECK(aligned.second.zeros == ~std::uint64_t{24});
  std::size_t not_tight = 0;
  for (std::size_t i = 0; i != some.size(); ++i) {
    const auto tight = some[i];
    not_tight += !tight.first.is_bottom() &&
                 !(tight.second.contains(tight.first.low) && tight.second.contains(tight.first.high));
    not_tight += tight.first.is_bottom() != tight.second.is_bottom();
  }
  CHECK(not_tight == 0);
}

TEST_CASE("map: all laws, over flat values and over values that own memory") {
  const map<flat<int>> l(flat<int>(), 3);
  const midend::map_elements elements(l,
                                      midend::flat_elements(l.values(), std::span<const int>(three_numbers).first(2)));
  CHECK(elements.size() == 64);
  const auto report = check_laws(l, elements);
  CHECK(report.exhaustive);
  CHECK(report.height == 6);

  const map<powerset<>> sets(powerset(2), 2);
  const auto of_sets = check_laws(sets, midend::map_elements(sets, midend::all_subsets(sets.values())));
  CHECK(of_sets.height == 4);
  CHECK(of_sets.holds(lattice_level::distributive));

  const map<signed_interval> intervals(signed_interval(2), 2);
  const auto widened =
      check_laws(intervals, midend::map_elements(intervals, midend::all_intervals(intervals.values())), 100'000);
  CHECK(widened.holds(lattice_level::widening));
  CHECK(widened.height == 8);

  const map<sign> none(sign(), 0); // no variables
  CHECK(check_laws(none, midend::map_elements(none, midend::all_signs())).height == 0);

  auto a = l.bottom();
  auto b = l.bottom();
  a[0] = l.values().constant(7);
  b[2] = l.values().top();
  CHECK(text(l, a) == "{0: 7}");
  CHECK(text(l, b) == "{2: top}");
  std::vector<std::pair<std::uint32_t, order_relation>> parts;
  l.explain_difference(a, b, [&](std::uint32_t part, order_relation how) { parts.emplace_back(part, how); });
  CHECK(parts == decltype(parts){{0, order_relation::greater}, {2, order_relation::less}});
  const auto* const memory = a.data();
  CHECK(l.join(a, b));
  a = b;
  CHECK(a.data() == memory);
}

TEST_CASE("dual: all laws, upside down") {
  const dual<powerset<>> l(powerset(3));
  const auto report = check_laws(l, midend::all_subsets(l.original()));
  CHECK(report.height == 3);
  CHECK(l.bottom() == l.original().top());
  auto a = l.bottom();
  auto b = l.bottom();
  a.reset(0);
  b.reset(1);
  CHECK(l.join(a, b));
  CHECK(text(l, a) == "{2}");
  CHECK(midend::compare(l, a, b) == order_relation::greater);
  l.explain_difference(a, b, [](std::uint32_t part, order_relation how) {
    CHECK(part == 0);
    CHECK(how == order_relation::greater);
  });
  const dual<dual<sign>> again;
  CHECK(again.bottom() == midend::signs::none);
  check_laws(again, midend::all_signs());
  const dual<signed_interval> intervals(signed_interval(3));
  check_laws(intervals, midend::all_intervals(intervals.original()));
}

TEST_CASE("lifted and topped: all laws, one higher") {
  const lifted<sign> l;
  const auto report = check_laws(l, midend::lifted_elements(l, midend::all_signs()));
  CHECK(report.height == 4);
  CHECK_FALSE(l.bottom() == l.lift(midend::signs::none));
  CHECK(text(l, l.bottom()) == "<bottom>");
  CHECK(text(l, l.lift(midend::signs::none)) == "bottom");

  const topped<signed_interval> t(signed_interval(2));
  const auto widened = check_laws(t, midend::lifted_elements(t, midend::all_intervals(t.original())));
  CHECK(widened.height == 5);
  CHECK(widened.holds(lattice_level::widening));
  CHECK(widened.holds(lattice_level::narrowing));
  CHECK(text(t, t.top()) == "<top>");

  const lifted<signed_interval> both(signed_interval(2));
  CHECK(check_laws(both, midend::lifted_elements(both, midend::all_intervals(both.original()))).height == 5);

  const topped<semilattice> numbers;
  const auto few = midend::made_elements(10, [](std::size_t i) { return static_cast<int>(i); });
  const auto chain = check_laws(numbers, midend::lifted_elements(numbers, few));
  CHECK(chain.height == 10);
  CHECK(chain.holds(lattice_level::meet)); // as far as there is one: its top
}

TEST_CASE("check_lattice: catches mutants of the ready lattices") {
  using midend::signs;
  check_mutants(sign(), midend::all_signs(), signs::negative, signs::zero);

  const powerset sets(3);
  const auto subsets = midend::all_subsets(sets);
  check_mutants(sets, subsets, subsets[1], subsets[2]);
  const dual<powerset<>> every(sets);
  check_mutants(every, subsets, subsets[6], subsets[5]);

  const signed_interval numbers(2);
  const auto intervals = midend::all_intervals(numbers);
  check_mutants(numbers, intervals, numbers.constant(0), numbers.constant(1));
  const known_bits bits(2);
  check_mutants(bits, midend::all_known_bits(bits), bits.constant(0), bits.constant(1));
  const auto both = midend::make_interval_and_known_bits(2);
  const auto pairs =
      midend::pair_elements(both, midend::all_intervals(both.first()), midend::all_known_bits(both.second()));
  check_mutants(both, pairs, both.pair(both.first().constant(0), both.second().constant(0)),
                both.pair(both.first().constant(1), both.second().constant(1)));

  const map<boolean> flags(boolean(), 3);
  const midend::map_elements maps(flags, midend::all_booleans());
  check_mutants(flags, maps, maps[1], maps[2]);
  const product<sign, boolean> two;
  check_mutants(two, midend::pair_elements(two, midend::all_signs(), midend::all_booleans()),
                two.pair(signs::negative, false), two.pair(signs::zero, false));
  const lifted<sign> low;
  check_mutants(low, midend::lifted_elements(low, midend::all_signs()), low.lift(signs::negative),
                low.lift(signs::zero));
  const topped<sign> high;
  check_mutants(high, midend::lifted_elements(high, midend::all_signs()), high.lift(signs::negative),
                high.lift(signs::zero));
}

TEST_CASE("flat and boolean: mutants too, where all that is not comparable has the top above it") {
  struct one_and_two_are_three : flat<int> {
    bool join(element& a, const element& b) const {
      if (!a.is_constant() || !b.is_constant() || a == b || a.value + b.value != 3) {
        return flat<int>::join(a, b);
      }
      a = constant(3);
      return true;
    }
  };

  const auto elements = midend::flat_elements(flat<int>(), std::span<const int>(three_numbers));
  CHECK_FALSE(midend::check_lattice(one_and_two_are_three(), elements).holds(lattice_level::join));
  CHECK_FALSE(midend::check_lattice(with_wrong_meet(flat<int>()), elements).holds(lattice_level::meet));
  CHECK_FALSE(midend::check_lattice(with_wrong_meet(boolean()), midend::all_booleans()).holds(lattice_level::meet));
}

TEST_CASE("compare: by leq, or by joining where there is none") {
  CHECK(midend::compare(semilattice(), 1, 2) == order_relation::less);
  CHECK(midend::compare(semilattice(), 2, 1) == order_relation::greater);
  CHECK(midend::compare(semilattice(), 2, 2) == order_relation::equal);
  CHECK(midend::compare(sign(), midend::signs::zero, midend::signs::positive) == order_relation::incomparable);
  CHECK_FALSE(midend::less_or_equal(semilattice(), 2, 1));
}
