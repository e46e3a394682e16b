/// `llvm_congruence`: an `llvm::Function` for `value_numbering` and its plans. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_constants.hpp"
#include "midend/adapters/llvm_effects.hpp"
#include "midend/adapters/llvm_refusals.hpp"
#include "midend/adapters/llvm_same_operation.hpp"
#include "midend/adapters/llvm_ssa.hpp"
#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/FMF.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Casting.h>

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The flags that allow other results, as bits. Other flags (`nnan`, `ninf`) only promise that some results do not
/// occur.
inline unsigned llvm_rewriting_flags(const llvm::Instruction& i) {
  if (!llvm::isa<llvm::FPMathOperator>(i)) {
    return 0;
  }
  const llvm::FastMathFlags flags = i.getFastMathFlags();
  return (flags.allowReassoc() ? 1u : 0u) | (flags.noSignedZeros() ? 2u : 0u) | (flags.allowReciprocal() ? 4u : 0u) |
         (flags.allowContract() ? 8u : 0u) | (flags.approxFunc() ? 16u : 0u);
}

/// Whether a call depends only on its operands, only computes its result, returns, and may be merged with another one.
inline bool is_pure_llvm_call(const llvm::CallInst& call) {
  if (!call.doesNotAccessMemory() || !call.doesNotThrow() || !call.willReturn() || llvm_is_convergent(call) ||
      call.isInlineAsm() || call.isMustTailCall() || call.hasOperandBundles() || call.getType()->isVoidTy() ||
      call.getType()->isTokenTy() || call.cannotMerge() || !llvm_is_repeatable(call)) {
    return false;
  }
  for (const llvm::Use& argument : call.args()) {
    if (argument->getType()->isMetadataTy()) {
      return false;
    }
  }
  return true;
}

/// Whether equal operands give equal results. False for `freeze`, which may choose another number each time.
inline bool is_pure_llvm_instruction(const llvm::Instruction& i) {
  if (i.isBinaryOp() || i.isUnaryOp() || i.isCast()) {
    return true;
  }
  switch (i.getOpcode()) {
  case llvm::Instruction::GetElementPtr:
  case llvm::Instruction::ICmp:
  case llvm::Instruction::FCmp:
  case llvm::Instruction::Select:
  case llvm::Instruction::ExtractElement:
  case llvm::Instruction::InsertElement:
  case llvm::Instruction::ShuffleVector:
  case llvm::Instruction::ExtractValue:
  case llvm::Instruction::InsertValue:
    return true;
  case llvm::Instruction::Call:
    return is_pure_llvm_call(llvm::cast<llvm::CallInst>(i));
  default:
    return false;
  }
}

/// Whether two pure instructions compute equal results from equal operands, where neither breaks a promise.
inline bool compute_alike(const llvm::Instruction& i, const llvm::Instruction& other) {
  return i.isSameOperationAs(&other) && llvm_rewriting_flags(i) == llvm_rewriting_flags(other) &&
         i.getMetadata(llvm::LLVMContext::MD_fpmath) == other.getMetadata(llvm::LLVMContext::MD_fpmath);
}

} // namespace detail

/// `llvm_ssa` with the effects rung, the identity of operations that are `other`, and the promises of instructions.
///
/// An instruction that LLVM's simplifier replaces by another value is a `copy` of that, and a `select` of floating
/// point with flags that allow other results is `other`.
///
/// `identity(v)` is known for address arithmetic, floating point, comparisons of pointers, casts, vectors, fields of
/// aggregates, and calls that depend on their arguments alone (`memory(none) nounwind willreturn`). Types, predicates,
/// attributes, flags that allow other results (`reassoc`, `nsz`, `arcp`, `contract`, `afn`) and `!fpmath` must agree.
/// Promises that some results do not occur (`nsw`, `exact`, `disjoint`, `nneg`, `inbounds`, `nnan`, `!range`, the
/// attributes of intrinsics that are in the vocabulary) need not agree: by `promises_more`, the plan drops promises of
/// a leader that the other instruction does not make.
///
/// Not compared are loads, `alloca`, `freeze`, and calls that may read memory, throw or not return.
///
/// The numbers are those of `llvm_ssa` and of an `llvm_editor` that is made before anything is changed. Costs what
/// `llvm_ssa` costs, and expected constant time and about 16 bytes for each instruction outside of the vocabulary.
class llvm_congruence : public llvm_ssa {
public:
  llvm_congruence() = default;

  explicit llvm_congruence(const llvm::Function& f, const llvm_fold_options& options = {}) { assign(f, options); }

  /// Makes this the view of another function; allocates nothing if an earlier one was at least as large.
  void assign(const llvm::Function& f, const llvm_fold_options& options = {}) {
    llvm_ssa::assign(f, options);
    const auto count = static_cast<value_id>(num_instructions());
    identity_.assign(count, 0);
    examples_.clear();
    known_.clear(64);
    const llvm::SimplifyQuery query = llvm::SimplifyQuery(f.getDataLayout(), options.library).getWithoutUndef();
    for (value_id v = 0; v != count; ++v) {
      const llvm::Instruction& i = instruction(v);
      if (is_phi(v) || !detail::is_pure_llvm_instruction(i)) {
        continue;
      }
      if (const value_id copied = find_copied(i, query); copied != no_value) {
        describe_as_copy(v, copied);
      } else if (may_choose_otherwise(i) || !is_in_vocabulary(v)) {
        identity_[v] = find_identity(i);
        describe_as_other(v);
      }
    }
  }

  span<const value_id> operands(value_id v) const {
    const span<const value_id> all = llvm_ssa::operands(v);
    return is_copy(v) ? all.first(1) : all;
  }

  std::optional<std::uint64_t> fold(value_id v, span<const std::uint64_t> args) const {
    return is_copy(v) ? std::optional(args[0]) : llvm_ssa::fold(v, args);
  }

  effect_kind effect(value_id v) const {
    return is_pure(v) ? effect_kind::none : llvm_operation_effect(instruction(v));
  }

  bool may_trap(value_id v) const { return llvm_may_trap(instruction(v)); }

  bool may_trap_without_promises(value_id v) const { return llvm_may_trap_without_promises(instruction(v)); }

  bool is_repeatable(value_id v) const { return is_pure(v) || llvm_is_repeatable(instruction(v)); }

  bool is_convergent(value_id v) const { return !is_pure(v) && llvm_is_convergent(instruction(v)); }

  bool accepts_operations(node_id n) const { return llvm_accepts_operations(*block(n)); }

  bool may_not_return(value_id v) const { return !is_pure(v) && llvm_may_not_return(instruction(v)); }

  bool may_duplicate(value_id v) const { return llvm_copy_refusal(instruction(v)) == llvm_refusal::none; }

  bool is_volatile(value_id v) const { return !is_pure(v) && instruction(v).isVolatile(); }

  bool is_terminator(value_id v) const { return !is_pure(v) && instruction(v).isTerminator(); }

  bool must_end(edge_id backedge) const {
    return llvm_must_end(*block(graph().edge_source(backedge))->getTerminator());
  }

  /// 0 for values that are not compared.
  std::uint32_t identity(value_id v) const { return v < identity_.size() ? identity_[v] : 0; }

  /// Whether an instruction of the same opcode promises something that `w` does not promise.
  bool promises_more(value_id v, value_id w) const {
    if (v >= num_instructions() || w >= num_instructions()) {
      return false;
    }
    const llvm::Instruction& i = instruction(v);
    const llvm::Instruction& other = instruction(w);
    return i.getOpcode() == other.getOpcode() && detail::llvm_promises_more(i, other);
  }

private:
  bool is_copy(value_id v) const { return v < num_instructions() && record_of(v).info.code == midend::operation::copy; }

  /// The value that an instruction always equals; `no_value` if LLVM's simplifier finds none that has a number.
  value_id find_copied(const llvm::Instruction& i, const llvm::SimplifyQuery& query) const {
    if (detail::reads_long_llvm_chain(i)) {
      return no_value;
    }
    const llvm::Value* const found = llvm::simplifyInstruction(const_cast<llvm::Instruction*>(&i), query);
    return found == nullptr || found == &i || llvm::isa<llvm::UndefValue>(found) || found->getType() != i.getType()
               ? no_value
               : number(found);
  }

  const llvm::Instruction& instruction(value_id v) const { return *llvm::cast<llvm::Instruction>(value(v)); }

  bool is_in_vocabulary(value_id v) const {
    return v < num_instructions() && record_of(v).info.code != midend::operation::other;
  }

  /// Answered without reading the instruction, which may be far away in memory.
  bool is_pure(value_id v) const { return is_in_vocabulary(v) || identity(v) != 0; }

  static bool may_choose_otherwise(const llvm::Instruction& i) {
    return i.getOpcode() == llvm::Instruction::Select && detail::llvm_rewriting_flags(i) != 0;
  }

  std::uint32_t find_identity(const llvm::Instruction& i) {
    const auto fresh = static_cast<std::uint32_t>(examples_.size());
    const std::uint32_t found = known_.find_or_insert(
        hash_of(i), fresh, [&](std::uint32_t k) { return detail::compute_alike(*examples_[k], i); });
    if (found == fresh) {
      examples_.push_back(&i);
    }
    return found + 1;
  }

  static std::uint64_t address_of(const void* p) { return std::bit_cast<std::uintptr_t>(p); }

  static std::uint64_t hash_of(const llvm::Instruction& i) {
    std::uint64_t hash = detail::mix_hash(i.getOpcode(), address_of(i.getType()));
    if (const auto* const gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
      hash = detail::mix_hash(hash, address_of(gep->getSourceElementType()));
      hash = detail::mix_hash(hash, gep->getNumOperands());
    } else if (const auto* const comparison = llvm::dyn_cast<llvm::CmpInst>(&i)) {
      hash = detail::mix_hash(hash, comparison->getPredicate());
    }
    return detail::mix_hash(hash, address_of(i.getOperand(0)->getType()));
  }

  flat_array<std::uint32_t> identity_;            ///< by instruction
  flat_array<const llvm::Instruction*> examples_; ///< by identity, less 1
  detail::hash_map<std::uint64_t> known_;
};

static_assert(semantic_ir<llvm_congruence> && effect_ir<llvm_congruence> && has_identity<llvm_congruence> &&
              has_promises_more<llvm_congruence>);

MIDEND_END_NAMESPACE
