// Every analysis on graphs as users have them: containers of all kinds, pointers, own edge numbers.
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/midend.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <iterator>
#include <memory>
#include <sstream>

using namespace midend_tests;

namespace {

/// Lists of lists.
struct vector_graph {
  std::vector<std::vector<node_id>> lists;
  node_id first;

  explicit vector_graph(const test_graph& g) : lists(g.num_nodes), first(g.entry) {
    for (const edge e : g.edges) {
      lists[e.source].push_back(e.target);
    }
  }

  std::size_t num_nodes() const { return lists.size(); }

  node_id entry() const { return first; }

  const std::vector<node_id>& successors(node_id n) const { return lists[n]; }
};

/// The same as spans of another integer type, with numbers of nodes as `int`.
struct span_of_int_graph {
  std::vector<std::vector<int>> lists;
  int first;

  explicit span_of_int_graph(const test_graph& g) : lists(g.num_nodes), first(static_cast<int>(g.entry)) {
    for (const edge e : g.edges) {
      lists[e.source].push_back(static_cast<int>(e.target));
    }
  }

  std::uint16_t num_nodes() const { return static_cast<std::uint16_t>(lists.size()); }

  int entry() const { return first; }

  std::span<const int> successors(node_id n) const { return lists[n]; }
};

/// Iterators that only go forward.
struct forward_list_graph {
  std::vector<std::forward_list<node_id>> lists;
  node_id first;

  explicit forward_list_graph(const test_graph& g) : lists(g.num_nodes), first(g.entry) {
    for (std::size_t i = g.edges.size(); i-- != 0;) {
      lists[g.edges[i].source].push_front(g.edges[i].target);
    }
  }

  std::size_t num_nodes() const { return lists.size(); }

  node_id entry() const { return first; }

  const std::forward_list<node_id>& successors(node_id n) const { return lists[n]; }
};

/// Blocks linked by pointers, seen through `mapped` with a function that holds nothing.
struct pointer_graph {
  struct block {
    node_id index = 0;
    std::vector<const block*> targets;
  };

  std::deque<block> blocks;
  const block* first = nullptr;

  explicit pointer_graph(const test_graph& g) : blocks(g.num_nodes) {
    for (node_id n = 0; n != g.num_nodes; ++n) {
      blocks[n].index = n;
    }
    for (const edge e : g.edges) {
      blocks[e.source].targets.push_back(&blocks[e.target]);
    }
    first = g.num_nodes == 0 ? nullptr : &blocks[g.entry];
  }

  pointer_graph(const pointer_graph&) = delete;

  std::size_t num_nodes() const { return blocks.size(); }

  node_id entry() const { return first->index; }

  auto successors(node_id n) const {
    return midend::mapped(blocks[n].targets, [](const block* b) { return b->index; });
  }
};

/// `mapped` with a function that refers to a table outside the blocks.
struct table_graph {
  std::vector<std::vector<char>> names;
  std::vector<node_id> number_of = std::vector<node_id>(256, no_node);
  node_id first;

  explicit table_graph(const test_graph& g) : names(g.num_nodes), first(g.entry) {
    for (node_id n = 0; n != g.num_nodes; ++n) {
      number_of[255 - n] = n;
    }
    for (const edge e : g.edges) {
      names[e.source].push_back(static_cast<char>(255 - e.target));
    }
  }

  std::size_t num_nodes() const { return names.size(); }

  node_id entry() const { return first; }

  auto successors(node_id n) const {
    return midend::mapped(names[n], [&table = number_of](char c) { return table[static_cast<unsigned char>(c)]; });
  }
};

/// Lists that end with a mark instead of a length: iterator and end are of different types.
struct sentinel_graph {
  struct end_mark {
    friend bool operator==(const std::int32_t* at, end_mark) { return *at < 0; }
  };

  std::vector<std::vector<std::int32_t>> lists;
  node_id first;

  explicit sentinel_graph(const test_graph& g) : lists(g.num_nodes), first(g.entry) {
    for (const edge e : g.edges) {
      lists[e.source].push_back(static_cast<std::int32_t>(e.target));
    }
    for (auto& list : lists) {
      list.push_back(-1);
    }
  }

  std::size_t num_nodes() const { return lists.size(); }

  node_id entry() const { return first; }

  midend::iterator_range<const std::int32_t*, end_mark> successors(node_id n) const { return {lists[n].data(), {}}; }
};

/// Successors by value. Only through `csr_graph`.
struct temporary_graph {
  std::vector<std::vector<node_id>> lists;
  node_id first;

  explicit temporary_graph(const test_graph& g) : lists(vector_graph(g).lists), first(g.entry) {}

  std::size_t num_nodes() const { return lists.size(); }

  node_id entry() const { return first; }

  std::vector<node_id> successors(node_id n) const { return lists[n]; }
};

/// Successors that can be read only once. Only through `csr_graph`.
struct stream_graph {
  struct range {
    std::shared_ptr<std::istringstream> text;

    std::istream_iterator<node_id> begin() const { return std::istream_iterator<node_id>(*text); }

    std::istream_iterator<node_id> end() const { return {}; }
  };

  std::vector<std::string> lists;
  node_id first;

  explicit stream_graph(const test_graph& g) : lists(g.num_nodes), first(g.entry) {
    for (const edge e : g.edges) {
      lists[e.source] += std::to_string(e.target) + " ";
    }
  }

  std::size_t num_nodes() const { return lists.size(); }

  node_id entry() const { return first; }

  range successors(node_id n) const { return {std::make_shared<std::istringstream>(lists[n])}; }
};

/// Predecessors too, in the opposite order, and edges numbered from the last one down. With or without in-edges.
template <bool HasInEdges> struct edge_numbers_graph {
  midend::csr_graph g;
  std::vector<std::vector<node_id>> predecessor_lists;
  std::vector<std::vector<edge_id>> in_lists;

  explicit edge_numbers_graph(const test_graph& graph)
      : g(make_csr(graph)), predecessor_lists(graph.num_nodes), in_lists(graph.num_nodes) {
    for (edge_id e = static_cast<edge_id>(g.num_edges()); e-- != 0;) {
      predecessor_lists[g.edge_target(e)].push_back(g.edge_source(e));
      in_lists[g.edge_target(e)].push_back(turned(e));
    }
  }

  edge_id turned(edge_id e) const { return static_cast<edge_id>(g.num_edges() - 1 - e); }

  std::size_t num_nodes() const { return g.num_nodes(); }

  node_id entry() const { return g.entry(); }

  std::span<const node_id> successors(node_id n) const { return g.successors(n); }

  const std::vector<node_id>& predecessors(node_id n) const { return predecessor_lists[n]; }

  std::size_t num_edges() const { return g.num_edges(); }

  auto out_edges(node_id n) const {
    return midend::mapped(g.out_edges(n), [this](edge_id e) { return turned(e); });
  }

  const std::vector<edge_id>& in_edges(node_id n) const
    requires HasInEdges
  {
    return in_lists[n];
  }

  node_id edge_source(edge_id e) const { return g.edge_source(turned(e)); }

  node_id edge_target(edge_id e) const { return g.edge_target(turned(e)); }
};

/// Two successors each, in an array.
struct pair_graph {
  node_id both[4][2] = {{1, 2}, {3, 0}, {3, 3}, {3, 1}};

  std::size_t num_nodes() const { return 4; }

  node_id entry() const { return 0; }

  const node_id (&successors(node_id n) const)[2] { return both[n]; }
};

static_assert(midend::flow_graph<vector_graph> && midend::flow_graph<span_of_int_graph>);
static_assert(midend::flow_graph<forward_list_graph> && midend::flow_graph<pointer_graph>);
static_assert(midend::flow_graph<table_graph> && midend::flow_graph<sentinel_graph> && midend::flow_graph<pair_graph>);
static_assert(!midend::has_predecessors<vector_graph> && !midend::has_edges<vector_graph>);
static_assert(midend::readable_graph<temporary_graph> && !midend::directed_graph<temporary_graph>);
static_assert(midend::readable_graph<stream_graph> && !midend::directed_graph<stream_graph>);
static_assert(midend::bidirectional_flow_graph<edge_numbers_graph<true>> &&
              midend::edge_indexed_flow_graph<edge_numbers_graph<true>>);
static_assert(midend::edge_indexed_flow_graph<edge_numbers_graph<false>>);

/// All analyses on `g`, whose edges, in order, are those of `graph`.
template <class G> std::string wrong_analyses(const G& g, const definitions& facts) {
  if (std::string wrong = difference(midend::depth_first_order(g), facts); !wrong.empty()) {
    return "depth_first_order: " + wrong;
  }
  if (std::string wrong = difference(midend::strongly_connected_components(g), facts); !wrong.empty()) {
    return "strongly_connected_components: " + wrong;
  }
  const auto tree = midend::dominators(g);
  for (const auto& other :
       {tree, midend::dominators(g, midend::lengauer_tarjan), midend::dominators(g, midend::lengauer_tarjan_simple),
        midend::dominators(g, midend::cooper_harvey_kennedy), midend::dominators(g, midend::naive_dominators)}) {
    if (std::string wrong = difference(other, facts); !wrong.empty()) {
      return "dominators: " + wrong;
    }
  }
  const auto kinds = midend::edge_kinds(g, midend::depth_first_order(g));
  if (kinds.size() != facts.edges().size()) {
    return "number of edge_kinds";
  }
  if (const auto error = midend::check_graph(g)) {
    return join("check_graph at node ", error->node);
  }
  return {};
}

template <class G> std::string wrong_loops(const G& g, const definitions& facts) {
  const auto tree = midend::dominators(g);
  if (std::string wrong = difference(midend::natural_loops(g, tree), tree, facts); !wrong.empty()) {
    return "natural_loops: " + wrong;
  }
  const auto both = midend::dominators_and_loops(g);
  if (std::string wrong = difference(both.loops, both.dominators, facts, sibling_order::any); !wrong.empty()) {
    return "dominators_and_loops: " + wrong;
  }
  return {};
}

const std::vector<test_graph>& some_graphs() {
  static const std::vector<test_graph> graphs = [] {
    std::vector<test_graph> out = ugly_graphs();
    random_source random(21);
    for (std::size_t i = 0; i != 12; ++i) {
      out.push_back(random_reducible(random, 5 + random.below(40)));
      out.push_back(random_irreducible(random, 5 + random.below(40)));
    }
    return out;
  }();
  return graphs;
}

/// The name of the first edge list of a loop that names an edge whose ends the graph gives differently.
template <class G> std::string wrong_edge_ids(const G& g, const midend::loop_forest& forest) {
  const auto names_its_ends = [&g](const midend::loop_edge& e) {
    return e.id < g.num_edges() && g.edge_source(e.id) == e.source && g.edge_target(e.id) == e.target;
  };
  for (const midend::loop_id l : forest.loops()) {
    for (const midend::loop_edge& e : forest.backedges(l)) {
      if (!names_its_ends(e)) {
        return "backedges";
      }
    }
    for (const midend::loop_edge& e : forest.entering_edges(l)) {
      if (!names_its_ends(e)) {
        return "entering_edges";
      }
    }
    for (const midend::loop_edge& e : forest.exiting_edges(l)) {
      if (!names_its_ends(e)) {
        return "exiting_edges";
      }
    }
  }
  return {};
}

/// What does not depend on the numbers of edges and the order of predecessors.
template <class G> std::string wrong_sets(const G& g, const definitions& facts) {
  const auto forest = midend::natural_loops(g, midend::dominators(g));
  const std::vector<loop_facts> loops = facts.loops();
  if (forest.num_loops() != loops.size()) {
    return "num_loops";
  }
  for (const loop_facts& expected : loops) {
    const midend::loop_id l = forest.innermost_loop(expected.header);
    if (sorted(forest.blocks(l)) != expected.blocks) {
      return "blocks";
    }
    if (listed(forest.latches(l)) != expected.latches) {
      return "latches";
    }
    if (forest.single_latch(l) != (expected.latches.size() == 1 ? expected.latches[0] : no_node)) {
      return "single_latch";
    }
    if (listed(forest.entering_blocks(l)) != expected.entering_blocks) {
      return "entering_blocks";
    }
    if (forest.preheader(l) != expected.preheader) {
      return "preheader";
    }
    if (sorted(forest.exiting_blocks(l)) != expected.exiting_blocks) {
      return "exiting_blocks";
    }
    if (listed(forest.exit_blocks(l)) != expected.exit_blocks) {
      return "exit_blocks";
    }
    if (forest.has_dedicated_exits(l) != expected.has_dedicated_exits) {
      return "has_dedicated_exits";
    }
    if (forest.is_statically_infinite(l) != expected.is_statically_infinite) {
      return "is_statically_infinite";
    }
  }
  return wrong_edge_ids(g, forest);
}

} // namespace

TEST_CASE_TEMPLATE("user graphs: all analyses", G, vector_graph, span_of_int_graph, forward_list_graph, pointer_graph,
                   table_graph, sentinel_graph) {
  comparisons compared;
  for (const test_graph& graph : some_graphs()) {
    const G g(graph);
    const definitions facts(graph);
    compared.add(wrong_analyses(g, facts), graph);
    compared.add(wrong_loops(g, facts), graph);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE_TEMPLATE("user graphs: graphs that give temporaries go through csr_graph", G, temporary_graph, stream_graph) {
  comparisons compared;
  for (const test_graph& graph : some_graphs()) {
    const midend::csr_graph g{G(graph)};
    const definitions facts(graph);
    compared.add(wrong_analyses(g, facts), graph);
    compared.add(wrong_loops(g, facts), graph);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE_TEMPLATE("user graphs: edges with numbers of their own, predecessors in another order", G,
                   edge_numbers_graph<true>, edge_numbers_graph<false>) {
  comparisons compared;
  for (const test_graph& graph : some_graphs()) {
    const G g(graph);
    const definitions facts(graph);
    compared.add(wrong_analyses(g, facts), graph);
    compared.add(wrong_sets(g, facts), graph);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("user graphs: kinds of edges by the numbers that the graph has") {
  const test_graph graph{"", 4, 0, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 1}, {0, 3}}};
  const edge_numbers_graph<false> g(graph);
  const auto order = midend::depth_first_order(g);
  const auto kinds = midend::edge_kinds(g, order);
  const auto kinds_of_copy = midend::edge_kinds(g.g, midend::depth_first_order(g.g));
  REQUIRE(kinds.size() == 6);
  for (edge_id e = 0; e != 6; ++e) {
    CHECK(kinds[g.turned(e)] == kinds_of_copy[e]);
  }
}

TEST_CASE("user graphs: successors in an array") {
  const pair_graph g;
  const definitions facts(test_graph{"", 4, 0, {{0, 1}, {0, 2}, {1, 3}, {1, 0}, {2, 3}, {2, 3}, {3, 3}, {3, 1}}});
  CHECK(wrong_analyses(g, facts) == "");
  CHECK(wrong_loops(g, facts) == "");
}
