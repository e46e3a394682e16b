/// `filtered`: the view of a graph without some of its nodes or edges.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/filtered_range.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// `keep(n)`: whether a node stays.
template <class F>
concept node_predicate = std::is_invocable_r_v<bool, const F&, node_id>;

/// `keep(source, target)`: whether an edge stays. Parallel edges all stay, or none does.
template <class F>
concept edge_predicate = std::is_invocable_r_v<bool, const F&, node_id, node_id>;

namespace detail {

template <class F>
concept filter_predicate = node_predicate<F> || edge_predicate<F>;

MIDEND_REQUIRED(filter_predicate,
                "a graph is filtered by `bool keep(midend::node_id n)` or `bool keep(midend::node_id source, "
                "midend::node_id target)`, a function that can be called when it is const");

template <class F>
concept filter_argument = filter_predicate<F> || filter_predicate_row::explain<F>();

} // namespace detail

/// `g` with the edges for which a predicate holds. Nodes keep their numbers: a node that is filtered out becomes a node
/// without edges. Edge ids are not kept, because they would not be dense.
///
/// Refers to `g`, and its iterators refer to the view. The predicate must give the same answers each time.
template <flow_graph_argument G, edge_predicate Keep> class filtered_graph {
public:
  constexpr filtered_graph(const G& g, Keep keep) : graph_(&g), keep_(std::move(keep)) {}

  constexpr std::size_t num_nodes() const { return static_cast<std::size_t>(graph_->num_nodes()); }

  constexpr node_id entry() const { return static_cast<node_id>(graph_->entry()); }

  constexpr std::uint64_t epoch() const { return graph_epoch(*graph_); }

  constexpr auto successors(node_id n) const {
    auto&& range = graph_->successors(n);
    return make_filtered_range(std::begin(range), std::end(range), forward{&keep_, n});
  }

  constexpr auto predecessors(node_id n) const
    requires bidirectional_flow_graph<G>
  {
    auto&& range = graph_->predecessors(n);
    return make_filtered_range(std::begin(range), std::end(range), backward{&keep_, n});
  }

private:
  struct forward {
    const Keep* keep = nullptr;
    node_id source = 0;

    constexpr bool operator()(node_id target) const { return (*keep)(source, target); }
  };

  struct backward {
    const Keep* keep = nullptr;
    node_id target = 0;

    constexpr bool operator()(node_id source) const { return (*keep)(source, target); }
  };

  const G* graph_;
  Keep keep_;
};

namespace detail {

/// Keeps the edges between nodes that are kept.
template <class Keep> struct both_ends {
  Keep keep;

  constexpr bool operator()(node_id source, node_id target) const { return keep(source) && keep(target); }
};

} // namespace detail

/// The view of `g` without the nodes for which `keep(n)` is false, or without the edges for which `keep(source,
/// target)` is. Requires that the entry is kept.
template <flow_graph_argument G, detail::filter_argument Keep> constexpr auto filtered(const G& g, Keep keep) {
  if constexpr (edge_predicate<Keep>) {
    return filtered_graph<G, Keep>(g, std::move(keep));
  } else {
    MIDEND_ASSERT(g.num_nodes() == 0 || keep(static_cast<node_id>(g.entry())), "an entry that is kept", g.entry());
    return filtered_graph<G, detail::both_ends<Keep>>(g, {std::move(keep)});
  }
}

/// A view must not outlive the graph.
template <class G, class Keep> void filtered(const G&&, Keep) = delete;

MIDEND_END_NAMESPACE
