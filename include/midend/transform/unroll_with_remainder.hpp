/// `unroll_with_remainder`: a loop whose trip count is computed before it runs executes several iterations per round of
/// a new body, and the others in the old loop.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/divided_counts.hpp"
#include "midend/transform/detail/node_frequencies.hpp"
#include "midend/transform/detail/remainder_profile.hpp"
#include "midend/transform/plan_unroll_with_remainder.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/transform/unrolled_limit.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

/// What `unroll_with_remainder` requires of an editor: it makes operations and branches.
template <class E>
concept remainder_editor = unfolding_editor<E> && effect_ir<E> && can_make_operations<E> && can_make_numbers<E> &&
                           can_set_branches<E> && can_erase_ends<E>;

namespace detail {

/// Makes operations at the end of a node, and remembers them so that they can be removed again.
template <class E> class operation_sink {
public:
  /// Appends the operations to `made`.
  operation_sink(E& editor, node_id n, flat_array<value_id>& made) : editor_(editor), node_(n), made_(made) {
    made_.clear();
  }

  value_id number(std::uint64_t bits, unsigned width) {
    return checked(static_cast<value_id>(editor_.make_number(width, bits)));
  }

  /// A number of `width` bits that operations can read: the value itself, or a copy of it if it is shown as a number
  /// but has another type, such as a pointer.
  value_id number_of(value_id v, std::uint8_t width) {
    if constexpr (has_is_number<E>) {
      return editor_.is_number(v) ? v : operation({midend::operation::copy, width, width, {}}, v);
    } else {
      return v;
    }
  }

  value_id operation(const operation_info& info, value_id a, value_id b = no_value) {
    if (!is_right) {
      return no_value;
    }
    const value_id operands[] = {a, b};
    const auto v = checked(static_cast<value_id>(
        editor_.make_operation(info, span<const value_id>(operands, b == no_value ? 1u : 2u), place_at_end(node_))));
    if (v != no_value) {
      made_.push_back(v);
      is_right = is_right && !editor_.may_trap(v);
    }
    return v;
  }

  void take_back() {
    while (!made_.empty()) {
      editor_.erase_value(made_.back());
      made_.pop_back();
    }
  }

  bool is_right = true; ///< whether the IR has all operations, and none may trap

private:
  value_id checked(value_id v) {
    is_right = is_right && v != no_value;
    return v;
  }

  E& editor_;
  node_id node_;
  flat_array<value_id>& made_;
};

/// Memory for the frequencies of nodes.
struct remainder_flow_memory {
  dominators_and_loops_workspace searching;
  dominators_and_loops_result found;
  node_frequencies frequencies;
};

/// The state of one loop while it is unrolled.
struct remainder_draft {
  const remainder_unrolling* unrolling = nullptr;
  double repeats = -1; ///< how probable one more iteration is, in a loop without counts; negative if unknown
  divided_counts counts;
  bool has_counts = false;
  node_id guard = no_node;
  node_id latch = no_node;
  value_id limit = no_value;
  value_id enough = no_value;
  flat_array<value_id> made; ///< operations in the guard
  flat_array<node_id> copies;
  flat_array<edge_id> back; ///< backedges, from the last copy to the first

  void start(const remainder_unrolling& x, double repeats_of_loop) {
    unrolling = &x;
    repeats = repeats_of_loop;
    has_counts = false;
    guard = latch = no_node;
    limit = enough = no_value;
    made.clear();
    copies.clear();
    back.clear();
  }
};

/// Memory for one loop after another, to be reused.
struct remainder_memory {
  flat_array<edge_id> edges;
  flat_array<value_id> phis;
  flat_array<value_id> inputs;
  flat_array<node_id> nodes;
  flat_array<value_id> made;
  flat_array<double> shares;
};

/// Unrolls one loop.
template <class E> class remainder_builder {
public:
  remainder_builder(unfolding<E>& u, const remainder_plan& plan, remainder_draft& draft, remainder_memory& memory)
      : u_(u), x_(*draft.unrolling), nodes_(plan.nodes.data() + x_.first_node, x_.num_nodes), memory_(memory),
        repeats_(draft.repeats), counts_(draft.counts), has_counts_(draft.has_counts), guard_(draft.guard),
        latch_(draft.latch), limit_(draft.limit), enough_(draft.enough), made_(draft.made), copies_(draft.copies),
        back_(draft.back) {}

  /// Makes the guard, before anything is copied, and computes the limit in it. False if that might trap; then the guard
  /// does nothing.
  bool guard(flat_array<std::uint32_t>& position) {
    enter(position);
    const bool is_right = compute_limit(position);
    leave(position);
    return is_right;
  }

  /// Makes the copies of the new body. SSA form must be repaired afterwards.
  void copy(flat_array<std::uint32_t>& position) {
    enter(position);
    has_counts_ = read_counts(u_.editor(), nodes_, position, counts_);
    make_copies(position);
    leave(position);
  }

  /// Makes the latch, in a repaired program. False if its test might trap; then the new body runs once.
  bool close() {
    const bool is_harmless = has_harmless_guard();
    const bool is_right = make_latch() && is_harmless;
    has_counts_ = has_counts_ && is_right;
    divide_counts(is_right);
    divide_hints();
    return is_right;
  }

private:
  void enter(flat_array<std::uint32_t>& position) const {
    while (position.size() < static_cast<std::size_t>(graph().num_nodes())) {
      position.push_back(no_node);
    }
    for (std::uint32_t i = 0; i != nodes_.size(); ++i) {
      position[nodes_[i]] = i;
    }
  }

  void leave(flat_array<std::uint32_t>& position) const {
    for (const node_id n : nodes_) {
      position[n] = no_node;
    }
  }

  bool compute_limit(const flat_array<std::uint32_t>& position) {
    E& editor = u_.editor();
    flat_array<edge_id>& entering = memory_.edges;
    entering.clear();
    for_each_id(graph().in_edges(nodes_[0]), [&](edge_id e) {
      if (position[static_cast<node_id>(graph().edge_source(e))] == no_node) {
        entering.push_back(e);
      }
    });
    value_id bound = no_value;
    std::size_t i = 0;
    for_each_id(editor.operands(x_.comparison),
                [&](value_id v) { bound = i++ == (x_.bound_is_first ? 0u : 1u) ? v : bound; });
    guard_ = u_.route_edges(entering);
    const auto start = static_cast<value_id>(editor.phi_input(x_.counter, only_edge(guard_)));
    operation_sink<E> sink(editor, guard_, made_);
    const value_id first = sink.number_of(start, x_.test.counter_width);
    const value_id end = sink.number_of(bound, x_.test.bound_width);
    emit_unrolled_limit(sink, x_.test, first, end, limit_, enough_);
    if (!sink.is_right) {
      sink.take_back();
    }
    u_.grow_witness();
    return sink.is_right;
  }

  /// Whether the operands of the guard are still harmless. They may be phis now, if a loop before this one was copied,
  /// and an IR may not know that such a phi is harmless. If not, the guard always continues with the old loop.
  bool has_harmless_guard() {
    E& editor = u_.editor();
    bool may_trap = false;
    for (const value_id v : made_) {
      may_trap = may_trap || editor.may_trap(v);
    }
    if (may_trap) {
      branch(guard_, sink_number(0), copies_[0], nodes_[0], nodes_[0]);
      while (!made_.empty()) {
        editor.erase_value(made_.back());
        made_.pop_back();
      }
      limit_ = no_value;
    }
    return !may_trap;
  }

  /// Makes the copies, which the guard enters.
  void make_copies(const flat_array<std::uint32_t>& position) {
    flat_array<node_id>& made = memory_.nodes;
    for (std::uint32_t k = 0; k != x_.copies; ++k) {
      u_.duplicate_region(nodes_, made);
      for (const node_id n : made) {
        copies_.push_back(n);
      }
    }
    flat_array<edge_id>& edges = memory_.edges;
    for (std::size_t k = 0; k != x_.copies; ++k) {
      for (std::uint32_t i = 0; i != x_.num_nodes; ++i) {
        edges.clear();
        for_each_id(graph().out_edges(copies_[k * x_.num_nodes + i]), [&](edge_id e) { edges.push_back(e); });
        for (const edge_id e : edges) {
          const auto target = static_cast<node_id>(graph().edge_target(e));
          const std::uint32_t at = target < position.size() ? position[target] : no_node;
          if (at != no_node) {
            const bool ends_pass = at == 0 && k + 1 == x_.copies;
            const std::size_t to = at != 0 ? k : ends_pass ? 0 : k + 1;
            u_.lead(e, copies_[to * x_.num_nodes + at]);
            if (ends_pass) {
              back_.push_back(e);
            }
          }
        }
      }
    }
    branch(guard_, enough_, copies_[0], nodes_[0], nodes_[0]);
  }

  /// Makes the latch, which goes back unless the counter is at the limit.
  bool make_latch() {
    E& editor = u_.editor();
    const node_id latch = latch_ = u_.route_edges(back_);
    const value_id counter = counter_of_copy();
    const auto next = static_cast<value_id>(editor.phi_input(counter, only_edge(latch)));
    operation_sink<E> sink(editor, latch, memory_.made);
    const std::uint8_t width = x_.test.counter_width;
    value_id done = no_value;
    if (limit_ != no_value) {
      done = sink.operation({operation::equal, 1, width, {}}, sink.number_of(next, width), limit_);
    }
    const bool is_right = done != no_value && sink.is_right;
    if (!is_right) {
      sink.take_back();
    }
    branch(latch, is_right ? done : sink_number(1), nodes_[0], copies_[0], copies_[0]);
    u_.grow_witness();
    return is_right;
  }

  void divide_counts([[maybe_unused]] bool is_right) {
    if constexpr (profile_editor<E>) {
      flat_array<node_id>& copies = memory_.nodes;
      copies = copies_;
      for (const node_id n : nodes_) {
        copies.push_back(n);
      }
      copies.push_back(guard_);
      copies.push_back(latch_);
      if (!has_counts_) {
        forget_counts(u_.editor(), copies);
        if (repeats_ >= 0 && is_right) {
          const remainder_shares shares = divide_remainder_counts(shape(), {1 - repeats_, 1, repeats_}, memory_.shares);
          set_probabilities(guard_, shares.inserted);
          set_probabilities(latch_, shares.inserted + 2);
        }
        return;
      }
      const remainder_shares shares = divide_remainder_counts(
          shape(), {counts_.entered(), counts_.header_executions(), counts_.repeats()}, memory_.shares);
      counts_.write(u_.editor(), copies, memory_.shares, shares.inserted);
    }
  }

  /// Sets the probabilities of a node that ends in a branch, from the counts of its edges.
  void set_probabilities(node_id n, const double* taken) {
    const double all = taken[0] + taken[1];
    flat_array<edge_id>& edges = memory_.edges;
    edges.clear();
    for_each_id(graph().out_edges(n), [&](edge_id e) { edges.push_back(e); });
    for (std::size_t i = 0; all > 0 && i != edges.size(); ++i) {
      u_.editor().set_probability(edges[i], taken[i] / all);
    }
  }

  void divide_hints() {
    if constexpr (can_set_trip_hints<E>) {
      const loop_hints old = u_.editor().trip_hints(nodes_[0]);
      if (old == loop_hints()) {
        return;
      }
      const remainder_hints hints = divide_remainder_hints(shape(), old);
      u_.editor().set_trip_hints(copies_[0], hints.copies);
      u_.editor().set_trip_hints(nodes_[0], hints.rest);
    }
  }

  remainder_shape shape() const { return {x_.copies, x_.test.form.factor, x_.test.form.is_prologue()}; }

  const auto& graph() const { return u_.program().graph(); }

  /// The only edge of a node; of a branch, the edge to the old loop.
  edge_id only_edge(node_id n) const {
    edge_id only = no_edge;
    for_each_id(graph().out_edges(n), [&](edge_id e) { only = e; });
    return only;
  }

  value_id sink_number(std::uint64_t bits) { return static_cast<value_id>(u_.editor().make_number(1, bits)); }

  value_id counter_of_copy() const {
    value_id counter = no_value;
    for_each_phi(u_.program(), copies_[0], [&](value_id phi) {
      counter = u_.witness().origin_of_value(phi) == u_.witness().origin_of_value(x_.counter) ? phi : counter;
    });
    return counter;
  }

  /// Ends a node that jumps to `target` in a branch to two copies of the target instead. Their phis take along both
  /// edges the inputs of the target's phis.
  void branch(node_id n, value_id condition, node_id then, node_id otherwise, node_id target) {
    E& editor = u_.editor();
    flat_array<value_id>& inputs = memory_.inputs;
    inputs.clear();
    const edge_id old = only_edge(n);
    for_each_phi(u_.program(), target,
                 [&](value_id phi) { inputs.push_back(static_cast<value_id>(editor.phi_input(phi, old))); });
    editor.erase_end(n);
    editor.set_branch(n, condition, then, otherwise);
    flat_array<edge_id>& edges = memory_.edges;
    edges.clear();
    for_each_id(graph().out_edges(n), [&](edge_id e) { edges.push_back(e); });
    flat_array<value_id>& phis = memory_.phis;
    for (const edge_id e : edges) {
      phis.clear();
      for_each_phi(u_.program(), static_cast<node_id>(graph().edge_target(e)),
                   [&](value_id phi) { phis.push_back(phi); });
      // Repair inserts no phis in headers: only their own phis are live across a backedge.
      MIDEND_ASSERT(phis.size() == inputs.size(), "as many phis in each copy of a header", phis.size(), inputs.size());
      for (std::size_t i = 0; i != inputs.size(); ++i) {
        editor.set_phi_input(phis[i], e, inputs[i]);
      }
    }
    u_.grow_witness();
  }

  unfolding<E>& u_;
  const remainder_unrolling& x_;
  span<const node_id> nodes_;
  remainder_memory& memory_;
  double repeats_;
  divided_counts& counts_; ///< this and all references below are to members of the draft
  bool& has_counts_;
  node_id& guard_;
  node_id& latch_;
  value_id& limit_;
  value_id& enough_;
  flat_array<value_id>& made_;
  flat_array<node_id>& copies_;
  flat_array<edge_id>& back_;
};

/// By unrolling, the probability of one more iteration, in loops without counts whose exits all have probabilities.
/// Negative for others.
template <class E>
void list_repeats([[maybe_unused]] const E& editor, const remainder_plan& plan,
                  [[maybe_unused]] remainder_flow_memory& memory, flat_array<double>& repeats) {
  repeats.assign(plan.unrollings.size(), -1);
  if constexpr (profile_editor<E>) {
    bool any = false;
    for (const remainder_unrolling& x : plan.unrollings) {
      for (std::uint32_t i = 0; i != x.num_nodes && !any && !editor.count(plan.nodes[x.first_node]); ++i) {
        for_each_id(editor.graph().out_edges(plan.nodes[x.first_node + i]),
                    [&](edge_id e) { any = any || static_cast<double>(editor.probability(e)) >= 0; });
      }
    }
    if (any) {
      const dominators_and_loops_result& found = memory.found;
      node_frequencies& frequencies = memory.frequencies;
      dominators_and_loops(editor.graph(), memory.searching, memory.found);
      frequencies.compute(editor, found.loops);
      for (std::size_t i = 0; i != repeats.size(); ++i) {
        const node_id header = plan.nodes[plan.unrollings[i].first_node];
        const loop_id l = found.loops.innermost_loop(header);
        bool is_known = !editor.count(header);
        for (const loop_edge& e : found.loops.exiting_edges(l)) {
          is_known = is_known && static_cast<double>(editor.probability(e.id)) >= 0;
        }
        repeats[i] = is_known ? frequencies.repeats(l) : -1;
      }
    }
  }
}

} // namespace detail

/// Memory of `apply_unroll_with_remainder`, to be reused.
class apply_unroll_with_remainder_workspace {
  template <class E>
  friend void apply_unroll_with_remainder(unfolding<E>& u, const remainder_plan& plan,
                                          apply_unroll_with_remainder_workspace& workspace,
                                          flat_array<remainder_refusal>& refused);
  template <detail::edits_alone E>
  friend const unfolding_witness& apply_unroll_with_remainder(E& editor, const remainder_plan& plan,
                                                              apply_unroll_with_remainder_workspace& workspace,
                                                              flat_array<remainder_refusal>& refused);

  detail::remainder_flow_memory flows_;
  flat_array<double> repeats_;         ///< by unrolling
  flat_array<std::uint32_t> position_; ///< by node
  detail::remainder_memory memory_;
  std::vector<detail::remainder_draft> drafts_; ///< the drafts of the last plan come first
  unfolding_workspace unfolding_;
};

/// Applies a plan for the program as it is. For each loop:
///
///     guard   computes the limit; if there are enough iterations, continues with the new body, else with the old loop
///          body one copy for each iteration of a round, with all tests
///     latch   goes back to the body, or to the old loop when the counter is at the limit
///
/// The guard and the latch are inserted nodes, and both edges of each lead to a copy of the header. So the certificate
/// is that of an unfolding, without any reasons: wrong arithmetic could make the program slow, but not wrong.
/// `drop_untaken_exits` then removes the tests in the body, and its checker proves that the limit is right.
///
/// The new operations do not trap: the editor is asked about each (`may_trap`). If one may trap, the loop keeps an
/// empty guard and is returned in `refused`. They read the start and the bound earlier than the loop does, but not more
/// than these. Counts of a profile are divided, see `apply_unroll_loops`, by an average trip count that leaves (factor
/// - 1) / 2 iterations for the remainder; so are probabilities, where there are no counts. O(cloned operations and
/// nodes), and the cost of one `repair_ssa` for all loops.
template <class E>
void apply_unroll_with_remainder(unfolding<E>& u, const remainder_plan& plan, flat_array<remainder_refusal>& refused) {
  apply_unroll_with_remainder_workspace workspace;
  apply_unroll_with_remainder(u, plan, workspace, refused);
}

/// Uses memory from before.
template <class E>
void apply_unroll_with_remainder(unfolding<E>& u, const remainder_plan& plan,
                                 apply_unroll_with_remainder_workspace& workspace,
                                 flat_array<remainder_refusal>& refused) {
  static_assert(remainder_editor<E>, "midend: to unroll a loop with a remainder, an editor needs `make_operation`, "
                                     "`make_number`, `set_branch`, `erase_end` and the effects rung");
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  flat_array<std::uint32_t>& position = workspace.position_;
  position.clear();
  const auto refuse = [&](loop_id l) {
    refused.push_back({l, remainder_refusal_reason::early_trap, unrolling_refusal_reason::one_copy});
  };
  detail::list_repeats(u.editor(), plan, workspace.flows_, workspace.repeats_);
  auto& drafts = workspace.drafts_;
  if (drafts.size() < plan.unrollings.size()) {
    drafts.resize(plan.unrollings.size());
  }
  std::size_t count = 0; // number of loops with a guard
  const auto builder = [&](std::size_t i) {
    return detail::remainder_builder<E>(u, plan, drafts[i], workspace.memory_);
  };
  for (std::size_t i = 0; i != plan.unrollings.size(); ++i) {
    drafts[count].start(plan.unrollings[i], workspace.repeats_[i]);
    if (builder(count).guard(position)) {
      ++count;
    } else {
      refuse(plan.unrollings[i].loop);
    }
  }
  for (std::size_t i = 0; i != count; ++i) {
    builder(i).copy(position);
  }
  if (count != 0) {
    u.finish();
  }
  for (std::size_t i = 0; i != count; ++i) {
    if (!builder(i).close()) {
      refuse(drafts[i].unrolling->loop);
    }
  }
}

/// Returns the witness.
template <detail::edits_alone E>
unfolding_witness apply_unroll_with_remainder(E& editor, const remainder_plan& plan,
                                              flat_array<remainder_refusal>& refused) {
  unfolding<E> u(editor);
  apply_unroll_with_remainder(u, plan, refused);
  return u.take_witness();
}

/// Uses memory from before. The witness is in the workspace until the next use.
template <detail::edits_alone E>
const unfolding_witness& apply_unroll_with_remainder(E& editor, const remainder_plan& plan,
                                                     apply_unroll_with_remainder_workspace& workspace,
                                                     flat_array<remainder_refusal>& refused) {
  unfolding<E> u(editor, workspace.unfolding_);
  apply_unroll_with_remainder(u, plan, workspace, refused);
  return u.witness();
}

MIDEND_END_NAMESPACE
