/// `procedure`: a procedure of the Elbrus-like IR, in flat arrays.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/elbrus/value_table.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// A procedure: nodes, edges and values with stable numbers, and the ways to change them. It is a value: copies are
/// independent, and everything in it is known by number.
///
/// Values and nodes are looked at through the base classes, `value_table` and `flow`. Here operations and edges are
/// made, changed and removed. Edges belong to the terminator of their source, in its order. Operand i of a phi in node
/// n is the input for edge i of `in_edges(n)`: what is done to edges is done to phis. Removing an edge moves the last
/// one into its place, in that list and in the phis.
///
/// Nothing here checks types or dominance; `verify` does. Requires of every number that it is one of this procedure.
/// Drafts must not refer to lists of this procedure.
/// Each step is O(1) amortised beside the phis and edges it has to touch; 100 bytes a value, 16 an operand.
class procedure : public value_table {
public:
  // What it is called and takes.

  std::string_view name() const { return names_[name_]; }

  void set_name(std::string_view name) { name_ = names_.add(name); }

  type result_type() const { return result_type_; }

  void set_result_type(type t) { result_type_ = t; }

  /// How often it is called.
  std::uint64_t count() const { return count_; }

  void set_count(std::uint64_t count) { count_ = count; }

  source_location location() const { return location_; }

  void set_location(source_location location) { location_ = location; }

  // Flow.

  /// One more edge, last among those of its source. Phis of the target get an input that is not set.
  edge_id add_edge(node_id source, node_id target) {
    const edge_id e = begin_edge(source);
    enter_with_phis(e, target);
    return e;
  }

  /// One more edge, for a value of the condition.
  edge_id add_edge(node_id source, node_id target, std::uint64_t case_value) {
    const edge_id e = add_edge(source, target);
    edges_[e].is_default = false;
    edges_[e].case_value = case_value;
    return e;
  }

  /// The edge keeps its place among those of its source, and its case. Phis of the new target get an input that is not
  /// set.
  void redirect_edge(edge_id e, node_id target) {
    leave_with_phis(e);
    enter_with_phis(e, target);
  }

  void erase_edge(edge_id e) {
    leave_with_phis(e);
    end_edge(e);
  }

  /// Requires that no edge leads into it and that no other node uses its values.
  void erase_node(node_id n) {
    MIDEND_ASSERT(n != entry() && in_edges(n).empty(), "a node into which no edge leads", n);
    while (!out_edges(n).empty()) {
      erase_edge(out_edges(n).back());
    }
    for (value_id v = nodes_[n].last; v != no_value; v = values_[v].previous) {
      operands_.clear(values_[v].operands);
    }
    while (nodes_[n].last != no_value) {
      erase_value(nodes_[n].last);
    }
    nodes_[n].erased = true;
  }

  // Operations.

  /// A new operation at the end of a node, or, in a node with a terminator, before that.
  value_id append(node_id n, const operation_draft& draft) {
    return insert(n, elbrus::is_terminator(draft.code) ? no_value : terminator(n), draft);
  }

  /// A new operation before another one.
  value_id insert_before(value_id at, const operation_draft& draft) { return insert(values_[at].node, at, draft); }

  /// A new phi, at the head of a node; its inputs are not set.
  value_id insert_phi(node_id n, type t, std::string_view name = {}, source_location location = {}) {
    return new_phi(n, nodes_[n].first, t, name, location);
  }

  /// A new phi, behind those of the node; its inputs are not set.
  value_id append_phi(node_id n, type t, std::string_view name = {}, source_location location = {}) {
    value_id behind = nodes_[n].first;
    while (behind != no_value && is_phi(behind)) {
      behind = values_[behind].next;
    }
    return new_phi(n, behind, t, name, location);
  }

  /// A call; `draft` has the arguments. With `clobber_kind::listed`, `classes` are what it may write.
  value_id append_call(node_id n, const operation_draft& draft, std::string_view callee,
                       clobber_kind clobbers = clobber_kind::anything, std::span<const alias_id> classes = {}) {
    const value_id v = append(n, draft);
    call_record& record = calls_[values_[v].extra];
    record.callee = names_.add(callee);
    record.clobbers = clobbers;
    for (const alias_id c : classes) {
      class_lists_.push_back(record.classes, c);
    }
    return v;
  }

  void set_phi_input(value_id v, edge_id e, value_id input) {
    MIDEND_ASSERT(edges_[e].target == values_[v].node, "an edge into the node of the phi", e, v);
    operands_.set(values_[v].operands, edges_[e].position, input);
  }

  void set_operand(value_id v, std::size_t i, value_id operand) { operands_.set(values_[v].operands, i, operand); }

  void set_flags(value_id v, attributes flags) { values_[v].flags = flags; }

  /// What an operation wrote to a variable becomes its value.
  void detach_variable(value_id v) { values_[v].variable = no_value; }

  void replace_uses(value_id v, value_id by) { operands_.replace_uses(v, by); }

  /// Requires that nobody uses it. The edges of a terminator have to be erased, too.
  void erase_value(value_id v) {
    MIDEND_ASSERT(is_operation(v) && !has_users(v), "an operation that nobody uses", v);
    operands_.clear(values_[v].operands);
    unlink(v);
    values_[v].kind = value_kind::erased;
  }

private:
  value_id new_phi(node_id n, value_id before, type t, std::string_view name, source_location location) {
    const value_id v = insert(n, before, {.code = opcode::phi, .type = t, .name = name, .location = location});
    for (std::size_t i = 0; i != in_edges(n).size(); ++i) {
      operands_.push_back(values_[v].operands, v, no_value);
    }
    return v;
  }

  value_id insert(node_id n, value_id before, const operation_draft& draft) {
    const value_id v = add_value(value_kind::operation, draft.type, draft.name, draft.location);
    value_record& record = values_[v];
    record.code = draft.code;
    record.operand_type = draft.operand_type;
    record.flags = draft.flags;
    record.variable = draft.variable;
    for (const value_id operand : draft.operands) {
      operands_.push_back(record.operands, v, operand);
    }
    if (draft.guard != no_value) {
      record.guarded = true;
      record.guard_negated = draft.guard_negated;
      operands_.push_back(record.operands, v, draft.guard);
    }
    if (draft.otherwise != no_value) {
      record.has_otherwise = true;
      operands_.push_back(record.operands, v, draft.otherwise);
    }
    if (info_of(draft.code).form == opcode_form::memory) {
      record.extra = static_cast<std::uint32_t>(accesses_.size());
      accesses_.push_back(draft.access);
    } else if (draft.code == opcode::call) {
      record.extra = static_cast<std::uint32_t>(calls_.size());
      calls_.emplace_back();
    }
    link(v, n, before);
    return v;
  }

  void link(value_id v, node_id n, value_id before) {
    node_record& home = nodes_[n];
    value_record& record = values_[v];
    record.node = n;
    record.next = before;
    record.previous = before == no_value ? home.last : values_[before].previous;
    (record.previous == no_value ? home.first : values_[record.previous].next) = v;
    (before == no_value ? home.last : values_[before].previous) = v;
  }

  void unlink(value_id v) {
    const value_record& record = values_[v];
    node_record& home = nodes_[record.node];
    (record.previous == no_value ? home.first : values_[record.previous].next) = record.next;
    (record.next == no_value ? home.last : values_[record.next].previous) = record.previous;
  }

  template <class Visit> void for_each_phi(node_id n, Visit visit) {
    for (value_id v = nodes_[n].first; v != no_value && is_phi(v); v = values_[v].next) {
      visit(v);
    }
  }

  void enter_with_phis(edge_id e, node_id target) {
    enter(e, target);
    for_each_phi(target, [&](value_id phi) { operands_.push_back(values_[phi].operands, phi, no_value); });
  }

  /// Phis do as the list of edges does: the last input moves into the place of the one that goes.
  void leave_with_phis(edge_id e) {
    const edge_record left = edge(e);
    leave(e);
    for_each_phi(left.target, [&](value_id phi) {
      operands_.set(values_[phi].operands, left.position, operands(phi).back());
      operands_.erase(values_[phi].operands, operands(phi).size() - 1);
    });
  }

  name_id name_ = 0;
  type result_type_ = type::none;
  std::uint64_t count_ = no_count;
  source_location location_;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
