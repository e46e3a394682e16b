/// `apply_unrolling`: unrolls loops as an advice says, or as one of its candidates does.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/plan_unroll_with_remainder.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unroll_as_advised.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/transform/unroll_with_remainder.hpp"
#include "midend/transform/untaken_exits.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// A loop to be unrolled by `apply_unrolling`.
struct advised_unrolling {
  const unrolling_advice* advice;
  const unrolling_candidate* candidate = nullptr; ///< of this advice; null: its decision
  bool unrolls_remainder = false;                 ///< iterations of the remainder follow each other in copies, too
};

/// The transformation that a step of `apply_unrolling` is.
enum class unrolling_step : std::uint8_t {
  rest,         ///< `unroll_with_remainder` for the remainder before a loop
  whole_passes, ///< the same for passes of several iterations
  copies,       ///< `unroll_loops`, also of remainders
  untaken_exits ///< `drop_untaken_exits`
};

/// What became of a loop.
struct applied_unrolling {
  node_id header = no_node; ///< of the old loop, and with a remainder after it of that
  bool is_unrolled = false;
  std::optional<remainder_refusal> no_remainder; ///< why it has no remainder
  std::optional<unrolling_refusal> no_copies;    ///< why it, or its remainder, was not copied
};

/// The answer of `apply_unrolling`.
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

/// An observer of `apply_unrolling` that does nothing.
struct unobserved {
  template <class E> void before(const E&) {}

  template <class E> void after(const E&, unrolling_step, const unfolding_witness&) {}
};

namespace detail {

/// The requests, while loops change their numbers: a loop is named by its header, which stays.
template <class E, class ViewOf, class Observer> class unrolling_application {
public:
  unrolling_application(E& editor, const ViewOf& view_of, const unrolling_limits& limits, Observer& observer,
                        applied_unrollings& out)
      : editor_(editor), view_of_(view_of), limits_(limits), observer_(observer), out_(out) {}

  void run(const loop_forest& loops, span<const advised_unrolling> requests) {
    flat_array<unsigned char> is_requested; // by header
    is_requested.assign(detail::node_count(editor_.graph()), 0);
    for (const advised_unrolling& r : requests) {
      MIDEND_ASSERT(r.advice != nullptr, "a request has an advice", out_.loops.size());
      const unrolling_candidate& c = r.candidate == nullptr ? r.advice->decision() : *r.candidate;
      applied_unrolling x;
      x.header = loops.header(r.advice->loop);
      MIDEND_ASSERT(!is_requested[x.header], "one request for each loop", r.advice->loop);
      is_requested[x.header] = 1;
      out_.loops.push_back(x);
      wish w;
      if (r.advice->obstacle == unrolling_obstacle::none) {
        w.copies = unrolling_request_of(*r.advice, c);
        w.remainder = remainder_request_of(*r.advice, c);
        w.is_before = c.remainder == remainder_placement::prologue;
        w.unrolls_remainder = r.unrolls_remainder && w.remainder;
      }
      wishes_.push_back(w);
    }
    add_remainders(passed_iterations::rest);
    add_remainders(passed_iterations::whole_passes);
    copy();
    drop();
  }

private:
  struct wish {
    std::optional<unrolling_request> copies;
    std::optional<remainder_request> remainder;
    bool is_before = false;
    bool unrolls_remainder = false;
  };

  void add_remainders(passed_iterations passed) {
    const bool is_rest = passed == passed_iterations::rest;
    flat_array<remainder_request> requests;
    flat_array<std::size_t> origin; // by request
    const auto found = dominators_and_loops(editor_.graph());
    for (std::size_t i = 0; i != wishes_.size(); ++i) {
      if (wishes_[i].remainder && (!is_rest || wishes_[i].is_before)) {
        requests.push_back({found.loops.innermost_loop(out_.loops[i].header), wishes_[i].remainder->factor, passed});
        origin.push_back(i);
      }
    }
    if (requests.empty()) {
      return;
    }
    const remainder_plan plan = plan_unroll_with_remainder(view_of_(editor_), found.loops, requests, limits_);
    flat_array<remainder_refusal> refused = plan.refused;
    if (!plan.empty()) {
      observer_.before(editor_);
      const unfolding_witness w = apply_unroll_with_remainder(editor_, plan, refused);
      observer_.after(editor_, is_rest ? unrolling_step::rest : unrolling_step::whole_passes, w);
    }
    for (std::size_t k = 0; k != requests.size(); ++k) {
      applied_unrolling& x = out_.loops[origin[k]];
      for (const remainder_refusal& r : refused) {
        if (r.loop == requests[k].loop) {
          x.no_remainder = r;
          wishes_[origin[k]].remainder.reset();
        }
      }
      x.is_unrolled = !is_rest && !x.no_remainder;
    }
  }

  void copy() {
    flat_array<unrolling_request> requests;
    flat_array<std::size_t> origin;
    const auto found = dominators_and_loops(editor_.graph());
    for (std::size_t i = 0; i != wishes_.size(); ++i) {
      const loop_id l = found.loops.innermost_loop(out_.loops[i].header);
      const wish& w = wishes_[i];
      if (w.copies) {
        requests.push_back({l, w.copies->shape, w.copies->copies});
        origin.push_back(i);
      } else if (w.unrolls_remainder && out_.loops[i].is_unrolled) {
        requests.push_back({l, unrolling_shape::chain, w.remainder->factor});
        origin.push_back(i);
      }
    }
    if (requests.empty()) {
      return;
    }
    const unrolling_plan plan = plan_unroll_loops(view_of_(editor_), found.loops, requests, limits_);
    if (!plan.empty()) {
      observer_.before(editor_);
      const unfolding_witness w = apply_unroll_loops(editor_, plan);
      observer_.after(editor_, unrolling_step::copies, w);
    }
    for (std::size_t k = 0; k != requests.size(); ++k) {
      applied_unrolling& x = out_.loops[origin[k]];
      for (const unrolling_refusal& r : plan.refused) {
        if (r.loop == requests[k].loop) {
          x.no_copies = r;
        }
      }
      x.is_unrolled = x.is_unrolled || !x.no_copies;
    }
  }

  void drop() {
    if (out_.num_unrolled() == 0) {
      return;
    }
    const auto found = dominators_and_loops(editor_.graph());
    const untaken_exits_plan plan = plan_untaken_exits(view_of_(editor_), found.loops);
    out_.dropped_exits = plan.exits.size();
    if (!plan.empty()) {
      observer_.before(editor_);
      const unfolding_witness w = apply_untaken_exits(editor_, plan);
      observer_.after(editor_, unrolling_step::untaken_exits, w);
    }
  }

  E& editor_;
  const ViewOf& view_of_;
  const unrolling_limits& limits_;
  Observer& observer_;
  applied_unrollings& out_;
  flat_array<wish> wishes_;
};

} // namespace detail

/// Unrolls loops of a function as their advices say, each by its decision or another candidate, in these steps:
///
/// 1. remainders before their loops: `unroll_with_remainder` for the trip count modulo the factor;
/// 2. passes of several iterations, `unroll_with_remainder`. The old loop is the remainder after them; if there is one
///    before them, no more than the last test is left for it, unless the counter wraps;
/// 3. copies, `unroll_loops`: complete unrolling, peeling, new bodies without a computed limit; and of a remainder
///    that is to be unrolled as many in a chain as the factor says: it usually runs fewer iterations, but may run any
///    number, so the last copy stays a loop;
/// 4. exits that are never taken, `drop_untaken_exits`.
///
/// `view_of(editor)` is a view of the cost rung of the program as it is then. `observer.before(editor)` and
/// `observer.after(editor, step, witness)` are called around each step that changes something, so a caller can keep the
/// program before it and check the certificate: `verify_unfolding`, and for the last step `verify_untaken_exits`, too.
///
/// Requires a forest of this graph as it is, with boundaries, and advices about it, each about another loop. Unrolls
/// nothing where an advice has an obstacle or decides for the rolled loop. The cost is that of the steps. Limits are
/// those of each step.
template <class E, class ViewOf, class Observer>
applied_unrollings apply_unrolling(E& editor, const loop_forest& loops, span<const advised_unrolling> requests,
                                   const ViewOf& view_of, const unrolling_limits& limits, Observer& observer) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(editor.graph()), "a loop forest of this graph", loops.epoch());
  applied_unrollings out;
  detail::unrolling_application<E, ViewOf, Observer>(editor, view_of, limits, observer, out).run(loops, requests);
  return out;
}

/// The same without an observer.
template <class E, class ViewOf>
applied_unrollings apply_unrolling(E& editor, const loop_forest& loops, span<const advised_unrolling> requests,
                                   const ViewOf& view_of, const unrolling_limits& limits = {}) {
  unobserved nobody;
  return apply_unrolling(editor, loops, requests, view_of, limits, nobody);
}

/// The same for one loop and its decision.
template <class E, class ViewOf>
applied_unrollings apply_unrolling(E& editor, const loop_forest& loops, const unrolling_advice& advice,
                                   const ViewOf& view_of, const unrolling_limits& limits = {}) {
  const advised_unrolling request{&advice};
  return apply_unrolling(editor, loops, span<const advised_unrolling>(&request, 1), view_of, limits);
}

MIDEND_END_NAMESPACE
