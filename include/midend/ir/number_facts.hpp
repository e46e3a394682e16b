/// `number_facts`: facts about a number, as plain data for analyses and rules.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/support/fraction.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Bounds, signed and unsigned, and the remainder of a number of 1 to 64 bits, which has zeros above its width. All
/// three hold. Analyses write them; rules of algebra and packages read them.
///
/// `any(width)` says nothing about a number. Facts say nothing about a value whose promises are broken.
struct number_facts {
  std::int64_t low = std::int64_t{-0x7fff'ffff'ffff'ffff} - 1; ///< read as a signed number
  std::int64_t high = 0x7fff'ffff'ffff'ffff;
  std::uint64_t least = 0; ///< read as an unsigned number
  std::uint64_t most = ~std::uint64_t{0};
  std::uint64_t modulus = 1; ///< the unsigned number is `residue` modulo this; 0: the number is `residue`
  std::uint64_t residue = 0; ///< less than the modulus, if that is not 0

  /// No facts.
  static constexpr number_facts any(unsigned width) {
    return {as_signed(std::uint64_t{1} << (width - 1), width),
            static_cast<std::int64_t>(low_ones(width) >> 1),
            0,
            low_ones(width),
            1,
            0};
  }

  /// The number is `bits`.
  static constexpr number_facts exactly(unsigned width, std::uint64_t bits) {
    const std::uint64_t c = bits & low_ones(width);
    return {as_signed(c, width), as_signed(c, width), c, c, 0, c};
  }

  constexpr std::optional<std::uint64_t> constant() const {
    return least == most ? std::optional(least) : std::nullopt;
  }

  constexpr bool contains(unsigned width, std::uint64_t bits) const {
    const std::int64_t s = as_signed(bits, width);
    return low <= s && s <= high && least <= bits && bits <= most &&
           (modulus == 0 ? bits == residue : bits % modulus == residue);
  }

  /// Whether it is at least 0, read as a signed number.
  constexpr bool is_natural() const { return low >= 0; }

  /// The remainder of the unsigned number modulo `m`, if it is known. Requires m ≠ 0.
  constexpr std::optional<std::uint64_t> remainder(std::uint64_t m) const {
    return modulus == 0 || modulus % m == 0 ? std::optional(residue % m) : std::nullopt;
  }

  /// How many low bits are known; they are those of `residue`.
  constexpr unsigned known_low_bits() const {
    return modulus == 0 ? 64 : static_cast<unsigned>(std::countr_zero(modulus));
  }

  /// 0 in bits that are 1 in no number with these facts.
  constexpr std::uint64_t possible_bits() const {
    const std::uint64_t below = ones_below(static_cast<unsigned>(std::bit_width(most)));
    return below & ~(known_bits() & ~residue_bits());
  }

  /// The bits that are 1 in each number with these facts.
  constexpr std::uint64_t certain_bits() const { return known_bits() & residue_bits(); }

  /// Whether the addition of `by`, both read with sign, does not wrap.
  constexpr bool signed_sum_fits(std::uint64_t by, unsigned width) const {
    const std::int64_t end = as_signed(by, width) < 0 ? low : high;
    return !detail::wrapping_add(static_cast<std::uint64_t>(end), by, width).signed_wrap;
  }

  /// Whether the unsigned number plus `by`, read with sign, is an unsigned number.
  constexpr bool unsigned_sum_fits(std::uint64_t by, unsigned width) const {
    const auto wide = static_cast<std::uint64_t>(as_signed(by, width));
    return as_signed(by, width) < 0 ? least >= 0 - wide : low_ones(width) - most >= wide;
  }

  friend constexpr bool operator==(const number_facts&, const number_facts&) = default;

private:
  /// The known bits: those above the highest bit in which the bounds differ, and the low ones of the residue.
  constexpr std::uint64_t known_bits() const { return common_prefix() | known_suffix(); }

  constexpr std::uint64_t residue_bits() const { return (least & common_prefix()) | (residue & known_suffix()); }

  constexpr std::uint64_t common_prefix() const {
    const std::uint64_t differ = least ^ most;
    return ~ones_below(static_cast<unsigned>(std::bit_width(differ)));
  }

  constexpr std::uint64_t known_suffix() const { return ones_below(known_low_bits()); }
};

/// Facts that hold for all numbers of both.
constexpr number_facts facts_of_either(const number_facts& a, const number_facts& b) {
  number_facts out;
  out.low = a.low < b.low ? a.low : b.low;
  out.high = a.high > b.high ? a.high : b.high;
  out.least = a.least < b.least ? a.least : b.least;
  out.most = a.most > b.most ? a.most : b.most;
  const std::uint64_t apart = a.residue > b.residue ? a.residue - b.residue : b.residue - a.residue;
  out.modulus = greatest_common_divisor(greatest_common_divisor(a.modulus, b.modulus), apart);
  out.residue = out.modulus == 0 ? a.residue : a.residue % out.modulus;
  return out;
}

/// Facts about numbers of which both hold. Of the two congruences, the one with the larger modulus. If the bounds
/// exclude each other, which happens only in code that never runs, `a`.
constexpr number_facts facts_of_both(const number_facts& a, const number_facts& b) {
  number_facts out = a;
  out.low = a.low > b.low ? a.low : b.low;
  out.high = a.high < b.high ? a.high : b.high;
  out.least = a.least > b.least ? a.least : b.least;
  out.most = a.most < b.most ? a.most : b.most;
  if (a.modulus != 0 && (b.modulus == 0 || b.modulus > a.modulus)) {
    out.modulus = b.modulus;
    out.residue = b.residue;
  }
  return out.low > out.high || out.least > out.most ? a : out;
}

MIDEND_END_NAMESPACE
