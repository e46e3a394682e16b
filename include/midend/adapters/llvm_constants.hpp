/// LLVM's constants as 64 bits, and folding by LLVM's own constant folder. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/support/span.hpp"
#include "midend/support/wide_number.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <bit>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// A constant of LLVM in 64 bits. An integer of up to 64 bits is its bits, with zeros above. A constant of another type
/// is the address of the `llvm::Constant`; LLVM makes one for each value, so these can be compared for equality, and
/// for nothing else. (Different constants may be equal when the program runs: addresses of aliases.) Nothing for
/// `undef` and `poison`, and for integers whose bits only the linker knows (`ptrtoint (ptr @g to i64)`).
MIDEND_ALWAYS_INLINED inline std::optional<std::uint64_t> llvm_constant_bits(const llvm::Constant* c) {
  if (detail::is_llvm_number(c->getType())) {
    const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(c);
    return number == nullptr ? std::nullopt : std::optional(number->getZExtValue());
  }
  if (llvm::isa<llvm::UndefValue>(c)) { // poison is one
    return std::nullopt;
  }
  return std::bit_cast<std::uintptr_t>(c);
}

/// The number that an integer of up to 255 bits is; nothing for other constants.
inline std::optional<wide_number> llvm_wide_constant(const llvm::Constant* c) {
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(c);
  if (number == nullptr || !detail::is_llvm_integer(c->getType())) {
    return std::nullopt;
  }
  wide_number out;
  for (unsigned i = 0; i != number->getValue().getNumWords(); ++i) {
    out.set_word(i, number->getValue().getRawData()[i]); // above the width, LLVM keeps zeros
  }
  return out;
}

/// The constant of a type with these bits.
inline llvm::Constant* llvm_constant(llvm::Type* type, std::uint64_t bits) {
  if (detail::is_llvm_number(type)) {
    return llvm::ConstantInt::get(type, bits);
  }
  return std::bit_cast<llvm::Constant*>(static_cast<std::uintptr_t>(bits));
}

/// Which operations outside of the vocabulary are folded, and how LLVM's folder is called. The last two options change
/// operands of `llvm_ssa`; `llvm_editor` ignores them.
struct llvm_fold_options {
  const llvm::TargetLibraryInfo* library = nullptr; ///< to fold calls of library functions

  /// Folds also where several results are right and LLVM picks one, such as a NaN for 0.0 / 0.0, and calls with
  /// floating-point results. Use it only where *all* uses of the instruction get the folded result, as in constant
  /// propagation.
  bool any_right_result = false;

  /// An `extractvalue` of a field that an `insertvalue` before it has set, or of a constant, is a `copy` of the field.
  /// The field is its only operand in the view, in place of the aggregate. An `extractvalue` of an overflow intrinsic
  /// (`uadd`, `ssub`, `umul`, …) is the operation, or, where a literal or an unsigned subtraction makes it one, the
  /// comparison that tells whether it overflows; operands are those of the intrinsic, or a literal that the function
  /// need not have. An `insertvalue` into an aggregate without set fields has the inserted value as its only
  /// operand, so that it is folded to a constant with undefined fields. An `insertvalue` of a literal `undef` there,
  /// and a load of constant memory that is `undef`, is a copy of `undef`. The part of a wide integer above an extended
  /// number is a copy of 0: structs of two numbers are passed in this form.
  bool copies_fields = false;

  /// A `sub` of two `ptrtoint`s is `other`, and reads the two pointers in place of the numbers, which only the linker
  /// knows. It is folded if both are constants: the size of an array in C++ is a distance of pointers.
  bool subtracts_addresses = false;
};

namespace detail {

/// LLVM's result for an instruction with operands `args`; null if there is none.
inline const llvm::Constant* fold_llvm_instruction(const llvm::Instruction& i, llvm::ArrayRef<llvm::Constant*> args,
                                                   const llvm_fold_options& options) {
  const llvm::DataLayout& layout = i.getFunction()->getDataLayout();
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i)) { // of constant memory
    return load->isSimple() ? llvm::ConstantFoldLoadFromConstPtr(args[0], i.getType(), layout) : nullptr;
  }
  auto& changeable = const_cast<llvm::Instruction&>(i); // the folder only reads it
  return llvm::ConstantFoldInstOperands(&changeable, args, layout, options.library, options.any_right_result);
}

/// The distance of two constant addresses in one object; null if it is unknown.
inline const llvm::Constant* subtract_llvm_addresses(const llvm::Instruction& sub, span<const std::uint64_t> args) {
  const llvm::DataLayout& layout = sub.getFunction()->getDataLayout();
  llvm::Constant* addresses[2];
  for (unsigned k = 0; k != 2; ++k) {
    const llvm::Value* const pointer = llvm_pointer_of_address(sub.getOperand(k));
    addresses[k] = llvm::ConstantFoldCastOperand(llvm::Instruction::PtrToInt,
                                                 llvm_constant(pointer->getType(), args[k]), sub.getType(), layout);
    if (addresses[k] == nullptr) {
      return nullptr;
    }
  }
  return llvm::ConstantFoldBinaryOpOperands(llvm::Instruction::Sub, addresses[0], addresses[1], layout);
}

/// The result of an `insertvalue` of a constant into an undefined aggregate. If the aggregate is poison, `undef` is
/// right, too.
inline const llvm::Constant* insert_into_undefined(const llvm::InsertValueInst& i, std::uint64_t arg) {
  return llvm::ConstantFoldInsertValueInstruction(
      llvm::UndefValue::get(i.getType()), llvm_constant(i.getInsertedValueOperand()->getType(), arg), i.getIndices());
}

/// An instruction outside of the vocabulary, of constants: one for each operand of the view.
inline std::optional<std::uint64_t> fold_other_llvm_instruction(const llvm::Instruction& i,
                                                                span<const std::uint64_t> args,
                                                                const llvm_fold_options& options) {
  const auto bits_of = [](const llvm::Constant* c) { return c == nullptr ? std::nullopt : llvm_constant_bits(c); };
  if (options.subtracts_addresses && subtracts_llvm_addresses(i)) {
    return bits_of(subtract_llvm_addresses(i, args));
  }
  if (const auto* const insert = llvm::dyn_cast<llvm::InsertValueInst>(&i); insert != nullptr && args.size() == 1) {
    return bits_of(insert_into_undefined(*insert, args[0]));
  }
  if (args.size() != i.getNumOperands() || i.isTerminator()) {
    return std::nullopt; // some operands are not values
  }
  llvm::SmallVector<llvm::Constant*, 8> constants;
  for (unsigned k = 0; k != i.getNumOperands(); ++k) {
    constants.push_back(llvm_constant(i.getOperand(k)->getType(), args[k]));
  }
  return bits_of(fold_llvm_instruction(i, constants, options));
}

} // namespace detail

MIDEND_END_NAMESPACE
