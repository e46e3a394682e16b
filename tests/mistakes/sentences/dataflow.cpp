// What one writes naturally in a problem for `solve`, and what the first error must say.
// mistake transfer_of_a_copy: void transfer\(midend::node_id n, fact& f\) const
// mistake transfer_of_a_constant: fact transfer\(midend::node_id n, const fact& f\) const
// mistake transfer_not_const: void transfer\(midend::node_id n, fact& f\) const
// mistake transfer_by_reference_returns_a_fact: void transfer\(midend::node_id n, fact& f\) const
// mistake transfer_with_arguments_in_another_order: void transfer\(midend::node_id n, fact& f\) const
// mistake transfer_of_another_type: void transfer\(midend::node_id n, fact& f\) const
// mistake transfer_moves_the_fact: void transfer\(midend::node_id n, fact& f\) const
// mistake no_transfer: void transfer\(midend::node_id n, fact& f\) const
// mistake transfer_does_not_fit_beside_statements: void transfer\(midend::node_id n, fact& f\) const
// mistake transfer_statement_of_a_copy: void transfer_statement
// mistake transfer_statement_without_ir: ir\(\) const
// mistake transfer_edge_of_a_copy: std::optional<fact> transfer_edge
// mistake transfer_edge_returns_nothing: bool transfer_edge
// mistake transfer_edge_not_const: bool transfer_edge
// mistake transfer_edge_takes_two_nodes: midend::flow_edge
// mistake transfer_edge_returns_a_number: bool transfer_edge
// mistake is_boundary_not_const: bool is_boundary\(midend::node_id n\) const
// mistake is_boundary_returns_nothing: bool is_boundary\(midend::node_id n\) const
// mistake boundary_says_yes_or_no: fact boundary\(midend::node_id n\) const
// mistake boundary_missing: fact boundary\(midend::node_id n\) const
// mistake direction_not_static: static constexpr midend::flow_direction direction
// mistake direction_as_a_word: static constexpr midend::flow_direction direction
// mistake lattice_is_a_member_variable: lattice\(\) const
// mistake join_of_a_copy: bool join\(element& a, const element& b\) const
// mistake join_returns_the_joined_element: bool join\(element& a, const element& b\) const
// mistake join_returns_nothing: bool join\(element& a, const element& b\) const
// mistake join_not_const: bool join\(element& a, const element& b\) const
// mistake join_changes_its_second_argument: bool join\(element& a, const element& b\) const
// mistake join_counts_changes: bool join\(element& a, const element& b\) const
// mistake no_element: using element
// mistake bottom_is_a_constant: element bottom\(\) const
// mistake leq_compares_as_in_C: bool leq\(const element& a, const element& b\) const
// mistake leq_not_const: bool leq
// mistake top_not_const: element top\(\) const
// mistake meet_of_a_copy: bool meet\(element& a, const element& b\) const
// mistake widen_of_a_copy: bool widen\(element& a, const element& b\) const
// mistake widen_returns_an_element: bool widen\(element& a, const element& b\) const
// mistake widen_with_a_threshold: bool widen\(element& a, const element& b\) const
// mistake narrow_returns_nothing: bool narrow\(element& a, const element& b\) const
#include "midend/dataflow/solve.hpp"

#include <compare>
#include <cstdint>
#include <optional>

struct interval_set {
#if !defined(MISTAKE_no_element)
  using element = std::uint64_t;
#else
  using value_type = std::uint64_t;
#endif
  using e = std::uint64_t;

#if defined(MISTAKE_bottom_is_a_constant)
  static constexpr e bottom = 0;
#else
  e bottom() const { return 0; }
#endif

#if defined(MISTAKE_join_of_a_copy)
  bool join(e a, const e& b) const { return (a | b) != a; }
#elif defined(MISTAKE_join_returns_the_joined_element)
  e join(const e& a, const e& b) const { return a | b; }
#elif defined(MISTAKE_join_returns_nothing)
  void join(e& a, const e& b) const { a |= b; }
#elif defined(MISTAKE_join_not_const)
  bool join(e& a, const e& b) { return (a | b) != a; }
#elif defined(MISTAKE_join_changes_its_second_argument)
  bool join(const e& a, e& b) const { return (b |= a) != 0; }
#elif defined(MISTAKE_join_counts_changes)
  int join(e& a, const e& b) const { return static_cast<int>(a |= b); }
#else
  bool join(e& a, const e& b) const {
    const e old = a;
    a |= b;
    return a != old;
  }
#endif

#if defined(MISTAKE_leq_compares_as_in_C)
  int leq(const e& a, const e& b) const { return a < b ? -1 : a != b; }
#elif defined(MISTAKE_leq_not_const)
  bool leq(const e& a, const e& b) { return (a & ~b) == 0; }
#elif defined(MISTAKE_top_not_const)
  e top() { return ~e{0}; }
#elif defined(MISTAKE_meet_of_a_copy)
  bool meet(e a, e b) const { return (a & b) != a; }
#elif defined(MISTAKE_widen_of_a_copy)
  bool widen(e a, e b) const { return (a | b) != a; }
#elif defined(MISTAKE_widen_returns_an_element)
  e widen(const e& a, const e& b) const { return a | b; }
#elif defined(MISTAKE_widen_with_a_threshold)
  bool widen(e& a, const e& b, int) const { return (a |= b) != 0; }
#elif defined(MISTAKE_narrow_returns_nothing)
  void narrow(e& a, const e& b) const { a = b; }
#endif
};

using fact = std::uint64_t;

struct statements_of_nodes {
  midend::span<const midend::statement_id> statements(midend::node_id) const { return {}; }
};

struct problem {
#if defined(MISTAKE_direction_not_static)
  midend::flow_direction direction = midend::flow_direction::forward;
#elif defined(MISTAKE_direction_as_a_word)
  static constexpr const char* direction = "forward";
#else
  static constexpr auto direction = midend::flow_direction::forward;
#endif

#if defined(MISTAKE_lattice_is_a_member_variable)
  interval_set lattice;
#else
  interval_set lattice() const { return {}; }
#endif

#if defined(MISTAKE_boundary_says_yes_or_no)
  bool boundary(midend::node_id n) const { return n == 0; }
#elif !defined(MISTAKE_boundary_missing)
  fact boundary(midend::node_id) const { return 1; }
#endif

#if defined(MISTAKE_transfer_of_a_copy)
  void transfer(midend::node_id, fact f) const { f |= 2; }
#elif defined(MISTAKE_transfer_of_a_constant)
  void transfer(midend::node_id, const fact&) const {}
#elif defined(MISTAKE_transfer_not_const)
  void transfer(midend::node_id, fact& f) { f |= 2; }
#elif defined(MISTAKE_transfer_by_reference_returns_a_fact)
  fact transfer(midend::node_id, fact& f) const { return f | 2; }
#elif defined(MISTAKE_transfer_with_arguments_in_another_order)
  void transfer(fact& f, midend::node_id) const { f |= 2; }
#elif defined(MISTAKE_transfer_of_another_type)
  void transfer(midend::node_id, std::uint32_t& f) const { f |= 2; }
#elif defined(MISTAKE_transfer_moves_the_fact)
  void transfer(midend::node_id, fact&& f) const { f |= 2; }
#elif defined(MISTAKE_transfer_does_not_fit_beside_statements)
  void transfer(midend::node_id, fact f) const { f |= 2; }

  statements_of_nodes ir() const { return {}; }

  void transfer_statement(midend::statement_id, fact& f) const { f |= 2; }
#elif defined(MISTAKE_transfer_statement_of_a_copy)
  statements_of_nodes ir() const { return {}; }

  void transfer_statement(midend::statement_id, fact f) const { f |= 2; }
#elif defined(MISTAKE_transfer_statement_without_ir)
  void transfer_statement(midend::statement_id, fact& f) const { f |= 2; }
#elif !defined(MISTAKE_no_transfer)
  void transfer(midend::node_id, fact& f) const { f |= 2; }
#endif

#if defined(MISTAKE_transfer_edge_of_a_copy)
  bool transfer_edge(const midend::flow_edge&, fact f) const { return (f |= 4) != 0; }
#elif defined(MISTAKE_transfer_edge_returns_nothing)
  void transfer_edge(const midend::flow_edge&, fact& f) const { f |= 4; }
#elif defined(MISTAKE_transfer_edge_not_const)
  bool transfer_edge(const midend::flow_edge&, fact& f) { return (f |= 4) != 0; }
#elif defined(MISTAKE_transfer_edge_takes_two_nodes)
  bool transfer_edge(midend::node_id, midend::node_id, fact& f) const { return (f |= 4) != 0; }
#elif defined(MISTAKE_transfer_edge_returns_a_number)
  int transfer_edge(const midend::flow_edge&, fact& f) const { return (f |= 4) != 0; }
#endif

#if defined(MISTAKE_is_boundary_not_const)
  bool is_boundary(midend::node_id n) { return n == 2; }
#elif defined(MISTAKE_is_boundary_returns_nothing)
  void is_boundary(midend::node_id) const {}
#endif
};

void use() {
  static_cast<void>(midend::solve(midend::csr_graph(), problem()));
}
