// Integers of up to 256 bits.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/support/wide_number.hpp>

#include <cstdint>

namespace {

using midend::wide_number;

/// Words of zeros, of ones and of anything: carries run through all of them.
wide_number any_number(midend_tests::random_source& random) {
  wide_number n;
  for (std::size_t i = 0; i != wide_number::num_words; ++i) {
    const unsigned kind = random.below(4);
    n.set_word(i, kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : kind == 2 ? random.below(3) : random.next());
  }
  return n;
}

/// By additions alone.
wide_number product(const wide_number& a, const wide_number& b) {
  wide_number sum;
  wide_number power = a;
  for (unsigned i = 0; i != wide_number::bits; ++i) {
    sum = b.bit(i) ? sum + power : sum;
    power = power + power;
  }
  return sum;
}

} // namespace

TEST_CASE("wide_number: the laws of arithmetic modulo 2^256, on words of zeros, ones and anything") {
  midend_tests::random_source random(3);
  const wide_number zero;
  for (int turn = 0; turn != 2000; ++turn) {
    const wide_number a = any_number(random);
    const wide_number b = any_number(random);
    REQUIRE(a + b - b == a);
    REQUIRE(a - a == zero);
    REQUIRE((a < b ? 1 : 0) + (b < a ? 1 : 0) + (a == b ? 1 : 0) == 1);
    REQUIRE((a & b) + (a | b) == a + b);
    REQUIRE(a + ~a + wide_number(1) == zero);
    REQUIRE(a * b == product(a, b));
    for (std::size_t i = 0; i != wide_number::num_words; ++i) { // a carry goes from each word to the next
      wide_number expected;
      std::uint64_t carry = 0;
      for (std::size_t k = 0; k != wide_number::num_words; ++k) {
        const std::uint64_t x = a.word(k) + carry;
        const std::uint64_t y = x + b.word(k);
        expected.set_word(k, y);
        carry = (x < carry ? 1U : 0U) + (y < x ? 1U : 0U);
      }
      REQUIRE((a + b).word(i) == expected.word(i));
    }
    const unsigned by = random.below(wide_number::bits);
    wide_number doubled = a;
    for (unsigned i = 0; i != by; ++i) {
      doubled = doubled + doubled;
    }
    REQUIRE((a << by == doubled));
    REQUIRE(((a >> by) << by == (a & (~zero << by))));
    for (unsigned i = 0; i + by < wide_number::bits; i += 17) {
      REQUIRE(((a >> by).bit(i) == a.bit(i + by)));
    }
    REQUIRE(wide_number(a.low()).fits_in_64_bits());
    REQUIRE(((a.fits_in_64_bits()) == (a >> 64 == zero)));
    if (!(a == zero)) {
      const unsigned zeros = a.num_low_zeros();
      REQUIRE(a.bit(zeros));
      REQUIRE(((a >> zeros) << zeros == a));
    }
  }
  CHECK(zero.num_low_zeros() == 256);
  for (unsigned width = 1; width <= 256; ++width) {
    const wide_number most = midend::low_ones_of_width(width);
    CHECK(most.bit(width - 1));
    CHECK((width == 256 ? most + wide_number(1) == zero : most + wide_number(1) == wide_number(1) << width));
  }
}

static_assert(wide_number(3) * wide_number(5) == wide_number(15));
static_assert((wide_number(1) << 200).num_low_zeros() == 200);
