/// The editing rungs of the IR contract: how what changes a program does it. An *editor* is an object with the members
/// below, by which it changes the user's function at once; usually it holds a reference to it. An editor is a view,
/// too: what it answers is the present state of the function.
///
/// **Changing values** (`value_editor`, on top of the SSA rung and the `constant_type` of the semantics rung):
///
///     value_id insert_phi(node_id n, value_id like);               // at the head of n, of the type of `like`
///     void set_phi_input(value_id phi, edge_id e, value_id v);
///     void replace_uses(value_id v, value_id by);                  // all operands v become `by`
///     void erase_value(value_id v);                                // which nobody uses
///     value_id clone_value(value_id v, node_id n);                 // the same operation of the same operands in n
///     value_id make_constant(value_id like, constant_type c);      // of the type of `like`
///
/// **Changing flow** (`flow_editor`):
///
///     node_id create_node(node_id like);                           // without operations
///     void redirect_edge(edge_id e, node_id target);
///     void set_jump(node_id n, node_id target);                    // n, which has no terminator, ends in a jump
///     void keep_edge(edge_id e);                                   // its source goes on by e always
///     void erase_nodes(std::span<const node_id> nodes);            // into which no edge leads from elsewhere
///
/// Numbers are stable: an id names the same thing until that is erased, and is not given out again while the editor
/// lives (results by id stay meaningful). What is created gets numbers at the end, so `num_nodes()`, `num_edges()` and
/// `num_values()` only grow; an erased node is an unreachable one without successors or values, and an erased edge
/// leads from nowhere (`no_node`) and is in no list. Of what was handed out as a range nothing is good for reading
/// after a change.
///
/// - `insert_phi`: has an input for each edge into `n`, none of which is set (`no_value`).
/// - `clone_value`: goes behind what is in `n`. Phis get inputs that are not set. A value that ends its node is cloned
///   into one that has no end yet, with its edges: to the same targets in the same order with the same cases. The phis
///   there get inputs that are not set.
/// - `create_node`: name, profile, place in the source and whatever else nodes have are made from those of `like`.
/// - `redirect_edge`: the edge keeps its place among the successors of its source, its number and its case. Phis of the
///   old target lose the input for `e`, those of the new one get one that is not set.
/// - `keep_edge`: the other edges of its source go, with the phi inputs that belonged to them. What decided between the
///   edges becomes a jump and reads nothing.
/// - `erase_nodes`: the values in them go, the edges from them go, with their phi inputs elsewhere. Requires that the
///   entry is not among them and that no edge comes and no value is used from outside. They are named together since
///   they may lead to and use each other.
///
/// **Leaving variables** (`variable_editor`): what SSA construction asks of an IR whose statements write variables.
/// On top of the statements rung:
///
///     value_id insert_variable_phi(node_id n, variable_id x);      // at the head of n, before the phis there
///     void set_phi_input(value_id phi, edge_id e, value_id v);
///     void rename_use(statement_id s, variable_id x, value_id v);  // s reads v wherever it read x
///     value_id rename_definition(statement_id s, variable_id x);   // what s wrote to x becomes a value
///     value_id undefined_value(variable_id x);                     // for what was never written
///
/// `statements(n)` and the numbers of statements stay as they are: a phi made by `insert_variable_phi` is no statement.
/// After `rename_use(s, x, v)`, `uses(s)` does not name x any more; after `rename_definition(s, x)` neither
/// `definitions(s)` nor `may_definitions(s)` do. A statement that may define x is asked for both, first
/// `rename_use(s, x, v)`, where v is what x holds if `s` leaves it alone, even if `uses(s)` does not name x. Each is
/// asked for once for each x.
///
/// `on_the_fly_editor` adds what construction without an analysis needs, since it makes phis that turn out to be
/// superfluous: `replace_uses(v, by)` and `erase_value(v)` for such phis (`by` is set in inputs of phis, too), and
/// `graph().in_edges(n)`, the edges into a node.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/statements.hpp"

#include <concepts>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// `insert_phi(n, like)` makes a phi without inputs.
template <class E>
concept can_insert_phis = requires(E& editor, node_id n, value_id v) {
  { editor.insert_phi(n, v) } -> std::convertible_to<value_id>;
};

/// `set_phi_input(phi, e, v)` sets what a phi is on arrival by an edge.
template <class E>
concept can_set_phi_inputs = requires(E& editor, edge_id e, value_id v) { editor.set_phi_input(v, e, v); };

/// `replace_uses(v, by)` puts one value in place of another.
template <class E>
concept can_replace_uses = requires(E& editor, value_id v) { editor.replace_uses(v, v); };

/// `erase_value(v)` removes an operation.
template <class E>
concept can_erase_values = requires(E& editor, value_id v) { editor.erase_value(v); };

/// `clone_value(v, n)` copies an operation.
template <class E>
concept can_clone_values = requires(E& editor, node_id n, value_id v) {
  { editor.clone_value(v, n) } -> std::convertible_to<value_id>;
};

/// `make_constant(like, c)` gives a value that is a literal.
template <class E>
concept can_make_constants = requires(E& editor, value_id like, const constant_of<E>& c) {
  { editor.make_constant(like, c) } -> std::convertible_to<value_id>;
};

/// Changes the values of an IR in SSA form.
template <class E>
concept value_editor = ssa_ir<E> && can_insert_phis<E> && can_set_phi_inputs<E> && can_replace_uses<E> &&
                       can_erase_values<E> && can_clone_values<E> && has_constant_type<E> && can_make_constants<E>;

/// `create_node(like)` makes a node without operations.
template <class E>
concept can_create_nodes = requires(E& editor, node_id n) {
  { editor.create_node(n) } -> std::convertible_to<node_id>;
};

/// `redirect_edge(e, target)` leads an edge elsewhere.
template <class E>
concept can_redirect_edges = requires(E& editor, edge_id e, node_id n) { editor.redirect_edge(e, n); };

/// `set_jump(n, target)` ends a node that has no terminator.
template <class E>
concept can_set_jumps = requires(E& editor, node_id n) { editor.set_jump(n, n); };

/// `keep_edge(e)` makes a branch a jump.
template <class E>
concept can_keep_edges = requires(E& editor, edge_id e) { editor.keep_edge(e); };

/// `erase_nodes(nodes)` removes nodes.
template <class E>
concept can_erase_nodes = requires(E& editor, std::span<const node_id> nodes) { editor.erase_nodes(nodes); };

/// Changes the control flow of an IR.
template <class E>
concept flow_editor = has_graph<E> && graph_is_edge_indexed<E> && can_create_nodes<E> && can_redirect_edges<E> &&
                      can_set_jumps<E> && can_keep_edges<E> && can_erase_nodes<E>;

/// The editing rung: values and flow.
template <class E>
concept ir_editor = value_editor<E> && flow_editor<E>;

/// `insert_variable_phi(n, x)` makes a phi for a variable.
template <class E>
concept can_insert_variable_phis = requires(E& editor, node_id n, variable_id x) {
  { editor.insert_variable_phi(n, x) } -> std::convertible_to<value_id>;
};

/// `rename_use(s, x, v)` has a statement read a value in place of a variable.
template <class E>
concept can_rename_uses =
    requires(E& editor, statement_id s, variable_id x, value_id v) { editor.rename_use(s, x, v); };

/// `rename_definition(s, x)` turns what a statement writes into a value.
template <class E>
concept can_rename_definitions = requires(E& editor, statement_id s, variable_id x) {
  { editor.rename_definition(s, x) } -> std::convertible_to<value_id>;
};

/// `undefined_value(x)` stands for a variable that was not written.
template <class E>
concept has_undefined_values = requires(E& editor, variable_id x) {
  { editor.undefined_value(x) } -> std::convertible_to<value_id>;
};

/// Turns variables into values.
template <class E>
concept variable_editor =
    statement_ir<E> && has_graph<E> && graph_is_edge_indexed<E> && can_insert_variable_phis<E> &&
    can_set_phi_inputs<E> && can_rename_uses<E> && can_rename_definitions<E> && has_undefined_values<E>;

/// `graph().in_edges(n)` is a range of the edges into a node.
template <class E>
concept graph_has_in_edges = requires(const E& editor, node_id n) {
  { editor.graph().in_edges(n) } -> range_of_nodes;
};

/// Turns variables into values while they are read and written.
template <class E>
concept on_the_fly_editor = variable_editor<E> && graph_has_in_edges<E> && can_replace_uses<E> && can_erase_values<E>;

MIDEND_END_NAMESPACE
