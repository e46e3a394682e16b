/// The recurrence bound: what a loop carries from iteration to iteration cannot go round faster.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/detail/positive_cycle.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

enum class recurrence_status : std::uint8_t {
  none,       ///< no cycle takes time: the bound is 0
  bound,      ///< there is a bound
  impossible, ///< the cycle has distance 0: its operations wait for each other, and no schedule exists
  too_large   ///< the sums of latencies and of distances, multiplied, reach 2^60
};

/// At least `exact` cycles an iteration on average, and the cycle that takes them.
struct recurrence_bound_result {
  recurrence_status status = recurrence_status::none;
  fraction exact;                  ///< the latencies of the cycle over its distances
  flat_array<std::uint32_t> cycle; ///< positions in `dependences()`, each one's consumer the next one's producer

  /// The least whole number of cycles between two iterations.
  constexpr std::uint64_t cycles() const { return exact.ceiling(); }

  friend constexpr bool operator==(const recurrence_bound_result&, const recurrence_bound_result&) = default;
};

/// What `recurrence_bound` works with; keeps its memory from call to call.
class recurrence_workspace {
public:
  detail::positive_cycle_memory memory;
};

namespace detail {

struct recurrence_search {
  /// All sums of the search stay below 2^62 if this holds.
  static constexpr bool fits(const dependence_graph& g) {
    constexpr std::uint64_t limit = std::uint64_t{1} << 60;
    std::uint64_t latencies = 1;
    std::uint64_t distances = 1;
    for (const dependence& d : g.dependences()) {
      latencies += d.latency;
      distances += d.distance;
      if (latencies >= limit || distances >= limit) {
        return false;
      }
    }
    return latencies < limit / distances;
  }

  /// A cycle without distance: every dependence that has one is given so little that no cycle with it is positive. As
  /// a rule whatever leads back has a distance.
  static constexpr bool find_impossible(const dependence_graph& g, recurrence_workspace& w,
                                        recurrence_bound_result& out) {
    bool may_be = false;
    for (const std::uint32_t d : w.memory.leading_back) {
      may_be = may_be || g.dependences()[d].distance == 0;
    }
    if (!may_be) {
      return false;
    }
    const auto count = static_cast<std::int64_t>(g.dependences().size());
    return find_positive_cycle(
        g, [count](const dependence& d) { return d.distance == 0 ? std::int64_t{1} : -count; }, w.memory, out.cycle);
  }

  static constexpr fraction ratio_of(const dependence_graph& g, std::span<const std::uint32_t> cycle) {
    std::uint64_t latency = 0;
    std::uint64_t distance = 0;
    for (const std::uint32_t d : cycle) {
      latency += g.dependences()[d].latency;
      distance += g.dependences()[d].distance;
    }
    return {latency, distance};
  }

  /// The operation that waits longest for itself alone: a beginning.
  static constexpr void look_at_single_operations(const dependence_graph& g, recurrence_workspace& w,
                                                  recurrence_bound_result& out) {
    for (const std::uint32_t i : w.memory.leading_back) {
      const dependence& d = g.dependences()[i];
      if (d.producer == d.consumer && d.latency != 0 && fraction(d.latency, d.distance) > out.exact) {
        out.exact = {d.latency, d.distance};
        out.cycle.clear();
        out.cycle.push_back(i);
        out.status = recurrence_status::bound;
      }
    }
  }

  /// As long as some cycle has a greater ratio, go on from that.
  static constexpr void raise(const dependence_graph& g, recurrence_workspace& w, recurrence_bound_result& out) {
    const auto beats = [&out](const dependence& d) {
      return static_cast<std::int64_t>(out.exact.denominator() * d.latency) -
             static_cast<std::int64_t>(out.exact.numerator() * d.distance);
    };
    while (find_positive_cycle(g, beats, w.memory, w.memory.better)) {
      out.exact = ratio_of(g, w.memory.better);
      out.cycle.assign(std::span<const std::uint32_t>(w.memory.better));
      out.status = recurrence_status::bound;
    }
  }
};

} // namespace detail

/// The recurrence bound of a loop body, RecMII before rounding: the maximum over the cycles of dependences of the sum
/// of latencies over the sum of distances. Refills `out`, which names a cycle that attains it.
///
/// The maximum ratio is found as W. Dinkelbach does ("On nonlinear fractional programming", Management Science 13(7),
/// 1967): from the ratio p/q of some cycle to that of one with q · latencies - p · distances > 0, until there is none,
/// all in integers; where E. L. Lawler (Combinatorial Optimization, 1976, 3.13) would halve an interval. Each step is a
/// search for a positive cycle after Bellman and Ford. The ratio rises with each step, so that it ends.
///
/// An operation that depends on itself is a cycle; of parallel dependences the worst counts. A cycle without distance
/// is an error value, as are numbers that are too large. O(steps · operations · dependences) in the worst case; a few
/// passes over a body whose dependences lead forward.
constexpr void recurrence_bound(const dependence_graph& g, recurrence_workspace& workspace,
                                recurrence_bound_result& out) {
  out.status = recurrence_status::none;
  out.exact = {};
  out.cycle.clear();
  if (!detail::recurrence_search::fits(g)) {
    out.status = recurrence_status::too_large;
    return;
  }
  detail::prepare_positive_cycles(g, workspace.memory);
  if (detail::recurrence_search::find_impossible(g, workspace, out)) {
    out.status = recurrence_status::impossible;
  } else {
    out.cycle.clear();
    detail::recurrence_search::look_at_single_operations(g, workspace, out);
    detail::recurrence_search::raise(g, workspace, out);
  }
}

/// The recurrence bound of a loop body.
constexpr recurrence_bound_result recurrence_bound(const dependence_graph& g) {
  recurrence_workspace workspace;
  recurrence_bound_result out;
  recurrence_bound(g, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
