/// Checks that the arrays of a procedure agree with each other.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/messages.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Finds errors that no text has and that would mislead all other checks: broken lists, numbers out of range, edges
/// that are missing at one end, operands that are missing among the users of their value. `Procedure` is `procedure`,
/// or a damaged class of a test with its members. O(values + operands + nodes + edges).
template <class Procedure> class structure_check {
public:
  structure_check(const Procedure& p, error_list& errors) : p_(p), errors_(errors) {}

  void run() {
    if (p_.num_nodes() == 0) {
      errors_.of_procedure({"there is no node"});
      return;
    }
    for (edge_id e = 0; e != p_.num_edges(); ++e) {
      edge(e);
    }
    listed_.assign(p_.num_edges(), 0);
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      edge_lists(n);
      operation_list(n);
    }
    if (live_edges_ != 0) {
      errors_.of_procedure({"an edge is missing in the list of its source"});
    }
    reads_.assign(p_.num_values(), 0);
    for (value_id v = 0; v != p_.num_values(); ++v) {
      operands(v);
    }
    if (unplaced_ != 0) {
      errors_.of_procedure({"an operation stands in no node"});
    }
    for (value_id v = 0; v != p_.num_values(); ++v) {
      users(v);
    }
  }

private:
  /// Its position in the list of its target is right, and its source exists.
  void edge(edge_id e) {
    const edge_record& edge = p_.edge(e);
    if (edge.source == no_node) {
      return;
    }
    ++live_edges_;
    if (edge.source >= p_.num_nodes() || edge.target >= p_.num_nodes()) {
      errors_.of_procedure({"edge #", e, " leads from or to a node that is not there"});
      return;
    }
    const auto in = p_.in_edges(edge.target);
    if (edge.position >= in.size() || in[edge.position] != e) {
      errors_.of_node(edge.target, {"edge #", e, " is not where it says among those into the node"});
    }
  }

  /// Each edge is in the list of its source once; lists contain nothing else, and erased nodes have no edges.
  void edge_lists(node_id n) {
    for (const edge_id e : p_.out_edges(n)) {
      if (e >= p_.num_edges() || p_.edge(e).source != n || listed_[e] != 0) {
        errors_.of_node(n, {"edge #", e, " does not belong into the list of those from the node"});
        continue;
      }
      listed_[e] = 1;
      --live_edges_;
    }
    for (const edge_id e : p_.in_edges(n)) {
      if (e >= p_.num_edges() || p_.edge(e).target != n || p_.edge(e).source == no_node) {
        errors_.of_node(n, {"edge #", e, " does not belong into the list of those into the node"});
      }
    }
    if (p_.node_core(n).erased &&
        (!p_.out_edges(n).empty() || !p_.in_edges(n).empty() || p_.node_core(n).first != no_value)) {
      errors_.of_node(n, {"an erased node has edges or operations"});
    }
  }

  /// The operations of a node are linked in both directions, and their records name the node. An operation that is in
  /// the list twice would have two predecessors, so the walk ends.
  void operation_list(node_id n) {
    value_id previous = no_value;
    for (value_id v = p_.node_core(n).first; v != no_value; v = p_.core(v).next) {
      if (v >= p_.num_values() || p_.core(v).kind != value_kind::operation || p_.core(v).node != n ||
          p_.core(v).previous != previous) {
        errors_.of_node(n, {"the list of operations is torn at value #", v});
        return;
      }
      previous = v;
      --unplaced_;
    }
    if (p_.node_core(n).last != previous) {
      errors_.of_node(n, {"the list of operations does not end where the node says"});
    }
  }

  /// Operands are values that were not erased, guard and otherwise are among them, and operations alone have any.
  /// Counts how often each value is read.
  void operands(value_id v) {
    const value_core& record = p_.core(v);
    const bool operation = record.kind == value_kind::operation;
    unplaced_ += operation;
    const auto operands = p_.operands(v);
    const std::size_t least = operation ? std::size_t{record.guarded} + record.has_otherwise : 0;
    if (operands.size() < least || (!operation && !operands.empty())) {
      errors_.of_value(v, {"value #", v, " has too many or too few operands for what it is"});
    }
    for (const value_id operand : operands) {
      if (operand == no_value) {
        continue; // may be set later
      }
      if (operand >= p_.num_values() || p_.core(operand).kind == value_kind::erased) {
        errors_.of_value(v, {"operand #", operand, " is not there"});
      } else {
        ++reads_[operand];
      }
    }
  }

  /// The users are operations, one for each read of the value.
  void users(value_id v) {
    std::uint32_t missing = reads_[v];
    bool right = true;
    for (const value_id user : p_.users(v)) {
      right = missing != 0 && user < p_.num_values() && p_.core(user).kind == value_kind::operation;
      if (!right) {
        break;
      }
      --missing;
    }
    if (!right || missing != 0) {
      errors_.of_value(v, {"the users of value #", v, " are not those that read it"});
    }
  }

  const Procedure& p_;
  error_list& errors_;
  std::size_t live_edges_ = 0;      ///< that are still to be found in the list of their source
  std::size_t unplaced_ = 0;        ///< operations less those found in nodes, modulo 2^64
  flat_array<std::uint8_t> listed_; ///< by edge: found in the list of its source
  flat_array<std::uint32_t> reads_; ///< by value
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
