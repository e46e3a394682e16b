// Remainders for counters of more than 64 bits: loops of LLVM, run by its interpreter before and after.
#include "kit/affordable.hpp"
#include "kit/test_graph.hpp"
#include "kit/unrolling_forms.hpp"

#include <midend/adapters/llvm_determinate_counters.hpp>
#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_unrolling_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/unroll_with_remainder.hpp>
#include <midend/transform/verify_unfolding.hpp>
#include <midend/transform/verify_untaken_exits.hpp>

#include <doctest/doctest.h>

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/ExecutionEngine.h>
#include <llvm/ExecutionEngine/GenericValue.h>
#include <llvm/ExecutionEngine/Interpreter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using llvm::APInt;
using midend::remainder_refusal_reason;
using midend_tests::affordable;
using midend_tests::random_source;

struct wide_shape {
  unsigned width;        ///< of the counter
  unsigned middle;       ///< what it is truncated to, or its own
  unsigned bound;        ///< what it is compared as
  const char* extension; ///< from the middle
  const char* comparison;
  APInt step; ///< of the width
  bool is_tested_last;
  bool is_swapped; ///< the bound is the first operand
};

std::string type(unsigned width) {
  return "i" + std::to_string(width);
}

/// s = 3 · s + i for each i, in 64 bits; ends after 120 iterations, so that no loop is endless, by what is no counter.
std::string counting(const wide_shape& x) {
  const std::string t = type(x.width);
  llvm::SmallString<80> step;
  x.step.toStringSigned(step);
  std::string test = "  %q = icmp " + std::string(x.comparison) + " " + type(x.bound) + " ";
  std::string before;
  std::string counter = x.is_tested_last ? "%i1" : "%i";
  if (x.middle != x.width) {
    before += "  %t = trunc " + t + " " + counter + " to " + type(x.middle) + "\n";
    counter = "%t";
  }
  if (x.bound != x.middle) {
    before +=
        "  %c = " + std::string(x.extension) + " " + type(x.middle) + " " + counter + " to " + type(x.bound) + "\n";
    counter = "%c";
  }
  test = before + test + (x.is_swapped ? "%bound, " + counter : counter + ", %bound") + "\n";
  const std::string narrow = x.width == 64
                                 ? "  %w = add i64 %i, 0\n"
                                 : "  %w = " + std::string(x.width > 64 ? "trunc " : "zext ") + t + " %i to i64\n";
  const std::string work = narrow +
                           "  %m = mul i64 %s, 3\n  %s1 = add i64 %m, %w\n  %k1 = mul i64 %k, 3\n  %i1 = add " + t +
                           " %i, " + step.c_str() + "\n  %far = icmp eq i64 %k, -3820460987480664373\n";
  const std::string head = "define i64 @f(" + t + " noundef %start, " + type(x.bound) +
                           " noundef %bound) {\nentry:\n  br label %loop\nloop:\n  %i = phi " + t +
                           " [ %start, %entry ], [ %i1, %last ]\n  %s = phi i64 [ 0, %entry ], [ %s1, %last ]\n"
                           "  %k = phi i64 [ 1, %entry ], [ %k1, %last ]\n";
  if (x.is_tested_last) {
    return head + work + "  br i1 %far, label %exit, label %last\nlast:\n" + test +
           "  br i1 %q, label %loop, label %exit\nexit:\n  ret i64 %s1\n}\n";
  }
  return head + test + "  br i1 %q, label %body, label %exit\nbody:\n" + work +
         "  br i1 %far, label %exit, label %last\nlast:\n  br label %loop\nexit:\n"
         "  %r = phi i64 [ %s, %loop ], [ %s1, %body ]\n  ret i64 %r\n}\n";
}

/// A module, unrolled or not, that runs.
struct running_loop {
  explicit running_loop(const std::string& text) {
    module = llvm::parseAssemblyString(text, problem, context);
    REQUIRE_MESSAGE(module, (problem.getMessage().str() + "\n" + text));
    f = module->getFunction("f");
  }

  void start() {
    std::string error;
    engine.reset(llvm::EngineBuilder(std::move(module))
                     .setEngineKind(llvm::EngineKind::Interpreter)
                     .setErrorStr(&error)
                     .create());
    REQUIRE_MESSAGE(engine, error);
  }

  std::uint64_t run(const APInt& start, const APInt& bound) const {
    std::array<llvm::GenericValue, 2> arguments;
    arguments[0].IntVal = start;
    arguments[1].IntVal = bound;
    return engine->runFunction(f, arguments).IntVal.getZExtValue();
  }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
  llvm::Function* f = nullptr;
  std::unique_ptr<llvm::ExecutionEngine> engine;
};

struct unrolled_wide {
  midend::flat_array<midend::remainder_refusal> refused;
  std::size_t unrolled = 0;
  std::size_t dropped = 0;
};

/// Both steps, each with its certificate.
unrolled_wide unroll(llvm::Function& f, const midend::unrolling_form& form) {
  unrolled_wide out;
  const auto copy = [&] { return llvm::CloneModule(*f.getParent()); };
  {
    const auto old = copy();
    const midend::llvm_editor before(*old->getFunction("f"));
    midend::llvm_editor editor(f);
    const auto found = midend::dominators_and_loops(editor.graph());
    const midend::llvm_unrolling_view view(editor);
    const midend::unrolling_request request{0, form};
    midend::remainder_plan plan = midend::plan_unroll_with_remainder(view, found.loops, {&request, 1});
    midend::llvm_determinate_counters(view, plan); // which has nothing to do
    out.refused = plan.refused;
    const auto witness = midend::apply_unroll_with_remainder(editor, plan, out.refused);
    out.unrolled = plan.unrollings.size();
    CHECK(midend::verify_unfolding(before, editor, witness));
  }
  CHECK(!llvm::verifyFunction(f));
  {
    const auto old = copy();
    midend::llvm_editor before(*old->getFunction("f"));
    midend::llvm_editor editor(f);
    const auto found = midend::dominators_and_loops(editor.graph());
    const auto plan = midend::plan_untaken_exits(midend::llvm_unrolling_view(editor), found.loops);
    const auto witness = midend::apply_untaken_exits(editor, plan);
    out.dropped = plan.exits.size();
    CHECK(midend::verify_unfolding(before, editor, witness));
    const auto verdict = midend::verify_untaken_exits(midend::llvm_unrolling_view(before), witness);
    CHECK(verdict);
    CHECK(verdict.proven == out.dropped);
  }
  CHECK(!llvm::verifyFunction(f));
  return out;
}

/// Near an end of the numbers of a width, their middle, 2^64, 2^63, or anywhere.
APInt any_number(random_source& random, unsigned width) {
  APInt n(width, 0);
  switch (random.below(5)) {
  case 0:
    break;
  case 1:
    n = APInt::getSignedMinValue(width);
    break;
  case 2:
    n = APInt(256, 1).shl(64).zextOrTrunc(width);
    break;
  case 3:
    n = APInt(256, 1).shl(63).zextOrTrunc(width);
    break;
  default:
    n = APInt(256, {random.next(), random.next(), random.next(), random.next()}).trunc(width);
  }
  const std::uint64_t by = random.below(90);
  return random.below(2) == 0 ? n + by : n - by;
}

struct wide_counts {
  std::size_t unrolled = 0;
  std::size_t runs = 0;
};

/// Unrolls and runs a loop on random pairs.
void sweep(const wide_shape& shape, random_source& random, std::size_t pairs, wide_counts& counts) {
  constexpr std::array<std::uint32_t, 6> factors = {2, 3, 4, 5, 7, 8};
  const std::string text = counting(shape);
  running_loop before(text);
  running_loop after(text);
  const std::uint32_t factor = factors[random.below(factors.size())];
  const midend::unrolling_form form = midend_tests::form_with_limit(random.below(3), factor);
  const unrolled_wide done = unroll(*after.f, form);
  if (done.unrolled == 0) {
    REQUIRE(done.refused.size() == 1);
    CHECK(done.refused[0].why == remainder_refusal_reason::no_counted_exit);
    return;
  }
  ++counts.unrolled;
  CHECK_MESSAGE(done.dropped == form.iterations_in_pass(), text);
  before.start();
  after.start();
  for (std::size_t i = 0; i != pairs; ++i) {
    const APInt start = any_number(random, shape.width);
    APInt bound = any_number(random, shape.bound);
    if (i % 4 != 0) { // some steps from the start
      APInt end = start + shape.step * (random.below(70) - APInt(shape.width, 3)) + random.below(2);
      end = end.zextOrTrunc(shape.middle);
      bound = std::string(shape.extension) == "sext" ? end.sextOrTrunc(shape.bound) : end.zextOrTrunc(shape.bound);
    }
    const std::uint64_t expected = before.run(start, bound);
    const std::uint64_t now = after.run(start, bound);
    ++counts.runs;
    if (expected != now) {
      llvm::SmallString<80> words;
      start.toStringUnsigned(words, 16);
      words += ", ";
      bound.toStringUnsigned(words, 16);
      FAIL("start, bound ", words.c_str(), " factor ", factor, " passes ", form.iterations_in_pass(), ": ", expected,
           " ", now, "\n", text);
    }
  }
}

constexpr std::array<const char*, 10> comparisons = {"eq",  "ne",  "slt", "sle", "sgt",
                                                     "sge", "ult", "ule", "ugt", "uge"};

} // namespace

TEST_CASE("wide counters of LLVM: all comparisons, steps and conversions, as LLVM's interpreter runs them") {
  random_source random(19);
  wide_counts counts;
  const std::size_t pairs = affordable(24);

  struct widths {
    unsigned width;
    unsigned middle;
    unsigned bound;
    const char* extension;
  };

  for (const auto& [width, middle, bound, extension] : {widths{65, 65, 65, ""},
                                                        {128, 128, 128, ""},
                                                        {100, 100, 100, ""},
                                                        {255, 255, 255, ""},
                                                        {128, 64, 64, ""},
                                                        {128, 65, 65, ""},
                                                        {64, 64, 128, "sext"},
                                                        {64, 64, 128, "zext"},
                                                        {66, 66, 130, "sext"},
                                                        {128, 32, 128, "zext"},
                                                        {128, 70, 128, "sext"},
                                                        {70, 8, 16, "sext"},
                                                        {16, 8, 80, "zext"}}) {
    for (const char* const comparison : comparisons) {
      for (const int step : {1, -1, 2, -2, 3, -3}) {
        const bool is_last = random.below(2) == 0;
        sweep({width, middle, bound, extension, comparison, APInt(width, static_cast<std::uint64_t>(step), true),
               is_last, random.below(4) == 0},
              random, pairs, counts);
      }
    }
  }
  // Steps that have more than 64 bits themselves, or almost.
  const APInt one(128, 1);
  for (const APInt& step : {one.shl(64), one.shl(64) + 1, one.shl(63), -one.shl(63), one.shl(127), one.shl(127) + 5,
                            one.shl(90) - 1, APInt(128, {0x123456789abcdef1U, 0xfedcba9876543210U})}) {
    for (const char* const comparison : {"eq", "ne"}) {
      sweep({128, 128, 128, "", comparison, step, random.below(2) == 0, false}, random, pairs, counts);
    }
    if (step.abs().getActiveBits() <= 64) {
      for (const char* const comparison : comparisons) {
        sweep({128, 128, 128, "", comparison, step, random.below(2) == 0, false}, random, pairs, counts);
      }
    }
  }
  MESSAGE(counts.unrolled, " loops unrolled, ", counts.runs, " runs");
  CHECK(counts.unrolled > 380); // the others do not approach the bound
}

TEST_CASE("wide counters of LLVM that get no remainder, and why") {
  const auto refusal = [](const wide_shape& shape) {
    running_loop p(counting(shape));
    const unrolled_wide done = unroll(*p.f, midend_tests::with_epilogue(4));
    CHECK(done.unrolled == 0);
    CHECK(done.dropped == 0);
    REQUIRE(done.refused.size() == 1);
    return done.refused[0].why;
  };
  const APInt far = APInt(128, 1).shl(64);
  CHECK(refusal({128, 128, 128, "", "slt", far, false, false}) == remainder_refusal_reason::step_too_large);
  CHECK(refusal({128, 128, 128, "", "ult", APInt(128, 0), false, false}) == remainder_refusal_reason::no_counted_exit);
  CHECK(refusal({128, 128, 128, "", "ugt", APInt(128, 7), false, false}) == remainder_refusal_reason::no_counted_exit);
  CHECK(refusal({256, 256, 256, "", "ult", APInt(256, 1), false, false}) == remainder_refusal_reason::other_comparison);
}

TEST_CASE("wide limits that the program computes otherwise are not believed") {
  // Each operation of the guard and the latch in turn reads another value, or is another one.
  std::size_t damaged = 0;
  for (const wide_shape& shape : {wide_shape{128, 128, 128, "", "slt", APInt(128, 3), false, false},
                                  wide_shape{128, 128, 128, "", "ne", APInt(128, 6), false, false},
                                  wide_shape{128, 70, 128, "sext", "ne", -APInt(128, 3), true, false},
                                  wide_shape{64, 64, 128, "zext", "ult", APInt(64, 1), false, false}}) {
    const auto unrolled_once = [&] {
      auto p = std::make_unique<running_loop>(counting(shape));
      midend::llvm_editor editor(*p->f);
      const auto found = midend::dominators_and_loops(editor.graph());
      const midend::unrolling_request request{0, midend_tests::with_epilogue(4)};
      midend::flat_array<midend::remainder_refusal> refused;
      midend::apply_unroll_with_remainder(
          editor, midend::plan_unroll_with_remainder(midend::llvm_unrolling_view(editor), found.loops, {&request, 1}),
          refused);
      return p;
    };
    const auto untaken = [](llvm::Function& f) {
      midend::llvm_editor editor(f);
      const auto found = midend::dominators_and_loops(editor.graph());
      return midend::plan_untaken_exits(midend::llvm_unrolling_view(editor), found.loops).exits.size();
    };
    const auto guard_of = [](llvm::Function& f) -> llvm::BasicBlock& {
      for (llvm::BasicBlock& b : f) {
        for (const llvm::Instruction& i : b) {
          if (i.getOpcode() == llvm::Instruction::And || i.getOpcode() == llvm::Instruction::Mul) {
            if (i.getType()->getIntegerBitWidth() > 64) {
              return b;
            }
          }
        }
        for (const llvm::Instruction& i : b) { // of the narrow one
          if (i.getOpcode() == llvm::Instruction::And) {
            return b;
          }
        }
      }
      return f.getEntryBlock();
    };
    const auto good = unrolled_once();
    CHECK(untaken(*good->f) == 4);
    const std::size_t size = guard_of(*good->f).size();
    CHECK(size > 6);
    for (std::size_t at = 0; at + 1 < size; ++at) {
      for (unsigned operand = 0; operand != 2; ++operand) {
        for (const bool is_number : {false, true}) {
          const auto p = unrolled_once();
          llvm::Instruction& i = *std::next(guard_of(*p->f).begin(), static_cast<std::ptrdiff_t>(at));
          if (operand >= i.getNumOperands() || !i.getOperand(operand)->getType()->isIntegerTy()) {
            continue;
          }
          llvm::Value* const old = i.getOperand(operand);
          const auto* const literal = llvm::dyn_cast<llvm::ConstantInt>(old);
          if (is_number != (literal != nullptr)) {
            continue;
          }
          llvm::Type* const t = old->getType();
          i.setOperand(operand, literal != nullptr
                                    ? llvm::ConstantInt::get(t, literal->getValue() + 1)
                                    : llvm::ConstantInt::get(t, 8)); // a multiple of the steps, which says nothing
          if (llvm::verifyFunction(*p->f)) {
            continue;
          }
          ++damaged;
          CHECK_MESSAGE(untaken(*p->f) == 0, shape.comparison, " ", at, " ", operand);
        }
      }
    }
  }
  MESSAGE(damaged, " damaged limits");
  CHECK(damaged > 60);
}
