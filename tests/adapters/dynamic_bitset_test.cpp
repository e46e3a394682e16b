// boost::dynamic_bitset as a bit_set: the same answers as bit_row in lock step, and conversions.
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/adapters/dynamic_bitset.hpp>

#include <cstdint>

using namespace midend_tests;
using midend::bit_row;

namespace {

using small_blocks = boost::dynamic_bitset<std::uint8_t>;

static_assert(midend::bit_set<small_blocks>);
static_assert(!midend::change_reporting_bit_set<boost::dynamic_bitset<>>);
static_assert(bit_row::npos == boost::dynamic_bitset<>::npos);

/// A step that is drawn at random, taken by both.
template <class Set> bool step(std::uint64_t choice, std::size_t n, Set& a, const Set& b) {
  switch (choice) {
  case 0:
    a.set(n);
    return true;
  case 1:
    a.reset(n);
    return true;
  case 2:
    a.set(n, !a.test(n));
    return true;
  case 3:
    a |= b;
    return true;
  case 4:
    a &= b;
    return true;
  case 5:
    a -= b;
    return true;
  case 6:
    return midend::unite(a, b);
  case 7:
    return midend::intersect(a, b);
  case 8:
    return a.is_subset_of(b);
  default:
    return a == b;
  }
}

template <class Boost> void check_in_lock_step(std::uint64_t seed) {
  random_source random(seed);
  for (const std::size_t size : {1u, 7u, 64u, 65u, 130u, 257u}) {
    bit_row ours[2] = {bit_row(size), bit_row(size)};
    Boost theirs[2] = {Boost(size), Boost(size)};
    for (std::size_t i = 0; i != 200; ++i) {
      if (random.one_in(20)) { // to another size and back, over values that vanish
        const std::size_t other = random.below(300);
        const bool value = random.one_in(2);
        for (std::size_t side = 0; side != 2; ++side) {
          ours[side].resize(other, value);
          theirs[side].resize(other, value);
          REQUIRE(midend::to_bit_row(theirs[side]) == ours[side]);
          ours[side].resize(size, !value);
          theirs[side].resize(size, !value);
        }
      }
      const std::size_t side = random.below(2);
      const std::uint64_t choice = random.one_in(3) ? random.below(10) : random.below(3);
      const std::size_t n = random.below(size);
      REQUIRE(step(choice, n, ours[side], ours[1 - side]) == step(choice, n, theirs[side], theirs[1 - side]));
      REQUIRE(midend::to_bit_row(theirs[side]) == ours[side]);
      REQUIRE(ours[side].find_first() == theirs[side].find_first());
      REQUIRE(ours[side].find_next(n) == theirs[side].find_next(n));
      REQUIRE(ours[side].count() == theirs[side].count());
      REQUIRE(ours[side].size() == theirs[side].size());
    }
    CHECK(ours[0].find_next(size) == theirs[0].find_next(size));
    CHECK(listed(midend::set_bits(ours[0])) == listed(midend::set_bits(theirs[0])));
    ours[0].set();
    theirs[0].set();
    CHECK(midend::to_bit_row(theirs[0]) == ours[0]);
    ours[0].reset();
    theirs[0].reset();
    CHECK(midend::to_bit_row(theirs[0]) == ours[0]);
  }
  CHECK(bit_row().find_first() == Boost().find_first());
  CHECK(bit_row().find_next(0) == Boost().find_next(0));
}

} // namespace

TEST_CASE("dynamic_bitset: the same as bit_row, step by step") {
  check_in_lock_step<boost::dynamic_bitset<>>(11);
  check_in_lock_step<small_blocks>(12);
}

TEST_CASE("dynamic_bitset: conversions") {
  random_source random(13);
  boost::dynamic_bitset<> theirs_again(5, 31);
  bit_row ours_again(500, true);
  for (std::size_t round = 0; round != 50; ++round) {
    bit_row ours(random.below(200));
    for (std::size_t i = 0; i != ours.size(); ++i) {
      ours.set(i, random.one_in(3));
    }
    const auto theirs = midend::to_dynamic_bitset(ours);
    CHECK(theirs.size() == ours.size());
    CHECK(theirs.count() == ours.count());
    CHECK(midend::to_bit_row(theirs) == ours);
    CHECK(midend::to_bit_row(midend::to_dynamic_bitset<std::uint8_t>(ours)) == ours);
    midend::to_dynamic_bitset(ours, theirs_again);
    CHECK(theirs_again == theirs);
    midend::to_bit_row(theirs, ours_again);
    CHECK(ours_again == ours);
  }
}
