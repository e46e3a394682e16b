/// Passes by name.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/PassManager.h>

#include <utility>

/// A function pass whose only option is `verify`.
struct named_pass {
  llvm::StringRef name;
  void (*add)(bool verify, llvm::FunctionPassManager& passes);
};

template <class Pass> void add_pass(bool verify, llvm::FunctionPassManager& passes) {
  passes.addPass(Pass(verify));
}

template <class Pass> constexpr named_pass pass_of = {Pass::pass_name, add_pass<Pass>};
