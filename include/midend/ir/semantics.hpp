/// The semantics rung of the IR contract: what values and branches mean. In addition to the SSA rung:
///
///     using constant_type = std::uint64_t;                                          // the IR's own
///     midend::operation_info operation(midend::value_id v) const;
///     std::optional<constant_type> constant(midend::value_id v) const;
///     std::optional<constant_type> fold(midend::value_id v, std::span<const constant_type> args) const;
///     std::optional<constant_type> edge_case(midend::edge_id e) const;
///
/// `constant(v)` is the value of `v` if it is a literal, else `std::nullopt`. Constants are compared bit for bit: two
/// NaNs are equal if their bits are, 0.0 and -0.0 are not.
///
/// `operation(v)` says what `v` computes in the vocabulary of `ir/operation.hpp`; the arguments are the first
/// `arity(code)` of `operands(v)`. `operation::other` is for everything else, including constants, parameters and phis;
/// `width` is then the width of the value, or arbitrary if it is not a number.
///
/// `fold(v, args)` computes `v`, which is not a phi, from constants, one for each of `operands(v)`. `std::nullopt` if
/// the result is unknown (it depends on memory or on the environment) or there is none (a division by zero). The result
/// must be what the program computes on every target it is compiled for, and may only depend on `v` and `args`.
///
/// `edge_case(e)` is the value of the condition at the source of `e` for which `e` is taken; `std::nullopt` for the
/// edge that is taken for all other values. The two edges of `br %c` have the cases 1 and 0, or, if every number except
/// 0 counts as true, none and 0. No two edges of a node have the same case. Called only where `condition` returns a
/// value.
///
/// Four members are optional. `bool is_undefined(v)`: `v` is the literal `undef`, which may have any value. `bool
/// never_returns(v)`: control does not pass `v` (a call of `exit`), neither to later values of its node nor along its
/// edges. `std::optional<number_range> bounds(v)`: a guaranteed range of `v`, a parameter or an operation that is
/// `other`. `bool is_opaque(v)`: `v` is `other` and `fold` never returns a result for it, as for a call or a store, so
/// its operands need not be examined.
///
/// If `constant_type` is `std::uint64_t`, constants are numbers of the value's width with zeros above, as in
/// `ir/evaluate.hpp`; the ready domains then have transfer functions for the whole vocabulary.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// `IR::constant_type` is a type that can be copied and compared.
template <class IR>
concept has_constant_type = requires { typename IR::constant_type; } && std::copyable<typename IR::constant_type> &&
                            std::equality_comparable<typename IR::constant_type>;

/// The constants of an IR.
template <class IR> using constant_of = typename IR::constant_type;

/// `operation(v)` says what a value computes.
template <class IR>
concept has_operation = requires(const IR& ir, value_id v) {
  { ir.operation(v) } -> std::convertible_to<operation_info>;
};

/// `constant(v)` returns the constant that a value is, if it is one.
template <class IR>
concept has_constant = requires(const IR& ir, value_id v) {
  { ir.constant(v) } -> std::convertible_to<std::optional<constant_of<IR>>>;
};

/// `fold(v, args)` computes a value from constants.
template <class IR>
concept has_fold = requires(const IR& ir, value_id v, span<const constant_of<IR>> args) {
  { ir.fold(v, args) } -> std::convertible_to<std::optional<constant_of<IR>>>;
};

/// `edge_case(e)` returns the value of the condition for which an edge is taken.
template <class IR>
concept has_edge_case = requires(const IR& ir, edge_id e) {
  { ir.edge_case(e) } -> std::convertible_to<std::optional<constant_of<IR>>>;
};

/// `is_undefined(v)` says whether a value is the literal `undef`. Optional.
template <class IR>
concept has_is_undefined = requires(const IR& ir, value_id v) {
  { ir.is_undefined(v) } -> std::same_as<bool>;
};

/// `never_returns(v)` says whether control does not pass a value. Optional.
template <class IR>
concept has_never_returns = requires(const IR& ir, value_id v) {
  { ir.never_returns(v) } -> std::same_as<bool>;
};

/// `is_opaque(v)` says that a value cannot be computed from its operands. Optional.
template <class IR>
concept has_is_opaque = requires(const IR& ir, value_id v) {
  { ir.is_opaque(v) } -> std::same_as<bool>;
};

/// Whether the IR says that `v` cannot be computed from its operands.
template <class IR> constexpr bool is_opaque([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  if constexpr (has_is_opaque<IR>) {
    return ir.is_opaque(v);
  } else {
    return false;
  }
}

/// The numbers from `low` to `high`, read as signed or unsigned. Bits above the width of the value are zero.
struct number_range {
  std::uint64_t low;
  std::uint64_t high;
  bool is_signed;

  friend constexpr bool operator==(const number_range&, const number_range&) = default;
};

/// `bounds(v)` returns a guaranteed range of a value. Optional.
template <class IR>
concept has_bounds = std::same_as<constant_of<IR>, std::uint64_t> && requires(const IR& ir, value_id v) {
  { ir.bounds(v) } -> std::convertible_to<std::optional<number_range>>;
};

/// The semantics rung: an IR in SSA form whose values can be computed.
template <class IR>
concept semantic_ir =
    ssa_ir<IR> && has_constant_type<IR> && has_operation<IR> && has_constant<IR> && has_fold<IR> && has_edge_case<IR>;

MIDEND_END_NAMESPACE
