/// Words for final values: replaced values after loops, values that stay, and loops that may not end.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/transform/replace_final_values.hpp"
#include "midend/transform/verify_loop_ends.hpp"
#include "midend/viz/transformation_plans.hpp"
#include "midend/viz/value_names.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

constexpr std::string_view to_text(final_value_obstacle o) {
  switch (o) {
    using enum final_value_obstacle;
  case none:
    return "it is replaced";
  case several_exits:
    return "the loop has several exits, or iterations do not come to the only one";
  case not_counted:
    return "no counter with known steps is compared with what does not change";
  case no_closed_form:
    return "it has no closed form";
  case not_expressible:
    return "its closed form is too large for a number of iterations that is a formula";
  case changes_inside:
    return "its closed form has values of the loop";
  case inner_loop:
    return "it depends on an inner loop that runs an unknown number of times";
  case not_proven:
    return "it depends on operations that the checker does not follow";
  case no_place:
    return "no node before the loop accepts operations";
  case costs_more:
    return "to compute it costs more than the loop would save";
  default:
    return "the IR has no such operations, or the value is no number";
  }
}

/// A line for each value that is replaced, and for each one that stays.
///
///     replace %sum after the loop of head by 3 operations
///     %last stays: it has no closed form
template <value_names Names = numbered_values>
std::string to_text(const loop_forest& loops, const final_value_plan& plan, const Names& names = {}) {
  std::string out;
  for (const final_value& f : plan.values) {
    const std::uint32_t steps = f.last_step - f.first_step;
    out += "replace " + std::string(names.value(f.value)) + " after the loop of " +
           std::string(names.node(loops.header(f.loop))) + " by " +
           (steps == 0 ? "what is there" : std::to_string(steps) + (steps == 1 ? " operation" : " operations")) + '\n';
  }
  for (const final_value_refusal& r : plan.refused) {
    out += std::string(names.value(r.value)) + " stays: " + std::string(to_text(r.why)) + '\n';
  }
  return out;
}

inline std::string summary_text(const final_value_plan& plan) {
  using enum final_value_obstacle;
  detail::plan_counts counts("nothing replaced");
  counts.done(plan.values.size(), "replaced value");
  std::size_t operations = 0;
  for (const final_value& f : plan.values) {
    operations += f.last_step - f.first_step;
  }
  counts.done(operations, "new operation");
  for (const final_value_obstacle o : {several_exits, not_counted, no_closed_form, not_expressible, changes_inside,
                                       inner_loop, not_proven, no_place, costs_more, not_made}) {
    std::size_t count = 0;
    for (const final_value_refusal& r : plan.refused) {
      count += r.why == o ? 1u : 0u;
    }
    counts.refused(count, "value", to_text(o));
  }
  return counts.text();
}

template <value_names Names = numbered_values>
std::string to_text(const loop_ends_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified" : std::string(names.node(verdict.node)) + ": nothing proves that this loop ends";
}

MIDEND_END_NAMESPACE
