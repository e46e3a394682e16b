/// `interchange_plan`: which loops are interchanged with the loop inside them, and the witness.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/detail/object_array.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/loop_pair_obstacle.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// One level of a nest: a loop that counts.
struct counted_level {
  loop_id loop = no_loop;
  node_id header = no_node;
  node_id latch = no_node;
  node_id test = no_node; ///< the header or the latch
  edge_id entering = no_edge;
  edge_id back = no_edge;
  edge_id stays = no_edge; ///< from the test into the loop
  edge_id exit = no_edge;
  value_id counter = no_value;   ///< a phi of the header
  value_id start = no_value;     ///< its value on entry
  value_id next = no_value;      ///< its value in the next iteration
  value_id condition = no_value; ///< of the test
  bool stays_if = true;          ///< the loop goes on if the condition is not 0
  std::uint32_t first_test = 0;  ///< the operations that compute the condition, operands first: those in `slices` of
                                 ///< the plan
  std::uint32_t last_test = 0;
  std::uint32_t first_step = 0; ///< the operations that compute `next`, likewise
  std::uint32_t last_step = 0;
};

/// An interchange of the counters of two loops.
struct loop_interchange {
  counted_level outer;
  counted_level inner;
  bool is_rotated = false;       ///< both loops test after their bodies
  std::uint32_t first_sunk = 0;  ///< operations between the loops that depend on the outer counter and that the inner
  std::uint32_t last_sunk = 0;   ///< loop reads: in `sunk` of the plan, operands first
  std::uint32_t first_dead = 0;  ///< operations to erase, operands last: those in `dead`
  std::uint32_t last_dead = 0;   ///<
  std::uint32_t first_loose = 0; ///< operations that lose their promises: those in `loose`
  std::uint32_t last_loose = 0;
  std::uint32_t first_pair = 0; ///< pairs of accesses: those in `pairs`
  std::uint32_t last_pair = 0;
};

/// What `apply_interchange` will do. To veto an interchange, remove it from `nests`.
struct interchange_plan {
  std::uint64_t epoch = 0;
  flat_array<loop_interchange> nests;
  flat_array<value_id> slices;
  flat_array<value_id> sunk;
  flat_array<value_id> dead;
  flat_array<value_id> loose;
  detail::object_array<dependence_result> pairs; ///< a proof for each pair of accesses with a write
  flat_array<loop_pair_refusal> refused;

  bool empty() const { return nests.empty(); }
};

/// Limits of `plan_interchange`.
struct interchange_options {
  loop_id only = no_loop;         ///< if not `no_loop`, only the pair with this outer loop
  std::uint32_t max_pairs = 4096; ///< for the accesses of a nest
};

/// An operation that was copied to the level of its new counter.
struct copied_operation {
  value_id copy = no_value;
  value_id original = no_value;

  friend constexpr bool operator==(const copied_operation&, const copied_operation&) = default;
};

/// Two loops whose counters changed places.
struct interchanged_nest {
  node_id outer_header = no_node;
  node_id inner_header = no_node;
  value_id outer_counter = no_value; ///< of the old program
  value_id inner_counter = no_value;
  value_id new_outer = no_value; ///< the phi of the outer header that counts as `inner_counter` did
  value_id new_inner = no_value;
  std::uint32_t first_pair = 0; ///< in `pairs`
  std::uint32_t last_pair = 0;
};

/// The input of `verify_interchange`: which new value stands for which old one, and proofs that no two accesses meet in
/// iterations that change order. The checker verifies every claim.
struct interchange_witness {
  flat_array<interchanged_nest> nests;
  flat_array<copied_operation> copies;
  detail::object_array<dependence_result> pairs;
};

MIDEND_END_NAMESPACE
