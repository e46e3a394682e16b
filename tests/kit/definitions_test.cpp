// The definitions that the analyses are compared with, on graphs whose answers are plain to see.
#include "kit/definitions.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/loops/natural_loops.hpp>

using namespace midend_tests;

TEST_CASE("definitions: dominance on a diamond with a tail and an unreachable node") {
  const definitions facts(test_graph{"", 6, 0, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {5, 3}}});
  CHECK(facts.num_reachable() == 5);
  CHECK(facts.dominates(0, 3));
  CHECK(facts.dominates(3, 4));
  CHECK(facts.dominates(1, 1));
  CHECK_FALSE(facts.dominates(1, 3));
  CHECK_FALSE(facts.dominates(5, 3));
  CHECK_FALSE(facts.dominates(5, 5));
  CHECK(facts.immediate_dominator(3) == 0);
  CHECK(facts.immediate_dominator(4) == 3);
  CHECK(facts.immediate_dominator(0) == no_node);
  CHECK(facts.immediate_dominator(5) == no_node);
}

TEST_CASE("definitions: reducibility") {
  CHECK(definitions(test_graph{"", 3, 0, {{0, 1}, {1, 2}, {2, 1}}}).is_reducible());
  CHECK_FALSE(definitions(test_graph{"", 3, 0, {{0, 1}, {0, 2}, {1, 2}, {2, 1}}}).is_reducible());
  CHECK_MESSAGE(definitions(test_graph{"", 4, 0, {{0, 1}, {3, 2}, {2, 3}, {3, 1}}}).is_reducible(),
                "unreachable cycles do not count");
}

TEST_CASE("definitions: an endless loop beside an exit is not in the loop around it") {
  const auto loops = definitions(test_graph{"", 5, 0, {{0, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 3}, {3, 3}}}).loops();
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].blocks == std::vector<node_id>{1, 2});
  CHECK(loops[0].exit_blocks == std::vector<node_id>{3, 4});
  CHECK_FALSE(loops[0].has_dedicated_exits); // 3 is its own predecessor
  CHECK(loops[0].preheader == 0);
  CHECK(loops[1].blocks == std::vector<node_id>{3});
  CHECK(loops[1].is_statically_infinite);
  CHECK(loops[1].has_dedicated_exits);
  CHECK(loops[1].parent_header == no_node);
  CHECK(loops[1].preheader == no_node);
}

// The comparisons must be able to fail: an answer for one graph is none for a graph with one edge more.
TEST_CASE("definitions: the comparisons see a wrong answer") {
  const test_graph right{"", 4, 0, {{0, 1}, {1, 2}, {2, 1}, {2, 3}}};
  const test_graph other{"", 4, 0, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}}};
  const auto g = make_csr(right);
  const auto tree = midend::dominators(g);
  const auto forest = midend::natural_loops(g, tree);
  const auto components = midend::strongly_connected_components(g);
  const auto order = midend::depth_first_order(g);
  CHECK(difference(tree, definitions(right)).empty());
  CHECK(difference(forest, tree, definitions(right)).empty());
  CHECK(difference(components, definitions(right)).empty());
  CHECK(difference(order, definitions(right)).empty());
  CHECK_FALSE(difference(tree, definitions(other)).empty());
  CHECK_FALSE(difference(forest, tree, definitions(other)).empty());
  const test_graph acyclic{"", 4, 0, {{0, 1}, {1, 2}, {2, 3}}};
  CHECK_FALSE(difference(components, definitions(acyclic)).empty());
  const test_graph unreached{"", 4, 0, {{0, 1}, {1, 2}, {2, 1}}};
  CHECK_FALSE(difference(order, definitions(unreached)).empty());
}
