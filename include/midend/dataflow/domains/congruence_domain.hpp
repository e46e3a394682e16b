/// `congruence_domain`: the remainders of numbers, and the effect of operations on them.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/shift_modulo.hpp"
#include "midend/dataflow/lattices/congruence.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The congruence of each number, read as an unsigned one: r modulo m. P. Granger, "Static analysis of arithmetical
/// congruences", International Journal of Computer Mathematics 30, 1989.
///
/// Operations that may wrap around 2^width keep the power of 2 in the modulus and lose the rest. Used alone, this
/// domain relies on promises not to wrap; `strided_interval_domain`, which knows bounds, proves most of them.
/// Operations on signed numbers keep what does not depend on the sign. Height 65: no widening.
///
/// A congruence does not show of how many bits the number is, so facts about values of another width than an operation
/// reads must be converted, see `value_domain.hpp`.
struct congruence_domain {
  using element = unsigned_congruence::element;
  using constant_type = std::uint64_t;

  constexpr element bottom() const { return unsigned_congruence().bottom(); }

  constexpr element top(unsigned) const { return unsigned_congruence::full(); }

  constexpr element constant(unsigned, std::uint64_t c) const { return {0, c}; }

  constexpr std::optional<std::uint64_t> as_constant(const element& a) const {
    return a.is_constant() ? std::optional(a.residue) : std::nullopt;
  }

  constexpr bool contains(unsigned, const element& a, std::uint64_t c) const { return a.contains(c); }

  constexpr std::uint64_t size(unsigned width, const element& a) const {
    if (a.is_bottom() || a.is_constant()) {
      return a.is_bottom() ? 0 : 1;
    }
    const std::uint64_t steps = (low_ones(width) - a.residue) / a.modulus;
    return steps == ~std::uint64_t{0} ? steps : steps + 1;
  }

  constexpr bool join(element& a, const element& b) const { return unsigned_congruence().join(a, b); }

  constexpr bool leq(const element& a, const element& b) const { return unsigned_congruence().leq(a, b); }

  constexpr element transfer(const operation_info& info, span<const element> args) const {
    if (info.code == operation::select) {
      return select(args);
    }
    for (const element& a : args) {
      if (a.is_bottom()) {
        return bottom();
      }
    }
    const optional<element> result = folded(*this, info, args);
    return result                       ? *result
           : is_modulo_shift(info.code) ? detail::shift_modulo(*this, info, args[0], args[1])
                                        : step(info, args);
  }

  /// Lets equal numbers learn from each other.
  constexpr void assume(operation code, unsigned width, element& a, element& b) const {
    const bool differ = code == operation::not_equal && a.is_constant() && a == b;
    if (code == operation::equal) {
      unsigned_congruence(width).meet(a, b);
      b = a;
    } else if (differ || a.is_bottom() || b.is_bottom()) {
      a = b = bottom();
    }
  }

  /// `3 mod 8`
  constexpr void print(text_buffer& out, const element& a) const { unsigned_congruence().print(out, a); }

private:
  constexpr element select(span<const element> args) const {
    if (args[0].is_bottom()) {
      return bottom();
    }
    if (!args[0].contains(0) || args[0].is_constant()) {
      return args[args[0].residue != 0 ? 1 : 2];
    }
    element either = args[1];
    join(either, args[2]);
    return either;
  }

  /// The result for arguments that are not all constants.
  constexpr element step(const operation_info& info, span<const element> args) const {
    const element& a = args[0];
    const bool no_wrap = info.flags.no_unsigned_wrap;
    switch (info.code) {
    case operation::add:
      return add(info.width, a, args[1], no_wrap);
    case operation::sub:
      return sub(info.width, a, args[1], no_wrap);
    case operation::neg:
      return sub(info.width, {0, 0}, a, no_wrap);
    case operation::mul:
      return mul(info.width, a, args[1], no_wrap);
    case operation::shl:
      return shift(info, a, args[1]);
    case operation::shladd: {
      const element shifted = shift(info, a, args[1]);
      return shifted.is_bottom() ? shifted : add(info.width, shifted, args[2], no_wrap);
    }
    case operation::shr:
    case operation::sar:
      return shift(info, a, args[1]);
    case operation::udiv:
      return args[1].is_constant() ? quotient(info.width, a, args[1].residue) : full();
    case operation::urem:
      return remainder(info.width, a, args[1]);
    case operation::rem: // modulo a power of 2, signed and unsigned numbers agree
      return remainder(info.width, {power_of_2(a, info.width), low_part(a, info.width)}, args[1]);
    case operation::bit_and:
    case operation::bit_or:
    case operation::bit_xor:
      return bitwise(info, a, args[1]);
    case operation::bit_not: // 2^width - 1 - a
      return sub(info.width, {0, low_ones(info.width)}, a, true);
    case operation::min:
    case operation::max:
    case operation::umin:
    case operation::umax: {
      element either = a;
      join(either, args[1]);
      return either;
    }
    case operation::truncate:
    case operation::zero_extend:
      return info.width < info.operand_width ? wrapped(info.width, a) : a;
    case operation::sign_extend:
      if (info.width < info.operand_width) {
        return wrapped(info.width, a);
      }
      return unsigned_congruence(info.width).of(power_of_2(a, info.operand_width), low_part(a, info.operand_width));
    case operation::copy:
      return a;
    default:
      return is_comparison(info.code) ? comparison(info, a, args[1]) : full();
    }
  }

  static constexpr element full() { return unsigned_congruence::full(); }

  /// The facts of `a` that hold modulo 2^width.
  static constexpr element wrapped(unsigned width, const element& a) { return unsigned_congruence(width).wrapped(a); }

  /// The greatest power of 2, up to 2^(width - 1), modulo which the low bits of `a` are known.
  static constexpr std::uint64_t power_of_2(const element& a, unsigned width) {
    const std::uint64_t most = std::uint64_t{1} << (width - 1);
    const std::uint64_t power = a.modulus & (0 - a.modulus);
    return power == 0 || power > most ? most : power;
  }

  static constexpr std::uint64_t low_part(const element& a, unsigned width) {
    return a.residue & (power_of_2(a, width) - 1);
  }

  /// The numbers of the width that are `residue` modulo `modulus`, or modulo the power of 2 in that if sums may wrap.
  static constexpr element made(unsigned width, std::uint64_t modulus, std::uint64_t residue, bool no_wrap) {
    const unsigned_congruence l(width);
    return no_wrap ? l.of(modulus, residue) : l.wrapped({modulus, residue});
  }

  static constexpr std::uint64_t residue_of(const element& a, std::uint64_t m) {
    return m == 0 ? a.residue : a.residue % m;
  }

  static constexpr element add(unsigned width, const element& a, const element& b, bool no_wrap) {
    const std::uint64_t m = greatest_common_divisor(a.modulus, b.modulus);
    if (m == 0) {
      return constant_sum(width, a.residue, b.residue, no_wrap);
    }
    return made(width, m, detail::add_modulo(residue_of(a, m), residue_of(b, m), m), no_wrap);
  }

  /// The sum of two constants (not both are operands of the operation).
  static constexpr element constant_sum(unsigned width, std::uint64_t a, std::uint64_t b, bool no_wrap) {
    const std::uint64_t sum = a + b;
    const bool wraps = sum < a || sum > low_ones(width);
    return wraps && no_wrap ? unsigned_congruence().bottom() : element{0, sum & low_ones(width)};
  }

  static constexpr element sub(unsigned width, const element& a, const element& b, bool no_wrap) {
    const std::uint64_t m = greatest_common_divisor(a.modulus, b.modulus); // not 0: one is not a constant
    const std::uint64_t minus = residue_of(b, m);
    return made(width, m, detail::add_modulo(residue_of(a, m), minus == 0 ? 0 : m - minus, m), no_wrap);
  }

  /// Let g and h be the greatest common divisors of modulus m and residue r of `a`, and n and s of `b`. Then (r + k·m)
  /// · (s + l·n) is r·s modulo r·n, s·m and m·n, whose greatest common divisor is g · h · gcd(m / g, n / h).
  static constexpr element mul(unsigned width, const element& a, const element& b, bool no_wrap) {
    const std::uint64_t g = greatest_common_divisor(a.modulus, a.residue);
    const std::uint64_t h = greatest_common_divisor(b.modulus, b.residue);
    if (g == 0 || h == 0) { // 0
      return {0, 0};
    }
    const std::uint64_t common = greatest_common_divisor(a.modulus / g, b.modulus / h);
    const detail::wide_product divisors = detail::multiply_unsigned(g, h);
    const detail::wide_product modulus = detail::multiply_unsigned(divisors.low, common);
    const detail::wide_product residue = detail::multiply_unsigned(a.residue, b.residue);
    const bool fits = divisors.high == 0 && modulus.high == 0;
    if (no_wrap && !fits) { // at most one number, and r·s is the least
      const bool has_product = residue.high == 0 && residue.low <= low_ones(width);
      return has_product ? element{0, residue.low} : unsigned_congruence().bottom();
    }
    if (no_wrap) {
      const std::uint64_t m = modulus.low;
      return made(width, m, detail::multiply_modulo(a.residue % m, b.residue % m, m), true);
    }
    return wrapped(width, {modulus.low, residue.low}); // its power of 2, up to 2^64, is that of the low half
  }

  /// Joins the results of all possible amounts.
  static constexpr element shift(const operation_info& info, const element& a, const element& amounts) {
    element out = unsigned_congruence().bottom();
    for (unsigned amount = 0; amount != info.width; ++amount) {
      if (amounts.contains(amount)) {
        unsigned_congruence().join(out, shift_by(info, a, amount));
      }
    }
    return out;
  }

  static constexpr element shift_by(const operation_info& info, const element& a, unsigned amount) {
    const std::uint64_t power = std::uint64_t{1} << amount;
    if (a.is_constant()) {
      const std::uint64_t numbers[] = {a.residue, amount, 0};
      operation_info one = info;
      one.code = info.code == operation::shladd ? operation::shl : info.code;
      one.flags.no_signed_wrap = false;
      const evaluation result = evaluate(one, span(numbers).first(2));
      return result ? element{0, result.bits} : unsigned_congruence().bottom();
    }
    if (info.code == operation::shr) {
      return quotient(info.width, a, power);
    }
    if (info.code == operation::sar) { // only the low bits of the result do not depend on the sign
      const std::uint64_t known = power_of_2(a, info.width);
      return amount == 0      ? a
             : known <= power ? full()
                              : unsigned_congruence(info.width).of(known / power, low_part(a, info.width) / power);
    }
    return mul(info.width, a, {0, power}, info.flags.no_unsigned_wrap);
  }

  /// The quotient by d of a number that is r modulo m: ⌊r / d⌋ modulo m / d if d divides m.
  static constexpr element quotient(unsigned width, const element& a, std::uint64_t d) {
    if (d == 0) {
      return unsigned_congruence().bottom();
    }
    return a.modulus % d != 0 ? full() : unsigned_congruence(width).of(a.modulus / d, a.residue / d);
  }

  /// A number less a multiple of the divisor. Modulo a constant that divides the modulus, one number.
  static constexpr element remainder(unsigned width, const element& a, const element& b) {
    if (b.is_constant() && b.residue == 0) {
      return unsigned_congruence().bottom();
    }
    const std::uint64_t divisor = greatest_common_divisor(b.modulus, b.residue);
    const std::uint64_t m = greatest_common_divisor(a.modulus, divisor);
    return unsigned_congruence(width).of(m, residue_of(a, m));
  }

  /// The low bits of the result, up to the first that is not known.
  static constexpr element bitwise(const operation_info& info, const element& a, const element& b) {
    const std::uint64_t known_a = known_bits_of(a);
    const std::uint64_t known_b = known_bits_of(b);
    const std::uint64_t both = known_a & known_b;
    std::uint64_t known = both;
    std::uint64_t bits = a.residue ^ b.residue;
    if (info.code == operation::bit_and) {
      known = both | (known_a & ~a.residue) | (known_b & ~b.residue);
      bits = a.residue & b.residue;
    } else if (info.code == operation::bit_or) {
      known = both | (known_a & a.residue) | (known_b & b.residue);
      bits = (known_a & a.residue) | (known_b & b.residue);
    }
    const int count = std::countr_one(known);
    if (count >= static_cast<int>(info.width)) {
      return {0, bits & low_ones(info.width)};
    }
    const std::uint64_t power = std::uint64_t{1} << count;
    return unsigned_congruence(info.width).of(power, bits & (power - 1));
  }

  /// The low bits in which all numbers agree.
  static constexpr std::uint64_t known_bits_of(const element& a) {
    return a.is_constant() ? ~std::uint64_t{0} : (a.modulus & (0 - a.modulus)) - 1;
  }

  /// Equality is decided by remainders; orders stay open.
  static constexpr element comparison(const operation_info& info, const element& a, const element& b) {
    if (info.code == operation::equal || info.code == operation::not_equal) {
      element both = a;
      unsigned_congruence(info.operand_width).meet(both, b);
      return both.is_bottom() ? element{0, info.code == operation::equal ? 0U : 1U} : full();
    }
    return full();
  }
};

MIDEND_END_NAMESPACE
