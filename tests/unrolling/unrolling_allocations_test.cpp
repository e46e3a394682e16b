// The steps from a loop to the advice, loop after loop: nothing is allocated after the first rounds.
#include "kit/allocations.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/ir/editable_flat_program.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;

namespace {

struct described_loop {
  const midend::elbrus::cost_view* ir;
  const midend::loop_forest* forest;
  midend::loop_id loop;
};

/// The loops of the worked examples.
class example_loops {
public:
  example_loops() {
    std::ifstream file(MIDEND_TEST_DATA "/../../examples/programs/unrolling.eir");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto parsed = midend::elbrus::parse(text);
    REQUIRE(parsed.diagnostics.empty());
    program_ = std::move(parsed.program);
    views_.reserve(program_.procedures.size());
    forests_.reserve(program_.procedures.size());
    for (const midend::elbrus::procedure& p : program_.procedures) {
      if (!p.variables().empty()) {
        continue; // not in SSA form
      }
      views_.emplace_back(p);
      forests_.push_back(midend::natural_loops(views_.back().graph(), midend::dominators(views_.back().graph())));
      for (const midend::loop_id l : forests_.back().loops()) {
        loops.push_back({&views_.back(), &forests_.back(), l});
      }
    }
    REQUIRE(loops.size() >= 7);
  }

  std::vector<described_loop> loops;

private:
  midend::elbrus::program program_;
  std::vector<midend::elbrus::cost_view> views_;
  std::vector<midend::loop_forest> forests_;
};

/// Runs `work` on all loops: it must not allocate after the first rounds.
template <class Work> void check_rounds(const example_loops& examples, int first_rounds, Work work) {
  const auto all = [&] {
    for (const described_loop& l : examples.loops) {
      work(l);
    }
  };
  CHECK(allocations_of(all) > 0);
  for (int round = 1; round != first_rounds; ++round) {
    all();
  }
  CHECK(allocations_of(all) == 0);
}

} // namespace

TEST_CASE("allocations: the advice, loop by loop") {
  const example_loops examples;
  const midend::machine_model machine = midend::e2k_reference_v6();
  midend::advise_unrolling_workspace workspace;
  midend::unrolling_advice advice;
  std::size_t trials = 0;
  const auto all = [&] {
    trials = 0;
    for (const described_loop& l : examples.loops) {
      advise_unrolling(*l.ir, *l.forest, l.loop, machine, {}, workspace, advice);
      for (const midend::unrolling_candidate& c : advice.candidates) {
        trials += c.is_tried ? 1 : 0;
      }
    }
  };
  all();
  const std::size_t again = allocations_of(all);
  MESSAGE(again, " allocations for ", trials, " trials of ", examples.loops.size(), " loops");
  CHECK(again < trials * 40); // loops are counted once each, and the clean-up erases nodes and makes preheaders
}

TEST_CASE("allocations: the transformation, loop by loop") {
  const example_loops examples;
  std::vector<midend::extracted_loop> extracted;
  for (const described_loop& l : examples.loops) {
    const auto tree = midend::dominators(l.ir->graph());
    midend::extracted_loop x;
    midend::extract_loop_workspace memory;
    midend::extract_loop(*l.ir, tree, *l.forest, l.loop, midend::facts_of_numbers(*l.ir), memory, x);
    extracted.push_back(std::move(x));
  }
  REQUIRE(extracted.size() >= 7);
  using midend::remainder_placement;
  using midend::unrolling_kind;
  const midend::unrolling_form forms[] = {{unrolling_kind::partial, 4},
                                          {unrolling_kind::full, 3},
                                          {unrolling_kind::peel, 2},
                                          {unrolling_kind::partial, 3, remainder_placement::epilogue},
                                          {unrolling_kind::partial, 4, remainder_placement::prologue}};
  midend::apply_unrolling_workspace workspace;
  midend::applied_unrollings applied;
  midend::editable_flat_program program;
  midend::dominators_and_loops_workspace searching;
  midend::dominators_and_loops_result found;
  midend::plain_trip_counter_workspace counting;
  const auto counts_of = [&](const auto& p, const auto&, const auto& loops) {
    return midend::plain_trip_counter(p, loops, counting);
  };
  const auto view_of = [](const midend::editable_flat_program& p) -> const midend::editable_flat_program& { return p; };
  midend::unobserved nobody;
  std::size_t unrolled = 0;
  std::size_t dropped = 0;
  const auto all = [&] {
    unrolled = dropped = 0;
    for (const midend::extracted_loop& x : extracted) {
      for (const midend::unrolling_form& form : forms) {
        program = x.program;
        dominators_and_loops(program.graph(), searching, found);
        const midend::unrolling_order order{found.loops.innermost_loop(midend::extracted_loop::header), form};
        midend::apply_unrolling(program, found.loops, midend::span<const midend::unrolling_order>(&order, 1), view_of,
                                midend::unrolling_limits(), nobody, counts_of, workspace, applied);
        unrolled += applied.num_unrolled();
        dropped += applied.dropped_exits;
      }
    }
  };
  CHECK(allocations_of(all) > 0);
  all();
  CHECK(unrolled >= 4 * extracted.size());
  CHECK(dropped > 0);
  CHECK(allocations_of(all) == 0);
}
