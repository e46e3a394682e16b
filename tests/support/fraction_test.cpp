// Fractions, greatest common divisors and binary logarithms.
#include <doctest/doctest.h>
#include <midend/support/fraction.hpp>

#include <cmath>
#include <cstdint>

using midend::fraction;

TEST_CASE("fraction: against products of small numbers, and near the limits") {
  for (std::uint64_t a = 0; a != 12; ++a) {
    for (std::uint64_t b = 1; b != 12; ++b) {
      for (std::uint64_t c = 0; c != 12; ++c) {
        for (std::uint64_t d = 1; d != 12; ++d) {
          REQUIRE((fraction(a, b) < fraction(c, d)) == (a * d < c * b));
          REQUIRE((fraction(a, b) == fraction(c, d)) == (a * d == c * b));
          REQUIRE(fraction(a, b) + fraction(c, d) == fraction(a * d + c * b, b * d));
        }
      }
      REQUIRE(fraction(a, b).ceiling() == (a + b - 1) / b);
      REQUIRE(fraction(a, b) / 6 == fraction(a, b * 6));
    }
  }
  constexpr std::uint64_t most = ~std::uint64_t{0};
  CHECK(fraction(most - 1, most) < fraction(most, most));
  CHECK(fraction(most - 2, most - 1) < fraction(most - 1, most));
  CHECK(fraction(most, 2).ceiling() == most / 2 + 1);
}

TEST_CASE("greatest common divisor: against the definition") {
  using midend::greatest_common_divisor;
  static_assert(greatest_common_divisor(0, 0) == 0);
  for (std::uint64_t a = 0; a != 40; ++a) {
    for (std::uint64_t b = 1; b != 40; ++b) {
      std::uint64_t greatest = b;
      while (a % greatest != 0 || b % greatest != 0) {
        --greatest;
      }
      REQUIRE(greatest_common_divisor(a, b) == greatest);
      REQUIRE(greatest_common_divisor(b, a) == greatest);
    }
  }
}

TEST_CASE("binary logarithm: of powers exactly, of others as std::log2") {
  using midend::binary_logarithm;
  static_assert(binary_logarithm(1) == 0);
  static_assert(binary_logarithm(1024) == 10);
  for (std::uint64_t a = 1; a != 200; ++a) {
    for (std::uint64_t b = 1; b <= a; ++b) {
      const double exact = std::log2(static_cast<double>(a) / static_cast<double>(b));
      REQUIRE(std::abs(binary_logarithm({a, b}) - exact) < 1e-9);
    }
  }
}
