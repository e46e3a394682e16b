// The cost of schedules: schedule/attained/PROGRAM beside schedule/bounds/PROGRAM, for the sample programs. Both lower
// the same innermost loops and nodes, read before; one computes lower bounds, the other schedules them besides.
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/lowering/lower_region.hpp>
#include <midend/machine/lowering/read_region.hpp>
#include <midend/schedule/attained_times.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace {

/// The innermost loops and the other nodes of a sample program.
std::vector<midend::program_region> regions_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  midend::elbrus::program all = midend::elbrus::parse(text).program;
  midend::elbrus::construct_ssa(all);
  std::vector<midend::program_region> out;
  for (const midend::elbrus::procedure& p : all.procedures) {
    const midend::elbrus::cost_view ir(p);
    const auto found = midend::dominators_and_loops(p);
    const auto order = midend::depth_first_order(p);
    midend::region_reader_workspace reading;
    midend::region_reader<midend::elbrus::cost_view> reader(ir, order, found.loops, {}, reading);
    midend::program_region region;
    for (const midend::loop_id l : found.loops.loops()) {
      if (reader.read_loop(l, region) == midend::region_obstacle::none) {
        out.push_back(region);
      }
    }
    for (const midend::node_id n : order.preorder()) {
      reader.read_node(n, region);
      out.push_back(region);
    }
  }
  return out;
}

void lower_all(benchmark::State& state, const std::filesystem::path& file, bool schedules) {
  const std::vector<midend::program_region> regions = regions_of(file);
  const midend::machine_model machine = midend::e2k_reference_v6();
  midend::attained_times attained(machine);
  midend::lowering_options options;
  options.timer = schedules ? &attained : nullptr;
  midend::lower_region_workspace workspace;
  midend::machine_body body;
  for (auto _ : state) {
    for (const midend::program_region& region : regions) {
      midend::body_cost cost = midend::lower_region(region, machine, options, workspace, body);
      benchmark::DoNotOptimize(cost);
    }
  }
  state.counters["regions"] = static_cast<double>(regions.size());
}

[[maybe_unused]] const bool registered = [] {
  std::vector<std::filesystem::path> files;
  std::error_code problem; // elbrus_unrolling.cpp names it
  for (const auto& entry : std::filesystem::directory_iterator(MIDEND_SAMPLE_PROGRAMS, problem)) {
    if (entry.path().extension() == ".eir") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    const std::string name = file.stem().string();
    benchmark::RegisterBenchmark(("schedule/bounds/" + name).c_str(), lower_all, file, false);
    benchmark::RegisterBenchmark(("schedule/attained/" + name).c_str(), lower_all, file, true);
  }
  return true;
}();

} // namespace
