/// `remove_dead_code`: operations and phis whose values nothing needs.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What `remove_dead_code` will do.
struct dead_code_plan {
  std::uint64_t epoch = 0;
  flat_array<value_id> values; ///< by node, in the order of the node

  bool empty() const { return values.empty(); }
};

/// What `remove_dead_code` requires of an editor.
template <class E>
concept dead_code_editor = effect_ir<E> && can_erase_values<E> && can_set_operands<E> && can_set_phi_inputs<E> &&
                           has_node_of<E> && graph_has_in_edges<E>;

/// The values that nothing needs. Needed are operations that are not removable (`is_removable`: effects, volatile
/// accesses, what may not return, terminators), conditions, and the operands of what is needed. So a cycle of phis and
/// operations that read only each other is dead. Branches are needed, so all loops stay, endless ones too. Operations
/// of unreachable nodes are treated like others.
///
/// O(values + operands).
template <effect_ir IR> dead_code_plan plan_remove_dead_code(const IR& ir) {
  const auto& g = ir.graph();
  dead_code_plan plan;
  plan.epoch = graph_epoch(g);
  flat_array<unsigned char> needed(static_cast<std::size_t>(ir.num_values()), 0);
  flat_array<value_id> todo;
  const auto need = [&](value_id v) {
    if (v != no_value && needed[v] == 0) {
      needed[v] = 1;
      todo.push_back(v);
    }
  };
  for (node_id n = 0; n != detail::node_count(g); ++n) {
    detail::for_each_id(ir.values(n), [&](value_id v) {
      if (!ir.is_phi(v) && !is_removable(ir, v)) {
        need(v);
      }
    });
    need(static_cast<value_id>(ir.condition(n)));
  }
  while (!todo.empty()) {
    const value_id v = todo.back();
    todo.pop_back();
    detail::for_each_id(ir.operands(v), need);
  }
  for (node_id n = 0; n != detail::node_count(g); ++n) {
    detail::for_each_id(ir.values(n), [&](value_id v) {
      if (needed[v] == 0) {
        plan.values.push_back(v);
      }
    });
  }
  return plan;
}

/// Applies a plan for the program as it is. To veto a removal, remove also the operands of the value from the plan, and
/// theirs. O(operands).
template <dead_code_editor E> void apply_remove_dead_code(E& editor, const dead_code_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  for (const value_id v : plan.values) { // they may read each other in cycles
    if (editor.is_phi(v)) {
      detail::for_each_id(editor.graph().in_edges(static_cast<node_id>(editor.node_of(v))),
                          [&](edge_id e) { editor.set_phi_input(v, e, no_value); });
    } else {
      std::size_t count = 0;
      detail::for_each_id(editor.operands(v), [&](value_id) { ++count; });
      for (std::size_t i = 0; i != count; ++i) {
        editor.set_operand(v, i, no_value);
      }
    }
  }
  for (const value_id v : plan.values) {
    editor.erase_value(v);
  }
}

/// Plans and applies. Returns the witness: each node stands for itself, and `verify_unfolding` checks that what is
/// missing is removable and not read.
template <dead_code_editor E> unfolding_witness remove_dead_code(E& editor) {
  apply_remove_dead_code(editor, plan_remove_dead_code(editor));
  unfolding_witness witness;
  witness.start(static_cast<std::size_t>(editor.graph().num_nodes()),
                static_cast<std::size_t>(editor.graph().num_edges()), static_cast<std::size_t>(editor.num_values()));
  return witness;
}

MIDEND_END_NAMESPACE
