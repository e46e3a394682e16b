// expect: has_edges
// expect: edge_target
#include "midend/midend.hpp"

#include <span>

struct view {
  std::size_t num_nodes() const { return 0; }

  midend::node_id entry() const { return 0; }

  std::span<const midend::node_id> successors(midend::node_id) const { return {}; }

  std::size_t num_edges() const { return 0; }

  std::span<const midend::edge_id> out_edges(midend::node_id) const { return {}; }

  midend::node_id edge_source(midend::edge_id) const { return 0; }
#ifdef MIDEND_FIXED
  midend::node_id edge_target(midend::edge_id) const { return 0; }
#endif
};

void needs_edges(const midend::edge_indexed_flow_graph_argument auto&) {}

void use() {
  needs_edges(view{});
}
