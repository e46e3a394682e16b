/// Canonical forms of a natural loop, as far as the graph alone decides them.
///
/// - *Preheader*: one entering edge, which is the only edge of the block that it leaves. `has_preheader`.
/// - *Single latch*: one backedge. `has_single_latch`.
/// - *Dedicated exits*: all predecessors of each exit block are in the loop. `has_dedicated_exits`.
/// - *Loop-simplify form*: the three above. `is_loop_simplify_form`.
/// - *Rotated*: a single latch, which is an exiting block, so that the loop tests after its body. `is_rotated`.
/// - *LCSSA-ready*: a place for a phi of each value that leaves the loop, so dedicated exits. `is_lcssa_ready`.
///
/// The terms are those of "LLVM Loop Terminology (and Canonical Forms)" in LLVM's documentation. That no cycle has two
/// entries, the result of fixing irreducible flow, is a property of the graph and not of a loop.
/// `explain_loop_form.hpp` says why a loop is not in a form.
///
/// The entry of the graph counts as a block that control also enters from outside: a loop whose header is the entry of
/// the graph has no preheader, and an exit block that is the entry is not dedicated. The queries of `loop_forest`
/// consider edges only. Both agree if the entry has no predecessors, as in most compilers.
///
/// All predicates require that the forest is one of this graph, up to date and with boundaries. Unreachable blocks
/// count only as entering blocks. Parallel edges are several edges, as in LLVM: a switch with two arms to
/// the header makes neither a preheader nor a single latch. A self loop is a loop of one block.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_forest.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class G>
constexpr void require_loop_of([[maybe_unused]] const G& g, [[maybe_unused]] const loop_forest& loops,
                               [[maybe_unused]] loop_id l) {
  MIDEND_ASSERT(loops.num_nodes() == node_count(g), "a loop forest of this graph", loops.num_nodes(), g.num_nodes());
  MIDEND_ASSERT(loops.epoch() == graph_epoch(g), "a loop forest that is up to date", loops.epoch(), graph_epoch(g));
  MIDEND_ASSERT(l < loops.num_loops(), "a loop of the forest", l, loops.num_loops());
}

/// Whether an edge leads out of `l` to the entry of the graph. The entry dominates the source of such an edge, so it is
/// the header of an outer loop.
template <class G> constexpr bool leaves_to_entry(const G& g, const loop_forest& loops, loop_id l) {
  const node_id entry = node_in(g, g.entry());
  if (!loops.is_header(entry)) {
    return false;
  }
  for (const loop_edge& e : loops.exiting_edges(l)) {
    if (e.target == entry) {
      return true;
    }
  }
  return false;
}

} // namespace detail

/// Whether a block outside `l` has its only edge to the header, and no other edge from outside leads there: code at its
/// end runs once before the loop. `loop_forest::preheader` names it. O(1).
template <flow_graph_argument G> constexpr bool has_preheader(const G& g, const loop_forest& loops, loop_id l) {
  detail::require_loop_of(g, loops, l);
  return loops.preheader(l) != no_node && loops.header(l) != static_cast<node_id>(g.entry());
}

/// Whether `l` has one backedge, and so one latch. `loop_forest::single_latch` names it, but does so too if parallel
/// edges lead from there to the header. O(1).
template <flow_graph_argument G> constexpr bool has_single_latch(const G& g, const loop_forest& loops, loop_id l) {
  detail::require_loop_of(g, loops, l);
  return loops.backedges(l).size() == 1;
}

/// Whether control reaches the exit blocks of `l` only from `l`; true if there is none. O(1), and one walk over the
/// exiting edges if the entry of the graph is in a loop.
template <flow_graph_argument G> constexpr bool has_dedicated_exits(const G& g, const loop_forest& loops, loop_id l) {
  detail::require_loop_of(g, loops, l);
  return loops.has_dedicated_exits(l) && !detail::leaves_to_entry(g, loops, l);
}

/// Whether `l` has a preheader, a single latch and dedicated exits. Cost of `has_dedicated_exits`.
template <flow_graph_argument G> constexpr bool is_loop_simplify_form(const G& g, const loop_forest& loops, loop_id l) {
  return has_preheader(g, loops, l) && has_single_latch(g, loops, l) && has_dedicated_exits(g, loops, l);
}

/// Whether block `n` of `l` has an edge out of `l`. O(out-edges of `n`).
template <flow_graph_argument G> constexpr bool is_exiting(const G& g, const loop_forest& loops, loop_id l, node_id n) {
  detail::require_loop_of(g, loops, l);
  MIDEND_ASSERT(loops.contains(l, n), "a block of the loop", n, l);
  for (const auto successor : g.successors(n)) {
    if (!loops.contains(l, detail::node_in(g, successor))) {
      return true;
    }
  }
  return false;
}

/// Whether `l` is a do-while: its only latch is an exiting block, so the body has run before the test. O(out-edges of
/// the latch).
template <flow_graph_argument G> constexpr bool is_rotated(const G& g, const loop_forest& loops, loop_id l) {
  return has_single_latch(g, loops, l) && is_exiting(g, loops, l, loops.single_latch(l));
}

/// Whether the header of `l` is an exiting block, as that of a `while` is before rotation. A loop may test in its
/// header, in its latch, in both (as a loop of one block does), or in neither. O(out-edges of the header).
template <flow_graph_argument G> constexpr bool tests_in_header(const G& g, const loop_forest& loops, loop_id l) {
  return is_exiting(g, loops, l, loops.header(l));
}

/// Whether loop-closed SSA form needs no new block. In that form a value of the loop is used outside only through a phi
/// in an exit block. Such a phi stands for values of the loop and nothing else if all edges into its block come from
/// the loop. Which values need one depends on the IR. Cost of `has_dedicated_exits`.
template <flow_graph_argument G> constexpr bool is_lcssa_ready(const G& g, const loop_forest& loops, loop_id l) {
  return has_dedicated_exits(g, loops, l);
}

MIDEND_END_NAMESPACE
