/// The values rung of the IR contract: SSA values and what they are made of. As with graphs, an IR is any type with the
/// members below.
///
///     std::size_t num_values() const;
///     auto operands(midend::value_id v) const;          // values, as `v` reads them; of a phi, one for each edge
///     bool is_phi(midend::value_id v) const;
///     auto users(midend::value_id v) const;             // values that read `v`; may be left out
///
/// A value is whatever has one definition: the result of an operation, a parameter, a constant, a phi. Operands may
/// name a value twice; so may users. Where `users` is left out, it is derived.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"

#include <concepts>
#include <cstddef>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// `num_values()` gives the number of values.
template <class IR>
concept has_num_values = requires(const IR& ir) {
  { ir.num_values() } -> std::convertible_to<std::size_t>;
};

/// `operands(v)` is a range of values.
template <class IR>
concept has_value_operands = requires(const IR& ir, value_id v) { ir.operands(v); } &&
                             range_of_ids<decltype(std::declval<const IR&>().operands(value_id{}))>;

/// `is_phi(v)` says whether a value is one of its operands, depending on the edge by which control has come.
template <class IR>
concept has_is_phi = requires(const IR& ir, value_id v) {
  { ir.is_phi(v) } -> std::same_as<bool>;
};

/// `users(v)` is a range of values. Optional.
template <class IR>
concept has_users = requires(const IR& ir, value_id v) { ir.users(v); } &&
                    range_of_ids<decltype(std::declval<const IR&>().users(value_id{}))>;

/// SSA values with their operands.
template <class IR>
concept ssa_values = has_num_values<IR> && has_value_operands<IR> && has_is_phi<IR>;

MIDEND_END_NAMESPACE
