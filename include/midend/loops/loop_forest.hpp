/// `loop_forest`: the natural loops of a control-flow graph and their queries. `natural_loops.hpp` computes it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/sibling_range.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
class loop_forest_builder;
}

/// The natural loops of a graph, nested in each other.
///
/// A natural loop is a header and all nodes that reach an edge back to it without going through it, where the header
/// dominates the source of that edge. Loops with one header are one loop. Loops are numbered in preorder of the forest:
/// outer before inner, the loops inside a loop directly after it, siblings in an order that depends on the graph and
/// the algorithm. So a loop and the loops inside it are an interval of numbers, and the blocks of a loop are an
/// interval of the array of blocks.
///
/// Irreducible cycles are not natural loops and are not in the forest. Unreachable nodes are in no loop; of their edges
/// only those into a header count, as entering edges. Memory: 4 bytes a node, 4 a block in a loop, about 50 a loop, and
/// 12 to 20 for each backedge, entering and exiting edge, however many loops the edge leaves.
class loop_forest {
public:
  constexpr std::size_t num_nodes() const { return num_nodes_; }

  constexpr std::size_t num_loops() const { return num_loops_; }

  /// All loops, outer before inner.
  constexpr id_range<loop_id> loops() const { return {0, static_cast<loop_id>(num_loops())}; }

  /// `l` and the loops inside it, outer before inner.
  constexpr id_range<loop_id> subloops(loop_id l) const { return {l, l + of(sizes, l)}; }

  /// The loops of depth 1.
  constexpr sibling_range top_level() const {
    const std::uint32_t* const columns = num_loops_ == 0 ? nullptr : column(sizes);
    return detail::siblings(columns, 0, static_cast<loop_id>(num_loops_));
  }

  /// The loops directly inside `l`.
  constexpr sibling_range children(loop_id l) const { return detail::siblings(column(sizes), l + 1, l + of(sizes, l)); }

  /// The loop directly around `l`, or `no_loop`.
  constexpr loop_id parent(loop_id l) const { return of(parents, l); }

  /// 1 for a loop that is not inside another.
  constexpr std::uint32_t depth(loop_id l) const { return of(depths, l); }

  /// The block through which control enters; it dominates the loop.
  constexpr node_id header(loop_id l) const { return of(headers, l); }

  /// The smallest loop around `n`, or `no_loop`.
  constexpr loop_id innermost_loop(node_id n) const {
    MIDEND_ASSERT(n < num_nodes_, "a node of the graph", n, num_nodes_);
    return num_loops_ == 0 ? no_loop : words_.data()[n];
  }

  /// How many loops are around `n`.
  constexpr std::uint32_t loop_depth(node_id n) const {
    return innermost_loop(n) == no_loop ? 0 : depth(innermost_loop(n));
  }

  constexpr bool is_header(node_id n) const { return innermost_loop(n) != no_loop && header(innermost_loop(n)) == n; }

  /// Whether `n` is a block of `l`. O(1).
  constexpr bool contains(loop_id l, node_id n) const {
    MIDEND_ASSERT(l < num_loops_ && n < num_nodes_, "a loop of the forest and a node of the graph", l, n);
    return contains_loop(l, words_.data()[n]);
  }

  /// Whether `inner` is `l` or a loop inside it; false for `no_loop`. O(1).
  constexpr bool contains_loop(loop_id l, loop_id inner) const {
    return inner - l < of(sizes, l); // wraps around for lower numbers and is large for no_loop
  }

  /// The blocks of `l`: the header, the other blocks that are in no inner loop, then, loop by loop, those of the inner
  /// ones.
  constexpr span<const node_id> blocks(loop_id l) const { return blocks_of(l, l + of(sizes, l)); }

  /// The blocks whose innermost loop is `l`; the header is first.
  constexpr span<const node_id> own_blocks(loop_id l) const { return blocks_of(l, l + 1); }

  /// Whether the forest knows the edges of its loops. One that was made with `nesting_only` does not; it must not be
  /// asked any of the following questions.
  constexpr bool has_boundaries() const { return has_boundaries_; }

  /// The edges from blocks of `l` to its header, ascending by source.
  constexpr span<const loop_edge> backedges(loop_id l) const { return slice(backedge_offsets, l); }

  /// The blocks with a backedge, ascending, each once.
  constexpr edge_sources<span<const loop_edge>> latches(loop_id l) const { return detail::sources_of(backedges(l)); }

  /// The only latch, or `no_node` if there are several.
  constexpr node_id single_latch(loop_id l) const { return only_source(backedges(l)); }

  /// The edges into the header from outside, unreachable blocks included, ascending by source.
  constexpr span<const loop_edge> entering_edges(loop_id l) const { return slice(entering_offsets, l); }

  /// The blocks with an entering edge, ascending, each once.
  constexpr edge_sources<span<const loop_edge>> entering_blocks(loop_id l) const {
    return detail::sources_of(entering_edges(l));
  }

  /// The only entering block if the edge to the header is its only edge, else `no_node`. Unreachable entering blocks
  /// count, as they do in LLVM.
  constexpr node_id preheader(loop_id l) const {
    require_boundaries();
    return of(preheaders, l);
  }

  /// The edges from blocks of `l` to blocks outside: grouped by the innermost loop of the source, groups ascending, and
  /// ascending by source within a group. An edge that leaves several loops is in the range of each.
  constexpr exiting_edge_range exiting_edges(loop_id l) const {
    require_boundaries();
    const detail::exit_records exits{edges_.data() + first_exit_, column(blocks_and_reach) + num_blocks_};
    const std::uint32_t first = of(exit_offsets, l);
    const std::uint32_t last = column(exit_offsets)[l + of(sizes, l)];
    return {exiting_edge_iterator(exits, first, last, depth(l)), exiting_edge_iterator(exits, last, last, depth(l))};
  }

  /// The exiting edges whose source is in no loop inside `l`, ascending by source. Over all loops, these are all edges
  /// that leave a loop, each once.
  constexpr span<const loop_edge> own_exiting_edges(loop_id l) const {
    require_boundaries();
    const std::uint32_t first = of(exit_offsets, l);
    const loop_edge* const exits = edges_.data() + first_exit_;
    return {exits + first, exits + column(exit_offsets)[l + std::size_t{1}]};
  }

  /// The blocks with an exiting edge, each once, in the order of `exiting_edges(l)`.
  constexpr edge_sources<exiting_edge_range> exiting_blocks(loop_id l) const {
    return detail::sources_of(exiting_edges(l));
  }

  /// The blocks outside that exiting edges lead to, ascending, each once. O(k log k) for k exiting edges.
  constexpr flat_array<node_id> exit_blocks(loop_id l) const {
    flat_array<node_id> out;
    exit_blocks(l, out);
    return out;
  }

  /// Refills `out` with the exit blocks of `l`.
  constexpr void exit_blocks(loop_id l, flat_array<node_id>& out) const {
    out.clear();
    for (const loop_edge& edge : exiting_edges(l)) {
      out.push_back(edge.target);
    }
    detail::sort_and_deduplicate(out);
  }

  /// Whether all predecessors of each exit block are in `l`; unreachable ones do not count. True if there is no exit.
  constexpr bool has_dedicated_exits(loop_id l) const {
    require_boundaries();
    return of(shared_exit_depths, l) > depth(l);
  }

  /// Whether `l` has no exiting edge: control never leaves it by an edge.
  constexpr bool is_statically_infinite(loop_id l) const {
    require_boundaries();
    return of(exit_depths, l) > depth(l);
  }

  /// The `epoch()` of the graph that the forest was made of.
  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  friend detail::loop_forest_builder;

  // A forest has two arrays, so it takes two allocations; without loops both are empty. The array of words starts with
  // the innermost loop of each node. The columns of loops follow, each of `num_loops() + 1` elements, the last of which
  // is used only in columns of offsets. Then come the blocks and, with boundaries, two words for each exiting edge.
  enum column_id : std::size_t {
    sizes, ///< number of loops in the subtree
    headers,
    parents,
    depths,
    block_offsets,
    num_nesting_columns,
    backedge_offsets = num_nesting_columns,
    entering_offsets,
    exit_offsets, ///< counted from `first_exit_`
    preheaders,
    exit_depths,        ///< how far out an edge from here leads: the least depth of a loop left
    shared_exit_depths, ///< likewise, for edges to blocks with other predecessors than the loop's
    num_all_columns,
    blocks_and_reach
  };

  constexpr std::size_t start_of(column_id c) const {
    const std::size_t columns = has_boundaries_ ? num_all_columns : num_nesting_columns;
    return num_nodes_ + (c == blocks_and_reach ? columns : static_cast<std::size_t>(c)) * (num_loops_ + 1);
  }

  constexpr const std::uint32_t* column(column_id c) const { return words_.data() + start_of(c); }

  constexpr std::uint32_t* column(column_id c) { return words_.data() + start_of(c); }

  constexpr std::uint32_t of(column_id c, loop_id l) const {
    MIDEND_ASSERT(l < num_loops_, "a loop of the forest", l, num_loops_);
    return column(c)[l];
  }

  constexpr span<const node_id> blocks_of(loop_id first, loop_id last) const {
    MIDEND_ASSERT(first < num_loops_, "a loop of the forest", first, num_loops_);
    const node_id* const blocks = column(blocks_and_reach);
    return {blocks + column(block_offsets)[first], blocks + column(block_offsets)[last]};
  }

  constexpr void require_boundaries() const {
    MIDEND_ASSERT(has_boundaries_, "a loop forest that was not made with nesting_only");
  }

  constexpr span<const loop_edge> slice(column_id offsets, loop_id l) const {
    require_boundaries();
    const std::uint32_t first = of(offsets, l);
    return {edges_.data() + first, edges_.data() + column(offsets)[l + std::size_t{1}]};
  }

  static constexpr node_id only_source(span<const loop_edge> edges) {
    return !edges.empty() && edges.front().source == edges.back().source ? edges.front().source : no_node;
  }

  std::uint64_t epoch_ = 0;
  bool has_boundaries_ = true;
  std::size_t num_nodes_ = 0;
  std::size_t num_loops_ = 0;
  std::size_t num_blocks_ = 0;
  std::size_t first_exit_ = 0; ///< in `edges_`
  flat_array<std::uint32_t> words_;
  flat_array<loop_edge> edges_; ///< backedges, entering edges, exiting edges
};

MIDEND_END_NAMESPACE
