// Unswitching: branches on what a loop does not change are decided before it.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"
#include "kit/run_clean_up.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/profile_checks.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/unswitch.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::unswitch_obstacle;

namespace {

midend::unswitch_plan plan_of(const elbrus::procedure& p, const midend::unswitch_limits& limits = {}) {
  return midend::plan_unswitch(elbrus::cost_view(p), midend::dominators_and_loops(p).loops, limits);
}

/// Applies it, and checks certificate and form. Returns how many loops were copied.
std::size_t unswitch(elbrus::procedure& p, const midend::unswitch_limits& limits = {}) {
  const elbrus::procedure before = p;
  const midend::unswitch_plan plan = plan_of(p, limits);
  elbrus::editor e(p);
  const midend::unfolding_witness w = midend::apply_unswitch(e, plan);
  const auto verdict = certificate(before, p, w);
  CHECK_MESSAGE((verdict && verdict.assumed == 0), to_text(verdict), "\n", elbrus::to_text(before), elbrus::to_text(p));
  CHECK_MESSAGE(why_ill_formed(p).empty(), elbrus::to_text(p));
  CHECK(plan.cloned <= limits.max_cloned);
  return plan.loops.size();
}

elbrus::scalar number(elbrus::type t, std::uint64_t bits) {
  return elbrus::scalar{t, bits};
}

/// Runs of both programs on the same arguments end alike.
void check_same(const elbrus::program& before, const elbrus::program& after,
                const std::vector<std::vector<elbrus::scalar>>& inputs) {
  for (const auto& arguments : inputs) {
    elbrus::run_options options;
    options.step_limit = 20'000;
    const auto old = elbrus::interpreter(before).run(0, arguments, {}, options);
    const auto now = elbrus::interpreter(after).run(0, arguments, {}, options);
    CHECK(old.value.has_value() == now.value.has_value());
    CHECK_MESSAGE(old.value == now.value, elbrus::to_text(after));
  }
}

/// Conditional branches in loops on one of these parameters, in reachable nodes.
std::size_t branches_on_parameters_in_loops(const elbrus::procedure& p) {
  const auto found = midend::dominators_and_loops(p);
  const elbrus::semantic_view view(p);
  std::size_t count = 0;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    const midend::value_id c = found.dominators.is_reachable(n) ? view.condition(n) : midend::no_value;
    const bool is_parameter = c != midend::no_value && p.value(c).kind == elbrus::value_kind::parameter;
    count += is_parameter && found.loops.innermost_loop(n) != midend::no_loop ? 1u : 0u;
  }
  return count;
}

std::vector<std::vector<elbrus::scalar>> bits_and_number(std::size_t bits) {
  std::vector<std::vector<elbrus::scalar>> out;
  for (std::uint64_t c = 0; c != std::uint64_t{1} << bits; ++c) {
    for (const std::uint64_t n : {0u, 1u, 7u}) {
      out.push_back({number(elbrus::type::i32, n)});
      for (std::size_t i = 0; i != bits; ++i) {
        out.back().push_back(number(elbrus::type::i1, c >> i & 1));
      }
    }
  }
  return out;
}

/// A loop with a branch on each of some parameters, which multiply and add.
std::string branches_in_a_row(std::size_t count) {
  std::string text = "proc @f(%n: i32";
  std::string body;
  std::string sum = "%s";
  for (std::size_t i = 0; i != count; ++i) {
    const std::string k = std::to_string(i);
    const std::string next = i + 1 == count ? "latch" : "t" + std::to_string(i + 1);
    text += ", %c" + k + ": i1";
    body += "  node t" + k + ":\n" +
            (i == 0 ? ""
                    : "    %s" + k + " = phi.i32 [a" + std::to_string(i - 1) + ": %x" + std::to_string(i - 1) +
                          "], [b" + std::to_string(i - 1) + ": %y" + std::to_string(i - 1) + "]\n");
    sum = i == 0 ? "%s" : "%s" + k;
    body += "    br %c" + k + " ? a" + k + " : b" + k + "\n  node a" + k + ":\n    %x" + k + " = mul.i32 " + sum +
            ", 3\n    br " + next + "\n  node b" + k + ":\n    %y" + k + " = add.i32 " + sum + ", %i\n    br " + next +
            "\n";
  }
  const std::string last = std::to_string(count - 1);
  return text +
         ") -> i32 {\n  node entry:\n    br head\n  node head:\n    %i = phi.i32 [entry: 0], [latch: %i1]\n"
         "    %s = phi.i32 [entry: 1], [latch: %r]\n    %q = cmp.lt.i32 %i, %n\n    br %q ? t0 : exit\n" +
         body + "  node latch:\n    %r = phi.i32 [a" + last + ": %x" + last + "], [b" + last + ": %y" + last +
         "]\n    %i1 = add.i32 %i, 1\n    br head\n  node exit:\n    ret %s\n}\n";
}

} // namespace

TEST_CASE("regression 39: unswitching decides each copy by its own side of the condition, inverted or not") {
  const std::string text = branches_in_a_row(1);
  std::string inverted = text;
  inverted.replace(inverted.find("br %c0 ? a0 : b0"), 16, "br %c0 ? b0 : a0");
  for (const std::string& each : {text, inverted}) {
    const elbrus::program before = program_of(each);
    elbrus::program after = before;
    CHECK(unswitch(after.procedures[0]) == 1);
    check_same(before, after, bits_and_number(1));
    CHECK(branches_on_parameters_in_loops(after.procedures[0]) == 2);
    run_clean_up(after.procedures[0]);
    CHECK(branches_on_parameters_in_loops(after.procedures[0]) == 0);
    CHECK(midend::dominators_and_loops(after.procedures[0]).loops.num_loops() == 2);
    check_same(before, after, bits_and_number(1));
  }
}

TEST_CASE("unswitch: several conditions at once make a tree of branches before the loop") {
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}}) {
    const elbrus::program before = program_of(branches_in_a_row(count));
    elbrus::program after = before;
    CHECK(unswitch(after.procedures[0]) == 1);
    run_clean_up(after.procedures[0]);
    CHECK(branches_on_parameters_in_loops(after.procedures[0]) == 0);
    CHECK(midend::dominators_and_loops(after.procedures[0]).loops.num_loops() == std::size_t{1} << count);
    check_same(before, after, bits_and_number(count));
  }
}

TEST_CASE("regression 40: growth stays within the limits, and a second plan finds decided branches") {
  const std::string text = branches_in_a_row(10);
  for (const std::size_t most : {std::size_t{0}, std::size_t{70}, std::size_t{200}, std::size_t{2000}}) {
    elbrus::program p = program_of(text);
    const std::size_t before = p.procedures[0].num_values();
    const midend::unswitch_limits limits{most, 16};
    const midend::unswitch_plan plan = plan_of(p.procedures[0], limits);
    std::size_t chosen = 0;
    for (const auto& c : plan.candidates) {
      chosen += c.obstacle == unswitch_obstacle::none ? 1u : 0u;
      CHECK((c.obstacle == unswitch_obstacle::none || c.obstacle == unswitch_obstacle::too_large));
      CHECK(c.cloned == plan.candidates[0].cloned);
    }
    CHECK(chosen == (most == 2000 ? 4 : most == 200 ? 2 : most == 70 ? 1 : 0));
    unswitch(p.procedures[0], limits);
    // Besides, phis after the loop, and a branch and a jump for each version.
    CHECK(p.procedures[0].num_values() <= before + most + 4 * std::size_t{limits.max_versions});
    for (const auto& c : plan_of(p.procedures[0], limits).candidates) {
      CHECK((c.obstacle != unswitch_obstacle::none || chosen < 10));
    }
  }
  // Without a clean-up in between, what is decided is not decided again.
  elbrus::program p = program_of(branches_in_a_row(2));
  CHECK(unswitch(p.procedures[0]) == 1);
  const midend::unswitch_plan again = plan_of(p.procedures[0]);
  CHECK(again.empty());
  CHECK(again.candidates.size() == 8);
  for (const auto& c : again.candidates) {
    CHECK(c.obstacle == unswitch_obstacle::decided);
  }
}

namespace {

/// Loops inside each other, each with a branch on a parameter of its own before the loop inside; the innermost one asks
/// all of them.
std::string nest_of(std::size_t depth) {
  std::string text = "proc @f(%n: i32, %c: i1) -> i32 {\n  node entry:\n    br h0\n";
  const auto name = [](const char* base, std::size_t d) { return base + std::to_string(d); };
  for (std::size_t d = 0; d != depth; ++d) {
    const std::string from = d == 0 ? "entry" : name("b", d - 1);
    text += "  node " + name("h", d) + ":\n    " + name("%i", d) + " = phi.i32 [" + from + ": 0], [" + name("l", d) +
            ": " + name("%j", d) + "]\n    " + name("%s", d) + " = phi.i32 [" + from + ": " +
            (d == 0 ? "0" : name("%s", d - 1)) + "], [" + name("l", d) + ": " + name("%r", d) + "]\n    " +
            name("%q", d) + " = cmp.lt.i32 " + name("%i", d) + ", %n\n    br " + name("%q", d) + " ? " + name("b", d) +
            " : " + (d == 0 ? "exit" : name("l", d - 1)) + "\n  node " + name("b", d) + ":\n    br " +
            (d + 1 == depth ? "test" : name("h", d + 1)) + "\n";
  }
  text += "  node test:\n    br %c ? yes : no\n  node yes:\n    %x = add.i32 " + name("%s", depth - 1) +
          ", 7\n    br join\n  node no:\n    %y = mul.i32 " + name("%s", depth - 1) +
          ", 3\n    br join\n  node join:\n    %z = phi.i32 [yes: %x], [no: %y]\n    br " + name("l", depth - 1) + "\n";
  for (std::size_t d = depth; d-- != 0;) {
    text += "  node " + name("l", d) + ":\n    " + name("%r", d) + " = " +
            (d + 1 == depth ? "mov.i32 %z" : "mov.i32 " + name("%s", d + 1)) + "\n    " + name("%j", d) +
            " = add.i32 " + name("%i", d) + ", 1\n    br " + name("h", d) + "\n";
  }
  return text + "  node exit:\n    ret %s0\n}\n";
}

} // namespace

TEST_CASE("regressions 40 and 51: in a nest one loop is copied, the outermost one that the limit allows") {
  const elbrus::program before = program_of(nest_of(5));
  std::vector<std::vector<elbrus::scalar>> inputs;
  for (const std::uint64_t n : {0u, 1u, 2u}) {
    inputs.push_back({number(elbrus::type::i32, n), number(elbrus::type::i1, 0)});
    inputs.push_back({number(elbrus::type::i32, n), number(elbrus::type::i1, 1)});
  }
  std::size_t last = 1'000'000;
  for (const std::size_t most : {std::size_t{1000}, std::size_t{40}, std::size_t{30}, std::size_t{20}}) {
    elbrus::program after = before;
    const midend::unswitch_plan plan = plan_of(after.procedures[0], {most, 8});
    CHECK(plan.loops.size() == 1);
    CHECK(plan.cloned < last);
    CHECK(plan.cloned <= most);
    last = plan.cloned;
    unswitch(after.procedures[0], {most, 8});
    check_same(before, after, inputs);
    CHECK(plan_of(after.procedures[0], {most, 8}).empty());
    run_clean_up(after.procedures[0]);
    check_same(before, after, inputs);
    // The other loops around are too large still, and no program grows by planning again.
    CHECK(plan_of(after.procedures[0], {most, 8}).cloned <= most);
  }
}

TEST_CASE("unswitch: a switch, with a version for each target, and parallel edges that differ in phi inputs") {
  const elbrus::program before = program_of(R"(
proc @f(%n: i32, %k: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %s = phi.i32 [entry: 1], [latch: %s1]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    switch.i32 %k [0: zero], [1: latch], [2: zero], [3: latch], default: other
  node zero:
    %x = mul.i32 %s, 3
    br latch
  node other:
    %y = xor.i32 %s, %i
    br latch
  node latch:
    %s1 = phi.i32 [body: %i], [body: %n], [zero: %x], [other: %y]
    %i1 = add.i32 %i, 1
    br head
  node exit:
    ret %s
}
)");
  elbrus::program after = before;
  const midend::unswitch_plan plan = plan_of(after.procedures[0]);
  REQUIRE(plan.candidates.size() == 1);
  CHECK(plan.candidates[0].versions == 4);
  CHECK(unswitch(after.procedures[0]) == 1);
  std::vector<std::vector<elbrus::scalar>> inputs;
  for (std::uint64_t k = 0; k != 6; ++k) {
    for (const std::uint64_t n : {0u, 1u, 5u}) {
      inputs.push_back({number(elbrus::type::i32, n), number(elbrus::type::i32, k)});
    }
  }
  check_same(before, after, inputs);
  run_clean_up(after.procedures[0]);
  check_same(before, after, inputs);
  CHECK(branches_on_parameters_in_loops(after.procedures[0]) == 2); // entered for two cases, and for none
}

namespace {

/// What EIR has no words for: operations that threads run together, and values that two branches may see differently.
struct doubtful_view : elbrus::cost_view {
  using elbrus::cost_view::cost_view;

  bool is_convergent(midend::value_id v) const { return v == convergent; }

  bool may_be_indeterminate(midend::value_id v) const { return v == indeterminate; }

  midend::value_id convergent = midend::no_value;
  midend::value_id indeterminate = midend::no_value;
};

} // namespace

TEST_CASE("regression 51: a condition that may be undefined, and operations that stay together") {
  // In the body, the branch runs only if the loop has an iteration; in the header, always.
  const parsed_procedure in_body(branches_in_a_row(1));
  const parsed_procedure in_header(R"(
proc @f(%n: i32, %c0: i1) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [a: %i1], [b: %i2]
    %x0 = add.i32 %i, 7
    br %c0 ? a : b
  node a:
    %i1 = add.i32 %i, 1
    %q = cmp.lt.i32 %i1, %n
    br %q ? head : exit
  node b:
    %i2 = add.i32 %i, 3
    %t = cmp.lt.i32 %i2, %n
    br %t ? head : exit
  node exit:
    ret %x0
}
)");
  const auto obstacle = [](const parsed_procedure& p, bool is_indeterminate, bool is_convergent) {
    doubtful_view view(p.procedure());
    view.indeterminate = is_indeterminate ? p.value("c0") : midend::no_value;
    view.convergent = is_convergent ? p.value("x0") : midend::no_value;
    const auto plan = midend::plan_unswitch(view, midend::dominators_and_loops(p.procedure()).loops);
    REQUIRE(plan.candidates.size() == 1);
    CHECK(plan.empty() == (plan.candidates[0].obstacle != unswitch_obstacle::none));
    CHECK((plan.candidates[0].copying == midend::loop_copy_obstacle::may_not_duplicate) == is_convergent);
    return plan.candidates[0].obstacle;
  };
  CHECK(obstacle(in_body, false, false) == unswitch_obstacle::none);
  CHECK(obstacle(in_body, true, false) == unswitch_obstacle::may_be_undefined);
  CHECK(obstacle(in_header, false, false) == unswitch_obstacle::none);
  CHECK(obstacle(in_header, true, false) == unswitch_obstacle::none);
  CHECK(obstacle(in_body, false, true) == unswitch_obstacle::not_copied);
  CHECK(obstacle(in_header, false, true) == unswitch_obstacle::not_copied);
  // A diagnostic value: to branch on it before the loop would trap where the loop does not run.
  const parsed_procedure diagnostic(R"(
proc @f(%n: i32, %d: i32) -> i32 {
  node entry:
    %v = div.i32 7, %d spec
    %c = cmp.lt.i32 %v, 3 spec
    br head
  node head:
    %i = phi.i32 [entry: 0], [a: %i1], [b: %i2]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    br %c ? a : b
  node a:
    %i1 = add.i32 %i, 1
    br head
  node b:
    %i2 = add.i32 %i, 2
    br head
  node exit:
    ret %i
}
)");
  const midend::unswitch_plan plan = plan_of(diagnostic.procedure());
  REQUIRE(plan.candidates.size() == 1);
  CHECK(plan.candidates[0].obstacle == unswitch_obstacle::may_be_undefined);
}

TEST_CASE("unswitch: ugly loops") {
  const std::string_view programs[] = {
      // no exit
      R"(
proc @f(%n: i32, %c: i1) -> i32 {
  node entry:
    %q = cmp.lt.i32 %n, 5
    br %q ? head : exit
  node head:
    br %c ? a : b
  node a:
    br head
  node b:
    br head
  node exit:
    ret %n
}
)",
      // several latches, an irreducible cycle inside, an unreachable predecessor, parallel edges into the header
      R"(
proc @f(%n: i32, %c: i1) -> i32 {
  node entry:
    br %c ? head : head
  node dead:
    %z = add.i32 %n, 1
    br %c ? head : b
  node head:
    %i = phi.i32 [entry: 0], [entry: 3], [dead: %z], [b: %i1], [l: %i3]
    %q = cmp.lt.i32 %i, %n
    br %q ? body : exit
  node body:
    br %c ? a : b
  node a:
    %v = phi.i32 [body: %i], [b: %i1]
    %w = add.i32 %v, 2
    %p = cmp.lt.i32 %w, 9
    br %p ? b : l
  node b:
    %u = phi.i32 [dead: 0], [body: %i], [a: %w]
    %i1 = add.i32 %u, 1
    %r = cmp.lt.i32 %i1, 6
    br %r ? a : head
  node l:
    %i3 = add.i32 %w, 1
    br head
  node exit:
    ret %i
}
)"};
  for (const std::string_view text : programs) {
    const elbrus::program before = program_of(text);
    elbrus::program after = before;
    CHECK(unswitch(after.procedures[0]) == 1);
    std::vector<std::vector<elbrus::scalar>> inputs = bits_and_number(1);
    check_same(before, after, inputs);
    run_clean_up(after.procedures[0]);
    check_same(before, after, inputs);
    CHECK(branches_on_parameters_in_loops(after.procedures[0]) == 0);
  }
  // A loop that has no place for a guard.
  const elbrus::program first = program_of(R"(
proc @f(%c: i1) -> i32 {
  node entry:
    br inner
  node inner:
    br %c ? a : b
  node a:
    br inner
  node b:
    br %c ? inner : exit
  node exit:
    ret 0
}
)");
  const midend::unswitch_plan plan = plan_of(first.procedures[0]);
  CHECK(plan.loops.size() == 1);
  CHECK(plan.candidates.size() == 2);
}

TEST_CASE("regression 52: counts of versions and of the branch before them add up") {
  const std::string text = branches_in_a_row(2);
  elbrus::program p = program_of(text);
  elbrus::run_profile sum;
  for (const auto& arguments : bits_and_number(2)) {
    elbrus::add_profile(sum, elbrus::interpreter(p).run(0, arguments, {}, {}).profile);
  }
  elbrus::write_profile(p, sum);
  const elbrus::procedure before = p.procedures[0];
  CHECK(why_inconsistent(before).empty());
  const midend::unswitch_plan plan = plan_of(before);
  elbrus::editor e(p.procedures[0]);
  const midend::unfolding_witness w = midend::apply_unswitch(e, plan);
  const elbrus::procedure& after = p.procedures[0];
  CHECK_MESSAGE(why_inconsistent(after).empty(), why_inconsistent(after), elbrus::to_text(after));
  std::vector<std::uint64_t> counted(before.num_nodes(), 0);
  std::size_t decided = 0;
  for (const node_id n : reachable(after)) {
    if (w.node_origin[n] != midend::no_node) {
      counted[w.node_origin[n]] += after.node_count(n);
    }
    if (w.node_origin[n] == node_named(before, "a1")) {
      decided += after.node_count(n) == 0 ? 1u : 0u;
    }
  }
  for (const node_id n : reachable(before)) {
    // Fractions are rounded in each of four versions.
    const std::uint64_t apart =
        counted[n] < before.node_count(n) ? before.node_count(n) - counted[n] : counted[n] - before.node_count(n);
    CHECK_MESSAGE(apart <= 4, before.node_name(n), ": ", counted[n], " of ", before.node_count(n));
  }
  CHECK(decided == 2); // of four copies, two do not come there
  run_clean_up(p.procedures[0]);
  CHECK_MESSAGE(why_inconsistent(p.procedures[0]).empty(), why_inconsistent(p.procedures[0]),
                elbrus::to_text(p.procedures[0]));
}

TEST_CASE("unswitch: random programs run as before, with certificates and consistent profiles") {
  std::size_t changed = 0;
  std::size_t profiled = 0;
  comparison_counts runs;
  for_each_random_program(3000, everything(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    elbrus::run_profile counts;
    for (std::size_t i = 0; i != g.inputs.size() && seed % 3 == 0; ++i) {
      const elbrus::run_result result = run_on(all, g, i);
      if (result.trap) {
        counts = {};
        break;
      }
      elbrus::add_profile(counts, result.profile);
    }
    if (!counts.empty()) {
      elbrus::write_profile(all, counts);
    }
    for (elbrus::procedure& p : all.procedures) {
      elbrus::editor e(p);
      worsen(e, p, seed);
      if (seed % 2 == 1) {
        midend::simplify_loops(e);
        midend::hoist_invariants(e);
      }
      const bool was_consistent = !counts.empty() && why_inconsistent(p).empty();
      const std::size_t loops = unswitch(p, {4096, 8});
      changed += loops != 0 ? 1u : 0u;
      if (was_consistent) {
        const std::string why = why_inconsistent(p);
        profiled += loops != 0 ? 1u : 0u;
        CHECK_MESSAGE(why.empty(), "seed ", seed, ": ", why);
      }
    }
    const std::string wrong = why_wrong(g, all, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(changed, " procedures changed, ", profiled, " with a profile; ", runs.same, " runs the same, ",
          runs.no_verdict, " without verdict");
  CHECK(changed > affordable(3000) / 20);
  CHECK(profiled > affordable(3000) / 200);
}

TEST_CASE("verify_unfolding rejects mistakes of unswitching") {
  const elbrus::program written = program_of(branches_in_a_row(1));
  const elbrus::procedure& before = written.procedures[0];
  const auto fault_after = [&](auto change) {
    elbrus::procedure p = before;
    elbrus::editor e(p);
    const midend::unfolding_witness w = midend::apply_unswitch(e, plan_of(p));
    const auto copy_of = [&](const char* name) {
      node_id copy = midend::no_node;
      for (node_id n = static_cast<node_id>(before.num_nodes()); n != p.num_nodes(); ++n) {
        copy = w.node_origin[n] == node_named(before, name) ? n : copy;
      }
      return copy;
    };
    change(e, p, copy_of);
    return certificate(before, p, w).fault;
  };
  const auto end_of = [](const elbrus::procedure& p, node_id n) { return p.terminator(n); };
  const auto phi_of = [](const elbrus::procedure& p, node_id n, std::size_t i) {
    for (const midend::value_id v : p.values(n)) {
      if (i-- == 0) {
        return v;
      }
    }
    return midend::no_value;
  };
  using enum midend::unfolding_fault;
  CHECK(fault_after([](auto&, auto&, auto) {}) == none);
  // The branch of a copy has its edges exchanged, or asks something else.
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          const node_id n = copy_of("t0");
          const edge_id yes = p.out_edges(n)[0];
          const edge_id no = p.out_edges(n)[1];
          e.redirect_edge(yes, copy_of("b0"));
          e.redirect_edge(no, copy_of("a0"));
        }) == wrong_target);
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          e.set_operand(end_of(p, copy_of("t0")), 0, value_named(before, "q"));
        }) != none);
  // An entry is led into the middle of a copy, or past the loop.
  for (const char* target : {"t0", "latch", "exit"}) {
    CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
            const node_id head = copy_of("head");
            for (const edge_id into : std::vector<edge_id>(p.in_edges(head).begin(), p.in_edges(head).end())) {
              if (p.edge_source(into) != copy_of("latch")) {
                const node_id wrong = copy_of(target);
                e.redirect_edge(into, wrong == midend::no_node ? node_named(before, target) : wrong);
              }
            }
          }) != none);
  }
  // Phis of a copy take what the other copy has computed, or what the other phi takes.
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          const node_id head = copy_of("head");
          for (const edge_id into : p.in_edges(head)) {
            if (p.edge_source(into) == copy_of("latch")) {
              e.set_phi_input(phi_of(p, head, 0), into, value_named(before, "i1"));
              break;
            }
          }
        }) != none);
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          const node_id head = copy_of("head");
          for (const edge_id into : p.in_edges(head)) {
            if (p.edge_source(into) != copy_of("latch")) {
              e.set_phi_input(phi_of(p, head, 0), into, p.phi_input(phi_of(p, head, 1), into));
              break;
            }
          }
        }) == wrong_operand);
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          const node_id exit = node_named(before, "exit");
          for (const edge_id into : p.in_edges(exit)) {
            if (p.edge_source(into) == copy_of("head")) {
              e.set_phi_input(phi_of(p, exit, 0), into, value_named(before, "s"));
              break;
            }
          }
        }) != none);
  // A branch before the loop that asks the opposite is slow, not wrong: both ways lead to copies of the loop.
  CHECK(fault_after([&](auto& e, auto& p, auto) {
          for (node_id n = static_cast<node_id>(before.num_nodes()); n != p.num_nodes(); ++n) {
            if (p.out_edges(n).size() == 2 && p.in_edges(n).size() == 1 && p.edge_source(p.in_edges(n)[0]) == 0) {
              const node_id yes = p.edge_target(p.out_edges(n)[0]);
              const node_id no = p.edge_target(p.out_edges(n)[1]);
              e.redirect_edge(p.out_edges(n)[0], no);
              e.redirect_edge(p.out_edges(n)[1], yes);
              return;
            }
          }
          CHECK(false);
        }) == none);
}

TEST_CASE("unswitch: many loops in one procedure in near-linear time") {
  const auto loops_in_a_row = [](std::size_t count) {
    std::string text = "proc @f(%n: i32, %c: i1) -> i32 {\n  node entry:\n    br h0\n";
    for (std::size_t i = 0; i != count; ++i) {
      const std::string k = std::to_string(i);
      const std::string from = i == 0 ? "entry" : "h" + std::to_string(i - 1);
      text += "  node h" + k + ":\n    %i" + k + " = phi.i32 [" + from + ": 0], [a" + k + ": %x" + k + "], [b" + k +
              ": %y" + k + "]\n    %q" + k + " = cmp.lt.i32 %i" + k + ", %n\n    br %q" + k + " ? t" + k + " : " +
              (i + 1 == count ? "exit" : "h" + std::to_string(i + 1)) + "\n  node t" + k + ":\n    br %c ? a" + k +
              " : b" + k + "\n  node a" + k + ":\n    %x" + k + " = add.i32 %i" + k + ", 1\n    br h" + k +
              "\n  node b" + k + ":\n    %y" + k + " = add.i32 %i" + k + ", 2\n    br h" + k + "\n";
    }
    return text + "  node exit:\n    ret 0\n}\n";
  };
  elbrus::program p = program_of(loops_in_a_row(300));
  CHECK(unswitch(p.procedures[0], {1'000'000, 8}) == 300);
  CHECK(plan_of(p.procedures[0]).empty());
}
