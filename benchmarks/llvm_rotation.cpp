// Rotation of loops by itself: all loops of a module are in loop-simplify and closed form before, and in both forms
// after, and they are rotated one function at a time, with the analyses that it takes:
//
//   rotation_alone/llvm/SET              dominator tree, loops, and LoopRotation of each loop, inner ones first
//   rotation_alone/llvm_analyses/SET     the part of it that makes dominator tree, loops and a cache of assumptions
//   rotation_alone/midend/SET            editor, rotate_loops, close_loops
//   rotation_alone/midend_analyses/SET   the part of it that makes and destroys the editor, dominators and loops
//
// LLVM brings the loops into the forms for both, which is not measured. Only functions count of which both rotate a
// loop. `cloned` counts the operations of the headers that were rotated, without phis; LLVM moves some of them to the
// preheader instead, and simplifies copies. `ns_per_clone` is the sum over the functions of the median of their times,
// divided by that.
//
// Before times are taken, LLVM's predicates confirm both forms of all loops that each leaves; `rotated` are the loops
// with an exit at their only latch afterwards.
// The sets are each NAME.bc in the directory that the environment variable MIDEND_BITCODE_DIRECTORY names, see
// sqlite3_bitcode.sh. Each iteration works on a fresh copy of the module, which is not measured.
#include "llvm_rotation.hpp"

#include "bitcode_files.hpp"
#include "llvm_counterparts.hpp"
#include "llvm_functions_timed.hpp"
#include "medians.hpp"

#include <midend/adapters/llvm_editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/rotate_loops.hpp>

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
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace midend_benchmarks {
namespace {

std::size_t size_without_phis(const llvm::BasicBlock& b) {
  return static_cast<std::size_t>(std::distance(b.getFirstNonPHIIt(), b.end()));
}

/// Returns how many operations were in the headers.
std::size_t by_llvm(llvm::Function& f) {
  llvm::DominatorTree tree(f);
  llvm::LoopInfo loops(tree);
  llvm::AssumptionCache assumptions(f);
  const llvm::TargetTransformInfo target(f.getDataLayout());
  const llvm::SimplifyQuery query(f.getDataLayout(), nullptr, &tree, &assumptions);
  const auto all = loops.getLoopsInPreorder();
  std::size_t cloned = 0;
  for (auto l = all.rbegin(); l != all.rend(); ++l) {
    const std::size_t size = size_without_phis(*(*l)->getHeader());
    if (llvm::LoopRotation(*l, &loops, &target, &assumptions, &tree, nullptr, nullptr, query, true, 16, false)) {
      cloned += size;
    }
  }
  return cloned;
}

void analyse_by_llvm(llvm::Function& f) {
  llvm::DominatorTree tree(f);
  llvm::LoopInfo loops(tree);
  llvm::AssumptionCache assumptions(f);
  benchmark::DoNotOptimize(&loops);
}

std::size_t by_midend(llvm::Function& f) {
  static midend::llvm_editor_workspace memory; // kept from one function to the next
  midend::llvm_editor editor(f, {}, memory);
  auto rotated = midend::rotate_loops(editor);
  std::size_t cloned = 0;
  for (const midend::rotation& r : rotated.plan.rotations) {
    cloned += size_without_phis(*editor.block(r.header));
  }
  midend::close_loops(editor, std::move(rotated));
  return cloned;
}

void analyse_by_midend(llvm::Function& f) {
  static midend::llvm_editor_workspace memory;
  midend::llvm_editor editor(f, {}, memory);
  benchmark::DoNotOptimize(midend::dominators_and_loops(editor.graph()).loops.num_loops());
}

struct loops_after {
  bool have_forms;
  std::size_t rotated;
};

loops_after look_at(llvm::Function& f) {
  if (llvm::verifyFunction(f)) {
    return {false, 0};
  }
  llvm::EliminateUnreachableBlocks(f); // LLVM counts dead predecessors of exits
  const llvm::DominatorTree tree(f);
  const llvm::LoopInfo loops(tree);
  loops_after out{true, 0};
  for (const llvm::Loop* const l : loops.getLoopsInPreorder()) {
    out.have_forms = out.have_forms && l->isLoopSimplifyForm() && l->isRecursivelyLCSSAForm(tree, loops);
    out.rotated += l->isRotatedForm() ? 1u : 0u;
  }
  return out;
}

void make_forms(llvm::Function& f) {
  llvm::DominatorTree tree(f);
  llvm::LoopInfo loops(tree);
  llvm::AssumptionCache assumptions(f);
  make_forms_by_llvm(tree, loops, assumptions);
}

/// A module in which only functions have bodies that count.
struct rotation_input {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::string problem; ///< of the first function that has one
  std::size_t functions = 0;
  std::size_t cloned_by_llvm = 0;
  std::size_t cloned_by_midend = 0;
  std::size_t rotated_by_llvm = 0;
  std::size_t rotated_by_midend = 0;
};

void prepare(rotation_input& in, const std::string& path) {
  llvm::SMDiagnostic diagnostic;
  in.module = llvm::parseIRFile(path, diagnostic, in.context);
  if (in.module == nullptr) {
    in.problem = "cannot read " + path;
    return;
  }
  for (llvm::Function& f : *in.module) {
    if (!f.isDeclaration()) {
      make_forms(f);
    }
  }
  const std::unique_ptr<llvm::Module> theirs = llvm::CloneModule(*in.module);
  const std::unique_ptr<llvm::Module> ours = llvm::CloneModule(*in.module);
  auto their = theirs->begin();
  auto our = ours->begin();
  for (llvm::Function& f : *in.module) {
    llvm::Function& of_llvm = *their++;
    llvm::Function& of_midend = *our++;
    if (f.isDeclaration()) {
      continue;
    }
    const bool had_forms = look_at(f).have_forms; // an edge that cannot be split may be in the way
    const std::size_t cloned_by_llvm = by_llvm(of_llvm);
    const std::size_t cloned_by_midend = by_midend(of_midend);
    if (cloned_by_llvm == 0 || cloned_by_midend == 0) {
      f.deleteBody();
      continue;
    }
    const loops_after left_by_llvm = look_at(of_llvm);
    const loops_after left_by_midend = look_at(of_midend);
    if (had_forms && !(left_by_llvm.have_forms && left_by_midend.have_forms)) {
      in.problem = "LLVM denies the forms of loops in " + f.getName().str() +
                   (left_by_llvm.have_forms ? " by midend" : " by LLVM");
      return;
    }
    ++in.functions;
    in.cloned_by_llvm += cloned_by_llvm;
    in.cloned_by_midend += cloned_by_midend;
    in.rotated_by_llvm += left_by_llvm.rotated;
    in.rotated_by_midend += left_by_midend.rotated;
  }
}

template <class Change> void measure(benchmark::State& state, const std::string& path, bool is_midend, Change change) {
  rotation_input in;
  prepare(in, path);
  if (!in.problem.empty()) {
    state.SkipWithError(in.problem.c_str());
    return;
  }
  std::vector<std::vector<double>> times; // of each function
  for (auto _ : state) {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*in.module);
    state.SetIterationTime(time_of_functions(*copy, change, times));
  }
  const std::size_t cloned = is_midend ? in.cloned_by_midend : in.cloned_by_llvm;
  const double seconds = sum_of_medians(std::move(times));
  state.counters["ms_by_medians"] = 1e3 * seconds;
  state.counters["ns_per_clone"] = 1e9 * seconds / static_cast<double>(cloned);
  state.counters["cloned"] = static_cast<double>(cloned);
  state.counters["rotated"] = static_cast<double>(is_midend ? in.rotated_by_midend : in.rotated_by_llvm);
  state.counters["functions"] = static_cast<double>(in.functions);
}

template <class Change> void add(const std::string& name, const std::string& path, bool is_midend, Change change) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { measure(state, path, is_midend, change); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace

void register_llvm_rotation() {
  for (const std::filesystem::path& file : bitcode_files()) {
    const std::string set = file.stem().string();
    const std::string path = file.string();
    add("rotation_alone/llvm/" + set, path, false, by_llvm);
    add("rotation_alone/llvm_analyses/" + set, path, false, analyse_by_llvm);
    add("rotation_alone/midend/" + set, path, true, by_midend);
    add("rotation_alone/midend_analyses/" + set, path, true, analyse_by_midend);
  }
}

} // namespace midend_benchmarks
