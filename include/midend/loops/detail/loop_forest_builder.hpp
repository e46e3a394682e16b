/// Makes a loop forest of drafts: numbers, blocks, and the edges through which control enters a loop, goes round in it
/// and leaves it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
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

  /// `innermost` of the drafts, before the first one.
  static constexpr std::uint32_t* mark_unreachable(const dominator_tree& tree, arena& memory) {
    std::uint32_t* const innermost = memory.array(tree.num_nodes(), loop_drafts::none);
    if (tree.num_reachable() != tree.num_nodes()) {
      for (node_id n = 0; n != tree.num_nodes(); ++n) {
        innermost[n] = tree.is_reachable(n) ? loop_drafts::none : loop_drafts::unreachable;
      }
    }
    return innermost;
  }

  /// The forest of at least one draft, without boundaries.
  static constexpr void build(const dominator_tree& tree, loop_drafts& drafts, loop_forest& out) {
    set_sizes(tree, false, drafts.count, out);
    out.num_blocks_ = drafts.num_blocks;
    out.words_.resize_for_overwrite(out.start_of(loop_forest::blocks_and_reach) + out.num_blocks_);
    out.edges_.clear();
    number_and_list(drafts, out);
  }

  /// The same with boundaries. Reads each edge once, in the order of its source, which is that of the boundaries.
  template <class G>
  static constexpr void build(const G& g, const dominator_tree& tree, loop_drafts& drafts, arena& memory,
                              loop_forest& out) {
    node_flags* const flags = memory.array(tree.num_nodes(), node_flags{});
    const span<loop_edge> listed = list_edges(g, drafts, flags, memory);
    build_with(listed, flags, tree, drafts, memory, out);
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr loop_id unknown_loop = no_loop - 1;

  struct node_flags {
    bool is_entered = false;  ///< by an edge that is not listed
    bool has_several = false; ///< several edges lead out of it
  };

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

  /// The edges into a header, or to a node with another innermost draft: all that enter a loop, go round in it or leave
  /// it. The others are dropped without a branch, which would be hard to predict; their targets are noted.
  template <class G>
  static constexpr span<loop_edge> list_edges(const G& g, const loop_drafts& drafts, node_flags* flags, arena& memory) {
    loop_edge* const listed = memory.array<loop_edge>(count_edges(g) + 1);
    const std::uint32_t* const innermost = drafts.innermost;
    std::size_t count = 0;
    node_id last = no_node;
    for_each_edge(g, [&](edge_id e, node_id source, node_id target) {
      const bool is_inside = (innermost[source] | loop_drafts::not_header) == innermost[target];
      listed[count] = {e, source, target};
      count += !is_inside;
      flags[target].is_entered |= is_inside;
      flags[source].has_several |= source == last;
      last = source;
    });
    return {listed, count};
  }

  MIDEND_NEVER_INLINED static constexpr void build_with(span<loop_edge> listed, const node_flags* flags,
                                                        const dominator_tree& tree, loop_drafts& drafts, arena& memory,
                                                        loop_forest& out) {
    set_sizes(tree, true, drafts.count, out);
    out.num_blocks_ = drafts.num_blocks;
    const std::size_t words = out.start_of(loop_forest::blocks_and_reach) + out.num_blocks_;
    out.words_.resize_for_overwrite(words + 2 * listed.size());
    const forest_columns columns = number_and_list(drafts, out);
    const std::size_t exits =
        loop_forest_builder(flags, tree, columns, memory, out).list_boundaries(drafts.num_backedges, listed);
    out.words_.shrink(words + 2 * exits);
  }

  constexpr loop_forest_builder(const node_flags* flags, const dominator_tree& tree, const forest_columns& columns,
                                arena& memory, loop_forest& out)
      : flags_(flags), tree_(tree), columns_(columns), memory_(memory), out_(out),
        num_loops_(static_cast<loop_id>(out.num_loops_)), backedge_offset_(out.column(loop_forest::backedge_offsets)),
        entering_offset_(out.column(loop_forest::entering_offsets)),
        exit_offset_(out.column(loop_forest::exit_offsets)), exit_depth_(out.column(loop_forest::exit_depths)),
        shared_exit_depth_(out.column(loop_forest::shared_exit_depths)), reach_(columns.blocks + out.num_blocks_),
        jump_(memory.array<loop_id>(out.num_loops_)) {}

  /// Returns the number of exiting edges.
  constexpr std::uint32_t list_boundaries(std::uint32_t num_backedges, span<loop_edge> listed) {
    count_boundaries(num_backedges, listed);
    list_edges_to_headers(listed);
    make_jumps();
    const span<const loop_edge> exits = select_exits(listed);
    place_exits(exits);
    inherit_exits();
    link_shallower(static_cast<std::uint32_t>(exits.size()));
    return static_cast<std::uint32_t>(exits.size());
  }

  constexpr bool contains_loop(loop_id l, loop_id inner) const {
    return inner - l < columns_.size[l]; // see loop_forest::contains_loop
  }

  /// How many edges of each kind a loop has, as the ends of their groups. Backedges come first in the array of edges,
  /// then all entering edges, then those that leave.
  constexpr void count_boundaries(std::uint32_t num_backedges, span<const loop_edge> listed) {
    for (loop_id l = 0; l <= num_loops_; ++l) {
      backedge_offset_[l] = entering_offset_[l] = exit_offset_[l] = 0;
    }
    for (const loop_edge& e : listed) {
      const loop_id from = columns_.innermost[e.source];
      const loop_id to = columns_.innermost[e.target];
      if (to != no_loop && columns_.header[to] == e.target) {
        ++(contains_loop(to, from) ? backedge_offset_ : entering_offset_)[to];
      }
      if (from != no_loop) {
        exit_offset_[from] += !contains_loop(from, to);
      }
    }
    std::uint32_t backedges = 0;
    std::uint32_t entering = num_backedges;
    std::uint32_t exits = 0;
    for (loop_id l = 0; l <= num_loops_; ++l) {
      backedge_offset_[l] = backedges += backedge_offset_[l];
      entering_offset_[l] = entering += entering_offset_[l];
      exit_offset_[l] = exits += exit_offset_[l];
    }
    out_.first_exit_ = entering;
    out_.edges_.resize_for_overwrite(std::size_t{entering} + exits);
  }

  /// An edge to a header is a backedge if it comes from inside, else an entering edge.
  constexpr void list_edges_to_headers(span<const loop_edge> listed) {
    for (std::size_t i = listed.size(); i-- != 0;) {
      const loop_edge e = listed[i];
      const loop_id l = columns_.innermost[e.target];
      if (l != no_loop && columns_.header[l] == e.target) {
        std::uint32_t* const offset =
            contains_loop(l, columns_.innermost[e.source]) ? backedge_offset_ : entering_offset_;
        out_.edges_[--offset[l]] = e;
      }
    }
    node_id* const preheader = out_.column(loop_forest::preheaders);
    for (loop_id l = 0; l != num_loops_; ++l) {
      const std::uint32_t first = entering_offset_[l];
      const node_id only = entering_offset_[l + 1] == first + 1 ? out_.edges_[first].source : no_node;
      preheader[l] = only != no_node && !flags_[only].has_several ? only : no_node;
    }
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

  /// The edges that leave the innermost loop of their source, selected in place. Before that, all are reachable
  /// predecessors of their targets.
  constexpr span<const loop_edge> select_exits(span<loop_edge> listed) {
    spanning_ = memory_.array(out_.num_nodes_, unknown_loop);
    std::size_t found = 0;
    for (const loop_edge e : listed) {
      const loop_id from = columns_.innermost[e.source];
      if (from != no_loop || tree_.is_reachable(e.source)) {
        loop_id& spanning = spanning_[e.target];
        spanning = spanning == unknown_loop || spanning == from ? from : common_loop(spanning, from);
      }
      listed[found] = e;
      found += from != no_loop && !contains_loop(from, columns_.innermost[e.target]);
    }
    return {listed.data(), found};
  }

  /// Groups the exiting edges by loop, and notes how far out each leads.
  constexpr void place_exits(span<const loop_edge> exits) {
    for (loop_id l = 0; l != num_loops_; ++l) {
      exit_depth_[l] = shared_exit_depth_[l] = none;
    }
    loop_edge* const edges = out_.edges_.data() + out_.first_exit_;
    for (std::size_t i = exits.size(); i-- != 0;) {
      const loop_edge e = exits[i];
      const loop_id l = columns_.innermost[e.source];
      const std::uint32_t depth = columns_.depth[outermost_without(l, columns_.innermost[e.target])];
      const std::size_t at = --exit_offset_[l];
      edges[at] = e;
      reach_[2 * at] = depth;
      exit_depth_[l] = min(exit_depth_[l], depth);
      note_shared_exit(l, depth, spanning_loop(e.target));
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

  /// The smallest loop that contains all reachable predecessors of the target of an exiting edge. The sources of edges
  /// that were not listed are in its own innermost loop, or in none if it is in none.
  constexpr loop_id spanning_loop(node_id n) const {
    return flags_[n].is_entered ? common_loop(spanning_[n], columns_.innermost[n]) : spanning_[n];
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

  const node_flags* flags_; ///< by node
  const dominator_tree& tree_;
  forest_columns columns_;
  arena& memory_;
  loop_forest& out_;
  loop_id num_loops_;
  std::uint32_t* backedge_offset_;
  std::uint32_t* entering_offset_;
  std::uint32_t* exit_offset_;
  std::uint32_t* exit_depth_;
  std::uint32_t* shared_exit_depth_;
  std::uint32_t* reach_;        ///< see `exit_records`
  loop_id* jump_;               ///< by loop: an ancestor, for searches upwards
  loop_id* spanning_ = nullptr; ///< by node: the smallest loop with all sources of listed edges in it
};

} // namespace detail

MIDEND_END_NAMESPACE
