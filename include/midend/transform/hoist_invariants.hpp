/// `hoist_invariants`: invariant operations of loops move before the loop.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/loop_forms.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// An operation that moves to the end of the preheader of a loop.
struct hoisted_value {
  value_id value;
  loop_id loop; ///< the outermost loop that it can leave
  node_id preheader;
  bool drops_promises; ///< it may run where it did not, and only its promises would make that wrong

  friend constexpr bool operator==(const hoisted_value&, const hoisted_value&) = default;
};

/// Why an operation that reads only values from outside a loop stays in it.
enum class hoisting_refusal_reason : std::uint8_t {
  no_preheader,
  may_trap,        ///< it may trap, and may run before an effect or not at all
  memory_written,  ///< it reads memory that the loop may write
  not_repeatable,  ///< it may give another value each time
  convergent,      ///< its result depends on the threads that run it together
  closed_preheader ///< the preheader accepts no operations, or its terminator computes an operand
};

/// An operation that stays in its innermost loop.
struct hoisting_refusal {
  value_id value;
  loop_id loop;
  hoisting_refusal_reason why;

  friend constexpr bool operator==(const hoisting_refusal&, const hoisting_refusal&) = default;
};

/// What `hoist_invariants` will do. To veto a move, remove it and those of the operations that read it.
struct hoisting_plan {
  std::uint64_t epoch = 0;
  flat_array<hoisted_value> moves; ///< operands before what reads them
  flat_array<hoisting_refusal> refused;

  bool empty() const { return moves.empty(); }
};

/// What `hoist_invariants` requires of an editor.
template <class E>
concept hoisting_editor = effect_ir<E> && can_move_values<E> && can_drop_promises<E>;

namespace detail {

struct hoisting_contract : contract<effect_contract, can_move_values_row, can_drop_promises_row> {};

} // namespace detail

/// What functions take: a `hoisting_editor` with optional members that fit; otherwise an error.
template <class E>
concept hoisting_editor_argument =
    (hoisting_editor<E> && detail::hoisting_contract::fits<E>) || detail::hoisting_contract::explain<E>();

namespace detail {

/// Whether operations that may trap must not move before `v`: it has an effect, or control may end there.
template <class IR> constexpr bool stops_traps(const IR& ir, value_id v) {
  const effect_kind effect = ir.effect(v);
  return effect == effect_kind::writes || effect == effect_kind::unknown || ir.may_not_return(v) || ir.is_volatile(v);
}

template <class IR> class hoisting_planner;

} // namespace detail

/// The memory of `plan_hoist_invariants`, to be reused.
class hoist_invariants_workspace {
  template <class IR> friend class detail::hoisting_planner;

  struct writer {
    value_id value;
    loop_id loop; ///< the innermost one
  };

  static constexpr std::size_t most_classes = 16; ///< with more classes, the others count as written by every write

  flat_array<node_id> home_;          ///< by value: where it will be
  flat_array<unsigned char> accepts_; ///< by loop: whether operations may move to its preheader
  flat_array<writer> writers_;        ///< operations in loops that may write
  flat_array<unsigned char> writes_;  ///< by loop: whether it writes any memory
  flat_array<std::uint32_t> classes_; ///< the classes that invariant loads read
  std::array<flat_array<unsigned char>, most_classes>
      class_writes_;                        ///< for each of these classes, by loop: whether it is written
  flat_array<unsigned char> is_certain_;    ///< by node: whether it begins whenever its innermost loop is entered
  flat_array<std::uint32_t> certain_depth_; ///< by loop: the depth of the outermost loop whose entry implies a run of
                                            ///< its header
  flat_array<unsigned char> follows_;       ///< by loop: whether the header of the loop around implies its header
  flat_array<loop_id> far_parent_;          ///< by loop
};

namespace detail {

template <class IR> class hoisting_planner {
public:
  hoisting_planner(const IR& ir, const dominator_tree& tree, const loop_forest& loops,
                   hoist_invariants_workspace& workspace, hoisting_plan& out)
      : ir_(ir), tree_(tree), loops_(loops), out_(out), w_(workspace) {}

  void run() {
    out_.moves.clear();
    out_.refused.clear();
    writers_.clear();
    writes_.clear();
    classes_.clear();
    out_.epoch = graph_epoch(ir_.graph());
    if (loops_.num_loops() == 0) {
      return;
    }
    home_.assign(static_cast<std::size_t>(ir_.num_values()), no_node);
    find_certain_nodes();
    find_far_parents();
    accepts_.assign(loops_.num_loops(), 0);
    for (const loop_id l : loops_.loops()) {
      accepts_[l] = has_preheader(ir_.graph(), loops_, l) && accepts_operations(ir_, loops_.preheader(l)) ? 1 : 0;
    }
    for (const node_id n : tree_.preorder()) { // definitions before uses
      const loop_id l = loops_.innermost_loop(n);
      bool is_certain = is_certain_[n] != 0;
      for_each_id(ir_.values(n), [&](value_id v) {
        home_[v] = n;
        if (ir_.is_phi(v) || is_terminator(ir_, v)) {
          return;
        }
        if (l != no_loop && is_movable(v)) {
          plan_value(v, l, is_certain);
        }
        is_certain = is_certain && !stops_traps(ir_, v);
      });
    }
  }

private:
  /// Whether a loop may write the memory that `v` reads. The program is searched for writes at the first question: few
  /// loops have invariant loads.
  bool may_write(loop_id l, value_id v) {
    if (writes_.empty()) {
      find_writes();
    }
    if (writes_[l] == 0) {
      return false;
    }
    const std::uint32_t memory = class_of_access(ir_, v);
    std::size_t k = 0;
    while (k != classes_.size() && classes_[k] != memory) {
      ++k;
    }
    if (memory == any_memory || k == most_classes) {
      return true;
    }
    if (k == classes_.size()) {
      classes_.push_back(memory);
      mark_loops(class_writes_[k], [&](value_id w) { return may_write_class(ir_, w, memory); });
    }
    return class_writes_[k][l] != 0;
  }

  void find_writes() {
    for (const node_id n : tree_.preorder()) {
      const loop_id l = loops_.innermost_loop(n);
      if (l != no_loop) {
        for_each_id(ir_.values(n), [&](value_id v) {
          if (!ir_.is_phi(v) && may_write_class(ir_, v, any_memory)) {
            writers_.push_back({v, l});
          }
        });
      }
    }
    mark_loops(writes_, [](value_id) { return true; });
  }

  /// The loops that contain a writer with a property.
  template <class Property> void mark_loops(flat_array<unsigned char>& marked, Property has) const {
    marked.assign(loops_.num_loops(), 0);
    for (const writer& w : writers_) {
      marked[w.loop] = marked[w.loop] != 0 || has(w.value) ? 1 : 0;
    }
    for (loop_id l = static_cast<loop_id>(loops_.num_loops()); l-- != 0;) { // a loop comes before those in it
      if (marked[l] != 0 && loops_.parent(l) != no_loop) {
        marked[loops_.parent(l)] = 1;
      }
    }
  }

  /// Finds nodes that begin whenever a loop is entered. Control that enters a loop runs its header and what follows
  /// without a branch. If nothing on the path stops traps, the next node begins as it would before the loop.
  void find_certain_nodes() {
    is_certain_.assign(tree_.num_nodes(), 0);
    certain_depth_.assign(loops_.num_loops(), 0);
    flat_array<unsigned char>& follows = w_.follows_;
    follows.assign(loops_.num_loops(), 0);
    for (const loop_id l : loops_.loops()) {
      certain_depth_[l] = follows[l] != 0 ? certain_depth_[loops_.parent(l)] : loops_.depth(l);
      node_id n = loops_.header(l);
      while (n != no_node && loops_.innermost_loop(n) == l && is_certain_[n] == 0) {
        is_certain_[n] = 1;
        n = only_successor(n);
      }
      if (n != no_node && loops_.is_header(n) && loops_.parent(loops_.innermost_loop(n)) == l) {
        follows[loops_.innermost_loop(n)] = 1;
      }
    }
  }

  /// Where control surely arrives from the start of a node, if nothing on the path stops traps; else `no_node`.
  node_id only_successor(node_id n) const {
    node_id only = no_node;
    bool stops = false;
    for_each_id(ir_.graph().successors(n), [&](node_id s) {
      stops = stops || (only != no_node && only != s);
      only = s;
    });
    if (!stops) {
      for_each_id(ir_.values(n), [&](value_id v) { stops = stops || (!ir_.is_phi(v) && stops_traps(ir_, v)); });
    }
    return stops ? no_node : only;
  }

  /// Whether `v` has no effect, so that a reason for its staying is of interest.
  bool is_movable(value_id v) const {
    const effect_kind effect = ir_.effect(v);
    return (effect == effect_kind::none || effect == effect_kind::reads) && !ir_.may_not_return(v) &&
           !ir_.is_volatile(v);
  }

  /// Finds the loops around a value without a definition of an operand, and of these, from the innermost outwards,
  /// those that it may leave.
  void plan_value(value_id v, loop_id innermost, bool is_certain) {
    const auto is_invariant = [&](loop_id l) {
      bool all_outside = true;
      for_each_id(ir_.operands(v), [&](value_id operand) {
        const node_id from = operand == no_value ? no_node : home_[operand];
        all_outside = all_outside && (from == no_node || !loops_.contains(l, from));
      });
      return all_outside;
    };
    if (!is_invariant(innermost)) {
      return;
    }
    if (is_convergent(ir_, v) || !is_repeatable(ir_, v)) {
      out_.refused.push_back(
          {v, innermost,
           is_convergent(ir_, v) ? hoisting_refusal_reason::convergent : hoisting_refusal_reason::not_repeatable});
      return;
    }
    const bool reads = ir_.effect(v) == effect_kind::reads;
    const bool traps = ir_.may_trap(v);
    const bool still_traps = traps && may_trap_without_promises(ir_, v);
    const auto is_certain_in = [&](loop_id l) { return is_certain && loops_.depth(l) >= certain_depth_[innermost]; };
    // What fails for a loop also fails for the loops around it.
    const auto may_leave = [&](loop_id l) {
      return !(reads && may_write(l, v)) && (!still_traps || is_certain_in(l)) && is_invariant(l);
    };
    const loop_id left =
        may_leave(innermost) ? loop_with_preheader(innermost, outermost(innermost, may_leave)) : no_loop;
    if (left != no_loop && !reads_end_of(v, loops_.preheader(left))) {
      home_[v] = loops_.preheader(left);
      out_.moves.push_back({v, left, home_[v], traps && !is_certain_in(left)});
    } else {
      const bool traps_early = still_traps && !is_certain;
      out_.refused.push_back({v, innermost,
                              reads && may_write(innermost, v) ? hoisting_refusal_reason::memory_written
                              : traps_early                    ? hoisting_refusal_reason::may_trap
                              : has_preheader(ir_.graph(), loops_, innermost)
                                  ? hoisting_refusal_reason::closed_preheader
                                  : hoisting_refusal_reason::no_preheader});
    }
  }

  /// The outermost loop around `l` with a property. `l` must have it, and no loop around one without it may have it.
  /// O(log depth) questions.
  template <class Property> loop_id outermost(loop_id l, Property has) const {
    for (;;) {
      loop_id next = far_parent_[l];
      if (next == no_loop || !has(next)) {
        next = loops_.parent(l);
        if (next == no_loop || !has(next)) {
          return l;
        }
      }
      l = next;
    }
  }

  /// Whether `v` reads the result of the terminator of `n`, which is computed last.
  bool reads_end_of(value_id v, node_id n) const {
    bool reads = false;
    for_each_id(ir_.operands(v), [&](value_id x) {
      reads = reads || (x != no_value && home_[x] == n && !ir_.is_phi(x) && is_terminator(ir_, x));
    });
    return reads;
  }

  /// The outermost loop with a preheader that accepts operations from `innermost` out to `l`; O(depth) if `l` has none.
  loop_id loop_with_preheader(loop_id innermost, loop_id l) const {
    if (accepts_[l] != 0) {
      return l;
    }
    loop_id best = no_loop;
    for (loop_id inner = innermost; inner != l; inner = loops_.parent(inner)) {
      best = accepts_[inner] != 0 ? inner : best;
    }
    return best;
  }

  /// For each loop one around it, so that each other one around it is found in O(log depth) steps: skew-binary jump
  /// pointers (E. Myers, "An applicative random-access stack", Information Processing Letters 17(5), 1983).
  void find_far_parents() {
    far_parent_.assign(loops_.num_loops(), no_loop);
    const auto depth = [&](loop_id l) { return l == no_loop ? 0 : loops_.depth(l); };
    for (const loop_id l : loops_.loops()) {
      const loop_id parent = loops_.parent(l);
      if (parent != no_loop) {
        const loop_id far = far_parent_[parent];
        const loop_id farther = far == no_loop ? no_loop : far_parent_[far];
        far_parent_[l] = depth(parent) - depth(far) == depth(far) - depth(farther) ? farther : parent;
      }
    }
  }

  using writer = hoist_invariants_workspace::writer;

  static constexpr std::size_t most_classes = hoist_invariants_workspace::most_classes;

  const IR& ir_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  hoisting_plan& out_;
  hoist_invariants_workspace& w_;
  flat_array<node_id>& home_ = w_.home_;
  flat_array<unsigned char>& accepts_ = w_.accepts_;
  flat_array<writer>& writers_ = w_.writers_;
  flat_array<unsigned char>& writes_ = w_.writes_;
  flat_array<std::uint32_t>& classes_ = w_.classes_;
  std::array<flat_array<unsigned char>, most_classes>& class_writes_ = w_.class_writes_;
  flat_array<unsigned char>& is_certain_ = w_.is_certain_;
  flat_array<std::uint32_t>& certain_depth_ = w_.certain_depth_;
  flat_array<loop_id>& far_parent_ = w_.far_parent_;
};

} // namespace detail

/// Finds operations of loops whose operands are computed outside or move out as well, and the outermost loop that each
/// can leave. It goes to the end of the preheader, and may run there although it did not run before. So
/// - operations with effects, volatile accesses and phis stay. So do operations that may give another value each time
///   (`is_repeatable`), and those whose result depends on the threads that run them together (`is_convergent`);
/// - an operation that reads memory leaves no loop in which something may write that memory. An IR that names places
///   (`memory`) is asked for the class that a load reads, and which classes stores and calls (`may_write`) write; of
///   more than 16 classes, the others count as written by everything that writes. Otherwise all writes count;
/// - an operation that may trap leaves a loop only if it runs whenever the loop is entered, and before any effect, call
///   or volatile access: its node follows from the header without a branch. So no trap moves before a call or out of a
///   guard. If only promises make it trap (`may_trap_without_promises`), it loses them instead.
///
/// Loop-invariant code motion as in A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers", 2nd edition, section 9.5; all
/// loops in one walk over the dominator tree. It also moves invariants from branches that are seldom taken.
///
/// Requires results of this graph as it is, with boundaries. Loops without preheader are not left (`simplify_loops`
/// makes them), nor those whose preheader does not accept operations (`accepts_operations`); `refused` names the
/// operations that stay in their innermost loop. Unreachable code stays. Loops in closed form stay so.
///
/// O(n + m + operands, these times the logarithm of the depth of loops, or the depth where loops lack preheaders).
///
///     loop: x = a · b; use(x)   →   preheader: x = a · b
///                                   loop:      use(x)
template <effect_ir_argument IR>
void plan_hoist_invariants(const IR& ir, const dominator_tree& tree, const loop_forest& loops,
                           hoist_invariants_workspace& workspace, hoisting_plan& out) {
  MIDEND_ASSERT(tree.epoch() == graph_epoch(ir.graph()) && loops.epoch() == tree.epoch(), "results of this graph",
                tree.epoch(), loops.epoch());
  detail::hoisting_planner<IR>(ir, tree, loops, workspace, out).run();
}

template <effect_ir_argument IR>
hoisting_plan plan_hoist_invariants(const IR& ir, const dominator_tree& tree, const loop_forest& loops) {
  hoist_invariants_workspace workspace;
  hoisting_plan plan;
  plan_hoist_invariants(ir, tree, loops, workspace, plan);
  return plan;
}

/// Applies a plan for the program as it is. The graph stays, and so do all results about it. `verify_motion` checks the
/// result; it needs no witness. O(moves).
template <hoisting_editor_argument E> void apply_hoist_invariants(E& editor, const hoisting_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  for (const hoisted_value& h : plan.moves) {
    editor.move_value(h.value, place_at_end(h.preheader));
    if (h.drops_promises) {
      editor.drop_promises(h.value);
    }
  }
}

/// Plans and applies. Returns the plan with what was done and refused.
template <hoisting_editor_argument E> hoisting_plan hoist_invariants(E& editor) {
  const auto found = dominators_and_loops(editor.graph());
  hoisting_plan plan = plan_hoist_invariants(editor, found.dominators, found.loops);
  apply_hoist_invariants(editor, plan);
  return plan;
}

MIDEND_END_NAMESPACE
