/// Rotation of the loops of functions of LLVM.
#pragma once

namespace midend_benchmarks {

/// Registers what llvm_rotation.cpp measures.
void register_llvm_rotation();

} // namespace midend_benchmarks
