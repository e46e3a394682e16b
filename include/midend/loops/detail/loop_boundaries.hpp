/// The edges through which control enters a loop, goes round in it and leaves it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory for the boundaries.
struct loop_boundary_arrays {
  flat_array<loop_id> jump;     ///< by loop: an ancestor, for searches upwards in O(log depth)
  flat_array<loop_id> spanning; ///< by node: the smallest loop with all predecessors in it
  flat_array<edge_id> exits;    ///< edges out of a loop, before they are grouped
};

/// Each edge is stored once, however many loops it leaves, which keeps memory and time linear on nests of any depth.
struct loop_boundary_builder {
  static constexpr std::uint32_t none = 0xffff'ffff;

  template <class G>
  static constexpr void build(const G& g, const dominator_tree& tree, loop_boundary_arrays& a, loop_forest& out) {
    list_edges_to_headers(g, out);
    make_jumps(a, out);
    find_exits(g, a, out);
    list_exits(g, tree, a, out);
    inherit_exits(out);
    link_shallower(out.exits_);
  }

  /// An edge to a header is a backedge if it comes from inside, else an entering edge.
  template <class G> static constexpr void list_edges_to_headers(const G& g, loop_forest& out) {
    const std::size_t loops = out.num_loops();
    out.backedge_offset_.resize_for_overwrite(loops + 1);
    out.entering_offset_.resize_for_overwrite(loops + 1);
    out.preheader_.resize_for_overwrite(loops);
    out.backedges_.clear();
    out.entering_.clear();
    for (loop_id l = 0; l != loops; ++l) {
      const node_id header = out.header_[l];
      const std::size_t before = out.entering_.size();
      out.backedge_offset_[l] = static_cast<std::uint32_t>(out.backedges_.size());
      out.entering_offset_[l] = static_cast<std::uint32_t>(before);
      auto&& edges = g.in_edges(header);
      auto edge = std::begin(edges);
      for (const node_id source : g.predecessors(header)) {
        flat_array<loop_edge>& list = out.contains(l, source) ? out.backedges_ : out.entering_;
        list.push_back({static_cast<edge_id>(*edge), source, header});
        ++edge;
      }
      const bool single = out.entering_.size() == before + 1;
      out.preheader_[l] =
          single && has_one_successor(g, out.entering_.back().source) ? out.entering_.back().source : no_node;
    }
    out.backedge_offset_[loops] = static_cast<std::uint32_t>(out.backedges_.size());
    out.entering_offset_[loops] = static_cast<std::uint32_t>(out.entering_.size());
  }

  template <class G> static constexpr bool has_one_successor(const G& g, node_id n) {
    auto&& successors = g.successors(n);
    auto it = std::begin(successors);
    const auto last = std::end(successors);
    return it != last && ++it == last;
  }

  /// Jump pointers (Myers, "An applicative random-access stack", IPL 17, 1983): with one extra ancestor a loop,
  /// searches upwards take O(log depth).
  static constexpr void make_jumps(loop_boundary_arrays& a, const loop_forest& forest) {
    a.jump.resize_for_overwrite(forest.num_loops());
    for (const loop_id l : forest.loops()) {
      const loop_id parent = forest.parent(l);
      if (parent == no_loop) {
        a.jump[l] = l;
        continue;
      }
      const loop_id far = a.jump[parent];
      const loop_id further = a.jump[far];
      const bool equal_leaps = forest.depth(parent) - forest.depth(far) == forest.depth(far) - forest.depth(further);
      a.jump[l] = equal_leaps ? further : parent;
    }
  }

  /// The outermost loop around `l`, itself included, that does not contain the loop `inside`, which `l` does not
  /// either.
  static constexpr loop_id outermost_without(loop_id l, loop_id inside, const loop_boundary_arrays& a,
                                             const loop_forest& forest) {
    for (;;) {
      const loop_id parent = forest.parent(l);
      if (parent == no_loop || forest.contains_loop(parent, inside)) {
        return l;
      }
      l = forest.contains_loop(a.jump[l], inside) ? parent : a.jump[l];
    }
  }

  /// The smallest loop that contains both, or `no_loop`.
  static constexpr loop_id common_loop(loop_id l, loop_id other, const loop_boundary_arrays& a,
                                       const loop_forest& forest) {
    if (l == no_loop || forest.contains_loop(l, other)) {
      return l;
    }
    return forest.parent(outermost_without(l, other, a, forest));
  }

  /// The edges that leave the innermost loop of their source, in the order of their ids. What leaves no loop is dropped
  /// without a branch, which would be hard to predict.
  template <class G> static constexpr void find_exits(const G& g, loop_boundary_arrays& a, loop_forest& out) {
    const std::size_t loops = out.num_loops();
    out.exit_offset_.assign(loops + 1, 0);
    a.exits.resize_for_overwrite(static_cast<std::size_t>(g.num_edges()) + 1);
    const loop_id* const innermost = out.innermost_.data();
    edge_id* const exits = a.exits.data();
    std::size_t changes = 0; // of the innermost loop along an edge from inside one
    for_each_edge(g, [&](edge_id e, node_id source, node_id target) {
      const loop_id from = innermost[source];
      const loop_id to = innermost[target];
      exits[changes] = e;
      changes += from != to && from != no_loop;
    });
    std::size_t found = 0;
    for (std::size_t i = 0; i != changes; ++i) {
      const edge_id e = exits[i];
      const loop_id from = innermost[g.edge_source(e)];
      const bool leaves = !out.contains_loop(from, innermost[g.edge_target(e)]);
      exits[found] = e;
      found += leaves;
      out.exit_offset_[from] += leaves;
    }
    a.exits.shrink(found);
  }

  /// Groups the exiting edges by loop, and notes how far out each leads.
  template <class G>
  static constexpr void list_exits(const G& g, const dominator_tree& tree, loop_boundary_arrays& a, loop_forest& out) {
    counts_to_ends(out.exit_offset_);
    out.exits_.resize_for_overwrite(a.exits.size());
    out.exit_depth_.assign(out.num_loops(), none);
    out.shared_exit_depth_.assign(out.num_loops(), none);
    a.spanning.assign(out.num_nodes(), unknown_loop);
    for (std::size_t i = a.exits.size(); i-- != 0;) {
      const edge_id e = a.exits[i];
      const auto source = static_cast<node_id>(g.edge_source(e));
      const auto target = static_cast<node_id>(g.edge_target(e));
      const loop_id l = out.innermost_loop(source);
      const std::uint32_t depth = out.depth(outermost_without(l, out.innermost_loop(target), a, out));
      out.exits_[--out.exit_offset_[l]] = {{e, source, target}, depth, 0};
      lower(out.exit_depth_[l], depth);
      note_shared_exit(l, depth, spanning_loop(g, target, l, tree, a, out), out);
    }
  }

  /// What leaves a loop leaves those around it too if it reaches out far enough.
  static constexpr void inherit_exits(loop_forest& out) {
    for (loop_id l = static_cast<loop_id>(out.num_loops()); l-- != 0;) {
      if (out.parent(l) != no_loop) {
        lower(out.exit_depth_[out.parent(l)], out.exit_depth_[l]);
        lower(out.shared_exit_depth_[out.parent(l)], out.shared_exit_depth_[l]);
      }
    }
  }

  static constexpr void lower(std::uint32_t& depth, std::uint32_t other) { depth = other < depth ? other : depth; }

  /// An exit block is dedicated for the loops that contain all its predecessors, so for those around `spanning`. The
  /// edge leaves the loops from `l` out to the depth given.
  static constexpr void note_shared_exit(loop_id l, std::uint32_t depth, loop_id spanning, loop_forest& out) {
    if (spanning == l) {
      return;
    }
    const std::uint32_t below = spanning == no_loop ? 1 : out.depth(spanning) + 1;
    lower(out.shared_exit_depth_[l], below < depth ? depth : below);
  }

  /// The smallest loop that contains all reachable predecessors of `n`, of which one is in `l`; worked out once for
  /// each node that has several.
  template <class G>
  static constexpr loop_id spanning_loop(const G& g, node_id n, loop_id l, const dominator_tree& tree,
                                         loop_boundary_arrays& a, const loop_forest& forest) {
    auto&& predecessors = g.predecessors(n);
    auto it = std::begin(predecessors);
    const auto last = std::end(predecessors);
    if (++it == last) {
      return l;
    }
    if (a.spanning[n] != unknown_loop) {
      return a.spanning[n];
    }
    loop_id common = l;
    for (it = std::begin(predecessors); it != last; ++it) {
      const auto p = static_cast<node_id>(*it);
      const loop_id around = forest.innermost_loop(p);
      if (around != common && tree.is_reachable(p)) {
        common = common_loop(common, around, a, forest);
      }
    }
    a.spanning[n] = common;
    return common;
  }

  /// All nearest smaller values, from the right, in linear time.
  static constexpr void link_shallower(flat_array<exit_record>& exits) {
    const auto count = static_cast<std::uint32_t>(exits.size());
    for (std::uint32_t i = count; i-- != 0;) {
      std::uint32_t next = i + 1;
      while (next < count && exits[next].outermost_depth >= exits[i].outermost_depth) {
        next = exits[next].next_shallower;
      }
      exits[i].next_shallower = next;
    }
  }

  /// Replaces each edge id by the element of `names` that it stands for.
  static constexpr void rename_edges(const flat_array<edge_id>& names, loop_forest& out) {
    for (flat_array<loop_edge>* edges : {&out.backedges_, &out.entering_}) {
      for (loop_edge& edge : *edges) {
        edge.id = names[edge.id];
      }
    }
    for (exit_record& exit : out.exits_) {
      exit.edge.id = names[exit.edge.id];
    }
  }

  static constexpr loop_id unknown_loop = no_loop - 1;
};

} // namespace detail

MIDEND_END_NAMESPACE
