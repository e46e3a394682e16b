// cycles.hpp, cycle_forest.hpp, is_reducible.hpp.
#include "kit/affordable.hpp"
#include "kit/expectations.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"
#include "loops/cycle_definitions.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/loops/is_reducible.hpp>
#include <midend/loops/natural_loops.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::cycle_forest;
using midend::cycle_id;
using midend::no_cycle;

namespace {

std::vector<cycle_facts> facts_of(const cycle_forest& forest) {
  std::vector<cycle_facts> out;
  for (const cycle_id c : forest.cycles()) {
    const cycle_id parent = forest.parent(c);
    out.push_back({forest.header(c), parent == no_cycle ? no_node : forest.header(parent), forest.depth(c),
                   listed(forest.entries(c)), sorted(forest.blocks(c))});
  }
  std::sort(out.begin(), out.end(), [](const cycle_facts& a, const cycle_facts& b) {
    return a.depth != b.depth ? a.depth < b.depth : a.header < b.header;
  });
  return out;
}

bool ascend_in(const cycle_definitions& facts, const cycle_forest& forest, const auto& siblings, std::uint32_t depth) {
  node_id before = no_node;
  for (const cycle_id c : siblings) {
    const node_id number = facts.preorder_number(forest.header(c));
    if (forest.depth(c) != depth || (before != no_node && before >= number)) {
      return false;
    }
    before = number;
  }
  return true;
}

/// The first difference between what a forest answers and the definition.
std::string difference(const cycle_forest& forest, const cycle_definitions& facts) {
  const auto& expected = facts.cycles();
  if (facts_of(forest) != expected) {
    return "cycles";
  }
  if (forest.is_reducible() != facts.is_reducible()) {
    return "is_reducible";
  }
  if (!ascend_in(facts, forest, forest.top_level(), 1)) {
    return "top_level";
  }
  std::vector<cycle_id> innermost(forest.num_nodes(), no_cycle);
  std::vector<node_id> reused{7, 7, 7};
  for (const cycle_id c : forest.cycles()) {
    const node_id header = forest.header(c);
    const auto blocks = forest.blocks(c);
    const auto own = forest.own_blocks(c);
    if (forest.is_reducible(c) != (forest.entries(c).size() == 1)) {
      return join("is_reducible of the cycle of ", header);
    }
    if (blocks[0] != header || own.data() != blocks.data() || own.size() > blocks.size()) {
      return join("order of the blocks of the cycle of ", header);
    }
    if (!ascend_in(facts, forest, forest.children(c), forest.depth(c) + 1)) {
      return join("children of the cycle of ", header);
    }
    std::size_t inside = own.size();
    for (const cycle_id child : forest.children(c)) {
      inside += forest.blocks(child).size();
      if (forest.parent(child) != c) {
        return join("children of the cycle of ", header);
      }
    }
    if (inside != blocks.size()) {
      return join("blocks inside the cycle of ", header);
    }
    for (const node_id n : own) {
      innermost[n] = c;
    }
    for (const cycle_id other : forest.cycles()) {
      cycle_id around = other;
      while (around != c && around != no_cycle) {
        around = forest.parent(around);
      }
      const auto subcycles = forest.subcycles(c);
      if (forest.contains_cycle(c, other) != (around == c) ||
          (std::find(subcycles.begin(), subcycles.end(), other) != subcycles.end()) != (around == c)) {
        return join("cycles inside the cycle of ", header);
      }
    }
  }
  for (node_id n = 0; n != forest.num_nodes(); ++n) {
    std::uint32_t depth = 0;
    for (const cycle_id c : forest.cycles()) {
      const bool inside = std::find(forest.blocks(c).begin(), forest.blocks(c).end(), n) != forest.blocks(c).end();
      depth += inside ? 1 : 0;
      if (forest.contains(c, n) != inside) {
        return join("contains ", n);
      }
    }
    const cycle_id c = innermost[n];
    if (forest.innermost_cycle(n) != c || forest.cycle_depth(n) != depth ||
        forest.is_header(n) != (c != no_cycle && forest.header(c) == n)) {
      return join("innermost cycle of ", n);
    }
  }
  return {};
}

/// Random ones of all kinds and ugly ones.
std::vector<test_graph> many_graphs() {
  std::vector<test_graph> graphs = random_graphs();
  for (test_graph& ugly : ugly_graphs()) {
    graphs.push_back(std::move(ugly));
  }
  random_source random(31);
  for (std::size_t round = 0; round != 100; ++round) {
    graphs.push_back(random_irreducible(random, 6 + random.below(60)));
    graphs.push_back(random_digraph(random, 8, 14));
    graphs.push_back(random_digraph(random, 20, 35 + random.below(20)));
  }
  return graphs;
}

/// The cycles of a graph of the literature, compared with the definition on the way.
cycle_forest cycles_of(const test_graph& graph) {
  cycle_forest forest = midend::cycles(make_csr(graph));
  const std::string wrong = difference(forest, cycle_definitions(graph, true));
  CHECK_MESSAGE(wrong.empty(), wrong << " of " << to_string(graph));
  return forest;
}

using node_list = std::vector<node_id>;

/// How the loop forest, the components and the cycle forest of a graph must be related.
std::string wrong_relation(const test_graph& graph, const cycle_forest& forest) {
  const auto g = make_csr(graph);
  const auto components = midend::strongly_connected_components(g);
  std::size_t cyclic = 0;
  for (midend::component_id c = 0; c != components.num_reachable_components(); ++c) {
    const auto members = components.members(c);
    const auto successors = g.successors(members[0]);
    cyclic += members.size() != 1 || std::find(successors.begin(), successors.end(), members[0]) != successors.end();
  }
  std::size_t outermost = 0;
  for (const cycle_id c : forest.top_level()) {
    ++outermost;
    if (sorted(forest.blocks(c)) != sorted(components.members(components.component(forest.header(c))))) {
      return join("the outermost cycle of ", forest.header(c), " is no component");
    }
  }
  if (outermost != cyclic) {
    return "components with an edge inside";
  }
  const auto tree = midend::dominators(g);
  const auto loops = midend::natural_loops(g, tree, midend::nesting_only);
  for (const midend::loop_id l : loops.loops()) {
    const cycle_id c = forest.innermost_cycle(loops.header(l));
    if (!forest.is_header(loops.header(l))) {
      return join("the header of a loop heads no cycle: ", loops.header(l));
    }
    for (const node_id n : loops.blocks(l)) {
      if (!forest.contains(c, n)) {
        return join("the loop is not in the cycle of its header ", loops.header(l));
      }
    }
  }
  if (forest.is_reducible()) {
    for (const cycle_id c : forest.cycles()) {
      if (!loops.is_header(forest.header(c)) ||
          sorted(loops.blocks(loops.innermost_loop(forest.header(c)))) != sorted(forest.blocks(c))) {
        return join("the cycle is no natural loop: ", forest.header(c));
      }
    }
  }
  if (midend::is_reducible(g) != forest.is_reducible() || midend::is_reducible(g, tree) != forest.is_reducible()) {
    return "is_reducible(g)";
  }
  return {};
}

struct with_epoch {
  const midend::csr_graph* g;
  std::uint64_t changes;

  std::size_t num_nodes() const { return g->num_nodes(); }

  node_id entry() const { return g->entry(); }

  std::span<const node_id> successors(node_id n) const { return g->successors(n); }

  std::uint64_t epoch() const { return changes; }
};

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

constexpr bool holds_in_constant_expressions() {
  // 1 and 2 are entered from 0, and 3 loops to itself inside.
  constexpr std::array edges{midend::edge{0, 1}, midend::edge{0, 2}, midend::edge{1, 2}, midend::edge{2, 3},
                             midend::edge{3, 3}, midend::edge{3, 1}, midend::edge{4, 1}};
  const auto g = midend::csr_graph::from_edges(5, 0, edges).value();
  const auto forest = midend::cycles(g);
  const auto turned = midend::cycles(g, midend::first_to_last);
  const auto entries = forest.entries(0);
  return forest.num_cycles() == 2 && forest.header(0) == 2 && turned.header(0) == 1 && forest.header(1) == 3 &&
         forest.contains(0, 3) && !forest.contains(1, 2) && !forest.is_reducible(0) && forest.is_reducible(1) &&
         entries.size() == 2 && entries[0] == 2 && entries[1] == 1 && forest.cycle_depth(3) == 2 &&
         forest.innermost_cycle(4) == no_cycle && !midend::is_reducible(g) &&
         !midend::is_reducible(g, midend::dominators(g));
}

static_assert(holds_in_constant_expressions());

/// The lines of the corpus say of a cycle what this says.
std::vector<expected_cycle> lines_of(const cycle_forest& forest) {
  const std::vector<cycle_facts> cycles = facts_of(forest);
  std::vector<expected_cycle> out;
  for (const cycle_facts& c : cycles) {
    const auto parent = std::find_if(cycles.begin(), cycles.end(),
                                     [&](const cycle_facts& other) { return other.header == c.parent_header; });
    out.push_back({c.depth, parent == cycles.end() ? -1 : parent - cycles.begin(),
                   std::vector<std::int64_t>(c.entries.begin(), c.entries.end()),
                   std::vector<std::int64_t>(c.blocks.begin(), c.blocks.end())});
  }
  return out;
}

void check_corpus(const std::string& set) {
  const std::string path = MIDEND_TEST_DATA "/corpus/" + set;
  std::vector<midend_corpus::cfg_function> functions;
  const auto error = midend_corpus::read_cfg(path + ".cfg.gz", functions);
  REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
  const auto expected = read_expectations(path + ".expect.gz");
  REQUIRE(functions.size() == expected.size());
  midend::cycles_workspace memory;
  midend::is_reducible_workspace other_memory;
  cycle_forest forest;
  std::size_t wrong = 0;
  std::size_t cycles = 0;
  for (std::size_t i = 0; i != functions.size(); ++i) {
    midend::cycles(functions[i], memory, forest);
    cycles += forest.num_cycles();
    if (lines_of(forest) != expected[i].cycles ||
        midend::is_reducible(functions[i], other_memory) != forest.is_reducible()) {
      ++wrong;
      FAIL_CHECK("cycles of " << functions[i].name);
    }
  }
  CHECK(wrong == 0);
  CHECK(cycles != 0);
}

} // namespace

TEST_CASE("cycles: all digraphs of up to 4 nodes from every root") {
  midend::cycles_workspace memory;
  cycle_forest forest;
  comparisons graphs;
  for (std::size_t size = 1; size <= 4; ++size) {
    for_each_affordable_digraph(size, [&](const bit_graph& bits) {
      const test_graph graph = to_test_graph(bits);
      midend::cycles(bits, memory, forest);
      graphs.add(difference(forest, cycle_definitions(graph, true)), bits);
      midend::cycles(bits, midend::first_to_last, memory, forest);
      graphs.add(difference(forest, cycle_definitions(graph, false)), bits);
    });
  }
  CHECK(graphs.failed() == 0);
}

TEST_CASE("cycles: random and ugly graphs, and how cycles, loops and components are related") {
  midend::cycles_workspace memory;
  cycle_forest refilled;
  comparisons compared;
  std::size_t irreducible = 0;
  for (const test_graph& graph : many_graphs()) {
    const auto g = make_csr(graph);
    midend::cycles(g, memory, refilled);
    compared.add(difference(refilled, cycle_definitions(graph, true)), graph);
    compared.add(wrong_relation(graph, refilled), graph);
    irreducible += refilled.is_reducible() ? 0 : 1;
    const cycle_forest turned = midend::cycles(g, midend::first_to_last);
    compared.add(difference(turned, cycle_definitions(graph, false)), graph);
    compared.add(wrong_relation(graph, turned), graph);
  }
  CHECK(compared.failed() == 0);
  CHECK(irreducible > 100);
}

TEST_CASE("cycles: sqlite3-O0") {
  check_corpus("sqlite3-O0");
}

TEST_CASE("cycles: sqlite3-O2") {
  check_corpus("sqlite3-O2");
}

TEST_CASE("cycles: lua5.4-O0") {
  check_corpus("lua5.4-O0");
}

TEST_CASE("cycles: irreducible") {
  check_corpus("irreducible");
}

// The worked examples of "Loops: definitions, detection, canonical forms"; 0 is an unreachable node.

TEST_CASE("cycles, worked example 3: a goto into a loop") {
  const auto forest = cycles_of({"", 7, 1, {{1, 2}, {1, 3}, {2, 5}, {3, 4}, {4, 5}, {5, 4}, {5, 6}}});
  REQUIRE(forest.num_cycles() == 1);
  CHECK(forest.header(0) == 4); // found first by way of 3, the last successor of 1
  CHECK(listed(forest.entries(0)) == node_list{4, 5});
  CHECK(sorted(forest.blocks(0)) == node_list{4, 5});
  CHECK_FALSE(forest.is_reducible(0));
}

TEST_CASE("cycles, worked example 4: three kinds in one graph") {
  const auto forest = cycles_of(three_kinds_of_cycles());
  const cycle_id irreducible = forest.innermost_cycle(5);
  CHECK(forest.num_cycles() == 4); // without 5, the header, 6 → 7 → 4 → 6 is one still
  CHECK(listed(forest.blocks(forest.innermost_cycle(3))) == node_list{3});
  CHECK(sorted(forest.blocks(irreducible)) == node_list{4, 5, 6, 7});
  CHECK(listed(forest.entries(irreducible)) == node_list{5, 4});
  CHECK(forest.is_reducible(forest.innermost_cycle(8)));
  CHECK(forest.header(forest.innermost_cycle(9)) == 8);
  CHECK_FALSE(forest.is_reducible());
}

TEST_CASE("cycles, worked example 5: nested loops") {
  const auto forest = cycles_of({"", 8, 1, {{1, 2}, {2, 3}, {3, 4}, {3, 6}, {4, 3}, {4, 5}, {5, 7}, {7, 2}, {7, 6}}});
  REQUIRE(forest.num_cycles() == 2);
  CHECK(forest.header(0) == 2);
  CHECK(sorted(forest.blocks(0)) == node_list{2, 3, 4, 5, 7});
  CHECK(forest.header(1) == 3);
  CHECK(forest.parent(1) == 0);
  CHECK(sorted(forest.blocks(1)) == node_list{3, 4});
  CHECK(forest.is_reducible());
}

// A block may be an entry of all cycles around it, or of the outer ones alone.
TEST_CASE("cycles: entries of nested cycles") {
  // 0 → 1 → 2 → 3 → 4; edges back 4 → 3, 4 → 2, 4 → 1; ways in: 0 → 4 and 1 → 3.
  const test_graph graph{"", 5, 0, {{0, 4}, {0, 1}, {1, 3}, {1, 2}, {2, 3}, {3, 4}, {4, 3}, {4, 2}, {4, 1}}};
  const auto forest = cycles_of(graph);
  REQUIRE(forest.num_cycles() == 3);
  CHECK(listed(forest.entries(0)) == node_list{1, 4});
  CHECK(listed(forest.entries(1)) == node_list{2, 3, 4});
  CHECK(listed(forest.entries(2)) == node_list{3, 4});
  midend::flat_array<node_id> out(9, 9);
  forest.entries(1, out);
  CHECK(listed(out) == node_list{2, 3, 4});
}

TEST_CASE("cycles: the header of a graph that is entered in a cycle") {
  const auto forest = cycles_of({"", 2, 0, {{0, 1}, {1, 0}}});
  REQUIRE(forest.num_cycles() == 1);
  CHECK(listed(forest.entries(0)) == node_list{0});
  CHECK(forest.is_reducible(0));
}

TEST_CASE("cycles: unreachable predecessors make no entry") {
  const auto forest = cycles_of({"", 5, 0, {{0, 1}, {1, 2}, {2, 1}, {3, 2}, {4, 3}, {3, 4}}});
  REQUIRE(forest.num_cycles() == 1);
  CHECK(forest.is_reducible());
  CHECK(listed(forest.entries(0)) == node_list{1});
}

// The search decides which cycles there are inside an irreducible one.
TEST_CASE("cycles: first_to_last finds other cycles than last_to_first") {
  // 1 and 2 are entered from 0; 1 ⇄ 3 and 2 → 3, 3 → 2.
  const auto g = make_csr({"", 4, 0, {{0, 1}, {0, 2}, {1, 3}, {3, 1}, {3, 2}, {2, 3}}});
  const auto last = midend::cycles(g);
  const auto first = midend::cycles(g, midend::first_to_last);
  CHECK(last.header(0) == 2);
  CHECK(first.header(0) == 1);
  CHECK(sorted(last.blocks(0)) == sorted(first.blocks(0)));
  CHECK(sorted(last.blocks(1)) == node_list{1, 3});
  CHECK(sorted(first.blocks(1)) == node_list{2, 3});
}

TEST_CASE("cycles: each successor list is read once") {
  random_source random(17);
  for (std::size_t round = 0; round != 10; ++round) {
    const test_graph graph = random_irreducible(random, 30);
    const auto g = make_csr(graph);
    const cycle_definitions facts(graph, true);
    const watched_graph watched{&g, std::vector<std::size_t>(graph.num_nodes, 0)};
    CHECK(midend::cycles(watched).num_cycles() == facts.cycles().size());
    for (node_id n = 0; n != graph.num_nodes; ++n) {
      CHECK(watched.reads[n] == (facts.is_reachable(n) ? 1 : 0));
    }
  }
}

TEST_CASE("cycle_forest: of no cycles, of no nodes, and the epoch") {
  const cycle_forest none;
  CHECK(none.num_cycles() == 0);
  CHECK(none.cycles().empty());
  CHECK(none.top_level().empty());
  CHECK(none.is_reducible());
  CHECK(cycles_of({"", 0, 0, {}}).num_nodes() == 0);
  CHECK(cycles_of({"", 1, 0, {}}).cycle_depth(0) == 0);
  const auto g = make_csr({"", 2, 0, {{0, 0}, {0, 1}}});
  CHECK(midend::cycles(with_epoch{&g, 5}).epoch() == 5);
  CHECK(midend::is_reducible(make_csr({"", 0, 0, {}})));
}

TEST_CASE("cycles: a result is refilled whatever it held") {
  midend::cycles_workspace memory;
  cycle_forest refilled;
  comparisons compared;
  random_source random(9);
  for (std::size_t round = 0; round != 60; ++round) {
    test_graph graph{"", 0, 0, {}};
    if (round % 3 != 0) {
      graph = round % 3 == 1 ? random_irreducible(random, 5 + random.below(40))
                             : random_reducible(random, 5 + random.below(40));
    }
    midend::cycles(make_csr(graph), memory, refilled);
    compared.add(difference(refilled, cycle_definitions(graph, true)), graph);
  }
  CHECK(compared.failed() == 0);
}

// Half a million headers and then half a million latches. The last header is entered from the start too, so that it is
// an entry of each cycle.
TEST_CASE("cycles: a million nodes, half a million irreducible cycles inside each other") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    constexpr node_id k = midend_tests::million / 2;
    std::vector<edge> edges{{0, k}};
    for (node_id n = 0; n != k; ++n) {
      edges.push_back({n, n + 1});
      edges.push_back({k + n, k - n});
      if (n + 1 != k) {
        edges.push_back({k + n, k + n + 1});
      }
    }
    const auto g = midend::csr_graph::from_edges(2 * k, 0, edges).value();
    const auto forest = midend::cycles(g);
    if (forest.num_cycles() != k || midend::is_reducible(g)) {
      return join(forest.num_cycles(), " cycles");
    }
    for (const cycle_id c : forest.cycles()) {
      if (forest.header(c) != c + 1 || forest.depth(c) != c + 1 || forest.blocks(c).size() != 2 * (k - c) - 1 ||
          forest.is_reducible(c) != (c + 1 == k)) {
        return join("cycle ", c);
      }
    }
    if (listed(forest.entries(7)) != node_list{8, k} || listed(forest.entries(k - 1)) != node_list{k}) {
      return "entries";
    }
    return {};
  });
  CHECK(wrong == "");
}

// A quarter of a million headers inside each other, and as many blocks beside the nest with an edge to one header each.
// Whoever hands such an edge on from header to header needs hours.
TEST_CASE("cycles: a million nodes, each of the cycles inside each other entered from outside") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    constexpr node_id k =
        midend_tests::million / 4; // headers 1 … k, latches k + 1 … 2k, then the blocks beside the nest
    std::vector<edge> edges{{0, 2 * k + 1}, {0, 1}};
    for (node_id n = 1; n <= k; ++n) {
      edges.push_back({n, n + 1});
      edges.push_back({k + n, k + 1 - n});
      if (n != k) {
        edges.push_back({k + n, k + n + 1});
        edges.push_back({2 * k + n, 2 * k + n + 1});
      }
      edges.push_back({2 * k + n, n});
    }
    const auto forest = midend::cycles(midend::csr_graph::from_edges(3 * k + 1, 0, edges).value());
    if (forest.num_cycles() != k) {
      return join(forest.num_cycles(), " cycles");
    }
    for (const cycle_id c : forest.cycles()) {
      if (forest.header(c) != c + 1 || forest.depth(c) != c + 1 || forest.blocks(c).size() != 2 * (k - c) ||
          forest.is_reducible(c) != (c + 1 == k)) {
        return join("cycle ", c);
      }
    }
    const auto entries = forest.entries(k - 1000);
    for (node_id i = 0; i != 1000; ++i) {
      if (entries.size() != 1000 || entries[i] != k - 999 + i) {
        return join("entry ", i);
      }
    }
    return {};
  });
  CHECK(wrong == "");
}

// A cycle of a million nodes with a jump from each to anywhere: cycles inside each other by the ten thousands.
TEST_CASE("cycles: a million nodes, an irreducible web") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    constexpr node_id end = midend_tests::million;
    std::vector<edge> edges;
    random_source random(3);
    for (node_id n = 0; n + 1 != end; ++n) {
      edges.push_back({n, n + 1});
      edges.push_back({n, random.below(end)});
    }
    edges.push_back({end - 1, 0});
    const auto g = midend::csr_graph::from_edges(end, 0, edges).value();
    const auto forest = midend::cycles(g);
    if (forest.header(0) != 0 || forest.blocks(0).size() != end || forest.is_reducible() || !forest.is_reducible(0)) {
      return "the outermost cycle";
    }
    std::size_t own = 0;
    for (const cycle_id c : forest.cycles()) {
      own += forest.own_blocks(c).size();
      if (c != 0 && !forest.contains_cycle(forest.parent(c), c)) {
        return join("parent of ", c);
      }
    }
    return own == end ? "" : "blocks";
  });
  CHECK(wrong == "");
}
