/// Control dependence: the branches that decide whether a node runs.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/post_dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct control_dependence_search;
}

/// An edge that decides whether some nodes run. `edge` is the graph's id, or the one that `csr_graph` would give.
struct control_edge {
  node_id source;
  node_id target;
  edge_id edge;

  friend constexpr bool operator==(const control_edge&, const control_edge&) = default;
};

/// For each node the edges that it is control dependent on, and for each such edge the nodes that depend on it. 8 bytes
/// a node, 16 an edge that a node depends on, and 8 for each pair.
class control_dependence_graph {
public:
  constexpr std::size_t num_nodes() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }

  /// The edges that nodes depend on, ascending by source and, for one source, in the order of its successors.
  constexpr span<const control_edge> edges() const { return edges_; }

  /// The nodes that depend on the edge `edges()[i]`: from its target up the post-dominator tree.
  constexpr span<const node_id> dependents(std::size_t i) const {
    MIDEND_ASSERT(i < edges_.size(), "an index of edges()", i, edges_.size());
    const std::size_t first = i == 0 ? 0 : dependent_end_[i - 1];
    return {dependents_.data() + first, dependents_.data() + dependent_end_[i]};
  }

  /// The edges that `n` depends on, as indices of `edges()`, ascending. None for a node that runs whenever the function
  /// ends.
  constexpr span<const std::uint32_t> dependences(node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "a node of the graph", n, num_nodes());
    return {dependences_.data() + offsets_[n], dependences_.data() + offsets_[n + std::size_t{1}]};
  }

  /// Whether an edge out of `branch` is among those that `n` depends on. O(number of dependences).
  constexpr bool is_dependent(node_id n, node_id branch) const {
    for (const std::uint32_t i : dependences(n)) {
      if (edges_[i].source == branch) {
        return true;
      }
    }
    return false;
  }

  /// The `epoch()` of the graph that this was made of.
  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  friend detail::control_dependence_search;

  std::uint64_t epoch_ = 0;
  flat_array<control_edge> edges_;
  flat_array<std::size_t> dependent_end_; ///< by edge
  flat_array<node_id> dependents_;        ///< edge by edge
  flat_array<std::size_t> offsets_;       ///< by node
  flat_array<std::uint32_t> dependences_; ///< node by node
};

namespace detail {

struct control_dependence_search {
  template <class G>
  static constexpr void run(const G& g, const post_dominator_tree& tree, control_dependence_graph& out) {
    MIDEND_ASSERT(tree.num_nodes() == node_count(g), "a post-dominator tree of this graph", tree.num_nodes(),
                  g.num_nodes());
    MIDEND_ASSERT(tree.epoch() == graph_epoch(g), "a post-dominator tree that is up to date", tree.epoch(),
                  graph_epoch(g));
    out.epoch_ = tree.epoch();
    out.edges_.clear();
    out.dependent_end_.clear();
    out.dependents_.clear();
    list_dependents(g, tree, out);
    invert(tree.num_nodes(), out);
  }

  /// Nodes that post-dominate the target of an edge but not its source depend on the edge: the nodes from the target up
  /// to the immediate post-dominator of the source, which is excluded.
  template <class G>
  static constexpr void list_dependents(const G& g, const post_dominator_tree& tree, control_dependence_graph& out) {
    const node_id* const up = tree.tree().immediate_dominators().data();
    for_each_edge(g, [&](edge_id e, node_id source, node_id target) {
      if (up[source] == target || tree.is_diverging(target)) {
        return;
      }
      const std::size_t before = out.dependents_.size();
      for (node_id n = target; n != up[source]; n = up[n]) {
        out.dependents_.push_back(n);
      }
      if (out.dependents_.size() != before) {
        out.edges_.push_back({source, target, e});
        out.dependent_end_.push_back(out.dependents_.size());
      }
    });
  }

  static constexpr void invert(std::size_t count, control_dependence_graph& out) {
    out.offsets_.assign(count + 1, 0);
    std::size_t* const ends = out.offsets_.data();
    for (const node_id n : out.dependents_) {
      ++ends[n];
    }
    std::size_t total = 0;
    for (std::size_t& end : out.offsets_) {
      total += end;
      end = total;
    }
    out.dependences_.resize_for_overwrite(total);
    std::uint32_t* const dependences = out.dependences_.data();
    for (std::size_t edge = out.edges_.size(), next = total; edge-- != 0;) {
      const std::size_t first = edge == 0 ? 0 : out.dependent_end_[edge - 1];
      while (next != first) {
        dependences[--ends[out.dependents_[--next]]] = static_cast<std::uint32_t>(edge);
      }
    }
  }
};

} // namespace detail

/// The control dependences of all nodes of `g`, whose post-dominator tree is `tree`: node `n` is control dependent on
/// the edge `a` → `b` if `n` post-dominates `b` (or is `b`) and does not strictly post-dominate `a`. After the edge,
/// control must reach `n`; at `a` it could still avoid `n`.
///
/// Ferrante, Ottenstein, Warren, "The program dependence graph and its use in optimization", ACM TOPLAS 9(3), 1987.
///
/// The blocks of a loop depend on the edge that continues the loop. Parallel edges are separate edges. Where the
/// policy of the post-dominator tree gives an endless region a virtual edge, the region is treated as if it could end
/// there; nodes that diverge under `exits_only` depend on nothing, and nothing depends on edges to them. Unreachable
/// nodes are treated like others. O(n + m + number of pairs) time and space; a ladder has O(n²) pairs.
template <flow_graph_argument G>
constexpr control_dependence_graph control_dependence(const G& g, const post_dominator_tree& tree) {
  control_dependence_graph out;
  detail::control_dependence_search::run(g, tree, out);
  return out;
}

/// Refills `out`; allocates nothing once the result has seen a graph as large.
template <flow_graph_argument G>
constexpr void control_dependence(const G& g, const post_dominator_tree& tree, control_dependence_graph& out) {
  detail::control_dependence_search::run(g, tree, out);
}

MIDEND_END_NAMESPACE
