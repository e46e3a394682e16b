/// `dynamic_dominator_tree`: dominators of a graph whose edges are inserted and deleted.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/edge_changes.hpp"
#include "midend/dominance/detail/edge_deletion.hpp"
#include "midend/dominance/detail/edge_insertion.hpp"
#include "midend/dominance/detail/linked_tree.hpp"
#include "midend/dominance/detail/update_memory.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/edge_update.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct dynamic_tree_root;
}

/// A dominator tree that follows its graph: first change the graph, then update the tree. It gives the answers of
/// `dominator_tree`, also for unreachable nodes, but `dominates` climbs the tree, and children are in no particular
/// order (equal updates give equal orders). For many queries without updates, take a `snapshot`.
///
/// Insertion: depth-based search. Georgiadis, Italiano, Laura, Santaroni, "An experimental study of dynamic
/// dominators", ESA 2012. Deletion: only siblings of the edge's target can move. Their new parents come from semi-NCA
/// on a small graph of these siblings and of the ancestors of their predecessors, a departure from the paper (see
/// `detail/edge_deletion.hpp`). A region that becomes reachable or unreachable enters or leaves the tree as a whole.
///
/// Requires: updates name all edges that were inserted or deleted since the last update, except those out of nodes that
/// were unreachable then; the entry stays, and nodes keep their numbers. Nodes may be added at any time; they are
/// unreachable until an edge leads to them. Parallel edges count one by one: dominators change only when the last of
/// them is deleted. Self loops and edges out of unreachable nodes change nothing.
///
/// Cost: usually proportional to the nodes whose dominators or depths change and their edges, see docs/updates.md. At
/// worst a constant times a computation from scratch, because an update that visits more than `work_limit()` nodes
/// gives up and recomputes the tree. 28 bytes a node, 8 more after the first batch, and the memory of the largest
/// update; an update that is not larger than all before allocates nothing.
class dynamic_dominator_tree {
public:
  /// The tree of the graph without nodes.
  constexpr dynamic_dominator_tree() = default;

  template <flow_graph G> constexpr explicit dynamic_dominator_tree(const G& g) { assign(g); }

  template <detail::meant_as_graph G>
    requires(!flow_graph<G>)
  explicit dynamic_dominator_tree(const G&) {
    detail::flow_graph_contract::explain<G>();
  }

  constexpr explicit dynamic_dominator_tree(const dominator_tree& tree) { assign(tree); }

  /// Computes the tree of another graph, or of this one, from scratch. Allocates nothing if an earlier graph was at
  /// least as large.
  template <flow_graph G> constexpr void assign(const G& g) {
    dominators(g, semi_nca, memory_.solver, memory_.solution);
    assign(memory_.solution);
  }

  constexpr void assign(const dominator_tree& tree) {
    tree_.assign(tree);
    memory_.resize(tree.num_nodes());
    epoch_ = tree.epoch();
  }

  constexpr std::size_t num_nodes() const { return tree_.num_nodes(); }

  constexpr std::size_t num_reachable() const { return tree_.num_reachable(); }

  /// The entry, or `no_node` for a graph without nodes.
  constexpr node_id root() const { return tree_.root(); }

  constexpr bool is_reachable(node_id n) const { return tree_.is_reachable(n); }

  /// The parent of `n` in the tree; `no_node` for the entry and for unreachable nodes.
  constexpr node_id immediate_dominator(node_id n) const { return tree_.parent(n); }

  /// The number of strict dominators of `n`: 0 for the entry, `no_node` for unreachable nodes.
  constexpr std::uint32_t depth(node_id n) const { return tree_.depth(n); }

  /// Whether every path from the entry to `b` goes through `a`. False if either is unreachable. O(d) for the difference
  /// d of their depths.
  constexpr bool dominates(node_id a, node_id b) const {
    return is_reachable(a) && is_reachable(b) && tree_.is_ancestor(a, b);
  }

  /// `dominates(a, b)` for different nodes.
  constexpr bool strictly_dominates(node_id a, node_id b) const { return a != b && dominates(a, b); }

  /// The closest node that dominates both; `no_node` if either is unreachable. O(d) for
  /// the differences in depth between it and both.
  constexpr node_id nearest_common_dominator(node_id a, node_id b) const {
    return is_reachable(a) && is_reachable(b) ? tree_.nearest_common_ancestor(a, b) : no_node;
  }

  using child_range = detail::linked_tree::child_range;

  /// The nodes that `n` immediately dominates, in no particular order; none for unreachable nodes. Valid until the next
  /// update.
  constexpr child_range children(node_id n) const { return tree_.children(n); }

  /// The `epoch()` of the graph at the last update.
  constexpr std::uint64_t epoch() const { return epoch_; }

  /// The edge `source → target` was inserted; `g` has it.
  template <flow_graph_argument G> constexpr void insert_edge(const G& g, node_id source, node_id target) {
    if (start_update(g)) {
      insert(source, target, [&](node_id n, auto visit) { visit_successors(g, n, visit); });
      finish_update(g);
    }
  }

  /// The edge `source → target` was deleted; `g` no longer has it.
  template <bidirectional_flow_graph_argument G>
  constexpr void delete_edge(const G& g, node_id source, node_id target) {
    if (start_update(g)) {
      lose_edge(source, target);
      detail::edge_deletion<G>(g, tree_, memory_).run();
      finish_update(g);
    }
  }

  /// All of `updates` happened, in any order, and led to `g`. An edge that was inserted and deleted, or that is
  /// parallel to one that stays, makes no difference. Insertions are done first, so that a block that gets a new place
  /// does not become unreachable in between. Batches of more than `batch_limit()` changes recompute the tree.
  template <bidirectional_flow_graph_argument G> constexpr void apply(const G& g, span<const edge_update> updates) {
    if (updates.size() == 1) {
      apply_one(g, updates[0]);
    } else if (start_update(g)) {
      changes_.assign(g, updates);
      if (changes_.all().size() > batch_limit()) {
        changes_.clear();
        recompute(g);
      } else {
        insert_all(g);
        lose_all();
        changes_.clear();
        detail::edge_deletion<G>(g, tree_, memory_).run();
        finish_update(g);
      }
    }
  }

  /// The present tree: the relation of `dominators(g)`, but usually another numbering.
  constexpr dominator_tree snapshot() const {
    dominator_tree out;
    dominators_workspace workspace;
    snapshot(workspace, out);
    return out;
  }

  /// Copies the present tree into `out`.
  constexpr void snapshot(dominators_workspace& workspace, dominator_tree& out) const {
    dominators(detail::tree_as_graph{&tree_, epoch_}, semi_nca, workspace, out);
  }

  /// The number of nodes that the last update visited: searched, climbed over or moved; all, if it recomputed the tree.
  constexpr std::size_t visited() const { return memory_.visited; }

  /// The number of updates that recomputed the tree.
  constexpr std::size_t rebuilds() const { return rebuilds_; }

  /// Updates that visit more nodes than this give up.
  constexpr std::size_t work_limit() const { return 2 * num_nodes() + 64; }

  /// Batches of more changes than this are not tried one by one.
  constexpr std::size_t batch_limit() const { return num_nodes() / 20 + 4; }

private:
  friend detail::dynamic_tree_root;

  template <class G, class Visit> static constexpr void visit_successors(const G& g, node_id n, Visit visit) {
    for (const auto successor : g.successors(n)) {
      visit(detail::node_in(g, successor));
    }
  }

  /// Returns whether there is a tree to update: for the first nodes, computes a new tree.
  template <class G> constexpr bool start_update(const G& g) {
    const node_id count = detail::node_count(g);
    MIDEND_ASSERT(count >= num_nodes(), "a graph that has not lost nodes", count, num_nodes());
    if (root() == no_node) {
      if (count != 0) {
        recompute(g);
      }
      return false;
    }
    MIDEND_ASSERT(static_cast<node_id>(g.entry()) == root(), "the same entry", g.entry(), root());
    tree_.grow(count);
    memory_.grow(count);
    memory_.start(work_limit());
    return true;
  }

  template <class G> constexpr void finish_update(const G& g) {
    if (memory_.gave_up) {
      recompute(g);
    }
    epoch_ = graph_epoch(g);
  }

  template <class G> constexpr void recompute(const G& g) {
    assign(g);
    memory_.visited = num_nodes();
    ++rebuilds_;
  }

  template <class EachSuccessor> constexpr void insert(node_id source, node_id target, EachSuccessor each_successor) {
    detail::edge_insertion<EachSuccessor>(tree_, memory_, each_successor).run(source, target);
  }

  /// An edge from an unreachable node, or from one that the target dominates, is on no path to the target.
  constexpr void lose_edge(node_id source, node_id target) {
    if (is_reachable(source) && !tree_.is_ancestor(target, source)) {
      memory_.lost.push_back(target);
    }
  }

  template <class G> constexpr void apply_one(const G& g, edge_update update) {
    if (update.change == edge_change::insert) {
      insert_edge(g, update.source, update.target);
    } else {
      delete_edge(g, update.source, update.target);
    }
  }

  template <class G> constexpr void insert_all(const G& g) {
    for (std::size_t i = 0; i != changes_.all().size() && !memory_.gives_up(); ++i) {
      const auto change = changes_.all()[i];
      if (change.net > 0) {
        changes_.show_up_to(i);
        insert(change.source, change.target, [&](node_id n, auto visit) { changes_.for_each_successor(g, n, visit); });
      }
    }
  }

  constexpr void lose_all() {
    for (const auto change : changes_.all()) {
      if (change.net < 0) {
        lose_edge(change.source, change.target);
      }
    }
  }

  detail::linked_tree tree_;
  detail::update_memory memory_;
  detail::edge_changes changes_;
  std::uint64_t epoch_ = 0;
  std::size_t rebuilds_ = 0;
};

MIDEND_END_NAMESPACE
