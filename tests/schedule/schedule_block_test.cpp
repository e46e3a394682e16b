// Straight lines: valid schedules, and how far they are from the shortest.
#include "kit/affordable.hpp"
#include "kit/random_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/schedule/exact_modulo_schedule.hpp>
#include <midend/schedule/schedule_block.hpp>
#include <midend/schedule/verify_schedule.hpp>

#include <algorithm>
#include <map>

using namespace midend_tests;
using enum midend::operation_class;
using midend::dependence_graph;
using midend::dependence_kind;
using midend::machine_model;
using midend::operation_id;
using midend::schedule_status;

namespace {

/// The machine with an operation that takes nothing of what others take.
machine_model with_anchor(const machine_model& m) {
  midend::machine_builder b(m, "anchored");
  b.set({call}, midend::class_field::channels, 0, {}).resource("ANCHOR", 1, {}).use({call}, "ANCHOR", 1, {});
  return b.model();
}

/// Whether the line can end within `length` cycles: a loop of that interval whose operations all lie between an anchor
/// and the anchor of the next pass.
schedule_status fits_in(const dependence_graph& line, const machine_model& anchored, std::uint32_t length,
                        std::uint64_t most_steps) {
  dependence_graph g;
  for (const auto& o : line.operations()) {
    g.add_operation(o.kind, o.latency);
  }
  const operation_id anchor = g.add_operation(call, 0);
  for (const auto& d : line.dependences()) {
    if (d.distance == 0) {
      g.add_dependence(d);
    }
  }
  for (operation_id o = 0; o != anchor; ++o) {
    g.add_dependence({anchor, o, 0, 0, dependence_kind::order});
    g.add_dependence({o, anchor, std::max(g.operation(o).latency, 1u), 1, dependence_kind::order});
  }
  midend::exact_schedule_options options;
  options.most_operations = 32;
  options.most_steps = most_steps;
  return exact_schedule_at(g, anchored, length, options).status;
}

void measure(const machine_model& m, bool wide, int lines, std::uint64_t seed, std::uint64_t most_steps) {
  const machine_model anchored = with_anchor(m);
  random_source random(seed);
  std::map<std::uint32_t, int> above;
  int open = 0;
  int bound_attained = 0;
  for (int i = 0; i != lines; ++i) {
    const dependence_graph g = random_body(random, m, wide, 4 + random.below(21), 0);
    const auto result = schedule_block(g, m);
    REQUIRE(result.attained());
    REQUIRE(verify_schedule(g, m, result.found).empty());
    REQUIRE(result.found.length >= result.bound);
    bound_attained += result.found.length == result.bound ? 1 : 0;
    std::uint32_t least = result.found.length;
    while (least != result.bound) {
      const schedule_status shorter = fits_in(g, anchored, least - 1, most_steps);
      if (shorter != schedule_status::attained) {
        open += shorter == schedule_status::infeasible ? 0 : 1;
        break;
      }
      --least;
    }
    ++above[result.found.length - least];
  }
  std::string text;
  for (const auto& [cycles, count] : above) {
    text += join(text.empty() ? "" : ", ", "+", static_cast<std::uint64_t>(cycles), ": ",
                 static_cast<std::uint64_t>(count));
  }
  MESSAGE(std::string(m.name.begin(), m.name.end()), ": cycles above the shortest in ", lines,
          " straight lines: ", text, "; not decided ", open, "; at the bound ", bound_attained);
  CHECK(above[0] + above[1] >= lines * 95 / 100);
}

} // namespace

TEST_CASE("schedule_block: random straight lines against the exact search") {
  measure(midend::e2k_reference_v6(), true, 25, 51, 200);
  measure(midend::scalar_core(), false, 40, 52, 200);
  measure(clustered_machine(), false, 25, 53, 200);
}

TEST_CASE("schedule_block: many random straight lines, long" * doctest::skip()) {
  measure(midend::e2k_reference_v6(), true, 2000, 54, 5000);
  measure(midend::e2k_guide_v4(), true, 2000, 55, 5000);
  measure(midend::scalar_core(), false, 2000, 56, 5000);
  measure(clustered_machine(), false, 2000, 57, 5000);
}

TEST_CASE("schedule_block: ugly lines") {
  const machine_model m = midend::e2k_reference_v6();
  dependence_graph g;
  CHECK(schedule_block(g, m).attained());
  CHECK(schedule_block(g, m).found.length == 0);
  for (int i = 0; i != 3; ++i) {
    g.add_operation(m, alu);
  }
  g.add_dependence(m, 0, 0, dependence_kind::value, 1); // of another pass
  g.add_dependence(m, 2, 1, dependence_kind::value, 0);
  g.add_dependence(m, 2, 1, dependence_kind::value, 0);
  CHECK(schedule_block(g, m).found.length == 2);
  g.add_dependence(m, 1, 2, dependence_kind::order, 0);
  CHECK(schedule_block(g, m).status == schedule_status::impossible);

  dependence_graph long_line; // a chain of 50,000 operations, and as many beside it
  for (operation_id o = 0; o != 100'000; ++o) {
    long_line.add_operation(m, o % 2 == 0 ? alu : shift);
    if (o >= 2 && o % 2 == 0) {
      long_line.add_dependence(m, o - 2, o, dependence_kind::value, 0);
    }
  }
  const auto result = schedule_block(long_line, m);
  CHECK(result.found.length == 50'000);
  CHECK(verify_schedule(long_line, m, result.found).empty());
}
