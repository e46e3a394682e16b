#include "kit/run_text.hpp"
#include "kit/unrolling_forms.hpp"
#include "transform/form_checks.hpp"
#include "transform/unrolling_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/transform.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Mistakes in unrolling and peeling that other compilers have made. The names are those of their trackers; numbers
// without a name are LLVM's. docs/transform.md has a table of them.

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

using enum midend::unrolling_kind;
using inputs = std::vector<std::vector<std::uint64_t>>;

/// Runs the first procedure before and after a change, on parameters of its types.
void check_runs(const elbrus::program& before, const elbrus::program& after, const inputs& all) {
  const elbrus::procedure& p = before.procedures[0];
  for (const std::vector<std::uint64_t>& numbers : all) {
    std::vector<elbrus::scalar> arguments;
    for (const midend::value_id v : p.parameters()) {
      arguments.push_back({p.value(v).type, numbers[arguments.size()]});
    }
    const auto old = elbrus::interpreter(before).run(0, arguments, {});
    const auto now = elbrus::interpreter(after).run(0, arguments, {});
    CHECK_MESSAGE((old.value.has_value() && old.value == now.value), "input ", numbers[0], "\n",
                  elbrus::to_text(after));
  }
}

/// A loop of a text in copies.
elbrus::program copied(std::string_view text, midend::unrolling_kind kind, std::uint32_t copies, const inputs& all,
                       midend::loop_id l = 0) {
  elbrus::program p = program_of(text);
  std::string why;
  unroll(p.procedures[0], {{l, {kind, copies}}}, why);
  CHECK_MESSAGE(why.empty(), why);
  check_runs(program_of(text), p, all);
  return p;
}

/// The loop of a text with a remainder.
elbrus::program with_remainder(std::string_view text, std::uint32_t factor, const inputs& all) {
  elbrus::program p = program_of(text);
  const remainder_outcome done = unroll(p.procedures[0], {{0, with_epilogue(factor)}});
  CHECK_MESSAGE(done.why.empty(), done.why);
  CHECK(done.unrolled == 1);
  check_runs(program_of(text), p, all);
  return p;
}

inputs up_to(std::uint64_t n) {
  inputs out;
  for (std::uint64_t i = 0; i <= n; ++i) {
    out.push_back({i});
  }
  return out;
}

/// `for (i = start; i OP bound; i += step) s = 3 · s + i`, with the exit of the branch first or second.
std::string counting(const char* comparison, int step, bool is_inverted) {
  return join("proc @f(%start: i8, %bound: i8) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
              "    %i = phi.i8 [entry: %start], [body: %i1]\n    %s = phi.i32 [entry: 1], [body: %s1]\n    %q = cmp.",
              comparison, ".i8 %i, %bound\n    br %q ? ", is_inverted ? "exit : body" : "body : exit",
              "\n  node body:\n    %w = sext.i8.i32 %i\n    %t = mul.i32 %s, 3\n    %s1 = add.i32 %t, %w\n"
              "    %i1 = add.i8 %i, ",
              std::to_string(step), "\n    br loop\n  node exit:\n    ret %s\n}\n");
}

} // namespace

TEST_CASE("140444: the condition of a test that goes has other users") {
  constexpr std::string_view text = R"(
proc @f(%x: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: %x], [loop: %s1]
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, 12
    %w = zext.i1.i32 %q
    %t = mul.i32 %s, 2
    %s1 = add.i32 %t, %w
    br %q ? loop : exit
  node exit:
    %r = zext.i1.i32 %q
    %sum = add.i32 %s1, %r
    ret %sum
}
)";
  for (const std::uint32_t copies : {2u, 4u, 5u, 12u}) {
    copied(text, partial, copies, up_to(3));
    elbrus::program p = copied(text, full, copies, up_to(3));
    clean(p.procedures[0]);
    check_runs(program_of(text), p, up_to(3));
  }
}

TEST_CASE("SPIRV-Tools 4239, golang 69929, bril 330: phis that read each other") {
  constexpr std::string_view text = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %a = phi.i32 [entry: 1], [body: %b]
    %b = phi.i32 [entry: 20], [body: %c]
    %c = phi.i32 [entry: 300], [body: %a]
    %i = phi.i32 [entry: 0], [body: %i1]
    %last = phi.i32 [entry: 4000], [body: %i]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %i1 = add.i32 %i, 1
    br loop
  node exit:
    %t = mul.i32 %a, 3
    %u = add.i32 %t, %b
    %r = add.i32 %u, %last
    ret %r
}
)";
  for (const std::uint32_t copies : {2u, 3u, 4u, 6u}) {
    copied(text, partial, copies, up_to(13));
    copied(text, full, copies, up_to(13));
    with_remainder(text, copies, up_to(20));
  }
}

TEST_CASE("80289: a trip count that the width of the counter does not hold, or another width") {
  // 2^64 - 3 and up to the end, in steps of 1 and 2; all numbers of a counter of one bit.
  for (const char* const step : {"1", "2", "-1"}) {
    const std::string text =
        join("proc @f(%start: i64, %bound: i64) -> i64 {\n  node entry:\n    br loop\n  node loop:\n"
             "    %i = phi.i64 [entry: %start], [body: %i1]\n    %k = phi.i64 [entry: 0], [body: %k1]\n"
             "    %q = cmp.ult.i64 %i, %bound\n    %far = cmp.ult.i64 %k, 40\n    br %far ? test : exit\n"
             "  node test:\n    br %q ? body : exit\n  node body:\n    %k1 = add.i64 %k, 1\n    %i1 = add.i64 %i, ",
             step, "\n    br loop\n  node exit:\n    %r = add.i64 %k, %i\n    ret %r\n}\n");
    const std::uint64_t most = ~std::uint64_t{0};
    const inputs ends = {{most - 2, most},      {most - 3, most}, {0, most}, {most, most},
                         {most - 20, most - 1}, {0, 17},          {3, 3},    {5, 4}};
    elbrus::program p = program_of(text);
    const remainder_outcome done = unroll(p.procedures[0], {{0, with_epilogue(4)}});
    CHECK_MESSAGE(done.why.empty(), done.why);
    check_runs(program_of(text), p, ends);
  }
}

TEST_CASE("51012: what the loop reads after a call that may not return is not read before it") {
  // The bound is diagnostic: to read it traps, and the host ends the program before the loop does.
  const auto text = [](const char* bound) {
    return join("proc @f(%x: i32, %y: i32) -> i32 {\n  node entry:\n    %d = div.i32 %x, %y spec\n    br loop\n"
                "  node loop:\n    %i = phi.i32 [entry: 0], [body: %i1]\n    %z = call.i1 @host_end(%i)\n"
                "    br %z ? exit : test\n  node test:\n    %q = cmp.lt.i32 %i, ",
                bound,
                "\n    br %q ? body : exit\n  node body:\n    %i1 = add.i32 %i, 1\n    br loop\n"
                "  node exit:\n    ret %i\n}\n");
  };
  for (const bool is_diagnostic : {true, false}) {
    elbrus::procedure p = program_of(text(is_diagnostic ? "%d" : "%x")).procedures[0];
    const remainder_outcome done = unroll(p, {{0, with_epilogue(4)}});
    CHECK_MESSAGE(done.why.empty(), done.why);
    // A test after a call that may leave is no test of each iteration, and a diagnostic bound is refused anyway.
    CHECK((is_diagnostic ? done.unrolled == 0 : true));
  }
  const std::string early = "proc @f(%x: i32, %y: i32) -> i32 {\n  node entry:\n    %d = div.i32 %x, %y spec\n"
                            "    br loop\n  node loop:\n    %i = phi.i32 [entry: 0], [loop: %i1]\n"
                            "    %z = call.i1 @host_end(%i)\n    %i1 = add.i32 %i, 1\n    %q = cmp.lt.i32 %i1, %d\n"
                            "    br %q ? loop : exit\n  node exit:\n    ret %i\n}\n";
  elbrus::program p = program_of(early);
  const remainder_outcome done = unroll(p.procedures[0], {{0, with_epilogue(4)}});
  CHECK_MESSAGE(done.why.empty(), done.why);
  REQUIRE(done.refused.size() == 1);
  CHECK(done.refused[0] == midend::remainder_refusal_reason::early_trap);
  const elbrus::run_options ends{
      .host = [](const elbrus::host_call&) { return elbrus::host_answer{elbrus::host_answer::outcome::stopped, 0}; }};
  const std::vector<elbrus::scalar> arguments{{elbrus::type::i32, 1}, {elbrus::type::i32, 0}};
  const auto old = elbrus::interpreter(program_of(early)).run(0, arguments, {}, ends);
  const auto now = elbrus::interpreter(p).run(0, arguments, {}, ends);
  CHECK(old.trap.has_value() == now.trap.has_value());
}

TEST_CASE("131465: a step that may be 0") {
  constexpr std::string_view text = R"(
proc @f(%n: i32, %step: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [body: %i1]
    %k = phi.i32 [entry: 0], [body: %k1]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %far = cmp.lt.i32 %k, 50
    %jump = select.i32 %far, %step, %n
    %i1 = add.i32 %i, %jump
    %k1 = add.i32 %k, 1
    br loop
  node exit:
    ret %k
}
)";
  elbrus::program p = program_of(text);
  const remainder_outcome done = unroll(p.procedures[0], {{0, with_epilogue(4)}});
  REQUIRE(done.refused.size() == 1);
  CHECK(done.refused[0] == midend::remainder_refusal_reason::no_counted_exit);
  copied(text, partial, 4, {{10, 0}, {10, 3}, {0, 0}, {0, 5}});
}

TEST_CASE("graal 5753, 14102, 7666: bound and step near the end of the numbers") {
  inputs ends;
  for (const std::uint64_t start : {0u, 1u, 100u, 120u, 126u, 127u, 128u, 129u, 200u, 254u, 255u}) {
    for (const std::uint64_t bound : {0u, 1u, 5u, 120u, 124u, 125u, 126u, 127u, 128u, 129u, 130u, 250u, 255u}) {
      ends.push_back({start, bound});
    }
  }
  for (const int step : {3, -3, 7, -7, 1, -1}) {
    const bool is_up = step > 0;
    // Loops that never end are left out by strict orders with a step of 1, and by the interpreter's limit otherwise.
    for (const char* const comparison : {is_up ? "lt" : "gt", is_up ? "ult" : "ugt"}) {
      for (const std::uint32_t factor : {2u, 3u, 5u}) {
        inputs end;
        for (const auto& pair : ends) {
          const elbrus::program p = program_of(counting(comparison, step, false));
          const std::vector<elbrus::scalar> arguments{{elbrus::type::i8, pair[0]}, {elbrus::type::i8, pair[1]}};
          if (elbrus::interpreter(p).run(0, arguments, {}, {.step_limit = 5000}).value) {
            end.push_back(pair);
          }
        }
        CHECK(end.size() > ends.size() / 2);
        with_remainder(counting(comparison, step, false), factor, end);
      }
    }
  }
}

TEST_CASE(
    "JDK-8332920, JDK-8251535: unsigned comparison with a bound that is negative as a signed one, inverted exit") {
  const inputs pairs = {{0, 0xf0}, {0xf0, 0xff}, {0x7f, 0x81}, {0, 0}, {0xff, 0}, {5, 4}, {0, 1}, {1, 0x80}};
  for (const bool is_inverted : {false, true}) {
    for (const std::uint32_t factor : {2u, 4u, 7u}) {
      with_remainder(counting(is_inverted ? "uge" : "ult", 1, is_inverted), factor, pairs);
      with_remainder(counting(is_inverted ? "ule" : "ugt", -1, is_inverted), factor, pairs);
      with_remainder(counting(is_inverted ? "ge" : "lt", 1, is_inverted), factor, pairs);
    }
  }
}

TEST_CASE("JDK-8254887: no iteration is left for the loop, its copies or its remainder, after peeling too") {
  constexpr std::string_view text = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [body: %i1]
    %s = phi.i32 [entry: 1], [body: %s1]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %t = mul.i32 %s, 3
    %s1 = add.i32 %t, %i
    %i1 = add.i32 %i, 1
    br loop
  node exit:
    ret %s
}
)";
  inputs all = up_to(20);
  all.push_back({0xffff'ffff});
  all.push_back({0x8000'0000});
  for (const std::uint32_t peeled : {1u, 2u, 4u}) {
    elbrus::program p = copied(text, full, peeled + 1, all);
    const remainder_outcome done = unroll(p.procedures[0], {{0, with_epilogue(4)}});
    CHECK_MESSAGE(done.why.empty(), done.why);
    CHECK(done.unrolled == 1);
    check_runs(program_of(text), p, all);
    clean(p.procedures[0]);
    check_runs(program_of(text), p, all);
  }
}

TEST_CASE("GCC PR57343, PR112305: a counter that wraps before it is at the bound, and its last value") {
  // `ne` with steps that do not divide the distance comes round; the last value of the counter is read after the loop.
  constexpr std::string_view text = R"(
proc @f(%start: i8, %bound: i8) -> i8 {
  node entry:
    br loop
  node loop:
    %i = phi.i8 [entry: %start], [body: %i1]
    %k = phi.i8 [entry: 0], [body: %k1]
    %q = cmp.ne.i8 %i, %bound
    br %q ? body : exit
  node body:
    %i1 = add.i8 %i, 3
    %k1 = add.i8 %k, 7
    br loop
  node exit:
    %r = xor.i8 %i, %k
    ret %r
}
)";
  inputs pairs;
  for (std::uint64_t start = 0; start < 256; start += 23) {
    for (std::uint64_t bound = 0; bound < 256; bound += 19) {
      pairs.push_back({start, bound});
    }
  }
  for (const std::uint32_t factor : {2u, 3u, 4u, 16u}) {
    with_remainder(text, factor, pairs);
    copied(text, partial, factor, pairs);
  }
}

TEST_CASE("91957: unrolling, and hoisting after it: a load stays with the stores between it and the next one") {
  constexpr std::string_view text = R"(
proc @f(%a: ptr, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 0], [loop: %s1]
    %v = ld.i32 [%a + 0]
    %t = mul.i32 %s, 3
    %s1 = add.i32 %t, %v
    st.i32 %s1, [%a + 0]
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? loop : exit
  node exit:
    ret %s1
}
)";
  elbrus::program p = program_of(text);
  const remainder_outcome done = unroll(p.procedures[0], {{0, with_epilogue(4)}});
  CHECK_MESSAGE(done.why.empty(), done.why);
  elbrus::procedure& f = p.procedures[0];
  elbrus::editor e(f);
  midend::simplify_loops(e);
  midend::hoist_invariants(e);
  const auto loops = midend::dominators_and_loops(f).loops;
  std::size_t loads = 0;
  for (const midend::loop_id l : loops.loops()) {
    for (const node_id n : loops.blocks(l)) {
      for (const midend::value_id v : f.values(n)) {
        loads += f.value(v).code == elbrus::opcode::ld ? 1u : 0u;
      }
    }
  }
  CHECK(loads == 5);
}

TEST_CASE("45284: peeling and complete unrolling leave no iteration too many") {
  constexpr std::string_view text = R"(
proc @f(%x: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: %x], [loop: %s1]
    %t = mul.i32 %s, 3
    %s1 = add.i32 %t, %i
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, 6
    br %q ? loop : exit
  node exit:
    ret %s1
}
)";
  for (const std::uint32_t copies : {2u, 3u, 5u, 6u, 7u}) {
    elbrus::program p = copied(text, full, copies, up_to(3));
    clean(p.procedures[0]);
    check_runs(program_of(text), p, up_to(3));
    CHECK(midend::dominators_and_loops(p.procedures[0]).loops.num_loops() == (copies < 6 ? 1 : 0));
  }
}

TEST_CASE("62437: an outer loop is peeled with the inner one") {
  constexpr std::string_view text = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br outer
  node outer:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %s = phi.i32 [entry: 1], [latch: %t]
    br inner
  node inner:
    %j = phi.i32 [outer: 0], [inner: %j1]
    %t0 = phi.i32 [outer: %s], [inner: %t]
    %u = mul.i32 %t0, 3
    %t = add.i32 %u, %j
    %j1 = add.i32 %j, 1
    %q = cmp.le.i32 %j1, %i
    br %q ? inner : latch
  node latch:
    %i1 = add.i32 %i, 1
    %more = cmp.lt.i32 %i1, %n
    br %more ? outer : exit
  node exit:
    ret %t
}
)";
  for (const midend::loop_id l : {0u, 1u}) {
    for (const std::uint32_t copies : {2u, 3u, 4u}) {
      copied(text, full, copies, up_to(9), l);
      copied(text, partial, copies, up_to(9), l);
    }
  }
}

TEST_CASE("77118: peeling an inner loop leaves the loop around it in closed form") {
  constexpr std::string_view text = R"(
proc @f(%n: i32, %limit: i32) -> i32 {
  node entry:
    br outer
  node outer:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %s = phi.i32 [entry: 1], [latch: %t]
    br inner
  node inner:
    %j = phi.i32 [outer: 0], [again: %j1]
    %t0 = phi.i32 [outer: %s], [again: %t]
    %u = mul.i32 %t0, 3
    %t = add.i32 %u, %j
    %large = cmp.lt.i32 %limit, %t
    br %large ? found : again
  node again:
    %j1 = add.i32 %j, 1
    %q = cmp.le.i32 %j1, %i
    br %q ? inner : latch
  node latch:
    %i1 = add.i32 %i, 1
    %more = cmp.lt.i32 %i1, %n
    br %more ? outer : exit
  node found:
    %sum = add.i32 %t, %j
    ret %sum
  node exit:
    %last = add.i32 %t, %i
    ret %last
}
)";
  inputs all;
  for (std::uint64_t n = 0; n != 6; ++n) {
    for (const std::uint64_t limit : {0u, 5u, 40u, 1000u, 100'000u}) {
      all.push_back({n, limit});
    }
  }
  elbrus::program closed = program_of(text);
  {
    elbrus::editor e(closed.procedures[0]);
    midend::close_loops(e);
  }
  check_closed_form(closed.procedures[0]);
  const std::string closed_text = elbrus::to_text(closed.procedures[0]);
  const midend::loop_forest loops = midend::dominators_and_loops(closed.procedures[0]).loops;
  REQUIRE(loops.num_loops() == 2);
  for (const midend::loop_id l : loops.loops()) {
    for (const std::uint32_t copies : {2u, 3u}) {
      check_closed_form(copied(closed_text, full, copies, all, l).procedures[0]);
    }
  }
}

TEST_CASE("116443: two versions of a loop that is not in closed form, whose values are read in several places") {
  with_remainder(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 1], [loop: %s1]
    %t = mul.i32 %s, 5
    %s1 = add.i32 %t, %i
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? loop : after
  node after:
    %odd = and.i32 %i1, 1
    %p = cmp.eq.i32 %odd, 0
    br %p ? left : right
  node left:
    %x = add.i32 %s1, %t
    br second
  node right:
    br second
  node second:
    %k = phi.i32 [left: %x], [right: %s], [second: %k1]
    %m = phi.i32 [left: 0], [right: 0], [second: %m1]
    %k1 = add.i32 %k, %s1
    %m1 = add.i32 %m, 1
    %r = cmp.lt.i32 %m1, %i
    br %r ? second : exit
  node exit:
    %sum = add.i32 %k1, %t
    ret %sum
}
)",
                 4, up_to(20));
}

TEST_CASE("211683: five loops in each other, of ten iterations each, stay within the budget") {
  std::string text = "proc @f(%x: i32) -> i32 {\n  node entry:\n    br l0\n";
  constexpr int depth = 5;
  for (int d = 0; d != depth; ++d) {
    const std::string n = std::to_string(d);
    text += "  node l" + n + ":\n    %i" + n + " = phi.i32 [" + (d == 0 ? "entry" : "l" + std::to_string(d - 1)) +
            ": 0], [e" + n + ": %j" + n + "]\n    br " + (d + 1 == depth ? "e" + n : "l" + std::to_string(d + 1)) +
            "\n";
  }
  for (int d = depth; d-- != 0;) {
    const std::string n = std::to_string(d);
    text += "  node e" + n + ":\n    %j" + n + " = add.i32 %i" + n + ", 1\n    %q" + n + " = cmp.lt.i32 %j" + n +
            ", 10\n    br %q" + n + " ? l" + n + " : " + (d == 0 ? "exit" : "e" + std::to_string(d - 1)) + "\n";
  }
  text += "  node exit:\n    ret %x\n}\n";
  elbrus::program p = program_of(text);
  // From the inside: ten copies of the innermost loop, then of the one around it, which has grown; and so on.
  std::size_t cloned = 0;
  bool is_refused = false;
  for (int d = depth; d-- != 0;) {
    elbrus::editor e(p.procedures[0]);
    const auto loops = midend::dominators_and_loops(p.procedures[0]).loops;
    for (const midend::loop_id l : loops.loops()) {
      if (loops.header(l) == static_cast<node_id>(d + 1)) {
        const midend::unrolling_request request{l, {full, 10}};
        const auto done = midend::unroll_loops(e, loops, {&request, 1}, {.max_cloned = 4096 - cloned});
        cloned += done.plan.cloned;
        for (const midend::unrolling_refusal& r : done.plan.refused) {
          is_refused = is_refused || r.why == midend::unrolling_refusal_reason::too_large;
        }
      }
    }
  }
  CHECK(is_refused);
  CHECK(cloned <= 4096);
  CHECK(cloned > 100);
  check_runs(program_of(text), p, up_to(1));
}

TEST_CASE("MLIR 163720: other users of the bound read the bound, and not the limit") {
  constexpr std::string_view text = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 1], [loop: %s1]
    %t = mul.i32 %s, 3
    %u = add.i32 %t, %n
    %s1 = xor.i32 %u, %i
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? loop : exit
  node exit:
    %r = sub.i32 %s1, %n
    ret %r
}
)";
  for (const std::uint32_t factor : {2u, 3u, 4u, 8u}) {
    with_remainder(text, factor, up_to(30));
    copied(text, full, factor, up_to(30));
  }
}

TEST_CASE(
    "135812, 156549: counts of copies and remainder are those of the loop together, and the guard runs as often") {
  elbrus::program all = program_of(R"(
proc @f(%n: i32) -> i32 count=10 {
  node entry count=10:
    br loop
  node loop count=1000:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? loop(0.99) : exit(0.01)
  node exit count=10:
    ret %i1
}
)");
  elbrus::procedure& p = all.procedures[0];
  const node_id header = midend::dominators_and_loops(p).loops.header(0);
  const remainder_outcome done = unroll(p, {{0, with_epilogue(4)}});
  CHECK_MESSAGE(done.why.empty(), done.why);
  const auto now = midend::dominators_and_loops(p);
  REQUIRE(now.loops.num_loops() == 2);
  CHECK(now.loops.entering_edges(0).size() + now.loops.entering_edges(1).size() == 3);
  std::uint64_t body = 0;
  for (const midend::loop_id l : now.loops.loops()) {
    const std::uint64_t count = p.node_count(now.loops.header(l));
    if (now.loops.header(l) == header) {
      CHECK(count >= 10); // of the remainder: it is always entered
      CHECK(count <= 70);
    } else {
      body = count;
    }
  }
  CHECK(body >= 230); // 24 passes each time
  CHECK(body <= 260);
}
