/// `explain_dominance`: explains why a node dominates another, or shows a path that avoids it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The reason why `a` does or does not dominate `b`.
struct dominance_explanation {
  enum class reason : std::uint8_t {
    unreachable, ///< nothing dominates `b`, because the entry does not reach it; `nodes` is empty
    chain,       ///< `a` dominates `b`: `nodes` leads from `b` to `a`, each followed by its immediate dominator
    path,        ///< it does not: `nodes` is a path from the entry to `b` without `a`
  };

  reason why = reason::unreachable;
  flat_array<node_id> nodes;

  friend constexpr bool operator==(const dominance_explanation&, const dominance_explanation&) = default;
};

namespace detail {
struct dominance_explainer;
}

/// Memory for explanations that are made again and again.
class explain_dominance_workspace {
  friend detail::dominance_explainer;

  flat_array<node_id> came_from_;
  flat_array<node_id> queue_;
};

namespace detail {

struct dominance_explainer {
  template <class G>
  static constexpr void run(const G& g, const dominator_tree& tree, node_id a, node_id b,
                            explain_dominance_workspace& workspace, dominance_explanation& out) {
    using reason = dominance_explanation::reason;
    require_tree_of(g, tree);
    MIDEND_ASSERT(a < tree.num_nodes() && b < tree.num_nodes(), "nodes of the graph", a, b, tree.num_nodes());
    out.why = !tree.is_reachable(b) ? reason::unreachable : tree.dominates(a, b) ? reason::chain : reason::path;
    out.nodes.clear();
    if (out.why == reason::chain) {
      for (node_id n = b; n != a; n = tree.immediate_dominator(n)) {
        out.nodes.push_back(n);
      }
      out.nodes.push_back(a);
    } else if (out.why == reason::path) {
      search_around(g, a, b, workspace.came_from_, workspace.queue_);
      MIDEND_ASSERT(workspace.came_from_[b] != no_node, "a dominator tree of this graph", a, b);
      list_path_to(b, workspace.came_from_, out.nodes);
    }
  }

  /// Searches breadth first from the entry to `goal` without entering `avoided`. Leaves the search tree in `came_from`:
  /// the entry comes from itself, nodes that were not met come from `no_node`.
  template <class G>
  static constexpr void search_around(const G& g, node_id avoided, node_id goal, flat_array<node_id>& came_from,
                                      flat_array<node_id>& queue) {
    came_from.assign(node_count(g), no_node);
    queue.clear();
    const auto meet = [&](node_id n, node_id from) {
      if (n != avoided && came_from[n] == no_node) {
        came_from[n] = from;
        queue.push_back(n);
      }
    };
    meet(node_in(g, g.entry()), node_in(g, g.entry()));
    for (std::size_t i = 0; i != queue.size() && came_from[goal] == no_node; ++i) {
      const node_id source = queue[i];
      for (const auto successor : g.successors(source)) {
        meet(node_in(g, successor), source);
      }
    }
  }

  /// Lists the path that the search took, from the entry on.
  static constexpr void list_path_to(node_id goal, const flat_array<node_id>& came_from, flat_array<node_id>& out) {
    std::size_t length = 1;
    for (node_id n = goal; came_from[n] != n; n = came_from[n]) {
      ++length;
    }
    out.resize_for_overwrite(length);
    for (node_id n = goal; length != 0; n = came_from[n]) {
      out[--length] = n;
    }
  }
};

} // namespace detail

/// Explains whether `a` dominates `b`, refilling `out`: by the chain of immediate dominators from `b` up to `a`, by a
/// path to `b` that avoids `a`, or by the fact that `b` is unreachable. The path is the shortest path that a
/// breadth-first search meets first, so it contains no node twice.
///
/// Requires that `tree` is a dominator tree of `g`. An unreachable `a` is on no path, so each path avoids it.
/// Duplicate edges and self loops change nothing. O(length of the chain), or O(n + m) for a path; 8 bytes a node of
/// workspace. Allocates nothing once workspace and result have seen a graph as large.
template <flow_graph_argument G>
constexpr void explain_dominance(const G& g, const dominator_tree& tree, node_id a, node_id b,
                                 explain_dominance_workspace& workspace, dominance_explanation& out) {
  detail::dominance_explainer::run(g, tree, a, b, workspace, out);
}

/// Explains whether `a` dominates `b`.
template <flow_graph_argument G>
constexpr dominance_explanation explain_dominance(const G& g, const dominator_tree& tree, node_id a, node_id b) {
  dominance_explanation out;
  explain_dominance_workspace workspace;
  explain_dominance(g, tree, a, b, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
