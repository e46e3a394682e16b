/// `with_virtual_exit`: the view of a graph with one more node, where control ends.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/chained_range.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// `g` with one more node after the last one, the virtual exit, and an edge to it from each node of a set, the roots,
/// after the node's own successors. Post-dominators are the dominators of its reversal.
///
/// Refers to `g`, which must outlive the view. The view must outlive its iterators. 5 bytes a node.
template <flow_graph_argument G> class virtual_exit_graph {
public:
  /// Duplicate roots count once. Requires nodes of `g`.
  constexpr virtual_exit_graph(const G& g, span<const node_id> roots)
      : graph_(&g), exit_(detail::node_count(g)), is_root_(detail::node_count(g), false) {
    for (const node_id root : roots) {
      if (!is_root_[root]) {
        is_root_[root] = true;
        roots_.push_back(root);
      }
    }
  }

  constexpr std::size_t num_nodes() const { return exit_ + std::size_t{1}; }

  /// The entry of `g`; the virtual exit if `g` has no nodes.
  constexpr node_id entry() const { return exit_ == 0 ? 0 : static_cast<node_id>(graph_->entry()); }

  /// The virtual exit.
  constexpr node_id exit() const { return exit_; }

  /// The nodes with an edge to the virtual exit.
  constexpr span<const node_id> roots() const { return roots_; }

  constexpr std::uint64_t epoch() const { return graph_epoch(*graph_); }

  constexpr auto successors(node_id n) const {
    using range = chained_range<detail::iterator_of<successors_of<G>>, detail::sentinel_of<successors_of<G>>>;
    if (n == exit_) {
      return range();
    }
    auto&& own = graph_->successors(n);
    return range(std::begin(own), std::end(own), span(&exit_, is_root_[n] ? 1 : 0));
  }

  constexpr auto predecessors(node_id n) const
    requires bidirectional_flow_graph<G>
  {
    using range = chained_range<detail::iterator_of<predecessors_of<G>>, detail::sentinel_of<predecessors_of<G>>>;
    if (n == exit_) {
      return range(roots());
    }
    auto&& own = graph_->predecessors(n);
    return range(std::begin(own), std::end(own), span<const node_id>());
  }

private:
  const G* graph_;
  node_id exit_;
  flat_array<bool> is_root_;
  flat_array<node_id> roots_;
};

/// The view of `g` whose virtual exit follows the nodes `roots`.
template <flow_graph_argument G>
constexpr virtual_exit_graph<G> with_virtual_exit(const G& g, span<const node_id> roots) {
  return {g, roots};
}

/// The view of `g` whose virtual exit follows the nodes without successors, unreachable ones too, ascending. Nodes that
/// reach none of them, endless regions, have no path to the virtual exit.
template <flow_graph_argument G> constexpr virtual_exit_graph<G> with_virtual_exit(const G& g) {
  flat_array<node_id> roots;
  const node_id count = detail::node_count(g);
  for (node_id n = 0; n != count; ++n) {
    auto&& successors = g.successors(n);
    if (std::begin(successors) == std::end(successors)) {
      roots.push_back(n);
    }
  }
  return {g, roots};
}

/// A view must not outlive the graph.
template <class G, class... Rest> void with_virtual_exit(const G&&, Rest...) = delete;

MIDEND_END_NAMESPACE
