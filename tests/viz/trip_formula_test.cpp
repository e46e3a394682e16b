// Trip counts as expressions, by the names of the program.
#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/induction/loop_counts.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/induction/read_loop_counts.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/viz/trip_formula.hpp>

#include <string>
#include <string_view>

using namespace midend::elbrus;

namespace {

struct named {
  const procedure& p;

  std::string value(midend::value_id v) const { return "%" + std::string(p.value_name(v)); }

  std::string node(midend::node_id n) const { return std::string(p.node_name(n)); }
};

/// Of a loop that starts at `start` and goes on by `increment` while `test` holds.
std::string formula_of(std::string_view start, std::string_view increment, std::string_view test,
                       std::string_view flags = "") {
  std::string text = R"(
proc @p(%s: i32, %n: i32, %m: i64, %b: i8) FLAGS{
  node entry:
    %wide = zext.i8.i32 %b
    %by = or.i32 %wide, 1
    br loop
  node loop:
    %i = phi.i32 [entry: START], [loop: %i1]
    %i1 = INCREMENT
    %w = sext.i32.i64 %i1
    %q = TEST
    br %q ? loop : exit
  node exit:
    ret
})";
  const auto put = [&](std::string_view where, std::string_view what) {
    text.replace(text.find(where), where.size(), what);
  };
  put("FLAGS", flags);
  put("START", start);
  put("INCREMENT", increment);
  put("TEST", test);
  const parse_result read = parse(text);
  REQUIRE(read.diagnostics.empty());
  const procedure& p = read.program.procedures[0];
  const cost_view ir(p);
  const midend::dominator_tree tree = midend::dominators(p);
  const midend::loop_forest forest = midend::natural_loops(p, tree);
  const midend::loop_trip_counter counter(ir, forest);
  midend::extract_loop_workspace extracting;
  midend::extracted_loop x;
  midend::extract_loop(counter.program(), tree, forest, 0, extracting, x);
  midend::loop_counts_workspace reading;
  midend::loop_counts counts;
  midend::read_loop_counts(counter.evolutions(), 0, x, reading, counts);
  return trip_formula_text(counts, named{p});
}

} // namespace

TEST_CASE("trip_formula_text: by order, up and down, by one and by three") {
  CHECK(formula_of("%s", "add.i32 %i, 1 nsw", "cmp.lt.i32 %i1, %n") ==
        "0 if (%s + 1) >= %n, else %n - (%s + 1), in 32 bits");
  CHECK(formula_of("0", "add.i32 %i, 1 nsw", "cmp.le.i32 %i, %n") == "0 if 0 > %n, else %n + 1, in 32 bits");
  CHECK(formula_of("%s", "sub.i32 %i, 3 nsw", "cmp.gt.i32 %i1, %n") ==
        "0 if (%s - 3) <= %n, else ((%s - 3) - %n - 1) / 3 + 1, in 32 bits");
  CHECK(formula_of("7", "add.i32 %i, 1", "cmp.ult.i32 %i1, %n") == "0 if 8 >= (unsigned) %n, else %n - 8, in 32 bits");
}

TEST_CASE("trip_formula_text: up to equality, also around the end of the numbers") {
  CHECK(formula_of("%s", "add.i32 %i, 1", "cmp.ne.i32 %i1, %n") == "%n - %s - 1, in 32 bits");
  CHECK(formula_of("%s", "sub.i32 %i, 1", "cmp.ne.i32 %i, %n") == "%s - %n, in 32 bits");
  CHECK(formula_of("%s", "add.i32 %i, 3", "cmp.ne.i32 %i, %n") == "(%n - %s) * 2863311531, in 32 bits");
  CHECK(formula_of("%s", "add.i32 %i, 4 nsw", "cmp.ne.i32 %i, %n") == "(%n - %s) / 4, in 32 bits");
  CHECK(formula_of("%s", "sub.i32 %i, 4 nsw", "cmp.ne.i32 %i, %n") == "(%s - %n) / 4, in 32 bits");
  CHECK(formula_of("%s", "add.i32 %i, 6 nsw", "cmp.ne.i32 %i, %n") ==
        "(((%n - %s) / 2) * 715827883) % 2147483648, in 32 bits"); // 3 * 715827883 is 2^31 + 1
}

TEST_CASE("trip_formula_text: a step that is a value") {
  // An odd number below 256.
  CHECK(formula_of("0", "add.i32 %i, %by nsw", "cmp.lt.i32 %i, %n") ==
        "0 if 0 >= %n, else (%n - 1) / %by + 1, in 32 bits");
  CHECK(formula_of("%s", "add.i32 %by, %i nsw", "cmp.le.i32 %i1, %n") ==
        "0 if (%by + %s) > %n, else (%n - (%by + %s)) / %by + 1, in 32 bits");
  CHECK(formula_of("%s", "sub.i32 %i, %by nsw", "cmp.gt.i32 %i1, %n") ==
        "0 if (%s - %by) <= %n, else ((%s - %by) - %n - 1) / %by + 1, in 32 bits");
  CHECK(formula_of("%s", "add.i32 %i, %by", "cmp.lt.i32 %i, %n") == "");
  CHECK(formula_of("%s", "add.i32 %i, %n nsw", "cmp.lt.i32 %i, %s") == "");
}

TEST_CASE("trip_formula_text: a step that the loop needs to end, and one that is negated") {
  CHECK(formula_of("%s", "add.i32 %i, %by nsw", "cmp.gt.i32 %i, %n", "mustprogress ") ==
        "0 if %s <= %n, else (%s - %n - 1) / -%by + 1, in 32 bits");
  CHECK(formula_of("%s", "add.i32 %i, %by nsw", "cmp.gt.i32 %i, %n") == "");
}

TEST_CASE("trip_formula_text: a counter that is widened, and nothing where nothing is computable") {
  CHECK(formula_of("-3", "add.i32 %i, 1 nsw", "cmp.lt.i64 %w, %m") == "0 if -2 >= %m, else %m - -2, in 64 bits");
  CHECK(formula_of("0", "add.i32 %i, 1 nsw", "cmp.lt.i32 %i1, 10") == "");
  CHECK(formula_of("%s", "add.i32 %i, 3", "cmp.lt.i32 %i1, %n") == "");
}
