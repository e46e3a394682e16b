/// `run_frequencies`: executions of the nodes and loops of a program for each entry.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The source of a loop's trip count.
enum class frequency_source : std::uint8_t {
  exact,   ///< the caller knows it
  profile, ///< counts, a hint, or probabilities
  assumed  ///< nothing is known
};

/// The executions of a loop.
struct loop_frequency {
  frequency_source source = frequency_source::assumed;
  double entries = 0;    ///< each time that the program is entered
  double executions = 1; ///< of the header, each time that the loop is entered
};

/// Known or expected trips of loops, in header executions for each entry of the loop.
struct trip_knowledge {
  span<const std::uint64_t> exact;    ///< by loop; 0: unknown. May be shorter than there are loops
  span<const std::uint64_t> expected; ///< likewise, where a profile says nothing
  std::uint64_t assumed = 100;        ///< of all other loops
};

class run_frequencies_workspace;
class run_frequencies;

template <cost_ir_argument IR>
constexpr void compute_frequencies(const IR& ir, const depth_first_numbering& order, const loop_forest& loops,
                                   const trip_knowledge& trips, run_frequencies_workspace& workspace,
                                   run_frequencies& out);

namespace detail {

template <class IR> class frequency_search;

} // namespace detail

/// The result of `compute_frequencies`.
class run_frequencies {
  template <class IR> friend class detail::frequency_search;

public:
  /// Executions of a node each time that the program is entered; 0 if it is unreachable.
  constexpr double of_node(node_id n) const { return of_node_[n]; }

  constexpr const loop_frequency& of_loop(loop_id l) const { return of_loop_[l]; }

private:
  flat_array<double> of_node_;
  flat_array<loop_frequency> of_loop_;
};

/// The memory of `compute_frequencies`, to be reused from program to program.
class run_frequencies_workspace {
  template <class IR> friend class detail::frequency_search;

  flat_array<std::uint32_t> first_item_; ///< by loop and, last, for nodes in no loop: where its items begin
  flat_array<node_id> items_;            ///< the nodes of each loop and the headers of the loops directly in it
  flat_array<double> arriving_;          ///< by node, of the current loop
  flat_array<std::uint8_t> is_done_;     ///< by node: it was visited as an item of the current loop
  flat_array<double> leaving_; ///< by edge that leaves a loop: times that it is taken for one entry of the loop
  flat_array<double> weight_;  ///< by loop: of the edges that leave it
};

namespace detail {

/// The algorithm of `compute_frequencies`.
template <class IR> class frequency_search {
public:
  constexpr frequency_search(const IR& ir, const depth_first_numbering& order, const loop_forest& loops,
                             const trip_knowledge& trips, run_frequencies_workspace& w, run_frequencies& out)
      : ir_(ir), order_(order), loops_(loops), trips_(trips),
        assumed_trip_(trips.assumed == 0 ? 1 : static_cast<double>(trips.assumed)), w_(w), out_(out) {}

  constexpr void run() {
    const auto nodes = static_cast<std::size_t>(ir_.graph().num_nodes());
    out_.of_node_.assign(nodes, 0);
    out_.of_loop_.assign(loops_.num_loops(), {});
    w_.arriving_.assign(nodes, 0);
    w_.is_done_.assign(nodes, 0);
    w_.leaving_.assign(static_cast<std::size_t>(ir_.graph().num_edges()), 0);
    list_items();
    sum_exit_weights();
    for (std::size_t l = loops_.num_loops(); l-- != 0;) {
      visit_loop(static_cast<loop_id>(l));
    }
    if (!order_.postorder().empty()) {
      visit_items(no_loop);
    }
    scale();
  }

private:
  static constexpr double most = 1e15;

  // Items, in reverse postorder. In a reducible program that is a topological order of them.

  constexpr std::size_t list_of(loop_id l) const { return l == no_loop ? loops_.num_loops() : l; }

  template <class Visit> constexpr void for_each_item_backwards(Visit visit) const {
    for (const node_id n : order_.postorder()) {
      const loop_id l = loops_.innermost_loop(n);
      visit(list_of(l), n);
      if (l != no_loop && loops_.header(l) == n) {
        visit(list_of(loops_.parent(l)), n);
      }
    }
  }

  /// A counting sort: `first_item_` of a list is at first where it ends, then where it begins.
  constexpr void list_items() {
    w_.first_item_.assign(loops_.num_loops() + 2, 0);
    std::uint32_t total = 0;
    for_each_item_backwards([&](std::size_t list, node_id) { ++w_.first_item_[list]; });
    for (std::uint32_t& end : w_.first_item_) {
      total += end;
      end = total;
    }
    w_.items_.resize_for_overwrite(total);
    for_each_item_backwards([&](std::size_t list, node_id n) { w_.items_[--w_.first_item_[list]] = n; });
  }

  constexpr span<const node_id> items_of(loop_id l) const {
    const std::size_t list = list_of(l);
    return span<const node_id>(w_.items_).subspan(w_.first_item_[list],
                                                  w_.first_item_[list + 1] - w_.first_item_[list]);
  }

  // The weight of an exit without known probability. An exit that leaves several loops is rarer by the assumed trip for
  // each further one.

  constexpr double weight_of(node_id source, node_id target) const {
    double weight = 1;
    loop_id l = loops_.innermost_loop(source);
    for (l = loops_.parent(l); l != no_loop && !loops_.contains(l, target); l = loops_.parent(l)) {
      weight /= assumed_trip_;
    }
    return weight;
  }

  constexpr void sum_exit_weights() {
    w_.weight_.assign(loops_.num_loops(), 0);
    for (const loop_id l : loops_.loops()) {
      for (const loop_edge& e : loops_.own_exiting_edges(l)) {
        w_.weight_[l] += weight_of(e.source, e.target);
      }
    }
  }

  // Profiles.

  constexpr double count_of(node_id n) const {
    if constexpr (has_node_counts<IR>) {
      const std::optional<std::uint64_t> count = ir_.count(n);
      return count ? static_cast<double>(*count) : -1;
    } else {
      return -1;
    }
  }

  constexpr double probability_of(edge_id e) const {
    if constexpr (has_probability<IR>) {
      const auto p = static_cast<double>(ir_.probability(e));
      return p >= 0 && p <= 1 ? p : -1;
    } else {
      return -1;
    }
  }

  /// Header executions of a loop for each entry, by counts; 0 if the profile does not say.
  constexpr double executions_by_counts(loop_id l) const {
    const double count = count_of(loops_.header(l));
    double entering = 0;
    for (const loop_edge& e : loops_.entering_edges(l)) {
      if (!order_.is_reachable(e.source)) {
        continue;
      }
      const double source = count_of(e.source);
      const double p = has_one_edge(e.source) ? 1 : probability_of(e.id);
      if (source < 0 || (p < 0 && source > 0)) {
        return 0;
      }
      entering += source * max(p, 0.0);
    }
    return count > 0 && entering > 0 ? max(count / entering, 1.0) : 0;
  }

  constexpr double executions_by_hint(loop_id l) const {
    if constexpr (has_trip_hints<IR>) {
      const loop_hints hints = ir_.trip_hints(loops_.header(l));
      return hints.average > 0 ? max(hints.average, 1.0) : 0;
    } else {
      return 0;
    }
  }

  /// The expected trip, or else the assumed one, but at most the maximum of a hint.
  constexpr double assumed_executions(loop_id l) const {
    if (l < trips_.expected.size() && trips_.expected[l] != 0) {
      return static_cast<double>(trips_.expected[l]);
    }
    if constexpr (has_trip_hints<IR>) {
      const loop_hints hints = ir_.trip_hints(loops_.header(l));
      if (hints.maximum != 0 && static_cast<double>(hints.maximum) < assumed_trip_) {
        return static_cast<double>(hints.maximum);
      }
    }
    return assumed_trip_;
  }

  constexpr bool has_one_edge(node_id n) const {
    std::size_t count = 0;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id) { ++count; });
    return count == 1;
  }

  // One loop, from the inside out.

  constexpr void visit_loop(loop_id l) {
    loop_frequency& f = out_.of_loop_[l];
    const bool is_exact = l < trips_.exact.size() && trips_.exact[l] != 0;
    f.source = is_exact ? frequency_source::exact : frequency_source::profile;
    f.executions = is_exact ? static_cast<double>(trips_.exact[l]) : executions_by_counts(l);
    f.executions = f.executions == 0 ? executions_by_hint(l) : f.executions;
    const bool is_known = f.executions != 0;
    if (!is_known) {
      f.source = frequency_source::assumed;
      f.executions = assumed_executions(l);
    }
    knows_probabilities_ = true;
    visit_items(l);
    double leaving = 0;
    double edges = 0;
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      leaving += w_.leaving_[e.id];
      ++edges;
    }
    if (!is_known && knows_probabilities_ && leaving > 0) {
      f.source = frequency_source::profile;
      f.executions = max(1 / leaving, 1.0);
    }
    f.executions = min(f.executions, most);
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      w_.leaving_[e.id] = leaving > 0 ? w_.leaving_[e.id] / leaving : 1 / edges;
    }
  }

  /// Visits the items of a loop, for one run of its header; or those in no loop, for one entry of the program.
  constexpr void visit_items(loop_id l) {
    const span<const node_id> items = items_of(l);
    const node_id header = l == no_loop ? node_in(ir_.graph(), ir_.graph().entry()) : loops_.header(l);
    const double count = count_of(header);
    for (const node_id n : items) {
      w_.arriving_[n] = 0;
      w_.is_done_[n] = 0;
    }
    w_.arriving_[header] = 1;
    for (const node_id n : items) {
      w_.is_done_[n] = 1;
      const loop_id inner = loops_.innermost_loop(n);
      if (inner == l) {
        const double counted = count > 0 ? count_of(n) : -1;
        out_.of_node_[n] = counted >= 0 ? counted / count : w_.arriving_[n];
        pass_on(l, n, out_.of_node_[n]);
      } else {
        out_.of_loop_[inner].entries = w_.arriving_[n];
        for (const loop_edge& e : loops_.exiting_edges(inner)) {
          send(l, e.id, e.target, w_.arriving_[n] * w_.leaving_[e.id]);
        }
      }
    }
  }

  /// Sends executions along an edge. A backward edge is a backedge, or closes a cycle that is no loop and runs once.
  constexpr void send(loop_id l, edge_id e, node_id target, double amount) {
    if (l != no_loop && !loops_.contains(l, target)) {
      w_.leaving_[e] = amount;
    } else if (w_.is_done_[target] == 0) {
      w_.arriving_[target] += amount;
    }
  }

  /// Divides the executions of a node between its edges. One edge of unknown probability takes what the others leave.
  /// If several are unknown, those that leave the loop are taken as often as the executions of its header say, and the
  /// others equally often.
  constexpr void pass_on(loop_id l, node_id n, double arrived) {
    std::size_t edges = 0;
    std::size_t unknown = 0;
    std::size_t unknown_inside = 0;
    double known = 0;
    double weight = 0;
    for_each_edge(n, [&](edge_id e, node_id target) {
      ++edges;
      const double p = probability_of(e);
      known += p < 0 ? 0 : p;
      if (p < 0) {
        ++unknown;
        const bool leaves = l != no_loop && !loops_.contains(l, target);
        weight += leaves ? weight_of(n, target) : 0;
        unknown_inside += leaves ? 0 : 1;
      }
    });
    knows_probabilities_ = knows_probabilities_ && (unknown < 2 || edges == 1);
    const double rest = edges == 1 ? 1 : max(1 - known, 0.0);
    const double leaving = unknown < 2 || weight == 0 ? 0 : leaving_share(l, weight, unknown_inside == 0, rest);
    const auto share_of = [&](edge_id e, node_id target) {
      const double p = probability_of(e);
      if (edges == 1 || p >= 0) {
        return edges == 1 ? 1 : p / max(known, 1.0); // a profile may contradict itself: no more leave than arrive
      }
      const bool leaves = l != no_loop && !loops_.contains(l, target);
      return unknown < 2 ? rest
             : leaves    ? leaving * weight_of(n, target) / weight
                         : (rest - leaving) / static_cast<double>(unknown_inside);
    };
    double onward = 1;
    for_each_edge(n, [&](edge_id e, node_id target) { onward -= closes_cycle(l, target) ? share_of(e, target) : 0; });
    const double scale = onward > 0 ? 1 / onward : 0; // control finally leaves a cycle that is no loop
    for_each_edge(n, [&](edge_id e, node_id target) { send(l, e, target, arrived * share_of(e, target) * scale); });
  }

  /// Whether an edge leads back to a visited node other than the loop's header.
  constexpr bool closes_cycle(loop_id l, node_id target) const {
    const bool is_inside = l == no_loop || loops_.contains(l, target);
    return is_inside && w_.is_done_[target] != 0 && (l == no_loop || target != loops_.header(l));
  }

  /// The share of a branch that leaves the loop.
  constexpr double leaving_share(loop_id l, double weight, bool all_leave, double rest) const {
    const double share = weight / w_.weight_[l] / out_.of_loop_[l].executions;
    return all_leave ? rest : min(share, rest);
  }

  template <class Visit> constexpr void for_each_edge(node_id n, Visit visit) const {
    for_each_id(ir_.graph().out_edges(n),
                [&](edge_id e) { visit(e, node_in(ir_.graph(), ir_.graph().edge_target(e))); });
  }

  /// Turns executions for one run of the header around into executions for one entry of the program.
  constexpr void scale() {
    for (const loop_id l : loops_.loops()) {
      loop_frequency& f = out_.of_loop_[l];
      if (const loop_id parent = loops_.parent(l); parent != no_loop) {
        f.entries = min(f.entries * executions_of(parent), most);
      }
    }
    for (const node_id n : order_.preorder()) {
      if (const loop_id l = loops_.innermost_loop(n); l != no_loop) {
        out_.of_node_[n] *= executions_of(l);
      }
    }
  }

  constexpr double executions_of(loop_id l) const {
    return min(out_.of_loop_[l].entries * out_.of_loop_[l].executions, most);
  }

  const IR& ir_;
  const depth_first_numbering& order_;
  const loop_forest& loops_;
  const trip_knowledge& trips_;
  double assumed_trip_;
  run_frequencies_workspace& w_;
  run_frequencies& out_;
  bool knows_probabilities_ = false; ///< of all branches of the current loop
};

} // namespace detail

/// The executions of nodes and loops of a program for each entry.
///
/// A loop runs its header as often as the first of these says: `trips.exact`; the counts of its header and its entering
/// edges; the average trip of a hint; the probabilities of its branches, if all are known; `trips.expected`;
/// `trips.assumed`, or the maximum of a hint if that is less. A node runs as often as its count says, in relation to
/// that of the header of the loop around; without counts, as often as control arrives by the edges into it. A branch
/// with unknown probabilities leaves the loop once in so many executions of the header; its other edges are equally
/// probable. Probabilities of more than 1 together are divided by their sum. If an exit leaves more than one loop, it
/// is less probable by `trips.assumed` for each further one.
///
/// An endless loop runs as often as any other, and nothing comes after it. A cycle that is no natural loop runs once,
/// and then control leaves it, unless counts say more. Unreachable nodes run never. No frequency exceeds 10^15.
///
/// Loops are computed from the inside out, each for one execution of its header; in the loop around it, it is one node
/// with several edges (as in Y. Wu, J. R. Larus, "Static branch frequency and program profile analysis", MICRO 1994,
/// but with trip counts that are known beforehand).
///
/// Requires the order of `ir.graph()` and a loop forest of it with boundaries. Linear, and the depth of the loops for
/// each edge that leaves several.
template <cost_ir_argument IR>
constexpr void compute_frequencies(const IR& ir, const depth_first_numbering& order, const loop_forest& loops,
                                   const trip_knowledge& trips, run_frequencies_workspace& workspace,
                                   run_frequencies& out) {
  detail::frequency_search<IR>(ir, order, loops, trips, workspace, out).run();
}

MIDEND_END_NAMESPACE
