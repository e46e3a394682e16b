// first: no matching function|call to deleted|constraints not satisfied
// expect: can_set_probabilities
#include "midend/ir/profile.hpp"

#include "midend/graph/csr_graph.hpp"

#include <optional>
#include <span>

using list = std::span<const std::uint32_t>;

struct view {

  std::optional<std::uint64_t> count(midend::node_id) const { return {}; }

  double probability(midend::edge_id) const { return -1; }

  void set_count(midend::node_id, std::optional<std::uint64_t>) {}

#ifdef MIDEND_FIXED
  void set_probability(midend::edge_id, double) {}
#endif
};

template <midend::profile_editor IR> void take(const IR&) {}

void use() {
  take(view{});
}
