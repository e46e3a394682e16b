// expect: has_num_nodes
#include "midend/dataflow/live_variables.hpp"

#include <span>

using list = std::span<const std::uint32_t>;

struct view {
#ifdef MIDEND_FIXED
  midend::csr_graph graph() const { return {}; }
#else
  int graph() const { return 0; }
#endif
  std::size_t num_statements() const { return 0; }

  list statements(midend::node_id) const { return {}; }

  std::size_t num_variables() const { return 0; }

  list definitions(midend::statement_id) const { return {}; }

  list uses(midend::statement_id) const { return {}; }
};

void use() {
  static_cast<void>(midend::live_variables(view{}));
}
