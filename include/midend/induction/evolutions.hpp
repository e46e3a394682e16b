/// `evolutions`: the evolution of all values of a function in its loops, from the innermost loops outwards.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// Memory of `evolutions`, reused from call to call.
class evolutions_workspace {
  friend void detail::find_evolutions(const flat_program& program, const loop_forest& loops,
                                      span<const number_facts> facts, evolutions_workspace& workspace,
                                      value_evolutions& out, evolved_values which, detail::loop_runner* runner);
  template <freezable_ir_argument IR>
  friend void evolutions(const IR& ir, const loop_forest& loops, span<const number_facts> facts,
                         evolutions_workspace& workspace, value_evolutions& out, evolved_values which);

  flat_program program_;
  dominators_workspace dominating_;
  depth_first_order_workspace searching_;
  depth_first_numbering numbering_;
  flat_array<std::uint32_t> rank_; ///< by node: its position in reverse postorder
  flat_array<node_id> order_;
  flat_array<detail::evolution_slot> stack_; ///< slots that wait for slots above them
  flat_array<number_facts> narrowed_;        ///< by value; empty if no counts of loops narrowed facts
  flat_array<unsigned char> is_narrowed_;
  flat_array<std::uint32_t> guesses_; ///< slots that are unknown as long as a loop is not counted
};

/// Computes how the values of a function evolve in its loops, their values after the loops, and how often loops run.
/// Refills `out`.
///
/// Each value is first read as a linear form of phis of loop headers and of values that are no sums. Then, loop by loop
/// from inside out, the phis of the header are solved: a phi to which each iteration adds an evolution is a sum (a
/// polynomial up to degree 3); one that is multiplied by a number is a power. After an inner loop, a value is that of
/// the last iteration, if the trip count is a number or a formula; so outer loops are solved likewise. Extensions are
/// looked through if promises or ranges show that nothing wraps. Trip counts follow from comparisons of a counter with
/// an invariant: `trip_count_of` and `trip_formula_of`.
///
/// Loops with other loops inside are solved, too. In a cycle with several entries, phis are `irreducible_cycle`, and
/// values that do not depend on these are known. Loops without exits are `endless`. Unreachable values are `undefined`.
/// Values of more than 64 bits are unknown, and so are evolutions in more than eight loops around a value.
///
/// `facts` has facts by value, or is empty. `which` names the values of interest: evolutions of others may be
/// `undefined`. Allocates nothing once workspace and result have seen a program as large. Requires that `loops` is the
/// forest of `ir.graph()`, with boundaries. Copies the function once into a flat program, unless it is one; O(values +
/// edges) after that for forms and nests of bounded size, which they are.
template <freezable_ir_argument IR>
void evolutions(const IR& ir, const loop_forest& loops, span<const number_facts> facts, evolutions_workspace& workspace,
                value_evolutions& out, evolved_values which) {
  if constexpr (std::is_base_of_v<flat_program, IR>) {
    detail::find_evolutions(ir, loops, facts, workspace, out, which);
  } else {
    frozen(ir, workspace.program_);
    detail::find_evolutions(workspace.program_, loops, facts, workspace, out, which);
  }
}

/// Computes the evolutions of all values.
template <freezable_ir_argument IR>
void evolutions(const IR& ir, const loop_forest& loops, span<const number_facts> facts, evolutions_workspace& workspace,
                value_evolutions& out) {
  evolutions(ir, loops, facts, workspace, out, evolved_values::all);
}

/// Returns the result as a value.
template <freezable_ir_argument IR>
value_evolutions evolutions(const IR& ir, const loop_forest& loops, span<const number_facts> facts = {}) {
  evolutions_workspace workspace;
  value_evolutions out;
  evolutions(ir, loops, facts, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/entry_ranges.hpp"
#include "midend/induction/detail/evolution_solver.hpp"
#include "midend/induction/detail/exit_operands.hpp"
#include "midend/induction/detail/loop_trip_finder.hpp"
#include "midend/induction/detail/narrow_facts.hpp"
#include "midend/induction/detail/value_form_reader.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

MIDEND_FUNCTION void find_evolutions(const flat_program& program, const loop_forest& loops,
                                     span<const number_facts> facts, evolutions_workspace& workspace,
                                     value_evolutions& out, evolved_values which, loop_runner* runner) {
  out.reset(loops);
  dominators(program.graph(), semi_nca, workspace.dominating_, out.dominators_);
  depth_first_order(program.graph(), workspace.searching_, workspace.numbering_);
  const span<const node_id> postorder = workspace.numbering_.postorder();
  workspace.order_.resize_for_overwrite(postorder.size());
  workspace.rank_.assign(program.graph().num_nodes(), value_evolutions::none);
  for (std::uint32_t i = 0; i != postorder.size(); ++i) {
    workspace.order_[i] = postorder[postorder.size() - 1 - i];
    workspace.rank_[workspace.order_[i]] = i;
  }
  value_form_reader reader(program, loops, facts, {workspace.rank_.data(), workspace.rank_.size()}, workspace.narrowed_,
                           workspace.is_narrowed_, out);
  reader.run({workspace.order_.data(), workspace.order_.size()});
  evolution_solver solver(program, loops, reader, workspace.stack_, workspace.guesses_, out);
  const condition_reader conditions(program);
  const entry_ranges ranges(program, loops, out.dominators_, reader);
  const trip_inputs inputs{program, loops, reader, solver, ranges, conditions};
  if (loops.num_loops() != 0) {
    narrow_choices(inputs, {workspace.order_.data(), workspace.order_.size()}, reader);
  }
  loop_trip_finder finder(inputs, out);
  for (auto l = static_cast<loop_id>(loops.num_loops()); l-- != 0;) { // from the innermost loops outwards
    finder.count(l);
    solver.forget_guesses();
  }
  const auto count_again = [&](bool runs) { // counts again, with counters bounded by the counts of their loops
    out.exits_.clear();
    for (loop_id l = 0; l != loops.num_loops(); ++l) {
      finder.count(l);
      if (runs) {
        finder.run(l, *runner);
      }
      finder.note_run(l);
      narrow_counters(inputs, l, out.loops_[l].trips.count, reader);
      solver.forget_guesses();
    }
  };
  count_again(runner != nullptr);
  if (runner != nullptr && !workspace.narrowed_.empty()) {
    runner->refine({workspace.order_.data(), workspace.order_.size()},
                   {workspace.narrowed_.data(), workspace.narrowed_.size()},
                   {workspace.is_narrowed_.data(), workspace.is_narrowed_.size()});
    count_again(false);
  }
  for (value_id v = 0; v != program.num_values(); ++v) {
    if (which == evolved_values::all || reader.is_header_phi(v)) {
      solver.evolve_in_all_loops(v);
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
