/// `advise_unrolling`: whether to unroll a loop, how, how often, and why.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/extract_loop.hpp"
#include "midend/induction/loop_counts.hpp"
#include "midend/induction/plain_trip_counter.hpp"
#include "midend/induction/read_loop_counts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/loops/detail/acyclic_order.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/cost/estimate.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/loop_time.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/machine_model.hpp"
#include "midend/ssa/facts_of_numbers.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/nearest_number.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"
#include "midend/unrolling/apply_unrolling.hpp"
#include "midend/unrolling/detail/unrolling_candidates.hpp"
#include "midend/unrolling/detail/unrolling_features.hpp"
#include "midend/unrolling/detail/unrolling_rule.hpp"
#include "midend/unrolling/detail/unrolling_search.hpp"
#include "midend/unrolling/detail/unrolling_times.hpp"
#include "midend/unrolling/try_unrolling.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

class advise_unrolling_workspace;

namespace detail {

template <loop_machine M> class machine_trials;

/// Advises on the extracted loop in the workspace. Requires its features in the workspace and its counts in `out`.
template <loop_machine M>
void advise_on_loop(const M& machine, const unrolling_options& options, advise_unrolling_workspace& workspace,
                    unrolling_advice& out);

/// Compares the decision with complete unrolling in the loop around, where the inner loop's header is node `inner`. The
/// loop around is extracted in the workspace. If the decision is complete unrolling already, compares it with the
/// rolled loop.
template <loop_machine M>
void advise_on_nest(const M& machine, const unrolling_options& options, node_id inner,
                    advise_unrolling_workspace& workspace, unrolling_advice& out);

} // namespace detail

/// The memory of `advise_unrolling`, for reuse from loop to loop.
class advise_unrolling_workspace {
  template <cost_ir IR, loop_machine M> friend class unrolling_adviser;
  template <loop_machine M> friend class detail::machine_trials;
  template <loop_machine M>
  friend void detail::advise_on_loop(const M& machine, const unrolling_options& options,
                                     advise_unrolling_workspace& workspace, unrolling_advice& out);
  template <loop_machine M>
  friend void detail::advise_on_nest(const M& machine, const unrolling_options& options, node_id inner,
                                     advise_unrolling_workspace& workspace, unrolling_advice& out);

  struct known_figures {
    unrolling_form form;
    detail::trial_figures figures;
  };

  detail::acyclic_order order_;
  plain_trip_counter_workspace counting_;
  loop_counts_workspace reading_counts_;
  detail::unrolling_features features_;
  extract_loop_workspace extraction_;
  extracted_loop loop_;
  extracted_loop around_; ///< the loop around
  try_unrolling_workspace trying_;
  unrolling_trial trial_; ///< the last trial
  program_region region_;
  machine_body body_;
  detail::unrolling_factors factors_;
  program_estimate apart_cost_;
  flat_array<known_figures> apart_; ///< figures of trials for bases that do not overlap
  unrolling_advice spare_;          ///< the advice for the loop after a test for overlapping memory
};

namespace detail {

/// The limits of a trial: it may copy as much as the options allow for a body.
inline unrolling_trial_options trial_options_of(const unrolling_options& options) {
  unrolling_trial_options out;
  out.lowering = options.lowering;
  out.assumed_trip = options.assumed_trip;
  const std::uint64_t most = min<std::uint64_t>(options.max_operations, static_cast<std::size_t>(-1));
  out.limits.max_cloned = max(out.limits.max_cloned, static_cast<std::size_t>(most));
  return out;
}

/// Runs trials of the extracted loop in the workspace on a machine.
template <loop_machine M> class machine_trials final : public candidate_trials {
public:
  machine_trials(const M& machine, const unrolling_options& options, advise_unrolling_workspace& workspace)
      : machine_(machine), options_(options), w_(workspace) {
    w_.apart_.clear();
  }

  trial_figures run(const unrolling_form& form) override {
    if (is_apart_) {
      for (const auto& known : w_.apart_) {
        if (known.form == form) {
          return known.figures;
        }
      }
    }
    unrolling_trial_options trying = trial_options_of(options_);
    trying.counts_trips = false; // the advice counts by itself
    try_unrolling(w_.loop_, form, machine_, trying, w_.trying_, w_.trial_);
    const bool is_done = form.kind == unrolling_kind::none || w_.trial_.applied.is_unrolled;
    if (looks_apart_) {
      estimate_trial(machine_, apart_lowering(), options_.assumed_trip, w_.trying_, w_.trial_, w_.apart_cost_);
      w_.apart_.push_back({form, is_done ? figures_of(w_.apart_cost_, apart_lowering()) : trial_figures()});
    }
    if (!is_done) {
      return {};
    }
    return is_apart_ ? w_.apart_[w_.apart_.size() - 1].figures : figures_of(w_.trial_.cost, options_.lowering);
  }

  void describe_last(bool is_rolled, unrolling_advice& out) override {
    if (is_apart_) {
      return;
    }
    machine_body& body = is_rolled ? out.rolled_machine : out.machine;
    lower_trial(w_.trial_, machine_, options_.lowering, w_.trying_, w_.region_, body);
    w_.trial_.copies.list_savings(w_.trial_.program, out.savings);
    for (machine_operation_origin& o : body.origins) {
      const std::uint32_t copy = o.value == no_value ? unrolling_copies::no_copy : w_.trial_.copies.copy_of(o.value);
      const bool is_copied = copy != unrolling_copies::no_copy;
      o.copy = is_copied ? copy : 0;
      o.value = is_copied ? w_.trial_.copies.origin_of(o.value) : origin_of(o.value);
    }
    if (is_rolled) {
      out.savings.clear();
    }
    out.num_exits = static_cast<std::uint32_t>(w_.region_.exits.size());
    out.num_inner_branches = w_.region_.inner_branches;
    out.is_regrouped = body.is_regrouped || w_.trial_.is_regrouped;
  }

  /// Lists in `pairs` the bases that the loop of the last trial would have to know as disjoint. From now on also
  /// estimates each trial for disjoint bases.
  void look_apart(flat_array<base_pair>& pairs) {
    lower_trial(w_.trial_, machine_, apart_lowering(), w_.trying_, w_.region_, w_.body_);
    pairs.clear();
    for (const unordered_accesses& accesses : w_.body_.unordered) {
      add_pair(base_of(accesses.first), base_of(accesses.second), pairs);
    }
    if (!pairs.empty()) {
      looks_apart_ = true;
      estimate_trial(machine_, apart_lowering(), options_.assumed_trip, w_.trying_, w_.trial_, w_.apart_cost_);
      w_.apart_.push_back({{}, figures_of(w_.apart_cost_, apart_lowering())});
    }
  }

  /// From now on, returns the figures for disjoint bases.
  void be_apart() { is_apart_ = true; }

private:
  lowering_options apart_lowering() const {
    lowering_options apart = options_.lowering;
    apart.bases_are_apart = true;
    return apart;
  }

  value_id origin_of(value_id v) const { return v == no_value ? no_value : w_.trial_.program.origin(v); }

  value_id base_of(value_id access) const {
    const auto memory = w_.trial_.program.memory(access);
    return memory ? origin_of(memory->base) : no_value;
  }

  static void add_pair(value_id a, value_id b, flat_array<base_pair>& pairs) {
    for (const base_pair& p : pairs) {
      if ((p.first == a && p.second == b) || (p.first == b && p.second == a)) {
        return;
      }
    }
    pairs.push_back({a, b});
  }

  trial_figures figures_of(const program_estimate& cost, const lowering_options& lowering) {
    trial_figures f;
    const loop_estimate* const loop = w_.trial_.loop == no_loop ? nullptr : &cost.loops[w_.trial_.loop];
    f.is_unrolled = loop == nullptr || loop->obstacle == region_obstacle::none;
    f.has_loop = loop != nullptr;
    if (f.has_loop) {
      f.loop = loop->cost;
    } else {
      f.outside = lower_trial(w_.trial_, machine_, lowering, w_.trying_, w_.region_, w_.body_);
    }
    add_outside(cost, f.outside);
    f.bytes = cost.bytes;
    return f;
  }

  /// Adds a node outside all loops; such nodes run one after the other.
  void add_outside(const program_estimate& cost, body_cost& sum) const {
    sum.obstacle = pipelining_obstacle::straight_line;
    sum.operations = sum.branches = sum.bytes = sum.alone = sum.critical_path = sum.resources.cycles = 0;
    for (node_id n = 0; n != cost.nodes.size(); ++n) {
      const node_estimate& e = cost.nodes[n];
      if (!e.is_in_region && w_.trial_.loops.innermost_loop(n) == no_loop) {
        sum.operations += e.operations;
        sum.branches += e.branches;
        sum.bytes += e.bytes;
        sum.alone += e.cycles;
        sum.critical_path += e.chain;
        sum.resources.cycles += e.resources;
      }
    }
    sum.interval = sum.length = sum.alone;
    sum.resources.is_impossible = cost.is_impossible;
  }

  const M& machine_;
  const unrolling_options& options_;
  advise_unrolling_workspace& w_;
  bool looks_apart_ = false;
  bool is_apart_ = false;
};

inline void clear_advice(unrolling_advice& out) {
  out.obstacle = unrolling_obstacle::none;
  out.candidates.clear();
  out.chosen = 0;
  out.savings.clear();
  out.assumptions = {};
  out.iterations = 0;
  out.num_exits = 0;
  out.num_inner_branches = 0;
  out.is_regrouped = false;
  out.without_overlap.is_worthwhile = false;
  out.nest.is_evaluated = false;
}

/// Whether a test before the loop could be of use: the loop accesses different bases, and stores to one of them.
constexpr bool may_gain_by_overlap_test(const unrolling_features& features, const loop_counts& counts,
                                        const unrolling_options& options) {
  return features.stores && features.has_several_bases && counts.is_computable && !options.lowering.bases_are_apart &&
         options.forced_factor == 0;
}

/// Exchanges all members that `unrolling_search` sets.
inline void swap_results(unrolling_advice& a, unrolling_advice& b) {
  swap_values(a.obstacle, b.obstacle);
  a.candidates.swap(b.candidates);
  swap_values(a.chosen, b.chosen);
  swap_values(a.iterations, b.iterations);
  swap_values(a.machine, b.machine);
  swap_values(a.rolled_machine, b.rolled_machine);
  swap_values(a.num_exits, b.num_exits);
  swap_values(a.num_inner_branches, b.num_inner_branches);
  swap_values(a.is_regrouped, b.is_regrouped);
  a.savings.swap(b.savings);
  swap_values(a.assumptions, b.assumptions);
}

/// Searches once more, as if a test before the loop had shown that different bases are disjoint. `out.without_overlap`
/// says whether that is faster than the decision. Requires a complete advice with pairs. Does not repeat trials of the
/// first search.
///
/// The test computes the ends of both ranges, compares each with the start of the other (one cycle more for each
/// further pair), and branches.
template <loop_machine M>
void advise_on_overlap(const loop_machine_times& times, const machine_limits& limits, const unrolling_options& options,
                       const unrolling_features& features, machine_trials<M>& trials, unrolling_factors& factors,
                       unrolling_advice& spare, unrolling_advice& out) {
  overlap_advice& advice = out.without_overlap;
  if (out.decision().kind == unrolling_kind::full || advice.pairs.empty()) {
    return;
  }
  unrolling_options apart = options;
  apart.allows_full = false;
  apart.allows_peeling = false;
  trials.be_apart();
  swap_results(spare, out); // the counts stay
  clear_advice(out);
  unrolling_search(times, limits, apart, features, trials, factors, out).run();
  swap_results(spare, out);
  if (spare.obstacle != unrolling_obstacle::none) {
    return;
  }
  const unrolling_candidate& now = out.decision();
  const unrolling_candidate& c = spare.decision();
  advice.form = c;
  advice.has_exact_count = c.has_exact_count;
  advice.cycles_per_iteration = c.cycles_per_iteration;
  advice.test_cycles = 2 * times.subtraction + (advice.pairs.size() - 1) + times.compare_to_branch;
  const unrolled_times unrolled{
      times,
      out.rolled().body,
      c.body,
      c.factor,
      advice.test_cycles + (c.rest.alone > out.rolled().rest.alone ? c.rest.alone - out.rolled().rest.alone : 0),
      c.remainder == remainder_placement::mid_exit};
  advice.break_even = break_even_search{unrolled}();
  const std::uint64_t after = c.total_cycles + c.setup_cycles + advice.test_cycles;
  advice.is_worthwhile = advice.break_even != 0 && c.cycles_per_iteration < now.cycles_per_iteration &&
                         after < now.total_cycles + now.setup_cycles;
}

/// Trials of a loop. The first one finds the pairs of bases that may overlap.
template <loop_machine M> class overlap_trials final : public candidate_trials {
public:
  overlap_trials(machine_trials<M>& trials, flat_array<base_pair>& pairs) : trials_(trials), pairs_(pairs) {}

  trial_figures run(const unrolling_form& form) override {
    const trial_figures f = trials_.run(form);
    if (form.kind == unrolling_kind::none && f.has_loop) {
      trials_.look_apart(pairs_);
    }
    return f;
  }

  void describe_last(bool is_rolled, unrolling_advice& out) override { trials_.describe_last(is_rolled, out); }

private:
  machine_trials<M>& trials_;
  flat_array<base_pair>& pairs_;
};

template <loop_machine M>
void advise_on_loop(const M& machine, const unrolling_options& options, advise_unrolling_workspace& workspace,
                    unrolling_advice& out) {
  clear_advice(out);
  const loop_machine_times times(machine);
  const machine_limits limits(machine);
  machine_trials<M> trials(machine, options, workspace);
  out.without_overlap.pairs.clear();
  if (!may_gain_by_overlap_test(workspace.features_, out.counts, options)) {
    unrolling_search(times, limits, options, workspace.features_, trials, workspace.factors_, out).run();
    return;
  }
  overlap_trials<M> both(trials, out.without_overlap.pairs);
  unrolling_search(times, limits, options, workspace.features_, both, workspace.factors_, out).run();
  if (out.obstacle == unrolling_obstacle::none) {
    advise_on_overlap(times, limits, options, workspace.features_, trials, workspace.factors_, workspace.spare_, out);
  }
}

/// Whether complete unrolling of the loop was tried with an exact number of iterations.
inline bool may_be_unfolded(const unrolling_advice& advice, const unrolling_options& options) {
  return advice.obstacle == unrolling_obstacle::none && options.forced_factor == 0 && advice.counts.is_exact() &&
         advice.candidates[advice.candidates.size() - 1].kind == unrolling_kind::full &&
         advice.candidates[advice.candidates.size() - 1].is_tried;
}

template <loop_machine M>
void advise_on_nest(const M& machine, const unrolling_options& options, node_id inner,
                    advise_unrolling_workspace& workspace, unrolling_advice& out) {
  advise_unrolling_workspace& w = workspace;
  const unrolling_trial_options trying = trial_options_of(options);
  const unrolling_candidate& full = out.candidates[out.candidates.size() - 1];
  const unrolling_candidate& best = &out.decision() == &full ? out.rolled() : out.decision();
  try_unrolling(w.around_, inner, unrolling_form_of(out, best), machine, trying, w.trying_, w.trial_);
  const std::uint64_t otherwise_cycles = nearest_number(w.trial_.cost.cycles);
  const std::uint64_t otherwise_bytes = w.trial_.cost.bytes;
  const std::uint64_t otherwise_operations = w.trial_.cost.operations;
  try_unrolling(w.around_, inner, unrolling_form_of(out, full), machine, trying, w.trying_, w.trial_);
  const program_estimate& cost = w.trial_.cost;
  const loop_forest& loops = w.trial_.loops;
  const loop_id l = loops.innermost_loop(extracted_loop::header);
  if (!w.trial_.applied.is_unrolled || cost.is_impossible || l == no_loop ||
      loops.header(l) != extracted_loop::header || cost.loops[l].obstacle != region_obstacle::none) {
    return;
  }
  const loop_estimate& around = cost.loops[l];
  nest_advice& nest = out.nest;
  nest.is_evaluated = true;
  nest.header = w.around_.nodes[extracted_loop::header];
  nest.iterations = max<std::uint64_t>(around.passes, 1);
  nest.total_cycles = otherwise_cycles;
  unrolling_candidate& c = nest.unfolded;
  c = {};
  c.kind = unrolling_kind::full;
  c.factor = full.factor;
  c.is_evaluated = c.is_tried = true;
  c.body = around.cost;
  c.total_cycles = nearest_number(cost.cycles);
  c.cycles_per_iteration = around.cycles_per_pass;
  c.total_bytes = cost.bytes;
  if (c.body.is_pipelined() && !around.is_pipelined) {
    c.body.obstacle = pipelining_obstacle::too_few_passes;
  }
  unrolling_candidate otherwise = best;
  otherwise.total_cycles = otherwise_cycles;
  otherwise.setup_cycles = 0;
  otherwise.body.operations = otherwise_operations;
  otherwise.body.bytes = otherwise.total_bytes = otherwise_bytes;
  const machine_limits limits(machine);
  const bool is_exact = around.frequency.source == frequency_source::exact;
  c.why = unrolling_rule{limits, options, otherwise, otherwise, is_exact}.judge(c);
  if (c.why == rejection::none) {
    const loop_machine_times times(machine);
    machine_trials<M> trials(machine, options, w);
    unrolling_search(times, limits, options, w.features_, trials, w.factors_, out).choose_full();
    out.without_overlap.is_worthwhile = false;
    const auto also_assume = [&](assumption a, bool made) {
      out.assumptions[static_cast<std::size_t>(a)] = made || out.assumes(a);
    };
    also_assume(assumption::assumed_trip, !is_exact && !w.around_.has_profile);
    also_assume(assumption::profile, !is_exact && w.around_.has_profile);
  }
}

namespace compiled {

void advise_on_loop(const machine_model& machine, const unrolling_options& options,
                    advise_unrolling_workspace& workspace, unrolling_advice& out);

void advise_on_nest(const machine_model& machine, const unrolling_options& options, node_id inner,
                    advise_unrolling_workspace& workspace, unrolling_advice& out);

} // namespace compiled

/// Runs the advice for any machine; for `machine_model`, in code that is compiled once.
template <loop_machine M>
void run_advice(const M& machine, const unrolling_options& options, advise_unrolling_workspace& workspace,
                unrolling_advice& out) {
  if constexpr (MIDEND_DEFINES_FUNCTIONS == 0 && std::is_same_v<M, machine_model>) {
    detail::compiled::advise_on_loop(machine, options, workspace, out);
  } else {
    advise_on_loop(machine, options, workspace, out);
  }
}

template <loop_machine M>
void run_nest_advice(const M& machine, const unrolling_options& options, node_id inner,
                     advise_unrolling_workspace& workspace, unrolling_advice& out) {
  if constexpr (MIDEND_DEFINES_FUNCTIONS == 0 && std::is_same_v<M, machine_model>) {
    detail::compiled::advise_on_nest(machine, options, inner, workspace, out);
  } else {
    advise_on_nest(machine, options, inner, workspace, out);
  }
}

/// Adds to an extracted loop what the function around it shows about its trips.
inline void tell_trips(const trip_count& trip, extracted_loop& x) {
  loop_hints hints = x.program.trip_hints(extracted_loop::header);
  const auto most = trip.kind == trip_count_kind::exact || trip.kind == trip_count_kind::at_most
                        ? trip.header_executions()
                        : std::nullopt;
  if (most) {
    hints.maximum = hints.maximum == 0 ? *most : min(hints.maximum, *most);
  }
  if (trip.kind == trip_count_kind::exact && most) {
    hints.multiple = *most;
    hints.average = static_cast<double>(*most);
  } else if (trip.multiple > 1) {
    hints.multiple = trip.multiple;
  }
  x.program.set_trip_hints(extracted_loop::header, hints);
}

} // namespace detail

/// Advises on the loops of one function, one after the other: use it for several loops of a function. The first advice
/// computes what all share: dominators and facts about numbers; if no loop of the IR can be extracted, also a copy of
/// the function. See `advise_unrolling`.
template <cost_ir IR, loop_machine M> class unrolling_adviser {
public:
  /// All arguments must outlive the adviser.
  unrolling_adviser(const IR& ir, const loop_forest& forest, const M& machine, const unrolling_options& options,
                    advise_unrolling_workspace& workspace)
      : ir_(ir), forest_(forest), machine_(machine), options_(options), workspace_(workspace) {}

  /// Refills `out`. Counts iterations by `plain_trip_counter`.
  void advise(loop_id loop, unrolling_advice& out) {
    if (!plain_) {
      plain_.emplace(ir_, forest_, workspace_.counting_);
    }
    advise(loop, *plain_, out);
  }

  /// Counts iterations by `counter`, which has to know this function.
  template <trip_counter C> void advise(loop_id loop, const C& counter, unrolling_advice& out) {
    detail::clear_advice(out);
    out.loop = loop;
    out.header = forest_.header(loop);
    out.obstacle = forest_.subloops(loop).size() != 1                    ? unrolling_obstacle::contains_loop
                   : !workspace_.order_.find(ir_.graph(), forest_, loop) ? unrolling_obstacle::irreducible
                                                                         : unrolling_obstacle::none;
    if (out.obstacle != unrolling_obstacle::none) {
      return;
    }
    extract(loop, workspace_.loop_);
    detail::read_features(workspace_.loop_, counter.evolutions(), loop, workspace_.features_);
    if (workspace_.features_.has_unusual_control) {
      out.obstacle = unrolling_obstacle::unusual_control;
      return;
    }
    read_loop_counts(counter.evolutions(), loop, workspace_.loop_, workspace_.reading_counts_, out.counts);
    detail::tell_trips(out.counts.trip, workspace_.loop_);
    expect_trips(workspace_.loop_, options_.assumed_trip);
    if (workspace_.loop_.has_profile) {
      out.counts.hints.average = workspace_.loop_.program.trip_hints(extracted_loop::header).average;
    }
    detail::run_advice(machine_, options_, workspace_, out);
    const loop_id around = forest_.parent(loop);
    if (around != no_loop && forest_.subloops(around).size() == 2 && detail::may_be_unfolded(out, options_)) {
      extract(around, workspace_.around_);
      expect_trips(workspace_.around_, options_.assumed_trip);
      node_id inner = extracted_loop::header;
      while (workspace_.around_.nodes[inner] != forest_.header(loop)) {
        ++inner;
      }
      detail::run_nest_advice(machine_, options_, inner, workspace_, out);
    }
  }

private:
  /// Extracts from the IR; if that does not list users and nodes of values, from a copy with the same numbers.
  void extract(loop_id loop, extracted_loop& out) {
    if constexpr (extractable_ir<IR>) {
      if (!knows_function_) {
        tree_ = dominators(ir_.graph());
        note_facts();
      }
      extract_from(ir_, tree_, forest_, loop, out);
    } else {
      if (!knows_function_) {
        frozen(ir_, copy_);
        auto found = dominators_and_loops(copy_.graph());
        tree_ = std::move(found.dominators);
        loops_of_copy_ = std::move(found.loops);
        note_facts();
      }
      extract_from(copy_, tree_, loops_of_copy_, loops_of_copy_.innermost_loop(forest_.header(loop)), out);
    }
  }

  void note_facts() {
    facts_ = facts_of_numbers(ir_);
    knows_function_ = true;
  }

  template <class Program>
  void extract_from(const Program& program, const dominator_tree& tree, const loop_forest& loops, loop_id loop,
                    extracted_loop& out) {
    extract_loop(program, tree, loops, loop, span<const number_facts>(facts_.data(), facts_.size()),
                 workspace_.extraction_, out);
  }

  const IR& ir_;
  const loop_forest& forest_;
  const M& machine_;
  const unrolling_options& options_;
  advise_unrolling_workspace& workspace_;
  std::optional<plain_trip_counter> plain_;
  bool knows_function_ = false;
  dominator_tree tree_;
  flat_array<number_facts> facts_; ///< by value
  flat_program copy_;              ///< valid if no loop of the IR can be extracted: a copy of it
  loop_forest loops_of_copy_;
};

/// Estimates the forms of unrolling a loop for a machine, and chooses one. Refills `out`.
///
/// **Algorithm.** Extracts the loop (`extract_loop`) with facts of the function about values that enter it, and counts
/// its trips. Then collects the factors that may pay: 2, 4, 8, 16; divisors of the trip count; moduli by which the body
/// divides, with their greatest common divisors and least common multiples; the period of header phis that change
/// places; the denominator of the resource bound. To *try* a candidate, it unrolls the copy of the loop by
/// `apply_unrolling`, cleans it up by `clean_up`, and measures the rest by `estimate` (`try_unrolling`). II =
/// max(ResMII, RecMII), or `straight_line_bound` for a body that is not pipelined. So all cycles are lower bounds, not
/// predictions.
///
/// The rolled loop and the first two factors are always tried. Later factors are tried if the position in their new
/// body can decide something, or if they would be accepted should each further copy cost as much as the copies before;
/// `unrolling_candidate::is_tried` says which were.
///
/// **The rule.** Factors are tried in ascending order. A factor is accepted against the last accepted one under two
/// conditions. It is no slower over all iterations, with set-up, remainder and preparation. And its fall in cycles per
/// iteration, as a fraction, divided by the binary logarithm of the ratio of bytes, is at least `options.least_gain`. A
/// factor that takes more cycles per iteration but fewer over all iterations is accepted by the fall in those. Equal
/// cycles per iteration are a tie: then fewer operations of the new body win, then fewer bytes, then the smaller
/// factor. Peeling and complete unrolling come last and are compared by the cycles of all iterations. So in the model a
/// decision is never slower than the rolled loop.
///
/// **Overlapping memory.** Some accesses keep their order only because their bases may overlap. If a test before the
/// loop could show that they do not, trials are also estimated without that order; if this is faster than the decision,
/// `without_overlap` holds the gain. The decision itself does not rest on it.
///
/// **The loop around.** If the loop is the only one in another loop and complete unrolling was tried, the loop around
/// is extracted, and the inner loop is unrolled there as decided, and completely: `nest`. If the loop around takes
/// fewer cycles with complete unrolling, by the rule above, this becomes the decision, even if the inner loop alone
/// would be slower.
///
/// **A view that cannot be edited** is advised on as if all edits were possible. If the loop comes from an editor, that
/// editor refuses what it cannot do (`rejection::refused`).
///
/// After B. R. Rau, "Iterative modulo scheduling", MICRO-27, 1994, for the bounds, and J. Davidson and S. Jinturkar,
/// "Aggressive loop unrolling in a retargetable, optimizing compiler", CC 1996, for the kinds.
///
/// **Requires** a forest of the IR's graph made with boundaries, and one of its loops. A loop that contains another
/// loop or another cycle gets an `obstacle` and no candidates. Unreachable predecessors of the header are ignored.
///
/// **Returns** the candidates in the order of trials: the rolled loop, factors ascending, peeling, complete unrolling.
/// **Cost**: the function's facts, which `unrolling_adviser` finds once for all loops, and the trials: at most
/// `options.max_copies` copies in all, besides complete unrolling.
template <cost_ir_argument IR, loop_machine_argument M>
void advise_unrolling(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                      const unrolling_options& options, advise_unrolling_workspace& workspace, unrolling_advice& out) {
  unrolling_adviser<IR, M>(ir, forest, machine, options, workspace).advise(loop, out);
}

/// Counts iterations by `counter`, which has to know this function: a `loop_trip_counter` finds numbers and upper
/// bounds that the loop alone does not show.
template <cost_ir_argument IR, loop_machine_argument M, trip_counter C>
void advise_unrolling(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                      const unrolling_options& options, const C& counter, advise_unrolling_workspace& workspace,
                      unrolling_advice& out) {
  unrolling_adviser<IR, M>(ir, forest, machine, options, workspace).advise(loop, counter, out);
}

/// Returns the advice for one loop, with a workspace of its own.
template <cost_ir_argument IR, loop_machine_argument M>
unrolling_advice advise_unrolling(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                                  const unrolling_options& options = {}) {
  advise_unrolling_workspace workspace;
  unrolling_advice out;
  advise_unrolling(ir, forest, loop, machine, options, workspace, out);
  return out;
}

#if defined(MIDEND_COMPILED_SOURCE)

namespace detail::compiled {

void advise_on_loop(const machine_model& machine, const unrolling_options& options,
                    advise_unrolling_workspace& workspace, unrolling_advice& out) {
  detail::advise_on_loop<machine_model>(machine, options, workspace, out);
}

void advise_on_nest(const machine_model& machine, const unrolling_options& options, node_id inner,
                    advise_unrolling_workspace& workspace, unrolling_advice& out) {
  detail::advise_on_nest<machine_model>(machine, options, inner, workspace, out);
}

} // namespace detail::compiled

#endif

MIDEND_END_NAMESPACE
