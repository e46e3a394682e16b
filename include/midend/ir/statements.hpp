/// The statements rung of the IR contract, for analyses of variables. As with graphs, an IR is any type with the
/// members below, usually a view of a few pointers. There is nothing to specialise.
///
///     struct my_ir {                                    // a view over your own function
///       const my_function* f;
///       const my_cfg& graph() const { return f->cfg; }
///       std::size_t num_statements() const { return f->instructions.size(); }
///       const std::vector<midend::statement_id>& statements(midend::node_id n) const { return f->blocks[n].order; }
///       std::size_t num_variables() const { return f->registers; }
///       auto definitions(midend::statement_id s) const { return std::span(f->instructions[s].written); }
///       auto uses(midend::statement_id s) const { return std::span(f->instructions[s].read); }
///     };
///
/// **What the members mean.** Statements, variables and nodes are dense numbers. `statements(n)` lists the statements
/// of a node in the order of execution, including the branch at its end; a statement is in at most one node, and there
/// once. A statement reads before it writes:
///
/// - `uses(s)`: the variables whose value before the statement it may read. `x = x + 1` uses x. A call uses its
///   arguments and each variable that the callee may read.
/// - `definitions(s)`: the variables that the statement completely overwrites on each execution. `x = 0` defines x.
/// - `may_definitions(s)`, optional: the variables that it may write, or writes in part. `*p = 0` may define each
///   variable that p may point to, a call each variable that the callee may write, `a[i] = 0` the array a. The old
///   value may survive: a may-definition reaches later statements and kills no other definition. A variable that
///   `definitions(s)` also lists is defined.
///
/// A conditional move is no definition, but a may-definition (or a definition that uses the variable). Neither is the
/// end of a scope a definition, unless values should be dead after it. A phi is no statement, since it uses each
/// operand on an edge; SSA form has rungs of its own.
///
/// Lists are in any order and may name a variable twice. They are ranges in the sense of `begin` and `end` and may be
/// temporaries; each is read once after it is returned. Nothing may change while an analysis runs.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/contract.hpp"

#include <concepts>
#include <cstddef>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// `num_statements()` returns the number of statements.
template <class IR>
concept has_num_statements = requires(const IR& ir) {
  { ir.num_statements() } -> std::convertible_to<std::size_t>;
};

/// `statements(n)` exists.
template <class IR>
concept has_statements = requires(const IR& ir, node_id n) { ir.statements(n); };

/// `num_variables()` returns the number of variables.
template <class IR>
concept has_num_variables = requires(const IR& ir) {
  { ir.num_variables() } -> std::convertible_to<std::size_t>;
};

/// `definitions(s)` exists.
template <class IR>
concept has_definitions = requires(const IR& ir, statement_id s) { ir.definitions(s); };

/// `uses(s)` exists.
template <class IR>
concept has_uses = requires(const IR& ir, statement_id s) { ir.uses(s); };

/// `may_definitions(s)` exists; optional.
template <class IR>
concept has_may_definitions = requires(const IR& ir, statement_id s) { ir.may_definitions(s); };

/// The types of the lists.
template <class IR> using statements_of = decltype(std::declval<const IR&>().statements(node_id{}));
template <class IR> using definitions_of = decltype(std::declval<const IR&>().definitions(statement_id{}));
template <class IR> using may_definitions_of = decltype(std::declval<const IR&>().may_definitions(statement_id{}));
template <class IR> using uses_of = decltype(std::declval<const IR&>().uses(statement_id{}));

// One concept for each possible mistake, so that the compiler's message names it.
template <class IR>
concept statements_are_a_range_of_ids = range_of_ids<statements_of<IR>>;
template <class IR>
concept definitions_are_a_range_of_ids = range_of_ids<definitions_of<IR>>;
template <class IR>
concept uses_are_a_range_of_ids = range_of_ids<uses_of<IR>>;
template <class IR>
concept may_definitions_are_a_range_of_ids = !has_may_definitions<IR> || range_of_ids<may_definitions_of<IR>>;

/// Statements in the nodes of a control-flow graph.
template <class IR>
concept has_statements_in_nodes = has_graph<IR> && graph_is_a_flow_graph<IR> && has_num_statements<IR> &&
                                  has_statements<IR> && statements_are_a_range_of_ids<IR>;

/// The statements rung: statements, and the variables that they define and use.
template <class IR>
concept statement_ir =
    has_statements_in_nodes<IR> && has_num_variables<IR> && has_definitions<IR> && definitions_are_a_range_of_ids<IR> &&
    has_uses<IR> && uses_are_a_range_of_ids<IR> && may_definitions_are_a_range_of_ids<IR>;

namespace detail {

/// Calls `visit(v)` for each variable that `s` defines, and `visit_may(v)` for each that it may define.
template <class IR, class Visit, class VisitMay>
constexpr void for_each_written(const IR& ir, statement_id s, Visit visit, VisitMay visit_may) {
  for_each_id(ir.definitions(s), visit);
  if constexpr (has_may_definitions<IR>) {
    for_each_id(ir.may_definitions(s), visit_may);
  }
}

/// In a build with contract checks, reports variables out of range with their statement before an array is indexed by
/// them. `check_ir` finds them in any build.
template <class IR> constexpr void require_variables([[maybe_unused]] const IR& ir, [[maybe_unused]] statement_id s) {
#if MIDEND_CHECKS
  const auto require = [&](variable_id v) {
    MIDEND_ASSERT(v < static_cast<std::size_t>(ir.num_variables()),
                  "variables that a statement uses or defines, below num_variables(); statement and variable", s, v);
  };
  if constexpr (has_definitions<IR>) {
    for_each_written(ir, s, require, require);
  }
  if constexpr (has_uses<IR>) {
    for_each_id(ir.uses(s), require);
  }
#endif
}

MIDEND_REQUIRED(has_num_statements, "an IR needs `std::size_t num_statements() const`");
MIDEND_REQUIRED(has_statements,
                "an IR needs `statements(midend::node_id n) const`, which returns the statements of n in order");
MIDEND_REQUIRED(statements_are_a_range_of_ids, "`statements(n)` of an IR must return a range of statements, by number");
MIDEND_REQUIRED(has_num_variables, "an IR needs `std::size_t num_variables() const`");
MIDEND_REQUIRED(
    has_definitions,
    "an IR needs `definitions(midend::statement_id s) const`, which returns the variables that s overwrites");
MIDEND_REQUIRED(definitions_are_a_range_of_ids,
                "`definitions(s)` of an IR must return a range of variables, by number");
MIDEND_REQUIRED(has_uses,
                "an IR needs `uses(midend::statement_id s) const`, which returns the variables that s may read");
MIDEND_REQUIRED(uses_are_a_range_of_ids, "`uses(s)` of an IR must return a range of variables, by number");
MIDEND_REQUIRED(may_definitions_are_a_range_of_ids,
                "`may_definitions(s)` of an IR must return a range of variables, by number");
MIDEND_OPTIONAL_MEMBER(may_definitions, has_may_definitions, it.may_definitions(statement_id()),
                       "of an IR would never be called",
                       "`may_definitions(midend::statement_id s) const` so that it returns a range of variables");

struct statement_contract : contract<ir_with_flow_graph_contract, has_num_statements_row, has_statements_row,
                                     statements_are_a_range_of_ids_row, has_num_variables_row, has_definitions_row,
                                     definitions_are_a_range_of_ids_row, has_uses_row, uses_are_a_range_of_ids_row,
                                     may_definitions_are_a_range_of_ids_row, may_definitions_row> {};

} // namespace detail

/// What functions take: a `statement_ir` with optional members that fit; otherwise an error.
template <class IR>
concept statement_ir_argument =
    (statement_ir<IR> && detail::statement_contract::fits<IR>) || detail::statement_contract::explain<IR>();

MIDEND_END_NAMESPACE
