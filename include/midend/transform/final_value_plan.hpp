/// `final_value_plan`: the reads after loops that are to be computed without them, and by which operations.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/final_value_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What an operation that a plan makes reads.
struct final_operand {
  enum class kind : std::uint8_t {
    none,
    value,  ///< `value` of the program
    number, ///< a literal: `bits` of `width`
    step    ///< the result of operation `step` of the plan
  };

  kind what = kind::none;
  std::uint8_t width = 64;
  value_id value = no_value;
  std::uint32_t step = 0;
  std::uint64_t bits = 0;

  friend constexpr bool operator==(const final_operand&, const final_operand&) = default;
};

/// An operation that a plan makes. It promises nothing and cannot trap.
struct final_step {
  operation_info info;
  final_operand operands[2];

  friend constexpr bool operator==(const final_step&, const final_step&) = default;
};

/// An operand, or the input of a phi along an edge, that is read after a loop.
struct final_read {
  value_id user = no_value;
  edge_id edge = no_edge; ///< `no_edge` if the user is no phi
  std::uint32_t operand = 0;

  friend constexpr bool operator==(const final_read&, const final_read&) = default;
};

/// A value of a loop that is read after the loop and will be computed without it.
struct final_value {
  value_id value = no_value;
  loop_id loop = no_loop;
  node_id place = no_node;      ///< the operations go to the end of this node, the immediate dominator of the loop's
                                ///< header
  final_operand result;         ///< read in place of the value
  std::uint32_t first_step = 0; ///< its operations: those in `steps` of the plan from here to before `last_step`
  std::uint32_t last_step = 0;
  std::uint32_t first_read = 0; ///< in `reads` of the plan
  std::uint32_t last_read = 0;
};

/// Why a value that is read after its loops stays.
enum class final_value_obstacle : std::uint8_t {
  none,
  several_exits,   ///< the loop has several exits, or an iteration may not reach the only one
  not_counted,     ///< no counter with a known step is compared with an invariant
  no_closed_form,  ///< `evolutions` has no form for the value
  not_expressible, ///< a power, or a polynomial of degree 3, and the number of iterations is a formula
  changes_inside,  ///< the form has values computed in the loop; `hoist_invariants` moves them out
  inner_loop,      ///< it depends on an inner loop whose number of iterations is no constant
  not_proven,      ///< it depends on operations that the checker does not follow
  no_place,        ///< no node before the loop accepts operations and runs as often as the loop is entered
  costs_more,      ///< the loop would save less than the computation costs
  not_made ///< found by the application: the IR lacks an operation, or says that it may trap, or the value is no number
};

/// A value that is read after its loops and stays: why it is not computed without the outermost one.
struct final_value_refusal {
  value_id value = no_value;
  loop_id loop = no_loop;
  final_value_obstacle why = final_value_obstacle::none;

  friend constexpr bool operator==(const final_value_refusal&, const final_value_refusal&) = default;
};

/// What `replace_final_values` will do; afterwards, what it did. To veto a replacement, remove it.
struct final_value_plan {
  std::uint64_t epoch = 0;
  flat_array<final_value> values;
  flat_array<final_step> steps;
  flat_array<final_read> reads;
  flat_array<final_value_refusal> refused;
  final_value_witness witness;

  bool empty() const { return values.empty(); }
};

struct final_value_options {
  std::uint32_t assumed_iterations = 8; ///< assumed for loops whose number of iterations is a formula
};

MIDEND_END_NAMESPACE
