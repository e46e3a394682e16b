/// `node_frequencies`: how often nodes run, where a profile has probabilities but no counts.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// How often each node runs for one run of the function. LLVM has branch weights, but counts of whole functions only,
/// and derives node counts likewise. A branch of unknown probability takes all its edges equally often.
///
/// Computes loops from the inside out, each for one execution of its header. In the loop around it, a loop is one node
/// whose edges are the loop's exits. O(nodes + edges + exits of all loops).
class node_frequencies {
public:
  /// Requires a forest of this graph as it is, with boundaries. Nodes of irreducible cycles, and nodes after them, get
  /// 0.
  template <class IR> void compute(const IR& ir, const loop_forest& loops) {
    const auto& g = ir.graph();
    const auto nodes = static_cast<std::size_t>(g.num_nodes());
    arriving_.assign(nodes, 0);
    missing_.assign(nodes, 0);
    frequency_.assign(nodes, 0);
    way_out_.assign(static_cast<std::size_t>(g.num_edges()), 0);
    entered_.assign(loops.num_loops(), 0);
    repeats_.assign(loops.num_loops(), 0);
    for (std::size_t l = loops.num_loops(); l-- != 0;) {
      const auto loop = static_cast<loop_id>(l);
      const node_id header = loops.header(loop);
      visit(ir, loops, loop, header);
      repeats_[l] = arriving_[header] - 1;
      arriving_[header] = 0;
      for (const loop_edge& e : loops.exiting_edges(loop)) {
        way_out_[e.id] *= executions(loop);
      }
    }
    visit(ir, loops, no_loop, static_cast<node_id>(g.entry()));
    flat_array<double>& around = around_;
    around.assign(loops.num_loops(), 1);
    for (const loop_id l : loops.loops()) {
      const double outside = loops.parent(l) == no_loop ? 1 : around[loops.parent(l)];
      around[l] = outside * entered_[l] * executions(l);
    }
    for (node_id n = 0; n != nodes; ++n) {
      const loop_id l = loops.innermost_loop(n);
      frequency_[n] *= l == no_loop ? 1 : around[l];
    }
  }

  double operator[](node_id n) const { return frequency_[n]; }

  /// The probability of one more iteration.
  double repeats(loop_id l) const { return repeats_[l]; }

  /// The probability of an edge out of a branch. If one is unknown, all are equal.
  template <class IR> static double probability(const IR& ir, edge_id e) {
    double p = static_cast<double>(ir.probability(e));
    std::size_t edges = 0;
    for_each_id(ir.graph().out_edges(static_cast<node_id>(ir.graph().edge_source(e))), [&](edge_id each) {
      ++edges;
      p = static_cast<double>(ir.probability(each)) < 0 ? -1 : p;
    });
    return p < 0 || edges == 1 ? 1 / static_cast<double>(edges) : p;
  }

private:
  /// Executions of the header for each entry of the loop; finite also for an endless loop.
  double executions(loop_id l) const {
    constexpr double most = 1u << 30;
    return repeats_[l] < 1 - 1 / most ? 1 / (1 - repeats_[l]) : most;
  }

  /// The edges out of a node, or out of the loop that it stands for, with their counts for one run of the node or one
  /// entry of the loop.
  template <class IR, class Visit>
  void for_each_way(const IR& ir, const loop_forest& loops, loop_id l, node_id n, Visit take) const {
    const loop_id inner = loops.innermost_loop(n);
    if (inner != l) {
      for (const loop_edge& e : loops.exiting_edges(inner)) {
        take(e.id, way_out_[e.id]);
      }
    } else {
      for_each_id(ir.graph().out_edges(n), [&](edge_id e) { take(e, probability(ir, e)); });
    }
  }

  /// Computes the nodes directly in a loop, or in none, for one run of its header.
  template <class IR> void visit(const IR& ir, const loop_forest& loops, loop_id l, node_id header) {
    const auto& g = ir.graph();
    const auto is_inside = [&](node_id n) { return l == no_loop || loops.contains(l, n); };
    order_.assign(1, header);
    for (std::size_t i = 0; i != order_.size(); ++i) { // all reached nodes; counts the edges that lead to each
      for_each_way(ir, loops, l, order_[i], [&](edge_id e, double) {
        const auto target = static_cast<node_id>(g.edge_target(e));
        if (target != header && is_inside(target) && missing_[target]++ == 0) {
          order_.push_back(target);
        }
      });
    }
    arriving_[header] = 1;
    order_.assign(1, header);
    for (std::size_t i = 0; i != order_.size(); ++i) {
      const node_id n = order_[i];
      const double arrived = n == header ? 1 : arriving_[n];
      const loop_id inner = loops.innermost_loop(n);
      (inner == l ? frequency_[n] : entered_[inner]) = arrived;
      for_each_way(ir, loops, l, n, [&](edge_id e, double taken) {
        const auto target = static_cast<node_id>(g.edge_target(e));
        if (!is_inside(target)) {
          way_out_[e] = arrived * taken;
        } else {
          arriving_[target] += arrived * taken;
          if (target != header && --missing_[target] == 0) {
            order_.push_back(target);
          }
        }
      });
    }
  }

  flat_array<double> arriving_;       ///< by node
  flat_array<std::uint32_t> missing_; ///< by node: edges into it that were not seen yet
  flat_array<node_id> order_;
  flat_array<double> frequency_; ///< by node; at first for one execution of the header of its loop
  flat_array<double> way_out_;   ///< by edge that leaves a loop
  flat_array<double> entered_;   ///< by loop: how often it is entered for one run of the header of the loop around
  flat_array<double> repeats_;   ///< by loop
  flat_array<double> around_;    ///< by loop: executions of the header
};

} // namespace detail

MIDEND_END_NAMESPACE
