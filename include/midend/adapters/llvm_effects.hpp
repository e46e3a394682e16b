/// What an instruction of LLVM does besides computing a value, as the effects rung of the IR contract asks. For
/// LLVM 19.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/effects.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether an instruction is one of the many that only compute from their operands, by a look at its number alone.
inline bool only_computes(const llvm::Instruction& i) {
  switch (i.getOpcode()) {
  case llvm::Instruction::PHI:
  case llvm::Instruction::ICmp:
  case llvm::Instruction::FCmp:
  case llvm::Instruction::Select:
  case llvm::Instruction::GetElementPtr:
    return true;
  default:
    return i.isBinaryOp() || i.isCast();
  }
}

} // namespace detail

/// What an instruction does besides computing a value, for transformations. Unlike `llvm_effect`, which prices
/// operations, it believes the attributes of calls: `memory(none)` is `none`, `memory(read)` is `reads`.
///
/// A slot on the stack (`alloca`) is `none`, since an unused one can go. Pads of exceptions, atomic accesses, fences,
/// and the intrinsics that write no memory but must stay where they are (`llvm.assume`, lifetimes, `llvm.sideeffect`)
/// are `writes` or `unknown`: LLVM declares them to write. O(1).
inline effect_kind llvm_operation_effect(const llvm::Instruction& i) {
  if (detail::only_computes(i)) {
    return effect_kind::none;
  }
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i); load != nullptr && load->isSimple()) {
    return effect_kind::reads; // what follows is slow
  }
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&i); store != nullptr && store->isSimple()) {
    return effect_kind::writes;
  }
  if (i.isEHPad()) {
    return effect_kind::unknown;
  }
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (i.mayWriteToMemory()) {
    return call != nullptr || i.isAtomic() ? effect_kind::unknown : effect_kind::writes;
  }
  return i.mayReadFromMemory() ? effect_kind::reads : effect_kind::none;
}

/// Whether running the instruction where it did not run before may make the program undefined or end it. Poison alone
/// does not: an addition that promises not to overflow may run early, if its uses stay where they are. Terminators trap
/// if they are calls or `unreachable`.
inline bool llvm_may_trap(const llvm::Instruction& i) {
  if (i.isTerminator()) {
    return llvm::isa<llvm::CallBase>(i) || llvm::isa<llvm::UnreachableInst>(i);
  }
  return !llvm::isSafeToSpeculativelyExecute(&i);
}

/// Whether the instruction is a volatile access.
inline bool llvm_is_volatile(const llvm::Instruction& i) {
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
    return load->isVolatile();
  }
  return !detail::only_computes(i) && i.isVolatile();
}

/// Whether control may not reach the next operation: a call that may end the program, throw or loop.
inline bool llvm_may_not_return(const llvm::Instruction& i) {
  return llvm::isa<llvm::CallBase>(i) && (i.mayThrow(true) || !i.willReturn());
}

MIDEND_END_NAMESPACE
