/// In which order a problem's nodes are visited: reverse postorder of its direction, or weak topological order.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/node_orders.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/loops/weak_topological_order.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A graph, perhaps turned round, with one more node from which edges lead to the roots.
template <flow_direction Direction> struct rooted_graph {
  const csr_graph& graph;
  std::span<const node_id> roots;

  constexpr std::size_t num_nodes() const { return graph.num_nodes() + 1; }

  constexpr node_id entry() const { return static_cast<node_id>(graph.num_nodes()); }

  constexpr std::span<const node_id> successors(node_id n) const {
    return n == entry() ? roots : Direction == flow_direction::forward ? graph.successors(n) : graph.predecessors(n);
  }
};

/// The order in which the nodes are swept, and for each node its place in it. An edge that facts flow over *leads back*
/// if its end is not behind its beginning; these edges cut all cycles.
class visit_order {
public:
  constexpr std::span<const node_id> nodes() const { return nodes_; }

  constexpr std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

  constexpr listed_order list() const { return {size(), nodes_.data(), positions_.data()}; }

  /// By node, for those in the order.
  constexpr const std::uint32_t* positions() const { return positions_.data(); }

  constexpr void assign(std::span<const node_id> nodes) {
    nodes_.assign(nodes);
    positions_.resize_for_overwrite(nodes.size());
    for (std::uint32_t i = 0; i != nodes.size(); ++i) {
      positions_[nodes[i]] = i;
    }
  }

  /// Forward: reverse postorder of what the entry and the `other_roots` reach. Backward: postorder of all nodes, by the
  /// search that goes forward, so that the edges which lead back are the same.
  template <flow_direction Direction>
  constexpr void assign_reverse_postorder(const csr_graph& g, std::span<const node_id> other_roots) {
    constexpr bool all_nodes = Direction == flow_direction::backward;
    const std::size_t count = g.num_nodes();
    depth_first_order(g, search_memory_, search_);
    std::size_t placed = search_.num_reachable();
    if (placed != count && (all_nodes || !other_roots.empty())) {
      roots_.clear();
      roots_.push_back(g.entry());
      all_nodes ? add_all_as_roots(count) : add_roots(other_roots);
      depth_first_order(rooted_graph<flow_direction::forward>{g, roots_}, search_memory_, search_);
      placed = search_.num_reachable() - 1; // without the root, which is left last
    }
    nodes_.resize_for_overwrite(placed);
    positions_.resize_for_overwrite(count);
    const node_id* const postorder = search_.postorder().data();
    for (std::uint32_t i = 0; i != placed; ++i) {
      const node_id n = postorder[all_nodes ? i : placed - 1 - i];
      nodes_.data()[i] = n;
      positions_.data()[n] = i;
    }
  }

  /// Weak topological order from where flow begins, `boundaries`; backward, of all nodes.
  template <flow_direction Direction>
  constexpr void assign_weak_topological(const csr_graph& g, std::span<const node_id> boundaries) {
    roots_.clear();
    if (Direction == flow_direction::backward) {
      add_all_as_roots(g.num_nodes());
    }
    add_roots(boundaries); // last, so that the search begins there
    weak_topological_order(rooted_graph<Direction>{g, roots_}, components_memory_, components_);
    const std::span<const node_id> order = components_.order();
    positions_.resize_for_overwrite(g.num_nodes());
    nodes_.resize_for_overwrite(order.size() - 1);
    for (std::uint32_t i = 0; i != nodes_.size(); ++i) { // without the root, which comes first
      nodes_[i] = order[i + std::size_t{1}];
      positions_[nodes_[i]] = i;
    }
  }

  // After `assign_weak_topological`: the components, and the positions of the head and behind the last node.
  constexpr wto_component_id innermost_component(node_id n) const { return components_.innermost_component(n); }

  constexpr wto_component_id parent(wto_component_id c) const { return components_.parent(c); }

  constexpr std::uint32_t head_position(wto_component_id c) const { return components_.head_position(c) - 1; }

  constexpr std::uint32_t end_position(wto_component_id c) const { return components_.end_position(c) - 1; }

private:
  constexpr void add_roots(std::span<const node_id> nodes) {
    for (const node_id n : nodes) {
      roots_.push_back(n);
    }
  }

  constexpr void add_all_as_roots(std::size_t count) {
    for (std::size_t n = 0; n != count; ++n) {
      roots_.push_back(static_cast<node_id>(n));
    }
  }

  flat_array<node_id> nodes_;
  flat_array<std::uint32_t> positions_;
  flat_array<node_id> roots_;
  depth_first_numbering search_;
  depth_first_order_workspace search_memory_;
  hierarchical_ordering components_;
  weak_topological_order_workspace components_memory_;
};

} // namespace detail

MIDEND_END_NAMESPACE
