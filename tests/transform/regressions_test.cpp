#include "kit/parsed_procedure.hpp"
#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/loops/loop_forms.hpp>
#include <midend/transform.hpp>

#include <string_view>

// Mistakes that other compilers have made. The names are those of their trackers; numbers without a name are LLVM's.
// docs/transform.md has a table of them.

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

/// Simplifies, closes and rotates all loops, each certified; gives the result of the last.
elbrus::procedure through_all_forms(std::string_view text) {
  elbrus::procedure p = program_of(text).procedures[0];
  elbrus::editor e(p);
  elbrus::procedure before = p;
  const auto check = [&](const midend::unfolding_witness& w) {
    const auto verdict = certificate(before, p, w);
    CHECK_MESSAGE(verdict, to_text(verdict), "\n", elbrus::to_text(before), elbrus::to_text(p));
    for (const elbrus::diagnostic& error : elbrus::verify(p)) {
      FAIL_CHECK(error.message, "\n", elbrus::to_text(p));
    }
    before = p;
  };
  check(midend::simplify_loops(e).witness);
  check(midend::close_loops(e).witness);
  CHECK(midend::close_loops(e).plan.empty());
  before = p;
  check(midend::rotate_loops(e).witness);
  const auto found = midend::dominators_and_loops(p);
  for (const midend::loop_id l : found.loops.loops()) {
    CHECK(midend::is_loop_simplify_form(p, found.loops, l));
  }
  return p;
}

} // namespace

TEST_CASE("a switch with parallel edges into the header keeps an input for each") {
  const elbrus::procedure p = through_all_forms(R"(
proc @f(%x: i32, %c: i1) -> i32 {
  node entry:
    switch.i32 %x [1: loop], [2: loop], default: exit
  node loop:
    %i = phi.i32 [entry: 10], [entry: 20], [loop: %i1], [loop: 5]
    %i1 = add.i32 %i, 1
    switch.i32 %i1 [7: loop], [9: loop], default: exit
  node exit:
    %r = phi.i32 [entry: 0], [loop: %i1]
    ret %r
}
)");
  CHECK(midend::dominators_and_loops(p).loops.num_loops() == 1);
}

TEST_CASE("PR28272, PR28825: separating loops that share a header, closed form holds for both, and next to them") {
  const elbrus::procedure p = through_all_forms(R"(
proc @f(%n: i32, %a: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [inner: %i], [outer: %i1], [sibling: %i]
    %j = phi.i32 [entry: %a], [inner: %j1], [outer: 0], [sibling: %y1]
    %k = phi.i32 [entry: 1], [inner: %k], [outer: %j], [sibling: %k]
    %j1 = add.i32 %j, 1
    %p = rem.i32 %j1, 5
    switch.i32 %p [0: inner], [1: outer], [2: out], default: before
  node inner:
    br head
  node before:
    br sibling
  node sibling:
    %y = phi.i32 [before: %j1], [sibling: %y1]
    %y1 = add.i32 %y, 7
    %r = cmp.lt.i32 %y1, %n
    br %r ? sibling : head
  node outer:
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? head : out
  node out:
    %x = phi.i32 [head: %j1], [outer: %i]
    %z = add.i32 %x, %k
    ret %z
}
)");
  CHECK(midend::dominators_and_loops(p).loops.num_loops() >= 3);
}

TEST_CASE("56266: the preheader ends in a switch without cases") {
  through_all_forms(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    switch.i32 %n default: head
  node head:
    %i = phi.i32 [entry: 0], [body: %i1]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %i1 = add.i32 %i, 1
    switch.i32 %n default: head
  node exit:
    ret %i
}
)");
}

TEST_CASE("PR28424: a phi that closing inserts lies in another loop and needs a phi of its own") {
  through_all_forms(R"(
proc @f(%c: i1, %d: i1, %x: i32) -> i32 {
  node entry:
    br first
  node first:
    %v = add.i32 %x, 1
    switch.i32 %x [1: first], [2: a], default: b
  node a:
    br second
  node b:
    br second
  node second:
    br %c ? second : third
  node third:
    %u = add.i32 %v, 2
    br %d ? second : exit
  node exit:
    %w = add.i32 %v, %u
    ret %w
}
)");
}

TEST_CASE("PR28608, 58123: values of loops that are read only in unreachable code") {
  through_all_forms(R"(
proc @f(%c: i1, %x: i32) -> i32 {
  node entry:
    br %c ? loop : exit
  node loop:
    %v = add.i32 %x, 1
    br loop
  node dead:
    %w = add.i32 %v, 1
    ret %w
  node exit:
    ret 0
}
)");
}

TEST_CASE("PR33701: an exit block with an unreachable predecessor") {
  through_all_forms(R"(
proc @f(%c: i1, %x: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [body: %i1]
    %q = cmp.lt.i32 %i, %x
    br %q ? body : exit
  node body:
    %i1 = add.i32 %i, 1
    br loop
  node dead:
    br exit
  node exit:
    %r = phi.i32 [loop: %i], [dead: 7]
    ret %r
}
)");
}

TEST_CASE("rotation: header phis fed by each other, golang 69929, bril 330: swap and lost copy") {
  through_all_forms(R"(
proc @f(%n: i32, %x: i32, %y: i32) -> i32 {
  node entry:
    br head
  node head:
    %a = phi.i32 [entry: %x], [body: %b]
    %b = phi.i32 [entry: %y], [body: %a]
    %s = phi.i32 [entry: 0], [body: %s]
    %i = phi.i32 [entry: 0], [body: %i1]
    %old = phi.i32 [entry: 0], [body: %i]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %i1 = add.i32 %i, 1
    br head
  node exit:
    %r = sub.i32 %a, %b
    %t = sub.i32 %r, %old
    %u = add.i32 %t, %s
    ret %u
}
)");
}

TEST_CASE("rotation: what a loop leaves for the next time around is not what it is entered with") {
  // %x is 7, then 6, … 0, since %k, which it becomes, is 7 only where the inner loop does not run.
  through_all_forms(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br outer
  node outer:
    %x = phi.i32 [entry: 7], [latch: %k]
    %j = phi.i32 [entry: 0], [latch: %j1]
    br inner
  node inner:
    %i = phi.i32 [outer: 0], [body: %i1]
    %k = phi.i32 [outer: 7], [body: %i]
    %c = cmp.lt.i32 %i, %x
    br %c ? body : latch
  node body:
    %i1 = add.i32 %i, 1
    br inner
  node latch:
    %j1 = add.i32 %j, 1
    %d = cmp.lt.i32 %j1, %n
    br %d ? outer : exit
  node exit:
    ret %k
}
)");
}

TEST_CASE("swift 78781: the header branches to a dead end; a switch in the header") {
  through_all_forms(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [body: %i1]
    %m = rem.i32 %i, 7
    switch.i32 %m [5: dead], [6: exit], default: body
  node body:
    %i1 = add.i32 %i, %n
    br head
  node dead:
    unreachable
  node exit:
    ret %i
}
)");
}

TEST_CASE("a header that is too large, or has several edges into the body, stays and is named") {
  elbrus::procedure p = program_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [latch: %i1]
    switch.i32 %i [5: a], [6: b], default: exit
  node a:
    br latch
  node b:
    br latch
  node latch:
    %i1 = add.i32 %i, %n
    br head
  node exit:
    ret %i
}
)")
                            .procedures[0];
  elbrus::editor e(p);
  const auto done = midend::rotate_loops(e);
  REQUIRE(done.plan.refused.size() == 1);
  CHECK(done.plan.refused[0].why == midend::rotation_refusal_reason::several_edges_into_the_body);
}

namespace {

/// Fixes irreducible cycles by both methods, each certified; returns the result of the dispatch.
elbrus::procedure without_irreducible_cycles(std::string_view text) {
  const elbrus::procedure before = program_of(text).procedures[0];
  CHECK(!midend::cycles(before).is_reducible());
  elbrus::procedure p;
  for (const auto method : {midend::irreducible_method::split_nodes, midend::irreducible_method::dispatch}) {
    p = before;
    elbrus::editor e(p);
    const auto done = midend::fix_irreducible(e, {.method = method});
    CHECK(done.plan.refused.empty());
    const auto verdict = certificate(before, p, done.witness);
    CHECK_MESSAGE(verdict, to_text(verdict), "\n", elbrus::to_text(before), elbrus::to_text(p));
    for (const elbrus::diagnostic& error : elbrus::verify(p)) {
      FAIL_CHECK(error.message, "\n", elbrus::to_text(p));
    }
    CHECK(midend::cycles(p).is_reducible());
  }
  return p;
}

} // namespace

TEST_CASE("48919, 55099: a child loop, and a self loop at an entry, stay loops") {
  const elbrus::procedure p = without_irreducible_cycles(R"(
proc @f(%c: i1, %x: i32, %n: i32) -> i32 {
  node entry:
    br %c ? a : b
  node a:
    %i = phi.i32 [entry: %x], [a: %i1], [latch: %j]
    %i1 = add.i32 %i, 1
    %p = cmp.lt.i32 %i1, %n
    br %p ? a : b
  node b:
    %j = phi.i32 [entry: 0], [a: %i1], [b: %j1]
    %j1 = add.i32 %j, 3
    %q = cmp.lt.i32 %j1, %n
    br %q ? b : child
  node child:
    %k = phi.i32 [b: 0], [child: %k1]
    %k1 = add.i32 %k, %j
    %r = cmp.lt.i32 %k1, %n
    br %r ? child : latch
  node latch:
    %s = cmp.lt.i32 %j, %n
    br %s ? a : exit
  node exit:
    ret %k1
}
)");
  const auto found = midend::dominators_and_loops(p);
  CHECK(found.loops.num_loops() == 4); // the new one, and those of a, b and child
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    const std::string_view name = p.node_name(n);
    if (name == "a" || name == "b" || name == "child") {
      CHECK(found.loops.is_header(n));
      CHECK(found.loops.loop_depth(n) == 2);
    }
  }
}

TEST_CASE("56334, 191979: both arms of a branch to one entry, with different phi inputs") {
  without_irreducible_cycles(R"(
proc @f(%c: i1, %d: i1, %x: i32, %n: i32) -> i32 {
  node entry:
    br %c ? left : right
  node left:
    switch.i32 %x [1: a], default: a
  node right:
    br %d ? b : b
  node a:
    %i = phi.i32 [left: 1], [left: 2], [b: %j1], [b: %j]
    %i1 = add.i32 %i, %x
    br b
  node b:
    %j = phi.i32 [right: %x], [right: %n], [a: %i1]
    %j1 = add.i32 %j, 1
    switch.i32 %j1 [5: a], [6: a], default: exit
  node exit:
    ret %j1
}
)");
}

TEST_CASE("191978, 205244, 206567: switches into, in and out of an irreducible cycle") {
  without_irreducible_cycles(R"(
proc @f(%x: i32, %n: i32) -> i32 {
  node entry:
    switch.i32 %x [0: a], [1: b], [2: c], [3: exit], default: a
  node a:
    %i = phi.i32 [entry: 0], [entry: 9], [b: %j], [c: %k]
    %i1 = add.i32 %i, 1
    switch.i32 %i1 [7: b], [8: c], default: b
  node b:
    %j = phi.i32 [entry: 1], [a: %i1], [a: %i], [c: %k]
    switch.i32 %j [3: a], [4: c], default: exit
  node c:
    %k = phi.i32 [entry: 2], [a: %i1], [b: %n]
    switch.i32 %k [3: a], [4: b], default: exit
  node exit:
    %r = phi.i32 [entry: %x], [b: %j], [c: %k]
    ret %r
}
)");
}

TEST_CASE("an unreachable predecessor of an entry of an irreducible cycle stays where it is") {
  const elbrus::procedure p = without_irreducible_cycles(R"(
proc @f(%c: i1, %x: i32) -> i32 {
  node entry:
    br %c ? a : b
  node dead:
    br %c ? a : b
  node a:
    %i = phi.i32 [entry: 0], [dead: 5], [b: %j]
    %i1 = add.i32 %i, 1
    br b
  node b:
    %j = phi.i32 [entry: %x], [dead: 6], [a: %i1]
    br %c ? a : exit
  node exit:
    ret %j
}
)");
  CHECK(p.node_name(p.edge_target(p.out_edges(1)[0])) == "a");
}

TEST_CASE("an edge that may not be led elsewhere refuses the cycle, and nothing else") {
  struct stubborn_editor : elbrus::editor {
    using elbrus::editor::editor;

    bool may_redirect(edge_id e) const { return graph().edge_source(e) != 0; }
  };

  elbrus::procedure p = program_of(R"(
proc @f(%c: i1, %x: i32) -> i32 {
  node entry:
    br %c ? a : b
  node a:
    %i = phi.i32 [entry: 0], [b: %x]
    br b
  node b:
    br %c ? a : between
  node between:
    br %c ? d : e
  node d:
    br e
  node e:
    br %c ? d : exit
  node exit:
    ret %x
}
)")
                            .procedures[0];
  stubborn_editor e(p);
  for (const auto method : {midend::irreducible_method::dispatch, midend::irreducible_method::split_nodes}) {
    const auto done = midend::fix_irreducible(e, {.method = method});
    REQUIRE(done.plan.refused.size() == 1);
    CHECK(done.plan.refused[0].why == midend::irreducible_refusal_reason::edge_stays);
    CHECK(p.edge_source(done.plan.refused[0].edge) == 0);
    CHECK(done.dispatches + done.splits == (method == midend::irreducible_method::dispatch ? 1 : 0));
  }
  CHECK(elbrus::verify(p).empty());
}

namespace {

/// No phi can take values of 64 bits.
class token_editor : public elbrus::editor {
public:
  using editor::editor;

  bool may_insert_phi(midend::value_id like) const { return graph().value(like).type != elbrus::type::i64; }
};

} // namespace

TEST_CASE("56243: a value that cannot take a phi stays open, which is said; its loop is not rotated") {
  elbrus::procedure p = program_of(R"(
proc @f(%n: i32, %x: i64) -> i64 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [body: %i1]
    %token = add.i64 %x, 1
    %v = add.i32 %i, 7
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %i1 = add.i32 %i, 1
    br head
  node exit:
    %w = add.i32 %v, %i
    call @host_note(%w)
    ret %token
}
)")
                            .procedures[0];
  const elbrus::procedure before = p;
  token_editor e(p);
  const auto done = midend::close_loops(e);
  REQUIRE(done.plan.refused.size() == 1);
  CHECK(p.value_name(done.plan.refused[0].value) == "token");
  CHECK(p.node_name(done.plan.refused[0].exit) == "exit");
  CHECK(done.plan.refused[0].why == midend::closing_refusal_reason::cannot_have_phi);
  CHECK(done.plan.phis.size() == 2);
  CHECK(certificate(before, p, done.witness));
  CHECK(elbrus::verify(p).empty());
  const auto rotated = midend::rotate_loops(e);
  CHECK(rotated.plan.rotations.empty());
  REQUIRE(rotated.plan.refused.size() == 1);
  CHECK(rotated.plan.refused[0].why == midend::rotation_refusal_reason::may_not_duplicate);
}

TEST_CASE("a value that cannot take a phi keeps the exits of a loop apart, but no cycle irreducible") {
  elbrus::procedure p = program_of(R"(
proc @f(%c: i1, %x: i64, %n: i32) -> i64 {
  node entry:
    br %c ? before : b
  node before:
    %token = add.i64 %x, 1
    br a
  node a:
    %i = phi.i32 [before: 0], [b: %n]
    br b
  node b:
    %j = phi.i32 [entry: 1], [a: %i]
    br %c ? a : loop
  node loop:
    %inner = add.i64 %x, 2
    br %c ? latch : one
  node latch:
    br %c ? loop : other
  node one:
    ret %inner
  node other:
    ret %inner
}
)")
                            .procedures[0];
  token_editor e(p);                                         // no phi can take the values of 64 bits
  CHECK(midend::fix_irreducible(e).dispatches == 1);         // nothing reads %token elsewhere
  CHECK(midend::unify_loop_exits(e).plan.exits.size() == 1); // %inner is computed before both exits
  p = program_of(R"(
proc @f(%c: i1, %x: i64, %n: i32) -> i64 {
  node entry:
    br %c ? before : b
  node before:
    %token = add.i64 %x, 1
    br %c ? a : early
  node early:
    ret %token
  node a:
    %i = phi.i32 [before: 0], [b: %n]
    br b
  node b:
    %j = phi.i32 [entry: 1], [a: %i]
    br %c ? a : loop
  node loop:
    br %c ? latch : one
  node latch:
    %inner = add.i64 %x, 2
    br %c ? loop : other
  node one:
    ret %x
  node other:
    ret %inner
}
)")
          .procedures[0];
  token_editor f(p);
  CHECK(midend::fix_irreducible(f).dispatches == 1); // %token is not needed in the cycle
  const auto exits = midend::unify_loop_exits(f);
  CHECK(exits.plan.exits.empty());
  REQUIRE(exits.plan.refused.size() == 1);
  CHECK(p.value_name(exits.plan.refused[0].value) == "inner");
  CHECK(elbrus::verify(p).empty());
}

TEST_CASE("swift 11426, noir 13672, rust 28728, dg 44: endless loops stay, and cleaning ends") {
  elbrus::procedure p = program_of(R"(
proc @f(%c: i1) -> i32 {
  node entry:
    br %c ? self : two
  node self:
    br self
  node two:
    br three
  node three:
    br two
}
)")
                            .procedures[0];
  elbrus::editor e(p);
  CHECK(midend::clean_control(e) < 4);
  midend::remove_dead_code(e);
  CHECK(elbrus::verify(p).empty());
  const auto found = midend::dominators_and_loops(p);
  CHECK(found.loops.num_loops() == 2);
  for (const midend::loop_id l : found.loops.loops()) {
    CHECK(found.loops.exiting_edges(l).empty());
  }
}

TEST_CASE("a chain of 10^5 nodes merges in one round") {
  elbrus::procedure p;
  p.set_result_type(elbrus::type::none);
  node_id last = p.create_node("entry");
  for (int i = 0; i != 100'000; ++i) {
    const node_id n = p.create_node({});
    p.append(last, {.code = elbrus::opcode::jump});
    p.add_edge(last, n);
    last = n;
  }
  p.append(last, {.code = elbrus::opcode::ret});
  const elbrus::procedure before = p;
  elbrus::editor e(p);
  std::size_t certified = 0;
  CHECK(midend::clean_control(
            e, [&](const midend::unfolding_witness& w) { certified += certificate(before, p, w) ? 1u : 0u; }) == 1);
  CHECK(certified == 1);
  CHECK(p.out_edges(0).empty());
}

namespace {

/// What an edge of an indirect branch is: it cannot be led elsewhere.
class editor_of_fixed_edges : public elbrus::editor {
public:
  editor_of_fixed_edges(elbrus::procedure& p, std::string_view source) : editor(p), source_(node_named(p, source)) {}

  bool may_redirect(edge_id e) const { return graph().edge_source(e) != source_; }

private:
  node_id source_;
};

/// Nothing may be copied.
class editor_of_originals : public elbrus::editor {
public:
  using editor::editor;

  bool may_duplicate(midend::value_id) const { return false; }
};

/// Certifies what was done since the last time.
class witnessed {
public:
  explicit witnessed(const elbrus::procedure& p) : now_(p), before_(p) {}

  void operator()(const midend::unfolding_witness& w) {
    const auto verdict = certificate(before_, now_, w);
    CHECK_MESSAGE(verdict, to_text(verdict), "\n", elbrus::to_text(before_), elbrus::to_text(now_));
    for (const elbrus::diagnostic& error : elbrus::verify(now_)) {
      FAIL_CHECK(error.message, "\n", elbrus::to_text(now_));
    }
    before_ = now_;
  }

private:
  const elbrus::procedure& now_;
  elbrus::procedure before_;
};

} // namespace

TEST_CASE("PR30454: where an unreachable predecessor goes, the phi that closes the loop stays") {
  elbrus::procedure p = program_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [head: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? head : exit
  node dead:
    br exit
  node exit:
    %r = phi.i32 [head: %i1], [dead: 7]
    %s = add.i32 %r, 1
    ret %s
}
)")
                            .procedures[0];
  elbrus::editor e(p);
  witnessed certify(p);
  certify(midend::simplify_loops(e).witness);
  CHECK(midend::close_loops(e).plan.empty());
  midend::clean_control(e, certify);
  CHECK(node_named(p, "dead") == no_node);
  CHECK(home_of(p, "r") == "exit");
  CHECK(p.operands(value_named(p, "r")).size() == 1);
  CHECK(midend::close_loops(e).plan.empty());
}

TEST_CASE("PR26682: where exits are merged, phis still close the loop") {
  elbrus::procedure p = program_of(R"(
proc @f(%n: i32, %k: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %q = cmp.lt.i32 %i, %k
    br %q ? latch : one
  node latch:
    %i1 = add.i32 %i, 1
    %r = cmp.lt.i32 %i1, %n
    br %r ? head : other
  node one:
    %u = phi.i32 [head: %i]
    br join
  node other:
    %v = phi.i32 [latch: %i1]
    br join
  node join:
    %w = phi.i32 [one: %u], [other: %v]
    %x = mul.i32 %w, %n
    ret %x
}
)")
                            .procedures[0];
  const elbrus::procedure closed = p;
  {
    elbrus::editor e(p);
    witnessed certify(p);
    CHECK(midend::close_loops(e).plan.empty());
    certify(midend::unify_loop_exits(e).witness);
    const auto found = midend::dominators_and_loops(p);
    midend::flat_array<node_id> exits;
    found.loops.exit_blocks(0, exits);
    CHECK(exits.size() == 1);
    CHECK(midend::close_loops(e).plan.empty());
  }
  p = closed;
  elbrus::editor e(p);
  witnessed certify(p);
  midend::clean_control(e, certify); // both exits do nothing
  CHECK(node_named(p, "one") == no_node);
  CHECK(node_named(p, "other") == no_node);
  CHECK(home_of(p, "w") == "join");
  CHECK(midend::close_loops(e).plan.empty());
}

TEST_CASE("149679, 147869: a loop that is entered by an edge that cannot be split has no preheader, and all else") {
  elbrus::procedure p = program_of(R"(
proc @f(%x: i32, %n: i32) -> i32 {
  node entry:
    switch.i32 %x [1: head], [2: aside], default: exit
  node aside:
    ret 5
  node head:
    %i = phi.i32 [entry: 0], [left: %i1], [right: %i2]
    %c = mul.i32 %n, %n
    %q = cmp.lt.i32 %i, %c
    br %q ? body : exit
  node body:
    %even = and.i32 %i, 1
    switch.i32 %even [0: left], default: right
  node left:
    %i1 = add.i32 %i, 1
    br head
  node right:
    %i2 = add.i32 %i, 3
    %done = cmp.lt.i32 %i2, 100
    br %done ? head : other
  node exit:
    %r = phi.i32 [entry: 0], [head: %i]
    ret %r
  node other:
    ret %i2
}
)")
                            .procedures[0];
  editor_of_fixed_edges e(p, "entry");
  witnessed certify(p);
  const auto simple = midend::simplify_loops(e);
  certify(simple.witness);
  REQUIRE(simple.plan.refused.size() == 1);
  CHECK(simple.plan.refused[0].kind == midend::loop_node_kind::preheader);
  CHECK(simple.plan.refused[0].why == midend::loop_refusal_reason::edge_stays);
  CHECK(p.edge_source(simple.plan.refused[0].edge) == 0);
  CHECK(midend::has_single_latch(p, simple.loops, 0));
  CHECK(midend::has_dedicated_exits(p, simple.loops, 0));
  const auto closed = midend::close_loops(e);
  certify(closed.witness);
  CHECK(closed.plan.refused.empty());
  const elbrus::procedure before = p;
  const midend::hoisting_plan hoisted = midend::hoist_invariants(e);
  CHECK(hoisted.moves.empty());
  REQUIRE(!hoisted.refused.empty());
  CHECK(hoisted.refused[0].why == midend::hoisting_refusal_reason::no_preheader);
  CHECK(elbrus::equal(before, p));
  const auto rotated = midend::rotate_loops(e);
  certify(rotated.witness);
  CHECK(rotated.plan.rotations.empty());
  REQUIRE(rotated.plan.refused.size() == 1);
  CHECK(rotated.plan.refused[0].why == midend::rotation_refusal_reason::no_preheader);
  const auto unified = midend::unify_loop_exits(e); // needs exits that can be led elsewhere, and no preheader
  certify(unified.witness);
  CHECK(unified.plan.exits.size() == 1);
  CHECK(unified.plan.refused.empty());
  midend::clean_control(e, certify);
  CHECK(p.out_edges(0).size() == 3);
  CHECK(midend::dominators_and_loops(p).loops.num_loops() == 1);
}

TEST_CASE("an operation that may not be copied keeps its loop from being rotated, and its cycle from being split") {
  constexpr std::string_view text = R"(
proc @f(%c: i1, %n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [body: %i1]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : between
  node body:
    %i1 = add.i32 %i, 1
    br head
  node between:
    br %c ? a : b
  node a:
    call @host_note(%n)
    br b
  node b:
    call @host_note(%n)
    br %c ? a : exit
  node exit:
    ret %i
}
)";
  elbrus::procedure p = program_of(text).procedures[0];
  editor_of_originals e(p);
  witnessed certify(p);
  const auto rotated = midend::rotate_loops(e);
  certify(rotated.witness);
  CHECK(rotated.plan.rotations.empty());
  REQUIRE(rotated.plan.refused.size() == 1);
  CHECK(rotated.plan.refused[0].why == midend::rotation_refusal_reason::may_not_duplicate);
  const auto split = midend::fix_irreducible(e, {.method = midend::irreducible_method::split_nodes});
  certify(split.witness);
  REQUIRE(split.plan.refused.size() == 1);
  CHECK(split.plan.refused[0].why == midend::irreducible_refusal_reason::may_not_duplicate);
  const auto both = midend::fix_irreducible(e, {.method = midend::irreducible_method::split_or_dispatch});
  certify(both.witness);
  CHECK(both.splits == 0);
  CHECK(both.dispatches == 1);
}

namespace {

/// So many branches, one after the other, each to the next or to the same exit; the last one decides nothing.
elbrus::procedure falling_branches(std::size_t count) {
  elbrus::procedure p;
  p.set_name("f");
  p.set_result_type(elbrus::type::none);
  const midend::value_id c = p.add_parameter("c", elbrus::type::i1);
  node_id last = p.create_node("entry");
  const node_id exit = p.create_node("exit");
  p.append(exit, {.code = elbrus::opcode::ret});
  for (std::size_t i = 0; i != count; ++i) {
    const node_id next = i + 1 == count ? exit : p.create_node({});
    p.append(last, {.code = elbrus::opcode::branch,
                    .operand_type = elbrus::type::i1,
                    .operands = midend::span<const midend::value_id>(&c, 1)});
    p.add_edge(last, next, 1);
    p.add_edge(last, exit, 0);
    last = next;
  }
  return p;
}

} // namespace

TEST_CASE("178406, 57221: branches that go one after the other, because the next one went") {
  // `clean_control` looks at each branch once a round, so it takes rounds for that, and ends.
  elbrus::procedure p = falling_branches(40);
  elbrus::editor e(p);
  witnessed certify(p);
  CHECK(midend::clean_control(e, certify) <= 2 * 40 + 1);
  CHECK(p.out_edges(0).empty());
  // By control dependence, they go at once.
  elbrus::procedure q = falling_branches(10'000);
  const elbrus::procedure before = q;
  elbrus::editor f(q);
  const midend::removal_witness w = midend::remove_dead_code(f);
  CHECK(midend::verify_removal(elbrus::effect_view(before), f, w));
  CHECK(q.edge_target(q.out_edges(0)[0]) == node_named(q, "exit"));
  CHECK(midend::clean_control(f) <= 2);
}
