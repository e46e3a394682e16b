// expect: has_lattice
#include "midend/dataflow/lattices/boolean.hpp"
#include "midend/dataflow/solve.hpp"

struct problem {
  static constexpr auto direction = midend::flow_direction::forward;

#ifdef MIDEND_FIXED
  midend::boolean lattice() const { return {}; }
#endif

  bool boundary(midend::node_id) const { return true; }

  void transfer(midend::node_id, bool&) const {}
};

void use() {
  static_cast<void>(midend::solve(midend::csr_graph(), problem{}));
}
