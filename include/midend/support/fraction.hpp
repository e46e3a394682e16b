/// `fraction`: an exact number of cycles before it is rounded.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr std::uint64_t greatest_common_divisor(std::uint64_t a, std::uint64_t b) {
  while (b != 0) {
    const std::uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Whether a/b < c/d, for positive b and d, without overflow: by the digits of the continued fractions.
constexpr bool is_less_fraction(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
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
    const std::uint64_t old_a = a; // a/b < c/d exactly if d/c < b/a
    const std::uint64_t old_b = b;
    a = d;
    b = c;
    c = old_b;
    d = old_a;
  }
}

} // namespace detail

/// A number that is not negative, in lowest terms.
class fraction {
public:
  constexpr fraction() = default;

  /// Requires a denominator that is not 0.
  constexpr fraction(std::uint64_t numerator, std::uint64_t denominator = 1) {
    MIDEND_ASSERT(denominator != 0, "a denominator other than 0", numerator);
    const std::uint64_t common = detail::greatest_common_divisor(numerator, denominator);
    numerator_ = numerator / common;
    denominator_ = denominator / common;
  }

  constexpr std::uint64_t numerator() const { return numerator_; }

  constexpr std::uint64_t denominator() const { return denominator_; }

  /// The least integer that is not smaller.
  constexpr std::uint64_t ceiling() const { return numerator_ / denominator_ + (numerator_ % denominator_ != 0); }

  friend constexpr bool operator==(const fraction&, const fraction&) = default;

  friend constexpr bool operator<(const fraction& a, const fraction& b) {
    return detail::is_less_fraction(a.numerator_, a.denominator_, b.numerator_, b.denominator_);
  }

  friend constexpr bool operator>(const fraction& a, const fraction& b) { return b < a; }

  friend constexpr bool operator<=(const fraction& a, const fraction& b) { return !(b < a); }

  friend constexpr bool operator>=(const fraction& a, const fraction& b) { return !(a < b); }

  /// Requires a sum whose terms fit in 64 bits; numbers of cycles do.
  friend constexpr fraction operator+(const fraction& a, const fraction& b) {
    const std::uint64_t common = detail::greatest_common_divisor(a.denominator_, b.denominator_);
    return {a.numerator_ * (b.denominator_ / common) + b.numerator_ * (a.denominator_ / common),
            a.denominator_ / common * b.denominator_};
  }

  /// As `+`; the divisor is not 0.
  friend constexpr fraction operator/(const fraction& a, std::uint64_t divisor) {
    const std::uint64_t common = detail::greatest_common_divisor(a.numerator_, divisor);
    return {a.numerator_ / common, a.denominator_ * (divisor / common)};
  }

private:
  std::uint64_t numerator_ = 0;
  std::uint64_t denominator_ = 1;
};

MIDEND_END_NAMESPACE
