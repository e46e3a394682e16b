/// `value_view` and `semantic_view`: a procedure of the Elbrus-like IR as the SSA and semantics rungs of the IR
/// contract.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/views/fold.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The values of a procedure: models `ssa_ir`. Variables are values with unknown contents.
class value_view {
public:
  explicit value_view(const procedure& p) : procedure_(&p) {}

  const procedure& graph() const { return *procedure_; }

  span<const value_id> parameters() const { return procedure_->parameters(); }

  std::size_t num_values() const { return procedure_->num_values(); }

  auto values(node_id n) const { return procedure_->values(n); }

  span<const value_id> operands(value_id v) const { return procedure_->operands(v); }

  auto users(value_id v) const { return procedure_->users(v); }

  auto reading_nodes(value_id v) const { return procedure_->reading_nodes(v); }

  bool is_phi(value_id v) const { return procedure_->is_phi(v); }

  value_id phi_input(value_id v, edge_id e) const { return procedure_->phi_input(v, e); }

  value_id condition(node_id n) const {
    const node_core& node = procedure_->node_core(n);
    const bool decides = node.last_code == opcode::branch || node.last_code == opcode::switch_;
    return decides ? procedure_->operands(node.last)[0] : no_value;
  }

private:
  const procedure* procedure_;
};

static_assert(ssa_ir<value_view>);

/// Also shows the meaning of values: models `semantic_ir`. Constants are the bits of a literal of any type, with zeros
/// above its width.
///
/// A guarded operation is `operation::other`, since its value may be its `otherwise`; `fold` evaluates the guard.
/// Floating-point operations are `other` too, but `mov` and `select` are not.
class semantic_view : public value_view {
public:
  using constant_type = std::uint64_t;

  using value_view::value_view;

  operation_info operation(value_id v) const { return meaning_of(graph(), v); }

  std::optional<constant_type> constant(value_id v) const {
    const value_core& record = graph().core(v);
    return record.kind == value_kind::constant ? std::optional(graph().literal_bits(v)) : std::nullopt;
  }

  /// Whether it is the literal `undef`. Optional in the rung.
  bool is_undefined(value_id v) const { return graph().core(v).kind == value_kind::undefined; }

  /// Whether two values have the same type. Optional in the rung.
  bool same_type(value_id v, value_id w) const { return graph().core(v).type == graph().core(w).type; }

  /// Whether it is a call that does not return. Optional in the rung.
  bool never_returns(value_id v) const {
    const value_core& record = graph().core(v);
    return record.kind == value_kind::operation && record.code == opcode::call && record.flags.noreturn &&
           !record.guarded;
  }

  std::optional<constant_type> fold(value_id v, span<const constant_type> args) const {
    return elbrus::fold(graph(), v, args);
  }

  std::optional<constant_type> edge_case(edge_id e) const {
    const edge_record& edge = graph().edge(e);
    return edge.is_default ? std::nullopt : std::optional(graph().case_value(e));
  }
};

static_assert(semantic_ir<semantic_view>);

} // namespace elbrus

MIDEND_END_NAMESPACE
