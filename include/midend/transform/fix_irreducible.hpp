/// `fix_irreducible`: every cycle becomes a natural loop.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/cycle_forest.hpp"
#include "midend/loops/cycles.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/values_without_phis.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// How a cycle with several entries becomes a natural loop.
enum class irreducible_method : std::uint8_t {
  dispatch,         ///< edges to all entries lead to a new header, which branches to the entries
  split_nodes,      ///< one entry stays; the other entries are copied, with the nodes that they reach
  split_or_dispatch ///< the nodes are split if possible and cheap enough; else a dispatch
};

struct irreducible_options {
  irreducible_method method = irreducible_method::dispatch;

  /// The limit for cloned operations and nodes together. Splitting is exponential for some graphs, whatever is copied.
  std::size_t max_cloned = 256;

  /// The limit for edges led to new headers, for an outermost cycle with all cycles in it. An edge is led once for each
  /// cycle that it enters, so n nodes with edges to all nodes take n³ / 6.
  std::size_t max_led = 65'536;
};

/// An irreducible cycle that gets a new header.
struct cycle_dispatch {
  cycle_id cycle;
  std::uint32_t first_edge; ///< into `irreducible_plan::edges`: the edges that will lead to the new header
  std::uint32_t num_edges;
};

/// An irreducible cycle with nodes to copy.
struct cycle_split {
  cycle_id cycle;
  node_id header;           ///< the entry that stays
  std::uint32_t first_node; ///< into `irreducible_plan::nodes`: nodes that the other entries reach without the header
  std::uint32_t num_nodes;
  std::uint32_t first_edge; ///< into `irreducible_plan::edges`: edges that will enter the copies
  std::uint32_t num_edges;
  std::size_t cloned; ///< operations and nodes
};

/// Why a cycle stays irreducible.
enum class irreducible_refusal_reason : std::uint8_t {
  edge_stays,        ///< an edge cannot be redirected
  may_not_duplicate, ///< an operation of a node to be copied
  takes_no_phi,      ///< a value that would need a phi, and no phi can take it (`may_insert_phi`)
  too_large          ///< more would be cloned or led than the options allow
};

/// A cycle that stays irreducible.
struct irreducible_refusal {
  cycle_id cycle;
  node_id header; ///< the header of the cycle
  irreducible_refusal_reason why;
  edge_id edge;       ///< for `edge_stays`: the edge; else `no_edge`
  value_id operation; ///< for the reasons about values: the value; else `no_value`
};

/// What `fix_irreducible` will do. To veto the change of a cycle, remove it. No change depends on another.
struct irreducible_plan {
  std::uint64_t epoch = 0;
  flat_array<cycle_dispatch> dispatches; ///< inner cycles before those around them
  flat_array<cycle_split> splits;        ///< none inside another
  flat_array<edge_id> edges;
  flat_array<node_id> nodes;
  flat_array<irreducible_refusal> refused;
  std::size_t cloned = 0; ///< by all splits

  bool empty() const { return dispatches.empty() && splits.empty(); }
};

namespace detail {

template <class IR> class irreducible_planner {
public:
  irreducible_planner(const IR& ir, const dominator_tree& tree, const cycle_forest& cycles, irreducible_plan& out)
      : ir_(ir), tree_(tree), cycles_(cycles), stuck_(ir), out_(out) {}

  void plan_dispatches(std::size_t max_led) {
    list_edges(true, max_led);
    for (cycle_id c = 0; c != cycles_.num_cycles(); ++c) {
      if (root_[c] == c && led_by_root_[c] > max_led) {
        out_.refused.push_back({c, cycles_.header(c), irreducible_refusal_reason::too_large, no_edge, no_value});
      }
    }
    for (auto c = static_cast<cycle_id>(cycles_.num_cycles()); c-- != 0;) {
      const span<const edge_id> edges = edges_of(c);
      edge_id stays = no_edge;
      for (std::size_t i = edges.size(); i-- != 0;) {
        stays = may_split(ir_, edges[i]) ? stays : edges[i];
      }
      if (stays != no_edge) {
        out_.refused.push_back({c, cycles_.header(c), irreducible_refusal_reason::edge_stays, stays, no_value});
      } else if (const value_id lost = stuck_.lost_by_dispatch(tree_, edges); lost != no_value) {
        out_.refused.push_back({c, cycles_.header(c), irreducible_refusal_reason::takes_no_phi, no_edge, lost});
      } else if (!edges.empty()) {
        const auto first = static_cast<std::uint32_t>(out_.edges.size());
        for (const edge_id e : edges) {
          out_.edges.push_back(e);
        }
        out_.dispatches.push_back({c, first, static_cast<std::uint32_t>(edges.size())});
      }
    }
  }

  /// Plans only cycles without a split cycle inside. Cycles around them follow when the copies exist.
  void plan_splits(std::size_t max_cloned, std::size_t max_split) {
    list_edges(false, max_split);
    reached_.assign(node_count(ir_.graph()), 0);
    flat_array<unsigned char> waits(cycles_.num_cycles(), 0);
    for (auto c = static_cast<cycle_id>(cycles_.num_cycles()); c-- != 0;) {
      if (root_[c] == c && led_by_root_[c] > max_split) {
        out_.refused.push_back({c, cycles_.header(c), irreducible_refusal_reason::too_large, no_edge, no_value});
      } else if (waits[c] == 0 && !cycles_.is_reducible(c) && led_by_root_[root_[c]] <= max_split) {
        waits[c] = plan_split(c, max_cloned) ? 1 : 0;
      }
      if (waits[c] != 0 && cycles_.parent(c) != no_cycle) {
        waits[cycles_.parent(c)] = 1;
      }
    }
  }

private:
  struct led_edge {
    cycle_id cycle;
    edge_id edge;
  };

  node_id target(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_target(e)); }

  span<const edge_id> edges_of(cycle_id c) const {
    return {edges_.data() + ends_[c], edges_.data() + ends_[c + std::size_t{1}]};
  }

  /// Lists for each irreducible cycle the edges that enter it. With `to_headers`, also edges inside to its header,
  /// except backedges of a natural loop. Lists none for cycles in an outermost cycle with more than `most` altogether.
  void list_edges(bool to_headers, std::size_t most) {
    flat_array<led_edge> led;
    const auto& g = ir_.graph();
    root_.resize_for_overwrite(cycles_.num_cycles());
    for (cycle_id c = 0; c != cycles_.num_cycles(); ++c) { // parents have smaller numbers
      root_[c] = cycles_.parent(c) == no_cycle ? c : root_[cycles_.parent(c)];
    }
    led_by_root_.assign(cycles_.num_cycles(), 0);
    const auto is_open = [&](cycle_id c) { return led_by_root_[root_[c]] <= most; };
    const auto lead = [&](cycle_id c, edge_id e) {
      ++led_by_root_[root_[c]];
      led.push_back({c, e});
    };
    for (node_id n = 0; n != node_count(g); ++n) {
      if (!tree_.is_reachable(n)) {
        continue;
      }
      for_each_id(g.out_edges(n), [&](edge_id e) {
        const node_id to = target(e);
        cycle_id c = cycles_.innermost_cycle(to);
        if (c != no_cycle && cycles_.contains(c, n)) {
          if (to_headers && cycles_.header(c) == to && !cycles_.is_reducible(c) && !tree_.dominates(to, n) &&
              is_open(c)) {
            lead(c, e);
          }
          return;
        }
        for (; c != no_cycle && is_open(c) && !cycles_.contains(c, n); c = cycles_.parent(c)) {
          if (!cycles_.is_reducible(c)) {
            lead(c, e);
          }
        }
      });
    }
    std::size_t kept = 0;
    for (const led_edge& l : led) {
      if (is_open(l.cycle)) {
        led[kept++] = l;
      }
    }
    led.shrink(kept);
    ends_.assign(cycles_.num_cycles() + 1, 0);
    for (const led_edge& l : led) {
      ++ends_[l.cycle];
    }
    counts_to_ends(ends_);
    edges_.resize_for_overwrite(led.size());
    for (std::size_t i = led.size(); i-- != 0;) {
      edges_[--ends_[led[i].cycle]] = led[i].edge;
    }
  }

  /// Among the first entries without an obstacle, chooses the one with the fewest copies. Returns whether there is one.
  bool plan_split(cycle_id c, std::size_t max_cloned) {
    constexpr std::size_t max_tried = 8;
    constexpr auto unlimited = static_cast<std::size_t>(-1);
    cycles_.entries(c, entries_);
    const std::size_t tried = min(entries_.size(), max_tried);
    node_id header = no_node;
    std::size_t best_size = unlimited;
    for (std::size_t i = 0; i != tried; ++i) {
      const std::size_t size = reach_without(c, entries_[i], best_size);
      if (size < best_size && !obstacle(c, entries_[i])) {
        header = entries_[i];
        best_size = size;
      }
    }
    if (header == no_node) {
      reach_without(c, entries_[0], unlimited);
      out_.refused.push_back(*obstacle(c, entries_[0]));
      return false;
    }
    if (best_size > max_cloned - min(max_cloned, out_.cloned)) {
      out_.refused.push_back({c, cycles_.header(c), irreducible_refusal_reason::too_large, no_edge, no_value});
      return false;
    }
    reach_without(c, header, best_size);
    cycle_split s{c,
                  header,
                  static_cast<std::uint32_t>(out_.nodes.size()),
                  static_cast<std::uint32_t>(region_.size()),
                  static_cast<std::uint32_t>(out_.edges.size()),
                  0,
                  best_size};
    for (const node_id n : region_) {
      out_.nodes.push_back(n);
    }
    for (const edge_id e : edges_of(c)) {
      if (target(e) != header) {
        out_.edges.push_back(e);
        ++s.num_edges;
      }
    }
    out_.splits.push_back(s);
    out_.cloned += best_size;
    return true;
  }

  /// Why the nodes of `region_` cannot be copied so that `header` is the only entry.
  std::optional<irreducible_refusal> obstacle(cycle_id c, node_id header) const {
    for (const edge_id e : edges_of(c)) {
      if (target(e) != header && !may_redirect(ir_, e)) {
        return irreducible_refusal{c, cycles_.header(c), irreducible_refusal_reason::edge_stays, e, no_value};
      }
    }
    for (const node_id n : region_) {
      edge_id stays = no_edge;
      value_id unique = no_value;
      for_each_id(ir_.graph().out_edges(n), [&](edge_id e) { stays = may_redirect(ir_, e) ? stays : e; });
      for_each_id(ir_.values(n), [&](value_id v) {
        if (!ir_.is_phi(v)) {
          unique = may_copy(ir_, v) ? unique : v;
        }
      });
      if (stays != no_edge) {
        return irreducible_refusal{c, cycles_.header(c), irreducible_refusal_reason::edge_stays, stays, no_value};
      }
      if (unique != no_value) {
        return irreducible_refusal{c, cycles_.header(c), irreducible_refusal_reason::may_not_duplicate, no_edge,
                                   unique};
      }
      if (const value_id joined = stuck_.read_elsewhere(n); joined != no_value) {
        return irreducible_refusal{c, cycles_.header(c), irreducible_refusal_reason::takes_no_phi, no_edge, joined};
      }
    }
    return std::nullopt;
  }

  /// Lists in `region_` the nodes of a cycle that its other entries reach without `header`, and returns the number of
  /// their operations and nodes. Stops beyond a limit.
  std::size_t reach_without(cycle_id c, node_id header, std::size_t limit) {
    region_.clear();
    std::size_t size = 0;
    ++search_;
    reached_[header] = search_;
    const auto reach = [&](node_id n) {
      if (reached_[n] != search_ && cycles_.contains(c, n)) {
        reached_[n] = search_;
        region_.push_back(n);
      }
    };
    for (const node_id n : entries_) {
      reach(n);
    }
    for (std::size_t i = 0; i != region_.size() && size <= limit; ++i) {
      ++size;
      for_each_id(ir_.values(region_[i]), [&](value_id v) { size += ir_.is_phi(v) ? 0u : 1u; });
      for_each_id(ir_.graph().out_edges(region_[i]), [&](edge_id e) { reach(target(e)); });
    }
    return size;
  }

  const IR& ir_;
  const dominator_tree& tree_;
  const cycle_forest& cycles_;
  values_without_phis<IR> stuck_;
  irreducible_plan& out_;
  flat_array<cycle_id> root_;           ///< by cycle: the outermost one around it
  flat_array<std::size_t> led_by_root_; ///< by outermost cycle: listed edges of all cycles in it
  flat_array<std::uint32_t> ends_;      ///< by cycle, into `edges_`
  flat_array<edge_id> edges_;
  flat_array<node_id> entries_;
  flat_array<node_id> region_;
  flat_array<std::uint32_t> reached_; ///< by node: the last search
  std::uint32_t search_ = 0;
};

} // namespace detail

/// What to do with the irreducible cycles of a function:
///
///     before                       e1 → a,   e2 → b,   a → b,   b → a
///     dispatch                     e1 → new, e2 → new, new → a, new → b, a → b, b → new
///     split_nodes, where a stays   e1 → a,   e2 → b',  b' → a,  a → b,   b → a
///
/// *Dispatch*: each cycle gets a new header. It takes over the edges that enter the cycle, and the edges inside that
/// lead to the old header, except backedges of a natural loop. So each natural loop stays one, also a single node that
/// is an entry of the cycle. All cycles are planned at once.
///
/// *Node splitting*: one entry stays. The nodes of the cycle that the other entries reach without it are copied. Of the
/// first eight entries, the one with the fewest copies stays. Only innermost irreducible cycles are planned;
/// `fix_irreducible` plans again for cycles around them and in the copies.
///
/// Requires results of this graph as it is. Edges from unreachable nodes stay. A cycle is refused for an edge that may
/// not be split or redirected, for an operation that may not be duplicated, for a value that would need a phi and can
/// take none (`may_insert_phi`), and if too much would be cloned. Cycles inside it and around it are not refused with
/// it. With `split_or_dispatch` the plan is to split.
///
/// O(n + m), plus for each edge the number of irreducible cycles that it enters, up to `max_led` for an outermost
/// cycle, and for splits the size of the cycles.
template <ssa_ir_argument IR>
irreducible_plan plan_fix_irreducible(const IR& ir, const dominator_tree& tree, const cycle_forest& cycles,
                                      const irreducible_options& options = {}) {
  MIDEND_ASSERT(tree.epoch() == graph_epoch(ir.graph()) && cycles.epoch() == tree.epoch(), "results of this graph",
                tree.epoch(), cycles.epoch());
  irreducible_plan plan;
  plan.epoch = graph_epoch(ir.graph());
  if (cycles.is_reducible()) {
    return plan;
  }
  detail::irreducible_planner<IR> planner(ir, tree, cycles, plan);
  if (options.method == irreducible_method::dispatch) {
    planner.plan_dispatches(options.max_led);
  } else {
    planner.plan_splits(options.max_cloned, options.max_led);
  }
  return plan;
}

namespace detail {

/// Copies the nodes of the splits, and leads the edges into the copies.
template <unfolding_editor E> void split_cycles(unfolding<E>& u, const irreducible_plan& plan) {
  constexpr std::uint32_t none = 0xffff'ffff;

  struct pair_of_edges {
    edge_id original;
    edge_id copy;
  };

  const auto& g = u.program().graph();
  flat_array<node_id> copy_of(node_count(g), no_node);
  flat_array<std::uint32_t> split_of(node_count(g), none);
  flat_array<unsigned char> enters_copy(static_cast<std::size_t>(g.num_edges()), 0);
  flat_array<node_id> copies;
  for (std::uint32_t k = 0; k != plan.splits.size(); ++k) {
    const cycle_split& s = plan.splits[k];
    const span<const node_id> nodes(plan.nodes.data() + s.first_node, s.num_nodes);
    u.duplicate_region(nodes, copies);
    for (std::size_t i = 0; i != nodes.size(); ++i) {
      copy_of[nodes[i]] = copies[i];
      split_of[nodes[i]] = k;
    }
    for (std::uint32_t i = 0; i != s.num_edges; ++i) {
      enters_copy[plan.edges[s.first_edge + i]] = 1;
    }
    if constexpr (profile_editor<E>) { // the profile does not tell how often each copy runs
      for (std::size_t i = 0; i != nodes.size(); ++i) {
        u.editor().set_count(nodes[i], std::nullopt);
        u.editor().set_count(copies[i], std::nullopt);
      }
    }
  }
  flat_array<edge_id> led;
  flat_array<pair_of_edges> pairs;
  for (const cycle_split& s : plan.splits) {
    for (std::uint32_t i = 0; i != s.num_edges; ++i) {
      led.push_back(plan.edges[s.first_edge + i]);
    }
    for (std::uint32_t i = 0; i != s.num_nodes; ++i) {
      const node_id n = plan.nodes[s.first_node + i];
      pairs.clear();
      for_each_id(g.out_edges(n), [&](edge_id e) { pairs.push_back({e, no_edge}); });
      std::size_t at = 0;
      for_each_id(g.out_edges(copy_of[n]), [&](edge_id e) { pairs[at++].copy = e; });
      for (const pair_of_edges& p : pairs) {
        const auto target = static_cast<node_id>(g.edge_target(p.copy));
        if (split_of[target] == split_of[n] || enters_copy[p.original] != 0) {
          led.push_back(p.copy);
        }
      }
    }
  }
  for (const edge_id e : led) {
    u.lead(e, copy_of[static_cast<node_id>(g.edge_target(e))]);
  }
}

} // namespace detail

/// Applies a plan for the graph as it is. O(edges of the plan · phis in their targets, and what is copied), plus one
/// walk over the program and what `repair_ssa` costs. Counts of a profile are unknown where nodes were split.
template <unfolding_editor_argument E> void apply_fix_irreducible(unfolding<E>& u, const irreducible_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  MIDEND_ASSERT(plan.splits.empty() || plan.dispatches.empty(), "a plan of one method", plan.splits.size());
  if (plan.empty()) {
    return;
  }
  for (const cycle_dispatch& d : plan.dispatches) {
    u.route_edges(span<const edge_id>(plan.edges.data() + d.first_edge, d.num_edges));
  }
  detail::split_cycles(u, plan);
  u.finish();
}

/// Returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_fix_irreducible(E& editor, const irreducible_plan& plan) {
  unfolding<E> u(editor);
  apply_fix_irreducible(u, plan);
  return u.take_witness();
}

/// What `fix_irreducible` did.
struct irreducible_result {
  unfolding_witness witness;
  irreducible_plan plan; ///< the plan of the last round; its `refused` lists the cycles that stay irreducible
  std::size_t dispatches = 0;
  std::size_t splits = 0;
  std::size_t cloned = 0;    ///< operations and nodes
  dominator_tree dominators; ///< of the new graph
  loop_forest loops;
};

/// Makes every cycle of a function a natural loop, except for refused cycles. Node splitting takes at least one round
/// for each level of nested irreducible cycles; `max_cloned` is for all rounds together.
template <unfolding_editor_argument E>
irreducible_result fix_irreducible(E& editor, const irreducible_options& options = {}) {
  unfolding<E> u(editor);
  irreducible_result out;
  irreducible_options left = options;
  dominators_and_loops_workspace workspace;
  dominators_and_loops_result found;
  dominators_and_loops(editor.graph(), workspace, found);
  do {
    const cycle_forest all = cycles(editor.graph());
    out.plan = plan_fix_irreducible(editor, found.dominators, all, left);
    if (out.plan.splits.empty() && left.method == irreducible_method::split_or_dispatch) {
      left.method = irreducible_method::dispatch;
      out.plan = plan_fix_irreducible(editor, found.dominators, all, left);
    }
    apply_fix_irreducible(u, out.plan);
    if (!out.plan.empty()) {
      dominators_and_loops(editor.graph(), workspace, found);
    }
    out.dispatches += out.plan.dispatches.size();
    out.splits += out.plan.splits.size();
    out.cloned += out.plan.cloned;
    left.max_cloned -= out.plan.cloned;
  } while (!out.plan.splits.empty());
  out.witness = u.take_witness();
  out.dominators = std::move(found.dominators);
  out.loops = std::move(found.loops);
  return out;
}

MIDEND_END_NAMESPACE
