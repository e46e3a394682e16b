// expect: can_replace_uses
#include "midend/ssa/construct_ssa.hpp"

#include "midend/graph/csr_graph.hpp"

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

  midend::value_id rename_definition(midend::statement_id, midend::variable_id) { return 0; }

  midend::value_id undefined_value(midend::variable_id) { return 0; }

#ifdef MIDEND_FIXED
  void replace_uses(midend::value_id, midend::value_id) {}
#endif

  void erase_value(midend::value_id) {}
};

void use() {
  view editor;
  static_cast<void>(midend::construct_ssa(editor, midend::agreeing_phis::remove));
}
