/// `llvm_places`: the places of the editing rungs in the blocks of LLVM. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Where a place is, and how an instruction is put there. Only LLVM's lists change: the number of the instruction is
/// linked by `llvm_numbered_values::link`. Requires that instructions have numbers, apart from `insert` at an end.
class llvm_places {
public:
  llvm_places(const llvm_numbered_blocks& blocks, const llvm_numbered_values& values)
      : blocks_(blocks), values_(values) {}

  node_id node_at(place p) const { return p.where == place::kind::before ? values_.node_of(p.value) : p.node; }

  /// The value before which a place is, or `no_value`. The head of a node is after the pad of an exception.
  value_id value_at(place p) const {
    if (p.where == place::kind::before) {
      return p.value;
    }
    if (p.where == place::kind::end) {
      return values_.terminator(p.node);
    }
    const value_id v = values_.first_after_phis(p.node);
    const bool is_pad = v != no_value && values_.instruction(v).isEHPad() && !values_.is_terminator(v);
    return is_pad ? values_.next(v) : v;
  }

  /// A place that stays valid when several operations are put there, the first one first.
  place settled(place p) const {
    const value_id before = value_at(p);
    return before == no_value ? place_at_end(p.node) : place_before(before);
  }

  void insert(llvm::Instruction& i, node_id n, value_id before) const {
    llvm::BasicBlock& b = blocks_.block(n);
    i.insertBefore(b, before == no_value ? b.end() : values_.instruction(before).getIterator());
  }

  /// Inserts a phi before debug records that precede the first operation.
  void insert_phi(llvm::Instruction& phi, node_id n, value_id before) const {
    llvm::BasicBlock& b = blocks_.block(n);
    const bool is_last = before == no_value || !values_.is_phi(before);
    phi.insertBefore(b, is_last ? b.getFirstNonPHIIt() : values_.instruction(before).getIterator());
  }

private:
  const llvm_numbered_blocks& blocks_;
  const llvm_numbered_values& values_;
};

} // namespace detail

MIDEND_END_NAMESPACE
