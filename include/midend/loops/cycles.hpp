/// All cycles of a control-flow graph, irreducible ones too.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/cycle_forest.hpp"
#include "midend/loops/detail/cycle_search.hpp"
#include "midend/loops/detail/loop_drafts.hpp"
#include "midend/loops/search_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct cycle_forest_builder;
}

/// Memory for cycle forests that are computed again and again.
class cycles_workspace {
  friend detail::cycle_forest_builder;

  detail::cycle_memory memory_;
};

namespace detail {

/// Turns drafts over numbers into cycles over nodes.
struct cycle_forest_builder {
  template <class G, class Order>
  static constexpr void build(const G& g, Order order, cycles_workspace& workspace, cycle_forest& out) {
    cycle_memory& m = workspace.memory_;
    clear(node_count(g), out);
    out.epoch_ = graph_epoch(g);
    search_cycles(g, order, true, out.innermost_.data(), m); // holds the numbers of nodes meanwhile
    out.innermost_.assign(out.innermost_.size(), no_cycle);
    if (m.drafts.count == 0) {
      return;
    }
    const forest_columns columns = resized_columns(m.drafts, out);
    number_drafts(m.drafts, columns);
    if (!m.entered.empty()) {
      list_entered(m, out);
    }
    list_blocks(m.drafts, [vertex = m.vertex](std::uint32_t n) { return vertex[n]; }, columns);
  }

private:
  static constexpr void clear(std::size_t num_nodes, cycle_forest& out) {
    out.innermost_.assign(num_nodes, no_cycle);
    out.header_.clear();
    out.entered_.clear();
  }

  static constexpr forest_columns resized_columns(const loop_drafts& drafts, cycle_forest& out) {
    for (flat_array<std::uint32_t>* by_cycle : {&out.header_, &out.parent_, &out.depth_, &out.size_}) {
      by_cycle->resize_for_overwrite(drafts.count);
    }
    out.block_offset_.resize_for_overwrite(drafts.count + std::size_t{1});
    out.blocks_.resize_for_overwrite(drafts.num_blocks);
    return {.innermost = out.innermost_.data(),
            .header = out.header_.data(),
            .parent = out.parent_.data(),
            .depth = out.depth_.data(),
            .size = out.size_.data(),
            .block_offset = out.block_offset_.data(),
            .blocks = out.blocks_.data()};
  }

  /// Groups the entered blocks by the innermost cycle that they are an entry of, besides its header. Headers are still
  /// numbers.
  static constexpr void list_entered(const cycle_memory& m, cycle_forest& out) {
    const std::size_t count = out.num_cycles();
    out.header_number_.assign(out.header_);
    out.entered_from_.assign(count, no_node);
    out.entered_offset_.assign(count + 1, 0);
    out.entered_.resize_for_overwrite(m.entered.size());
    for (const entered_draft& e : m.entered) {
      ++out.entered_offset_[m.drafts.number[e.draft]];
    }
    counts_to_ends(out.entered_offset_);
    for (const entered_draft& e : m.entered) {
      const cycle_id c = m.drafts.number[e.draft];
      const std::uint32_t from = m.entered_from[e.block];
      out.entered_[--out.entered_offset_[c]] = {m.vertex[e.block], from};
      out.entered_from_[c] = min(out.entered_from_[c], from);
    }
    for (std::size_t c = count; c-- != 0;) {
      if (out.parent_[c] != no_cycle) {
        std::uint32_t& around = out.entered_from_[out.parent_[c]];
        around = min(around, out.entered_from_[c]);
      }
    }
  }
};

} // namespace detail

/// The cycles of `g`, refilling `out`; allocates nothing once workspace and result have seen a graph as large.
///
/// The search starts at the entry and follows the successors of a node in the given order. A node H is a header if an
/// edge leads to it from a descendant in the search tree, or from H itself. Its cycle is H and all nodes that reach
/// such an edge through descendants of H only. LLVM's cycle analysis has this definition; its order is `last_to_first`.
/// The outermost cycles are the strongly connected components with an edge inside, in any order. If no cycle is
/// irreducible, no cycle depends on the order.
///
/// Havlak, "Nesting of reducible and irreducible loops", TOPLAS 19(4), 1997, and Ramalingam, "Identifying loops in
/// almost linear time", TOPLAS 21(2), 1999. Departures: predecessors are never read, and only edges that make a cycle
/// irreducible are moved to the common ancestor of their ends, which costs nothing on a reducible graph. Each list of
/// successors is read once.
///
/// Duplicate edges change nothing, a self loop makes a cycle; unreachable nodes are in no cycle, and their edges are
/// ignored. O((n + m) log n) time by the bound for path halving without balancing, linear on every graph that was
/// measured; 40 bytes a node, 28 a cycle and at most 28 an edge of workspace.
template <flow_graph_argument G, search_order_argument Order>
constexpr void cycles(const G& g, Order order, cycles_workspace& workspace, cycle_forest& out) {
  detail::cycle_forest_builder::build(g, order, workspace, out);
}

/// The cycles of `g` by a search from the last successor to the first.
template <flow_graph_argument G> constexpr void cycles(const G& g, cycles_workspace& workspace, cycle_forest& out) {
  cycles(g, last_to_first, workspace, out);
}

/// The cycles of `g` by a search in the given order.
template <flow_graph_argument G, search_order_argument Order = last_to_first_t>
constexpr cycle_forest cycles(const G& g, Order order = {}) {
  cycle_forest out;
  cycles_workspace workspace;
  cycles(g, order, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
