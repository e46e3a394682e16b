/// `sign`: which signs a number may have.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The signs that a number may have, as a set: one bit for each of negative, zero, positive.
enum class signs : std::uint8_t {
  none = 0,
  negative = 1,
  zero = 2,
  not_positive = 3,
  positive = 4,
  not_zero = 5,
  not_negative = 6,
  any = 7,
};

constexpr signs operator|(signs a, signs b) {
  return static_cast<signs>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

constexpr signs operator&(signs a, signs b) {
  return static_cast<signs>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

/// Sets of signs by inclusion: eight elements, of height 3, distributive.
struct sign {
  using element = signs;

  constexpr element bottom() const { return signs::none; }

  constexpr element top() const { return signs::any; }

  /// The element for one number.
  constexpr element constant(std::int64_t value) const {
    return value < 0 ? signs::negative : value == 0 ? signs::zero : signs::positive;
  }

  constexpr bool join(element& a, element b) const {
    const element old = a;
    a = a | b;
    return a != old;
  }

  constexpr bool meet(element& a, element b) const {
    const element old = a;
    a = a & b;
    return a != old;
  }

  constexpr bool leq(element a, element b) const { return (a & b) == a; }

  constexpr void print(text_buffer& out, element a) const {
    constexpr const char* names[] = {"bottom", "< 0", "0", "<= 0", "> 0", "!= 0", ">= 0", "top"};
    append_text(out, names[static_cast<unsigned>(a)]);
  }
};

MIDEND_END_NAMESPACE
