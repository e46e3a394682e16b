// Loops that are unrolled for what the function around them says about their trip counts.
#include "kit/affordable.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "kit/unrolling_forms.hpp"
#include "transform/unrolling_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/transform.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>
#include <midend/viz/certificates.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

std::vector<midend::unrolling_advice> advices_on(const elbrus::procedure& p, const midend::unrolling_options& options,
                                                 bool with_facts) {
  const auto machine = midend::e2k_reference_v6();
  const elbrus::cost_view view(p);
  const auto found = midend::dominators_and_loops(p);
  auto counter = counts_of(view, found.dominators, found.loops);
  midend::advise_unrolling_workspace workspace;
  std::vector<midend::unrolling_advice> out;
  for (const midend::loop_id l : found.loops.loops()) {
    out.emplace_back();
    if (with_facts) {
      midend::advise_unrolling(view, found.loops, l, machine, options, counter, workspace, out.back());
    } else {
      midend::advise_unrolling(view, found.loops, l, machine, options, workspace, out.back());
    }
  }
  return out;
}

/// Unrolls the only loop by so many copies that keep their tests, and drops those that are never true. Returns how
/// many.
std::size_t dropped_of_copies(elbrus::program all, std::uint32_t copies, bool with_facts) {
  elbrus::editor e(all.procedures[0]);
  const auto loops = midend::dominators_and_loops(all.procedures[0]).loops;
  const std::array orders{midend::unrolling_order{0, {midend::unrolling_kind::partial, copies}}};
  fact_certifier with;
  step_certifier without;
  const auto done = with_facts ? midend::apply_unrolling(e, loops, orders, cost_of, {}, with, counts_of)
                               : midend::apply_unrolling(e, loops, orders, cost_of, {}, without);
  CHECK_MESSAGE(with.why.empty(), with.why);
  CHECK_MESSAGE(without.why.empty(), without.why);
  return done.dropped_exits;
}

constexpr std::string_view number_before_loop = R"(
proc @f(%a: ptr) -> i32 {
  node entry:
    %t = shl.i32 1, 5
    %n = udiv.i32 %t, 6
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 0], [loop: %s1]
    %x = ld.i32 [%a + %i*4] alias=A
    %s1 = add.i32 %s, %x
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %n
    br %q ? loop : exit
  node exit:
    ret %s1
})";

constexpr std::string_view limit_before_loop = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    %small = cmp.ult.i32 %n, 4
    br %small ? loop : big
  node loop:
    %i = phi.i32 [entry: 0], [body: %i1]
    %s = phi.i32 [entry: 7], [body: %s1]
    %q = cmp.ult.i32 %i, %n
    br %q ? body : exit
  node body:
    %s1 = mul.i32 %s, %n
    %i1 = add.i32 %i, 1
    br loop
  node exit:
    ret %s
  node big:
    ret 0
})";

constexpr std::string_view way_before_loop = R"(
proc @f(%a: i64) -> i64 {
  node entry:
    %end = add.i64 %a, 64
    br loop
  node loop:
    %p = phi.i64 [entry: %a], [loop: %p1]
    %s = phi.i64 [entry: 0], [loop: %s1]
    %s1 = xor.i64 %s, %p
    %p1 = add.i64 %p, 4
    %q = cmp.ne.i64 %p1, %end
    br %q ? loop : exit
  node exit:
    ret %s1
})";

/// A loop over 8 bits whose start and bound come from operations, tests and selects before it.
std::string random_loop(random_source& random) {
  const auto number = [&](std::uint64_t least, std::uint64_t more) {
    return std::to_string(least + random.below(more));
  };
  const auto one_of = [&](const auto& texts) { return std::string(texts[random.below(texts.size())]); };
  std::string before = "    %masked = and.i8 %n, " + one_of(std::array{"3", "7", "12", "15"}) +
                       "\n    %computed = udiv.i8 " + number(40, 60) + ", " + number(2, 9) +
                       "\n    %less = cmp.ult.i8 %n, " + number(3, 20) + "\n    %least = select.i8 %less, %n, " +
                       number(3, 20) + "\n    %apart = add.i8 %a, " + number(1, 40) + "\n    %scaled = shl.i8 %n, " +
                       number(1, 3) + "\n";
  const std::string start = one_of(std::array{"0", "0", "%a", "%masked", "%computed", "7"});
  const std::string bound =
      start == "%a" ? "%apart" : one_of(std::array{"%masked", "%computed", "%least", "%n", "%scaled", "12", "60"});
  const std::string step = one_of(
      std::array{"add.i8 %i, 1", "add.i8 %i, 1", "add.i8 %i, 2", "add.i8 %i, 4", "sub.i8 %i, 1", "add.i8 %i, 3"});
  const std::string compared = one_of(std::array{"%i", "%i1"});
  const std::string test = "    %q = cmp." +
                           one_of(std::array{"ne", "ne", "ult", "ult", "ule", "lt", "le", "ugt", "gt"}) + ".i8 " +
                           compared + ", " + bound + "\n";
  const bool is_tested_first = random.below(2) == 0;
  const bool has_break = random.below(3) == 0;
  const std::string work = "    %h = mul.i64 %s, 31\n    %w = zext.i8.i64 %i\n    %s1 = xor.i64 %h, %w\n";
  const std::string count = "    %i1 = " + step + "\n";
  std::string loop = "  node loop:\n    %i = phi.i8 [before: " + start + "], [latch: %i1]\n" +
                     "    %s = phi.i64 [before: 7], [latch: %s1]\n" + count;
  loop += is_tested_first ? test + "    br %q ? body : exit\n  node body:\n" + work : work;
  if (has_break) {
    loop += "    %z = and.i64 %s1, 31\n    %b = cmp.eq.i64 %z, 5\n    br %b ? exit : latch\n";
  } else {
    loop += "    br latch\n";
  }
  loop += is_tested_first ? "  node latch:\n    br loop\n" : "  node latch:\n" + test + "    br %q ? loop : exit\n";
  return "proc @f(%n: i8, %a: i8) -> i64 {\n  node entry:\n    %g = cmp." +
         one_of(std::array{"ult", "ugt", "lt", "gt"}) + ".i8 %n, " + number(1, 40) +
         "\n    br %g ? before : other\n  node before:\n" + before + "    br loop\n" + loop +
         "  node exit:\n    ret %s\n  node other:\n    ret 0\n}\n";
}

/// The results of runs that end early enough, and of the others nothing.
std::vector<std::optional<std::uint64_t>> results_of(const elbrus::program& all) {
  std::vector<std::optional<std::uint64_t>> out;
  elbrus::interpreter interpreter(all);
  for (std::uint64_t n = 0; n < 256; n += 5) {
    for (const std::uint64_t a : {1u, 250u}) {
      const std::vector<elbrus::scalar> arguments{{elbrus::type::i8, n}, {elbrus::type::i8, a}};
      const auto run = interpreter.run(0, arguments, {}, {.step_limit = 4'000, .record_events = false});
      out.push_back(run.value ? std::optional(run.value->bits) : std::nullopt);
    }
  }
  return out;
}

} // namespace

TEST_CASE("unrolling by facts: a number that operations before the loop compute") {
  const elbrus::program p = program_of(number_before_loop);
  const auto without = advices_on(p.procedures[0], {}, false);
  const auto with = advices_on(p.procedures[0], {}, true);
  CHECK(without[0].decision().kind != midend::unrolling_kind::full);
  CHECK(with[0].counts.trip == midend::trip_count{midend::trip_count_kind::exact, 4, 5});
  CHECK(with[0].decision().kind == midend::unrolling_kind::full);
  CHECK(with[0].decision().factor == 5);
}

TEST_CASE("unrolling by facts: at most a number, and copies keep their tests") {
  const elbrus::program p = program_of(limit_before_loop);
  for (const bool with_facts : {false, true}) { // the branch before the loop is read with the loop
    const midend::unrolling_advice advice = advices_on(p.procedures[0], {}, with_facts)[0];
    CHECK(advice.counts.trip == midend::trip_count{midend::trip_count_kind::at_most, 3, 1});
    REQUIRE(advice.candidates.back().kind == midend::unrolling_kind::full);
    CHECK(advice.candidates.back().factor == 4);
  }
}

TEST_CASE("unrolling: tests of copies are dropped if start and bound lie a number apart") {
  const elbrus::program p = program_of(way_before_loop);
  for (const std::uint32_t copies : {2u, 4u, 5u, 8u}) {
    CHECK(dropped_of_copies(p, copies, false) == copies - 1);
    CHECK(dropped_of_copies(p, copies, true) == copies - 1);
  }
  const midend::unrolling_advice advice = advices_on(p.procedures[0], {}, true)[0];
  CHECK(advice.counts.trip == midend::trip_count{midend::trip_count_kind::exact, 15, 16});
  CHECK(advice.decision().kind != midend::unrolling_kind::full); // a trial knows no distance, so tests are kept there
}

TEST_CASE("unrolling by facts: the limit of passes is recognised whatever is known of the bound") {
  constexpr std::string_view text = R"(
proc @f(%a: ptr, %n: i32) -> i32 {
  node entry:
    %bound = and.i32 %n, 15
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 0], [loop: %s1]
    %x = ld.i32 [%a + %i*4] alias=A
    %s1 = xor.i32 %s, %x
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %bound
    br %q ? loop : exit
  node exit:
    ret %s1
})";
  for (const bool with_facts : {false, true}) {
    elbrus::program p = program_of(text);
    elbrus::editor e(p.procedures[0]);
    const auto loops = midend::dominators_and_loops(p.procedures[0]).loops;
    const std::array orders{midend::unrolling_order{0, with_epilogue(4)}};
    fact_certifier with;
    step_certifier without;
    const auto done = with_facts ? midend::apply_unrolling(e, loops, orders, cost_of, {}, with, counts_of)
                                 : midend::apply_unrolling(e, loops, orders, cost_of, {}, without);
    CHECK_MESSAGE(with.why.empty(), with.why);
    CHECK_MESSAGE(without.why.empty(), without.why);
    CHECK(done.loops[0].is_unrolled);
    CHECK(done.dropped_exits == 4);
  }
}

TEST_CASE("unrolling by facts: a certificate that needs them is not accepted without them") {
  std::string by_facts(way_before_loop); // the start is 0, as analyses know
  by_facts.replace(by_facts.find("%end = add.i64 %a, 64"), 21, "%z = and.i64 %a, 0\n    %end = add.i64 %z, 64");
  by_facts.replace(by_facts.find("[entry: %a]"), 11, "[entry: 0]");
  for (const bool needs_facts : {false, true}) {
    const elbrus::program before = program_of(needs_facts ? by_facts : way_before_loop);
    elbrus::program after = before;
    elbrus::editor e(after.procedures[0]);
    const auto found = midend::dominators_and_loops(before.procedures[0]);
    const std::array request{midend::unrolling_request{0, {midend::unrolling_kind::partial, 4}}};
    midend::unroll_loops(e, found.loops, request);
    const elbrus::procedure copied = after.procedures[0];
    const elbrus::cost_view copied_view(copied);
    const auto now = midend::dominators_and_loops(copied);
    auto counter = counts_of(copied_view, now.dominators, now.loops);
    const auto plan = midend::plan_untaken_exits(copied_view, now.loops, counter);
    REQUIRE(plan.exits.size() == 3);
    const midend::unfolding_witness w = midend::apply_untaken_exits(e, plan);
    CHECK(why_uncertified(copied, after.procedures[0], w, counter).empty());
    CHECK(why_uncertified(copied, after.procedures[0], w).empty() != needs_facts);
    const midend::untaken_exits_verdict verdict = midend::verify_untaken_exits(copied_view, w, counter);
    CHECK(verdict.proven == 3);
    CHECK(verdict.trusted == (needs_facts ? 3 : 0));
    CHECK(midend::to_text(verdict) == (needs_facts ? "certified; 3 edges trusted" : "certified"));
    CHECK(static_cast<bool>(midend::verify_counted_exits(copied_view, w)) != needs_facts);
    CHECK(midend::to_text(midend::verify_counted_exits(copied_view, w)) ==
          (needs_facts ? "nothing says how far the counter is from its bound; edge " +
                             std::to_string(midend::verify_counted_exits(copied_view, w).edge)
                       : "certified"));
  }
}

TEST_CASE("unrolling by facts: random loops, each candidate of their advices") {
#if defined(MIDEND_UNSHORTENED_TESTS)
  constexpr std::size_t programs = 10'000;
#else
  constexpr std::size_t programs = affordable(100);
#endif
  std::array<std::size_t, 5> kinds{};
  std::size_t more = 0;
  std::size_t unrolled = 0;
  std::size_t dropped = 0;
  std::size_t same = 0;
  for (std::uint64_t seed = 0; seed != programs; ++seed) {
    random_source random(seed);
    const elbrus::program before = program_of(random_loop(random));
    const auto expected = results_of(before);
    midend::unrolling_options options;
    options.remainder = static_cast<midend::remainder_placement>(1 + random.below(3));
    options.max_factor = 20;
    const midend::unrolling_advice advice = advices_on(before.procedures[0], options, true)[0];
    const auto without = advices_on(before.procedures[0], options, false)[0].counts.trip.kind;
    kinds[static_cast<std::size_t>(advice.counts.trip.kind)] += 1;
    more += without != advice.counts.trip.kind ? 1 : 0;
    for (const midend::unrolling_candidate& c : advice.candidates) {
      elbrus::program after = before;
      elbrus::editor e(after.procedures[0]);
      const std::array requests{midend::advised_unrolling{&advice, &c, random.below(2) != 0}};
      fact_certifier certifier;
      const auto done = midend::apply_unrolling(e, midend::dominators_and_loops(e.graph()).loops, requests, cost_of, {},
                                                certifier, counts_of);
      CHECK_MESSAGE(certifier.why.empty(), "seed ", seed, ": ", certifier.why);
      unrolled += done.num_unrolled();
      dropped += done.dropped_exits;
      const auto results = results_of(after);
      for (std::size_t i = 0; i != results.size(); ++i) {
        const bool ends = expected[i] && results[i]; // else the limit of steps, which unrolling moves
        CHECK_MESSAGE((!ends || *expected[i] == *results[i]), "seed ", seed, ": ", elbrus::to_text(after));
        same += ends ? 1 : 0;
      }
    }
  }
  MESSAGE(unrolled, " loops unrolled, ", dropped, " exits dropped, ", same, " runs the same; counts: ", kinds[0], " ",
          kinds[1], " ", kinds[2], " ", kinds[3], " ", kinds[4], ", better by facts: ", more);
  CHECK(more > programs / 10);
  CHECK(unrolled > programs);
  CHECK(dropped > programs);
  CHECK(same > programs * 100);
}
