/// Explains why a loop is not in a canonical form: the requirements that it does not meet, and the nodes to blame.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/loop_forms.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The requirements of canonical forms.
enum class loop_requirement : std::uint8_t {
  preheader,       ///< `has_preheader`
  single_latch,    ///< `has_single_latch`
  dedicated_exits, ///< `has_dedicated_exits`
  exiting_latches, ///< each latch is an exiting block
};

/// The forms of `loop_forms.hpp`.
enum class loop_form : std::uint8_t {
  loop_simplify, ///< preheader, single latch, dedicated exits
  rotated,       ///< single latch, exiting latches
  lcssa_ready,   ///< dedicated exits
};

/// Whether a loop in this form meets that requirement by definition.
constexpr bool requires_of_loop(loop_form form, loop_requirement requirement) {
  switch (form) {
  case loop_form::loop_simplify:
    return requirement != loop_requirement::exiting_latches;
  case loop_form::rotated:
    return requirement == loop_requirement::single_latch || requirement == loop_requirement::exiting_latches;
  case loop_form::lcssa_ready:
    return requirement == loop_requirement::dedicated_exits;
  }
  return false;
}

/// One reason why a requirement is not met, and where.
struct loop_form_obstacle {
  enum class reason : std::uint8_t {
    // No preheader.
    graph_entry_is_header,          ///< control enters the graph at the header, `node`
    one_of_several_entering_blocks, ///< `node` is one of several that lead to the header, `other`
    unreachable_entering_block,     ///< `node`, an unreachable block, leads to the header, `other`
    entering_block_has_other_edge,  ///< `node` alone leads to the header, but it has another edge, to `other`
    // Not a single latch.
    one_of_several_latches, ///< `node` is one of several with an edge to the header, `other`
    parallel_backedges,     ///< `node` alone leads to the header, `other`, but by several edges
    // Exits that are not dedicated.
    graph_entry_is_exit,      ///< control enters the graph at the exit block `node`
    exit_shared_with_outside, ///< the exit block `node` has a predecessor outside, `other`
    // Latches that do not exit.
    loop_has_no_exit,    ///< no block of the loop with the header `node` has an exiting edge
    latch_does_not_exit, ///< `node` has an edge to the header, `other`, and none out of the loop
  };

  loop_requirement requirement;
  reason why;
  node_id node;
  node_id other; ///< `no_node` if the reason names one node only

  friend constexpr bool operator==(const loop_form_obstacle&, const loop_form_obstacle&) = default;
};

namespace detail {
struct loop_form_examiner;
}

/// All obstacles to a loop's canonical forms.
class loop_form_explanation {
public:
  /// The loop that is explained; `no_loop` in an empty explanation.
  constexpr loop_id loop() const { return loop_; }

  /// Its header.
  constexpr node_id header() const { return header_; }

  /// The obstacles, each once: in the order of requirements, then ascending by `node` and `other`. That the entry of
  /// the graph is the header or an exit block comes before the obstacles of other blocks.
  constexpr span<const loop_form_obstacle> obstacles() const { return obstacles_; }

  /// Whether there is no obstacle to `requirement`.
  constexpr bool meets(loop_requirement requirement) const {
    for (const loop_form_obstacle& obstacle : obstacles_) {
      if (obstacle.requirement == requirement) {
        return false;
      }
    }
    return true;
  }

  /// Whether the loop is in `form`, as `is_loop_simplify_form`, `is_rotated` and `is_lcssa_ready` define it.
  constexpr bool is_in(loop_form form) const {
    for (const loop_form_obstacle& obstacle : obstacles_) {
      if (requires_of_loop(form, obstacle.requirement)) {
        return false;
      }
    }
    return true;
  }

private:
  friend detail::loop_form_examiner;

  loop_id loop_ = no_loop;
  node_id header_ = no_node;
  flat_array<loop_form_obstacle> obstacles_;
};

/// Memory for explanations that are made again and again.
class explain_loop_form_workspace {
  friend detail::loop_form_examiner;

  flat_array<node_id> exits_;
  flat_array<node_id> outside_;
  csr_graph copy_; ///< of a graph without predecessors
};

namespace detail {

struct loop_form_examiner {
  using requirement = loop_requirement;
  using reason = loop_form_obstacle::reason;

  template <class G>
  static constexpr void run(const G& g, const dominator_tree& tree, const loop_forest& loops, loop_id l,
                            explain_loop_form_workspace& workspace, loop_form_explanation& out) {
    require_loop_of(g, loops, l);
    require_tree_of(g, tree);
    out.loop_ = l;
    out.header_ = loops.header(l);
    out.obstacles_.clear();
    examine_preheader(g, tree, loops, out);
    examine_latches(g, loops, out);
    examine_exits(g, tree, loops, workspace, out);
    examine_exiting_latches(g, loops, out);
  }

  static constexpr void add(loop_form_explanation& out, requirement missing, reason why, node_id node, node_id other) {
    out.obstacles_.push_back({missing, why, node, other});
  }

  template <class G>
  static constexpr void examine_preheader(const G& g, const dominator_tree& tree, const loop_forest& loops,
                                          loop_form_explanation& out) {
    if (has_preheader(g, loops, out.loop_)) {
      return;
    }
    const node_id header = out.header_;
    const bool starts = header == static_cast<node_id>(g.entry());
    if (starts) {
      add(out, requirement::preheader, reason::graph_entry_is_header, header, no_node);
    }
    const auto blocks = loops.entering_blocks(out.loop_);
    if (!starts && ++blocks.begin() == blocks.end()) {
      const node_id only = *blocks.begin();
      add(out, requirement::preheader, reason::entering_block_has_other_edge, only, other_edge(g, only, header));
      return;
    }
    for (const node_id n : blocks) {
      const reason why =
          tree.is_reachable(n) ? reason::one_of_several_entering_blocks : reason::unreachable_entering_block;
      add(out, requirement::preheader, why, n, header);
    }
  }

  /// The first target of `n` that is not `header`, or `header`, if all edges of `n` lead there.
  template <class G> static constexpr node_id other_edge(const G& g, node_id n, node_id header) {
    for (const auto successor : g.successors(n)) {
      if (node_in(g, successor) != header) {
        return node_in(g, successor);
      }
    }
    return header;
  }

  template <class G>
  static constexpr void examine_latches(const G& g, const loop_forest& loops, loop_form_explanation& out) {
    if (has_single_latch(g, loops, out.loop_)) {
      return;
    }
    const bool parallel = loops.single_latch(out.loop_) != no_node;
    const reason why = parallel ? reason::parallel_backedges : reason::one_of_several_latches;
    for (const node_id latch : loops.latches(out.loop_)) {
      add(out, requirement::single_latch, why, latch, out.header_);
    }
  }

  template <class G>
  static constexpr void examine_exits(const G& g, const dominator_tree& tree, const loop_forest& loops,
                                      explain_loop_form_workspace& workspace, loop_form_explanation& out) {
    if (has_dedicated_exits(g, loops, out.loop_)) {
      return;
    }
    loops.exit_blocks(out.loop_, workspace.exits_);
    if constexpr (bidirectional_flow_graph<G>) {
      list_shared_exits(g, tree, loops, workspace, out);
    } else {
      workspace.copy_.assign(g);
      list_shared_exits(workspace.copy_, tree, loops, workspace, out);
    }
  }

  template <class G>
  static constexpr void list_shared_exits(const G& g, const dominator_tree& tree, const loop_forest& loops,
                                          explain_loop_form_workspace& workspace, loop_form_explanation& out) {
    for (const node_id exit : workspace.exits_) {
      if (exit == static_cast<node_id>(g.entry())) {
        add(out, requirement::dedicated_exits, reason::graph_entry_is_exit, exit, no_node);
      }
      workspace.outside_.clear();
      for (const auto predecessor : g.predecessors(exit)) {
        const node_id p = node_in(g, predecessor);
        if (!loops.contains(out.loop_, p) && tree.is_reachable(p)) {
          workspace.outside_.push_back(p);
        }
      }
      sort_and_deduplicate(workspace.outside_); // parallel edges
      for (const node_id n : workspace.outside_) {
        add(out, requirement::dedicated_exits, reason::exit_shared_with_outside, exit, n);
      }
    }
  }

  template <class G>
  static constexpr void examine_exiting_latches(const G& g, const loop_forest& loops, loop_form_explanation& out) {
    if (loops.is_statically_infinite(out.loop_)) {
      add(out, requirement::exiting_latches, reason::loop_has_no_exit, out.header_, no_node);
      return;
    }
    for (const node_id latch : loops.latches(out.loop_)) {
      if (!is_exiting(g, loops, out.loop_, latch)) {
        add(out, requirement::exiting_latches, reason::latch_does_not_exit, latch, out.header_);
      }
    }
  }
};

} // namespace detail

/// Why `l` is not in loop-simplify, rotated or LCSSA-ready form, refilling `out`; allocates nothing once workspace and
/// result have seen a loop and a graph as large.
///
/// Every obstacle is listed, not only the first: all entering blocks if there are several, all latches, all pairs of an
/// exit block and a reachable predecessor outside, all latches that do not exit. There is none exactly if the
/// predicates of `loop_forms.hpp` are true. Unreachable blocks are obstacles only as entering blocks, and are reported
/// as unreachable: their edge can simply be removed. Parallel edges are reported once; a block all of whose edges lead
/// to the header, as the arms of a switch, is not a preheader because of "another edge" to the header itself.
///
/// Requires a tree and a forest of this graph, up to date, the forest with boundaries. O(k log k) for k edges into and
/// out of the loop and into its exit blocks, and the out-edges of latches. A graph without predecessors is copied into
/// the workspace if exits are not dedicated.
template <flow_graph_argument G>
constexpr void explain_loop_form(const G& g, const dominator_tree& tree, const loop_forest& loops, loop_id l,
                                 explain_loop_form_workspace& workspace, loop_form_explanation& out) {
  detail::loop_form_examiner::run(g, tree, loops, l, workspace, out);
}

/// Why `l` is not in loop-simplify, rotated or LCSSA-ready form.
template <flow_graph_argument G>
constexpr loop_form_explanation explain_loop_form(const G& g, const dominator_tree& tree, const loop_forest& loops,
                                                  loop_id l) {
  loop_form_explanation out;
  explain_loop_form_workspace workspace;
  explain_loop_form(g, tree, loops, l, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
