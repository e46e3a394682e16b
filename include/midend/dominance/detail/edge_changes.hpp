/// The net effect of a list of edge updates, and the graph while the insertions are done one by one.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/edge_update.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The pairs of nodes whose first edge was inserted or whose last edge was deleted, computed from the updates and the
/// graph after them. An edge that was inserted and deleted, or one of several parallel edges, does not affect
/// dominators.
///
/// Updates are done in two steps: insertions lead from the graph before to a graph with the edges of both, deletions
/// lead from there to the graph after. `for_each_successor` shows the graph when the first insertions are done.
class edge_changes {
public:
  /// Requires the graph after all updates. O(updates + edges out of their sources).
  template <class G> constexpr void assign(const G& g, span<const edge_update> updates) {
    const std::size_t count = g.num_nodes();
    changes_.clear();
    sources_.clear();
    done_ = 0;
    grow(count);
    chain_by_source(updates);
    for (const node_id source : sources_) {
      const std::size_t first = changes_.size();
      merge_updates(source, updates);
      count_edges(g, source, first);
      keep_first_and_last_edges(source, first);
    }
  }

  /// A pair of nodes that got its first edge or lost its last one.
  struct change {
    node_id source;
    node_id target;
    std::int32_t net; ///< 1 if inserted, -1 if erased
  };

  /// All changes, by source.
  constexpr span<const change> all() const { return changes_; }

  /// The insertion at position `i` of `all()` is next: from now on it and the insertions before it are shown.
  constexpr void show_up_to(std::size_t i) { done_ = i + 1; }

  /// The successors of `n` in the graph before the deletions. `visit` must not call this function.
  template <class G, class Visit> constexpr void for_each_successor(const G& g, node_id n, Visit visit) {
    const std::uint32_t first = first_[n];
    auto&& successors = g.successors(n);
    auto it = std::begin(successors);
    const auto last = std::end(successors);
    if (first == no_node) {
      for (; it != last; ++it) {
        visit(node_in(g, *it));
      }
      return;
    }
    mark_hidden(n, first, hidden);
    for (; it != last; ++it) {
      if (slot_[node_in(g, *it)] != hidden) {
        visit(node_in(g, *it));
      }
    }
    mark_hidden(n, first, no_node);
    for (std::size_t i = first; i != changes_.size() && changes_[i].source == n; ++i) {
      if (changes_[i].net < 0) {
        visit(changes_[i].target);
      }
    }
  }

  /// Forgets the changes and resets the arrays for the next list. O(changes).
  constexpr void clear() {
    for (const change& c : changes_) {
      first_[c.source] = no_node;
    }
    changes_.clear();
  }

private:
  static constexpr std::uint32_t hidden = 0;

  constexpr void grow(std::size_t count) {
    first_.reserve(count);
    slot_.reserve(count);
    while (first_.size() < count) {
      first_.push_back(no_node);
      slot_.push_back(no_node);
    }
  }

  /// Lists of positions, in their order, by source.
  constexpr void chain_by_source(span<const edge_update> updates) {
    next_.resize_for_overwrite(updates.size());
    for (std::size_t i = updates.size(); i-- != 0;) {
      std::uint32_t& first = first_[updates[i].source];
      if (first == no_node) {
        sources_.push_back(updates[i].source);
      }
      next_[i] = first;
      first = static_cast<std::uint32_t>(i);
    }
  }

  /// One change for each target, with the net number of edges inserted. `slot_` is its position.
  constexpr void merge_updates(node_id source, span<const edge_update> updates) {
    for (std::uint32_t i = first_[source]; i != no_node; i = next_[i]) {
      std::uint32_t& slot = slot_[updates[i].target];
      if (slot == no_node) {
        slot = static_cast<std::uint32_t>(changes_.size());
        changes_.push_back({source, updates[i].target, 0});
      }
      changes_[slot].net += updates[i].change == edge_change::insert ? 1 : -1;
    }
  }

  template <class G> constexpr void count_edges(const G& g, node_id source, std::size_t first) {
    after_.assign(changes_.size() - first, 0);
    for (const auto successor : g.successors(source)) {
      const std::uint32_t slot = slot_[node_in(g, successor)];
      if (slot != no_node) {
        ++after_[slot - first];
      }
    }
  }

  constexpr void keep_first_and_last_edges(node_id source, std::size_t first) {
    std::size_t kept = first;
    for (std::size_t i = first; i != changes_.size(); ++i) {
      const change c = changes_[i];
      const std::int32_t after = after_[i - first];
      const std::int32_t before = after - c.net;
      MIDEND_ASSERT(before >= 0, "updates that lead to the graph", c.source, c.target);
      slot_[c.target] = no_node;
      if ((before == 0) != (after == 0)) {
        changes_[kept++] = {source, c.target, after != 0 ? 1 : -1};
      }
    }
    changes_.shrink(kept);
    first_[source] = kept != first ? static_cast<std::uint32_t>(first) : no_node;
  }

  constexpr void mark_hidden(node_id n, std::size_t first, std::uint32_t mark) {
    for (std::size_t i = first; i != changes_.size() && changes_[i].source == n; ++i) {
      if (changes_[i].net > 0 && i >= done_) {
        slot_[changes_[i].target] = mark;
      }
    }
  }

  flat_array<change> changes_;
  flat_array<node_id> sources_;
  flat_array<std::uint32_t> next_;  ///< update → the next one with its source
  flat_array<std::int32_t> after_;  ///< by change of one source: the number of edges in the graph
  flat_array<std::uint32_t> first_; ///< by source: the first of its updates, later of its changes
  flat_array<std::uint32_t> slot_;  ///< by node, scratch
  std::size_t done_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
