/// The cost rung of the IR contract: what operations cost, and which memory they access. On top of the semantics rung,
/// with 64-bit numbers as constants:
///
///     std::optional<midend::operation_class> cost(midend::value_id v) const;
///     std::optional<midend::memory_reference> memory(midend::value_id v) const;
///     midend::effect_kind effect(midend::value_id v) const;
///
/// `cost(v)` is the class in which a machine issues the operation; nothing if the operation takes no issue slot (a
/// register copy that disappears, an address that is part of a load). A terminator that is among the values of its node
/// has the class `branch`, by which analyses recognise it; one that is itself the condition of its node, because it
/// compares and branches, counts as a comparison and a branch. `cost` is not called for phis.
///
/// `effect(v)` is the effect of an operation besides computing a value: nothing, reading memory, writing memory, or
/// unknown. If it reads or writes, `memory(v)` is the place; nothing means anywhere.
///
/// These members are optional:
///
///              bool may_reassociate(midend::value_id v) const; // may be regrouped in spite of rounding
///     midend::guard_of_value guard(midend::value_id v) const;      // runs only if a predicate holds
///     midend::operation_info unguarded(midend::value_id v) const;  // required with `guard`
///     std::uint32_t identity(midend::value_id v) const;            // what an operation that is `other` computes
///     midend::loop_hints trip_hints(midend::node_id header) const; // known header executions of a loop
///     double probability(midend::edge_id e) const;                 // how often control leaves the source by `e`
///     bool must_end(midend::edge_id backedge) const;               // a promise about the loop with this backedge
///     bool may_not_return(midend::value_id v) const;               // of the effects rung; without it, all calls may
///     midend::value_id assumed(midend::value_id v) const;          // a bit that is 1 where `v` has run, or `no_value`
///     std::optional<midend::number_range>                          // what memory that never changes holds
///         constant_memory(midend::value_id base, std::uint64_t offset, std::uint32_t bytes) const;
///
/// If `guard(v)` has a predicate, `operation(v)` is `other`, and `unguarded(v)` is what `v` computes if it runs. The
/// operands of `v` end with the predicate and, if there is one, the other value; the operation computes with those
/// before. If the predicate is a constant for which `v` never runs, `v` has the class that it would have if it ran, and
/// may have no effect.
///
/// `identity(v)` is 0 if the computation of `v` is unknown. Two operations with one identity other than 0 and equal
/// operands compute equal results.
///
/// `probability(e)` is between 0 and 1, and negative if unknown. Where `trip_hints` gives no average, the average trip
/// count follows from the probabilities.
///
/// `must_end(e)`: a run has no meaning if it stays in the loop for ever without effects there (calls, volatile
/// accesses), as in C and C++ for most loops.
///
/// `constant_memory(base, offset, bytes)` is the range of numbers that a load of 1 to 8 bytes at the address `base` +
/// `offset` may read. `base` may be any value of the program. Nothing if a run may change the memory, or the bytes do
/// not belong to one object.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/optional.hpp"

#include <concepts>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// A class of memory that may overlap with every other.
inline constexpr std::uint32_t any_memory = static_cast<std::uint32_t>(-1);

/// The address of a load or store: base + index · scale + offset, in 64 bits; an index of fewer bits is sign-extended.
///
/// A store writes all its bytes, even if its value has fewer bits; the bytes depend on the value and its type alone. If
/// the value has more bits, its high bits are not stored. A load of fewer bits than its bytes have ignores the other
/// bits; a load of more bits extends.
struct memory_reference {
  value_id base = no_value; ///< `no_value`: anywhere
  value_id index = no_value;
  value_id stored = no_value;        ///< valid for a store: the value that it stores
  std::uint32_t bytes = 0;           ///< 0: unknown
  std::uint32_t memory = any_memory; ///< accesses of different classes, other than `any_memory`, never overlap
  std::int64_t scale = 1;
  std::int64_t offset = 0;
  bool is_volatile = false;
  std::uint32_t bits = 0;           ///< the bits of the loaded or stored value; 0: those of its operation
  std::uint32_t local = any_memory; ///< two accesses in one run of loop `scope` with different local classes of that
                                    ///< loop do not overlap; in two runs, they may
  node_id scope = no_node;          ///< valid with `local`: the header of that loop; an access outside of the loop has
                                    ///< no such class
};

/// A predicate that decides whether an operation runs.
struct guard_of_value {
  value_id predicate = no_value; ///< `no_value`: it always runs
  value_id otherwise = no_value; ///< valid with a predicate: its value if it does not run
  bool negated = false;          ///< whether it runs if the predicate is 0
};

/// Facts about the number of header executions of a loop; 0 means unknown.
struct loop_hints {
  double average = 0; ///< from a profile
  std::uint64_t maximum = 0;
  std::uint64_t multiple = 0; ///< the number is a multiple of this
  bool must_end = false;      ///< a run that stays in the loop for ever, without effects, has no meaning

  friend constexpr bool operator==(const loop_hints&, const loop_hints&) = default;
};

/// The low `bits` of a value are those of `base` plus `number`.
struct sum_of_low_bits {
  value_id base;
  std::uint64_t number;
  std::uint8_t bits;

  friend constexpr bool operator==(const sum_of_low_bits&, const sum_of_low_bits&) = default;
};

/// Constants are `std::uint64_t`.
template <class IR>
concept has_64_bit_constants = std::same_as<constant_of<IR>, std::uint64_t>;

/// `cost(v)` gives the class of an operation, or nothing for one that is free.
template <class IR>
concept has_cost = requires(const IR& ir, value_id v) {
  { ir.cost(v) } -> std::convertible_to<std::optional<operation_class>>;
};

/// `memory(v)` gives the address that a load or store accesses.
template <class IR>
concept has_memory = requires(const IR& ir, value_id v) {
  { ir.memory(v) } -> std::convertible_to<std::optional<memory_reference>>;
};

/// `may_reassociate(v)` says whether a value may be regrouped. Optional.
template <class IR>
concept has_may_reassociate = requires(const IR& ir, value_id v) {
  { ir.may_reassociate(v) } -> truth_value;
};

/// `guard(v)` and `unguarded(v)` say when a value is computed, and by which operation. Optional.
template <class IR>
concept has_guard = requires(const IR& ir, value_id v) {
  { ir.guard(v) } -> std::same_as<guard_of_value>;
  { ir.unguarded(v) } -> std::convertible_to<operation_info>;
};

/// `identity(v)` numbers what operations outside the vocabulary compute. Optional.
template <class IR>
concept has_identity = requires(const IR& ir, value_id v) {
  { ir.identity(v) } -> std::convertible_to<std::uint32_t>;
};

/// `trip_hints(n)` gives facts about the number of header executions of a loop. Optional.
template <class IR>
concept has_trip_hints = requires(const IR& ir, node_id n) {
  { ir.trip_hints(n) } -> std::same_as<loop_hints>;
};

/// `set_trip_hints(n, hints)` changes them. Optional, for editors: a transformation that copies a loop divides the
/// hints by it.
template <class E>
concept can_set_trip_hints =
    has_trip_hints<E> && requires(E& editor, node_id n, const loop_hints& hints) { editor.set_trip_hints(n, hints); };

/// `probability(e)` says how often an edge is taken. Optional.
template <class IR>
concept has_probability = requires(const IR& ir, edge_id e) {
  { ir.probability(e) } -> std::convertible_to<double>;
};

/// `assumed(v)` is a bit that the program promises to be 1 when `v` runs. Optional.
template <class IR>
concept has_assumed = requires(const IR& ir, value_id v) {
  { ir.assumed(v) } -> std::same_as<value_id>;
};

/// `must_end(e)` says whether a loop may not run for ever without effects. Optional.
template <class IR>
concept has_must_end = requires(const IR& ir, edge_id e) {
  { ir.must_end(e) } -> truth_value;
};

/// `constant_memory(base, offset, bytes)` gives the contents of memory that never changes. Optional.
template <class IR>
concept has_constant_memory = requires(const IR& ir, value_id base, std::uint64_t offset, std::uint32_t bytes) {
  { ir.constant_memory(base, offset, bytes) } -> std::same_as<std::optional<number_range>>;
};

/// `low_sum(v)` describes the low bits of an operation outside the vocabulary that adds. Optional.
template <class IR>
concept has_low_sum = requires(const IR& ir, value_id v) {
  { ir.low_sum(v) } -> std::same_as<std::optional<sum_of_low_bits>>;
};

/// The cost rung: an IR whose loops can be estimated.
template <class IR>
concept cost_ir = semantic_ir<IR> && has_64_bit_constants<IR> && has_cost<IR> && has_memory<IR> && has_effect<IR>;

namespace detail {

template <class T>
concept names_guard = requires { &T::guard; } || requires { &T::unguarded; } ||
                      requires(T& ir, value_id v) { ir.guard(v); } || requires(T& ir, value_id v) { ir.unguarded(v); };

MIDEND_REQUIRED(has_64_bit_constants, "this needs an IR with `using constant_type = std::uint64_t;`");
MIDEND_REQUIRED(has_cost, "an IR needs `std::optional<midend::operation_class> cost(midend::value_id v) const`, which "
                          "returns std::nullopt for what is free");
MIDEND_REQUIRED(has_memory, "an IR needs `std::optional<midend::memory_reference> memory(midend::value_id v) const`, "
                            "which returns std::nullopt for what may access any memory");
MIDEND_OPTIONAL_MEMBER(may_reassociate, has_may_reassociate, it.may_reassociate(value_id()),
                       "of an IR would never be called", "`bool may_reassociate(midend::value_id v) const`");
MIDEND_OPTIONAL_ROW(
    guard_row, has_guard, names_guard,
    "`guard` of an IR would never be called; write `midend::guard_of_value guard(midend::value_id v) const` and "
    "`midend::operation_info unguarded(midend::value_id v) const`, or give the members other names");
MIDEND_OPTIONAL_MEMBER(identity, has_identity, it.identity(value_id()), "of an IR would never be called",
                       "`std::uint32_t identity(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(trip_hints, has_trip_hints, it.trip_hints(node_id()), "of an IR would never be called",
                       "`midend::loop_hints trip_hints(midend::node_id header) const`");
MIDEND_OPTIONAL_MEMBER(probability, has_probability, it.probability(edge_id()), "of an IR would never be called",
                       "`double probability(midend::edge_id e) const`");
MIDEND_OPTIONAL_MEMBER(assumed, has_assumed, it.assumed(value_id()), "of an IR would never be called",
                       "`midend::value_id assumed(midend::value_id v) const`");
MIDEND_OPTIONAL_MEMBER(must_end, has_must_end, it.must_end(edge_id()), "of an IR would never be called",
                       "`bool must_end(midend::edge_id backedge) const`");
MIDEND_OPTIONAL_MEMBER(constant_memory, has_constant_memory, it.constant_memory(value_id(), 0, 1),
                       "of an IR would never be called",
                       "`std::optional<midend::number_range> constant_memory(midend::value_id base, std::uint64_t "
                       "offset, std::uint32_t bytes) const`");
MIDEND_OPTIONAL_MEMBER(low_sum, has_low_sum, it.low_sum(value_id()), "of an IR would never be called",
                       "`std::optional<midend::sum_of_low_bits> low_sum(midend::value_id v) const`");

struct optional_costs : contract<may_reassociate_row, guard_row, identity_row, trip_hints_row, probability_row,
                                 assumed_row, must_end_row, constant_memory_row, low_sum_row> {};

struct cost_contract : contract<semantic_contract, has_64_bit_constants_row, has_cost_row, has_memory_row,
                                has_effect_row, optional_costs> {};

} // namespace detail

/// What functions take: a `cost_ir` with optional members that fit; otherwise an error.
template <class IR>
concept cost_ir_argument = (cost_ir<IR> && detail::cost_contract::fits<IR>) || detail::cost_contract::explain<IR>();

namespace detail {

/// See `usual_class`.
constexpr optional<operation_class> usual_operation_class(const operation_info& info) {
  switch (info.code) {
  case operation::other:
  case operation::copy:
  case operation::truncate:
  case operation::zero_extend:
  case operation::sign_extend:
    return std::nullopt;
  case operation::mul:
    return operation_class::integer_multiply;
  case operation::div:
  case operation::udiv:
  case operation::rem:
  case operation::urem:
    return operation_class::integer_divide;
  case operation::shl:
  case operation::shr:
  case operation::sar:
  case operation::shl_modulo:
  case operation::shr_modulo:
  case operation::sar_modulo:
    return operation_class::shift;
  case operation::shladd:
    return operation_class::combined_alu;
  case operation::select:
    return operation_class::merge;
  case operation::bit_and:
  case operation::bit_or:
  case operation::bit_xor:
  case operation::bit_not:
    return info.width == 1 ? operation_class::predicate_logic : operation_class::alu;
  default:
    return is_comparison(info.code) ? operation_class::compare : operation_class::alu;
  }
}

} // namespace detail

/// The class in which machines usually issue an operation of the vocabulary. Nothing for `other`, and for operations
/// that most machines do not issue: copies and changes of width, which loads and operations on parts of registers do on
/// the side.
///
/// A template with a default argument only, so that a file without calls does not pay for `std::optional`.
template <class Class = operation_class> constexpr std::optional<Class> usual_class(const operation_info& info) {
  return detail::usual_operation_class(info);
}

MIDEND_END_NAMESPACE
