/// Passes that copy loops or change their order.
#pragma once

#include "named_pass.hpp"

#include <llvm/ADT/ArrayRef.h>

/// `midend-peel`, `midend-unswitch`, `midend-split-index`, `midend-split-by-condition`, `midend-collapse` and
/// `midend-interchange`. Each says in remarks (`-pass-remarks=midend-peel`) which loops it has changed, and in remarks
/// about what it missed
/// (`-pass-remarks-missed=…`) why others stay.
llvm::ArrayRef<named_pass> loop_passes();
