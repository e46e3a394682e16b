/// `modulo_schedule`: a software pipeline for a loop body, with the shortest interval that the search attains.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/strongly_connected_components.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/schedule/detail/reservation_table.hpp"
#include "midend/schedule/detail/row_search.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/schedule/schedule_lifetimes.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

struct modulo_schedule_options {
  std::uint32_t first_interval = 0;  ///< the first one to try, if it is above the bound
  std::uint32_t most_interval = 0;   ///< the last one to try; 0: 2 · first + 64. At most `longest_interval`
  std::uint32_t budget = 12;         ///< placements for each operation in one attempt; Rau takes 6
  std::uint64_t most_general = 0;    ///< registers for values of the body; 0: no limit
  std::uint64_t most_predicates = 0; ///< predicate registers for them; 0: no limit
  std::uint32_t most_stages = 0;     ///< 0: no limit
  std::uint32_t exact_steps = 2000; ///< decisions of the exact search, in a body of at most 64 operations; 0: no search
};

/// The result of `modulo_schedule`.
struct modulo_schedule_result {
  schedule_status status = schedule_status::impossible;
  std::uint64_t bound = 0;          ///< max(ResMII, RecMII), at least 1
  schedule found;                   ///< valid if `status` is `attained`; the last attempt if it is `too_many_…`
  schedule_lifetimes lifetimes;     ///< of `found`
  std::uint64_t least_interval = 0; ///< all intervals below are proven infeasible
  std::uint64_t placements = 0;     ///< placements of all attempts, and decisions of the exact search

  constexpr bool attained() const { return status == schedule_status::attained; }

  constexpr bool is_at_bound() const { return attained() && found.interval == bound; }

  /// Whether no shorter interval exists. False if that is unknown.
  constexpr bool is_shortest() const { return attained() && found.interval == least_interval; }

  friend constexpr bool operator==(const modulo_schedule_result&, const modulo_schedule_result&) = default;
};

namespace detail {

class modulo_scheduler;

/// The dependences of a body as a graph: the consumers of each operation.
struct dependence_successors {
  const flat_array<std::uint32_t>& first;
  const flat_array<node_id>& consumers;

  constexpr std::size_t num_nodes() const { return first.size() - 1; }

  constexpr span<const node_id> successors(node_id o) const {
    return span<const node_id>(consumers).subspan(first[o], first[o + std::size_t{1}] - first[o]);
  }
};

} // namespace detail

/// The memory of `modulo_schedule`, to be reused from body to body.
class modulo_schedule_workspace {
  friend class detail::modulo_scheduler;

  template <loop_machine_argument M>
  friend constexpr void modulo_schedule(const schedulable_body& body, const M& m,
                                        const modulo_schedule_options& options, modulo_schedule_workspace& workspace,
                                        modulo_schedule_result& out);

  /// A key for sorting: smaller ones first.
  struct placing {
    std::int64_t key;
    operation_id operation;

    friend constexpr bool operator<(const placing& a, const placing& b) {
      return a.key != b.key ? a.key < b.key : a.operation < b.operation;
    }

    friend constexpr bool operator<=(const placing& a, const placing& b) { return !(b < a); }
  };

  recurrence_bound_workspace recurrence_;
  recurrence_bound_result recurrences_;
  flat_array<std::uint32_t> first_out_;
  flat_array<std::uint32_t> out_; ///< dependences by producer
  flat_array<node_id> consumers_; ///< their consumers
  flat_array<std::uint32_t> first_in_;
  flat_array<std::uint32_t> in_; ///< dependences by consumer
  strongly_connected_components_workspace search_;
  component_partition components_;
  flat_array<std::int64_t> height_;
  flat_array<std::int64_t> earliest_;
  flat_array<std::int64_t> cycle_; ///< of the last placement; -1 before the first
  flat_array<std::uint8_t> is_placed_;
  flat_array<std::uint32_t> rank_;
  flat_array<operation_id> by_rank_;
  flat_array<placing> placings_;
  detail::reservation_memory table_;
  detail::row_search_memory rows_;
  schedule exact_;
  schedule_lifetimes_workspace lifetimes_;
};

namespace detail {

/// One body. All cycles are counted from the start of its iteration.
class modulo_scheduler {
public:
  constexpr modulo_scheduler(const schedulable_body& body, const issue_rules& rules,
                             const modulo_schedule_options& options, modulo_schedule_workspace& w,
                             modulo_schedule_result& out)
      : body_(body), rules_(rules), options_(options), w_(w), out_(out) {}

  /// From `first` to `last`.
  constexpr void run(std::uint32_t first, std::uint32_t last) {
    group_dependences();
    strongly_connected_components(dependence_successors{w_.first_out_, w_.consumers_}, w_.search_, w_.components_);
    out_.status = schedule_status::interval_too_long;
    for (std::uint64_t interval = first; interval <= last; ++interval) {
      interval_ = static_cast<std::int64_t>(interval);
      if (attempt_interval()) {
        return;
      }
    }
  }

private:
  /// The operations that are placed first.
  enum class placing_order : std::uint8_t {
    by_height,         ///< those with the longest path to the end of the iteration first, as in Rau
    recurrences_first, ///< operations on recurrences first, as in swing modulo scheduling
    scarce_first       ///< operations that block a channel or have few channels first
  };

  constexpr bool attempt_interval() {
    compute_heights();
    compute_earliest();
    for (const placing_order order :
         {placing_order::recurrences_first, placing_order::by_height, placing_order::scarce_first}) {
      rank_operations(order);
      if (attempt()) {
        out_.status = fitting_status();
        return out_.attained();
      }
    }
    return body_.size() <= row_search::most_operations && options_.exact_steps != 0 && search_exactly();
  }

  /// The exact search, after all attempts failed: finds a schedule or proves that none exists.
  constexpr bool search_exactly() {
    const kept_constraints all;
    const auto interval = static_cast<std::uint32_t>(interval_);
    row_search search(body_, rules_, all, interval, w_.rows_);
    std::uint64_t steps = options_.exact_steps;
    const schedule_status status = search.run(steps);
    out_.placements += options_.exact_steps - steps;
    if (status == schedule_status::infeasible && out_.least_interval == interval) {
      ++out_.least_interval;
    }
    if (status != schedule_status::attained) {
      return false;
    }
    search.store(w_.exact_);
    reservation_table table(body_, rules_, interval, w_.table_);
    w_.cycle_.resize_for_overwrite(body_.size());
    for (operation_id o = 0; o != body_.size(); ++o) {
      w_.cycle_[o] = w_.exact_.slots[o].cycle;
      table.put_on(o, row(w_.cycle_[o]), w_.exact_.slots[o].channel);
    }
    improve(table);
    store(table);
    out_.status = fitting_status();
    return out_.attained();
  }

  constexpr schedule_status fitting_status() const {
    if (options_.most_stages != 0 && out_.found.stages > options_.most_stages) {
      return schedule_status::too_many_stages;
    }
    const bool fits = (options_.most_general == 0 || out_.lifetimes.general <= options_.most_general) &&
                      (options_.most_predicates == 0 || out_.lifetimes.predicates <= options_.most_predicates);
    return fits ? schedule_status::attained : schedule_status::too_many_registers;
  }

  // The graph.

  constexpr const operation_dependence& dependence(std::uint32_t i) const { return body_.graph.dependences()[i]; }

  constexpr std::int64_t delay(const operation_dependence& d) const {
    return static_cast<std::int64_t>(d.latency) - interval_ * static_cast<std::int64_t>(d.distance);
  }

  constexpr void group_dependences() {
    const span<const operation_dependence> all = body_.graph.dependences();
    w_.first_out_.assign(body_.size() + 1, 0);
    w_.first_in_.assign(body_.size() + 1, 0);
    for (const operation_dependence& d : all) {
      ++w_.first_out_[d.producer];
      ++w_.first_in_[d.consumer];
    }
    counts_to_ends(w_.first_out_);
    counts_to_ends(w_.first_in_);
    w_.out_.resize_for_overwrite(all.size());
    w_.in_.resize_for_overwrite(all.size());
    w_.consumers_.resize_for_overwrite(all.size());
    for (std::size_t i = all.size(); i-- != 0;) {
      const std::uint32_t at = --w_.first_out_[all[i].producer];
      w_.out_[at] = static_cast<std::uint32_t>(i);
      w_.consumers_[at] = all[i].consumer;
      w_.in_[--w_.first_in_[all[i].consumer]] = static_cast<std::uint32_t>(i);
    }
  }

  template <class Visit> constexpr void for_each_out(operation_id o, const Visit& visit) const {
    for (std::uint32_t i = w_.first_out_[o]; i != w_.first_out_[o + std::size_t{1}]; ++i) {
      visit(dependence(w_.out_[i]));
    }
  }

  template <class Visit> constexpr void for_each_in(operation_id o, const Visit& visit) const {
    for (std::uint32_t i = w_.first_in_[o]; i != w_.first_in_[o + std::size_t{1}]; ++i) {
      visit(dependence(w_.in_[i]));
    }
  }

  /// The longest path to the end of the iteration. The search ends because the interval is at least the recurrence
  /// bound.
  constexpr void compute_heights() {
    w_.height_.resize_for_overwrite(body_.size());
    for (operation_id o = 0; o != body_.size(); ++o) {
      w_.height_[o] = body_.graph.operation(o).latency;
    }
    std::int64_t* const height = w_.height_.data();
    for (bool changed = true; changed;) {
      changed = false;
      for (operation_id o = static_cast<operation_id>(body_.size()); o-- != 0;) {
        for_each_out(o, [&](const operation_dependence& d) {
          const std::int64_t through = height[d.consumer] + delay(d);
          changed = changed || through > height[o];
          height[o] = through > height[o] ? through : height[o];
        });
      }
    }
  }

  constexpr void compute_earliest() {
    w_.earliest_.assign(body_.size(), 0);
    std::int64_t* const earliest = w_.earliest_.data();
    for (bool changed = true; changed;) {
      changed = false;
      for (operation_id o = 0; o != body_.size(); ++o) {
        for_each_in(o, [&](const operation_dependence& d) {
          const std::int64_t start = earliest[d.producer] + delay(d);
          changed = changed || start > earliest[o];
          earliest[o] = start > earliest[o] ? start : earliest[o];
        });
      }
    }
  }

  constexpr bool waits_for_itself(operation_id o) const {
    return w_.components_.members(w_.components_.component(o)).size() > 1;
  }

  constexpr bool is_scarce(operation_id o) const {
    const channel_set channels = rules_.channels_of(body_.kind(o));
    return rules_.occupancy_of(body_.kind(o)) > 1 || (channels & (channels - 1)) == 0;
  }

  constexpr void rank_operations(placing_order order) {
    std::int64_t highest = 0;
    for (const std::int64_t h : w_.height_) {
      highest = max(highest, h);
    }
    w_.placings_.clear();
    for (operation_id o = 0; o != body_.size(); ++o) {
      const bool is_first = (order != placing_order::by_height && waits_for_itself(o)) ||
                            (order == placing_order::scarce_first && is_scarce(o));
      w_.placings_.push_back({-w_.height_[o] - (is_first ? highest + 1 : 0), o});
    }
    heap_sort(w_.placings_.data(), w_.placings_.size());
    w_.rank_.resize_for_overwrite(body_.size());
    w_.by_rank_.resize_for_overwrite(body_.size());
    for (std::uint32_t r = 0; r != body_.size(); ++r) {
      w_.by_rank_[r] = w_.placings_[r].operation;
      w_.rank_[w_.placings_[r].operation] = r;
    }
  }

  // Placing.

  constexpr std::uint32_t row(std::int64_t cycle) const { return static_cast<std::uint32_t>(cycle % interval_); }

  constexpr bool attempt() {
    reservation_table table(body_, rules_, static_cast<std::uint32_t>(interval_), w_.table_);
    w_.is_placed_.assign(body_.size(), 0);
    w_.cycle_.assign(body_.size(), -1);
    std::uint64_t budget = std::uint64_t{options_.budget} * body_.size() + 64;
    for (next_ = 0; next_ != body_.size();) {
      const operation_id o = w_.by_rank_[next_];
      if (w_.is_placed_[o] != 0) {
        ++next_;
        continue;
      }
      if (budget-- == 0) {
        return false;
      }
      ++out_.placements;
      place(o, table);
    }
    improve(table);
    store(table);
    return true;
  }

  constexpr std::int64_t earliest(operation_id o) const {
    std::int64_t start = w_.earliest_[o];
    for_each_in(o, [&](const operation_dependence& d) {
      if (w_.is_placed_[d.producer] != 0 && d.producer != o) {
        start = max(start, w_.cycle_[d.producer] + delay(d));
      }
    });
    return start;
  }

  /// Places the operation in the first cycle with room; if there is none, evicts others, in a later cycle than last
  /// time.
  constexpr void place(operation_id o, reservation_table& table) {
    const std::int64_t from = earliest(o);
    for (std::int64_t cycle = from; cycle != from + interval_; ++cycle) {
      if (table.fits(o, row(cycle))) {
        put(o, cycle, table);
        return;
      }
    }
    const std::int64_t cycle = max(from, w_.cycle_[o] + 1);
    table.make_room(o, row(cycle), w_.rank_, [this](operation_id removed) { unplace(removed); });
    put(o, cycle, table);
  }

  constexpr void unplace(operation_id o) {
    w_.is_placed_[o] = 0;
    next_ = min(next_, w_.rank_[o]);
  }

  constexpr void put(operation_id o, std::int64_t cycle, reservation_table& table) {
    table.put(o, row(cycle));
    w_.cycle_[o] = cycle;
    w_.is_placed_[o] = 1;
    for_each_out(o, [&](const operation_dependence& d) {
      if (w_.is_placed_[d.consumer] != 0 && w_.cycle_[d.consumer] < cycle + delay(d)) {
        table.remove(d.consumer);
        unplace(d.consumer);
      }
    });
  }

  // Improving a schedule.

  /// First moves operations to earlier cycles, which shortens the iteration, then to cycles that shorten lifetimes.
  constexpr void improve(reservation_table& table) {
    sort_by_cycle();
    for (const modulo_schedule_workspace::placing& p : w_.placings_) {
      const std::int64_t now = w_.cycle_[p.operation];
      const std::int64_t from = max(earliest_now(p.operation), now - interval_);
      table.remove(p.operation);
      std::int64_t to = from;
      while (to != now && !table.fits(p.operation, row(to))) {
        ++to;
      }
      table.put(p.operation, row(to));
      w_.cycle_[p.operation] = to;
    }
    last_ = 0;
    for (const std::int64_t c : w_.cycle_) {
      last_ = max(last_, c);
    }
    last_ = last_ / interval_ * interval_ + interval_ - 1; // the end of the last stage
    constexpr int most_sweeps = 6;
    for (int sweep = 0; sweep != most_sweeps; ++sweep) {
      bool changed = false;
      for (std::size_t i = 0; i != w_.placings_.size(); ++i) {
        const std::size_t at = sweep % 2 == 0 ? w_.placings_.size() - 1 - i : i;
        changed = shorten_lifetimes(w_.placings_[at].operation, table) || changed;
      }
      if (!changed) {
        break;
      }
    }
  }

  constexpr void sort_by_cycle() {
    w_.placings_.clear();
    for (operation_id o = 0; o != body_.size(); ++o) {
      w_.placings_.push_back({w_.cycle_[o], o});
    }
    heap_sort(w_.placings_.data(), w_.placings_.size());
  }

  constexpr std::int64_t earliest_now(operation_id o) const {
    std::int64_t start = 0;
    for_each_in(o, [&](const operation_dependence& d) {
      start = d.producer == o ? start : max(start, w_.cycle_[d.producer] + delay(d));
    });
    return start;
  }

  constexpr std::int64_t latest_now(operation_id o) const {
    std::int64_t end = last_;
    for_each_out(o, [&](const operation_dependence& d) {
      end = d.consumer == o ? end : min(end, w_.cycle_[d.consumer] - delay(d));
    });
    return end;
  }

  /// The numbers that decide how lifetimes change with the cycle of an operation.
  struct lifetime_change {
    static constexpr std::size_t most_operands = 8;
    std::int64_t last_by_others[most_operands]; ///< by operand: its last read by another operation
    std::int64_t later[most_operands];          ///< by operand: the distance of the read in cycles
    std::size_t operands = 0;
    bool is_read = false; ///< then its own lifetime is shorter the later it is issued

    constexpr std::int64_t at(std::int64_t cycle) const {
      std::int64_t sum = is_read ? -cycle : 0;
      for (std::size_t i = 0; i != operands; ++i) {
        sum += max(last_by_others[i], cycle + later[i]);
      }
      return sum;
    }
  };

  constexpr lifetime_change lifetimes_around(operation_id o) const {
    lifetime_change c{};
    for_each_out(o, [&](const operation_dependence& d) {
      c.is_read = c.is_read || (reads_register(d.kind) && d.consumer != o);
    });
    for_each_in(o, [&](const operation_dependence& d) {
      if (!reads_register(d.kind) || d.producer == o || c.operands == lifetime_change::most_operands) {
        return;
      }
      std::int64_t others = w_.cycle_[d.producer];
      std::uint32_t seen = 0;
      for_each_out(d.producer, [&](const operation_dependence& use) {
        if (reads_register(use.kind) && use.consumer != o && seen++ != 64) {
          others = max(others, w_.cycle_[use.consumer] + interval_ * static_cast<std::int64_t>(use.distance));
        }
      });
      c.last_by_others[c.operands] = others;
      c.later[c.operands++] = interval_ * static_cast<std::int64_t>(d.distance);
    });
    return c;
  }

  /// Moves an operation to the cycle with the least sum of lifetimes, between its producers and its consumers. Returns
  /// whether it moved.
  constexpr bool shorten_lifetimes(operation_id o, reservation_table& table) {
    const std::int64_t now = w_.cycle_[o];
    const std::int64_t from = max(earliest_now(o), now - interval_);
    const std::int64_t to = min(latest_now(o), now + interval_);
    if (from >= to) {
      return false;
    }
    const lifetime_change change = lifetimes_around(o);
    std::int64_t best = now;
    std::int64_t least = change.at(now);
    bool is_removed = false;
    for (std::int64_t cycle = from; cycle <= to; ++cycle) {
      if (change.at(cycle) < least) {
        if (!is_removed) {
          table.remove(o);
          is_removed = true;
        }
        if (table.fits(o, row(cycle))) {
          least = change.at(cycle);
          best = cycle;
        }
      }
    }
    if (is_removed) {
      table.put(o, row(best));
      w_.cycle_[o] = best;
    }
    return best != now;
  }

  /// Removes whole intervals before the first operation, so that an iteration starts with it.
  constexpr void store(const reservation_table& table) {
    std::int64_t first = body_.size() == 0 ? 0 : w_.cycle_[0];
    for (const std::int64_t c : w_.cycle_) {
      first = min(first, c);
    }
    out_.found.interval = static_cast<std::uint32_t>(interval_);
    out_.found.slots.resize_for_overwrite(body_.size());
    for (operation_id o = 0; o != body_.size(); ++o) {
      out_.found.slots[o] = {static_cast<std::uint32_t>(w_.cycle_[o] - first), table.channel(o)};
    }
    finish_schedule(body_, out_.found);
    compute_lifetimes(body_, out_.found, w_.lifetimes_, out_.lifetimes);
  }

  const schedulable_body& body_;
  const issue_rules& rules_;
  const modulo_schedule_options& options_;
  modulo_schedule_workspace& w_;
  modulo_schedule_result& out_;
  std::int64_t interval_ = 0;
  std::int64_t last_ = 0;
  std::uint32_t next_ = 0; ///< all operations of a lower rank are placed
};

/// The number of operations of each class, and the words of literals.
template <loop_machine M> constexpr operation_mix mix_of_body(const schedulable_body& body, const M& m) {
  operation_mix mix = mix_of(body.graph);
  for (const std::uint8_t words : body.literals) {
    mix.literals += words;
  }
  if (m.literal_resource() != m.num_resources()) {
    mix.extra_uses[m.literal_resource()] = mix.literals;
  }
  return mix;
}

/// Whether some operation takes more literals than a cycle has.
template <loop_machine M> constexpr bool has_too_long_literal(const schedulable_body& body, const M& m) {
  const std::size_t r = m.literal_resource();
  bool found = false;
  for (operation_id o = 0; r != m.num_resources() && o != body.size(); ++o) {
    found = found || m.use(body.kind(o), r) + body.literal_words(o) > m.capacity(r);
  }
  return found;
}

} // namespace detail

/// A software pipeline for a loop body on a machine, refilling `out`: iterative modulo scheduling (B. R. Rau,
/// "Iterative modulo scheduling: an algorithm for software pipelining loops", MICRO-27, 1994). Intervals are tried
/// upwards from the larger of the resource and the recurrence bound. Operations are placed one after another, each in
/// the first cycle in which its operands are available and the machine has room. If there is none, the operation evicts
/// others, which are placed again. An attempt ends after `budget` placements per operation.
///
/// Departures from Rau: at each interval, there is up to one attempt for each of three orders: operations on
/// recurrences first, which have the least freedom (as in J. Llosa, A. González, E. Ayguadé, M. Valero, "Swing modulo
/// scheduling: a lifetime-sensitive approach", PACT 1996), then all by height, then operations first that only one
/// channel can issue or that block their channel. A matching assigns the channels of a cycle, so a placed operation can
/// move others to other channels. At the end, operations move to earlier cycles, which saves stages, and then to cycles
/// with a smaller sum of lifetimes (a local search; A. E. Eichenberger and E. S. Davidson, "Stage scheduling",
/// MICRO-28, 1995, move by whole intervals only).
///
/// If the attempts fail at an interval and the body has at most 64 operations, the exact search of
/// `exact_modulo_schedule` looks for a schedule, up to `exact_steps` decisions. So most intervals above the bound are
/// proven to be least: see `is_shortest`.
///
/// `too_many_registers` and `too_many_stages` name the last obstacle if no larger interval up to the limit helped.
/// `interval_too_long` is also the status if the bound is above `longest_interval`, or the recurrence bound is
/// `too_large`; in that case `bound` is 0. A body without operations has interval 1. Requires that latencies times
/// operations stay below 2^31. Allocates nothing once workspace and result have seen bodies as large. About O(intervals
/// · (operations · interval + dependences)); deterministic.
template <loop_machine_argument M>
constexpr void modulo_schedule(const schedulable_body& body, const M& m, const modulo_schedule_options& options,
                               modulo_schedule_workspace& workspace, modulo_schedule_result& out) {
  out.status = schedule_status::impossible;
  out.placements = 0;
  out.bound = out.least_interval = 0;
  const resource_bound_result resources = resource_bound(m, detail::mix_of_body(body, m));
  recurrence_bound(body.graph, workspace.recurrence_, workspace.recurrences_);
  if (resources.is_impossible || detail::has_too_long_literal(body, m) ||
      workspace.recurrences_.status == recurrence_status::impossible) {
    return;
  }
  if (workspace.recurrences_.status == recurrence_status::too_large) {
    out.status = schedule_status::interval_too_long;
    return;
  }
  out.bound = detail::max<std::uint64_t>(detail::max(resources.cycles, workspace.recurrences_.cycles()), 1);
  out.least_interval = out.bound;
  const std::uint64_t first = detail::max<std::uint64_t>(out.bound, options.first_interval);
  const std::uint64_t wanted = options.most_interval != 0 ? options.most_interval : 2 * first + 64;
  const std::uint64_t last = detail::min<std::uint64_t>(wanted, longest_interval);
  if (last < first) {
    out.status = schedule_status::interval_too_long;
    return;
  }
  const detail::issue_rules rules(m);
  detail::modulo_scheduler(body, rules, options, workspace, out)
      .run(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last));
}

/// A software pipeline for a loop body on a machine.
template <loop_machine_argument M>
constexpr modulo_schedule_result modulo_schedule(const schedulable_body& body, const M& m,
                                                 const modulo_schedule_options& options = {}) {
  modulo_schedule_workspace workspace;
  modulo_schedule_result out;
  modulo_schedule(body, m, options, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
