// dynamic_dominator_tree.hpp, edge_update.hpp.
#include "kit/affordable.hpp"
#include "kit/editable_graph.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/dominance/certify.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/dynamic_dominator_tree.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/forward_csr_graph.hpp>

#include <array>
#include <vector>

using namespace midend_tests;
using midend::dynamic_dominator_tree;
using midend::edge_change;
using midend::edge_update;

namespace {

/// Compares all that a dynamic tree says with a computation from scratch.
class tree_check {
public:
  template <class G, class Algorithm = midend::semi_nca_t>
  std::string operator()(const dynamic_dominator_tree& tree, const G& g, Algorithm algorithm = {}) {
    midend::dominators(g, algorithm, memory_, expected_);
    if (tree.num_nodes() != g.num_nodes() || tree.num_reachable() != expected_.num_reachable() ||
        tree.root() != expected_.root() || tree.epoch() != expected_.epoch()) {
      return "size, root or epoch";
    }
    std::size_t children = 0;
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      if (tree.is_reachable(n) != expected_.is_reachable(n) || tree.depth(n) != expected_.depth(n) ||
          tree.immediate_dominator(n) != expected_.immediate_dominator(n)) {
        return join("immediate dominator, depth or reachability of ", n);
      }
      for (const node_id child : tree.children(n)) {
        if (expected_.immediate_dominator(child) != n || ++children > g.num_nodes()) {
          return join("children of ", n);
        }
      }
    }
    return children + 1 == expected_.num_reachable() || children == 0 ? std::string() : "number of children";
  }

  /// Of the last tree compared with.
  const midend::dominator_tree& expected() const { return expected_; }

private:
  midend::dominators_workspace memory_;
  midend::dominator_tree expected_;
};

void tell(dynamic_dominator_tree& tree, const editable_graph& g, edge_update update) {
  if (update.change == edge_change::insert) {
    tree.insert_edge(g, update.source, update.target);
  } else {
    tree.delete_edge(g, update.source, update.target);
  }
}

editable_graph editable(const bit_graph& g) {
  return editable_graph(to_test_graph(g));
}

/// Deletes each edge and inserts it again.
std::string wrong_without_an_edge(const test_graph& graph, tree_check& check, std::size_t step = 1) {
  editable_graph g(graph);
  dynamic_dominator_tree tree(g);
  for (std::size_t i = 0; i < graph.edges.size(); i += step) {
    const edge e = graph.edges[i];
    tell(tree, g, g.erase(e));
    if (const std::string wrong = check(tree, g); !wrong.empty()) {
      return join("without ", e.source, " -> ", e.target, ": ", wrong);
    }
    tell(tree, g, g.insert(e));
    if (const std::string wrong = check(tree, g); !wrong.empty()) {
      return join("again with ", e.source, " -> ", e.target, ": ", wrong);
    }
  }
  return {};
}

} // namespace

TEST_CASE("dynamic_dominator_tree: all digraphs of up to 3 nodes from every root, each edge inserted and deleted") {
  tree_check check;
  comparisons updates;
  for (std::size_t size = 1; size <= 3; ++size) {
    for_each_digraph(size, [&](const bit_graph& before) {
      for (node_id u = 0; u != size; ++u) {
        for (node_id v = 0; v != size; ++v) {
          editable_graph g = editable(before);
          dynamic_dominator_tree tree(g);
          tell(tree, g, before.has_edge(u, v) ? g.erase({u, v}) : g.insert({u, v}));
          updates.add(check(tree, g, midend::naive_dominators), to_test_graph(g));
          CHECK(tree.rebuilds() == 0);
        }
      }
    });
  }
  CHECK(updates.failed() == 0);
  CHECK(updates.all() == 2 * 1 * 1 + 16 * 2 * 4 + 512 * 3 * 9);
}

TEST_CASE("dynamic_dominator_tree: from each digraph of 3 nodes to each other, as one batch") {
  tree_check check;
  comparisons batches;
  std::size_t rebuilds = 0;
  std::vector<edge_update> updates;
  for (std::uint64_t after = 0; after != 512; ++after) {
    const editable_graph g = editable(bit_graph(3, after, 0));
    for (std::uint64_t before = 0; before != 512; ++before) {
      dynamic_dominator_tree tree(bit_graph(3, before, 0));
      updates.clear();
      for (std::uint32_t bit = 0; bit != 9; ++bit) {
        if (((before ^ after) >> bit & 1) != 0) {
          updates.push_back({(after >> bit & 1) != 0 ? edge_change::insert : edge_change::erase, bit / 3, bit % 3});
        }
      }
      tree.apply(g, updates);
      batches.add(check(tree, g), to_test_graph(g));
      CHECK(tree.rebuilds() == (updates.size() > tree.batch_limit() ? 1 : 0));
      rebuilds += tree.rebuilds();
    }
  }
  CHECK(batches.failed() == 0);
  CHECK(rebuilds == 512 * 256); // more than 4 of 9 edges
}

TEST_CASE("dynamic_dominator_tree: random updates, one by one") {
  tree_check check;
  comparisons steps;
  random_source random(31);
  std::size_t rebuilds = 0;
  for (const test_graph& graph : random_graphs()) {
    editable_graph g(graph);
    dynamic_dominator_tree tree(g);
    for (std::size_t step = 0; step != 240; ++step) {
      tell(tree, g, g.change_at_random(random));
      steps.add(check(tree, g), to_test_graph(g));
    }
    rebuilds += tree.rebuilds();
  }
  CHECK(steps.failed() == 0);
  CHECK(steps.all() >= affordable(100'000));
  CHECK(rebuilds < steps.all() / 100);
}

TEST_CASE("dynamic_dominator_tree: random batches, some of which undo themselves") {
  tree_check check;
  comparisons batches;
  random_source random(32);
  std::size_t rebuilds = 0;
  std::vector<edge_update> updates;
  for (const test_graph& graph : random_graphs()) {
    editable_graph g(graph);
    dynamic_dominator_tree tree(g);
    for (std::size_t step = 0; step != 200; ++step) {
      updates.clear();
      for (std::size_t size = random.below(tree.batch_limit() + 2); size != 0; --size) {
        updates.push_back(g.change_at_random(random));
        if (random.one_in(4)) {
          const edge e{updates.back().source, updates.back().target};
          updates.push_back(updates.back().change == edge_change::insert ? g.erase(e) : g.insert(e));
        }
      }
      tree.apply(g, updates);
      batches.add(check(tree, g), to_test_graph(g));
    }
    rebuilds += tree.rebuilds();
  }
  CHECK(batches.failed() == 0);
  CHECK(rebuilds < batches.all() / 10);
}

// The insertions of a batch must not see each other before their turn.
TEST_CASE("dynamic_dominator_tree: random batches of insertions into deep graphs") {
  tree_check check;
  comparisons batches;
  random_source random(38);
  std::vector<edge_update> updates;
  for (std::size_t i = 0; i != 20'000; ++i) {
    const std::size_t nodes = 12;
    test_graph graph = random_digraph(random, nodes, nodes);
    graph.entry = 0;
    editable_graph g(graph);
    for (node_id n = 1; n != nodes / 2 + 2; ++n) { // deep, and the others may be unreachable
      g.insert({n - 1, n});
    }
    dynamic_dominator_tree tree(g);
    updates.clear();
    while (updates.size() != 4) {
      updates.push_back(g.insert({random.below(nodes), random.below(nodes)}));
    }
    tree.apply(g, updates);
    batches.add(check(tree, g), to_test_graph(g));
    CHECK(tree.rebuilds() == 0);
  }
  CHECK(batches.failed() == 0);
}

TEST_CASE("dynamic_dominator_tree: each step is certified") {
  comparisons steps;
  random_source random(33);
  midend::dominators_workspace memory;
  midend::certify_workspace certifying;
  midend::dominator_tree snapshot;
  for (std::size_t i = 0; i != 40; ++i) {
    const std::size_t nodes = 8 + random.below(40);
    editable_graph g(random_irreducible(random, nodes));
    dynamic_dominator_tree tree(g);
    for (std::size_t step = 0; step != 100; ++step) {
      tell(tree, g, g.change_at_random(random));
      tree.snapshot(memory, snapshot);
      steps.add(midend::certify(g, snapshot, certifying) ? "the certificate fails" : "", to_test_graph(g));
      CHECK(snapshot.epoch() == g.epoch());
    }
    CHECK(tree.snapshot() == snapshot);
  }
  CHECK(steps.failed() == 0);
}

TEST_CASE("dynamic_dominator_tree: ugly graphs, each edge deleted and inserted again") {
  tree_check check;
  for (const test_graph& graph : ugly_graphs()) {
    const std::string wrong = wrong_without_an_edge(graph, check);
    CHECK_MESSAGE(wrong.empty(), wrong << " of " << to_string(graph));
  }
}

TEST_CASE("dynamic_dominator_tree: edges of real functions deleted and inserted again") {
  tree_check check;
  for (const char* const set : {"/corpus/lua5.4-O0.cfg.gz", "/corpus/sqlite3-O2.cfg.gz"}) {
    std::vector<midend_corpus::cfg_function> functions;
    REQUIRE(!midend_corpus::read_cfg(std::string(MIDEND_TEST_DATA) + set, functions));
    comparisons compared;
    for (std::size_t i = 0; i < functions.size(); i += 7) {
      test_graph graph{functions[i].name, functions[i].num_nodes(), 0, {}};
      for (node_id n = 0; n != graph.num_nodes; ++n) {
        for (const node_id s : functions[i].successors(n)) {
          graph.edges.push_back({n, s});
        }
      }
      compared.add(wrong_without_an_edge(graph, check, 1 + graph.edges.size() / 20), graph);
    }
    CHECK(compared.failed() == 0);
    CHECK(compared.all() > 100);
  }
}

TEST_CASE("dynamic_dominator_tree: queries") {
  // 0 → {1, 2} → 3 → 4, and 5 that leads to 3.
  editable_graph g({"", 6, 0, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {5, 3}}});
  dynamic_dominator_tree tree(g);
  CHECK(tree.root() == 0);
  CHECK(tree.dominates(0, 4));
  CHECK(tree.dominates(3, 3));
  CHECK_FALSE(tree.strictly_dominates(3, 3));
  CHECK_FALSE(tree.dominates(4, 3));
  CHECK_FALSE(tree.dominates(1, 4));
  CHECK_FALSE(tree.dominates(5, 5));
  CHECK_FALSE(tree.dominates(0, 5));
  CHECK_FALSE(tree.dominates(5, 3));
  CHECK(tree.nearest_common_dominator(1, 4) == 0);
  CHECK(tree.nearest_common_dominator(4, 3) == 3);
  CHECK(tree.nearest_common_dominator(4, 5) == no_node);
  CHECK(sorted(tree.children(0)) == std::vector<node_id>{1, 2, 3});
  CHECK(listed(tree.children(5)).empty());
  tell(tree, g, g.erase({1, 3}));
  CHECK(tree.dominates(2, 4));
  CHECK(tree.depth(4) == 3);
  CHECK(sorted(tree.children(0)) == std::vector<node_id>{1, 2});
  CHECK(sorted(tree.children(2)) == std::vector<node_id>{3});
  tell(tree, g, g.erase({0, 2}));
  CHECK(tree.num_reachable() == 2);
  CHECK_FALSE(tree.dominates(3, 3));
}

TEST_CASE("dynamic_dominator_tree: every relation after updates, by the definition") {
  random_source random(34);
  for (std::size_t i = 0; i != 30; ++i) {
    editable_graph g(random_digraph(random, 7, 12));
    dynamic_dominator_tree tree(g);
    for (std::size_t step = 0; step != 20; ++step) {
      tell(tree, g, g.change_at_random(random));
      const auto expected = midend::dominators(g, midend::naive_dominators);
      for (node_id a = 0; a != 7; ++a) {
        for (node_id b = 0; b != 7; ++b) {
          CHECK(tree.dominates(a, b) == expected.dominates(a, b));
          CHECK(tree.strictly_dominates(a, b) == expected.strictly_dominates(a, b));
          CHECK(tree.nearest_common_dominator(a, b) == expected.nearest_common_dominator(a, b));
        }
      }
    }
  }
}

TEST_CASE("dynamic_dominator_tree: of parallel edges all must go") {
  editable_graph g({"", 3, 0, {{0, 1}, {0, 1}, {1, 2}, {0, 2}}});
  dynamic_dominator_tree tree(g);
  tree_check check;
  tell(tree, g, g.erase({0, 1}));
  CHECK(tree.is_reachable(1));
  const std::array both{g.insert({0, 1}), g.erase({0, 2})};
  tree.apply(g, both);
  CHECK(check(tree, g).empty());
  const std::array first_of_two{g.erase({0, 1}), g.insert({2, 1})};
  tree.apply(g, first_of_two);
  CHECK(check(tree, g).empty());
  CHECK(tree.is_reachable(1));
  const std::array last{g.erase({0, 1}), g.erase({2, 1})};
  tree.apply(g, last);
  CHECK(check(tree, g).empty());
  CHECK_FALSE(tree.is_reachable(1));
  CHECK(tree.rebuilds() == 0);
}

TEST_CASE("dynamic_dominator_tree: edges out of unreachable nodes need not be told") {
  random_source random(39);
  tree_check check;
  comparisons batches;
  std::vector<edge_update> told;
  for (std::size_t i = 0; i != 300; ++i) {
    test_graph graph = random_digraph(random, 12, 10);
    graph.entry = 0;
    editable_graph g(graph);
    dynamic_dominator_tree tree(g);
    for (std::size_t step = 0; step != 30; ++step) {
      told.clear();
      for (std::size_t size = random.below(5); size != 0; --size) {
        const edge_update update = g.change_at_random(random);
        if (tree.is_reachable(update.source)) {
          told.push_back(update);
        }
      }
      tree.apply(g, told);
      batches.add(check(tree, g), to_test_graph(g));
    }
  }
  CHECK(batches.failed() == 0);
}

TEST_CASE("dynamic_dominator_tree: the graph grows") {
  random_source random(35);
  tree_check check;
  comparisons steps;
  editable_graph g;
  dynamic_dominator_tree tree;
  CHECK(tree.num_nodes() == 0);
  CHECK(tree.root() == no_node);
  tree.apply(g, {});
  g.add_node();
  tree.apply(g, {});
  CHECK(tree.root() == 0);
  std::vector<edge_update> updates;
  for (std::size_t step = 0; step != 300; ++step) {
    updates.clear();
    if (!g.edges().empty() && random.one_in(2)) { // a block in the middle of an edge
      const edge e = g.edges()[random.below(g.edges().size())];
      const node_id middle = g.add_node();
      updates = {g.erase(e), g.insert({e.source, middle}), g.insert({middle, e.target})};
    } else {
      for (std::size_t more = random.below(3); more != 0; --more) {
        g.add_node();
      }
      updates.push_back(g.change_at_random(random));
    }
    tree.apply(g, updates);
    steps.add(check(tree, g), to_test_graph(g));
  }
  CHECK(steps.failed() == 0);
  CHECK(tree.rebuilds() == 1); // the first node
}

TEST_CASE("dynamic_dominator_tree: trees from trees, copies, and one object for many graphs") {
  random_source random(36);
  tree_check check;
  dynamic_dominator_tree reused;
  for (std::size_t i = 0; i != 20; ++i) {
    editable_graph g(random_reducible(random, 5 + random.below(50)));
    const auto fixed = midend::dominators(g);
    dynamic_dominator_tree tree(fixed);
    CHECK(check(tree, g).empty());
    CHECK(listed(tree.snapshot().immediate_dominators()) == listed(fixed.immediate_dominators()));
    reused.assign(g);
    CHECK(check(reused, g).empty());
    dynamic_dominator_tree copy = tree;
    editable_graph changed = g;
    for (std::size_t step = 0; step != 20; ++step) {
      const edge_update update = changed.change_at_random(random);
      tell(copy, changed, update);
      tell(reused, changed, update);
    }
    CHECK(check(copy, changed).empty());
    CHECK(check(reused, changed).empty());
    CHECK(check(tree, g).empty());
  }
}

TEST_CASE("dynamic_dominator_tree: an insertion needs no predecessors") {
  const std::vector<edge> edges{{0, 1}, {1, 2}, {0, 2}};
  const auto before = midend::csr_graph::from_edges(3, 0, std::span(edges).first(2)).value();
  const midend::forward_csr_graph after(midend::csr_graph::from_edges(3, 0, edges).value());
  dynamic_dominator_tree tree(before);
  CHECK(tree.immediate_dominator(2) == 1);
  tree.insert_edge(after, 0, 2);
  CHECK(tree.immediate_dominator(2) == 0);
}

namespace {

/// Two levels of switches, each case of the second level an if with two arms that join.
test_graph two_switches(node_id fan) {
  test_graph g{"two switches", 1, 0, {}};
  const auto add = [&] { return static_cast<node_id>(g.num_nodes++); };
  for (node_id i = 0; i != fan; ++i) {
    const node_id outer = add();
    g.edges.push_back({0, outer});
    for (node_id k = 0; k != fan; ++k) {
      const node_id head = add();
      const node_id left = add();
      const node_id right = add();
      const node_id join = add();
      for (const edge e : {edge{outer, head}, {head, left}, {head, right}, {left, join}, {right, join}}) {
        g.edges.push_back(e);
      }
    }
  }
  return g;
}

} // namespace

TEST_CASE("dynamic_dominator_tree: updates look at what is near") {
  for (const node_id fan : {4U, 40U, 100U}) {
    const test_graph graph = two_switches(fan);
    editable_graph g(graph);
    dynamic_dominator_tree tree(g);
    for (std::size_t i = 0; i < graph.edges.size(); i += 1 + graph.edges.size() / 100) {
      const edge e = graph.edges[i];
      const bool is_outer = e.source == 0;
      tell(tree, g, g.erase(e));
      CHECK(tree.visited() <= (is_outer ? 4 * fan + 20 : 20));
      tell(tree, g, g.insert(e));
      CHECK(tree.visited() <= (is_outer ? 4 * fan + 20 : 20));
    }
    CHECK(tree.rebuilds() == 0);
  }
}

// A tall ladder whose upper half leads into another ladder at each rung: when its top becomes reachable, each edge
// across lifts what is below its target.
TEST_CASE("dynamic_dominator_tree: gives up where an update would take too long, and is right") {
  constexpr node_id height = 400;
  test_graph graph{"", 2 * height + 1, 0, {}};
  for (node_id i = 1; i != height; ++i) {
    graph.edges.push_back({i, i + 1});
    graph.edges.push_back({height + i, height + i + 1});
  }
  graph.edges.push_back({0, 1});
  for (node_id i = 0; i != height; ++i) {
    graph.edges.push_back({2 * height - i, height - i});
  }
  editable_graph g(graph);
  dynamic_dominator_tree tree(g);
  tree_check check;
  CHECK(check(tree, g).empty());
  tell(tree, g, g.insert({0, height + 1}));
  CHECK(check(tree, g).empty());
  CHECK(tree.rebuilds() == 1);
  CHECK(tree.visited() == graph.num_nodes);
}

namespace {

/// Deletes an edge here and there of a large graph and inserts it again, and compares in the end and on the way.
std::string wrong_on_a_small_stack(const test_graph& graph, std::size_t edges) {
  return on_a_small_stack([&] {
    editable_graph g(graph);
    dynamic_dominator_tree tree(g);
    tree_check check;
    random_source random(37);
    for (std::size_t i = 0; i != edges; ++i) {
      const edge e = graph.edges[random.below(graph.edges.size())];
      tell(tree, g, g.erase(e));
      if (tree.visited() > 2 * tree.work_limit()) {
        return join("looked at ", tree.visited());
      }
      if (const std::string wrong = check(tree, g); i + 1 == edges && !wrong.empty()) {
        return wrong;
      }
      tell(tree, g, g.insert(e));
      if (tree.visited() > 2 * tree.work_limit()) {
        return join("looked at ", tree.visited());
      }
    }
    return check(tree, g);
  });
}

} // namespace

TEST_CASE("dynamic_dominator_tree: a million nodes on a small stack: chain") {
  test_graph graph{"chain", million, 0, {}};
  for (node_id n = 0; n + 1 != million; ++n) {
    graph.edges.push_back({n, n + 1});
  }
  CHECK(wrong_on_a_small_stack(graph, 3).empty());
}

TEST_CASE("dynamic_dominator_tree: a million nodes on a small stack: ladder") {
  test_graph graph{"ladder", million, 0, {}};
  for (node_id n = 0; n + 1 != million; ++n) {
    graph.edges.push_back({n, n + 1});
    graph.edges.push_back({n, million - 1});
  }
  CHECK(wrong_on_a_small_stack(graph, 3).empty());
}

TEST_CASE("dynamic_dominator_tree: a million nodes on a small stack: nest") {
  test_graph graph{"nest", million, 0, {}};
  for (node_id n = 0; n + 1 != million; ++n) {
    graph.edges.push_back({n, n + 1});
    graph.edges.push_back({million - 1 - n, n / 2});
  }
  CHECK(wrong_on_a_small_stack(graph, 3).empty());
}

TEST_CASE("dynamic_dominator_tree: a million nodes on a small stack: switch") {
  test_graph graph{"switch", million, 0, {}};
  for (node_id n = 1; n + 1 != million; ++n) {
    graph.edges.push_back({0, n});
    graph.edges.push_back({n, million - 1});
  }
  CHECK(wrong_on_a_small_stack(graph, 3).empty());
}

namespace {

template <std::size_t N> constexpr midend::csr_graph graph_of(const std::array<edge, N>& edges) {
  return midend::csr_graph::from_edges(5, 0, edges).value();
}

/// The immediate dominator of 3, 4 in the end.
constexpr std::array<node_id, 2> after_updates() {
  dynamic_dominator_tree tree(graph_of(std::array{edge{0, 1}, edge{0, 2}, edge{1, 3}, edge{2, 3}, edge{3, 4}}));
  tree.delete_edge(graph_of(std::array{edge{0, 1}, edge{0, 2}, edge{2, 3}, edge{3, 4}}), 1, 3);
  const bool below_two = tree.dominates(2, 4) && tree.depth(4) == 3 && !tree.dominates(1, 4);
  tree.insert_edge(graph_of(std::array{edge{0, 1}, edge{0, 2}, edge{2, 3}, edge{3, 4}, edge{1, 4}}), 1, 4);
  const std::array batch{edge_update{edge_change::erase, 0, 2}, edge_update{edge_change::insert, 1, 2}};
  tree.apply(graph_of(std::array{edge{0, 1}, edge{1, 2}, edge{2, 3}, edge{3, 4}, edge{1, 4}}), batch);
  const bool snapshot_agrees = tree.snapshot().immediate_dominator(3) == tree.immediate_dominator(3);
  return below_two && snapshot_agrees ? std::array{tree.immediate_dominator(3), tree.immediate_dominator(4)}
                                      : std::array{no_node, no_node};
}

static_assert(after_updates() == std::array<node_id, 2>{2, 1});

} // namespace
