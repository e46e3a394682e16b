/// Addresses of LLVM as base + index · scale + offset. For LLVM 19.
#pragma once

#include "midend/config.hpp"

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// base + index · scale + offset, modulo 2^64; an index of fewer bits is extended with its sign.
struct llvm_address {
  const llvm::Value* base = nullptr;
  const llvm::Value* index = nullptr; ///< or null
  std::uint64_t scale = 0;
  std::uint64_t offset = 0;
};

/// Whether a type is that of pointers of 64 bits.
inline bool is_llvm_address(const llvm::Type* type, const llvm::DataLayout& layout) {
  return type->isPointerTy() && layout.getPointerTypeSizeInBits(const_cast<llvm::Type*>(type)) == 64 &&
         layout.getIndexTypeSizeInBits(const_cast<llvm::Type*>(type)) == 64;
}

/// One `getelementptr`, if at most one of its indices is a variable, of up to 64 bits.
inline std::optional<llvm_address> llvm_address_step(const llvm::GEPOperator& gep, const llvm::DataLayout& layout) {
  llvm::MapVector<llvm::Value*, llvm::APInt> variables;
  llvm::APInt offset(64, 0);
  if (!is_llvm_address(gep.getType(), layout) || !gep.collectOffset(layout, 64, variables, offset) ||
      variables.size() > 1) {
    return std::nullopt;
  }
  llvm_address out{.base = gep.getPointerOperand(), .offset = offset.getZExtValue()};
  for (const auto& [index, scale] : variables) {
    if (index->getType()->getIntegerBitWidth() > 64) {
      return std::nullopt;
    }
    out.index = index;
    out.scale = scale.getZExtValue();
  }
  return out;
}

/// The address that `pointer` is: as many `getelementptr` as there are, one behind the other, with one variable index
/// in all. `may_be_base(value)` says which values are allowed for a base.
template <class MayBeBase>
llvm_address llvm_address_of(const llvm::Value* pointer, const llvm::DataLayout& layout, MayBeBase may_be_base) {
  llvm_address out{.base = pointer};
  while (const auto* const gep = llvm::dyn_cast<llvm::GEPOperator>(out.base)) {
    const std::optional<llvm_address> step = llvm_address_step(*gep, layout);
    if (!step || (step->index != nullptr && out.index != nullptr) || !may_be_base(step->base)) {
      break;
    }
    out.base = step->base;
    out.offset += step->offset;
    if (step->index != nullptr) {
      out.index = step->index;
      out.scale = step->scale;
    }
  }
  return out;
}

MIDEND_END_NAMESPACE
