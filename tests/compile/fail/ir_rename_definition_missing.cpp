// expect: can_rename_definitions
#include "midend/ssa/construct_ssa.hpp"

#include "midend/graph/csr_graph.hpp"

#include <optional>
#include <span>

using list = std::span<const std::uint32_t>;

struct view {
  midend::csr_graph graph() const { return {}; }

  std::size_t num_statements() const { return 0; }

  list statements(midend::node_id) const { return {}; }

  std::size_t num_variables() const { return 0; }

  list definitions(midend::statement_id) const { return {}; }

  list uses(midend::statement_id) const { return {}; }

  midend::value_id insert_variable_phi(midend::node_id, midend::variable_id) { return 0; }

  void set_phi_input(midend::value_id, midend::edge_id, midend::value_id) {}

  void rename_use(midend::statement_id, midend::variable_id, midend::value_id) {}

#ifdef MIDEND_FIXED
  midend::value_id rename_definition(midend::statement_id, midend::variable_id) { return 0; }
#endif
  midend::value_id undefined_value(midend::variable_id) { return 0; }
};

void use() {
  view editor;
  static_cast<void>(midend::construct_ssa(editor));
}
