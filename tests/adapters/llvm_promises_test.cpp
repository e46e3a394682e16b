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

TEST_CASE("llvm_ssa: results and flags of overflow intrinsics, all numbers of four bits") {
  const char* const names[] = {"uadd", "sadd", "usub", "ssub", "umul", "smul"};
  std::string text;
  std::string body;
  for (const std::string name : names) {
    text += "declare { i4, i1 } @llvm." + name + ".with.overflow.i4(i4, i4)\n";
    for (int c = -8; c != 9; ++c) { // 8: not a literal
      const std::string id = name + "." + std::to_string(c + 8);
      const std::string right = c == 8 ? "%y" : std::to_string(c);
      body += "%both." + id + " = call { i4, i1 } @llvm." + name + ".with.overflow.i4(i4 %x, i4 " + right + ")\n";
      body += "%result." + id + " = extractvalue { i4, i1 } %both." + id + ", 0\n";
      body += "%flag." + id + " = extractvalue { i4, i1 } %both." + id + ", 1\n";
    }
  }
  const parsed_function p(text + "define void @f(i4 %x, i4 %y) {\n" + body + "ret void\n}\n");
  const llvm_ssa ir = p.view({.copies_fields = true});
  int wrong = 0;
  int known = 0;
  for (const std::string name : names) {
    const bool is_signed = name[0] == 's';
    for (int c = -8; c != 9; ++c) {
      const std::string id = name + "." + std::to_string(c + 8);
      const value_id result = named(ir, ("result." + id).c_str());
      const value_id flag = named(ir, ("flag." + id).c_str());
      const bool has_flag = ir.operation(flag).code != operation::other;
      known += has_flag ? 1 : 0;
      wrong += has_flag == ((c == 8 && name != "usub") || name == "smul") ? 1 : 0;
      for (int x = 0; x != 16; ++x) {
        for (int y = c == 8 ? 0 : c & 15; y != (c == 8 ? 16 : (c & 15) + 1); ++y) {
          const int a = is_signed && x > 7 ? x - 16 : x;
          const int b = is_signed && y > 7 ? y - 16 : y;
          const int exact = name.ends_with("add") ? a + b : name.ends_with("sub") ? a - b : a * b;
          const bool overflows = is_signed ? exact < -8 || exact > 7 : exact < 0 || exact > 15;
          const std::uint64_t args[] = {static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)};
          wrong += ir.fold(result, args) != static_cast<std::uint64_t>(exact & 15) ? 1 : 0;
          if (has_flag) {
            const std::uint64_t compared[] = {args[0], c == 8 ? args[1] : *ir.constant(ir.operands(flag)[1])};
            wrong += ir.fold(flag, compared) != std::uint64_t{overflows} ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(known == 5 * 16 + 1);
}

TEST_CASE("sccp: the size of an array in a known range does not overflow") {
  const parsed_function p(R"(
    declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
    define i64 @f(i64 %any) {
      %n = and i64 %any, 1023
      %both = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %n, i64 12)
      %overflows = extractvalue { i64, i1 } %both, 1
      %bytes = extractvalue { i64, i1 } %both, 0
      %size = select i1 %overflows, i64 -1, i64 %bytes
      %fits = icmp ult i64 %size, 12277
      %some = icmp ult i64 %size, 12276
      ret i64 %size
    }
  )");
  const llvm_ssa ir = p.view({.copies_fields = true});
  const auto found = midend::sccp(ir, midend::number_domain());
  CHECK(found.constant(named(ir, "overflows")) == 0);
  CHECK(found.constant(named(ir, "fits")) == 1);
  CHECK_FALSE(found.constant(named(ir, "some")));
  const llvm_ssa as_it_is = p.view();
  CHECK_FALSE(midend::sccp(as_it_is, midend::number_domain()).constant(named(as_it_is, "overflows")));
}
