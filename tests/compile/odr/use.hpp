// Included by both translation units, which are compiled with and without contract checks: the same inline functions
// and instantiations in both, which must not be mistaken for each other by the linker.
#include "everything.hpp"

#include <span>

static unsigned use_everything() {
  static constexpr midend::edge edges[] = {{0, 1}, {1, 2}, {2, 1}, {2, 3}};
  const auto graph = midend::csr_graph::from_edges(4, 0, edges);
  const auto dom = midend::dominators(*graph);
  const auto loops = midend::natural_loops(*graph, dom);
  const auto components = midend::strongly_connected_components(*graph);
  return 100 * static_cast<unsigned>(loops.num_loops()) + 10 * static_cast<unsigned>(dom.immediate_dominator(3)) +
         static_cast<unsigned>(components.num_components());
}
