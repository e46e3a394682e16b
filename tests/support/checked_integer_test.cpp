// checked_integer: against arithmetic in 256 bits, which does not overflow.
#include <doctest/doctest.h>
#include <midend/support/checked_integer.hpp>
#include <midend/support/wide_number.hpp>

#include <cstdint>
#include <random>
#include <vector>

using midend::checked_integer;
using midend::wide_number;

namespace {

/// In two's complement of 256 bits.
wide_number wide(const checked_integer& n) {
  const checked_integer high = n.floor_divided(checked_integer::power_of_two(64));
  wide_number out;
  out.set_word(0, static_cast<std::uint64_t>(n.low()));
  for (std::size_t i = 1; i != 4; ++i) {
    out.set_word(i, i == 1 ? static_cast<std::uint64_t>(high.low()) : high.is_negative() ? ~std::uint64_t{0} : 0);
  }
  return out;
}

/// Whether a number of 256 bits is one that fits.
bool fits(const wide_number& n) {
  const bool negative = n.bit(255);
  const wide_number size = negative ? ~n + wide_number(1) : n;
  const wide_number limit = (wide_number(1) << 127) - (wide_number(1) << 64);
  return size < limit;
}

std::vector<checked_integer> numbers() {
  std::vector<checked_integer> out;
  for (const unsigned e : {0U, 1U, 5U, 30U, 31U, 32U, 62U, 63U, 64U, 65U, 96U, 125U, 126U}) {
    for (const std::int64_t d : {-1, 0, 1}) {
      out.push_back(checked_integer::power_of_two(e) + d);
      out.push_back(-(checked_integer::power_of_two(e) + d));
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i != 60; ++i) {
    const checked_integer high(static_cast<std::int64_t>(random() >> (random() % 64)));
    const checked_integer n = high * checked_integer::power_of_two(static_cast<unsigned>(random() % 62)) +
                              static_cast<std::int64_t>(random());
    out.push_back(n.is_valid() ? n : 0);
  }
  return out;
}

} // namespace

TEST_CASE("checked_integer: sums, products, quotients and divisors, or invalid") {
  const std::vector<checked_integer> all = numbers();
  std::size_t invalid = 0;
  for (const checked_integer& a : all) {
    REQUIRE(a.is_valid());
    for (const checked_integer& b : all) {
      const wide_number sum = wide(a) + wide(b);
      REQUIRE((a + b).is_valid() == fits(sum));
      const wide_number product = wide(a) * wide(b);
      if ((a + b).is_valid()) {
        REQUIRE(wide(a + b) == sum);
      }
      if ((a * b).is_valid()) {
        REQUIRE(wide(a * b) == product);
      } else {
        REQUIRE(!fits(product));
        ++invalid;
      }
      if ((a - b).is_valid()) {
        REQUIRE((a < b) == (a - b).is_negative());
      }
      if (b == checked_integer(1)) {
        REQUIRE(a.floor_divided(b) == a);
      }
      if (b.is_positive() && (a.floor_divided(b) * b).is_valid()) {
        const checked_integer q = a.floor_divided(b);
        const checked_integer rest = a - q * b;
        REQUIRE((!rest.is_negative() && rest < b));
        REQUIRE((a.ceiling_divided(b) - q == checked_integer(rest.is_zero() ? 0 : 1)));
        const checked_integer g = common_divisor(a, b);
        REQUIRE((g.is_positive() && g * a.floor_divided(g) == a && g * b.floor_divided(g) == b));
        REQUIRE(common_divisor(a.floor_divided(g), b.floor_divided(g)) == checked_integer(1));
      }
    }
  }
  CHECK(invalid > 100);
  CHECK(!(checked_integer::invalid() + 1).is_valid());
  CHECK(!checked_integer(1).floor_divided(0).is_valid());
  CHECK(checked_integer(-7).floor_divided(2) == checked_integer(-4));
}
