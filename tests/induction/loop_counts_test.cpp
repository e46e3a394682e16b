// What an advice knows about how often a loop runs: the exit by which it counts, complete iterations, phis that rotate.
#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/induction/loop_counts.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/induction/read_loop_counts.hpp>
#include <midend/loops/natural_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

using namespace midend_tests;
using midend::loop_counts;
using midend::trip_count_kind;

namespace {

/// Of the first loop of a procedure.
loop_counts counts_of(const std::string& text) {
  const parsed_procedure parsed(text.c_str());
  const midend::elbrus::cost_view ir(parsed.procedure());
  const midend::dominator_tree tree = midend::dominators(ir.graph());
  const midend::loop_forest forest = midend::natural_loops(ir.graph(), tree);
  const midend::loop_trip_counter counter(ir, forest);
  midend::extract_loop_workspace extracting;
  midend::extracted_loop x;
  midend::extract_loop(counter.program(), tree, forest, 0, extracting, x);
  midend::loop_counts_workspace reading;
  loop_counts counts;
  midend::read_loop_counts(counter.evolutions(), 0, x, reading, counts);
  return counts;
}

/// A loop that is tested before `work`.
std::string tested_first(const std::string& work, const std::string& bound) {
  return "proc @f(%p: ptr, %n: i32) {\n  node entry:\n    br loop\n  node loop:\n    %i = phi.i32 [entry: 0], [body: "
         "%i1]\n    %q = cmp.lt.i32 %i, " +
         bound + "\n    br %q ? body : exit\n  node body:\n" + work +
         "    %i1 = add.i32 %i, 1 nsw\n    br loop\n  node exit:\n    ret\n}\n";
}

} // namespace

TEST_CASE("loop counts: a complete iteration is one that has done its work") {
  const loop_counts first = counts_of(tested_first("    st.i32 %i, [%p]\n", "10"));
  CHECK(first.is_exact());
  CHECK(first.trip.header_executions() == 11);
  CHECK(first.is_counted);
  CHECK(!first.has_formula);
  CHECK(!first.is_at_bottom);
  CHECK(first.counted_iterations() == 10);
  const loop_counts idle = counts_of(tested_first("", "10")); // only the counter goes on after the test
  CHECK(idle.is_at_bottom);
  CHECK(idle.counted_iterations() == 11);
}

TEST_CASE("loop counts: a formula is no number, and a bound that is too large is none") {
  const loop_counts c = counts_of(tested_first("    st.i32 %i, [%p]\n", "%n"));
  CHECK(c.trip.kind == trip_count_kind::unknown);
  CHECK(c.is_counted);
  CHECK(c.has_formula);
  CHECK(c.is_computable);
  CHECK(c.compares_counter);
  CHECK(c.counted_iterations() == std::nullopt);
  CHECK(formula_of(c.exit.trips.test).backedges(0, 17) == 17);
}

TEST_CASE("loop counts: of several exits the one that is taken first, and formulas after numbers") {
  const auto two = [](const std::string& a, const std::string& b) {
    return "proc @f(%n: i32) {\n  node entry:\n    br loop\n  node loop:\n    %i = phi.i32 [entry: 0], [more: %i1]\n"
           "    %i1 = add.i32 %i, 1 nsw\n    %x = cmp.ge.i32 %i, " +
           a + "\n    br %x ? exit : more\n  node more:\n    %y = cmp.ge.i32 %i, " + b +
           "\n    br %y ? exit : loop\n  node exit:\n    ret\n}\n";
  };
  CHECK(counts_of(two("9", "5")).exit.trips.count.backedges == 5);
  CHECK(counts_of(two("5", "9")).exit.trips.count.backedges == 5);
  CHECK(counts_of(two("5", "9")).num_exits == 2);
  for (const loop_counts& c : {counts_of(two("%n", "9")), counts_of(two("9", "%n"))}) {
    CHECK(c.exit.trips.count.backedges == 9);
    CHECK(c.counted_iterations() == 10);
    CHECK(c.trip.kind == trip_count_kind::at_most);
    CHECK(c.is_computable);
  }
}

TEST_CASE("loop counts: phis that change places, also by a join; thousands of them") {
  const auto rotation = [](std::size_t length, bool joins) {
    std::string text = "proc @f(%a: i32, %c: i1) {\n  node entry:\n    br loop\n  node loop:\n";
    for (std::size_t i = 0; i != length; ++i) {
      const std::string next = joins && i == 0 ? "%j" : "%v" + std::to_string((i + 1) % length);
      text += "    %v" + std::to_string(i) + " = phi.i32 [entry: " + std::to_string(i) + "], [latch: " + next + "]\n";
    }
    const std::string second = "%v" + std::to_string(1 % length);
    return text + "    br %c ? left : right\n  node left:\n    br latch\n  node right:\n    br latch\n  node latch:\n" +
           "    %j = phi.i32 [left: " + second + "], [right: " + second +
           "]\n    %q = cmp.lt.i32 %v0, %a\n    br %q ? loop : exit\n  node exit:\n    ret\n}\n";
  };
  CHECK(counts_of(rotation(3, false)).phi_period == 3);
  CHECK(counts_of(rotation(4, true)).phi_period == 4);
  CHECK(counts_of(rotation(5'000, true)).phi_period == 5'000);
}
