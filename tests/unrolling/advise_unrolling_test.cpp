// Unrolling advice: the worked examples with their exact numbers, and random loops.
#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
using namespace midend::elbrus;
using enum midend::unrolling_kind;
using midend::fraction;
using midend::machine_model;
using midend::rejection;
using midend::saving_kind;
using midend::unrolling_advice;
using midend::unrolling_candidate;
using midend::unrolling_options;

namespace {

std::string with(std::string text, std::string_view old, std::string_view fresh) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), fresh);
}

/// The advice for the only loop of the only procedure.
struct advised_loop {
  program source;
  unrolling_advice advice;

  explicit advised_loop(std::string_view text, const unrolling_options& options = {},
                        const machine_model& machine = midend::e2k_reference_v6()) {
    parse_result parsed = parse(text);
    REQUIRE(parsed.diagnostics.empty());
    source = std::move(parsed.program);
    const procedure& p = source.procedures[0];
    const auto forest = midend::natural_loops(p, midend::dominators(p));
    REQUIRE(forest.num_loops() == 1);
    advice = midend::advise_unrolling(cost_view(p), forest, 0, machine, options);
    REQUIRE(advice.obstacle == midend::unrolling_obstacle::none);
  }

  const unrolling_candidate& candidate(std::uint32_t factor) const {
    for (const unrolling_candidate& c : advice.candidates) {
      if (c.factor == factor && c.kind != peel) {
        return c;
      }
    }
    FAIL("no candidate of factor " << factor);
    return advice.candidates[0];
  }

  fraction cycles(std::uint32_t factor) const {
    REQUIRE(candidate(factor).is_evaluated);
    return candidate(factor).cycles_per_iteration;
  }

  /// Results of a value of the procedure that became a constant, copy by copy.
  std::vector<std::uint64_t> folded(std::string_view name) const {
    std::vector<std::uint64_t> out;
    for (const midend::unrolling_saving& s : advice.savings) {
      const midend::value_id v = s.value;
      if (s.kind == saving_kind::folded && source.procedures[0].value_name(v) == name) {
        out.push_back(s.result);
      }
    }
    return out;
  }
};

unrolling_options factor(std::uint32_t u) {
  unrolling_options options;
  options.forced_factor = u;
  return options;
}

/// The sums stay as they are written.
unrolling_options as_written(std::uint32_t u = 0) {
  unrolling_options options = factor(u);
  options.lowering.reassociates = false;
  return options;
}

/// 1. The numbers of the specification with "R" are those of regrouped sums, the others those of sums as written.
constexpr const char* five_iterations = R"(
proc @five(%a: ptr, %x: i32, %s0: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: %s0], [loop: %s3]
    %v = ld.i32 [%a + %i*4] alias=A
    %s1 = add.i32 %s, %v
    %x2 = shl.i32 %x, 1
    %s2 = add.i32 %s1, %x2
    %p = cmp.eq.i32 %i, 3
    %s3 = shl.i32 %s2, 1 ? %p : %s2
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, 5
    br %q ? loop : exit
  node exit:
    ret %s3
})";

constexpr const char* quarters = R"(
proc @quarters(%a: ptr) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 0], [loop: %s3]
    %v = ld.i32 [%a + %i*4] alias=A
    %s1 = add.i32 %s, %v
    %quarter = div.i32 %i, 4
    %s2 = add.i32 %s1, %quarter
    %rest = rem.i32 %i, 16
    %p = cmp.eq.i32 %rest, 0
    %s3 = shl.i32 %s2, 1 ? %p : %s2
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, 1024
    br %q ? loop : exit
  node exit:
    ret %s3
})";

constexpr const char* rotation = R"(
proc @rotation(%a0: i32, %b0: i32, %c0: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %sum = phi.i32 [entry: 0], [loop: %sum1]
    %a = phi.i32 [entry: %a0], [loop: %b]
    %b = phi.i32 [entry: %b0], [loop: %c]
    %c = phi.i32 [entry: %c0], [loop: %a]
    %sum1 = add.i32 %sum, %a
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, 3000
    br %q ? loop : exit
  node exit:
    ret %sum1
})";

constexpr const char* remainder_of_three = R"(
proc @remainder(%a: ptr) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %x = phi.i32 [entry: 0], [loop: %x1]
    %v = ld.i32 [%a + %i*4] alias=A
    %x1 = xor.i32 %x, %v
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, 1027
    br %q ? loop : exit
  node exit:
    ret %x1
})";

constexpr const char* unknown_length = R"(
proc @unknown(%a: ptr, %start: i32, %len: i32) -> i32 {
  node guard:
    %any = cmp.lt.i32 %start, %len
    br %any ? loop : exit
  node loop:
    %i = phi.i32 [guard: %start], [loop: %i1]
    %s = phi.i32 [guard: 0], [loop: %s1]
    %v = ld.i32 [%a + %i*4] alias=A
    %s1 = add.i32 %s, %v
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, %len
    br %q ? loop : exit
  node exit:
    %r = phi.i32 [guard: 0], [loop: %s1]
    ret %r
})";

constexpr const char* search = R"(
proc @search(%a: ptr, %x0: i32) -> i32 {
  node entry:
    br header
  node header:
    %idx = phi.i32 [entry: 0], [body: %idx1]
    %x = phi.i32 [entry: %x0], [body: %x1]
    %part = div.i32 %idx, 7
    %v = ld.i32 [%a + %part*4] alias=A
    %differs = cmp.ne.i32 %v, %x
    br %differs ? body : exit
  node body:
    %x1 = add.i32 %x, 1
    %idx1 = add.i32 %idx, 1 nsw
    br header
  node exit:
    ret %idx
})";

constexpr const char* seven_operations = R"(
proc @seven(%x: i32, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %a = phi.i32 [entry: 0], [loop: %a1]
    %b = phi.i32 [entry: 1], [loop: %b1]
    %c = phi.i32 [entry: 2], [loop: %c1]
    %d = phi.i32 [entry: 3], [loop: %d1]
    %e = phi.i32 [entry: 4], [loop: %e1]
    %f = phi.i32 [entry: 5], [loop: %f1]
    %g = phi.i32 [entry: 6], [loop: %g1]
    %a1 = add.i32 %a, %x
    %b1 = sub.i32 %b, %x
    %c1 = add.i32 %c, %x
    %d1 = sub.i32 %d, %x
    %e1 = add.i32 %e, %x
    %f1 = sub.i32 %f, %x
    %g1 = add.i32 %g, %x
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, %n
    br %q ? loop : exit
  node exit:
    %ab = add.i32 %a1, %b1
    %cd = add.i32 %c1, %d1
    %ef = add.i32 %e1, %f1
    %abcd = add.i32 %ab, %cd
    %efg = add.i32 %ef, %g1
    %all = add.i32 %abcd, %efg
    ret %all
})";

} // namespace

TEST_CASE("unrolling, example 1: five iterations are unrolled completely, 21 cycles to 16") {
  const advised_loop l(five_iterations, as_written());
  const unrolling_candidate& rolled = l.advice.rolled();
  CHECK(rolled.body.operations == 7);
  CHECK(rolled.body.branches == 1);
  CHECK(rolled.body.resources.cycles == 2);
  CHECK(rolled.body.recurrence_exact == fraction(3));
  CHECK(rolled.body.stages == 3);
  CHECK(rolled.total_cycles == 21);
  const unrolling_candidate& decision = l.advice.decision();
  CHECK(decision.kind == full);
  CHECK(decision.factor == 5);
  CHECK(decision.body.operations == 17); // of 7 * 5 + 1
  CHECK(rolled.rest.operations == 1);
  CHECK(decision.total_cycles == 16);
  CHECK(l.folded("p") == std::vector<std::uint64_t>{0, 0, 0, 1, 0});
  CHECK(l.advice.counts.trip.header_executions() == 5);
  CHECK(l.advice.counts.trip.backedges == 4);
}

TEST_CASE("unrolling, example 1: 15 cycles if the sum is 0 on entry, 10 if it may be regrouped") {
  CHECK(advised_loop(with(five_iterations, "entry: %s0", "entry: 0"), as_written()).candidate(5).total_cycles == 15);
  CHECK(advised_loop(five_iterations).candidate(5).total_cycles == 10);
}

TEST_CASE("unrolling, example 2: by 4, and without regrouping every factor as computed by hand") {
  const advised_loop l(quarters, as_written());
  CHECK(l.cycles(1) == fraction(3));
  CHECK(l.cycles(2) == fraction(5, 2));
  CHECK(l.cycles(4) == fraction(9, 4));
  // By hand 17/8, 33/16, and by 5 15/5: the clean-up adds the 1 of i / 4 + 1 to the sum last, as one more step.
  CHECK(l.cycles(8) == fraction(18, 8));
  CHECK(l.cycles(16) == fraction(34, 16));
  CHECK(advised_loop(quarters, as_written(3)).cycles(3) == fraction(3));
  CHECK(advised_loop(quarters, as_written(5)).cycles(5) == fraction(16, 5));
  CHECK(std::string_view(name_of(l.advice.decision())) == "partial");
  CHECK(l.advice.decision().factor == 4);
  CHECK(l.candidate(4).body.operations == 17);
  CHECK(l.candidate(16).body.operations == 56);
  CHECK(l.candidate(8).why == rejection::tie);
  CHECK(l.candidate(16).why == rejection::gain_too_small);
  CHECK(l.folded("p") == std::vector<std::uint64_t>{0, 0, 0});
  const advised_loop by16(quarters, as_written(16));
  CHECK(by16.advice.decision().factor == 16);
  std::vector<std::uint64_t> tests(16, 0);
  tests[0] = 1;
  CHECK(by16.folded("p") == tests);
}

TEST_CASE("unrolling, example 2: by 4 if sums may be regrouped") {
  const advised_loop l(quarters);
  CHECK(l.cycles(1) == fraction(2));
  CHECK(l.cycles(2) == fraction(3, 2));
  CHECK(l.cycles(4) == fraction(3, 4));
  // By hand 30 operations, so 5/8, and by 32 18/32: one operation more is one cycle more here.
  CHECK(l.candidate(8).body.operations == 31);
  CHECK(l.cycles(8) == fraction(6, 8));
  CHECK(l.cycles(16) == fraction(10, 16));
  CHECK(l.cycles(32) == fraction(19, 32));
  CHECK(l.advice.decision().factor == 4);
  CHECK(l.candidate(16).why == rejection::gain_too_small);
  CHECK(l.candidate(32).why == rejection::gain_too_small);
}

TEST_CASE("unrolling, example 3: by the length of the cycle of phis, a tie that wins by its operations") {
  const advised_loop l(rotation, as_written());
  CHECK(l.advice.counts.phi_period == 3);
  CHECK(l.candidate(1).body.operations == 6);
  CHECK(l.cycles(1) == fraction(1));
  CHECK(l.candidate(3).body.operations == 5);
  CHECK(l.candidate(3).body.interval == 3);
  CHECK(std::string_view(name_of(l.advice.decision())) == "partial");
  CHECK(l.advice.decision().factor == 3);
  for (const std::uint32_t other : {4U, 8U, 20U}) {
    CHECK(advised_loop(rotation, as_written(other)).candidate(other).body.mix[midend::operation_class::move] == 3);
  }
  const auto vanished = std::count_if(l.advice.savings.begin(), l.advice.savings.end(),
                                      [](const auto& s) { return s.kind == saving_kind::vanished_phi; });
  CHECK(vanished == 3);
}

TEST_CASE("unrolling, example 3: one cycle for three iterations if sums may be regrouped") {
  const advised_loop l(rotation);
  CHECK(l.candidate(3).body.interval == 1);
  CHECK(l.advice.decision().factor % 3 == 0);
}

TEST_CASE("unrolling, example 4: a remainder of three, and 13 without one") {
  const advised_loop l(remainder_of_three, as_written(4));
  const unrolling_candidate& by4 = l.advice.decision();
  CHECK(std::string_view(name_of(by4)) == "partial_with_remainder");
  CHECK(by4.factor == 4);
  CHECK(by4.remainder == midend::remainder_placement::epilogue);
  CHECK(by4.remainder_iterations == 3);
  CHECK(by4.rest.alone > 0);
  CHECK(std::string_view(name_of(l.candidate(13))) == "partial");
  CHECK(l.candidate(13).remainder_iterations == 0);
}

TEST_CASE("unrolling, example 4: bound by its recurrence at one cycle for every factor, so refused") {
  const advised_loop l(remainder_of_three, as_written());
  for (const std::uint32_t u : {1U, 2U, 4U, 8U, 13U, 16U}) {
    CHECK(l.cycles(u) == fraction(1));
  }
  CHECK(l.advice.decision().kind == none);
}

TEST_CASE("unrolling, example 4: regrouped the recurrence does not bind") {
  const advised_loop l(remainder_of_three);
  CHECK(l.cycles(2) == fraction(1, 2));
  CHECK(l.cycles(4) == fraction(1, 2));
  CHECK(l.cycles(8) == fraction(3, 8));
}

TEST_CASE("unrolling, example 5: computed before the loop, with a break-even") {
  const advised_loop l(unknown_length);
  CHECK(l.advice.counts.trip.kind == midend::trip_count_kind::unknown);
  REQUIRE(std::string_view(name_of(l.advice.decision())) == "runtime");
  const unrolling_candidate& c = l.advice.decision();
  CHECK(c.break_even > 1);
  CHECK(l.advice.assumes(midend::assumption::assumed_trip));
  const std::string short_trip = with(unknown_length, "node loop:", "node loop hint trip=avg:3:");
  CHECK(std::string_view(name_of(advised_loop(short_trip).advice.decision())) != "runtime");
}

TEST_CASE("unrolling: totals of loops with very many iterations fit in 64 bits") {
  const advised_loop l(R"(
proc @ages(%x: i64) -> i64 {
  node entry:
    br loop
  node loop:
    %i = phi.i64 [entry: 0], [loop: %i1]
    %s = phi.i64 [entry: %x], [loop: %s3]
    %s1 = mul.i64 %s, %x
    %s2 = mul.i64 %s1, %s1
    %s3 = mul.i64 %s2, %s
    %i1 = add.i64 %i, 3
    %q = cmp.ne.i64 %i1, 1
    br %q ? loop : exit
  node exit:
    ret %s3
})");
  CHECK(l.advice.counts.trip.header_executions() == 12297829382473034411U);
  const unrolling_candidate& rolled = l.candidate(1);
  CHECK(l.cycles(1) == fraction(12));
  CHECK(rolled.total_cycles >= std::uint64_t{12} << 40);
  CHECK(rolled.total_cycles < std::uint64_t{13} << 40);
}

TEST_CASE("unrolling: the break-even of a factor does not depend on the trip count") {
  unrolling_options seldom;
  seldom.assumed_trip = 3; // too few to be pipelined
  for (const char* text : {search, unknown_length, seven_operations}) {
    const advised_loop often(text);
    const advised_loop rarely(text, seldom);
    CHECK(rarely.candidate(2).body.obstacle == midend::pipelining_obstacle::too_few_passes);
    CHECK(rarely.candidate(2).break_even == often.candidate(2).break_even);
  }
}

TEST_CASE("unrolling: a pass that may end in any copy keeps the test of each copy") {
  unrolling_options options = factor(4);
  options.remainder = midend::remainder_placement::mid_exit;
  const unrolling_candidate c = advised_loop(unknown_length, options).candidate(4);
  CHECK(std::string_view(name_of(c)) == "uncounted");
  CHECK(c.body.branches == 4);
  CHECK(c.cycles_per_iteration == fraction(1)); // one branch a cycle
  const advised_loop even(with(unknown_length, "node loop:", "node loop hint trip=multiple:4:"), options);
  CHECK(std::string_view(name_of(even.candidate(4))) == "runtime");
  CHECK(even.candidate(4).body.branches == 1);
}

TEST_CASE("unrolling, example 6: not countable; at 7 one division, one load and one test of seven are left") {
  const advised_loop l(search);
  CHECK(l.cycles(1) == fraction(2));
  CHECK(l.cycles(2) == fraction(3, 2)); // a product is cheaper than the division, which has a unit of its own
  CHECK(l.cycles(7) == fraction(2, 7));
  CHECK(std::string_view(name_of(l.advice.decision())) == "uncounted");
  CHECK(l.advice.decision().factor == 7);
  CHECK(l.candidate(7).body.mix[midend::operation_class::load] == 1);
  CHECK(l.candidate(7).body.mix[midend::operation_class::integer_divide] == 0);
  CHECK(l.candidate(7).body.branches == 1); // one test of a range; the seven are after the loop
}

TEST_CASE("unrolling, example 6: a profile with fewer trips than copies") {
  const advised_loop l(with(search, "node header:", "node header hint trip=avg:6:"));
  CHECK(l.advice.decision().kind == none);
  const auto by7 = std::find_if(l.advice.candidates.begin(), l.advice.candidates.end(),
                                [](const unrolling_candidate& c) { return c.factor == 7; });
  REQUIRE(by7 != l.advice.candidates.end());
  CHECK(by7->why == rejection::trip_too_short);
}

TEST_CASE("unrolling, example 7: no part of a cycle is lost at six copies") {
  CHECK(advised_loop(seven_operations, as_written(5)).cycles(5) == fraction(7, 5));
  CHECK(advised_loop(seven_operations, as_written(6)).cycles(6) == fraction(8, 6));
  unrolling_options counted = as_written(3);
  counted.lowering.counts_in_hardware = true;
  const advised_loop by3(seven_operations, counted);
  CHECK(by3.cycles(1) == fraction(2));
  CHECK(by3.cycles(3) == fraction(4, 3));
  counted.forced_factor = 2;
  CHECK(advised_loop(seven_operations, counted).cycles(2) == fraction(3, 2));
  // The remainder begins with the counter, so it is computed: 44 operations, and not 42.
  counted.forced_factor = 6;
  CHECK(advised_loop(seven_operations, counted).cycles(6) == fraction(8, 6));
}

TEST_CASE("unrolling, example 7: what is added in each copy is added once if sums may be regrouped") {
  const advised_loop by16(seven_operations, factor(16));
  CHECK(by16.candidate(16).body.operations == 9); // seven sums, the counter and its comparison
  CHECK(by16.cycles(16) == fraction(2, 16));
  CHECK(by16.advice.assumes(midend::assumption::reassociation));
}

TEST_CASE("unrolling: sums of integers are regrouped whatever they promise, and only those are assumed to be") {
  const std::string promised = with(unknown_length, "add.i32 %s, %v", "add.i32 %s, %v nsw");
  for (const std::string& text : {std::string(unknown_length), promised}) {
    const advised_loop l(text);
    CHECK(l.cycles(8) == fraction(3, 8));
    CHECK(l.advice.assumes(midend::assumption::reassociation));
    const advised_loop kept(text, as_written());
    CHECK(kept.cycles(8) == fraction(1));
    CHECK(!kept.advice.assumes(midend::assumption::reassociation));
  }
  CHECK(!advised_loop(search).advice.assumes(midend::assumption::reassociation)); // nothing is there to regroup
}

TEST_CASE("unrolling: slower in a long run, but faster over the iterations that there are") {
  constexpr const char* count_below = R"(
proc @count_below(%a: ptr, %n: i64, %limit: i32) -> i32 {
  node entry:
    %any = cmp.gt.i64 %n, 0
    br %any ? loop : exit
  node loop:
    %i = phi.i64 [entry: 0], [loop: %i1]
    %count = phi.i32 [entry: 0], [loop: %count1]
    %v = ld.i32 [%a + %i*4]
    %below = cmp.lt.i32 %v, %limit
    %one = zext.i1.i32 %below
    %count1 = add.i32 %count, %one
    %i1 = add.i64 %i, 1 nsw
    %more = cmp.lt.i64 %i1, %n
    br %more ? loop : exit
  node exit:
    %r = phi.i32 [entry: 0], [loop: %count1]
    ret %r
})";
  unrolling_options options;
  options.max_factor = 4;
  const advised_loop l(count_below, options);
  const unrolling_candidate& by3 = l.candidate(3);
  const unrolling_candidate& by4 = l.candidate(4);
  CHECK(by3.cycles_per_iteration == fraction(2, 3));
  CHECK(by4.cycles_per_iteration == fraction(3, 4));
  CHECK(by3.setup_cycles >= by4.setup_cycles); // the number of passes is n / 3, by a product
  options.assumed_trip = 1000;                 // long enough for the division
  CHECK(advised_loop(count_below, options).advice.decision().factor == 3);
}

constexpr std::string_view sum_of_arrays = R"(
proc @add_arrays(%a: ptr, %b: ptr, %c: ptr, %n: i64) {
  node entry:
    %any = cmp.gt.i64 %n, 0
    br %any ? loop : exit
  node loop:
    %i = phi.i64 [entry: 0], [loop: %i1]
    %x = ld.i32 [%a + %i*4]
    %y = ld.i32 [%b + %i*4]
    %z = add.i32 %x, %y
    st.i32 %z, [%c + %i*4]
    %i1 = add.i64 %i, 1 nsw
    %more = cmp.lt.i64 %i1, %n
    br %more ? loop : exit
  node exit:
    ret
}
)";

TEST_CASE("unrolling: what a test for overlapping memory would gain") {
  const advised_loop l(sum_of_arrays);
  const midend::overlap_advice& apart = l.advice.without_overlap;
  CHECK(l.cycles(1) == fraction(8));
  CHECK(l.advice.decision().kind == none);
  REQUIRE(apart.is_worthwhile);
  CHECK(apart.cycles_per_iteration == fraction(1));
  CHECK(apart.pairs.size() == 2); // %c with %a, and with %b
  CHECK(apart.test_cycles == 6);  // two ends, the second pair, and 3 from a comparison to its branch
  // The prediction is what the loop takes if the program says that memory is apart, and the test comes on top: three
  // iterations take 24 cycles as they are written.
  const std::string disjoint = with(with(with(std::string(sum_of_arrays), "%i*4]\n    %y", "%i*4] alias=A\n    %y"),
                                         "%i*4]\n    %z", "%i*4] alias=B\n    %z"),
                                    "%i*4]\n    %i1", "%i*4] alias=C\n    %i1");
  const advised_loop known(disjoint);
  CHECK(known.advice.decision().cycles_per_iteration == apart.cycles_per_iteration);
  CHECK(known.advice.decision().factor == apart.form.factor);
  CHECK(!known.advice.without_overlap.is_worthwhile);
  CHECK(apart.break_even == 4);
}

TEST_CASE("unrolling: no test for overlapping memory where none is possible") {
  const auto is_advised = [](std::string_view text) { return advised_loop(text).advice.without_overlap.is_worthwhile; };
  const std::string text(sum_of_arrays);
  CHECK(is_advised(text));
  // One base at two places; memory that must be accessed in order.
  CHECK(!is_advised(with(with(text, "[%a + ", "[%c + "), "[%b + %i*4]", "[%c + %n*4]")));
  // An address that depends on a load is in no range that is known before the loop; the other one can be tested.
  const advised_loop chained(with(with(with(text, "ld.i32 [%a", "ld.i64 [%a"), "[%b + %i*4]", "[%b + %x*4]"),
                                  "add.i32 %x, %y", "add.i32 %y, %y"));
  CHECK(chained.advice.without_overlap.pairs.size() == 1);
  CHECK(!is_advised(
      with(with(with(text, "%i*4]\n    %y", "%i*4] volatile\n    %y"), "%i*4]\n    %z", "%i*4] volatile\n    %z"),
           "%i*4]\n    %i1", "%i*4] volatile\n    %i1")));
}

TEST_CASE("unrolling: a machine without multiply-and-add multiplies, then adds, and only the sum is carried around the "
          "loop") {
  constexpr const char* dot = R"(
proc @dot(%a: ptr, %b: ptr, %n: i32) -> f64 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.f64 [entry: 0.0], [loop: %s1]
    %u = ld.f64 [%a + %i*8]
    %v = ld.f64 [%b + %i*8]
    %s1 = fma.f64 %u, %v, %s
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, %n
    br %q ? loop : exit
  node exit:
    ret %s1
})";
  const advised_loop scalar(dot, {}, midend::scalar_core());
  CHECK(scalar.advice.rolled().body.operations == 6); // two loads, two in place of one, increment, comparison
  CHECK(scalar.advice.rolled().body.recurrence_exact == fraction(4));
  CHECK(advised_loop(dot).advice.rolled().body.recurrence_exact == fraction(8));
}

TEST_CASE("unrolling: complete unrolling by an upper bound keeps the exit test of each copy") {
  constexpr const char* compare = R"(
proc @compare(%a: ptr, %b: ptr) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %u = ld.i32 [%a + %i*4]
    %v = ld.i32 [%b + %i*4]
    %same = cmp.eq.i32 %u, %v
    br %same ? latch : exit
  node latch:
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, 3
    br %q ? loop : exit
  node exit:
    ret %i
})";
  const advised_loop l(compare);
  CHECK(l.advice.counts.trip.kind == midend::trip_count_kind::at_most);
  CHECK(l.candidate(3).kind == full);
  // The data decide in two copies, the counter in none; after the third one 2 is returned, whatever the data are.
  CHECK(l.candidate(3).body.branches == 2);
  CHECK(l.candidate(3).body.operations == 6);
  CHECK(l.candidate(3).total_cycles <= l.advice.rolled().total_cycles);
  // A profile that expects something else speaks of another number.
  const advised_loop seldom(with(compare, "node loop:", "node loop hint trip=avg:1:"));
  for (const unrolling_candidate& c : seldom.advice.candidates) {
    CHECK(c.kind != full);
  }
}

namespace {

/// The obstacle to unrolling a loop with `exits` exits; after the exit k, the value of block k is read.
unrolling_advice advice_on_exits(std::size_t exits, std::size_t operations, const unrolling_options& options = {}) {
  std::string text = "proc @f(%a: ptr, %x: i32) {\n  node entry:\n    br head\n  node head:\n    br b0\n";
  std::string after;
  for (std::size_t i = 0; i != exits; ++i) {
    const std::string k = std::to_string(i);
    text += "  node b" + k + ":\n    %l" + k + " = ld.i32 [%a + " + std::to_string(4 * i) + "]\n    %p" + k +
            " = cmp.eq.i32 %l" + k + ", %x\n    br %p" + k + " ? e" + k + " : " +
            (i + 1 == exits ? "latch" : "b" + std::to_string(i + 1)) + "\n";
    after += "  node e" + k + ":\n    st.i32 %l" + k + ", [%a]\n    ret\n";
  }
  text += "  node latch:\n";
  for (std::size_t i = 0; i != operations; ++i) {
    text += "    st.i32 " + std::to_string(i) + ", [%a + " + std::to_string(4 * i) + "]\n";
  }
  parse_result parsed = parse(text + "    br head\n" + after + "}");
  REQUIRE(parsed.diagnostics.empty());
  const procedure& p = parsed.program.procedures[0];
  const auto forest = midend::natural_loops(p, midend::dominators(p));
  return midend::advise_unrolling(cost_view(p), forest, 0, midend::e2k_reference_v6(), options);
}

} // namespace

TEST_CASE("unrolling advice: a loop with many exits that read many values is not considered") {
  using midend::unrolling_obstacle;
  CHECK(advice_on_exits(256, 1).obstacle == unrolling_obstacle::too_large); // 256 times 256 are no more than the limit
  const unrolling_advice refused = advice_on_exits(257, 1);
  CHECK(refused.obstacle == unrolling_obstacle::too_many_exits);
  CHECK(refused.candidates.empty());
  unrolling_options options;
  options.max_exit_values = 81;
  CHECK(advice_on_exits(9, 1, options).obstacle == unrolling_obstacle::none);
  options.max_exit_values = 80;
  CHECK(advice_on_exits(9, 1, options).obstacle == unrolling_obstacle::too_many_exits);
}

TEST_CASE("unrolling advice: a body of more than 16 times the operations allowed is not estimated") {
  const unrolling_advice estimated = advice_on_exits(1, 4000);
  CHECK(estimated.obstacle == midend::unrolling_obstacle::too_large);
  CHECK(estimated.candidates.size() == 1);
  const unrolling_advice too_large = advice_on_exits(1, 5000);
  CHECK(too_large.obstacle == midend::unrolling_obstacle::too_large);
  CHECK(too_large.candidates.empty());
}
