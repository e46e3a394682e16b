/// `apply_value_numbering`: changes a program according to a plan.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ssa/apply_sccp.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Applies a plan that was made for the program as it is, and from which changes may have been removed. First equal
/// values are replaced, then constants, edges and nodes as by `apply_sccp`. Afterwards replaced values have no users,
/// and removable ones are erased; operations that are now dead for other reasons stay.
///
/// A leader whose promises would have to be dropped replaces nothing if the editor has no `drop_promises`.
///
/// Linear in the program and the plan, if each call of the editor is linear in what it changes.
template <ir_editor_argument E>
void apply_value_numbering(E& editor, const value_numbering_plan<constant_of<E>>& plan) {
  flat_array<unsigned char> keeps_uses(static_cast<std::size_t>(editor.num_values()), 0);
  for (const value_id leader : plan.dropped_promises) {
    if constexpr (can_drop_promises<E>) {
      editor.drop_promises(leader);
    } else {
      keeps_uses[leader] = 1;
    }
  }
  for (const auto& change : plan.replacements) {
    if (keeps_uses[change.leader] == 0) {
      editor.replace_uses(change.value, change.leader);
    }
  }
  for (const auto& change : plan.replacements) {
    if (keeps_uses[change.leader] == 0 && change.is_removable) {
      editor.erase_value(change.value);
    }
  }
  apply_sccp(editor, plan.constants);
}

MIDEND_END_NAMESPACE
