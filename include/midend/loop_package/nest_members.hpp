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
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The plan to collapse all loops, or one loop, with their inner loops.
template <class IR> collapse_plan collapse_of(const IR& ir, const loop_forest& loops, loop_id l) {
  const auto facts = facts_of_numbers(ir);
  collapse_options options;
  options.only = l;
  return plan_collapse(ir, loops, evolutions(ir, loops, {facts.data(), facts.size()}), options);
}

/// The plan to exchange all loops, or one loop, with their inner loops.
template <class IR> interchange_plan interchange_of(const IR& ir, const dominators_and_loops_result& flow, loop_id l) {
  const auto facts = facts_of_numbers(ir);
  const span<const number_facts> known(facts.data(), facts.size());
  interchange_options options;
  options.only = l;
  return plan_interchange(ir, flow, evolutions(ir, flow.loops, known), known, options);
}

/// Changes loops together with their inner loops. `plan_of(found, loop)` plans for one loop, or, with `no_loop`, for
/// all; `carry_out(plan)` applies a plan. First applies the wanted changes of the plan for all loops. That plan may
/// have another pair of a nest than the wanted one; the missing changes then follow one by one.
template <class E, class PlanOf, class CarryOut>
void apply_to_nests(const E& view, span<const loop_change> changes, PlanOf plan_of, CarryOut carry_out,
                    flat_array<unsigned char>& applied) {
  const std::size_t first = applied.size();
  for (std::size_t i = 0; i != changes.size(); ++i) {
    applied.push_back(0);
  }
  if (changes.size() > 1) {
    const auto found = dominators_and_loops(view.graph());
    flat_array<std::uint32_t> change_of(found.loops.num_loops(), 0); // by loop: position of its change plus 1; 0: none
    for (std::size_t i = 0; i != changes.size(); ++i) {
      if (const loop_id l = loop_with_header(found.loops, changes[i].header); l != no_loop) {
        change_of[l] = static_cast<std::uint32_t>(i + 1);
      }
    }
    auto plan = plan_of(found, no_loop);
    std::size_t kept = 0;
    for (std::size_t k = 0; k != plan.nests.size(); ++k) {
      if (change_of[plan.nests[k].outer.loop] != 0) {
        plan.nests[kept++] = plan.nests[k];
      }
    }
    plan.nests.shrink(kept);
    if (!plan.empty()) {
      carry_out(plan); // removes changes that could not be made from the plan
    }
    for (const auto& nest : plan.nests) {
      applied[first + change_of[nest.outer.loop] - 1] = 1;
    }
  }
  for (std::size_t i = 0; i != changes.size(); ++i) {
    if (applied[first + i] == 0) {
      const auto found = dominators_and_loops(view.graph());
      if (const loop_id l = loop_with_header(found.loops, changes[i].header); l != no_loop) {
        auto plan = plan_of(found, l);
        if (!plan.empty()) {
          carry_out(plan);
        }
        applied[first + i] = plan.empty() ? 0 : 1;
      }
    }
  }
}

/// Whether a loop has one loop directly in it.
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
    const E& view = editor;
    if constexpr (collapse_editor<E> && collapsible_ir<E>) {
      detail::apply_to_nests(
          view, changes,
          [&](const dominators_and_loops_result& found, loop_id l) {
            return detail::collapse_of(view, found.loops, l);
          },
          [&](collapse_plan& plan) {
            observer.planned_change(plan);
            observer.changed(view, apply_collapse(editor, plan));
          },
          applied);
    } else {
      detail::note_none(changes, applied);
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
    const E& view = editor;
    if constexpr (interchange_editor<E> && interchangeable_ir<E>) {
      detail::apply_to_nests(
          view, changes,
          [&](const dominators_and_loops_result& found, loop_id l) { return detail::interchange_of(view, found, l); },
          [&](const interchange_plan& plan) {
            observer.planned_change(plan);
            observer.changed(view, apply_interchange(editor, plan));
          },
          applied);
    } else {
      detail::note_none(changes, applied);
    }
  }
};

MIDEND_END_NAMESPACE
