/// `schedule_lifetimes`: the lifetimes of the results of a schedule, and the registers that they need.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A value lives from the issue of its operation to the issue of its last reader, in cycles of its own iteration.
struct value_lifetime {
  std::uint32_t from = 0;
  std::uint32_t to = 0; ///< `from` if nothing reads it

  constexpr std::uint32_t cycles() const { return to - from; }

  friend constexpr bool operator==(const value_lifetime&, const value_lifetime&) = default;
};

/// The registers that a schedule needs.
struct schedule_lifetimes {
  flat_array<value_lifetime> values; ///< by operation
  std::uint64_t general = 0;         ///< MaxLive of values that are not predicates
  std::uint64_t predicates = 0;      ///< MaxLive of results of comparisons and of predicate logic
  std::uint64_t total = 0;           ///< the sum of all lifetimes
  std::uint32_t unroll_factor = 1;   ///< copies of the kernel without rotating registers: the longest lifetime in
                                     ///< intervals, rounded up

  friend constexpr bool operator==(const schedule_lifetimes&, const schedule_lifetimes&) = default;
};

namespace detail {

constexpr bool is_predicate_result(operation_class c) {
  return c == operation_class::compare || c == operation_class::predicate_logic;
}

constexpr bool reads_register(dependence_kind k) {
  return k == dependence_kind::value || k == dependence_kind::guard;
}

/// The largest number of values of one kind that live at once. `steps` is scratch memory.
constexpr std::uint64_t max_live(const schedulable_body& body, const schedule& s, const schedule_lifetimes& lifetimes,
                                 bool predicates, flat_array<std::int64_t>& steps) {
  std::uint32_t rows = s.interval;
  for (const value_lifetime& v : lifetimes.values) {
    rows = s.interval == 0 && v.to > rows ? v.to : rows;
  }
  steps.assign(std::size_t{rows} + 1, 0);
  for (operation_id o = 0; o != body.size(); ++o) {
    const value_lifetime& v = lifetimes.values[o];
    if (v.to == v.from || is_predicate_result(body.kind(o)) != predicates) {
      continue;
    }
    const std::uint32_t whole = v.cycles() / rows;
    const std::uint32_t from = v.from % rows;
    const std::uint32_t to = from + v.cycles() % rows;
    steps[0] += whole;
    ++steps[from];
    --steps[to <= rows ? to : rows];
    if (to > rows) {
      ++steps[0];
      --steps[to - rows];
    }
  }
  std::int64_t live = 0;
  std::int64_t most = 0;
  for (std::uint32_t row = 0; row != rows; ++row) {
    live += steps[row];
    most = live > most ? live : most;
  }
  return static_cast<std::uint64_t>(most);
}

} // namespace detail

/// Memory of `compute_lifetimes`, reused from call to call.
class schedule_lifetimes_workspace {
  friend constexpr void compute_lifetimes(const schedulable_body& body, const schedule& s,
                                          schedule_lifetimes_workspace& workspace, schedule_lifetimes& out);

  flat_array<std::int64_t> steps_;
};

/// The lifetimes of a valid schedule, refilling `out`. MaxLive is that of R. A. Huff ("Lifetime-sensitive modulo
/// scheduling", PLDI 1993): the largest number of values that live in one cycle of the kernel, of all iterations in
/// flight. Values from outside of the body are not counted. `unroll_factor` is that of modulo variable expansion (M.
/// Lam, "Software pipelining: an effective scheduling technique for VLIW machines", PLDI 1988): with this many copies
/// of the kernel, each value has a register that is not overwritten while it lives.
///
/// Requires a slot for each operation. O(operations + dependences + cycles).
constexpr void compute_lifetimes(const schedulable_body& body, const schedule& s,
                                 schedule_lifetimes_workspace& workspace, schedule_lifetimes& out) {
  MIDEND_ASSERT(s.slots.size() == body.size(), "a slot for each operation", s.slots.size(), body.size());
  out.values.resize_for_overwrite(body.size());
  for (operation_id o = 0; o != body.size(); ++o) {
    out.values[o] = {s.slots[o].cycle, s.slots[o].cycle};
  }
  for (const operation_dependence& d : body.graph.dependences()) {
    if (detail::reads_register(d.kind)) {
      const std::uint32_t read = s.slots[d.consumer].cycle + s.interval * d.distance;
      value_lifetime& v = out.values[d.producer];
      v.to = read > v.to ? read : v.to;
    }
  }
  out.total = 0;
  std::uint32_t longest = 0;
  for (const value_lifetime& v : out.values) {
    out.total += v.cycles();
    longest = v.cycles() > longest ? v.cycles() : longest;
  }
  out.unroll_factor = s.interval == 0 || longest == 0 ? 1 : (longest + s.interval - 1) / s.interval;
  out.general = detail::max_live(body, s, out, false, workspace.steps_);
  out.predicates = detail::max_live(body, s, out, true, workspace.steps_);
}

/// The lifetimes of a valid schedule.
constexpr schedule_lifetimes compute_lifetimes(const schedulable_body& body, const schedule& s) {
  schedule_lifetimes_workspace workspace;
  schedule_lifetimes out;
  compute_lifetimes(body, s, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
