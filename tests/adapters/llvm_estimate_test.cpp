// The cost of functions of LLVM: on the view and on its frozen copy, beside the loops as `measure_loop` reads them.
#include <midend/adapters/llvm_cost.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/cost/count_loop_trips.hpp>
#include <midend/machine/cost/estimate.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/unrolling/measure_loop.hpp>

#include <doctest/doctest.h>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>

#include <cstddef>
#include <memory>

TEST_CASE("functions of LLVM: the same cost on the view and frozen, and the bounds of a body description") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module =
      llvm::parseIRFile(MIDEND_TEST_DATA "/llvm/unrolling.ll", problem, context);
  REQUIRE_MESSAGE(module, problem.getMessage().str());
  const auto machine = midend::e2k_reference_v6();
  std::size_t loops = 0;
  for (const llvm::Function& f : *module) {
    if (f.isDeclaration()) {
      continue;
    }
    CAPTURE(f.getName().str());
    const midend::llvm_cost ir(f);
    const auto found = midend::dominators_and_loops(ir.graph());
    midend::estimate_knowledge known;
    count_loop_trips(ir, found.dominators, found.loops, known);
    midend::estimate_options options;
    options.trips = known.trips;
    options.facts.not_negative = known.not_negative;
    const midend::program_estimate e = estimate(ir, found.loops, machine, options);
    const midend::program_estimate frozen = estimate(midend::frozen(ir), found.loops, machine, options);
    CHECK(!e.is_impossible);
    CHECK(e.cycles > 0);
    CHECK(e.cycles == frozen.cycles);
    CHECK(e.operations == frozen.operations);
    CHECK(e.bytes == frozen.bytes);
    for (const midend::loop_id l : found.loops.loops()) {
      const midend::loop_measure there = measure_loop(ir, found.loops, l, machine, options.lowering);
      const midend::loop_estimate& here = e.loops[l];
      CHECK(here.cost.operations == frozen.loops[l].cost.operations);
      CHECK(here.cycles_per_entry == frozen.loops[l].cycles_per_entry);
      CHECK((here.obstacle == midend::region_obstacle::none) == (there.obstacle == midend::unrolling_obstacle::none));
      if (here.obstacle == midend::region_obstacle::none && there.cost.invariant_operations == 0) {
        CHECK(here.cost.operations == there.cost.operations);
        CHECK(here.cost.interval == there.cost.interval);
        ++loops;
      }
    }
  }
  CHECK(loops >= 5);
}
