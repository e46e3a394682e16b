/// `nearest_number`: a double as a whole number, whatever it is.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The nearest whole number of 64 bits: 0 for what is negative or not a number, 2^64 - 1 for what is greater.
constexpr std::uint64_t nearest_number(double x) {
  constexpr double end = 18446744073709551616.0; // 2^64
  return !(x > 0) ? 0 : x + 0.5 < end ? static_cast<std::uint64_t>(x + 0.5) : ~std::uint64_t{0};
}

MIDEND_END_NAMESPACE
