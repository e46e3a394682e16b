/// `loop_end_finder`: which edges of a loop are not taken in the last iteration that there can be.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/plain_trip_counter.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/detail/acyclic_order.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A branch where a loop ends at the latest: after `backedges` backedges, no run takes `edge`, which continues the
/// loop.
struct loop_end {
  edge_id edge;
  edge_id kept; ///< the other edge of the branch
  std::uint64_t backedges;
};

template <cost_ir_argument IR, trip_counter C> class loop_end_finder;

/// Memory of `loop_end_finder`, to be reused.
class loop_end_finder_workspace {
  template <cost_ir_argument IR, trip_counter C> friend class loop_end_finder;

  detail::acyclic_order order_;
  flat_array<unsigned char> leads_back_; ///< by node: whether all its paths lead to a backedge
};

/// Finds the ends of innermost loops of one function.
///
/// An exit that each iteration tests ends the loop by itself if its count is exact or an upper bound: a test that is
/// reached after that many backedges leaves the loop. A bound for all exits together proves that a further backedge is
/// not taken. So no branch then goes to a backedge, nor to blocks that only lead to backedges and do nothing else that
/// could end the run.
///
/// Hints about trip counts are not believed.
template <cost_ir_argument IR, trip_counter C> class loop_end_finder {
public:
  /// `counter` must know this program. All arguments must outlive this object.
  loop_end_finder(const IR& ir, const loop_forest& loops, const C& counter, loop_end_finder_workspace& workspace)
      : ir_(ir), loops_(loops), counter_(counter), order_(workspace.order_), leads_back_(workspace.leads_back_) {}

  /// Appends the ends of loop `l` to `out`. There are none if the loop contains another cycle, nor at branches with
  /// more than two edges. O(size of the loop).
  void find(loop_id l, flat_array<loop_end>& out) {
    if (!order_.find(ir_.graph(), loops_, l)) {
      return;
    }
    const value_evolutions& found = counter_.evolutions();
    for (std::size_t i = 0; i != found.num_exits(l); ++i) {
      const exit_trips x = found.exit(l, i);
      if (x.is_always_tested && is_bounded(x.trips.count)) {
        const edge_id other = other_edge(x.trips.last_node, x.edge);
        if (other != no_edge && loops_.contains(l, static_cast<node_id>(ir_.graph().edge_target(other)))) {
          out.push_back({other, x.edge, x.trips.count.backedges});
        }
      }
    }
    if (is_bounded(found.trips(l).count)) {
      list_paths_back(l, found.trips(l).count.backedges, out);
    }
  }

private:
  static bool is_bounded(const trip_count& count) {
    return count.kind == trip_count_kind::exact || count.kind == trip_count_kind::at_most;
  }

  /// The other edge of a branch with two edges.
  edge_id other_edge(node_id n, edge_id e) const {
    edge_id other = no_edge;
    std::size_t count = 0;
    detail::for_each_id(ir_.graph().out_edges(n), [&](edge_id x) {
      other = x != e ? x : other;
      ++count;
    });
    return count == 2 ? other : no_edge;
  }

  /// Lists branches with one edge to a path that only leads back.
  void list_paths_back(loop_id l, std::uint64_t backedges, flat_array<loop_end>& out) {
    if (leads_back_.size() < static_cast<std::size_t>(ir_.graph().num_nodes())) {
      leads_back_.assign(static_cast<std::size_t>(ir_.graph().num_nodes()), 0);
    }
    const span<const node_id> nodes = order_.nodes();
    for (std::size_t i = nodes.size(); i-- != 0;) {
      edge_id back = no_edge;
      std::size_t others = 0;
      detail::for_each_id(ir_.graph().out_edges(nodes[i]), [&](edge_id e) {
        const bool leads = goes_back(l, static_cast<node_id>(ir_.graph().edge_target(e)));
        back = leads ? e : back;
        others += leads ? 0U : 1U;
      });
      leads_back_[nodes[i]] = others == 0 && only_computes(nodes[i]) ? 1 : 0;
      const edge_id other = others == 1 && back != no_edge ? other_edge(nodes[i], back) : no_edge;
      if (other != no_edge) {
        out.push_back({back, other, backedges});
      }
    }
    for (const node_id n : nodes) {
      leads_back_[n] = 0;
    }
  }

  bool goes_back(loop_id l, node_id target) const { return target == loops_.header(l) || leads_back_[target] != 0; }

  /// Whether nothing in a node can end the run.
  bool only_computes(node_id n) const {
    bool computes = true;
    detail::for_each_id(ir_.values(n), [&](value_id v) {
      computes = computes && (ir_.is_phi(v) || ir_.effect(v) == effect_kind::none);
      if constexpr (has_may_not_return<IR>) {
        computes = computes && !ir_.may_not_return(v);
      }
      if constexpr (has_may_trap<IR>) {
        computes = computes && (ir_.is_phi(v) || !ir_.may_trap(v));
      }
    });
    return computes;
  }

  const IR& ir_;
  const loop_forest& loops_;
  const C& counter_;
  detail::acyclic_order& order_; ///< in the workspace, like the marks
  flat_array<unsigned char>& leads_back_;
};

/// A lower bound for each node of an unfolding that copies a node of an innermost loop: how often the header has run
/// when control arrives, counted from the last entry of the loop.
///
/// Each run of the new program is a run of the old one. It stays in the loop along an edge that copies an edge of the
/// loop and leads to a copy of its target; along all other edges it enters the loop anew. So the number is the length
/// of a shortest path, where edges to copies of the header count 1 and others 0. O(n + m) of the new graph.
class executed_headers {
public:
  /// `loops` is the forest of the old graph. Requires that no nodes are `merged`, since a merged node may stand for
  /// several iterations.
  template <class Old, class New>
  executed_headers(const Old& before, const loop_forest& loops, const New& after, const unfolding_witness& witness) {
    MIDEND_ASSERT(witness.merged.empty(), "a witness without merged nodes", witness.merged.size());
    const auto nodes = static_cast<std::size_t>(after.num_nodes());
    least_.assign(nodes, unreached);
    const auto loop_of = [&](node_id n) { return n < loops.num_nodes() ? loops.innermost_loop(n) : no_loop; };
    const auto goes_on = [&](edge_id e, node_id source, node_id target) {
      const edge_id origin = witness.edge_origin[e];
      const loop_id l = loop_of(witness.node_origin[source]);
      return origin != no_edge && l != no_loop && loop_of(witness.node_origin[target]) == l &&
             static_cast<node_id>(before.edge_source(origin)) == witness.node_origin[source] &&
             static_cast<node_id>(before.edge_target(origin)) == witness.node_origin[target];
    };
    flat_array<node_id> now;  // nodes at the present distance
    flat_array<node_id> next; // nodes at the next distance
    const auto enter = [&](node_id n) {
      const node_id origin = witness.node_origin[n];
      if (loop_of(origin) != no_loop) {
        (loops.is_header(origin) ? next : now).push_back(n);
      }
    };
    flat_array<node_id> pending(1, static_cast<node_id>(after.entry()));
    flat_array<unsigned char> is_reached(nodes, 0); // an unreachable node enters no loop
    is_reached[after.entry()] = 1;
    enter(static_cast<node_id>(after.entry()));
    while (!pending.empty()) {
      const node_id n = pending.back();
      pending.pop_back();
      detail::for_each_id(after.out_edges(n), [&](edge_id e) {
        const auto target = static_cast<node_id>(after.edge_target(e));
        if (!goes_on(e, n, target)) {
          enter(target);
        }
        if (is_reached[target] == 0) {
          is_reached[target] = 1;
          pending.push_back(target);
        }
      });
    }
    for (std::uint32_t number = 0; !now.empty() || !next.empty(); ++number) {
      while (!now.empty()) {
        const node_id n = now.back();
        now.pop_back();
        if (least_[n] <= number) {
          continue;
        }
        least_[n] = number;
        detail::for_each_id(after.out_edges(n), [&](edge_id e) {
          const auto target = static_cast<node_id>(after.edge_target(e));
          if (goes_on(e, n, target)) {
            (loops.is_header(witness.node_origin[target]) ? next : now).push_back(target);
          }
        });
      }
      now.swap(next);
    }
  }

  static constexpr std::uint32_t unreached = 0xffff'ffff;

  /// The bound for a node whose original is in a loop; `unreached` for unreachable nodes.
  std::uint32_t at(node_id n) const { return least_[n]; }

private:
  flat_array<std::uint32_t> least_; ///< by node of the new graph
};

MIDEND_END_NAMESPACE
