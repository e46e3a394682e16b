// Complete unrolling in the loop around: worked numbers, what becomes of it, and where there is none.
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/measure_unrolling.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::fraction;
using midend::loop_id;
using midend::machine_model;
using midend::rejection;
using midend::unrolling_advice;
using midend::unrolling_kind;
using midend::unrolling_options;

namespace {

/// Sums of the products of eight neighbours with eight taps: out[i] = Σ taps[k] · in[i + k].
constexpr std::string_view filter = R"(
proc @filter(%out: ptr, %in: ptr, %taps: ptr, %n: i64) {
  node entry:
    br outer
  node outer:
    %i = phi.i64 [entry: 0], [latch: %i1]
    br inner
  node inner:
    %k = phi.i64 [outer: 0], [inner: %k1]
    %s = phi.i32 [outer: 0], [inner: %s1]
    %t = ld.i32 [%taps + %k*4] alias=T
    %at = add.i64 %i, %k
    %x = ld.i32 [%in + %at*4] alias=I
    %tx = mul.i32 %t, %x
    %s1 = add.i32 %s, %tx
    %k1 = add.i64 %k, 1 nsw
    %more = cmp.lt.i64 %k1, 8
    br %more ? inner : latch
  node latch:
    st.i32 %s1, [%out + %i*4] alias=O
    %i1 = add.i64 %i, 1 nsw
    %q = cmp.lt.i64 %i1, %n
    br %q ? outer : exit
  node exit:
    ret
})";

/// The inner loop is tested before its work, which has a branch.
constexpr std::string_view tested_first = R"(
proc @rows(%a: ptr, %n: i64, %limit: i32) -> i32 {
  node entry:
    br outer
  node outer:
    %i = phi.i64 [entry: 0], [latch: %i1]
    %all = phi.i32 [entry: 0], [latch: %some]
    %row = mul.i64 %i, 3
    br head
  node head:
    %k = phi.i64 [outer: 0], [next: %k1]
    %some = phi.i32 [outer: %all], [next: %more]
    %go = cmp.lt.i64 %k, 3
    br %go ? work : latch
  node work:
    %at = add.i64 %row, %k
    %x = ld.i32 [%a + %at*4] alias=A
    %p = cmp.lt.i32 %x, %limit
    br %p ? small : next
  node small:
    %y = shl.i32 %x, 1
    br next
  node next:
    %z = phi.i32 [work: %x], [small: %y]
    %more = xor.i32 %some, %z
    %k1 = add.i64 %k, 1 nsw
    br head
  node latch:
    %i1 = add.i64 %i, 1 nsw
    %q = cmp.lt.i64 %i1, %n
    br %q ? outer : exit
  node exit:
    ret %some
})";

std::string with(std::string_view text, std::string_view old, std::string_view fresh) {
  std::string out(text);
  const std::size_t at = out.find(old);
  REQUIRE(at != std::string::npos);
  return out.replace(at, old.size(), fresh);
}

/// The advice for the innermost loop of the only procedure.
unrolling_advice advice_for(const elbrus::procedure& p, const unrolling_options& options = {},
                            const machine_model& machine = midend::e2k_reference_v6()) {
  const auto found = midend::dominators_and_loops(p);
  return midend::advise_unrolling(elbrus::cost_view(p), found.loops, static_cast<loop_id>(found.loops.num_loops() - 1),
                                  machine, options);
}

unrolling_advice advice_for(std::string_view text, const unrolling_options& options = {},
                            const machine_model& machine = midend::e2k_reference_v6()) {
  return advice_for(program_of(text).procedures[0], options, machine);
}

/// Carries the advice out: the operations of the loop around.
std::optional<std::uint64_t> operations_around(const elbrus::procedure& p, const unrolling_advice& advice) {
  elbrus::procedure after = p;
  elbrus::procedure plain = p;
  elbrus::cost_editor e(after);
  elbrus::cost_editor rolled(plain);
  const auto machine = midend::e2k_reference_v6();
  const auto deed = midend::measure_unrolling(e, rolled, advice, machine);
  if (deed.obstacle != midend::deed_obstacle::none) {
    return std::nullopt;
  }
  const auto found = midend::dominators_and_loops(e.graph());
  const auto cost = midend::estimate(e, found.loops, machine);
  const loop_id l = found.loops.innermost_loop(advice.nest.header);
  return l == midend::no_loop || found.loops.header(l) != advice.nest.header
             ? std::nullopt
             : std::optional(cost.loops[l].cost.operations);
}

} // namespace

TEST_CASE("loop around: a filter of eight taps takes 5 cycles") {
  const unrolling_advice advice = advice_for(filter);
  REQUIRE(advice.nest.is_evaluated);
  const midend::unrolling_candidate& c = advice.nest.unfolded;
  CHECK(advice.decision().kind == unrolling_kind::full);
  CHECK(advice.decision().factor == 8);
  CHECK(c.why == rejection::none);
  CHECK(c.factor == 8);
  // 8 loads, since the taps are loaded before the loop around; 8 products, 7 sums (the first is a product), a store,
  // the counter and its comparison: 26 on six channels.
  CHECK(c.body.operations == 26);
  CHECK(c.body.interval == 5);
  CHECK(advice.nest.iterations == 100);
  CHECK(advice.assumes(midend::assumption::assumed_trip));
  CHECK(c.body.stages == 3);                      // 15 cycles
  CHECK(c.total_cycles == (100 + 2) * 5 + 5 + 6); // set-up, and the loads of the taps with the branch after them
  CHECK(c.total_cycles * 2 < advice.nest.total_cycles);
}

TEST_CASE("loop around: on a machine that does not pipeline, never slower") {
  const unrolling_advice advice = advice_for(filter, {}, midend::scalar_core());
  REQUIRE(advice.nest.is_evaluated);
  CHECK(advice.nest.unfolded.why == rejection::none);
  CHECK(advice.nest.unfolded.body.obstacle == midend::pipelining_obstacle::no_pipelining);
  CHECK(advice.nest.unfolded.total_cycles <= advice.nest.total_cycles);
}

TEST_CASE("loop around: the program has no more operations than the trial") {
  const std::string invariant = with(filter, "%x = ld.i32 [%in + %at*4] alias=I", "%x = ld.i32 [%in + %k*4] alias=I");
  for (const std::string& text : {std::string(filter), std::string(tested_first), invariant}) {
    elbrus::program all = program_of(text);
    elbrus::procedure& p = all.procedures[0];
    const unrolling_advice advice = advice_for(p);
    if (!advice.nest.is_evaluated) {
      CHECK(advice.decision().kind == unrolling_kind::full); // which pays for itself
      continue;
    }
    CHECK(advice.nest.unfolded.why == rejection::none);
    const auto there = operations_around(p, advice);
    REQUIRE(there);
    CHECK(*there <= advice.nest.unfolded.body.operations);
  }
}

TEST_CASE("loop around: an inner loop that gains nothing alone is unrolled for the loop around") {
  // A chain of sums of floating-point numbers: each copy waits for the one before, with the loop or without.
  std::string chain(filter);
  for (std::size_t at = chain.find("i32"); at != std::string::npos; at = chain.find("i32")) {
    chain.replace(at, 3, "f32");
  }
  chain = with(with(with(chain, "[outer: 0], [inner: %s1]", "[outer: 0x0p+0], [inner: %s1]"), "mul.f32", "fmul.f32"),
               "add.f32", "fadd.f32");
  elbrus::program all = program_of(chain);
  // The same loop alone: the one around has another loop in it.
  const std::string other = "  node other:\n    %u = phi.i64 [latch: 0], [other: %u1]\n    %u1 = add.i64 %u, 1\n"
                            "    %v = cmp.lt.i64 %u1, %n\n    br %v ? other : last\n  node last:\n";
  const std::string alone =
      with(with(chain, "    %i1 = add", "    br other\n" + other + "    %i1 = add"), "[latch: %i1]", "[last: %i1]");
  const auto found = midend::dominators_and_loops(program_of(alone).procedures[0]);
  REQUIRE(found.loops.num_loops() == 3);
  const elbrus::program two = program_of(alone);
  const elbrus::cost_view view(two.procedures[0]);
  for (const loop_id l : found.loops.loops()) {
    const auto advice = midend::advise_unrolling(view, found.loops, l, midend::e2k_reference_v6());
    if (advice.obstacle == midend::unrolling_obstacle::none && advice.counts.is_exact()) {
      CHECK(!advice.nest.is_evaluated);
      CHECK(advice.decision().kind == unrolling_kind::none);
    }
  }
  const unrolling_advice in_nest = advice_for(all.procedures[0]);
  REQUIRE(in_nest.nest.is_evaluated);
  CHECK(in_nest.decision().kind == unrolling_kind::full);
  CHECK(in_nest.candidates[0].why == rejection::outdone);
}

TEST_CASE("loop around: there is none, it is not known, or it does not fit") {
  const auto is_evaluated = [](const std::string& text, const unrolling_options& options = {}) {
    return advice_for(text, options).nest.is_evaluated;
  };
  CHECK(is_evaluated(std::string(filter)));
  CHECK(!is_evaluated(with(filter, "cmp.lt.i64 %k1, 8", "cmp.lt.i64 %k1, %n"))); // how often it runs is not known
  const std::string second_exit = with(with(filter, "br %more ? inner : latch",
                                            "%e = cmp.eq.i32 %x, 0\n    br %e ? exit : on\n"
                                            "  node on:\n    br %more ? inner : latch"),
                                       "[inner: %k1]", "[on: %k1]");
  CHECK(!is_evaluated(with(second_exit, "[inner: %s1]", "[on: %s1]"))); // it leaves both loops
  unrolling_options options;
  options.allows_full = false;
  CHECK(!is_evaluated(std::string(filter), options));
  options = {};
  options.forced_factor = 2;
  CHECK(!is_evaluated(std::string(filter), options));
  options = {};
  options.max_operations = 25;
  const unrolling_advice small = advice_for(filter, options);
  REQUIRE(small.nest.is_evaluated);
  CHECK(small.nest.unfolded.why == rejection::too_many_operations);
}

TEST_CASE("loop around: a loop that is left in its first iteration") {
  const std::string none = with(tested_first, "cmp.lt.i64 %k, 3", "cmp.lt.i64 %k, 0");
  const unrolling_advice advice = advice_for(none);
  CHECK(advice.runs_no_iteration());
  CHECK(advice.decision().kind == unrolling_kind::none);
  CHECK(!advice_for(tested_first).runs_no_iteration());
  CHECK(!advice_for(filter).runs_no_iteration());
}

TEST_CASE("loop around: random loops in loops, in the program as in the trial") {
  std::size_t nests = 0;
  std::size_t compared = 0;
  std::size_t more = 0;
  for_each_random_program(400, all_flow(), [&](const generated_program& g, std::uint64_t) {
    for (elbrus::procedure p : g.program.procedures) {
      elbrus::construct_ssa(p);
      const auto loops = midend::dominators_and_loops(p).loops;
      for (const loop_id l : loops.loops()) {
        const auto advice = midend::advise_unrolling(elbrus::cost_view(p), loops, l, midend::e2k_reference_v6());
        if (advice.obstacle != midend::unrolling_obstacle::none || !advice.nest.is_evaluated) {
          continue;
        }
        ++nests;
        if (advice.decision().kind == unrolling_kind::full) {
          if (const auto there = operations_around(p, advice)) {
            ++compared;
            more += *there > advice.nest.unfolded.body.operations ? 1U : 0U;
          }
        }
      }
    }
  });
  MESSAGE(nests, " loops around, ", compared, " with the inner loop unrolled, ", more, " with more operations");
  CHECK(nests != 0);
  CHECK(more * 20 <= compared);
}
