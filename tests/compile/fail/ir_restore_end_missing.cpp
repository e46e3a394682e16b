// first: no matching function|call to deleted|constraints not satisfied
// expect: can_restore_ends
#include "midend/ir/editing.hpp"

#include "midend/graph/csr_graph.hpp"

#include <optional>
#include <span>

using list = std::span<const std::uint32_t>;

struct view {

  void restore_value(midend::value_id, midend::place, std::span<const midend::value_id>) {}

#ifdef MIDEND_FIXED
  void restore_end(midend::value_id, midend::node_id, list, list, list) {}
#endif

  void restore_node(midend::node_id) {}

  std::uint64_t promises(midend::value_id) const { return 0; }

  void set_promises(midend::value_id, std::uint64_t) {}
};

template <midend::restoring_editor IR> void take(const IR&) {}

void use() {
  take(view{});
}
