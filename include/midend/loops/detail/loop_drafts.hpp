/// Loops while they are being found, and the forest made of them.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Loops before they have their numbers. Drafts are made from inner to outer, as the algorithms find loops: when the
/// walk from a latch back to a header meets a block of an earlier draft, the outermost draft around it is inside the
/// new one.
struct loop_drafts {
  static constexpr std::uint32_t none = 0xffff'ffff;

  flat_array<node_id> blocks;             ///< draft by draft, the header first; only those in no earlier draft
  flat_array<node_id> header;             ///< by draft, as all from here on
  flat_array<std::uint32_t> parent;       ///< the draft around
  flat_array<std::uint32_t> around;       ///< a draft around, further out: union-find with path halving
  flat_array<std::uint32_t> own_blocks;   ///< how many `blocks` it has
  flat_array<std::uint32_t> loops_inside; ///< itself included
  flat_array<std::uint32_t> next_number;
  flat_array<loop_id> number;

  constexpr void clear() {
    for (flat_array<std::uint32_t>* by_draft : {&header, &parent, &around, &own_blocks, &blocks}) {
      by_draft->clear();
    }
  }

  constexpr std::uint32_t open(node_id its_header) {
    const auto draft = static_cast<std::uint32_t>(header.size());
    header.push_back(its_header);
    parent.push_back(none);
    around.push_back(draft);
    own_blocks.push_back(0);
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

/// Makes loops of drafts; cycles, too, whose forest has the same columns.
struct loop_forest_builder {
  static constexpr std::uint32_t none = loop_drafts::none;

  /// A forest without loops.
  static constexpr void clear(std::size_t num_nodes, std::uint64_t epoch, bool boundaries, loop_forest& out) {
    out.epoch_ = epoch;
    out.has_boundaries_ = boundaries;
    out.innermost_.assign(num_nodes, no_loop);
    out.header_.clear();
  }

  /// Where a search may keep the innermost draft of each node, `none` at first, until `build` turns drafts into loops.
  static constexpr std::uint32_t* draft_of_node(loop_forest& out) { return out.innermost_.data(); }

  /// A template as what it calls is: clang wants those instantiated before a constant expression gets here.
  template <class Forest> static constexpr void build(loop_drafts& drafts, Forest& out) {
    number_drafts(drafts, out);
    list_blocks(drafts, [](node_id n) { return n; }, out);
  }

  /// Backwards over the drafts, so from outer to inner: each parent hands out intervals of numbers.
  template <class Forest> static constexpr void number_drafts(loop_drafts& drafts, Forest& out) {
    const std::size_t count = drafts.header.size();
    drafts.loops_inside.assign(count, 1);
    for (std::uint32_t draft = 0; draft != count; ++draft) {
      if (drafts.parent[draft] != none) {
        drafts.loops_inside[drafts.parent[draft]] += drafts.loops_inside[draft];
      }
    }
    for (flat_array<std::uint32_t>* by_loop :
         {&out.header_, &out.parent_, &out.depth_, &out.size_, &drafts.number, &drafts.next_number}) {
      by_loop->resize_for_overwrite(count);
    }
    out.block_offset_.resize_for_overwrite(count + 1);
    loop_id next_top_level = 0;
    for (std::size_t draft = count; draft-- != 0;) {
      const std::uint32_t parent = drafts.parent[draft];
      loop_id& next = parent == none ? next_top_level : drafts.next_number[parent];
      const loop_id l = next;
      next += drafts.loops_inside[draft];
      drafts.number[draft] = l;
      drafts.next_number[draft] = l + 1;
      out.header_[l] = drafts.header[draft]; // to become a node with the blocks
      out.parent_[l] = parent == none ? no_loop : drafts.number[parent];
      out.depth_[l] = parent == none ? 1 : out.depth_[drafts.number[parent]] + 1;
      out.size_[l] = drafts.loops_inside[draft];
      out.block_offset_[l] = drafts.own_blocks[draft];
    }
  }

  /// `node_of` gives the node for what drafts call a block.
  template <class Forest, class NodeOf>
  static constexpr void list_blocks(const loop_drafts& drafts, NodeOf node_of, Forest& out) {
    const std::size_t count = drafts.header.size();
    std::uint32_t total = 0;
    for (std::size_t l = 0; l != count; ++l) {
      const std::uint32_t own = out.block_offset_[l];
      out.block_offset_[l] = total;
      total += own;
    }
    out.block_offset_[count] = total;
    out.blocks_.resize_for_overwrite(total);
    loop_id* const innermost = out.innermost_.data();
    const std::uint32_t* next = drafts.blocks.data();
    for (std::size_t draft = 0; draft != count; ++draft) {
      const loop_id l = drafts.number[draft];
      node_id* const first = out.blocks_.data() + out.block_offset_[l];
      node_id* to = out.blocks_.data() + out.block_offset_[l + std::size_t{1}];
      *first = out.header_[l] = node_of(*next++);
      innermost[*first] = l;
      while (--to != first) { // the walk went backwards, so what it found is turned round
        *to = node_of(*next++);
        innermost[*to] = l;
      }
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
