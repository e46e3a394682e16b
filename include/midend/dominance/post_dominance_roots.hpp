/// The ends of control for post-dominance: the policies for code that reaches no exit, and the roots that they choose.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/endless_regions.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"
#include "midend/support/work_stack.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

// A root is a node with an edge to the virtual exit. An exit is a node without successors, reachable or not.

/// The roots are the exits. Nodes that reach no exit are *diverging*: they post-dominate nothing and nothing
/// post-dominates them.
struct exits_only_t {};

/// The default: the roots are the exits and one node of each endless region, so that no node is diverging.
///
/// An endless region is a strongly connected component that has an edge and that no edge leaves. Its root is its node
/// last in reverse postorder of `depth_first_order(g)`, which takes successors first to last: the latch of a simple
/// loop. In a region that the entry does not reach, it is the node with the highest number.
struct virtual_edge_per_endless_region_t {};

/// The roots are these nodes, in any order; duplicates count once. Nodes that reach none of them are diverging,
/// also exits that are not among them. The span must not refer to the result that is refilled.
struct given_roots {
  span<const node_id> nodes;
};

inline constexpr exits_only_t exits_only{};
inline constexpr virtual_edge_per_endless_region_t virtual_edge_per_endless_region{};

template <class T>
concept post_dominance_policy =
    std::same_as<T, exits_only_t> || std::same_as<T, virtual_edge_per_endless_region_t> || std::same_as<T, given_roots>;

namespace detail {

MIDEND_REQUIRED(post_dominance_policy,
                "a policy for post-dominators, which says where control ends, is "
                "midend::virtual_edge_per_endless_region, midend::exits_only or `midend::given_roots{nodes}`");

} // namespace detail

/// For signatures: a `post_dominance_policy`; any other type is an error with a reason.
template <class T>
concept post_dominance_policy_argument = post_dominance_policy<T> || detail::post_dominance_policy_row::explain<T>();

namespace detail {

/// The nodes without successors, ascending. Whether a node is an exit is hard to predict, so the loop for `csr_graph`
/// has no branch on it.
template <class G> constexpr void list_exits(const G& g, flat_array<node_id>& out) {
  const node_id count = node_count(g);
  out.resize_for_overwrite(count);
  node_id* const exits = out.data();
  std::size_t found = 0;
  if constexpr (std::is_same_v<G, csr_graph>) {
    const edge_id* const offsets = g.offsets().data();
    edge_id first = 0;
    for (node_id n = 0; n != count; ++n) {
      const edge_id last = offsets[n + std::size_t{1}];
      exits[found] = n;
      found += first == last;
      first = last;
    }
  } else {
    for (node_id n = 0; n != count; ++n) {
      auto&& successors = g.successors(n);
      exits[found] = n;
      found += std::begin(successors) == std::end(successors);
    }
  }
  out.shrink(found);
}

constexpr void list_given(given_roots given, [[maybe_unused]] std::size_t num_nodes, flat_array<node_id>& out) {
  out.assign(given.nodes);
  sort_and_deduplicate(out);
  MIDEND_ASSERT(out.empty() || out.back() < num_nodes, "roots that are nodes of the graph", out.back(), num_nodes);
}

/// Searches backwards from `roots` and sets `is_reached`. Returns how many nodes reach them.
template <class G>
constexpr std::size_t mark_what_reaches(span<const node_id> roots, const G& g, flat_array<bool>& is_reached,
                                        flat_array<node_id>& memory) {
  is_reached.assign(node_count(g), false);
  bool* const reached = is_reached.data();
  std::size_t count = 0;
  work_stack<node_id> pending(memory);
  const auto reach = [&](node_id n) {
    if (!reached[n]) {
      reached[n] = true;
      ++count;
      pending.push(n);
    }
  };
  for (const node_id root : roots) {
    reach(root);
  }
  while (!pending.empty()) {
    for (const auto predecessor : g.predecessors(pending.pop())) {
      reach(node_in(g, predecessor));
    }
  }
  return count;
}

struct post_dominance_root_search;
struct post_dominator_tree_builder;

} // namespace detail

/// Memory for roots that are computed again and again.
class post_dominance_roots_workspace {
  friend detail::post_dominance_root_search;
  friend detail::post_dominator_tree_builder;

  csr_graph copy_; ///< of a graph without predecessors
  flat_array<bool> is_reached_;
  flat_array<node_id> pending_;
  detail::endless_region_search endless_;
};

namespace detail {

struct post_dominance_root_search {
  template <class G, class Policy>
  static constexpr void run(const G& g, Policy policy, post_dominance_roots_workspace& workspace,
                            flat_array<node_id>& out) {
    if constexpr (std::same_as<Policy, given_roots>) {
      list_given(policy, node_count(g), out);
    } else {
      list_exits(g, out);
    }
    if constexpr (std::same_as<Policy, virtual_edge_per_endless_region_t>) {
      if constexpr (bidirectional_flow_graph<G>) {
        add_endless_roots(g, workspace, out);
      } else {
        workspace.copy_.assign(g);
        add_endless_roots(workspace.copy_, workspace, out);
      }
    }
  }

private:
  /// Adds the roots of the endless regions to the exits.
  template <class G>
  static constexpr void add_endless_roots(const G& g, post_dominance_roots_workspace& workspace,
                                          flat_array<node_id>& roots) {
    flat_array<bool>& is_reached = workspace.is_reached_;
    if (mark_what_reaches(roots, g, is_reached, workspace.pending_) != is_reached.size()) {
      workspace.endless_.run(g, [&](node_id n) { return is_reached.data()[n]; });
      merge_ascending(roots, workspace.endless_.roots());
    }
  }
};

} // namespace detail

/// The roots that a policy chooses in `g`, ascending, refilling `out`; allocates nothing once workspace and result have
/// seen a graph as large.
///
/// All nodes count, unreachable ones too; duplicate edges change nothing; a self loop is an edge of an endless region.
/// `given_roots` must be nodes of `g`. Endless regions are searched only among the nodes that a backward search from
/// the exits does not reach; for this search, a graph without predecessors is copied into the workspace. `exits_only`
/// walks the nodes once, `given_roots` sorts, the default takes O(n + m); 5 to 45 bytes a node and up to 16 an edge of
/// workspace.
template <flow_graph_argument G, post_dominance_policy_argument Policy>
constexpr void post_dominance_roots(const G& g, Policy policy, post_dominance_roots_workspace& workspace,
                                    flat_array<node_id>& out) {
  detail::post_dominance_root_search::run(g, policy, workspace, out);
}

/// The roots that a policy chooses, ascending.
template <flow_graph_argument G, post_dominance_policy_argument Policy = virtual_edge_per_endless_region_t>
constexpr flat_array<node_id> post_dominance_roots(const G& g, Policy policy = {}) {
  flat_array<node_id> out;
  post_dominance_roots_workspace workspace;
  post_dominance_roots(g, policy, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
