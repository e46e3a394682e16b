/// `unroll_loops`: several copies of a loop, one after another.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/plain_trip_counter.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/divided_counts.hpp"
#include "midend/transform/detail/values_without_phis.hpp"
#include "midend/transform/loop_ends.hpp"
#include "midend/transform/simplify_loops.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unrolling_form.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A loop to be unrolled. `unroll_loops` keeps all tests in the copies: it copies for a form with a limit or a
/// remainder as for one without. `unroll_with_remainder` cares for the iterations that such a form leaves to the old
/// loop.
struct unrolling_request {
  loop_id loop;
  unrolling_form form;
};

/// Why a loop is not unrolled.
enum class unrolling_refusal_reason : std::uint8_t {
  one_copy,          ///< fewer than two copies were asked for, so there is nothing to do
  overlaps,          ///< the plan unrolls this loop already, or a loop around or inside it
  may_not_duplicate, ///< an operation may not be duplicated
  takes_no_phi,      ///< a value is read after the loop, and no phi can join its copies (`may_insert_phi`)
  edge_stays,        ///< an edge of the loop cannot be redirected
  too_large          ///< more would be cloned than the options allow
};

struct unrolling_refusal {
  loop_id loop;
  unrolling_refusal_reason why;
  value_id value; ///< valid for the reasons about operations and values; else `no_value`
  edge_id edge;   ///< an edge that stays, or `no_edge`

  friend constexpr bool operator==(const unrolling_refusal&, const unrolling_refusal&) = default;
};

/// A loop that will be unrolled.
struct loop_unrolling {
  loop_id loop;
  unrolling_form form;
  std::uint32_t copies;     ///< copies of the loop, with the original
  std::uint32_t first_node; ///< into `unrolling_plan::nodes`; the header
  std::uint32_t num_nodes;
  std::size_t cloned;          ///< operations and phis, or nodes if there are more of these
  std::uint32_t first_end = 0; ///< into `unrolling_plan::ends`
  std::uint32_t num_ends = 0;

  /// Whether the copies form a chain: they follow each other, and the last one is the loop for other iterations, if
  /// there are any.
  bool is_chain() const { return copies - form.num_peeled() == 1; }
};

/// What `unroll_loops` will do. To veto an unrolling, remove it.
struct unrolling_plan {
  std::uint64_t epoch = 0;
  flat_array<loop_unrolling> unrollings;
  flat_array<node_id> nodes;
  flat_array<loop_end> ends; ///< valid for chains: the edges that their last copies do not take
  flat_array<unrolling_refusal> refused;
  std::size_t cloned = 0; ///< by all of them

  bool empty() const { return unrollings.empty(); }

  bool has_chains() const {
    for (const loop_unrolling& x : unrollings) {
      if (x.is_chain()) {
        return true;
      }
    }
    return false;
  }
};

struct unrolling_limits {
  /// The limit for operations and phis of all loops together, as copied and before any clean-up. A loop with more nodes
  /// than operations is charged for its nodes.
  std::size_t max_cloned = 4096;
};

namespace detail {

/// A branch of a last copy, and the edge of its original that it takes.
struct ended_copy {
  node_id node;
  edge_id kept;
};

/// Memory for the copies of loops, to be reused.
struct loop_copying_memory {
  flat_array<std::uint32_t> position; ///< by node
  flat_array<ended_copy> ended;
  flat_array<node_id> copies;
  flat_array<node_id> made;
  flat_array<edge_id> edges;
  divided_counts counts;
  flat_array<double> last_flows;
  flat_array<double> shares;
  flat_array<unsigned char> reached; ///< by node of the loop
  flat_array<std::uint32_t> pending;
};

} // namespace detail

/// Memory of `unroll_loops`, to be reused: plans and applications of plans for programs of the same size allocate
/// nothing.
class unroll_loops_workspace {
  template <effect_ir_argument IR>
    requires graph_of_ir_argument<IR>
  friend void plan_unroll_loops(const IR& ir, const loop_forest& loops, span<const unrolling_request> requests,
                                const unrolling_limits& limits, unroll_loops_workspace& workspace,
                                unrolling_plan& plan);
  template <cost_ir_argument IR, trip_counter C>
  friend void plan_loop_ends(unrolling_plan& plan, const IR& ir, const loop_forest& loops, const C& counter,
                             unroll_loops_workspace& workspace);
  template <class E>
  friend void apply_unroll_loops(unfolding<E>& u, const unrolling_plan& plan, unroll_loops_workspace& workspace);
  template <detail::edits_alone E>
    requires unfolding_editor_argument<E>
  friend const unfolding_witness& apply_unroll_loops(E& editor, const unrolling_plan& plan,
                                                     unroll_loops_workspace& workspace);

  detail::values_without_phis_memory stuck_;
  flat_array<unsigned char> taken_; ///< by loop: whether it, or a loop inside or around it, is unrolled
  loop_end_finder_workspace finding_;
  flat_array<loop_end> found_;
  detail::loop_copying_memory copying_;
  unfolding_workspace unfolding_;
};

/// Finds which of these loops can be unrolled in this form, in the order of the requests. They may have any form:
/// several latches and exits, loops and irreducible cycles inside, no preheader, unreachable predecessors, the entry as
/// header. Of loops that contain each other only the first in this order is unrolled.
///
/// Requires a forest of this graph as it is, with boundaries. O(n + size of the loops), so a loop that is refused for
/// its size costs its size and not that of its copies.
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
unrolling_plan plan_unroll_loops(const IR& ir, const loop_forest& loops, span<const unrolling_request> requests,
                                 const unrolling_limits& limits = {}) {
  unroll_loops_workspace workspace;
  unrolling_plan plan;
  plan_unroll_loops(ir, loops, requests, limits, workspace, plan);
  return plan;
}

/// Refills `plan`.
template <effect_ir_argument IR>
  requires graph_of_ir_argument<IR>
void plan_unroll_loops(const IR& ir, const loop_forest& loops, span<const unrolling_request> requests,
                       const unrolling_limits& limits, unroll_loops_workspace& workspace, unrolling_plan& plan) {
  const auto& g = ir.graph();
  MIDEND_ASSERT(loops.epoch() == graph_epoch(g), "a loop forest of this graph", loops.epoch(), graph_epoch(g));
  plan.epoch = graph_epoch(g);
  plan.unrollings.clear();
  plan.nodes.clear();
  plan.ends.clear();
  plan.refused.clear();
  plan.cloned = 0;
  const detail::values_without_phis<IR> stuck(ir, workspace.stuck_);
  flat_array<unsigned char>& taken = workspace.taken_;
  taken.assign(loops.num_loops(), 0);
  for (const unrolling_request& r : requests) {
    MIDEND_ASSERT(r.loop < loops.num_loops(), "a loop of the forest", r.loop, loops.num_loops());
    const auto refuse = [&](unrolling_refusal_reason reason, value_id v = no_value, edge_id e = no_edge) {
      plan.refused.push_back({r.loop, reason, v, e});
    };
    const std::uint32_t copies = r.form.num_copies();
    if (copies < 2) {
      refuse(unrolling_refusal_reason::one_copy);
      continue;
    }
    if (taken[r.loop] != 0) {
      refuse(unrolling_refusal_reason::overlaps);
      continue;
    }
    std::size_t size = 0;
    value_id unique = no_value;
    edge_id stays = no_edge;
    for (const node_id n : loops.blocks(r.loop)) {
      detail::for_each_id(ir.values(n), [&](value_id v) {
        ++size;
        if (!ir.is_phi(v)) {
          unique = unique == no_value && !may_copy(ir, v) ? v : unique;
        }
      });
      detail::for_each_id(g.out_edges(n),
                          [&](edge_id e) { stays = stays == no_edge && !may_redirect(ir, e) ? e : stays; });
    }
    const std::size_t nodes = loops.blocks(r.loop).size();
    size = size < nodes ? nodes : size; // an empty loop may be asked for a billion times, too
    const std::size_t times = copies - std::size_t{1};
    const std::size_t left = limits.max_cloned - detail::min(plan.cloned, limits.max_cloned);
    if (unique != no_value) {
      refuse(unrolling_refusal_reason::may_not_duplicate, unique);
    } else if (const value_id philess = stuck.read_outside(loops, r.loop); philess != no_value) {
      refuse(unrolling_refusal_reason::takes_no_phi, philess);
    } else if (stays != no_edge) {
      refuse(unrolling_refusal_reason::edge_stays, no_value, stays);
    } else if (size > left / times) {
      refuse(unrolling_refusal_reason::too_large);
    } else {
      const auto first = static_cast<std::uint32_t>(plan.nodes.size());
      for (const node_id n : loops.blocks(r.loop)) {
        plan.nodes.push_back(n);
      }
      const auto count = static_cast<std::uint32_t>(plan.nodes.size()) - first;
      plan.unrollings.push_back({r.loop, r.form, copies, first, count, size * times});
      plan.cloned += size * times;
      for (const loop_id inner : loops.subloops(r.loop)) {
        taken[inner] = 1;
      }
      for (loop_id outer = loops.parent(r.loop); outer != no_loop; outer = loops.parent(outer)) {
        taken[outer] = 1;
      }
    }
  }
}

/// Adds the ends of chains to a plan: if a loop runs no more iterations than there are copies, its last copy does not
/// go on, and no loop is left. `counter` must know this program.
///
/// O(size of the loops that become chains), and what the counter takes.
template <cost_ir_argument IR, trip_counter C>
void plan_loop_ends(unrolling_plan& plan, const IR& ir, const loop_forest& loops, const C& counter) {
  unroll_loops_workspace workspace;
  plan_loop_ends(plan, ir, loops, counter, workspace);
}

/// Uses memory from before.
template <cost_ir_argument IR, trip_counter C>
void plan_loop_ends(unrolling_plan& plan, const IR& ir, const loop_forest& loops, const C& counter,
                    unroll_loops_workspace& workspace) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(ir.graph()), "a plan for this graph as it is now", plan.epoch);
  MIDEND_ASSERT(loops.epoch() == plan.epoch, "a loop forest of this graph", loops.epoch(), plan.epoch);
  loop_end_finder<IR, C> finder(ir, loops, counter, workspace.finding_);
  flat_array<loop_end>& found = workspace.found_;
  plan.ends.clear();
  for (loop_unrolling& x : plan.unrollings) {
    x.first_end = static_cast<std::uint32_t>(plan.ends.size());
    if (x.is_chain()) {
      found.clear();
      finder.find(x.loop, found);
      for (const loop_end& end : found) {
        if (end.backedges < x.copies) {
          plan.ends.push_back(end);
        }
      }
    }
    x.num_ends = static_cast<std::uint32_t>(plan.ends.size()) - x.first_end;
  }
}

namespace detail {

/// Hints about a loop, converted for a new body of several copies.
constexpr loop_hints hints_of_passes(const loop_hints& old, std::uint32_t copies) {
  return {old.average / copies, old.maximum == 0 ? 0 : (old.maximum - 1) / copies + 1,
          old.multiple % copies == 0 ? old.multiple / copies : 0};
}

/// Converts hints about a loop whose first iterations were copied. The new hints describe the runs that reach the loop;
/// such a run executes its header at least once. So the average is never 0, which would mean unknown.
constexpr loop_hints hints_after_peeling(const loop_hints& old, std::uint32_t peeled) {
  return {old.average == 0             ? 0
          : old.average > peeled + 1.0 ? old.average - peeled
                                       : 1,
          old.maximum == 0       ? 0
          : old.maximum > peeled ? old.maximum - peeled
                                 : 1,
          0};
}

/// Moves hints from one header to another, as converted by `divide`.
template <class E, class Divide>
void move_hints([[maybe_unused]] E& editor, [[maybe_unused]] node_id from, [[maybe_unused]] node_id to,
                [[maybe_unused]] Divide divide) {
  if constexpr (can_set_trip_hints<E>) {
    const loop_hints old = editor.trip_hints(from);
    if (!(old == loop_hints())) {
      editor.set_trip_hints(from, {});
      editor.set_trip_hints(to, divide(old));
    }
  }
}

/// Computes the shares of the copies of a loop. In each copy the next iteration is as probable as in the loop.
inline void list_shares(const divided_counts& counts, const loop_unrolling& x, flat_array<double>& shares) {
  const double repeats = counts.repeats();
  const std::uint32_t peeled = x.form.num_peeled();
  double left = 1; // the part of all executions for the copies from here on
  for (std::uint32_t k = 0; k != peeled; ++k) {
    shares.push_back(left * (1 - repeats));
    left *= repeats;
  }
  double sum = 0;
  double share = 1; // of the copies in the new loop, relative to the first
  for (std::uint32_t k = peeled; k != x.copies; ++k) {
    shares.push_back(share);
    sum += share;
    share *= repeats;
  }
  for (std::size_t k = peeled; k != shares.size(); ++k) {
    shares[k] *= left / sum;
  }
}

/// Computes how often the edges of a loop would be taken if the loop ended at its last possible iteration, where runs
/// leave instead of going on. False if there are several exits, since the profile does not tell by which one. Requires
/// positions of the nodes of the loop.
template <class G>
bool list_last_flows(const G& g, span<const node_id> nodes, const flat_array<std::uint32_t>& position,
                     span<const loop_end> ends, loop_copying_memory& memory) {
  const divided_counts& counts = memory.counts;
  flat_array<double>& flows = memory.last_flows;
  const auto place = [&](edge_id e) {
    const auto target = static_cast<node_id>(g.edge_target(e));
    return target < position.size() ? position[target] : no_node;
  };
  const auto is_ended = [&](edge_id e) {
    for (const loop_end& end : ends) {
      if (end.edge == e) {
        return true;
      }
    }
    return false;
  };
  std::size_t exits = 0;
  bool leave = true;
  for (const node_id n : nodes) {
    for_each_id(g.out_edges(n), [&](edge_id e) { exits += place(e) == no_node ? 1U : 0U; });
  }
  for (const loop_end& end : ends) {
    leave = leave && place(end.kept) == no_node;
  }
  if (exits != 1 || !leave) {
    return false;
  }
  flat_array<unsigned char>& reached = memory.reached;
  reached.assign(nodes.size(), 0);
  flat_array<std::uint32_t>& pending = memory.pending;
  pending.assign(1, 0);
  while (!pending.empty()) {
    const std::uint32_t i = pending.back();
    pending.pop_back();
    if (reached[i] == 0) {
      reached[i] = 1;
      for_each_id(g.out_edges(nodes[i]), [&](edge_id e) {
        if (place(e) != no_node && !is_ended(e)) {
          pending.push_back(place(e));
        }
      });
    }
  }
  for (std::size_t i = 0; i != nodes.size(); ++i) {
    double ended = 0;
    std::size_t slot = 0;
    for_each_id(g.out_edges(nodes[i]), [&](edge_id e) {
      ended += is_ended(e) ? counts.taken(i, slot) : 0;
      ++slot;
    });
    slot = 0;
    for_each_id(g.out_edges(nodes[i]), [&](edge_id e) {
      const double taken = is_ended(e) ? 0 : counts.taken(i, slot) + (place(e) == no_node ? ended : 0);
      flows.push_back(reached[i] != 0 ? taken : 0);
      ++slot;
    });
  }
  return true;
}

/// Makes the copies of one loop and redirects the edges that stay inside. `position` has room for all nodes that there
/// are when the first copy is made. Appends the branches that end the last copy.
template <class E>
void copy_loop(unfolding<E>& u, const unrolling_plan& plan, const loop_unrolling& x, loop_copying_memory& memory) {
  flat_array<std::uint32_t>& position = memory.position;
  const auto& g = u.program().graph();
  const span<const node_id> nodes(plan.nodes.data() + x.first_node, x.num_nodes);
  for (std::uint32_t i = 0; i != nodes.size(); ++i) {
    position[nodes[i]] = i;
  }
  divided_counts& counts = memory.counts;
  const bool has_counts = read_counts(u.editor(), nodes, position, counts);
  const span<const loop_end> ends = span<const loop_end>(plan.ends).subspan(x.first_end, x.num_ends);
  flat_array<double>& last_flows = memory.last_flows;
  last_flows.clear();
  const bool divides_all = ends.empty() || !has_counts || list_last_flows(g, nodes, position, ends, memory);
  flat_array<node_id>& copies = memory.copies;
  copies.clear(); // copy k of nodes[i] is at k · num_nodes + i
  for (const node_id n : nodes) {
    copies.push_back(n);
  }
  flat_array<node_id>& made = memory.made;
  for (std::uint32_t k = 1; k != x.copies; ++k) {
    u.duplicate_region(nodes, made);
    for (const node_id n : made) {
      copies.push_back(n);
    }
  }
  const auto copy = [&](std::size_t k, std::uint32_t i) { return copies[k * x.num_nodes + i]; };
  flat_array<edge_id>& edges = memory.edges;
  for (std::size_t k = 0; k != x.copies; ++k) {
    const std::size_t next = k + 1 != x.copies ? k + 1 : x.form.num_peeled();
    for (std::uint32_t i = 0; i != x.num_nodes; ++i) {
      edges.clear();
      for_each_id(g.out_edges(copy(k, i)), [&](edge_id e) { edges.push_back(e); });
      for (const edge_id e : edges) {
        const auto target = static_cast<node_id>(g.edge_target(e)); // the target is an original, or outside
        const std::uint32_t at = target < position.size() ? position[target] : no_node;
        if (at != no_node) {
          const node_id wanted = copy(at == 0 ? next : k, at);
          if (wanted != target) {
            u.lead(e, wanted);
          }
        }
      }
    }
  }
  const std::size_t last = x.copies - std::size_t{1};
  for (const loop_end& end : ends) {
    const auto source = static_cast<node_id>(g.edge_source(end.kept));
    memory.ended.push_back({copy(last, position[source]), u.witness().edge_origin[end.kept]});
  }
  const std::uint32_t peeled = x.form.num_peeled();
  move_hints(u.editor(), copies[0], copy(peeled, 0), [&](const loop_hints& old) {
    return hints_of_passes(peeled == 0 ? old : hints_after_peeling(old, peeled), x.copies - peeled);
  });
  if constexpr (profile_editor<E>) {
    if (has_counts) {
      flat_array<double>& shares = memory.shares;
      shares.clear();
      list_shares(counts, x, shares);
      if (!last_flows.empty()) {
        for (double& flow : last_flows) {
          flow *= shares.back() * (1 - counts.repeats());
        }
        shares.pop_back();
      }
      counts.write(u.editor(), copies, shares, last_flows);
      if (!divides_all) {
        forget_counts(u.editor(), span<const node_id>(copies).subspan(last * x.num_nodes, x.num_nodes));
      }
    }
  }
  for (const node_id n : nodes) {
    position[n] = no_node;
  }
}

/// Turns a branch at the end of a loop into a jump.
template <class E> void end_copy(unfolding<E>& u, const ended_copy& end) {
  const auto& g = u.program().graph();
  edge_id kept = no_edge;
  std::size_t edges = 0;
  for_each_id(g.out_edges(end.node), [&](edge_id e) {
    ++edges;
    kept = u.witness().edge_origin[e] == end.kept ? e : kept;
  });
  if (edges > 1) { // otherwise another reason has ended it
    u.keep_edge(kept, drop_reason::assumed);
  }
}

} // namespace detail

/// Applies a plan for the program as it is. Each copy has all tests of the loop, so the new program does what the old
/// one did for every trip count. The witness needs no reasons, and counters, wrap-around and flags do not matter. Tests
/// whose outcome is known in a copy are removed later, with proofs of their own: by `drop_untaken_exits` if the trip
/// count decides them, else by `sccp`.
///
/// With `plan_loop_ends`, the last copies of chains do not go on where no run would. These edges are dropped with the
/// reason `assumed`; `verify_untaken_exits` proves that they are not taken.
///
/// The original is the first copy, so edges into the loop stay. Phis of headers take inputs edge by edge. So where
/// header phis exchange their values, the copies exchange names: if the number of copies is a multiple of the period,
/// each phi is its own next value.
///
/// Counts of a profile are divided between the copies, and stay consistent: what flows into a node flows out of it. The
/// old profile does not tell in which iteration the loop ends, so probabilities are those of the original, but for
/// rounding. Hints about trip counts (`set_trip_hints`) are divided, too. If what flows into a node of the loop does
/// not flow out of it, all copies have no counts afterwards.
///
/// O(cloned operations and nodes), and the cost of one `repair_ssa` for all loops.
///
///     loop: body; if (c) exit         copy 0: body; if (c) exit
///           jump loop            →    copy 1: body; if (c) exit
///                                     jump copy 0                 (partial by 2)
///                                     jump copy 1                 (one iteration peeled)
template <class E> void apply_unroll_loops(unfolding<E>& u, const unrolling_plan& plan) {
  unroll_loops_workspace workspace;
  apply_unroll_loops(u, plan, workspace);
}

/// Uses memory from before.
template <class E>
void apply_unroll_loops(unfolding<E>& u, const unrolling_plan& plan, unroll_loops_workspace& workspace) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  if (plan.empty()) {
    return;
  }
  detail::loop_copying_memory& memory = workspace.copying_;
  memory.position.assign(static_cast<std::size_t>(u.program().graph().num_nodes()), no_node);
  memory.ended.clear();
  for (const loop_unrolling& x : plan.unrollings) {
    detail::copy_loop(u, plan, x, memory);
  }
  u.finish();
  for (const detail::ended_copy& end : memory.ended) {
    detail::end_copy(u, end);
  }
}

/// Returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_unroll_loops(E& editor, const unrolling_plan& plan) {
  unroll_loops_workspace workspace;
  unfolding<E> u(editor);
  apply_unroll_loops(u, plan, workspace);
  return u.take_witness();
}

/// Uses memory from before. The witness is in the workspace until the next use.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
const unfolding_witness& apply_unroll_loops(E& editor, const unrolling_plan& plan, unroll_loops_workspace& workspace) {
  unfolding<E> u(editor, workspace.unfolding_);
  apply_unroll_loops(u, plan, workspace);
  return u.witness();
}

/// Unrolls loops of a function. Returns the witness, the plan, and the dominators and loops of the new graph.
template <unfolding_editor_argument E>
  requires effect_ir_argument<E>
loop_transformation<unrolling_plan> unroll_loops(E& editor, const loop_forest& loops,
                                                 span<const unrolling_request> requests,
                                                 const unrolling_limits& limits = {}) {
  loop_transformation<unrolling_plan> out;
  out.plan = plan_unroll_loops(editor, loops, requests, limits);
  out.witness = apply_unroll_loops(editor, out.plan);
  auto found = dominators_and_loops(editor.graph());
  out.dominators = std::move(found.dominators);
  out.loops = std::move(found.loops);
  return out;
}

MIDEND_END_NAMESPACE
