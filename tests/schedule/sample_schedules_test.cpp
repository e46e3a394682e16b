// All loops and straight lines of the sample programs, on five machines: schedules against the bounds.
#include "kit/sample_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/machine/recurrence_bound.hpp>
#include <midend/machine/register_need.hpp>
#include <midend/machine/resource_bound.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/schedule_block.hpp>
#include <midend/schedule/verify_schedule.hpp>

#include <algorithm>
#include <chrono>
#include <string>

using namespace midend_tests;

namespace {

struct sample_figures {
  int loops = 0;
  int impossible = 0;
  int at_bound = 0;
  int shortest = 0; ///< above the bound, and proven
  int lines = 0;
  int lines_at_bound = 0;
  std::uint64_t live = 0;
  std::uint64_t least_live = 0;
  std::uint64_t stages = 0;
  std::uint64_t estimated_stages = 0;
  double scheduling = 0;
  double bounding = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

sample_figures measure(const std::vector<std::pair<std::string, midend::elbrus::program>>& programs,
                       const midend::machine_model& m) {
  sample_figures f;
  midend::modulo_schedule_workspace workspace;
  midend::modulo_schedule_result result;
  midend::schedule_block_workspace block_workspace;
  midend::block_schedule_result block;
  midend::recurrence_bound_workspace recurrence_workspace;
  midend::recurrence_bound_result recurrence;
  midend::register_need_workspace need_workspace;
  for (const auto& [name, program] : programs) {
    for_each_lowered(program, m, {},
                     [&](const midend::program_region& region, const midend::machine_body& body,
                         const midend::body_cost& cost, const auto&) {
                       INFO(name);
                       if (region.is_straight_line) {
                         schedule_block(body, m, block_workspace, block);
                         REQUIRE(block.attained() != cost.resources.is_impossible);
                         if (block.attained()) {
                           ++f.lines;
                           REQUIRE(verify_schedule(body, m, block.found).empty());
                           REQUIRE(block.found.length >= block.bound);
                           f.lines_at_bound += block.found.length == block.bound ? 1 : 0;
                         }
                         return;
                       }
                       ++f.loops;
                       auto start = std::chrono::steady_clock::now();
                       modulo_schedule(body, m, {}, workspace, result);
                       f.scheduling += seconds_since(start);
                       start = std::chrono::steady_clock::now();
                       const auto resources = resource_bound(m, cost.mix);
                       recurrence_bound(body.graph, recurrence_workspace, recurrence);
                       const auto need = register_need(body.graph, cost.interval, need_workspace);
                       f.bounding += seconds_since(start);
                       REQUIRE(resources.cycles <= cost.interval);
                       if (cost.resources.is_impossible) {
                         ++f.impossible;
                         REQUIRE(result.status == midend::schedule_status::impossible);
                         return;
                       }
                       REQUIRE(result.attained());
                       REQUIRE(verify_schedule(body, m, result.found).empty());
                       REQUIRE(result.bound == cost.interval);
                       f.at_bound += result.is_at_bound() ? 1 : 0;
                       f.shortest += !result.is_at_bound() && result.is_shortest() ? 1 : 0;
                       f.stages += result.found.stages;
                       f.estimated_stages += cost.stages;
                       f.live += result.lifetimes.general + result.lifetimes.predicates;
                       f.least_live += need.general + need.predicates;
                     });
  }
  return f;
}

void report(const char* name, const sample_figures& f) {
  MESSAGE(std::string(name), ": loops ", f.loops, ", not on this machine ", f.impossible, ", at the bound ", f.at_bound,
          ", above and proven ", f.shortest, "; registers ", f.live, " of ", f.least_live, "; stages ", f.stages,
          " of ", f.estimated_stages, "; straight lines ", f.lines, ", at their bound ", f.lines_at_bound,
          "; ms scheduling ", f.scheduling * 1000, ", bounds ", f.bounding * 1000);
  CHECK(f.loops > 20);
  CHECK(f.at_bound + f.shortest + f.impossible == f.loops);
}

} // namespace

TEST_CASE("modulo_schedule: the loops of the sample programs") {
  const auto programs = sample_programs();
  report("e2k_reference_v6", measure(programs, midend::e2k_reference_v6()));
  report("e2k_guide_v4", measure(programs, midend::e2k_guide_v4()));
  report("scalar_core", measure(programs, midend::scalar_core()));
  report("c6x, from a text file", measure(programs, example_machine("c6x.machine")));
  report("hexagon, from a text file", measure(programs, example_machine("hexagon.machine")));
}
