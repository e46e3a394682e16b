// try_unrolling: the worked examples by their figures, and trials beside deeds.
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/unrolling/try_unrolling.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::unrolling_kind;

namespace {

midend::extracted_loop extracted(const elbrus::cost_editor& e, const midend::dominators_and_loops_result& found,
                                 midend::loop_id l) {
  midend::extract_loop_workspace memory;
  midend::extracted_loop x;
  midend::extract_loop(e, found.dominators, found.loops, l, midend::facts_of_numbers(e), memory, x);
  midend::expect_trips(x);
  return x;
}

elbrus::program examples() {
  std::ifstream file(MIDEND_TEST_DATA "/../../examples/programs/unrolling.eir");
  elbrus::program all = program_of(std::string(std::istreambuf_iterator<char>(file), {}));
  for (elbrus::procedure& p : all.procedures) {
    elbrus::construct_ssa(p);
  }
  return all;
}

midend::unrolling_trial tried(std::string_view name, std::uint32_t factor, bool reassociates = true) {
  elbrus::program all = examples();
  for (elbrus::procedure& p : all.procedures) {
    if (p.name() == name) {
      const elbrus::cost_editor e(p);
      const auto found = midend::dominators_and_loops(e.graph());
      const midend::extracted_loop x = extracted(e, found, 0);
      midend::unrolling_trial_options options;
      options.lowering.reassociates = reassociates;
      const auto kind = factor == 1 ? unrolling_kind::none : unrolling_kind::partial;
      return midend::try_unrolling(x, {kind, factor}, midend::e2k_reference_v6(), options);
    }
  }
  return {};
}

struct figures {
  std::uint64_t operations;
  std::uint64_t interval;

  friend bool operator==(const figures&, const figures&) = default;
};

figures figures_of(const midend::unrolling_trial& t) {
  return t.unrolled() == nullptr ? figures{0, 0} : figures{t.unrolled()->cost.operations, t.unrolled()->cost.interval};
}

std::size_t count(const midend::unrolling_trial& t, midend::operation_class c) {
  std::size_t found = 0;
  for (const midend::node_id n : t.loops.blocks(t.loop)) {
    for (const midend::value_id v : t.program.values(n)) {
      found += t.program.cost(v) == c ? 1u : 0u;
    }
  }
  return found;
}

} // namespace

TEST_CASE("trials of the worked examples leave the operations of the specification") {
  // 1: seven operations; five copies leave no loop.
  CHECK(figures_of(tried("five_iterations", 1)) == figures{7, 2});
  CHECK(figures_of(tried("five_iterations", 1, false)) == figures{7, 3});
  const auto five = tried("five_iterations", 5);
  CHECK(five.loop == midend::no_loop);
  CHECK(five.is_clean);
  CHECK(five.cost.cycles < tried("five_iterations", 1).cost.cycles);
  // 2: by 4 one quarter and one test are left; 17 operations.
  CHECK(figures_of(tried("quarters_and_sixteenths", 1)) == figures{8, 2});
  CHECK(figures_of(tried("quarters_and_sixteenths", 4)) == figures{17, 3});
  CHECK(figures_of(tried("quarters_and_sixteenths", 1, false)) == figures{8, 3});
  CHECK(figures_of(tried("quarters_and_sixteenths", 2, false)) == figures{11, 5});
  CHECK(figures_of(tried("quarters_and_sixteenths", 4, false)) == figures{17, 9});
  // The specification has 17 and 33: the clean-up adds the 1 of i / 4 + 1 to the sum last, as one more step.
  CHECK(figures_of(tried("quarters_and_sixteenths", 8, false)).interval == 18);
  CHECK(figures_of(tried("quarters_and_sixteenths", 16, false)).interval == 34);
  const auto quarters = tried("quarters_and_sixteenths", 4);
  CHECK(count(quarters, midend::operation_class::integer_divide) == 0);
  CHECK(count(quarters, midend::operation_class::shift) == 2); // i / 4, and the sum that is doubled
  CHECK(count(quarters, midend::operation_class::load) == 4);
  // 3: the rotation vanishes by 3.
  CHECK(figures_of(tried("rotation", 1)) == figures{6, 1});
  CHECK(figures_of(tried("rotation", 3)) == figures{5, 1});
  CHECK(figures_of(tried("rotation", 3, false)) == figures{5, 3});
  // 7: nothing is saved but the fraction of a cycle.
  CHECK(figures_of(tried("seven_operations", 1)) == figures{9, 2});
  CHECK(figures_of(tried("seven_operations", 2)).interval == 3);
}

namespace {

struct comparison {
  std::size_t loops = 0;
  std::size_t fewer = 0; ///< operations in the deed
  std::size_t equal = 0;
  std::size_t more = 0;
};

std::uint64_t operations_at(const elbrus::cost_editor& e, midend::node_id header) {
  const auto found = midend::dominators_and_loops(e.graph());
  midend::estimate_knowledge knowledge;
  midend::count_loop_trips(e, found.loops, knowledge);
  midend::estimate_options options;
  options.facts.not_negative = midend::span<const bool>(knowledge.not_negative.data(), knowledge.not_negative.size());
  const auto cost = midend::estimate(e, found.loops, midend::e2k_reference_v6(), options);
  const midend::loop_id l = found.loops.innermost_loop(header);
  return l != midend::no_loop && found.loops.header(l) == header ? cost.loops[l].cost.operations : 0;
}

} // namespace

TEST_CASE("what a trial leaves of a loop, the deed leaves, too, or less") {
  comparison all;
  std::string worse;
  for_each_random_program(1500, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = in_ssa_form(g);
    elbrus::procedure& f = p.procedures[0];
    elbrus::cost_editor e(f);
    const auto found = midend::dominators_and_loops(f);
    for (const midend::loop_id l : found.loops.loops()) {
      if (found.loops.children(l).begin() != found.loops.children(l).end()) {
        continue;
      }
      const midend::extracted_loop x = extracted(e, found, l);
      const midend::unrolling_order order{l,
                                          {midend::unrolling_kind::partial, 2 + static_cast<std::uint32_t>(seed % 3)}};
      const auto machine = midend::e2k_reference_v6();
      const auto t = midend::try_unrolling(x, order.form, machine);
      CHECK_MESSAGE(!midend::check_ir(t.program), "seed ", seed, ", loop ", l);
      if (!t.applied.is_unrolled || t.loop == midend::no_loop) {
        continue;
      }
      elbrus::procedure deed = f;
      elbrus::cost_editor d(deed);
      const auto view_of = [](const elbrus::cost_editor& editor) -> const elbrus::cost_editor& { return editor; };
      const auto counts_of = [](const elbrus::cost_editor& editor, const midend::dominator_tree&,
                                const midend::loop_forest& loops) { return midend::loop_trip_counter(editor, loops); };
      midend::unobserved nobody;
      const auto applied =
          midend::apply_unrolling(d, found.loops, midend::span<const midend::unrolling_order>(&order, 1), view_of,
                                  midend::unrolling_limits(), nobody, counts_of);
      REQUIRE(applied.loops[0].is_unrolled);
      midend::clean_up(d, midend::clean_up_options_for(machine));
      const std::uint64_t there = operations_at(d, applied.loops[0].header);
      const std::uint64_t expected = t.unrolled()->cost.operations;
      ++all.loops;
      all.fewer += there < expected ? 1u : 0u;
      all.equal += there == expected ? 1u : 0u;
      all.more += there > expected ? 1u : 0u;
      if (there > expected) {
        worse += " " + std::to_string(seed) + "/" + std::to_string(l) + ":" + std::to_string(expected) + "->" +
                 std::to_string(there);
      }
    }
  });
  MESSAGE(all.loops, " loops: the deed has fewer operations in ", all.fewer, ", as many in ", all.equal, ", more in ",
          all.more, ":", worse);
  CHECK(all.loops > affordable(1500) / 10);
  CHECK(all.more * 50 <= all.loops); // of 1,753, 13 have more
}
