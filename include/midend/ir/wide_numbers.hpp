/// `has_wide_numbers`: the optional members of an IR with integers of more than 64 bits.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/wide_number.hpp"

#include <concepts>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Optional members of the semantics rung, about integers of more than 64 bits. For all other members these are values
/// without numbers: the `operation` that computes or compares them is `other`, and they have no `constant`. So analyses
/// that do not know wide numbers cannot be wrong about them.
///
///     std::uint8_t number_width(value_id v);    // of an integer, 1 … 255; 0: v is none, or is wider
///     operation_info wide_operation(value_id v);                  // of an operation that is not a phi
///     std::optional<wide_number> wide_constant(value_id v);       // of an integer literal, with zeros above the width
///
/// `wide_operation` is the operation of `v`, with its real widths, if its result or an operand is an integer of more
/// than 64 bits. Otherwise, and for operations outside the vocabulary, the code is `other`.
///
/// An editor of such an IR makes operations with these widths, and `make_number(width, bits)` makes literals of them,
/// with zeros above the 64 bits.
template <class IR>
concept has_wide_numbers = requires(const IR& ir, value_id v) {
  { ir.number_width(v) } -> std::convertible_to<std::uint8_t>;
  { ir.wide_operation(v) } -> std::convertible_to<operation_info>;
  { ir.wide_constant(v) } -> std::convertible_to<std::optional<wide_number>>;
};

/// Integers of more bits have `number_width` 0.
inline constexpr unsigned widest_number = 255;

MIDEND_END_NAMESPACE
