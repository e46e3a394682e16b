// loop_forms: which canonical form a loop is in, what it lacks, where its guard is, and why a cycle is not a loop.
#include <midend/midend.hpp>

#include <midend/loops/cycles.hpp>
#include <midend/loops/explain_irreducible.hpp>
#include <midend/loops/explain_loop_form.hpp>
#include <midend/loops/loop_forms.hpp>
#include <midend/loops/loop_guard.hpp>
#include <midend/viz/explanations.hpp>

#include <cstdio>
#include <string>
#include <vector>

using midend::csr_graph;
using midend::edge;
using midend::loop_id;
using midend::node_id;

static csr_graph graph(std::size_t nodes, const std::vector<edge>& edges) {
  return csr_graph::from_edges(nodes, 0, edges).value();
}

static void predicates() {
  // while (1) { 2; if … { 4; break } 3 } 5.
  const csr_graph g = graph(6, {{0, 1}, {1, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 1}, {4, 5}});
  // [predicates]
  const midend::loop_forest loops = midend::natural_loops(g, midend::dominators(g));
  const loop_id l = loops.innermost_loop(2);
  std::printf("preheader: %d\n", midend::has_preheader(g, loops, l));
  std::printf("single latch: %d\n", midend::has_single_latch(g, loops, l));
  std::printf("dedicated exits: %d\n", midend::has_dedicated_exits(g, loops, l));
  std::printf("loop-simplify form: %d\n", midend::is_loop_simplify_form(g, loops, l));
  std::printf("rotated: %d, tests in the header: %d\n", midend::is_rotated(g, loops, l),
              midend::tests_in_header(g, loops, l));
  std::printf("LCSSA-ready: %d\n", midend::is_lcssa_ready(g, loops, l));
  // [end]
}

static void obstacles() {
  const csr_graph g = graph(6, {{0, 1}, {1, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 1}, {4, 5}});
  // [obstacles]
  const midend::dominator_tree tree = midend::dominators(g);
  const midend::loop_forest loops = midend::natural_loops(g, tree);
  const midend::loop_form_explanation why = midend::explain_loop_form(g, tree, loops, 0);
  for (const midend::loop_form_obstacle& o : why.obstacles()) {
    if (o.why == midend::loop_form_obstacle::reason::exit_shared_with_outside) {
      std::printf("split the edges from the loop to %u: %u comes there too\n", o.node, o.other);
    }
  }
  const char* const names[] = {"entry", "while.cond", "while.body", "if.end", "if.then", "while.end"};
  std::fputs(midend::to_text(why, names).c_str(), stdout);
  // [end]
}

static void guard() {
  // if (0) { 1: preheader; do 2 while; 3: exit, 4 } 5.
  const csr_graph g = graph(6, {{0, 1}, {0, 5}, {1, 2}, {2, 2}, {2, 3}, {3, 4}, {4, 5}});
  const midend::loop_forest loops = midend::natural_loops(g, midend::dominators(g));
  // [guard]
  const auto is_empty = [](node_id block) { return block == 4; }; // the IR knows: nothing but a jump
  if (const auto guard = midend::find_loop_guard(g, loops, 0, is_empty)) {
    std::printf("%u branches to the preheader, %u, or past the loop, to %u\n", guard->block, guard->preheader,
                guard->after);
  }
  // [end]
}

static void irreducible() {
  const csr_graph g = graph(7, {{0, 1}, {0, 2}, {1, 4}, {2, 3}, {3, 4}, {4, 3}, {4, 5}, {5, 5}, {5, 6}});
  // [irreducible]
  const midend::cycle_forest cycles = midend::cycles(g);
  for (const midend::cycle_id c : cycles.cycles()) {
    const midend::irreducible_explanation why = midend::explain_irreducible(g, cycles, c);
    std::fputs(midend::to_text(why).c_str(), stdout);
  }
  // [end]
}

int main() {
  predicates();
  obstacles();
  guard();
  irreducible();
}
