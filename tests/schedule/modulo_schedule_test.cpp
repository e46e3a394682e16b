// Modulo schedules: valid, never below the bound, and nearly always at it.
#include "kit/affordable.hpp"
#include "kit/random_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/machine/recurrence_bound.hpp>
#include <midend/machine/register_need.hpp>
#include <midend/machine/resource_bound.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/verify_schedule.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

using namespace midend_tests;
using enum midend::operation_class;
using midend::dependence_graph;
using midend::dependence_kind;
using midend::machine_model;
using midend::operation_class;
using midend::operation_id;
using midend::schedule_status;

namespace {

std::string distribution_of(const std::map<std::int64_t, int>& above) {
  std::string text;
  for (const auto& [cycles, count] : above) {
    text += join(text.empty() ? "" : ", ", "+", static_cast<std::uint64_t>(cycles), ": ",
                 static_cast<std::uint64_t>(count));
  }
  return text;
}

void check_random_bodies(const machine_model& m, bool wide, const char* name, int bodies, std::uint64_t seed) {
  random_source random(seed);
  std::map<std::int64_t, int> above;
  midend::modulo_schedule_workspace workspace;
  midend::modulo_schedule_result result;
  std::uint64_t live = 0;
  std::uint64_t least_live = 0;
  for (int i = 0; i != bodies; ++i) {
    const dependence_graph g = random_body(random, m, wide, 4 + random.below(37));
    modulo_schedule(g, m, {}, workspace, result);
    INFO(name << " body " << i << " status " << static_cast<int>(result.status) << " bound " << result.bound);
    REQUIRE(result.attained());
    REQUIRE(verify_schedule(g, m, result.found).empty());
    REQUIRE(result.found.interval >= result.bound);
    REQUIRE(result.bound == std::max<std::uint64_t>({resource_bound(m, mix_of(g)).cycles,
                                                     midend::recurrence_bound(g).cycles(), std::uint64_t{1}}));
    ++above[static_cast<std::int64_t>(result.found.interval - result.bound)];
    live += result.lifetimes.general + result.lifetimes.predicates;
    const auto need = midend::register_need(g, result.found.interval);
    least_live += need.general + need.predicates;
  }
  MESSAGE(std::string(name), ", interval above the bound in ", bodies, " bodies: ", distribution_of(above),
          "; registers ", live, ", needed without resources ", least_live);
  CHECK(above[0] >= bodies * 98 / 100);
}

} // namespace

TEST_CASE("modulo_schedule: random bodies on four machines") {
  check_random_bodies(midend::e2k_reference_v6(), true, "e2k_reference_v6", 100, 1);
  check_random_bodies(midend::e2k_guide_v4(), true, "e2k_guide_v4", 100, 2);
  check_random_bodies(midend::scalar_core(), false, "scalar_core", 100, 3);
  check_random_bodies(clustered_machine(), false, "clustered", 100, 4);
}

TEST_CASE("modulo_schedule: thousands of random bodies, long" * doctest::skip()) {
  check_random_bodies(midend::e2k_reference_v6(), true, "e2k_reference_v6", 3000, 11);
  check_random_bodies(midend::e2k_guide_v4(), true, "e2k_guide_v4", 3000, 12);
  check_random_bodies(midend::scalar_core(), false, "scalar_core", 3000, 13);
  check_random_bodies(clustered_machine(), false, "clustered", 3000, 14);
}

TEST_CASE("modulo_schedule: 1000 operations, long" * doctest::skip()) {
  const machine_model m = midend::e2k_reference_v6();
  random_source random(5);
  for (int i = 0; i != 5; ++i) {
    const dependence_graph g = random_body(random, m, true, 1000);
    midend::modulo_schedule_workspace workspace;
    midend::modulo_schedule_result result;
    const auto start = std::chrono::steady_clock::now();
    modulo_schedule(g, m, {}, workspace, result);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    REQUIRE(result.attained());
    REQUIRE(verify_schedule(g, m, result.found).empty());
    MESSAGE("1000 operations, interval ", result.found.interval, ", bound ", result.bound, ", ", time.count(), " ms");
  }
}

TEST_CASE("modulo_schedule: the golden loops attain their bounds") {
  const machine_model m = midend::e2k_reference_v6();
  const auto independent = [&](std::initializer_list<std::pair<operation_class, int>> counts) {
    dependence_graph g;
    for (const auto& [c, count] : counts) {
      for (int i = 0; i != count; ++i) {
        g.add_operation(m, c);
      }
    }
    return g;
  };
  const auto interval = [&](const dependence_graph& g) {
    const auto result = modulo_schedule(g, m);
    return result.is_at_bound() && verify_schedule(g, m, result.found).empty() ? result.found.interval : 0;
  };
  CHECK(interval(independent(
            {{fused_multiply_add, 2}, {fp_add, 6}, {fp_divide_single, 2}, {store, 1}, {array_read, 3}})) == 4);
  CHECK(interval(independent({{alu, 10}, {integer_multiply, 4}, {store, 2}, {array_read, 6}})) == 3);
  dependence_graph table =
      independent({{alu, 7}, {combined_alu, 2}, {integer_multiply, 4}, {load, 8}, {store, 2}, {array_read, 2}});
  table.add_dependence(m, 7, 8, dependence_kind::value, 0); // the two combined operations
  table.add_dependence(m, 8, 7, dependence_kind::value, 1);
  CHECK(interval(table) == 4);
  CHECK(interval(independent({{fused_multiply_add, 64}, {fp_multiply, 16}, {store, 8}, {array_read, 16}})) == 15);
}

TEST_CASE("modulo_schedule: ugly bodies") {
  const machine_model m = midend::e2k_reference_v6();
  SUBCASE("no operation") {
    const auto result = modulo_schedule(dependence_graph(), m);
    CHECK(result.is_at_bound());
    CHECK(result.found.interval == 1);
    CHECK(result.found.stages == 1);
    CHECK(result.lifetimes.unroll_factor == 1);
    CHECK(verify_schedule(dependence_graph(), m, result.found).empty());
  }
  SUBCASE("operations that wait for each other in one pass") {
    dependence_graph g;
    g.add_operation(m, alu);
    g.add_operation(m, alu);
    g.add_dependence(m, 0, 1, dependence_kind::value, 0);
    g.add_dependence(m, 1, 0, dependence_kind::value, 0);
    CHECK(modulo_schedule(g, m).status == schedule_status::impossible);
  }
  SUBCASE("too large") {
    dependence_graph g;
    g.add_operation(m, alu);
    g.add_dependence({0, 0, midend::longest_interval, 1, dependence_kind::value});
    CHECK(modulo_schedule(g, m).is_at_bound());
    CHECK(modulo_schedule(g, m).found.interval == midend::longest_interval);
    g.add_dependence({0, 0, midend::longest_interval + 1, 1, dependence_kind::value});
    CHECK(modulo_schedule(g, m).status == schedule_status::interval_too_long);
    g.add_dependence({0, 0, 0xffff'ffff, 1, dependence_kind::value});
    CHECK(modulo_schedule(g, m).status == schedule_status::interval_too_long);
  }
  SUBCASE("a literal that no cycle has room for") {
    dependence_graph g;
    g.add_operation(m, alu);
    const std::uint8_t words[] = {5};
    CHECK(modulo_schedule({g, midend::span<const std::uint8_t>(words, 1)}, m).status == schedule_status::impossible);
  }
  SUBCASE("intervals of 100 to 300: long recurrences, parallel and backward dependences of negative delay") {
    random_source random(3);
    for (int i = 0; i != 20; ++i) {
      dependence_graph g = random_body(random, m, true, 40);
      for (int k = 0; k != 4; ++k) { // a recurrence of latency 100 to 300, parallel to shorter ones
        const operation_id from = random.below(20) + 20;
        const operation_id to = random.below(20);
        g.add_dependence({from, to, 100 + random.below(200), 1, dependence_kind::memory});
        g.add_dependence({from, to, 1, 3, dependence_kind::order});
        g.add_dependence({to, from, 0, 0, dependence_kind::order});
      }
      const auto result = modulo_schedule(g, m);
      REQUIRE(result.is_at_bound());
      CHECK(result.found.interval >= 100);
      CHECK(verify_schedule(g, m, result.found).empty());
    }
  }
  SUBCASE("blocking dividers, as many as fit") {
    dependence_graph g;
    for (int i = 0; i != 60; ++i) {
      g.add_operation(m, integer_divide); // two cycles of channel 5 each
    }
    for (int i = 0; i != 600; ++i) {
      g.add_operation(m, alu); // all the others
    }
    const auto result = modulo_schedule(g, m);
    CHECK(result.found.interval == 120);
    CHECK(verify_schedule(g, m, result.found).empty());
  }
  SUBCASE("few registers or stages: a longer interval, or a reason") {
    dependence_graph g;
    for (int i = 0; i != 8; ++i) {
      g.add_operation(m, load);
    }
    for (operation_id o = 0; o != 8; ++o) {
      g.add_operation(m, alu);
      g.add_dependence(m, o, o + 8, dependence_kind::value, 0);
    }
    midend::modulo_schedule_options options;
    const auto free = modulo_schedule(g, m, options);
    REQUIRE(free.is_at_bound());
    CHECK(free.found.interval == 3);
    CHECK(free.lifetimes.general >= 14); // eight values of five cycles in three
    options.most_general = 8;
    const auto few = modulo_schedule(g, m, options);
    REQUIRE(few.attained());
    CHECK(few.found.interval > 3);
    CHECK(few.lifetimes.general <= 8);
    options.most_general = 1;
    options.most_interval = 20;
    CHECK(modulo_schedule(g, m, options).status == schedule_status::too_many_registers);
    options.most_general = 0;
    options.most_stages = 1;
    options.most_interval = 3;
    CHECK(modulo_schedule(g, m, options).status == schedule_status::too_many_stages);
    options.most_interval = 2;
    CHECK(modulo_schedule(g, m, options).status == schedule_status::interval_too_long);
  }
}

TEST_CASE("modulo_schedule: lifetimes are those of the definition") {
  const machine_model m = midend::e2k_reference_v6();
  random_source random(9);
  for (int i = 0; i != 30; ++i) {
    const dependence_graph g = random_body(random, m, true, 3 + random.below(30));
    const auto result = modulo_schedule(g, m);
    REQUIRE(result.attained());
    const midend::schedule& s = result.found;
    std::uint64_t general = 0;
    std::uint64_t predicates = 0;
    for (std::uint32_t row = 0; row != s.interval; ++row) {
      std::uint64_t live[2] = {0, 0};
      for (operation_id o = 0; o != g.num_operations(); ++o) {
        std::uint32_t end = s.slots[o].cycle;
        for (const auto& d : g.dependences()) {
          if (d.producer == o && (d.kind == dependence_kind::value || d.kind == dependence_kind::guard)) {
            end = std::max(end, s.slots[d.consumer].cycle + s.interval * d.distance);
          }
        }
        for (std::uint32_t c = s.slots[o].cycle; c != end; ++c) {
          const auto kind = g.operation(o).kind;
          live[kind == compare || kind == predicate_logic] += c % s.interval == row;
        }
        CHECK(result.lifetimes.unroll_factor * s.interval >= end - s.slots[o].cycle);
      }
      general = std::max(general, live[0]);
      predicates = std::max(predicates, live[1]);
    }
    CHECK(result.lifetimes.general == general);
    CHECK(result.lifetimes.predicates == predicates);
  }
}

namespace {

constexpr bool schedules_in_a_constant_expression() {
  constexpr machine_model m = midend::e2k_reference_v6();
  dependence_graph g;
  for (const operation_class c : {load, alu, store}) {
    g.add_operation(m, c);
  }
  g.add_dependence(m, 0, 1, dependence_kind::value, 0);
  g.add_dependence(m, 1, 1, dependence_kind::value, 1);
  g.add_dependence(m, 1, 2, dependence_kind::value, 0);
  const midend::modulo_schedule_result result = midend::modulo_schedule(g, m);
  return result.is_at_bound() && result.found.interval == 1 && result.found.stages == 7 &&
         midend::verify_schedule(g, m, result.found).empty();
}

static_assert(schedules_in_a_constant_expression());

} // namespace
