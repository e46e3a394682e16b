#include <midend/adapters/boost_graph.hpp>

#include <midend/dominance/dominators.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/loops/natural_loops.hpp>

#include <doctest/doctest.h>

#include <boost/config.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/version.hpp>

#if defined(__cpp_exceptions) && defined(__cpp_rtti)
#include <boost/graph/graphviz.hpp>

#include <sstream>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>
#include <utility>
#include <vector>

#if defined(BOOST_NO_EXCEPTIONS)
namespace boost {

// Boost calls these where it would throw, and leaves it to the program to define them.
void throw_exception(const std::exception&) {
  std::abort();
}

#if BOOST_VERSION >= 107300
void throw_exception(const std::exception&, const boost::source_location&) {
  std::abort();
}
#endif

} // namespace boost
#endif

namespace {

using vector_graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using two_way_graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using list_graph = boost::adjacency_list<boost::listS, boost::listS, boost::bidirectionalS,
                                         boost::property<boost::vertex_index_t, std::uint32_t>>;
using packed_graph = boost::compressed_sparse_row_graph<boost::directedS>;

static_assert(midend::flow_graph<midend::boost_graph_view<vector_graph>>);
static_assert(!midend::bidirectional_flow_graph<midend::boost_graph_view<vector_graph>>);
static_assert(midend::bidirectional_flow_graph<midend::boost_graph_view<two_way_graph>>);
static_assert(midend::bidirectional_flow_graph<midend::boost_graph_view<list_graph>>);
static_assert(midend::flow_graph<midend::boost_graph_view<packed_graph>>);

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<midend::csr_graph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<midend::csr_graph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<midend::csr_graph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<midend::csr_graph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<midend::csr_graph>));
BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<midend::forward_csr_graph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<midend::forward_csr_graph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<midend::forward_csr_graph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<midend::forward_csr_graph>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyMapConcept<midend::csr_edge_index_map, midend::csr_edge_descriptor>));

struct random_numbers {
  std::uint32_t state;

  std::uint32_t below(std::uint32_t limit) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
  }
};

/// Edges anywhere, so with self loops, parallel edges and unreachable nodes.
midend::csr_graph random_graph(std::uint32_t seed) {
  random_numbers random{seed};
  const std::uint32_t nodes = 1 + random.below(20);
  std::vector<midend::edge> edges(random.below(3 * nodes));
  for (midend::edge& e : edges) {
    e = {random.below(nodes), random.below(nodes)};
  }
  return midend::csr_graph::from_edges(nodes, random.below(nodes), edges).value();
}

template <class BoostGraph> BoostGraph copy_to(const midend::csr_graph& g) {
  BoostGraph copy(g.num_nodes());
  for (const midend::csr_edge_descriptor e : boost::make_iterator_range(edges(g))) {
    add_edge(e.source, target(e, g), copy);
  }
  return copy;
}

/// Same successors, and dominators and loops like those of the flat graph.
template <class View> void check_view(const View& view, const midend::csr_graph& g) {
  REQUIRE(view.num_nodes() == g.num_nodes());
  CHECK(view.entry() == g.entry());
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    std::vector<midend::node_id> successors;
    for (const midend::node_id s : view.successors(n)) {
      successors.push_back(s);
    }
    CHECK(std::ranges::equal(successors, g.successors(n)));
    CHECK(view.node(view.vertex(n)) == n);
    if constexpr (midend::bidirectional_flow_graph<View>) {
      std::vector<midend::node_id> predecessors;
      for (const midend::node_id p : view.predecessors(n)) {
        predecessors.push_back(p);
      }
      std::ranges::sort(predecessors); // Boost promises no order
      CHECK(std::ranges::equal(predecessors, g.predecessors(n)));
    }
  }
  const midend::dominator_tree tree = midend::dominators(view);
  CHECK(tree == midend::dominators(g));
  CHECK(midend::natural_loops(view, tree).num_loops() == midend::natural_loops(g, tree).num_loops());
}

} // namespace

TEST_CASE("boost_graph_view: every kind of Boost graph gives the successors and answers of the flat graph") {
  for (std::uint32_t seed = 0; seed != 200; ++seed) {
    CAPTURE(seed);
    const midend::csr_graph g = random_graph(seed);
    const auto theirs = copy_to<vector_graph>(g);
    check_view(midend::boost_graph_view(theirs, g.entry()), g);
    const auto two_way = copy_to<two_way_graph>(g);
    check_view(midend::boost_graph_view(two_way, g.entry()), g);

    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const midend::csr_edge_descriptor e : boost::make_iterator_range(edges(g))) {
      pairs.emplace_back(e.source, target(e, g));
    }
    const packed_graph packed(boost::edges_are_sorted, pairs.begin(), pairs.end(), g.num_nodes());
    check_view(midend::boost_graph_view(packed, g.entry()), g);

    list_graph linked;
    std::vector<list_graph::vertex_descriptor> nodes;
    for (std::uint32_t n = 0; n != g.num_nodes(); ++n) {
      nodes.push_back(add_vertex(n, linked));
    }
    for (const auto& [from, to] : pairs) {
      add_edge(nodes[from], nodes[to], linked);
    }
    check_view(midend::boost_graph_view(linked, nodes[g.entry()]), g);
  }
}

TEST_CASE("boost_graph_view: an index map of the user's own") {
  vector_graph theirs(3);
  add_edge(2, 1, theirs);
  add_edge(1, 0, theirs);
  const std::vector<std::uint32_t> backwards{2, 1, 0};
  const auto index = boost::make_iterator_property_map(backwards.begin(), get(boost::vertex_index, theirs));
  const midend::boost_graph_view view(theirs, 2, index);
  const midend::dominator_tree tree = midend::dominators(view);
  CHECK(view.entry() == 0);
  CHECK(tree.immediate_dominator(1) == 0);
  CHECK(tree.immediate_dominator(2) == 1);
}

TEST_CASE("boost_graph_view: the views of a graph without vertices, and of a csr_graph itself") {
  const vector_graph empty;
  CHECK(midend::dominators(midend::boost_graph_view(empty, 0)).num_nodes() == 0);
  const midend::csr_graph g = random_graph(7);
  check_view(midend::boost_graph_view(g, g.entry()), g);
}

TEST_CASE("csr_graph in Boost: edges, degrees and indices") {
  const midend::csr_graph g =
      midend::csr_graph::from_edges(5, 0, std::vector<midend::edge>{{1, 3}, {1, 3}, {3, 1}, {4, 4}}).value();
  CHECK(num_vertices(g) == 5);
  CHECK(num_edges(g) == 4);
  std::vector<midend::csr_edge_descriptor> all;
  for (const midend::csr_edge_descriptor e : boost::make_iterator_range(edges(g))) {
    all.push_back(e);
  }
  const std::vector<midend::csr_edge_descriptor> expected{{0, 1}, {1, 1}, {2, 3}, {3, 4}};
  CHECK(all == expected);
  CHECK(out_degree(1, g) == 2);
  CHECK(in_degree(3, g) == 2);
  CHECK(degree(4, g) == 2);
  CHECK(out_degree(0, g) == 0);
  for (const midend::csr_edge_descriptor e : boost::make_iterator_range(in_edges(3, g))) {
    CHECK(source(e, g) == 1);
    CHECK(target(e, g) == 3);
  }
  CHECK(get(boost::vertex_index, g, 3) == 3);
  CHECK(get(boost::edge_index, g, all[2]) == 2);
  CHECK(get(get(boost::edge_index, g), all[3]) == 3);
  const midend::csr_graph none;
  CHECK(num_vertices(none) == 0);
  CHECK(edges(none).first == edges(none).second);
}

TEST_CASE("csr_graph in Boost: strong_components and breadth_first_search agree with midend") {
  for (std::uint32_t seed = 0; seed != 200; ++seed) {
    CAPTURE(seed);
    const midend::csr_graph g = random_graph(seed);
    const midend::forward_csr_graph& forward = g;
    const auto ours = midend::strongly_connected_components(g);
    std::vector<std::size_t> theirs(g.num_nodes());
    const auto map = boost::make_iterator_property_map(theirs.begin(), get(boost::vertex_index, g));
    CHECK(boost::strong_components(g, map) == ours.num_components());
    CHECK(boost::strong_components(forward, map) == ours.num_components());
    std::set<std::pair<std::size_t, midend::component_id>> pairs;
    for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
      pairs.emplace(theirs[n], ours.component(n));
    }
    CHECK(pairs.size() == ours.num_components());

    std::vector<std::size_t> distance(g.num_nodes(), 0);
    boost::breadth_first_search(
        g, g.entry(),
        boost::visitor(boost::make_bfs_visitor(boost::record_distances(distance.data(), boost::on_tree_edge()))));
    const midend::dominator_tree tree = midend::dominators(g);
    for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
      CHECK((distance[n] != 0 || n == g.entry()) == tree.is_reachable(n));
      if (tree.is_reachable(n)) {
        CHECK(distance[n] >= tree.depth(n)); // a shortest path passes every dominator
      }
    }
  }
}

TEST_CASE("csr_graph in Boost: lengauer_tarjan_dominator_tree on graphs without unreachable nodes") {
  int compared = 0;
  for (std::uint32_t seed = 0; seed != 400; ++seed) {
    CAPTURE(seed);
    const midend::csr_graph g = random_graph(seed);
    const midend::dominator_tree tree = midend::dominators(g);
    if (tree.num_reachable() != g.num_nodes()) {
      continue; // Boost's answers are wrong there
    }
    ++compared;
    std::vector<midend::node_id> theirs(g.num_nodes(), midend::no_node);
    boost::lengauer_tarjan_dominator_tree(
        g, g.entry(), boost::make_iterator_property_map(theirs.begin(), get(boost::vertex_index, g)));
    for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
      CHECK(theirs[n] == tree.immediate_dominator(n));
    }
  }
  CHECK(compared > 50);
}

TEST_CASE("csr_graph in Boost: dijkstra_shortest_paths with weights by edge index, and reverse_graph") {
  const midend::csr_graph g =
      midend::csr_graph::from_edges(4, 0, std::vector<midend::edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}).value();
  const std::vector<int> weights{1, 5, 7, 1};
  std::vector<int> distance(4);
  const auto weight = boost::make_iterator_property_map(weights.begin(), get(boost::edge_index, g));
  const auto distances = boost::make_iterator_property_map(distance.begin(), get(boost::vertex_index, g));
  boost::dijkstra_shortest_paths(g, midend::node_id{0}, boost::weight_map(weight).distance_map(distances));
  CHECK(distance == std::vector<int>{0, 1, 5, 6});

  const auto reversed = boost::make_reverse_graph(g);
  CHECK(out_degree(3, reversed) == 2);
  std::vector<int> steps(4, 0);
  boost::breadth_first_search(
      reversed, midend::node_id{3},
      boost::visitor(boost::make_bfs_visitor(boost::record_distances(steps.data(), boost::on_tree_edge()))));
  CHECK(steps == std::vector<int>{2, 1, 1, 0});
}

#if defined(__cpp_exceptions) && defined(__cpp_rtti)
TEST_CASE("csr_graph in Boost: write_graphviz") {
  const midend::csr_graph g = midend::csr_graph::from_edges(2, 0, std::vector<midend::edge>{{0, 1}, {1, 0}}).value();
  std::ostringstream out;
  boost::write_graphviz(out, g);
  CHECK(out.str() == "digraph G {\n0;\n1;\n0->1 ;\n1->0 ;\n}\n");
}
#endif
