/// `midend-compare`: stops the compiler if an analysis of LLVM, as the pass manager keeps it, differs from midend's.
#pragma once

#include "comparison.hpp"

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

/// Compares dominators, dominance frontiers, post-dominators, loops, their forms, and cycles. It uses what the pass
/// manager has, so it also finds a pass before it that claims to preserve an analysis and does not.
struct compare_pass : llvm::PassInfoMixin<compare_pass> {
  bool quiet = false; ///< prints nothing about functions without difference

  static llvm::StringRef name() { return "midend_compare_pass"; }

  /// Functions marked `optnone` are compared, too: nothing is changed.
  static bool isRequired() { return true; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& analyses) {
    comparison_totals sum;
    llvm_comparison(f,
                    {analyses.getResult<llvm::DominatorTreeAnalysis>(f),
                     analyses.getResult<llvm::PostDominatorTreeAnalysis>(f), analyses.getResult<llvm::LoopAnalysis>(f),
                     analyses.getResult<llvm::CycleAnalysis>(f)},
                    sum)
        .run();
    if (!quiet || sum.differences != 0) {
      llvm::errs() << "midend-compare: " << f.getName() << ": " << sum.blocks << " blocks, " << sum.loops << " loops ("
                   << sum.simplified << " in loop-simplify form), " << sum.cycles << " cycles (" << sum.irreducible
                   << " irreducible): " << sum.differences << " answers differ from LLVM's\n";
    }
    if (sum.differences != 0) {
      llvm::report_fatal_error("midend-compare: midend and LLVM disagree", false);
    }
    return llvm::PreservedAnalyses::all();
  }
};
