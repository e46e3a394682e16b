/// Addresses with several variable indices as arithmetic, for as long as that is useful.
#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/NoFolder.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Use.h>
#include <llvm/IR/Value.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Support/Casting.h>

/// A memory reference of midend has one variable index, and LLVM makes one `getelementptr` with two of `a[i][j]`. So
/// the address of an access with several becomes base + sum of bytes, by multiplications and additions that the
/// evolutions of numbers follow. They promise nothing, and the `getelementptr` of the sum is not `inbounds`.
class lowered_addresses {
public:
  /// Lowers the address of a load or store if it has several variable indices, all of up to 64 bits.
  void lower(llvm::Instruction& access) {
    const llvm::DataLayout& layout = access.getModule()->getDataLayout();
    llvm::Value* base = llvm::getLoadStorePointerOperand(&access);
    if (base == nullptr || base->getType()->isVectorTy() || layout.getIndexTypeSizeInBits(base->getType()) != 64) {
      return;
    }
    llvm::MapVector<llvm::Value*, llvm::APInt> variables;
    llvm::APInt offset(64, 0);
    for (int length = 0; length != 8; ++length) {
      auto* const gep = llvm::dyn_cast<llvm::GEPOperator>(base);
      if (gep == nullptr) {
        break;
      }
      if (!gep->collectOffset(layout, 64, variables, offset)) {
        return;
      }
      base = gep->getPointerOperand();
    }
    const bool fits =
        llvm::all_of(variables, [](const auto& v) { return v.first->getType()->isIntegerTy(); }) &&
        llvm::all_of(variables, [](const auto& v) { return v.first->getType()->getIntegerBitWidth() <= 64; });
    if (variables.size() < 2 || !fits) {
      return;
    }
    lowered now{&access.getOperandUse(llvm::isa<llvm::StoreInst>(access) ? llvm::StoreInst::getPointerOperandIndex()
                                                                         : llvm::LoadInst::getPointerOperandIndex()),
                nullptr,
                {}};
    now.old = now.use->get();
    llvm::IRBuilder<llvm::NoFolder> builder(&access);
    llvm::Type* const number = builder.getInt64Ty();
    const auto made = [&](llvm::Value* v) {
      now.made.push_back(llvm::cast<llvm::Instruction>(v));
      return v;
    };
    llvm::Value* sum = nullptr;
    for (const auto& [index, scale] : variables) {
      llvm::Value* const wide = index->getType() == number ? index : made(builder.CreateSExt(index, number));
      llvm::Value* const bytes = scale.isOne() ? wide : made(builder.CreateMul(wide, builder.getInt(scale)));
      sum = sum == nullptr ? bytes : made(builder.CreateAdd(sum, bytes));
    }
    if (!offset.isZero()) {
      sum = made(builder.CreateAdd(sum, builder.getInt(offset)));
    }
    now.use->set(made(builder.CreatePtrAdd(base, sum)));
    all_.push_back(now);
  }

  /// Puts the old addresses back. In loops that `changed(block)`, that is possible if the address is computed in the
  /// block of its access: both read the same counters still.
  template <class Changed> void restore(Changed changed) {
    for (lowered& x : llvm::reverse(all_)) {
      const auto* const old = llvm::dyn_cast_or_null<llvm::Instruction>(static_cast<llvm::Value*>(x.old));
      const llvm::BasicBlock* const block = llvm::cast<llvm::Instruction>(x.use->getUser())->getParent();
      if (x.old != nullptr && (!changed(block) || (old != nullptr && old->getParent() == block))) {
        x.use->set(x.old);
        for (llvm::Instruction* const i : llvm::reverse(x.made)) {
          i->eraseFromParent();
        }
      }
    }
    all_.clear();
  }

private:
  struct lowered {
    llvm::Use* use;
    llvm::WeakVH old; ///< null if it was erased
    llvm::SmallVector<llvm::Instruction*, 6> made;
  };

  llvm::SmallVector<lowered, 8> all_;
};
