/// What is known of values while the copies of a loop body are evaluated.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/support/order.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// In `known_value::node`: a number, which becomes a node only if an operation wants it.
inline constexpr unrolled_id literal_node = no_unrolled - 1;

/// A value of the loop body in the present copy: node + addend modulo 2^width, or a number, `addend`. *Exact* sums do
/// not pass the end of the numbers where they are executed, if the addend is read as a signed number, and the node as a
/// signed one or not.
struct known_value {
  unrolled_id node = no_unrolled;
  std::uint8_t width = 0;
  bool exact_signed = true;
  bool exact_unsigned = true;
  std::uint64_t addend = 0;

  constexpr bool is_literal() const { return node == literal_node; }

  constexpr bool is_literal(std::uint64_t bits) const { return is_literal() && addend == bits; }

  constexpr bool is_none() const { return node == no_unrolled; }

  constexpr bool is_same(const known_value& other) const { return node == other.node && addend == other.addend; }

  constexpr std::int64_t signed_addend() const { return as_signed(addend, width); }
};

constexpr known_value literal(std::uint64_t bits, unsigned width) {
  return {literal_node, static_cast<std::uint8_t>(width), true, true, bits & low_ones(width)};
}

constexpr known_value value_of_node(unrolled_id n, unsigned width) {
  return {n, static_cast<std::uint8_t>(width), true, true, 0};
}

/// A value of one bit with the other sense: in one bit, adding 1 is to negate.
constexpr known_value flipped(known_value p, std::uint64_t flip) {
  p.addend = (p.addend + flip) & 1;
  p.exact_signed = p.exact_unsigned = p.is_literal() || p.addend == 0;
  return p;
}

constexpr known_value negated(const known_value& p) {
  return flipped(p, 1);
}

constexpr std::int64_t least_signed(unsigned width) {
  return as_signed(std::uint64_t{1} << (width - 1), width);
}

constexpr std::int64_t greatest_signed(unsigned width) {
  return static_cast<std::int64_t>(low_ones(width) >> 1);
}

/// Numbers from `low` to `high`, signed.
struct signed_range {
  std::int64_t low;
  std::int64_t high;

  static constexpr signed_range all(unsigned width) { return {least_signed(width), greatest_signed(width)}; }

  constexpr bool contains(std::int64_t x) const { return low <= x && x <= high; }
};

/// Whether a + b is a number of the width; then it is `sum`.
constexpr bool add_exactly(std::int64_t a, std::int64_t b, unsigned width, std::int64_t& sum) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  const bool wraps = ((a ^ sum) & (b ^ sum)) < 0;
  return !wraps && fits_signed(sum, width);
}

/// Whether a · b is a number of the width; then it is `product`.
constexpr bool multiply_exactly(std::int64_t a, std::int64_t b, unsigned width, std::int64_t& product) {
  const wrapping_result p = wrapping_mul(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b), 64);
  product = static_cast<std::int64_t>(p.bits);
  return !p.signed_wrap && fits_signed(product, width);
}

/// ⌊a / m⌋ for m > 0.
constexpr std::int64_t floor_quotient(std::int64_t a, std::int64_t m) {
  return a / m - (a % m < 0 ? 1 : 0);
}

/// a mod m, for a modulus that may have 64 bits.
constexpr std::uint64_t floor_residue(std::int64_t a, std::uint64_t m) {
  if (a >= 0) {
    return static_cast<std::uint64_t>(a) % m;
  }
  const std::uint64_t rest = (0 - static_cast<std::uint64_t>(a)) % m;
  return rest == 0 ? 0 : m - rest;
}

/// The largest power of 2 that divides the number; 0 for 0.
constexpr std::uint64_t power_of_2_in(std::uint64_t x) {
  return x & (0 - x);
}

/// What is known of a node wherever it is used: the signed number that it means lies in the range and leaves `residue`
/// modulo `modulus`, which is not 0. Copies further on may know more of it than those before, but never less: when they
/// run, so did the others.
struct value_facts {
  signed_range range;
  std::uint64_t modulus = 1;
  std::uint64_t residue = 0;

  static constexpr value_facts none(unsigned width) { return {signed_range::all(width)}; }

  /// Forgets so much of the modulus that its power of 2 divides half the numbers: that is kept by sums that wrap.
  constexpr void limit_modulus(unsigned width) {
    const std::uint64_t power = power_of_2_in(modulus);
    const std::uint64_t most = std::uint64_t{1} << (width - 1);
    if (power > most) {
      modulus = modulus / power * most;
      residue %= modulus;
    }
  }
};

/// The range of node + addend.
constexpr signed_range shifted(const value_facts& f, const known_value& x) {
  if (x.addend == 0 || x.is_literal()) {
    return f.range;
  }
  const std::int64_t by = x.signed_addend();
  signed_range out{};
  const bool low_fits = add_exactly(f.range.low, by, x.width, out.low);
  const bool high_fits = add_exactly(f.range.high, by, x.width, out.high);
  const signed_range all = signed_range::all(x.width);
  if (!(low_fits && high_fits) && !x.exact_signed) {
    return all;
  }
  return {low_fits ? out.low : all.low, high_fits ? out.high : all.high};
}

/// Whether node + addend, as signed numbers, is the sum without a wrap.
constexpr bool is_exact_sum(const value_facts& f, const known_value& x) {
  std::int64_t sum = 0;
  return x.addend == 0 || x.exact_signed ||
         (add_exactly(f.range.low, x.signed_addend(), x.width, sum) &&
          add_exactly(f.range.high, x.signed_addend(), x.width, sum));
}

} // namespace detail

MIDEND_END_NAMESPACE
