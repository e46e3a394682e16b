/// `float_from_text`: digits to the bits of a floating-point number, correctly rounded.
///
/// `std::from_chars` of floating-point numbers is missing in some standard libraries (libc++ before version 20), and
/// `std::strtod` reads what the locale says. This is neither, uses integers only, and gives the same bits everywhere.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

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

/// A natural number below 2^4096. The largest here are 801 decimal digits, 801 hexadecimal digits, and 5^1127.
class large_number {
public:
  constexpr explicit large_number(std::uint32_t n) {
    words_[0] = n;
    size_ = n != 0 ? 1 : 0;
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

  /// Requires `other` ≤ this number.
  constexpr void subtract(const large_number& other) {
    std::uint32_t borrow = 0;
    for (std::size_t i = 0; i != size_; ++i) {
      const std::uint64_t less = std::uint64_t{i < other.size_ ? other.words_[i] : 0} + borrow;
      borrow = words_[i] < less ? 1 : 0;
      words_[i] = static_cast<std::uint32_t>(words_[i] - less);
    }
    while (size_ != 0 && words_[size_ - 1] == 0) {
      --size_;
    }
  }

  constexpr bool is_zero() const { return size_ == 0; }

  /// ⌊log2⌋ + 1; 0 of 0.
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
  // What is left is numerator / denominator halves of the last bit.
  if (denominator < numerator || (numerator == denominator && (significand & 1) != 0)) {
    ++significand;
  }
  // The leading bit of the significand, which is not stored, adds 1 to the exponent.
  const std::uint64_t bits =
      (static_cast<std::uint64_t>(last - format.least_exponent()) << format.fraction_bits) + significand;
  return bits < format.infinity ? bits : format.infinity;
}

/// The value of a digit, or 16.
constexpr std::uint32_t digit_value(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<std::uint32_t>(c - '0');
  }
  const auto lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<std::uint32_t>(lower - 'a') + 10 : 16;
}

/// Reads `e+12`, the rest of a number after its digits: nothing if it is anything else. Huge exponents are made
/// smaller, but stay huge.
constexpr std::optional<std::int64_t> exponent_from_text(std::string_view text, char letter) {
  if (text.empty()) {
    return 0;
  }
  if ((text[0] | 0x20) != letter) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  if (text.empty()) {
    return std::nullopt;
  }
  std::int64_t exponent = 0;
  for (const char c : text) {
    if (digit_value(c) > 9) {
      return std::nullopt;
    }
    constexpr std::int64_t huge = std::int64_t{1} << 56;
    exponent = exponent < huge ? 10 * exponent + digit_value(c) : exponent;
  }
  return negative ? -exponent : exponent;
}

/// A number as it was read.
struct float_reading {
  bool is_number = false; ///< otherwise the text is none
  bool is_zero = false;   ///< the text writes 0
  std::uint64_t bits = 0; ///< 0 also if the number is too small, infinity if it is too large
};

/// digits · 10^exponent; 10^exponent is 5^exponent · 2^exponent.
constexpr std::uint64_t rounded_decimal(const large_number& digits, std::int64_t num_digits, std::int64_t exponent,
                                        const float_format& format) {
  if (num_digits + exponent > 310) {
    return format.infinity;
  }
  if (num_digits + exponent < -325) {
    return 0;
  }
  large_number numerator = digits;
  large_number denominator(1);
  for (std::int64_t i = 0; i < exponent; ++i) {
    numerator.multiply_add(5, 0);
  }
  for (std::int64_t i = exponent; i < 0; ++i) {
    denominator.multiply_add(5, 0);
  }
  return rounded_quotient(numerator, denominator, exponent, format);
}

/// The number that `text` writes: a digit, then digits with at most one point among them, then perhaps an exponent,
/// which is of 2 in hexadecimal. No sign, no `0x`. Rounds to nearest, ties to even.
///
/// The first 800 digits decide, and whether a later one is not 0: what lies halfway between two numbers has at most 767
/// digits.
constexpr float_reading float_from_text(std::string_view text, bool hexadecimal, const float_format& format) {
  constexpr std::int64_t enough_digits = 800;
  const std::uint32_t base = hexadecimal ? 16 : 10;
  large_number digits(0);
  std::int64_t num_digits = 0; // without leading zeros
  std::int64_t shifted = 0;    // the number is digits · base^shifted
  bool has_more = false;
  bool after_point = false;
  std::size_t at = 0;
  for (; at != text.size(); ++at) {
    if (text[at] == '.' && !after_point && at != 0) {
      after_point = true;
      continue;
    }
    const std::uint32_t digit = digit_value(text[at]);
    if (digit >= base) {
      break;
    }
    if (num_digits == enough_digits) {
      has_more = has_more || digit != 0;
      shifted += after_point ? 0 : 1;
    } else {
      digits.multiply_add(base, digit);
      num_digits += digits.is_zero() ? 0 : 1;
      shifted -= after_point ? 1 : 0;
    }
  }
  const auto exponent = exponent_from_text(text.substr(at), hexadecimal ? 'p' : 'e');
  if (at == 0 || !exponent) {
    return {};
  }
  if (digits.is_zero()) {
    return {.is_number = true, .is_zero = true, .bits = 0};
  }
  if (has_more) {
    digits.multiply_add(base, 1);
    ++num_digits;
    --shifted;
  }
  return {.is_number = true,
          .is_zero = false,
          .bits = hexadecimal ? rounded_quotient(digits, large_number(1), 4 * shifted + *exponent, format)
                              : rounded_decimal(digits, num_digits, shifted + *exponent, format)};
}

} // namespace detail

} // namespace elbrus

MIDEND_END_NAMESPACE
