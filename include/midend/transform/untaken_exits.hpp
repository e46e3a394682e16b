/// `drop_untaken_exits`: exits of loops that are never taken, because the loop counts and leaves elsewhere before.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/count_iterations.hpp"
#include "midend/induction/describe_loop.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// An edge out of a loop that no run takes.
struct untaken_exit {
  loop_id loop;
  edge_id edge;
  edge_id kept;   ///< the other edge of its source
  edge_id before; ///< the loop leaves by this one before; or `no_edge`: the test never leaves
};

/// What `drop_untaken_exits` will do. To veto a change, remove it.
struct untaken_exits_plan {
  std::uint64_t epoch = 0;
  flat_array<untaken_exit> exits;

  bool empty() const { return exits.empty(); }
};

namespace detail {

/// Finds untaken exits, loop by loop.
template <class IR> class untaken_exits_finder {
public:
  untaken_exits_finder(const IR& ir, const loop_forest& loops, untaken_exits_plan& out)
      : ir_(ir), loops_(loops), describer_(ir, loops, description_), out_(out) {}

  void run() {
    for (const loop_id l : loops_.loops()) {
      if (loops_.subloops(l).size() == 1 && describer_.describe(l, body_) == loop_obstacle::none) {
        count_iterations(body_, count_, counters_);
        list_untaken(l);
      }
    }
  }

private:
  std::uint32_t block_of(const loop_exit& x) const { return body_.edges[x.edge].source; }

  /// Whether control reaches the test of `a` before that of `b` in the iteration in which `a` is taken, or that
  /// iteration comes first. Both are tested in all iterations that no other exit ends.
  bool is_sooner(const loop_exit& a, const loop_exit& b) const {
    return a.count.backedges != b.count.backedges ? a.count.backedges < b.count.backedges : block_of(a) < block_of(b);
  }

  static bool has_count(const loop_exit& x) { return x.is_always_tested && x.count.kind == trip_count_kind::exact; }

  void list_untaken(loop_id l) {
    const loop_exit* first = nullptr;
    for (const loop_exit& x : counters_.exits) {
      if (has_count(x) && (first == nullptr || is_sooner(x, *first))) {
        first = &x;
      }
    }
    for (const loop_exit& x : counters_.exits) {
      const bool never = x.is_always_tested && x.count.kind == trip_count_kind::endless;
      if (never || (first != nullptr && has_count(x) && is_sooner(*first, x))) {
        add(l, x, never ? no_edge : edge_of(first->edge));
      }
    }
  }

  /// The edge of the graph for one of the body, whose blocks have their edges in the order of the graph.
  edge_id edge_of(std::uint32_t e) const {
    const body_block& block = body_.blocks[body_.edges[e].source];
    std::uint32_t i = block.first_edge;
    edge_id found = no_edge;
    for_each_id(ir_.graph().out_edges(block.origin), [&](edge_id id) { found = i++ == e ? id : found; });
    return found;
  }

  void add(loop_id l, const loop_exit& x, edge_id before) {
    const body_block& block = body_.blocks[block_of(x)];
    const edge_id edge = edge_of(x.edge);
    edge_id kept = no_edge;
    std::size_t edges = 0;
    for_each_id(ir_.graph().out_edges(block.origin), [&](edge_id e) {
      ++edges;
      kept = e != edge ? e : kept;
    });
    // Both edges of a node may leave, and both be untaken because the node is not reached; one of them stays.
    if (edges == 2 && (out_.exits.empty() || out_.exits.back().edge != kept)) {
      out_.exits.push_back({l, edge, kept, before});
    }
  }

  const IR& ir_;
  const loop_forest& loops_;
  describe_loop_workspace description_;
  loop_describer<IR> describer_;
  count_iterations_workspace count_;
  loop_body body_;
  loop_counters counters_;
  untaken_exits_plan& out_;
};

} // namespace detail

/// The exits of innermost loops that are never taken. Exits are counted as by `count_iterations`: exactly, for every
/// width, step and comparison, with wrap-around and promises. Let b be the least count of an exit that each iteration
/// tests, and x an exit with this count, the one tested first if there are several. Then iterations after iteration b
/// do not begin, and in iteration b control does not pass x. So another test is never true if its count is greater, or
/// equal and tested after x; and so is a test that would never be true in a loop without other exits.
///
/// After unrolling by a factor these are the tests of all copies but one: the first if the factor divides the trip
/// count, else the copy in which the loop ends.
///
/// Exits of loops that contain loops or that `describe_loop` cannot read, of switches, and those whose start or bound
/// is not a number, are not found. Requires a forest of this graph as it is, with boundaries. Linear, as
/// `describe_loop`.
template <cost_ir_argument IR> untaken_exits_plan plan_untaken_exits(const IR& ir, const loop_forest& loops) {
  untaken_exits_plan plan;
  plan.epoch = graph_epoch(ir.graph());
  detail::untaken_exits_finder<IR>(ir, loops, plan).run();
  return plan;
}

/// Applies a plan for the program as it is: the branches become jumps. Their edges are dropped with the reason
/// `assumed`, since `verify_unfolding` knows nothing of counters: `verify_untaken_exits` proves that these reasons are
/// true. Use an unfolding of its own, so that the first program of the witness is the one that is asked about.
template <class E> void apply_untaken_exits(unfolding<E>& u, const untaken_exits_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  for (const untaken_exit& x : plan.exits) {
    u.keep_edge(x.kept, drop_reason::assumed);
  }
}

/// The same; returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_untaken_exits(E& editor, const untaken_exits_plan& plan) {
  unfolding<E> u(editor);
  apply_untaken_exits(u, plan);
  return u.take_witness();
}

/// The answer of `verify_untaken_exits`.
struct untaken_exits_verdict {
  std::size_t proven = 0; ///< edges that were dropped as `assumed` and are never taken
  edge_id edge = no_edge; ///< of the old program: the first one for which there is no proof, or none

  explicit operator bool() const { return edge == no_edge; }
};

/// Whether each edge that a witness drops with the reason `assumed` is an exit of a loop of `before` that is never
/// taken. Finds dominators, loops and counts of the old program again, and trusts nothing but the witness's list of
/// edges: together with `verify_unfolding`, which counts them, it proves that the new program does what the old one
/// did. What has to be trusted besides are `describe_loop`, `count_iterations` and `plan_untaken_exits`. A claim about
/// the trip count is so checked against the loop in which the test is, with its own start, step and bound, and not
/// against what a transformation knows of where the loop came from.
///
/// Requires IR that `check_ir` accepts. Linear, as `plan_untaken_exits`.
template <cost_ir_argument IR>
untaken_exits_verdict verify_untaken_exits(const IR& before, const unfolding_witness& witness) {
  const auto found = dominators_and_loops(before.graph());
  const untaken_exits_plan plan = plan_untaken_exits(before, found.loops);
  flat_array<unsigned char> untaken(static_cast<std::size_t>(before.graph().num_edges()), 0);
  for (const untaken_exit& x : plan.exits) {
    untaken[x.edge] = 1;
  }
  untaken_exits_verdict verdict;
  for (const dropped_edge& d : witness.dropped) {
    if (d.reason != drop_reason::assumed || !verdict) {
      continue;
    }
    if (d.edge < untaken.size() && untaken[d.edge] != 0) {
      ++verdict.proven;
    } else {
      verdict.edge = d.edge;
    }
  }
  return verdict;
}

MIDEND_END_NAMESPACE
