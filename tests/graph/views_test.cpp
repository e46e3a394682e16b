// reversed.hpp, with_virtual_exit.hpp, filtered.hpp.
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/graph/check_graph.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/graph/filtered.hpp>
#include <midend/graph/reversed.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/graph/with_virtual_exit.hpp>
#include <midend/loops/natural_loops.hpp>

#include <algorithm>

using namespace midend_tests;
using midend::csr_graph;

namespace {

struct even {
  bool operator()(node_id n) const { return n % 2 == 0; }
};

using reversed_csr = midend::reversed_graph<csr_graph>;
using exit_csr = midend::virtual_exit_graph<csr_graph>;
using exit_forward = midend::virtual_exit_graph<midend::forward_csr_graph>;

static_assert(midend::bidirectional_flow_graph<reversed_csr> && midend::edge_indexed_flow_graph<reversed_csr>);
static_assert(midend::bidirectional_flow_graph<exit_csr> && midend::has_exit<exit_csr>);
static_assert(midend::flow_graph<exit_forward> && !midend::has_predecessors<exit_forward>);
static_assert(midend::bidirectional_flow_graph<midend::reversed_graph<exit_csr>>);
static_assert(midend::bidirectional_flow_graph<decltype(midend::filtered(std::declval<const csr_graph&>(), even()))>);

// A view refers to its graph, so it is not made of a temporary.
template <class G>
concept reversible = requires { midend::reversed(std::declval<G>(), node_id{}); };
template <class G>
concept filterable = requires { midend::filtered(std::declval<G>(), even()); };
template <class G>
concept can_get_an_exit = requires { midend::with_virtual_exit(std::declval<G>()); };
static_assert(reversible<const csr_graph&> && filterable<const csr_graph&> && can_get_an_exit<const csr_graph&>);
static_assert(!reversible<csr_graph> && !filterable<csr_graph> && !can_get_an_exit<csr_graph>);

/// Whether a view has exactly the edges of a list, in successors and, if it has them, predecessors.
template <class G> std::string wrong_edges(const G& view, const test_graph& expected) {
  if (view.num_nodes() != expected.num_nodes || (expected.num_nodes != 0 && view.entry() != expected.entry)) {
    return "size or entry";
  }
  for (node_id n = 0; n != expected.num_nodes; ++n) {
    std::vector<node_id> successors;
    std::vector<node_id> predecessors;
    for (const edge e : expected.edges) {
      if (e.source == n) {
        successors.push_back(e.target);
      }
      if (e.target == n) {
        predecessors.push_back(e.source);
      }
    }
    std::sort(successors.begin(), successors.end());
    std::sort(predecessors.begin(), predecessors.end());
    if (sorted(view.successors(n)) != successors) {
      return join("successors of ", n);
    }
    if constexpr (midend::has_predecessors<G>) {
      if (sorted(view.predecessors(n)) != predecessors) {
        return join("predecessors of ", n);
      }
    }
  }
  if (const auto error = midend::check_graph(view)) {
    return join("check_graph: reason ", static_cast<unsigned>(error->why), " at ", error->node);
  }
  return {};
}

/// Every analysis on a view gives what it gives on a graph that really has these edges.
template <class G> std::string wrong_analyses(const G& view, const test_graph& expected) {
  const definitions facts(expected);
  if (const std::string wrong = difference(midend::depth_first_order(csr_graph(view)),
                                           [&] {
                                             test_graph in_the_order_of_the_view = expected;
                                             in_the_order_of_the_view.edges.clear();
                                             for (node_id n = 0; n != expected.num_nodes; ++n) {
                                               for (const node_id s : listed(view.successors(n))) {
                                                 in_the_order_of_the_view.edges.push_back({n, s});
                                               }
                                             }
                                             return definitions(in_the_order_of_the_view);
                                           }());
      !wrong.empty()) {
    return "depth_first_order of the copy: " + wrong;
  }
  if (!(midend::depth_first_order(view) == midend::depth_first_order(csr_graph(view)))) {
    return "depth_first_order";
  }
  if (!(midend::strongly_connected_components(view) == midend::strongly_connected_components(csr_graph(view)))) {
    return "strongly_connected_components";
  }
  const auto tree = midend::dominators(view);
  if (const std::string wrong = difference(tree, facts); !wrong.empty()) {
    return "dominators: " + wrong;
  }
  return {};
}

std::vector<test_graph> all_graphs() {
  std::vector<test_graph> out = ugly_graphs();
  random_source random(11);
  for (std::size_t i = 0; i != 25; ++i) {
    out.push_back(random_reducible(random, 5 + random.below(30)));
    out.push_back(random_irreducible(random, 5 + random.below(30)));
  }
  return out;
}

} // namespace

TEST_CASE("reversed: each edge turned round, with its id") {
  comparisons compared;
  for (const test_graph& graph : all_graphs()) {
    if (graph.num_nodes == 0) {
      continue;
    }
    const csr_graph g = make_csr(graph);
    const node_id last = static_cast<node_id>(graph.num_nodes - 1);
    const auto view = midend::reversed(g, last);
    test_graph expected{"reversed " + graph.name, graph.num_nodes, last, {}};
    for (const edge e : graph.edges) {
      expected.edges.push_back({e.target, e.source});
    }
    compared.add(wrong_edges(view, expected), expected);
    compared.add(wrong_analyses(view, expected), expected);
    CHECK(view.exit() == graph.entry);
    CHECK(view.num_edges() == g.num_edges());
    for (edge_id e = 0; e != g.num_edges(); ++e) {
      CHECK(view.edge_source(e) == g.edge_target(e));
      CHECK(view.edge_target(e) == g.edge_source(e));
    }
    for (node_id n = 0; n != graph.num_nodes; ++n) {
      CHECK(listed(view.out_edges(n)) == listed(g.in_edges(n)));
      CHECK(listed(view.in_edges(n)) == listed(g.out_edges(n)));
    }
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("reversed: of a graph that has an exit it starts there, and twice reversed it is the graph") {
  const csr_graph g = make_csr({"", 3, 0, {{0, 1}, {0, 2}, {1, 2}}});
  const auto with_exit = midend::with_virtual_exit(g);
  const auto backwards = midend::reversed(with_exit);
  CHECK(backwards.entry() == 3);
  CHECK(backwards.exit() == 0);
  const auto forwards = midend::reversed(backwards);
  CHECK(forwards.entry() == 0);
  CHECK(wrong_edges(forwards, {"", 4, 0, {{0, 1}, {0, 2}, {1, 2}, {2, 3}}}).empty());
}

TEST_CASE("with_virtual_exit: after the nodes without successors") {
  comparisons compared;
  for (const test_graph& graph : all_graphs()) {
    const csr_graph g = make_csr(graph);
    const midend::forward_csr_graph forward(g);
    const auto view = midend::with_virtual_exit(g);
    const auto exit = static_cast<node_id>(graph.num_nodes);
    test_graph expected{"exit of " + graph.name, graph.num_nodes + 1, graph.num_nodes == 0 ? 0 : graph.entry,
                        graph.edges};
    std::vector<node_id> roots;
    for (node_id n = 0; n != exit; ++n) {
      if (std::none_of(graph.edges.begin(), graph.edges.end(), [n](edge e) { return e.source == n; })) {
        roots.push_back(n);
        expected.edges.push_back({n, exit});
      }
    }
    CHECK(view.exit() == exit);
    CHECK(listed(view.roots()) == roots);
    compared.add(wrong_edges(view, expected), expected);
    compared.add(wrong_edges(midend::with_virtual_exit(forward), expected), expected);
    compared.add(wrong_analyses(view, expected), expected);
    const auto backwards = midend::reversed(view);
    test_graph turned{"reversed exit of " + graph.name, expected.num_nodes, exit, {}};
    for (const edge e : expected.edges) {
      turned.edges.push_back({e.target, e.source});
    }
    compared.add(wrong_edges(backwards, turned), turned);
    compared.add(wrong_analyses(backwards, turned), turned);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("with_virtual_exit: roots that have successors keep them first; duplicate roots count once") {
  const csr_graph g = make_csr({"", 4, 0, {{0, 1}, {1, 2}, {2, 1}, {0, 3}, {3, 0}}});
  const std::vector<node_id> roots{3, 1, 3};
  const auto view = midend::with_virtual_exit(g, std::span<const node_id>(roots));
  CHECK(listed(view.successors(1)) == std::vector<node_id>{2, 4});
  CHECK(listed(view.successors(3)) == std::vector<node_id>{0, 4});
  CHECK(listed(view.successors(2)) == std::vector<node_id>{1});
  CHECK(listed(view.successors(4)).empty());
  CHECK(listed(view.predecessors(4)) == std::vector<node_id>{3, 1});
  CHECK(midend::with_virtual_exit(g).roots().empty()); // each node has successors
}

// Two arms that end, and an endless one that never reaches the exit.
TEST_CASE("with_virtual_exit: reversed, it answers post-dominance") {
  const csr_graph g = make_csr({"", 6, 0, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {0, 5}, {5, 5}}});
  const auto view = midend::with_virtual_exit(g);
  const auto tree = midend::dominators(midend::reversed(view));
  CHECK(tree.immediate_dominator(2) == 4);
  CHECK(tree.immediate_dominator(1) == 4);
  CHECK(tree.immediate_dominator(0) == 1); // what ends passes 1; the endless arm is not on any path to the exit
  CHECK(tree.immediate_dominator(4) == 6);
  CHECK_FALSE(tree.is_reachable(5));
}

TEST_CASE("filtered: by node and by edge") {
  comparisons compared;
  for (const test_graph& graph : all_graphs()) {
    if (graph.num_nodes == 0) {
      continue;
    }
    const csr_graph g = make_csr(graph);
    const node_id third = graph.entry % 3;
    const auto keeps_node = [third](node_id n) { return n % 3 != (third + 1) % 3; };
    const auto keeps_edge = [](node_id source, node_id target) { return (source + target) % 4 != 1; };
    test_graph without_nodes{"some nodes of " + graph.name, graph.num_nodes, graph.entry, {}};
    test_graph without_edges{"some edges of " + graph.name, graph.num_nodes, graph.entry, {}};
    for (const edge e : graph.edges) {
      if (keeps_node(e.source) && keeps_node(e.target)) {
        without_nodes.edges.push_back(e);
      }
      if (keeps_edge(e.source, e.target)) {
        without_edges.edges.push_back(e);
      }
    }
    const auto by_node = midend::filtered(g, keeps_node);
    compared.add(wrong_edges(by_node, without_nodes), without_nodes);
    compared.add(wrong_analyses(by_node, without_nodes), without_nodes);
    const auto by_edge = midend::filtered(g, keeps_edge);
    compared.add(wrong_edges(by_edge, without_edges), without_edges);
    compared.add(wrong_analyses(by_edge, without_edges), without_edges);
    const auto tree = midend::dominators(by_edge);
    const auto loops = midend::natural_loops(by_edge, tree);
    compared.add(difference(loops, tree, definitions(without_edges)), without_edges);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("filtered: on a graph without predecessors, and views on views") {
  const bit_graph bits(3, 0b110'101'011, 0); // 0 -> 0, 1; 1 -> 0, 2; 2 -> 1, 2
  const auto view = midend::filtered(bits, [](node_id source, node_id target) { return source != target; });
  static_assert(!midend::has_predecessors<decltype(view)>);
  CHECK(wrong_edges(view, {"", 3, 0, {{0, 1}, {1, 0}, {1, 2}, {2, 1}}}).empty());
  const csr_graph g(bits);
  const auto cut = midend::filtered(g, [](node_id n) { return n != 2; });
  const auto with_exit = midend::with_virtual_exit(cut); // the node taken out is one without successors
  CHECK(listed(with_exit.roots()) == std::vector<node_id>{2});
  const auto backwards = midend::reversed(with_exit);
  CHECK(wrong_edges(backwards, {"", 4, 3, {{3, 2}, {0, 0}, {1, 0}, {0, 1}}}).empty());
}

TEST_CASE("views: the epoch of the graph below shows through") {
  struct changing {
    std::vector<node_id> none;

    std::size_t num_nodes() const { return 1; }

    node_id entry() const { return 0; }

    const std::vector<node_id>& successors(node_id) const { return none; }

    const std::vector<node_id>& predecessors(node_id) const { return none; }

    std::uint64_t epoch() const { return 9; }
  };

  const changing g;
  CHECK(midend::graph_epoch(midend::reversed(g, 0)) == 9);
  CHECK(midend::graph_epoch(midend::with_virtual_exit(g)) == 9);
  CHECK(midend::graph_epoch(midend::filtered(g, [](node_id) { return true; })) == 9);
}

namespace {

/// What one loop says of its boundary on a view, against the same loop of a flat copy of it. Edge ids are the view's
/// own.
template <class G>
std::string wrong_boundary(const midend::loop_forest& loops, midend::loop_id l, const G& view,
                           const midend::loop_forest& loops_of_copy) {
  const midend::loop_id same = loops_of_copy.innermost_loop(loops.header(l));
  if (sorted(loops.blocks(l)) != sorted(loops_of_copy.blocks(same))) {
    return "blocks";
  }
  if (listed(loops.latches(l)) != listed(loops_of_copy.latches(same))) {
    return "latches";
  }
  if (loops.single_latch(l) != loops_of_copy.single_latch(same)) {
    return "single_latch";
  }
  if (listed(loops.entering_blocks(l)) != listed(loops_of_copy.entering_blocks(same))) {
    return "entering_blocks";
  }
  if (loops.preheader(l) != loops_of_copy.preheader(same)) {
    return "preheader";
  }
  if (sorted(loops.exiting_blocks(l)) != sorted(loops_of_copy.exiting_blocks(same))) {
    return "exiting_blocks";
  }
  if (listed(loops.exit_blocks(l)) != listed(loops_of_copy.exit_blocks(same))) {
    return "exit_blocks";
  }
  if (loops.has_dedicated_exits(l) != loops_of_copy.has_dedicated_exits(same)) {
    return "has_dedicated_exits";
  }
  if (loops.is_statically_infinite(l) != loops_of_copy.is_statically_infinite(same)) {
    return "is_statically_infinite";
  }
  std::vector<midend::loop_edge> all;
  for (const midend::loop_edge& e : loops.backedges(l)) {
    all.push_back(e);
  }
  for (const midend::loop_edge& e : loops.entering_edges(l)) {
    all.push_back(e);
  }
  for (const midend::loop_edge& e : loops.exiting_edges(l)) {
    all.push_back(e);
  }
  for (const midend::loop_edge& e : all) {
    if (e.source != view.edge_source(e.id) || e.target != view.edge_target(e.id)) {
      return "id of an edge";
    }
  }
  return {};
}

} // namespace

// The predecessors of a reversed graph are the successors of the graph below, so they neither ascend nor stand in
// groups.
TEST_CASE("natural_loops: on a reversed graph") {
  comparisons compared;
  for (const test_graph& graph : all_graphs()) {
    const csr_graph g = make_csr(graph);
    std::string wrong;
    for (node_id start = 0; start != graph.num_nodes && wrong.empty(); ++start) {
      const auto view = midend::reversed(g, start);
      const auto loops = midend::natural_loops(view, midend::dominators(view));
      const csr_graph copy(view);
      const auto loops_of_copy = midend::natural_loops(copy, midend::dominators(copy));
      wrong = loops.num_loops() == loops_of_copy.num_loops() ? "" : "num_loops";
      for (midend::loop_id l = 0; l != loops.num_loops() && wrong.empty(); ++l) {
        wrong = wrong_boundary(loops, l, view, loops_of_copy);
      }
      wrong += wrong.empty() ? "" : join(" from ", start);
    }
    compared.add(wrong, graph);
  }
  CHECK(compared.failed() == 0);
}

// Backwards, loop 2 ⇄ 3 is entered from 0 and 1, once by 2 → 0 and twice by 2 → 1.
TEST_CASE("natural_loops: entering blocks of a reversed graph ascend, each once") {
  const csr_graph g = make_csr({"", 5, 0, {{2, 1}, {2, 0}, {2, 1}, {2, 3}, {3, 2}, {0, 4}, {1, 4}}});
  const auto view = midend::reversed(g, 4);
  const auto loops = midend::natural_loops(view, midend::dominators(view));
  REQUIRE(loops.num_loops() == 1);
  CHECK(loops.header(0) == 2);
  std::vector<node_id> sources;
  for (const midend::loop_edge& e : loops.entering_edges(0)) {
    sources.push_back(e.source);
  }
  CHECK(sources == std::vector<node_id>{0, 1, 1});
  CHECK(listed(loops.entering_blocks(0)) == std::vector<node_id>{0, 1});
}

// Backwards, header 0 has the latches 1, 2 and 1 again.
TEST_CASE("natural_loops: two latches of a reversed graph are no single latch") {
  const csr_graph g = make_csr({"", 3, 0, {{0, 1}, {0, 2}, {0, 1}, {1, 0}, {2, 0}}});
  const auto view = midend::reversed(g, 0);
  const auto loops = midend::natural_loops(view, midend::dominators(view));
  REQUIRE(loops.num_loops() == 1);
  CHECK(listed(loops.latches(0)) == std::vector<node_id>{1, 2});
  CHECK(loops.single_latch(0) == no_node);
}
