/// midend's transformations as function passes of LLVM.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/PassManager.h>

/// What the passes are called: `midend-simplify-loops` and so on.
llvm::SmallVector<llvm::StringRef> transformation_names();

/// Adds one of them. `verify`: after each change, its certificate is checked and LLVM's verifier is called, and the
/// compiler stops if one of them finds a fault.
void add_transformation(llvm::StringRef name, bool verify, llvm::FunctionPassManager& passes);
