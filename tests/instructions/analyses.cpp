// analyses FILE.cfg ANALYSIS ROUNDS: runs an analysis on each function of a file, ROUNDS times, with memory that is
// kept between calls, and prints how many blocks a round has. instructions.sh counts what it executes.
#include "corpus/corpus.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/loops/dominators_and_loops.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

/// Uses a result, so that the compiler does not leave it out.
template <class T> void use(const T& result) {
  asm volatile("" : : "r"(&result) : "memory");
}

struct kept_memory {
  midend::dominators_workspace dominators;
  midend::dominator_tree tree;
  midend::flat_array<midend::node_id> parents;
  midend::dominators_and_loops_workspace dominators_and_loops;
  midend::dominators_and_loops_result tree_and_loops;
  midend::strongly_connected_components_workspace components;
  midend::component_partition partition;
  midend::cycles_workspace cycles;
  midend::cycle_forest forest;
};

/// False if there is no such analysis.
bool analyse(const midend::csr_graph& g, std::string_view analysis, kept_memory& kept) {
  if (analysis == "dominators") {
    dominators(g, midend::semi_nca, kept.dominators, kept.tree);
  } else if (analysis == "dominators-by-value") {
    use(dominators(g));
  } else if (analysis == "immediate-dominators") {
    immediate_dominators(g, midend::semi_nca, kept.dominators, kept.parents);
  } else if (analysis == "post-dominators-by-value") {
    use(post_dominators(g));
  } else if (analysis == "components") {
    strongly_connected_components(g, kept.components, kept.partition);
  } else if (analysis == "cycles") {
    cycles(g, kept.cycles, kept.forest);
  } else if (analysis == "dominators-and-loops") {
    dominators_and_loops(g, kept.dominators_and_loops, kept.tree_and_loops);
  } else {
    return false;
  }
  return true;
}

} // namespace

int main(int count, char** arguments) {
  std::vector<midend_corpus::cfg_function> functions;
  if (count != 4 || midend_corpus::read_cfg(arguments[1], functions)) {
    return EXIT_FAILURE;
  }
  std::vector<midend::csr_graph> graphs;
  std::size_t blocks = 0;
  for (const midend_corpus::cfg_function& f : functions) {
    graphs.emplace_back(f);
    blocks += f.num_nodes();
  }
  kept_memory kept;
  for (int round = std::atoi(arguments[3]); round > 0; --round) {
    for (const midend::csr_graph& g : graphs) {
      if (!analyse(g, arguments[2], kept)) {
        return EXIT_FAILURE;
      }
    }
  }
  std::printf("%zu\n", blocks);
}
