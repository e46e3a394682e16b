// Sparse conditional constant propagation of the Elbrus-like IR: sccp/elbrus/DOMAIN, on random programs in SSA form.
#include "kit/program_generator.hpp"

#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/sccp.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace {

using namespace midend::elbrus;

std::vector<program> random_ssa_programs() {
  std::vector<program> out;
  for (std::uint64_t seed = 0; seed != 300; ++seed) {
    out.push_back(midend_tests::random_program(seed).program);
    construct_ssa(out.back());
  }
  return out;
}

template <class D, bool BranchFacts = false> void propagate(benchmark::State& state) {
  std::vector<program> programs = random_ssa_programs();
  std::vector<editor> editors;
  std::size_t operations = 0;
  for (program& all : programs) {
    for (procedure& p : all.procedures) {
      editors.emplace_back(p);
      for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
        const auto values = p.values(n);
        operations += static_cast<std::size_t>(std::ranges::distance(values.begin(), values.end()));
      }
    }
  }
  midend::sccp_workspace<D> workspace;
  midend::sccp_result<D> found;
  std::uint64_t visits = 0;
  for (auto _ : state) {
    visits = 0;
    for (const editor& ir : editors) {
      midend::sccp(ir, D(), {.branch_facts = BranchFacts}, workspace, found);
      visits += found.counters().value_visits;
    }
  }
  using benchmark::Counter;
  state.counters["ns_per_operation"] =
      Counter(static_cast<double>(operations) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["visits_per_operation"] = static_cast<double>(visits) / static_cast<double>(operations);
  state.counters["operations"] = static_cast<double>(operations);
}

BENCHMARK(propagate<midend::flat_domain<>>)->Name("sccp/elbrus/flat");
BENCHMARK(propagate<midend::known_bits_domain>)->Name("sccp/elbrus/known_bits");
BENCHMARK(propagate<midend::interval_domain>)->Name("sccp/elbrus/interval");
BENCHMARK(propagate<midend::number_domain>)->Name("sccp/elbrus/number");
BENCHMARK_TEMPLATE(propagate, midend::number_domain, true)->Name("sccp/elbrus/number_branch_facts");

} // namespace
