/// `replace_final_values`: what is read after a loop and has a closed form is computed without the loop.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/editable_flat_program.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/final_value_plan.hpp"
#include "midend/transform/final_value_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What `replace_final_values` requires of an editor.
template <class E>
concept final_value_editor =
    ssa_ir<E> && can_set_operands<E> && can_set_phi_inputs<E> && can_make_operations<E> && can_make_numbers<E>;

namespace detail {

struct final_value_contract : contract<ssa_contract, can_set_operands_row, can_set_phi_inputs_row,
                                       can_make_operations_row, can_make_numbers_row> {};

/// A program and its copy in which a plan is tried. A value is the same operation in both. Only operands and inputs
/// change. The condition of an IR whose terminators do not read it stays, as it does when the plan is applied. So the
/// program need not be closed.
class final_value_program : public editable_flat_program {
public:
  bool same_operation(value_id v, const final_value_program& other, value_id w) const {
    return v == w || editable_flat_program::same_operation(v, other, w);
  }

  void close() { is_closed_ = true; }
};

/// What `plan_replace_final_values` computes, of a flat program.
MIDEND_FUNCTION void find_final_values(const final_value_program& program, const final_value_options& options,
                                       final_value_plan& out);

} // namespace detail

/// What functions take: a `final_value_editor`; otherwise an error.
template <class E>
concept final_value_editor_argument =
    (final_value_editor<E> && detail::final_value_contract::fits<E>) || detail::final_value_contract::explain<E>();

/// Final value replacement: the values of loops that are read after them, by operations or by phis, and that have a
/// closed form (`evolutions`). It is computed at the end of the immediate dominator of the header, of values from
/// before the loop, by additions, multiplications by what does not change, shifts and divisions by literals,
/// conversions, minimum and maximum: nothing there promises anything, or traps. F. Zadeck, "Final value replacement",
/// in GCC; LLVM's `rewriteLoopExitValues`; the closed forms are those of chains of recurrences (see `evolution`).
///
/// - With a number as trip count: polynomials up to degree 3 and powers. `sum += a + b + c` 3,000 times is
///   (a + b + c) · 3,000.
/// - With a counter that takes steps of one up to a bound, max(start, bound) - start iterations, whatever the bound is;
///   with an odd step and a test for equality, the only solution; with other steps, if sums promise that the counter
///   does not wrap, the distance over the step, rounded up. Then polynomials up to degree 2: t over 2 is (t >> 1) · ((t
///   - 1) | 1), which is exact modulo 2^width.
///
/// For each read, the outermost loop that control has left and for which there is a closed form counts. The loop must
/// have one exit to which each iteration comes, and so must the loops inside on which the value depends.
///
/// **Cost.** All values of one loop are replaced if their operations are at most as many as those that the loop need
/// not run any more: each counts as often as the loop runs. If no operation of the loop has an effect, nobody reads
/// another value of it, and it is counted, that is the whole loop: `remove_dead_loops` erases it then. A value or a
/// literal that is there already is always read.
///
/// What is computed for one loop may read a value that another one leaves: plan and apply again until an applied plan
/// is empty.
///
/// **Proof.** All replacements are tried on a copy of the program, and those that `verify_final_values` does not prove
/// are refused. Evolutions see more than the checker, which has no facts: an `or` of values that have no bits in common
/// is a sum, and a sum may be known not to wrap. Nothing predicts what the checker can follow.
///
/// Graph and loops stay as they are; what is not needed any more goes with `remove_dead_code`. Values of bits stay.
/// Unreachable code stays. Requires a program in SSA form; closed form (LCSSA) is not needed, and stays where the loop
/// has a place before it in the loop around.
///
/// Cost: one copy of the function in a flat program, `evolutions`, and at most 256 operations for each read. If there
/// is anything to replace, one more copy and the checker; both again after each round in which it refused something,
/// until nothing is refused. A value is refused at most eight times.
template <freezable_ir_argument IR>
final_value_plan plan_replace_final_values(const IR& ir, const final_value_options& options = {}) {
  detail::final_value_program program;
  frozen(ir, program);
  final_value_plan out;
  out.epoch = graph_epoch(ir.graph());
  detail::find_final_values(program, options, out);
  return out;
}

namespace detail {

/// Makes the operations of a plan, and sets what reads them.
template <class E> class final_value_writer {
public:
  final_value_writer(E& editor, const final_value_plan& plan)
      : editor_(editor), plan_(plan), made_(plan.steps.size(), no_value) {}

  /// Whether the value is replaced.
  bool write(const final_value& f) {
    bool is_made = has_numbers(f);
    for (std::uint32_t i = f.first_step; is_made && i != f.last_step; ++i) {
      is_made = make(i);
    }
    const value_id by = is_made ? result(f) : no_value;
    if (by == no_value) {
      erase(f);
    }
    for (std::uint32_t i = f.first_read; by != no_value && i != f.last_read; ++i) {
      const final_read& r = plan_.reads[i];
      if (r.edge != no_edge) {
        editor_.set_phi_input(r.user, r.edge, by);
      } else {
        editor_.set_operand(r.user, r.operand, by);
      }
    }
    return by != no_value;
  }

private:
  void erase(const final_value& f) {
    for (std::uint32_t i = f.last_step; i-- != f.first_step;) { // what reads an operation goes before it
      if (made_[i] != no_value) {
        editor_.erase_value(made_[i]);
      }
    }
  }

  bool make(std::uint32_t i) {
    const final_step& s = plan_.steps[i];
    const value_id operands[2] = {value_of(s.operands[0]), value_of(s.operands[1])};
    const std::size_t count = arity(s.info.code);
    if (operands[0] == no_value || (count == 2 && operands[1] == no_value)) {
      return false;
    }
    made_[i] = static_cast<value_id>(
        editor_.make_operation(s.info, span<const value_id>(operands, count), place_at_end(place_)));
    if constexpr (has_may_trap<E>) { // in some IRs an operation traps that reads what another one left undefined
      return made_[i] != no_value && !editor_.may_trap(made_[i]);
    } else {
      return made_[i] != no_value;
    }
  }

  value_id value_of(const final_operand& o) {
    switch (o.what) {
    case final_operand::kind::value:
      return o.value;
    case final_operand::kind::number:
      return static_cast<value_id>(editor_.make_number(o.width, o.bits));
    case final_operand::kind::step:
      return made_[o.step];
    default:
      return no_value;
    }
  }

  value_id result(const final_value& f) {
    const final_operand& o = f.result;
    const value_id by =
        o.what == final_operand::kind::number ? number_like(editor_, f.value, o.width, o.bits) : value_of(o);
    return by != no_value && same_types(f.value, by) ? by : no_value;
  }

  bool same_types([[maybe_unused]] value_id a, [[maybe_unused]] value_id b) const {
    if constexpr (has_same_type<E>) {
      return static_cast<bool>(editor_.same_type(a, b));
    } else {
      return true;
    }
  }

  /// Whether all that operations read are numbers of the IR, not pointers or the like, and so is the value.
  bool has_numbers(const final_value& f) {
    place_ = f.place;
    bool good = f.first_step == f.last_step || is_number(f.value, f.result.width);
    for (std::uint32_t i = f.first_step; i != f.last_step; ++i) {
      for (const final_operand& o : plan_.steps[i].operands) {
        good = good && (o.what != final_operand::kind::value || is_number(o.value, o.width));
      }
    }
    return good;
  }

  bool is_number(value_id v, unsigned width) {
    const auto number = static_cast<value_id>(editor_.make_number(width, 0));
    return number != no_value && same_types(v, number);
  }

  E& editor_;
  const final_value_plan& plan_;
  flat_array<value_id> made_; ///< by step
  node_id place_ = no_node;
};

} // namespace detail

/// Applies a plan for the program as it is. The graph stays, and so do all results about it. A value stays where the IR
/// lacks an operation or says that one may trap, or where it is no number (`same_type` of what `make_number` makes),
/// such as a pointer; it moves from the values of the plan to those that are refused (`not_made`). Returns the witness
/// for `verify_final_values`. O(operations + reads).
template <final_value_editor_argument E>
final_value_witness apply_replace_final_values(E& editor, final_value_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  detail::final_value_writer<E> writer(editor, plan);
  std::size_t done = 0;
  for (std::size_t i = 0; i != plan.values.size(); ++i) {
    const final_value f = plan.values[i];
    if (writer.write(f)) {
      plan.values[done++] = f;
    } else {
      plan.refused.push_back({f.value, f.loop, final_value_obstacle::not_made});
    }
  }
  plan.values.shrink(done);
  return plan.witness;
}

/// The same for a plan that nobody looks at afterwards.
template <final_value_editor_argument E>
final_value_witness apply_replace_final_values(E& editor, final_value_plan&& plan) {
  return apply_replace_final_values(editor, plan);
}

/// The plan that was applied, and the witness for `verify_final_values`.
struct replaced_final_values {
  final_value_plan plan;
  final_value_witness witness;
};

/// Plans and applies.
template <final_value_editor_argument E>
replaced_final_values replace_final_values(E& editor, const final_value_options& options = {}) {
  replaced_final_values out;
  out.plan = plan_replace_final_values(editor, options);
  out.witness = apply_replace_final_values(editor, out.plan);
  return out;
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/transform/detail/final_value_planner.hpp"
#include "midend/transform/verify_final_values.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Refuses all replacements that the checker does not prove on a copy of the program. Returns whether there are any.
inline bool refuse_unproven(final_value_planner& planner, const final_value_plan& plan,
                            const final_value_program& program) {
  final_value_program trial = program;
  trial.close();
  final_value_writer<final_value_program> writer(trial, plan);
  for (const final_value& f : plan.values) {
    static_cast<void>(writer.write(f));
  }
  flat_array<unproven_read> unproven;
  final_value_checker<final_value_program, final_value_program> checker(program, trial, plan.witness);
  const bool is_right = static_cast<bool>(checker.list_unproven(unproven));
  const auto key = [](value_id user, value_id read) { return std::uint64_t{user} << 32 | read; };
  flat_array<std::uint64_t> keys;
  for (const unproven_read& r : unproven) {
    keys.push_back(key(r.user, r.read));
  }
  sort_and_deduplicate(keys);
  bool any = false;
  for (const final_value& f : plan.values) {
    bool is_refused = !is_right;
    for (std::uint32_t i = f.first_read; i != f.last_read; ++i) {
      is_refused = is_refused || is_among<std::uint64_t>(keys, key(plan.reads[i].user, f.value));
    }
    if (is_refused) {
      planner.refuse(f.value, f.loop);
      any = true;
    }
  }
  return any;
}

MIDEND_FUNCTION void find_final_values(const final_value_program& program, const final_value_options& options,
                                       final_value_plan& out) {
  const dominators_and_loops_result flow = dominators_and_loops(program.graph());
  if (flow.loops.num_loops() == 0) {
    return;
  }
  evolutions_workspace workspace;
  value_evolutions found;
  find_evolutions(program, flow.loops, {}, workspace, found);
  final_value_planner planner(program, flow.dominators, flow.loops, found, options, out);
  while (planner.propose() && refuse_unproven(planner, out, program)) {
  }
  planner.decide();
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
