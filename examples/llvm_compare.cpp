// llvm_compare FILE.bc|FILE.ll...: computes dominators, dominance frontiers, post-dominators, loops and cycles of
// every function with midend and with LLVM, and compares each answer. Ends with status 1 if one differs.
#include "llvm_plugin/comparison.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>

int main(int argc, char** argv) {
  if (argc < 2) {
    llvm::errs() << "usage: llvm_compare FILE.bc|FILE.ll...\n";
    return 2;
  }
  comparison_totals sum;
  for (int i = 1; i != argc; ++i) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[i], problem, context);
    if (!module) {
      problem.print("llvm_compare", llvm::errs());
      return 1;
    }
    for (llvm::Function& f : *module) {
      if (!f.isDeclaration()) {
        llvm::DominatorTree dominators(f);
        llvm::PostDominatorTree post_dominators(f);
        llvm::LoopInfo loops(dominators);
        llvm::CycleInfo cycles;
        cycles.compute(f);
        llvm_comparison(f, {dominators, post_dominators, loops, cycles}, sum).run();
      }
    }
  }
  llvm::outs() << sum.functions << " functions, " << sum.blocks << " blocks, " << sum.loops << " loops, " << sum.cycles
               << " cycles (" << sum.irreducible << " irreducible): " << sum.differences
               << " answers differ from LLVM's\n";
  return sum.differences == 0 ? 0 : 1;
}
