/// `hoist_common`: operations that several branches of a loop compute move to their common dominator.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/hoist_invariants.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// An operation that moves to the end of a node above.
struct common_value {
  value_id value;
  node_id where;
  bool drops_promises; ///< it may run where it did not, and only its promises would make that wrong

  friend constexpr bool operator==(const common_value&, const common_value&) = default;
};

/// What `hoist_common` will do. To veto a move, remove it and those of the operations that read it.
struct common_value_plan {
  std::uint64_t epoch = 0;
  flat_array<common_value> moves; ///< operands before what reads them

  bool empty() const { return moves.empty(); }
};

namespace detail {
template <class IR, class D> class common_value_planner;
}

/// The memory of `plan_hoist_common`, to be reused.
class hoist_common_workspace {
  template <class IR, class D> friend class detail::common_value_planner;

  flat_array<node_id> home_;     ///< by value: where it will be
  flat_array<node_id> old_home_; ///< by value: where it is
  flat_array<value_id> first_;   ///< by class: the last operation that was not merged with an earlier one
};

namespace detail {

template <class IR, class D> class common_value_planner {
public:
  common_value_planner(const IR& ir, const value_numbering_result<D>& found, const dominator_tree& tree,
                       const loop_forest& loops, hoist_common_workspace& workspace, common_value_plan& out)
      : ir_(ir), found_(found), tree_(tree), loops_(loops), out_(out), w_(workspace) {}

  void run() {
    out_.moves.clear();
    out_.epoch = graph_epoch(ir_.graph());
    if (loops_.num_loops() == 0) {
      return;
    }
    home_.assign(found_.num_values(), no_node);
    old_home_.assign(home_.size(), no_node);
    first_.assign(found_.num_classes(), no_value);
    for (const node_id n : tree_.preorder()) { // definitions before uses
      for_each_id(ir_.values(n), [&](value_id v) {
        home_[v] = old_home_[v] = n;
        if (found_.is_executable(n) && loops_.innermost_loop(n) != no_loop && may_move(v)) {
          meet(v, n);
        }
      });
    }
    for (const node_id n : tree_.preorder()) {
      for_each_id(ir_.values(n), [&](value_id v) {
        if (home_[v] != n) {
          out_.moves.push_back({v, home_[v], static_cast<bool>(ir_.may_trap(v))});
        }
      });
    }
  }

private:
  bool may_move(value_id v) const {
    return !ir_.is_phi(v) && !is_terminator(ir_, v) && ir_.effect(v) == effect_kind::none && !ir_.may_not_return(v) &&
           !ir_.is_volatile(v) && is_repeatable(ir_, v) && !is_convergent(ir_, v) &&
           !(ir_.may_trap(v) && may_trap_without_promises(ir_, v)) && !found_.constant(v);
  }

  /// Moves `v`, in node `n`, and the last operation of its class to the last node on all paths to both, if that is in
  /// their loop and not in an inner one.
  void meet(value_id v, node_id n) {
    value_id& first = first_[found_.class_of(v)];
    const loop_id loop = loops_.innermost_loop(n);
    if (first == no_value || loops_.innermost_loop(home_[first]) != loop) {
      first = v;
      return;
    }
    const node_id common = tree_.nearest_common_dominator(home_[first], n);
    if (common == home_[first] && home_[first] == old_home_[first]) {
      return; // value numbering replaces it
    }
    if (loops_.innermost_loop(common) == loop && accepts_operations(ir_, common) && are_there(first, common) &&
        are_there(v, common)) {
      home_[first] = home_[v] = common;
    } else if (common != home_[first]) {
      first = v;
    }
  }

  /// Whether the operands of `v` are computed up to the end of `n`.
  bool are_there(value_id v, node_id n) const {
    bool all = true;
    for_each_id(ir_.operands(v), [&](value_id x) {
      const bool is_end = x != no_value && home_[x] == n && !ir_.is_phi(x) && is_terminator(ir_, x);
      all = all && !is_end && (x == no_value || home_[x] == no_node || tree_.dominates(home_[x], n));
    });
    return all;
  }

  const IR& ir_;
  const value_numbering_result<D>& found_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  common_value_plan& out_;
  hoist_common_workspace& w_;
  flat_array<node_id>& home_ = w_.home_;
  flat_array<node_id>& old_home_ = w_.old_home_;
  flat_array<value_id>& first_ = w_.first_;
};

} // namespace detail

/// Finds pairs of equal operations in one innermost loop where neither dominates the other. Both move to the end of the
/// nearest node that dominates both, if their operands are computed there. `plan_value_numbering` then removes one of
/// them, with this result of `value_numbering`. Copies of a loop body with branches compute much twice, and a machine
/// with predicated operations has no use for the second.
///
/// The operation may run where none of them did, so operations that may trap stay, unless only promises make them trap
/// (`may_trap_without_promises`): those lose them. What touches memory stays, and so does what is constant, and what is
/// not repeatable or convergent. Nothing moves into another loop or out of one, nor to a node that does not accept
/// operations.
///
/// This is hoisting by value numbers (B. Rosen, M. Wegman, F. K. Zadeck, "Global value numbers and redundant
/// computations", POPL 1988; LLVM's GVNHoist), but speculative: the operation need not be computed on all paths.
///
/// Requires results of the program as it is; `found` may be without facts about branches. O(n + m + values + operands),
/// and the depth of the dominator tree for each move.
///
///     if (c) x = a · b        x = a · b
///     else   y = a · b    →   y = a · b
///                             if (c) … else …
template <effect_ir_argument IR, value_domain D>
void plan_hoist_common(const IR& ir, const value_numbering_result<D>& found, const dominator_tree& tree,
                       const loop_forest& loops, hoist_common_workspace& workspace, common_value_plan& out) {
  MIDEND_ASSERT(tree.epoch() == graph_epoch(ir.graph()) && loops.epoch() == tree.epoch(), "results of this graph",
                tree.epoch(), loops.epoch());
  MIDEND_ASSERT(found.epoch() == tree.epoch(), "value numbers of this graph", found.epoch());
  detail::common_value_planner<IR, D>(ir, found, tree, loops, workspace, out).run();
}

template <effect_ir_argument IR, value_domain D>
common_value_plan plan_hoist_common(const IR& ir, const value_numbering_result<D>& found, const dominator_tree& tree,
                                    const loop_forest& loops) {
  hoist_common_workspace workspace;
  common_value_plan plan;
  plan_hoist_common(ir, found, tree, loops, workspace, plan);
  return plan;
}

/// Applies a plan for the program as it is. The graph and the value numbers stay valid. `verify_motion` checks the
/// result; it needs no witness. O(moves).
template <hoisting_editor_argument E> void apply_hoist_common(E& editor, const common_value_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  for (const common_value& c : plan.moves) {
    editor.move_value(c.value, place_at_end(c.where));
    if (c.drops_promises) {
      editor.drop_promises(c.value);
    }
  }
}

MIDEND_END_NAMESPACE
