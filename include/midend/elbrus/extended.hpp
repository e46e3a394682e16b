/// `extended_number`: numbers of 80 bits, the `long double` of x86 and of Elbrus, computed with integers, so that they
/// are the same on all platforms.
///
/// A number is ± significand · 2^(exponent - 16446), with all 64 bits of the significand stored (Intel 64 and IA-32
/// Architectures Software Developer's Manual, volume 1, 4.2.2 and 8.2.2). Encodings that the processor does not support
/// any more, whose highest bit is 0 though their exponent is not, count as NaN in arithmetic.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/evaluate.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// A number of type `f80`, as it is in memory. Compared bit for bit.
struct extended_number {
  std::uint64_t significand = 0;
  std::uint16_t head = 0; ///< the exponent, below the sign

  friend constexpr bool operator==(const extended_number&, const extended_number&) = default;
};

namespace detail {

inline constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;

/// A number of 128 bits.
struct wide_bits {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  constexpr bool is_zero() const { return (high | low) == 0; }

  constexpr wide_bits shifted_left(unsigned by) const { // less than 64
    return by == 0 ? *this : wide_bits{high << by | low >> (64 - by), low << by};
  }

  /// The lowest bit is 1 if a bit is lost.
  constexpr wide_bits shifted_right(std::int64_t by) const {
    if (by == 0) {
      return *this;
    }
    if (by >= 128) {
      return {0, is_zero() ? std::uint64_t{0} : std::uint64_t{1}};
    }
    if (by >= 64) {
      const auto rest = static_cast<unsigned>(by - 64);
      const bool lost = low != 0 || (rest != 0 && high << (64 - rest) != 0);
      return {0, high >> rest | (lost ? 1U : 0U)};
    }
    const auto n = static_cast<unsigned>(by);
    return {high >> n, high << (64 - n) | low >> n | (low << (64 - n) != 0 ? 1U : 0U)};
  }

  friend constexpr wide_bits operator-(const wide_bits& a, const wide_bits& b) {
    return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low};
  }

  friend constexpr bool operator<(const wide_bits& a, const wide_bits& b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
};

constexpr wide_bits product_of(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xffff'ffff;
  const std::uint64_t a1 = a >> 32;
  const std::uint64_t b0 = b & 0xffff'ffff;
  const std::uint64_t b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32); // below 2^64
  const std::uint64_t other = a0 * b1 + (middle & 0xffff'ffff);
  return {a1 * b1 + (middle >> 32) + (other >> 32), a * b};
}

/// significand · 2^exponent; the highest bit of the significand is 1, or all are 0.
struct extended_parts {
  enum class kind : std::uint8_t { finite, infinite, nan };

  kind is = kind::finite;
  bool negative = false;
  std::int64_t exponent = 0;
  std::uint64_t significand = 0;

  constexpr explicit extended_parts(const extended_number& x) : negative((x.head & 0x8000) != 0) {
    const std::int64_t stored = x.head & 0x7fff;
    if (stored == 0x7fff) {
      is = x.significand == top_bit ? kind::infinite : kind::nan;
    } else if (stored != 0 && x.significand < top_bit) {
      is = kind::nan;
    } else if (x.significand != 0) {
      const int zeros = std::countl_zero(x.significand);
      significand = x.significand << zeros;
      exponent = (stored == 0 ? 1 : stored) - 16446 - zeros;
    }
  }

  constexpr bool is_nan() const { return is == kind::nan; }

  constexpr bool is_infinite() const { return is == kind::infinite; }

  constexpr bool is_zero() const { return is == kind::finite && significand == 0; }
};

inline constexpr extended_number extended_nan = {top_bit | top_bit >> 1, 0x7fff};

constexpr std::uint16_t extended_sign(bool negative) {
  return negative ? 0x8000 : 0;
}

constexpr extended_number extended_infinity(bool negative) {
  return {top_bit, static_cast<std::uint16_t>(0x7fff | extended_sign(negative))};
}

/// ± bits · 2^exponent, where `bits.high` counts ones and `bits.low` is a fraction; rounded to nearest, ties to even.
constexpr extended_number rounded_extended(bool negative, wide_bits bits, std::int64_t exponent) {
  if (bits.is_zero()) {
    return {0, extended_sign(negative)};
  }
  while (bits.high < top_bit) {
    const int zeros = bits.high == 0 ? 63 : std::countl_zero(bits.high);
    bits = bits.shifted_left(static_cast<unsigned>(zeros));
    exponent -= zeros;
  }
  std::int64_t stored = exponent + 16446;
  if (stored < 1) {
    bits = bits.shifted_right(1 - stored);
    stored = 0;
  }
  if (bits.low > top_bit || (bits.low == top_bit && (bits.high & 1) != 0)) {
    ++bits.high;
    if (bits.high == 0) {
      bits.high = top_bit;
      ++stored;
    } else if (stored == 0 && bits.high == top_bit) {
      stored = 1;
    }
  }
  if (stored >= 0x7fff) {
    return extended_infinity(negative);
  }
  return {bits.high, static_cast<std::uint16_t>(static_cast<std::uint16_t>(stored) | extended_sign(negative))};
}

constexpr bool less_magnitude(const extended_parts& a, const extended_parts& b) {
  if (a.is_infinite() || b.is_infinite()) {
    return !a.is_infinite();
  }
  return a.significand == 0 || b.significand == 0 ? a.significand < b.significand
         : a.exponent != b.exponent               ? a.exponent < b.exponent
                                                  : a.significand < b.significand;
}

constexpr extended_number extended_sum(const extended_number& x, const extended_number& y, bool subtracts) {
  extended_parts a(x);
  extended_parts b(y);
  b.negative = b.negative != subtracts;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_infinite() && a.negative != b.negative)) {
    return extended_nan;
  }
  if (a.is_infinite() || b.is_infinite()) {
    return extended_infinity(a.is_infinite() ? a.negative : b.negative);
  }
  if (less_magnitude(a, b)) {
    const extended_parts larger = b;
    b = a;
    a = larger;
  }
  if (a.significand == 0) {
    return {0, extended_sign(a.negative && b.negative)};
  }
  wide_bits sum = {a.significand, 0};
  const wide_bits added =
      b.significand == 0 ? wide_bits{} : wide_bits{b.significand, 0}.shifted_right(a.exponent - b.exponent);
  if (a.negative != b.negative) {
    sum = sum - added;
    return rounded_extended(a.negative && !sum.is_zero(), sum, a.exponent);
  }
  sum = {sum.high + added.high, added.low};
  if (sum.high < a.significand) { // a carry
    sum = sum.shifted_right(1);
    sum.high |= top_bit;
    ++a.exponent;
  }
  return rounded_extended(a.negative, sum, a.exponent);
}

constexpr extended_number extended_product(const extended_number& x, const extended_number& y) {
  const extended_parts a(x);
  const extended_parts b(y);
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_zero()) || (a.is_zero() && b.is_infinite())) {
    return extended_nan;
  }
  if (a.is_infinite() || b.is_infinite()) {
    return extended_infinity(negative);
  }
  return rounded_extended(negative, product_of(a.significand, b.significand), a.exponent + b.exponent + 64);
}

constexpr extended_number extended_quotient(const extended_number& x, const extended_number& y) {
  const extended_parts a(x);
  const extended_parts b(y);
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.is_infinite() && b.is_infinite()) || (a.is_zero() && b.is_zero())) {
    return extended_nan;
  }
  if (a.is_infinite() || b.is_zero()) {
    return extended_infinity(negative);
  }
  if (b.is_infinite() || a.is_zero()) {
    return {0, extended_sign(negative)};
  }
  wide_bits quotient;
  std::uint64_t rest = a.significand;
  bool carry = false;
  for (int bit = 127; bit >= 0; --bit) {
    quotient = quotient.shifted_left(1);
    if (carry || rest >= b.significand) {
      rest -= b.significand;
      quotient.low |= 1;
    }
    carry = rest >= top_bit;
    rest <<= 1;
  }
  quotient.low |= rest != 0 || carry ? 1U : 0U;
  return rounded_extended(negative, quotient, a.exponent - b.exponent - 63);
}

/// Computes digit by digit, as on paper. A root is never halfway between two numbers.
constexpr extended_number extended_root(const extended_number& x) {
  const extended_parts a(x);
  if (a.is_nan() || (a.negative && !a.is_zero())) {
    return extended_nan;
  }
  if (a.is_zero() || a.is_infinite()) {
    return x;
  }
  const bool is_odd = a.exponent % 2 != 0;
  const wide_bits square = {is_odd ? a.significand >> 1 : a.significand, is_odd ? a.significand << 63 : 0};
  std::uint64_t root = 0;
  wide_bits rest;
  for (int digit = 63; digit >= 0; --digit) {
    const std::uint64_t word = digit >= 32 ? square.high : square.low;
    rest = rest.shifted_left(2);
    rest.low |= word >> (2 * (digit % 32)) & 3;
    const wide_bits trial = {root >> 62, root << 2 | 1};
    root <<= 1;
    if (!(rest < trial)) {
      rest = rest - trial;
      root |= 1;
    }
  }
  const std::uint64_t fraction = rest.high != 0 || rest.low > root ? top_bit | 1 : rest.low != 0 ? 1 : 0;
  return rounded_extended(false, {root, fraction}, (a.exponent + (is_odd ? 1 : 0) - 64) / 2);
}

constexpr extended_number extended_rounding(opcode code, const extended_number& x) {
  const extended_parts a(x);
  if (a.is_nan()) {
    return extended_nan;
  }
  if (a.is_infinite() || a.significand == 0 || a.exponent >= 0) {
    return x;
  }
  wide_bits bits = wide_bits{a.significand, 0}.shifted_right(-a.exponent);
  const bool up = code == opcode::ffloor   ? a.negative && bits.low != 0
                  : code == opcode::fceil  ? !a.negative && bits.low != 0
                  : code == opcode::ftrunc ? false
                  : code == opcode::frint  ? bits.low > top_bit || (bits.low == top_bit && (bits.high & 1) != 0)
                                           : bits.low >= top_bit;
  return rounded_extended(a.negative, {bits.high + (up ? 1U : 0U), 0}, 0);
}

constexpr bool extended_less(const extended_parts& a, const extended_parts& b) {
  if (a.is_zero() && b.is_zero()) {
    return false;
  }
  return a.negative != b.negative ? a.negative : a.negative ? less_magnitude(b, a) : less_magnitude(a, b);
}

constexpr extended_number extended_choice(opcode code, const extended_number& x, const extended_number& y) {
  const extended_parts a(x);
  const extended_parts b(y);
  if (a.is_nan() || b.is_nan()) {
    const bool wants_number = code == opcode::fmin || code == opcode::fmax;
    return !wants_number || (a.is_nan() && b.is_nan()) ? extended_nan : a.is_nan() ? y : x;
  }
  const bool first_is_less = extended_less(a, b) || (!extended_less(b, a) && a.negative);
  return first_is_less == (code == opcode::fmin || code == opcode::fminimum) ? x : y;
}

} // namespace detail

/// The result of a floating-point operation on numbers of type `f80`, rounded to nearest; all but `fma`. A NaN result
/// is always the quiet NaN without sign and payload, but `fneg`, `fabs` and `fcopysign` change the sign and nothing
/// else.
constexpr extended_number evaluate_extended(opcode code, const extended_number& a, const extended_number& b) {
  constexpr std::uint16_t magnitude = 0x7fff;
  constexpr std::uint16_t sign = 0x8000;
  switch (code) {
  case opcode::fadd:
  case opcode::fsub:
    return detail::extended_sum(a, b, code == opcode::fsub);
  case opcode::fmul:
    return detail::extended_product(a, b);
  case opcode::fdiv:
    return detail::extended_quotient(a, b);
  case opcode::fsqrt:
    return detail::extended_root(a);
  case opcode::fneg:
    return {a.significand, static_cast<std::uint16_t>(a.head ^ sign)};
  case opcode::fabs:
    return {a.significand, static_cast<std::uint16_t>(a.head & magnitude)};
  case opcode::fcopysign:
    return {a.significand, static_cast<std::uint16_t>((a.head & magnitude) | (b.head & sign))};
  case opcode::fmin:
  case opcode::fmax:
  case opcode::fminimum:
  case opcode::fmaximum:
    return detail::extended_choice(code, a, b);
  default:
    return detail::extended_rounding(code, a);
  }
}

/// The result of a comparison of numbers of type `f80`.
constexpr bool compare_extended(opcode code, const extended_number& x, const extended_number& y) {
  const detail::extended_parts a(x);
  const detail::extended_parts b(y);
  if (a.is_nan() || b.is_nan()) {
    return code == opcode::fcmp_uno;
  }
  switch (code) {
  case opcode::fcmp_oeq:
    return !detail::extended_less(a, b) && !detail::extended_less(b, a);
  case opcode::fcmp_one:
    return detail::extended_less(a, b) || detail::extended_less(b, a);
  case opcode::fcmp_olt:
    return detail::extended_less(a, b);
  case opcode::fcmp_ole:
    return !detail::extended_less(b, a);
  case opcode::fcmp_ogt:
    return detail::extended_less(b, a);
  case opcode::fcmp_oge:
    return !detail::extended_less(a, b);
  default:
    return false;
  }
}

/// The number with these bits as `f64`. NaN keeps its sign.
constexpr extended_number extended_of_double(std::uint64_t bits) {
  const bool negative = bits >> 63 != 0;
  const auto stored = static_cast<std::int64_t>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & low_ones(52);
  if (stored == 0x7ff) {
    extended_number out = fraction == 0 ? detail::extended_infinity(negative) : detail::extended_nan;
    out.head = static_cast<std::uint16_t>(out.head | detail::extended_sign(negative));
    return out;
  }
  const std::uint64_t significand = fraction | (stored != 0 ? std::uint64_t{1} << 52 : 0);
  return detail::rounded_extended(negative, {significand, 0}, (stored != 0 ? stored : 1) - 1075);
}

/// The bits of the number as `f32` or `f64`, rounded to nearest. NaN gives the quiet NaN without sign and payload.
constexpr std::uint64_t float_of_extended(type to, const extended_number& x) {
  const unsigned fraction_bits = to == type::f32 ? 23 : 52;
  const std::int64_t bias = to == type::f32 ? 127 : 1023;
  const std::uint64_t infinity = static_cast<std::uint64_t>(2 * bias + 1) << fraction_bits;
  const detail::extended_parts a(x);
  if (a.is_nan()) {
    return infinity | std::uint64_t{1} << (fraction_bits - 1);
  }
  const std::uint64_t sign = a.negative ? std::uint64_t{1} << (to == type::f32 ? 31 : 63) : 0;
  const std::int64_t exponent = a.exponent + 63; // of the highest bit
  if (a.is_infinite() || exponent > bias) {
    return sign | infinity;
  }
  const std::int64_t below = exponent < 1 - bias ? 1 - bias - exponent : 0; // the least normal number
  const detail::wide_bits bits = detail::wide_bits{a.significand, 0}.shifted_right(63 - fraction_bits + below);
  const bool up = bits.low > detail::top_bit || (bits.low == detail::top_bit && (bits.high & 1) != 0);
  // The highest bit, which is not stored, adds 1 to the exponent.
  const std::int64_t stored = below != 0 || a.significand == 0 ? 0 : exponent + bias - 1;
  return sign | ((static_cast<std::uint64_t>(stored) << fraction_bits) + bits.high + (up ? 1 : 0));
}

/// The bits of the number as `f64`, if it has them exactly: literals of type `f80` are numbers that both types have, or
/// NaN without a payload.
constexpr std::optional<std::uint64_t> literal_of_extended(const extended_number& x) {
  const bool is_negative_nan = x.significand == detail::extended_nan.significand && x.head == 0xffff;
  const std::uint64_t bits = float_of_extended(type::f64, x) | (is_negative_nan ? std::uint64_t{1} << 63 : 0);
  return extended_of_double(bits) == x ? std::optional(bits) : std::nullopt;
}

/// `itof`, `utof` or `ftof` to `f80`: exact.
constexpr extended_number convert_to_extended(opcode code, type from, std::uint64_t bits) {
  if (code == opcode::ftof) {
    const std::uint64_t wide =
        from == type::f64
            ? bits
            : std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    const extended_number number = extended_of_double(wide);
    return detail::extended_parts(number).is_nan() ? detail::extended_nan : number;
  }
  const std::int64_t number = as_signed(bits, width_of(from));
  const bool negative = code == opcode::itof && number < 0;
  return detail::rounded_extended(negative,
                                  {code == opcode::utof ? bits
                                   : negative           ? 0 - static_cast<std::uint64_t>(number)
                                                        : static_cast<std::uint64_t>(number),
                                   0},
                                  0);
}

/// `ftoi`, `ftou` or `ftof` from `f80`; nothing where they trap.
constexpr std::optional<std::uint64_t> convert_from_extended(opcode code, type to, const extended_number& x) {
  if (code == opcode::ftof) {
    return float_of_extended(to, x);
  }
  const detail::extended_parts a(x);
  if (a.is_nan() || a.is_infinite() || a.exponent > 0) {
    return std::nullopt;
  }
  const std::uint64_t whole = a.exponent <= -64 ? 0 : a.significand >> -a.exponent;
  const std::uint64_t most = code == opcode::ftou ? (a.negative ? 0 : low_ones(width_of(to)))
                                                  : (low_ones(width_of(to)) >> 1) + (a.negative ? 1 : 0);
  if (whole > most) {
    return std::nullopt;
  }
  return (a.negative ? 0 - whole : whole) & low_ones(width_of(to));
}

/// The result of an operation, comparison or conversion with numbers of type `f80`, all given and returned as literals;
/// nothing where it traps, and where the result is no literal.
constexpr std::optional<std::uint64_t> fold_extended(opcode code, type operand, type result, std::uint64_t a,
                                                     std::uint64_t b = 0) {
  if (info_of(code).form == opcode_form::conversion) {
    return result == type::f80 ? literal_of_extended(convert_to_extended(code, operand, a))
                               : convert_from_extended(code, result, extended_of_double(a));
  }
  if (is_float_comparison(code)) {
    return compare_extended(code, extended_of_double(a), extended_of_double(b)) ? 1 : 0;
  }
  return literal_of_extended(evaluate_extended(code, extended_of_double(a), extended_of_double(b)));
}

} // namespace elbrus

MIDEND_END_NAMESPACE
