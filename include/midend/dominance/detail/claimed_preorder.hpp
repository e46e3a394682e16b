/// A preorder of the tree that claimed immediate dominators make.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominance_error.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Children of a node ascend.
struct claimed_preorder {
  flat_array<node_id> first_child;
  flat_array<node_id> next_sibling;
  flat_array<node_id> nodes; ///< in preorder

  /// Fails if the claims, one for each node, do not make a tree.
  constexpr std::optional<dominance_error> assign(std::span<const node_id> claims, node_id entry) {
    const std::size_t count = claims.size();
    std::size_t claimed = 1;
    first_child.assign(count, no_node);
    next_sibling.assign(count, no_node);
    for (auto n = static_cast<node_id>(count); n-- != 0;) {
      if (claims[n] == no_node) {
        continue;
      }
      if (claims[n] >= count || n == entry) {
        return dominance_error{dominance_error::reason::not_a_tree, n};
      }
      next_sibling[n] = first_child[claims[n]];
      first_child[claims[n]] = n;
      ++claimed;
    }
    list(claims, entry);
    if (nodes.size() != claimed) {
      return first_not_listed(claims);
    }
    return std::nullopt;
  }

  constexpr void list(std::span<const node_id> claims, node_id entry) {
    nodes.clear();
    for (node_id n = entry; n != no_node;) {
      nodes.push_back(n);
      node_id next = first_child[n];
      for (; next == no_node && n != entry; n = claims[n]) {
        next = next_sibling[n];
      }
      n = next;
    }
  }

  /// There is one: on a cycle of claims, or below one.
  constexpr dominance_error first_not_listed(std::span<const node_id> claims) {
    for (const node_id n : nodes) {
      next_sibling[n] = n; // as no node has otherwise
    }
    node_id n = 0;
    while (claims[n] == no_node || next_sibling[n] == n) {
      ++n;
    }
    return {dominance_error::reason::not_a_tree, n};
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
