// llvm_cost: classes, effects, addresses, classes of memory, and loop bodies of LLVM's functions.
#include "kit/test_graph.hpp"

#include <midend/adapters/llvm_cost.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/opcode.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/induction/loop_counts.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/machine/cost/run_frequencies.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::effect_kind;
using midend::llvm_cost;
using midend::memory_reference;
using midend::no_value;
using midend::operation;
using midend::value_id;

namespace {

struct parsed {
  explicit parsed(const std::string& text)
      : module(llvm::parseAssemblyString("target datalayout = \"e-p270:32:32-i64:64-n8:16:32:64\"\n" + text, problem,
                                         context)) {
    REQUIRE_MESSAGE(module, problem.getMessage().str());
    REQUIRE(!llvm::verifyModule(*module, &llvm::errs()));
    ir.assign(*module->getFunction("f"));
  }

  std::string name(value_id v) const {
    if (v == no_value) {
      return "-";
    }
    if (v >= ir.ssa().num_values()) {
      return "#" + std::to_string(static_cast<std::int64_t>(*ir.constant(v)));
    }
    if (ir.ssa().value(v)->getType()->isVoidTy()) {
      return "";
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    ir.ssa().value(v)->printAsOperand(stream, false);
    return text;
  }

  value_id named(const char* wanted) const {
    for (value_id v = 0; v != ir.ssa().num_values(); ++v) {
      if (ir.ssa().value(v)->getName() == wanted) {
        return v;
      }
    }
    FAIL("no value " << wanted);
    return no_value;
  }

  /// `add %p #4`, of what the view says that a value computes.
  std::string meaning(const char* wanted) const {
    const value_id v = named(wanted);
    const auto code = ir.operation(v).code;
    std::string text = code == operation::other ? "other" : std::to_string(static_cast<int>(code));
    for (const auto& row : midend::elbrus::opcode_table) {
      text = code != operation::other && row.meaning == code ? std::string(row.name) : text;
    }
    for (const value_id operand : ir.operands(v)) {
      text += " " + name(operand);
    }
    return text;
  }

  std::string cost(const char* wanted) const {
    const auto c = ir.cost(named(wanted));
    return c ? name_of(*c) : "free";
  }

  /// Of the loads and stores of the function, in order: `%p + %i*4 + 8, 4 bytes`.
  std::vector<std::string> places() const {
    std::vector<std::string> out;
    for (value_id v = 0; v != ir.ssa().num_instructions(); ++v) {
      if (const auto place = ir.memory(v)) {
        out.push_back(name(place->base) + " + " + name(place->index) + "*" + std::to_string(place->scale) + " + " +
                      std::to_string(place->offset) + ", " + std::to_string(place->bytes) + " bytes" +
                      (place->stored == no_value ? "" : " = " + name(place->stored)) +
                      (place->is_volatile ? " volatile" : ""));
      }
    }
    return out;
  }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
  llvm_cost ir;
};

TEST_CASE("addresses are additions, and loads go back to their bases") {
  const parsed p("%pair = type { i32, [8 x i16] }\n"
                 "define void @f(ptr %p, i64 %i, i32 %k, ptr %q) {\n"
                 "  %c = getelementptr i8, ptr %p, i64 12\n"
                 "  %b = getelementptr i8, ptr %p, i64 %i\n"
                 "  %s = getelementptr i64, ptr %c, i64 %i\n"
                 "  %n = getelementptr i64, ptr %p, i32 %k\n"
                 "  %t = getelementptr [3 x i32], ptr %p, i64 %i\n"
                 "  %z = getelementptr i8, ptr %p, i64 0\n"
                 "  %m = getelementptr %pair, ptr %p, i64 %i, i32 1, i64 3\n"
                 "  %two = getelementptr i16, ptr %s, i64 %i\n"
                 "  %l1 = load i32, ptr %c\n"
                 "  %l2 = load i8, ptr %b\n"
                 "  %l3 = load volatile i64, ptr %s\n"
                 "  %l4 = load double, ptr %n\n"
                 "  store i32 %l1, ptr %t\n"
                 "  store i16 7, ptr %m\n"
                 "  store i64 %l3, ptr %two\n"
                 "  store ptr %z, ptr %q\n"
                 "  %far = getelementptr i8, ptr %c, i64 -2\n"
                 "  store i8 1, ptr %far\n"
                 "  %both = getelementptr [4 x i8], ptr %p, i64 %i, i32 %k\n"
                 "  store i8 2, ptr %both\n"
                 "  ret void\n"
                 "}\n");
  CHECK(p.meaning("c") == "add %p #12");
  CHECK(p.meaning("b") == "add %p %i");
  CHECK(p.meaning("s") == "shladd %i #3 %c");
  CHECK(p.meaning("n") == "other %p %k"); // the index has to be extended
  CHECK(p.meaning("t") == "other %p %i"); // times 12
  CHECK(p.meaning("z") == "mov %p");
  CHECK(p.places() == std::vector<std::string>{"%p + -*0 + 12, 4 bytes", "%p + %i*1 + 0, 1 bytes",
                                               "%p + %i*8 + 12, 8 bytes volatile", "%p + %k*8 + 0, 8 bytes",
                                               "%p + %i*12 + 0, 4 bytes = %l1", "%p + %i*20 + 10, 2 bytes = 7",
                                               "%s + %i*2 + 0, 8 bytes = %l3", "%q + -*0 + 0, 8 bytes = %z",
                                               "%p + -*0 + 10, 1 bytes = 1", "%both + -*0 + 0, 1 bytes = 2"});
  for (const char* const free : {"b", "n", "t", "m", "two", "z"}) {
    CAPTURE(free);
    CHECK(p.cost(free) == "free"); // and %z is a copy
  }
  CHECK(p.cost("s") == "combined_alu"); // the base of %two, which has another index
  CHECK(p.cost("c") == "alu");          // the base of %s
  CHECK(p.cost("far") == "free");
  CHECK(p.cost("both") == "combined_alu"); // two indices
}

TEST_CASE("addresses that something else needs take an operation") {
  const parsed p("declare void @g(ptr)\n"
                 "define i1 @f(ptr %p, i64 %i, ptr %end) {\n"
                 "entry:\n"
                 "  br label %loop\n"
                 "loop:\n"
                 "  %a = phi ptr [ %p, %entry ], [ %next, %loop ]\n"
                 "  %next = getelementptr i32, ptr %a, i64 1\n"
                 "  %v = load i32, ptr %next\n"
                 "  %passed = getelementptr i32, ptr %a, i64 %i\n"
                 "  call void @g(ptr %passed)\n"
                 "  %done = icmp eq ptr %next, %end\n"
                 "  br i1 %done, label %exit, label %loop\n"
                 "exit:\n"
                 "  %null = icmp ne ptr %p, null\n"
                 "  %number = ptrtoint ptr %p to i64\n"
                 "  %half = ptrtoint ptr %p to i32\n"
                 "  ret i1 %null\n"
                 "}\n");
  CHECK(p.cost("next") == "alu");
  CHECK(p.cost("passed") == "combined_alu");
  CHECK(p.cost("v") == "load");
  CHECK(p.places() == std::vector<std::string>{"%a + -*0 + 4, 4 bytes"});
  CHECK(p.meaning("done") == "cmp.eq %next %end");
  CHECK(p.ir.operation(p.named("done")).operand_width == 64);
  CHECK(p.meaning("null") == "cmp.ne %p null");
  CHECK(p.ir.constant(p.ir.operands(p.named("null"))[1]) == 0u);
  CHECK(p.meaning("number") == "mov %p");
  CHECK(p.meaning("half") == "other %p");
  CHECK(p.cost("half") == "free");
}

TEST_CASE("memory that LLVM can name is a class of its own") {
  const parsed p("@g = global [4 x i32] zeroinitializer\n"
                 "@h = external global i32\n"
                 "declare noalias ptr @fresh()\n"
                 "define void @f(ptr %any, ptr noalias %own, i64 %i) {\n"
                 "  %slot = alloca [4 x i32]\n"
                 "  %new = call ptr @fresh()\n"
                 "  %a = getelementptr i32, ptr %slot, i64 %i\n"
                 "  store i32 0, ptr %a\n"
                 "  store i32 1, ptr %slot\n"
                 "  store i32 2, ptr getelementptr inbounds (i8, ptr @g, i64 4)\n"
                 "  %b = getelementptr i32, ptr @g, i64 %i\n"
                 "  store i32 3, ptr %b\n"
                 "  store i32 4, ptr @h\n"
                 "  store i32 5, ptr %own\n"
                 "  store i32 6, ptr %new\n"
                 "  store i32 7, ptr %any\n"
                 "  ret void\n"
                 "}\n");
  std::vector<std::uint32_t> classes;
  for (value_id v = 0; v != p.ir.ssa().num_instructions(); ++v) {
    if (const auto place = p.ir.memory(v)) {
      classes.push_back(place->memory);
    }
  }
  CHECK(classes == std::vector<std::uint32_t>{0, 0, 1, 1, 2, 3, 4, midend::any_memory});
}

TEST_CASE("classes and effects") {
  const parsed p("declare float @llvm.sqrt.f32(float)\n"
                 "declare double @llvm.fma.f64(double, double, double)\n"
                 "declare double @llvm.floor.f64(double)\n"
                 "declare double @llvm.fabs.f64(double)\n"
                 "declare double @llvm.minnum.f64(double, double)\n"
                 "declare i32 @llvm.smax.i32(i32, i32)\n"
                 "declare i32 @llvm.ctpop.i32(i32)\n"
                 "declare void @llvm.lifetime.start.p0(i64, ptr)\n"
                 "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
                 "declare i32 @pure(i32) memory(none) nounwind willreturn\n"
                 "define void @f(i32 %i, float %x, double %d, ptr %p, ptr addrspace(270) %short, i1 %c) {\n"
                 "  %add = add i32 %i, 1\n"
                 "  %and = and i1 %c, true\n"
                 "  %mul = mul i32 %i, 3\n"
                 "  %wide = sext i32 %i to i64\n"
                 "  %fdiv = fdiv float %x, %x\n"
                 "  %ddiv = fdiv double %d, %d\n"
                 "  %fadd = fadd reassoc nsz double %d, %d\n"
                 "  %strict = fadd double %d, %d\n"
                 "  %int = fptosi double %d to i32\n"
                 "  %real = sitofp i32 %i to float\n"
                 "  %negative = fneg double %d\n"
                 "  %absolute = call double @llvm.fabs.f64(double %d)\n"
                 "  %whole = call double @llvm.floor.f64(double %d)\n"
                 "  %lesser = call double @llvm.minnum.f64(double %d, double %negative)\n"
                 "  %long = fpext double %d to x86_fp80\n"
                 "  %quotient = fdiv x86_fp80 %long, %long\n"
                 "  %less = fcmp olt double %d, %d\n"
                 "  %root = call float @llvm.sqrt.f32(float %x)\n"
                 "  %fma = call double @llvm.fma.f64(double %d, double %d, double %d)\n"
                 "  %any.order = call reassoc nsz double @llvm.fma.f64(double %d, double %d, double %d)\n"
                 "  %max = call i32 @llvm.smax.i32(i32 %i, i32 0)\n"
                 "  %bits = call i32 @llvm.ctpop.i32(i32 %i)\n"
                 "  %either = select i1 %c, i32 %i, i32 0\n"
                 "  %both = select i1 %c, i1 %less, i1 false\n"
                 "  %frozen = freeze i32 %i\n"
                 "  %call = call i32 @pure(i32 %i)\n"
                 "  %atomic = load atomic i32, ptr %p seq_cst, align 4\n"
                 "  %old = atomicrmw add ptr %p, i32 1 seq_cst\n"
                 "  %there = load i32, ptr addrspace(270) %short\n"
                 "  call void @llvm.lifetime.start.p0(i64 4, ptr %p)\n"
                 "  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 4, i1 false)\n"
                 "  ret void\n"
                 "}\n");
  const std::vector<std::pair<const char*, const char*>> expected = {{"add", "alu"},
                                                                     {"and", "predicate_logic"},
                                                                     {"mul", "integer_multiply"},
                                                                     {"wide", "free"},
                                                                     {"fdiv", "fp_divide_single"},
                                                                     {"ddiv", "fp_divide_double"},
                                                                     {"fadd", "fp_add"},
                                                                     {"int", "convert_to_integer"},
                                                                     {"real", "convert_to_fp"},
                                                                     {"negative", "alu"},
                                                                     {"absolute", "alu"},
                                                                     {"whole", "convert_to_integer"},
                                                                     {"lesser", "fp_add"},
                                                                     {"long", "convert_to_fp"},
                                                                     {"quotient", "fp_divide_double"},
                                                                     {"less", "compare"},
                                                                     {"root", "fp_sqrt_single"},
                                                                     {"fma", "fused_multiply_add"},
                                                                     {"max", "alu"},
                                                                     {"bits", "alu"},
                                                                     {"either", "merge"},
                                                                     {"both", "predicate_logic"},
                                                                     {"frozen", "free"},
                                                                     {"call", "call"},
                                                                     {"atomic", "call"},
                                                                     {"old", "call"},
                                                                     {"there", "load"}};
  for (const auto& [name, cost] : expected) {
    CAPTURE(name);
    CHECK(p.cost(name) == cost);
  }
  const auto effect = [&](const char* name) { return p.ir.effect(p.named(name)); };
  CHECK(effect("root") == effect_kind::none);
  CHECK(effect("whole") == effect_kind::none);
  CHECK(effect("call") == effect_kind::unknown);
  CHECK(effect("atomic") == effect_kind::unknown);
  CHECK(effect("there") == effect_kind::reads);
  CHECK(!p.ir.memory(p.named("there")).has_value());
  CHECK(!p.ir.memory(p.named("atomic")).has_value());
  const value_id last = static_cast<value_id>(p.ir.ssa().num_instructions()) - 1;
  CHECK(p.ir.effect(last - 2) == effect_kind::none);    // lifetime.start
  CHECK(p.ir.effect(last - 1) == effect_kind::unknown); // memset
  CHECK(!p.ir.cost(last - 2).has_value());
  CHECK(p.ir.cost(last) == midend::operation_class::branch);
  CHECK(p.ir.may_reassociate(p.named("add")));
  CHECK(p.ir.may_reassociate(p.named("fadd")));
  CHECK(!p.ir.may_reassociate(p.named("strict")));
  CHECK(!p.ir.may_reassociate(p.named("fma")));
  CHECK(p.ir.may_reassociate(p.named("any.order")));
  CHECK(p.ir.identity(p.named("fadd")) == p.ir.identity(p.named("strict")));
  CHECK(p.ir.identity(p.named("fdiv")) != p.ir.identity(p.named("ddiv")));
  CHECK(p.ir.identity(p.named("frozen")) == 0);
  CHECK(p.ir.identity(p.named("root")) == 0);
}

TEST_CASE("folding knows numbers, and addresses that are null") {
  const parsed p("define void @f(ptr %p, i64 %i, double %d) {\n"
                 "  %a = getelementptr i32, ptr %p, i64 %i\n"
                 "  %same = icmp eq ptr %a, %p\n"
                 "  %sum = fadd double %d, 1.0\n"
                 "  ret void\n"
                 "}\n");
  const auto fold = [&](const char* name, std::vector<std::uint64_t> args) { return p.ir.fold(p.named(name), args); };
  CHECK(fold("a", {5, 2, 0x1000}) == 0x1014u);
  CHECK(fold("same", {16, 16}) == 1u);
  CHECK(fold("sum", {1, 2}) == std::nullopt);
  CHECK(p.ir.constant(p.ir.operands(p.named("sum"))[1]) == std::nullopt);
}

/// How often the last loop runs, by profile.
midend::loop_frequency frequency_of(const parsed& p) {
  const auto found = midend::dominators_and_loops(p.ir.graph());
  midend::run_frequencies_workspace workspace;
  midend::run_frequencies out;
  midend::compute_frequencies(p.ir, midend::depth_first_order(p.ir.graph()), found.loops, {}, workspace, out);
  return out.of_loop(static_cast<midend::loop_id>(found.loops.num_loops() - 1));
}

TEST_CASE("the body of a loop that counts by an address") {
  const parsed p("define i32 @f(ptr noalias %a, ptr noalias %b) {\n"
                 "entry:\n"
                 "  %end = getelementptr i8, ptr %a, i64 4096\n"
                 "  br label %loop\n"
                 "loop:\n"
                 "  %p = phi ptr [ null, %entry ], [ %next, %loop ]\n"
                 "  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]\n"
                 "  %second = getelementptr i32, ptr %p, i64 1\n"
                 "  %v = load i32, ptr %second\n"
                 "  %sum = add nsw i32 %s, %v\n"
                 "  store i32 %sum, ptr %b\n"
                 "  %next = getelementptr inbounds i32, ptr %p, i64 2\n"
                 "  %done = icmp eq ptr %next, inttoptr (i64 800 to ptr)\n"
                 "  %more = icmp ult ptr %next, %end\n"
                 "  br i1 %more, label %loop, label %exit, !prof !0\n"
                 "exit:\n"
                 "  ret i32 %sum\n"
                 "}\n"
                 "!0 = !{!\"branch_weights\", i32 30, i32 2}\n");
  const auto is_sum = [&](const char* name, const char* of, std::uint64_t number) {
    const midend::value_id v = p.named(name);
    return p.ir.operation(v).code == midend::operation::add && p.ir.operation(v).width == 64 &&
           p.ir.operands(v)[0] == p.named(of) && p.ir.constant(p.ir.operands(v)[1]) == number;
  };
  CHECK(is_sum("second", "p", 4));
  CHECK(is_sum("next", "p", 8));
  CHECK(p.ir.operation(p.named("next")).flags.no_unsigned_wrap);
  CHECK(!p.ir.operation(p.named("second")).flags.no_unsigned_wrap);
  CHECK(p.ir.cost(p.named("second")) == std::nullopt); // part of the address
  const auto load = p.ir.memory(p.named("v"));
  REQUIRE(load.has_value());
  CHECK(load->base == p.named("p"));
  CHECK(load->offset == 4);
  CHECK(load->bytes == 4);
  CHECK(load->memory == midend::any_memory);
  CHECK(frequency_of(p).source == midend::frequency_source::profile);
  CHECK(frequency_of(p).executions == doctest::Approx(16));
}

TEST_CASE("weights that are only expected are no profile") {
  const parsed p("define void @f(i1 %c) {\n"
                 "entry:\n"
                 "  br label %loop\n"
                 "loop:\n"
                 "  br i1 %c, label %loop, label %exit, !prof !0\n"
                 "exit:\n"
                 "  ret void\n"
                 "}\n"
                 "!0 = !{!\"branch_weights\", !\"expected\", i32 2000, i32 1}\n");
  CHECK(frequency_of(p).source == midend::frequency_source::assumed);
}

TEST_CASE("a loop that exceptions leave has unusual control") {
  const parsed p("declare void @g()\n"
                 "declare i32 @personality(...)\n"
                 "define void @f() personality ptr @personality {\n"
                 "entry:\n"
                 "  br label %loop\n"
                 "loop:\n"
                 "  invoke void @g() to label %loop unwind label %pad\n"
                 "pad:\n"
                 "  %e = landingpad { ptr, i32 } cleanup\n"
                 "  ret void\n"
                 "}\n");
  const midend::loop_forest forest = midend::natural_loops(p.ir.graph(), midend::dominators(p.ir.graph()));
  CHECK(midend::advise_unrolling(p.ir, forest, 0, midend::scalar_core()).obstacle ==
        midend::unrolling_obstacle::unusual_control);
}

/// The counts of the only loop, with all facts.
midend::trip_count count_of(const parsed& p) {
  const midend::dominator_tree tree = midend::dominators(p.ir.graph());
  const midend::loop_forest forest = midend::natural_loops(p.ir.graph(), tree);
  return midend::loop_trip_counter(p.ir, forest).evolutions().trips(0).count;
}

TEST_CASE("a loop that exceptions leave is counted") {
  const parsed p("declare i1 @g()\n"
                 "declare i32 @personality(...)\n"
                 "define void @f() personality ptr @personality {\n"
                 "entry:\n"
                 "  br label %loop\n"
                 "loop:\n"
                 "  %i = phi i32 [ 0, %entry ], [ %next, %rest ]\n"
                 "  %called = invoke i1 @g() to label %rest unwind label %pad\n"
                 "rest:\n"
                 "  %next = add i32 %i, 1\n"
                 "  %less = icmp ult i32 %next, 7\n"
                 "  %more = and i1 %less, %called\n"
                 "  br i1 %more, label %loop, label %exit\n"
                 "exit:\n"
                 "  ret void\n"
                 "pad:\n"
                 "  %e = landingpad { ptr, i32 } cleanup\n"
                 "  ret void\n"
                 "}\n");
  CHECK(count_of(p) == midend::trip_count{midend::trip_count_kind::at_most, 6, 1});
}

constexpr const char* walk_of_a_table = "define i32 @f(i32 %n) {\n"
                                        "entry:\n"
                                        "  br label %loop\n"
                                        "loop:\n"
                                        "  %p = phi ptr [ @table, %entry ], [ %next, %loop ]\n"
                                        "  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]\n"
                                        "  %v = load i32, ptr %p\n"
                                        "  %sum = add i32 %s, %n\n"
                                        "  %next = getelementptr i32, ptr %p, i64 1\n"
                                        "  %more = icmp ne i32 %v, 0\n"
                                        "  br i1 %more, label %loop, label %exit\n"
                                        "exit:\n"
                                        "  ret i32 %sum\n"
                                        "}\n";

TEST_CASE("low bits of addresses that are no operation of the vocabulary") {
  const parsed p("define void @f(ptr %p, i64 %n, i32 %m) {\n"
                 "  %odd = getelementptr [3 x i8], ptr %p, i64 %n\n"
                 "  %a = getelementptr [24 x i8], ptr %p, i64 %n\n"
                 "  %b = getelementptr {[5 x i32], [4 x i16]}, ptr %p, i64 %n, i32 1, i32 %m\n"
                 "  %sum = getelementptr i64, ptr %p, i64 %n\n"
                 "  ret void\n"
                 "}\n");
  using sum = std::optional<midend::sum_of_low_bits>;
  const midend::value_id base = p.named("p");
  CHECK(p.ir.low_sum(p.named("odd")) == sum());
  CHECK(p.ir.low_sum(p.named("a")) == sum({base, 0, 3}));
  CHECK(p.ir.low_sum(p.named("b")) == sum({base, 0, 1})); // 28 n + 20 + 2 m
  CHECK(p.ir.low_sum(p.named("sum")) == sum());           // is one
  CHECK(p.ir.low_sum(p.named("n")) == sum());
}

TEST_CASE("a walk back over records of 24 bytes is counted before the loop, one of 24 and 4 bytes is not") {
  const auto backwards = [](const char* record) {
    return "define void @f(ptr %p, i64 %n) {\n"
           "entry:\n"
           "  %end = getelementptr " +
           std::string(record) +
           ", ptr %p, i64 %n\n"
           "  br label %loop\n"
           "loop:\n"
           "  %q = phi ptr [ %end, %entry ], [ %next, %loop ]\n"
           "  %next = getelementptr i8, ptr %q, i64 -24\n"
           "  store i8 0, ptr %next\n"
           "  %done = icmp eq ptr %next, %p\n"
           "  br i1 %done, label %exit, label %loop\n"
           "exit:\n"
           "  ret void\n"
           "}\n";
  };
  for (const auto& [record, is_counted] : {std::pair("[24 x i8]", true), std::pair("[28 x i8]", false)}) {
    const parsed p(backwards(record));
    const midend::dominator_tree tree = midend::dominators(p.ir.graph());
    const midend::loop_forest forest = midend::natural_loops(p.ir.graph(), tree);
    const midend::loop_trip_counter counter(p.ir, forest);
    REQUIRE(counter.evolutions().num_exits(0) == 1);
    CHECK(counter.evolutions().is_computable(0) == is_counted);
    if (is_counted) {
      for (const std::uint64_t n : {1u, 2u, 1000u}) { // the first address that is compared is 24 before the end
        const midend::counter_test test = counter.evolutions().exit(0, 0).trips.test;
        CHECK(formula_of(test).backedges(24 * n - 24, 0) == n - 1);
      }
    }
  }
}

TEST_CASE("a step from before the loop: counted if the loop must end, or if it is known to go up") {
  // silk_resampler_private_IIR_FIR of Opus; LLVM knows the count of the first.
  const auto is_counted = [](const std::string& attributes, const std::string& flags, const std::string& before) {
    const std::string text = "define void @f(ptr %p, i32 %n, i32 %given) " + attributes +
                             " {\nentry:\n  %shifted = shl i32 %n, 17\n" + before +
                             "  br label %loop\n"
                             "loop:\n"
                             "  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n"
                             "  %at = ashr i32 %i, 16\n"
                             "  %q = getelementptr i16, ptr %p, i32 %at\n"
                             "  store i16 1, ptr %q\n"
                             "  %next = add " +
                             flags +
                             " i32 %i, %step\n"
                             "  %more = icmp slt i32 %next, %shifted\n"
                             "  br i1 %more, label %loop, label %exit\n"
                             "exit:\n"
                             "  ret void\n"
                             "}\n";
    const parsed p(text.c_str());
    const midend::dominator_tree tree = midend::dominators(p.ir.graph());
    const midend::loop_forest forest = midend::natural_loops(p.ir.graph(), tree);
    return midend::loop_trip_counter(p.ir, forest).evolutions().is_computable(0);
  };
  const std::string any = "  %step = add i32 %given, 0\n";
  const std::string up = "  %low = and i32 %given, 262143\n  %step = add i32 %low, 1\n";
  CHECK(is_counted("mustprogress", "nsw", any));
  CHECK(!is_counted("mustprogress", "nuw", any));
  CHECK(!is_counted("mustprogress", "", any));
  CHECK(!is_counted("", "nsw", any));
  CHECK(is_counted("", "nsw", up));
  CHECK(!is_counted("", "", up)); // n << 17 may be too near the end
}

TEST_CASE("what llvm.assume promises before a loop, and beside it") {
  const auto most = [](const std::string& entry, const std::string& other) {
    const std::string text = "declare void @llvm.assume(i1)\n"
                             "define void @f(ptr %p, i32 %n, i1 %c) {\n"
                             "entry:\n"
                             "  %small = icmp ult i32 %n, 300\n" +
                             entry +
                             "  br i1 %c, label %left, label %before\n"
                             "left:\n" +
                             other +
                             "  br label %before\n"
                             "before:\n"
                             "  br label %loop\n"
                             "loop:\n"
                             "  %i = phi i32 [ 0, %before ], [ %next, %loop ]\n"
                             "  store i8 0, ptr %p\n"
                             "  %next = add i32 %i, 1\n"
                             "  %more = icmp ult i32 %next, %n\n"
                             "  br i1 %more, label %loop, label %exit\n"
                             "exit:\n"
                             "  ret void\n"
                             "}\n";
    return count_of(parsed(text.c_str()));
  };
  const std::string assume = "  call void @llvm.assume(i1 %small)\n";
  CHECK(most(assume, "") == midend::trip_count{midend::trip_count_kind::at_most, 298, 1});
  CHECK(most("", assume).backedges > 0xffff'0000); // on one of two paths
}

TEST_CASE("a pointer that goes up by a value, in bounds: counted if the value is not negative") {
  const auto is_counted = [](const std::string& index, const std::string& next, const std::string& attributes) {
    const std::string text = "define void @f(ptr %a, ptr %b, i32 %n) " + attributes +
                             " {\n"
                             "entry:\n" +
                             index +
                             "  br label %loop\n"
                             "loop:\n"
                             "  %p = phi ptr [ %a, %entry ], [ %next, %loop ]\n"
                             "  store i8 0, ptr %p\n"
                             "  %next = getelementptr " +
                             next +
                             ", ptr %p, i64 %by\n"
                             "  %more = icmp ult ptr %next, %b\n"
                             "  br i1 %more, label %loop, label %exit\n"
                             "exit:\n"
                             "  ret void\n"
                             "}\n";
    const parsed p(text.c_str());
    const midend::dominator_tree tree = midend::dominators(p.ir.graph());
    const midend::loop_forest forest = midend::natural_loops(p.ir.graph(), tree);
    return midend::loop_trip_counter(p.ir, forest).evolutions().is_computable(0);
  };
  const std::string any = "  %by = sext i32 %n to i64\n";
  const std::string natural = "  %by = zext i32 %n to i64\n"; // libpng's rows: outrow += stepx
  const std::string positive = "  %low = zext i32 %n to i64\n  %by = add nuw nsw i64 %low, 1\n";
  for (const std::string type : {"i8", "i16"}) {
    CHECK(is_counted(positive, "inbounds " + type, ""));
    CHECK(!is_counted(positive, type, ""));              // may wrap
    CHECK(!is_counted(natural, "inbounds " + type, "")); // may be 0
    CHECK(is_counted(natural, "inbounds " + type, "mustprogress"));
    CHECK(!is_counted(any, "inbounds " + type, ""));
  }
}

TEST_CASE("two pointers that meet: one goes down in bounds") {
  const auto is_counted = [](const std::string& down) { // lua_rotate of Lua
    const std::string text = "define void @f(ptr %a, ptr %b) {\n"
                             "entry:\n"
                             "  br label %loop\n"
                             "loop:\n"
                             "  %p = phi ptr [ %a, %entry ], [ %up, %loop ]\n"
                             "  %q = phi ptr [ %b, %entry ], [ %down, %loop ]\n"
                             "  store i8 0, ptr %p\n"
                             "  %up = getelementptr inbounds i8, ptr %p, i64 16\n"
                             "  %down = getelementptr " +
                             down +
                             "\n"
                             "  %more = icmp ult ptr %up, %down\n"
                             "  br i1 %more, label %loop, label %exit\n"
                             "exit:\n"
                             "  ret void\n"
                             "}\n";
    const parsed p(text.c_str());
    const midend::dominator_tree tree = midend::dominators(p.ir.graph());
    const midend::loop_forest forest = midend::natural_loops(p.ir.graph(), tree);
    return midend::loop_trip_counter(p.ir, forest).evolutions().is_computable(0);
  };
  CHECK(is_counted("inbounds i8, ptr %q, i64 -16"));
  CHECK(is_counted("inbounds i8, ptr %q, i64 8")); // slower than the first
  CHECK(!is_counted("inbounds i8, ptr %q, i64 16"));
  CHECK(!is_counted("i8, ptr %q, i64 -16")); // may go around
}

TEST_CASE("a walk over a table that never changes is run") {
  const std::string ends = "@table = internal constant [4 x i32] [i32 5, i32 9, i32 0, i32 7]\n";
  CHECK(count_of(parsed((ends + walk_of_a_table).c_str())) == midend::trip_count{midend::trip_count_kind::exact, 2, 3});
  const std::string changes = "@table = internal global [4 x i32] [i32 5, i32 9, i32 0, i32 7]\n";
  CHECK(count_of(parsed((changes + walk_of_a_table).c_str())) == midend::trip_count{});
  const std::string too_short = "@table = internal constant [2 x i32] [i32 5, i32 9]\n";
  CHECK(count_of(parsed((too_short + walk_of_a_table).c_str())) == midend::trip_count{});
  const std::string of_another_module = "@table = external constant [4 x i32]\n";
  CHECK(count_of(parsed((of_another_module + walk_of_a_table).c_str())) == midend::trip_count{});
}

TEST_CASE("a walk over a table of addresses up to null") {
  const parsed p("@a = external global i32\n"
                 "@b = internal global i32 3\n"
                 "@weak = extern_weak global i32\n"
                 "@table = internal constant [8 x ptr] [ptr @a, ptr @b, ptr null, ptr @a, ptr @weak, ptr null, ptr @a, "
                 "ptr null]\n"
                 "define void @f(ptr %to) {\n"
                 "entry:\n"
                 "  br label %loop\n"
                 "loop:\n"
                 "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
                 "  %place = getelementptr [8 x ptr], ptr @table, i64 0, i64 %i\n"
                 "  %v = load ptr, ptr %place\n"
                 "  %next = add i64 %i, 1\n"
                 "  %done = icmp eq ptr %v, null\n"
                 "  br i1 %done, label %exit, label %loop\n"
                 "exit:\n"
                 "  ret void\n"
                 "}\n");
  CHECK(count_of(p) == midend::trip_count{midend::trip_count_kind::exact, 2, 3});
  const midend::value_id table = p.ir.ssa().number(p.module->getNamedValue("table"));
  REQUIRE(table != midend::no_value);
  using range = std::optional<midend::number_range>;
  CHECK(p.ir.constant_memory(table, 0, 8) == range({1, ~std::uint64_t{0}, false}));
  CHECK(p.ir.constant_memory(table, 32, 8) == range());
  CHECK(p.ir.constant_memory(table, 40, 8) == range({0, 0, false}));
  CHECK(p.ir.constant_memory(table, 40, 4) == range({0, 0, false}));
  CHECK(p.ir.constant_memory(table, 60, 8) == range());
  CHECK(p.ir.constant_memory(table, ~std::uint64_t{7}, 8) == range());
}

} // namespace
