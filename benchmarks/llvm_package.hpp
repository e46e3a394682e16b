/// The low-level package on functions of real programs.
#pragma once

namespace midend_benchmarks {

/// Registers what llvm_package.cpp measures.
void register_llvm_package();

} // namespace midend_benchmarks
