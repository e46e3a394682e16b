/// The semantics rung of the IR contract: the meaning of values and branches. In addition to the SSA rung:
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
/// `operation(v)` is the operation of `v` in the vocabulary of `ir/operation.hpp`; its arguments are the first
/// `arity(code)` of `operands(v)`. `operation::other` is for everything else, including constants, parameters and phis;
/// `width` is then the width of the value, or arbitrary if it is not a number.
///
/// `fold(v, args)` computes `v`, which is not a phi, from constants, one for each of `operands(v)`. `std::nullopt` if
/// the result is unknown (it depends on memory or on the environment) or there is none (a division by zero). The result
/// must be what the program computes on every target it is compiled for, and may only depend on `v` and `args`. Asked
/// only if `operation(v)` is `other`, or if the domain has no transfer functions: it need not know the vocabulary.
///
/// The second form of `fold` may take the place of the first; then only it is called:
///
///     std::optional<constant_type> fold(midend::value_id v,
///                                       std::span<const std::optional<constant_type>> args) const;
///
/// `std::nullopt` in `args` is an operand that is not known to be constant. So it can fold x - x and x & 0 to 0. It is
/// called for all values that are not phis, literals or opaque, unless the vocabulary has found a constant already. The
/// result must hold for all values of the unknown operands: with more known `args`, a known result must not change. It
/// may compare the numbers of operands (x - x), but must not look up the definition of an unknown operand. A value that
/// may still change (a specialization constant, a symbol that is linked later) has the `constant` `std::nullopt`, also
/// in `args`, and so must everything that is computed from it.
///
/// `edge_case(e)` is the value of the condition at the source of `e` for which `e` is taken. It is `std::nullopt` for
/// the edge of all other values. The two edges of `br %c` have the cases 1 and 0, or, if every number except 0 counts
/// as true, none and 0. No two edges of a node have the same case. Called only where `condition` returns a value.
///
/// `edge_cases(e)` may take the place of `edge_case`, for edges with several cases; then only it is called. It returns
/// a range, which may be a temporary, of constants or, if these are 64-bit numbers, of `number_range`s. An empty range
/// is the edge for all other values. (If the edge of all other values also has cases of its own, as in GCC, return an
/// empty range.)
///
/// Five members are optional. `bool is_undefined(v)`: `v` is the literal `undef`, which may have any value. `bool
/// never_returns(v)`: control does not pass `v` (a call of `exit`), neither to later values of its node nor along its
/// edges. `std::optional<number_range> bounds(v)`: a guaranteed range of `v`, a parameter or an operation that is
/// `other`. `bool is_opaque(v)`: `v` is `other` and `fold` never returns a result for it, as for a call or a store, so
/// its operands need not be examined. `bool same_type(v, w)`: a reader of `v` may read `w` in its place.
/// `value_numbering` needs it if values of one width can have different types (a number and an address).
///
/// If `constant_type` is `std::uint64_t`, constants are numbers of the value's width with zeros above, as in
/// `ir/evaluate.hpp`; the ready domains then have transfer functions for the whole vocabulary.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/regular.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// `IR::constant_type` is a type that can be copied and compared.
template <class IR>
concept has_constant_type = requires {
  typename IR::constant_type;
} && detail::copyable_type<typename IR::constant_type> && detail::comparable_type<typename IR::constant_type>;

/// A `std::optional<T>` or a type that converts to it, but no `T`: a member that returns `T` would always return a
/// constant, which is a mistake. It holds a `T` and no other number, because callers compare and join results.
/// `std::nullopt` alone holds none.
template <class R, class T>
concept optional_of = std::convertible_to<R, std::optional<T>> && !std::convertible_to<R, T> &&
                      (std::same_as<R, std::nullopt_t> || requires(const std::remove_cvref_t<R>& r) {
                        requires std::same_as<std::remove_cvref_t<decltype(*r)>, T>;
                      });

/// The constants of an IR.
template <class IR> using constant_of = typename IR::constant_type;

/// `operation(v)` returns the operation of a value.
template <class IR>
concept has_operation = requires(const IR& ir, value_id v) {
  { ir.operation(v) } -> std::convertible_to<operation_info>;
};

/// `constant(v)` returns the constant that a value is, if it is one.
template <class IR>
concept has_constant = requires(const IR& ir, value_id v) {
  { ir.constant(v) } -> optional_of<constant_of<IR>>;
};

/// `fold(v, args)` computes a value from constants.
template <class IR>
concept has_fold = requires(const IR& ir, value_id v, span<const constant_of<IR>> args) {
  { ir.fold(v, args) } -> optional_of<constant_of<IR>>;
};

/// `fold(v, args)` computes a value from operands, some of them perhaps unknown.
template <class IR>
concept has_partial_fold = requires(const IR& ir, value_id v, span<const std::optional<constant_of<IR>>> args) {
  { ir.fold(v, args) } -> optional_of<constant_of<IR>>;
};

/// `edge_case(e)` returns the value of the condition for which an edge is taken.
template <class IR>
concept has_edge_case = requires(const IR& ir, edge_id e) {
  { ir.edge_case(e) } -> optional_of<constant_of<IR>>;
};

/// The numbers from `low` to `high`, read as signed or unsigned. Bits above the width of the value are zero.
struct number_range {
  std::uint64_t low;
  std::uint64_t high;
  bool is_signed;

  friend constexpr bool operator==(const number_range&, const number_range&) = default;
};

/// `edge_cases(e)` returns all values of the condition for which an edge is taken.
template <class IR>
concept has_edge_cases = requires(const IR& ir, edge_id e) {
  { *std::begin(ir.edge_cases(e)) } -> std::convertible_to<constant_of<IR>>;
} || (std::same_as<constant_of<IR>, std::uint64_t> && requires(const IR& ir, edge_id e) {
                           { *std::begin(ir.edge_cases(e)) } -> std::convertible_to<number_range>;
                         });

/// Calls `visit(one)` for each case of an edge, a `constant_of<IR>` or a `number_range`; not at all for the edge of all
/// other values.
template <class IR, class Visit> constexpr void for_each_case(const IR& ir, edge_id e, Visit visit) {
  if constexpr (has_edge_cases<IR>) {
    for (auto&& one : ir.edge_cases(e)) {
      if constexpr (std::convertible_to<decltype(one), constant_of<IR>>) {
        visit(static_cast<constant_of<IR>>(one));
      } else {
        visit(static_cast<number_range>(one));
      }
    }
  } else if (const std::optional<constant_of<IR>> one = ir.edge_case(e)) {
    visit(*one);
  }
}

/// `is_undefined(v)` says whether a value is the literal `undef`. Optional.
template <class IR>
concept has_is_undefined = requires(const IR& ir, value_id v) {
  { ir.is_undefined(v) } -> truth_value;
};

namespace detail {

/// Whether `v` is the literal `undef`, which does not equal itself.
template <class IR> constexpr bool is_undefined_literal([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  if constexpr (has_is_undefined<IR>) {
    return static_cast<bool>(ir.is_undefined(v));
  } else {
    return false;
  }
}

} // namespace detail

/// `never_returns(v)` says whether control does not pass a value. Optional.
template <class IR>
concept has_never_returns = requires(const IR& ir, value_id v) {
  { ir.never_returns(v) } -> truth_value;
};

/// `is_opaque(v)` says that a value cannot be computed from its operands. Optional.
template <class IR>
concept has_is_opaque = requires(const IR& ir, value_id v) {
  { ir.is_opaque(v) } -> truth_value;
};

/// Whether the IR says that `v` cannot be computed from its operands.
template <class IR> constexpr bool is_opaque([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  if constexpr (has_is_opaque<IR>) {
    return static_cast<bool>(ir.is_opaque(v));
  } else {
    return false;
  }
}

/// `bounds(v)` returns a guaranteed range of a value. Optional.
template <class IR>
concept has_bounds = std::same_as<constant_of<IR>, std::uint64_t> && requires(const IR& ir, value_id v) {
  { ir.bounds(v) } -> std::convertible_to<std::optional<number_range>>;
};

/// `facts(v)` returns facts about a parameter, or about an operation that is `other`. Optional. Like `bounds`, but with
/// both kinds of bounds and a remainder; domains that have `known(facts)` begin with it.
template <class IR>
concept has_facts = std::same_as<constant_of<IR>, std::uint64_t> && requires(const IR& ir, value_id v) {
  { ir.facts(v) } -> std::convertible_to<std::optional<number_facts>>;
};

/// A domain has an element for each fact.
template <class D>
concept has_known = requires(const D& domain, const number_facts& f) {
  { domain.known(f) } -> std::same_as<typename D::element>;
};

/// `same_type(v, w)` says whether a value has the type of another one. Optional.
template <class IR>
concept has_same_type = requires(const IR& ir, value_id v) {
  { ir.same_type(v, v) } -> truth_value;
};

/// Whether two values have the same type: by `same_type`, or else the same width.
template <class IR> constexpr bool same_type(const IR& ir, value_id v, value_id w) {
  if constexpr (has_same_type<IR>) {
    return static_cast<bool>(ir.same_type(v, w));
  } else {
    return v == w || ir.operation(v).width == ir.operation(w).width;
  }
}

/// The semantics rung: an IR in SSA form whose values can be computed.
template <class IR>
concept semantic_ir = ssa_ir<IR> && has_constant_type<IR> && has_operation<IR> && has_constant<IR> &&
                      (has_fold<IR> || has_partial_fold<IR>) && (has_edge_case<IR> || has_edge_cases<IR>);

namespace detail {

/// A `fold` that takes a list of constants, some of them perhaps unknown.
template <class IR>
concept names_partial_fold =
    requires(IR& ir, value_id v, span<const std::optional<constant_of<IR>>> args) { ir.fold(v, args); };

template <class IR>
concept folds = has_fold<IR> || has_partial_fold<IR>;
template <class IR>
concept says_edge_cases = has_edge_case<IR> || has_edge_cases<IR>;

MIDEND_REQUIRED(has_constant_type,
                "an IR needs `using constant_type = std::uint64_t;`, or another type that can be copied and compared");
MIDEND_REQUIRED(has_operation, "an IR needs `midend::operation_info operation(midend::value_id v) const`; "
                               "`operation::other` is for everything outside the vocabulary");
MIDEND_REQUIRED(has_constant, "an IR needs `std::optional<constant_type> constant(midend::value_id v) const`, which "
                              "returns std::nullopt for all values that are no literals");
MIDEND_OPTIONAL_MEMBER(edge_cases, has_edge_cases, it.edge_cases(edge_id()), "of an IR would never be called",
                       "`std::span<const constant_type> edge_cases(midend::edge_id e) const`, or another range of "
                       "constants or of midend::number_range");
MIDEND_OPTIONAL_ROW(partial_fold_row, has_partial_fold, names_partial_fold,
                    "`fold` of an IR with unknown operands would never be called; write `std::optional<constant_type> "
                    "fold(midend::value_id v, std::span<const std::optional<constant_type>> args) const`");
MIDEND_REQUIRED(folds, "an IR needs `std::optional<constant_type> fold(midend::value_id v, std::span<const "
                       "constant_type> args) const`, which returns std::nullopt where it does not know the result");
MIDEND_REQUIRED(says_edge_cases, "an IR needs `std::optional<constant_type> edge_case(midend::edge_id e) const`, which "
                                 "returns std::nullopt for the edge of all other values");
MIDEND_OPTIONAL_MEMBER(is_undefined, has_is_undefined, it.is_undefined(value_id()), "of an IR would never be called",
                       "`bool is_undefined(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(never_returns, has_never_returns, it.never_returns(value_id()), "of an IR would never be called",
                       "`bool never_returns(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(is_opaque, has_is_opaque, it.is_opaque(value_id()), "of an IR would never be called",
                       "`bool is_opaque(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(
    bounds, has_bounds, it.bounds(value_id()), "of an IR would never be called",
    "`std::optional<midend::number_range> bounds(midend::value_id v) const`, with std::uint64_t as constant_type");
MIDEND_OPTIONAL_MEMBER(same_type, has_same_type, it.same_type(value_id(), value_id()), "of an IR would never be called",
                       "`bool same_type(midend::value_id v, midend::value_id w) const`");

struct optional_semantics : contract<edge_cases_row, partial_fold_row, is_undefined_row, never_returns_row,
                                     is_opaque_row, bounds_row, same_type_row> {};

struct semantic_contract
    : contract<ssa_contract, has_constant_type_row, has_operation_row, has_constant_row, edge_cases_row,
               partial_fold_row, folds_row, says_edge_cases_row, optional_semantics> {};

} // namespace detail

/// What functions take: a `semantic_ir` with optional members that fit; otherwise an error.
template <class IR>
concept semantic_ir_argument =
    (semantic_ir<IR> && detail::semantic_contract::fits<IR>) || detail::semantic_contract::explain<IR>();

MIDEND_END_NAMESPACE
