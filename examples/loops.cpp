// loops: what a loop forest answers.
#include <midend/midend.hpp>

#include <cstdio>
#include <vector>

using midend::loop_edge;
using midend::loop_id;
using midend::node_id;

static void print(const char* what, const auto& nodes) {
  std::printf("  %s:", what);
  for (const node_id n : nodes) {
    std::printf(" %u", n);
  }
  std::printf("\n");
}

int main() {
  // The graph `nested` of the documents: block 2 leaves both loops at once, block 3 the inner one.
  const std::vector<midend::edge> list{{0, 1}, {1, 2}, {2, 3}, {2, 5}, {3, 2}, {3, 4}, {4, 6}, {6, 1}, {6, 5}};
  const midend::csr_graph g = midend::csr_graph::from_edges(7, 0, list).value();

  // [queries]
  const midend::loop_forest loops = midend::natural_loops(g, midend::dominators(g));
  for (const loop_id l : loops.loops()) {
    std::printf("loop of block %u, depth %u\n", loops.header(l), loops.depth(l));
    print("blocks", loops.blocks(l));
    print("blocks in no inner loop", loops.own_blocks(l));
    print("latches", loops.latches(l));
    print("entering blocks", loops.entering_blocks(l));
    if (loops.preheader(l) != midend::no_node) {
      std::printf("  preheader: %u\n", loops.preheader(l));
    }
    for (const loop_edge& e : loops.exiting_edges(l)) {
      std::printf("  exit by edge %u: %u -> %u\n", e.id, e.source, e.target);
    }
    print("exit blocks", loops.exit_blocks(l));
    std::printf("  dedicated exits: %s\n", loops.has_dedicated_exits(l) ? "yes" : "no");
  }
  const loop_id inner = loops.innermost_loop(3);
  std::printf("loops around block 3: %u; block 4 is in the inner one: %d\n", loops.loop_depth(3),
              loops.contains(inner, 4));
  // [end]
}
