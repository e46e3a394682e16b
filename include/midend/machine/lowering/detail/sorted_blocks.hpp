/// `sorted_blocks`: the blocks of a loop in topological order, and the control flow between them.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/detail/program_questions.hpp"
#include "midend/machine/lowering/detail/region_paths.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Takes a loop without others in it, and returns its nodes in topological order and its edges as a `region_flow`. In
/// this order operands precede their users, and the predicates of all edges into a block are known before the block is
/// read.
class sorted_blocks {
public:
  /// False if the loop has a cycle that does not contain the header; then there is no order. Linear in the nodes and
  /// edges of the loop, and once in the nodes of the graph.
  template <class IR> constexpr bool sort(const IR& ir, const loop_forest& loops, loop_id l) {
    const span<const node_id> blocks = loops.own_blocks(l);
    const auto count = static_cast<std::size_t>(ir.graph().num_nodes());
    if (block_of_.size() < count) {
      block_of_.assign(count, outside);
    }
    order_nodes(ir, loops.header(l), blocks);
    const bool is_acyclic = order_.size() == blocks.size();
    if (is_acyclic) {
      collect_edges(ir, loops.header(l));
    }
    for (const node_id n : blocks) {
      block_of_[n] = outside;
    }
    return is_acyclic;
  }

  /// By block, except the bottom: its node. Starts with the header.
  constexpr span<const node_id> nodes() const { return order_; }

  constexpr const region_flow& flow() const { return flow_; }

private:
  static constexpr std::uint32_t outside = static_cast<std::uint32_t>(-1);

  /// A node comes after all edges into it have been seen; the list is its own queue. The nodes of a cycle that does not
  /// contain the header never get into it.
  template <class IR> constexpr void order_nodes(const IR& ir, node_id header, span<const node_id> blocks) {
    std::uint32_t position = 0;
    for (const node_id n : blocks) {
      block_of_[n] = position++;
    }
    missing_.assign(blocks.size(), 0);
    for (const node_id n : blocks) {
      for_each_inner_edge(ir, header, n, [&](node_id, std::uint32_t target) { ++missing_[target]; });
    }
    order_.clear();
    order_.push_back(header);
    for (std::size_t i = 0; i != order_.size(); ++i) {
      for_each_inner_edge(ir, header, order_[i], [&](node_id target, std::uint32_t at) {
        if (--missing_[at] == 0) {
          order_.push_back(target);
        }
      });
    }
  }

  /// The edges that stay in the loop and are not backedges.
  template <class IR, class Visit>
  constexpr void for_each_inner_edge(const IR& ir, node_id header, node_id n, Visit visit) const {
    for_each_edge_from(ir, n, [&](edge_id, node_id target) {
      if (target != header && block_of_[target] != outside) {
        visit(target, block_of_[target]);
      }
    });
  }

  template <class IR> constexpr void collect_edges(const IR& ir, node_id header) {
    flow_.clear();
    std::uint32_t bottom = 0;
    for (const node_id n : order_) {
      block_of_[n] = bottom++;
    }
    for (const node_id n : order_) {
      const auto first = static_cast<std::uint32_t>(flow_.edges.size());
      for_each_edge_from(ir, n, [&](edge_id e, node_id target) {
        const std::uint32_t block = block_of_[target];
        flow_.edges.push_back({block_of_[n],
                               target == header   ? bottom
                               : block == outside ? region_edge::leaves
                                                  : block,
                               e});
      });
      flow_.blocks.push_back({n, first, static_cast<std::uint32_t>(flow_.edges.size())});
    }
    const auto end = static_cast<std::uint32_t>(flow_.edges.size());
    flow_.blocks.push_back({no_node, end, end});
    flow_.group_by_target();
  }

  flat_array<node_id> order_;
  region_flow flow_;
  flat_array<std::uint32_t> block_of_; ///< by node: its block; `outside` for all nodes between calls
  flat_array<std::uint32_t> missing_;  ///< by position among the nodes: incoming edges that have not been seen yet
};

} // namespace detail

MIDEND_END_NAMESPACE
