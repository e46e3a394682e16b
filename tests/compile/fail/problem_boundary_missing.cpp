// expect: has_boundary_fact
#include "midend/dataflow/lattices/boolean.hpp"
#include "midend/dataflow/solve.hpp"

struct problem {
  static constexpr auto direction = midend::flow_direction::forward;

  midend::boolean lattice() const { return {}; }

#ifdef MIDEND_FIXED
  bool boundary(midend::node_id) const { return true; }
#endif

  void transfer(midend::node_id, bool&) const {}
};

void use() {
  static_cast<void>(midend::solve(midend::csr_graph(), problem{}));
}
