/// `llvm_memory_editor`: an `llvm_editor` that also shows addresses. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_cost.hpp"
#include "midend/adapters/llvm_editor.hpp"
#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/support/detail/hash_map.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// An `llvm_editor` with addresses, as `llvm_cost` has them: base + index · scale + offset, and a class of memory for
/// each object that LLVM identifies. They are read from the present instructions at each question. Accesses of
/// structures and arrays, which have padding, may be anywhere, and so may calls: their attributes say only whether they
/// access memory at all. Making one costs no more than making an `llvm_editor`.
class llvm_memory_editor : public llvm_editor {
public:
  explicit llvm_memory_editor(llvm::Function& f, const llvm_fold_options& options = {})
      : llvm_editor(f, options), layout_(&f.getDataLayout()) {
    objects_.clear(16);
  }

  bool is_little_endian() const { return layout_->isLittleEndian(); }

  /// Nothing for operations that may access any memory.
  std::optional<memory_reference> memory(value_id v) const {
    const llvm::Instruction* const i = instruction_or_null(v);
    const llvm::Value* const pointer = i == nullptr ? nullptr : llvm::getLoadStorePointerOperand(i);
    if (pointer == nullptr || i->isAtomic() || !detail::is_llvm_address(pointer->getType(), *layout_)) {
      return std::nullopt;
    }
    const bool stores = llvm::isa<llvm::StoreInst>(i);
    const llvm::Type* const type = stores ? i->getOperand(0)->getType() : i->getType();
    const llvm::TypeSize size = layout_->getTypeStoreSize(const_cast<llvm::Type*>(type));
    const detail::llvm_address address = detail::llvm_address_of(
        pointer, *layout_, [this](const llvm::Value* base) { return number(base) != no_value; });
    const value_id base = number(address.base);
    const value_id index = address.index == nullptr ? no_value : number(address.index);
    if (size.isScalable() || type->isAggregateType() || base == no_value ||
        (address.index != nullptr && index == no_value)) {
      return std::nullopt;
    }
    return memory_reference{.base = base,
                            .index = index,
                            .stored = stores ? operands(v)[0] : no_value,
                            .bytes = static_cast<std::uint32_t>(size.getFixedValue()),
                            .memory = object_of(pointer),
                            .scale = static_cast<std::int64_t>(address.scale),
                            .offset = static_cast<std::int64_t>(address.offset),
                            .is_volatile = i->isVolatile(),
                            .bits = bits_of(type)};
  }

  /// A number that no object has. `make_load` and `make_store` do not read it: LLVM's objects are the classes.
  std::uint32_t make_memory_class() { return num_objects_++; }

protected:
  const llvm::Instruction* instruction_or_null(value_id v) const { return llvm::dyn_cast<llvm::Instruction>(value(v)); }

private:
  /// For a type that is not scalable.
  std::uint32_t bits_of(const llvm::Type* type) const {
    return static_cast<std::uint32_t>(layout_->getTypeSizeInBits(const_cast<llvm::Type*>(type)).getFixedValue());
  }

  /// The class of memory of an address.
  std::uint32_t object_of(const llvm::Value* pointer) const {
    const llvm::Value* const object = llvm::getUnderlyingObject(pointer);
    if (!llvm::isIdentifiedObject(object)) {
      return any_memory;
    }
    const std::uint32_t found = objects_.find_or_insert(object, num_objects_);
    num_objects_ += found == num_objects_ ? 1u : 0u;
    return found;
  }

  const llvm::DataLayout* layout_;
  mutable detail::hash_map<const llvm::Value*> objects_; ///< objects found so far, and their classes
  mutable std::uint32_t num_objects_ = 0;
};

static_assert(memory_editor<llvm_memory_editor> && memory_ir<llvm_memory_editor> &&
              has_is_little_endian<llvm_memory_editor>);

MIDEND_END_NAMESPACE
