// dominance_frontier.hpp, iterated_dominance_frontier.hpp, edge_dominance.hpp.
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominance_frontier.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/edge_dominance.hpp>
#include <midend/dominance/iterated_dominance_frontier.hpp>
#include <midend/graph/csr_graph.hpp>

#include <algorithm>
#include <set>

using namespace midend_tests;

namespace {

/// The nodes with a reachable predecessor that `n` dominates which it does not strictly dominate.
std::vector<node_id> frontier_by_definition(const definitions& facts, node_id n) {
  std::set<node_id> out;
  for (const edge& e : facts.edges()) {
    if (facts.dominates(n, e.source) && (n == e.target || !facts.dominates(n, e.target))) {
      out.insert(e.target);
    }
  }
  return {out.begin(), out.end()};
}

/// Grows the set until nothing joins.
template <class LiveIn>
std::vector<node_id> iterated_by_definition(const definitions& facts, const std::vector<node_id>& sites,
                                            LiveIn live_in) {
  std::set<node_id> out;
  for (std::size_t before = 1; before != 0;) {
    before = 0;
    std::set<node_id> sources(sites.begin(), sites.end());
    sources.insert(out.begin(), out.end());
    for (const node_id source : sources) {
      for (const node_id n : frontier_by_definition(facts, source)) {
        before += live_in(n) && out.insert(n).second ? 1 : 0;
      }
    }
  }
  return {out.begin(), out.end()};
}

/// Whether `n` is reachable, but not once the edge with this id is taken out.
bool edge_dominates_by_definition(const definitions& facts, edge_id taken_out, node_id n) {
  if (!facts.is_reachable(n)) {
    return false;
  }
  std::vector<bool> reached(facts.num_nodes(), false);
  std::vector<node_id> todo{facts.entry()};
  reached[facts.entry()] = true;
  while (!todo.empty()) {
    const node_id at = todo.back();
    todo.pop_back();
    for (edge_id e = 0; e != facts.edges().size(); ++e) {
      const edge& candidate = facts.edges()[e];
      if (e != taken_out && candidate.source == at && !reached[candidate.target]) {
        reached[candidate.target] = true;
        todo.push_back(candidate.target);
      }
    }
  }
  return !reached[n];
}

/// The frontiers of all nodes and iterated ones of subsets, through results that are used for every graph.
class frontiers_check {
public:
  template <class G> std::string operator()(const G& g, const definitions& facts, random_source& random) {
    const auto tree = midend::dominators(g);
    midend::dominance_frontier(g, tree, memory_, frontiers_);
    if (frontiers_.num_nodes() != facts.num_nodes()) {
      return "num_nodes";
    }
    std::size_t members = 0;
    for (node_id n = 0; n != facts.num_nodes(); ++n) {
      if (listed(frontiers_[n]) != frontier_by_definition(facts, n)) {
        return join("frontier of ", n);
      }
      members += frontiers_[n].size();
    }
    if (members != frontiers_.num_members()) {
      return "num_members";
    }
    return iterated(g, tree, facts, random);
  }

private:
  /// A few random variables with random live ranges: together, alone, and without pruning.
  template <class G>
  std::string iterated(const G& g, const midend::dominator_tree& tree, const definitions& facts,
                       random_source& random) {
    constexpr std::size_t variables = 3;
    std::vector<std::vector<node_id>> sites(variables);
    std::vector<midend::definition_site> definitions;
    std::vector<std::vector<bool>> live(variables, std::vector<bool>(facts.num_nodes()));
    for (std::uint32_t v = 0; v != variables; ++v) {
      for (std::size_t i = random.below(4); i != 0 && facts.num_nodes() != 0; --i) {
        const node_id n = random.below(facts.num_nodes());
        sites[v].push_back(n);
        definitions.insert(definitions.begin() + random.below(definitions.size() + 1), {v, n});
      }
      for (node_id n = 0; n != facts.num_nodes(); ++n) {
        live[v][n] = !random.one_in(3);
      }
    }
    const auto live_in = [&](std::uint32_t v, node_id n) { return bool(live[v][n]); };
    midend::iterated_dominance_frontiers(g, tree, variables, definitions, live_in, iterated_memory_, iterated_);
    const auto unpruned = midend::iterated_dominance_frontiers(g, tree, variables, definitions);
    for (std::uint32_t v = 0; v != variables; ++v) {
      const auto expected = iterated_by_definition(facts, sites[v], [&](node_id n) { return live_in(v, n); });
      if (listed(iterated_[v]) != expected) {
        return join("pruned frontier of variable ", v);
      }
      if (listed(midend::iterated_dominance_frontier(g, tree, sites[v], [&](node_id n) { return live_in(v, n); })) !=
          expected) {
        return "pruned frontier of one variable";
      }
      const auto everywhere = iterated_by_definition(facts, sites[v], [](node_id) { return true; });
      if (listed(unpruned[v]) != everywhere ||
          listed(midend::iterated_dominance_frontier(g, tree, sites[v])) != everywhere) {
        return join("iterated frontier of variable ", v);
      }
    }
    return {};
  }

  midend::dominance_frontier_workspace memory_;
  midend::frontier_sets frontiers_;
  midend::iterated_dominance_frontier_workspace iterated_memory_;
  midend::iterated_frontiers iterated_;
};

std::string wrong_edge_dominance(const midend::csr_graph& g, const definitions& facts) {
  const auto tree = midend::dominators(g);
  const auto of_node = midend::dominating_edges(g, tree);
  for (edge_id e = 0; e != g.num_edges(); ++e) {
    const node_id target = g.edge_target(e);
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      const bool expected = edge_dominates_by_definition(facts, e, n);
      if (midend::edge_dominates(g, tree, g.edge_source(e), target, n) != expected) {
        return join("edge_dominates: edge ", e, ", node ", n);
      }
      if ((of_node[target] == e && tree.dominates(target, n)) != expected) {
        return join("dominating_edges: edge ", e, ", node ", n);
      }
    }
  }
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    if (of_node[n] != midend::no_edge && g.edge_target(of_node[n]) != n) {
      return join("dominating_edges of ", n);
    }
  }
  return {};
}

/// A graph without predecessors and without edge ids.
struct successors_only {
  const midend::csr_graph* g;

  std::size_t num_nodes() const { return g->num_nodes(); }

  node_id entry() const { return g->entry(); }

  std::span<const node_id> successors(node_id n) const { return g->successors(n); }
};

/// A ladder: both rails lead down, every rung leads across.
midend::csr_graph ladder(node_id rungs) {
  std::vector<edge> edges{{0, 1}, {0, 2}};
  for (node_id n = 1; n + 2 < 2 * rungs; n += 2) {
    edges.push_back({n, n + 2});
    edges.push_back({n, n + 3});
    edges.push_back({n + 1, n + 3});
  }
  return midend::csr_graph::from_edges(2 * rungs + 1, 0, edges).value();
}

} // namespace

TEST_CASE("dominance_frontier: all digraphs of up to 3 nodes from every root") {
  frontiers_check check;
  random_source random(1);
  comparisons graphs;
  for (std::size_t size = 1; size <= 3; ++size) {
    for_each_digraph(size, [&](const bit_graph& g) {
      const definitions facts(to_test_graph(g));
      graphs.add(check(g, facts, random), g);
    });
  }
  CHECK(graphs.failed() == 0);
  CHECK(graphs.all() == 2 + 2 * 16 + 3 * 512);
}

TEST_CASE("dominance_frontier: random and ugly graphs, with and without predecessors") {
  frontiers_check check;
  random_source random(2);
  comparisons graphs;
  auto all = random_graphs();
  std::erase_if(all, [](const test_graph& g) { return g.num_nodes > 60; });
  for (const test_graph& ugly : ugly_graphs()) {
    all.push_back(ugly);
  }
  for (const test_graph& g : all) {
    const auto csr = make_csr(g);
    const definitions facts(g);
    graphs.add(check(csr, facts, random), g);
    graphs.add(check(successors_only{&csr}, facts, random), g);
    graphs.add(wrong_edge_dominance(csr, facts), g);
    const auto tree = midend::dominators(csr);
    graphs.add(midend::dominating_edges(csr, tree) == midend::dominating_edges(successors_only{&csr}, tree)
                   ? ""
                   : "dominating_edges without edge ids",
               g);
  }
  CHECK(graphs.failed() == 0);
  CHECK(graphs.all() > 400);
}

TEST_CASE("edge_dominates: all digraphs of up to 3 nodes from every root, also with each edge doubled") {
  comparisons graphs;
  for (std::size_t size = 1; size <= 3; ++size) {
    for_each_digraph(size, [&](const bit_graph& bits) {
      test_graph g = to_test_graph(bits);
      graphs.add(wrong_edge_dominance(make_csr(g), definitions(g)), g);
      const std::size_t edges = g.edges.size();
      for (std::size_t e = 0; e != edges; ++e) {
        g.edges.push_back(g.edges[e]);
        graphs.add(wrong_edge_dominance(make_csr(g), definitions(g)), g);
        g.edges.pop_back();
      }
    });
  }
  CHECK(graphs.failed() == 0);
}

// Figure 2 of Cytron et al. has the frontiers of a loop with a branch in it; here the example of the definitions in
// spec order: a diamond inside a loop.
TEST_CASE("dominance_frontier: a diamond in a loop") {
  const auto g = midend::csr_graph::from_edges(
                     7, 0, std::vector<edge>{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 1}, {5, 6}})
                     .value();
  const auto tree = midend::dominators(g);
  const auto frontiers = midend::dominance_frontier(g, tree);
  CHECK(frontiers[0].empty());
  CHECK(listed(frontiers[1]) == std::vector<node_id>{1});
  CHECK(listed(frontiers[2]) == std::vector<node_id>{1});
  CHECK(listed(frontiers[3]) == std::vector<node_id>{5});
  CHECK(listed(frontiers[4]) == std::vector<node_id>{5});
  CHECK(listed(frontiers[5]) == std::vector<node_id>{1});
  CHECK(frontiers[6].empty());
  const std::vector<node_id> sites{3};
  CHECK(listed(midend::iterated_dominance_frontier(g, tree, sites)) == std::vector<node_id>{1, 5});
  // Dead at 5, so nothing gets as far as 1 either.
  CHECK(midend::iterated_dominance_frontier(g, tree, sites, [](node_id n) { return n != 5; }).empty());
  CHECK(midend::edge_dominates(g, tree, 2, 3, 3));
  CHECK_FALSE(midend::edge_dominates(g, tree, 3, 5, 5));
  CHECK(midend::edge_dominates(g, tree, 0, 1, 6)); // the backedge comes from below
}

TEST_CASE("iterated_dominance_frontier: a million nodes, where all frontiers together would be quadratic") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    constexpr node_id rungs = 500'000;
    const auto g = ladder(rungs);
    const auto tree = midend::dominators(g);
    const std::vector<node_id> sites{1, 2};
    const auto frontier = midend::iterated_dominance_frontier(g, tree, sites);
    // Every node of the right rail but the first has a predecessor on either rail.
    if (frontier.size() != rungs - 1) {
      return join(frontier.size(), " nodes");
    }
    for (node_id i = 0; i != frontier.size(); ++i) {
      if (frontier[i] != 2 * i + 4) {
        return join("member ", i);
      }
    }
    // Nested loops: the frontier of a node of the innermost one is all headers.
    std::vector<edge> edges;
    constexpr node_id loops = 500'000;
    for (node_id n = 0; n + 1 != 2 * loops; ++n) {
      edges.push_back({n, n + 1});
    }
    for (node_id l = 0; l != loops; ++l) {
      edges.push_back({2 * loops - 1 - l, l});
    }
    const auto nest = midend::csr_graph::from_edges(2 * loops, 0, edges).value();
    const std::vector<node_id> innermost{loops};
    const auto headers = midend::iterated_dominance_frontier(nest, midend::dominators(nest), innermost);
    if (headers.size() != loops || headers[0] != 0 || headers[loops - 1] != loops - 1) {
      return join(headers.size(), " headers");
    }
    return {};
  });
  CHECK(wrong == "");
}

TEST_CASE("dominance_frontier: what a million nodes without joins, and one with all joins, have") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    constexpr node_id count = 1'000'000;
    std::vector<edge> edges;
    for (node_id n = 1; n + 1 != count; ++n) {
      edges.push_back({0, n});
      edges.push_back({n, count - 1});
    }
    const auto g = midend::csr_graph::from_edges(count, 0, edges).value();
    const auto frontiers = midend::dominance_frontier(g, midend::dominators(g));
    for (node_id n = 1; n + 1 != count; ++n) {
      if (frontiers[n].size() != 1 || frontiers[n][0] != count - 1) {
        return join("frontier of ", n);
      }
    }
    return frontiers[0].empty() && frontiers[count - 1].empty() ? "" : "frontier of the first or the last";
  });
  CHECK(wrong == "");
}

TEST_CASE("dominance_frontier: graphs without nodes, and without edges") {
  const midend::csr_graph nothing;
  const auto tree = midend::dominators(nothing);
  CHECK(midend::dominance_frontier(nothing, tree).num_nodes() == 0);
  CHECK(midend::dominating_edges(nothing, tree).empty());
  CHECK(midend::iterated_dominance_frontier(nothing, tree, std::vector<node_id>()).empty());
  CHECK(midend::iterated_dominance_frontiers(nothing, tree, 0, {}).num_variables() == 0);
  CHECK(midend::iterated_dominance_frontiers(nothing, tree, 2, {})[1].empty());
}

namespace {

constexpr std::size_t frontier_sum() {
  const edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 0}};
  const auto g = midend::csr_graph::from_edges(4, 0, edges).value();
  const auto tree = midend::dominators(g);
  const auto frontiers = midend::dominance_frontier(g, tree);
  const node_id sites[] = {1};
  const auto iterated = midend::iterated_dominance_frontier(g, tree, std::span(sites));
  const auto first_edges = midend::dominating_edges(g, tree);
  return frontiers.num_members() * 100 + iterated.size() * 10 + (first_edges[1] == 0 ? 1 : 0);
}

} // namespace

// {0} of 0, {3} of 1 and 2, {0} of 3; the iterated frontier of 1 is {0, 3}.
static_assert(frontier_sum() == 421);
