/// The time of a loop over all its iterations, from the costs of its bodies.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/loop_time.hpp"
#include "midend/support/order.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The time of an unrolled loop: `passes` iterations of the new body, and the old body for the remaining ones.
struct unrolled_times {
  const loop_machine_times& machine;
  const body_cost& rolled;
  const body_cost& body;
  std::uint64_t factor;
  std::uint64_t preparation; ///< cycles to compute the number of new iterations
  bool leaves_in_the_middle; ///< the last new iteration may be incomplete, so nothing remains

  constexpr std::uint64_t passes(std::uint64_t iterations) const {
    return leaves_in_the_middle ? iterations / factor + (iterations % factor != 0) : iterations / factor;
  }

  constexpr loop_time operator()(std::uint64_t iterations) const {
    const std::uint64_t left = leaves_in_the_middle ? 0 : iterations % factor;
    const loop_time main = machine.loop(body, passes(iterations));
    const loop_time rest = machine.loop(rolled, left);
    return {main.cycles + rest.cycles, main.setup + rest.setup + preparation, main.is_pipelined};
  }
};

/// The least number of iterations from which on the unrolled loop is never slower than the old one, for any remainder;
/// 0 if there is none. From `steady_pass` on, where both loops are pipelined if ever, the difference is linear for each
/// remainder. O(factor · shortest pipelined trip).
struct break_even_search {
  const unrolled_times& unrolled;

  constexpr std::uint64_t operator()() const {
    const std::uint64_t factor = unrolled.factor;
    const std::uint64_t steady = steady_pass();
    std::uint64_t least = 1;
    for (std::uint64_t left = 0; left != factor; ++left) {
      const std::uint64_t first = first_not_slower(steady * factor + left);
      if (first == 0) {
        return 0;
      }
      least = max(least, first == steady * factor + left ? 1 : first - factor + 1);
    }
    if (least > steady * factor) {
      return least;
    }
    std::uint64_t iterations = (steady + 1) * factor;
    const std::uint64_t last = iterations > least + most_steps ? iterations - most_steps : least;
    while (iterations > last && !is_slower(iterations - 1)) {
      --iterations;
    }
    return iterations;
  }

  constexpr bool is_slower(std::uint64_t iterations) const { return unrolled(iterations).total() > old(iterations); }

private:
  /// On a machine that pipelines no shorter trips than this, the result may be a little too large.
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 16;

  constexpr std::uint64_t old(std::uint64_t iterations) const {
    return unrolled.machine.loop(unrolled.rolled, iterations).total();
  }

  /// From this new iteration on, each further one adds the same number of cycles to both loops.
  constexpr std::uint64_t steady_pass() const {
    const std::uint64_t trip = max<std::uint64_t>(unrolled.machine.shortest_pipelined_trip, 1);
    return max(max(trip, last_faster_alone(unrolled.body)), last_faster_alone(unrolled.rolled));
  }

  /// Up to this number of iterations, a loop with many stages may be faster without overlap.
  constexpr std::uint64_t last_faster_alone(const body_cost& b) const {
    if (!b.may_be_pipelined() || b.alone <= b.interval) {
      return 0;
    }
    return ((b.stages - 1) * b.interval + unrolled.machine.setup) / (b.alone - b.interval) + 1;
  }

  /// The first of `iterations`, `iterations` + factor, … that is not slower; 0 if there is none.
  constexpr std::uint64_t first_not_slower(std::uint64_t iterations) const {
    const std::uint64_t old_growth = old(iterations + unrolled.factor) - old(iterations);
    const std::uint64_t growth = unrolled(iterations + unrolled.factor).total() - unrolled(iterations).total();
    if (growth > old_growth) {
      return 0;
    }
    if (!is_slower(iterations)) {
      return iterations;
    }
    const std::uint64_t gain = old_growth - growth;
    const std::uint64_t loss = unrolled(iterations).total() - old(iterations);
    return gain == 0 ? 0 : iterations + (loss + gain - 1) / gain * unrolled.factor;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
