// loop_package.hpp: what the package makes of loops, and that it keeps its promises.
#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loop_package/loop_package.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/transform/verify_condition_split.hpp>
#include <midend/transform/verify_loop_versioning.hpp>
#include <midend/transform/verify_unfolding.hpp>
#include <midend/viz/loop_package.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

using namespace midend_tests;
using namespace midend::elbrus;
using midend::loop_package;
using midend::loop_package_log;
using midend::loop_package_options;

namespace {

procedure parsed(std::string_view text) {
  return parsed_procedure(text).program.procedures[0];
}

loop_package_log run_package(procedure& p, const loop_package_options& options = {}) {
  cost_editor editor(p);
  return loop_package().run(editor, midend::e2k_reference_v6(), options);
}

std::size_t num_loops(const procedure& p) {
  return midend::dominators_and_loops(p).loops.num_loops();
}

/// Only the member of this name.
loop_package_options only(std::string_view name) {
  loop_package_options options;
  for (std::size_t i = 0; i != loop_package::size; ++i) {
    options.without |= loop_package::name(i) == name ? 0 : std::uint64_t{1} << i;
  }
  return options;
}

/// `count` loops one after the other, each of which runs `trip` times, or `%n` times if that is empty.
std::string independent_loops(std::size_t count, const std::string& trip) {
  std::string text = "proc @p(%a: ptr, %n: i64) -> i64 {\n  node entry:\n    br l0\n";
  for (std::size_t i = 0; i != count; ++i) {
    const std::string k = std::to_string(i);
    const std::string before = i == 0 ? "entry" : "l" + std::to_string(i - 1);
    const std::string after = i + 1 == count ? "exit" : "l" + std::to_string(i + 1);
    text += "  node l" + k + ":\n";
    text += "    %i" + k + " = phi.i64 [" + before + ": 0], [l" + k + ": %j" + k + "]\n";
    text += "    %v" + k + " = ld.i64 [%a + %i" + k + "*8] alias=A\n";
    text += "    %w" + k + " = add.i64 %v" + k + ", " + k + "\n";
    text += "    st.i64 %w" + k + ", [%a + %i" + k + "*8] alias=A\n";
    text += "    %j" + k + " = add.i64 %i" + k + ", 1 nsw\n";
    text += "    %c" + k + " = cmp.lt.i64 %j" + k + ", " + (trip.empty() ? "%n" : trip) + "\n";
    text += "    br %c" + k + " ? l" + k + " : " + after + "\n";
  }
  return text + "  node exit:\n    ret 0\n}\n";
}

constexpr const char* matrix_3x3 = R"(
proc @matrix(%a: ptr, %b: ptr, %c: ptr) {
  node entry:
    br rows
  node rows:
    %i = phi.i64 [entry: 0], [rows_end: %i1]
    br columns
  node columns:
    %j = phi.i64 [rows: 0], [columns_end: %j1]
    br sum
  node sum:
    %k = phi.i64 [columns: 0], [sum: %k1]
    %s = phi.i32 [columns: 0], [sum: %s1]
    %r = mul.i64 %i, 3
    %ik = add.i64 %r, %k
    %x = ld.i32 [%a + %ik*4] alias=A
    %t = mul.i64 %k, 3
    %kj = add.i64 %t, %j
    %y = ld.i32 [%b + %kj*4] alias=B
    %xy = mul.i32 %x, %y
    %s1 = add.i32 %s, %xy
    %k1 = add.i64 %k, 1
    %more = cmp.lt.i64 %k1, 3
    br %more ? sum : columns_end
  node columns_end:
    %u = mul.i64 %i, 3
    %ij = add.i64 %u, %j
    st.i32 %s1, [%c + %ij*4] alias=C
    %j1 = add.i64 %j, 1
    %next = cmp.lt.i64 %j1, 3
    br %next ? columns : rows_end
  node rows_end:
    %i1 = add.i64 %i, 1
    %again = cmp.lt.i64 %i1, 3
    br %again ? rows : exit
  node exit:
    ret
})";

} // namespace

TEST_CASE("loop package: a nest of known trips is unrolled from inside out, until no loop is left") {
  procedure p = parsed(matrix_3x3);
  const loop_package_log log = run_package(p);
  CHECK(num_loops(p) == 0);
  CHECK(log.manager.changes == 3);
  CHECK(log.manager.rebuilds == 3);
  REQUIRE(log.changes.size() == 3);
  for (const auto& c : log.changes) {
    CHECK(std::string(loop_package::name(c.change.member)) == "complete unrolling");
    CHECK(c.is_applied);
    CHECK(c.cycles_after < c.cycles_before);
  }
  CHECK(log.cycles_after < log.cycles_before / 5);
  CHECK(verify(p).empty());
}

TEST_CASE("loop package: one rebuild serves k independent loops, n/r = k") {
  for (const std::size_t k : {1u, 2u, 7u, 20u}) {
    procedure p = parsed(independent_loops(k, "4"));
    loop_package_options options;
    options.max_size = 100'000;
    const loop_package_log log = run_package(p, options);
    CHECK(log.manager.changes == k);
    CHECK(log.manager.rebuilds == 1);
    CHECK(num_loops(p) == 0);
  }
}

TEST_CASE("loop package: rebuilding after each change gives the same program, with n/r = 1") {
  for (const char* trip : {"4", ""}) {
    procedure p = parsed(independent_loops(6, trip));
    procedure q = p;
    loop_package_options options;
    options.max_size = 100'000;
    const loop_package_log together = run_package(p, options);
    options.manager.max_changes = 1;
    const loop_package_log single = run_package(q, options);
    CHECK(single.manager.changes == together.manager.changes);
    CHECK(single.manager.rebuilds == single.manager.changes);
    CHECK(together.manager.rebuilds < single.manager.rebuilds);
    CHECK(single.size_after == together.size_after);
    CHECK(single.cycles_after == doctest::Approx(together.cycles_after));
  }
}

TEST_CASE("loop package: the procedure never passes its limit, and what had no room is said") {
  for (const std::uint64_t limit : {std::uint64_t{40}, std::uint64_t{60}, std::uint64_t{80}, std::uint64_t{120},
                                    std::uint64_t{200}, std::uint64_t{400}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
    procedure p = parsed(independent_loops(5, ""));
    loop_package_options options;
    options.max_size = limit;
    const loop_package_log log = run_package(p, options);
    CHECK(log.max_size == limit);
    CHECK(log.largest_size <= limit);
    CHECK(log.size_after <= log.largest_size);
    if (limit < 60) {
      CHECK(log.manager.changes == 0);
      CHECK(log.vetoes() != 0);
      CHECK(log.refused[0].why == midend::loop_package_refusal_reason::no_room);
    }
  }
}

TEST_CASE("loop package: a nest so deep that its time is no number") {
  constexpr std::size_t depth = 400;
  std::string text = "proc @f(%x: i32) -> i32 {\n  node h0:\n    br h1\n";
  std::string ends;
  for (std::size_t i = 1; i <= depth; ++i) {
    const std::string k = std::to_string(i);
    const std::string before = std::to_string(i - 1);
    text += "  node h" + k + ":\n    %i" + k + " = phi.i32 [h" + before + ": 0], [t" + k + ": %n" + k + "]\n    br " +
            (i == depth ? "t" + k : "h" + std::to_string(i + 1)) + "\n";
    ends = "  node t" + k + ":\n    %n" + k + " = add.i32 %i" + k + ", 1\n    %q" + k + " = cmp.lt.i32 %n" + k +
           ", %x\n    br %q" + k + " ? h" + k + " : " + (i == 1 ? "out" : "t" + before) + "\n" + ends;
  }
  procedure p = parsed(text + ends + "  node out:\n    ret 0\n}\n");
  const loop_package_log log = run_package(p, only("unswitching"));
  CHECK(log.manager.is_complete);
  CHECK(log.refused.size() == depth);
  CHECK(log.refused[depth - 1].why == midend::loop_package_refusal_reason::too_large);
  CHECK_FALSE(midend::summary_text(log).empty());
}

TEST_CASE("loop package: equal loops that do not pay are tried once") {
  procedure p = parsed(independent_loops(6, ""));
  loop_package_options options;
  options.without = ~std::uint64_t{0};
  const loop_package_log log = run_package(p, options);
  CHECK(log.manager.changes == 0);
  // Each loop adds another number, so only the loops without a change are tried.
  CHECK(log.trials == 6);
  std::string text = independent_loops(6, "");
  for (std::size_t i = 1; i != 6; ++i) {
    const std::string k = std::to_string(i);
    const std::string line = "add.i64 %v" + k + ", " + k;
    text.replace(text.find(line), line.size(), "add.i64 %v" + k + ", 0");
  }
  procedure q = parsed(text);
  const loop_package_log same = run_package(q, options);
  CHECK(same.trials == 2); // the last loop has another exit: no phi is there
  std::size_t known = 0;
  for (const auto& r : same.refused) {
    known += r.why == midend::loop_package_refusal_reason::known_already ? 1u : 0u;
  }
  CHECK(known == 4);
}

TEST_CASE("loop package: a loop that is too large is not tried") {
  procedure p = parsed(matrix_3x3);
  loop_package_options options;
  options.max_trial = 3;
  const loop_package_log log = run_package(p, options);
  CHECK(log.trials == 0);
  CHECK(log.refused.size() == 3);
  CHECK(num_loops(p) == 3);
  loop_package_options two;
  two.without = ~std::uint64_t{0};
  two.max_trial_loops = 2;
  const loop_package_log inner = run_package(p, two);
  CHECK(inner.trials == 2);
  REQUIRE(inner.refused.size() == 3);
  CHECK(inner.refused[2].why == midend::loop_package_refusal_reason::too_large);
}

TEST_CASE("loop package: what is left of a loop is not taken for one that runs as often") {
  procedure p = parsed(independent_loops(1, ""));
  const loop_package_log log = run_package(p);
  CHECK(log.manager.changes <= 2);
  CHECK(log.manager.is_complete);
  CHECK(log.cycles_after < log.cycles_before);
  // The trips that the package has assumed are not left in the program.
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    CHECK(cost_editor(p).trip_hints(n).average == 0);
  }
}

namespace {

/// A member of one's own, which unrolls innermost loops by four.
struct by_four {
  static constexpr const char* name = "by four";

  template <midend::loop_machine M>
  void propose(const midend::loop_question<M>& q, midend::flat_array<midend::loop_change>& out) {
    if (q.is_innermost()) {
      midend::loop_change c;
      c.header = midend::extracted_loop::header;
      c.form = {midend::unrolling_kind::partial, 4, midend::remainder_placement::epilogue};
      out.push_back(c);
    }
  }

  template <class E, class Observer>
  void apply(E& editor, midend::span<const midend::loop_change> changes, Observer& observer,
             midend::flat_array<unsigned char>& applied) {
    midend::detail::apply_forms(editor, changes, observer, applied);
  }
};

/// Counts the steps, and checks the certificate of each.
struct checking_observer : midend::loop_package_observer {
  explicit checking_observer(const procedure& p) : before(p) {}

  using midend::loop_package_observer::changed;

  template <class E> void changed(const E& editor, const midend::unfolding_witness& witness) {
    ++changes;
    if (!midend::has_assumptions(witness)) {
      CHECK(midend::verify_unfolding(effect_view(before), effect_view(editor.graph()), witness));
    }
    before = editor.graph();
  }

  template <class E> void applied(const E& editor) { before = editor.graph(); }

  template <class E, class Witness> void applied(const E& editor, const Witness&) { before = editor.graph(); }

  procedure before;
  std::size_t changes = 0;
};

} // namespace

TEST_CASE("loop package: a member of one's own, alone and beside others; the observer hears of each change") {
  procedure p = parsed(independent_loops(2, ""));
  cost_editor editor(p);
  midend::managed_loop_package<by_four> package;
  checking_observer observer(p);
  loop_package_options options;
  options.manager.max_sweeps = 1;
  const loop_package_log log = package.run(editor, midend::e2k_reference_v6(), options, observer);
  CHECK(log.manager.changes == 2);
  CHECK(observer.changes != 0);
  CHECK(verify(p).empty());
  procedure q = parsed(independent_loops(2, "4"));
  cost_editor other(q);
  midend::managed_loop_package<midend::unroll_completely, by_four> two;
  const loop_package_log both = two.run(other, midend::e2k_reference_v6());
  CHECK(both.changes[0].change.member == 0);
  CHECK(num_loops(q) == 0);
}

namespace {

/// For each column j: a[j] += b[i · 40 + j] for each row i.
constexpr const char* column_sums = R"(
proc @columns(%a: ptr, %b: ptr) {
  node entry:
    br columns
  node columns:
    %j = phi.i64 [entry: 0], [columns_end: %j1]
    br rows
  node rows:
    %i = phi.i64 [columns: 0], [rows: %i1]
    %s = ld.i32 [%a + %j*4] alias=A
    %r = mul.i64 %i, 40
    %ij = add.i64 %r, %j
    %x = ld.i32 [%b + %ij*4] alias=B
    %t = add.i32 %s, %x
    st.i32 %t, [%a + %j*4] alias=A
    %i1 = add.i64 %i, 1
    %more = cmp.lt.i64 %i1, 80
    br %more ? rows : columns_end
  node columns_end:
    %j1 = add.i64 %j, 1
    %again = cmp.lt.i64 %j1, 40
    br %again ? columns : exit
  node exit:
    ret
})";

/// a[i · 7 + j] = j for 90 rows of 7.
constexpr const char* rows_of_seven = R"(
proc @rows(%a: ptr) {
  node entry:
    br rows
  node rows:
    %i = phi.i64 [entry: 0], [rows_end: %i1]
    br columns
  node columns:
    %j = phi.i64 [rows: 0], [columns: %j1]
    %r = mul.i64 %i, 7
    %ij = add.i64 %r, %j
    st.i64 %ij, [%a + %ij*8] alias=A
    %j1 = add.i64 %j, 1
    %more = cmp.lt.i64 %j1, 7
    br %more ? columns : rows_end
  node rows_end:
    %i1 = add.i64 %i, 1
    %again = cmp.lt.i64 %i1, 90
    br %again ? rows : exit
  node exit:
    ret
})";

} // namespace

TEST_CASE("loop package: interchange where the inner loop waits for memory") {
  procedure p = parsed(column_sums);
  const loop_package_log log = run_package(p, only("interchange"));
  CHECK(log.manager.changes == 1);
  REQUIRE(log.changes.size() == 1);
  CHECK(log.changes[0].is_applied);
  CHECK(log.cycles_after < log.cycles_before);
  CHECK(log.manager.is_complete); // it is not undone
  CHECK(verify(p).empty());
}

TEST_CASE("loop package: collapse of short rows") {
  procedure p = parsed(rows_of_seven);
  const loop_package_log log = run_package(p, only("collapse"));
  CHECK(log.manager.changes == 1);
  CHECK(log.cycles_after < log.cycles_before / 2);
  CHECK(num_loops(p) == 1);
  CHECK(verify(p).empty());
}

namespace {

/// A member that can change trials, but not procedures.
struct by_four_in_trials : by_four {
  static constexpr const char* name = "by four in trials";

  template <class E, class Observer>
  void apply(E& editor, midend::span<const midend::loop_change> changes, Observer& observer,
             midend::flat_array<unsigned char>& applied) {
    if constexpr (std::is_same_v<E, midend::editable_flat_program>) {
      by_four::apply(editor, changes, observer, applied);
    } else {
      for (std::size_t i = 0; i != changes.size(); ++i) {
        applied.push_back(0);
      }
    }
  }
};

} // namespace

TEST_CASE("loop package: where a change cannot be made in the procedure, the other members have their turn") {
  procedure p = parsed(independent_loops(3, ""));
  cost_editor editor(p);
  midend::managed_loop_package<by_four_in_trials, midend::unroll_partially> package;
  loop_package_options options;
  options.least_gain = midend::fraction(0);
  const loop_package_log log = package.run(editor, midend::e2k_reference_v6(), options);
  REQUIRE(log.changes.size() >= 6);
  CHECK(log.changes[0].change.member == 0);
  CHECK_FALSE(log.changes[0].is_applied);
  for (std::size_t i = 3; i != 6; ++i) { // the second sweep
    CHECK(log.changes[i].change.member == 1);
    CHECK(log.changes[i].is_applied);
  }
  CHECK(log.manager.is_complete);
}

namespace {

/// Shrunk from a function of a numeric library that solves polynomials. The loop has two exits, and no profile says how
/// often it runs, so that the rest of the peeled loop looks as if it ran as often as the loop did.
constexpr const char* leading_zeros = R"(
proc @leading_zeros(%n: i64) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i64 [entry: %n], [body: %i1]
    %more = cmp.ugt.i64 %i, 1
    br %more ? body : exit
  node body:
    %i1 = add.i64 %i, -1
    %k = mul.i64 %i1, %n
    %p = shladd.ptr %k, 3, 0
    %x = ld.f64 [%p + 0*8] alias=double
    %y = fadd.f64 0x0.0000000000001p-1022, %x
    %z = fmul.f64 %y, 0x1p-52
    %small = fcmp.ole.f64 0x0.0000000000001p-1022, %z
    br %small ? head : exit
  node exit:
    ret 1
})";

} // namespace

TEST_CASE("loop package: members that are packages stand for their members") {
  using inner = midend::managed_loop_package<midend::unroll_completely, midend::unroll_partially>;
  using nested = midend::managed_loop_package<midend::collapse_nest, inner, by_four>;
  using flat =
      midend::managed_loop_package<midend::collapse_nest, midend::unroll_completely, midend::unroll_partially, by_four>;
  static_assert(nested::size == 4 && nested::repeating == 0b0110 && flat::repeating == nested::repeating);
  static_assert(midend::managed_loop_package<by_four, loop_package>::size == loop_package::size + 1);
  for (std::uint32_t i = 0; i != flat::size; ++i) {
    CHECK(std::string_view(nested::name(i)) == flat::name(i));
  }
  std::uint32_t visited = 0;
  nested().for_each_until([&](auto& member, std::uint32_t i) {
    CHECK(i == visited++);
    CHECK(std::string_view(std::remove_reference_t<decltype(member)>::name) == flat::name(i));
    return i == 2;
  });
  CHECK(visited == 3);

  procedure a = parsed(leading_zeros), b = parsed(leading_zeros);
  midend::elbrus::cost_editor of_a(a);
  midend::elbrus::cost_editor of_b(b);
  nested of_nested;
  flat of_flat;
  const loop_package_log x = of_nested.run(of_a, midend::e2k_reference_v6());
  const loop_package_log y = of_flat.run(of_b, midend::e2k_reference_v6());
  CHECK(x.manager.changes == y.manager.changes);
  CHECK(x.manager.changes != 0);
  CHECK(midend::elbrus::to_text(a) == midend::elbrus::to_text(b));
}

TEST_CASE("loop package: it ends, because a member changes a loop and the copies of it once, or unrolls it twice") {
  procedure p = parsed(leading_zeros);
  const loop_package_options options;
  CHECK(options.manager.max_sweeps == ~std::uint32_t{0});
  const loop_package_log log = run_package(p, options);
  CHECK(log.manager.is_complete);
  static_assert(std::popcount(loop_package::repeating) == 2);
  CHECK(log.manager.rebuilds <= loop_package::size + 2);
  std::size_t changes[loop_package::size] = {};
  for (const midend::decided_loop_change& c : log.changes) {
    ++changes[c.change.member];
  }
  CHECK(log.manager.changes != 0);
  for (std::size_t m = 0; m != loop_package::size; ++m) {
    CHECK(changes[m] <= 1 + (loop_package::repeating >> m & 1)); // no change here leaves two loops
  }
  CHECK(verify(p).empty());
}

namespace {

/// Unroll innermost loops by a factor.
template <std::uint32_t Factor> struct by_factor {
  static constexpr const char* name = Factor == 2 ? "by two" : "by eight";

  template <midend::loop_machine M>
  void propose(const midend::loop_question<M>& q, midend::flat_array<midend::loop_change>& out) {
    if (q.is_innermost()) {
      midend::loop_change c;
      c.header = midend::extracted_loop::header;
      c.form = {midend::unrolling_kind::partial, Factor, midend::remainder_placement::epilogue};
      out.push_back(c);
    }
  }

  template <class E, class Observer>
  void apply(E& editor, midend::span<const midend::loop_change> changes, Observer& observer,
             midend::flat_array<unsigned char>& applied) {
    midend::detail::apply_forms(editor, changes, observer, applied);
  }
};

/// What a package of two members, the larger change first, did with a tree of loops.
std::string transcript(const std::string& text, std::uint64_t spare, std::initializer_list<std::uint16_t> importance) {
  procedure p = parsed(text);
  const procedure before = p;
  cost_editor editor(p);
  midend::managed_loop_package<by_factor<8>, by_factor<2>> package;
  loop_package_options options;
  options.growth = 0;
  options.spare = spare;
  options.least_share = 0;
  options.least_gain = {0, 1};
  for (const std::uint16_t i : importance) {
    options.importance.push_back(i);
  }
  const loop_package_log log = package.run(editor, midend::e2k_reference_v6(), options);
  CHECK(log.largest_size <= log.max_size);
  CHECK(log.manager.is_complete);
  CHECK(verify(p).empty());
  std::string lines;
  for (const auto* const list : {&log.changes, &log.vetoed}) {
    for (const midend::decided_loop_change& c : *list) {
      lines += std::to_string(c.sweep) + ": " +
               (c.change.header < before.num_nodes() ? std::string(before.node_name(c.change.header)) : "a copy") +
               " " + package.name(c.change.member) + " grows by " + std::to_string(c.growth()) + " of " +
               std::to_string(c.room) + (list == &log.vetoed ? ", vetoed" : "") + "\n";
    }
  }
  const std::string words = midend::to_text(log, names_of{p}, [](std::size_t i) { return decltype(package)::name(i); });
  CHECK((words.find("vetoed") != std::string::npos) == (log.vetoes() != 0));
  CHECK((words.find("room for") != std::string::npos) == !words.empty());
  const bool differ = importance.size() == 2 && *importance.begin() != *(importance.begin() + 1);
  CHECK((midend::summary_text(log).find("; importance of members") != std::string::npos) == differ);
  return lines;
}

} // namespace

TEST_CASE("loop package: shares of members, by importance") {
  const std::string one = independent_loops(1, "");
  // Equal members may each use the loop's share, and so may the more important one.
  const std::string whole = "0: l0 by eight grows by 36 of 200\n";
  CHECK(transcript(one, 200, {}) == whole);
  CHECK(transcript(one, 200, {1, 1}) == whole);
  CHECK(transcript(one, 200, {4, 1}) == whole);
  // A quarter, as long as the other one may still change the loop.
  CHECK(transcript(one, 200, {1, 4}) == "0: l0 by eight grows by 36 of 50\n");
  // No growth. What remains of the loop is a copy, in another node.
  CHECK(transcript(one, 200, {0, 1}) == "0: l0 by two grows by 18 of 200\n"
                                        "0: l0 by eight grows by 36 of 0, vetoed\n"
                                        "1: a copy by eight grows by 36 of 0, vetoed\n");
  // l1 is hotter. A quarter of its 101 is too little; the rest is kept for the second member, which uses it. When that
  // has changed the loop, the first one has the whole share, and now it suffices.
  CHECK(transcript(independent_loops(2, ""), 200, {1, 4}) == "0: l1 by two grows by 24 of 101\n"
                                                             "0: l0 by eight grows by 36 of 44\n"
                                                             "1: a copy by eight grows by 92 of 102\n"
                                                             "0: l1 by eight grows by 60 of 25, vetoed\n");
}

TEST_CASE("loop package: words") {
  procedure p = parsed(matrix_3x3);
  const loop_package_log log = run_package(p);
  const std::string summary = midend::summary_text(log);
  CHECK(summary.starts_with("3 changes in 3 rebuilds; cycles "));
  CHECK(summary.find("6 trials") != std::string::npos);
}

TEST_CASE("loop package: the tree of loops as a picture, at each step") {
  procedure p = parsed(matrix_3x3);
  const procedure before = p;
  const loop_package_log log = run_package(p);
  const auto times = [](const std::string& text, std::string_view what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) {
      ++count;
    }
    return count;
  };
  const std::string first = midend::to_dot(log, names_of{before}, 1); // the innermost loop is in the list
  CHECK(times(first, "fillcolor") == 3);
  CHECK(times(first, "->") == 2);
  CHECK(times(first, "\"khaki1\"") == 1);
  CHECK(times(first, "\"white\"") == 2);
  const std::string second = midend::to_dot(log, names_of{before}, 2); // and is changed
  CHECK(times(second, "\"orange\"") == 1);
  CHECK(times(midend::to_dot(log, names_of{before}, 3), "fillcolor") == 2); // and gone
  CHECK(times(midend::to_dot(log, names_of{before}), "fillcolor") == 0);    // as all are in the end
}

TEST_CASE("loop package: random programs run as before, within the limit") {
  std::size_t changes = 0;
  for_each_random_program(150, all_features(), [&](const generated_program& g, std::uint64_t seed) {
    program after = g.program;
    for (procedure& p : after.procedures) {
      construct_ssa(p);
      loop_package_options options;
      options.max_size = 50 * (1 + seed % 20);
      for (std::size_t i = 0; i != seed % 11; ++i) {
        options.importance.push_back(static_cast<std::uint16_t>((seed / 7 + i * i) % 5));
      }
      const loop_package_log log = run_package(p, options);
      for (const midend::decided_loop_change& c : log.changes) {
        CHECK(c.growth() <= c.room);
        CHECK((c.growth() == 0 || log.importance[c.change.member] != 0));
      }
      changes += log.manager.changes;
      CHECK(log.largest_size <= std::max<std::uint64_t>(options.max_size, log.size_before));
      CHECK_MESSAGE(log.manager.is_complete, "seed ", seed, ": ",
                    midend::to_text(log, names_of{p}, [](std::size_t i) { return loop_package::name(i); }));
    }
    CHECK_MESSAGE(why_wrong(g, after).empty(), "seed ", seed);
  });
  CHECK(changes > affordable(50));
}

namespace {

/// Scales one array into another one; they may meet.
std::string scaling(const std::string& classes_of_a, const std::string& classes_of_b) {
  return "proc @f(%a: ptr, %b: ptr, %n: i64) {\n  node entry count=10:\n    %g = cmp.gt.i64 %n, 0\n"
         "    br %g ? loop(1.0) : exit(0.0)\n  node loop count=10000:\n    %i = phi.i64 [entry: 0], [loop: %i1]\n"
         "    %v = ld.i32 [%b + %i*4]" +
         classes_of_b + "\n    %w = mul.i32 %v, 3\n    st.i32 %w, [%a + %i*4]" + classes_of_a +
         "\n    %i1 = add.i64 %i, 1 nsw\n    %q = cmp.lt.i64 %i1, %n\n    br %q ? loop(0.999) : exit(0.001)\n"
         "  node exit count=10:\n    ret\n}\n";
}

/// Counts the loops that were compared, and checks both certificates.
struct versioning_observer : midend::loop_package_observer {
  explicit versioning_observer(const procedure& p) : before(p) {}

  template <class E, class Witness> void changed(const E& editor, const Witness&) { before = editor.graph(); }

  template <class E> void changed(const E& editor, const midend::versioned_loops_witness& witness) {
    loops += witness.classes.loops.size();
    CHECK(midend::verify_unfolding(effect_view(before), effect_view(editor.graph()), witness.copies));
    const cost_view view(editor.graph());
    const auto facts = midend::facts_of_numbers(view);
    CHECK(midend::verify_loop_versioning(cost_view(before), view, witness.copies, witness.classes,
                                         {facts.data(), facts.size()}));
    before = editor.graph();
  }

  template <class E> void applied(const E& editor) { before = editor.graph(); }

  template <class E, class Witness> void applied(const E& editor, const Witness&) { before = editor.graph(); }

  procedure before;
  std::size_t loops = 0;
};

} // namespace

TEST_CASE("loop package: accesses that may meet are compared before the loop, once") {
  procedure p = parsed(scaling("", ""));
  cost_editor editor(p);
  versioning_observer observer(p);
  const loop_package_log log =
      loop_package().run(editor, midend::e2k_reference_v6(), only("loop versioning"), observer);
  CHECK(observer.loops == 1);
  CHECK(log.manager.changes == 1);
  CHECK(log.cycles_after * 5 < log.cycles_before);
  CHECK(verify(p).empty());
  const loop_package_log again = run_package(p, only("loop versioning"));
  CHECK(again.manager.changes == 0);
}

namespace {

/// A loop whose branch is seldom taken, to much work.
std::string seldom(const std::string& place_of_store) {
  return "proc @f(%a: ptr, %b: ptr, %n: i64) {\n  node entry:\n    br loop\n  node loop:\n"
         "    %i = phi.i64 [entry: 0], [join: %i1]\n    %x = ld.i64 [%a + %i*8] alias=A\n"
         "    %q = cmp.lt.i64 %x, 4\n    br %q ? then (0.1) : join (0.9)\n  node then:\n"
         "    %d1 = div.i64 %n, %x\n    %d2 = div.i64 %d1, %x\n    %d3 = div.i64 %d2, %x\n"
         "    %d4 = mul.i64 %d3, %d3\n    %d5 = mul.i64 %d4, %x\n    st.i64 %d5, " +
         place_of_store +
         "\n    br join\n  node join:\n    %i1 = add.i64 %i, 1\n    %m = cmp.lt.i64 %i1, 1000\n"
         "    br %m ? loop : exit\n  node exit:\n    ret\n}\n";
}

/// Counts the loops that were split, and checks the certificate.
struct splitting_observer : midend::loop_package_observer {
  explicit splitting_observer(const procedure& p) : before(p) {}

  template <class E, class Witness> void changed(const E& editor, const Witness&) { before = editor.graph(); }

  template <class E> void changed(const E& editor, const midend::condition_split_witness& witness) {
    loops += witness.loops.size();
    const cost_view view(before);
    const auto facts = midend::facts_of_numbers(view);
    CHECK(midend::verify_condition_split(view, cost_view(editor.graph()), witness, {facts.data(), facts.size()}));
    before = editor.graph();
  }

  template <class E> void applied(const E& editor) { before = editor.graph(); }

  template <class E, class Witness> void applied(const E& editor, const Witness&) { before = editor.graph(); }

  procedure before;
  std::size_t loops = 0;
};

} // namespace

TEST_CASE("loop package: a loop is split by a condition that is seldom true, once") {
  procedure p = parsed(seldom("[%b + %i*8] alias=B"));
  cost_editor editor(p);
  splitting_observer observer(p);
  const loop_package_log log =
      loop_package().run(editor, midend::e2k_reference_v6(), only("condition split"), observer);
  CHECK(observer.loops == 1);
  CHECK(log.manager.changes == 1);
  CHECK(log.cycles_after * 4 < log.cycles_before * 3);
  CHECK(log.size_after <= log.max_size);
  CHECK(num_loops(p) == 3);
  CHECK(p.locals().size() == 2);
  CHECK(verify(p).empty());
  CHECK(run_package(p, only("condition split")).manager.changes == 0);
  // The arm feeds the test: nothing is done.
  procedure q = parsed(seldom("[%a + %i*8 + 8] alias=A"));
  CHECK(run_package(q, only("condition split")).manager.changes == 0);
  CHECK(q.locals().empty());
}

TEST_CASE("loop package: accesses whose classes keep them apart are not compared, nor is a loop that gains nothing") {
  procedure p = parsed(scaling(" alias=A", " alias=B"));
  CHECK(run_package(p, only("loop versioning")).manager.changes == 0);
  // A chain of dependences through one array takes longer than the comparisons save.
  procedure q = parsed("proc @f(%a: ptr, %b: ptr, %n: i64) {\n  node entry:\n    br loop\n  node loop:\n"
                       "    %i = phi.i64 [entry: 0], [loop: %i1]\n    %v = ld.i32 [%a + %i*4]\n"
                       "    %d = div.i32 1000, %v\n    st.i32 %d, [%a + %i*4 + 4]\n    st.i32 %d, [%b + %i*4]\n"
                       "    %i1 = add.i64 %i, 1 nsw\n    %q = cmp.lt.i64 %i1, %n\n    br %q ? loop : exit\n"
                       "  node exit:\n    ret\n}\n");
  CHECK(run_package(q, only("loop versioning")).manager.changes == 0);
}
