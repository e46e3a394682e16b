/// `llvm_class` and `llvm_effect`: the operation class of an LLVM instruction, and its effect besides computing a
/// value. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation_class.hpp"

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Type.h>
#include <llvm/Support/Casting.h>

#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether an instruction is an intrinsic that only computes a value, or that is only information for the compiler.
struct llvm_pure_intrinsic {
  bool is_pure = false;
  std::optional<operation_class> cost; ///< empty: it becomes no operation
};

inline bool is_at_least_double(const llvm::Type* type) {
  return type->getScalarType()->isDoubleTy() || type->getScalarType()->isX86_FP80Ty();
}

inline llvm_pure_intrinsic llvm_intrinsic(const llvm::Instruction& i) {
  const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (intrinsic == nullptr) {
    return {};
  }
  if (intrinsic->isDebugOrPseudoInst()) {
    return {true, std::nullopt};
  }
  const bool is_double = is_at_least_double(i.getType());
  switch (intrinsic->getIntrinsicID()) {
  case llvm::Intrinsic::assume:
  case llvm::Intrinsic::annotation:
  case llvm::Intrinsic::experimental_noalias_scope_decl:
  case llvm::Intrinsic::expect:
  case llvm::Intrinsic::expect_with_probability:
  case llvm::Intrinsic::is_constant:
  case llvm::Intrinsic::lifetime_end:
  case llvm::Intrinsic::lifetime_start:
  case llvm::Intrinsic::objectsize:
  case llvm::Intrinsic::ptr_annotation:
  case llvm::Intrinsic::sideeffect:
  case llvm::Intrinsic::var_annotation:
    return {true, std::nullopt};
  case llvm::Intrinsic::abs:
  case llvm::Intrinsic::bitreverse:
  case llvm::Intrinsic::bswap:
  case llvm::Intrinsic::ctlz:
  case llvm::Intrinsic::ctpop:
  case llvm::Intrinsic::cttz:
  case llvm::Intrinsic::fabs:
  case llvm::Intrinsic::copysign:
  case llvm::Intrinsic::ptrmask:
  case llvm::Intrinsic::sadd_sat:
  case llvm::Intrinsic::sadd_with_overflow:
  case llvm::Intrinsic::smax:
  case llvm::Intrinsic::smin:
  case llvm::Intrinsic::ssub_sat:
  case llvm::Intrinsic::ssub_with_overflow:
  case llvm::Intrinsic::uadd_sat:
  case llvm::Intrinsic::uadd_with_overflow:
  case llvm::Intrinsic::umax:
  case llvm::Intrinsic::umin:
  case llvm::Intrinsic::usub_sat:
  case llvm::Intrinsic::usub_with_overflow:
    return {true, operation_class::alu};
  case llvm::Intrinsic::fshl:
  case llvm::Intrinsic::fshr:
    return {true, operation_class::shift};
  case llvm::Intrinsic::smul_with_overflow:
  case llvm::Intrinsic::umul_with_overflow:
    return {true, operation_class::integer_multiply};
  case llvm::Intrinsic::fma:
  case llvm::Intrinsic::fmuladd:
    return {true, operation_class::fused_multiply_add};
  case llvm::Intrinsic::ceil:
  case llvm::Intrinsic::floor:
  case llvm::Intrinsic::nearbyint:
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::round:
  case llvm::Intrinsic::roundeven:
  case llvm::Intrinsic::trunc:
    return {true, operation_class::convert_to_integer};
  case llvm::Intrinsic::sqrt:
    return {true, is_double ? operation_class::fp_sqrt_double : operation_class::fp_sqrt_single};
  case llvm::Intrinsic::maximum:
  case llvm::Intrinsic::maxnum:
  case llvm::Intrinsic::minimum:
  case llvm::Intrinsic::minnum:
    return {true, operation_class::fp_add};
  default:
    return {};
  }
}

/// For instructions outside the vocabulary that are neither loads, stores, calls nor terminators.
inline std::optional<operation_class> llvm_class_by_opcode(const llvm::Instruction& i) {
  const bool is_double = is_at_least_double(i.getType());
  switch (i.getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
    return operation_class::fp_add;
  case llvm::Instruction::FNeg: // of a bit
    return operation_class::alu;
  case llvm::Instruction::FMul:
    return operation_class::fp_multiply;
  case llvm::Instruction::FDiv:
  case llvm::Instruction::FRem:
    return is_double ? operation_class::fp_divide_double : operation_class::fp_divide_single;
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::FPToUI:
    return operation_class::convert_to_integer;
  case llvm::Instruction::SIToFP:
  case llvm::Instruction::UIToFP:
  case llvm::Instruction::FPTrunc:
  case llvm::Instruction::FPExt:
    return operation_class::convert_to_fp;
  case llvm::Instruction::ICmp:
  case llvm::Instruction::FCmp:
    return operation_class::compare;
  case llvm::Instruction::Select:
    return operation_class::merge;
  case llvm::Instruction::Mul:
    return operation_class::integer_multiply;
  case llvm::Instruction::SDiv:
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SRem:
  case llvm::Instruction::URem:
    return operation_class::integer_divide;
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    return operation_class::shift;
  case llvm::Instruction::GetElementPtr:
    return operation_class::combined_alu;
  case llvm::Instruction::Freeze:
  case llvm::Instruction::ExtractValue:
  case llvm::Instruction::InsertValue:
    return std::nullopt;
  default:
    return i.isCast() ? std::nullopt : std::optional(operation_class::alu);
  }
}

} // namespace detail

/// The effect of an instruction besides computing a value. Loads read and stores write, unless they are atomic. Calls
/// may have any effect, except for intrinsics that are known to only compute. So may atomic operations and all other
/// instructions that access memory.
inline effect_kind llvm_effect(const llvm::Instruction& i) {
  switch (i.getOpcode()) {
  case llvm::Instruction::Load:
    return llvm::cast<llvm::LoadInst>(i).isAtomic() ? effect_kind::unknown : effect_kind::reads;
  case llvm::Instruction::Store:
    return llvm::cast<llvm::StoreInst>(i).isAtomic() ? effect_kind::unknown : effect_kind::writes;
  case llvm::Instruction::Call:
    return detail::llvm_intrinsic(i).is_pure ? effect_kind::none : effect_kind::unknown;
  default:
    return i.mayReadOrWriteMemory() || i.isEHPad() || llvm::isa<llvm::AllocaInst>(i) ? effect_kind::unknown
                                                                                     : effect_kind::none;
  }
}

/// The class of an instruction, or nothing if it becomes no operation: casts that change no bits or only the width,
/// access to fields of aggregates, `freeze`. Vectors and wide integers count as one register. An address that is not
/// part of a load or store is one combined operation.
inline std::optional<operation_class> llvm_class(const llvm::Instruction& i) {
  if (i.isTerminator()) {
    return operation_class::branch;
  }
  if (llvm_effect(i) == effect_kind::unknown) {
    return operation_class::call;
  }
  if (llvm::isa<llvm::LoadInst>(i)) {
    return operation_class::load;
  }
  if (llvm::isa<llvm::StoreInst>(i)) {
    return operation_class::store;
  }
  const operation_info info = llvm_operation(i);
  if (info.code == operation::select && i.getType()->isIntegerTy(1)) {
    return operation_class::predicate_logic;
  }
  if (info.code != operation::other) {
    return usual_class(info);
  }
  return llvm::isa<llvm::CallInst>(i) ? detail::llvm_intrinsic(i).cost : detail::llvm_class_by_opcode(i);
}

MIDEND_END_NAMESPACE
