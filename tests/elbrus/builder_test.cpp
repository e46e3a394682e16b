#include "kit/test_graph.hpp"

#include <doctest/doctest.h>

#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>

#include <cstdint>
#include <string>

namespace elbrus = midend::elbrus;
using elbrus::builder;
using elbrus::opcode;
using elbrus::type;
using midend::edge_id;
using midend::node_id;
using midend::value_id;

namespace {

/// What was built is what the text says.
void check_text(const elbrus::procedure& p, const std::string& text) {
  for (const elbrus::diagnostic& d : verify(p)) {
    FAIL_CHECK(d.message);
  }
  CHECK(to_text(p) == text);
  const elbrus::parse_result read = elbrus::parse(text);
  REQUIRE(read.program.procedures.size() == 1);
  CHECK(elbrus::difference(p, read.program.procedures[0]) == "");
}

} // namespace

TEST_CASE("builder: a loop with phis, a guard and a profile") {
  elbrus::procedure p;
  p.set_name("sum");
  p.set_result_type(type::i32);
  builder b(p);
  const value_id a = b.parameter(type::ptr, "a");
  const node_id entry = b.node("entry");
  const node_id loop = b.node("loop");
  const node_id exit = b.node("exit");

  b.at(entry);
  CHECK(b.current() == entry);
  const edge_id in = b.jump(loop);

  b.at(loop);
  const value_id i = b.phi(type::i32, "i");
  const value_id s = b.phi(type::i32, "s");
  const value_id x = b.load(type::i32, {.base = a, .index = i, .scale = 4, .offset = 8, .alias = b.alias("A")},
                            {.name = "x", .spec = true});
  const value_id odd = b.convert(opcode::trunc, type::i1, x, {.name = "odd"});
  const value_id more = b.add(type::i32, s, x, {.name = "more", .assoc = true, .unless = odd, .otherwise = s});
  const value_id next = b.add(type::i32, i, b.i32(1), {.name = "next", .nsw = true});
  const value_id again = b.compare(opcode::cmp_lt, type::i32, next, b.i32(-5), {.name = "again"});
  const auto [back, out] = b.branch(again, loop, exit, 0.75);
  b.input(i, in, b.i32(0));
  b.input(i, back, next);
  b.input(s, in, b.i32(0));
  b.input(s, back, more);

  b.at(exit);
  b.store(type::i32, more, {.base = a}, {.is_volatile = true, .guard = odd});
  b.ret(more);
  CHECK(p.edge_target(out) == exit);

  check_text(p, R"(proc @sum(%a: ptr) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %next]
    %s = phi.i32 [entry: 0], [loop: %more]
    %x = ld.i32 [%a + %i*4 + 8] alias=A spec
    %odd = trunc.i32.i1 %x
    %more = add.i32 %s, %x assoc ? ~%odd : %s
    %next = add.i32 %i, 1 nsw
    %again = cmp.lt.i32 %next, -5
    br %again ? loop(0.75) : exit(0.25)
  node exit:
    st.i32 %more, [%a] volatile ? %odd
    ret %more
}
)");
}

TEST_CASE("builder: variables, calls, a switch and literals of all types") {
  elbrus::procedure p;
  p.set_name("f");
  builder b(p);
  const value_id c = b.parameter(type::i8, "c");
  const value_id x = b.variable(type::f64, "x");
  const value_id n = b.variable(type::i64, "n");
  const node_id entry = b.node("entry");
  const node_id one = b.node("one");
  const node_id end = b.node("end");
  const node_id never = b.node("never");

  b.at(entry);
  b.assign(x, b.f64(0.5));
  b.assign(n, b.i64(-1));
  b.operation(opcode::fadd, type::f64, {x, b.f64(2)}, {.into = x});
  b.mul(type::i64, n, n, {.into = n});
  const value_id small = b.bit_and(type::i8, c, b.i8(3), {.name = "small"});
  const auto edges = b.switch_on(small, {{0, one}, {2, end}, {3, one}}, never);
  CHECK(edges.size() == 4);
  CHECK(p.edge_target(edges[3]) == never);

  b.at(one);
  b.call(type::none, "g", {x, b.f32(1), b.i1(true), b.i16(7)}, {}, elbrus::clobber_kind::listed, {b.alias("A")});
  const value_id h = b.call(type::i64, "h", {}, {.name = "h"}, elbrus::clobber_kind::nothing);
  b.select(type::i64, b.i1(false), h, n, {.into = n});
  b.sub(type::i64, n, h, {.into = n});
  b.bit_xor(type::i8, c, small, {.name = "q"});
  b.bit_or(type::i8, c, small, {.name = "r"});
  b.mov(type::i64, b.undefined(type::i64), {.name = "u"});
  b.jump(end);

  b.at(end);
  b.ret();
  b.at(never);
  b.unreachable();

  check_text(p, R"(proc @f(%c: i8) {
  var $x: f64
  var $n: i64
  node entry:
    $x = mov.f64 0x1p-1
    $n = mov.i64 -1
    $x = fadd.f64 $x, 0x1p+1
    $n = mul.i64 $n, $n
    %small = and.i8 %c, 3
    switch.i8 %small [0: one], [2: end], [3: one], default: never
  node one:
    call @g($x, f32 0x1p+0, i1 1, i16 7) clobbers=A
    %h = call.i64 @h() clobbers=none
    $n = select.i64 0, %h, $n
    $n = sub.i64 $n, %h
    %q = xor.i8 %c, %small
    %r = or.i8 %c, %small
    %u = mov.i64 undef
    br end
  node end:
    ret
  node never:
    unreachable
}
)");
}
