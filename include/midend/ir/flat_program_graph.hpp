/// `flat_program_graph`: the control-flow graph of a `flat_program`, with stable numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/list_pool.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

class flat_program;
class editable_flat_program;

namespace detail {

template <class IR> class program_freezer;
template <class IR, class Origins> class program_copier;

} // namespace detail

/// The graph of a flat program. Nodes and edges keep the numbers and the order that they have in the copied graph. An
/// edge that is in no list, because it was erased, has the ends `no_node`. Models `bidirectional_flow_graph` and
/// `edge_indexed_flow_graph`. Only the program and its editor change it.
class flat_program_graph {
  /// One end of an edge.
  struct end_of_edge {
    const node_id* ends = nullptr;

    node_id operator()(edge_id e) const { return ends[e]; }
  };

public:
  std::size_t num_nodes() const { return nodes_.size(); }

  std::size_t num_edges() const { return targets_.size(); }

  node_id entry() const { return entry_; }

  /// At first the epoch of the copied graph, so results for that graph apply to this one. Each change of nodes and
  /// edges counts.
  std::uint64_t epoch() const { return epoch_; }

  span<const edge_id> out_edges(node_id n) const { return lists_.elements(checked(n).out); }

  span<const edge_id> in_edges(node_id n) const { return lists_.elements(checked(n).in); }

  auto successors(node_id n) const { return mapped(out_edges(n), end_of_edge{targets_.data()}); }

  auto predecessors(node_id n) const { return mapped(in_edges(n), end_of_edge{sources_.data()}); }

  node_id edge_source(edge_id e) const {
    MIDEND_ASSERT(e < num_edges(), "an edge of the graph", e, num_edges());
    return sources_[e];
  }

  node_id edge_target(edge_id e) const {
    MIDEND_ASSERT(e < num_edges(), "an edge of the graph", e, num_edges());
    return targets_[e];
  }

private:
  friend class flat_program;
  friend class editable_flat_program;
  template <class IR> friend class detail::program_freezer;

  struct lists_of_node {
    detail::pooled_list out; ///< edges in their order
    detail::pooled_list in;
  };

  const lists_of_node& checked(node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "a node of the graph", n, num_nodes());
    return nodes_[n];
  }

  /// The position of `e` among the edges into its target.
  std::uint32_t position(edge_id e) const { return positions_[e]; }

  void clear() {
    nodes_.clear();
    lists_.reset(0);
    sources_.clear();
    targets_.clear();
    positions_.clear();
    entry_ = 0;
    ++epoch_;
  }

  node_id add_node() {
    nodes_.push_back({});
    ++epoch_;
    return static_cast<node_id>(nodes_.size() - 1);
  }

  /// Adds an edge as the last one of its source. It has no target yet.
  edge_id begin_edge(node_id source) {
    const auto e = static_cast<edge_id>(num_edges());
    sources_.push_back(source);
    targets_.push_back(no_node);
    positions_.push_back(0);
    lists_.push_back(nodes_[source].out, e);
    return e;
  }

  void enter(edge_id e, node_id target) {
    targets_[e] = target;
    positions_[e] = nodes_[target].in.count;
    lists_.push_back(nodes_[target].in, e);
    ++epoch_;
  }

  /// Removes an edge from the list of its target: the last edge there takes its place.
  void leave(edge_id e) {
    detail::pooled_list& in = nodes_[targets_[e]].in;
    const span<edge_id> all = lists_.elements(in);
    const std::uint32_t position = positions_[e];
    all[position] = all.back();
    positions_[all[position]] = position;
    lists_.erase(in, all.size() - 1);
    targets_[e] = no_node;
    ++epoch_;
  }

  /// Removes an edge that has left its target from its source.
  void end_edge(edge_id e) {
    detail::pooled_list& out = nodes_[sources_[e]].out;
    const span<const edge_id> all = lists_.elements(out);
    std::size_t position = all.size() - 1; // usually the last edges go first
    while (all[position] != e) {
      --position;
    }
    lists_.erase(out, position);
    sources_[e] = no_node;
  }

  /// Moves the edges of `from` to `to`, which must have none.
  void move_out_edges(node_id from, node_id to) {
    for (const edge_id e : out_edges(from)) {
      sources_[e] = to;
    }
    const detail::pooled_list none = nodes_[to].out;
    nodes_[to].out = nodes_[from].out;
    nodes_[from].out = none;
    ++epoch_;
  }

  flat_array<lists_of_node> nodes_;
  detail::list_pool lists_;
  flat_array<node_id> sources_; ///< by edge, as are the next two
  flat_array<node_id> targets_;
  flat_array<std::uint32_t> positions_; ///< position among the edges into the target
  node_id entry_ = 0;
  std::uint64_t epoch_ = 0;
};

MIDEND_END_NAMESPACE
