/// Words for interchange and collapse: loops that change, loops that stay, and verdicts about results.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/collapse_plan.hpp"
#include "midend/transform/interchange_plan.hpp"
#include "midend/transform/loop_pair_obstacle.hpp"
#include "midend/transform/verify_collapse.hpp"
#include "midend/transform/verify_interchange.hpp"
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
inline constexpr auto words_of<loop_pair_obstacle> = word_table<loop_pair_obstacle>({
    {loop_pair_obstacle::none, "no obstacle"},
    {loop_pair_obstacle::several_inner_loops, "the outer loop contains other loops besides the inner one"},
    {loop_pair_obstacle::several_entries, "a loop has several entering edges or backedges"},
    {loop_pair_obstacle::several_exits, "a loop does not have exactly one exit"},
    {loop_pair_obstacle::test_elsewhere, "a loop tests neither in its header nor in its latch"},
    {loop_pair_obstacle::different_forms, "one loop tests before its body, the other after it"},
    {loop_pair_obstacle::guarded, "there is a branch between the loops"},
    {loop_pair_obstacle::irreducible, "the inner loop contains an irreducible cycle"},
    {loop_pair_obstacle::not_counted, "a test is not computed from one counter alone"},
    {loop_pair_obstacle::bounds_change, "start, step or bound of the inner counter depends on the outer counter"},
    {loop_pair_obstacle::computed_inside, "start, step or bound of the inner counter is computed in the outer loop"},
    {loop_pair_obstacle::reads_inner, "a value of the inner loop is read between the loops"},
    {loop_pair_obstacle::condition_read, "the condition of a test has other readers"},
    {loop_pair_obstacle::may_not_end, "a counter that may never reach its bound would run where it did not"},
    {loop_pair_obstacle::not_perfect, "an operation between the loops may not run more or less often"},
    {loop_pair_obstacle::fixed_order, "an operation must stay in order"},
    {loop_pair_obstacle::carried_value, "an iteration reads a value of an earlier one"},
    {loop_pair_obstacle::ordered_reduction, "the result depends on the order of its operations"},
    {loop_pair_obstacle::used_after, "a value is read after the loops"},
    {loop_pair_obstacle::dependence, "two accesses meet in iterations that would change order"},
    {loop_pair_obstacle::maybe_dependence, "two accesses may meet in iterations that would change order"},
    {loop_pair_obstacle::too_many_accesses, "more pairs of accesses than the limit"},
    {loop_pair_obstacle::fixed_operand, "an operation names a counter"},
    {loop_pair_obstacle::no_place, "a node accepts no operations, or a value can have no phi"},
    {loop_pair_obstacle::overlaps, "another pair of the nest is planned"},
    {loop_pair_obstacle::not_rotated, "the loops test before their bodies"},
    {loop_pair_obstacle::unknown_count, "the number of iterations is not known"},
    {loop_pair_obstacle::product_may_wrap, "the product of the numbers of iterations does not fit"},
    {loop_pair_obstacle::not_made, "the IR lacks a select for a value or the numbers of the counter"},
});

template <>
inline constexpr auto words_of<interchange_fault> = word_table<interchange_fault>({
    {interchange_fault::none, "no fault"},
    {interchange_fault::wrong_size, "the programs have different nodes"},
    {interchange_fault::changed_flow, "an edge was changed"},
    {interchange_fault::no_nest, "the loops are not a perfect nest of two counted loops"},
    {interchange_fault::wrong_counter, "a counter does not count like the old one of the other loop"},
    {interchange_fault::bounds_change, "start, step or bound of a counter depends on more than the counter"},
    {interchange_fault::missing_operation, "an operation is missing"},
    {interchange_fault::extra_operation, "an operation is at another place, or a new one is not a copy"},
    {interchange_fault::changed_operation, "an operation computes something else, or promises more than it may"},
    {interchange_fault::fixed_operand, "an operand is another one that must stay"},
    {interchange_fault::different_value, "an operand is not proven to be equal"},
    {interchange_fault::moved_effect, "an effect or a trap runs more or less often"},
    {interchange_fault::fixed_order, "an operation must stay in order"},
    {interchange_fault::carried_value, "an iteration reads a value of an earlier one"},
    {interchange_fault::used_after, "after the loops, a value is read that depends on the order"},
    {interchange_fault::may_not_end, "a counter is not proven to end"},
    {interchange_fault::unproven_order, "two accesses have no proof that they stay in order"},
    {interchange_fault::wrong_proof, "the proof that two accesses stay in order is wrong"},
});

template <>
inline constexpr auto words_of<collapse_fault> = word_table<collapse_fault>({
    {collapse_fault::none, "no fault"},
    {collapse_fault::wrong_size, "the programs have different nodes"},
    {collapse_fault::changed_flow, "an edge was changed"},
    {collapse_fault::no_nest, "the loops are not a perfect nest that tests after the bodies"},
    {collapse_fault::unknown_count, "a trip count is not exact, or the product does not fit"},
    {collapse_fault::wrong_counter, "the counter does not end after the product of both numbers of iterations"},
    {collapse_fault::not_linear, "the counter is not equal to the value that it replaces"},
    {collapse_fault::wrong_carry, "a phi has the wrong value in the next iteration"},
    {collapse_fault::missing_operation, "an operation is missing"},
    {collapse_fault::extra_operation, "an operation is at another place, or a new one does more than compute"},
    {collapse_fault::changed_operation, "an operation computes something else, or promises more than it may"},
    {collapse_fault::fixed_operand, "an operand is another one that must stay"},
    {collapse_fault::different_value, "an operand is not proven to be equal"},
    {collapse_fault::moved_effect, "an effect or a trap runs in more iterations"},
});

namespace detail {

/// A line for each pair that stays. `names` are those of the program before.
///
///     loops stay: two accesses meet in iterations that would change order; %x, %y
template <class Names> std::string refused_pairs(const flat_array<loop_pair_refusal>& refused, const Names& names) {
  std::string out;
  for (const loop_pair_refusal& r : refused) {
    out += "loops stay: " + std::string(to_text(r.why));
    if (r.node != no_node) {
      out += "; " + std::string(names.node(r.node));
    }
    for (const value_id v : {r.value, r.second}) {
      if (v != no_value) {
        out += ", " + std::string(names.value(v));
      }
    }
    out += '\n';
  }
  return out;
}

} // namespace detail

/// A line for each two loops that change places, and for each two that do not.
///
///     the counters of rows and columns change places
///     loops stay: two accesses meet in iterations that would change order; columns, %x, %y
template <value_names Names = numbered_values>
std::string to_text(const interchange_plan& plan, const Names& names = {}) {
  std::string out;
  for (const loop_interchange& r : plan.nests) {
    out += "the counters of " + std::string(names.node(r.outer.header)) + " and " +
           std::string(names.node(r.inner.header)) + " change places\n";
  }
  return out + detail::refused_pairs(plan.refused, names);
}

/// A line for each pair of loops that merges, and for each that does not.
///
///     columns becomes one loop with rows, of 12 iterations
template <value_names Names = numbered_values> std::string to_text(const collapse_plan& plan, const Names& names = {}) {
  std::string out;
  for (const loop_collapse& r : plan.nests) {
    out += std::string(names.node(r.inner.header)) + " becomes one loop with " +
           std::string(names.node(r.outer.header)) + ", of " + std::to_string(r.outer_trips * r.inner_trips) +
           " iterations\n";
  }
  return out + detail::refused_pairs(plan.refused, names);
}

inline std::string summary_text(const interchange_plan& plan) {
  detail::plan_counts counts("nothing interchanged");
  counts.done(plan.nests.size(), "interchange");
  counts.refused(plan.refused, "loop pair");
  return counts.text();
}

inline std::string summary_text(const collapse_plan& plan) {
  detail::plan_counts counts("nothing collapsed");
  counts.done(plan.nests.size(), "collapse");
  counts.refused(plan.refused, "loop pair");
  return counts.text();
}

/// The verdict in one line, without a line break.
template <value_names Names = numbered_values>
std::string to_text(const interchange_verdict& verdict, const Names& names = {}) {
  return detail::verdict_text(verdict, names);
}

template <value_names Names = numbered_values>
std::string to_text(const collapse_verdict& verdict, const Names& names = {}) {
  return detail::verdict_text(verdict, names);
}

MIDEND_END_NAMESPACE
