#include "kit/parsed_procedure.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform.hpp>

#include <cstddef>
#include <string>
#include <string_view>

// Mistakes that other compilers have made in dead code, copies and hoisting. The names are those of their trackers;
// numbers without a name are LLVM's.

using namespace midend_tests;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

/// Cleans by all three, each certified, until nothing changes: at most a few rounds.
elbrus::procedure cleaned(std::string_view text, const midend::dead_code_options& options = {}) {
  elbrus::procedure p = program_of(text).procedures[0];
  elbrus::editor e(p);
  const auto check = [&](const elbrus::procedure& before, const auto& verdict) {
    CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), "\n", elbrus::to_text(before),
                  elbrus::to_text(p));
    const std::string ill = why_ill_formed(p);
    CHECK_MESSAGE(ill.empty(), ill, "\n", elbrus::to_text(p));
  };
  std::size_t rounds = 0;
  for (elbrus::procedure start = p;; start = p) {
    elbrus::procedure before = p;
    const auto copies = midend::propagate_copies(e);
    check(before, midend::verify_replacement(elbrus::effect_view(before), elbrus::effect_view(p), copies));
    before = p;
    midend::hoist_invariants(e);
    check(before, midend::verify_motion(elbrus::effect_view(before), elbrus::effect_view(p)));
    before = p;
    const auto removed = midend::remove_dead_code(e, options);
    check(before, midend::verify_removal(elbrus::effect_view(before), elbrus::effect_view(p), removed));
    ++rounds;
    if (elbrus::equal(start, p)) {
      break;
    }
    REQUIRE(rounds < 5);
  }
  return p;
}

} // namespace

TEST_CASE("rust 28728, dg 44: endless loops stay, and so do the branches that lead there") {
  const elbrus::procedure p = cleaned(R"(
proc @f(%c: i1, %n: i32) -> i32 {
  node entry:
    br %c ? self : two
  node self:
    %d = add.i32 %n, 1
    br self
  node two:
    %e = cmp.lt.i32 %n, 7
    br %e ? three : exit
  node three:
    %f = cmp.lt.i32 %n, 8
    br %f ? four : five
  node four:
    br three
  node five:
    br three
  node exit:
    ret 0
}
)",
                                      {.loops_end = true});
  CHECK(p.out_edges(node_named(p, "entry")).size() == 2);
  CHECK(p.out_edges(node_named(p, "two")).size() == 2);
  CHECK(midend::dominators_and_loops(p).loops.num_loops() == 2);
  CHECK(home_of(p, "d").empty());
}

TEST_CASE("a loop whose end is not known stays, and goes when it is") {
  constexpr std::string_view text = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %q = cmp.ne.i32 %i, %n
    br %q ? latch : exit
  node latch:
    %i1 = add.i32 %i, 2
    br head
  node exit:
    ret 5
}
)";
  CHECK(midend::dominators_and_loops(cleaned(text)).loops.num_loops() == 1);
  const elbrus::procedure p = cleaned(text, {.loops_end = true});
  CHECK(midend::dominators_and_loops(p).loops.num_loops() == 0);
  CHECK(p.edge_target(p.out_edges(node_named(p, "head"))[0]) == node_named(p, "exit"));
}

TEST_CASE("a call that may not return stays with what it controls, and nothing moves across it") {
  const elbrus::procedure p = cleaned(R"(
proc @f(%c: i1, %n: i32, %k: i32) -> i32 {
  node entry:
    br %c ? call : join
  node call:
    call @maybe_exit()
    br join
  node join:
    br head
  node head:
    %i = phi.i32 [join: 0], [head: %i1]
    call @maybe_exit()
    %d = div.i32 %n, %k
    %i1 = add.i32 %i, %d
    %q = cmp.lt.i32 %i1, %n
    br %q ? head : exit
  node exit:
    ret %i1
}
)");
  CHECK(p.out_edges(node_named(p, "entry")).size() == 2);
  CHECK(home_of(p, "d") == "head");
}

TEST_CASE("noir 13672, 58580: a diamond of empty arms goes in one round, nested or in a loop") {
  const elbrus::procedure p = cleaned(R"(
proc @f(%c: i1, %n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %t = cmp.lt.i32 %i, 5
    br %t ? a : b
  node a:
    br %c ? a1 : a2
  node a1:
    br meet
  node a2:
    br meet
  node b:
    br meet
  node meet:
    %p = phi.i32 [a1: 1], [a2: 2], [b: 3]
    %unused = add.i32 %p, 1
    br %c ? latch : latch
  node latch:
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? head : exit
  node exit:
    ret %i1
}
)");
  CHECK(node_named(p, "a1") == no_node);
  CHECK(node_named(p, "b") == no_node);
  CHECK(p.out_edges(node_named(p, "head")).size() == 1);
  CHECK(home_of(p, "t").empty());
}

TEST_CASE("30980, 189526, 98444: a phi with undef is not replaced") {
  const elbrus::procedure p = cleaned(R"(
proc @f(%c: i1, %n: i32) -> i32 {
  node entry:
    %x = add.i32 %n, 1
    br %c ? left : right
  node left:
    br join
  node right:
    br join
  node join:
    %p = phi.i32 [left: %x], [right: undef]
    %q = phi.i32 [left: undef], [right: undef]
    %r = add.i32 %p, %q
    ret %r
}
)");
  CHECK(home_of(p, "p") == "join");
  CHECK(home_of(p, "q") == "join");
}

TEST_CASE("108854, 59777: what may run early loses its promises; a load keeps its guard") {
  const elbrus::procedure p = cleaned(R"(
proc @f(%a: ptr, %c: i1, %n: i32, %k: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %s = phi.i32 [entry: 0], [latch: %s1]
    %early = add.i32 %n, %k nsw
    br %c ? guarded : latch
  node guarded:
    %late = mul.i32 %n, %k nsw
    %load = ld.i32 [%a]
    %div = div.i32 %n, %k
    %u = add.i32 %late, %load
    %w = add.i32 %u, %div
    br latch
  node latch:
    %s1 = phi.i32 [head: %early], [guarded: %w]
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? head : exit
  node exit:
    %r = add.i32 %s1, %s
    ret %r
}
)");
  const auto promises = [&](std::string_view name) { return p.value(value_named(p, name)).flags.nsw; };
  CHECK(home_of(p, "early") == "entry");
  CHECK(promises("early")); // it runs anyway
  CHECK(home_of(p, "late") == "entry");
  CHECK(!promises("late"));
  CHECK(home_of(p, "load") == "guarded");
  CHECK(home_of(p, "div") == "guarded");
}

TEST_CASE("MLIR 128273, 65062: nothing partial leaves a loop that may run zero times") {
  const elbrus::procedure p = cleaned(R"(
proc @f(%a: ptr, %n: i32, %k: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [body: %i1]
    %s = phi.i32 [entry: 0], [body: %s1]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %v = ld.i32 [%a]
    %d = rem.i32 %n, %k
    %t = add.i32 %v, %d
    %s1 = add.i32 %s, %t
    %i1 = add.i32 %i, 1
    br head
  node exit:
    ret %s
}
)");
  CHECK(home_of(p, "v") == "body");
  CHECK(home_of(p, "d") == "body");
}

TEST_CASE("195513, 139103, 91957: a load stays in a loop that stores, after rotation too") {
  elbrus::procedure p = program_of(R"(
proc @f(%a: ptr, %b: ptr, %n: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [body: %i1]
    %v = ld.i32 [%a]
    %q = cmp.lt.i32 %i, %v
    br %q ? body : exit
  node body:
    st.i32 %n, [%b + %i*4]
    %i1 = add.i32 %i, 1
    br head
  node exit:
    ret %v
}
)")
                            .procedures[0];
  elbrus::editor e(p);
  const midend::hoisting_plan first = midend::hoist_invariants(e);
  CHECK(first.moves.empty());
  REQUIRE(first.refused.size() == 1);
  CHECK(first.refused[0].why == midend::hoisting_refusal_reason::memory_written);
  midend::rotate_loops(e);
  const elbrus::procedure before = p;
  const midend::hoisting_plan second = midend::hoist_invariants(e);
  CHECK(second.moves.empty());
  CHECK(midend::verify_motion(elbrus::effect_view(before), elbrus::effect_view(p)));
}

TEST_CASE("golang 69929, bril 330: copies of phis that are exchanged keep apart") {
  constexpr std::string_view text = R"(
proc @f(%n: i32, %x: i32, %y: i32) -> i32 {
  node entry:
    br head
  node head:
    %a = phi.i32 [entry: %x], [body: %b1]
    %b = phi.i32 [entry: %y], [body: %a1]
    %i = phi.i32 [entry: 0], [body: %i1]
    %old = phi.i32 [entry: 0], [body: %i2]
    %a1 = mov.i32 %a
    %b1 = mov.i32 %b
    %i2 = mov.i32 %i
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %i1 = add.i32 %i, 1
    br head
  node exit:
    %r = sub.i32 %a1, %b1
    %t = sub.i32 %r, %old
    ret %t
}
)";
  const elbrus::procedure p = cleaned(text);
  CHECK(home_of(p, "a") == "head");
  CHECK(home_of(p, "b") == "head");
  CHECK(home_of(p, "old") == "head");
  CHECK(home_of(p, "a1").empty());
  elbrus::program before = program_of(text);
  elbrus::program after = before;
  after.procedures[0] = p;
  for (std::uint64_t n = 0; n != 5; ++n) {
    const std::vector<elbrus::scalar> arguments{
        {elbrus::type::i32, n}, {elbrus::type::i32, 100}, {elbrus::type::i32, 7}};
    const auto was = elbrus::interpreter(before).run(0, arguments, {}, {});
    const auto is = elbrus::interpreter(after).run(0, arguments, {}, {});
    REQUIRE(was.value);
    REQUIRE(is.value);
    CHECK(was.value->bits == is.value->bits);
  }
}

TEST_CASE("a phi with parallel edges and different inputs keeps its branch") {
  const elbrus::procedure p = cleaned(R"(
proc @f(%c: i1, %n: i32) -> i32 {
  node entry:
    br %c ? join : join
  node join:
    %p = phi.i32 [entry: 1], [entry: 2]
    ret %p
}
)");
  CHECK(p.out_edges(0).size() == 2);
}

TEST_CASE("a dead branch whose edges cannot be redirected stays and is named") {
  class stuck_editor : public elbrus::editor {
  public:
    using editor::editor;

    bool may_redirect(edge_id e) const { return graph().edge_source(e) != 0; }
  };

  elbrus::procedure p = program_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    %c = cmp.lt.i32 %n, 7
    br %c ? left : right
  node left:
    br %c ? right : more
  node more:
    br right
  node right:
    ret 0
}
)")
                            .procedures[0];
  stuck_editor e(p);
  const midend::dead_code_plan plan = midend::plan_remove_dead_code(e);
  REQUIRE(plan.refused.size() == 1);
  CHECK(plan.refused[0].node == 0);
  CHECK(plan.branches.size() == 1);
  midend::apply_remove_dead_code(e, plan);
  CHECK(p.out_edges(0).size() == 2);
  CHECK(home_of(p, "c") == "entry");
  CHECK(why_ill_formed(p).empty());
}

TEST_CASE("removal is recorded and taken back") {
  elbrus::procedure p = program_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    %c = cmp.lt.i32 %n, 7
    br %c ? left : right
  node left:
    %u = add.i32 %n, 1
    br join
  node right:
    br join
  node join:
    %p = phi.i32 [left: %u], [right: 3]
    ret 0
}
)")
                            .procedures[0];
  const elbrus::procedure original = p;
  midend::recording_editor<elbrus::editor> e(p);
  const auto w = midend::remove_dead_code(e);
  CHECK(midend::verify_removal(elbrus::effect_view(original), elbrus::effect_view(p), w));
  CHECK(node_named(p, "left") == no_node);
  e.undo();
  CHECK(elbrus::difference(original, p).empty());
}
