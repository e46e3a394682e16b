/// `known_bits`: which bits of a number are known, and what they are.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Each bit of a number of 1 to 64 bits is known to be 0, known to be 1, or unknown: {0, 1, ?}^width, where ? is above
/// 0 and 1, over a bottom. The domain is that of compilers since "bitwise constant propagation"; Regehr, Duongsaa,
/// "Deriving abstract transfer functions for analyzing embedded software", LCTES 2006. Height width + 1, not
/// distributive. Bits above the width are known to be 0.
struct known_bits {
  /// Bottom has all 64 bits in both masks, so `join` and `leq` need no special case. No other element has a bit in
  /// both.
  struct element {
    std::uint64_t zeros; ///< bits known to be 0
    std::uint64_t ones;  ///< bits known to be 1

    constexpr bool is_bottom() const { return (zeros & ones) != 0; }

    constexpr bool is_constant() const { return (zeros ^ ones) == ~std::uint64_t{0}; }

    constexpr bool contains(std::uint64_t value) const { return (value & zeros) == 0 && (~value & ones) == 0; }

    friend constexpr bool operator==(const element&, const element&) = default;
  };

  constexpr explicit known_bits(unsigned width = 64) : width_(width) {
    MIDEND_ASSERT(1 <= width && width <= 64, "a width of 1 to 64 bits", width);
  }

  constexpr unsigned width() const { return width_; }

  /// Nothing is known about a number of `width` bits.
  static constexpr element full(unsigned width) { return {~(~std::uint64_t{0} >> (64 - width)), 0}; }

  constexpr element bottom() const { return {~std::uint64_t{0}, ~std::uint64_t{0}}; }

  constexpr element top() const { return full(width_); }

  constexpr element constant(std::uint64_t value) const { return {~value, value}; }

  constexpr bool join(element& a, const element& b) const {
    const element old = a;
    a = {a.zeros & b.zeros, a.ones & b.ones};
    return !(a == old);
  }

  constexpr bool meet(element& a, const element& b) const {
    const element old = a;
    a = {a.zeros | b.zeros, a.ones | b.ones};
    if (a.is_bottom()) {
      a = bottom();
    }
    return !(a == old);
  }

  constexpr bool leq(const element& a, const element& b) const {
    return (b.zeros & ~a.zeros) == 0 && (b.ones & ~a.ones) == 0;
  }

  /// `1??0`, highest bit first.
  constexpr void print(text_buffer& out, const element& a) const {
    if (a.is_bottom()) {
      return append_text(out, "bottom");
    }
    for (unsigned bit = width_; bit-- != 0;) {
      out.push_back((a.ones >> bit & 1) != 0 ? '1' : (a.zeros >> bit & 1) != 0 ? '0' : '?');
    }
  }

private:
  unsigned width_;
};

MIDEND_END_NAMESPACE
