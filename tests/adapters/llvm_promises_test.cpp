// llvm_ssa: what LLVM promises of numbers, fields of aggregates, and what sccp makes of both.
#include "kit/llvm_functions.hpp"

#include <midend/adapters/llvm.hpp>
#include <midend/adapters/llvm_package_editor.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/package/verify_memory_redundancy.hpp>
#include <midend/ssa/sccp.hpp>

#include <doctest/doctest.h>

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

using namespace midend_tests;
using midend::llvm_ssa;
using midend::no_value;
using midend::number_range;
using midend::operation;
using midend::value_id;

namespace {

struct parsed_function : parsed_llvm {
  using parsed_llvm::parsed_llvm;

  llvm_ssa view(const midend::llvm_fold_options& options = {}) const { return llvm_ssa(f(), options); }
};

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

TEST_CASE("sccp: an insertvalue into an aggregate without fields is a constant with undefined ones") {
  const parsed_function p(R"(
    define { i64, i8 } @f(i64 %any) {
      %one = insertvalue { i64, i8 } poison, i64 1, 0
      %both = insertvalue { i64, i8 } %one, i8 2, 1
      %field = extractvalue { i64, i8 } %both, 0
      %unset = insertvalue { i64, i8 } undef, i64 undef, 0
      %second = insertvalue { i64, i8 } %unset, i8 3, 1
      %varies = insertvalue { i64, i8 } poison, i64 %any, 0
      %late = insertvalue { i64, i8 } %varies, i8 2, 1
      ret { i64, i8 } %both
    }
  )");
  const llvm_ssa ir = p.view({.copies_fields = true});
  const auto found = midend::sccp(ir, midend::number_domain(), {.undefined = midend::undef_policy::any_value});
  const auto text = [&](const char* name) {
    const auto bits = found.constant(named(ir, name));
    std::string out;
    llvm::raw_string_ostream stream(out);
    if (bits) {
      midend::llvm_constant(ir.value(named(ir, name))->getType(), *bits)->print(stream);
    }
    return out;
  };
  CHECK(text("one") == "{ i64, i8 } { i64 1, i8 undef }");
  CHECK(text("both") == "{ i64, i8 } { i64 1, i8 2 }");
  CHECK(found.constant(named(ir, "field")) == 1);
  CHECK(found.is_undefined(named(ir, "unset")));
  CHECK(text("second") == "{ i64, i8 } { i64 undef, i8 3 }");
  CHECK_FALSE(found.constant(named(ir, "varies")));
  CHECK_FALSE(found.constant(named(ir, "late")));
  CHECK_FALSE(found.is_undefined(named(ir, "late")));
  const auto with_top = midend::sccp(ir, midend::number_domain());
  CHECK(with_top.constant(named(ir, "both")) == found.constant(named(ir, "both")));
  const llvm_ssa as_it_is = p.view();
  CHECK_FALSE(midend::sccp(as_it_is, midend::number_domain()).constant(named(as_it_is, "one")));
}

TEST_CASE("sccp: a load of constant memory that is undefined is undefined") {
  const parsed_function p(R"(
    @half = constant { i8, i8 } { i8 undef, i8 7 }
    @changed = global { i8, i8 } { i8 undef, i8 7 }
    define void @f() {
      %first = load i8, ptr @half
      %second = load i8, ptr getelementptr (i8, ptr @half, i64 1)
      %ordered = load atomic i8, ptr @half seq_cst, align 1
      %other = load i8, ptr @changed
      ret void
    }
  )");
  const llvm_ssa ir = p.view({.copies_fields = true});
  const auto found = midend::sccp(ir, midend::number_domain(), {.undefined = midend::undef_policy::any_value});
  CHECK(found.is_undefined(named(ir, "first")));
  CHECK(found.constant(named(ir, "second")) == 7);
  for (const char* name : {"ordered", "other"}) {
    CHECK_MESSAGE(!found.is_undefined(named(ir, name)), name);
    CHECK_MESSAGE(!found.constant(named(ir, name)), name);
  }
}

TEST_CASE("sccp: what is above a number that was extended to a wide integer") {
  const parsed_function p(R"(
    define void @f(i64 %x, i128 %y) {
      %whole = zext i64 %x to i128
      %high = lshr i128 %whole, 64
      %second = trunc i128 %high to i64
      %last.bit = lshr i128 %whole, 63
      %poison = lshr i128 %whole, 128
      %unknown = lshr i128 %y, 64
      %signed = sext i64 %x to i128
      %sign = lshr i128 %signed, 64
      ret void
    }
  )");
  const llvm_ssa ir = p.view({.copies_fields = true});
  const auto found = midend::sccp(ir, midend::number_domain());
  CHECK(found.constant(named(ir, "second")) == 0);
  for (const char* name : {"last.bit", "poison", "unknown", "sign"}) {
    CHECK_MESSAGE(!found.constant(named(ir, name)), name);
  }
}

TEST_CASE("sccp: the distance of two constant pointers into an object") {
  const parsed_function p(R"(
    @table = constant [3 x { ptr, i64 }] zeroinitializer
    @other = constant i8 0
    define void @f(i1 %c, ptr %given, i64 %number) {
    entry:
      %begin = ptrtoint ptr @table to i64
      br i1 %c, label %left, label %right
    left:
      br label %join
    right:
      br label %join
    join:
      %p = phi ptr [ @table, %left ], [ getelementptr ([3 x { ptr, i64 }], ptr @table, i64 0, i64 0), %right ]
      %q = phi ptr [ @table, %left ], [ @other, %right ]
      %at = ptrtoint ptr %p to i64
      %past = ptrtoint ptr %q to i64
      %low = ptrtoint ptr %p to i32
      %bytes = sub i64 ptrtoint (ptr getelementptr (i8, ptr @table, i64 48) to i64), %at
      %count = sdiv exact i64 %bytes, 16
      %back = sub i64 %begin, ptrtoint (ptr getelementptr (i8, ptr @table, i64 48) to i64)
      %few = sub i32 ptrtoint (ptr getelementptr (i8, ptr @table, i64 5) to i32), %low
      %objects = sub i64 ptrtoint (ptr @other to i64), %at
      %either = sub i64 %past, %begin
      %unknown = ptrtoint ptr %given to i64
      %distance = sub i64 %unknown, %begin
      %mixed = sub i64 %begin, %number
      %same = sub i64 %number, %number
      ret void
    }
  )");
  const llvm_ssa ir = p.view({.subtracts_addresses = true});
  const auto found = midend::sccp(ir, midend::number_domain());
  CHECK(found.constant(named(ir, "bytes")) == 48);
  CHECK(found.constant(named(ir, "count")) == 3);
  CHECK(found.constant(named(ir, "back")) == static_cast<std::uint64_t>(-48));
  CHECK(found.constant(named(ir, "few")) == 5);
  for (const char* name : {"objects", "either", "distance", "mixed"}) {
    CHECK_MESSAGE(!found.constant(named(ir, name)), name);
  }
  CHECK(ir.operation(named(ir, "mixed")).code == operation::sub);
  CHECK(ir.operation(named(ir, "same")).code == operation::sub);
  const llvm_ssa as_it_is = p.view();
  CHECK(as_it_is.operation(named(as_it_is, "bytes")).code == operation::sub);
  CHECK_FALSE(midend::sccp(as_it_is, midend::number_domain()).constant(named(as_it_is, "count")));
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

TEST_CASE("llvm_ssa: flags of overflow intrinsics whose first operand is a literal, all numbers of four bits") {
  std::string text;
  std::string body;
  for (const std::string name : {"uadd", "sadd", "umul", "usub", "ssub", "smul"}) {
    text += "declare { i4, i1 } @llvm." + name + ".with.overflow.i4(i4, i4)\n";
    for (int c = -8; c != 8; ++c) {
      const std::string literal = std::to_string(c);
      const std::string id = name + "." + std::to_string(c + 8);
      for (const bool is_first : {false, true}) {
        const std::string both = (is_first ? "%first." : "%second.") + id;
        body += both + " = call { i4, i1 } @llvm." + name + ".with.overflow.i4(i4 " +
                (is_first ? literal + ", i4 %x)\n" : "%x, i4 " + literal + ")\n");
        body += "%flag." + both.substr(1) + " = extractvalue { i4, i1 } " + both + ", 1\n";
      }
    }
  }
  const parsed_function p(text + "define void @f(i4 %x) {\n" + body + "ret void\n}\n");
  const llvm_ssa ir = p.view({.copies_fields = true});
  int wrong = 0;
  for (const std::string name : {"uadd", "sadd", "umul"}) { // their operands may be exchanged
    for (int c = 0; c != 16; ++c) {
      const std::string id = name + "." + std::to_string(c);
      const value_id first = named(ir, ("flag.first." + id).c_str());
      const value_id second = named(ir, ("flag.second." + id).c_str());
      wrong += ir.operation(first) == ir.operation(second) && ir.operation(first).code != operation::other ? 0 : 1;
      wrong += std::ranges::equal(ir.operands(first), ir.operands(second)) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(ir.operation(named(ir, "flag.first.ssub.3")).code == operation::other);
  CHECK(ir.operation(named(ir, "flag.first.smul.3")).code == operation::other);
  const value_id borrow = named(ir, "flag.first.usub.3"); // -5 - x
  CHECK(ir.operation(borrow).code == operation::uless);
  CHECK(ir.constant(ir.operands(borrow)[0]) == 11);
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

TEST_CASE("memory_redundancy: a load that gets new readers promises no more than what they read") {
  const char* const text = R"(
    define i32 @f(ptr %p) {
      %a = load i32, ptr %p, !range !0
      %b = load i32, ptr %p
      %c = load i32, ptr %p, align 2
      %s = add i32 %b, %c
      ret i32 %s
    }
    !0 = !{ i32 0, i32 10 }
  )";
  for (const bool drops : {true, false}) {
    const parsed_function p(text);
    llvm::Function& f = *p.module->getFunction("f");
    llvm::ValueToValueMapTy map;
    const midend::llvm_package_editor before(*llvm::CloneFunction(&f, map));
    midend::llvm_package_editor editor(f);
    const midend::memory_plan plan = midend::plan_memory_redundancy(editor);
    REQUIRE(plan.witness.loads.size() == 2);
    if (drops) {
      midend::apply_memory_redundancy(editor, plan);
      CHECK(!llvm::cast<llvm::Instruction>(editor.value(0))->hasMetadata());
    } else { // as it was done
      for (const midend::known_load& l : plan.witness.loads) {
        editor.replace_uses(l.load, l.value);
        editor.erase_value(l.load);
      }
    }
    const midend::memory_verdict verdict = midend::verify_memory_redundancy(before, editor, plan.witness);
    CHECK(verdict.fault == (drops ? midend::change_fault::none : midend::change_fault::changed_operation));
  }
}
