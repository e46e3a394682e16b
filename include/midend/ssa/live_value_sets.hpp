/// `live_value_sets`: which SSA values are live where.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ssa/detail/live_value_walk.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A list of values for each node.
class values_by_node {
public:
  /// From the words `Member` of the batches: their lists come out ascending. O(nodes + words + length of the lists).
  template <word live_words::* Member> constexpr void assign(std::size_t num_nodes, const live_batches& batches) {
    offsets_.assign(num_nodes + 2, 0);
    for (const live_words& w : batches.words) {
      offsets_[w.node + std::size_t{2}] += static_cast<std::size_t>(std::popcount(w.*Member));
    }
    for (std::size_t n = 2; n < offsets_.size(); ++n) {
      offsets_[n] += offsets_[n - 1];
    }
    values_.resize_for_overwrite(offsets_.back());
    std::size_t i = 0;
    for (std::size_t batch = 0; batch != batches.ends.size(); ++batch) {
      const value_id* const names = batches.values.data() + batch * word_bits;
      for (; i != batches.ends[batch]; ++i) {
        append(batches.words[i].node, batches.words[i].*Member, names);
      }
    }
  }

  constexpr std::span<const value_id> of(node_id n) const {
    return {values_.data() + offsets_[n], values_.data() + offsets_[n + std::size_t{1}]};
  }

  constexpr std::size_t num_nodes() const { return offsets_.empty() ? 0 : offsets_.size() - 2; }

  constexpr std::size_t size() const { return values_.size(); }

  friend constexpr bool operator==(const values_by_node& a, const values_by_node& b) = default;

private:
  /// While lists are filled, the offset behind a node is where its next value goes; in the end it is where they end.
  constexpr void append(node_id n, word values, const value_id* names) {
    std::size_t& end = offsets_[n + std::size_t{1}];
    value_id* to = values_.data() + end;
    end += static_cast<std::size_t>(std::popcount(values));
    for (; values != 0; values &= values - 1) {
      *to++ = names[std::countr_zero(values)];
    }
  }

  flat_array<std::size_t> offsets_; ///< by node, and two more
  flat_array<value_id> values_;
};

struct live_value_solver;

} // namespace detail

/// The values that are live at the start and at the end of each node, as `live_values` finds them: lists, since in SSA
/// form most values live in few nodes. 4 bytes for each value and place where it is live, 16 a node.
class live_value_sets {
public:
  constexpr std::size_t num_nodes() const { return in_.num_nodes(); }

  /// Ascending.
  constexpr std::span<const value_id> live_in(node_id n) const {
    require(n);
    return in_.of(n);
  }

  /// Ascending.
  constexpr std::span<const value_id> live_out(node_id n) const {
    require(n);
    return out_.of(n);
  }

  /// O(log |live_in(n)|).
  constexpr bool is_live_in(value_id v, node_id n) const { return contains(live_in(n), v); }

  /// O(log |live_out(n)|).
  constexpr bool is_live_out(value_id v, node_id n) const { return contains(live_out(n), v); }

  /// The lengths of all lists together.
  constexpr std::size_t size() const { return in_.size() + out_.size(); }

  /// How often the analysis looked at a node.
  constexpr std::size_t num_visits() const { return num_visits_; }

  /// The `epoch()` of the graph that was analysed.
  constexpr std::uint64_t epoch() const { return epoch_; }

  /// The same lists.
  friend constexpr bool operator==(const live_value_sets& a, const live_value_sets& b) {
    return a.in_ == b.in_ && a.out_ == b.out_;
  }

private:
  friend detail::live_value_solver;

  constexpr void require([[maybe_unused]] node_id n) const {
    MIDEND_ASSERT(n < num_nodes(), "a node of the graph", n, num_nodes());
  }

  static constexpr bool contains(std::span<const value_id> values, value_id v) { return detail::is_among(values, v); }

  detail::values_by_node in_;
  detail::values_by_node out_;
  std::size_t num_visits_ = 0;
  std::uint64_t epoch_ = 0;
};

MIDEND_END_NAMESPACE
