// Unrolling by four of the innermost loops of a module, with a remainder where the trip count is computed before the
// loop, one function at a time, with the analyses that it needs:
//
//   unrolling_by_four/llvm/SET          dominator tree, loops, scalar evolution, and UnrollLoop of each loop
//   unrolling_by_four/midend/SET        editor, loops, view, the plans, and both transformations
//   unrolling_by_four/midend_exits/SET  the same, and the exits that are never taken are dropped
//
// The loops are in the forms that LLVM needs, which is not measured, and only functions with such loops count. midend
// unrolls more of them (`loops`), and copies without simplifying, so times are compared by what was cloned:
// `ns_per_clone` counts the operations of a loop as often as it was copied, with the remainder. LLVM's time includes
// the simplification of the copies, and midend_exits the tests that LLVM drops on the way.
//
// The sets are each NAME.bc in the directory that the environment variable MIDEND_BITCODE_DIRECTORY names, see
// sqlite3_bitcode.sh. Each iteration works on a fresh copy of the module, which is not measured.
#include "llvm_unrolling.hpp"

#include "bitcode_files.hpp"
#include "llvm_functions_timed.hpp"

#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_unrolling_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/transform/unroll_with_remainder.hpp>
#include <midend/transform/untaken_exits.hpp>

#include <benchmark/benchmark.h>

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace midend_benchmarks {
namespace {

constexpr unsigned factor = 4;

struct work_done {
  std::size_t loops = 0;
  std::size_t cloned = 0;
};

std::size_t size_of(const llvm::Loop& l) {
  std::size_t size = 0;
  for (const llvm::BasicBlock* const b : l.blocks()) {
    size += b->size();
  }
  return size;
}

work_done by_llvm(llvm::Function& f) {
  static const llvm::TargetLibraryInfoImpl library_of_any_target;
  work_done out;
  llvm::DominatorTree tree(f);
  llvm::LoopInfo loops(tree);
  llvm::AssumptionCache assumptions(f);
  llvm::TargetLibraryInfo library(library_of_any_target, &f);
  llvm::ScalarEvolution evolution(f, library, assumptions, tree, loops);
  const llvm::TargetTransformInfo target(f.getDataLayout());
  llvm::OptimizationRemarkEmitter remarks(&f);
  std::vector<llvm::Loop*> innermost;
  for (llvm::Loop* const l : loops.getLoopsInPreorder()) {
    if (l->isInnermost()) {
      innermost.push_back(l);
    }
  }
  for (llvm::Loop* const l : innermost) {
    const std::size_t size = size_of(*l);
    llvm::UnrollLoopOptions options{};
    options.Count = factor;
    options.Force = true;
    options.Runtime = true;
    options.AllowExpensiveTripCount = true;
    llvm::Loop* remainder = nullptr;
    const llvm::LoopUnrollResult result =
        llvm::UnrollLoop(l, options, &loops, &evolution, &tree, &assumptions, &target, &remarks, true, &remainder);
    if (result != llvm::LoopUnrollResult::Unmodified) {
      ++out.loops;
      out.cloned += size * (factor - (remainder == nullptr ? 1u : 0u));
    }
  }
  return out;
}

/// One plan for loops with remainder and one for the others, each with an editor of its own as in a compiler that wants
/// certificates.
work_done by_midend(llvm::Function& f) {
  work_done out;
  std::vector<const llvm::BasicBlock*> others;
  {
    midend::llvm_editor editor(f);
    const auto found = midend::dominators_and_loops(editor.graph());
    std::vector<midend::unrolling_request> requests;
    for (const midend::loop_id l : found.loops.loops()) {
      if (found.loops.subloops(l).size() == 1) {
        requests.push_back({l, {midend::unrolling_kind::partial, factor, midend::remainder_placement::epilogue}});
      }
    }
    if (requests.empty()) {
      return out;
    }
    const midend::llvm_unrolling_view view(editor);
    const auto plan = midend::plan_unroll_with_remainder(view, found.loops, requests, {.max_cloned = 1u << 24});
    midend::flat_array<midend::remainder_refusal> refused;
    for (const midend::remainder_unrolling& x : plan.unrollings) {
      ++out.loops;
      for (std::uint32_t i = 0; i != x.num_nodes; ++i) {
        out.cloned += factor * editor.block(plan.nodes[x.first_node + i])->size();
      }
    }
    midend::apply_unroll_with_remainder(editor, plan, refused);
    for (const midend::remainder_refusal& r : plan.refused) {
      if (r.why != midend::remainder_refusal_reason::not_copied) {
        others.push_back(editor.block(found.loops.header(r.loop)));
      }
    }
  }
  if (!others.empty()) {
    midend::llvm_editor editor(f);
    const auto found = midend::dominators_and_loops(editor.graph());
    std::vector<midend::unrolling_request> requests;
    for (const llvm::BasicBlock* const b : others) {
      requests.push_back({found.loops.innermost_loop(editor.node(b)), {midend::unrolling_kind::partial, factor}});
    }
    const auto plan = midend::plan_unroll_loops(editor, found.loops, requests, {.max_cloned = 1u << 24});
    out.loops += plan.unrollings.size();
    out.cloned += plan.cloned;
    midend::apply_unroll_loops(editor, plan);
  }
  return out;
}

work_done by_midend_with_exits(llvm::Function& f) {
  const work_done out = by_midend(f);
  if (out.loops != 0) {
    midend::llvm_editor editor(f);
    const auto found = midend::dominators_and_loops(editor.graph());
    midend::apply_untaken_exits(editor, midend::plan_untaken_exits(midend::llvm_unrolling_view(editor), found.loops));
  }
  return out;
}

/// Brings the loops into the forms that LLVM needs, and keeps the functions that have some.
void prepare(llvm::Module& m) {
  for (llvm::Function& f : m) {
    if (f.isDeclaration()) {
      continue;
    }
    llvm::DominatorTree tree(f);
    llvm::LoopInfo loops(tree);
    llvm::AssumptionCache assumptions(f);
    for (llvm::Loop* const l : loops) {
      llvm::simplifyLoop(l, &tree, &loops, nullptr, &assumptions, nullptr, false);
    }
    for (llvm::Loop* const l : loops) {
      llvm::formLCSSARecursively(*l, tree, &loops, nullptr);
    }
    if (loops.empty()) {
      f.deleteBody();
    }
  }
}

template <class Change> void measure(benchmark::State& state, const std::string& path, Change change) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, problem, context);
  if (module == nullptr) {
    state.SkipWithError(("cannot read " + path).c_str());
    return;
  }
  prepare(*module);
  work_done done;
  {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    for (llvm::Function& f : *copy) {
      if (!f.isDeclaration()) {
        const work_done of_function = change(f);
        done.loops += of_function.loops;
        done.cloned += of_function.cloned;
        if (llvm::verifyFunction(f)) {
          state.SkipWithError(("LLVM denies " + f.getName().str()).c_str());
          return;
        }
      }
    }
  }
  std::vector<std::vector<double>> times; // of each function
  for (auto _ : state) {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    state.SetIterationTime(time_of_functions(*copy, change, times));
  }
  using benchmark::Counter;
  state.counters["ns_per_clone"] =
      Counter(static_cast<double>(done.cloned) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["loops"] = static_cast<double>(done.loops);
  state.counters["cloned"] = static_cast<double>(done.cloned);
}

template <class Change> void add(const std::string& name, const std::string& path, Change change) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { measure(state, path, change); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace

void register_llvm_unrolling() {
  for (const std::filesystem::path& file : bitcode_files()) {
    const std::string set = file.stem().string();
    const std::string path = file.string();
    add("unrolling_by_four/llvm/" + set, path, by_llvm);
    add("unrolling_by_four/midend/" + set, path, by_midend);
    add("unrolling_by_four/midend_exits/" + set, path, by_midend_with_exits);
  }
}

} // namespace midend_benchmarks
