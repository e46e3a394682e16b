// The bounds of lower_region against schedules of the same operations: no schedule is shorter than the bound, and
// nearly all attain it.
#include "kit/affordable.hpp"
#include "kit/random_programs.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/lowering/lower_region.hpp>
#include <midend/machine/lowering/read_region.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/schedule_block.hpp>
#include <midend/schedule/verify_schedule.hpp>
#include <midend/unrolling/try_unrolling.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::body_cost;
using midend::lowering_options;
using midend::machine_body;
using midend::machine_model;

namespace {

/// By how many cycles schedules are above the bound.
class distribution {
public:
  void add(std::int64_t above) { ++loops_[above]; }

  int attained() { return loops_[0]; }

  int total() const {
    int all = 0;
    for (const auto& [above, count] : loops_) {
      all += count;
    }
    return all;
  }

  std::string text() const {
    std::string out;
    for (const auto& [above, count] : loops_) {
      out += join(out.empty() ? "" : ", ", "+", static_cast<std::uint64_t>(above), ": ",
                  static_cast<std::uint64_t>(count));
    }
    return out;
  }

private:
  std::map<std::int64_t, int> loops_;
};

/// A loop, to be unrolled.
struct readable_loop {
  midend::extracted_loop extracted;

  /// The body after a trial; nothing if no loop is left, or the loop is not copied.
  std::optional<machine_body> unrolled(const machine_model& m, std::uint32_t copies, const lowering_options& options,
                                       body_cost& cost) const {
    midend::try_unrolling_workspace workspace;
    midend::unrolling_trial trial;
    midend::unrolling_trial_options trying;
    trying.lowering = options;
    const auto kind = copies == 1 ? midend::unrolling_kind::none : midend::unrolling_kind::partial;
    midend::try_unrolling(extracted, {kind, copies}, m, trying, workspace, trial);
    if (trial.unrolled() == nullptr || trial.unrolled()->obstacle != midend::region_obstacle::none) {
      return std::nullopt;
    }
    midend::program_region region;
    machine_body out;
    cost = midend::lower_trial(trial, m, options, workspace, region, out);
    return out;
  }
};

/// Calls `visit` for each innermost loop of a program.
template <class Visit> void for_each_loop(midend::elbrus::program& program, Visit visit) {
  midend::elbrus::construct_ssa(program);
  midend::extract_loop_workspace memory;
  for (midend::elbrus::procedure& p : program.procedures) {
    const midend::elbrus::cost_editor e(p);
    const auto found = midend::dominators_and_loops(p);
    for (const midend::loop_id l : found.loops.loops()) {
      if (found.loops.subloops(l).size() == 1) {
        readable_loop loop;
        midend::extract_loop(e, found.dominators, found.loops, l, memory, loop.extracted);
        midend::expect_trips(loop.extracted);
        visit(loop);
      }
    }
  }
}

/// Calls `visit` for each node as straight code, lowered.
template <class Visit>
void for_each_node(const midend::elbrus::program& program, const machine_model& m, const lowering_options& options,
                   Visit visit) {
  for (const midend::elbrus::procedure& p : program.procedures) {
    const midend::elbrus::cost_view view(p);
    const auto found = midend::dominators_and_loops(p);
    const auto order = midend::depth_first_order(p);
    midend::region_reader_workspace reading;
    midend::region_reader<midend::elbrus::cost_view> reader(view, order, found.loops, {}, reading);
    midend::lower_region_workspace lowering;
    for (const midend::node_id n : order.preorder()) {
      midend::program_region region;
      machine_body out;
      reader.read_node(n, region);
      const body_cost cost = midend::lower_region(region, m, options, lowering, out);
      if (cost.operations != 0) {
        visit(out, cost);
      }
    }
  }
}

/// Finds a schedule. In a small body, one above the bound must be proven to be the shortest.
void schedule(const machine_model& m, const machine_body& body, const body_cost& cost, distribution& above) {
  REQUIRE_FALSE(cost.resources.is_impossible);
  const auto result = midend::modulo_schedule(body, m);
  REQUIRE(result.attained());
  REQUIRE(verify_schedule(body, m, result.found).empty());
  REQUIRE(result.bound == cost.interval);
  if (body.graph.num_operations() <= 24) {
    CHECK(result.is_shortest());
  }
  above.add(result.found.interval - static_cast<std::int64_t>(result.bound));
}

/// The same for a body that runs once: the time until its last result.
void schedule_once(const machine_model& m, const machine_body& body, const body_cost& cost, distribution& above) {
  const auto result = midend::schedule_block(body, m);
  REQUIRE(result.attained());
  REQUIRE(verify_schedule(body, m, result.found).empty());
  const auto length = std::max<std::int64_t>(result.found.length, 1);
  REQUIRE(length >= static_cast<std::int64_t>(cost.alone));
  above.add(length - std::max(static_cast<std::int64_t>(result.bound), static_cast<std::int64_t>(cost.alone)));
}

std::vector<lowering_options> ways_to_lower() {
  std::vector<lowering_options> ways(4);
  ways[1].reassociates = false;
  ways[2].counts_in_hardware = true;
  ways[3].divides_by_multiplying = true;
  return ways;
}

midend::elbrus::program sample(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  auto parsed = midend::elbrus::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  REQUIRE(parsed.diagnostics.empty());
  return std::move(parsed.program);
}

} // namespace

TEST_CASE("modulo_schedule: the loops of the sample programs, by every factor") {
  const machine_model m = midend::e2k_reference_v6();
  distribution above;
  distribution above_alone;
  for (const auto& entry : std::filesystem::directory_iterator(MIDEND_TEST_DATA "/../../examples/programs")) {
    if (entry.path().extension() != ".eir") {
      continue;
    }
    midend::elbrus::program program = sample(entry.path());
    for_each_loop(program, [&](const readable_loop& loop) {
      for (const std::uint32_t copies : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 13u, 16u}) {
        for (const lowering_options& options : ways_to_lower()) {
          body_cost cost;
          const auto pipelined = loop.unrolled(m, copies, options, cost);
          if (pipelined && cost.is_pipelined() && cost.operations < affordable(120)) {
            schedule(m, *pipelined, cost, above);
          }
        }
      }
    });
    for (const lowering_options& options : ways_to_lower()) {
      for_each_node(program, m, options, [&](const machine_body& once, const body_cost& cost) {
        if (cost.operations < affordable(120)) {
          schedule_once(m, once, cost, above_alone);
        }
      });
    }
  }
  MESSAGE("interval above the bound in ", above.total(), " bodies of sample loops: ", above.text());
  MESSAGE("length above the bound in ", above_alone.total(), " straight lines: ", above_alone.text());
  CHECK(above.total() > 100);
  CHECK(above.attained() >= above.total() * 98 / 100);
  CHECK(above_alone.attained() >= above_alone.total() * 9 / 10);
}

TEST_CASE("modulo_schedule: 1000 loops of random programs, unrolled at random") {
  const machine_model m = midend::e2k_reference_v6();
  const std::vector<lowering_options> ways = ways_to_lower();
  random_source random(11);
  distribution above;
  const int wanted = static_cast<int>(affordable(1000));
  for (std::uint64_t seed = 0; above.total() != wanted; ++seed) {
    midend::elbrus::program program = midend_tests::random_program(seed, varied(all_flow(), seed)).program;
    for_each_loop(program, [&](const readable_loop& loop) {
      body_cost cost;
      const auto body = loop.unrolled(m, 1 + random.below(6), ways[random.below(ways.size())], cost);
      if (body && cost.is_pipelined() && cost.operations > 2 && above.total() != wanted) {
        INFO("seed " << seed);
        schedule(m, *body, cost, above);
      }
    });
  }
  MESSAGE("interval above the bound in ", above.total(), " random loops: ", above.text());
  CHECK(above.attained() >= above.total() * 98 / 100);
}
