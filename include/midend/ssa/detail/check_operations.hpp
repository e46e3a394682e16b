/// The checks of the semantics rung about values: operations, widths, signs, constants, bounds.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/checked_ir.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class IR> constexpr operation_info operation_info_of(const IR& ir, value_id v) {
  return ir.operation(v);
}

constexpr std::uint64_t number_of_code(operation code) {
  return static_cast<std::uint64_t>(code);
}

constexpr bool is_width_of_numbers(unsigned width) {
  return width >= 1 && width <= 64;
}

constexpr bool has_bits_above(std::uint64_t bits, unsigned width) {
  return (bits & ~low_ones(width)) != 0;
}

/// Whether `operand_width` says how many bits of its operands an operation reads.
constexpr bool has_operand_width(operation code) {
  return is_comparison(code) || code == operation::truncate || code == operation::zero_extend ||
         code == operation::sign_extend;
}

constexpr bool reads_sign(operation code) {
  switch (code) {
  case operation::div:
  case operation::rem:
  case operation::sar:
  case operation::sar_modulo:
  case operation::min:
  case operation::max:
  case operation::less:
  case operation::less_equal:
  case operation::greater:
  case operation::greater_equal:
  case operation::sign_extend:
    return true;
  default:
    return false;
  }
}

/// No IR compares only the low bits of numbers, so such a width is a mistake: the result's width as `operand_width`.
template <class IR> constexpr optional<ir_error> check_compared_bits(const IR& ir, value_id v) {
  unsigned width = 64;
  std::size_t position = 0;
  for (const auto& id : ir.operands(v)) {
    if (position++ < 2) {
      const unsigned bits = operation_info_of(ir, static_cast<value_id>(id)).width;
      width = bits < width ? bits : width;
    }
  }
  if (width != 1) {
    return ir_error{.why = ir_reason::compares_one_bit, .value = v, .number = width};
  }
  return std::nullopt;
}

/// An operand with fewer bits than the operation reads has zeros above. A signed operation would never see it as
/// negative.
template <class IR> constexpr optional<ir_error> check_signs(const IR& ir, value_id v, const operation_info& info) {
  const unsigned read = has_operand_width(info.code) ? info.operand_width : info.width;
  std::size_t position = 0;
  for (const auto& id : ir.operands(v)) {
    if (position == arity(info.code) || (position == 1 && reads_whole(info.code, 1))) {
      break;
    }
    if (const unsigned width = operation_info_of(ir, static_cast<value_id>(id)).width; width < read) {
      return ir_error{.why = ir_reason::operand_too_narrow, .value = v, .position = position, .number = width};
    }
    ++position;
  }
  return std::nullopt;
}

/// Widths matter to domains of numbers only, unless the operation is in the vocabulary.
template <class IR>
MIDEND_ALWAYS_INLINED constexpr optional<ir_error> check_operation(const IR& ir, value_id v,
                                                                   const operation_info& info) {
  if (info.code > last_operation) {
    return ir_error{.why = ir_reason::unknown_operation, .value = v, .number = number_of_code(info.code)};
  }
  const bool is_known = info.code != operation::other;
  if ((is_known || has_64_bit_constants<IR>) && !is_width_of_numbers(info.width)) {
    return ir_error{.why = ir_reason::width_out_of_range, .value = v, .number = info.width};
  }
  if (is_known && (has_operand_width(info.code) || is_modulo_shift(info.code)) &&
      !is_width_of_numbers(info.operand_width)) {
    return ir_error{.why = ir_reason::operand_width_out_of_range, .value = v, .number = info.operand_width};
  }
  const bool widens = info.code == operation::zero_extend || info.code == operation::sign_extend;
  if ((widens && info.operand_width > info.width) ||
      (info.code == operation::truncate && info.operand_width < info.width)) {
    return ir_error{.why = ir_reason::conversion_width, .value = v, .number = info.operand_width};
  }
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& id : ir.operands(v)) {
    ++count;
  }
  if (count < arity(info.code)) {
    return ir_error{.why = ir_reason::too_few_operands, .value = v, .position = count, .number = arity(info.code)};
  }
  if (is_comparison(info.code) && info.operand_width == 1) {
    return check_compared_bits(ir, v);
  }
  return reads_sign(info.code) ? check_signs(ir, v, info) : std::nullopt;
}

/// A constant has no bits above its width.
template <class IR>
constexpr optional<ir_error> check_literal([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v,
                                           [[maybe_unused]] const operation_info& info) {
  if constexpr (has_64_bit_constants<IR>) {
    if (const std::optional<std::uint64_t> c = ir.constant(v); c && has_bits_above(*c, info.width)) {
      return ir_error{.why = ir_reason::constant_too_wide, .value = v, .number = *c};
    }
  }
  return std::nullopt;
}

/// Bounds have no bits above the width, and some number is within them.
template <class IR>
constexpr optional<ir_error> check_bounds([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v,
                                          [[maybe_unused]] const operation_info& info) {
  if constexpr (has_64_bit_constants<IR> && has_bounds<IR>) {
    if (info.code != operation::other || ir.is_phi(v)) {
      return std::nullopt;
    }
    const std::optional<number_range> bounds = ir.bounds(v);
    if (!bounds) {
      return std::nullopt;
    }
    for (const std::uint64_t bound : {bounds->low, bounds->high}) {
      if (has_bits_above(bound, info.width)) {
        return ir_error{.why = ir_reason::bounds_too_wide, .value = v, .number = bound};
      }
    }
    const bool is_empty = bounds->is_signed ? as_signed(bounds->high, info.width) < as_signed(bounds->low, info.width)
                                            : bounds->high < bounds->low;
    if (is_empty) {
      return ir_error{.why = ir_reason::bounds_out_of_order, .value = v, .number = bounds->low};
    }
  }
  return std::nullopt;
}

/// What each value computes makes sense. All questions about one value come before those about the next, so that the
/// error is at the first wrong value.
template <class IR> constexpr optional<ir_error> check_operations(const IR& ir, const checked_ir& known) {
  for (value_id v = 0; v != known.values; ++v) {
    const operation_info info = operation_info_of(ir, v);
    if (const optional<ir_error> error = check_operation(ir, v, info)) {
      return error;
    }
    if (const optional<ir_error> error = check_literal(ir, v, info)) {
      return error;
    }
    if (const optional<ir_error> error = check_bounds(ir, v, info)) {
      return error;
    }
    if (info.code != operation::other && ir.is_phi(v)) {
      return ir_error{.why = ir_reason::operation_of_phi, .value = v, .number = number_of_code(info.code)};
    }
    if (info.code != operation::other && is_opaque(ir, v)) {
      return ir_error{.why = ir_reason::opaque_operation, .value = v, .number = number_of_code(info.code)};
    }
  }
  return std::nullopt;
}

/// A phi does not convert its inputs, as operations do.
template <class IR> constexpr optional<ir_error> check_widths_of_phis(const IR& ir, const checked_ir& known) {
  for (node_id n = 0; has_64_bit_constants<IR> && n != known.nodes; ++n) {
    for (const auto& id : ir.values(n)) {
      const auto phi = static_cast<value_id>(id);
      if (!ir.is_phi(phi)) {
        break;
      }
      const unsigned expected = operation_info_of(ir, phi).width;
      for (std::uint32_t i = known.first_in[n]; i != known.first_in[n + std::size_t{1}]; ++i) {
        const edge_id e = known.in_edges[i];
        const auto input = static_cast<value_id>(ir.phi_input(phi, e));
        if (const unsigned width = operation_info_of(ir, input).width; width != expected) {
          return ir_error{.why = ir_reason::phi_input_width, .node = n, .value = phi, .edge = e, .number = width};
        }
      }
    }
  }
  return std::nullopt;
}

} // namespace detail

MIDEND_END_NAMESPACE
