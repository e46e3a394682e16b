/// `strength_plan`: which values of loops become counters.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/final_value_plan.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A counter that a plan makes: a phi of a loop header that begins with `start` and to which each iteration adds
/// `step`.
struct strength_counter {
  value_id like = no_value; ///< a value of the counter's type
  loop_id loop = no_loop;
  node_id place = no_node;      ///< start and step are computed at the end of this node, the immediate dominator of the
                                ///< header
  node_id header = no_node;     ///< the header of the loop
  final_operand start;          ///< steps are those of the plan
  final_operand step;           ///< steps are those of the plan
  std::uint32_t first_step = 0; ///< its operations: those in `steps` of the plan from here to before `last_step`
  std::uint32_t last_step = 0;
  std::uint32_t first_edge = 0; ///< the backedges of its loop: those in `backedges` of the plan
  std::uint32_t last_edge = 0;
};

/// A value, and the counter that is read in its place.
struct reduced_value {
  value_id value = no_value;
  std::uint32_t counter = 0;

  friend constexpr bool operator==(const reduced_value&, const reduced_value&) = default;
};

/// Why a value that a counter could replace stays.
enum class strength_obstacle : std::uint8_t {
  none,
  changes_inside, ///< start or step reads values computed in the loop; `hoist_invariants` moves them out
  not_proven,     ///< it depends on operations that the checker does not follow
  no_place,       ///< the header, or the node before the loop, accepts no operations or phis
  fixed_operand,  ///< an operation that reads it names this very value
  costs_more,     ///< the counter costs as much as what goes
  not_made ///< found by the application: the IR lacks an operation, or says that it may trap, or the value is no number
};

struct strength_refusal {
  value_id value = no_value;
  strength_obstacle why = strength_obstacle::none;

  friend constexpr bool operator==(const strength_refusal&, const strength_refusal&) = default;
};

/// What `reduce_strength` will do; afterwards, what it did. To veto a replacement, remove it.
struct strength_plan {
  std::uint64_t epoch = 0;
  flat_array<reduced_value> values;
  flat_array<strength_counter> counters;
  flat_array<final_step> steps;
  flat_array<edge_id> backedges;
  flat_array<strength_refusal> refused;

  bool empty() const { return values.empty(); }
};

struct strength_options {
  std::uint32_t assumed_iterations = 8; ///< assumed for loops whose number of iterations is not known
};

MIDEND_END_NAMESPACE
