#include "kit/run_text.hpp"
#include "transform/graph_programs.hpp"
#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/graph/check_graph.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/transform/fix_irreducible.hpp>

#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

void check_fixed(elbrus::procedure& p, const midend::irreducible_options& options, const std::string& where) {
  const elbrus::procedure before = p;
  elbrus::editor e(p);
  const auto done = midend::fix_irreducible(e, options);
  CHECK(done.cloned <= options.max_cloned);
  const auto verdict = certificate(before, p, done.witness);
  CHECK_MESSAGE(verdict, where, ": ", to_text(verdict), "\n", elbrus::to_text(before), elbrus::to_text(p));
  for (const elbrus::diagnostic& error : elbrus::verify(p)) {
    FAIL_CHECK(where, ": ", error.message, "\n", elbrus::to_text(before), elbrus::to_text(p));
  }
  CHECK(!midend::check_graph(p));
  CHECK(!midend::check_ir(e));
  const midend::cycle_forest cycles = midend::cycles(p);
  if (options.method != midend::irreducible_method::split_nodes) {
    CHECK(done.plan.refused.empty());
    CHECK_MESSAGE(cycles.is_reducible(), where, "\n", elbrus::to_text(before), elbrus::to_text(p));
  }
  for (const midend::cycle_id c : cycles.cycles()) {
    bool refused = false;
    for (const midend::irreducible_refusal& r : done.plan.refused) {
      CHECK(r.why == midend::irreducible_refusal_reason::too_large);
      refused = refused || r.header == cycles.header(c);
    }
    CHECK_MESSAGE((refused || cycles.is_reducible(c)), where, "\n", elbrus::to_text(before), elbrus::to_text(p));
  }
  const elbrus::procedure once = p;
  midend::irreducible_options rest = options;
  rest.max_cloned -= done.cloned;
  CHECK(midend::fix_irreducible(e, rest).plan.empty());
  CHECK(elbrus::equal(once, p));
}

constexpr midend::irreducible_options all_options[] = {
    {.method = midend::irreducible_method::dispatch},
    {.method = midend::irreducible_method::split_nodes, .max_cloned = 60},
    {.method = midend::irreducible_method::split_or_dispatch, .max_cloned = 20},
};

} // namespace

TEST_CASE("fix_irreducible on random programs") {
  comparison_counts runs;
  std::size_t changed = 0;
  random_program_options options = all_flow();
  options.endless = true;
  for_each_random_program(1000, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    random_source random(seed);
    for (elbrus::procedure& p : all.procedures) {
      if (seed % 2 == 0) {
        elbrus::editor e(p);
        midend::unfolding<elbrus::editor> u(e);
        unfold_at_random(p, u, random);
      }
      changed += midend::cycles(p).is_reducible() ? 0u : 1u;
      check_fixed(p, all_options[seed % 3], "seed " + std::to_string(seed));
    }
    const std::string wrong = why_wrong(g, all, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(changed, " procedures changed; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict");
  CHECK(changed > affordable(50));
  CHECK(runs.same > affordable(100));
}

TEST_CASE("fix_irreducible on all digraphs of up to 4 nodes") {
  std::size_t changed = 0;
  random_source random(1);
  for_each_small_digraph(97, [&](std::size_t n, const std::vector<midend_tests::edge>& edges, const std::string& name) {
    for (const bool has_fuel : {false, true}) {
      const elbrus::procedure before = procedure_of_graph(n, edges, 0, has_fuel);
      if (midend::cycles(before).is_reducible()) {
        continue;
      }
      ++changed;
      for (const midend::irreducible_options& options : all_options) {
        elbrus::procedure p = before;
        check_fixed(p, options, name);
        if (has_fuel) {
          CHECK_MESSAGE(run_alike(before, p, random), name);
        }
      }
    }
  });
  MESSAGE(changed, " changed");
  CHECK(changed > 200);
}

TEST_CASE("nodes that each lead to all are refused where dispatches would grow faster than the graph") {
  // A cycle of n nodes that all lead to each other holds n - 2 others, and edges enter n³ / 6 of them.
  const auto led = [](std::size_t nodes, std::size_t& edges) {
    std::vector<edge> all;
    for (node_id a = 0; a != nodes; ++a) {
      for (node_id b = 0; b != nodes; ++b) {
        all.push_back({a, b});
      }
    }
    elbrus::procedure p = procedure_of_graph(nodes, all, 0, true);
    edges = p.num_edges();
    elbrus::editor e(p);
    const auto found = midend::dominators_and_loops(p);
    const auto plan = midend::plan_fix_irreducible(e, found.dominators, midend::cycles(p));
    CHECK((plan.edges.size() <= 65'536));
    const bool is_refused =
        plan.refused.size() == 1 && plan.refused[0].why == midend::irreducible_refusal_reason::too_large;
    CHECK((plan.empty() == is_refused));
    return plan.edges.size();
  };
  std::size_t few = 0;
  std::size_t many = 0;
  CHECK(led(20, few) > 0);
  CHECK(led(90, many) == 0);
  CHECK(many > 10 * few);
}
