/// `plan_peel_by_profile`: how many iterations to copy before each loop, so that the loop itself is rarely entered.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/profile.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/detail/node_frequencies.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/transform/unrolling_form.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Why a loop is not peeled.
enum class peeling_obstacle : std::uint8_t {
  none,
  no_profile,   ///< no profile or hint gives its trip count
  never_runs,   ///< its count is 0
  runs_too_long ///< after `max_peeled` iterations the loop is still entered too often
};

/// A loop and its probabilities by the profile.
struct peeling_candidate {
  loop_id loop;
  peeling_obstacle obstacle = peeling_obstacle::none;
  std::uint32_t peeled = 0; ///< iterations
  double repeats = 0;       ///< the probability of one more iteration
  double enters = 0;        ///< the probability that the loop is entered after the peeled iterations

  friend constexpr bool operator==(const peeling_candidate&, const peeling_candidate&) = default;
};

struct peeling_options {
  double improbable = 0.125;    ///< a loop is peeled until it is entered with at most this probability
  std::uint32_t max_peeled = 4; ///< iterations
};

/// Requests for `plan_unroll_loops`. To veto a peeling, remove its request.
struct peeling_plan {
  std::uint64_t epoch = 0;
  flat_array<peeling_candidate> candidates; ///< all loops
  flat_array<unrolling_request> requests;   ///< inner loops first

  bool empty() const { return requests.empty(); }
};

/// Plans peeling by profile (A. Drozdov, A. Stepanenkov, "Managed optimization packages"): as many iterations as it
/// takes until entering the loop afterwards is improbable. If `max_peeled` iterations are not enough, the loop is not
/// peeled at all: copies before a loop that still runs only enlarge the program.
///
/// The probability of one more iteration comes from counts, else from hints about the trip count, else from the
/// probabilities of its exits if all are known. It is assumed to be equal in each iteration, so the loop is entered
/// after k peeled iterations with probability repeats^k, or 0 if k reaches a known maximum. Iterations are counted by
/// executions of the header.
///
/// Any loop can be peeled, also with several exits, inner loops or an unknown trip count: `unroll_loops` makes the
/// copies, `{unrolling_kind::peel, k}`, each with all tests. `plan_unroll_loops` rejects loops that cannot be copied
/// and limits the size.
///
/// Requires a forest of this graph as it is, with boundaries. Unreachable nodes are in no loop. O(n + m).
template <profile_ir_argument IR>
peeling_plan plan_peel_by_profile(const IR& ir, const loop_forest& loops, const peeling_options& options = {}) {
  const auto& g = ir.graph();
  MIDEND_ASSERT(loops.epoch() == graph_epoch(g), "a loop forest of this graph", loops.epoch(), graph_epoch(g));
  peeling_plan plan;
  plan.epoch = graph_epoch(g);
  detail::node_frequencies frequencies;
  bool has_frequencies = false;
  for (std::size_t i = loops.num_loops(); i-- != 0;) { // a loop comes before those in it
    peeling_candidate c{static_cast<loop_id>(i)};
    const node_id header = loops.header(c.loop);
    std::uint64_t maximum = 0;
    double average = 0;
    if constexpr (has_trip_hints<IR>) {
      const loop_hints hints = ir.trip_hints(header);
      maximum = hints.maximum;
      average = hints.average;
    }
    const std::optional<std::uint64_t> count = ir.count(header);
    double again = 0;
    bool has_counts = count.has_value();
    for (const loop_edge& e : loops.backedges(c.loop)) {
      const std::optional<std::uint64_t> taken = edge_count(ir, g, e.id);
      has_counts = has_counts && taken.has_value();
      again += static_cast<double>(taken.value_or(0));
    }
    bool is_known = true;
    if (has_counts && count.value_or(0) != 0) {
      const double all = static_cast<double>(count.value_or(0));
      c.repeats = again < all ? again / all : 1;
    } else if (average >= 1) {
      c.repeats = 1 - 1 / average;
    } else if (has_counts) {
      c.obstacle = peeling_obstacle::never_runs;
    } else {
      for (const loop_edge& e : loops.exiting_edges(c.loop)) {
        is_known = is_known && static_cast<double>(ir.probability(e.id)) >= 0;
      }
      is_known = is_known && loops.exiting_edges(c.loop).begin() != loops.exiting_edges(c.loop).end();
      if (is_known && !has_frequencies) {
        frequencies.compute(ir, loops);
        has_frequencies = true;
      }
      c.repeats = is_known ? frequencies.repeats(c.loop) : 1;
    }
    c.enters = 1;
    while (c.obstacle == peeling_obstacle::none && c.enters > options.improbable && c.peeled != options.max_peeled) {
      ++c.peeled;
      c.enters = maximum != 0 && c.peeled >= maximum ? 0 : c.enters * c.repeats;
    }
    if (c.obstacle == peeling_obstacle::none && c.enters > options.improbable) {
      c.obstacle = is_known || maximum != 0 ? peeling_obstacle::runs_too_long : peeling_obstacle::no_profile;
      c.peeled = 0;
      c.enters = 1;
    }
    if (c.obstacle == peeling_obstacle::none && c.peeled != 0) {
      plan.requests.push_back({c.loop, {unrolling_kind::peel, c.peeled}});
    }
    plan.candidates.push_back(c);
  }
  return plan;
}

MIDEND_END_NAMESPACE
