/// `make_llvm_operation`: an instruction of LLVM for an operation of midend's vocabulary. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/ir/operation.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

MIDEND_BEGIN_NAMESPACE

namespace detail {

inline llvm::Instruction* with_llvm_flags(llvm::Instruction* i, const operation_info& info) {
  if (llvm::isa<llvm::OverflowingBinaryOperator>(i)) {
    i->setHasNoSignedWrap(info.flags.no_signed_wrap);
    i->setHasNoUnsignedWrap(info.flags.no_unsigned_wrap);
  }
  return i;
}

inline llvm::CmpInst::Predicate llvm_predicate(operation code) {
  for (unsigned p = llvm::CmpInst::FIRST_ICMP_PREDICATE; p != llvm::CmpInst::LAST_ICMP_PREDICATE; ++p) {
    if (llvm_comparison(static_cast<llvm::CmpInst::Predicate>(p)) == code) {
      return static_cast<llvm::CmpInst::Predicate>(p);
    }
  }
  return llvm::CmpInst::LAST_ICMP_PREDICATE;
}

inline llvm::Instruction* make_llvm_intrinsic(llvm::Module& m, llvm::Intrinsic::ID id, llvm::Value* a, llvm::Value* b) {
  return a->getType() != b->getType()
             ? nullptr
             : llvm::CallInst::Create(llvm::Intrinsic::getDeclaration(&m, id, {a->getType()}), {a, b});
}

/// A number with the bits of a number, or of a pointer with so many bits. Null for other values.
inline llvm::Instruction* make_llvm_copy(const llvm::Module& m, unsigned width, llvm::Value* v) {
  if (is_llvm_number(v->getType())) {
    return llvm::CastInst::Create(llvm::Instruction::BitCast, v, v->getType());
  }
  const bool is_address = width == 64 && is_llvm_address(v->getType(), m.getDataLayout()) &&
                          !m.getDataLayout().isNonIntegralPointerType(v->getType());
  return is_address ? new llvm::PtrToIntInst(v, llvm::IntegerType::get(m.getContext(), width)) : nullptr;
}

/// Makes an instruction for an operation, in no block yet. Null if LLVM has none, or the arguments do not fit: they
/// must be numbers of one width, which `info` names if it is above 64. Exceptions are the arms of a `select`, and a
/// pointer that is copied to a number of 64 bits.
inline llvm::Instruction* make_llvm_operation(llvm::Module& m, const operation_info& info,
                                              llvm::ArrayRef<llvm::Value*> args) {
  const auto type = [&](unsigned width) { return llvm::IntegerType::get(m.getContext(), width); };
  for (const llvm::Value* const arg : args) {
    const bool is_wide = is_llvm_integer(arg->getType()) && !is_llvm_number(arg->getType());
    const bool fits =
        is_wide ? read_width(info) == arg->getType()->getIntegerBitWidth() : is_llvm_number(arg->getType());
    if (!fits && info.code != operation::select && info.code != operation::copy) {
      return nullptr;
    }
  }
  switch (info.code) {
  case operation::other:
  case operation::shladd:
    return nullptr;
  case operation::neg:
    return with_llvm_flags(llvm::BinaryOperator::CreateNeg(args[0]), info);
  case operation::bit_not:
    return llvm::BinaryOperator::CreateNot(args[0]);
  case operation::copy:
    return make_llvm_copy(m, info.width, args[0]);
  case operation::truncate:
    return llvm::CastInst::Create(llvm::Instruction::Trunc, args[0], type(info.width));
  case operation::zero_extend:
    return llvm::CastInst::Create(llvm::Instruction::ZExt, args[0], type(info.width));
  case operation::sign_extend:
    return llvm::CastInst::Create(llvm::Instruction::SExt, args[0], type(info.width));
  case operation::select:
    return args[0]->getType()->isIntegerTy(1) ? llvm::SelectInst::Create(args[0], args[1], args[2]) : nullptr;
  case operation::min:
    return make_llvm_intrinsic(m, llvm::Intrinsic::smin, args[0], args[1]);
  case operation::max:
    return make_llvm_intrinsic(m, llvm::Intrinsic::smax, args[0], args[1]);
  case operation::umin:
    return make_llvm_intrinsic(m, llvm::Intrinsic::umin, args[0], args[1]);
  case operation::umax:
    return make_llvm_intrinsic(m, llvm::Intrinsic::umax, args[0], args[1]);
  default:
    break;
  }
  if (args[0]->getType() != args[1]->getType()) {
    return nullptr;
  }
  if (is_comparison(info.code)) {
    return new llvm::ICmpInst(llvm_predicate(info.code), args[0], args[1]);
  }
  for (unsigned opcode = llvm::Instruction::BinaryOpsBegin; opcode != llvm::Instruction::BinaryOpsEnd; ++opcode) {
    if (llvm_opcode::of(opcode).code == info.code) {
      const auto as_llvm = static_cast<llvm::Instruction::BinaryOps>(opcode);
      return with_llvm_flags(llvm::BinaryOperator::Create(as_llvm, args[0], args[1]), info);
    }
  }
  return nullptr;
}

} // namespace detail

MIDEND_END_NAMESPACE
