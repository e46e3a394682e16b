/// How many registers a loop body needs, estimated without a schedule.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/support/flat_array.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// Values of a body that are live at once, in all iterations in flight. Predicates are what comparisons and predicate
/// logic compute.
struct register_need_result {
  bool is_infeasible = false; ///< at this distance the dependences cannot be kept: below the recurrence bound
  std::uint64_t general = 0;
  std::uint64_t predicates = 0;
  std::uint64_t length = 0; ///< of one iteration, until its last result is there

  friend constexpr bool operator==(const register_need_result&, const register_need_result&) = default;
};

class register_need_workspace {
public:
  flat_array<std::int64_t> start;         ///< by operation
  flat_array<std::int64_t> end;           ///< by operation, of its value; -1 without a use
  flat_array<std::int64_t> general_steps; ///< by row, how the number of live values changes
  flat_array<std::int64_t> predicate_steps;
};

namespace detail {

struct register_need_search {
  const dependence_graph& g;
  std::int64_t interval;
  register_need_workspace& w;
  int shift = shift_of(interval); ///< of a cycle to its row

  /// A row a cycle, but for intervals that no machine has.
  static constexpr int shift_of(std::int64_t interval) {
    constexpr int most_bits = 20;
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(interval)));
    return bits > most_bits ? bits - most_bits : 0;
  }

  constexpr std::size_t row_of(std::int64_t cycle) const { return static_cast<std::size_t>(cycle >> shift); }

  /// The row in which or before which a value ends: none is lost between two cycles of a row.
  constexpr std::size_t end_row_of(std::int64_t cycle) const { return row_of(cycle + (std::int64_t{1} << shift) - 1); }

  static constexpr bool is_predicate(operation_class c) {
    return c == operation_class::compare || c == operation_class::predicate_logic;
  }

  /// As early as the dependences allow. False if that does not settle.
  constexpr bool place() {
    w.start.assign(g.num_operations(), 0);
    for (std::size_t pass = 0; pass <= g.num_operations(); ++pass) {
      bool changed = false;
      for (const dependence& d : g.dependences()) {
        const std::int64_t earliest = w.start[d.producer] + d.latency - interval * d.distance;
        changed = changed || earliest > w.start[d.consumer];
        w.start[d.consumer] = earliest > w.start[d.consumer] ? earliest : w.start[d.consumer];
      }
      if (!changed) {
        return true;
      }
    }
    return false;
  }

  constexpr void find_last_uses() {
    w.end.assign(g.num_operations(), -1);
    for (const dependence& d : g.dependences()) {
      const bool uses = d.kind == dependence_kind::value || d.kind == dependence_kind::guard;
      const std::int64_t at = w.start[d.consumer] + interval * d.distance;
      if (uses && at > w.end[d.producer]) {
        w.end[d.producer] = at;
      }
    }
  }

  /// A value of `whole` intervals and some cycles is `whole` times in each row, and once more in those.
  constexpr void add_lifetimes() {
    w.general_steps.assign(end_row_of(interval) + 1, 0);
    w.predicate_steps.assign(end_row_of(interval) + 1, 0);
    for (operation_id o = 0; o != g.num_operations(); ++o) {
      if (w.end[o] >= 0) {
        add_lifetime(o, is_predicate(g.operation(o).kind) ? w.predicate_steps : w.general_steps);
      }
    }
  }

  /// Most values live for less than an interval, and begin in the first few.
  constexpr void add_lifetime(operation_id o, flat_array<std::int64_t>& steps) const {
    std::int64_t rest = w.end[o] - w.start[o];
    if (rest >= interval) {
      steps[0] += rest / interval;
      steps[end_row_of(interval)] -= rest / interval;
      rest %= interval;
    }
    const std::int64_t from = w.start[o] < interval ? w.start[o] : w.start[o] % interval;
    const std::int64_t to = from + rest;
    steps[row_of(from)] += 1;
    if (to <= interval) {
      steps[end_row_of(to)] -= 1;
    } else {
      steps[0] += 1;
      steps[end_row_of(to - interval)] -= 1;
    }
  }

  constexpr std::uint64_t most_live(const flat_array<std::int64_t>& steps) const {
    std::int64_t live = 0;
    std::int64_t most = 0;
    for (std::size_t row = 0; row + 1 < steps.size(); ++row) {
      live += steps[row];
      most = live > most ? live : most;
    }
    return static_cast<std::uint64_t>(most);
  }
};

} // namespace detail

/// The values that are live at once if an iteration starts every `interval` cycles and each operation is issued as
/// early as its dependences allow, resources or not: MaxLive of that schedule, in the sense of R. A. Huff,
/// "Lifetime-sensitive modulo scheduling", PLDI 1993. A value lives from the issue of its operation to the issue of its
/// last use. An estimate, neither a lower nor an upper bound: resources move operations apart, and a scheduler that
/// minds registers moves producers down. Values that come from before the loop are not counted; add one for each.
///
/// For a body that is not pipelined give its length, or more, as the interval. Requires an interval that is not 0, and
/// one that with latencies and distances stays below 2^62; from 2^20 cycles on lives are rounded up to rows of several.
/// O(operations · dependences) in the worst case, a few passes as a rule.
constexpr register_need_result register_need(const dependence_graph& g, std::uint64_t interval,
                                             register_need_workspace& workspace) {
  MIDEND_ASSERT(interval != 0, "an interval of at least one cycle");
  register_need_result out;
  detail::register_need_search search{g, static_cast<std::int64_t>(interval), workspace};
  if (!search.place()) {
    out.is_infeasible = true;
    return out;
  }
  search.find_last_uses();
  search.add_lifetimes();
  out.general = search.most_live(workspace.general_steps);
  out.predicates = search.most_live(workspace.predicate_steps);
  for (operation_id o = 0; o != g.num_operations(); ++o) {
    const auto end = static_cast<std::uint64_t>(workspace.start[o]) + g.operation(o).latency;
    out.length = end > out.length ? end : out.length;
  }
  return out;
}

constexpr register_need_result register_need(const dependence_graph& g, std::uint64_t interval) {
  register_need_workspace workspace;
  return register_need(g, interval, workspace);
}

MIDEND_END_NAMESPACE
