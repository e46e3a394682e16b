/// `apply_value_numbering`: changes a program according to a plan.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ssa/apply_sccp.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether a value that should lose promises keeps them instead, so that only its own readers may read it.
inline bool keeps_its_uses(const flat_array<unsigned char>& keeps_uses, value_id v) {
  return v < keeps_uses.size() && keeps_uses[v] != 0;
}

/// Makes the phis of a plan. Returns the phi for each of its operations, or `no_value` if the operation stays.
template <class E>
flat_array<value_id> make_phis_of_operations(E& editor, const value_numbering_plan<constant_of<E>>& plan,
                                             const flat_array<unsigned char>& keeps_uses) {
  flat_array<value_id> out(plan.phis.size(), no_value);
  flat_array<value_id> made(plan.phis.empty() ? 0 : static_cast<std::size_t>(editor.num_values()), no_value);
  for (std::size_t i = 0; i != plan.phis.size(); ++i) {
    const auto& one = plan.phis[i];
    bool may_replace = true;
    for (const auto& input : one.inputs) {
      may_replace = may_replace && (input.value == no_value || !keeps_its_uses(keeps_uses, input.value));
    }
    if (!may_replace) {
      continue;
    }
    out[i] = one.phi != no_value ? one.phi : made[one.first];
    if (out[i] == no_value) {
      out[i] = made[one.first] = editor.insert_phi(one.node, one.value);
      for (const auto& input : one.inputs) {
        editor.set_phi_input(out[i], input.edge,
                             input.value != no_value ? input.value : editor.make_constant(one.value, *input.constant));
      }
    }
  }
  return out;
}

} // namespace detail

/// Applies a plan to its program; some changes may have been removed from the plan. First replaces equal values, then
/// constants, edges and nodes like `apply_sccp`. Afterwards replaced values have no users, and removable ones are
/// erased; other operations that are now dead stay. Operations that become phis are erased.
///
/// If the editor has no `drop_promises`, a leader that should lose promises replaces nothing.
///
/// Linear in the program and the plan, if each call of the editor is linear in what it changes.
template <ir_editor_argument E>
void apply_value_numbering(E& editor, const value_numbering_plan<constant_of<E>>& plan) {
  flat_array<unsigned char> keeps_uses; // by value; empty if all promises can be dropped
  if constexpr (!can_drop_promises<E>) {
    keeps_uses.assign(static_cast<std::size_t>(editor.num_values()), 0);
  }
  for (const value_id leader : plan.dropped_promises) {
    if constexpr (can_drop_promises<E>) {
      editor.drop_promises(leader);
    } else {
      keeps_uses[leader] = 1;
    }
  }
  const flat_array<value_id> phis = detail::make_phis_of_operations(editor, plan, keeps_uses);
  for (const auto& change : plan.replacements) {
    if (!detail::keeps_its_uses(keeps_uses, change.leader)) {
      editor.replace_uses(change.value, change.leader);
    }
  }
  for (std::size_t i = 0; i != phis.size(); ++i) {
    if (phis[i] != no_value) {
      editor.replace_uses(plan.phis[i].value, phis[i]);
    }
  }
  for (std::size_t i = 0; i != phis.size(); ++i) {
    if (phis[i] != no_value) {
      editor.erase_value(plan.phis[i].value);
    }
  }
  for (const auto& change : plan.replacements) {
    if (!detail::keeps_its_uses(keeps_uses, change.leader) && change.is_removable) {
      editor.erase_value(change.value);
    }
  }
  apply_sccp(editor, plan.constants);
}

MIDEND_END_NAMESPACE
