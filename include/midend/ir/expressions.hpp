/// The expressions rung of the IR contract: which statements compute the same expression. In addition to the statements
/// rung:
///
///       std::size_t num_expressions() const;
///       midend::expression_id expression(midend::statement_id s) const;     // or no_expression
///       auto expression_operands(midend::expression_id e) const;            // variables
///
/// `expression(s)` is the expression that the statement computes on each execution, from the values of the operands
/// before it. Equal numbers mean the same operation of the same operands in the same order: `t = a + b` and `u = a + b`
/// compute expression 0, say, and `v = a - b` expression 1. The IR decides whether `b + a` is `a + b`.
/// `expression_numbering` assigns numbers.
///
/// `expression_operands(e)` are the variables on which the value of `e` depends; constants are not listed. A write to
/// one of them, certain or possible, kills the expression. `a = a + b` computes a + b and kills it at once.
///
/// `no_expression` is for statements whose value cannot be reused or is not worth it: copies and constants, calls,
/// volatile reads, stores. A read of memory can be an expression if the memory that it may read is represented by
/// variables, which are then among its operands; writes through pointers have to be `may_definitions`.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/detail/contract.hpp"

#include <concepts>
#include <cstddef>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// `num_expressions()` returns the number of expressions.
template <class IR>
concept has_num_expressions = requires(const IR& ir) {
  { ir.num_expressions() } -> std::convertible_to<std::size_t>;
};

/// `expression(s)` returns the expression that a statement computes, or `no_expression`.
template <class IR>
concept has_expression = requires(const IR& ir, statement_id s) {
  { ir.expression(s) } -> std::convertible_to<expression_id>;
};

/// `expression_operands(e)` exists.
template <class IR>
concept has_expression_operands = requires(const IR& ir, expression_id e) { ir.expression_operands(e); };

/// The type that `expression_operands(e)` returns.
template <class IR>
using expression_operands_of = decltype(std::declval<const IR&>().expression_operands(expression_id{}));

template <class IR>
concept expression_operands_are_a_range_of_ids = range_of_ids<expression_operands_of<IR>>;

/// The expressions rung: a statement IR whose statements compute numbered expressions.
template <class IR>
concept expression_ir = statement_ir<IR> && has_num_expressions<IR> && has_expression<IR> &&
                        has_expression_operands<IR> && expression_operands_are_a_range_of_ids<IR>;

namespace detail {

MIDEND_REQUIRED(has_num_expressions,
                "an IR needs `std::size_t num_expressions() const`, or use midend::expression_numbering");
MIDEND_REQUIRED(has_expression, "an IR needs `midend::expression_id expression(midend::statement_id s) const`, which "
                                "returns midend::no_expression where there is none");
MIDEND_REQUIRED(has_expression_operands,
                "an IR needs `expression_operands(midend::expression_id e) const`, which returns variables, by number");
MIDEND_REQUIRED(expression_operands_are_a_range_of_ids,
                "`expression_operands(e)` of an IR must return a range of variables, by number");

struct expression_contract : contract<statement_contract, has_num_expressions_row, has_expression_row,
                                      has_expression_operands_row, expression_operands_are_a_range_of_ids_row> {};

} // namespace detail

/// What functions take: an `expression_ir` with optional members that fit; otherwise an error.
template <class IR>
concept expression_ir_argument =
    (expression_ir<IR> && detail::expression_contract::fits<IR>) || detail::expression_contract::explain<IR>();

MIDEND_END_NAMESPACE
