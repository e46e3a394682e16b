/// Post-dominators of a control-flow graph, by a policy for endless code and any of the dominator algorithms.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/reversed_to_exit.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/dominance/post_dominance_roots.hpp"
#include "midend/dominance/post_dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Memory for post-dominators that are computed again and again, by any policy and algorithm.
class post_dominators_workspace {
  friend detail::post_dominator_tree_builder;

  dominators_workspace dominators_;
  post_dominance_roots_workspace roots_;
};

namespace detail {

/// The other algorithms do not search with `number_and_chain`.
template <class Algorithm>
concept takes_late_roots =
    !std::same_as<Algorithm, cooper_harvey_kennedy_t> && !std::same_as<Algorithm, naive_dominators_t>;

struct post_dominator_tree_builder {
  template <class G, class Policy, class Algorithm>
  static constexpr void run(const G& g, Policy policy, Algorithm algorithm, post_dominators_workspace& workspace,
                            post_dominator_tree& out) {
    if constexpr (bidirectional_flow_graph<G>) {
      build(g, policy, algorithm, workspace, out);
    } else {
      csr_graph& copy = workspace.roots_.copy_;
      copy.assign(g);
      build(copy, policy, algorithm, workspace, out);
    }
  }

private:
  template <class G, class Policy, class Algorithm>
  static constexpr void build(const G& g, Policy policy, Algorithm algorithm, post_dominators_workspace& workspace,
                              post_dominator_tree& out) {
    post_dominance_roots(g, policy, workspace.roots_, out.roots_);
    dominators(reversed_to_exit<G>(g, out.roots_), algorithm, workspace.dominators_, out.tree_);
  }

  /// Needs no backward search from the exits: the search for dominators finds the nodes that reach no exit.
  template <class G, takes_late_roots Algorithm>
  static constexpr void build(const G& g, virtual_edge_per_endless_region_t, Algorithm algorithm,
                              post_dominators_workspace& workspace, post_dominator_tree& out) {
    endless_region_search& endless = workspace.roots_.endless_;
    endless.clear();
    list_exits(g, out.roots_);
    dominators(reversed_to_exit<G>(g, out.roots_, &endless), algorithm, workspace.dominators_, out.tree_);
    merge_ascending(out.roots_, endless.roots());
  }
};

} // namespace detail

/// The post-dominator tree of `g`, refilling `out`; allocates nothing once workspace and result have seen a graph as
/// large.
///
/// The policy says where control ends in code that reaches no exit; `docs/post_dominance.md` compares the policies with
/// what compilers do. Post-dominators are the dominators of the reversed graph, entered at a virtual exit that leads to
/// the roots; for the papers see the algorithms. All nodes and edges count, also unreachable ones; duplicate edges and
/// self loops change only whether a region is endless. All algorithms give the same
/// relation; siblings may be in another order.
///
/// Requires fewer than `max_nodes` nodes. Reads each list of predecessors once (the oracle: n times). Reads successors
/// once for the exits, at most twice more if there are endless regions, and not at all for `given_roots`. A graph
/// without predecessors is copied into the workspace. Cost: see the algorithms; with endless regions O(n + m) more.
template <flow_graph_argument G, post_dominance_policy_argument Policy, dominator_algorithm_argument Algorithm>
constexpr void post_dominators(const G& g, Policy policy, Algorithm algorithm, post_dominators_workspace& workspace,
                               post_dominator_tree& out) {
  detail::post_dominator_tree_builder::run(g, policy, algorithm, workspace, out);
}

/// Computes the tree by semi-NCA.
template <flow_graph_argument G, post_dominance_policy_argument Policy>
constexpr void post_dominators(const G& g, Policy policy, post_dominators_workspace& workspace,
                               post_dominator_tree& out) {
  post_dominators(g, policy, semi_nca, workspace, out);
}

/// The post-dominator tree of `g` by the given policy and algorithm.
template <flow_graph_argument G, post_dominance_policy_argument Policy = virtual_edge_per_endless_region_t,
          dominator_algorithm_argument Algorithm = semi_nca_t>
constexpr post_dominator_tree post_dominators(const G& g, Policy policy = {}, Algorithm algorithm = {}) {
  post_dominator_tree out;
  post_dominators_workspace workspace;
  post_dominators(g, policy, algorithm, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
