/// `statement_view`: the operations of a procedure as statements over variables and values together.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/elbrus/views/detail/statement_expressions.hpp"
#include "midend/elbrus/views/detail/statement_ranges.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/expressions.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <iterator>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// Every value but literals is a variable, with the number of the value.
struct any_variable {
  variable_id operator()(const procedure& p, value_id v) const {
    const value_kind kind = p.core(v).kind;
    return kind == value_kind::constant || kind == value_kind::undefined ? no_variable : v;
  }
};

/// The values of a node, then one more statement.
class statement_iterator {
public:
  using value_type = statement_id;
  using difference_type = std::ptrdiff_t;
  using reference = statement_id;
  using pointer = void;
  using iterator_category = std::input_iterator_tag; // the reference is a value
  using iterator_concept = std::forward_iterator_tag;

  statement_iterator() = default;

  statement_iterator(const procedure& p, value_id first, statement_id last) : procedure_(&p), at_(first), last_(last) {
    pass_on();
  }

  statement_id operator*() const { return at_; }

  statement_iterator& operator++() {
    at_ = at_ < procedure_->num_values() ? procedure_->core(at_).next : no_statement;
    pass_on();
    return *this;
  }

  statement_iterator operator++(int) {
    const statement_iterator old = *this;
    ++*this;
    return old;
  }

  friend bool operator==(const statement_iterator& a, const statement_iterator& b) { return a.at_ == b.at_; }

  friend bool operator==(const statement_iterator& it, std::default_sentinel_t) { return it.at_ == no_statement; }

private:
  void pass_on() {
    if (at_ == no_value) {
      at_ = last_;
      last_ = no_statement;
    }
  }

  const procedure* procedure_ = nullptr;
  statement_id at_ = no_statement;
  statement_id last_ = no_statement; ///< still to come
};

} // namespace detail

/// Treats variables `$x` and values `%v` of a procedure alike, for programs that have both: models `expression_ir`. The
/// variables of the rung are all values of the procedure, by number; literals are never used. Statements are all
/// operations, with the numbers of values. An operation uses its operands and defines its result, or the variable that
/// it writes. Parameters have no definition.
///
/// **Phis** define their value at the head of their node and use nothing there. Their inputs are used after the
/// terminators of the predecessors: a node with an edge to phis has one more statement at its end, with the number
/// `num_values() + n`, which uses their inputs along its edges. So reaching definitions, and the variables live at the
/// start of a node, are those of SSA form, critical edges or not. But a value that only these phis use is not live at
/// the end of the node, because the rung does not distinguish edges.
///
/// Expressions are numbered as in `expression_view`, but may have values as operands: a loop that computes %v again
/// makes the old value unavailable. The view is made in O(operands) and is valid until the procedure changes.
class statement_view {
public:
  explicit statement_view(const procedure& p) : procedure_(&p), expressions_(p, [](value_id) { return true; }) {
    passed_first_.push_back(0);
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const edge_id e : p.out_edges(n)) {
        list_inputs(e);
      }
      passed_first_.push_back(passed_.size());
    }
  }

  const procedure& graph() const { return *procedure_; }

  std::size_t num_statements() const { return procedure_->num_values() + procedure_->num_nodes(); }

  /// Whether it is the statement at the end of a node that reads the inputs of phis.
  bool passes_to_phis(statement_id s) const { return s >= procedure_->num_values(); }

  auto statements(node_id n) const {
    const auto last = static_cast<statement_id>(procedure_->num_values() + n);
    const bool passes = passed_first_[n] != passed_first_[n + std::size_t{1}];
    return iterator_range(
        detail::statement_iterator(*procedure_, procedure_->node_core(n).first, passes ? last : no_statement),
        std::default_sentinel);
  }

  std::size_t num_variables() const { return procedure_->num_values(); }

  auto uses(statement_id s) const { return detail::variables_among<detail::any_variable>(*procedure_, operands_of(s)); }

  detail::one_or_none definitions(statement_id s) const {
    if (passes_to_phis(s)) {
      return {};
    }
    const value_core& record = procedure_->core(s);
    if (record.variable != no_value) {
      return detail::one_or_none(record.variable);
    }
    return record.type == type::none ? detail::one_or_none() : detail::one_or_none(s);
  }

  std::size_t num_expressions() const { return expressions_.size(); }

  expression_id expression(statement_id s) const { return expressions_[s]; }

  auto expression_operands(expression_id e) const {
    return detail::variables_among<detail::any_variable>(*procedure_, expressions_.operands(e));
  }

private:
  /// The inputs of phis along an edge.
  void list_inputs(edge_id e) {
    for (const value_id v : procedure_->values(procedure_->edge_target(e))) {
      if (!procedure_->is_phi(v)) {
        return;
      }
      passed_.push_back(procedure_->phi_input(v, e));
    }
  }

  span<const value_id> operands_of(statement_id s) const {
    if (passes_to_phis(s)) {
      const std::size_t n = s - procedure_->num_values();
      return span<const value_id>(passed_).subspan(passed_first_[n], passed_first_[n + 1] - passed_first_[n]);
    }
    return procedure_->is_phi(s) ? span<const value_id>() : procedure_->operands(s);
  }

  const procedure* procedure_;
  detail::statement_expressions expressions_;
  flat_array<value_id> passed_; ///< inputs of phis along the edges of a node, node by node
  flat_array<std::size_t> passed_first_;
};

static_assert(expression_ir<statement_view>);

} // namespace elbrus

MIDEND_END_NAMESPACE
