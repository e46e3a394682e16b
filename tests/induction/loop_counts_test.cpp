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

/// What an `or` of a bit with itself reads is promised where it runs.
struct promising_view : midend::elbrus::cost_view {
  using cost_view::cost_view;

  midend::value_id assumed(midend::value_id v) const {
    const bool is_promise = !is_phi(v) && operation(v).code == midend::operation::bit_or && operation(v).width == 1 &&
                            operands(v)[0] == operands(v)[1];
    return is_promise ? operands(v)[0] : midend::no_value;
  }
};

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

TEST_CASE("loop counts: of a condition of two comparisons, each must be known when the loop is entered") {
  const auto two = [](const std::string& first, const std::string& second, const std::string& both) {
    return "proc @f(%n: i32, %m: i32, %p: ptr) {\n  node entry:\n    br loop\n  node loop:\n"
           "    %i = phi.i32 [entry: 0], [loop: %i1]\n    %i1 = add.i32 %i, 1 nsw\n    %v = ld.i32 [%p]\n    %x = "
           "cmp." +
           first + "\n    %y = cmp." + second + "\n    %stays = " + both +
           ".i1 %x, %y\n    br %stays ? loop : exit\n  node exit:\n    ret\n}\n";
  };
  CHECK(counts_of(two("lt.i32 %i1, %n", "lt.i32 %i, %m", "and")).is_computable);
  CHECK(counts_of(two("lt.i32 %i1, %n", "ne.i32 %i, %m", "and")).is_computable);
  CHECK(counts_of(two("lt.i32 %i1, %n", "lt.i32 %i, 7", "and")).is_computable);
  CHECK(!counts_of(two("lt.i32 %i1, %n", "lt.i32 %v, %m", "and")).is_computable); // data decide
  CHECK(!counts_of(two("lt.i32 %i1, %n", "lt.i32 %i, %m", "or")).is_computable);  // both must end it
  CHECK(!counts_of(two("lt.i32 %n, %i1", "lt.i32 %i, %m", "and")).is_computable); // the counter goes away
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

TEST_CASE("loop counts: from the least number past the greatest it is 2^64, which no formula may take for 0") {
  const auto counted = [](const std::string& type, const std::string& least, const std::string& most,
                          const std::string& test) {
    const parsed_procedure parsed(
        ("proc @f(%a: " + type + ", %b: " + type + ") {\n  node entry:\n    %s = or." + type + " %a, " + least +
         "\n    %n = and." + type + " %b, " + most + "\n    br loop\n  node loop:\n    %i = phi." + type +
         " [entry: %s], [more: %i1]\n    %k = phi.i8 [entry: 0], [more: %k1]\n    %q = cmp." + test + "." + type +
         " %i, %n\n    br %q ? exit : more\n  node more:\n    %i1 = add." + type +
         " %i, 1 nsw\n    %k1 = add.i8 %k, 1\n    %x = cmp.eq.i8 %k1, 9\n    br %x ? exit : loop\n"
         "  node exit:\n    ret\n}\n")
            .c_str());
    const midend::elbrus::cost_view ir(parsed.procedure());
    const midend::loop_forest forest = midend::natural_loops(ir.graph(), midend::dominators(ir.graph()));
    const midend::loop_trip_counter counter(ir, forest);
    const midend::value_evolutions& found = counter.evolutions();
    REQUIRE(found.exit(0, 0).trips.has_formula == found.trips(0).has_bound);
    REQUIRE(found.is_computable(0) == found.trips(0).has_bound);
    return found.trips(0).has_bound;
  };
  const std::string least = "-9223372036854775808";
  const std::string most = "9223372036854775807";
  CHECK(!counted("i64", least, most, "gt")); // the other exit is taken
  CHECK(counted("i64", least, most, "ge"));
  CHECK(counted("i64", least, "65535", "gt"));
  CHECK(counted("i32", "-2147483648", "2147483647", "gt")); // of 64 bits, 2^32 is a number
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

TEST_CASE("loop counts: a hint adds to a multiple that is no power of 2, and does not repeat it") {
  const auto counted = [](const std::string& hint) { // three executions for each number up to %n
    return counts_of("proc @f(%n: i32) {\n  node entry:\n    %few = and.i32 %n, 1023\n    %more = add.i32 %few, 1\n"
                     "    %all = mul.i32 %more, 3\n    br loop\n  node loop" +
                     hint +
                     ":\n    %i = phi.i32 [entry: 0], [loop: %i1]\n    %i1 = add.i32 %i, 1 nsw\n"
                     "    %q = cmp.lt.i32 %i1, %all\n    br %q ? loop : exit\n  node exit:\n    ret\n}\n");
  };
  CHECK(counted("").trip.multiple == 3);
  CHECK(counted(" hint trip=multiple:3").trip.multiple == 3);
  CHECK(counted(" hint trip=multiple:6").trip.multiple == 6);
  CHECK(counted(" hint trip=multiple:4").trip.multiple == 12);
  CHECK(counted(" hint trip=multiple:1").trip.multiple == 3);
}

TEST_CASE("loop counts: twenty thousand promises before two hundred loops, of which each reads the first ones") {
  std::string text = "proc @f(%a: i32, %b: i32) {\n  node entry:\n    %few = cmp.ult.i32 %a, 10\n"
                     "    %first = or.i1 %few, %few\n";
  for (std::size_t i = 0; i != 20'000; ++i) {
    const std::string n = std::to_string(i);
    text += "    %c" + n + " = cmp.ne.i32 %b, " + n + "\n    %u" + n + " = or.i1 %c" + n + ", %c" + n + "\n";
  }
  text += "    switch.i32 %b ";
  std::string loops;
  for (std::size_t i = 0; i != 200; ++i) {
    const std::string n = std::to_string(i);
    text += "[" + n + ": h" + n + "], ";
    loops += "  node h" + n + ":\n    %p" + n + " = phi.i32 [entry: 0], [h" + n + ": %q" + n + "]\n    %q" + n +
             " = add.i32 %p" + n + ", 1\n    %x" + n + " = cmp.ge.i32 %q" + n + ", %a\n    br %x" + n + " ? out : h" +
             n + "\n";
  }
  const parsed_procedure parsed((text + "default: out\n" + loops + "  node out:\n    ret\n}\n").c_str());
  const promising_view ir(parsed.procedure());
  const midend::loop_forest forest = midend::natural_loops(ir.graph(), midend::dominators(ir.graph()));
  const midend::loop_trip_counter counter(ir, forest);
  REQUIRE(forest.num_loops() == 200);
  for (const midend::loop_id l : forest.loops()) {
    REQUIRE(counter.evolutions().trips(l).count.kind == trip_count_kind::at_most);
    REQUIRE(counter.evolutions().trips(l).count.backedges == 8);
  }
}

TEST_CASE("loop counts: five thousand exits before five thousand backedges") {
  constexpr std::size_t size = 5'000;
  std::string text = "proc @f(%a: i32, %b: i32) {\n  node entry:\n    br h\n  node h:\n    %i = phi.i32 [entry: 0]";
  for (std::size_t i = 0; i != size; ++i) {
    text += ", [l" + std::to_string(i) + ": %j]";
  }
  text += "\n    %j = add.i32 %i, 1 nsw\n    br e0\n";
  std::string latches;
  std::string cases;
  for (std::size_t i = 0; i != size; ++i) {
    const std::string n = std::to_string(i);
    text += "  node e" + n + ":\n    %c" + n + " = cmp.ge.i32 %i, %a\n    br %c" + n + " ? out : e" +
            std::to_string(i + 1) + "\n";
    cases += "[" + n + ": l" + n + "], ";
    latches += "  node l" + n + ":\n    br h\n";
  }
  text += "  node e" + std::to_string(size) + ":\n    switch.i32 %b " + cases + "default: out\n" + latches +
          "  node out:\n    ret\n}\n";
  const loop_counts c = counts_of(text);
  CHECK(c.num_exits == size + 1);
  CHECK(c.has_formula);
}
