// Every trap of the interpreter, with its message; and what does not trap.
#include "kit/run_text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>

namespace {

using namespace midend::elbrus;
using midend_tests::program_of;
using midend_tests::run_text;
using midend_tests::trap_of_text;

scalar i32(std::int64_t value) {
  return integer_scalar(type::i32, value);
}

scalar i1(bool value) {
  return integer_scalar(type::i1, value ? 1 : 0);
}

/// An array of 4 numbers, and its address.
struct four_numbers {
  memory arrays;
  scalar address{type::ptr, arrays.add("a", type::i32, std::array<std::uint64_t, 4>{10, 20, 30, 40})};
};

/// `OPERATION` of %a and %b, both i32.
std::string binary(const std::string& operation) {
  return "proc @f(%a: i32, %b: i32) -> i32 {\n"
         "  node entry:\n"
         "    %x = " +
         operation +
         " %a, %b\n"
         "    ret %x\n"
         "}\n";
}

/// A diagnostic value %d, or 7 in its place if %good.
std::string with_diagnostic(const std::string& rest) {
  return "proc @f(%a: ptr, %p: i1) -> i32 {\n"
         "  node entry:\n"
         "    %d = ld.i32 [%a + 16] spec\n" +
         rest + "}\n";
}

} // namespace

TEST_CASE("interpreter traps: division by zero") {
  for (const std::string operation : {"div", "udiv", "rem", "urem"}) {
    CHECK(trap_of_text(binary(operation + ".i32"), {i32(1), i32(0)}) ==
          "division by zero in @f, node entry, operation '%x = " + operation + ".i32 %a, %b' (3:5)");
    CHECK(trap_of_text(binary(operation + ".i32"), {i32(1), i32(2)}).empty());
  }
}

TEST_CASE("interpreter traps: the least number divided by -1") {
  const std::int64_t least = -2147483648;
  CHECK(trap_of_text(binary("div.i32"), {i32(least), i32(-1)}) ==
        "division of the least number by -1 in @f, node entry, operation '%x = div.i32 %a, %b' (3:5)");
  CHECK(trap_of_text(binary("rem.i32"), {i32(least), i32(-1)}) ==
        "division of the least number by -1 in @f, node entry, operation '%x = rem.i32 %a, %b' (3:5)");
  CHECK(trap_of_text(binary("udiv.i32"), {i32(least), i32(-1)}).empty());
  CHECK(trap_of_text(binary("div.i32"), {i32(least + 1), i32(-1)}).empty());
}

TEST_CASE("interpreter traps: shift by the width or more") {
  for (const std::string operation : {"shl", "shr", "sar"}) {
    const std::string message =
        "shift by the width or more in @f, node entry, operation '%x = " + operation + ".i32 %a, %b' (3:5)";
    CHECK(trap_of_text(binary(operation + ".i32"), {i32(1), i32(32)}) == message);
    CHECK(trap_of_text(binary(operation + ".i32"), {i32(1), i32(-1)}) == message);
    CHECK(trap_of_text(binary(operation + ".i32"), {i32(1), i32(31)}).empty());
  }
}

TEST_CASE("interpreter traps: access outside memory") {
  const auto load = [](const std::string& address, std::int64_t index) {
    four_numbers four;
    return trap_of_text("proc @f(%a: ptr, %i: i32) -> i32 {\n"
                        "  node entry:\n"
                        "    %x = ld.i32 " +
                            address +
                            "\n"
                            "    ret %x\n"
                            "}\n",
                        {four.address, i32(index)}, four.arrays);
  };
  const auto message = [](const std::string& address, const std::string& operand) {
    return "access outside memory: " + address + " in @f, node entry, operation '%x = ld.i32 " + operand + "' (3:5)";
  };
  CHECK(load("[%a + %i*4]", 3).empty());
  CHECK(load("[%a + %i*4]", 4) == message("0x100000010", "[%a + %i*4]"));
  CHECK(load("[%a + %i*4]", -1) == message("0xfffffffc", "[%a + %i*4]"));
  CHECK(load("[%a + %i*1]", 12).empty());
  CHECK(load("[%a + %i*1]", 13) == message("0x10000000d", "[%a + %i]")); // the last byte is after the array
  CHECK(load("[%a - 1]", 0) == message("0xffffffff", "[%a - 1]"));
  CHECK(load("[0]", 0) == message("0x0", "[0]"));

  four_numbers four;
  four.arrays.add_zeros("next", 16);
  CHECK(trap_of_text("proc @f(%a: ptr) {\n"
                     "  node entry:\n"
                     "    st.i64 5, [%a + 9]\n"
                     "    ret\n"
                     "}\n",
                     {four.address}, four.arrays) ==
        "access outside memory: 0x100000009 in @f, node entry, operation 'st.i64 5, [%a + 9]' (3:5)");
}

TEST_CASE("interpreter traps: broken nsw") {
  CHECK(trap_of_text("proc @f(%a: i32) -> i32 {\n"
                     "  node entry:\n"
                     "    %x = add.i32 %a, 1 nsw\n"
                     "    ret %x\n"
                     "}\n",
                     {i32(2147483647)}) ==
        "signed overflow against nsw in @f, node entry, operation '%x = add.i32 %a, 1 nsw' (3:5)");
  CHECK(run_text(binary("add.i32"), {i32(2147483647), i32(1)}).value == i32(-2147483648));
}

TEST_CASE("interpreter traps: conversion of what does not fit") {
  const std::string text = "proc @f(%a: f64) -> i32 {\n"
                           "  node entry:\n"
                           "    %x = ftoi.f64.i32 %a\n"
                           "    ret %x\n"
                           "}\n";
  const std::string message = "conversion of NaN or of a number out of range in @f, node entry, "
                              "operation '%x = ftoi.f64.i32 %a' (3:5)";
  CHECK(trap_of_text(text, {float_scalar(type::f64, 2147483648.0)}) == message);
  CHECK(trap_of_text(text, {{type::f64, 0x7ff8'0000'0000'0000}}) == message);
  CHECK(trap_of_text(text, {float_scalar(type::f64, 2147483647.5)}).empty());
}

TEST_CASE("interpreter traps: a variable that was not written") {
  const std::string text = "proc @f(%p: i1) -> i32 {\n"
                           "  var $x: i32\n"
                           "  node entry:\n"
                           "    br %p ? writes : join\n"
                           "  node writes:\n"
                           "    $x = mov.i32 5\n"
                           "    br join\n"
                           "  node join:\n"
                           "    %y = add.i32 $x, 1\n"
                           "    ret %y\n"
                           "}\n";
  CHECK(run_text(text, {i1(true)}).value == i32(6));
  CHECK(trap_of_text(text, {i1(false)}) ==
        "read of a variable that was not written: $x in @f, node join, operation '%y = add.i32 $x, 1' (9:5)");
  // neither does a move pass it on, nor what stands in its place when a guard does not hold
  CHECK(trap_of_text("proc @f() {\n"
                     "  var $x: i32\n"
                     "  node entry:\n"
                     "    %y = mov.i32 $x\n"
                     "    ret\n"
                     "}\n") ==
        "read of a variable that was not written: $x in @f, node entry, operation '%y = mov.i32 $x' (4:5)");
  CHECK(trap_of_text("proc @f(%p: i1) {\n"
                     "  var $x: i32\n"
                     "  node entry:\n"
                     "    $x = mov.i32 1 ? %p : $x\n"
                     "    ret\n"
                     "}\n",
                     {i1(false)}) ==
        "read of a variable that was not written: $x in @f, node entry, operation '$x = mov.i32 1 ? %p : $x' (4:5)");
}

TEST_CASE("interpreter traps: variables are unwritten again in each call") {
  CHECK(trap_of_text("proc @f() -> i32 {\n"
                     "  node entry:\n"
                     "    %a = call.i32 @g(i1 1) clobbers=none\n"
                     "    %b = call.i32 @g(i1 0) clobbers=none\n"
                     "    ret %b\n"
                     "}\n"
                     "proc @g(%p: i1) -> i32 {\n"
                     "  var $x: i32\n"
                     "  node entry:\n"
                     "    br %p ? writes : reads\n"
                     "  node writes:\n"
                     "    $x = mov.i32 5\n"
                     "    br reads\n"
                     "  node reads:\n"
                     "    ret $x\n"
                     "}\n") ==
        "read of a variable that was not written: $x in @g, node reads, operation 'ret $x' (15:5)");
}

TEST_CASE("interpreter traps: use of a diagnostic value") {
  const auto trap = [](const std::string& rest) {
    four_numbers four;
    program all = program_of(with_diagnostic(rest) + "proc @g(%x: i32) {\n  node entry:\n    ret\n}\n");
    const run_result result = interpreter(all).run(0, std::array{four.address, i1(true)}, four.arrays);
    return result.trap ? to_text(all.procedures, *result.trap) : std::string();
  };
  const std::string use = "use of a diagnostic value: %d in @f, node entry, operation ";
  CHECK(trap("    ret 1\n").empty());
  CHECK(trap("    %x = add.i32 1, %d\n    ret 1\n") == use + "'%x = add.i32 1, %d' (4:5)");
  CHECK(trap("    %x = cmp.eq.i32 %d, %d\n    ret 1\n") == use + "'%x = cmp.eq.i32 %d, %d' (4:5)");
  CHECK(trap("    %x = zext.i32.i64 %d\n    ret 1\n") == use + "'%x = zext.i32.i64 %d' (4:5)");
  CHECK(trap("    %x = shladd.i32 1, 2, %d\n    ret 1\n") == use + "'%x = shladd.i32 1, 2, %d' (4:5)");
  CHECK(trap("    %x = itof.i32.f64 %d\n    ret 1\n") == use + "'%x = itof.i32.f64 %d' (4:5)");
  CHECK(trap("    st.i32 %d, [%a]\n    ret 1\n") == use + "'st.i32 %d, [%a]' (4:5)");
  CHECK(trap("    %x = ld.i32 [%a + %d*4]\n    ret 1\n") == use + "'%x = ld.i32 [%a + %d*4]' (4:5)");
  CHECK(trap("    %x = ld.i32 [%a + %d*4] volatile\n    ret 1\n") == use + "'%x = ld.i32 [%a + %d*4] volatile' (4:5)");
  CHECK(trap("    call @g(%d) clobbers=none\n    ret 1\n") == use + "'call @g(%d) clobbers=none' (4:5)");
  CHECK(trap("    call @host(%d) clobbers=none\n    ret 1\n") == use + "'call @host(%d) clobbers=none' (4:5)");
  CHECK(trap("    ret %d\n") == use + "'ret %d' (4:5)");
  CHECK(trap("    switch.i32 %d [1: one], default: one\n  node one:\n    ret 1\n") ==
        use + "'switch.i32 %d [1: one], default: one' (4:5)");
  // what is chosen by one: conditions and guards are used
  CHECK(trap("    %c = trunc.i32.i1 %d spec\n    %x = select.i32 %c, 1, 2\n    ret 1\n") ==
        "use of a diagnostic value: %c in @f, node entry, operation '%x = select.i32 %c, 1, 2' (5:5)");
  CHECK(trap("    %c = trunc.i32.i1 %d spec\n    %x = mov.i32 1 ? %c : 2\n    ret 1\n") ==
        "use of a diagnostic value: %c in @f, node entry, operation '%x = mov.i32 1 ? %c : 2' (5:5)");
  CHECK(trap("    %c = trunc.i32.i1 %d spec\n    br %c ? one : one\n  node one:\n    ret 1\n") ==
        "use of a diagnostic value: %c in @f, node entry, operation 'br %c ? one : one' (5:5)");
}

TEST_CASE("interpreter: moves, selects, psis and phis pass a diagnostic value on") {
  const auto value = [](const std::string& rest, bool p) {
    four_numbers four;
    return run_text(with_diagnostic(rest), {four.address, i1(p)}, four.arrays);
  };
  const auto traps_at_the_end = [&](const std::string& rest, bool p) {
    const run_result result = value(rest, p);
    return result.trap && result.trap->kind == trap_kind::diagnostic_value;
  };
  const std::string moved = "    %m = mov.i32 %d\n    %x = select.i32 %p, %m, 3\n    ret %x\n";
  CHECK(traps_at_the_end(moved, true));
  CHECK(value(moved, false).value == i32(3));

  const std::string psi = "    %x = add.i32 4, 5 ? %p : %d\n    ret %x\n";
  CHECK(value(psi, true).value == i32(9));
  CHECK(traps_at_the_end(psi, false));

  // a guard that does not hold: the operands are not read
  const std::string unread = "    %x = add.i32 %d, 5 ? %p : 6\n    ret %x\n";
  CHECK(value(unread, false).value == i32(6));
  CHECK(traps_at_the_end(unread, true));
  const std::string unread_store = "    st.i32 %d, [0] ? ~%p\n    ret 7\n";
  CHECK(value(unread_store, true).value == i32(7));
  CHECK(traps_at_the_end(unread_store, false));

  const std::string phi = "    br %p ? one : two\n"
                          "  node one:\n    br join\n"
                          "  node two:\n    br join\n"
                          "  node join:\n    %x = phi.i32 [one: %d], [two: 8]\n    ret %x\n";
  CHECK(value(phi, false).value == i32(8));
  CHECK(traps_at_the_end(phi, true));
}

TEST_CASE("interpreter: a speculative operation does not trap") {
  four_numbers four;
  // each operation would trap or has a diagnostic operand; in the end nothing of it is used
  CHECK(run_text("proc @f(%a: ptr, %zero: i32, %p: i1) -> i32 {\n"
                 "  var $v: i32\n"
                 "  node entry:\n"
                 "    %q = div.i32 1, %zero spec\n"
                 "    %r = sub.i32 %zero, 40 spec\n"
                 "    %s = shl.i32 1, %r spec\n"
                 "    %n = add.i32 2147483647, 1 nsw spec\n"
                 "    %l = ld.i32 [%a + %r*4] spec\n"
                 "    %k = ld.i32 [%a + %l*4] spec\n"
                 "    %c = ftoi.f64.i32 1.0e300 spec\n"
                 "    %w = add.i32 $v, 1 spec\n"
                 "    %m = mov.i32 $v spec\n"
                 "    %u = add.i32 undef, 1 spec\n"
                 "    %t = cmp.lt.i32 %q, 0 spec\n"
                 "    %e = select.i32 %t, 1, 2 spec\n"
                 "    %g = mov.i32 1 spec ? %t : 2\n"
                 "    %1 = select.i32 %p, %q, %s\n"
                 "    %2 = select.i32 %p, %n, %k\n"
                 "    %3 = select.i32 %p, %c, %w\n"
                 "    %4 = select.i32 %p, %u, %e\n"
                 "    %5 = select.i32 %p, %g, %m\n"
                 "    ret %r\n"
                 "}\n",
                 {four.address, i32(0), i1(true)}, four.arrays)
            .value == i32(-40));
  // and where it would not trap it is an operation like others
  CHECK(run_text("proc @f(%a: ptr) -> i32 {\n"
                 "  node entry:\n"
                 "    %l = ld.i32 [%a + 4] spec\n"
                 "    %x = div.i32 %l, 3 spec\n"
                 "    ret %x\n"
                 "}\n",
                 {four.address}, four.arrays)
            .value == i32(6));
}

TEST_CASE("interpreter traps: use of undef") {
  CHECK(trap_of_text("proc @f() {\n"
                     "  node entry:\n"
                     "    %x = mov.i32 undef\n"
                     "    %y = add.i32 %x, 1\n"
                     "    ret\n"
                     "}\n") == "use of an undefined value: %x in @f, node entry, operation '%y = add.i32 %x, 1' (4:5)");
}

TEST_CASE("interpreter traps: unreachable") {
  CHECK(trap_of_text("proc @f() {\n"
                     "  node entry:\n"
                     "    unreachable\n"
                     "}\n") == "'unreachable' is reached in @f, node entry, operation 'unreachable' (3:5)");
}

TEST_CASE("interpreter traps: step limit") {
  const std::string endless = "proc @f() {\n"
                              "  node entry:\n"
                              "    br loop\n"
                              "  node loop:\n"
                              "    %i = phi.i32 [entry: 0], [loop: %n]\n"
                              "    %n = add.i32 %i, 1\n"
                              "    br loop\n"
                              "}\n";
  const auto trap = [&](std::uint64_t limit) { return trap_of_text(endless, {}, {}, {.step_limit = limit}); };
  CHECK(trap(0) == "step limit in @f, node entry, operation 'br loop' (3:5)");
  CHECK(trap(1) == "step limit in @f, node loop, operation '%i = phi.i32 [entry: 0], [loop: %n]' (5:5)");
  CHECK(trap(2) == "step limit in @f, node loop, operation '%n = add.i32 %i, 1' (6:5)");
  CHECK(trap(3) == "step limit in @f, node loop, operation 'br loop' (7:5)");
  CHECK(run_text(endless, {}, {}, {.step_limit = 1000}).executed == 1000);
}

TEST_CASE("interpreter traps: calls") {
  const std::string text = "proc @f() -> i32 {\n"
                           "  node entry:\n"
                           "    %x = call.i32 @host(i32 1) clobbers=*\n"
                           "    ret %x\n"
                           "}\n";
  const std::string place = " in @f, node entry, operation '%x = call.i32 @host(i32 1)' (3:5)";
  const auto trap = [&](const host_functions& host) { return trap_of_text(text, {}, {}, {.host = host}); };
  CHECK(trap({}) == "unknown procedure @host" + place);
  CHECK(trap([](const host_call&) { return host_answer::unknown(); }) == "unknown procedure @host" + place);
  CHECK(trap([](const host_call&) { return host_answer::done(); }) == "call does not agree with the callee" + place);
  CHECK(trap([](const host_call&) { return host_answer::stop(); }) == "a host function ended the run" + place);
  CHECK(trap([](const host_call&) { return host_answer::of(5); }).empty());

  const program all = program_of(text);
  interpreter in(all);
  const run_result result = in.run(0, std::array{i32(1)});
  REQUIRE(result.trap.has_value());
  CHECK(to_text(all.procedures, *result.trap) == "call does not agree with the callee in @f");
}

TEST_CASE("interpreter traps: return from a call that does not come back") {
  const std::string calls = "proc @f() {\n"
                            "  node entry:\n"
                            "    call @leave() noreturn clobbers=*\n"
                            "    unreachable\n"
                            "}\n";
  const std::string message =
      "return from a call that is 'noreturn' in @f, node entry, operation 'call @leave() noreturn' (3:5)";
  CHECK(trap_of_text(calls, {}, {}, {.host = [](const host_call&) { return host_answer::done(); }}) == message);
  CHECK(trap_of_text(calls + "proc @leave() {\n  node entry:\n    ret\n}\n") == message);
}

TEST_CASE("interpreter traps: depth of calls") {
  const std::string recursion = "proc @f(%n: i64) -> i64 {\n"
                                "  node entry:\n"
                                "    %m = add.i64 %n, 1\n"
                                "    %r = call.i64 @f(%m) clobbers=none\n"
                                "    ret %r\n"
                                "}\n";
  const std::string message =
      "calls are nested too deep in @f, node entry, operation '%r = call.i64 @f(%m) clobbers=none' (4:5)";
  CHECK(trap_of_text(recursion, {integer_scalar(type::i64, 0)}, {}, {.call_depth = 100}) == message);
  CHECK(trap_of_text(recursion, {integer_scalar(type::i64, 0)}, {}, {.frame_slots = 100}) == message);
  CHECK(trap_of_text(recursion, {integer_scalar(type::i64, 0)}) == message);
  const run_result result = run_text(recursion, {integer_scalar(type::i64, 0)}, {}, {.call_depth = 100});
  CHECK(result.profile[0].calls == 100);
}

TEST_CASE("interpreter traps: where there is no file there is no place in it") {
  program all;
  procedure& p = all.procedures.emplace_back();
  p.set_name("made");
  const auto entry = p.create_node("");
  p.append(entry, {.code = opcode::unreachable});
  const run_result result = interpreter(all).run(0, {});
  REQUIRE(result.trap.has_value());
  CHECK(to_text(all.procedures, *result.trap) == "'unreachable' is reached in @made, node 0, operation 'unreachable'");
}

namespace {

/// Stores and loads of three classes, at places of the array.
std::string classes(const std::string& body) {
  return "proc @f(%a: ptr, %b: ptr, %p: i1) -> i32 {\n  node entry:\n" + body + "    ret 0\n}\n";
}

std::string trap_with_classes(const std::string& text) {
  four_numbers numbers;
  return trap_of_text(text, {numbers.address, numbers.address, i1(false)}, numbers.arrays, {.check_classes = true});
}

} // namespace

TEST_CASE("interpreter traps: alias classes that meet, if they are checked") {
  const std::string bad = classes("    st.i32 1, [%a + 4] alias=A\n    %x = ld.i32 [%b + 4] alias=B\n");
  four_numbers numbers;
  CHECK(trap_of_text(bad, {numbers.address, numbers.address, i1(false)}, numbers.arrays).empty());
  CHECK(trap_with_classes(bad) == "alias classes that must not overlap do: 0x100000004 of class A is accessed by class "
                                  "B in @f, node entry, operation '%x = ld.i32 [%b + 4] alias=B' (4:5)");
  // In part, by a volatile access, and the other way around: a load, then a store.
  CHECK(trap_with_classes(classes("    st.i16 1, [%a + 6] alias=A\n    %x = ld.i32 [%b + 4] alias=B\n")) != "");
  CHECK(trap_with_classes(classes("    st.i32 1, [%a + 4] alias=A\n    %x = ld.i8 [%b + 7] alias=B volatile\n")) != "");
  CHECK(trap_with_classes(classes("    %x = ld.i32 [%b + 4] alias=B\n    st.i32 1, [%a + 4] alias=A\n")) != "");
  CHECK(trap_with_classes(classes("    %x = ld.i32 [%b] alias=B\n    %y = ld.i32 [%a] alias=A\n"
                                  "    st.i32 1, [%b] alias=B\n")) != "");
}

TEST_CASE("interpreter traps: a speculative load whose class meets another one has no value") {
  const std::string load = "    st.i32 1, [%a] alias=A\n    %y = ld.i32 [%b] alias=B spec\n";
  CHECK(trap_with_classes(classes(load)) == ""); // nothing reads it
  CHECK(trap_with_classes(classes(load + "    %z = add.i32 %y, 1\n")).find("diagnostic") != std::string::npos);
  four_numbers numbers;
  CHECK(trap_of_text(classes(load + "    %z = add.i32 %y, 1\n"), {numbers.address, numbers.address, i1(false)},
                     numbers.arrays) == "");
  // Other bytes, the same class, what was loaded only; and the load says nothing about stores after it.
  for (const std::string& right : {std::string("    st.i32 1, [%a] alias=A\n    %y = ld.i32 [%b + 4] alias=B spec\n"),
                                   std::string("    st.i32 1, [%a] alias=A\n    %y = ld.i32 [%b] alias=A spec\n"),
                                   std::string("    st.i32 1, [%a] alias=A\n    %y = ld.i32 [%b] spec\n"),
                                   std::string("    %x = ld.i32 [%a] alias=A\n    %y = ld.i32 [%b] alias=B spec\n"),
                                   std::string("    %y = ld.i32 [%b] alias=B spec\n    st.i32 1, [%a] alias=A\n")}) {
    CHECK(trap_with_classes(classes(right + "    %z = add.i32 %y, 1\n")) == "");
  }
}

TEST_CASE("interpreter traps: what alias classes may do") {
  // Other bytes, loads by several classes, one class, accesses without a class, guarded and speculative ones.
  CHECK(trap_with_classes(classes("    st.i32 1, [%a + 4] alias=A\n    %x = ld.i32 [%b + 8] alias=B\n")) == "");
  CHECK(trap_with_classes(classes("    %x = ld.i32 [%a] alias=A\n    %y = ld.i32 [%b] alias=B\n"
                                  "    %z = ld.i32 [%b] alias=C\n")) == "");
  CHECK(trap_with_classes(classes("    st.i32 1, [%a] alias=A\n    %y = ld.i32 [%b] alias=A\n")) == "");
  CHECK(trap_with_classes(classes("    st.i32 1, [%a] alias=A\n    %y = ld.i32 [%b]\n    st.i32 2, [%b]\n")) == "");
  CHECK(trap_with_classes(classes("    st.i32 1, [%a] alias=A\n    st.i32 2, [%b] alias=B ? %p\n")) == "");
  CHECK(trap_with_classes(classes("    st.i32 1, [%a] alias=A\n    %y = ld.i32 [%b] alias=B spec\n")) == "");
  // A promise is about one call.
  CHECK(trap_with_classes("proc @f(%a: ptr, %b: ptr, %p: i1) -> i32 {\n  node entry:\n"
                          "    st.i32 1, [%a] alias=A\n    call @g(%b)\n    ret 0\n}\n"
                          "proc @g(%b: ptr) {\n  node entry:\n    st.i32 2, [%b] alias=B\n    ret\n}\n") == "");
}
