/// The search for the best form of a loop: tries candidates one after the other, and keeps the best.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/cost.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/loop_time.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/unrolling/apply_unrolling.hpp"
#include "midend/unrolling/detail/extrapolated_body.hpp"
#include "midend/unrolling/detail/unrolling_candidates.hpp"
#include "midend/unrolling/detail/unrolling_features.hpp"
#include "midend/unrolling/detail/unrolling_rule.hpp"
#include "midend/unrolling/detail/unrolling_times.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The figures of a trial.
struct trial_figures {
  bool is_unrolled = false; ///< if not, the transformation refused, and nothing below is valid
  bool has_loop = false;    ///< the unrolled loop still exists
  body_cost loop;           ///< its cost; valid if `has_loop`
  body_cost outside;        ///< the cost of all nodes outside loops: sums
  std::uint64_t bytes = 0;  ///< of the whole program
};

/// Runs trials of candidates on copies. Only this part of the search depends on the type of the machine; the rest is
/// compiled once for all machines.
class candidate_trials {
public:
  virtual trial_figures run(const unrolling_form& form) = 0;

  /// Sets operations and savings of the last trial.
  virtual void describe_last(bool is_rolled, unrolling_advice& out) = 0;

protected:
  ~candidate_trials() = default;
};

/// Whether one iteration has more than 16 times the allowed operations: the clean-up would have to remove all but one
/// in 16, and the estimate takes more than linear time if a loop has many latches.
constexpr bool is_surely_too_large(const unrolling_features& features, std::uint64_t max_operations) {
  constexpr std::uint64_t slack = 16;
  return features.operations / slack > max_operations;
}

/// The assumptions of an advice. Requires its other members.
constexpr std::array<bool, num_assumptions> assumptions_of(const unrolling_advice& advice,
                                                           const unrolling_features& features,
                                                           const iteration_count& count,
                                                           const unrolling_options& options) {
  std::array<bool, num_assumptions> out{};
  const loop_hints& hints = advice.counts.hints;
  const bool has_loop = advice.decision().kind != unrolling_kind::full;
  const auto assume = [&](assumption a, bool made) { out[static_cast<std::size_t>(a)] = made; };
  assume(assumption::lower_bound, !advice.decision().body.is_attained);
  assume(assumption::branch_is_free_of_recurrence, has_loop);
  assume(assumption::no_signed_wrap, features.has_promises);
  assume(assumption::alias_classes, features.stores && features.has_classes);
  assume(assumption::reassociation, advice.is_regrouped || advice.rolled_machine.is_regrouped);
  assume(assumption::if_conversion, has_loop && advice.num_inner_branches != 0);
  assume(assumption::speculated_loads, advice.chosen != 0 && features.loads && has_loop && advice.num_exits > 1);
  assume(assumption::profile, count.is_profiled);
  assume(assumption::assumed_trip, count.is_assumed);
  assume(assumption::trip_hint, hints.maximum != 0 || hints.multiple != 0);
  assume(assumption::hardware_counter, options.lowering.counts_in_hardware);
  assume(assumption::first_level_loads, features.loads);
  return out;
}

/// Tries the rolled loop, then factors, then peeling, then complete unrolling, and sets the advice. Accepts candidates
/// against the last accepted one by `unrolling_rule`. Requires the counts of the loop in `out`.
class unrolling_search {
public:
  unrolling_search(const loop_machine_times& times, const machine_limits& limits, const unrolling_options& options,
                   const unrolling_features& features, candidate_trials& trials, unrolling_factors& factors,
                   unrolling_advice& out)
      : times_(times), limits_(limits), options_(options), features_(features), trials_(trials), factors_(factors),
        out_(out), count_(iterations_of(out.counts, options)) {}

  void run() {
    out_.iterations = count_.expected;
    if (is_surely_too_large(features_, options_.max_operations)) {
      out_.obstacle = unrolling_obstacle::too_large;
      return;
    }
    if (features_.exits * features_.values_outside > options_.max_exit_values) {
      out_.obstacle = unrolling_obstacle::too_many_exits;
      return;
    }
    try_rolled();
    if (out_.obstacle != unrolling_obstacle::none) {
      return;
    }
    if (rolled().body.obstacle != pipelining_obstacle::straight_line) { // a loop remains
      try_factors();
      try_peeling();
      try_full();
    }
    finish();
  }

  /// Makes complete unrolling the decision. Requires that `run` for this advice tried it as the last candidate.
  void choose_full() {
    const std::size_t full = out_.candidates.size() - 1;
    if (out_.chosen != full) {
      trials_.run(unrolling_form_of(out_, out_.candidates[full]));
      accept(full);
    }
  }

private:
  // The rolled loop.

  void try_rolled() {
    unrolling_candidate c;
    const trial_figures f = trials_.run({});
    if (!f.is_unrolled) {
      out_.obstacle = unrolling_obstacle::irreducible; // the cleaned up loop is no region
      return;
    }
    take(f, c);
    if (f.has_loop) {
      set_loop_times(c, times_.loop(c.body, count_.expected), count_.expected, 1);
    } else {
      set_straight_times(c); // the clean-up alone removes the loop
    }
    if (c.body.resources.is_impossible) {
      out_.obstacle = unrolling_obstacle::impossible_machine;
    } else if (c.body.recurrence == recurrence_status::impossible) {
      out_.obstacle = unrolling_obstacle::cyclic_body;
    } else {
      out_.obstacle = c.body.operations > options_.max_operations ? unrolling_obstacle::too_large : out_.obstacle;
      out_.candidates.push_back(c);
      accept(0);
    }
  }

  const unrolling_candidate& rolled() const { return out_.candidates[0]; }

  // Factors, ascending.

  void try_factors() {
    if (rolled().body.operations == 0) {
      return; // nothing to gain
    }
    const fraction bound = rolled().body.resources.exact;
    factors_.collect(features_, out_.counts.phi_period, count_.divisible, bound.denominator(), options_.max_factor);
    factors_.insert(options_.forced_factor, 2, options_.forced_factor);
    std::uint32_t copies = 0;
    for (std::size_t i = 0; i != factors_.factors.size(); ++i) { // the body may add factors
      const std::uint32_t factor = factors_.factors[i];
      if (count_.is_exact && (factor >= count_.exact || (is_one_pass(factor) && factor != options_.forced_factor))) {
        break; // this is complete unrolling
      }
      unrolling_candidate c = candidate_of_factor(factor, count_, options_);
      if (c.why == rejection::none && is_forced_to_another(factor)) {
        c.why = rejection::not_asked_for;
      }
      if (c.why == rejection::none && copies + factor > options_.max_copies && factor != options_.forced_factor) {
        c.why = rejection::too_many_copies;
      }
      if (c.why == rejection::none && is_expected_too_large(factor, is_modulus(factor) ? 8 : 1)) {
        c.why = rejection::too_many_operations;
      }
      if (c.why == rejection::none && may_pay(c)) {
        copies += factor;
        try_factor(c);
      }
      add(c);
      if (factor == 2 && c.is_tried && bound < c.body.resources.exact) {
        // From one copy to two, the bound grows by the part that copies do not share. If the factor is the denominator
        // of that part, no fraction of a cycle is lost.
        factors_.insert(difference(c.body.resources.exact, bound).denominator(), 3, options_.max_factor);
      }
    }
  }

  /// Whether no loop remains: the new body runs once, and the remainder is unrolled, too.
  bool is_one_pass(std::uint32_t factor) const {
    return count_.exact / factor == 1 && count_.exact % factor <= options_.max_unrolled_rest;
  }

  bool is_forced_to_another(std::uint32_t factor) const {
    return options_.forced_factor != 0 && options_.forced_factor != factor;
  }

  bool is_modulus(std::uint32_t factor) const {
    return is_among(span<const std::uint64_t>(features_.moduli), std::uint64_t{factor});
  }

  /// Whether copies may share or fold more than in the factors tried so far: the position in the new body says more
  /// about a quotient or remainder, or something about a rotation of phis.
  bool knows_position(std::uint32_t factor) const {
    bool knows = out_.counts.phi_period > 1 && factor % out_.counts.phi_period == 0;
    for (const std::uint64_t m : features_.moduli) {
      if (m > options_.max_factor) {
        break;
      }
      std::uint64_t known = 1;
      for (const unrolling_candidate& c : out_.candidates) {
        known = c.is_tried ? max(known, greatest_common_divisor(m, c.factor)) : known;
      }
      knows = knows || greatest_common_divisor(m, factor) > known;
    }
    return knows;
  }

  /// Extrapolates from the operations of a copy in the last tried factor. `slack` is above 1 if most operations may
  /// fold, as at a modulus.
  bool is_expected_too_large(std::uint64_t factor, std::uint64_t slack) const {
    const unrolling_candidate& last = out_.candidates[later_];
    return last.body.operations * factor > options_.max_operations * slack * last.factor;
  }

  // Which factors are tried.

  /// Whether a factor is worth a trial. If not, `c` keeps the extrapolated numbers: each further copy adds to the body
  /// what the copies between the last two trials added, and code that runs once stays the same.
  bool may_pay(unrolling_candidate& c) const {
    if (earlier_ == 0 || c.factor == options_.forced_factor || knows_position(c.factor)) {
      return true;
    }
    unrolling_candidate bounded = c;
    extrapolate(bounded);
    const rejection why = rule().judge(bounded);
    if (why == rejection::none) {
      return true;
    }
    bounded.why = why;
    c = bounded;
    return false;
  }

  void extrapolate(unrolling_candidate& c) const {
    const unrolling_candidate& from = out_.candidates[earlier_];
    const unrolling_candidate& to = out_.candidates[later_];
    c.body = extrapolated_body(from.body, from.factor, to.body, to.factor, c.factor);
    c.rest = tried_like(c).rest; // with the same limit and guard
    c.rest.alone = c.unrolls_remainder ? rolled().body.alone * c.remainder_iterations : c.rest.alone;
    c.total_bytes = to.total_bytes - min(to.total_bytes, to.body.bytes) + c.body.bytes;
    set_factor_times(c);
  }

  /// The last tried factor that is a power of two exactly if this one is: then the number of new iterations takes a
  /// mask in place of a division. If there is none, the last tried factor.
  const unrolling_candidate& tried_like(const unrolling_candidate& c) const {
    for (std::size_t i = out_.candidates.size(); i-- != 1;) {
      const unrolling_candidate& tried = out_.candidates[i];
      if (tried.is_tried && std::has_single_bit(tried.factor) == std::has_single_bit(c.factor)) {
        return tried;
      }
    }
    return out_.candidates[later_];
  }

  void try_factor(unrolling_candidate& c) {
    const trial_figures f = trials_.run(unrolling_form_of(out_, c));
    if (!f.is_unrolled) {
      c.why = rejection::refused;
      return;
    }
    take(f, c);
    if (f.has_loop) {
      set_factor_times(c);
      note_trial(knows_position(c.factor)); // before it joins the candidates
    } else {
      set_straight_times(c);
    }
  }

  /// Does not extrapolate from factors whose copies share more, unless there is no other.
  void note_trial(bool has_more) {
    const std::size_t tried = out_.candidates.size();
    if (!has_more) {
      earlier_ = is_blind_ ? later_ : 0;
      later_ = tried;
      is_blind_ = true;
    } else if (!is_blind_) {
      earlier_ = later_;
      later_ = tried;
    }
  }

  void set_factor_times(unrolling_candidate& c) const {
    const unrolled_times unrolled = times_of(c);
    const std::uint64_t passes = unrolled.passes(count_.expected);
    set_loop_times(c, c.unrolls_remainder ? times_.loop(c.body, passes) : unrolled(count_.expected), passes, c.factor);
  }

  unrolled_times times_of(const unrolling_candidate& c) const {
    return {times_, rolled().body, c.body, c.factor, 0, c.remainder == remainder_placement::mid_exit};
  }

  // Peeling.

  void try_peeling() {
    for (std::uint32_t peeled = 1; peeled <= options_.max_peeled; ++peeled) {
      if (count_.is_exact && peeled + 1 >= count_.exact) {
        return; // this is complete unrolling
      }
      if (may_pay_to_peel(features_, count_, peeled)) {
        unrolling_candidate c;
        c.kind = unrolling_kind::peel;
        c.factor = peeled;
        c.why = options_.allows_peeling ? rejection::none : rejection::not_allowed;
        if (c.why == rejection::none) {
          try_peeled(c);
        }
        add(c);
      }
    }
  }

  void try_peeled(unrolling_candidate& c) {
    const trial_figures f = trials_.run(unrolling_form_of(out_, c));
    if (!f.is_unrolled) {
      c.why = rejection::refused;
      return;
    }
    take(f, c);
    if (f.has_loop) {
      const std::uint64_t passes = count_.expected > c.factor ? count_.expected - c.factor : 0;
      set_loop_times(c, times_.loop(c.body, passes), passes, 1);
    } else {
      set_straight_times(c);
    }
  }

  // Complete unrolling.

  void try_full() {
    const std::uint64_t copies = copies_of_full();
    if (copies == 0 || copies > options_.max_factor || is_expected_too_large(copies, 8)) {
      return;
    }
    unrolling_candidate c;
    c.kind = unrolling_kind::full;
    c.factor = static_cast<std::uint32_t>(copies);
    c.why = !options_.allows_full            ? rejection::not_allowed
            : is_forced_to_another(c.factor) ? rejection::not_asked_for
                                             : rejection::none;
    if (c.why == rejection::none) {
      trial_figures f = trials_.run(unrolling_form_of(out_, c));
      if (f.is_unrolled) {
        count_loop_once(f);
        take(f, c);
        set_straight_times(c);
      } else {
        c.why = rejection::refused;
      }
    }
    add(c);
  }

  /// Counts a loop that remains after the copies as straight code: it runs only there, and once.
  static void count_loop_once(trial_figures& f) {
    if (f.has_loop) {
      f.outside.operations += f.loop.operations;
      f.outside.branches += f.loop.branches;
      f.outside.bytes += f.loop.bytes;
      f.has_loop = false;
    }
  }

  /// The exact number of iterations of the counted exit. Without one, the number of header executions, or its upper
  /// bound if no fewer are expected. 0 if there is neither.
  std::uint64_t copies_of_full() const {
    if (count_.is_exact && out_.counts.is_exact()) {
      return count_.exact;
    }
    const auto most = out_.counts.trip.header_executions();
    const bool is_expected = most && count_.expected + 1 >= *most;
    return is_expected ? *most : 0;
  }

  // Figures of a candidate.

  static void take(const trial_figures& f, unrolling_candidate& c) {
    c.is_tried = true;
    c.body = f.has_loop ? f.loop : f.outside;
    c.rest = f.has_loop ? f.outside : body_cost();
    c.total_bytes = f.bytes;
  }

  /// Sets the times of a program without loop. Each node counts once, as if branches were predicates.
  void set_straight_times(unrolling_candidate& c) const {
    c.is_evaluated = true;
    c.total_cycles = c.body.alone;
    c.cycles_per_iteration = fraction(c.body.alone) / max<std::uint64_t>(count_.expected, 1);
  }

  /// Sets the times of a loop. `passes` counts iterations of the new body; each does `iterations_per_pass` old ones.
  void set_loop_times(unrolling_candidate& c, const loop_time& time, std::uint64_t passes,
                      std::uint32_t iterations_per_pass) const {
    const bool runs_iterations = c.kind == unrolling_kind::peel || c.unrolls_remainder;
    c.is_evaluated = true;
    c.total_cycles = time.cycles + (runs_iterations ? c.rest.alone : 0);
    c.setup_cycles = time.setup + (runs_iterations ? 0 : c.rest.alone);
    c.cycles_per_iteration = fraction(times_.cycles_per_pass(c.body, passes)) / iterations_per_pass;
    if (c.body.is_pipelined() && !times_.is_pipelined(c.body, passes)) {
      c.body.obstacle = pipelining_obstacle::too_few_passes;
    }
  }

  unrolling_rule rule() const { return {limits_, options_, rolled(), out_.candidates[out_.chosen], count_.is_exact}; }

  /// Adds a candidate. Accepts it if it was tried and is the best so far, or if its factor is forced.
  void add(const unrolling_candidate& candidate) {
    const std::size_t index = out_.candidates.size();
    out_.candidates.push_back(candidate);
    unrolling_candidate& c = out_.candidates[index];
    if (!c.is_tried) {
      return;
    }
    c.why = rule().judge(c);
    const bool is_forced =
        c.factor == options_.forced_factor && c.kind != unrolling_kind::peel && !c.body.resources.is_impossible;
    if (options_.forced_factor == 0 ? c.why == rejection::none : is_forced) {
      accept(index);
    } else if (c.why == rejection::none) {
      c.why = rejection::not_asked_for;
    }
  }

  /// Requires that this candidate was the last trial.
  void accept(std::size_t index) {
    unrolling_candidate& c = out_.candidates[index];
    unrolling_candidate& last = out_.candidates[out_.chosen];
    if (index != out_.chosen) {
      last.why = c.cycles_per_iteration == last.cycles_per_iteration ? rejection::tie : rejection::outdone;
    }
    c.why = rejection::none;
    out_.chosen = static_cast<std::uint32_t>(index);
    trials_.describe_last(index == 0, out_);
  }

  // The rest of the advice.

  void finish() {
    if (out_.chosen == 0) {
      out_.machine = out_.rolled_machine;
    }
    for (unrolling_candidate& c : out_.candidates) {
      if (c.is_evaluated && c.kind == unrolling_kind::partial && !c.has_exact_count) {
        unrolled_times times = times_of(c);
        times.preparation = c.rest.alone > rolled().rest.alone ? c.rest.alone - rolled().rest.alone : 0;
        c.break_even = break_even_search{times}();
      }
    }
    out_.assumptions = assumptions_of(out_, features_, count_, options_);
  }

  const loop_machine_times& times_;
  const machine_limits& limits_;
  const unrolling_options& options_;
  const unrolling_features& features_;
  candidate_trials& trials_;
  unrolling_factors& factors_;
  unrolling_advice& out_; ///< `chosen` is the last accepted candidate
  const iteration_count count_;
  std::size_t earlier_ = 0; ///< the two candidates from which others are extrapolated; 0: none yet
  std::size_t later_ = 0;
  bool is_blind_ = false; ///< these two know nothing from the position in their bodies
};

} // namespace detail

MIDEND_END_NAMESPACE
