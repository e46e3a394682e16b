// The flat copies of the functions of a set, which midend's analyses and the ruler share: both read the same arrays at
// the same places in memory; and their dominator trees, for analyses that start from these.
#pragma once

#include "datasets.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>

#include <vector>

namespace midend_benchmarks {

struct csr_graphs {
  explicit csr_graphs(const dataset& d) {
    graphs.reserve(d.functions().size());
    for (const flat_function& f : d.functions()) {
      graphs.emplace_back(f);
    }
  }

  std::vector<midend::csr_graph> graphs;
};

struct dominator_trees {
  explicit dominator_trees(const dataset& d) {
    trees.reserve(d.functions().size());
    for (const midend::csr_graph& g : d.shared<csr_graphs>().graphs) {
      trees.push_back(midend::dominators(g));
    }
  }

  std::vector<midend::dominator_tree> trees;
};

} // namespace midend_benchmarks
