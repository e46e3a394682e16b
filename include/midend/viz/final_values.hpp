/// Words for final values: replaced values after loops, values that stay, and loops that may not end.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/transform/replace_final_values.hpp"
#include "midend/transform/verify_loop_ends.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

template <>
inline constexpr auto words_of<final_value_obstacle> = word_table<final_value_obstacle>({
    {final_value_obstacle::none, "it is replaced"},
    {final_value_obstacle::several_exits, "the loop has several exits, or iterations do not come to the only one"},
    {final_value_obstacle::not_counted, "no counter with known steps is compared with what does not change"},
    {final_value_obstacle::no_closed_form, "it has no closed form"},
    {final_value_obstacle::not_expressible,
     "its closed form is too large for a number of iterations that is a formula"},
    {final_value_obstacle::changes_inside, "its closed form has values of the loop"},
    {final_value_obstacle::inner_loop, "it depends on an inner loop that runs an unknown number of times"},
    {final_value_obstacle::not_proven, "it depends on operations that the checker does not follow"},
    {final_value_obstacle::no_place, "no node before the loop accepts operations"},
    {final_value_obstacle::costs_more, "to compute it costs more than the loop would save"},
    {final_value_obstacle::not_made, "the IR has no such operations, or the value is no number"},
});

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
  detail::plan_counts counts("nothing replaced");
  counts.done(plan.values.size(), "replaced value");
  std::size_t operations = 0;
  for (const final_value& f : plan.values) {
    operations += f.last_step - f.first_step;
  }
  counts.done(operations, "new operation");
  counts.refused(plan.refused, "value");
  return counts.text();
}

template <value_names Names = numbered_values>
std::string to_text(const loop_ends_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified" : std::string(names.node(verdict.node)) + ": nothing proves that this loop ends";
}

MIDEND_END_NAMESPACE
