/// Words for splits by a condition: loops that are split, loops that stay, and verdicts about results.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/transform/condition_split_plan.hpp"
#include "midend/transform/verify_condition_split.hpp"
#include "midend/viz/detail/fault_text.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <cstddef>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

template <>
inline constexpr auto words_of<condition_split_obstacle> = word_table<condition_split_obstacle>({
    {condition_split_obstacle::none, "no obstacle"},
    {condition_split_obstacle::contains_loops, "the loop contains other loops"},
    {condition_split_obstacle::several_entries, "the loop has several entering edges or backedges"},
    {condition_split_obstacle::several_exits, "the loop does not have exactly one exit"},
    {condition_split_obstacle::irreducible, "the loop contains an irreducible cycle"},
    {condition_split_obstacle::no_condition, "no branch runs in each iteration and has arms that meet again"},
    {condition_split_obstacle::leaves_arm, "an arm leaves the iteration"},
    {condition_split_obstacle::several_ends, "an arm has several ends"},
    {condition_split_obstacle::entered_elsewhere, "an arm has a phi at its entry, or another entry"},
    {condition_split_obstacle::too_little_work, "the arms have too few operations"},
    {condition_split_obstacle::value_leaves, "a value of an arm is read outside of it"},
    {condition_split_obstacle::too_many_values, "an arm reads more values than the limit"},
    {condition_split_obstacle::fixed_order, "an operation must stay in order"},
    {condition_split_obstacle::dependence, "two accesses meet in iterations that would change order"},
    {condition_split_obstacle::maybe_dependence, "two accesses may meet in iterations that would change order"},
    {condition_split_obstacle::too_many_accesses, "more pairs of accesses than the limit"},
    {condition_split_obstacle::not_stored, "a value that an arm reads cannot be kept in memory"},
    {condition_split_obstacle::fixed_operand, "an operation names a value that would change"},
    {condition_split_obstacle::no_place, "a node accepts no operations, or a value can have no phi"},
    {condition_split_obstacle::fixed_edge, "an edge cannot be redirected"},
    {condition_split_obstacle::overlaps, "a loop directly before or after it is split"},
    {condition_split_obstacle::not_made, "the IR lacks local arrays or numbers of 64 bits"},
});

template <>
inline constexpr auto words_of<condition_split_fault> = word_table<condition_split_fault>({
    {condition_split_fault::none, "no fault"},
    {condition_split_fault::wrong_size, "nodes, edges or values of the old program are missing"},
    {condition_split_fault::wrong_witness, "the witness names what is not there, or one thing twice"},
    {condition_split_fault::no_such_loop, "the old loop does not have the form that is split"},
    {condition_split_fault::no_arm, "what the witness names is no arm of the branch"},
    {condition_split_fault::fixed_order, "an operation must stay in order"},
    {condition_split_fault::changed_flow, "an edge leads elsewhere"},
    {condition_split_fault::missing_operation, "an operation is missing"},
    {condition_split_fault::extra_operation, "an operation is at another place, or a new one is not needed"},
    {condition_split_fault::changed_operation, "an operation computes something else, or promises more than it may"},
    {condition_split_fault::fixed_operand, "an operand is another one that must stay"},
    {condition_split_fault::different_value, "an operand is not the value that it was"},
    {condition_split_fault::wrong_count, "records are not counted from 0 up to the chunk"},
    {condition_split_fault::wrong_record, "a value is not kept in the record of its iteration"},
    {condition_split_fault::wrong_array, "an array is not local, too small, or accessed elsewhere"},
    {condition_split_fault::wrong_carry, "a value goes on as another one"},
    {condition_split_fault::unproven_order, "two accesses have no proof that they stay in order"},
    {condition_split_fault::wrong_proof, "the proof that two accesses stay in order is wrong"},
});

/// A line for each loop that is split, and for each that stays.
///
///     rows is split at test: 2 arms of 5 operations keep 3 values, in chunks of 64
///     loop 0 stays: two accesses meet in iterations that would change order; test, %x, %y
template <value_names Names = numbered_values>
std::string to_text(const condition_split_plan& plan, const Names& names = {}) {
  std::string out;
  for (const condition_split& s : plan.loops) {
    std::size_t values = 0;
    for (std::uint32_t k = 0; k != s.num_arms; ++k) {
      values += s.arms[k].num_values;
    }
    out += std::string(names.node(s.header)) + " is split at " + std::string(names.node(s.node)) + ": " +
           (s.num_arms == 1 ? "1 arm of " : "2 arms of ") + std::to_string(s.operations) +
           (s.operations == 1 ? " operation" : " operations") + (s.num_arms == 1 ? " keeps " : " keep ") +
           std::to_string(values) + (values == 1 ? " value" : " values") + ", in chunks of " +
           std::to_string(plan.chunk) + "\n";
  }
  for (const condition_split_refusal& r : plan.refused) {
    out += "loop " + std::to_string(r.loop) + " stays: " + std::string(to_text(r.why));
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

inline std::string summary_text(const condition_split_plan& plan) {
  detail::plan_counts counts("nothing split");
  counts.done(plan.loops.size(), "split");
  counts.refused(plan.refused, "loop");
  return counts.text();
}

/// The verdict in one line, without a line break.
template <value_names Names = numbered_values>
std::string to_text(const condition_split_verdict& verdict, const Names& names = {}) {
  return detail::verdict_text(verdict, names);
}

MIDEND_END_NAMESPACE
