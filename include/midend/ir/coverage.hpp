/// `coverage`: how much of a program the library understands, and how much it has to treat as unknown.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Counts values in nodes by category. Each value is counted once, in the first category that applies.
struct ir_coverage {
  std::uint64_t phis = 0;
  std::uint64_t literals = 0;     ///< have a `constant`
  std::uint64_t vocabulary = 0;   ///< operations other than `operation::other`
  std::uint64_t branches = 0;     ///< terminators, as far as the IR names them
  std::uint64_t guarded = 0;      ///< `other` because a predicate decides whether it runs; needs the cost rung
  std::uint64_t memory = 0;       ///< `other` that reads or writes memory; needs the effects or cost rung
  std::uint64_t calls = 0;        ///< `other` with unknown effect; needs the effects or cost rung
  std::uint64_t opaque = 0;       ///< `other` that `is_opaque`
  std::uint64_t of_constants = 0; ///< `other` with constant operands only: `fold` decides
  std::uint64_t of_variables = 0; ///< `other` with an operand that is not constant: its value is unknown

  /// All but phis.
  constexpr std::uint64_t operations() const { return understood() + not_understood(); }

  constexpr std::uint64_t understood() const { return literals + vocabulary + branches; }

  /// Operations that only the IR could compute.
  constexpr std::uint64_t not_understood() const {
    return guarded + memory + calls + opaque + of_constants + of_variables;
  }

  friend constexpr bool operator==(const ir_coverage&, const ir_coverage&) = default;
};

/// The results of an analysis: which nodes are executed, and which values are constant.
template <class Found, class IR>
concept constants_found = requires(const Found& found, node_id n, value_id v) {
  { found.is_executable(n) } -> std::convertible_to<bool>;
  { found.constant(v) } -> std::convertible_to<std::optional<constant_of<IR>>>;
};

namespace detail {

/// Takes the place of an analysis: all nodes may be executed, and constants are the literals of the IR.
struct nothing_found {};

template <class IR, class Found> class coverage_counter {
public:
  constexpr coverage_counter(const IR& ir, const Found& found) : ir_(ir), found_(found) {}

  constexpr ir_coverage run() {
    const auto nodes = static_cast<node_id>(ir_.graph().num_nodes());
    for (node_id n = 0; n != nodes; ++n) {
      if (is_executed(n)) {
        add(n);
      }
    }
    return out_;
  }

  constexpr ir_coverage run(span<const node_id> nodes) {
    for (const node_id n : nodes) {
      add(n);
    }
    return out_;
  }

private:
  constexpr void add(node_id n) {
    for_each_id(ir_.values(n), [this](value_id v) { ++count_of(v); });
  }

  static constexpr bool is_static = std::same_as<Found, nothing_found>;

  constexpr bool is_executed([[maybe_unused]] node_id n) const {
    if constexpr (is_static) {
      return true;
    } else {
      return found_.is_executable(n);
    }
  }

  constexpr bool is_constant(value_id v) const {
    if constexpr (is_static) {
      return std::optional<constant_of<IR>>(ir_.constant(v)).has_value();
    } else {
      return std::optional<constant_of<IR>>(found_.constant(v)).has_value();
    }
  }

  constexpr std::uint64_t& count_of(value_id v) {
    if (ir_.is_phi(v)) {
      return out_.phis;
    }
    if (std::optional<constant_of<IR>>(ir_.constant(v))) {
      return out_.literals;
    }
    if (static_cast<operation_info>(ir_.operation(v)).code != operation::other) {
      return out_.vocabulary;
    }
    if constexpr (cost_ir<IR>) {
      if (std::optional<operation_class>(ir_.cost(v)) == operation_class::branch) {
        return out_.branches;
      }
    }
    if constexpr (effect_ir<IR>) {
      if (is_terminator(ir_, v)) {
        return out_.branches;
      }
    }
    if constexpr (has_guard<IR>) {
      if (ir_.guard(v).predicate != no_value) {
        return out_.guarded;
      }
    }
    if constexpr (has_effect<IR>) {
      const effect_kind effect = ir_.effect(v);
      if (effect != effect_kind::none) {
        return effect == effect_kind::unknown ? out_.calls : out_.memory;
      }
    }
    if (is_opaque(ir_, v)) {
      return out_.opaque;
    }
    for (const auto& id : ir_.operands(v)) {
      if (!is_constant(static_cast<value_id>(id))) {
        return out_.of_variables;
      }
    }
    return out_.of_constants;
  }

  const IR& ir_;
  const Found& found_;
  ir_coverage out_;
};

} // namespace detail

/// How much of `ir` is in the library's vocabulary. Unreachable nodes count too. Constants are the literals of the IR.
/// Linear time in values and operands.
template <semantic_ir_argument IR> constexpr ir_coverage coverage(const IR& ir) {
  const detail::nothing_found nothing;
  return detail::coverage_counter<IR, detail::nothing_found>(ir, nothing).run();
}

/// Counts some nodes only, such as `loops.blocks(l)`: how much of a loop an advice on unrolling could use.
template <semantic_ir_argument IR> constexpr ir_coverage coverage(const IR& ir, span<const node_id> nodes) {
  const detail::nothing_found nothing;
  return detail::coverage_counter<IR, detail::nothing_found>(ir, nothing).run(nodes);
}

/// Counts the nodes that are executed and the constants that an analysis such as `sccp` found.
template <semantic_ir_argument IR, constants_found<IR> Found>
constexpr ir_coverage coverage(const IR& ir, const Found& found) {
  return detail::coverage_counter<IR, Found>(ir, found).run();
}

MIDEND_END_NAMESPACE
