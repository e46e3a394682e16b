// mem2reg_comparison FILE.bc...: how many phis `construct_ssa` and LLVM's `PromoteMemToReg` place for the stack slots
// of each module, and the functions in which slots, or phis of a block, differ. Ends with status 1 if there are any.
#include "llvm_ssa_construction.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/SourceMgr.h>

#include <cstddef>
#include <memory>

int main(int argc, char** argv) {
  using namespace midend_benchmarks;
  if (argc < 2) {
    llvm::errs() << "usage: midend_mem2reg_comparison FILE.bc|FILE.ll...\n";
    return 2;
  }
  bool all_agree = true;
  midend_ssa_construction ours;
  llvm_ssa_construction theirs;
  for (int i = 1; i != argc; ++i) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[i], problem, context);
    if (!module) {
      problem.print("midend_mem2reg_comparison", llvm::errs());
      return 2;
    }
    std::size_t functions = 0;
    std::size_t differing = 0;
    phi_counts sum;
    for (llvm::Function* const f : functions_with_slots(*module)) {
      const phi_counts counts = compare_phis(ours, theirs, *f);
      ++functions;
      sum.midend_slots += counts.midend_slots;
      sum.midend_phis += counts.midend_phis;
      sum.placed_phis += counts.placed_phis;
      sum.llvm_slots += counts.llvm_slots;
      sum.llvm_phis += counts.llvm_phis;
      if (!counts.agree()) {
        ++differing;
        llvm::outs() << f->getName() << ": midend " << counts.midend_slots << " slots, " << counts.midend_phis
                     << " phis; LLVM " << counts.llvm_slots << " slots, " << counts.llvm_phis << " phis; "
                     << counts.blocks_that_differ << " blocks differ\n";
      }
    }
    all_agree = all_agree && differing == 0;
    llvm::outs() << argv[i] << ": " << functions << " functions; midend " << sum.midend_slots << " slots, "
                 << sum.midend_phis << " phis (" << sum.placed_phis << " with those that agree); LLVM "
                 << sum.llvm_slots << " slots, " << sum.llvm_phis << " phis; " << differing << " functions differ\n";
  }
  return all_agree ? 0 : 1;
}
