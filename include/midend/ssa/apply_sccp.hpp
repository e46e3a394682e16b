/// `apply_sccp`: changes a program according to a plan.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/staying_nodes.hpp"
#include "midend/ssa/sccp_plan.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether a phi has only the input for one edge left, and that edge has not been erased.
template <class IR> bool has_one_input(const IR& ir, value_id phi, edge_id e) {
  std::size_t inputs = 0;
  for_each_id(ir.operands(phi), [&](value_id) { ++inputs; });
  return inputs == 1 && static_cast<node_id>(ir.graph().edge_source(e)) != no_node;
}

} // namespace detail

/// Applies a plan that was made for the program as it is, and from which changes may have been removed. Changes that
/// are no longer possible are skipped: a node stays if an edge from a remaining node leads to it or a remaining node
/// uses its values; a phi stays if it has other inputs. Afterwards replaced values have no users, and removable ones
/// are erased. Operations that are now dead for other reasons stay.
///
/// Linear in the program and the plan, if each call of the editor is linear in what it changes.
template <ir_editor_argument E, class Constant> void apply_sccp(E& editor, const sccp_plan<Constant>& plan) {
  static_assert(std::same_as<Constant, constant_of<E>>, "midend: a plan with constants of another type than the "
                                                        "`constant_type` of the editor");
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
