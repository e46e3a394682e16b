/// `remove_dead_loops`: removes loops that end and compute nothing that is used.
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

/// Appends the headers of loops that end, by evolutions and promises.
MIDEND_FUNCTION void find_ending_loops(const flat_program& program, flat_array<node_id>& out);

} // namespace detail

/// Plans what `remove_dead_code` removes if it knows which loops end. A loop ends by a counter in one of two cases.
/// Each iteration compares the counter, and it meets a number for which the loop is left, for every bound
/// (`loop_trips::ends`). Or the counter promises not to wrap, so no run goes on for ever. Then loops go whose values
/// are not read and which have no effect, inner and outer ones; so does other dead code. Loops that may not end stay.
///
///     for (i = 0; i != n; ++i) x = x · a;     →     (nothing, if x is not read)
///
/// Apply the plan with `apply_remove_dead_code`; see there about unreachable nodes and profiles. `verify_removal`
/// checks it, and `verify_loop_ends` that the loops which the witness names end. Copies the function once into a flat
/// program; the cost is that of `evolutions` and `plan_remove_dead_code`.
template <effect_ir_argument IR>
  requires freezable_ir<IR>
dead_code_plan plan_remove_dead_loops(const IR& ir) {
  flat_program program;
  frozen(ir, program);
  flat_array<node_id> ending;
  detail::find_ending_loops(program, ending);
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

#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/support/span.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether each iteration of a loop adds numbers to a phi of its header by operations that promise not to wrap: all
/// without sign, or all with sign.
inline bool counts_without_wrapping(const flat_program& program, const loop_forest& loops, loop_id l, value_id phi) {
  bool promises[2] = {true, true};
  for (const loop_edge& e : loops.backedges(l)) {
    value_id v = program.phi_input(phi, e.id);
    unsigned steps = 0;
    for (; v != phi && v != no_value && !program.is_phi(v) && steps != 8; ++steps) {
      const operation_info info = program.operation(v);
      const span<const value_id> operands = program.operands(v);
      const bool is_sum = info.code == operation::add || info.code == operation::sub;
      if (!is_sum || operands.size() != 2 || !program.constant(operands[1])) {
        break;
      }
      promises[0] = promises[0] && info.flags.no_signed_wrap;
      promises[1] = promises[1] && info.flags.no_unsigned_wrap;
      v = operands[0];
    }
    if (v != phi || steps == 0) {
      return false;
    }
  }
  return promises[0] || promises[1];
}

MIDEND_FUNCTION void find_ending_loops(const flat_program& program, flat_array<node_id>& out) {
  const loop_forest loops = dominators_and_loops(program.graph()).loops;
  if (loops.num_loops() == 0) {
    return;
  }
  evolutions_workspace workspace;
  value_evolutions found;
  find_evolutions(program, loops, {}, workspace, found);
  for (const loop_id l : loops.loops()) {
    bool ends = found.trips(l).ends;
    for_each_phi(program, loops.header(l), [&](value_id phi) {
      ends = ends || (found.evolution_of(phi, l).is_counter() && counts_without_wrapping(program, loops, l, phi));
    });
    if (ends) {
      out.push_back(loops.header(l));
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
