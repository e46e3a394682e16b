/// `measure_unrolling`: carries an advice out, cleans up, and sets the loop that is left beside the prediction.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/realise_unrolling.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unroll_as_advised.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/transform/unroll_with_remainder.hpp"
#include "midend/transform/untaken_exits.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/measure_loop.hpp"
#include "midend/unrolling/unrolling_advice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why there is nothing to compare.
enum class deed_obstacle : std::uint8_t {
  none,
  not_unrolled,  ///< the advice is to leave the loop as it is, or there is no advice
  refused,       ///< the transformation refuses the loop
  no_loop_left,  ///< the clean-up has removed the loop although the advice keeps one
  not_described, ///< what is left cannot be described, or the loop is no longer innermost
};

inline constexpr std::size_t num_deed_obstacles = 5;

/// What became of an advice.
struct unrolling_deed {
  deed_obstacle obstacle = deed_obstacle::none; ///< with one, nothing below is valid
  node_id header = no_node;                     ///< of the new loop, in the new program
  std::size_t cloned = 0;                       ///< operations and phis
  std::size_t dropped_exits = 0;                ///< tests that are never true
  loop_measure measure;
  unrolling_comparison comparison;
};

namespace detail {

/// One advice that is carried out.
template <class E, class ViewOf> class unrolling_execution {
public:
  unrolling_execution(E& editor, const ViewOf& view_of, const unrolling_advice& advice, unrolling_deed& out)
      : editor_(editor), view_of_(view_of), advice_(advice), out_(out) {}

  void run() {
    num_values_ = static_cast<std::size_t>(editor_.num_values());
    const unrolling_candidate& decision = advice_.decision();
    const auto found = dominators_and_loops(editor_.graph());
    if (const auto copies = unrolling_request_of(advice_, decision)) {
      unroll(found.loops, *copies);
    } else if (const auto remainder = remainder_request_of(advice_, decision)) {
      unroll(found.loops, *remainder);
    } else {
      out_.obstacle = deed_obstacle::not_unrolled;
    }
    if (out_.obstacle != deed_obstacle::none) {
      return;
    }
    {
      const auto exits = plan_untaken_exits(view_of_(editor_), dominators_and_loops(editor_.graph()).loops);
      out_.dropped_exits = exits.exits.size();
      apply_untaken_exits(editor_, exits);
    }
    realise_unrolling(editor_, view_of_);
  }

  /// The value of the old program that a value of the new one is a copy of, or `no_value`.
  value_id origin_of(value_id v) const { return v < origins_.size() ? origins_[v] : no_value; }

private:
  void unroll(const loop_forest& loops, const unrolling_request& request) {
    const auto plan = plan_unroll_loops(editor_, loops, span<const unrolling_request>(&request, 1));
    if (plan.empty()) {
      out_.obstacle = deed_obstacle::refused;
      return;
    }
    note(apply_unroll_loops(editor_, plan), request.shape == unrolling_shape::chain);
  }

  void unroll(const loop_forest& loops, const remainder_request& request) {
    const auto plan = plan_unroll_with_remainder(view_of_(editor_), loops, span<const remainder_request>(&request, 1));
    flat_array<remainder_refusal> refused;
    const unfolding_witness witness = apply_unroll_with_remainder(editor_, plan, refused);
    if (plan.empty() || !refused.empty()) {
      out_.obstacle = deed_obstacle::refused;
      return;
    }
    note(witness, true);
  }

  /// The new loop has another header than the old one if it `is_copied`.
  void note(const unfolding_witness& witness, bool is_copied) {
    const auto values = static_cast<std::size_t>(editor_.num_values());
    origins_.resize_for_overwrite(values);
    for (value_id v = 0; v != values; ++v) {
      origins_[v] =
          witness.value_origin.empty() || v < witness.value_origin.size() ? witness.origin_of_value(v) : no_value;
      out_.cloned += v >= num_values_ && origins_[v] != no_value ? 1U : 0U;
    }
    out_.header = advice_.header;
    const auto found = dominators_and_loops(editor_.graph());
    for (const loop_id l : found.loops.loops()) {
      const node_id header = found.loops.header(l);
      if (is_copied && header != advice_.header && witness.node_origin[header] == advice_.header) {
        out_.header = header;
      }
    }
  }

  E& editor_;
  const ViewOf& view_of_;
  const unrolling_advice& advice_;
  unrolling_deed& out_;
  std::size_t num_values_ = 0;   ///< before
  flat_array<value_id> origins_; ///< by value of the program after copying
};

} // namespace detail

/// Carries out the decision of an advice by `unroll_loops` or `unroll_with_remainder`, drops tests that are never true,
/// cleans up by `realise_unrolling`, measures the new loop and compares it with the prediction. `advice` is about a
/// loop of the program as it is, on this machine with these options of lowering; `view_of(editor)` is a view of the
/// cost rung of the program as it is then. Changes the program: call it for a copy.
///
/// Of complete unrolling nothing is left to be measured (`no_loop_left`). Remainders and peeled iterations are carried
/// out, but not compared.
template <class E, class ViewOf, loop_machine_argument M>
unrolling_deed measure_unrolling(E& editor, const ViewOf& view_of, const unrolling_advice& advice, const M& machine,
                                 const lowering_options& options = {}) {
  unrolling_deed out;
  if (advice.obstacle != unrolling_obstacle::none) {
    out.obstacle = deed_obstacle::not_unrolled;
    return out;
  }
  detail::unrolling_execution<E, ViewOf> execution(editor, view_of, advice, out);
  execution.run();
  if (out.obstacle != deed_obstacle::none) {
    return out;
  }
  const auto view = view_of(editor);
  const auto found = dominators_and_loops(editor.graph());
  const loop_id loop = found.loops.innermost_loop(out.header);
  if (loop == no_loop || found.loops.header(loop) != out.header) {
    out.obstacle = deed_obstacle::no_loop_left;
    return out;
  }
  measure_loop_workspace workspace;
  measure_loop(view, found.loops, loop, machine, options, workspace, out.measure);
  if (out.measure.obstacle != unrolling_obstacle::none) {
    out.obstacle = deed_obstacle::not_described;
    return out;
  }
  compare_with_deed(
      advice.decision().body, advice.body, advice.machine, out.measure,
      [&](value_id v) { return execution.origin_of(v); }, out.comparison);
  return out;
}

namespace detail {

inline constexpr std::array<const char*, num_deed_obstacles> deed_obstacle_names = {"none", "not_unrolled", "refused",
                                                                                    "no_loop_left", "not_described"};

} // namespace detail

/// The enumerator's name.
constexpr const char* name_of(deed_obstacle o) {
  return detail::deed_obstacle_names[static_cast<std::size_t>(o)];
}

MIDEND_END_NAMESPACE
