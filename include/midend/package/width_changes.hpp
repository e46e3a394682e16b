/// Rules that change the width of operations: conversions, and comparisons and arithmetic of extended numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/package/package_order.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Whether the operation is a zero or sign extension.
constexpr bool is_extension(operation code) {
  return code == operation::zero_extend || code == operation::sign_extend;
}

/// Merges a conversion of a conversion of `x` into at most one operation; otherwise an order of kind `none`. The inner
/// result has the width that the outer one reads, `x` the width that the inner one reads.
///
/// - trunc(ext x) = x, or trunc x, or ext x; trunc(trunc x) = trunc x
/// - zext(zext x) = zext x, sext(sext x) = sext x, sext(zext x) = zext x
///
/// zext(trunc x) = x & (2^k - 1) is no rule: conversions cost nothing by `usual_class`, the mask is an operation.
constexpr package_order convert_once(const operation_info& outer, const operation_info& inner, value_id x) {
  const unsigned from = inner.operand_width;
  const unsigned to = outer.width;
  const auto by = [&](operation code) {
    package_order order = package_order::to_tree("a conversion of a conversion");
    order.add({code, outer.width, inner.operand_width, {}}, order_operand::value(x));
    return order;
  };
  if (outer.operand_width != inner.width) {
    return {};
  }
  if (outer.code == operation::truncate && (is_extension(inner.code) || inner.code == operation::truncate)) {
    return to == from  ? package_order::to_existing(x, "a conversion and back")
           : to < from ? by(operation::truncate)
                       : by(inner.code);
  }
  if (is_extension(outer.code) && is_extension(inner.code) && inner.width > from) {
    return inner.code == operation::zero_extend || outer.code == inner.code ? by(inner.code) : package_order();
  }
  return {};
}

/// ext(x + by) = ext(x) + by', if the narrow sum does not wrap. `promises` are those of the sum, `facts` those of x.
constexpr package_order extended_sum(const operation_info& extension, value_id x, std::uint64_t by,
                                     operation_flags promises, const number_facts& facts) {
  const unsigned narrow = extension.operand_width;
  if (!is_extension(extension.code) || extension.width <= narrow) {
    return {};
  }
  const bool has_signs = extension.code == operation::sign_extend;
  const bool adds_negative = as_signed(by, narrow) < 0;
  const bool fits = has_signs ? promises.no_signed_wrap || facts.signed_sum_fits(by, narrow)
                              : facts.unsigned_sum_fits(by, narrow) ||
                                    (!adds_negative &&
                                     (promises.no_unsigned_wrap || (promises.no_signed_wrap && facts.is_natural())));
  if (!fits) {
    return {};
  }
  package_order order = package_order::to_tree("the extension of a sum is a sum");
  const order_operand wide =
      order.add({extension.code, extension.width, extension.operand_width, {}}, order_operand::value(x));
  order.add({operation::add, extension.width, extension.width, {}}, wide,
            order_operand::number(extension.width,
                                  static_cast<std::uint64_t>(as_signed(by, narrow)) & low_ones(extension.width)));
  return order;
}

/// sext x = zext x, if x is not negative.
constexpr package_order extend_natural(const operation_info& extension, value_id x, const number_facts& facts) {
  if (extension.code != operation::sign_extend || !facts.is_natural()) {
    return {};
  }
  package_order order = package_order::to_tree("the extension of a number that is not negative");
  order.add({operation::zero_extend, extension.width, extension.operand_width, {}}, order_operand::value(x));
  return order;
}

/// ext(trunc x) = x, if the truncation loses nothing. `x` has the width of the result.
constexpr package_order extend_truncated(const operation_info& extension, const operation_info& truncation, value_id x,
                                         const number_facts& facts) {
  const unsigned narrow = extension.operand_width;
  if (truncation.code != operation::truncate || !is_extension(extension.code) || truncation.width != narrow ||
      extension.width != truncation.operand_width) {
    return {};
  }
  const bool fits = extension.code == operation::zero_extend
                        ? facts.most <= low_ones(narrow)
                        : detail::fits_signed(facts.low, narrow) && detail::fits_signed(facts.high, narrow);
  return fits ? package_order::to_existing(x, "an extension of what was truncated without loss") : package_order();
}

/// Compares the narrow numbers instead of their extensions, unsigned if both have zeros above. `inner` is the extension
/// of both; both were extended from the same width.
constexpr package_order compare_narrow(const operation_info& comparison, const operation_info& inner, value_id x,
                                       value_id y) {
  if (!is_comparison(comparison.code) || !is_extension(inner.code) || inner.width != comparison.operand_width ||
      inner.width <= inner.operand_width) {
    return {};
  }
  const operation code = inner.code == operation::zero_extend ? unsigned_comparison(comparison.code) : comparison.code;
  package_order order = package_order::to_tree("a comparison of extended numbers");
  order.add({code, 1, inner.operand_width, {}}, order_operand::value(x), order_operand::value(y));
  return order;
}

/// Compares an extended number with the literal `c`: compares the narrow number, or is folded if no extended value
/// equals c. Returns `none` for an unsigned comparison of a sign extension with such a literal.
constexpr package_order compare_narrow_with(const operation_info& comparison, const operation_info& inner, value_id x,
                                            std::uint64_t c) {
  if (!is_comparison(comparison.code) || !is_extension(inner.code) || inner.width != comparison.operand_width ||
      inner.width <= inner.operand_width) {
    return {};
  }
  const bool has_zeros = inner.code == operation::zero_extend;
  const std::uint64_t low = c & low_ones(inner.operand_width);
  const std::uint64_t again =
      has_zeros ? low : static_cast<std::uint64_t>(as_signed(low, inner.operand_width)) & low_ones(inner.width);
  if (again == c) {
    package_order order = package_order::to_tree("a comparison of an extended number");
    order.add({has_zeros ? unsigned_comparison(comparison.code) : comparison.code, 1, inner.operand_width, {}},
              order_operand::value(x), order_operand::number(inner.operand_width, low));
    return order;
  }
  const bool is_equality = comparison.code == operation::equal || comparison.code == operation::not_equal;
  if (!has_zeros && !is_equality && comparison.code == unsigned_comparison(comparison.code)) {
    return {}; // the extended values are then no interval
  }
  const std::uint64_t operands[2] = {0, c}; // all extended values compare like 0
  return package_order::to_constant(evaluate(comparison, span<const std::uint64_t>(operands, 2)).bits,
                                    "an extended number and a literal that is none");
}

/// Replaces the comparison of one bit with the literal `c` by `p` or its negation.
constexpr package_order compare_bit(const operation_info& comparison, value_id p, std::uint64_t c) {
  const bool asks_equal = comparison.code == operation::equal;
  if (comparison.operand_width != 1 || (!asks_equal && comparison.code != operation::not_equal)) {
    return {};
  }
  if (asks_equal == (c == 1)) {
    return package_order::to_existing(p, "a comparison of one bit");
  }
  package_order order = package_order::to_tree("a comparison of one bit");
  order.add({operation::bit_not, 1, 1, {}}, order_operand::value(p));
  return order;
}

/// trunc(x op y) = trunc(x) op trunc(y), for sums, differences, products and operations of bits. `x` and `y` are the
/// operands in `width` bits.
constexpr package_order compute_narrow(unsigned width, operation code, order_operand x, order_operand y) {
  if (code != operation::add && code != operation::sub && code != operation::mul && code != operation::bit_and &&
      code != operation::bit_or && code != operation::bit_xor) {
    return {};
  }
  const auto w = static_cast<std::uint8_t>(width);
  package_order order = package_order::to_tree("a truncation of arithmetic");
  order.add({code, w, w, {}}, x, y);
  return order;
}

/// Masks an extended number of `inner.width` bits; a zero extension, if that is all the mask says.
constexpr package_order mask_extended(const operation_info& inner, value_id x, std::uint64_t mask) {
  const std::uint64_t low = low_ones(inner.operand_width);
  if (!is_extension(inner.code) || (inner.code == operation::zero_extend ? (mask & low) != low : mask != low)) {
    return {};
  }
  package_order order = package_order::to_tree("a mask of an extended number");
  order.add({operation::zero_extend, inner.width, inner.operand_width, {}}, order_operand::value(x));
  return order;
}

/// The bits of the result that may be 1; `bits` are those that may be 1 in the operands. For a shift, the second entry
/// is the literal shift amount, or at least the width if it is not a literal.
constexpr std::uint64_t possible_bits(const operation_info& info, const std::uint64_t (&bits)[3]) {
  const std::uint64_t all = low_ones(info.width);
  const bool shifts = bits[1] < info.width;
  switch (info.code) {
  case operation::bit_and:
    return bits[0] & bits[1];
  case operation::bit_or:
  case operation::bit_xor:
    return bits[0] | bits[1];
  case operation::select:
    return bits[1] | bits[2];
  case operation::zero_extend:
  case operation::truncate:
    return bits[0] & all;
  case operation::shl:
    return shifts ? bits[0] << bits[1] & all : all;
  case operation::shr:
    return shifts ? bits[0] >> bits[1] : all;
  default:
    return all;
  }
}

MIDEND_END_NAMESPACE
