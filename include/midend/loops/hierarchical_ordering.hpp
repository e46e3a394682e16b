/// `hierarchical_ordering`: the order for fixpoint iteration, with the heads of cycles, at which to widen.
/// `weak_topological_order.hpp` computes it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/sibling_range.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A component of a weak topological order: dense, `0 … num_components() - 1`.
using wto_component_id = std::uint32_t;

inline constexpr wto_component_id no_wto_component = 0xffff'ffff;

namespace detail {
struct weak_topological_order_builder;
}

/// The reachable nodes of a graph in an order with nested components (Bourdoncle's hierarchical ordering). Each
/// component is an interval of the order that starts with its *head*. Every edge leads forward, or back to the head of
/// a component that contains its source. So the heads cut all cycles, and the values of a component are stable once
/// that of its head is.
///
/// Components are numbered in the order of their heads: outer before inner, the components inside a component directly
/// after it. An iteration over a graph with nested stabilisation needs no recursion:
///
///     std::uint32_t at = 0;
///     wto_component_id inside = no_wto_component;             // the component that is being stabilised
///     for (;;) {
///       if (inside != no_wto_component && at == wto.end_position(inside)) {
///         if (update(wto.head(inside)) == changed) { at = wto.head_position(inside) + 1; }   // once more
///         else                                     { inside = wto.parent(inside); }
///       } else if (at == wto.order().size()) {
///         break;
///       } else {
///         const node_id n = wto.order()[at++];
///         if (wto.is_head(n)) { inside = wto.innermost_component(n); }
///         update(n);
///       }
///     }
///
/// 12 bytes a node, 20 a component.
class hierarchical_ordering {
public:
  constexpr std::size_t num_nodes() const { return position_.size(); }

  constexpr std::size_t num_reachable() const { return order_.size(); }

  constexpr bool is_reachable(node_id n) const { return position_[n] != no_node; }

  /// The reachable nodes, the entry first.
  constexpr span<const node_id> order() const { return order_; }

  /// The position of `n` in `order()`; `no_node` for unreachable nodes.
  constexpr std::uint32_t position(node_id n) const { return position_[n]; }

  constexpr std::size_t num_components() const { return head_position_.size(); }

  /// All components in the order of their heads.
  constexpr id_range<wto_component_id> components() const {
    return {0, static_cast<wto_component_id>(num_components())};
  }

  /// `c` and the components inside it.
  constexpr id_range<wto_component_id> subcomponents(wto_component_id c) const { return {c, c + size_[c]}; }

  /// The components of depth 1.
  constexpr sibling_range top_level() const {
    return detail::siblings(size_.data(), 0, static_cast<wto_component_id>(num_components()));
  }

  /// The components directly inside `c`.
  constexpr sibling_range children(wto_component_id c) const {
    return detail::siblings(size_.data(), c + 1, c + size_[c]);
  }

  /// The component directly around `c`, or `no_wto_component`.
  constexpr wto_component_id parent(wto_component_id c) const { return parent_[c]; }

  /// 1 for a component that is not inside another.
  constexpr std::uint32_t depth(wto_component_id c) const { return depth_[c]; }

  /// The first node of `c`: the target of all retreating edges inside `c` that are not inside an inner component.
  constexpr node_id head(wto_component_id c) const { return order_[head_position_[c]]; }

  /// The nodes of `c` in their order, the head first.
  constexpr span<const node_id> members(wto_component_id c) const {
    return order().subspan(head_position_[c], end_position_[c] - head_position_[c]);
  }

  /// `position(head(c))`.
  constexpr std::uint32_t head_position(wto_component_id c) const { return head_position_[c]; }

  /// The position after the last node of `c`.
  constexpr std::uint32_t end_position(wto_component_id c) const { return end_position_[c]; }

  /// The smallest component around `n`, or `no_wto_component`.
  constexpr wto_component_id innermost_component(node_id n) const { return innermost_[n]; }

  /// How many components are around `n`.
  constexpr std::uint32_t component_depth(node_id n) const {
    return innermost_[n] == no_wto_component ? 0 : depth_[innermost_[n]];
  }

  constexpr bool is_head(node_id n) const {
    return innermost_[n] != no_wto_component && head_position_[innermost_[n]] == position_[n];
  }

  /// Whether `n` is a node of `c`. O(1).
  constexpr bool contains(wto_component_id c, node_id n) const {
    // Wraps around for nodes before the head and is large for unreachable ones.
    return position_[n] - head_position_[c] < end_position_[c] - head_position_[c];
  }

  /// The `epoch()` of the graph that the order was made of.
  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  friend detail::weak_topological_order_builder;

  std::uint64_t epoch_ = 0;
  flat_array<node_id> order_;
  flat_array<std::uint32_t> position_;     ///< by node
  flat_array<wto_component_id> innermost_; ///< by node

  // By component.
  flat_array<std::uint32_t> head_position_;
  flat_array<std::uint32_t> end_position_;
  flat_array<wto_component_id> parent_;
  flat_array<std::uint32_t> depth_;
  flat_array<std::uint32_t> size_; ///< number of components in the subtree
};

MIDEND_END_NAMESPACE
