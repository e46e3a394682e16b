/// Words for strength reduction: values that become counters, and values that stay.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/transform/strength_plan.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

template <>
inline constexpr auto words_of<strength_obstacle> = word_table<strength_obstacle>({
    {strength_obstacle::none, "it becomes a counter"},
    {strength_obstacle::changes_inside, "start or step have values of the loop"},
    {strength_obstacle::not_proven, "it depends on operations that the checker does not follow"},
    {strength_obstacle::no_place, "header, or no node before the loop, accept operations"},
    {strength_obstacle::fixed_operand, "an operation names it"},
    {strength_obstacle::costs_more, "the start costs more than the loop would save"},
    {strength_obstacle::not_made, "the IR has no such operations, or the value is no number"},
});

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
  detail::plan_counts counts("nothing reduced");
  counts.done(plan.values.size(), "new counter");
  counts.refused(plan.refused, "value");
  return counts.text();
}

MIDEND_END_NAMESPACE
