/// `editor`: changes a procedure of the Elbrus-like IR through the editing rungs of the IR contract.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/elbrus/views/effect_view.hpp"
#include "midend/elbrus/views/variable_view.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/nearest_number.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Models all editing rungs, and with them all reading rungs but expressions and cost: it shows the current state of
/// the procedure, which may also be changed directly.
///
/// New values and nodes have no name. A clone writes the variable that the original writes. An operation whose
/// definition was renamed has its result as its value, without a name; `construct_ssa(procedure)` gives names.
class editor : public effect_view, public variable_view {
public:
  explicit editor(procedure& p) : effect_view(p), variable_view(p), procedure_(&p) {}

  const procedure& graph() const { return *procedure_; }

  // Values.

  value_id insert_phi(node_id n, value_id like) { return procedure_->insert_phi(n, procedure_->core(like).type); }

  void set_phi_input(value_id phi, edge_id e, value_id v) { procedure_->set_phi_input(phi, e, v); }

  void replace_uses(value_id v, value_id by) { procedure_->replace_uses(v, by); }

  void erase_value(value_id v) {
    if (procedure_->core(v).kind == value_kind::local) {
      procedure_->erase_local(v);
    } else {
      procedure_->erase_value(v);
    }
  }

  value_id clone_value(value_id v, node_id n) {
    const value_core original = procedure_->core(v);
    if (original.code == opcode::phi) {
      return procedure_->append_phi(n, original.type, {}, procedure_->value_location(v));
    }
    if (original.code == opcode::call) {
      return clone_call(v, n);
    }
    MIDEND_ASSERT(procedure_->terminator(n) == no_value || !elbrus::is_terminator(original.code),
                  "a node without an end", n);
    const value_id clone = procedure_->append(n, draft_of(v));
    if (elbrus::is_terminator(original.code)) {
      clone_edges(original.node, n);
    }
    return clone;
  }

  /// Clones to a place, for operations that are neither phis nor terminators.
  value_id clone_value(value_id v, place p) {
    MIDEND_ASSERT(!procedure_->is_phi(v) && !procedure_->is_terminator(v), "neither a phi nor a terminator", v);
    const value_id clone = clone_value(v, node_at(p));
    move_value(clone, p);
    return clone;
  }

  /// A copy of `v` without its guard, which always runs. Requires that `v` is no call.
  value_id clone_unguarded(value_id v, place p) {
    operation_draft draft = draft_of(v);
    draft.guard = draft.otherwise = no_value;
    draft.guard_negated = false;
    const value_id clone = procedure_->append(node_at(p), draft);
    move_value(clone, p);
    return clone;
  }

  void set_operand(value_id user, std::size_t i, value_id v) { procedure_->set_operand(user, i, v); }

  void move_value(value_id v, place p) {
    const value_id before = procedure_->is_terminator(v) ? no_value : value_at(p);
    if (before != v) {
      procedure_->move_value(v, node_at(p), before);
    }
  }

  /// Drops `nsw`.
  void drop_promises(value_id v) {
    attributes flags = procedure_->core(v).flags;
    flags.nsw = false;
    procedure_->set_flags(v, flags);
  }

  std::uint64_t promises(value_id v) const { return procedure_->core(v).flags.nsw ? 1 : 0; }

  void set_promises(value_id v, std::uint64_t promises) {
    attributes flags = procedure_->core(v).flags;
    flags.nsw = promises != 0;
    procedure_->set_flags(v, flags);
  }

  /// Numbers have 1, 8, 16, 32 or 64 bits. Promises of an unsigned kind are dropped. The shift of `shladd` must be a
  /// literal.
  value_id make_operation(const operation_info& info, span<const value_id> operands, place p) {
    const std::optional<type> result = integer_type(info.width);
    const std::optional<type> operand = integer_type(info.operand_width);
    MIDEND_ASSERT(operands.size() == arity(info.code), "the operands of the operation", operands.size());
    for (std::size_t i = 0; info.code != operation::other && result && i != opcode_table.size(); ++i) {
      if (opcode_table[i].meaning != info.code) {
        continue;
      }
      const opcode_form form = opcode_table[i].form;
      const bool is_typed_by_operand = form == opcode_form::comparison || form == opcode_form::conversion;
      if (is_typed_by_operand && !operand) {
        return no_value;
      }
      arguments_.assign(operands);
      const value_id v = procedure_->append(node_at(p), {.code = static_cast<opcode>(i),
                                                         .type = form == opcode_form::comparison ? type::i1 : *result,
                                                         .operand_type = is_typed_by_operand ? *operand : type::none,
                                                         .operands = arguments_,
                                                         .flags = {.nsw = info.flags.no_signed_wrap}});
      move_value(v, p);
      return v;
    }
    return no_value;
  }

  value_id make_number(unsigned width, std::uint64_t bits) {
    const std::optional<type> t = integer_type(width);
    return t ? procedure_->constant(*t, bits) : no_value;
  }

  value_id undefined_like(value_id v) { return procedure_->undefined(procedure_->core(v).type); }

  value_id make_constant(value_id like, constant_type c) {
    return procedure_->constant(procedure_->core(like).type, c);
  }

  // Memory.

  /// Operations on integers read addresses as they are.
  value_id address_as_number(value_id address, [[maybe_unused]] place p) { return address; }

  /// `apart0`, then names with the number of classes, or greater numbers if there is such a name. Looks at each name
  /// once.
  std::uint32_t make_memory_class() {
    note_class_names();
    const std::uint64_t count = procedure_->num_alias_classes();
    const std::uint64_t number = !has_class_of_0_ ? 0 : count > largest_class_ ? count : largest_class_ + 1;
    return procedure_->add_alias_class(class_name(number));
  }

  value_id make_local_array(std::uint32_t bytes) {
    return bytes > largest_local ? no_value : procedure_->add_local({}, bytes);
  }

  value_id make_load(value_id like, const memory_reference& m, place p) {
    const type t = procedure_->core(like).type;
    return make_access({.code = opcode::ld, .type = t}, t, no_value, m, p);
  }

  value_id make_store(value_id v, const memory_reference& m, place p) {
    const type t = procedure_->core(v).type;
    return make_access({.code = opcode::st, .operand_type = t}, t, v, m, p);
  }

  void set_memory_class(value_id v, std::uint32_t c, node_id scope) {
    if (scope == no_node) {
      procedure_->set_alias(v, c);
    } else {
      procedure_->set_local_class(v, c, scope);
    }
  }

  // Flow.

  /// The node has the count of `like`.
  node_id create_node(node_id like) {
    const node_id n = procedure_->create_node({}, procedure_->node_location(like));
    procedure_->set_node_count(n, procedure_->node_count(like));
    return n;
  }

  /// Redirecting an edge over a node that has other predecessors may make the target the header of that node's loop,
  /// too. Then local classes of the target end.
  void redirect_edge(edge_id e, node_id target) {
    const node_id old = procedure_->edge_target(e);
    if (procedure_->has_scopes() && procedure_->in_edges(old).size() > 1 && procedure_->out_edges(old).size() == 1 &&
        procedure_->edge_target(procedure_->out_edges(old)[0]) == target) {
      procedure_->end_scope(target);
    }
    procedure_->redirect_edge(e, target);
  }

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
    kept_edges_.push_back({procedure_->terminator(source), e, procedure_->is_default(e), procedure_->case_value(e),
                           procedure_->probability(e)});
    procedure_->clear_case(e);
    procedure_->set_probability(e, -1);
    const source_location location = procedure_->value_location(procedure_->terminator(source));
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

  void erase_end(node_id n) { procedure_->erase_end(n); }

  void set_branch(node_id n, value_id condition, node_id then, node_id otherwise) {
    MIDEND_ASSERT(procedure_->terminator(n) == no_value, "a node without an end", n);
    procedure_->append(
        n, {.code = opcode::branch, .operand_type = type::i1, .operands = span<const value_id>(&condition, 1)});
    procedure_->add_edge(n, then, 1);
    procedure_->add_edge(n, otherwise, 0);
  }

  void set_switch(node_id n, value_id v, span<const constant_type> cases, span<const node_id> targets,
                  node_id otherwise) {
    MIDEND_ASSERT(procedure_->terminator(n) == no_value, "a node without an end", n);
    MIDEND_ASSERT(cases.size() == targets.size(), "a target for each case", cases.size(), targets.size());
    procedure_->append(
        n,
        {.code = opcode::switch_, .operand_type = procedure_->core(v).type, .operands = span<const value_id>(&v, 1)});
    for (std::size_t i = 0; i != cases.size(); ++i) {
      procedure_->add_edge(n, targets[i], cases[i]);
    }
    procedure_->add_edge(n, otherwise);
  }

  // Profile.

  void set_count(node_id n, std::optional<std::uint64_t> count) {
    procedure_->set_node_count(n, count.value_or(no_count));
  }

  void set_probability(edge_id e, double probability) { procedure_->set_probability(e, probability); }

  /// The average is rounded, but not to 0, which means unknown.
  void set_trip_hints(node_id n, const loop_hints& hints) {
    const std::uint64_t average = nearest_number(hints.average);
    procedure_->set_hint(n, {hints.average > 0 && average == 0 ? 1 : average, hints.maximum, hints.multiple});
  }

  loop_hints trip_hints(node_id n) const {
    const trip_hint& hint = procedure_->hint(n);
    return {.average = static_cast<double>(hint.average), .maximum = hint.maximum, .multiple = hint.multiple};
  }

  // Taking back.

  /// A local array was in no node.
  void restore_value(value_id v, place p, span<const value_id> operands) {
    if (node_at(p) == no_node) {
      procedure_->restore_local(v);
      return;
    }
    arguments_.assign(operands);
    procedure_->restore_value(v, node_at(p), value_at(p), arguments_);
  }

  void restore_end(value_id end, node_id n, span<const value_id> operands, span<const edge_id> edges,
                   span<const node_id> targets) {
    MIDEND_ASSERT(procedure_->terminator(n) == no_value, "a node without an end", n);
    arguments_.assign(operands);
    procedure_->restore_value(end, n, no_value, arguments_);
    for (std::size_t i = 0; i != edges.size(); ++i) {
      procedure_->restore_edge(edges[i], n, targets[i]);
    }
    if (!kept_edges_.empty() && kept_edges_.back().terminator == end) {
      const kept_edge kept = kept_edges_.back();
      procedure_->set_case(kept.edge, kept.is_default, kept.case_value);
      procedure_->set_probability(kept.edge, kept.probability);
      kept_edges_.pop_back();
    }
  }

  void restore_node(node_id n) { procedure_->restore_node(n); }

  // Variables.

  value_id insert_variable_phi(node_id n, variable_id x) {
    return procedure_->insert_phi(n, procedure_->core(variable(x)).type);
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
    MIDEND_ASSERT(procedure_->core(s).variable == variable(x), "a variable that the operation writes", s, x);
    procedure_->detach_variable(s);
    return s;
  }

  value_id undefined_value(variable_id x) { return procedure_->undefined(procedure_->core(variable(x)).type); }

private:
  /// The state of an edge before `keep_edge`.
  struct kept_edge {
    value_id terminator;
    edge_id edge;
    bool is_default;
    std::uint64_t case_value;
    double probability;
  };

  /// A load or store of type `t`.
  value_id make_access(operation_draft draft, type t, value_id stored, const memory_reference& m, place p) {
    if (t == type::none || m.bytes != bytes_of(t) || m.base == no_value || m.scale < 0 || m.scale > 0xffff'ffff) {
      return no_value;
    }
    arguments_.clear();
    for (const value_id x : {stored, m.base, m.index}) {
      if (x != no_value) {
        arguments_.push_back(x);
      }
    }
    draft.operands = arguments_;
    draft.access = {.indexed = m.index != no_value,
                    .scale = m.index != no_value ? static_cast<std::uint32_t>(m.scale) : 1,
                    .offset = m.offset,
                    .alias = m.memory};
    const value_id v = procedure_->append(node_at(p), draft);
    move_value(v, p);
    return v;
  }

  static std::string class_name(std::uint64_t number) { return "apart" + std::to_string(number); }

  /// What `make_memory_class` knows about the names that it has not seen yet.
  void note_class_names() {
    for (; noted_classes_ < procedure_->num_alias_classes(); ++noted_classes_) {
      const std::string_view name = procedure_->alias_name(noted_classes_);
      constexpr std::string_view start = "apart";
      constexpr std::size_t most_digits = 18; // more do not fit
      bool is_number =
          name.starts_with(start) && name.size() > start.size() && name.size() <= start.size() + most_digits;
      std::uint64_t number = 0;
      for (std::size_t i = start.size(); is_number && i != name.size(); ++i) {
        is_number = name[i] >= '0' && name[i] <= '9';
        number = number * 10 + static_cast<std::uint64_t>(name[i] - '0');
      }
      if (is_number) {
        has_class_of_0_ = has_class_of_0_ || name == class_name(0);
        largest_class_ = number > largest_class_ ? number : largest_class_;
      }
    }
  }

  static std::optional<type> integer_type(unsigned width) {
    for (const type t : {type::i1, type::i8, type::i16, type::i32, type::i64}) {
      if (width_of(t) == width) {
        return t;
      }
    }
    return std::nullopt;
  }

  node_id node_at(place p) const { return p.where == place::kind::before ? procedure_->core(p.value).node : p.node; }

  /// The value before which a place is, or `no_value` for the end of a node without terminator.
  value_id value_at(place p) const {
    if (p.where == place::kind::before) {
      return p.value;
    }
    if (p.where == place::kind::end) {
      return procedure_->terminator(p.node);
    }
    value_id v = procedure_->node_core(p.node).first;
    while (v != no_value && procedure_->is_phi(v)) {
      v = procedure_->core(v).next;
    }
    return v;
  }

  value_id variable(variable_id x) const { return procedure_->variables()[x]; }

  /// A draft of this operation. The operands are copied, because a draft must not refer to the procedure.
  operation_draft draft_of(value_id v) {
    const value_core& original = procedure_->core(v);
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
            .location = procedure_->value_location(v)};
  }

  value_id clone_call(value_id v, node_id n) {
    const call_record original = procedure_->call(v);
    const std::string callee(procedure_->text(original.callee));
    clobbered_.assign(procedure_->clobbered(v));
    return procedure_->append_call(n, draft_of(v), callee, original.clobbers, clobbered_);
  }

  void clone_edges(node_id from, node_id to) {
    for (std::size_t i = 0; i != procedure_->out_edges(from).size(); ++i) {
      const edge_id original = procedure_->out_edges(from)[i];
      const node_id target = procedure_->edge_target(original);
      const edge_id e = procedure_->is_default(original)
                            ? procedure_->add_edge(to, target)
                            : procedure_->add_edge(to, target, procedure_->case_value(original));
      procedure_->set_probability(e, procedure_->probability(original));
    }
  }

  procedure* procedure_;
  alias_id noted_classes_ = 0;      ///< how many were looked at for their names
  std::uint64_t largest_class_ = 0; ///< of the numbers of classes named as `make_memory_class` names them
  bool has_class_of_0_ = false;
  flat_array<kept_edge> kept_edges_;
  flat_array<value_id> arguments_; ///< of a clone
  flat_array<alias_id> clobbered_;
};

static_assert(ir_editor<editor> && memory_class_editor<editor> && memory_editor<editor> && operation_editor<editor> &&
              branch_editor<editor> && restoring_editor<editor> && places_values<editor> && on_the_fly_editor<editor> &&
              semantic_ir<editor> && effect_ir<editor> && profile_editor<editor>);

} // namespace elbrus

MIDEND_END_NAMESPACE
