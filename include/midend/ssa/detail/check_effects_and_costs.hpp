/// The checks of the effects and cost rungs: terminators, effects, classes, guards, memory, probabilities.
///
/// The members of these rungs are asked about operations in nodes only.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/check_operations.hpp"
#include "midend/ssa/detail/checked_ir.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr bool is_enumerator(effect_kind effect) {
  return effect <= effect_kind::unknown;
}

constexpr ir_error error_of_effect(value_id v, effect_kind effect) {
  return {.why = ir_reason::unknown_effect, .value = v, .number = static_cast<std::uint64_t>(effect)};
}

/// Calls `check(n, v, is_last)` with each operation that is no phi, and returns the first error. `check` sets `is_last`
/// for an operation that no other may follow in its node.
template <class IR, class Check>
MIDEND_ALWAYS_INLINED constexpr optional<ir_error> check_each_operation(const IR& ir, const checked_ir& known,
                                                                        Check check) {
  for (node_id n = 0; n != known.nodes; ++n) {
    value_id last = no_value;
    for (const auto& id : ir.values(n)) {
      const auto v = static_cast<value_id>(id);
      if (ir.is_phi(v)) {
        continue;
      }
      if (last != no_value) {
        return ir_error{.why = ir_reason::branch_not_last, .node = n, .value = last, .position = known.place_of[last]};
      }
      bool is_last = false;
      if (const optional<ir_error> error = check(n, v, is_last)) {
        return error;
      }
      last = is_last ? v : no_value;
    }
  }
  return std::nullopt;
}

/// Terminators are last in their nodes, and effects are enumerators.
template <class IR> constexpr optional<ir_error> check_effects(const IR& ir, const checked_ir& known) {
  return check_each_operation(ir, known, [&](node_id, value_id v, bool& is_last) -> optional<ir_error> {
    is_last = is_terminator(ir, v);
    if (const effect_kind effect = ir.effect(v); !is_enumerator(effect)) {
      return error_of_effect(v, effect);
    }
    if constexpr (has_never_returns<IR>) {
      if (ir.never_returns(v) && !ir.may_not_return(v)) {
        return ir_error{.why = ir_reason::return_disagrees, .value = v};
      }
    }
    return std::nullopt;
  });
}

/// Whether control cannot go on from a node to another.
template <class IR> constexpr bool has_no_out_edges(const IR& ir, node_id n) {
  bool has_successors = false;
  for_each_id(ir.graph().out_edges(n), [&](edge_id) { has_successors = true; });
  return !has_successors;
}

/// Whether the guard is a constant for which the operation does not run.
template <class IR>
constexpr bool never_runs([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v,
                          [[maybe_unused]] value_id values) {
  if constexpr (has_guard<IR>) {
    const guard_of_value guard = ir.guard(v);
    if (guard.predicate < values) {
      const std::optional<std::uint64_t> bit = ir.constant(guard.predicate);
      return bit && (*bit != 0) == guard.negated;
    }
  }
  return false;
}

/// The class `c` of an operation is an enumerator and fits its effect. The end of a node without successors may be
/// free: control ends there, or continues right after it.
template <class IR>
MIDEND_ALWAYS_INLINED constexpr optional<ir_error> check_class(const IR& ir, const checked_ir& known, node_id n,
                                                               value_id v, std::optional<operation_class> c) {
  if (c && static_cast<std::size_t>(*c) >= num_operation_classes) {
    return ir_error{.why = ir_reason::unknown_class, .value = v, .number = static_cast<std::uint64_t>(*c)};
  }
  const effect_kind effect = ir.effect(v);
  const auto number = static_cast<std::uint64_t>(effect);
  if (!is_enumerator(effect)) {
    return error_of_effect(v, effect);
  }
  if constexpr (effect_ir<IR> && has_is_terminator<IR>) {
    if (is_terminator(ir, v) != (c == operation_class::branch) && (c || !has_no_out_edges(ir, n))) {
      return ir_error{.why = ir_reason::terminator_class, .value = v};
    }
  }
  if (never_runs(ir, v, known.values)) {
    return std::nullopt;
  }
  if (c == operation_class::load && effect != effect_kind::reads && effect != effect_kind::unknown) {
    return ir_error{.why = ir_reason::effect_of_load, .value = v, .number = number};
  }
  if (c == operation_class::store && effect != effect_kind::writes && effect != effect_kind::unknown) {
    return ir_error{.why = ir_reason::effect_of_store, .value = v, .number = number};
  }
  return std::nullopt;
}

/// The last operands of a guarded operation are the predicate and, if there is one, the other value.
template <class IR>
constexpr optional<ir_error> check_guard(const IR& ir, value_id v, const guard_of_value& guard, value_id values) {
  const bool has_other = guard.otherwise != no_value;
  value_id last = no_value;
  value_id last_but_one = no_value;
  std::size_t count = 0;
  for (const auto& id : ir.operands(v)) {
    last_but_one = last;
    last = static_cast<value_id>(id);
    ++count;
  }
  std::size_t position = 0;
  for (const value_id part : {guard.predicate, guard.otherwise}) {
    if (part != no_value && part >= values) {
      return ir_error{.why = ir_reason::guard_out_of_range, .value = v, .position = position, .number = part};
    }
    if (part != no_value && part != (position == 0 && has_other ? last_but_one : last)) {
      return ir_error{.why = ir_reason::guard_not_operand, .value = v, .position = position, .number = part};
    }
    ++position;
  }
  if (const operation code = operation_info_of(ir, v).code; code != operation::other) {
    return ir_error{.why = ir_reason::guarded_operation, .value = v, .number = number_of_code(code)};
  }
  const operation unguarded = operation_info(ir.unguarded(v)).code;
  if (unguarded > last_operation) {
    return ir_error{.why = ir_reason::unknown_operation, .value = v, .number = number_of_code(unguarded)};
  }
  const std::size_t arguments = count - (has_other ? 2 : 1);
  if (arguments < arity(unguarded)) {
    return ir_error{.why = ir_reason::too_few_operands, .value = v, .position = arguments, .number = arity(unguarded)};
  }
  return std::nullopt;
}

/// What a reference to memory names is computed before the operation, and the reference agrees with the effect.
template <class IR>
MIDEND_ALWAYS_INLINED constexpr optional<ir_error> check_memory(const IR& ir, const checked_ir& known, node_id n,
                                                                value_id v) {
  const effect_kind effect = ir.effect(v);
  if (effect != effect_kind::reads && effect != effect_kind::writes) {
    return std::nullopt;
  }
  const std::optional<memory_reference> memory = ir.memory(v);
  if (!memory) {
    return std::nullopt;
  }
  std::size_t position = 0;
  for (const value_id part : {memory->base, memory->index, memory->stored}) {
    if (part != no_value && part >= known.values) {
      return ir_error{.why = ir_reason::memory_out_of_range, .value = v, .position = position, .number = part};
    }
    if (part != no_value && !known.is_available(part, n, known.place_of[v])) {
      return ir_error{
          .why = ir_reason::memory_not_available, .node = n, .value = v, .position = position, .number = part};
    }
    ++position;
  }
  if constexpr (effect_ir<IR>) {
    if (memory->is_volatile != static_cast<bool>(ir.is_volatile(v))) {
      return ir_error{.why = ir_reason::volatile_disagrees, .value = v, .number = memory->is_volatile};
    }
  }
  if (effect == effect_kind::reads && memory->stored != no_value) {
    return ir_error{.why = ir_reason::load_stores, .value = v, .number = memory->stored};
  }
  if (effect == effect_kind::writes && memory->stored == no_value) {
    return ir_error{.why = ir_reason::store_without_value, .value = v};
  }
  return std::nullopt;
}

/// Branches are last in their nodes; classes, guards and memory are right. All questions about one value come before
/// those about the next, so that the error is at the first wrong value.
template <class IR> constexpr optional<ir_error> check_costs(const IR& ir, const checked_ir& known) {
  return check_each_operation(ir, known, [&](node_id n, value_id v, bool& is_last) -> optional<ir_error> {
    const std::optional<operation_class> c = ir.cost(v);
    is_last = c == operation_class::branch;
    if (const optional<ir_error> error = check_class(ir, known, n, v, c)) {
      return error;
    }
    if constexpr (has_guard<IR>) {
      const guard_of_value guard = ir.guard(v);
      if (guard.predicate != no_value) {
        if (const optional<ir_error> error = check_guard(ir, v, guard, known.values)) {
          return error;
        }
      }
    }
    return check_memory(ir, known, n, v);
  });
}

/// Probabilities are numbers of at most 1.
template <class IR> constexpr optional<ir_error> check_probabilities(const IR& ir, const checked_ir& known) {
  for (node_id n = 0; n != known.nodes; ++n) {
    for (const auto& id : ir.graph().out_edges(n)) {
      const auto e = static_cast<edge_id>(id);
      if (!(static_cast<double>(ir.probability(e)) <= 1)) { // also true for NaN
        return ir_error{.why = ir_reason::probability_out_of_range, .node = n, .edge = e};
      }
    }
  }
  return std::nullopt;
}

} // namespace detail

MIDEND_END_NAMESPACE
