// What one writes naturally in the cost rung, in the statements rung and in editors. Views of the Elbrus-like IR, with
// one member that hides the right one.
// mistake guard_alone: unguarded
// mistake guard_returns_a_value: midend::guard_of_value guard
// mistake probability_not_const: double probability
// mistake probability_by_nodes: double probability
// mistake trip_hints_as_a_number: midend::loop_hints trip_hints
// mistake must_end_not_const: bool must_end
// mistake assumed_as_a_bit: midend::value_id assumed
// mistake constant_memory_as_a_number: std::optional<midend::number_range> constant_memory
// mistake low_sum_as_a_number: std::optional<midend::sum_of_low_bits> low_sum
// mistake identity_is_a_name: std::uint32_t identity
// mistake may_reassociate_returns_nothing: bool may_reassociate
// mistake cost_as_a_number: std::optional<midend::operation_class> cost
// mistake memory_not_const: std::optional<midend::memory_reference> memory
// mistake effect_says_yes_or_no: midend::effect_kind effect
// mistake may_definitions_not_const: may_definitions\(midend::statement_id s\) const
// mistake may_definitions_is_one_variable: `may_definitions\(s\)` of an IR must return a range
// mistake definitions_is_one_variable: `definitions\(s\)` of an IR must return a range
// mistake statements_of_pointers: `statements\(n\)` of an IR must return a range
// mistake num_variables_not_const: std::size_t num_variables\(\) const
// mistake insert_variable_phi_returns_nothing: midend::value_id insert_variable_phi
// mistake rename_use_without_value: void rename_use
// mistake undefined_value_without_variable: midend::value_id undefined_value
#include "midend/dataflow/live_variables.hpp"
#include "midend/elbrus/views/cost_view.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/induction/plain_trip_counter.hpp"
#include "midend/ssa/construct_ssa.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

using midend::edge_id;
using midend::node_id;
using midend::statement_id;
using midend::value_id;
using midend::variable_id;

struct costs : midend::elbrus::cost_view {
#if defined(MISTAKE_guard_alone)
  midend::guard_of_value guard(value_id) const { return {}; }

  void unguarded() const {}
#elif defined(MISTAKE_guard_returns_a_value)
  value_id guard(value_id) const { return midend::no_value; }
#elif defined(MISTAKE_probability_not_const)
  double probability(edge_id) { return 0.5; }
#elif defined(MISTAKE_probability_by_nodes)
  double probability(node_id, node_id) const { return 0.5; }
#elif defined(MISTAKE_trip_hints_as_a_number)
  double trip_hints(node_id) const { return 10; }
#elif defined(MISTAKE_must_end_not_const)
  bool must_end(edge_id) { return true; }
#elif defined(MISTAKE_assumed_as_a_bit)
  bool assumed(value_id) const { return true; }
#elif defined(MISTAKE_constant_memory_as_a_number)
  std::optional<std::uint64_t> constant_memory(value_id, std::uint64_t, std::uint32_t) const { return 0; }
#elif defined(MISTAKE_low_sum_as_a_number)
  std::uint64_t low_sum(value_id) const { return 0; }
#elif defined(MISTAKE_identity_is_a_name)
  const char* identity(value_id) const { return "sqrt"; }
#elif defined(MISTAKE_may_reassociate_returns_nothing)
  void may_reassociate(value_id) const {}
#elif defined(MISTAKE_cost_as_a_number)
  double cost(value_id) const { return 1; }
#elif defined(MISTAKE_memory_not_const)
  std::optional<midend::memory_reference> memory(value_id) { return {}; }
#elif defined(MISTAKE_effect_says_yes_or_no)
  bool effect(value_id) const { return true; }
#endif
};

struct variables {
  midend::csr_graph flow;

  const midend::csr_graph& graph() const { return flow; }

  std::size_t num_statements() const { return 0; }

#if defined(MISTAKE_num_variables_not_const)
  std::size_t num_variables() { return 0; }
#else
  std::size_t num_variables() const { return 0; }
#endif

#if defined(MISTAKE_statements_of_pointers)
  std::vector<const char*> statements(node_id) const { return {}; }
#else
  std::vector<statement_id> statements(node_id) const { return {}; }
#endif

#if defined(MISTAKE_definitions_is_one_variable)
  variable_id definitions(statement_id) const { return 0; }
#else
  std::vector<variable_id> definitions(statement_id) const { return {}; }
#endif

  std::vector<variable_id> uses(statement_id) const { return {}; }

#if defined(MISTAKE_may_definitions_not_const)
  std::vector<variable_id> may_definitions(statement_id) { return {}; }
#elif defined(MISTAKE_may_definitions_is_one_variable)
  variable_id may_definitions(statement_id) const { return 0; }
#endif

#if defined(MISTAKE_insert_variable_phi_returns_nothing)
  void insert_variable_phi(node_id, variable_id) {}
#else
  value_id insert_variable_phi(node_id, variable_id) { return 0; }
#endif

  void set_phi_input(value_id, edge_id, value_id) {}

#if defined(MISTAKE_rename_use_without_value)
  void rename_use(statement_id, variable_id) {}
#else
  void rename_use(statement_id, variable_id, value_id) {}
#endif

  value_id rename_definition(statement_id, variable_id) { return 0; }

#if defined(MISTAKE_undefined_value_without_variable)
  value_id undefined_value() { return 0; }
#else
  value_id undefined_value(variable_id) { return 0; }
#endif
};

void use(const costs& ir, variables& editor, const midend::loop_forest& loops) {
  midend::plain_trip_counter_workspace workspace;
  static_cast<void>(midend::plain_trip_counter(ir, loops, workspace));
  static_cast<void>(midend::live_variables(editor));
  static_cast<void>(midend::construct_ssa(editor));
}
