/// `editor`: changes a procedure of the Elbrus-like IR through the editing rungs of the IR contract.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/views/variable_view.hpp"
#include "midend/elbrus/views/views.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Models `ir_editor` and `on_the_fly_editor`, and with them all reading rungs but expressions: it shows the current
/// state of the procedure, which may also be changed directly.
///
/// New values and nodes have no name. A clone writes the variable that the original writes. An operation whose
/// definition was renamed has its result as its value, without a name; `construct_ssa(procedure)` gives names.
class editor : public semantic_view, public variable_view {
public:
  explicit editor(procedure& p) : semantic_view(p), variable_view(p), procedure_(&p) {}

  const procedure& graph() const { return *procedure_; }

  // Values.

  value_id insert_phi(node_id n, value_id like) { return procedure_->insert_phi(n, procedure_->value(like).type); }

  void set_phi_input(value_id phi, edge_id e, value_id v) { procedure_->set_phi_input(phi, e, v); }

  void replace_uses(value_id v, value_id by) { procedure_->replace_uses(v, by); }

  void erase_value(value_id v) { procedure_->erase_value(v); }

  value_id clone_value(value_id v, node_id n) {
    const value_record original = procedure_->value(v);
    if (original.code == opcode::phi) {
      return procedure_->append_phi(n, original.type, {}, original.location);
    }
    if (original.code == opcode::call) {
      return clone_call(v, n);
    }
    MIDEND_ASSERT(procedure_->terminator(n) == no_value || !is_terminator(original.code), "a node without an end", n);
    const value_id clone = procedure_->append(n, draft_of(v));
    if (is_terminator(original.code)) {
      clone_edges(original.node, n);
    }
    return clone;
  }

  value_id make_constant(value_id like, constant_type c) {
    return procedure_->constant(procedure_->value(like).type, c);
  }

  // Flow.

  /// The node has the count of `like`.
  node_id create_node(node_id like) {
    const node_record original = procedure_->node(like);
    const node_id n = procedure_->create_node({}, original.location);
    procedure_->set_node_count(n, original.count);
    return n;
  }

  void redirect_edge(edge_id e, node_id target) { procedure_->redirect_edge(e, target); }

  void set_jump(node_id n, node_id target) {
    MIDEND_ASSERT(procedure_->terminator(n) == no_value, "a node without an end", n);
    procedure_->append(n, {.code = opcode::jump});
    procedure_->add_edge(n, target);
  }

  void keep_edge(edge_id e) {
    const node_id source = procedure_->edge_source(e);
    MIDEND_ASSERT(source != no_node, "an edge that was not erased", e);
    while (procedure_->out_edges(source).size() > 1) {
      const span<const edge_id> edges = procedure_->out_edges(source);
      procedure_->erase_edge(edges.back() == e ? edges[edges.size() - 2] : edges.back());
    }
    procedure_->clear_case(e);
    procedure_->set_probability(e, -1);
    const source_location location = procedure_->value(procedure_->terminator(source)).location;
    procedure_->erase_value(procedure_->terminator(source));
    procedure_->append(source, {.code = opcode::jump, .location = location});
  }

  void erase_nodes(span<const node_id> nodes) {
    for (const node_id n : nodes) {
      while (!procedure_->out_edges(n).empty()) {
        procedure_->erase_edge(procedure_->out_edges(n).back());
      }
      for (const value_id v : procedure_->values(n)) {
        for (std::size_t i = procedure_->operands(v).size(); i-- != 0;) {
          procedure_->set_operand(v, i, no_value);
        }
      }
    }
    for (const node_id n : nodes) {
      procedure_->erase_node(n);
    }
  }

  // Variables.

  value_id insert_variable_phi(node_id n, variable_id x) {
    return procedure_->insert_phi(n, procedure_->value(variable(x)).type);
  }

  void rename_use(statement_id s, variable_id x, value_id v) {
    const value_id read = variable(x);
    for (std::size_t i = procedure_->operands(s).size(); i-- != 0;) {
      if (procedure_->operands(s)[i] == read) {
        procedure_->set_operand(s, i, v);
      }
    }
  }

  value_id rename_definition(statement_id s, [[maybe_unused]] variable_id x) {
    MIDEND_ASSERT(procedure_->value(s).variable == variable(x), "a variable that the operation writes", s, x);
    procedure_->detach_variable(s);
    return s;
  }

  value_id undefined_value(variable_id x) { return procedure_->undefined(procedure_->value(variable(x)).type); }

private:
  value_id variable(variable_id x) const { return procedure_->variables()[x]; }

  /// The same operation. The operands are copied, because a draft must not refer to the procedure.
  operation_draft draft_of(value_id v) {
    const value_record& original = procedure_->value(v);
    arguments_.assign(procedure_->arguments(v));
    return {.code = original.code,
            .type = original.type,
            .operand_type = original.operand_type,
            .operands = arguments_,
            .flags = original.flags,
            .guard = procedure_->guard(v),
            .guard_negated = original.guard_negated,
            .otherwise = procedure_->otherwise(v),
            .variable = original.variable,
            .access = info_of(original.code).form == opcode_form::memory ? procedure_->access(v) : memory_access(),
            .location = original.location};
  }

  value_id clone_call(value_id v, node_id n) {
    const call_record original = procedure_->call(v);
    const std::string callee(procedure_->text(original.callee));
    clobbered_.assign(procedure_->clobbered(v));
    return procedure_->append_call(n, draft_of(v), callee, original.clobbers, clobbered_);
  }

  void clone_edges(node_id from, node_id to) {
    for (std::size_t i = 0; i != procedure_->out_edges(from).size(); ++i) {
      const edge_record original = procedure_->edge(procedure_->out_edges(from)[i]);
      const edge_id e = original.is_default ? procedure_->add_edge(to, original.target)
                                            : procedure_->add_edge(to, original.target, original.case_value);
      procedure_->set_probability(e, original.probability);
    }
  }

  procedure* procedure_;
  flat_array<value_id> arguments_; ///< of a clone
  flat_array<alias_id> clobbered_;
};

static_assert(ir_editor<editor> && on_the_fly_editor<editor> && semantic_ir<editor>);

} // namespace elbrus

MIDEND_END_NAMESPACE
