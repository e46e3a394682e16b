/// `forward_csr_graph`: the flat copy of a graph's successors, and the error of a graph that cannot be copied.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/small_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/range.hpp"
#include "midend/support/result.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// An edge of an edge list.
struct edge {
  node_id source;
  node_id target;

  friend constexpr bool operator==(edge, edge) = default;
};

/// What is wrong with an edge list, or with a graph that was to be copied.
struct graph_build_error {
  enum class reason : std::uint8_t {
    too_many_nodes,      ///< `value` is the number of nodes
    too_many_edges,      ///< `value` is the number of edges
    entry_out_of_range,  ///< `value` is the entry
    source_out_of_range, ///< `value` is the source of edge number `index`
    target_out_of_range, ///< `value` is the target of edge number `index`
  };

  reason why{};
  std::size_t index = 0;   ///< position in the edge list, or in the order of nodes and of their successors
  std::uint64_t value = 0; ///< the number that is wrong

  friend constexpr bool operator==(const graph_build_error&, const graph_build_error&) = default;
};

/// The flat copy of the successors alone: offsets and targets ("compressed sparse row"), in one array.
///
/// Edge ids are positions in the array of targets: first the edges of node 0 in the order of its successors, then
/// those of node 1, and so on. Memory: 4 bytes a node and 4 an edge. Models `edge_indexed_flow_graph`.
class forward_csr_graph {
public:
  constexpr forward_csr_graph() = default;

  /// Copies `g`, reading each successor range once. Requires entry and targets below `g.num_nodes()`; for graphs that
  /// may break that, `from_graph` checks and reports. O(n + m).
  template <readable_graph G> constexpr explicit forward_csr_graph(const G& g) { assign(g); }

  template <detail::meant_as_graph G>
    requires(!readable_graph<G>)
  explicit forward_csr_graph(const G&) {
    detail::readable_graph_contract::explain<G>();
  }

  constexpr forward_csr_graph(const forward_csr_graph&) = default;
  constexpr forward_csr_graph& operator=(const forward_csr_graph&) = default;

  /// Exchanges two graphs.
  constexpr forward_csr_graph(forward_csr_graph&& other) noexcept { swap(other); }

  constexpr forward_csr_graph& operator=(forward_csr_graph&& other) noexcept {
    swap(other);
    return *this;
  }

  constexpr ~forward_csr_graph() = default;

  /// Copies in place: allocates nothing if an earlier graph of this object was at least as large.
  template <readable_graph_argument G> constexpr void assign(const G& g) { copy(g, 0); }

  /// A copy of `g`, or the first entry or successor that is not a node of `g`. O(n + m).
  template <readable_graph_argument G>
  static constexpr result<forward_csr_graph, graph_build_error> from_graph(const G& g) {
    forward_csr_graph copy;
    if (const auto error = copy.copy_checked(g, 0)) {
      return *error;
    }
    return copy;
  }

  constexpr std::size_t num_nodes() const { return num_offsets_ == 0 ? 0 : num_offsets_ - 1; }

  constexpr std::size_t num_edges() const { return num_edges_; }

  constexpr node_id entry() const { return entry_; }

  /// The `epoch()` of the graph that was copied.
  constexpr std::uint64_t epoch() const { return epoch_; }

  constexpr span<const node_id> successors(node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "a node of the graph", n, num_nodes());
    const edge_id* const offset = arrays_.data() + n;
    return {first_target() + offset[0], first_target() + offset[1]};
  }

  constexpr id_range<edge_id> out_edges(node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "a node of the graph", n, num_nodes());
    const edge_id* const offset = arrays_.data() + n;
    return {offset[0], offset[1]};
  }

  constexpr node_id edge_target(edge_id e) const {
    MIDEND_ASSERT(e < num_edges(), "an edge of the graph", e, num_edges());
    return first_target()[e];
  }

  /// By binary search, in O(log n); `csr_graph` answers in O(1).
  constexpr node_id edge_source(edge_id e) const {
    MIDEND_ASSERT(e < num_edges(), "an edge of the graph", e, num_edges());
    const edge_id* const offset = arrays_.data();
    std::size_t low = 0; // the edges of `low` start at or before e, those of `high` after it
    std::size_t high = num_nodes();
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (offset[middle] <= e ? low : high) = middle;
    }
    return static_cast<node_id>(low);
  }

  /// num_nodes() + 1 positions in `targets()`; none if there are no nodes.
  constexpr span<const edge_id> offsets() const { return {arrays_.data(), num_offsets_}; }

  /// The target of each edge.
  constexpr span<const node_id> targets() const { return {first_target(), num_edges_}; }

protected:
  /// Reserves memory for `derived` more arrays by edge, with one by node if there are any.
  template <class G> constexpr void copy_successors(const G& g, std::size_t derived) {
    const std::size_t count = detail::node_count(g);
    epoch_ = graph_epoch(g);
    entry_ = 0;
    if constexpr (has_entry<G>) {
      if (count != 0) {
        entry_ = static_cast<node_id>(g.entry());
      }
    }
    num_offsets_ = count == 0 ? 0 : count + 1;
    const std::size_t expected = count + count / 2 + 2; // of edges; enough for most functions
    arrays_.clear();
    arrays_.reserve((derived == 0 ? 1 : 2) * num_offsets_ + (1 + derived) * expected);
    arrays_.extend_for_overwrite(num_offsets_);
    for (std::size_t n = 0; n != count; ++n) {
      arrays_.data()[n] = static_cast<edge_id>(arrays_.size() - num_offsets_);
      for (const auto element : g.successors(static_cast<node_id>(n))) {
        arrays_.push_back(static_cast<node_id>(element));
      }
    }
    num_edges_ = arrays_.size() - num_offsets_;
    MIDEND_ASSERT(num_edges_ <= max_edges, "at most max_edges edges", num_edges_);
    if (count != 0) {
      arrays_.data()[count] = static_cast<edge_id>(num_edges_);
    }
  }

  /// Copies `g`. Requires a graph without errors.
  template <class G> constexpr void copy(const G& g, std::size_t derived) {
    copy_successors(g, derived);
    MIDEND_ASSERT(!first_error(), "entry and successors within the graph", first_error()->value, num_nodes());
  }

  /// Copies `g` and returns its first error, if any.
  template <class G> constexpr optional<graph_build_error> copy_checked(const G& g, std::size_t derived) {
    if (const auto count = static_cast<std::size_t>(g.num_nodes()); count > max_nodes) {
      return graph_build_error{graph_build_error::reason::too_many_nodes, 0, count};
    }
    copy_successors(g, derived);
    return first_error();
  }

  constexpr const node_id* first_target() const { return arrays_.data() + num_offsets_; }

  constexpr void swap(forward_csr_graph& other) noexcept {
    detail::swap_values(entry_, other.entry_);
    detail::swap_values(epoch_, other.epoch_);
    detail::swap_values(num_offsets_, other.num_offsets_);
    detail::swap_values(num_edges_, other.num_edges_);
    arrays_.swap(other.arrays_);
  }

  constexpr optional<graph_build_error> first_error() const {
    using reason = graph_build_error::reason;
    const std::size_t count = num_nodes();
    if (num_edges_ > max_edges) {
      return graph_build_error{reason::too_many_edges, 0, num_edges_};
    }
    if (count != 0 && entry_ >= count) {
      return graph_build_error{reason::entry_out_of_range, 0, entry_};
    }
    for (std::size_t e = 0; e != num_edges_; ++e) {
      if (first_target()[e] >= count) {
        return graph_build_error{reason::target_out_of_range, e, first_target()[e]};
      }
    }
    return std::nullopt;
  }

  node_id entry_ = 0;
  std::uint64_t epoch_ = 0;
  std::size_t num_offsets_ = 0; ///< number of nodes plus 1; 0 without nodes
  std::size_t num_edges_ = 0;

  /// For each node where its targets start, with one entry more; the targets; the arrays of derived classes. Arrays of
  /// graphs with up to about 6 nodes are part of the object.
  detail::small_array<std::uint32_t, 64> arrays_;
};

MIDEND_END_NAMESPACE
