/// `dominance_error`: the first error in claims about dominators, and its place.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The first error in claimed immediate dominators, or in the low-high order that is their proof.
struct dominance_error {
  enum class reason : std::uint8_t {
    wrong_size,     ///< there is not one claim for each node, or the order has more nodes than the graph, or none
    not_a_tree,     ///< the claimed dominators of `node`, one above the other, do not end at the entry
    not_a_preorder, ///< in the order, `node` is missing, is there twice, or is not where a preorder of the tree has it
    edge_leaves_tree,  ///< `source` → `node` is an edge, but `node` is claimed to be unreachable
    edge_avoids_claim, ///< `source` → `node` is an edge, but the claimed dominator of `node` is not above `source`
    not_closest,   ///< `node` lacks two paths that meet only at its claimed dominator: a closer node dominates it, or
                   ///< it is unreachable
    wrong_numbers, ///< the number, depth or subtree that a `dominator_tree` has for `node` is not that of its tree
  };

  reason why{};
  node_id node = no_node;
  node_id source = no_node;

  friend constexpr bool operator==(const dominance_error&, const dominance_error&) = default;
};

MIDEND_END_NAMESPACE
