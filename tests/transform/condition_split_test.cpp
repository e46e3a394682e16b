// Split by a condition: certified, run, and with seeded mistakes that the checker has to reject.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "transform/nest_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/transform/condition_split.hpp>
#include <midend/transform/recording_editor.hpp>
#include <midend/transform/verify_condition_split.hpp>
#include <midend/viz/condition_splits.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::procedure;
using midend::condition_split_fault;
using midend::condition_split_obstacle;
using midend::value_id;

namespace {

midend::condition_split_options options_of(std::uint32_t chunk, std::size_t least_work = 1) {
  midend::condition_split_options options;
  options.chunk = chunk;
  options.least_work = least_work;
  return options;
}

midend::condition_split_plan planned(const procedure& p, const midend::condition_split_options& options) {
  const elbrus::cost_view view(p);
  const auto flow = midend::dominators_and_loops(p);
  const auto facts = midend::facts_of_numbers(view);
  const midend::span<const midend::number_facts> known(facts.data(), facts.size());
  return midend::plan_condition_split(view, flow, midend::evolutions(view, flow.loops, known), known, options);
}

midend::condition_split_verdict verdict_of(const procedure& before, const procedure& after,
                                           const midend::condition_split_witness& witness) {
  const elbrus::cost_view view(before);
  const auto facts = midend::facts_of_numbers(view);
  return midend::verify_condition_split(view, elbrus::cost_view(after), witness,
                                        midend::span<const midend::number_facts>(facts.data(), facts.size()));
}

/// Splits what is legal, with its certificate. Returns how many loops.
std::size_t split(procedure& p, const midend::condition_split_options& options) {
  const procedure before = p;
  midend::condition_split_plan plan = planned(p, options);
  elbrus::cost_editor editor(p);
  const midend::condition_split_witness witness = midend::apply_condition_split(editor, plan);
  const auto verdict = verdict_of(before, p, witness);
  CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), ", node ", verdict.node, ", value ", verdict.value,
                "\n", elbrus::to_text(before), elbrus::to_text(p));
  const std::string broken = why_broken(p);
  CHECK_MESSAGE(broken.empty(), broken, "\n", elbrus::to_text(before), elbrus::to_text(p));
  return plan.loops.size();
}

midend::condition_split_refusal refusal(std::string_view text, std::uint32_t chunk = 4, std::size_t least_work = 1) {
  const elbrus::program all = program_of(text);
  const auto plan = planned(all.procedures[0], options_of(chunk, least_work));
  CHECK(plan.empty());
  return plan.refused.empty() ? midend::condition_split_refusal{} : plan.refused[0];
}

condition_split_obstacle obstacle(std::string_view text, std::uint32_t chunk = 4, std::size_t least_work = 1) {
  return refusal(text, chunk, least_work).why;
}

/// Runs with all promises checked: records that were not written, classes that meet.
elbrus::run_result run_checked(const elbrus::program& all, const std::vector<std::uint64_t>& numbers, std::size_t bytes,
                               std::size_t steps) {
  elbrus::memory memory;
  std::vector<unsigned char> contents(bytes);
  for (std::size_t i = 0; i != bytes; ++i) {
    contents[i] = static_cast<unsigned char>(i * 37 + 11 + i / 7);
  }
  std::vector<elbrus::scalar> arguments{{elbrus::type::ptr, memory.add("a", contents) + bytes / 2}};
  for (const std::uint64_t n : numbers) {
    arguments.push_back({elbrus::type::i64, n});
  }
  elbrus::run_options options;
  options.step_limit = steps;
  options.check_classes = true;
  return elbrus::interpreter(all).run(0, arguments, std::move(memory), options);
}

struct counts {
  std::size_t loops = 0;
  std::size_t done = 0;
  std::size_t same = 0;
};

void check_runs(const std::string& text, counts& c, std::uint32_t chunk,
                const std::vector<std::uint64_t>& numbers = {5}, std::size_t bytes = 600, std::size_t steps = 20'000) {
  const elbrus::program before = program_of(text);
  elbrus::program after = before;
  ++c.loops;
  if (split(after.procedures[0], options_of(chunk)) == 0) {
    CHECK(elbrus::to_text(before) == elbrus::to_text(after));
    return;
  }
  ++c.done;
  const auto old = run_checked(before, numbers, bytes, steps);
  const auto now = run_checked(after, numbers, bytes, 20 * steps);
  const auto result = elbrus::compare_runs(old, now);
  CHECK_MESSAGE(result.verdict != elbrus::run_verdict::different, elbrus::to_text(result), " chunk ", chunk, "\n", text,
                elbrus::to_text(after.procedures[0]));
  CHECK_MESSAGE(!(!old.trap && now.trap), text);
  c.same += result.verdict == elbrus::run_verdict::same ? 1u : 0u;
}

/// A loop with a branch. The counter is %i, as a number of 64 bits %w; %x is loaded from it.
struct branch_text {
  unsigned width = 64;
  int start = 0;
  int step = 1;
  std::string bound = "%n";
  std::string comparison = "lt";
  bool rotated = false;
  std::string first = "    %x = ld.i64 [%a + %w*8]\n";
  std::string condition = "    %c = cmp.gt.i64 %x, 4000000000000000000\n";
  std::string then = "    %y = mul.i64 %x, 3\n    st.i64 %y, [%a + %w*8]\n";
  std::string otherwise; ///< if it is empty, there is one arm
  std::string follows;   ///< after the arms
  std::string phis;      ///< at the head, besides the counter
  std::string result = "0";

  std::string text() const {
    const std::string t = "i" + std::to_string(width);
    const std::string wide = width == 64 ? "    %w = mov.i64 %i\n" : "    %w = sext." + t + ".i64 %i\n";
    const std::string narrow = width == 64 ? "    %m = and.i64 %n, 15\n" : "    %m = trunc.i64." + t + " %n\n";
    const std::string to = bound == "%n" ? "%m" : bound;
    const std::string test = "    %t = cmp." + comparison + "." + t + (rotated ? " %i1, " : " %i, ") + to + "\n";
    std::string out = "proc @f(%a: ptr, %n: i64) -> i64 {\n  node entry:\n" + narrow + "    br loop\n  node loop:\n" +
                      "    %i = phi." + t + " [entry: " + std::to_string(start) + "], [latch: %i1]\n" + phis + wide;
    out += rotated ? first : test + "    br %t ? body : exit\n  node body:\n" + first;
    out += condition + "    br %c ? then : " + (otherwise.empty() ? "join" : "else") + "\n  node then:\n" + then +
           "    br join\n";
    out += otherwise.empty() ? "" : "  node else:\n" + otherwise + "    br join\n";
    out += "  node join:\n" + follows + "    br latch\n  node latch:\n    %i1 = add." + t + " %i, " +
           std::to_string(step) + "\n";
    out += rotated ? test + "    br %t ? loop : exit\n" : "    br loop\n";
    return out + "  node exit:\n    ret " + result + "\n}\n";
  }
};

branch_text two_arms() {
  branch_text b;
  b.otherwise = "    %z = add.i64 %x, %w\n    st.i64 %z, [%a + %w*8 - 200]\n";
  return b;
}

} // namespace

TEST_CASE("condition split: one arm and two arms, for all counts and chunks") {
  counts c;
  for (const bool both : {false, true}) {
    for (const bool rotated : {false, true}) {
      for (std::uint64_t n = 0; n != 13; ++n) { // none, fewer than a chunk, exactly full, one more, several chunks
        for (const std::uint32_t chunk : {1U, 2U, 3U, 4U, 6U, 12U, 64U}) {
          branch_text b = both ? two_arms() : branch_text();
          b.rotated = rotated;
          check_runs(b.text(), c, chunk, {n}, 600);
        }
      }
    }
  }
  CHECK(c.loops == 364);
  CHECK(c.done == c.loops);
  CHECK(c.same == c.loops);
}

TEST_CASE("condition split: values of several types are kept, each as it was") {
  branch_text b;
  b.first += "    %b = trunc.i64.i8 %x\n    %q = cmp.lt.i64 %x, 7\n    %d = itof.i64.f64 %x\n    %e = ftof.f64.f80 %d\n"
             "    %p = add.ptr %a, 16\n    %h = trunc.i64.i16 %x\n    %g = ftof.f64.f32 %d\n";
  b.then = "    %b1 = zext.i8.i64 %b\n    %q1 = zext.i1.i64 %q\n    %s = add.i64 %b1, %q1\n    %e1 = fadd.f80 %e, 0.5\n"
           "    %e2 = ftof.f80.f64 %e1\n    %e3 = bitcast.f64.i64 %e2\n    %s1 = add.i64 %s, %e3\n"
           "    %h1 = sext.i16.i64 %h\n    %s2 = add.i64 %s1, %h1\n    %g1 = bitcast.f32.i32 %g\n"
           "    %g2 = sext.i32.i64 %g1\n    %s3 = xor.i64 %s2, %g2\n    st.i64 %s3, [%p + %w*8]\n";
  b.first.replace(b.first.find("[%a + %w*8]"), 11, "[%a + %w*8 - 200]");
  counts c;
  for (std::uint64_t n = 0; n != 20; ++n) {
    check_runs(b.text(), c, 4, {n}, 700);
  }
  CHECK(c.done == 20);
  CHECK(c.same == 20);
}

TEST_CASE("condition split: values that leave the loop, with and without phis at the exit") {
  for (const bool rotated : {false, true}) {
    branch_text b = two_arms();
    b.rotated = rotated;
    b.phis = "    %last = phi.i64 [entry: 77], [latch: %k]\n";
    b.follows = "    %k = xor.i64 %w, %last\n";
    b.result = rotated ? "%k" : "%last";
    counts c;
    for (std::uint64_t n = 0; n != 10; ++n) {
      for (const std::uint32_t chunk : {1U, 3U, 64U}) {
        check_runs(b.text(), c, chunk, {n});
      }
      std::string text = b.text(); // the same through a phi
      text.replace(text.find("    ret "), text.size(),
                   "    %r = phi.i64 [" + std::string(rotated ? "latch" : "loop") + ": " + b.result +
                       "]\n    %r2 = add.i64 %r, %w\n    ret %r2\n}\n");
      check_runs(text, c, 3, {n});
    }
    CHECK(c.done == c.loops);
    CHECK(c.same == c.loops);
  }
}

TEST_CASE("condition split: an arm with branches and phis of its own, and an arm that stays") {
  branch_text b = two_arms();
  b.then = "    %s = cmp.lt.i64 %w, 3\n    br %s ? low : high\n  node low:\n    br both\n  node high:\n"
           "    %hh = mul.i64 %w, 5\n    br both\n  node both:\n"
           "    %v = phi.i64 [low: %x], [high: %hh]\n    st.i64 %v, [%a + %w*8]\n";
  counts c;
  check_runs(b.text(), c, 3, {10});
  CHECK(c.same == 1);
  // What the second arm computes is read after it: it stays in the first loop.
  b.follows = "    %o = phi.i64 [both: 5], [else: %z]\n";
  b.phis = "    %sum = phi.i64 [entry: 0], [latch: %sum1]\n";
  b.follows += "    %sum1 = add.i64 %sum, %o\n";
  b.result = "%sum";
  check_runs(b.text(), c, 3, {10});
  CHECK(c.same == 2);
  const elbrus::program all = program_of(b.text());
  const auto plan = planned(all.procedures[0], options_of(3));
  REQUIRE(plan.loops.size() == 1);
  CHECK(plan.loops[0].num_arms == 1);
}

TEST_CASE("condition split: counters of 8 bits that wrap") {
  counts c;
  for (const int start : {-128, 100, 120, 127}) {
    for (const int step : {1, 3, -1, 7}) {
      for (const char* comparison : {"ne", "lt", "ult"}) {
        branch_text b = two_arms();
        b.width = 8;
        b.start = start;
        b.step = step;
        b.comparison = comparison;
        b.bound = "-100";
        b.first = "    %x = ld.i64 [%a + %w*8]\n";
        b.otherwise = "    %z = add.i64 %x, %w\n    st.i64 %z, [%a + %w*8 - 4096]\n";
        b.condition = "    %odd = and.i8 %i, 5\n    %c = cmp.eq.i8 %odd, 1\n";
        check_runs(b.text(), c, 16, {0}, 16384, 50'000);
        b.otherwise.clear();
        check_runs(b.text(), c, 16, {0}, 16384, 50'000);
      }
    }
  }
  MESSAGE(c.loops, " loops, ", c.done, " split, ", c.same, " runs the same");
  CHECK(c.done > c.loops / 4);
}

TEST_CASE("condition split: what is refused, with its reason") {
  using o = condition_split_obstacle;
  branch_text b = two_arms();
  SUBCASE("an arm feeds the condition of the next iteration") {
    b.then = "    %y = mul.i64 %x, 3\n    st.i64 %y, [%a + %w*8 + 8]\n";
    CHECK(obstacle(b.text()) == o::dependence);
    b.phis = "    %s = phi.i64 [entry: 0], [latch: %u]\n";
    b.follows = "    %u = phi.i64 [then: %y], [else: %x]\n";
    b.otherwise = "    %z = add.i64 %x, %w\n    st.i64 %z, [%a + %w*8 + 8]\n";
    CHECK(obstacle(b.text()) == o::dependence); // the second arm could be split off, but for the store
  }
  SUBCASE("arms alias in iterations that change order") {
    b.otherwise = "    %z = add.i64 %x, %w\n    st.i64 %z, [%a + %w*8 + 8]\n";
    b.first = "    %x = ld.i64 [%a + %w*8 - 4000]\n";
    CHECK(obstacle(b.text()) == o::dependence);
    b.otherwise = "    %z = add.i64 %x, %w\n    st.i64 %z, [%a + %w*8 - 8]\n";
    CHECK(planned(program_of(b.text()).procedures[0], options_of(4)).loops.size() == 1); // the second arm is later
  }
  SUBCASE("an unknown place") {
    b.then = "    st.i64 %w, [%a + %x*8]\n";
    CHECK(obstacle(b.text()) == o::maybe_dependence);
  }
  SUBCASE("what follows the arms reads what they wrote, or writes what they read") {
    b.follows = "    %f = ld.i64 [%a + %w*8]\n    st.i64 %f, [%a + %w*8 - 4000]\n";
    CHECK(obstacle(b.text()) == o::dependence);
    b.follows = "    st.i64 1, [%a + %w*8]\n";
    CHECK(obstacle(b.text()) == o::dependence);
  }
  SUBCASE("reductions, and values that are read after an arm") {
    b.otherwise.clear();
    b.phis = "    %s = phi.i64 [entry: 0], [latch: %u]\n";
    b.then = "    %y = add.i64 %s, %x\n";
    b.follows = "    %u = phi.i64 [body: %s], [then: %y]\n";
    b.result = "%s";
    CHECK(obstacle(b.text()) == o::value_leaves);
  }
  SUBCASE("an exit in an arm") {
    b.then = "    %y = cmp.eq.i64 %x, 0\n    br %y ? out : on\n  node out:\n    ret 1\n  node on:\n"
             "    st.i64 1, [%a + %w*8]\n";
    CHECK(obstacle(b.text()) == o::several_exits);
    branch_text one; // the only exit is in the arm
    std::string text = one.text();
    text.replace(text.find("    br %t ? body : exit"), 23, "    br body");
    const std::size_t at = text.find("  node then:\n") + 13;
    text.insert(at, "    br %t ? go : exit\n  node go:\n");
    CHECK(obstacle(text) == o::leaves_arm);
  }
  SUBCASE("calls, volatile accesses") {
    b.then += "    call @g()\n";
    CHECK(obstacle(b.text()) == o::fixed_order);
    b = two_arms();
    b.follows = "    %v = ld.i64 [%a] volatile\n";
    CHECK(obstacle(b.text()) == o::fixed_order);
  }
  SUBCASE("too little work, too many values") {
    CHECK(obstacle(b.text(), 4, 5) == o::too_little_work);
    midend::condition_split_options options = options_of(4);
    options.max_values = 1;
    const elbrus::program all = program_of(b.text());
    CHECK(planned(all.procedures[0], options).refused[0].why == o::too_many_values);
    options = options_of(4);
    options.max_pairs = 1;
    CHECK(planned(all.procedures[0], options).refused[0].why == o::too_many_accesses);
  }
  SUBCASE("values that may be diagnostic") {
    b.first = "    %x = ld.i64 [%a + %w*8] spec\n";
    b.condition = "    %c = cmp.gt.i64 %w, 4\n";
    CHECK(obstacle(b.text()) == o::not_stored);
  }
  SUBCASE("no branch, no loop, loops inside") {
    CHECK(obstacle("proc @f(%n: i64) -> i64 {\n  node entry:\n    br loop\n  node loop:\n"
                   "    %i = phi.i64 [entry: 0], [loop: %j]\n    %j = add.i64 %i, 1\n    %c = cmp.lt.i64 %j, %n\n"
                   "    br %c ? loop : exit\n  node exit:\n    ret %j\n}\n") == o::no_condition);
    CHECK(obstacle("proc @f(%n: i64) -> i64 {\n  node entry:\n    br loop\n  node loop:\n    br loop\n}\n") ==
          o::several_exits);
    CHECK(obstacle("proc @f(%n: i1) {\n  node entry:\n    br loop\n  node loop:\n    br inner\n  node inner:\n"
                   "    br %n ? inner : next\n  node next:\n    br %n ? loop : exit\n  node exit:\n    ret\n}\n") ==
          o::contains_loops);
    CHECK(obstacle("proc @f(%n: i1) {\n  node entry:\n    br %n ? loop : other\n  node other:\n    br loop\n"
                   "  node loop:\n    br %n ? loop : exit\n  node exit:\n    ret\n}\n") == o::several_entries);
  }
}

namespace {

/// An affine place of 8 bytes or one.
std::string place(random_source& random, int span_of_offsets) {
  const int factors[] = {8, 8, 8, 16, -8, 0, 24, 4};
  const int factor = factors[random.below(8)];
  const int offset =
      8 * (static_cast<int>(random.below(static_cast<std::size_t>(2 * span_of_offsets + 1))) - span_of_offsets);
  return "i" + std::to_string(factor) + "_" + std::to_string(offset);
}

/// The text of an access to such a place. `tag` distinguishes the names.
std::string address(const std::string& place, const std::string& tag, std::string& code) {
  const std::size_t split = place.find('_');
  const int factor = std::stoi(place.substr(1, split - 1));
  const int offset = std::stoi(place.substr(split + 1));
  code += "    %p" + tag + " = mul.i64 %w, " + std::to_string(factor) + "\n";
  return "[%a + %p" + tag + "*1" + (offset < 0 ? " - " : " + ") + std::to_string(offset < 0 ? -offset : offset) + "]";
}

std::string random_arm(random_source& random, const std::string& tag, bool stores_always) {
  std::string code;
  std::string value = random.one_in(2) ? "%x" : "%w";
  if (random.one_in(2)) {
    const std::string from = address(place(random, 6), tag + "l", code);
    code += "    %l" + tag + " = ld.i64 " + from + "\n    %m" + tag + " = add.i64 %l" + tag + ", " + value + "\n";
    value = "%m" + tag;
  }
  if (random.one_in(3)) {
    code += "    %k" + tag + " = xor.i64 " + value + ", %keep\n";
    value = "%k" + tag;
  }
  if (stores_always || random.one_in(3)) {
    const std::string to = address(place(random, 6), tag + "s", code);
    code += "    %v" + tag + " = mul.i64 " + value + ", 3\n    st.i64 %v" + tag + ", " + to + "\n";
  }
  return code;
}

std::string random_loop(random_source& random) {
  branch_text b;
  b.step = static_cast<int>(random.below(3)) + 1;
  b.start = static_cast<int>(random.below(5)) - 2;
  b.rotated = random.one_in(2);
  b.width = random.one_in(4) ? 8 : 64;
  b.comparison = random.one_in(4) ? "le" : "lt";
  b.bound = random.one_in(2) ? "%n" : std::to_string(random.below(14));
  b.first.clear();
  const std::string from = address(place(random, 6), "f", b.first);
  b.first += "    %x = ld.i64 " + from + "\n    %keep = add.i64 %x, %w\n";
  switch (random.below(3)) {
  case 0:
    b.condition = "    %bit = and.i64 %x, 2\n    %c = cmp.eq.i64 %bit, 0\n";
    break;
  case 1:
    b.condition = "    %bit = and.i64 %w, 1\n    %c = cmp.eq.i64 %bit, 0\n";
    break;
  default:
    b.condition = "    %c = cmp.gt.i64 %w, 3\n";
  }
  b.then = random_arm(random, "t", true);
  b.otherwise = random.one_in(2) ? random_arm(random, "e", true) : "";
  b.follows = random.one_in(4) ? random_arm(random, "j", false) : "";
  b.phis = "    %sum = phi.i64 [entry: 1], [latch: %sum1]\n";
  b.follows += "    %sum1 = add.i64 %sum, %keep\n";
  b.result = b.rotated && random.one_in(2) ? "%sum1" : "%sum";
  return b.text();
}

} // namespace

TEST_CASE("condition split: random loops run the same") {
  counts c;
  random_source random(7);
  const char* const many = std::getenv("MIDEND_NESTS");
  const std::size_t count = many != nullptr ? std::strtoull(many, nullptr, 10) : affordable(3000);
  for (std::size_t i = 0; i != count; ++i) {
    const std::string text = random_loop(random);
    check_runs(text, c, static_cast<std::uint32_t>(random.below(6)) + 1, {random.below(16)}, 1600);
  }
  MESSAGE(c.loops, " loops, ", c.done, " split, ", c.same, " runs the same");
  CHECK(c.done > c.loops / 20);
  CHECK(c.same > c.done / 2);
}

namespace {

/// A legal split.
struct split_procedure {
  elbrus::program before;
  elbrus::program after;
  midend::condition_split_plan plan;
  midend::condition_split_witness witness;

  explicit split_procedure(const std::string& text, std::uint32_t chunk = 3) : before(program_of(text)), after(before) {
    plan = planned(before.procedures[0], options_of(chunk));
    REQUIRE(plan.loops.size() == 1);
    elbrus::cost_editor e(after.procedures[0]);
    witness = midend::apply_condition_split(e, plan);
    REQUIRE(accepts(after.procedures[0], witness));
  }

  midend::condition_split_verdict verdict(const procedure& p, const midend::condition_split_witness& w) const {
    return verdict_of(before.procedures[0], p, w);
  }

  bool accepts(const procedure& p, const midend::condition_split_witness& w) const {
    return static_cast<bool>(verdict(p, w));
  }
};

std::string leaving_text(bool rotated) {
  branch_text b = two_arms();
  b.rotated = rotated;
  b.phis = "    %last = phi.i64 [entry: 77], [latch: %k]\n";
  b.follows = "    %k = xor.i64 %w, %last\n";
  b.result = rotated ? "%k" : "%last";
  return b.text();
}

} // namespace

TEST_CASE("verify_condition_split: what it accepts of seeded mistakes runs the same") {
  std::size_t mistakes = 0;
  std::size_t accepted = 0;
  for (const bool rotated : {false, true}) {
    const split_procedure right(leaving_text(rotated));
    for_each_mistake(right.after.procedures[0], [&](const procedure& wrong) {
      ++mistakes;
      if (!right.accepts(wrong, right.witness)) {
        return;
      }
      ++accepted;
      elbrus::program all;
      all.procedures.push_back(wrong);
      for (const std::uint64_t n : {0U, 1U, 3U, 7U}) {
        const auto old = run_checked(right.before, {n}, 600, 20'000);
        const auto now = run_checked(all, {n}, 600, 40'000);
        CHECK_MESSAGE(elbrus::compare_runs(old, now) == elbrus::run_comparison{}, elbrus::to_text(wrong));
      }
    });
  }
  MESSAGE(mistakes, " mistakes, ", accepted, " accepted");
  CHECK(mistakes > 1000);
  CHECK(accepted < mistakes / 20);
}

TEST_CASE("verify_condition_split: new promises about loops, and about accesses in other iterations") {
  using fault = midend::condition_split_fault;
  const split_procedure right(leaving_text(true));
  const procedure& before = right.before.procedures[0];
  const procedure& after = right.after.procedures[0];
  const midend::split_loop& s = right.witness.loops[0];
  midend::edge_id back = midend::no_edge;
  for (const midend::edge_id e : before.in_edges(s.header)) {
    back = before.edge_source(e) == before.entry() ? back : e;
  }
  const midend::edge_id first = before.out_edges(before.entry())[0];
  const auto fault_of = [&](midend::edge_id was, midend::edge_id is) {
    const view_with_promise old(before, was);
    const auto facts = midend::facts_of_numbers(old);
    return midend::verify_condition_split(old, view_with_promise(after, is), right.witness,
                                          midend::span<const midend::number_facts>(facts.data(), facts.size()))
        .fault;
  };
  std::size_t edges = 0;
  for (midend::node_id n = 0; n != after.num_nodes(); ++n) {
    for (const midend::edge_id e : after.out_edges(n)) {
      const bool is_new = n >= before.num_nodes();
      CHECK(fault_of(is_new ? back : e, e) == fault::none);
      CHECK(fault_of(first, e) == (e == first ? fault::none : fault::changed_flow));
      edges += is_new ? 1u : 0u;
    }
  }
  CHECK(edges >= 6);
  for (const midend::node_id scope : {s.header, before.entry()}) {
    elbrus::program old = right.before;
    procedure is = after;
    const auto c = is.alias_class("local");
    for (value_id v = 0; v != before.num_values(); ++v) {
      const auto code = before.is_operation(v) ? before.core(v).code : elbrus::opcode::mov;
      if (code == elbrus::opcode::ld || code == elbrus::opcode::st) {
        old.procedures[0].set_local_class(v, c, scope); // with the number that the class has in the new program
        is.set_local_class(v, c, scope);
      }
    }
    const auto verdict = verdict_of(old.procedures[0], is, right.witness);
    CHECK(verdict.fault == (scope == s.header ? fault::changed_operation : fault::none));
  }
}

TEST_CASE("verify_condition_split: mistakes by kind") {
  const split_procedure right(leaving_text(true));
  const procedure& p = right.after.procedures[0];
  const midend::split_loop& s = right.witness.loops[0];
  const midend::split_off_arm& a = right.witness.arms[0];
  const midend::split_off_arm& b = right.witness.arms[1];
  const midend::kept_value& kept = right.witness.kept[a.first_value];
  std::size_t rejected = 0;
  const auto rejects = [&](auto damage) {
    elbrus::procedure wrong = p;
    elbrus::cost_editor e(wrong);
    damage(e, wrong);
    const bool is_rejected = !right.accepts(wrong, right.witness);
    rejected += is_rejected ? 1u : 0u;
    return is_rejected;
  };
  using editor = elbrus::cost_editor;
  const auto access = [&](value_id v) {
    midend::memory_reference m = *elbrus::cost_view(p).memory(v);
    m.stored = midend::no_value;
    return m;
  };
  const auto edge_from = [&](midend::node_id n, std::size_t i) { return p.out_edges(n)[i]; };

  // The records.
  CHECK(rejects([&](editor& e, procedure&) { e.set_operand(kept.store, 0, b.count); })); // another value
  CHECK(rejects([&](editor& e, procedure&) { e.set_operand(kept.store, 2, b.count); })); // another place
  CHECK(rejects([&](editor& e, procedure&) { e.set_operand(kept.load, 1, a.next); }));   // the next record
  CHECK(rejects([&](editor& e, procedure& w) { e.set_operand(kept.load, 0, w.parameters()[0]); }));
  CHECK(rejects([&](editor& e, procedure&) { e.erase_value(kept.store); })); // not recorded
  CHECK(rejects([&](editor& e, procedure&) {                                 // recorded twice
    e.make_store(kept.value, access(kept.store), midend::place_at_end(a.append));
  }));
  CHECK(rejects(
      [&](editor& e, procedure&) { e.make_load(kept.value, access(kept.load), midend::place_at_end(s.last)); }));
  CHECK(rejects([&](editor& e, procedure&) { e.set_memory_class(kept.load, e.make_memory_class(), midend::no_node); }));
  CHECK(rejects([&](editor& e, procedure&) { e.set_memory_class(kept.store, e.make_memory_class(), s.header); }));
  CHECK(rejects([&](editor&, procedure& w) { w.set_must_progress(true); }));
  // The arrays.
  CHECK(rejects([&](editor& e, procedure&) { // shared by two values
    const midend::kept_value& other = right.witness.kept[b.first_value];
    e.set_operand(other.store, 1, kept.array);
    e.set_operand(other.load, 0, kept.array);
  }));
  CHECK(rejects([&](editor& e, procedure&) { // too small
    const value_id small = e.make_local_array(8);
    e.set_operand(kept.store, 1, small);
    e.set_operand(kept.load, 0, small);
  }));
  CHECK(rejects([&](editor& e, procedure& w) { // memory of others
    e.set_operand(kept.store, 1, w.parameters()[0]);
    e.set_operand(kept.load, 0, w.parameters()[0]);
  }));
  CHECK(rejects([&](editor& e, procedure& w) { // its address leaves
    for (const value_id v : w.values(node_named(w, "exit"))) {
      if (w.is_terminator(v)) {
        e.set_operand(v, 0, kept.array);
      }
    }
  }));
  // The counts.
  CHECK(rejects([&](editor& e, procedure&) { e.set_operand(a.appended, 1, e.make_number(64, 2)); }));
  CHECK(rejects([&](editor& e, procedure&) { e.set_operand(a.next, 1, e.make_number(64, 2)); }));
  CHECK(rejects(
      [&](editor& e, procedure& w) { e.set_phi_input(a.index, w.in_edges(a.header)[0], e.make_number(64, 1)); }));
  CHECK(rejects(
      [&](editor& e, procedure& w) { e.set_phi_input(a.count, w.in_edges(s.header)[0], e.make_number(64, 1)); }));
  CHECK(rejects([&](editor& e, procedure& w) { e.set_phi_input(a.count, w.in_edges(s.header)[1], a.count); }));
  CHECK(rejects(
      [&](editor& e, procedure& w) { e.set_phi_input(a.joined, w.in_edges(w.core(a.joined).node)[0], a.count); }));
  CHECK(rejects([&](editor& e, procedure& w) { e.set_phi_input(a.drained, w.in_edges(s.drain)[0], a.count); }));
  CHECK(rejects([&](editor& e, procedure& w) { e.set_phi_input(a.drained, w.in_edges(s.drain)[1], b.joined); }));
  const value_id goes_on = elbrus::cost_view(p).condition(a.header);
  CHECK(rejects([&](editor& e, procedure&) { e.set_operand(goes_on, 1, b.drained); }));
  CHECK(rejects([&](editor& e, procedure&) { e.set_operand(goes_on, 0, a.next); }));
  const value_id full = elbrus::cost_view(p).condition(s.full);
  CHECK(rejects([&](editor& e, procedure& w) { e.set_operand(full, 1, w.operands(full)[0]); })); // one arm alone
  CHECK(rejects([&](editor& e, procedure& w) { e.set_operand(w.operands(full)[0], 1, e.make_number(64, 4)); }));
  CHECK(rejects([&](editor& e, procedure& w) { e.set_operand(w.operands(full)[0], 0, a.count); }));
  // What goes on.
  CHECK(
      rejects([&](editor& e, procedure& w) { e.set_phi_input(s.done, w.in_edges(s.drain)[1], e.make_number(1, 0)); }));
  CHECK(
      rejects([&](editor& e, procedure& w) { e.set_phi_input(s.done, w.in_edges(s.drain)[0], e.make_number(1, 1)); }));
  for (std::uint32_t i = 0; i != s.num_carried; ++i) {
    const midend::carried_value& c = right.witness.carried[s.first_carried + i];
    if (c.outer != midend::no_value) {
      CHECK(rejects([&](editor& e, procedure& w) { // it begins anew in each chunk
        e.set_phi_input(c.outer, w.in_edges(s.outer)[1], w.phi_input(c.outer, w.in_edges(s.outer)[0]));
      }));
      CHECK(rejects([&](editor& e, procedure& w) { e.set_phi_input(c.drained, w.in_edges(s.drain)[0], c.value); }));
    } else {
      CHECK(rejects([&](editor& e, procedure& w) {
        e.set_phi_input(c.drained, w.in_edges(s.drain)[1], right.witness.carried[s.first_carried].value);
      }));
    }
  }
  // The flow.
  CHECK(
      rejects([&](editor& e, procedure&) { e.redirect_edge(edge_from(s.drain, 0), b.header); })); // an arm is left out
  CHECK(rejects([&](editor& e, procedure&) { e.redirect_edge(edge_from(a.header, 1), s.last); }));
  CHECK(rejects([&](editor& e, procedure&) { // exchanged
    e.redirect_edge(edge_from(s.last, 0), s.outer);
  }));
  CHECK(rejects([&](editor& e, procedure&) { e.redirect_edge(a.entry, b.append); }));
  CHECK(rejects([&](editor& e, procedure&) { e.redirect_edge(a.end, s.last); }));
  CHECK(rejects([&](editor& e, procedure&) { // chunks end where they should not
    e.redirect_edge(edge_from(s.full, 0), s.header);
  }));
  MESSAGE(rejected, " mistakes of the program rejected");
  CHECK(rejected >= 38);

  // The witness.
  std::size_t wrong_witnesses = 0;
  const auto rejects_witness = [&](auto damage) {
    midend::condition_split_witness w = right.witness;
    damage(w);
    const bool is_rejected = !right.accepts(p, w);
    wrong_witnesses += is_rejected ? 1u : 0u;
    return is_rejected;
  };
  using witness = midend::condition_split_witness;
  CHECK(rejects_witness([](witness& w) { w.loops.clear(); }));
  CHECK(rejects_witness([](witness& w) { w.loops[0].num_arms = 1; }));
  CHECK(rejects_witness([](witness& w) { w.loops[0].header = 0; }));
  CHECK(rejects_witness([](witness& w) { w.loops[0].last = w.loops[0].drain; }));
  CHECK(rejects_witness([](witness& w) { w.loops[0].outer = 0xffff'0000; }));
  CHECK(rejects_witness([](witness& w) { w.loops[0].num_carried = 0; }));
  CHECK(rejects_witness([](witness& w) { w.loops[0].first_carried = 0xffff'ffff; }));
  CHECK(rejects_witness([](witness& w) { w.loops[0].last_pair = w.loops[0].first_pair; }));
  CHECK(rejects_witness([](witness& w) { w.loops[0].last_pair = 0xffff'ffff; }));
  CHECK(rejects_witness([](witness& w) { w.arms[0].end = w.arms[1].end; }));
  CHECK(rejects_witness([](witness& w) { w.arms[0].entry = 0xffff'fff0; }));
  CHECK(rejects_witness([](witness& w) { std::swap(w.arms[0], w.arms[1]); })); // the order of the loops
  CHECK(rejects_witness([](witness& w) { w.arms[0].num_values = 0; }));
  CHECK(rejects_witness([](witness& w) { w.arms[0].first_value = 0xffff'fff0; }));
  CHECK(rejects_witness([](witness& w) { std::swap(w.arms[0].count, w.arms[1].count); }));
  CHECK(rejects_witness([](witness& w) { std::swap(w.arms[0].joined, w.arms[1].joined); }));
  CHECK(rejects_witness([](witness& w) { w.arms[0].index = midend::no_value; }));
  CHECK(rejects_witness([](witness& w) { std::swap(w.kept[0].load, w.kept[1].load); }));
  CHECK(rejects_witness([](witness& w) { std::swap(w.kept[0].array, w.kept[1].array); }));
  CHECK(rejects_witness([](witness& w) { std::swap(w.carried[0].outer, w.carried[1].outer); }));
  CHECK(rejects_witness([](witness& w) { w.chunk = 4; }));
  CHECK(rejects_witness([](witness& w) { w.chunk = 0; }));
  for (std::size_t i = 0; i != right.witness.pairs.size(); ++i) {
    CHECK(rejects_witness([&](witness& w) { // nothing is proven
      for (auto& c : w.pairs[i].cases) {
        c.kind = midend::dependence_case_kind::possible;
      }
    }));
    CHECK(rejects_witness([&](witness& w) { w.pairs[i].first = 9; }));
    CHECK(rejects_witness([&](witness& w) { w.pairs[i].cases.shrink(w.pairs[i].cases.size() - 1); }));
  }
  MESSAGE(wrong_witnesses, " witnesses rejected");
}

TEST_CASE("verify_condition_split: a record whose access has a guard may not be written or read") {
  const split_procedure right(two_arms().text());
  for (std::uint32_t i = 0; i != right.witness.kept.size(); ++i) {
    for (const bool stores : {false, true}) {
      elbrus::program all = right.after;
      procedure& p = all.procedures[0];
      midend::condition_split_witness w = right.witness;
      value_id& v = stores ? w.kept[i].store : w.kept[i].load;
      const std::vector<value_id> operands(p.operands(v).begin(), p.operands(v).end());
      elbrus::operation_draft draft;
      draft.code = p.core(v).code;
      draft.type = p.core(v).type;
      draft.operand_type = p.core(v).operand_type;
      draft.operands = operands;
      draft.access = p.access(v);
      const value_id copy = p.insert_before(v, draft);
      if (!stores) {
        p.replace_uses(v, copy);
      }
      elbrus::cost_editor(p).erase_value(v);
      v = copy;
      CHECK(right.accepts(p, w)); // another number is no difference
      draft.guard = p.constant(elbrus::type::i1, 0);
      draft.otherwise = stores ? midend::no_value : p.constant(draft.type, 0);
      const value_id guarded = p.insert_before(copy, draft);
      if (!stores) {
        p.replace_uses(copy, guarded);
      }
      elbrus::cost_editor(p).erase_value(copy);
      v = guarded;
      REQUIRE(why_broken(p) == "");
      CHECK(!right.accepts(p, w));
      draft.guard = value_named(p, "c"); // one that is not a literal, as far as it dominates the place
      const value_id other = p.insert_before(guarded, draft);
      if (!stores) {
        p.replace_uses(guarded, other);
      }
      elbrus::cost_editor(p).erase_value(guarded);
      v = other;
      if (stores) {
        REQUIRE(why_broken(p) == "");
      }
      CHECK(right.verdict(p, w).fault == condition_split_fault::wrong_record);
    }
  }
}

TEST_CASE("verify_condition_split: hints promise no more about the new loops than about the old one") {
  branch_text b = two_arms();
  std::string text = b.text();
  text.replace(text.find("  node loop:"), 12, "  node loop hint trip=avg:20 trip=max:64 trip=multiple:4:");
  const split_procedure right(text);
  const midend::split_loop& s = right.witness.loops[0];
  const elbrus::trip_hint made = right.after.procedures[0].hint(s.header);
  CHECK(made.maximum == 64);
  CHECK(made.multiple == 0); // a chunk has any number of iterations
  const auto accepts = [&](midend::node_id n, elbrus::trip_hint hint) {
    procedure p = right.after.procedures[0];
    p.set_hint(n, hint);
    return right.accepts(p, right.witness);
  };
  CHECK(accepts(s.header, {1000, 64, 0}));
  CHECK(accepts(s.header, {20, 65, 1}));
  CHECK(accepts(s.header, {}));
  CHECK(!accepts(s.header, {20, 64, 4}));
  CHECK(!accepts(s.header, {20, 63, 0}));
  for (const midend::node_id n : {s.outer, right.witness.arms[0].header, right.witness.arms[1].header}) {
    CHECK(accepts(n, {7, 0, 0}));
    CHECK(!accepts(n, {7, 64, 0}));
    CHECK(!accepts(n, {7, 0, 2}));
  }
}

TEST_CASE("verify_condition_split: a case of a proof that is none of the kinds proves nothing") {
  // The arms meet; the plan is that of a loop where they do not.
  const split_procedure right(two_arms().text());
  branch_text b = two_arms();
  b.otherwise = "    %z = add.i64 %x, %w\n    st.i64 %z, [%a + %w*8 + 8]\n";
  const elbrus::program before = program_of(b.text());
  elbrus::program after = before;
  midend::condition_split_plan plan = right.plan;
  for (auto& pair : plan.pairs) {
    for (auto& c : pair.cases) {
      c.kind = static_cast<midend::dependence_case_kind>(77);
      c.has_witness = false;
    }
    pair.answer = midend::dependence_answer::independent;
    pair.is_exact = true;
    pair.forward = pair.backward = pair.loop_independent = false;
    for (auto& o : pair.orders) {
      o = 0;
    }
  }
  elbrus::cost_editor e(after.procedures[0]);
  const auto witness = midend::apply_condition_split(e, plan);
  CHECK(verdict_of(before.procedures[0], after.procedures[0], witness).fault == condition_split_fault::wrong_proof);
}

TEST_CASE("condition split: the checker finds a dependence that the planner would have missed") {
  // The arms of a legal loop; in the other program they meet.
  const split_procedure right(two_arms().text());
  branch_text b = two_arms();
  b.otherwise = "    %z = add.i64 %x, %w\n    st.i64 %z, [%a + %w*8 + 8]\n";
  const elbrus::program before = program_of(b.text());
  elbrus::program after = before;
  midend::condition_split_plan plan = right.plan; // the same numbers
  elbrus::cost_editor e(after.procedures[0]);
  const auto witness = midend::apply_condition_split(e, plan);
  const auto verdict = verdict_of(before.procedures[0], after.procedures[0], witness);
  CHECK(
      (verdict.fault == condition_split_fault::unproven_order || verdict.fault == condition_split_fault::wrong_proof));
}

TEST_CASE("condition split: recorded, taken back and replayed") {
  const elbrus::program all = program_of(leaving_text(false));
  procedure p = all.procedures[0];
  midend::condition_split_plan plan = planned(p, options_of(4));
  midend::recording_editor<elbrus::cost_editor> e(p);
  midend::apply_condition_split(e, plan);
  const procedure made = p;
  const auto log = e.log();
  e.undo();
  CHECK(elbrus::to_text(p) == elbrus::to_text(all.procedures[0]));
  procedure again = all.procedures[0];
  elbrus::cost_editor plain(again);
  midend::replay(log, plain);
  CHECK(elbrus::to_text(again) == elbrus::to_text(made));
}

TEST_CASE("condition split: a plan that cannot be carried out leaves the program as it was (#205564)") {
  struct without_arrays : elbrus::cost_editor {
    using cost_editor::cost_editor;

    value_id make_local_array(std::uint32_t bytes) {
      return ++made == 2 ? midend::no_value : cost_editor::make_local_array(bytes);
    }

    std::size_t made = 0;
  };

  const elbrus::program all = program_of(two_arms().text());
  procedure p = all.procedures[0];
  midend::condition_split_plan plan = planned(p, options_of(4));
  REQUIRE(plan.loops.size() == 1);
  without_arrays e(p);
  const auto witness = midend::apply_condition_split(e, plan);
  CHECK(witness.loops.empty());
  CHECK(plan.empty());
  REQUIRE(plan.refused.size() == 1);
  CHECK(plan.refused[0].why == condition_split_obstacle::not_made);
  CHECK(elbrus::to_text(p) == elbrus::to_text(all.procedures[0]));
}

TEST_CASE("condition split: a reduction whose result depends on the order stays (#202089)") {
  branch_text b;
  b.phis = "    %s = phi.f64 [entry: 0.0], [latch: %u]\n";
  b.then = "    %xd = itof.i64.f64 %x\n    %y = fadd.f64 %s, %xd\n    st.i64 %x, [%a + %w*8]\n";
  b.follows = "    %u = phi.f64 [body: %s], [then: %y]\n";
  const auto why = refusal(b.text());
  CHECK(why.why == condition_split_obstacle::value_leaves);
  CHECK(program_of(b.text()).procedures[0].value_name(why.value) == "y");
}

TEST_CASE("condition split: counts of nodes that are known stay right (#164270)") {
  for (const bool rotated : {false, true}) {
    elbrus::program before = program_of(leaving_text(rotated));
    elbrus::interpreter first(before);
    elbrus::memory arrays;
    std::vector<unsigned char> contents(600);
    for (std::size_t i = 0; i != contents.size(); ++i) {
      contents[i] = static_cast<unsigned char>(i * 37 + 11 + i / 7);
    }
    const std::uint64_t address = arrays.add("a", contents) + 300;
    const std::vector<elbrus::scalar> arguments = {{elbrus::type::ptr, address}, {elbrus::type::i64, 11}};
    elbrus::run_profile counted;
    elbrus::add_profile(counted, first.run(0, arguments, arrays).profile);
    elbrus::write_profile(before, counted);
    elbrus::program after = before;
    procedure& p = after.procedures[0];
    REQUIRE(split(p, options_of(4)) == 1);
    elbrus::program counted_again = after;
    elbrus::interpreter second(after);
    elbrus::run_profile counts;
    elbrus::add_profile(counts, second.run(0, arguments, arrays).profile);
    elbrus::write_profile(counted_again, counts);
    std::size_t known = 0;
    for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
      if (p.node_count(n) != elbrus::no_count) {
        ++known;
        CHECK_MESSAGE(p.node_count(n) == counted_again.procedures[0].node_count(n), elbrus::to_text(p));
      }
    }
    CHECK(known >= 9); // all nodes that were there, and those that append
  }
}

TEST_CASE("condition split: local classes of the loop end, since the arms leave it (#223173)") {
  branch_text b = two_arms();
  b.first = "    %x = ld.i64 [%a + %w*8] local=A:loop\n";
  b.then = "    %y = mul.i64 %x, 3\n    st.i64 %y, [%a + %w*8 - 120] local=B:loop\n";
  b.otherwise = "    %z = mul.i64 %x, 5\n    st.i64 %z, [%a + %w*8 - 240] local=C:loop\n";
  counts c;
  for (std::uint64_t n = 0; n != 12; ++n) {
    check_runs(b.text(), c, 3, {n});
  }
  CHECK(c.same == 12);
  elbrus::program all = program_of(b.text());
  REQUIRE(split(all.procedures[0], options_of(3)) == 1);
  CHECK(elbrus::to_text(all.procedures[0]).find("local=") == std::string::npos);
}

TEST_CASE("condition split: words") {
  const elbrus::program all = program_of(two_arms().text());
  const auto plan = planned(all.procedures[0], options_of(4));
  CHECK(midend::to_text(plan, names_of{all.procedures[0]}) ==
        "loop is split at body: 2 arms of 4 operations keep 4 values, in chunks of 4\n");
  CHECK(midend::summary_text(plan).find("1 split") != std::string::npos);
  branch_text b = two_arms();
  b.then = "    %y = mul.i64 %x, 3\n    st.i64 %y, [%a + %w*8 + 8]\n";
  const elbrus::program other = program_of(b.text());
  const auto refused = planned(other.procedures[0], options_of(4));
  CHECK(midend::to_text(refused, names_of{other.procedures[0]})
            .find("loop 0 stays: two accesses meet in iterations that would change order; body") == 0);
  CHECK(midend::summary_text(refused).find("nothing split") == 0);
  midend::condition_split_verdict verdict;
  CHECK(midend::to_text(verdict) == "certified");
  verdict.fault = condition_split_fault::wrong_array;
  verdict.node = 0;
  CHECK(midend::to_text(verdict).find("an array is not local") != std::string::npos);
}

TEST_CASE("condition split: several loops, next to each other and in a loop, and values from one to the other") {
  const auto loop = [](const std::string& k, const std::string& start, const std::string& from, const std::string& to,
                       int offset) {
    const std::string o = " + " + std::to_string(offset) + "]";
    return "  node l" + k + ":\n    %i" + k + " = phi.i64 [" + from + ": " + start + "], [j" + k + ": %n" + k +
           "]\n    %x" + k + " = ld.i64 [%a + %i" + k + "*8" + o + "\n    %c" + k + " = cmp.gt.i64 %x" + k +
           ", 0\n    br %c" + k + " ? t" + k + " : e" + k + "\n  node t" + k + ":\n    %y" + k + " = mul.i64 %x" + k +
           ", 3\n    st.i64 %y" + k + ", [%a + %i" + k + "*8" + o + "\n    br j" + k + "\n  node e" + k + ":\n    %z" +
           k + " = add.i64 %x" + k + ", %i" + k + "\n    st.i64 %z" + k + ", [%a + %i" + k + "*8" + o + "\n    br j" +
           k + "\n  node j" + k + ":\n    %n" + k + " = add.i64 %i" + k + ", 1\n    %q" + k + " = cmp.lt.i64 %n" + k +
           ", 9\n    br %q" + k + " ? l" + k + " : " + to + "\n";
  };
  const std::string text = "proc @f(%a: ptr, %n: i64) -> i64 {\n  node entry:\n    br outer\n  node outer:\n"
                           "    %o = phi.i64 [entry: 0], [next: %o1]\n    br l1\n" +
                           loop("1", "0", "outer", "between", 0) +
                           "  node between:\n    %s = sub.i64 %n1, 7\n    br l2\n" +
                           loop("2", "%s", "between", "l3", 80) + loop("3", "0", "j2", "next", -160) +
                           "  node next:\n    %o1 = add.i64 %o, %n3\n    %t = cmp.lt.i64 %o1, 40\n"
                           "    br %t ? outer : exit\n  node exit:\n    %r = add.i64 %o1, %n2\n    ret %r\n}\n";
  const elbrus::program before = program_of(text);
  elbrus::program after = before;
  // The third loop follows directly after the second one.
  const auto plan = planned(before.procedures[0], options_of(2));
  CHECK(plan.loops.size() == 2);
  for (std::size_t round = 0; round != 3; ++round) {
    split(after.procedures[0], options_of(2));
    CHECK(elbrus::compare_runs(run_checked(before, {0}, 600, 100'000), run_checked(after, {0}, 600, 400'000)) ==
          elbrus::run_comparison{});
  }
  CHECK(after.procedures[0].locals().size() == 12); // each loop once
}
