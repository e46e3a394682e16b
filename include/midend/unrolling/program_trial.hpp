/// `finish_trial`: cleans up the changed program of a trial, and estimates the result.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/ir/editable_flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/cost/count_loop_trips.hpp"
#include "midend/machine/cost/estimate.hpp"
#include "midend/machine/cost/run_frequencies.hpp"
#include "midend/machine/lowering/lower_region.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/machine_model.hpp"
#include "midend/package/clean_up.hpp"
#include "midend/package/package_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/nearest_number.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unroll_loops.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// The options of a trial's steps.
struct unrolling_trial_options {
  unrolling_limits limits;
  clean_up_options clean_up;
  lowering_options lowering;
  std::uint64_t assumed_trip = 100; ///< header executions of a loop with unknown trip count
  /// Whether the remaining loops are counted again if some loop of the original had an exact trip count. Otherwise a
  /// loop is estimated by the average in its hints, which transformations divide. Only `try_unrolling` reads this;
  /// `finish_trial` has a parameter.
  bool counts_trips = true;
  /// Whether a loop with only an expected trip count is estimated by it even if the change made its exact count known.
  /// Otherwise a change that reveals a smaller count than expected looks like a speedup.
  bool keeps_expected_trips = false;
};

/// The clean-up options for a machine, for trials and for the program: operations cost what they cost on the machine,
/// and sums are regrouped if the lowering reassociates.
template <loop_machine_argument M>
clean_up_options clean_up_options_for(const M& machine, const lowering_options& lowering = {},
                                      clean_up_options options = {}) {
  options.operations.costs = operation_costs::of_machine(machine);
  options.operations.regroups_sums = lowering.reassociates;
  return options;
}

/// A changed and cleaned up copy of a program, and its cost.
struct program_trial {
  bool is_clean = false;         ///< the clean-up finished within its limits
  std::uint32_t rounds = 0;      ///< rounds of the clean-up
  bool is_regrouped = false;     ///< the clean-up has regrouped sums
  editable_flat_program program; ///< print it by `elbrus::to_eir(program)`
  loop_forest loops;             ///< of the program
  program_estimate cost;         ///< of the program each time that it is entered
};

class program_trial_workspace;

namespace detail {

template <loop_machine_argument M>
void finish_trial_here(const extracted_loop& x, bool counts_trips, const M& machine,
                       const unrolling_trial_options& options, program_trial_workspace& workspace, program_trial& out);

} // namespace detail

template <loop_machine_argument M>
void estimate_trial(const M& machine, const lowering_options& lowering, std::uint64_t assumed_trip,
                    program_trial_workspace& workspace, const program_trial& trial, program_estimate& out);

/// The memory of `finish_trial`, for reuse.
class program_trial_workspace {
public:
  /// Facts about the program that the last trial left.
  const estimate_knowledge& knowledge() const { return knowledge_; }

private:
  template <loop_machine_argument M>
  friend void detail::finish_trial_here(const extracted_loop& x, bool counts_trips, const M& machine,
                                        const unrolling_trial_options& options, program_trial_workspace& workspace,
                                        program_trial& out);
  template <loop_machine_argument M>
  friend void estimate_trial(const M& machine, const lowering_options& lowering, std::uint64_t assumed_trip,
                             program_trial_workspace& workspace, const program_trial& trial, program_estimate& out);

  dominators_and_loops_workspace searching_;
  dominators_and_loops_result flow_; ///< after the clean-up
  clean_up_workspace clean_up_;
  clean_up_log log_;
  estimate_knowledge knowledge_;
  estimate_workspace estimate_;
};

/// Sets the average trip counts of the loops of an extracted loop: by `compute_frequencies` from exact trip counts;
/// else by profile; else `assumed_trip`. Transformations update averages, so that unrolled loops are compared for the
/// same number of iterations. The cost is that of `count_loop_trips`.
MIDEND_FUNCTION void expect_trips(extracted_loop& x, std::uint64_t assumed_trip = 100);

#if MIDEND_DEFINES_FUNCTIONS

namespace detail {

/// Rounded to 1/1024: no profile is more precise, and integers become exact again.
constexpr double rounded_average(double x) {
  constexpr double largest = 1e15;
  return x < largest ? static_cast<double>(static_cast<std::uint64_t>(x * 1024 + 0.5)) / 1024 : x;
}

} // namespace detail

MIDEND_FUNCTION void expect_trips(extracted_loop& x, std::uint64_t assumed_trip) {
  const auto found = dominators_and_loops(x.program.graph());
  estimate_knowledge knowledge;
  count_loop_trips(x.program, found.loops, knowledge);
  trip_knowledge trips;
  trips.exact = {knowledge.trips.data(), knowledge.trips.size()};
  trips.assumed = assumed_trip;
  run_frequencies_workspace workspace;
  run_frequencies frequencies;
  compute_frequencies(x.program, depth_first_order(x.program.graph()), found.loops, trips, workspace, frequencies);
  for (const loop_id l : found.loops.loops()) {
    const node_id header = found.loops.header(l);
    const loop_frequency& f = frequencies.of_loop(l);
    loop_hints hints = x.program.trip_hints(header);
    hints.average = detail::rounded_average(f.executions);
    x.program.set_trip_hints(header, hints);
    x.has_exact_trips = x.has_exact_trips || f.source == frequency_source::exact;
    x.has_profile = header == extracted_loop::header ? f.source == frequency_source::profile : x.has_profile;
  }
  x.has_expected_trips = true;
}

#endif

/// Estimates the program of the last trial with this workspace again, with other lowering options. The cost is that of
/// `estimate`.
template <loop_machine_argument M>
void estimate_trial(const M& machine, const lowering_options& lowering, std::uint64_t assumed_trip,
                    program_trial_workspace& workspace, const program_trial& trial, program_estimate& out) {
  const estimate_knowledge& known = workspace.knowledge_;
  estimate_options measure;
  measure.lowering = lowering;
  measure.trips = span<const std::uint64_t>(known.trips.data(), known.trips.size());
  measure.facts.not_negative = span<const bool>(known.not_negative.data(), known.not_negative.size());
  measure.assumed_trip = assumed_trip;
  estimate(trial.program, trial.loops, machine, measure, workspace.estimate_, out);
}

namespace detail {

/// The trip counts of loops: the average of the hints if `is_exact`, else unknown.
inline void keep_averages(const editable_flat_program& program, const loop_forest& loops, bool is_exact,
                          flat_array<std::uint64_t>& trips) {
  trips.assign(loops.num_loops(), 0);
  for (const loop_id l : loops.loops()) {
    const double average = program.trip_hints(loops.header(l)).average;
    trips[l] = is_exact ? max<std::uint64_t>(nearest_number(average), 1) : 0;
  }
}

/// Forgets the trip counts of loops whose hints have an average and no maximum.
inline void forget_unexpected(const editable_flat_program& program, const loop_forest& loops,
                              flat_array<std::uint64_t>& trips) {
  for (const loop_id l : loops.loops()) {
    const loop_hints hints = program.trip_hints(loops.header(l));
    trips[l] = hints.average != 0 && hints.maximum == 0 ? 0 : trips[l];
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

namespace detail {

template <loop_machine_argument M>
void finish_trial_here(const extracted_loop& x, bool counts_trips, const M& machine,
                       const unrolling_trial_options& options, program_trial_workspace& workspace, program_trial& out) {
  MIDEND_ASSERT(x.has_expected_trips, "an extracted loop that `expect_trips` has seen", x.has_expected_trips);
  clean_up_observer nobody;
  clean_up_log& log = workspace.log_;
  clean_up(out.program, clean_up_options_for(machine, options.lowering, options.clean_up), nobody, workspace.clean_up_,
           log);
  out.is_clean = log.is_complete;
  out.rounds = log.rounds;
  out.is_regrouped = has_regrouped(log);
  dominators_and_loops_result& after = workspace.flow_;
  dominators_and_loops(out.program.graph(), workspace.searching_, after);
  if (!log.is_complete || (x.has_exact_trips && counts_trips)) {
    count_loop_trips(out.program, after.loops, workspace.knowledge_);
  } else { // copies of an uncounted loop cannot be counted either
    keep_averages(out.program, after.loops, x.has_exact_trips, workspace.knowledge_.trips);
    note_signs(out.program, workspace.clean_up_.facts(), workspace.knowledge_.not_negative);
  }
  if (options.keeps_expected_trips) {
    forget_unexpected(out.program, after.loops, workspace.knowledge_.trips);
  }
  out.loops = after.loops;
  estimate_trial(machine, options.lowering, options.assumed_trip, workspace, out, out.cost);
}

namespace compiled {

void finish_trial_here(const extracted_loop& x, bool counts_trips, const machine_model& machine,
                       const unrolling_trial_options& options, program_trial_workspace& workspace, program_trial& out);

} // namespace compiled

} // namespace detail

/// Cleans up the program of a trial, `out.program`, with `clean_up`, and estimates it for a machine. `out.program` is a
/// changed copy of the loop `x`.
///
/// Requires that `expect_trips` has been called for `x`: changes of a loop are compared for the same number of
/// iterations. If `counts_trips`, the remaining loops are counted again if some loop of `x` had an exact trip count;
/// else the averages of the hints are used, which transformations divide. Unreachable nodes cost nothing.
///
/// The idea is that of inlining trials: J. Dean, C. Chambers, "Towards better inlining decisions using inlining
/// trials", LFP 1994. The cost is that of the steps, for a program of the size of the changed loop.
template <loop_machine_argument M>
void finish_trial(const extracted_loop& x, bool counts_trips, const M& machine, const unrolling_trial_options& options,
                  program_trial_workspace& workspace, program_trial& out) {
  if constexpr (MIDEND_DEFINES_FUNCTIONS == 0 && std::is_same_v<M, machine_model>) {
    detail::compiled::finish_trial_here(x, counts_trips, machine, options, workspace, out);
  } else {
    detail::finish_trial_here(x, counts_trips, machine, options, workspace, out);
  }
}

#if defined(MIDEND_COMPILED_SOURCE)

namespace detail::compiled {

void finish_trial_here(const extracted_loop& x, bool counts_trips, const machine_model& machine,
                       const unrolling_trial_options& options, program_trial_workspace& workspace, program_trial& out) {
  detail::finish_trial_here(x, counts_trips, machine, options, workspace, out);
}

} // namespace detail::compiled

#endif

MIDEND_END_NAMESPACE
