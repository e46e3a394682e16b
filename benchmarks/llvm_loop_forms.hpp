/// Canonical forms of loops on functions of LLVM.
#pragma once

namespace midend_benchmarks {

/// Registers what llvm_loop_forms.cpp measures.
void register_llvm_loop_forms();

} // namespace midend_benchmarks
