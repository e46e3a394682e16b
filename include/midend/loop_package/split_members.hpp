/// `split_by_condition`: the member of the loop package that splits a loop with a branch into three.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/loop_package/loop_change.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/machine.hpp"
#include "midend/ssa/facts_of_numbers.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/condition_split.hpp"
#include "midend/transform/condition_split_plan.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The plan to split all loops by conditions, with facts about numbers.
template <class IR>
condition_split_plan condition_splits(const IR& ir, const dominators_and_loops_result& found,
                                      const condition_split_options& options) {
  const auto facts = facts_of_numbers(ir);
  const span<const number_facts> known(facts.data(), facts.size());
  return plan_condition_split(ir, found, evolutions(ir, found.loops, known), known, options);
}

} // namespace detail

/// Splits an innermost loop by a condition: one loop decides, and one for each arm runs the iterations that take it.
/// See `plan_condition_split`. An editor that cannot make local arrays refuses.
struct split_by_condition {
  static constexpr const char* name = "condition split";

  condition_split_options splitting;

  template <loop_machine M> void propose(const loop_question<M>& q, flat_array<loop_change>& out) const {
    if (q.found.loops.subloops(0).size() == 1 &&
        !detail::condition_splits(q.loop.program, q.found, options_for(0)).empty()) {
      loop_change c;
      c.header = extracted_loop::header;
      out.push_back(c);
    }
  }

  template <class E, class Observer>
  void apply(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) const {
    if constexpr (condition_split_editor<E> && condition_splittable_ir<E>) {
      const E& view = editor;
      const auto found = dominators_and_loops(view.graph());
      flat_array<std::uint32_t> change_of(found.loops.num_loops(),
                                          0); // by loop: position of its change plus 1; 0: none
      const std::size_t first = applied.size();
      loop_id only = no_loop;
      for (std::size_t i = 0; i != changes.size(); ++i) {
        applied.push_back(0);
        if (const loop_id l = detail::loop_with_header(found.loops, changes[i].header); l != no_loop) {
          change_of[l] = static_cast<std::uint32_t>(i + 1);
          only = l;
        }
      }
      if (only == no_loop) {
        return;
      }
      condition_split_plan plan =
          detail::condition_splits(view, found, options_for(changes.size() == 1 ? only : no_loop));
      std::size_t kept = 0;
      for (std::size_t k = 0; k != plan.loops.size(); ++k) {
        if (change_of[plan.loops[k].loop] != 0) {
          plan.loops[kept++] = plan.loops[k];
        }
      }
      plan.loops.shrink(kept);
      if (!plan.empty()) {
        observer.planned_change(plan);
        const condition_split_witness witness = apply_condition_split(editor, plan);
        observer.changed(view, witness); // the witness is empty if the IR lacks what is needed
      }
      for (const condition_split& s : plan.loops) {
        applied[first + change_of[s.loop] - 1] = 1;
      }
    } else {
      detail::note_none(changes, applied);
    }
  }

private:
  condition_split_options options_for(loop_id only) const {
    condition_split_options options = splitting;
    options.only = only;
    return options;
  }
};

MIDEND_END_NAMESPACE
