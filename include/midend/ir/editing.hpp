/// The editing rungs of the IR contract: how transformations change a program. An *editor* is an object with the
/// members below. They change the user's function immediately; usually the editor holds a reference to it. An editor is
/// also a view of the present state of the function.
///
/// **Changing values** (`value_editor`, in addition to the SSA rung and the `constant_type` of the semantics rung):
///
///     value_id insert_phi(node_id n, value_id like);               // at the head of n, of the type of `like`
///     void set_phi_input(value_id phi, edge_id e, value_id v);
///     void replace_uses(value_id v, value_id by);                  // all operands v become `by`
///     void erase_value(value_id v);                                // which has no users
///              value_id clone_value(value_id v, node_id n); // a copy with equal operands in n
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
/// Numbers are stable: an id names one thing until that is erased, and is not reused while the editor exists. So
/// results by id stay meaningful. New things get numbers at the end, so `num_nodes()`, `num_edges()` and `num_values()`
/// only grow. An erased node is an unreachable node without successors or values; an erased edge has the source
/// `no_node` and is in no list; an erased value is in no node, has no operands and is no phi. The view answers for an
/// erased value as for a parameter: its `operation` is `other` of some width, its `constant` nothing. A change
/// invalidates all ranges returned before.
///
/// `epoch()` of the graph, if it has one, counts changes of nodes and edges. Each of them must change it. Changes of
/// values must not, because transformations use dominators and loops while they insert phis.
///
/// - `insert_phi`: the phi has an input for each edge into `n`, none of them set (`no_value`).
/// - `clone_value`: the clone is appended to `n`. A cloned phi has inputs that are not set. A terminator is cloned into
///   a node without terminator, with its edges: targets, order and cases are those of the original. Phis in the targets
///   get inputs that are not set.
/// - `create_node`: name, profile, source location and other attributes are derived from those of `like`.
/// - `redirect_edge`: the edge keeps its place among the successors of its source, its number and its case. Phis of the
///   old target lose their input for `e`, phis of the new target get one that is not set.
/// - `keep_edge`: the other edges of its source are removed, with their phi inputs. The branch becomes a jump and reads
///   nothing.
/// - `erase_nodes`: removes their values and the edges from them, with the phi inputs of those edges. Requires that the
///   entry is not among them, that no edge leads to them from other nodes, and that no other node uses their values.
///   They are erased together because they may lead to and use each other.
///
/// **Changing operations** (`operation_editor`, in addition to `value_editor`):
///
///     void set_operand(value_id user, std::size_t i, value_id v);  // operand i of operands(user), which is no phi
///     value_id clone_value(value_id v, place p);                   // as above, at a place
///     void move_value(value_id v, place p);
///     void drop_promises(value_id v);
///     value_id make_operation(operation_info info, std::span<const value_id> operands, place p);
///     value_id make_number(unsigned width, std::uint64_t bits);    // an integer literal
///     value_id undefined_like(value_id v);                         // a literal with any value, of the type of v
///
/// - `place_at_head(n)` is after the phis of a node, `place_at_end(n)` before its terminator if it has one,
///   `place_before(v)` directly before a value.
/// - `set_operand`: `v` may be `no_value` until the operand is set again.
/// - `move_value`: the value keeps its number, operands and users. A phi moves to a place before a phi or to the head
///   of a node; in another node its inputs are not set. A terminator moves to the end of a node without terminator and
///   takes its edges along: they keep their numbers, cases and phi inputs.
/// - `drop_promises`: drops nsw and the like, so that the operation may run where it did not run before. Its result is
///   unchanged where the promise is kept, and is some result elsewhere. An operation that may trap without promises
///   still may.
/// - `make_operation`, `make_number`: make operations and numbers of the vocabulary of `ir/operation.hpp`. `no_value`
///   if the IR has no such operation or no number of this width. In an IR that `has_wide_numbers`, a literal of more
///   than 64 bits has zeros above the given 64 bits.
///
/// **Classes of memory** (`memory_class_editor`, optional):
///
///     value_id address_as_number(value_id address, place p);   // a base of `memory(v)`, as a number of 64 bits
///     std::uint32_t make_memory_class();                         // that no access has
///     void set_memory_class(value_id v, std::uint32_t c, node_id scope);
///
/// - `address_as_number`: a value that operations of the vocabulary can read, the address itself or an operation made
///   at the place; `no_value` if the IR has none.
/// - `set_memory_class`: sets the class of a load or store. If `scope` is `no_node`, this is `memory` of its reference;
///   else it is `local`, a class within a run of the loop whose header is `scope`. `c` may be `any_memory`.
///
/// **Memory of its own** (`memory_editor`, optional): for transformations that keep values in memory.
///
///     value_id make_local_array(std::uint32_t bytes);              // its address, in no node or in the entry
///     value_id make_load(value_id like, const memory_reference& m, place p);
///     value_id make_store(value_id v, const memory_reference& m, place p);
///     std::uint32_t storage_bytes(value_id v) const;               // that a store of v writes; 0: v cannot be stored
///     std::uint32_t local_array_bytes(value_id v) const;           // of a local array; 0: v is none
///
/// - `make_local_array`: memory that each call of the function has for itself, and that nothing else accesses. Its
///   bytes are not written at first, and no other memory has its addresses. `erase_value` removes it if nothing reads
///   it.
/// - `make_load`: a load with the type of `like`; `make_store`: a store of `v`. They use base, index, scale, offset,
///   bytes and class of the reference. Store a value and load it with its type from this place with as many bytes: the
///   load gives the value, with all its bits. `no_value` if the IR has no such operation. An IR whose accesses read an
///   address makes operations before the access that compute it from base and index; their numbers precede its own.
///   They have no effect and do not trap, and nothing else may read them.
/// - `storage_bytes`: 0 if a store in bounds might trap, for instance of a value that may be undefined.
///
/// A local class belongs to the loop whose header has this number. A transformation that puts iterations of another
/// loop into it, because both get one header or change places, must clear the local classes. Copies outside of the loop
/// have none: readers of `local` must ask whether the access is in the loop.
///
/// **Making branches** (`branch_editor`, in addition to `flow_editor` and `constant_type`):
///
///     void erase_end(node_id n);                                   // terminator and edges of n, with their phi inputs
///     void set_branch(node_id n, value_id condition, node_id then, node_id otherwise);
///     void set_switch(node_id n, value_id v, std::span<const constant_type> cases, std::span<const node_id> targets,
///                     node_id otherwise);
///
/// The node has no terminator. `set_branch` makes two edges, the first for a condition that holds; `set_switch` one for
/// each case in this order, then the default. Phis in the targets get inputs that are not set.
///
/// **What cannot be changed** (optional): `bool may_redirect(edge_id e) const` and `bool may_split(edge_id e) const`,
/// for indirect branches, exception edges and the like. Without them every edge may be redirected and split. A
/// transformation leaves such edges unchanged and lists them in its plan. `bool may_insert_phi(value_id like) const`,
/// likewise optional: false for values that no phi can take, such as tokens. `insert_phi` is not called for them. `bool
/// may_replace_operand(value_id user, std::size_t i) const`, optional too: false if operand i must not become another
/// value, because the operation names this very value: an entry of a stack map, or a register that an instruction reads
/// implicitly. List such implicit reads as operands, after the operands of the computation. Such a value is replaced
/// nowhere. Copies of the operation read copies of the value, so `may_insert_phi` must be false for it. `bool
/// separates_parallel_edges() const`, optional too: true if the IR must put a node on a parallel edge whose phi inputs
/// differ from those of the others, as LLVM must. `clean_control` then keeps the empty nodes there.
///
/// **Where a value is** (`places_values`): `node_id node_of(value_id v) const`, `no_node` for a value in no node, and
/// `value_id value_after(value_id v) const`, the next value of its node or `no_value`.
///
/// **Undoing** (`restoring_editor`): erased things come back with their numbers, for `recording_editor`:
///
///     void restore_value(value_id v, place p, std::span<const value_id> operands);
///     void restore_end(value_id terminator, node_id n, std::span<const value_id> operands,
///                      std::span<const edge_id> edges, std::span<const node_id> targets);
///     void restore_node(node_id n);                                // empty
///     std::uint64_t promises(value_id v) const;                    // all promises in a word of the editor's choice
///     void set_promises(value_id v, std::uint64_t promises);
///
/// - `restore_value`: not for terminators. Operands may be values that are restored later. A phi comes back with inputs
///   that are not set, and `operands` is empty.
/// - `restore_end`: the node has no terminator; the erased one comes back with the edges that it had, in this order and
///   with their cases. Phis in the targets get inputs that are not set. `terminator` is `no_value` in an IR whose
///   terminators are not values. Ends are restored in the reverse order of their removal.
///
/// **From variables to values** (`variable_editor`): SSA construction requires this of an IR whose statements write
/// variables, in addition to the statements rung:
///
///     value_id insert_variable_phi(node_id n, variable_id x);      // at the head of n, before the phis there
///     void set_phi_input(value_id phi, edge_id e, value_id v);
///     void rename_use(statement_id s, variable_id x, value_id v);  // s reads v wherever it read x
///     value_id rename_definition(statement_id s, variable_id x);   // the value that s wrote to x
///     value_id undefined_value(variable_id x);                     // of a variable that was never written
///
/// `statements(n)` and the numbers of statements do not change: a phi made by `insert_variable_phi` is not a statement.
/// After `rename_use(s, x, v)`, `uses(s)` does not list x; after `rename_definition(s, x)`, neither `definitions(s)`
/// nor `may_definitions(s)` does. For a statement that may define x both are called, each once for each x.
/// `rename_use(s, x, v)` comes first, even if `uses(s)` does not list x: x is v if `s` does not write it.
///
/// `phi_removing_editor` can also remove phis that turn out to be redundant: `replace_uses(v, by)`, also in inputs of
/// phis, and `erase_value(v)` for such phis. Optional, for `agreeing_phis::remove`: with `is_undefined(v)`,
///
///     bool can_replace_undefined(value_id v, node_id n, const dominator_tree& tree) const;
///
/// says whether v may take the place of an undefined value that a phi of n reads: v exists at the head of n, and
/// undefined may be this value. False for phis of `insert_variable_phi`. Without the member, an undefined value is a
/// value like others.
///
/// `on_the_fly_editor` is for SSA construction without analyses, which inserts phis that turn out to be redundant. It
/// adds `replace_uses(v, by)`, also in inputs of phis, and `erase_value(v)` for such phis, and `graph().in_edges(n)`,
/// the edges into a node. A front end tells `on_the_fly_ssa` its reads and writes, so it needs neither statements nor
/// the two members that rename: `variable_phi_editor`.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The position of a new operation.
struct place {
  enum class kind : std::uint8_t {
    head,  ///< of `node`, after its phis
    end,   ///< of `node`, before its terminator if it has one
    before ///< `value`
  };

  kind where = kind::end;
  node_id node = no_node;
  value_id value = no_value;

  friend constexpr bool operator==(const place&, const place&) = default;
};

/// After the phis of a node.
constexpr place place_at_head(node_id n) {
  return {place::kind::head, n, no_value};
}

/// After all operations of a node, before the terminator if there is one.
constexpr place place_at_end(node_id n) {
  return {place::kind::end, n, no_value};
}

/// Directly before a value of a node.
constexpr place place_before(value_id v) {
  return {place::kind::before, no_node, v};
}

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

/// `set_operand(user, i, v)` changes one operand.
template <class E>
concept can_set_operands = requires(E& editor, value_id v, std::size_t i) { editor.set_operand(v, i, v); };

/// `clone_value(v, place)` copies an operation to a place.
template <class E>
concept can_clone_values_to_places = requires(E& editor, value_id v, place p) {
  { editor.clone_value(v, p) } -> std::convertible_to<value_id>;
};

/// Copies the guarded operation `v` to a place, without its guard.
template <class E>
concept can_clone_unguarded = requires(E& editor, value_id v, place p) {
  { editor.clone_unguarded(v, p) } -> std::convertible_to<value_id>;
};

/// `move_value(v, place)` moves an operation.
template <class E>
concept can_move_values = requires(E& editor, value_id v, place p) { editor.move_value(v, p); };

/// `drop_promises(v)` drops promises that make an earlier execution undefined.
template <class E>
concept can_drop_promises = requires(E& editor, value_id v) { editor.drop_promises(v); };

/// `make_operation(info, operands, place)` makes an operation of the vocabulary.
template <class E>
concept can_make_operations = requires(E& editor, const operation_info& info, span<const value_id> operands, place p) {
  { editor.make_operation(info, operands, p) } -> std::convertible_to<value_id>;
};

/// `is_number(v)`: whether operations of the vocabulary can read `v`. A value that is shown as a number may have
/// another type, such as a pointer; then a `copy` of it can be read. Without this member, all numbers can be read.
template <class E>
concept has_is_number = requires(const E& editor, value_id v) {
  { editor.is_number(v) } -> std::convertible_to<bool>;
};

/// `make_number(width, bits)` returns an integer literal.
template <class E>
concept can_make_numbers = requires(E& editor, unsigned width, std::uint64_t bits) {
  { editor.make_number(width, bits) } -> std::convertible_to<value_id>;
};

/// An integer literal that can be read in place of `like`, or beside it: `make_number`, or, if `same_type` says that
/// this has another type, `make_constant(like, bits)`. So an IR may have numbers with and without a sign. `no_value` if
/// the IR has no number of this width.
template <class E>
  requires can_make_numbers<E>
constexpr value_id number_like(E& editor, [[maybe_unused]] value_id like, unsigned width, std::uint64_t bits) {
  const auto number = static_cast<value_id>(editor.make_number(width, bits));
  if constexpr (has_same_type<E> && can_make_constants<E>) {
    if constexpr (std::same_as<constant_of<E>, std::uint64_t>) {
      if (number != no_value && like != no_value && !editor.same_type(like, number)) {
        return static_cast<value_id>(editor.make_constant(like, bits));
      }
    }
  }
  return number;
}

/// `undefined_like(v)` returns a literal with any value.
template <class E>
concept can_make_undefined_values = requires(E& editor, value_id v) {
  { editor.undefined_like(v) } -> std::convertible_to<value_id>;
};

/// Makes, moves and changes operations.
template <class E>
concept operation_editor =
    value_editor<E> && can_set_operands<E> && can_clone_values_to_places<E> && can_move_values<E> &&
    can_drop_promises<E> && can_make_operations<E> && can_make_numbers<E> && can_make_undefined_values<E>;

struct memory_reference;

/// `address_as_number(address, place)` gives an address as a number.
template <class E>
concept can_read_addresses = requires(E& editor, value_id address, place p) {
  { editor.address_as_number(address, p) } -> std::convertible_to<value_id>;
};

/// `make_memory_class()` returns a class of memory that no access has.
template <class E>
concept can_make_memory_classes = requires(E& editor) {
  { editor.make_memory_class() } -> std::convertible_to<std::uint32_t>;
};

/// `set_memory_class(v, c, scope)` sets the class of a load or store, for the procedure or within a loop.
template <class E>
concept can_set_memory_classes =
    requires(E& editor, value_id v, std::uint32_t c, node_id scope) { editor.set_memory_class(v, c, scope); };

/// Compares addresses before a loop, and marks accesses that do not meet in it.
template <class E>
concept memory_class_editor = can_read_addresses<E> && can_make_memory_classes<E> && can_set_memory_classes<E>;

/// `make_local_array(bytes)` makes memory that each call of the function has for itself.
template <class E>
concept can_make_local_arrays = requires(E& editor, std::uint32_t bytes) {
  { editor.make_local_array(bytes) } -> std::convertible_to<value_id>;
};

/// `make_load(like, m, p)` makes a load of the type of a value.
template <class E>
concept can_make_loads = requires(E& editor, value_id like, const memory_reference& m, place p) {
  { editor.make_load(like, m, p) } -> std::convertible_to<value_id>;
};

/// `make_store(v, m, p)` makes a store of a value.
template <class E>
concept can_make_stores = requires(E& editor, value_id v, const memory_reference& m, place p) {
  { editor.make_store(v, m, p) } -> std::convertible_to<value_id>;
};

/// `storage_bytes(v)` says how many bytes a store of a value writes.
template <class IR>
concept has_storage_bytes = requires(const IR& ir, value_id v) {
  { ir.storage_bytes(v) } -> std::convertible_to<std::uint32_t>;
};

/// `local_array_bytes(v)` says how many bytes a local array has.
template <class IR>
concept has_local_array_bytes = requires(const IR& ir, value_id v) {
  { ir.local_array_bytes(v) } -> std::convertible_to<std::uint32_t>;
};

/// Keeps values in memory of its own.
template <class E>
concept memory_editor = can_make_local_arrays<E> && has_local_array_bytes<E> && can_make_loads<E> &&
                        can_make_stores<E> && has_storage_bytes<E> && can_make_memory_classes<E>;

/// `erase_end(n)` removes the terminator of a node and its edges.
template <class E>
concept can_erase_ends = requires(E& editor, node_id n) { editor.erase_end(n); };

/// `set_branch(n, condition, then, otherwise)` ends a node in a branch with two edges.
template <class E>
concept can_set_branches = requires(E& editor, node_id n, value_id c) { editor.set_branch(n, c, n, n); };

/// `set_switch(n, v, cases, targets, otherwise)` ends a node in a branch with many edges.
template <class E>
concept can_set_switches = requires(E& editor, node_id n, value_id v, span<const constant_of<E>> cases,
                                    span<const node_id> targets) { editor.set_switch(n, v, cases, targets, n); };

/// Makes branches.
template <class E>
concept branch_editor =
    flow_editor<E> && has_constant_type<E> && can_erase_ends<E> && can_set_branches<E> && can_set_switches<E>;

/// `may_redirect(e)` says whether the target of an edge can be changed. Optional.
template <class IR>
concept has_may_redirect = requires(const IR& ir, edge_id e) {
  { ir.may_redirect(e) } -> truth_value;
};

/// `may_split(e)` says whether a node can be put on an edge. Optional.
template <class IR>
concept has_may_split = requires(const IR& ir, edge_id e) {
  { ir.may_split(e) } -> truth_value;
};

/// `may_insert_phi(v)` says whether a phi can have the type of `v`. Optional.
template <class IR>
concept has_may_insert_phi = requires(const IR& ir, value_id v) {
  { ir.may_insert_phi(v) } -> truth_value;
};

/// Whether a phi can have the type of `v`.
template <class IR> constexpr bool may_insert_phi([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  if constexpr (has_may_insert_phi<IR>) {
    return static_cast<bool>(ir.may_insert_phi(v));
  } else {
    return true;
  }
}

/// `separates_parallel_edges()` says whether the IR needs a node of its own for a parallel edge whose phi inputs differ
/// from those of the others. Optional.
template <class IR>
concept has_separates_parallel_edges = requires(const IR& ir) {
  { ir.separates_parallel_edges() } -> truth_value;
};

/// Whether edges of a node to the same target should have equal phi inputs.
template <class IR> constexpr bool separates_parallel_edges([[maybe_unused]] const IR& ir) {
  if constexpr (has_separates_parallel_edges<IR>) {
    return static_cast<bool>(ir.separates_parallel_edges());
  } else {
    return false;
  }
}

/// Whether the target of an edge can be changed.
template <class IR> constexpr bool may_redirect([[maybe_unused]] const IR& ir, [[maybe_unused]] edge_id e) {
  if constexpr (has_may_redirect<IR>) {
    return static_cast<bool>(ir.may_redirect(e));
  } else {
    return true;
  }
}

/// Whether a node can be put on an edge.
template <class IR> constexpr bool may_split([[maybe_unused]] const IR& ir, [[maybe_unused]] edge_id e) {
  if constexpr (has_may_split<IR>) {
    return static_cast<bool>(ir.may_split(e)) && may_redirect(ir, e);
  } else {
    return may_redirect(ir, e);
  }
}

/// `node_of(v)` returns the node of an operation.
template <class IR>
concept has_node_of = requires(const IR& ir, value_id v) {
  { ir.node_of(v) } -> std::convertible_to<node_id>;
};

/// `value_after(v)` returns the next value of a node.
template <class IR>
concept has_value_after = requires(const IR& ir, value_id v) {
  { ir.value_after(v) } -> std::convertible_to<value_id>;
};

/// Gives the node and the successor of a value.
template <class IR>
concept places_values = has_node_of<IR> && has_value_after<IR>;

/// `restore_value(v, place, operands)` brings an erased operation back.
template <class E>
concept can_restore_values =
    requires(E& editor, value_id v, place p, span<const value_id> operands) { editor.restore_value(v, p, operands); };

/// `restore_end(terminator, n, operands, edges, targets)` brings an erased terminator and its edges back.
template <class E>
concept can_restore_ends = requires(E& editor, value_id v, node_id n, span<const std::uint32_t> ids) {
  editor.restore_end(v, n, ids, ids, ids);
};

/// `restore_node(n)` brings an erased node back.
template <class E>
concept can_restore_nodes = requires(E& editor, node_id n) { editor.restore_node(n); };

/// `promises(v)` returns all promises of an operation in a word, and `set_promises(v, word)` sets them.
template <class E>
concept can_set_promises = requires(E& editor, const E& view, value_id v, std::uint64_t word) {
  { view.promises(v) } -> std::convertible_to<std::uint64_t>;
  editor.set_promises(v, word);
};

/// Undoes removals.
template <class E>
concept restoring_editor = can_restore_values<E> && can_restore_ends<E> && can_restore_nodes<E> && can_set_promises<E>;

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

/// Makes phis of variables, and removes redundant ones: a front end that builds SSA form needs this.
template <class E>
concept variable_phi_editor =
    has_graph<E> && graph_is_edge_indexed<E> && graph_has_in_edges<E> && can_insert_variable_phis<E> &&
    can_set_phi_inputs<E> && has_undefined_values<E> && can_replace_uses<E> && can_erase_values<E>;

/// Turns variables into values without analyses.
template <class E>
concept on_the_fly_editor = variable_editor<E> && variable_phi_editor<E>;

/// Turns variables into values, and removes phis that turn out to be redundant.
template <class E>
concept phi_removing_editor = variable_editor<E> && can_replace_uses<E> && can_erase_values<E>;

namespace detail {

// What cannot be changed.

MIDEND_OPTIONAL_MEMBER(may_redirect, has_may_redirect, it.may_redirect(edge_id()),
                       "would never be called, and every edge be redirected",
                       "`bool may_redirect(midend::edge_id e) const`");
MIDEND_OPTIONAL_MEMBER(may_split, has_may_split, it.may_split(edge_id()),
                       "would never be called, and every edge be split", "`bool may_split(midend::edge_id e) const`");
MIDEND_OPTIONAL_MEMBER(may_insert_phi, has_may_insert_phi, it.may_insert_phi(value_id()),
                       "would never be called, and every value get phis",
                       "`bool may_insert_phi(midend::value_id like) const`");
MIDEND_OPTIONAL_MEMBER(separates_parallel_edges, has_separates_parallel_edges, it.separates_parallel_edges(),
                       "would never be called, and parallel edges get different inputs",
                       "`bool separates_parallel_edges() const`");

struct limits_contract : contract<may_redirect_row, may_split_row, may_insert_phi_row, separates_parallel_edges_row,
                                  may_replace_operand_row> {};

/// For plans that read edges and no values.
struct edges_contract : contract<ir_with_edges_contract, limits_contract> {};

// The members of editors.

MIDEND_REQUIRED(can_insert_phis,
                "an editor needs `midend::value_id insert_phi(midend::node_id n, midend::value_id like)`");
MIDEND_REQUIRED(can_set_phi_inputs,
                "an editor needs `void set_phi_input(midend::value_id phi, midend::edge_id e, midend::value_id v)`");
MIDEND_REQUIRED(can_set_operands,
                "an editor needs `void set_operand(midend::value_id user, std::size_t i, midend::value_id v)`");
MIDEND_REQUIRED(can_replace_uses, "an editor needs `void replace_uses(midend::value_id v, midend::value_id by)`");
MIDEND_REQUIRED(can_erase_values, "an editor needs `void erase_value(midend::value_id v)`");
MIDEND_REQUIRED(can_clone_values,
                "an editor needs `midend::value_id clone_value(midend::value_id v, midend::node_id n)`");
MIDEND_REQUIRED(can_make_constants,
                "an editor needs `midend::value_id make_constant(midend::value_id like, constant_type c)`");
MIDEND_REQUIRED(can_create_nodes, "an editor needs `midend::node_id create_node(midend::node_id like)`");
MIDEND_REQUIRED(can_redirect_edges, "an editor needs `void redirect_edge(midend::edge_id e, midend::node_id target)`");
MIDEND_REQUIRED(can_set_jumps, "an editor needs `void set_jump(midend::node_id n, midend::node_id target)`");
MIDEND_REQUIRED(
    can_keep_edges,
    "an editor needs `void keep_edge(midend::edge_id e)`, which makes a jump along e of the branch that e leaves");
MIDEND_REQUIRED(can_erase_nodes, "an editor needs `void erase_nodes(std::span<const midend::node_id> nodes)`");
MIDEND_REQUIRED(has_node_of, "an editor needs `midend::node_id node_of(midend::value_id v) const`, which returns "
                             "midend::no_node for what is in no node");
MIDEND_REQUIRED(graph_has_in_edges,
                "an editor needs `in_edges(midend::node_id n) const` in its graph, which returns the edges into n");
MIDEND_REQUIRED(can_make_undefined_values,
                "an editor needs `midend::value_id undefined_like(midend::value_id v)`, a literal with any value");
MIDEND_REQUIRED(can_move_values, "an editor needs `void move_value(midend::value_id v, midend::place p)`");
MIDEND_REQUIRED(can_drop_promises, "an editor needs `void drop_promises(midend::value_id v)`, after which an operation "
                                   "may run where it did not; empty if operations promise nothing");
MIDEND_REQUIRED(can_make_operations, "an editor needs `midend::value_id make_operation(midend::operation_info info, "
                                     "midend::span<const midend::value_id> operands, midend::place p)`");
MIDEND_REQUIRED(
    can_make_numbers,
    "an editor needs `midend::value_id make_number(unsigned width, std::uint64_t bits)`, which returns a literal");
MIDEND_REQUIRED(can_erase_ends, "an editor needs `void erase_end(midend::node_id n)`");
MIDEND_REQUIRED(can_set_branches, "an editor needs `void set_branch(midend::node_id n, midend::value_id condition, "
                                  "midend::node_id then, midend::node_id otherwise)`");
MIDEND_REQUIRED(can_make_local_arrays,
                "an editor needs `midend::value_id make_local_array(std::uint32_t bytes)`, which returns the address "
                "of memory that each call has for itself, or midend::no_value");
MIDEND_REQUIRED(can_make_loads, "an editor needs `midend::value_id make_load(midend::value_id like, const "
                                "midend::memory_reference& m, midend::place p)`");
MIDEND_REQUIRED(can_make_stores, "an editor needs `midend::value_id make_store(midend::value_id v, const "
                                 "midend::memory_reference& m, midend::place p)`");
MIDEND_REQUIRED(has_storage_bytes, "an editor needs `std::uint32_t storage_bytes(midend::value_id v) const`: how many "
                                   "bytes a store of v writes, 0 if it cannot be stored");
MIDEND_REQUIRED(has_local_array_bytes, "an editor needs `std::uint32_t local_array_bytes(midend::value_id v) const`: "
                                       "how many bytes a local array has, 0 for any other value");
MIDEND_REQUIRED(can_make_memory_classes,
                "an editor needs `std::uint32_t make_memory_class()`, which returns a class that no access has");
MIDEND_REQUIRED(can_insert_variable_phis,
                "an editor needs `midend::value_id insert_variable_phi(midend::node_id n, midend::variable_id x)`");
MIDEND_REQUIRED(can_rename_uses,
                "an editor needs `void rename_use(midend::statement_id s, midend::variable_id x, midend::value_id v)`");
MIDEND_REQUIRED(can_rename_definitions,
                "an editor needs `midend::value_id rename_definition(midend::statement_id s, midend::variable_id x)`");
MIDEND_REQUIRED(has_undefined_values, "an editor needs `midend::value_id undefined_value(midend::variable_id x)`");

struct ir_editor_contract
    : contract<ssa_contract, can_insert_phis_row, can_set_phi_inputs_row, can_replace_uses_row, can_erase_values_row,
               can_clone_values_row, has_constant_type_row, can_make_constants_row, can_create_nodes_row,
               can_redirect_edges_row, can_set_jumps_row, can_keep_edges_row, can_erase_nodes_row, limits_contract> {};

struct memory_editor_contract
    : contract<can_make_local_arrays_row, can_make_loads_row, can_make_stores_row, has_storage_bytes_row,
               has_local_array_bytes_row, can_make_memory_classes_row> {};

struct variable_editor_contract
    : contract<statement_contract, ir_with_edges_contract, can_insert_variable_phis_row, can_set_phi_inputs_row,
               can_rename_uses_row, can_rename_definitions_row, has_undefined_values_row> {};

struct variable_phi_editor_contract
    : contract<ir_with_edges_contract, can_insert_variable_phis_row, can_set_phi_inputs_row, has_undefined_values_row,
               graph_has_in_edges_row, can_replace_uses_row, can_erase_values_row> {};

struct phi_removing_editor_contract : contract<variable_editor_contract, can_replace_uses_row, can_erase_values_row> {};

struct on_the_fly_editor_contract : contract<variable_editor_contract, variable_phi_editor_contract> {};

} // namespace detail

// What functions take: the concept, with optional members that fit; otherwise an error.
template <class IR>
concept graph_of_ir_argument = detail::edges_contract::fits<IR> || detail::edges_contract::explain<IR>();
template <class E>
concept ir_editor_argument =
    (ir_editor<E> && detail::ir_editor_contract::fits<E>) || detail::ir_editor_contract::explain<E>();
template <class E>
concept memory_editor_argument =
    (memory_editor<E> && detail::memory_editor_contract::fits<E>) || detail::memory_editor_contract::explain<E>();
template <class E>
concept variable_editor_argument =
    (variable_editor<E> && detail::variable_editor_contract::fits<E>) || detail::variable_editor_contract::explain<E>();
template <class E>
concept phi_removing_editor_argument = (phi_removing_editor<E> && detail::phi_removing_editor_contract::fits<E>) ||
                                       detail::phi_removing_editor_contract::explain<E>();
template <class E>
concept variable_phi_editor_argument = (variable_phi_editor<E> && detail::variable_phi_editor_contract::fits<E>) ||
                                       detail::variable_phi_editor_contract::explain<E>();
template <class E>
concept on_the_fly_editor_argument = (on_the_fly_editor<E> && detail::on_the_fly_editor_contract::fits<E>) ||
                                     detail::on_the_fly_editor_contract::explain<E>();

MIDEND_END_NAMESPACE
