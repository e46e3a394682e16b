/// `csr_graph` and `forward_csr_graph` as graphs of Boost.Graph.
///
/// With this header, they model `VertexListGraph`, `EdgeListGraph`, `IncidenceGraph` and `AdjacencyGraph`; `csr_graph`
/// also models `BidirectionalGraph`. Vertices are `node_id`s; an edge is a `csr_edge_descriptor`, which knows its
/// `edge_id`. There are property maps for `boost::vertex_index` and `boost::edge_index`, so that arrays by node and by
/// edge are property maps (`boost::make_iterator_property_map`). Every function and every step of an iterator takes
/// O(1), except that `edges(g)` skips nodes without successors.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/forward_csr_graph.hpp"
#include "midend/support/span.hpp"

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// An edge for Boost.Graph: the id, and the source, which a `forward_csr_graph` would have to search for.
struct csr_edge_descriptor {
  edge_id id = no_edge;
  node_id source = no_node;

  friend constexpr auto operator<=>(const csr_edge_descriptor&, const csr_edge_descriptor&) = default;

  friend std::size_t hash_value(const csr_edge_descriptor& e) { return e.id; } // what boost::hash calls
};

/// `boost::edge_index` of both graphs.
struct csr_edge_index_map {
  using key_type = csr_edge_descriptor;
  using value_type = edge_id;
  using reference = edge_id;
  using category = boost::readable_property_map_tag;

  friend constexpr edge_id get(const csr_edge_index_map&, const csr_edge_descriptor& e) { return e.id; }

  constexpr edge_id operator[](const csr_edge_descriptor& e) const { return e.id; }
};

namespace detail {

template <class Derived, class Traversal>
using boost_edge_facade =
    boost::iterator_facade<Derived, csr_edge_descriptor, Traversal, csr_edge_descriptor, std::ptrdiff_t>;

/// The edges out of one node.
class csr_out_edge_iterator : public boost_edge_facade<csr_out_edge_iterator, boost::random_access_traversal_tag> {
public:
  csr_out_edge_iterator() = default;

  csr_out_edge_iterator(edge_id at, node_id source) : at_{at, source} {}

private:
  friend boost::iterator_core_access;

  csr_edge_descriptor dereference() const { return at_; }

  bool equal(const csr_out_edge_iterator& other) const { return at_.id == other.at_.id; }

  void increment() { ++at_.id; }

  void decrement() { --at_.id; }

  void advance(std::ptrdiff_t n) { at_.id = static_cast<edge_id>(at_.id + n); }

  std::ptrdiff_t distance_to(const csr_out_edge_iterator& other) const {
    return static_cast<std::ptrdiff_t>(other.at_.id) - static_cast<std::ptrdiff_t>(at_.id);
  }

  csr_edge_descriptor at_;
};

/// The edges into one node.
class csr_in_edge_iterator : public boost_edge_facade<csr_in_edge_iterator, boost::random_access_traversal_tag> {
public:
  csr_in_edge_iterator() = default;

  csr_in_edge_iterator(const edge_id* edge, const node_id* source) : edge_(edge), source_(source) {}

private:
  friend boost::iterator_core_access;

  csr_edge_descriptor dereference() const { return {*edge_, *source_}; }

  bool equal(const csr_in_edge_iterator& other) const { return edge_ == other.edge_; }

  void increment() { advance(1); }

  void decrement() { advance(-1); }

  void advance(std::ptrdiff_t n) {
    edge_ += n;
    source_ += n;
  }

  std::ptrdiff_t distance_to(const csr_in_edge_iterator& other) const { return other.edge_ - edge_; }

  const edge_id* edge_ = nullptr;
  const node_id* source_ = nullptr;
};

/// All edges by id. `offset_` is the end of the edges of the source, so no graph is needed.
class csr_edge_iterator : public boost_edge_facade<csr_edge_iterator, boost::forward_traversal_tag> {
public:
  csr_edge_iterator() = default;

  csr_edge_iterator(edge_id at, node_id source, const edge_id* end_of_source, edge_id last)
      : at_{at, source}, end_of_source_(end_of_source), last_(last) {
    find_source();
  }

private:
  friend boost::iterator_core_access;

  csr_edge_descriptor dereference() const { return at_; }

  bool equal(const csr_edge_iterator& other) const { return at_.id == other.at_.id; }

  void increment() {
    ++at_.id;
    find_source();
  }

  void find_source() {
    while (at_.id != last_ && *end_of_source_ == at_.id) {
      ++end_of_source_;
      ++at_.source;
    }
  }

  csr_edge_descriptor at_;
  const edge_id* end_of_source_ = nullptr;
  edge_id last_ = 0;
};

struct csr_boost_traversal : boost::incidence_graph_tag,
                             boost::adjacency_graph_tag,
                             boost::vertex_list_graph_tag,
                             boost::edge_list_graph_tag {};

struct csr_boost_bidirectional_traversal : boost::bidirectional_graph_tag,
                                           boost::adjacency_graph_tag,
                                           boost::vertex_list_graph_tag,
                                           boost::edge_list_graph_tag {};

/// The `boost::graph_traits` of both graphs.
struct csr_boost_traits {
  using vertex_descriptor = node_id;
  using edge_descriptor = csr_edge_descriptor;
  using vertex_iterator = boost::counting_iterator<node_id>;
  using edge_iterator = csr_edge_iterator;
  using out_edge_iterator = csr_out_edge_iterator;
  using adjacency_iterator = const node_id*;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using edge_parallel_category = boost::allow_parallel_edge_tag;

  static constexpr vertex_descriptor null_vertex() { return no_node; }
};

template <class Iterator> using iterator_pair = std::pair<Iterator, Iterator>;

} // namespace detail

// The functions that Boost.Graph finds by argument-dependent lookup. A csr_graph is a forward_csr_graph, so most are
// for both.

inline std::size_t num_vertices(const forward_csr_graph& g) {
  return g.num_nodes();
}

inline std::size_t num_edges(const forward_csr_graph& g) {
  return g.num_edges();
}

inline detail::iterator_pair<boost::counting_iterator<node_id>> vertices(const forward_csr_graph& g) {
  using iterator = boost::counting_iterator<node_id>;
  return {iterator(0), iterator(static_cast<node_id>(g.num_nodes()))};
}

inline node_id vertex(std::size_t n, const forward_csr_graph&) {
  return static_cast<node_id>(n);
}

inline detail::iterator_pair<detail::csr_edge_iterator> edges(const forward_csr_graph& g) {
  const auto last = static_cast<edge_id>(g.num_edges());
  const edge_id* const offsets = g.offsets().data();
  return {detail::csr_edge_iterator(0, 0, last == 0 ? nullptr : offsets + 1, last),
          detail::csr_edge_iterator(last, no_node, nullptr, last)};
}

inline node_id source(const csr_edge_descriptor& e, const forward_csr_graph&) {
  return e.source;
}

inline node_id target(const csr_edge_descriptor& e, const forward_csr_graph& g) {
  return g.edge_target(e.id);
}

inline detail::iterator_pair<detail::csr_out_edge_iterator> out_edges(node_id n, const forward_csr_graph& g) {
  const span<const edge_id> offsets = g.offsets();
  return {detail::csr_out_edge_iterator(offsets[n], n), detail::csr_out_edge_iterator(offsets[n + std::size_t{1}], n)};
}

inline std::size_t out_degree(node_id n, const forward_csr_graph& g) {
  return g.successors(n).size();
}

inline detail::iterator_pair<const node_id*> adjacent_vertices(node_id n, const forward_csr_graph& g) {
  const span<const node_id> successors = g.successors(n);
  return {successors.data(), successors.data() + successors.size()};
}

inline detail::iterator_pair<detail::csr_in_edge_iterator> in_edges(node_id n, const csr_graph& g) {
  const span<const edge_id> edges = g.in_edges(n);
  const span<const node_id> sources = g.predecessors(n);
  return {detail::csr_in_edge_iterator(edges.data(), sources.data()),
          detail::csr_in_edge_iterator(edges.data() + edges.size(), sources.data() + sources.size())};
}

inline std::size_t in_degree(node_id n, const csr_graph& g) {
  return g.predecessors(n).size();
}

inline std::size_t degree(node_id n, const csr_graph& g) {
  return in_degree(n, g) + out_degree(n, g);
}

inline boost::typed_identity_property_map<node_id> get(boost::vertex_index_t, const forward_csr_graph&) {
  return {};
}

inline node_id get(boost::vertex_index_t, const forward_csr_graph&, node_id n) {
  return n;
}

inline csr_edge_index_map get(boost::edge_index_t, const forward_csr_graph&) {
  return {};
}

inline edge_id get(boost::edge_index_t, const forward_csr_graph&, const csr_edge_descriptor& e) {
  return e.id;
}

MIDEND_END_NAMESPACE

namespace boost {

template <> struct graph_traits<midend::forward_csr_graph> : midend::detail::csr_boost_traits {
  using directed_category = directed_tag;
  using traversal_category = midend::detail::csr_boost_traversal;
  using in_edge_iterator = void;
};

template <> struct graph_traits<midend::csr_graph> : midend::detail::csr_boost_traits {
  using directed_category = bidirectional_tag;
  using traversal_category = midend::detail::csr_boost_bidirectional_traversal;
  using in_edge_iterator = midend::detail::csr_in_edge_iterator;
};

template <std::derived_from<midend::forward_csr_graph> Graph> struct property_map<Graph, vertex_index_t> {
  using type = typed_identity_property_map<midend::node_id>;
  using const_type = type;
};

template <std::derived_from<midend::forward_csr_graph> Graph> struct property_map<Graph, edge_index_t> {
  using type = midend::csr_edge_index_map;
  using const_type = type;
};

} // namespace boost
