/// Weak topological order of a control-flow graph.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/detail/cycle_search.hpp"
#include "midend/loops/detail/loop_drafts.hpp"
#include "midend/loops/hierarchical_ordering.hpp"
#include "midend/loops/search_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Memory for weak topological orders that are computed again and again.
class weak_topological_order_workspace {
  friend detail::weak_topological_order_builder;

  detail::cycle_memory cycles_;
  // By number of the search.
  flat_array<std::uint32_t> depth_; ///< in the search tree
  flat_array<std::uint32_t> reverse_postorder_;

  // By draft of a component.
  flat_array<std::uint32_t> num_nodes_;
  flat_array<std::uint32_t> next_position_; ///< where its next node goes
};

namespace detail {

/// Places nodes in reverse postorder, but reserves room for all nodes of a cycle when its header is placed. This is
/// correct: the header comes before the rest of its cycle; and an edge between two nodes or cycles directly inside one
/// cycle, except back to its header, leads forward in the reverse postorder of their headers.
struct weak_topological_order_builder {
  static constexpr std::uint32_t none = loop_drafts::none;

  template <class G, class Order>
  static constexpr void build(const G& g, Order order, weak_topological_order_workspace& workspace,
                              hierarchical_ordering& out) {
    const node_id count = node_count(g);
    out.epoch_ = graph_epoch(g);
    out.position_.assign(count, no_node);
    out.innermost_.assign(count, no_wto_component);
    const std::uint32_t reached = search_cycles(g, order, true, out.position_.data(), workspace.cycles_);
    out.order_.resize_for_overwrite(reached);
    resize_components(workspace.cycles_.drafts.count, out);
    const node_id* const vertex = workspace.cycles_.vertex;
    if (out.num_components() == 0) {
      rank_in_reverse_postorder(workspace, reached, [&](std::uint32_t n, std::uint32_t rank) {
        out.order_.data()[rank] = vertex[n];
        out.position_.data()[vertex[n]] = rank;
      });
    } else {
      workspace.reverse_postorder_.resize_for_overwrite(reached);
      rank_in_reverse_postorder(workspace, reached, [&](std::uint32_t n, std::uint32_t rank) {
        workspace.reverse_postorder_.data()[rank] = n;
      });
      open_top_level(workspace);
      place_nodes(workspace, out);
    }
  }

private:
  static constexpr void resize_components(std::size_t count, hierarchical_ordering& out) {
    for (flat_array<std::uint32_t>* by_component :
         {&out.head_position_, &out.end_position_, &out.parent_, &out.depth_, &out.size_}) {
      by_component->resize_for_overwrite(count);
    }
  }

  /// Calls `visit(n, rank)` for each number. When the search leaves n, it has left all nodes up to the last
  /// descendant of n except the ancestors of n.
  template <class Visit>
  static constexpr void rank_in_reverse_postorder(weak_topological_order_workspace& workspace, std::uint32_t reached,
                                                  Visit visit) {
    workspace.depth_.resize_for_overwrite(reached);
    std::uint32_t* const depth = workspace.depth_.data();
    const std::uint32_t* const parent = workspace.cycles_.parent;
    const std::uint32_t* const last = workspace.cycles_.last.data();
    for (std::uint32_t n = 0; n != reached; ++n) {
      depth[n] = n == 0 ? 0 : depth[parent[n]] + 1;
      visit(n, reached - 1 - (last[n] - depth[n]));
    }
  }

  /// Counts the nodes and cycles inside each cycle. Adds one draft, for the nodes in no cycle, that starts at position
  /// 0.
  static constexpr void open_top_level(weak_topological_order_workspace& workspace) {
    loop_drafts& drafts = workspace.cycles_.drafts;
    const std::uint32_t top = drafts.open(none);
    workspace.num_nodes_.assign(span<const std::uint32_t>(drafts.own_blocks, drafts.count));
    for (std::uint32_t draft = 0; draft != top; ++draft) {
      std::uint32_t& parent = drafts.parent[draft];
      parent = parent == none ? top : parent;
      drafts.loops_inside[parent] += drafts.loops_inside[draft];
      workspace.num_nodes_[parent] += workspace.num_nodes_[draft];
    }
    workspace.next_position_.resize_for_overwrite(drafts.count);
    drafts.number[top] = no_wto_component;
    drafts.next_number[top] = 0;
    workspace.next_position_[top] = 0;
  }

  static constexpr void place_nodes(weak_topological_order_workspace& workspace, hierarchical_ordering& out) {
    const cycle_memory& m = workspace.cycles_;
    const auto top = m.drafts.count - 1;
    const node_id* const vertex = m.vertex;
    const std::uint32_t* const draft_of = m.draft_of.data();
    const std::uint32_t* const header = m.drafts.header;
    const std::uint32_t* const number = m.drafts.number;
    std::uint32_t* const next_position = workspace.next_position_.data();
    for (const std::uint32_t n : workspace.reverse_postorder_) {
      const std::uint32_t draft = draft_of[n] < top ? draft_of[n] : top;
      if (header[draft] == n) [[unlikely]] {
        open_component(draft, workspace, out);
      }
      const std::uint32_t at = next_position[draft]++;
      out.order_.data()[at] = vertex[n];
      out.position_.data()[vertex[n]] = at;
      out.innermost_.data()[vertex[n]] = number[draft];
    }
  }

  /// Reserves room for the whole cycle after the nodes that the cycle around it holds so far.
  static constexpr void open_component(std::uint32_t draft, weak_topological_order_workspace& workspace,
                                       hierarchical_ordering& out) {
    loop_drafts& drafts = workspace.cycles_.drafts;
    const std::uint32_t parent = drafts.parent[draft];
    const std::uint32_t first = workspace.next_position_[parent];
    const wto_component_id c = drafts.next_number[parent];
    workspace.next_position_[parent] += workspace.num_nodes_[draft];
    drafts.next_number[parent] += drafts.loops_inside[draft];
    workspace.next_position_[draft] = first;
    drafts.next_number[draft] = c + 1;
    drafts.number[draft] = c;
    out.head_position_[c] = first;
    out.end_position_[c] = first + workspace.num_nodes_[draft];
    out.parent_[c] = drafts.number[parent];
    out.depth_[c] = out.parent_[c] == no_wto_component ? 1 : out.depth_[out.parent_[c]] + 1;
    out.size_[c] = drafts.loops_inside[draft];
  }
};

} // namespace detail

/// The weak topological order of `g`, refilling `out`; allocates nothing once workspace and result have seen a graph as
/// large.
///
/// Bourdoncle, "Efficient chaotic iteration strategies with widenings", FMPA 1993: the order and components are those
/// of his algorithm when it visits successors in the given order. Components are not decomposed again, which would be
/// quadratic on deep nests. The components are the cycles that `cycles(g, order)` finds, their heads the headers; the
/// idea is that of Kim, Venet, Thakur, "Deterministic parallel fixpoint computation", POPL 2020. Nodes and components
/// directly inside the same component are in the reverse postorder of the search. So `last_to_first` puts the nodes
/// after the first successor of a branch before those after the second.
///
/// Duplicate edges change nothing, a self loop makes a component of one node; unreachable nodes are not in the
/// order, and their edges are ignored. Each list of successors is read once. Cost in time as `cycles`; 48 bytes a node,
/// 36 a component and at most 28 an edge of workspace.
template <flow_graph_argument G, search_order_argument Order>
constexpr void weak_topological_order(const G& g, Order order, weak_topological_order_workspace& workspace,
                                      hierarchical_ordering& out) {
  detail::weak_topological_order_builder::build(g, order, workspace, out);
}

/// Searches from the last successor to the first.
template <flow_graph_argument G>
constexpr void weak_topological_order(const G& g, weak_topological_order_workspace& workspace,
                                      hierarchical_ordering& out) {
  weak_topological_order(g, last_to_first, workspace, out);
}

/// The weak topological order of `g` by a search in the given order.
template <flow_graph_argument G, search_order_argument Order = last_to_first_t>
constexpr hierarchical_ordering weak_topological_order(const G& g, Order order = {}) {
  hierarchical_ordering out;
  weak_topological_order_workspace workspace;
  weak_topological_order(g, order, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
