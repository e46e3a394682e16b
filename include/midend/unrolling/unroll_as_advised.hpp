/// `unrolling_request_of`, `remainder_request_of`: how an advice is carried out.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What to ask of `unroll_loops` for a candidate of an advice, which need not be the chosen one:
///
/// - `full`: a chain of as many copies as header executions, exact or at most; with `plan_loop_ends` no loop is left;
/// - `partial`, `uncounted`: a cycle of `factor` copies;
/// - `partial_with_remainder` in the middle: the same; `drop_untaken_exits` finds the copy in which the last pass ends;
/// - `peel`: a chain of one copy more than iterations are peeled.
///
/// Nothing for the other kinds. A loop that is tested before its work has one header execution more than complete
/// iterations: the last copy of a complete unrolling is its last test.
constexpr std::optional<unrolling_request> unrolling_request_of(const unrolling_advice& advice,
                                                                const unrolling_candidate& candidate) {
  switch (candidate.kind) {
  case unrolling_kind::none:
  case unrolling_kind::runtime:
    return std::nullopt;
  case unrolling_kind::partial_with_remainder:
    return candidate.remainder == remainder_placement::mid_exit
               ? std::optional(unrolling_request{advice.loop, unrolling_shape::cycle, candidate.factor})
               : std::nullopt;
  case unrolling_kind::full: {
    const std::optional<std::uint64_t> executions = advice.counters.trip.header_executions();
    if (!executions || *executions > ~std::uint32_t{0}) {
      return std::nullopt;
    }
    return unrolling_request{advice.loop, unrolling_shape::chain, static_cast<std::uint32_t>(*executions)};
  }
  case unrolling_kind::peel:
    return unrolling_request{advice.loop, unrolling_shape::chain, candidate.factor + 1};
  default:
    return unrolling_request{advice.loop, unrolling_shape::cycle, candidate.factor};
  }
}

/// The same for the decision; nothing if there is an obstacle.
constexpr std::optional<unrolling_request> unrolling_request_of(const unrolling_advice& advice) {
  return advice.obstacle != unrolling_obstacle::none ? std::nullopt : unrolling_request_of(advice, advice.decision());
}

/// What to ask of `unroll_with_remainder`: for `runtime`, and for `partial_with_remainder` unless the remainder is in
/// the middle. For a remainder before the loop, ask for `passed_iterations::rest` first: `apply_unrolling` does.
constexpr std::optional<remainder_request> remainder_request_of(const unrolling_advice& advice,
                                                                const unrolling_candidate& candidate) {
  const bool has_remainder =
      candidate.kind == unrolling_kind::runtime || (candidate.kind == unrolling_kind::partial_with_remainder &&
                                                    candidate.remainder != remainder_placement::mid_exit);
  return has_remainder ? std::optional(remainder_request{advice.loop, candidate.factor}) : std::nullopt;
}

/// The same for the decision; nothing if there is an obstacle.
constexpr std::optional<remainder_request> remainder_request_of(const unrolling_advice& advice) {
  return advice.obstacle != unrolling_obstacle::none ? std::nullopt : remainder_request_of(advice, advice.decision());
}

MIDEND_END_NAMESPACE
