/// Whether two instructions of LLVM compute equal results, and which promises they make, for certificates. For LLVM 19.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_description.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Alignment.h>
#include <llvm/Support/AtomicOrdering.h>
#include <llvm/Support/Casting.h>

#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Metadata without influence on the program.
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

/// Whether `i` has all metadata of `other` that is a promise, with equal contents.
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

/// Tells `out` the attributes of a call: those that `drop_promises` of an editor drops are promises.
inline void describe_llvm_attributes(const llvm::CallBase& call, operation_description& out) {
  llvm::AttributeList rest = call.getAttributes();
  if (!rest.isEmpty()) {
    using kind = llvm::Attribute::AttrKind;
    constexpr kind of_all[] = {kind::NoUndef, kind::Dereferenceable, kind::DereferenceableOrNull};
    constexpr kind of_results[] = {kind::Range, kind::Alignment, kind::NonNull};
    const auto take = [&](kind k, unsigned index) {
      if (rest.hasAttributeAtIndex(index, k)) {
        constexpr std::uint64_t first_attribute = std::uint64_t{1} << 32;
        out.promise(first_attribute + (std::uint64_t{index} << 32 | static_cast<std::uint64_t>(k)),
                    reinterpret_cast<std::uintptr_t>(rest.getAttributeAtIndex(index, k).getRawPointer()));
        rest = rest.removeAttributeAtIndex(call.getContext(), index, k);
      }
    };
    for (const kind k : of_results) {
      take(k, llvm::AttributeList::ReturnIndex);
    }
    for (const kind k : of_all) {
      take(k, llvm::AttributeList::ReturnIndex);
      for (unsigned i = 0; i != call.arg_size(); ++i) {
        take(k, llvm::AttributeList::FirstArgIndex + i);
      }
    }
  }
  out.attribute(reinterpret_cast<std::uintptr_t>(rest.getRawPointer()));
}

} // namespace detail

/// Describes an instruction of its context, apart from operands and blocks: opcode, types, predicate, alignment,
/// ordering, attributes of calls and operand bundles are attributes, and so are operands that are no values to midend
/// (metadata, inline assembly). Flags (`nsw`, `exact`, `inbounds`, fast-math, …) and metadata (`!range`, `!tbaa`, …)
/// are promises, and so are the attributes of a call that `drop_promises` of an editor drops. O(operands and metadata).
///
/// These are the members that `llvm::Instruction::isSameOperationAs` compares, and a few more.
inline void describe_llvm_operation(const llvm::Instruction& i, operation_description& out) {
  const auto address = [&](const void* p) { out.attribute(reinterpret_cast<std::uintptr_t>(p)); };
  out.attribute(std::uint64_t{i.getOpcode()} | std::uint64_t{i.getNumOperands()} << 32);
  address(i.getType());
  for (const llvm::Use& operand : i.operands()) {
    address(operand->getType());
    if (llvm::isa<llvm::MetadataAsValue>(operand) || llvm::isa<llvm::InlineAsm>(operand)) {
      address(operand.get());
    }
  }
  const auto access = [&](bool is_volatile, llvm::Align align, llvm::SyncScope::ID scope) {
    out.attribute(std::uint64_t{is_volatile} | std::uint64_t{llvm::Log2(align)} << 8 | std::uint64_t{scope} << 16);
  };
  const auto order = [&](llvm::AtomicOrdering ordering) { out.attribute(static_cast<std::uint64_t>(ordering)); };
  const auto numbers = [&](const auto& all) {
    out.attribute(all.size());
    for (const auto n : all) {
      out.attribute(static_cast<std::uint64_t>(n));
    }
  };
  if (const auto* const slot = llvm::dyn_cast<llvm::AllocaInst>(&i)) {
    address(slot->getAllocatedType());
    out.attribute(std::uint64_t{llvm::Log2(slot->getAlign())} | std::uint64_t{slot->isUsedWithInAlloca()} << 8 |
                  std::uint64_t{slot->isSwiftError()} << 9);
  } else if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
    access(load->isVolatile(), load->getAlign(), load->getSyncScopeID());
    order(load->getOrdering());
  } else if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
    access(store->isVolatile(), store->getAlign(), store->getSyncScopeID());
    order(store->getOrdering());
  } else if (const auto* const fence = llvm::dyn_cast<llvm::FenceInst>(&i)) {
    order(fence->getOrdering());
    out.attribute(fence->getSyncScopeID());
  } else if (const auto* const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
    access(exchange->isVolatile(), exchange->getAlign(), exchange->getSyncScopeID());
    order(exchange->getSuccessOrdering());
    order(exchange->getFailureOrdering());
    out.attribute(exchange->isWeak() ? 1 : 0);
  } else if (const auto* const change = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
    access(change->isVolatile(), change->getAlign(), change->getSyncScopeID());
    order(change->getOrdering());
    out.attribute(change->getOperation());
  } else if (const auto* const comparison = llvm::dyn_cast<llvm::CmpInst>(&i)) {
    out.attribute(comparison->getPredicate());
  } else if (const auto* const gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
    address(gep->getSourceElementType());
  } else if (const auto* const insertion = llvm::dyn_cast<llvm::InsertValueInst>(&i)) {
    numbers(insertion->getIndices());
  } else if (const auto* const extraction = llvm::dyn_cast<llvm::ExtractValueInst>(&i)) {
    numbers(extraction->getIndices());
  } else if (const auto* const shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&i)) {
    numbers(shuffle->getShuffleMask());
  } else if (const auto* const pad = llvm::dyn_cast<llvm::LandingPadInst>(&i)) {
    out.attribute(pad->isCleanup() ? 1 : 0);
  } else if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i)) {
    const auto* const plain = llvm::dyn_cast<llvm::CallInst>(call);
    out.attribute(std::uint64_t{call->getCallingConv()} |
                  (plain == nullptr ? 0 : static_cast<std::uint64_t>(plain->getTailCallKind())) << 32);
    address(call->getFunctionType());
    detail::describe_llvm_attributes(*call, out);
    out.attribute(call->getNumOperandBundles());
    for (unsigned k = 0; k != call->getNumOperandBundles(); ++k) {
      const llvm::OperandBundleUse bundle = call->getOperandBundleAt(k);
      out.attribute(std::uint64_t{bundle.getTagID()} | std::uint64_t{bundle.Inputs.size()} << 32);
    }
  }
  for (unsigned flag = 0; i.getRawSubclassOptionalData() >> flag != 0; ++flag) {
    if ((i.getRawSubclassOptionalData() >> flag & 1) != 0) {
      out.promise(flag);
    }
  }
  if (i.hasMetadataOtherThanDebugLoc()) {
    constexpr std::uint64_t first_metadata = 256;
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> all;
    i.getAllMetadataOtherThanDebugLoc(all);
    for (const auto& [kind, node] : all) {
      if (!detail::is_llvm_remark(kind)) {
        out.promise(first_metadata + kind, reinterpret_cast<std::uintptr_t>(node));
      }
    }
  }
}

/// Whether `other`, which may be in another function of the context, computes what `i` does from equal operands, and
/// promises no more: by `describe_llvm_operation`. Terminators may lead to other blocks.
inline bool is_same_llvm_operation(const llvm::Instruction& i, const llvm::Instruction& other) {
  flat_array<std::uint64_t> attributes;
  flat_array<described_promise> promises;
  operation_description kept(attributes, promises);
  describe_llvm_operation(i, kept);
  operation_description compared(span<const std::uint64_t>(attributes.data(), attributes.size()),
                                 span<const described_promise>(promises.data(), promises.size()));
  describe_llvm_operation(other, compared);
  return compared.is_same();
}

MIDEND_END_NAMESPACE
