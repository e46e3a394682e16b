/// The checks of the values rung: operands and users.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ssa/detail/checked_ir.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Operands are values. An input of a phi may still be `no_value` here: `check_phis` knows its edge.
template <class IR> constexpr optional<ir_error> check_operands(const IR& ir, checked_ir& known) {
  const auto count = static_cast<std::size_t>(ir.num_values());
  if (count > no_value) {
    return ir_error{.why = ir_reason::too_many_values, .number = count};
  }
  const auto values = static_cast<value_id>(count);
  known.values = values;
  for (value_id v = 0; v != values; ++v) {
    const bool may_be_unset = ssa_ir<IR> && ir.is_phi(v);
    std::size_t position = 0;
    for (const auto& id : ir.operands(v)) {
      const auto operand = static_cast<value_id>(id);
      if (operand >= values && !(may_be_unset && operand == no_value)) {
        return ir_error{.why = ir_reason::operand_out_of_range, .value = v, .position = position, .number = operand};
      }
      ++position;
    }
  }
  return std::nullopt;
}

/// Calls `visit(read, reader)` for all operands that are set.
template <class IR, class Visit> constexpr void for_each_read(const IR& ir, value_id values, Visit visit) {
  for (value_id v = 0; v != values; ++v) {
    for (const auto& id : ir.operands(v)) {
      if (static_cast<value_id>(id) != no_value) {
        visit(static_cast<value_id>(id), v);
      }
    }
  }
}

/// The last position at which `reader` reads a value.
template <class IR> constexpr std::size_t last_position_of(const IR& ir, value_id reader, value_id read) {
  std::size_t position = 0;
  std::size_t found = 0;
  for (const auto& id : ir.operands(reader)) {
    found = static_cast<value_id>(id) == read ? position : found;
    ++position;
  }
  return found;
}

/// `users(v)` lists each reader of `v` as often as it reads `v`, in any order. First counts the reads of each value,
/// then lists the readers by value, and compares.
template <class IR> constexpr optional<ir_error> check_users(const IR& ir, const checked_ir& known) {
  const value_id values = known.values;
  flat_array<std::uint32_t> ends(values + std::size_t{1}, 0);
  for_each_read(ir, values, [&](value_id read, value_id) { ++ends[read]; });
  counts_to_ends(ends);
  flat_array<value_id> readers;
  readers.resize_for_overwrite(ends.back());
  for_each_read(ir, values, [&](value_id read, value_id reader) { readers[--ends[read]] = reader; });
  flat_array<std::uint32_t> reads(values, 0); // by reader: reads of `v` not yet matched by its users
  for (value_id v = 0; v != values; ++v) {
    const std::uint32_t last = ends[v + std::size_t{1}];
    for (std::uint32_t i = ends[v]; i != last; ++i) {
      ++reads[readers[i]];
    }
    std::size_t position = 0;
    for (const auto& id : ir.users(v)) {
      const auto user = static_cast<value_id>(id);
      if (user >= values) {
        return ir_error{.why = ir_reason::user_out_of_range, .value = v, .position = position, .number = user};
      }
      if (reads[user] == 0) {
        return ir_error{.why = ir_reason::extra_user, .value = v, .position = position, .number = user};
      }
      --reads[user];
      ++position;
    }
    for (std::uint32_t i = ends[v]; i != last; ++i) {
      if (reads[readers[i]] != 0) {
        return ir_error{.why = ir_reason::missing_user,
                        .value = v,
                        .position = last_position_of(ir, readers[i], v),
                        .number = readers[i]};
      }
    }
  }
  return std::nullopt;
}

} // namespace detail

MIDEND_END_NAMESPACE
