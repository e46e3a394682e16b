/// Addresses: what a load or store reaches through `getelementptr`.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Operator.h>

#include <cstdint>

namespace llvm_to_eir {

/// The variable and the constant part of one gep.
struct gep_offset {
  llvm::MapVector<llvm::Value*, llvm::APInt> terms; ///< indices, with their strides in bytes
  llvm::APInt constant = llvm::APInt(64, 0);
  bool is_known = false; ///< not of a vector whose size is not known
};

inline gep_offset offset_of(const llvm::GEPOperator& gep, const llvm::DataLayout& layout) {
  gep_offset out;
  out.is_known = gep.collectOffset(layout, 64, out.terms, out.constant);
  return out;
}

/// `[base + index*scale + offset]`.
struct flat_address {
  const llvm::Value* base = nullptr;
  const llvm::Value* index = nullptr; ///< null if there is none
  std::uint32_t scale = 1;
  std::int64_t offset = 0;
};

/// Goes up through geps as long as the address has one index at most, with a stride from 1 to 2^31.
inline flat_address flat_address_of(const llvm::Value* pointer, const llvm::DataLayout& layout) {
  flat_address out{pointer};
  while (const auto* const gep = llvm::dyn_cast<llvm::GEPOperator>(out.base)) {
    const gep_offset here = offset_of(*gep, layout);
    if (!here.is_known || here.terms.size() + (out.index != nullptr ? 1u : 0u) > 1) {
      break;
    }
    if (!here.terms.empty()) {
      const auto& [index, stride] = here.terms.front();
      if (!stride.isStrictlyPositive() || stride.getActiveBits() > 31 || index->getType()->isIntegerTy(1)) {
        break;
      }
      out.index = index;
      out.scale = static_cast<std::uint32_t>(stride.getZExtValue());
    }
    out.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.offset) + here.constant.getZExtValue());
    out.base = gep->getPointerOperand();
  }
  return out;
}

} // namespace llvm_to_eir
