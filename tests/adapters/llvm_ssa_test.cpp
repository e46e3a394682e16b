// llvm_ssa: what it says of functions of LLVM, and folding against LLVM's own.
#include "kit/allocations.hpp"
#include "kit/test_graph.hpp"

#include <midend/adapters/llvm.hpp>
#include <midend/graph/check_graph.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::llvm_ssa;
using midend::no_value;
using midend::operation;
using midend::value_id;

namespace {

struct parsed {
  explicit parsed(const std::string& text) : module(llvm::parseAssemblyString(text, problem, context)) {
    REQUIRE_MESSAGE(module, problem.getMessage().str());
    REQUIRE(!llvm::verifyModule(*module, &llvm::errs()));
  }

  const llvm::Function& function(const char* name = "f") const { return *module->getFunction(name); }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
};

/// A value by its name in the text.
value_id named(const llvm_ssa& ir, const char* name) {
  for (value_id v = 0; v != ir.num_values(); ++v) {
    if (ir.value(v)->getName() == name) {
      return v;
    }
  }
  return no_value;
}

std::vector<std::string> names(const llvm_ssa& ir, std::span<const value_id> values) {
  std::vector<std::string> out;
  for (const value_id v : values) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    ir.value(v)->printAsOperand(stream, false);
    out.push_back(text);
  }
  return out;
}

using strings = std::vector<std::string>;
using bits = std::optional<std::uint64_t>;

/// The first thing that the view says otherwise than LLVM's instructions, or nothing.
std::string difference(const llvm_ssa& ir, const llvm::Function& f) {
  node_id n = 0;
  value_id v = 0;
  for (const llvm::BasicBlock& b : f) {
    if (ir.block(n) != &b || ir.node(&b) != n || *ir.values(n).begin() != v) {
      return join("block ", n);
    }
    const auto* const end = b.getTerminator();
    std::size_t position = 0;
    for (const edge_id e : ir.graph().out_edges(n)) {
      if (ir.block(ir.graph().edge_target(e)) != end->getSuccessor(static_cast<unsigned>(position++))) {
        return join("edge ", e);
      }
    }
    if (position != end->getNumSuccessors()) {
      return join("successors of ", n);
    }
    for (const llvm::Instruction& i : b) {
      if (ir.value(v) != &i || ir.number(&i) != v || ir.is_phi(v) != llvm::isa<llvm::PHINode>(i)) {
        return join("value ", v);
      }
      std::vector<const llvm::Value*> read;
      if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
        for (const edge_id e : ir.graph().in_edges(n)) {
          read.push_back(phi->getIncomingValueForBlock(ir.block(ir.graph().edge_source(e))));
          if (ir.value(ir.phi_input(v, e)) != read.back()) {
            return join("input by edge ", e, " of ", v);
          }
        }
      } else if (const auto* const branch = llvm::dyn_cast<llvm::SwitchInst>(&i)) {
        read.push_back(branch->getCondition());
      } else {
        for (const llvm::Value* o : i.operand_values()) {
          if (!llvm::isa<llvm::BasicBlock, llvm::MetadataAsValue, llvm::InlineAsm>(o)) {
            read.push_back(o);
          }
        }
      }
      const auto same = [&](value_id a, const llvm::Value* o) { return ir.value(a) == o && ir.number(o) == a; };
      if (!std::ranges::equal(ir.operands(v), read, same)) {
        return join("operands of ", v);
      }
      ++v;
    }
    ++n;
  }
  for (const llvm::Argument& a : f.args()) {
    if (ir.value(v) != &a || ir.number(&a) != v) {
      return join("argument ", v);
    }
    ++v;
  }
  if (*ir.parameters().end() != v || ir.parameters().size() != f.arg_size()) {
    return "parameters";
  }
  for (; v != ir.num_values(); ++v) {
    if (!llvm::isa<llvm::Constant>(ir.value(v)) || ir.number(ir.value(v)) != v || !ir.operands(v).empty()) {
      return join("constant ", v);
    }
  }
  return n == ir.graph().num_nodes() ? "" : "number of nodes";
}

/// A function `f` of two arguments of `type` whose entry computes `%v` and returns it.
parsed computing(const std::string& type, const std::string& operation, const std::string& result) {
  return parsed("declare " + type + " @llvm.smin." + type + "(" + type + ", " + type + ")\ndeclare " + type +
                " @llvm.smax." + type + "(" + type + ", " + type + ")\ndeclare " + type + " @llvm.umin." + type + "(" +
                type + ", " + type + ")\ndeclare " + type + " @llvm.umax." + type + "(" + type + ", " + type +
                ")\ndefine " + result + " @f(" + type + " %a, " + type + " %b, i1 %c) {\n  %v = " + operation +
                "\n  ret " + result + " %v\n}\n");
}

/// Numbers of a width that are likely to be special, or all.
std::vector<std::uint64_t> samples(unsigned width) {
  std::vector<std::uint64_t> out;
  if (width <= 4) {
    for (std::uint64_t i = 0; i != std::uint64_t{1} << width; ++i) {
      out.push_back(i);
    }
    return out;
  }
  const std::uint64_t ones = midend::low_ones(width);
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  for (const std::uint64_t near : {std::uint64_t{0}, top, std::uint64_t{width}, std::uint64_t{0x55}}) {
    for (const std::uint64_t distance : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, ~std::uint64_t{0}}) {
      out.push_back((near + distance) & ones);
    }
  }
  return out;
}

/// Whether the view and LLVM fold `%v` alike; LLVM's folder does not look at promises. Counts what was folded.
void compare_folds(const std::string& type, const std::string& text, const std::string& result, bool promises,
                   std::size_t& folded) {
  const parsed p = computing(type, text, result);
  const llvm_ssa ir(p.function());
  REQUIRE(difference(ir, p.function()) == "");
  const value_id v = named(ir, "v");
  auto* const i = llvm::cast<llvm::Instruction>(const_cast<llvm::Value*>(ir.value(v)));
  CHECK(ir.operation(v).code != operation::other);
  const unsigned width = llvm::cast<llvm::IntegerType>(p.function().getArg(0)->getType())->getBitWidth();
  for (const std::uint64_t a : samples(width)) {
    for (const std::uint64_t b : samples(width)) {
      std::vector<std::uint64_t> args;
      llvm::SmallVector<llvm::Constant*> constants;
      for (const value_id o : ir.operands(v)) {
        const bits literal = ir.constant(o);
        const std::uint64_t number = literal ? *literal : o == named(ir, "a") ? a : o == named(ir, "b") ? b : a & 1;
        args.push_back(number);
        constants.push_back(midend::llvm_constant(const_cast<llvm::Type*>(ir.value(o)->getType()), number));
      }
      const bits ours = ir.fold(v, args);
      const llvm::Constant* const c = llvm::ConstantFoldInstOperands(i, constants, p.module->getDataLayout());
      const bits theirs = c == nullptr ? bits() : midend::llvm_constant_bits(c);
      const bool same = ours.has_value() == theirs.has_value() && ours.value_or(0) == theirs.value_or(0);
      if (!same && !(promises && !ours)) {
        FAIL_CHECK(type << " " << text << " of " << a << " and " << b);
      }
      folded += ours.has_value();
    }
  }
}

} // namespace

TEST_CASE("llvm_ssa: blocks, values, operands and conditions") {
  const parsed p(R"(
    @g = global i32 5
    declare i64 @llvm.read_register.i64(metadata)
    declare i32 @h(i32)
    define i32 @f(i32 %x, ptr %p) {
    entry:
      %late = load i32, ptr %p
      br label %tail
    head:
      %sum = add nsw i32 %x, 7
      %c = icmp slt i32 %sum, %early
      br i1 %c, label %exit, label %head
    tail:
      %early = mul i32 %x, 7
      call i32 @h(i32 %early)
      call i64 @llvm.read_register.i64(metadata !{!"sp"})
      br label %head
    exit:
      store i32 %sum, ptr @g
      ret i32 7
    }
    declare void @empty()
  )");
  const llvm_ssa ir(p.function());
  CHECK(difference(ir, p.function()) == "");
  CHECK(ir.num_instructions() == 11);
  CHECK(names(ir, ir.operands(named(ir, "sum"))) == strings{"%x", "7"});
  CHECK(names(ir, ir.operands(named(ir, "c"))) == strings{"%sum", "%early"});
  CHECK(names(ir, ir.operands(6)) == strings{"%early", "@h"});
  CHECK(names(ir, ir.operands(7)) == strings{"@llvm.read_register.i64"});
  CHECK(names(ir, ir.operands(9)) == strings{"%sum", "@g"});
  CHECK(ir.condition(1) == named(ir, "c"));
  CHECK(ir.condition(0) == no_value);
  CHECK(ir.condition(3) == no_value);
  CHECK(ir.number(p.function().getParent()->getFunction("empty")) == no_value);
  CHECK(ir.number(ir.block(0)) == no_value);
  CHECK(ir.operation(named(ir, "sum")) == midend::operation_info{operation::add, 32, 32, {true, false}});
  CHECK(ir.operation(named(ir, "c")) == midend::operation_info{operation::less, 1, 32});
  CHECK(ir.operation(named(ir, "late")) == midend::operation_info{operation::other, 32, 32});
  CHECK(ir.operation(named(ir, "x")) == midend::operation_info{operation::other, 32, 32});
  CHECK(ir.constant(ir.operands(named(ir, "sum"))[1]) == bits(7));
  CHECK(!ir.constant(named(ir, "x")));
  CHECK(ir.edge_case(ir.graph().offsets()[1]) == bits(1));
  CHECK(ir.edge_case(ir.graph().offsets()[1] + 1) == bits(0));

  llvm_ssa again(p.function("empty"));
  CHECK(again.graph().num_nodes() == 0);
  CHECK(again.num_values() == 0);
  again.assign(p.function());
  CHECK(difference(again, p.function()) == "");
}

TEST_CASE("llvm_ssa: phis with an input for each of several parallel edges, entries in any order") {
  const parsed p(R"(
    define i32 @f(i32 %x, i64 %y) {
    entry:
      switch i32 %x, label %join [ i32 1, label %join
                                   i32 -2, label %other
                                   i32 3, label %join ]
    other:
      switch i64 %y, label %end [ i64 -1, label %join ]
    join:
      %a = phi i32 [ 5, %entry ], [ 6, %other ], [ 5, %entry ], [ 5, %entry ]
      %b = phi i32 [ 8, %other ], [ %x, %entry ], [ %x, %entry ], [ %x, %entry ]
      %c = phi i32 [ undef, %other ], [ 9, %entry ], [ 9, %entry ], [ 9, %entry ]
      ret i32 %a
    end:
      ret i32 0
    dead:
      %first = add i32 %second, 1
      %second = add i32 %first, 1
      br label %dead
    }
  )");
  const llvm_ssa ir(p.function());
  CHECK(difference(ir, p.function()) == "");
  CHECK(names(ir, ir.operands(named(ir, "a"))) == strings{"5", "5", "5", "6"});
  CHECK(names(ir, ir.operands(named(ir, "b"))) == strings{"%x", "%x", "%x", "8"});
  CHECK(names(ir, ir.operands(named(ir, "c"))) == strings{"9", "9", "9", "undef"});
  CHECK(names(ir, ir.operands(named(ir, "first"))) == strings{"%second", "1"});
  CHECK(ir.phi_input(named(ir, "a"), 5) == ir.operands(named(ir, "a"))[3]);
}

TEST_CASE("llvm_ssa: operands that come later in the function, in one that is larger than the one before") {
  std::string text = "define i32 @small(i32 %a) {\n  ret i32 %a\n}\n"
                     "define i32 @f(i32 %a) {\n  br label %second\n"
                     "first:\n  %sum = add i32 %last, 7\n  %both = mul i32 %sum, %last\n  ret i32 %both\n"
                     "second:\n  %x0 = add i32 %a, 7\n";
  for (unsigned i = 0; i != 300; ++i) { // many instructions in one block, with many operands
    text += join("  %x", i + 1, " = add i32 %x", i, ", ", i + 100, "\n");
  }
  text += "  %last = sub i32 %x300, %a\n  br label %first\n}\n";
  const parsed code(text);
  llvm_ssa ir(code.function("small"));
  CHECK(difference(ir, code.function("small")) == "");
  ir.assign(code.function());
  CHECK(difference(ir, code.function()) == "");
  CHECK(names(ir, ir.operands(named(ir, "sum"))) == strings{"%last", "7"});
  CHECK(named(ir, "sum") < named(ir, "last"));
  CHECK(ir.num_values() == ir.num_instructions() + 1 + 301); // 7 is used twice
  ir.assign(code.function("small"));
  CHECK(difference(ir, code.function("small")) == "");
}

TEST_CASE("llvm_ssa: what an undefined value is, and freeze") {
  const parsed p(R"(
    @g = external global i32
    define i64 @f(i64 %x) {
      %a = add i64 undef, poison
      %b = freeze i64 %x
      %c = add i64 ptrtoint (ptr @g to i64), %b
      %d = select i1 true, ptr null, ptr @g
      %e = insertvalue { i32, float } undef, i32 1, 0
      ret i64 %c
    }
  )");
  const llvm_ssa ir(p.function());
  CHECK(difference(ir, p.function()) == "");
  for (const value_id v : ir.operands(named(ir, "a"))) {
    CHECK(ir.is_undefined(v));
    CHECK(!ir.constant(v));
  }
  CHECK(!ir.is_undefined(named(ir, "x")));
  CHECK(ir.operation(named(ir, "b")).code == operation::other);
  CHECK(ir.fold(named(ir, "b"), std::array<std::uint64_t, 1>{9}) == bits(9));
  const value_id address = ir.operands(named(ir, "c"))[0];
  CHECK(ir.is_number(address));
  CHECK(!ir.constant(address)); // the linker knows
  const auto choice = ir.operands(named(ir, "d"));
  CHECK(ir.operation(named(ir, "d")).code == operation::select);
  CHECK(!ir.is_number(named(ir, "d")));
  REQUIRE(ir.constant(choice[1]));
  REQUIRE(ir.constant(choice[2]));
  CHECK(ir.constant(choice[1]) != ir.constant(choice[2]));
  CHECK(ir.fold(named(ir, "d"), std::array{std::uint64_t{0}, *ir.constant(choice[1]), *ir.constant(choice[2])}) ==
        ir.constant(choice[2]));
  CHECK(midend::llvm_constant(ir.value(choice[2])->getType(), *ir.constant(choice[2])) == p.module->getNamedValue("g"));
}

TEST_CASE("llvm_ssa: cases of switches, and branches on what is no number") {
  const parsed p(R"(
    define void @f(i32 %x, i64 %y, i128 %z, ptr %p) {
    entry:
      switch i32 %x, label %a [ i32 1, label %b
                                i32 -2, label %b
                                i32 3, label %a ]
    a:
      switch i64 %y, label %b [ i64 -1, label %c ]
    b:
      switch i128 %z, label %c [ i128 1, label %d ]
    c:
      indirectbr ptr %p, [label %c, label %d]
    d:
      switch i32 %x, label %e []
    e:
      ret void
    }
  )");
  const llvm_ssa ir(p.function());
  CHECK(difference(ir, p.function()) == "");
  CHECK(ir.condition(0) == named(ir, "x"));
  CHECK(ir.condition(1) == named(ir, "y"));
  CHECK(ir.condition(2) == no_value);
  CHECK(ir.condition(3) == no_value);
  CHECK(ir.condition(4) == no_value);
  CHECK(names(ir, ir.operands(0)) == strings{"%x"});
  CHECK(names(ir, ir.operands(3)) == strings{"%p"});
  std::vector<bits> cases;
  for (const node_id n : {0U, 1U}) {
    for (const edge_id e : ir.graph().out_edges(n)) {
      cases.push_back(ir.edge_case(e));
    }
  }
  CHECK(cases == std::vector<bits>{{}, 1, 0xffff'fffe, 3, {}, ~std::uint64_t{0}});
}

TEST_CASE("llvm_ssa: exceptional edges") {
  const parsed p(R"(
    declare i32 @g(i32)
    declare i32 @personality(...)
    define i32 @f(i32 %x) personality ptr @personality {
    entry:
      %v = invoke i32 @g(i32 %x) to label %fine unwind label %pad
    fine:
      ret i32 %v
    pad:
      %l = landingpad { ptr, i32 } cleanup
      resume { ptr, i32 } %l
    }
  )");
  const llvm_ssa ir(p.function());
  CHECK(difference(ir, p.function()) == "");
  CHECK(ir.condition(0) == no_value);
  CHECK(names(ir, ir.operands(0)) == strings{"%x", "@g"});
  CHECK(!ir.is_exceptional(0));
  CHECK(ir.is_exceptional(1));
  const std::uint64_t callee = *ir.constant(ir.operands(0)[1]);
  CHECK(!ir.fold(0, std::array<std::uint64_t, 2>{1, callee}));
}

TEST_CASE("llvm_ssa: integer operations fold as LLVM folds them") {
  std::size_t folded = 0;
  for (const std::string type : {"i1", "i3", "i8", "i33", "i64"}) {
    for (const std::string code :
         {"add",      "sub",      "mul",      "sdiv",     "udiv",     "srem",     "urem",    "and",
          "or",       "xor",      "shl",      "lshr",     "ashr",     "icmp eq",  "icmp ne", "icmp slt",
          "icmp sle", "icmp sgt", "icmp sge", "icmp ult", "icmp ule", "icmp ugt", "icmp uge"}) {
      const bool overflows =
          type == "i1" && (code == "sdiv" || code == "srem"); // LLVM takes -1 / -1 for -1, which it is not
      compare_folds(type, code + " " + type + " %a, %b", code[0] == 'i' ? "i1" : type, overflows, folded);
    }
    for (const std::string name : {"smin", "smax", "umin", "umax"}) {
      const std::string call = "call " + type + " @llvm." + name + "." + type + "(" + type + " %a, " + type + " %b)";
      compare_folds(type, call, type, false, folded);
    }
    for (const std::string code : {"add", "sub", "mul", "shl"}) {
      for (const std::string flags : {" nsw ", " nuw ", " nuw nsw "}) {
        compare_folds(type, code + flags + type + " %a, %b", type, true, folded);
      }
    }
    compare_folds(type, "select i1 %c, " + type + " %a, " + type + " %b", type, false, folded);
    if (type != "i1") {
      compare_folds(type, "trunc " + type + " %a to i2", "i2", false, folded);
    }
    if (type != "i64") {
      compare_folds(type, "zext " + type + " %a to i64", "i64", false, folded);
      compare_folds(type, "sext " + type + " %a to i64", "i64", false, folded);
      compare_folds(type, "sext " + type + " %a to i60", "i60", false, folded);
    }
  }
  CHECK(folded > 20'000);
}

TEST_CASE("llvm_ssa: broken promises fold to nothing, kept ones to what LLVM says") {
  for (const auto& [code, a, b, kept] :
       std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t, bool>>{{"add nsw", 100, 27, true},
                                                                                {"add nsw", 100, 28, false},
                                                                                {"add nuw", 200, 55, true},
                                                                                {"add nuw", 200, 56, false},
                                                                                {"sub nuw", 5, 6, false},
                                                                                {"sub nsw", 0x80, 1, false},
                                                                                {"mul nuw nsw", 16, 8, false},
                                                                                {"mul nuw", 16, 8, true},
                                                                                {"shl nsw", 0xc0, 1, true},
                                                                                {"shl nuw", 0xc0, 1, false},
                                                                                {"shl", 1, 8, false},
                                                                                {"sdiv", 0x80, 0xff, false},
                                                                                {"udiv", 1, 0, false}}) {
    const parsed p = computing("i8", code + " i8 %a, %b", "i8");
    const llvm_ssa ir(p.function());
    CHECK_MESSAGE(ir.fold(0, std::array{a, b}).has_value() == kept, code);
  }
}

TEST_CASE("llvm_ssa: what has no word is folded by LLVM") {
  const parsed p(R"(
    @table = private constant [3 x i16] [i16 10, i16 20, i16 30]
    @variable = global i16 5
    declare double @llvm.floor.f64(double)
    declare i16 @llvm.ctpop.i16(i16)
    define double @f(double %x, ptr %q, i16 %k, i128 %w) {
      %sum = fadd double %x, 0.5
      %less = fcmp olt double %sum, %x
      %nan = fdiv double %x, %sum
      %whole = call double @llvm.floor.f64(double %sum)
      %bits = bitcast double %x to i64
      %element = getelementptr i16, ptr @table, i64 %bits
      %loaded = load i16, ptr %element
      %volatile = load volatile i16, ptr %element
      %changing = load i16, ptr @variable
      %same = icmp eq ptr %q, @table
      %ones = call i16 @llvm.ctpop.i16(i16 %k)
      %wide = add i128 %w, 1
      %part = trunc i128 %wide to i16
      %pair = insertvalue { i16, i1 } poison, i16 %k, 0
      %first = extractvalue { i16, i1 } %pair, 0
      %vector = insertelement <2 x i16> zeroinitializer, i16 %k, i32 1
      %back = extractelement <2 x i16> %vector, i32 1
      %asm = call i16 asm "", "=r,r"(i16 %k)
      ret double %whole
    }
  )");
  llvm_ssa ir(p.function());
  CHECK(difference(ir, p.function()) == "");
  llvm::LLVMContext& context = const_cast<llvm::LLVMContext&>(p.context);
  const auto number = [&](double d) {
    return *midend::llvm_constant_bits(llvm::ConstantFP::get(llvm::Type::getDoubleTy(context), d));
  };
  // Constants where the operand is one, the given numbers for the others in their order.
  const auto fold = [&](const char* name, std::vector<std::uint64_t> given) {
    const value_id v = named(ir, name);
    CHECK(ir.operation(v).code == operation::other);
    std::vector<std::uint64_t> args;
    for (const value_id o : ir.operands(v)) {
      if (const bits literal = ir.constant(o)) {
        args.push_back(*literal);
      } else if (!given.empty()) {
        args.push_back(given.front());
        given.erase(given.begin());
      }
    }
    return ir.fold(v, args);
  };
  CHECK(fold("sum", {number(1.75)}) == bits(number(2.25)));
  CHECK(fold("less", {number(2.25), number(1.75)}) == bits(0));
  CHECK(fold("less", {number(1), number(1.75)}) == bits(1));
  CHECK(!fold("whole", {number(2.25)}));
  CHECK(!fold("nan", {number(0.0), number(0.0)}));
  ir.assign(p.function(), {.any_right_result = true});
  CHECK(fold("whole", {number(2.25)}) == bits(number(2)));
  CHECK(fold("nan", {number(0.0), number(0.0)}));
  CHECK(fold("bits", {number(0.0)}) == bits(0));
  const bits element = fold("element", {1});
  REQUIRE(element);
  CHECK(fold("loaded", {*element}) == bits(20));
  CHECK(!fold("volatile", {*element}));
  CHECK(!fold("changing", {}));
  const bits null = midend::llvm_constant_bits(llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0)));
  CHECK(fold("same", {*null}) == bits(0));
  CHECK(fold("same", {*fold("element", {0})}) == bits(1));
  CHECK(fold("ones", {0x0137}) == bits(6));
  const auto wide = [&](std::uint64_t n) {
    return *midend::llvm_constant_bits(llvm::ConstantInt::get(llvm::Type::getInt128Ty(context), n));
  };
  CHECK(fold("wide", {wide(41)}) == bits(wide(42)));
  CHECK(fold("part", {wide(0x10002)}) == bits(2));
  CHECK(fold("back", {*fold("vector", {77})}) == bits(77));
  CHECK(!fold("asm", {1}));
  CHECK(ir.constant(ir.operands(named(ir, "sum"))[1]) == bits(number(0.5)));
  CHECK(number(0.0) != number(-0.0));
}

TEST_CASE("llvm_ssa: the functions of a file") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseIRFile(MIDEND_TEST_DATA "/llvm/loops.ll", problem, context);
  REQUIRE(module);
  llvm_ssa ir;
  std::size_t functions = 0;
  for (const llvm::Function& f : *module) {
    if (!f.isDeclaration()) {
      ir.assign(f);
      ++functions;
      CHECK_MESSAGE(difference(ir, f) == "", f.getName().str());
      CHECK(!midend::check_graph(ir.graph()));
    }
  }
  CHECK(functions > 5);
}

namespace {

/// A loop of so many blocks; each has several operations with constants that no other has, and a phi.
std::string long_function(int blocks) {
  std::string out = "define i64 @f(i64 %a) {\nentry:\n  br label %b0\n";
  for (int n = 0; n != blocks; ++n) {
    const std::string i = std::to_string(n);
    const std::string before = n == 0 ? "%entry" : "%b" + std::to_string(n - 1);
    out +=
        "b" + i + ":\n  %p" + i + " = phi i64 [" + (n == 0 ? "%a" : "%r" + std::to_string(n - 1)) + ", " + before + "]";
    out += n == 0 ? ", [%r" + std::to_string(blocks - 1) + ", %last]\n" : "\n";
    std::string last = "%p" + i;
    for (int k = 0; k != 20; ++k) {
      const std::string next = "%v" + i + "." + std::to_string(k);
      out += "  " + next + " = add i64 " + last + ", " + std::to_string(1000 + 20 * n + k) + "\n";
      last = next;
    }
    out += "  %r" + i + " = xor i64 " + last + ", %a\n";
    out += "  br label " + (n + 1 == blocks ? std::string("%last") : "%b" + std::to_string(n + 1)) + "\n";
  }
  out += "last:\n  %c = icmp eq i64 %r" + std::to_string(blocks - 1) + ", 7\n  br i1 %c, label %b0, label %end\n";
  return out + "end:\n  ret i64 1\n}\n";
}

} // namespace

TEST_CASE("llvm_ssa: small functions need no allocation, larger ones few, and none when they are read again") {
  std::vector<std::unique_ptr<parsed>> programs;
  for (const int blocks : {1, 2, 5, 20, 300}) {
    programs.push_back(std::make_unique<parsed>(long_function(blocks)));
  }
  const parsed small("define i32 @f(i32 %a) {\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n");
  CHECK(allocations_of([&] { static_cast<void>(llvm_ssa(small.function())); }) == 0);
  for (const auto& p : programs) {
    CHECK(allocations_of([&] { static_cast<void>(llvm_ssa(p->function())); }) <= 6);
  }
  llvm_ssa ir;
  const auto round = [&] {
    for (const auto& p : programs) {
      ir.assign(p->function());
    }
  };
  CHECK(allocations_of(round) > 0);
  CHECK(allocations_of(round) == 0);
  for (const auto& p : programs) { // each array was enlarged on the way
    CHECK(difference(llvm_ssa(p->function()), p->function()) == "");
    ir.assign(p->function());
    CHECK(difference(ir, p->function()) == "");
  }
}

TEST_CASE("llvm_ssa: copies and what was moved, small and large, which are then used for other functions") {
  const parsed small("define i32 @f(i32 %a) {\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n");
  const parsed large(long_function(50));
  for (const parsed* const p : {&small, &large}) {
    for (const parsed* const other : {&small, &large}) {
      auto first = std::make_unique<llvm_ssa>(p->function());
      llvm_ssa copy = *first;
      llvm_ssa assigned(other->function());
      assigned = *first;
      llvm_ssa moved = std::move(*first);
      first->assign(other->function()); // NOLINT: any state is allowed
      CHECK(difference(*first, other->function()) == "");
      *first = std::move(moved);
      moved.assign(other->function()); // NOLINT
      CHECK(difference(moved, other->function()) == "");
      CHECK(difference(copy, p->function()) == "");
      CHECK(difference(assigned, p->function()) == "");
      CHECK(difference(*first, p->function()) == "");
      first.reset();
      CHECK(difference(copy, p->function()) == "");
      copy.assign(other->function());
      CHECK(difference(copy, other->function()) == "");
    }
  }
  llvm_ssa empty;
  CHECK(empty.number(&*small.function().arg_begin()) == no_value);
}
