/// Loops while they are being found, and the numbers and blocks of the forest that is made of them.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/support/detail/arena.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Loops before they have their numbers. Drafts are made from inner to outer, as the algorithms find loops: when the
/// walk from a latch back to a header meets a block of an earlier draft, the outermost draft around it is inside the
/// new one.
struct loop_drafts {
  static constexpr std::uint32_t none = 0xffff'ffff;

  std::uint32_t count = 0;
  std::uint32_t num_blocks = 0;
  std::uint32_t num_backedges = 0;
  node_id* blocks = nullptr;             ///< draft by draft, the header first; only those in no earlier draft
  node_id* header = nullptr;             ///< by draft, as all from here on
  std::uint32_t* parent = nullptr;       ///< the draft around
  std::uint32_t* around = nullptr;       ///< a draft around, further out: union-find with path halving
  std::uint32_t* own_blocks = nullptr;   ///< how many `blocks` it has, set by the search
  std::uint32_t* loops_inside = nullptr; ///< itself included
  std::uint32_t* next_number = nullptr;
  loop_id* number = nullptr;
  std::uint32_t* innermost = nullptr; ///< by node: the draft that has it as own block, or `none`; for boundaries only

  /// Makes room for at most `drafts` drafts, with at most `blocks_in_drafts` blocks.
  constexpr void start(arena& memory, std::size_t drafts, std::size_t blocks_in_drafts) {
    count = 0;
    num_blocks = 0;
    header = memory.array<std::uint32_t>(7 * drafts + blocks_in_drafts);
    parent = header + drafts;
    around = parent + drafts;
    own_blocks = around + drafts;
    loops_inside = own_blocks + drafts;
    next_number = loops_inside + drafts;
    number = next_number + drafts;
    blocks = number + drafts;
  }

  constexpr std::uint32_t open(node_id its_header) {
    const std::uint32_t draft = count++;
    header[draft] = its_header;
    parent[draft] = none;
    around[draft] = draft;
    own_blocks[draft] = 0;
    loops_inside[draft] = 1;
    return draft;
  }

  constexpr std::uint32_t outermost(std::uint32_t draft) {
    while (around[draft] != draft) {
      around[draft] = around[around[draft]];
      draft = around[draft];
    }
    return draft;
  }

  constexpr void put_inside(std::uint32_t inner, std::uint32_t draft) { parent[inner] = around[inner] = draft; }
};

/// The columns of a forest, of loops or of cycles, that the drafts decide.
struct forest_columns {
  loop_id* innermost; ///< by node, `no_loop` everywhere at first
  node_id* header;    ///< by loop, as the next four; the offsets have one element more
  loop_id* parent;
  std::uint32_t* depth;
  std::uint32_t* size;
  std::uint32_t* block_offset;
  node_id* blocks;
};

/// Numbers the drafts, backwards, so from outer to inner: each parent hands out intervals of numbers.
constexpr void number_drafts(loop_drafts& drafts, const forest_columns& out) {
  const std::uint32_t count = drafts.count;
  for (std::uint32_t draft = 0; draft != count; ++draft) {
    if (drafts.parent[draft] != loop_drafts::none) {
      drafts.loops_inside[drafts.parent[draft]] += drafts.loops_inside[draft];
    }
  }
  loop_id next_top_level = 0;
  for (std::uint32_t draft = count; draft-- != 0;) {
    const std::uint32_t parent = drafts.parent[draft];
    const bool is_top_level = parent == loop_drafts::none;
    loop_id& next = is_top_level ? next_top_level : drafts.next_number[parent];
    const loop_id l = next;
    next += drafts.loops_inside[draft];
    drafts.number[draft] = l;
    drafts.next_number[draft] = l + 1;
    out.header[l] = drafts.header[draft]; // becomes a node when the blocks are listed
    out.parent[l] = is_top_level ? no_loop : drafts.number[parent];
    out.depth[l] = is_top_level ? 1 : out.depth[drafts.number[parent]] + 1;
    out.size[l] = drafts.loops_inside[draft];
    out.block_offset[l] = drafts.own_blocks[draft];
  }
}

/// Lists the blocks of each loop, and gives them their innermost loop. `node_of` gives the node of what drafts call a
/// block.
template <class NodeOf>
constexpr void list_blocks(const loop_drafts& drafts, NodeOf node_of, const forest_columns& out) {
  std::uint32_t total = 0;
  for (std::uint32_t l = 0; l != drafts.count; ++l) {
    const std::uint32_t own = out.block_offset[l];
    out.block_offset[l] = total;
    total += own;
  }
  out.block_offset[drafts.count] = total;
  const std::uint32_t* next = drafts.blocks;
  for (std::uint32_t draft = 0; draft != drafts.count; ++draft) {
    const loop_id l = drafts.number[draft];
    node_id* const first = out.blocks + out.block_offset[l];
    node_id* to = out.blocks + out.block_offset[l + std::size_t{1}];
    *first = out.header[l] = node_of(*next++);
    out.innermost[*first] = l;
    while (--to != first) { // the walk went backwards, so the blocks are listed in reverse
      *to = node_of(*next++);
      out.innermost[*to] = l;
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
