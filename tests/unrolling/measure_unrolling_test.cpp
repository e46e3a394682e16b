// measure_unrolling: the program after an advice beside the trial of it.
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/measure_unrolling.hpp>
#include <midend/viz/unrolling_deed.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::deed_obstacle;
using midend::unrolling_kind;

namespace {

constexpr auto trips_of = [](const auto& view, const auto&, const auto& loops) {
  return midend::loop_trip_counter(view, loops);
};

struct measured {
  midend::unrolling_advice advice;
  midend::unrolling_deed deed;
};

measured measure(const elbrus::procedure& p, midend::loop_id l, const midend::unrolling_options& options = {}) {
  const auto machine = midend::e2k_reference_v6();
  elbrus::procedure unrolled = p;
  elbrus::procedure plain = p;
  elbrus::cost_editor editor(unrolled);
  elbrus::cost_editor rolled(plain);
  const auto found = midend::dominators_and_loops(editor.graph());
  measured out;
  midend::advise_unrolling_workspace workspace;
  midend::loop_trip_counter counter(editor, found.loops);
  midend::advise_unrolling(editor, found.loops, l, machine, options, counter, workspace, out.advice);
  out.deed = midend::measure_unrolling(editor, rolled, out.advice, machine, options.lowering, trips_of);
  return out;
}

/// The operations of a class in the program.
std::size_t count(const elbrus::procedure& p, midend::operation_class c) {
  const elbrus::cost_view view(p);
  std::size_t found = 0;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    for (const midend::value_id v : view.values(n)) {
      found += view.cost(v) == c ? 1u : 0u;
    }
  }
  return found;
}

elbrus::program examples() {
  std::ifstream file(MIDEND_TEST_DATA "/../../examples/programs/unrolling.eir");
  elbrus::program all = program_of(std::string(std::istreambuf_iterator<char>(file), {}));
  for (elbrus::procedure& p : all.procedures) {
    elbrus::construct_ssa(p);
  }
  return all;
}

} // namespace

TEST_CASE("the worked examples are in the program as they were in the trial") {
  std::size_t compared = 0;
  for (const elbrus::procedure& p : examples().procedures) {
    const auto found = midend::dominators_and_loops(p);
    for (const midend::loop_id l : found.loops.loops()) {
      const measured m = measure(p, l);
      if (m.deed.obstacle == deed_obstacle::none) {
        ++compared;
        CHECK_MESSAGE(m.deed.is_equal(), p.name(), "\n", midend::to_text(m.deed));
      }
    }
  }
  CHECK(compared >= 9);
}

TEST_CASE("the search loop by seven has one load and no division in the program") {
  for (elbrus::procedure& p : examples().procedures) {
    if (p.name() != "search") {
      continue;
    }
    const auto loops = midend::dominators_and_loops(p).loops;
    elbrus::cost_editor e(p);
    const auto advice = midend::advise_unrolling(e, loops, 0, midend::e2k_reference_v6());
    CHECK(advice.decision().factor == 7);
    midend::apply_unrolling(e, loops, advice, [](const auto& editor) -> const auto& { return editor; });
    midend::clean_up(e, midend::clean_up_options_for(midend::e2k_reference_v6()));
    CHECK(count(p, midend::operation_class::load) == 1);
    CHECK(count(p, midend::operation_class::integer_divide) == 0);
  }
}

TEST_CASE("what cannot be compared says why") {
  constexpr std::string_view chain = R"(
proc @f(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %x = phi.i32 [entry: %n], [loop: %y]
    %y = mul.i32 %x, %x
    %p = cmp.ne.i32 %y, 0
    br %p ? loop : exit
  node exit:
    ret %x
})";
  const elbrus::program p = program_of(chain);
  const measured m = measure(p.procedures[0], 0);
  CHECK(m.advice.decision().kind == unrolling_kind::none);
  CHECK(m.deed.obstacle == deed_obstacle::not_unrolled);
  CHECK(midend::to_text(m.deed) == "not unrolled\n");
  midend::unrolling_options by3;
  by3.forced_factor = 3;
  const measured forced = measure(p.procedures[0], 0, by3);
  CHECK(forced.deed.obstacle == deed_obstacle::none);
  CHECK(forced.deed.is_equal());
  CHECK(midend::to_text(forced.deed).starts_with("as advised, "));
}

TEST_CASE("ugly loops get an advice or an obstacle") {
  const auto advice_of = [](std::string_view text) {
    const elbrus::program p = program_of(text);
    const auto found = midend::dominators_and_loops(p.procedures[0]);
    REQUIRE(found.loops.num_loops() == 1);
    return midend::advise_unrolling(elbrus::cost_view(p.procedures[0]), found.loops, 0, midend::e2k_reference_v6());
  };
  // No exit.
  const auto endless = advice_of("proc @f(%a: ptr) {\n  node entry:\n    br loop\n  node loop:\n"
                                 "    st.i32 1, [%a]\n    br loop\n}\n");
  CHECK(endless.obstacle == midend::unrolling_obstacle::none);
  CHECK(endless.counts.trip.kind == midend::trip_count_kind::endless);
  // Both edges of the branch lead back.
  const auto parallel = advice_of("proc @f(%a: ptr, %c: i1) {\n  node entry:\n    br loop\n  node loop:\n"
                                  "    st.i32 1, [%a]\n    br %c ? loop : loop\n}\n");
  CHECK(parallel.obstacle == midend::unrolling_obstacle::none);
  // An unreachable predecessor of the header.
  const auto unreachable = advice_of(R"(
proc @f(%a: ptr) -> i32 {
  node entry:
    br loop
  node nowhere:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [nowhere: 7], [loop: %i1]
    %x = ld.i32 [%a + %i*4]
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, 6
    br %q ? loop : exit
  node exit:
    ret %x
})");
  CHECK(unreachable.counts.is_exact());
  CHECK(unreachable.decision().kind != unrolling_kind::none);
  // The clean-up alone removes the loop, whose test is never true.
  const auto once = advice_of(R"(
proc @f(%a: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %x = phi.i32 [entry: %a], [loop: %y]
    %y = add.i32 %x, 3
    %z = and.i32 %y, 0
    %q = cmp.ne.i32 %z, 0
    br %q ? loop : exit
  node exit:
    ret %y
})");
  CHECK(once.candidates.size() == 1);
  CHECK(once.decision().kind == unrolling_kind::none);
  CHECK(once.decision().total_cycles == 1);
}

TEST_CASE("random loops: the program is nearly never worse than the trial") {
  std::size_t compared = 0;
  std::size_t worse = 0;
  std::size_t better = 0;
  std::string where;
  for_each_random_program(600, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    for (elbrus::procedure p : g.program.procedures) {
      elbrus::construct_ssa(p);
      const auto loops = midend::dominators_and_loops(p).loops;
      for (const midend::loop_id l : loops.loops()) {
        midend::unrolling_options options;
        options.forced_factor = seed % 3 == 0 ? 2 + static_cast<std::uint32_t>(seed % 5) : 0;
        const measured m = measure(p, l, options);
        if (m.deed.obstacle == deed_obstacle::none) {
          ++compared;
          const bool is_worse = m.deed.there.operations > m.deed.advised.operations;
          worse += is_worse ? 1u : 0u;
          better += m.deed.there.operations < m.deed.advised.operations ? 1u : 0u;
          where += is_worse ? " " + std::to_string(seed) + "/" + std::to_string(l) : "";
        }
      }
    }
  });
  MESSAGE(compared, " loops, fewer operations in ", better, ", more in ", worse, ":", where);
  CHECK(compared > affordable(600) / 10);
  CHECK(worse * 20 <= compared + 40); // of 754, 25; of the first 59, 3
}
