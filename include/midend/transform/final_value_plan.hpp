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
    step    ///< what the operation `step` of the plan computes
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

/// A value that is read after a loop of it, and computed without it.
struct final_value {
  value_id value = no_value;
  loop_id loop = no_loop;
  node_id place = no_node;      ///< at its end, the operations are put: the immediate dominator of the loop's header
  final_operand result;         ///< is read in place of the value
  std::uint32_t first_step = 0; ///< its operations: those in `steps` of the plan from here to before `last_step`
  std::uint32_t last_step = 0;
  std::uint32_t first_read = 0; ///< in `reads` of the plan
  std::uint32_t last_read = 0;
};

/// Why a value that is read after its loops stays.
enum class final_value_obstacle : std::uint8_t {
  none,
  several_exits,   ///< the loop has several exits, or iterations do not come to the only one
  not_counted,     ///< no counter with steps that are known is compared with what does not change
  no_closed_form,  ///< `evolutions` does not know how the value evolves
  not_expressible, ///< a power, or a polynomial of degree 3, after a number of iterations that is a formula
  changes_inside,  ///< the form has values that are computed in the loop; `hoist_invariants` moves them out
  inner_loop,      ///< it depends on an inner loop whose number of iterations is not a number
  not_proven,      ///< it depends on operations that the checker does not follow
  no_place,        ///< before the loop is no node that accepts operations and runs as often as the loop is entered
  costs_more,      ///< the loop would save less than what is to be computed
  not_made ///< found when it was applied: the IR lacks an operation, or says that it may trap, or it is no number
};

/// A value that is read after its loops and stays: why it is not computed without the outermost one.
struct final_value_refusal {
  value_id value = no_value;
  loop_id loop = no_loop;
  final_value_obstacle why = final_value_obstacle::none;

  friend constexpr bool operator==(const final_value_refusal&, const final_value_refusal&) = default;
};

/// What `replace_final_values` will do; once it is applied, what it has done. To veto a replacement, remove it.
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
  std::uint32_t assumed_iterations = 8; ///< of loops whose number of iterations is a formula
};

MIDEND_END_NAMESPACE
