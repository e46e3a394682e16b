/// `found_nodes`: the nodes and edges that control was found to reach, in the order in which they were found.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Executable nodes, in the order in which they were found, and the edges along which phis are compared. Both only
/// grow. Also knows the node of each value and the edges into each node.
class found_nodes {
public:
  static constexpr std::uint32_t not_entered = 0xffff'ffff;

  /// Starts with no node and no edge.
  template <class IR> constexpr void start(const IR& ir, std::size_t num_values) {
    const auto& g = ir.graph();
    const auto num_nodes = static_cast<node_id>(g.num_nodes());
    compared_.resize(static_cast<std::size_t>(g.num_edges()));
    compared_.reset();
    entered_.assign(num_nodes, not_entered);
    nodes_.clear();
    home_.assign(num_values, no_node);
    for (node_id n = 0; n != num_nodes; ++n) {
      for_each_id(ir.values(n), [&](value_id v) { home_[v] = n; });
    }
    collect_in_edges(g, num_nodes);
  }

  constexpr void enter(node_id n) {
    entered_[n] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(n);
  }

  /// From now on, phis are compared along this edge.
  constexpr void compare_along(edge_id e) { compared_.set(e); }

  /// The nodes that have been entered, in that order.
  constexpr const flat_array<node_id>& nodes() const { return nodes_; }

  /// The number of nodes entered before `n`, or `not_entered`.
  constexpr std::uint32_t time_of(node_id n) const { return entered_[n]; }

  constexpr node_id home(value_id v) const { return home_[v]; }

  /// For loops over all values.
  constexpr const node_id* homes() const { return home_.data(); }

  constexpr bool is_compared(edge_id e) const { return compared_.test(e); }

  template <class Visit> constexpr void for_each_compared_edge(node_id n, Visit visit) const {
    for (std::uint32_t i = in_ends_[n]; i != in_ends_[n + std::size_t{1}]; ++i) {
      if (compared_.test(in_edges_[i])) {
        visit(in_edges_[i]);
      }
    }
  }

private:
  template <class G> constexpr void collect_in_edges(const G& g, node_id num_nodes) {
    const auto for_each_edge = [&](auto visit) {
      for (node_id n = num_nodes; n-- != 0;) {
        for_each_id(g.out_edges(n), [&](edge_id e) { visit(e, static_cast<node_id>(g.edge_target(e))); });
      }
    };
    in_ends_.assign(num_nodes + std::size_t{1}, 0);
    for_each_edge([&](edge_id, node_id target) { ++in_ends_[target]; });
    counts_to_ends(in_ends_);
    in_edges_.resize_for_overwrite(in_ends_.back());
    for_each_edge([&](edge_id e, node_id target) { in_edges_[--in_ends_[target]] = e; });
  }

  bit_row compared_;                  ///< by edge
  flat_array<node_id> home_;          ///< by value
  flat_array<std::uint32_t> entered_; ///< by node: the number of nodes entered before
  flat_array<node_id> nodes_;         ///< entered, in that order
  flat_array<std::uint32_t> in_ends_; ///< by node, and one more: where its edges start in `in_edges_`
  flat_array<edge_id> in_edges_;
};

} // namespace detail

MIDEND_END_NAMESPACE
