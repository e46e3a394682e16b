/// `unify_loop_exits`: one exit block for each loop.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/values_without_phis.hpp"
#include "midend/transform/simplify_loops.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A loop whose exiting edges will meet in a new exit block.
struct unified_exit {
  loop_id loop;
  std::uint32_t first_edge; ///< into `exit_unification_plan::edges`
  std::uint32_t num_edges;
};

/// A loop that keeps several exit blocks. Either `edge` cannot be led through a new node, or `value`, which an exit
/// block needs, cannot take a phi. If neither is set, the phis of the new exit block would have more inputs than the
/// options allow.
struct exit_refusal {
  loop_id loop;
  edge_id edge;   ///< an edge that stays, or `no_edge`
  value_id value; ///< a value that cannot take a phi, or `no_value`
};

struct exit_unification_options {
  /// How many inputs the phis of a new exit block may have. Each value that is read after the loop may need a phi there
  /// with an input for each exiting edge: n exits with a value each take n².
  std::size_t max_inputs = 1'000'000;
};

/// What `unify_loop_exits` will do. To veto the change of a loop, remove it; the loops inside it may then keep several
/// exit blocks.
struct exit_unification_plan {
  std::uint64_t epoch = 0;
  flat_array<unified_exit> exits; ///< outer loops before those inside them
  flat_array<edge_id> edges;
  flat_array<exit_refusal> refused;

  bool empty() const { return exits.empty(); }
};

namespace detail {

/// Counts for each loop its values that are read outside. O(n + m), plus for each value the number of loops that it
/// leaves.
template <class IR> flat_array<std::uint32_t> values_read_after(const IR& ir, const loop_forest& loops) {
  flat_array<node_id> home(static_cast<std::size_t>(ir.num_values()), no_node);
  flat_array<loop_id> left(static_cast<std::size_t>(ir.num_values()), no_loop); // the outermost one
  const node_id count = node_count(ir.graph());
  for (node_id n = 0; n != count; ++n) {
    for_each_id(ir.values(n), [&](value_id v) { home[v] = n; });
  }
  for (node_id n = 0; n != count; ++n) {
    for_each_id(ir.values(n), [&](value_id user) {
      for_each_id(ir.operands(user), [&](value_id v) {
        if (v != no_value && home[v] != no_node && home[v] != n) {
          loop_id next = left[v] == no_loop ? loops.innermost_loop(home[v]) : left[v];
          for (; next != no_loop && !loops.contains(next, n); next = loops.parent(next)) {
            left[v] = next;
          }
        }
      });
    });
  }
  flat_array<std::uint32_t> counts(loops.num_loops(), 0); // first differences along the path out, then sums
  for (value_id v = 0; v != home.size(); ++v) {
    if (left[v] != no_loop) {
      ++counts[loops.innermost_loop(home[v])];
      if (const loop_id beyond = loops.parent(left[v]); beyond != no_loop) {
        --counts[beyond];
      }
    }
  }
  for (auto l = static_cast<loop_id>(loops.num_loops()); l-- != 0;) { // inner loops have larger numbers
    if (const loop_id parent = loops.parent(l); parent != no_loop) {
      counts[parent] += counts[l];
    }
  }
  return counts;
}

} // namespace detail

/// Finds the loops with several exit blocks, and their exiting edges. An edge that leaves several loops is listed for
/// each that gets a new exit block; an inner loop then exits to the exit block of the outer one. Loops without exits
/// and with one exit block stay as they are, also if that is not dedicated (`simplify_loops`).
///
/// Requires a forest of this graph as it is, with boundaries. A loop with an edge that may not be split is refused, and
/// so is one with a value, read in other nodes, that no phi can take (`may_insert_phi`) and that reaches some exit
/// blocks only, and one whose new exit block would need too many inputs of phis.
///
/// O(n + m), plus for each edge the number of loops that it leaves; with values that no phi can take, also the
/// dominators of exit blocks that do not dominate all exiting edges of a loop.
///
///     loop → x        loop → new     new: selector → x or y
///     loop → y   →    loop → new
template <ssa_ir_argument IR>
exit_unification_plan plan_unify_loop_exits(const IR& ir, const loop_forest& loops,
                                            const exit_unification_options& options = {}) {
  const auto& g = ir.graph();
  MIDEND_ASSERT(loops.epoch() == graph_epoch(g), "a loop forest of this graph", loops.epoch());
  exit_unification_plan plan;
  plan.epoch = graph_epoch(g);
  const node_id count = detail::node_count(g);
  flat_array<node_id> leads_to(static_cast<std::size_t>(g.num_edges()), no_node); // its new target, if it has one; else
                                                                                  // its target
  detail::values_without_phis<IR> stuck(ir);
  const dominator_tree tree = stuck.empty() ? dominator_tree() : dominators(g);
  const flat_array<std::uint32_t> read_after = detail::values_read_after(ir, loops);
  flat_array<loop_id> seen(static_cast<std::size_t>(count), no_loop);
  const auto end_of = [&](const loop_edge& e) { return leads_to[e.id] == no_node ? e.target : leads_to[e.id]; };
  for (const loop_id l : loops.loops()) {
    node_id first = no_node;
    edge_id stays = no_edge;
    bool has_several = false;
    std::size_t phis = read_after[l];
    for (const loop_edge& e : loops.exiting_edges(l)) {
      first = first == no_node ? end_of(e) : first;
      has_several = has_several || end_of(e) != first;
      stays = stays == no_edge && !may_split(ir, e.id) ? e.id : stays;
    }
    if (!has_several) {
      continue;
    }
    const auto begin = static_cast<std::uint32_t>(plan.edges.size());
    for (const loop_edge& e : loops.exiting_edges(l)) {
      plan.edges.push_back(e.id);
    }
    const span<const edge_id> edges(plan.edges.data() + begin, plan.edges.size() - begin);
    for (const loop_edge& e : loops.exiting_edges(l)) {
      if (seen[e.target] != l) {
        seen[e.target] = l;
        detail::for_each_phi(ir, e.target, [&](value_id) { ++phis; });
      }
    }
    const bool is_large = phis > options.max_inputs / edges.size();
    const value_id lost = stays == no_edge ? stuck.lost_by_dispatch(tree, edges) : no_value;
    if (stays != no_edge || lost != no_value || is_large) {
      plan.refused.push_back({l, stays, lost});
      plan.edges.shrink(begin);
      continue;
    }
    const auto new_node = static_cast<node_id>(count + plan.exits.size());
    for (const edge_id e : edges) {
      leads_to[e] = new_node;
    }
    plan.exits.push_back({l, begin, static_cast<std::uint32_t>(edges.size())});
  }
  return plan;
}

/// Applies a plan for the graph as it is. O(edges of the plan · phis in their targets), plus one walk over the program
/// and the cost of `repair_ssa`.
template <dispatching_editor_argument E>
void apply_unify_loop_exits(unfolding<E>& u, const exit_unification_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  for (const unified_exit& x : plan.exits) {
    u.route_edges(span<const edge_id>(plan.edges.data() + x.first_edge, x.num_edges));
  }
  u.finish();
}

/// Returns the witness.
template <detail::edits_alone E>
  requires dispatching_editor_argument<E>
unfolding_witness apply_unify_loop_exits(E& editor, const exit_unification_plan& plan) {
  unfolding<E> u(editor);
  apply_unify_loop_exits(u, plan);
  return u.take_witness();
}

/// Gives each natural loop of a function one exit block at most, apart from those that are refused: where there were
/// several, a dispatch leads on to them. Returns the witness, the plan, and dominators and loops of the new graph, in
/// which the loops are the same.
template <dispatching_editor_argument E>
loop_transformation<exit_unification_plan> unify_loop_exits(E& editor, const exit_unification_options& options = {}) {
  unfolding<E> u(editor);
  auto found = dominators_and_loops(editor.graph());
  loop_transformation<exit_unification_plan> out;
  out.plan = plan_unify_loop_exits(editor, found.loops, options);
  if (!out.plan.empty()) {
    apply_unify_loop_exits(u, out.plan);
    found = dominators_and_loops(editor.graph());
  }
  out.witness = u.take_witness();
  out.dominators = std::move(found.dominators);
  out.loops = std::move(found.loops);
  return out;
}

MIDEND_END_NAMESPACE
