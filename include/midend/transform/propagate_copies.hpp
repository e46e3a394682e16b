/// `propagate_copies`: copies, and phis that carry one value, are replaced by their source.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/detail/contract.hpp"
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
  replacement_witness witness;                ///< the replacements, and what their proof needs besides

  bool empty() const { return replacements.empty(); }
};

/// What `propagate_copies` requires of an editor.
template <class E>
concept copy_editor = effect_ir<E> && can_replace_uses<E> && can_erase_values<E> && graph_has_in_edges<E>;

namespace detail {

struct copy_contract : contract<effect_contract, can_erase_values_row, can_replace_uses_row, graph_has_in_edges_row> {};

} // namespace detail

/// What functions take: a `copy_editor` with optional members that fit; otherwise an error.
template <class E>
concept copy_editor_argument =
    (copy_editor<E> && detail::copy_contract::fits<E>) || detail::copy_contract::explain<E>();

namespace detail {

/// How values flow through phis and copies: from input to phi, from operand to copy, and from a root to all other
/// values. The root is the last node.
struct value_flow_graph {
  flat_array<std::uint32_t> ends;
  flat_array<node_id> targets;

  std::size_t num_nodes() const { return ends.size() - 1; }

  node_id entry() const { return static_cast<node_id>(num_nodes() - 1); }

  span<const node_id> successors(node_id n) const {
    return {targets.data() + ends[n], targets.data() + ends[n + std::size_t{1}]};
  }
};

/// The value that `v` copies exactly: the operand of a copy, or the other value of a guarded operation that never
/// runs, as its literal predicate shows. `no_value` if it is no copy.
template <class IR> value_id copied_value([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  value_id copied = no_value;
  if constexpr (has_guard<IR> && has_constant<IR>) {
    const guard_of_value guard = ir.guard(v);
    if (guard.predicate != no_value && guard.otherwise != no_value && ir.effect(v) == effect_kind::none &&
        is_removable(ir, v)) {
      const auto holds = ir.constant(guard.predicate);
      if (holds && (static_cast<std::uint64_t>(*holds) != 0) == guard.negated) {
        return guard.otherwise;
      }
    }
  }
  if constexpr (has_operation<IR>) {
    const operation_info info = ir.operation(v);
    if (info.code == operation::copy && ir.effect(v) == effect_kind::none && is_removable(ir, v)) {
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
  copy_planner(const IR& ir, copy_propagation_plan& out) : ir_(ir), out_(out), fixed_(ir) {}

  void run(const loop_forest* closed) {
    out_.epoch = graph_epoch(ir_.graph());
    find_reached_nodes();
    list_merges();
    number_inputs();
    find_sources();
    if (closed != nullptr) {
      list_homes();
      while (keep_closing_phis(*closed)) {
        find_sources(); // different phis that stay may meet in one that leaves the next loop
      }
    }
    for (value_id v = 0; v != number_.size(); ++v) {
      if (is_merge(number_[v])) {
        const node_id source = source_[number_[v]];
        if (source != number_[v] && source != no_node) {
          out_.replacements.push_back({v, values_[source]});
        }
      }
    }
    out_.witness.same = out_.replacements;
  }

private:
  using ids = flat_array<std::uint32_t>;

  static constexpr std::uint32_t none = 0xffff'ffff;

  /// A phi or a copy. Its inputs are in `inputs_`, up to `end`.
  struct merge {
    node_id home;
    std::uint32_t end;
    bool is_source; ///< whether it stays
  };

  node_id source(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_source(e)); }

  bool is_merge(std::uint32_t number) const { return number < merges_.size(); }

  void find_reached_nodes() {
    const auto& g = ir_.graph();
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
  }

  /// Lists the reachable phis and copies with their inputs. Nothing else of the program is read.
  void list_merges() {
    number_.assign(static_cast<std::size_t>(ir_.num_values()), none);
    values_.reserve(number_.size());
    for (node_id n = 0; n != reached_.size(); ++n) {
      if (reached_[n] != 0) {
        for_each_id(ir_.values(n), [&](value_id v) { list_merge(v, n); });
      }
    }
  }

  void list_merge(value_id v, node_id n) {
    bool is_source = !fixed_.may_replace(v);
    const std::size_t first = inputs_.size();
    const auto add = [&](value_id input) {
      inputs_.push_back(input);
      is_source = is_source || is_undefined(input) || !has_type_of(input, v);
    };
    if (ir_.is_phi(v)) {
      for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
        if (reached_[source(e)] != 0) {
          add(static_cast<value_id>(ir_.phi_input(v, e)));
        }
      });
    } else if (const value_id copied = is_terminator(ir_, v) ? no_value : copied_value(ir_, v); copied != no_value) {
      add(copied);
    }
    if (inputs_.size() != first || ir_.is_phi(v)) {
      number_[v] = static_cast<std::uint32_t>(merges_.size());
      merges_.push_back({n, static_cast<std::uint32_t>(inputs_.size()), is_source});
      values_.push_back(v);
    }
  }

  /// Whether readers of `v` may read `input` in its place, if the IR can tell. If not, changes of sign are no copies.
  bool has_type_of([[maybe_unused]] value_id input, [[maybe_unused]] value_id v) const {
    if constexpr (has_same_type<IR>) {
      return input == v || static_cast<bool>(ir_.same_type(v, input));
    } else {
      return true;
    }
  }

  bool is_undefined(value_id v) const {
    if constexpr (has_is_undefined<IR>) {
      return static_cast<bool>(ir_.is_undefined(v));
    } else {
      return false;
    }
  }

  /// Numbers the other inputs of merges. These and the merges are all nodes of the graph.
  void number_inputs() {
    for (std::uint32_t& input : inputs_) {
      std::uint32_t& number = number_[input];
      if (number == none) {
        number = static_cast<std::uint32_t>(values_.size());
        values_.push_back(input);
      }
      input = number;
    }
  }

  /// Finds the source of each merge. All values that flow to v flow through its dominators. So its source is the
  /// dominator closest to the root, or v itself.
  void find_sources() {
    const auto root = static_cast<node_id>(values_.size());
    const auto each_edge = [&](auto visit) {
      for (node_id v = 0; v != root; ++v) {
        if (!is_merge(v) || merges_[v].is_source) {
          visit(root, v);
        }
      }
      std::uint32_t i = 0;
      for (node_id v = 0; v != merges_.size(); ++v) {
        for (; i != merges_[v].end; ++i) {
          visit(inputs_[i], v);
        }
      }
    };
    value_flow_graph flow;
    flow.ends.assign(root + std::size_t{2}, 0);
    each_edge([&](node_id from, node_id) { ++flow.ends[from]; });
    counts_to_ends(flow.ends);
    flow.targets.resize_for_overwrite(flow.ends[root + std::size_t{1}]);
    each_edge([&](node_id from, node_id to) { flow.targets[--flow.ends[from]] = to; });
    const dominator_tree tree = dominators(flow);
    source_.assign(root, no_node);
    for (const node_id v : tree.preorder()) {
      if (v != root) {
        const node_id above = tree.immediate_dominator(v);
        source_[v] = above == root ? v : source_[above];
      }
    }
  }

  /// Lists the nodes that compute sources.
  void list_homes() {
    home_.assign(values_.size(), no_node);
    for (node_id n = 0; n != reached_.size(); ++n) {
      for_each_id(ir_.values(n), [&](value_id v) {
        if (number_[v] != none) {
          home_[number_[v]] = n;
        }
      });
    }
  }

  /// Makes phis sources where a value needs them to leave a loop. Returns whether there is a new one.
  bool keep_closing_phis(const loop_forest& loops) {
    bool any = false;
    for (node_id v = 0; v != merges_.size(); ++v) {
      if (ir_.is_phi(values_[v]) && source_[v] != v && source_[v] != no_node && home_[source_[v]] != no_node) {
        const node_id from = home_[source_[v]];
        const node_id n = merges_[v].home;
        bool closes = false;
        for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
          closes = closes || (reached_[source(e)] != 0 && leaves_common_loop(loops, from, source(e), n));
        });
        merges_[v].is_source = merges_[v].is_source || closes;
        any = any || closes;
      }
    }
    return any;
  }

  /// Whether a path to `n` leaves the smallest loop around `a` and `b`.
  static bool leaves_common_loop(const loop_forest& loops, node_id a, node_id b, node_id n) {
    loop_id l = loops.innermost_loop(a);
    while (l != no_loop && !loops.contains(l, b)) {
      l = loops.parent(l);
    }
    return l != no_loop && !loops.contains(l, n);
  }

  const IR& ir_;
  copy_propagation_plan& out_;
  fixed_operands<IR> fixed_;
  flat_array<unsigned char> reached_;
  ids number_; ///< by value: its number in the graph, merges first; `none` if it flows into no merge
  ids values_; ///< by number
  flat_array<merge> merges_;
  ids inputs_;
  ids source_;               ///< by number: the number of its source
  flat_array<node_id> home_; ///< by number
};

} // namespace detail

/// Finds copies and phis that always equal one other value, their source: an operation, a parameter, a literal, or a
/// phi where different values meet. A phi whose inputs are its source and itself is one, and so is each phi of a cycle
/// into which one value flows; the *redundant sets of phis* of M. Braun et al., "Simple and efficient construction of
/// static single assignment form", CC 2013, section 3.2. They search component by component. Here, values flow from
/// inputs to phis and from operands to copies, and the source is the dominator closest to the root in this graph. If
/// all values that flow to v come from one source, they flow through it; otherwise two values reach v on disjoint
/// paths. So one dominator tree finds all of them, nested ones too.
///
/// A copy is an operation `copy` of the semantics rung whose operand has its width; an IR without this rung has none.
/// Of copies and phis, those whose input has another type (`same_type`) stay, and so does what is read as an operand
/// that must not be replaced. If the IR has guards (`ir/cost.hpp`), a guarded operation whose predicate is the literal
/// for which it does not run is a copy of its other value. Literals are compared by number. Phis with the literal
/// `undef` as an input stay: what is undefined may be another value at each read. Edges from unreachable nodes do not
/// count, and unreachable phis and copies stay.
///
/// O(n + m + values + operands), apart from `dominators` of a graph of the phis, the copies and their inputs.
///
///     loop: x = phi(a, y)   →   loop: use(a)
///           y = copy x
///           use(y)
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
copy_propagation_plan plan_propagate_copies(const IR& ir) {
  copy_propagation_plan plan;
  detail::copy_planner<IR>(ir, plan).run(nullptr);
  return plan;
}

/// Keeps the program in closed form (`close_loops`): phis in exit blocks stay if their source is in the loop. Requires
/// the loops of this graph as it is. Searches again until no further phi must stay: usually twice.
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
copy_propagation_plan plan_propagate_copies(const IR& ir, const loop_forest& loops) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(ir.graph()), "loops of this graph", loops.epoch());
  copy_propagation_plan plan;
  detail::copy_planner<IR>(ir, plan).run(&loops);
  return plan;
}

/// Applies a plan for the program as it is, and erases the replaced values. Returns the witness for
/// `verify_replacement`. O(uses), if `replace_uses` is.
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

/// Keeps the closed form of loops.
template <copy_editor_argument E> replacement_witness propagate_copies(E& editor, const loop_forest& loops) {
  return apply_propagate_copies(editor, plan_propagate_copies(editor, loops));
}

MIDEND_END_NAMESPACE
