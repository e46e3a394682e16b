// Transformations of the functions of a module, one function at a time, with the analyses that they need. midend's
// begin with an llvm_editor and end when it is destroyed.
//
//   loop_forms/llvm/SET            dominator tree, loops, simplifyLoop and formLCSSARecursively
//   loop_forms/midend/SET          close_loops, which simplifies loops before it, with memory kept from function to
//                                  function
//   loop_forms/midend_fresh/SET    the same with memory of its own for each function
//   loop_forms/midend_editor/SET   the part of it that makes and destroys the editor
//   loop_forms/elbrus/SET          the same of the same functions as procedures of the Elbrus-like IR, one for one
//   rotation/llvm/SET              the same as loop_forms, then LoopRotation of each loop, inner ones first
//   rotation/midend/SET            rotate_loops, which simplifies loops before and after, then close_loops
//   dead_code/llvm/SET             ADCE
//   dead_code/midend/SET           remove_dead_code
//   clean_control/llvm/SET         the four functions of LLVM for the four changes of clean_control, until nothing
//   changes:
//                                  ConstantFoldTerminator, removeUnreachableBlocks, MergeBlockIntoPredecessor and
//                                  TryToSimplifyUncondBranchFromEmptyBlock; simplifycfg would do much else
//   clean_control/midend/SET       clean_control
//
// What is done is counted: `rotated` are loops with an exit at their only latch afterwards, `instructions_left` and
// `blocks_left` those that are left. `ms_by_medians` is the sum over the functions of the median of the times that each
// took. hoist_invariants has no counterpart: LICM does much else.
// The sets are each NAME.bc in the directory that the environment variable MIDEND_BITCODE_DIRECTORY names, see
// sqlite3_bitcode.sh. Each iteration works on a fresh copy of the module, which is not measured. Before the first one,
// the loops that midend leaves are shown to LLVM's predicates: a loop that they deny ends the benchmark.
#include "llvm_loop_forms.hpp"

#include "bitcode_files.hpp"
#include "elbrus_of_llvm.hpp"
#include "llvm_counterparts.hpp"
#include "llvm_functions_timed.hpp"
#include "medians.hpp"

#include <midend/adapters/llvm_editor.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/loop_forms.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/rotate_loops.hpp>
#include <midend/transform/simplify_loops.hpp>

#include <benchmark/benchmark.h>

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace midend_benchmarks {
namespace {

/// The parts of a loop's form that had to be refused.
template <class E> std::size_t make_forms(E& editor) {
  auto simple = midend::simplify_loops(editor);
  const std::size_t refused = simple.plan.refused.size();
  return refused + midend::close_loops(editor, std::move(simple)).plan.refused.size();
}

/// What is kept from one function to the next.
struct loop_forms_memory {
  midend::llvm_editor_workspace editor;
  midend::close_loops_workspace workspace;
  midend::closed_loops result;
};

std::size_t by_midend(llvm::Function& f) {
  static loop_forms_memory memory;
  midend::llvm_editor editor(f, {}, memory.editor, midend::llvm_value_numbers::when_asked);
  midend::close_loops(editor, memory.workspace, memory.result);
  return memory.result.simplified.refused.size() + memory.result.closed.refused.size();
}

std::size_t by_midend_fresh(llvm::Function& f) {
  midend::llvm_editor editor(f);
  return make_forms(editor);
}

void by_llvm(llvm::Function& f) {
  llvm::DominatorTree tree(f);
  llvm::LoopInfo loops(tree);
  llvm::AssumptionCache assumptions(f);
  make_forms_by_llvm(tree, loops, assumptions);
}

void rotate_by_midend(llvm::Function& f) {
  midend::llvm_editor editor(f);
  midend::close_loops(editor, midend::rotate_loops(editor));
}

void rotate_by_llvm(llvm::Function& f) {
  llvm::DominatorTree tree(f);
  llvm::LoopInfo loops(tree);
  llvm::AssumptionCache assumptions(f);
  make_forms_by_llvm(tree, loops, assumptions);
  const llvm::TargetTransformInfo target(f.getDataLayout());
  const llvm::SimplifyQuery query(f.getDataLayout(), nullptr, &tree, &assumptions);
  const auto all = loops.getLoopsInPreorder();
  for (auto l = all.rbegin(); l != all.rend(); ++l) {
    llvm::LoopRotation(*l, &loops, &target, &assumptions, &tree, nullptr, nullptr, query, true, 16, false);
  }
}

std::size_t rotated_loops(llvm::Function& f) {
  const llvm::DominatorTree tree(f);
  const llvm::LoopInfo loops(tree);
  const auto all = loops.getLoopsInPreorder();
  return static_cast<std::size_t>(std::ranges::count_if(all, [](const llvm::Loop* l) { return l->isRotatedForm(); }));
}

/// What is kept from one function to the next.
struct dead_code_memory {
  midend::llvm_editor_workspace editor;
  midend::dead_code_workspace workspace;
  midend::dead_code_plan plan;
};

void remove_by_midend(llvm::Function& f) {
  static dead_code_memory memory;
  midend::llvm_editor editor(f, {}, memory.editor, midend::llvm_value_numbers::when_asked);
  midend::remove_dead_code(editor, {}, memory.workspace, memory.plan);
}

std::size_t instructions_of(llvm::Function& f) {
  return f.getInstructionCount();
}

void clean_by_midend(llvm::Function& f) {
  static midend::llvm_editor_workspace memory; // kept from one function to the next
  static midend::clean_control_workspace workspace;
  midend::llvm_editor editor(f, {}, memory, midend::llvm_value_numbers::when_asked);
  midend::clean_control(editor, workspace);
}

std::size_t blocks_of(llvm::Function& f) {
  return f.size();
}

/// Whether LLVM finds both forms in a function that midend has changed.
bool is_accepted(llvm::Function& f) {
  if (llvm::verifyFunction(f)) {
    return false;
  }
  llvm::EliminateUnreachableBlocks(f); // LLVM counts dead predecessors of exits
  const llvm::DominatorTree tree(f);
  const llvm::LoopInfo loops(tree);
  return std::ranges::all_of(loops.getLoopsInPreorder(), [&](const llvm::Loop* l) {
    return l->isLoopSimplifyForm() && l->isRecursivelyLCSSAForm(tree, loops);
  });
}

/// Whether all loops of a procedure that midend has changed have both forms; a second application finds nothing to do.
bool has_forms(midend::elbrus::procedure& p) {
  const auto found = midend::dominators_and_loops(p);
  for (const midend::loop_id l : found.loops.loops()) {
    if (!midend::is_loop_simplify_form(p, found.loops, l)) {
      return false;
    }
  }
  midend::elbrus::editor editor(p);
  return midend::close_loops(editor).plan.phis.empty();
}

/// What a benchmark counts once, after the change.
struct result_counter {
  const char* name;
  std::size_t (*count)(llvm::Function&);
};

void count_time(benchmark::State& state, std::size_t instructions) {
  using benchmark::Counter;
  state.counters["ns_per_instruction"] =
      Counter(static_cast<double>(instructions) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["instructions"] = static_cast<double>(instructions);
}

template <class Change>
void measure(benchmark::State& state, const std::string& path, Change change, bool checks, result_counter result) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, problem, context);
  if (module == nullptr) {
    state.SkipWithError(("cannot read " + path).c_str());
    return;
  }
  std::size_t instructions = 0;
  for (const llvm::Function& f : *module) {
    instructions += f.getInstructionCount();
  }
  if (checks) {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    for (llvm::Function& f : *copy) {
      if (!f.isDeclaration() && by_midend(f) == 0 && !is_accepted(f)) {
        state.SkipWithError(("LLVM denies the forms of loops in " + f.getName().str()).c_str());
        return;
      }
    }
  }
  if (result.count != nullptr) {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    std::size_t total = 0;
    for (llvm::Function& f : *copy) {
      if (!f.isDeclaration()) {
        change(f);
        total += result.count(f);
      }
    }
    state.counters[result.name] = static_cast<double>(total);
  }
  std::vector<std::vector<double>> times; // of each function
  for (auto _ : state) {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    state.SetIterationTime(time_of_functions(*copy, change, times));
  }
  state.counters["ms_by_medians"] = 1000 * sum_of_medians(std::move(times));
  count_time(state, instructions);
}

void measure_elbrus(benchmark::State& state, const std::string& path) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, problem, context);
  if (module == nullptr) {
    state.SkipWithError(("cannot read " + path).c_str());
    return;
  }
  std::size_t instructions = 0;
  for (const llvm::Function& f : *module) {
    instructions += f.getInstructionCount();
    if (!f.isDeclaration()) {
      midend::elbrus::procedure changed = elbrus_of_llvm(f);
      midend::elbrus::editor editor(changed);
      if (make_forms(editor) == 0 && !has_forms(changed)) {
        state.SkipWithError(("a loop lacks its form in " + f.getName().str()).c_str());
        return;
      }
    }
  }
  std::vector<std::vector<double>> times; // of each function
  for (auto _ : state) {
    std::vector<midend::elbrus::procedure> all; // made anew: a copy would have no room for one value more
    for (const llvm::Function& f : *module) {
      if (!f.isDeclaration()) {
        all.push_back(elbrus_of_llvm(f));
      }
    }
    std::chrono::duration<double> time{};
    times.resize(all.size());
    for (std::size_t k = 0; k != all.size(); ++k) {
      const auto start = std::chrono::steady_clock::now();
      midend::elbrus::editor editor(all[k]);
      benchmark::DoNotOptimize(make_forms(editor));
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      time += taken;
      times[k].push_back(taken.count());
    }
    state.SetIterationTime(time.count());
  }
  state.counters["ms_by_medians"] = 1000 * sum_of_medians(std::move(times));
  count_time(state, instructions);
}

template <class Change>
void add(const std::string& name, const std::string& path, Change change, bool checks = false,
         result_counter result = {nullptr, nullptr}) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { measure(state, path, change, checks, result); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace

void register_llvm_loop_forms() {
  for (const std::filesystem::path& file : bitcode_files()) {
    const std::string set = file.stem().string();
    const std::string path = file.string();
    add("loop_forms/llvm/" + set, path, by_llvm);
    add("loop_forms/midend/" + set, path, [](llvm::Function& f) { benchmark::DoNotOptimize(by_midend(f)); }, true);
    add("loop_forms/midend_fresh/" + set, path,
        [](llvm::Function& f) { benchmark::DoNotOptimize(by_midend_fresh(f)); });
    add("loop_forms/midend_editor/" + set, path, [](llvm::Function& f) {
      const midend::llvm_editor editor(f);
      benchmark::DoNotOptimize(editor.graph().num_nodes());
    });
    benchmark::RegisterBenchmark(("loop_forms/elbrus/" + set).c_str(),
                                 [path](benchmark::State& state) { measure_elbrus(state, path); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    add("rotation/llvm/" + set, path, rotate_by_llvm, false, {"rotated", rotated_loops});
    add("rotation/midend/" + set, path, rotate_by_midend, false, {"rotated", rotated_loops});
    add("dead_code/llvm/" + set, path, remove_by_llvm, false, {"instructions_left", instructions_of});
    add("dead_code/midend/" + set, path, remove_by_midend, false, {"instructions_left", instructions_of});
    add("clean_control/llvm/" + set, path, clean_by_llvm, false, {"blocks_left", blocks_of});
    add("clean_control/midend/" + set, path, clean_by_midend, false, {"blocks_left", blocks_of});
  }
}

} // namespace midend_benchmarks
