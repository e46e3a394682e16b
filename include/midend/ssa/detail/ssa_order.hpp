/// The order in which `sccp` visits a program, and the uses of its values.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Items are values and, numbered after them, the ends of nodes: item `num_values + n` decides which edges of n are
/// taken. Items of nodes that the entry reaches have positions in the order of visits.
class ssa_order {
public:
  /// The position of items in unreachable nodes and in no node.
  static constexpr std::uint32_t none = 0xffff'ffff;

  /// The arrays come from `memory` and live until it is reset.
  template <class IR> constexpr void assign(const IR& ir, span<const node_id> nodes, arena& memory) {
    const auto& g = ir.graph();
    num_values_ = static_cast<value_id>(ir.num_values());
    const auto num_nodes = static_cast<std::size_t>(g.num_nodes());
    search(g, num_nodes, memory);
    position_ = memory.array<std::uint32_t>(num_values_ + num_nodes, none);
    first_ = memory.array<std::uint32_t>(num_nodes, none);
    items_ = memory.array<std::uint32_t>(num_values_ + num_nodes);
    num_positions_ = 0;
    if (!nodes.empty()) {
      MIDEND_ASSERT(nodes.size() == num_reachable_, "an order of all nodes that the entry reaches", nodes.size(),
                    num_reachable_);
      for (const node_id n : nodes) {
        append(ir, n);
      }
    } else {
      for (std::size_t i = num_reachable_; i-- != 0;) {
        append(ir, found_.postorder[i]);
      }
    }
  }

  constexpr value_id num_values() const { return num_values_; }

  constexpr std::uint32_t num_positions() const { return num_positions_; }

  constexpr std::uint32_t item(std::uint32_t position) const { return items_[position]; }

  /// The position of an item, or `none`.
  constexpr std::uint32_t position(std::uint32_t item) const { return position_[item]; }

  constexpr std::uint32_t end_of(node_id n) const { return num_values_ + n; }

  constexpr bool is_end(std::uint32_t item) const { return item >= num_values_; }

  constexpr node_id node_of_end(std::uint32_t item) const { return item - num_values_; }

  /// The position of the first item of a node. Its other items follow, its end is last.
  constexpr std::uint32_t first_position(node_id n) const { return first_[n]; }

  constexpr bool is_reachable(node_id n) const { return found_.preorder_number[n] != no_node; }

  constexpr std::uint32_t last_position(node_id n) const { return position(end_of(n)); }

  /// The reachable nodes, the entry last.
  constexpr span<const node_id> postorder() const { return {found_.postorder, num_reachable_}; }

  /// Whether the edge, from a reachable node, leads back in the depth-first order. Every cycle has such an edge.
  constexpr bool is_retreating(node_id source, node_id target) const {
    return found_.postorder_number[source] <= found_.postorder_number[target];
  }

private:
  template <class G> constexpr void search(const G& g, std::size_t num_nodes, arena& memory) {
    found_.preorder_number = memory.array<node_id>(num_nodes, no_node);
    found_.postorder_number = memory.array<node_id>(num_nodes);
    found_.preorder = memory.array<node_id>(num_nodes);
    found_.postorder = memory.array<node_id>(num_nodes);
    arena_stack<std::uint32_t> stack(memory, num_nodes + static_cast<std::size_t>(g.num_edges()));
    num_reachable_ = num_nodes == 0 ? 0 : depth_first_search::search(g, stack, found_);
  }

  template <class IR> constexpr void append(const IR& ir, node_id n) {
    first_[n] = num_positions_;
    for_each_id(ir.values(n), [&](value_id v) {
      MIDEND_ASSERT(v < num_values_, "values of a node below num_values()", n, v, num_values_);
      push(v);
    });
    push(end_of(n));
  }

  constexpr void push(std::uint32_t item) {
    position_[item] = num_positions_;
    items_[num_positions_++] = item;
  }

  value_id num_values_ = 0;
  depth_first_arrays found_{};
  node_id num_reachable_ = 0;
  std::uint32_t num_positions_ = 0;
  std::uint32_t* position_ = nullptr; ///< by item
  std::uint32_t* first_ = nullptr;    ///< by node
  std::uint32_t* items_ = nullptr;    ///< by position
};

/// A reader of a value: an operation or the end of a node, by its item, or a phi on an edge.
struct ssa_use {
  std::uint32_t item;
  edge_id edge; ///< `no_edge` if the reader is not a phi
};

/// The uses of each value that is defined in a node, for `value_numbering`. Does not use the IR's `users(v)`, because
/// they do not say on which edge a phi reads, and asking a phi takes as long as it has inputs. One walk over the
/// operands collects the uses, a second one sorts them by value without asking the IR again.
class ssa_uses {
public:
  /// The arrays come from `memory` and live until it is reset.
  template <class IR> constexpr void assign(const IR& ir, const ssa_order& order, arena& memory) {
    const value_id num_values = order.num_values();
    ends_ = memory.array<std::uint32_t>(num_values + std::size_t{1}, 0);
    arena_stack<found_use> found(memory, 2 * std::size_t{order.num_positions()}); // enough for most programs
    for_each_use(ir, order, [&](value_id v, ssa_use use) {
      ++ends_[v];
      found.push({v, use});
    });
    for (value_id v = 0; v != num_values; ++v) { // from counts to ends; filling moves them to the starts
      ends_[v + std::size_t{1}] += ends_[v];
    }
    uses_ = memory.array<ssa_use>(found.size());
    for (std::size_t i = 0; i != found.size(); ++i) {
      uses_[--ends_[found.data()[i].value]] = found.data()[i].use;
    }
  }

  constexpr span<const ssa_use> of(value_id v) const { return {uses_ + ends_[v], uses_ + ends_[v + std::size_t{1}]}; }

private:
  struct found_use {
    value_id value;
    ssa_use use;
  };

  template <class IR, class Visit>
  static constexpr void for_each_use(const IR& ir, const ssa_order& order, Visit visit) {
    const auto visit_if_placed = [&](value_id v, ssa_use use) {
      if (v != no_value && order.position(v) != ssa_order::none) { // the facts of literals and parameters never change
        visit(v, use);
      }
    };
    for (const node_id n : order.postorder()) {
      for (std::uint32_t position = order.first_position(n); position != order.last_position(n); ++position) {
        const value_id user = order.item(position);
        if (!ir.is_phi(user) && !is_opaque(ir, user)) {
          for_each_id(ir.operands(user), [&](value_id v) { visit_if_placed(v, {user, no_edge}); });
        }
      }
      for_each_id(ir.graph().out_edges(n), [&](edge_id e) {
        for_each_phi(ir, static_cast<node_id>(ir.graph().edge_target(e)),
                     [&](value_id phi) { visit_if_placed(ir.phi_input(phi, e), {phi, e}); });
      });
      visit_if_placed(ir.condition(n), {order.end_of(n), no_edge});
    }
  }

  std::uint32_t* ends_ = nullptr; ///< by value, and one more: where its uses start
  ssa_use* uses_ = nullptr;
};

/// Readers of values, noted at their first read of a value whose fact may still change. So values that are known from
/// the start, and all that follows from these alone, have no readers.
class noted_uses {
public:
  /// The arrays come from `memory` and live until it is reset. Room for `expected` uses at first.
  constexpr void assign(std::size_t num_values, std::size_t expected, arena& memory) {
    memory_ = &memory;
    last_ = memory.array<std::uint32_t>(num_values, none);
    links_ = memory.array<link>(expected);
    count_ = 0;
    capacity_ = static_cast<std::uint32_t>(expected);
  }

  constexpr void add(value_id v, ssa_use use) {
    if (count_ == capacity_) [[unlikely]] {
      grow();
    }
    const std::uint32_t last = last_[v];
    links_[count_] = {use, last == none ? count_ : links_[last].next};
    if (last != none) {
      links_[last].next = count_;
    }
    last_[v] = count_++;
  }

  /// Visits readers in the order in which they were noted. `visit` must not add any.
  template <class Visit> constexpr void for_each(value_id v, Visit visit) const {
    const std::uint32_t last = last_[v];
    if (last == none) {
      return;
    }
    const link* const links = links_;
    for (std::uint32_t i = last; visit(links[i = links[i].next].use), i != last;) {
    }
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct link {
    ssa_use use;
    std::uint32_t next; ///< a circle: the last one leads to the first
  };

  MIDEND_SELDOM_CALLED constexpr void grow() {
    link* const more = memory_->array<link>(2 * std::size_t{capacity_} + 16);
    for (std::uint32_t i = 0; i != count_; ++i) {
      more[i] = links_[i];
    }
    links_ = more;
    capacity_ = 2 * capacity_ + 16;
  }

  arena* memory_ = nullptr;
  std::uint32_t* last_ = nullptr; ///< by value, or `none`
  link* links_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
