/// `fix_irreducible`: every cycle becomes a natural loop.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/cycle_forest.hpp"
#include "midend/loops/cycles.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/simplify_loops.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// An irreducible cycle that gets a new header.
struct cycle_dispatch {
  cycle_id cycle;
  std::uint32_t first_edge; ///< into `irreducible_plan::edges`: those that will lead to the new header
  std::uint32_t num_edges;
};

/// Why a cycle stays irreducible.
enum class irreducible_refusal_reason : std::uint8_t {
  edge_stays ///< an edge into the cycle cannot be led through a new node
};

/// A cycle that stays irreducible.
struct irreducible_refusal {
  cycle_id cycle;
  node_id header;
  irreducible_refusal_reason reason;
  edge_id edge; ///< that stays
};

/// What `fix_irreducible` will do. To veto the change of a cycle, remove it; the others do not depend on it.
struct irreducible_plan {
  std::uint64_t epoch = 0;
  flat_array<cycle_dispatch> dispatches; ///< inner cycles before those around them
  flat_array<edge_id> edges;
  flat_array<irreducible_refusal> refused;

  bool empty() const { return dispatches.empty(); }
};

/// The irreducible cycles of a function, and the edges that a dispatch before each has to take over: those that enter
/// the cycle, and those in it that lead to its header, apart from backedges of a natural loop. So each natural loop
/// stays one, also one of a single node that is an entry of the cycle.
///
/// Requires results of this graph as it is. Edges from unreachable nodes stay where they are. A cycle with an edge that
/// may not be split is refused, and the cycles inside it and around it are not.
///
/// O(n + m), plus for each edge the number of irreducible cycles that it enters.
template <class IR>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
irreducible_plan plan_fix_irreducible(const IR& ir, const dominator_tree& tree, const cycle_forest& cycles) {
  MIDEND_ASSERT(tree.epoch() == graph_epoch(ir.graph()) && cycles.epoch() == tree.epoch(), "results of this graph",
                tree.epoch(), cycles.epoch());
  const auto& g = ir.graph();
  irreducible_plan plan;
  plan.epoch = graph_epoch(g);
  if (cycles.is_reducible()) {
    return plan;
  }

  struct led_edge {
    cycle_id cycle;
    edge_id edge;
  };

  flat_array<led_edge> led;
  for (node_id n = 0; n != detail::node_count(g); ++n) {
    if (!tree.is_reachable(n)) {
      continue;
    }
    detail::for_each_id(g.out_edges(n), [&](edge_id e) {
      const auto target = static_cast<node_id>(g.edge_target(e));
      cycle_id c = cycles.innermost_cycle(target);
      if (c != no_cycle && cycles.contains(c, n)) {
        if (cycles.header(c) == target && !cycles.is_reducible(c) && !tree.dominates(target, n)) {
          led.push_back({c, e});
        }
        return;
      }
      for (; c != no_cycle && !cycles.contains(c, n); c = cycles.parent(c)) {
        if (!cycles.is_reducible(c)) {
          led.push_back({c, e});
        }
      }
    });
  }
  flat_array<std::uint32_t> ends(cycles.num_cycles() + 1, 0);
  for (const led_edge& l : led) {
    ++ends[l.cycle];
  }
  detail::counts_to_ends(ends);
  plan.edges.resize_for_overwrite(led.size());
  for (std::size_t i = led.size(); i-- != 0;) {
    plan.edges[--ends[led[i].cycle]] = led[i].edge;
  }
  for (auto c = static_cast<cycle_id>(cycles.num_cycles()); c-- != 0;) {
    const cycle_dispatch d{c, ends[c], ends[c + 1] - ends[c]};
    edge_id stays = no_edge;
    for (std::uint32_t i = d.num_edges; i-- != 0;) {
      const edge_id e = plan.edges[d.first_edge + i];
      stays = may_split(ir, e) ? stays : e;
    }
    if (stays != no_edge) {
      plan.refused.push_back({c, cycles.header(c), irreducible_refusal_reason::edge_stays, stays});
    } else if (d.num_edges != 0) {
      plan.dispatches.push_back(d);
    }
  }
  return plan;
}

/// Applies a plan for the graph as it is. O(edges of the plan, phis in their targets), plus one pass over the program
/// and what `repair_ssa` costs.
template <dispatching_editor E> void apply_fix_irreducible(unfolding<E>& u, const irreducible_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  for (const cycle_dispatch& d : plan.dispatches) {
    u.route_edges(span<const edge_id>(plan.edges.data() + d.first_edge, d.num_edges));
  }
  u.finish();
}

/// The same; returns the witness.
template <dispatching_editor E> unfolding_witness apply_fix_irreducible(E& editor, const irreducible_plan& plan) {
  unfolding<E> u(editor);
  apply_fix_irreducible(u, plan);
  return u.take_witness();
}

/// Makes every cycle of a function a natural loop, apart from what is refused. Returns the witness, the plan, and
/// dominators and loops of the new graph. Numbers of cycles in the plan are those before.
template <dispatching_editor E> loop_transformation<irreducible_plan> fix_irreducible(E& editor) {
  unfolding<E> u(editor);
  loop_transformation<irreducible_plan> out;
  {
    const dominator_tree tree = dominators(editor.graph());
    const cycle_forest found = cycles(editor.graph());
    out.plan = plan_fix_irreducible(editor, tree, found);
  }
  if (!out.plan.empty()) {
    apply_fix_irreducible(u, out.plan);
  }
  auto found = dominators_and_loops(editor.graph());
  out.witness = u.take_witness();
  out.dominators = std::move(found.dominators);
  out.loops = std::move(found.loops);
  return out;
}

MIDEND_END_NAMESPACE
