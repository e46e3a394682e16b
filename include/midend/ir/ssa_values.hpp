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

// A member of this name exists, whether it fits or not; see `graph/concepts.hpp`.
template <class IR>
concept names_users = requires { &IR::users; } || requires(IR& ir, value_id v) { ir.users(v); };

template <class IR>
concept users_fit = has_users<IR> || !names_users<IR>;

/// The error of an IR without the values rung: one sentence for the first thing that is wrong. Always false.
template <class IR> constexpr bool explain_ssa_values() {
  if constexpr (!has_num_values<IR>) {
    static_assert(has_num_values<IR>, "midend: an IR in SSA form needs `std::size_t num_values() const`");
  } else if constexpr (!has_value_operands<IR>) {
    static_assert(has_value_operands<IR>, "midend: an IR in SSA form needs `operands(midend::value_id v) const` that "
                                          "returns a range of values, by number");
  } else if constexpr (!has_is_phi<IR>) {
    static_assert(has_is_phi<IR>, "midend: an IR in SSA form needs `bool is_phi(midend::value_id v) const`");
  } else if constexpr (!users_fit<IR>) {
    static_assert(has_users<IR>, "midend: `users` of an IR would never be called; write `users(midend::value_id v) "
                                 "const` so that it returns a range of values, or give the member another name");
  }
  return false;
}

} // namespace detail

/// What functions take: `ssa_values`, with optional members that fit; otherwise an error.
template <class IR>
concept ssa_values_argument = (ssa_values<IR> && detail::users_fit<IR>) || detail::explain_ssa_values<IR>();

MIDEND_END_NAMESPACE
