/// `llvm_node_edits`: whole nodes are made, erased, appended and passed over. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_end_edits.hpp"
#include "midend/adapters/detail/llvm_erased_code.hpp"
#include "midend/adapters/detail/llvm_loop_marks.hpp"
#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_phi_edges.hpp"
#include "midend/adapters/detail/llvm_uses.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Changes that look at blocks as a whole, and need no numbers of values. Keeps nothing.
class llvm_node_edits {
public:
  llvm_node_edits(llvm_numbered_blocks& blocks, llvm_numbered_values& values, llvm_uses& uses, llvm_phi_edges& phis,
                  llvm_loop_marks& marks, llvm_end_edits& ends, llvm_erased_code& erased)
      : blocks_(blocks), values_(values), uses_(uses), phis_(phis), marks_(marks), ends_(ends), erased_(erased) {}

  /// Puts the new block before that of `like`; if that is the entry, after it.
  node_id create(node_id like) {
    llvm::BasicBlock* const original = &blocks_.block(like);
    llvm::BasicBlock* const next = like == blocks_.graph().entry() ? original->getNextNode() : original;
    auto* const b =
        llvm::BasicBlock::Create(blocks_.function().getContext(), original->getName(), &blocks_.function(), next);
    values_.start_change();
    const node_id n = blocks_.add(b);
    values_.add_node();
    ends_.note_like(n, like);
    return n;
  }

  void erase(span<const node_id> nodes) {
    values_.start_change();
    const std::uint64_t before = blocks_.graph().epoch();
    bool are_entered = false;
    for (const node_id n : nodes) {
      MIDEND_ASSERT(n != blocks_.graph().entry(), "a node other than the entry");
      are_entered = are_entered || !blocks_.graph().in_edges(n).empty();
    }
    for (const node_id n : nodes) {
      ends_.erase(n);
    }
    if (!are_entered) {
      marks_.keep_since(before);
    }
    for (const node_id n : nodes) {
      for (llvm::Instruction& i : blocks_.block(n)) {
        erased_.forget(i);
      }
    }
    for (const node_id n : nodes) {
      while (!blocks_.block(n).empty()) {
        erased_.erase_instruction(blocks_.block(n).back(), n);
      }
      erased_.erase_block(n);
    }
  }

  /// Appends a node to `into`, its only predecessor, which has no other successor: phis are replaced by their input,
  /// and operations, end and edges move. Returns whether there were phis.
  bool append(node_id into, node_id n) {
    MIDEND_ASSERT(blocks_.follows_only(n, into), "a node that alone follows another one, and is reached by it alone",
                  into, n);
    values_.start_change();
    const std::uint64_t before = blocks_.graph().epoch();
    llvm::BasicBlock& to = blocks_.block(into);
    llvm::BasicBlock& from = blocks_.block(n);
    const bool had_phis = blocks_.has_phis(n);
    while (blocks_.has_phis(n)) {
      auto& phi = llvm::cast<llvm::PHINode>(from.front());
      llvm::Value* const input = phi.getIncomingValue(0);
      if (values_.has_numbers()) {
        uses_.replace(values_.first(n), values_.number(input));
      } else {
        phi.replaceAllUsesWith(input != &phi ? input : llvm::PoisonValue::get(phi.getType()));
      }
      erased_.forget(phi);
      erased_.erase_instruction(phi, n);
    }
    llvm::Instruction* const end = blocks_.end_of(n);
    to.splice(blocks_.end_of(into)->getIterator(), &from, from.begin(),
              end == nullptr ? from.end() : end->getIterator());
    ends_.erase(into);
    if (end != nullptr) {
      end->moveBeforePreserving(to, to.end());
    }
    if (values_.has_numbers()) {
      values_.append_values(into, n);
    }
    phis_.move_out_edges(n, into);
    marks_.note(into);
    marks_.keep_since(before);
    return had_phis;
  }

  /// Leads the edges into a node that `does_nothing` to the next node, whose phis get the inputs that the node passed
  /// on. The node has no end afterwards.
  void pass_over(node_id n) {
    values_.start_change();
    const std::uint64_t before = blocks_.graph().epoch();
    if (llvm_loop_marks::mark_of(*blocks_.end_of(n)) != nullptr) {
      const node_id next = blocks_.edge(blocks_.graph().out_edges(n)[0]).target;
      for (const edge_id e : blocks_.graph().in_edges(n)) {
        marks_.pass_over(e, next);
      }
      marks_.move_on(n);
    }
    phis_.pass_over(n);
    ends_.erase(n);
    marks_.keep_since(before);
  }

private:
  llvm_numbered_blocks& blocks_;
  llvm_numbered_values& values_;
  llvm_uses& uses_;
  llvm_phi_edges& phis_;
  llvm_loop_marks& marks_;
  llvm_end_edits& ends_;
  llvm_erased_code& erased_;
};

} // namespace detail

MIDEND_END_NAMESPACE
