// The exact search against all schedules of tiny bodies, and as the judge of the heuristic search.
#include "kit/affordable.hpp"
#include "kit/random_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/schedule/exact_modulo_schedule.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/verify_schedule.hpp>

#include <algorithm>
#include <chrono>
#include <map>

using namespace midend_tests;
using enum midend::operation_class;
using midend::dependence_graph;
using midend::dependence_kind;
using midend::machine_model;
using midend::operation_id;
using midend::schedule_status;

namespace {

/// Whether some schedule with this interval exists: tries all rows and channels. Cycles up to `stages` intervals.
bool exists(const machine_model& m, const dependence_graph& g, std::uint32_t interval) {
  midend::schedule s;
  s.interval = interval;
  const auto channels = static_cast<std::uint32_t>(m.num_channels());
  const std::uint32_t choices = interval * channels;
  std::uint64_t all = 1;
  for (std::size_t i = 0; i != g.num_operations(); ++i) {
    all *= choices;
  }
  for (std::uint64_t number = 0; number != all; ++number) {
    s.slots.clear();
    std::uint64_t rest = number;
    bool is_canonical = true;
    for (operation_id o = 0; o != g.num_operations(); ++o) {
      const auto choice = static_cast<std::uint32_t>(rest % choices);
      rest /= choices;
      const bool takes = m.channels(g.operation(o).kind) != 0;
      is_canonical = is_canonical && (takes || choice % channels == 0);
      s.slots.push_back({choice / channels, takes ? choice % channels : midend::no_channel});
    }
    if (!is_canonical) {
      continue;
    }
    bool changed = true; // raise stages until dependences hold, or it goes on for too long
    for (std::size_t pass = 0; changed && pass != g.num_operations() + 2; ++pass) {
      changed = false;
      for (const auto& d : g.dependences()) {
        while (s.slots[d.consumer].cycle + interval * d.distance < s.slots[d.producer].cycle + d.latency) {
          s.slots[d.consumer].cycle += interval;
          changed = true;
          if (d.producer == d.consumer) {
            break;
          }
        }
      }
    }
    midend::detail::finish_schedule(g, s);
    if (verify_schedule(g, m, s).empty()) {
      return true;
    }
  }
  return false;
}

machine_model tiny_machine() {
  constexpr char text[] = R"(machine tiny
channels = A B # assumed
resource PORT = 2 # assumed
class alu channels = A B # assumed
class shift channels = A # assumed
class shift latency = 2 # assumed
class integer_divide channels = B # assumed
class integer_divide latency = 3 # assumed
class integer_divide occupancy = 2 # assumed
class integer_multiply channels = A B # assumed
class integer_multiply latency = 2 # assumed
class integer_multiply occupancy = 2 # assumed
class load channels = A B # assumed
class load latency = 3 # assumed
class load uses PORT = 1 # assumed
class store channels = B # assumed
class store uses PORT = 2 # assumed
class predicate_logic uses PORT = 1 # assumed
exclude shift store = 1 # assumed
)";
  return midend::read_machine(midend::span<const char>(text, sizeof text - 1)).value();
}

/// Dense in recurrences, so that rows and stages matter.
dependence_graph tangled_body(random_source& random, const machine_model& m, std::uint32_t count) {
  constexpr midend::operation_class classes[] = {alu,  shift, integer_divide, integer_multiply,
                                                 load, store, predicate_logic};
  dependence_graph g;
  for (std::uint32_t o = 0; o != count; ++o) {
    g.add_operation(m, classes[random.below(7)]);
  }
  for (std::uint32_t i = 0; i != count + 1; ++i) {
    const operation_id from = random.below(count);
    const operation_id to = random.below(count);
    g.add_dependence(m, from, to, dependence_kind::value, from < to ? random.below(2) : 1 + random.below(2));
  }
  return g;
}

} // namespace

TEST_CASE("exact_modulo_schedule: all schedules of tiny bodies") {
  const machine_model m = tiny_machine();
  random_source random(21);
  int feasible = 0;
  int infeasible = 0;
  for (std::size_t i = 0; i != affordable(150); ++i) {
    const dependence_graph g = tangled_body(random, m, 2 + random.below(3));
    const std::uint32_t interval = 1 + random.below(4);
    const auto found = exact_schedule_at(g, m, interval);
    const bool expected = exists(m, g, interval);
    REQUIRE(found.status == (expected ? schedule_status::attained : schedule_status::infeasible));
    if (expected) {
      REQUIRE(verify_schedule(g, m, found.found).empty());
    }
    ++(expected ? feasible : infeasible);
  }
  CHECK(feasible > affordable(10));
  CHECK(infeasible > affordable(10));
}

namespace {

struct judgement {
  int bodies = 0;
  int at_bound = 0;
  int proven = 0; ///< above the bound, and no schedule is shorter
  int above = 0;  ///< the exact search found a shorter one
  int open = 0;   ///< the exact search gave up
  std::uint64_t most_steps = 0;
};

judgement judge(const machine_model& m, bool wide, int bodies, std::uint64_t seed, std::uint32_t most,
                std::uint64_t steps, bool helped) {
  random_source random(seed);
  judgement j;
  midend::modulo_schedule_workspace workspace;
  midend::modulo_schedule_result result;
  midend::exact_schedule_workspace exact_workspace;
  midend::exact_schedule_result exact;
  for (; j.bodies != bodies; ++j.bodies) {
    const dependence_graph g = random_body(random, m, wide, 4 + random.below(most - 3), 6);
    midend::modulo_schedule_options scheduling;
    scheduling.exact_steps = helped ? scheduling.exact_steps : 0;
    modulo_schedule(g, m, scheduling, workspace, result);
    REQUIRE(result.attained());
    REQUIRE(verify_schedule(g, m, result.found).empty());
    if (result.is_at_bound()) {
      ++j.at_bound;
      continue;
    }
    midend::exact_schedule_options options;
    options.most_operations = most;
    options.most_steps = steps;
    options.most_interval = result.found.interval;
    exact_modulo_schedule(g, m, options, exact_workspace, exact);
    j.most_steps = std::max(j.most_steps, exact.steps);
    REQUIRE(exact.status != schedule_status::infeasible);
    REQUIRE(exact.least_interval <= result.found.interval);
    if (exact.attained()) {
      REQUIRE(verify_schedule(g, m, exact.found).empty());
      CHECK((!helped || result.is_shortest()));
      ++(exact.found.interval == result.found.interval ? j.proven : j.above);
    } else {
      ++j.open;
    }
  }
  return j;
}

void report(const char* name, const judgement& j) {
  MESSAGE(std::string(name), ": ", j.bodies, " bodies, at the bound ", j.at_bound, ", above it and proven ", j.proven,
          ", above the least ", j.above, ", open ", j.open, "; most steps ", j.most_steps);
}

} // namespace

TEST_CASE("exact_modulo_schedule: judges the search on random bodies") {
  const judgement j = judge(clustered_machine(), false, 150, 31, 24, 2000, false);
  report("clustered", j);
  CHECK(j.above <= 3);
  const judgement helped = judge(clustered_machine(), false, 150, 31, 24, 2000, true);
  report("clustered, with the exact search's help", helped);
  CHECK(helped.above == 0);
}

TEST_CASE("exact_modulo_schedule: judges thousands of random bodies, long" * doctest::skip()) {
  report("e2k_reference_v6", judge(midend::e2k_reference_v6(), true, 3000, 32, 24, 20000, false));
  report("e2k_guide_v4", judge(midend::e2k_guide_v4(), true, 3000, 33, 24, 20000, false));
  report("scalar_core", judge(midend::scalar_core(), false, 3000, 34, 24, 20000, false));
  report("clustered", judge(clustered_machine(), false, 3000, 35, 24, 20000, false));
  report("e2k_reference_v6, helped", judge(midend::e2k_reference_v6(), true, 3000, 32, 24, 20000, true));
  report("e2k_guide_v4, helped", judge(midend::e2k_guide_v4(), true, 3000, 33, 24, 20000, true));
  report("scalar_core, helped", judge(midend::scalar_core(), false, 3000, 34, 24, 20000, true));
  report("clustered, helped", judge(clustered_machine(), false, 3000, 35, 24, 20000, true));
}
