#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/graph_programs.hpp"
#include "transform/unrolling_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/check_graph.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/transform.hpp>
#include <midend/viz/transformation_plans.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

using enum midend::unrolling_kind;
using midend::unrolling_request;

/// The only loop of the first procedure of a text, unrolled. It runs as before on the arguments.
elbrus::program unrolled(std::string_view text, midend::unrolling_kind kind, std::uint32_t copies,
                         const std::vector<std::vector<elbrus::scalar>>& inputs = {{}}) {
  const elbrus::program before = program_of(text);
  elbrus::program after = before;
  std::string why;
  unroll(after.procedures[0], {{0, {kind, copies}}}, why);
  CHECK_MESSAGE(why.empty(), why);
  for (const auto& arguments : inputs) {
    const auto old = elbrus::interpreter(before).run(0, arguments, {});
    const auto now = elbrus::interpreter(after).run(0, arguments, {});
    CHECK(old.value.has_value() == now.value.has_value());
    CHECK_MESSAGE(old.value == now.value, elbrus::to_text(after));
  }
  return after;
}

/// Branches of reachable nodes.
std::size_t num_branches(const elbrus::procedure& p) {
  const midend::dominator_tree tree = midend::dominators(p);
  std::size_t count = 0;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    count += tree.is_reachable(n) && p.out_edges(n).size() > 1 ? 1u : 0u;
  }
  return count;
}

/// `for (i = start; i comparison bound; i += step) s = 3 · s + i` in eight bits.
std::string counting(int start, int step, const char* comparison, int bound) {
  return join("proc @f() -> i64 {\n  node entry:\n    br loop\n  node loop:\n    %i = phi.i8 [entry: ",
              std::to_string(start), "], [body: %i1]\n    %s = phi.i64 [entry: 0], [body: %s1]\n    %q = cmp.",
              comparison, ".i8 %i, ", std::to_string(bound),
              "\n    br %q ? body : exit\n  node body:\n    %w = zext.i8.i64 %i\n    %m = mul.i64 %s, 3\n    "
              "%s1 = add.i64 %m, %w\n    %i1 = add.i8 %i, ",
              std::to_string(step), "\n    br loop\n  node exit:\n    ret %s\n}\n");
}

constexpr std::string_view sum_to_n = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [body: %i1]
    %s = phi.i32 [entry: 0], [body: %s1]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %s1 = add.i32 %s, %i
    %i1 = add.i32 %i, 1
    br loop
  node exit:
    ret %s
}
)";

elbrus::scalar number(elbrus::type t, std::uint64_t bits) {
  return elbrus::scalar{t, bits};
}

} // namespace

TEST_CASE("a factor that divides the trip count: one test is left") {
  for (const std::uint32_t factor : {2u, 4u, 8u, 16u}) {
    const elbrus::program p = unrolled(counting(0, 1, "ult", 64), partial, factor);
    CHECK(num_branches(p.procedures[0]) == 1);
    CHECK(midend::dominators_and_loops(p.procedures[0]).loops.num_loops() == 1);
  }
}

TEST_CASE("a factor that does not divide the trip count: the test in the copy where the loop ends is left") {
  for (const std::uint32_t factor : {3u, 5u, 7u}) {
    elbrus::program p = program_of(counting(0, 1, "ult", 64));
    std::string why;
    const auto plan = unroll(p.procedures[0], {{0, {partial, factor}}}, why);
    CHECK_MESSAGE(why.empty(), why);
    CHECK(plan.exits.size() == factor - 1);
    CHECK(num_branches(p.procedures[0]) == 1);
  }
}

TEST_CASE("a trip count that is not known: each copy keeps its test") {
  std::vector<std::vector<elbrus::scalar>> inputs;
  for (std::uint64_t n = 0; n != 20; ++n) {
    inputs.push_back({number(elbrus::type::i32, n)});
  }
  inputs.push_back({number(elbrus::type::i32, 0x80000000)});
  for (const std::uint32_t copies : {2u, 3u, 7u}) {
    CHECK(num_branches(unrolled(sum_to_n, partial, copies, inputs).procedures[0]) == copies);
    CHECK(num_branches(unrolled(sum_to_n, full, copies, inputs).procedures[0]) == copies);
  }
}

TEST_CASE("a chain of as many copies as header executions: constants leave no loop") {
  for (const int iterations : {0, 1, 2, 3, 10}) {
    elbrus::program p = unrolled(counting(0, 1, "ult", iterations), full, static_cast<std::uint32_t>(iterations + 1));
    const auto expected = elbrus::interpreter(p).run(0, {}, {}).value;
    clean(p.procedures[0]);
    CHECK(midend::dominators_and_loops(p.procedures[0]).loops.num_loops() == 0);
    CHECK(num_branches(p.procedures[0]) == 0);
    CHECK(elbrus::interpreter(p).run(0, {}, {}).value == expected);
  }
}

TEST_CASE("a chain of as many copies as header executions at most: data end it sooner") {
  constexpr std::string_view text = R"(
proc @f(%x: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [next: %i1]
    %found = cmp.eq.i32 %i, %x
    br %found ? exit : next
  node next:
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, 4
    br %q ? loop : none
  node none:
    ret -1
  node exit:
    ret %i
}
)";
  std::vector<std::vector<elbrus::scalar>> inputs;
  for (std::uint64_t x = 0; x != 6; ++x) {
    inputs.push_back({number(elbrus::type::i32, x)});
  }
  elbrus::program p = unrolled(text, full, 4, inputs);
  clean(p.procedures[0]);
  CHECK(midend::dominators_and_loops(p.procedures[0]).loops.num_loops() == 0);
  CHECK(num_branches(p.procedures[0]) == 4);
}

TEST_CASE("counters of eight bits: any start, step, comparison, bound and factor") {
  constexpr std::array<const char*, 10> comparisons = {"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge"};
  constexpr std::array steps = {1, -1, 2, -2, 3, -3};
  constexpr std::array<std::uint32_t, 7> factors = {2, 3, 4, 5, 7, 8, 16};
  random_source random(17);
  std::size_t counted = 0;
  for (std::size_t i = 0; i != affordable(500); ++i) {
    const std::string text = counting(static_cast<int>(random.below(256)) - 128, steps[random.below(6)],
                                      comparisons[random.below(10)], static_cast<int>(random.below(256)) - 128);
    const std::uint32_t factor = factors[random.below(7)];
    elbrus::program before = program_of(text);
    elbrus::program after = before;
    std::string why;
    unroll(after.procedures[0], {{0, {partial, factor}}}, why);
    CHECK_MESSAGE(why.empty(), why);
    const elbrus::run_options limit{.step_limit = 20'000};
    const auto old = elbrus::interpreter(before).run(0, {}, {}, limit);
    const auto now = elbrus::interpreter(after).run(0, {}, {}, limit);
    CHECK_MESSAGE(old.value == now.value, text, elbrus::to_text(after));
    // A loop that ends has one test; one that does not has none.
    counted += old.value ? 1u : 0u;
    CHECK_MESSAGE(num_branches(after.procedures[0]) == (old.value ? 1 : 0), text, elbrus::to_text(after));
  }
  CHECK(counted > affordable(500) / 3);
}

TEST_CASE("nested loops: the outer one is copied with the inner one") {
  constexpr std::string_view text = R"(
proc @f(%n: i32, %m: i32) -> i32 {
  node entry:
    br outer
  node outer:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %s = phi.i32 [entry: 1], [latch: %t]
    %more = cmp.ult.i32 %i, %n
    br %more ? inner : exit
  node inner:
    %j = phi.i32 [outer: 0], [inner: %j1]
    %t0 = phi.i32 [outer: %s], [inner: %t]
    %three = mul.i32 %t0, 3
    %t = add.i32 %three, %j
    %j1 = add.i32 %j, 1
    %again = cmp.ult.i32 %j1, %m
    br %again ? inner : latch
  node latch:
    %i1 = add.i32 %i, 1
    br outer
  node exit:
    ret %s
}
)";
  std::vector<std::vector<elbrus::scalar>> inputs;
  for (std::uint64_t n = 0; n != 7; ++n) {
    inputs.push_back({number(elbrus::type::i32, n), number(elbrus::type::i32, n % 3 + 1)});
  }
  CHECK(midend::dominators_and_loops(unrolled(text, partial, 3, inputs).procedures[0]).loops.num_loops() == 4);
  CHECK(midend::dominators_and_loops(unrolled(text, full, 3, inputs).procedures[0]).loops.num_loops() == 4);

  // Both at once: the second is refused, whichever it is.
  for (const midend::loop_id first : {0u, 1u}) {
    elbrus::procedure p = program_of(text).procedures[0];
    const auto loops = midend::dominators_and_loops(p).loops;
    const unrolling_request both[] = {{first, {partial, 2}}, {1 - first, {partial, 2}}};
    const auto plan = midend::plan_unroll_loops(elbrus::editor(p), loops, both);
    REQUIRE(plan.unrollings.size() == 1);
    REQUIRE(plan.refused.size() == 1);
    CHECK(plan.refused[0] == midend::unrolling_refusal{1 - first, midend::unrolling_refusal_reason::overlaps,
                                                       midend::no_value, midend::no_edge});
  }
}

TEST_CASE("refusals have reasons, and words") {
  elbrus::procedure p = program_of(sum_to_n).procedures[0];
  const auto loops = midend::dominators_and_loops(p).loops;

  struct limited : elbrus::editor {
    using elbrus::editor::editor;

    bool may_duplicate(midend::value_id v) const { return v != unique; }

    bool may_insert_phi(midend::value_id v) const { return v != token; }

    bool may_redirect(edge_id e) const { return e != stays; }

    midend::value_id unique = midend::no_value;
    midend::value_id token = midend::no_value;
    edge_id stays = midend::no_edge;
  };

  const auto refused = [&](const limited& e, std::uint32_t copies, std::size_t max_cloned = 4096) {
    const unrolling_request request{0, {partial, copies}};
    const auto plan = midend::plan_unroll_loops(e, loops, {&request, 1}, {.max_cloned = max_cloned});
    CHECK(plan.empty());
    REQUIRE(plan.refused.size() == 1);
    CHECK(midend::to_text(elbrus::semantic_view(p), loops, plan).find(midend::to_text(plan.refused[0].why)) !=
          std::string::npos);
    CHECK(midend::summary_text(plan) ==
          "no loop unrolled; refused: 1 loop (" + std::string(midend::to_text(plan.refused[0].why)) + ")");
    return plan.refused[0];
  };

  limited e(p);
  using enum midend::unrolling_refusal_reason;
  CHECK(refused(e, 0).why == one_copy);
  CHECK(refused(e, 1).why == one_copy);
  const node_id header = loops.header(0);
  const midend::value_id test = p.operands(p.terminator(header))[0];
  e.unique = test;
  CHECK(refused(e, 2) == midend::unrolling_refusal{0, may_not_duplicate, test, midend::no_edge});
  e.unique = midend::no_value;
  const midend::value_id sum = *std::next(p.values(header).begin()); // read after the loop, which the test is not
  e.token = sum;
  CHECK(refused(e, 2) == midend::unrolling_refusal{0, takes_no_phi, sum, midend::no_edge});
  e.token = midend::no_value;
  e.stays = loops.backedges(0)[0].id;
  CHECK(refused(e, 2) == midend::unrolling_refusal{0, edge_stays, midend::no_value, e.stays});
  e.stays = midend::no_edge;
  // Two phis, four operations, two terminators, three more times.
  CHECK(refused(e, 4, 20).why == too_large);
  CHECK(refused(e, 0xffffffff).why == too_large);
  const unrolling_request request{0, {partial, 4}};
  const auto fits = midend::plan_unroll_loops(e, loops, {&request, 1}, {.max_cloned = 21});
  REQUIRE(fits.unrollings.size() == 1);
  CHECK(fits.cloned == 21);
  CHECK(midend::summary_text(fits) == "1 unrolled loop, 21 clones");
}

TEST_CASE("a loop without operations is charged for its nodes") {
  struct bare : elbrus::editor {
    using elbrus::editor::editor;

    std::span<const midend::value_id> values(midend::node_id) const { return {}; }
  };

  elbrus::procedure p = program_of(sum_to_n).procedures[0];
  const auto loops = midend::dominators_and_loops(p).loops;
  const unrolling_request requests[] = {{0, {partial, 0xffffffff}}, {0, {partial, 3}}};
  const auto plan = midend::plan_unroll_loops(bare(p), loops, requests);
  REQUIRE(plan.refused.size() == 1);
  CHECK(plan.refused[0].why == midend::unrolling_refusal_reason::too_large);
  CHECK(plan.cloned == 2 * loops.blocks(0).size());
}

TEST_CASE("a plan from which an unrolling was removed does the rest") {
  elbrus::procedure p = program_of(sum_to_n).procedures[0];
  const elbrus::procedure before = p;
  elbrus::editor e(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  const unrolling_request request{0, {partial, 4}};
  auto plan = midend::plan_unroll_loops(e, loops, {&request, 1});
  plan.unrollings.clear();
  CHECK(certificate(before, p, midend::apply_unroll_loops(e, plan)));
  CHECK(elbrus::equal(before, p));
}

TEST_CASE("which exits are untaken, and claims about others are not proven") {
  constexpr std::string_view text = R"(
proc @f(%x: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [last: %i1]
    %found = cmp.eq.i32 %i, %x
    br %found ? exit : first
  node first:
    %a = cmp.lt.i32 %i, 10
    br %a ? second : exit
  node second:
    %b = cmp.lt.i32 %i, 10
    br %b ? third : exit
  node third:
    %c = cmp.lt.i32 %i, 9
    br %c ? rare : last
  node rare:
    %d = cmp.lt.i32 %i, 20
    br %d ? last : exit
  node last:
    %i1 = add.i32 %i, 3
    %e = cmp.ne.i32 %i1, 13
    br %e ? loop : exit
  node exit:
    ret %i
}
)";
  const elbrus::procedure p = program_of(text).procedures[0];
  const elbrus::cost_view view(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  const auto plan = midend::plan_untaken_exits(view, loops);
  // In the fifth iteration i is 12, and `first` leaves. Before, i is 9 in the last one that gets to the end. The test
  // in `rare` is not done in each iteration, and so it is not counted.
  REQUIRE(plan.exits.size() == 2);
  const auto source = [&](const midend::untaken_exit& x) { return p.node_name(p.edge_source(x.edge)); };
  CHECK(source(plan.exits[0]) == "second");
  CHECK(source(plan.exits[1]) == "last");
  CHECK(plan.exits[0].before == plan.exits[1].before);
  CHECK(p.node_name(p.edge_source(plan.exits[0].before)) == "first");
  CHECK(midend::summary_text(plan) == "2 untaken exits");

  // A witness that drops another edge is rejected, and one that drops these is not.
  for (edge_id e = 0; e != p.num_edges(); ++e) {
    if (p.out_edges(p.edge_source(e)).size() == 2) {
      elbrus::procedure after = p;
      elbrus::editor editor(after);
      midend::unfolding<elbrus::editor> u(editor);
      const auto both = p.out_edges(p.edge_source(e));
      u.keep_edge(both[0] == e ? both[1] : both[0], midend::drop_reason::assumed);
      const midend::unfolding_witness w = u.take_witness();
      CHECK(certificate(p, after, w));
      CHECK(certificate(p, after, w).assumed == 1);
      // The checker also proves the exit of `rare`, since i is never 20 or more there.
      const bool is_rare = p.node_name(p.edge_source(e)) == "rare" && p.node_name(p.edge_target(e)) == "exit";
      const bool is_untaken = e == plan.exits[0].edge || e == plan.exits[1].edge || is_rare;
      const midend::untaken_exits_verdict verdict = midend::verify_untaken_exits(view, w);
      CHECK(static_cast<bool>(verdict) == is_untaken);
      CHECK(verdict.edge == (is_untaken ? midend::no_edge : e));
      CHECK(why_uncertified(p, after, w).empty() == is_untaken);
    }
  }
}

// Mistakes that other compilers have made. The names are those of their trackers; numbers without a name are LLVM's.

TEST_CASE("140444: a dropped test has other users") {
  constexpr std::string_view text = R"(
proc @f() -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [body: %i1]
    %s = phi.i32 [entry: 0], [body: %s1]
    %q = cmp.lt.i32 %i, 10
    %bit = zext.i1.i32 %q
    br %q ? body : exit
  node body:
    %t = shl.i32 %s, 1
    %s1 = add.i32 %t, %bit
    %i1 = add.i32 %i, 1
    br loop
  node exit:
    %r = add.i32 %s, %bit
    ret %r
}
)";
  for (const std::uint32_t copies : {2u, 3u, 5u, 10u, 11u}) {
    CHECK(num_branches(unrolled(text, partial, copies).procedures[0]) == 1);
    CHECK(num_branches(unrolled(text, full, copies).procedures[0]) == copies);
  }
}

TEST_CASE("SPIRV-Tools 4239, golang 69929, bril 330: phis that exchange their values, and one that lags after") {
  constexpr std::string_view text = R"(
proc @f(%n: i32, %x: i32, %y: i32) -> i32 {
  node entry:
    br head
  node head:
    %a = phi.i32 [entry: %x], [body: %b]
    %b = phi.i32 [entry: %y], [body: %c]
    %c = phi.i32 [entry: 3], [body: %a]
    %i = phi.i32 [entry: 0], [body: %i1]
    %old = phi.i32 [entry: 0], [body: %i]
    %older = phi.i32 [entry: 0], [body: %old]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    %i1 = add.i32 %i, 1
    br head
  node exit:
    %ten = mul.i32 %a, 10
    %r = add.i32 %ten, %b
    %t = sub.i32 %r, %old
    %three = mul.i32 %older, 3
    %u = add.i32 %t, %three
    ret %u
}
)";
  std::vector<std::vector<elbrus::scalar>> inputs;
  for (std::uint64_t n = 0; n != 12; ++n) {
    inputs.push_back({number(elbrus::type::i32, n), number(elbrus::type::i32, 100), number(elbrus::type::i32, 7)});
  }
  for (const std::uint32_t copies : {2u, 3u, 4u, 6u}) {
    unrolled(text, partial, copies, inputs);
    unrolled(text, full, copies, inputs);
  }
}

TEST_CASE("131465: a step that is not a number, and may be 0") {
  constexpr std::string_view text = R"(
proc @f(%step: i8, %n: i8) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i8 [entry: 0], [body: %i1]
    %k = phi.i32 [entry: 0], [body: %k1]
    %q = cmp.lt.i8 %i, %n
    br %q ? body : exit
  node body:
    %k1 = add.i32 %k, 1
    %enough = cmp.eq.i32 %k1, 300
    %i1 = add.i8 %i, %step
    br %enough ? exit : head
  node exit:
    ret %k
}
)";
  std::vector<std::vector<elbrus::scalar>> inputs;
  for (std::uint64_t step = 0; step < 256; step += 5) {
    inputs.push_back({number(elbrus::type::i8, step), number(elbrus::type::i8, 3 * step & 0xff)});
  }
  for (const std::uint32_t copies : {2u, 3u, 4u}) {
    const elbrus::program p = unrolled(text, partial, copies, inputs);
    CHECK(num_branches(p.procedures[0]) == copies + 1);
  }
}

TEST_CASE("80289: 64 bits, down by one, three times") {
  constexpr std::string_view text = R"(
proc @f() -> i64 {
  node entry:
    br loop
  node loop:
    %i = phi.i64 [entry: 2], [loop: %i1]
    %s = phi.i64 [entry: 0], [loop: %s1]
    %t = mul.i64 %s, 7
    %s1 = add.i64 %t, %i
    %i1 = add.i64 %i, -1
    %q = cmp.ne.i64 %i1, -1
    br %q ? loop : exit
  node exit:
    ret %s1
}
)";
  CHECK(num_branches(unrolled(text, partial, 3).procedures[0]) == 1);
  CHECK(num_branches(unrolled(text, partial, 2).procedures[0]) == 1);
  elbrus::program p = unrolled(text, full, 3);
  clean(p.procedures[0]);
  CHECK(midend::dominators_and_loops(p.procedures[0]).loops.num_loops() == 0);
  CHECK(elbrus::interpreter(p).run(0, {}, {}).value == number(elbrus::type::i64, 2 * 49 + 7));
}

TEST_CASE("JDK-8254887, 45284: loops that run no time, or once, are peeled, unrolled, and unrolled completely") {
  for (const int trips : {0, 1, 2, 3, 4}) {
    for (const std::uint32_t peeled : {1u, 2u, 3u}) {
      elbrus::program p = program_of(counting(120, 1, "ne", (120 + trips + 128) % 256 - 128));
      const auto expected = elbrus::interpreter(p).run(0, {}, {}).value;
      REQUIRE(expected);
      std::string why;
      unroll(p.procedures[0], {{0, {full, peeled + 1}}}, why);
      CHECK_MESSAGE(why.empty(), why);
      CHECK(elbrus::interpreter(p).run(0, {}, {}).value == expected);
      clean(p.procedures[0]);
      CHECK(elbrus::interpreter(p).run(0, {}, {}).value == expected);
      const std::size_t left = midend::dominators_and_loops(p.procedures[0]).loops.num_loops();
      CHECK(left == (peeled < static_cast<std::uint32_t>(trips) ? 1 : 0));
      if (left != 0) {
        unroll(p.procedures[0], {{0, {partial, 2}}}, why);
        CHECK_MESSAGE(why.empty(), why);
        CHECK(elbrus::interpreter(p).run(0, {}, {}).value == expected);
        clean(p.procedures[0]);
        CHECK(elbrus::interpreter(p).run(0, {}, {}).value == expected);
      }
    }
  }
}

TEST_CASE("211683: what is bounded is what is cloned, not what survives") {
  // Five nested loops of ten iterations: each is unrolled completely, from the innermost one.
  std::string text = "proc @f() -> i32 {\n  node entry:\n    br h0\n";
  for (int depth = 0; depth != 5; ++depth) {
    const std::string d = std::to_string(depth);
    const std::string in = std::to_string(depth + 1);
    const std::string before = depth == 0 ? "entry" : join("h", std::to_string(depth - 1));
    text += join("  node h", d, ":\n    %i", d, " = phi.i32 [", before, ": 0], [l", d, ": %n", d, "]\n    %s", d,
                 " = phi.i32 [", before, ": ", depth == 0 ? "0" : join("%s", std::to_string(depth - 1)), "], [l", d,
                 ": ", depth == 4 ? "%t" : join("%s", in, "x"), "]\n", depth == 4 ? "    %t = add.i32 %s4, 1\n" : "",
                 "    br ", depth == 4 ? "l4" : join("h", in), "\n");
  }
  for (int depth = 5; depth-- != 0;) {
    const std::string d = std::to_string(depth);
    text += join("  node l", d, ":\n",
                 depth == 4 ? ""
                            : join("    %s", std::to_string(depth + 1), "x = mov.i32 ",
                                   depth == 3 ? "%t" : join("%s", std::to_string(depth + 2), "x"), "\n"),
                 "    %n", d, " = add.i32 %i", d, ", 1\n    %q", d, " = cmp.lt.i32 %n", d, ", 10\n    br %q", d, " ? h",
                 d, " : ", depth == 0 ? "exit" : join("l", std::to_string(depth - 1)), "\n");
  }
  text += "  node exit:\n    ret %s1x\n}\n";
  elbrus::program all = program_of(text);
  elbrus::procedure& p = all.procedures[0];
  std::size_t left = 2000;
  std::size_t refused = 0;
  for (int round = 0; round != 5; ++round) {
    const auto loops = midend::dominators_and_loops(p).loops;
    std::vector<unrolling_request> requests;
    for (const midend::loop_id l : loops.loops()) {
      if (loops.subloops(l).size() == 1) {
        requests.push_back({l, {full, 10}});
      }
    }
    const auto plan = midend::plan_unroll_loops(elbrus::editor(p), loops, requests, {.max_cloned = left});
    refused += plan.refused.size();
    CHECK(plan.cloned <= left);
    left -= plan.cloned;
    elbrus::editor e(p);
    const elbrus::procedure before = p;
    CHECK(certificate(before, p, midend::apply_unroll_loops(e, plan)));
    clean(p);
  }
  CHECK(refused != 0);
  CHECK(elbrus::interpreter(all).run(0, {}, {}).value == number(elbrus::type::i32, 100'000));
}

TEST_CASE("small digraphs: each loop, alone and with all that it does not overlap, as a cycle or as a chain") {
  std::size_t unrolled_loops = 0;
  random_source random(5);
  for_each_small_digraph(2003, [&](std::size_t n, const std::vector<edge>& edges, const std::string& name) {
    const bool has_fuel = random.one_in(2);
    const elbrus::procedure before = procedure_of_graph(n, edges, 0, has_fuel);
    const auto loops = midend::dominators_and_loops(before).loops;
    for (midend::loop_id first = 0; first != loops.num_loops(); ++first) {
      const midend::unrolling_kind kind = random.one_in(2) ? partial : full;
      elbrus::procedure p = before;
      elbrus::editor e(p);
      std::vector<unrolling_request> requests{{first, {kind, 2 + random.below(2)}}};
      if (random.one_in(2)) { // of these, the ones that overlap are refused
        for (const midend::loop_id l : loops.loops()) {
          requests.push_back({l, {random.one_in(2) ? partial : full, 2}});
        }
      }
      const auto done = midend::unroll_loops(e, loops, requests);
      const auto verdict = certificate(before, p, done.witness);
      CHECK_MESSAGE(verdict, name, ": ", to_text(verdict), "\n", elbrus::to_text(before), elbrus::to_text(p));
      CHECK(verdict.assumed == 0);
      CHECK(elbrus::verify(p).empty());
      CHECK(!midend::check_graph(p));
      CHECK(!midend::check_ir(e));
      CHECK((!has_fuel || run_alike(before, p, random)));
      CHECK(done.plan.unrollings.size() + done.plan.refused.size() == requests.size());
      unrolled_loops += done.plan.unrollings.size();
    }
  });
  MESSAGE(unrolled_loops, " loops unrolled");
  CHECK(unrolled_loops > 400);
}

TEST_CASE("random programs, random loops of them, random numbers of copies") {
  random_program_options options = all_flow();
  options.endless = true;
  options.traps = true;
  options.known = 30;
  comparison_counts runs;
  std::size_t loops_unrolled = 0;
  std::size_t exits_dropped = 0;
  for_each_random_program(100, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program after = in_ssa_form(g);
    random_source random(seed);
    for (elbrus::procedure& p : after.procedures) {
      std::string why;
      for (int times = random.one_in(3) ? 2 : 1; times != 0 && why.empty(); --times) {
        const auto loops = midend::dominators_and_loops(p).loops;
        std::vector<unrolling_request> requests;
        for (const midend::loop_id l : loops.loops()) {
          if (!random.one_in(3)) {
            requests.push_back({l, {random.one_in(2) ? partial : full, 2 + random.below(3)}});
            ++loops_unrolled;
          }
        }
        exits_dropped += unroll(p, requests, why, 1000).exits.size();
      }
      CHECK_MESSAGE(why.empty(), "seed ", seed, ": ", why);
    }
    const std::string wrong = why_wrong(g, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(loops_unrolled, " requests, ", exits_dropped, " exits dropped; ", runs.same, " runs the same");
  CHECK(loops_unrolled > affordable(100));
  CHECK(exits_dropped > affordable(100) / 10);
  CHECK(runs.same > affordable(100));
}
