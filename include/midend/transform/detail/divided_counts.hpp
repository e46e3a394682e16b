/// `divided_counts`: the counts of a loop, divided between its copies.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/profile.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Counts of the nodes and edges of a loop before it is copied, and what the copies get of them.
///
/// A copy gets a share of all counts, so the flow into each of its nodes equals the flow out. Shares are fractions, and
/// rounding each alone would break this equality. So they are rounded together. A node with one fractional edge has
/// another, so fractional edges contain a cycle; flow moves along the cycle until one of its edges is a whole number.
/// In the end every flow is rounded up or down (D. Kang, J. Payor, Flow Rounding, 2015, where it takes O(m log n)).
/// Here a cycle costs its length, so in the worst case it is quadratic in what is copied; bodies of loops are far from
/// that.
class divided_counts {
public:
  /// Reads the counts of a loop. The first of the nodes must be its header. `position` gives each node of the loop its
  /// index in `nodes`, and `no_node` to all others. False if a count is unknown, or flow into a node differs from flow
  /// out of it.
  template <class IR> bool read(const IR& ir, span<const node_id> nodes, const flat_array<std::uint32_t>& position) {
    const auto& g = ir.graph();
    edges_.clear();
    first_edge_.assign(1, 0);
    node_counts_.clear();
    flat_array<std::uint64_t>& in = in_;
    in.assign(nodes.size(), 0);
    entered_ = 0;
    bool is_known = true;
    for (const node_id n : nodes) {
      const std::optional<std::uint64_t> count = ir.count(n);
      is_known = is_known && count;
      node_counts_.push_back(count.value_or(0));
      std::uint64_t out = 0;
      for_each_id(g.out_edges(n), [&](edge_id e) {
        const std::optional<std::uint64_t> taken = edge_count(ir, g, e);
        is_known = is_known && taken;
        edges_.push_back(taken.value_or(0));
        out += taken.value_or(0);
        const auto target = static_cast<node_id>(g.edge_target(e));
        const std::uint32_t at = target < position.size() ? position[target] : no_node;
        if (at != no_node) {
          in[at] += taken.value_or(0);
        }
      });
      first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
      is_known = is_known && out == count;
    }
    is_known = is_known && node_counts_[0] >= in[0];
    entered_ = is_known ? node_counts_[0] - in[0] : 0;
    for (std::size_t i = 1; i != nodes.size(); ++i) {
      is_known = is_known && in[i] == node_counts_[i];
    }
    return is_known;
  }

  /// How often the loop is entered.
  double entered() const { return static_cast<double>(entered_); }

  double header_executions() const { return static_cast<double>(node_counts_[0]); }

  /// The probability of one more iteration.
  double repeats() const { return node_counts_[0] == 0 ? 0 : 1 - entered() / header_executions(); }

  /// How often out-edge `slot` of a node of the loop is taken.
  double taken(std::size_t node, std::size_t slot) const {
    return static_cast<double>(edges_[first_edge_[node] + slot]);
  }

  /// Writes the share of each copy of the loop. `copies` has the nodes copy by copy, then nodes inserted between the
  /// copies. `inserted` says how often the edges out of inserted nodes are taken. Shares and `inserted` must form a
  /// flow.
  template <class E>
  void write(E& editor, span<const node_id> copies, span<const double> shares, span<const double> inserted = {}) {
    const auto& g = editor.graph();
    const std::size_t num_nodes = node_counts_.size();
    const std::size_t num_copies = num_nodes * shares.size();
    vertices_ = static_cast<std::uint32_t>(copies.size());
    vertex_of_.assign(static_cast<std::size_t>(g.num_nodes()), no_node);
    for (std::size_t i = 0; i != copies.size(); ++i) {
      vertex_of_[copies[i]] = static_cast<std::uint32_t>(i);
    }
    flows_.clear();
    std::size_t of_inserted = 0;
    for (std::size_t i = 0; i != copies.size(); ++i) {
      std::size_t slot = i < num_copies ? first_edge_[i % num_nodes] : 0;
      for_each_id(g.out_edges(copies[i]), [&](edge_id e) {
        const auto target = static_cast<node_id>(g.edge_target(e));
        if (vertex_of_[target] == no_node) {
          vertex_of_[target] = vertices_++;
        }
        const double taken =
            i < num_copies ? static_cast<double>(edges_[slot++]) * shares[i / num_nodes] : inserted[of_inserted++];
        const auto whole = static_cast<std::uint64_t>(taken + least);
        const double fraction = taken - static_cast<double>(whole);
        flows_.push_back({static_cast<std::uint32_t>(i), vertex_of_[target], whole, fraction < least ? 0 : fraction});
      });
    }
    round();
    std::size_t next = 0;
    flat_array<edge_id>& out = out_;
    for (std::size_t i = 0; i != copies.size(); ++i) {
      std::uint64_t count = 0;
      out.clear();
      for_each_id(g.out_edges(copies[i]), [&](edge_id e) {
        count += flows_[next + out.size()].whole;
        out.push_back(e);
      });
      editor.set_count(copies[i], count);
      for (const edge_id e : out) {
        if (count != 0 && out.size() > 1) {
          editor.set_probability(e, static_cast<double>(flows_[next].whole) / static_cast<double>(count));
        }
        ++next;
      }
    }
  }

private:
  struct flow {
    std::uint32_t from;
    std::uint32_t to;
    std::uint64_t whole;
    double fraction; ///< 0 or between 0 and 1
  };

  struct step {
    std::uint32_t vertex;
    std::uint32_t edge; ///< the edge that leads on
  };

  static constexpr double least = 1e-7;

  /// Rounds all flows. None changes by 1 or more, and each vertex stays balanced.
  void round() {
    list_incident();
    place_.assign(vertices_, no_node);
    for (std::uint32_t start = 0; start != vertices_; ++start) {
      walk(start);
    }
  }

  /// Lists edges with a fraction, by vertex.
  void list_incident() {
    first_incident_.assign(vertices_ + std::size_t{1}, 0);
    for (const flow& f : flows_) {
      if (f.fraction != 0) {
        ++first_incident_[f.from + 1];
        ++first_incident_[f.to + 1];
      }
    }
    for (std::uint32_t v = 0; v != vertices_; ++v) {
      first_incident_[v + 1] += first_incident_[v];
    }
    incident_.assign(first_incident_[vertices_], 0);
    left_.assign(vertices_, 0);
    for (std::uint32_t e = 0; e != flows_.size(); ++e) {
      if (flows_[e].fraction != 0) {
        for (const std::uint32_t v : {flows_[e].from, flows_[e].to}) {
          incident_[first_incident_[v] + left_[v]++] = e;
        }
      }
    }
  }

  /// An edge of the vertex that has a fraction and is not `last`, or `no_node`.
  std::uint32_t next_edge(std::uint32_t v, std::uint32_t last) {
    std::uint32_t found = no_node;
    for (std::uint32_t i = left_[v]; i != 0 && found == no_node; --i) {
      std::uint32_t& e = incident_[first_incident_[v] + i - 1];
      if (flows_[e].fraction == 0) { // the last one takes its place
        e = incident_[first_incident_[v] + --left_[v]];
      } else if (e != last) {
        found = e;
      }
    }
    return found;
  }

  void walk(std::uint32_t start) {
    path_.clear();
    path_.push_back({start, no_node});
    place_[start] = 0;
    while (!path_.empty()) {
      const std::uint32_t v = path_.back().vertex;
      const std::uint32_t last = path_.size() == 1 ? no_node : path_[path_.size() - 2].edge;
      const std::uint32_t e = next_edge(v, last);
      if (e == no_node) { // the flow at this vertex is whole already
        place_[v] = no_node;
        path_.pop_back();
        if (last != no_node && flows_[last].fraction != 0) {
          settle(flows_[last], flows_[last].fraction >= 0.5);
        }
        continue;
      }
      const std::uint32_t w = flows_[e].from == v ? flows_[e].to : flows_[e].from;
      path_.back().edge = e;
      if (place_[w] == no_node) {
        place_[w] = static_cast<std::uint32_t>(path_.size());
        path_.push_back({w, no_node});
      } else {
        cancel(place_[w]);
        while (path_.size() != place_[w] + std::size_t{1}) {
          place_[path_.back().vertex] = no_node;
          path_.pop_back();
        }
      }
    }
  }

  /// Moves flow along the cycle that the path closes at its vertex `first`.
  void cancel(std::size_t first) {
    double most = 1;
    for (std::size_t i = first; i != path_.size(); ++i) {
      const flow& f = flows_[path_[i].edge];
      const double room = f.from == path_[i].vertex ? 1 - f.fraction : f.fraction;
      most = room < most ? room : most;
    }
    for (std::size_t i = first; i != path_.size(); ++i) {
      flow& f = flows_[path_[i].edge];
      f.fraction += f.from == path_[i].vertex ? most : -most;
      if (f.fraction < least || f.fraction > 1 - least) {
        settle(f, f.fraction > 0.5);
      }
    }
  }

  static void settle(flow& f, bool up) {
    f.whole += up ? 1u : 0u;
    f.fraction = 0;
  }

  // Of the loop.
  std::uint64_t entered_ = 0;
  flat_array<std::uint64_t> node_counts_;
  flat_array<std::uint64_t> in_;    ///< by node, while counts are read
  flat_array<std::uint64_t> edges_; ///< out-edges of its nodes, node by node
  flat_array<std::uint32_t> first_edge_;

  // Of the copies. Vertices are their nodes, and the targets outside the loop.
  std::uint32_t vertices_ = 0;
  flat_array<std::uint32_t> vertex_of_;
  flat_array<flow> flows_;
  flat_array<std::uint32_t> first_incident_;
  flat_array<std::uint32_t> incident_;
  flat_array<std::uint32_t> left_; ///< by vertex: incident edges that may have a fraction
  flat_array<step> path_;
  flat_array<edge_id> out_;         ///< of the node whose counts are written
  flat_array<std::uint32_t> place_; ///< by vertex, on the path
};

/// Removes the counts of a loop whose counts are not all known.
template <class E> void forget_counts([[maybe_unused]] E& editor, [[maybe_unused]] span<const node_id> nodes) {
  if constexpr (profile_editor<E>) {
    for (const node_id n : nodes) {
      editor.set_count(n, std::nullopt);
    }
  }
}

/// Whether there are counts to divide; if not, removes the rest.
template <class E>
bool read_counts([[maybe_unused]] E& editor, [[maybe_unused]] span<const node_id> nodes,
                 [[maybe_unused]] const flat_array<std::uint32_t>& position, [[maybe_unused]] divided_counts& counts) {
  if constexpr (profile_editor<E>) {
    if (counts.read(editor, nodes, position)) {
      return true;
    }
  }
  forget_counts(editor, nodes);
  return false;
}

} // namespace detail

MIDEND_END_NAMESPACE
