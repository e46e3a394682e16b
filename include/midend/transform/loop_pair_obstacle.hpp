/// `loop_pair_obstacle`: why two loops, one directly inside of the other, stay as they are.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// In comments, `node` and `value` are those of the refusal.
enum class loop_pair_obstacle : std::uint8_t {
  none,

  // The shape of the two loops.
  several_inner_loops, ///< the outer loop contains other loops besides the inner one; `node` is the header of one
  several_entries,     ///< more than one edge enters a loop, or it has several backedges; `node` is its header
  several_exits,       ///< not exactly one edge leaves a loop; `node` is its header
  test_elsewhere,      ///< a loop tests neither in its header nor in its latch: in `node`
  different_forms,     ///< one loop tests before its body, the other after it
  guarded,             ///< between the two loops, `node` has a branch: the inner loop may not run in some iterations
  irreducible,         ///< the inner loop has a cycle with several entries

  // The counters.
  not_counted,     ///< `value`, of a test, is not computed from one phi of the header alone, by operations that only
                   ///< compute
  bounds_change,   ///< start, step or bound of the inner counter depends on the outer counter, through `value`
  computed_inside, ///< they depend on `value`, which the outer loop computes although it is invariant;
                   ///< `hoist_invariants` first
  reads_inner,     ///< between the loops, `value` reads what the inner loop computes
  condition_read,  ///< `value`, of a test, is read elsewhere, too
  may_not_end,     ///< the counter `value` may never reach its bound, and would run where it did not

  // The operations.
  not_perfect,       ///< `value`, between the loops or in a header that tests, must not run more or less often
  fixed_order,       ///< `value` is a call, a volatile access, may not return, or threads run it together
  carried_value,     ///< an iteration reads `value` of an earlier iteration, and that is no reduction
  ordered_reduction, ///< a reduction, but the result of operation `value` depends on the order
  used_after,        ///< after the loops, `value` is read
  dependence,        ///< `value` and `second` meet in iterations that would change order
  maybe_dependence,  ///< nothing proves that `value` and `second` do not
  too_many_accesses, ///< more pairs than the options allow

  // The IR.
  fixed_operand, ///< an operation names `value`
  no_place,      ///< `node` accepts no operations, or `value` can have no phi

  // Of several loops.
  overlaps, ///< another pair of the same nest is planned

  // Of collapsing only.
  not_rotated,      ///< the loops test before their bodies; `rotate_loops` first
  unknown_count,    ///< the trip count of the loop with header `node` is not a constant
  product_may_wrap, ///< the product of the trip counts does not fit in the counter
  not_made          ///< found by `apply_collapse`: the IR lacks an operation
};

/// Two loops that stay as they are.
struct loop_pair_refusal {
  loop_id outer = no_loop;
  loop_id inner = no_loop;
  loop_pair_obstacle why = loop_pair_obstacle::none;
  node_id node = no_node;
  value_id value = no_value;
  value_id second = no_value;
};

MIDEND_END_NAMESPACE
