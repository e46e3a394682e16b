/// `condition_split_plan`: which loops are split by a condition into three, and the witness.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/detail/object_array.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why a loop is not split by a condition.
enum class condition_split_obstacle : std::uint8_t {
  none,

  // The loop.
  contains_loops,  ///< the loop contains others
  several_entries, ///< more than one edge enters the loop, or it has several backedges
  several_exits,   ///< not exactly one edge leaves the loop
  irreducible,     ///< the loop has a cycle with several entries

  // The branch. `node` is the one with the largest arms that is not split.
  no_condition,      ///< no branch runs in each iteration and has arms that meet again
  leaves_arm,        ///< an edge of an arm leaves the loop or goes back to its header
  several_ends,      ///< several edges lead from an arm to where the arms meet
  entered_elsewhere, ///< `node` of an arm has a phi at its entry, or an edge from outside of the arm leads to it
  too_little_work,   ///< the arms have fewer operations than the options require
  value_leaves,    ///< `value` of an arm is read outside of it: by a later iteration, after the arm, or after the loop
  too_many_values, ///< an arm reads more values than the options allow

  // The operations.
  fixed_order,       ///< `value` is a call, a volatile access, may not return, or threads run it together
  dependence,        ///< `value` and `second` meet in iterations that would change order
  maybe_dependence,  ///< nothing proves that `value` and `second` do not
  too_many_accesses, ///< more pairs of accesses than the options allow

  // The IR.
  not_stored,    ///< `value`, which an arm reads, cannot be kept in memory
  fixed_operand, ///< an operation names `value`
  no_place,      ///< `node` accepts no operations, or `value` can have no phi
  fixed_edge,    ///< an edge of `node` cannot be redirected

  // Of several loops.
  overlaps, ///< the loop follows directly after another one that is split, or before it
  not_made  ///< found by `apply_condition_split`: the IR lacks local arrays or an operation
};

/// A loop that stays as it is.
struct condition_split_refusal {
  loop_id loop = no_loop;
  condition_split_obstacle why = condition_split_obstacle::none;
  node_id node = no_node;
  value_id value = no_value;
  value_id second = no_value;
};

/// An arm that becomes a loop.
struct condition_split_arm {
  edge_id entry = no_edge;      ///< an edge of the branch
  edge_id end = no_edge;        ///< the edge to where the arms meet
  std::uint32_t first_node = 0; ///< in `nodes` of the plan; the first one is the target of `entry`
  std::uint32_t num_nodes = 0;
  std::uint32_t first_value = 0; ///< the values of the loop that it reads: those in `values`
  std::uint32_t num_values = 0;
};

/// A loop that is split.
struct condition_split {
  loop_id loop = no_loop;
  node_id header = no_node;
  node_id latch = no_node;
  edge_id entering = no_edge;
  edge_id back = no_edge;
  edge_id exit = no_edge;
  node_id node = no_node;        ///< the node of the branch
  node_id join = no_node;        ///< where its arms meet
  std::uint32_t first_block = 0; ///< the nodes of the loop, in `nodes` of the plan
  std::uint32_t num_blocks = 0;
  bool exits_after = false; ///< whether the exit is after the arms in an iteration
  std::uint32_t num_arms = 0;
  condition_split_arm arms[2];
  std::uint32_t first_leaving = 0; ///< the values of the loop that are read after it: those in `values`
  std::uint32_t num_leaving = 0;
  std::uint32_t first_pair = 0; ///< pairs of accesses: those in `pairs`
  std::uint32_t last_pair = 0;
  std::size_t operations = 0; ///< number of operations of the arms
  double iterations = 0;      ///< expected; 0 if nothing is known
};

/// What `apply_condition_split` will do. To veto a split, remove it from `loops`.
struct condition_split_plan {
  std::uint64_t epoch = 0;
  std::uint32_t chunk = 0; ///< records in each local array
  flat_array<condition_split> loops;
  flat_array<node_id> nodes;
  flat_array<value_id> values;
  flat_array<std::uint32_t> bytes;               ///< the size in memory of each of `values`
  detail::object_array<dependence_result> pairs; ///< a proof for each pair of accesses that changes order
  flat_array<condition_split_refusal> refused;

  bool empty() const { return loops.empty(); }
};

/// Limits of `plan_condition_split`.
struct condition_split_options {
  loop_id only = no_loop;           ///< if not `no_loop`, only this loop
  std::uint32_t chunk = 64;         ///< iterations that an array records, 1 … 2^16
  std::size_t least_work = 4;       ///< operations of the arms together, terminators aside
  std::uint32_t max_values = 16;    ///< values that an arm reads
  std::uint32_t max_leaving = 64;   ///< values that are read after a loop
  std::uint32_t max_branches = 8;   ///< branches that are tried in a loop
  std::uint32_t max_accesses = 256; ///< accesses of a loop
  std::uint32_t max_pairs = 4096;   ///< pairs of accesses that may change order, for each branch that is tried
};

/// A value that an arm reads, and where the iterations keep it.
struct kept_value {
  value_id value = no_value;
  value_id array = no_value;
  value_id store = no_value;
  value_id load = no_value; ///< reads the value in the arm
};

/// An arm that became a loop.
struct split_off_arm {
  edge_id entry = no_edge;
  edge_id end = no_edge;
  node_id append = no_node;      ///< the node that records an iteration
  node_id header = no_node;      ///< the header of the arm's loop
  value_id count = no_value;     ///< records when an iteration begins: a phi of the old header
  value_id appended = no_value;  ///< `count` plus one
  value_id joined = no_value;    ///< records when the arms have met: a phi there
  value_id drained = no_value;   ///< records for the loop of the arm: a phi before it
  value_id index = no_value;     ///< of the record: a phi of the loop of the arm
  value_id next = no_value;      ///< `index` plus one
  std::uint32_t first_value = 0; ///< in `kept`
  std::uint32_t num_values = 0;
};

/// A value of the old loop, and the phis that carry it: for a phi of the header, to the next chunk; for a value that is
/// read after the loop, to the reads.
struct carried_value {
  value_id value = no_value;
  value_id drained = no_value; ///< the phi before the loops of the arms
  value_id outer = no_value;   ///< the phi of the header of the loop over chunks, or `no_value`
};

/// A loop that was split.
struct split_loop {
  node_id header = no_node;
  node_id node = no_node;      ///< the node of the branch
  node_id outer = no_node;     ///< header of the loop over chunks
  node_id full = no_node;      ///< the node that tests whether a chunk is full
  node_id drain = no_node;     ///< the node before the loops of the arms
  node_id last = no_node;      ///< the node after them
  value_id done = no_value;    ///< whether the old loop has ended: a phi of `drain`
  std::uint32_t first_arm = 0; ///< in `arms`
  std::uint32_t num_arms = 0;
  std::uint32_t first_carried = 0; ///< in `carried`
  std::uint32_t num_carried = 0;
  std::uint32_t first_pair = 0; ///< in `pairs`
  std::uint32_t last_pair = 0;
};

/// The input of `verify_condition_split`: what was made, and proofs that no two accesses meet in iterations that change
/// order. The checker verifies every claim.
struct condition_split_witness {
  std::uint32_t chunk = 0;
  flat_array<split_loop> loops;
  flat_array<split_off_arm> arms;
  flat_array<kept_value> kept;
  flat_array<carried_value> carried;
  detail::object_array<dependence_result> pairs;
};

MIDEND_END_NAMESPACE
