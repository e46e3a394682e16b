/// `llvm_cost`: what the operations of an `llvm::Function` cost, and which memory they touch, as the cost rung of the
/// IR contract asks for it. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_addresses.hpp"
#include "midend/adapters/llvm_memory.hpp"
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
#include "midend/support/range.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ProfDataUtils.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// A function of LLVM whose loops can be weighed: models `cost_ir`, over `llvm_ssa`, with whose numbers its values
/// begin.
///
/// Addresses are numbers of 64 bits here, other than in `llvm_ssa`: pointers are compared, and `getelementptr` is an
/// addition of a constant or of an index, or a shift and an addition, where it is that; the constants that these need
/// are values of their own, behind all others. The address of a load or store is base + index · scale + offset through
/// as many `getelementptr` as have one variable index in all; those of which nobody needs the address itself cost
/// nothing. Null is 0; other constants that are no integers of up to 64 bits are not known. Operations without a word
/// are not folded.
///
/// Memory that LLVM can name (`isIdentifiedObject`: globals, stack slots, arguments that are `noalias`, what a function
/// returns that is) is a class for each; all other memory may be any of them. Type-based rules are not used.
///
/// `probability` goes by branch weights, if they are not from `__builtin_expect`. What `llvm_ssa` asks for, and
/// pointers of 64 bits: other address spaces have memory, but it is anywhere.
class llvm_cost {
public:
  using constant_type = std::uint64_t;

  llvm_cost() = default;

  explicit llvm_cost(const llvm::Function& f) { assign(f); }

  /// The view of another function.
  void assign(const llvm::Function& f) {
    ssa_.assign(f);
    layout_ = &f.getDataLayout();
    memory_.read(f, ssa_);
  }

  /// The view below.
  const llvm_ssa& ssa() const { return ssa_; }

  const csr_graph& graph() const { return ssa_.graph(); }

  std::size_t num_values() const { return ssa_.num_values() + memory_.constants().size(); }

  id_range<value_id> values(node_id n) const { return ssa_.values(n); }

  std::span<const value_id> operands(value_id v) const {
    if (const detail::llvm_address_operation* const address = address_of(v)) {
      return std::span<const value_id>(address->operands).first(arity(address->info.code));
    }
    return is_added(v) ? std::span<const value_id>() : ssa_.operands(v);
  }

  bool is_phi(value_id v) const { return !is_added(v) && ssa_.is_phi(v); }

  value_id phi_input(value_id phi, edge_id e) const { return ssa_.phi_input(phi, e); }

  value_id condition(node_id n) const { return ssa_.condition(n); }

  operation_info operation(value_id v) const {
    if (const detail::llvm_address_operation* const address = address_of(v)) {
      return address->info;
    }
    return is_added(v) ? operation_info{midend::operation::other, 64, 64} : word_of(v);
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

  bool is_undefined(value_id v) const { return !is_added(v) && ssa_.is_undefined(v); }

  std::optional<std::uint64_t> fold(value_id v, std::span<const std::uint64_t> args) const {
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

  std::optional<memory_reference> memory(value_id v) const { return memory_.place(v); }

  bool may_reassociate(value_id v) const { return instruction(v).isAssociative(); }

  /// Of floating-point operations, casts and comparisons of scalars.
  std::uint32_t identity(value_id v) const {
    const llvm::Instruction& i = instruction(v);
    const bool is_told = i.isBinaryOp() || i.isUnaryOp() || i.isCast() || llvm::isa<llvm::CmpInst>(i);
    const std::uint32_t type = type_code(i.getType());
    const std::uint32_t from = is_told ? type_code(i.getOperand(0)->getType()) : 0;
    if (!is_told || type == 0 || from == 0) {
      return 0;
    }
    const auto* const comparison = llvm::dyn_cast<llvm::CmpInst>(&i);
    const std::uint32_t predicate = comparison == nullptr ? 0 : static_cast<std::uint32_t>(comparison->getPredicate());
    return ((i.getOpcode() << 8 | predicate) << 8 | type) << 8 | from;
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
  bool is_instruction(value_id v) const { return v < ssa_.num_instructions(); }

  bool is_added(value_id v) const { return v >= ssa_.num_values(); }

  const llvm::Instruction& instruction(value_id v) const { return *llvm::cast<llvm::Instruction>(ssa_.value(v)); }

  const detail::llvm_address_operation* address_of(value_id v) const {
    return is_instruction(v) ? memory_.address(v) : nullptr;
  }

  /// 0 for types that are more than one register.
  static std::uint32_t type_code(const llvm::Type* type) {
    if (detail::is_llvm_number(type)) {
      return type->getIntegerBitWidth();
    }
    return type->isFloatTy() ? 65 : type->isDoubleTy() ? 66 : type->isPointerTy() ? 67 : 0;
  }

  /// The operation with what `llvm_ssa` leaves out: pointers that are compared, or become numbers and back.
  operation_info word_of(value_id v) const {
    const operation_info info = ssa_.operation(v);
    if (info.code != operation::other || !is_instruction(v) || instruction(v).getNumOperands() == 0 ||
        instruction(v).getType()->isVectorTy()) {
      return info;
    }
    const llvm::Instruction& i = instruction(v);
    const llvm::Type* const from = i.getOperand(0)->getType();
    const bool is_from_address = is_llvm_address(from, *layout_);
    if (const auto* const compare = llvm::dyn_cast<llvm::ICmpInst>(&i); compare != nullptr && is_from_address) {
      return {detail::llvm_comparison(compare->getPredicate()), 1, 64};
    }
    const bool keeps_bits =
        (llvm::isa<llvm::PtrToIntInst>(i) && is_from_address && i.getType()->isIntegerTy(64)) ||
        (llvm::isa<llvm::IntToPtrInst>(i) && is_llvm_address(i.getType(), *layout_) && from->isIntegerTy(64));
    return keeps_bits ? operation_info{operation::copy, 64, 64} : info;
  }

  llvm_ssa ssa_;
  const llvm::DataLayout* layout_ = nullptr;
  detail::llvm_memory memory_;
};

static_assert(cost_ir<llvm_cost> && has_may_reassociate<llvm_cost> && has_identity<llvm_cost> &&
              has_probability<llvm_cost>);

MIDEND_END_NAMESPACE
