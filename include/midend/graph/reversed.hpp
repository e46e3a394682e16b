/// `reversed`: the view of a graph with all edges reversed.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A graph that knows where control ends: one exit node, as `with_virtual_exit` adds it.
template <class G>
concept has_exit = requires(const G& g) {
  { g.exit() } -> std::convertible_to<node_id>;
};

/// `g` with successors and predecessors exchanged; edge ids stay. Refers to `g`, which must outlive it.
template <bidirectional_flow_graph_argument G> class reversed_graph {
public:
  constexpr reversed_graph(const G& g, node_id entry) : graph_(&g), entry_(entry) {}

  constexpr std::size_t num_nodes() const { return static_cast<std::size_t>(graph_->num_nodes()); }

  constexpr node_id entry() const { return entry_; }

  /// Where the reversed flow ends: the entry of `g`.
  constexpr node_id exit() const { return static_cast<node_id>(graph_->entry()); }

  constexpr std::uint64_t epoch() const { return graph_epoch(*graph_); }

  constexpr decltype(auto) successors(node_id n) const { return graph_->predecessors(n); }

  constexpr decltype(auto) predecessors(node_id n) const { return graph_->successors(n); }

  constexpr std::size_t num_edges() const
    requires has_edges<G>
  {
    return static_cast<std::size_t>(graph_->num_edges());
  }

  constexpr decltype(auto) out_edges(node_id n) const
    requires requires(const G& g) { g.in_edges(n); }
  {
    return graph_->in_edges(n);
  }

  constexpr decltype(auto) in_edges(node_id n) const
    requires has_edges<G>
  {
    return graph_->out_edges(n);
  }

  constexpr node_id edge_source(edge_id e) const
    requires has_edges<G>
  {
    return graph_->edge_target(e);
  }

  constexpr node_id edge_target(edge_id e) const
    requires has_edges<G>
  {
    return graph_->edge_source(e);
  }

private:
  const G* graph_;
  node_id entry_;
};

/// The view of `g` with all edges reversed, entered at `entry`.
template <bidirectional_flow_graph_argument G> constexpr auto reversed(const G& g, node_id entry) {
  return reversed_graph<G>(g, entry);
}

/// The view of a graph that has an `exit()`, entered there.
template <bidirectional_flow_graph_argument G>
  requires has_exit<G>
constexpr reversed_graph<G> reversed(const G& g) {
  return {g, static_cast<node_id>(g.exit())};
}

/// A view must not outlive the graph.
template <class G, class... Rest> void reversed(const G&&, Rest...) = delete;

MIDEND_END_NAMESPACE
