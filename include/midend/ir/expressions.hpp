/// The expressions rung of the IR contract: which statements compute the same thing. On top of the statements rung:
///
///       std::size_t num_expressions() const;
///       midend::expression_id expression(midend::statement_id s) const;     // or no_expression
///       auto expression_operands(midend::expression_id e) const;            // variables
///
/// `expression(s)` is the expression whose value the statement computes, whenever it is executed, from the values that
/// its operands have on arrival. Equal numbers mean the same expression: the same operation of the same operands in the
/// same order, so that `t = a + b` and `u = a + b` compute expression 0, say, and `v = a - b` expression 1. Whether
/// `b + a` is `a + b` is for the IR to say. `expression_numbering` gives out the numbers.
///
/// `expression_operands(e)` are the variables whose value decides about that of `e`; constants are none. A write to one
/// of them, certain or not, makes the value old. `a = a + b` computes a + b and makes it old at once.
///
/// `no_expression` is for what computes nothing that could be used again, or must not be taken for the same: copies and
/// constants (cheaper to do than to look for), calls, volatile reads, stores. A read of memory is an expression if the
/// memory it may read is made of variables and those are among its operands: writes through pointers then have to be
/// `may_definitions`.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"

#include <concepts>
#include <cstddef>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// `num_expressions()` gives the number of expressions.
template <class IR>
concept has_num_expressions = requires(const IR& ir) {
  { ir.num_expressions() } -> std::convertible_to<std::size_t>;
};

/// `expression(s)` gives the expression that a statement computes, or `no_expression`.
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

MIDEND_END_NAMESPACE
