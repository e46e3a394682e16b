// Schedules that run: values and memory are those of the region run pass by pass, and cycles those of the formula.
#include "kit/affordable.hpp"
#include "kit/random_programs.hpp"
#include "kit/sample_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/run_region.hpp>
#include <midend/schedule/schedule_block.hpp>
#include <midend/schedule/simulate.hpp>
#include <midend/schedule/verify_schedule.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

using namespace midend_tests;
using midend::machine_body;
using midend::machine_model;
using midend::operation_id;
using midend::program_region;
using midend::region_value_kind;
using midend::simulation_fault;

namespace {

/// Bytes; what was never written is a function of its address. Classes of memory are apart.
struct byte_memory {
  std::map<std::uint64_t, std::uint8_t> bytes;

  static std::uint64_t place(std::uint64_t address, std::uint32_t memory) {
    return (address & 0xff'ffff'ffff) + (memory == midend::any_memory ? 0 : std::uint64_t{memory} << 40);
  }

  midend::region_number load(std::uint64_t address, std::uint32_t count, std::uint32_t memory) const {
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i != count && i != 8; ++i) {
      const auto at = place(address + i, memory);
      const auto found = bytes.find(at);
      const std::uint64_t byte = found != bytes.end() ? found->second : (at * 37 + 11) & 255;
      bits |= byte << 8 * i;
    }
    return {bits, true};
  }

  void store(std::uint64_t address, std::uint32_t count, std::uint32_t memory, std::uint64_t bits) {
    for (std::uint32_t i = 0; i != count && i != 8; ++i) {
      bytes[place(address + i, memory)] = static_cast<std::uint8_t>(bits >> 8 * i);
    }
  }
};

struct counts {
  int runs = 0;
  int passes = 0;
  int without_meaning = 0;
  int endless = 0;
  int calls = 0;
  int too_many_literals = 0;
};

/// Simulates a body with random inputs and compares it with the region.
void compare(const program_region& region, const machine_body& body, const machine_model& m, const midend::schedule& s,
             random_source& random, counts& c, std::uint32_t most_passes) {
  std::vector<std::uint64_t> inputs(region.values.size());
  for (std::size_t n = 0; n != inputs.size(); ++n) {
    const std::uint8_t width = region.values[n].info.width;
    inputs[n] = (random.one_in(3) ? random.next() : random.below(20)) & midend::low_ones(width);
  }
  byte_memory expected;
  byte_memory memory;
  const midend::region_run run = run_region(region, inputs, expected, most_passes);
  switch (run.status) {
  case midend::region_run_status::left:
    break;
  case midend::region_run_status::too_many_passes:
    ++c.endless;
    return;
  case midend::region_run_status::calls:
    ++c.calls;
    return;
  default:
    ++c.without_meaning;
    return;
  }
  const midend::simulation out = simulate(region, body, m, s, inputs, memory, {run.passes, run.exit});
  INFO("fault " << static_cast<int>(out.fault) << " reader " << out.reader << " producer " << out.producer << " pass "
                << out.pass << " of " << run.passes << " cycle " << out.cycle << " II " << s.interval);
  REQUIRE(out.is_complete());
  REQUIRE(out.exit == run.exit);
  REQUIRE(out.results.size() == run.results.size());
  for (std::size_t i = 0; i != out.results.size(); ++i) {
    INFO("result " << i << " node " << region.live_out[i].node << " kind "
                   << static_cast<int>(region.values[region.live_out[i].node].kind) << " known "
                   << out.results[i].is_known << " " << out.results[i].bits << " expected " << run.results[i].bits
                   << " exit " << out.exit << " of " << region.exits.size());
    REQUIRE((!run.results[i].is_known || out.results[i] == run.results[i]));
  }
  REQUIRE(memory.bytes == expected.bytes);
  if (!region.is_straight_line) {
    REQUIRE(out.cycles ==
            (std::uint64_t{run.passes} + s.stages - 1) * s.interval + m.value(midend::machine_field::loop_setup));
  }
  ++c.runs;
  c.passes += static_cast<int>(run.passes);
}

void run_program(const midend::elbrus::program& program, const machine_model& m, random_source& random, counts& loops,
                 counts& lines, int runs) {
  for_each_lowered(
      program, m, {},
      [&](const program_region& region, const machine_body& body, const midend::body_cost& cost, const auto&) {
        if (cost.resources.is_impossible) {
          return;
        }
        if (!region.is_straight_line && region.has_call) {
          return;
        }
        // Lowering gives an operation all its constants as literals, and a few operations more than a cycle has words.
        const std::uint32_t words = m.capacity(m.literal_resource());
        if (std::any_of(body.literals.begin(), body.literals.end(), [&](std::uint8_t l) { return l > words; })) {
          ++(region.is_straight_line ? lines : loops).too_many_literals;
          return;
        }
        const midend::schedule s =
            region.is_straight_line ? schedule_block(body, m).found : modulo_schedule(body, m).found;
        const auto mistakes = verify_schedule(body, m, s);
        INFO("line " << region.is_straight_line << ", " << mistakes.size() << " mistakes, the first "
                     << (mistakes.empty() ? 0 : static_cast<int>(mistakes[0].fault)) << ", slots " << s.slots.size());
        REQUIRE(mistakes.empty());
        for (int i = 0; i != runs; ++i) {
          compare(region, body, m, s, random, region.is_straight_line ? lines : loops, 60);
        }
      });
}

void report(const char* name, const counts& c) {
  MESSAGE(std::string(name), ": runs ", c.runs, ", passes ", c.passes, ", without meaning ", c.without_meaning,
          ", more than 60 passes ", c.endless, ", calls ", c.calls, ", too many literals ", c.too_many_literals);
}

} // namespace

TEST_CASE("simulate: the sample programs on two machines") {
  random_source random(61);
  counts loops;
  counts lines;
  for (const auto& [name, program] : sample_programs()) {
    INFO(name);
    run_program(program, midend::e2k_reference_v6(), random, loops, lines, 6);
    run_program(program, midend::e2k_guide_v4(), random, loops, lines, 6);
  }
  report("loops", loops);
  report("straight lines", lines);
  CHECK(loops.runs > 50);
}

TEST_CASE("simulate: random programs") {
  random_source random(62);
  counts loops;
  counts lines;
  for (std::uint64_t seed = 0; seed != affordable(20); ++seed) {
    INFO("seed " << seed);
    midend::elbrus::program program = random_program(seed, varied(all_flow(), seed)).program;
    midend::elbrus::construct_ssa(program);
    run_program(program, midend::e2k_reference_v6(), random, loops, lines, 2);
  }
  report("random loops", loops);
  report("random straight lines", lines);
  CHECK(loops.runs > affordable(10));
}

TEST_CASE("simulate: 10,000 runs of loops of random programs, long" * doctest::skip()) {
  random_source random(63);
  counts loops;
  counts lines;
  std::uint64_t seed = 1000;
  for (; loops.runs < 10'000; ++seed) {
    INFO("seed " << seed);
    midend::elbrus::program program = random_program(seed, varied(all_flow(), seed)).program;
    midend::elbrus::construct_ssa(program);
    run_program(program, seed % 2 == 0 ? midend::e2k_reference_v6() : midend::e2k_guide_v4(), random, loops, lines, 4);
  }
  report("random loops", loops);
  report("random straight lines", lines);
}

namespace {

/// A loop of a text, lowered and scheduled.
struct scheduled_text {
  machine_model m = midend::e2k_reference_v6();
  program_region region;
  machine_body body;
  midend::modulo_schedule_result result;

  explicit scheduled_text(const std::string& text) {
    auto parsed = midend::elbrus::parse(text);
    REQUIRE(parsed.diagnostics.empty());
    midend::elbrus::construct_ssa(parsed.program);
    for_each_lowered(parsed.program, m, {},
                     [&](const program_region& r, const machine_body& b, const midend::body_cost&, const auto&) {
                       if (!r.is_straight_line) {
                         region = r;
                         body = b;
                       }
                     });
    REQUIRE_FALSE(region.values.empty());
    result = modulo_schedule(body, m);
    REQUIRE(result.attained());
    REQUIRE(verify_schedule(body, m, result.found).empty());
  }

  void check(int runs, std::uint64_t seed) {
    random_source random(seed);
    counts c;
    for (int i = 0; i != runs; ++i) {
      compare(region, body, m, result.found, random, c, 60);
    }
    CHECK(c.runs > 0);
  }
};

} // namespace

TEST_CASE("simulate: a store whose guard contradicts its path never runs") {
  scheduled_text t(R"(proc @f(%a: i64, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: %n], [latch: %i1]
    %small = cmp.lt.i32 %i, 10
    br %small ? then : latch
  node then:
    st.i32 %i, [%a] ? ~%small
    %v = ld.i32 [%a + 8] ? ~%small : %n
    br latch
  node latch:
    %w = phi.i32 [loop: %i], [then: %v]
    %i1 = sub.i32 %i, 1
    %more = cmp.gt.i32 %w, 0
    br %more ? loop : exit
  node exit:
    ret %w
}
)");
  CHECK(t.region.accesses.empty());
  t.check(20, 70);
}

TEST_CASE("simulate: distances of memory, with steps down and several bases") {
  SUBCASE("down: each pass reads what the pass before wrote") {
    scheduled_text t(R"(proc @f(%a: i64, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: %n], [loop: %i1]
    %above = ld.i32 [%a + %i*4 + 4]
    %sum = add.i32 %above, %i
    st.i32 %sum, [%a + %i*4]
    %i1 = add.i32 %i, -1
    %more = cmp.gt.i32 %i1, 0
    br %more ? loop : exit
  node exit:
    ret %i1
}
)");
    CHECK(t.result.found.interval == 8); // load 5, sum 1, store to load 2
    t.check(20, 71);
  }
  SUBCASE("down by two: reads what was written three passes before") {
    scheduled_text t(R"(proc @f(%a: i64, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: %n], [loop: %i1]
    %above = ld.i32 [%a + %i*4 + 24]
    %sum = add.i32 %above, %i
    st.i32 %sum, [%a + %i*4]
    %i1 = add.i32 %i, -2
    %more = cmp.gt.i32 %i1, 0
    br %more ? loop : exit
  node exit:
    ret %i1
}
)");
    CHECK(t.result.found.interval == 3); // eight cycles in three passes
    t.check(20, 72);
  }
  SUBCASE("up: a store catches up with loads of later passes") {
    scheduled_text t(R"(proc @f(%a: i64, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %here = ld.i32 [%a + %i*4]
    %sum = add.i32 %here, 7
    st.i32 %sum, [%a + %i*4 + 8]
    st.i16 3, [%a + %i*4 + 10]
    %i1 = add.i32 %i, 1
    %more = cmp.lt.i32 %i1, %n
    br %more ? loop : exit
  node exit:
    ret %sum
}
)");
    t.check(20, 73);
  }
  SUBCASE("bases that may be equal, and an exit that depends on data") {
    scheduled_text t(R"(proc @f(%a: i64, %b: i64, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [next: %i1]
    %x = ld.i8 [%a + %i*1]
    %y = ld.i8 [%b + %i*1 + 3]
    %sum = add.i8 %x, %y
    st.i8 %sum, [%b + %i*1]
    %stop = cmp.ult.i8 %sum, 20
    br %stop ? exit : next
  node next:
    st.i8 %x, [%a + %i*1 + 1]
    %i1 = add.i32 %i, 1
    br loop
  node exit:
    ret %i
}
)");
    t.check(100, 74);
  }
}

TEST_CASE("simulate: a mistake in a schedule is named") {
  scheduled_text t(R"(proc @f(%a: i64, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %here = ld.i32 [%a + %i*4]
    %sum = mul.i32 %here, 7
    st.i32 %sum, [%a + %i*4]
    %i1 = add.i32 %i, 1
    %more = cmp.lt.i32 %i1, %n
    br %more ? loop : exit
  node exit:
    ret %i1
}
)");
  std::vector<std::uint64_t> inputs(t.region.values.size(), 0);
  for (midend::region_id n = 0; n != inputs.size(); ++n) {
    inputs[n] = t.region.values[n].kind == region_value_kind::invariant ? 5 : 0;
  }
  byte_memory memory;
  const auto run = run_region(t.region, inputs, memory, 60);
  REQUIRE(run.status == midend::region_run_status::left);
  CHECK(run.passes == 5);
  const auto simulated = [&](const midend::schedule& s, std::uint32_t passes) {
    byte_memory fresh;
    return simulate(t.region, t.body, t.m, s, inputs, fresh, {passes, 0});
  };
  CHECK(simulated(t.result.found, 5).is_complete());
  CHECK(simulated(t.result.found, 5).operations == 5 * t.body.graph.num_operations());
  for (const auto& d : t.body.graph.dependences()) { // each dependence on a value, broken by one cycle
    if (d.kind != midend::dependence_kind::value && d.kind != midend::dependence_kind::guard) {
      continue;
    }
    if (d.producer == d.consumer) {
      continue;
    }
    midend::schedule s = t.result.found;
    const std::uint32_t later = 1000 * s.interval; // no other operation waits too little then
    for (auto& slot : s.slots) {
      slot.cycle += later;
    }
    s.slots[d.producer].cycle = s.slots[d.consumer].cycle + s.interval * d.distance - d.latency + 1;
    s.stages += 1000;
    const midend::simulation out = simulated(s, 5);
    CHECK((out.fault == simulation_fault::reads_too_early || out.fault == simulation_fault::reads_unwritten));
    const bool names_one = out.producer == d.producer || out.reader == d.producer;
    CHECK(names_one); // the moved operation, as the reader or the register
  }
}
