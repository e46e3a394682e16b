/// Floating-point operations and conversions of the Elbrus-like IR. The interpreter and constant folding use the same
/// functions.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/scalar.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <optional>

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
#include "midend/elbrus/detail/exact_double.hpp"
#endif

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// The bits of a result. Processors differ in the NaN that an operation makes; here it is always the quiet NaN without
/// sign and payload.
template <class Float, class Bits> Bits result_bits(Float value) {
  constexpr Bits quiet = sizeof(Bits) == 4 ? Bits{0x7fc0'0000} : static_cast<Bits>(0x7ff8'0000'0000'0000);
  return value != value ? quiet : std::bit_cast<Bits>(value);
}

template <class Float> Float float_arithmetic(opcode code, Float a, Float b, Float c) {
  switch (code) {
  case opcode::fadd:
    return a + b;
  case opcode::fsub:
    return a - b;
  case opcode::fmul:
    return a * b;
  case opcode::fdiv:
    return a / b;
  case opcode::fma:
    return std::fma(a, b, c);
  default:
    return std::sqrt(a);
  }
}

/// The smaller or larger number; -0 is less than 0. For NaN and a number, `fmin` and `fmax` give the number, the others
/// NaN.
template <class Float> Float float_choice(opcode code, Float a, Float b) {
  if (a != a || b != b) {
    const bool wants_number = code == opcode::fmin || code == opcode::fmax;
    return (a != a) == wants_number ? b : a;
  }
  const bool first_is_less = a < b || (a == b && std::signbit(a));
  const bool smaller = code == opcode::fmin || code == opcode::fminimum;
  return first_is_less == smaller ? a : b;
}

/// A whole number. Requires, as all arithmetic here does, that the processor rounds to nearest.
template <class Float> Float float_rounding(opcode code, Float a) {
  switch (code) {
  case opcode::ffloor:
    return std::floor(a);
  case opcode::fceil:
    return std::ceil(a);
  case opcode::ftrunc:
    return std::trunc(a);
  case opcode::frint:
    return std::nearbyint(a);
  default:
    return std::round(a);
  }
}

/// Changes the sign of `a` and no other bit.
template <class Bits> Bits float_sign(opcode code, Bits a, Bits b) {
  constexpr Bits sign = static_cast<Bits>(~(static_cast<Bits>(-1) >> 1));
  return code == opcode::fneg ? a ^ sign : code == opcode::fabs ? a & ~sign : (a & ~sign) | (b & sign);
}

template <class Float> bool float_compare(opcode code, Float a, Float b) {
  switch (code) {
  case opcode::fcmp_oeq:
    return a == b;
  case opcode::fcmp_one:
    return a < b || a > b;
  case opcode::fcmp_olt:
    return a < b;
  case opcode::fcmp_ole:
    return a <= b;
  case opcode::fcmp_ogt:
    return a > b;
  case opcode::fcmp_oge:
    return a >= b;
  default:
    return a != a || b != b;
  }
}

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
/// Computes by integers if the machine computes in more than a double and would round twice.
inline double float_arithmetic(opcode code, double a, double b, double c) {
  switch (code) {
  case opcode::fadd:
    return exact_sum(a, b);
  case opcode::fsub:
    return exact_sum(a, -b);
  case opcode::fmul:
    return exact_product(a, b);
  case opcode::fdiv:
    return exact_quotient(a, b);
  case opcode::fma:
    return exact_fma(a, b, c);
  default:
    return exact_square_root(a);
  }
}
#endif

template <class Float, class Bits>
std::uint64_t float_operation(opcode code, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const auto x = std::bit_cast<Float>(static_cast<Bits>(a));
  const auto y = std::bit_cast<Float>(static_cast<Bits>(b));
  switch (code) {
  case opcode::fneg:
  case opcode::fabs:
  case opcode::fcopysign:
    return float_sign(code, static_cast<Bits>(a), static_cast<Bits>(b));
  case opcode::fmin:
  case opcode::fmax:
  case opcode::fminimum:
  case opcode::fmaximum:
    return result_bits<Float, Bits>(float_choice(code, x, y));
  case opcode::ffloor:
  case opcode::fceil:
  case opcode::ftrunc:
  case opcode::frint:
  case opcode::fround:
    return result_bits<Float, Bits>(float_rounding(code, x));
  default:
    break;
  }
  if (is_float_comparison(code)) {
    return float_compare(code, x, y) ? 1 : 0;
  }
  return result_bits<Float, Bits>(float_arithmetic(code, x, y, std::bit_cast<Float>(static_cast<Bits>(c))));
}

/// An unsigned number, rounded to nearest once: the lowest bit of the half keeps what is cut off.
template <class Float> Float float_of_unsigned(std::uint64_t number) {
  return number >> 63 == 0 ? static_cast<Float>(static_cast<std::int64_t>(number))
                           : static_cast<Float>(static_cast<std::int64_t>(number >> 1 | (number & 1))) * 2;
}

} // namespace detail

/// The result of a floating-point operation or comparison on operands of type `t`: IEEE 754 arithmetic rounded to
/// nearest, each operation in the precision of its type. A NaN result is always the quiet NaN without sign and payload,
/// so results are the same on all platforms; but `fneg`, `fabs` and `fcopysign` change the sign bit and nothing else.
inline std::uint64_t evaluate_float(opcode code, type t, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  return t == type::f32 ? detail::float_operation<float, std::uint32_t>(code, a, b, c)
                        : detail::float_operation<double, std::uint64_t>(code, a, b, c);
}

/// `itof.FROM.TO`: the number, signed, rounded to nearest.
inline std::uint64_t integer_to_float(type from, type to, std::uint64_t bits) {
  const std::int64_t number = as_signed(bits, width_of(from));
  return to == type::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(number))
                         : std::bit_cast<std::uint64_t>(static_cast<double>(number));
}

/// `utof.FROM.TO`: the number, unsigned, rounded to nearest.
inline std::uint64_t unsigned_to_float(type to, std::uint64_t bits) {
  return to == type::f32 ? std::bit_cast<std::uint32_t>(detail::float_of_unsigned<float>(bits))
                         : std::bit_cast<std::uint64_t>(detail::float_of_unsigned<double>(bits));
}

/// `ftoi.FROM.TO`: the number without its fraction; nothing for NaN and for numbers that the type does not have.
inline std::optional<std::uint64_t> float_to_integer(type from, type to, std::uint64_t bits) {
  const double whole = std::trunc(float_value(from, bits));
  const double limit = std::ldexp(1.0, static_cast<int>(width_of(to)) - 1);
  if (!(whole >= -limit && whole < limit)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) & low_ones(width_of(to));
}

/// `ftou.FROM.TO`: the number without its fraction, unsigned; nothing for NaN and numbers that the type does not have.
inline std::optional<std::uint64_t> float_to_unsigned(type from, type to, std::uint64_t bits) {
  const double whole = std::trunc(float_value(from, bits));
  if (!(whole >= 0 && whole < std::ldexp(1.0, static_cast<int>(width_of(to))))) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(whole);
}

/// `ftof.FROM.TO`: the number, rounded to nearest. NaN gives the NaN of `evaluate_float`.
inline std::uint64_t float_to_float(type from, type to, std::uint64_t bits) {
  const double number = float_value(from, bits);
  return to == type::f32 ? detail::result_bits<float, std::uint32_t>(static_cast<float>(number))
                         : detail::result_bits<double, std::uint64_t>(number);
}

/// The result of a conversion that has floating-point numbers on one side or both; nothing where it traps.
inline std::optional<std::uint64_t> convert_number(opcode code, type from, type to, std::uint64_t bits) {
  switch (code) {
  case opcode::itof:
    return integer_to_float(from, to, bits);
  case opcode::utof:
    return unsigned_to_float(to, bits);
  case opcode::ftoi:
    return float_to_integer(from, to, bits);
  case opcode::ftou:
    return float_to_unsigned(from, to, bits);
  case opcode::ftof:
    return float_to_float(from, to, bits);
  default:
    return bits; // `bitcast`
  }
}

} // namespace elbrus

MIDEND_END_NAMESPACE
