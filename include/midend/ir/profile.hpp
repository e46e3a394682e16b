/// The profile rung of the IR contract: how often nodes run and edges are taken.
///
///     std::optional<std::uint64_t> count(midend::node_id n) const;      // executions of n; nothing if unknown
///     double probability(midend::edge_id e) const;                      // 0 … 1; negative if unknown
///
/// and to change it:
///
///     void set_count(midend::node_id n, std::optional<std::uint64_t> count);
///     void set_probability(midend::edge_id e, double probability);
///
/// A transformation keeps a consistent profile consistent: the flow into a node equals the flow out of it. An IR
/// without a profile leaves all four out.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/nearest_number.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// `count(n)` says how often a node runs.
template <class IR>
concept has_node_counts = requires(const IR& ir, node_id n) {
  { ir.count(n) } -> std::convertible_to<std::optional<std::uint64_t>>;
};

/// `probability(e)` says how often an edge is taken.
template <class IR>
concept has_edge_probabilities = requires(const IR& ir, edge_id e) {
  { ir.probability(e) } -> std::convertible_to<double>;
};

/// The profile rung.
template <class IR>
concept profile_ir = has_node_counts<IR> && has_edge_probabilities<IR>;

/// `set_count(n, count)` changes how often a node runs.
template <class E>
concept can_set_counts =
    requires(E& editor, node_id n, std::optional<std::uint64_t> count) { editor.set_count(n, count); };

/// `set_probability(e, p)` changes how often an edge is taken.
template <class E>
concept can_set_probabilities = requires(E& editor, edge_id e, double p) { editor.set_probability(e, p); };

/// Reads and changes a profile.
template <class E>
concept profile_editor = profile_ir<E> && can_set_counts<E> && can_set_probabilities<E>;

namespace detail {

MIDEND_REQUIRED(has_node_counts, "a profile needs `std::optional<std::uint64_t> count(midend::node_id n) const`, which "
                                 "returns std::nullopt where it is unknown");
MIDEND_REQUIRED(
    has_edge_probabilities,
    "a profile needs `double probability(midend::edge_id e) const`, from 0 to 1, or negative where it is unknown");
MIDEND_REQUIRED(can_set_counts,
                "an editor of a profile needs `void set_count(midend::node_id n, std::optional<std::uint64_t> count)`; "
                "one that leaves the profile alone has no `count`");
MIDEND_REQUIRED(can_set_probabilities,
                "an editor of a profile needs `void set_probability(midend::edge_id e, double probability)`");

struct profile_contract : contract<has_node_counts_row, has_edge_probabilities_row> {};

/// An editor has the whole profile or none: `probability` alone belongs to the cost rung.
struct profile_of_editor_row {
  template <class E>
  static constexpr bool names_a_part =
      has_node_counts<E> || requires { &E::set_count; } || requires { &E::set_probability; } ||
      requires(E& editor, node_id n) { editor.set_count(n, 0); } ||
      requires(E& editor, edge_id e) { editor.set_probability(e, 0.0); };

  template <class E> static constexpr bool fits = profile_editor<E> || !names_a_part<E>;

  template <class E> static constexpr bool explain() {
    return contract<profile_contract, can_set_counts_row, can_set_probabilities_row>::explain<E>();
  }
};

} // namespace detail

/// What functions take: a `profile_ir`; otherwise an error.
template <class IR>
concept profile_ir_argument = profile_ir<IR> || detail::profile_contract::explain<IR>();

/// How often `e` is taken, if the profile tells: the count of the source times the probability, rounded. The only edge
/// of a node has probability 1, and edges of a node that never runs are never taken.
template <profile_ir_argument IR, edge_indexed_flow_graph_argument G>
constexpr std::optional<std::uint64_t> edge_count(const IR& ir, const G& g, edge_id e) {
  const std::optional<std::uint64_t> count = ir.count(static_cast<node_id>(g.edge_source(e)));
  bool is_only_edge = true;
  for (const auto& other : g.out_edges(static_cast<node_id>(g.edge_source(e)))) {
    if (static_cast<edge_id>(other) != e) {
      is_only_edge = false;
      break;
    }
  }
  const double probability = is_only_edge ? 1.0 : static_cast<double>(ir.probability(e));
  if (count == std::uint64_t{0}) {
    return count;
  }
  if (!count || !(probability >= 0)) {
    return std::nullopt;
  }
  return probability >= 1 ? *count : nearest_number(static_cast<double>(*count) * probability);
}

MIDEND_END_NAMESPACE
