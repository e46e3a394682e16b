// Loop versioning: comparisons of addresses choose a copy of a loop in which accesses do not meet.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "transform/profile_checks.hpp"
#include "transform/versioning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/to_eir.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/transform/clean_control.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::versioning_fault;
using midend::versioning_obstacle;

namespace {

/// A loop that copies bytes or words from b to a and adds something, guarded against no iterations.
struct copy_loop {
  std::string type = "i8"; ///< of the elements
  std::string bytes = "1"; ///< of the scale
  int start = 0;           ///< counts from here up to n, or down from n - 1
  bool is_down = false;
  std::string a_offset = "";
  std::string b_offset = "";

  std::string text() const {
    const std::string first = is_down ? "%last" : std::to_string(start);
    const std::string step = is_down ? "-1 nsw" : "1";
    const std::string test = is_down ? "cmp.gt.i64 %i, 0" : "cmp.lt.i64 %i1, %n";
    const std::string guard = is_down ? "cmp.ge.i64 %last, 0" : "cmp.gt.i64 %n, " + std::to_string(start);
    return "proc @f(%a: ptr, %b: ptr, %n: i64) {\n  node entry:\n    %last = sub.i64 %n, 1\n    %g = " + guard +
           "\n    br %g ? before : exit\n  node before:\n    br loop\n  node loop:\n" +
           "    %i = phi.i64 [before: " + first + "], [loop: %i1]\n    %v = ld." + type + " [%b + %i*" + bytes +
           b_offset + "]\n    %w = add." + type + " %v, 3\n    st." + type + " %w, [%a + %i*" + bytes + a_offset +
           "]\n    %i1 = add.i64 %i, " + step + "\n    %q = " + test +
           "\n    br %q ? loop : exit\n  node exit:\n    ret\n}\n";
  }
};

elbrus::procedure first_of(const std::string& text) {
  return program_of(text).procedures[0];
}

/// What happened in all runs.
struct run_counts {
  std::size_t runs = 0;
  std::size_t checked = 0; ///< in which control entered a copy
  std::size_t trapped = 0; ///< already before
};

/// Runs a program before and after for all `places` and `numbers`, with all classes checked. `is_apart(places,
/// numbers)` says whether the copy must be entered; `nothing_known` for either.
enum class expected : std::uint8_t { no, yes, nothing_known };

template <class IsApart>
run_counts check_runs(const versioned_procedure& x, const std::vector<std::vector<std::int64_t>>& places,
                      const std::vector<std::vector<std::int64_t>>& numbers, std::size_t bytes, IsApart is_apart) {
  const elbrus::program before = program_with(x.before);
  const elbrus::program after = program_with(x.after);
  elbrus::interpreter old(before);
  elbrus::interpreter now(after);
  run_counts counts;
  std::size_t wrong = 0;
  std::size_t inexact = 0;
  for (const auto& at : places) {
    for (const auto& n : numbers) {
      const auto wanted = run_with_places(old, at, bytes, n);
      const auto found = run_with_places(now, at, bytes, n);
      ++counts.runs;
      counts.trapped += wanted.trap ? 1u : 0u;
      const std::uint64_t times = entered(x, found);
      counts.checked += times != 0 ? 1u : 0u;
      const bool same = elbrus::compare_runs(wanted, found).verdict == elbrus::run_verdict::same;
      if (!same && wrong++ == 0) {
        const std::string why = found.trap ? elbrus::to_text(after.procedures, *found.trap) : std::string("no trap");
        CHECK_MESSAGE(same, why, "\n", elbrus::to_text(x.after));
      }
      const expected e = is_apart(at, n);
      inexact += e != expected::nothing_known && (e == expected::yes) != (times != 0) ? 1u : 0u;
    }
  }
  CHECK(wrong == 0);
  CHECK(inexact == 0);
  return counts;
}

std::vector<std::vector<std::int64_t>> all_pairs(std::int64_t from, std::int64_t to) {
  std::vector<std::vector<std::int64_t>> out;
  for (std::int64_t a = from; a != to; ++a) {
    for (std::int64_t b = from; b != to; ++b) {
      out.push_back({a, b});
    }
  }
  return out;
}

std::vector<std::vector<std::int64_t>> each_of(std::int64_t from, std::int64_t to) {
  std::vector<std::vector<std::int64_t>> out;
  for (std::int64_t n = from; n != to; ++n) {
    out.push_back({n});
  }
  return out;
}

constexpr auto anything = [](const auto&, const auto&) { return expected::nothing_known; };

constexpr expected known(bool is_apart) {
  return is_apart ? expected::yes : expected::no;
}

/// The obstacle of the only loop.
versioning_obstacle obstacle_of(const std::string& text) {
  const auto plan = planned_versions(first_of(text));
  REQUIRE(plan.candidates.size() == 1);
  return plan.candidates[0].obstacle;
}

constexpr std::int64_t smallest = -0x7fff'ffff'ffff'ffff - 1;

} // namespace

TEST_CASE("loop versioning: the start of an inner loop that is never negative is one symbol, however it is read") {
  // Of the continued fractions of the GSL: the counter of the loop around is the start, with a sign, and the number of
  // iterations, without one.
  const elbrus::procedure p = first_of(R"(
proc @f(%a: ptr, %b: ptr) {
  node entry:
    br outer
  node outer:
    %i = phi.i64 [entry: 0], [latch: %i1]
    %z = cmp.eq.i64 %i, 0
    br %z ? latch : before
  node before:
    br inner
  node inner:
    %k = phi.i64 [before: %i], [inner: %k1]
    %k1 = add.i64 %k, -1 nsw
    %x = ld.i64 [%a + %k1*8]
    st.i64 %x, [%b + %k1*8]
    %q = cmp.gt.i64 %k, 1
    br %q ? inner : latch
  node latch:
    %i1 = add.i64 %i, 1 nsw
    %c = cmp.eq.i64 %i1, 9
    br %c ? exit : outer
  node exit:
    ret
})");
  const auto flow = midend::dominators_and_loops(p);
  midend::wanted_loop inner;
  for (const midend::loop_id l : flow.loops.loops()) {
    inner.loop = flow.loops.depth(l) == 2 ? l : inner.loop;
  }
  REQUIRE(inner.loop != midend::no_loop);
  midend::loop_versioning_limits limits;
  limits.only = {&inner, 1};
  const midend::loop_versioning_plan plan = planned_versions(p, limits);
  REQUIRE(plan.loops.size() == 1);
  const versioned_procedure x = with_versions(p, plan); // with its certificates
  CHECK(elbrus::to_text(x.after).find("mul.i64 %i, -8") == std::string::npos);
}

TEST_CASE("loop versioning: a copy for arrays that do not meet, all overlaps, in both directions (#211962)") {
  for (const bool down : {false, true}) {
    for (const int start : {0, 2}) {
      copy_loop c;
      c.is_down = down;
      c.start = down ? 0 : start;
      const versioned_procedure x = with_versions(first_of(c.text()));
      REQUIRE(x.classes.loops.size() == 1);
      CHECK(x.verdict().pairs == 1);
      const run_counts counts = check_runs(x, all_pairs(0, 16), each_of(-1, 7), 24, [&](const auto& at, const auto& n) {
        return known(n[0] > c.start && (at[0] + n[0] <= at[1] + c.start || at[1] + n[0] <= at[0] + c.start));
      });
      CHECK(counts.trapped == 0);
      CHECK(counts.checked > 300);
    }
  }
}

TEST_CASE("loop versioning: elements of several bytes, offsets, and places that are not aligned") {
  for (const bool down : {false, true}) {
    copy_loop c;
    c.type = "i32";
    c.bytes = "4";
    c.a_offset = " + 3";
    c.b_offset = " - 1";
    c.is_down = down;
    const versioned_procedure x = with_versions(first_of(c.text()));
    const run_counts counts = check_runs(x, all_pairs(1, 20), each_of(1, 4), 40, [](const auto& at, const auto& n) {
      const std::int64_t a = at[0] + 3;
      const std::int64_t b = at[1] - 1;
      return known(a + 4 * n[0] <= b || b + 4 * n[0] <= a);
    });
    CHECK(counts.checked > 300);
  }
}

TEST_CASE("loop versioning: the text of the copy, and it is read again") {
  const versioned_procedure x = with_versions(first_of(copy_loop().text()));
  const std::string text = elbrus::to_text(x.after);
  const auto again = elbrus::parse(text);
  REQUIRE(again.diagnostics.empty());
  CHECK(elbrus::difference(x.after, again.program.procedures[0]).empty());
  CHECK(elbrus::to_text(again.program.procedures[0]) == text);
  CHECK(text.find("local=apart0:loop") != std::string::npos);
}

TEST_CASE("loop versioning: counters of 8 bits, all bounds") {
  for (const std::string extension : {"sext", "zext"}) {
    for (const std::string flags : {"", " nsw"}) {
      const std::string order = extension == "sext" ? "lt" : "ult";
      const versioned_procedure x = with_versions(
          first_of("proc @f(%a: ptr, %b: ptr, %m: i64) {\n  node entry:\n    %n = trunc.i64.i8 %m\n    br loop\n"
                   "  node loop:\n    %i = phi.i8 [entry: 0], [body: %i1]\n    %q = cmp." +
                   order + ".i8 %i, %n\n    br %q ? body : exit\n  node body:\n    %x = " + extension +
                   ".i8.i64 %i\n    %v = ld.i8 [%b + %x]\n    %w = xor.i8 %v, 1\n    st.i8 %w, [%a + %x]\n"
                   "    %i1 = add.i8 %i, 1" +
                   flags + "\n    br loop\n  node exit:\n    ret\n}\n"));
      const run_counts counts =
          check_runs(x, {{0, 0}, {0, 1}, {0, 100}, {300, 0}, {0, 255}, {0, 256}, {256, 0}, {254, 0}, {7, 134}},
                     each_of(-128, 128), 600, anything);
      MESSAGE(counts.checked, " of ", counts.runs);
      CHECK(counts.checked > 500);
    }
  }
}

TEST_CASE("loop versioning: a counter that wraps does not swap start and end (#127543)") {
  // The index is what wraps: no interval.
  CHECK(obstacle_of("proc @f(%a: ptr, %b: ptr, %n: i64, %s: i8) {\n  node entry:\n    br loop\n  node loop:\n"
                    "    %k = phi.i64 [entry: 0], [loop: %k1]\n    %i = phi.i8 [entry: %s], [loop: %i1]\n"
                    "    %x = zext.i8.i64 %i\n    %v = ld.i8 [%b + %x]\n    st.i8 %v, [%a + %x]\n"
                    "    %i1 = add.i8 %i, 1\n    %k1 = add.i64 %k, 1\n    %q = cmp.lt.i64 %k1, %n\n"
                    "    br %q ? loop : exit\n  node exit:\n    ret\n}\n") != versioning_obstacle::none);
}

namespace {

/// Leaves the loop when it reads 0; else stores if %p is not 0. Runs up to %n times, or `most` times.
std::string leaves_early(const std::string& most, const std::string& zero = "0") {
  return R"(
proc @f(%a: ptr, %b: ptr, %n: i64, %p: i64) -> i64 {
  node entry:
    %g = cmp.gt.i64 %n, 0
    %t = cmp.ne.i64 %p, 0
    br %g ? loop : exit
  node loop:
    %i = phi.i64 [entry: 0], [next: %i1]
    %v = ld.i16 [%b + %i*2]
    %z = cmp.eq.i16 %v, )" +
         (zero.empty() ? "0" : zero) + R"(
    br )" +
         (zero.empty() ? "store" : "%z ? exit : store") + R"(
  node store:
    %w = add.i16 %v, 3
    st.i16 %w, [%a + %i*2] ? %t
    br next
  node next:
    %i1 = add.i64 %i, 1 nsw
    %q = cmp.lt.i64 %i1, )" +
         most + R"(
    br %q ? loop : exit
  node exit:
    %r = phi.i64 [entry: -1], )" +
         (zero.empty() ? "" : "[loop: %i], ") + R"([next: %i1]
    ret %r
})";
}

} // namespace

TEST_CASE("loop versioning: early exits touch less, or end before (#128061)") {
  // The third number of the array is 5.
  const versioned_procedure x =
      with_versions(first_of(leaves_early("5", std::to_string(37 * 4 + 11 + 256 * ((37 * 5 + 11) % 256)))));
  REQUIRE(x.classes.loops.size() == 1);
  std::vector<std::vector<std::int64_t>> numbers{{0, 1}, {1, 1}};
  const run_counts counts = check_runs(x, all_pairs(0, 20), numbers, 40, [](const auto& at, const auto& n) {
    return known(n[0] > 0 && (at[0] + 10 <= at[1] || at[1] + 10 <= at[0]));
  });
  CHECK(counts.checked > 100);
  CHECK(counts.trapped == 0);
}

TEST_CASE("loop versioning: early exits of a loop whose bound is a parameter, without and with a guard") {
  for (const bool is_guarded : {false, true}) {
    std::string text = leaves_early("%n", std::to_string(37 * 4 + 11 + 256 * ((37 * 5 + 11) % 256)));
    if (!is_guarded) {
      text.replace(text.find("cmp.gt.i64 %n, 0"), 16, "cmp.ne.i64 %n, 77");
    }
    const versioned_procedure x = with_versions(first_of(text));
    REQUIRE(x.classes.loops.size() == 1);
    std::vector<std::vector<std::int64_t>> numbers{{smallest, 1}, {smallest + 1, 1}};
    for (std::int64_t n = -2; n != 6; ++n) {
      numbers.push_back({n, 1});
    }
    const run_counts counts = check_runs(x, all_pairs(0, 20), numbers, 40, [](const auto& at, const auto& n) {
      return known(n[0] > 0 && (at[0] + 2 * n[0] <= at[1] || at[1] + 2 * n[0] <= at[0]));
    });
    CHECK(counts.checked > 100);
    CHECK(counts.trapped == 0);
  }
}

TEST_CASE("loop versioning: what wraps lets the check fail") {
  const versioned_procedure x = with_versions(first_of(leaves_early("%n", "")));
  REQUIRE(x.classes.loops.size() == 1);
  // A run with a large number traps at the end of the array in both programs, and %p = 0 keeps it from storing. What
  // counts is which copy is entered.
  const std::int64_t base = std::int64_t{1} << 32;
  const std::vector<std::int64_t> large = {std::int64_t{1} << 61, (std::int64_t{1} << 62) - 1, std::int64_t{1} << 62,
                                           0x7fff'ffff'ffff'ffff, (std::int64_t{1} << 60) + 5};
  std::vector<std::vector<std::int64_t>> numbers;
  for (const std::int64_t n : large) {
    numbers.push_back({n, 0});
  }
  // a - base: so that a begins anywhere.
  check_runs(x, {{0, 0}, {100, 0}, {-base, 0}, {-base - 2, 0}, {smallest, 0}, {smallest + 7, 0}}, numbers, 16,
             [](const auto&, const auto&) { return expected::no; });
  // Few iterations, and an end beyond the address space.
  const run_counts counts =
      check_runs(x, {{-base - 2, 0}, {-base - 4, 0}, {-base - 6, 0}, {-base - 8, 0}, {-base, 0}}, {{3, 0}}, 16,
                 [&](const auto& at, const auto&) { return known(at[0] + base == 0 || at[0] + base <= -8); });
  CHECK(counts.checked == 2);
}

namespace {

/// a[i * s + j] = b[i * s + j] + b[i] over rows of 3, or over triangles: j <= i.
std::string nest_text(bool is_triangle) {
  return std::string("proc @f(%a: ptr, %b: ptr, %n: i64) {\n  node entry:\n    %g = cmp.gt.i64 %n, 0\n") +
         "    br %g ? rows : exit\n  node rows:\n    %i = phi.i64 [entry: 0], [end: %i1]\n    %r = mul.i64 %i, 3\n"
         "    br columns\n  node columns:\n    %j = phi.i64 [rows: 0], [columns: %j1]\n    %k = add.i64 %r, %j\n"
         "    %v = ld.i8 [%b + %k]\n    %u = ld.i8 [%b + %i]\n    %w = add.i8 %v, %u\n    st.i8 %w, [%a + %k]\n"
         "    %j1 = add.i64 %j, 1 nsw\n    %q = cmp." +
         (is_triangle ? "le.i64 %j1, %i" : "lt.i64 %j1, 3") +
         "\n    br %q ? columns : end\n  node end:\n    %i1 = add.i64 %i, 1 nsw\n    %p = cmp.lt.i64 %i1, %n\n"
         "    br %p ? rows : exit\n  node exit:\n    ret\n}\n";
}

} // namespace

TEST_CASE("loop versioning: a check of a nest covers the outer loop's movement (#57315)") {
  for (const bool is_triangle : {false, true}) {
    const elbrus::procedure p = first_of(nest_text(is_triangle));
    const auto plan = planned_versions(p);
    REQUIRE(plan.loops.size() == 1);
    CHECK(plan.loops[0].num_nodes == 3); // the whole nest
    const versioned_procedure x = with_versions(p, plan);
    const run_counts counts = check_runs(x, all_pairs(0, 20), each_of(0, 4), 40, [&](const auto& at, const auto& n) {
      if (is_triangle) {
        return expected::nothing_known; // its intervals have bytes that no iteration touches
      }
      return known(n[0] > 0 && (at[0] + 3 * n[0] <= at[1] || at[1] + 3 * n[0] <= at[0]));
    });
    CHECK(counts.checked > 100);
  }
}

namespace {

/// The outer loop exchanges p and q. In one run of the inner loop they may be apart; in two runs, they are not.
const std::string exchanged_bases = R"(
proc @f(%a: ptr, %b: ptr, %n: i64) -> i64 {
  node entry:
    br outer
  node outer:
    %p = phi.ptr [entry: %a], [end: %q]
    %q = phi.ptr [entry: %b], [end: %p]
    %o = phi.i64 [entry: 0], [end: %o1]
    %sum = phi.i64 [entry: 0], [end: %t1]
    br inner
  node inner:
    %i = phi.i64 [outer: 0], [inner: %i1]
    %t = phi.i64 [outer: %sum], [inner: %t1]
    %v = ld.i8 [%p + %i]
    %w = add.i8 %v, 3
    st.i8 %w, [%q + %i]
    %x = sext.i8.i64 %v
    %t1 = add.i64 %t, %x
    %i1 = add.i64 %i, 1 nsw
    %c = cmp.lt.i64 %i1, 4
    br %c ? inner : end
  node end:
    %o1 = add.i64 %o, 1 nsw
    %d = cmp.lt.i64 %o1, %n
    br %d ? outer : exit
  node exit:
    ret %t1
})";

} // namespace

TEST_CASE("loop versioning: classes hold in one run of the loop, not in two (#223173)") {
  const elbrus::procedure p = first_of(exchanged_bases);
  const versioned_procedure x = with_versions(p);
  REQUIRE(x.classes.loops.size() == 1);
  CHECK(x.after.node_name(x.classes.loops[0].other) == "inner");
  const run_counts counts = check_runs(x, all_pairs(0, 12), each_of(1, 4), 20, [](const auto& at, const auto&) {
    return known(at[0] + 4 <= at[1] || at[1] + 4 <= at[0]);
  });
  CHECK(counts.checked > 100);
  // The same classes for the whole procedure would be wrong, and the interpreter sees it.
  elbrus::procedure wrong = x.after;
  for (const midend::separated_access& a : x.classes.accesses) {
    wrong.set_alias(a.operation, wrong.access(a.operation).local);
  }
  const elbrus::program all = program_with(wrong);
  elbrus::interpreter running(all);
  const auto result = run_with_places(running, {0, 8}, 20, {2});
  REQUIRE(result.trap.has_value());
  CHECK(result.trap->kind == elbrus::trap_kind::classes_meet);
  CHECK(!result.trap->is_local);
  CHECK(x.verdict(wrong, x.classes).fault == versioning_fault::changed_class);
}

TEST_CASE("loop versioning: local classes that meet are a trap that names both") {
  elbrus::program all = program_of(R"(
proc @f(%a: ptr, %b: ptr, %n: i64) {
  node entry:
    %y = ld.i8 [%b] local=Q:loop
    br loop
  node loop:
    %i = phi.i64 [entry: 0], [loop: %i1]
    %v = ld.i8 [%b + %i] local=Q:loop
    st.i8 %v, [%a + %i] local=P:loop
    %i1 = add.i64 %i, 1
    %q = cmp.lt.i64 %i1, %n
    br %q ? loop : exit
  node exit:
    ret
})");
  elbrus::interpreter running(all);
  CHECK(!run_with_places(running, {0, 8}, 20, {8}).trap);
  CHECK(!run_with_places(running, {8, 0}, 20, {8}).trap);
  CHECK(run_with_places(running, {0, 0}, 20, {1}).trap.has_value()); // a load, then a store of the same byte
  const auto result = run_with_places(running, {0, 7}, 20, {8});
  REQUIRE(result.trap.has_value());
  const std::string text = elbrus::to_text(all.procedures, *result.trap);
  CHECK_MESSAGE(text.find("of class Q is accessed by class P") != std::string::npos, text);
}

TEST_CASE("loop versioning: what no check covers gets no class (#135168)") {
  const versioned_procedure x = with_versions(first_of(R"(
proc @f(%a: ptr, %b: ptr, %c: ptr, %n: i64) {
  node entry:
    %g = cmp.gt.i64 %n, 0
    br %g ? loop : exit
  node loop:
    %i = phi.i64 [entry: 0], [loop: %i1]
    %v = ld.i8 [%b + %i]
    %x = zext.i8.i64 %v
    %y = and.i64 %x, 7
    %w = ld.i8 [%c + %y]
    st.i8 %w, [%a + %i]
    %z = ld.i8 [%b + %i] volatile
    %i1 = add.i64 %i, 1 nsw
    %q = cmp.lt.i64 %i1, %n
    br %q ? loop : exit
  node exit:
    ret
})"));
  REQUIRE(x.classes.loops.size() == 1);
  CHECK(x.classes.accesses.size() == 2);
  std::vector<std::vector<std::int64_t>> places;
  for (std::int64_t a = 0; a != 12; ++a) {
    for (std::int64_t b = 0; b != 12; ++b) {
      for (const std::int64_t c : {0, 3, 8}) {
        places.push_back({a, b, c});
      }
    }
  }
  const run_counts counts = check_runs(x, places, {{4}}, 20, [](const auto& at, const auto&) {
    return known(at[0] + 4 <= at[1] || at[1] + 4 <= at[0]);
  });
  CHECK(counts.checked > 100);
}

TEST_CASE("loop versioning: several arrays, loads alone need no comparison, and classes that the program has") {
  const versioned_procedure x = with_versions(first_of(R"(
proc @f(%a: ptr, %b: ptr, %c: ptr, %n: i64) {
  node entry:
    %g = cmp.gt.i64 %n, 0
    br %g ? loop : exit
  node loop:
    %i = phi.i64 [entry: 0], [loop: %i1]
    %u = ld.i8 [%b + %i]
    %u2 = ld.i8 [%b + %i + 2]
    %v = ld.i8 [%c + %i*2] alias=C
    %w = add.i8 %u, %v
    %w2 = add.i8 %w, %u2
    st.i8 %w2, [%a + %i] alias=A
    %i1 = add.i64 %i, 1 nsw
    %q = cmp.lt.i64 %i1, %n
    br %q ? loop : exit
  node exit:
    ret
})"));
  REQUIRE(x.classes.loops.size() == 1);
  CHECK(x.classes.intervals.size() == 2);
  CHECK(x.verdict().pairs == 2);
}

TEST_CASE("loop versioning: refusals") {
  // One array, or classes that keep them apart.
  CHECK(obstacle_of("proc @f(%a: ptr, %n: i64) {\n  node entry:\n    br loop\n  node loop:\n"
                    "    %i = phi.i64 [entry: 0], [loop: %i1]\n    %v = ld.i8 [%a + %i]\n"
                    "    st.i8 %v, [%a + %i + 1]\n    %i1 = add.i64 %i, 1 nsw\n    %q = cmp.lt.i64 %i1, 9\n"
                    "    br %q ? loop : exit\n  node exit:\n    ret\n}\n") == versioning_obstacle::nothing_to_separate);
  copy_loop c;
  std::string text = c.text();
  text.replace(text.find("[%a + %i*1]"), 11, "[%a + %i*1] alias=A");
  text.replace(text.find("[%b + %i*1]"), 11, "[%b + %i*1] alias=B");
  CHECK(obstacle_of(text) == versioning_obstacle::nothing_to_separate);
  // No bound.
  CHECK(obstacle_of("proc @f(%a: ptr, %b: ptr) {\n  node entry:\n    br loop\n  node loop:\n"
                    "    %i = phi.i64 [entry: 0], [loop: %i1]\n    %v = ld.i8 [%b + %i]\n    st.i8 %v, [%a + %i]\n"
                    "    %i1 = add.i64 %i, 1 nsw\n    %q = cmp.ne.i8 %v, 0\n    br %q ? loop : exit\n"
                    "  node exit:\n    ret\n}\n") == versioning_obstacle::no_check);
  // Limits, and a loop that is a copy or has one.
  const elbrus::procedure p = first_of(copy_loop().text());
  midend::loop_versioning_limits limits;
  limits.max_cloned = 5;
  CHECK(planned_versions(p, limits).candidates[0].obstacle == versioning_obstacle::too_large);
  limits.max_cloned = 100;
  limits.max_checks = 0;
  CHECK(planned_versions(p, limits).candidates[0].obstacle == versioning_obstacle::too_many_checks);
  const auto again = planned_versions(with_versions(p).after);
  REQUIRE(again.candidates.size() == 2);
  CHECK(again.candidates[0].obstacle == versioning_obstacle::already_checked);
  CHECK(again.candidates[1].obstacle == versioning_obstacle::already_checked);
}

TEST_CASE("loop versioning: every mistake in classes, comparisons or the witness is found") {
  copy_loop c;
  c.a_offset = " + 1";
  const versioned_procedure x = with_versions(first_of(c.text()));
  REQUIRE(x.classes.loops.size() == 1);
  const midend::versioned_loop loop = x.classes.loops[0];
  std::size_t tried = 0;
  std::size_t missed = 0;
  const auto expect_fault = [&](const elbrus::procedure& now, const midend::loop_versioning_witness& w,
                                const std::string& what) {
    ++tried;
    const auto verdict = x.verdict(now, w);
    missed += verdict ? 1u : 0u;
    CHECK_MESSAGE(!verdict, what, "\n", elbrus::to_text(now));
  };
  // Each operation before the loop: another operand, another operation.
  for (const midend::value_id v : x.after.values(loop.gate)) {
    if (x.after.is_terminator(v)) {
      continue;
    }
    for (std::size_t i = 0; i != x.after.operands(v).size(); ++i) {
      const midend::value_id old = x.after.operands(v)[i];
      elbrus::procedure wrong = x.after;
      elbrus::editor e(wrong);
      const bool is_bit = wrong.core(old).type == elbrus::type::i1;
      const bool is_literal = wrong.core(old).kind == elbrus::value_kind::constant;
      e.set_operand(v, i, e.make_number(is_bit ? 1 : 64, is_literal ? wrong.literal_bits(old) + 1 : 1));
      expect_fault(wrong, x.classes, "operand " + std::to_string(i) + " of " + std::to_string(v));
    }
  }
  // < for <=, and a disjunction for the conjunction, by text.
  const std::string text = elbrus::to_text(x.after);
  const auto with = [&](const std::string& from, const std::string& to, std::size_t occurrence) {
    std::size_t at = text.find(from);
    for (; occurrence != 0 && at != std::string::npos; --occurrence) {
      at = text.find(from, at + 1);
    }
    return at == std::string::npos ? std::string() : text.substr(0, at) + to + text.substr(at + from.size());
  };
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"cmp.ule.i64", "cmp.uge.i64"},
                                                                                 {"cmp.ult.i64", "cmp.ule.i64"},
                                                                                 {"cmp.eq.i1", "cmp.ne.i1"},
                                                                                 {"and.i1", "or.i1"},
                                                                                 {"or.i1", "and.i1"},
                                                                                 {"cmp.lt.i64 %n", "cmp.le.i64 %n"}}) {
    for (std::size_t k = 0; !with(from, to, k).empty(); ++k) {
      // The text has other numbers of values: the operations are made in place instead.
      elbrus::procedure wrong = x.after;
      elbrus::editor e(wrong);
      std::size_t seen = 0;
      for (const midend::value_id v : x.after.values(loop.gate)) {
        const std::string name(elbrus::name_of(x.after.core(v).code));
        if (from.rfind(name, 0) == 0 && from.size() > name.size() && from[name.size()] == '.' && seen++ == k) {
          const auto operands = x.after.operands(v);
          const midend::operation_info info = elbrus::semantic_view(x.after).operation(v);
          midend::operation_info other = info;
          other.code = info.code == midend::operation::uless_equal ? midend::operation::ugreater_equal
                       : info.code == midend::operation::uless     ? midend::operation::uless_equal
                       : info.code == midend::operation::equal     ? midend::operation::not_equal
                       : info.code == midend::operation::bit_and   ? midend::operation::bit_or
                       : info.code == midend::operation::bit_or    ? midend::operation::bit_and
                                                                   : midend::operation::less_equal;
          const midend::value_id both[] = {operands[0], operands[1]};
          const midend::value_id made = e.make_operation(other, both, midend::place_before(v));
          e.replace_uses(v, made);
          expect_fault(wrong, x.classes, from + " " + std::to_string(k));
        }
      }
      if (seen <= k) {
        break;
      }
    }
  }
  // The branch the other way around.
  {
    elbrus::procedure wrong = x.after;
    elbrus::editor e(wrong);
    const midend::value_id condition = e.condition(loop.gate);
    midend::node_id targets[2] = {midend::no_node, midend::no_node};
    for (const midend::edge_id edge : x.after.out_edges(loop.gate)) {
      targets[x.after.case_value(edge)] = x.after.edge_target(edge);
    }
    e.erase_end(loop.gate);
    e.set_branch(loop.gate, condition, targets[0], targets[1]);
    midend::loop_versioning_witness w = x.classes;
    const auto verdict = midend::verify_loop_versioning(
        elbrus::cost_view(x.before), elbrus::cost_view(wrong),
        [&] {
          midend::unfolding_witness copies = x.copies;
          copies.grow(wrong.num_nodes(), wrong.num_edges(), wrong.num_values());
          return copies;
        }(),
        w);
    CHECK(verdict.fault == versioning_fault::no_gate);
  }
  // Classes: on an access that has none, another one on one access, of the other copy, of no loop.
  for (const midend::separated_access& a : x.classes.accesses) {
    for (const midend::separated_access& b : x.classes.accesses) {
      if (a.operation != b.operation) {
        elbrus::procedure wrong = x.after;
        wrong.set_local_class(a.operation, wrong.access(b.operation).local, loop.scope);
        expect_fault(wrong, x.classes, "the class of another access");
      }
    }
    elbrus::procedure wrong = x.after;
    wrong.set_local_class(a.operation, wrong.access(a.operation).local, loop.other);
    expect_fault(wrong, x.classes, "a class of the other loop");
    elbrus::procedure fresh = x.after;
    elbrus::editor e(fresh);
    e.set_memory_class(a.operation, e.make_memory_class(), midend::no_node);
    expect_fault(fresh, x.classes, "a class for the procedure");
    midend::loop_versioning_witness less = x.classes;
    less.accesses[a.operation == x.classes.accesses[0].operation ? 0 : 1] = less.accesses.back();
    less.accesses.pop_back();
    less.loops[0].num_accesses = 1;
    expect_fault(x.after, less, "an access without a reason");
  }
  for (const midend::value_id v : x.after.values(loop.other)) {
    if (x.after.core(v).code == elbrus::opcode::ld) {
      elbrus::procedure wrong = x.after;
      wrong.set_local_class(v, wrong.access(x.classes.accesses[0].operation).local, loop.other);
      expect_fault(wrong, x.classes, "classes in the loop as it was");
    }
  }
  // The witness: intervals of other accesses, begin and end exchanged, another loop.
  {
    midend::loop_versioning_witness w = x.classes;
    std::swap(w.accesses[0].interval, w.accesses[1].interval);
    expect_fault(x.after, w, "exchanged intervals");
    w = x.classes;
    std::swap(w.intervals[0].begin, w.intervals[0].end);
    expect_fault(x.after, w, "begin for end");
    w = x.classes;
    w.intervals[1].end = w.intervals[1].begin;
    expect_fault(x.after, w, "an empty interval");
    w = x.classes;
    std::swap(w.loops[0].scope, w.loops[0].other);
    expect_fault(x.after, w, "the other loop");
    w = x.classes;
    w.loops[0].gate = w.loops[0].scope;
    expect_fault(x.after, w, "another gate");
  }
  MESSAGE(tried, " mistakes, ", missed, " missed");
  CHECK(tried > 50);
  CHECK(missed == 0);
}

namespace {

/// A nest of one or two loops in text, with accesses at sums of counters times numbers.
std::string random_nest_text(random_source& random) {
  const bool is_nest = random.one_in(2);
  const bool is_down = random.one_in(3);
  const std::string bound = random.one_in(3) ? std::to_string(1 + random.below(4)) : "%n";
  std::string text =
      "proc @f(%a: ptr, %b: ptr, %c: ptr, %n: i64, %m: i64) -> i64 {\n  node entry:\n    %last = sub.i64 " + bound +
      ", 1\n    %g = cmp.ge.i64 %last, 0\n    br %g ? outer : exit\n  node outer:\n";
  text += "    %i = phi.i64 [entry: " + std::string(is_down ? "%last" : "0") + "], [next: %i1]\n";
  text += "    %s = phi.i64 [entry: 0], [next: %s2]\n    br " + std::string(is_nest ? "inner" : "body") + "\n";
  if (is_nest) {
    text += "  node inner:\n    %j = phi.i64 [outer: 0], [end: %j1]\n    %t = phi.i64 [outer: %s], [end: %s1]\n    br "
            "body\n";
  }
  text += "  node body:\n";
  std::string sum = is_nest ? "%t" : "%s";
  const std::size_t accesses = 2 + random.below(4);
  for (std::size_t k = 0; k != accesses; ++k) {
    const std::string id = std::to_string(k);
    const char* const types[] = {"i8", "i16", "i32"};
    const std::string type = types[random.below(3)];
    const auto coefficient = [&] {
      return std::to_string(static_cast<int>(random.below(5)) - (random.one_in(4) ? 4 : 0));
    };
    text += "    %x" + id + " = mul.i64 %i, " + coefficient() + "\n";
    std::string index = "%x" + id;
    if (is_nest) {
      text += "    %y" + id + " = mul.i64 %j, " + coefficient() + "\n    %z" + id + " = add.i64 %x" + id + ", %y" + id +
              "\n";
      index = "%z" + id;
    }
    if (random.one_in(4)) {
      text += "    %h" + id + " = add.i64 " + index + ", %m\n";
      index = "%h" + id;
    }
    const std::uint32_t offset = random.below(5);
    const std::string place = std::string("[%") + "abc"[random.below(3)] + " + " + index + "*1" +
                              (offset == 0 ? "" : " + " + std::to_string(offset)) + "]";
    const std::string alias = random.one_in(8) ? " alias=K" : "";
    if (k == 0 || random.one_in(2)) {
      text += "    %w" + id + " = trunc.i64." + type + " " + sum + "\n    st." + type + " %w" + id + ", " + place +
              alias + "\n";
    } else {
      text += "    %v" + id + " = ld." + type + " " + place + alias + "\n    %e" + id + " = zext." + type + ".i64 %v" +
              id + "\n    %p" + id + " = add.i64 " + sum + ", %e" + id + "\n    %u" + id + " = add.i64 %p" + id +
              ", 7\n";
      sum = "%u" + id;
    }
  }
  const bool leaves = random.one_in(5);
  if (leaves) {
    text += "    %l = cmp.ugt.i64 " + sum + ", 900\n    br %l ? out : " + (is_nest ? "end" : "next") + "\n";
  } else {
    text += std::string("    br ") + (is_nest ? "end" : "next") + "\n";
  }
  if (is_nest) {
    text += "  node end:\n    %s1 = add.i64 " + sum + ", 0\n    %j1 = add.i64 %j, 1 nsw\n    %q = cmp.lt.i64 %j1, " +
            (random.one_in(3) ? "%n" : std::to_string(1 + random.below(3))) + "\n    br %q ? inner : next\n";
    sum = "%s1";
  }
  text += "  node next:\n    %s2 = add.i64 " + sum + ", 1\n    %i1 = add.i64 %i, " + (is_down ? "-1 nsw" : "1 nsw") +
          "\n    %o = cmp." + (is_down ? "gt.i64 %i, 0" : "lt.i64 %i1, " + bound) + "\n    br %o ? outer : exit\n";
  if (leaves) {
    text += "  node out:\n    ret 5\n";
  }
  return text + "  node exit:\n    %r = phi.i64 [entry: 0], [next: %s2]\n    ret %r\n}\n";
}

} // namespace

TEST_CASE("loop versioning: random nests, random places") {
  std::size_t copied = 0;
  std::size_t runs = 0;
  std::size_t checked = 0;
  std::size_t trapped = 0;
  const std::uint64_t nests = affordable(600);
  for (std::uint64_t seed = 0; seed != nests; ++seed) {
    random_source random(seed);
    const std::string text = random_nest_text(random);
    const versioned_procedure x = with_versions(first_of(text));
    if (x.classes.loops.empty()) {
      continue;
    }
    ++copied;
    std::vector<std::vector<std::int64_t>> places;
    for (int k = 0; k != 24; ++k) {
      const auto at = [&] { return static_cast<std::int64_t>(20 + random.below(k % 2 == 0 ? 30 : 100)); };
      const std::int64_t a = at();
      const std::int64_t b = at();
      places.push_back({a, b, at()});
    }
    const run_counts counts = check_runs(x, places, {{1, 0}, {3, 2}, {4, -3}, {2, 30}}, 160, anything);
    runs += counts.runs;
    checked += counts.checked;
    trapped += counts.trapped;
  }
  MESSAGE(copied, " of ", nests, " nests have a copy; it is entered in ", checked, " of ", runs, " runs; ", trapped,
          " trap before");
  CHECK(copied > nests / 4);
  CHECK(checked > runs / 10);
}

TEST_CASE("loop versioning: classes of a loop end where its header becomes that of the loop around it") {
  elbrus::procedure p = first_of(R"(
proc @f(%a: ptr, %b: ptr, %n: i64) {
  node entry:
    br outer
  node outer:
    br inner
  node inner:
    %i = phi.i64 [outer: 0], [inner: %i1]
    %v = ld.i8 [%b + %i] local=Q:inner
    st.i8 %v, [%a + %i] local=P:inner
    %i1 = add.i64 %i, 1
    %q = cmp.lt.i64 %i1, %n
    br %q ? inner : end
  node end:
    %c = cmp.eq.i8 %v, 7
    br %c ? outer : exit
  node exit:
    ret
})");
  elbrus::cost_editor e(p);
  const midend::value_id load = value_named(p, "v");
  CHECK(e.memory(load)->local != midend::any_memory);
  CHECK(e.memory(load)->scope == node_named(p, "inner"));
  midend::clean_control(e);
  CHECK(node_named(p, "outer") == midend::no_node);
  CHECK(e.memory(load)->local == midend::any_memory);
  CHECK(elbrus::to_text(p).find("local") == std::string::npos);
  // A node with one edge into it may go.
  const versioned_procedure x = with_versions(first_of(copy_loop().text()));
  elbrus::procedure q = x.after;
  elbrus::cost_editor other(q);
  midend::clean_control(other);
  CHECK(q.node(x.classes.loops[0].scope).erased == false);
  CHECK(other.memory(x.classes.accesses[0].operation)->local != midend::any_memory);
}

TEST_CASE("loop versioning: counts of a profile add up") {
  elbrus::procedure p = first_of(copy_loop().text());
  const elbrus::program all = program_with(p);
  elbrus::interpreter running(all);
  elbrus::run_profile profile;
  for (std::int64_t n = 0; n != 300; ++n) {
    elbrus::add_profile(profile, run_with_places(running, {0, 500}, 1000, {n}).profile);
  }
  elbrus::write_profile(p, profile[0]);
  REQUIRE(why_inconsistent(p).empty());
  const versioned_procedure x = with_versions(p);
  REQUIRE(x.classes.loops.size() == 1);
  CHECK_MESSAGE(why_inconsistent(x.after).empty(), why_inconsistent(x.after), "\n", elbrus::to_text(x.after));
}

namespace {

/// The names of the procedures in which a loop gets a copy.
std::string names_with_copies(const std::string& text) {
  std::string names;
  for (const elbrus::procedure& p : program_of(text).procedures) {
    const versioned_procedure x = with_versions(p);
    if (!x.classes.loops.empty()) {
      names += (names.empty() ? "" : " ") + std::string(p.name());
    }
  }
  return names;
}

} // namespace

TEST_CASE("loop versioning: the kernels, where it happens and where it must not") {
  std::ifstream file(MIDEND_TEST_DATA "/../kernels/kernels.eir");
  REQUIRE(file);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  CHECK(names_with_copies(text) == ""); // `restrict` has become classes
  for (std::size_t at = text.find(" alias="); at != std::string::npos; at = text.find(" alias=")) {
    text.erase(at, text.find_first_of(" \n", at + 1) - at);
  }
  // Not loops that only load, or work on one array, nor where data is an index (crc_table, histogram), or a product
  // (transpose).
  CHECK(names_with_copies(text) ==
        "saxpy copy_bytes stencil moving_average complex_multiply interleave matrix_4x4 fir");
}

TEST_CASE("loop versioning: a counter that is compared for equality, with and without a guard, in 64 and 32 bits") {
  for (const bool is_guarded : {false, true}) {
    for (const bool is_narrow : {false, true}) {
      const std::string bound = is_narrow ? "%w" : "%n";
      const versioned_procedure x = with_versions(first_of(
          "proc @f(%a: ptr, %b: ptr, %n: i64) {\n  node entry:\n    %t = trunc.i64.i32 %n\n"
          "    %w = sext.i32.i64 %t\n    %g = cmp." +
          std::string(is_guarded ? "gt.i64 " : "ne.i64 ") + bound + ", " + (is_guarded ? "0" : "99") +
          "\n    br %g ? loop : exit\n  node loop:\n    %i = phi.i64 [entry: 0], [loop: %i1]\n"
          "    %v = ld.i8 [%b + %i]\n    st.i8 %v, [%a + %i + 1]\n    %i1 = add.i64 %i, 1\n    %q = cmp.eq.i64 %i1, " +
          bound + "\n    br %q ? exit : loop\n  node exit:\n    ret\n}\n"));
      REQUIRE(x.classes.loops.size() == 1);
      // Without a guard, 0 and less run until they trap, in the loop as it was.
      const run_counts counts =
          check_runs(x, all_pairs(0, 12), {{smallest}, {smallest + 1}, {-2}, {0}, {1}, {2}, {5}}, 20,
                     [&](const auto& at, const auto& numbers) {
                       const std::int64_t n =
                           is_narrow ? static_cast<std::int32_t>(numbers[0] & 0xffff'ffff) : numbers[0];
                       return known(n > 0 && (at[0] + 1 + n <= at[1] || at[1] + n <= at[0] + 1) && n < 100);
                     });
      CHECK(counts.checked > 100);
    }
  }
}

TEST_CASE("loop versioning: local classes in flat programs, in equality and in the verifier") {
  const versioned_procedure x = with_versions(first_of(copy_loop().text()));
  const midend::versioned_loop loop = x.classes.loops[0];
  const midend::value_id access = x.classes.accesses[0].operation;
  const elbrus::cost_view view(x.after);
  const midend::flat_program flat = midend::frozen(view);
  CHECK(flat.memory(access)->local == view.memory(access)->local);
  CHECK(flat.memory(access)->scope == loop.scope);
  // The loop alone: its header is node 1. A loop inside of the scope has its own run.
  const auto found = midend::dominators_and_loops(x.after);
  midend::extract_loop_workspace workspace;
  midend::extracted_loop alone;
  midend::extract_loop(view, found.dominators, found.loops, found.loops.innermost_loop(loop.scope), {}, workspace,
                       alone);
  std::size_t local = 0;
  for (const midend::value_id v : alone.program.values(midend::extracted_loop::header)) {
    const auto m = alone.program.memory(v);
    local += m && m->local != midend::any_memory && m->scope == midend::extracted_loop::header ? 1u : 0u;
  }
  CHECK(local == 2);
  const auto text = elbrus::to_eir(alone.program);
  REQUIRE(text);
  CHECK(elbrus::to_text(text.program).find(" local=m") != std::string::npos);
  // Another class, another loop, none.
  for (const auto& [c, scope] : std::vector<std::pair<std::uint32_t, node_id>>{
           {x.after.access(x.classes.accesses[1].operation).local, loop.scope},
           {x.after.access(access).local, loop.other},
           {midend::any_memory, loop.scope}}) {
    elbrus::procedure other = x.after;
    other.set_local_class(access, c, scope);
    CHECK(!elbrus::difference(x.after, other).empty());
    CHECK(elbrus::verify(other).empty());
  }
  elbrus::procedure wrong = x.after;
  wrong.set_local_class(access, 77, loop.scope);
  CHECK(elbrus::verify(wrong).size() == 1);
  wrong.set_local_class(access, 0, 7777);
  CHECK(elbrus::verify(wrong).size() == 1);
}
