/// Makes a loop forest of drafts: numbers, blocks, and the edges through which control enters a loop, goes round in it
/// and leaves it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/detail/flat_copy.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/detail/loop_drafts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Each edge of a boundary is stored once, however many loops it leaves, which keeps memory and time linear on nests of
/// any depth.
class loop_forest_builder {
public:
  /// A forest without loops.
  static constexpr void clear(const dominator_tree& tree, bool boundaries, loop_forest& out) {
    set_sizes(tree, boundaries, 0, out);
    out.words_.clear();
    out.edges_.clear();
  }

  /// The forest of at least one draft, without boundaries.
  static constexpr void build(const dominator_tree& tree, loop_drafts& drafts, loop_forest& out) {
    set_sizes(tree, false, drafts.count, out);
    out.num_blocks_ = drafts.num_blocks;
    out.words_.resize_for_overwrite(out.start_of(loop_forest::blocks_and_reach) + out.num_blocks_);
    out.edges_.clear();
    number_and_list(drafts, out);
  }

  /// Builds the forest with boundaries. They list edges by source, so they need the sorted in-edges of a `csr_graph`.
  static constexpr void build(const csr_graph& g, const dominator_tree& tree, loop_drafts& drafts, arena& memory,
                              loop_forest& out) {
    set_sizes(tree, true, drafts.count, out);
    out.num_blocks_ = drafts.num_blocks;
    std::size_t to_headers = 0;
    for (std::uint32_t draft = 0; draft != drafts.count; ++draft) {
      to_headers += g.predecessors(drafts.header[draft]).size();
    }
    const span<edge_id> changes = list_changes(g, drafts, memory);
    const std::size_t words = out.start_of(loop_forest::blocks_and_reach) + out.num_blocks_;
    out.words_.resize_for_overwrite(words + 2 * changes.size());
    out.edges_.resize_for_overwrite(to_headers + changes.size());
    const forest_columns columns = number_and_list(drafts, out);
    const std::size_t exits =
        loop_forest_builder(g, tree, columns, memory, out).list_boundaries(drafts.num_backedges, changes);
    out.words_.shrink(words + 2 * exits);
    out.edges_.shrink(to_headers + exits);
  }

  /// Gives the edges of the boundaries the ids that they have in the graph that was copied.
  template <class Copy> static constexpr void restore_edge_ids(const Copy& copy, loop_forest& out) {
    if (copy.renames_edges()) {
      for (loop_edge& e : out.edges_) {
        e.id = copy.original_edge(e.id);
      }
    }
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr loop_id unknown_loop = no_loop - 1;

  static constexpr void set_sizes(const dominator_tree& tree, bool boundaries, std::size_t loops, loop_forest& out) {
    out.epoch_ = tree.epoch();
    out.has_boundaries_ = boundaries;
    out.num_nodes_ = tree.num_nodes();
    out.num_loops_ = loops;
  }

  static constexpr forest_columns number_and_list(loop_drafts& drafts, loop_forest& out) {
    const forest_columns columns{.innermost = out.words_.data(),
                                 .header = out.column(loop_forest::headers),
                                 .parent = out.column(loop_forest::parents),
                                 .depth = out.column(loop_forest::depths),
                                 .size = out.column(loop_forest::sizes),
                                 .block_offset = out.column(loop_forest::block_offsets),
                                 .blocks = out.column(loop_forest::blocks_and_reach)};
    for (std::size_t n = 0; n != out.num_nodes_; ++n) {
      columns.innermost[n] = no_loop;
    }
    number_drafts(drafts, columns);
    list_blocks(drafts, [](node_id n) { return n; }, columns);
    return columns;
  }

  /// The edges to a node with another innermost draft: all that leave a loop, and those that only enter one. In the
  /// order of their ids; the others are dropped without a branch, which would be hard to predict.
  static constexpr span<edge_id> list_changes(const csr_graph& g, const loop_drafts& drafts, arena& memory) {
    edge_id* const changes = memory.array<edge_id>(g.num_edges() + 1);
    const std::uint32_t* const innermost = drafts.innermost;
    std::size_t count = 0;
    for_each_edge(g, [&](edge_id e, node_id source, node_id target) {
      const std::uint32_t from = innermost[source];
      const std::uint32_t to = innermost[target];
      changes[count] = e;
      count += from != to;
    });
    return {changes, count};
  }

  constexpr loop_forest_builder(const csr_graph& g, const dominator_tree& tree, const forest_columns& columns,
                                arena& memory, loop_forest& out)
      : g_(g), tree_(tree), columns_(columns), memory_(memory), out_(out),
        num_loops_(static_cast<loop_id>(out.num_loops_)), exit_offset_(out.column(loop_forest::exit_offsets)),
        exit_depth_(out.column(loop_forest::exit_depths)),
        shared_exit_depth_(out.column(loop_forest::shared_exit_depths)), reach_(columns.blocks + out.num_blocks_),
        jump_(memory.array<loop_id>(out.num_loops_)) {}

  /// Returns the number of exiting edges.
  constexpr std::uint32_t list_boundaries(std::uint32_t num_backedges, span<edge_id> changes) {
    list_edges_to_headers(num_backedges);
    make_jumps();
    const span<const edge_id> exits = select_exits(changes);
    place_exits(exits);
    inherit_exits();
    link_shallower(static_cast<std::uint32_t>(exits.size()));
    return static_cast<std::uint32_t>(exits.size());
  }

  constexpr bool contains_loop(loop_id l, loop_id inner) const {
    return inner - l < columns_.size[l]; // see loop_forest::contains_loop
  }

  /// An edge to a header is a backedge if it comes from inside, else an entering edge. Backedges come first in the
  /// array of edges, then all entering edges.
  constexpr void list_edges_to_headers(std::uint32_t num_backedges) {
    std::uint32_t* const backedge_offset = out_.column(loop_forest::backedge_offsets);
    std::uint32_t* const entering_offset = out_.column(loop_forest::entering_offsets);
    node_id* const preheader = out_.column(loop_forest::preheaders);
    loop_edge* const edges = out_.edges_.data();
    std::uint32_t backedge = 0;
    std::uint32_t entering = num_backedges;
    for (loop_id l = 0; l != num_loops_; ++l) {
      const node_id header = columns_.header[l];
      const std::uint32_t first_entering = entering;
      backedge_offset[l] = backedge;
      entering_offset[l] = entering;
      const edge_id* e = g_.in_edges(header).data();
      for (const node_id source : g_.predecessors(header)) {
        edges[contains_loop(l, columns_.innermost[source]) ? backedge++ : entering++] = {*e++, source, header};
      }
      const bool is_preheader =
          entering == first_entering + 1 && g_.successors(edges[first_entering].source).size() == 1;
      preheader[l] = is_preheader ? edges[first_entering].source : no_node;
    }
    backedge_offset[num_loops_] = backedge;
    entering_offset[num_loops_] = entering;
    out_.first_exit_ = entering;
  }

  /// Jump pointers (Myers, "An applicative random-access stack", IPL 17, 1983): with one extra ancestor a loop,
  /// searches upwards take O(log depth).
  constexpr void make_jumps() {
    for (loop_id l = 0; l != num_loops_; ++l) {
      const loop_id parent = columns_.parent[l];
      if (parent == no_loop) {
        jump_[l] = l;
        continue;
      }
      const loop_id far = jump_[parent];
      const loop_id further = jump_[far];
      const bool equal_leaps =
          columns_.depth[parent] - columns_.depth[far] == columns_.depth[far] - columns_.depth[further];
      jump_[l] = equal_leaps ? further : parent;
    }
  }

  /// The outermost loop around `l`, itself included, that does not contain the loop `inside`, which `l` does not
  /// either.
  constexpr loop_id outermost_without(loop_id l, loop_id inside) const {
    for (;;) {
      const loop_id parent = columns_.parent[l];
      if (parent == no_loop || contains_loop(parent, inside)) {
        return l;
      }
      l = contains_loop(jump_[l], inside) ? parent : jump_[l];
    }
  }

  /// The smallest loop that contains both, or `no_loop`.
  constexpr loop_id common_loop(loop_id l, loop_id other) const {
    if (l == no_loop || contains_loop(l, other)) {
      return l;
    }
    return columns_.parent[outermost_without(l, other)];
  }

  /// The edges that leave the innermost loop of their source, selected in place, and how many each loop has.
  constexpr span<const edge_id> select_exits(span<edge_id> changes) {
    for (loop_id l = 0; l <= num_loops_; ++l) {
      exit_offset_[l] = 0;
    }
    std::size_t found = 0;
    for (const edge_id e : changes) {
      const loop_id from = columns_.innermost[g_.edge_source(e)];
      if (from == no_loop) {
        continue;
      }
      const bool leaves = !contains_loop(from, columns_.innermost[g_.edge_target(e)]);
      changes[found] = e;
      found += leaves;
      exit_offset_[from] += leaves;
    }
    return {changes.data(), found};
  }

  /// Groups the exiting edges by loop, and notes how far out each leads.
  constexpr void place_exits(span<const edge_id> exits) {
    std::uint32_t total = 0;
    for (loop_id l = 0; l <= num_loops_; ++l) {
      exit_offset_[l] = total += exit_offset_[l];
    }
    for (loop_id l = 0; l != num_loops_; ++l) {
      exit_depth_[l] = shared_exit_depth_[l] = none;
    }
    spanning_ = memory_.array(exits.empty() ? 0 : out_.num_nodes_, unknown_loop);
    loop_edge* const edges = out_.edges_.data() + out_.first_exit_;
    for (std::size_t i = exits.size(); i-- != 0;) {
      const edge_id e = exits[i];
      const node_id source = g_.edge_source(e);
      const node_id target = g_.edge_target(e);
      const loop_id l = columns_.innermost[source];
      const std::uint32_t depth = columns_.depth[outermost_without(l, columns_.innermost[target])];
      const std::size_t at = --exit_offset_[l];
      edges[at] = {e, source, target};
      reach_[2 * at] = depth;
      exit_depth_[l] = min(exit_depth_[l], depth);
      note_shared_exit(l, depth, spanning_loop(target, l));
    }
  }

  /// An edge that leaves a loop also leaves those around it, as far out as it leads.
  constexpr void inherit_exits() {
    for (loop_id l = num_loops_; l-- != 0;) {
      if (const loop_id parent = columns_.parent[l]; parent != no_loop) {
        exit_depth_[parent] = min(exit_depth_[parent], exit_depth_[l]);
        shared_exit_depth_[parent] = min(shared_exit_depth_[parent], shared_exit_depth_[l]);
      }
    }
  }

  /// An exit block is dedicated for the loops that contain all its predecessors, so for those around `spanning`. The
  /// edge leaves the loops from `l` out to the depth given.
  constexpr void note_shared_exit(loop_id l, std::uint32_t depth, loop_id spanning) {
    if (spanning != l) {
      const std::uint32_t below = spanning == no_loop ? 1 : columns_.depth[spanning] + 1;
      shared_exit_depth_[l] = min(shared_exit_depth_[l], max(below, depth));
    }
  }

  /// The smallest loop that contains all reachable predecessors of `n`, one of which is in `l`; computed once for each
  /// node that has several.
  constexpr loop_id spanning_loop(node_id n, loop_id l) {
    const span<const node_id> predecessors = g_.predecessors(n);
    if (predecessors.size() == 1) {
      return l;
    }
    if (spanning_[n] == unknown_loop) {
      loop_id common = l;
      for (const node_id p : predecessors) {
        if (columns_.innermost[p] != common && tree_.is_reachable(p)) {
          common = common_loop(common, columns_.innermost[p]);
        }
      }
      spanning_[n] = common;
    }
    return spanning_[n];
  }

  /// All nearest smaller values, from the right, in linear time.
  constexpr void link_shallower(std::uint32_t count) {
    const exit_records exits{out_.edges_.data() + out_.first_exit_, reach_};
    for (std::uint32_t i = count; i-- != 0;) {
      std::uint32_t next = i + 1;
      while (next < count && exits.outermost_depth(next) >= exits.outermost_depth(i)) {
        next = exits.next_shallower(next);
      }
      reach_[2 * std::size_t{i} + 1] = next;
    }
  }

  const csr_graph& g_;
  const dominator_tree& tree_;
  forest_columns columns_;
  arena& memory_;
  loop_forest& out_;
  loop_id num_loops_;
  std::uint32_t* exit_offset_;
  std::uint32_t* exit_depth_;
  std::uint32_t* shared_exit_depth_;
  std::uint32_t* reach_;        ///< see `exit_records`
  loop_id* jump_;               ///< by loop: an ancestor, for searches upwards
  loop_id* spanning_ = nullptr; ///< by node: the smallest loop with all predecessors in it
};

} // namespace detail

MIDEND_END_NAMESPACE
