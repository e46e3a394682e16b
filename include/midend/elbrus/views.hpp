/// Views that show a procedure of the Elbrus-like IR as the rungs of the IR contract ask for it.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/statements.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The values of a procedure: models `ssa_ir`. Variables are values that nobody knows.
class value_view {
public:
  explicit value_view(const procedure& p) : procedure_(&p) {}

  const procedure& graph() const { return *procedure_; }

  std::size_t num_values() const { return procedure_->num_values(); }

  auto values(node_id n) const { return procedure_->values(n); }

  std::span<const value_id> operands(value_id v) const { return procedure_->operands(v); }

  auto users(value_id v) const { return procedure_->users(v); }

  bool is_phi(value_id v) const { return procedure_->is_phi(v); }

  value_id phi_input(value_id v, edge_id e) const { return procedure_->phi_input(v, e); }

  value_id condition(node_id n) const {
    const value_id end = procedure_->terminator(n);
    const bool decides = end != no_value && (procedure_->value(end).code == opcode::branch ||
                                             procedure_->value(end).code == opcode::switch_);
    return decides ? procedure_->operands(end)[0] : no_value;
  }

private:
  const procedure* procedure_;
};

static_assert(ssa_ir<value_view>);

} // namespace elbrus

MIDEND_END_NAMESPACE
