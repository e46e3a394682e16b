#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/support/bit_matrix.hpp>
#include <midend/support/bit_row.hpp>

#include <vector>

using namespace midend_tests;

TEST_CASE("bit_matrix: rows against sets of bool") {
  random_source random(1);
  midend::bit_matrix m;
  for (const unsigned bits : {1U, 63U, 64U, 65U, 128U, 129U, 5U, 300U}) {
    constexpr std::size_t rows = 7;
    const bool filled = random.one_in(2);
    m.assign(rows, bits, filled);
    std::vector<std::vector<bool>> expected(rows, std::vector<bool>(bits, filled));
    CHECK(m[3].count() == (filled ? bits : 0));
    for (int round = 0; round != 200; ++round) {
      const std::uint32_t row = random.below(rows);
      const std::uint32_t bit = random.below(bits);
      const bool value = random.one_in(2);
      m.set(row, bit, value);
      expected[row][bit] = value;
    }
    for (std::size_t row = 0; row != rows; ++row) {
      const midend::bit_row_view view = m[row];
      std::vector<std::uint32_t> members;
      for (std::uint32_t bit = 0; bit != bits; ++bit) {
        CHECK(view.test(bit) == expected[row][bit]);
        if (expected[row][bit]) {
          members.push_back(bit);
        }
      }
      std::vector<std::uint32_t> found;
      for (const std::uint32_t bit : midend::set_bits(view)) {
        found.push_back(bit);
      }
      CHECK(found == members);
      CHECK(view.count() == members.size());
      CHECK(view.any() == !members.empty());
      CHECK(view.none() == members.empty());
      CHECK(view.find_first() == (members.empty() ? midend::bit_row_view::npos : members[0]));
      if (members.size() > 1) {
        CHECK(view.find_next(members[0]) == members[1]);
        CHECK(view.find_next(members.back()) == midend::bit_row_view::npos);
      }
    }
  }
}

TEST_CASE("bit_row_view: comparisons, and rows of no bits") {
  midend::bit_matrix m(3, 70);
  m.set(0, 69);
  m.set(1, 69);
  m.set(1, 2);
  CHECK(m[0].is_subset_of(m[1]));
  CHECK_FALSE(m[1].is_subset_of(m[0]));
  CHECK_FALSE(m[0] == m[1]);
  m.set(0, 2);
  CHECK(m[0] == m[1]);
  CHECK(m[2].none());
  const midend::bit_matrix empty(4, 0);
  CHECK(empty[3].none());
  CHECK(empty[3].begin() == empty[3].end());
  CHECK(empty[3].find_first() == midend::bit_row_view::npos);
  const midend::bit_matrix full(2, 0, true);
  CHECK(full[0].count() == 0);
}

static_assert([] {
  midend::bit_matrix m(2, 100);
  m.set(1, 99);
  m.set(1, 7);
  std::uint32_t sum = 0;
  for (const std::uint32_t bit : m[1]) {
    sum += bit;
  }
  return sum;
}() == 106);
