/// `llvm_phi_edges`: phis whose inputs belong to edges, over LLVM's phis, whose inputs belong to blocks. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operand_lists.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/adapters/llvm_editor_graph.hpp"
#include "midend/adapters/llvm_refusals.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Changes targets of edges, and with them the phis there.
///
/// Before the edges into a node change, LLVM's entries of its phis are brought into the order of the edges, and they
/// stay so. No numbers of values are needed, but where phis have known inputs, these follow. Inputs that are not set
/// are null. Parallel edges may have different inputs; `separate` then leads such an edge through a block that only
/// LLVM sees, and takes that away when it is no longer needed.
class llvm_phi_edges {
public:
  llvm_phi_edges(llvm_numbered_blocks& blocks, llvm_phi_entries& entries, const llvm_numbered_values& values,
                 llvm_operand_lists& operands)
      : blocks_(blocks), entries_(entries), values_(values), operands_(operands) {}

  /// Begins with another function, and keeps the memory.
  void start() {
    is_noted_.clear();
    noted_.clear();
    separators_.clear();
  }

  /// The block from which phis in the target of an edge get their input.
  llvm::BasicBlock* incoming_block(edge_id e) const {
    return has_separator(e) ? separators_[e] : &blocks_.block(blocks_.edge(e).source);
  }

  /// The block to which LLVM's successor leads.
  const llvm::BasicBlock* next_block(edge_id e) const {
    return has_separator(e) ? separators_[e] : &blocks_.block(blocks_.edge(e).target);
  }

  /// The input of a phi in the target of an edge.
  void set(value_id phi, edge_id e, value_id v) {
    entries_.order(blocks_.edge(e).target);
    const std::uint32_t position = blocks_.edge(e).position;
    operands_.set_known(phi, position, v);
    values_.phi(phi).getOperandUse(position).set(values_.value_or_null(v));
    note(blocks_.edge(e).source);
  }

  /// Inputs that are not set, for all edges into a node; the phi has none before.
  void add_inputs(value_id v, node_id n) {
    llvm::PHINode& phi = values_.phi(v);
    operands_.clear(v);
    for (const edge_id e : blocks_.graph().in_edges(n)) {
      add_input(phi, incoming_block(e), nullptr);
      operands_.add_known_input(v, nullptr);
      note(blocks_.edge(e).source);
    }
  }

  static void clear_inputs(llvm::PHINode& phi) {
    while (phi.getNumIncomingValues() != 0) {
      phi.removeIncomingValue(phi.getNumIncomingValues() - 1, false);
    }
  }

  /// Makes an edge, which LLVM's terminator has already.
  edge_id add_edge(node_id source, node_id target, std::uint32_t slot) {
    MIDEND_ASSERT(target != blocks_.graph().entry(), "a target that is not the entry");
    entries_.order(target);
    const edge_id e = blocks_.graph().add_edge(source, target, slot);
    add_entries(e);
    return e;
  }

  /// An edge that was erased leads from a node to another one again.
  void restore_edge(edge_id e, node_id source, node_id target) {
    entries_.order(target);
    blocks_.graph().attach(e, source, target);
    blocks_.end_of(source)->setSuccessor(blocks_.slot_of(e), &blocks_.block(target));
    add_entries(e);
  }

  /// Leads an edge elsewhere.
  void redirect(edge_id e, node_id target) {
    leave(e);
    entries_.order(target);
    blocks_.graph().enter(e, target);
    blocks_.end_of(blocks_.edge(e).source)->setSuccessor(blocks_.slot_of(e), &blocks_.block(target));
    add_entries(e);
  }

  /// The edges into a node, which does nothing but jump on, lead where its edge does, which goes: the first of them
  /// takes its place. Phis of the node pass on what they get.
  void pass_over(node_id n) {
    const edge_id jump = blocks_.graph().out_edges(n)[0];
    const node_id next = blocks_.edge(jump).target;
    entries_.order(n);
    entries_.order(next);
    passing_.assign(blocks_.graph().in_edges(n));
    if (passing_.empty()) {
      leave(jump);
      blocks_.graph().clear_out_edges(n);
      return;
    }
    values_.for_each_phi(next, [&](value_id v, llvm::PHINode& phi) {
      llvm::Value* const input = entries_.input(phi, jump);
      const auto* const passes = llvm::dyn_cast_or_null<llvm::PHINode>(input);
      const bool is_passed_on = passes != nullptr && passes->getParent() == &blocks_.block(n);
      for (const edge_id e : passing_) {
        llvm::BasicBlock* const from = &blocks_.block(blocks_.edge(e).source);
        llvm::Value* const along = is_passed_on ? entries_.input(*passes, e) : input;
        if (e == passing_[0]) {
          const std::uint32_t position = blocks_.edge(jump).position;
          phi.setIncomingBlock(position, from);
          phi.getOperandUse(position).set(along);
          operands_.set_known_input(v, position, along);
        } else {
          add_input(phi, from, along);
          operands_.add_known_input(v, along);
        }
      }
    });
    values_.for_each_phi(n, [&](value_id v, llvm::PHINode& phi) {
      if (v != no_value) {
        operands_.clear(v);
      }
      clear_inputs(phi);
    });
    blocks_.graph().leave_all(n);
    for (const edge_id e : passing_) {
      erase_separator(e);
      e == passing_[0] ? blocks_.graph().enter_in_place_of(e, jump) : blocks_.graph().enter(e, next);
      blocks_.set_successor(e, &blocks_.block(next));
      note(blocks_.edge(e).source);
    }
  }

  /// Removes the inputs for an edge, and the edge from its target.
  void leave(edge_id e) {
    const node_id target = blocks_.edge(e).target;
    entries_.order(target);
    const std::uint32_t position = blocks_.edge(e).position;
    values_.for_each_phi(target, [&](value_id v, llvm::PHINode& phi) {
      const unsigned last = phi.getNumIncomingValues() - 1;
      if (position != last) {
        phi.setIncomingBlock(position, phi.getIncomingBlock(last));
        phi.getOperandUse(position).set(phi.getIncomingValue(last));
      }
      phi.removeIncomingValue(last, false);
      operands_.remove_known_input(v, position);
    });
    blocks_.graph().leave(e);
    erase_separator(e);
  }

  /// The edges of a node leave the end of another node, which has moved there.
  void move_out_edges(node_id from, node_id to) {
    for (const edge_id e : blocks_.graph().out_edges(from)) {
      entries_.order(blocks_.edge(e).target);
    }
    blocks_.graph().move_out_edges(from, to);
    for (const edge_id e : blocks_.graph().out_edges(to)) {
      if (!has_separator(e)) {
        values_.for_each_phi(blocks_.edge(e).target, [&](value_id, llvm::PHINode& phi) {
          phi.setIncomingBlock(blocks_.edge(e).position, &blocks_.block(to));
        });
      }
    }
    if (from < is_noted_.size() && is_noted_[from] != 0) {
      note(to);
    }
  }

  /// The edge leads directly to its target.
  void lead_directly(edge_id e) {
    if (!has_separator(e)) {
      return;
    }
    const auto r = blocks_.edge(e);
    blocks_.end_of(r.source)->setSuccessor(blocks_.slot_of(e), &blocks_.block(r.target));
    entries_.order(r.target);
    values_.for_each_phi(
        r.target, [&](value_id, llvm::PHINode& phi) { phi.setIncomingBlock(r.position, &blocks_.block(r.source)); });
    erase_separator(e);
  }

  /// Why the target of an edge cannot be changed, or `none`.
  llvm_refusal refusal(edge_id e) const {
    const llvm::Instruction& end = *blocks_.end_of(blocks_.edge(e).source);
    const bool is_named = blocks_.block(blocks_.edge(e).target).hasAddressTaken();
    if (llvm::isa<llvm::BranchInst>(end)) { // the slot does not matter
      return is_named ? llvm_refusal::address_taken : llvm_refusal::none;
    }
    const llvm_refusal refused = llvm_edge_refusal(end, blocks_.slot_of(e));
    return refused != llvm_refusal::none || !has_separator(e) ? refused
           : is_named                                         ? llvm_refusal::address_taken
                                                              : llvm_refusal::none;
  }

  bool has_separator(edge_id e) const { return e < separators_.size() && separators_[e] != nullptr; }

  /// Parallel edges lead through blocks of their own exactly where their phi inputs differ. O(what has changed).
  void separate() {
    for (const node_id n : noted_) {
      is_noted_[n] = 0;
      separate(n);
    }
    noted_.clear();
  }

private:
  /// `input` may be null.
  static void add_input(llvm::PHINode& phi, llvm::BasicBlock* from, llvm::Value* input) {
    phi.addIncoming(input != nullptr ? input : llvm::PoisonValue::get(phi.getType()), from);
    if (input == nullptr) {
      phi.getOperandUse(phi.getNumIncomingValues() - 1).set(nullptr);
    }
  }

  /// Phis of the target have one more input, for an edge that is the last one into it.
  void add_entries(edge_id e) {
    bool has_phis = false;
    values_.for_each_phi(blocks_.edge(e).target, [&](value_id v, llvm::PHINode& phi) {
      add_input(phi, incoming_block(e), nullptr);
      operands_.add_known_input(v, nullptr);
      has_phis = true;
    });
    if (has_phis) {
      note(blocks_.edge(e).source);
    }
  }

  /// Edges from the node may be parallel with different inputs.
  void note(node_id n) {
    if (blocks_.graph().out_edges(n).size() < 2) {
      return;
    }
    while (is_noted_.size() <= n) {
      is_noted_.push_back(0);
    }
    if (is_noted_[n] == 0) {
      is_noted_[n] = 1;
      noted_.push_back(n);
    }
  }

  void separate(node_id n) {
    const span<const edge_id> edges = blocks_.graph().out_edges(n);
    if (edges.size() == 2 && blocks_.edge(edges[0]).target != blocks_.edge(edges[1]).target) { // as nearly always
      lead_directly(edges[0]);
      lead_directly(edges[1]);
      return;
    }
    leaders_.clear();
    leader_of_.clear(edges.size());
    for (const edge_id e : edges) {
      const node_id target = blocks_.edge(e).target;
      const auto fresh = static_cast<std::uint32_t>(leaders_.size());
      const std::uint32_t k = leader_of_.find_or_insert(target, fresh);
      if (k == fresh) {
        leaders_.push_back(e);
        lead_directly(e);
      } else {
        entries_.order(target);
        bool equal = true;
        values_.for_each_phi(target, [&](value_id, const llvm::PHINode& phi) {
          equal = equal && entries_.input(phi, e) == entries_.input(phi, leaders_[k]);
        });
        equal ? lead_directly(e) : lead_through_separator(e);
      }
    }
  }

  void lead_through_separator(edge_id e) {
    if (has_separator(e)) {
      return;
    }
    while (separators_.size() <= e) {
      separators_.push_back(nullptr);
    }
    const auto r = blocks_.edge(e);
    llvm::Instruction& end = *blocks_.end_of(r.source);
    llvm::BasicBlock& target = blocks_.block(r.target);
    entries_.order(r.target);
    auto* const b =
        llvm::BasicBlock::Create(blocks_.function().getContext(), target.getName(), &blocks_.function(), &target);
    llvm::BranchInst::Create(&target, b)->setDebugLoc(end.getDebugLoc());
    separators_[e] = b;
    end.setSuccessor(blocks_.slot_of(e), b);
    values_.for_each_phi(r.target, [&](value_id, llvm::PHINode& phi) { phi.setIncomingBlock(r.position, b); });
  }

  /// The block that separated an edge, to which nothing leads any more.
  void erase_separator(edge_id e) {
    if (!has_separator(e)) {
      return;
    }
    llvm::BasicBlock* const b = separators_[e];
    separators_[e] = nullptr;
    llvm::Instruction* const end = blocks_.edge(e).source == no_node ? nullptr : blocks_.end_of(blocks_.edge(e).source);
    if (end != nullptr && end->getSuccessor(blocks_.slot_of(e)) == b) {
      end->setSuccessor(blocks_.slot_of(e), &blocks_.block(blocks_.edge(e).target));
    }
    b->eraseFromParent();
  }

  llvm_numbered_blocks& blocks_;
  llvm_phi_entries& entries_;
  const llvm_numbered_values& values_;
  llvm_operand_lists& operands_;
  flat_array<unsigned char> is_noted_;       ///< by node
  flat_array<node_id> noted_;                ///< whose edges may be parallel with different inputs
  flat_array<llvm::BasicBlock*> separators_; ///< by edge
  flat_array<edge_id> passing_;              ///< into the node that is passed over
  flat_array<edge_id> leaders_;
  hash_map<node_id> leader_of_;
};

} // namespace detail

MIDEND_END_NAMESPACE
