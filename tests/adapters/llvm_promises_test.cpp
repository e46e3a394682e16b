// llvm_ssa: what LLVM promises of numbers, fields of aggregates, and what sccp makes of both.
#include <midend/adapters/llvm.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/ssa/sccp.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

using midend::llvm_ssa;
using midend::no_value;
using midend::number_range;
using midend::operation;
using midend::value_id;

namespace {

struct parsed_function {
  explicit parsed_function(const std::string& text) : module(llvm::parseAssemblyString(text, problem, context)) {
    REQUIRE_MESSAGE(module, problem.getMessage().str());
  }

  llvm_ssa view(const midend::llvm_fold_options& options = {}) const {
    return llvm_ssa(*module->getFunction("f"), options);
  }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
};

value_id named(const llvm_ssa& ir, const char* name) {
  for (value_id v = 0; v != ir.num_values(); ++v) {
    if (ir.value(v)->getName() == name) {
      return v;
    }
  }
  return no_value;
}

} // namespace

TEST_CASE("llvm_ssa: bounds of what is loaded, given, returned or computed by an intrinsic") {
  const parsed_function p(R"(
    declare i8 @call()
    declare i8 @llvm.ctpop.i8(i8)
    declare i32 @llvm.abs.i32(i32, i1)
    declare i8 @llvm.uadd.sat.i8(i8, i8)
    define void @f(ptr %p, i8 range(i8 3, 7) %argument, i8 %any) {
      %loaded = load i8, ptr %p, !range !0
      %around = load i8, ptr %p, !range !1
      %twice.around = load i8, ptr %p, !range !2
      %plain = load i8, ptr %p
      %pointer = load ptr, ptr %p, !nonnull !3
      %returned = call range(i8 -3, 3) i8 @call()
      %bits = call i8 @llvm.ctpop.i8(i8 %any)
      %positive = call i32 @llvm.abs.i32(i32 7, i1 true)
      %at.least = call i8 @llvm.uadd.sat.i8(i8 %any, i8 10)
      ret void
    }
    !0 = !{ i8 0, i8 10 }
    !1 = !{ i8 -128, i8 -1 }
    !2 = !{ i8 100, i8 50 }
    !3 = !{}
  )");
  const llvm_ssa ir = p.view();
  const auto bounds = [&](const char* name) { return ir.bounds(named(ir, name)); };
  CHECK(bounds("argument") == number_range{3, 6, false});
  CHECK(bounds("loaded") == number_range{0, 9, false});
  CHECK(bounds("around") == number_range{128, 254, false});
  CHECK(bounds("returned") == number_range{0xfd, 2, true});
  CHECK(bounds("bits") == number_range{0, 8, false});
  CHECK(bounds("positive") == number_range{7, 7, false});
  CHECK(bounds("at.least") == number_range{10, 255, false});
  for (const char* name : {"any", "p", "plain", "pointer", "twice.around"}) {
    CHECK_MESSAGE(!bounds(name), name);
  }
  const auto found = midend::sccp(ir, midend::number_domain());
  const auto returned = found.fact(named(ir, "returned"));
  CHECK(returned.range.as_signed == midend::signed_interval::element{-3, 2});
  CHECK(found.fact(named(ir, "argument")).range.as_unsigned == midend::unsigned_interval::element{3, 6});
  CHECK(found.fact(named(ir, "loaded")).bits.zeros == ~std::uint64_t{0x0f});
  CHECK(found.constant(named(ir, "positive")) == 7);
}

TEST_CASE("llvm_ssa: an extractvalue is a copy of what an insertvalue has set") {
  const parsed_function p(R"(
    define void @f(i64 %n, { i8, { i64, i1 } } %given) {
      %a = insertvalue { i8, { i64, i1 } } { i8 4, { i64, i1 } undef }, i64 %n, 1, 0
      %b = insertvalue { i8, { i64, i1 } } %a, i1 true, 1, 1
      %set = extractvalue { i8, { i64, i1 } } %b, 1, 0
      %first = extractvalue { i8, { i64, i1 } } %b, 0
      %flag = extractvalue { i8, { i64, i1 } } %b, 1, 1
      %unset = extractvalue { i8, { i64, i1 } } %a, 1, 1
      %whole = extractvalue { i8, { i64, i1 } } %b, 1
      %inner = insertvalue { i8, { i64, i1 } } %b, { i64, i1 } %whole, 1
      %part = extractvalue { i8, { i64, i1 } } %inner, 1, 0
      %c = insertvalue { i8, { i64, i1 } } %given, i8 1, 0
      %other = extractvalue { i8, { i64, i1 } } %c, 1, 0
      ret void
    }
  )");
  const llvm_ssa ir = p.view({.copies_fields = true});
  const auto source = [&](const char* name) {
    const value_id v = named(ir, name);
    return ir.operation(v).code == operation::copy ? ir.operands(v)[0] : no_value;
  };
  CHECK(source("set") == named(ir, "n"));
  CHECK(ir.constant(source("first")) == 4);
  CHECK(ir.constant(source("flag")) == 1);
  CHECK(ir.is_undefined(source("unset")));
  for (const char* name : {"whole", "part", "other"}) {
    const value_id v = named(ir, name);
    CHECK_MESSAGE(ir.operation(v).code == operation::other, name);
    CHECK_MESSAGE(ir.value(ir.operands(v)[0]) == llvm::cast<llvm::Instruction>(ir.value(v))->getOperand(0), name);
  }
  const auto found = midend::sccp(ir, midend::number_domain());
  CHECK(found.constant(named(ir, "first")) == 4);
  CHECK(found.constant(named(ir, "flag")) == 1);
  const llvm_ssa as_it_is = p.view();
  CHECK(as_it_is.operation(named(as_it_is, "flag")).code == operation::other);
}
