/// `llvm_operation_record`: the operation of a value, and marks of what else is known about it. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_bounds.hpp"
#include "midend/adapters/llvm_constants.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/ir/operation.hpp"

#include <llvm/IR/Argument.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Facts about a value that are known without reading it.
struct llvm_operation_record {
  enum : std::uint8_t { phi = 1, bounded = 2, opaque = 4, branch = 8, choice = 16, constant = 32, undefined = 64 };

  operation_info info;
  std::uint8_t marks;

  static llvm_operation_record of(const llvm::Instruction& i) {
    const llvm_opcode& opcode = llvm_opcode::of(i.getOpcode());
    return visit_llvm_kind(opcode.is, [&](auto is) { return of<is()>(i, opcode); });
  }

  /// Of an argument or a constant.
  static llvm_operation_record outside(const llvm::Value& v) {
    const std::uint8_t width = llvm_width(v.getType());
    const int mark = llvm::isa<llvm::Argument>(v)     ? is_llvm_number(v.getType()) ? bounded : 0
                     : llvm::isa<llvm::UndefValue>(v) ? undefined
                     : llvm::isa<llvm::Constant>(v)   ? constant
                                                      : 0;
    return {{operation::other, width, width, {}}, static_cast<std::uint8_t>(mark)};
  }

  /// Of an instruction of a kind.
  template <llvm_opcode::kind Is>
  static llvm_operation_record of(const llvm::Instruction& i, const llvm_opcode& opcode) {
    const operation_info info = llvm_operation_of<Is>(i, opcode);
    return {info, static_cast<std::uint8_t>(marks_of<Is>(i, opcode, info.code))};
  }

  template <llvm_opcode::kind Is>
  static int marks_of(const llvm::Instruction& i, const llvm_opcode& opcode, [[maybe_unused]] operation code) {
    using kind = llvm_opcode::kind;
    const int known = opcode.is_opaque ? opaque : 0;
    if constexpr (Is == kind::phi) {
      return phi;
    } else if constexpr (Is == kind::load || Is == kind::invocation) {
      return known | (may_have_llvm_bounds(i) ? bounded : 0);
    } else if constexpr (Is == kind::call) {
      const bool is_opaque =
          code == operation::other && (i.getType()->isVoidTy() || is_opaque_llvm_call(llvm::cast<llvm::CallBase>(i)));
      return (is_opaque ? opaque : 0) | (may_have_llvm_bounds(i) ? bounded : 0);
    } else if constexpr (Is == kind::branch) {
      return llvm::cast<llvm::BranchInst>(i).isConditional() ? known | branch : known;
    } else if constexpr (Is == kind::choice) {
      return decides(llvm::cast<llvm::SwitchInst>(i)) ? known | choice : known;
    } else {
      return known;
    }
  }

  /// `branch` or `choice` if a number decides where a `br` or `switch` goes.
  static int decision(const llvm::Instruction& last) {
    if (const auto* const b = llvm::dyn_cast<llvm::BranchInst>(&last)) {
      return b->isConditional() ? branch : 0;
    }
    const auto* const s = llvm::dyn_cast<llvm::SwitchInst>(&last);
    return s != nullptr && decides(*s) ? choice : 0;
  }

  /// Whether a number decides where it goes.
  static bool decides(const llvm::SwitchInst& i) {
    return i.getNumCases() != 0 && is_llvm_number(i.getCondition()->getType());
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
