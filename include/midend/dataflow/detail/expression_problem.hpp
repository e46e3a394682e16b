/// The gen/kill problem of expressions, which available and very busy expressions share.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/gen_kill_effects.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/dataflow/flow_facts.hpp"
#include "midend/dataflow/gen_kill.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/expressions.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// For each variable, the expressions that have it as operand.
class operand_index {
public:
  template <class IR> constexpr void assign(const IR& ir) {
    offsets_.assign(static_cast<std::size_t>(ir.num_variables()) + 1, 0);
    const auto count = static_cast<expression_id>(ir.num_expressions());
    for (expression_id e = 0; e != count; ++e) {
      for_each_id(ir.expression_operands(e), [&](variable_id v) { ++offsets_[v]; });
    }
    counts_to_ends(offsets_);
    expressions_.resize_for_overwrite(offsets_.back());
    for (expression_id e = count; e-- != 0;) {
      for_each_id(ir.expression_operands(e), [&](variable_id v) { expressions_[--offsets_[v]] = e; });
    }
  }

  /// In no particular order, twice if the expression names `v` twice.
  constexpr span<const expression_id> with_operand(variable_id v) const {
    return {expressions_.data() + offsets_[v], expressions_.data() + offsets_[v + std::size_t{1}]};
  }

private:
  flat_array<std::uint32_t> offsets_;
  flat_array<expression_id> expressions_;
};

/// A statement computes its expression from the values before it, and then kills every expression with an operand that
/// it writes or may write.
template <flow_direction Direction, class IR> struct expression_problem {
  static constexpr flow_direction direction = Direction;
  static constexpr flow_confluence confluence = flow_confluence::must;

  const IR& ir;
  const operand_index& index;

  constexpr std::size_t num_facts() const { return static_cast<std::size_t>(ir.num_expressions()); }

  template <class Effects> constexpr void effects(node_id n, Effects& e) const {
    for_each_id(ir.statements(n), [&](statement_id s) {
      if (const auto computed = static_cast<expression_id>(ir.expression(s)); computed != no_expression) {
        e.gen(computed);
      }
      const auto kill_dependents = [&](variable_id v) { e.kill_all(index.with_operand(v)); };
      for_each_written(ir, s, kill_dependents, kill_dependents);
    });
  }
};

/// Solves a problem that `make_problem(index)` returns, in the workspace of either analysis.
struct expression_solver {
  template <class IR, class MakeProblem, class Workspace, class Rows>
  static constexpr void run(const IR& ir, MakeProblem make_problem, Workspace& workspace, flow_facts<Rows>& out) {
    workspace.index_.assign(ir);
    gen_kill(ir.graph(), make_problem(workspace.index_), workspace.gen_kill_, out);
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
