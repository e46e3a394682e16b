/// `llvm_end_edits`: the ends of nodes, with their edges. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_copied_values.hpp"
#include "midend/adapters/detail/llvm_edge_profile.hpp"
#include "midend/adapters/detail/llvm_erased_code.hpp"
#include "midend/adapters/detail/llvm_loop_marks.hpp"
#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operand_lists.hpp"
#include "midend/adapters/detail/llvm_phi_edges.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/adapters/detail/llvm_places.hpp"
#include "midend/adapters/detail/llvm_uses.hpp"
#include "midend/adapters/llvm_editor_graph.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A terminator of LLVM is made, cloned, moved or erased together with the edges out of its node, and with what phis
/// get along them. Instructions need no numbers, apart from those that are cloned, moved or restored.
class llvm_end_edits {
public:
  llvm_end_edits(llvm_numbered_blocks& blocks, llvm_phi_entries& entries, llvm_numbered_values& values,
                 llvm_operand_lists& operands, const llvm_places& places, llvm_uses& uses, llvm_phi_edges& phis,
                 llvm_copied_values& copies, llvm_loop_marks& marks, llvm_edge_profile& profile,
                 llvm_erased_code& erased)
      : blocks_(blocks), entries_(entries), values_(values), operands_(operands), places_(places), uses_(uses),
        phis_(phis), copies_(copies), marks_(marks), profile_(profile), erased_(erased) {}

  /// Begins with another function; the memory stays.
  void start() { like_.clear(); }

  /// Notes that new jumps of node `n` have the location of the first operation of `like`.
  void note_like(node_id n, node_id like) {
    while (like_.size() < n) {
      like_.push_back(no_node);
    }
    like_.push_back(like);
  }

  void set_jump(node_id n, node_id target) {
    auto* const jump = llvm::BranchInst::Create(&blocks_.block(target));
    jump->setDebugLoc(location_of(n));
    add(jump, n);
    phis_.add_edge(n, target, 0);
  }

  void set_branch(node_id n, value_id condition, node_id then, node_id otherwise) {
    auto* const branch =
        llvm::BranchInst::Create(&blocks_.block(then), &blocks_.block(otherwise), &values_.value(condition));
    branch->setDebugLoc(location_of(n));
    const value_id end = add(branch, n);
    operands_.lists_with(end).push_back(end, condition);
    phis_.add_edge(n, then, 0);
    phis_.add_edge(n, otherwise, 1);
  }

  void set_switch(node_id n, value_id v, span<const std::uint64_t> cases, span<const node_id> targets,
                  node_id otherwise) {
    MIDEND_ASSERT(cases.size() == targets.size(), "a target for each case", cases.size(), targets.size());
    const auto count = static_cast<unsigned>(cases.size());
    auto* const choice = llvm::SwitchInst::Create(&values_.value(v), &blocks_.block(otherwise), count);
    auto* const type = llvm::cast<llvm::IntegerType>(values_.value(v).getType());
    for (unsigned k = 0; k != count; ++k) {
      choice->addCase(llvm::ConstantInt::get(type, cases[k]), &blocks_.block(targets[k]));
    }
    choice->setDebugLoc(location_of(n));
    const value_id end = add(choice, n);
    operands_.lists_with(end).push_back(end, v);
    for (unsigned k = 0; k != count; ++k) {
      phis_.add_edge(n, targets[k], k + 1);
    }
    phis_.add_edge(n, otherwise, 0);
  }

  void keep_edge(edge_id e) {
    const node_id n = blocks_.edge(e).source;
    MIDEND_ASSERT(n != no_node, "an edge that was not erased", e);
    values_.start_change();
    const node_id target = blocks_.edge(e).target;
    llvm::Instruction& old = *blocks_.end_of(n);
    auto* const jump = llvm::BranchInst::Create(&blocks_.block(target));
    jump->setDebugLoc(old.getDebugLoc());
    if (llvm::MDNode* const mark = llvm_loop_marks::mark_of(old)) {
      jump->setMetadata(llvm::LLVMContext::MD_loop, mark);
    }
    marks_.note(n);
    phis_.lead_directly(e);
    for (const edge_id other : blocks_.graph().out_edges(n)) {
      if (other != e) {
        phis_.leave(other);
      }
    }
    blocks_.graph().clear_out_edges(n);
    erased_.forget(old);
    erased_.erase_instruction(old, n);
    add(jump, n);
    blocks_.graph().reattach(e, n);
  }

  void erase(node_id n) {
    values_.start_change();
    llvm::Instruction* const end = blocks_.end_of(n);
    if (end == nullptr) {
      return;
    }
    for (const edge_id e : blocks_.graph().out_edges(n)) {
      phis_.leave(e);
    }
    blocks_.graph().clear_out_edges(n);
    marks_.note_erased_end(n);
    erased_.forget(*end);
    erased_.erase_instruction(*end, n);
  }

  value_id clone(value_id v, node_id n) {
    llvm::Instruction* const clone = values_.instruction(v).clone();
    MIDEND_ASSERT(values_.terminator(n) == no_value, "a node without an end", n);
    places_.insert(*clone, n, no_value);
    const value_id end = values_.add_instruction(clone);
    operands_.copy(v, end);
    values_.link(end, n, no_value);
    const node_id from = values_.node_of(v);
    for (std::size_t k = 0; k != blocks_.graph().out_edges(from).size(); ++k) {
      const edge_id e = blocks_.graph().out_edges(from)[k];
      const std::uint32_t slot = blocks_.slot_of(e);
      const node_id target = blocks_.edge(e).target;
      clone->setSuccessor(slot, &blocks_.block(target));
      profile_.copy(e, phis_.add_edge(n, target, slot));
    }
    copies_.add_copy(end, v);
    marks_.note_clone(n, end);
    return end;
  }

  void move(value_id end, node_id n) {
    MIDEND_ASSERT(values_.terminator(n) == no_value, "a node without an end", n);
    const node_id from = values_.node_of(end);
    if (from == n) {
      return;
    }
    for (const edge_id e : blocks_.graph().out_edges(from)) {
      entries_.order(blocks_.edge(e).target);
    }
    llvm::BasicBlock& b = blocks_.block(n);
    values_.instruction(end).moveBeforePreserving(b, b.end());
    values_.unlink(end);
    values_.link(end, n, no_value);
    phis_.move_out_edges(from, n);
    marks_.note(n);
  }

  void restore(value_id end, node_id n, span<const value_id> operands, span<const edge_id> edges,
               span<const node_id> targets) {
    MIDEND_ASSERT(values_.terminator(n) == no_value, "a node without an end", n);
    if (end == no_value) {
      return;
    }
    places_.insert(values_.instruction(end), n, no_value);
    values_.link(end, n, no_value);
    marks_.note(n);
    for (std::size_t k = 0; k != edges.size(); ++k) {
      phis_.restore_edge(edges[k], n, targets[k]);
    }
    uses_.set_all(end, operands);
  }

private:
  /// Notes a new end. Returns `no_value` if instructions have no numbers.
  value_id add(llvm::Instruction* end, node_id n) {
    values_.start_change();
    MIDEND_ASSERT(blocks_.end_of(n) == nullptr, "a node without an end", n);
    places_.insert(*end, n, no_value);
    if (!values_.has_numbers()) {
      return no_value;
    }
    const value_id v = values_.add_instruction(end);
    values_.link(v, n, no_value);
    return v;
  }

  /// The location of the first operation of the node that `n` is like.
  llvm::DebugLoc location_of(node_id n) const {
    const node_id like = n < like_.size() && like_[n] != no_node ? like_[n] : n;
    const llvm::BasicBlock& b = blocks_.block(like);
    const auto i = b.getFirstNonPHIIt();
    return i == b.end() ? llvm::DebugLoc() : i->getDebugLoc();
  }

  llvm_numbered_blocks& blocks_;
  llvm_phi_entries& entries_;
  llvm_numbered_values& values_;
  llvm_operand_lists& operands_;
  const llvm_places& places_;
  llvm_uses& uses_;
  llvm_phi_edges& phis_;
  llvm_copied_values& copies_;
  llvm_loop_marks& marks_;
  llvm_edge_profile& profile_;
  llvm_erased_code& erased_;
  flat_array<node_id> like_; ///< by node: the node that a new one is like, or `no_node`
};

} // namespace detail

MIDEND_END_NAMESPACE
