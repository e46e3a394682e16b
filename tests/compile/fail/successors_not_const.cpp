// expect: has_successors
#include "midend/midend.hpp"

#include <span>

struct view {
  std::size_t num_nodes() const { return 0; }

  midend::node_id entry() const { return 0; }
#ifdef MIDEND_FIXED
  std::span<const midend::node_id> successors(midend::node_id) const { return {}; }
#else
  std::span<const midend::node_id> successors(midend::node_id) { return {}; }
#endif
};

void use() {
  static_cast<void>(midend::dominators(view{}));
}
