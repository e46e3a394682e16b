/// `llvm_cost`: an `llvm::Function` as a model of the cost rung of the IR contract: what its operations cost, and which
/// memory they access. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_operands.hpp"
#include "midend/adapters/llvm_effects.hpp"
#include "midend/adapters/llvm_operation_class.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/adapters/llvm_ssa.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalObject.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// An address: base + index · scale + offset, modulo 2^64; an index of fewer bits is sign-extended.
struct llvm_address {
  const llvm::Value* base = nullptr;
  const llvm::Value* index = nullptr; ///< or null
  std::uint64_t scale = 0;
  std::uint64_t offset = 0;
};

/// The address that one `getelementptr` computes, if it has at most one variable index, of up to 64 bits.
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

/// Reads the address `pointer` through the longest chain of `getelementptr` with at most one variable index in all, up
/// to `longest_llvm_chain`. `may_be_base(value)` says which values may be the base.
template <class MayBeBase>
llvm_address llvm_address_of(const llvm::Value* pointer, const llvm::DataLayout& layout, MayBeBase may_be_base) {
  llvm_address out{.base = pointer};
  for (int length = 0; length != longest_llvm_chain; ++length) {
    const auto* const gep = llvm::dyn_cast<llvm::GEPOperator>(out.base);
    const std::optional<llvm_address> step = gep == nullptr ? std::nullopt : llvm_address_step(*gep, layout);
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

/// The integers that a load from a constant global reads at `pointer` + `offset`.
inline std::optional<number_range> llvm_constant_memory(const llvm::Value& pointer, std::uint64_t offset,
                                                        std::uint32_t bytes, const llvm::DataLayout& layout) {
  llvm::APInt place(64, offset);
  const auto* const global =
      llvm::dyn_cast<llvm::GlobalVariable>(pointer.stripAndAccumulateConstantOffsets(layout, place, true));
  if (global == nullptr || !global->isConstant() || !global->hasDefinitiveInitializer()) {
    return std::nullopt;
  }
  const std::uint64_t size = layout.getTypeAllocSize(global->getValueType()).getFixedValue();
  if (place.uge(size) || size - place.getZExtValue() < bytes) {
    return std::nullopt;
  }
  auto* const initializer = const_cast<llvm::Constant*>(global->getInitializer());
  llvm::LLVMContext& context = global->getContext();
  const llvm::Constant* const found =
      llvm::ConstantFoldLoadFromConst(initializer, llvm::IntegerType::get(context, 8 * bytes), place, layout);
  if (const auto* const number = llvm::dyn_cast_or_null<llvm::ConstantInt>(found)) {
    return number_range{number->getZExtValue(), number->getZExtValue(), false};
  }
  if (bytes != 8) {
    return std::nullopt;
  }
  const llvm::Constant* const address =
      llvm::ConstantFoldLoadFromConst(initializer, llvm::PointerType::get(context, 0), place, layout);
  const auto* const object = llvm::dyn_cast_or_null<llvm::GlobalObject>(address);
  const bool is_not_null = object != nullptr && !object->hasExternalWeakLinkage() && object->getAddressSpace() == 0;
  return is_not_null ? std::optional(number_range{1, ~std::uint64_t{0}, false}) : std::nullopt;
}

/// A `getelementptr` that is an operation of the vocabulary.
struct llvm_address_operation {
  operation_info info;
  std::array<value_id, 3> operands;
};

/// Facts of `llvm_cost` about memory. Computed once, in the order of the function.
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

  /// Constants that the function does not contain: their numbers follow those of `llvm_ssa`.
  span<const std::uint64_t> constants() const { return constants_; }

  /// The operation of an instruction that is a `getelementptr` with an operation of the vocabulary; else null.
  const llvm_address_operation* address(value_id v) const {
    return address_of_[v] != none ? &addresses_[address_of_[v]] : nullptr;
  }

  /// The address of an instruction that is a load or store.
  std::optional<memory_reference> place(value_id v) const {
    return place_of_[v] != none ? std::optional(places_[place_of_[v]]) : std::nullopt;
  }

  /// Whether a `getelementptr` is used by more than the addresses of loads and stores.
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
      const bool is_downward = static_cast<std::int64_t>(step->offset) < 0;
      if (is_downward && gep.hasNoUnsignedSignedWrap()) { // the promise is one of a subtraction
        add_address(v, operation::sub, {base, added(0 - step->offset), no_value}, {.no_unsigned_wrap = true});
        return;
      }
      add_address(v, step->offset == 0 ? operation::copy : operation::add, {base, added(step->offset), no_value},
                  {.no_unsigned_wrap = gep.hasNoUnsignedWrap() || gep.hasNoUnsignedSignedWrap()});
    } else if (step->offset == 0 && step->index->getType()->isIntegerTy(64)) {
      const value_id index = ssa_->number(step->index);
      const bool is_upward = gep.hasNoUnsignedSignedWrap() && llvm::isa<llvm::PHINode>(step->base) &&
                             llvm::isKnownNonNegative(step->index, llvm::SimplifyQuery(*layout_));
      const operation_flags flags{.no_unsigned_wrap = is_upward}; // it is needed for values that may be counters
      if (step->scale == 1) {
        add_address(v, operation::add, {base, index, no_value}, flags);
      } else if (std::has_single_bit(step->scale)) {
        add_address(v, operation::shladd,
                    {index, added(static_cast<std::uint64_t>(std::countr_zero(step->scale))), base}, flags);
      }
    }
  }

  void add_address(value_id v, operation code, const std::array<value_id, 3>& operands, operation_flags flags = {}) {
    address_of_[v] = static_cast<std::uint32_t>(addresses_.size());
    addresses_.push_back({{code, 64, 64, code == operation::copy ? operation_flags() : flags}, operands});
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
    llvm::Type* const type = stores ? i.getOperand(0)->getType() : i.getType();
    const llvm::TypeSize size = layout_->getTypeStoreSize(type);
    const llvm::TypeSize bits = layout_->getTypeSizeInBits(type);
    place_of_[v] = static_cast<std::uint32_t>(places_.size());
    places_.push_back({.base = ssa_->number(address.base),
                       .index = address.index == nullptr ? no_value : ssa_->number(address.index),
                       .stored = stores ? ssa_->operands(v)[0] : no_value,
                       .bytes = size.isScalable() ? 0 : static_cast<std::uint32_t>(size.getFixedValue()),
                       .memory = object_of(pointer),
                       .scale = static_cast<std::int64_t>(address.scale),
                       .offset = static_cast<std::int64_t>(address.offset),
                       .is_volatile = i.isVolatile(),
                       .bits = bits.isScalable() ? 0 : static_cast<std::uint32_t>(bits.getFixedValue())});
  }

  /// The memory class of an address.
  std::uint32_t object_of(const llvm::Value* pointer) {
    const llvm::Value* const object = llvm::getUnderlyingObject(pointer);
    if (!llvm::isIdentifiedObject(object)) {
      return any_memory;
    }
    const std::uint32_t number = objects_.find_or_insert(object, num_objects_);
    num_objects_ += number == num_objects_;
    return number;
  }

  // Finds addresses that must be computed: those that instructions other than loads and stores use, and their bases.

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

  /// A load or store needs the base of its address; other instructions need all their operands.
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

  const llvm_ssa* ssa_ = nullptr; ///< this and the next are valid only while the function is read
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

/// An LLVM function whose loops can be estimated: a model of `cost_ir` on top of `llvm_ssa`. Its values are those of
/// `llvm_ssa`, with the same numbers, followed by constants that addresses need.
///
/// Unlike in `llvm_ssa`, addresses are 64-bit numbers: pointers can be compared, and a `getelementptr` is an addition
/// of a constant or an index, or a shift and addition, where it has that form. The address of a load or store is base +
/// index · scale + offset, through a chain of `getelementptr` with one variable index in all; a `getelementptr` whose
/// address nothing else uses is free. Null is 0; other constants that are not integers of up to 64 bits are unknown.
/// Operations outside the vocabulary are not folded.
///
/// Each object that LLVM identifies (`isIdentifiedObject`: globals, stack slots, `noalias` arguments and `noalias`
/// results of calls) is a memory class of its own; all other memory may overlap with any of them. Type-based alias
/// analysis is not used.
///
/// `probability` follows the branch weights, unless they come from `__builtin_expect`. Requires what `llvm_ssa`
/// requires. Memory accessed through pointers that do not have 64 bits may be anywhere.
class llvm_cost {
public:
  using constant_type = std::uint64_t;

  llvm_cost() = default;

  explicit llvm_cost(const llvm::Function& f) { assign(f); }

  /// Makes this the view of another function.
  void assign(const llvm::Function& f) {
    ssa_.assign(f);
    layout_ = &f.getDataLayout();
    memory_.read(f, ssa_);
  }

  /// The view that this one is built on.
  const llvm_ssa& ssa() const { return ssa_; }

  const csr_graph& graph() const { return ssa_.graph(); }

  std::size_t num_values() const { return ssa_.num_values() + memory_.constants().size(); }

  id_range<value_id> values(node_id n) const { return ssa_.values(n); }

  span<const value_id> operands(value_id v) const {
    if (const detail::llvm_address_operation* const address = address_of(v)) {
      return span<const value_id>(address->operands).first(arity(address->info.code));
    }
    return is_added(v) ? span<const value_id>() : ssa_.operands(v);
  }

  bool is_phi(value_id v) const { return !is_added(v) && ssa_.is_phi(v); }

  value_id phi_input(value_id phi, edge_id e) const { return ssa_.phi_input(phi, e); }

  value_id condition(node_id n) const { return ssa_.condition(n); }

  operation_info operation(value_id v) const {
    if (const detail::llvm_address_operation* const address = address_of(v)) {
      return address->info;
    }
    return is_added(v) ? operation_info{midend::operation::other, 64, 64} : vocabulary_operation(v);
  }

  std::optional<std::uint64_t> constant(value_id v) const {
    if (is_added(v)) {
      return memory_.constants()[v - ssa_.num_values()];
    }
    if (!is_instruction(v) && llvm::isa<llvm::ConstantPointerNull>(ssa_.value(v))) {
      return 0;
    }
    return ssa_.is_number(v) ? ssa_.constant(v) : std::nullopt;
  }

  std::uint8_t number_width(value_id v) const {
    const llvm::Type* const type = is_added(v) ? nullptr : ssa_.value(v)->getType();
    return type == nullptr                  ? std::uint8_t{64}
           : !detail::is_llvm_integer(type) ? std::uint8_t{0}
                                            : static_cast<std::uint8_t>(type->getIntegerBitWidth());
  }

  operation_info wide_operation(value_id v) const {
    return is_instruction(v) ? llvm_wide_operation(instruction(v)) : operation_info();
  }

  std::optional<wide_number> wide_constant(value_id v) const {
    if (is_added(v)) {
      return wide_number(memory_.constants()[v - ssa_.num_values()]);
    }
    const auto* const c = is_instruction(v) ? nullptr : llvm::dyn_cast<llvm::Constant>(ssa_.value(v));
    return c == nullptr ? std::nullopt : llvm_wide_constant(c);
  }

  bool is_undefined(value_id v) const { return !is_added(v) && ssa_.is_undefined(v); }

  std::optional<number_range> bounds(value_id v) const { return is_added(v) ? std::nullopt : ssa_.bounds(v); }

  std::optional<std::uint64_t> fold(value_id v, span<const std::uint64_t> args) const {
    const operation_info info = operation(v);
    if (info.code == operation::other) {
      return std::nullopt;
    }
    const evaluation result = evaluate(info, args.first(arity(info.code)));
    return result ? std::optional(result.bits) : std::nullopt;
  }

  std::optional<std::uint64_t> edge_case(edge_id e) const { return ssa_.edge_case(e); }

  std::optional<operation_class> cost(value_id v) const {
    const llvm::Instruction& i = instruction(v);
    if (!llvm::isa<llvm::GetElementPtrInst>(i)) {
      return llvm_class(i);
    }
    if (!memory_.is_needed(v)) {
      return std::nullopt;
    }
    const operation_info info = operation(v);
    return info.code == operation::other ? llvm_class(i) : usual_class(info);
  }

  effect_kind effect(value_id v) const { return llvm_effect(instruction(v)); }

  bool may_not_return(value_id v) const { return llvm_may_not_return(instruction(v)); }

  std::optional<memory_reference> memory(value_id v) const { return memory_.place(v); }

  /// The contents of constant initializers: integers, null, and that the addresses of globals are not null.
  std::optional<number_range> constant_memory(value_id base, std::uint64_t offset, std::uint32_t bytes) const {
    return is_added(base) || !detail::is_llvm_address(ssa_.value(base)->getType(), *layout_)
               ? std::nullopt
               : detail::llvm_constant_memory(*ssa_.value(base), offset, bytes, *layout_);
  }

  /// The low bits of a `getelementptr` outside the vocabulary: its variable indices add multiples of their scales.
  std::optional<sum_of_low_bits> low_sum(value_id v) const {
    if (is_added(v) || operation(v).code != operation::other) {
      return std::nullopt;
    }
    const auto* const gep = llvm::dyn_cast<llvm::GEPOperator>(ssa_.value(v));
    return gep == nullptr ? std::nullopt : low_sum(*gep);
  }

  /// Follows LLVM's `isAssociative`; but `fma` and `fmuladd`, for which that is false, may be reassociated where
  /// additions may.
  bool may_reassociate(value_id v) const {
    const llvm::Instruction& i = instruction(v);
    const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    const bool is_fused = call != nullptr && (call->getIntrinsicID() == llvm::Intrinsic::fma ||
                                              call->getIntrinsicID() == llvm::Intrinsic::fmuladd);
    return is_fused ? i.hasAllowReassoc() && i.hasNoSignedZeros() : i.isAssociative();
  }

  /// Known for floating-point operations, casts and comparisons of scalars; else 0.
  std::uint32_t identity(value_id v) const {
    const llvm::Instruction& i = instruction(v);
    const bool is_known = i.isBinaryOp() || i.isUnaryOp() || i.isCast() || llvm::isa<llvm::CmpInst>(i);
    const std::uint32_t type = type_code(i.getType());
    const std::uint32_t from = is_known ? type_code(i.getOperand(0)->getType()) : 0;
    if (!is_known || type == 0 || from == 0) {
      return 0;
    }
    const auto* const comparison = llvm::dyn_cast<llvm::CmpInst>(&i);
    const std::uint32_t predicate = comparison == nullptr ? 0 : static_cast<std::uint32_t>(comparison->getPredicate());
    return ((i.getOpcode() << 8 | predicate) << 8 | type) << 8 | from;
  }

  /// See `llvm_must_end`.
  bool must_end(edge_id backedge) const {
    return llvm_must_end(*ssa_.block(graph().edge_source(backedge))->getTerminator());
  }

  /// The bit that an `llvm.assume` promises.
  value_id assumed(value_id v) const {
    const auto* const call = is_added(v) ? nullptr : llvm::dyn_cast<llvm::AssumeInst>(ssa_.value(v));
    return call == nullptr ? no_value : ssa_.number(call->getArgOperand(0));
  }

  double probability(edge_id e) const {
    const node_id n = graph().edge_source(e);
    const llvm::Instruction& last = *ssa_.block(n)->getTerminator();
    llvm::SmallVector<std::uint32_t, 8> weights;
    const edge_id position = e - graph().offsets()[n];
    if (llvm::hasBranchWeightOrigin(last) || !llvm::extractBranchWeights(last, weights) || position >= weights.size()) {
      return -1;
    }
    double all = 0;
    for (const std::uint32_t weight : weights) {
      all += weight;
    }
    return all > 0 ? weights[position] / all : -1;
  }

private:
  std::optional<sum_of_low_bits> low_sum(const llvm::GEPOperator& gep) const {
    llvm::MapVector<llvm::Value*, llvm::APInt> variables;
    llvm::APInt offset(64, 0);
    if (!detail::is_llvm_address(gep.getType(), *layout_) || !gep.collectOffset(*layout_, 64, variables, offset)) {
      return std::nullopt;
    }
    sum_of_low_bits out{ssa_.number(gep.getPointerOperand()), offset.getZExtValue(), 64};
    for (const auto& [index, scale] : variables) {
      const auto zeros = static_cast<std::uint8_t>(scale.countr_zero());
      out.bits = zeros < out.bits ? zeros : out.bits;
    }
    if (out.bits == 0) {
      return std::nullopt;
    }
    out.number &= low_ones(out.bits);
    return out;
  }

  bool is_instruction(value_id v) const { return v < ssa_.num_instructions(); }

  bool is_added(value_id v) const { return v >= ssa_.num_values(); }

  const llvm::Instruction& instruction(value_id v) const { return *llvm::cast<llvm::Instruction>(ssa_.value(v)); }

  const detail::llvm_address_operation* address_of(value_id v) const {
    return is_instruction(v) ? memory_.address(v) : nullptr;
  }

  /// 0 for types that need more than one register.
  static std::uint32_t type_code(const llvm::Type* type) {
    if (detail::is_llvm_number(type)) {
      return type->getIntegerBitWidth();
    }
    return type->isFloatTy() ? 65 : type->isDoubleTy() ? 66 : type->isPointerTy() ? 67 : 0;
  }

  /// The operation, including those that `llvm_ssa` leaves out: comparisons of pointers, and casts between pointers and
  /// numbers.
  operation_info vocabulary_operation(value_id v) const {
    const operation_info info = ssa_.operation(v);
    if (info.code != operation::other || !is_instruction(v) || instruction(v).getNumOperands() == 0 ||
        instruction(v).getType()->isVectorTy()) {
      return info;
    }
    const llvm::Instruction& i = instruction(v);
    const llvm::Type* const from = i.getOperand(0)->getType();
    const bool is_from_address = detail::is_llvm_address(from, *layout_);
    if (const auto* const compare = llvm::dyn_cast<llvm::ICmpInst>(&i); compare != nullptr && is_from_address) {
      return {detail::llvm_comparison(compare->getPredicate()), 1, 64};
    }
    const bool keeps_bits =
        (llvm::isa<llvm::PtrToIntInst>(i) && is_from_address && i.getType()->isIntegerTy(64)) ||
        (llvm::isa<llvm::IntToPtrInst>(i) && detail::is_llvm_address(i.getType(), *layout_) && from->isIntegerTy(64));
    return keeps_bits ? operation_info{operation::copy, 64, 64} : info;
  }

  llvm_ssa ssa_;
  const llvm::DataLayout* layout_ = nullptr;
  detail::llvm_memory memory_;
};

static_assert(cost_ir<llvm_cost> && has_may_reassociate<llvm_cost> && has_identity<llvm_cost> &&
              has_probability<llvm_cost> && has_must_end<llvm_cost> && has_constant_memory<llvm_cost> &&
              has_bounds<llvm_cost> && has_wide_numbers<llvm_cost>);

MIDEND_END_NAMESPACE
