/// Natural loops of a control-flow graph.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/search_numbers.hpp"
#include "midend/dominance/detail/tree_of_edges.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/detail/flat_copy.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/detail/loop_drafts.hpp"
#include "midend/loops/detail/loop_forest_builder.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct natural_loop_search;
struct dominators_and_loops_search;
} // namespace detail

/// Memory for loops that are computed again and again.
class natural_loops_workspace {
  friend detail::natural_loop_search;
  friend detail::dominators_and_loops_search;

  detail::arena memory_;
  detail::flat_copy flat_; ///< of a graph that is not a `csr_graph`
};

namespace detail {

/// How much memory a search for loops usually needs.
template <class G> constexpr std::size_t loop_search_bytes(const G& g, std::size_t num_nodes) {
  return 28 * num_nodes + 4 * stack_capacity(g) + 512;
}

/// Ramalingam, "Identifying loops in almost linear time", ACM TOPLAS 21(2), 1999, for natural loops: from inner to
/// outer headers, each draft walks backwards from its latches and takes a draft inside as one node, found by
/// union-find.
struct natural_loop_search {
  static constexpr std::uint32_t none = loop_drafts::none;

  template <bool Boundaries, class G>
  static constexpr void run(const G& g, const dominator_tree& tree, natural_loops_workspace& workspace,
                            loop_forest& out) {
    search<Boundaries>(g, tree, workspace.memory_, workspace.flat_, out);
  }

  template <bool Boundaries, class G> static constexpr loop_forest run(const G& g, const dominator_tree& tree) {
    call_buffer buffer;
    arena memory(buffer);
    copy_if_needed<G> flat;
    loop_forest out;
    search<Boundaries>(g, tree, memory, flat, out);
    return out;
  }

private:
  template <bool Boundaries, class G, class Copy>
  static constexpr void search(const G& g, const dominator_tree& tree, arena& memory, Copy& flat, loop_forest& out) {
    require_tree_of_edges(g, tree);
    memory.reset(loop_search_bytes(g, tree.num_nodes()));
    const span<const edge> backedges = list_backedges(g, tree, memory);
    if (backedges.empty()) {
      loop_forest_builder::clear(tree, Boundaries, out);
    } else {
      build_forest<Boundaries>(g, tree, backedges, memory, flat, out);
    }
  }

  template <bool Boundaries, class G, class Copy>
  MIDEND_NEVER_INLINED static constexpr void build_forest(const G& g, const dominator_tree& tree,
                                                          const span<const edge>& backedges, arena& memory, Copy& flat,
                                                          loop_forest& out) {
    const grouped_backedges groups = group_by_header(backedges, tree, memory);
    loop_drafts drafts;
    if constexpr (Boundaries || !bidirectional_flow_graph<G>) {
      flat.assign(g, Boundaries);
    }
    if constexpr (bidirectional_flow_graph<G>) {
      collect_loops(g, tree, groups, memory, drafts);
    } else {
      collect_loops(flat.graph(), tree, groups, memory, drafts);
    }
    if constexpr (Boundaries) {
      loop_forest_builder::build(flat.graph(), tree, drafts, memory, out);
      loop_forest_builder::restore_edge_ids(flat, out);
    } else {
      loop_forest_builder::build(tree, drafts, out);
    }
  }

  /// The edges whose target dominates their source.
  template <class G>
  static constexpr span<const edge> list_backedges(const G& g, const dominator_tree& tree, arena& memory) {
    arena_stack<edge> found(memory);
    const dominator_tree::dominance_test dominates = tree.test();
    for_each_edge(g, [&](edge_id, node_id source, node_id target) {
      if (dominates(target, source)) [[unlikely]] {
        found.push({source, target});
      }
    });
    return {found.data(), found.size()};
  }

  struct grouped_backedges {
    span<const edge> edges;
    span<std::uint64_t> is_header;  ///< a bit by preorder number in the dominator tree
    std::uint32_t* next;            ///< by edge: another one to the same header, or `none`
    std::uint32_t* first = nullptr; ///< by preorder number too, for headers only: an index of `edges`
    std::uint32_t num_headers = 0;
  };

  /// Sorts the headers by their preorder numbers in the dominator tree, by setting bits, and chains the backedges of
  /// each.
  static constexpr grouped_backedges group_by_header(span<const edge> backedges, const dominator_tree& tree,
                                                     arena& memory) {
    const std::size_t words = (tree.num_reachable() + 63) / 64;
    grouped_backedges groups{.edges = backedges,
                             .is_header = {memory.array(words, std::uint64_t{0}), words},
                             .next = memory.array<std::uint32_t>(backedges.size() + tree.num_reachable())};
    groups.first = groups.next + backedges.size();
    for (std::uint32_t i = 0; i != backedges.size(); ++i) {
      const std::uint32_t number = tree.preorder_number(backedges[i].target);
      std::uint64_t& headers = groups.is_header[number / 64];
      const std::uint64_t bit = std::uint64_t{1} << number % 64;
      const bool is_new = (headers & bit) == 0;
      groups.next[i] = is_new ? none : groups.first[number];
      groups.first[number] = i;
      groups.num_headers += is_new;
      headers |= bit;
    }
    return groups;
  }

  /// A draft for each header, in descending preorder of the dominator tree, in which inner headers come first.
  template <class G>
  static constexpr void collect_loops(const G& g, const dominator_tree& tree, const grouped_backedges& groups,
                                      arena& memory, loop_drafts& drafts) {
    const std::size_t reachable = tree.num_reachable();
    drafts.start(memory, groups.num_headers, reachable);
    drafts.num_backedges = static_cast<std::uint32_t>(groups.edges.size());
    drafts.innermost = memory.array(tree.num_nodes(), none);
    node_id* const pending = memory.array<node_id>(reachable + groups.num_headers);
    node_id* last = drafts.blocks;
    for (std::size_t i = groups.is_header.size(); i-- != 0;) {
      for (std::uint64_t headers = groups.is_header[i]; headers != 0;) {
        const std::size_t bit = 63 - static_cast<std::size_t>(std::countl_zero(headers));
        headers ^= std::uint64_t{1} << bit;
        last = collect_blocks(g, tree, 64 * i + bit, groups, last, pending, drafts);
      }
    }
    drafts.num_blocks = static_cast<std::uint32_t>(last - drafts.blocks);
  }

  /// Appends the blocks of the loop of one header that are in no earlier draft to the list that ends at `last`. The
  /// predecessors of the `pending` blocks, and of headers of inner drafts, are still to be looked at: each block and
  /// each draft once.
  template <class G>
  static constexpr node_id* collect_blocks(const G& g, const dominator_tree& tree, std::size_t header_number,
                                           const grouped_backedges& groups, node_id* last, node_id* pending,
                                           loop_drafts& drafts) {
    std::uint32_t* const draft_of = drafts.innermost;
    const node_id header = tree.preorder()[header_number];
    const std::uint32_t draft = drafts.open(header);
    const node_id* const first = last;
    node_id* top = pending;
    const auto take = [&](node_id n) {
      const std::uint32_t known = draft_of[n];
      if (known == draft) {
        return;
      }
      if (known == none) {
        if (tree.is_reachable(n)) {
          draft_of[n] = draft;
          *last++ = n;
          *top++ = n;
        }
        return;
      }
      const std::uint32_t inner = drafts.outermost(known);
      if (inner != draft) {
        drafts.put_inside(inner, draft);
        *top++ = drafts.header[inner];
      }
    };
    draft_of[header] = draft;
    *last++ = header;
    for (std::uint32_t i = groups.first[header_number]; i != none; i = groups.next[i]) {
      take(groups.edges[i].source);
    }
    while (top != pending) {
      for (const auto predecessor : g.predecessors(*--top)) {
        take(node_in(g, predecessor));
      }
    }
    drafts.own_blocks[draft] = static_cast<std::uint32_t>(last - first);
    return last;
  }
};

} // namespace detail

/// Requests headers, nesting and blocks only, not the edges into, in and out of loops: see
/// `loop_forest::has_boundaries`.
struct nesting_only_t {};

inline constexpr nesting_only_t nesting_only{};

/// The natural loops of `g`, refilling `out`; allocates nothing once workspace and result have seen a graph as large.
///
/// Requires that `tree` is a dominator tree of `g`, by any algorithm. Each of several parallel backedges is listed; a
/// self loop makes a loop of one block; edges out of unreachable blocks count only as entering edges. A graph that has
/// loops and is not a `csr_graph` is copied into the workspace. Near-linear: O((n + m) α(n)) plus O(log depth) for each
/// exiting edge; one walk over the edges if there is no loop.
template <flow_graph_argument G>
constexpr void natural_loops(const G& g, const dominator_tree& tree, natural_loops_workspace& workspace,
                             loop_forest& out) {
  detail::natural_loop_search::run<true>(g, tree, workspace, out);
}

/// Leaves out the boundaries of loops, which take half of the time. A graph with predecessors is not copied.
template <flow_graph_argument G>
constexpr void natural_loops(const G& g, const dominator_tree& tree, nesting_only_t, natural_loops_workspace& workspace,
                             loop_forest& out) {
  detail::natural_loop_search::run<false>(g, tree, workspace, out);
}

/// The natural loops of `g`. Allocates the result, which is two arrays (none, if there are no loops), and for more than
/// about 90 nodes with loops among them one block of memory.
template <flow_graph_argument G> constexpr loop_forest natural_loops(const G& g, const dominator_tree& tree) {
  return detail::natural_loop_search::run<true>(g, tree);
}

/// The natural loops of `g` without their boundaries.
template <flow_graph_argument G>
constexpr loop_forest natural_loops(const G& g, const dominator_tree& tree, nesting_only_t) {
  return detail::natural_loop_search::run<false>(g, tree);
}

/// For the error alone: the arguments were turned.
template <class G, class... Rest> constexpr loop_forest natural_loops(const dominator_tree&, const G&, const Rest&...) {
  static_assert(detail::meant_as_tree<G>, "midend: the graph is the first argument of `natural_loops`, its dominator "
                                          "tree the second");
  return {};
}

/// For the error alone: the third argument is no tag.
template <class G, class Tag>
  requires(!std::same_as<Tag, nesting_only_t>)
constexpr loop_forest natural_loops(const G&, const dominator_tree&, const Tag&) {
  static_assert(
      std::same_as<Tag, nesting_only_t>,
      "midend: the third argument of `natural_loops` is midend::nesting_only, or a workspace that a result follows");
  return {};
}

MIDEND_END_NAMESPACE
