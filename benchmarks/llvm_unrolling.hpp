/// Unrolling of functions of LLVM.
#pragma once

namespace midend_benchmarks {

/// Registers what llvm_unrolling.cpp measures.
void register_llvm_unrolling();

} // namespace midend_benchmarks
