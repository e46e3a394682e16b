/// The vocabulary of operations: the result of `operation(v)` of the semantics rung. Lattices have transfer functions
/// for it.
#pragma once

#include "midend/config.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What an operation computes. Numbers have `width` bits and are neither signed nor unsigned: where the difference
/// matters, there are two operations. They are stored in 64 bits, with zeros above `width`.
///
/// An operand may have another width than the operation reads (`read_width`): the low bits of a wider one are read; a
/// narrower one has zeros above. The amount of a shift and the condition of a `select` are read whole. The result is
/// always a number of `width` bits.
///
/// *Partial* operations have no result for some operands; see `evaluate`. The page `docs/ir-concepts.md` has a table.
enum class operation : std::uint8_t {
  other,          ///< anything else: only `fold` knows the result
  add,            ///< a + b
  sub,            ///< a - b
  mul,            ///< a · b
  div,            ///< a / b, signed, rounded towards 0; partial
  udiv,           ///< a / b, unsigned; partial
  rem,            ///< a - div(a, b) · b; partial
  urem,           ///< a mod b, unsigned; partial
  neg,            ///< 0 - a
  bit_and,        ///< a & b
  bit_or,         ///< a | b
  bit_xor,        ///< a ^ b
  bit_not,        ///< ~a
  shl,            ///< a · 2^b; partial; here and in the next three, b is an unsigned number of any width
  shr,            ///< a / 2^b, unsigned, rounded down; partial
  sar,            ///< a / 2^b, signed, rounded down; partial
  shladd,         ///< a · 2^b + c; partial
  min,            ///< signed
  max,            ///< signed
  umin,           ///< unsigned
  umax,           ///< unsigned
  equal,          ///< a == b; here and in the next nine, `operand_width` is that of a and b; the result is 1 or 0
  not_equal,      ///< a != b
  less,           ///< a < b, signed
  less_equal,     ///< a ≤ b, signed
  greater,        ///< a > b, signed
  greater_equal,  ///< a ≥ b, signed
  uless,          ///< a < b, unsigned
  uless_equal,    ///< a ≤ b, unsigned
  ugreater,       ///< a > b, unsigned
  ugreater_equal, ///< a ≥ b, unsigned
  truncate,       ///< the low `width` bits of a, which has `operand_width`
  zero_extend,    ///< a, which has `operand_width`, with zeros above
  sign_extend,    ///< a, which has `operand_width`, with copies of its highest bit
  copy,           ///< a
  select,         ///< b if a is not 0, else c; a has any width
  shl_modulo,     ///< `shl` by b mod `operand_width`, 0 if that is the width or more; here and in the next two, b is an
                  ///< unsigned number of any width, and `operand_width` is 1 … 64, usually the width
  shr_modulo,     ///< `shr` by b mod `operand_width`, 0 if that is the width or more
  sar_modulo      ///< `sar` by b mod `operand_width`; by the width or more, all bits are the sign
};

/// The last operation of the vocabulary.
inline constexpr operation last_operation = operation::sar_modulo;

/// What the program guarantees about an operation; if the guarantee is broken, the operation has no result. For
/// `shladd` it applies to the shift and to the addition separately.
struct operation_flags {
  bool no_signed_wrap = false;   ///< for add, sub, mul, neg, shl and shladd: the exact result fits as a signed number
  bool no_unsigned_wrap = false; ///< for the operations above: the exact result fits as an unsigned number

  friend constexpr bool operator==(operation_flags, operation_flags) = default;
};

/// An operation with the widths it works on.
struct operation_info {
  operation code = operation::other;
  std::uint8_t width = 64;         ///< of the result, 1 … 64
  std::uint8_t operand_width = 64; ///< for comparisons and conversions, the width of the operands; for shifts modulo a
                                   ///< number, the number, 1 … 64; others ignore it
  operation_flags flags = {};

  friend constexpr bool operator==(const operation_info&, const operation_info&) = default;
};

/// The number of operands; 0 for `other`.
constexpr unsigned arity(operation code) {
  switch (code) {
  case operation::other:
    return 0;
  case operation::neg:
  case operation::bit_not:
  case operation::truncate:
  case operation::zero_extend:
  case operation::sign_extend:
  case operation::copy:
    return 1;
  case operation::shladd:
  case operation::select:
    return 3;
  default:
    return 2;
  }
}

/// Whether flags can be promises about it, since its exact result need not fit.
constexpr bool can_wrap(operation code) {
  return (code >= operation::add && code <= operation::mul) || code == operation::neg || code == operation::shl ||
         code == operation::shladd;
}

/// Whether the operation divides.
constexpr bool is_division(operation code) {
  return code >= operation::div && code <= operation::urem;
}

/// Whether the operation has no result for some second operands: it divides, or shifts by an amount that must be less
/// than the width.
constexpr bool is_partial(operation code) {
  return is_division(code) || (code >= operation::shl && code <= operation::shladd);
}

/// Whether a partial operation has a result for every first operand if its second operand is the number `second`.
constexpr bool is_total_with(const operation_info& info, std::uint64_t second) {
  if (!is_division(info.code)) {
    return second < info.width;
  }
  const bool is_signed = info.code == operation::div || info.code == operation::rem;
  return second != 0 && !(is_signed && second == ~std::uint64_t{0} >> (64 - info.width));
}

/// Whether the operation compares two numbers.
constexpr bool is_comparison(operation code) {
  return code >= operation::equal && code <= operation::ugreater_equal;
}

/// Whether the operation shifts by an amount modulo `operand_width`, so that it has a result for every amount.
constexpr bool is_modulo_shift(operation code) {
  return code >= operation::shl_modulo && code <= operation::sar_modulo;
}

/// The equivalent plain shift for amounts less than the width and `operand_width`.
constexpr operation plain_shift(operation modulo_shift) {
  switch (modulo_shift) {
  case operation::shl_modulo:
    return operation::shl;
  case operation::shr_modulo:
    return operation::shr;
  case operation::sar_modulo:
    return operation::sar;
  default:
    return modulo_shift;
  }
}

/// The unsigned comparison; it agrees with `comparison` on numbers that are not negative.
constexpr operation unsigned_comparison(operation comparison) {
  switch (comparison) {
  case operation::less:
    return operation::uless;
  case operation::less_equal:
    return operation::uless_equal;
  case operation::greater:
    return operation::ugreater;
  case operation::greater_equal:
    return operation::ugreater_equal;
  default:
    return comparison;
  }
}

/// Whether the operation reads all bits of operand `i`: the amount of a shift, the condition of a `select`.
constexpr bool reads_whole(operation code, unsigned i) {
  const bool shifts = (code >= operation::shl && code <= operation::shladd) || is_modulo_shift(code);
  return (shifts && i == 1) || (code == operation::select && i == 0);
}

/// How many low bits the operation reads of its other operands.
constexpr unsigned read_width(const operation_info& info) {
  const bool compares_or_converts = info.code >= operation::equal && info.code <= operation::sign_extend;
  return compares_or_converts ? info.operand_width : info.width;
}

/// Whether the operands can be exchanged.
constexpr bool is_commutative(operation code) {
  switch (code) {
  case operation::add:
  case operation::mul:
  case operation::bit_and:
  case operation::bit_or:
  case operation::bit_xor:
  case operation::min:
  case operation::max:
  case operation::umin:
  case operation::umax:
  case operation::equal:
  case operation::not_equal:
    return true;
  default:
    return false;
  }
}

/// Whether chains of these operations can be grouped in any order. Arithmetic is modulo 2^width, so this does not
/// depend on promises. To regroup operations, drop their promises, because partial results change.
constexpr bool is_associative(operation code) {
  return is_commutative(code) && code != operation::equal && code != operation::not_equal;
}

/// The effect of an operation on a bit, which is 0 or 1.
enum class bit_change : std::uint8_t {
  other, ///< none of these
  none,
  flipped
};

/// The effect of an operation of a bit alone, or of a bit and `number`, which is 0 or 1; 2 if there is no number. A
/// truncation keeps a bit.
constexpr bit_change bit_change_of(const operation_info& info, unsigned number = 2) {
  const auto flipped_if = [](bool flips) { return flips ? bit_change::flipped : bit_change::none; };
  switch (info.code) {
  case operation::copy:
  case operation::zero_extend:
  case operation::truncate:
    return bit_change::none;
  case operation::bit_not:
    return info.width == 1 ? bit_change::flipped : bit_change::other;
  case operation::bit_xor:
    return number < 2 ? flipped_if(number == 1) : bit_change::other;
  case operation::equal:
  case operation::not_equal:
    return number < 2 ? flipped_if((info.code == operation::equal) == (number == 0)) : bit_change::other;
  default:
    return bit_change::other;
  }
}

/// The comparison that holds if and only if `code` does not.
constexpr operation negated(operation code) {
  switch (code) {
  case operation::equal:
    return operation::not_equal;
  case operation::not_equal:
    return operation::equal;
  case operation::less:
    return operation::greater_equal;
  case operation::less_equal:
    return operation::greater;
  case operation::greater:
    return operation::less_equal;
  case operation::greater_equal:
    return operation::less;
  case operation::uless:
    return operation::ugreater_equal;
  case operation::uless_equal:
    return operation::ugreater;
  case operation::ugreater:
    return operation::uless_equal;
  case operation::ugreater_equal:
    return operation::uless;
  default:
    return operation::other;
  }
}

/// The equivalent comparison with exchanged operands.
constexpr operation mirrored(operation code) {
  switch (code) {
  case operation::less:
    return operation::greater;
  case operation::less_equal:
    return operation::greater_equal;
  case operation::greater:
    return operation::less;
  case operation::greater_equal:
    return operation::less_equal;
  case operation::uless:
    return operation::ugreater;
  case operation::uless_equal:
    return operation::ugreater_equal;
  case operation::ugreater:
    return operation::uless;
  case operation::ugreater_equal:
    return operation::uless_equal;
  default:
    return code;
  }
}

MIDEND_END_NAMESPACE
