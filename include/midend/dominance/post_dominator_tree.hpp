/// `post_dominator_tree`: the result type and its queries. `post_dominators.hpp` computes it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct post_dominator_tree_builder;
}

/// The post-dominance relation: `a` post-dominates `b` if every path from `b` to the virtual exit goes through `a`. The
/// virtual exit is a node after the last one of the graph, with an edge to it from each root; the policy chooses the
/// roots. So this is the dominator tree of the reversed graph, entered at the virtual exit.
///
/// All nodes count, also those that the entry does not reach. Nodes that reach no root are *diverging* and in no
/// relation: nothing post-dominates them, not even they themselves, and they post-dominate nothing. All queries also
/// accept `virtual_exit()`. At most 24 bytes a node.
class post_dominator_tree {
public:
  /// The nodes of the graph, without the virtual exit.
  constexpr std::size_t num_nodes() const { return tree_.num_nodes() == 0 ? 0 : tree_.num_nodes() - 1; }

  /// The number of the virtual exit, `num_nodes()`.
  constexpr node_id virtual_exit() const { return static_cast<node_id>(num_nodes()); }

  /// The nodes with an edge to the virtual exit, ascending.
  constexpr span<const node_id> roots() const { return roots_; }

  /// Whether no root is reached from `n`.
  constexpr bool is_diverging(node_id n) const { return !tree_.is_reachable(n); }

  /// The closest strict post-dominator of `n`; `no_node` where that is the virtual exit, and for diverging nodes.
  constexpr node_id immediate_post_dominator(node_id n) const { return real(tree_.immediate_dominator(n)); }

  /// Whether every path from `b` to the virtual exit goes through `a`. False if either is diverging. O(1).
  constexpr bool post_dominates(node_id a, node_id b) const { return tree_.dominates(a, b); }

  /// `post_dominates(a, b)` for different nodes. O(1).
  constexpr bool strictly_post_dominates(node_id a, node_id b) const { return tree_.strictly_dominates(a, b); }

  /// The closest node that post-dominates both; `no_node` if only the virtual exit does, or if either is diverging.
  /// O(d), where d is the difference in depth between the answer and the less deep of the two.
  constexpr node_id nearest_common_post_dominator(node_id a, node_id b) const {
    return real(tree_.nearest_common_dominator(a, b));
  }

  /// The number of strict post-dominators of `n`, the virtual exit among them: 0 for the virtual exit, `no_node` for
  /// diverging nodes.
  constexpr std::uint32_t depth(node_id n) const { return tree_.depth(n); }

  /// The nodes that `n` immediately post-dominates, in preorder; none for diverging nodes. Those whose immediate
  /// post-dominator is the virtual exit are its children.
  constexpr dominator_tree::child_range children(node_id n) const { return tree_.children(n); }

  /// The dominator tree of the reversed graph over `num_nodes() + 1` nodes, the virtual exit last: for subtrees,
  /// preorder and the other queries of a dominator tree. Its unreachable nodes are the diverging ones.
  constexpr const dominator_tree& tree() const { return tree_; }

  /// The `epoch()` of the graph that the tree was made of.
  constexpr std::uint64_t epoch() const { return tree_.epoch(); }

  /// Whether the relation, the roots, the nodes and their numbering are equal.
  friend constexpr bool operator==(const post_dominator_tree&, const post_dominator_tree&) = default;

private:
  friend detail::post_dominator_tree_builder;

  constexpr node_id real(node_id n) const { return n == virtual_exit() ? no_node : n; }

  dominator_tree tree_;
  flat_array<node_id> roots_;
};

MIDEND_END_NAMESPACE
