/// `congruence`: the remainder that a number leaves when it is divided by a modulus.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/text.hpp"
#include "midend/support/fraction.hpp"

#include <concepts>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `a` mod `m`, at least 0 and less than `m`. Requires `m` ≠ 0.
template <class T> constexpr std::uint64_t remainder_of(T a, std::uint64_t m) {
  if (a >= T{0}) {
    return static_cast<std::uint64_t>(a) % m;
  }
  const std::uint64_t rest = (0 - static_cast<std::uint64_t>(a)) % m;
  return rest == 0 ? 0 : m - rest;
}

/// `a` + `b` modulo `m`. Requires `a` < `m` and `b` < `m`.
constexpr std::uint64_t add_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  return a >= m - b ? a - (m - b) : a + b;
}

/// `a` · `b` modulo `m`, by doubling. Requires `a` < `m` and `b` < `m`.
constexpr std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  std::uint64_t product = 0;
  for (; b != 0; b >>= 1) {
    product = (b & 1) != 0 ? add_modulo(product, a, m) : product;
    a = add_modulo(a, a, m);
  }
  return product;
}

/// The number x < `m` with `a` · x ≡ 1 modulo `m`, by Euclid's algorithm. Requires `m` > 1 and no common divisor.
constexpr std::uint64_t inverse_modulo(std::uint64_t a, std::uint64_t m) {
  std::uint64_t rest = m;
  std::uint64_t next_rest = a % m;
  std::uint64_t factor = 0; // modulo m: a · factor ≡ rest, a · next_factor ≡ next_rest
  std::uint64_t next_factor = 1;
  while (next_rest != 0) {
    const std::uint64_t quotient = rest / next_rest;
    const std::uint64_t subtracted = multiply_modulo(quotient % m, next_factor, m);
    const std::uint64_t last_factor = factor;
    factor = next_factor;
    next_factor = add_modulo(last_factor, subtracted == 0 ? 0 : m - subtracted, m);
    const std::uint64_t last_rest = rest;
    rest = next_rest;
    next_rest = last_rest % rest;
  }
  return factor;
}

} // namespace detail

/// The signed (`T` is `std::int64_t`) or unsigned (`std::uint64_t`) numbers of a width of 1 to 64 bits that leave a
/// remainder modulo a number: {x : x ≡ residue (mod modulus)}, by inclusion. P. Granger, "Static analysis of
/// arithmetical congruences", International Journal of Computer Mathematics 30, 1989; here restricted to the numbers of
/// a width, so that sums that wrap around keep only the power of 2 in the modulus (`wrapped`).
///
/// `join` gives the greatest common divisor of both moduli and of the difference of both residues: not distributive.
/// Each step up divides the modulus, so the height is width + 1 and loops need no widening.
///
/// Each set has one representation. A single number has modulus 0; any other modulus is the distance between the
/// numbers of the set, which are at least two. Only `top` and the results of `meet` and `of` depend on the width.
template <class T>
  requires(std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>)
class congruence {
public:
  /// The empty set is written as "1 modulo 1".
  struct element {
    std::uint64_t modulus; ///< 0: a single number
    std::uint64_t residue; ///< less than the modulus; of a single number the number itself, in 64 bits

    constexpr bool is_bottom() const { return modulus == 1 && residue != 0; }

    constexpr bool is_constant() const { return modulus == 0; }

    constexpr bool contains(T value) const { return residue_modulo(value, modulus) == residue; }

    friend constexpr bool operator==(const element&, const element&) = default;
  };

  constexpr explicit congruence(unsigned width = 64) : width_(width) {
    MIDEND_ASSERT(1 <= width && width <= 64, "a width of 1 to 64 bits", width);
  }

  constexpr unsigned width() const { return width_; }

  /// All numbers, of any width.
  static constexpr element full() { return {1, 0}; }

  constexpr element bottom() const { return {1, 1}; }

  constexpr element top() const { return full(); }

  constexpr element constant(T value) const { return {0, static_cast<std::uint64_t>(value)}; }

  /// The numbers of the width that are `residue` modulo `modulus`. With modulus 0, `residue` itself.
  constexpr element of(std::uint64_t modulus, std::uint64_t residue) const {
    return modulus == 0 ? element{0, residue} : from(first_from_low(modulus, residue), modulus);
  }

  /// The remainder of all numbers of `a` modulo `m`. Requires that `m` divides the modulus, and is not 0.
  static constexpr std::uint64_t residue_of(const element& a, std::uint64_t m) {
    return detail::remainder_of(static_cast<T>(a.residue), m);
  }

  constexpr bool join(element& a, const element& b) const {
    if (b.is_bottom() || a == b) {
      return false;
    }
    if (a.is_bottom()) {
      a = b;
      return true;
    }
    const element old = a;
    a.modulus = greatest_common_divisor(greatest_common_divisor(a.modulus, b.modulus), distance(a, b));
    a.residue = residue_modulo(static_cast<T>(a.residue), a.modulus);
    return !(a == old);
  }

  /// By the Chinese remainder theorem.
  constexpr bool meet(element& a, const element& b) const {
    const element old = a;
    if (leq(b, a)) {
      a = b;
    } else if (!leq(a, b)) {
      a = a.is_constant() || b.is_constant() ? bottom() : common(a, b);
    }
    return !(a == old);
  }

  constexpr bool leq(const element& a, const element& b) const {
    if (a.is_bottom() || b.is_bottom() || b.is_constant()) {
      return a.is_bottom() || a == b;
    }
    return a.modulus % b.modulus == 0 && residue_of(a, b.modulus) == b.residue;
  }

  /// What remains of `a` if its numbers are known only modulo 2^width: the power of 2 in the modulus.
  constexpr element wrapped(const element& a) const {
    const std::uint64_t power = a.modulus & (0 - a.modulus);
    return power - 1 >= span() ? of_bits(a.residue) : of(power, a.residue & (power - 1));
  }

  /// `3 mod 8`, `7`, `any`
  constexpr void print(text_buffer& out, const element& a) const {
    if (a.is_bottom() || a == full()) {
      return append_text(out, a.is_bottom() ? "bottom" : "any");
    }
    if (a.is_constant()) {
      return append_integer(out, static_cast<T>(a.residue));
    }
    append_integer(out, a.residue);
    append_text(out, " mod ");
    append_integer(out, a.modulus);
  }

private:
  static constexpr std::uint64_t bits(T value) { return static_cast<std::uint64_t>(value); }

  /// A number modulo `m`; with modulus 0, the number.
  static constexpr std::uint64_t residue_modulo(T value, std::uint64_t m) {
    return m == 0 ? bits(value) : detail::remainder_of(value, m);
  }

  /// How far two numbers, one from each set, are apart, modulo the moduli.
  static constexpr std::uint64_t distance(const element& a, const element& b) {
    if (a.is_constant() && b.is_constant()) {
      const bool ascends = static_cast<T>(a.residue) < static_cast<T>(b.residue);
      return ascends ? b.residue - a.residue : a.residue - b.residue;
    }
    const std::uint64_t m = a.is_constant() ? b.modulus : a.modulus;
    const std::uint64_t x = a.is_constant() ? residue_of(a, m) : a.residue;
    const std::uint64_t y = b.is_constant() ? residue_of(b, m) : b.residue;
    return x < y ? y - x : x - y;
  }

  /// 2^width - 1.
  constexpr std::uint64_t span() const { return ~std::uint64_t{0} >> (64 - width_); }

  constexpr T least() const { return interval<T>::full(width_).low; }

  /// The number with these low bits.
  constexpr element of_bits(std::uint64_t low_bits) const {
    const std::uint64_t above_low = (low_bits - bits(least())) & span();
    return {0, bits(least()) + above_low};
  }

  /// How far the first number of a set is above the least number of the width, if numbers had no end.
  constexpr std::uint64_t first_from_low(std::uint64_t modulus, std::uint64_t residue) const {
    const std::uint64_t of_low = detail::remainder_of(least(), modulus);
    return residue >= of_low ? residue - of_low : residue + (modulus - of_low);
  }

  /// The numbers `first`, `first` + `modulus`, … above the least number of the width.
  constexpr element from(std::uint64_t first, std::uint64_t modulus) const {
    if (first > span()) {
      return bottom();
    }
    const std::uint64_t number = bits(least()) + first;
    return modulus > span() - first ? element{0, number}
                                    : element{modulus, detail::remainder_of(static_cast<T>(number), modulus)};
  }

  /// The common numbers of two sets of several numbers. The first is a₁ + k · m for the first number a₁ of `a` and its
  /// modulus m; k is determined modulo n / g, where n is the modulus of `b` and g the greatest common divisor of both.
  constexpr element common(const element& a, const element& b) const {
    const std::uint64_t divisor = greatest_common_divisor(a.modulus, b.modulus);
    const std::uint64_t steps = b.modulus / divisor;
    const std::uint64_t first = first_from_low(a.modulus, a.residue);
    const std::uint64_t reached = detail::remainder_of(static_cast<T>(bits(least()) + first), b.modulus);
    const std::uint64_t missing = b.residue >= reached ? b.residue - reached : b.residue + (b.modulus - reached);
    if (missing % divisor != 0) {
      return bottom();
    }
    if (steps == 1) {
      return a;
    }
    const std::uint64_t inverse = detail::inverse_modulo(a.modulus / divisor, steps);
    const std::uint64_t k = detail::multiply_modulo(missing / divisor, inverse, steps);
    if (k > (span() - first) / a.modulus) {
      return bottom();
    }
    const std::uint64_t both = first + k * a.modulus;
    const bool is_single = steps > (span() - both) / a.modulus;
    return is_single ? element{0, bits(least()) + both} : from(both, a.modulus * steps);
  }

  unsigned width_;
};

using signed_congruence = congruence<std::int64_t>;
using unsigned_congruence = congruence<std::uint64_t>;

MIDEND_END_NAMESPACE
