/// The SSA rung of the IR contract: the values of a function, in the nodes of its graph. On top of the values rung
/// (`ir/ssa_values.hpp`: `num_values`, `operands`, `is_phi`, and `users` if there are):
///
///     const G& graph() const;                                   // a flow graph whose edges have numbers
///     auto values(midend::node_id n) const;                     // those computed in n, phis first, in order
///     midend::value_id phi_input(midend::value_id v, midend::edge_id e) const;
///     midend::value_id condition(midend::node_id n) const;      // or no_value
///
/// **What is a value.** The results of operations and phis, which stand in nodes; parameters, constants and whatever
/// else operands name, which stand in none. An operation without a result (a store, a branch, a return) is a value too,
/// one that nobody uses: so all reads of values are operands of values. A branch's operand is its condition.
///
/// **Phis** stand before everything else in their node and are simultaneous: each is, on arrival by edge `e`, what
/// `phi_input(v, e)` was at the end of the edge's source. Parallel edges have inputs of their own, which may differ.
/// `operands(v)` of a phi are these inputs, one for each edge into the node, in any order. Requires that `e` leads to
/// the phi's node.
///
/// `condition(n)` is the value that decides which successor follows, if it alone does; `no_value` if there is one
/// successor, or none, or something else decides.
///
/// An IR may have `parameters()`, a range of the values that are there when control enters: what is analysed of values
/// in nodes is then analysed of these too.
///
/// Counter-examples: a variable that is written twice is no value (the statements rung is for those); the write to a
/// memory cell makes no value, unless the IR has memory in SSA form; an `llvm::BasicBlock*` that a terminator names is
/// an edge and no operand.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa_values.hpp"

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

/// `phi_input(v, e)` gives the value that a phi has when control comes by `e`.
template <class IR>
concept has_phi_input = requires(const IR& ir, value_id v, edge_id e) {
  { ir.phi_input(v, e) } -> std::convertible_to<value_id>;
};

/// `condition(n)` gives the value that decides which successor follows, or `no_value`.
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

namespace detail {

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

MIDEND_END_NAMESPACE
