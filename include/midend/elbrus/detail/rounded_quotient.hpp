/// `rounded_quotient`: an exact number, rounded to the bits of a floating-point type by integers only.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// The fields of a floating-point type.
struct float_format {
  unsigned fraction_bits;
  std::uint64_t infinity;

  constexpr std::uint64_t sign() const { return std::bit_floor(infinity) << 1; }

  constexpr std::uint64_t fraction() const { return (std::uint64_t{1} << fraction_bits) - 1; }

  constexpr std::uint64_t quiet_nan() const { return infinity | std::uint64_t{1} << (fraction_bits - 1); }

  /// The smallest positive number is 2 to the power of this.
  constexpr std::int64_t least_exponent() const {
    const auto bias = static_cast<std::int64_t>(infinity >> (fraction_bits + 1));
    return 1 - bias - static_cast<std::int64_t>(fraction_bits);
  }
};

/// A natural number below 2^4096. The largest ones needed are 801 hexadecimal digits, 5^1127, and sums of doubles and
/// their products in units of the smallest double.
class large_number {
public:
  constexpr explicit large_number(std::uint64_t n)
      : words_{static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32)} {
    size_ = n >> 32 != 0 ? 2 : n != 0 ? 1 : 0;
  }

  constexpr void multiply_add(std::uint32_t factor, std::uint32_t summand) {
    std::uint64_t carry = summand;
    for (std::size_t i = 0; i != size_; ++i) {
      carry += std::uint64_t{words_[i]} * factor;
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) {
      push(static_cast<std::uint32_t>(carry));
    }
    drop_zeros();
  }

  constexpr void shift_left(std::int64_t bits) {
    const auto moved = static_cast<std::size_t>(bits / 32);
    for (; bits % 32 != 0; --bits) {
      multiply_add(2, 0);
    }
    if (moved == 0 || size_ == 0) {
      return;
    }
    MIDEND_ASSERT(size_ + moved <= words_.size(), "a number below 2^4096");
    for (std::size_t i = size_ + moved; i-- != 0;) {
      words_[i] = i >= moved ? words_[i - moved] : 0;
    }
    size_ += moved;
  }

  constexpr void add(const large_number& other) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < other.size_ || carry != 0; ++i) {
      if (i == size_) {
        push(0);
      }
      carry += std::uint64_t{words_[i]} + (i < other.size_ ? other.words_[i] : 0);
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }

  /// Requires `other` ≤ this number.
  constexpr void subtract(const large_number& other) {
    std::uint32_t borrow = 0;
    for (std::size_t i = 0; i != size_; ++i) {
      const std::uint64_t less = std::uint64_t{i < other.size_ ? other.words_[i] : 0} + borrow;
      borrow = words_[i] < less ? 1 : 0;
      words_[i] = static_cast<std::uint32_t>(words_[i] - less);
    }
    drop_zeros();
  }

  constexpr bool is_zero() const { return size_ == 0; }

  /// ⌊log2⌋ + 1; 0 for 0.
  constexpr std::int64_t bits() const {
    return size_ == 0 ? 0 : static_cast<std::int64_t>(32 * (size_ - 1)) + std::bit_width(words_[size_ - 1]);
  }

  friend constexpr bool operator==(const large_number& a, const large_number& b) { return !(a < b) && !(b < a); }

  friend constexpr bool operator<(const large_number& a, const large_number& b) {
    if (a.size_ != b.size_) {
      return a.size_ < b.size_;
    }
    for (std::size_t i = a.size_; i-- != 0;) {
      if (a.words_[i] != b.words_[i]) {
        return a.words_[i] < b.words_[i];
      }
    }
    return false;
  }

private:
  constexpr void drop_zeros() {
    while (size_ != 0 && words_[size_ - 1] == 0) {
      --size_;
    }
  }

  constexpr void push(std::uint32_t word) {
    MIDEND_ASSERT(size_ < words_.size(), "a number below 2^4096");
    words_[size_++] = word;
  }

  std::array<std::uint32_t, 128> words_{}; ///< the least significant first
  std::size_t size_ = 0;                   ///< the last word in use is not 0
};

/// The bits of numerator / denominator · 2^exponent, rounded to nearest, ties to even. The bits of 0 and of infinity
/// say that the number is too small or too large. Requires positive numbers.
constexpr std::uint64_t rounded_quotient(large_number numerator, large_number denominator, std::int64_t exponent,
                                         const float_format& format) {
  // Makes 1 ≤ numerator / denominator < 2.
  if (const std::int64_t more = denominator.bits() - numerator.bits(); more > 0) {
    numerator.shift_left(more);
    exponent -= more;
  } else {
    denominator.shift_left(-more);
    exponent -= more;
  }
  if (numerator < denominator) {
    numerator.shift_left(1);
    --exponent;
  }
  // The last bit of the fraction stands for 2^last.
  const std::int64_t full = exponent - static_cast<std::int64_t>(format.fraction_bits);
  const std::int64_t last = full < format.least_exponent() ? format.least_exponent() : full;
  if (exponent < last - 1) {
    return 0;
  }
  if (exponent >= 1 - format.least_exponent()) { // so that the sum below is less than 2^64
    return format.infinity;
  }
  std::uint64_t significand = 0;
  for (std::int64_t bit = exponent; bit >= last; --bit) {
    significand <<= 1;
    if (!(numerator < denominator)) {
      numerator.subtract(denominator);
      significand |= 1;
    }
    numerator.shift_left(1);
  }
  // The rest is numerator / denominator halves of the last bit.
  if (denominator < numerator || (numerator == denominator && (significand & 1) != 0)) {
    ++significand;
  }
  // The leading bit of the significand, which is not stored, adds 1 to the exponent.
  const std::uint64_t bits =
      (static_cast<std::uint64_t>(last - format.least_exponent()) << format.fraction_bits) + significand;
  return bits < format.infinity ? bits : format.infinity;
}

} // namespace detail

} // namespace elbrus

MIDEND_END_NAMESPACE
