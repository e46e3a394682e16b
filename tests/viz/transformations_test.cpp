// Words for plans of transformations, rejected certificates and recorded changes.
#include "transform/unfolding_checks.hpp"

#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/transform.hpp>
#include <midend/viz/certificates.hpp>
#include <midend/viz/edits.hpp>
#include <midend/viz/transformation_plans.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::procedure;
using midend::edge_id;
using midend::node_id;
using midend::value_id;

namespace {

procedure parsed(const std::string& body, const std::string& parameters = "%n: i32, %c: i1") {
  const auto result = elbrus::parse("proc @f(" + parameters + ") -> i32 {\n" + body + "}\n");
  REQUIRE(result.diagnostics.empty());
  REQUIRE(elbrus::verify(result.program.procedures[0]).empty());
  return result.program.procedures[0];
}

/// Names of the text, which change with the procedure.
struct text_names {
  const procedure& p;

  std::string value(value_id v) const { return elbrus::procedure_text(p).value(v); }

  std::string node(node_id n) const { return elbrus::procedure_text(p).node(n); }

  std::string edge(edge_id e) const { return node(p.edge_source(e)) + " -> " + node(p.edge_target(e)); }
};

/// An editor that forbids changes of some edges and copies.
struct strict_editor : elbrus::editor {
  using elbrus::editor::editor;

  bool may_split(edge_id e) const { return e != stays; }

  bool may_redirect(edge_id e) const { return e != stays; }

  bool may_duplicate(value_id) const { return may_copy; }

  edge_id stays = midend::no_edge;
  bool may_copy = true;
};

const char* const loop_text = "node entry:\n br %c ? test : other\n"
                              "node other:\n br test\n"
                              "node test:\n %i = phi.i32 [entry: 0], [other: 1], [body: %j], [more: %j]\n"
                              " %t = cmp.lt.i32 %i, %n\n br %t ? body : done\n"
                              "node body:\n %j = add.i32 %i, 1\n %u = add.i32 %n, 7\n %q = div.i32 %n, %n\n"
                              " %d = mul.i32 %u, 3\n br %c ? test : more\n"
                              "node more:\n br %t ? test : done\n"
                              "node done:\n %r = phi.i32 [test: %i], [more: %j]\n ret %r\n";

} // namespace

TEST_CASE("words for plans of loop forms") {
  procedure p = parsed(loop_text);
  const text_names names{p};
  strict_editor e(p);
  auto found = midend::dominators_and_loops(p);
  auto simple = midend::plan_simplify_loops(e, found.dominators, found.loops);
  CHECK(midend::to_text(e, found.loops, simple, names) ==
        "preheader of the loop of test: entry -> test, other -> test\n"
        "single latch of the loop of test: body -> test, more -> test\n");
  CHECK(midend::summary_text(simple) == "1 preheader, 1 single latch");
  e.stays = p.out_edges(0)[0];
  simple = midend::plan_simplify_loops(e, found.dominators, found.loops);
  CHECK(midend::to_text(e, found.loops, simple, names) ==
        "single latch of the loop of test: body -> test, more -> test\n"
        "no preheader of the loop of test: an edge cannot be led through a new node, entry -> test\n");
  CHECK(midend::summary_text(simple) ==
        "1 single latch; refused: 1 preheader (an edge cannot be led through a new node)");

  const auto critical = midend::plan_split_critical_edges(e);
  CHECK(midend::to_text(e, critical, names) == "split test -> done\nsplit body -> test\nsplit more -> test\n"
                                               "split more -> done\n"
                                               "entry -> test stays critical: the IR allows no node on it\n");
  CHECK(midend::summary_text(critical) == "4 split edges; refused: 1 critical edge (the IR allows no node on it)");

  auto rotate = midend::plan_rotate_loops(e, found.loops);
  CHECK(midend::to_text(e, found.loops, rotate, names) == "the loop of test stays: it has no preheader\n");
  CHECK(midend::summary_text(rotate) == "no loop rotated; refused: 1 loop (it has no preheader)");
  e.stays = midend::no_edge;

  const auto hoist = midend::plan_hoist_invariants(e, found.dominators, found.loops);
  CHECK(midend::to_text(found.loops, hoist, names).find("%u stays in the loop of test: the loop has no preheader\n") !=
        std::string::npos);

  const auto unify = midend::plan_unify_loop_exits(e, found.loops);
  CHECK(midend::to_text(e, found.loops, unify, names).empty());
  CHECK(midend::summary_text(unify) == "no common exits");

  midend::simplify_loops(e);
  found = midend::dominators_and_loops(p);
  rotate = midend::plan_rotate_loops(e, found.loops);
  CHECK(midend::to_text(e, found.loops, rotate, names) ==
        "rotate the loop of test: a copy of test guards it, and body follows\n");
  CHECK(midend::summary_text(rotate) == "1 rotated loop");
  rotate.rotations[0].runs = true;
  CHECK(midend::to_text(e, found.loops, rotate, names) == "rotate the loop of test: it runs, and body follows\n");
  CHECK(midend::summary_text(rotate) == "1 rotated loop, 1 known guard");
  rotate = midend::plan_rotate_loops(e, found.loops, {.max_operations = 1});
  CHECK(midend::summary_text(rotate) ==
        "no loop rotated; refused: 1 loop (its header has more operations than the limit)");
  e.may_copy = false;
  rotate = midend::plan_rotate_loops(e, found.loops);
  CHECK(midend::to_text(e, found.loops, rotate, names) ==
        "the loop of test stays: an operation of its header may not be copied\n");

  const auto moved = midend::plan_hoist_invariants(e, found.dominators, found.loops);
  CHECK(midend::to_text(found.loops, moved, names) ==
        "move %u from the loop of test to 0\nmove %d from the loop of test to 0\n"
        "%q stays in the loop of test: it may trap, and would run earlier or where it did not\n");
  CHECK(midend::summary_text(moved) ==
        "2 moved operations; refused: 1 operation (it may trap, and would run earlier or where it did not)");

  const auto closed = midend::plan_close_loops(e, found.dominators, found.loops);
  CHECK(midend::to_text(closed, names).empty()); // its only outside reads are by a phi in the exit
  CHECK(midend::summary_text(closed) == "no closing phis");
}

TEST_CASE("words for plans: values that leave a loop, common exits, and loops at the entry") {
  procedure p = parsed("node test:\n %i = add.i32 %n, 1\n %t = cmp.lt.i32 %i, 9\n br %t ? body : done\n"
                       "node body:\n br %c ? test : other\n"
                       "node other:\n ret 0\n"
                       "node done:\n ret %i\n");
  const text_names names{p};
  strict_editor e(p);
  const auto found = midend::dominators_and_loops(p);
  midend::loop_simplification_plan simple;
  simple.refused.push_back(
      {0, midend::loop_node_kind::preheader, midend::loop_refusal_reason::entry_is_header, midend::no_edge});
  CHECK(midend::to_text(e, found.loops, simple, names) ==
        "no preheader of the loop of test: its header is the entry\n");
  CHECK(midend::summary_text(simple) == "no new nodes; refused: 1 preheader (its header is the entry)");
  auto closed = midend::plan_close_loops(e, found.dominators, found.loops);
  CHECK(midend::to_text(closed, names) == "close %i by a phi in done\n");
  CHECK(midend::summary_text(closed) == "1 closing phi");
  for (const auto reason :
       {midend::closing_refusal_reason::exit_not_dedicated, midend::closing_refusal_reason::cannot_have_phi}) {
    closed.refused.push_back({closed.phis[0].value, closed.phis[0].exit, reason});
  }
  closed.phis.clear();
  CHECK(midend::to_text(closed, names) == "%i stays open in done: the exit is also entered from elsewhere\n"
                                          "%i stays open in done: the value can take no phi\n");
  CHECK(midend::summary_text(closed) == "no closing phis; refused: 1 value (the exit is also entered from elsewhere), "
                                        "1 value (the value can take no phi)");
  auto unify = midend::plan_unify_loop_exits(e, found.loops);
  CHECK(midend::to_text(e, found.loops, unify, names) ==
        "a common exit of the loop of test: test -> done, body -> other\n");
  CHECK(midend::summary_text(unify) == "1 common exit");
  e.stays = p.out_edges(2)[1]; // after a node before the first one, which is a header
  unify = midend::plan_unify_loop_exits(e, found.loops);
  CHECK(midend::to_text(e, found.loops, unify, names) ==
        "the loop of test keeps its exits: body -> other cannot be led through a new node\n");
  CHECK(midend::summary_text(unify) == "no common exits; refused: 1 loop (an edge cannot be led through a new node)");
}

TEST_CASE("words for plans of loops with one header") {
  procedure p = parsed("node entry:\n br test\n"
                       "node test:\n %i = phi.i32 [entry: 0], [body: %i], [outer: %j]\n %j = add.i32 %i, 1\n"
                       " br %c ? body : done\n"
                       "node body:\n %t = cmp.lt.i32 %j, %n\n br %t ? test : outer\n"
                       "node outer:\n br test\n"
                       "node done:\n ret %i\n");
  const text_names names{p};
  strict_editor e(p);
  const auto found = midend::dominators_and_loops(p);
  auto plan = midend::plan_separate_loops(e, found.loops);
  CHECK(midend::to_text(e, found.loops, plan, names) ==
        "separate the loops of test: outer -> test, entry -> test; a phi keeps its value in the inner one\n");
  CHECK(midend::summary_text(plan) == "1 new header");
  e.stays = p.out_edges(3)[0];
  plan = midend::plan_separate_loops(e, found.loops);
  CHECK(midend::to_text(e, found.loops, plan, names) ==
        "the loops of test stay one: outer -> test cannot be led through a new node\n");
  CHECK(midend::summary_text(plan) == "no loop separated; refused: 1 loop (an edge cannot be led through a new node)");
}

TEST_CASE("words for plans of irreducible cycles") {
  procedure p = parsed("node entry:\n br %c ? a : b\n"
                       "node a:\n br b\n"
                       "node b:\n br %c ? a : done\n"
                       "node done:\n ret %n\n");
  const text_names names{p};
  strict_editor e(p);
  const auto plan = [&](const midend::irreducible_options& options) {
    return midend::plan_fix_irreducible(e, midend::dominators(p), midend::cycles(p), options);
  };
  const auto words = [&](const midend::irreducible_plan& done) {
    return midend::to_text(e, midend::cycles(p), done, names) + midend::summary_text(done);
  };
  CHECK(words(plan({})) == "a dispatch before the cycle of b: entry -> a, entry -> b, a -> b\n1 dispatch");
  const midend::irreducible_options split{.method = midend::irreducible_method::split_nodes};
  CHECK(words(plan(split)).find("split the cycle of ") == 0);
  CHECK(words(plan(split)).find("1 split cycle") != std::string::npos);
  CHECK(words(plan({.method = midend::irreducible_method::split_nodes, .max_cloned = 0})) ==
        "the cycle of b stays irreducible: more would be copied or led than the limit\n"
        "no cycle changed; refused: 1 cycle (more would be copied or led than the limit)");
  e.stays = p.out_edges(0)[1];
  CHECK(words(plan({})) == "the cycle of b stays irreducible: an edge cannot be led elsewhere, entry -> b\n"
                           "no cycle changed; refused: 1 cycle (an edge cannot be led elsewhere)");
}

TEST_CASE("words for plans that clean") {
  procedure p = parsed("node entry:\n %x = mov.i32 %n\n %y = add.i32 %x, 1\n br 1 ? a : b\n"
                       "node a:\n br c\n"
                       "node b:\n br c\n"
                       "node c:\n %z = phi.i32 [a: %x], [b: %x]\n br %c ? d : e\n"
                       "node d:\n br e\n"
                       "node e:\n ret %z\n");
  const text_names names{p};
  elbrus::editor e(p);
  const auto control = midend::plan_clean_control(e);
  CHECK(midend::to_text(e, control, names) == "always entry -> a: the condition is a literal\nerase b\n"
                                              "append a to entry\nappend c to entry\npass over d\n");
  CHECK(midend::summary_text(control) == "1 decided branch, 1 unreachable node, 2 merged nodes, 1 passed node");
  const auto copies = midend::plan_propagate_copies(e);
  CHECK(midend::to_text(copies, names) == "replace %x by %n\nreplace %z by %n\n");
  CHECK(midend::summary_text(copies) == "2 replaced values");
  const auto dead = midend::plan_remove_dead_code(e);
  CHECK(midend::to_text(e, dead, names).find("erase %y\n") == 0);
  CHECK(midend::to_text(e, dead, names).find("always from c to e: the branch decides nothing\n") != std::string::npos);
  CHECK(midend::summary_text(dead) == "1 dead value, 1 dead branch, 1 unreachable node");
  CHECK(midend::summary_text(midend::control_plan()) == "nothing to clean");
  CHECK(midend::summary_text(midend::dead_code_plan()) == "nothing dead");
  CHECK(midend::summary_text(midend::copy_propagation_plan()) == "no copies");
  CHECK(midend::summary_text(midend::hoisting_plan()) == "nothing moved");
  midend::common_value_plan common;
  CHECK(midend::summary_text(common) == "nothing moved");
  common.moves.push_back({3, 1, false});
  common.moves.push_back({4, 2, true});
  CHECK(midend::summary_text(common) == "2 moved operations");
  CHECK(midend::to_text(common) == "move v3 to block 1\nmove v4 to block 2 without its promises\n");
}

TEST_CASE("words for rejected certificates") {
  procedure p = parsed(loop_text);
  const procedure before = p;
  const text_names names{p};
  elbrus::editor e(p);
  midend::unfolding_witness w;
  w.start(p.num_nodes(), p.num_edges(), p.num_values());
  const auto verdict = [&] { return certificate(before, p, w); };
  CHECK(midend::to_text(verdict()) == "certified");
  const value_id j = p.phi_input(p.node(2).first, p.out_edges(3)[0]);
  p.set_operand(j, 1, p.parameters()[0]);
  CHECK(midend::to_text(verdict(), names, text_names{before}) ==
        "body: an operand is not what the old program reads; new %n, old 1");
  p = before;
  e.keep_edge(p.out_edges(4)[0]);
  w.grow(p.num_nodes(), p.num_edges(), p.num_values());
  CHECK(midend::to_text(verdict(), names, text_names{before}) ==
        "more: an edge of the original is missing without a reason; old more -> done");
  CHECK(midend::to_text(verdict()).find("block 4: an edge of the original is missing without a reason; old edge ") ==
        0);
  p = before;
  w.start(p.num_nodes(), p.num_edges(), p.num_values());
  w.node_origin.pop_back();
  CHECK(midend::to_text(verdict()) == "the witness does not fit the programs");

  const elbrus::effect_view old(before);
  p.set_operand(j, 1, p.parameters()[0]);
  CHECK(midend::to_text(midend::verify_removal(old, elbrus::effect_view(p), {}), names) ==
        "body: an operand is another one, or is not computed any more; %j");
  CHECK(midend::to_text(midend::verify_replacement(old, elbrus::effect_view(p), {}), names) ==
        "body: an operand is another one, or is not computed any more; %j");
  CHECK(midend::to_text(midend::verify_removal(old, old, {})) == "certified");
  CHECK(midend::to_text(midend::verify_replacement(old, old, {})) == "certified");
  CHECK(midend::to_text(midend::verify_motion(old, old)) == "certified");
  p = before;
  value_id quotient = p.node(3).first;
  while (p.value(quotient).code != elbrus::opcode::div) {
    quotient = p.value(quotient).next;
  }
  elbrus::editor(p).move_value(quotient, midend::place_at_end(0));
  CHECK(midend::to_text(midend::verify_motion(old, elbrus::effect_view(p)), names)
            .find("an operation may trap where it did not run, or before an effect; %q") != std::string::npos);
}

TEST_CASE("each enumerator has words of its own") {
  const auto all_different = [](auto last) {
    using fault = decltype(last);
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      for (int k = 0; k < i; ++k) {
        CHECK(midend::to_text(static_cast<fault>(i)) != midend::to_text(static_cast<fault>(k)));
      }
    }
  };
  all_different(midend::unfolding_fault::new_promise);
  all_different(midend::change_fault::read_before);
  all_different(midend::drop_reason::assumed);
  all_different(midend::separation_reason::profile);
  all_different(midend::loop_node_kind::dedicated_exit);
  all_different(midend::loop_refusal_reason::edge_stays);
  all_different(midend::closing_refusal_reason::cannot_have_phi);
  all_different(midend::rotation_refusal_reason::edge_stays);
  all_different(midend::irreducible_refusal_reason::too_large);
  all_different(midend::hoisting_refusal_reason::memory_written);
}

TEST_CASE("words for recorded changes") {
  procedure p = parsed(loop_text);
  midend::recording_editor<elbrus::editor> e(p);
  const value_id i = p.node(2).first;
  const value_id t = p.value(i).next;
  const edge_id back = p.out_edges(3)[0];
  const value_id j = p.phi_input(i, back);
  const node_id n = e.create_node(3);
  e.set_jump(n, 2);
  e.redirect_edge(back, n);
  e.set_phi_input(i, p.out_edges(n)[0], j);
  e.set_phi_input(i, p.out_edges(n)[0], j); // changes nothing
  e.set_operand(t, 1, j);
  e.set_operand(t, 1, p.parameters()[0]);
  e.move_value(t, midend::place_at_end(2));
  e.set_count(3, 10);
  e.set_count(3, 10);
  e.set_probability(back, 0.25);
  const value_id literal = e.make_constant(i, 77);
  e.replace_uses(j, literal);
  e.erase_value(j);
  e.keep_edge(p.out_edges(4)[1]);
  const node_id extra = e.create_node(2);
  e.set_branch(extra, p.parameters()[1], 4, 5);
  const midend::flat_array<value_id> operands(2, p.parameters()[0]);
  const value_id made =
      e.make_operation({.code = midend::operation::add, .width = 32}, operands, midend::place_at_end(extra));
  e.drop_promises(made);
  e.erase_nodes(midend::span<const node_id>(&extra, 1));
  CHECK(midend::to_text(e.log()) == "create block 6 like block 3\n"
                                    "end block 6 with a jump to block 2\n"
                                    "lead edge 5 to block 6 instead of block 2\n"
                                    "input of v6 for edge 9: v9\n"
                                    "operand 1 of v7: v9 instead of v0\n"
                                    "operand 1 of v7: v0 instead of v9\n"
                                    "move v7 from block 2, placed at the end of block 2\n"
                                    "count of block 3: 10 instead of unknown\n"
                                    "probability of edge 5: 0.250 instead of unknown\n"
                                    "make literal v20\n"
                                    "input of v6 for edge 9: v20 instead of v9\n"
                                    "input of v6 for edge 7: v20 instead of v9\n"
                                    "input of v17 for edge 8: v20 instead of v9\n"
                                    "erase v9 from block 3\n"
                                    "turn the branch of block 4 into a jump to block 5\n"
                                    "create block 7 like block 2\n"
                                    "end block 7 with a branch on v1: to block 4 or block 5\n"
                                    "make v23 of v0, v0, placed at the end of block 7\n"
                                    "drop the promises of v23\n"
                                    "erase block 7\n");
}
