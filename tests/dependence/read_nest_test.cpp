// read_nest: programs as text, whole types of 8 bits, and traps of public reports.
#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/dependence/dependence.hpp>
#include <midend/dependence/read_nest.hpp>
#include <midend/dependence/verify_dependences.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/viz/dependences.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::access_id;
using midend::dependence_answer;
using midend::dependence_result;
using midend::iteration_order;
using midend::only;
using midend::place_obstacle;

namespace {

/// The first outermost loop of the first procedure of a text.
struct nest_of_text {
  parsed_procedure parsed;
  midend::function_nest nest;
  std::vector<std::string> places;

  explicit nest_of_text(const std::string& text) : parsed(text) {
    const midend::elbrus::procedure& p = parsed.procedure();
    const midend::elbrus::cost_view ir(p);
    const auto flow = midend::dominators_and_loops(p);
    const midend::strided_interval_domain domain;
    const auto known = midend::sccp_with_branch_facts(ir, domain);
    std::vector<midend::number_facts> facts;
    for (midend::value_id v = 0; v != ir.num_values(); ++v) {
      const auto& fact = known.fact(v);
      facts.push_back(fact.is_bottom() ? midend::number_facts::any(ir.operation(v).width) : domain.facts(fact));
    }
    const midend::value_evolutions found = midend::evolutions(ir, flow.loops, facts);
    nest = midend::read_nest(ir, flow.loops, flow.dominators, found, facts, 0);
    for (access_id a = 0; a != nest.accesses.num_accesses(); ++a) {
      places.push_back(midend::nest_place_text(nest, flow.loops, a, names_of{p}));
    }
  }

  dependence_result between(access_id a, access_id b) const {
    dependence_result out = midend::dependence(nest.accesses, a, b);
    CHECK(!midend::verify_dependences(nest.accesses, {&out, 1}));
    return out;
  }
};

/// A loop in a procedure `@f(%a: i64, %b: i64, %n: i64, %c: i1)`, whose counter goes up from 0 to 99.
std::string in_loop(const std::string& body, const std::string& before = "") {
  return R"(
proc @f(%a: i64, %b: i64, %n: i64, %c: i1) -> i32 {
  node entry:
)" + before +
         R"(    br loop
  node loop:
    %i = phi.i64 [entry: 0], [body: %i1]
    %more = cmp.lt.i64 %i, 100
    br %more ? body : exit
  node body:
)" + body +
         R"(    %i1 = add.i64 %i, 1
    br loop
  node exit:
    ret 0
}
)";
}

/// Two accesses of a loop that counts in 8 bits, however it ends.
struct byte_loop {
  int start;
  int step;
  int bound;
  const char* test; ///< the loop goes on while it holds
  int factors[2];
  int offset;    ///< of the second index, in 8 bits
  bool promises; ///< the step does not wrap as a signed number
};

std::string text_of(const byte_loop& l) {
  const auto n = [](int number) { return std::to_string(number); };
  return R"(
proc @f(%a: i64) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i8 [entry: )" +
         n(l.start) + R"(], [body: %i1]
    %more = cmp.)" +
         l.test + ".i8 %i, " + n(l.bound) + R"(
    br %more ? body : exit
  node body:
    %j = add.i8 %i, )" +
         n(l.offset) + R"(
    %x = ld.i16 [%a + %i*)" +
         n(l.factors[0]) + R"(]
    st.i16 %x, [%a + %j*)" +
         n(l.factors[1]) + R"(]
    %i1 = add.i8 %i, )" +
         n(l.step) + (l.promises ? " nsw" : "") + R"(
    br loop
  node exit:
    ret 0
}
)";
}

bool goes_on(const byte_loop& l, std::int8_t i) {
  const auto b = static_cast<std::int8_t>(l.bound);
  const std::string test = l.test;
  return test == "lt"    ? i < b
         : test == "gt"  ? i > b
         : test == "ult" ? static_cast<std::uint8_t>(i) < static_cast<std::uint8_t>(b)
                         : i != b;
}

/// Runs it for at most 600 iterations: all its numbers come again after 256. A run that breaks a promise has no
/// meaning.
struct byte_loop_runs {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> second;
  bool has_meaning = true;

  explicit byte_loop_runs(const byte_loop& l) {
    auto i = static_cast<std::int8_t>(l.start);
    for (int k = 0; k != 600 && has_meaning && goes_on(l, i); ++k) {
      first.push_back(i * l.factors[0]);
      second.push_back(static_cast<std::int8_t>(i + l.offset) * l.factors[1]);
      has_meaning = !l.promises || (i + l.step >= -128 && i + l.step <= 127);
      i = static_cast<std::int8_t>(i + l.step);
    }
  }

  /// The orders in which the accesses meet.
  unsigned orders() const {
    unsigned out = 0;
    for (std::size_t x = 0; x != first.size(); ++x) {
      for (std::size_t y = 0; y != second.size(); ++y) {
        const std::int64_t d = first[x] - second[y];
        out |= d > -2 && d < 2 ? 1U << (x < y ? 0 : x == y ? 1 : 2) : 0;
      }
    }
    return out;
  }
};

void compare_byte_loops(std::size_t every) {
  std::size_t number = 0;
  std::size_t loops = 0;
  std::size_t independent = 0;
  std::size_t found = 0;
  std::size_t known = 0;
  for (const char* test : {"lt", "gt", "ult", "ne"}) {
    for (const int step : {1, 2, -1, -3, 64}) {
      for (int start = -128; start != 128; ++start) {
        for (int bound = -128; bound != 128; ++bound) {
          if (number++ % every != 0) {
            continue;
          }
          const std::size_t shape = number / every;
          const int offsets[] = {0, 3, -1, 127, -128};
          const byte_loop l{
              start,         step, bound, test, {shape % 3 == 0 ? 1 : 4, shape % 5 == 0 ? 2 : 4}, offsets[shape % 5],
              shape % 2 == 0};
          const byte_loop_runs runs(l);
          if (!runs.has_meaning) {
            continue;
          }
          const nest_of_text read(text_of(l));
          const dependence_result r = read.between(0, 1);
          const unsigned really = runs.orders();
          ++loops;
          independent += really == 0 ? 1 : 0;
          found += r.is_independent() ? 1 : 0;
          known += r.answer != dependence_answer::unknown ? 1 : 0;
          CAPTURE(text_of(l));
          REQUIRE((really & ~unsigned{r.orders[0]}) == 0);
        }
      }
    }
  }
  MESSAGE(loops << " loops that count in 8 bits, " << independent << " independent, found " << found << "; " << known
                << " known");
  CHECK(known != loops);
  CHECK(found * 4 > independent);
}

} // namespace

TEST_CASE("read_nest: loops that count in 8 bits, whatever wraps") {
  compare_byte_loops(1409);
}

TEST_CASE("read_nest: all starts and bounds of loops that count in 8 bits, long" * doctest::skip()) {
  compare_byte_loops(7);
}

TEST_CASE("read_nest: places, symbols and limits") {
  const nest_of_text read(R"(
proc @f(%a: i64, %n: i32) -> i32 {
  node entry:
    br rows
  node rows:
    %i = phi.i64 [entry: 0], [next_row: %i1]
    br columns
  node columns:
    %j = phi.i64 [rows: 0], [column: %j1]
    %inside = cmp.lt.i64 %j, %i
    br %inside ? column : next_row
  node column:
    %row = mul.i64 %i, 100
    %at = add.i64 %row, %j
    %x = ld.i32 [%a + %at*4 - 4]
    %shifted = add.i64 %a, 8
    %y = ld.i32 [%shifted + %n*4]
    st.i32 %x, [%a + %at*4]
    %j1 = add.i64 %j, 1
    br columns
  node next_row:
    st.i32 0, [%a]
    %i1 = add.i64 %i, 1
    %more = cmp.lt.i64 %i1, 100
    br %more ? rows : exit
  node exit:
    ret 0
}
)");
  const midend::nest_accesses& nest = read.nest.accesses;
  REQUIRE(nest.num_accesses() == 4);
  CHECK(read.places[0] == "%a + 4*k(columns) + 400*k(rows) - 4, 4 bytes");
  CHECK(read.places[1] == "%a + 4*sext(%n) + 8, 4 bytes");
  CHECK(read.places[2] == "%a + 4*k(columns) + 400*k(rows), 4 bytes");
  CHECK(read.places[3] == "%a, 4 bytes");
  CHECK(nest.counter(0).trips == 100);
  CHECK(nest.counter(0).bound == midend::trip_bound::exact);
  CHECK(nest.counter(1).has_limit);
  CHECK(nest.access(0).skipped == 2); // the test of the inner loop comes before it
  CHECK(nest.access(3).skipped == 0);
  CHECK(nest.common_levels(0, 3) == 1);
  const dependence_result left = read.between(0, 2);
  CHECK(left.orders[0] == only(iteration_order::same));
  CHECK(left.orders[1] == only(iteration_order::after));
  CHECK(left.distance(1) == -1);
  CHECK(read.between(2, 2).is_independent());
  CHECK(read.between(2, 3).is_independent());                       // no iteration of row 0 runs the store
  CHECK(read.between(0, 3).is_independent());                       // row 0 has no columns
  CHECK(read.between(1, 3).answer == dependence_answer::dependent); // if %n is -2
}

TEST_CASE("read_nest: an index that may wrap before it is extended is not affine") {
  const std::string before = "    %start = trunc.i64.i32 %n\n";
  const nest_of_text sums(in_loop(R"(    %narrow = trunc.i64.i32 %i
    %k = add.i32 %narrow, %start
    %sum = add.i32 %narrow, %start nsw
    %x = ld.i32 [%a + %k*4]
    %y = ld.i32 [%a + %sum*4]
    st.i32 %y, [%a + %i*4]
)",
                                  before));
  CHECK(sums.places[0] == "unknown: no sum of counters times numbers, extended, and it may wrap, 4 bytes");
  CHECK(sums.places[1] == "%a + 4*k(loop) + 4*sext(%start), 4 bytes");
  CHECK(sums.between(0, 2).answer == dependence_answer::unknown);
}

TEST_CASE("read_nest: the promise of an operation that some iterations skip says nothing") {
  const nest_of_text skipped(R"(
proc @f(%a: i64, %n: i32, %c: i1) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: %n], [latch: %i1]
    st.i32 %i, [%a + %i*4]
    %i1 = add.i32 %i, 1
    br %c ? other : latch
  node other:
    %promised = add.i32 %i, 1 nsw
    st.i32 %promised, [%a + %promised*4]
    br latch
  node latch:
    %more = cmp.ne.i32 %i1, 5
    br %more ? loop : exit
  node exit:
    ret 0
}
)");
  REQUIRE(skipped.places.size() == 2);
  CHECK(skipped.places[0].substr(0, 7) == "unknown");
  CHECK(skipped.between(0, 0).answer == dependence_answer::unknown);
}

TEST_CASE("read_nest: a base that the loop changes is no base") {
  const nest_of_text moving(R"(
proc @f(%a: i64, %b: i64, %c: i1) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %p = phi.i64 [entry: %a], [loop: %q]
    %r = phi.i64 [entry: %a], [loop: %r1]
    st.i32 %i, [%p]
    st.i32 %i, [%r]
    %q = ld.i64 [%p + 8]
    %r1 = add.i64 %r, 16
    %i1 = add.i32 %i, 1
    %more = cmp.lt.i32 %i1, 50
    br %more ? loop : exit
  node exit:
    ret 0
}
)");
  CHECK(moving.places[0].substr(0, 7) == "unknown");
  CHECK(moving.places[1] == "%a + 16*k(loop), 4 bytes"); // by a number in each iteration: counted
  CHECK(moving.between(0, 1).answer == dependence_answer::unknown);
  CHECK(moving.between(1, 1).is_independent());
}

TEST_CASE("read_nest: dimensions are not guessed") {
  const nest_of_text product(in_loop(R"(    %row = mul.i64 %i, %n
    %x = ld.i32 [%a + %row*4]
    %at = add.i64 %row, 1
    st.i32 %x, [%a + %at*4]
)"));
  CHECK(product.places[0] == "unknown: no sum of counters times numbers, a product of values, 4 bytes");
  CHECK(product.between(0, 1).answer == dependence_answer::unknown);
}

TEST_CASE("read_nest: calls, volatile accesses and classes") {
  const nest_of_text mixed(in_loop(R"(    %x = ld.i32 [%a + %i*4] alias=A
    st.i32 %x, [%b + %i*4] alias=B
    %y = ld.i32 [%a + %i*4] alias=A volatile
    %z = call.i64 @host(%i)
)"));
  REQUIRE(mixed.places.size() == 4);
  CHECK(mixed.between(0, 1).by == midend::dependence_test::classes);
  CHECK(mixed.places[2] == "unknown: volatile");
  CHECK(mixed.places[3] == "unknown: a call");
  CHECK(mixed.between(0, 2).answer == dependence_answer::unknown);
  CHECK(mixed.between(1, 3).answer == dependence_answer::unknown);
}

TEST_CASE("read_nest: cycles with several entries are refused") {
  const nest_of_text cycle(R"(
proc @f(%a: i64, %c: i1, %d: i1) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i64 [entry: 0], [latch: %i1]
    br %c ? one : two
  node one:
    st.i64 %i, [%a + %i*8]
    br two
  node two:
    br %d ? one : latch
  node latch:
    %i1 = add.i64 %i, 1
    %more = cmp.lt.i64 %i1, 9
    br %more ? loop : exit
  node exit:
    ret 0
}
)");
  CHECK(cycle.nest.obstacle == midend::nest_obstacle::irreducible_cycle);
}
