/// `llvm_consistency`: whether the tables of an editor agree with the function, for tests. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operand_lists.hpp"
#include "midend/adapters/detail/llvm_operands.hpp"
#include "midend/adapters/detail/llvm_phi_edges.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/adapters/detail/llvm_uses.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Compares numbers, lists and operands with LLVM's, and changes nothing but what a read completes.
class llvm_consistency {
public:
  llvm_consistency(const llvm_numbered_blocks& blocks, const llvm_phi_entries& entries,
                   const llvm_numbered_values& values, const llvm_operand_lists& operands, const llvm_uses& uses,
                   const llvm_phi_edges& phis)
      : blocks_(blocks), entries_(entries), values_(values), operands_(operands), uses_(uses), phis_(phis) {}

  /// Whether the editor's numbers, lists and operands agree with the function: for tests. O(function).
  bool is_consistent() const {
    std::size_t blocks = 0;
    for (const llvm::BasicBlock& b : blocks_.function()) {
      const node_id n = blocks_.node(&b);
      if (n == no_node) {
        continue; // it separates parallel edges
      }
      ++blocks;
      value_id v = values_.first(n);
      for (const llvm::Instruction& i : b) {
        if (v == no_value || &values_.value(v) != &i || values_.node_of(v) != n || values_.number(&i) != v ||
            !has_operands_of(v, i) || !has_operations_of(v)) {
          return false;
        }
        v = values_.next(v);
      }
      const llvm::Instruction* const end = b.getTerminator();
      if (v != no_value || blocks_.graph().out_edges(n).size() != (end == nullptr ? 0 : end->getNumSuccessors())) {
        return false;
      }
      for (const edge_id e : blocks_.graph().out_edges(n)) {
        if (blocks_.edge(e).source != n || end->getSuccessor(blocks_.slot_of(e)) != phis_.next_block(e)) {
          return false;
        }
      }
    }
    std::size_t present = 0;
    for (node_id n = 0; n != blocks_.num_nodes(); ++n) {
      present += blocks_.block(n).getParent() != nullptr ? 1u : 0u;
    }
    return blocks == present;
  }

private:
  bool has_operands_of(value_id v, const llvm::Instruction& i) const {
    const span<const value_id> mine = operands_.of(v);
    const auto is_of = [&](value_id operand, const llvm::Value* theirs) {
      return values_.value_or_null(operand) == theirs;
    };
    if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
      const node_id n = values_.node_of(v);
      bool same = phi->getNumIncomingValues() == mine.size() && mine.size() == blocks_.graph().in_edges(n).size();
      for (unsigned k = 0; same && entries_.is_ordered(n) && k != mine.size(); ++k) {
        same = is_of(mine[k], phi->getIncomingValue(k)) &&
               phi->getIncomingBlock(k) == phis_.incoming_block(blocks_.graph().in_edges(n)[k]);
      }
      return same;
    }
    unsigned k = 0;
    bool same = true;
    for (unsigned at = 0; at != i.getNumOperands(); ++at) {
      if (is_llvm_operand(i, at)) {
        same = same && k < mine.size() && is_of(mine[k], i.getOperand(at));
        ++k;
      }
    }
    return same && k == mine.size();
  }

  /// Whether the operations that the editor lists for an instruction are those among its operands; compares their sums.
  bool has_operations_of(value_id v) const {
    std::uint64_t left = 0;
    for (const value_id operand : operands_.of(v)) {
      left += operand != no_value && values_.is_instruction(operand) ? operand + std::uint64_t{1} : 0;
    }
    for (const value_id operand : uses_.operand_operations(v)) {
      left -= operand + std::uint64_t{1};
    }
    return left == 0;
  }

  const llvm_numbered_blocks& blocks_;
  const llvm_phi_entries& entries_;
  const llvm_numbered_values& values_;
  const llvm_operand_lists& operands_;
  const llvm_uses& uses_;
  const llvm_phi_edges& phis_;
};

} // namespace detail

MIDEND_END_NAMESPACE
