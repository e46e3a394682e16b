// Trip counts with facts about the function around the loop, against running the function.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/program_generator.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/natural_loops.hpp>

#include <array>
#include <cstdint>

using namespace midend_tests;
using midend::loop_body;
using midend::loop_counters;
using midend::trip_count_kind;
namespace elbrus = midend::elbrus;

namespace {

/// The counts of the innermost loops of a procedure.
template <class Visit> void for_each_count(const elbrus::procedure& p, Visit visit) {
  const elbrus::cost_view ir(p);
  const midend::dominator_tree tree = midend::dominators(ir.graph());
  const midend::loop_forest forest = midend::natural_loops(ir.graph(), tree);
  midend::loop_trip_counter counter(ir, tree, forest);
  loop_body body;
  loop_counters c;
  for (const midend::loop_id l : forest.loops()) {
    if (const auto obstacle = counter.count(l, body, c);
        obstacle == midend::loop_obstacle::none || obstacle == midend::loop_obstacle::unusual_control) {
      visit(forest, l, body, c);
    }
  }
}

/// How often control has entered a loop.
std::uint64_t entries_of(const elbrus::procedure_profile& counts, const midend::loop_forest& forest,
                         midend::loop_id l) {
  std::uint64_t sum = 0;
  for (const midend::loop_edge& e : forest.entering_edges(l)) {
    sum += e.id < counts.edges.size() ? counts.edges[e.id] : 0;
  }
  return sum;
}

midend::trip_count count_of(const char* text) {
  const parsed_procedure parsed(text);
  midend::trip_count found;
  for_each_count(parsed.procedure(), [&](const midend::loop_forest&, midend::loop_id, const loop_body&,
                                         const loop_counters& c) { found = c.trip; });
  return found;
}

} // namespace

TEST_CASE("loop_trip_counter: random programs, against their runs") {
  random_program_options options;
  options.form = program_form::ssa;
  options.known = 25;
  options.calls = false; // nobody is there to answer
  std::array<std::size_t, 5> kinds{};
  std::size_t more = 0;
  std::size_t wrong = 0;
  for (std::uint64_t seed = 0; seed != affordable(600); ++seed) {
    const generated_program made = random_program(seed, options);
    elbrus::run_profile all;
    for (const generated_input& input : made.inputs) {
      elbrus::interpreter interpreter(made.program);
      const auto ran = interpreter.run(made.entry, input.arguments, input.memory, {.record_events = false});
      REQUIRE(!ran.trap);
      elbrus::add_profile(all, ran.profile);
    }
    for (std::size_t i = 0; i != made.program.procedures.size(); ++i) {
      const elbrus::procedure& p = made.program.procedures[i];
      for_each_count(
          p, [&](const midend::loop_forest& forest, midend::loop_id l, const loop_body& body, const loop_counters& c) {
            kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
            const auto before = midend::count_iterations(body).trip.kind;
            more += before == trip_count_kind::unknown && c.trip.kind != trip_count_kind::unknown ? 1 : 0;
            if (i >= all.size() || all[i].edges.empty()) {
              return;
            }
            const std::uint64_t entries = entries_of(all[i], forest, l);
            const std::uint64_t executions = elbrus::node_count(p, all[i], forest.header(l));
            const auto known = c.trip.header_executions();
            if (c.trip.kind == trip_count_kind::exact) {
              wrong += known && executions != *known * entries ? 1 : 0;
            } else if (c.trip.kind == trip_count_kind::at_most) {
              wrong += known && executions > *known * entries ? 1 : 0;
            } else if (c.trip.kind == trip_count_kind::endless || c.trip.kind == trip_count_kind::wraps_first) {
              wrong += entries != 0 ? 1 : 0;
            }
          });
    }
  }
  CHECK(wrong == 0);
  CHECK(more > affordable(10));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > affordable(100));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::at_most)] > affordable(20));
}

TEST_CASE("loop_trip_counter: numbers that operations before the loop compute") {
  const midend::trip_count found = count_of(R"(
proc @f() -> i32 {
  node entry:
    %s = shl.i32 1, 4
    %n = udiv.i32 %s, 3
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %n
    br %q ? loop : exit
  node exit:
    ret %i
})");
  CHECK(found == midend::trip_count{trip_count_kind::exact, 4, 5});
}

TEST_CASE("loop_trip_counter: what a branch before the loop says") {
  const midend::trip_count found = count_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    %small = cmp.ult.i32 %n, 16
    br %small ? before : exit
  node before:
    %w = add.i32 %n, 2
    br loop
  node loop:
    %i = phi.i32 [before: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %w
    br %q ? loop : exit
  node exit:
    ret 0
})");
  CHECK(found == midend::trip_count{trip_count_kind::at_most, 16, 1});
}

TEST_CASE("loop_trip_counter: the lesser of two numbers") {
  const midend::trip_count found = count_of(R"(
proc @f(%n: i32) -> i32 {
  node entry:
    %less = cmp.ult.i32 %n, 9
    %w = select.i32 %less, %n, 9
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i, %w
    br %q ? loop : exit
  node exit:
    ret %i
})");
  CHECK(found == midend::trip_count{trip_count_kind::at_most, 9, 1});
}

TEST_CASE("loop_trip_counter: a bound that is loaded again in each iteration") {
  const midend::trip_count found = count_of(R"(
proc @f(%a: ptr) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %v = ld.i8 [%a] alias=A
    %w = zext.i8.i32 %v
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %w
    br %q ? loop : exit
  node exit:
    ret %i
})");
  CHECK(found == midend::trip_count{trip_count_kind::at_most, 254, 1});
}

TEST_CASE("loop_trip_counter: start and bound lie a number apart") {
  const midend::trip_count found = count_of(R"(
proc @f(%n: i64) -> i64 {
  node entry:
    %a = add.i64 %n, 8
    %b = add.i64 %a, 48
    br loop
  node loop:
    %p = phi.i64 [entry: %b], [loop: %p1]
    %p1 = sub.i64 %p, 24
    %q = cmp.ne.i64 %p1, %a
    br %q ? loop : exit
  node exit:
    ret %p
})");
  CHECK(found == midend::trip_count{trip_count_kind::exact, 1, 2});
}

TEST_CASE("loop_trip_counter: bits are shifted out") {
  const midend::trip_count found = count_of(R"(
proc @f(%n: i64) -> i64 {
  node entry:
    br loop
  node loop:
    %x = phi.i64 [entry: %n], [body: %x1]
    %k = phi.i64 [entry: 1], [body: %k1]
    %q = cmp.uge.i64 %x, 128
    br %q ? body : exit
  node body:
    %x1 = shr.i64 %x, 7
    %k1 = add.i64 %k, 1
    br loop
  node exit:
    ret %k
})");
  CHECK(found == midend::trip_count{trip_count_kind::at_most, 9, 1});
}

TEST_CASE("loop_trip_counter: two counters that meet") {
  const midend::trip_count found = count_of(R"(
proc @f() -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %j = phi.i32 [entry: 20], [loop: %j1]
    %i1 = add.i32 %i, 1
    %j1 = sub.i32 %j, 2
    %q = cmp.lt.i32 %i, %j
    br %q ? loop : exit
  node exit:
    ret %i
})");
  CHECK(found == midend::trip_count{trip_count_kind::exact, 7, 8});
}
