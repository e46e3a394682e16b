/// Which operands of LLVM's instructions are values to midend, and how both count them. For LLVM 19.
#pragma once

#include "midend/config.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Support/Casting.h>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// How far chains of `getelementptr` and `insertvalue` are followed. They must be bounded, since in an unreachable
/// block an instruction of LLVM may be its own operand.
inline constexpr int longest_llvm_chain = 256;

/// Whether LLVM's operand number `at` is one for midend: blocks, metadata, inline assembly and the cases of a switch
/// are not. Null, which is what was erased, is.
inline bool is_llvm_operand(const llvm::Instruction& i, unsigned at) {
  if (llvm::isa<llvm::SwitchInst>(i)) {
    return at == 0;
  }
  const llvm::Value* const v = i.getOperand(at);
  return v == nullptr ||
         !(llvm::isa<llvm::BasicBlock>(v) || llvm::isa<llvm::MetadataAsValue>(v) || llvm::isa<llvm::InlineAsm>(v));
}

/// Whether both count the operands of an instruction alike, as far as there are any.
inline bool counts_operands_as_llvm(const llvm::Instruction& i) {
  switch (i.getOpcode()) {
  case llvm::Instruction::Call:
  case llvm::Instruction::Invoke:
  case llvm::Instruction::CallBr:
  case llvm::Instruction::CatchSwitch:
  case llvm::Instruction::CatchRet:
  case llvm::Instruction::CleanupRet:
    return false;
  default:
    return true;
  }
}

/// midend's number of LLVM's operand.
inline unsigned operand_number(const llvm::Instruction& i, unsigned llvm_number) {
  if (counts_operands_as_llvm(i)) {
    return llvm_number;
  }
  unsigned number = 0;
  for (unsigned at = 0; at != llvm_number; ++at) {
    number += is_llvm_operand(i, at) ? 1u : 0u;
  }
  return number;
}

/// LLVM's number of midend's operand.
inline unsigned llvm_operand_number(const llvm::Instruction& i, unsigned number) {
  if (counts_operands_as_llvm(i)) {
    return number;
  }
  unsigned at = 0;
  while (number != 0 || !is_llvm_operand(i, at)) {
    number -= is_llvm_operand(i, at) ? 1u : 0u;
    ++at;
  }
  return at;
}

} // namespace detail

MIDEND_END_NAMESPACE
