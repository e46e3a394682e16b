// expect: has_condition
#include "midend/ir/ssa.hpp"

#include "midend/graph/csr_graph.hpp"

#include <optional>
#include <span>

using list = std::span<const std::uint32_t>;

struct view {
  midend::csr_graph graph() const { return {}; }

  std::size_t num_values() const { return 0; }

  list operands(midend::value_id) const { return {}; }

  bool is_phi(midend::value_id) const { return false; }

  list values(midend::node_id) const { return {}; }

  midend::value_id phi_input(midend::value_id, midend::edge_id) const { return 0; }

#ifdef MIDEND_FIXED
  midend::value_id condition(midend::node_id) const { return midend::no_value; }
#endif
};

template <midend::ssa_ir_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
