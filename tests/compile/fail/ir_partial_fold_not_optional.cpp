// expect: `fold` of an IR with unknown operands would never be called
#include "midend/ir/semantics.hpp"

#include "midend/graph/csr_graph.hpp"

#include <optional>
#include <span>

using list = std::span<const std::uint32_t>;

struct view {
  using constant_type = std::uint64_t;

  midend::csr_graph graph() const { return {}; }

  std::size_t num_values() const { return 0; }

  list operands(midend::value_id) const { return {}; }

  bool is_phi(midend::value_id) const { return false; }

  list values(midend::node_id) const { return {}; }

  midend::value_id phi_input(midend::value_id, midend::edge_id) const { return 0; }

  midend::value_id condition(midend::node_id) const { return midend::no_value; }

  midend::operation_info operation(midend::value_id) const { return {}; }

  std::optional<std::uint64_t> constant(midend::value_id) const { return {}; }

  std::optional<std::uint64_t> fold(midend::value_id, std::span<const std::uint64_t>) const { return {}; }

  std::optional<std::uint64_t> edge_case(midend::edge_id) const { return {}; }

  using partial = std::span<const std::optional<std::uint64_t>>;

#ifdef MIDEND_FIXED
  std::optional<std::uint64_t> fold(midend::value_id, partial) const { return {}; }
#else
  std::uint64_t fold(midend::value_id, partial) const { return {}; }
#endif
};

template <midend::semantic_ir_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
