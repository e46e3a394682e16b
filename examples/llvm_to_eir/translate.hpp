/// `translate`: functions of LLVM as procedures of the Elbrus-like IR.
#pragma once

#include "alias_classes.hpp"
#include "refusal.hpp"

#include <midend/elbrus/procedure.hpp>

#include <llvm/IR/Function.h>

#include <variant>

namespace llvm_to_eir {

struct translation_options {
  alias_source alias = alias_source::any;
};

/// The procedure, or why there is none. A run of the function that is defined in LLVM is a run of the procedure with
/// the same result, memory and calls:
///
/// - The parameters are those of the function, then the addresses of its local variables and of the globals that it
///   uses (`places_of`). A caller passes memory for local variables.
/// - All calls are calls of host functions, `@extern.NAME`; `@indirect` has the address of the function first.
/// - There is no poison. `nsw` stays where a program that breaks it is undefined in LLVM, too; shifts by a number that
///   may be too large are shifts by its low bits; `undef` and poison are 0; exact divisions by 2^k are shifts. Other
///   promises go.
/// - Geps are part of the addresses of loads and stores as far as possible, and additions where their value is needed.
/// - Blocks that the entry does not reach are left out.
std::variant<midend::elbrus::procedure, refusal> translate(const llvm::Function& f,
                                                           const translation_options& options = {});

} // namespace llvm_to_eir
