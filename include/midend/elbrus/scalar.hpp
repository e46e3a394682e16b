/// `scalar`: a number with its type, the argument or result of a run.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/extended.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/evaluate.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The bits of a number, with zeros above the width of its type. Compared bit for bit.
struct scalar {
  elbrus::type type = elbrus::type::none;
  std::uint64_t bits = 0; ///< of type `f80`, the significand
  std::uint16_t head = 0; ///< of type `f80`, the exponent and the sign; else 0

  friend constexpr bool operator==(const scalar&, const scalar&) = default;
};

/// A number of an integer type; bits above its width are dropped.
constexpr scalar integer_scalar(type t, std::int64_t value) {
  return {t, static_cast<std::uint64_t>(value) & low_ones(width_of(t))};
}

/// The bits of a floating-point number in a type; of `f32`, rounded.
constexpr std::uint64_t float_bits(type t, double value) {
  return t == type::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : std::bit_cast<std::uint64_t>(value);
}

/// A number of a floating-point type; of `f32`, rounded.
constexpr scalar float_scalar(type t, double value) {
  return {t, float_bits(t, value)};
}

/// The value of the bits of a floating-point type.
constexpr double float_value(type t, std::uint64_t bits) {
  return t == type::f32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                        : std::bit_cast<double>(bits);
}

/// A number of type `f80`.
constexpr scalar extended_scalar(const extended_number& number) {
  return {type::f80, number.significand, number.head};
}

/// The number of type `f80`.
constexpr extended_number extended_value(const scalar& s) {
  return {s.bits, s.head};
}

/// The number of a literal.
constexpr scalar literal_scalar(type t, std::uint64_t bits) {
  return t == type::f80 ? extended_scalar(extended_of_double(bits)) : scalar{t, bits};
}

/// The value of the bits of an integer type, signed.
constexpr std::int64_t signed_value(const scalar& s) {
  return as_signed(s.bits, width_of(s.type));
}

} // namespace elbrus

MIDEND_END_NAMESPACE
