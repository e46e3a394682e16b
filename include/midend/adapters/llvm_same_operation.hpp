/// Whether two instructions of LLVM compute the same and which promises they make, for certificates. For LLVM 19.
#pragma once

#include "midend/config.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Metadata that says nothing about what the program does.
inline bool is_llvm_remark(unsigned kind) {
  switch (kind) {
  case llvm::LLVMContext::MD_dbg:
  case llvm::LLVMContext::MD_prof:
  case llvm::LLVMContext::MD_loop:
  case llvm::LLVMContext::MD_annotation:
  case llvm::LLVMContext::MD_DIAssignID:
  case llvm::LLVMContext::MD_unpredictable:
    return true;
  default:
    return false;
  }
}

/// Whether `i` has all metadata of `other` that promises something, with the same contents.
inline bool has_llvm_metadata_of(const llvm::Instruction& i, const llvm::Instruction& other) {
  if (!other.hasMetadataOtherThanDebugLoc()) {
    return true;
  }
  llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> all;
  other.getAllMetadataOtherThanDebugLoc(all);
  for (const auto& [kind, node] : all) {
    if (!is_llvm_remark(kind) && i.getMetadata(kind) != node) {
      return false;
    }
  }
  return true;
}

/// Whether `i` promises something that `other`, of the same opcode, does not: flags, metadata, attributes of a call.
inline bool llvm_promises_more(const llvm::Instruction& i, const llvm::Instruction& other) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  return (i.getRawSubclassOptionalData() & ~other.getRawSubclassOptionalData()) != 0 ||
         !has_llvm_metadata_of(other, i) ||
         (call != nullptr && call->getAttributes() != llvm::cast<llvm::CallBase>(other).getAttributes());
}

/// Whether an instruction promises anything: also an attribute such as `range` at a call.
inline bool llvm_promises_something(const llvm::Instruction& i) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  return i.getRawSubclassOptionalData() != 0 || i.hasMetadataOtherThanDebugLoc() ||
         (call != nullptr && !call->getAttributes().isEmpty());
}

} // namespace detail

/// Whether `other`, which may be in another function of the same context, computes what `i` does from the same
/// operands, and promises no more: its flags (`nsw`, `exact`, `inbounds`, fast-math, …) and metadata (`!range`,
/// `!tbaa`, …) are among those of `i`. Types, predicates, alignments, orderings, attributes of calls and operand
/// bundles must be equal. Operands that are no values to midend (metadata, inline assembly) must be the same.
/// Terminators may lead to other blocks. Expected O(operands and metadata).
inline bool is_same_llvm_operation(const llvm::Instruction& i, const llvm::Instruction& other) {
  if (!i.isSameOperationAs(&other) || (other.getRawSubclassOptionalData() & ~i.getRawSubclassOptionalData()) != 0) {
    return false;
  }
  if (llvm::isa<llvm::CallBase>(i)) {
    for (unsigned k = 0; k != i.getNumOperands(); ++k) {
      const llvm::Value* const a = i.getOperand(k);
      const llvm::Value* const b = other.getOperand(k);
      if (a->getValueID() != b->getValueID() &&
          (llvm::isa<llvm::MetadataAsValue>(a) || llvm::isa<llvm::MetadataAsValue>(b))) {
        return false;
      }
      if ((llvm::isa<llvm::MetadataAsValue>(a) || llvm::isa<llvm::InlineAsm>(a)) && a != b) {
        return false;
      }
    }
  }
  return detail::has_llvm_metadata_of(i, other);
}

MIDEND_END_NAMESPACE
