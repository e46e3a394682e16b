/// Natural loops of a control-flow graph.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/detail/loop_boundaries.hpp"
#include "midend/loops/detail/loop_drafts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/work_stack.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory of the loop algorithms.
struct loop_arrays {
  flat_array<edge> backedges;
  flat_array<std::uint32_t> next;      ///< of a backedge: another one to the same header
  flat_array<std::uint64_t> is_header; ///< a bit by dominator preorder number
  flat_array<std::uint32_t> first;     ///< by the same number, for headers only: a backedge to that node
  flat_array<node_id> pending;         ///< blocks and headers of inner drafts whose predecessors are to be looked at
  flat_array<std::uint32_t> draft_of;  ///< by number of a search that finds dominators and loops at once
  loop_drafts drafts;
  loop_boundary_arrays boundaries;
  csr_graph copy;                     ///< of a graph that is no csr_graph
  flat_array<edge_id> original_edges; ///< of the copy: the ids that the graph itself gives to the edges
};

/// Ramalingam, "Identifying loops in almost linear time", ACM TOPLAS 21(2), 1999, for natural loops: from inner to
/// outer headers, each draft walks backwards from its latches and takes a draft inside as one node, found by
/// union-find.
struct loop_search {
  static constexpr std::uint32_t none = loop_drafts::none;

  /// The edges whose target dominates their source.
  template <class G> static constexpr void find_backedges(const G& g, const dominator_tree& tree, loop_arrays& a) {
    work_stack<edge> found(a.backedges);
    const dominator_tree::dominance_test dominates = tree.test();
    for_each_edge(g, [&](edge_id, node_id source, node_id target) {
      if (dominates(target, source)) [[unlikely]] {
        found.push({source, target});
      }
    });
    a.backedges.shrink(found.size());
  }

  /// Sorts the headers by their preorder numbers in the dominator tree, by setting bits, and chains the backedges of
  /// each.
  static constexpr void group_backedges(const dominator_tree& tree, loop_arrays& a) {
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
  }

  /// A draft for each header, in descending preorder of the dominator tree, in which inner headers come first.
  template <class G>
  static constexpr void collect_loops(const G& g, const dominator_tree& tree, loop_arrays& a, std::uint32_t* draft_of) {
    a.drafts.clear();
    a.drafts.blocks.resize_for_overwrite(tree.num_reachable());
    node_id* last = a.drafts.blocks.data();
    for (std::size_t i = a.is_header.size(); i-- != 0;) {
      for (std::uint64_t word = a.is_header[i]; word != 0;) {
        const std::size_t bit = 63 - static_cast<std::size_t>(std::countl_zero(word));
        word ^= std::uint64_t{1} << bit;
        const std::size_t number = 64 * i + bit;
        last = collect_blocks(g, tree, tree.preorder()[number], a.first[number], last, a, draft_of);
      }
    }
    a.drafts.blocks.shrink(static_cast<std::size_t>(last - a.drafts.blocks.data()));
  }

  /// Appends the blocks of the loop of `header` that are in no earlier draft to the list that ends at `last`.
  template <class G>
  static constexpr node_id* collect_blocks(const G& g, const dominator_tree& tree, node_id header,
                                           std::uint32_t first_backedge, node_id* last, loop_arrays& a,
                                           std::uint32_t* draft_of) {
    loop_drafts& drafts = a.drafts;
    work_stack<node_id> pending(a.pending);
    const std::uint32_t draft = drafts.open(header);
    const node_id* const first = last;
    const auto take = [&](node_id n) {
      const std::uint32_t known = draft_of[n];
      if (known == draft) {
        return;
      }
      if (known == none) {
        if (tree.is_reachable(n)) {
          draft_of[n] = draft;
          *last++ = n;
          pending.push(n);
        }
        return;
      }
      const std::uint32_t inner = drafts.outermost(known);
      if (inner != draft) {
        drafts.put_inside(inner, draft);
        pending.push(drafts.header[inner]);
      }
    };
    draft_of[header] = draft;
    *last++ = header;
    for (std::uint32_t i = first_backedge; i != none; i = a.next[i]) {
      take(a.backedges[i].source);
    }
    while (!pending.empty()) {
      auto&& predecessors = g.predecessors(pending.pop());
      const auto end = std::end(predecessors);
      for (auto it = std::begin(predecessors); it != end; ++it) {
        take(static_cast<node_id>(*it));
      }
    }
    drafts.own_blocks[draft] = static_cast<std::uint32_t>(last - first);
    return last;
  }

  template <class G>
  static constexpr void run(const G& g, const dominator_tree& tree, bool boundaries, loop_arrays& a, loop_forest& out) {
    require_tree_of(g, tree);
    loop_forest_builder::clear(tree.num_nodes(), tree.epoch(), boundaries, out);
    find_backedges(g, tree, a);
    if (a.backedges.empty()) {
      return;
    }
    group_backedges(tree, a);
    std::uint32_t* const draft_of = loop_forest_builder::draft_of_node(out);
    if constexpr (bidirectional_flow_graph<G>) {
      collect_loops(g, tree, a, draft_of);
    } else {
      a.copy.assign(g);
      collect_loops(a.copy, tree, a, draft_of);
    }
    loop_forest_builder::build(a.drafts, out);
    if (boundaries) {
      list_boundaries(g, tree, !bidirectional_flow_graph<G>, a, out);
    }
  }

  /// Boundaries list edges by source, so they need in-edges that are sorted: any graph but a `csr_graph` is copied.
  template <class G>
  static constexpr void list_boundaries(const G& g, const dominator_tree& tree, bool copied, loop_arrays& a,
                                        loop_forest& out) {
    if constexpr (std::is_same_v<G, csr_graph>) {
      loop_boundary_builder::build(g, tree, a.boundaries, out);
    } else {
      if (!copied) {
        a.copy.assign(g);
      }
      loop_boundary_builder::build(a.copy, tree, a.boundaries, out);
      if constexpr (edge_indexed_flow_graph<G>) {
        restore_edge_ids(g, a, out);
      }
    }
  }

  template <class G> static constexpr void restore_edge_ids(const G& g, loop_arrays& a, loop_forest& out) {
    a.original_edges.resize_for_overwrite(a.copy.num_edges());
    edge_id copied = 0;
    for_each_edge(g, [&](edge_id e, node_id, node_id) { a.original_edges[copied++] = e; });
    loop_boundary_builder::rename_edges(a.original_edges, out);
  }
};

} // namespace detail

/// Memory for loop computations that are done again and again.
class natural_loops_workspace {
public:
  /// For the algorithms; not part of the interface.
  detail::loop_arrays arrays_;
};

/// Asks for headers, nesting and blocks alone, not for the edges into, in and out of loops: see
/// `loop_forest::has_boundaries`.
struct nesting_only_t {};

inline constexpr nesting_only_t nesting_only{};

/// The natural loops of `g`, refilling `out`; allocates nothing once workspace and result have seen a graph as large.
///
/// Requires that `tree` is a dominator tree of `g`, by whatever algorithm. Parallel backedges are listed each; a
/// self loop makes a loop of one block; edges out of unreachable blocks count only as entering edges. A graph that has
/// loops and is no `csr_graph` is copied into the workspace. Near-linear: O((n + m) α(n))
/// plus O(log depth) for each exiting edge; one pass over the edges if there is no loop.
template <flow_graph G>
constexpr void natural_loops(const G& g, const dominator_tree& tree, natural_loops_workspace& workspace,
                             loop_forest& out) {
  detail::loop_search::run(g, tree, true, workspace.arrays_, out);
}

/// The same without the boundaries of loops, which take half of the time. A graph with predecessors is not copied.
template <flow_graph G>
constexpr void natural_loops(const G& g, const dominator_tree& tree, nesting_only_t, natural_loops_workspace& workspace,
                             loop_forest& out) {
  detail::loop_search::run(g, tree, false, workspace.arrays_, out);
}

/// The natural loops of `g`.
template <flow_graph G> constexpr loop_forest natural_loops(const G& g, const dominator_tree& tree) {
  loop_forest out;
  natural_loops_workspace workspace;
  natural_loops(g, tree, workspace, out);
  return out;
}

/// The natural loops of `g` without their boundaries.
template <flow_graph G> constexpr loop_forest natural_loops(const G& g, const dominator_tree& tree, nesting_only_t) {
  loop_forest out;
  natural_loops_workspace workspace;
  natural_loops(g, tree, nesting_only, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
