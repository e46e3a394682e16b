// expect: needs .midend::value_id condition\(midend::node_id
// expect: has_condition
#include "midend/ssa/check_ir.hpp"

#include "midend/graph/csr_graph.hpp"

#include <span>

using list = std::span<const std::uint32_t>;

// It must not pass as a view of the values rung alone.
struct view {
  midend::csr_graph g;

  const midend::csr_graph& graph() const { return g; }

  std::size_t num_values() const { return 0; }

  list operands(midend::value_id) const { return {}; }

  bool is_phi(midend::value_id) const { return false; }

  list values(midend::node_id) const { return {}; }

  midend::value_id phi_input(midend::value_id, midend::edge_id) const { return 0; }

#ifdef MIDEND_FIXED
  midend::value_id condition(midend::node_id) const { return midend::no_value; }
#endif
};

bool use() {
  return midend::check_ir(view{}).has_value();
}
