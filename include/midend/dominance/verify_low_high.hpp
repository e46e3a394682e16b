/// `verify_low_high`: whether claimed immediate dominators are right, checked with a proof, the low-high order. This
/// header, and the code that reads the graph, is all that must be trusted. Nothing here computes dominators.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominance_error.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {
class low_high_verifier;
}

/// Memory for orders that are verified again and again.
class verify_low_high_workspace {
  friend class detail::low_high_verifier;

  /// The position of a node in the order.
  struct place {
    std::uint32_t parent;  ///< its place; that of the entry itself for the entry
    std::uint32_t size;    ///< of the subtree
    std::uint32_t sources; ///< where edges come from
  };

  flat_array<std::uint32_t> position_; ///< by node: the index of its place
  flat_array<place> places_;
};

namespace detail {

using node_list = span<const node_id>;
using found_error = optional<dominance_error>;

class low_high_verifier {
public:
  constexpr explicit low_high_verifier(verify_low_high_workspace& workspace)
      : position_(workspace.position_), places_(workspace.places_) {}

  /// `fits(n, parent, size)` checks more of each node once its place is verified; false is an error.
  template <class G, class Fits>
  constexpr found_error run(const G& g, node_list claims, node_list order, const Fits& fits) {
    if (claims.size() != node_count(g) || order.size() > claims.size() || order.empty() != claims.empty()) {
      return dominance_error{reason::wrong_size};
    }
    found_error found = place_nodes(g, claims, order);
    found = found ? found : look_at_edges(g);
    return found ? found : look_at_places(claims, order, fits);
  }

private:
  using place = verify_low_high_workspace::place;
  using reason = dominance_error::reason;

  static constexpr std::uint32_t low = 1;
  static constexpr std::uint32_t high = 2;

  /// The entry comes first, and each other node once, after its claimed parent; all nodes that claim a parent are
  /// there.
  template <class G> constexpr found_error place_nodes(const G& g, node_list claims, node_list order) {
    const auto end = static_cast<std::uint32_t>(order.size());
    const std::size_t count = claims.size();
    position_.assign(count, end); // nodes that are not in the order share one place after it
    places_.resize_for_overwrite(end + std::size_t{1});
    std::uint32_t* const position = position_.data();
    place* const places = places_.data();
    places[end] = {end, 0, 0};
    if (end != 0) {
      if (order[0] != g.entry() || claims[order[0]] != no_node) {
        return dominance_error{reason::not_a_preorder, order[0]};
      }
      position[order[0]] = 0;
      places[0] = {0, 1, low | high};
    }
    for (std::uint32_t i = 1; i < end; ++i) {
      const node_id n = order[i];
      if (n >= count || position[n] != end || claims[n] >= count || position[claims[n]] == end) {
        return dominance_error{reason::not_a_preorder, n};
      }
      position[n] = i;
      places[i] = {position[claims[n]], 1, 0};
    }
    for (node_id n = 0; end != claims.size() && n != claims.size(); ++n) {
      if (position_[n] == end && claims[n] != no_node) {
        return dominance_error{reason::not_a_preorder, n};
      }
    }
    for (std::uint32_t i = end; i-- > 1;) {
      places[places[i].parent].size += places[i].size;
    }
    return std::nullopt;
  }

  /// No edge leaves the tree, and each comes from the parent of its target or from below the parent.
  template <class G> constexpr found_error look_at_edges(const G& g) {
    found_error found;
    const auto end = static_cast<std::uint32_t>(places_.size() - 1);
    for_each_edge(g, [&](edge_id, node_id source, node_id target) {
      const std::uint32_t from = position_[source];
      const std::uint32_t to = position_[target];
      place& at = places_[to];
      const bool below_parent = from - at.parent < places_[at.parent].size;
      if (!below_parent && from != end && !found) [[unlikely]] {
        found = dominance_error{to == end ? reason::edge_leaves_tree : reason::edge_avoids_claim, target, source};
      }
      at.sources |= from < to ? low : 0;
      at.sources |= (from == at.parent) | (below_parent & (from >= to + at.size)) ? high : 0;
    });
    return found;
  }

  /// Each subtree ends within that of the parent; so it is an interval, because it has no more places than nodes. Edges
  /// come from the parent, or from before the node and from after its subtree.
  template <class Fits>
  constexpr found_error look_at_places(node_list claims, node_list order, const Fits& fits) const {
    for (std::size_t i = 0; i != order.size(); ++i) {
      const place& at = places_[i];
      if (i + at.size > at.parent + std::size_t{places_[at.parent].size}) {
        return dominance_error{reason::not_a_preorder, order[i]};
      }
      if (at.sources != (low | high)) {
        return dominance_error{reason::not_closest, order[i]};
      }
      if (!fits(order[i], claims[order[i]], at.size)) {
        return dominance_error{reason::wrong_numbers, order[i]};
      }
    }
    return std::nullopt;
  }

  flat_array<std::uint32_t>& position_;
  flat_array<place>& places_;
};

/// For claims about immediate dominators only.
struct no_more_claims {
  constexpr bool operator()(node_id, node_id, std::uint32_t) const { return true; }
};

/// The other answers of a tree. Its preorder is verified as the order is: the node's number belongs to
/// no other node, comes after the parent's, and the subtree ends within that of the parent.
template <class Tree> class tree_numbers {
public:
  constexpr explicit tree_numbers(const Tree& tree) : tree_(tree) {}

  constexpr bool operator()(node_id n, node_id parent, std::uint32_t right_size) const {
    const std::uint32_t number = tree_.preorder_number(n);
    if (number >= tree_.num_reachable() || tree_.preorder()[number] != n || size(n) != right_size) {
      return false;
    }
    if (parent == no_node) {
      return right_size == tree_.num_reachable() && tree_.depth(n) == 0;
    }
    return std::uint64_t{number - tree_.preorder_number(parent)} + right_size <= size(parent) &&
           tree_.depth(n) == tree_.depth(parent) + 1;
  }

  /// Checks the nodes that are not in the tree, once it is verified which these are.
  constexpr found_error look_at_others(node_list claims, node_list order) const {
    for (node_id n = 0; order.size() != claims.size() && n != claims.size(); ++n) {
      if (claims[n] == no_node && n != order[0] &&
          (tree_.is_reachable(n) || size(n) != 0 || tree_.depth(n) != no_node)) {
        return dominance_error{dominance_error::reason::wrong_numbers, n};
      }
    }
    return std::nullopt;
  }

private:
  constexpr std::uint32_t size(node_id n) const { return static_cast<std::uint32_t>(tree_.subtree(n).size()); }

  const Tree& tree_;
};

} // namespace detail

/// Whether `immediate_dominators`, by node, are those of `g`: proven by `order`, a low-high order of the tree that they
/// make. Returns the first error, or nothing if they are right. Neither is trusted: both may hold any values.
///
/// Georgiadis, Tarjan, "Dominator tree certification and divergent spanning trees", ACM Trans. Algorithms 12(1), 2015.
/// Right claims have such an order (`low_high_order` finds one), wrong ones have none. The checks, and why they are
/// enough:
///
/// 1. The claims make a tree of the entry and the nodes with a claim, `order` is a preorder of it, and no edge leads
///    from it to another node. (`no_node` for the entry and for unreachable nodes.)
/// 2. For each edge u → v in the tree, the parent of v is u or above u. So each path to a node goes through its parent:
///    parents dominate.
/// 3. Each v but the entry has an edge from its parent; or one from a u before it and one from a w after its subtree.
///    So nothing closer dominates: a walk back along edges of the first kind visits only nodes before v; one along
///    edges of the second kind visits only nodes that are before v if siblings are in the opposite order; nodes of both
///    kinds are ancestors of v.
///
/// Edges from outside the tree and self loops are ignored; parallel edges count once. O(n + m) time: a walk over the
/// order, one over the edges and one over the tree; 16 bytes a node of workspace. Allocates nothing once the workspace
/// has seen a graph as large.
template <flow_graph_argument G>
constexpr optional<dominance_error> verify_low_high(const G& g, span<const node_id> immediate_dominators,
                                                    span<const node_id> order, verify_low_high_workspace& workspace) {
  return detail::low_high_verifier(workspace).run(g, immediate_dominators, order, detail::no_more_claims());
}

/// Checks all answers of `tree`: immediate dominators, reachability, preorder, intervals and depths. Requires a tree of
/// this size and epoch, as every function of a graph and a tree does; for another tree, check
/// `tree.immediate_dominators()`.
template <flow_graph_argument G>
constexpr optional<dominance_error> verify_low_high(const G& g, const dominator_tree& tree, span<const node_id> order,
                                                    verify_low_high_workspace& workspace) {
  detail::require_tree_of(g, tree);
  const detail::tree_numbers numbers(tree);
  const auto error = detail::low_high_verifier(workspace).run(g, tree.immediate_dominators(), order, numbers);
  return error ? error : numbers.look_at_others(tree.immediate_dominators(), order);
}

/// Returns nothing if the claims, a `dominator_tree` or a range of immediate dominators by node, are right.
template <flow_graph_argument G, class Claims>
constexpr optional<dominance_error> verify_low_high(const G& g, const Claims& claims, span<const node_id> order) {
  verify_low_high_workspace workspace;
  return verify_low_high(g, claims, order, workspace);
}

MIDEND_END_NAMESPACE
