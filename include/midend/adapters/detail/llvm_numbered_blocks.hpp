/// `llvm_numbered_blocks`: numbers for the blocks and edges of a function that is being changed. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_editor_graph.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/Casting.h>
#include <llvm/Support/Compiler.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Has an instruction and its operands brought from memory, where they follow each other.
inline void fetch_llvm_instruction([[maybe_unused]] const llvm::Instruction& i) {
  LLVM_PREFETCH(&i, 0, 3);
  LLVM_PREFETCH(reinterpret_cast<const char*>(&i) - 64, 0, 3);
}

/// Which block of LLVM is which node, and the edges between them. Blocks have the numbers of `llvm_ssa`, new ones get
/// numbers at the end, and an erased block keeps its number.
///
/// Holds the graph that the editor shows. It is read once, and then only changed: LLVM's terminators may differ from it
/// where an edge leads through a block that separates it from a parallel one.
class llvm_numbered_blocks {
public:
  llvm_numbered_blocks() = default;

  /// Reads the blocks and edges of another function; the memory stays.
  void read(llvm::Function& f) {
    function_ = &f;
    graph_.clear();
    blocks_.clear();
    ends_with_metadata_.clear();
    list_blocks(f);
    const auto count = static_cast<node_id>(blocks_.size());
    nodes_.clear(count);
    for (node_id n = 0; n != count; ++n) {
      nodes_.find_or_insert(blocks_[n], n);
    }
    graph_.read(count, [&](node_id n, auto add) {
      const llvm::Instruction& end = blocks_[n]->back();
      if (end.hasMetadataOtherThanDebugLoc()) {
        ends_with_metadata_.push_back(n);
      }
      if (const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&end)) { // without a call
        add(nodes_.find(branch->getSuccessor(0)));
        if (branch->isConditional()) {
          LLVM_PREFETCH(branch->op_begin(), 0, 3); // the condition, which may be a literal
          add(nodes_.find(branch->getSuccessor(1)));
        } else {
          LLVM_PREFETCH(end.getPrevNode(), 0, 3); // shows whether there are operations before it
        }
        return;
      }
      const unsigned num_successors = end.getNumSuccessors();
      for (unsigned slot = 0; slot != num_successors; ++slot) {
        add(nodes_.find(end.getSuccessor(slot)));
      }
    });
  }

  llvm_numbered_blocks(const llvm_numbered_blocks&) = delete;
  llvm_numbered_blocks& operator=(const llvm_numbered_blocks&) = delete;

  llvm::Function& function() const { return *function_; }

  const llvm_editor_graph& graph() const { return graph_; }

  llvm_editor_graph& graph() { return graph_; }

  const llvm_editor_graph::edge_record& edge(edge_id e) const { return graph_.edges_[e]; }

  std::size_t num_nodes() const { return blocks_.size(); }

  llvm::BasicBlock& block(node_id n) const { return *blocks_[n]; }

  /// The node of a block, or `no_node`.
  node_id node(const llvm::BasicBlock* b) const { return nodes_.find(b); }

  node_id add(llvm::BasicBlock* b) {
    const node_id n = graph_.add_node();
    blocks_.push_back(b);
    nodes_.find_or_insert(b, n);
    return n;
  }

  /// Whether `s` is the only successor of `n`, and `n` the only predecessor of `s`.
  bool follows_only(node_id s, node_id n) const {
    return graph().out_edges(n).size() == 1 && graph().in_edges(s).size() == 1 &&
           edge(graph().out_edges(n)[0]).target == s;
  }

  /// Nodes of the original function whose end has metadata.
  const flat_array<node_id>& ends_with_metadata() const { return ends_with_metadata_; }

  /// The instruction at the end of a block, or null.
  llvm::Instruction* end_of(node_id n) const { return blocks_[n]->getTerminator(); }

  /// The number of the successor to which an edge leads.
  std::uint32_t slot_of(edge_id e) const {
    const llvm_editor_graph::edge_record& r = graph_.edges_[e];
    const llvm::Instruction& end = *end_of(r.source);
    const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&end); // without a call
    const bool is_only = branch != nullptr ? branch->isUnconditional() : end.getNumSuccessors() == 1;
    return is_only ? 0 : r.slot;
  }

  /// Changes only LLVM's terminator.
  void set_successor(edge_id e, llvm::BasicBlock* b) const {
    const llvm_editor_graph::edge_record& r = graph_.edges_[e];
    llvm::Instruction& end = *end_of(r.source);
    if (auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&end)) { // without a call
      branch->setSuccessor(branch->isUnconditional() ? 0 : r.slot, b);
    } else {
      end.setSuccessor(slot_of(e), b);
    }
  }

  /// Visits the phis like `phis()` of the block, without a call.
  template <class Visit> static void for_each_llvm_phi(llvm::BasicBlock& b, Visit visit) {
    for (auto i = b.begin(); i != b.end() && llvm::isa<llvm::PHINode>(*i);) {
      visit(llvm::cast<llvm::PHINode>(*i++));
    }
  }

  bool has_phis(node_id n) const { return !blocks_[n]->empty() && llvm::isa<llvm::PHINode>(blocks_[n]->front()); }

private:
  /// From both ends at once, since nearly all of the time is spent waiting for one block to name the next.
  void list_blocks(llvm::Function& f) {
    last_blocks_.clear();
    auto first = f.begin();
    auto last = f.end();
    while (first != last) {
      fetch_llvm_instruction(first->back());
      blocks_.push_back(&*first++);
      if (first != last) {
        --last;
        fetch_llvm_instruction(last->back());
        last_blocks_.push_back(&*last);
      }
    }
    while (!last_blocks_.empty()) {
      blocks_.push_back(last_blocks_.back());
      last_blocks_.pop_back();
    }
  }

  llvm::Function* function_ = nullptr;
  llvm_editor_graph graph_;
  flat_array<llvm::BasicBlock*> blocks_;
  flat_array<llvm::BasicBlock*> last_blocks_; ///< while they are listed
  hash_map<const llvm::BasicBlock*> nodes_;
  flat_array<node_id> ends_with_metadata_;
};

} // namespace detail

MIDEND_END_NAMESPACE
