// expect: operand_operations` of an IR would never be called
#include "midend/ir/editing.hpp"

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

  midend::value_id insert_phi(midend::node_id, midend::value_id) { return 0; }

  void set_phi_input(midend::value_id, midend::edge_id, midend::value_id) {}

  void replace_uses(midend::value_id, midend::value_id) {}

  void erase_value(midend::value_id) {}

  midend::value_id clone_value(midend::value_id, midend::node_id) { return 0; }

  midend::value_id make_constant(midend::value_id, std::uint64_t) { return 0; }

#ifdef MIDEND_FIXED
  list operand_operations(midend::value_id) const { return {}; }
#else
  void operand_operations(midend::value_id) const {}
#endif

  midend::node_id create_node(midend::node_id) { return 0; }

  void redirect_edge(midend::edge_id, midend::node_id) {}

  void set_jump(midend::node_id, midend::node_id) {}

  void keep_edge(midend::edge_id) {}

  void erase_nodes(std::span<const midend::node_id>) {}
};

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
