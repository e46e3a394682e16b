// Advice for the loops of random programs: never slower than the rolled loop, and correct about trip counts.
#include "kit/random_programs.hpp"
#include "kit/small_stack.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

using namespace midend_tests;
using namespace midend::elbrus;
using midend::loop_forest;
using midend::loop_id;
using midend::machine_model;
using midend::trip_count;
using midend::trip_count_kind;
using midend::unrolling_advice;
using midend::unrolling_candidate;
using midend::unrolling_options;

namespace {

/// Options that vary with the number.
unrolling_options varied_options(std::uint64_t number) {
  unrolling_options options;
  options.lowering.reassociates = number % 2 == 0;
  options.lowering.counts_in_hardware = number % 3 == 0;
  options.remainder = number % 7 == 0   ? midend::remainder_placement::prologue
                      : number % 7 == 1 ? midend::remainder_placement::mid_exit
                                        : midend::remainder_placement::epilogue;
  options.least_gain = number % 4 == 0 ? midend::fraction(0) : options.least_gain;
  return options;
}

std::uint64_t whole_time(const unrolling_candidate& c) {
  return c.total_cycles + c.setup_cycles;
}

/// The promises of every decision.
void check_decision(const unrolling_advice& advice) {
  const unrolling_candidate& decision = advice.decision();
  const midend::nest_advice& nest = advice.nest;
  if (nest.is_evaluated && nest.unfolded.why == midend::rejection::none) { // both loops together are not slower
    CHECK(decision.kind == midend::unrolling_kind::full);
    CHECK(whole_time(nest.unfolded) <= nest.total_cycles);
  } else {
    CHECK(whole_time(decision) <= whole_time(advice.rolled()));
  }
  CHECK(decision.why == midend::rejection::none);
  CHECK((decision.kind == midend::unrolling_kind::none) == (advice.chosen == 0));
  for (std::size_t i = 0; i != advice.candidates.size(); ++i) {
    CHECK((advice.candidates[i].why == midend::rejection::none) == (i == advice.chosen));
  }
  CHECK(decision.body.cycles() >= decision.body.resources.cycles);
  CHECK(advice.assumes(midend::assumption::lower_bound));
}

/// How often the header of a loop was entered, and how often from outside.
struct loop_counts {
  std::uint64_t header = 0;
  std::uint64_t entered = 0;
};

loop_counts counts_of(const procedure& p, const procedure_profile& counts, const loop_forest& forest, loop_id l) {
  loop_counts out;
  for (const midend::edge_id e : p.in_edges(forest.header(l))) {
    const std::uint64_t taken = e < counts.edges.size() ? counts.edges[e] : 0;
    out.header += taken;
    out.entered += forest.contains(l, p.edge(e).source) ? 0 : taken;
  }
  return out;
}

/// Compares the trip count with runs that ended normally.
void check_trips(const trip_count& trip, const loop_counts& counts) {
  if (counts.entered == 0) {
    CHECK(counts.header == 0);
    return;
  }
  switch (trip.kind) { // without products: the numbers go up to 2^63 and more
  case trip_count_kind::exact:
    CHECK(counts.header % counts.entered == 0);
    CHECK(counts.header / counts.entered == *trip.header_executions());
    break;
  case trip_count_kind::at_most:
    CHECK((counts.header - 1) / counts.entered + 1 <= *trip.header_executions());
    break;
  case trip_count_kind::endless:
  case trip_count_kind::wraps_first:
    CHECK(counts.header == 0);
    break;
  case trip_count_kind::unknown:
    break;
  }
  CHECK(counts.header % trip.multiple == 0);
}

/// A loop of so many blocks in a row, each of which has an operation that reads the one before.
procedure loop_of_blocks(std::size_t blocks) {
  procedure p;
  const midend::value_id n = p.add_parameter("n", type::i32);
  const auto append = [&](midend::node_id at, opcode code, std::initializer_list<midend::value_id> operands,
                          type result = type::none, type of = type::none) {
    const std::vector<midend::value_id> list(operands);
    return p.append(at, {.code = code, .type = result, .operand_type = of, .operands = list});
  };
  const midend::node_id entry = p.create_node("entry");
  const midend::node_id header = p.create_node("header");
  append(entry, opcode::jump, {});
  const midend::edge_id in = p.add_edge(entry, header);
  const midend::value_id i = p.append_phi(header, type::i32);
  midend::value_id x = i;
  midend::node_id at = header;
  for (std::size_t block = 0; block != blocks; ++block) {
    const midend::node_id next = p.create_node({});
    x = append(at, opcode::sub, {x, n}, type::i32);
    append(at, opcode::jump, {});
    p.add_edge(at, next);
    at = next;
  }
  const midend::node_id exit = p.create_node("exit");
  const midend::value_id more = append(at, opcode::cmp_lt, {x, n}, type::i1, type::i32);
  append(at, opcode::branch, {more});
  const midend::edge_id back = p.add_edge(at, header, 1);
  p.add_edge(at, exit, 0);
  append(exit, opcode::ret, {});
  p.set_phi_input(i, in, n);
  p.set_phi_input(i, back, x);
  return p;
}

} // namespace

TEST_CASE("unrolling advice: a loop of a million blocks, on a small stack") {
  const procedure p = loop_of_blocks(affordable(1'000'000));
  CHECK(on_a_small_stack([&]() -> std::string {
          const loop_forest forest = midend::natural_loops(p, midend::dominators(p));
          const unrolling_advice large = advise_unrolling(cost_view(p), forest, 0, midend::e2k_reference_v6(), {});
          return large.obstacle == midend::unrolling_obstacle::too_large ? "" : "not too large";
        }) == "");
}

TEST_CASE("unrolling advice: copies of a hundred thousand blocks, on a small stack") {
  const std::size_t blocks = affordable(100'000);
  const procedure p = loop_of_blocks(blocks);
  CHECK(on_a_small_stack([&]() -> std::string {
          const loop_forest forest = midend::natural_loops(p, midend::dominators(p));
          unrolling_options options;
          options.max_operations = ~std::uint64_t{0} / 100;
          options.max_bytes = options.max_operations;
          options.forced_factor = 2;
          options.max_factor = 2;
          const unrolling_advice forced =
              advise_unrolling(cost_view(p), forest, 0, midend::e2k_reference_v6(), options);
          return forced.decision().factor == 2 && forced.decision().body.operations > blocks
                     ? ""
                     : std::to_string(forced.decision().body.operations);
        }) == "");
}

TEST_CASE("unrolling advice: never slower than the rolled loop, and correct about trip counts, on random loops") {
  const std::array<machine_model, 3> machines = {midend::e2k_reference_v6(), midend::scalar_core(),
                                                 midend::e2k_guide_v4()};
  midend::advise_unrolling_workspace workspace;
  unrolling_advice advice;
  std::size_t advised = 0;
  std::size_t unrolled = 0;
  std::size_t counted = 0;
  for_each_random_program(6000, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    program source = g.program;
    construct_ssa(source);
    std::vector<run_result> runs;
    for (std::size_t i = 0; i != g.inputs.size(); ++i) {
      runs.push_back(run_on(source, g, i));
    }
    for (std::size_t at = 0; at != source.procedures.size(); ++at) {
      const procedure& p = source.procedures[at];
      const loop_forest forest = midend::natural_loops(p, midend::dominators(p));
      for (const loop_id l : forest.loops()) {
        INFO("seed " << seed << " procedure " << at << " loop " << l);
        advise_unrolling(cost_view(p), forest, l, machines[seed % 3], varied_options(seed), workspace, advice);
        if (advice.obstacle != midend::unrolling_obstacle::none) {
          CHECK(advice.candidates.empty());
          continue;
        }
        ++advised;
        unrolled += advice.chosen != 0;
        counted += advice.counts.trip.kind != trip_count_kind::unknown;
        check_decision(advice);
        for (const run_result& run : runs) {
          if (!run.trap) {
            check_trips(advice.counts.trip, counts_of(p, run.profile[at], forest, l));
          }
        }
      }
    }
  });
  MESSAGE(advised << " loops, " << unrolled << " unrolled, " << counted << " with a trip count");
  CHECK(advised >= affordable(10'000));
  CHECK(unrolled > advised / 20);
  CHECK(counted > advised / 20);
}
