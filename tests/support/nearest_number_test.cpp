#include <midend/support/nearest_number.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using midend::nearest_number;

TEST_CASE("nearest_number has an answer for every double") {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  CHECK(nearest_number(0) == 0);
  CHECK(nearest_number(0.49) == 0);
  CHECK(nearest_number(0.5) == 1);
  CHECK(nearest_number(1e6 + 0.4) == 1'000'000);
  CHECK(nearest_number(-3) == 0);
  CHECK(nearest_number(std::numeric_limits<double>::quiet_NaN()) == 0);
  CHECK(nearest_number(std::numeric_limits<double>::infinity()) == most);
  CHECK(nearest_number(-std::numeric_limits<double>::infinity()) == 0);
  CHECK(nearest_number(18446744073709551616.0) == most);
  CHECK(nearest_number(static_cast<double>(most - 1)) == most);
  CHECK(nearest_number(18446744073709549568.0) == 18446744073709549568U); // the greatest double below 2^64
  static_assert(nearest_number(1e300) == most);
}
