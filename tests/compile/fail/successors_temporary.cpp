// expect: successor_iterators_outlive_the_range
// Iterators into the temporary vector would dangle; csr_graph reads each range once and takes such a graph.
#include "midend/midend.hpp"

#include <vector>

struct view {
  std::size_t num_nodes() const { return 0; }

  midend::node_id entry() const { return 0; }

  std::vector<midend::node_id> successors(midend::node_id) const { return {}; }
};

#ifdef MIDEND_FIXED
void use() {
  static_cast<void>(midend::dominators(midend::csr_graph(view{})));
}
#else
void use() {
  static_cast<void>(midend::dominators(view{}));
}
#endif
