/// The SSA rung of the IR contract: the values of a function, in the nodes of its graph. In addition to the values rung
/// (`ir/ssa_values.hpp`: `num_values`, `operands`, `is_phi`, optional `users`):
///
///     const G& graph() const;                                   // a flow graph whose edges have numbers
///     auto values(midend::node_id n) const;                     // those computed in n, phis first, in order
///     midend::value_id phi_input(midend::value_id v, midend::edge_id e) const;
///     midend::value_id condition(midend::node_id n) const;      // or no_value
///
/// **What is a value.** Operations and phis, which are in nodes; parameters, constants and anything else that operands
/// name, which are in no node. An operation without a result (a store, a branch, a return) is a value without users. So
/// every read of a value is an operand of a value. The operand of a branch is its condition.
///
/// **Phis** come first in their node and are evaluated simultaneously: on arrival along edge `e`, a phi takes the value
/// that `phi_input(v, e)` had at the end of the edge's source. `e` must lead to the phi's node. Parallel edges have
/// separate inputs, which may differ. `operands(v)` of a phi are these inputs in any order, each at least once and at
/// most once for each edge along which it arrives: one for each edge into the node, one for each predecessor (as SPIR-V
/// and QBE have them, where parallel edges bring the same input), or one for each different input. The entry has no
/// phis.
///
/// `condition(n)` is the value that alone decides which successor follows. It is `no_value` if there is at most one
/// successor, or something else decides. It may be in any node that dominates `n`, or in none. Usually the terminator
/// reads it. It may also be the terminator itself: an instruction that compares and branches is a value with a
/// comparison as its operation, last in its node. An IR whose terminators are not values need not list them:
/// `condition(n)` alone makes the end of `n` read the value.
///
/// `check_ir` (`ssa/check_ir.hpp`) tests all this.
///
/// The optional `reading_nodes(v)` is a range of the nodes in which a value is read, see `has_reading_nodes`; the
/// optional `operand_operations(v)` is a range of the operations that a value reads, see `has_operand_operations`. The
/// optional `parameters()` is a range of the values that exist when control enters; analyses then treat them like
/// values in nodes.
///
/// These are no values: a variable that is written twice (see the statements rung); the contents of a memory cell,
/// unless the IR has memory in SSA form; an `llvm::BasicBlock*` that a terminator names, which is an edge, not an
/// operand.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/contract.hpp"

#include <concepts>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// `values(n)` exists.
template <class IR>
concept has_values = requires(const IR& ir, node_id n) { ir.values(n); };

/// The type that `values(n)` returns.
template <class IR> using values_of = decltype(std::declval<const IR&>().values(node_id{}));

/// `values(n)` is a range of values.
template <class IR>
concept values_are_a_range_of_ids = range_of_ids<values_of<IR>>;

/// `phi_input(v, e)` returns the value that a phi takes when control arrives along `e`.
template <class IR>
concept has_phi_input = requires(const IR& ir, value_id v, edge_id e) {
  { ir.phi_input(v, e) } -> std::convertible_to<value_id>;
};

/// `condition(n)` returns the value that decides which successor follows, or `no_value`.
template <class IR>
concept has_condition = requires(const IR& ir, node_id n) {
  { ir.condition(n) } -> std::convertible_to<value_id>;
};

/// `parameters()` is a range of values. Optional.
template <class IR>
concept has_parameters =
    requires(const IR& ir) { ir.parameters(); } && range_of_ids<decltype(std::declval<const IR&>().parameters())>;

/// The SSA rung: values in the nodes of a control-flow graph.
template <class IR>
concept ssa_ir = ssa_values<IR> && has_graph<IR> && graph_is_edge_indexed<IR> && has_values<IR> &&
                 values_are_a_range_of_ids<IR> && has_phi_input<IR> && has_condition<IR>;

/// `reading_nodes(v)` is a range of the nodes in which a value is read, each as often as you like: for a use by an
/// operation its node, for an input of a phi the source of the edge. Optional: an IR may know them sooner than the
/// users.
template <class IR>
concept has_reading_nodes = requires(const IR& ir, value_id v) { ir.reading_nodes(v); } &&
                            range_of_ids<decltype(std::declval<const IR&>().reading_nodes(value_id{}))>;

/// `operand_operations(v)` is a range of the operands of an operation or phi that are operations or phis themselves, in
/// any order and each as often as you like. If terminators are values, the operands of a terminator include the
/// condition. Optional: an IR may know them sooner than the numbers of literals.
template <class IR>
concept has_operand_operations = requires(const IR& ir, value_id v) { ir.operand_operations(v); } &&
                                 range_of_ids<decltype(std::declval<const IR&>().operand_operations(value_id{}))>;

namespace detail {

MIDEND_REQUIRED(
    has_values,
    "an IR in SSA form needs `values(midend::node_id n) const`, which returns the values computed in n, phis first");
MIDEND_REQUIRED(values_are_a_range_of_ids, "`values(n)` of an IR must return a range of values, by number");
MIDEND_REQUIRED(has_phi_input,
                "an IR in SSA form needs `midend::value_id phi_input(midend::value_id v, midend::edge_id e) const`");
MIDEND_REQUIRED(has_condition, "an IR in SSA form needs `midend::value_id condition(midend::node_id n) const`, which "
                               "returns midend::no_value where nothing decides");
MIDEND_OPTIONAL_MEMBER(parameters, has_parameters, it.parameters(), "of an IR would never be called",
                       "`parameters() const` so that it returns a range of values");
MIDEND_OPTIONAL_MEMBER(reading_nodes, has_reading_nodes, it.reading_nodes(value_id()), "of an IR would never be called",
                       "`reading_nodes(midend::value_id v) const` so that it returns a range of nodes");
MIDEND_OPTIONAL_MEMBER(operand_operations, has_operand_operations, it.operand_operations(value_id()),
                       "of an IR would never be called",
                       "`operand_operations(midend::value_id v) const` so that it returns a range of values");

struct ssa_contract
    : contract<ssa_values_contract, ir_with_edges_contract, has_values_row, values_are_a_range_of_ids_row,
               has_phi_input_row, has_condition_row, parameters_row, reading_nodes_row, operand_operations_row> {};

/// Calls `visit(phi)` for each phi of a node.
template <class IR, class Visit> constexpr void for_each_phi(const IR& ir, node_id n, Visit visit) {
  for (auto&& id : ir.values(n)) {
    const auto v = static_cast<value_id>(id);
    if (!ir.is_phi(v)) {
      return;
    }
    visit(v);
  }
}

} // namespace detail

/// What functions take: an `ssa_ir` with optional members that fit; otherwise an error.
template <class IR>
concept ssa_ir_argument = (ssa_ir<IR> && detail::ssa_contract::fits<IR>) || detail::ssa_contract::explain<IR>();

MIDEND_END_NAMESPACE
