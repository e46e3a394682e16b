/// The steps by which `advise_unrolling` estimates the candidates of a loop and chooses among them.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/detail/candidate_evaluation.hpp"
#include "midend/unrolling/detail/iteration_count.hpp"
#include "midend/unrolling/detail/peeling_reasons.hpp"
#include "midend/unrolling/detail/unrolling_factors.hpp"
#include "midend/unrolling/detail/unrolling_rule.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"
#include "midend/unrolling/unrolling_workspace.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Estimates candidates one by one, and keeps the last that was accepted.
template <class M, class Folder> struct unrolling_search {
  const M& machine;
  const unrolling_options& options;
  const Folder& folder;
  unrolling_workspace& workspace;
  unrolling_advice& out;
  const iteration_count count;
  candidate_evaluation<M, Folder> evaluation{machine, options, folder, workspace, out, count};
  std::uint32_t accepted = 0;     ///< in `out.candidates`
  std::size_t last_evaluated = 0; ///< in `out.candidates`

  constexpr unrolling_candidate& last_accepted() { return out.candidates[accepted]; }

  constexpr const body_cost& rolled() const { return out.candidates[0].body; }

  /// What was evaluated last becomes what is taken.
  constexpr void accept(std::size_t candidate) {
    if (accepted != candidate) {
      last_accepted().reason = rejection_of_predecessor(out.candidates[candidate]);
    }
    accepted = static_cast<std::uint32_t>(candidate);
    out.candidates[accepted].reason = rejection::none;
    std::swap(candidate == 0 ? out.rolled_machine : out.machine, workspace.machine_);
    out.savings.swap(workspace.unrolled_.savings);
    workspace.accepted_exits_ = workspace.unrolled_.exits.size();
    workspace.accepted_branches_ = workspace.unrolled_.inner_branches;
  }

  /// Why the candidate that was best until now is not taken.
  constexpr rejection rejection_of_predecessor(const unrolling_candidate& next) {
    return next.cycles_per_iteration == last_accepted().cycles_per_iteration ? rejection::tie : rejection::outdone;
  }

  // The loop as it is.

  constexpr bool estimate_rolled() {
    unrolling_candidate c;
    evaluation.evaluate_rolled(c);
    if (c.body.resources.is_impossible || c.body.recurrence == recurrence_status::impossible) {
      out.obstacle =
          c.body.resources.is_impossible ? unrolling_obstacle::impossible_machine : unrolling_obstacle::cyclic_body;
      return false;
    }
    out.candidates.push_back(c);
    accept(0);
    return true;
  }

  // Factors.

  constexpr void estimate_factors() {
    if (rolled().operations == 0) {
      return; // there is nothing to gain
    }
    workspace.factors_.collect(out.body, out.counters, count.divisible,
                               out.candidates[0].body.resources.exact.denominator(), options.forced_factor,
                               options.max_factor);
    std::uint32_t copies = 0;
    for (std::size_t i = 0; i != workspace.factors_.factors.size(); ++i) {
      const std::uint32_t factor = workspace.factors_.factors[i];
      copies += factor;
      if (count.is_exact && factor >= count.exact) {
        break; // that is `full`
      }
      unrolling_candidate c = describe_factor(factor);
      if (c.reason == rejection::none && copies > options.max_copies && factor != options.forced_factor) {
        c.reason = rejection::too_many_copies;
      }
      estimate(c);
      if (factor == 2 && out.candidates.back().is_evaluated) {
        offer_denominator_of_growth();
      }
    }
  }

  /// What the bound grows by from one copy to two is free of what all copies share: at the denominator of that, no part
  /// of a cycle is lost.
  constexpr void offer_denominator_of_growth() {
    const fraction& one = rolled().resources.exact;
    const fraction& two = out.candidates.back().body.resources.exact;
    if (one < two) {
      workspace.factors_.insert(difference(two, one).denominator(), options.max_factor);
    }
  }

  /// The kind, and what is left.
  constexpr unrolling_candidate describe_factor(std::uint32_t factor) const {
    unrolling_candidate c;
    c.factor = factor;
    const bool divides = count.divisible % factor == 0;
    if (count.is_exact) {
      c.kind = divides ? unrolling_kind::partial : unrolling_kind::partial_with_remainder;
      c.remainder_iterations = count.exact % factor;
      c.reason = options.allows_partial ? rejection::none : rejection::not_allowed;
    } else if (count.is_computable && (divides || options.remainder != remainder_placement::mid_exit)) {
      c.kind = unrolling_kind::runtime;
      c.remainder_iterations = divides ? 0 : factor - 1;
      c.reason = options.allows_runtime ? rejection::none : rejection::not_allowed;
    } else { // a last pass that may end in any copy needs the test in each
      c.kind = unrolling_kind::uncounted;
      c.reason = options.allows_uncounted ? rejection::none : rejection::not_allowed;
    }
    c.remainder = c.remainder_iterations == 0 ? remainder_placement::none : options.remainder;
    if (factor > count.most) {
      c.reason = rejection::trip_too_short;
    }
    return c;
  }

  constexpr void estimate(unrolling_candidate& c) {
    const std::size_t index = out.candidates.size();
    out.candidates.push_back(c);
    if (c.reason == rejection::none && is_expected_too_large(c.factor, is_modulus(c.factor) ? 8 : 1)) {
      out.candidates[index].reason = rejection::too_many_operations;
    }
    if (out.candidates[index].reason == rejection::none) {
      evaluation.evaluate_factor(out.candidates[index]);
      last_evaluated = index;
      decide(index);
    }
  }

  constexpr bool is_modulus(std::uint32_t factor) const {
    return is_among(std::span<const std::uint64_t>(workspace.factors_.moduli), std::uint64_t{factor});
  }

  /// By what the copies had in the last factor that was evaluated. Where most of them may vanish, as at a modulus,
  /// there is some slack.
  constexpr bool is_expected_too_large(std::uint32_t factor, std::uint64_t slack) const {
    const unrolling_candidate& last = out.candidates[last_evaluated];
    return last.body.operations * factor > options.max_operations * slack * last.factor;
  }

  // Peeling and unrolling completely.

  constexpr void estimate_full() {
    const std::uint64_t copies = copies_of_full();
    if (copies == 0 || copies > options.max_factor || is_expected_too_large(static_cast<std::uint32_t>(copies), 8)) {
      return;
    }
    unrolling_candidate c;
    c.kind = unrolling_kind::full;
    c.factor = static_cast<std::uint32_t>(copies);
    c.reason = options.allows_full ? rejection::none : rejection::not_allowed;
    const std::size_t index = out.candidates.size();
    out.candidates.push_back(c);
    if (c.reason == rejection::none) {
      evaluation.evaluate_full(out.candidates[index]);
      decide(index);
    }
  }

  /// The exact number, or, if there is no other expectation, the most that there can be; 0 for neither.
  constexpr std::uint64_t copies_of_full() const {
    if (count.is_exact && out.counters.is_exact()) {
      return count.exact;
    }
    const auto most = out.counters.trip.header_executions();
    const bool is_expected = most && count.expected + 1 >= *most;
    return out.counters.trip.kind == trip_count_kind::at_most && is_expected ? *most : 0;
  }

  constexpr void estimate_peeling() {
    for (std::uint32_t peeled = 1; peeled <= options.max_peeled; ++peeled) {
      if (count.is_exact && peeled >= count.exact) {
        return;
      }
      if (!peeling_reasons{out.body, out.counters, count}.may_pay_to_peel(peeled)) {
        continue;
      }
      unrolling_candidate c;
      c.kind = unrolling_kind::peel;
      c.factor = peeled;
      c.reason = options.allows_peeling ? rejection::none : rejection::not_allowed;
      const std::size_t index = out.candidates.size();
      out.candidates.push_back(c);
      if (c.reason == rejection::none) {
        evaluation.evaluate_peeled(out.candidates[index]);
        decide(index);
      }
    }
  }

  // The rule.

  constexpr void decide(std::size_t index) {
    unrolling_candidate& c = out.candidates[index];
    const unrolling_rule<M> rule{machine, options, out.candidates[0], last_accepted(), count.is_exact};
    c.reason = rule.beyond_limits(c);
    if (c.reason == rejection::none) {
      c.reason = rule.against_last_accepted(c);
    }
    if (c.reason == rejection::none && options.forced_factor == 0) {
      accept(index);
    } else if (options.forced_factor != 0) {
      force(index);
    }
  }

  constexpr void force(std::size_t index) {
    unrolling_candidate& c = out.candidates[index];
    const bool asked =
        c.factor == options.forced_factor && c.kind != unrolling_kind::peel && !c.body.resources.is_impossible;
    if (asked) {
      accept(index);
    } else if (c.reason == rejection::none) {
      c.reason = rejection::not_asked_for;
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
