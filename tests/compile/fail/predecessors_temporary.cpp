// expect: predecessor_iterators_outlive_the_range
#include "midend/midend.hpp"

#include <span>
#include <vector>

struct view {
  std::size_t num_nodes() const { return 0; }

  midend::node_id entry() const { return 0; }

  std::span<const midend::node_id> successors(midend::node_id) const { return {}; }
#ifdef MIDEND_FIXED
  std::span<const midend::node_id> predecessors(midend::node_id) const { return {}; }
#else
  std::vector<midend::node_id> predecessors(midend::node_id) const { return {}; }
#endif
};

void needs_predecessors(const midend::bidirectional_flow_graph_argument auto&) {}

void use() {
  needs_predecessors(view{});
}
