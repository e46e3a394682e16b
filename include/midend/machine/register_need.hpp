/// `register_need`: how many registers a loop body needs, estimated without a schedule.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/support/flat_array.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The largest number of values of a body that are live at once, over all iterations in flight.
struct register_need_result {
  bool is_infeasible = false;   ///< the interval is below the recurrence bound; the other members are 0
  std::uint64_t general = 0;    ///< values that are not predicates
  std::uint64_t predicates = 0; ///< results of comparisons and of predicate logic
  std::uint64_t length = 0;     ///< cycles of one iteration, until its last result can be used

  friend constexpr bool operator==(const register_need_result&, const register_need_result&) = default;
};

namespace detail {

class register_need_search;

} // namespace detail

/// Memory of `register_need`, reused from call to call.
class register_need_workspace {
  friend class detail::register_need_search;

  flat_array<std::int64_t> start_;           ///< by operation: its cycle
  flat_array<std::int64_t> end_;             ///< by operation: the cycle of the last use of its value; -1 without a use
  flat_array<std::int64_t> general_steps_;   ///< by row: by how much the number of live values changes
  flat_array<std::int64_t> predicate_steps_; ///< likewise
};

namespace detail {

/// One call of `register_need`. Cycles modulo the interval are divided into rows.
class register_need_search {
public:
  constexpr register_need_search(const dependence_graph& g, std::int64_t interval, register_need_workspace& w)
      : g_(g), interval_(interval), w_(w), shift_(shift_of(interval)) {}

  constexpr register_need_result run() {
    register_need_result out;
    if (!place_early()) {
      out.is_infeasible = true;
      return out;
    }
    compute_last_uses();
    add_lifetimes();
    out.general = max_live(w_.general_steps_);
    out.predicates = max_live(w_.predicate_steps_);
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      const auto end = static_cast<std::uint64_t>(w_.start_[o]) + g_.operation(o).latency;
      out.length = end > out.length ? end : out.length;
    }
    return out;
  }

private:
  /// One row per cycle, except for intervals of 2^20 cycles and more, which no machine has.
  static constexpr int shift_of(std::int64_t interval) {
    constexpr int most_bits = 20;
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(interval)));
    return bits > most_bits ? bits - most_bits : 0;
  }

  constexpr std::size_t row_of(std::int64_t cycle) const { return static_cast<std::size_t>(cycle >> shift_); }

  /// The row before which a value ends, rounded up: a value that lives only within a row still counts.
  constexpr std::size_t end_row_of(std::int64_t cycle) const { return row_of(cycle + (std::int64_t{1} << shift_) - 1); }

  static constexpr bool is_predicate(operation_class c) {
    return c == operation_class::compare || c == operation_class::predicate_logic;
  }

  /// Places each operation as early as its dependences allow. False if there is no such placement.
  constexpr bool place_early() {
    w_.start_.assign(g_.num_operations(), 0);
    std::int64_t* const start = w_.start_.data();
    for (std::size_t pass = 0; pass <= g_.num_operations(); ++pass) {
      bool changed = false;
      for (const dependence& d : g_.dependences()) {
        const std::int64_t earliest = start[d.producer] + d.latency - interval_ * d.distance;
        changed = changed || earliest > start[d.consumer];
        start[d.consumer] = earliest > start[d.consumer] ? earliest : start[d.consumer];
      }
      if (!changed) {
        return true;
      }
    }
    return false;
  }

  constexpr void compute_last_uses() {
    w_.end_.assign(g_.num_operations(), -1);
    for (const dependence& d : g_.dependences()) {
      const bool uses = d.kind == dependence_kind::value || d.kind == dependence_kind::guard;
      const std::int64_t at = w_.start_[d.consumer] + interval_ * d.distance;
      if (uses && at > w_.end_[d.producer]) {
        w_.end_[d.producer] = at;
      }
    }
  }

  constexpr void add_lifetimes() {
    w_.general_steps_.assign(end_row_of(interval_) + 1, 0);
    w_.predicate_steps_.assign(end_row_of(interval_) + 1, 0);
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      if (w_.end_[o] >= 0) {
        add_lifetime(o, is_predicate(g_.operation(o).kind) ? w_.predicate_steps_ : w_.general_steps_);
      }
    }
  }

  /// A value that lives for k whole intervals and r more cycles counts k times in every row and once more in r rows.
  /// The tests avoid divisions for most values, which live less than an interval and begin in the first.
  constexpr void add_lifetime(operation_id o, flat_array<std::int64_t>& steps) const {
    std::int64_t rest = w_.end_[o] - w_.start_[o];
    if (rest >= interval_) {
      steps[0] += rest / interval_;
      steps[end_row_of(interval_)] -= rest / interval_;
      rest %= interval_;
    }
    const std::int64_t from = w_.start_[o] < interval_ ? w_.start_[o] : w_.start_[o] % interval_;
    const std::int64_t to = from + rest;
    steps[row_of(from)] += 1;
    if (to <= interval_) {
      steps[end_row_of(to)] -= 1;
    } else {
      steps[0] += 1;
      steps[end_row_of(to - interval_)] -= 1;
    }
  }

  static constexpr std::uint64_t max_live(const flat_array<std::int64_t>& steps) {
    std::int64_t live = 0;
    std::int64_t most = 0;
    for (std::size_t row = 0; row + 1 < steps.size(); ++row) {
      live += steps[row];
      most = live > most ? live : most;
    }
    return static_cast<std::uint64_t>(most);
  }

  const dependence_graph& g_;
  std::int64_t interval_;
  register_need_workspace& w_;
  int shift_; ///< a row is 2^shift_ cycles
};

} // namespace detail

/// The largest number of values live at once if an iteration starts every `interval` cycles and
/// each operation is issued as early as its dependences allow, regardless of resources: MaxLive of
/// that schedule, as R. A. Huff defines it ("Lifetime-sensitive modulo scheduling", PLDI 1993). A
/// value lives from the issue of its operation to the issue of its last use. This is an estimate,
/// neither a lower nor an upper bound: resources move operations apart, and a scheduler that
/// considers registers moves producers down. Values from before the loop are not counted; add one
/// for each.
///
/// For a body that is not pipelined, pass an interval of at least its length. Requires that the interval is not 0 and
/// that sums of it with latencies and distances stay below 2^62; from 2^20 cycles on, lifetimes are rounded up to rows
/// of several cycles. O(operations · dependences) in the worst case, usually a few passes.
constexpr register_need_result register_need(const dependence_graph& g, std::uint64_t interval,
                                             register_need_workspace& workspace) {
  MIDEND_ASSERT(interval != 0, "an interval of at least one cycle");
  return detail::register_need_search(g, static_cast<std::int64_t>(interval), workspace).run();
}

constexpr register_need_result register_need(const dependence_graph& g, std::uint64_t interval) {
  register_need_workspace workspace;
  return register_need(g, interval, workspace);
}

MIDEND_END_NAMESPACE
