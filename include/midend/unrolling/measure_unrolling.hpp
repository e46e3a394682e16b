/// `measure_unrolling`: carries an advice out, cleans up, and sets what is left beside the prediction.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/straight_code_view.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/unrolling/apply_unrolling.hpp"
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
  loop_left,     ///< the clean-up has left a loop although it is unrolled completely
  not_described, ///< what is left cannot be described, or the loop is no longer innermost
};

inline constexpr std::size_t num_deed_obstacles = 6;

/// What became of an advice.
struct unrolling_deed {
  deed_obstacle obstacle = deed_obstacle::none; ///< with one, nothing below is valid
  node_id header = no_node;                     ///< of the new loop, in the new program; of straight code nothing
  std::size_t cloned = 0;                       ///< operations and phis
  std::size_t dropped_exits = 0;                ///< tests that are never true
  loop_measure measure;
  unrolling_comparison comparison;
  bool has_nest = false;     ///< the loop around is compared, too
  unrolling_comparison nest; ///< `nest_advice::unfolded` beside what the loop around is now

  /// Whether the operations and the interval are as predicted, of the loop around, too.
  constexpr bool is_as_predicted() const {
    return comparison.is_as_predicted() && (!has_nest || nest.is_as_predicted());
  }

  /// Whether all items are.
  constexpr bool is_equal() const { return comparison.is_equal() && (!has_nest || nest.is_equal()); }
};

namespace detail {

/// What `apply_unrolling` has copied, and where the new loop is: an observer of the unrolling of one loop.
class unrolling_record {
public:
  /// `loop` is to be unrolled.
  template <class IR>
  unrolling_record(const IR& ir, const loop_forest& loops, loop_id loop, unrolling_way way)
      : header_(loops.header(loop)), new_header_(loops.header(loop)), way_(way) {
    is_of_loop_.assign(static_cast<std::size_t>(ir.num_values()), 0);
    for (const node_id n : loops.blocks(loop)) {
      for (const value_id v : ir.values(n)) {
        is_of_loop_[v] = 1;
      }
    }
    note_later_values(ir, loops);
    for (const loop_edge& e : loops.exiting_edges(loop)) {
      value_id last = no_value;
      for (const value_id v : ir.values(e.source)) {
        last = v;
      }
      leaving_.push_back(last);
    }
    for (loop_id l = loops.parent(loop); l != no_loop; l = loops.parent(l)) {
      around_.push_back(loops.header(l));
    }
  }

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

  /// Whether a value of the new program is one of the old loop or a copy of one.
  bool is_of_loop(value_id v) const {
    const value_id origin = origin_of(v);
    return origin < is_of_loop_.size() && is_of_loop_[origin] != 0;
  }

  /// Whether a value of the new program is the branch, or a copy of it, of a node from which an edge left the old loop.
  bool leaves_loop(value_id v) const {
    const value_id origin = origin_of(v);
    for (const value_id branch : leaving_) {
      if (branch == origin && origin != no_value) {
        return true;
      }
    }
    return false;
  }

  /// Whether the value was added after copying.
  bool is_added(value_id v) const { return v >= origins_.size(); }

  /// The values of the new program, `view`, that are computed from what the old program computed neither before nor in
  /// the loop: they are no part of what came from the loop. New values that come after the last value from the loop in
  /// their node are no part of it, either, if no value from the loop is among their operands or users: the clean-up
  /// computes them in place of a value after the loop. Phis are not looked at. A bit by value; linear time.
  template <class View>
  flat_array<std::uint8_t> later_values(const View& view, const dominator_tree& dominators) const {
    flat_array<std::uint8_t> later(static_cast<std::size_t>(view.num_values()), 0);
    flat_array<std::uint8_t> is_tied(later.size(), 0); // to values from the loop
    flat_array<value_id> order;
    tie_phi_inputs(view, is_tied);
    for (const node_id n : dominators.preorder()) { // operands before what reads them
      for (const value_id v : view.values(n)) {
        order.push_back(v);
        if (!is_added(v)) {
          later[v] = v < is_later_.size() ? is_later_[v] : std::uint8_t{0};
          is_tied[v] = is_of_loop(v) ? std::uint8_t{1} : is_tied[v];
        } else if (view.is_phi(v)) {
          is_tied[v] = 1;
        } else {
          for_each_id(view.operands(v), [&](value_id x) {
            later[v] = x != no_value && later[x] != 0 ? std::uint8_t{1} : later[v];
            is_tied[v] = x != no_value && is_tied[x] != 0 ? std::uint8_t{1} : is_tied[v];
          });
        }
      }
      order.push_back(no_value); // the end of the node
    }
    bool is_last = true;
    for (std::size_t i = order.size(); i-- != 0;) {
      const value_id v = order[i];
      is_last = v == no_value || (is_last && (is_added(v) || !is_of_loop(v)));
      if (v == no_value || view.is_phi(v)) {
        continue;
      }
      if (is_added(v) && is_last && is_tied[v] == 0) {
        later[v] = 1;
      } else if (is_tied[v] != 0) {
        for_each_id(view.operands(v), [&](value_id x) {
          if (x != no_value) {
            is_tied[x] = 1;
          }
        });
      }
    }
    return later;
  }

  /// The innermost loop that was around the old one and is still a loop, or `no_loop`.
  loop_id loop_around(const loop_forest& loops) const {
    for (const node_id header : around_) {
      if (loops.is_header(header)) {
        return loops.innermost_loop(header);
      }
    }
    return no_loop;
  }

  /// How many values from `first` on are copies.
  std::size_t copies_from(std::size_t first) const {
    std::size_t count = 0;
    for (std::size_t v = first; v < origins_.size(); ++v) {
      count += origins_[v] != no_value ? 1U : 0U;
    }
    return count;
  }

private:
  template <class View> static void tie_phi_inputs(const View& view, flat_array<std::uint8_t>& is_tied) {
    for (node_id n = 0; n != node_count(view.graph()); ++n) {
      for_each_id(view.graph().out_edges(n), [&](edge_id e) {
        for_each_phi(view, static_cast<node_id>(view.graph().edge_target(e)), [&](value_id phi) {
          if (const auto x = static_cast<value_id>(view.phi_input(phi, e)); x != no_value) {
            is_tied[x] = 1;
          }
        });
      });
    }
  }

  /// What is neither in the loop nor in a node that dominates its header.
  template <class IR> void note_later_values(const IR& ir, const loop_forest& loops) {
    const auto found = dominators_and_loops(ir.graph());
    is_later_.assign(static_cast<std::size_t>(ir.num_values()), 0);
    for (node_id n = 0; n != loops.num_nodes(); ++n) {
      const bool is_before = found.dominators.is_reachable(n) && found.dominators.dominates(n, header_);
      for (const value_id v : ir.values(n)) {
        is_later_[v] = !is_before && is_of_loop_[v] == 0 ? 1 : 0;
      }
    }
  }

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
  node_id num_nodes_ = 0;               ///< before the step
  flat_array<value_id> origins_;        ///< by value of the program after copying
  flat_array<std::uint8_t> is_of_loop_; ///< by value of the program before
  flat_array<std::uint8_t> is_later_;   ///< likewise: computed neither in the loop nor before it
  flat_array<value_id> leaving_;        ///< the last values of the nodes from which edges left the loop
  flat_array<node_id> around_;          ///< headers of the loops around, the innermost first
};

/// Whether a loop in `around`, or any loop if that is `no_loop`, still runs copies.
template <class View>
bool runs_copies_again(const View& view, const loop_forest& loops, loop_id around, const unrolling_record& record) {
  for (node_id n = 0; n != loops.num_nodes(); ++n) {
    const loop_id inner = loops.innermost_loop(n);
    if (inner == no_loop || inner == around || (around != no_loop && !loops.contains_loop(around, inner))) {
      continue;
    }
    for (const value_id v : view.values(n)) {
      if (record.is_of_loop(v)) {
        return true;
      }
    }
  }
  return false;
}

/// Sets complete unrolling beside its prediction: the straight code that came from the loop, and the loop around.
template <class View, loop_machine M>
void measure_straight_code(const View& view, const unrolling_advice& advice, const M& machine,
                           const lowering_options& options, const unrolling_record& record, unrolling_deed& out) {
  const auto found = dominators_and_loops(view.graph());
  const loop_id around = record.loop_around(found.loops);
  if (runs_copies_again(view, found.loops, around, record)) {
    out.obstacle = deed_obstacle::loop_left;
    return;
  }
  const flat_array<std::uint8_t> later = record.later_values(view, found.dominators);
  const auto is_part = [&](value_id v) {
    return record.is_added(v) ? !view.is_phi(v) && later[v] == 0 : record.is_of_loop(v);
  };
  const auto origin_of = [&](value_id v) { return record.origin_of(v); };
  const auto leaves = [&](value_id v) { return record.leaves_loop(v); };
  const straight_code_view<View> code(view, found.dominators, found.loops, around, is_part, leaves);
  const loop_forest once = dominators_and_loops(code.graph()).loops;
  measure_loop_workspace workspace;
  measure_loop(code, once, once.innermost_loop(code.graph().entry()), machine, options, workspace, out.measure, true);
  if (out.measure.obstacle != unrolling_obstacle::none) {
    out.obstacle = deed_obstacle::not_described;
    return;
  }
  compare_with_deed(advice.decision().body, advice.body, advice.machine, out.measure, origin_of, out.comparison);
  if (!advice.nest.is_evaluated || around == no_loop || found.loops.header(around) != advice.nest.header) {
    return;
  }
  loop_measure nest;
  measure_loop(view, found.loops, around, machine, options, workspace, nest);
  out.has_nest = nest.obstacle == unrolling_obstacle::none;
  if (out.has_nest) {
    compare_with_deed(advice.nest.unfolded.body, advice.nest.body, advice.nest.machine, nest, origin_of, out.nest);
  }
}

} // namespace detail

/// Carries out the decision of an advice by `apply_unrolling`, cleans up by `clean_up(editor)`, measures the new loop
/// or the straight code, and compares it with the prediction. `advice` is about a loop of the program as it is, on this
/// machine with these options of lowering; `view_of(editor)` is a view of the cost rung of the program as it is then.
/// Changes the program: call it for a copy.
///
/// If the iterations were counted by facts of the function, `counts_of` has to count them so, too; see
/// `apply_unrolling`. Header nodes of loops that are left keep their numbers in a clean-up, and values theirs. Clean
/// the program up by the same passes before it is advised on, so that only what unrolling saves is compared.
///
/// Of complete unrolling the straight code is measured: the values that came from the loop, and what the clean-up has
/// added between them, unless it is computed from what follows the loop. What it has moved out of the loop around, or
/// into what was there before, is not counted. Where `advice.nest` was evaluated, the loop around is compared, too.
/// Remainders, after the loop or before it, and peeled iterations are carried out, but not compared.
template <class E, class ViewOf, loop_machine_argument M, class CleanUp, class CountsOf = counts_of_bodies>
unrolling_deed measure_unrolling(E& editor, const ViewOf& view_of, const unrolling_advice& advice, const M& machine,
                                 const lowering_options& options, const CleanUp& clean_up, CountsOf counts_of = {}) {
  unrolling_deed out;
  const unrolling_order order = advice.obstacle == unrolling_obstacle::none
                                    ? unrolling_order_of(advice, advice.decision())
                                    : unrolling_order{advice.loop, unrolling_way::nothing, 1};
  if (order.way == unrolling_way::nothing) {
    out.obstacle = deed_obstacle::not_unrolled;
    return out;
  }
  const auto num_values = static_cast<std::size_t>(editor.num_values());
  const loop_forest loops = dominators_and_loops(editor.graph()).loops;
  detail::unrolling_record record(view_of(editor), loops, advice.loop, order.way);
  const applied_unrollings done = apply_unrolling(editor, loops, span<const unrolling_order>(&order, 1), view_of,
                                                  unrolling_limits(), record, std::move(counts_of));
  if (done.num_unrolled() == 0) {
    out.obstacle = deed_obstacle::refused;
    return out;
  }
  out.header = record.header();
  out.cloned = record.copies_from(num_values);
  out.dropped_exits = done.dropped_exits;
  clean_up(editor);
  const auto& view = view_of(editor);
  if (advice.decision().kind == unrolling_kind::full) {
    detail::measure_straight_code(view, advice, machine, options, record, out);
    return out;
  }
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

namespace detail {

inline constexpr std::array<const char*, num_deed_obstacles> deed_obstacle_names = {
    "none", "not_unrolled", "refused", "no_loop_left", "loop_left", "not_described"};

} // namespace detail

/// The enumerator's name.
constexpr const char* name_of(deed_obstacle o) {
  return detail::deed_obstacle_names[static_cast<std::size_t>(o)];
}

MIDEND_END_NAMESPACE
