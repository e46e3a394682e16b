/// The common part of updates of a dominator tree: scratch arrays, and a small graph whose dominators are recomputed.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// An edge of a local graph.
struct local_edge {
  std::uint32_t source;
  std::uint32_t target;
};

/// A graph over some nodes of a larger one, with numbers of its own; 0 is the entry.
struct local_graph {
  flat_array<node_id> nodes; ///< number → node of the larger graph
  flat_array<std::uint32_t> offsets;
  flat_array<std::uint32_t> targets;

  /// Sets the edges, which keep their order for each source.
  constexpr void sort_by_source(span<const local_edge> edges) {
    offsets.assign(nodes.size() + 1, 0);
    targets.resize_for_overwrite(edges.size());
    for (const local_edge e : edges) {
      ++offsets[e.source];
    }
    counts_to_ends(offsets);
    for (std::size_t i = edges.size(); i-- != 0;) {
      targets[--offsets[edges[i].source]] = edges[i].target;
    }
  }

  constexpr std::size_t num_nodes() const { return nodes.size(); }

  constexpr node_id entry() const { return 0; }

  constexpr span<const node_id> successors(node_id n) const {
    return {targets.data() + offsets[n], targets.data() + offsets[n + std::size_t{1}]};
  }
};

/// The memory of updates.
struct update_memory {
  flat_array<std::uint32_t> slot; ///< by node; `no_node` everywhere between steps
  flat_array<std::uint32_t> next; ///< by node; links of the lists that a step makes
  flat_array<node_id> heads;
  flat_array<node_id> pending;
  flat_array<node_id> met;
  flat_array<node_id> found;
  flat_array<node_id> reached;
  flat_array<node_id> lost; ///< nodes that have lost an edge into them
  flat_array<node_id> moving;
  flat_array<node_id> unreachable;
  flat_array<node_id> region;
  flat_array<node_id> touched;
  flat_array<bool> stays;
  flat_array<std::uint32_t> undecided;
  flat_array<local_edge> edges;
  flat_array<std::uint32_t> solved_parents;
  local_graph part;
  dominators_workspace solver;
  dominator_tree solution;
  std::size_t visited = 0; ///< the number of nodes that the update has visited
  std::size_t budget = 0;  ///< the number that it may visit before it gives up
  bool gave_up = false;    ///< the tree is not finished

  /// Called before each of a number of steps.
  constexpr bool gives_up() { return gave_up = visited > budget; }

  constexpr void resize(std::size_t count) {
    slot.assign(count, no_node);
    next.resize_for_overwrite(count);
  }

  constexpr void grow(std::size_t count) {
    slot.reserve(count);
    while (slot.size() != count) {
      slot.push_back(no_node);
    }
    next.reserve(count);
    next.resize_for_overwrite(count);
  }

  constexpr void start(std::size_t limit) {
    visited = 0;
    budget = limit;
    gave_up = false;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
