/// `llvm_phi_edits`: phis are made, cloned, moved and restored. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_copied_values.hpp"
#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_phi_edges.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/adapters/detail/llvm_places.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Puts phis into nodes, in LLVM's lists and by number; their inputs are those of `llvm_phi_edges`. Keeps nothing.
class llvm_phi_edits {
public:
  llvm_phi_edits(const llvm_numbered_blocks& blocks, llvm_phi_entries& entries, llvm_numbered_values& values,
                 const llvm_places& places, llvm_phi_edges& phis, llvm_copied_values& copies)
      : blocks_(blocks), entries_(entries), values_(values), places_(places), phis_(phis), copies_(copies) {}

  value_id insert(node_id n, value_id like) {
    MIDEND_ASSERT(n != blocks_.graph().entry(), "a node other than the entry");
    MIDEND_ASSERT(!values_.value(like).getType()->isTokenTy(), "a value that phis may have", like);
    values_.start_change();
    entries_.order(n);
    auto* const phi = llvm::PHINode::Create(values_.value(like).getType(), num_in_edges(n));
    phi->insertBefore(blocks_.block(n), blocks_.block(n).begin());
    if (values_.value(like).hasName()) {
      phi->setName(values_.value(like).getName());
    }
    const value_id v = add(phi, n, values_.first(n));
    copies_.add_phi(v, like);
    return v;
  }

  value_id clone(value_id v, node_id n) {
    MIDEND_ASSERT(n != blocks_.graph().entry(), "a node other than the entry");
    llvm::PHINode& original = values_.phi(v);
    entries_.order(n);
    auto* const phi = llvm::PHINode::Create(original.getType(), num_in_edges(n));
    const value_id before = values_.first_after_phis(n);
    places_.insert_phi(*phi, n, before);
    const value_id clone = add(phi, n, before);
    phi->copyMetadata(original);
    phi->setDebugLoc(original.getDebugLoc());
    phi->copyIRFlags(&original);
    copies_.add_copy(clone, v);
    return clone;
  }

  void move(value_id v, place p) {
    const node_id n = places_.node_at(p);
    const value_id before = p.where == place::kind::before ? p.value : values_.first_after_phis(n);
    if (before == v) {
      return;
    }
    llvm::PHINode& phi = values_.phi(v);
    const bool stays = values_.node_of(v) == n;
    entries_.order(values_.node_of(v));
    entries_.order(n);
    values_.unlink(v);
    phi.removeFromParent();
    places_.insert_phi(phi, n, before);
    values_.link(v, n, before);
    if (!stays) {
      llvm_phi_edges::clear_inputs(phi);
      phis_.add_inputs(v, n);
    }
  }

  /// A phi that was erased, without inputs.
  void restore(value_id v, place p) {
    const node_id n = places_.node_at(p);
    const value_id before = p.where == place::kind::head ? values_.first_after_phis(n) : places_.value_at(p);
    entries_.order(n);
    places_.insert_phi(values_.instruction(v), n, before);
    values_.link(v, n, before);
    phis_.add_inputs(v, n);
  }

private:
  value_id add(llvm::PHINode* phi, node_id n, value_id before) {
    const value_id v = values_.add_instruction(phi);
    values_.link(v, n, before);
    phis_.add_inputs(v, n);
    return v;
  }

  unsigned num_in_edges(node_id n) const { return static_cast<unsigned>(blocks_.graph().in_edges(n).size()); }

  const llvm_numbered_blocks& blocks_;
  llvm_phi_entries& entries_;
  llvm_numbered_values& values_;
  const llvm_places& places_;
  llvm_phi_edges& phis_;
  llvm_copied_values& copies_;
};

} // namespace detail

MIDEND_END_NAMESPACE
