/// Memory that a function uses by name: its local variables, and global variables and functions.
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalValue.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace llvm_to_eir {

/// What a constant address is made of, without its numbers: the operand at the end of geps and casts.
inline const llvm::Value* root_of(const llvm::Value* v) {
  for (const auto* e = llvm::dyn_cast<llvm::ConstantExpr>(v); e != nullptr; e = llvm::dyn_cast<llvm::ConstantExpr>(v)) {
    const unsigned code = e->getOpcode();
    if (code != llvm::Instruction::GetElementPtr && code != llvm::Instruction::PtrToInt &&
        code != llvm::Instruction::IntToPtr) {
      break;
    }
    v = e->getOperand(0);
  }
  return v;
}

/// The allocas, then the globals whose address is used, in the order of the code. The IR has no names for places in
/// memory, so the procedure has a parameter for the address of each, after those of the function.
inline llvm::SmallSetVector<const llvm::Value*, 8> places_of(const llvm::Function& f) {
  llvm::SmallSetVector<const llvm::Value*, 8> places;
  for (const llvm::Instruction& i : llvm::instructions(f)) {
    if (llvm::isa<llvm::AllocaInst>(i)) {
      places.insert(&i);
    }
  }
  for (const llvm::Instruction& i : llvm::instructions(f)) {
    for (const llvm::Use& use : i.operands()) {
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
      const llvm::Value* const root = root_of(use.get());
      if (llvm::isa<llvm::GlobalValue>(root) && (call == nullptr || !call->isCallee(&use))) {
        places.insert(root);
      }
    }
  }
  return places;
}

} // namespace llvm_to_eir
