/// `try_unrolling`: unrolls an extracted loop, cleans up, and measures what is left.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/induction/loop_trip_counter.hpp"
#include "midend/ir/editable_flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/cost/count_loop_trips.hpp"
#include "midend/machine/cost/estimate.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/lower_region.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/read_region.hpp"
#include "midend/machine/machine.hpp"
#include "midend/package/clean_up.hpp"
#include "midend/package/package_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/nearest_number.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/unrolling/apply_unrolling.hpp"
#include "midend/unrolling/unrolling_savings.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The options of a trial: those of its steps.
struct unrolling_trial_options {
  unrolling_limits limits;
  clean_up_options clean_up;
  lowering_options lowering;
  std::uint64_t assumed_trip = 100; ///< header executions of a loop of which nothing says how often it runs
  /// Whether loops that are left are counted once more if some loop was. Without that, if it is the only one, what is
  /// left of it runs always equally often, too, and about as often as transformations say, which divide averages.
  bool counts_trips = true;
};

/// The clean-up for a machine, of trials and of the program: operations cost what they cost there, and sums are
/// regrouped where the program allows it, unless the lowering does not.
template <loop_machine_argument M>
clean_up_options clean_up_options_for(const M& machine, const lowering_options& lowering = {},
                                      clean_up_options options = {}) {
  options.operations.costs = operation_costs::of_machine(machine);
  options.operations.regroups_sums = lowering.reassociates;
  return options;
}

/// What a trial has left.
struct unrolling_trial {
  applied_unrolling applied;     ///< whether the loop could be unrolled so
  bool is_clean = false;         ///< the clean-up came to its end within its limits
  std::uint32_t rounds = 0;      ///< of the clean-up
  bool is_regrouped = false;     ///< the clean-up has regrouped sums
  editable_flat_program program; ///< to look at: `elbrus::to_eir(program)`
  unrolling_copies copies;       ///< of which values of the IR its values are copies
  loop_forest loops;             ///< of the program
  loop_id loop = no_loop;        ///< the unrolled one, before or after its remainder; `no_loop` if none is left of it
  program_estimate cost;         ///< of the program each time that it is entered

  /// The cost of the unrolled loop, or null.
  const loop_estimate* unrolled() const { return loop == no_loop ? nullptr : &cost.loops[loop]; }
};

/// The memory of `try_unrolling`, to be reused.
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
  dominators_and_loops_result flow_; ///< before the unrolling, then after the clean-up
  clean_up_workspace clean_up_;
  clean_up_log log_;
  estimate_knowledge knowledge_;
  estimate_workspace estimate_;
  depth_first_order_workspace search_;
  depth_first_numbering order_;
  region_reader_workspace reading_;
  lower_region_workspace lowering_;
};

/// Writes into an extracted loop how often its loops run, as averages: the exact trip count where it is known, else
/// what a hint says, else `assumed_trip`. Transformations keep averages up to date, so that loops that are unrolled are
/// compared for the same number of iterations. The time of `count_loop_trips`.
MIDEND_FUNCTION void expect_trips(extracted_loop& x, std::uint64_t assumed_trip = 100);

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_FUNCTION void expect_trips(extracted_loop& x, std::uint64_t assumed_trip) {
  const auto found = dominators_and_loops(x.program.graph());
  estimate_knowledge knowledge;
  count_loop_trips(x.program, found.dominators, found.loops, knowledge);
  for (const loop_id l : found.loops.loops()) {
    const node_id header = found.loops.header(l);
    loop_hints hints = x.program.trip_hints(header);
    if (knowledge.trips[l] != 0 || hints.average == 0) {
      hints.average = static_cast<double>(knowledge.trips[l] != 0 ? knowledge.trips[l] : assumed_trip);
      x.program.set_trip_hints(header, hints);
    }
    x.has_exact_trips = x.has_exact_trips || knowledge.trips[l] != 0;
  }
  x.has_expected_trips = true;
}

#endif

/// Estimates the program that the last trial with this workspace has left, with other options of the lowering. The
/// time of `estimate`.
template <loop_machine_argument M>
void estimate_trial(const M& machine, const lowering_options& lowering, std::uint64_t assumed_trip,
                    try_unrolling_workspace& workspace, const unrolling_trial& trial, program_estimate& out) {
  const estimate_knowledge& known = workspace.knowledge_;
  estimate_options measure;
  measure.lowering = lowering;
  measure.trips = span<const std::uint64_t>(known.trips.data(), known.trips.size());
  measure.facts.not_negative = span<const bool>(known.not_negative.data(), known.not_negative.size());
  measure.assumed_trip = assumed_trip;
  estimate(trial.program, trial.loops, machine, measure, workspace.estimate_, out);
}

namespace detail {

/// How often loops run: what hints say if that is exact, or else nothing.
inline void keep_averages(const editable_flat_program& program, const loop_forest& loops, bool is_exact,
                          flat_array<std::uint64_t>& trips) {
  trips.assign(loops.num_loops(), 0);
  for (const loop_id l : loops.loops()) {
    const double average = program.trip_hints(loops.header(l)).average;
    trips[l] = is_exact ? max<std::uint64_t>(nearest_number(average), 1) : 0;
  }
}

inline bool has_regrouped(const clean_up_log& log) {
  bool has = false;
  for (const package_log& run : log.operations) {
    for (const package_event& e : run.events) {
      has = has || (e.regroups && e.veto == package_veto::none);
    }
  }
  return has;
}

} // namespace detail

/// Unrolls a loop of an extracted program in a form, runs the clean-up (`clean_up`) on the whole program, and estimates
/// what is left on a machine. `header` is the loop's in the program. With `unrolling_kind::none`, the rolled loop is
/// cleaned up and estimated: compare others with that.
///
/// Afterwards, `apply_unrolling` and `clean_up` do the same to the function. They find what is found here, and what the
/// code around the loop shows besides.
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
  dominators_and_loops_result& before = workspace.flow_;
  dominators_and_loops(out.program.graph(), workspace.searching_, before);
  const unrolling_order ordered{before.loops.innermost_loop(header), form};
  MIDEND_ASSERT(ordered.loop != no_loop && before.loops.header(ordered.loop) == header, "the header of a loop", header);
  out.copies.begin(before.loops, ordered.loop);
  const span<const unrolling_order> orders(&ordered, 1);
  const auto numbers = [](const editable_flat_program& p, const dominator_tree& tree, const loop_forest& loops) {
    return loop_trip_counter(p, tree, loops);
  };
  // After copies that run once, the start of the loop is no literal: it takes constant propagation to count it.
  const applied_unrollings applied =
      form.kind == unrolling_kind::partial && form.num_peeled() != 0
          ? apply_unrolling(out.program, before.loops, orders, view_of, options.limits, out.copies, numbers)
          : apply_unrolling(out.program, before.loops, orders, view_of, options.limits, out.copies);
  out.applied = applied.loops[0];
  if (!out.copies.has_copies()) {
    out.copies.find_copies(out.program);
  }
  clean_up_observer nobody;
  clean_up_log& log = workspace.log_;
  clean_up(out.program, clean_up_options_for(machine, options.lowering, options.clean_up), nobody, workspace.clean_up_,
           log);
  out.is_clean = log.is_complete;
  out.rounds = log.rounds;
  out.is_regrouped = detail::has_regrouped(log);
  const bool is_only_loop = before.loops.num_loops() == 1;
  dominators_and_loops_result& after = workspace.flow_;
  dominators_and_loops(out.program.graph(), workspace.searching_, after);
  if (!log.is_complete || (x.has_exact_trips && (options.counts_trips || !is_only_loop))) {
    count_loop_trips(out.program, after.dominators, after.loops, workspace.knowledge_);
  } else { // of copies of a loop that cannot be counted, none can be
    detail::keep_averages(out.program, after.loops, x.has_exact_trips, workspace.knowledge_.trips);
    note_signs(out.program, workspace.clean_up_.facts(), workspace.knowledge_.not_negative);
  }
  out.loops = after.loops;
  estimate_trial(machine, options.lowering, options.assumed_trip, workspace, out, out.cost);
  const loop_id l = out.loops.innermost_loop(out.copies.new_header());
  out.loop = l != no_loop && out.loops.header(l) == out.copies.new_header() ? l : no_loop;
}

/// The same for the loop that was extracted.
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

/// The operations on a machine of the unrolled loop, from which its cost was estimated; if none is left, those of the
/// node with the most operations. Requires the last trial with this workspace. Linear in the program, and the time of
/// `lower_region`.
template <loop_machine_argument M>
body_cost lower_trial(const unrolling_trial& trial, const M& machine, const lowering_options& lowering,
                      try_unrolling_workspace& workspace, program_region& region, machine_body& out) {
  depth_first_order(trial.program.graph(), workspace.search_, workspace.order_);
  const region_facts facts{
      span<const bool>(workspace.knowledge_.not_negative.data(), workspace.knowledge_.not_negative.size())};
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
