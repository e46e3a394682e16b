/// What LLVM has for transformations of midend, so that both can be given the same work.
#pragma once

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/Casting.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace midend_benchmarks {

/// Loop-simplify and closed form of all loops, for `simplify_loops` and `close_loops`.
inline void make_forms_by_llvm(llvm::DominatorTree& tree, llvm::LoopInfo& loops, llvm::AssumptionCache& assumptions) {
  for (llvm::Loop* const l : loops) {
    llvm::simplifyLoop(l, &tree, &loops, nullptr, &assumptions, nullptr, false);
  }
  for (llvm::Loop* const l : loops) {
    llvm::formLCSSARecursively(*l, tree, &loops, nullptr);
  }
}

/// ADCE, for `remove_dead_code`.
inline void remove_by_llvm(llvm::Function& f) {
  llvm::FunctionAnalysisManager analyses;
  analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses.registerPass([] { return llvm::PostDominatorTreeAnalysis(); });
  llvm::ADCEPass().run(f, analyses);
}

/// The four functions for the four changes of `clean_control`, until nothing changes. `simplifycfg` would do much else.
inline void clean_by_llvm(llvm::Function& f) {
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock& block : f) {
      changed |= llvm::ConstantFoldTerminator(&block, true);
    }
    changed |= llvm::removeUnreachableBlocks(f);
    for (llvm::BasicBlock& block : llvm::make_early_inc_range(f)) {
      changed |= llvm::MergeBlockIntoPredecessor(&block);
    }
    for (llvm::BasicBlock& block : llvm::make_early_inc_range(f)) {
      const auto* const jump = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      changed |= jump != nullptr && jump->isUnconditional() && !block.isEntryBlock() &&
                 block.getFirstNonPHIOrDbg() == jump && llvm::TryToSimplifyUncondBranchFromEmptyBlock(&block);
    }
  }
}

} // namespace midend_benchmarks
