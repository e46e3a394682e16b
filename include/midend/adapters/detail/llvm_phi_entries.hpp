/// `llvm_phi_entries`: which entry of LLVM's phis belongs to which edge. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/llvm_editor_graph.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// LLVM's phis have an entry for each predecessor, in any order; midend's have an input for each edge. A node is
/// "ordered" once the entries of its phis are in the order of `in_edges`: before its edges change, and from then on.
/// Phis of other nodes stay as they are, and their entries are looked for by block.
class llvm_phi_entries {
public:
  explicit llvm_phi_entries(const llvm_numbered_blocks& blocks) : blocks_(blocks) {}

  /// Begins with another function; the memory stays.
  void start() {
    is_ordered_.clear();
    entry_.clear();
  }

  /// LLVM's entries of the phis of a node in the order of its edges, from now on: to be called before these change.
  void order(node_id n) {
    while (is_ordered_.size() <= n) {
      is_ordered_.push_back(0);
    }
    if (is_ordered_[n] != 0) {
      return;
    }
    llvm_numbered_blocks::for_each_llvm_phi(blocks_.block(n), [&](llvm::PHINode& phi) {
      if (find(phi, n)) {
        permute(phi);
      }
    });
    is_ordered_[n] = 1;
  }

  bool is_ordered(node_id n) const { return n < is_ordered_.size() && is_ordered_[n] != 0; }

  /// What a phi in the target of an edge gets along it. Null if it is not set.
  llvm::Value* input(const llvm::PHINode& phi, edge_id e) const {
    const auto& r = blocks_.edge(e);
    if (is_ordered(r.target) || phi.getIncomingBlock(r.position) == &blocks_.block(r.source)) {
      return phi.getIncomingValue(r.position);
    }
    if (e >= entry_.size()) {
      entry_.assign(blocks_.graph().num_edges(), 0);
    }
    const auto is_right = [&] {
      return entry_[e] < phi.getNumIncomingValues() && phi.getIncomingBlock(entry_[e]) == &blocks_.block(r.source);
    };
    if (!is_right()) { // those of all edges, so that they are not looked for one by one
      const span<const edge_id> edges = blocks_.graph().in_edges(r.target);
      find(phi, r.target);
      for (std::size_t k = 0; k != edges.size(); ++k) {
        entry_[edges[k]] = entries_[k];
      }
    }
    return phi.getIncomingValue(entry_[e]);
  }

  /// Finds `entry(k)` for all edges into the node of a phi. Entries of parallel edges have the same value. Returns
  /// whether they are in another order than the edges.
  bool find(const llvm::PHINode& phi, node_id n) const {
    const span<const edge_id> edges = blocks_.graph().in_edges(n);
    MIDEND_ASSERT(phi.getNumIncomingValues() == edges.size(), "an entry of the phi for each edge", n);
    entries_.resize_for_overwrite(edges.size());
    bool is_in_order = true;
    for (unsigned k = 0; k != edges.size(); ++k) {
      entries_[k] = k;
      is_in_order =
          is_in_order && (is_ordered(n) || phi.getIncomingBlock(k) == &blocks_.block(blocks_.edge(edges[k]).source));
    }
    if (is_in_order) {
      return false;
    }
    if (entry_of_.size() < blocks_.num_nodes()) {
      entry_of_.resize_for_overwrite(blocks_.num_nodes());
    }
    for (unsigned k = 0; k != edges.size(); ++k) {
      entry_of_[blocks_.node(phi.getIncomingBlock(k))] = k;
    }
    for (unsigned k = 0; k != edges.size(); ++k) {
      entries_[k] = entry_of_[blocks_.edge(edges[k]).source];
    }
    return true;
  }

  /// The entry of edge `k` into the node of the phi that was last given to `find`.
  unsigned entry(std::size_t k) const { return entries_[k]; }

  /// Whether the entries of two phis of a node are in one order, so that `find` need not be called again.
  static bool have_same_blocks(const llvm::PHINode& a, const llvm::PHINode& b) {
    for (unsigned k = 0; k != a.getNumIncomingValues(); ++k) {
      if (a.getIncomingBlock(k) != b.getIncomingBlock(k)) {
        return false;
      }
    }
    return true;
  }

private:
  /// Entry `entries_[k]` becomes entry `k`.
  void permute(llvm::PHINode& phi) const {
    inputs_.clear();
    for (const unsigned entry : entries_) {
      inputs_.push_back({phi.getIncomingValue(entry), phi.getIncomingBlock(entry)});
    }
    for (unsigned k = 0; k != inputs_.size(); ++k) {
      phi.getOperandUse(k).set(inputs_[k].value);
      phi.setIncomingBlock(k, inputs_[k].block);
    }
  }

  struct phi_entry {
    llvm::Value* value;
    llvm::BasicBlock* block;
  };

  const llvm_numbered_blocks& blocks_;
  flat_array<unsigned char> is_ordered_;  ///< by node
  mutable flat_array<unsigned> entry_;    ///< by edge: that of the phis of its target, if they are not ordered
  mutable flat_array<unsigned> entries_;  ///< of the phi that was looked at last
  mutable flat_array<unsigned> entry_of_; ///< by node, of that phi
  mutable flat_array<phi_entry> inputs_;
};

} // namespace detail

MIDEND_END_NAMESPACE
