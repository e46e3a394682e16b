/// `region_operation`: the members of the cost rung for one operation.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The answers of the cost rung about one operation, with the defaults for members that an IR leaves out.
struct region_operation {
  operation_info info; ///< what it computes if it runs
  guard_of_value guard;
  region_value_kind kind;
  optional<operation_class> cost;
  optional<memory_reference> place; ///< of a load or store

  constexpr bool is_guarded() const { return guard.predicate != no_value; }

  /// A terminator: the edges of its node stand for it.
  constexpr bool is_branch() const { return cost == operation_class::branch; }

  constexpr bool accesses_memory() const { return kind == region_value_kind::load || kind == region_value_kind::store; }
};

constexpr region_value_kind kind_of(effect_kind effect) {
  switch (effect) {
  case effect_kind::none:
    return region_value_kind::pure;
  case effect_kind::reads:
    return region_value_kind::load;
  case effect_kind::writes:
    return region_value_kind::store;
  default:
    return region_value_kind::call;
  }
}

template <cost_ir IR> constexpr region_operation region_operation_of(const IR& ir, value_id v) {
  region_operation found{
      .info = ir.operation(v), .guard = {}, .kind = kind_of(ir.effect(v)), .cost = ir.cost(v), .place = std::nullopt};
  if constexpr (has_guard<IR>) {
    found.guard = ir.guard(v);
    if (found.is_guarded()) {
      found.info = ir.unguarded(v);
    }
  }
  if (found.accesses_memory()) {
    found.place = ir.memory(v);
  }
  return found;
}

/// The operands that the operation computes with: without the predicate and the other value, which come last.
template <class IR, class Visit>
constexpr void for_each_argument(const IR& ir, value_id v, const region_operation& what, Visit visit) {
  auto&& operands = ir.operands(v);
  std::size_t left = arity(what.info.code);
  if (what.info.code == operation::other) {
    for ([[maybe_unused]] const auto& operand : operands) {
      ++left;
    }
    left -= std::size_t{what.is_guarded()} + (what.guard.otherwise != no_value);
  }
  for (const auto& operand : operands) {
    if (left-- == 0) {
      return;
    }
    visit(static_cast<value_id>(operand));
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
