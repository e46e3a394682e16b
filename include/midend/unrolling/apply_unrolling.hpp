/// `apply_unrolling`: unrolls loops as an advice decides, by another candidate of an advice, or by an order.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/plain_trip_counter.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/plan_unroll_with_remainder.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/transform/unroll_with_remainder.hpp"
#include "midend/transform/unrolling_form.hpp"
#include "midend/transform/untaken_exits.hpp"
#include "midend/unrolling/unrolling_advice.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A loop for `apply_unrolling`, to be unrolled by an advice.
struct advised_unrolling {
  const unrolling_advice* advice;
  const unrolling_candidate* candidate = nullptr; ///< one of `advice->candidates`; null: the decision
  bool unrolls_remainder = false;                 ///< also unrolls the remainder

  /// Whether the candidate belongs to this advice, not to another one.
  bool is_of_advice() const {
    for (const unrolling_candidate& c : advice->candidates) {
      if (&c == candidate) {
        return true;
      }
    }
    return false;
  }
};

/// A loop for `apply_unrolling`, with a form of your choice.
struct unrolling_order {
  loop_id loop;
  unrolling_form form;
  bool or_mid_exit = false; ///< if no limit can be computed, put the remainder in the middle
};

/// Converts a candidate of an advice, chosen or not, to a form for `apply_unrolling`. The rolled loop if there is an
/// obstacle.
///
/// A loop that is tested before its work runs its header once more than it completes iterations: complete unrolling
/// ends with a copy for the last test.
constexpr unrolling_form unrolling_form_of(const unrolling_advice& advice, const unrolling_candidate& candidate) {
  unrolling_form form = candidate;
  if (advice.obstacle == unrolling_obstacle::none && form.kind == unrolling_kind::full) {
    const std::optional<std::uint64_t> executions = advice.counts.trip.header_executions();
    const bool fits = executions && *executions <= ~std::uint32_t{0};
    return fits ? unrolling_form{form.kind, static_cast<std::uint32_t>(*executions)} : unrolling_form();
  }
  return advice.obstacle == unrolling_obstacle::none ? form : unrolling_form();
}

/// The steps, in order.
enum class unrolling_step : std::uint8_t {
  rest,         ///< `unroll_with_remainder`, for the remainder before a loop
  whole_passes, ///< `unroll_with_remainder`, for groups of iterations, and for peeling of the last one
  copies,       ///< `unroll_loops`, also of remainders
  untaken_exits ///< `drop_untaken_exits`
};

/// The form to give `unroll_with_remainder` in a step, or nothing in later steps and for forms without a limit. A form
/// with a prologue gets it in the first step, and an epilogue for the rest in the second.
constexpr std::optional<unrolling_form> form_in_step(unrolling_form form, unrolling_step step) {
  if (!form.has_limit() || (step == unrolling_step::rest && !form.is_prologue()) ||
      step > unrolling_step::whole_passes) {
    return std::nullopt;
  }
  if (form.is_prologue() && step == unrolling_step::whole_passes) {
    form.remainder = remainder_placement::epilogue;
  }
  return form;
}

/// The outcome for a loop.
struct applied_unrolling {
  node_id header = no_node; ///< the header of the old loop; with a remainder after the loop, that of the remainder
  bool is_unrolled = false;
  std::optional<remainder_refusal> no_remainder; ///< valid if a remainder was refused: why
  std::optional<unrolling_refusal> no_copies;    ///< valid if copies of the loop or its remainder were refused: why
};

/// The outcome of `apply_unrolling` for all loops.
struct applied_unrollings {
  flat_array<applied_unrolling> loops; ///< in the order of the requests
  std::size_t dropped_exits = 0;

  std::size_t num_unrolled() const {
    std::size_t count = 0;
    for (const applied_unrolling& x : loops) {
      count += x.is_unrolled ? 1u : 0u;
    }
    return count;
  }
};

/// An observer of `apply_unrolling` that does nothing. An observer may also have `planned(plan)`; it gets the plan of
/// each step, even if it is empty.
struct unobserved {
  template <class E> void before(const E&) {}

  template <class E> void after(const E&, unrolling_step, const unfolding_witness&) {}
};

/// Makes the trip counter of `apply_unrolling` for each program. It sees only the loops. To know more, pass a function
/// that returns a `loop_trip_counter` for its arguments.
class counts_of_loops {
public:
  template <class IR> plain_trip_counter operator()(const IR& ir, const dominator_tree&, const loop_forest& loops) {
    return plain_trip_counter(ir, loops, workspace_);
  }

private:
  plain_trip_counter_workspace workspace_;
};

namespace detail {

template <class E, class ViewOf, class CountsOf, class Observer> class unrolling_application;

} // namespace detail

/// Memory of `apply_unrolling`, for reuse.
class apply_unrolling_workspace {
  template <class E, class ViewOf, class CountsOf, class Observer> friend class detail::unrolling_application;
  friend void begin_unrolling(const loop_forest& loops, span<const unrolling_order> orders,
                              apply_unrolling_workspace& workspace, applied_unrollings& state);

  /// The requests of a step, and the order that each one comes from.
  struct step_requests {
    flat_array<unrolling_request> requests;
    flat_array<std::size_t> origin;
  };

  dominators_and_loops_workspace searching_;
  dominators_and_loops_result found_;
  flat_array<unsigned char> is_ordered_; ///< by loop
  step_requests asked_;
  step_requests next_;                 ///< for the step that follows a remainder before the loop
  flat_array<std::size_t> request_of_; ///< by loop
  plan_unroll_with_remainder_workspace planning_remainders_;
  remainder_plan remainders_;
  flat_array<remainder_refusal> refused_;
  apply_unroll_with_remainder_workspace adding_remainders_;
  unroll_loops_workspace unrolling_;
  unrolling_plan copies_;
  plan_untaken_exits_workspace planning_exits_;
  untaken_exits_plan exits_;
  apply_untaken_exits_workspace dropping_;
};

namespace detail {

/// One step. Names loops by their headers, because their numbers change.
template <class E, class ViewOf, class CountsOf, class Observer> class unrolling_application {
public:
  unrolling_application(E& editor, span<const unrolling_order> orders, const ViewOf& view_of, CountsOf& counts_of,
                        const unrolling_limits& limits, Observer& observer, apply_unrolling_workspace& workspace,
                        applied_unrollings& state)
      : w_(workspace), editor_(editor), orders_(orders), view_of_(view_of), counts_of_(counts_of), limits_(limits),
        observer_(observer), state_(state) {}

  void run(unrolling_step step) {
    switch (step) {
    case unrolling_step::copies:
      copy();
      break;
    case unrolling_step::untaken_exits:
      drop();
      break;
    default:
      add_remainders(step);
    }
  }

private:
  using step_requests = apply_unrolling_workspace::step_requests;

  /// The position of the request for each loop.
  const flat_array<std::size_t>& positions(const loop_forest& loops, const flat_array<unrolling_request>& requests) {
    w_.request_of_.assign(loops.num_loops(), 0);
    for (std::size_t k = 0; k != requests.size(); ++k) {
      w_.request_of_[requests[k].loop] = k;
    }
    return w_.request_of_;
  }

  template <class Plan> void tell(const Plan& plan) {
    if constexpr (requires { observer_.planned(plan); }) {
      observer_.planned(plan);
    }
  }

  void list_requests(unrolling_step step, const loop_forest& loops, step_requests& out) const {
    out.requests.clear();
    out.origin.clear();
    for (std::size_t i = 0; i != orders_.size(); ++i) {
      const std::optional<unrolling_form> form = form_in_step(orders_[i].form, step);
      if (form && !state_.loops[i].no_remainder) {
        out.requests.push_back({loops.innermost_loop(state_.loops[i].header), *form});
        out.origin.push_back(i);
      }
    }
  }

  void refuse(const loop_forest& loops, const step_requests& asked, const flat_array<remainder_refusal>& refused) {
    const auto& by_loop = positions(loops, asked.requests);
    for (const remainder_refusal& r : refused) {
      state_.loops[asked.origin[by_loop[r.loop]]].no_remainder = r;
    }
  }

  void plan_remainders(const loop_forest& loops, const step_requests& asked) {
    plan_unroll_with_remainder(view_of_(editor_), loops, {asked.requests.data(), asked.requests.size()}, limits_,
                               w_.planning_remainders_, w_.remainders_);
  }

  /// Refuses the remainder before a loop if the loop itself will be refused, so that nothing changes for it.
  void refuse_what_has_no_passes(const loop_forest& loops) {
    list_requests(unrolling_step::whole_passes, loops, w_.next_);
    plan_remainders(loops, w_.next_);
    refuse(loops, w_.next_, w_.remainders_.refused);
  }

  void add_remainders(unrolling_step step) {
    const bool is_rest = step == unrolling_step::rest;
    bool is_asked = false;
    for (std::size_t i = 0; i != orders_.size(); ++i) {
      is_asked = is_asked || (form_in_step(orders_[i].form, step) && !state_.loops[i].no_remainder);
    }
    if (!is_asked) {
      return;
    }
    dominators_and_loops(editor_.graph(), w_.searching_, w_.found_);
    const loop_forest& loops = w_.found_.loops;
    if (is_rest) {
      refuse_what_has_no_passes(loops);
    }
    const step_requests& asked = w_.asked_;
    list_requests(step, loops, w_.asked_);
    if (asked.requests.empty()) {
      return;
    }
    plan_remainders(loops, asked);
    const remainder_plan& plan = w_.remainders_;
    w_.refused_ = plan.refused;
    tell(plan);
    if (!plan.empty()) {
      observer_.before(editor_);
      const unfolding_witness& w = apply_unroll_with_remainder(editor_, plan, w_.adding_remainders_, w_.refused_);
      observer_.after(editor_, step, w);
    }
    refuse(loops, asked, w_.refused_);
    for (const std::size_t i : asked.origin) {
      state_.loops[i].is_unrolled = !is_rest && !state_.loops[i].no_remainder;
    }
  }

  void copy() {
    flat_array<unrolling_request>& requests = w_.asked_.requests;
    flat_array<std::size_t>& origin = w_.asked_.origin;
    requests.clear();
    origin.clear();
    const dominators_and_loops_result& found = w_.found_;
    dominators_and_loops(editor_.graph(), w_.searching_, w_.found_);
    for (std::size_t i = 0; i != orders_.size(); ++i) {
      const unrolling_order& o = orders_[i];
      const applied_unrolling& x = state_.loops[i];
      const loop_id l = found.loops.innermost_loop(x.header);
      const auto ask = [&](const unrolling_form& form) {
        requests.push_back({l, form});
        origin.push_back(i);
      };
      if (!o.form.has_limit()) {
        if (o.form.kind != unrolling_kind::none) {
          ask(o.form);
        }
      } else if (x.no_remainder && o.or_mid_exit) {
        ask({unrolling_kind::partial, o.form.factor, remainder_placement::mid_exit});
      } else if (x.is_unrolled && o.form.unrolls_remainder && o.form.kind == unrolling_kind::partial) {
        ask({unrolling_kind::peel, o.form.factor - 1});
      }
    }
    if (requests.empty()) {
      return;
    }
    const auto& view = view_of_(editor_);
    unrolling_plan& plan = w_.copies_;
    plan_unroll_loops(view, found.loops, {requests.data(), requests.size()}, limits_, w_.unrolling_, plan);
    if (plan.has_chains()) {
      auto counter = counts_of_(view, found.dominators, found.loops);
      plan_loop_ends(plan, view, found.loops, counter, w_.unrolling_);
    }
    tell(plan);
    if (!plan.empty()) {
      observer_.before(editor_);
      const unfolding_witness& w = apply_unroll_loops(editor_, plan, w_.unrolling_);
      observer_.after(editor_, unrolling_step::copies, w);
    }
    const auto& by_loop = positions(found.loops, requests);
    for (const unrolling_refusal& r : plan.refused) {
      state_.loops[origin[by_loop[r.loop]]].no_copies = r;
    }
    for (const std::size_t i : origin) {
      state_.loops[i].is_unrolled = state_.loops[i].is_unrolled || !state_.loops[i].no_copies;
    }
  }

  void drop() {
    if (state_.num_unrolled() == 0) {
      return;
    }
    const dominators_and_loops_result& found = w_.found_;
    dominators_and_loops(editor_.graph(), w_.searching_, w_.found_);
    const auto& view = view_of_(editor_);
    auto counter = counts_of_(view, found.dominators, found.loops);
    const untaken_exits_plan& plan = w_.exits_;
    plan_untaken_exits(view, found.loops, counter, w_.planning_exits_, w_.exits_);
    tell(plan);
    state_.dropped_exits = plan.exits.size();
    if (!plan.empty()) {
      observer_.before(editor_);
      const unfolding_witness& w = apply_untaken_exits(editor_, plan, w_.dropping_);
      observer_.after(editor_, unrolling_step::untaken_exits, w);
    }
  }

  apply_unrolling_workspace& w_;
  E& editor_;
  span<const unrolling_order> orders_;
  const ViewOf& view_of_;
  CountsOf& counts_of_;
  const unrolling_limits& limits_;
  Observer& observer_;
  applied_unrollings& state_;
};

} // namespace detail

/// The state before the first step of `apply_unrolling_step`: nothing is unrolled.
///
/// Requires orders about different loops of this forest. O(blocks of the graph).
inline applied_unrollings begin_unrolling(const loop_forest& loops, span<const unrolling_order> orders) {
  apply_unrolling_workspace workspace;
  applied_unrollings state;
  begin_unrolling(loops, orders, workspace, state);
  return state;
}

/// Refills `state`.
inline void begin_unrolling(const loop_forest& loops, span<const unrolling_order> orders,
                            apply_unrolling_workspace& workspace, applied_unrollings& state) {
  state.loops.clear();
  state.dropped_exits = 0;
  flat_array<unsigned char>& is_ordered = workspace.is_ordered_;
  is_ordered.assign(loops.num_loops(), 0);
  for (const unrolling_order& o : orders) {
    MIDEND_ASSERT(o.loop < loops.num_loops(), "a loop of the forest", o.loop, loops.num_loops());
    MIDEND_ASSERT(!is_ordered[o.loop], "one request for each loop", o.loop);
    is_ordered[o.loop] = 1;
    applied_unrolling x;
    x.header = loops.header(o.loop);
    state.loops.push_back(x);
  }
}

/// Runs one step of `apply_unrolling`, for callers with an editor for each step. Run all steps in order. If nodes have
/// other numbers in the next editor, set the new headers in `state`. A loop for which the caller sets a reason against
/// a remainder gets none.
template <class E, class ViewOf, class Observer, class CountsOf = counts_of_loops>
void apply_unrolling_step(E& editor, unrolling_step step, span<const unrolling_order> orders, applied_unrollings& state,
                          const ViewOf& view_of, const unrolling_limits& limits, Observer& observer,
                          CountsOf counts_of = {}) {
  MIDEND_ASSERT(state.loops.size() == orders.size(), "the state of these orders", state.loops.size(), orders.size());
  apply_unrolling_workspace workspace;
  detail::unrolling_application<E, ViewOf, CountsOf, Observer>(editor, orders, view_of, counts_of, limits, observer,
                                                               workspace, state)
      .run(step);
}

/// Unrolls loops of a function as ordered. Partial unrolling by 2 with an epilogue:
///
///     before                   after
///     h: if i >= n goto x      guard: if fewer than 2 iterations are left goto h
///        b; i = i + 1          body:  b; i = i + 1
///        goto h                       b; i = i + 1
///     x:                              if 2 iterations are left goto body
///                              h:     if i >= n goto x
///                                     b; i = i + 1
///                                     goto h
///                              x:
///
/// The steps:
///
/// 1. Remainders before their loops, by `unroll_with_remainder` for the trip count modulo the factor; not if the plan
///    of the next step refuses the loop.
/// 2. New bodies of several iterations with a computed limit, by `unroll_with_remainder`. The old loop is the remainder
///    after them. After a remainder before the loop, only the last test is left for it, unless the counter wraps.
///    Peeling of the last iteration is a new body of one iteration that runs all but the last one.
/// 3. Copies, by `unroll_loops`: complete unrolling, peeling, and new bodies without a computed limit. A remainder that
///    is to be unrolled becomes a chain of as many copies as the factor says. It usually runs fewer iterations, but may
///    run any number, so the last copy stays a loop. Other chains end where the loop runs no more iterations than there
///    are copies (`plan_loop_ends`).
/// 4. Exits that are never taken, by `drop_untaken_exits`. These are also the tests between the copies of step 2.
///
/// `view_of(editor)` is a view of the cost rung of the current program. Calls `observer.before(editor)` and
/// `observer.after(editor, step, witness)` around each step that changes something. So a caller can keep the program
/// before it and check the certificate: by `verify_unfolding`, and by `verify_untaken_exits` if the witness
/// `has_assumptions`, as in the last step, and in step 3 if chains end.
///
/// `counts_of(view, dominators, loops)` returns a `trip_counter` of the program before the last step, and before step 3
/// if there are chains. With `loop_trip_counter`, facts of the function around the loop drop edges, too. Then the
/// certificate rests on these facts: see `verify_untaken_exits`.
///
/// Requires a forest of this graph as it is, with boundaries, and orders about different loops. The cost is that of the
/// steps. Limits are those of each step.
template <class E, class ViewOf, class Observer, class CountsOf = counts_of_loops>
applied_unrollings apply_unrolling(E& editor, const loop_forest& loops, span<const unrolling_order> orders,
                                   const ViewOf& view_of, const unrolling_limits& limits, Observer& observer,
                                   CountsOf counts_of = {}) {
  apply_unrolling_workspace workspace;
  applied_unrollings state;
  apply_unrolling(editor, loops, orders, view_of, limits, observer, counts_of, workspace, state);
  return state;
}

/// Refills `state`. A second program of the same size allocates nothing, apart from what `observer` and `counts_of` do.
template <class E, class ViewOf, class Observer, class CountsOf>
void apply_unrolling(E& editor, const loop_forest& loops, span<const unrolling_order> orders, const ViewOf& view_of,
                     const unrolling_limits& limits, Observer& observer, CountsOf& counts_of,
                     apply_unrolling_workspace& workspace, applied_unrollings& state) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(editor.graph()), "a loop forest of this graph", loops.epoch());
  begin_unrolling(loops, orders, workspace, state);
  detail::unrolling_application<E, ViewOf, CountsOf, Observer> application(editor, orders, view_of, counts_of, limits,
                                                                           observer, workspace, state);
  for (const unrolling_step step :
       {unrolling_step::rest, unrolling_step::whole_passes, unrolling_step::copies, unrolling_step::untaken_exits}) {
    application.run(step);
  }
}

/// As above, from advice: by its decision or another of its candidates. Unrolls nothing if an advice has an obstacle or
/// decides for the rolled loop. A candidate must be an element of its advice
/// (`is_of_advice`): one of another loop would be about another trip count.
template <class E, class ViewOf, class Observer, class CountsOf = counts_of_loops>
applied_unrollings apply_unrolling(E& editor, const loop_forest& loops, span<const advised_unrolling> requests,
                                   const ViewOf& view_of, const unrolling_limits& limits, Observer& observer,
                                   CountsOf counts_of = {}) {
  flat_array<unrolling_order> orders;
  for (const advised_unrolling& r : requests) {
    MIDEND_ASSERT(r.advice != nullptr, "a request has an advice", orders.size());
    MIDEND_ASSERT(r.candidate == nullptr || r.is_of_advice(), "a candidate of this advice", r.advice->loop);
    unrolling_form form;
    if (!r.advice->candidates.empty()) {
      form = unrolling_form_of(*r.advice, r.candidate == nullptr ? r.advice->decision() : *r.candidate);
    }
    form.unrolls_remainder = r.unrolls_remainder || form.unrolls_remainder;
    orders.push_back({r.advice->loop, form});
  }
  return apply_unrolling(editor, loops, span<const unrolling_order>(orders.data(), orders.size()), view_of, limits,
                         observer, std::move(counts_of));
}

/// Without an observer.
template <class E, class ViewOf>
applied_unrollings apply_unrolling(E& editor, const loop_forest& loops, span<const unrolling_order> orders,
                                   const ViewOf& view_of, const unrolling_limits& limits = {}) {
  unobserved nobody;
  return apply_unrolling(editor, loops, orders, view_of, limits, nobody);
}

template <class E, class ViewOf>
applied_unrollings apply_unrolling(E& editor, const loop_forest& loops, span<const advised_unrolling> requests,
                                   const ViewOf& view_of, const unrolling_limits& limits = {}) {
  unobserved nobody;
  return apply_unrolling(editor, loops, requests, view_of, limits, nobody);
}

/// An error: an observer in the place of the limits.
template <class E, class Loops, class ViewOf, class Observer>
  requires requires(Observer& observer, E& editor) { observer.before(editor); }
applied_unrollings apply_unrolling(E&, const loop_forest&, const Loops&, const ViewOf&, Observer&&) {
  static_assert(
      !requires(Observer& observer, E& editor) { observer.before(editor); },
      "midend: `apply_unrolling` takes limits before an observer: `midend::apply_unrolling(editor, loops, "
      "orders, view_of, midend::unrolling_limits(), observer)`");
  return {};
}

/// For one loop and its decision.
template <class E, class ViewOf>
applied_unrollings apply_unrolling(E& editor, const loop_forest& loops, const unrolling_advice& advice,
                                   const ViewOf& view_of, const unrolling_limits& limits = {}) {
  const advised_unrolling request{&advice};
  return apply_unrolling(editor, loops, span<const advised_unrolling>(&request, 1), view_of, limits);
}

MIDEND_END_NAMESPACE
