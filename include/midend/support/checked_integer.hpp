/// `checked_integer`: signed integers of 128 bits that know when a result did not fit.
#pragma once

#include "midend/config.hpp"
#include "midend/support/fraction.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// An integer n with |n| < 2^127 - 2^64, or *invalid*: the result of an operation that does not fit or has an invalid
/// operand. So a computation is checked once, at its end. Numbers of 64 bits take the fast paths.
class checked_integer {
public:
  constexpr checked_integer() = default;

  constexpr checked_integer(std::int64_t n) // NOLINT: a number is one
      : low_(static_cast<std::uint64_t>(n)), high_(n < 0 ? -1 : 0) {}

  static constexpr checked_integer from_unsigned(std::uint64_t n) { return from_words(0, n); }

  /// 2^exponent, for exponents up to 126.
  static constexpr checked_integer power_of_two(unsigned exponent) {
    return exponent < 64 ? from_words(0, std::uint64_t{1} << exponent)
                         : from_words(std::int64_t{1} << (exponent - 64), 0);
  }

  static constexpr checked_integer invalid() { return from_words(smallest, 0); }

  constexpr bool is_valid() const { return high_ != smallest; }

  constexpr bool is_negative() const { return high_ < 0; }

  constexpr bool is_zero() const { return (static_cast<std::uint64_t>(high_) | low_) == 0; }

  constexpr bool is_positive() const { return high_ >= 0 && !is_zero(); }

  /// Whether it is a signed number of 64 bits. An invalid one is not.
  constexpr bool fits_in_64_bits() const { return high_ == (static_cast<std::int64_t>(low_) < 0 ? -1 : 0); }

  /// The low 64 bits: the number itself if it fits.
  constexpr std::int64_t low() const { return static_cast<std::int64_t>(low_); }

  friend constexpr bool operator==(const checked_integer&, const checked_integer&) = default;

  /// An invalid number is below all others.
  friend constexpr bool operator<(const checked_integer& a, const checked_integer& b) {
    return a.high_ != b.high_ ? a.high_ < b.high_ : a.low_ < b.low_;
  }

  friend constexpr bool operator>(const checked_integer& a, const checked_integer& b) { return b < a; }

  friend constexpr bool operator<=(const checked_integer& a, const checked_integer& b) { return !(b < a); }

  friend constexpr bool operator>=(const checked_integer& a, const checked_integer& b) { return !(a < b); }

  friend constexpr checked_integer operator+(const checked_integer& a, const checked_integer& b) {
    if (!a.is_valid() || !b.is_valid()) {
      return invalid();
    }
    const std::uint64_t low = a.low_ + b.low_;
    const std::uint64_t carry = low < a.low_ ? 1 : 0;
    const auto high =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(a.high_) + static_cast<std::uint64_t>(b.high_) + carry);
    const bool same_sign = (a.high_ < 0) == (b.high_ < 0);
    return same_sign && (high < 0) != (a.high_ < 0) ? invalid() : from_words(high, low);
  }

  friend constexpr checked_integer operator-(const checked_integer& a) {
    if (!a.is_valid()) {
      return a;
    }
    const std::uint64_t low = 0 - a.low_;
    return from_words(static_cast<std::int64_t>(~static_cast<std::uint64_t>(a.high_) + (low == 0 ? 1 : 0)), low);
  }

  friend constexpr checked_integer operator-(const checked_integer& a, const checked_integer& b) { return a + -b; }

  friend constexpr checked_integer operator*(const checked_integer& a, const checked_integer& b) {
    if (a.is_small() && b.is_small()) {
      return a.low() * b.low();
    }
    if (!a.is_valid() || !b.is_valid()) {
      return invalid();
    }
    const checked_integer x = a.magnitude();
    const checked_integer y = b.magnitude();
    if (x.high_ != 0 && y.high_ != 0) {
      return invalid();
    }
    const words both = product(x.low_, y.low_);
    const words more = x.high_ != 0 ? product(static_cast<std::uint64_t>(x.high_), y.low_)
                                    : product(x.low_, static_cast<std::uint64_t>(y.high_));
    const std::uint64_t high = both.high + more.low;
    if (more.high != 0 || high < both.high || high >> 63 != 0) {
      return invalid();
    }
    const checked_integer out = from_words(static_cast<std::int64_t>(high), both.low);
    return a.is_negative() != b.is_negative() ? -out : out;
  }

  constexpr checked_integer magnitude() const { return is_negative() ? -*this : *this; }

  /// The largest integer that is not more than this divided by `divisor`. Invalid for a divisor that is not positive.
  constexpr checked_integer floor_divided(const checked_integer& divisor) const {
    if (!is_valid() || !divisor.is_positive()) {
      return invalid();
    }
    checked_integer rest;
    const checked_integer quotient = divide(magnitude(), divisor, rest);
    return !is_negative() ? quotient : -quotient - (rest.is_zero() ? 0 : 1);
  }

  /// The least integer that is not less than this divided by `divisor`.
  constexpr checked_integer ceiling_divided(const checked_integer& divisor) const {
    return -(-*this).floor_divided(divisor);
  }

  /// The greatest common divisor of the magnitudes; that of 0 and b is |b|.
  friend constexpr checked_integer common_divisor(const checked_integer& a, const checked_integer& b) {
    checked_integer x = a.magnitude();
    checked_integer y = b.magnitude();
    while (!y.is_zero() && x.is_valid() && y.is_valid()) {
      if (x.high_ == 0 && y.high_ == 0) {
        return from_unsigned(greatest_common_divisor(x.low_, y.low_));
      }
      checked_integer rest;
      static_cast<void>(divide(x, y, rest));
      x = y;
      y = rest;
    }
    return y.is_valid() ? x : y;
  }

private:
  static constexpr std::int64_t smallest = -0x7fff'ffff'ffff'ffff - 1;

  struct words {
    std::uint64_t high;
    std::uint64_t low;
  };

  /// Invalid if the number or its opposite does not fit.
  static constexpr checked_integer from_words(std::int64_t high, std::uint64_t low) {
    const bool fits = high != smallest && high != ~smallest && (high != smallest + 1 || low != 0);
    checked_integer out;
    out.high_ = fits ? high : smallest;
    out.low_ = fits ? low : 0;
    return out;
  }

  /// Whether it has less than 32 bits, so that the product of two fits in 64.
  constexpr bool is_small() const {
    return fits_in_64_bits() && low() < std::int64_t{1} << 31 && low() > -(std::int64_t{1} << 31);
  }

  static constexpr words product(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t mask = 0xffff'ffff;
    const std::uint64_t low = (a & mask) * (b & mask);
    const std::uint64_t middle = (a >> 32) * (b & mask) + (low >> 32);
    const std::uint64_t other = (a & mask) * (b >> 32) + (middle & mask);
    return {(a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32), other << 32 | (low & mask)};
  }

  /// The number of bits of a number that is not negative.
  constexpr unsigned length() const {
    return static_cast<unsigned>(high_ != 0 ? 64 + std::bit_width(static_cast<std::uint64_t>(high_))
                                            : std::bit_width(low_));
  }

  /// Requires numbers that are not negative. Numbers of more than 64 bits are divided bit by bit.
  static constexpr checked_integer divide(const checked_integer& a, const checked_integer& b, checked_integer& rest) {
    if (a.high_ == 0 && b.high_ == 0) {
      rest = from_unsigned(a.low_ % b.low_);
      return from_unsigned(a.low_ / b.low_);
    }
    rest = a;
    if (a < b) {
      return 0;
    }
    // The remainder begins as the longest prefix of a that is certainly below b.
    unsigned i = a.length() - b.length() + 1;
    const auto high = static_cast<std::uint64_t>(a.high_);
    rest = i >= 64 ? from_words(0, i == 64 ? high : high >> (i - 64))
                   : from_words(static_cast<std::int64_t>(high >> i), a.low_ >> i | high << 1 << (63 - i));
    checked_integer quotient;
    while (i-- != 0) {
      const std::uint64_t word = i < 64 ? a.low_ : high;
      rest = from_words(static_cast<std::int64_t>(static_cast<std::uint64_t>(rest.high_) << 1 | rest.low_ >> 63),
                        rest.low_ << 1 | (word >> i % 64 & 1));
      if (b <= rest) {
        rest = rest - b;
        quotient = quotient + power_of_two(i);
      }
    }
    return quotient;
  }

  std::uint64_t low_ = 0;
  std::int64_t high_ = 0;
};

MIDEND_END_NAMESPACE
