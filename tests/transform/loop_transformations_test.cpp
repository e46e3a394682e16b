#include "kit/allocations.hpp"
#include "kit/run_text.hpp"
#include "transform/form_checks.hpp"
#include "transform/graph_programs.hpp"
#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/graph/check_graph.hpp>
#include <midend/loops/loop_forms.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/split_critical_edges.hpp>
#include <midend/transform/unify_loop_exits.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::loop_id;
namespace elbrus = midend::elbrus;

namespace {

/// Transforms random programs; checks certificate, verifier and runs, and that a second time changes nothing.
void check_on_random_programs(std::size_t count, const random_program_options& options,
                              const std::function<midend::unfolding_witness(elbrus::editor&)>& transform,
                              const std::function<void(const elbrus::procedure&)>& check) {
  comparison_counts runs;
  std::size_t changed = 0;
  for_each_random_program(count, options, [&](const generated_program& g, std::uint64_t seed) {
    const elbrus::program before = in_ssa_form(g);
    elbrus::program after = before;
    for (std::size_t i = 0; i != after.procedures.size(); ++i) {
      elbrus::procedure& p = after.procedures[i];
      elbrus::editor e(p);
      const midend::unfolding_witness w = transform(e);
      const auto verdict = certificate(before.procedures[i], p, w);
      CHECK_MESSAGE(verdict, "seed ", seed, ": ", to_text(verdict), "\n", elbrus::to_text(before.procedures[i]),
                    elbrus::to_text(p));
      check(p);
      changed += elbrus::equal(before.procedures[i], p) ? 0u : 1u;
      const elbrus::procedure once = p;
      static_cast<void>(transform(e));
      const std::string difference = elbrus::difference(once, p);
      CHECK_MESSAGE(difference.empty(), "seed ", seed, ", second time: ", difference, "\n", elbrus::to_text(once));
    }
    const std::string wrong = why_wrong(g, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(changed, " procedures changed; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict");
  CHECK(changed > affordable(50));
  CHECK(runs.same > affordable(100));
}

random_program_options endless_flow() {
  random_program_options options = all_flow();
  options.endless = true;
  return options;
}

} // namespace

TEST_CASE("unify_loop_exits") {
  check_on_random_programs(
      1000, endless_flow(), [](elbrus::editor& e) { return midend::unify_loop_exits(e).witness; }, check_single_exits);
}

TEST_CASE("unify_loop_exits on unfolded programs, whose flow is worse") {
  std::size_t unified = 0;
  for_each_random_program(500, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    random_source random(seed);
    elbrus::procedure& p = all.procedures.back();
    elbrus::editor e(p);
    midend::unfolding<elbrus::editor> u(e);
    unfold_at_random(p, u, random);
    const elbrus::procedure before = p;
    const std::size_t num_loops = midend::dominators_and_loops(p).loops.num_loops();
    const auto done = midend::unify_loop_exits(e);
    CHECK(done.plan.refused.empty());
    const auto verdict = certificate(before, p, done.witness);
    CHECK_MESSAGE(verdict, "seed ", seed, ": ", to_text(verdict));
    check_single_exits(p);
    CHECK(elbrus::verify(p).empty());
    CHECK(done.loops.num_loops() == num_loops);
    CHECK(midend::unify_loop_exits(e).plan.empty());
    unified += done.plan.exits.size();
  });
  CHECK(unified > affordable(100));
}

TEST_CASE("unify_loop_exits keeps loops closed") {
  std::size_t unified = 0;
  for_each_random_program(300, endless_flow(), [&](const generated_program& g, std::uint64_t) {
    elbrus::program all = in_ssa_form(g);
    for (elbrus::procedure& p : all.procedures) {
      elbrus::editor e(p);
      midend::close_loops(e);
      unified += midend::unify_loop_exits(e).plan.exits.size();
      check_closed_form(p);
    }
  });
  CHECK(unified > affordable(50));
}

TEST_CASE("close_loops") {
  check_on_random_programs(
      1000, endless_flow(), [](elbrus::editor& e) { return midend::close_loops(e).witness; }, check_closed_form);
}

TEST_CASE("close_loops on unfolded programs") {
  for_each_random_program(500, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    random_source random(seed);
    elbrus::procedure& p = all.procedures.back();
    elbrus::editor e(p);
    midend::unfolding<elbrus::editor> u(e);
    unfold_at_random(p, u, random);
    const elbrus::procedure before = p;
    const auto done = midend::close_loops(e);
    CHECK(done.plan.refused.empty());
    const auto verdict = certificate(before, p, done.witness);
    CHECK_MESSAGE(verdict, "seed ", seed, ": ", to_text(verdict));
    check_closed_form(p);
    CHECK(elbrus::verify(p).empty());
    CHECK(midend::close_loops(e).plan.empty());
  });
}

TEST_CASE("close_loops with memory of programs before does the same as without") {
  midend::close_loops_workspace workspace;
  midend::closed_loops kept;
  std::size_t closed = 0;
  for_each_random_program(300, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    for (elbrus::procedure& p : all.procedures) {
      const elbrus::procedure before = p;
      elbrus::procedure other = p;
      elbrus::editor e(p);
      elbrus::editor fresh(other);
      midend::close_loops(e, workspace, kept);
      const auto done = midend::close_loops(fresh);
      CHECK(elbrus::to_text(p) == elbrus::to_text(other));
      CHECK(kept.closed.phis == done.plan.phis);
      CHECK(kept.closed.refused == done.plan.refused);
      CHECK(kept.found.loops.num_loops() == done.loops.num_loops());
      CHECK(workspace.witness().node_origin == done.witness.node_origin);
      CHECK(workspace.witness().edge_origin == done.witness.edge_origin);
      CHECK(workspace.witness().value_origin == done.witness.value_origin);
      const auto verdict = certificate(before, p, workspace.witness());
      CHECK_MESSAGE(verdict, "seed ", seed, ": ", to_text(verdict));
      check_closed_form(p);
      closed += kept.closed.phis.size();
    }
  });
  CHECK(closed > affordable(50));
}

TEST_CASE("split_critical_edges") {
  check_on_random_programs(
      600, endless_flow(), [](elbrus::editor& e) { return midend::split_critical_edges(e); },
      [](const elbrus::procedure& p) {
        for (edge_id e = 0; e != p.num_edges(); ++e) {
          CHECK((p.edge_source(e) == no_node || p.out_edges(p.edge_source(e)).size() == 1 ||
                 p.in_edges(p.edge_target(e)).size() == 1));
        }
      });
}

TEST_CASE("simplify_loops") {
  check_on_random_programs(
      1000, endless_flow(), [](elbrus::editor& e) { return midend::simplify_loops(e).witness; }, check_simple_forms);
}

namespace {

/// An inner loop with two backedges, of which one keeps %s and %i, in a loop with the same header.
constexpr std::string_view shared_header = R"(
proc @f(%n: i32, %a: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [inner: %i], [skip: %i], [outer: %i1]
    %s = phi.i32 [entry: %a], [inner: %s], [skip: %t], [outer: %s1]
    %j = phi.i32 [entry: 0], [inner: %j1], [skip: %j2], [outer: 0]
    %j1 = add.i32 %j, 1
    %p = rem.i32 %j1, 3
    switch.i32 %p [0: skip], [1: inner], default: outer
  node inner:
    br head
  node skip:
    %t = add.i32 %s, %j1
    %j2 = add.i32 %j1, 2
    br head
  node outer:
    %i1 = add.i32 %i, 1
    %s1 = mul.i32 %s, 3
    %q = cmp.lt.i32 %i1, %n
    br %q ? head : exit
  node exit:
    ret %s1
}
)";

} // namespace

TEST_CASE("simplify_loops separates loops that share a header, by phis") {
  elbrus::program all = program_of(shared_header);
  elbrus::procedure& p = all.procedures[0];
  const elbrus::procedure before = p;
  elbrus::editor e(p);
  const auto found = midend::dominators_and_loops(p);
  const midend::separation_plan plan = midend::plan_separate_loops(e, found.loops);
  REQUIRE(plan.separations.size() == 2);
  CHECK(plan.separations[0].why == midend::separation_reason::unchanged_phi);
  const auto done = midend::simplify_loops(e);
  const auto verdict = certificate(before, p, done.witness);
  CHECK_MESSAGE(verdict, to_text(verdict), "\n", elbrus::to_text(p));
  CHECK(elbrus::verify(p).empty());
  check_simple_forms(p);
  REQUIRE(done.loops.num_loops() == 3);
  CHECK(done.loops.loop_depth(done.loops.header(2)) == 3);
  const auto again = midend::simplify_loops(e);
  CHECK(again.plan.empty());
  CHECK(again.loops.num_loops() == 3);
  for (const std::int64_t n : {0, 3, 7}) {
    const std::array<elbrus::scalar, 2> arguments = {elbrus::integer_scalar(elbrus::type::i32, n),
                                                     elbrus::integer_scalar(elbrus::type::i32, 5)};
    const elbrus::program old = program_of(shared_header);
    CHECK(elbrus::interpreter(old).run(0, arguments).value == elbrus::interpreter(all).run(0, arguments).value);
  }
}

TEST_CASE("simplify_loops separates loops that share a header, by the profile") {
  for (const std::uint64_t often : {std::uint64_t{900}, std::uint64_t{20}}) {
    elbrus::procedure p = program_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [inner: %i1], [outer: %i2]
    %p = cmp.lt.i32 %i, %n
    br %p ? inner : outer
  node inner:
    %i1 = add.i32 %i, 1
    br head
  node outer:
    %i2 = add.i32 %i, 2
    %q = cmp.lt.i32 %i2, 99
    br %q ? head : exit
  node exit:
    ret %i
}
)")
                              .procedures[0];
    p.set_node_count(0, 1);
    p.set_node_count(1, often + 11);
    p.set_node_count(2, often);
    p.set_node_count(3, 11);
    p.set_probability(p.out_edges(3)[0], 10.0 / 11);
    p.set_probability(p.out_edges(3)[1], 1.0 / 11);
    elbrus::editor e(p);
    const elbrus::procedure before = p;
    const auto done = midend::simplify_loops(e);
    CHECK(certificate(before, p, done.witness));
    check_simple_forms(p);
    CHECK(done.loops.num_loops() == (often == 900 ? 2 : 1));
    CHECK(midend::simplify_loops(e).plan.empty());
  }
}

TEST_CASE("simplify_loops on unfolded programs, whose flow is worse") {
  std::size_t loops = 0;
  for_each_random_program(600, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    random_source random(seed);
    elbrus::procedure& p = all.procedures.back();
    elbrus::editor e(p);
    midend::unfolding<elbrus::editor> u(e);
    unfold_at_random(p, u, random);
    const elbrus::procedure before = p;
    const auto done = midend::simplify_loops(e);
    CHECK(done.plan.refused.empty());
    const auto verdict = certificate(before, p, done.witness);
    CHECK_MESSAGE(verdict, "seed ", seed, ": ", to_text(verdict));
    check_simple_forms(p);
    CHECK(elbrus::verify(p).empty());
    CHECK(midend::simplify_loops(e).plan.empty());
    loops += done.loops.num_loops();
  });
  CHECK(loops > affordable(300));
}

TEST_CASE("rotate_loops") {
  std::size_t rotated = 0;
  std::size_t running = 0;
  check_on_random_programs(
      1000, endless_flow(),
      [&](elbrus::editor& e) {
        auto done = midend::rotate_loops(e);
        rotated += done.plan.rotations.size();
        for (const midend::rotation& r : done.plan.rotations) {
          running += r.runs ? 1u : 0u;
        }
        return std::move(done.witness);
      },
      [](const elbrus::procedure& p) {
        check_simple_forms(p);
        const auto found = midend::dominators_and_loops(p);
        CHECK(midend::plan_rotate_loops(elbrus::effect_view(p), found.loops).empty());
      });
  MESSAGE(rotated, " rotated, ", running, " of them certainly run");
  CHECK(rotated > affordable(100));
  CHECK(running > affordable(20));
}

namespace {

/// Each round is certified.
void check_cleaning(elbrus::procedure& p, std::uint64_t seed, midend::clean_control_workspace& workspace) {
  elbrus::procedure before = p;
  elbrus::procedure with_fresh_memory = p;
  elbrus::editor other(with_fresh_memory);
  const std::size_t rounds = midend::clean_control(other);
  elbrus::editor e(p);
  const auto certify = [&](const midend::unfolding_witness& w) {
    const auto verdict = certificate(before, p, w);
    CHECK_MESSAGE(verdict, "seed ", seed, ": ", to_text(verdict), "\n", elbrus::to_text(before), elbrus::to_text(p));
    CHECK(elbrus::verify(p).empty());
    before = p;
  };
  CHECK(midend::clean_control(e, certify, workspace) == rounds);
  CHECK_MESSAGE(elbrus::equal(p, with_fresh_memory), "seed ", seed);
  CHECK(allocations_of([&] { midend::clean_control(e, workspace); }) == 0); // nothing is left to do
  CHECK_MESSAGE(midend::plan_clean_control(e).empty(), "seed ", seed, "\n", elbrus::to_text(p));
}

} // namespace

TEST_CASE("clean_control") {
  random_program_options options = endless_flow();
  options.known = 40;
  comparison_counts runs;
  midend::clean_control_workspace workspace; // of all programs
  std::size_t changed = 0;
  for_each_random_program(800, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    random_source random(seed);
    for (elbrus::procedure& p : all.procedures) {
      if (seed % 2 == 0) {
        elbrus::editor e(p);
        midend::unfolding<elbrus::editor> u(e);
        unfold_at_random(p, u, random);
      }
      const elbrus::procedure before = p;
      check_cleaning(p, seed, workspace);
      changed += elbrus::equal(before, p) ? 0u : 1u;
    }
    const std::string wrong = why_wrong(g, all, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(changed, " procedures changed; ", runs.same, " runs the same");
  CHECK(changed > affordable(300));
}

TEST_CASE("all forms on all digraphs of up to 4 nodes") {
  using transformation = midend::unfolding_witness (*)(elbrus::editor&);

  struct form {
    const char* name;
    transformation transform;
    void (*check)(const elbrus::procedure&);
  };

  const auto anything = [](const elbrus::procedure&) {};
  const form forms[] = {
      {"simplify_loops", [](elbrus::editor& e) { return midend::simplify_loops(e).witness; }, check_simple_forms},
      {"close_loops", [](elbrus::editor& e) { return midend::close_loops(e).witness; }, check_closed_form},
      {"rotate_loops", [](elbrus::editor& e) { return midend::rotate_loops(e).witness; }, check_simple_forms},
      {"unify_loop_exits", [](elbrus::editor& e) { return midend::unify_loop_exits(e).witness; }, check_single_exits},
      {"split_critical_edges", [](elbrus::editor& e) { return midend::split_critical_edges(e); }, anything},
  };
  std::size_t changed = 0;
  random_source random(1);
  for_each_small_digraph(701, [&](std::size_t n, const std::vector<edge>& edges, const std::string& name) {
    for (const bool has_fuel : {false, true}) {
      const elbrus::procedure before = procedure_of_graph(n, edges, 0, has_fuel);
      for (const form& f : forms) {
        elbrus::procedure p = before;
        elbrus::editor e(p);
        const auto verdict = certificate(before, p, f.transform(e));
        CHECK_MESSAGE(verdict, f.name, ", ", name, ": ", to_text(verdict), "\n", elbrus::to_text(p));
        f.check(p);
        CHECK(elbrus::verify(p).empty());
        CHECK(!midend::check_graph(p));
        CHECK(!midend::check_ir(e));
        if (has_fuel) {
          CHECK_MESSAGE(run_alike(before, p, random), f.name, ", ", name);
        }
        const elbrus::procedure once = p;
        static_cast<void>(f.transform(e));
        CHECK_MESSAGE(elbrus::equal(once, p), f.name, ", ", name, ", second time\n", elbrus::to_text(once));
        changed += elbrus::equal(before, once) ? 0u : 1u;
      }
    }
  });
  MESSAGE(changed, " changed");
  CHECK(changed > 1000);
}
