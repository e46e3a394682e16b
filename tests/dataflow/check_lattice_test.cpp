// check_lattice finds what is wrong with a lattice, names the law, and makes the counterexample small.
#include <doctest/doctest.h>
#include <midend/dataflow/check_lattice.hpp>
#include <midend/dataflow/lattice_elements.hpp>
#include <midend/dataflow/lattices/interval.hpp>
#include <midend/dataflow/lattices/known_bits.hpp>
#include <midend/dataflow/lattices/map.hpp>
#include <midend/dataflow/lattices/sign.hpp>

#include <cstdint>
#include <string>

using midend::check_lattice;
using midend::lattice_law;
using midend::lattice_level;
using midend::sign;
using midend::signed_interval;
using midend::signs;

namespace {

/// The divisors of 36 by divisibility, written as exponents of 2 and 3: (0..2) x (0..2) as digits of a number. A
/// correct lattice of nine elements, each member of which the mutants below replace.
struct divisors {
  using element = unsigned;

  static constexpr unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

  static constexpr unsigned larger(unsigned a, unsigned b) { return a < b ? b : a; }

  static constexpr unsigned joined(unsigned a, unsigned b) { return 3 * larger(a / 3, b / 3) + larger(a % 3, b % 3); }

  static constexpr unsigned met(unsigned a, unsigned b) { return 3 * smaller(a / 3, b / 3) + smaller(a % 3, b % 3); }

  static constexpr bool assign(unsigned& a, unsigned value) {
    const bool changed = a != value;
    a = value;
    return changed;
  }

  constexpr unsigned bottom() const { return 0; }

  constexpr unsigned top() const { return 8; }

  constexpr bool join(unsigned& a, unsigned b) const { return assign(a, joined(a, b)); }

  constexpr bool meet(unsigned& a, unsigned b) const { return assign(a, met(a, b)); }

  constexpr bool leq(unsigned a, unsigned b) const { return joined(a, b) == b; }

  constexpr bool widen(unsigned& a, unsigned b) const { return !leq(b, a) && assign(a, a == 0 ? b : 8); }

  constexpr bool narrow(unsigned& a, unsigned b) const { return a == 8 && assign(a, b); }
};

constexpr auto nine = midend::made_elements(9, [](std::size_t i) { return static_cast<unsigned>(i); });

static_assert(check_lattice(divisors(), nine, {.chain = 2}).ok());

/// Checks a mutant of `divisors`: the first law that is broken at the level is this one, and really is broken.
template <class L> auto expect(const L& l, lattice_law law, midend::lattice_check_limits limits = {}) {
  const auto report = check_lattice(l, nine, limits);
  CHECK(report.exhaustive);
  const auto* found = report.violation(midend::level_of(law));
  REQUIRE(found != nullptr);
  CHECK(midend::name_of(found->law) == std::string(midend::name_of(law)));
  CHECK(report.ok() == (midend::level_of(law) == lattice_level::distributive));
  CHECK_FALSE(report.holds(midend::level_of(law)));
  for (std::size_t k = 0; k != midend::arity_of(law); ++k) {
    CHECK(found->elements[k] == nine[found->indices[k]]);
  }
  return *found;
}

// Each mutant is `divisors` with one member that is wrong.
struct leq_not_reflexive : divisors {
  bool leq(unsigned a, unsigned b) const { return (a != 5 || b != 5) && divisors::leq(a, b); }
};

struct leq_without_bottom : divisors {
  bool leq(unsigned a, unsigned b) const { return (a != 0 || b != 7) && divisors::leq(a, b); }
};

struct leq_as_numbers : divisors { // a total order, but not that of join

  bool leq(unsigned a, unsigned b) const { return a <= b; }
};

struct leq_says_less : divisors {
  bool leq(unsigned a, unsigned b) const { return a == b || a == 0; }
};

struct leq_both_ways : divisors {
  bool leq(unsigned a, unsigned b) const { return divisors::leq(a, b) || (a == 4 && b == 3); }
};

struct join_not_idempotent : divisors {
  bool join(unsigned& a, unsigned b) const { return assign(a, a == 4 && b == 4 ? 5 : joined(a, b)); }
};

struct bottom_not_neutral : divisors {
  unsigned bottom() const { return 1; }
};

struct join_with_bottom_wrong : divisors {
  bool join(unsigned& a, unsigned b) const { return assign(a, a == 5 && b == 0 ? 8 : joined(a, b)); }
};

struct join_of_bottom_wrong : divisors {
  bool join(unsigned& a, unsigned b) const { return assign(a, a == 0 && b == 5 ? 8 : joined(a, b)); }
};

struct join_never_says : divisors {
  bool join(unsigned& a, unsigned b) const {
    a = joined(a, b);
    return false;
  }
};

struct join_always_says : divisors {
  bool join(unsigned& a, unsigned b) const {
    a = joined(a, b);
    return true;
  }
};

struct join_not_upper : divisors {
  bool join(unsigned& a, unsigned b) const { return assign(a, a == 2 && b == 3 ? 4 : joined(a, b)); }
};

struct join_not_upper_of_second : divisors {
  bool join(unsigned& a, unsigned b) const { return assign(a, a == 1 && b == 3 ? 2 : joined(a, b)); }
};

struct join_not_commutative : divisors { // 2 ∨ 3 is 5; 8 is an upper bound too

  bool join(unsigned& a, unsigned b) const { return assign(a, a == 2 && b == 3 ? 8 : joined(a, b)); }
};

struct join_not_least : divisors { // commutative, idempotent, an upper bound, but too high

  bool join(unsigned& a, unsigned b) const {
    return assign(a, (a == 1 && b == 3) || (a == 3 && b == 1) ? 8 : joined(a, b));
  }
};

struct top_not_greatest : divisors {
  unsigned top() const { return 7; }
};

struct meet_not_idempotent : divisors {
  bool meet(unsigned& a, unsigned b) const { return assign(a, a == 4 && b == 4 ? 0 : met(a, b)); }
};

struct meet_never_says : divisors {
  bool meet(unsigned& a, unsigned b) const {
    a = met(a, b);
    return false;
  }
};

struct meet_is_the_first : divisors { // not a lower bound of the second

  bool meet(unsigned&, unsigned) const { return false; }
};

struct meet_not_commutative : divisors {
  bool meet(unsigned& a, unsigned b) const { return assign(a, a == 4 && b == 5 ? 0 : met(a, b)); }
};

struct meet_not_greatest : divisors { // of elements that are not comparable, bottom

  bool meet(unsigned& a, unsigned b) const { return assign(a, leq(a, b) ? a : leq(b, a) ? b : 0); }
};

struct meet_does_not_absorb : divisors {
  bool meet(unsigned& a, unsigned b) const { return assign(a, a == b ? a : 0); }
};

struct widen_lies : divisors {
  bool widen(unsigned& a, unsigned b) const {
    divisors::widen(a, b);
    return true;
  }
};

struct widen_too_low : divisors {
  bool widen(unsigned& a, unsigned b) const { return assign(a, larger(a, b)); }
};

struct widen_is_join : divisors { // an upper bound, but slow

  bool widen(unsigned& a, unsigned b) const { return join(a, b); }
};

struct narrow_lies : divisors {
  bool narrow(unsigned& a, unsigned b) const {
    a = a == 8 ? b : a;
    return false;
  }
};

struct narrow_too_low : divisors {
  bool narrow(unsigned& a, unsigned) const { return assign(a, 0); }
};

struct narrow_upwards : divisors {
  bool narrow(unsigned& a, unsigned b) const { return a != b && assign(a, 8); }
};

struct narrow_is_meet : divisors {
  bool narrow(unsigned& a, unsigned b) const { return meet(a, b); }
};

/// Elements without `==`, and no `leq`.
struct without_equality {
  struct element {
    int value;
  };

  constexpr element bottom() const { return {0}; }

  constexpr bool join(element& a, const element& b) const {
    const bool changed = b.value > a.value;
    a.value = changed ? b.value : a.value;
    return changed;
  }
};

constexpr auto ten = midend::made_elements(10, [](std::size_t i) { return without_equality::element{int(i)}; });

/// Above a bottom, each of three beats the one before; the order that such a join gives goes in a circle.
struct rock_paper_scissors {
  using element = unsigned;

  constexpr unsigned bottom() const { return 0; }

  constexpr bool join(unsigned& a, unsigned b) const {
    return divisors::assign(a, a == 0 || b == a % 3 + 1 ? b : b == 0 || a == b % 3 + 1 ? a : b);
  }
};

/// A widening without end at 64 bits.
struct interval_that_creeps : signed_interval {
  using signed_interval::signed_interval;

  bool widen(element& a, const element& b) const { return join(a, b); }
};

/// The hull, but of bounds rounded to multiples of 4.
struct interval_rounded : signed_interval {
  using signed_interval::signed_interval;

  bool join(element& a, const element& b) const {
    if (leq(b, a)) {
      return false;
    }
    if (leq(a, b)) {
      a = b;
    } else {
      signed_interval::join(a, b);
      a = {a.low & ~std::int64_t{3}, a.high | 3};
    }
    return true;
  }
};

/// A map of signs with a meet that is wrong of one key and one value: a needle in 8^6 elements.
struct wrong_in_one_key : midend::map<sign> {
  using map::map;

  bool meet(element& a, const element& b) const {
    const bool changed = map::meet(a, b);
    if (a[4] == signs::zero && b[4] == signs::zero) {
      a[4] = signs::none;
      return true;
    }
    return changed;
  }
};

} // namespace

TEST_CASE("check_lattice: a lattice that keeps the laws") {
  const auto report = check_lattice(divisors(), nine);
  CHECK(report.ok());
  for (const auto level : {lattice_level::order, lattice_level::join, lattice_level::meet, lattice_level::distributive,
                           lattice_level::widening, lattice_level::narrowing}) {
    CHECK(report.holds(level));
    CHECK(report.violation(level) == nullptr);
  }
  CHECK(report.height == 4);
  CHECK(report.widenings == 2);
  CHECK(report.narrowings == 1);
  CHECK(report.exhaustive);
}

TEST_CASE("check_lattice: only what a lattice has is tested") {
  const auto report = check_lattice(without_equality(), ten);
  CHECK(report.holds(lattice_level::order));
  CHECK(report.holds(lattice_level::join));
  CHECK_FALSE(report.holds(lattice_level::meet));
  CHECK_FALSE(report.tested[static_cast<std::size_t>(lattice_level::meet)]);
  CHECK_FALSE(report.holds(lattice_level::widening));
  CHECK(report.ok());
  CHECK(report.height == 9);
}

TEST_CASE("check_lattice: mutants of the order") {
  CHECK(expect(leq_not_reflexive(), lattice_law::leq_reflexive).elements[0] == 5);
  CHECK(expect(leq_without_bottom(), lattice_law::leq_bottom_least).elements[0] == 7);
  const auto as_numbers = expect(leq_as_numbers(), lattice_law::leq_agrees_with_join);
  CHECK(as_numbers.elements[0] == 1);
  CHECK(as_numbers.elements[1] == 3);
  expect(leq_says_less(), lattice_law::leq_agrees_with_join);
  expect(leq_both_ways(), lattice_law::leq_antisymmetric);
  const auto four = midend::made_elements(4, [](std::size_t i) { return static_cast<unsigned>(i); });
  const auto circle = check_lattice(rock_paper_scissors(), four);
  REQUIRE(circle.violation(lattice_level::order) != nullptr);
  CHECK(circle.violation(lattice_level::order)->law == lattice_law::leq_transitive);
  REQUIRE(circle.violation(lattice_level::join) != nullptr);
  CHECK(circle.violation(lattice_level::join)->law == lattice_law::join_associative);
  CHECK(check_lattice(leq_as_numbers(), nine).holds(lattice_level::join)); // join is not to blame
  CHECK(check_lattice(leq_as_numbers(), nine).holds(lattice_level::meet));
}

TEST_CASE("check_lattice: mutants of join") {
  CHECK(expect(join_not_idempotent(), lattice_law::join_idempotent).left == 5);
  expect(bottom_not_neutral(), lattice_law::join_bottom_neutral);
  CHECK(expect(join_with_bottom_wrong(), lattice_law::join_bottom_neutral).elements[0] == 5);
  CHECK(expect(join_of_bottom_wrong(), lattice_law::join_bottom_neutral).elements[0] == 5);
  const auto silent = expect(join_never_says(), lattice_law::join_says_changed);
  CHECK(silent.elements[0] == 0);
  CHECK(silent.elements[1] == 1);
  CHECK(silent.left == 0); // before
  CHECK(silent.right == 1);
  CHECK(expect(join_always_says(), lattice_law::join_says_changed).elements[1] == 0);
  const auto low = expect(join_not_upper(), lattice_law::join_upper_bound);
  CHECK(low.elements[0] == 2);
  CHECK(low.elements[1] == 3);
  CHECK(low.right == 4);
  CHECK(expect(join_not_upper_of_second(), lattice_law::join_upper_bound).left == 3);
  const auto one_way = expect(join_not_commutative(), lattice_law::join_commutative);
  CHECK(one_way.left + one_way.right == 5 + 8);
  const auto high = expect(join_not_least(), lattice_law::join_least);
  CHECK(high.elements[0] == 1);
  CHECK(high.elements[1] == 3);
  CHECK(high.elements[2] == 4);
  CHECK(high.left == 8);
}

TEST_CASE("check_lattice: mutants of top and meet") {
  CHECK(expect(top_not_greatest(), lattice_law::top_greatest).elements[0] == 2);
  expect(meet_not_idempotent(), lattice_law::meet_idempotent);
  expect(meet_never_says(), lattice_law::meet_says_changed);
  const auto first = expect(meet_is_the_first(), lattice_law::meet_lower_bound);
  CHECK(first.elements[0] == 1);
  CHECK(first.elements[1] == 0);
  expect(meet_not_commutative(), lattice_law::meet_commutative);
  expect(meet_does_not_absorb(), lattice_law::meet_absorbs);
  const auto low = expect(meet_not_greatest(), lattice_law::meet_greatest);
  CHECK(low.left != low.right);
  CHECK(check_lattice(meet_not_greatest(), nine).holds(lattice_level::join));
}

TEST_CASE("check_lattice: mutants of widen and narrow") {
  expect(widen_lies(), lattice_law::widen_says_changed);
  const auto low = expect(widen_too_low(), lattice_law::widen_upper_bound);
  CHECK(low.elements[0] == 1);
  CHECK(low.elements[1] == 3);
  expect(widen_is_join(), lattice_law::widen_ends, {.chain = 3});
  CHECK(check_lattice(widen_is_join(), nine, {.chain = 4}).widenings == 4); // which a small lattice allows
  CHECK(check_lattice(widen_is_join(), nine, {.chain = 4}).ok());
  expect(narrow_lies(), lattice_law::narrow_says_changed);
  expect(narrow_too_low(), lattice_law::narrow_between);
  expect(narrow_upwards(), lattice_law::narrow_between);
  expect(narrow_is_meet(), lattice_law::narrow_ends, {.chain = 3});
}

TEST_CASE("check_lattice: a widening that does not end, at 64 bits") {
  const interval_that_creeps l;
  const auto report = check_lattice(l, midend::some_intervals(l, 300), {.cases = 10'000, .chain = 40});
  REQUIRE(report.violation(lattice_level::widening) != nullptr);
  const auto& found = *report.violation(lattice_level::widening);
  CHECK(found.law == lattice_law::widen_ends);
  CHECK(l.leq(found.left, found.right));
  CHECK_FALSE(found.left == found.right);
  CHECK(report.widenings == 41);
  const signed_interval right;
  CHECK(check_lattice(right, midend::some_intervals(right, 300), {.cases = 10'000, .chain = 3}).ok());
}

TEST_CASE("check_lattice: a counterexample among random intervals of 64 bits becomes small") {
  const interval_rounded l;
  const auto report = check_lattice(l, midend::some_intervals(l, 2000), {.cases = 100'000});
  CHECK_FALSE(report.exhaustive);
  REQUIRE(report.violation(lattice_level::join) != nullptr);
  const auto& found = *report.violation(lattice_level::join);
  CHECK(found.law == lattice_law::join_least);
  for (std::size_t k = 0; k != 3; ++k) {
    CHECK(found.indices[k] < 50);
  }
  auto joined = found.elements[0];
  l.join(joined, found.elements[1]);
  CHECK(joined == found.left);
  CHECK(l.leq(found.elements[0], found.elements[2]));
  CHECK(l.leq(found.elements[1], found.elements[2]));
  CHECK_FALSE(l.leq(joined, found.elements[2]));
}

TEST_CASE("check_lattice: a needle in a haystack, shrunk key by key") {
  const wrong_in_one_key l(sign(), 6);
  const midend::map_elements elements(l, midend::all_signs());
  const auto report = check_lattice(l, elements, {.cases = 20'000});
  REQUIRE(report.violation(lattice_level::meet) != nullptr);
  const auto& found = *report.violation(lattice_level::meet);
  CHECK(found.law == lattice_law::meet_idempotent);
  for (std::size_t key = 0; key != 6; ++key) {
    CHECK(found.elements[0][key] == (key == 4 ? signs::zero : signs::none));
  }
  CHECK(report.holds(lattice_level::order));
  CHECK(report.holds(lattice_level::join));
}

TEST_CASE("check_lattice: the same report each time") {
  const interval_rounded l;
  const auto once = check_lattice(l, midend::some_intervals(l, 500), {.cases = 50'000});
  const auto again = check_lattice(l, midend::some_intervals(l, 500), {.cases = 50'000});
  CHECK(once.violation(lattice_level::join)->indices == again.violation(lattice_level::join)->indices);
  CHECK(once.height == again.height);
}

TEST_CASE("lattice_laws: each law has its own name and a level that follows the one before") {
  for (std::size_t i = 0; i != midend::num_lattice_laws; ++i) {
    const auto law = static_cast<lattice_law>(i);
    CHECK(std::string(midend::name_of(law)).size() > 3);
    CHECK(midend::arity_of(law) >= 1);
    CHECK(midend::arity_of(law) <= 3);
    for (std::size_t k = 0; k != i; ++k) {
      CHECK(std::string(midend::name_of(static_cast<lattice_law>(k))) != midend::name_of(law));
      CHECK(midend::level_of(static_cast<lattice_law>(k)) <= midend::level_of(law));
    }
  }
  CHECK(midend::name_of(lattice_law::narrow_ends) == std::string("narrow_ends"));
  CHECK(midend::level_of(lattice_law::meet_distributes) == lattice_level::distributive);
  CHECK(std::string(midend::name_of(lattice_level::narrowing)) == "narrowing");
}

TEST_CASE("lattice_elements: all elements, each once; lists of a size") {
  const signed_interval l(3);
  const auto intervals = midend::all_intervals(l);
  CHECK(intervals.size() == 1 + 36);
  const midend::known_bits bits(3);
  const auto masks = midend::all_known_bits(bits);
  CHECK(masks.size() == 1 + 27);
  std::size_t same = 0;
  for (std::size_t i = 0; i != intervals.size(); ++i) {
    CHECK(l.leq(intervals[i], l.top()));
    for (std::size_t k = 0; k != i; ++k) {
      same += intervals[i] == intervals[k];
      same += i < masks.size() && masks[i] == masks[k];
    }
  }
  CHECK(same == 0);
  const signed_interval narrow(5);
  const auto some = midend::some_intervals(narrow, 200);
  for (std::size_t i = 0; i != some.size(); ++i) {
    CHECK(narrow.leq(some[i], narrow.top()));
  }
  CHECK(some[0] == narrow.bottom());
}
