/// `float_from_text`: digits to the bits of a floating-point number, correctly rounded.
///
/// `std::from_chars` of floating-point numbers is missing in some standard libraries (libc++ before version 20), and
/// `std::strtod` reads what the locale says. This is neither, uses integers only, and gives the same bits everywhere.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/rounded_quotient.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// The value of a digit, or 16.
constexpr std::uint32_t digit_value(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<std::uint32_t>(c - '0');
  }
  const auto lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<std::uint32_t>(lower - 'a') + 10 : 16;
}

/// Reads `e+12`, the rest of a number after its digits; nothing if the text is anything else. Huge exponents are made
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

/// The number that `text` writes: a digit, then digits with at most one point among them, then perhaps an exponent, of
/// 2 in hexadecimal. No sign, no `0x`. Rounds to nearest, ties to even.
///
/// The first 800 digits decide, together with whether a later one is not 0: a number halfway between two others has at
/// most 767 digits.
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
