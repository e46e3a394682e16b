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
/// The machine computes in more than a double and would round twice.
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
  if (is_float_comparison(code)) {
    return float_compare(code, x, y) ? 1 : 0;
  }
  return result_bits<Float, Bits>(float_arithmetic(code, x, y, std::bit_cast<Float>(static_cast<Bits>(c))));
}

} // namespace detail

/// The result of a floating-point operation or comparison on operands of type `t`: IEEE 754 arithmetic rounded to
/// nearest, each operation in the precision of its type. A NaN result is always the quiet NaN without sign and payload,
/// so results are the same on all platforms.
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

/// `ftoi.FROM.TO`: the number without its fraction; nothing for NaN and for numbers that the type does not have.
inline std::optional<std::uint64_t> float_to_integer(type from, type to, std::uint64_t bits) {
  const double whole = std::trunc(float_value(from, bits));
  const double limit = std::ldexp(1.0, static_cast<int>(width_of(to)) - 1);
  if (!(whole >= -limit && whole < limit)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) & low_ones(width_of(to));
}

} // namespace elbrus

MIDEND_END_NAMESPACE
