/// `explain_interval`: explains why a loop body has no schedule with a given interval.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/schedule/detail/reservation_table.hpp"
#include "midend/schedule/detail/row_search.hpp"
#include "midend/schedule/exact_modulo_schedule.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// An infeasible part of a body: operations, with the dependences, channels, resources and exclusions that are named
/// here. If it `is_minimal`, dropping any part leaves a feasible rest.
struct interval_explanation {
  schedule_status status = schedule_status::budget_exhausted; ///< `infeasible`: the rest is valid. `attained`: there is
                                                              ///< nothing to explain
  flat_array<operation_id> operations;                        ///< ascending
  flat_array<std::uint32_t> dependences;                      ///< positions in the graph, ascending
  std::uint32_t resources = 0;                                ///< a set
  bool channels = false;
  bool exclusions = false;
  bool is_minimal = false; ///< without any one of its parts, a schedule exists

  constexpr bool is_infeasible() const { return status == schedule_status::infeasible; }

  friend constexpr bool operator==(const interval_explanation&, const interval_explanation&) = default;
};

namespace detail {

/// One call of `explain_interval`.
class interval_explainer {
public:
  constexpr interval_explainer(const schedulable_body& body, const issue_rules& rules, std::uint32_t interval,
                               std::uint64_t steps, interval_explanation& out)
      : body_(body), rules_(rules), interval_(interval), steps_(steps), out_(out) {}

  /// Drops the parts one after another, and keeps a part if a schedule exists without it. Starts from the explanation
  /// by the bounds if there is one.
  constexpr void run() {
    const bool begins_small = out_.is_infeasible();
    kept_.operations.assign(body_.size(), begins_small ? 0 : 1);
    kept_.dependences.assign(body_.graph.dependences().size(), begins_small ? 0 : 1);
    if (begins_small) {
      for (const operation_id o : out_.operations) {
        kept_.operations[o] = 1;
      }
      for (const std::uint32_t d : out_.dependences) {
        kept_.dependences[d] = 1;
      }
      kept_.resources = out_.resources;
      kept_.channels = out_.channels;
      kept_.exclusions = out_.exclusions;
      out_.operations.clear();
      out_.dependences.clear();
    } else {
      out_.status = search();
    }
    if (!out_.is_infeasible()) {
      return;
    }
    out_.is_minimal = true;
    try_without(kept_.exclusions);
    try_without(kept_.channels);
    for (std::size_t r = 0; r != rules_.num_resources; ++r) {
      const std::uint32_t before = kept_.resources;
      kept_.resources &= ~(std::uint32_t{1} << r);
      if (!is_still_infeasible()) {
        kept_.resources = before;
      }
    }
    for (std::uint8_t& kept : kept_.operations) {
      try_without(kept);
    }
    for (std::size_t d = 0; d != kept_.dependences.size(); ++d) {
      const operation_dependence& e = body_.graph.dependences()[d];
      if (kept_.operations[e.producer] == 0 || kept_.operations[e.consumer] == 0) {
        kept_.dependences[d] = 0;
      } else {
        try_without(kept_.dependences[d]);
      }
    }
    store();
  }

private:
  constexpr schedule_status search() {
    row_search search(body_, rules_, kept_, interval_, memory_);
    return search.run(steps_);
  }

  constexpr bool is_still_infeasible() {
    const schedule_status status = search();
    out_.is_minimal = out_.is_minimal && status != schedule_status::budget_exhausted;
    return status == schedule_status::infeasible;
  }

  template <class Flag> constexpr void try_without(Flag& flag) {
    flag = 0;
    if (!is_still_infeasible()) {
      flag = 1;
    }
  }

  constexpr void store() {
    for (operation_id o = 0; o != body_.size(); ++o) {
      if (kept_.operations[o] != 0) {
        out_.operations.push_back(o);
      }
    }
    for (std::uint32_t d = 0; d != kept_.dependences.size(); ++d) {
      if (kept_.dependences[d] != 0) {
        out_.dependences.push_back(d);
      }
    }
    out_.channels = kept_.channels;
    out_.exclusions = kept_.exclusions;
    out_.resources = kept_.resources & ((std::uint32_t{1} << rules_.num_resources) - 1);
  }

  const schedulable_body& body_;
  const issue_rules& rules_;
  std::uint32_t interval_;
  std::uint64_t steps_; ///< that are left for all searches
  interval_explanation& out_;
  kept_constraints kept_;
  row_search_memory memory_;
};

/// A cycle of dependences that is too long, or operations that need more of the machine than `interval` cycles have:
/// the explanation of an interval below a bound.
template <loop_machine M>
constexpr bool explain_by_bounds(const schedulable_body& body, const M& m, std::uint32_t interval,
                                 interval_explanation& out) {
  const recurrence_bound_result recurrence = recurrence_bound(body.graph);
  if (recurrence.status == recurrence_status::impossible || recurrence.cycles() > interval) {
    flat_array<std::uint8_t> is_in;
    is_in.assign(body.size(), 0);
    for (const std::uint32_t d : recurrence.cycle) {
      is_in[body.graph.dependences()[d].producer] = 1;
      out.dependences.push_back(d);
    }
    sort(span<std::uint32_t>(out.dependences.data(), out.dependences.size()));
    for (operation_id o = 0; o != body.size(); ++o) {
      if (is_in[o] != 0) {
        out.operations.push_back(o);
      }
    }
    out.status = schedule_status::infeasible;
    return true;
  }
  operation_mix mix = mix_of(body.graph);
  const std::size_t literals = m.literal_resource();
  for (operation_id o = 0; literals != m.num_resources() && o != body.size(); ++o) {
    mix.extra_uses[literals] += body.literal_words(o);
  }
  const resource_bound_result resources = resource_bound(m, mix);
  if (resources.cycles <= interval || resources.limit == resource_limit::exclusion) {
    return false;
  }
  for (operation_id o = 0; o != body.size(); ++o) {
    const operation_class c = body.kind(o);
    const std::size_t r = resources.resource;
    const bool is_in = resources.limit == resource_limit::scalar_resource
                           ? m.use(c, r) + (r == literals ? body.literal_words(o) : 0) != 0
                       : resources.limit == resource_limit::occupancy
                           ? c == resources.first
                           : m.channels(c) != 0 && (m.channels(c) & ~resources.channels) == 0;
    if (is_in) {
      out.operations.push_back(o);
    }
  }
  out.channels = resources.limit != resource_limit::scalar_resource;
  out.resources = out.channels ? 0 : std::uint32_t{1} << resources.resource;
  out.status = schedule_status::infeasible;
  return true;
}

} // namespace detail

/// Explains why no schedule with this interval exists: a small part of the body that has none by itself, an
/// unsatisfiable core. Below the recurrence bound the part is a cycle of dependences; below the resource bound,
/// operations that need more of a resource than the machine has. If the body is small enough for the exact search, the
/// search then tries the body without one more operation, dependence or kind of resource at a time: the deletion filter
/// of J. N. Chinneck and E. W. Dravnieks ("Locating minimal infeasible constraint sets in linear programs", ORSA J.
/// Computing 3(2), 1991). For optimal pipelining by SMT with explanations see arXiv 2601.21842, 2026.
/// `verify_explanation` checks the result.
///
/// `options.most_steps` limits all searches together; parts that they did not reach stay in the explanation. Requires
/// an interval from 1 to `longest_interval`; `impossible` if the machine cannot issue some operation. The cost is that
/// of one `exact_schedule_at` for each operation, dependence and kind of resource of the explanation that it starts
/// from.
template <loop_machine_argument M>
constexpr interval_explanation explain_interval(const schedulable_body& body, const M& m, std::uint32_t interval,
                                                const exact_schedule_options& options = {}) {
  MIDEND_ASSERT(interval != 0 && interval <= longest_interval, "an interval within the limits", interval);
  interval_explanation out;
  if (!detail::can_issue_all(body, m)) {
    out.status = schedule_status::impossible;
    return out;
  }
  const bool is_small = body.size() <= options.most_operations && body.size() <= detail::row_search::most_operations;
  detail::explain_by_bounds(body, m, interval, out);
  if (!is_small) {
    return out;
  }
  const detail::issue_rules rules(m);
  detail::interval_explainer(body, rules, interval, options.most_steps, out).run();
  return out;
}

MIDEND_END_NAMESPACE
