#include "kit/run_text.hpp"
#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/loops/loop_forms.hpp>
#include <midend/transform.hpp>

#include <string_view>

// Mistakes that other compilers have made. The names are those of their trackers; numbers without a name are LLVM's.

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
  CHECK(done.plan.refused[0].reason == midend::rotation_refusal_reason::several_edges_into_the_body);
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
