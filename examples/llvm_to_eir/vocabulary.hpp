/// What LLVM's types and operations are called in the Elbrus-like IR.
#pragma once

#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/type.hpp>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Type.h>

#include <optional>

namespace llvm_to_eir {

namespace elbrus = midend::elbrus;

/// Nothing for types that the IR does not have, `none` for void.
inline std::optional<elbrus::type> type_of(const llvm::Type* t) {
  if (t->isVoidTy()) {
    return elbrus::type::none;
  }
  if (t->isFloatTy()) {
    return elbrus::type::f32;
  }
  if (t->isDoubleTy()) {
    return elbrus::type::f64;
  }
  if (t->isX86_FP80Ty()) {
    return elbrus::type::f80;
  }
  if (t->isPointerTy()) {
    return t->getPointerAddressSpace() == 0 ? std::optional(elbrus::type::ptr) : std::nullopt;
  }
  if (t->isIntegerTy()) {
    switch (t->getIntegerBitWidth()) {
    case 1:
      return elbrus::type::i1;
    case 8:
      return elbrus::type::i8;
    case 16:
      return elbrus::type::i16;
    case 32:
      return elbrus::type::i32;
    case 64:
      return elbrus::type::i64;
    default:
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// The opcode that does the same with the same operands, or nothing.
inline std::optional<elbrus::opcode> opcode_of(unsigned llvm_opcode) {
  using llvm::Instruction;
  switch (llvm_opcode) {
  case Instruction::Add:
    return elbrus::opcode::add;
  case Instruction::Sub:
    return elbrus::opcode::sub;
  case Instruction::Mul:
    return elbrus::opcode::mul;
  case Instruction::And:
    return elbrus::opcode::bit_and;
  case Instruction::Or:
    return elbrus::opcode::bit_or;
  case Instruction::Xor:
    return elbrus::opcode::bit_xor;
  case Instruction::Shl:
    return elbrus::opcode::shl;
  case Instruction::LShr:
    return elbrus::opcode::shr;
  case Instruction::AShr:
    return elbrus::opcode::sar;
  case Instruction::SDiv:
    return elbrus::opcode::div;
  case Instruction::UDiv:
    return elbrus::opcode::udiv;
  case Instruction::SRem:
    return elbrus::opcode::rem;
  case Instruction::URem:
    return elbrus::opcode::urem;
  case Instruction::FAdd:
    return elbrus::opcode::fadd;
  case Instruction::FSub:
    return elbrus::opcode::fsub;
  case Instruction::FMul:
    return elbrus::opcode::fmul;
  case Instruction::FDiv:
    return elbrus::opcode::fdiv;
  case Instruction::FNeg:
    return elbrus::opcode::fneg;
  case Instruction::Trunc:
    return elbrus::opcode::trunc;
  case Instruction::ZExt:
    return elbrus::opcode::zext;
  case Instruction::SExt:
    return elbrus::opcode::sext;
  case Instruction::SIToFP:
    return elbrus::opcode::itof;
  case Instruction::UIToFP:
    return elbrus::opcode::utof;
  case Instruction::FPToSI:
    return elbrus::opcode::ftoi;
  case Instruction::FPToUI:
    return elbrus::opcode::ftou;
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return elbrus::opcode::ftof;
  default:
    return std::nullopt;
  }
}

/// A comparison, or its complement.
struct comparison {
  elbrus::opcode code;
  bool negated = false;
};

/// Nothing for those that are always true or false. Comparisons that hold for NaN are the complements of others.
inline std::optional<comparison> comparison_of(llvm::CmpInst::Predicate p) {
  using llvm::CmpInst;
  switch (p) {
  case CmpInst::ICMP_EQ:
    return comparison{elbrus::opcode::cmp_eq};
  case CmpInst::ICMP_NE:
    return comparison{elbrus::opcode::cmp_ne};
  case CmpInst::ICMP_SLT:
    return comparison{elbrus::opcode::cmp_lt};
  case CmpInst::ICMP_SLE:
    return comparison{elbrus::opcode::cmp_le};
  case CmpInst::ICMP_SGT:
    return comparison{elbrus::opcode::cmp_gt};
  case CmpInst::ICMP_SGE:
    return comparison{elbrus::opcode::cmp_ge};
  case CmpInst::ICMP_ULT:
    return comparison{elbrus::opcode::cmp_ult};
  case CmpInst::ICMP_ULE:
    return comparison{elbrus::opcode::cmp_ule};
  case CmpInst::ICMP_UGT:
    return comparison{elbrus::opcode::cmp_ugt};
  case CmpInst::ICMP_UGE:
    return comparison{elbrus::opcode::cmp_uge};
  case CmpInst::FCMP_OEQ:
    return comparison{elbrus::opcode::fcmp_oeq};
  case CmpInst::FCMP_ONE:
    return comparison{elbrus::opcode::fcmp_one};
  case CmpInst::FCMP_OLT:
    return comparison{elbrus::opcode::fcmp_olt};
  case CmpInst::FCMP_OLE:
    return comparison{elbrus::opcode::fcmp_ole};
  case CmpInst::FCMP_OGT:
    return comparison{elbrus::opcode::fcmp_ogt};
  case CmpInst::FCMP_OGE:
    return comparison{elbrus::opcode::fcmp_oge};
  case CmpInst::FCMP_UNO:
    return comparison{elbrus::opcode::fcmp_uno};
  case CmpInst::FCMP_UNE:
    return comparison{elbrus::opcode::fcmp_oeq, true};
  case CmpInst::FCMP_UEQ:
    return comparison{elbrus::opcode::fcmp_one, true};
  case CmpInst::FCMP_ULT:
    return comparison{elbrus::opcode::fcmp_oge, true};
  case CmpInst::FCMP_ULE:
    return comparison{elbrus::opcode::fcmp_ogt, true};
  case CmpInst::FCMP_UGT:
    return comparison{elbrus::opcode::fcmp_ole, true};
  case CmpInst::FCMP_UGE:
    return comparison{elbrus::opcode::fcmp_olt, true};
  case CmpInst::FCMP_ORD:
    return comparison{elbrus::opcode::fcmp_uno, true};
  default:
    return std::nullopt;
  }
}

/// What an intrinsic function becomes.
enum class intrinsic_kind : std::uint8_t {
  nothing,        ///< it only tells the optimiser something
  first_argument, ///< its first argument, likewise
  operation,      ///< `opcode_of(intrinsic)`
  absolute,       ///< two operations, as the others below
  saturating_sub,
  multiply_add,
  copies_memory, ///< a call of the library function
  traps,
  unknown
};

/// The same operation on the same operands; nothing if there is none. `minnum` and `maxnum` may take either of two
/// zeros, and rounding may tell that it was inexact: nobody asks.
inline std::optional<elbrus::opcode> opcode_of_intrinsic(llvm::Intrinsic::ID id) {
  switch (id) {
  case llvm::Intrinsic::smin:
    return elbrus::opcode::min;
  case llvm::Intrinsic::smax:
    return elbrus::opcode::max;
  case llvm::Intrinsic::umin:
    return elbrus::opcode::umin;
  case llvm::Intrinsic::umax:
    return elbrus::opcode::umax;
  case llvm::Intrinsic::sqrt:
    return elbrus::opcode::fsqrt;
  case llvm::Intrinsic::fma:
    return elbrus::opcode::fma;
  case llvm::Intrinsic::fabs:
    return elbrus::opcode::fabs;
  case llvm::Intrinsic::copysign:
    return elbrus::opcode::fcopysign;
  case llvm::Intrinsic::minnum:
    return elbrus::opcode::fmin;
  case llvm::Intrinsic::maxnum:
    return elbrus::opcode::fmax;
  case llvm::Intrinsic::minimum:
    return elbrus::opcode::fminimum;
  case llvm::Intrinsic::maximum:
    return elbrus::opcode::fmaximum;
  case llvm::Intrinsic::floor:
    return elbrus::opcode::ffloor;
  case llvm::Intrinsic::ceil:
    return elbrus::opcode::fceil;
  case llvm::Intrinsic::trunc:
    return elbrus::opcode::ftrunc;
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::nearbyint:
  case llvm::Intrinsic::roundeven:
    return elbrus::opcode::frint;
  case llvm::Intrinsic::round:
    return elbrus::opcode::fround;
  default:
    return std::nullopt;
  }
}

inline intrinsic_kind kind_of(llvm::Intrinsic::ID id) {
  using namespace llvm;
  switch (id) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::assume:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::donothing:
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_value:
  case Intrinsic::dbg_label:
  case Intrinsic::dbg_assign:
    return intrinsic_kind::nothing;
  case Intrinsic::expect:
    return intrinsic_kind::first_argument;
  case Intrinsic::abs:
    return intrinsic_kind::absolute;
  case Intrinsic::usub_sat:
    return intrinsic_kind::saturating_sub;
  case Intrinsic::fmuladd:
    return intrinsic_kind::multiply_add;
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
  case Intrinsic::memset:
    return intrinsic_kind::copies_memory;
  case Intrinsic::trap:
    return intrinsic_kind::traps;
  default:
    return opcode_of_intrinsic(id) ? intrinsic_kind::operation : intrinsic_kind::unknown;
  }
}

} // namespace llvm_to_eir
