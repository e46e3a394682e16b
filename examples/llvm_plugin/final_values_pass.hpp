/// Final values and loops that compute nothing, as passes of LLVM.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

/// `midend-final-values`: what is read after a loop and has a closed form is computed before the loop. In rounds until
/// nothing is left, since what one loop leaves may be what another one starts with.
class final_values_pass : public llvm::PassInfoMixin<final_values_pass> {
public:
  explicit final_values_pass(bool verify) : verify_(verify) {}

  static constexpr llvm::StringLiteral pass_name = "midend-final-values";

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) const;

private:
  bool verify_;
};

/// `midend-dead-loops`: `midend-dce`, and also loops go that compute nothing that is used, if their counters end them.
class dead_loops_pass : public llvm::PassInfoMixin<dead_loops_pass> {
public:
  explicit dead_loops_pass(bool verify) : verify_(verify) {}

  static constexpr llvm::StringLiteral pass_name = "midend-dead-loops";

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) const;

private:
  bool verify_;
};
