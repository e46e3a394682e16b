/// Sums and multiples of values that are base and literal.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/copies/detail/unroll_expressions.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// x + by, as one operation with these promises.
constexpr known_value moved(known_value x, std::int64_t by, operation_flags promised) {
  std::int64_t sum = 0;
  const bool fits = add_exactly(x.signed_addend(), by, x.width, sum);
  x.addend = (x.addend + static_cast<std::uint64_t>(by)) & low_ones(x.width);
  x.exact_signed = x.addend == 0 || (x.exact_signed && promised.no_signed_wrap && fits);
  x.exact_unsigned = x.addend == 0 || (x.exact_unsigned && promised.no_unsigned_wrap && fits);
  return x;
}

/// x + by, of which nothing is promised.
constexpr known_value moved(const known_value& x, std::uint64_t by) {
  return moved(x, as_signed(by, x.width), {});
}

/// Operations through which literals can be moved. They are, where the result has one operation less in some copy:
/// sums with a number, multiples by a number, addresses of one base. Nothing else is regrouped.
class unroll_arithmetic {
public:
  constexpr explicit unroll_arithmetic(unroll_expressions& expressions) : e_(expressions) {}

  constexpr known_value add(const body_value& v, known_value a, known_value b) {
    if (a.is_literal()) {
      std::swap(a, b);
    }
    const operation_flags flags = v.info.flags;
    if (b.is_literal()) {
      return moved(a, b.signed_addend(), {flags.no_signed_wrap, flags.no_unsigned_wrap && b.signed_addend() >= 0});
    }
    if (const std::uint64_t by = take_addend(a, b); by != 0) {
      return moved(e_.compute(v, a, b), by);
    }
    return e_.compute(v, a, b);
  }

  constexpr known_value subtract(const body_value& v, known_value a, known_value b) {
    const operation_flags flags = v.info.flags;
    if (b.is_literal()) {
      const std::int64_t by = b.signed_addend();
      const bool fits = by != least_signed(v.info.width);
      return moved(a, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(by)),
                   {flags.no_signed_wrap && fits, flags.no_unsigned_wrap && by >= 0});
    }
    if (a.node == b.node) {
      return literal(a.addend - b.addend, v.info.width);
    }
    if (a.is_literal()) {
      return e_.compute(v, literal(a.addend - b.addend, a.width), value_of_node(b.node, b.width));
    }
    const bool of_first = b.addend == 0 || e_.is_invariant(b);
    if (const std::uint64_t by = take_addend(a, b); by != 0) {
      return moved(e_.compute(v, a, b), of_first ? by : 0 - by);
    }
    return e_.compute(v, a, b);
  }

  constexpr known_value multiply(const body_value& v, known_value a, known_value b) {
    if (a.is_literal()) {
      std::swap(a, b);
    }
    if (!b.is_literal()) {
      return e_.compute(v, a, b);
    }
    if (b.addend <= 1) {
      return b.addend == 0 ? b : a;
    }
    const unsigned width = v.info.width;
    const known_value base = value_of_node(a.node, width);
    const known_value product =
        std::has_single_bit(b.addend)
            ? e_.apply(operation::shl, width,
                       {base, literal(static_cast<std::uint64_t>(std::countr_zero(b.addend)), width)})
            : e_.compute(v, base, b);
    note_product(a.node, b, product);
    return moved(product, a.addend * b.addend);
  }

  constexpr known_value shift_left(const body_value& v, const known_value& a, const known_value& b) {
    const unsigned width = v.info.width;
    if (!b.is_literal() || b.addend >= width || a.is_literal()) {
      return e_.compute(v, a, b);
    }
    if (b.addend == 0) {
      return a;
    }
    const known_value product = e_.compute(v, value_of_node(a.node, width), b);
    note_product(a.node, literal(std::uint64_t{1} << b.addend, width), product);
    return moved(product, a.addend << b.addend);
  }

  constexpr known_value shift_and_add(const body_value& v, std::span<const known_value> args) {
    const known_value& a = args[0];
    const known_value& b = args[1];
    known_value c = args[2];
    if (!b.is_literal() || b.addend >= v.info.width) {
      return e_.compute(kind_of(v), args);
    }
    if (a.is_literal()) {
      return moved(c, a.addend << b.addend);
    }
    if (b.addend == 0 && c.is_literal()) {
      return moved(a, c.addend);
    }
    if (a.addend != 0 && e_.is_invariant(c) && !e_.is_invariant(a)) {
      const known_value operands[] = {value_of_node(a.node, a.width), b, c};
      return moved(e_.compute(kind_of(v), operands), a.addend << b.addend);
    }
    if (c.addend != 0 && !c.is_literal() && e_.is_invariant(a) && !e_.is_invariant(c)) {
      const known_value operands[] = {a, b, value_of_node(c.node, c.width)};
      return moved(e_.compute(kind_of(v), operands), c.addend);
    }
    return e_.compute(kind_of(v), args);
  }

private:
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

  unroll_expressions& e_;
};

} // namespace detail

MIDEND_END_NAMESPACE
