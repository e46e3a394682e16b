/// `register_need`: estimates the registers that a loop body needs, by placing operations without resources.
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

  /// The uses of an operation's value.
  struct uses {
    std::int64_t last;           ///< the cycle of the last use; -1 without a use
    std::int64_t last_of_others; ///< that of the last use by another operation than `last_user`; -1 without one
    operation_id last_user;      ///< an operation with the last use
  };

  flat_array<std::int64_t> start_;           ///< by operation: its cycle
  flat_array<uses> uses_;                    ///< by operation
  flat_array<std::uint32_t> first_;          ///< by operation and one more: its first element of `in_`
  flat_array<std::uint32_t> in_;             ///< dependences, by consumer
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
    register_need_result early;
    if (!place_early()) {
      early.is_infeasible = true;
      return early;
    }
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      const auto end = static_cast<std::uint64_t>(w_.start_[o]) + g_.operation(o).latency;
      early.length = end > early.length ? end : early.length;
    }
    count_live(early);
    register_need_result late = early;
    const auto length = static_cast<std::int64_t>(early.length);
    place_late(length > interval_ ? length : interval_);
    compute_uses();
    raise_readers();
    count_live(late);
    return late.general + late.predicates < early.general + early.predicates ? late : early;
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
      for (const operation_dependence& d : g_.dependences()) {
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

  /// Places each operation as late as its dependences and the end of the iteration allow; those for which nothing waits
  /// are spread over the iteration, in their order, but not before their early places. So there is such a placement.
  constexpr void place_late(std::int64_t length) {
    std::int64_t* const start = w_.start_.data();
    w_.first_.assign(g_.num_operations(), 0); // whether something waits for it
    for (const operation_dependence& d : g_.dependences()) {
      w_.first_[d.producer] |= d.consumer != d.producer;
    }
    std::uint64_t ends = g_.num_operations();
    for (const std::uint32_t is_awaited : w_.first_) {
      ends -= is_awaited;
    }
    std::uint64_t rest = ends;
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      const std::int64_t last = length - g_.operation(o).latency;
      if (w_.first_[o] != 0) {
        start[o] = last;
        continue;
      }
      --rest;
      const std::int64_t spread = last - share_of(static_cast<std::uint64_t>(length), rest, ends);
      start[o] = spread > start[o] ? spread : start[o];
    }
    const span<const operation_dependence> dependences = g_.dependences();
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = dependences.size(); i-- != 0;) {
        const operation_dependence& d = dependences[i];
        const std::int64_t latest = start[d.consumer] - d.latency + interval_ * d.distance;
        changed = changed || latest < start[d.producer];
        start[d.producer] = latest < start[d.producer] ? latest : start[d.producer];
      }
    }
  }

  /// length · part / whole, rounded down.
  static constexpr std::int64_t share_of(std::uint64_t length, std::uint64_t part, std::uint64_t whole) {
    return static_cast<std::int64_t>(length / whole * part + length % whole * part / whole);
  }

  static constexpr bool reads(const operation_dependence& d) {
    return d.kind == dependence_kind::value || d.kind == dependence_kind::guard;
  }

  constexpr void compute_uses() {
    w_.uses_.assign(g_.num_operations(), {-1, -1, 0});
    for (const operation_dependence& d : g_.dependences()) {
      if (!reads(d)) {
        continue;
      }
      register_need_workspace::uses& value = w_.uses_[d.producer];
      const std::int64_t at = w_.start_[d.consumer] + interval_ * d.distance;
      if (at > value.last) {
        value.last_of_others = value.last_user == d.consumer ? value.last_of_others : value.last;
        value.last = at;
        value.last_user = d.consumer;
      } else if (d.consumer != value.last_user && at > value.last_of_others) {
        value.last_of_others = at;
      }
    }
  }

  constexpr void group_by_consumer() {
    w_.first_.assign(g_.num_operations() + 1, 0);
    for (const operation_dependence& d : g_.dependences()) {
      ++w_.first_[d.consumer];
    }
    counts_to_ends(w_.first_);
    w_.in_.resize_for_overwrite(g_.dependences().size());
    for (std::size_t i = g_.dependences().size(); i-- != 0;) {
      w_.in_[--w_.first_[g_.dependences()[i].consumer]] = static_cast<std::uint32_t>(i);
    }
  }

  /// Moves operations up from their late places, in their order, each as far as an operand waits for it alone. That
  /// prolongs the lifetime of its own value by no more than it shortens that of the operand.
  constexpr void raise_readers() {
    group_by_consumer();
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      raise(o);
    }
  }

  constexpr void raise(operation_id o) {
    std::int64_t ready = 0;
    std::int64_t least = w_.start_[o]; // the least cycle from which on an operand lives only for this operation
    for (std::uint32_t i = w_.first_[o]; i != w_.first_[o + std::size_t{1}]; ++i) {
      const operation_dependence& d = g_.dependences()[w_.in_[i]];
      const std::int64_t result = w_.start_[d.producer] + d.latency - interval_ * d.distance;
      ready = result > ready ? result : ready;
      const register_need_workspace::uses& operand = w_.uses_[d.producer];
      if (reads(d) && operand.last_user == o && d.producer != o) {
        const std::int64_t only = w_.start_[o] - (operand.last - operand.last_of_others);
        least = only < least ? only : least;
      }
    }
    w_.start_[o] = ready > least ? ready : least;
  }

  constexpr void count_live(register_need_result& out) {
    compute_uses();
    add_lifetimes();
    out.general = max_live(w_.general_steps_);
    out.predicates = max_live(w_.predicate_steps_);
  }

  constexpr void add_lifetimes() {
    w_.general_steps_.assign(end_row_of(interval_) + 1, 0);
    w_.predicate_steps_.assign(end_row_of(interval_) + 1, 0);
    for (operation_id o = 0; o != g_.num_operations(); ++o) {
      if (w_.uses_[o].last >= 0) {
        add_lifetime(o, is_predicate(g_.operation(o).kind) ? w_.predicate_steps_ : w_.general_steps_);
      }
    }
  }

  /// A value that lives for k whole intervals and r more cycles counts k times in every row and once more in r rows.
  /// The tests avoid divisions for most values, which live less than an interval and begin in the first.
  constexpr void add_lifetime(operation_id o, flat_array<std::int64_t>& steps) const {
    std::int64_t rest = w_.uses_[o].last - w_.start_[o];
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

/// The largest number of values live at once if an iteration starts every `interval` cycles, regardless of resources:
/// MaxLive, as R. A. Huff defines it ("Lifetime-sensitive modulo scheduling", PLDI 1993). Takes the better of two
/// placements of the operations, the one with the lesser sum of `general` and `predicates`:
/// - *early*: each as early as its dependences allow;
/// - *late where that shortens lifetimes*: each as late as its dependences and the end of the iteration allow.
///   Operations for which nothing waits, such as exits and most stores, are spread over the iteration in their order.
///   Then, in their order, operations that are the last to use an operand go up to where its last other use is. So an
///   operation whose operands stay alive anyway comes just before its use; one whose operand dies with it comes as
///   early as that helps. The iteration ends after `interval` cycles or `length`, whichever is more.
///
/// A value lives from the issue of its operation to the issue of its last use. Since both are placements without
/// resources, the result is an upper bound on the least MaxLive of such placements, and never more than MaxLive of the
/// early one. For a real schedule it is an estimate, neither a lower nor an upper bound: resources move operations
/// apart. Values from before the loop are not counted; add one for each. Operations should come after those that they
/// wait for; otherwise fewer of them go up.
///
/// For a body that is not pipelined, give an interval of at least its length. Requires that the interval is not 0 and
/// that sums of it with latencies and distances stay below 2^62; from 2^20 cycles on, lifetimes are rounded up to rows
/// of several cycles. O(operations · dependences) in the worst case, usually a few rounds.
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
