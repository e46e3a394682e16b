/// `llvm_memory_edits`: local arrays, loads and stores that are made. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operation_edits.hpp"
#include "midend/adapters/detail/llvm_places.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Type.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Alignment.h>
#include <llvm/Support/Casting.h>
#include <llvm/Support/TypeSize.h>

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory of the function's own, and accesses of bytes at base + index · scale + offset. Keeps nothing.
class llvm_memory_edits {
public:
  llvm_memory_edits(const llvm_numbered_blocks& blocks, const llvm_numbered_values& values, const llvm_places& places,
                    llvm_operation_edits& operations)
      : blocks_(blocks), values_(values), places_(places), operations_(operations) {}

  /// A slot on the stack, at the head of the entry. `no_value` if addresses of slots do not have 64 bits.
  value_id make_local_array(std::uint32_t bytes) {
    llvm::LLVMContext& context = blocks_.function().getContext();
    const llvm::DataLayout& layout = blocks_.function().getDataLayout();
    const unsigned space = layout.getAllocaAddrSpace();
    if (!is_llvm_address(llvm::PointerType::get(context, space), layout)) {
      return no_value;
    }
    values_.start_change();
    auto* const type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), bytes);
    auto* const slot = new llvm::AllocaInst(type, space, nullptr, llvm::Align(16));
    return operations_.add(*slot, place_at_head(blocks_.graph().entry()));
  }

  /// Of a slot of constant size in the entry.
  std::uint32_t local_array_bytes(value_id v) const {
    const auto* const slot = llvm::dyn_cast<llvm::AllocaInst>(&values_.value(v));
    if (slot == nullptr || values_.node_of(v) != blocks_.graph().entry() || slot->isUsedWithInAlloca() ||
        slot->isSwiftError()) {
      return 0;
    }
    const std::optional<llvm::TypeSize> size = slot->getAllocationSize(blocks_.function().getDataLayout());
    const bool fits = size && !size->isScalable() && size->getFixedValue() <= ~std::uint32_t{0};
    return fits ? static_cast<std::uint32_t>(size->getFixedValue()) : 0;
  }

  /// 0 for aggregates, whose padding is not kept, for pointers that are no numbers, and for types without a fixed size.
  std::uint32_t storage_bytes(value_id v) const {
    llvm::Type* const type = values_.value(v).getType();
    const llvm::DataLayout& layout = blocks_.function().getDataLayout();
    const bool is_pointer = type->isPtrOrPtrVectorTy();
    const bool is_kept =
        (type->isIntegerTy() || type->isFloatingPointTy() || is_pointer || llvm::isa<llvm::FixedVectorType>(type)) &&
        !llvm::isa<llvm::ScalableVectorType>(type) &&
        !(is_pointer && layout.isNonIntegralPointerType(type->getScalarType()));
    const std::uint64_t bytes = is_kept ? layout.getTypeStoreSize(type).getFixedValue() : std::uint64_t{0};
    return bytes <= ~std::uint32_t{0} ? static_cast<std::uint32_t>(bytes) : 0;
  }

  /// Makes a load, after a `getelementptr` if the address is not the base. The class is that of the object, and `m`
  /// cannot change it. `no_value` if the base is no pointer of 64 bits, the index is no number, its scale is not
  /// positive, or `m` has other bytes than the type.
  value_id make_load(value_id like, const memory_reference& m, place p) {
    if (!can_access(like, m)) {
      return no_value;
    }
    p = places_.settled(p);
    llvm::Value* const address = make_address(m, p);
    return operations_.add(*new llvm::LoadInst(values_.value(like).getType(), address, "", false, alignment_of(m)), p);
  }

  value_id make_store(value_id v, const memory_reference& m, place p) {
    if (!can_access(v, m)) {
      return no_value;
    }
    p = places_.settled(p);
    llvm::Value* const address = make_address(m, p);
    return operations_.add(*new llvm::StoreInst(&values_.value(v), address, false, alignment_of(m)), p);
  }

private:
  bool can_access(value_id v, const memory_reference& m) const {
    return m.base != no_value && is_llvm_address(values_.value(m.base).getType(), blocks_.function().getDataLayout()) &&
           (m.index == no_value || (is_llvm_integer(values_.value(m.index).getType()) && m.scale > 0)) &&
           m.bytes != 0 && m.bytes == storage_bytes(v);
  }

  /// base + index · scale + offset.
  llvm::Value* make_address(const memory_reference& m, place p) {
    values_.start_change();
    llvm::Type* const byte = llvm::Type::getInt8Ty(blocks_.function().getContext());
    llvm::Value* address = &values_.value(m.base);
    const auto add = [&](llvm::Type* type, llvm::Value* index) {
      auto* const sum = llvm::GetElementPtrInst::Create(type, address, {index});
      operations_.add(*sum, p);
      address = sum;
    };
    if (m.index != no_value) {
      add(llvm::ArrayType::get(byte, static_cast<std::uint64_t>(m.scale)), &values_.value(m.index));
    }
    if (m.offset != 0) {
      add(byte, llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(blocks_.function().getContext()), m.offset));
    }
    return address;
  }

  /// The alignment of an access: known for slots and globals, else one byte.
  llvm::Align alignment_of(const memory_reference& m) const {
    const llvm::Value& base = values_.value(m.base);
    if (!llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(base)) {
      return llvm::Align(1);
    }
    llvm::Align known = base.getPointerAlignment(blocks_.function().getDataLayout());
    known = m.index == no_value ? known : llvm::commonAlignment(known, static_cast<std::uint64_t>(m.scale));
    return llvm::commonAlignment(known, static_cast<std::uint64_t>(m.offset));
  }

  const llvm_numbered_blocks& blocks_;
  const llvm_numbered_values& values_;
  const llvm_places& places_;
  llvm_operation_edits& operations_;
};

} // namespace detail

MIDEND_END_NAMESPACE
