/// The addresses that a function of LLVM computes, and the places that it loads from and stores to. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_addresses.hpp"
#include "midend/adapters/llvm_ssa.hpp"
#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A `getelementptr` that has a word.
struct llvm_address_operation {
  operation_info info;
  std::array<value_id, 3> operands;
};

/// What `llvm_cost` says of memory. Read once, in the order of the function.
class llvm_memory {
public:
  void read(const llvm::Function& f, const llvm_ssa& ssa) {
    clear(f, ssa);
    for (value_id v = 0; v != ssa.num_instructions(); ++v) {
      read(v, instruction(v));
    }
    find_needed_addresses();
    ssa_ = nullptr;
  }

  /// Constants that LLVM has not: their numbers are behind those of `llvm_ssa`.
  std::span<const std::uint64_t> constants() const { return constants_; }

  /// Of an instruction: what it computes, if it is a `getelementptr` with a word; else null.
  const llvm_address_operation* address(value_id v) const {
    return address_of_[v] != none ? &addresses_[address_of_[v]] : nullptr;
  }

  /// Of an instruction, if it is a load or store.
  std::optional<memory_reference> place(value_id v) const {
    return place_of_[v] != none ? std::optional(places_[place_of_[v]]) : std::nullopt;
  }

  /// Of a `getelementptr`: whether it is more than part of loads and stores.
  bool is_needed(value_id v) const { return is_needed_[v] != 0; }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  const llvm::Instruction& instruction(value_id v) const { return *llvm::cast<llvm::Instruction>(ssa_->value(v)); }

  bool is_address(value_id v) const { return llvm::isa<llvm::GetElementPtrInst>(ssa_->value(v)); }

  void clear(const llvm::Function& f, const llvm_ssa& ssa) {
    ssa_ = &ssa;
    layout_ = &f.getDataLayout();
    address_of_.assign(ssa.num_instructions(), none);
    place_of_.assign(ssa.num_instructions(), none);
    is_needed_.assign(ssa.num_instructions(), 0);
    addresses_.clear();
    places_.clear();
    constants_.clear();
    objects_.clear(16);
    num_objects_ = 0;
  }

  void read(value_id v, const llvm::Instruction& i) {
    if (const auto* const gep = llvm::dyn_cast<llvm::GEPOperator>(&i)) {
      read_address(v, *gep);
    } else if (const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&i)) {
      if (!i.isAtomic() && is_llvm_address(pointer->getType(), *layout_)) {
        read_access(v, i, pointer);
      }
    }
  }

  void read_address(value_id v, const llvm::GEPOperator& gep) {
    const std::optional<llvm_address> step = llvm_address_step(gep, *layout_);
    if (!step) {
      return;
    }
    const value_id base = ssa_->number(step->base);
    if (step->index == nullptr) {
      const bool is_upward = gep.hasNoUnsignedSignedWrap() && static_cast<std::int64_t>(step->offset) >= 0;
      add_address(v, step->offset == 0 ? operation::copy : operation::add, {base, added(step->offset), no_value},
                  {.no_unsigned_wrap = gep.hasNoUnsignedWrap() || is_upward});
    } else if (step->offset == 0 && step->index->getType()->isIntegerTy(64)) {
      const value_id index = ssa_->number(step->index);
      if (step->scale == 1) {
        add_address(v, operation::add, {base, index, no_value});
      } else if (std::has_single_bit(step->scale)) {
        add_address(v, operation::shladd,
                    {index, added(static_cast<std::uint64_t>(std::countr_zero(step->scale))), base});
      }
    }
  }

  void add_address(value_id v, operation code, const std::array<value_id, 3>& operands, operation_flags flags = {}) {
    address_of_[v] = static_cast<std::uint32_t>(addresses_.size());
    addresses_.push_back({{code, 64, 64, code == operation::add ? flags : operation_flags()}, operands});
  }

  value_id added(std::uint64_t bits) {
    constants_.push_back(bits);
    return static_cast<value_id>(ssa_->num_values() + constants_.size() - 1);
  }

  llvm_address decomposed(const llvm::Value* pointer) const {
    return llvm_address_of(pointer, *layout_,
                           [this](const llvm::Value* base) { return ssa_->number(base) != no_value; });
  }

  void read_access(value_id v, const llvm::Instruction& i, const llvm::Value* pointer) {
    const llvm_address address = decomposed(pointer);
    const bool stores = llvm::isa<llvm::StoreInst>(i);
    const llvm::TypeSize size = layout_->getTypeStoreSize(stores ? i.getOperand(0)->getType() : i.getType());
    place_of_[v] = static_cast<std::uint32_t>(places_.size());
    places_.push_back({.base = ssa_->number(address.base),
                       .index = address.index == nullptr ? no_value : ssa_->number(address.index),
                       .stored = stores ? ssa_->operands(v)[0] : no_value,
                       .bytes = size.isScalable() ? 0 : static_cast<std::uint32_t>(size.getFixedValue()),
                       .memory = object_of(pointer),
                       .scale = static_cast<std::int64_t>(address.scale),
                       .offset = static_cast<std::int64_t>(address.offset),
                       .is_volatile = i.isVolatile()});
  }

  /// The class of memory that an address is in.
  std::uint32_t object_of(const llvm::Value* pointer) {
    const llvm::Value* const object = llvm::getUnderlyingObject(pointer);
    if (!llvm::isIdentifiedObject(object)) {
      return any_memory;
    }
    const std::uint32_t number = objects_.find_or_insert(object, num_objects_);
    num_objects_ += number == num_objects_;
    return number;
  }

  // Addresses that have to be computed: what others than loads and stores read, and the bases of these.

  void find_needed_addresses() {
    for (value_id v = 0; v != ssa_->num_instructions(); ++v) {
      if (!is_address(v)) {
        need_operands(v, instruction(v));
      }
    }
    while (!pending_.empty()) {
      const value_id v = pending_.back();
      pending_.pop_back();
      need(llvm::cast<llvm::GetElementPtrInst>(instruction(v)).getPointerOperand());
    }
  }

  /// A load or store needs the base that its address goes back to, and others all they read.
  void need_operands(value_id v, const llvm::Instruction& i) {
    const bool has_address = place_of_[v] != none;
    for (const llvm::Use& use : i.operands()) {
      const bool is_address = has_address && use.getOperandNo() == address_operand(i);
      need(is_address ? decomposed(use.get()).base : use.get());
    }
  }

  static unsigned address_operand(const llvm::Instruction& i) {
    return llvm::isa<llvm::StoreInst>(i) ? llvm::StoreInst::getPointerOperandIndex()
                                         : llvm::LoadInst::getPointerOperandIndex();
  }

  void need(const llvm::Value* address) {
    if (!llvm::isa<llvm::GetElementPtrInst>(address)) {
      return;
    }
    const value_id v = ssa_->number(address);
    if (is_needed_[v] == 0) {
      is_needed_[v] = 1;
      pending_.push_back(v);
    }
  }

  const llvm_ssa* ssa_ = nullptr; ///< these two while the function is read
  const llvm::DataLayout* layout_ = nullptr;
  flat_array<std::uint32_t> address_of_; ///< by instruction, in `addresses_`
  flat_array<std::uint32_t> place_of_;   ///< by instruction, in `places_`
  flat_array<std::uint8_t> is_needed_;   ///< by instruction
  flat_array<llvm_address_operation> addresses_;
  flat_array<memory_reference> places_;
  flat_array<std::uint64_t> constants_;
  hash_map<const llvm::Value*> objects_;
  std::uint32_t num_objects_ = 0;
  flat_array<value_id> pending_;
};

} // namespace detail

MIDEND_END_NAMESPACE
