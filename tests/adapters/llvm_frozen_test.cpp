// frozen: flat copies of functions of LLVM.
#include "kit/affordable.hpp"
#include "kit/frozen_checks.hpp"
#include "kit/random_llvm_function.hpp"
#include "kit/test_graph.hpp"

#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_unrolling_view.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/verify_motion.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_unfolding.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

using namespace midend_tests;
using midend::flat_program;
using midend::frozen;
using midend::llvm_editor;

namespace {

std::string text_of(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  f.print(out);
  return text;
}

template <class Change> std::size_t certify_random_functions(std::uint64_t count, Change change) {
  std::size_t changed = 0;
  flat_program before;
  for (std::uint64_t seed = 0; seed != affordable(count); ++seed) {
    llvm::LLVMContext context;
    llvm::Module module("m", context);
    random_source random(seed);
    llvm::Function& f = random_llvm_function<random_source>(module, random, seed % 3 == 0).make();
    const std::string text = text_of(f);
    {
      llvm_editor editor(f);
      frozen(editor, before);
      const std::string why = frozen_difference(editor, before);
      CHECK_MESSAGE(why.empty(), "seed ", seed, ": ", why, "\n", text);
      CHECK(!midend::check_ir(before));
      const auto verdict = change(editor, before);
      CHECK_MESSAGE(verdict, "seed ", seed, ": fault ", static_cast<int>(verdict.fault), "\n", text, text_of(f));
      const std::string later = frozen_difference(editor, frozen(editor));
      CHECK_MESSAGE(later.empty(), "seed ", seed, ", after the change: ", later, "\n", text_of(f));
    }
    changed += text_of(f) == text ? 0u : 1u;
  }
  return changed;
}

} // namespace

TEST_CASE("functions of LLVM answer as their frozen copies, which certificates take as the program before") {
  const std::size_t enough = affordable(30);
  CHECK(certify_random_functions(100, [](llvm_editor& e, const flat_program& before) {
          const auto w = midend::remove_dead_code(e);
          return midend::verify_removal(before, e, w);
        }) > enough / 3);
  CHECK(certify_random_functions(100, [](llvm_editor& e, const flat_program& before) {
          const auto w = midend::apply_clean_control(e, midend::plan_clean_control(e));
          return midend::verify_unfolding(before, e, w);
        }) > enough);
  CHECK(certify_random_functions(100, [](llvm_editor& e, const flat_program& before) {
          const auto w = midend::simplify_loops(e).witness;
          return midend::verify_unfolding(before, e, w);
        }) > enough / 3);
  certify_random_functions(100, [](llvm_editor& e, const flat_program& before) {
    midend::hoist_invariants(e);
    return midend::verify_motion(before, e);
  });
}

TEST_CASE("a view of a function knows constants of addresses, which its editor does not") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(R"(
define i32 @f(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 3, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr %a, i32 %i
  %x = load i32, ptr %at
  %past = getelementptr i8, ptr %at, i64 12
  store i32 %x, ptr %past
  %i1 = add nsw i32 %i, 5
  %q = icmp slt i32 %i1, 1003
  br i1 %q, label %loop, label %exit
exit:
  ret i32 77
}
)",
                                                                         problem, context);
  REQUIRE_MESSAGE(module, problem.getMessage().str());
  llvm_editor editor(*module->getFunction("f"));
  const midend::llvm_unrolling_view view(editor);
  REQUIRE(view.num_values() > editor.num_values());
  const flat_program copy = frozen(view);
  CHECK(copy.num_values() >= view.num_values());
  CHECK(!midend::check_ir(copy));
}

namespace {

/// A copy of each instruction of this function is changed a little. The oracle is LLVM's own comparison.
constexpr const char* instructions = R"(
declare i32 @g(i32, ptr) memory(none)
declare i32 @h(i32, ptr)
declare void @v()

define i32 @f(i32 %a, i32 %b, ptr %p, ptr %q, i64 %w, float %x, float %y, <4 x i32> %s, {i32, i64} %t) {
  %1 = add i32 %a, %b
  %2 = add nsw i32 %a, %b
  %3 = add nuw nsw i32 %a, %b
  %4 = sub i32 %a, %b
  %5 = add i64 %w, %w
  %6 = load i32, ptr %p, align 4
  %7 = load i32, ptr %p, align 8
  %8 = load volatile i32, ptr %p, align 4
  %9 = load i32, ptr %p, align 4, !range !0
  %10 = load i32, ptr %p, align 4, !range !1
  %11 = load atomic i32, ptr %p seq_cst, align 4
  %12 = load atomic i32, ptr %p acquire, align 4
  %13 = load atomic i32, ptr %p syncscope("singlethread") acquire, align 4
  store i32 %a, ptr %p, align 4
  store volatile i32 %a, ptr %p, align 4
  store i32 %a, ptr %p, align 2
  store i64 %w, ptr %p, align 4
  fence seq_cst
  fence acquire
  %14 = icmp slt i32 %a, %b
  %15 = icmp sgt i32 %a, %b
  %16 = icmp slt i64 %w, %w
  %17 = fcmp olt float %x, %y
  %18 = fcmp fast olt float %x, %y
  %19 = getelementptr i32, ptr %p, i32 %a
  %20 = getelementptr inbounds i32, ptr %p, i32 %a
  %21 = getelementptr i64, ptr %p, i32 %a
  %22 = call i32 @g(i32 %a, ptr %p)
  %23 = call i32 @g(i32 noundef %a, ptr %p)
  %24 = call i32 @h(i32 %a, ptr %p)
  %25 = tail call i32 @h(i32 %a, ptr %p)
  %26 = call fastcc i32 @h(i32 %a, ptr %p)
  %27 = call i32 @h(i32 %a, ptr %p) [ "deopt"(i32 %a) ]
  %28 = call i32 @h(i32 %a, ptr %p) [ "other"(i32 %a) ]
  %29 = alloca i32, align 4
  %30 = alloca i32, align 8
  %31 = alloca i64, align 8
  %32 = cmpxchg ptr %p, i32 %a, i32 %b seq_cst seq_cst, align 4
  %33 = cmpxchg weak ptr %p, i32 %a, i32 %b seq_cst seq_cst, align 4
  %34 = cmpxchg ptr %p, i32 %a, i32 %b seq_cst monotonic, align 4
  %35 = atomicrmw add ptr %p, i32 %a seq_cst, align 4
  %36 = atomicrmw sub ptr %p, i32 %a seq_cst, align 4
  %37 = atomicrmw add ptr %p, i32 %a monotonic, align 4
  %38 = shufflevector <4 x i32> %s, <4 x i32> %s, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %39 = shufflevector <4 x i32> %s, <4 x i32> %s, <4 x i32> <i32 0, i32 1, i32 3, i32 2>
  %40 = extractvalue {i32, i64} %t, 0
  %41 = extractvalue {i32, i64} %t, 1
  %42 = insertvalue {i32, i64} %t, i32 %a, 0
  %43 = zext i32 %a to i64
  %44 = sext i32 %a to i64
  %45 = zext nneg i32 %a to i64
  %46 = udiv i32 %a, %b
  %47 = udiv exact i32 %a, %b
  %48 = fadd float %x, %y
  %49 = fadd nnan float %x, %y
  %50 = freeze i32 %a
  %51 = select i1 %14, i32 %a, i32 %b
  call void @v()
  call void @v() noreturn
  %52 = call i32 asm "nop $0", "=r,r"(i32 %a)
  %53 = call i32 asm "nop2 $0", "=r,r"(i32 %a)
  ret i32 %a
}

!0 = !{i32 0, i32 9}
!1 = !{i32 0, i32 10}
)";

} // namespace

TEST_CASE("an instruction of LLVM is described so that others are told apart as LLVM does") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(instructions, problem, context);
  REQUIRE_MESSAGE(module, problem.getMessage().str());
  llvm::Function& f = *module->getFunction("f");
  llvm_editor editor(f);
  const flat_program copy = frozen(editor);
  std::size_t same = 0;
  std::size_t promises = 0;
  for (midend::value_id v = 0; v != copy.num_values(); ++v) {
    const auto* const a = llvm::dyn_cast<llvm::Instruction>(editor.value(v));
    for (midend::value_id w = 0; w != copy.num_values(); ++w) {
      const auto* const b = llvm::dyn_cast<llvm::Instruction>(editor.value(w));
      const bool answer = copy.same_operation(v, editor, w);
      CHECK(answer == editor.same_operation(v, editor, w));
      if (a == nullptr || b == nullptr) {
        CHECK(answer == (v == w));
        continue;
      }
      if (answer) {
        // LLVM compares all attributes of calls; `noundef` is a promise that may go.
        const auto* const call = llvm::dyn_cast<llvm::CallBase>(b);
        const bool lacks_noundef = call != nullptr && !call->paramHasAttr(0, llvm::Attribute::NoUndef) &&
                                   llvm::cast<llvm::CallBase>(a)->paramHasAttr(0, llvm::Attribute::NoUndef);
        CHECK((a->isSameOperationAs(b) || lacks_noundef));
        CHECK((b->getRawSubclassOptionalData() & ~a->getRawSubclassOptionalData()) == 0);
        CHECK((!b->hasMetadata() || b->getMetadata("range") == a->getMetadata("range")));
        ++same;
        promises += v != w ? 1u : 0u;
      } else if (a->isSameOperationAs(b)) { // then another word: a promise, or what LLVM does not compare
        const bool promises_more = (b->getRawSubclassOptionalData() & ~a->getRawSubclassOptionalData()) != 0 ||
                                   (b->hasMetadata() && b->getMetadata("range") != a->getMetadata("range"));
        const bool is_assembly = llvm::isa<llvm::CallBase>(a) && llvm::cast<llvm::CallBase>(a)->isInlineAsm();
        CHECK_MESSAGE((promises_more || is_assembly), v, " and ", w);
      }
    }
  }
  CHECK(same > copy.num_values() / 2);
  CHECK(promises >= 9); // operations that stand for others since they promise less
}

TEST_CASE("a frozen function of LLVM knows an instruction that was changed, and one that promises less") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(instructions, problem, context);
  REQUIRE_MESSAGE(module, problem.getMessage().str());
  llvm::Function& f = *module->getFunction("f");
  llvm_editor editor(f);
  const flat_program copy = frozen(editor);
  for (midend::value_id v = 0; v != copy.num_values(); ++v) {
    auto* const i = llvm::dyn_cast<llvm::Instruction>(editor.value(v));
    if (i == nullptr) {
      continue;
    }
    const bool was_exact = i->getOpcode() == llvm::Instruction::UDiv && i->isExact();
    editor.drop_promises(v);
    CHECK((copy.same_operation(v, editor, v) || llvm::isa<llvm::CallBase>(i))); // attributes may go
    if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(i)) {
      load->setAlignment(llvm::Align(16));
      CHECK(!copy.same_operation(v, editor, v));
    } else if (auto* const comparison = llvm::dyn_cast<llvm::ICmpInst>(i)) {
      comparison->setPredicate(llvm::CmpInst::ICMP_ULE);
      CHECK(!copy.same_operation(v, editor, v));
    } else if (auto* const call = llvm::dyn_cast<llvm::CallInst>(i)) {
      call->addFnAttr(llvm::Attribute::Convergent);
      CHECK(!copy.same_operation(v, editor, v));
    } else if (i->getOpcode() == llvm::Instruction::UDiv) {
      i->setIsExact(true);
      CHECK(copy.same_operation(v, editor, v) == was_exact);
    }
  }
}
