/// `loop_end_finder`: which edges of a loop are not taken in the last iteration that there can be.
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
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A branch by which a loop ends at the latest: after `backedges` backedges, no run takes `edge`, which goes on.
struct loop_end {
  edge_id edge;
  edge_id kept; ///< the other edge of its source
  std::uint64_t backedges;
};

namespace detail {

/// The edge of the graph for one of the body, whose blocks have their edges in the order of the graph.
template <class IR> edge_id edge_of_body(const IR& ir, const loop_body& body, std::uint32_t e) {
  const body_block& block = body.blocks[body.edges[e].source];
  std::uint32_t i = block.first_edge;
  edge_id found = no_edge;
  for_each_id(ir.graph().out_edges(block.origin), [&](edge_id id) { found = i++ == e ? id : found; });
  return found;
}

} // namespace detail

template <cost_ir_argument IR, trip_counter C> class loop_end_finder;

/// Memory of `loop_end_finder`, to be reused.
class loop_end_finder_workspace {
  template <cost_ir_argument IR, trip_counter C> friend class loop_end_finder;

  describe_loop_workspace description_;
  loop_body body_;
  loop_counters counters_;
  flat_array<unsigned char> leads_back_; ///< by block: all its paths lead to a backedge
};

/// Finds the ends of innermost loops of one function.
///
/// An exit that each iteration tests, and of which the count is exact or an upper bound, ends the loop by itself: if
/// the test is reached in the iteration after that many backedges, it leaves, since it has not left before. A bound for
/// all exits together says which backedge is not taken. So no branch goes to a backedge then, nor to blocks that only
/// lead to backedges and do nothing else that could end the run.
///
/// Of hints about trip counts, upper bounds are not believed.
template <cost_ir_argument IR, trip_counter C> class loop_end_finder {
public:
  /// `counter` has to know this program; all arguments must outlive this object.
  loop_end_finder(const IR& ir, const loop_forest& loops, C& counter, loop_end_finder_workspace& workspace)
      : ir_(ir), loops_(loops), counter_(counter), describer_(ir, loops, workspace.description_),
        body_(workspace.body_), counters_(workspace.counters_), leads_back_(workspace.leads_back_) {}

  /// Appends the ends of loop `l` to `out`: none if it contains loops, if `describe_loop` cannot read it, and at
  /// branches with more than two edges. O(size of the loop), and what the counter takes.
  void find(loop_id l, flat_array<loop_end>& out) {
    if (loops_.subloops(l).size() != 1 || describer_.describe(l, body_) != loop_obstacle::none) {
      return;
    }
    body_.hints.maximum = 0;
    body_.hints.multiple = 0;
    counter_.count(body_, counters_);
    for (const loop_exit& x : counters_.exits) {
      if (x.is_always_tested && is_bounded(x.count)) {
        add(other_edge(x.edge), x.edge, x.count.backedges, out);
      }
    }
    if (is_bounded(counters_.trip)) {
      list_ways_back(counters_.trip.backedges, out);
    }
  }

private:
  static bool is_bounded(const trip_count& count) {
    return count.kind == trip_count_kind::exact || count.kind == trip_count_kind::at_most;
  }

  /// The other edge of a branch with two of them.
  std::uint32_t other_edge(std::uint32_t e) const {
    const body_block& block = body_.blocks[body_.edges[e].source];
    return block.last_edge - block.first_edge == 2 ? block.first_edge + block.last_edge - 1 - e : no_body_value;
  }

  void add(std::uint32_t edge, std::uint32_t kept, std::uint64_t backedges, flat_array<loop_end>& out) const {
    if (edge != no_body_value && body_.edges[edge].target != body_edge::leaves) {
      out.push_back({detail::edge_of_body(ir_, body_, edge), detail::edge_of_body(ir_, body_, kept), backedges});
    }
  }

  /// Branches between a way back and something else.
  void list_ways_back(std::uint64_t backedges, flat_array<loop_end>& out) {
    leads_back_.assign(body_.blocks.size(), 0);
    leads_back_[body_.bottom()] = 1;
    for (std::uint32_t b = body_.bottom(); b-- != 0;) {
      const body_block& block = body_.blocks[b];
      std::uint32_t back = no_body_value;
      std::uint32_t others = 0;
      for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
        if (goes_back(body_.edges[e])) {
          back = e;
        } else {
          ++others;
        }
      }
      leads_back_[b] = others == 0 && only_computes(block) ? 1 : 0;
      if (others == 1 && back != no_body_value && other_edge(back) != no_body_value) {
        add(back, other_edge(back), backedges, out);
      }
    }
  }

  bool goes_back(const body_edge& e) const { return e.target != body_edge::leaves && leads_back_[e.target] != 0; }

  bool only_computes(const body_block& block) const {
    for (body_id v = block.first_value; v != block.last_value; ++v) {
      if (body_.values[v].kind != body_kind::pure && body_.values[v].kind != body_kind::join) {
        return false;
      }
    }
    return true;
  }

  const IR& ir_;
  const loop_forest& loops_;
  C& counter_;
  loop_describer<IR> describer_;
  loop_body& body_; ///< all references are to members of the workspace
  loop_counters& counters_;
  flat_array<unsigned char>& leads_back_;
};

/// For each node of an unfolding that copies one of an innermost loop: how often the header has run at least when
/// control comes there, counted from the last time that the loop was entered.
///
/// Each run of the new program is a run of the old one. It stays in the loop along an edge that copies an edge of the
/// loop and leads to a copy of its target; along all other edges it enters the loop anew. So the number is the length
/// of a shortest way on which edges to copies of the header count 1. O(n + m) of the new graph.
class executed_headers {
public:
  /// `loops` is the forest of the old graph. Without `merged` nodes, which may stand for several iterations.
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
    flat_array<node_id> now;  // nodes with the present number
    flat_array<node_id> next; // with one more
    const auto enter = [&](node_id n) {
      const node_id origin = witness.node_origin[n];
      if (loop_of(origin) != no_loop) {
        (loops.is_header(origin) ? next : now).push_back(n);
      }
    };
    flat_array<node_id> pending(1, static_cast<node_id>(after.entry()));
    flat_array<unsigned char> is_reached(nodes, 0); // who is not reached enters no loop
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

  /// For a node of the new graph whose original is in a loop; `unreached` for unreachable ones.
  std::uint32_t at(node_id n) const { return least_[n]; }

private:
  flat_array<std::uint32_t> least_; ///< by node of the new graph
};

MIDEND_END_NAMESPACE
