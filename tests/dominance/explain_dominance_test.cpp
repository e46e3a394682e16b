// explain_dominance.hpp.
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/explain_dominance.hpp>
#include <midend/graph/csr_graph.hpp>

#include <algorithm>
#include <array>

using namespace midend_tests;
using midend::csr_graph;
using midend::dominance_explanation;
using midend::dominator_tree;
using enum midend::dominance_explanation::reason;

namespace {

using nodes = std::vector<node_id>;

bool has_edge(const definitions& facts, node_id source, node_id target) {
  const auto edges = facts.out_edges(source);
  return std::any_of(edges.begin(), edges.end(), [&](const edge& e) { return e.target == target; });
}

/// The number of nodes on a shortest path from the entry that avoids a node: to each node, 0 if there is none.
std::vector<std::size_t> lengths_around(const definitions& facts, node_id avoided) {
  std::vector<std::size_t> length(facts.num_nodes(), 0);
  length[facts.entry()] = facts.entry() == avoided ? 0 : 1;
  for (std::size_t round = 0; round != facts.num_nodes(); ++round) {
    for (const edge& e : facts.edges()) {
      std::size_t& found = length[e.target];
      if (e.target != avoided && length[e.source] != 0 && (found == 0 || length[e.source] + 1 < found)) {
        found = length[e.source] + 1;
      }
    }
  }
  return length;
}

std::string wrong_chain(const definitions& facts, node_id a, node_id b, const nodes& found) {
  if (!facts.dominates(a, b) || found.empty() || found.front() != b || found.back() != a) {
    return "no chain";
  }
  for (std::size_t i = 1; i != found.size(); ++i) {
    if (found[i] != facts.immediate_dominator(found[i - 1])) {
      return "a link of the chain";
    }
  }
  return {};
}

std::string wrong_path(const definitions& facts, node_id a, node_id b, std::size_t shortest, const nodes& found) {
  if (facts.dominates(a, b) || found.empty() || found.front() != facts.entry() || found.back() != b) {
    return "no path";
  }
  for (std::size_t i = 1; i != found.size(); ++i) {
    if (!has_edge(facts, found[i - 1], found[i])) {
      return "an edge of the path";
    }
  }
  if (std::find(found.begin(), found.end(), a) != found.end()) {
    return "the path does not avoid the node";
  }
  return found.size() == shortest ? "" : "the path is not a shortest one";
}

/// Explains all pairs, in memory that is used for every graph.
class explanations_check {
public:
  template <class G> std::string operator()(const G& g, const definitions& facts) {
    const dominator_tree tree = midend::dominators(g);
    for (node_id a = 0; a != facts.num_nodes(); ++a) {
      const std::vector<std::size_t> lengths = lengths_around(facts, a);
      for (node_id b = 0; b != facts.num_nodes(); ++b) {
        midend::explain_dominance(g, tree, a, b, memory_, explanation_);
        const nodes found = listed(explanation_.nodes);
        std::string wrong;
        if (!facts.is_reachable(b)) {
          wrong = explanation_.why == unreachable && found.empty() ? "" : "not unreachable";
        } else if (explanation_.why == chain) {
          wrong = wrong_chain(facts, a, b, found);
        } else {
          wrong = explanation_.why == path ? wrong_path(facts, a, b, lengths[b], found) : "unreachable";
        }
        if (!wrong.empty()) {
          return join(wrong, ": ", a, " and ", b);
        }
      }
    }
    return {};
  }

private:
  midend::explain_dominance_workspace memory_;
  dominance_explanation explanation_;
};

struct pointed_out {
  dominance_explanation::reason why;
  nodes found;

  friend bool operator==(const pointed_out&, const pointed_out&) = default;
};

pointed_out explain(const test_graph& graph, node_id a, node_id b) {
  const csr_graph g = make_csr(graph);
  const auto explanation = midend::explain_dominance(g, midend::dominators(g), a, b);
  return {explanation.why, listed(explanation.nodes)};
}

} // namespace

TEST_CASE("explain_dominance: all pairs of nodes of all digraphs of up to 4 nodes") {
  explanations_check check;
  definitions facts;
  comparisons compared;
  for (std::size_t size = 1; size <= 4; ++size) {
    for_each_digraph(size, [&](const bit_graph& g) {
      if (size < 4 || g.entry() == 3) {
        facts.assign(size, g.entry(), to_test_graph(g).edges);
        compared.add(check(g, facts), g);
      }
    });
  }
  CHECK(compared.failed() == 0);
}

TEST_CASE("explain_dominance: random and ugly graphs") {
  explanations_check check;
  comparisons compared;
  for (const test_graph& graph : ugly_graphs()) {
    compared.add(check(make_csr(graph), definitions(graph)), graph);
  }
  random_source random(9);
  for (std::size_t i = 0; i != 40; ++i) {
    const test_graph graph = random_irreducible(random, 5 + random.below(25));
    compared.add(check(make_csr(graph), definitions(graph)), graph);
  }
  CHECK(compared.failed() == 0);
}

// Worked example 3 of the loop specification, a goto into a loop: nodes keep their numbers, 0 is not used.
TEST_CASE("explain_dominance: a goto into a loop") {
  const test_graph graph{"", 7, 1, {{1, 2}, {1, 3}, {2, 5}, {3, 4}, {4, 5}, {5, 4}, {5, 6}}};
  CHECK(explain(graph, 4, 5) == pointed_out{path, {1, 2, 5}});
  CHECK(explain(graph, 5, 4) == pointed_out{path, {1, 3, 4}});
  CHECK(explain(graph, 1, 6) == pointed_out{chain, {6, 5, 1}});
  CHECK(explain(graph, 0, 4) == pointed_out{path, {1, 3, 4}}); // 0 is unreachable
  CHECK(explain(graph, 1, 0) == pointed_out{unreachable, {}});
  CHECK(explain(graph, 0, 0) == pointed_out{unreachable, {}});
  CHECK(explain(graph, 5, 5) == pointed_out{chain, {5}});
}

// Worked example 2, a `for` loop: the header dominates all of it, no block in it dominates what follows.
TEST_CASE("explain_dominance: a while loop") {
  const test_graph graph{"", 9, 1, {{1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6}, {6, 7}, {7, 2}, {2, 8}}};
  CHECK(explain(graph, 2, 7) == pointed_out{chain, {7, 6, 3, 2}});
  CHECK(explain(graph, 7, 2) == pointed_out{path, {1, 2}});
  CHECK(explain(graph, 4, 6) == pointed_out{path, {1, 2, 3, 5, 6}});
}

TEST_CASE("explain_dominance: a million nodes on a small stack") {
  CHECK(on_a_small_stack([]() -> std::string {
          constexpr node_id size = 1'000'000;
          std::vector<edge> edges{{0, size - 1}};
          for (node_id n = 0; n + 1 != size; ++n) {
            edges.push_back({n, n + 1});
            edges.push_back({n, n / 2});
          }
          const csr_graph g = csr_graph::from_edges(size, 0, edges).value();
          const auto tree = midend::dominators(g);
          const auto long_chain = midend::explain_dominance(g, tree, 0, size - 2);
          const auto around = midend::explain_dominance(g, tree, size - 2, size - 1);
          const auto long_path = midend::explain_dominance(g, tree, size - 1, size - 2);
          return long_chain.why == chain && long_chain.nodes.size() == size - 1 && around.why == path &&
                         around.nodes.size() == 2 && long_path.why == path && long_path.nodes.size() == size - 1
                     ? ""
                     : "an explanation is wrong";
        }) == "");
}

namespace {

constexpr bool explanations_hold_in_constant_expressions() {
  constexpr std::array edges{edge{0, 1}, edge{0, 2}, edge{1, 3}, edge{2, 3}};
  const csr_graph g = csr_graph::from_edges(4, 0, edges).value();
  const auto tree = midend::dominators(g);
  const auto around = midend::explain_dominance(g, tree, 1, 3);
  const auto up = midend::explain_dominance(g, tree, 0, 3);
  return around.why == path && around.nodes.size() == 3 && around.nodes[1] == 2 && up.why == chain &&
         up.nodes.size() == 2 && up.nodes[0] == 3;
}

static_assert(explanations_hold_in_constant_expressions());

} // namespace
