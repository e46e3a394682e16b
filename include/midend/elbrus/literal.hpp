/// Literals of the Elbrus-like IR: text to bits and back, bit for bit.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/float_text.hpp"
#include "midend/elbrus/extended.hpp"
#include "midend/elbrus/scalar.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/evaluate.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The error in a literal.
enum class literal_fault : std::uint8_t {
  none,
  malformed,    ///< not a number of this kind
  out_of_range, ///< the type has no such number
};

/// The bits of a literal, with zeros above the width of its type, if `fault` is `none`.
struct literal {
  std::uint64_t bits = 0;
  literal_fault fault = literal_fault::none;
};

namespace detail {

constexpr float_format format_of(type t) {
  return t == type::f32 ? float_format{23, 0x7f80'0000} : float_format{52, 0x7ff0'0000'0000'0000};
}

constexpr bool is_hexadecimal(std::string_view digits) {
  return digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
}

/// All of `digits` as a number without a sign.
inline literal magnitude_of(std::string_view digits) {
  const bool hexadecimal = is_hexadecimal(digits);
  if (hexadecimal) {
    digits.remove_prefix(2);
  }
  std::uint64_t bits = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, bits, hexadecimal ? 16 : 10);
  if (error == std::errc::invalid_argument || stop != end) {
    return {0, literal_fault::malformed};
  }
  return {bits, error == std::errc() ? literal_fault::none : literal_fault::out_of_range};
}

/// A number must fit, signed or unsigned.
inline literal integer_literal(std::string_view digits, bool negative, unsigned width) {
  literal out = magnitude_of(digits);
  if (out.fault != literal_fault::none) {
    return out;
  }
  const std::uint64_t largest = negative ? std::uint64_t{1} << (width - 1) : low_ones(width);
  if (out.bits > largest) {
    return {0, literal_fault::out_of_range};
  }
  out.bits = (negative ? 0 - out.bits : out.bits) & low_ones(width);
  return out;
}

/// `nan`, or `nan.0x1` with the bits of the fraction.
inline literal nan_literal(std::string_view word, float_format format, bool has_payload) {
  if (word == "nan") {
    return {format.quiet_nan()};
  }
  const literal payload = magnitude_of(word.substr(4));
  if (word[3] != '.' || payload.fault == literal_fault::malformed) {
    return {0, literal_fault::malformed};
  }
  if (payload.fault != literal_fault::none || payload.bits == 0 || payload.bits > format.fraction() || !has_payload) {
    return {0, literal_fault::out_of_range};
  }
  return {format.infinity | payload.bits};
}

inline literal float_literal(std::string_view digits, bool negative, type t) {
  const float_format format = format_of(t);
  literal out;
  if (digits == "inf") {
    out.bits = format.infinity;
  } else if (digits.substr(0, 3) == "nan") {
    out = nan_literal(digits, format, t != type::f80);
  } else {
    const bool hexadecimal = is_hexadecimal(digits);
    const float_reading read = float_from_text(hexadecimal ? digits.substr(2) : digits, hexadecimal, format);
    const bool has_number = read.is_zero || (read.bits != 0 && read.bits != format.infinity);
    out = {read.bits, !read.is_number ? literal_fault::malformed
                      : has_number    ? literal_fault::none
                                      : literal_fault::out_of_range};
  }
  out.bits |= negative ? format.sign() : 0;
  return out;
}

template <class Number, class... Format> void append_number(std::string& text, Number number, Format... format) {
  char digits[64];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number, format...);
  static_cast<void>(error); // 64 characters are enough for all of them
  text.append(digits, end);
}

inline void append_float(std::string& text, type t, std::uint64_t bits) {
  const float_format format = format_of(t);
  if ((bits & format.sign()) != 0) {
    text += '-';
    bits ^= format.sign();
  }
  if (bits == format.infinity) {
    text += "inf";
  } else if (bits > format.infinity) {
    text += "nan";
    if (bits != format.quiet_nan()) {
      text += ".0x";
      append_number(text, bits & format.fraction(), 16);
    }
  } else {
    text += "0x";
    if (t == type::f32) {
      append_number(text, std::bit_cast<float>(static_cast<std::uint32_t>(bits)), std::chars_format::hex);
    } else {
      append_number(text, std::bit_cast<double>(bits), std::chars_format::hex);
    }
  }
}

} // namespace detail

/// Reads a literal of a type; `text` must be nothing else. Integers, predicates and addresses are decimal or `0x…`,
/// also negative, and must fit the type, signed or unsigned. Floating-point numbers are decimal, rounded to nearest, or
/// hexadecimal (`0x1.8p+1`), `inf`, `nan`, or `nan.0x…` with the bits of the fraction, all also negative. Those of type
/// `f80` are rounded to `f64`, and have no bits after `nan`.
inline literal parse_literal(std::string_view text, type t) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) {
    text.remove_prefix(1);
  }
  if (t == type::none) {
    return {0, literal_fault::malformed};
  }
  return is_float(t) ? detail::float_literal(text, negative, t) : detail::integer_literal(text, negative, width_of(t));
}

/// Writes a literal so that `parse_literal` gives the same bits: integers signed and decimal, predicates as 0 and 1,
/// addresses from 2^16 on hexadecimal, floating-point numbers hexadecimal.
inline void append_literal(std::string& text, type t, std::uint64_t bits) {
  constexpr std::uint64_t first_hexadecimal_address = 0x10000;
  if (is_float(t)) {
    detail::append_float(text, t, bits);
  } else if (t == type::i1) {
    text += bits == 0 ? '0' : '1';
  } else if (t == type::ptr && bits >= first_hexadecimal_address) {
    text += "0x";
    detail::append_number(text, bits, 16);
  } else if (t != type::none) {
    detail::append_number(text, as_signed(bits, width_of(t)));
  }
}

/// Writes a number as a literal. An `f80` that has no literal is written in hexadecimal with all its bits, a NaN with
/// its significand.
inline void append_scalar(std::string& text, const scalar& s) {
  const std::optional<std::uint64_t> bits =
      s.type == type::f80 ? literal_of_extended(extended_value(s)) : std::optional(s.bits);
  if (bits) {
    append_literal(text, s.type, *bits);
    return;
  }
  const detail::extended_parts number(extended_value(s));
  text += number.negative ? "-" : "";
  if (number.is_nan()) {
    text += "nan.0x";
    detail::append_number(text, s.bits, 16);
    return;
  }
  text += "0x1";
  std::uint64_t digits = number.significand << 1;
  text += digits != 0 ? "." : "";
  for (; digits != 0; digits <<= 4) {
    detail::append_number(text, digits >> 60, 16);
  }
  const std::int64_t exponent = number.exponent + 63;
  text += exponent < 0 ? "p" : "p+";
  detail::append_number(text, exponent);
}

/// A number as a literal, in a string.
inline std::string scalar_text(const scalar& s) {
  std::string text;
  append_scalar(text, s);
  return text;
}

/// A literal as a string.
inline std::string literal_text(type t, std::uint64_t bits) {
  std::string text;
  append_literal(text, t, bits);
  return text;
}

} // namespace elbrus

MIDEND_END_NAMESPACE
