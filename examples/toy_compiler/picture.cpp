#include "lower.hpp"
#include "sum.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/viz/dot.hpp>

#include <cstdio>

int main() {
  const code c = compiled(parser(sum).read());
  const midend::csr_graph g(c.cfg);
  const midend::dominator_tree tree = midend::dominators(g);
  const midend::loop_forest loops = midend::natural_loops(g, tree);
  std::fprintf(stderr, "%zu nodes, %zu loop with header n%u\n", g.num_nodes(), loops.num_loops(), loops.header(0));
  std::printf("%s", midend::to_dot(g, tree, loops, {.title = "sum"}).c_str());
}
