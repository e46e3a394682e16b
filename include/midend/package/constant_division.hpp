/// `divide_by_literal`: turns quotients and remainders by a literal into products.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/package/package_order.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Writes the quotient or remainder (`div`, `udiv`, `rem`, `urem`) of `x` by a literal as a tree without divisions.
/// Granlund & Montgomery, "Division by invariant integers using multiplication" (PLDI 1994), and Warren, "Hacker's
/// Delight", chapter 10: x / d is the high part of x · m, where m is 2^(w + l) / d rounded up, and 2^l is at least d.
///
///     before            after (signed, 32 bits)
///     q = div x, 3      p = mul (sext64 x), 0xAAAAAAAB
///                       q = trunc32 (add (sar p, 33), (shr p, 63))
///
/// The vocabulary has no high half of a product, so the tree multiplies in a word of at least twice the width, a power
/// of two. Departure from the papers: if m has w + 1 bits, the tree adds x to the high part in the wide word. Nothing
/// overflows there, so no case needs a shift before or a halved difference after.
///
/// `x` has `info.width` bits. Returns an order of kind `none` for more than 32 bits (no wide word), for one bit, and
/// for the divisors 0, 1 and -1 (signed). The tree never traps, reads `x` twice for a remainder, and has at most 8
/// operations. The caller decides by cost whether it pays.
constexpr package_order divide_by_literal(const operation_info& info, order_operand x, std::uint64_t divisor) {
  const unsigned w = info.width;
  const bool is_signed = info.code == operation::div || info.code == operation::rem;
  const bool is_remainder = info.code == operation::rem || info.code == operation::urem;
  if ((!is_remainder && info.code != operation::div && info.code != operation::udiv) || w < 2 || w > 32) {
    return {};
  }
  divisor &= low_ones(w);
  const bool is_negative = is_signed && (divisor >> (w - 1)) != 0;
  const std::uint64_t d = is_negative ? (0 - divisor) & low_ones(w) : divisor; // at most 2^(w-1) if signed
  if (d < 2) {
    return {};
  }
  const auto wide = static_cast<unsigned>(std::bit_ceil(2 * w));
  const auto narrow_bits = static_cast<std::uint8_t>(w);
  const auto wide_bits = static_cast<std::uint8_t>(wide);
  const auto of = [](operation code, std::uint8_t width, std::uint8_t from) {
    return operation_info{code, width, from, {}};
  };
  const auto in_wide = [&](operation code) { return of(code, wide_bits, wide_bits); };
  const auto amount = [&](unsigned bits) { return order_operand::number(wide, bits); };
  const auto log = static_cast<unsigned>(std::bit_width(d - 1)); // rounded up
  package_order order = package_order::to_tree(is_remainder ? "x % d = x - x / d * d, x / d by a product"
                                                            : "x / d is the high part of a product");
  order_operand quotient;
  if (is_signed) {
    const unsigned shift = w - 1 + log;
    const std::uint64_t m = (std::uint64_t{1} << shift) / d + 1; // at most w bits
    const order_operand extended = order.add(of(operation::sign_extend, wide_bits, narrow_bits), x);
    const order_operand product = order.add(in_wide(operation::mul), extended, order_operand::number(wide, m));
    const order_operand high = order.add(in_wide(operation::sar), product, amount(shift));
    // The high part is rounded down, so a negative quotient is 1 too small.
    const order_operand sign =
        order.add(in_wide(is_negative ? operation::sar : operation::shr), product, amount(wide - 1));
    quotient =
        is_negative ? order.add(in_wide(operation::sub), sign, high) : order.add(in_wide(operation::add), high, sign);
  } else {
    const unsigned shift = w + log;
    // These two lines round 2^shift / d up without 2^shift, which may be 2^64.
    const std::uint64_t below = shift == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << shift) - 1;
    const std::uint64_t m = below / d + 1; // rounded up
    const order_operand extended = order.add(of(operation::zero_extend, wide_bits, narrow_bits), x);
    if (m <= low_ones(w)) {
      const order_operand product = order.add(in_wide(operation::mul), extended, order_operand::number(wide, m));
      quotient = order.add(in_wide(operation::shr), product, amount(shift));
    } else { // m = 2^w + rest, so x · m / 2^w = x + x · rest / 2^w
      const order_operand product =
          order.add(in_wide(operation::mul), extended, order_operand::number(wide, m & low_ones(w)));
      const order_operand high = order.add(in_wide(operation::shr), product, amount(w));
      const order_operand sum = order.add(in_wide(operation::add), high, extended);
      quotient = order.add(in_wide(operation::shr), sum, amount(log));
    }
  }
  quotient = order.add(of(operation::truncate, narrow_bits, wide_bits), quotient);
  if (is_remainder) {
    const order_operand product =
        order.add(of(operation::mul, narrow_bits, narrow_bits), quotient, order_operand::number(w, divisor));
    order.add(of(operation::sub, narrow_bits, narrow_bits), x, product);
  }
  return order;
}

MIDEND_END_NAMESPACE
