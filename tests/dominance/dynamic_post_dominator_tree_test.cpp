// dynamic_post_dominator_tree.hpp.
#include "kit/affordable.hpp"
#include "kit/editable_graph.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/certify.hpp>
#include <midend/dominance/dynamic_post_dominator_tree.hpp>
#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/reversed.hpp>
#include <midend/graph/with_virtual_exit.hpp>

#include <array>
#include <vector>

using namespace midend_tests;
using midend::dynamic_post_dominator_tree;
using midend::edge_change;
using midend::edge_update;

namespace {

/// Compares all that a dynamic tree says with a computation from scratch.
class post_tree_check {
public:
  template <class Tree, class Policy> std::string operator()(const Tree& tree, const editable_graph& g, Policy policy) {
    midend::post_dominators(g, policy, memory_, expected_);
    if (tree.num_nodes() != g.num_nodes() || tree.virtual_exit() != expected_.virtual_exit() ||
        tree.epoch() != g.epoch()) {
      return "size or epoch";
    }
    if (listed(tree.roots()) != listed(expected_.roots())) {
      return "roots";
    }
    for (node_id n = 0; n <= g.num_nodes(); ++n) {
      if (tree.is_diverging(n) != expected_.is_diverging(n) || tree.depth(n) != expected_.depth(n) ||
          tree.immediate_post_dominator(n) != expected_.immediate_post_dominator(n)) {
        return join("immediate post-dominator, depth or divergence of ", n);
      }
      if (sorted(tree.children(n)) != sorted(expected_.children(n))) {
        return join("children of ", n);
      }
    }
    return {};
  }

private:
  midend::post_dominators_workspace memory_;
  midend::post_dominator_tree expected_;
};

template <class Tree> void tell(Tree& tree, const editable_graph& g, edge_update update) {
  if (update.change == edge_change::insert) {
    tree.insert_edge(g, update.source, update.target);
  } else {
    tree.delete_edge(g, update.source, update.target);
  }
}

template <class Visit> void for_each_policy(std::span<const node_id> roots, Visit visit) {
  visit("exits_only", midend::exits_only);
  visit("virtual_edge_per_endless_region", midend::virtual_edge_per_endless_region);
  visit("given_roots", midend::given_roots{roots});
}

/// Few edges, so that exits and endless regions come and go.
test_graph sparse(random_source& random) {
  const std::size_t nodes = 4 + random.below(30);
  return random_digraph(random, nodes, nodes);
}

} // namespace

TEST_CASE("dynamic_post_dominator_tree: all digraphs of up to 3 nodes, each edge inserted and deleted") {
  post_tree_check check;
  for (std::size_t size = 1; size <= 3; ++size) {
    for_each_policy(std::array<node_id, 1>{0}, [&](const char* name, auto policy) {
      CAPTURE(name);
      comparisons updates;
      for_each_digraph(size, [&](const bit_graph& before) {
        for (node_id u = 0; u != size && before.entry() == 0; ++u) {
          for (node_id v = 0; v != size; ++v) {
            editable_graph g(to_test_graph(before));
            dynamic_post_dominator_tree tree(g, policy);
            tell(tree, g, before.has_edge(u, v) ? g.erase({u, v}) : g.insert({u, v}));
            updates.add(check(tree, g, policy), to_test_graph(g));
          }
        }
      });
      CHECK(updates.failed() == 0);
    });
  }
}

TEST_CASE("dynamic_post_dominator_tree: random updates, one by one and in batches") {
  random_source random(41);
  post_tree_check check;
  std::vector<edge_update> updates;
  std::size_t rebuilds = 0;
  for (std::size_t i = 0; i != 60; ++i) {
    const editable_graph start(i % 2 == 0 ? sparse(random) : random_reducible(random, 5 + random.below(60)));
    const std::array<node_id, 2> roots{random.below(start.num_nodes()), random.below(start.num_nodes())};
    for_each_policy(roots, [&](const char* name, auto policy) {
      CAPTURE(name);
      comparisons steps;
      editable_graph g = start;
      dynamic_post_dominator_tree tree(g, policy);
      for (std::size_t step = 0; step != 100; ++step) {
        tell(tree, g, g.change_at_random(random));
        steps.add(check(tree, g, policy), to_test_graph(g));
        updates.clear();
        for (std::size_t size = random.below(5); size != 0; --size) {
          updates.push_back(g.change_at_random(random));
        }
        tree.apply(g, updates);
        steps.add(check(tree, g, policy), to_test_graph(g));
      }
      CHECK(steps.failed() == 0);
      rebuilds += tree.rebuilds();
    });
  }
  CHECK(rebuilds < 60 * 3 * 200 / 10);
}

TEST_CASE("dynamic_post_dominator_tree: ugly graphs, each edge deleted and inserted again") {
  post_tree_check check;
  for (const test_graph& graph : ugly_graphs()) {
    if (graph.num_nodes == 0) {
      continue;
    }
    for_each_policy(std::array<node_id, 1>{0}, [&](const char* name, auto policy) {
      CAPTURE(name);
      comparisons steps;
      editable_graph g(graph);
      dynamic_post_dominator_tree tree(g, policy);
      for (const edge e : graph.edges) {
        tell(tree, g, g.erase(e));
        steps.add(check(tree, g, policy), to_test_graph(g));
        tell(tree, g, g.insert(e));
        steps.add(check(tree, g, policy), to_test_graph(g));
      }
      CHECK(steps.failed() == 0);
    });
  }
}

TEST_CASE("dynamic_post_dominator_tree: the graph grows") {
  post_tree_check check;
  for_each_policy({}, [&](const char* name, auto policy) {
    CAPTURE(name);
    random_source random(42);
    comparisons steps;
    editable_graph g;
    dynamic_post_dominator_tree<decltype(policy)> tree;
    std::vector<edge_update> updates;
    for (std::size_t step = 0; step != 200; ++step) {
      updates.clear();
      if (!g.edges().empty() && random.one_in(2)) { // a block in the middle of an edge
        const edge e = g.edges()[random.below(g.edges().size())];
        const node_id middle = g.add_node();
        updates = {g.erase(e), g.insert({e.source, middle}), g.insert({middle, e.target})};
      } else {
        g.add_node();
        updates.push_back(g.change_at_random(random));
      }
      tree.apply(g, updates);
      steps.add(check(tree, g, policy), to_test_graph(g));
    }
    CHECK(steps.failed() == 0);
    CHECK(tree.rebuilds() < 5); // the first node, and large batches of a small graph
  });
}

TEST_CASE("dynamic_post_dominator_tree: each step is certified") {
  random_source random(43);
  for (std::size_t i = 0; i != 10; ++i) {
    editable_graph g(sparse(random));
    dynamic_post_dominator_tree tree(g);
    for (std::size_t step = 0; step != 40; ++step) {
      tell(tree, g, g.change_at_random(random));
      const auto with_exit = midend::with_virtual_exit(g, tree.roots());
      CHECK_FALSE(midend::certify(midend::reversed(with_exit), tree.tree().snapshot()));
    }
  }
}

TEST_CASE("dynamic_post_dominator_tree: queries, roots that come and go, and what that costs") {
  // 0 → {1, 2} → 3, where 2 ↔ 4 as well.
  editable_graph g({"", 5, 0, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {2, 4}, {4, 2}}});
  dynamic_post_dominator_tree tree(g);
  CHECK(tree.post_dominates(3, 0));
  CHECK(tree.post_dominates(tree.virtual_exit(), 0));
  CHECK(tree.strictly_post_dominates(2, 4));
  CHECK_FALSE(tree.strictly_post_dominates(2, 2));
  CHECK_FALSE(tree.post_dominates(1, 0));
  CHECK(tree.nearest_common_post_dominator(1, 4) == 3);
  CHECK(tree.root_searches() == 0);

  tell(tree, g, g.erase({1, 3})); // 1 is an exit
  CHECK(listed(tree.roots()) == std::vector<node_id>{1, 3});
  CHECK(tree.nearest_common_post_dominator(1, 4) == no_node);
  CHECK(tree.immediate_post_dominator(0) == no_node);
  CHECK(tree.root_searches() == 0);

  tell(tree, g, g.erase({2, 3})); // 2 and 4 are an endless region
  CHECK(listed(tree.roots()).size() == 3);
  CHECK_FALSE(tree.is_diverging(4));
  CHECK(tree.root_searches() == 1);
  tell(tree, g, g.insert({2, 3}));
  CHECK(listed(tree.roots()) == std::vector<node_id>{1, 3});
  CHECK(tree.root_searches() == 2);
  tell(tree, g, g.insert({1, 3}));
  CHECK(tree.root_searches() == 2);
  CHECK(tree.immediate_post_dominator(0) == 3);
  CHECK(tree.rebuilds() == 0);

  dynamic_post_dominator_tree without(g, midend::exits_only);
  tell(without, g, g.erase({2, 3}));
  CHECK(without.is_diverging(4));
  CHECK_FALSE(without.post_dominates(4, 4));
  CHECK(without.root_searches() == 0);
}

TEST_CASE("dynamic_post_dominator_tree: a million nodes on a small stack") {
  const std::string wrong = on_a_small_stack([&]() -> std::string {
    test_graph graph{"chain", million, 0, {}};
    for (node_id n = 0; n + 1 != million; ++n) {
      graph.edges.push_back({n, n + 1});
    }
    editable_graph g(graph);
    dynamic_post_dominator_tree tree(g);
    tell(tree, g, g.erase({million / 2, million / 2 + 1}));
    if (tree.depth(0) != million / 2 + 1) {
      return "depth";
    }
    tell(tree, g, g.insert({million / 2, million / 2}));
    tell(tree, g, g.erase({million / 2, million / 2}));
    tell(tree, g, g.insert({million / 2, million / 2 + 1}));
    post_tree_check check;
    return check(tree, g, midend::virtual_edge_per_endless_region);
  });
  CHECK(wrong.empty());
}

namespace {

constexpr node_id after_an_update() {
  const std::array edges{edge{0, 1}, edge{1, 2}, edge{0, 2}};
  dynamic_post_dominator_tree tree(midend::csr_graph::from_edges(3, 0, edges).value());
  tree.delete_edge(midend::csr_graph::from_edges(3, 0, std::span(edges).first(2)).value(), 0, 2);
  return tree.immediate_post_dominator(0);
}

static_assert(after_an_update() == 1);

} // namespace
