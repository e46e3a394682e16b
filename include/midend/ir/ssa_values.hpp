/// The values rung of the IR contract: SSA values and their operands. As with graphs, an IR is any type with the
/// members below.
///
///     std::size_t num_values() const;
///     auto operands(midend::value_id v) const;          // values that `v` reads; for a phi, its inputs
///     bool is_phi(midend::value_id v) const;
///     auto users(midend::value_id v) const;             // values that read `v`; optional
///
/// A value has one definition: it is the result of an operation, a parameter, a constant, or a phi. Operands and users
/// may list a value twice. Without `users`, analyses derive it. A member `users` that does not fit is an error.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/contract.hpp"

#include <concepts>
#include <cstddef>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// `num_values()` returns the number of values.
template <class IR>
concept has_num_values = requires(const IR& ir) {
  { ir.num_values() } -> std::convertible_to<std::size_t>;
};

/// `operands(v)` is a range of values.
template <class IR>
concept has_value_operands = requires(const IR& ir, value_id v) { ir.operands(v); } &&
                             range_of_ids<decltype(std::declval<const IR&>().operands(value_id{}))>;

/// `is_phi(v)` says whether a value is a phi: one of its operands, depending on the edge that control took.
template <class IR>
concept has_is_phi = requires(const IR& ir, value_id v) {
  { ir.is_phi(v) } -> truth_value;
};

/// `users(v)` is a range of values. Optional.
template <class IR>
concept has_users = requires(const IR& ir, value_id v) { ir.users(v); } &&
                    range_of_ids<decltype(std::declval<const IR&>().users(value_id{}))>;

/// SSA values with their operands.
template <class IR>
concept ssa_values = has_num_values<IR> && has_value_operands<IR> && has_is_phi<IR>;

namespace detail {

MIDEND_REQUIRED(has_num_values, "an IR in SSA form needs `std::size_t num_values() const`");
MIDEND_REQUIRED(
    has_value_operands,
    "an IR in SSA form needs `operands(midend::value_id v) const` that returns a range of values, by number");
MIDEND_REQUIRED(has_is_phi, "an IR in SSA form needs `bool is_phi(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(users, has_users, it.users(value_id()), "of an IR would never be called",
                       "`users(midend::value_id v) const` so that it returns a range of values");

struct ssa_values_contract : contract<has_num_values_row, has_value_operands_row, has_is_phi_row, users_row> {};

} // namespace detail

/// What functions take: `ssa_values`, with optional members that fit; otherwise an error.
template <class IR>
concept ssa_values_argument =
    (ssa_values<IR> && detail::ssa_values_contract::fits<IR>) || detail::ssa_values_contract::explain<IR>();

MIDEND_END_NAMESPACE
