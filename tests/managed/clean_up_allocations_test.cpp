// The clean-up of program after program with the same memory: how often it allocates.
#include "kit/allocations.hpp"
#include "kit/run_text.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ir/editable_flat_program.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/transform/unroll_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

/// The worked examples, unrolled by 4 as cycles.
std::vector<midend::editable_flat_program> unrolled_examples() {
  std::ifstream file(MIDEND_TEST_DATA "/../../examples/programs/unrolling.eir");
  elbrus::program all = program_of(std::string(std::istreambuf_iterator<char>(file), {}));
  std::vector<midend::editable_flat_program> out;
  for (elbrus::procedure& p : all.procedures) {
    const auto loops = midend::dominators_and_loops(p).loops;
    std::vector<midend::unrolling_request> requests;
    for (const midend::loop_id l : loops.loops()) {
      if (loops.subloops(l).size() == 1) {
        requests.push_back({l, {midend::unrolling_kind::partial, 4}});
      }
    }
    elbrus::editor e(p);
    midend::unroll_loops(e, loops, requests);
    out.emplace_back();
    midend::frozen(elbrus::cost_view(p), out.back());
  }
  return out;
}

} // namespace

TEST_CASE("clean_up: with a workspace, a second program of the same size allocates much less") {
  const std::vector<midend::editable_flat_program> examples = unrolled_examples();
  REQUIRE(examples.size() >= 7);
  midend::clean_up_options options;
  options.operations.costs = midend::operation_costs::of_machine(midend::e2k_reference_v6());
  midend::clean_up_observer nobody;
  midend::clean_up_workspace workspace;
  midend::clean_up_log log;
  std::size_t without = 0;
  std::size_t with = 0;
  std::size_t without_any = 0;
  for (const midend::editable_flat_program& p : examples) {
    midend::editable_flat_program trial = p;
    midend::clean_up(trial, options, nobody, workspace, log);
    const midend::clean_up_log first = log;
    trial = p;
    std::uint32_t rounds = 0;
    without += allocations_of([&] { rounds = midend::clean_up(trial, options, nobody).rounds; });
    const std::size_t values = trial.num_values();
    trial = p;
    const std::size_t again = allocations_of([&] { midend::clean_up(trial, options, nobody, workspace, log); });
    with += again;
    without_any += again == 0 ? 1 : 0;
    CHECK(log.rounds == rounds);
    CHECK(log.rounds == first.rounds);
    CHECK(log.operations.size() == first.operations.size());
    CHECK(trial.num_values() == values); // the same, whatever memory was there
  }
  MESSAGE(without, " allocations, with a workspace ", with, ", for ", examples.size(), " programs, ", without_any,
          " of which allocate nothing");
  CHECK(20 * with < without); // nodes are erased, or preheaders made, in some
  CHECK(2 * without_any > examples.size());
}
