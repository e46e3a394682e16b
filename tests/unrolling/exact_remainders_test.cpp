// What is left in a program of a loop whose number of iterations is known, unrolled with a remainder and cleaned up.

#include "kit/run_text.hpp"
#include "kit/unrolling_forms.hpp"
#include "transform/unrolling_checks.hpp"

#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::remainder_placement;

enum class tested : std::uint8_t { first, last };

/// A loop of so many iterations. A multiplication in each.
std::string loop_of(tested where, std::uint64_t iterations, std::uint64_t step = 1) {
  const std::string bound = join(iterations * step);
  const std::string head = join("proc @f(%x: i32) -> i32 {\n  node entry:\n    br ", "loop\n");
  const std::string next = join("%i1 = add.i32 %i, ", step, "\n");
  const std::string work = "%t = xor.i32 %s, %i\n    %s1 = mul.i32 %t, %x\n    ";
  if (where == tested::first) {
    return head +
           "  node loop:\n    %i = phi.i32 [entry: 0], [body: %i1]\n    %s = phi.i32 [entry: %x], [body: %s1]\n" +
           "    %c = cmp.lt.i32 %i, " + bound + "\n    br %c ? body : exit\n  node body:\n    " + work + next +
           "    br loop\n  node exit:\n    ret %s\n}\n";
  }
  return head +
         "  node loop:\n    %i = phi.i32 [entry: 0], [loop: %i1]\n    %s = phi.i32 [entry: %x], [loop: %s1]\n    " +
         work + next + "    %c = cmp.lt.i32 %i1, " + bound +
         "\n    br %c ? loop : exit\n  node exit:\n    ret %s1\n}\n";
}

/// What is there of a program.
struct census {
  std::size_t loops = 0;
  std::size_t branches = 0;
  std::size_t products = 0;         ///< in all
  std::size_t products_in_loop = 0; ///< in the loop with the most
};

census count(const elbrus::procedure& p) {
  census out;
  const auto found = midend::dominators_and_loops(p);
  const elbrus::cost_view view(p);
  out.loops = found.loops.num_loops();
  std::vector<std::size_t> of_loop(out.loops);
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    if (!found.dominators.is_reachable(n)) {
      continue;
    }
    out.branches += p.out_edges(n).size() > 1 ? 1u : 0u;
    for (const midend::value_id v : p.values(n)) {
      if (!view.is_phi(v) && view.operation(v).code == midend::operation::mul) {
        ++out.products;
        const midend::loop_id l = found.loops.innermost_loop(n);
        out.products_in_loop =
            l == midend::no_loop ? out.products_in_loop : std::max(out.products_in_loop, ++of_loop[l]);
      }
    }
  }
  return out;
}

/// The loop in a form, with the certificate of each step, cleaned up. It runs as before.
elbrus::program unrolled(const std::string& text, const midend::unrolling_form& form) {
  const elbrus::program before = program_of(text);
  elbrus::program after = before;
  elbrus::procedure& p = after.procedures[0];
  {
    elbrus::editor e(p);
    const midend::unrolling_order order{0, form};
    fact_certifier c;
    const auto done =
        midend::apply_unrolling(e, midend::dominators_and_loops(p).loops,
                                midend::span<const midend::unrolling_order>(&order, 1), cost_of, {}, c, counts_of);
    CHECK(done.num_unrolled() == 1);
    CHECK_MESSAGE(c.why.empty(), c.why);
  }
  elbrus::cost_editor editor(p);
  midend::clean_up(editor);
  for (const std::uint64_t x : {1U, 3U, 12345U}) {
    const std::vector<elbrus::scalar> arguments{{elbrus::type::i32, x}};
    const auto expected = elbrus::interpreter(before).run(0, arguments, {}).value;
    CHECK(expected.has_value());
    CHECK_MESSAGE(elbrus::interpreter(after).run(0, arguments, {}).value == expected, elbrus::to_text(after));
  }
  return after;
}

} // namespace

TEST_CASE("1027 iterations by 4 with a prologue: three iterations, then a loop of 1024, and no other") {
  for (const tested where : {tested::first, tested::last}) {
    const elbrus::program p =
        unrolled(loop_of(where, 1027), midend::partial_unrolling(4, 1027, remainder_placement::prologue, 8));
    const census c = count(p.procedures[0]);
    CHECK(c.loops == 1);
    CHECK(c.branches == 1);
    CHECK(c.products == 3 + 4);
    CHECK_MESSAGE(c.products_in_loop == 4, elbrus::to_text(p));
  }
}

TEST_CASE(
    "a prologue of a known length: for all small numbers of iterations, factors and steps one loop and one test") {
  std::size_t checked = 0;
  for (const tested where : {tested::first, tested::last}) {
    for (const std::uint64_t step : {1u, 3u}) {
      for (const std::uint32_t factor : {2u, 3u, 5u, 8u}) {
        for (std::uint64_t n = 2 * factor; n != 2 * factor + factor; ++n) {
          const auto form = midend::partial_unrolling(factor, n, remainder_placement::prologue, 8);
          const elbrus::program p = unrolled(loop_of(where, n, step), form);
          const census c = count(p.procedures[0]);
          const bool is_right =
              c.loops == 1 && c.branches == 1 && c.products == factor + n % factor && c.products_in_loop == factor;
          CHECK_MESSAGE(is_right, "factor ", factor, ", ", n, " iterations, step ", step, "\n", elbrus::to_text(p));
          ++checked;
        }
      }
    }
  }
  CHECK(checked == 2 * 2 * (2 + 3 + 5 + 8));
}

TEST_CASE("a longer prologue is a loop of its own, and no third one is left") {
  for (const tested where : {tested::first, tested::last}) {
    const auto form = midend::partial_unrolling(16, 1036, remainder_placement::prologue, 8); // 12 are left
    CHECK(!form.unrolls_remainder);
    const elbrus::program p = unrolled(loop_of(where, 1036), form);
    const census c = count(p.procedures[0]);
    CHECK_MESSAGE(c.loops == 2, elbrus::to_text(p));
    CHECK(c.branches == 2);
    CHECK(c.products_in_loop == 16);
  }
}

TEST_CASE("a small remainder after the loop is unrolled completely: the loop is the only one") {
  for (const tested where : {tested::first, tested::last}) {
    for (const std::uint64_t n : {1027u, 1030u, 1031u}) {
      const std::uint64_t rest = n % 8;
      const elbrus::program p =
          unrolled(loop_of(where, n), midend::partial_unrolling(8, n, remainder_placement::epilogue, 8));
      const census c = count(p.procedures[0]);
      CHECK_MESSAGE(c.loops == 1, elbrus::to_text(p));
      CHECK(c.branches == 1);
      CHECK_MESSAGE(c.products == 8 + rest, elbrus::to_text(p));
      CHECK(c.products_in_loop == 8);
    }
  }
}

TEST_CASE("as advised: what the trial has found of a loop with a prologue is there") {
  for (const tested where : {tested::first, tested::last}) {
    elbrus::program all = program_of(loop_of(where, 1031)); // a prime number
    elbrus::procedure& p = all.procedures[0];
    elbrus::cost_editor editor(p);
    const auto found = midend::dominators_and_loops(p);
    midend::unrolling_options options;
    options.remainder = remainder_placement::prologue;
    options.forced_factor = 4;
    const auto machine = midend::e2k_reference_v6();
    const auto advice = midend::advise_unrolling(editor, found.loops, 0, machine, options);
    REQUIRE(advice.decision().factor == 4);
    CHECK(advice.decision().remainder == remainder_placement::prologue);
    CHECK(advice.decision().remainder_iterations == 3);
    CHECK(advice.decision().unrolls_remainder);
    CHECK(advice.num_exits == 1); // of the trial's loop, too
    const auto form = midend::unrolling_form_of(advice, advice.decision());
    CHECK(form == midend::partial_unrolling(4, 1031, remainder_placement::prologue, options.max_unrolled_rest));
    const census c = count(unrolled(loop_of(where, 1031), form).procedures[0]);
    CHECK((c.loops == 1 && c.branches == 1 && c.products == 3 + 4));
  }
}
