// expect: has_expression_operands
#include "midend/dataflow/available_expressions.hpp"

#include <span>

using list = std::span<const std::uint32_t>;

struct view {
  midend::csr_graph graph() const { return {}; }

  std::size_t num_statements() const { return 0; }

  list statements(midend::node_id) const { return {}; }

  std::size_t num_variables() const { return 0; }

  list definitions(midend::statement_id) const { return {}; }

  list uses(midend::statement_id) const { return {}; }

  std::size_t num_expressions() const { return 0; }

  midend::expression_id expression(midend::statement_id) const { return midend::no_expression; }
#ifdef MIDEND_FIXED
  list expression_operands(midend::expression_id) const { return {}; }
#endif
};

void use() {
  static_cast<void>(midend::available_expressions(view{}));
}
