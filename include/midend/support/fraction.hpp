/// `fraction`: an exact rational number that is not negative, with `greatest_common_divisor` and `binary_logarithm`.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The greatest common divisor; that of 0 and b is b.
constexpr std::uint64_t greatest_common_divisor(std::uint64_t a, std::uint64_t b) {
  while (b != 0) {
    const std::uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// A rational number that is not negative, in lowest terms.
class fraction {
public:
  constexpr fraction() = default;

  /// Requires a denominator other than 0.
  constexpr fraction(std::uint64_t numerator, std::uint64_t denominator = 1) {
    MIDEND_ASSERT(denominator != 0, "a denominator other than 0", numerator);
    const std::uint64_t common = greatest_common_divisor(numerator, denominator);
    numerator_ = numerator / common;
    denominator_ = denominator / common;
  }

  constexpr std::uint64_t numerator() const { return numerator_; }

  constexpr std::uint64_t denominator() const { return denominator_; }

  /// The least integer that is not smaller.
  constexpr std::uint64_t ceiling() const { return numerator_ / denominator_ + (numerator_ % denominator_ != 0); }

  friend constexpr bool operator==(const fraction&, const fraction&) = default;

  /// Never overflows: compares the terms of the continued fractions.
  friend constexpr bool operator<(const fraction& x, const fraction& y) {
    std::uint64_t a = x.numerator_;
    std::uint64_t b = x.denominator_;
    std::uint64_t c = y.numerator_;
    std::uint64_t d = y.denominator_;
    for (;;) {
      const std::uint64_t left = a / b;
      const std::uint64_t right = c / d;
      if (left != right) {
        return left < right;
      }
      a %= b;
      c %= d;
      if (c == 0) {
        return false;
      }
      if (a == 0) {
        return true;
      }
      const std::uint64_t old_a = a; // a/b < c/d if and only if d/c < b/a
      const std::uint64_t old_b = b;
      a = d;
      b = c;
      c = old_b;
      d = old_a;
    }
  }

  friend constexpr bool operator>(const fraction& a, const fraction& b) { return b < a; }

  friend constexpr bool operator<=(const fraction& a, const fraction& b) { return !(b < a); }

  friend constexpr bool operator>=(const fraction& a, const fraction& b) { return !(a < b); }

  /// Requires that the terms of the sum fit in 64 bits, as those of numbers of cycles do.
  friend constexpr fraction operator+(const fraction& a, const fraction& b) {
    const std::uint64_t common = greatest_common_divisor(a.denominator_, b.denominator_);
    return {a.numerator_ * (b.denominator_ / common) + b.numerator_ * (a.denominator_ / common),
            a.denominator_ / common * b.denominator_};
  }

  /// As `+`. Requires a divisor other than 0.
  friend constexpr fraction operator/(const fraction& a, std::uint64_t divisor) {
    const std::uint64_t common = greatest_common_divisor(a.numerator_, divisor);
    return {a.numerator_ / common, a.denominator_ * (divisor / common)};
  }

private:
  std::uint64_t numerator_ = 0;
  std::uint64_t denominator_ = 1;
};

/// log2 of a number of at least 1, rounded down to a multiple of 2^-32, the same on every machine. Bit by bit: squaring
/// a number doubles its logarithm, so if the square reaches 2, the next bit is 1.
constexpr double binary_logarithm(const fraction& x) {
  const std::uint64_t whole = x.numerator() / x.denominator();
  MIDEND_ASSERT(whole != 0, "a number of at least 1", x.numerator(), x.denominator());
  int exponent = 0;
  while (whole >> exponent > 1) {
    ++exponent;
  }
  const double scale = static_cast<double>(std::uint64_t{1} << exponent);
  double rest = static_cast<double>(x.numerator()) / static_cast<double>(x.denominator()) / scale;
  double logarithm = exponent;
  double bit = 0.5;
  for (int i = 0; i != 32; ++i, bit /= 2) {
    rest *= rest;
    if (rest >= 2) {
      rest /= 2;
      logarithm += bit;
    }
  }
  return logarithm;
}

MIDEND_END_NAMESPACE
