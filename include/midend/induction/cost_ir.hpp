/// The cost rung of the IR contract: what operations cost, and which memory they touch. On top of the semantics rung,
/// with numbers of 64 bits as constants:
///
///     std::optional<midend::operation_class> cost(midend::value_id v) const;
///     std::optional<midend::memory_reference> memory(midend::value_id v) const;
///     midend::effect_kind effect(midend::value_id v) const;
///
/// `cost(v)` is the class in which a machine issues the operation; nothing if it takes none (a copy of a register that
/// disappears, an address that is part of a load). A terminator, if it is among the values of its node, is a `branch`:
/// that is how it is known. Phis are not asked.
///
/// `effect(v)` says what an operation does beside computing a value: nothing, read memory, write memory, or more than
/// one can say. Of those that read or write, `memory(v)` says where; if it says nothing, it is anywhere.
///
/// Six members may be left out. `bool may_reassociate(v)`: the program allows to regroup `v` with operations of the
/// same kind. `guard_of_value guard(v)`: `v` runs only if a predicate holds; `operation(v)` of such a value is `other`,
/// and `unguarded(v)` says what it computes if it runs. Its operands end with the predicate and, if there is one, the
/// other value; those before are what it computes with.
/// `std::uint32_t identity(v)`: a number for what an operation that is `other` computes, not 0; two with the same
/// number and the same operands compute the same. `body_hints trip_hints(n)`: what is known of the header executions of
/// a loop with header `n`. `double probability(e)`: how often, from 0 to 1, control leaves the source of `e` by `e`;
/// negative if unknown; where no hint gives an average, it follows from these.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa_values.hpp"

#include <concepts>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What an operation does beside computing a value.
enum class effect_kind : std::uint8_t {
  none,
  reads,
  writes,
  unknown ///< a call: it may do anything
};

/// Where a load or store goes: base + index · scale + offset. See `body_access`.
struct memory_reference {
  value_id base = no_value;
  value_id index = no_value;
  value_id stored = no_value; ///< of a store
  std::uint32_t bytes = 0;
  std::uint32_t memory = any_memory; ///< below 2^32 - 1; different numbers never overlap
  std::int64_t scale = 1;
  std::int64_t offset = 0;
  bool is_volatile = false;
};

/// A predicate without which an operation does not run.
struct guard_of_value {
  value_id predicate = no_value; ///< `no_value`: it always runs
  value_id otherwise = no_value; ///< what its value is then
  bool negated = false;          ///< it runs if the predicate is 0
};

/// `cost(v)` gives the class of an operation, or nothing for one that is free.
template <class IR>
concept has_cost = requires(const IR& ir, value_id v) {
  { ir.cost(v) } -> std::convertible_to<std::optional<operation_class>>;
};

/// `memory(v)` gives the place that a load or store touches.
template <class IR>
concept has_memory = requires(const IR& ir, value_id v) {
  { ir.memory(v) } -> std::convertible_to<std::optional<memory_reference>>;
};

/// `effect(v)` says what an operation does beside computing a value.
template <class IR>
concept has_effect = requires(const IR& ir, value_id v) {
  { ir.effect(v) } -> std::same_as<effect_kind>;
};

/// `may_reassociate(v)` says whether a value may be regrouped. Optional.
template <class IR>
concept has_may_reassociate = requires(const IR& ir, value_id v) {
  { ir.may_reassociate(v) } -> std::same_as<bool>;
};

/// `guard(v)` and `unguarded(v)` say when a value runs, and what it computes then. Optional.
template <class IR>
concept has_guard = requires(const IR& ir, value_id v) {
  { ir.guard(v) } -> std::same_as<guard_of_value>;
  { ir.unguarded(v) } -> std::convertible_to<operation_info>;
};

/// `identity(v)` numbers what operations without a word compute. Optional.
template <class IR>
concept has_identity = requires(const IR& ir, value_id v) {
  { ir.identity(v) } -> std::convertible_to<std::uint32_t>;
};

/// `trip_hints(n)` says what is known of the header executions of a loop. Optional.
template <class IR>
concept has_trip_hints = requires(const IR& ir, node_id n) {
  { ir.trip_hints(n) } -> std::same_as<body_hints>;
};

/// `probability(e)` says how often an edge is taken. Optional.
template <class IR>
concept has_probability = requires(const IR& ir, edge_id e) {
  { ir.probability(e) } -> std::convertible_to<double>;
};

/// The cost rung: an IR whose loops can be weighed.
template <class IR>
concept cost_ir =
    semantic_ir<IR> && std::same_as<constant_of<IR>, std::uint64_t> && has_cost<IR> && has_memory<IR> && has_effect<IR>;

/// The class in which an operation of the vocabulary is issued as a rule; nothing for `other`, and for what most
/// machines do not issue: copies and changes of width, of which loads and operations on parts of registers take care.
constexpr std::optional<operation_class> usual_class(const operation_info& info) {
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

MIDEND_END_NAMESPACE
