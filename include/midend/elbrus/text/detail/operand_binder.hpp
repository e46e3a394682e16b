/// Operands of a procedure that is being read.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/text/detail/flow_binder.hpp"
#include "midend/elbrus/text/detail/phi_matcher.hpp"
#include "midend/elbrus/text/detail/signatures.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/detail/token_reader.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Finds the values of operands, gives literals a type, and puts the inputs of phis into the order of the edges.
class operand_binder : protected flow_binder {
protected:
  /// What is defined further down, or not at all, has a definition but no value.
  struct bound_operand {
    value_id value = no_value;
    std::uint32_t definition = lost;
  };

  operand_binder(const written_procedure& written, const signatures& callees, std::vector<diagnostic>& errors)
      : flow_binder(written, errors), callees_(callees) {}

  /// Those of the operation that was bound last.
  std::span<const bound_operand> bound() const { return bound_; }

  void bind_operands(const written_operation& op) {
    const std::span<const written_operand> all = op.operands.of(in_.operands);
    bound_.clear();
    for (std::size_t i = 0; i != all.size(); ++i) {
      bound_.push_back(bind_operand(op, i, all[i]));
    }
  }

  /// Entries go to the places of their edges. False if that cannot be done.
  bool order_inputs(const written_operation& op, node_id node, phi_matcher& matcher) {
    if (is_unsure(node)) {
      return false;
    }
    matcher.begin_phi();
    if (!match_entries(op, node, matcher) || !check_missing(op, matcher)) {
      return false;
    }
    ordered_.resize(bound_.size());
    for (std::size_t i = 0; i != bound_.size(); ++i) {
      ordered_[positions_[i]] = bound_[i];
    }
    bound_.swap(ordered_);
    return true;
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

private:
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
  std::vector<bound_operand> bound_;
  std::vector<bound_operand> ordered_;   ///< inputs of a phi
  std::vector<std::uint32_t> positions_; ///< and where they belong
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
