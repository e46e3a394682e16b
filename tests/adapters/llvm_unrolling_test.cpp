// Unrolling of functions of LLVM: the view, counters that are made determinate, metadata.
#include "kit/unrolling_forms.hpp"
#include <midend/adapters/llvm_determinate_counters.hpp>
#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_unroll_metadata.hpp>
#include <midend/adapters/llvm_unrolling_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/transform/unroll_with_remainder.hpp>
#include <midend/transform/untaken_exits.hpp>
#include <midend/transform/verify_unfolding.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <doctest/doctest.h>

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

struct loop_function {
  explicit loop_function(const std::string& text) : module(llvm::parseAssemblyString(text, problem, context)) {
    REQUIRE_MESSAGE(module, problem.getMessage().str());
    f = module->getFunction("f");
  }

  std::size_t count(unsigned opcode) const {
    std::size_t found = 0;
    for (const llvm::BasicBlock& b : *f) {
      for (const llvm::Instruction& i : b) {
        found += i.getOpcode() == opcode ? 1u : 0u;
      }
    }
    return found;
  }

  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module;
  llvm::Function* f = nullptr;
};

/// A loop over a counter from %start, tested as `test` says.
std::string counting(const std::string& parameters, const std::string& type, const std::string& step) {
  return "declare void @g()\ndefine void @f(" + parameters + ") {\nentry:\n  br label %loop\nloop:\n  %i = phi " +
         type + " [ %start, %entry ], [ %i1, %body ]\n  call void @g()\n  %q = icmp slt " + type +
         " %i, %n\n  br i1 %q, label %body, label %exit\nbody:\n  %i1 = add nsw " + type + " %i, " + step +
         "\n  br label %loop\nexit:\n  ret void\n}\n";
}

midend::remainder_plan plan_of(midend::llvm_editor& editor, const midend::llvm_unrolling_view& view) {
  const auto found = midend::dominators_and_loops(editor.graph());
  const midend::unrolling_request request{static_cast<midend::loop_id>(found.loops.num_loops() - 1),
                                          midend_tests::with_epilogue(4)};
  return midend::plan_unroll_with_remainder(view, found.loops, {&request, 1});
}

/// Freezes, unrolls by four with a remainder and drops exits; returns how many.
std::size_t unroll(llvm::Function& f) {
  std::unique_ptr<midend::llvm_determinate_counters> counters;
  {
    midend::llvm_editor editor(f);
    const midend::llvm_unrolling_view view(editor);
    midend::remainder_plan plan = plan_of(editor, view);
    counters = std::make_unique<midend::llvm_determinate_counters>(view, plan);
    if (plan.empty()) {
      return 0;
    }
  }
  counters->apply();
  CHECK(!llvm::verifyFunction(f));
  {
    midend::llvm_editor editor(f);
    midend::flat_array<midend::remainder_refusal> refused;
    midend::apply_unroll_with_remainder(editor, plan_of(editor, midend::llvm_unrolling_view(editor)), refused);
    CHECK(refused.empty());
  }
  CHECK(!llvm::verifyFunction(f));
  std::size_t dropped = 0;
  {
    midend::llvm_editor editor(f);
    const auto found = midend::dominators_and_loops(editor.graph());
    const auto plan = midend::plan_untaken_exits(midend::llvm_unrolling_view(editor), found.loops);
    dropped = plan.exits.size();
    midend::apply_untaken_exits(editor, plan);
  }
  CHECK(!llvm::verifyFunction(f));
  return dropped;
}

} // namespace

TEST_CASE("unrolling of LLVM: what the guard reads is frozen, unless it is known to be a number") {
  const loop_function unknown(counting("i32 %start, i32 %n", "i32", "1"));
  CHECK(unroll(*unknown.f) == 4);
  CHECK(unknown.count(llvm::Instruction::Freeze) == 2);
  const loop_function known(counting("i32 noundef %start, i32 noundef %n", "i32", "1"));
  CHECK(unroll(*known.f) == 4);
  CHECK(known.count(llvm::Instruction::Freeze) == 0);
  // The latch reads the counter before @g may end the program: the steps promise nothing any more.
  for (const llvm::BasicBlock& b : *known.f) {
    for (const llvm::Instruction& i : b) {
      CHECK((i.getOpcode() != llvm::Instruction::Add || !i.hasNoSignedWrap()));
    }
  }
  const loop_function pointer("define void @f(ptr %start, ptr %n) {\nentry:\n  br label %loop\nloop:\n"
                              "  %i = phi ptr [ %start, %entry ], [ %i1, %loop ]\n"
                              "  %i1 = getelementptr inbounds i8, ptr %i, i64 1\n  %q = icmp ne ptr %i1, %n\n"
                              "  br i1 %q, label %loop, label %exit\nexit:\n  ret void\n}\n");
  CHECK(unroll(*pointer.f) == 4);
  CHECK(pointer.count(llvm::Instruction::Freeze) == 2);
  CHECK(pointer.count(llvm::Instruction::PtrToInt) ==
        3); // of start and bound in the guard, of the next one in the latch
  // The latch reads another sum than the test of the last iteration: that one promises nothing, and the call in the
  // header may end the program before the next test.
  const loop_function other("declare void @g()\ndefine void @f(i8 noundef %start, i8 noundef %n) {\nentry:\n"
                            "  br label %loop\nloop:\n  %i = phi i8 [ %start, %entry ], [ %i1, %loop ]\n"
                            "  call void @g()\n  %j = add i8 %i, 1\n  %i1 = add nsw i8 %i, 1\n"
                            "  %q = icmp slt i8 %j, %n\n  br i1 %q, label %loop, label %exit\nexit:\n  ret void\n}\n");
  CHECK(unroll(*other.f) == 4);
  for (const llvm::BasicBlock& b : *other.f) {
    for (const llvm::Instruction& i : b) {
      CHECK((i.getOpcode() != llvm::Instruction::Add || !i.hasNoSignedWrap()));
    }
  }
  // Pointers that are counters, and keep or lose their promises likewise.
  const auto counting_pointer = [](const std::string& first, const std::string& test, const std::string& attributes) {
    return "declare void @g()\ndefine void @f(ptr " + attributes + " %start, ptr " + attributes +
           " %n) {\nentry:\n  br label %loop\nloop:\n  %i = phi ptr [ %start, %entry ], [ %i1, %body ]\n" + first +
           "  %q = icmp " + test + " ptr %i, %n\n  br i1 %q, label %body, label %exit\nbody:\n" +
           "  %i1 = getelementptr inbounds i64, ptr %i, i64 -3\n  br label %loop\nexit:\n  ret void\n}\n";
  };
  for (const char* const test : {"ne", "ugt", "uge"}) {
    const loop_function plain(counting_pointer("", test, "noundef"));
    CHECK(unroll(*plain.f) == 4);
    CHECK(plain.count(llvm::Instruction::Freeze) == 0);
    const loop_function called(counting_pointer("  call void @g()\n", test, "noundef"));
    CHECK(unroll(*called.f) == 4);
    std::size_t inbounds = 0;
    for (const llvm::BasicBlock& b : *called.f) {
      for (const llvm::Instruction& i : b) {
        const auto* const step = llvm::dyn_cast<llvm::GetElementPtrInst>(&i);
        inbounds += step != nullptr && step->isInBounds() ? 1u : 0u;
      }
    }
    CHECK(inbounds == 0);
  }
  const loop_function away(counting_pointer("", "ult", "noundef"));
  CHECK(unroll(*away.f) == 0); // it goes down from below the bound
  // Counters that are extended or cut.
  const loop_function extended("define void @f(i8 %start, i64 %n) {\nentry:\n  br label %loop\nloop:\n"
                               "  %i = phi i8 [ %start, %entry ], [ %i1, %loop ]\n  %i1 = add i8 %i, 1\n"
                               "  %w = sext i8 %i1 to i64\n  %q = icmp slt i64 %w, %n\n"
                               "  br i1 %q, label %loop, label %exit\nexit:\n  ret void\n}\n");
  CHECK(unroll(*extended.f) == 4);
  CHECK(extended.count(llvm::Instruction::Freeze) == 2);
  // Wide ones: see llvm_wide_counters_test.cpp.
  const loop_function wide(counting("i128 %start, i128 %n", "i128", "1"));
  CHECK(unroll(*wide.f) == 4);
  CHECK(wide.count(llvm::Instruction::Freeze) == 2);
  const loop_function too_wide(counting("i256 %start, i256 %n", "i256", "1"));
  CHECK(unroll(*too_wide.f) == 0);
  midend::llvm_editor editor(*too_wide.f);
  const midend::remainder_plan refused = plan_of(editor, midend::llvm_unrolling_view(editor));
  REQUIRE(refused.refused.size() == 1);
  CHECK(refused.refused[0].why == midend::remainder_refusal_reason::other_comparison);
}

namespace {

/// How often an operation runs for each call of the function, in all blocks, as LLVM derives it from branch weights.
double frequency_of(llvm::Function& f, unsigned opcode) {
  const llvm::DominatorTree tree(f);
  const llvm::LoopInfo loops(tree);
  const llvm::BranchProbabilityInfo probabilities(f, loops);
  const llvm::BlockFrequencyInfo frequencies(f, probabilities, loops);
  double found = 0;
  for (const llvm::BasicBlock& b : f) {
    for (const llvm::Instruction& i : b) {
      if (i.getOpcode() == opcode) {
        found += static_cast<double>(frequencies.getBlockFreq(&b).getFrequency());
      }
    }
  }
  return found / static_cast<double>(frequencies.getEntryFreq().getFrequency());
}

/// Drops the exits that are never taken; returns how many.
std::size_t drop_exits(llvm::Function& f) {
  midend::llvm_editor editor(f);
  const auto found = midend::dominators_and_loops(editor.graph());
  const auto plan = midend::plan_untaken_exits(midend::llvm_unrolling_view(editor), found.loops);
  midend::apply_untaken_exits(editor, plan);
  return plan.exits.size();
}

/// A loop over i with branch weights in one around it. Its body has a xor, in a branch that is rarely taken if there is
/// one, and may leave by data.
std::string weighted(const std::string& bound, unsigned stays, bool is_rare, bool has_data_exit) {
  const std::string rare = is_rare ? "  br i1 %r, label %work, label %last, !prof !1\nwork:\n" : "";
  const std::string data = has_data_exit ? "  br i1 %d, label %row.end, label %next, !prof !2\nnext:\n" : "";
  return "define void @f(i64 noundef %n, ptr %a) !prof !4 {\nentry:\n  br label %row\nrow:\n"
         "  %j = phi i64 [ 0, %entry ], [ %j1, %row.end ]\n  br label %loop\nloop:\n"
         "  %i = phi i64 [ 0, %row ], [ %i1, %last ]\n  %v = load i64, ptr %a\n  %r = icmp eq i64 %v, 5\n"
         "  %d = icmp eq i64 %v, 7\n" +
         data + rare + "  %x = xor i64 %v, %i\n  store i64 %x, ptr %a\n  br label %last\nlast:\n" +
         "  %i1 = add nuw nsw i64 %i, 1\n  %q = icmp ult i64 %i1, " + bound +
         "\n  br i1 %q, label %loop, label %row.end, !prof !0\nrow.end:\n  %j1 = add nsw i64 %j, 1\n"
         "  %p = icmp slt i64 %j1, %n\n  br i1 %p, label %row, label %exit, !prof !3\nexit:\n  ret void\n}\n"
         "!0 = !{!\"branch_weights\", i32 " +
         std::to_string(stays) +
         ", i32 1}\n!1 = !{!\"branch_weights\", i32 1, i32 9}\n!2 = !{!\"branch_weights\", i32 1, i32 199}\n"
         "!3 = !{!\"branch_weights\", i32 19, i32 1}\n!4 = !{!\"function_entry_count\", i64 10}\n";
}

} // namespace

TEST_CASE("unrolling of LLVM: branch weights say how often the work is done, before and after exits are dropped") {
  for (const bool is_rare : {false, true}) {
    for (const bool has_data_exit : {false, true}) {
      // With a remainder: the counter's test is dropped in each copy.
      const loop_function counted(weighted("%n", 99, is_rare, has_data_exit));
      const double before = frequency_of(*counted.f, llvm::Instruction::Xor);
      CHECK(before > (is_rare ? 100 : 1000));
      CHECK(unroll(*counted.f) == 4);
      const double after = frequency_of(*counted.f, llvm::Instruction::Xor);
      // What left in a copy now goes on to the end of its pass, and through the old loop.
      CHECK_MESSAGE(after == doctest::Approx(before).epsilon(0.03), is_rare, has_data_exit);
      // Without: the tests of all copies but one.
      const loop_function known(weighted("1000", 999, is_rare, has_data_exit));
      const double all = frequency_of(*known.f, llvm::Instruction::Xor);
      {
        midend::llvm_editor editor(*known.f);
        const auto found = midend::dominators_and_loops(editor.graph());
        const auto inner = static_cast<midend::loop_id>(found.loops.num_loops() - 1);
        const midend::unrolling_request request{inner, {midend::unrolling_kind::partial, 4}};
        midend::unroll_loops(editor, found.loops, {&request, 1});
      }
      CHECK(frequency_of(*known.f, llvm::Instruction::Xor) == doctest::Approx(all).epsilon(0.02));
      CHECK(drop_exits(*known.f) == 3);
      CHECK(!llvm::verifyFunction(*known.f));
      CHECK(frequency_of(*known.f, llvm::Instruction::Xor) == doctest::Approx(all).epsilon(0.02));
    }
  }
  // Where nothing is known, nothing is said.
  const loop_function silent(counting("i32 noundef %start, i32 noundef %n", "i32", "1"));
  CHECK(unroll(*silent.f) == 4);
  for (const llvm::BasicBlock& b : *silent.f) {
    CHECK(b.getTerminator()->getMetadata(llvm::LLVMContext::MD_prof) == nullptr);
  }
}

TEST_CASE("unrolling of LLVM: what the source says, and what is said about a loop that was unrolled") {
  const auto read = [](const char* entries) {
    const loop_function p(std::string("define void @f() {\nentry:\n  br label %loop\nloop:\n  br label %loop, "
                                      "!llvm.loop !0\n}\n!0 = distinct !{!0, !1, !2}\n") +
                          entries);
    midend::llvm_editor editor(*p.f);
    const auto found = midend::dominators_and_loops(editor.graph());
    const auto before = midend::read_llvm_unroll_metadata(midend::llvm_loop_metadata(editor, found.loops, 0));
    midend::disable_llvm_unrolling(editor, found.loops, 0);
    const llvm::MDNode* const now = midend::llvm_loop_metadata(editor, found.loops, 0);
    CHECK(midend::read_llvm_unroll_metadata(now) == midend::llvm_unroll_metadata{.is_disabled = true});
    CHECK(now->getOperand(0) == now);
    return before;
  };
  using midend::llvm_unroll_metadata;
  CHECK(read("!1 = !{!\"llvm.loop.unroll.count\", i32 8}\n!2 = !{!\"llvm.loop.mustprogress\"}\n") ==
        llvm_unroll_metadata{.factor = 8});
  CHECK(read("!1 = !{!\"llvm.loop.unroll.count\", i32 1}\n!2 = !{!\"other\"}\n") ==
        llvm_unroll_metadata{.is_disabled = true});
  CHECK(read("!1 = !{!\"llvm.loop.unroll.enable\"}\n!2 = !{!\"llvm.loop.unroll.runtime.disable\"}\n") ==
        llvm_unroll_metadata{.is_enabled = true, .no_remainder = true});
  CHECK(read("!1 = !{!\"llvm.loop.unroll.full\"}\n!2 = !{!\"llvm.loop.vectorize.enable\", i1 false}\n") ==
        llvm_unroll_metadata{.is_full = true});
  CHECK(midend::read_llvm_unroll_metadata(nullptr) == llvm_unroll_metadata{});
  CHECK(llvm_unroll_metadata{.factor = 2}.is_forced());
  CHECK(!llvm_unroll_metadata{.is_disabled = true, .factor = 2}.is_forced());
}

namespace {

/// A step on a function, with the same function of another module as it was before.
struct stepped_loops {
  std::size_t unrolled = 0;
  std::size_t dropped = 0;
  std::uint32_t random = 17;

  std::uint32_t below(std::uint32_t n) {
    random = random * 1664525 + 1013904223;
    return (random >> 16) % n;
  }

  /// Freezes counters, and returns what will be done; all innermost loops by factors of their own.
  midend::remainder_plan prepare(llvm::Function& f, const std::vector<midend::unrolling_request>& requests) {
    std::unique_ptr<midend::llvm_determinate_counters> counters;
    midend::remainder_plan plan;
    {
      midend::llvm_editor editor(f);
      const midend::llvm_unrolling_view view(editor);
      plan = midend::plan_unroll_with_remainder(view, midend::dominators_and_loops(editor.graph()).loops, requests,
                                                {.max_cloned = 1u << 16});
      counters = std::make_unique<midend::llvm_determinate_counters>(view, plan);
    }
    counters->apply();
    return plan;
  }

  void run(llvm::Function& f, llvm::Function& old) {
    std::vector<midend::unrolling_request> requests;
    {
      midend::llvm_editor editor(f);
      const auto found = midend::dominators_and_loops(editor.graph());
      for (const midend::loop_id l : found.loops.loops()) {
        if (found.loops.subloops(l).size() == 1) {
          const std::uint32_t factor = 2 + below(7);
          requests.push_back({l, midend_tests::form_with_limit(below(3), factor)});
        }
      }
    }
    prepare(old, requests);
    if (prepare(f, requests).empty()) {
      return;
    }
    {
      midend::llvm_editor editor(f);
      const midend::llvm_editor before(old);
      midend::flat_array<midend::remainder_refusal> refused;
      const auto plan = midend::plan_unroll_with_remainder(midend::llvm_unrolling_view(editor),
                                                           midend::dominators_and_loops(editor.graph()).loops, requests,
                                                           {.max_cloned = 1u << 16});
      const auto witness = midend::apply_unroll_with_remainder(editor, plan, refused);
      unrolled += plan.unrollings.size() - refused.size();
      CHECK_MESSAGE(midend::verify_unfolding(before, editor, witness), f.getName().str());
    }
    CHECK_MESSAGE(!llvm::verifyFunction(f), f.getName().str());
    {
      midend::llvm_editor editor(f);
      const auto found = midend::dominators_and_loops(editor.graph());
      const auto plan = midend::plan_untaken_exits(midend::llvm_unrolling_view(editor), found.loops);
      dropped += plan.exits.size();
      midend::apply_untaken_exits(editor, plan);
    }
    CHECK_MESSAGE(!llvm::verifyFunction(f), f.getName().str());
  }
};

} // namespace

TEST_CASE("unrolling of LLVM: the functions of the modules, by random factors and kinds") {
  stepped_loops steps;
  for (const char* const name : {"loops.ll", "unrolling.ll"}) {
    const std::string path = std::string(MIDEND_TEST_DATA) + "/llvm/" + name;
    for (int turn = 0; turn != 6; ++turn) {
      llvm::LLVMContext context;
      llvm::SMDiagnostic problem;
      const auto now = llvm::parseIRFile(path, problem, context);
      const auto old = llvm::parseIRFile(path, problem, context);
      REQUIRE_MESSAGE((now && old), problem.getMessage().str());
      for (llvm::Function& f : *now) {
        if (!f.isDeclaration()) {
          steps.run(f, *old->getFunction(f.getName()));
        }
      }
    }
  }
  MESSAGE(steps.unrolled, " loops unrolled, ", steps.dropped, " exits dropped");
  CHECK(steps.unrolled > 20);
  CHECK(steps.dropped > steps.unrolled);
}

TEST_CASE("unrolling of LLVM: calls that end a block and access no memory are values of the loop") {
  // The result is read by the next iteration, by the test, by a phi after the loop, or by nothing.
  for (const char* read : {"%g", "%i1"}) {
    for (const char* memory : {"none", "read", "write"}) {
      const std::string text = std::string("declare i32 @three(i32) memory(") + memory +
                               ")\ndeclare i32 @__gxx_personality_v0(...)\n"
                               "define i32 @f(i32 %n) personality ptr @__gxx_personality_v0 {\nentry:\n"
                               "  br label %h\nh:\n  %i = phi i32 [ 0, %entry ], [ " +
                               read +
                               ", %l ]\n  %i1 = add nuw nsw i32 %i, 1\n"
                               "  %g = invoke i32 @three(i32 %i) to label %l unwind label %pad\n"
                               "l:\n  %c = icmp slt i32 " +
                               read +
                               ", 9\n  br i1 %c, label %h, label %x\n"
                               "pad:\n  %p = landingpad { ptr, i32 } cleanup\n  ret i32 %i\n"
                               "x:\n  %r = phi i32 [ " +
                               read + ", %l ]\n  ret i32 %r\n}\n";
      CAPTURE(text);
      const loop_function made(text);
      midend::llvm_editor editor(*made.f);
      const midend::llvm_unrolling_view view(editor);
      const auto found = midend::dominators_and_loops(editor.graph());
      const midend::loop_trip_counter counter(view, found.loops);
      const bool is_counted = read[1] == 'i'; // not if it reads what the invoke returns
      CHECK((counter.evolutions().trips(0).count.kind != midend::trip_count_kind::unknown) == is_counted);
      midend::unrolling_advice advice;
      midend::advise_unrolling_workspace workspace;
      midend::advise_unrolling(view, found.loops, 0, midend::scalar_core(), {}, counter, workspace, advice);
      CHECK(advice.obstacle == midend::unrolling_obstacle::unusual_control); // no value decides at an invoke
    }
  }
}
