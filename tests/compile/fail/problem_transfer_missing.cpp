// expect: has_transfer|has_node_transfer
#include "midend/dataflow/lattices/boolean.hpp"
#include "midend/dataflow/solve.hpp"

struct problem {
  static constexpr auto direction = midend::flow_direction::forward;

  midend::boolean lattice() const { return {}; }

  bool boundary(midend::node_id) const { return true; }

#ifdef MIDEND_FIXED
  void transfer(midend::node_id, bool&) const {}
#endif
};

void use() {
  static_cast<void>(midend::solve(midend::csr_graph(), problem{}));
}
