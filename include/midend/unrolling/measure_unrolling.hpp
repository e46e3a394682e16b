/// `measure_unrolling`: carries an advice out, cleans up, and compares the result with the advice.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/cost/count_loop_trips.hpp"
#include "midend/machine/cost/estimate.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/machine.hpp"
#include "midend/package/clean_up.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/unrolling/apply_unrolling.hpp"
#include "midend/unrolling/try_unrolling.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_savings.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// Why there is nothing to compare.
enum class deed_obstacle : std::uint8_t {
  none,
  not_unrolled, ///< the advice is to leave the loop as it is, or there is no advice
  refused,      ///< the transformation refuses the loop
  no_loop_left, ///< the clean-up removed the loop, but the advice keeps one: better than advised
  loop_left,    ///< a loop remains, but the advice keeps none
  not_a_region  ///< the new loop is no innermost loop whose branches can become predicates
};

inline constexpr std::size_t num_deed_obstacles = 6;

/// An advice and the program that it led to.
struct unrolling_deed {
  deed_obstacle obstacle = deed_obstacle::none; ///< with one, nothing below is valid
  node_id header = no_node;                     ///< of the new loop; `no_node` for straight code
  std::size_t dropped_exits = 0;                ///< tests that are never true
  bool is_straight = false;                     ///< no loop remains, and only operations are compared
  body_cost advised;                            ///< `unrolling_candidate::body`
  body_cost there;

  /// Whether the program has no more operations than the trial, and takes no more cycles for an iteration of its body.
  /// It may have fewer: the code around the loop says more than the loop alone.
  constexpr bool is_as_advised() const {
    return there.operations <= advised.operations && (is_straight || there.cycles() <= advised.cycles());
  }

  /// Whether program and trial have the same operations and cycles.
  constexpr bool is_equal() const {
    return there.operations == advised.operations && (is_straight || there.cycles() == advised.cycles());
  }
};

namespace detail {

/// Estimates a program as it is, with facts about its trips and numbers.
template <class E, loop_machine_argument M>
program_estimate estimate_as_is(const E& editor, const M& machine, const lowering_options& lowering,
                                dominators_and_loops_result& found) {
  found = dominators_and_loops(editor.graph());
  estimate_knowledge known;
  count_loop_trips(editor, found.loops, known);
  estimate_options options;
  options.lowering = lowering;
  options.trips = span<const std::uint64_t>(known.trips.data(), known.trips.size());
  options.facts.not_negative = span<const bool>(known.not_negative.data(), known.not_negative.size());
  return estimate(editor, found.loops, machine, options);
}

} // namespace detail

/// Carries out the decision of an advice on `editor` by `apply_unrolling` and `clean_up`, and measures the result by
/// `estimate`. `plain` is an editor of an equal program: it is only cleaned up, so that straight code of the loop can
/// be told from operations around it. Both programs are changed: call it for copies.
///
/// `advice` is about a loop of the program as it is, on this machine with this lowering. If facts of the function
/// counted the iterations, `counts_of` has to use them, too; see `apply_unrolling`.
///
/// If a loop remains, compares its body. After complete unrolling, compares operations: those that the program has more
/// than the cleaned up program without the loop, and those that the loop does not change.
///
/// Unreachable nodes are not counted, and the clean-up erases them. The time of the steps for the whole program.
template <clean_up_editor_argument E, loop_machine_argument M, class CountsOf = counts_of_loops>
unrolling_deed measure_unrolling(E& editor, E& plain, const unrolling_advice& advice, const M& machine,
                                 const lowering_options& lowering = {}, CountsOf counts_of = {}) {
  unrolling_deed out;
  unrolling_order order{advice.loop, {}};
  if (advice.obstacle == unrolling_obstacle::none) {
    order.form = unrolling_form_of(advice, advice.decision());
  }
  if (order.form.kind == unrolling_kind::none) {
    out.obstacle = deed_obstacle::not_unrolled;
    return out;
  }
  const auto view_of = [](const E& e) -> const E& { return e; };
  const loop_forest loops = dominators_and_loops(editor.graph()).loops;
  unrolled_header unrolled;
  unrolled.begin(loops, advice.loop);
  const applied_unrollings done = apply_unrolling(editor, loops, span<const unrolling_order>(&order, 1), view_of,
                                                  unrolling_limits(), unrolled, std::move(counts_of));
  if (done.num_unrolled() == 0) {
    out.obstacle = deed_obstacle::refused;
    return out;
  }
  out.dropped_exits = done.dropped_exits;
  const clean_up_options cleaning = clean_up_options_for(machine, lowering);
  clean_up(editor, cleaning);
  dominators_and_loops_result found;
  const program_estimate after = detail::estimate_as_is(editor, machine, lowering, found);
  out.header = unrolled.header();
  out.advised = advice.decision().body;
  out.is_straight = out.advised.obstacle == pipelining_obstacle::straight_line;
  const loop_id l = found.loops.innermost_loop(out.header);
  const bool has_loop = l != no_loop && found.loops.header(l) == out.header;
  if (has_loop == out.is_straight) {
    out.obstacle = has_loop ? deed_obstacle::loop_left : deed_obstacle::no_loop_left;
  } else if (has_loop) {
    out.obstacle = after.loops[l].obstacle == region_obstacle::none ? deed_obstacle::none : deed_obstacle::not_a_region;
    out.there = after.loops[l].cost;
  } else {
    clean_up(plain, cleaning);
    const program_estimate before = detail::estimate_as_is(plain, machine, lowering, found);
    const loop_id rolled = found.loops.innermost_loop(advice.header);
    const bool is_there = rolled != no_loop && found.loops.header(rolled) == advice.header;
    const std::uint64_t around = before.operations - (is_there ? before.loops[rolled].cost.operations : 0);
    // Operations that the loop does not change are in both programs; the trial counts them, so they count here.
    const std::uint64_t kept = around - detail::min(around, advice.rolled().rest.operations);
    out.there.obstacle = pipelining_obstacle::straight_line;
    out.there.operations = after.operations - detail::min(after.operations, kept);
  }
  return out;
}

namespace detail {

inline constexpr std::array<const char*, num_deed_obstacles> deed_obstacle_names = {
    "none", "not_unrolled", "refused", "no_loop_left", "loop_left", "not_a_region"};

} // namespace detail

/// The enumerator's name.
constexpr const char* name_of(deed_obstacle o) {
  return detail::deed_obstacle_names[static_cast<std::size_t>(o)];
}

MIDEND_END_NAMESPACE
