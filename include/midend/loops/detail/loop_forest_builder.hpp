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
    bool* const is_entered = memory.array(tree.num_nodes(), false);
    const span<const loop_edge> listed = list_edges(g, drafts, is_entered, memory);
    build_with(listed, is_entered, tree, drafts, memory, out);
    node_id* const preheaders = out.column(loop_forest::preheaders);
    for (loop_id l = 0; l != drafts.count; ++l) {
      preheaders[l] = preheaders[l] != no_node && has_one_successor(g, preheaders[l]) ? preheaders[l] : no_node;
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

  /// The edges into a header, or to a node with another innermost draft: all that enter a loop, go round in it or leave
  /// it. The others are dropped without a branch, which would be hard to predict; their targets are noted.
  template <class G>
  static constexpr span<const loop_edge> list_edges(const G& g, const loop_drafts& drafts, bool* is_entered,
                                                    arena& memory) {
    loop_edge* const listed = memory.array<loop_edge>(count_edges(g) + 1);
    const std::uint32_t* const innermost = drafts.innermost;
    std::size_t count = 0;
    for_each_edge(g, [&](edge_id e, node_id source, node_id target) {
      const bool is_inside = (innermost[source] | loop_drafts::not_header) == innermost[target];
      listed[count] = {e, source, target};
      count += !is_inside;
      is_entered[target] |= is_inside;
    });
    return {listed, count};
  }

  template <class G> static constexpr bool has_one_successor(const G& g, node_id n) {
    auto&& successors = g.successors(n);
    auto it = std::begin(successors);
    return ++it == std::end(successors);
  }

  MIDEND_NEVER_INLINED static constexpr void build_with(span<const loop_edge> listed, const bool* is_entered,
                                                        const dominator_tree& tree, loop_drafts& drafts, arena& memory,
                                                        loop_forest& out) {
    set_sizes(tree, true, drafts.count, out);
    out.num_blocks_ = drafts.num_blocks;
    const std::size_t words = out.start_of(loop_forest::blocks_and_reach) + out.num_blocks_;
    out.words_.resize_for_overwrite(words + 2 * listed.size());
    const forest_columns columns = number_and_list(drafts, out);
    loop_forest_builder builder(listed, is_entered, tree, columns, memory, out);
    builder.list_boundaries(drafts.num_backedges);
    out.words_.shrink(words + 2 * std::size_t{builder.num_exits_});
  }

  constexpr loop_forest_builder(span<const loop_edge> listed, const bool* is_entered, const dominator_tree& tree,
                                const forest_columns& columns, arena& memory, loop_forest& out)
      : listed_(listed), is_entered_(is_entered), tree_(tree), columns_(columns), out_(out),
        num_loops_(static_cast<loop_id>(out.num_loops_)), backedge_offset_(out.column(loop_forest::backedge_offsets)),
        entering_offset_(out.column(loop_forest::entering_offsets)),
        exit_offset_(out.column(loop_forest::exit_offsets)), exit_depth_(out.column(loop_forest::exit_depths)),
        shared_exit_depth_(out.column(loop_forest::shared_exit_depths)), reach_(columns.blocks + out.num_blocks_),
        jump_(memory.array<loop_id>(out.num_loops_)), next_(memory.array<next_edges>(listed.size())),
        spanning_(memory.array(out.num_nodes_, unknown_loop)) {}

  constexpr void list_boundaries(std::uint32_t num_backedges) {
    make_jumps();
    chain_edges();
    out_.first_exit_ = num_to_headers_;
    out_.edges_.resize_for_overwrite(std::size_t{num_to_headers_} + num_exits_);
    list_chains(num_backedges);
    inherit_exits();
    link_shallower(num_exits_);
  }

  constexpr bool contains_loop(loop_id l, loop_id inner) const {
    return inner - l < columns_.size[l]; // see loop_forest::contains_loop
  }

  /// Chains the listed edges to each header, and those that leave each innermost loop. Until the chains are listed, the
  /// columns of offsets have their first edges.
  constexpr void chain_edges() {
    std::uint32_t* const first_to_header = backedge_offset_;
    std::uint32_t* const first_exit = exit_offset_;
    for (loop_id l = 0; l != num_loops_; ++l) {
      first_to_header[l] = first_exit[l] = none;
    }
    const loop_edge* const listed = listed_.data();
    std::uint32_t to_headers = 0;
    std::uint32_t exits = 0;
    for (auto i = static_cast<std::uint32_t>(listed_.size()); i-- != 0;) {
      const auto [id, source, target] = listed[i];
      const loop_id from = columns_.innermost[source];
      const loop_id to = columns_.innermost[target];
      if (to != no_loop && columns_.header[to] == target) {
        next_[i].to_header = first_to_header[to];
        first_to_header[to] = i;
        ++to_headers;
      }
      if (from != no_loop || tree_.is_reachable(source)) {
        const loop_id known = spanning_[target];
        spanning_[target] = known == unknown_loop || known == from ? from : common_loop(known, from);
      }
      if (from != no_loop && !contains_loop(from, to)) {
        next_[i].exit = first_exit[from];
        first_exit[from] = i;
        ++exits;
      }
    }
    num_to_headers_ = to_headers;
    num_exits_ = exits;
  }

  /// Backedges come first in the array of edges, then all entering edges, then those that leave.
  constexpr void list_chains(std::uint32_t num_backedges) {
    const loop_edge* const listed = listed_.data();
    loop_edge* const edges = out_.edges_.data();
    node_id* const preheader = out_.column(loop_forest::preheaders);
    std::uint32_t backedge = 0;
    std::uint32_t entering = num_backedges;
    std::uint32_t exit = 0;
    for (loop_id l = 0; l != num_loops_; ++l) {
      std::uint32_t to_header = backedge_offset_[l];
      std::uint32_t leaving = exit_offset_[l];
      const std::uint32_t first_entering = entering;
      backedge_offset_[l] = backedge;
      entering_offset_[l] = entering;
      exit_offset_[l] = exit;
      for (; to_header != none; to_header = next_[to_header].to_header) {
        const bool is_backedge = contains_loop(l, columns_.innermost[listed[to_header].source]);
        edges[is_backedge ? backedge++ : entering++] = listed[to_header];
      }
      // The only entering block; whether it is a preheader, the graph will tell.
      preheader[l] = entering == first_entering + 1 ? edges[first_entering].source : no_node;
      exit_depth_[l] = shared_exit_depth_[l] = none;
      for (; leaving != none; leaving = next_[leaving].exit) {
        edges[num_to_headers_ + exit] = listed[leaving];
        note_exit(l, listed[leaving].target, exit++);
      }
    }
    backedge_offset_[num_loops_] = backedge;
    entering_offset_[num_loops_] = entering;
    exit_offset_[num_loops_] = exit;
  }

  /// How far out exit number `at` leads, from `l` to `target`.
  constexpr void note_exit(loop_id l, node_id target, std::size_t at) {
    const std::uint32_t depth = columns_.depth[outermost_without(l, columns_.innermost[target])];
    reach_[2 * at] = depth;
    exit_depth_[l] = min(exit_depth_[l], depth);
    note_shared_exit(l, depth, spanning_loop(target));
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
    return is_entered_[n] ? common_loop(spanning_[n], columns_.innermost[n]) : spanning_[n];
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

  /// By listed edge: the next one to the same header, and the next one that leaves the same loop.
  struct next_edges {
    std::uint32_t to_header;
    std::uint32_t exit;
  };

  span<const loop_edge> listed_;
  const bool* is_entered_; ///< by node: by an edge that is not listed
  const dominator_tree& tree_;
  forest_columns columns_;
  loop_forest& out_;
  loop_id num_loops_;
  std::uint32_t* backedge_offset_;
  std::uint32_t* entering_offset_;
  std::uint32_t* exit_offset_;
  std::uint32_t* exit_depth_;
  std::uint32_t* shared_exit_depth_;
  std::uint32_t* reach_; ///< see `exit_records`
  loop_id* jump_;        ///< by loop: an ancestor, for searches upwards
  next_edges* next_;
  loop_id* spanning_; ///< by node: the smallest loop with all sources of listed edges in it
  std::uint32_t num_to_headers_ = 0;
  std::uint32_t num_exits_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
