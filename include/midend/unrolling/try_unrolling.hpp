/// `try_unrolling`: unrolls an extracted loop, cleans up, and measures the result.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/induction/loop_trip_counter.hpp"
#include "midend/induction/plain_trip_counter.hpp"
#include "midend/ir/editable_flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/cost/estimate.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/lower_region.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/read_region.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unrolling_form.hpp"
#include "midend/unrolling/apply_unrolling.hpp"
#include "midend/unrolling/program_trial.hpp"
#include "midend/unrolling/unrolling_savings.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The program of a trial, its cost, and the unrolled loop in it.
struct unrolling_trial : program_trial {
  applied_unrolling applied; ///< whether the loop was unrolled, or why not
  unrolling_copies copies;   ///< the original in the IR of each value
  loop_id loop = no_loop;    ///< the unrolled loop, without its remainder; `no_loop` if none remains

  /// The cost of the unrolled loop, or null.
  const loop_estimate* unrolled() const { return loop == no_loop ? nullptr : &cost.loops[loop]; }
};

/// The memory of `try_unrolling`, for reuse.
class try_unrolling_workspace {
  template <loop_machine_argument M>
  friend void try_unrolling(const extracted_loop& x, node_id header, const unrolling_form& form, const M& machine,
                            const unrolling_trial_options& options, try_unrolling_workspace& workspace,
                            unrolling_trial& out);
  template <loop_machine_argument M>
  friend void estimate_trial(const M& machine, const lowering_options& lowering, std::uint64_t assumed_trip,
                             try_unrolling_workspace& workspace, const unrolling_trial& trial, program_estimate& out);
  template <loop_machine_argument M>
  friend body_cost lower_trial(const unrolling_trial& trial, const M& machine, const lowering_options& lowering,
                               try_unrolling_workspace& workspace, program_region& region, machine_body& out);

  dominators_and_loops_workspace searching_;
  dominators_and_loops_result before_;
  apply_unrolling_workspace applying_;
  plain_trip_counter_workspace counting_;
  applied_unrollings applied_;
  program_trial_workspace finishing_;
  depth_first_order_workspace search_;
  depth_first_numbering order_;
  region_reader_workspace reading_;
  lower_region_workspace lowering_;
};

/// Estimates the program of the last trial with this workspace again, with other lowering options. Takes the time of
/// `estimate`.
template <loop_machine_argument M>
void estimate_trial(const M& machine, const lowering_options& lowering, std::uint64_t assumed_trip,
                    try_unrolling_workspace& workspace, const unrolling_trial& trial, program_estimate& out) {
  estimate_trial(machine, lowering, assumed_trip, workspace.finishing_, trial, out);
}

/// Unrolls a loop of an extracted program in a form, cleans up the whole program (`clean_up`), and estimates it on a
/// machine. `header` is the loop's in the program. With `unrolling_kind::none`, cleans up and estimates the rolled
/// loop: compare others with that.
///
/// `apply_unrolling` and `clean_up` later find in the function what they found here, and more where the code around the
/// loop helps.
///
/// Requires that `expect_trips` has been called for `x`: forms of a loop are compared for the same number of
/// iterations. Unreachable nodes cost nothing.
///
/// The idea is that of inlining trials: J. Dean, C. Chambers, "Towards better inlining decisions using inlining
/// trials", LFP 1994. The cost is that of the steps, for a program of the size of the unrolled loop.
template <loop_machine_argument M>
void try_unrolling(const extracted_loop& x, node_id header, const unrolling_form& form, const M& machine,
                   const unrolling_trial_options& options, try_unrolling_workspace& workspace, unrolling_trial& out) {
  MIDEND_ASSERT(x.has_expected_trips, "an extracted loop that `expect_trips` has seen", x.has_expected_trips);
  out.program = x.program;
  const auto view_of = [](const editable_flat_program& p) -> const editable_flat_program& { return p; };
  dominators_and_loops_result& before = workspace.before_;
  dominators_and_loops(out.program.graph(), workspace.searching_, before);
  const unrolling_order ordered{before.loops.innermost_loop(header), form};
  MIDEND_ASSERT(ordered.loop != no_loop && before.loops.header(ordered.loop) == header, "the header of a loop", header);
  out.copies.begin(before.loops, ordered.loop);
  const span<const unrolling_order> orders(&ordered, 1);
  const auto by_facts = [](const editable_flat_program& p, const dominator_tree&, const loop_forest& loops) {
    return loop_trip_counter(p, loops);
  };
  const auto by_loops = [&](const editable_flat_program& p, const dominator_tree&, const loop_forest& loops) {
    return plain_trip_counter(p, loops, workspace.counting_);
  };
  const auto apply = [&](const auto& counts_of) {
    apply_unrolling(out.program, before.loops, orders, view_of, options.limits, out.copies, counts_of,
                    workspace.applying_, workspace.applied_);
  };
  // After copies that run once, the start of the loop is no literal: only constant propagation finds it.
  if (form.kind == unrolling_kind::partial && form.num_peeled() != 0) {
    apply(by_facts);
  } else {
    apply(by_loops);
  }
  const applied_unrollings& applied = workspace.applied_;
  out.applied = applied.loops[0];
  if (!out.copies.has_copies()) {
    out.copies.find_copies(out.program);
  }
  const bool is_only_loop = before.loops.num_loops() == 1;
  finish_trial(x, options.counts_trips || !is_only_loop, machine, options, workspace.finishing_, out);
  const loop_id l = out.loops.innermost_loop(out.copies.new_header());
  out.loop = l != no_loop && out.loops.header(l) == out.copies.new_header() ? l : no_loop;
}

/// For the loop that was extracted.
template <loop_machine_argument M>
void try_unrolling(const extracted_loop& x, const unrolling_form& form, const M& machine,
                   const unrolling_trial_options& options, try_unrolling_workspace& workspace, unrolling_trial& out) {
  try_unrolling(x, extracted_loop::header, form, machine, options, workspace, out);
}

template <loop_machine_argument M>
unrolling_trial try_unrolling(const extracted_loop& x, const unrolling_form& form, const M& machine,
                              const unrolling_trial_options& options = {}) {
  try_unrolling_workspace workspace;
  unrolling_trial out;
  try_unrolling(x, form, machine, options, workspace, out);
  return out;
}

/// The machine operations of the unrolled loop, on which its cost rests; if no loop remains, those of the node with the
/// most operations. Requires the last trial with this workspace. Linear in the program, and the time of `lower_region`.
template <loop_machine_argument M>
body_cost lower_trial(const unrolling_trial& trial, const M& machine, const lowering_options& lowering,
                      try_unrolling_workspace& workspace, program_region& region, machine_body& out) {
  depth_first_order(trial.program.graph(), workspace.search_, workspace.order_);
  const region_facts facts{span<const bool>(workspace.finishing_.knowledge().not_negative.data(),
                                            workspace.finishing_.knowledge().not_negative.size())};
  region_reader<editable_flat_program> reader(trial.program, workspace.order_, trial.loops, facts, workspace.reading_);
  const loop_estimate* const loop = trial.unrolled();
  if (loop != nullptr && loop->obstacle == region_obstacle::none) {
    reader.read_loop(trial.loop, region, loop->frequency.source == frequency_source::exact);
  } else {
    node_id largest = trial.program.graph().entry();
    for (const node_id n : workspace.order_.preorder()) {
      const auto& nodes = trial.cost.nodes;
      largest = nodes[n].operations > nodes[largest].operations ? n : largest;
    }
    reader.read_node(largest, region);
  }
  return lower_region(region, machine, lowering, workspace.lowering_, out);
}

MIDEND_END_NAMESPACE
