/// `remove_dead_loops`: loops that compute nothing that is used, and that end, go.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/removal_witness.hpp"
#include "midend/transform/remove_dead_code.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Appends the headers of loops that end, as evolutions tell.
MIDEND_FUNCTION void find_counted_loops(const flat_program& program, flat_array<node_id>& out);

} // namespace detail

/// What `remove_dead_code` removes if loops with one exit end that compare a counter there: a counter that meets a
/// number that ends the loop, whatever its bound is (see `counter_test` of `evolutions`). So loops go whose values
/// nobody reads and in which nothing has an effect, inner and outer ones; other dead code goes, too. Loops that may not
/// end stay.
///
/// Apply the plan with `apply_remove_dead_code`, which says that it also handles unreachable nodes and profiles.
/// `verify_removal` checks it, and `verify_loop_ends` that the loops which the witness names end. Copies the function
/// once into a flat program; the cost is that of `evolutions` and `plan_remove_dead_code`.
template <effect_ir_argument IR>
  requires freezable_ir<IR>
dead_code_plan plan_remove_dead_loops(const IR& ir) {
  flat_program program;
  frozen(ir, program);
  flat_array<node_id> ending;
  detail::find_counted_loops(program, ending);
  dead_code_options options;
  options.ending = {ending.data(), ending.size()};
  return plan_remove_dead_code(ir, options);
}

/// Plans and applies. Returns the witness for `verify_removal` and `verify_loop_ends`.
template <dead_code_editor_argument E>
  requires freezable_ir<E>
removal_witness remove_dead_loops(E& editor) {
  return apply_remove_dead_code(editor, plan_remove_dead_loops(editor));
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/transform/detail/counted_loops.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

MIDEND_FUNCTION void find_counted_loops(const flat_program& program, flat_array<node_id>& out) {
  const dominators_and_loops_result flow = dominators_and_loops(program.graph());
  if (flow.loops.num_loops() == 0) {
    return;
  }
  evolutions_workspace workspace;
  value_evolutions found;
  find_evolutions(program, flow.loops, {}, workspace, found);
  const counted_loops counted(program, flow.dominators, flow.loops, found);
  for (const loop_id l : flow.loops.loops()) {
    if (counted.ends(l)) {
      out.push_back(flow.loops.header(l));
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
