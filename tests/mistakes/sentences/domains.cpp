// What one writes naturally in a domain of `sccp`, and in a problem of `gen_kill` or `solve_sparse`.
// mistake as_constant_always_returns: std::optional<constant_type> as_constant
// mistake top_without_width: element top\(unsigned width\) const
// mistake constant_without_width: element constant\(unsigned width, constant_type c\) const
// mistake constants_of_32_bits: must be the same type
// mistake no_constant_type: using constant_type
// mistake transfer_into_an_argument: element transfer
// mistake transfer_not_const: element transfer
// mistake contains_without_width: bool contains
// mistake size_not_const: std::uint64_t size
// mistake widen_of_a_copy: bool widen\(unsigned width
// mistake assume_of_copies: void assume
// mistake assume_without_width: void assume
// mistake domain_join_of_a_copy: bool join
// mistake effects_of_a_copy: void effects
// mistake effects_as_two_sets: void effects
// mistake effects_not_const: void effects
// mistake boundary_as_a_set: void boundary
// mistake roots_as_a_list: auto roots\(\) const
// mistake roots_of_a_forward_problem: in a backward problem
// mistake confluence_not_static: static constexpr midend::flow_confluence
// mistake num_facts_is_a_member_variable: std::size_t num_facts\(\) const
// mistake evaluate_of_a_copy: void evaluate
// mistake evaluate_one_operand: void evaluate
#include "midend/dataflow/gen_kill.hpp"
#include "midend/dataflow/solve_sparse.hpp"
#include "midend/elbrus/views/views.hpp"
#include "midend/ssa/sccp.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

struct domain {
  using element = unsigned; // 0: no value; 1: any value
#if defined(MISTAKE_constants_of_32_bits)
  using constant_type = std::uint32_t;
#elif !defined(MISTAKE_no_constant_type)
  using constant_type = std::uint64_t;
#endif
  using number = std::uint64_t;

  element bottom() const { return 0; }

#if defined(MISTAKE_domain_join_of_a_copy)
  bool join(element a, element b) const { return (a | b) != a; }
#else
  bool join(element& a, element b) const { return std::exchange(a, a | b) != a; }
#endif

#if defined(MISTAKE_top_without_width)
  element top() const { return 1; }
#else
  element top(unsigned) const { return 1; }
#endif

#if defined(MISTAKE_constant_without_width)
  element constant(number) const { return 1; }
#else
  element constant(unsigned, number) const { return 1; }
#endif

#if defined(MISTAKE_as_constant_always_returns)
  number as_constant(element) const { return 0; }
#elif defined(MISTAKE_constants_of_32_bits)
  std::optional<std::uint32_t> as_constant(element) const { return {}; }
#else
  std::optional<number> as_constant(element) const { return {}; }
#endif

#if defined(MISTAKE_transfer_into_an_argument)
  void transfer(const midend::operation_info&, std::span<const element>, element& out) const { out = 1; }
#elif defined(MISTAKE_transfer_not_const)
  element transfer(const midend::operation_info&, std::span<const element>) { return 1; }
#elif defined(MISTAKE_contains_without_width)
  bool contains(element, number) const { return true; }
#elif defined(MISTAKE_size_not_const)
  number size(unsigned, element) { return 0; }
#elif defined(MISTAKE_widen_of_a_copy)
  bool widen(unsigned, element, element, const midend::thresholds&) const { return false; }
#elif defined(MISTAKE_assume_of_copies)
  void assume(midend::operation, unsigned, element, element) const {}
#elif defined(MISTAKE_assume_without_width)
  void assume(midend::operation, element&, element&) const {}
#endif
};

struct gen_kill_problem {
  static constexpr auto direction = midend::flow_direction::forward;
#if defined(MISTAKE_confluence_not_static)
  midend::flow_confluence confluence = midend::flow_confluence::may;
#else
  static constexpr auto confluence = midend::flow_confluence::may;
#endif

#if defined(MISTAKE_num_facts_is_a_member_variable)
  std::size_t num_facts = 0;
#else
  std::size_t num_facts() const { return 0; }
#endif

#if defined(MISTAKE_effects_of_a_copy)
  void effects(midend::node_id, auto e) const { e.gen(0); }
#elif defined(MISTAKE_effects_as_two_sets)
  void effects(midend::node_id, std::vector<bool>& gen, std::vector<bool>&) const { gen[0] = true; }
#elif defined(MISTAKE_effects_not_const)
  void effects(midend::node_id, auto& e) { e.gen(0); }
#else
  void effects(midend::node_id, auto& e) const { e.gen(0); }
#endif

#if defined(MISTAKE_boundary_as_a_set)
  std::vector<bool> boundary(midend::node_id) const { return {}; }
#elif defined(MISTAKE_roots_as_a_list)
  std::vector<midend::node_id> roots() const { return {}; }
#elif defined(MISTAKE_roots_of_a_forward_problem)
  auto roots() const { return midend::exits_only; }
#endif
};

struct sparse_lattice {
  using element = unsigned;

  element bottom() const { return 0; }

  bool join(element& a, element b) const { return std::exchange(a, a | b) != a; }
};

struct sparse_problem {
  sparse_lattice lattice() const { return {}; }

#if defined(MISTAKE_evaluate_of_a_copy)
  void evaluate(midend::value_id, std::span<const unsigned>, unsigned f) const { f = 1; }
#elif defined(MISTAKE_evaluate_one_operand)
  unsigned evaluate(midend::value_id, unsigned) const { return 1; }
#else
  unsigned evaluate(midend::value_id, std::span<const unsigned>) const { return 1; }
#endif
};

struct values {
  std::size_t num_values() const { return 0; }

  std::span<const midend::value_id> operands(midend::value_id) const { return {}; }

  bool is_phi(midend::value_id) const { return false; }
};

void use(const midend::elbrus::semantic_view& ir) {
  static_cast<void>(midend::sccp(ir, domain()));
  static_cast<void>(midend::gen_kill(midend::csr_graph(), gen_kill_problem()));
  static_cast<void>(midend::solve_sparse(values(), sparse_problem()));
}
