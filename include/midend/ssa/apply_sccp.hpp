/// `apply_sccp`: changes a program as a plan says.
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

/// Whether all inputs of a phi have gone but that for one edge, which has not been erased either.
template <class IR> bool has_one_input(const IR& ir, value_id phi, edge_id e) {
  std::size_t inputs = 0;
  for_each_id(ir.operands(phi), [&](value_id) { ++inputs; });
  return inputs == 1 && static_cast<node_id>(ir.graph().edge_source(e)) != no_node;
}

} // namespace detail

/// Carries out a plan that was made for the program as it is, and from which some changes may have been taken out.
/// Changes that then cannot be made are left out: a node stays if an edge from one that stays leads to it, or if it
/// computes what is used there; a phi stays one if it has other inputs. Behind it, nobody uses the values that were
/// replaced, and those that can be done without are gone; operations that are dead now for another reason stay.
///
/// Linear in the program and the plan, if each step of the editor takes as long as what it touches.
template <ir_editor E> void apply_sccp(E& editor, const sccp_plan<constant_of<E>>& plan) {
  for (const auto& change : plan.replacements) {
    editor.replace_uses(change.value, editor.make_constant(change.value, change.constant));
  }
  for (const edge_id e : plan.kept_edges) {
    editor.keep_edge(e);
  }
  flat_array<node_id> erased = plan.erased_nodes;
  detail::staying_nodes<E>(editor, {}, erased).remove_from(erased);
  editor.erase_nodes(erased);
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
