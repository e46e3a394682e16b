/// `loop_forest`: the natural loops of a control-flow graph and their queries. `natural_loops.hpp` computes it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/sibling_range.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/sort.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct loop_forest_builder;
struct loop_boundary_builder;
} // namespace detail

/// The natural loops of a graph, nested in each other.
///
/// A natural loop is a header and all that reaches an edge back to it without passing it, where the header dominates
/// the source of that edge. Loops with the same header are one loop. Loops are numbered in preorder of the forest:
/// outer before inner, the loops inside a loop directly behind it, siblings in an order that graph and
/// algorithm fix. So a loop and the loops inside it are an interval of numbers, and the blocks of a loop
/// are an interval of the array of blocks.
///
/// Irreducible cycles are no natural loops and do not show here. Unreachable nodes are in no loop; of their edges only
/// those into a header count, as entering edges. Memory: 4 bytes a node, 4 a block in a loop, about 50 a loop, and 12
/// to 20 for each backedge, entering and exiting edge, however many loops the edge leaves.
class loop_forest {
public:
  constexpr std::size_t num_nodes() const { return innermost_.size(); }

  constexpr std::size_t num_loops() const { return header_.size(); }

  /// All loops, outer before inner.
  constexpr id_range<loop_id> loops() const { return {0, static_cast<loop_id>(num_loops())}; }

  /// `l` and the loops inside it, outer before inner.
  constexpr id_range<loop_id> subloops(loop_id l) const { return {l, l + size_[l]}; }

  /// The loops of depth 1.
  constexpr sibling_range top_level() const {
    return detail::siblings(size_.data(), 0, static_cast<loop_id>(num_loops()));
  }

  /// The loops directly inside `l`.
  constexpr sibling_range children(loop_id l) const { return detail::siblings(size_.data(), l + 1, l + size_[l]); }

  /// The loop directly around `l`, or `no_loop`.
  constexpr loop_id parent(loop_id l) const { return parent_[l]; }

  /// 1 for a loop that is in no other.
  constexpr std::uint32_t depth(loop_id l) const { return depth_[l]; }

  /// The block through which control enters; it dominates the loop.
  constexpr node_id header(loop_id l) const { return header_[l]; }

  /// The smallest loop around `n`, or `no_loop`.
  constexpr loop_id innermost_loop(node_id n) const { return innermost_[n]; }

  /// How many loops are around `n`.
  constexpr std::uint32_t loop_depth(node_id n) const { return innermost_[n] == no_loop ? 0 : depth_[innermost_[n]]; }

  constexpr bool is_header(node_id n) const { return innermost_[n] != no_loop && header_[innermost_[n]] == n; }

  /// Whether `n` is a block of `l`. O(1).
  constexpr bool contains(loop_id l, node_id n) const { return contains_loop(l, innermost_[n]); }

  /// Whether `inner` is `l` or a loop inside it; false for `no_loop`. O(1).
  constexpr bool contains_loop(loop_id l, loop_id inner) const {
    return inner - l < size_[l]; // wraps around for lower numbers and is large for no_loop
  }

  /// The blocks of `l`: the header, the other blocks that are in no inner loop, then, loop by loop, those of the inner
  /// ones.
  constexpr std::span<const node_id> blocks(loop_id l) const { return blocks_of(l, l + size_[l]); }

  /// The blocks whose innermost loop is `l`; the header is first.
  constexpr std::span<const node_id> own_blocks(loop_id l) const { return blocks_of(l, l + 1); }

  /// Whether the forest knows the edges of its loops. One that was made with `nesting_only` does not; the queries from
  /// here on then break the contract.
  constexpr bool has_boundaries() const { return has_boundaries_; }

  /// The edges from blocks of `l` to its header, ascending by source.
  constexpr std::span<const loop_edge> backedges(loop_id l) const { return slice(backedges_, backedge_offset_, l); }

  /// The blocks with a backedge, ascending, each once.
  constexpr edge_sources<std::span<const loop_edge>> latches(loop_id l) const {
    return detail::sources_of(backedges(l));
  }

  /// The only latch, or `no_node` if there are several.
  constexpr node_id single_latch(loop_id l) const { return only_source(backedges(l)); }

  /// The edges into the header from outside, unreachable blocks included, ascending by source.
  constexpr std::span<const loop_edge> entering_edges(loop_id l) const { return slice(entering_, entering_offset_, l); }

  /// The blocks with an entering edge, ascending, each once.
  constexpr edge_sources<std::span<const loop_edge>> entering_blocks(loop_id l) const {
    return detail::sources_of(entering_edges(l));
  }

  /// The only entering block if the edge to the header is its only edge, else `no_node`. Unreachable entering blocks
  /// count, as they do in LLVM.
  constexpr node_id preheader(loop_id l) const {
    require_boundaries();
    return preheader_[l];
  }

  /// The edges from blocks of `l` to blocks outside: grouped by the innermost loop of the source, groups ascending, and
  /// ascending by source within a group. An edge that leaves several loops is in the range of each.
  constexpr exiting_edge_range exiting_edges(loop_id l) const {
    require_boundaries();
    const std::uint32_t last = exit_offset_[l + size_[l]];
    return {exiting_edge_iterator(exits_.data(), exit_offset_[l], last, depth_[l]),
            exiting_edge_iterator(exits_.data(), last, last, depth_[l])};
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

  /// The same, refilling `out`.
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
    return shared_exit_depth_[l] > depth_[l];
  }

  /// Whether `l` has no exiting edge: control that is in stays in.
  constexpr bool is_statically_infinite(loop_id l) const {
    require_boundaries();
    return exit_depth_[l] > depth_[l];
  }

  /// The `epoch()` of the graph that the forest was made of.
  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  friend detail::loop_forest_builder;
  friend detail::loop_boundary_builder;

  constexpr std::span<const node_id> blocks_of(loop_id first, loop_id last) const {
    return {blocks_.data() + block_offset_[first], blocks_.data() + block_offset_[last]};
  }

  constexpr void require_boundaries() const {
    MIDEND_ASSERT(has_boundaries_, "a loop forest that was not made with nesting_only");
  }

  constexpr std::span<const loop_edge> slice(const flat_array<loop_edge>& edges,
                                             const flat_array<std::uint32_t>& offsets, loop_id l) const {
    require_boundaries();
    return {edges.data() + offsets[l], edges.data() + offsets[l + std::size_t{1}]};
  }

  static constexpr node_id only_source(std::span<const loop_edge> edges) {
    return !edges.empty() && edges.front().source == edges.back().source ? edges.front().source : no_node;
  }

  std::uint64_t epoch_ = 0;
  bool has_boundaries_ = true;
  flat_array<loop_id> innermost_; ///< by node

  // By loop. Offsets have one element more.
  flat_array<node_id> header_;
  flat_array<loop_id> parent_;
  flat_array<std::uint32_t> depth_;
  flat_array<std::uint32_t> size_; ///< number of loops in the subtree
  flat_array<std::uint32_t> block_offset_;
  flat_array<std::uint32_t> backedge_offset_;
  flat_array<std::uint32_t> entering_offset_;
  flat_array<std::uint32_t> exit_offset_;
  flat_array<node_id> preheader_;
  flat_array<std::uint32_t> exit_depth_; ///< how far out an edge from here leads: the least depth of a loop left
  flat_array<std::uint32_t>
      shared_exit_depth_; ///< the same, of edges to blocks with other predecessors than the loop's

  flat_array<node_id> blocks_;
  flat_array<loop_edge> backedges_;
  flat_array<loop_edge> entering_;
  flat_array<detail::exit_record> exits_;
};

MIDEND_END_NAMESPACE
