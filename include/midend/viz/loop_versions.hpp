/// Words for unswitching, index split, loop versioning and peeling by profile: loops that are copied, and reasons why
/// others are not.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/transform/index_split.hpp"
#include "midend/transform/loop_versioning_plan.hpp"
#include "midend/transform/loop_versions.hpp"
#include "midend/transform/peel_by_profile.hpp"
#include "midend/transform/unswitch.hpp"
#include "midend/transform/verify_loop_versioning.hpp"
#include "midend/viz/transformation_plans.hpp"
#include "midend/viz/value_names.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

constexpr std::string_view to_text(loop_copy_obstacle o) {
  switch (o) {
    using enum loop_copy_obstacle;
  case none:
    return "the loop can be copied";
  case may_not_duplicate:
    return "an operation of the loop may not be copied";
  case takes_no_phi:
    return "no phi can join copies of a value of the loop";
  case edge_stays:
    return "an edge of the loop cannot be redirected";
  default:
    return "there is no place for a branch before the loop";
  }
}

constexpr std::string_view to_text(unswitch_obstacle o) {
  switch (o) {
    using enum unswitch_obstacle;
  case none:
    return "it is decided before the loop";
  case not_a_branch:
    return "its terminator does more than choose an edge";
  case decided:
    return "a branch before the loop has decided it";
  case same_condition:
    return "another branch on the condition has different cases";
  case may_be_undefined:
    return "the condition may be undefined where the loop does not read it";
  case not_copied:
    return "the loop cannot be copied";
  case too_large:
    return "more would be cloned than the limit";
  default:
    return "an outer or inner loop is copied for other branches";
  }
}

constexpr std::string_view to_text(index_split_obstacle o) {
  switch (o) {
    using enum index_split_obstacle;
  case none:
    return "the loop is split there";
  case not_a_branch:
    return "its node does more at its end than to choose one of two edges";
  case not_a_counter:
    return "what it compares is no counter";
  case may_wrap:
    return "the counter may wrap";
  case never_changes:
    return "the first value is beyond the bound";
  case not_computed:
    return "the comparison cannot be computed before an iteration";
  case may_be_undefined:
    return "the comparison may be undefined where the loop does not read it";
  case not_copied:
    return "the loop cannot be copied";
  case too_large:
    return "more would be cloned than the limit";
  default:
    return "the loop, or an outer or inner one, is split elsewhere";
  }
}

constexpr std::string_view to_text(versioning_obstacle o) {
  switch (o) {
    using enum versioning_obstacle;
  case none:
    return "comparisons choose a copy";
  case nothing_to_separate:
    return "no store may meet an access with another base";
  case no_check:
    return "no comparison shows that accesses are apart";
  case unreadable:
    return "the nest cannot be read";
  case already_checked:
    return "it was compared already";
  case too_many_checks:
    return "more comparisons than the limit";
  case too_large_numbers:
    return "the ends of intervals may not fit in 64 bits";
  case not_available:
    return "a base or a number is not known before the loop";
  case not_copied:
    return "the loop cannot be copied";
  case too_large:
    return "more would be cloned than the limit";
  default:
    return "an outer or inner loop is copied";
  }
}

constexpr std::string_view to_text(versioning_fault f) {
  switch (f) {
    using enum versioning_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "the witness names what the program does not have";
  case no_gate:
    return "the copy is entered on another path than from its comparisons";
  case unknown_class:
    return "an access has a local class without a reason";
  case changed_class:
    return "an access has another class than before";
  case wrong_class:
    return "an access does not have the class of its interval";
  case wrong_address:
    return "the end of an interval is not a base and a form, or may wrap";
  case not_covered:
    return "an access may touch a byte outside of its interval";
  default:
    return "no comparison keeps two accesses apart";
  }
}

constexpr std::string_view to_text(peeling_obstacle o) {
  switch (o) {
    using enum peeling_obstacle;
  case none:
    return "it is peeled";
  case no_profile:
    return "no profile or hint gives its trip count";
  case never_runs:
    return "its count is 0";
  default:
    return "it would still be entered after the iterations that may be peeled";
  }
}

namespace detail {

/// The number of candidates with this obstacle.
template <class Candidates, class Obstacle> std::size_t count_obstacle(const Candidates& candidates, Obstacle o) {
  std::size_t count = 0;
  for (const auto& c : candidates) {
    count += c.obstacle == o ? 1u : 0u;
  }
  return count;
}

} // namespace detail

/// A line for each branch on an invariant condition.
///
///     unswitch the loop of head on %c: 2 versions, 9 operations cloned
///     %c in body stays in the loop of head: more would be cloned than the limit
template <value_names Names = numbered_values>
std::string to_text(const loop_forest& loops, const unswitch_plan& plan, const Names& names = {}) {
  std::string out;
  for (const unswitch_candidate& c : plan.candidates) {
    const std::string loop = "the loop of " + std::string(names.node(loops.header(c.loop)));
    const std::string condition(names.value(c.condition));
    if (c.obstacle == unswitch_obstacle::none) {
      out += "unswitch " + loop + " on " + condition + ": " + std::to_string(c.versions) + " versions, " +
             std::to_string(c.cloned) + " operations cloned\n";
    } else {
      out += condition + " in " + std::string(names.node(c.node)) + " stays in " + loop + ": " +
             std::string(c.obstacle == unswitch_obstacle::not_copied ? to_text(c.copying) : to_text(c.obstacle)) + '\n';
    }
  }
  return out;
}

inline std::string summary_text(const unswitch_plan& plan) {
  using enum unswitch_obstacle;
  detail::plan_counts counts("no loop unswitched");
  counts.done(plan.loops.size(), "unswitched loop");
  for (const unswitch_obstacle o :
       {not_a_branch, decided, same_condition, may_be_undefined, not_copied, too_large, overlaps}) {
    counts.refused(detail::count_obstacle(plan.candidates, o), "branch", to_text(o), "es");
  }
  return counts.text();
}

/// A line for each branch that compares a counter with a bound.
///
///     split the loop of head where %c no longer holds
///     the loop of head is not split at %c: the counter may wrap
template <value_names Names = numbered_values>
std::string to_text(const loop_forest& loops, const index_split_plan& plan, const Names& names = {}) {
  std::string out;
  for (const index_split_candidate& c : plan.candidates) {
    const std::string loop = "the loop of " + std::string(names.node(loops.header(c.loop)));
    const std::string condition(names.value(c.condition));
    if (c.obstacle == index_split_obstacle::none) {
      out += "split " + loop + " where " + condition + (c.holds_first ? " no longer holds\n" : " holds\n");
    } else {
      out += loop + " is not split at " + condition + ": " +
             std::string(c.obstacle == index_split_obstacle::not_copied ? to_text(c.copying) : to_text(c.obstacle)) +
             '\n';
    }
  }
  return out;
}

inline std::string summary_text(const index_split_plan& plan) {
  using enum index_split_obstacle;
  detail::plan_counts counts("no loop split");
  counts.done(plan.splits.size(), "split loop");
  for (const index_split_obstacle o : {not_a_branch, not_a_counter, may_wrap, never_changes, not_computed,
                                       may_be_undefined, not_copied, too_large, overlaps}) {
    counts.refused(detail::count_obstacle(plan.candidates, o), "branch", to_text(o), "es");
  }
  return counts.text();
}

/// A line for each loop.
///
///     1 comparison before the loop of head: 9 operations cloned
///     the loop of head has no copy: no store may meet an access with another base
template <value_names Names = numbered_values>
std::string to_text(const loop_forest& loops, const loop_versioning_plan& plan, const Names& names = {}) {
  std::string out;
  for (const versioning_candidate& c : plan.candidates) {
    const std::string loop = "the loop of " + std::string(names.node(loops.header(c.loop)));
    if (c.obstacle == versioning_obstacle::none) {
      out += std::to_string(c.checks) + (c.checks == 1 ? " comparison before " : " comparisons before ") + loop + ": " +
             std::to_string(c.cloned) + " operations cloned\n";
    } else {
      out += loop + " has no copy: " +
             std::string(c.obstacle == versioning_obstacle::not_copied ? to_text(c.copying) : to_text(c.obstacle)) +
             '\n';
    }
  }
  return out;
}

inline std::string summary_text(const loop_versioning_plan& plan) {
  using enum versioning_obstacle;
  detail::plan_counts counts("no loop compared");
  std::uint32_t checks = 0;
  for (const versioning_candidate& c : plan.candidates) {
    checks += c.obstacle == none ? c.checks : 0;
  }
  counts.done(plan.loops.size(), "compared loop");
  counts.done(checks, "comparison");
  for (const versioning_obstacle o : {nothing_to_separate, no_check, unreadable, already_checked, too_many_checks,
                                      too_large_numbers, not_available, not_copied, too_large, overlaps}) {
    counts.refused(detail::count_obstacle(plan.candidates, o), "loop", to_text(o));
  }
  return counts.text();
}

/// The verdict in one line, without a line break.
template <value_names Names = numbered_values>
std::string to_text(const versioning_verdict& verdict, const Names& names = {}) {
  if (verdict) {
    return "certified";
  }
  std::string out(to_text(verdict.fault));
  if (verdict.node != no_node) {
    out += "; node " + std::string(names.node(verdict.node));
  }
  for (const value_id v : {verdict.value, verdict.second}) {
    if (v != no_value) {
      out += ", " + std::string(names.value(v));
    }
  }
  return out;
}

/// A line for each loop.
///
///     peel 2 iterations of the loop of head
///     the loop of head is not peeled: no profile or hint gives its trip count
template <value_names Names = numbered_values>
std::string to_text(const loop_forest& loops, const peeling_plan& plan, const Names& names = {}) {
  std::string out;
  for (const peeling_candidate& c : plan.candidates) {
    const std::string loop = "the loop of " + std::string(names.node(loops.header(c.loop)));
    if (c.obstacle == peeling_obstacle::none) {
      out += "peel " + std::to_string(c.peeled) + (c.peeled == 1 ? " iteration of " : " iterations of ") + loop + '\n';
    } else {
      out += loop + " is not peeled: " + std::string(to_text(c.obstacle)) + '\n';
    }
  }
  return out;
}

inline std::string summary_text(const peeling_plan& plan) {
  using enum peeling_obstacle;
  detail::plan_counts counts("no loop is worth peeling");
  counts.done(plan.requests.size(), "peeled loop");
  for (const peeling_obstacle o : {no_profile, never_runs, runs_too_long}) {
    counts.refused(detail::count_obstacle(plan.candidates, o), "loop", to_text(o));
  }
  return counts.text();
}

MIDEND_END_NAMESPACE
