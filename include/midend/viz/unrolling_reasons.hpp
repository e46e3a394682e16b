/// The limits of a loop body in words: resources, recurrences, chains.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/support/span.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_savings.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/unrolling_words.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// A machine that names its channels and resources, as `machine_model` does. Those of other machines are numbered.
template <class M>
concept machine_with_names = requires(const M& m) {
  { m.channel_names[0].text() } -> std::convertible_to<span<const char>>;
  { m.resources[0].name.text() } -> std::convertible_to<span<const char>>;
};

namespace detail {

/// The parts of a machine that reports name. Hides its type, so that reports are compiled once.
class machine_words {
public:
  virtual std::size_t num_channels() const = 0;
  virtual std::string channel(std::size_t c) const = 0;
  virtual std::string resource(std::size_t r) const = 0;
  virtual std::uint64_t capacity(std::size_t r) const = 0;
  virtual channel_set channels(operation_class c) const = 0;
  virtual std::uint32_t occupancy(operation_class c) const = 0;

protected:
  ~machine_words() = default;
};

template <class M> class machine_words_of final : public machine_words {
public:
  explicit machine_words_of(const M& m) : m_(m) {}

  std::size_t num_channels() const override { return m_.num_channels(); }

  std::string channel(std::size_t c) const override {
    if constexpr (machine_with_names<M>) {
      const span<const char> name = m_.channel_names[c].text();
      return {name.begin(), name.end()};
    } else {
      return number_text(c);
    }
  }

  std::string resource(std::size_t r) const override {
    if constexpr (machine_with_names<M>) {
      const span<const char> name = m_.resources[r].name.text();
      return {name.begin(), name.end()};
    } else {
      return joined({"resource ", number_text(r)});
    }
  }

  std::uint64_t capacity(std::size_t r) const override { return m_.capacity(r); }

  channel_set channels(operation_class c) const override { return m_.channels(c); }

  std::uint32_t occupancy(operation_class c) const override { return m_.occupancy(c); }

private:
  const M& m_;
};

} // namespace detail

namespace detail {

MIDEND_COLD MIDEND_FUNCTION std::string channel_words(const machine_words& m, channel_set set);

/// Whether some operation that can only go to the channels of the bound occupies its channel for more than a cycle.
MIDEND_COLD MIDEND_FUNCTION bool occupies_longer(const machine_words& m, const resource_bound_result& bound,
                                                 const operation_mix& mix);

MIDEND_COLD MIDEND_FUNCTION std::string resource_limit_words(const machine_words& m, const resource_bound_result& bound,
                                                             const operation_mix& mix);

} // namespace detail

/// The name of a resource of a machine.
template <class M> std::string resource_text(const M& m, std::uint32_t resource) {
  return detail::machine_words_of<M>(m).resource(resource);
}

/// The names of a set of channels: `channels 0-5`.
template <class M> std::string channels_text(const M& m, channel_set set) {
  return detail::channel_words(detail::machine_words_of<M>(m), set);
}

/// The resource that attains the bound: `channels 0-5: 8 operations / 6`.
template <class M>
std::string resource_limit_text(const M& m, const resource_bound_result& bound, const operation_mix& mix) {
  return detail::resource_limit_words(detail::machine_words_of<M>(m), bound, mix);
}

/// A step of a recurrence.
struct recurrence_step {
  std::string name;        ///< of the value, or else the class of the operation
  std::uint32_t copy;      ///< the copy of the body that it belongs to
  operation_dependence by; ///< from here to the next step
  operation_class kind;    ///< of the operation
};

namespace detail {

MIDEND_COLD MIDEND_FUNCTION std::vector<recurrence_step> list_recurrence_steps(const machine_body& body,
                                                                               const function_words& names);

} // namespace detail

/// The recurrence that bounds a body, from its first operation on.
template <class Names> std::vector<recurrence_step> recurrence_steps(const machine_body& body, const Names& names) {
  static_assert(value_names_argument<Names>);
  return detail::list_recurrence_steps(body, detail::function_words_of<Names>(names));
}

/// The steps as a table: value, copy, class, latency, distance, dependence.
MIDEND_COLD MIDEND_FUNCTION report_table recurrence_table(span<const recurrence_step> steps);

/// `%s1 -> %s2 -> %s3`, with the copy in brackets if there are several. The middle of a long recurrence is left out.
/// The dependence back to the first step is shown unless it is one of value.
MIDEND_COLD MIDEND_FUNCTION std::string recurrence_text(span<const recurrence_step> steps, bool has_copies);

namespace detail {

MIDEND_COLD MIDEND_FUNCTION std::string limit_words(const body_cost& cost, const machine_body& body,
                                                    const machine_words& m, const function_words& names,
                                                    bool has_copies);

} // namespace detail

/// The limit of the time of a body: a resource, a recurrence or a chain.
template <class M, class Names>
std::string limit_text(const body_cost& cost, const machine_body& body, const M& m, const Names& names,
                       bool has_copies) {
  static_assert(value_names_argument<Names>);
  return detail::limit_words(cost, body, detail::machine_words_of<M>(m), detail::function_words_of<Names>(names),
                             has_copies);
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include <algorithm>
#include <bit>

MIDEND_BEGIN_NAMESPACE

namespace detail {

std::string channel_words(const machine_words& m, channel_set set) {
  std::vector<std::uint32_t> numbers;
  bool are_numbers = true;
  std::string names;
  for (std::uint32_t c = 0; c != m.num_channels(); ++c) {
    if ((set >> c & 1) != 0) {
      const std::string name = m.channel(c);
      are_numbers = are_numbers && name == number_text(c);
      numbers.push_back(c);
      names += joined({names.empty() ? "" : ", ", name});
    }
  }
  return joined({numbers.size() == 1 ? "channel " : "channels ", are_numbers ? ranges_text(numbers) : names});
}

bool occupies_longer(const machine_words& m, const resource_bound_result& bound, const operation_mix& mix) {
  for (const operation_class c : all_operation_classes()) {
    const bool counts = mix[c] != 0 && m.channels(c) != 0 && (m.channels(c) & ~bound.channels) == 0;
    if (counts && m.occupancy(c) > 1) {
      return true;
    }
  }
  return false;
}

std::string resource_limit_words(const machine_words& m, const resource_bound_result& bound, const operation_mix& mix) {
  const auto demand = [&](std::uint64_t capacity) {
    return bound.limit_exact.numerator() * capacity / bound.limit_exact.denominator();
  };
  switch (bound.limit) {
  case resource_limit::none:
    return "no operations";
  case resource_limit::channels: {
    const auto count = static_cast<std::uint64_t>(std::popcount(bound.channels));
    const std::string_view what = occupies_longer(m, bound, mix) ? "busy cycle" : "operation";
    return joined(
        {channel_words(m, bound.channels), ": ", counted_text(demand(count), what), " / ", number_text(count)});
  }
  case resource_limit::scalar_resource: {
    const std::uint64_t capacity = m.capacity(bound.resource);
    return joined({m.resource(bound.resource), ": ", number_text(demand(capacity)), " / ", number_text(capacity)});
  }
  case resource_limit::occupancy:
    return joined({name_of(bound.first), " keeps its channel for ", counted_text(bound.cycles, "cycle")});
  default:
    return bound.first == bound.second
               ? joined({"one ", name_of(bound.first), " per cycle"})
               : joined({name_of(bound.first), " and ", name_of(bound.second), " in different cycles"});
  }
}

std::vector<recurrence_step> list_recurrence_steps(const machine_body& body, const function_words& names) {
  std::vector<recurrence_step> steps;
  std::size_t first = 0;
  for (const std::uint32_t number : body.recurrence.cycle) {
    const operation_dependence& d = body.graph.dependences()[number];
    const machine_operation_origin& origin = body.origins[d.producer];
    const operation_class kind = body.graph.operation(d.producer).kind;
    const value_id v = origin.value;
    std::string name = v == no_value ? std::string() : names.value(v);
    steps.push_back({name.empty() ? name_of(kind) : std::move(name), origin.copy, d, kind});
    first = d.producer < steps[first].by.producer ? steps.size() - 1 : first;
  }
  std::rotate(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(first), steps.end());
  return steps;
}

} // namespace detail

report_table recurrence_table(span<const recurrence_step> steps) {
  report_table table{{{.key = "value", .title = "value"},
                      {.key = "copy", .title = "copy", .is_right = true},
                      {.key = "class", .title = "class"},
                      {.key = "latency", .title = "latency", .is_right = true},
                      {.key = "distance", .title = "distance", .is_right = true},
                      {.key = "dependence", .title = "dependence"}},
                     {}};
  for (const recurrence_step& s : steps) {
    table.rows.push_back({s.name, s.copy, name_of(s.kind), s.by.latency, s.by.distance, name_of(s.by.kind)});
  }
  return table;
}

std::string recurrence_text(span<const recurrence_step> steps, bool has_copies) {
  constexpr std::size_t most = 10;
  constexpr std::size_t at_end = 3;
  std::string text;
  const auto add_name = [&](const recurrence_step& s) {
    text += s.name;
    if (has_copies) {
      text += detail::joined({"[", detail::number_text(s.copy), "]"});
    }
  };
  const auto add_arrow = [&](dependence_kind kind) {
    text += kind == dependence_kind::value ? std::string(" -> ") : detail::joined({" -", name_of(kind), "-> "});
  };
  for (std::size_t i = 0; i != steps.size(); ++i) {
    if (steps.size() > most && i == most - at_end) {
      const std::size_t left_out = steps.size() - most;
      text += detail::joined({"(", detail::number_text(left_out), " more) -> "});
      i += left_out;
    }
    add_name(steps[i]);
    if (i + 1 != steps.size()) {
      add_arrow(steps[i].by.kind);
    }
  }
  if (!steps.empty() && steps.back().by.kind != dependence_kind::value) {
    add_arrow(steps.back().by.kind);
    add_name(steps.front());
  }
  return text;
}

namespace detail {

std::string limit_words(const body_cost& cost, const machine_body& body, const machine_words& m,
                        const function_words& names, bool has_copies) {
  std::string text = cost.is_pipelined() ? std::string() : joined({to_text(cost.obstacle), ": "});
  const body_limit limit = cost.limit();
  if (limit == body_limit::resources) {
    text += resource_limit_words(m, cost.resources, cost.mix);
  } else if (limit == body_limit::straight_line) {
    text += joined({"latencies and resources together: ", counted_text(cost.cycles(), "cycle")});
  } else if (limit == body_limit::schedule) {
    text += joined({"the shortest schedule that was found: ", counted_text(cost.cycles(), "cycle")});
  } else if (limit == body_limit::critical_path) {
    text += joined({"a chain of ", counted_text(cost.critical_path, "cycle")});
  } else if (limit == body_limit::nothing || cost.recurrence != recurrence_status::bound) {
    text += "at least one cycle";
  } else {
    const std::vector<recurrence_step> steps = list_recurrence_steps(body, names);
    std::uint64_t latency = 0;
    std::uint64_t distance = 0;
    for (const recurrence_step& s : steps) {
      latency += s.by.latency;
      distance += s.by.distance;
    }
    text += joined({"recurrence of ", counted_text(latency, "cycle")});
    if (distance > 1) {
      text += joined({" over ", number_text(distance), " passes"});
    }
    text += joined({": ", recurrence_text(steps, has_copies)});
  }
  return text;
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
