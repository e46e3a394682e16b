/// What LLVM's instructions compute, in the vocabulary of `ir/operation.hpp`. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_operands.hpp"
#include "midend/config.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/wide_numbers.hpp"

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constant.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Type.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether values of the type are numbers to midend: integers of up to 64 bits.
inline bool is_llvm_number(const llvm::Type* type) {
  return type->isIntegerTy() && type->getIntegerBitWidth() <= 64;
}

/// Whether values of the type are integers of the members about wide numbers (`has_wide_numbers`).
inline bool is_llvm_integer(const llvm::Type* type) {
  return type->isIntegerTy() && type->getIntegerBitWidth() <= widest_number;
}

/// Whether a type is a pointer type of 64 bits.
inline bool is_llvm_address(const llvm::Type* type, const llvm::DataLayout& layout) {
  return type->isPointerTy() && layout.getPointerTypeSizeInBits(const_cast<llvm::Type*>(type)) == 64 &&
         layout.getIndexTypeSizeInBits(const_cast<llvm::Type*>(type)) == 64;
}

/// The width of a number; 64 for other types.
inline std::uint8_t llvm_width(const llvm::Type* type) {
  return is_llvm_number(type) ? static_cast<std::uint8_t>(type->getIntegerBitWidth()) : std::uint8_t{64};
}

/// Facts about an instruction from its opcode.
struct llvm_opcode {
  enum class kind : std::uint8_t {
    other,
    binary,
    cast,
    comparison,
    call,
    select,
    load,
    phi,
    branch,
    choice,     ///< `switch`
    invocation, ///< a call that ends a block
    field,      ///< `extractvalue`
    aggregate   ///< `insertvalue`
  };

  kind is = kind::other;
  operation code = operation::other; ///< valid if its result and operands are numbers
  bool is_opaque = false;            ///< never folded

  static constexpr unsigned count = 128; ///< at least the number of opcodes

  static const llvm_opcode& of(unsigned opcode);
};

constexpr std::array<llvm_opcode, llvm_opcode::count> llvm_opcode_table() {
  using i = llvm::Instruction;
  using kind = llvm_opcode::kind;
  std::array<llvm_opcode, llvm_opcode::count> table{};
  for (unsigned opcode = i::TermOpsBegin; opcode != i::TermOpsEnd; ++opcode) {
    table[opcode].is_opaque = true;
  }
  for (const int opcode : {+i::Alloca, +i::VAArg, +i::Store, +i::Fence, +i::AtomicCmpXchg, +i::AtomicRMW}) {
    table[static_cast<unsigned>(opcode)].is_opaque = true;
  }
  table[i::LandingPad].is_opaque = true;
  const auto add_binary = [&table](unsigned opcode, operation code) { table[opcode] = {kind::binary, code}; };
  add_binary(i::Add, operation::add);
  add_binary(i::Sub, operation::sub);
  add_binary(i::Mul, operation::mul);
  add_binary(i::SDiv, operation::div);
  add_binary(i::UDiv, operation::udiv);
  add_binary(i::SRem, operation::rem);
  add_binary(i::URem, operation::urem);
  add_binary(i::And, operation::bit_and);
  add_binary(i::Or, operation::bit_or);
  add_binary(i::Xor, operation::bit_xor);
  add_binary(i::Shl, operation::shl);
  add_binary(i::LShr, operation::shr);
  add_binary(i::AShr, operation::sar);
  for (unsigned opcode = i::CastOpsBegin; opcode != i::CastOpsEnd; ++opcode) {
    table[opcode].is = kind::cast;
  }
  table[i::Trunc] = {kind::cast, operation::truncate};
  table[i::ZExt] = {kind::cast, operation::zero_extend};
  table[i::SExt] = {kind::cast, operation::sign_extend};
  table[i::BitCast] = {kind::cast, operation::copy};
  table[i::ICmp].is = kind::comparison;
  table[i::Call].is = kind::call;
  table[i::Select] = {kind::select, operation::select};
  table[i::Load].is = kind::load;
  table[i::PHI].is = kind::phi;
  table[i::Br].is = kind::branch;
  table[i::Switch].is = kind::choice;
  table[i::Invoke].is = kind::invocation;
  table[i::CallBr].is = kind::invocation;
  table[i::ExtractValue].is = kind::field;
  table[i::InsertValue].is = kind::aggregate;
  return table;
}

/// Calls `visit` with the kind as a constant, so that what depends on it is decided once.
template <class Visit> MIDEND_ALWAYS_INLINED inline decltype(auto) visit_llvm_kind(llvm_opcode::kind is, Visit visit) {
  using kind = llvm_opcode::kind;
  switch (is) {
  case kind::binary:
    return visit(std::integral_constant<kind, kind::binary>());
  case kind::cast:
    return visit(std::integral_constant<kind, kind::cast>());
  case kind::comparison:
    return visit(std::integral_constant<kind, kind::comparison>());
  case kind::call:
    return visit(std::integral_constant<kind, kind::call>());
  case kind::select:
    return visit(std::integral_constant<kind, kind::select>());
  case kind::load:
    return visit(std::integral_constant<kind, kind::load>());
  case kind::phi:
    return visit(std::integral_constant<kind, kind::phi>());
  case kind::branch:
    return visit(std::integral_constant<kind, kind::branch>());
  case kind::choice:
    return visit(std::integral_constant<kind, kind::choice>());
  case kind::invocation:
    return visit(std::integral_constant<kind, kind::invocation>());
  case kind::field:
    return visit(std::integral_constant<kind, kind::field>());
  case kind::aggregate:
    return visit(std::integral_constant<kind, kind::aggregate>());
  case kind::other:
    break;
  }
  return visit(std::integral_constant<kind, kind::other>());
}

inline const llvm_opcode& llvm_opcode::of(unsigned opcode) {
  static constexpr std::array<llvm_opcode, count> table = llvm_opcode_table();
  return table[opcode];
}

inline operation llvm_comparison(llvm::CmpInst::Predicate predicate) {
  switch (predicate) {
  case llvm::CmpInst::ICMP_EQ:
    return operation::equal;
  case llvm::CmpInst::ICMP_NE:
    return operation::not_equal;
  case llvm::CmpInst::ICMP_SLT:
    return operation::less;
  case llvm::CmpInst::ICMP_SLE:
    return operation::less_equal;
  case llvm::CmpInst::ICMP_SGT:
    return operation::greater;
  case llvm::CmpInst::ICMP_SGE:
    return operation::greater_equal;
  case llvm::CmpInst::ICMP_ULT:
    return operation::uless;
  case llvm::CmpInst::ICMP_ULE:
    return operation::uless_equal;
  case llvm::CmpInst::ICMP_UGT:
    return operation::ugreater;
  case llvm::CmpInst::ICMP_UGE:
    return operation::ugreater_equal;
  default:
    return operation::other;
  }
}

inline operation llvm_call(const llvm::Instruction& i) {
  const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  switch (intrinsic == nullptr ? llvm::Intrinsic::not_intrinsic : intrinsic->getIntrinsicID()) {
  case llvm::Intrinsic::smin:
    return operation::min;
  case llvm::Intrinsic::smax:
    return operation::max;
  case llvm::Intrinsic::umin:
    return operation::umin;
  case llvm::Intrinsic::umax:
    return operation::umax;
  default:
    return operation::other;
  }
}

/// The operation of the vocabulary for an instruction with a result of type `type`.
template <llvm_opcode::kind Is>
operation llvm_code(const llvm::Instruction& i, const llvm_opcode& opcode, const llvm::Type* type) {
  using kind = llvm_opcode::kind;
  if constexpr (Is == kind::binary) {
    return is_llvm_number(type) ? opcode.code : operation::other;
  } else if constexpr (Is == kind::cast) {
    return is_llvm_number(type) && is_llvm_number(i.getOperand(0)->getType()) ? opcode.code : operation::other;
  } else if constexpr (Is == kind::comparison) {
    return is_llvm_number(type) && is_llvm_number(i.getOperand(0)->getType())
               ? llvm_comparison(llvm::cast<llvm::ICmpInst>(i).getPredicate())
               : operation::other;
  } else if constexpr (Is == kind::call) {
    return is_llvm_number(type) ? llvm_call(i) : operation::other;
  } else if constexpr (Is == kind::select) { // of values of any type: one of two is chosen
    return i.getOperand(0)->getType()->isIntegerTy() ? opcode.code : operation::other;
  } else {
    return operation::other;
  }
}

/// The promises of an addition, subtraction, multiplication or left shift.
inline operation_flags llvm_promises(const llvm::Instruction& i) {
  const auto& promises = llvm::cast<llvm::OverflowingBinaryOperator>(i);
  return {promises.hasNoSignedWrap(), promises.hasNoUnsignedWrap()};
}

inline operation_flags llvm_flags(const llvm::Instruction& i, operation code) {
  const bool may_promise = (code >= operation::add && code <= operation::mul) || code == operation::shl;
  return may_promise ? llvm_promises(i) : operation_flags{};
}

/// Whether a call is not constant even for constant operands.
inline bool is_opaque_llvm_call(const llvm::CallBase& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  return callee == nullptr || !(callee->isIntrinsic() || callee->isDeclaration()) ||
         !llvm::canConstantFoldCallTo(&call, callee);
}

/// The operation of an instruction of a kind.
template <llvm_opcode::kind Is>
operation_info llvm_operation_of(const llvm::Instruction& i, const llvm_opcode& opcode) {
  using kind = llvm_opcode::kind;
  const llvm::Type* const type = i.getType();
  const operation code = llvm_code<Is>(i, opcode, type);
  const std::uint8_t width = llvm_width(type);
  const bool converts = Is == kind::cast || (Is == kind::comparison && code != operation::other);
  const std::uint8_t operand_width = converts ? llvm_width(i.getOperand(0)->getType()) : width;
  return {code, width, operand_width, Is == kind::binary ? llvm_flags(i, code) : operation_flags{}};
}

/// A field of a constant aggregate; null if it has no constants for fields.
inline const llvm::Value* llvm_constant_field(const llvm::Constant* c, llvm::ArrayRef<unsigned> field) {
  for (const unsigned index : field) {
    c = c == nullptr ? nullptr : c->getAggregateElement(index);
  }
  return c;
}

/// Whether `i` reads an aggregate that a chain of more than `longest_llvm_chain` `insertvalue` builds. LLVM's
/// simplifier does not come back if the chain is a circle.
inline bool reads_long_llvm_chain(const llvm::Instruction& i) {
  const auto* const extract = llvm::dyn_cast<llvm::ExtractValueInst>(&i);
  const llvm::Value* aggregate = extract == nullptr ? nullptr : extract->getAggregateOperand();
  for (int length = 0; length != longest_llvm_chain; ++length) {
    const auto* const insert = llvm::dyn_cast_or_null<llvm::InsertValueInst>(aggregate);
    if (insert == nullptr) {
      return false;
    }
    aggregate = insert->getAggregateOperand();
  }
  return true;
}

/// The value of the field that `i` extracts, if it is a constant or an `insertvalue` before has set it; else null, also
/// if more than `longest_llvm_chain` of them are between.
inline const llvm::Value* llvm_known_field(const llvm::Instruction& i) {
  const auto* const extract = llvm::dyn_cast<llvm::ExtractValueInst>(&i);
  if (extract == nullptr) {
    return nullptr;
  }
  const llvm::ArrayRef<unsigned> field = extract->getIndices();
  const llvm::Value* aggregate = extract->getAggregateOperand();
  for (int length = 0; length != longest_llvm_chain; ++length) {
    const auto* const insert = llvm::dyn_cast<llvm::InsertValueInst>(aggregate);
    if (insert == nullptr) {
      break;
    }
    const llvm::ArrayRef<unsigned> set = insert->getIndices();
    if (set == field) {
      return insert->getInsertedValueOperand();
    }
    const std::size_t common = std::min(field.size(), set.size());
    if (field.take_front(common) == set.take_front(common)) {
      return nullptr; // it sets a part of the field, or an aggregate that contains it
    }
    aggregate = insert->getAggregateOperand();
  }
  const auto* const constant = llvm::dyn_cast<llvm::Constant>(aggregate);
  return constant == nullptr ? nullptr : llvm_constant_field(constant, field);
}

/// Whether `v` is a literal `undef` or `poison`.
inline bool is_undefined_llvm_literal(const llvm::Value* v) {
  return llvm::isa<llvm::UndefValue>(v); // poison is one
}

/// Whether no field of an aggregate is set: it is a literal `undef`, or only such literals were inserted into one.
inline bool is_undefined_llvm_aggregate(const llvm::Value* v) {
  for (int length = 0; length != longest_llvm_chain; ++length) {
    const auto* const insert = llvm::dyn_cast<llvm::InsertValueInst>(v);
    if (insert == nullptr || !is_undefined_llvm_literal(insert->getInsertedValueOperand())) {
      break;
    }
    v = insert->getAggregateOperand();
  }
  return is_undefined_llvm_literal(v);
}

/// Whether `load` reads constant memory that is `undef` there, by a literal address.
inline bool loads_undefined_llvm_memory(const llvm::Instruction& load) {
  const auto* const address = llvm::dyn_cast<llvm::Constant>(load.getOperand(0));
  if (address == nullptr || !llvm::cast<llvm::LoadInst>(load).isSimple()) {
    return false;
  }
  const llvm::DataLayout& layout = load.getFunction()->getDataLayout();
  const llvm::Constant* const loaded =
      llvm::ConstantFoldLoadFromConstPtr(const_cast<llvm::Constant*>(address), load.getType(), layout);
  return loaded != nullptr && is_undefined_llvm_literal(loaded);
}

/// Whether `i` reads the part of a zero-extended number above its bits. A struct of two numbers that was passed as one
/// wide integer is taken apart in this form.
inline bool is_zero_llvm_high_part(const llvm::Instruction& i) {
  const auto* const whole = llvm::dyn_cast<llvm::ZExtInst>(i.getOperand(0));
  const auto* const amount = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
  return i.getOpcode() == llvm::Instruction::LShr && whole != nullptr && amount != nullptr &&
         amount->getValue().uge(whole->getSrcTy()->getIntegerBitWidth()) &&
         amount->getValue().ult(i.getType()->getIntegerBitWidth());
}

/// The pointer whose address a number is, by an instruction or a literal; else null.
inline const llvm::Value* llvm_pointer_of_address(const llvm::Value* v) {
  const auto* const address = llvm::dyn_cast<llvm::PtrToIntOperator>(v);
  return address == nullptr ? nullptr : address->getPointerOperand();
}

/// Whether `i` subtracts the address of one pointer from that of another.
inline bool subtracts_llvm_addresses(const llvm::Instruction& i) {
  return i.getOpcode() == llvm::Instruction::Sub && llvm_pointer_of_address(i.getOperand(0)) != nullptr &&
         llvm_pointer_of_address(i.getOperand(1)) != nullptr;
}

/// An operation in place of an instruction: what it computes, of two operands.
struct llvm_replacement {
  operation code = operation::other;
  std::uint8_t width = 0;
  std::uint8_t operand_width = 0;
  const llvm::Value* left = nullptr;
  const llvm::Value* right = nullptr;
};

/// The comparison of x that tells whether `x` op `c` overflows; `other` if it takes more than one.
inline llvm_replacement llvm_overflow_of_constant(const llvm::WithOverflowInst& call, const llvm::Value* x,
                                                  const llvm::APInt& c) {
  const unsigned width = c.getBitWidth();
  const auto is = [&](operation code, const llvm::APInt& limit) {
    return llvm_replacement{code, 1, static_cast<std::uint8_t>(width), x,
                            llvm::ConstantInt::get(call.getContext(), limit)};
  };
  const llvm::APInt most = llvm::APInt::getMaxValue(width);
  const llvm::APInt greatest = llvm::APInt::getSignedMaxValue(width);
  const llvm::APInt least = llvm::APInt::getSignedMinValue(width);
  const bool is_up = call.getBinaryOp() == llvm::Instruction::Add;
  if (call.getBinaryOp() == llvm::Instruction::Mul) {
    return call.isSigned() ? llvm_replacement() : is(operation::ugreater, c.isZero() ? most : most.udiv(c));
  }
  if (!call.isSigned()) {
    return is_up ? is(operation::ugreater, most - c) : is(operation::uless, c);
  }
  return is_up            ? c.isNegative() ? is(operation::less, least - c) : is(operation::greater, greatest - c)
                    : c.isNegative() ? is(operation::greater, greatest + c)
                          : is(operation::less, least + c);
}

/// The operation that replaces `i`, if it extracts a field of the result of an overflow intrinsic: the arithmetic, or
/// the comparison that tells whether it overflows. `other` if there is no such comparison: for signed multiplication,
/// and for a second operand that is no literal, except in unsigned subtraction.
inline llvm_replacement llvm_field_with_overflow(const llvm::Instruction& i) {
  const auto* const extract = llvm::dyn_cast<llvm::ExtractValueInst>(&i);
  const auto* const call =
      extract == nullptr ? nullptr : llvm::dyn_cast<llvm::WithOverflowInst>(extract->getAggregateOperand());
  if (call == nullptr || !is_llvm_number(call->getLHS()->getType())) {
    return {};
  }
  const std::uint8_t width = llvm_width(call->getLHS()->getType());
  if (extract->getIndices()[0] == 0) {
    return {llvm_opcode::of(call->getBinaryOp()).code, width, width, call->getLHS(), call->getRHS()};
  }
  if (const auto* const c = llvm::dyn_cast<llvm::ConstantInt>(call->getRHS())) {
    return llvm_overflow_of_constant(*call, call->getLHS(), c->getValue());
  }
  if (const auto* const c = llvm::dyn_cast<llvm::ConstantInt>(call->getLHS());
      c != nullptr && call->getBinaryOp() != llvm::Instruction::Sub) {
    return llvm_overflow_of_constant(*call, call->getRHS(), c->getValue());
  }
  const bool borrows = call->getBinaryOp() == llvm::Instruction::Sub && !call->isSigned();
  return borrows ? llvm_replacement{operation::uless, 1, width, call->getLHS(), call->getRHS()} : llvm_replacement();
}

} // namespace detail

/// The operation of an instruction. The vocabulary has arithmetic, comparisons and conversions of integers of up to 64
/// bits, their minima and maxima, and `select` with a scalar condition. Others are `other`, with the width of an
/// integer result of up to 64 bits, and 64 for other types.
///
/// `freeze` is `other`, because it is not a copy: it makes one value of a poison that may be different ones elsewhere.
/// Promises outside the vocabulary (`exact`, `disjoint`, `nneg`, those of `trunc`) are left out: where one is broken,
/// LLVM has poison, and midend a number that poison may become. O(1).
inline operation_info llvm_operation(const llvm::Instruction& i) {
  const detail::llvm_opcode& opcode = detail::llvm_opcode::of(i.getOpcode());
  return detail::visit_llvm_kind(opcode.is, [&](auto is) { return detail::llvm_operation_of<is()>(i, opcode); });
}

/// The operation of an instruction with integers of 65 to 255 bits: arithmetic, comparisons and conversions, with their
/// real widths (`has_wide_numbers`). For others the code is `other`. O(1).
inline operation_info llvm_wide_operation(const llvm::Instruction& i) {
  using kind = detail::llvm_opcode::kind;
  const detail::llvm_opcode& opcode = detail::llvm_opcode::of(i.getOpcode());
  const bool is_comparison = llvm::isa<llvm::ICmpInst>(i);
  if (opcode.is != kind::binary && opcode.is != kind::cast && !is_comparison) {
    return {};
  }
  const llvm::Type* const type = i.getType();
  const llvm::Type* const from = i.getOperand(0)->getType();
  if (!detail::is_llvm_integer(type) || !detail::is_llvm_integer(from) ||
      (detail::is_llvm_number(type) && detail::is_llvm_number(from))) {
    return {};
  }
  const operation code =
      is_comparison ? detail::llvm_comparison(llvm::cast<llvm::ICmpInst>(i).getPredicate()) : opcode.code;
  return {code, static_cast<std::uint8_t>(type->getIntegerBitWidth()),
          static_cast<std::uint8_t>(from->getIntegerBitWidth()),
          opcode.is == kind::binary ? detail::llvm_flags(i, code) : operation_flags{}};
}

MIDEND_END_NAMESPACE
