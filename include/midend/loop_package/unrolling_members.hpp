/// `unroll_completely`, `partial_unrolling`: members of the loop package.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/loop_trip_counter.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loop_package/loop_change.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/transform/unrolling_form.hpp"
#include "midend/unrolling/advise_unrolling.hpp"
#include "midend/unrolling/apply_unrolling.hpp"
#include "midend/unrolling/unrolling_advice.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Forwards the steps of `apply_unrolling` to the observer of the package.
template <class Observer> struct unrolling_steps_of_package {
  Observer& observer;

  template <class Plan> void planned(const Plan& plan) { observer.planned_change(plan); }

  template <class E> void before(const E&) {}

  template <class E> void after(const E& editor, unrolling_step, const unfolding_witness& witness) {
    observer.changed(editor, witness);
  }
};

/// Unrolls loops in the forms of their changes. Trip counts known in the procedure remove exits.
template <class E, class Observer>
void apply_forms(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) {
  const auto found = dominators_and_loops(editor.graph());
  flat_array<unrolling_order> orders;
  for (const loop_change& c : changes) {
    const loop_id l = loop_with_header(found.loops, c.header);
    applied.push_back(l != no_loop ? 1 : 0);
    if (l != no_loop) {
      orders.push_back({l, c.form});
    }
  }
  const auto view_of = [](const E& e) -> const E& { return e; };
  const auto counts_of = [](const E& view, const dominator_tree&, const loop_forest& loops) {
    return loop_trip_counter(view, loops);
  };
  unrolling_limits limits;
  limits.max_cloned = ~std::size_t{0}; // the package has its own limit
  unrolling_steps_of_package<Observer> steps{observer};
  const applied_unrollings done =
      apply_unrolling(editor, found.loops, span<const unrolling_order>(orders.data(), orders.size()), view_of, limits,
                      steps, counts_of);
  std::size_t at = applied.size() - changes.size();
  for (const applied_unrolling& x : done.loops) {
    while (applied[at] == 0) { // other entries were not requested
      ++at;
    }
    applied[at++] = x.is_unrolled ? 1 : 0;
  }
}

} // namespace detail

/// Unrolls a loop completely if its maximum trip count is known and small. Also handles loops that contain others.
struct unroll_completely {
  static constexpr const char* name = "complete unrolling";
  static constexpr bool may_repeat = true; ///< another member may have reduced its trip count

  std::uint32_t max_executions = 64; ///< limit for executions of the header

  template <loop_machine M> void propose(const loop_question<M>& q, flat_array<loop_change>& out) const {
    const std::uint64_t most = q.loop.program.trip_hints(extracted_loop::header).maximum;
    if (most != 0 && most <= max_executions) {
      loop_change c;
      c.header = extracted_loop::header;
      c.form = {unrolling_kind::full, static_cast<std::uint32_t>(most)};
      out.push_back(c);
    }
  }

  template <class E, class Observer>
  void apply(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) const {
    detail::apply_forms(editor, changes, observer, applied);
  }
};

/// Unrolls an innermost loop as `advise_unrolling` advises for the machine: partially, with or without a remainder, or
/// by peeling.
struct unroll_partially {
  static constexpr const char* name = "partial unrolling";
  static constexpr bool may_repeat = true; ///< further unrolling may pay more

  template <loop_machine M> void propose(const loop_question<M>& q, flat_array<loop_change>& out) {
    if (!q.is_innermost()) {
      return;
    }
    unrolling_options options = q.options;
    options.allows_full = false;
    advise_unrolling(q.loop.program, q.found.loops, 0, q.machine, options, workspace_, advice_);
    if (advice_.obstacle != unrolling_obstacle::none || advice_.decision().kind == unrolling_kind::none) {
      return;
    }
    loop_change c;
    c.header = extracted_loop::header;
    c.form = unrolling_form_of(advice_, advice_.decision());
    out.push_back(c);
  }

  template <class E, class Observer>
  void apply(E& editor, span<const loop_change> changes, Observer& observer, flat_array<unsigned char>& applied) const {
    detail::apply_forms(editor, changes, observer, applied);
  }

private:
  advise_unrolling_workspace workspace_;
  unrolling_advice advice_;
};

MIDEND_END_NAMESPACE
