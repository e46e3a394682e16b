/// `apply_sccp`: changes a program according to a plan.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/staying_nodes.hpp"
#include "midend/ssa/sccp_plan.hpp"
#include "midend/support/flat_array.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether the only input of a phi that is left is the one for edge `e`, and `e` still exists.
template <class IR> bool has_one_input(const IR& ir, value_id phi, edge_id e) {
  std::size_t inputs = 0;
  for_each_id(ir.operands(phi), [&](value_id) { ++inputs; });
  return inputs == 1 && static_cast<node_id>(ir.graph().edge_source(e)) != no_node;
}

} // namespace detail

/// The value that the use reads.
template <class IR, class Constant> value_id used_value(const IR& ir, const decided_use<Constant>& use) {
  if (use.edge != no_edge) {
    return static_cast<value_id>(ir.phi_input(use.user, use.edge));
  }
  value_id read = no_value;
  std::uint32_t i = 0;
  detail::for_each_id(ir.operands(use.user), [&](value_id v) { read = i++ == use.operand ? v : read; });
  return read;
}

/// Makes the use read the literal. O(operands of the user).
template <class E, class Constant> void apply_decided_use(E& editor, const decided_use<Constant>& use) {
  const auto literal = static_cast<value_id>(editor.make_constant(used_value(editor, use), use.constant));
  if (use.edge != no_edge) {
    editor.set_phi_input(use.user, use.edge, literal);
  } else {
    editor.set_operand(use.user, use.operand, literal);
  }
}

/// Applies a plan to its program; some changes may have been removed from the plan. Skips changes that are no longer
/// possible: a node stays if an edge from a remaining node leads to it or a remaining node uses its values; a phi stays
/// if it has other inputs. Afterwards replaced values have no users, and removable ones are erased. Other operations
/// that are now dead stay. Uses that branches decide are changed if the editor has `set_operand` and `set_phi_input`.
///
/// Linear in the program and the plan, if each call of the editor is linear in what it changes.
template <ir_editor_argument E, class Constant> void apply_sccp(E& editor, const sccp_plan<Constant>& plan) {
  static_assert(std::same_as<Constant, constant_of<E>>, "midend: a plan with constants of another type than the "
                                                        "`constant_type` of the editor");
  if constexpr (can_set_operands<E> && can_set_phi_inputs<E>) {
    for (const auto& use : plan.uses) {
      apply_decided_use(editor, use);
    }
  }
  for (const auto& change : plan.replacements) {
    editor.replace_uses(change.value, editor.make_constant(change.value, change.constant));
  }
  for (const edge_id e : plan.kept_edges) {
    editor.keep_edge(e);
  }
  if (!plan.erased_nodes.empty()) {
    flat_array<node_id> erased = plan.erased_nodes;
    detail::staying_nodes<E>(editor, {}, erased).remove_from(erased);
    editor.erase_nodes(erased);
  }
  for (const auto& [phi, edge] : plan.forwardings) {
    if (detail::has_one_input(editor, phi, edge)) {
      editor.replace_uses(phi, editor.phi_input(phi, edge));
      editor.erase_value(phi);
    }
  }
  for (const auto& change : plan.replacements) {
    if (change.is_removable) {
      editor.erase_value(change.value);
    }
  }
}

MIDEND_END_NAMESPACE
