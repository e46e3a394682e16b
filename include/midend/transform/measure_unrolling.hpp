/// `measure_unrolling`: carries an advice out, cleans up, and sets the loop that is left beside the prediction.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/apply_unrolling.hpp"
#include "midend/transform/realise_unrolling.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/measure_loop.hpp"
#include "midend/unrolling/unrolling_advice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

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

/// What `apply_unrolling` has copied, and where the new loop is: an observer of the unrolling of one loop.
class unrolling_record {
public:
  unrolling_record(node_id header, unrolling_way way) : header_(header), new_header_(header), way_(way) {}

  template <class E> void before(const E& editor) { num_nodes_ = node_count(editor.graph()); }

  template <class E> void after(const E& editor, unrolling_step step, const unfolding_witness& witness) {
    if (step == unrolling_step::untaken_exits) {
      return;
    }
    note_origins(static_cast<std::size_t>(editor.num_values()), witness);
    if (step != unrolling_step::rest && way_ != unrolling_way::cycle) {
      note_header(dominators_and_loops(editor.graph()).loops, witness);
    }
  }

  /// Of the new loop. A cycle keeps that of the old one; passes and chains have a copy.
  node_id header() const { return new_header_; }

  /// The value of the old program that a value of the new one is a copy of, or `no_value`.
  value_id origin_of(value_id v) const { return v < origins_.size() ? origins_[v] : no_value; }

  /// How many values from `first` on are copies.
  std::size_t copies_from(std::size_t first) const {
    std::size_t count = 0;
    for (std::size_t v = first; v < origins_.size(); ++v) {
      count += origins_[v] != no_value ? 1U : 0U;
    }
    return count;
  }

private:
  /// The values of the step before of which those of this one are copies, then those of the program before all steps.
  void note_origins(std::size_t num_values, const unfolding_witness& witness) {
    const bool is_first = origins_.empty();
    flat_array<value_id> now;
    now.resize_for_overwrite(num_values);
    for (value_id v = 0; v != num_values; ++v) {
      const bool has_origin = witness.value_origin.empty() || v < witness.value_origin.size();
      const value_id step = has_origin ? witness.origin_of_value(v) : no_value;
      now[v] = is_first || step == no_value ? step : origin_of(step);
    }
    origins_ = std::move(now);
  }

  void note_header(const loop_forest& loops, const unfolding_witness& witness) {
    for (const loop_id l : loops.loops()) {
      const node_id header = loops.header(l);
      if (header >= num_nodes_ && witness.node_origin[header] == header_) {
        new_header_ = header;
      }
    }
  }

  node_id header_;
  node_id new_header_;
  unrolling_way way_;
  node_id num_nodes_ = 0;        ///< before the step
  flat_array<value_id> origins_; ///< by value of the program after copying
};

} // namespace detail

/// Carries out the decision of an advice by `apply_unrolling`, cleans up by `clean_up(editor)`, measures the new loop
/// and compares it with the prediction. `advice` is about a loop of the program as it is, on this machine with these
/// options of lowering; `view_of(editor)` is a view of the cost rung of the program as it is then. Changes the program:
/// call it for a copy.
///
/// Header nodes of loops that are left keep their numbers in a clean-up, and values theirs. Clean the program up by the
/// same passes before it is advised on, so that only what unrolling saves is compared.
///
/// Of complete unrolling nothing is left to be measured (`no_loop_left`). Remainders, after the loop or before it, and
/// peeled iterations are carried out, but not compared.
template <class E, class ViewOf, loop_machine_argument M, class CleanUp>
unrolling_deed measure_unrolling(E& editor, const ViewOf& view_of, const unrolling_advice& advice, const M& machine,
                                 const lowering_options& options, const CleanUp& clean_up) {
  unrolling_deed out;
  const unrolling_order order = advice.obstacle == unrolling_obstacle::none
                                    ? unrolling_order_of(advice, advice.decision())
                                    : unrolling_order{advice.loop, unrolling_way::nothing, 1};
  if (order.way == unrolling_way::nothing) {
    out.obstacle = deed_obstacle::not_unrolled;
    return out;
  }
  const auto num_values = static_cast<std::size_t>(editor.num_values());
  detail::unrolling_record record(advice.header, order.way);
  const applied_unrollings done =
      apply_unrolling(editor, dominators_and_loops(editor.graph()).loops, span<const unrolling_order>(&order, 1),
                      view_of, unrolling_limits(), record);
  if (done.num_unrolled() == 0) {
    out.obstacle = deed_obstacle::refused;
    return out;
  }
  out.header = record.header();
  out.cloned = record.copies_from(num_values);
  out.dropped_exits = done.dropped_exits;
  clean_up(editor);
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
      advice.decision().body, advice.body, advice.machine, out.measure, [&](value_id v) { return record.origin_of(v); },
      out.comparison);
  return out;
}

/// The same with `realise_unrolling` as the clean-up.
template <class E, class ViewOf, loop_machine_argument M>
unrolling_deed measure_unrolling(E& editor, const ViewOf& view_of, const unrolling_advice& advice, const M& machine,
                                 const lowering_options& options = {}) {
  return measure_unrolling(editor, view_of, advice, machine, options, [&](E& e) { realise_unrolling(e, view_of); });
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
