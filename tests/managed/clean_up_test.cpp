// The clean-up: examples of unrolling, and random programs, some of them unrolled.
#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"
#include "kit/run_clean_up.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/package/low_level_package.hpp>
#include <midend/transform/unroll_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::operation_class;
using midend::value_id;

namespace {

std::size_t values_of(const elbrus::procedure& p) {
  std::size_t count = 0;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      count += v == midend::no_value ? 0U : 1U;
    }
  }
  return count;
}

/// How many operations of a class the innermost loops of a procedure have.
std::size_t in_loops(const elbrus::procedure& p, operation_class wanted) {
  const elbrus::cost_view view(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  std::size_t count = 0;
  for (const midend::loop_id l : loops.loops()) {
    for (const midend::node_id n : loops.blocks(l)) {
      for (const value_id v : p.values(n)) {
        count += loops.subloops(l).size() == 1 && view.cost(v) == wanted ? 1U : 0U;
      }
    }
  }
  return count;
}

/// Unrolls all innermost loops by `factor`, as cycles.
void unroll_all(elbrus::procedure& p, std::uint32_t factor) {
  const auto loops = midend::dominators_and_loops(p).loops;
  std::vector<midend::unrolling_request> requests;
  for (const midend::loop_id l : loops.loops()) {
    if (loops.subloops(l).size() == 1) {
      requests.push_back({l, {midend::unrolling_kind::partial, factor}});
    }
  }
  elbrus::editor e(p);
  midend::unroll_loops(e, loops, requests);
}

elbrus::program examples() {
  std::ifstream file(MIDEND_TEST_DATA "/../../examples/programs/unrolling.eir");
  return program_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

/// A procedure of the examples, unrolled and cleaned up.
elbrus::procedure cleaned_example(std::string_view name, std::uint32_t factor,
                                  clean_up_costs costs = clean_up_costs::of_machine) {
  elbrus::program all = examples();
  for (elbrus::procedure& p : all.procedures) {
    if (p.name() == name) {
      unroll_all(p, factor);
      const clean_up_counts counts = run_clean_up(p, costs);
      CHECK(counts.is_complete);
      CHECK(why_ill_formed(p) == "");
      return p;
    }
  }
  FAIL("no such example");
  return {};
}

std::string cleaned_text(std::string_view text, std::uint32_t without = 0) {
  parsed_procedure parsed(text);
  static_cast<void>(run_clean_up(parsed.procedure(), clean_up_costs::of_machine, without));
  CHECK(why_ill_formed(parsed.procedure()) == "");
  return elbrus::to_text(parsed.procedure());
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::string how_many(const char* variable, const char* otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : value;
}

} // namespace

TEST_CASE("clean_up: examples of unrolling keep one quotient and one load where all copies need the same") {
  const elbrus::procedure quarters = cleaned_example("quarters_and_sixteenths", 4);
  CHECK(in_loops(quarters, operation_class::integer_divide) == 0);
  CHECK(in_loops(quarters, operation_class::load) == 4);
  CHECK(values_of(quarters) == 26);
  const std::string text = elbrus::to_text(quarters);
  CHECK(count_of(text, "shr.i32") == 1);
  CHECK(count_of(text, "and.i32 %i, 15") == 1);
  for (const clean_up_costs costs : {clean_up_costs::of_machine, clean_up_costs::one_each}) {
    const elbrus::procedure search = cleaned_example("search", 7, costs);
    CHECK(in_loops(search, operation_class::load) == 1);
    CHECK(in_loops(search, operation_class::integer_divide) == (costs == clean_up_costs::one_each ? 1 : 0));
  }
  // By 4, the index is no multiple of 7: all stay.
  CHECK(in_loops(cleaned_example("search", 4), operation_class::load) == 4);
}

TEST_CASE("clean_up: what is not negative is divided by shifts and masks") {
  const std::string text = cleaned_text("proc @f(%x: i32) -> i32 {\n  node entry:\n    %m = and.i32 %x, 1023\n"
                                        "    %a = div.i32 %m, 4\n    %b = rem.i32 %m, 16\n    %c = sar.i32 %m, 3\n"
                                        "    %s = add.i32 %a, %b\n    %t = xor.i32 %s, %c\n    ret %t\n}\n");
  CHECK(count_of(text, "shr.i32") == 2);
  CHECK(count_of(text, "and.i32") == 2);
  CHECK(count_of(text, " = ") == 6); // none of them is three operations, as where signs matter
}

TEST_CASE("clean_up: sums become sums of multiples where that costs less, and only if they may be regrouped") {
  const char* const text = "proc @f(%x: i32, %y: i32) -> i32 {\n  node entry:\n    %x2 = shl.i32 %x, 1\n"
                           "    %a = add.i32 %y, %x2\n    %b = add.i32 %a, %x2\n    %c = add.i32 %b, %x2\n"
                           "    %d = add.i32 %c, %x2\n    %e = sub.i32 %d, %y\n    ret %e\n}\n";
  CHECK(count_of(cleaned_text(text), " = ") == 1);
  CHECK(cleaned_text(text).find("shl.i32 %x, 3") != std::string::npos);
  parsed_procedure alone(text);
  midend::elbrus::cost_editor editor(alone.procedure());
  midend::low_level_package().run(editor);
  CHECK(count_of(elbrus::to_text(alone.procedure()), " = ") == 6);
}

TEST_CASE("clean_up: an operation under the same predicate is a choice, if that costs less") {
  const char* const text = "proc @f(%x: i32, %y: i32, %p: i1) -> i32 {\n  node entry:\n"
                           "    %u = mul.i32 %x, %y ? %p : 1\n    %v = mul.i32 %x, %y ? %p : 2\n"
                           "    %w = add.i32 %u, %v ? ~%p : %x\n    %z = xor.i32 %w, %v\n    ret %z\n}\n";
  const std::string cleaned = cleaned_text(text);
  CHECK(count_of(cleaned, "mul.i32") == 1);
  CHECK(cleaned.find("select.i32 %p, %u, 2") != std::string::npos);
  const std::string other_predicate =
      cleaned_text("proc @f(%x: i32, %y: i32, %p: i1) -> i32 {\n  node entry:\n    %u = mul.i32 %x, %y ? %p : 1\n"
                   "    %v = mul.i32 %x, %y ? ~%p : 2\n    %z = xor.i32 %u, %v\n    ret %z\n}\n");
  CHECK(count_of(other_predicate, "mul.i32") == 2);
}

TEST_CASE("clean_up: equal addresses are loaded once, also if a narrow index is a sum that does not wrap") {
  const auto loads = [](const char* promise) {
    const std::string text = cleaned_text(
        std::string("proc @f(%a: ptr, %i: i32) -> i32 {\n  node entry:\n    %u = ld.i32 [%a + %i*4 + 4]\n"
                    "    %j = add.i32 %i, 1") +
        promise + "\n    %v = ld.i32 [%a + %j*4]\n    %s = xor.i32 %u, %v\n    %t = mul.i32 %s, %j\n    ret %t\n}\n");
    return count_of(text, "ld.i32");
  };
  CHECK(loads(" nsw") == 0); // what is loaded twice cancels out
  CHECK(loads("") == 2);
}

TEST_CASE("clean_up: facts of promises end with the promises") {
  // In the first node, %u is less than the greatest number, since it does not wrap. In place of %v, which may wrap, it
  // is read where that says nothing.
  const std::string text = cleaned_text("proc @f(%x: i32) -> i1 {\n  node entry:\n    %u = add.i32 %x, 1 nsw\n"
                                        "    %q = cmp.gt.i32 %x, 7\n    br %q ? one : two\n"
                                        "  node one:\n    %v = add.i32 %x, 1\n    %p = cmp.eq.i32 %v, -2147483648\n"
                                        "    ret %p\n  node two:\n    %r = cmp.eq.i32 %u, 5\n    ret %r\n}\n");
  CHECK(text.find("nsw") == std::string::npos);
}

TEST_CASE("clean_up: a limit of rounds, members that are left out, and nothing to do") {
  const char* const text = "proc @f(%x: i32) -> i32 {\n  node entry:\n    %a = add.i32 %x, 0\n"
                           "    %p = cmp.eq.i32 %a, %x\n    br %p ? yes : no\n  node yes:\n    ret %a\n"
                           "  node no:\n    ret 0\n}\n";
  parsed_procedure limited(text);
  const clean_up_counts one = run_clean_up(limited.procedure(), clean_up_costs::usual, 0, 1);
  CHECK(one.rounds == 1);
  CHECK(!one.is_complete);
  CHECK(one.has_changed);
  parsed_procedure whole(text);
  CHECK(run_clean_up(whole.procedure()).is_complete);
  CHECK(count_of(elbrus::to_text(whole.procedure()), " = ") == 0);
  const clean_up_counts again = run_clean_up(whole.procedure());
  CHECK(again.rounds == 1);
  CHECK(again.is_complete);
  CHECK(!again.has_changed);
  parsed_procedure untouched(text);
  CHECK(!run_clean_up(untouched.procedure(), clean_up_costs::usual, 0x7f).has_changed);
  CHECK(elbrus::equal(untouched.procedure(), parsed_procedure(text).procedure()));
}

TEST_CASE(
    "clean_up: a loop does not become one with the loop around it, of which nothing but the header is before it") {
  parsed_procedure nest("proc @nest(%p: ptr, %n: i32) {\n"
                        "  node entry:\n    br outer\n"
                        "  node outer:\n    br inner\n"
                        "  node inner:\n    %x = ld.i32 [%p]\n    %y = add.i32 %x, 1\n    st.i32 %y, [%p]\n"
                        "    %more = cmp.lt.i32 %y, %n\n    br %more ? inner : latch\n"
                        "  node latch:\n    %z = ld.i32 [%p + 4]\n    %w = add.i32 %z, 1\n    st.i32 %w, [%p + 4]\n"
                        "    %again = cmp.lt.i32 %w, %n\n    br %again ? outer : exit\n"
                        "  node exit:\n    ret\n}\n");
  CHECK(run_clean_up(nest.procedure()).is_complete);
  CHECK(why_ill_formed(nest.procedure()) == "");
  const auto loops = midend::dominators_and_loops(nest.procedure()).loops;
  REQUIRE(loops.num_loops() == 2);
  CHECK(loops.depth(1) == 2);
}

TEST_CASE("clean_up on random programs, some of them unrolled: runs are the same, and a second time changes nothing") {
  const auto programs = static_cast<std::size_t>(std::stoul(how_many("MIDEND_CLEAN_UP_PROGRAMS", "400")));
  comparison_counts runs;
  std::size_t changed = 0;
  std::size_t again = 0;
  std::size_t incomplete = 0;
  std::size_t rounds[9] = {};
  std::size_t changes[7] = {};
  std::size_t before_values = 0;
  std::size_t values = 0;
  for_each_random_program(programs, endless_flow(), [&](const generated_program& g, std::uint64_t seed) {
    generated_program original = g;
    original.program = in_ssa_form(g);
    elbrus::program after = original.program;
    for (elbrus::procedure& p : after.procedures) {
      if (seed % 2 == 1) {
        unroll_all(p, seed % 3 == 0 ? 2 : seed % 3 == 1 ? 3 : 4);
      }
      const elbrus::procedure before = p;
      const clean_up_counts counts = run_clean_up(p);
      const std::string ill = why_ill_formed(p);
      CHECK_MESSAGE(ill.empty(), "seed ", seed, ": ", ill, "\n", elbrus::to_text(before), elbrus::to_text(p));
      ++rounds[counts.rounds];
      incomplete += counts.is_complete ? 0U : 1U;
      if (!counts.is_complete && std::getenv("MIDEND_CLEAN_UP_SHOW") != nullptr) {
        MESSAGE("limit: seed ", seed, " ", p.name(), ": ", counts.changes[0], " ", counts.changes[1], " ",
                counts.changes[2], " ", counts.changes[3], " ", counts.changes[4], " ", counts.changes[5], " ",
                counts.changes[6], "\n", elbrus::to_text(before), "\n", elbrus::to_text(p));
      }
      changed += counts.has_changed ? 1U : 0U;
      for (std::size_t i = 0; i != 7; ++i) {
        changes[i] += counts.changes[i];
      }
      elbrus::procedure once = p;
      again += run_clean_up(once).has_changed ? 1U : 0U;
      elbrus::procedure counted = before; // by numbers of operations: no quotient becomes a product
      static_cast<void>(run_clean_up(counted, clean_up_costs::one_each));
      before_values += values_of(before);
      values += values_of(counted);
    }
    const std::string wrong = why_wrong(original, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(changed, " procedures changed, ", again, " a second time, ", incomplete, " stopped at the limit; rounds ",
          rounds[1], ", ", rounds[2], ", ", rounds[3], ", ", rounds[4], ", ", rounds[5], ", ", rounds[6], ", ",
          rounds[7], ", ", rounds[8], "; changes ", changes[0], ", ", changes[1], ", ", changes[2], ", ", changes[3],
          ", ", changes[4], ", ", changes[5], ", ", changes[6], "; ", runs.same, " runs the same, ", runs.no_verdict,
          " without verdict; values ", before_values, ", left ", values);
  CHECK(runs.same > affordable(2 * programs));
  CHECK(again * 50 <= changed);
  CHECK(incomplete * 100 <= changed);
  CHECK(values * 4 < before_values * 3);
}
