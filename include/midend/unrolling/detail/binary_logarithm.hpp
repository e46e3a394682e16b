/// The binary logarithm of a fraction, the same on every machine.
#pragma once

#include "midend/config.hpp"
#include "midend/support/fraction.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// log2 of a number of at least 1, rounded down to a multiple of 2^-32. Digit by digit: squaring doubles the logarithm,
/// and what passes 2 is a 1.
constexpr double binary_logarithm(const fraction& ratio) {
  const std::uint64_t whole = ratio.numerator() / ratio.denominator();
  MIDEND_ASSERT(whole != 0, "a number of at least 1", ratio.numerator(), ratio.denominator());
  const auto exponent = static_cast<int>(std::bit_width(whole)) - 1;
  const double scale = static_cast<double>(std::uint64_t{1} << exponent);
  double rest = static_cast<double>(ratio.numerator()) / static_cast<double>(ratio.denominator()) / scale;
  double logarithm = exponent;
  double digit = 0.5;
  for (int i = 0; i != 32; ++i, digit /= 2) {
    rest *= rest;
    if (rest >= 2) {
      rest /= 2;
      logarithm += digit;
    }
  }
  return logarithm;
}

} // namespace detail

MIDEND_END_NAMESPACE
