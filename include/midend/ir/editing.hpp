/// The editing rungs of the IR contract: how analyses that change a program do it. An *editor* is an object with the
/// members below, by which it changes the user's function at once; usually it holds a reference to it. An editor is a
/// view, too: what it answers is the present state of the function.
///
/// **Changing values** (`value_editor`, on top of the SSA rung):
///
///     value_id insert_phi(node_id n, value_id like);          // of the type of `like`, at the head of n
///     void set_phi_input(value_id phi, edge_id e, value_id v);
///     void replace_uses(value_id v, value_id by);             // all operands v become by
///     void erase_value(value_id v);                           // which nobody uses
///     value_id clone_value(value_id v, node_id n);            // the same operation of the same operands, at the end
///     of n value_id make_constant(value_id like, constant_type c); // of the type of `like`
///
/// **Changing flow** (`flow_editor`):
///
///     node_id create_node(node_id like);                      // without operations; names, profile and so on from
///     like void redirect_edge(edge_id e, node_id target);          // phi inputs of the old target go void
///     set_jump(node_id n, node_id target);               // n, which has no terminator, ends in a jump void
///     keep_edge(edge_id e);                              // its source goes on by e always void erase_node(node_id n);
///     // into which no edge leads
///
/// Numbers are stable: an id names the same thing until that is erased, and is not given out again while the editor
/// lives (results by id stay meaningful). What is created gets numbers at the end, so `num_nodes()`, `num_edges()` and
/// `num_values()` only grow; an erased node is an unreachable one without successors or values, and an erased edge
/// leads from nowhere (`no_node`) and is in no list.
///
/// `redirect_edge`: the phis of the new target get an input for `e`, which is not set (`no_value`) until
/// `set_phi_input` says what it is; the edge keeps its place among the successors of its source, its number, and its
/// case. `keep_edge(e)`: the other edges of the source go, with the phi inputs that belonged to them; the terminator
/// becomes a jump. `erase_node(n)`: the values in it go, the edges from it go, with their phi inputs; requires that
/// what its values computed is not used elsewhere.
///
/// **Leaving variables** (`variable_editor`): what SSA construction asks of an IR whose statements write variables.
/// On top of the statements rung:
///
///     value_id insert_variable_phi(node_id n, variable_id x);
///     void set_phi_input(value_id phi, edge_id e, value_id v);
///     void rename_use(statement_id s, variable_id x, value_id v);       // s reads v wherever it read x
///     value_id rename_definition(statement_id s, variable_id x);        // what s wrote to x becomes a value
///     value_id undefined_value(variable_id x);                          // for what was never written
///
/// A phi made by `insert_variable_phi` is no statement, so that `statements(n)` is still what it was.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/statements.hpp"

#include <concepts>

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

/// `erase_node(n)` removes a node.
template <class E>
concept can_erase_nodes = requires(E& editor, node_id n) { editor.erase_node(n); };

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

MIDEND_END_NAMESPACE
