// llvm_editor: all transformations over functions of LLVM, with LLVM's verifier and its forms of loops as judges.
#include "kit/affordable.hpp"
#include "kit/test_graph.hpp"

#include <midend/adapters/llvm.hpp>

#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/transform.hpp>

#include <doctest/doctest.h>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::llvm_editor;
using midend::llvm_refusal;
using midend::no_value;
using midend::place_at_end;
using midend::place_at_head;
using midend::place_before;
using midend::value_id;

namespace {

struct parsed_module {
  explicit parsed_module(const std::string& text) : module(llvm::parseAssemblyString(text, problem, context)) {
    REQUIRE_MESSAGE(module, problem.getMessage().str());
  }

  llvm::Function& f() const { return *module->getFunction("f"); }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
};

std::string to_text(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  f.print(out);
  return text;
}

/// What LLVM's verifier says, or nothing.
std::string verifier_message(const llvm::Function& f) {
  std::string text;
  llvm::raw_string_ostream out(text);
  return llvm::verifyFunction(f, &out) ? text + to_text(f) : std::string();
}

/// A copy of a function with the same numbers.
llvm::Function& copy_of(llvm::Function& f) {
  llvm::ValueToValueMapTy map;
  llvm::Function* const copy = llvm::CloneFunction(&f, map);
  copy->setName("before");
  return *copy;
}

std::string to_text(const midend::unfolding_verdict& v) {
  return "fault " + std::to_string(static_cast<int>(v.fault)) + ", node " + std::to_string(v.node) + ", value " +
         std::to_string(v.value) + ", old " + std::to_string(v.old_value) + ", edge " + std::to_string(v.edge);
}

/// What is wrong with an editor, its function, or the witness of what it did; or nothing.
std::string complaint(llvm_editor& editor, const llvm_editor& before, const midend::unfolding_witness& witness) {
  const std::string message = verifier_message(editor.function());
  if (!message.empty()) {
    return message;
  }
  if (!editor.is_consistent()) {
    return "not consistent:\n" + to_text(editor.function());
  }
  const midend::unfolding_verdict verdict = midend::verify_unfolding(before, editor, witness);
  return verdict ? std::string() : to_text(verdict) + "\n" + to_text(editor.function());
}

enum class step { split, simplify, close, rotate, clean, dead, count };

const char* name_of(step s) {
  switch (s) {
  case step::split:
    return "split_critical_edges";
  case step::simplify:
    return "simplify_loops";
  case step::close:
    return "close_loops";
  case step::rotate:
    return "rotate_loops";
  case step::clean:
    return "clean_control";
  default:
    return "remove_dead_code";
  }
}

template <class E> midend::unfolding_witness apply(step s, E& editor) {
  switch (s) {
  case step::split:
    return midend::split_critical_edges(editor);
  case step::simplify:
    return midend::simplify_loops(editor).witness;
  case step::close:
    return midend::close_loops(editor).witness;
  case step::rotate:
    return midend::rotate_loops(editor).witness;
  case step::clean:
    return midend::apply_clean_control(editor, midend::plan_clean_control(editor));
  default:
    return midend::remove_dead_code(editor);
  }
}

/// What is wrong after a transformation of a function, or nothing.
std::string complaint_after(step s, llvm::Function& f) {
  llvm::Function& copy = copy_of(f);
  std::string text;
  {
    const llvm_editor before(copy);
    llvm_editor editor(f);
    const midend::unfolding_witness witness = apply(s, editor);
    text = complaint(editor, before, witness);
  }
  copy.eraseFromParent();
  if (text.empty()) {
    text = verifier_message(f);
  }
  return text.empty() ? text : std::string(name_of(s)) + ": " + text;
}

} // namespace

namespace {

const char* const samples[] = {
    // A loop with a test in the header, and a value that is read after it.
    R"(
declare void @g(i32)
define i32 @f(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 1, %entry ], [ %sum, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  call void @g(i32 %i)
  %sum = add nsw i32 %s, %i
  %next = add nuw nsw i32 %i, 1
  br label %head, !llvm.loop !0
exit:
  ret i32 %s
}
!0 = distinct !{!0}
)",
    // A switch with parallel edges, two latches, and an irreducible part.
    R"(
declare void @g(i32)
declare i1 @c()
define i32 @f(i32 %n) {
entry:
  switch i32 %n, label %a [ i32 1, label %b
                            i32 2, label %b
                            i32 3, label %a
                            i32 4, label %x ]
a:
  %p = phi i32 [ 0, %entry ], [ 0, %entry ], [ %q, %b ], [ %q, %b2 ]
  %c1 = call i1 @c()
  br i1 %c1, label %b, label %x
b:
  %q = phi i32 [ 1, %entry ], [ 1, %entry ], [ %p, %a ]
  %c2 = call i1 @c()
  br i1 %c2, label %a, label %b2
b2:
  %c3 = call i1 @c()
  br i1 %c3, label %a, label %x
x:
  %r = phi i32 [ 7, %entry ], [ %p, %a ], [ %q, %b2 ], [ %r2, %y ], [ %r2, %y ]
  %u = add i32 %r, 1
  %c4 = call i1 @c()
  br i1 %c4, label %y, label %z
y:
  %r2 = mul i32 %u, 3
  switch i32 %r2, label %z [ i32 1, label %x
                             i32 2, label %x ]
z:
  %v = phi i32 [ %u, %x ], [ %r2, %y ]
  ret i32 %v
}
)",
    // Exceptions in loops.
    R"(
declare i32 @g(i32)
declare i32 @__gxx_personality_v0(...)
define i32 @f(i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %r, %ok ], [ 5, %caught ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  %r = invoke i32 @g(i32 %i) to label %ok unwind label %pad
ok:
  %t = invoke i32 @g(i32 %r) to label %head unwind label %pad
pad:
  %w = phi i32 [ %i, %body ], [ %r, %ok ]
  %l = landingpad { ptr, i32 } cleanup
  %s = icmp eq i32 %w, 3
  br i1 %s, label %caught, label %up
caught:
  br label %head
up:
  resume { ptr, i32 } %l
exit:
  ret i32 %i
}
)",
    // Indirect branches, and a loop that is entered by one.
    R"(
declare void @g(i32)
@table = constant [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]
define i32 @f(i32 %n) {
entry:
  %address = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
  %target = load ptr, ptr %address
  indirectbr ptr %target, [label %one, label %two]
one:
  %i = phi i32 [ 0, %entry ], [ %j, %one ]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %one, label %two
two:
  %k = phi i32 [ 1, %entry ], [ %j, %one ], [ %k2, %three ]
  call void @g(i32 %k)
  %d = icmp ult i32 %k, 10
  br i1 %d, label %three, label %done
three:
  %k2 = add i32 %k, 3
  br label %two
done:
  ret i32 %k
}
)",
    // callbr, convergent and noduplicate calls, tokens.
    R"(
declare void @sync() convergent
declare void @once() noduplicate
declare i1 @c()
define i32 @f(i32 %n) {
entry:
  callbr void asm sideeffect "", "!i"() to label %head [label %other]
other:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ], [ 9, %other ]
  call void @sync()
  %c = call i1 @c()
  br i1 %c, label %body, label %next
body:
  %j = add i32 %i, 1
  br label %head
next:
  call void @once()
  %d = call i1 @c()
  br i1 %d, label %next2, label %done
next2:
  br label %next
done:
  ret i32 %i
}
)",
    // Unreachable predecessors, endless loops, a branch with equal targets.
    R"(
declare void @g(i32)
define i32 @f(i32 %n, i1 %c) {
entry:
  br i1 %c, label %head, label %head
dead:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ 0, %entry ], [ 3, %dead ], [ %j, %head ], [ %j, %head ]
  %j = add i32 %i, 1
  %t = icmp eq i32 %j, %n
  switch i32 %j, label %mid [ i32 10, label %head
                              i32 20, label %head
                              i32 30, label %endless ]
mid:
  br i1 true, label %exit, label %endless
endless:
  call void @g(i32 %j)
  br label %endless
exit:
  ret i32 %j
}
)"};

} // namespace

TEST_CASE("llvm_editor: each transformation of small functions") {
  for (const char* const text : samples) {
    for (int s = 0; s != static_cast<int>(step::count); ++s) {
      const parsed_module m(text);
      {
        const llvm_editor editor(m.f());
        CHECK(editor.is_consistent());
        CHECK(!midend::check_ir(editor));
      }
      CHECK(complaint_after(static_cast<step>(s), m.f()) == "");
    }
  }
}
