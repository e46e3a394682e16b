/// `llvm_operation_edits`: operations, which are neither phis nor ends, are made, cloned and moved. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_copied_values.hpp"
#include "midend/adapters/detail/llvm_make_operation.hpp"
#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operand_lists.hpp"
#include "midend/adapters/detail/llvm_places.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/span.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Value.h>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Puts operations into nodes, in LLVM's lists and by number. Keeps nothing.
class llvm_operation_edits {
public:
  llvm_operation_edits(const llvm_numbered_blocks& blocks, llvm_numbered_values& values, llvm_operand_lists& operands,
                       const llvm_places& places, llvm_copied_values& copies)
      : blocks_(blocks), values_(values), operands_(operands), places_(places), copies_(copies) {}

  /// Adds a new operation, and numbers for constants that it reads.
  value_id add(llvm::Instruction& made, place p) {
    const node_id n = places_.node_at(p);
    const value_id before = places_.value_at(p);
    places_.insert(made, n, before);
    llvm::SmallVector<value_id, 4> read; // operands of LLVM: a negation reads 0, a complement -1, an intrinsic its
                                         // function
    for (unsigned at = 0; at != made.getNumOperands(); ++at) {
      read.push_back(values_.number_of(made.getOperand(at)));
    }
    const auto v = values_.add_instruction(&made);
    operands_.lists_with(v).assign(v, span<const value_id>(read.data(), read.size()));
    values_.link(v, n, before);
    return v;
  }

  /// `no_value` if LLVM has no such operation, or the operands do not fit.
  value_id make(const operation_info& info, span<const value_id> operands, place p) {
    MIDEND_ASSERT(operands.size() == arity(info.code), "the operands of the operation", operands.size());
    values_.start_change();
    llvm::SmallVector<llvm::Value*, 3> args;
    for (const value_id operand : operands) {
      args.push_back(&values_.value(operand));
    }
    llvm::Instruction* const made = make_llvm_operation(*blocks_.function().getParent(), info, args);
    if (made == nullptr) {
      return no_value;
    }
    return add(*made, p);
  }

  value_id clone(value_id v, place p) {
    MIDEND_ASSERT(values_.is_instruction(v) && !values_.is_phi(v) && !values_.is_terminator(v),
                  "neither a phi nor a terminator", v);
    values_.start_change();
    llvm::Instruction* const clone = values_.instruction(v).clone();
    const node_id n = places_.node_at(p);
    const value_id before = places_.value_at(p);
    places_.insert(*clone, n, before);
    const value_id c = values_.add_instruction(clone);
    operands_.copy(v, c);
    values_.link(c, n, before);
    copies_.add_copy(c, v);
    return c;
  }

  /// Debug records before the operation stay, unless it is the first one and moves to the end of the only predecessor.
  void move(value_id v, place p) {
    const node_id n = places_.node_at(p);
    const value_id before = places_.value_at(p);
    if (before == v) {
      return;
    }
    const node_id from = values_.node_of(v);
    const bool keeps_records = values_.first(from) == v && blocks_.follows_only(from, n) && p.where == place::kind::end;
    llvm::BasicBlock& b = blocks_.block(n);
    const auto at = before == no_value ? b.end() : values_.instruction(before).getIterator();
    if (keeps_records) {
      values_.instruction(v).moveBeforePreserving(b, at);
      values_.instruction(v).adoptDbgRecords(&b, at, true); // records that were before the place are now before these
    } else {
      values_.instruction(v).moveBefore(b, at);
    }
    values_.unlink(v);
    values_.link(v, n, before);
  }

  /// An operation that was erased, without operands.
  void restore(value_id v, place p) {
    const node_id n = places_.node_at(p);
    const value_id before = places_.value_at(p);
    places_.insert(values_.instruction(v), n, before);
    values_.link(v, n, before);
  }

private:
  const llvm_numbered_blocks& blocks_;
  llvm_numbered_values& values_;
  llvm_operand_lists& operands_;
  const llvm_places& places_;
  llvm_copied_values& copies_;
};

} // namespace detail

MIDEND_END_NAMESPACE
