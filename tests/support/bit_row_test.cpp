// bit_row and the word kernels against sets kept as plain bools.
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/support/bit_row.hpp>
#include <midend/support/bit_set.hpp>
#include <midend/support/detail/word_kernels.hpp>

#include <type_traits>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::bit_row;
namespace detail = midend::detail;

namespace {

using bools = std::vector<bool>;

/// Around every border between words, inside the object and on the heap.
constexpr std::size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 200, 256, 300};

bools random_bools(random_source& random, std::size_t size) {
  bools out(size);
  const std::size_t one_in = 1 + random.below(5);
  for (std::size_t i = 0; i != size; ++i) {
    out[i] = random.one_in(one_in);
  }
  return out;
}

bit_row row_of(const bools& values) {
  bit_row out(values.size());
  for (std::size_t i = 0; i != values.size(); ++i) {
    out.set(i, values[i]);
  }
  return out;
}

/// Says the same as `values` in every way, and keeps the bits after the last one 0.
bool same(const bit_row& row, const bools& values) {
  bool right = row.size() == values.size() && row == row_of(values) && row.words().size() == (row.size() + 63) / 64;
  std::size_t count = 0;
  for (std::size_t i = 0; i != values.size(); ++i) {
    right = right && row.test(i) == values[i];
    count += values[i] ? 1 : 0;
  }
  std::size_t in_words = 0;
  for (const std::uint64_t word : row.words()) {
    for (std::uint64_t rest = word; rest != 0; rest &= rest - 1) {
      ++in_words;
    }
  }
  return right && row.count() == count && in_words == count && row.any() == (count != 0) && row.none() == (count == 0);
}

template <class Function> bools combined(const bools& a, const bools& b, Function f) {
  bools out(a.size());
  for (std::size_t i = 0; i != a.size(); ++i) {
    out[i] = f(a[i], b[i]);
  }
  return out;
}

/// What a user's set needs, without a function that reports changes.
struct plain_set {
  bit_row bits;

  std::size_t size() const { return bits.size(); }

  void resize(std::size_t n, bool value = false) { bits.resize(n, value); }

  bool test(std::size_t n) const { return bits.test(n); }

  void set(std::size_t n, bool value = true) { bits.set(n, value); }

  void set() { bits.set(); }

  void reset(std::size_t n) { bits.reset(n); }

  void reset() { bits.reset(); }

  void operator|=(const plain_set& other) { bits |= other.bits; }

  void operator&=(const plain_set& other) { bits &= other.bits; }

  void operator-=(const plain_set& other) { bits -= other.bits; }

  bool is_subset_of(const plain_set& other) const { return bits.is_subset_of(other.bits); }

  std::size_t find_first() const { return bits.find_first(); }

  std::size_t find_next(std::size_t n) const { return bits.find_next(n); }

  bool operator==(const plain_set&) const = default;
};

static_assert(midend::bit_set<plain_set> && !midend::change_reporting_bit_set<plain_set>);
static_assert(!midend::bit_set<bools> && !midend::bit_set<int>);
static_assert(sizeof(bit_row) <= 24);
static_assert(std::is_nothrow_move_constructible_v<bit_row> && std::is_nothrow_move_assignable_v<bit_row>);

constexpr std::size_t at_compile_time(std::size_t size) {
  bit_row a(size);
  for (std::size_t i = 0; i < size; i += 3) {
    a.set(i);
  }
  bit_row b = a;
  b.resize(size + 70, true);
  b.resize(size);
  b -= a;
  const bool changed = b.unite(a) && !b.unite(a);
  bit_row c = std::move(b);
  a = c;
  a = bit_row(5);
  std::size_t sum = 0;
  for (const std::uint32_t bit : midend::set_bits(c)) {
    sum += bit;
  }
  return changed && a.none() ? sum : 0;
}

static_assert(at_compile_time(60) == 570 && at_compile_time(128) == 2709 && at_compile_time(130) == 2838);

} // namespace

TEST_CASE("bit_row: single bits, all bits") {
  random_source random(1);
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    bools values(size);
    bit_row row(size);
    CHECK(same(row, values));
    for (std::size_t step = 0; step != 2 * size; ++step) {
      const std::size_t n = random.below(size);
      const bool value = random.one_in(2);
      values[n] = value;
      if (value && random.one_in(2)) {
        row.set(n);
      } else if (!value && random.one_in(2)) {
        row.reset(n);
      } else {
        row.set(n, value);
      }
    }
    CHECK(same(row, values));
    CHECK(same(row.set(), bools(size, true)));
    CHECK(same(bit_row(size, true), bools(size, true)));
    CHECK(same(row.reset(), bools(size)));
  }
}

TEST_CASE("bit_row: lists of numbers, as if one by one") {
  random_source random(9);
  for (const std::size_t size : sizes) {
    for (std::size_t round = 0; round != 12; ++round) {
      bools values = random_bools(random, size);
      bit_row row = row_of(values);
      std::vector<std::uint32_t> numbers; // 0, 1, 2, …, also twice the same
      for (std::size_t i = 0; size != 0 && i != round % 6; ++i) {
        numbers.push_back(static_cast<std::uint32_t>(random.below(size)));
      }
      const bool value = round < 6;
      for (const std::uint32_t n : numbers) {
        values[n] = value;
      }
      CHECK(same(value ? row.set(numbers) : row.reset(numbers), values));
    }
  }
}

TEST_CASE("bit_row: resize keeps the bits below, and gives new ones the value") {
  random_source random(2);
  for (const std::size_t from : sizes) {
    for (const std::size_t to : sizes) {
      for (const bool value : {false, true}) {
        bools values = random_bools(random, from);
        bit_row row = row_of(values);
        row.resize(to, value);
        values.resize(to, value);
        CHECK(same(row, values));
        row.resize(from, !value); // and what was cut off does not come back
        values.resize(from, !value);
        CHECK(same(row, values));
      }
    }
  }
}

TEST_CASE("bit_row: union, intersection, difference, and whether they change the set") {
  random_source random(3);
  std::size_t changes = 0;
  std::size_t rounds = 0;
  for (const std::size_t size : sizes) {
    for (std::size_t round = 0; round != 20; ++round) {
      const bools a = random_bools(random, size);
      const bools b = random_bools(random, size);
      const bit_row row_b = row_of(b);
      const bools wanted[] = {combined(a, b, [](bool x, bool y) { return x || y; }),
                              combined(a, b, [](bool x, bool y) { return x && y; }),
                              combined(a, b, [](bool x, bool y) { return x && !y; })};
      bit_row results[] = {row_of(a), row_of(a), row_of(a)};
      const bool changed[] = {results[0].unite(row_b), results[1].intersect(row_b), results[2].subtract(row_b)};
      for (std::size_t i = 0; i != 3; ++i) {
        CHECK(same(results[i], wanted[i]));
        CHECK(changed[i] == (wanted[i] != a));
        changes += changed[i] ? 1 : 0;
        ++rounds;
      }
      bit_row by_operator = row_of(a);
      CHECK(same(by_operator |= row_b, wanted[0]));
      by_operator = row_of(a);
      CHECK(same(by_operator &= row_b, wanted[1]));
      by_operator = row_of(a);
      CHECK(same(by_operator -= row_b, wanted[2]));

      bit_row self = row_of(a);
      CHECK_FALSE(self.unite(self));
      CHECK_FALSE(self.intersect(self));
      CHECK(self.subtract(self) == row_of(a).any());
      CHECK(self.none());
    }
  }
  CHECK(changes > 100);
  CHECK(changes < rounds - 50);
}

TEST_CASE("bit_row: unite and intersect of any model of bit_set") {
  random_source random(4);
  const auto compare = [&](std::size_t size) {
    const bit_row a = row_of(random_bools(random, size));
    bit_row b = row_of(random_bools(random, size));
    if (random.one_in(3)) {
      b |= a;
    } else if (random.one_in(3)) {
      b &= a;
    }
    plain_set plain_a{a};
    const plain_set plain_b{b};
    bit_row row_a = a;
    CHECK(midend::unite(plain_a, plain_b) == midend::unite(row_a, b));
    CHECK(plain_a.bits == row_a);
    plain_a.bits = row_a = a;
    CHECK(midend::intersect(plain_a, plain_b) == midend::intersect(row_a, b));
    CHECK(plain_a.bits == row_a);
  };
  for (const std::size_t size : sizes) {
    for (std::size_t round = 0; round != 10; ++round) {
      compare(size);
    }
  }
}

TEST_CASE("bit_row: subsets and equality") {
  random_source random(5);
  std::size_t subsets = 0;
  for (const std::size_t size : sizes) {
    for (std::size_t round = 0; round != 20; ++round) {
      const bools a = random_bools(random, size);
      bools b = random_bools(random, size);
      if (round % 2 == 0) {
        b = combined(a, b, [](bool x, bool y) { return x || y; });
      }
      const bool subset = combined(a, b, [](bool x, bool y) { return x && !y; }) == bools(size);
      subsets += subset ? 1 : 0;
      CHECK(row_of(a).is_subset_of(row_of(b)) == subset);
      CHECK((row_of(a) == row_of(b)) == (a == b));
    }
    CHECK_FALSE(bit_row(size) == bit_row(size + 1));
  }
  CHECK(subsets > 100);
  bit_row last(300);
  CHECK(last.is_subset_of(bit_row(300)));
  last.set(299);
  CHECK_FALSE(last.is_subset_of(bit_row(300)));
  CHECK_FALSE(last == bit_row(300));
}

TEST_CASE("bit_row: searching") {
  random_source random(6);
  for (const std::size_t size : sizes) {
    for (std::size_t round = 0; round != 8; ++round) {
      bools values = random_bools(random, size);
      for (std::size_t i = 0; round % 2 == 0 && i != size; ++i) {
        values[i] = values[i] && random.one_in(20); // long gaps
      }
      const bit_row row = row_of(values);
      std::vector<node_id> wanted;
      for (std::size_t i = 0; i != size; ++i) {
        if (values[i]) {
          wanted.push_back(static_cast<node_id>(i));
        }
      }
      CHECK(listed(midend::set_bits(row)) == wanted);
      CHECK(row.find_first() == (wanted.empty() ? bit_row::npos : wanted.front()));
      std::size_t next = bit_row::npos;
      for (std::size_t n = size; n-- != 0;) {
        CHECK(row.find_next(n) == next);
        next = values[n] ? n : next;
      }
      CHECK(row.find_next(size) == bit_row::npos);
      CHECK(row.find_next(bit_row::npos) == bit_row::npos);
    }
  }
}

TEST_CASE("bit_row: copies are deep, moves exchange, memory is kept") {
  random_source random(7);
  for (const std::size_t from : sizes) {
    for (const std::size_t to : sizes) {
      const bools a = random_bools(random, from);
      const bools b = random_bools(random, to);
      bit_row target = row_of(a);
      bit_row copy = target;
      CHECK(same(copy, a));
      copy = row_of(b);
      CHECK(same(copy, b));
      const std::uint64_t* const place = target.words().data();
      const std::size_t capacity = target.capacity();
      CHECK(capacity >= from);
      target = copy;
      CHECK(same(target, b));
      CHECK(same(copy, b));
      if (to <= capacity) {
        CHECK(target.capacity() == capacity);
        CHECK((target.words().data() == place) == ((from <= 64) == (to <= 64)));
      }
      copy.set(); // is not what target has
      CHECK(same(target, b));
      const bit_row& alias = target;
      target = alias;
      CHECK(same(target, b));
      bit_row other = row_of(a);
      target = std::move(other);
      CHECK(same(target, a));
      CHECK(same(other, b)); // NOLINT(bugprone-use-after-move): exchanged
      const bit_row fresh = std::move(target);
      CHECK(same(fresh, a));
      target.resize(3, true); // NOLINT(bugprone-use-after-move): usable again
      CHECK(target.count() == 3);
    }
  }
}

TEST_CASE("word kernels: gen and kill fused with change detection") {
  random_source random(8);
  const auto words = [](const bools& values) {
    const bit_row row = row_of(values);
    return std::vector<detail::word>(row.words().begin(), row.words().end());
  };
  std::size_t unchanged = 0;
  for (const std::size_t size : sizes) {
    for (std::size_t round = 0; round != 20; ++round) {
      const bools in = random_bools(random, size);
      const bools gen = random_bools(random, size);
      const bools kill = random_bools(random, size);
      const bools through = combined(in, kill, [](bool i, bool k) { return i && !k; });
      const bools out = combined(gen, through, [](bool g, bool t) { return g || t; });
      bools old = random_bools(random, size);
      if (round % 3 == 0) {
        old = out;
      }
      const auto w_in = words(in);
      const auto w_gen = words(gen);
      const auto w_kill = words(kill);
      const std::size_t n = w_in.size();
      const auto check = [&](auto kernel, const bools& wanted) {
        auto row = words(old);
        const bool changed = kernel(row.data(), w_gen.data(), w_in.data(), w_kill.data(), n);
        CHECK(changed == (old != wanted));
        CHECK(row == words(wanted));
        unchanged += changed ? 0 : 1;
      };
      check(detail::transfer_words, out);
      auto copy = words(old);
      detail::copy_words(copy.data(), w_in.data(), n);
      CHECK(copy == w_in);
      bit_row row = row_of(old);
      CHECK(row.assign_transfer(row_of(gen), row_of(in), row_of(kill)) == (old != out));
      CHECK(same(row, out));
    }
  }
  CHECK(unchanged > 100);
}
