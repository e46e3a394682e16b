#include "kit/run_text.hpp"
#include "kit/unrolling_forms.hpp"
#include "transform/profile_checks.hpp"
#include "transform/unrolling_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/transform.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>
#include <midend/unrolling/measure_unrolling.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

using midend::advised_unrolling;

constexpr std::string_view sums = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br first
  node first:
    %i = phi.i32 [entry: 0], [first: %i1]
    %s = phi.i32 [entry: 0], [first: %s1]
    %s1 = add.i32 %s, %i assoc
    %i1 = add.i32 %i, 1
    %p = cmp.lt.i32 %i1, %n
    br %p ? first : second
  node second:
    %j = phi.i32 [first: %s1], [second: %j1]
    %t = phi.i32 [first: %s1], [second: %t1]
    %t1 = add.i32 %t, %j assoc
    %j1 = sub.i32 %j, 2 nsw
    %q = cmp.gt.i32 %j1, %i1
    br %q ? second : exit
  node exit:
    ret %t1
}
)";

} // namespace

TEST_CASE("an advice is carried out in each place of the remainder, for loops that need each other's results") {
  const auto machine = midend::e2k_reference_v6();
  for (const auto place : {midend::remainder_placement::epilogue, midend::remainder_placement::prologue}) {
    for (const bool unrolls_remainder : {false, true}) {
      const elbrus::program before = program_of(sums);
      elbrus::program after = before;
      elbrus::procedure& p = after.procedures[0];
      elbrus::editor e(p);
      const auto loops = midend::dominators_and_loops(p).loops;
      midend::unrolling_options options;
      options.remainder = place;
      options.forced_factor = 4;
      std::vector<midend::unrolling_advice> advices;
      for (const midend::loop_id l : loops.loops()) {
        advices.push_back(midend::advise_unrolling(elbrus::cost_view(p), loops, l, machine, options));
        CHECK(advices.back().decision().remainder == place);
        CHECK(!advices.back().decision().has_exact_count);
      }
      const std::vector<advised_unrolling> requests{{&advices[0], nullptr, unrolls_remainder},
                                                    {&advices[1], nullptr, unrolls_remainder}};
      step_certifier c;
      const auto done = midend::apply_unrolling(e, loops, requests, cost_of, {}, c);
      CHECK_MESSAGE(c.why.empty(), c.why);
      CHECK(done.num_unrolled() == 2);
      const bool is_before = place == midend::remainder_placement::prologue;
      CHECK(c.steps == std::array<std::size_t, 4>{is_before ? 1u : 0u, 1u, unrolls_remainder ? 1u : 0u, 1u});
      CHECK_MESSAGE(done.dropped_exits == (is_before ? 10 : 8), elbrus::to_text(after));
      for (std::uint64_t n = 0; n != 40; ++n) {
        const std::vector<elbrus::scalar> arguments{{elbrus::type::i32, n}};
        CHECK(elbrus::interpreter(before).run(0, arguments, {}).value ==
              elbrus::interpreter(after).run(0, arguments, {}).value);
      }
    }
  }
}

TEST_CASE("orders: each form, with counts and hints of what it makes") {
  // 100 runs of 10 iterations.
  const elbrus::program before = program_of(R"(
proc @f(%n: i32) -> i32 count=100 {
  node entry count=100:
    br loop(1)
  node loop count=1000 hint trip=avg:10, trip=max:50:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 0], [loop: %s1]
    %s1 = add.i32 %s, %i
    %i1 = add.i32 %i, 1
    %p = cmp.lt.i32 %i1, %n
    br %p ? loop(0.9) : exit(0.1)
  node exit count=100:
    ret %s1
}
)");
  using midend::unrolling_kind;

  struct expectation {
    midend::unrolling_form form;
    std::array<std::size_t, 4> steps;
    std::vector<elbrus::trip_hint> hints; ///< of loops, by the numbers of their headers
  };

  const expectation all[] = {
      {{}, {0, 0, 0, 0}, {{10, 50, 0}}},
      {{unrolling_kind::full, 4}, {0, 0, 1, 0}, {{7, 47, 0}}},
      {{unrolling_kind::partial, 4}, {0, 0, 1, 0}, {{3, 13, 0}}},
      {with_epilogue(4), {0, 1, 0, 1}, {{3, 50, 0}, {2, 12, 0}}},
      {with_epilogue(4, true), {0, 1, 1, 1}, {{2, 12, 0}, {1, 47, 0}}},
      {with_prologue(4), {1, 1, 0, 1}, {}},
      {with_prologue(4, true), {1, 1, 1, 1}, {}},
      {{unrolling_kind::peel_last}, {0, 1, 0, 1}, {{1, 50, 0}, {9, 49, 0}}},
      {{unrolling_kind::peel_last, 1, midend::remainder_placement::none, true}, {0, 1, 0, 1}, {{1, 50, 0}, {9, 49, 0}}},
  };
  for (const expectation& x : all) {
    elbrus::program after = before;
    elbrus::procedure& p = after.procedures[0];
    step_certifier c;
    {
      elbrus::editor e(p);
      const std::vector<midend::unrolling_order> orders{{0, x.form}};
      const auto done = midend::apply_unrolling(e, midend::dominators_and_loops(p).loops, orders, cost_of, {}, c);
      CHECK(done.num_unrolled() == (x.form.kind == unrolling_kind::none ? 0 : 1));
    }
    CHECK_MESSAGE(c.why.empty(), c.why);
    CHECK_MESSAGE(c.steps == x.steps, name_of(x.form.kind));
    const auto loops = midend::dominators_and_loops(p).loops;
    std::vector<elbrus::trip_hint> hints;
    for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
      const midend::loop_id l = loops.innermost_loop(n);
      if (l != midend::no_loop && loops.header(l) == n) {
        hints.push_back(p.hint(n));
        CHECK((p.hint(n).maximum != 0 && p.hint(n).maximum <= 50));
      }
    }
    CHECK_MESSAGE((x.hints.empty() || hints == x.hints), elbrus::to_text(after));
    const std::string why = why_inconsistent(p);
    CHECK_MESSAGE(why.empty(), why, "\n", elbrus::to_text(after));
    double exits = 0;
    for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
      exits += p.successors(n).empty() ? static_cast<double>(p.node_count(n)) : 0;
    }
    CHECK((exits > 97 && exits < 103)); // counts are whole numbers
    for (std::uint64_t n = 0; n != 40; ++n) {
      const std::vector<elbrus::scalar> arguments{{elbrus::type::i32, n}};
      CHECK(elbrus::interpreter(before).run(0, arguments, {}).value ==
            elbrus::interpreter(after).run(0, arguments, {}).value);
    }
  }
}

TEST_CASE("views that are lent are not copied") {
  /// A view that owns what it knows, and counts its copies.
  struct owning_view : elbrus::cost_view {
    explicit owning_view(const elbrus::procedure& p) : cost_view(p) {}

    owning_view(const owning_view& other) : cost_view(other) { ++copies(); }

    owning_view& operator=(const owning_view&) = delete;

    static std::size_t& copies() {
      static std::size_t count = 0;
      return count;
    }
  };

  // What makes counters is kept as it is from step to step, too.
  struct counter_maker {
    counter_maker() = default;
    counter_maker(counter_maker&&) = default;
    counter_maker(const counter_maker&) = delete;
    counter_maker& operator=(const counter_maker&) = delete;

    auto operator()(const owning_view& view, const midend::dominator_tree&, const midend::loop_forest& forest) {
      return midend::loop_trip_counter(view, forest);
    }
  };

  owning_view::copies() = 0;
  const auto machine = midend::e2k_reference_v6();
  for (const midend::unrolling_form& form :
       {midend::unrolling_form{midend::unrolling_kind::full, 3}, with_prologue(3, true), with_epilogue(3, true)}) {
    elbrus::program p = program_of(sums);
    elbrus::editor e(p.procedures[0]);
    const owning_view view(p.procedures[0]);
    const auto view_of = [&](const elbrus::editor&) -> const owning_view& { return view; };
    const auto loops = midend::dominators_and_loops(e.graph()).loops;
    const std::vector<midend::unrolling_order> orders{{0, form}, {1, form}};
    midend::unobserved nobody;
    CHECK(midend::apply_unrolling(e, loops, orders, view_of, {}, nobody).num_unrolled() == 2);
  }
  {
    elbrus::program p = program_of(sums);
    elbrus::editor e(p.procedures[0]);
    const owning_view view(p.procedures[0]);
    const auto view_of = [&](const elbrus::editor&) -> const owning_view& { return view; };
    const auto loops = midend::dominators_and_loops(e.graph()).loops;
    const std::vector<midend::unrolling_order> orders{{0, {midend::unrolling_kind::full, 3}}};
    midend::unobserved nobody;
    CHECK(midend::apply_unrolling(e, loops, orders, view_of, {}, nobody, counter_maker()).num_unrolled() == 1);
    midend::unrolling_options options;
    options.forced_factor = 4;
    static_cast<void>(
        midend::advise_unrolling(view, midend::dominators_and_loops(e.graph()).loops, 0, machine, options));
  }
  CHECK(owning_view::copies() == 0);
}

TEST_CASE("a loop that can have no remainder is copied if the order says so") {
  const elbrus::program before = program_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %x = phi.i32 [entry: %n], [loop: %y]
    %y = shr.i32 %x, 1
    %p = cmp.ne.i32 %y, 0
    br %p ? loop : exit
  node exit:
    ret %x
}
)");
  for (const bool or_mid_exit : {false, true}) {
    elbrus::program after = before;
    elbrus::editor e(after.procedures[0]);
    const std::vector<midend::unrolling_order> orders{{0, with_prologue(3), or_mid_exit}};
    step_certifier c;
    const auto done = midend::apply_unrolling(e, midend::dominators_and_loops(e.graph()).loops, orders, cost_of, {}, c);
    CHECK_MESSAGE(c.why.empty(), c.why);
    REQUIRE(done.loops[0].no_remainder);
    CHECK(done.loops[0].no_remainder->why == midend::remainder_refusal_reason::no_counted_exit);
    CHECK(done.loops[0].is_unrolled == or_mid_exit);
    CHECK(after.procedures[0].num_nodes() == (or_mid_exit ? 5 : 3));
  }
}

TEST_CASE("a loop whose passes are too large gets no remainder before it either") {
  const elbrus::program before = program_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 0], [loop: %s1]
    %s1 = add.i32 %s, %i
    %i1 = add.i32 %i, 1
    %p = cmp.lt.i32 %i1, %n
    br %p ? loop : exit
  node exit:
    ret %s1
}
)");
  for (const std::uint32_t factor : {2u, 8u}) { // the remainder is one copy, passes of eight iterations are eight
    elbrus::program after = before;
    elbrus::editor e(after.procedures[0]);
    const std::vector<midend::unrolling_order> orders{{0, with_prologue(factor)}};
    step_certifier c;
    const midend::unrolling_limits limits{.max_cloned = 24};
    const auto done =
        midend::apply_unrolling(e, midend::dominators_and_loops(e.graph()).loops, orders, cost_of, limits, c);
    CHECK_MESSAGE(c.why.empty(), c.why);
    CHECK(done.loops[0].is_unrolled == (factor == 2));
    CHECK(done.loops[0].no_remainder.has_value() == (factor == 8));
    CHECK(elbrus::equal(before.procedures[0], after.procedures[0]) == (factor == 8));
  }
}

TEST_CASE("random programs, loops unrolled by random candidates of their advices") {
  random_program_options generated = all_flow();
  generated.endless = true;
  generated.traps = true;
  comparison_counts runs;
  std::size_t unrolled = 0;
  std::size_t dropped = 0;
  std::size_t refused = 0;
  std::array<std::size_t, 4> steps{};
  const auto machine = midend::e2k_reference_v6();
#if defined(MIDEND_UNSHORTENED_TESTS)
  constexpr std::size_t programs = 100'000;
#else
  constexpr std::size_t programs = 100;
#endif
  for_each_random_program(programs, generated, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program after = in_ssa_form(g);
    random_source random(seed);
    for (elbrus::procedure& p : after.procedures) {
      elbrus::editor e(p);
      const auto loops = midend::dominators_and_loops(p).loops;
      std::vector<midend::unrolling_advice> advices;
      for (const midend::loop_id l : loops.loops()) {
        midend::unrolling_options options;
        options.remainder = static_cast<midend::remainder_placement>(1 + random.below(3));
        options.max_factor = 5;
        advices.push_back(midend::advise_unrolling(elbrus::cost_view(p), loops, l, machine, options));
      }
      std::vector<advised_unrolling> requests;
      for (const midend::unrolling_advice& advice : advices) {
        if (!advice.candidates.empty()) {
          requests.push_back(
              {&advice, &advice.candidates[random.below(advice.candidates.size())], random.below(2) != 0});
        }
      }
      step_certifier c;
      const auto done = midend::apply_unrolling(e, loops, requests, cost_of, {}, c);
      CHECK_MESSAGE(c.why.empty(), "seed ", seed, ": ", c.why);
      unrolled += done.num_unrolled();
      dropped += done.dropped_exits;
      for (const midend::applied_unrolling& x : done.loops) {
        refused += x.no_remainder ? 1u : 0u;
      }
      for (std::size_t i = 0; i != steps.size(); ++i) {
        steps[i] += c.steps[i];
      }
    }
    const std::string wrong = why_wrong(g, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(unrolled, " loops unrolled, ", refused, " get no remainder, ", dropped, " exits dropped; steps ", steps[0],
          " ", steps[1], " ", steps[2], " ", steps[3], "; ", runs.same, " runs the same");
  CHECK(unrolled > affordable(100) / 10);
  CHECK(dropped != 0);
  CHECK(runs.same > affordable(100));
}
