/// From what is written to a procedure: names get their meaning, literals their bits.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/flow_binder.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/detail/phi_matcher.hpp"
#include "midend/elbrus/detail/syntax.hpp"
#include "midend/elbrus/detail/token_reader.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/lexer.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The procedures of a file by name.
class signatures {
public:
  explicit signatures(std::span<const written_procedure> procedures) : procedures_(procedures) {}

  /// False if there is one with the same name.
  bool add(std::uint32_t number) {
    const std::string_view name = procedures_[number].name.text;
    return is_anonymous(name) || by_name_.find_or_insert(name, number) == number;
  }

  const written_procedure* find(std::string_view name) const {
    const std::uint32_t number = by_name_.find(name);
    return number == name_index::missing ? nullptr : &procedures_[number];
  }

private:
  std::span<const written_procedure> procedures_;
  name_index by_name_;
};

/// Makes one procedure. What is wrong goes to the diagnostics, and the procedure is made all the same, to find the
/// other errors; then it is thrown away.
class procedure_binder : flow_binder {
public:
  procedure_binder(const written_procedure& written, const signatures& callees, std::vector<diagnostic>& errors)
      : flow_binder(written, errors), callees_(callees) {}

  std::optional<procedure> bind() {
    const std::size_t errors_before = num_errors();
    declare_procedure();
    declare_values();
    declare_variables();
    declare_nodes();
    make_edges();
    make_operations();
    set_forward_references();
    const bool is_right = num_errors() == errors_before && !in_.is_broken;
    return is_right ? std::optional(std::move(out_)) : std::nullopt;
  }

private:
  /// An operand. What is defined further down, or not at all, has a definition but no value.
  struct bound_operand {
    value_id value = no_value;
    std::uint32_t definition = lost;
  };

  struct forward_reference {
    value_id user;
    std::uint32_t operand;
    std::uint32_t definition;
  };

  void declare_procedure() {
    out_.set_name(kept_name(in_.name));
    out_.set_location(in_.location);
    out_.set_result_type(in_.result);
    out_.set_count(in_.count);
  }

  void make_operations() {
    phi_matcher matcher(out_);
    for (std::uint32_t i = 0; i != in_.nodes.size(); ++i) {
      matcher.begin_node(node_of(i));
      const array_slice all = in_.nodes[i].operations;
      bool at_head = true;
      for (std::uint32_t number = all.first; number != all.first + all.count; ++number) {
        const written_operation& op = in_.operations[number];
        bind_operands(op);
        if (op.code == opcode::phi) {
          check_head(op, at_head);
          order_inputs(op, node_of(i), matcher);
        }
        at_head &= op.code == opcode::phi;
        make_operation(op, number, node_of(i));
      }
    }
  }

  void check_head(const written_operation& op, bool at_head) {
    if (!at_head) {
      fail(op.location, "a phi behind other operations");
    }
  }

  void make_operation(const written_operation& op, std::uint32_t number, node_id node) {
    const value_id v = size_of_values();
    operands_.clear();
    for (const bound_operand& o : bound_) {
      operands_.push_back(o.value != no_value ? o.value : v); // itself, until it is known
    }
    operation_draft draft{.code = op.code, .type = op.type, .operand_type = operand_type_of(op)};
    draft.otherwise = take_last_if(op.has_otherwise);
    draft.guard = take_last_if(op.guarded);
    draft.operands = operands_;
    draft.guard_negated = op.guard_negated;
    draft.flags = op.flags;
    draft.location = op.location;
    if (op.result == result_kind::value) {
      draft.name = kept_name(op.name);
    } else if (op.result == result_kind::variable) {
      draft.variable = find_variable(op.name);
    }
    append(op, node, draft);
    value_of_[in_.parameters.size() + number] = v;
    note_forward_references(v);
  }

  value_id size_of_values() const { return static_cast<value_id>(out_.num_values()); }

  value_id take_last_if(bool there) {
    if (!there) {
      return no_value;
    }
    const value_id last = operands_.back();
    operands_.pop_back();
    return last;
  }

  void append(const written_operation& op, node_id node, operation_draft& draft) {
    if (op.code == opcode::call) {
      const written_call& call = in_.calls[op.extra];
      classes_.clear();
      for (const spelling& name : call.classes.of(in_.labels)) {
        classes_.push_back(find_class(name));
      }
      out_.append_call(node, draft, kept_name(call.callee), call.clobbers, classes_);
      return;
    }
    if (info_of(op.code).form == opcode_form::memory) {
      const written_access& a = in_.accesses[op.extra];
      draft.access = {a.indexed, a.scale, a.offset, a.alias.text.empty() ? no_alias : find_class(a.alias)};
    }
    out_.append(node, draft);
  }

  void note_forward_references(value_id v) {
    for (std::uint32_t i = 0; i != bound_.size(); ++i) {
      if (bound_[i].value == no_value && bound_[i].definition != lost) {
        forward_.push_back({v, i, bound_[i].definition});
      }
    }
  }

  void set_forward_references() {
    for (const forward_reference& f : forward_) {
      if (value_of_[f.definition] != no_value) {
        out_.set_operand(f.user, f.operand, value_of_[f.definition]);
      }
    }
  }

  // Operands.

  void bind_operands(const written_operation& op) {
    const std::span<const written_operand> all = op.operands.of(in_.operands);
    bound_.clear();
    for (std::size_t i = 0; i != all.size(); ++i) {
      bound_.push_back(bind_operand(op, i, all[i]));
    }
  }

  bound_operand bind_operand(const written_operation& op, std::size_t i, const written_operand& o) {
    switch (o.kind) {
    case operand_kind::value: {
      const std::uint32_t definition = find_value(o.name);
      return {definition == lost ? no_value : value_of_[definition], definition};
    }
    case operand_kind::variable:
      return {find_variable(o.name)};
    default:
      return {bind_literal(o, o.type != type::none ? o.type : expected_type(op, i))};
    }
  }

  value_id bind_literal(const written_operand& o, type t) {
    if (t == type::none) {
      fail(o.name.location, "a literal needs a type here, as in 'i32 1'");
      return no_value;
    }
    return o.kind == operand_kind::undefined ? out_.undefined(t) : out_.constant(t, bits_of(o.name, t));
  }

  /// Of a literal without a type as operand `i`; `none` where anything can stand.
  type expected_type(const written_operation& op, std::size_t i) const {
    const std::size_t arguments = op.operands.count - std::size_t{op.guarded} - std::size_t{op.has_otherwise};
    if (i >= arguments) {
      return i == arguments ? type::i1 : op.type;
    }
    switch (op.code) {
    case opcode::select:
      return i == 0 ? type::i1 : op.type;
    case opcode::ld:
      return i == 0 ? type::ptr : type::i64;
    case opcode::st:
      return i == 0 ? op.operand_type : i == 1 ? type::ptr : type::i64;
    case opcode::call:
      return parameter_type(in_.calls[op.extra].callee.text, i);
    case opcode::ret:
      return in_.result;
    default:
      return op.operand_type != type::none ? op.operand_type : op.type;
    }
  }

  type parameter_type(std::string_view callee, std::size_t i) const {
    const written_procedure* const known = callees_.find(callee);
    return known != nullptr && i < known->parameters.size() ? known->parameters[i].type : type::none;
  }

  /// Of `ret`, the type of what it returns.
  type operand_type_of(const written_operation& op) const {
    if (op.code != opcode::ret || bound_.empty()) {
      return op.operand_type;
    }
    const bound_operand& o = bound_[0];
    return o.value != no_value    ? out_.value(o.value).type
           : o.definition != lost ? type_of_definition(o.definition)
                                  : type::none;
  }

  // Phis.

  /// Entries go to the places of their edges.
  void order_inputs(const written_operation& op, node_id node, phi_matcher& matcher) {
    if (is_unsure(node)) {
      return;
    }
    matcher.begin_phi();
    if (match_entries(op, node, matcher) && check_missing(op, matcher)) {
      ordered_.resize(bound_.size());
      for (std::size_t i = 0; i != bound_.size(); ++i) {
        ordered_[positions_[i]] = bound_[i];
      }
      bound_.swap(ordered_);
    }
  }

  /// False if an entry is for no edge.
  bool match_entries(const written_operation& op, node_id node, phi_matcher& matcher) {
    bool all_match = true;
    positions_.clear();
    for (const spelling& label : op.labels.of(in_.labels)) {
      const node_id source = find_node(label);
      const std::uint32_t position = source == no_node ? phi_matcher::no_position : matcher.match(source);
      positions_.push_back(position);
      if (position == phi_matcher::no_position) {
        all_match = false;
        fail_entry(label, source, node, matcher);
      }
    }
    return all_match;
  }

  void fail_entry(const spelling& label, node_id source, node_id node, const phi_matcher& matcher) {
    if (source == no_node || is_unsure(source)) {
      return; // there is another error
    }
    if (matcher.is_predecessor(source)) {
      fail(label.location, "more entries for node " + quoted(label.text) + " than edges from it");
    } else {
      fail(label.location,
           "node " + quoted(label.text) + " is no predecessor of node " + quoted(written(node)->name.text));
    }
  }

  bool check_missing(const written_operation& op, const phi_matcher& matcher) {
    if (matcher.missing() == 0) {
      return true;
    }
    const written_node* const source = written(out_.edge_source(matcher.first_missing()));
    std::string message = "the phi has no entry for ";
    message += source == nullptr ? "the entry of the procedure: write a node before this one"
                                 : "the edge from node " + quoted(source->name.text);
    if (matcher.missing() > 1) {
      message += ", nor for " + std::to_string(matcher.missing() - 1) + " more";
    }
    fail(op.location, std::move(message));
    return false;
  }

  const signatures& callees_;
  std::vector<forward_reference> forward_;
  std::vector<bound_operand> bound_; ///< of the present operation, and so are these:
  std::vector<bound_operand> ordered_;
  std::vector<std::uint32_t> positions_;
  std::vector<value_id> operands_;
  std::vector<alias_id> classes_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
