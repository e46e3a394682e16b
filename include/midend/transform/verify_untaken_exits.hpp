/// `verify_untaken_exits`: checks that edges are never taken, from counters, or else by asking the transformation's
/// analysis again.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/plain_trip_counter.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/transform/loop_ends.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/untaken_exits.hpp"
#include "midend/transform/verify_counted_exits.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_untaken_exits`.
struct untaken_exits_verdict {
  std::size_t proven = 0;  ///< edges that were dropped as `assumed` and are never taken
  std::size_t trusted = 0; ///< of these, the edges that `verify_counted_exits` does not prove; the analysis of the
                           ///< transformation claims them again
  edge_id edge = no_edge;  ///< of the old program: the first edge without a proof, or none

  explicit operator bool() const { return edge == no_edge; }
};

namespace detail {

/// Finds which edges that a witness drops are never taken, or not after so many backedges. First
/// `counted_exits_checker` proves what it can. If edges are left, `trust_exits` and `trust_ends` ask the analyses of
/// the transformations.
template <class IR, class Counter> class untaken_edges_checker {
public:
  untaken_edges_checker(const IR& before, const Counter& counter, const unfolding_witness& witness)
      : ir_(before), counter_(counter), witness_(witness), checker_(before, workspace_) {
    known_.assign(witness.dropped.size(), is_open);
    mark(is_proven, [&](const dropped_edge& d) { return checker_.fault_of(d.edge) == counted_exit_fault::none; });
  }

  untaken_exits_verdict verdict() {
    trust_exits();
    return counts();
  }

  template <class After> untaken_exits_verdict verdict(const After& after) {
    if (!has_open() || !witness_.merged.empty()) {
      return verdict();
    }
    const executed_headers executed(ir_.graph(), checker_.loops(), after, witness_);
    // After so many headers, the iteration has at least this number.
    mark(is_proven, [&](const dropped_edge& d) { return executed.at(d.node) > checker_.untaken_from(d.edge); });
    trust_exits();
    trust_ends(executed);
    return counts();
  }

private:
  enum : unsigned char { is_open, is_proven, is_trusted };

  bool has_open() const {
    for (std::size_t i = 0; i != known_.size(); ++i) {
      if (witness_.dropped[i].why == drop_reason::assumed && known_[i] == is_open) {
        return true;
      }
    }
    return false;
  }

  template <class IsUntaken> void mark(unsigned char how, IsUntaken is_untaken) {
    const auto edges = static_cast<std::size_t>(ir_.graph().num_edges());
    for (std::size_t i = 0; i != known_.size(); ++i) {
      const dropped_edge& d = witness_.dropped[i];
      if (d.why == drop_reason::assumed && known_[i] == is_open && d.edge < edges && is_untaken(d)) {
        known_[i] = how;
      }
    }
  }

  /// Asks for untaken exits again: those that follow from facts from elsewhere, promises, and wide numbers.
  void trust_exits() {
    if (has_open()) {
      flat_array<unsigned char> untaken(static_cast<std::size_t>(ir_.graph().num_edges()), 0); // by edge
      for (const untaken_exit& x : plan_untaken_exits(ir_, checker_.loops(), counter_).exits) {
        untaken[x.edge] = 1;
      }
      mark(is_trusted, [&](const dropped_edge& d) { return untaken[d.edge] != 0; });
    }
  }

  /// Asks for the ends of loops again.
  void trust_ends(const executed_headers& executed) {
    if (has_open()) {
      loop_end_finder_workspace finding;
      loop_end_finder<IR, Counter> finder(ir_, checker_.loops(), counter_, finding);
      flat_array<loop_end> ends;
      for (const loop_id l : checker_.loops().loops()) {
        finder.find(l, ends);
      }
      // By edge: the number of backedges after which it is not taken.
      flat_array<std::uint64_t> last(static_cast<std::size_t>(ir_.graph().num_edges()), ~std::uint64_t{0});
      for (const loop_end& end : ends) {
        last[end.edge] = detail::min(last[end.edge], end.backedges);
      }
      mark(is_trusted, [&](const dropped_edge& d) { return executed.at(d.node) > last[d.edge]; });
    }
  }

  untaken_exits_verdict counts() const {
    untaken_exits_verdict out;
    for (std::size_t i = 0; i != known_.size() && out; ++i) {
      if (witness_.dropped[i].why != drop_reason::assumed) {
        continue;
      }
      if (known_[i] == is_open) {
        out.edge = witness_.dropped[i].edge;
      } else {
        ++out.proven;
        out.trusted += known_[i] == is_trusted ? 1u : 0u;
      }
    }
    return out;
  }

  const IR& ir_;
  const Counter& counter_;
  const unfolding_witness& witness_;
  verify_counted_exits_workspace workspace_;
  counted_exits_checker<IR> checker_;
  flat_array<unsigned char> known_; ///< by dropped edge
};

} // namespace detail

/// Whether no run of `before` takes the edges that a witness drops with the reason `assumed`, which must be exits of
/// loops. Together with `verify_unfolding`, which counts these edges, it proves that the new program does what the old
/// one did. A claim about the trip count is checked against the loop with the test, its start, step and bound, whatever
/// a transformation knows about the loop's origin.
///
/// `verify_counted_exits`, which shares no code with the transformation, proves what it can. For the other edges, the
/// counter and `plan_untaken_exits` are asked again, and must be trusted: for conclusions from facts of the counter or
/// from promises, and for counters of more than 64 bits. `trusted` counts these edges. If it is 0, no part of the
/// transformation has to be trusted.
///
/// Requires IR that `check_ir` accepts. Linear, as `plan_untaken_exits`.
template <cost_ir_argument IR>
untaken_exits_verdict verify_untaken_exits(const IR& before, const unfolding_witness& witness) {
  plain_trip_counter_workspace workspace;
  const loop_forest loops = dominators_and_loops(before.graph()).loops;
  const plain_trip_counter counter(before, loops, workspace);
  return verify_untaken_exits(before, witness, counter);
}

/// Takes the counts from `counter`, which must know `before`, by facts that are certain: for a `loop_trip_counter` of
/// `before`, check `facts()` of `program()` by `verify_sccp_with_branch_facts`.
template <cost_ir_argument IR, trip_counter C>
untaken_exits_verdict verify_untaken_exits(const IR& before, const unfolding_witness& witness, const C& counter) {
  return detail::untaken_edges_checker<IR, C>(before, counter, witness).verdict();
}

/// Also accepts an edge by which a copy of a loop would go on after its last possible iteration. `after` is the graph
/// of the new program: all paths to the copy pass at least that many headers of the loop. Also linear in that graph.
template <cost_ir_argument IR, trip_counter C, edge_indexed_flow_graph_argument After>
untaken_exits_verdict verify_untaken_exits(const IR& before, const After& after, const unfolding_witness& witness,
                                           const C& counter) {
  return detail::untaken_edges_checker<IR, C>(before, counter, witness).verdict(after);
}

MIDEND_END_NAMESPACE
