/// `csr_graph`: the flat copy of a graph with predecessors and edges, to use when several analyses follow.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/forward_csr_graph.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/result.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A `forward_csr_graph` that also knows in-edges, predecessors and the source of an edge in O(1).
///
/// In-edges of a node are in the order of their ids, so predecessors are in the order of their numbers; parallel edges
/// appear once each. Memory: 8 bytes a node and 16 an edge. Models `bidirectional_flow_graph` and
/// `edge_indexed_flow_graph`.
class csr_graph : public forward_csr_graph {
public:
  constexpr csr_graph() = default;

  /// Copies `g`, reading each successor range once. Derives predecessors; does not read those of `g`. Requires
  /// entry and targets below `g.num_nodes()`; `from_graph` checks and reports. O(n + m).
  template <readable_graph G> constexpr explicit csr_graph(const G& g) { assign(g); }

  template <detail::meant_as_graph G>
    requires(!readable_graph<G>)
  explicit csr_graph(const G&) {
    detail::readable_graph_contract::explain<G>();
  }

  /// Copies in place: allocates nothing if an earlier graph of this object was at least as large.
  template <readable_graph_argument G> constexpr void assign(const G& g) {
    copy(g, num_derived);
    derive_in_edges();
  }

  /// A copy of `g`, or the first entry or successor that is not a node of `g`. O(n + m).
  template <readable_graph_argument G> static constexpr result<csr_graph, graph_build_error> from_graph(const G& g) {
    csr_graph copy;
    if (const auto error = copy.copy_checked(g, num_derived)) {
      return *error;
    }
    copy.derive_in_edges();
    return copy;
  }

  /// The graph of an edge list, or the first edge that is wrong. Edges get ids by source; those of one source
  /// keep the order of the list, which becomes the order of successors. O(n + m).
  static constexpr result<csr_graph, graph_build_error> from_edges(std::size_t num_nodes, node_id entry,
                                                                   span<const edge> edges) {
    if (const auto error = check_edges(num_nodes, entry, edges)) {
      return *error;
    }
    csr_graph g;
    g.entry_ = entry;
    g.sort_by_source(num_nodes, edges);
    g.derive_in_edges();
    return g;
  }

  constexpr span<const node_id> predecessors(node_id n) const { return incoming(1, n); }

  /// The edges into `n`, in the order of `predecessors(n)`.
  constexpr span<const edge_id> in_edges(node_id n) const { return incoming(2, n); }

  constexpr node_id edge_source(edge_id e) const {
    MIDEND_ASSERT(e < num_edges(), "an edge of the graph", e, num_edges());
    return sources().data()[e];
  }

  /// The source of each edge.
  constexpr span<const node_id> sources() const { return {first_target() + num_edges(), num_edges()}; }

private:
  /// Arrays by edge: sources, predecessors and in-edges.
  static constexpr std::size_t num_derived = 3;

  static constexpr optional<graph_build_error> check_edges(std::size_t num_nodes, node_id entry,
                                                           span<const edge> edges) {
    using reason = graph_build_error::reason;
    if (num_nodes > max_nodes) {
      return graph_build_error{reason::too_many_nodes, 0, num_nodes};
    }
    if (edges.size() > max_edges) {
      return graph_build_error{reason::too_many_edges, 0, edges.size()};
    }
    if (num_nodes != 0 && entry >= num_nodes) {
      return graph_build_error{reason::entry_out_of_range, 0, entry};
    }
    for (std::size_t i = 0; i != edges.size(); ++i) {
      if (edges[i].source >= num_nodes) {
        return graph_build_error{reason::source_out_of_range, i, edges[i].source};
      }
      if (edges[i].target >= num_nodes) {
        return graph_build_error{reason::target_out_of_range, i, edges[i].target};
      }
    }
    return std::nullopt;
  }

  /// A stable counting sort of the edges by their source.
  constexpr void sort_by_source(std::size_t num_nodes, span<const edge> edges) {
    if (num_nodes == 0) {
      return;
    }
    num_offsets_ = num_nodes + 1;
    num_edges_ = edges.size();
    arrays_.clear();
    arrays_.extend_for_overwrite(2 * num_offsets_ + (1 + num_derived) * num_edges_);
    edge_id* const offsets = arrays_.data();
    node_id* const targets = offsets + num_offsets_;
    const span<edge_id> counts(offsets, num_offsets_);
    for (edge_id& count : counts) {
      count = 0;
    }
    for (const edge& e : edges) {
      ++offsets[e.source];
    }
    detail::counts_to_ends(counts);
    for (std::size_t i = edges.size(); i-- != 0;) {
      targets[--offsets[edges[i].source]] = edges[i].target;
    }
  }

  /// A stable counting sort of the edges by their target.
  constexpr void derive_in_edges() {
    const std::size_t edges = num_edges();
    arrays_.extend_for_overwrite(2 * num_offsets_ + (1 + num_derived) * edges);
    const edge_id* const offsets = arrays_.data();
    const node_id* const targets = first_target();
    node_id* const sources = arrays_.data() + num_offsets_ + edges;
    node_id* const predecessors = sources + edges;
    edge_id* const in_edges = predecessors + edges;
    edge_id* const ends = in_edges + edges; // of the in-edges of each node; filling moves them to the starts
    const span<edge_id> counts(ends, num_offsets_);
    for (edge_id& count : counts) {
      count = 0;
    }
    for (std::size_t e = 0; e != edges; ++e) {
      ++ends[targets[e]];
    }
    detail::counts_to_ends(counts);
    for (std::size_t n = num_nodes(); n-- != 0;) { // downwards, because each target is filled from its end
      for (edge_id e = offsets[n + 1]; e-- != offsets[n];) {
        const edge_id at = --ends[targets[e]];
        in_edges[at] = e;
        predecessors[at] = static_cast<node_id>(n);
        sources[e] = static_cast<node_id>(n);
      }
    }
  }

  /// The entries of one of the derived arrays for `n`.
  constexpr span<const std::uint32_t> incoming(std::size_t array, node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "a node of the graph", n, num_nodes());
    const std::uint32_t* const first = first_target() + (1 + array) * num_edges();
    const std::uint32_t* const offset = first_target() + (1 + num_derived) * num_edges() + n;
    return {first + offset[0], first + offset[1]};
  }

  // The array has, after the targets: the source of each edge; the predecessors of all nodes; the in-edges in the same
  // order; and for each node where its in-edges start, with one entry more.
};

MIDEND_END_NAMESPACE
