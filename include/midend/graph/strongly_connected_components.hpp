/// Strongly connected components in reverse topological order, and the condensation.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A strongly connected component: dense, `0 … num_components() - 1`.
using component_id = std::uint32_t;

namespace detail {
struct component_search;
}

/// The partition of all nodes into strongly connected components, numbered in reverse topological order: an edge
/// between two components leads from the higher number to the lower one. 8 bytes a node and 4 a component.
class component_partition {
public:
  constexpr std::size_t num_nodes() const { return component_.size(); }

  constexpr std::size_t num_components() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }

  constexpr component_id component(node_id n) const { return component_[n] & ~assigned_mark; }

  constexpr bool same_component(node_id a, node_id b) const { return component_[a] == component_[b]; }

  /// The nodes of a component; the one that the search met first comes first.
  constexpr span<const node_id> members(component_id c) const {
    MIDEND_ASSERT(c < num_components(), "a component", c, num_components());
    return {members_.data() + offsets_[c], members_.data() + offsets_[c + std::size_t{1}]};
  }

  /// Whether the entry reaches `n`, for the partition of a graph with an entry: the search starts there, so that its
  /// component is the last of the reachable ones. For a graph without an entry: whether node 0 reaches `n`.
  constexpr bool is_reachable(node_id n) const { return component(n) < num_reachable_components_; }

  /// The entry reaches exactly the components below this number.
  constexpr std::size_t num_reachable_components() const { return num_reachable_components_; }

  friend constexpr bool operator==(const component_partition&, const component_partition&) = default;

private:
  friend detail::component_search;

  /// Set in `component_` once a node has its component: the number is then larger than any index of the search, which
  /// is what makes the search ignore edges into finished components.
  static constexpr std::uint32_t assigned_mark = 0x8000'0000;

  component_id num_reachable_components_ = 0;
  flat_array<std::uint32_t> component_;
  flat_array<std::uint32_t> offsets_;
  flat_array<node_id> members_;
};

/// Memory for components that are computed again and again.
class strongly_connected_components_workspace {
  friend detail::component_search;

  struct task {
    node_id source; ///< the parent in the search tree, or the source of the edge
    node_id target; ///< a node to look at, or, with the mark, the node to leave
  };

  flat_array<node_id> open_;
  flat_array<task> tasks_;
};

namespace detail {

/// Tarjan's search. While a node is on the stack, `component_[n]` holds its low link: twice the index of a node on the
/// stack that `n` reaches, and odd if that is not `n` itself. So one array tells both whether a node closes a component
/// and where the component ends on the stack.
struct component_search {
  static constexpr std::uint32_t leave_mark = 0x8000'0000;
  using task = strongly_connected_components_workspace::task;

  node_id met = 0;
  component_id components = 0;
  node_id placed = 0;

  template <directed_graph G>
  static constexpr void run(const G& g, strongly_connected_components_workspace& workspace, component_partition& out) {
    const node_id count = node_count(g);
    out.component_.assign(count, no_node);
    out.offsets_.resize_for_overwrite(count + std::size_t{1});
    out.members_.resize_for_overwrite(count);
    component_search search;
    out.offsets_.data()[0] = 0;
    if (count != 0) {
      node_id first = 0;
      if constexpr (has_entry<G>) {
        first = node_in(g, g.entry());
      }
      search.search_from(g, first, workspace, out);
    }
    out.num_reachable_components_ = search.components;
    for (node_id n = 0; search.met != count; ++n) {
      if (out.component_[n] == no_node) {
        search.search_from(g, n, workspace, out);
      }
    }
    out.offsets_.shrink(search.components + std::size_t{1});
  }

  template <class G>
  constexpr void search_from(const G& g, node_id root, strongly_connected_components_workspace& workspace,
                             component_partition& out) {
    std::uint32_t* const low = out.component_.data();
    work_stack<task> tasks(workspace.tasks_);
    work_stack<node_id> open(workspace.open_);
    node_id source = root;
    node_id at = root;
    for (;;) {
      low[at] = 2 * met++;
      tasks.push({source, at | leave_mark});
      auto&& successors = g.successors(at);
      auto it = std::begin(successors);
      const auto last = std::end(successors);
      if (it != last) {
        source = at;
        at = node_in(g, *it);
        while (++it != last) {
          if (low[at] == no_node) {
            tasks.push({source, at});
          } else {
            lower(low[source], low[at]);
          }
          at = node_in(g, *it);
        }
        if (low[at] == no_node) {
          continue;
        }
        lower(low[source], low[at]);
      }
      for (;;) { // leave nodes and follow edges until there is a new target
        if (tasks.empty()) {
          return;
        }
        const task next = tasks.pop();
        if ((next.target & leave_mark) != 0) {
          leave(next.target & ~leave_mark, next.source, low, open, out);
        } else if (low[next.target] == no_node) {
          source = next.source;
          at = next.target;
          break;
        } else {
          lower(low[next.source], low[next.target]);
        }
      }
    }
  }

  static constexpr void lower(std::uint32_t& low, std::uint32_t other) { low = other < low ? other | 1 : low; }

  /// `n` and its descendants are done: it closes a component, or it waits on the stack for the node that does.
  constexpr void leave(node_id n, node_id parent, std::uint32_t* low, work_stack<node_id>& open,
                       component_partition& out) {
    if ((low[n] & 1) != 0) {
      open.push(n);
      lower(low[parent], low[n]);
      return;
    }
    node_id* const members = out.members_.data();
    const std::uint32_t mark = components | component_partition::assigned_mark;
    members[placed++] = n;
    while (!open.empty() && low[open.top()] > low[n]) {
      const node_id member = open.pop();
      low[member] = mark;
      members[placed++] = member;
    }
    low[n] = mark;
    out.offsets_.data()[++components] = placed;
  }
};

} // namespace detail

/// The strongly connected components of `g`: first of the nodes that the entry reaches, then of the rest, from the
/// lowest unreached node on. Graphs without `entry()` are searched from node 0 on.
///
/// Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972, without recursion; as Nuutila
/// and Soisalon-Soininen ("On finding the strongly connected components in a directed graph", IPL 49, 1994) a node that
/// closes a component never goes on the stack, so that acyclic parts do not touch it. Successors are searched last to
/// first. Duplicate edges and self loops change nothing. O(n + m) time; 12 bytes a node and 8 an edge of workspace at
/// most.
template <directed_graph_argument G> constexpr component_partition strongly_connected_components(const G& g) {
  component_partition out;
  strongly_connected_components_workspace workspace;
  detail::component_search::run(g, workspace, out);
  return out;
}

/// Refills `out`; allocates nothing once workspace and result have seen a graph as large.
template <directed_graph_argument G>
constexpr void strongly_connected_components(const G& g, strongly_connected_components_workspace& workspace,
                                             component_partition& out) {
  detail::component_search::run(g, workspace, out);
}

/// The condensation of `g`: a node for each component, and one edge for each pair of different components that an edge
/// joins, in the order of the members' edges. The entry is the component of the entry. Acyclic; edges
/// lead to lower numbers. O(n + m).
template <directed_graph_argument G>
constexpr csr_graph condensation(const G& g, const component_partition& components) {
  MIDEND_ASSERT(components.num_nodes() == detail::node_count(g), "the components of this graph", components.num_nodes(),
                g.num_nodes());
  flat_array<edge> edges;
  flat_array<component_id> seen_from(components.num_components(), no_node);
  for (component_id c = 0; c != components.num_components(); ++c) {
    seen_from[c] = c;
    for (const node_id n : components.members(c)) {
      for (const auto successor : g.successors(n)) {
        const component_id target = components.component(detail::node_in(g, successor));
        if (seen_from[target] != c) {
          seen_from[target] = c;
          edges.push_back({c, target});
        }
      }
    }
  }
  component_id entry = 0;
  if constexpr (has_entry<G>) {
    if (components.num_nodes() != 0) {
      entry = components.component(static_cast<node_id>(g.entry()));
    }
  }
  return csr_graph::from_edges(components.num_components(), entry, edges).value();
}

MIDEND_END_NAMESPACE
