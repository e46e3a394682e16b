// first: no matching function|call to deleted|constraints not satisfied
// expect: has_value_after
#include "midend/ir/editing.hpp"

#include "midend/graph/csr_graph.hpp"

#include <optional>
#include <span>

using list = std::span<const std::uint32_t>;

struct view {

  midend::node_id node_of(midend::value_id) const { return 0; }

#ifdef MIDEND_FIXED
  midend::value_id value_after(midend::value_id) const { return 0; }
#endif
};

template <midend::places_values IR> void take(const IR&) {}

void use() {
  take(view{});
}
