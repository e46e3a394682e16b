/// `evaluate`: the result of an operation of the vocabulary, or why it has none.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why an operation has no result.
enum class evaluation_fault : std::uint8_t {
  none,
  unknown_operation, ///< it is `operation::other`
  division_by_zero,
  division_overflow, ///< the least number divided by -1, or its remainder
  shift_too_far,     ///< the amount is the width or more
  signed_overflow,   ///< `no_signed_wrap` is broken
  unsigned_overflow, ///< `no_unsigned_wrap` is broken
};

/// The result of an operation, with zeros above its width. Valid if `fault` is `none`.
struct evaluation {
  std::uint64_t bits = 0;
  evaluation_fault fault = evaluation_fault::none;

  constexpr explicit operator bool() const { return fault == evaluation_fault::none; }

  friend constexpr bool operator==(const evaluation&, const evaluation&) = default;
};

/// Ones in the low `width` bits, 1 … 64.
constexpr std::uint64_t low_ones(unsigned width) {
  return ~std::uint64_t{0} >> (64 - width);
}

/// Ones in all bits below this one, 0 … 64. Unlike `low_ones`, also for no bits.
constexpr std::uint64_t ones_below(unsigned bit) {
  return bit == 0 ? 0 : low_ones(bit);
}

/// The low `width` bits read as a signed number. The bits above are ignored.
constexpr std::int64_t as_signed(std::uint64_t bits, unsigned width) {
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

namespace detail {

/// A product of 128 bits.
struct wide_product {
  std::uint64_t low;
  std::uint64_t high;
};

constexpr wide_product multiply_unsigned(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t half = 0xffff'ffff;
  const std::uint64_t low = (a & half) * (b & half);
  const std::uint64_t middle = (a >> 32) * (b & half) + (low >> 32);
  const std::uint64_t other = (a & half) * (b >> 32) + (middle & half);
  return {other << 32 | (low & half), (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32)};
}

/// A signed product of 128 bits, in two's complement.
constexpr wide_product multiply_signed(std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  wide_product p = multiply_unsigned(ua, ub);
  p.high -= (a < 0 ? ub : 0) + (b < 0 ? ua : 0);
  return p;
}

/// A sum, difference or product, and whether it wraps.
struct wrapping_result {
  std::uint64_t bits; ///< may have more than `width` bits
  bool signed_wrap;
  bool unsigned_wrap;
};

constexpr bool fits_signed(std::int64_t value, unsigned width) {
  return as_signed(static_cast<std::uint64_t>(value), width) == value;
}

constexpr wrapping_result wrapping_add(std::uint64_t a, std::uint64_t b, unsigned width) {
  const std::uint64_t sum = a + b;
  const std::int64_t signed_sum = as_signed(sum, width);
  const bool negative_a = as_signed(a, width) < 0;
  const bool negative_b = as_signed(b, width) < 0;
  return {sum, negative_a == negative_b && (signed_sum < 0) != negative_a, (sum & low_ones(width)) < a};
}

constexpr wrapping_result wrapping_sub(std::uint64_t a, std::uint64_t b, unsigned width) {
  const std::uint64_t difference = a - b;
  const std::int64_t signed_difference = as_signed(difference, width);
  const bool negative_a = as_signed(a, width) < 0;
  const bool negative_b = as_signed(b, width) < 0;
  return {difference, negative_a != negative_b && (signed_difference < 0) != negative_a, a < b};
}

constexpr wrapping_result wrapping_mul(std::uint64_t a, std::uint64_t b, unsigned width) {
  const wide_product u = multiply_unsigned(a, b);
  const wide_product s = multiply_signed(as_signed(a, width), as_signed(b, width));
  const auto low = static_cast<std::int64_t>(s.low);
  const bool fits_64 = s.high == (low < 0 ? ~std::uint64_t{0} : 0);
  return {u.low, !fits_64 || !fits_signed(low, width), u.high != 0 || u.low > low_ones(width)};
}

/// Requires `amount < width`.
constexpr wrapping_result wrapping_shl(std::uint64_t a, std::uint64_t amount, unsigned width) {
  const std::uint64_t shifted = a << amount & low_ones(width);
  return {shifted, as_signed(shifted, width) >> amount != as_signed(a, width), shifted >> amount != a};
}

constexpr evaluation as_promised(const wrapping_result& exact, const operation_info& info) {
  if (info.flags.no_signed_wrap && exact.signed_wrap) {
    return {0, evaluation_fault::signed_overflow};
  }
  if (info.flags.no_unsigned_wrap && exact.unsigned_wrap) {
    return {0, evaluation_fault::unsigned_overflow};
  }
  return {exact.bits & low_ones(info.width)};
}

/// The shift and the addition of `shladd`, with faults for broken promises of each.
constexpr evaluation shift_and_add(std::uint64_t a, std::uint64_t amount, std::uint64_t c, const operation_info& info) {
  const evaluation shifted = as_promised(wrapping_shl(a, amount, info.width), info);
  return shifted ? as_promised(wrapping_add(shifted.bits, c, info.width), info) : shifted;
}

constexpr evaluation divide(operation code, std::uint64_t a, std::uint64_t b, unsigned width) {
  if (b == 0) {
    return {0, evaluation_fault::division_by_zero};
  }
  if (code == operation::udiv) {
    return {a / b};
  }
  if (code == operation::urem) {
    return {a % b};
  }
  const std::int64_t x = as_signed(a, width);
  const std::int64_t y = as_signed(b, width);
  if (y == -1 && a == std::uint64_t{1} << (width - 1)) {
    return {0, evaluation_fault::division_overflow};
  }
  return {static_cast<std::uint64_t>(code == operation::div ? x / y : x % y) & low_ones(width)};
}

/// Requires `amount` < 64, and `a` without bits above the width.
constexpr std::uint64_t shift_by_any(operation code, std::uint64_t a, std::uint64_t amount, unsigned width) {
  if (code == operation::sar_modulo) {
    const std::uint64_t most = width - 1;
    return static_cast<std::uint64_t>(as_signed(a, width) >> (amount < most ? amount : most)) & low_ones(width);
  }
  return code == operation::shl_modulo ? a << amount & low_ones(width) : a >> amount;
}

constexpr bool comparison_holds(operation code, std::uint64_t a, std::uint64_t b, unsigned width) {
  const std::int64_t x = as_signed(a, width);
  const std::int64_t y = as_signed(b, width);
  switch (code) {
  case operation::equal:
    return a == b;
  case operation::not_equal:
    return a != b;
  case operation::less:
    return x < y;
  case operation::less_equal:
    return x <= y;
  case operation::greater:
    return x > y;
  case operation::greater_equal:
    return x >= y;
  case operation::uless:
    return a < b;
  case operation::uless_equal:
    return a <= b;
  case operation::ugreater:
    return a > b;
  default:
    return a >= b;
  }
}

} // namespace detail

/// The result of an operation, with zeros above `info.width`. Requires `arity(info.code)` arguments, of any width: each
/// is read modulo 2^`read_width`. Division by 0, division of the least number by -1, shifts by the width or more and
/// broken flags have no result. Comparisons return 0 or 1.
constexpr evaluation evaluate(const operation_info& info, span<const std::uint64_t> args) {
  MIDEND_ASSERT(args.size() == arity(info.code), "as many arguments as the operation has operands", args.size());
  const unsigned width = info.width;
  const std::uint64_t ones = low_ones(width);
  const std::uint64_t read = low_ones(read_width(info));
  const std::uint64_t a = args.empty() ? 0 : args[0] & read;
  const std::uint64_t b = args.size() < 2 ? 0 : args[1] & read;
  const std::uint64_t c = args.size() < 3 ? 0 : args[2] & ones;
  switch (info.code) {
  case operation::other:
    return {0, evaluation_fault::unknown_operation};
  case operation::add:
    return detail::as_promised(detail::wrapping_add(a, b, width), info);
  case operation::sub:
    return detail::as_promised(detail::wrapping_sub(a, b, width), info);
  case operation::neg:
    return detail::as_promised(detail::wrapping_sub(0, a, width), info);
  case operation::mul:
    return detail::as_promised(detail::wrapping_mul(a, b, width), info);
  case operation::div:
  case operation::udiv:
  case operation::rem:
  case operation::urem:
    return detail::divide(info.code, a, b, width);
  case operation::bit_and:
    return {a & b};
  case operation::bit_or:
    return {a | b};
  case operation::bit_xor:
    return {a ^ b};
  case operation::bit_not:
    return {~a & ones};
  case operation::shl:
  case operation::shr:
  case operation::sar:
  case operation::shladd:
    if (args[1] >= width) {
      return {0, evaluation_fault::shift_too_far};
    }
    if (info.code == operation::shl) {
      return detail::as_promised(detail::wrapping_shl(a, b, width), info);
    }
    if (info.code == operation::shladd) {
      return detail::shift_and_add(a, b, c, info);
    }
    return {info.code == operation::shr ? a >> b : static_cast<std::uint64_t>(as_signed(a, width) >> b) & ones};
  case operation::min:
    return {as_signed(a, width) < as_signed(b, width) ? a : b};
  case operation::max:
    return {as_signed(a, width) < as_signed(b, width) ? b : a};
  case operation::umin:
    return {a < b ? a : b};
  case operation::umax:
    return {a < b ? b : a};
  case operation::truncate:
  case operation::zero_extend:
  case operation::copy:
    return {a & ones};
  case operation::sign_extend:
    return {static_cast<std::uint64_t>(as_signed(a, info.operand_width)) & ones};
  case operation::select:
    return {args[0] != 0 ? b : c};
  case operation::shl_modulo:
  case operation::shr_modulo:
  case operation::sar_modulo:
    return {detail::shift_by_any(info.code, a, args[1] % info.operand_width, width)};
  default:
    return {detail::comparison_holds(info.code, a, b, info.operand_width) ? std::uint64_t{1} : 0};
  }
}

MIDEND_END_NAMESPACE
