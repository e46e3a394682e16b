// dominators.hpp, dominator_tree.hpp.
#include "kit/affordable.hpp"
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>

#include <utility>

using namespace midend_tests;

namespace {

template <class Visit> void for_each_algorithm(Visit visit) {
  visit("semi_nca", midend::semi_nca);
  visit("lengauer_tarjan", midend::lengauer_tarjan);
  visit("lengauer_tarjan_simple", midend::lengauer_tarjan_simple);
  visit("cooper_harvey_kennedy", midend::cooper_harvey_kennedy);
  visit("naive_dominators", midend::naive_dominators);
}

/// All algorithms on one graph, through one workspace and result that are used for every graph.
class dominators_check {
public:
  template <class G> std::string operator()(const G& g, const definitions& facts) {
    std::string wrong;
    for_each_algorithm([&](const char* name, auto algorithm) {
      if (!wrong.empty()) {
        return;
      }
      midend::dominators(g, algorithm, memory_, tree_);
      wrong = difference(tree_, facts);
      midend::immediate_dominators(g, algorithm, memory_, alone_);
      for (node_id n = 0; n != facts.num_nodes() && wrong.empty(); ++n) {
        if (alone_[n] != tree_.immediate_dominator(n)) {
          wrong = join("immediate_dominators of ", n);
        }
      }
      if (alone_.size() != facts.num_nodes()) {
        wrong = "size of immediate_dominators";
      }
      if (!wrong.empty()) {
        wrong = join(name, ": ", wrong);
      }
    });
    return wrong;
  }

private:
  midend::dominators_workspace memory_;
  midend::dominator_tree tree_;
  midend::flat_array<node_id> alone_;
};

/// A graph and what is said of it elsewhere.
struct published_graph {
  test_graph graph;
  std::vector<node_id> immediate_dominators;
};

void check_published(const published_graph& known) {
  REQUIRE(known.immediate_dominators.size() == known.graph.num_nodes);
  const auto g = make_csr(known.graph);
  const definitions facts(known.graph);
  std::vector<node_id> by_definition;
  for (node_id n = 0; n != known.graph.num_nodes; ++n) {
    by_definition.push_back(facts.immediate_dominator(n));
  }
  CHECK(by_definition == known.immediate_dominators);
  for_each_algorithm([&](const char* name, auto algorithm) {
    CAPTURE(name);
    CHECK(listed(midend::immediate_dominators(g, algorithm)) == known.immediate_dominators);
    CHECK(difference(midend::dominators(g, algorithm), facts).empty());
  });
}

/// Counts how often each successor list is asked for; predecessors must not be.
struct watched_graph {
  const midend::csr_graph* g;
  mutable std::vector<std::size_t> reads;

  std::size_t num_nodes() const { return g->num_nodes(); }

  node_id entry() const { return g->entry(); }

  std::span<const node_id> successors(node_id n) const {
    ++reads[n];
    return g->successors(n);
  }

  std::span<const node_id> predecessors(node_id) const {
    FAIL("a dominator algorithm asks for predecessors");
    return {};
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

TEST_CASE("dominators: all digraphs of up to 4 nodes from every root, all algorithms") {
  dominators_check check;
  definitions facts;
  comparisons graphs;
  std::size_t number = 0;
  for (std::size_t size = 1; size <= 4; ++size) {
    for_each_digraph(size, [&](const bit_graph& g) {
      if (tests_are_shortened && size == 4 && ++number % 16 != 0) {
        return;
      }
      facts.assign(size, g.entry(), to_test_graph(g).edges);
      graphs.add(check(g, facts), g);
    });
  }
  CHECK(graphs.failed() == 0);
  CHECK(graphs.all() == 2 * 1 + 16 * 2 + 512 * 3 + 65536 * 4 / (tests_are_shortened ? 16 : 1));
}

TEST_CASE("dominators: random graphs, all algorithms") {
  dominators_check check;
  comparisons compared;
  for (const test_graph& graph : random_graphs()) {
    compared.add(check(make_csr(graph), definitions(graph)), graph);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("dominators: ugly graphs, all algorithms") {
  dominators_check check;
  for (const test_graph& graph : ugly_graphs()) {
    const auto g = make_csr(graph);
    const std::string wrong = check(g, definitions(graph));
    CHECK_MESSAGE(wrong.empty(), wrong << " of " << to_string(graph));
    for_each_algorithm([&](const char* name, auto algorithm) {
      CAPTURE(name);
      CHECK(difference(midend::dominators(g, algorithm), definitions(graph)).empty());
    });
  }
}

// Dense graphs have many cross and forward edges, long thin ones long paths to compress.
TEST_CASE("dominators: dense graphs and long ladders with random rungs, all algorithms") {
  dominators_check check;
  comparisons compared;
  random_source random(77);
  for (std::size_t i = 0; i != 12; ++i) {
    const std::size_t nodes = 6 + random.below(20);
    const test_graph dense = random_digraph(random, nodes, nodes * nodes / 2);
    compared.add(check(make_csr(dense), definitions(dense)), dense);
    test_graph ladder{"ladder", 120, 0, {}};
    for (node_id n = 0; n + 1 != ladder.num_nodes; ++n) {
      ladder.edges.push_back({n, n + 1});
    }
    for (std::size_t rung = 0; rung != 40; ++rung) {
      ladder.edges.push_back({random.below(120), random.below(120)});
    }
    compared.add(check(make_csr(ladder), definitions(ladder)), ladder);
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("dominators: semi-NCA is the default, and the forms agree") {
  for (const test_graph& graph : random_graphs()) {
    const auto g = make_csr(graph);
    CHECK(midend::dominators(g) == midend::dominators(g, midend::semi_nca));
    CHECK(midend::immediate_dominators(g) == midend::immediate_dominators(g, midend::semi_nca));
  }
  midend::dominators_workspace memory;
  for_each_algorithm([&](const char* name, auto algorithm) {
    CAPTURE(name);
    midend::dominator_tree refilled;
    for (const test_graph& graph : ugly_graphs()) {
      const auto g = make_csr(graph);
      midend::dominators(g, algorithm, memory, refilled);
      CHECK(refilled == midend::dominators(g, algorithm));
    }
  });
}

TEST_CASE("dominators: each successor list is read once, none of unreachable nodes, predecessors never") {
  random_source random(6);
  for (std::size_t i = 0; i != 20; ++i) {
    const test_graph graph = random_irreducible(random, 10 + random.below(60));
    const definitions facts(graph);
    const auto g = make_csr(graph);
    for_each_algorithm([&](const char* name, auto algorithm) {
      CAPTURE(name);
      const watched_graph watched{&g, std::vector<std::size_t>(graph.num_nodes, 0)};
      CHECK(midend::dominators(watched, algorithm) == midend::dominators(g, algorithm));
      for (node_id n = 0; n != graph.num_nodes; ++n) {
        if constexpr (std::is_same_v<decltype(algorithm), midend::naive_dominators_t>) {
          CHECK((watched.reads[n] != 0) == facts.is_reachable(n)); // the definition searches once for each node
        } else {
          CHECK(watched.reads[n] == (facts.is_reachable(n) ? 1 : 0));
        }
      }
    });
  }
}

TEST_CASE("dominator_tree: remembers the epoch of the graph") {
  const auto g = make_csr({"", 2, 0, {{0, 1}}});
  CHECK(midend::dominators(g).epoch() == 0);
  CHECK(midend::dominators(with_epoch{&g, 17}).epoch() == 17);
  CHECK_FALSE(midend::dominators(with_epoch{&g, 17}) == midend::dominators(g));
}

TEST_CASE("dominator_tree: a tree that nothing was computed for is that of no nodes") {
  const midend::dominator_tree tree;
  CHECK(tree.num_nodes() == 0);
  CHECK(tree.num_reachable() == 0);
  CHECK(tree.root() == no_node);
  CHECK(tree.preorder().empty());
  CHECK(tree == midend::dominators(midend::csr_graph()));
}

TEST_CASE("dominator_tree: copies and moves are values") {
  const auto g = make_csr({"", 4, 0, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}});
  midend::dominator_tree tree = midend::dominators(g);
  const midend::dominator_tree copy = tree;
  const midend::dominator_tree moved = std::move(tree);
  CHECK(copy == moved);
  CHECK(copy.nearest_common_dominator(1, 2) == 0);
  CHECK(listed(moved.children(0)).size() == 3);
  const auto child = moved.children(0).begin();
  auto same = child;
  CHECK(same++ == child);
  CHECK(++moved.children(0).begin() == same);
}

// Lengauer, Tarjan, "A fast algorithm for finding dominators in a flowgraph", TOPLAS 1(1), 1979, figures 1 and 2. R is
// 0, A to L are 1 to 12.
TEST_CASE("dominators: Lengauer and Tarjan 1979, figure 1") {
  check_published(
      {{"", 13, 0, {{0, 1}, {0, 2}, {0, 3},  {1, 4}, {2, 1},  {2, 4},  {2, 5},  {3, 6},  {3, 7},  {4, 12}, {5, 8},
                    {6, 9}, {7, 9}, {7, 10}, {8, 5}, {8, 11}, {9, 11}, {10, 9}, {11, 9}, {11, 0}, {12, 8}}},
       {no_node, 0, 0, 0, 0, 0, 3, 3, 0, 0, 7, 0, 4}});
}

// Appel, "Modern Compiler Implementation", figure 19.4: the loop of the running example; blocks 1 to 7 are 0 to 6.
TEST_CASE("dominators: Appel, Modern Compiler Implementation, figure 19.4") {
  check_published(
      {{"", 7, 0, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {2, 5}, {4, 6}, {5, 6}, {6, 1}}}, {no_node, 0, 1, 1, 2, 2, 2}});
}

// The same book, figure 19.8, the example of depth-first spanning trees and semidominators; A to M are 0 to 12.
TEST_CASE("dominators: Appel, Modern Compiler Implementation, figure 19.8") {
  check_published({{"",
                    13,
                    0,
                    {{0, 1},
                     {0, 2},
                     {1, 3},
                     {1, 6},
                     {2, 4},
                     {2, 7},
                     {3, 5},
                     {3, 6},
                     {4, 7},
                     {4, 2},
                     {5, 8},
                     {5, 10},
                     {6, 9},
                     {7, 12},
                     {8, 11},
                     {9, 8},
                     {10, 11},
                     {11, 1},
                     {11, 12}}},
                   {no_node, 0, 0, 1, 2, 3, 1, 2, 1, 6, 5, 1, 0}});
}

// Muchnick, "Advanced Compiler Design and Implementation", figure 8.21; entry is 0, B1 to B6 are 1 to 6, exit is 7.
TEST_CASE("dominators: Muchnick, Advanced Compiler Design and Implementation, figure 8.21") {
  check_published({{"", 8, 0, {{0, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 2}, {4, 5}, {4, 6}, {5, 7}, {6, 7}}},
                   {no_node, 0, 1, 2, 2, 4, 4, 4}});
}

// The same book, figure 8.18, with a block that nothing leads to.
TEST_CASE("dominators: Muchnick, Advanced Compiler Design and Implementation, figure 8.18") {
  check_published({{"", 8, 0, {{0, 1}, {0, 2}, {1, 6}, {2, 3}, {2, 4}, {3, 7}, {5, 7}, {6, 7}}},
                   {no_node, 0, 0, 2, 2, no_node, 1, 0}});
}

// Cytron, Ferrante, Rosen, Wegman, Zadeck, "Efficiently computing static single assignment form and the control
// dependence graph", TOPLAS 13(4), 1991, figure 9; Entry is 0, Exit is 13.
TEST_CASE("dominators: Cytron et al. 1991, figure 9") {
  check_published({{"",
                    14,
                    0,
                    {{0, 1},
                     {0, 13},
                     {1, 2},
                     {2, 3},
                     {2, 7},
                     {3, 4},
                     {3, 5},
                     {4, 6},
                     {5, 6},
                     {6, 8},
                     {7, 8},
                     {8, 9},
                     {9, 10},
                     {9, 11},
                     {10, 11},
                     {11, 9},
                     {11, 12},
                     {12, 2},
                     {12, 13}}},
                   {no_node, 0, 1, 2, 3, 3, 3, 2, 2, 8, 9, 9, 11, 0}});
}

// Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001, figure 2: irreducible, one sweep more than a
// reducible graph. Nodes keep their numbers; 0 is not used.
TEST_CASE("dominators: Cooper, Harvey and Kennedy 2001, figure 2") {
  check_published({{"", 6, 5, {{5, 4}, {5, 3}, {4, 1}, {3, 2}, {1, 2}, {2, 1}}}, {no_node, 5, 5, 5, 5, no_node}});
}

// The same paper, figure 4: a larger irreducible graph.
TEST_CASE("dominators: Cooper, Harvey and Kennedy 2001, figure 4") {
  check_published({{"", 7, 6, {{6, 5}, {6, 4}, {5, 1}, {4, 2}, {4, 3}, {3, 2}, {2, 1}, {2, 3}, {1, 2}}},
                   {no_node, 6, 6, 6, 6, 6, no_node}});
}

// Aho, Lam, Sethi, Ullman, "Compilers: Principles, Techniques, and Tools", 2nd edition, figures 9.38 and 9.39. Nodes
// keep their numbers.
TEST_CASE("dominators: Aho, Lam, Sethi and Ullman, figure 9.38") {
  check_published({{"",
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
                     {10, 7}}},
                   {no_node, no_node, 1, 1, 3, 4, 4, 4, 7, 8, 8}});
}
