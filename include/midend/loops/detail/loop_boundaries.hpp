/// The edges through which control enters a loop, goes round in it and leaves it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/detail/loop_builder.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Each edge is stored once, however many loops it leaves, which keeps memory and time linear on nests of any depth.
struct loop_boundary_builder {
  static constexpr std::uint32_t none = loop_arrays::none;

  template <class G>
  static constexpr void build(const G& g, const dominator_tree& tree, loop_arrays& a, loop_forest& out) {
    list_backedges(tree, a, out);
    list_entering_edges(g, out);
    make_jumps(a, out);
    list_exits(g, tree, a, out);
    link_shallower(out.exits_);
    inherit_exits(out);
  }

  static constexpr void list_backedges(const dominator_tree& tree, const loop_arrays& a, loop_forest& out) {
    const std::size_t loops = out.num_loops();
    out.backedge_offset_.resize_for_overwrite(loops + 1);
    out.backedges_.resize_for_overwrite(a.backedges.size());
    auto at = static_cast<std::uint32_t>(a.backedges.size());
    out.backedge_offset_[loops] = at;
    for (std::size_t l = loops; l-- != 0;) { // backwards, because so are the lists
      for (std::uint32_t i = a.first[tree.preorder_number(out.header_[l])]; i != none; i = a.next[i]) {
        out.backedges_[--at] = a.backedges[i];
      }
      out.backedge_offset_[l] = at;
    }
  }

  template <class G> static constexpr void list_entering_edges(const G& g, loop_forest& out) {
    const std::size_t loops = out.num_loops();
    out.entering_offset_.resize_for_overwrite(loops + 1);
    out.preheader_.resize_for_overwrite(loops);
    out.entering_.clear();
    for (loop_id l = 0; l != loops; ++l) {
      const node_id header = out.header_[l];
      out.entering_offset_[l] = static_cast<std::uint32_t>(out.entering_.size());
      auto&& edges = g.in_edges(header);
      auto edge = std::begin(edges);
      for (const node_id source : g.predecessors(header)) {
        if (!out.contains(l, source)) {
          out.entering_.push_back({static_cast<edge_id>(*edge), source, header});
        }
        ++edge;
      }
      const bool single = out.entering_.size() == out.entering_offset_[l] + std::size_t{1};
      out.preheader_[l] =
          single && has_one_successor(g, out.entering_.back().source) ? out.entering_.back().source : no_node;
    }
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
  static constexpr void make_jumps(loop_arrays& a, const loop_forest& forest) {
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
  static constexpr loop_id outermost_without(loop_id l, loop_id inside, const loop_arrays& a,
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
  static constexpr loop_id common_loop(loop_id l, loop_id other, const loop_arrays& a, const loop_forest& forest) {
    if (l == no_loop || forest.contains_loop(l, other)) {
      return l;
    }
    return forest.parent(outermost_without(l, other, a, forest));
  }

  template <class G>
  static constexpr void list_exits(const G& g, const dominator_tree& tree, loop_arrays& a, loop_forest& out) {
    const std::size_t loops = out.num_loops();
    out.exit_offset_.resize_for_overwrite(loops + 1);
    out.exit_depth_.assign(loops, none);
    out.shared_exit_depth_.assign(loops, none);
    out.exits_.clear();
    a.spanning.assign(out.num_nodes(), unknown_loop);
    for (loop_id l = 0; l != loops; ++l) {
      out.exit_offset_[l] = static_cast<std::uint32_t>(out.exits_.size());
      for (const node_id n : out.own_blocks(l)) {
        for_each_out_edge(g, n, 0, [&](edge_id e, node_id target) {
          const loop_id reached = out.innermost_loop(target);
          if (out.contains_loop(l, reached)) {
            return;
          }
          const loop_id left = outermost_without(l, reached, a, out);
          const std::uint32_t depth = out.depth(left);
          out.exits_.push_back({{e, n, target}, depth, 0});
          out.exit_depth_[l] = depth < out.exit_depth_[l] ? depth : out.exit_depth_[l];
          note_shared_exit(l, depth, spanning_loop(g, target, tree, a, out), out);
        });
      }
    }
    out.exit_offset_[loops] = static_cast<std::uint32_t>(out.exits_.size());
  }

  /// An exit block is dedicated for the loops that contain all its predecessors, so for those around `spanning`. The
  /// edge leaves the loops from `l` out to the depth given.
  static constexpr void note_shared_exit(loop_id l, std::uint32_t depth, loop_id spanning, loop_forest& out) {
    if (spanning == l) {
      return;
    }
    const std::uint32_t below = spanning == no_loop ? 1 : out.depth(spanning) + 1;
    const std::uint32_t shared = below < depth ? depth : below;
    out.shared_exit_depth_[l] = shared < out.shared_exit_depth_[l] ? shared : out.shared_exit_depth_[l];
  }

  /// The smallest loop that contains all reachable predecessors of `n`; worked out once for each node.
  template <class G>
  static constexpr loop_id spanning_loop(const G& g, node_id n, const dominator_tree& tree, loop_arrays& a,
                                         const loop_forest& forest) {
    if (a.spanning[n] == unknown_loop) {
      loop_id common = unknown_loop;
      for (const node_id p : g.predecessors(n)) {
        if (tree.is_reachable(p)) {
          const loop_id around = forest.innermost_loop(p);
          common = common == unknown_loop ? around : common_loop(common, around, a, forest);
        }
      }
      a.spanning[n] = common;
    }
    return a.spanning[n];
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

  /// A loop is left by what leaves the loops inside it and reaches out far enough.
  static constexpr void inherit_exits(loop_forest& out) {
    for (loop_id l = static_cast<loop_id>(out.num_loops()); l-- != 0;) {
      const loop_id parent = out.parent_[l];
      if (parent != no_loop) {
        for (flat_array<std::uint32_t>* depth : {&out.exit_depth_, &out.shared_exit_depth_}) {
          (*depth)[parent] = (*depth)[l] < (*depth)[parent] ? (*depth)[l] : (*depth)[parent];
        }
      }
    }
  }

  static constexpr loop_id unknown_loop = no_loop - 1;
};

} // namespace detail

MIDEND_END_NAMESPACE
