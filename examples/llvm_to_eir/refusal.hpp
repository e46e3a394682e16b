/// `refusal_of`: why a function cannot be said in the Elbrus-like IR.
#pragma once

#include <llvm/IR/Function.h>

#include <optional>
#include <string>

namespace llvm_to_eir {

/// What a function does that the IR cannot say.
struct refusal {
  std::string reason; ///< one of few, to be counted
  std::string where;  ///< the instruction; empty if it is the function itself
};

/// The first reason in the order of the code. Nothing if the function translates.
std::optional<refusal> refusal_of(const llvm::Function& f);

} // namespace llvm_to_eir
