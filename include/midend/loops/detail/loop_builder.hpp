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

#include <bit>
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
  flat_array<std::uint64_t> is_header;    ///< a bit by dominator preorder number
  flat_array<std::uint32_t> first;        ///< by the same number, for headers only: a backedge to that node
  flat_array<node_id> collected;          ///< blocks by draft; only as much as is in loops
  flat_array<node_id> pending;            ///< blocks and headers of inner drafts whose predecessors are to be looked at
  flat_array<node_id> header;             ///< by draft, as all from here on
  flat_array<std::uint32_t> parent;       ///< the draft around
  flat_array<std::uint32_t> around;       ///< a draft around, further out: union-find with path halving
  flat_array<std::uint32_t> loops_inside; ///< itself included
  flat_array<std::uint32_t> own_blocks;   ///< how many blocks have it as their innermost draft
  flat_array<std::uint32_t> next_number;
  flat_array<loop_id> number;
  flat_array<loop_id> jump;     ///< by loop: an ancestor, for searches upwards in O(log depth)
  flat_array<loop_id> spanning; ///< by node: the smallest loop with all predecessors in it
  flat_array<edge_id> exits;    ///< edges out of a loop, before they are grouped
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
    work_stack<loop_edge> found(a.backedges);
    const dominator_tree::dominance_test dominates = tree.test();
    for_each_edge(g, [&](edge_id e, node_id source, node_id target) {
      if (dominates(target, source)) [[unlikely]] {
        found.push({e, source, target});
      }
    });
    a.backedges.shrink(found.size());
  }

  static constexpr void clear(std::size_t num_nodes, std::uint64_t epoch, loop_forest& out) {
    out.epoch_ = epoch;
    out.innermost_.assign(num_nodes, no_loop);
    if (out.num_loops() == 0 && !out.block_offset_.empty()) {
      return; // as the function before
    }
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

  template <class G>
  static constexpr void build(const G& g, const dominator_tree& tree, loop_arrays& a, loop_forest& out) {
    draft_headers(tree, a);
    collect_blocks(g, tree, a, out.innermost_);
    number_drafts(a, out);
    list_blocks(a, out);
  }

  /// One draft for each header, in descending preorder of the dominator tree, in which inner headers come first. The
  /// headers are sorted by setting bits.
  static constexpr void draft_headers(const dominator_tree& tree, loop_arrays& a) {
    a.is_header.assign((tree.num_reachable() + 63) / 64, 0);
    a.first.resize_for_overwrite(tree.num_reachable());
    a.next.resize_for_overwrite(a.backedges.size());
    for (std::uint32_t i = 0; i != a.backedges.size(); ++i) {
      const std::uint32_t number = tree.preorder_number(a.backedges[i].target);
      std::uint64_t& word = a.is_header[number / 64];
      const std::uint64_t bit = std::uint64_t{1} << number % 64;
      a.next[i] = (word & bit) != 0 ? a.first[number] : none;
      a.first[number] = i;
      word |= bit;
    }
    a.header.clear();
    for (std::size_t i = a.is_header.size(); i-- != 0;) {
      for (std::uint64_t word = a.is_header[i]; word != 0;) {
        const std::size_t bit = 63 - static_cast<std::size_t>(std::countl_zero(word));
        word ^= std::uint64_t{1} << bit;
        a.header.push_back(tree.preorder()[64 * i + bit]);
      }
    }
    const std::size_t drafts = a.header.size();
    a.parent.assign(drafts, none);
    a.loops_inside.assign(drafts, 1);
    a.own_blocks.resize_for_overwrite(drafts);
    a.around.resize_for_overwrite(drafts);
    for (std::uint32_t draft = 0; draft != drafts; ++draft) {
      a.around[draft] = draft;
    }
  }

  /// The blocks of each draft that are in no earlier one, in the order in which the walk backwards meets them.
  template <class G>
  static constexpr void collect_blocks(const G& g, const dominator_tree& tree, loop_arrays& a,
                                       flat_array<loop_id>& innermost) {
    a.collected.resize_for_overwrite(tree.num_reachable());
    node_id* last = a.collected.data();
    work_stack<node_id> pending(a.pending);
    loop_id* const around_node = innermost.data();
    for (std::uint32_t draft = 0; draft != a.header.size(); ++draft) {
      const node_id* const first = last;
      const auto take = [&](node_id n) {
        const std::uint32_t known = around_node[n];
        if (known == draft) {
          return;
        }
        if (known == no_loop) {
          if (tree.is_reachable(n)) {
            around_node[n] = draft;
            *last++ = n;
            pending.push(n);
          }
          return;
        }
        const std::uint32_t inner = outermost_draft(known, a.around);
        if (inner != draft) {
          a.parent[inner] = a.around[inner] = draft;
          pending.push(a.header[inner]);
        }
      };
      const node_id header = a.header[draft];
      around_node[header] = draft;
      *last++ = header;
      for (std::uint32_t i = a.first[tree.preorder_number(header)]; i != none; i = a.next[i]) {
        take(a.backedges[i].source);
      }
      while (!pending.empty()) {
        auto&& predecessors = g.predecessors(pending.pop());
        const auto end = std::end(predecessors);
        for (auto it = std::begin(predecessors); it != end; ++it) {
          take(static_cast<node_id>(*it));
        }
      }
      a.own_blocks[draft] = static_cast<std::uint32_t>(last - first);
    }
    a.collected.shrink(static_cast<std::size_t>(last - a.collected.data()));
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

  static constexpr void list_blocks(loop_arrays& a, loop_forest& out) {
    const std::size_t loops = a.number.size();
    std::uint32_t total = 0;
    for (std::size_t l = 0; l != loops; ++l) {
      const std::uint32_t own = out.block_offset_[l];
      out.block_offset_[l] = total;
      total += own;
    }
    out.block_offset_[loops] = total;
    out.blocks_.resize_for_overwrite(total);
    const node_id* next = a.collected.data();
    for (std::size_t draft = 0; draft != loops; ++draft) {
      const loop_id l = a.number[draft];
      node_id* const first = out.blocks_.data() + out.block_offset_[l];
      node_id* to = out.blocks_.data() + out.block_offset_[l + std::size_t{1}];
      // The walk went backwards, so what it found is turned round, but for the header.
      *first = *next++;
      out.innermost_.data()[*first] = l;
      while (--to != first) {
        *to = *next;
        out.innermost_.data()[*next++] = l;
      }
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
