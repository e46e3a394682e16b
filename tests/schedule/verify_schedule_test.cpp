// The checker of schedules rejects each seeded mistake and names its place.
#include "kit/random_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/verify_schedule.hpp>

#include <algorithm>
#include <bit>

using namespace midend_tests;
using enum midend::operation_class;
using midend::dependence_graph;
using midend::dependence_kind;
using midend::machine_model;
using midend::operation_id;
using midend::schedule_fault;
using midend::schedule_mistake;

namespace {

/// Whether nothing is taken twice and nothing is too early, each pair of operations by the definition.
bool is_valid(const machine_model& m, const dependence_graph& g, const midend::schedule& s) {
  for (const midend::operation_dependence& d : g.dependences()) {
    if (s.slots[d.consumer].cycle + s.interval * d.distance < s.slots[d.producer].cycle + d.latency) {
      return false;
    }
  }
  for (operation_id a = 0; a != g.num_operations(); ++a) {
    const auto kind = g.operation(a).kind;
    if (m.channels(kind) != 0 &&
        (s.slots[a].channel >= m.num_channels() || (m.channels(kind) >> s.slots[a].channel & 1) == 0 ||
         m.occupancy(kind) > s.interval)) {
      return false;
    }
    for (operation_id b = 0; b != a; ++b) {
      const std::uint32_t after = (s.row(a) + s.interval - s.row(b)) % s.interval; // cycles from b to the next a
      const std::uint32_t before = (s.row(b) + s.interval - s.row(a)) % s.interval;
      const bool overlap = after < m.occupancy(g.operation(b).kind) || before < m.occupancy(kind);
      if ((overlap && s.slots[a].channel == s.slots[b].channel && s.slots[a].channel != midend::no_channel) ||
          (after == 0 && m.excludes(kind, g.operation(b).kind))) {
        return false;
      }
    }
    for (std::size_t r = 0; r != m.num_resources(); ++r) {
      std::uint32_t used = 0;
      for (operation_id b = 0; b != g.num_operations(); ++b) {
        used += s.row(a) == s.row(b) ? m.use(g.operation(b).kind, r) : 0;
      }
      if (used > m.capacity(r)) {
        return false;
      }
    }
  }
  return true;
}

bool names(const midend::flat_array<schedule_mistake>& mistakes, schedule_fault fault, operation_id first,
           operation_id second) {
  return std::any_of(mistakes.begin(), mistakes.end(), [&](const schedule_mistake& m) {
    return m.fault == fault && m.first == first && m.second == second;
  });
}

/// Two loads, a sum, a quotient, a store; the sum waits for itself.
struct small_loop {
  machine_model m = midend::e2k_reference_v6();
  dependence_graph g;
  midend::schedule s;

  small_loop() {
    for (const auto c : {load, load, alu, integer_divide, store}) {
      g.add_operation(m, c);
    }
    g.add_dependence(m, 0, 2, dependence_kind::value, 0);
    g.add_dependence(m, 2, 2, dependence_kind::value, 1);
    g.add_dependence(m, 1, 3, dependence_kind::value, 0);
    g.add_dependence(m, 3, 4, dependence_kind::value, 0);
    s = modulo_schedule(g, m).found;
    REQUIRE(verify_schedule(g, m, s).empty());
  }
};

} // namespace

TEST_CASE("verify_schedule: each fault is named with its place") {
  small_loop l;
  CHECK(l.s.interval == 2); // the divider blocks its channel for two cycles
  SUBCASE("an operation is missing") {
    l.s.slots.pop_back();
    const auto mistakes = verify_schedule(l.g, l.m, l.s);
    REQUIRE(mistakes.size() == 1);
    CHECK(names(mistakes, schedule_fault::missing_operation, 4, 0));
  }
  SUBCASE("a slot too many") {
    l.s.slots.push_back({0, 0});
    const auto mistakes = verify_schedule(l.g, l.m, l.s);
    REQUIRE(mistakes.size() == 1);
    CHECK(mistakes[0].fault == schedule_fault::too_many_slots);
  }
  SUBCASE("one cycle too early") {
    l.s.slots[3].cycle = l.s.slots[1].cycle + 4;
    const auto mistakes = verify_schedule(l.g, l.m, l.s);
    REQUIRE(names(mistakes, schedule_fault::too_early, 1, 3));
    CHECK(mistakes[0].missing == 1);
    CHECK(mistakes[0].dependence == 2);
  }
  SUBCASE("the interval is below the recurrence") {
    l.g.add_dependence({2, 2, 3, 1, dependence_kind::value});
    const auto mistakes = verify_schedule(l.g, l.m, l.s);
    REQUIRE(mistakes.size() == 1);
    CHECK(names(mistakes, schedule_fault::too_early, 2, 2));
    CHECK(mistakes[0].missing == 1);
  }
  SUBCASE("the interval is shorter than a channel is blocked") {
    l.s.interval = 1;
    CHECK(names(verify_schedule(l.g, l.m, l.s), schedule_fault::blocks_itself, 3, 0));
  }
  SUBCASE("a channel that cannot issue the class") {
    l.s.slots[4].channel = 0; // stores take 2 and 5
    const auto mistakes = verify_schedule(l.g, l.m, l.s);
    REQUIRE(names(mistakes, schedule_fault::wrong_channel, 4, 0));
    CHECK(mistakes[0].channel == 0);
    CHECK(mistakes[0].cycle == l.s.row(4));
  }
  SUBCASE("a channel that the machine does not have") {
    l.s.slots[2].channel = 40;
    CHECK(names(verify_schedule(l.g, l.m, l.s), schedule_fault::wrong_channel, 2, 0));
  }
  SUBCASE("no channel") {
    l.s.slots[0].channel = midend::no_channel;
    CHECK(names(verify_schedule(l.g, l.m, l.s), schedule_fault::missing_channel, 0, 0));
  }
  SUBCASE("a channel taken twice, also in the second cycle of what blocks it") {
    l.s.slots[2] = {l.s.slots[3].cycle + 1 + 2 * l.s.interval, 5};
    const auto mistakes = verify_schedule(l.g, l.m, l.s);
    const bool found = names(mistakes, schedule_fault::channel_taken_twice, 2, 3) ||
                       names(mistakes, schedule_fault::channel_taken_twice, 3, 2);
    CHECK(found);
  }
  SUBCASE("wrong stages and length") {
    ++l.s.stages;
    --l.s.length;
    const auto mistakes = verify_schedule(l.g, l.m, l.s);
    REQUIRE(mistakes.size() == 2);
    CHECK(mistakes[0].fault == schedule_fault::wrong_stages);
    CHECK(mistakes[1].fault == schedule_fault::wrong_length);
  }
}

TEST_CASE("verify_schedule: resources, exclusions and classes that do not exist") {
  const machine_model m = midend::e2k_reference_v6();
  dependence_graph g;
  for (int i = 0; i != 3; ++i) {
    g.add_operation(m, i == 0 ? load : store);
  }
  midend::schedule s;
  s.interval = 1;
  s.length = g.operation(0).latency;
  for (const std::uint32_t channel : {0u, 2u, 5u}) {
    s.slots.push_back({0, channel});
  }
  auto mistakes = verify_schedule(g, m, s);
  REQUIRE(mistakes.size() == 1); // a load and two stores use 5 of 4
  CHECK(mistakes[0].fault == schedule_fault::resource_exceeded);
  CHECK(m.resources[mistakes[0].resource].name == midend::short_text<15>("MEM"));

  const machine_model clustered = clustered_machine();
  dependence_graph pair;
  pair.add_operation(clustered, shift);
  pair.add_operation(clustered, integer_multiply);
  midend::schedule both;
  both.interval = 2;
  both.stages = 1;
  both.length = 3;
  both.slots.push_back({0, 0});
  both.slots.push_back({0, 1});
  mistakes = verify_schedule(pair, clustered, both);
  REQUIRE(mistakes.size() == 1);
  CHECK(names(mistakes, schedule_fault::excluded_pair, 0, 1));
  both.slots[0].cycle = 1;
  CHECK(verify_schedule(pair, clustered, both).empty());

  dependence_graph missing;
  missing.add_operation(clustered, fused_multiply_add);
  CHECK(modulo_schedule(missing, clustered).status == midend::schedule_status::impossible);
  midend::schedule none;
  none.interval = 1;
  none.length = 1;
  none.slots.push_back({0, midend::no_channel});
  CHECK(verify_schedule(missing, clustered, none)[0].fault == schedule_fault::missing_class);
}

TEST_CASE("verify_schedule: words of literals use a resource") {
  const machine_model m = midend::e2k_reference_v6();
  dependence_graph g;
  midend::flat_array<std::uint8_t> words;
  for (int i = 0; i != 6; ++i) {
    g.add_operation(m, alu);
    words.push_back(1);
  }
  const midend::schedulable_body body(g, words);
  const auto result = modulo_schedule(body, m);
  CHECK(result.found.interval == 2); // six operations fit in a cycle, six words do not
  CHECK(verify_schedule(body, m, result.found).empty());
  midend::schedule s = modulo_schedule(g, m).found;
  CHECK(s.interval == 1);
  CHECK(verify_schedule(body, m, s).size() == 1);
}

TEST_CASE("verify_schedule: random changes are rejected exactly if they break something") {
  for (const machine_model& m : {midend::e2k_reference_v6(), clustered_machine()}) {
    random_source random(7);
    int rejected = 0;
    for (int i = 0; i != 60; ++i) {
      const dependence_graph g = random_body(random, m, m.num_channels() == 6, 3 + random.below(20));
      const auto result = modulo_schedule(g, m);
      REQUIRE(result.attained());
      for (int change = 0; change != 20; ++change) {
        midend::schedule s = result.found;
        const operation_id o = random.below(g.num_operations());
        const operation_id other = random.below(g.num_operations());
        switch (random.below(4)) {
        case 0:
          s.slots[o].cycle += 1;
          break;
        case 1:
          s.slots[o].cycle -= s.slots[o].cycle == 0 ? 0U : 1U;
          break;
        case 2:
          std::swap(s.slots[o].channel, s.slots[other].channel);
          break;
        default:
          s.interval += s.interval == 1 || random.one_in(2) ? 1 : static_cast<std::uint32_t>(-1);
          break;
        }
        midend::detail::finish_schedule(g, s);
        const bool accepted = verify_schedule(g, m, s).empty();
        REQUIRE(accepted == is_valid(m, g, s));
        rejected += accepted ? 0 : 1;
      }
    }
    CHECK(rejected > 500);
  }
}
