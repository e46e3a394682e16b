// The cost of functions of LLVM: on the view and on its frozen copy.
#include <midend/adapters/llvm_cost.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/cost/count_loop_trips.hpp>
#include <midend/machine/cost/estimate.hpp>
#include <midend/machine/e2k.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
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
    count_loop_trips(ir, found.loops, known);
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
      const midend::loop_estimate& here = e.loops[l];
      CHECK(here.cost.operations == frozen.loops[l].cost.operations);
      CHECK(here.cycles_per_entry == frozen.loops[l].cycles_per_entry);
      loops += here.obstacle == midend::region_obstacle::none ? 1 : 0;
    }
  }
  CHECK(loops >= 5);
}

TEST_CASE("functions of LLVM: branches that no value decides, and cases that share a target") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(R"(
declare void @g()
declare i32 @personality(...)
define void @thrown(i32 %n) personality ptr @personality {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  invoke void @g() to label %next unwind label %pad
next:
  %i1 = add nsw i32 %i, 1
  %q = icmp slt i32 %i1, %n
  br i1 %q, label %loop, label %exit
pad:
  %p = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %p
exit:
  ret void
}
define i32 @cases(ptr %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %s = phi i32 [ 0, %entry ], [ %m, %latch ]
  %v = load i32, ptr %a
  switch i32 %v, label %latch [ i32 1, label %some
                                i32 2, label %some
                                i32 9, label %some ]
some:
  %t = mul i32 %s, %s
  br label %latch
latch:
  %m = phi i32 [ %s, %loop ], [ %t, %some ]
  %i1 = add nsw i32 %i, 1
  %q = icmp slt i32 %i1, %n
  br i1 %q, label %loop, label %exit
exit:
  ret i32 %m
}
)",
                                                                         problem, context);
  REQUIRE_MESSAGE(module, problem.getMessage().str());
  const auto machine = midend::e2k_reference_v6();
  for (const char* const name : {"thrown", "cases"}) {
    CAPTURE(name);
    const midend::llvm_cost ir(*module->getFunction(name));
    const auto found = midend::dominators_and_loops(ir.graph());
    const midend::program_estimate e = estimate(ir, found.loops, machine);
    const midend::program_estimate frozen = estimate(midend::frozen(ir), found.loops, machine);
    REQUIRE(e.loops.size() == 1);
    CHECK(e.loops[0].obstacle == midend::region_obstacle::none);
    CHECK(e.cycles == frozen.cycles);
    CHECK(e.operations == frozen.operations);
    const midend::body_cost& cost = e.loops[0].cost;
    if (name[0] == 't') { // the call, increment and comparison; two exits
      CHECK(cost.operations == 3);
      CHECK(cost.branches == 2);
      CHECK(cost.obstacle == midend::pipelining_obstacle::call);
    } else { // load, three comparisons and at most as many predicates, product, choice, increment, comparison
      CHECK(cost.mix[midend::operation_class::compare] == 4);
      CHECK(cost.mix[midend::operation_class::load] == 1);
      CHECK(cost.mix[midend::operation_class::integer_multiply] == 1);
      CHECK(cost.branches == 1);
      CHECK(cost.obstacle == midend::pipelining_obstacle::none);
    }
  }
}
