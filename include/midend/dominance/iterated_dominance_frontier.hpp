/// Iterated dominance frontiers, pruned or not: the nodes where a variable needs phis.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct iterated_frontier_computation;
}

/// A node that defines a variable.
struct definition_site {
  variable_id variable;
  node_id node;
};

/// The iterated frontier of each variable.
class iterated_frontiers {
public:
  constexpr std::size_t num_variables() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }

  /// The nodes where `v` needs a phi, ascending, each once.
  constexpr span<const node_id> operator[](variable_id v) const {
    MIDEND_ASSERT(v < num_variables(), "a variable", v, num_variables());
    return {nodes_.data() + offsets_[v], nodes_.data() + offsets_[v + std::size_t{1}]};
  }

  /// The sizes of all frontiers together.
  constexpr std::size_t num_members() const { return nodes_.size(); }

  /// The `epoch()` of the graph that the frontiers were made of.
  constexpr std::uint64_t epoch() const { return epoch_; }

private:
  friend detail::iterated_frontier_computation;

  std::uint64_t epoch_ = 0;
  flat_array<std::size_t> offsets_;
  flat_array<node_id> nodes_;
};

namespace detail {

/// The edges whose source does not immediately dominate their target, by preorder number of the source. Only these
/// edges lead out of a subtree of the dominator tree, and those out of the nodes of one subtree are an interval.
struct join_edges {
  flat_array<std::uint32_t> first;  ///< by preorder number, and one more
  flat_array<std::uint32_t> target; ///< preorder numbers

  template <class G> constexpr void assign(const G& g, const dominator_tree& tree) {
    require_tree_of(g, tree);
    first.resize_for_overwrite(tree.num_reachable() + 1);
    target.clear();
    std::size_t number = 0;
    for (const node_id source : tree.preorder()) {
      first[number++] = static_cast<std::uint32_t>(target.size());
      for (const auto successor : g.successors(source)) {
        const node_id n = node_in(g, successor);
        if (tree.immediate_dominator(n) != source) {
          target.push_back(tree.preorder_number(n));
        }
      }
    }
    first[number] = static_cast<std::uint32_t>(target.size());
  }
};

/// Definitions and frontier nodes wait in buckets by depth and are processed from the deepest up. The frontier of a
/// node is the set of targets of edges out of its subtree that are not deeper than the node. An edge that was visited
/// for a deeper node need not be visited again: its target is deeper than this node, or is already known.
class frontier_iteration {
public:
  /// Sizes for graphs with this tree.
  constexpr void start(const dominator_tree& tree) {
    std::uint32_t deepest = 0;
    for (const node_id n : tree.preorder()) {
      deepest = tree.depth(n) > deepest ? tree.depth(n) : deepest;
    }
    state_.assign(tree.num_reachable(), unknown);
    next_.resize_for_overwrite(tree.num_reachable());
    waiting_.resize_for_overwrite(deepest + std::size_t{1});
    is_waiting_.assign(deepest / 64 + std::size_t{1}, 0);
    skip_to_.clear();
  }

  /// Appends the frontier nodes to `out` in the order in which they are found.
  template <class Nodes, class LiveIn>
  constexpr void run(const join_edges& edges, const dominator_tree& tree, const Nodes& definitions, LiveIn live_in,
                     flat_array<node_id>& out) {
    if (skip_to_.size() != edges.target.size()) {
      skip_to_.assign(edges.target.size(), 0);
    }
    for (const auto definition : definitions) {
      const auto n = static_cast<node_id>(definition);
      if (tree.is_reachable(n) && state_[tree.preorder_number(n)] == unknown) {
        enqueue(tree.preorder_number(n), tree.depth(n));
      }
    }
    while (num_waiting_ != 0) {
      const std::uint32_t root = take_deepest();
      visit_subtree(root, edges, tree, live_in, out);
    }
    forget();
  }

private:
  enum node_state : std::uint8_t { unknown, is_root, not_live, is_root_and_in_frontier };

  constexpr void enqueue(std::uint32_t number, std::uint32_t depth) {
    state_[number] = is_root;
    known_.push_back(number);
    std::uint64_t& levels = is_waiting_[depth / 64];
    const std::uint64_t bit = std::uint64_t{1} << depth % 64;
    next_[number] = (levels & bit) != 0 ? waiting_[depth] : end_of_list;
    waiting_[depth] = number;
    levels |= bit;
    level_ = num_waiting_ == 0 || depth > level_ ? depth : level_;
    ++num_waiting_;
  }

  constexpr std::uint32_t take_deepest() {
    std::size_t at = level_ / 64;
    while (is_waiting_[at] == 0) {
      --at;
    }
    const auto bit = static_cast<std::uint32_t>(63 - std::countl_zero(is_waiting_[at]));
    level_ = static_cast<std::uint32_t>(at) * 64 + bit;
    const std::uint32_t number = waiting_[level_];
    waiting_[level_] = next_[number];
    if (next_[number] == end_of_list) {
      is_waiting_[at] ^= std::uint64_t{1} << bit;
    }
    --num_waiting_;
    return number;
  }

  template <class LiveIn>
  constexpr void visit_subtree(std::uint32_t root, const join_edges& edges, const dominator_tree& tree, LiveIn live_in,
                               flat_array<node_id>& out) {
    const node_id root_node = tree.preorder()[root];
    const std::uint32_t depth = tree.depth(root_node);
    const std::uint32_t first = edges.first[root];
    const std::uint32_t last = edges.first[root + tree.subtree(root_node).size()];
    for (std::uint32_t edge = first; edge != last;) {
      if (skip_to_[edge] != 0) {
        edge = skip_to_[edge];
        continue;
      }
      const std::uint32_t target = edges.target[edge++];
      if (state_[target] == not_live || state_[target] == is_root_and_in_frontier) {
        continue;
      }
      const node_id target_node = tree.preorder()[target];
      if (tree.depth(target_node) <= depth) {
        join_frontier(target, target_node, tree.depth(target_node), live_in, out);
      }
    }
    if (first != last) {
      skip_to_[first] = last;
      skipping_.push_back(first);
    }
  }

  template <class LiveIn>
  constexpr void join_frontier(std::uint32_t number, node_id n, std::uint32_t depth, LiveIn live_in,
                               flat_array<node_id>& out) {
    const bool is_definition = state_[number] == is_root;
    if (static_cast<bool>(live_in(n))) {
      if (!is_definition) {
        enqueue(number, depth);
      }
      state_[number] = is_root_and_in_frontier;
      out.push_back(n);
      return;
    }
    if (!is_definition) {
      known_.push_back(number);
    }
    state_[number] = not_live;
  }

  /// Prepares for other definitions, without a walk over the graph.
  constexpr void forget() {
    for (const std::uint32_t number : known_) {
      state_[number] = unknown;
    }
    for (const std::uint32_t edge : skipping_) {
      skip_to_[edge] = 0;
    }
    known_.clear();
    skipping_.clear();
    level_ = 0;
  }

  static constexpr std::uint32_t end_of_list = 0xffff'ffff;

  std::uint32_t level_ = 0; ///< no waiting node is deeper
  std::uint32_t num_waiting_ = 0;
  flat_array<node_state> state_;         ///< by preorder number, as `next_`
  flat_array<std::uint32_t> next_;       ///< another node that waits at the same depth
  flat_array<std::uint32_t> waiting_;    ///< by depth, where a bit is set
  flat_array<std::uint64_t> is_waiting_; ///< a bit by depth
  flat_array<std::uint32_t> skip_to_;    ///< by edge: the end of the visited interval that starts here, or 0
  flat_array<std::uint32_t> known_;      ///< numbers whose state is not `unknown`
  flat_array<std::uint32_t> skipping_;   ///< edges whose `skip_to_` is not 0
};

} // namespace detail

/// Memory for iterated frontiers that are computed again and again.
class iterated_dominance_frontier_workspace {
  friend detail::iterated_frontier_computation;

  detail::join_edges edges_;
  detail::frontier_iteration iteration_;
  flat_array<std::uint32_t> definition_end_; ///< by variable, into `defining_`
  flat_array<node_id> defining_;             ///< variable by variable
};

namespace detail {

struct iterated_frontier_computation {
  template <class G, class Nodes, class LiveIn>
  static constexpr void run(const G& g, const dominator_tree& tree, const Nodes& definitions, LiveIn live_in,
                            iterated_dominance_frontier_workspace& workspace, flat_array<node_id>& out) {
    workspace.edges_.assign(g, tree);
    workspace.iteration_.start(tree);
    out.clear();
    workspace.iteration_.run(workspace.edges_, tree, definitions, live_in, out);
    sort(out);
  }

  template <class G, class LiveIn>
  static constexpr void run(const G& g, const dominator_tree& tree, std::size_t num_variables,
                            span<const definition_site> definitions, LiveIn live_in,
                            iterated_dominance_frontier_workspace& workspace, iterated_frontiers& out) {
    out.epoch_ = tree.epoch();
    out.nodes_.clear();
    out.offsets_.assign(num_variables + 1, 0);
    if (definitions.empty()) {
      return;
    }
    workspace.edges_.assign(g, tree);
    workspace.iteration_.start(tree);
    group_by_variable(num_variables, definitions, workspace);
    for (variable_id v = 0; v != num_variables; ++v) {
      const std::uint32_t first = workspace.definition_end_[v];
      const std::uint32_t last = workspace.definition_end_[v + std::size_t{1}];
      if (first != last) {
        const span<const node_id> sites(workspace.defining_.data() + first, last - first);
        workspace.iteration_.run(
            workspace.edges_, tree, sites, [&](node_id n) { return static_cast<bool>(live_in(v, n)); }, out.nodes_);
        sort(span(out.nodes_).subspan(out.offsets_[v]));
      }
      out.offsets_[v + std::size_t{1}] = out.nodes_.size();
    }
  }

  static constexpr void group_by_variable(std::size_t num_variables, span<const definition_site> definitions,
                                          iterated_dominance_frontier_workspace& workspace) {
    flat_array<std::uint32_t>& ends = workspace.definition_end_;
    ends.assign(num_variables + 1, 0);
    for (const definition_site& site : definitions) {
      MIDEND_ASSERT(site.variable < num_variables, "a variable below the number of variables", site.variable,
                    num_variables);
      ++ends[site.variable];
    }
    counts_to_ends(ends);
    workspace.defining_.resize_for_overwrite(definitions.size());
    for (const definition_site& site : definitions) {
      workspace.defining_[--ends[site.variable]] = site.node;
    }
  }
};

/// Variables that live everywhere: every node of the iterated frontier gets its phi.
struct live_everywhere {
  constexpr bool operator()(node_id) const { return true; }

  constexpr bool operator()(variable_id, node_id) const { return true; }
};

} // namespace detail

/// `live_in(n)` says whether a variable is live at the start of a node.
template <class F>
concept live_in_predicate = requires(F f, node_id n) {
  { f(n) } -> std::convertible_to<bool>;
};

/// `live_in(v, n)` says whether variable `v` is live at the start of a node.
template <class F>
concept live_in_relation = requires(F f, variable_id v, node_id n) {
  { f(v, n) } -> std::convertible_to<bool>;
};

/// The iterated dominance frontier of the nodes `definitions`, a range of nodes in any order: the least set that holds
/// the frontiers of the definitions and of its own nodes. If these nodes define a variable, it is the set of nodes
/// that need a phi. With `live_in` it is *pruned*: nodes where the variable is not live are left out, and so are nodes
/// that are in it only because of them.
///
/// Sreedhar, Gao, "A linear time algorithm for placing φ-nodes", POPL 1995. Here the edges that leave a subtree of
/// the dominator tree are an interval of an array, so subtrees are not walked.
///
/// Unreachable definitions are ignored; duplicate definitions and duplicate edges count once. The entry is a definition
/// only if `definitions` names it. Returns ascending nodes. O(n + m) time and space, however large the
/// frontiers of single nodes are, and O(k log k) to sort k nodes.
template <flow_graph_argument G, range_of_nodes Nodes, live_in_predicate LiveIn = detail::live_everywhere>
constexpr flat_array<node_id> iterated_dominance_frontier(const G& g, const dominator_tree& tree,
                                                          const Nodes& definitions, LiveIn live_in = {}) {
  flat_array<node_id> out;
  iterated_dominance_frontier_workspace workspace;
  detail::iterated_frontier_computation::run(g, tree, definitions, live_in, workspace, out);
  return out;
}

/// Refills `out`; allocates nothing once workspace and result have seen a graph as large.
template <flow_graph_argument G, range_of_nodes Nodes, live_in_predicate LiveIn>
constexpr void iterated_dominance_frontier(const G& g, const dominator_tree& tree, const Nodes& definitions,
                                           LiveIn live_in, iterated_dominance_frontier_workspace& workspace,
                                           flat_array<node_id>& out) {
  detail::iterated_frontier_computation::run(g, tree, definitions, live_in, workspace, out);
}

/// The iterated dominance frontiers of all variables of a graph: of variable `v`, the one of the nodes that
/// `definitions` names for it, in any order, pruned to where `live_in(v, n)` is true.
///
/// O(n + m + d + v) for d definitions of v variables and then, for each variable, the edges that leave the dominator
/// subtrees of its definitions and phis, at most O(m), and 1/64 of the depth of the tree.
template <flow_graph_argument G, live_in_relation LiveIn = detail::live_everywhere>
constexpr iterated_frontiers
iterated_dominance_frontiers(const G& g, const dominator_tree& tree, std::size_t num_variables,
                             span<const definition_site> definitions, LiveIn live_in = {}) {
  iterated_frontiers out;
  iterated_dominance_frontier_workspace workspace;
  detail::iterated_frontier_computation::run(g, tree, num_variables, definitions, live_in, workspace, out);
  return out;
}

/// Refills `out`; allocates nothing once workspace and result have seen a graph as large.
template <flow_graph_argument G, live_in_relation LiveIn>
constexpr void iterated_dominance_frontiers(const G& g, const dominator_tree& tree, std::size_t num_variables,
                                            span<const definition_site> definitions, LiveIn live_in,
                                            iterated_dominance_frontier_workspace& workspace, iterated_frontiers& out) {
  detail::iterated_frontier_computation::run(g, tree, num_variables, definitions, live_in, workspace, out);
}

MIDEND_END_NAMESPACE
