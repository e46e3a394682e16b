/// Explains why a cycle is irreducible: two entries, and a path to each that does not go through the other.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/cycle_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct entry_path_search;
}

/// Two entries of a cycle and a path to each, or the one entry of a reducible cycle and the path to it.
///
/// A path starts at the entry of the graph, and only its last block is in the cycle. So neither entry is on the path to
/// the other: neither dominates the other, and no block of the cycle dominates all of it.
class irreducible_explanation {
public:
  /// The cycle that is explained; `no_cycle` in an empty explanation.
  constexpr cycle_id cycle() const { return cycle_; }

  /// Whether there are two entries.
  constexpr bool is_irreducible() const { return second_ != no_node; }

  /// The header of the cycle.
  constexpr node_id first_entry() const { return first_; }

  /// The other entry with the lowest number; `no_node` if there is none.
  constexpr node_id second_entry() const { return second_; }

  /// The path to the first entry, both ends included.
  constexpr span<const node_id> path_to_first() const { return {paths_.data(), paths_.data() + split_}; }

  /// The path to the second entry, both ends included; empty if there is none.
  constexpr span<const node_id> path_to_second() const {
    return {paths_.data() + split_, paths_.data() + paths_.size()};
  }

private:
  friend detail::entry_path_search;

  cycle_id cycle_ = no_cycle;
  node_id first_ = no_node;
  node_id second_ = no_node;
  std::size_t split_ = 0;
  flat_array<node_id> paths_; ///< to the first entry, then to the second
};

/// Memory for explanations that are made again and again.
class explain_irreducible_workspace {
  friend detail::entry_path_search;

  flat_array<node_id> entries_;
  flat_array<node_id> reached_from_; ///< by node: the block before it on a shortest path
  flat_array<node_id> queue_;
};

namespace detail {

/// A breadth-first search that stops at the cycle.
///
/// It reaches each entry. Let h be the header: all blocks of the cycle are descendants of h in the tree of the
/// depth-first search that found the cycle, and a descendant of h with an edge into the cycle belongs to the cycle. So
/// the source p of an edge p → e into the cycle is not a descendant of h, nor is any block on the tree path to p, and
/// that path, continued to e, is outside the cycle except for e. The tree path to h is such a path, too.
struct entry_path_search {
  template <class G>
  static constexpr void run(const G& g, const cycle_forest& forest, cycle_id c,
                            explain_irreducible_workspace& workspace, irreducible_explanation& out) {
    MIDEND_ASSERT(forest.num_nodes() == node_count(g), "a cycle forest of this graph", forest.num_nodes(),
                  g.num_nodes());
    MIDEND_ASSERT(forest.epoch() == graph_epoch(g), "a cycle forest that is up to date", forest.epoch(),
                  graph_epoch(g));
    MIDEND_ASSERT(c < forest.num_cycles(), "a cycle of the forest", c, forest.num_cycles());
    forest.entries(c, workspace.entries_);
    out.cycle_ = c;
    out.first_ = workspace.entries_[0];
    out.second_ = workspace.entries_.size() > 1 ? workspace.entries_[1] : no_node;
    search(g, forest, out, workspace);
    out.paths_.clear();
    append_path(out.first_, workspace.reached_from_, out.paths_);
    out.split_ = out.paths_.size();
    if (out.second_ != no_node) {
      append_path(out.second_, workspace.reached_from_, out.paths_);
    }
  }

  /// Sets `reached_from_` until both entries have a predecessor; that of the graph's entry is the entry itself.
  template <class G>
  static constexpr void search(const G& g, const cycle_forest& forest, const irreducible_explanation& wanted,
                               explain_irreducible_workspace& workspace) {
    const std::size_t count = forest.num_nodes();
    const auto start = static_cast<node_id>(g.entry());
    workspace.reached_from_.assign(count, no_node);
    workspace.queue_.resize_for_overwrite(count);
    node_id* const from = workspace.reached_from_.data();
    node_id* const queue = workspace.queue_.data();
    const auto is_reached = [&](node_id n) { return n == no_node || from[n] != no_node; };
    std::size_t pushed = 0;
    const auto reach = [&](node_id n, node_id source) {
      if (from[n] == no_node) {
        from[n] = source;
        queue[pushed] = n;
        pushed += forest.contains(wanted.cycle_, n) ? 0U : 1U;
      }
    };
    reach(start, start);
    for (std::size_t next = 0; !is_reached(wanted.first_) || !is_reached(wanted.second_); ++next) {
      MIDEND_ASSERT(next != pushed, "a cycle forest of this graph: the search must come to each entry", wanted.first_,
                    wanted.second_);
      for (const auto successor : g.successors(queue[next])) {
        reach(node_in(g, successor), queue[next]);
      }
    }
  }

  static constexpr void append_path(node_id n, const flat_array<node_id>& reached_from, flat_array<node_id>& out) {
    const std::size_t first = out.size();
    for (; reached_from[n] != n; n = reached_from[n]) {
      out.push_back(n);
    }
    out.push_back(n);
    for (std::size_t low = first, high = out.size(); low + 1 < high; ++low) {
      detail::swap_values(out[low], out[--high]);
    }
  }
};

} // namespace detail

/// Two entries of cycle `c`, the header and the other one with the lowest number, and for each a shortest path that
/// enters the cycle there, refilling `out`; allocates nothing once workspace and result have seen a graph as large. A
/// reducible cycle has one entry, which dominates it. Among shortest paths the order of successors decides.
///
/// Requires a cycle forest of this graph, up to date. Unreachable blocks are in no cycle and on no path. Parallel edges
/// and self loops change nothing. O(n + m) time, 8 bytes a node.
template <flow_graph_argument G>
constexpr void explain_irreducible(const G& g, const cycle_forest& forest, cycle_id c,
                                   explain_irreducible_workspace& workspace, irreducible_explanation& out) {
  detail::entry_path_search::run(g, forest, c, workspace, out);
}

/// Two entries of cycle `c` and a path to each, or its only entry.
template <flow_graph_argument G>
constexpr irreducible_explanation explain_irreducible(const G& g, const cycle_forest& forest, cycle_id c) {
  irreducible_explanation out;
  explain_irreducible_workspace workspace;
  explain_irreducible(g, forest, c, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
