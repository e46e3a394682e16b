/// The effects of LLVM's instructions besides computing a value, for the effects rung of the IR contract. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_same_operation.hpp"
#include "midend/config.hpp"
#include "midend/ir/effects.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/Casting.h>

#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether the opcode alone shows that an instruction only computes from its operands.
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

/// The effect of an instruction besides computing a value, for transformations. Unlike `llvm_effect`, which prices
/// operations, it believes the attributes of calls: `memory(none)` is `none`, `memory(read)` is `reads`.
///
/// A slot on the stack (`alloca`) is `none`, since an unused one can go; see `llvm_is_repeatable`. Pads of exceptions,
/// atomic accesses, fences, and the intrinsics that write no memory but must stay where they are (`llvm.assume`,
/// lifetimes, `llvm.sideeffect`) are `writes` or `unknown`: LLVM declares them to write. O(1).
inline effect_kind llvm_operation_effect(const llvm::Instruction& i) {
  if (detail::only_computes(i)) {
    return effect_kind::none;
  }
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i); load != nullptr && load->isSimple()) {
    return effect_kind::reads; // the questions below are slow
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

namespace detail {

/// Attributes of arguments and results whose breach is undefined behaviour at once, not only poison.
inline bool has_ub_attributes(const llvm::AttributeList& attributes) {
  return attributes.hasAttrSomewhere(llvm::Attribute::NoUndef) ||
         attributes.hasAttrSomewhere(llvm::Attribute::Dereferenceable) ||
         attributes.hasAttrSomewhere(llvm::Attribute::DereferenceableOrNull);
}

/// Metadata whose breach is not undefined behaviour: remarks, hints, and metadata whose breach makes the result poison.
inline bool is_harmless_llvm_metadata(unsigned kind) {
  switch (kind) {
  case llvm::LLVMContext::MD_range:
  case llvm::LLVMContext::MD_nonnull:
  case llvm::LLVMContext::MD_align:
  case llvm::LLVMContext::MD_fpmath:
  case llvm::LLVMContext::MD_nosanitize:
  case llvm::LLVMContext::MD_nontemporal:
  case llvm::LLVMContext::MD_pcsections:
    return true;
  default:
    return is_llvm_remark(kind);
  }
}

/// Whether an instruction makes promises that `drop_promises` of an editor drops and whose breach is undefined
/// behaviour.
inline bool has_llvm_ub_promises(const llvm::Instruction& i) {
  if (i.hasMetadataOtherThanDebugLoc()) {
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> all;
    i.getAllMetadataOtherThanDebugLoc(all);
    for (const auto& one : all) {
      if (!is_harmless_llvm_metadata(one.first)) {
        return true;
      }
    }
  }
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call != nullptr && has_ub_attributes(call->getAttributes());
}

/// Whether the address of a load that LLVM calls safe is safe wherever the load may go: it is an argument, a global, or
/// a slot. For the result of an instruction, safety may rest on metadata, which is dropped when that instruction runs
/// early.
inline bool is_lasting_llvm_address(const llvm::Value* pointer) {
  return llvm::isa<llvm::Argument, llvm::GlobalValue, llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
}

} // namespace detail

/// Whether an instruction may trap even without its flags, attributes and metadata. Promises of the declaration of a
/// function about its arguments stay.
inline bool llvm_may_trap_without_promises(const llvm::Instruction& i) {
  if (i.isTerminator()) {
    return llvm::isa<llvm::CallBase>(i) || llvm::isa<llvm::UnreachableInst>(i);
  }
  if (!llvm::isSafeToSpeculativelyExecute(&i)) {
    return true;
  }
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
    return !detail::is_lasting_llvm_address(load->getPointerOperand());
  }
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && detail::has_ub_attributes(callee->getAttributes());
}

/// Whether running the instruction where it did not run before may make the program undefined or end it. LLVM does not
/// speculate such an instruction, or only if it drops `noundef`, `dereferenceable` and metadata such as `!noundef`,
/// `!tbaa` and `!invariant.load`. Poison alone is no trap: an addition that promises not to overflow, and a load with
/// `!range` or `!nonnull`, may run early, if their uses stay. Terminators trap if they are calls or `unreachable`.
inline bool llvm_may_trap(const llvm::Instruction& i) {
  return llvm_may_trap_without_promises(i) || (!i.isTerminator() && detail::has_llvm_ub_promises(i));
}

/// Whether an instruction may keep its earlier result when it is executed again with equal operands and equal contents
/// of memory. False for an `alloca`, for a token, which names the instruction itself, and for a read of a register by
/// its name; also for a call in a coroutine that is not split yet, which may continue in another thread between the two
/// (LLVM itself moves none there). A `freeze` may repeat its choice.
inline bool llvm_is_repeatable(const llvm::Instruction& i) {
  if (detail::only_computes(i)) {
    return true;
  }
  if (llvm::isa<llvm::AllocaInst>(i) || i.getType()->isTokenTy()) {
    return false;
  }
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call == nullptr ||
         (!call->hasFnAttr(llvm::Attribute::ReturnsTwice) && call->getIntrinsicID() != llvm::Intrinsic::read_register &&
          !call->isMustTailCall() && !(i.getFunction() != nullptr && i.getFunction()->isPresplitCoroutine()));
}

/// Whether the threads that run a call together matter: it has the attribute `convergent`, or takes or makes tokens of
/// convergence.
inline bool llvm_is_convergent(const llvm::Instruction& i) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call != nullptr &&
         (call->isConvergent() || call->getOperandBundle(llvm::LLVMContext::OB_convergencectrl).has_value());
}

/// Whether instructions of other blocks may be put before the terminator. False if that does more than branch, as in
/// LLVM's `isLegalToHoistInto`: for an `invoke` or `callbr`, whose result is computed after them, and for the ends of
/// funclets. So nothing moves into a funclet from outside.
inline bool llvm_accepts_operations(const llvm::BasicBlock& b) {
  const llvm::Instruction* const end = b.getTerminator();
  return end == nullptr || !end->isSpecialTerminator();
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

/// Whether a loop that goes back by this terminator may not run for ever without effects: the metadata
/// `llvm.loop.mustprogress`, or the attribute `mustprogress` or `willreturn` of the function.
inline bool llvm_must_end(const llvm::Instruction& terminator) {
  return terminator.getFunction()->mustProgress() ||
         llvm::findOptionMDForLoopID(terminator.getMetadata(llvm::LLVMContext::MD_loop), "llvm.loop.mustprogress") !=
             nullptr;
}

MIDEND_END_NAMESPACE
