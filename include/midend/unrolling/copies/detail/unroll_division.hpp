/// Quotients and residues of counters, which copies share as far as the congruence of the counter allows.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/fraction.hpp"
#include "midend/unrolling/copies/detail/unroll_expressions.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// n + c divided by m, where n ≡ r modulo d, and d divides m. Let r + c = k · d + e with 0 ≤ e < d and k = q · (m/d) +
/// p with 0 ≤ p < m/d. Then n - r and with it n - r + p · d are multiples of d, so that e, and likewise r, is too
/// little to reach the next multiple of m:
///
///     ⌊(n + c) / m⌋ = ⌊(n + p · d) / m⌋ + q          (n + c) mod m = (n + p · d) mod m + e - r
///
/// So sums that differ only in what n is known to leave, or by multiples of m, are divided once.
struct split_sum {
  std::uint64_t shift;    ///< p · d, below m
  std::int64_t quotient;  ///< q
  std::uint64_t residue;  ///< r
  std::uint64_t step;     ///< d
  std::int64_t remaining; ///< e - r

  /// Nothing if r + c does not fit. Requires 0 < m ≤ 2^63.
  static constexpr std::optional<split_sum> of(const value_facts& n, std::int64_t c, std::uint64_t m) {
    split_sum s{};
    s.step = greatest_common_divisor(n.modulus, m);
    s.residue = n.residue % s.step;
    std::int64_t sum = 0;
    if (m > std::uint64_t{1} << 62 || !add_exactly(static_cast<std::int64_t>(s.residue), c, 64, sum)) {
      return std::nullopt;
    }
    const auto d = static_cast<std::int64_t>(s.step);
    const auto parts = static_cast<std::int64_t>(m / s.step);
    const std::int64_t k = floor_quotient(sum, d);
    s.quotient = floor_quotient(k, parts);
    s.shift = static_cast<std::uint64_t>((k - s.quotient * parts) * d);
    s.remaining = (sum - k * d) - static_cast<std::int64_t>(s.residue);
    return s;
  }
};

/// Rounds towards zero or down: the same for numbers that are not negative.
class unroll_division {
public:
  constexpr explicit unroll_division(unroll_expressions& expressions) : e_(expressions) {}

  /// ⌊x / m⌋ for 0 < m ≤ 2^62, if the sum is exact and, unless `may_be_negative`, so is its sign.
  constexpr std::optional<known_value> quotient(const known_value& x, std::uint64_t m, bool may_be_negative) {
    const signed_range range = e_.range_of(x);
    if (!e_.is_exact(x) || (!may_be_negative && range.low < 0)) {
      return std::nullopt;
    }
    const auto divisor = static_cast<std::int64_t>(m);
    const std::int64_t least = floor_quotient(range.low, divisor);
    if (least == floor_quotient(range.high, divisor)) {
      return literal(static_cast<std::uint64_t>(least), x.width);
    }
    const value_facts n = e_.facts(x.node);
    const auto s = split_sum::of(n, x.signed_addend(), m);
    if (!s) {
      return std::nullopt;
    }
    const known_value shifted_node = with_shift(x, s->shift);
    const signed_range above = e_.range_of(shifted_node);
    if (!e_.is_exact(shifted_node) || (!may_be_negative && above.low < 0)) {
      return std::nullopt;
    }
    known_value out = divided(shifted_node, m, above.low < 0);
    if (e_.is_fresh()) {
      e_.facts(out.node) = quotient_facts(n, s->shift, above, m);
    }
    out.addend = static_cast<std::uint64_t>(s->quotient) & low_ones(x.width);
    out.exact_unsigned = above.low >= 0 && range.low >= 0;
    return out;
  }

  /// x mod m for 0 < m ≤ 2^62, if x is an exact sum and not negative.
  constexpr std::optional<known_value> residue(const known_value& x, std::uint64_t m) {
    const signed_range range = e_.range_of(x);
    if (!e_.is_exact(x) || range.low < 0) {
      return std::nullopt;
    }
    if (range.high < static_cast<std::int64_t>(m)) {
      return x;
    }
    const auto s = split_sum::of(e_.facts(x.node), x.signed_addend(), m);
    if (!s) {
      return std::nullopt;
    }
    const known_value shifted_node = with_shift(x, s->shift);
    if (s->step != m && (!e_.is_exact(shifted_node) || e_.range_of(shifted_node).low < 0)) {
      return std::nullopt;
    }
    return residue_of_split(shifted_node, *s, m);
  }

  /// x & (m - 1), the residue of any number modulo a power of 2.
  constexpr std::optional<known_value> low_bits(const known_value& x, std::uint64_t m) {
    const signed_range range = e_.range_of(x);
    if (range.low >= 0 && range.high < static_cast<std::int64_t>(m) && e_.is_exact(x)) {
      return x;
    }
    const auto s = split_sum::of(e_.facts(x.node), x.signed_addend(), m);
    return s ? std::optional(residue_of_split(with_shift(x, s->shift), *s, m)) : std::nullopt;
  }

private:
  /// n + shift in place of n + c: no wrap if there is none between 0 and c.
  static constexpr known_value with_shift(known_value x, std::uint64_t shift) {
    const std::int64_t c = x.signed_addend();
    const auto by = static_cast<std::int64_t>(shift);
    x.exact_signed = x.exact_signed && by <= c;
    x.exact_unsigned = x.exact_unsigned && by <= c;
    x.addend = shift;
    if (shift == 0) {
      x.exact_signed = x.exact_unsigned = true;
    }
    return x;
  }

  constexpr known_value divided(const known_value& x, std::uint64_t m, bool is_negative) {
    if (!std::has_single_bit(m)) {
      return e_.apply(operation::udiv, x.width, {x, literal(m, x.width)});
    }
    const auto amount = static_cast<std::uint64_t>(std::countr_zero(m));
    return e_.apply(is_negative ? operation::sar : operation::shr, x.width, {x, literal(amount, x.width)});
  }

  static constexpr value_facts quotient_facts(const value_facts& n, std::uint64_t shift, const signed_range& above,
                                              std::uint64_t m) {
    const auto divisor = static_cast<std::int64_t>(m);
    value_facts f{{floor_quotient(above.low, divisor), floor_quotient(above.high, divisor)}};
    if (n.modulus % m == 0) {
      f.modulus = n.modulus / m;
      f.residue = (n.residue / m + (n.residue % m + shift) / m) % f.modulus;
    }
    return f;
  }

  constexpr known_value residue_of_split(const known_value& shifted_node, const split_sum& s, std::uint64_t m) {
    if (s.step == m) {
      return literal(static_cast<std::uint64_t>(s.remaining) + s.residue, shifted_node.width);
    }
    const unsigned width = shifted_node.width;
    known_value out = std::has_single_bit(m)
                          ? e_.apply(operation::bit_and, width, {shifted_node, literal(m - 1, width)})
                          : e_.apply(operation::urem, width, {shifted_node, literal(m, width)});
    if (e_.is_fresh()) {
      e_.facts(out.node) = {{0, static_cast<std::int64_t>(m - 1)}, s.step, s.residue};
    }
    out.addend = static_cast<std::uint64_t>(s.remaining) & low_ones(width);
    return out;
  }

  unroll_expressions& e_;
};

} // namespace detail

MIDEND_END_NAMESPACE
