/// Arithmetic of doubles by integers, correctly rounded: for machines whose own arithmetic rounds twice.
///
/// The x87 computes with 64 bits and rounds again when it stores a double. Two roundings differ from one if the first
/// ends halfway between two doubles (S. A. Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30(3),
/// 1995). For floats the first rounding keeps enough bits; for doubles it does not.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/rounded_quotient.hpp"
#include "midend/ir/evaluate.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// A finite double: significand · 2^exponent, with a sign.
struct double_parts {
  bool negative;
  std::uint64_t significand;
  std::int64_t exponent;

  constexpr explicit double_parts(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto stored = static_cast<std::int64_t>(bits >> 52 & 0x7ff);
    negative = bits >> 63 != 0;
    significand = (bits & low_ones(52)) | (stored != 0 ? std::uint64_t{1} << 52 : 0);
    exponent = (stored != 0 ? stored : 1) - 1075;
  }
};

constexpr float_format double_format = {52, 0x7ff0'0000'0000'0000};

constexpr double signed_double(bool negative, std::uint64_t magnitude) {
  return std::bit_cast<double>(magnitude | (negative ? double_format.sign() : 0));
}

constexpr bool is_finite(double x) {
  return x - x == 0;
}

/// a · b + c with one rounding.
inline double exact_fma(double a, double b, double c) {
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) {
    return std::fma(a, b, c);
  }
  const double_parts x(a);
  const double_parts y(b);
  const double_parts z(c);
  const bool product_negative = x.negative != y.negative;
  std::int64_t exponent = x.exponent + y.exponent;
  large_number product(x.significand);
  large_number shifted = product; // times the high bits of y, then times the low ones
  product.multiply_add(static_cast<std::uint32_t>(y.significand >> 27), 0);
  product.shift_left(27);
  shifted.multiply_add(static_cast<std::uint32_t>(y.significand & low_ones(27)), 0);
  product.add(shifted);
  large_number summand(z.significand);
  // Brings both to one exponent.
  if (z.significand != 0 && z.exponent > exponent) {
    summand.shift_left(z.exponent - exponent);
  } else if (z.significand != 0 && !product.is_zero()) {
    product.shift_left(exponent - z.exponent);
    exponent = z.exponent;
  } else if (product.is_zero()) {
    exponent = z.exponent;
  }
  bool negative = product_negative;
  if (product_negative == z.negative) {
    product.add(summand);
  } else if (product < summand) {
    summand.subtract(product);
    product = summand;
    negative = z.negative;
  } else {
    product.subtract(summand);
  }
  if (product.is_zero()) { // then a * b + c is exact, with the right sign
    return a * b + c;
  }
  return signed_double(negative, rounded_quotient(product, large_number(1), exponent, double_format));
}

inline double exact_sum(double a, double b) {
  return exact_fma(a, 1, b);
}

inline double exact_product(double a, double b) {
  if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0) {
    return a * b;
  }
  return exact_fma(a, b, signed_double((a < 0) != (b < 0), 0));
}

constexpr double exact_quotient(double a, double b) {
  if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0) {
    return a / b;
  }
  const double_parts x(a);
  const double_parts y(b);
  const std::uint64_t magnitude = rounded_quotient(large_number(x.significand), large_number(y.significand),
                                                   x.exponent - y.exponent, double_format);
  return signed_double(x.negative != y.negative, magnitude);
}

/// Computes digit by digit, as on paper, to 55 bits. With one bit for the rest, they are enough to round.
inline double exact_square_root(double a) {
  if (!is_finite(a) || a <= 0) {
    return std::sqrt(a);
  }
  double_parts x(a);
  const int zeros = std::countl_zero(x.significand) - 10; // 54 bits
  x.significand <<= zeros;
  x.exponent -= zeros;
  if (x.exponent % 2 != 0) { // 53 bits and an even exponent
    x.significand >>= 1;
    x.exponent += 1;
  }
  std::uint64_t root = 0;
  std::uint64_t rest = 0;
  for (int digit = 26; digit >= -28; --digit) {
    rest = rest << 2 | (digit >= 0 ? x.significand >> 2 * digit & 3 : 0);
    const std::uint64_t trial = root << 2 | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  const std::uint64_t with_rest = root << 1 | (rest != 0 ? 1 : 0);
  return signed_double(
      false, rounded_quotient(large_number(with_rest), large_number(1), x.exponent / 2 - 28 - 1, double_format));
}

} // namespace detail

} // namespace elbrus

MIDEND_END_NAMESPACE
