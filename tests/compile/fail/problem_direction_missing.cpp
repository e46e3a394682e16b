// expect: has_direction
#include "midend/dataflow/lattices/boolean.hpp"
#include "midend/dataflow/solve.hpp"

struct problem {
#ifdef MIDEND_FIXED
  static constexpr auto direction = midend::flow_direction::forward;
#endif

  midend::boolean lattice() const { return {}; }

  bool boundary(midend::node_id) const { return true; }

  void transfer(midend::node_id, bool&) const {}
};

void use() {
  static_cast<void>(midend::solve(midend::csr_graph(), problem{}));
}
