/// `version_flows`: the counts of a loop, divided between versions in which branches are decided.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/divided_counts.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// How often the edges of each version of a loop are taken, if some of its branches always take the same edge there.
/// The flows of the versions must add up to those of the loop, and in each version the flow into a node equals the flow
/// out.
///
/// Each version gets its share of what enters the loop. At a branch that is not decided, control goes on as in the
/// loop. That is a linear system. Sweeps over the nodes in reverse postorder solve it. They start from the shares,
/// which are right wherever the arms of decided branches have met again. If arms leave the loop, or two branches on one
/// condition contradict each other, the flows do not add up: then each version gets its share of everything, and
/// branches keep their probabilities.
class version_flows {
public:
  /// Takes the edges of a loop before it is copied. Requires that `counts` has read it.
  template <class G>
  void read(const G& g, span<const node_id> nodes, const flat_array<std::uint32_t>& position,
            const divided_counts& counts) {
    num_nodes_ = static_cast<std::uint32_t>(nodes.size());
    entered_ = counts.entered();
    first_.assign(1, 0);
    edges_.clear();
    for (std::uint32_t i = 0; i != num_nodes_; ++i) {
      std::size_t slot = 0;
      for_each_id(g.out_edges(nodes[i]), [&](edge_id e) {
        const auto target = static_cast<node_id>(g.edge_target(e));
        const std::uint32_t at = target < position.size() ? position[target] : no_node;
        edges_.push_back({i, at, static_cast<std::uint32_t>(slot), counts.taken(i, slot)});
        ++slot;
      });
      first_.push_back(static_cast<std::uint32_t>(edges_.size()));
    }
    list_in_edges();
    order_nodes();
  }

  /// How often out-edge `slot` of a node of the loop is taken.
  double taken(std::uint32_t node, std::size_t slot) const { return edges_[first_[node] + slot].taken; }

  /// How often a node runs.
  double count(std::uint32_t node) const {
    double all = 0;
    for (std::uint32_t e = first_[node]; e != first_[node + 1]; ++e) {
      all += edges_[e].taken;
    }
    return all;
  }

  double entered() const { return entered_; }

  /// `decides(version, node)` is the slot of the edge that a version takes at a node, or -1 if the branch is not
  /// decided. The results are in `flows` afterwards. Returns whether the branches are decided.
  template <class Decides> bool divide(span<const double> shares, Decides decides) {
    flows_.assign(edges_.size() * shares.size(), 0);
    bool is_solved = true;
    for (std::uint32_t v = 0; v != shares.size() && is_solved; ++v) {
      is_solved = solve(v, shares[v], decides);
    }
    for (std::size_t e = 0; e != edges_.size() && is_solved; ++e) {
      double sum = 0;
      for (std::size_t v = 0; v != shares.size(); ++v) {
        sum += flows_[v * edges_.size() + e];
      }
      is_solved = is_close(sum, edges_[e].taken);
    }
    for (std::size_t v = 0; v != shares.size() && !is_solved; ++v) {
      for (std::size_t e = 0; e != edges_.size(); ++e) {
        flows_[v * edges_.size() + e] = shares[v] * edges_[e].taken;
      }
    }
    return is_solved;
  }

  /// The flows of all edges of version `v`, node by node.
  span<const double> flows(std::uint32_t v) const { return {flows_.data() + v * edges_.size(), edges_.size()}; }

private:
  struct edge {
    std::uint32_t from;
    std::uint32_t to; ///< or `no_node`: out of the loop
    std::uint32_t slot;
    double taken;
  };

  static constexpr unsigned most_sweeps = 64;

  static bool is_close(double a, double b) {
    const double apart = a < b ? b - a : a - b;
    return apart <= 1e-9 * (1 + (a < b ? b : a));
  }

  void list_in_edges() {
    first_in_.assign(num_nodes_ + std::size_t{1}, 0);
    for (const edge& e : edges_) {
      if (e.to != no_node) {
        ++first_in_[e.to + std::size_t{1}];
      }
    }
    for (std::uint32_t i = 0; i != num_nodes_; ++i) {
      first_in_[i + std::size_t{1}] += first_in_[i];
    }
    in_.assign(first_in_[num_nodes_], 0);
    flat_array<std::uint32_t> next = first_in_;
    for (std::uint32_t e = 0; e != edges_.size(); ++e) {
      if (edges_[e].to != no_node) {
        in_[next[edges_[e].to]++] = e;
      }
    }
  }

  /// Reverse postorder from the header.
  void order_nodes() {
    order_.clear();
    flat_array<std::uint32_t> next(num_nodes_, no_node);
    flat_array<std::uint32_t> path(1, 0);
    next[0] = first_[0];
    while (!path.empty()) {
      const std::uint32_t n = path.back();
      if (next[n] == first_[n + std::size_t{1}]) {
        order_.push_back(n);
        path.pop_back();
        continue;
      }
      const std::uint32_t to = edges_[next[n]++].to;
      if (to != no_node && next[to] == no_node) {
        next[to] = first_[to];
        path.push_back(to);
      }
    }
    for (std::size_t i = 0; i < order_.size() / 2; ++i) {
      const std::uint32_t n = order_[i];
      order_[i] = order_[order_.size() - 1 - i];
      order_[order_.size() - 1 - i] = n;
    }
  }

  template <class Decides> bool solve(std::uint32_t v, double share, Decides decides) {
    double* const flow = flows_.data() + v * edges_.size();
    for (std::size_t e = 0; e != edges_.size(); ++e) {
      flow[e] = share * edges_[e].taken;
    }
    bool changes = true;
    for (unsigned sweep = 0; sweep != most_sweeps && changes; ++sweep) {
      changes = false;
      for (const std::uint32_t n : order_) {
        double arrives = n == 0 ? share * entered_ : 0;
        for (std::uint32_t i = first_in_[n]; i != first_in_[n + std::size_t{1}]; ++i) {
          arrives += flow[in_[i]];
        }
        const double all = count(n);
        const int slot = decides(v, n);
        for (std::uint32_t e = first_[n]; e != first_[n + std::size_t{1}]; ++e) {
          const double part = slot >= 0  ? (edges_[e].slot == static_cast<std::uint32_t>(slot) ? 1 : 0)
                              : all == 0 ? (e == first_[n] ? 1 : 0)
                                         : edges_[e].taken / all;
          const double next = arrives * part;
          changes = changes || !is_close(next, flow[e]);
          flow[e] = next;
        }
      }
    }
    return !changes;
  }

  std::uint32_t num_nodes_ = 0;
  double entered_ = 0;
  flat_array<edge> edges_; ///< node by node
  flat_array<std::uint32_t> first_;
  flat_array<std::uint32_t> in_; ///< edges, by target
  flat_array<std::uint32_t> first_in_;
  flat_array<std::uint32_t> order_;
  flat_array<double> flows_; ///< version by version
};

} // namespace detail

MIDEND_END_NAMESPACE
