/// `exact_modulo_schedule`: the least interval of a small loop body, or the proof that an interval is infeasible.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/schedule/detail/reservation_table.hpp"
#include "midend/schedule/detail/row_search.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/support/order.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

struct exact_schedule_options {
  std::uint32_t most_operations = 24; ///< larger bodies are not searched; at most 64
  std::uint32_t most_interval = 0;    ///< the last interval to try; 0: no limit
  std::uint64_t most_steps = 200'000; ///< decisions of all searches together
};

/// The result of `exact_modulo_schedule`.
struct exact_schedule_result {
  schedule_status status = schedule_status::impossible;
  std::uint64_t bound = 0;          ///< max(ResMII, RecMII), at least 1
  std::uint64_t least_interval = 0; ///< all intervals below are proven infeasible
  schedule found;                   ///< valid if `status` is `attained`; its interval is `least_interval`
  std::uint64_t steps = 0;          ///< decisions made

  constexpr bool attained() const { return status == schedule_status::attained; }

  friend constexpr bool operator==(const exact_schedule_result&, const exact_schedule_result&) = default;
};

/// The memory of the exact search, to be reused from body to body.
class exact_schedule_workspace {
  template <loop_machine_argument M>
  friend constexpr void exact_schedule_at(const schedulable_body& body, const M& m, std::uint32_t interval,
                                          const exact_schedule_options& options, exact_schedule_workspace& workspace,
                                          exact_schedule_result& out);
  template <loop_machine_argument M>
  friend constexpr void exact_modulo_schedule(const schedulable_body& body, const M& m,
                                              const exact_schedule_options& options,
                                              exact_schedule_workspace& workspace, exact_schedule_result& out);

  detail::row_search_memory search_;
  recurrence_bound_workspace recurrence_;
  recurrence_bound_result recurrences_;
};

namespace detail {

/// Whether the machine can issue each operation, and its literals fit in one cycle.
template <loop_machine M> constexpr bool can_issue_all(const schedulable_body& body, const M& m) {
  operation_mix mix = mix_of(body.graph);
  bool fits = !resource_bound(m, mix).is_impossible;
  const std::size_t r = m.literal_resource();
  for (operation_id o = 0; fits && r != m.num_resources() && o != body.size(); ++o) {
    fits = m.use(body.kind(o), r) + body.literal_words(o) <= m.capacity(r);
  }
  return fits;
}

} // namespace detail

/// Whether a schedule with this interval exists, refilling `out`: `attained`, with the schedule; `infeasible`, proven;
/// `budget_exhausted`, after `most_steps` decisions or at once for a body with too many operations; or `impossible`.
///
/// A branch and bound over the rows of operations, their cycles modulo the interval: stages follow from the rows. It
/// decides the operation with the fewest places first. It maintains the longest paths between operations of one
/// recurrence, and rounds paths between decided rows up to the next cycle that these rows allow. It prunes a branch if
/// a cycle of dependences becomes too long, if an operation has no place left, if a resource does not suffice, or if no
/// matching of operations and slots exists. Interchangeable operations are decided in order, and the first operation is
/// in row 0.
///
/// Requires an interval from 1 to `longest_interval`. O(steps · operations² · interval) in the worst case; 8 ·
/// operations³ bytes.
template <loop_machine_argument M>
constexpr void exact_schedule_at(const schedulable_body& body, const M& m, std::uint32_t interval,
                                 const exact_schedule_options& options, exact_schedule_workspace& workspace,
                                 exact_schedule_result& out) {
  MIDEND_ASSERT(interval != 0 && interval <= longest_interval, "an interval within the limits", interval);
  out.steps = 0;
  out.bound = 0;
  out.least_interval = 0;
  if (!detail::can_issue_all(body, m)) {
    out.status = schedule_status::impossible;
    return;
  }
  if (body.size() > options.most_operations || body.size() > detail::row_search::most_operations) {
    out.status = schedule_status::budget_exhausted;
    return;
  }
  const detail::issue_rules rules(m);
  const detail::kept_constraints all;
  detail::row_search search(body, rules, all, interval, workspace.search_);
  std::uint64_t steps = options.most_steps;
  out.status = search.run(steps);
  out.steps = options.most_steps - steps;
  if (out.attained()) {
    search.store(out.found);
    out.least_interval = interval;
  }
}

/// The least interval of a loop body, refilling `out`: `exact_schedule_at` from the bound upwards, until an interval is
/// attained or the budget of all searches is exhausted. So an attained interval is the least one, and the schedule is
/// the proof that it can be attained. `interval_too_long`: all up to `most_interval` are proven infeasible, or the
/// recurrence bound is `too_large`. The cost is that of `exact_schedule_at` for each interval that is tried.
template <loop_machine_argument M>
constexpr void exact_modulo_schedule(const schedulable_body& body, const M& m, const exact_schedule_options& options,
                                     exact_schedule_workspace& workspace, exact_schedule_result& out) {
  recurrence_bound(body.graph, workspace.recurrence_, workspace.recurrences_);
  const recurrence_status recurrence = workspace.recurrences_.status;
  std::uint64_t steps = 0;
  operation_mix mix = mix_of(body.graph);
  for (operation_id o = 0; m.literal_resource() != m.num_resources() && o != body.size(); ++o) {
    mix.extra_uses[m.literal_resource()] += body.literal_words(o);
  }
  const std::uint64_t bound =
      detail::max<std::uint64_t>(detail::max(resource_bound(m, mix).cycles, workspace.recurrences_.cycles()), 1);
  if (recurrence == recurrence_status::impossible || !detail::can_issue_all(body, m)) {
    out.status = schedule_status::impossible;
    out.steps = out.bound = out.least_interval = 0;
    return;
  }
  exact_schedule_options rest = options;
  for (std::uint64_t interval = bound;; ++interval) {
    if (recurrence == recurrence_status::too_large || interval > longest_interval ||
        (options.most_interval != 0 && interval > options.most_interval)) {
      out.status = schedule_status::interval_too_long;
    } else {
      exact_schedule_at(body, m, static_cast<std::uint32_t>(interval), rest, workspace, out);
      steps += out.steps;
      rest.most_steps = options.most_steps - steps;
    }
    if (out.status != schedule_status::infeasible) {
      out.bound = bound;
      out.least_interval = interval;
      out.steps = steps;
      return;
    }
  }
}

/// The least interval of a loop body.
template <loop_machine_argument M>
constexpr exact_schedule_result exact_modulo_schedule(const schedulable_body& body, const M& m,
                                                      const exact_schedule_options& options = {}) {
  exact_schedule_workspace workspace;
  exact_schedule_result out;
  exact_modulo_schedule(body, m, options, workspace, out);
  return out;
}

/// Whether a schedule with this interval exists.
template <loop_machine_argument M>
constexpr exact_schedule_result exact_schedule_at(const schedulable_body& body, const M& m, std::uint32_t interval,
                                                  const exact_schedule_options& options = {}) {
  exact_schedule_workspace workspace;
  exact_schedule_result out;
  exact_schedule_at(body, m, interval, options, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
