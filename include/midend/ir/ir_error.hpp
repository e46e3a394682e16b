/// `ir_error`: what is wrong with a user's view of an IR, and where. See `check_ir` (`ssa/check_ir.hpp`).
#pragma once

#include "midend/config.hpp"
#include "midend/graph/check_graph.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with an IR, and where. Each reason says which fields are set; positions count from 0. A field that is
/// not set keeps its default.
struct ir_error {
  enum class reason : std::uint8_t {
    wrong_graph, ///< `graph` says what is wrong with `graph()`

    // Values and their places.
    too_many_values,         ///< `number` values; at most 2^32 - 1
    operand_out_of_range,    ///< operand `position` of `value` is `number`
    value_out_of_range,      ///< value `position` of `node` is `number`
    value_in_two_nodes,      ///< `value` is in node `number` and, at `position`, in `node`
    value_twice_in_node,     ///< `value` is at `number` and again at `position` in `node`
    phi_after_other_value,   ///< `value`, at `position` in `node`, is a phi, and the value before it is not
    phi_in_entry,            ///< `value` in `node`: when control enters, no edge says which input it takes
    operation_in_no_node,    ///< operand `position` of `value` is `number`, a phi or operation that no node lists
    parameter_out_of_range,  ///< parameter `position` is `number`
    parameter_twice,         ///< parameter `position` is `value`, as an earlier one
    parameter_in_node,       ///< parameter `position` is `value`, which `node` lists
    user_out_of_range,       ///< user `position` of `value` is `number`
    extra_user,              ///< user `position` of `value` is `number`, which reads it less often or not at all
    missing_user,            ///< value `number` reads `value`, at operand `position`, but is no user, or not as often
    phi_input_not_set,       ///< the input of phi `value` in `node` along `edge` is `no_value`
    phi_input_out_of_range,  ///< the input of phi `value` in `node` along `edge` is `number`
    phi_input_not_operand,   ///< the input of phi `value` in `node` along `edge`, `number`, is no operand of it
    phi_operand_not_input,   ///< operand `position` of phi `value` in `node`, `number`, arrives along no edge
    phi_operand_too_often,   ///< operand `position` of phi `value` in `node`, `number`, arrives along fewer edges
    use_not_dominated,       ///< operand `position` of `value` in `node` is `number`, not computed on every path to it
    phi_input_not_available, ///< the input of phi `value` in `node` along `edge`, `number`, is not computed on every
                             ///< path to the source of `edge`

    // Branches.
    condition_out_of_range,  ///< the condition of `node` is `number`
    condition_not_available, ///< the condition of `node`, `value`, is not computed on every path to its end
    no_edge_cases,           ///< `node` has condition `value` and `number` edges, none of which has a case
    second_default_edge,     ///< `edge`, at `position` in `node`, is the second one without a case
    edge_case_twice,         ///< `edge`, at `position` in `node`, has the case of an earlier one, `number`
    edge_case_too_wide, ///< `edge`, at `position` in `node`, has case `number`, of more bits than condition `value`
    only_edge_has_case, ///< `node` has only `edge`, which has a case: other values of condition `value` go nowhere
    cases_miss_values,  ///< the edges of `node` have the cases 1 and 0, but condition `value` has `number` bits
    cases_leave_values, ///< each edge of `node` has cases, but condition `value` may have a value, `number`, of none

    // Meaning.
    unknown_operation,          ///< the code of the operation of `value`, `number`, is no enumerator
    width_out_of_range,         ///< `value` has width `number`; widths are 1 … 64
    operand_width_out_of_range, ///< the operation of `value` has operand width `number`
    conversion_width,           ///< `value` truncates to more bits, or extends to fewer, than operand width `number`
    too_few_operands,           ///< the operation of `value` needs `number` operands; it has `position`
    operand_too_narrow,  ///< operand `position` of `value` has `number` bits, fewer than the signed operation reads
    compares_one_bit,    ///< the comparison `value` has an operand width of 1, but its operands have `number` bits
    phi_input_width,     ///< the input of phi `value` in `node` along `edge` has another width than the phi, `number`
    operation_of_phi,    ///< phi `value` has an operation, of code `number`, other than `other`
    opaque_operation,    ///< `value` is opaque, but has an operation, of code `number`, other than `other`
    constant_too_wide,   ///< the constant `number` of `value` has bits above its width
    bounds_out_of_order, ///< no number is within the bounds of `value`; `number` is the lower one
    bounds_too_wide,     ///< the bound `number` of `value` has bits above its width

    // Effects, cost and memory.
    unknown_class,      ///< the class of `value`, `number`, is no enumerator
    unknown_effect,     ///< the effect of `value`, `number`, is no enumerator
    branch_not_last,    ///< `value`, at `position` in `node`, is a terminator or has class `branch`, but is not last
    return_disagrees,   ///< `value` never returns, but `may_not_return` says that it does
    terminator_class,   ///< either `value` is a terminator or its class is `branch`, but not both
    volatile_disagrees, ///< `memory(value).is_volatile` is `number`, `is_volatile(value)` is not
    effect_of_load,     ///< `value` has the class of a load, but effect `number`: it does not read, though it may run
    effect_of_store,    ///< `value` has the class of a store, but effect `number`: it does not write, though it may run
    memory_out_of_range,      ///< base (`position` 0), index (1) or stored value (2) of `value` is `number`
    memory_not_available,     ///< as above, and `number` is not computed on every path to `value` in `node`
    load_stores,              ///< `value` reads, but stores `number`
    store_without_value,      ///< `value` writes, but `memory(value).stored` is not set
    guard_out_of_range,       ///< predicate (`position` 0) or other value (1) of `value` is `number`
    guard_not_operand,        ///< predicate (`position` 0) or other value (1) of `value`, `number`, is not in its place
                              ///< among the last operands
    guarded_operation,        ///< guarded `value` has an operation, of code `number`, other than `other`
    probability_out_of_range, ///< the probability of `edge` is above 1, or not a number

    // Statements.
    too_many_statements,             ///< `number` statements; at most 2^32 - 1
    too_many_variables,              ///< `number` variables; at most 2^32 - 1
    too_many_expressions,            ///< `number` expressions; at most 2^32 - 1
    statement_out_of_range,          ///< statement `position` of `node` is `number`
    statement_in_two_nodes,          ///< `statement` is in node `number` and, at `position`, in `node`
    statement_twice_in_node,         ///< `statement` is at `number` and again at `position` in `node`
    definition_out_of_range,         ///< definition `position` of `statement` is variable `number`
    may_definition_out_of_range,     ///< may-definition `position` of `statement` is variable `number`
    use_out_of_range,                ///< use `position` of `statement` is variable `number`
    expression_out_of_range,         ///< the expression of `statement` is `number`
    expression_operand_out_of_range, ///< operand `position` of `expression` is variable `number`
  };

  reason why{};
  node_id node = no_node;
  value_id value = no_value;
  statement_id statement = no_statement;
  expression_id expression = no_expression;
  edge_id edge = no_edge;
  std::size_t position = 0;
  std::uint64_t number = 0;
  graph_error graph = {};

  friend constexpr bool operator==(const ir_error&, const ir_error&) = default;
};

MIDEND_END_NAMESPACE
