// depth_first_order.hpp, edge_kinds.hpp, strongly_connected_components.hpp.
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/graph/depth_first_order.hpp>
#include <midend/graph/edge_kinds.hpp>
#include <midend/graph/strongly_connected_components.hpp>

#include <algorithm>
#include <tuple>

using namespace midend_tests;
using midend::edge_kind;

namespace {

/// Edge by edge, as Cormen, Leiserson, Rivest and Stein define the kinds: by the colour of the target when the edge is
/// explored. White makes a tree edge, grey a back edge; black a forward edge if the target was met later than the
/// source, else a cross edge.
std::vector<edge_kind> kinds_by_colour(const definitions& facts) {
  enum class colour { white, grey, black };
  std::vector<edge_kind> out(facts.edges().size(), edge_kind::unreachable);
  std::vector<colour> colours(facts.num_nodes(), colour::white);
  std::vector<std::size_t> met(facts.num_nodes(), 0);
  std::size_t now = 0;

  struct step {
    node_id node;
    std::size_t next;
  };

  std::vector<step> path;
  const auto enter = [&](node_id n) {
    colours[n] = colour::grey;
    met[n] = ++now;
    path.push_back({n, 0});
  };
  if (facts.num_nodes() != 0) {
    enter(facts.entry());
  }
  while (!path.empty()) {
    const node_id n = path.back().node;
    const std::span<const edge> edges = facts.out_edges(n);
    if (path.back().next == edges.size()) {
      colours[n] = colour::black;
      path.pop_back();
      continue;
    }
    const edge& e = edges[path.back().next++];
    edge_kind& kind = out[static_cast<std::size_t>(&e - facts.edges().data())];
    switch (colours[e.target]) {
    case colour::white:
      kind = edge_kind::tree;
      enter(e.target);
      break;
    case colour::grey:
      kind = edge_kind::back;
      break;
    case colour::black:
      kind = met[n] < met[e.target] ? edge_kind::forward : edge_kind::cross;
      break;
    }
  }
  return out;
}

/// The condensation by definition: an edge for each pair of different components that an edge joins.
std::string wrong_condensation(const midend::csr_graph& condensed, const midend::component_partition& components,
                               const definitions& facts) {
  if (condensed.num_nodes() != components.num_components()) {
    return "condensation: number of components";
  }
  if (facts.num_nodes() != 0 && condensed.entry() != components.component(facts.entry())) {
    return "condensation: entry";
  }
  std::vector<edge> expected;
  for (const edge e : facts.edges()) {
    const edge between{components.component(e.source), components.component(e.target)};
    if (between.source != between.target && std::find(expected.begin(), expected.end(), between) == expected.end()) {
      expected.push_back(between);
    }
  }
  std::vector<edge> got;
  for (edge_id e = 0; e != condensed.num_edges(); ++e) {
    got.push_back({condensed.edge_source(e), condensed.edge_target(e)});
    if (got.back().source <= got.back().target) {
      return "condensation: an edge that does not lead to a lower number";
    }
  }
  return std::is_permutation(got.begin(), got.end(), expected.begin(), expected.end()) ? std::string()
                                                                                       : "condensation: edges";
}

/// All traversals of one graph against the definitions, through workspaces that are used for every graph.
class traversal_check {
public:
  template <class G> std::string operator()(const G& g, const definitions& facts) {
    midend::depth_first_order(g, depth_first_memory_, order_);
    if (std::string wrong = difference(order_, facts); !wrong.empty()) {
      return "depth_first_order: " + wrong;
    }
    midend::strongly_connected_components(g, component_memory_, components_);
    if (std::string wrong = difference(components_, facts); !wrong.empty()) {
      return "strongly_connected_components: " + wrong;
    }
    const auto kinds = midend::edge_kinds(g, order_);
    const std::vector<edge_kind> expected = kinds_by_colour(facts);
    if (!std::equal(kinds.begin(), kinds.end(), expected.begin(), expected.end())) {
      return "edge_kinds";
    }
    return {};
  }

  const midend::component_partition& components() const { return components_; }

  const midend::depth_first_numbering& order() const { return order_; }

private:
  midend::depth_first_order_workspace depth_first_memory_;
  midend::depth_first_numbering order_;
  midend::strongly_connected_components_workspace component_memory_;
  midend::component_partition components_;
};

/// Counts how often each successor list is asked for.
struct counting_graph {
  const midend::csr_graph* g;
  mutable std::vector<std::size_t> reads;

  std::size_t num_nodes() const { return g->num_nodes(); }

  node_id entry() const { return g->entry(); }

  std::span<const node_id> successors(node_id n) const {
    ++reads[n];
    return g->successors(n);
  }
};

struct without_entry {
  std::vector<std::vector<node_id>> lists;

  std::size_t num_nodes() const { return lists.size(); }

  const std::vector<node_id>& successors(node_id n) const { return lists[n]; }
};

static_assert(midend::directed_graph<without_entry> && !midend::flow_graph<without_entry>);

} // namespace

TEST_CASE("traversals: all digraphs of up to 4 nodes from every root") {
  traversal_check check;
  definitions facts;
  comparisons graphs;
  for (std::size_t size = 1; size <= 4; ++size) {
    for_each_affordable_digraph(size, [&](const bit_graph& g) {
      facts.assign(size, g.entry(), to_test_graph(g).edges);
      graphs.add(check(g, facts), g);
    });
  }
  CHECK(graphs.failed() == 0);
  CHECK(graphs.all() == 2 * 1 + 16 * 2 + 512 * 3 + (tests_are_shortened ? 65536 / 7 + 1 : 65536) * 4);
}

TEST_CASE("traversals: random and ugly graphs") {
  traversal_check check;
  std::vector<test_graph> graphs = random_graphs();
  for (const test_graph& ugly : ugly_graphs()) {
    graphs.push_back(ugly);
  }
  comparisons compared;
  for (const test_graph& graph : graphs) {
    const definitions facts(graph);
    const auto g = make_csr(graph);
    compared.add(check(g, facts), graph);
    CHECK(check.order() == midend::depth_first_order(g));
    CHECK(check.components() == midend::strongly_connected_components(g));
    compared.add(wrong_condensation(midend::condensation(g, check.components()), check.components(), facts), graph);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("depth_first_order: reverse postorder puts nodes before their successors, back edges apart") {
  for (const test_graph& graph : random_graphs()) {
    const auto g = make_csr(graph);
    const auto order = midend::reverse_post_order(g);
    const auto kinds = midend::edge_kinds(g, midend::depth_first_order(g));
    std::vector<std::size_t> position(graph.num_nodes, 0);
    for (std::size_t i = 0; i != order.size(); ++i) {
      position[order[i]] = i;
    }
    REQUIRE(order.size() == definitions(graph).num_reachable());
    CHECK(order[0] == graph.entry);
    for (edge_id e = 0; e != g.num_edges(); ++e) {
      if (kinds[e] != edge_kind::unreachable && kinds[e] != edge_kind::back) {
        CHECK_MESSAGE(position[g.edge_source(e)] < position[g.edge_target(e)], to_string(graph));
      }
    }
  }
}

TEST_CASE("traversals: each successor list is read once, none of unreachable nodes") {
  random_source random(5);
  for (std::size_t i = 0; i != 20; ++i) {
    const test_graph graph = random_irreducible(random, 10 + random.below(60));
    const definitions facts(graph);
    const auto g = make_csr(graph);
    const counting_graph search{&g, std::vector<std::size_t>(graph.num_nodes, 0)};
    CHECK(midend::depth_first_order(search) == midend::depth_first_order(g));
    const counting_graph components{&g, std::vector<std::size_t>(graph.num_nodes, 0)};
    CHECK(midend::strongly_connected_components(components) == midend::strongly_connected_components(g));
    for (node_id n = 0; n != graph.num_nodes; ++n) {
      CHECK(search.reads[n] == (facts.is_reachable(n) ? 1 : 0));
      CHECK(components.reads[n] == 1);
    }
  }
}

// Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", 3rd edition, figure 22.4, from u: u, v, w, x, y, z
// are 0 to 5. What is reached from w only is unreachable here.
TEST_CASE("edge_kinds: the depth-first search of Introduction to Algorithms, figure 22.4") {
  const auto g = make_csr({"", 6, 0, {{0, 1}, {0, 3}, {1, 4}, {2, 4}, {2, 5}, {3, 1}, {4, 3}, {5, 5}}});
  const auto kinds = midend::edge_kinds(g, midend::depth_first_order(g));
  const std::vector<edge_kind> expected{edge_kind::tree,        edge_kind::forward,     edge_kind::tree,
                                        edge_kind::unreachable, edge_kind::unreachable, edge_kind::back,
                                        edge_kind::tree,        edge_kind::unreachable};
  CHECK(std::equal(kinds.begin(), kinds.end(), expected.begin(), expected.end()));
}

TEST_CASE("edge_kinds: of parallel edges the first is the tree edge") {
  const auto g = make_csr({"", 2, 0, {{0, 1}, {0, 1}, {1, 0}, {1, 0}, {1, 1}}});
  const auto kinds = midend::edge_kinds(g, midend::depth_first_order(g));
  const std::vector<edge_kind> expected{edge_kind::tree, edge_kind::forward, edge_kind::back, edge_kind::back,
                                        edge_kind::back};
  CHECK(std::equal(kinds.begin(), kinds.end(), expected.begin(), expected.end()));
}

// The same book, figure 22.9: a … h are 0 … 7. The components are {a, b, e}, {c, d}, {f, g} and {h}, and the acyclic
// component graph is abe → cd, abe → fg, cd → fg, cd → h, fg → h.
TEST_CASE("strongly_connected_components: Introduction to Algorithms, figure 22.9") {
  const test_graph graph{
      "",
      8,
      2,
      {{0, 1}, {1, 2}, {1, 4}, {1, 5}, {2, 3}, {2, 6}, {3, 2}, {3, 7}, {4, 0}, {4, 5}, {5, 6}, {6, 5}, {6, 7}, {7, 7}}};
  const auto g = make_csr(graph);
  const auto components = midend::strongly_connected_components(g);
  REQUIRE(components.num_components() == 4);
  for (const auto& [a, b, same] : {std::tuple{0u, 1u, true},
                                   {0u, 4u, true},
                                   {2u, 3u, true},
                                   {5u, 6u, true},
                                   {0u, 2u, false},
                                   {2u, 5u, false},
                                   {5u, 7u, false},
                                   {0u, 7u, false}}) {
    CHECK(components.same_component(a, b) == same);
  }
  CHECK(components.num_reachable_components() == 3); // c does not reach a, b, e
  CHECK_FALSE(components.is_reachable(4));
  const auto condensed = midend::condensation(g, components);
  CHECK(condensed.num_edges() == 5);
  CHECK(condensed.successors(components.component(0)).size() == 2);
  CHECK(condensed.successors(components.component(7)).empty());
  CHECK(condensed.entry() == components.component(2));
}

// Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972: the example of strong
// components, nodes 1 to 8.
TEST_CASE("strongly_connected_components: Tarjan's example of 1972") {
  const test_graph graph{
      "", 9, 1, {{1, 2}, {2, 3}, {2, 8}, {3, 4}, {3, 7}, {4, 5}, {5, 3}, {5, 6}, {7, 4}, {7, 6}, {8, 1}, {8, 7}}};
  const auto components = midend::strongly_connected_components(make_csr(graph));
  REQUIRE(components.num_components() == 4); // node 0 is alone and unreachable
  CHECK(sorted(components.members(components.component(1))) == std::vector<node_id>{1, 2, 8});
  CHECK(sorted(components.members(components.component(3))) == std::vector<node_id>{3, 4, 5, 7});
  CHECK(listed(components.members(components.component(6))) == std::vector<node_id>{6});
  CHECK(components.component(6) < components.component(3));
  CHECK(components.component(3) < components.component(1));
}

TEST_CASE("strongly_connected_components: a graph without an entry is searched from node 0 on") {
  const without_entry g{{{1}, {0}, {0, 3}, {2}, {}}};
  const auto components = midend::strongly_connected_components(g);
  CHECK(components.num_components() == 3);
  CHECK(components.same_component(0, 1));
  CHECK(components.same_component(2, 3));
  CHECK(components.is_reachable(1));
  CHECK_FALSE(components.is_reachable(2));
  CHECK_FALSE(components.is_reachable(4));
  CHECK(components.component(0) < components.component(2));
  const auto condensed = midend::condensation(g, components);
  CHECK(condensed.num_nodes() == 3);
  CHECK(condensed.num_edges() == 1);
  CHECK(midend::strongly_connected_components(without_entry()).num_components() == 0);
  CHECK(midend::condensation(without_entry(), midend::component_partition()).num_nodes() == 0);
}
