/// `midend-clean-up`.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

/// The clean-up. To verify, the certificate of each of its steps is checked, and LLVM's verifier is called.
class clean_up_pass : public llvm::PassInfoMixin<clean_up_pass> {
public:
  static constexpr llvm::StringLiteral pass_name = "midend-clean-up";

  explicit clean_up_pass(bool verify) : verify_(verify) {}

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);

private:
  bool verify_;
};
