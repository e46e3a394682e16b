/// Dominance frontiers of all nodes.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/tree_of_edges.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct frontier_search;
}

/// The dominance frontier of each node: the nodes where its dominance ends. These are the nodes that it does not
/// strictly dominate, but one of whose predecessors it dominates. 8 bytes a node and 4 a member of a frontier.
class frontier_sets {
public:
  constexpr std::size_t num_nodes() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }

  /// The frontier of `n`, ascending, each node once. A loop header is in its own frontier. Empty for unreachable nodes.
  constexpr span<const node_id> operator[](node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "a node of the graph", n, num_nodes());
    return {members_.data() + offsets_[n], members_.data() + offsets_[n + std::size_t{1}]};
  }

  /// The sizes of all frontiers together.
  constexpr std::size_t num_members() const { return members_.size(); }

  /// The `epoch()` of the graph that the frontiers were made of.
  constexpr std::uint64_t epoch() const { return epoch_; }

  friend constexpr bool operator==(const frontier_sets&, const frontier_sets&) = default;

private:
  friend detail::frontier_search;

  std::uint64_t epoch_ = 0;
  flat_array<std::size_t> offsets_;
  flat_array<node_id> members_;
};

/// Memory for frontiers that are computed again and again.
class dominance_frontier_workspace {
  friend detail::frontier_search;

  /// A node whose frontier was found to be not empty at a join, in order of the joins.
  struct joins {
    node_id join;
    std::size_t end; ///< of its holders
  };

  flat_array<node_id> last_join_; ///< by node: the last join that its frontier got
  flat_array<node_id> holders_;   ///< nodes that have a join in their frontier, join by join
  flat_array<joins> joins_;
  csr_graph copy_; ///< of a graph without predecessors
};

namespace detail {

struct frontier_search {
  template <class G>
  static constexpr void run(const G& g, const dominator_tree& tree, dominance_frontier_workspace& workspace,
                            frontier_sets& out) {
    require_tree_of_edges(g, tree);
    out.epoch_ = tree.epoch();
    out.offsets_.assign(tree.num_nodes() + 1, 0);
    if constexpr (bidirectional_flow_graph<G>) {
      list_holders(g, tree, workspace, out);
    } else {
      workspace.copy_.assign(g);
      list_holders(workspace.copy_, tree, workspace, out);
    }
    distribute(workspace, out);
  }

  /// A join is in the frontiers of the nodes from each predecessor up to, but without, its immediate dominator. A climb
  /// stops where it meets an earlier climb of the same join, which took the same path from there.
  template <class G>
  static constexpr void list_holders(const G& g, const dominator_tree& tree, dominance_frontier_workspace& workspace,
                                     frontier_sets& out) {
    const node_id count = node_count(g);
    const node_id* const immediate_dominator = tree.immediate_dominators().data();
    workspace.last_join_.assign(count, no_node);
    node_id* const last_join = workspace.last_join_.data();
    std::size_t* const frontier_size = out.offsets_.data();
    work_stack<node_id> holders(workspace.holders_);
    work_stack<dominance_frontier_workspace::joins> joins(workspace.joins_);
    for (node_id join = 0; join != count; ++join) {
      if (!tree.is_reachable(join)) {
        continue;
      }
      const node_id end = immediate_dominator[join];
      const std::size_t first = holders.size();
      for (const auto predecessor : g.predecessors(join)) {
        node_id holder = node_in(g, predecessor);
        if (holder == end || !tree.is_reachable(holder)) {
          continue;
        }
        while (holder != end && last_join[holder] != join) {
          last_join[holder] = join;
          ++frontier_size[holder];
          holders.push(holder);
          holder = immediate_dominator[holder];
        }
      }
      if (holders.size() != first) {
        joins.push({join, holders.size()});
      }
    }
    workspace.holders_.shrink(holders.size());
    workspace.joins_.shrink(joins.size());
  }

  /// Fills each frontier from its end, from the last join to the first, so that frontiers ascend.
  static constexpr void distribute(const dominance_frontier_workspace& workspace, frontier_sets& out) {
    std::size_t total = 0;
    for (std::size_t& end : out.offsets_) {
      total += end;
      end = total;
    }
    out.members_.resize_for_overwrite(total);
    std::size_t* const end_of = out.offsets_.data();
    node_id* const members = out.members_.data();
    const node_id* const holders = workspace.holders_.data();
    for (std::size_t i = workspace.joins_.size(), holder = total; i-- != 0;) {
      const std::size_t first = i == 0 ? 0 : workspace.joins_[i - 1].end;
      while (holder != first) {
        members[--end_of[holders[--holder]]] = workspace.joins_[i].join;
      }
    }
  }
};

} // namespace detail

/// The dominance frontiers of all nodes of `g`, whose dominator tree is `tree`.
///
/// Cytron, Ferrante, Rosen, Wegman, Zadeck, "Efficiently computing static single assignment form and the control
/// dependence graph", ACM TOPLAS 13(4), 1991, for the definition; computed from the joins upwards as in
/// Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001, but without visiting a node twice for one join.
///
/// Unreachable nodes have an empty frontier and are in none, and their edges are ignored. Duplicate edges change
/// nothing; the entry is in frontiers if it has reachable predecessors. O(n + m + size of the frontiers) time and
/// space. The frontiers of `n` nested loops or of a ladder have O(n²) members: `iterated_dominance_frontier`, which is
/// what phi placement needs, avoids them.
template <flow_graph_argument G> constexpr frontier_sets dominance_frontier(const G& g, const dominator_tree& tree) {
  frontier_sets out;
  dominance_frontier_workspace workspace;
  detail::frontier_search::run(g, tree, workspace, out);
  return out;
}

/// Refills `out`; allocates nothing once workspace and result have seen a graph as large.
template <flow_graph_argument G>
constexpr void dominance_frontier(const G& g, const dominator_tree& tree, dominance_frontier_workspace& workspace,
                                  frontier_sets& out) {
  detail::frontier_search::run(g, tree, workspace, out);
}

MIDEND_END_NAMESPACE
