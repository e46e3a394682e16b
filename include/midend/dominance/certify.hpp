/// `certify`: whether a tree is the dominator tree of a graph. Builds a low-high order, the witness, and verifies it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominance_error.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/low_high_order.hpp"
#include "midend/dominance/verify_low_high.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct claim_certifier;
}

/// Memory for trees that are certified again and again.
class certify_workspace {
  friend detail::claim_certifier;

  low_high_order_workspace building_;
  verify_low_high_workspace verifying_;
  flat_array<node_id> order_;
};

namespace detail {

struct claim_certifier {
  template <class G, class Claims>
  static constexpr optional<dominance_error> run(const G& g, const Claims& claims, certify_workspace& workspace) {
    const auto error = low_high_order(g, claims, workspace.building_, workspace.order_);
    return error ? error : verify_low_high(g, claims, workspace.order_, workspace.verifying_);
  }
};

} // namespace detail

/// Returns nothing if all answers of `tree` are right for `g`: immediate dominators, reachability, preorder, intervals
/// and depths. Otherwise returns the first error. A tree is accepted only if `verify_low_high` accepts it, however the
/// order was found. No correct tree is rejected, because each has such an order and `low_high_order` finds it.
///
/// A post-dominator tree is certified as a dominator tree of the reversed graph with its virtual exit. Requires a tree
/// of this size and epoch. For unreachable nodes, duplicate edges, self loops and cost see `low_high_order` and
/// `verify_low_high`.
template <flow_graph_argument G>
constexpr optional<dominance_error> certify(const G& g, const dominator_tree& tree, certify_workspace& workspace) {
  return detail::claim_certifier::run(g, tree, workspace);
}

/// Certifies immediate dominators by node, from this library or another, `no_node` for the entry and for unreachable
/// nodes. Any values are allowed.
template <flow_graph_argument G>
constexpr optional<dominance_error> certify(const G& g, span<const node_id> immediate_dominators,
                                            certify_workspace& workspace) {
  return detail::claim_certifier::run(g, immediate_dominators, workspace);
}

/// Returns nothing if the claims, a `dominator_tree` or a range of immediate dominators by node, are right.
template <flow_graph_argument G, class Claims>
constexpr optional<dominance_error> certify(const G& g, const Claims& claims) {
  certify_workspace workspace;
  return certify(g, claims, workspace);
}

MIDEND_END_NAMESPACE
