// expect: readable_graph|has_num_nodes
#include "midend/midend.hpp"

#include <vector>

struct function {
#ifdef MIDEND_FIXED
  std::size_t num_nodes() const { return 0; }

  midend::node_id entry() const { return 0; }
#endif
  std::vector<midend::node_id> successors(midend::node_id) const { return {}; }
};

void use() {
  static_cast<void>(midend::csr_graph(function{}));
}
