/// What the operations of a copy compute, in terms of what is known of their operands.
#pragma once

#include "midend/config.hpp"
#include "midend/cost/detail/unroll_comparison.hpp"
#include "midend/cost/detail/unroll_division.hpp"
#include "midend/cost/detail/unroll_expressions.hpp"
#include "midend/cost/detail/unroll_values.hpp"
#include "midend/cost/loop_body.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

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
      : e_(expressions), division_(expressions), comparison_(expressions) {}

  static constexpr expression_kind kind_of(const body_value& v) {
    return {v.info, v.cost, v.is_free, v.reassociates, v.identity};
  }

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
      return add(v, args[0], args[1]);
    case operation::sub:
      return subtract(v, args[0], args[1]);
    case operation::mul:
      return multiply(v, args[0], args[1]);
    case operation::shl:
      return shift_left(v, args[0], args[1]);
    case operation::shladd:
      return shift_and_add(v, args);
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
      return is_comparison(info.code) ? comparison_.compare(kind_of(v), args[0], args[1]) : ordered(v, args);
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
      e_.facts(out.node).range = {smaller_of(a.low, b.low), larger_of(a.high, b.high)};
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

  /// The operation as it is, with the operands of a commutative one in a fixed order: numbers last.
  constexpr known_value ordered(const body_value& v, std::span<const known_value> args) {
    if (is_commutative(v.info.code)) {
      return computed(v, args[0], args[1]);
    }
    return e_.compute(kind_of(v), args);
  }

  constexpr known_value computed(const body_value& v, const known_value& a, const known_value& b) {
    const bool swap = is_commutative(v.info.code) && b.node < a.node;
    const known_value operands[] = {swap ? b : a, swap ? a : b};
    return e_.compute(kind_of(v), operands);
  }

  /// x + by, where the operation promises not to wrap if so said.
  static constexpr known_value moved(known_value x, std::int64_t by, bool no_signed_wrap, bool no_unsigned_wrap) {
    std::int64_t sum = 0;
    const bool fits = add_exactly(x.signed_addend(), by, x.width, sum);
    x.addend = (x.addend + static_cast<std::uint64_t>(by)) & low_ones(x.width);
    x.exact_signed = x.addend == 0 || (x.exact_signed && no_signed_wrap && fits);
    x.exact_unsigned = x.addend == 0 || (x.exact_unsigned && no_unsigned_wrap && fits);
    return x;
  }

  constexpr known_value add(const body_value& v, known_value a, known_value b) {
    if (a.is_literal()) {
      std::swap(a, b);
    }
    const operation_flags flags = v.info.flags;
    if (b.is_literal()) {
      return moved(a, b.signed_addend(), flags.no_signed_wrap, flags.no_unsigned_wrap && b.signed_addend() >= 0);
    }
    if (const std::uint64_t by = take_addend(a, b); by != 0) {
      return moved_by(computed(v, a, b), by);
    }
    return computed(v, a, b);
  }

  constexpr known_value subtract(const body_value& v, known_value a, known_value b) {
    const operation_flags flags = v.info.flags;
    if (b.is_literal()) {
      const std::int64_t by = b.signed_addend();
      const bool fits = by != least_signed(v.info.width);
      return moved(a, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(by)), flags.no_signed_wrap && fits,
                   flags.no_unsigned_wrap && by >= 0);
    }
    if (a.node == b.node) {
      return literal(a.addend - b.addend, v.info.width);
    }
    if (a.is_literal()) {
      return computed(v, literal(a.addend - b.addend, a.width), value_of_node(b.node, b.width));
    }
    const bool of_first = b.addend == 0 || e_.is_invariant(b);
    if (const std::uint64_t by = take_addend(a, b); by != 0) {
      return moved_by(computed(v, a, b), of_first ? by : 0 - by);
    }
    return computed(v, a, b);
  }

  /// Literals stay with what changes if they are added to what does not: addresses of one base.
  constexpr std::uint64_t take_addend(known_value& a, known_value& b) const {
    known_value& from = a.addend != 0 && e_.is_invariant(b) ? a : b;
    const known_value& other = &from == &a ? b : a;
    if (from.addend == 0 || !e_.is_invariant(other) || e_.is_invariant(from)) {
      return 0;
    }
    const std::uint64_t by = from.addend;
    from = value_of_node(from.node, from.width);
    return by;
  }

  static constexpr known_value moved_by(known_value x, std::uint64_t by) {
    return moved(x, as_signed(by, x.width), false, false);
  }

  constexpr known_value multiply(const body_value& v, known_value a, known_value b) {
    if (a.is_literal()) {
      std::swap(a, b);
    }
    if (!b.is_literal()) {
      return computed(v, a, b);
    }
    if (b.addend <= 1) {
      return b.addend == 0 ? b : a;
    }
    const unsigned width = v.info.width;
    const known_value base = value_of_node(a.node, width);
    const known_value product =
        is_power_of_2(b.addend)
            ? e_.apply(operation::shl, width,
                       {base, literal(static_cast<std::uint64_t>(std::countr_zero(b.addend)), width)})
            : computed(v, base, b);
    note_product(a.node, b, product);
    return moved_by(product, a.addend * b.addend);
  }

  constexpr known_value shift_left(const body_value& v, const known_value& a, const known_value& b) {
    const unsigned width = v.info.width;
    if (!b.is_literal() || b.addend >= width || a.is_literal()) {
      return e_.compute(kind_of(v), std::array{a, b});
    }
    if (b.addend == 0) {
      return a;
    }
    const known_value product = computed(v, value_of_node(a.node, width), b);
    note_product(a.node, literal(std::uint64_t{1} << b.addend, width), product);
    return moved_by(product, a.addend << b.addend);
  }

  /// What is known of a multiple of a node.
  constexpr void note_product(unrolled_id of, const known_value& factor, const known_value& product) {
    if (!e_.is_fresh()) {
      return;
    }
    const value_facts f = e_.facts(of);
    value_facts& out = e_.facts(product.node);
    const std::int64_t by = factor.signed_addend();
    signed_range range{};
    const bool fits = by > 0 && multiply_exactly(f.range.low, by, product.width, range.low) &&
                      multiply_exactly(f.range.high, by, product.width, range.high);
    if (fits) {
      out.range = range;
    }
    const auto size = static_cast<std::uint64_t>(by);
    const std::uint64_t modulus = fits ? f.modulus : power_of_2_in(f.modulus);
    const std::uint64_t times = fits ? size : power_of_2_in(size);
    if (by > 0 && modulus <= low_ones(product.width) / 2 / times) {
      out.modulus = modulus * times;
      out.residue = (fits ? f.residue % modulus * size : f.residue * size) % out.modulus;
    }
  }

  constexpr known_value shift_and_add(const body_value& v, std::span<const known_value> args) {
    const known_value& a = args[0];
    const known_value& b = args[1];
    known_value c = args[2];
    if (!b.is_literal() || b.addend >= v.info.width) {
      return e_.compute(kind_of(v), args);
    }
    if (a.is_literal()) {
      return moved_by(c, a.addend << b.addend);
    }
    if (b.addend == 0 && c.is_literal()) {
      return moved_by(a, c.addend);
    }
    if (a.addend != 0 && e_.is_invariant(c) && !e_.is_invariant(a)) {
      const known_value operands[] = {value_of_node(a.node, a.width), b, c};
      return moved_by(e_.compute(kind_of(v), operands), a.addend << b.addend);
    }
    if (c.addend != 0 && !c.is_literal() && e_.is_invariant(a) && !e_.is_invariant(c)) {
      const known_value operands[] = {a, b, value_of_node(c.node, c.width)};
      return moved_by(e_.compute(kind_of(v), operands), c.addend);
    }
    return e_.compute(kind_of(v), args);
  }

  /// By numbers: what is shared and decided by congruence.
  constexpr known_value divide(const body_value& v, const known_value& a, const known_value& b) {
    const operation code = v.info.code;
    const bool is_shift = code == operation::shr || code == operation::sar;
    const bool is_residue = code == operation::rem || code == operation::urem;
    if (!b.is_literal() || a.is_literal() || (is_shift ? b.addend >= v.info.width || b.addend > 62 : b.addend == 0)) {
      return computed(v, a, b);
    }
    const std::uint64_t m = is_shift ? std::uint64_t{1} << b.addend : b.addend;
    if (m == 1) {
      return is_residue ? literal(0, v.info.width) : a;
    }
    const bool is_signed = code == operation::div || code == operation::rem;
    if (m > std::uint64_t{1} << 62 || (is_signed && b.signed_addend() < 0)) {
      return computed(v, a, b);
    }
    const auto out = is_residue ? division_.residue(a, m) : division_.quotient(a, m, code == operation::sar);
    if (out) {
      return *out;
    }
    return code == operation::urem && is_power_of_2(m) ? mask(v, a, literal(m - 1, v.info.width))
                                                       : unsigned_by_power(v, a, b, m);
  }

  constexpr known_value unsigned_by_power(const body_value& v, const known_value& a, const known_value& b,
                                          std::uint64_t m) {
    if (v.info.code == operation::udiv && is_power_of_2(m)) {
      const auto amount = static_cast<std::uint64_t>(std::countr_zero(m));
      return e_.apply(operation::shr, v.info.width, {a, literal(amount, v.info.width)});
    }
    return computed(v, a, b);
  }

  constexpr known_value mask(const body_value& v, const known_value& a, const known_value& b) {
    const std::uint64_t m = b.addend + 1;
    if (is_power_of_2(m) && m <= std::uint64_t{1} << 62) {
      if (const auto low = division_.low_bits(a, m)) {
        return *low;
      }
    }
    const known_value out =
        v.info.code == operation::bit_and ? computed(v, a, b) : e_.apply(operation::bit_and, v.info.width, {a, b});
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
      return computed(v, a, b);
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
    return code == operation::bit_and ? mask(v, a, b) : computed(v, a, b);
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
      return moved_by(narrow, a.addend & low_ones(width));
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
        narrow.modulus = smaller_of(power_of_2_in(f.modulus), std::uint64_t{1} << (width - 1));
        narrow.residue = f.residue % narrow.modulus;
      }
    }
    return moved_by(out, a.addend & low_ones(width));
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
  unroll_division division_;
  unroll_comparison comparison_;
};

} // namespace detail

MIDEND_END_NAMESPACE
