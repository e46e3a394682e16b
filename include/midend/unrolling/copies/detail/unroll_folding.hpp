/// What the operations of a copy compute, in terms of what is known of their operands.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/copies/detail/unroll_arithmetic.hpp"
#include "midend/unrolling/copies/detail/unroll_comparison.hpp"
#include "midend/unrolling/copies/detail/unroll_division.hpp"
#include "midend/unrolling/copies/detail/unroll_expressions.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Operations of the vocabulary. Sums with a number become base and literal, and literals are moved through operations
/// where the result has one operation less in some copy; nothing else is regrouped.
class unroll_folding {
public:
  constexpr explicit unroll_folding(unroll_expressions& expressions)
      : e_(expressions), arithmetic_(expressions), division_(expressions), comparison_(expressions) {}

  /// The value of an operation of the vocabulary, of as many operands as it has.
  constexpr known_value fold(const body_value& v, std::span<const known_value> args) {
    const operation_info& info = v.info;
    if (known_value out; evaluate_literals(info, args, out)) {
      return out;
    }
    switch (info.code) {
    case operation::copy:
      return args[0];
    case operation::add:
      return arithmetic_.add(v, args[0], args[1]);
    case operation::sub:
      return arithmetic_.subtract(v, args[0], args[1]);
    case operation::mul:
      return arithmetic_.multiply(v, args[0], args[1]);
    case operation::shl:
      return arithmetic_.shift_left(v, args[0], args[1]);
    case operation::shladd:
      return arithmetic_.shift_and_add(v, args);
    case operation::div:
    case operation::udiv:
    case operation::rem:
    case operation::urem:
    case operation::shr:
    case operation::sar:
      return divide(v, args[0], args[1]);
    case operation::bit_and:
    case operation::bit_or:
    case operation::bit_xor:
      return combine_bits(v, args[0], args[1]);
    case operation::bit_not:
      return info.width == 1 ? negated(args[0]) : e_.compute(kind_of(v), args);
    case operation::truncate:
      return truncate(v, args[0]);
    case operation::zero_extend:
    case operation::sign_extend:
      return extend(v, args[0]);
    case operation::select:
      return select(kind_of(v), args[0], args[1], args[2]);
    default:
      return is_comparison(info.code)    ? comparison_.compare(kind_of(v), args[0], args[1])
             : is_commutative(info.code) ? e_.compute(v, args[0], args[1])
                                         : e_.compute(kind_of(v), args);
    }
  }

  /// `yes` if `condition` holds, else `no`.
  constexpr known_value select(const expression_kind& kind, known_value condition, known_value yes, known_value no) {
    if (condition.is_literal()) {
      return condition.addend != 0 ? yes : no;
    }
    if (yes.is_same(no)) {
      return yes;
    }
    if (condition.addend != 0) {
      std::swap(yes, no);
      condition.addend = 0;
    }
    if (kind.info.width == 1 && yes.is_literal() && no.is_literal()) {
      return yes.addend != 0 ? condition : negated(condition);
    }
    const known_value operands[] = {condition, yes, no};
    const known_value out = e_.compute(kind, operands);
    if (e_.is_fresh()) {
      const signed_range a = e_.range_of(yes);
      const signed_range b = e_.range_of(no);
      e_.facts(out.node).range = {min(a.low, b.low), max(a.high, b.high)};
    }
    return out;
  }

  /// The conjunction of two bits.
  constexpr known_value both(const known_value& a, const known_value& b) {
    if (a.is_literal() || b.is_literal()) {
      return a.is_literal() ? (a.addend != 0 ? b : a) : (b.addend != 0 ? a : b);
    }
    if (a.node == b.node) {
      return a.addend == b.addend ? a : literal(0, 1);
    }
    return b.node < a.node ? e_.apply(operation::bit_and, 1, {b, a}) : e_.apply(operation::bit_and, 1, {a, b});
  }

private:
  /// Promises are not asked for: what breaks them has any result.
  static constexpr bool evaluate_literals(operation_info info, std::span<const known_value> args, known_value& out) {
    std::array<std::uint64_t, 3> bits{};
    for (std::size_t i = 0; i != args.size(); ++i) {
      if (!args[i].is_literal()) {
        return false;
      }
      bits[i] = args[i].addend;
    }
    info.flags = {};
    const evaluation result = evaluate(info, std::span(bits).first(args.size()));
    out = literal(result.bits, info.width);
    return static_cast<bool>(result);
  }

  /// By numbers: what is shared and decided by congruence.
  constexpr known_value divide(const body_value& v, const known_value& a, const known_value& b) {
    const operation code = v.info.code;
    const bool is_shift = code == operation::shr || code == operation::sar;
    const bool is_residue = code == operation::rem || code == operation::urem;
    if (!b.is_literal() || a.is_literal() || (is_shift ? b.addend >= v.info.width || b.addend > 62 : b.addend == 0)) {
      return e_.compute(v, a, b);
    }
    const std::uint64_t m = is_shift ? std::uint64_t{1} << b.addend : b.addend;
    if (m == 1) {
      return is_residue ? literal(0, v.info.width) : a;
    }
    const bool is_signed = code == operation::div || code == operation::rem;
    if (m > std::uint64_t{1} << 62 || (is_signed && b.signed_addend() < 0)) {
      return e_.compute(v, a, b);
    }
    const auto out = is_residue ? division_.residue(a, m) : division_.quotient(a, m, code == operation::sar);
    if (out) {
      return *out;
    }
    return code == operation::urem && std::has_single_bit(m) ? mask(v, a, literal(m - 1, v.info.width))
                                                             : unsigned_by_power(v, a, b, m);
  }

  constexpr known_value unsigned_by_power(const body_value& v, const known_value& a, const known_value& b,
                                          std::uint64_t m) {
    if (v.info.code == operation::udiv && std::has_single_bit(m)) {
      const auto amount = static_cast<std::uint64_t>(std::countr_zero(m));
      return e_.apply(operation::shr, v.info.width, {a, literal(amount, v.info.width)});
    }
    return e_.compute(v, a, b);
  }

  constexpr known_value mask(const body_value& v, const known_value& a, const known_value& b) {
    const std::uint64_t m = b.addend + 1;
    if (std::has_single_bit(m) && m <= std::uint64_t{1} << 62) {
      if (const auto low = division_.low_bits(a, m)) {
        return *low;
      }
    }
    const known_value out =
        v.info.code == operation::bit_and ? e_.compute(v, a, b) : e_.apply(operation::bit_and, v.info.width, {a, b});
    if (e_.is_fresh() && b.signed_addend() >= 0) {
      e_.facts(out.node).range = {0, b.signed_addend()};
    }
    return out;
  }

  constexpr known_value combine_bits(const body_value& v, known_value a, known_value b) {
    const operation code = v.info.code;
    if (a.is_literal()) {
      std::swap(a, b);
    }
    if (code == operation::bit_xor && v.info.width == 1 && (b.is_literal() || a.node == b.node)) {
      a = flipped(a, b.addend);
      return b.is_literal() ? a : literal(a.addend, 1);
    }
    if (a.is_same(b)) {
      return code == operation::bit_xor ? literal(0, v.info.width) : a;
    }
    if (!b.is_literal()) {
      return e_.compute(v, a, b);
    }
    const std::uint64_t neutral = code == operation::bit_and ? low_ones(v.info.width) : 0;
    if (b.addend == neutral) {
      return a;
    }
    const bool absorbs =
        code == operation::bit_and ? b.addend == 0 : code == operation::bit_or && b.addend == low_ones(v.info.width);
    if (absorbs) {
      return b;
    }
    return code == operation::bit_and ? mask(v, a, b) : e_.compute(v, a, b);
  }

  constexpr known_value truncate(const body_value& v, const known_value& a) {
    const unsigned width = v.info.width;
    const unrolled_node& n = e_.node(a.node);
    const bool is_extended =
        n.kind == body_kind::pure && (n.info.code == operation::zero_extend || n.info.code == operation::sign_extend);
    if (is_extended && n.info.operand_width == width) {
      const unrolled_operand of = e_.out.operands_of(a.node)[0];
      known_value narrow = value_of_node(of.node, width);
      narrow.addend = of.addend;
      narrow.exact_signed = narrow.exact_unsigned = of.addend == 0;
      return moved(narrow, a.addend & low_ones(width));
    }
    const known_value wide = value_of_node(a.node, a.width);
    const known_value out = e_.compute(kind_of(v), std::span(&wide, 1));
    if (e_.is_fresh()) {
      const value_facts f = e_.facts(a.node);
      const bool fits = fits_signed(f.range.low, width) && fits_signed(f.range.high, width);
      value_facts& narrow = e_.facts(out.node);
      if (fits) {
        narrow = f;
        narrow.limit_modulus(width);
      } else {
        narrow.modulus = min(power_of_2_in(f.modulus), std::uint64_t{1} << (width - 1));
        narrow.residue = f.residue % narrow.modulus;
      }
    }
    return moved(out, a.addend & low_ones(width));
  }

  /// The extension of the node, if that of the sum is the sum of the extensions.
  constexpr known_value extend(const body_value& v, const known_value& a) {
    if (a.width >= v.info.width) {
      return a;
    }
    const bool is_signed = v.info.code == operation::sign_extend;
    const bool both_natural = e_.facts(a.node).range.low >= 0 && e_.range_of(a).low >= 0;
    if (is_signed ? e_.is_exact(a) : a.exact_unsigned || (both_natural && e_.is_exact(a))) {
      known_value out = extended(v, value_of_node(a.node, a.width));
      out.addend = static_cast<std::uint64_t>(a.signed_addend()) & low_ones(v.info.width);
      out.exact_unsigned = out.addend == 0 || !is_signed || both_natural;
      return out;
    }
    return extended(v, a);
  }

  constexpr known_value extended(const body_value& v, const known_value& a) {
    const known_value out = e_.compute(kind_of(v), std::span(&a, 1));
    if (e_.is_fresh() && !a.is_literal()) {
      const signed_range range = e_.range_of(a);
      const bool keeps = v.info.code == operation::sign_extend || range.low >= 0;
      value_facts f = a.addend == 0 ? e_.facts(a.node) : value_facts{};
      f.range = keeps ? range : signed_range{0, static_cast<std::int64_t>(low_ones(a.width))};
      if (!keeps) {
        f.modulus = power_of_2_in(f.modulus);
        f.residue %= f.modulus;
      }
      e_.facts(out.node) = f;
    }
    return out;
  }

  unroll_expressions& e_;
  unroll_arithmetic arithmetic_;
  unroll_division division_;
  unroll_comparison comparison_;
};

} // namespace detail

MIDEND_END_NAMESPACE
