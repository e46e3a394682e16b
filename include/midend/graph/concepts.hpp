/// The graph contract: what a type needs to be analysed. A graph is any type with the members below. There is no trait
/// to specialise and no base class.
///
///     struct my_cfg {                                   // a view, cheap to copy, over your own function
///       const my_function* f;
///       std::size_t num_nodes() const { return f->blocks.size(); }
///       midend::node_id entry() const { return 0; }
///       auto successors(midend::node_id n) const {
///         return midend::mapped(f->blocks[n]->successors, [](const my_block* b) { return b->index; });
///       }
///     };
///
/// Each requirement is a concept, so that the compiler names the one that fails.
///
/// Legal everywhere: parallel edges, self loops, unreachable nodes, an entry with predecessors, no exit, many exits.
/// A graph without nodes is legal too; its `entry()` is never called. The order of successors is the graph's
/// choice and must not change while an analysis runs.
#pragma once

#include "midend/config.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A node: dense, `0 … num_nodes() - 1`.
using node_id = std::uint32_t;

/// An edge: dense, `0 … num_edges() - 1`. Parallel edges are different edges.
using edge_id = std::uint32_t;

inline constexpr node_id no_node = 0xffff'ffff;
inline constexpr edge_id no_edge = 0xffff'ffff;

/// Graphs may have this many nodes and edges at most: searches keep a node and two marks in 32 bits.
inline constexpr std::size_t max_nodes = 0x3fff'ffff;
inline constexpr std::size_t max_edges = 0xffff'fffe;

namespace detail {

template <class Range> using iterator_of = decltype(std::begin(std::declval<Range&>()));

template <class Range> using sentinel_of = decltype(std::end(std::declval<Range&>()));

template <class Range>
concept sized_by_sentinel = requires(Range& r) {
  { std::end(r) } -> std::sentinel_for<iterator_of<Range>>;
};

template <class Range>
concept readable_as_nodes = requires(Range& r) {
  { *std::begin(r) } -> std::convertible_to<node_id>;
};

} // namespace detail

/// `num_nodes()` returns the number of nodes, as a `std::size_t` or something that converts to it.
template <class G>
concept has_num_nodes = requires(const G& g) {
  { g.num_nodes() } -> std::convertible_to<std::size_t>;
};

/// `entry()` returns the node where control enters.
template <class G>
concept has_entry = requires(const G& g) {
  { g.entry() } -> std::convertible_to<node_id>;
};

/// `successors(n)` exists.
template <class G>
concept has_successors = requires(const G& g, node_id n) { g.successors(n); };

/// `predecessors(n)` exists.
template <class G>
concept has_predecessors = requires(const G& g, node_id n) { g.predecessors(n); };

/// `num_edges()`, `out_edges(n)`, `edge_source(e)` and `edge_target(e)` exist.
template <class G>
concept has_edges = requires(const G& g, node_id n, edge_id e) {
  { g.num_edges() } -> std::convertible_to<std::size_t>;
  g.out_edges(n);
  { g.edge_source(e) } -> std::convertible_to<node_id>;
  { g.edge_target(e) } -> std::convertible_to<node_id>;
};

/// A range, in the sense of `begin` and `end`, of values that convert to `node_id`.
template <class Range>
concept range_of_nodes = detail::sized_by_sentinel<Range> && detail::readable_as_nodes<Range>;

/// The range can be read more than once.
template <class Range>
concept multipass_range = std::forward_iterator<detail::iterator_of<Range>>;

/// The types that `successors(n)`, `predecessors(n)` and `out_edges(n)` return.
template <class G> using successors_of = decltype(std::declval<const G&>().successors(node_id{}));
template <class G> using predecessors_of = decltype(std::declval<const G&>().predecessors(node_id{}));
template <class G> using out_edges_of = decltype(std::declval<const G&>().out_edges(node_id{}));

// One concept for each thing that can be wrong, so that the message of the compiler names it.
template <class G>
concept successors_are_a_range_of_nodes = range_of_nodes<successors_of<G>>;
template <class G>
concept successors_can_be_read_twice = multipass_range<successors_of<G>>;
template <class G>
concept successor_iterators_outlive_the_range = borrowed_range<successors_of<G>>;
template <class G>
concept predecessors_are_a_range_of_nodes = range_of_nodes<predecessors_of<G>>;
template <class G>
concept predecessors_can_be_read_twice = multipass_range<predecessors_of<G>>;
template <class G>
concept predecessor_iterators_outlive_the_range = borrowed_range<predecessors_of<G>>;
template <class G>
concept out_edges_are_a_range_of_edges = range_of_nodes<out_edges_of<G>>;
template <class G>
concept out_edge_iterators_outlive_the_range = borrowed_range<out_edges_of<G>>;

/// The weakest requirement: successors that can be read once. Enough to build a `csr_graph`: analyses need such a copy
/// of a graph whose `successors` returns a temporary.
template <class G>
concept readable_graph = has_num_nodes<G> && has_successors<G> && successors_are_a_range_of_nodes<G>;

/// A graph: nodes, and successors that iterative searches can keep iterators into. The iterators must outlive the range
/// object that `successors` returns: an lvalue container, a span or another borrowed range.
template <class G>
concept directed_graph =
    readable_graph<G> && successors_can_be_read_twice<G> && successor_iterators_outlive_the_range<G>;

/// A control-flow graph: a graph with an entry.
template <class G>
concept flow_graph = directed_graph<G> && has_entry<G>;

/// A control-flow graph that also knows predecessors: one for each edge `p → n`, in any order.
template <class G>
concept bidirectional_flow_graph = flow_graph<G> && has_predecessors<G> && predecessors_are_a_range_of_nodes<G> &&
                                   predecessors_can_be_read_twice<G> && predecessor_iterators_outlive_the_range<G>;

/// A control-flow graph whose edges have dense numbers. `out_edges(n)` lists them in the order of `successors(n)`.
/// Removed edges may leave unused numbers: these are in no list, and their `edge_source` is `no_node`.
template <class G>
concept edge_indexed_flow_graph =
    flow_graph<G> && has_edges<G> && out_edges_are_a_range_of_edges<G> && out_edge_iterators_outlive_the_range<G>;

/// The number of modifications a graph has seen, if it counts them in `epoch()`, else 0. Results remember it, and calls
/// that take a graph and a result require that they agree.
template <class G> constexpr std::uint64_t graph_epoch(const G& g) {
  if constexpr (requires {
                  { g.epoch() } -> std::convertible_to<std::uint64_t>;
                }) {
    return static_cast<std::uint64_t>(g.epoch());
  } else {
    return 0;
  }
}

namespace detail {

template <class G> constexpr node_id node_count(const G& g) {
  const auto count = static_cast<std::size_t>(g.num_nodes());
  MIDEND_ASSERT(count <= max_nodes, "at most max_nodes nodes", count);
  return static_cast<node_id>(count);
}

} // namespace detail

MIDEND_END_NAMESPACE
