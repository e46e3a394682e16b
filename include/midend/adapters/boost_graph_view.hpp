/// `boost_graph_view`: any graph of Boost.Graph as a `flow_graph`.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/range.hpp"

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/property_map/property_map.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class Graph> using boost_vertex = typename boost::graph_traits<Graph>::vertex_descriptor;

template <class Graph> using boost_index_map = typename boost::property_map<Graph, boost::vertex_index_t>::const_type;

template <class Graph>
concept boost_bidirectional =
    std::convertible_to<typename boost::graph_traits<Graph>::traversal_category, boost::bidirectional_graph_tag>;

/// Maps an edge to the number of the vertex at its end.
template <class Graph, class IndexMap, bool Forward> struct boost_edge_end {
  const Graph* graph = nullptr;
  IndexMap index{};

  template <class Edge> node_id operator()(const Edge& e) const {
    if constexpr (Forward) {
      return static_cast<node_id>(get(index, target(e, *graph)));
    } else {
      return static_cast<node_id>(get(index, source(e, *graph)));
    }
  }
};

/// Maps numbers to vertices. Stores nothing if vertices are numbers and their own index.
template <class Graph, class IndexMap> class boost_vertex_table {
public:
  boost_vertex_table(const Graph& g, const IndexMap& index) : vertices_(num_vertices(g)) {
    for (auto [at, last] = vertices(g); at != last; ++at) {
      const auto number = static_cast<std::size_t>(get(index, *at));
      MIDEND_ASSERT(number < vertices_.size(), "indices below the number of vertices", number, vertices_.size());
      vertices_[number] = *at;
    }
  }

  const boost_vertex<Graph>& operator[](node_id n) const { return vertices_[n]; }

private:
  std::vector<boost_vertex<Graph>> vertices_;
};

template <class Graph> struct boost_vertex_identity {
  boost_vertex_identity(const Graph&, const boost_index_map<Graph>&) {}

  boost_vertex<Graph> operator[](node_id n) const { return static_cast<boost_vertex<Graph>>(n); }
};

template <class Graph, class IndexMap> struct boost_vertex_lookup {
  using type = boost_vertex_table<Graph, IndexMap>;
};

template <class Graph, class IndexMap>
  requires(std::integral<boost_vertex<Graph>> && std::same_as<IndexMap, boost_index_map<Graph>>)
struct boost_vertex_lookup<Graph, IndexMap> {
  using type = boost_vertex_identity<Graph>;
};

} // namespace detail

/// A BGL graph and one of its vertices as the entry. Refers to the graph, which must not change while an analysis runs.
///
/// Requires Boost's concepts `VertexListGraph` and `IncidenceGraph`, and numbers 0 … num_vertices - 1 for the vertices:
/// the graph's own `vertex_index` (`vecS`, `compressed_sparse_row_graph`), or a given map. Graphs of Boost's
/// `BidirectionalGraph` have predecessors and are a `bidirectional_flow_graph`. Parallel edges are kept; an undirected
/// edge is one in each direction. (A `boost::filtered_graph` keeps the indices of the graph that it filters, which are
/// not dense: use `midend::filtered` on the view of the whole graph.)
///
/// Costs nothing if vertices are their own index. Otherwise (`listS`) the view holds an array from numbers to vertices,
/// which the constructor makes in O(n).
template <class Graph, class IndexMap = detail::boost_index_map<Graph>> class boost_graph_view {
public:
  using vertex_descriptor = detail::boost_vertex<Graph>;

  /// With the graph's own `vertex_index`.
  boost_graph_view(const Graph& g, vertex_descriptor entry)
    requires std::same_as<IndexMap, detail::boost_index_map<Graph>>
      : boost_graph_view(g, entry, get(boost::vertex_index, g)) {}

  boost_graph_view(const Graph& g, vertex_descriptor entry, IndexMap index)
      : graph_(&g), entry_(entry), index_(index), vertices_(g, index) {}

  std::size_t num_nodes() const { return static_cast<std::size_t>(num_vertices(*graph_)); }

  node_id entry() const { return node(entry_); }

  auto successors(node_id n) const {
    const auto edges = out_edges(vertex(n), *graph_);
    return mapped(iterator_range(edges.first, edges.second),
                  detail::boost_edge_end<Graph, IndexMap, true>{graph_, index_});
  }

  auto predecessors(node_id n) const
    requires detail::boost_bidirectional<Graph>
  {
    const auto edges = in_edges(vertex(n), *graph_);
    return mapped(iterator_range(edges.first, edges.second),
                  detail::boost_edge_end<Graph, IndexMap, false>{graph_, index_});
  }

  /// The number of a vertex.
  node_id node(const vertex_descriptor& v) const { return static_cast<node_id>(get(index_, v)); }

  /// The vertex with a number.
  vertex_descriptor vertex(node_id n) const { return vertices_[n]; }

private:
  const Graph* graph_;
  vertex_descriptor entry_;
  IndexMap index_;
  [[no_unique_address]] typename detail::boost_vertex_lookup<Graph, IndexMap>::type vertices_;
};

template <class Graph> boost_graph_view(const Graph&, detail::boost_vertex<Graph>) -> boost_graph_view<Graph>;

template <class Graph, class IndexMap>
boost_graph_view(const Graph&, detail::boost_vertex<Graph>, IndexMap) -> boost_graph_view<Graph, IndexMap>;

MIDEND_END_NAMESPACE
