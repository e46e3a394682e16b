// The flat copies of the functions of a set, which midend's analyses and the ruler share: both read the same arrays at
// the same places in memory.
#pragma once

#include "datasets.hpp"

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

} // namespace midend_benchmarks
