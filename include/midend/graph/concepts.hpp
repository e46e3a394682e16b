/// The graph contract: the members that a type needs to be analysed. A graph is any type with the members below. There
/// is no trait to specialise and no base class.
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
/// Each requirement is a concept. Functions take a `flow_graph_argument` (or one of its kind): if a requirement fails,
/// the first error of the compiler is a sentence that says what to write. So `requires { midend::dominators(g); }` is
/// an error, not false; ask for the concept, `midend::flow_graph<G>`.
///
/// `predecessors`, the numbers of edges and `epoch` are optional. A member of such a name that does not fit (it is not
/// const, returns something else, takes something else) is an error, too, because it would never be called.
///
/// Legal everywhere: parallel edges, self loops, unreachable nodes, an entry with predecessors, no exit, many exits. A
/// graph without nodes is legal too; its `entry()` is never called. The order of successors is the graph's choice and
/// must not change while an analysis runs.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/detail/iterator_base.hpp"
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

/// Pointers and midend's own iterators are forward iterators. Asking the standard concepts costs a hundred classes for
/// each type.
template <class Iterator>
concept known_iterator = std::is_pointer_v<Iterator> || own_iterator<Iterator>;

template <class Range>
concept sized_by_sentinel =
    (known_iterator<iterator_of<Range>> && std::is_same_v<iterator_of<Range>, sentinel_of<Range>>) ||
    std::sentinel_for<sentinel_of<Range>, iterator_of<Range>>;

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
concept multipass_range =
    detail::known_iterator<detail::iterator_of<Range>> || std::forward_iterator<detail::iterator_of<Range>>;

/// The types that `successors(n)`, `predecessors(n)` and `out_edges(n)` return.
template <class G> using successors_of = decltype(std::declval<const G&>().successors(node_id{}));
template <class G> using predecessors_of = decltype(std::declval<const G&>().predecessors(node_id{}));
template <class G> using out_edges_of = decltype(std::declval<const G&>().out_edges(node_id{}));

// One concept for each possible mistake, so that the compiler's message names it.
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

/// `epoch()` returns the number of changes of nodes and edges that a graph has seen. Optional.
template <class G>
concept has_epoch = requires(const G& g) {
  { g.epoch() } -> std::convertible_to<std::uint64_t>;
};

/// The number of changes that a graph has seen, if it counts them in `epoch()`, else 0. Results remember it, and calls
/// that take a graph and a result require that they agree.
template <class G> constexpr std::uint64_t graph_epoch(const G& g) {
  if constexpr (has_epoch<G>) {
    return static_cast<std::uint64_t>(g.epoch());
  } else {
    return 0;
  }
}

namespace detail {

/// Whether a type is meant as a graph. Functions that are overloaded for other types have a second overload for such
/// types, for the diagnostics alone.
template <class G>
concept meant_as_graph =
    requires { &G::num_nodes; } || requires { &G::successors; } || requires(G& g, node_id n) { g.successors(n); };

/// A dominator tree in the place of its graph.
template <class G>
concept meant_as_tree = !has_successors<G> && requires(const G& g, node_id n) { g.immediate_dominator(n); };

template <class G>
concept is_no_tree = !meant_as_tree<G>;

template <class G>
concept names_predecessors = requires { &G::predecessors; } || requires(G& g) { g.predecessors(node_id()); };
template <class G>
concept names_out_edges = requires { &G::out_edges; } || requires(G& g) { g.out_edges(node_id()); };

MIDEND_REQUIRED(is_no_tree, "this is a dominator tree; the graph is the first argument, its dominator tree the second");
MIDEND_REQUIRED(has_num_nodes,
                "a graph needs `std::size_t num_nodes() const`, or pass a view of your function that has it");
MIDEND_REQUIRED(has_successors,
                "a graph needs `successors(midend::node_id n) const`, which returns the nodes to which n has edges");
MIDEND_REQUIRED(successors_are_a_range_of_nodes,
                "`successors(n)` of a graph must return a range of node numbers; if it has blocks, write `return "
                "midend::mapped(blocks, f)`, where f returns the number of a block");
MIDEND_REQUIRED(
    successors_can_be_read_twice,
    "`successors(n)` of a graph must return a range that can be read twice; or pass a copy: `midend::csr_graph(g)`");
MIDEND_REQUIRED(successor_iterators_outlive_the_range,
                "`successors(n)` of a graph returns a temporary range; return a span or a reference; or specialise "
                "std::ranges::enable_borrowed_range if iterators of the range stay valid without it; or pass a copy: "
                "`midend::csr_graph(g)`");
MIDEND_REQUIRED(
    has_entry,
    "a control-flow graph needs `midend::node_id entry() const`, which returns the node where control enters");
MIDEND_OPTIONAL_MEMBER(epoch, has_epoch, it.epoch(), "of a graph would never be called",
                       "`std::uint64_t epoch() const`");
MIDEND_OPTIONAL_ROW(
    predecessors_row, bidirectional_flow_graph, names_predecessors,
    "`predecessors` of a graph would never be called; write `predecessors(midend::node_id n) const` so that it returns "
    "nodes as `successors` does (a span, a reference, midend::mapped), or give the member another name");
MIDEND_OPTIONAL_ROW(
    edges_row, edge_indexed_flow_graph, names_out_edges,
    "`out_edges` of a graph would never be called; write all of `num_edges()`, `out_edges(n)` (a span of "
    "midend::edge_id), `edge_source(e)` and `edge_target(e)`, each const, or give the member another name");
MIDEND_REQUIRED(
    has_predecessors,
    "this needs a graph with `predecessors(midend::node_id n) const`, or pass a copy: `midend::csr_graph(g)`");
MIDEND_REQUIRED(has_edges, "this needs a graph whose edges have numbers: `num_edges()`, `out_edges(n)`, "
                           "`edge_source(e)` and `edge_target(e)`, each const; write them, or use midend::csr_graph");

struct readable_graph_contract
    : contract<is_no_tree_row, has_num_nodes_row, has_successors_row, successors_are_a_range_of_nodes_row> {};

struct directed_graph_contract : contract<readable_graph_contract, successors_can_be_read_twice_row,
                                          successor_iterators_outlive_the_range_row, epoch_row> {};

struct flow_graph_contract : contract<directed_graph_contract, has_entry_row, predecessors_row, edges_row> {};

struct bidirectional_flow_graph_contract : contract<flow_graph_contract, has_predecessors_row> {};

struct edge_indexed_flow_graph_contract : contract<flow_graph_contract, has_edges_row> {};

} // namespace detail

// What functions take: the concept, and optional members that fit; otherwise an error.
template <class G>
concept readable_graph_argument =
    (readable_graph<G> && detail::readable_graph_contract::fits<G>) || detail::readable_graph_contract::explain<G>();
template <class G>
concept directed_graph_argument =
    (directed_graph<G> && detail::directed_graph_contract::fits<G>) || detail::directed_graph_contract::explain<G>();
template <class G>
concept flow_graph_argument =
    (flow_graph<G> && detail::flow_graph_contract::fits<G>) || detail::flow_graph_contract::explain<G>();
template <class G>
concept bidirectional_flow_graph_argument =
    (bidirectional_flow_graph<G> && detail::bidirectional_flow_graph_contract::fits<G>) ||
    detail::bidirectional_flow_graph_contract::explain<G>();
template <class G>
concept edge_indexed_flow_graph_argument =
    (edge_indexed_flow_graph<G> && detail::edge_indexed_flow_graph_contract::fits<G>) ||
    detail::edge_indexed_flow_graph_contract::explain<G>();

namespace detail {

template <class G> constexpr node_id node_count(const G& g) {
  const auto count = static_cast<std::size_t>(g.num_nodes());
  MIDEND_ASSERT(count <= max_nodes, "at most max_nodes nodes", count);
  return static_cast<node_id>(count);
}

/// A node that `g` returned: an entry, a successor, a predecessor. Searches read nodes through this function, so that a
/// wrong number is reported before it is an index.
template <class G, class Node> constexpr node_id node_in([[maybe_unused]] const G& g, const Node& node) {
  const auto n = static_cast<node_id>(node);
  MIDEND_ASSERT(n < static_cast<std::size_t>(g.num_nodes()),
                "entry, successors and predecessors within the graph; midend::check_graph finds the wrong one", n,
                static_cast<std::size_t>(g.num_nodes()));
  return n;
}

/// When checks are on, checks all edges at once, for functions that read them often.
template <class G> constexpr void require_nodes_within([[maybe_unused]] const G& g) {
#if MIDEND_CHECKS
  const node_id count = node_count(g);
  if constexpr (has_entry<G>) {
    if (count != 0) {
      node_in(g, g.entry());
    }
  }
  for (node_id n = 0; n != count; ++n) {
    for (const auto successor : g.successors(n)) {
      node_in(g, successor);
    }
    if constexpr (bidirectional_flow_graph<G>) {
      for (const auto predecessor : g.predecessors(n)) {
        node_in(g, predecessor);
      }
    }
  }
#endif
}

} // namespace detail

MIDEND_END_NAMESPACE
