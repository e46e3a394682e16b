/// `llvm_loop_marks`: keeps `llvm.loop` at the ends of latches. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The metadata of a loop is at the ends of its latches. If edges were led elsewhere, it moves to the latches of the
/// innermost loop around, if these have none. Otherwise, and in copies that are no latches, it is dropped.
class llvm_loop_marks {
public:
  llvm_loop_marks(const llvm_numbered_blocks& blocks, const llvm_numbered_values& values)
      : blocks_(blocks), values_(values) {}

  /// Begins with another function; the memory stays.
  void start() {
    nodes_.assign(blocks_.ends_with_metadata());
    lost_.clear();
    clones_.clear();
    num_initial_ = nodes_.size();
    placed_epoch_ = blocks_.graph().epoch();
  }

  static llvm::MDNode* mark_of(const llvm::Instruction& end) {
    return end.hasMetadataOtherThanDebugLoc() ? end.getMetadata(llvm::LLVMContext::MD_loop) : nullptr;
  }

  /// Notes that the end of a node may have got a mark.
  void note(node_id n) { nodes_.push_back(n); }

  /// Notes that the end of a node will be erased.
  void note_erased_end(node_id n) {
    if (llvm::MDNode* const mark = mark_of(*blocks_.end_of(n))) {
      lost_.push_back({n, mark, false});
      placed_epoch_ = never;
    }
  }

  /// Keeps the marks where they are. Requires that after the changes since epoch `before` reachable latches are as
  /// before, or that a source of edges took the place of a latch that these edges now skip.
  void keep_since(std::uint64_t before) {
    if (placed_epoch_ == before) {
      placed_epoch_ = blocks_.graph().epoch();
    }
  }

  /// Notes that the end of a node is a clone.
  void note_clone(node_id n, value_id end) {
    if (mark_of(values_.instruction(end)) != nullptr) {
      note(n);
      clones_.push_back(end);
    }
  }

  /// Notes that an edge will skip its target. If the jump there has a mark, the source of the edge takes it.
  void pass_over(edge_id e, node_id target) {
    const node_id passed = blocks_.edge(e).target;
    const llvm::Instruction* const jump = blocks_.end_of(passed);
    if (jump == nullptr || blocks_.graph().out_edges(passed).size() != 1 ||
        blocks_.edge(blocks_.graph().out_edges(passed)[0]).target != target) {
      return;
    }
    llvm::MDNode* const mark = mark_of(*jump);
    llvm::Instruction& end = *blocks_.end_of(blocks_.edge(e).source);
    if (mark != nullptr && mark_of(end) == nullptr) {
      end.setMetadata(llvm::LLVMContext::MD_loop, mark);
      note(blocks_.edge(e).source);
    }
  }

  /// Notes that all edges into a node that does nothing skip it now: their sources have the mark of its jump.
  void move_on(node_id n) {
    llvm::Instruction& jump = *blocks_.end_of(n);
    if (mark_of(jump) != nullptr) {
      jump.setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    }
  }

  /// Moves the marks to latches. O(nodes with metadata), and the loops if one has a mark and the flow has changed.
  void place() {
    if (blocks_.graph().epoch() == placed_epoch_) {
      return;
    }
    placed_epoch_ = blocks_.graph().epoch();
    flat_array<marked_node> marked;
    drop_repetitions();
    for (const node_id n : nodes_) {
      const llvm::Instruction* const end = blocks_.end_of(n);
      if (end != nullptr && mark_of(*end) != nullptr) {
        marked.push_back({n, mark_of(*end), true});
      }
    }
    for (const marked_node& m : lost_) {
      marked.push_back(m);
    }
    lost_.clear();
    if (!marked.empty()) {
      const auto found = dominators_and_loops(blocks_.graph(), nesting_only);
      flat_array<unsigned char> is_clone;
      if (!clones_.empty()) {
        is_clone.assign(blocks_.num_nodes(), 0);
      }
      for (const value_id end : clones_) {
        if (values_.node_of(end) != no_node) {
          is_clone[values_.node_of(end)] = 1;
        }
      }
      for (const marked_node& m : marked) {
        place(found.loops, m, !is_clone.empty() && is_clone[m.node] != 0);
      }
    }
    clones_.clear();
  }

private:
  struct marked_node {
    node_id node;
    llvm::MDNode* mark;
    bool is_present; ///< whether the mark is at the end of the node
  };

  /// Sorts the nodes, and drops repetitions.
  void drop_repetitions() {
    if (nodes_.size() == num_initial_) {
      return;
    }
    flat_array<unsigned char> is_listed(blocks_.num_nodes(), 0);
    for (const node_id n : nodes_) {
      is_listed[n] = 1;
    }
    nodes_.clear();
    for (node_id n = 0; n != is_listed.size(); ++n) {
      if (is_listed[n] != 0) {
        nodes_.push_back(n);
      }
    }
    num_initial_ = nodes_.size();
  }

  bool is_latch(const loop_forest& loops, loop_id l, node_id n) const {
    for (const edge_id e : blocks_.graph().out_edges(n)) {
      if (blocks_.edge(e).target == loops.header(l) && loops.contains(l, n)) {
        return true;
      }
    }
    return false;
  }

  void place(const loop_forest& loops, const marked_node& m, bool is_clone) {
    llvm::Instruction* const end = blocks_.end_of(m.node);
    const loop_id l = loops.innermost_loop(m.node);
    if (end == nullptr) {
      return;
    }
    for (loop_id around = l; m.is_present && around != no_loop; around = loops.parent(around)) {
      if (is_latch(loops, around, m.node)) {
        return;
      }
    }
    if (m.is_present) {
      end->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    }
    if (l == no_loop || is_clone) {
      return;
    }
    for (const bool writes : {false, true}) { // first, find whether a latch has a mark
      for (const edge_id e : blocks_.graph().in_edges(loops.header(l))) {
        const node_id source = blocks_.edge(e).source;
        if (loops.contains(l, source)) {
          llvm::Instruction& latch = *blocks_.end_of(source);
          if (writes) {
            latch.setMetadata(llvm::LLVMContext::MD_loop, m.mark);
            note(source);
          } else if (mark_of(latch) != nullptr) {
            return;
          }
        }
      }
    }
  }

  static constexpr std::uint64_t never = ~std::uint64_t{0};

  const llvm_numbered_blocks& blocks_;
  const llvm_numbered_values& values_;
  flat_array<node_id> nodes_;   ///< contains all nodes whose end has a mark, and others
  std::size_t num_initial_ = 0; ///< of `nodes_`, without repetitions
  flat_array<marked_node> lost_;
  flat_array<value_id> clones_;    ///< ends with a mark
  std::uint64_t placed_epoch_ = 0; ///< epoch of the flow in which marks are at their places
};

} // namespace detail

MIDEND_END_NAMESPACE
