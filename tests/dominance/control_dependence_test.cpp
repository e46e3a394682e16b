// control_dependence.hpp.
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/control_dependence.hpp>
#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/csr_graph.hpp>

#include <algorithm>

using namespace midend_tests;

namespace {

/// The graph turned round, entered at one more node that leads to the roots: there dominance is post-dominance.
test_graph turned_round(const test_graph& g, std::span<const node_id> roots) {
  test_graph out{g.name, g.num_nodes + 1, static_cast<node_id>(g.num_nodes), {}};
  for (const edge& e : g.edges) {
    out.edges.push_back({e.target, e.source});
  }
  for (const node_id root : roots) {
    out.edges.push_back({out.entry, root});
  }
  return out;
}

/// Of every edge and node, by the definition of Ferrante, Ottenstein and Warren.
std::string wrong_dependences(const midend::control_dependence_graph& found, const midend::csr_graph& g,
                              const definitions& reversed) {
  std::size_t index = 0;
  std::size_t pairs = 0;
  for (edge_id e = 0; e != g.num_edges(); ++e) {
    const node_id source = g.edge_source(e);
    const node_id target = g.edge_target(e);
    std::vector<node_id> expected;
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      const bool strictly = n != source && reversed.dominates(n, source);
      if (reversed.dominates(n, target) && !strictly) {
        expected.push_back(n);
      }
    }
    if (expected.empty()) {
      continue;
    }
    pairs += expected.size();
    if (index == found.edges().size() || found.edges()[index] != midend::control_edge{source, target, e}) {
      return join("nothing of edge ", e);
    }
    if (sorted(found.dependents(index)) != expected) {
      return join("dependents of edge ", e);
    }
    // From the target upwards: each is post-dominated by the next.
    for (std::size_t i = 1; i < found.dependents(index).size(); ++i) {
      if (!reversed.dominates(found.dependents(index)[i], found.dependents(index)[i - 1])) {
        return join("order of the dependents of edge ", e);
      }
    }
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      const auto dependences = found.dependences(n);
      const bool depends = std::binary_search(expected.begin(), expected.end(), n);
      if (std::binary_search(dependences.begin(), dependences.end(), index) != depends ||
          (depends && !found.is_dependent(n, source))) {
        return join("dependences of ", n);
      }
    }
    ++index;
  }
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    pairs -= found.dependences(n).size();
    if (!std::is_sorted(found.dependences(n).begin(), found.dependences(n).end())) {
      return join("order of the dependences of ", n);
    }
  }
  return index == found.edges().size() && pairs == 0 ? "" : "more than by definition";
}

class dependence_check {
public:
  std::string operator()(const test_graph& g) {
    std::string wrong = with(midend::exits_only, g);
    return wrong.empty() ? with(midend::virtual_edge_per_endless_region, g) : wrong;
  }

private:
  template <class Policy> std::string with(Policy policy, const test_graph& g) {
    const auto csr = make_csr(g);
    const auto tree = midend::post_dominators(csr, policy);
    midend::control_dependence(csr, tree, found_);
    return wrong_dependences(found_, csr, definitions(turned_round(g, tree.roots())));
  }

  midend::control_dependence_graph found_;
};

} // namespace

TEST_CASE("control_dependence: all digraphs of up to 3 nodes") {
  dependence_check check;
  comparisons graphs;
  for (std::size_t size = 1; size <= 3; ++size) {
    for_each_digraph(size, [&](const bit_graph& g) { graphs.add(check(to_test_graph(g)), g); });
  }
  CHECK(graphs.failed() == 0);
}

TEST_CASE("control_dependence: random and ugly graphs") {
  dependence_check check;
  comparisons graphs;
  for (const auto& all : {random_graphs(), ugly_graphs()}) {
    for (const test_graph& g : all) {
      if (g.num_nodes <= 60) {
        graphs.add(check(g), g);
      }
    }
  }
  CHECK(graphs.failed() == 0);
  CHECK(graphs.all() > 100);
}

TEST_CASE("control_dependence: a branch, a loop, and what follows both") {
  // 0 -> 1 | 2 -> 3; 3 is a do/while loop of its own; 4 follows.
  const auto g =
      midend::csr_graph::from_edges(5, 0, std::vector<edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 3}, {3, 4}}).value();
  const auto found = midend::control_dependence(g, midend::post_dominators(g));
  REQUIRE(found.edges().size() == 3);
  CHECK(found.edges()[0] == midend::control_edge{0, 1, 0});
  CHECK(listed(found.dependents(0)) == std::vector<node_id>{1});
  CHECK(listed(found.dependents(1)) == std::vector<node_id>{2});
  CHECK(found.edges()[2] == midend::control_edge{3, 3, 4});
  CHECK(listed(found.dependents(2)) == std::vector<node_id>{3});
  CHECK(found.dependences(0).empty());
  CHECK(found.dependences(4).empty());
  CHECK(found.is_dependent(1, 0));
  CHECK_FALSE(found.is_dependent(4, 3));
}

TEST_CASE("control_dependence: an endless loop, as if it could end and as if not") {
  // 0 -> 1 | 2; 1 -> 1 for ever; 2 ends.
  const auto g = midend::csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {0, 2}, {1, 1}}).value();
  const auto ending = midend::control_dependence(g, midend::post_dominators(g));
  CHECK(ending.is_dependent(1, 0));
  CHECK(ending.is_dependent(1, 1));
  CHECK(ending.is_dependent(2, 0));
  const auto diverging = midend::control_dependence(g, midend::post_dominators(g, midend::exits_only));
  CHECK(diverging.edges().empty()); // what ends at all comes by 2
}

static_assert([] {
  const edge edges[] = {{0, 1}, {0, 2}, {1, 2}};
  const auto g = midend::csr_graph::from_edges(3, 0, edges).value();
  return midend::control_dependence(g, midend::post_dominators(g)).dependences(1).size();
}() == 1);
