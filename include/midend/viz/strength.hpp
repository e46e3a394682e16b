/// Words for strength reduction: values that become counters, and values that stay.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/transform/strength_plan.hpp"
#include "midend/viz/transformation_plans.hpp"
#include "midend/viz/value_names.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

constexpr std::string_view to_text(strength_obstacle o) {
  switch (o) {
    using enum strength_obstacle;
  case none:
    return "it becomes a counter";
  case changes_inside:
    return "start or step have values of the loop";
  case not_proven:
    return "it depends on operations that the checker does not follow";
  case no_place:
    return "header, or no node before the loop, accept operations";
  case fixed_operand:
    return "an operation names it";
  case costs_more:
    return "the start costs more than the loop would save";
  default:
    return "the IR has no such operations, or the value is no number";
  }
}

/// A line for each value that becomes a counter, and for each one that stays.
///
///     %offset becomes a counter of head
///     %square stays: start or step have values of the loop
template <value_names Names = numbered_values> std::string to_text(const strength_plan& plan, const Names& names = {}) {
  std::string out;
  for (const reduced_value& r : plan.values) {
    out += std::string(names.value(r.value)) + " becomes a counter of " +
           std::string(names.node(plan.counters[r.counter].header)) + '\n';
  }
  for (const strength_refusal& r : plan.refused) {
    out += std::string(names.value(r.value)) + " stays: " + std::string(to_text(r.why)) + '\n';
  }
  return out;
}

inline std::string summary_text(const strength_plan& plan) {
  using enum strength_obstacle;
  detail::plan_counts counts("nothing reduced");
  counts.done(plan.values.size(), "new counter");
  for (const strength_obstacle o : {changes_inside, not_proven, no_place, fixed_operand, costs_more, not_made}) {
    std::size_t count = 0;
    for (const strength_refusal& r : plan.refused) {
      count += r.why == o ? 1u : 0u;
    }
    counts.refused(count, "value", to_text(o));
  }
  return counts.text();
}

MIDEND_END_NAMESPACE
