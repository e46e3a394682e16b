// first: no matching function|call to deleted|constraints not satisfied
// expect: has_node_counts
#include "midend/ir/profile.hpp"

#include "midend/graph/csr_graph.hpp"

#include <optional>
#include <span>

using list = std::span<const std::uint32_t>;

struct view {

#ifdef MIDEND_FIXED
  std::optional<std::uint64_t> count(midend::node_id) const { return {}; }
#endif

  double probability(midend::edge_id) const { return -1; }

  void set_count(midend::node_id, std::optional<std::uint64_t>) {}

  void set_probability(midend::edge_id, double) {}
};

template <midend::profile_editor IR> void take(const IR&) {}

void use() {
  take(view{});
}
