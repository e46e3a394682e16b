// What docs/cycles.md says about loops by retreating edges: they are the cycles of the same search, also where no
// natural loop is.
#include "kit/affordable.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/loops/is_reducible.hpp>
#include <midend/loops/natural_loops.hpp>

#include <set>
#include <vector>

using namespace midend_tests;

namespace {

/// The targets of retreating edges: what a compiler counts that compares numbers in reverse postorder.
std::set<node_id> retreating_targets(const midend::csr_graph& g) {
  const auto order = midend::depth_first_order(g);
  std::set<node_id> out;
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    for (const node_id target : g.successors(n)) {
      if (order.is_reachable(n) && order.postorder_number(n) <= order.postorder_number(target)) {
        out.insert(target);
      }
    }
  }
  return out;
}

} // namespace

TEST_CASE("cycles: one for each target of retreating edges, on any graph") {
  random_source random(5);
  std::size_t lost = 0; // blocks of cycles that are in no natural loop
  for (std::size_t i = 0; i != affordable(2000); ++i) {
    CAPTURE(i);
    const midend::csr_graph g = make_csr(i % 2 == 0 ? random_irreducible(random, 4 + random.below(20))
                                                    : random_reducible(random, 1 + random.below(20)));
    const midend::cycle_forest cycles = midend::cycles(g, midend::first_to_last);
    std::set<node_id> headers;
    for (const midend::cycle_id c : cycles.cycles()) {
      headers.insert(cycles.header(c));
    }
    CHECK(headers == retreating_targets(g));
    const auto loops = midend::natural_loops(g, midend::dominators(g));
    const bool reducible = midend::is_reducible(g);
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      CHECK(loops.loop_depth(n) <= cycles.cycle_depth(n));
      CHECK((!reducible || loops.loop_depth(n) == cycles.cycle_depth(n)));
      lost += loops.loop_depth(n) == 0 && cycles.cycle_depth(n) != 0;
    }
  }
  CHECK(lost >= affordable(2000));
}
