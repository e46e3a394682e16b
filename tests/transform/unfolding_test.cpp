#include "kit/parsed_procedure.hpp"
#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/rotate_loops.hpp>

#include <array>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

TEST_CASE("random unfoldings are certified and mean the same") {
  comparison_counts runs;
  std::size_t nodes = 0;
  std::size_t phis = 0;
  random_program_options options = all_flow();
  options.endless = true;
  for_each_random_program(1000, options, [&](const generated_program& g, std::uint64_t seed) {
    const elbrus::program before = in_ssa_form(g);
    elbrus::program after = before;
    random_source random(seed);
    for (std::size_t i = 0; i != after.procedures.size(); ++i) {
      elbrus::procedure& p = after.procedures[i];
      elbrus::editor e(p);
      midend::unfolding<elbrus::editor> u(e);
      unfold_at_random(p, u, random);
      if (seed % 2 == 0) {
        unfold_at_random(p, u, random);
      }
      nodes += p.num_nodes() - before.procedures[i].num_nodes();
      phis += p.num_values() - before.procedures[i].num_values();
      const auto verdict = certificate(before.procedures[i], p, u.witness());
      CHECK_MESSAGE(verdict, "seed ", seed, ": ", to_text(verdict), "\n", elbrus::to_text(before.procedures[i]),
                    elbrus::to_text(p));
    }
    const std::string wrong = why_wrong(g, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(nodes, " nodes, ", phis, " values; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict");
  CHECK(nodes > affordable(1000));
  CHECK(runs.same > affordable(300));
}

TEST_CASE("a copy of a node whose branch is decided lacks the same edges, for the same reason") {
  elbrus::procedure p = program_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [body: %i1]
    %q = cmp.lt.i32 %i, 12
    br %q ? body : exit
  node body:
    %i1 = add.i32 %i, %n
    br head
  node exit:
    ret %i
}
)")
                            .procedures[0];
  const elbrus::procedure before = p;
  elbrus::editor e(p);
  midend::unfolding<elbrus::editor> u(e);
  const auto plan = midend::plan_rotate_loops(u.program(), midend::dominators_and_loops(p).loops);
  REQUIRE(plan.rotations.size() == 1);
  REQUIRE(plan.rotations[0].runs);
  midend::apply_rotate_loops(u, plan);
  REQUIRE(u.witness().dropped.size() == 1);
  const node_id guard = u.witness().dropped[0].node; // ends in a jump
  midend::flat_array<node_id> copies;
  u.duplicate_region(std::array{guard}, copies);
  for (const edge_id into : p.in_edges(guard)) {
    u.lead(into, copies[0]);
    break;
  }
  u.finish();
  REQUIRE(u.witness().dropped.size() == 2);
  CHECK(u.witness().dropped[1].node == copies[0]);
  CHECK(u.witness().dropped[1].like != u.witness().dropped[0].like); // the copy's own condition
  const auto verdict = certificate(before, p, u.witness());
  CHECK_MESSAGE(verdict, to_text(verdict), "\n", elbrus::to_text(p));
  CHECK(elbrus::verify(p).empty());
}
