/// `live_value_sets`: the result of `live_values`, the live SSA values of each node.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A list of values for each node.
struct values_by_node {
  constexpr span<const value_id> of(node_id n) const {
    return {values.data() + offsets[n], values.data() + offsets[n + std::size_t{1}]};
  }

  constexpr std::size_t num_nodes() const { return offsets.empty() ? 0 : offsets.size() - 2; }

  constexpr std::size_t size() const { return values.size(); }

  friend constexpr bool operator==(const values_by_node& a, const values_by_node& b) = default;

  flat_array<std::size_t> offsets; ///< by node, and two more: the list of n starts at n and ends at n + 1
  flat_array<value_id> values;
};

struct live_value_solver;

} // namespace detail

/// The values that are live at the start and at the end of each node, the result of `live_values`. Lists in place of
/// bit sets, because in SSA form most values are live in few nodes. 4 bytes for each value and place where it is live,
/// 16 a node.
class live_value_sets {
public:
  constexpr std::size_t num_nodes() const { return in_.num_nodes(); }

  /// Ascending.
  constexpr span<const value_id> live_in(node_id n) const {
    require(n);
    return in_.of(n);
  }

  /// Ascending.
  constexpr span<const value_id> live_out(node_id n) const {
    require(n);
    return out_.of(n);
  }

  /// Whether `v` is live at the start of `n`. O(log |live_in(n)|).
  constexpr bool is_live_in(value_id v, node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "is_live_in(value, node) of a node of the graph", v, n, num_nodes());
    return contains(live_in(n), v);
  }

  /// Whether `v` is live at the end of `n`. O(log |live_out(n)|).
  constexpr bool is_live_out(value_id v, node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "is_live_out(value, node) of a node of the graph", v, n, num_nodes());
    return contains(live_out(n), v);
  }

  /// The sum of the lengths of all lists.
  constexpr std::size_t size() const { return in_.size() + out_.size(); }

  /// The number of node visits of the analysis.
  constexpr std::size_t num_visits() const { return num_visits_; }

  /// The `epoch()` of the analysed graph.
  constexpr std::uint64_t epoch() const { return epoch_; }

  /// Compares the lists only.
  friend constexpr bool operator==(const live_value_sets& a, const live_value_sets& b) {
    return a.in_ == b.in_ && a.out_ == b.out_;
  }

private:
  friend detail::live_value_solver;

  constexpr void require([[maybe_unused]] node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "a node of the graph", n, num_nodes());
  }

  static constexpr bool contains(span<const value_id> values, value_id v) { return detail::is_among(values, v); }

  detail::values_by_node in_;
  detail::values_by_node out_;
  std::size_t num_visits_ = 0;
  std::uint64_t epoch_ = 0;
};

MIDEND_END_NAMESPACE
