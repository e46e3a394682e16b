/// `collapse_nest`, `interchange_nest`: members of the loop package that change two loops, one directly in the other.
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
#include "midend/transform/collapse.hpp"
#include "midend/transform/collapse_plan.hpp"
#include "midend/transform/interchange.hpp"
#include "midend/transform/interchange_plan.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The collapse of a loop with its only inner loop; empty if it is not legal.
template <class IR> collapse_plan collapse_of(const IR& ir, const loop_forest& loops, loop_id l) {
  const auto facts = facts_of_numbers(ir);
  collapse_options options;
  options.only = l;
  return plan_collapse(ir, loops, evolutions(ir, loops, {facts.data(), facts.size()}), options);
}

/// The interchange of a loop with its only inner loop; empty if it is not legal.
template <class IR> interchange_plan interchange_of(const IR& ir, const dominators_and_loops_result& flow, loop_id l) {
  const auto facts = facts_of_numbers(ir);
  const span<const number_facts> known(facts.data(), facts.size());
  interchange_options options;
  options.only = l;
  return plan_interchange(ir, flow, evolutions(ir, flow.loops, known), known, options);
}

/// Whether a loop has exactly one child.
constexpr bool has_one_child(const loop_forest& loops, loop_id l) {
  std::size_t children = 0;
  for ([[maybe_unused]] const loop_id child : loops.children(l)) {
    ++children;
  }
  return children == 1;
}

/// Proposes the loop itself, if the plan for it is not empty.
template <class Plan> void propose_if_planned(const Plan& plan, flat_array<loop_change>& out) {
  if (!plan.empty()) {
    loop_change c;
    c.header = extracted_loop::header;
    out.push_back(c);
  }
}

} // namespace detail

/// Merges a loop with its only inner loop if both trip counts are exact. See `plan_collapse`.
struct collapse_nest {
  static constexpr const char* name = "collapse";

  template <loop_machine M> void propose(const loop_question<M>& q, flat_array<loop_change>& out) const {
    if (detail::has_one_child(q.found.loops, 0)) {
      detail::propose_if_planned(detail::collapse_of(q.loop.program, q.found.loops, 0), out);
    }
  }

  template <class E, class Observer>
  void apply(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) const {
    for (const loop_change& c : changes) {
      bool is_applied = false;
      if constexpr (collapse_editor<E> && collapsible_ir<E>) {
        const E& view = editor;
        const auto found = dominators_and_loops(view.graph());
        collapse_plan plan = detail::collapse_of(view, found.loops, found.loops.innermost_loop(c.header));
        if (!plan.empty()) {
          observer.planned_change(plan);
          const collapse_witness witness = apply_collapse(editor, plan);
          is_applied = !plan.empty();
          observer.changed(view, witness);
        }
      }
      applied.push_back(is_applied ? 1 : 0);
    }
  }
};

/// Exchanges a loop with its only inner loop. See `plan_interchange`.
struct interchange_nest {
  static constexpr const char* name = "interchange";

  template <loop_machine M> void propose(const loop_question<M>& q, flat_array<loop_change>& out) const {
    if (detail::has_one_child(q.found.loops, 0)) {
      detail::propose_if_planned(detail::interchange_of(q.loop.program, q.found, 0), out);
    }
  }

  template <class E, class Observer>
  void apply(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) const {
    for (const loop_change& c : changes) {
      bool is_applied = false;
      if constexpr (interchange_editor<E> && interchangeable_ir<E>) {
        const E& view = editor;
        const auto found = dominators_and_loops(view.graph());
        const interchange_plan plan = detail::interchange_of(view, found, found.loops.innermost_loop(c.header));
        if (!plan.empty()) {
          observer.planned_change(plan);
          const interchange_witness witness = apply_interchange(editor, plan);
          is_applied = !witness.nests.empty();
          observer.changed(view, witness);
        }
      }
      applied.push_back(is_applied ? 1 : 0);
    }
  }
};

MIDEND_END_NAMESPACE
