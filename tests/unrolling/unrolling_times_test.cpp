// Total times of loops, and break-even trip counts compared with a search over all trip counts.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/detail/unrolling_times.hpp>

using namespace midend_tests;
using midend::body_cost;
using midend::loop_machine_times;
using midend::pipelining_obstacle;
using midend::detail::break_even_search;
using midend::detail::unrolled_times;

namespace {

body_cost pipelined(std::uint64_t interval, std::uint64_t length) {
  body_cost b;
  b.interval = interval;
  b.alone = std::max(interval, length);
  b.length = length;
  b.stages = (length + interval - 1) / interval;
  return b;
}

body_cost random_body(random_source& random, std::uint64_t copies) {
  body_cost b = pipelined(1 + random.below(static_cast<std::uint32_t>(4 * copies)), 1 + random.below(30));
  if (random.one_in(4)) {
    b.obstacle = pipelining_obstacle::call;
  }
  return b;
}

/// The break-even trip count by trying all up to `most`, which is far beyond any difference.
std::uint64_t break_even_by_trying(const unrolled_times& times, std::uint64_t most) {
  std::uint64_t least = most;
  while (least > 1 && !break_even_search{times}.is_slower(least - 1)) {
    --least;
  }
  return least + times.factor > most ? 0 : least; // a run at the end is shorter than all remainders
}

} // namespace

TEST_CASE("times of a loop: example 1 of the spec, five iterations of a body with II 3 and length 8") {
  constexpr loop_machine_times e2k(midend::e2k_reference_v6());
  const auto time = e2k.loop(pipelined(3, 8), 5);
  CHECK(time.cycles == (5 + 3 - 1) * 3);
  CHECK(time.setup == 5);
}

TEST_CASE("times of a loop: three passes are too few to pipeline, and none take no time") {
  constexpr loop_machine_times e2k(midend::e2k_reference_v6());
  CHECK(e2k.loop(pipelined(3, 8), 3).cycles == 24);
  CHECK(e2k.loop(pipelined(3, 8), 3).setup == 0);
  CHECK(e2k.loop(pipelined(3, 8), 0).total() == 0);
}

TEST_CASE("times of a loop: a loop that is faster without pipelining is not pipelined") {
  constexpr loop_machine_times e2k(midend::e2k_reference_v6());
  CHECK(e2k.loop(pipelined(10, 11), 4).cycles == 44); // (4 + 2 - 1) * 10 + 5 otherwise
}

TEST_CASE("break-even: the same as by trying all trip counts, for random bodies") {
  random_source random(71);
  std::size_t found = 0;
  for (int round = 0; round != 3000; ++round) {
    const std::uint64_t factor = 2 + random.below(15);
    const loop_machine_times machine(round % 3 == 0 ? midend::scalar_core() : midend::e2k_reference_v6());
    const body_cost rolled = random_body(random, 1);
    const body_cost body = random_body(random, factor);
    const unrolled_times times{machine, rolled, body, factor, random.below(20), random.one_in(2)};
    const std::uint64_t expected = break_even_by_trying(times, 6000);
    INFO("round " << round << " factor " << factor << " II " << rolled.interval << " to " << body.interval);
    REQUIRE(break_even_search{times}() == expected);
    found += expected != 0;
  }
  CHECK(found > 300);
}
