// Sparse conditional constant propagation of the Elbrus-like IR, on random programs in SSA form. sccp/elbrus/DOMAIN
// keeps workspace and result from function to function, sccp/elbrus_fresh/DOMAIN makes them anew for each.
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

enum class form { kept, fresh, branch_facts };

/// Procedures of at most so many nodes count as small.
constexpr std::size_t small = 14;

template <class D, form Form = form::kept, std::size_t MostNodes = ~std::size_t{0}>
void propagate(benchmark::State& state) {
  std::vector<program> programs = random_ssa_programs();
  std::vector<editor> editors;
  std::size_t operations = 0;
  for (program& all : programs) {
    for (procedure& p : all.procedures) {
      if (p.num_nodes() > MostNodes) {
        continue;
      }
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
      if constexpr (Form == form::fresh) {
        visits += midend::sccp(ir, D()).counters().value_visits;
        continue;
      } else if constexpr (Form == form::branch_facts) {
        midend::sccp_with_branch_facts(ir, D(), {}, workspace, found);
      } else {
        midend::sccp(ir, D(), {}, workspace, found);
      }
      visits += found.counters().value_visits;
    }
  }
  using benchmark::Counter;
  state.counters["ns_per_operation"] =
      Counter(static_cast<double>(operations) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["visits_per_operation"] = static_cast<double>(visits) / static_cast<double>(operations);
  state.counters["procedures"] = static_cast<double>(editors.size());
  state.counters["operations"] = static_cast<double>(operations);
}

BENCHMARK(propagate<midend::flat_domain<>>)->Name("sccp/elbrus/flat");
BENCHMARK_TEMPLATE(propagate, midend::flat_domain<>, form::fresh)->Name("sccp/elbrus_fresh/flat");
BENCHMARK_TEMPLATE(propagate, midend::flat_domain<>, form::kept, small)->Name("sccp/elbrus/flat_small");
BENCHMARK_TEMPLATE(propagate, midend::flat_domain<>, form::fresh, small)->Name("sccp/elbrus_fresh/flat_small");
BENCHMARK(propagate<midend::known_bits_domain>)->Name("sccp/elbrus/known_bits");
BENCHMARK(propagate<midend::interval_domain>)->Name("sccp/elbrus/interval");
BENCHMARK(propagate<midend::number_domain>)->Name("sccp/elbrus/number");
BENCHMARK_TEMPLATE(propagate, midend::number_domain, form::fresh)->Name("sccp/elbrus_fresh/number");
BENCHMARK_TEMPLATE(propagate, midend::number_domain, form::branch_facts)->Name("sccp/elbrus/number_branch_facts");

} // namespace
