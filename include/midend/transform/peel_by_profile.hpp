/// `plan_peel_by_profile`: how many iterations of each loop are copied before it, so that the loop itself is seldom
/// entered.
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
  no_profile,   ///< nothing says how often it runs
  never_runs,   ///< the profile has not seen it
  runs_too_long ///< after as many iterations as may be peeled, it is still probable that the loop is entered
};

/// A loop, and what the profile says about it.
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

/// What to ask `plan_unroll_loops` for. To veto a peeling, remove its request.
struct peeling_plan {
  std::uint64_t epoch = 0;
  flat_array<peeling_candidate> candidates; ///< all loops
  flat_array<unrolling_request> requests;   ///< inner loops first

  bool empty() const { return requests.empty(); }
};

/// Peels by profile (A. Drozdov, A. Stepanenkov, "Managed optimization packages"): not a fixed number of iterations,
/// but as many as it takes until entering the loop afterwards is improbable. A loop for which the limit is not enough
/// is not peeled at all: copies before a loop that runs all the same only grow the program.
///
/// The probability of one more iteration comes from counts, else from hints about the trip count, else from the
/// probabilities of its exits if all are known. It is taken to be the same in each iteration, so k iterations leave
/// repeats^k; a known maximum leaves nothing. Iterations are counted by executions of the header.
///
/// Any loop may be peeled, with several exits, loops inside, of unknown trip count: the copies are those of
/// `unroll_loops`, `{unrolling_kind::peel, k}`, each with all tests, and `plan_unroll_loops` says what cannot be copied
/// and keeps to a limit on size.
///
/// Requires a forest of this graph as it is, with boundaries. O(n + m).
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
