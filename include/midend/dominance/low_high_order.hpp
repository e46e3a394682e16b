/// `low_high_order`: the witness that a tree is the dominator tree. `verify_low_high.hpp` says what it proves, and how.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/claimed_preorder.hpp"
#include "midend/dominance/detail/derived_edges.hpp"
#include "midend/dominance/detail/sibling_placement.hpp"
#include "midend/dominance/dominance_error.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

class low_high_builder {
public:
  /// `preorder` is one of the tree that the claims make.
  template <class G>
  constexpr std::optional<dominance_error> run(const G& g, std::span<const node_id> claims,
                                               std::span<const node_id> preorder, flat_array<node_id>& out) {
    if (!derived_.find_joins(g, claims, preorder)) {
      out.assign(preorder); // all have an edge from their parent
      return std::nullopt;
    }
    if (const auto error = derived_.derive(g, claims, preorder)) {
      return error;
    }
    if (const std::uint32_t wrong = placement_.run(derived_)) {
      return dominance_error{dominance_error::reason::not_closest, preorder[wrong]};
    }
    out.resize_for_overwrite(preorder.size());
    for (std::size_t x = 0; x != preorder.size(); ++x) {
      out[placement_.position[x]] = preorder[x];
    }
    return std::nullopt;
  }

  template <class G>
  constexpr std::optional<dominance_error> run(const G& g, std::span<const node_id> claims, flat_array<node_id>& out) {
    out.clear();
    if (claims.size() != node_count(g)) {
      return dominance_error{dominance_error::reason::wrong_size};
    }
    if (claims.empty()) {
      return std::nullopt;
    }
    const auto error = preorder_.assign(claims, static_cast<node_id>(g.entry()));
    return error ? error : run(g, claims, preorder_.nodes, out);
  }

private:
  claimed_preorder preorder_;
  derived_edges derived_;
  sibling_placement placement_;
};

} // namespace detail

/// Memory for orders that are built again and again.
class low_high_order_workspace {
public:
  /// For the algorithms; not part of the interface.
  detail::low_high_builder builder_;
};

/// A low-high order of a dominator tree: a preorder, in which each node but the entry has an edge from its parent, or
/// one from a node before it and one from a node behind its subtree. Refills `out` with the nodes of the tree; gives an
/// error and leaves anything in `out` if the tree is not that of `g`. It may as well overlook that: only
/// `verify_low_high` tells whether the order proves the tree.
///
/// The order is that of Georgiadis, Tarjan, "Dominator tree certification and divergent spanning trees", ACM Trans.
/// Algorithms 12(1), 2015. As there, it is found for the children of each node by themselves, from the edges between
/// siblings that the graph's edges stand for. Ours differs in how: only children without an edge from their parent are
/// looked at, and they are put in place by semidominators of a search among siblings (see
/// `detail/sibling_placement.hpp`), neither by contraction of edges nor from spanning trees, and without a data
/// structure for order in lists. Nothing is shared with what finds dominators.
///
/// Duplicate edges, self loops and edges from unreachable nodes change nothing. Where the order of siblings is free it
/// is that of the tree's preorder, so it depends on that. O((n + m) log n) time, in practice linear; at most 80 bytes a
/// node and 12 an edge of workspace. Allocates nothing once workspace and result have seen a graph as large.
template <flow_graph G>
constexpr std::optional<dominance_error> low_high_order(const G& g, const dominator_tree& tree,
                                                        low_high_order_workspace& workspace, flat_array<node_id>& out) {
  detail::require_tree_of(g, tree);
  return workspace.builder_.run(g, tree.immediate_dominators(), tree.preorder(), out);
}

/// The same for immediate dominators by node, `no_node` for the entry and for unreachable nodes. They may come from
/// anywhere and hold anything. 8 bytes a node more.
template <flow_graph G>
constexpr std::optional<dominance_error> low_high_order(const G& g, std::span<const node_id> immediate_dominators,
                                                        low_high_order_workspace& workspace, flat_array<node_id>& out) {
  return workspace.builder_.run(g, immediate_dominators, out);
}

/// The order, or the error. `Claims` is a `dominator_tree` or a range of immediate dominators by node.
template <flow_graph G, class Claims>
constexpr result<flat_array<node_id>, dominance_error> low_high_order(const G& g, const Claims& claims) {
  low_high_order_workspace workspace;
  flat_array<node_id> out;
  if (const auto error = low_high_order(g, claims, workspace, out)) {
    return *error;
  }
  return out;
}

MIDEND_END_NAMESPACE
