/// `peel_loops`, `unswitch_loops`, `split_loops`, `separate_accesses`: members of the loop package that copy loops.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/loop_package/loop_change.hpp"
#include "midend/loop_package/unrolling_members.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/machine.hpp"
#include "midend/ssa/facts_of_numbers.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/index_split.hpp"
#include "midend/transform/loop_versioning.hpp"
#include "midend/transform/loop_versioning_plan.hpp"
#include "midend/transform/loop_versions.hpp"
#include "midend/transform/peel_by_profile.hpp"
#include "midend/transform/unswitch.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The loops of changes, each with its branch.
inline flat_array<wanted_loop> wanted_by(span<const loop_change> changes, const loop_forest& loops) {
  flat_array<wanted_loop> wanted;
  for (const loop_change& c : changes) {
    wanted.push_back({loop_with_header(loops, c.header), c.node});
  }
  return wanted;
}

/// The plan to split wanted loops, with facts about numbers.
template <class IR>
index_split_plan index_splits(const IR& ir, const loop_forest& loops, const index_split_limits& limits) {
  const auto facts = facts_of_numbers(ir);
  return plan_index_split(ir, loops, evolutions(ir, loops, {facts.data(), facts.size()}), limits);
}

/// The plan to copy wanted loops whose accesses may be disjoint, with facts about numbers.
template <class IR>
loop_versioning_plan loop_versionings(const IR& ir, const dominators_and_loops_result& found,
                                      const loop_versioning_limits& limits) {
  const auto facts = facts_of_numbers(ir);
  const span<const number_facts> known(facts.data(), facts.size());
  return plan_loop_versioning(ir, found.dominators, found.loops, evolutions(ir, found.loops, known), known, limits);
}

/// Notes for each wanted loop whether it is in a plan.
template <class Planned>
void note_planned(const flat_array<wanted_loop>& wanted, const flat_array<Planned>& planned, const loop_forest& loops,
                  flat_array<unsigned char>& applied) {
  flat_array<unsigned char> is_planned(loops.num_loops(), 0);
  for (const Planned& x : planned) {
    is_planned[x.loop] = 1;
  }
  for (const wanted_loop& w : wanted) {
    applied.push_back(w.loop == no_loop ? 0 : is_planned[w.loop]);
  }
}

} // namespace detail

/// Peels iterations by the profile, until entering the loop afterwards is improbable. Loops that contain others, too.
struct peel_loops {
  static constexpr const char* name = "peeling";

  peeling_options peeling;

  template <loop_machine M> void propose(const loop_question<M>& q, flat_array<loop_change>& out) const {
    const peeling_plan plan = plan_peel_by_profile(q.loop.program, q.found.loops, peeling);
    for (const unrolling_request& r : plan.requests) {
      if (r.loop == 0) {
        loop_change c;
        c.header = extracted_loop::header;
        c.form = r.form;
        out.push_back(c);
      }
    }
  }

  template <class E, class Observer>
  void apply(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) const {
    detail::apply_forms(editor, changes, observer, applied);
  }
};

/// Decides branches on invariants before the loop, with one copy of the loop for each outcome. Proposes all such
/// branches together, and each alone. See `plan_unswitch`.
struct unswitch_loops {
  static constexpr const char* name = "unswitching";

  std::size_t max_cloned = 4096;

  template <loop_machine M> void propose(const loop_question<M>& q, flat_array<loop_change>& out) const {
    const wanted_loop root{0};
    unswitch_limits limits;
    limits.max_cloned = max_cloned;
    limits.only = span<const wanted_loop>(&root, 1);
    const unswitch_plan plan = plan_unswitch(q.loop.program, q.found.loops, limits);
    for (const loop_unswitching& x : plan.loops) {
      loop_change c;
      c.header = extracted_loop::header;
      out.push_back(c);
      for (std::uint32_t t = x.first_test; x.num_tests > 1 && t != x.first_test + x.num_tests; ++t) {
        c.node = plan.tests[t].node;
        out.push_back(c);
      }
    }
  }

  template <class E, class Observer>
  void apply(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) const {
    if constexpr (loop_version_editor<E>) {
      const E& view = editor;
      const auto found = dominators_and_loops(view.graph());
      const flat_array<wanted_loop> wanted = detail::wanted_by(changes, found.loops);
      unswitch_limits limits;
      limits.max_cloned = ~std::size_t{0}; // the package has its own limit
      limits.only = span<const wanted_loop>(wanted.data(), wanted.size());
      const unswitch_plan plan = plan_unswitch(view, found.loops, limits);
      if (!plan.empty()) {
        observer.planned_change(plan);
        const unfolding_witness witness = apply_unswitch(editor, plan);
        observer.changed(view, witness);
      }
      detail::note_planned(wanted, plan.loops, found.loops, applied);
    } else {
      detail::note_none(changes, applied);
    }
  }
};

/// Splits a loop that compares its counter with a bound into two copies, before and after the bound. See
/// `plan_index_split`.
struct split_loops {
  static constexpr const char* name = "index split";

  std::size_t max_cloned = 4096;

  template <loop_machine M> void propose(const loop_question<M>& q, flat_array<loop_change>& out) const {
    const wanted_loop root{0};
    index_split_limits limits;
    limits.max_cloned = max_cloned;
    limits.only = span<const wanted_loop>(&root, 1);
    const auto plan = detail::index_splits(q.loop.program, q.found.loops, limits);
    for (const index_split_candidate& x : plan.candidates) {
      if (x.obstacle == index_split_obstacle::none || x.obstacle == index_split_obstacle::overlaps) {
        loop_change c;
        c.header = extracted_loop::header;
        c.node = x.node;
        out.push_back(c);
      }
    }
  }

  template <class E, class Observer>
  void apply(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) const {
    if constexpr (index_split_editor<E>) {
      const E& view = editor;
      const auto found = dominators_and_loops(view.graph());
      const flat_array<wanted_loop> wanted = detail::wanted_by(changes, found.loops);
      index_split_limits limits;
      limits.max_cloned = ~std::size_t{0};
      limits.only = span<const wanted_loop>(wanted.data(), wanted.size());
      const auto plan = detail::index_splits(view, found.loops, limits);
      if (!plan.empty()) {
        observer.planned_change(plan);
        const unfolding_witness witness = apply_index_split(editor, plan);
        observer.changed(view, witness);
      }
      detail::note_planned(wanted, plan.splits, found.loops, applied);
    } else {
      detail::note_none(changes, applied);
    }
  }
};

/// Compares, before a loop, the addresses that it accesses. If they are disjoint, runs a copy that relies on that. See
/// `plan_loop_versioning`. An editor that cannot set classes of memory refuses.
struct separate_accesses {
  static constexpr const char* name = "loop versioning";

  std::size_t max_cloned = 4096;

  template <loop_machine M> void propose(const loop_question<M>& q, flat_array<loop_change>& out) const {
    const wanted_loop root{0};
    loop_versioning_limits limits;
    limits.max_cloned = max_cloned;
    limits.only = span<const wanted_loop>(&root, 1);
    if (!detail::loop_versionings(q.loop.program, q.found, limits).empty()) {
      loop_change c;
      c.header = extracted_loop::header;
      out.push_back(c);
    }
  }

  template <class E, class Observer>
  void apply(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) const {
    if constexpr (loop_versioning_editor<E>) {
      const E& view = editor;
      const auto found = dominators_and_loops(view.graph());
      const flat_array<wanted_loop> wanted = detail::wanted_by(changes, found.loops);
      loop_versioning_limits limits;
      limits.max_cloned = ~std::size_t{0};
      limits.only = span<const wanted_loop>(wanted.data(), wanted.size());
      const loop_versioning_plan plan = detail::loop_versionings(view, found, limits);
      if (!plan.empty()) {
        observer.planned_change(plan);
        const versioned_loops_witness witness = apply_loop_versioning(editor, plan);
        observer.changed(view, witness);
      }
      detail::note_planned(wanted, plan.loops, found.loops, applied);
    } else {
      detail::note_none(changes, applied);
    }
  }
};

MIDEND_END_NAMESPACE
