/// Checks of what a pass has done.
#pragma once

#include <midend/adapters/llvm_editor.hpp>
#include <midend/adapters/llvm_nest_view.hpp>
#include <midend/transform/verify_unfolding.hpp>
#include <midend/viz/certificates.hpp>
#include <midend/viz/condition_splits.hpp>
#include <midend/viz/nests.hpp>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Value.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/Casting.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <memory>
#include <optional>

/// A copy of a function, in its module as long as this exists. Blocks and instructions are in the same order, and read
/// the same constants, so `llvm_ssa` numbers both alike. Debug records and names are not copied.
class function_copy {
public:
  explicit function_copy(llvm::Function& f)
      : copy_(llvm::Function::Create(f.getFunctionType(), llvm::GlobalValue::PrivateLinkage, f.getAddressSpace(),
                                     "midend.before", f.getParent())) {
    copy_->copyAttributesFrom(&f);
    copy_->setIsNewDbgInfoFormat(f.IsNewDbgInfoFormat);
    for (llvm::Argument& argument : f.args()) {
      copies_[&argument] = copy_->getArg(argument.getArgNo());
    }
    for (const llvm::BasicBlock& b : f) {
      llvm::BasicBlock* const block = llvm::BasicBlock::Create(f.getContext(), "", copy_);
      copies_[&b] = block;
      if (b.hasAddressTaken()) {
        copies_[llvm::BlockAddress::get(&f, const_cast<llvm::BasicBlock*>(&b))] = llvm::BlockAddress::get(copy_, block);
      }
      for (const llvm::Instruction& i : b) {
        llvm::Instruction* const clone = i.clone();
        // Debug records of the function name it by this, and LLVM's verifier wants both in one function.
        clone->setMetadata(llvm::LLVMContext::MD_DIAssignID, nullptr);
        clone->insertInto(block, block->end());
        copies_[&i] = clone;
      }
    }
    for (llvm::BasicBlock& b : *copy_) {
      for (llvm::Instruction& i : b) {
        for (llvm::Use& use : i.operands()) {
          use.set(translated(use.get()));
        }
        if (auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
          for (unsigned k = 0; k != phi->getNumIncomingValues(); ++k) {
            phi->setIncomingBlock(k, llvm::cast<llvm::BasicBlock>(translated(phi->getIncomingBlock(k))));
          }
        }
      }
    }
  }

  function_copy(const function_copy&) = delete;
  function_copy& operator=(const function_copy&) = delete;

  ~function_copy() { copy_->eraseFromParent(); }

  llvm::Function& function() { return *copy_; }

  /// What stands for `v` in the copy: for a block also in its addresses, even deep in a constant. Other constants are
  /// the same in both functions.
  llvm::Value* translated(llvm::Value* v) {
    const llvm::RemapFlags flags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;
    return llvm::isa<llvm::MetadataAsValue>(v) ? v : llvm::MapValue(v, copies_, flags);
  }

private:
  llvm::Function* copy_;
  llvm::ValueToValueMapTy copies_;
};

/// Made before a function is changed; does nothing unless it is `wanted`.
class certificate {
public:
  certificate(llvm::Function& f, llvm::StringRef pass, bool wanted) : function_(f), pass_(pass) {
    if (wanted) {
      before_.emplace(f);
    }
  }

  bool is_wanted() const { return before_.has_value(); }

  /// Stops the compiler unless `holds`.
  void require(bool holds, llvm::StringRef what) const {
    if (!holds) {
      llvm::errs() << pass_ << ": " << function_.getName() << ": " << what << "\n";
      stop();
    }
  }

  /// Stops the compiler if there is an error in what a change is derived from.
  template <class Error> void require_none(const Error& error, const midend::llvm_editor& editor) const {
    if (error) {
      llvm::errs() << pass_ << ": " << function_.getName()
                   << ": the certificate is rejected: " << midend::to_text(error);
      if (error.value != midend::no_value) {
        llvm::errs() << ", value" << *editor.value(error.value);
      }
      llvm::errs() << "\n";
      stop();
    }
  }

  /// Stops the compiler unless `verify(before, after)` accepts what was done.
  template <class Verify> void check(const midend::llvm_editor& after, Verify verify) {
    if (!before_) {
      return;
    }
    const midend::llvm_editor before(before_->function());
    const auto verdict = verify(before, after);
    require(verdict, after);
    if constexpr (requires { verdict.assumed; }) {
      require(verdict.assumed == 0, "the certificate assumes what nothing proves");
    }
  }

  /// The same with the function before as an `llvm_nest_view`.
  template <class Verify> void check_nests(const midend::llvm_editor& after, Verify verify) {
    if (before_) {
      midend::llvm_editor before(before_->function());
      require(verify(midend::llvm_nest_view(before), after), after);
    }
  }

  /// What stands for a constant in the copy of the function.
  llvm::Constant* translated(llvm::Constant* c) { return llvm::cast<llvm::Constant>(before_->translated(c)); }

  /// The same for what only unfolds the program.
  void check(const midend::llvm_editor& after, const midend::unfolding_witness& witness) {
    check(after, [&](const auto& before, const auto& now) { return midend::verify_unfolding(before, now, witness); });
  }

  /// The same for what unfolds the program that `change` makes of the old one, and returns the witness of that. What
  /// the witness assumes must have been proven.
  template <class Change> void check_after(const midend::llvm_editor& after, Change change) {
    if (before_) {
      midend::llvm_editor before(before_->function());
      const midend::unfolding_witness witness = change(before);
      require(midend::verify_unfolding(before, after, witness), after);
    }
  }

  /// Stops the compiler if LLVM's verifier finds a mistake. The function must not be being edited.
  void check_function() {
    require(!before_ || !llvm::verifyFunction(function_, &llvm::errs()), "LLVM's verifier complains");
  }

private:
  template <class Verdict> void require(const Verdict& verdict, const midend::llvm_editor& after) const {
    if (verdict) {
      return;
    }
    llvm::errs() << pass_ << ": " << function_.getName()
                 << ": the certificate is rejected: " << midend::to_text(verdict.fault);
    if (verdict.node != midend::no_node) {
      llvm::errs() << ", at block ";
      after.block(verdict.node)->printAsOperand(llvm::errs(), false);
    }
    if (verdict.value != midend::no_value) {
      llvm::errs() << ", value" << *after.value(verdict.value);
    }
    llvm::errs() << "\n";
    stop();
  }

  [[noreturn]] static void stop() { llvm::report_fatal_error("midend: a transformation is wrong", false); }

  llvm::Function& function_;
  llvm::StringRef pass_;
  std::optional<function_copy> before_;
};
