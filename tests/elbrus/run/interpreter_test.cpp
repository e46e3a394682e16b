// What the interpreter computes: phis, memory, calls, counts, events. Traps have a test file of their own.
#include "kit/run_text.hpp"
#include "kit/small_stack.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace midend::elbrus;
using midend_tests::program_of;
using midend_tests::run_text;

scalar i32(std::int64_t value) {
  return integer_scalar(type::i32, value);
}

scalar i64(std::int64_t value) {
  return integer_scalar(type::i64, value);
}

/// The example of the specification.
constexpr const char* example = R"(
proc @ex1(%a: ptr, %x: i32) -> i32 count=1000 {
  node entry count=1000:
    %x2 = shl.i32 %x, 1
    br loop
  node loop count=5000:
    %i  = phi.i32 [entry: 0], [loop: %i1]
    %s  = phi.i32 [entry: 0], [loop: %s3]
    %v  = ld.i32 [%a + %i*4] alias=A spec
    %s1 = add.i32 %s, %v assoc
    %s2 = add.i32 %s1, %x2 assoc
    %p  = cmp.eq.i32 %i, 3
    %s3 = shl.i32 %s2, 1 ? %p : %s2
    %i1 = add.i32 %i, 1 nsw
    %q  = cmp.lt.i32 %i1, 5
    br %q ? loop(0.8) : exit(0.2)
  node exit count=1000:
    %r = phi.i32 [loop: %s3]
    ret %r
}
)";

/// The same in C++.
int example_in_cpp(const std::array<std::uint64_t, 5>& a, int x) {
  int s = 0;
  for (std::size_t i = 0; i != 5; ++i) {
    s += static_cast<int>(a[i]) + 2 * x;
    s = i == 3 ? 2 * s : s;
  }
  return s;
}

constexpr const char* fibonacci = R"(
proc @fib(%n: i32) -> i32 {
  node entry:
    %small = cmp.lt.i32 %n, 2
    br %small ? base : more
  node base:
    ret %n
  node more:
    %n1 = sub.i32 %n, 1
    %n2 = sub.i32 %n, 2
    %f1 = call.i32 @fib(%n1) clobbers=none
    %f2 = call.i32 @fib(%n2) clobbers=none
    %f = add.i32 %f1, %f2
    ret %f
}
)";

constexpr const char* even_and_odd = R"(
proc @even(%n: i32) -> i32 {
  node entry:
    %zero = cmp.eq.i32 %n, 0
    br %zero ? yes : ask
  node yes:
    ret 1
  node ask:
    %m = sub.i32 %n, 1
    %r = call.i32 @odd(%m) clobbers=none
    ret %r
}
proc @odd(%n: i32) -> i32 {
  node entry:
    %zero = cmp.eq.i32 %n, 0
    br %zero ? no : ask
  node no:
    ret 0
  node ask:
    %m = sub.i32 %n, 1
    %r = call.i32 @even(%m) clobbers=none
    ret %r
}
)";

} // namespace

TEST_CASE("interpreter: the example of the specification") {
  const std::array<std::uint64_t, 5> numbers = {3, 1, 4, 1, 5};
  for (int x = -2; x != 3; ++x) {
    memory arrays;
    const scalar a{type::ptr, arrays.add("a", type::i32, numbers)};
    const run_result result = run_text(example, {a, i32(x)}, arrays);
    CHECK(result.value == i32(example_in_cpp(numbers, x)));
    CHECK(result.memory == arrays);
    CHECK(result.executed == 2 + 5 * 10 + 2);
  }
}

TEST_CASE("interpreter: phis are simultaneous") {
  const auto after = [](int rounds) {
    const run_result result = run_text(R"(
      proc @f(%n: i64) -> i64 {
        node entry:
          br loop
        node loop:
          %a = phi.i64 [entry: 1], [loop: %b]
          %b = phi.i64 [entry: 2], [loop: %a]
          %c = phi.i64 [entry: 3], [loop: %d]
          %d = phi.i64 [entry: 4], [loop: %e]
          %e = phi.i64 [entry: 5], [loop: %c]
          %same = phi.i64 [entry: 6], [loop: %same]
          %late = phi.i64 [entry: 0], [loop: %i]
          %i = phi.i64 [entry: 0], [loop: %i1]
          %i1 = add.i64 %i, 1
          %q = cmp.lt.i64 %i, %n
          br %q ? loop : exit
        node exit:
          %1 = mul.i64 %a, 10
          %2 = add.i64 %1, %b
          %3 = mul.i64 %2, 10
          %4 = add.i64 %3, %c
          %5 = mul.i64 %4, 10
          %6 = add.i64 %5, %d
          %7 = mul.i64 %6, 10
          %8 = add.i64 %7, %e
          %9 = mul.i64 %8, 10
          %10 = add.i64 %9, %same
          %11 = mul.i64 %10, 10
          %12 = add.i64 %11, %late
          ret %12
      })",
                                       {i64(rounds)});
    return signed_value(result.value.value_or(scalar{type::i64, 0}));
  };
  CHECK(after(0) == 1234560);
  CHECK(after(1) == 2145360);
  CHECK(after(2) == 1253461);
  CHECK(after(3) == 2134562);
}

TEST_CASE("interpreter: parallel edges have inputs of their own") {
  const auto value = [](std::int64_t x) {
    return run_text(R"(
      proc @f(%x: i32) -> i32 {
        node entry:
          switch.i32 %x [1: join], [-1: join], default: join
        node join:
          %r = phi.i32 [entry: 10], [entry: 20], [entry: 30]
          ret %r
      })",
                    {i32(x)})
        .value;
  };
  CHECK(value(1) == i32(10));
  CHECK(value(-1) == i32(20));
  CHECK(value(0) == i32(30));
  CHECK(value(2) == i32(30));
}

TEST_CASE("interpreter: switch on the least and the largest numbers") {
  const auto value = [](std::int64_t x) {
    return run_text(R"(
      proc @f(%x: i64) -> i32 {
        node entry:
          switch.i64 %x [9223372036854775807: a], [0: b], [-9223372036854775808: c], [-1: d], default: e
        node a:
          ret 1
        node b:
          ret 2
        node c:
          ret 3
        node d:
          ret 4
        node e:
          ret 5
      })",
                    {i64(x)})
        .value;
  };
  CHECK(value(std::int64_t{0x7fff'ffff'ffff'ffff}) == i32(1));
  CHECK(value(0) == i32(2));
  CHECK(value(-0x7fff'ffff'ffff'ffff - 1) == i32(3));
  CHECK(value(-1) == i32(4));
  CHECK(value(1) == i32(5));
}

TEST_CASE("interpreter: a guarded operation that does not run") {
  memory arrays;
  const scalar a{type::ptr, arrays.add("a", type::i32, std::array<std::uint64_t, 1>{7})};
  const char* const text = R"(
    proc @f(%a: ptr, %p: i1) -> i32 {
      node entry:
        st.i32 1, [%a] ? %p
        call @note(i32 1) ? %p clobbers=none
        st.i32 2, [%a] ? ~%p
        call @note(i32 2) ? ~%p clobbers=none
        %r = call.i32 @note(i32 3) ? %p : 8 clobbers=none
        ret %r
    })";
  std::vector<std::uint64_t> noted;
  const run_options options{.host = [&](const host_call& call) {
    noted.push_back(call.arguments[0].bits);
    return host_answer::of(9);
  }};
  const run_result done = run_text(text, {a, integer_scalar(type::i1, 1)}, arrays, options);
  CHECK(done.value == i32(9));
  CHECK(done.memory.element(0, type::i32, 0) == i32(1));
  CHECK(noted == std::vector<std::uint64_t>{1, 3});
  CHECK(done.executed == 6);
  noted.clear();
  const run_result other = run_text(text, {a, integer_scalar(type::i1, 0)}, arrays, options);
  CHECK(other.value == i32(8));
  CHECK(other.memory.element(0, type::i32, 0) == i32(2));
  CHECK(noted == std::vector<std::uint64_t>{2});
  CHECK(other.executed == 6);
}

TEST_CASE("interpreter: addresses") {
  memory arrays;
  const scalar a{type::ptr, arrays.add("a", type::i16, std::array<std::uint64_t, 6>{1, 2, 3, 4, 5, 0xffff})};
  const auto load = [&](const std::string& address, type t, std::int64_t index) {
    const run_result result = run_text("proc @f(%a: ptr, %i: " + std::string(name_of(t)) +
                                           ") -> i16 {\n node entry:\n %x = ld.i16 " + address + "\n ret %x\n}\n",
                                       {a, integer_scalar(t, index)}, arrays);
    return result.value ? signed_value(*result.value) : 99;
  };
  CHECK(load("[%a]", type::i32, 0) == 1);
  CHECK(load("[%a + 4]", type::i32, 0) == 3);
  CHECK(load("[%a + %i*2]", type::i32, 5) == -1);
  CHECK(load("[%a + %i*2 + 6]", type::i8, -1) == 3); // the index is signed, whatever its type
  CHECK(load("[%a + %i*2 + 6]", type::i16, -2) == 2);
  CHECK(load("[%a + %i*2 + 6]", type::i32, -3) == 1);
  CHECK(load("[%a + %i*2 - 2]", type::i64, 2) == 2);
}

TEST_CASE("interpreter: bytes in memory") {
  memory arrays;
  const scalar a{type::ptr, arrays.add_zeros("a", 24)};
  const run_result result = run_text(R"(
    proc @f(%a: ptr) -> i32 {
      node entry:
        st.i32 0x11223344, [%a]
        st.i16 -2, [%a + 4]
        st.i8 -1, [%a + 6]
        st.i1 1, [%a + 7]
        st.ptr %a, [%a + 8]
        st.f64 -1.0, [%a + 16]
        %p = ld.ptr [%a + 8]
        %x = ld.i32 [%p + 2]
        ret %x
    })",
                                     {a}, arrays);
  const std::vector<unsigned char> bytes(result.memory.bytes(0).begin(), result.memory.bytes(0).end());
  CHECK(bytes == std::vector<unsigned char>{0x44, 0x33, 0x22, 0x11, 0xfe, 0xff, 0xff, 1, 0, 0, 0,    0,
                                            1,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0xf0, 0xbf});
  CHECK(result.value == scalar{type::i32, 0xfffe'1122});
}

TEST_CASE("interpreter: calls of procedures") {
  const program all = program_of(fibonacci);
  interpreter in(all);
  const run_result result = in.run(*in.find("fib"), std::array{i32(15)});
  CHECK(result.value == i32(610));
  CHECK(result.profile[0].calls == 1973);
  CHECK(!in.find("fi").has_value());
}

TEST_CASE("interpreter: recursion a million deep on a small stack") {
  const program all = program_of(even_and_odd);
  const std::string problem = midend_tests::on_a_small_stack([&]() -> std::string {
    interpreter in(all);
    const run_result deep = in.run(0, std::array{i32(1'000'001)}, {}, {.call_depth = 2'000'000});
    if (deep.value != i32(0)) {
      return "wrong value";
    }
    return deep.profile[0].calls == 500'001 && deep.profile[1].calls == 500'001 ? "" : "wrong counts";
  });
  CHECK(problem.empty());
}

TEST_CASE("interpreter: many procedures") {
  std::string text = "proc @p0(%x: i32) -> i32 {\n node entry:\n ret %x\n}\n";
  for (int i = 1; i != 1000; ++i) {
    const std::string name = std::to_string(i);
    text += "proc @p" + name + "(%x: i32) -> i32 {\n node entry:\n %y = call.i32 @p" + std::to_string(i - 1) +
            "(%x) clobbers=none\n %z = add.i32 %y, 1\n ret %z\n}\n";
  }
  const program all = program_of(text);
  interpreter in(all);
  CHECK(in.run(*in.find("p999"), std::array{i32(1)}).value == i32(1000));
}

TEST_CASE("interpreter: host functions see and change memory, in order") {
  memory arrays;
  const scalar a{type::ptr, arrays.add("a", type::i32, std::array<std::uint64_t, 2>{1, 2})};
  std::vector<std::string> called;
  const run_options options{.host = [&](const host_call& call) {
    called.emplace_back(call.callee);
    if (call.callee == "swap") {
      const std::uint64_t address = call.arguments[0].bits;
      const std::uint64_t first = *call.arrays.load(type::i32, address);
      call.arrays.store(type::i32, address, *call.arrays.load(type::i32, address + 4));
      call.arrays.store(type::i32, address + 4, first);
      return host_answer::done();
    }
    return host_answer::of(call.arguments[0].bits + call.arguments[1].bits + 0x1'0000'0000);
  }};
  const run_result result = run_text(R"(
    proc @f(%a: ptr) -> i32 {
      node entry:
        st.i32 10, [%a]
        call @swap(%a)
        %x = ld.i32 [%a]
        %y = ld.i32 [%a + 4]
        %s = call.i32 @sum(%x, %y) clobbers=none
        ret %s
    })",
                                     {a}, arrays, options);
  CHECK(result.value == i32(12)); // the bits of a result above its width are dropped
  CHECK(called == std::vector<std::string>{"swap", "sum"});
  REQUIRE(result.events.size() == 2);
  CHECK(result.events[0] == event_trace::event{event_kind::call, "swap", std::array{a}, {}});
  CHECK(result.events[1] == event_trace::event{event_kind::call, "sum", std::array{i32(2), i32(10)}, i32(12)});
}

TEST_CASE("interpreter: volatile accesses are events") {
  memory arrays;
  const scalar a{type::ptr, arrays.add("a", type::i32, std::array<std::uint64_t, 2>{1, 2})};
  const scalar second{type::ptr, a.bits + 4};
  const char* const text = R"(
    proc @f(%a: ptr) -> i32 {
      node entry:
        %x = ld.i32 [%a] volatile
        st.i32 %x, [%a + 4] volatile
        %y = ld.i32 [%a + 4]
        ret %y
    })";
  const run_result result = run_text(text, {a}, arrays);
  REQUIRE(result.events.size() == 2);
  CHECK(result.events[0] == event_trace::event{event_kind::volatile_load, "", std::array{a}, i32(1)});
  CHECK(result.events[1] == event_trace::event{event_kind::volatile_store, "", std::array{second, i32(1)}, {}});
  CHECK(run_text(text, {a}, arrays, {.record_events = false}).events.size() == 0);
}

TEST_CASE("interpreter: runs do not disturb each other") {
  const program all = program_of(std::string(fibonacci) + even_and_odd + example);
  interpreter in(all);
  const auto same = [&](std::size_t procedure, std::int64_t argument, const run_options& options) {
    const run_result first = in.run(procedure, std::array{i32(argument)}, {}, options);
    const run_result fresh = interpreter(all).run(procedure, std::array{i32(argument)}, {}, options);
    return first.value == fresh.value && first.trap == fresh.trap && first.executed == fresh.executed &&
           first.profile == fresh.profile;
  };
  CHECK(same(0, 10, {}));
  CHECK(same(1, 100, {.call_depth = 10})); // leaves frames over
  CHECK(same(0, 10, {.step_limit = 77}));
  CHECK(same(2, 7, {}));
  CHECK(same(0, 10, {}));
}

TEST_CASE("interpreter: arguments have the types of the parameters") {
  const program all = program_of("proc @f(%x: i32, %p: ptr) {\n  node entry:\n    ret\n}\n");
  interpreter in(all);
  const auto trap = [&](const std::vector<scalar>& arguments) {
    const run_result result = in.run(0, arguments);
    CHECK(result.profile.size() == 1);
    return result.trap ? result.trap->kind : trap_kind::unreachable;
  };
  CHECK(!in.run(0, std::array{i32(1), scalar{type::ptr, 0}}).trap.has_value());
  CHECK(!in.run(0, std::array{i32(1), i64(0)}).trap.has_value()); // a number of 64 bits for an address
  CHECK(trap({}) == trap_kind::bad_call);
  CHECK(trap({i32(1)}) == trap_kind::bad_call);
  CHECK(trap({i64(1), i64(1)}) == trap_kind::bad_call);
  CHECK(trap({scalar{type::i32, 0x1'0000'0000}, i64(1)}) == trap_kind::bad_call); // bits above the width
}

TEST_CASE("interpreter: a long chain of nodes") {
  procedure p;
  p.set_name("chain");
  constexpr midend::node_id length = 200'000;
  for (midend::node_id n = 0; n != length; ++n) {
    p.create_node("");
  }
  for (midend::node_id n = 0; n + 1 != length; ++n) {
    p.append(n, {.code = opcode::jump});
    p.add_edge(n, n + 1);
  }
  p.append(length - 1, {.code = opcode::ret});
  const run_result result = interpreter(std::span(&p, 1)).run(0, {});
  CHECK(!result.trap.has_value());
  CHECK(result.executed == length);
}
