// Bytes to a program whose loops are advised on: no decision is worse than the loop as it is, and a run agrees with
// what is said of trip counts.
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/memory.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace midend::elbrus;
using midend::trip_count_kind;

namespace {

void require(bool condition, const char* what, const program& p) {
  if (!condition) {
    std::fprintf(stderr, "fuzz_unroll: %s\n%s\n", what, to_text(p).c_str());
    std::abort();
  }
}

run_result run(const program& all, std::size_t number) {
  memory arrays;
  const std::array<std::uint64_t, 8> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::uint64_t address = arrays.add("a", type::i64, numbers);
  std::vector<scalar> arguments;
  for (const midend::value_id v : all.procedures[number].parameters()) {
    const type t = all.procedures[number].value(v).type;
    arguments.push_back(t == type::ptr ? scalar{t, address}
                        : is_float(t)  ? float_scalar(t, 2.5)
                                       : integer_scalar(t, 3));
  }
  return interpreter(all).run(number, arguments, arrays, {.step_limit = 3000, .call_depth = 50});
}

/// Of a run that came to its end.
bool agrees(const midend::trip_count& trip, const procedure& p, const procedure_profile& counts,
            const midend::loop_forest& forest, midend::loop_id l) {
  std::uint64_t header = 0;
  std::uint64_t entered = 0;
  for (const midend::edge_id e : p.in_edges(forest.header(l))) {
    const std::uint64_t taken = e < counts.edges.size() ? counts.edges[e] : 0;
    header += taken;
    entered += forest.contains(l, p.edge(e).source) ? 0 : taken;
  }
  const auto most = trip.header_executions();
  switch (trip.kind) {
  case trip_count_kind::exact:
    return entered == 0 || (most && header == entered * *most);
  case trip_count_kind::at_most:
    return entered == 0 || !most || header <= entered * *most;
  case trip_count_kind::unknown:
    return true;
  default:
    return entered == 0;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const parse_result read = parse({reinterpret_cast<const char*>(data), size});
  if (!read.diagnostics.empty() || !verify(read.program).empty()) {
    return 0;
  }
  program ssa = read.program;
  construct_ssa(ssa);
  const midend::machine_model machine = size % 2 == 0 ? midend::e2k_reference_v6() : midend::scalar_core();
  for (std::size_t i = 0; i != ssa.procedures.size(); ++i) {
    const procedure& p = ssa.procedures[i];
    const midend::loop_forest forest = midend::natural_loops(p, midend::dominators(p));
    const run_result result = run(ssa, i);
    for (const midend::loop_id l : forest.loops()) {
      const midend::unrolling_advice advice = midend::advise_unrolling(cost_view(p), forest, l, machine);
      if (advice.obstacle != midend::unrolling_obstacle::none) {
        continue;
      }
      const auto total = [](const auto& c) { return c.total_cycles + c.setup_cycles; };
      require(total(advice.decision()) <= total(advice.rolled()), "worse than the loop as it is", ssa);
      const bool ended = !result.trap && advice.counts.hints.maximum == 0 && advice.counts.hints.multiple == 0;
      require(!ended || agrees(advice.counts.trip, p, result.profile[i], forest, l), "a wrong trip count", ssa);
    }
  }
  return 0;
}
