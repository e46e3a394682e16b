/// `known_constant`: the constant that a value is, as literals near it show.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The limit for operations and phis between a value and literals.
inline constexpr unsigned known_constant_depth = 6;

/// The limit for decisions that a certificate must explain. It is smaller, since transformations may still put phis in
/// between.
inline constexpr unsigned decision_depth = 4;

struct resolve_nothing {
  constexpr value_id operator()(value_id v) const { return v; }
};

template <class IR, class Resolve>
constexpr std::optional<constant_of<IR>> known_constant_in(const IR& ir, value_id v, const Resolve& resolve,
                                                           unsigned depth) {
  v = resolve(v);
  if (v == no_value) {
    return std::nullopt;
  }
  std::optional<constant_of<IR>> result = ir.constant(v);
  if (result || depth == 0) {
    return result;
  }
  if (ir.is_phi(v)) {
    bool same = true;
    for_each_id(ir.operands(v), [&](value_id input) {
      if (same) { // inputs are values of other times
        const std::optional<constant_of<IR>> c = known_constant_in(ir, input, resolve_nothing(), depth - 1);
        same = c && (!result || *result == *c);
        result = c;
      }
    });
    return same ? result : std::nullopt;
  }
  if constexpr (has_operation<IR> && std::same_as<constant_of<IR>, std::uint64_t>) {
    const operation_info info = ir.operation(v);
    const unsigned count = arity(info.code);
    std::uint64_t numbers[3] = {};
    unsigned at = 0;
    bool known = count != 0;
    for_each_id(ir.operands(v), [&](value_id operand) {
      if (known && at < count) {
        const std::optional<std::uint64_t> c = known_constant_in(ir, operand, resolve, depth - 1);
        known = c.has_value();
        numbers[at++] = c.value_or(0);
      }
    });
    if (known && at == count) {
      const evaluation e = evaluate(info, span<const std::uint64_t>(numbers, count));
      return e ? std::optional(e.bits) : std::nullopt;
    }
  }
  return std::nullopt;
}

} // namespace detail

/// The constant that `resolve(v)` is: a literal, an operation of the vocabulary on known constants, or a phi with one
/// constant on all edges. Nothing if it is no constant, or if literals are more than a few steps away. `resolve`
/// replaces values on the path to literals, for instance phis by their inputs along an edge.
///
/// Use it for single questions; `sccp` finds all constants of a program. O(1), apart from phis with many inputs.
template <class IR, class Resolve>
  requires ssa_values<IR> && has_constant_type<IR> && has_constant<IR>
constexpr std::optional<constant_of<IR>> known_constant(const IR& ir, value_id v, const Resolve& resolve) {
  return detail::known_constant_in(ir, v, resolve, detail::known_constant_depth);
}

/// Replaces no values.
template <class IR>
  requires ssa_values<IR> && has_constant_type<IR> && has_constant<IR>
constexpr std::optional<constant_of<IR>> known_constant(const IR& ir, value_id v) {
  return known_constant(ir, v, detail::resolve_nothing());
}

MIDEND_END_NAMESPACE
