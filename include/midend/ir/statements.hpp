/// The statements rung of the IR contract: what analyses of variables require of an IR. As with graphs, an IR is any
/// type with the members below, usually a view of a few pointers; there is nothing to specialise.
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
/// - `uses(s)`: the variables whose value before the statement it may read.
///   `x = x + 1` uses x. A call uses its arguments and each variable that the callee
///   may read.
/// - `definitions(s)`: the variables that the statement completely overwrites on each execution. `x = 0` defines x.
/// - `may_definitions(s)`, optional: the variables that it may write, or writes in part. `*p = 0`
///   may define each variable that p may point to, a call each variable that the callee may
///   write, `a[i] = 0` the array a. The old value may survive: a may-definition reaches later
///   statements and kills no other definition. A variable that `definitions(s)` also lists is
///   defined.
///
/// Not a definition: a conditional move, which is a may-definition (or a definition that uses the variable); the end of
/// a scope, unless values should be dead after it. Not a statement: a phi, which uses each operand on an edge; SSA form
/// has rungs of its own.
///
/// Lists are in any order and may name a variable twice. They are ranges in the sense of `begin` and `end` and may be
/// temporaries; each is read once after it is returned. Nothing may change while an analysis runs.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"

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

// One concept for each thing that can be wrong, so that the message of the compiler names it.
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

} // namespace detail

MIDEND_END_NAMESPACE
