// What one writes naturally in an IR in SSA form, with semantics and costs, and what the first error must say.
// mistake num_values_not_const: std::size_t num_values\(\) const
// mistake operands_of_pointers: returns a range of values, by number
// mistake is_phi_returns_a_pointer: bool is_phi\(midend::value_id v\) const
// mistake is_phi_not_const: bool is_phi\(midend::value_id v\) const
// mistake users_not_const: users\(midend::value_id v\) const
// mistake users_of_pointers: returns a range of values
// mistake parameters_counted: parameters\(\) const
// mistake parameters_is_a_member_variable: give the member another name
// mistake phi_input_by_predecessor: phi_input\(midend::value_id v, midend::edge_id e\) const
// mistake condition_is_optional: midend::no_value
// mistake graph_without_edges: whose edges have numbers
// mistake graph_missing: graph\(\) const
// mistake values_of_pointers: a range of values, by number
// mistake constant_always_returned: std::optional<constant_type> constant
// mistake constant_by_pointer_argument: std::optional<constant_type> constant
// mistake fold_always_succeeds: std::optional<constant_type> fold
// mistake fold_takes_a_mutable_list: std::optional<constant_type> fold
// mistake edge_case_always_returned: std::optional<constant_type> edge_case
// mistake edge_case_by_position: std::optional<constant_type> edge_case
// mistake operation_without_width: midend::operation_info operation
// mistake no_constant_type: using constant_type
// mistake is_undefined_not_const: bool is_undefined
// mistake is_undefined_returns_nothing: bool is_undefined
// mistake never_returns_of_a_node_and_value: bool never_returns
// mistake never_returns_is_private_state: give the member another name
// mistake is_opaque_not_const: bool is_opaque
// mistake same_type_of_one_value: bool same_type
// mistake bounds_as_a_pair: std::optional<midend::number_range> bounds
// mistake bounds_not_const: std::optional<midend::number_range> bounds
#include "midend/graph/csr_graph.hpp"
#include "midend/ssa/sccp.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

using ids = std::span<const std::uint32_t>;
using midend::edge_id;
using midend::node_id;
using midend::value_id;
using number = std::uint64_t;

struct graph_without_edges {
  std::size_t num_nodes() const { return 0; }

  node_id entry() const { return 0; }

  ids successors(node_id) const { return {}; }
};

struct instruction {};

struct view {
  std::vector<instruction*> instructions;

#if !defined(MISTAKE_no_constant_type)
  using constant_type = number;
#endif

#if defined(MISTAKE_graph_without_edges)
  graph_without_edges graph() const { return {}; }
#elif !defined(MISTAKE_graph_missing)
  midend::csr_graph graph() const { return {}; }
#endif

#if defined(MISTAKE_num_values_not_const)
  std::size_t num_values() { return 0; }
#else
  std::size_t num_values() const { return 0; }
#endif

#if defined(MISTAKE_operands_of_pointers)
  const std::vector<instruction*>& operands(value_id) const { return instructions; }
#else
  ids operands(value_id) const { return {}; }
#endif

#if defined(MISTAKE_is_phi_returns_a_pointer)
  const instruction* is_phi(value_id) const { return nullptr; }
#elif defined(MISTAKE_is_phi_not_const)
  bool is_phi(value_id) { return false; }
#else
  int is_phi(value_id) const { return 0; } // as in C
#endif

#if defined(MISTAKE_users_not_const)
  ids users(value_id) { return {}; }
#elif defined(MISTAKE_users_of_pointers)
  const std::vector<instruction*>& users(value_id) const { return instructions; }
#endif

#if defined(MISTAKE_parameters_counted)
  std::size_t parameters() const { return 0; }
#elif defined(MISTAKE_parameters_is_a_member_variable)
  std::vector<value_id> parameters;
#endif

#if defined(MISTAKE_values_of_pointers)
  const std::vector<instruction*>& values(node_id) const { return instructions; }
#else
  ids values(node_id) const { return {}; }
#endif

#if defined(MISTAKE_phi_input_by_predecessor)
  value_id phi_input(value_id, const instruction*) const { return 0; }
#else
  value_id phi_input(value_id, edge_id) const { return 0; }
#endif

#if defined(MISTAKE_condition_is_optional)
  std::optional<value_id> condition(node_id) const { return {}; }
#else
  value_id condition(node_id) const { return midend::no_value; }
#endif

#if defined(MISTAKE_operation_without_width)
  midend::operation operation(value_id) const { return midend::operation::add; }
#else
  midend::operation_info operation(value_id) const { return {}; }
#endif

#if defined(MISTAKE_constant_always_returned)
  number constant(value_id) const { return 0; }
#elif defined(MISTAKE_constant_by_pointer_argument)
  bool constant(value_id, number* out) const { return (*out = 0) != 0; }
#else
  std::optional<number> constant(value_id) const { return {}; }
#endif

#if defined(MISTAKE_fold_always_succeeds)
  number fold(value_id, std::span<const number>) const { return 0; }
#elif defined(MISTAKE_fold_takes_a_mutable_list)
  std::optional<number> fold(value_id, std::vector<number>&) const { return {}; }
#else
  std::optional<number> fold(value_id, std::span<const number>) const { return {}; }
#endif

#if defined(MISTAKE_edge_case_always_returned)
  number edge_case(edge_id) const { return 0; }
#elif defined(MISTAKE_edge_case_by_position)
  std::optional<number> edge_case(node_id, std::size_t) const { return {}; }
#else
  std::optional<number> edge_case(edge_id) const { return {}; }
#endif

#if defined(MISTAKE_is_undefined_not_const)
  bool is_undefined(value_id) { return false; }
#elif defined(MISTAKE_is_undefined_returns_nothing)
  void is_undefined(value_id) const {}
#else
  int is_undefined(value_id) const { return 0; } // as in C
#endif

#if defined(MISTAKE_never_returns_of_a_node_and_value)
  bool never_returns(node_id, value_id) const { return false; }
#elif defined(MISTAKE_never_returns_is_private_state)
  std::vector<bool> never_returns;
#endif

#if defined(MISTAKE_is_opaque_not_const)
  bool is_opaque(value_id) { return false; }
#endif

#if defined(MISTAKE_same_type_of_one_value)
  unsigned same_type(value_id) const { return 0; }
#endif

#if defined(MISTAKE_bounds_as_a_pair)
  std::pair<number, number> bounds(value_id) const { return {}; }
#elif defined(MISTAKE_bounds_not_const)
  std::optional<midend::number_range> bounds(value_id) { return {}; }
#endif
};

void use() {
  static_cast<void>(midend::sccp(view()));
}
