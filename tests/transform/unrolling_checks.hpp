/// Unrolling in tests: applied with the steps that belong to it, and certified.
#pragma once

#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/transform.hpp>
#include <midend/unrolling/apply_unrolling.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace midend_tests {

/// What is wrong with a step and its certificate, or nothing. All dropped edges have to be proven, with counts by
/// `counter`.
template <class Counter>
std::string why_uncertified(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                            const midend::unfolding_witness& w, const Counter& counter) {
  const midend::unfolding_verdict verdict = certificate(before, after, w);
  const midend::untaken_exits_verdict untaken =
      midend::verify_untaken_exits(midend::elbrus::cost_view(before), after, w, counter);
  std::string why;
  if (!verdict) {
    why = "rejected: " + to_text(verdict);
  } else if (!untaken) {
    why = join("not proven: edge ", untaken.edge);
  } else if (untaken.proven < verdict.assumed) { // of unreachable nodes nobody asks
    why = join(verdict.assumed, " assumed, ", untaken.proven, " proven");
  } else {
    why = why_ill_formed(after);
  }
  return why.empty() ? why : why + "\n" + midend::elbrus::to_text(before) + midend::elbrus::to_text(after);
}

/// The same by what the loops say alone.
inline std::string why_uncertified(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                   const midend::unfolding_witness& w) {
  const midend::elbrus::cost_view view(before);
  const midend::loop_forest loops = midend::dominators_and_loops(before).loops;
  midend::plain_trip_counter_workspace workspace;
  const midend::plain_trip_counter counter(view, loops, workspace);
  return why_uncertified(before, after, w, counter);
}

/// An observer of `apply_unrolling` that checks the certificate of each step.
struct step_certifier {
  void before(const midend::elbrus::editor& e) { old = e.graph(); }

  void after(const midend::elbrus::editor& e, midend::unrolling_step step, const midend::unfolding_witness& w) {
    why += why.empty() ? why_uncertified(old, e.graph(), w) : "";
    ++steps[static_cast<std::size_t>(step)];
    const midend::untaken_exits_verdict verdict = midend::verify_untaken_exits(midend::elbrus::cost_view(old), w);
    proven += verdict.proven;
    trusted += verdict.trusted;
  }

  midend::elbrus::procedure old;
  std::string why;
  std::size_t proven = 0;  ///< dropped edges, by what the loops say alone
  std::size_t trusted = 0; ///< of these
  std::array<std::size_t, 4> steps{};
};

/// The view and the counts, with facts about the function, that `apply_unrolling` takes.
inline constexpr auto cost_of = [](const midend::elbrus::editor& e) { return midend::elbrus::cost_view(e.graph()); };

inline constexpr auto counts_of = [](const auto& view, const midend::dominator_tree&,
                                     const midend::loop_forest& forest) {
  return midend::loop_trip_counter(view, forest);
};

/// The observer that checks certificates with facts, and the facts.
struct fact_certifier : step_certifier {
  void after(const midend::elbrus::editor& e, midend::unrolling_step step, const midend::unfolding_witness& w) {
    const midend::elbrus::cost_view view(old);
    const auto found = midend::dominators_and_loops(old);
    auto counter = counts_of(view, found.dominators, found.loops);
    why += midend::verify_sccp_with_branch_facts(counter.program(), counter.facts()) ? "facts are wrong" : "";
    why += why.empty() ? why_uncertified(old, e.graph(), w, counter) : "";
    ++steps[static_cast<std::size_t>(step)];
  }
};

/// Unrolls, drops untaken exits, and certifies both. Returns the plan of the second step.
inline midend::untaken_exits_plan unroll(midend::elbrus::procedure& p,
                                         const std::vector<midend::unrolling_request>& requests, std::string& why,
                                         std::size_t max_cloned = 4096) {
  midend::elbrus::procedure before = p;
  midend::elbrus::editor e(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  const auto done = midend::unroll_loops(e, loops, requests, {.max_cloned = max_cloned});
  why = why_uncertified(before, p, done.witness);
  before = p;
  const midend::untaken_exits_plan plan = midend::plan_untaken_exits(midend::elbrus::cost_view(p), done.loops);
  const midend::unfolding_witness w = midend::apply_untaken_exits(e, plan);
  why += why.empty() ? why_uncertified(before, p, w) : "";
  return plan;
}

/// What became of requests.
struct remainder_outcome {
  std::string why; ///< a certificate that is rejected
  std::size_t unrolled = 0;
  std::size_t dropped = 0;
  std::vector<midend::remainder_refusal_reason> refused;
};

/// Unrolls with remainders, drops untaken exits, and certifies both.
inline remainder_outcome unroll(midend::elbrus::procedure& p, const std::vector<midend::unrolling_request>& requests) {
  remainder_outcome out;
  midend::elbrus::procedure before = p;
  midend::elbrus::editor e(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  const auto plan = midend::plan_unroll_with_remainder(midend::elbrus::cost_view(p), loops, requests);
  midend::flat_array<midend::remainder_refusal> refused;
  const midend::unfolding_witness copied = midend::apply_unroll_with_remainder(e, plan, refused);
  out.unrolled = plan.unrollings.size() - refused.size();
  for (const midend::remainder_refusal& r : plan.refused) {
    out.refused.push_back(r.why);
  }
  for (const midend::remainder_refusal& r : refused) {
    out.refused.push_back(r.why);
  }
  out.why = why_uncertified(before, p, copied);
  before = p;
  const auto exits = midend::plan_untaken_exits(midend::elbrus::cost_view(p), midend::dominators_and_loops(p).loops);
  out.dropped = exits.exits.size();
  const midend::unfolding_witness w = midend::apply_untaken_exits(e, exits);
  out.why += out.why.empty() ? why_uncertified(before, p, w) : "";
  return out;
}

/// Constants, then flow, then dead code.
inline void clean(midend::elbrus::procedure& p) {
  midend::elbrus::editor e(p);
  const midend::elbrus::semantic_view view(p);
  midend::apply_sccp(e, midend::plan_sccp(view, midend::sccp(view)));
  midend::clean_control(e);
  midend::remove_dead_code(e);
  midend::clean_control(e);
}

} // namespace midend_tests
