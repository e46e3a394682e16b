/// `midend-assert-trips`: what midend says about the trips of loops becomes an assertion of the program.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

/// Counts the iterations of the innermost loops of which midend knows a number of trips or an upper bound, with the
/// facts about the function around them. A run that contradicts it prints the function, the header and both numbers to
/// the standard error output, and aborts. Like any optimisation, midend believes what LLVM's IR promises (`nsw`,
/// `!range` and so on), so this finds broken promises, too.
struct assert_trips_pass : llvm::PassInfoMixin<assert_trips_pass> {
  static constexpr llvm::StringLiteral pass_name = "midend-assert-trips";

  static llvm::StringRef name() { return pass_name; }

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);
};
