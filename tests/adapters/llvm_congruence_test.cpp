// llvm_congruence: which instructions of LLVM are equal, and what becomes of their promises.
#include <midend/adapters/llvm_congruence.hpp>
#include <midend/adapters/llvm_editor.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_congruence.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <string>

using midend::llvm_congruence;
using midend::no_value;
using midend::value_id;

namespace {

struct numbered_module {
  explicit numbered_module(const std::string& text) : module(llvm::parseAssemblyString(text, problem, context)) {
    REQUIRE_MESSAGE(module, problem.getMessage().str());
    view.assign(f());
    found = midend::value_numbering(view);
    CHECK(!midend::verify_congruence(view, found));
  }

  llvm::Function& f() const { return *module->getFunction("f"); }

  value_id named(const char* name) const {
    for (value_id v = 0; v != view.num_values(); ++v) {
      if (view.value(v)->getName() == name) {
        return v;
      }
    }
    return no_value;
  }

  bool are_congruent(const char* a, const char* b) const { return found.are_congruent(named(a), named(b)); }

  /// The instruction of this name after the plan was applied; empty if it is gone.
  std::string after(const char* name) {
    if (!is_applied) {
      const auto plan = midend::plan_value_numbering(view, found);
      midend::llvm_editor editor(f());
      midend::apply_value_numbering(editor, plan);
      is_applied = true;
    }
    REQUIRE(!llvm::verifyFunction(f()));
    for (const llvm::BasicBlock& b : f()) {
      for (const llvm::Instruction& i : b) {
        if (i.getName() == name) {
          std::string out;
          llvm::raw_string_ostream(out) << i;
          return out;
        }
      }
    }
    return {};
  }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
  llvm_congruence view;
  midend::value_numbering_result<midend::flat_domain<>> found;
  bool is_applied = false;
};

} // namespace

TEST_CASE("llvm_congruence: operations outside of the vocabulary are compared") {
  const numbered_module m(R"(
    declare double @llvm.fabs.f64(double)
    declare i32 @unknown(i32)
    define void @f(ptr %p, i64 %i, double %d, <2 x i32> %v, { i32, i64 } %s, i32 %n) {
      %address = getelementptr i32, ptr %p, i64 %i
      %address.again = getelementptr inbounds i32, ptr %p, i64 %i
      %address.other = getelementptr i64, ptr %p, i64 %i
      %sum = fadd double %d, 1.0
      %sum.again = fadd nnan double %d, 1.0
      %sum.fast = fadd reassoc double %d, 1.0
      %less = icmp ult ptr %p, %address
      %less.again = icmp ult ptr %p, %address.again
      %more = icmp ugt ptr %p, %address
      %number = ptrtoint ptr %p to i64
      %number.again = ptrtoint ptr %p to i64
      %number.other = ptrtoint ptr %p to i32
      %lane = extractelement <2 x i32> %v, i32 0
      %lane.again = extractelement <2 x i32> %v, i32 0
      %lane.other = extractelement <2 x i32> %v, i32 1
      %field = extractvalue { i32, i64 } %s, 0
      %field.again = extractvalue { i32, i64 } %s, 0
      %absolute = call double @llvm.fabs.f64(double %d)
      %absolute.again = call double @llvm.fabs.f64(double %d)
      %call = call i32 @unknown(i32 %n)
      %call.again = call i32 @unknown(i32 %n)
      %loaded = load i32, ptr %p
      %loaded.again = load i32, ptr %p
      %frozen = freeze i32 %n
      %frozen.again = freeze i32 %n
      %slot = alloca i32
      %slot.again = alloca i32
      ret void
    })");
  for (const char* const name : {"address", "sum", "less", "number", "lane", "field", "absolute"}) {
    CHECK_MESSAGE(m.are_congruent(name, (std::string(name) + ".again").c_str()), name);
  }
  for (const char* const name : {"call", "loaded", "frozen", "slot"}) {
    CHECK_MESSAGE(!m.are_congruent(name, (std::string(name) + ".again").c_str()), name);
  }
  CHECK(!m.are_congruent("address", "address.other"));
  CHECK(!m.are_congruent("sum", "sum.fast"));
  CHECK(!m.are_congruent("less", "more"));
  CHECK(!m.are_congruent("number", "number.other"));
  CHECK(!m.are_congruent("lane", "lane.other"));
}

TEST_CASE("llvm_congruence: what LLVM's simplifier knows is a copy") {
  const numbered_module m(R"(
    define void @f(ptr %p, i32 %n, i32 %k) {
      %first = getelementptr inbounds { i32, i64 }, ptr %p, i32 0, i32 0
      %test = icmp ne i32 %n, 7
      %wide = zext i1 %test to i32
      %again = icmp ne i32 %wide, 0
      %sum = add i32 %n, %k
      %back = sub i32 %sum, %k
      ret void
    })");
  CHECK(m.are_congruent("first", "p"));
  CHECK(m.are_congruent("again", "test"));
  CHECK(m.are_congruent("back", "n"));
}

TEST_CASE("llvm_congruence: a leader drops promises that the other instruction does not make") {
  numbered_module m(R"(
    declare void @use(i32, i32, i32, i32, ptr, double)
    define void @f(ptr %p, i32 %a, i32 %b, double %d, i8 %c) {
      %quotient = udiv exact i32 %a, %b
      %either = or disjoint i32 %a, %b
      %sum = add nsw nuw i32 %a, %b
      %wide = zext nneg i8 %c to i32
      %address = getelementptr inbounds i32, ptr %p, i32 %a
      %product = fmul nnan ninf double %d, %d
      %kept = lshr exact i32 %a, 3
      call void @use(i32 %quotient, i32 %either, i32 %sum, i32 %wide, ptr %address, double %product)
      %quotient.again = udiv i32 %a, %b
      %either.again = or i32 %a, %b
      %sum.again = add nsw i32 %a, %b
      %wide.again = zext i8 %c to i32
      %address.again = getelementptr i32, ptr %p, i32 %a
      %product.again = fmul nnan double %d, %d
      %kept.again = lshr exact i32 %a, 3
      call void @use(i32 %quotient.again, i32 %either.again, i32 %sum.again, i32 %wide.again, ptr %address.again,
                     double %product.again)
      call void @use(i32 %kept, i32 %kept.again, i32 0, i32 0, ptr null, double 0.0)
      ret void
    })");
  CHECK(m.after("quotient") == "  %quotient = udiv i32 %a, %b");
  CHECK(m.after("either") == "  %either = or i32 %a, %b");
  CHECK(m.after("sum") == "  %sum = add i32 %a, %b");
  CHECK(m.after("wide") == "  %wide = zext i8 %c to i32");
  CHECK(m.after("address") == "  %address = getelementptr i32, ptr %p, i32 %a");
  CHECK(m.after("product") == "  %product = fmul double %d, %d");
  CHECK(m.after("kept") == "  %kept = lshr exact i32 %a, 3");
  for (const char* const name : {"quotient", "either", "sum", "wide", "address", "product", "kept"}) {
    CHECK_MESSAGE(m.after((std::string(name) + ".again").c_str()).empty(), name);
  }
}

TEST_CASE("llvm_congruence: a phi keeps its promises, so it replaces only what promises as much") {
  numbered_module m(R"(
    define double @f(i1 %c, double %a, double %b) {
    entry:
      br i1 %c, label %then, label %join
    then:
      br label %join
    join:
      %x = phi nnan double [ %a, %entry ], [ %b, %then ]
      %y = phi double [ %a, %entry ], [ %b, %then ]
      %z = phi nnan double [ %a, %entry ], [ %b, %then ]
      %s = fadd double %y, %z
      %r = fadd double %x, %s
      ret double %r
    })");
  CHECK(m.are_congruent("x", "y"));
  CHECK(m.after("s") == "  %s = fadd double %y, %x");
}
