/// The editing rungs of the IR contract: how transformations change a program. An *editor* is an object with the
/// members below, which change the user's function immediately; usually it holds a reference to the function. An editor
/// is also a view: it answers with the present state of the function.
///
/// **Changing values** (`value_editor`, in addition to the SSA rung and the `constant_type` of the semantics rung):
///
///     value_id insert_phi(node_id n, value_id like);               // at the head of n, of the type of `like`
///     void set_phi_input(value_id phi, edge_id e, value_id v);
///     void replace_uses(value_id v, value_id by);                  // all operands v become `by`
///     void erase_value(value_id v);                                // which has no users
///     value_id clone_value(value_id v, node_id n);                 // the same operation of the same operands in n
///     value_id make_constant(value_id like, constant_type c);      // of the type of `like`
///
/// **Changing flow** (`flow_editor`):
///
///     node_id create_node(node_id like);                           // without operations
///     void redirect_edge(edge_id e, node_id target);
///     void set_jump(node_id n, node_id target);                    // n, which has no terminator, ends in a jump
///     void keep_edge(edge_id e);                                   // its source always continues along e
///     void erase_nodes(std::span<const node_id> nodes);            // which have no edges from other nodes
///
/// Numbers are stable: an id names the same thing until that is erased, and is not reused while the editor exists, so
/// results by id stay meaningful. New things get numbers at the end, so `num_nodes()`, `num_edges()` and `num_values()`
/// only grow. An erased node is an unreachable node without successors or values; an erased edge has the source
/// `no_node` and is in no list. A change invalidates all ranges returned before.
///
/// - `insert_phi`: the phi has an input for each edge into `n`, none of them set (`no_value`).
/// - `clone_value`: the clone is appended to `n`. A cloned phi has inputs that are not set.
///   A terminator is cloned into a node without terminator, with its edges: the same
///   targets, in the same order, with the same cases. Phis in the targets get inputs that
///   are not set.
/// - `create_node`: name, profile, source location and other attributes are derived from those of `like`.
/// - `redirect_edge`: the edge keeps its place among the successors of its source, its number and its
///   case. Phis of the old target lose their input for `e`, phis of the new target get one that is not
///   set.
/// - `keep_edge`: the other edges of its source are removed, with their phi inputs. The branch becomes a jump and reads
///   nothing.
/// - `erase_nodes`: removes their values and the edges from them, with the phi inputs of those edges. Requires that the
///   entry is not among them, that no edge leads to them from other nodes, and that no other node uses their values.
///   They are passed together because they may lead to and use each other.
///
/// **From variables to values** (`variable_editor`): what SSA construction requires of an IR whose statements write
/// variables. In addition to the statements rung:
///
///     value_id insert_variable_phi(node_id n, variable_id x);      // at the head of n, before the phis there
///     void set_phi_input(value_id phi, edge_id e, value_id v);
///     void rename_use(statement_id s, variable_id x, value_id v);  // s reads v wherever it read x
///     value_id rename_definition(statement_id s, variable_id x);   // the value that s wrote to x
///     value_id undefined_value(variable_id x);                     // of a variable that was never written
///
/// `statements(n)` and the numbers of statements do not change: a phi made by `insert_variable_phi` is not a statement.
/// After `rename_use(s, x, v)`, `uses(s)` does not list x; after `rename_definition(s, x)`, neither `definitions(s)`
/// nor `may_definitions(s)` does. For a statement that may define x both are called, `rename_use(s, x, v)` first, even
/// if `uses(s)` does not list x: v is what x holds if `s` does not write it. Each is called once for each x.
///
/// `on_the_fly_editor` adds what SSA construction without analyses needs, because it inserts phis that turn out to be
/// redundant: `replace_uses(v, by)`, also in inputs of phis, and `erase_value(v)` for such phis, and
/// `graph().in_edges(n)`, the edges into a node.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/span.hpp"

#include <concepts>

MIDEND_BEGIN_NAMESPACE

/// `insert_phi(n, like)` makes a phi without inputs.
template <class E>
concept can_insert_phis = requires(E& editor, node_id n, value_id v) {
  { editor.insert_phi(n, v) } -> std::convertible_to<value_id>;
};

/// `set_phi_input(phi, e, v)` sets the value that a phi takes on arrival along an edge.
template <class E>
concept can_set_phi_inputs = requires(E& editor, edge_id e, value_id v) { editor.set_phi_input(v, e, v); };

/// `replace_uses(v, by)` replaces one value by another in all operands.
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

/// `make_constant(like, c)` returns a literal.
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

/// `redirect_edge(e, target)` changes the target of an edge.
template <class E>
concept can_redirect_edges = requires(E& editor, edge_id e, node_id n) { editor.redirect_edge(e, n); };

/// `set_jump(n, target)` ends a node that has no terminator.
template <class E>
concept can_set_jumps = requires(E& editor, node_id n) { editor.set_jump(n, n); };

/// `keep_edge(e)` turns a branch into a jump.
template <class E>
concept can_keep_edges = requires(E& editor, edge_id e) { editor.keep_edge(e); };

/// `erase_nodes(nodes)` removes nodes.
template <class E>
concept can_erase_nodes = requires(E& editor, span<const node_id> nodes) { editor.erase_nodes(nodes); };

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

/// `rename_use(s, x, v)` makes a statement read a value in place of a variable.
template <class E>
concept can_rename_uses =
    requires(E& editor, statement_id s, variable_id x, value_id v) { editor.rename_use(s, x, v); };

/// `rename_definition(s, x)` turns the definition of a variable by a statement into a value.
template <class E>
concept can_rename_definitions = requires(E& editor, statement_id s, variable_id x) {
  { editor.rename_definition(s, x) } -> std::convertible_to<value_id>;
};

/// `undefined_value(x)` returns the value of a variable that was not written.
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

/// Turns variables into values while the program is being built.
template <class E>
concept on_the_fly_editor = variable_editor<E> && graph_has_in_edges<E> && can_replace_uses<E> && can_erase_values<E>;

MIDEND_END_NAMESPACE
