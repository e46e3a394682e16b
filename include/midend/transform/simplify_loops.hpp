/// `simplify_loops`: preheaders, single latches and dedicated exits for the loops of a function.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/separate_loops.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// What a new node is for.
enum class loop_node_kind : std::uint8_t { preheader, latch, dedicated_exit };

/// Edges that will lead to their target through a new node.
struct loop_route {
  loop_node_kind kind;
  loop_id loop; ///< for a dedicated exit, the innermost loop that the edges leave
  node_id target;
  std::uint32_t first_edge; ///< into `loop_simplification_plan::edges`
  std::uint32_t num_edges;
  bool into_next; ///< the edge of the new node is one of the edges of the next route whose `into_next` is false
};

/// Why a loop stays without a part of the form.
enum class loop_refusal_reason : std::uint8_t {
  entry_is_header, ///< no edge leads to it where a preheader could be
  edge_stays       ///< an edge cannot be led through a new node
};

/// A part of the form that a loop does not get.
struct loop_refusal {
  loop_id loop;
  loop_node_kind kind;
  loop_refusal_reason why;
  edge_id edge; ///< an edge that stays, or `no_edge`
};

/// What `simplify_loops` will do. To veto the changes at a target, remove its routes.
struct loop_simplification_plan {
  std::uint64_t epoch = 0;
  flat_array<loop_route> routes; ///< by target
  flat_array<edge_id> edges;
  flat_array<loop_refusal> refused;

  bool empty() const { return routes.empty(); }
};

namespace detail {

template <class IR> class loop_simplification_planner {
public:
  loop_simplification_planner(const IR& ir, const dominator_tree& tree, const loop_forest& loops,
                              loop_simplification_plan& out)
      : ir_(ir), tree_(tree), loops_(loops), out_(out) {}

  void run() {
    const auto& g = ir_.graph();
    const node_id count = node_count(g);
    out_.epoch = graph_epoch(g);
    if (have_form()) {
      return;
    }
    in_end_.assign(count + std::size_t{1}, 0);
    out_degree_.assign(count, 0);
    for (node_id n = 0; n != count; ++n) {
      for_each_id(g.out_edges(n), [&](edge_id e) {
        ++in_end_[target(e)];
        ++out_degree_[n];
      });
    }
    counts_to_ends(in_end_);
    in_.resize_for_overwrite(in_end_[count]);
    for (node_id n = count; n-- != 0;) {
      for_each_id(g.out_edges(n), [&](edge_id e) { in_[--in_end_[target(e)]] = e; });
    }
    edges_of_class_.assign(loops_.num_loops(), 0);
    for (node_id n = 0; n != count; ++n) {
      if (tree_.is_reachable(n) && in_end_[n] != in_end_[n + std::size_t{1}]) {
        loops_.is_header(n) ? plan_header(n) : plan_join(n);
      }
    }
  }

private:
  /// Whether there is nothing to do, as after an earlier call. The forest tells.
  bool have_form() const {
    bool all = true;
    for (const loop_id l : loops_.loops()) {
      all = all && loops_.preheader(l) != no_node && loops_.backedges(l).size() == 1 && loops_.has_dedicated_exits(l);
    }
    return all;
  }

  node_id target(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_target(e)); }

  node_id source(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_source(e)); }

  span<const edge_id> in_edges(node_id n) const {
    return {in_.data() + in_end_[n], in_.data() + in_end_[n + std::size_t{1}]};
  }

  /// The innermost loop that an edge leaves, or `no_loop`.
  loop_id left_loop(edge_id e) const {
    const loop_id l = loops_.innermost_loop(source(e));
    return l == no_loop || loops_.contains(l, target(e)) ? no_loop : l;
  }

  void plan_join(node_id n) {
    bundle_.clear();
    const bool others = n == static_cast<node_id>(ir_.graph().entry());
    for (const edge_id e : in_edges(n)) {
      if (tree_.is_reachable(source(e))) {
        bundle_.push_back(e);
      }
    }
    plan_exits(n, others, false);
  }

  void plan_header(node_id n) {
    const loop_id l = loops_.innermost_loop(n);
    bundle_.clear();
    for (const edge_id e : in_edges(n)) {
      if (!loops_.contains(l, source(e))) {
        bundle_.push_back(e);
      }
    }
    const bool is_entry = n == static_cast<node_id>(ir_.graph().entry());
    const bool has_preheader = !is_entry && bundle_.size() == 1 && out_degree_[source(bundle_[0])] == 1;
    if (is_entry) {
      out_.refused.push_back({l, loop_node_kind::preheader, loop_refusal_reason::entry_is_header, no_edge});
    }
    plan_bundle(n, l, loop_node_kind::preheader, !is_entry && !has_preheader);
    bundle_.clear();
    for (const edge_id e : in_edges(n)) {
      if (loops_.contains(l, source(e))) {
        bundle_.push_back(e);
      }
    }
    plan_bundle(n, l, loop_node_kind::latch, bundle_.size() > 1);
  }

  /// Plans a node for the entering edges or for the backedges of a loop.
  void plan_bundle(node_id n, loop_id l, loop_node_kind kind, bool wanted) {
    if (wanted && !refuse_stuck(l, kind, bundle_)) {
      plan_exits(n, false, true);
      const auto first = static_cast<std::uint32_t>(out_.edges.size());
      for (const edge_id e : bundle_) {
        out_.edges.push_back(e);
      }
      out_.routes.push_back({kind, l, n, first, static_cast<std::uint32_t>(out_.edges.size()) - first, false});
    } else {
      plan_exits(n, true, false);
    }
  }

  /// Whether one of the edges cannot be split. Then refuses.
  bool refuse_stuck(loop_id l, loop_node_kind kind, span<const edge_id> edges) {
    for (const edge_id e : edges) {
      if (!may_split(ir_, e)) {
        out_.refused.push_back({l, kind, loop_refusal_reason::edge_stays, e});
        return true;
      }
    }
    return false;
  }

  /// If edges of several kinds meet, plans a node for those that leave the same loop. These edges leave the bundle.
  /// `others`: whether further edges lead to the target.
  void plan_exits(node_id n, bool others, bool into_next) {
    classes_.clear();
    for (const edge_id e : bundle_) {
      const loop_id l = left_loop(e);
      if (l == no_loop) {
        others = true;
      } else if (edges_of_class_[l]++ == 0) {
        classes_.push_back(l);
      }
    }
    if (classes_.size() > (others ? 0u : 1u)) {
      group_by_class();
      for (const loop_id l : classes_) {
        plan_exit(n, l, into_next);
      }
      std::size_t left = 0;
      for (const edge_id e : bundle_) {
        bundle_[left] = e;
        left += left_loop(e) == no_loop || edges_of_class_[left_loop(e)] != moved ? 1u : 0u;
      }
      bundle_.shrink(left);
    }
    for (const loop_id l : classes_) {
      edges_of_class_[l] = 0;
    }
  }

  /// Sorts the edges that leave loops by class. Afterwards `edges_of_class_` is where the edges of a class end.
  void group_by_class() {
    std::uint32_t total = 0;
    for (const loop_id l : classes_) {
      const std::uint32_t count = edges_of_class_[l];
      edges_of_class_[l] = total;
      total += count;
    }
    grouped_.resize_for_overwrite(total);
    for (const edge_id e : bundle_) {
      if (left_loop(e) != no_loop) {
        grouped_[edges_of_class_[left_loop(e)]++] = e;
      }
    }
    grouped_at_ = 0;
  }

  /// Plans the exit for the next class in the order of `classes_`.
  void plan_exit(node_id n, loop_id l, bool into_next) {
    const std::uint32_t begin = grouped_at_;
    const std::uint32_t end = edges_of_class_[l];
    grouped_at_ = end;
    const span<const edge_id> edges(grouped_.data() + begin, end - begin);
    if (refuse_stuck(l, loop_node_kind::dedicated_exit, edges)) {
      return;
    }
    const auto first = static_cast<std::uint32_t>(out_.edges.size());
    for (const edge_id e : edges) {
      out_.edges.push_back(e);
    }
    out_.routes.push_back({loop_node_kind::dedicated_exit, l, n, first, end - begin, into_next});
    edges_of_class_[l] = moved;
  }

  static constexpr std::uint32_t moved = 0xffff'ffff;

  const IR& ir_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  loop_simplification_plan& out_;
  flat_array<std::uint32_t> in_end_;
  flat_array<edge_id> in_; ///< edges by target
  flat_array<std::uint32_t> out_degree_;
  flat_array<edge_id> bundle_;
  flat_array<loop_id> classes_;
  flat_array<std::uint32_t> edges_of_class_; ///< by loop; 0 between calls
  flat_array<edge_id> grouped_;
  std::uint32_t grouped_at_ = 0;
};

} // namespace detail

/// Plans which edges lead through new nodes so that each natural loop has a preheader, a single latch and dedicated
/// exits (`loop_forms.hpp`). All loops are planned at once, since the routes do not interfere: edges to one target are
/// divided into those that enter the loop of a header, those that go back, and those that leave the same loop.
///
/// Requires results of this graph as it is. A loop whose header is the entry gets no preheader, and edges that the IR
/// does not allow to be split stay: `refused` says which. Unreachable predecessors of a header are entering edges;
/// elsewhere they stay where they are. Loops with one header are one loop here; `plan_separate_loops` comes before.
///
/// O(n + m).
///
///     a, b → header            a, b → preheader → header
///     c, d → header       →    c, d → latch → header        (backedges)
///     e, x → exit              e → dedicated exit → exit    (e leaves the loop)
template <graph_of_ir_argument IR>
loop_simplification_plan plan_simplify_loops(const IR& ir, const dominator_tree& tree, const loop_forest& loops) {
  MIDEND_ASSERT(tree.epoch() == graph_epoch(ir.graph()) && loops.epoch() == tree.epoch(), "results of this graph",
                tree.epoch(), loops.epoch());
  loop_simplification_plan plan;
  detail::loop_simplification_planner<IR>(ir, tree, loops, plan).run();
  return plan;
}

/// Applies a plan for the graph as it is. O(edges, and phis in their targets).
template <class E> void apply_simplify_loops(unfolding<E>& u, const loop_simplification_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  flat_array<edge_id> edges;
  for (const loop_route& r : plan.routes) {
    const span<const edge_id> own(plan.edges.data() + r.first_edge, r.num_edges);
    if (r.into_next) {
      const node_id n = u.route_edges(own);
      detail::for_each_id(u.program().graph().out_edges(n), [&](edge_id e) { edges.push_back(e); });
      continue;
    }
    for (const edge_id e : own) {
      edges.push_back(e);
    }
    u.route_edges(edges);
    edges.clear();
  }
}

/// Returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_simplify_loops(E& editor, const loop_simplification_plan& plan) {
  unfolding<E> u(editor);
  apply_simplify_loops(u, plan);
  return u.take_witness();
}

/// The result of a transformation of loops in one call.
template <class Plan> struct loop_transformation {
  unfolding_witness witness;
  Plan plan;                 ///< what was done, and what was refused
  dominator_tree dominators; ///< of the graph as it is now
  loop_forest loops;
};

namespace detail {

/// Separates loops with one header, then brings all into loop-simplify form. Returns the second plan. `found` then
/// describes the new graph.
template <unfolding_editor E>
loop_simplification_plan simplify_all_loops(unfolding<E>& u, dominators_and_loops_workspace& workspace,
                                            dominators_and_loops_result& found) {
  const auto& g = u.program().graph();
  const separation_plan separation = plan_separate_loops(u.program(), found.loops);
  apply_separate_loops(u, separation);
  if (!separation.empty()) {
    dominators_and_loops(g, workspace, found);
  }
  loop_simplification_plan plan = plan_simplify_loops(u.program(), found.dominators, found.loops);
  apply_simplify_loops(u, plan);
  if (!plan.empty()) {
    dominators_and_loops(g, workspace, found);
  }
  return plan;
}

} // namespace detail

/// Brings all loops of a function into loop-simplify form, apart from what is refused, and returns the witness, the
/// plan, and the dominators and loops of the new graph. First separates loops that share a header, where phis or the
/// profile show which one is inner (`separate_loops.hpp`); numbers of loops in the plan are those after it.
template <unfolding_editor_argument E> loop_transformation<loop_simplification_plan> simplify_loops(E& editor) {
  unfolding<E> u(editor);
  dominators_and_loops_workspace workspace;
  dominators_and_loops_result found;
  dominators_and_loops(editor.graph(), workspace, found);
  loop_transformation<loop_simplification_plan> out;
  out.plan = detail::simplify_all_loops(u, workspace, found);
  out.witness = u.take_witness();
  out.dominators = std::move(found.dominators);
  out.loops = std::move(found.loops);
  return out;
}

MIDEND_END_NAMESPACE
