/// What bounds a loop body, and what unrolling saved, in words.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/viz/unrolling_words.hpp"
#include "midend/viz/value_names.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// Names its channels and resources, as `machine_model` does. Of other machines numbers are printed.
template <class M>
concept machine_with_names = requires(const M& m) {
  { m.channel_names[0].text() } -> std::convertible_to<std::span<const char>>;
  { m.resources[0].name.text() } -> std::convertible_to<std::span<const char>>;
};

/// A number or more that follow each other: `0-2, 4`. Requires ascending numbers.
inline std::string ranges_text(std::span<const std::uint32_t> numbers) {
  std::string text;
  for (std::size_t first = 0; first != numbers.size();) {
    std::size_t last = first;
    while (last + 1 != numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[first]);
    text += last == first ? std::string() : (last == first + 1 ? ", " : "-") + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

/// What a machine calls a resource.
template <class M> std::string resource_text(const M& m, std::uint32_t resource) {
  if constexpr (machine_with_names<M>) {
    const std::span<const char> name = m.resources[resource].name.text();
    return {name.begin(), name.end()};
  } else {
    return "resource " + std::to_string(resource);
  }
}

/// What a machine calls a set of channels: `channels 0-5`.
template <class M> std::string channels_text(const M& m, channel_set set) {
  std::vector<std::uint32_t> numbers;
  bool are_numbers = true;
  std::string names;
  for (std::uint32_t c = 0; c != m.num_channels(); ++c) {
    if ((set >> c & 1) == 0) {
      continue;
    }
    std::string name = std::to_string(c);
    if constexpr (machine_with_names<M>) {
      const std::span<const char> given = m.channel_names[c].text();
      are_numbers = are_numbers && std::string_view(given.data(), given.size()) == name;
      name.assign(given.begin(), given.end());
    }
    numbers.push_back(c);
    names += (names.empty() ? "" : ", ") + name;
  }
  return (numbers.size() == 1 ? "channel " : "channels ") + (are_numbers ? ranges_text(numbers) : names);
}

namespace detail {

/// `1 cycle`, `2 cycles`.
inline std::string counted_text(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

/// Whether what only goes to these channels occupies them for more than a cycle.
template <class M> bool occupies_longer(const M& m, const resource_bound_result& bound, const operation_mix& mix) {
  for (const operation_class c : all_operation_classes()) {
    const bool counts = mix[c] != 0 && m.channels(c) != 0 && (m.channels(c) & ~bound.channels) == 0;
    if (counts && m.occupancy(c) > 1) {
      return true;
    }
  }
  return false;
}

} // namespace detail

/// Which resource takes so long: `channels 0-5: 8 operations / 6`.
template <class M>
std::string resource_limit_text(const M& m, const resource_bound_result& bound, const operation_mix& mix) {
  const auto demand = [&](std::uint64_t capacity) {
    return bound.limit_exact.numerator() * capacity / bound.limit_exact.denominator();
  };
  switch (bound.limit) {
  case resource_limit::none:
    return "no operations";
  case resource_limit::channels: {
    const auto count = static_cast<std::uint64_t>(std::popcount(bound.channels));
    const bool longer = detail::occupies_longer(m, bound, mix);
    return channels_text(m, bound.channels) + ": " +
           detail::counted_text(demand(count), longer ? "busy cycle" : "operation") + " / " + std::to_string(count);
  }
  case resource_limit::scalar_resource: {
    const std::uint64_t capacity = m.capacity(bound.resource);
    return resource_text(m, bound.resource) + ": " + std::to_string(demand(capacity)) + " / " +
           std::to_string(capacity);
  }
  case resource_limit::occupancy:
    return std::string(name_of(bound.first)) + " keeps its channel for " + detail::counted_text(bound.cycles, "cycle");
  default:
    return bound.first == bound.second
               ? "one " + std::string(name_of(bound.first)) + " a cycle"
               : std::string(name_of(bound.first)) + " and " + name_of(bound.second) + " in different cycles";
  }
}

/// A step of a recurrence.
struct recurrence_step {
  std::string name;     ///< of what is computed, or the class of the operation
  std::uint32_t copy;   ///< in which copy of the body
  dependence by;        ///< from here to the next step
  operation_class kind; ///< of the operation
};

/// The recurrence that bounds a body, from its first operation on.
template <value_names Names>
std::vector<recurrence_step> recurrence_steps(const unrolling_advice& advice, const machine_body& body,
                                              const Names& names) {
  std::vector<recurrence_step> steps;
  for (const std::uint32_t number : body.recurrence.cycle) {
    const dependence& d = body.graph.dependences()[number];
    const machine_operation_origin& origin = body.origins[d.producer];
    const operation_class kind = body.graph.operation(d.producer).kind;
    const value_id v = origin.value == no_body_value ? no_value : advice.body.values[origin.value].origin;
    std::string name = v == no_value ? std::string() : std::string(names.value(v));
    steps.push_back({name.empty() ? name_of(kind) : name, origin.copy, d, kind});
  }
  const auto first = std::min_element(steps.begin(), steps.end(),
                                      [](const auto& a, const auto& b) { return a.by.producer < b.by.producer; });
  std::rotate(steps.begin(), first, steps.end());
  return steps;
}

/// `%s1 -> %s2 -> %s3`, with the copy in brackets if there are several; the middle of a long one is left out. If the
/// way back to the first is not by its value, it is shown.
inline std::string recurrence_text(std::span<const recurrence_step> steps, bool has_copies) {
  constexpr std::size_t most = 10;
  constexpr std::size_t at_end = 3;
  const auto name = [&](const recurrence_step& s) {
    return s.name + (has_copies ? "[" + std::to_string(s.copy) + "]" : std::string());
  };
  const auto arrow = [](dependence_kind kind) {
    return kind == dependence_kind::value ? " -> " : " -" + std::string(name_of(kind)) + "-> ";
  };
  std::string text;
  for (std::size_t i = 0; i != steps.size(); ++i) {
    if (steps.size() > most && i == most - at_end) {
      const std::size_t left_out = steps.size() - most;
      text += "(" + std::to_string(left_out) + " more) -> ";
      i += left_out;
    }
    const bool is_last = i + 1 == steps.size();
    text += name(steps[i]) + (is_last ? std::string() : arrow(steps[i].by.kind));
  }
  const bool shows_way_back = !steps.empty() && steps.back().by.kind != dependence_kind::value;
  return shows_way_back ? text + arrow(steps.back().by.kind) + name(steps.front()) : text;
}

/// Why a body takes the cycles that it takes: a resource, a recurrence or a chain.
template <class M, value_names Names>
std::string limit_text(const unrolling_advice& advice, const body_cost& cost, const machine_body& body, const M& m,
                       const Names& names, bool has_copies) {
  const std::string how = cost.is_pipelined() ? std::string() : std::string(to_text(cost.obstacle)) + ": ";
  switch (cost.limit()) {
  case body_limit::nothing:
    return how + "one cycle at least";
  case body_limit::resources:
    return how + resource_limit_text(m, cost.resources, cost.mix);
  case body_limit::critical_path:
    return how + "a chain of " + detail::counted_text(cost.critical_path, "cycle");
  default:
    break;
  }
  if (cost.recurrence != recurrence_status::bound) {
    return how + "one cycle at least";
  }
  const std::vector<recurrence_step> steps = recurrence_steps(advice, body, names);
  std::uint64_t latency = 0;
  std::uint64_t distance = 0;
  for (const recurrence_step& s : steps) {
    latency += s.by.latency;
    distance += s.by.distance;
  }
  return how + "recurrence of " + detail::counted_text(latency, "cycle") +
         (distance > 1 ? " over " + std::to_string(distance) + " passes" : std::string()) + ": " +
         recurrence_text(steps, has_copies);
}

MIDEND_END_NAMESPACE
