/// `describe_loop`: one iteration of an innermost loop, read from the user's IR.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/detail/function_facts.hpp"
#include "midend/induction/detail/loop_blocks.hpp"
#include "midend/induction/detail/loop_profile.hpp"
#include "midend/induction/detail/loop_values.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// Memory for loops that are described one after the other.
class describe_loop_workspace {
public:
  /// For the algorithm; not part of the interface.
  detail::loop_block_arrays blocks_;
  detail::loop_value_arrays values_;
  detail::function_fact_arrays facts_;
  flat_array<double> arriving_;
};

/// Describes the loops of one function. Of the function as a whole it finds out what reading a single loop does not
/// say, when that is first needed: which nodes are reachable, if a header phi has different inputs by several entering
/// edges; and, if the IR does not know `users`, which values are used outside their loop.
template <cost_ir IR> class loop_describer {
public:
  /// Requires that `forest` is of `ir.graph()`, with boundaries. All three have to outlive it. O(1) once the workspace
  /// has seen a function as large.
  constexpr loop_describer(const IR& ir, const loop_forest& forest, describe_loop_workspace& workspace)
      : ir_(ir), forest_(forest), workspace_(workspace), facts_(ir, forest, workspace.facts_) {
    MIDEND_ASSERT(forest.epoch() == graph_epoch(ir.graph()), "a loop forest that is up to date", forest.epoch(),
                  graph_epoch(ir.graph()));
  }

  /// `l` as a loop body, refilling `out`; or why it has none, and `out` says nothing. See `describe_loop`.
  constexpr loop_obstacle describe(loop_id l, loop_body& out) {
    out.clear();
    if (forest_.subloops(l).size() != 1) {
      return loop_obstacle::contains_loop;
    }
    if (is_control_unusual(l)) {
      return loop_obstacle::unusual_control;
    }
    detail::loop_block_reader blocks(ir_.graph(), forest_, l, workspace_.blocks_, out);
    const bool is_acyclic = blocks.order_blocks();
    if (is_acyclic) {
      blocks.read_edges();
      detail::loop_value_reader<IR>(ir_, forest_, l, workspace_.blocks_, facts_, workspace_.values_, out).run();
      add_hints(l, out);
    }
    blocks.forget();
    return is_acyclic ? loop_obstacle::none : loop_obstacle::irreducible;
  }

private:
  /// Whether something else than a value decides which edge is taken.
  constexpr bool is_control_unusual(loop_id l) const {
    for (const node_id n : forest_.own_blocks(l)) {
      auto&& edges = ir_.graph().out_edges(n);
      std::size_t count = 0;
      for (auto it = std::begin(edges); it != std::end(edges); ++it) {
        ++count;
      }
      if (count > 1 && ir_.condition(n) == no_value) {
        return true;
      }
    }
    return false;
  }

  constexpr void add_hints([[maybe_unused]] loop_id l, loop_body& out) {
    if constexpr (has_trip_hints<IR>) {
      out.hints = ir_.trip_hints(forest_.header(l));
    }
    if constexpr (has_probability<IR>) {
      if (out.hints.average == 0) {
        out.hints.average = detail::loop_profile_reader(ir_, workspace_.blocks_, out, workspace_.arriving_).average();
      }
    }
  }

  const IR& ir_;
  const loop_forest& forest_;
  describe_loop_workspace& workspace_;
  detail::function_facts<IR> facts_;
};

/// One iteration of loop `l` of `ir`, refilling `out`. If it has none that can be unrolled, the result says why, and
/// `out` nothing: `contains_loop`, `irreducible` or `unusual_control`.
///
/// What comes from outside is a constant if the IR says so, of itself or of what it is a copy of (up to 16 copies
/// away), else an invariant; what a header phi is on entry is an invariant also if it depends on the way, which is then
/// its `origin`. A guarded operation becomes the operation and, if it has a result, a `select` behind it: both have it
/// as `origin`. Several backedges make joins in the bottom for phis whose inputs differ. Terminators become edges. If
/// no hint gives an average trip count, it is one divided by the probability that an iteration leaves, where all
/// branches have probabilities.
///
/// Entering edges from unreachable nodes do not count; nor do edges from there into the middle of the loop. A user in
/// an unreachable node is a user: its operand is live out. Parallel edges are edges each.
///
/// Requires verified IR in SSA form and a forest of its graph, with boundaries. Linear in the values, operands and
/// edges of the loop and the users of its values; if the IR has no `users`, or a header phi has different inputs by
/// several entering edges, linear in the function: for all loops of a function take a `loop_describer`.
template <cost_ir IR>
constexpr loop_obstacle describe_loop(const IR& ir, const loop_forest& forest, loop_id l,
                                      describe_loop_workspace& workspace, loop_body& out) {
  return loop_describer<IR>(ir, forest, workspace).describe(l, out);
}

MIDEND_END_NAMESPACE
