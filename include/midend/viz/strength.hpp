/// Words for strength reduction: values that become counters, values that stay, and verdicts about results.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/transform/strength_plan.hpp"
#include "midend/transform/verify_strength.hpp"
#include "midend/viz/certificates.hpp"
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

template <>
inline constexpr auto words_of<strength_fault> = word_table<strength_fault>({
    {strength_fault::none, "no fault"},
    {strength_fault::wrong_size, "the programs have other nodes"},
    {strength_fault::changed_flow, "an edge was changed"},
    {strength_fault::missing_operation, "an operation is missing"},
    {strength_fault::extra_operation, "an operation is elsewhere, or a new one does more than compute"},
    {strength_fault::changed_operation, "an operation computes something else, or promises more"},
    {strength_fault::fixed_operand, "an operand is another one that must stay"},
    {strength_fault::different_value, "nothing proves that what is read is the same"},
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

/// The verdict in one line, without a line break.
///
///     block 4: nothing proves that what is read is the same; v9
template <value_names Names = numbered_values>
std::string to_text(const strength_verdict& verdict, const Names& names = {}) {
  return detail::verdict_text(verdict, names);
}

MIDEND_END_NAMESPACE
