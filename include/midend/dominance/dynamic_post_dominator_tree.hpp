/// `dynamic_post_dominator_tree`: post-dominators of a graph whose edges are inserted and deleted.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/reversed_to_exit.hpp"
#include "midend/dominance/dynamic_dominator_tree.hpp"
#include "midend/dominance/post_dominance_roots.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/edge_update.hpp"
#include "midend/support/chained_range.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `reversed_to_exit` with predecessors: `reversed(with_virtual_exit(g, roots))` without a walk over the nodes, because
/// the roots are known. Refers to all arguments.
template <bidirectional_flow_graph G> class reversed_from_roots : public reversed_to_exit<G> {
public:
  constexpr reversed_from_roots(const G& g, span<const node_id> roots, const flat_array<bool>& is_root)
      : reversed_to_exit<G>(g, roots), is_root_(&is_root) {}

  constexpr auto predecessors(node_id n) const {
    using range = chained_range<iterator_of<successors_of<G>>, sentinel_of<successors_of<G>>>;
    if (n == this->exit_) {
      return range();
    }
    auto&& own = this->graph_->successors(n);
    return range(std::begin(own), std::end(own), span(&this->exit_, (*is_root_)[n] ? 1 : 0));
  }

private:
  const flat_array<bool>* is_root_;
};

struct dynamic_tree_root {
  /// The root gets the number `count`, after all nodes.
  static constexpr void move_after_nodes(std::size_t count, dynamic_dominator_tree& tree) {
    if (tree.root() != no_node) {
      tree.tree_.grow(count + 1);
      tree.memory_.grow(count + 1);
      tree.tree_.rename_root(static_cast<node_id>(count));
    }
  }
};

} // namespace detail

/// A post-dominator tree that follows its graph: a `dynamic_dominator_tree` of the reversed graph, entered at a virtual
/// exit that leads to the roots which the policy chooses. It gives the answers of `post_dominator_tree` and has the
/// requirements of `dynamic_dominator_tree`; also, updates must name all edges.
///
/// A change of the roots is a change of edges of the virtual exit and is done as one. A tree is recomputed only for the
/// reasons that `dynamic_dominator_tree` has. The roots after an update:
///
/// - `given_roots`: always the given ones; they are copied.
/// - `exits_only`: only new nodes and sources of changed edges can become exits or stop being exits.
/// - `virtual_edge_per_endless_region`: as `exits_only` if there is no endless region. While there is one, each update
///   searches the graph for roots, in O(n + m); `root_searches()` counts these searches.
///
/// Cost: as `dynamic_dominator_tree`, apart from searches for roots and O(roots) when one changes.
template <post_dominance_policy_argument Policy = virtual_edge_per_endless_region_t> class dynamic_post_dominator_tree {
public:
  /// The tree of the graph without nodes.
  constexpr dynamic_post_dominator_tree() = default;

  template <bidirectional_flow_graph G> constexpr explicit dynamic_post_dominator_tree(const G& g, Policy policy = {}) {
    assign(g, policy);
  }

  template <detail::meant_as_graph G>
    requires(!bidirectional_flow_graph<G>)
  explicit dynamic_post_dominator_tree(const G&, Policy = {}) {
    detail::bidirectional_flow_graph_contract::explain<G>();
  }

  /// Computes the tree of another graph, or of this one, from scratch. Allocates nothing if an earlier graph was at
  /// least as large.
  template <bidirectional_flow_graph_argument G> constexpr void assign(const G& g, Policy policy = {}) {
    post_dominance_roots(g, policy, workspace_, roots_);
    is_root_.assign(detail::node_count(g), false);
    for (const node_id root : roots_) {
      is_root_[root] = true;
    }
    count_endless_roots(g);
    tree_.assign(reversed(g));
  }

  /// The nodes of the graph, without the virtual exit.
  constexpr std::size_t num_nodes() const { return is_root_.size(); }

  /// The number of the virtual exit, `num_nodes()`. It changes when the graph grows.
  constexpr node_id virtual_exit() const { return static_cast<node_id>(num_nodes()); }

  /// The nodes with an edge to the virtual exit, ascending.
  constexpr span<const node_id> roots() const { return roots_; }

  /// Whether no root is reached from `n`.
  constexpr bool is_diverging(node_id n) const { return !tree_.is_reachable(n); }

  /// The closest strict post-dominator of `n`; `no_node` where that is the virtual exit, and for diverging nodes.
  constexpr node_id immediate_post_dominator(node_id n) const { return real(tree_.immediate_dominator(n)); }

  /// The number of strict post-dominators of `n`, the virtual exit among them; `no_node` for diverging nodes.
  constexpr std::uint32_t depth(node_id n) const { return tree_.depth(n); }

  /// Whether every path from `b` to the virtual exit goes through `a`. False if either is diverging. O(depth).
  constexpr bool post_dominates(node_id a, node_id b) const { return tree_.dominates(a, b); }

  /// `post_dominates(a, b)` for different nodes.
  constexpr bool strictly_post_dominates(node_id a, node_id b) const { return tree_.strictly_dominates(a, b); }

  /// The closest node that post-dominates both; `no_node` if only the virtual exit does, or if either is diverging.
  /// O(depth).
  constexpr node_id nearest_common_post_dominator(node_id a, node_id b) const {
    return real(tree_.nearest_common_dominator(a, b));
  }

  /// The nodes that `n`, which may be the virtual exit, immediately post-dominates, in no particular order.
  constexpr dynamic_dominator_tree::child_range children(node_id n) const { return tree_.children(n); }

  /// The tree of the reversed graph, in which the virtual exit is the last node: for a `snapshot()`, which corresponds
  /// to `post_dominator_tree::tree()`, and for the counts of the last update, or of its second step.
  constexpr const dynamic_dominator_tree& tree() const { return tree_; }

  /// The `epoch()` of the graph at the last update.
  constexpr std::uint64_t epoch() const { return tree_.epoch(); }

  /// The edge `source → target` was inserted; `g` has it.
  template <bidirectional_flow_graph_argument G>
  constexpr void insert_edge(const G& g, node_id source, node_id target) {
    const edge_update update{edge_change::insert, source, target};
    apply(g, span(&update, 1));
  }

  /// The edge `source → target` was deleted; `g` no longer has it.
  template <bidirectional_flow_graph_argument G>
  constexpr void delete_edge(const G& g, node_id source, node_id target) {
    const edge_update update{edge_change::erase, source, target};
    apply(g, span(&update, 1));
  }

  /// All of `updates` happened, in any order, and led to `g`.
  template <bidirectional_flow_graph_argument G> constexpr void apply(const G& g, span<const edge_update> updates) {
    const auto old_count = static_cast<node_id>(num_nodes());
    grow(detail::node_count(g));
    updates_.clear();
    for (const edge_update update : updates) {
      updates_.push_back({update.change, update.target, update.source});
    }
    if constexpr (!std::same_as<Policy, given_roots>) {
      if (num_endless_roots_ == 0) {
        update_exits(g, old_count, updates);
      } else {
        search_roots(g);
      }
    }
    tree_.apply(reversed(g), updates_);
    if constexpr (std::same_as<Policy, virtual_edge_per_endless_region_t>) {
      if (tree_.num_reachable() != tree_.num_nodes()) { // a new endless region
        updates_.clear();
        search_roots(g);
        tree_.apply(reversed(g), updates_);
      }
    }
  }

  /// The number of updates that searched the graph for roots.
  constexpr std::size_t root_searches() const { return root_searches_; }

  /// The number of updates that recomputed the tree.
  constexpr std::size_t rebuilds() const { return tree_.rebuilds(); }

private:
  constexpr node_id real(node_id n) const { return n == virtual_exit() ? no_node : n; }

  template <class G> constexpr detail::reversed_from_roots<G> reversed(const G& g) const {
    return {g, roots_, is_root_};
  }

  template <class G> static constexpr bool is_exit(const G& g, node_id n) {
    auto&& successors = g.successors(n);
    return std::begin(successors) == std::end(successors);
  }

  template <class G> constexpr void count_endless_roots(const G& g) {
    num_endless_roots_ = 0;
    if constexpr (std::same_as<Policy, virtual_edge_per_endless_region_t>) {
      for (const node_id root : roots_) {
        num_endless_roots_ += !is_exit(g, root);
      }
    }
  }

  /// The virtual exit stays after the last node.
  constexpr void grow(node_id count) {
    MIDEND_ASSERT(count >= num_nodes(), "a graph that has not lost nodes", count, num_nodes());
    if (count != num_nodes()) {
      is_root_.reserve(count);
      while (is_root_.size() != count) {
        is_root_.push_back(false);
      }
      detail::dynamic_tree_root::move_after_nodes(count, tree_);
    }
  }

  constexpr void set_root(node_id n, bool is_root) {
    is_root_[n] = is_root;
    updates_.push_back({is_root ? edge_change::insert : edge_change::erase, virtual_exit(), n});
  }

  /// Only sources of updates and new nodes can change.
  template <class G> constexpr void update_exits(const G& g, node_id old_count, span<const edge_update> updates) {
    const std::size_t before = updates_.size();
    const auto look_at = [&](node_id n) {
      if (is_exit(g, n) != is_root_[n]) {
        set_root(n, !is_root_[n]);
      }
    };
    for (const edge_update update : updates) {
      look_at(update.source);
    }
    for (node_id n = old_count; n != num_nodes(); ++n) {
      look_at(n);
    }
    if (updates_.size() != before) {
      update_list_of_roots(span<const edge_update>(updates_).subspan(before));
    }
  }

  constexpr void update_list_of_roots(span<const edge_update> changes) {
    std::size_t kept = 0;
    for (const node_id root : roots_) {
      roots_[kept] = root;
      kept += is_root_[root];
    }
    roots_.shrink(kept);
    for (const edge_update change : changes) {
      if (change.change == edge_change::insert) {
        roots_.push_back(change.target);
      }
    }
    detail::sort(roots_);
  }

  template <class G> constexpr void search_roots(const G& g) {
    ++root_searches_;
    post_dominance_roots(g, Policy(), workspace_, new_roots_);
    for (const node_id root : roots_) {
      is_root_[root] = false;
    }
    for (const node_id root : new_roots_) {
      is_root_[root] = true;
    }
    tell_differences();
    roots_.swap(new_roots_);
    count_endless_roots(g);
  }

  /// Compares two ascending lists.
  constexpr void tell_differences() {
    std::size_t i = 0;
    for (const node_id root : new_roots_) {
      while (i != roots_.size() && roots_[i] < root) {
        updates_.push_back({edge_change::erase, virtual_exit(), roots_[i++]});
      }
      if (i != roots_.size() && roots_[i] == root) {
        ++i;
      } else {
        updates_.push_back({edge_change::insert, virtual_exit(), root});
      }
    }
    while (i != roots_.size()) {
      updates_.push_back({edge_change::erase, virtual_exit(), roots_[i++]});
    }
  }

  dynamic_dominator_tree tree_;
  flat_array<node_id> roots_;
  flat_array<node_id> new_roots_;
  flat_array<bool> is_root_;
  flat_array<edge_update> updates_;
  post_dominance_roots_workspace workspace_;
  std::size_t num_endless_roots_ = 0;
  std::size_t root_searches_ = 0;
};

template <class G> dynamic_post_dominator_tree(const G&) -> dynamic_post_dominator_tree<>;

MIDEND_END_NAMESPACE
