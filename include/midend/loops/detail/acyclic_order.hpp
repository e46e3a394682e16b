/// `acyclic_order`: the nodes of a loop without another cycle, predecessors first.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Orders the nodes of one loop after another, by edges that are no backedges.
class acyclic_order {
public:
  /// False if loop `l` contains another cycle. O(nodes and edges of the loop); the first call for a graph also clears a
  /// number a node.
  template <class G> bool find(const G& g, const loop_forest& loops, loop_id l) {
    nodes_.clear();
    if (loops.subloops(l).size() != 1) {
      return false;
    }
    if (inputs_.size() < static_cast<std::size_t>(g.num_nodes())) {
      inputs_.assign(static_cast<std::size_t>(g.num_nodes()), 0);
    }
    const node_id header = loops.header(l);
    const auto follow = [&](node_id n, const auto& visit) {
      for_each_id(g.out_edges(n), [&](edge_id e) {
        const auto to = static_cast<node_id>(g.edge_target(e));
        if (to != header && loops.innermost_loop(to) == l) {
          visit(to);
        }
      });
    };
    for (const node_id n : loops.own_blocks(l)) {
      inputs_[n] = 0;
    }
    for (const node_id n : loops.own_blocks(l)) {
      follow(n, [&](node_id to) { ++inputs_[to]; });
    }
    nodes_.push_back(header);
    for (std::size_t i = 0; i != nodes_.size(); ++i) {
      follow(nodes_[i], [&](node_id to) {
        if (--inputs_[to] == 0) {
          nodes_.push_back(to);
        }
      });
    }
    return nodes_.size() == loops.own_blocks(l).size();
  }

  /// Of the last call that returned true.
  span<const node_id> nodes() const { return {nodes_.data(), nodes_.size()}; }

private:
  flat_array<std::uint32_t> inputs_; ///< by node: edges from nodes that do not come yet
  flat_array<node_id> nodes_;
};

} // namespace detail

MIDEND_END_NAMESPACE
