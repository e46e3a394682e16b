// Index split: a loop that compares its counter with a bound runs in two copies, before the bound and after it.
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
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/index_split.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::index_split_obstacle;

namespace {

midend::index_split_plan plan_of(const elbrus::procedure& p, const midend::index_split_limits& limits = {}) {
  const auto found = midend::dominators_and_loops(p);
  const elbrus::cost_view view(p);
  const midend::loop_trip_counter counter(view, found.loops);
  return midend::plan_index_split(view, found.loops, counter.evolutions(), limits);
}

/// Applies it, and checks certificate and form. Returns how many loops were split.
std::size_t split(elbrus::procedure& p, const midend::index_split_limits& limits = {}) {
  const elbrus::procedure before = p;
  const midend::index_split_plan plan = plan_of(p, limits);
  elbrus::editor e(p);
  const midend::unfolding_witness w = midend::apply_index_split(e, plan);
  const auto verdict = certificate(before, p, w);
  CHECK_MESSAGE((verdict && verdict.assumed == 0), to_text(verdict), "\n", elbrus::to_text(before), elbrus::to_text(p));
  CHECK_MESSAGE(why_ill_formed(p).empty(), elbrus::to_text(p));
  CHECK(plan.cloned <= limits.max_cloned);
  return plan.splits.size();
}

constexpr midend::index_split_limits any_counter() {
  midend::index_split_limits limits;
  limits.may_wrap = true;
  return limits;
}

/// A loop over a counter of one type, with values that are carried, read after the loop, and several exits. `start`,
/// `n` and `m` are parameters or numbers.
struct sample {
  std::string type = "i8";
  std::string start = "%start";
  std::string step = "1";
  std::string exit = "lt";
  std::string n = "%n";
  std::string compared = "%i"; ///< or `%j`, the counter plus 5
  std::string order = "lt";
  std::string m = "%m";
  bool is_swapped = false;

  std::string text() const {
    const std::string condition = is_swapped ? m + ", " + compared : compared + ", " + m;
    const std::string t = type;
    return "proc @f(%start: " + t + ", %n: " + t + ", %m: " + t + ") -> i64 {\n  node entry:\n    br head\n" +
           "  node head:\n    %i = phi." + t + " [entry: " + start + "], [latch: %i1]\n" +
           "    %s = phi.i64 [entry: 1], [latch: %s1]\n    %last = phi." + t + " [entry: 7], [latch: %i]\n" +
           "    %j = add." + t + " %i, 5\n    %q = cmp." + exit + "." + t + " %i, " + n +
           "\n    br %q ? body : exit\n  node body:\n    %c = cmp." + order + "." + t + " " + condition +
           "\n    br %c ? a : b\n  node a:\n    %x = mul.i64 %s, 3\n    br latch\n  node b:\n" + "    %w = zext." + t +
           ".i64 %last\n    %y = add.i64 %s, %w\n    %z = cmp.ugt.i64 %y, 2000000000\n" +
           "    br %z ? out : latch\n  node latch:\n    %s1 = phi.i64 [a: %x], [b: %y]\n    %i1 = add." + t + " %i, " +
           step + "\n    br head\n  node exit:\n    %e = zext." + t +
           ".i64 %last\n    %r = xor.i64 %s, %e\n    ret %r\n  node out:\n    %o = zext." + t +
           ".i64 %i\n    %p = sub.i64 %y, %o\n    ret %p\n}\n";
  }
};

elbrus::scalar number(elbrus::type t, std::int64_t n) {
  return elbrus::scalar{t, static_cast<std::uint64_t>(n) & (t == elbrus::type::i8 ? 0xffu : 0xffff'ffffu)};
}

/// The result of a run; nothing if it takes too long.
std::optional<std::uint64_t> outcome(elbrus::interpreter& running, const std::vector<elbrus::scalar>& arguments,
                                     std::uint64_t limit) {
  elbrus::run_options options;
  options.step_limit = limit;
  options.record_events = false;
  const auto result = running.run(0, arguments, {}, options);
  return result.value ? std::optional(result.value->bits) : std::nullopt;
}

/// The transformed program gives what the other one does.
void check_same(const elbrus::program& before, const elbrus::program& after,
                const std::vector<std::vector<elbrus::scalar>>& inputs, const std::string& what = {}) {
  elbrus::interpreter old(before);
  elbrus::interpreter now(after);
  std::size_t wrong = 0;
  for (const auto& arguments : inputs) {
    const std::optional<std::uint64_t> wanted = outcome(old, arguments, 8000);
    wrong += !wanted || wanted == outcome(now, arguments, 40'000) ? 0u : 1u;
  }
  CHECK_MESSAGE(wrong == 0, wrong, " runs differ; ", what, "\n", elbrus::to_text(after));
}

std::vector<std::vector<elbrus::scalar>> all_of(const std::vector<std::int64_t>& numbers, elbrus::type t) {
  std::vector<std::vector<elbrus::scalar>> out;
  for (const std::int64_t start : numbers) {
    for (const std::int64_t n : numbers) {
      for (const std::int64_t m : numbers) {
        out.push_back({number(t, start), number(t, n), number(t, m)});
      }
    }
  }
  return out;
}

/// Orders of numbers in loops, in reachable nodes.
std::size_t orders_in_loops(const elbrus::procedure& p) {
  const auto found = midend::dominators_and_loops(p);
  const elbrus::semantic_view view(p);
  std::size_t count = 0;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (found.dominators.is_reachable(n) && found.loops.innermost_loop(n) != midend::no_loop) {
      for (const midend::value_id v : p.values(n)) {
        const midend::operation code = view.operation(v).code;
        const bool is_wide = p.value(v).operand_type == elbrus::type::i64;
        count += midend::is_comparison(code) && code != midend::operation::equal && !is_wide ? 1u : 0u;
      }
    }
  }
  return count;
}

} // namespace

TEST_CASE("index split: with numbers, one test is left in each of the loops") {
  struct known {
    const char* start;
    const char* step;
    const char* exit;
    const char* n;
    const char* order;
    const char* m;
    bool is_swapped;
  };

  const known samples[] = {
      {"0", "1", "lt", "100", "lt", "50", false},      {"0", "1", "lt", "100", "ge", "50", false},
      {"0", "3", "lt", "100", "gt", "50", false},      {"100", "-1", "gt", "-100", "gt", "3", false},
      {"100", "-2", "ge", "-100", "le", "3", false},   {"0", "1", "ult", "200", "ult", "130", false},
      {"0", "1", "lt", "100", "gt", "50", true},       {"-128", "1", "lt", "127", "lt", "-127", false},
      {"-128", "1", "lt", "127", "lt", "126", false},  {"0", "1", "ne", "100", "lt", "50", false},
      {"-128", "1", "lt", "127", "le", "-128", false}, {"127", "-1", "gt", "-128", "ge", "127", false},
  };
  for (const known& k : samples) {
    sample s;
    s.start = k.start;
    s.step = k.step;
    s.exit = k.exit;
    s.n = k.n;
    s.order = k.order;
    s.m = k.m;
    s.is_swapped = k.is_swapped;
    const elbrus::program before = program_of(s.text());
    elbrus::program after = before;
    CHECK_MESSAGE(split(after.procedures[0]) == 1, s.text());
    check_same(before, after, all_of({0}, elbrus::type::i8));
    run_clean_up(after.procedures[0]);
    check_same(before, after, all_of({0}, elbrus::type::i8));
    // A loop that turns out to run once only has none.
    const std::size_t loops = midend::dominators_and_loops(after.procedures[0]).loops.num_loops();
    CHECK_MESSAGE(orders_in_loops(after.procedures[0]) <= loops, elbrus::to_text(after.procedures[0]));
    CHECK((loops == 1 || loops == 2));
  }
}

TEST_CASE("regression 50: at the extremes of the type, with steps that pass the bound, carried values, several exits") {
  const std::vector<std::int64_t> extremes = {-128, -127, -126, -3, -1, 0, 1, 2, 125, 126, 127};
  const auto inputs = all_of(extremes, elbrus::type::i8);
  std::size_t done = 0;
  for (const char* step : {"1", "-1", "2", "-2", "3", "-3"}) {
    for (const char* exit : {"lt", "ne", "ugt"}) {
      for (const char* order : {"lt", "uge"}) {
        for (const char* compared : {"%i", "%j"}) {
          sample s;
          s.step = step;
          s.exit = exit;
          s.order = order;
          s.compared = compared;
          s.is_swapped = done % 3 == 1;
          const elbrus::program before = program_of(s.text());
          elbrus::program after = before;
          CHECK(split(after.procedures[0], any_counter()) == 1);
          check_same(before, after, inputs, s.text());
          if (done % 4 == 0) {
            run_clean_up(after.procedures[0]);
            check_same(before, after, inputs, s.text());
          }
          ++done;
        }
      }
    }
  }
  CHECK(done == 72);
}

TEST_CASE("index split: all starts and bounds of four bits around each extreme") {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = -8; i != 8; ++i) {
    numbers.push_back(i);
  }
  std::size_t done = 0;
  for (const std::int64_t around : {std::int64_t{0}, std::int64_t{128}}) {
    std::vector<std::int64_t> here;
    for (const std::int64_t i : numbers) {
      here.push_back(i + around);
    }
    const auto inputs = all_of(here, elbrus::type::i8);
    for (const char* step : {"1", "-1", "3"}) {
      for (const char* order : {"lt", "ge", "ule"}) {
        sample s;
        s.step = step;
        s.exit = step[0] == '-' ? "gt" : "lt";
        s.order = order;
        const elbrus::program before = program_of(s.text());
        elbrus::program after = before;
        CHECK(split(after.procedures[0], any_counter()) == 1);
        check_same(before, after, inputs, s.text());
        run_clean_up(after.procedures[0]);
        check_same(before, after, inputs, s.text());
        ++done;
      }
    }
  }
  CHECK(done == 18);
}

TEST_CASE("index split: why a loop is not split") {
  const auto obstacle = [](const sample& s, const midend::index_split_limits& limits = {}) {
    const elbrus::program p = program_of(s.text());
    const auto plan = plan_of(p.procedures[0], limits);
    REQUIRE(plan.candidates.size() == 1);
    CHECK(plan.empty() == (plan.candidates[0].obstacle != index_split_obstacle::none));
    return plan.candidates[0].obstacle;
  };
  sample s;
  CHECK(obstacle(s) == index_split_obstacle::none);
  s.step = "2"; // 126 + 2 is -128
  CHECK(obstacle(s) == index_split_obstacle::may_wrap);
  s.n = "100";
  CHECK(obstacle(s) == index_split_obstacle::none);
  s.step = "%m";
  CHECK(obstacle(s) == index_split_obstacle::not_a_counter);
  s.step = "1";
  s.start = "60";
  s.m = "50";
  CHECK(obstacle(s) == index_split_obstacle::never_changes);
  s.m = "61";
  CHECK(obstacle(s) == index_split_obstacle::none);
  CHECK(obstacle(s, {3, 8, false}) == index_split_obstacle::too_large);
  CHECK(obstacle(s, {1024, 0, false}) == index_split_obstacle::not_computed);
  s.m = "%last";
  CHECK(plan_of(program_of(s.text()).procedures[0]).candidates.empty());
  s.m = "%m";
  s.order = "eq";
  CHECK(plan_of(program_of(s.text()).procedures[0]).candidates.empty());
}

TEST_CASE("index split: nests, inner loops that compare the outer counter, and ugly loops") {
  const std::string_view programs[] = {
      // the inner loop compares the counter of the outer one
      R"(
proc @f(%n: i32, %k: i32, %m: i32) -> i32 {
  node entry:
    br outer
  node outer:
    %i = phi.i32 [entry: 0], [next: %i1]
    %s = phi.i32 [entry: 0], [next: %t]
    %q = cmp.lt.i32 %i, %n
    br %q ? inner : exit
  node inner:
    %j = phi.i32 [outer: 0], [latch: %j1]
    %t = phi.i32 [outer: %s], [latch: %t1]
    %p = cmp.lt.i32 %j, %k
    br %p ? body : next
  node body:
    %c = cmp.lt.i32 %i, %m
    br %c ? a : b
  node a:
    %x = add.i32 %t, %j
    br latch
  node b:
    %y = xor.i32 %t, %i
    br latch
  node latch:
    %t1 = phi.i32 [a: %x], [b: %y]
    %j1 = add.i32 %j, 1
    br inner
  node next:
    %i1 = add.i32 %i, 1
    br outer
  node exit:
    ret %s
}
)",
      // several latches, an irreducible cycle inside, an unreachable predecessor, parallel edges into the header
      R"(
proc @f(%n: i32, %k: i32, %m: i32) -> i32 {
  node entry:
    %e = cmp.lt.i32 %k, 3
    br %e ? head : head
  node dead:
    %z = add.i32 %n, 1
    br head
  node head:
    %i = phi.i32 [entry: 0], [entry: 0], [dead: %z], [d: %i1], [f: %i1]
    %s = phi.i32 [entry: 1], [entry: 2], [dead: 0], [d: %v], [f: %w]
    %q = cmp.lt.i32 %i, %n
    %i1 = add.i32 %i, 1
    br %q ? body : exit
  node body:
    %c = cmp.lt.i32 %m, %i
    br %c ? d : f
  node d:
    %v = phi.i32 [body: %s], [f: %w]
    %p = and.i32 %v, 1
    %o = cmp.eq.i32 %p, 0
    br %o ? f : head
  node f:
    %u = phi.i32 [body: %k], [d: %v]
    %w = add.i32 %u, 7
    %g = and.i32 %w, 3
    %h = cmp.eq.i32 %g, 0
    br %h ? d : head
  node exit:
    ret %s
}
)"};
  for (const std::string_view text : programs) {
    const elbrus::program before = program_of(text);
    elbrus::program after = before;
    CHECK(split(after.procedures[0]) == 1);
    const auto inputs = all_of({-1, 0, 1, 2, 3, 5}, elbrus::type::i32);
    check_same(before, after, inputs);
    run_clean_up(after.procedures[0]);
    check_same(before, after, inputs);
  }
  // No exit: it counts for ever.
  const elbrus::program endless = program_of(R"(
proc @f(%n: i32, %k: i32, %m: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [a: %i1], [b: %i1]
    %i1 = add.i32 %i, 1 nsw
    %c = cmp.lt.i32 %i, %m
    br %c ? a : b
  node a:
    %x = call.i64 @host_mix(i64 1, i64 2) clobbers=none
    br head
  node b:
    br head
}
)");
  elbrus::program after = endless;
  CHECK(split(after.procedures[0], any_counter()) == 1);
}

TEST_CASE("regression 52: counts of both loops and of the test between them add up") {
  sample s;
  s.type = "i32";
  elbrus::program p = program_of(s.text());
  elbrus::run_profile sum;
  for (const auto& arguments : all_of({0, 3, 7, 20}, elbrus::type::i32)) {
    elbrus::add_profile(sum, elbrus::interpreter(p).run(0, arguments, {}, {}).profile);
  }
  elbrus::write_profile(p, sum);
  const elbrus::procedure before = p.procedures[0];
  CHECK(why_inconsistent(before).empty());
  elbrus::editor e(p.procedures[0]);
  const midend::unfolding_witness w = midend::apply_index_split(e, plan_of(before));
  const elbrus::procedure& after = p.procedures[0];
  CHECK_MESSAGE(why_inconsistent(after).empty(), why_inconsistent(after), elbrus::to_text(after));
  std::vector<std::uint64_t> counted(before.num_nodes(), 0);
  std::size_t unused = 0;
  for (const node_id n : reachable(after)) {
    if (const node_id old = w.node_origin[n]; old != midend::no_node) {
      counted[old] += after.node_count(n);
      const bool is_arm = old == node_named(before, "a") || old == node_named(before, "b");
      unused += is_arm && after.node_count(n) == 0 ? 1u : 0u;
    }
  }
  for (const node_id n : reachable(before)) {
    const std::uint64_t apart =
        counted[n] < before.node_count(n) ? before.node_count(n) - counted[n] : counted[n] - before.node_count(n);
    CHECK_MESSAGE(apart <= 2, before.node_name(n), ": ", counted[n], " of ", before.node_count(n));
  }
  CHECK(unused == 2);
}

TEST_CASE("index split: random programs run as before, with certificates and consistent profiles") {
  std::size_t changed = 0;
  std::size_t profiled = 0;
  comparison_counts runs;
  for_each_random_program(4000, everything(), [&](const generated_program& g, std::uint64_t seed) {
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
      const bool was_consistent = !counts.empty() && why_inconsistent(p).empty();
      const std::size_t loops = split(p, seed % 2 == 0 ? midend::index_split_limits{4096, 8, false} : any_counter());
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
  CHECK(changed > affordable(4000) / 30);
}

TEST_CASE("index split: random loops around a bound run as before, cleaned up or not") {
  random_source random(2026);
  static constexpr const char* orders[] = {"lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge"};
  static constexpr const char* exits[] = {"lt", "le", "gt", "ge", "ult", "ugt", "ne", "uge"};
  std::size_t splits = 0;
  const auto small = [&] { return std::to_string(static_cast<int>(random.below(256)) - 128); };
  for (std::size_t i = 0; i != affordable(3000); ++i) {
    sample s;
    s.start = random.one_in(2) ? "%start" : small();
    s.n = random.one_in(2) ? "%n" : small();
    s.m = random.one_in(2) ? "%m" : small();
    s.step = std::to_string(static_cast<int>(random.below(11)) - 5);
    s.exit = exits[random.below(8)];
    s.order = orders[random.below(8)];
    s.compared = random.one_in(2) ? "%i" : "%j";
    s.is_swapped = random.one_in(2);
    const elbrus::program before = program_of(s.text());
    elbrus::program after = before;
    splits += split(after.procedures[0], random.one_in(2) ? midend::index_split_limits() : any_counter());
    if (random.one_in(2)) {
      run_clean_up(after.procedures[0]);
    }
    check_same(before, after, all_of({-128, -5, 0, 90, 127}, elbrus::type::i8), s.text());
  }
  MESSAGE(splits, " loops split");
  CHECK(splits > affordable(3000) / 4);
}

TEST_CASE("verify_unfolding rejects mistakes of index split") {
  const elbrus::program written = program_of(sample().text());
  const elbrus::procedure& before = written.procedures[0];
  const auto fault_after = [&](auto change) {
    elbrus::procedure p = before;
    elbrus::editor e(p);
    const midend::unfolding_witness w = midend::apply_index_split(e, plan_of(p));
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
  const auto value_at = [](const elbrus::procedure& p, node_id n, std::size_t i) {
    for (const midend::value_id v : p.values(n)) {
      if (i-- == 0) {
        return v;
      }
    }
    return midend::no_value;
  };
  const auto edge_from = [](const elbrus::procedure& p, node_id from, node_id to) {
    for (const edge_id e : p.out_edges(from)) {
      if (p.edge_target(e) == to) {
        return e;
      }
    }
    return midend::no_edge;
  };
  using enum midend::unfolding_fault;
  CHECK(fault_after([](auto&, auto&, auto) {}) == none);
  // The second loop goes on with what the first one has computed, or enters it in the middle.
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          const node_id head = copy_of("head");
          e.set_phi_input(value_at(p, head, 0), edge_from(p, copy_of("latch"), head), value_named(before, "i1"));
        }) != none);
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          const node_id head = copy_of("head");
          const edge_id into = p.in_edges(head)[p.edge_source(p.in_edges(head)[0]) == copy_of("latch") ? 1 : 0];
          e.set_phi_input(value_at(p, head, 0), into, value_named(before, "i"));
        }) != none);
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          const node_id head = copy_of("head");
          const edge_id into = p.in_edges(head)[p.edge_source(p.in_edges(head)[0]) == copy_of("latch") ? 1 : 0];
          e.redirect_edge(into, copy_of("body"));
        }) == wrong_target);
  // The branch of a copy asks the opposite.
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          const node_id body = copy_of("body");
          const edge_id yes = p.out_edges(body)[0];
          const edge_id no = p.out_edges(body)[1];
          e.redirect_edge(yes, copy_of("b"));
          e.redirect_edge(no, copy_of("a"));
        }) == wrong_target);
  // A value of the gate that is not what comes by an edge.
  CHECK(fault_after([&](auto& e, auto& p, auto copy_of) {
          static_cast<void>(copy_of);
          const node_id gate = p.edge_target(p.out_edges(node_named(before, "latch"))[0]);
          e.set_phi_input(value_at(p, gate, 0), p.out_edges(node_named(before, "latch"))[0], value_named(before, "i"));
        }) != none);
}
