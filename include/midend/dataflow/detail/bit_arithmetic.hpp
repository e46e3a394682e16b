/// What arithmetic makes of known bits.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattices/known_bits.hpp"
#include "midend/ir/evaluate.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Known bits of numbers of one width. None of the arguments may be bottom.
class bit_arithmetic {
public:
  using bits = known_bits::element;

  constexpr explicit bit_arithmetic(unsigned width) : width_(width), mask_(low_ones(width)) {}

  constexpr bits all() const { return known_bits::full(width_); }

  static constexpr bits exactly(std::uint64_t value) { return {~value, value}; }

  /// The greatest number allowed.
  static constexpr std::uint64_t greatest(const bits& a) { return ~a.zeros; }

  static constexpr std::uint64_t least(const bits& a) { return a.ones; }

  /// A bit of a sum is known where those of both operands and the carry into it are. The carry is known where the
  /// carries of the least and of the greatest operands agree, since it is monotone in them.
  constexpr bits add(const bits& a, const bits& b, bool carry = false) const {
    const std::uint64_t carried = carry ? 1 : 0;
    const std::uint64_t low = least(a) + least(b) + carried;
    const std::uint64_t high = greatest(a) + greatest(b) + carried;
    const std::uint64_t low_carries = low ^ least(a) ^ least(b);
    const std::uint64_t high_carries = high ^ greatest(a) ^ greatest(b);
    const std::uint64_t known = (a.zeros | a.ones) & (b.zeros | b.ones) & ~(low_carries ^ high_carries);
    return within(~low & known, low & known);
  }

  constexpr bits sub(const bits& a, const bits& b) const { return add(a, bit_not(b), true); }

  constexpr bits bit_not(const bits& a) const { return within(a.ones, a.zeros); }

  /// Row by row, as on paper, keeping what is known to be 1 apart from what is not known: the sum of the former is a
  /// number, and a row of unknown bits is one that may be there or not. Vishwanathan, Shachnai, Narayana,
  /// Nagarakatte, "Sound, precise, and fast abstract interpretation with tristate numbers", CGO 2022.
  constexpr bits mul(const bits& a, const bits& b) const {
    bits doubts = exactly(0);
    const std::uint64_t unknown_b = ~(b.zeros | b.ones);
    for (std::uint64_t rest = greatest(a); rest != 0; rest &= rest - 1) {
      const auto row = static_cast<unsigned>(std::countr_zero(rest));
      const bool is_there = (a.ones >> row & 1) != 0;
      const std::uint64_t unknown = (is_there ? unknown_b : greatest(b)) << row & mask_;
      doubts = add(doubts, {~unknown, 0});
    }
    return add(exactly(a.ones * b.ones & mask_), doubts);
  }

  /// By one amount, less than the width.
  constexpr bits shl(const bits& a, unsigned amount) const {
    return within(a.zeros << amount | low_zeros(amount), a.ones << amount);
  }

  static constexpr bits shr(const bits& a, unsigned amount) {
    return {a.zeros >> amount | ~(~std::uint64_t{0} >> amount), a.ones >> amount};
  }

  constexpr bits sar(const bits& a, unsigned amount) const {
    const auto signed_shift = [&](std::uint64_t x) {
      return static_cast<std::uint64_t>(as_signed(x, width_) >> amount);
    };
    return within(signed_shift(a.zeros), signed_shift(a.ones));
  }

  constexpr bits truncate(const bits& a) const { return within(a.zeros, a.ones); }

  /// From `from` bits.
  constexpr bits sign_extend(const bits& a, unsigned from) const {
    return within(static_cast<std::uint64_t>(as_signed(a.zeros, from)),
                  static_cast<std::uint64_t>(as_signed(a.ones, from)));
  }

  /// Zeros above the width.
  constexpr bits within(std::uint64_t zeros, std::uint64_t ones) const { return {zeros | ~mask_, ones & mask_}; }

private:
  static constexpr std::uint64_t low_zeros(unsigned count) { return (std::uint64_t{1} << count) - 1; }

  unsigned width_;
  std::uint64_t mask_;
};

} // namespace detail

MIDEND_END_NAMESPACE
