/// The def-use edges of what can be reached, and an order in which to visit values.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Calls `visit(phi)` for each phi of a node.
template <class IR, class Visit> constexpr void for_each_phi(const IR& ir, node_id n, Visit visit) {
  auto&& values = ir.values(n);
  const auto last = std::end(values);
  for (auto it = std::begin(values); it != last; ++it) {
    const auto v = static_cast<value_id>(*it);
    if (!ir.is_phi(v)) {
      return;
    }
    visit(v);
  }
}

/// Items are values and, behind these, the ends of nodes: item `num_values + n` decides which edges of n are taken. The
/// items of the nodes that the entry reaches have positions in the order in which one would like to visit them.
class ssa_layout {
public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  template <class IR> constexpr void assign(const IR& ir, std::span<const node_id> order) {
    const auto& g = ir.graph();
    num_values_ = static_cast<value_id>(ir.num_values());
    depth_first_order(g, search_, numbering_);
    position_.assign(num_values_ + g.num_nodes(), none);
    first_.assign(g.num_nodes(), none);
    items_.clear();
    if (!order.empty()) {
      MIDEND_ASSERT(order.size() == numbering_.num_reachable(), "an order of all nodes that the entry reaches",
                    order.size(), numbering_.num_reachable());
      for (const node_id n : order) {
        append(ir, n);
      }
    } else {
      for (std::size_t i = numbering_.num_reachable(); i-- != 0;) {
        append(ir, numbering_.postorder()[i]);
      }
    }
  }

  constexpr value_id num_values() const { return num_values_; }

  constexpr std::size_t num_positions() const { return items_.size(); }

  constexpr std::uint32_t item(std::uint32_t position) const { return items_.data()[position]; }

  /// `none` for what stands in no node that can be reached.
  constexpr std::uint32_t position(std::uint32_t item) const { return position_.data()[item]; }

  constexpr std::uint32_t end_of(node_id n) const { return num_values_ + n; }

  constexpr bool is_end(std::uint32_t item) const { return item >= num_values_; }

  constexpr node_id node_of_end(std::uint32_t item) const { return item - num_values_; }

  /// The position of the first item of a node; those of its other items follow, that of its end last.
  constexpr std::uint32_t first_position(node_id n) const { return first_[n]; }

  constexpr bool is_reachable(node_id n) const { return numbering_.is_reachable(n); }

  constexpr std::uint32_t last_position(node_id n) const { return position(end_of(n)); }

  /// The nodes that can be reached, the entry last.
  constexpr std::span<const node_id> postorder() const { return numbering_.postorder(); }

  /// Whether the edge leads back in the depth-first order: all cycles have such an edge.
  constexpr bool is_retreating(node_id source, node_id target) const {
    return numbering_.postorder_number(source) <= numbering_.postorder_number(target);
  }

private:
  template <class IR> constexpr void append(const IR& ir, node_id n) {
    first_[n] = static_cast<std::uint32_t>(items_.size());
    for_each_id(ir.values(n), [&](value_id v) { push(v); });
    push(end_of(n));
  }

  constexpr void push(std::uint32_t item) {
    position_[item] = static_cast<std::uint32_t>(items_.size());
    items_.push_back(item);
  }

  value_id num_values_ = 0;
  depth_first_order_workspace search_;
  depth_first_numbering numbering_;
  flat_array<std::uint32_t> position_;
  flat_array<std::uint32_t> first_;
  flat_array<std::uint32_t> items_;
};

/// Who reads a value: an operation or the end of a node, by its item, or a phi on an edge.
struct ssa_use {
  std::uint32_t item;
  edge_id edge; ///< `no_edge` if it is no phi
};

/// The uses of each value that stands in a node, by those who do and depend on it. Built in a pass over operands,
/// because lists of users in the IR do not say by which edge a phi reads, and to ask a phi for it takes as long as it
/// has inputs; and sorted by value in another one, which does not ask the IR again.
class ssa_uses {
public:
  template <class IR> constexpr void assign(const IR& ir, const ssa_layout& layout) {
    ends_.assign(layout.num_values() + std::size_t{1}, 0);
    found_.clear();
    for_each_use(ir, layout, [&](value_id v, ssa_use use) {
      ++ends_.data()[v];
      found_.push_back({v, use});
    });
    counts_to_ends(ends_);
    uses_.resize_for_overwrite(ends_[layout.num_values()]);
    for (const found_use& found : found_) {
      uses_.data()[--ends_.data()[found.value]] = found.use;
    }
  }

  constexpr std::span<const ssa_use> of(value_id v) const {
    return {uses_.data() + ends_.data()[v], uses_.data() + ends_.data()[v + std::size_t{1}]};
  }

private:
  struct found_use {
    value_id value;
    ssa_use use;
  };

  template <class IR, class Visit>
  static constexpr void for_each_use(const IR& ir, const ssa_layout& layout, Visit visit) {
    const auto visit_if_placed = [&](value_id v, ssa_use use) {
      if (v != no_value && layout.position(v) != ssa_layout::none) { // literals and parameters never change
        visit(v, use);
      }
    };
    for (const node_id n : layout.postorder()) {
      for (std::uint32_t position = layout.first_position(n); position != layout.last_position(n); ++position) {
        const value_id user = layout.item(position);
        if (!ir.is_phi(user) && !is_opaque(ir, user)) {
          for_each_id(ir.operands(user), [&](value_id v) { visit_if_placed(v, {user, no_edge}); });
        }
      }
      for_each_id(ir.graph().out_edges(n), [&](edge_id e) {
        for_each_phi(ir, static_cast<node_id>(ir.graph().edge_target(e)),
                     [&](value_id phi) { visit_if_placed(ir.phi_input(phi, e), {phi, e}); });
      });
      visit_if_placed(ir.condition(n), {layout.end_of(n), no_edge});
    }
  }

  flat_array<std::uint32_t> ends_;
  flat_array<ssa_use> uses_;
  flat_array<found_use> found_; ///< in the order in which they are found
};

} // namespace detail

MIDEND_END_NAMESPACE
