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
#include "midend/viz/transformation_plans.hpp"
#include "midend/viz/value_names.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

constexpr std::string_view to_text(loop_pair_obstacle o) {
  switch (o) {
    using enum loop_pair_obstacle;
  case none:
    return "no obstacle";
  case several_inner_loops:
    return "the outer loop contains other loops besides the inner one";
  case several_entries:
    return "a loop has several entering edges or backedges";
  case several_exits:
    return "a loop does not have exactly one exit";
  case test_elsewhere:
    return "a loop tests neither in its header nor in its latch";
  case different_forms:
    return "one loop tests before its body, the other after it";
  case guarded:
    return "there is a branch between the loops";
  case irreducible:
    return "the inner loop contains an irreducible cycle";
  case not_counted:
    return "a test is not computed from one counter alone";
  case bounds_change:
    return "start, step or bound of the inner counter depends on the outer counter";
  case computed_inside:
    return "start, step or bound of the inner counter is computed in the outer loop";
  case reads_inner:
    return "a value of the inner loop is read between the loops";
  case condition_read:
    return "the condition of a test has other readers";
  case may_not_end:
    return "a counter that may never reach its bound would run where it did not";
  case not_perfect:
    return "an operation between the loops may not run more or less often";
  case fixed_order:
    return "an operation must stay in order";
  case carried_value:
    return "an iteration reads a value of an earlier one";
  case ordered_reduction:
    return "the result depends on the order of its operations";
  case used_after:
    return "a value is read after the loops";
  case dependence:
    return "two accesses meet in iterations that would change order";
  case maybe_dependence:
    return "two accesses may meet in iterations that would change order";
  case too_many_accesses:
    return "more pairs of accesses than the limit";
  case fixed_operand:
    return "an operation names a counter";
  case no_place:
    return "a node accepts no operations, or a value can have no phi";
  case overlaps:
    return "another pair of the nest is planned";
  case not_rotated:
    return "the loops test before their bodies";
  case unknown_count:
    return "the number of iterations is not known";
  case product_may_wrap:
    return "the product of the numbers of iterations does not fit";
  default:
    return "the IR lacks a select for a value or the numbers of the counter";
  }
}

constexpr std::string_view to_text(interchange_fault f) {
  switch (f) {
    using enum interchange_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "the programs have different nodes";
  case changed_flow:
    return "an edge was changed";
  case no_nest:
    return "the loops are not a perfect nest of two counted loops";
  case wrong_counter:
    return "a counter does not count like the old one of the other loop";
  case bounds_change:
    return "start, step or bound of a counter depends on more than the counter";
  case missing_operation:
    return "an operation is missing";
  case extra_operation:
    return "an operation is at another place, or a new one is not a copy";
  case changed_operation:
    return "an operation computes something else, or promises more than it may";
  case fixed_operand:
    return "an operand is another one that must stay";
  case different_value:
    return "an operand is not proven to be equal";
  case moved_effect:
    return "an effect or a trap runs more or less often";
  case fixed_order:
    return "an operation must stay in order";
  case carried_value:
    return "an iteration reads a value of an earlier one";
  case used_after:
    return "after the loops, a value is read that depends on the order";
  case may_not_end:
    return "a counter is not proven to end";
  case unproven_order:
    return "two accesses have no proof that they stay in order";
  default:
    return "the proof that two accesses stay in order is wrong";
  }
}

constexpr std::string_view to_text(collapse_fault f) {
  switch (f) {
    using enum collapse_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "the programs have different nodes";
  case changed_flow:
    return "an edge was changed";
  case no_nest:
    return "the loops are not a perfect nest that tests after the bodies";
  case unknown_count:
    return "a trip count is not exact, or the product does not fit";
  case wrong_counter:
    return "the counter does not end after the product of both numbers of iterations";
  case not_linear:
    return "the counter is not equal to the value that it replaces";
  case wrong_carry:
    return "a phi has the wrong value in the next iteration";
  case missing_operation:
    return "an operation is missing";
  case extra_operation:
    return "an operation is at another place, or a new one does more than compute";
  case changed_operation:
    return "an operation computes something else, or promises more than it may";
  case fixed_operand:
    return "an operand is another one that must stay";
  case different_value:
    return "an operand is not proven to be equal";
  default:
    return "an effect or a trap runs in more iterations";
  }
}

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

inline void count_pairs(plan_counts& counts, const flat_array<loop_pair_refusal>& refused) {
  for (unsigned o = 1; o <= static_cast<unsigned>(loop_pair_obstacle::not_made); ++o) {
    std::size_t count = 0;
    for (const loop_pair_refusal& r : refused) {
      count += static_cast<unsigned>(r.why) == o ? 1u : 0u;
    }
    counts.refused(count, "loop pair", to_text(static_cast<loop_pair_obstacle>(o)));
  }
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
  detail::count_pairs(counts, plan.refused);
  return counts.text();
}

inline std::string summary_text(const collapse_plan& plan) {
  detail::plan_counts counts("nothing collapsed");
  counts.done(plan.nests.size(), "collapse");
  detail::count_pairs(counts, plan.refused);
  return counts.text();
}

/// The verdict in one line, without a line break.
template <value_names Names = numbered_values>
std::string to_text(const interchange_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified" : detail::verdict_text(verdict, names);
}

template <value_names Names = numbered_values>
std::string to_text(const collapse_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified" : detail::verdict_text(verdict, names);
}

MIDEND_END_NAMESPACE
