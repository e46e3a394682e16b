// Loops that are run on what is known about their values, against their runs.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/program_generator.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/induction/run_iterations.hpp>
#include <midend/loops/dominators_and_loops.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace midend_tests;
using midend::trip_count;
using midend::trip_count_kind;
namespace elbrus = midend::elbrus;

namespace {

/// Runs each innermost loop of a procedure by itself.
template <class Visit> void for_each_run(const elbrus::procedure& p, const midend::run_limits& limits, Visit visit) {
  const elbrus::cost_view ir(p);
  const auto found = midend::dominators_and_loops(p);
  const midend::loop_trip_counter counter(ir, found.loops, {0, 0});
  midend::run_iterations_workspace workspace;
  for (const midend::loop_id l : found.loops.loops()) {
    visit(found.loops, l,
          midend::run_iterations(counter.program(), found.loops, l, counter.facts(), counter.evolutions(), limits,
                                 workspace));
  }
}

/// A loop that goes on while `%q` is 1.
trip_count run_of(std::string_view before, std::string_view body, const midend::run_limits& limits = {}) {
  std::string text = "proc @f(%x: i64, %n: i8) {\n  node entry:\n";
  text += before;
  text += "    br loop\n  node loop:\n";
  text += body;
  text += "    br %q ? loop : exit\n  node exit:\n    ret\n}\n";
  const parsed_procedure parsed(text.c_str());
  trip_count out;
  for_each_run(parsed.procedure(), limits, [&](const midend::loop_forest&, midend::loop_id, trip_count t) { out = t; });
  return out;
}

constexpr std::string_view shift = R"(    %v = phi.i64 [entry: %s], [loop: %w]
    %w = shr.i64 %v, 7
    %q = cmp.uge.i64 %v, 128
)";

} // namespace

TEST_CASE("run_iterations: counters that shift and multiply, flags, values that do not change") {
  CHECK(run_of("    %s = mov.i64 %x\n", shift) == trip_count{trip_count_kind::at_most, 9, 1});
  CHECK(run_of("    %s = mov.i64 16384\n", shift) == trip_count{trip_count_kind::exact, 2, 3});
  CHECK(run_of("    %s = or.i64 %x, -9223372036854775808\n", shift) == trip_count{trip_count_kind::exact, 9, 10});
  CHECK(run_of("", R"(    %v = phi.i8 [entry: 1], [loop: %w]
    %w = mul.i8 %v, 3
    %q = cmp.ne.i8 %w, 81
)") == trip_count{trip_count_kind::exact, 3, 4});
  CHECK(run_of("", R"(    %first = phi.i1 [entry: 1], [loop: 0]
    %q = mov.i1 %first
)") == trip_count{trip_count_kind::exact, 1, 2});
  CHECK(run_of("", R"(    %v = phi.i8 [entry: %n], [loop: %w]
    %w = xor.i8 %v, 85
    %q = cmp.ne.i8 %v, 3
)")
            .kind == trip_count_kind::unknown);
  CHECK(run_of("", R"(    %q = cmp.ne.i8 %n, 3
)")
            .kind == trip_count_kind::unknown); // nothing changes
}

TEST_CASE("run_iterations: limits") {
  constexpr std::string_view long_loop = R"(    %v = phi.i8 [entry: 1], [loop: %w]
    %w = mul.i8 %v, 3
    %q = cmp.ne.i8 %v, 171
)"; // 3 to the power 63, modulo 2^8
  CHECK(run_of("", long_loop) == trip_count{trip_count_kind::exact, 63, 64});
  CHECK(run_of("", long_loop, {64, 10'000}) == trip_count{trip_count_kind::exact, 63, 64});
  CHECK(run_of("", long_loop, {63, 10'000}).kind == trip_count_kind::unknown);
  CHECK(run_of("", long_loop, {100, 60}).kind == trip_count_kind::unknown);
}

TEST_CASE("run_iterations: joins of an iteration, switches, and another cycle inside") {
  const parsed_procedure joined(R"(proc @f(%c: i1) {
  node entry:
    br loop
  node loop:
    %v = phi.i8 [entry: 200], [join: %j]
    br %c ? one : two
  node one:
    %a = shr.i8 %v, 1
    br join
  node two:
    %b = shr.i8 %v, 2
    br join
  node join:
    %j = phi.i8 [one: %a], [two: %b]
    %q = cmp.ne.i8 %j, 0
    br %q ? loop : exit
  node exit:
    ret
})");
  trip_count found;
  for_each_run(joined.procedure(), {}, [&](const auto&, midend::loop_id, trip_count t) { found = t; });
  CHECK(found == trip_count{trip_count_kind::at_most, 7, 1}); // 3 by 2, 7 by 1
  const parsed_procedure cycle(R"(proc @f(%c: i1, %d: i1) {
  node entry:
    br loop
  node loop:
    %v = phi.i8 [entry: 200], [last: %w]
    br %c ? one : two
  node one:
    br %d ? two : last
  node two:
    br %c ? one : last
  node last:
    %w = shr.i8 %v, 1
    %q = cmp.ne.i8 %w, 0
    br %q ? loop : exit
  node exit:
    ret
})");
  for_each_run(cycle.procedure(), {}, [&](const auto&, midend::loop_id, trip_count t) { found = t; });
  CHECK(found.kind == trip_count_kind::unknown);
}

TEST_CASE("run_iterations: random programs, against their runs") {
  random_program_options options;
  options.form = program_form::ssa;
  options.known = 25;
  options.calls = false; // nobody is there to answer
  std::array<std::size_t, 5> kinds{};
  std::size_t wrong = 0;
  for (std::uint64_t seed = 0; seed != affordable(1000); ++seed) {
    const generated_program made = random_program(seed, options);
    elbrus::run_profile all;
    for (const generated_input& input : made.inputs) {
      elbrus::interpreter interpreter(made.program);
      const auto ran = interpreter.run(made.entry, input.arguments, input.memory, {.record_events = false});
      REQUIRE(!ran.trap);
      elbrus::add_profile(all, ran.profile);
    }
    for (std::size_t i = 0; i != made.program.procedures.size(); ++i) {
      const elbrus::procedure& p = made.program.procedures[i];
      for_each_run(p, {}, [&](const midend::loop_forest& forest, midend::loop_id l, trip_count run) {
        ++kinds[static_cast<std::size_t>(run.kind)];
        if (i >= all.size() || all[i].edges.empty() || run.kind == trip_count_kind::unknown) {
          return;
        }
        std::uint64_t entries = 0;
        for (const midend::loop_edge& e : forest.entering_edges(l)) {
          entries += e.id < all[i].edges.size() ? all[i].edges[e.id] : 0;
        }
        const std::uint64_t executions = elbrus::node_count(p, all[i], forest.header(l));
        const std::uint64_t claimed = (run.backedges + 1) * entries;
        wrong += run.kind == trip_count_kind::exact ? (executions != claimed ? 1 : 0) : executions > claimed ? 1 : 0;
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > affordable(100));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::at_most)] > affordable(20));
}
