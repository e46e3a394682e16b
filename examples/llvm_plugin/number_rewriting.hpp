/// What passes share that make operations of numbers, and leave the control flow as it is.
#pragma once

#include "certificate.hpp"

#include <midend/adapters/llvm_editor.hpp>
#include <midend/ir/ids.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Analysis.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <utility>

/// A closed form reads values that the loop may not read: of no iteration, `start + 0 * step` is poison if the step is.
/// And it reads one number where the loop may read an undefined value twice. So the operations that were made, from
/// `first` on, at the ends of blocks, read a `freeze` of what may be poison or undefined. `place` is the block of that,
/// for an operation.
template <class Place> void freeze_operands(const midend::llvm_editor& editor, midend::value_id first, Place place) {
  llvm::SmallPtrSet<const llvm::Value*, 16> made;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::Instruction*> first_made;
  llvm::SmallVector<llvm::Instruction*, 16> operations;
  for (midend::value_id v = first; v < editor.num_values(); ++v) {
    auto* const i = llvm::dyn_cast<llvm::Instruction>(editor.value(v));
    if (i != nullptr && i->getParent() != nullptr) {
      made.insert(i);
      if (!llvm::isa<llvm::PHINode>(i)) {
        operations.push_back(i);
        first_made.insert({i->getParent(), i}); // what is read by another one comes first
      }
    }
  }
  llvm::DenseMap<std::pair<const llvm::BasicBlock*, const llvm::Value*>, llvm::Value*> frozen;
  for (llvm::Instruction* const i : operations) {
    for (llvm::Use& use : i->operands()) {
      llvm::Value* const old = use.get();
      if (made.contains(old) || !old->getType()->isIntegerTy() || llvm::isGuaranteedNotToBeUndefOrPoison(old)) {
        continue;
      }
      llvm::BasicBlock* const block = place(*i);
      llvm::Value*& now = frozen[{block, old}];
      if (now == nullptr) {
        llvm::Instruction* const at = first_made.lookup(block);
        now = new llvm::FreezeInst(old, old->getName() + ".fr",
                                   (at == nullptr ? block->getTerminator() : at)->getIterator());
      }
      use.set(now);
    }
  }
}

/// Calls `rewrite(editor, proof, first)` until it returns that nothing was changed. `first` is the number of the first
/// value that it may make. After each call, LLVM's verifier looks at the function if `verify`.
template <class Rewrite>
llvm::PreservedAnalyses rewrite_numbers(llvm::Function& f, llvm::StringRef pass, bool verify, Rewrite rewrite) {
  bool has_changed = false;
  for (bool goes_on = true; goes_on;) {
    certificate proof(f, pass, verify);
    {
      midend::llvm_editor editor(f);
      const auto first = static_cast<midend::value_id>(editor.num_values());
      goes_on = rewrite(editor, proof, first);
    }
    proof.check_function();
    has_changed = has_changed || goes_on;
  }
  llvm::PreservedAnalyses preserved = llvm::PreservedAnalyses::all();
  if (has_changed) {
    preserved = llvm::PreservedAnalyses::none();
    preserved.preserveSet<llvm::CFGAnalyses>();
  }
  return preserved;
}
