/// Comparisons of values that are known in part.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/copies/detail/unroll_expressions.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"

#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Decides comparisons by ranges and congruences, and brings those that stay open to a common form: numbers and older
/// nodes where they are expected, literals moved to the side of the number.
class unroll_comparison {
public:
  constexpr explicit unroll_comparison(unroll_expressions& expressions) : e_(expressions) {}

  /// `kind` of two values that are not both numbers.
  constexpr known_value compare(expression_kind kind, known_value a, known_value b) {
    if (a.is_literal()) {
      std::swap(a, b);
      kind.info.code = mirrored(kind.info.code);
    }
    const operation code = kind.info.code;
    if (code == operation::equal || code == operation::not_equal) {
      return equality(kind, a, b);
    }
    prefer_signed(kind, a, b);
    if (const auto decided = decide_order(kind.info.code, a, b)) {
      return literal(*decided ? 1 : 0, 1);
    }
    if (b.is_literal()) {
      absorb(kind.info.code, a, b);
    }
    return compute(kind, a, b);
  }

private:
  constexpr known_value compute(const expression_kind& kind, const known_value& a, const known_value& b) {
    const known_value operands[] = {a, b};
    return e_.compute(kind, operands);
  }

  constexpr known_value equality(const expression_kind& kind, known_value a, known_value b) {
    const bool is_equal = kind.info.code == operation::equal;
    if (a.width == 1) {
      return equality_of_bits(kind, a, b);
    }
    if (a.node == b.node) {
      return literal((a.addend == b.addend) == is_equal ? 1 : 0, 1);
    }
    if (b.is_literal()) {
      b.addend = (b.addend - a.addend) & low_ones(b.width);
      a = value_of_node(a.node, a.width);
    } else if (b.node < a.node) {
      std::swap(a, b);
    }
    if (are_different(e_.facts_of(a), a, e_.facts_of(b), b)) {
      return literal(is_equal ? 0 : 1, 1);
    }
    if (!b.is_literal()) {
      a.addend = (a.addend - b.addend) & low_ones(a.width);
      b = value_of_node(b.node, b.width);
    }
    return compute(kind, a, b);
  }

  /// Of single bits a and b are equal if a + b + 1 is 1.
  constexpr known_value equality_of_bits(const expression_kind& kind, known_value a, const known_value& b) {
    const std::uint64_t flip = kind.info.code == operation::equal ? 1 : 0;
    if (b.is_literal() || a.node == b.node) {
      a = flipped(a, b.addend + flip);
      return b.is_literal() ? a : literal(a.addend, 1);
    }
    const bool swap = b.node < a.node;
    return compute(kind, swap ? b : a, swap ? a : b);
  }

  /// By ranges and by what they leave modulo what is known of both.
  constexpr bool are_different(const value_facts& fa, const known_value& a, const value_facts& fb,
                               const known_value& b) const {
    const signed_range ra = shifted(fa, a);
    const signed_range rb = shifted(fb, b);
    if (ra.high < rb.low || rb.high < ra.low) {
      return true;
    }
    const std::uint64_t modulus = b.is_literal() ? fa.modulus : greatest_common_divisor(fa.modulus, fb.modulus);
    const bool is_exact = is_exact_sum(fa, a) && (b.is_literal() || is_exact_sum(fb, b));
    const std::uint64_t m = is_exact ? modulus : power_of_2_in(modulus);
    return m > 1 && residue(fa, a, m) != residue(fb, b, m);
  }

  /// What a value leaves modulo m, a divisor of its modulus.
  static constexpr std::uint64_t residue(const value_facts& f, const known_value& x, std::uint64_t m) {
    const std::uint64_t by = floor_residue(x.signed_addend(), m);
    if (x.is_literal()) {
      return by;
    }
    const std::uint64_t base = f.residue % m;
    return base >= m - by ? base - (m - by) : base + by;
  }

  /// Unsigned order is signed order of numbers that are not negative, and of those more is known.
  constexpr void prefer_signed(expression_kind& kind, const known_value& a, const known_value& b) const {
    if (kind.info.code >= operation::uless && e_.range_of(a).low >= 0 && e_.range_of(b).low >= 0) {
      constexpr int distance = static_cast<int>(operation::uless) - static_cast<int>(operation::less);
      kind.info.code = static_cast<operation>(static_cast<int>(kind.info.code) - distance);
    }
  }

  constexpr std::optional<bool> decide_order(operation code, const known_value& a, const known_value& b) const {
    const bool is_signed = code < operation::uless;
    if (a.node == b.node && (is_signed ? e_.is_exact(a) && e_.is_exact(b) : a.exact_unsigned && b.exact_unsigned)) {
      return holds(code, a.signed_addend(), b.signed_addend());
    }
    if (!is_signed) {
      return a.is_same(b) ? std::optional(holds(code, 0, 0)) : std::nullopt;
    }
    const signed_range ra = e_.range_of(a);
    const signed_range rb = e_.range_of(b);
    const bool least = holds(code, ra.low, rb.high);
    const bool most = holds(code, ra.high, rb.low);
    return least == most ? std::optional(least) : std::nullopt;
  }

  /// Whether x `code` y, whatever its sign.
  static constexpr bool holds(operation code, std::int64_t x, std::int64_t y) {
    switch (code) {
    case operation::less:
    case operation::uless:
      return x < y;
    case operation::less_equal:
    case operation::uless_equal:
      return x <= y;
    case operation::greater:
    case operation::ugreater:
      return x > y;
    default:
      return x >= y;
    }
  }

  /// n + c < b is n < b - c if neither side wraps.
  constexpr void absorb(operation code, known_value& a, known_value& b) const {
    const std::int64_t c = a.signed_addend();
    std::int64_t bound = 0;
    if (code < operation::uless) {
      if (!e_.is_exact(a) || c == least_signed(a.width) || !add_exactly(b.signed_addend(), -c, b.width, bound)) {
        return;
      }
    } else {
      const std::uint64_t size = c < 0 ? 0 - static_cast<std::uint64_t>(c) : static_cast<std::uint64_t>(c);
      if (!a.exact_unsigned || (c < 0 ? low_ones(b.width) - b.addend < size : b.addend < size)) {
        return;
      }
      bound = static_cast<std::int64_t>(c < 0 ? b.addend + size : b.addend - size);
    }
    b.addend = static_cast<std::uint64_t>(bound) & low_ones(b.width);
    a = value_of_node(a.node, a.width);
  }

  unroll_expressions& e_;
};

} // namespace detail

MIDEND_END_NAMESPACE
