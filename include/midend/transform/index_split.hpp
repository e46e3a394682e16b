/// `index_split`: a loop that compares its counter with a bound runs in two copies, before the bound and after it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/build_versions.hpp"
#include "midend/transform/detail/divided_counts.hpp"
#include "midend/transform/detail/version_flows.hpp"
#include "midend/transform/loop_versions.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why a loop is not split where a condition changes.
enum class index_split_obstacle : std::uint8_t {
  none,
  not_a_branch,     ///< its node does more at its end than choose an edge by the comparison
  not_a_counter,    ///< neither operand is a counter of the loop that the checks below can follow
  may_wrap,         ///< the counter may wrap, so that the condition may change more than once
  never_changes,    ///< the first value is already beyond the bound
  not_computed,     ///< the comparison depends on more than header phis and invariants, may trap, or takes too many
                    ///< operations
  may_be_undefined, ///< it may be undefined where the loop does not read it
  not_copied,       ///< the loop cannot be copied: see `copying`
  too_large,        ///< more would be copied than the limit
  overlaps          ///< the loop, or a loop around or inside it, is split elsewhere
};

/// A branch in a loop on an ordered comparison of a counter of the loop with an invariant.
struct index_split_candidate {
  loop_id loop;
  node_id node; ///< the node of the branch
  value_id condition;
  value_id bound = no_value;
  bool holds_first = false; ///< the condition holds before the bound, not after it
  index_split_obstacle obstacle = index_split_obstacle::none;
  loop_copy_obstacle copying = loop_copy_obstacle::none;
  std::size_t cloned = 0; ///< operations and phis

  friend constexpr bool operator==(const index_split_candidate&, const index_split_candidate&) = default;
};

/// A loop that is split.
struct index_split {
  loop_id loop;
  node_id node;
  value_id condition;
  bool holds_first;
  std::uint32_t holds;           ///< the position of the edge that is taken if the condition holds
  std::uint32_t first_operation; ///< into `index_split_plan::operations`: the operations that compute the condition
  std::uint32_t num_operations;
  std::uint32_t first_node; ///< into `index_split_plan::nodes`; the header
  std::uint32_t num_nodes;
  std::size_t cloned;
};

/// What `apply_index_split` will do. To veto a split, remove it.
struct index_split_plan {
  std::uint64_t epoch = 0;
  flat_array<index_split_candidate> candidates; ///< all of them, chosen or not
  flat_array<index_split> splits;
  flat_array<value_id> operations; ///< operands before their users
  flat_array<node_id> nodes;
  std::size_t cloned = 0; ///< by all of them

  bool empty() const { return splits.empty(); }
};

struct index_split_limits {
  std::size_t max_cloned = 1024; ///< operations and phis for all loops together
  std::size_t max_test = 8;      ///< operations that compute a condition from phis of the header
  bool may_wrap = false; ///< also where the condition may change several times: right, but the second copy asks again
  span<const wanted_loop> only = {}; ///< if any, only these loops
};

/// What `apply_index_split` requires of an editor: it copies operations into a new node, and makes a branch there.
template <class E>
concept index_split_editor =
    loop_version_editor<E> && can_set_branches<E> && can_set_operands<E> && can_drop_promises<E> && can_erase_values<E>;

namespace detail {

template <class IR> class index_split_planner {
public:
  index_split_planner(const IR& ir, const loop_forest& loops, const value_evolutions& found,
                      const index_split_limits& limits, index_split_plan& out)
      : ir_(ir), loops_(loops), found_(found), limits_(limits), wanted_(loops, limits.only), costs_(ir, loops),
        out_(out) {}

  void run() {
    if (loops_.num_loops() == 0) {
      return;
    }
    home_.assign(static_cast<std::size_t>(ir_.num_values()), no_node);
    for (node_id n = 0; n != node_count(ir_.graph()); ++n) {
      for_each_id(ir_.values(n), [&](value_id v) { home_[v] = n; });
    }
    taken_.assign(loops_.num_loops(), 0);
    for (const loop_id l : loops_.loops()) {
      for (const node_id n : loops_.own_blocks(l)) {
        plan_branch(n);
      }
    }
  }

private:
  bool is_in(loop_id l, value_id v) const { return home_[v] != no_node && loops_.contains(l, home_[v]); }

  /// Finds the loop whose counter a branch compares: the innermost loop that changes one operand and not the other.
  void plan_branch(node_id n) {
    const auto condition = static_cast<value_id>(ir_.condition(n));
    if (condition == no_value || ir_.is_phi(condition) || home_[condition] == no_node ||
        is_terminator(ir_, condition)) {
      return;
    }
    const operation_info info = ir_.operation(condition);
    value_id x[2] = {no_value, no_value};
    std::size_t count = 0;
    for_each_id(ir_.operands(condition), [&](value_id v) { x[count++ & 1] = v; });
    if (!is_comparison(info.code) || info.code == operation::equal || info.code == operation::not_equal || count != 2 ||
        x[0] == no_value || x[1] == no_value) {
      return;
    }
    loop_id l = loops_.innermost_loop(n);
    while (l != no_loop && !is_in(l, x[0]) && !is_in(l, x[1])) {
      l = loops_.parent(l);
    }
    if (l == no_loop || (is_in(l, x[0]) && is_in(l, x[1])) || leaves(l, n) || !wanted_.has(l, n)) {
      return;
    }
    index_split_candidate c{l, n, condition};
    const bool is_swapped = is_in(l, x[1]);
    c.bound = x[is_swapped ? 0 : 1];
    const auto first = static_cast<std::uint32_t>(out_.operations.size());
    c.obstacle = obstacle_of(c, x[is_swapped ? 1 : 0], info, is_swapped);
    if (c.obstacle == index_split_obstacle::none) {
      choose(c, first);
    } else {
      out_.operations.shrink(first);
    }
    out_.candidates.push_back(c);
  }

  /// Whether the branch is an exit of the loop. An exit that tests the counter is no reason to split.
  bool leaves(loop_id l, node_id n) const {
    bool leaves = false;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      leaves = leaves || !loops_.contains(l, static_cast<node_id>(ir_.graph().edge_target(e)));
    });
    return leaves;
  }

  index_split_obstacle obstacle_of(index_split_candidate& c, value_id counter, const operation_info& info,
                                   bool is_swapped) {
    std::size_t edges = 0;
    for_each_id(ir_.graph().out_edges(c.node), [&](edge_id) { ++edges; });
    if (!is_plain_branch(ir_, c.node) || edges != 2 || info.width != 1 ||
        place_of(c.node, true) == place_of(c.node, false) ||
        static_cast<bool>(ir_.may_trap(end_of_node(ir_, c.node)))) {
      return index_split_obstacle::not_a_branch;
    }
    const bool is_signed = is_signed_order(info.code);
    const evolution modular = found_.evolution_of(counter, c.loop);
    if (!modular.is_counter()) {
      return index_split_obstacle::not_a_counter;
    }
    const evolution e =
        found_.evolution_of(counter, c.loop, is_signed ? number_reading::as_signed : number_reading::as_unsigned);
    const bool wraps =
        (!e.is_counter() || !e.is_exact()) && !stays_below_test(c.loop, counter, modular.step(), is_signed);
    if (wraps && !limits_.may_wrap) {
      return index_split_obstacle::may_wrap;
    }
    const bool is_exact = e.is_counter() && e.is_exact();
    const std::uint64_t step = is_exact ? e.step().constant : modular.step().constant;
    const bool is_up = as_signed(step, is_exact ? 64 : modular.step().width) > 0;
    const bool is_less = info.code == operation::less || info.code == operation::less_equal ||
                         info.code == operation::uless || info.code == operation::uless_equal;
    c.holds_first = (is_less != is_swapped) == is_up;
    if (is_exact && never_changes(c, info, e, is_swapped)) {
      return index_split_obstacle::never_changes;
    }
    if (!list_operations(c)) {
      return index_split_obstacle::not_computed;
    }
    if constexpr (has_may_be_indeterminate<IR>) {
      if (static_cast<bool>(ir_.may_be_indeterminate(c.condition)) &&
          first_branch_of_loop(ir_, loops_, c.loop) != c.node) {
        return index_split_obstacle::may_be_undefined;
      }
    }
    if (taken_[c.loop] != 0) {
      return index_split_obstacle::overlaps;
    }
    const loop_copy_cost cost = costs_.of(c.loop);
    c.cloned = cost.operations;
    c.copying = cost.obstacle;
    if (cost.obstacle == loop_copy_obstacle::none && !can_split_backedges(c.loop)) {
      c.copying = loop_copy_obstacle::no_guard;
    }
    return c.copying != loop_copy_obstacle::none ? index_split_obstacle::not_copied
           : cost.operations > limits_.max_cloned - min(out_.cloned, limits_.max_cloned)
               ? index_split_obstacle::too_large
               : index_split_obstacle::none;
  }

  /// Whether each iteration leaves the loop unless the counter is less than some number, or greater if it counts down.
  /// Then a next value that differs by 1 does not wrap. One that differs by more does not wrap if the number is known
  /// and leaves room.
  bool stays_below_test(loop_id l, value_id counter, const linear_form& step, bool is_signed) {
    const std::int64_t by = as_signed(step.constant, step.width);
    if (tree_.num_nodes() == 0) {
      tree_ = dominators(ir_.graph());
    }
    bool stays = false;
    for (const loop_edge& exit : loops_.own_exiting_edges(l)) {
      const auto condition = static_cast<value_id>(ir_.condition(exit.source));
      if (stays || condition == no_value || ir_.is_phi(condition) || home_[condition] == no_node ||
          is_terminator(ir_, condition)) {
        continue;
      }
      value_id x[2] = {no_value, no_value};
      std::size_t count = 0;
      for_each_id(ir_.operands(condition), [&](value_id v) { x[count++ & 1] = v; });
      const operation_info info = ir_.operation(condition);
      if (info.width != 1 || count != 2 || !is_strict(info.code, is_signed) || (x[0] == counter) == (x[1] == counter)) {
        continue;
      }
      const bool is_less = info.code == operation::less || info.code == operation::uless;
      const edge_id ends = edge_of_case(ir_, exit.source, static_cast<constant_of<IR>>(0));
      stays = ends == exit.id && (is_less == (x[0] == counter)) == (by > 0) &&
              has_room(x[x[0] == counter ? 1 : 0], by, step.width, is_signed) && is_tested(l, exit.source);
    }
    return stays;
  }

  /// Whether a step from a number below a bound, or above it if it counts down, stays in range.
  bool has_room(value_id bound, std::int64_t by, unsigned width, bool is_signed) const {
    const std::uint64_t more = by < 0 ? ~static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by) - 1;
    const auto number = ir_.constant(bound);
    if (more == 0 || !number) {
      return more == 0;
    }
    const std::uint64_t place =
        (static_cast<std::uint64_t>(*number) & low_ones(width)) ^ (is_signed ? std::uint64_t{1} << (width - 1) : 0);
    return more <= (by < 0 ? place : low_ones(width) - place);
  }

  static bool is_strict(operation code, bool is_signed) {
    return is_signed ? code == operation::less || code == operation::greater
                     : code == operation::uless || code == operation::ugreater;
  }

  bool is_tested(loop_id l, node_id n) const {
    bool is = true;
    for (const loop_edge& e : loops_.backedges(l)) {
      is = is && tree_.dominates(n, e.source);
    }
    return is;
  }

  /// The position of the edge for a condition, among the edges of the branch.
  std::uint32_t place_of(node_id n, bool holds) const {
    const edge_id wanted = edge_of_case(ir_, n, static_cast<constant_of<IR>>(holds ? 1 : 0));
    std::uint32_t place = 0;
    std::uint32_t found = no_node;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      found = e == wanted ? place : found;
      ++place;
    });
    return found;
  }

  bool can_split_backedges(loop_id l) const {
    bool can = true;
    for (const loop_edge& e : loops_.backedges(l)) {
      can = can && may_split(ir_, e.id);
    }
    return can;
  }

  /// Whether known numbers prove that the first value is beyond the bound.
  bool never_changes(const index_split_candidate& c, const operation_info& info, const evolution& e,
                     bool is_swapped) const {
    const auto bound = ir_.constant(c.bound);
    if (!bound || !e.start().is_number()) {
      return false;
    }
    const std::uint64_t start = e.start().constant & low_ones(info.operand_width);
    const std::uint64_t other = static_cast<std::uint64_t>(*bound) & low_ones(info.operand_width);
    const std::uint64_t arguments[2] = {is_swapped ? other : start, is_swapped ? start : other};
    const evaluation holds = evaluate(info, span<const std::uint64_t>(arguments, 2));
    return holds && (holds.bits != 0) != c.holds_first;
  }

  /// Lists the operations that compute the condition from header phis and invariants, each after its operands.
  bool list_operations(const index_split_candidate& c) {
    const node_id header = loops_.header(c.loop);
    const std::size_t first = out_.operations.size();
    const auto is_listed = [&](value_id v) {
      bool is = false;
      for (std::size_t i = first; i != out_.operations.size(); ++i) {
        is = is || out_.operations[i] == v;
      }
      return is;
    };
    flat_array<value_id> pending(1, c.condition);
    for (std::size_t steps = 0; !pending.empty(); ++steps) {
      const value_id v = pending.back();
      if (steps > 4 * limits_.max_test + 4 || !may_run_early(v)) {
        return false;
      }
      bool is_ready = true;
      bool is_computed = true;
      for_each_id(ir_.operands(v), [&](value_id operand) {
        if (operand == no_value || !is_in(c.loop, operand) || is_listed(operand)) {
          return;
        }
        if (ir_.is_phi(operand)) {
          is_computed = is_computed && home_[operand] == header;
        } else {
          pending.push_back(operand);
          is_ready = false;
        }
      });
      if (!is_computed) {
        return false;
      }
      if (is_ready) {
        pending.pop_back();
        if (!is_listed(v)) {
          out_.operations.push_back(v);
        }
      }
      if (out_.operations.size() - first > limits_.max_test) {
        return false;
      }
    }
    return true;
  }

  bool may_run_early(value_id v) const {
    return !is_terminator(ir_, v) && ir_.effect(v) == effect_kind::none && !ir_.may_not_return(v) &&
           !ir_.is_volatile(v) && !may_trap_without_promises(ir_, v) && is_repeatable(ir_, v) && may_copy(ir_, v) &&
           ir_.operation(v).code != operation::other;
  }

  void choose(const index_split_candidate& c, std::uint32_t first) {
    index_split x{c.loop,
                  c.node,
                  c.condition,
                  c.holds_first,
                  place_of(c.node, true),
                  first,
                  static_cast<std::uint32_t>(out_.operations.size()) - first,
                  static_cast<std::uint32_t>(out_.nodes.size()),
                  0,
                  c.cloned};
    for (const node_id n : loops_.blocks(c.loop)) {
      out_.nodes.push_back(n);
    }
    x.num_nodes = static_cast<std::uint32_t>(out_.nodes.size()) - x.first_node;
    out_.splits.push_back(x);
    out_.cloned += c.cloned;
    for (const loop_id inner : loops_.subloops(c.loop)) {
      taken_[inner] = 1;
    }
    for (loop_id outer = loops_.parent(c.loop); outer != no_loop; outer = loops_.parent(outer)) {
      taken_[outer] = 1;
    }
  }

  const IR& ir_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  const index_split_limits& limits_;
  wanted_loops wanted_;
  loop_copy_costs<IR> costs_;
  index_split_plan& out_;
  flat_array<node_id> home_;
  flat_array<unsigned char> taken_; ///< by loop
  dominator_tree tree_;             ///< valid if it was needed
};

template <class E> class index_split_builder {
public:
  index_split_builder(unfolding<E>& u, const index_split_plan& plan, const index_split& x,
                      flat_array<std::uint32_t>& position)
      : u_(u), plan_(plan), x_(x), nodes_(plan.nodes.data() + x.first_node, x.num_nodes),
        versions_(u, nodes_, position) {}

  /// Makes the gate, before anything is copied.
  void gather() {
    versions_.mark();
    has_counts_ = read_counts(u_.editor(), nodes_, versions_.position(), counts_);
    read_flows(versions_.position());
    versions_.unmark();
    flat_array<edge_id> edges;
    for_each_id(graph().in_edges(nodes_[0]), [&](edge_id e) { edges.push_back(e); });
    versions_.gather(edges);
  }

  /// Makes the copies. Requires a call of `unfolding::finish` afterwards.
  void copy() {
    versions_.copy(1);
    versions_.open();
    E& editor = u_.editor();
    const node_id gate = versions_.gate();
    for (std::uint32_t i = 0; i != x_.num_operations; ++i) {
      const value_id old = plan_.operations[x_.first_operation + i];
      const auto clone = static_cast<value_id>(editor.clone_value(old, gate));
      editor.drop_promises(clone);
      made_.push_back(clone);
      operands_.clear();
      for_each_id(u_.program().operands(old), [&](value_id v) { operands_.push_back(v); });
      for (std::size_t k = 0; k != operands_.size(); ++k) {
        const value_id now = at_gate(operands_[k], i);
        if (now != operands_[k]) {
          editor.set_operand(clone, k, now);
        }
      }
    }
    last_ = versions_.enter(1);
    if (x_.holds_first) {
      editor.set_branch(gate, made_.back(), nodes_[0], last_);
    } else {
      editor.set_branch(gate, made_.back(), last_, nodes_[0]);
    }
    for_each_id(graph().out_edges(gate), [&](edge_id e) {
      if (static_cast<node_id>(graph().edge_target(e)) == nodes_[0]) {
        stays_ = e;
      }
    });
    versions_.set_inputs(stays_, 0);
    u_.grow_witness();
  }

  /// Completes the gate, after `finish`. An operand of the test may have become a phi, because an earlier loop was
  /// copied, too, and the IR may not know that this phi is defined. Then the loop always runs in its first copy.
  void close() {
    E& editor = u_.editor();
    bool may_trap = static_cast<bool>(editor.may_trap(end_of_node(static_cast<const E&>(editor), versions_.gate())));
    for (const value_id v : made_) {
      may_trap = may_trap || static_cast<bool>(editor.may_trap(v));
    }
    if (may_trap) {
      editor.keep_edge(stays_);
      while (!made_.empty()) {
        editor.erase_value(made_.back());
        made_.pop_back();
      }
    }
    u_.grow_witness();
    divide_counts();
  }

private:
  const auto& graph() const { return u_.program().graph(); }

  /// An operand of an operation of the loop, as the gate reads it. The gate has `count` operations so far.
  value_id at_gate(value_id v, std::uint32_t count) const {
    for (std::uint32_t i = 0; i != count; ++i) {
      if (plan_.operations[x_.first_operation + i] == v) {
        return made_[i];
      }
    }
    return versions_.from_gate(v);
  }

  /// The position of the edge that a copy takes at the branch.
  int slot_of(std::uint32_t version) const {
    return static_cast<int>((version == 0) == x_.holds_first ? x_.holds : 1 - x_.holds);
  }

  void read_flows([[maybe_unused]] const flat_array<std::uint32_t>& position) {
    if constexpr (profile_editor<E>) {
      const auto at = position[x_.node];
      std::size_t slot = 0;
      double taken[2] = {-1, -1};
      for_each_id(graph().out_edges(x_.node), [&](edge_id e) {
        if (slot < 2) {
          taken[slot] = has_counts_ ? counts_.taken(at, slot) : static_cast<double>(u_.program().probability(e));
        }
        ++slot;
      });
      const double first = taken[slot_of(0)];
      const double all = taken[0] + taken[1];
      is_known_ = taken[0] >= 0 && taken[1] >= 0 && all > 0;
      shares_[0] = is_known_ ? first / all : 0.5;
      shares_[1] = 1 - shares_[0];
      if (has_counts_) {
        flows_.read(graph(), nodes_, position, counts_);
        flows_.divide(span<const double>(shares_, 2),
                      [&](std::uint32_t v, std::uint32_t n) { return n == at ? slot_of(v) : -1; });
      }
    }
  }

  void divide_counts() {
    if constexpr (profile_editor<E>) {
      if (!has_counts_) {
        return;
      }
      flat_array<node_id> all;
      flat_array<double> flows;
      for (const node_id n : versions_.copies()) {
        all.push_back(n);
      }
      for (const std::uint32_t v : {0u, 1u}) {
        for (const double f : flows_.flows(v)) {
          flows.push_back(f);
        }
      }
      double header = 0;
      std::size_t slots = 0;
      for_each_id(graph().out_edges(nodes_[0]), [&](edge_id) { header += flows_.flows(0)[slots++]; });
      const double moves = flows_.entered() * shares_[1];
      std::size_t edges = 0;
      for_each_id(graph().out_edges(versions_.gate()), [&](edge_id) { ++edges; });
      for_each_id(graph().out_edges(versions_.gate()), [&](edge_id e) {
        flows.push_back(edges == 1 ? header + moves : e == stays_ ? header : moves);
      });
      flows.push_back(moves);
      all.push_back(versions_.gate());
      all.push_back(last_);
      counts_.write(u_.editor(), all, {}, flows);
    }
  }

  unfolding<E>& u_;
  const index_split_plan& plan_;
  const index_split& x_;
  span<const node_id> nodes_;
  loop_versions<E> versions_;
  divided_counts counts_;
  version_flows flows_;
  bool has_counts_ = false;
  bool is_known_ = false;
  double shares_[2] = {0.5, 0.5};
  node_id last_ = no_node;  ///< the second copy is entered from here
  edge_id stays_ = no_edge; ///< from the gate to the first copy
  flat_array<value_id> made_;
  flat_array<value_id> operands_;
};

} // namespace detail

/// Plans which loops are split at a bound. Candidates are branches that compare a counter of a loop around them, start
/// + k · step or that plus an invariant, with an invariant bound by <, <=, > or >=. `found`, the evolutions of this IR,
/// describes the counter. The counter must not wrap in the signedness of the comparison, so that the condition changes
/// at most once. Exits of the loop are not candidates. The literature calls this index set splitting.
///
/// The condition must depend on header phis and invariants alone, through few operations that do not trap without their
/// promises, because the gate computes them before each iteration. Of several candidates in one loop, and of nested
/// loops, the first is chosen.
///
/// Requires a forest of this graph as it is, with boundaries, and evolutions for it. Unreachable nodes are in no loop
/// and stay. O(n + m).
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR> && semantic_ir<IR>
index_split_plan plan_index_split(const IR& ir, const loop_forest& loops, const value_evolutions& found,
                                  const index_split_limits& limits = {}) {
  MIDEND_ASSERT(loops.epoch() == graph_epoch(ir.graph()), "a loop forest of this graph", loops.epoch(),
                graph_epoch(ir.graph()));
  index_split_plan plan;
  plan.epoch = graph_epoch(ir.graph());
  detail::index_split_planner<IR>(ir, loops, found, limits, plan).run();
  return plan;
}

/// Applies a plan for the program as it is. For each loop:
///
///     gate     before each iteration of the first copy: the condition for the counter of that iteration
///          first while the condition is what it is before the bound; goes back to the gate
///     second   the loop from there on; goes back to its own header
///
/// Both edges of the gate lead to a copy of the header, so the result is an unfolding, correct for every step, wrap,
/// exit, and value that is carried or read after the loop. Nothing is computed from the bound, so no bound ± 1 can
/// wrap, and the counter need not meet the bound exactly. In the first copy the gate implies the branch, and the
/// clean-up decides it. In the second copy ranges must decide it: the counter starts beyond the bound and does not
/// return.
///
/// Counts of a profile add up to the old ones, see `apply_unswitch`. O(cloned operations) and the cost of one
/// `repair_ssa` for all loops.
template <class E> void apply_index_split(unfolding<E>& u, const index_split_plan& plan) {
  static_assert(index_split_editor<E>, "midend: to split loops, an editor needs `set_branch`, `erase_end`, "
                                       "`set_operand`, `drop_promises` and the effects rung");
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  detail::build_versions<detail::index_split_builder<E>>(u, plan, plan.splits);
}

/// Applies a plan as above and returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_index_split(E& editor, const index_split_plan& plan) {
  unfolding<E> u(editor);
  apply_index_split(u, plan);
  return u.take_witness();
}

MIDEND_END_NAMESPACE
