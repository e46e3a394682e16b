// The cost of whole programs: the figures of the worked examples, sums over nests, ugly graphs, frozen programs.
#include "kit/allocations.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/cost/count_loop_trips.hpp>
#include <midend/machine/cost/estimate.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/transform.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/apply_unrolling.hpp>
#include <midend/unrolling/measure_unrolling.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::fraction;
using midend::loop_id;
using midend::node_id;
using midend::program_estimate;

namespace {

elbrus::procedure example(std::string_view name) {
  std::ifstream file(MIDEND_TEST_DATA "/../../examples/programs/unrolling.eir");
  const elbrus::program all = program_of(std::string(std::istreambuf_iterator<char>(file), {}));
  std::size_t i = 0;
  while (all.procedures[i].name() != name) {
    ++i;
  }
  return all.procedures[i];
}

/// A procedure with its loops and what is known about it.
struct known_procedure {
  elbrus::cost_view ir;
  midend::dominators_and_loops_result found;
  midend::estimate_knowledge knowledge;

  explicit known_procedure(const elbrus::procedure& p) : ir(p), found(midend::dominators_and_loops(p)) {
    count_loop_trips(ir, found.loops, knowledge);
  }

  midend::estimate_options options(bool reassociates = true) const {
    midend::estimate_options o;
    o.trips = knowledge.trips;
    o.facts.not_negative = knowledge.not_negative;
    o.lowering.reassociates = reassociates;
    return o;
  }
};

program_estimate estimated(const elbrus::procedure& p, bool reassociates = true) {
  const known_procedure k(p);
  return estimate(k.ir, k.found.loops, midend::e2k_reference_v6(), k.options(reassociates));
}

/// With nothing known.
program_estimate estimated_alone(const elbrus::procedure& p) {
  return estimate(elbrus::cost_view(p), midend::dominators_and_loops(p).loops, midend::e2k_reference_v6());
}

program_estimate estimated(std::string_view text) {
  return estimated(program_of(text).procedures[0]);
}

/// The example, unrolled as told and cleaned up.
elbrus::procedure unrolled(std::string_view name, std::uint32_t factor, bool reassociates) {
  elbrus::procedure p = example(name);
  const auto machine = midend::e2k_reference_v6();
  midend::unrolling_options options;
  options.forced_factor = factor;
  options.lowering.reassociates = reassociates;
  elbrus::cost_editor e(p);
  const auto loops = midend::dominators_and_loops(p).loops;
  const auto advice = advise_unrolling(e, loops, 0, machine, options);
  midend::apply_unrolling(e, loops, advice,
                          [](const elbrus::cost_editor& of) -> const elbrus::cost_editor& { return of; });
  midend::clean_up(e, midend::clean_up_options_for(machine, options.lowering));
  return p;
}

/// All figures as one text, to compare.
std::string text_of(const program_estimate& e) {
  std::string out = std::to_string(e.cycles) + " " + std::to_string(e.operations) + " " + std::to_string(e.branches) +
                    " " + std::to_string(e.bytes) + (e.is_impossible ? " impossible" : "");
  for (const midend::loop_estimate& l : e.loops) {
    out += "\nloop";
    for (const double x : {l.frequency.entries, l.frequency.executions, l.cycles}) {
      out += " " + std::to_string(x);
    }
    const midend::body_cost& c = l.cost;
    for (const std::uint64_t x : {std::uint64_t(l.frequency.source),
                                  std::uint64_t(l.obstacle),
                                  l.passes,
                                  std::uint64_t{l.is_pipelined},
                                  l.cycles_per_pass,
                                  l.cycles_per_entry,
                                  std::uint64_t{l.first_step},
                                  std::uint64_t{l.num_steps},
                                  c.operations,
                                  c.branches,
                                  c.interval,
                                  c.alone,
                                  c.stages,
                                  c.critical_path,
                                  c.bytes,
                                  c.general_registers,
                                  c.predicate_registers,
                                  c.resources.exact.numerator(),
                                  c.resources.exact.denominator(),
                                  c.recurrence_exact.numerator(),
                                  c.recurrence_exact.denominator()}) {
      out += " " + std::to_string(x);
    }
  }
  for (const midend::node_estimate& n : e.nodes) {
    out += "\nnode " + std::to_string(n.frequency);
    for (const std::uint64_t x :
         {std::uint64_t{n.is_in_region}, n.operations, n.branches, n.bytes, n.chain, n.resources, n.cycles}) {
      out += " " + std::to_string(x);
    }
  }
  for (const midend::estimated_recurrence_step& s : e.recurrences) {
    out += "\nstep " + std::to_string(s.value) + " " + name_of(s.operation) + " " + std::to_string(s.latency) + " " +
           std::to_string(s.distance);
  }
  return out;
}

/// The sum over the loops and nodes, from their figures.
double summed(const program_estimate& e) {
  double cycles = 0;
  for (const midend::loop_estimate& l : e.loops) {
    cycles += l.obstacle == midend::region_obstacle::none ? l.frequency.entries * double(l.cycles_per_entry) : 0;
  }
  for (const midend::node_estimate& n : e.nodes) {
    cycles += n.is_in_region ? 0 : n.frequency * double(n.cycles);
  }
  return cycles;
}

} // namespace

TEST_CASE("the examples of unrolling, rolled: bounds, operations and cycles per entry") {
  struct figures {
    const char* name;
    bool reassociates;
    std::uint64_t operations;
    fraction resources;
    fraction recurrence;
    std::uint64_t interval;
    std::uint64_t cycles; ///< set-up of 5 included
  };

  // T = 5 + (passes + stages - 1) * II; a test at the bottom makes all header executions complete passes.
  for (const figures& x : {
           figures{"quarters_and_sixteenths", false, 8, {4, 3}, 3, 3, 5 + (1024 + 3 - 1) * 3},
           figures{"quarters_and_sixteenths", true, 8, {4, 3}, 2, 2, 5 + (1024 + 4 - 1) * 2},
           figures{"rotation", false, 6, 1, 1, 1, 5 + 3000 + 4 - 1},
           figures{"remainder_of_three", false, 4, 1, 1, 1, 5 + 1027 + 6 - 1},
           figures{"unknown_length", true, 4, 1, 1, 1, 5 + 100 + 6 - 1},
           figures{"search", false, 5, 2, 1, 2, 5 + (199 + 10 - 1) * 2}, // the hint says 200 tests
           figures{"seven_operations", false, 9, {3, 2}, 1, 2, 5 + (100 + 2 - 1) * 2},
       }) {
    CAPTURE(x.name);
    const program_estimate e = estimated(example(x.name), x.reassociates);
    REQUIRE(e.loops.size() == 1);
    const midend::loop_estimate& l = e.loops[0];
    CHECK(l.obstacle == midend::region_obstacle::none);
    CHECK(l.cost.operations == x.operations);
    CHECK(l.cost.resources.exact == x.resources);
    CHECK(l.cost.recurrence_exact == x.recurrence);
    CHECK(l.cost.interval == x.interval);
    CHECK(l.is_pipelined);
    CHECK(l.cycles_per_entry == x.cycles);
    CHECK(!e.is_impossible);
  }
}

TEST_CASE("example 1: what is invariant counts in the loop as long as it is there, and once before it after motion") {
  elbrus::procedure p = example("five_iterations_more");
  CHECK(estimated(p, false).loops[0].cost.operations == 8);
  {
    elbrus::editor e(p);
    midend::hoist_invariants(e);
  }
  const program_estimate e = estimated(p, false);
  CHECK(e.loops[0].cost.operations == 7);
  CHECK(e.loops[0].cost.resources.cycles == 2);
  CHECK(e.loops[0].cost.interval == 3);
  CHECK(e.loops[0].cycles_per_entry == 5 + 21);
  CHECK(e.operations == 8);
  CHECK(e.cycles == 1 + 26 + 1);      // the shift, the loop, the return
  const auto steps = e.recurrence(0); // two additions and the guarded shift
  REQUIRE(steps.size() == 3);
  std::uint32_t latency = 0;
  std::uint32_t distance = 0;
  for (const midend::estimated_recurrence_step& s : steps) {
    latency += s.latency;
    distance += s.distance;
    CHECK((s.operation == midend::operation_class::alu || s.operation == midend::operation_class::shift));
  }
  CHECK(latency == 3);
  CHECK(distance == 1);
}

TEST_CASE("the examples of unrolling, unrolled by the transformation and its clean-up") {
  struct figures {
    const char* name;
    std::uint32_t factor;
    bool reassociates;
    std::uint64_t operations; ///< of the new body
    std::uint64_t interval;   ///< of its passes
    std::uint64_t passes;
  };

  for (const figures& x : {
           figures{"rotation", 3, false, 5, 3, 1000},
           figures{"rotation", 3, true, 5, 1, 1000},
           figures{"rotation", 4, true, 9, 2, 750},
           figures{"rotation", 8, true, 13, 3, 375},
           figures{"remainder_of_three", 4, false, 10, 4, 256},
           figures{"remainder_of_three", 2, true, 6, 1, 513},
           figures{"remainder_of_three", 4, true, 10, 2, 256},
           figures{"remainder_of_three", 8, true, 18, 3, 128},
           figures{"search", 2, false, 16, 3, 99}, // quotients are products
           figures{"search", 4, false, 32, 6, 49},
           figures{"quarters_and_sixteenths", 2, false, 11, 5, 512},
           figures{"quarters_and_sixteenths", 4, false, 17, 9, 256},
           figures{"quarters_and_sixteenths", 8, false, 31, 18, 128},
           figures{"quarters_and_sixteenths", 16, false, 56, 34, 64},
           figures{"quarters_and_sixteenths", 2, true, 11, 3, 512},
       }) {
    CAPTURE(x.name);
    CAPTURE(x.factor);
    const program_estimate e = estimated(unrolled(x.name, x.factor, x.reassociates), x.reassociates);
    REQUIRE(!e.loops.empty());
    CHECK(e.loops[0].cost.operations == x.operations);
    CHECK(e.loops[0].cost.interval == x.interval);
    CHECK(e.loops[0].passes == x.passes);
  }
  // Seven independent operations and the counter: the new loop is the second one.
  CHECK(estimated(unrolled("seven_operations", 5, false), false).loops[1].cost.interval == 7);
  CHECK(estimated(unrolled("seven_operations", 6, false), false).loops[1].cost.interval == 8);
  // Five iterations, unrolled completely: no loop is left; the return takes a cycle more than the chain of the node
  // shows, none of its own.
  const program_estimate line = estimated(unrolled("five_iterations_more", 5, false), false);
  CHECK(line.loops.empty());
  CHECK(line.operations == 17);
  CHECK(line.cycles == 16);
  CHECK(estimated(unrolled("five_iterations", 5, false), false).cycles == 15);
  CHECK(estimated(unrolled("five_iterations_more", 5, true), true).cycles == 10);
}

TEST_CASE("nests: exact counts at all depths, summed by hand") {
  // rows 4 times 1, products 16 times 5 + (4 + 6 - 1) * 2, next_column 16 times 5, next_row 4 times 5, exit 5.
  const program_estimate matrix = estimated(example("matrix_4x4"));
  REQUIRE(matrix.loops.size() == 3);
  CHECK(matrix.loops[0].frequency.executions == 4);
  CHECK(matrix.loops[1].frequency.entries == 4);
  CHECK(matrix.loops[2].frequency.entries == 16);
  CHECK(matrix.loops[2].cycles == 16 * 23);
  CHECK(matrix.loops[1].cycles == 16 * 23 + 16 * 5);
  CHECK(matrix.loops[0].cycles == 16 * 23 + 16 * 5 + 4 * 1 + 4 * 5);
  CHECK(matrix.cycles == 16 * 23 + 16 * 5 + 4 * 1 + 4 * 5 + 5);
  CHECK(matrix.loops[0].obstacle == midend::region_obstacle::contains_loop);

  // Tested at the top: the header of the outer loop runs once more than what follows it.
  const program_estimate top = estimated(R"(proc @f() -> i32 {
  node entry:
    br outer
  node outer:
    %i = phi.i32 [entry: 0], [latch: %i1]
    %p = cmp.lt.i32 %i, 10
    br %p ? before : done
  node before:
    br inner
  node inner:
    %j = phi.i32 [before: 0], [inner: %j1]
    %j1 = add.i32 %j, 1 nsw
    %q = cmp.lt.i32 %j1, 8
    br %q ? inner : latch
  node latch:
    %i1 = add.i32 %i, 1 nsw
    br outer
  node done:
    ret %i
})");
  CHECK(top.loops[0].frequency.executions == 11);
  CHECK(top.loops[1].frequency.entries == doctest::Approx(10));
  CHECK(top.loops[1].cycles_per_entry == 5 + 8 + 4 - 1);
  CHECK(top.cycles == doctest::Approx(11 * 4 + 10 * 16 + 10 * 1 + 1)); // compare and branch, inner, latch, return
}

TEST_CASE("frequencies: counts before hints before probabilities before what is expected and assumed") {
  const auto text = [](const char* entry, const char* loop, const char* hint, const char* to_loop,
                       const char* to_done) {
    return program_of(std::string("proc @f(%a: ptr, %x: i32) -> i32 {\n  node entry") + entry + ":\n    br loop\n" +
                      "  node loop" + loop + hint + ":\n    %v = ld.i32 [%a] volatile\n    %p = cmp.ne.i32 %v, %x\n" +
                      "    br %p ? loop" + to_loop + " : done" + to_done + "\n  node done:\n    ret %x\n}\n");
  };
  const auto loop_of = [](const elbrus::program& p) { return estimated(p.procedures[0]).loops[0].frequency; };
  const auto all = loop_of(text(" count=10", " count=70", " hint trip=avg:20", "(0.75)", "(0.25)"));
  CHECK(all.source == midend::frequency_source::profile);
  CHECK(all.executions == 7);
  CHECK(loop_of(text("", "", " hint trip=avg:20", "(0.75)", "(0.25)")).executions == 20);
  CHECK(loop_of(text("", "", "", "(0.75)", "(0.25)")).executions == 4);
  CHECK(loop_of(text("", "", "", "(0.75)", "(0.25)")).source == midend::frequency_source::profile);
  CHECK(loop_of(text("", "", "", "", "")).executions == 100);
  CHECK(loop_of(text("", "", "", "", "")).source == midend::frequency_source::assumed);
  CHECK(loop_of(text("", "", " hint trip=max:30", "", "")).executions == 30);

  const elbrus::program plain = text("", "", "", "", "");
  known_procedure k(plain.procedures[0]);
  const std::uint64_t trips[] = {12};
  midend::estimate_options options = k.options();
  options.expected_trips = trips;
  CHECK(estimate(k.ir, k.found.loops, midend::e2k_reference_v6(), options).loops[0].frequency.executions == 12);
  options.assumed_trip = 9;
  options.expected_trips = {};
  CHECK(estimate(k.ir, k.found.loops, midend::e2k_reference_v6(), options).loops[0].frequency.executions == 9);
  const elbrus::program counted = text(" count=10", " count=70", "", "", "");
  known_procedure c(counted.procedures[0]);
  options = c.options();
  options.trips = trips;
  const auto exact = estimate(c.ir, c.found.loops, midend::e2k_reference_v6(), options).loops[0].frequency;
  CHECK(exact.executions == 12);
  CHECK(exact.source == midend::frequency_source::exact);
}

TEST_CASE("frequencies: branches without a profile, and an exit that leaves two loops") {
  const elbrus::program all = program_of(R"(proc @f(%p: i1, %q: i1) -> i32 {
  node entry:
    br %p ? left : right
  node left:
    br join
  node right:
    br %q ? join : outer
  node join:
    ret 0
  node outer:
    br inner
  node inner:
    br %p ? inner : inner_end
  node inner_end:
    br %q ? outer : away
  node away:
    ret 1
})");
  const elbrus::procedure& p = all.procedures[0];
  const program_estimate e = estimated_alone(p);
  const auto frequency = [&](const char* name) { return e.nodes[node_named(p, name)].frequency; };
  CHECK(frequency("left") == 0.5);
  CHECK(frequency("right") == 0.5);
  CHECK(frequency("join") == 0.75);
  CHECK(e.loops[0].frequency.entries == 0.25);
  CHECK(e.loops[1].frequency.entries == doctest::Approx(25));
  CHECK(frequency("inner_end") == doctest::Approx(25));
  CHECK(frequency("away") == doctest::Approx(0.25));
  CHECK(e.cycles == doctest::Approx(summed(e)));
}

TEST_CASE("ugly graphs: unreachable nodes, endless loops, irreducible cycles, several exits, calls") {
  SUBCASE("unreachable nodes cost nothing, and what only they read is not needed") {
    const program_estimate e =
        estimated("proc @f(%x: i32) -> i32 {\n  node entry:\n    %y = mul.i32 %x, %x\n    ret %x\n"
                  "  node lost:\n    %z = mul.i32 %y, %y\n    ret %z\n}\n");
    CHECK(e.operations == 0);
    CHECK(e.nodes[1].frequency == 0);
    CHECK(e.nodes[1].cycles == 0);
    CHECK(e.cycles == 1);
  }
  SUBCASE("an endless loop runs as often as is assumed, and nothing comes after it") {
    const program_estimate e =
        estimated("proc @f(%a: ptr) -> i32 {\n  node entry:\n    br loop\n  node loop:\n    st.i32 1, [%a] volatile\n"
                  "    br loop\n  node after:\n    ret 0\n}\n");
    REQUIRE(e.loops.size() == 1);
    CHECK(e.loops[0].frequency.executions == 100);
    CHECK(e.loops[0].passes == 100);
    CHECK(e.nodes[2].frequency == 0);
    CHECK(e.cycles == double(e.loops[0].cycles_per_entry));
    CHECK(e.loops[0].cycles_per_entry >= 100);
  }
  SUBCASE("a cycle that is no loop, in a loop and in none") {
    const char* const text = R"(proc @f(%a: ptr, %p: i1, %q: i1) -> i32 {
  node entry:
    br %p ? x : y
  node x:
    st.i32 1, [%a]
    br %q ? y : done
  node y:
    st.i32 2, [%a]
    br %p ? x : done
  node done:
    br head
  node head:
    br %p ? s : t
  node s:
    st.i32 3, [%a]
    br %q ? t : latch
  node t:
    st.i32 4, [%a]
    br %p ? s : latch
  node latch:
    br %q ? head : end
  node end:
    ret 0
})";
    const elbrus::program all = program_of(text);
    const program_estimate e = estimated(all.procedures[0]);
    REQUIRE(e.loops.size() == 1);
    CHECK(e.loops[0].obstacle == midend::region_obstacle::irreducible);
    CHECK(e.cycles == doctest::Approx(summed(e)));
    // Each node of the cycle runs at least as often as control enters there, and at most once.
    for (const char* const name : {"x", "y"}) {
      const double f = e.nodes[node_named(all.procedures[0], name)].frequency;
      CHECK(f >= 0.5);
      CHECK(f <= 1);
    }
    CHECK(e.nodes[node_named(all.procedures[0], "s")].frequency >= 50);
    CHECK(e.loops[0].frequency.executions == 100);
    CHECK(e.loops[0].frequency.entries == doctest::Approx(1)); // control leaves the cycle
    CHECK(e.nodes[node_named(all.procedures[0], "end")].frequency == doctest::Approx(1));
  }
  SUBCASE("several exits: all of them are branches of the body, what follows gets its share") {
    const elbrus::program all = program_of(R"(proc @f(%a: ptr, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [next: %i1]
    %v = ld.i32 [%a + %i*4]
    %found = cmp.eq.i32 %v, %n
    br %found ? hit : next
  node next:
    %i1 = add.i32 %i, 1 nsw
    %more = cmp.lt.i32 %i1, %n
    br %more ? loop : miss
  node hit:
    ret %i
  node miss:
    ret -1
})");
    const program_estimate e = estimated(all.procedures[0]);
    CHECK(e.loops[0].cost.branches == 2);
    CHECK(e.loops[0].passes == 99);
    const double hit = e.nodes[node_named(all.procedures[0], "hit")].frequency;
    const double miss = e.nodes[node_named(all.procedures[0], "miss")].frequency;
    CHECK(hit + miss == doctest::Approx(1));
    CHECK(hit == doctest::Approx(miss).epsilon(0.02));
  }
  SUBCASE("a body with a call is not pipelined") {
    const program_estimate e =
        estimated("proc @f(%n: i32) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
                  "    %i = phi.i32 [entry: 0], [loop: %i1]\n    %r = call.i32 @g(%i)\n    %i1 = add.i32 %i, 1 nsw\n"
                  "    %q = cmp.lt.i32 %i1, 50\n    br %q ? loop : done\n  node done:\n    ret %r\n}\n");
    const midend::loop_estimate& l = e.loops[0];
    CHECK(l.cost.obstacle == midend::pipelining_obstacle::call);
    CHECK(!l.is_pipelined);
    CHECK(l.cycles_per_pass == l.cost.alone);
    CHECK(l.cycles_per_entry == 50 * l.cost.alone);
  }
}

TEST_CASE("a store waits for an exit that data decide, not for one that the number of passes decides") {
  const auto chain = [](const char* bound) {
    return estimated(std::string("proc @f(%a: ptr, %n: i32) -> i32 {\n  node entry:\n    br loop\n  node loop:\n"
                                 "    %i = phi.i32 [entry: 0], [next: %i1]\n    %v = ld.i32 [%a] alias=A\n"
                                 "    %q = cmp.lt.i32 %i, ") +
                     bound +
                     "\n    br %q ? next : done\n  node next:\n    st.i32 %i, [%a + %i*4] alias=B\n"
                     "    %i1 = add.i32 %i, 1 nsw\n    br loop\n  node done:\n    ret %v\n}\n")
        .loops[0]
        .cost.critical_path;
  };
  CHECK(chain("%v") > chain("%n"));
  CHECK(chain("%n") == 5);
}

TEST_CASE("the hardware counts: the counter and its test take no operation where nothing else reads them") {
  const elbrus::procedure p = example("rotation");
  known_procedure k(p);
  midend::estimate_options options = k.options();
  const auto machine = midend::e2k_reference_v6();
  const std::uint64_t before = estimate(k.ir, k.found.loops, machine, options).loops[0].cost.operations;
  options.lowering.counts_in_hardware = true;
  CHECK(estimate(k.ir, k.found.loops, machine, options).loops[0].cost.operations == before - 2);
}

TEST_CASE("random programs: frozen programs cost the same, sums agree, and nothing is allocated the second time") {
  const auto machine = midend::e2k_reference_v6();
  const auto core = midend::scalar_core();
  midend::estimate_workspace workspace;
  program_estimate out;
  std::size_t loops = 0;
  for (std::uint64_t seed = 0; seed != 120; ++seed) {
    generated_program g = random_program(seed, varied(all_features(), seed));
    for (elbrus::procedure& p : g.program.procedures) {
      elbrus::construct_ssa(p);
      known_procedure k(p);
      const auto frozen = midend::frozen(k.ir);
      const midend::estimate_options options = k.options(seed % 2 == 0);
      const program_estimate e = estimate(k.ir, k.found.loops, machine, options);
      CHECK_MESSAGE(text_of(e) == text_of(estimate(frozen, k.found.loops, machine, options)), "seed ", seed);
      const program_estimate on_core = estimate(k.ir, k.found.loops, core, options);
      CHECK_MESSAGE(text_of(on_core) == text_of(estimate(frozen, k.found.loops, core, options)), "seed ", seed);
      CHECK(e.cycles == doctest::Approx(summed(e)));
      CHECK(on_core.cycles == doctest::Approx(summed(on_core)));
      estimate(k.ir, k.found.loops, machine, options, workspace, out);
      CHECK(text_of(out) == text_of(e));
      CHECK(allocations_of([&] { estimate(k.ir, k.found.loops, machine, options, workspace, out); }) == 0);
      CHECK(text_of(out) == text_of(e));
      loops += e.loops.size();
    }
  }
  CHECK(loops > 200);
}
