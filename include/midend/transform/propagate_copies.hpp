/// `propagate_copies`: copies, and phis that carry one value, are replaced by their source.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/replacement_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What `propagate_copies` will do. To veto a replacement, remove it from `replacements`.
struct copy_propagation_plan {
  std::uint64_t epoch = 0;
  flat_array<value_replacement> replacements; ///< by value
  replacement_witness witness;                ///< the same, and what the proof needs besides

  bool empty() const { return replacements.empty(); }
};

/// What `propagate_copies` requires of an editor.
template <class E>
concept copy_editor = effect_ir<E> && can_replace_uses<E> && can_erase_values<E> && graph_has_in_edges<E>;

namespace detail {

/// The error of what is no such editor: one sentence for each thing that is missing. Always false.
template <class E> constexpr bool explain_copy_editor() {
  if constexpr (!effect_ir<E> || !ssa_members_fit<E> || !effect_members_fit<E>) {
    explain_effect_ir<E>();
  } else {
    explain_erasing_values<E>();
    static_assert(can_replace_uses<E>, "midend: to propagate copies, an editor needs `void "
                                       "replace_uses(midend::value_id old_value, midend::value_id new_value)`");
    static_assert(graph_has_in_edges<E>, "midend: to propagate copies, the graph of an editor needs `in_edges(n)`");
  }
  return false;
}

} // namespace detail

/// What functions take: a `copy_editor` with optional members that fit; otherwise an error.
template <class E>
concept copy_editor_argument =
    (copy_editor<E> && detail::ssa_members_fit<E> && detail::effect_members_fit<E>) || detail::explain_copy_editor<E>();

namespace detail {

/// How values flow through phis and copies: from input to phi, from operand to copy, and from a root to all others.
/// The root is the last node.
struct value_flow_graph {
  flat_array<std::uint32_t> ends;
  flat_array<node_id> targets;

  std::size_t num_nodes() const { return ends.size() - 1; }

  node_id entry() const { return static_cast<node_id>(num_nodes() - 1); }

  span<const node_id> successors(node_id n) const {
    return {targets.data() + ends[n], targets.data() + ends[n + std::size_t{1}]};
  }
};

/// What `v` is a copy of that keeps all bits: the operand of a copy, or what a guarded operation has as its value if a
/// literal says that it does not run. `no_value`: it is no copy.
template <class IR> value_id copied_value([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  value_id copied = no_value;
  if constexpr (has_guard<IR> && has_constant<IR>) {
    const guard_of_value guard = ir.guard(v);
    if (guard.predicate != no_value && guard.otherwise != no_value && is_removable(ir, v)) {
      const auto holds = ir.constant(guard.predicate);
      if (holds && (static_cast<std::uint64_t>(*holds) != 0) == guard.negated) {
        return guard.otherwise;
      }
    }
  }
  if constexpr (has_operation<IR>) {
    const operation_info info = ir.operation(v);
    if (info.code == operation::copy && is_removable(ir, v)) {
      std::size_t operands = 0;
      for_each_id(ir.operands(v), [&](value_id operand) {
        copied = ir.operation(operand).width == info.width ? operand : no_value;
        ++operands;
      });
      copied = operands == 1 ? copied : no_value;
    }
  }
  return copied;
}

template <class IR> class copy_planner {
public:
  copy_planner(const IR& ir, copy_propagation_plan& out) : ir_(ir), out_(out) {}

  void run(const loop_forest* closed) {
    out_.epoch = graph_epoch(ir_.graph());
    list_merges();
    find_sources();
    while (closed != nullptr && keep_closing_phis(*closed)) {
      find_sources(); // different phis that are kept may meet in one that then leaves the next loop
    }
    for (value_id v = 0; v != source_.size(); ++v) {
      if (source_[v] != v && source_[v] != no_value) {
        out_.replacements.push_back({v, source_[v]});
      }
    }
    out_.witness.same = out_.replacements;
  }

private:
  using ids = flat_array<std::uint32_t>;

  node_id source(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_source(e)); }

  /// The phis and copies that control reaches, and the nodes it reaches.
  void list_merges() {
    const auto& g = ir_.graph();
    home_.assign(static_cast<std::size_t>(ir_.num_values()), no_node);
    is_source_.assign(home_.size(), 0);
    reached_.assign(node_count(g), 0);
    ids todo;
    if (!reached_.empty()) {
      todo.push_back(static_cast<node_id>(g.entry()));
      reached_[todo[0]] = 1;
    }
    while (!todo.empty()) {
      const node_id n = todo.back();
      todo.pop_back();
      for_each_id(g.successors(n), [&](node_id s) {
        if (reached_[s] == 0) {
          reached_[s] = 1;
          todo.push_back(s);
        }
      });
    }
    for (node_id n = 0; n != reached_.size(); ++n) {
      for_each_id(ir_.values(n), [&](value_id v) {
        home_[v] = n;
        if (reached_[n] != 0 && (ir_.is_phi(v) || (!is_terminator(ir_, v) && copied_value(ir_, v) != no_value))) {
          merges_.push_back(v);
        }
      });
    }
  }

  template <class Visit> void for_each_input(value_id v, Visit visit) const {
    if (ir_.is_phi(v)) {
      for_each_id(ir_.graph().in_edges(home_[v]), [&](edge_id e) {
        if (reached_[source(e)] != 0) {
          visit(static_cast<value_id>(ir_.phi_input(v, e)));
        }
      });
    } else {
      visit(copied_value(ir_, v));
    }
  }

  bool is_undefined(value_id v) const {
    if constexpr (has_is_undefined<IR>) {
      return static_cast<bool>(ir_.is_undefined(v));
    } else {
      return false;
    }
  }

  /// All values that flow to v flow through its dominators. So it has one source, the one closest to the root, or is
  /// one.
  void find_sources() {
    const auto root = static_cast<node_id>(home_.size());
    flat_array<unsigned char> is_merge(home_.size(), 0);
    for (const value_id v : merges_) {
      is_merge[v] = 1;
      for_each_input(v, [&](value_id input) { is_source_[v] = is_undefined(input) ? 1 : is_source_[v]; });
    }
    const auto each_edge = [&](auto visit) {
      for (value_id v = 0; v != root; ++v) {
        if (is_merge[v] == 0 || is_source_[v] != 0) {
          visit(root, v);
        }
      }
      for (const value_id v : merges_) {
        for_each_input(v, [&](value_id input) { visit(input, v); });
      }
    };
    value_flow_graph flow;
    flow.ends.assign(root + std::size_t{2}, 0);
    each_edge([&](node_id from, value_id) { ++flow.ends[from]; });
    counts_to_ends(flow.ends);
    flow.targets.resize_for_overwrite(flow.ends[root + std::size_t{1}]);
    each_edge([&](node_id from, value_id to) { flow.targets[--flow.ends[from]] = to; });
    const dominator_tree tree = dominators(flow);
    source_.assign(home_.size(), no_value);
    for (const node_id v : tree.preorder()) {
      if (v != root) {
        const node_id above = tree.immediate_dominator(v);
        source_[v] = above == root ? v : source_[above];
      }
    }
  }

  /// Phis that a value needs where it leaves a loop become sources.
  bool keep_closing_phis(const loop_forest& loops) {
    bool any = false;
    for (const value_id v : merges_) {
      if (ir_.is_phi(v) && source_[v] != v && source_[v] != no_value && home_[source_[v]] != no_node) {
        const node_id from = home_[source_[v]];
        bool closes = false;
        for_each_id(ir_.graph().in_edges(home_[v]), [&](edge_id e) {
          closes = closes || (reached_[source(e)] != 0 && leaves_common_loop(loops, from, source(e), home_[v]));
        });
        is_source_[v] = closes ? 1 : is_source_[v];
        any = any || closes;
      }
    }
    return any;
  }

  /// Whether the smallest loop around `a` and `b` is left on the way to `n`.
  static bool leaves_common_loop(const loop_forest& loops, node_id a, node_id b, node_id n) {
    loop_id l = loops.innermost_loop(a);
    while (l != no_loop && !loops.contains(l, b)) {
      l = loops.parent(l);
    }
    return l != no_loop && !loops.contains(l, n);
  }

  const IR& ir_;
  copy_propagation_plan& out_;
  flat_array<node_id> home_; ///< by value
  flat_array<unsigned char> reached_;
  flat_array<unsigned char> is_source_; ///< by value: it is not replaced
  ids merges_;
  ids source_; ///< by value
};

} // namespace detail

/// The copies and phis whose value is always that of one other value, their source: an operation, a parameter, a
/// literal, or a phi at which different values meet. A phi that only passes on its source and itself is one, and so is
/// each phi of a cycle into which one value flows; the *redundant sets of phis* of M. Braun et al., "Simple and
/// efficient construction of static single assignment form", CC 2013, section 3.2. They search them component by
/// component; here, the source is the dominator closest to the root in the graph in which values flow from inputs to
/// phis and from operands to copies: what flows to v from one source only flows through it, and what has no such
/// dominator is met by two sources on disjoint ways. So one dominator tree finds all of them, nested ones too.
///
/// A copy is an operation `copy` of the semantics rung whose operand has its width; an IR without this rung has none.
/// If the IR has guards (`ir/cost.hpp`), a guarded operation whose predicate is the literal for which it does not run
/// is a copy of its other value. Literals are compared by number. Phis with the literal `undef` as an input stay: what
/// is undefined may be another value at each read. Edges from unreachable nodes do not count, and unreachable phis and
/// copies stay.
///
/// O(n + m + values + operands), apart from `dominators` of a graph of this size.
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
copy_propagation_plan plan_propagate_copies(const IR& ir) {
  copy_propagation_plan plan;
  detail::copy_planner<IR>(ir, plan).run(nullptr);
  return plan;
}

/// The same for a program in closed form (`close_loops`), which stays in that form: phis in exit blocks stay if their
/// source is in the loop. Requires the loops of this graph as it is. Sources are searched again until no more phis must
/// stay: usually twice.
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
copy_propagation_plan plan_propagate_copies(const IR& ir, const loop_forest& loops) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(ir.graph()), "loops of this graph", loops.epoch());
  copy_propagation_plan plan;
  detail::copy_planner<IR>(ir, plan).run(&loops);
  return plan;
}

/// Applies a plan for the program as it is; what is replaced is erased. Returns the witness for `verify_replacement`.
/// O(uses), if `replace_uses` is.
template <copy_editor_argument E>
replacement_witness apply_propagate_copies(E& editor, const copy_propagation_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  for (const value_replacement& r : plan.replacements) {
    editor.replace_uses(r.value, r.by);
  }
  for (const value_replacement& r : plan.replacements) {
    editor.erase_value(r.value);
  }
  return plan.witness;
}

/// Plans and applies; returns the witness.
template <copy_editor_argument E> replacement_witness propagate_copies(E& editor) {
  return apply_propagate_copies(editor, plan_propagate_copies(editor));
}

/// The same, keeping the closed form of loops.
template <copy_editor_argument E> replacement_witness propagate_copies(E& editor, const loop_forest& loops) {
  return apply_propagate_copies(editor, plan_propagate_copies(editor, loops));
}

MIDEND_END_NAMESPACE
