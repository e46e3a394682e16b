/// Which loops there are, how they nest, and which blocks they have.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory of the loop algorithms. A *draft* is a loop before it has its number: drafts are numbered from inner to
/// outer.
struct loop_arrays {
  static constexpr std::uint32_t none = 0xffff'ffff;

  flat_array<loop_edge> backedges;        ///< in the order of edge ids
  flat_array<std::uint32_t> next;         ///< of a backedge: another one to the same header
  flat_array<std::uint32_t> first;        ///< by dominator preorder number: a backedge to that node, or none
  flat_array<node_id> header;             ///< by draft, as all from here on
  flat_array<std::uint32_t> parent;       ///< the draft around
  flat_array<std::uint32_t> around;       ///< a draft around that is further out: union-find with path halving
  flat_array<std::uint32_t> loops_inside; ///< itself included
  flat_array<std::uint32_t> own_blocks;
  flat_array<std::uint32_t> next_number;
  flat_array<loop_id> number;
  flat_array<node_id> stack;
  flat_array<loop_id> jump;     ///< by loop: an ancestor, for searches upwards in O(log depth)
  flat_array<loop_id> spanning; ///< by node: the smallest loop with all predecessors in it
  csr_graph copy;               ///< of a graph that has no in-edges of its own
};

/// Has, beside successors, in-edges with ids: `csr_graph` and its views.
template <class G>
concept in_edge_indexed = bidirectional_flow_graph<G> && edge_indexed_flow_graph<G> && requires(const G& g, node_id n) {
  { g.in_edges(n) } -> range_of_nodes;
};

/// Ramalingam, "Identifying loops in almost linear time", ACM TOPLAS 21(2), 1999, for natural loops: from inner to
/// outer headers, each draft walks backwards from its latches and takes a draft inside as one node, found by
/// union-find.
struct loop_forest_builder {
  static constexpr std::uint32_t none = loop_arrays::none;

  /// The edges whose target dominates their source.
  template <class G> static constexpr void find_backedges(const G& g, const dominator_tree& tree, loop_arrays& a) {
    a.backedges.clear();
    const node_id count = node_count(g);
    edge_id next = 0;
    for (node_id u = 0; u != count; ++u) {
      next = for_each_out_edge(g, u, next, [&](edge_id e, node_id v) {
        if (tree.dominates(v, u)) {
          a.backedges.push_back({e, u, v});
        }
      });
    }
  }

  static constexpr void clear(std::size_t num_nodes, std::uint64_t epoch, loop_forest& out) {
    out.epoch_ = epoch;
    out.innermost_.assign(num_nodes, no_loop);
    for (flat_array<std::uint32_t>* by_loop : {&out.header_, &out.parent_, &out.depth_, &out.size_, &out.preheader_,
                                               &out.exit_depth_, &out.shared_exit_depth_, &out.blocks_}) {
      by_loop->clear();
    }
    for (flat_array<std::uint32_t>* offsets :
         {&out.block_offset_, &out.backedge_offset_, &out.entering_offset_, &out.exit_offset_}) {
      offsets->assign(1, 0);
    }
    out.backedges_.clear();
    out.entering_.clear();
    out.exits_.clear();
  }

  /// Drafts are made in descending preorder of their headers in the dominator tree, in which inner headers come first.
  template <class G>
  static constexpr void build(const G& g, const dominator_tree& tree, loop_arrays& a, loop_forest& out) {
    draft_headers(tree, a);
    for (std::uint32_t draft = 0; draft != a.header.size(); ++draft) {
      collect_blocks(g, tree, draft, a, out.innermost_);
    }
    number_drafts(a, out);
    list_blocks(tree, a, out);
  }

  static constexpr void draft_headers(const dominator_tree& tree, loop_arrays& a) {
    a.first.assign(tree.num_reachable(), none);
    a.next.resize_for_overwrite(a.backedges.size());
    for (std::uint32_t i = 0; i != a.backedges.size(); ++i) {
      std::uint32_t& first = a.first[tree.preorder_number(a.backedges[i].target)];
      a.next[i] = first;
      first = i;
    }
    a.header.clear();
    const std::span<const node_id> preorder = tree.preorder();
    for (std::size_t i = preorder.size(); i-- != 0;) {
      if (a.first[i] != none) {
        a.header.push_back(preorder[i]);
      }
    }
    const std::size_t drafts = a.header.size();
    a.parent.assign(drafts, none);
    a.loops_inside.assign(drafts, 1);
    a.own_blocks.assign(drafts, 1); // the header
    a.around.resize_for_overwrite(drafts);
    for (std::uint32_t draft = 0; draft != drafts; ++draft) {
      a.around[draft] = draft;
    }
  }

  template <class G>
  static constexpr void collect_blocks(const G& g, const dominator_tree& tree, std::uint32_t draft, loop_arrays& a,
                                       flat_array<loop_id>& innermost) {
    work_stack<node_id> stack(a.stack);
    const node_id header = a.header[draft];
    innermost[header] = draft;
    for (std::uint32_t i = a.first[tree.preorder_number(header)]; i != none; i = a.next[i]) {
      stack.push(a.backedges[i].source);
    }
    while (!stack.empty()) {
      node_id n = stack.pop();
      if (innermost[n] == no_loop) {
        innermost[n] = draft;
        ++a.own_blocks[draft];
      } else {
        const std::uint32_t inner = outermost_draft(innermost[n], a.around);
        if (inner == draft) {
          continue;
        }
        a.parent[inner] = a.around[inner] = draft;
        n = a.header[inner];
      }
      auto&& predecessors = g.predecessors(n);
      const auto last = std::end(predecessors);
      for (auto it = std::begin(predecessors); it != last; ++it) {
        const auto p = static_cast<node_id>(*it);
        if (tree.is_reachable(p)) {
          stack.push(p);
        }
      }
    }
  }

  static constexpr std::uint32_t outermost_draft(std::uint32_t draft, flat_array<std::uint32_t>& around) {
    while (around[draft] != draft) {
      around[draft] = around[around[draft]];
      draft = around[draft];
    }
    return draft;
  }

  /// Backwards over the drafts, so from outer to inner and, among siblings, in preorder of the headers.
  static constexpr void number_drafts(loop_arrays& a, loop_forest& out) {
    const std::size_t drafts = a.header.size();
    for (std::uint32_t draft = 0; draft != drafts; ++draft) {
      if (a.parent[draft] != none) {
        a.loops_inside[a.parent[draft]] += a.loops_inside[draft];
      }
    }
    for (flat_array<std::uint32_t>* by_loop :
         {&out.header_, &out.parent_, &out.depth_, &out.size_, &a.number, &a.next_number}) {
      by_loop->resize_for_overwrite(drafts);
    }
    out.block_offset_.resize_for_overwrite(drafts + 1);
    loop_id next_top_level = 0;
    for (std::size_t draft = drafts; draft-- != 0;) {
      const std::uint32_t parent = a.parent[draft];
      loop_id& next = parent == none ? next_top_level : a.next_number[parent];
      const loop_id l = next;
      next += a.loops_inside[draft];
      a.number[draft] = l;
      a.next_number[draft] = l + 1;
      out.header_[l] = a.header[draft];
      out.parent_[l] = parent == none ? no_loop : a.number[parent];
      out.depth_[l] = parent == none ? 1 : out.depth_[a.number[parent]] + 1;
      out.size_[l] = a.loops_inside[draft];
      out.block_offset_[l] = a.own_blocks[draft];
    }
  }

  static constexpr void list_blocks(const dominator_tree& tree, loop_arrays& a, loop_forest& out) {
    const std::size_t loops = a.number.size();
    std::uint32_t total = 0;
    for (std::size_t l = 0; l != loops; ++l) {
      const std::uint32_t own = out.block_offset_[l];
      out.block_offset_[l] = a.next_number[l] = total;
      total += own;
    }
    out.block_offset_[loops] = total;
    out.blocks_.resize_for_overwrite(total);
    for (const node_id n : tree.preorder()) {
      if (out.innermost_[n] != no_loop) {
        const loop_id l = a.number[out.innermost_[n]];
        out.innermost_[n] = l;
        out.blocks_[a.next_number[l]++] = n;
      }
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
