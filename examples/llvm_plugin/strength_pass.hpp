/// Strength reduction, as a pass of LLVM.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

/// `midend-reduce-strength`: integers that grow by the same in each iteration become counters, where that costs less on
/// a scalar core. In rounds until nothing is left, since the start of one counter may be another one.
class strength_pass : public llvm::PassInfoMixin<strength_pass> {
public:
  explicit strength_pass(bool verify) : verify_(verify) {}

  static constexpr llvm::StringLiteral pass_name = "midend-reduce-strength";

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) const;

private:
  bool verify_;
};
