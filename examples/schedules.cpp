// Schedules: a loop as a software pipeline, checked, explained, and run cycle by cycle; then an advice on unrolling
// that decides by schedules.
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/lowering/lower_region.hpp>
#include <midend/machine/lowering/read_region.hpp>
#include <midend/schedule/attained_times.hpp>
#include <midend/schedule/explain_interval.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/run_region.hpp>
#include <midend/schedule/simulate.hpp>
#include <midend/schedule/verify_schedule.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/viz/schedule.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

// for (i = 0; i < n; ++i) { s += a[i] * a[i]; }
constexpr const char* text = R"(
proc @squares(%a: ptr, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %next]
    %s = phi.i32 [entry: 0], [loop: %sum]
    %v = ld.i32 [%a + %i*4]
    %square = mul.i32 %v, %v
    %sum = add.i32 %s, %square
    %next = add.i32 %i, 1 nsw
    %more = cmp.lt.i32 %next, %n
    br %more ? loop : exit
  node exit:
    ret %sum
}
)";

/// Four-byte numbers at the addresses 4096, 4100, …: 0, 1, 2, …
struct numbers {
  static midend::region_number load(std::uint64_t address, std::uint32_t, std::uint32_t) {
    return {(address - 4096) / 4, true};
  }

  static void store(std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t) {}
};

int main() {
  const midend::elbrus::program program = midend::elbrus::parse(text).program;
  const midend::elbrus::procedure& p = program.procedures[0];
  const midend::machine_model machine = midend::e2k_reference_v6();
  const midend::elbrus::cost_view ir(p);
  const auto found = midend::dominators_and_loops(p);

  // [schedule]
  const auto order = midend::depth_first_order(p);
  midend::region_reader_workspace reading;
  midend::region_reader<midend::elbrus::cost_view> reader(ir, order, found.loops, {}, reading);
  midend::program_region region; // one pass of the loop
  reader.read_loop(0, region);
  midend::lower_region_workspace lowering;
  midend::machine_body body; // its operations on the machine
  midend::lower_region(region, machine, {}, lowering, body);
  const midend::modulo_schedule_result pipeline = midend::modulo_schedule(body, machine);
  std::printf("a pass every %u cycles, the bound is %u; %u stages; %zu mistakes\n", pipeline.found.interval,
              static_cast<unsigned>(pipeline.bound), pipeline.found.stages,
              midend::verify_schedule(body, machine, pipeline.found).size());
  // [end]

  midend::operation_labels labels;
  for (midend::operation_id o = 0; o != body.graph.num_operations(); ++o) {
    const midend::value_id v = body.origins[o].value;
    labels.push_back(v == midend::no_value ? "branch" : "%" + std::string(p.value_name(v)));
  }
  std::printf("%s", midend::schedule_text(body, machine, pipeline.found, labels).c_str());

  // [simulate]
  std::vector<std::uint64_t> inputs(region.values.size()); // by value of the region: what enters the loop
  for (std::size_t n = 0; n != inputs.size(); ++n) {
    const midend::value_id v = region.values[n].origin;
    inputs[n] = v == p.parameters()[0] ? 4096 : v == p.parameters()[1] ? 10 : 0;
  }
  numbers memory;
  const midend::region_run run = midend::run_region(region, inputs, memory, 1000); // pass by pass
  const midend::simulation out =
      midend::simulate(region, body, machine, pipeline.found, inputs, memory, {run.passes, run.exit});
  for (std::size_t i = 0; i != out.results.size(); ++i) {
    std::printf("%%%s = %u after %u passes and %u cycles\n",
                std::string(p.value_name(region.live_out_values[i])).c_str(),
                static_cast<unsigned>(out.results[i].bits), run.passes, static_cast<unsigned>(out.cycles));
  }
  // [end]

  // [advice]
  midend::attained_times attained(machine);
  midend::unrolling_options options;
  options.lowering.timer = &attained;
  const midend::unrolling_advice advice = midend::advise_unrolling(ir, found.loops, 0, machine, options);
  // [end]
  std::printf("unrolled by %u: %u cycles instead of %u\n", advice.decision().factor,
              static_cast<unsigned>(advice.decision().total_cycles),
              static_cast<unsigned>(advice.rolled().total_cycles));
}
