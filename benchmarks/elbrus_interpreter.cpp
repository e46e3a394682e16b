// Operations a second of the Elbrus-like IR's interpreter: interpreter/midend/PROGRAM, as items_per_second.
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/parser.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <vector>

namespace {

using namespace midend::elbrus;

/// A reduction: a load, three operations on integers and a branch.
constexpr const char* dot_product = R"(
proc @main(%a: ptr, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %next]
    %s = phi.i32 [entry: 0], [loop: %sum]
    %k = and.i32 %i, 1023
    %x = ld.i32 [%a + %k*4]
    %sum = add.i32 %s, %x
    %next = add.i32 %i, 1 nsw
    %more = cmp.lt.i32 %next, %n
    br %more ? loop : exit
  node exit:
    ret %sum
})";

/// Guarded operations and no branch in the loop; variables in place of phis.
constexpr const char* collatz = R"(
proc @main(%a: ptr, %n: i32) -> i32 {
  var $i: i32
  var $x: i32
  var $steps: i32
  node entry:
    $i = mov.i32 0
    $x = mov.i32 1
    $steps = mov.i32 0
    br loop
  node loop:
    %first = cmp.eq.i32 $x, 1
    $x = mov.i32 27 ? %first : $x
    %odd = trunc.i32.i1 $x
    %half = shr.i32 $x, 1
    %twice = shladd.i32 $x, 1, $x
    $x = add.i32 %twice, 1 ? %odd : %half
    $steps = add.i32 $steps, 1
    $i = add.i32 $i, 1
    %more = cmp.lt.i32 $i, %n
    br %more ? loop : exit
  node exit:
    ret $steps
})";

constexpr const char* polynomial = R"(
proc @main(%a: ptr, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %next]
    %y = phi.f64 [entry: 0.0], [loop: %y3]
    %x = itof.i32.f64 %i
    %y1 = fma.f64 %x, 0.5, %y
    %y2 = fmul.f64 %y1, 0.25
    %y3 = fadd.f64 %y2, %x
    %next = add.i32 %i, 1
    %more = cmp.lt.i32 %next, %n
    br %more ? loop : exit
  node exit:
    %bad = fcmp.uno.f64 %y3, %y3
    %r = zext.i1.i32 %bad
    ret %r
})";

/// A machine with four instructions, which stand in memory.
constexpr const char* dispatch = R"(
proc @main(%a: ptr, %n: i32) -> i32 {
  node entry:
    br next
  node next:
    %i = phi.i32 [entry: 0], [one: %i1], [two: %i1], [three: %i1], [four: %i1]
    %s = phi.i32 [entry: 0], [one: %s1], [two: %s2], [three: %s3], [four: %s4]
    %i1 = add.i32 %i, 1
    %end = cmp.ge.i32 %i, %n
    br %end ? exit : run
  node run:
    %k = and.i32 %i, 1023
    %op = ld.i32 [%a + %k*4]
    %code = and.i32 %op, 3
    switch.i32 %code [0: one], [1: two], [2: three], default: four
  node one:
    %s1 = add.i32 %s, %op
    br next
  node two:
    %s2 = sub.i32 %s, %op
    br next
  node three:
    %s3 = xor.i32 %s, %op
    br next
  node four:
    %s4 = shladd.i32 %op, 1, %s
    br next
  node exit:
    ret %s
})";

constexpr const char* calls = R"(
proc @main(%a: ptr, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %next]
    %x = phi.i32 [entry: 1], [loop: %y]
    %y = call.i32 @step(%x, %i) clobbers=none
    %next = add.i32 %i, 1
    %more = cmp.lt.i32 %next, %n
    br %more ? loop : exit
  node exit:
    ret %y
}
proc @step(%x: i32, %i: i32) -> i32 {
  node entry:
    %1 = mul.i32 %x, 1664525
    %2 = add.i32 %1, %i
    ret %2
})";

void run_program(benchmark::State& state, const char* text) {
  const parse_result parsed = parse(text);
  if (!parsed) {
    state.SkipWithError("the program has errors");
    return;
  }
  interpreter in(parsed.program);
  memory arrays;
  std::vector<std::uint64_t> numbers(1024);
  for (std::uint64_t i = 0; i != numbers.size(); ++i) {
    numbers[i] = i * 0x9e37'79b9 >> 7;
  }
  const std::array arguments = {scalar{type::ptr, arrays.add("a", type::i32, numbers)},
                                integer_scalar(type::i32, 100'000)};
  std::uint64_t operations = 0;
  for (auto _ : state) {
    const run_result result = in.run(0, arguments, arrays);
    if (result.trap) {
      state.SkipWithError("the program traps");
      return;
    }
    operations += result.executed;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(operations));
}

BENCHMARK_CAPTURE(run_program, dot_product, dot_product)->Name("interpreter/midend/dot_product");
BENCHMARK_CAPTURE(run_program, collatz, collatz)->Name("interpreter/midend/collatz");
BENCHMARK_CAPTURE(run_program, polynomial, polynomial)->Name("interpreter/midend/polynomial");
BENCHMARK_CAPTURE(run_program, dispatch, dispatch)->Name("interpreter/midend/dispatch");
BENCHMARK_CAPTURE(run_program, calls, calls)->Name("interpreter/midend/calls");

} // namespace
