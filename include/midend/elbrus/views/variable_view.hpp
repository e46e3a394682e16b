/// `variable_view` and `expression_view`: the operations of a procedure as statements over its variables, which model
/// the statements and expressions rungs.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/views/detail/statement_expressions.hpp"
#include "midend/elbrus/views/detail/statement_ranges.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/expressions.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// The number among the variables of a procedure.
struct declared_variable {
  variable_id operator()(const procedure& p, value_id v) const {
    return p.core(v).kind == value_kind::variable ? p.variable_number(v) : no_variable;
  }
};

} // namespace detail

/// The variables `$x` of a procedure, in the order of their declaration: models `statement_ir`. Statements are the
/// operations without phis, and have the numbers of values. An operation uses the variables among its operands, guard
/// and otherwise included. `$x = …` defines x, guarded or not: a guarded operation that does not run writes the value
/// after the colon.
///
/// Values `%v` are ignored, see `statement_view`; a phi neither reads nor writes variables. The view shows the current
/// state of the procedure.
class variable_view {
public:
  explicit variable_view(const procedure& p) : procedure_(&p) {}

  const procedure& graph() const { return *procedure_; }

  std::size_t num_statements() const { return procedure_->num_values(); }

  auto statements(node_id n) const {
    const auto all = procedure_->values(n);
    auto first = all.begin();
    while (first != all.end() && procedure_->is_phi(*first)) {
      ++first;
    }
    return iterator_range(first, all.end());
  }

  std::size_t num_variables() const { return procedure_->variables().size(); }

  auto uses(statement_id s) const {
    return detail::variables_among<detail::declared_variable>(*procedure_, procedure_->operands(s));
  }

  detail::one_or_none definitions(statement_id s) const {
    const value_id written = procedure_->core(s).variable;
    return written == no_value ? detail::one_or_none() : detail::one_or_none(procedure_->variable_number(written));
  }

private:
  const procedure* procedure_;
};

static_assert(statement_ir<variable_view>);

/// Also shows the expressions that operations compute: models `expression_ir`. They are numbered when the view is made,
/// in O(operands); later changes are not seen.
///
/// Two operations compute one expression if operation, types, flags, guard and operands agree, literals included, and
/// operands of commutative operations in any order. `mov`, loads, stores, calls, phis and terminators have
/// `no_expression`, and so have operations that read a result `%v`: it may change in the next iteration of a loop, and
/// is not a variable.
class expression_view : public variable_view {
public:
  explicit expression_view(const procedure& p)
      : variable_view(p), expressions_(p, [&p](value_id v) { return !p.is_operation(v); }) {}

  std::size_t num_expressions() const { return expressions_.size(); }

  expression_id expression(statement_id s) const { return expressions_[s]; }

  auto expression_operands(expression_id e) const {
    return detail::variables_among<detail::declared_variable>(graph(), expressions_.operands(e));
  }

private:
  detail::statement_expressions expressions_;
};

static_assert(expression_ir<expression_view>);

} // namespace elbrus

MIDEND_END_NAMESPACE
