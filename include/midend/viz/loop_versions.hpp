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
#include "midend/viz/detail/fault_text.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

template <>
inline constexpr auto words_of<loop_copy_obstacle> = word_table<loop_copy_obstacle>({
    {loop_copy_obstacle::none, "the loop can be copied"},
    {loop_copy_obstacle::may_not_duplicate, "an operation of the loop may not be copied"},
    {loop_copy_obstacle::takes_no_phi, "no phi can join copies of a value of the loop"},
    {loop_copy_obstacle::edge_stays, "an edge of the loop cannot be redirected"},
    {loop_copy_obstacle::no_guard, "there is no place for a branch before the loop"},
});

template <>
inline constexpr auto words_of<unswitch_obstacle> = word_table<unswitch_obstacle>({
    {unswitch_obstacle::none, "it is decided before the loop"},
    {unswitch_obstacle::not_a_branch, "its terminator does more than choose an edge"},
    {unswitch_obstacle::decided, "a branch before the loop has decided it"},
    {unswitch_obstacle::same_condition, "another branch on the condition has different cases"},
    {unswitch_obstacle::may_be_undefined, "the condition may be undefined where the loop does not read it"},
    {unswitch_obstacle::not_copied, "the loop cannot be copied"},
    {unswitch_obstacle::too_large, "more would be cloned than the limit"},
    {unswitch_obstacle::overlaps, "an outer or inner loop is copied for other branches"},
});

template <>
inline constexpr auto words_of<index_split_obstacle> = word_table<index_split_obstacle>({
    {index_split_obstacle::none, "the loop is split there"},
    {index_split_obstacle::not_a_branch, "its node does more at its end than to choose one of two edges"},
    {index_split_obstacle::not_a_counter, "what it compares is no counter"},
    {index_split_obstacle::may_wrap, "the counter may wrap"},
    {index_split_obstacle::never_changes, "the first value is beyond the bound"},
    {index_split_obstacle::not_computed, "the comparison cannot be computed before an iteration"},
    {index_split_obstacle::may_be_undefined, "the comparison may be undefined where the loop does not read it"},
    {index_split_obstacle::not_copied, "the loop cannot be copied"},
    {index_split_obstacle::too_large, "more would be cloned than the limit"},
    {index_split_obstacle::overlaps, "the loop, or an outer or inner one, is split elsewhere"},
});

template <>
inline constexpr auto words_of<versioning_obstacle> = word_table<versioning_obstacle>({
    {versioning_obstacle::none, "comparisons choose a copy"},
    {versioning_obstacle::nothing_to_separate, "no store may meet an access with another base"},
    {versioning_obstacle::no_check, "no comparison shows that accesses are apart"},
    {versioning_obstacle::unreadable, "the nest cannot be read"},
    {versioning_obstacle::already_checked, "it was compared already"},
    {versioning_obstacle::too_many_checks, "more comparisons than the limit"},
    {versioning_obstacle::too_large_numbers, "the ends of intervals may not fit in 64 bits"},
    {versioning_obstacle::not_available, "a base or a number is not known before the loop"},
    {versioning_obstacle::not_copied, "the loop cannot be copied"},
    {versioning_obstacle::too_large, "more would be cloned than the limit"},
    {versioning_obstacle::overlaps, "an outer or inner loop is copied"},
});

template <>
inline constexpr auto words_of<versioning_fault> = word_table<versioning_fault>({
    {versioning_fault::none, "no fault"},
    {versioning_fault::wrong_size, "the witness names what the program does not have"},
    {versioning_fault::no_gate, "the copy is entered on another path than from its comparisons"},
    {versioning_fault::unknown_class, "an access has a local class without a reason"},
    {versioning_fault::changed_class, "an access has another class than before"},
    {versioning_fault::wrong_class, "an access does not have the class of its interval"},
    {versioning_fault::wrong_address, "the end of an interval is not a base and a form, or may wrap"},
    {versioning_fault::not_covered, "an access may touch a byte outside of its interval"},
    {versioning_fault::not_apart, "no comparison keeps two accesses apart"},
});

template <>
inline constexpr auto words_of<peeling_obstacle> = word_table<peeling_obstacle>({
    {peeling_obstacle::none, "it is peeled"},
    {peeling_obstacle::no_profile, "no profile or hint gives its trip count"},
    {peeling_obstacle::never_runs, "its count is 0"},
    {peeling_obstacle::runs_too_long, "it would still be entered after the iterations that may be peeled"},
});

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
  detail::plan_counts counts("no loop unswitched");
  counts.done(plan.loops.size(), "unswitched loop");
  counts.refused(plan.candidates, "branch");
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
  detail::plan_counts counts("no loop split");
  counts.done(plan.splits.size(), "split loop");
  counts.refused(plan.candidates, "branch");
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
  detail::plan_counts counts("no loop compared");
  std::uint32_t checks = 0;
  for (const versioning_candidate& c : plan.candidates) {
    checks += c.obstacle == versioning_obstacle::none ? c.checks : 0;
  }
  counts.done(plan.loops.size(), "compared loop");
  counts.done(checks, "comparison");
  counts.refused(plan.candidates, "loop");
  return counts.text();
}

/// The verdict in one line, without a line break.
template <value_names Names = numbered_values>
std::string to_text(const versioning_verdict& verdict, const Names& names = {}) {
  return verdict ? std::string("certified")
                 : detail::fault_text(to_text(verdict.fault), names, verdict.node, {verdict.value, verdict.second});
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
  detail::plan_counts counts("no loop is worth peeling");
  counts.done(plan.requests.size(), "peeled loop");
  counts.refused(plan.candidates, "loop");
  return counts.text();
}

MIDEND_END_NAMESPACE
