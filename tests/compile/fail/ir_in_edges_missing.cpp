// expect: graph_has_in_edges
#include "midend/ssa/construct_ssa_on_the_fly.hpp"

#include "midend/graph/csr_graph.hpp"

#include <optional>
#include <span>

using list = std::span<const std::uint32_t>;

struct graph_without_in_edges {
  std::size_t num_nodes() const { return 0; }

  midend::node_id entry() const { return 0; }

  list successors(midend::node_id) const { return {}; }

  std::size_t num_edges() const { return 0; }

  list out_edges(midend::node_id) const { return {}; }

  midend::node_id edge_source(midend::edge_id) const { return 0; }

  midend::node_id edge_target(midend::edge_id) const { return 0; }
};

struct view {
#ifdef MIDEND_FIXED
  midend::csr_graph graph() const { return {}; }
#else
  graph_without_in_edges graph() const { return {}; }
#endif
  std::size_t num_statements() const { return 0; }

  list statements(midend::node_id) const { return {}; }

  std::size_t num_variables() const { return 0; }

  list definitions(midend::statement_id) const { return {}; }

  list uses(midend::statement_id) const { return {}; }

  midend::value_id insert_variable_phi(midend::node_id, midend::variable_id) { return 0; }

  void set_phi_input(midend::value_id, midend::edge_id, midend::value_id) {}

  void rename_use(midend::statement_id, midend::variable_id, midend::value_id) {}

  midend::value_id rename_definition(midend::statement_id, midend::variable_id) { return 0; }

  midend::value_id undefined_value(midend::variable_id) { return 0; }

  void replace_uses(midend::value_id, midend::value_id) {}

  void erase_value(midend::value_id) {}
};

void use() {
  view editor;
  static_cast<void>(midend::construct_ssa_on_the_fly(editor));
}
