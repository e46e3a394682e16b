// The cost of unrolling advice: unrolling/advise/PROGRAM beside unrolling/sccp/PROGRAM, for the sample programs. Both
// look at the same procedures in SSA form: one at all innermost loops, the other at all values once.
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace {

using namespace midend::elbrus;

/// The procedures of a sample program that have loops, in SSA form.
std::vector<procedure> procedures_with_loops(const std::filesystem::path& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  program all = parse(text).program;
  construct_ssa(all);
  std::vector<procedure> out;
  for (procedure& p : all.procedures) {
    if (midend::natural_loops(p, midend::dominators(p)).num_loops() != 0) {
      out.push_back(std::move(p));
    }
  }
  return out;
}

void propagate(benchmark::State& state, const std::filesystem::path& file) {
  std::vector<procedure> procedures = procedures_with_loops(file);
  midend::sccp_workspace<midend::number_domain> workspace;
  midend::sccp_result<midend::number_domain> found;
  for (auto _ : state) {
    for (const procedure& p : procedures) {
      midend::sccp(semantic_view(p), midend::number_domain(), {}, workspace, found);
      benchmark::DoNotOptimize(found);
    }
  }
}

void advise(benchmark::State& state, const std::filesystem::path& file) {
  const std::vector<procedure> procedures = procedures_with_loops(file);
  std::vector<midend::loop_forest> forests;
  for (const procedure& p : procedures) {
    forests.push_back(midend::natural_loops(p, midend::dominators(p)));
  }
  const midend::machine_model machine = midend::e2k_reference_v6();
  midend::advise_unrolling_workspace workspace;
  midend::unrolling_advice advice;
  std::size_t loops = 0;
  for (auto _ : state) {
    loops = 0;
    for (std::size_t i = 0; i != procedures.size(); ++i) {
      const cost_view ir(procedures[i]);
      for (const midend::loop_id l : forests[i].loops()) {
        midend::advise_unrolling(ir, forests[i], l, machine, {}, workspace, advice);
        benchmark::DoNotOptimize(advice);
        ++loops;
      }
    }
  }
  state.counters["loops"] = static_cast<double>(loops);
}

[[maybe_unused]] const bool registered = [] {
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  const std::filesystem::directory_iterator programs(MIDEND_SAMPLE_PROGRAMS, problem);
  if (problem) {
    std::fprintf(stderr, "midend_benchmarks: cannot read %s, which is in the source tree of this build\n",
                 MIDEND_SAMPLE_PROGRAMS);
    std::exit(1);
  }
  for (const auto& entry : programs) {
    if (entry.path().extension() == ".eir" && !procedures_with_loops(entry.path()).empty()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    const std::string name = file.stem().string();
    benchmark::RegisterBenchmark(("unrolling/sccp/" + name).c_str(), propagate, file);
    benchmark::RegisterBenchmark(("unrolling/advise/" + name).c_str(), advise, file);
  }
  return true;
}();

} // namespace
