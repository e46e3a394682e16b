/// Words for splits by a condition: loops that are split, loops that stay, and verdicts about results.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/transform/condition_split_plan.hpp"
#include "midend/transform/verify_condition_split.hpp"
#include "midend/viz/transformation_plans.hpp"
#include "midend/viz/value_names.hpp"

#include <cstddef>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

constexpr std::string_view to_text(condition_split_obstacle o) {
  switch (o) {
    using enum condition_split_obstacle;
  case none:
    return "no obstacle";
  case contains_loops:
    return "the loop contains other loops";
  case several_entries:
    return "the loop has several entering edges or backedges";
  case several_exits:
    return "the loop does not have exactly one exit";
  case irreducible:
    return "the loop contains an irreducible cycle";
  case no_condition:
    return "no branch runs in each iteration and has arms that meet again";
  case leaves_arm:
    return "an arm leaves the iteration";
  case several_ends:
    return "an arm has several ends";
  case entered_elsewhere:
    return "an arm has a phi at its entry, or another entry";
  case too_little_work:
    return "the arms have too few operations";
  case value_leaves:
    return "a value of an arm is read outside of it";
  case too_many_values:
    return "an arm reads more values than the limit";
  case fixed_order:
    return "an operation must stay in order";
  case dependence:
    return "two accesses meet in iterations that would change order";
  case maybe_dependence:
    return "two accesses may meet in iterations that would change order";
  case too_many_accesses:
    return "more pairs of accesses than the limit";
  case not_stored:
    return "a value that an arm reads cannot be kept in memory";
  case fixed_operand:
    return "an operation names a value that would change";
  case no_place:
    return "a node accepts no operations, or a value can have no phi";
  case fixed_edge:
    return "an edge cannot be redirected";
  case overlaps:
    return "a loop directly before or after it is split";
  default:
    return "the IR lacks local arrays or numbers of 64 bits";
  }
}

constexpr std::string_view to_text(condition_split_fault f) {
  switch (f) {
    using enum condition_split_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "nodes, edges or values of the old program are missing";
  case wrong_witness:
    return "the witness names what is not there, or one thing twice";
  case no_such_loop:
    return "the old loop does not have the form that is split";
  case no_arm:
    return "what the witness names is no arm of the branch";
  case fixed_order:
    return "an operation must stay in order";
  case changed_flow:
    return "an edge leads elsewhere";
  case missing_operation:
    return "an operation is missing";
  case extra_operation:
    return "an operation is at another place, or a new one is not needed";
  case changed_operation:
    return "an operation computes something else, or promises more than it may";
  case fixed_operand:
    return "an operand is another one that must stay";
  case different_value:
    return "an operand is not the value that it was";
  case wrong_count:
    return "records are not counted from 0 up to the chunk";
  case wrong_record:
    return "a value is not kept in the record of its iteration";
  case wrong_array:
    return "an array is not local, too small, or accessed elsewhere";
  case wrong_carry:
    return "a value goes on as another one";
  case unproven_order:
    return "two accesses have no proof that they stay in order";
  default:
    return "the proof that two accesses stay in order is wrong";
  }
}

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
  for (unsigned o = 1; o <= static_cast<unsigned>(condition_split_obstacle::not_made); ++o) {
    std::size_t count = 0;
    for (const condition_split_refusal& r : plan.refused) {
      count += static_cast<unsigned>(r.why) == o ? 1u : 0u;
    }
    counts.refused(count, "loop", to_text(static_cast<condition_split_obstacle>(o)));
  }
  return counts.text();
}

/// The verdict in one line, without a line break.
template <value_names Names = numbered_values>
std::string to_text(const condition_split_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified" : detail::verdict_text(verdict, names);
}

MIDEND_END_NAMESPACE
