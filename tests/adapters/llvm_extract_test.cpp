// extract_loop: loops of functions of LLVM, unrolled as programs of their own.
#include "kit/affordable.hpp"
#include "kit/random_llvm_function.hpp"
#include "kit/test_graph.hpp"

#include <midend/adapters/llvm_package_editor.hpp>
#include <midend/induction/extract_loop.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/unroll_loops.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <cstddef>
#include <cstdint>
#include <memory>

using namespace midend_tests;

TEST_CASE("loops of LLVM are extracted, and unrolled as programs of their own") {
  std::size_t loops = 0;
  std::size_t unrolled = 0;
  midend::extract_loop_workspace memory;
  midend::extracted_loop x;
  for (std::uint64_t seed = 0; seed != affordable(400); ++seed) {
    llvm::LLVMContext context;
    llvm::Module module("m", context);
    random_source random(seed);
    llvm::Function& f = random_llvm_function<random_source>(module, random, seed % 3 == 0).make();
    const midend::llvm_package_editor e(f);
    const auto found = midend::dominators_and_loops(e.graph());
    for (const midend::loop_id l : found.loops.loops()) {
      midend::extract_loop(e, found.dominators, found.loops, l, memory, x);
      CHECK_MESSAGE(!midend::check_ir(x.program), "seed ", seed, ", loop ", l);
      CHECK(x.program.is_closed());
      const auto inner = midend::dominators_and_loops(x.program.graph()).loops;
      CHECK(inner.num_loops() >= found.loops.subloops(l).size());
      const midend::unrolling_request request{inner.innermost_loop(midend::extracted_loop::header),
                                              {midend::unrolling_kind::partial, 3}};
      const auto plan = midend::plan_unroll_loops(x.program, inner, {&request, 1});
      unrolled += plan.refused.empty() ? 1u : 0u;
      midend::apply_unroll_loops(x.program, plan);
      midend::clean_control(x.program);
      midend::remove_dead_code(x.program);
      CHECK_MESSAGE(!midend::check_ir(x.program), "seed ", seed, ", loop ", l, ", unrolled");
      ++loops;
    }
  }
  MESSAGE(loops, " loops, ", unrolled, " unrolled");
  CHECK(loops > affordable(400) / 3);
  CHECK(unrolled > loops / 2);
}

TEST_CASE("an address of LLVM that is computed in parts names operands in the extracted loop") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(R"(
define i32 @f(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %q = getelementptr i32, ptr %p, i64 %i
  %r = getelementptr i8, ptr %q, i64 8
  %x = load i32, ptr %r, align 4
  %t = add i32 %s, %x
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret i32 %t
})",
                                                                         error, context);
  REQUIRE(module);
  const midend::llvm_package_editor e(*module->getFunction("f"));
  const auto found = midend::dominators_and_loops(e.graph());
  midend::extract_loop_workspace memory;
  midend::extracted_loop x;
  midend::extract_loop(e, found.dominators, found.loops, 0, memory, x);
  midend::value_id load = midend::no_value;
  midend::value_id counter = midend::no_value;
  for (const midend::value_id v : x.program.values(midend::extracted_loop::header)) {
    counter = counter == midend::no_value ? v : counter;
    load = x.program.effect(v) == midend::effect_kind::reads ? v : load;
  }
  REQUIRE(load != midend::no_value);
  const auto place = x.program.memory(load);
  REQUIRE(place);
  CHECK(place->offset == 8);
  CHECK(place->scale == 4);
  CHECK(place->index == counter);
  CHECK(x.program.operands(load).size() == 3); // the pointer, base and index
  // A copy of the load that reads another counter accesses another place.
  const midend::value_id next = x.program.clone_value(load, midend::place_before(load));
  x.program.set_operand(next, 2, x.program.make_constant(counter, 5));
  CHECK(x.program.constant(x.program.memory(next)->index) == 5);
  CHECK(x.program.memory(load)->index == counter);
}
