/// The adapter for LLVM 19: `llvm_graph`, the control flow of a function, and `llvm_ssa`, its values.
#pragma once

#include "midend/adapters/llvm_graph.hpp"
#include "midend/adapters/llvm_ssa.hpp"
