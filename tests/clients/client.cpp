// The program of every client project: a function of its own kind, a view of it, dominators and loops.
#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/version.hpp>

#include <cstdio>
#include <vector>

struct my_function {
  std::vector<std::vector<unsigned>> blocks;
};

struct my_cfg {
  const my_function* f;

  std::size_t num_nodes() const { return f->blocks.size(); }

  midend::node_id entry() const { return 0; }

  const std::vector<unsigned>& successors(midend::node_id n) const { return f->blocks[n]; }
};

int main() {
  const my_function f{{{1}, {2, 3}, {1}, {}}}; // a while loop
  const midend::csr_graph g{my_cfg{&f}};
  const auto dom = midend::dominators(g);
  const auto loops = midend::natural_loops(g, dom);
  std::printf("midend %d.%d.%d: %u loop, headed by %u, block 3 dominated by %u\n", MIDEND_VERSION_MAJOR,
              MIDEND_VERSION_MINOR, MIDEND_VERSION_PATCH, static_cast<unsigned>(loops.num_loops()),
              static_cast<unsigned>(loops.header(0)), static_cast<unsigned>(dom.immediate_dominator(3)));
  return loops.num_loops() == 1 && loops.header(0) == 1 && dom.immediate_dominator(3) == 1 ? 0 : 1;
}
