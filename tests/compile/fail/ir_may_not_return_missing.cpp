// first: no matching function|call to deleted|constraints not satisfied
// expect: has_may_not_return
#include "midend/ir/effects.hpp"

#include "midend/graph/csr_graph.hpp"

#include <optional>
#include <span>

using list = std::span<const std::uint32_t>;

struct view {
  midend::csr_graph graph() const { return {}; }

  std::size_t num_values() const { return 0; }

  list operands(midend::value_id) const { return {}; }

  bool is_phi(midend::value_id) const { return false; }

  list values(midend::node_id) const { return {}; }

  midend::value_id phi_input(midend::value_id, midend::edge_id) const { return 0; }

  midend::value_id condition(midend::node_id) const { return midend::no_value; }

  midend::effect_kind effect(midend::value_id) const { return {}; }

  bool may_trap(midend::value_id) const { return false; }

#ifdef MIDEND_FIXED
  bool may_not_return(midend::value_id) const { return false; }
#endif

  bool may_duplicate(midend::value_id) const { return true; }

  bool is_volatile(midend::value_id) const { return false; }

  bool is_terminator(midend::value_id) const { return false; }
};

template <midend::effect_ir IR> void take(const IR&) {}

void use() {
  take(view{});
}
