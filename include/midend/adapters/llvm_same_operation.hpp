/// Whether two instructions of LLVM compute the same and which promises they make, for certificates. For LLVM 19.
#pragma once

#include "midend/config.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/Attributes.h>
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

/// Whether the attributes of a call are those of another one, or lack some of those that `drop_promises` of an editor
/// drops.
inline bool has_llvm_attributes_or_less(const llvm::CallBase& call, const llvm::CallBase& other) {
  const llvm::AttributeList a = call.getAttributes();
  const llvm::AttributeList b = other.getAttributes();
  if (a == b) {
    return true;
  }
  using kind = llvm::Attribute::AttrKind;
  constexpr kind of_all[] = {kind::NoUndef, kind::Dereferenceable, kind::DereferenceableOrNull};
  constexpr kind of_results[] = {kind::Range, kind::Alignment, kind::NonNull};
  llvm::AttributeMask dropped;
  llvm::AttributeMask dropped_of_results;
  for (const kind k : of_all) {
    dropped.addAttribute(k);
    dropped_of_results.addAttribute(k);
  }
  for (const kind k : of_results) {
    dropped_of_results.addAttribute(k);
  }
  const auto has_no_other = [&](kind k, unsigned index) {
    return !b.hasAttributeAtIndex(index, k) || a.getAttributeAtIndex(index, k) == b.getAttributeAtIndex(index, k);
  };
  llvm::LLVMContext& context = call.getContext();
  bool same = true;
  llvm::AttributeList x = a.removeRetAttributes(context, dropped_of_results);
  llvm::AttributeList y = b.removeRetAttributes(context, dropped_of_results);
  for (const kind k : of_results) {
    same = same && has_no_other(k, llvm::AttributeList::ReturnIndex);
  }
  for (const kind k : of_all) {
    same = same && has_no_other(k, llvm::AttributeList::ReturnIndex);
    for (unsigned i = 0; i != call.arg_size(); ++i) {
      same = same && has_no_other(k, llvm::AttributeList::FirstArgIndex + i);
    }
  }
  for (unsigned i = 0; i != call.arg_size(); ++i) {
    x = x.removeParamAttributes(context, i, dropped);
    y = y.removeParamAttributes(context, i, dropped);
  }
  return same && x == y;
}

/// Whether two calls are the same, apart from the values that they read, and from promises that the other one does not
/// make.
inline bool is_same_llvm_call(const llvm::CallBase& call, const llvm::CallBase& other) {
  if (call.getOpcode() != other.getOpcode() || call.getFunctionType() != other.getFunctionType() ||
      call.getNumOperands() != other.getNumOperands() || call.getCallingConv() != other.getCallingConv() ||
      !call.hasIdenticalOperandBundleSchema(other)) {
    return false;
  }
  for (unsigned k = 0; k != call.getNumOperands(); ++k) {
    if (call.getOperand(k)->getType() != other.getOperand(k)->getType()) {
      return false;
    }
  }
  const auto* const a = llvm::dyn_cast<llvm::CallInst>(&call);
  return (a == nullptr || a->getTailCallKind() == llvm::cast<llvm::CallInst>(other).getTailCallKind()) &&
         has_llvm_attributes_or_less(call, other);
}

} // namespace detail

/// Whether `other`, which may be in another function of the same context, computes what `i` does from the same
/// operands, and promises no more: its flags (`nsw`, `exact`, `inbounds`, fast-math, …) and metadata (`!range`,
/// `!tbaa`, …) are among those of `i`. Types, predicates, alignments, orderings, attributes of calls and operand
/// bundles must be equal; of the attributes, those that `drop_promises` of an editor drops may be missing. Operands
/// that are no values to midend (metadata, inline assembly) must be the same. Terminators may lead to other blocks.
/// Expected O(operands and metadata).
inline bool is_same_llvm_operation(const llvm::Instruction& i, const llvm::Instruction& other) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  const auto* const other_call = llvm::dyn_cast<llvm::CallBase>(&other);
  const bool same = call != nullptr && other_call != nullptr ? detail::is_same_llvm_call(*call, *other_call)
                                                             : i.isSameOperationAs(&other);
  if (!same || (other.getRawSubclassOptionalData() & ~i.getRawSubclassOptionalData()) != 0) {
    return false;
  }
  if (call != nullptr) {
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
