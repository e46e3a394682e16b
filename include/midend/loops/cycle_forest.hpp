/// `cycle_forest`: all cycles of a control-flow graph, irreducible ones too, and their queries. `cycles.hpp` computes
/// it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/sibling_range.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A cycle: dense, `0 … num_cycles() - 1`.
using cycle_id = std::uint32_t;

inline constexpr cycle_id no_cycle = 0xffff'ffff;

namespace detail {

struct cycle_forest_builder;

/// An entry of a cycle other than the header of the innermost cycle that the edge enters. It is an entry of the cycles
/// around it whose header the search met later than `from`.
struct entered_block {
  node_id block;
  std::uint32_t
      from; ///< the number of the lowest common ancestor, in the search tree, of this block and the edge's source
};

} // namespace detail

/// The cycles of a graph, nested in each other.
///
/// A cycle is a maximal strongly connected region with an edge inside. Its *header* is the block that a depth-first
/// search from the entry meets first. The cycles directly inside it are the cycles of the region without the header. An
/// *entry* is a block with a reachable predecessor outside the cycle; the header always counts as one, also if it is
/// the entry of the graph and has no such predecessor. A cycle with other entries than the header is irreducible, and
/// the cycles inside it depend on the order of the search. If no cycle is irreducible, the cycles are the natural
/// loops.
///
/// Cycles are numbered in preorder of the forest: outer before inner, the cycles inside a cycle directly after it,
/// siblings in the order in which the search met their headers. So a cycle and the cycles inside it are an interval of
/// numbers, and the blocks of a cycle are an interval of the array of blocks.
///
/// Unreachable nodes are in no cycle, and their edges are ignored. Memory: 4 bytes a node, 4 a block in a cycle,
/// 20 a cycle; if there are irreducible cycles 12 more a cycle, and 8 for each block that is an entry besides headers,
/// however many cycles it is an entry of.
class cycle_forest {
public:
  constexpr std::size_t num_nodes() const { return innermost_.size(); }

  constexpr std::size_t num_cycles() const { return header_.size(); }

  /// All cycles, outer before inner.
  constexpr id_range<cycle_id> cycles() const { return {0, static_cast<cycle_id>(num_cycles())}; }

  /// `c` and the cycles inside it, outer before inner.
  constexpr id_range<cycle_id> subcycles(cycle_id c) const { return {c, c + size_[c]}; }

  /// The cycles of depth 1.
  constexpr sibling_range top_level() const {
    return detail::siblings(size_.data(), 0, static_cast<cycle_id>(num_cycles()));
  }

  /// The cycles directly inside `c`.
  constexpr sibling_range children(cycle_id c) const { return detail::siblings(size_.data(), c + 1, c + size_[c]); }

  /// The cycle directly around `c`, or `no_cycle`.
  constexpr cycle_id parent(cycle_id c) const { return parent_[c]; }

  /// 1 for a cycle that is not inside another.
  constexpr std::uint32_t depth(cycle_id c) const { return depth_[c]; }

  /// The block of `c` that the search met first. It heads no other cycle.
  constexpr node_id header(cycle_id c) const { return header_[c]; }

  /// Whether the header is the only entry of `c`; it then dominates the cycle, which is a natural loop.
  constexpr bool is_reducible(cycle_id c) const { return is_reducible() || entered_from_[c] >= header_number_[c]; }

  /// Whether all cycles have one entry: the reachable part of the graph is reducible.
  constexpr bool is_reducible() const { return entered_.empty(); }

  /// The entries of `c`: the header, then the others, ascending. O(1) if `c` is reducible; otherwise O(k log k) for k
  /// entries, and one step for each block that is an entry of `c` or of a cycle inside it.
  constexpr flat_array<node_id> entries(cycle_id c) const {
    flat_array<node_id> out;
    entries(c, out);
    return out;
  }

  /// Refills `out` with the entries of `c`.
  constexpr void entries(cycle_id c, flat_array<node_id>& out) const {
    out.clear();
    out.push_back(header(c));
    if (is_reducible(c)) {
      return;
    }
    const std::uint32_t end = entered_offset_[c + size_[c]];
    for (std::uint32_t i = entered_offset_[c]; i != end; ++i) {
      if (entered_[i].from < header_number_[c]) {
        out.push_back(entered_[i].block);
      }
    }
    detail::sort(span(out.data() + 1, out.size() - 1));
  }

  /// The smallest cycle around `n`, or `no_cycle`.
  constexpr cycle_id innermost_cycle(node_id n) const { return innermost_[n]; }

  /// How many cycles are around `n`.
  constexpr std::uint32_t cycle_depth(node_id n) const { return innermost_[n] == no_cycle ? 0 : depth_[innermost_[n]]; }

  constexpr bool is_header(node_id n) const { return innermost_[n] != no_cycle && header_[innermost_[n]] == n; }

  /// Whether `n` is a block of `c`. O(1).
  constexpr bool contains(cycle_id c, node_id n) const { return contains_cycle(c, innermost_[n]); }

  /// Whether `inner` is `c` or a cycle inside it; false for `no_cycle`. O(1).
  constexpr bool contains_cycle(cycle_id c, cycle_id inner) const {
    return inner - c < size_[c]; // wraps around for lower numbers and is large for no_cycle
  }

  /// The blocks of `c`: the header, the other blocks that are in no inner cycle, then, cycle by cycle, those of the
  /// inner ones.
  constexpr span<const node_id> blocks(cycle_id c) const { return blocks_of(c, c + size_[c]); }

  /// The blocks whose innermost cycle is `c`; the header is first.
  constexpr span<const node_id> own_blocks(cycle_id c) const { return blocks_of(c, c + 1); }

  /// The `epoch()` of the graph that the forest was made of.
  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  friend detail::cycle_forest_builder;

  constexpr span<const node_id> blocks_of(cycle_id first, cycle_id last) const {
    return {blocks_.data() + block_offset_[first], blocks_.data() + block_offset_[last]};
  }

  std::uint64_t epoch_ = 0;
  flat_array<cycle_id> innermost_; ///< by node

  // By cycle. Offsets have one element more.
  flat_array<node_id> header_;
  flat_array<cycle_id> parent_;
  flat_array<std::uint32_t> depth_;
  flat_array<std::uint32_t> size_; ///< number of cycles in the subtree
  flat_array<std::uint32_t> block_offset_;

  flat_array<node_id> blocks_;

  // Filled if there are irreducible cycles; by cycle, except the last one. A list for each cycle would be quadratic: a
  // block may be an entry of all cycles around it.
  flat_array<std::uint32_t> header_number_; ///< in the search
  flat_array<std::uint32_t> entered_from_;  ///< the least `from` in the subtree
  flat_array<std::uint32_t> entered_offset_;
  flat_array<detail::entered_block> entered_;
};

MIDEND_END_NAMESPACE
