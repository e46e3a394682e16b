#include "kit/run_text.hpp"

#include <midend/elbrus/run/run_equivalence.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace midend::elbrus;

/// A run of `{ node entry: … }` on an array of four bytes, %p being its address, with a limit of 100 operations. Host
/// functions return 5, `@stop` ends the run.
run_result run_of(const std::string& operations, std::uint64_t step_limit = 100) {
  memory arrays;
  arrays.add_zeros("other", 2);
  const scalar p{type::ptr, arrays.add_zeros("a", 4)};
  const run_options options{.step_limit = step_limit, .host = [](const host_call& call) {
                              return call.callee == "stop" ? host_answer::stop() : host_answer::of(5);
                            }};
  return midend_tests::run_text("proc @f(%p: ptr) -> i32 {\n node entry:\n" + operations + "\n}\n", {p}, arrays,
                                options);
}

run_comparison compared(const std::string& a, const std::string& b) {
  return compare_runs(run_of(a), run_of(b));
}

constexpr run_comparison same{};

run_comparison different(run_difference what, std::size_t index = 0, std::size_t offset = 0) {
  return {run_verdict::different, what, index, offset};
}

} // namespace

TEST_CASE("compare_runs: values") {
  CHECK(compared("ret 1", "%x = add.i32 0, 1\n ret %x") == same);
  CHECK(compared("ret 1", "ret 2") == different(run_difference::value));
}

TEST_CASE("compare_runs: memory") {
  CHECK(compared("st.i16 513, [%p + 1]\n ret 1", "st.i8 1, [%p + 1]\n st.i8 2, [%p + 2]\n ret 1") == same);
  CHECK(compared("st.i16 513, [%p + 1]\n ret 1", "st.i8 1, [%p + 1]\n ret 1") ==
        different(run_difference::memory_bytes, 1, 2));
  run_result other = run_of("ret 1");
  other.memory.add_zeros("new", 1);
  CHECK(compare_runs(run_of("ret 1"), other).what == run_difference::arrays);
}

TEST_CASE("compare_runs: events") {
  const std::string one = "%1 = call.i32 @one(i32 1)\n";
  const std::string two = "%2 = call.i32 @one(i32 2)\n";
  CHECK(compared(one + two + "ret 1", one + two + "ret 1") == same);
  const std::string copy = "%q = mov.i64 %p\n";
  CHECK(compared(copy + "call @one(%q)\n ret 1", copy + "call @one(%p)\n ret 1") == same);
  CHECK(compared(copy + "call @one(%q)\n ret 1", "call @one(i64 7)\n ret 1") == different(run_difference::event, 0));
  CHECK(compared("call @one(i32 7)\n ret 1", "call @one(i64 7)\n ret 1") == different(run_difference::event, 0));
  CHECK(compared(one + two + "ret 1", two + one + "ret 1") == different(run_difference::event, 0));
  CHECK(compared(one + two + "ret 1", one + "ret 1") == different(run_difference::event, 1));
  CHECK(compared(one + "ret 1", one + two + "ret 1") == different(run_difference::event, 1));
  CHECK(compared(one + "ret 1", "%1 = call.i32 @two(i32 1)\n ret 1") == different(run_difference::event, 0));
  const std::string load = "%v = ld.i8 [%p] volatile\n";
  CHECK(compared(load + "ret 1", "ret 1") == different(run_difference::event, 0));
  CHECK(compared(load + one + "ret 1", one + load + "ret 1") == different(run_difference::event, 0));
  CHECK(compared("st.i8 0, [%p] volatile\n ret 1", load + "ret 1") == different(run_difference::event, 0));
}

TEST_CASE("compare_runs: a trap of the original allows anything after it") {
  const std::string call = "%1 = call.i32 @one(i32 1)\n";
  const std::string trap = "%t = ld.i32 [0]\n";
  CHECK(compared(trap + "ret 1", "ret 2") == same);
  CHECK(compared(trap + "ret 1", call + "st.i8 1, [%p]\n ret 2") == same);
  CHECK(compared(trap + "ret 1", trap + "ret 1") == same);
  CHECK(compared(call + trap + "ret 1", call + "ret 2") == same);
  // but not before it
  CHECK(compared(call + trap + "ret 1", trap + call + "ret 1") == different(run_difference::event, 0));
  CHECK(compared(call + trap + "ret 1", "ret 1") == different(run_difference::event, 0));
  CHECK(compared("call @stop() clobbers=none\n ret 1", "ret 1") == different(run_difference::event, 0));
}

TEST_CASE("compare_runs: a new trap is a difference") {
  CHECK(compared("ret 1", "%t = ld.i32 [0]\n ret 1") == different(run_difference::trap));
}

TEST_CASE("compare_runs: limits say nothing") {
  const std::string endless = "br loop\n node loop:\n br loop";
  const run_comparison no_verdict{.verdict = run_verdict::no_verdict};
  CHECK(compared(endless, "ret 1") == no_verdict);
  CHECK(compared("ret 1", endless) == no_verdict);
  CHECK(compared(endless, endless) == no_verdict);
  CHECK(compared("%t = ld.i32 [0]\n ret 1", endless) == no_verdict);
  const std::string deep = "%1 = call.i32 @f(%p)\n ret %1";
  CHECK(compare_runs(run_of(deep, 1'000'000), run_of("ret 1")) == no_verdict);
}

TEST_CASE("compare_runs: in words") {
  CHECK(to_text(same) == "same");
  CHECK(to_text(run_comparison{.verdict = run_verdict::no_verdict}) == "no verdict");
  CHECK(to_text(different(run_difference::value)) == "different: value");
  CHECK(to_text(different(run_difference::trap)) == "different: trap");
  CHECK(to_text(different(run_difference::event, 3)) == "different: event 3");
  CHECK(to_text(different(run_difference::arrays, 1)) == "different: arrays 1");
  CHECK(to_text(different(run_difference::memory_bytes, 1, 7)) == "different: array 1, byte 7");
}
