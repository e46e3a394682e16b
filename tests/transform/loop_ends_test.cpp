// Last copies of loops that are unrolled completely: they do not go on, and no loop is left.
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "transform/profile_checks.hpp"
#include "transform/unrolling_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/transform.hpp>
#include <midend/unrolling/apply_unrolling.hpp>
#include <midend/viz/transformation_plans.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::node_id;

namespace {

/// Unrolls the only loop in a chain of so many copies, with certificates. Returns how many loops are left.
std::size_t loops_after_chain(elbrus::program& all, std::uint32_t copies, std::string& why) {
  elbrus::editor e(all.procedures[0]);
  const auto loops = midend::dominators_and_loops(all.procedures[0]).loops;
  REQUIRE(loops.num_loops() == 1);
  const std::array orders{midend::unrolling_order{0, {midend::unrolling_kind::full, copies}}};
  fact_certifier certifier;
  midend::apply_unrolling(e, loops, orders, cost_of, {}, certifier, counts_of);
  why = certifier.why;
  return midend::dominators_and_loops(all.procedures[0]).loops.num_loops();
}

/// The results for the arguments 0, step, 2 · step, … up to 65,535.
std::vector<std::uint64_t> results_of(const elbrus::program& all, std::uint64_t step) {
  std::vector<std::uint64_t> out;
  elbrus::interpreter interpreter(all);
  for (std::uint64_t n = 0; n <= 0xffff; n += step) {
    const std::vector<elbrus::scalar> arguments{{elbrus::type::i16, n}};
    const auto run = interpreter.run(0, arguments, {}, {.record_events = false});
    REQUIRE(run.value);
    out.push_back(run.value->bits);
  }
  return out;
}

/// No counter: how often the loop runs follows from running it on what is known of %x.
constexpr std::string_view halves = R"(
proc @f(%n: i16) -> i64 {
  node entry:
    %x = zext.i16.i64 %n
    br loop
  node loop:
    %k = phi.i64 [entry: 0], [loop: %k1]
    %y = phi.i64 [entry: %x], [loop: %y1]
    %k1 = add.i64 %k, 10
    %y1 = shr.i64 %y, 1
    %q = cmp.ugt.i64 %y, 31
    br %q ? loop : exit
  node exit:
    %r = add.i64 %k1, %y1
    ret %r
})";

/// The same, tested first.
constexpr std::string_view halves_tested_first = R"(
proc @f(%n: i16) -> i64 {
  node entry:
    %x = zext.i16.i64 %n
    br loop
  node loop:
    %k = phi.i64 [entry: 0], [body: %k1]
    %y = phi.i64 [entry: %x], [body: %y1]
    %q = cmp.ugt.i64 %y, 31
    br %q ? body : exit
  node body:
    %k1 = add.i64 %k, 10
    %y1 = shr.i64 %y, 1
    br loop
  node exit:
    %r = add.i64 %k, %y
    ret %r
})";

/// Up to four iterations, and a second exit.
constexpr std::string_view masked_with_break = R"(
proc @f(%n: i16) -> i16 {
  node entry:
    %m = and.i16 %n, 3
    br loop
  node loop:
    %i = phi.i16 [entry: 0], [latch: %i1]
    %s = phi.i16 [entry: %n], [latch: %s1]
    %q = cmp.ult.i16 %i, %m
    br %q ? body : exit
  node body:
    %s1 = mul.i16 %s, %n
    %b = cmp.eq.i16 %s1, 121
    br %b ? found : latch
  node latch:
    %i1 = add.i16 %i, 1
    br loop
  node found:
    ret 7
  node exit:
    ret %s
})";

} // namespace

TEST_CASE("loop ends: no loop is left of one that runs at most so often") {
  struct {
    std::string_view text;
    std::uint32_t most;
  } const samples[] = {{halves, 12}, {halves_tested_first, 12}, {masked_with_break, 4}};

  for (const auto& sample : samples) {
    const elbrus::program before = program_of(sample.text);
    const auto expected = results_of(before, 17);
    for (const std::uint32_t copies : {sample.most - 1, sample.most, sample.most + 1}) {
      elbrus::program after = before;
      std::string why;
      CHECK(loops_after_chain(after, copies, why) == (copies < sample.most ? 1 : 0));
      CHECK_MESSAGE(why.empty(), why);
      CHECK(results_of(after, 17) == expected);
    }
  }
}

TEST_CASE("loop ends: without facts, a loop is left") {
  elbrus::program all = program_of(halves);
  elbrus::editor e(all.procedures[0]);
  const auto loops = midend::dominators_and_loops(all.procedures[0]).loops;
  const std::array orders{midend::unrolling_order{0, {midend::unrolling_kind::full, 12}}};
  midend::apply_unrolling(e, loops, orders, cost_of);
  CHECK(midend::dominators_and_loops(all.procedures[0]).loops.num_loops() == 1);
}

TEST_CASE("loop ends: each with the iteration after which it is not taken") {
  const elbrus::program all = program_of(masked_with_break);
  const elbrus::procedure& p = all.procedures[0];
  const elbrus::cost_view view(p);
  const auto found = midend::dominators_and_loops(p);
  auto counter = counts_of(view, found.dominators, found.loops);
  midend::loop_end_finder_workspace workspace;
  midend::loop_end_finder finder(view, found.loops, counter, workspace);
  midend::flat_array<midend::loop_end> ends;
  finder.find(0, ends);
  REQUIRE(ends.size() >= 1);
  CHECK(ends[0].backedges == 3);
  CHECK(p.edge_source(ends[0].edge) == found.loops.header(0));
  CHECK(p.edge_source(ends[0].kept) == found.loops.header(0));
  CHECK(!found.loops.contains(0, p.edge_target(ends[0].kept)));
  CHECK(found.loops.contains(0, p.edge_target(ends[0].edge)));
}

TEST_CASE("loop ends: a hint that the program may not keep ends nothing") {
  std::string text(halves);
  text.replace(text.find("%x = zext.i16.i64 %n"), 20, "%x = mul.i64 %z, %z\n"); // nothing is known of it
  text.replace(text.find("%n: i16"), 7, "%z: i64");
  const elbrus::program all = program_of(text);
  elbrus::procedure p = all.procedures[0];
  elbrus::editor e(p);
  const auto found = midend::dominators_and_loops(p);
  e.set_trip_hints(found.loops.header(0), {.average = 0, .maximum = 4, .multiple = 0, .must_end = false});
  const elbrus::cost_view view(p);
  auto counter = counts_of(view, found.dominators, found.loops);
  midend::loop_end_finder_workspace workspace;
  midend::loop_end_finder finder(view, found.loops, counter, workspace);
  midend::flat_array<midend::loop_end> ends;
  finder.find(0, ends);
  for (const midend::loop_end& end : ends) {
    CHECK(end.backedges > 4); // from 64 bits
  }
  elbrus::program with_hint = all;
  with_hint.procedures[0] = p;
  std::string why;
  CHECK(loops_after_chain(with_hint, 5, why) == 1);
  CHECK_MESSAGE(why.empty(), why);
}

TEST_CASE("loop ends: what an iteration does before it would go back stays") {
  // The call may end the run, so the branch to it stays, though no run comes back from there.
  std::string text(halves_tested_first);
  text.replace(text.find("    br loop\n  node exit"), 12, "    call @end(%k)\n    br loop\n");
  text += "\nproc @end(%k: i64) {\n  node entry:\n    ret\n}\n";
  elbrus::program all = program_of(text);
  std::string why;
  CHECK(loops_after_chain(all, 12, why) == 1);
  CHECK_MESSAGE(why.empty(), why);
}

namespace {

/// The chain of `halves` with the edges that no run takes dropped, and where the copies of the header are.
struct chain {
  explicit chain(std::uint32_t copies) : before(program_of(halves).procedures[0]), after(before) {
    elbrus::editor e(after);
    const elbrus::cost_view view(before);
    const auto found = midend::dominators_and_loops(before);
    auto counter = counts_of(view, found.dominators, found.loops);
    const std::array request{midend::unrolling_request{0, {midend::unrolling_kind::full, copies}}};
    auto plan = midend::plan_unroll_loops(view, found.loops, request);
    midend::plan_loop_ends(plan, view, found.loops, counter);
    midend::unfolding<elbrus::editor> u(e);
    midend::apply_unroll_loops(u, plan);
    w = u.take_witness();
    const node_id header = found.loops.header(0);
    for (node_id n = 0; n != after.num_nodes(); ++n) {
      if (w.node_origin[n] == header) {
        headers.push_back(n);
      }
    }
  }

  midend::untaken_exits_verdict verdict() const {
    const elbrus::cost_view view(before);
    const auto found = midend::dominators_and_loops(before);
    auto counter = counts_of(view, found.dominators, found.loops);
    return midend::verify_untaken_exits(view, after, w, counter);
  }

  elbrus::procedure before;
  elbrus::procedure after;
  midend::unfolding_witness w;
  std::vector<node_id> headers;
};

/// Drops the edge of a copy of the header that goes on or leaves.
void drop_at(chain& c, node_id n, bool drops_way_on) {
  elbrus::editor e(c.after);
  midend::unfolding<elbrus::editor> u(e, c.w);
  midend::edge_id kept = midend::no_edge;
  for (const midend::edge_id x : c.after.out_edges(n)) {
    const auto origin = c.w.edge_origin[x];
    const bool goes_on = c.before.edge_target(origin) == c.before.edge_source(origin);
    kept = goes_on != drops_way_on ? x : kept;
  }
  u.keep_edge(kept, midend::drop_reason::assumed);
  c.w = u.take_witness();
}

} // namespace

TEST_CASE("loop ends: the checker accepts the last copy, and no earlier one") {
  chain c(12);
  REQUIRE(c.w.dropped.size() == 1);
  CHECK(certificate(c.before, c.after, c.w));
  CHECK(c.verdict());
  CHECK(c.verdict().proven == 1);
  for (std::size_t i = 0; i != c.headers.size(); ++i) {
    chain other(12);
    if (other.after.out_edges(other.headers[i]).size() == 2) {
      drop_at(other, other.headers[i], true);
      CHECK(certificate(other.before, other.after, other.w));
      CHECK(!other.verdict());
    }
  }
}

TEST_CASE("loop ends: the checker does not accept that the loop is not left") {
  for (const std::uint32_t copies : {11u, 13u}) { // in the last of 13, another edge is dropped already
    chain c(copies);
    for (std::size_t i = 0; i != c.headers.size(); ++i) {
      chain other(copies);
      if (other.after.out_edges(other.headers[i]).size() == 2) {
        drop_at(other, other.headers[i], false);
        CHECK(!other.verdict());
      }
    }
  }
}

TEST_CASE("loop ends: the checker looks for the shortest way to a copy") {
  // A chain in which one copy is left out, or that begins with a later copy, is the same program. But its last copy is
  // an earlier iteration, which may go on.
  enum class way { through_all, past_one, from_outside };
  for (const way w : {way::through_all, way::past_one, way::from_outside}) {
    const elbrus::procedure before = program_of(halves).procedures[0];
    elbrus::procedure after = before;
    elbrus::editor e(after);
    midend::unfolding<elbrus::editor> u(e);
    const node_id header = 1;
    std::vector<node_id> copies{header};
    for (int k = 1; k != 12; ++k) {
      midend::flat_array<node_id> made;
      u.duplicate_region(midend::span<const node_id>(&header, 1), made);
      copies.push_back(made[0]);
    }
    const auto edge_to_header = [&](node_id n) {
      midend::edge_id found = midend::no_edge;
      for (const midend::edge_id x : after.out_edges(n)) {
        found = before.edge_target(u.witness().edge_origin[x]) == header ? x : found;
      }
      return found;
    };
    for (std::size_t k = 0; k != 12; ++k) {
      u.lead(edge_to_header(copies[k]), copies[k == 11 ? 11 : k == 4 && w == way::past_one ? k + 2 : k + 1]);
    }
    if (w == way::from_outside) {
      u.lead(edge_to_header(0), copies[3]);
    }
    u.finish();
    const auto both = after.out_edges(copies[11]);
    u.keep_edge(both[0] == edge_to_header(copies[11]) ? both[1] : both[0], midend::drop_reason::assumed);
    const midend::unfolding_witness witness = u.take_witness();
    CHECK(certificate(before, after, witness)); // as long as one believes what it assumes
    const elbrus::cost_view view(before);
    const auto found = midend::dominators_and_loops(before);
    auto counter = counts_of(view, found.dominators, found.loops);
    CHECK(static_cast<bool>(midend::verify_untaken_exits(view, after, witness, counter)) == (w == way::through_all));
  }
}

TEST_CASE("loop ends: the checker does not look through merged nodes") {
  chain c(12);
  REQUIRE(c.verdict());
  c.w.merged.push_back({c.headers[0], c.before.entry()});
  CHECK(!c.verdict());
}

TEST_CASE("loop ends: entering again begins anew") {
  constexpr std::string_view text = R"(
proc @f(%n: i16) -> i16 {
  node entry:
    %m = and.i16 %n, 3
    br outer
  node outer:
    %j = phi.i16 [entry: 0], [next: %j1]
    %t = phi.i16 [entry: 0], [next: %s]
    br loop
  node loop:
    %i = phi.i16 [outer: 0], [loop: %i1]
    %s = phi.i16 [outer: %t], [loop: %s1]
    %s1 = add.i16 %s, %n
    %i1 = add.i16 %i, 1
    %q = cmp.ult.i16 %i, %m
    br %q ? loop : next
  node next:
    %j1 = add.i16 %j, 1
    %r = cmp.ult.i16 %j1, 9
    br %r ? outer : exit
  node exit:
    ret %s
})";
  const elbrus::program before = program_of(text);
  const auto expected = results_of(before, 17);
  for (const std::uint32_t copies : {3u, 4u}) {
    elbrus::program after = before;
    elbrus::editor e(after.procedures[0]);
    const auto loops = midend::dominators_and_loops(e.graph()).loops;
    const std::array orders{midend::unrolling_order{loops.innermost_loop(2), {midend::unrolling_kind::full, copies}}};
    fact_certifier certifier;
    midend::apply_unrolling(e, loops, orders, cost_of, {}, certifier, counts_of);
    CHECK_MESSAGE(certifier.why.empty(), certifier.why);
    CHECK(midend::dominators_and_loops(e.graph()).loops.num_loops() == (copies == 3 ? 2 : 1));
    CHECK(results_of(after, 17) == expected);
  }
}

TEST_CASE("loop ends: unreachable nodes that lead into a loop enter it nowhere") {
  std::string text(halves_tested_first);
  text.insert(text.find("  node exit"), "  node nowhere:\n    br body\n");
  elbrus::program all = program_of(text);
  std::string why;
  CHECK(loops_after_chain(all, 12, why) == 0);
  CHECK_MESSAGE(why.empty(), why);
}

TEST_CASE("loop ends: loops of other shapes") {
  struct {
    const char* what;
    std::string_view text;
    std::uint32_t copies;
    std::size_t left;
  } const samples[] = {
      {"both edges of the branch lead back: nothing ends", R"(
proc @f(%n: i16) {
  node entry:
    %m = and.i16 %n, 3
    br loop
  node loop:
    %i = phi.i16 [entry: 0], [loop: %i1], [loop: %i1]
    %i1 = add.i16 %i, 1
    %q = cmp.ult.i16 %i1, %m
    br %q ? loop : loop
})",
       4, 1},
      {"a switch leaves: it keeps its edges", R"(
proc @f(%n: i16) -> i16 {
  node entry:
    br loop
  node loop:
    %i = phi.i16 [entry: 0], [latch: %i1]
    %i1 = add.i16 %i, 1
    switch.i16 %i1 [3: exit], [7: other], default: latch
  node latch:
    br loop
  node exit:
    ret %i
  node other:
    ret %n
})",
       3, 1},
      {"two latches: both ways back end", R"(
proc @f(%n: i16) -> i16 {
  node entry:
    %m = and.i16 %n, 3
    br loop
  node loop:
    %i = phi.i16 [entry: 0], [odd: %i1], [even: %i1]
    %i1 = add.i16 %i, 1
    %q = cmp.ult.i16 %i, %m
    br %q ? choose : exit
  node choose:
    %low = and.i16 %i, 1
    %b = cmp.eq.i16 %low, 1
    br %b ? odd : even
  node odd:
    br loop
  node even:
    br loop
  node exit:
    ret %i
})",
       4, 0},
  };

  for (const auto& sample : samples) {
    CAPTURE(sample.what);
    elbrus::program all = program_of(sample.text);
    std::string why;
    CHECK(loops_after_chain(all, sample.copies, why) == sample.left);
    CHECK_MESSAGE(why.empty(), why);
  }
}

TEST_CASE("loop ends: in words") {
  const elbrus::program all = program_of(halves);
  const elbrus::cost_view view(all.procedures[0]);
  const auto found = midend::dominators_and_loops(all.procedures[0]);
  auto counter = counts_of(view, found.dominators, found.loops);
  const std::array request{midend::unrolling_request{0, {midend::unrolling_kind::full, 12}}};
  auto plan = midend::plan_unroll_loops(view, found.loops, request);
  CHECK(midend::to_text(view, found.loops, plan).find("repeat") == std::string::npos);
  midend::plan_loop_ends(plan, view, found.loops, counter);
  CHECK(midend::to_text(view, found.loops, plan).find("11 copies run before it, and it does not repeat\n") !=
        std::string::npos);
}

TEST_CASE("loop ends: profiles stay consistent") {
  constexpr std::string_view texts[] = {R"(
proc @f(%n: i16) -> i64 count=10 {
  node entry count=10:
    %x = zext.i16.i64 %n
    br loop
  node loop count=60:
    %y = phi.i64 [entry: %x], [loop: %y1]
    %y1 = shr.i64 %y, 1
    %q = cmp.ugt.i64 %y, 31
    br %q ? loop(0.8333333333333334) : exit(0.16666666666666666)
  node exit count=10:
    ret %y1
})",
                                        R"(
proc @f(%n: i16) -> i64 count=10 {
  node entry count=10:
    %x = zext.i16.i64 %n
    br loop
  node loop count=60:
    %y = phi.i64 [entry: %x], [body: %y1]
    %q = cmp.ugt.i64 %y, 31
    br %q ? body(0.8333333333333334) : exit(0.16666666666666666)
  node body count=50:
    %y1 = shr.i64 %y, 1
    br loop
  node exit count=10:
    ret %y
})"};
  for (const std::string_view text : texts) {
    elbrus::program all = program_of(text);
    REQUIRE_MESSAGE(why_inconsistent(all.procedures[0]).empty(), why_inconsistent(all.procedures[0]));
    std::string why;
    CHECK(loops_after_chain(all, 12, why) == 0);
    CHECK_MESSAGE(why.empty(), why);
    CHECK_MESSAGE(why_inconsistent(all.procedures[0]).empty(), why_inconsistent(all.procedures[0]), "\n",
                  elbrus::to_text(all));
  }
}
