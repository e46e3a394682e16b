/// How long a loop takes altogether, by what its bodies take.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/order.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Cycles and, kept apart, what comes before the first of them.
struct loop_time {
  std::uint64_t cycles = 0;
  std::uint64_t setup = 0;

  constexpr std::uint64_t total() const { return cycles + setup; }
};

/// What the fields of a machine say of loops.
struct loop_machine_times {
  std::uint64_t shortest_pipelined_trip = 0;
  std::uint64_t setup = 0;
  std::uint64_t branch_penalty = 0;

  template <class M>
  constexpr explicit loop_machine_times(const M& m)
      : shortest_pipelined_trip(m.value(machine_field::shortest_pipelined_trip)),
        setup(m.value(machine_field::loop_setup)), branch_penalty(m.value(machine_field::loop_branch_penalty)) {}

  constexpr bool is_pipelined(const body_cost& body, std::uint64_t passes) const {
    return body.may_be_pipelined() && passes >= shortest_pipelined_trip;
  }

  /// Of one pass in a run of so many.
  constexpr std::uint64_t cycles_per_pass(const body_cost& body, std::uint64_t passes) const {
    return (is_pipelined(body, passes) ? body.interval : body.alone) + branch_penalty;
  }

  /// A loop that runs so many passes. What would be faster without pipelining is not pipelined.
  constexpr loop_time loop(const body_cost& body, std::uint64_t passes) const {
    if (passes == 0) {
      return {};
    }
    const loop_time alone{passes * (body.alone + branch_penalty), 0};
    if (!is_pipelined(body, passes)) {
      return alone;
    }
    const loop_time pipelined{(passes + body.stages - 1) * body.interval + passes * branch_penalty, setup};
    return pipelined.total() <= alone.total() ? pipelined : alone;
  }
};

/// How a loop runs that was unrolled: passes of the new body, and what is left for the old one.
struct unrolled_times {
  const loop_machine_times& machine;
  const body_cost& rolled;
  const body_cost& body;
  std::uint64_t factor;
  std::uint64_t preparation; ///< computing the number of passes
  bool leaves_in_the_middle; ///< the last pass need not be complete, so that nothing is left

  constexpr std::uint64_t passes(std::uint64_t iterations) const {
    return leaves_in_the_middle ? iterations / factor + (iterations % factor != 0) : iterations / factor;
  }

  /// With as many iterations in the loop as it was as are left.
  constexpr loop_time operator()(std::uint64_t iterations) const {
    const std::uint64_t left = leaves_in_the_middle ? 0 : iterations % factor;
    const loop_time main = machine.loop(body, passes(iterations));
    const loop_time rest = machine.loop(rolled, left);
    return {main.cycles + rest.cycles, main.setup + rest.setup + preparation};
  }
};

/// From how many iterations on the unrolled loop is never slower than it was, whatever remains; 0 if it always may be.
/// From the fourth pass on (more exactly, from where both loops are pipelined, if ever), the difference is linear for
/// each remainder. O(factor · shortest pipelined trip).
struct break_even_search {
  /// Where a machine pipelines nothing shorter than this, it may pay a little sooner than is said.
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 16;

  const unrolled_times& unrolled;

  constexpr bool is_slower(std::uint64_t iterations) const {
    const loop_time old = unrolled.machine.loop(unrolled.rolled, iterations);
    return unrolled(iterations).total() > old.total();
  }

  /// From here on both grow by the same number of cycles with each pass.
  constexpr std::uint64_t steady_pass() const {
    const std::uint64_t trip = max<std::uint64_t>(unrolled.machine.shortest_pipelined_trip, 1);
    return max(max(trip, last_better_alone(unrolled.body)), last_better_alone(unrolled.rolled));
  }

  /// Few passes of a loop with many stages may be faster one by one.
  constexpr std::uint64_t last_better_alone(const body_cost& b) const {
    if (!b.may_be_pipelined() || b.alone <= b.interval) {
      return 0;
    }
    return ((b.stages - 1) * b.interval + unrolled.machine.setup) / (b.alone - b.interval) + 1;
  }

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

  /// Of `iterations`, `iterations` + factor, …; 0 if all are slower.
  constexpr std::uint64_t first_not_slower(std::uint64_t iterations) const {
    if (!is_slower(iterations)) {
      return grows_slower(iterations) ? iterations : 0;
    }
    const std::uint64_t gain = gain_per_pass(iterations);
    if (!grows_slower(iterations) || gain == 0) {
      return 0;
    }
    const std::uint64_t loss =
        unrolled(iterations).total() - unrolled.machine.loop(unrolled.rolled, iterations).total();
    return iterations + (loss + gain - 1) / gain * unrolled.factor;
  }

  /// Cycles by which the old loop grows more with a pass of the new one.
  constexpr std::uint64_t gain_per_pass(std::uint64_t iterations) const {
    const std::uint64_t now = unrolled.machine.loop(unrolled.rolled, iterations).total();
    const std::uint64_t then = unrolled.machine.loop(unrolled.rolled, iterations + unrolled.factor).total();
    const std::uint64_t by = unrolled(iterations + unrolled.factor).total() - unrolled(iterations).total();
    return then - now > by ? then - now - by : 0;
  }

  constexpr bool grows_slower(std::uint64_t iterations) const {
    const std::uint64_t now = unrolled.machine.loop(unrolled.rolled, iterations).total();
    const std::uint64_t then = unrolled.machine.loop(unrolled.rolled, iterations + unrolled.factor).total();
    return unrolled(iterations + unrolled.factor).total() - unrolled(iterations).total() <= then - now;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
