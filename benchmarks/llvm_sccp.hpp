/// Sparse conditional constant propagation on functions of LLVM.
#pragma once

#include <string>

namespace midend_benchmarks {

/// Registers what llvm_sccp.cpp measures.
void register_llvm_sccp(const std::string& test_data);

} // namespace midend_benchmarks
