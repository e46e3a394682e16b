// natural_loops.hpp, dominators_and_loops.hpp, loop_forest.hpp.
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/natural_loops.hpp>

#include <bit>
#include <utility>

using namespace midend_tests;
using midend::loop_forest;
using midend::loop_id;
using midend::no_loop;

namespace {

/// Both entry points on one graph, through workspaces and results that are used for every graph.
class loops_check {
public:
  template <class G> std::string operator()(const G& g, const definitions& facts) {
    midend::dominators(g, midend::semi_nca, dominators_memory_, tree_);
    midend::natural_loops(g, tree_, memory_, forest_);
    if (std::string wrong = difference(forest_, tree_, facts); !wrong.empty() || !forest_.has_boundaries()) {
      return wrong.empty() ? "has_boundaries" : wrong;
    }
    midend::dominators_and_loops(g, both_memory_, both_);
    if (std::string wrong = difference(both_.dominators, facts); !wrong.empty()) {
      return "dominators_and_loops: " + wrong;
    }
    if (std::string wrong = difference(both_.loops, both_.dominators, facts, sibling_order::any); !wrong.empty()) {
      return "dominators_and_loops: " + wrong;
    }
    return both_.loops.has_boundaries() ? "" : "dominators_and_loops: has_boundaries";
  }

  /// The same without boundaries, through the same workspaces and results.
  template <class G> std::string nesting(const G& g, const definitions& facts) {
    midend::dominators(g, midend::semi_nca, dominators_memory_, tree_);
    midend::natural_loops(g, tree_, midend::nesting_only, memory_, forest_);
    if (std::string wrong = difference(forest_, tree_, facts); !wrong.empty() || forest_.has_boundaries()) {
      return "nesting_only: " + wrong;
    }
    midend::dominators_and_loops(g, midend::nesting_only, both_memory_, both_);
    if (std::string wrong =
            difference(both_.dominators, facts) + difference(both_.loops, both_.dominators, facts, sibling_order::any);
        !wrong.empty() || both_.loops.has_boundaries()) {
      return "dominators_and_loops, nesting_only: " + wrong;
    }
    return {};
  }

  const loop_forest& forest() const { return forest_; }

private:
  midend::dominators_workspace dominators_memory_;
  midend::dominator_tree tree_;
  midend::natural_loops_workspace memory_;
  loop_forest forest_;
  midend::dominators_and_loops_workspace both_memory_;
  midend::dominators_and_loops_result both_;
};

/// The loop forest of a graph of the literature, compared with the definitions on the way.
loop_forest loops_of(const test_graph& graph) {
  const auto g = make_csr(graph);
  const auto tree = midend::dominators(g);
  loop_forest forest = midend::natural_loops(g, tree);
  const std::string wrong = difference(forest, tree, definitions(graph));
  CHECK_MESSAGE(wrong.empty(), wrong << " of " << to_string(graph));
  return forest;
}

std::vector<edge> ends(auto&& loop_edges) {
  std::vector<edge> out;
  for (const midend::loop_edge& e : loop_edges) {
    out.push_back({e.source, e.target});
  }
  return out;
}

using node_list = std::vector<node_id>;
using edge_list = std::vector<edge>;

/// The natural loop with a given header by the other definition: the largest set of nodes that is strongly connected as
/// an induced subgraph, has an edge inside, and is entered from outside only through the header. 0 if there is none.
/// What the entry does not reach is left out.
std::uint32_t largest_single_entry_region(const bit_graph& g, const definitions& facts, node_id header) {
  const auto size = static_cast<node_id>(g.num_nodes());
  std::uint32_t largest = 0;
  for (std::uint32_t set = 1; set != std::uint32_t{1} << size; ++set) {
    const auto in_set = [set](node_id n) { return (set >> n & 1) != 0; };
    bool fits = in_set(header);
    for (node_id n = 0; n != size && fits; ++n) {
      if (!in_set(n)) {
        continue;
      }
      // Within the set, from the header to n and back, over at least one edge.
      const auto reached_within = [&](node_id from) {
        std::uint32_t reached = 0;
        for (std::uint32_t before = 1; before != reached;) {
          before = reached;
          for (node_id u = 0; u != size; ++u) {
            for (node_id v = 0; v != size; ++v) {
              if ((u == from || (reached >> u & 1) != 0) && in_set(u) && in_set(v) && g.has_edge(u, v)) {
                reached |= std::uint32_t{1} << v;
              }
            }
          }
        }
        return reached;
      };
      fits = facts.is_reachable(n) && (reached_within(header) >> n & 1) != 0 && (reached_within(n) >> header & 1) != 0;
      for (node_id p = 0; p != size && fits; ++p) {
        fits = n == header || in_set(p) || !g.has_edge(p, n) || !facts.is_reachable(p);
      }
      fits = fits && (n == header || n != g.entry()); // control enters at the entry, too
    }
    if (fits && std::popcount(set) > std::popcount(largest)) {
      largest = set;
    }
  }
  return largest;
}

/// Counts how often each successor list is asked for.
struct watched_graph {
  const midend::csr_graph* g;
  mutable std::vector<std::size_t> reads;

  std::size_t num_nodes() const { return g->num_nodes(); }

  node_id entry() const { return g->entry(); }

  std::span<const node_id> successors(node_id n) const {
    ++reads[n];
    return g->successors(n);
  }
};

struct with_epoch {
  const midend::csr_graph* g;
  std::uint64_t changes;

  std::size_t num_nodes() const { return g->num_nodes(); }

  node_id entry() const { return g->entry(); }

  std::span<const node_id> successors(node_id n) const { return g->successors(n); }

  std::uint64_t epoch() const { return changes; }
};

} // namespace

TEST_CASE("natural_loops: all digraphs of up to 4 nodes from every root") {
  loops_check check;
  definitions facts;
  midend::csr_graph g;
  comparisons graphs;
  std::size_t loops = 0;
  for (std::size_t size = 1; size <= 4; ++size) {
    for_each_affordable_digraph(size, [&](const bit_graph& bits) {
      facts.assign(size, bits.entry(), to_test_graph(bits).edges);
      g.assign(bits);
      graphs.add(check(g, facts), bits);
      loops += check.forest().num_loops();
    });
  }
  CHECK(graphs.failed() == 0);
  CHECK(graphs.all() == 2 * 1 + 16 * 2 + 512 * 3 + (tests_are_shortened ? 65536 / 7 + 1 : 65536) * 4);
  CHECK(loops > graphs.all());
}

TEST_CASE("natural_loops: a loop is the largest strongly connected region entered through its header alone") {
  midend::csr_graph g;
  definitions facts;
  comparisons headers;
  const auto compare = [&](const bit_graph& bits) {
    facts.assign(bits.num_nodes(), bits.entry(), to_test_graph(bits).edges);
    g.assign(bits);
    const auto forest = midend::natural_loops(g, midend::dominators(g));
    std::size_t regions = 0;
    for (node_id header = 0; header != bits.num_nodes(); ++header) {
      const std::uint32_t region = largest_single_entry_region(bits, facts, header);
      std::uint32_t blocks = 0;
      if (forest.is_header(header)) {
        for (const node_id n : forest.blocks(forest.innermost_loop(header))) {
          blocks |= std::uint32_t{1} << n;
        }
      }
      regions += region != 0 ? 1 : 0;
      headers.add(region == blocks ? "" : join("the loop of ", header), bits);
    }
    headers.add(regions == forest.num_loops() ? "" : "num_loops", bits);
  };
  for (std::size_t size = 1; size <= 3; ++size) {
    for_each_digraph(size, compare);
  }
  for (std::uint64_t bits = 0; bits < 65536; bits += 7) { // of 4 nodes every seventh is enough
    compare(bit_graph(4, bits, static_cast<node_id>(bits % 4)));
  }
  CHECK(headers.failed() == 0);
}

TEST_CASE("natural_loops: random and ugly graphs, with the tree of each algorithm") {
  loops_check check;
  std::vector<test_graph> graphs = random_graphs();
  for (test_graph& ugly : ugly_graphs()) {
    graphs.push_back(std::move(ugly));
  }
  comparisons compared;
  for (const test_graph& graph : graphs) {
    const definitions facts(graph);
    const auto g = make_csr(graph);
    compared.add(check(g, facts), graph);
    const auto with = [&](auto algorithm) {
      const auto tree = midend::dominators(g, algorithm);
      const auto forest = midend::natural_loops(g, tree);
      return difference(forest, tree, facts);
    };
    compared.add(with(midend::lengauer_tarjan), graph);
    compared.add(with(midend::lengauer_tarjan_simple), graph);
    compared.add(with(midend::cooper_harvey_kennedy), graph);
    compared.add(with(midend::naive_dominators), graph);
    const auto both = midend::dominators_and_loops(g);
    compared.add(difference(both.loops, both.dominators, facts, sibling_order::any), graph);
  }
  CHECK(compared.failed() == 0);
}

// Deep nests whose exits lead out by any number of levels: loops i = 0 … depth - 1, header i, latch after all headers.
TEST_CASE("natural_loops: nests left by any number of levels at once") {
  comparisons compared;
  loops_check check;
  random_source random(8);
  for (std::size_t round = 0; round != 40; ++round) {
    const auto depth = static_cast<node_id>(2 + random.below(30));
    test_graph graph{"nest", 2 * depth + std::size_t{1}, 0, {}};
    for (node_id n = 0; n != 2 * depth; ++n) {
      graph.edges.push_back({n, n + 1});
    }
    for (node_id i = 0; i != depth; ++i) {
      graph.edges.push_back({2 * depth - 1 - i, i});
    }
    for (std::size_t exits = 0; exits != depth; ++exits) {
      const node_id from = random.below(2 * depth);
      const node_id to = from < depth ? 2 * depth - random.below(from + 1) : 2 * depth - random.below(2 * depth - from);
      graph.edges.push_back({from, to}); // after the latch of some loop around
      const node_id back = random.below(depth);
      graph.edges.push_back(
          {2 * depth - 1 - back - random.below(depth - back), back}); // to the header of a loop around
    }
    const definitions facts(graph);
    REQUIRE(facts.loops().size() == depth);
    compared.add(check(make_csr(graph), facts), graph);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("natural_loops: nesting_only gives the same loops without their boundaries") {
  loops_check check;
  comparisons compared;
  std::vector<test_graph> graphs = random_graphs();
  for (test_graph& ugly : ugly_graphs()) {
    graphs.push_back(std::move(ugly));
  }
  for (const test_graph& graph : graphs) {
    const definitions facts(graph);
    const auto g = make_csr(graph);
    compared.add(check.nesting(g, facts), graph);
    compared.add(check(g, facts), graph); // the boundaries come back
    const midend::forward_csr_graph forward(g);
    compared.add(check.nesting(forward, facts), graph);
    const auto tree = midend::dominators(g);
    compared.add(difference(midend::natural_loops(g, tree, midend::nesting_only), tree, facts), graph);
    const auto both = midend::dominators_and_loops(g, midend::nesting_only);
    compared.add(difference(both.loops, both.dominators, facts, sibling_order::any), graph);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("dominators_and_loops: without boundaries each successor list is read once") {
  random_source random(10);
  for (std::size_t i = 0; i != 10; ++i) {
    const test_graph graph = random_reducible(random, 30);
    const definitions facts(graph);
    const auto g = make_csr(graph);
    const watched_graph watched{&g, std::vector<std::size_t>(graph.num_nodes, 0)};
    const auto both = midend::dominators_and_loops(watched, midend::nesting_only);
    CHECK(both.loops.num_loops() == facts.loops().size());
    for (node_id n = 0; n != graph.num_nodes; ++n) {
      CHECK(watched.reads[n] == (facts.is_reachable(n) ? 1 : 0));
    }
  }
}

// The worked examples of "Loops: definitions, detection, canonical forms", docs/loops.md. Nodes keep their numbers, so
// that 0 is an unreachable node.

TEST_CASE("loops, worked example 1: do, while") {
  const auto loops = loops_of({"", 7, 1, {{1, 2}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 2}, {5, 6}}});
  REQUIRE(loops.num_loops() == 1);
  CHECK(loops.header(0) == 2);
  CHECK(sorted(loops.blocks(0)) == node_list{2, 3, 4, 5});
  CHECK(listed(loops.latches(0)) == node_list{5});
  CHECK(loops.single_latch(0) == 5);
  CHECK(ends(loops.backedges(0)) == edge_list{{5, 2}});
  CHECK(listed(loops.exit_blocks(0)) == node_list{6});
  CHECK(listed(loops.exiting_blocks(0)) == node_list{5}); // rotated: the test is in the latch
  CHECK(loops.preheader(0) == 1);
  CHECK(loops.has_dedicated_exits(0));
  CHECK_FALSE(loops.is_statically_infinite(0));
}

TEST_CASE("loops, worked example 2: while") {
  const auto loops = loops_of({"", 8, 1, {{1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6}, {6, 2}, {2, 7}}});
  REQUIRE(loops.num_loops() == 1);
  CHECK(loops.header(0) == 2);
  CHECK(listed(loops.exiting_blocks(0)) == node_list{2});
  CHECK(listed(loops.latches(0)) == node_list{6});
  CHECK(sorted(loops.blocks(0)) == node_list{2, 3, 4, 5, 6});
}

TEST_CASE("loops, worked example 2: for has one more block, which is the latch") {
  const auto loops = loops_of({"", 9, 1, {{1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6}, {6, 7}, {7, 2}, {2, 8}}});
  REQUIRE(loops.num_loops() == 1);
  CHECK(loops.header(0) == 2);
  CHECK(listed(loops.exiting_blocks(0)) == node_list{2});
  CHECK(listed(loops.latches(0)) == node_list{7});
  CHECK(listed(loops.exit_blocks(0)) == node_list{8});
}

TEST_CASE("loops, worked example 3: a goto into a loop makes a cycle that is no natural loop") {
  const test_graph graph{"", 7, 1, {{1, 2}, {1, 3}, {2, 5}, {3, 4}, {4, 5}, {5, 4}, {5, 6}}};
  CHECK(loops_of(graph).num_loops() == 0);
  const auto components = midend::strongly_connected_components(make_csr(graph));
  CHECK(sorted(components.members(components.component(4))) == node_list{4, 5});
  CHECK_FALSE(definitions(graph).is_reducible());
}

TEST_CASE("loops, worked example 4: three kinds in one graph") {
  const test_graph graph = three_kinds_of_cycles();
  const auto components = midend::strongly_connected_components(make_csr(graph));
  CHECK(sorted(components.members(components.component(3))) == node_list{3});
  CHECK(sorted(components.members(components.component(4))) == node_list{4, 5, 6, 7});
  CHECK(sorted(components.members(components.component(8))) == node_list{8, 9});
  CHECK_FALSE(definitions(graph).is_reducible());
  const auto loops = loops_of(graph);
  REQUIRE(loops.num_loops() == 2);
  const loop_id self = loops.innermost_loop(3);
  const loop_id pair = loops.innermost_loop(8);
  CHECK(listed(loops.blocks(self)) == node_list{3});
  CHECK(loops.header(self) == 3);
  CHECK(listed(loops.latches(self)) == node_list{3});
  CHECK(listed(loops.blocks(pair)) == node_list{8, 9});
  CHECK(loops.header(pair) == 8);
  CHECK(listed(loops.latches(pair)) == node_list{9});
  for (const node_id n : node_list{4, 5, 6, 7}) {
    CHECK(loops.innermost_loop(n) == no_loop);
  }
}

TEST_CASE("loops, worked example 5: nested") {
  const auto loops = loops_of({"", 8, 1, {{1, 2}, {2, 3}, {3, 4}, {3, 6}, {4, 3}, {4, 5}, {5, 7}, {7, 2}, {7, 6}}});
  REQUIRE(loops.num_loops() == 2);
  const loop_id outer = loops.innermost_loop(2);
  const loop_id inner = loops.innermost_loop(3);
  CHECK(loops.header(outer) == 2);
  CHECK(loops.header(inner) == 3);
  CHECK(loops.parent(inner) == outer);
  CHECK(loops.parent(outer) == no_loop);
  CHECK(loops.depth(inner) == 2);
  CHECK(sorted(loops.blocks(inner)) == node_list{3, 4});
  CHECK(sorted(loops.blocks(outer)) == node_list{2, 3, 4, 5, 7});
  CHECK(loops.contains_loop(outer, inner));
  CHECK_FALSE(loops.contains_loop(inner, outer));
  // 3 leaves both loops, 4 the inner one alone.
  CHECK(ends(loops.exiting_edges(inner)) == edge_list{{3, 6}, {4, 5}});
  CHECK(ends(loops.own_exiting_edges(inner)) == edge_list{{3, 6}, {4, 5}});
  CHECK(ends(loops.own_exiting_edges(outer)) == edge_list{{7, 6}});
  CHECK(sorted(loops.exiting_blocks(outer)) == node_list{3, 7});
  CHECK(listed(loops.exit_blocks(inner)) == node_list{5, 6});
  CHECK(listed(loops.exit_blocks(outer)) == node_list{6});
  CHECK_FALSE(loops.has_dedicated_exits(inner)); // 7 leads to 6, too
  CHECK(loops.has_dedicated_exits(outer));
}

TEST_CASE("loops, worked example 6: two source loops with one header are one loop") {
  const auto loops = loops_of({"", 6, 1, {{1, 2}, {2, 3}, {2, 5}, {3, 2}, {3, 4}, {4, 2}}});
  REQUIRE(loops.num_loops() == 1);
  CHECK(loops.header(0) == 2);
  CHECK(sorted(loops.blocks(0)) == node_list{2, 3, 4});
  CHECK(listed(loops.latches(0)) == node_list{3, 4});
  CHECK(loops.single_latch(0) == no_node);
  CHECK(ends(loops.backedges(0)) == edge_list{{3, 2}, {4, 2}});
}

TEST_CASE("loops, worked example 7: a block that branches to itself") {
  const auto loops = loops_of({"", 4, 1, {{1, 2}, {2, 2}, {2, 3}}});
  REQUIRE(loops.num_loops() == 1);
  CHECK(listed(loops.blocks(0)) == node_list{2});
  CHECK(loops.header(0) == 2);
  CHECK(listed(loops.latches(0)) == node_list{2});
  CHECK(listed(loops.exiting_blocks(0)) == node_list{2});
  CHECK(loops.preheader(0) == 1);
}

// In the braces of the loop 2, 3, 5, 7, 9, 11 stand a break arm (4), an abort() arm (6), an unreachable arm (8) and an
// inner endless loop (10).
TEST_CASE("loops, worked example 8: break, abort, unreachable and endless arms are not in the loop") {
  const auto loops = loops_of({"",
                               13,
                               1,
                               {{1, 2},
                                {2, 3},
                                {2, 12},
                                {3, 4},
                                {3, 5},
                                {4, 12},
                                {5, 6},
                                {5, 7},
                                {7, 9},
                                {8, 9},
                                {9, 10},
                                {9, 11},
                                {10, 10},
                                {11, 2}}});
  REQUIRE(loops.num_loops() == 2);
  const loop_id outer = loops.innermost_loop(2);
  CHECK(sorted(loops.blocks(outer)) == node_list{2, 3, 5, 7, 9, 11});
  for (const node_id arm : node_list{4, 6, 8, 10}) {
    CHECK_FALSE(loops.contains(outer, arm));
  }
  CHECK(loops.innermost_loop(8) == no_loop);
  const loop_id endless = loops.innermost_loop(10);
  CHECK(loops.parent(endless) == no_loop);
  CHECK(loops.depth(endless) == 1);
  CHECK(loops.is_statically_infinite(endless));
  CHECK_FALSE(loops.is_statically_infinite(outer));
  CHECK(listed(loops.exit_blocks(outer)) == node_list{4, 6, 10, 12});
  CHECK(loops.preheader(outer) == 1);
}

TEST_CASE("loops: an unreachable predecessor of the header is an entering block, so there is no preheader") {
  const auto loops = loops_of({"", 4, 1, {{1, 2}, {2, 2}, {2, 3}, {0, 2}}});
  CHECK(loops.preheader(0) == no_node);
  CHECK(listed(loops.entering_blocks(0)) == node_list{0, 1});
  CHECK(ends(loops.entering_edges(0)) == edge_list{{0, 2}, {1, 2}});
  const auto only_unreachable = loops_of({"", 2, 1, {{0, 1}, {1, 1}}});
  CHECK(only_unreachable.preheader(0) == 0); // the only one, however unreachable
}

TEST_CASE("loops: a switch whose arms all go to the header is no preheader") {
  const auto loops = loops_of({"", 3, 0, {{0, 1}, {0, 1}, {1, 1}, {1, 2}}});
  CHECK(loops.preheader(0) == no_node);
  CHECK(listed(loops.entering_blocks(0)) == node_list{0});
  CHECK(loops.entering_edges(0).size() == 2);
}

TEST_CASE("loops: parallel backedges are listed each, their latch once") {
  const auto loops = loops_of({"", 3, 0, {{0, 1}, {1, 0}, {1, 0}, {1, 2}}});
  CHECK(ends(loops.backedges(0)) == edge_list{{1, 0}, {1, 0}});
  CHECK(listed(loops.latches(0)) == node_list{1});
  CHECK(loops.single_latch(0) == 1);
  CHECK(loops.backedges(0)[0].id == 1);
  CHECK(loops.backedges(0)[1].id == 2);
}

TEST_CASE("loops: unreachable predecessors do not make an exit shared") {
  const auto loops = loops_of({"", 4, 0, {{0, 1}, {1, 1}, {1, 2}, {3, 2}}});
  CHECK(loops.has_dedicated_exits(0));
}

// Aho, Lam, Sethi, Ullman, "Compilers: Principles, Techniques, and Tools", 2nd edition, figure 9.38 and the examples of
// section 9.6.6: the natural loops of 10→7, 7→4, {4→3, 8→3} and 9→1.
TEST_CASE("loops: Aho, Lam, Sethi and Ullman, figure 9.38") {
  const auto loops = loops_of({"",
                               11,
                               1,
                               {{1, 2},
                                {1, 3},
                                {2, 3},
                                {3, 4},
                                {4, 3},
                                {4, 5},
                                {4, 6},
                                {5, 7},
                                {6, 7},
                                {7, 4},
                                {7, 8},
                                {8, 3},
                                {8, 9},
                                {8, 10},
                                {9, 1},
                                {10, 7}}});
  REQUIRE(loops.num_loops() == 4);
  const auto blocks_of = [&](node_id header) { return sorted(loops.blocks(loops.innermost_loop(header))); };
  CHECK(blocks_of(7) == node_list{7, 8, 10});
  CHECK(blocks_of(4) == node_list{4, 5, 6, 7, 8, 10});
  CHECK(blocks_of(3) == node_list{3, 4, 5, 6, 7, 8, 10});
  CHECK(blocks_of(1) == node_list{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(listed(loops.latches(loops.innermost_loop(3))) == node_list{4, 8});
  CHECK(loops.loop_depth(10) == 4);
  CHECK(loops.loop_depth(9) == 1);
}

TEST_CASE("loop_forest: of no loops and of no nodes") {
  const loop_forest none;
  CHECK(none.num_loops() == 0);
  CHECK(none.num_nodes() == 0);
  CHECK(none.loops().empty());
  CHECK(none.top_level().empty());
  const auto loops = loops_of({"", 2, 0, {{0, 1}}});
  CHECK(loops.num_loops() == 0);
  CHECK(loops.top_level().empty());
  CHECK(loops.loop_depth(1) == 0);
  CHECK_FALSE(loops.is_header(0));
}

TEST_CASE("loop_forest: exit_blocks refills") {
  const auto loops = loops_of({"", 5, 0, {{0, 0}, {0, 3}, {0, 1}, {1, 1}, {1, 4}, {0, 3}}});
  midend::flat_array<node_id> out(7, 99);
  loops.exit_blocks(loops.innermost_loop(0), out);
  CHECK(listed(out) == node_list{1, 3});
  loops.exit_blocks(loops.innermost_loop(1), out);
  CHECK(listed(out) == node_list{4});
}

TEST_CASE("loop_forest: remembers the epoch") {
  const auto g = make_csr({"", 2, 0, {{0, 0}, {0, 1}}});
  const with_epoch changing{&g, 5};
  const auto tree = midend::dominators(changing);
  CHECK(midend::natural_loops(changing, tree).epoch() == 5);
  CHECK(midend::natural_loops(midend::csr_graph(changing), tree).epoch() == 5);
  CHECK(midend::dominators_and_loops(changing).loops.epoch() == 5);
}

TEST_CASE("natural_loops: a result is refilled whatever it held") {
  random_source random(9);
  midend::natural_loops_workspace memory;
  loop_forest refilled;
  comparisons compared;
  for (std::size_t i = 0; i != 60; ++i) {
    test_graph graph;
    switch (i % 4) {
    case 0:
      graph = random_reducible(random, 5 + random.below(40));
      break;
    case 1:
      graph = random_irreducible(random, 5 + random.below(40));
      break;
    case 2:
      graph = {"no loop", 3, 0, {{0, 1}, {1, 2}}};
      break;
    default:
      break; // no nodes
    }
    const auto g = make_csr(graph);
    const auto tree = midend::dominators(g);
    midend::natural_loops(g, tree, memory, refilled);
    compared.add(difference(refilled, tree, definitions(graph)), graph);
  }
  CHECK(compared.failed() == 0);
}
