// expect: has_entry
#include "midend/midend.hpp"

#include <span>

struct view {
  std::size_t num_nodes() const { return 0; }
#ifdef MIDEND_FIXED
  midend::node_id entry() const { return 0; }
#endif
  std::span<const midend::node_id> successors(midend::node_id) const { return {}; }
};

void use() {
  static_cast<void>(midend::dominators(view{}));
}
