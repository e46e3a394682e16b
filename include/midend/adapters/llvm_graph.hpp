/// `llvm_graph`: the control flow of an `llvm::Function` as a `flow_graph`. For LLVM 19.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/numbered.hpp"
#include "midend/support/range.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>

MIDEND_BEGIN_NAMESPACE

/// A graph whose nodes are LLVM's basic blocks: `handle(n)` is a block, `number(block)` its node.
using llvm_function_graph = numbered_graph<const llvm::BasicBlock*>;

/// The control-flow graph of `f`, all blocks included: first what the entry reaches, in order of discovery, then the
/// other blocks in the order of the function. Successors are in the order of the terminator's operands, parallel edges
/// are kept. A declaration gives a graph without nodes.
///
/// LLVM 19 has no numbers for blocks, so the graph is a flat copy; it must be made again when the function changes.
/// O(n + m).
inline llvm_function_graph llvm_graph(const llvm::Function& f) {
  if (f.isDeclaration()) {
    return {};
  }
  const auto address = [](const llvm::BasicBlock& b) { return &b; };
  const auto successors = [](const llvm::BasicBlock* b) { return llvm::successors(b); };
  return numbered(&f.getEntryBlock(), mapped(f, address), successors);
}

MIDEND_END_NAMESPACE
