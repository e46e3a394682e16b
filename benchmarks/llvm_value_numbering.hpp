/// Value numbering of functions of LLVM.
#pragma once

namespace midend_benchmarks {

/// Registers what llvm_value_numbering.cpp measures.
void register_llvm_value_numbering();

} // namespace midend_benchmarks
