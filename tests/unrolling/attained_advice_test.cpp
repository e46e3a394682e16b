// Advice that decides by schedules, and on a machine with a loop buffer and a branch predictor.
#include "kit/sample_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/schedule/attained_times.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <algorithm>
#include <string>

using namespace midend_tests;
using midend::body_cost;
using midend::machine_field;
using midend::machine_model;
using midend::unrolling_advice;
using midend::unrolling_candidate;
using midend::unrolling_options;

namespace {

/// Calls `visit(by_bounds, by_schedules)` for the advices on each innermost loop of the sample programs.
template <class Visit> void for_each_advice(const machine_model& m, Visit visit) {
  midend::attained_times attained(m);
  unrolling_options scheduled;
  scheduled.lowering.timer = &attained;
  midend::advise_unrolling_workspace workspace;
  unrolling_advice by_bounds;
  unrolling_advice by_schedules;
  for (const auto& [name, program] : sample_programs()) {
    for (const midend::elbrus::procedure& p : program.procedures) {
      const midend::elbrus::cost_view ir(p);
      const auto found = midend::dominators_and_loops(p);
      for (const midend::loop_id l : found.loops.loops()) {
        if (found.loops.subloops(l).size() == 1) {
          INFO(name << " " << std::string(p.name()) << " loop " << l);
          midend::advise_unrolling(ir, found.loops, l, m, {}, workspace, by_bounds);
          midend::advise_unrolling(ir, found.loops, l, m, scheduled, workspace, by_schedules);
          visit(by_bounds, by_schedules);
        }
      }
    }
  }
}

constexpr const char* sum = R"(
proc @sum(%a: ptr, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 0], [loop: %s1]
    %v = ld.i32 [%a + %i*4]
    %x = xor.i32 %v, %i
    %y = and.i32 %x, 123456
    %s1 = add.i32 %s, %y
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, %n
    br %q ? loop : exit
  node exit:
    ret %s1
})";

unrolling_advice advice_on(const std::string& text, const machine_model& m) {
  const auto parsed = midend::elbrus::parse(text);
  REQUIRE(parsed.diagnostics.empty());
  const midend::elbrus::procedure& p = parsed.program.procedures[0];
  const auto found = midend::dominators_and_loops(p);
  return midend::advise_unrolling(midend::elbrus::cost_view(p), found.loops, 0, m);
}

} // namespace

TEST_CASE("attained advice: no schedule beats the bounds, and the samples are mostly decided alike") {
  int loops = 0;
  int alike = 0;
  int intervals = 0;
  int at_bound = 0;
  for_each_advice(midend::e2k_reference_v6(), [&](const unrolling_advice& bounds, const unrolling_advice& schedules) {
    REQUIRE(bounds.obstacle == schedules.obstacle);
    if (bounds.obstacle != midend::unrolling_obstacle::none) {
      return;
    }
    ++loops;
    const unrolling_candidate& b = bounds.decision();
    const unrolling_candidate& s = schedules.decision();
    alike += b.kind == s.kind && b.factor == s.factor ? 1 : 0;
    CHECK(bounds.assumes(midend::assumption::lower_bound));
    CHECK_FALSE(schedules.assumes(midend::assumption::lower_bound));
    for (const unrolling_candidate& with : schedules.candidates) {
      for (const unrolling_candidate& c : bounds.candidates) {
        if (c.kind == with.kind && c.factor == with.factor && c.remainder == with.remainder && c.is_tried &&
            with.is_tried && c.body.operations != 0) {
          CHECK(with.body.is_attained);
          CHECK(with.body.alone >= c.body.alone);
          if (c.body.may_be_pipelined() && with.body.may_be_pipelined()) {
            CHECK(with.body.interval >= c.body.interval);
            ++intervals;
            at_bound += with.body.interval == c.body.interval ? 1 : 0;
          }
        }
      }
    }
  });
  MESSAGE("loops ", loops, ", decided alike ", alike, "; intervals of candidates ", intervals, ", at the bound ",
          at_bound);
  CHECK(loops > 50);
  CHECK(alike >= loops * 9 / 10);
  CHECK(at_bound >= intervals * 98 / 100);
}

TEST_CASE("attained advice: a loop buffer limits the copies, and leaving a loop costs once") {
  const machine_model haswell = example_machine("haswell.machine");
  const unrolling_advice advice = advice_on(sum, haswell);
  REQUIRE(advice.obstacle == midend::unrolling_obstacle::none);
  CHECK(advice.rolled().body.bytes <= haswell.value(machine_field::loop_buffer));
  CHECK(std::any_of(advice.candidates.begin(), advice.candidates.end(), [&](const unrolling_candidate& c) {
    return c.why == midend::rejection::leaves_loop_buffer && c.body.bytes > haswell.value(machine_field::loop_buffer);
  }));
  CHECK(advice.decision().body.bytes <= haswell.value(machine_field::loop_buffer));

  machine_model predicted = haswell;
  predicted.fields[static_cast<std::size_t>(machine_field::loop_exit_penalty)].value = 0;
  const unrolling_advice free = advice_on(sum, predicted);
  CHECK(advice.rolled().total_cycles == free.rolled().total_cycles + 15);
}
