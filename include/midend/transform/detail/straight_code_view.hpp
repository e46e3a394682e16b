/// `straight_code_view`: what is left of a loop that was unrolled completely, as a loop of one iteration.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The program of which only some values are left, and the nodes between the first and the last of them: a path back to
/// the first node closes them to the only loop, so `describe_loop` reads them as one iteration. Nodes keep their
/// numbers; one more is the end of the iteration. The clean-up merges straight code with what is around it: the other
/// values of its nodes are values from outside.
///
/// An edge that leaves the nodes is an exit if the branch of its source left the loop; else, and if nothing follows its
/// source in them, it ends the iteration. If all edges that end the iteration lead to one node, its phis whose inputs
/// by them differ are the last values of the code: they choose what a join of the loop chose.
template <cost_ir IR> class straight_code_view : public IR {
public:
  /// The code is the values for which `is_part(v)` holds, in the loop `around`, or outside of all loops if that is
  /// `no_loop`. `leaves(v)`: whether the branch `v` left the loop that was unrolled. O(nodes, edges and values).
  template <class IsPart, class Leaves>
  straight_code_view(const IR& ir, const dominator_tree& dominators, const loop_forest& loops, loop_id around,
                     const IsPart& is_part, const Leaves& leaves)
      : IR(ir), loops_(loops), around_(around), end_(node_count(ir.graph())) {
    keep_values(is_part);
    find_first(dominators);
    find_nodes();
    close(leaves);
  }

  const csr_graph& graph() const { return graph_; }

  /// Phis of the first node are values from outside.
  span<const value_id> values(node_id n) const {
    const std::uint32_t first = first_value_[n] + (n == first_ ? num_first_phis_ : 0);
    return span<const value_id>(values_).subspan(first, first_value_[n + 1] - first);
  }

  auto phi_input(value_id v, edge_id e) const { return IR::phi_input(v, edge_origin_[e]); }

  auto edge_case(edge_id e) const
    requires has_edge_case<IR>
  {
    return IR::edge_case(edge_origin_[e]);
  }

  decltype(auto) edge_cases(edge_id e) const
    requires has_edge_cases<IR>
  {
    return IR::edge_cases(edge_origin_[e]);
  }

  loop_hints trip_hints(node_id) const
    requires has_trip_hints<IR>
  {
    return {};
  }

  double probability(edge_id) const
    requires has_probability<IR>
  {
    return -1;
  }

  bool must_end(edge_id) const
    requires has_must_end<IR>
  {
    return false;
  }

private:
  template <class IsPart> void keep_values(const IsPart& is_part) {
    for (node_id n = 0; n != end_; ++n) {
      first_value_.push_back(static_cast<std::uint32_t>(values_.size()));
      for (const value_id v : IR::values(n)) {
        if (loops_.innermost_loop(n) == around_ && is_part(v)) {
          values_.push_back(v);
        }
      }
    }
    first_value_.push_back(static_cast<std::uint32_t>(values_.size()));
    first_value_.push_back(static_cast<std::uint32_t>(values_.size()));
  }

  void find_first(const dominator_tree& dominators) {
    node_id first = end_;
    for (node_id n = 0; n != end_; ++n) {
      if (!values(n).empty() && dominators.is_reachable(n)) {
        first = first == end_ ? n : dominators.nearest_common_dominator(first, n);
      }
    }
    for (const value_id v : values(first)) {
      num_first_phis_ += IR::is_phi(v) ? 1U : 0U;
    }
    first_ = first;
  }

  /// Whether an edge to this node leads on in one iteration of the loop around.
  bool leads_on(node_id target) const {
    return target != first_ &&
           (around_ == no_loop || (loops_.contains(around_, target) && target != loops_.header(around_)));
  }

  /// The nodes between the first and those with values: one of these is reached from each of them.
  void find_nodes() {
    const auto& g = IR::graph();
    flat_array<edge> edges;
    for (node_id n = 0; n != end_; ++n) {
      for (const auto& successor : g.successors(n)) {
        if (leads_on(node_in(g, successor))) {
          edges.push_back({n, node_in(g, successor)});
        }
      }
    }
    const auto forward = csr_graph::from_edges(end_ + std::size_t{1}, first_, span<const edge>(edges));
    const depth_first_numbering order = depth_first_order(*forward);
    is_inside_.assign(end_ + std::size_t{1}, 0);
    for (const node_id n : order.postorder()) {
      bool is_inside = n == first_ || !values(n).empty();
      for (const node_id successor : forward->successors(n)) {
        is_inside = is_inside || is_inside_[successor] != 0;
      }
      is_inside_[n] = is_inside ? 1 : 0;
    }
  }

  /// Whether edges of a node are exits: its last value is a branch that left the loop.
  template <class Leaves> bool has_exits(node_id n, const Leaves& leaves) const {
    value_id last = no_value;
    for (const value_id v : values(n)) {
      last = v;
    }
    return last != no_value && leaves(last);
  }

  template <class Leaves> void close(const Leaves& leaves) {
    flat_array<edge> edges;
    for (node_id n = 0; n != end_; ++n) {
      if (is_inside_[n] != 0) {
        add_edges_of(n, has_exits(n, leaves), edges);
      }
    }
    add_last_phis(edges);
    edges.push_back({end_, first_});
    edge_origin_.push_back(no_edge);
    graph_ = *csr_graph::from_edges(end_ + std::size_t{1}, first_, span<const edge>(edges));
  }

  void add_edges_of(node_id n, bool has_exits, flat_array<edge>& edges) {
    const auto& g = IR::graph();
    const std::size_t before = edges.size();
    bool is_last = true;
    for (const auto& id : g.out_edges(n)) {
      const auto e = static_cast<edge_id>(id);
      const node_id target = node_in(g, g.edge_target(e));
      const bool stays = leads_on(target) && is_inside_[target] != 0;
      is_last = is_last && !stays;
      edges.push_back({n, stays || (has_exits && target != first_) ? target : end_});
      edge_origin_.push_back(e);
    }
    if (!is_last) {
      return;
    }
    if (edges.size() == before) { // control ends here
      edges.push_back({n, end_});
      edge_origin_.push_back(no_edge);
    } else if (!has_exits && !branches_to_one(n)) { // what decides comes after this code
      edges.shrink(before + 1);
      edge_origin_.shrink(before + 1);
    }
    edges.back().target = end_;
  }

  /// Whether a branch that is part of the code ends the node, and all its edges lead to one node.
  bool branches_to_one(node_id n) const {
    value_id last = no_value;
    for (const value_id v : IR::values(n)) {
      last = v;
    }
    node_id only = no_node;
    for (const auto& successor : IR::graph().successors(n)) {
      const node_id target = node_in(IR::graph(), successor);
      if (only != no_node && only != target) {
        return false;
      }
      only = target;
    }
    return last != no_value && !values(n).empty() && values(n).back() == last;
  }

  /// Puts the phis that choose by the edges to the end there.
  void add_last_phis(const flat_array<edge>& edges) {
    flat_array<edge_id> last;
    node_id target = no_node;
    for (std::size_t i = 0; i != edges.size(); ++i) {
      if (edges[i].target == end_ && edge_origin_[i] != no_edge) {
        const node_id leads_to = node_in(IR::graph(), IR::graph().edge_target(edge_origin_[i]));
        if (target != no_node && target != leads_to) {
          return;
        }
        target = leads_to;
        last.push_back(edge_origin_[i]);
      } else if (edges[i].target == end_) {
        return;
      }
    }
    if (last.size() < 2) {
      return;
    }
    for (const value_id v : IR::values(target)) {
      bool differs = false;
      for (const edge_id e : last) {
        differs = differs || (IR::is_phi(v) && IR::phi_input(v, e) != IR::phi_input(v, last[0]));
      }
      if (differs) {
        values_.push_back(v);
      }
    }
    first_value_[end_ + std::size_t{1}] = static_cast<std::uint32_t>(values_.size());
  }

  const loop_forest& loops_;
  loop_id around_;
  node_id end_;
  node_id first_ = no_node; ///< `end_` if no value is left
  std::uint32_t num_first_phis_ = 0;
  flat_array<value_id> values_;           ///< by node
  flat_array<std::uint32_t> first_value_; ///< by node, and one more
  flat_array<std::uint8_t> is_inside_;    ///< by node
  flat_array<edge_id> edge_origin_;       ///< by edge of `graph_`
  csr_graph graph_;
};

} // namespace detail

MIDEND_END_NAMESPACE
