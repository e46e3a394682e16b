// Schedules with a workspace allocate nothing once workspace and result have seen the bodies.
#include "kit/allocations.hpp"
#include "kit/random_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/schedule/exact_modulo_schedule.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/schedule_block.hpp>

#include <vector>

using namespace midend_tests;

TEST_CASE("schedules: a second round allocates nothing") {
  const midend::machine_model m = midend::e2k_reference_v6();
  random_source random(81);
  std::vector<midend::dependence_graph> bodies;
  for (int i = 0; i != 30; ++i) {
    bodies.push_back(random_body(random, m, true, 2 + random.below(22), 6));
  }
  midend::modulo_schedule_workspace pipelines;
  midend::modulo_schedule_result pipeline;
  midend::exact_schedule_workspace searches;
  midend::exact_schedule_result exact;
  midend::schedule_block_workspace lines;
  midend::block_schedule_result line;
  const auto round = [&] {
    for (const midend::dependence_graph& g : bodies) {
      modulo_schedule(g, m, {}, pipelines, pipeline);
      exact_modulo_schedule(g, m, {}, searches, exact);
      schedule_block(g, m, lines, line);
    }
  };
  round();
  CHECK(allocations_of(round) == 0);
}
