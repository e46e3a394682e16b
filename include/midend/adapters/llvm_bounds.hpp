/// The ranges that an LLVM function promises for loaded numbers, results and arguments. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/ir/semantics.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>

#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether to call `llvm_bounds`, which is slow because it reads tables.
inline bool may_have_llvm_bounds(const llvm::Instruction& i) {
  const bool is_load = i.getOpcode() == llvm::Instruction::Load;
  const bool is_bounded_load = is_load && i.hasMetadataOtherThanDebugLoc();
  return (is_bounded_load || llvm::isa<llvm::CallBase>(i)) && is_llvm_number(i.getType());
}

/// The range of an intrinsic's result for constant and unknown operands: the number of leading zeros is at most the
/// width.
inline std::optional<llvm::ConstantRange> llvm_intrinsic_range(const llvm::IntrinsicInst& i) {
  if (!llvm::ConstantRange::isIntrinsicSupported(i.getIntrinsicID())) {
    return std::nullopt;
  }
  llvm::SmallVector<llvm::ConstantRange, 2> args;
  for (const llvm::Value* const arg : i.args()) {
    const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(arg);
    args.push_back(number != nullptr ? llvm::ConstantRange(number->getValue())
                                     : llvm::ConstantRange::getFull(arg->getType()->getIntegerBitWidth()));
  }
  return llvm::ConstantRange::intrinsic(i.getIntrinsicID(), args);
}

inline std::optional<llvm::ConstantRange> llvm_range(const llvm::Value& v) {
  if (const auto* const argument = llvm::dyn_cast<llvm::Argument>(&v)) {
    return argument->getRange();
  }
  const auto& i = llvm::cast<llvm::Instruction>(v);
  if (const llvm::MDNode* const range = i.getMetadata(llvm::LLVMContext::MD_range)) {
    return llvm::getConstantRangeFromMetadata(*range);
  }
  if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
    return llvm_intrinsic_range(*intrinsic);
  }
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call == nullptr ? std::nullopt : call->getRange();
}

} // namespace detail

/// The range of an argument, or of an instruction other than arithmetic: from its `range` attribute, its `!range`, or
/// the intrinsic. Nothing if it has all numbers, or if it wraps both as an unsigned and as a signed range. Requires a
/// number of up to 64 bits.
inline std::optional<number_range> llvm_bounds(const llvm::Value& v) {
  const std::optional<llvm::ConstantRange> range = detail::llvm_range(v);
  if (!range || range->isFullSet() || range->isEmptySet()) {
    return std::nullopt;
  }
  if (!range->isWrappedSet()) {
    return number_range{range->getUnsignedMin().getZExtValue(), range->getUnsignedMax().getZExtValue(), false};
  }
  if (!range->isSignWrappedSet()) {
    return number_range{range->getSignedMin().getZExtValue(), range->getSignedMax().getZExtValue(), true};
  }
  return std::nullopt;
}

MIDEND_END_NAMESPACE
