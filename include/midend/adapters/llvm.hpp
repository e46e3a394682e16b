/// The adapter for LLVM 19: `llvm_graph`, the control flow of a function; `llvm_ssa`, its values; `llvm_variables`, its
/// stack slots; `llvm_editor` changes it.
#pragma once

#include "midend/adapters/llvm_editor.hpp"
#include "midend/adapters/llvm_graph.hpp"
#include "midend/adapters/llvm_ssa.hpp"
#include "midend/adapters/llvm_variables.hpp"
