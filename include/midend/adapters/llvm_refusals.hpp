/// Parts of an LLVM function that must not be changed, and why. For LLVM 19.
#pragma once

#include "midend/config.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why an edge cannot be redirected, or why an instruction must not be copied.
enum class llvm_refusal : std::uint8_t {
  none,
  exception_edge,  ///< the edge leads to a landing pad or a similar block, which only exceptions may enter
  funclet_edge,    ///< the edge leaves a `catchswitch`, `catchret` or `cleanupret`, whose blocks form a funclet
  indirect_branch, ///< `indirectbr`: its targets are addresses that the program holds
  assembly_goto,   ///< `callbr`: the target is a label of inline assembly
  address_taken,   ///< the address of the target is taken, so it must stay a block of its own
  convergent,      ///< the result of the call depends on the threads that run it together
  no_duplicate,    ///< a call that the program forbids to copy
  token,           ///< the result is a token, which no phi can choose from
  returns_twice,   ///< a call such as `setjmp`
  alias_scope,     ///< the declaration of a scope of `noalias`: copies would need scopes of their own
  frame            ///< it belongs to the frame of the function: `swifterror`, `inalloca`, `llvm.localescape`
};

/// A refusal in words.
constexpr const char* to_words(llvm_refusal refusal) {
  switch (refusal) {
  case llvm_refusal::none:
    return "nothing is against it";
  case llvm_refusal::exception_edge:
    return "the edge is taken by exceptions";
  case llvm_refusal::funclet_edge:
    return "the edge belongs to a funclet of exception handling";
  case llvm_refusal::indirect_branch:
    return "the targets of an indirect branch are addresses";
  case llvm_refusal::assembly_goto:
    return "the target is a label of inline assembly";
  case llvm_refusal::address_taken:
    return "the address of the target is taken";
  case llvm_refusal::convergent:
    return "the call is convergent";
  case llvm_refusal::no_duplicate:
    return "the call must not be duplicated";
  case llvm_refusal::token:
    return "the result is a token";
  case llvm_refusal::returns_twice:
    return "the call may return twice";
  case llvm_refusal::alias_scope:
    return "it declares a scope of noalias";
  case llvm_refusal::frame:
    return "it belongs to the frame of the function";
  }
  return "";
}

/// Why the target of an edge cannot be changed, and no block be put on it: `end` is the terminator, `slot` the number
/// of the successor. Only the unwind edge of an `invoke` and the edges of funclets lead to pads, as LLVM's verifier
/// demands, so the operations of the target are not looked at. O(1).
inline llvm_refusal llvm_edge_refusal(const llvm::Instruction& end, unsigned slot) {
  const auto of_target = [](const llvm::BasicBlock& target) {
    return target.hasAddressTaken() ? llvm_refusal::address_taken : llvm_refusal::none;
  };
  if (const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&end)) { // without a call
    return of_target(*branch->getSuccessor(slot));
  }
  switch (end.getOpcode()) {
  case llvm::Instruction::IndirectBr:
    return llvm_refusal::indirect_branch;
  case llvm::Instruction::CallBr:
    if (slot != 0) {
      return llvm_refusal::assembly_goto;
    }
    break;
  case llvm::Instruction::CatchSwitch:
  case llvm::Instruction::CatchRet:
  case llvm::Instruction::CleanupRet:
    return llvm_refusal::funclet_edge;
  case llvm::Instruction::Invoke:
    if (slot != 0) {
      return llvm_refusal::exception_edge;
    }
    break;
  default:
    break;
  }
  return of_target(*end.getSuccessor(slot));
}

/// Why a function must not contain a second copy of an instruction. Inline assembly may be copied, as LLVM does itself.
/// O(1).
inline llvm_refusal llvm_copy_refusal(const llvm::Instruction& i) {
  if (i.getType()->isTokenTy()) {
    return llvm_refusal::token;
  }
  if (const auto* const slot = llvm::dyn_cast<llvm::AllocaInst>(&i)) {
    return slot->isSwiftError() || slot->isUsedWithInAlloca() ? llvm_refusal::frame : llvm_refusal::none;
  }
  switch (i.getOpcode()) {
  case llvm::Instruction::IndirectBr:
    return llvm_refusal::indirect_branch;
  case llvm::Instruction::CatchRet:
  case llvm::Instruction::CleanupRet:
    return llvm_refusal::funclet_edge;
  default:
    break;
  }
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr) {
    return llvm_refusal::none;
  }
  if (llvm::isa<llvm::CallBrInst>(call)) {
    return llvm_refusal::assembly_goto;
  }
  if (call->cannotDuplicate()) {
    return llvm_refusal::no_duplicate;
  }
  if (call->isConvergent()) {
    return llvm_refusal::convergent;
  }
  if (call->hasFnAttr(llvm::Attribute::ReturnsTwice)) {
    return llvm_refusal::returns_twice;
  }
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::experimental_noalias_scope_decl:
    return llvm_refusal::alias_scope;
  case llvm::Intrinsic::localescape:
    return llvm_refusal::frame;
  default:
    return llvm_refusal::none;
  }
}

MIDEND_END_NAMESPACE
