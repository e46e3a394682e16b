/// `reduce_strength`: expensive values that grow by a fixed step in each iteration become counters.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/machine/machine_model.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/strength_plan.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What `reduce_strength` requires of an editor.
template <class E>
concept strength_editor = ssa_ir<E> && can_insert_phis<E> && can_set_phi_inputs<E> && can_replace_uses<E> &&
                          can_make_operations<E> && can_make_numbers<E> && can_erase_values<E>;

namespace detail {

struct strength_contract : contract<ssa_contract, can_set_phi_inputs_row, can_erase_values_row, can_insert_phis_row,
                                    can_replace_uses_row, can_make_operations_row, can_make_numbers_row> {};

/// Computes the plan of `plan_reduce_strength`, for a flat program.
MIDEND_FUNCTION void find_strength_reductions(const flat_program& program, const machine_model& machine,
                                              const strength_options& options, strength_plan& out);

} // namespace detail

/// What functions take: a `strength_editor`; otherwise an error.
template <class E>
concept strength_editor_argument =
    (strength_editor<E> && detail::strength_contract::fits<E>) || detail::strength_contract::explain<E>();

/// Strength reduction: a value that is a + b · k in iteration k of its loop becomes a counter, a phi that begins with a
/// and to which each iteration adds b. So a product of a counter, for instance in an address, costs an addition. F.
/// Allen, J. Cocke, K. Kennedy, "Reduction of operator strength", in: Program Flow Analysis, 1981; `evolutions` finds
/// these values, so no search for pairs of counters and factors is needed.
///
/// a and b are sums of values that are there before the loop. They are computed at the end of the immediate dominator
/// of the header, by operations that promise nothing and do not trap. A value that few iterations compute stays,
/// because the counter would count in each iteration.
///
/// **Cost.** The value goes, with all operations that only it needs; an addition comes. On this machine, the sum of
/// latencies must become smaller, and the savings of all iterations must pay for the start. If one such value is
/// computed from another, it is tried first.
///
/// A counter whose start reads a value that itself becomes a counter waits for the next plan: plan and apply until a
/// plan is empty. Graph and loops stay. Unreachable code stays. Requires a program in SSA form. Closed form (LCSSA)
/// stays.
///
/// Copies the function once into a flat program; `evolutions`, and O(values + operands), with at most 64 operations
/// looked at for each value.
///
///     loop: i = phi(0, i + 1)         loop: i = phi(0, i + 1)
///           x = i · 12           →          x = phi(0, x + 12)
///
/// The old values go with `remove_dead_code`.
template <freezable_ir_argument IR>
strength_plan plan_reduce_strength(const IR& ir, const machine_model& machine, const strength_options& options = {}) {
  flat_program program;
  frozen(ir, program);
  strength_plan out;
  out.epoch = graph_epoch(ir.graph());
  detail::find_strength_reductions(program, machine, options, out);
  return out;
}

namespace detail {

/// Makes the counters of a plan.
template <class E> class strength_writer {
public:
  strength_writer(E& editor, const strength_plan& plan)
      : editor_(editor), plan_(plan), made_(plan.steps.size(), no_value) {}

  /// The phi, or `no_value`.
  value_id write(const strength_counter& c) {
    bool is_made = is_number(c.like, c.start.width);
    for (std::uint32_t i = c.first_step; is_made && i != c.last_step; ++i) {
      is_made = make(i, c.place);
    }
    const value_id start = is_made ? input(c.like, c.start) : no_value;
    const value_id step = is_made ? value_of(c.step) : no_value;
    const value_id phi = start != no_value && step != no_value ? count(c, start, step) : no_value;
    if (phi == no_value) {
      for (std::uint32_t i = c.last_step; i-- != c.first_step;) {
        if (made_[i] != no_value) {
          editor_.erase_value(made_[i]);
        }
      }
    }
    return phi;
  }

private:
  bool make(std::uint32_t i, node_id place) {
    const final_step& s = plan_.steps[i];
    const value_id operands[2] = {value_of(s.operands[0]), value_of(s.operands[1])};
    const std::size_t count = arity(s.info.code);
    if (operands[0] == no_value || (count == 2 && operands[1] == no_value)) {
      return false;
    }
    made_[i] = static_cast<value_id>(
        editor_.make_operation(s.info, span<const value_id>(operands, count), place_at_end(place)));
    return made_[i] != no_value && !traps(made_[i]);
  }

  /// Whether `v` may trap: in some IRs, an operation traps that reads an undefined result.
  bool traps([[maybe_unused]] value_id v) const {
    if constexpr (has_may_trap<E>) {
      return editor_.may_trap(v);
    } else {
      return false;
    }
  }

  value_id count(const strength_counter& c, value_id start, value_id step) {
    const auto phi = static_cast<value_id>(editor_.insert_phi(c.header, c.like));
    inputs_.clear();
    for_each_id(editor_.graph().in_edges(c.header), [&](edge_id e) { inputs_.push_back(e); });
    for (const edge_id e : inputs_) { // before the addition, whose facts depend on it
      editor_.set_phi_input(phi, e, start);
    }
    const operation_info info{operation::add, c.start.width, c.start.width, {}};
    const value_id operands[2] = {phi, step};
    const auto next =
        static_cast<value_id>(editor_.make_operation(info, span<const value_id>(operands, 2), place_at_end(c.header)));
    for (std::uint32_t i = c.first_edge; next != no_value && i != c.last_edge; ++i) {
      editor_.set_phi_input(phi, plan_.backedges[i], next);
    }
    if (next != no_value && !traps(next)) {
      return phi;
    }
    for (const edge_id e : inputs_) {
      editor_.set_phi_input(phi, e, no_value);
    }
    if (next != no_value) {
      editor_.erase_value(next);
    }
    editor_.erase_value(phi);
    return no_value;
  }

  value_id value_of(const final_operand& o) {
    switch (o.what) {
    case final_operand::kind::value:
      return is_number(o.value, o.width) ? o.value : no_value;
    case final_operand::kind::number:
      return static_cast<value_id>(editor_.make_number(o.width, o.bits));
    case final_operand::kind::step:
      return made_[o.step];
    default:
      return no_value;
    }
  }

  value_id input(value_id like, const final_operand& o) {
    return o.what == final_operand::kind::number ? number_like(editor_, like, o.width, o.bits) : value_of(o);
  }

  /// Whether a value has the type of numbers in the IR, and is no pointer or the like.
  bool is_number([[maybe_unused]] value_id v, unsigned width) {
    const auto number = static_cast<value_id>(editor_.make_number(width, 0));
    if constexpr (has_same_type<E>) {
      return number != no_value && static_cast<bool>(editor_.same_type(v, number));
    } else {
      return number != no_value;
    }
  }

  E& editor_;
  const strength_plan& plan_;
  flat_array<value_id> made_; ///< by step
  flat_array<edge_id> inputs_;
};

} // namespace detail

/// Applies a plan for the program as it is. Nodes and edges stay. A value stays if the IR lacks an operation, if one
/// may trap, or if the value is no number (it has another type than the result of `make_number`), such as a pointer.
/// Then it moves to the refused values (`not_made`). `verify_strength` checks the result. O(operations, and reads of
/// the values).
template <strength_editor_argument E> void apply_reduce_strength(E& editor, strength_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  detail::strength_writer<E> writer(editor, plan);
  flat_array<value_id> phis;
  for (const reduced_value& r : plan.values) {
    phis.push_back(writer.write(plan.counters[r.counter]));
  }
  std::size_t done = 0;
  for (std::size_t i = 0; i != plan.values.size(); ++i) {
    const reduced_value r = plan.values[i];
    if (phis[i] != no_value) {
      editor.replace_uses(r.value, phis[i]);
      plan.values[done++] = r;
    } else {
      plan.refused.push_back({r.value, strength_obstacle::not_made});
    }
  }
  plan.values.shrink(done);
}

/// Plans and applies. Returns what was done.
template <strength_editor_argument E>
strength_plan reduce_strength(E& editor, const machine_model& machine, const strength_options& options = {}) {
  strength_plan plan = plan_reduce_strength(editor, machine, options);
  apply_reduce_strength(editor, plan);
  return plan;
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/transform/detail/strength_planner.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

MIDEND_FUNCTION void find_strength_reductions(const flat_program& program, const machine_model& machine,
                                              const strength_options& options, strength_plan& out) {
  const dominators_and_loops_result flow = dominators_and_loops(program.graph());
  if (flow.loops.num_loops() == 0) {
    return;
  }
  evolutions_workspace workspace;
  value_evolutions found;
  find_evolutions(program, flow.loops, {}, workspace, found);
  strength_planner(program, flow.dominators, flow.loops, found, machine, options, out).run();
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
