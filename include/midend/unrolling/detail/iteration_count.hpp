/// How many iterations a loop has, as far as unrolling it asks.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/support/order.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// How many iterations a loop has, as its kinds of unrolling need it.
struct iteration_count {
  bool is_exact = false;       ///< of the counted exit
  std::uint64_t exact = 0;     ///< complete iterations that the counted exit lets through
  std::uint64_t divisible = 1; ///< their number is a multiple of it
  bool is_computable = false;  ///< known when the loop is entered
  std::uint64_t expected = 0;  ///< what totals are for
  bool is_assumed = false;     ///< nothing is known of `expected`
  bool is_profiled = false;
  std::uint64_t most = ~std::uint64_t{0}; ///< more are impossible, or not expected
};

/// Totals are for no more iterations than these, so that they fit in 64 bits.
inline constexpr std::uint64_t longest_total = std::uint64_t{1} << 40;

/// The nearest number of iterations to an average, at least 1.
constexpr std::uint64_t rounded_trip(double average) {
  if (average >= static_cast<double>(longest_total)) {
    return longest_total;
  }
  return average < 1 ? 1 : static_cast<std::uint64_t>(average + 0.5);
}

constexpr const loop_exit* counted_exit_of(const loop_counters& counters) {
  return counters.counted_exit == no_body_value ? nullptr : &counters.exits[counters.counted_exit];
}

/// Iterations are complete ones, of which a loop that is tested before its work has one less than header executions.
constexpr iteration_count iterations_of(const loop_body& body, const loop_counters& counters,
                                        const unrolling_options& options) {
  iteration_count n;
  const loop_exit* const counted = counted_exit_of(counters);
  const std::uint64_t extra = counted != nullptr && !counted->is_at_bottom ? 0 : 1;
  n.expected = min(options.assumed_trip, longest_total);
  n.is_assumed = true;
  if (body.hints.average > 0) {
    n.expected = rounded_trip(body.hints.average - (extra == 0 ? 1 : 0));
    n.is_profiled = true;
    n.is_assumed = false;
    n.most = n.expected;
  }
  if (counters.trip.kind == trip_count_kind::at_most && counters.trip.header_executions()) {
    n.most = min(n.most, counters.trip.backedges + extra);
    n.expected = min(n.expected, n.most);
  }
  if (counters.is_exact()) {
    n.most = counters.trip.backedges + extra >= extra ? counters.trip.backedges + extra : n.most;
    n.expected = min(n.most, longest_total);
    n.is_profiled = n.is_assumed = false;
  }
  if (const auto exact = counters.counted_iterations()) {
    n.is_exact = true;
    n.exact = *exact;
    n.divisible = n.exact;
  } else if (counted != nullptr && counted->has_formula) {
    n.is_computable = true;
    n.divisible = extra == 1 ? counters.trip_multiple : 1;
  }
  return n;
}

} // namespace detail

MIDEND_END_NAMESPACE
