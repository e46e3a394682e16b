// Explanations of intervals: small, checked, and minimal.
#include "kit/affordable.hpp"
#include "kit/random_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/schedule/exact_modulo_schedule.hpp>
#include <midend/schedule/explain_interval.hpp>
#include <midend/schedule/verify_explanation.hpp>

using namespace midend_tests;
using enum midend::operation_class;
using midend::dependence_graph;
using midend::dependence_kind;
using midend::explanation_verdict;
using midend::machine_model;
using midend::operation_id;
using midend::schedule_status;

TEST_CASE("explain_interval: a recurrence, a resource, and both together") {
  const machine_model m = midend::e2k_reference_v6();
  SUBCASE("a cycle of dependences") {
    dependence_graph g;
    for (int i = 0; i != 4; ++i) {
      g.add_operation(m, alu);
    }
    g.add_operation(m, integer_multiply);
    g.add_dependence(m, 0, 1, dependence_kind::value, 0);
    g.add_dependence(m, 1, 4, dependence_kind::value, 0);
    g.add_dependence(m, 4, 1, dependence_kind::value, 1);
    g.add_dependence(m, 4, 2, dependence_kind::value, 0);
    const auto e = explain_interval(g, m, 4);
    REQUIRE(e.is_infeasible());
    CHECK(e.is_minimal);
    REQUIRE(e.operations.size() == 2);
    CHECK(e.operations[0] == 1);
    CHECK(e.operations[1] == 4);
    REQUIRE(e.dependences.size() == 2);
    CHECK(e.dependences[0] == 1);
    CHECK(e.dependences[1] == 2);
    CHECK_FALSE(e.channels);
    CHECK(e.resources == 0);
    CHECK(verify_explanation(g, m, 4, e) == explanation_verdict::confirmed);
    CHECK(explain_interval(g, m, 5).status == schedule_status::attained);
    CHECK(verify_explanation(g, m, 5, e) == explanation_verdict::refuted);
  }
  SUBCASE("two stores and a load use too much of the ports to memory") {
    dependence_graph g;
    for (const auto c : {alu, store, load, store, alu}) {
      g.add_operation(m, c);
    }
    const auto e = explain_interval(g, m, 1);
    REQUIRE(e.is_infeasible());
    CHECK(e.operations.size() == 3);
    CHECK(e.dependences.empty());
    CHECK_FALSE(e.channels);
    CHECK(e.resources != 0);
    CHECK(verify_explanation(g, m, 1, e) == explanation_verdict::confirmed);
  }
  SUBCASE("a recurrence keeps two operations apart that need one channel at that time") {
    // Both go to channel 5 and block it for two cycles; exactly five cycles apart, they overlap modulo four.
    dependence_graph g;
    g.add_operation(m, integer_divide);
    g.add_operation(m, integer_divide);
    g.add_operation(m, alu);
    g.add_dependence({0, 1, 5, 0, dependence_kind::order}); // at least five cycles apart
    g.add_dependence({1, 0, 3, 2, dependence_kind::order}); // at most five: 5 + 3 = 2 · 4
    g.add_dependence({0, 2, 1, 0, dependence_kind::value});
    const auto e = explain_interval(g, m, 4);
    REQUIRE(e.is_infeasible());
    CHECK(e.is_minimal);
    CHECK(e.operations.size() == 2);
    CHECK(e.dependences.size() == 2);
    CHECK(e.channels);
    CHECK(e.resources == 0);
    CHECK(verify_explanation(g, m, 4, e) == explanation_verdict::confirmed);
    CHECK(explain_interval(g, m, 5).status == schedule_status::attained);
  }
  SUBCASE("large bodies are explained by the bounds, or not at all") {
    dependence_graph g;
    for (int i = 0; i != 100; ++i) {
      g.add_operation(m, i < 40 ? load : alu);
    }
    auto e = explain_interval(g, m, 9);
    REQUIRE(e.is_infeasible()); // 100 operations on six channels take 17 cycles
    CHECK(e.operations.size() == 100);
    CHECK(explain_interval(g, m, 17).status == schedule_status::budget_exhausted);
    g.add_dependence({3, 3, 30, 1, dependence_kind::value});
    e = explain_interval(g, m, 29);
    REQUIRE(e.is_infeasible());
    CHECK(e.operations.size() == 1);
    CHECK(verify_explanation(g, m, 29, e) == explanation_verdict::confirmed);
  }
}

TEST_CASE("explain_interval: random bodies, each explanation confirmed by trying everything") {
  for (const machine_model& m : {midend::e2k_reference_v6(), clustered_machine()}) {
    random_source random(41);
    int confirmed = 0;
    int undecided = 0;
    std::size_t parts = 0;
    for (std::size_t i = 0; i != affordable(25); ++i) {
      const dependence_graph g = random_body(random, m, m.num_channels() == 6, 4 + random.below(16), 8);
      const auto least = exact_modulo_schedule(g, m);
      REQUIRE(least.attained());
      CHECK(explain_interval(g, m, least.found.interval).status == schedule_status::attained);
      if (least.found.interval == 1) {
        continue;
      }
      const auto e = explain_interval(g, m, least.found.interval - 1);
      REQUIRE(e.is_infeasible());
      CHECK(e.is_minimal);
      const auto verdict = verify_explanation(g, m, least.found.interval - 1, e, 10'000);
      REQUIRE(verdict != explanation_verdict::refuted);
      ++(verdict == explanation_verdict::confirmed ? confirmed : undecided);
      parts += e.operations.size() + e.dependences.size();
      auto less = e; // without one operation, what is left holds together
      less.operations.pop_back();
      REQUIRE(verify_explanation(g, m, least.found.interval - 1, less, 10'000) != explanation_verdict::confirmed);
    }
    MESSAGE(std::string(m.name.begin(), m.name.end()), ": explanations confirmed ", confirmed, ", undecided ",
            undecided, ", operations and dependences in all ", parts);
    CHECK(confirmed > undecided);
  }
}
