// The generators generate what they promise.
#include "kit/test_graph.hpp"

#include "kit/definitions.hpp"

#include <doctest/doctest.h>

using namespace midend_tests;

TEST_CASE("generators: reducible graphs are, irreducible ones are not, and each has the size asked for") {
  random_source random(1);
  std::size_t with_loops = 0;
  std::size_t with_unreachable = 0;
  for (std::size_t nodes = 5; nodes != 105; ++nodes) {
    const test_graph reducible = random_reducible(random, nodes);
    const test_graph irreducible = random_irreducible(random, nodes);
    const definitions facts(reducible);
    CHECK_MESSAGE(facts.is_reducible(), to_string(reducible));
    CHECK_MESSAGE(!definitions(irreducible).is_reducible(), to_string(irreducible));
    CHECK(reducible.num_nodes == nodes);
    CHECK(irreducible.num_nodes == nodes);
    with_loops += facts.loops().empty() ? 0 : 1;
    with_unreachable += facts.num_reachable() != nodes ? 1 : 0;
  }
  CHECK(with_loops > 80);
  CHECK(with_unreachable > 50);
}

TEST_CASE("generators: the same numbers each time") {
  random_source a(7);
  random_source b(7);
  const test_graph first = random_irreducible(a, 30);
  const test_graph second = random_irreducible(b, 30);
  CHECK(first.edges == second.edges);
  CHECK(first.entry == second.entry);
  // The first outputs of splitmix64 from 1234567, as its author's reference implementation (Vigna) gives them.
  random_source reference(1234567);
  CHECK(reference.next() == 6457827717110365317u);
  CHECK(reference.next() == 3203168211198807973u);
  CHECK(reference.next() == 9817491932198370423u);
}

TEST_CASE("generators: all digraphs of two nodes from each root") {
  std::size_t graphs = 0;
  std::size_t edges = 0;
  for_each_digraph(2, [&](const bit_graph& g) {
    ++graphs;
    edges += to_test_graph(g).edges.size();
    for (const edge e : to_test_graph(g).edges) {
      CHECK(g.has_edge(e.source, e.target));
    }
  });
  CHECK(graphs == 16 * 2);
  CHECK(edges == 2 * 4 * 8); // each of the four edges is in half of the graphs
}
